/* [PLDI 3] Copies that value semantics asked for and nothing needs.

       let (b : [n]f64) = copy a       -- neither is ever written in place   ==>  b is a
       let (b : [n]f64) = copy a       -- a is this body's own, and not used again:
       let (c : [n]f64) = b with [i] <- v                                    ==>  a with [i] <- v

       loop (p = a) ... do { c = copy p; d = c with [i] <- v in d }
   ==> b = copy a; loop (*p = b) ... do { c = copy p; ... in d }         and then, as above,
       b = copy a; loop (*p = b) ... do { d = p with [i] <- v in d }      O(1) an iteration

   The second needs all that may share elements with a: bound in this very body, no parameter that
   is borrowed, no use after the copy. A copy with a space of its own is the writer's strategy, and
   stays. A copy of a view stores it, and stays where it is written to. */
#include "core/simplify/simplify.h"

static bool is_stored(Simplify *s, CoreAtom atom)
{
    const CoreStm *stm = simplify_definition(s, atom, true);
    return !stm || !core_is_view(stm->exp->kind);
}

static bool is_dead_after(Simplify *s, const Fact *class, const CoreStm *original)
{
    return !class->borrowed && !class->many_homes && class->home == s->body &&
           class->last_use == s->position && s->body->stms[s->position - 1] == original;
}

bool simplify_copies(Simplify *s, Work *work, const CoreStm *original)
{
    const CoreExp *exp = work->exp;
    if (exp->kind != CORE_EXP_COPY || exp->space != CORE_SPACE_AUTO) {
        return false;
    }
    CoreAtom array = exp->as.array, copy = core_use(work->pattern[0]);
    Fact *class = simplify_class(simplify_fact(s, array.name));
    bool lazy = !simplify_consumed(s, array) && !simplify_consumed(s, copy);
    if (!lazy && !(is_stored(s, array) && is_dead_after(s, class, original))) {
        return false;
    }
    simplify_same_class(s, copy.name, array.name);
    simplify_set_atom(s, work, array);
    simplify_fired(s, CORE_RULE_COPY);
    return true;
}

/* ---- loop state that is copied and updated in each iteration --------------------------------- */

typedef struct Uses {
    const CoreName *state, *next; /* the parameter, and what it becomes */
    const CoreStm *stm;           /* at work */
    const CoreStm *copy;          /* of the parameter, in the loop's body itself */
    bool allowed; /* only elements of the parameter are read before the copy, nothing after */
} Uses;

static void note_use(void *context, CoreAtom atom)
{
    Uses *uses = context;
    const CoreExp *exp = uses->stm->exp;
    bool element = exp->kind == CORE_EXP_INDEX && exp->as.index.array.name == atom.name &&
                   !uses->copy && exp->as.index.count == (size_t)core_atom_type(atom).rank;
    bool copied = uses->stm == uses->copy;
    if (atom.name &&
        (atom.name == uses->next || (atom.name == uses->state && !element && !copied))) {
        uses->allowed = false;
    }
}

static void note_body(void *context, const CoreBody *body)
{
    Uses *uses = context;
    const CoreStm *outer = uses->stm;
    for (size_t i = 0; i < body->stm_count; i++) {
        uses->stm = body->stms[i];
        core_each_operand(uses->stm->exp, note_use, uses);
        core_each_body(uses->stm->exp, note_body, uses);
    }
    for (size_t i = 0; i < body->result_count; i++) {
        const CoreName *name = body->results[i].name;
        uses->allowed = uses->allowed && (!name || (name != uses->state && name != uses->next));
    }
    uses->stm = outer;
}

/* Parameter i may be this loop's own: its next value is an update of a copy of it. */
static bool may_own(const CoreExp *loop, size_t i)
{
    const CoreBody *body = loop->as.loop.body;
    Uses uses = {
        .state = loop->as.loop.parameters[i], .next = body->results[i].name, .allowed = true};
    bool updated = false;
    if (uses.state->type.rank == 0 || uses.state->type.unique || !uses.next) {
        return false;
    }
    for (size_t k = 0; k < body->stm_count && uses.allowed; k++) {
        uses.stm = body->stms[k];
        const CoreExp *exp = uses.stm->exp;
        if (!uses.copy && exp->kind == CORE_EXP_COPY && exp->space == CORE_SPACE_AUTO &&
            exp->as.array.name == uses.state) {
            uses.copy = uses.stm;
        }
        updated = updated || (exp->kind == CORE_EXP_UPDATE && uses.stm->pattern[0] == uses.next);
        core_each_operand(exp, note_use, &uses);
        core_each_body(exp, note_body, &uses);
    }
    for (size_t j = 0; j < body->result_count; j++) {
        const CoreName *name = body->results[j].name;
        uses.allowed =
            uses.allowed && (!name || (name != uses.state && (name != uses.next || j == i)));
    }
    return uses.allowed && updated && uses.copy;
}

/* [PLDI 3]  loop (p = a) ...  ==>  let b = copy a in loop (*p = b) ... */
void simplify_own_state(Simplify *s, Work *work)
{
    if (work->exp->kind != CORE_EXP_LOOP || work->certificate_count > 0) {
        return;
    }
    for (size_t i = 0; i < work->exp->as.loop.parameter_count; i++) {
        if (!may_own(work->exp, i)) {
            continue;
        }
        size_t count = work->exp->as.loop.parameter_count;
        CoreExp *exp = core_exp_copy(s->c, work->exp);
        CoreName *old = exp->as.loop.parameters[i],
                 *own = arena_copy(s->c->arena, old, sizeof *old);
        CoreName **parameters =
            arena_copy(s->c->arena, exp->as.loop.parameters, count * sizeof *parameters);
        CoreAtom *initial = arena_copy(s->c->arena, exp->as.loop.initial, count * sizeof *initial);
        CoreExp *copy = ARENA_NEW(s->c->arena, CoreExp);
        copy->kind = CORE_EXP_COPY;
        copy->as.array = initial[i];
        own->type.unique = true;
        CoreType type = core_atom_type(initial[i]);
        type.unique = false;
        initial[i] = simplify_let(s, work, "own", type, copy);
        simplify_class(simplify_fact(s, initial[i].name))->consumed = true;
        simplify_replace(s, old, core_use(own));
        parameters[i] = own;
        exp->as.loop.parameters = parameters;
        exp->as.loop.initial = initial;
        work->exp = exp;
        simplify_fired(s, CORE_RULE_OWN_STATE);
    }
}
