/* Indexed assignment in sequential programs: one value after the other.

       let none   = replicate [n] -1
       let owners = hist max (copy none) is (iota k)                         ==>   let r = scatter @seq (copy xs) is vs
       let r      = map (\x owner -> if owner < 0 then x else vs[owner]) xs owners

   Where positions coincide, the last value counts (tail/to_core/assign.c), which is found for all elements of the array
   before any is written, for devices have no order. What goes over the rows in turn has one: it costs k writes, and where
   nobody needs xs any more, no pass over n elements at all. Before: a program without calls, as TAIL became it, for one
   processor. After: the same values and errors. */
#include "core/rewrite.h"

typedef struct InTurn {
    Compilation *c;
    size_t *counts;
} InTurn;

/* What an assignment is made of. */
typedef struct Assignment {
    const CoreStm *hist, *map;
    CoreAtom old, values;
} Assignment;

/* ---- which ----------------------------------------------------------------------------------- */

static const CoreExp *made_by(const CoreBody *body, CoreAtom atom, CoreExpKind kind)
{
    const CoreStm *stm = atom.name ? core_binder(body, atom.name) : NULL;
    return stm && stm->exp->kind == kind ? stm->exp : NULL;
}

static bool is_number(CoreAtom atom, int64_t number)
{
    return core_atom_equal(atom, core_i64(number));
}

/* hist max (copy (replicate [n] -1)) is (iota k) */
static bool finds_owners(const CoreBody *body, const CoreStm *stm)
{
    const CoreExp *hist = stm->exp;
    CoreOperator op;
    if (hist->kind != CORE_EXP_HIST || hist->level != CORE_LEVEL_AUTO ||
        hist->as.scatter.count != 1 || !core_is_operator(hist->as.scatter.op, &op) ||
        op != CORE_MAX) {
        return false;
    }
    const CoreExp *numbers = made_by(body, hist->as.scatter.values[0], CORE_EXP_IOTA);
    const CoreExp *copy = made_by(body, hist->as.scatter.destinations[0], CORE_EXP_COPY);
    const CoreExp *none = copy ? made_by(body, copy->as.array, CORE_EXP_REPLICATE) : NULL;
    return numbers && none && none->as.replicate.count == 1 &&
           is_number(none->as.replicate.value, -1) && is_number(hist->as.scatter.neutral[0], -1);
}

/* vs where the body is { vs[owner] } */
static bool reads_owned(const CoreBody *body, const CoreName *owner, CoreAtom *values)
{
    const CoreExp *read = body->stm_count == 1 ? body->stms[0]->exp : NULL;
    if (!read || read->kind != CORE_EXP_INDEX || read->as.index.count != 1 ||
        read->as.index.indices[0].name != owner ||
        body->results[0].name != body->stms[0]->pattern[0]) {
        return false;
    }
    *values = read->as.index.array;
    return true;
}

/* map (\x owner -> if owner < 0 then x else vs[owner]) xs owners */
static bool takes_owned(const CoreStm *stm, const CoreName *owners, Assignment *assignment)
{
    const CoreExp *exp = stm->exp;
    const CoreSoac *map = &exp->as.soac;
    if (exp->kind != CORE_EXP_SOAC || exp->level != CORE_LEVEL_AUTO ||
        exp->space != CORE_SPACE_AUTO || map->reduction_count + map->scan_count > 0 ||
        map->input_count != 2 || map->inputs[1].name != owners || map->map->body->stm_count != 2) {
        return false;
    }
    const CoreName *old = map->map->parameters[0], *owner = map->map->parameters[1];
    const CoreBody *body = map->map->body;
    const CoreStm *test = body->stms[0], *choice = body->stms[1];
    if (test->exp->kind != CORE_EXP_BINARY || test->exp->as.scalar.op != CORE_LT ||
        test->exp->as.scalar.x.name != owner || !is_number(test->exp->as.scalar.y, 0) ||
        choice->exp->kind != CORE_EXP_IF ||
        choice->exp->as.conditional.condition.name != test->pattern[0] ||
        body->results[0].name != choice->pattern[0] ||
        choice->exp->as.conditional.then_body->results[0].name != old) {
        return false;
    }
    assignment->map = stm;
    assignment->old = map->inputs[0];
    return reads_owned(choice->exp->as.conditional.else_body, owner, &assignment->values);
}

/* All that uses the owners are such maps of this body. */
static bool only_taken(const CoreBody *body, const CoreName *owners)
{
    size_t taken = 0;
    for (size_t i = 0; i < body->stm_count; i++) {
        Assignment ignored;
        taken += takes_owned(body->stms[i], owners, &ignored);
    }
    return taken == core_count_uses(body, owners);
}

/* The statement takes owners that an earlier one of the body has found, of as many values. */
static bool is_assignment(const CoreBody *body, const CoreStm *stm, Assignment *assignment)
{
    if (stm->exp->kind != CORE_EXP_SOAC || stm->exp->as.soac.input_count != 2 ||
        !stm->exp->as.soac.inputs[1].name) {
        return false;
    }
    const CoreName *owners = stm->exp->as.soac.inputs[1].name;
    if (!takes_owned(stm, owners, assignment)) {
        return false;
    }
    assignment->hist = core_binder(body, owners);
    return assignment->hist && finds_owners(body, assignment->hist) &&
           core_atom_equal(core_atom_type(assignment->values).sizes[0],
                           assignment->hist->exp->as.scatter.width) &&
           only_taken(body, owners);
}

/* ---- one after the other --------------------------------------------------------------------- */

static void certify(CoreBuilder *b, const CoreStm *stm)
{
    for (size_t i = 0; i < stm->certificate_count; i++) {
        vec_push(b->c->arena, &b->certificates, stm->certificates[i]);
    }
}

static void assign_in_turn(InTurn *t, CoreBuilder *b, const Assignment *a)
{
    const CoreExp *hist = a->hist->exp;
    size_t mark = b->certificates.count;
    b->span = a->map->span;
    certify(b, a->hist);
    certify(b, a->map);
    CoreAtom copy = core_let_copy(b, a->map->pattern[0]->text, a->old);
    CoreExp *scatter = core_exp_copy(t->c, core_exp_scatter(t->c, hist->as.scatter.width, 1, &copy,
                                                            hist->as.scatter.indices, &a->values));
    scatter->level = CORE_SEQ;
    core_bind(b, 1, a->map->pattern, scatter);
    b->certificates.count = mark;
    t->counts[CORE_RULE_IN_TURN]++;
}

static const CoreBody *in_turn_body(void *context, const CoreBody *old)
{
    InTurn *t = context;
    CoreBuilder b = core_builder(t->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        Assignment assignment;
        if (is_assignment(old, stm, &assignment)) {
            assign_in_turn(t, &b, &assignment);
        } else {
            core_add(&b, core_map_stm(t->c, stm, in_turn_body, t));
        }
    }
    return core_with_stms(t->c, old, b.stms.count, b.stms.items);
}

const CoreProgram *core_assign_in_turn(Compilation *c, const CoreProgram *program, size_t *counts)
{
    size_t ignored[CORE_RULE_COUNT] = {0};
    InTurn t = {.c = c, .counts = counts ? counts : ignored};
    return core_map_functions(c, program, in_turn_body, &t);
}
