/* [L0 8] A view that turns round the rows of a scan moves past what goes over them:

       let s = scan n (+) 0 xs                          let s = scan n (+) 0 xs
       let r = reverse 0 s                              let b = reverse 0 ys
       let z = map n f (ys, r)                 ==>      let z' = map n f (b, s)
                                                        let z = reverse 0 z'

   and so does a rotation, by which other rows go the other way. Rows of a map, and of a reduction by commutative
   operators, may come in any order; those of a scan have theirs. In the scan's order the two are done in one kernel or
   loop (pairs.c, streams.c), and nothing is stored between them. The view is of other arrays then: of some that it was of
   already, where both go; of arrays that are computed where they are read; of arrays in memory, which are read from
   another place on. What the map makes is read through the view by other SOACs, or is printed or the result of the body,
   and written where it belongs (backend/lower/parts.c). */
#include "core/fuse/fuse.h"

/* ---- views that turn ------------------------------------------------------------------------ */

const CoreStm *fuse_reversal(Fuse *f, CoreAtom rows)
{
    const CoreStm *stm = fuse_definition(f, rows);
    bool is_one = stm != NULL && stm->exp->kind == CORE_EXP_REVERSE &&
                  stm->exp->as.reverse.axis == 0 && stm->certificate_count == 0;
    return is_one ? stm : NULL;
}

const CoreStm *fuse_turning(Fuse *f, CoreAtom rows)
{
    const CoreStm *stm = fuse_definition(f, rows);
    bool is_rotation = stm != NULL && stm->exp->kind == CORE_EXP_ROTATE &&
                       stm->exp->as.rotate.axis == 0 && stm->certificate_count == 0;
    return is_rotation ? stm : fuse_reversal(f, rows);
}

CoreAtom fuse_turned_array(const CoreStm *view)
{
    return view->exp->kind == CORE_EXP_ROTATE ? view->exp->as.rotate.array
                                              : view->exp->as.reverse.array;
}

/* ---- rows that have an order ----------------------------------------------------------------- */

typedef struct InOrder {
    Fuse *f;
    int looks;
    bool found;
} InOrder;

enum { MOST_LOOKS = 16 }; /* at views of views */

static void find_order(void *context, CoreAtom rows)
{
    InOrder *order = context;
    const CoreStm *maker = fuse_definition(order->f, rows);
    if (maker == NULL || order->found || core_atom_type(rows).rank == 0) {
        return;
    }
    order->found = --order->looks < 0;
    if (core_is_view(maker->exp->kind)) {
        core_each_operand(maker->exp, find_order, order);
    } else {
        bool is_there = maker->exp->kind == CORE_EXP_LITERAL || maker->exp->kind == CORE_EXP_READ;
        order->found = order->found || (!is_there && !fuse_is_map(maker));
    }
}

bool fuse_is_in_order(Fuse *f, CoreAtom rows)
{
    InOrder order = {f, MOST_LOOKS, false};
    find_order(&order, rows);
    return order.found;
}

/* ---- SOACs that go over them ------------------------------------------------------------------ */

typedef struct Turned {
    Fuse *f;
    const CoreBody *body;
} Turned;

static bool has_scan(const CoreStm *stm)
{
    return stm != NULL && stm->exp->kind == CORE_EXP_SOAC && stm->exp->as.soac.scan_count > 0;
}

bool fuse_goes_over_scan(Fuse *f, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    bool any = false;
    for (size_t i = 0; i < soac->input_count; i++) {
        any = any || has_scan(fuse_definition(f, soac->inputs[i]));
    }
    return any;
}

/* Rows that the view turns; NULL: they are no such. */
static const CoreStm *turned_by(const Turned *t, const CoreStm *view, CoreAtom rows)
{
    const CoreStm *other = fuse_turning(t->f, rows);
    bool alike = other != NULL && other->exp->kind == view->exp->kind &&
                 (view->exp->kind == CORE_EXP_REVERSE ||
                  core_atom_equal(view->exp->as.rotate.amount, other->exp->as.rotate.amount));
    return alike ? other : NULL;
}

/* Of a scan's rows, perhaps with one more row. */
static bool is_turned_scan(const Turned *t, const CoreStm *view)
{
    const CoreStm *maker = view != NULL ? fuse_definition(t->f, fuse_turned_array(view)) : NULL;
    bool is_more = maker != NULL && maker->exp->kind == CORE_EXP_CONCAT &&
                   fuse_is_of_scan(t->f, fuse_turned_array(view), 0);
    return (has_scan(maker) || is_more) && fuse_name(t->f, maker->pattern[0])->level == t->f->level;
}

/* The view that rows of a scan come through, where no others are bound to their order: of a scan, filter, loop or stream;
   NULL: there is none. */
static const CoreStm *turned_input(const Turned *t, const CoreSoac *soac)
{
    const CoreStm *view = NULL;
    for (size_t i = 0; i < soac->input_count && view == NULL; i++) {
        const CoreStm *stm = fuse_turning(t->f, soac->inputs[i]);
        view = is_turned_scan(t, stm) ? stm : NULL;
    }
    for (size_t i = 0; i < soac->input_count && view != NULL; i++) {
        bool is_bound =
            turned_by(t, view, soac->inputs[i]) == NULL && fuse_is_in_order(t->f, soac->inputs[i]);
        view = is_bound ? NULL : view;
    }
    return view;
}

/* The array as the view has it, or (back) of which the view has it. */
static CoreAtom seen(CoreBuilder *b, const char *text, CoreAtom array, const CoreStm *view,
                     bool back)
{
    if (view->exp->kind == CORE_EXP_REVERSE) {
        return core_let_reverse(b, text, array, 0);
    }
    CoreAtom amount = view->exp->as.rotate.amount;
    if (back) { /* the least number has no negative one */
        CoreAtom extent = core_atom_type(array).sizes[0];
        CoreAtom within = core_let_binary(b, "within", CORE_MOD, amount, extent);
        amount = core_let_binary(b, "amount", CORE_SUB, extent, within);
    }
    return core_let_rotate(b, text, array, 0, amount);
}

/* All uses are in SOACs and views of these, or it is printed, or the body gives it. */
static bool is_read_by_rows(const Turned *t, const CoreName *name)
{
    bool good = true;
    for (size_t i = 0; i < t->body->stm_count && good; i++) {
        const CoreStm *stm = t->body->stms[i];
        CoreExpKind kind = stm->exp->kind;
        good = !core_stm_uses(stm, name) || fuse_is_soac(stm) || kind == CORE_EXP_REVERSE ||
               kind == CORE_EXP_ROTATE || kind == CORE_EXP_INDEX || kind == CORE_EXP_PRINT ||
               kind == CORE_EXP_FORMAT;
    }
    return good;
}

/* The view that moves past the statement; NULL: none does. */
static const CoreStm *may_turn(Turned *t, const CoreStm *stm)
{
    if (!fuse_is_soac(stm) || core_may_fail(stm) || fuse_may_consume(stm->exp)) {
        return NULL;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    const CoreStm *view = soac->scan_count == 0 ? turned_input(t, soac) : NULL;
    bool may = view != NULL;
    for (size_t i = 0; i < soac->reduction_count; i++) {
        may = may && soac->reductions[i].commutative;
    }
    size_t folded = fuse_total_width(soac->reduction_count, soac->reductions);
    for (size_t k = folded; may && k < stm->pattern_count; k++) {
        may = is_read_by_rows(t, stm->pattern[k]);
    }
    return may ? view : NULL;
}

static void turn(const Turned *t, CoreBuilder *b, const CoreStm *old, const CoreStm *view)
{
    Compilation *c = t->f->c;
    const CoreSoac *soac = &old->exp->as.soac;
    size_t folded = fuse_total_width(soac->reduction_count, soac->reductions);
    CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, soac->input_count + 1);
    CoreName **names = ARENA_ARRAY(c->arena, CoreName *, old->pattern_count + 1);
    CoreStm *stm = arena_copy(c->arena, old, sizeof *stm);
    CoreExp *exp = core_exp_copy(c, old->exp);
    b->span = old->span;
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreStm *alike = turned_by(t, view, soac->inputs[i]);
        inputs[i] = alike ? fuse_turned_array(alike) : seen(b, "back", soac->inputs[i], view, true);
    }
    for (size_t k = 0; k < old->pattern_count; k++) {
        const CoreName *name = old->pattern[k];
        names[k] = k < folded ? old->pattern[k] : core_name(c, name->text, name->type, name->span);
    }
    exp->as.soac.inputs = inputs;
    stm->exp = exp;
    stm->pattern = names;
    core_add(b, stm);
    for (size_t k = folded; k < old->pattern_count; k++) {
        CoreName *name = old->pattern[k];
        CoreAtom turned = seen(b, name->text, core_use(names[k]), view, false);
        core_bind(b, 1, &name, core_atom_exp(c, turned));
    }
    fuse_fired(t->f, CORE_RULE_FUSE_TURNED);
}

/* concat 0 (x, reverse 0 s)  ==>  reverse 0 (concat 0 (s, x)), of one row x and a scan's rows s; false: it is no such */
static bool turn_parts(const Turned *t, CoreBuilder *b, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    CoreAtom row;
    if (exp->kind != CORE_EXP_CONCAT || exp->as.concat.axis != 0 || exp->as.concat.count != 2 ||
        stm->certificate_count > 0) {
        return false;
    }
    const CoreAtom *parts = exp->as.concat.arrays;
    bool first = fuse_one_row(t->f, parts[0], &row);
    const CoreStm *reversal = fuse_reversal(t->f, parts[first ? 1 : 0]);
    if (!is_turned_scan(t, reversal) || (!first && !fuse_one_row(t->f, parts[1], &row))) {
        return false;
    }
    CoreAtom rows = fuse_turned_array(reversal),
             turned[2] = {first ? rows : parts[1], first ? parts[0] : rows};
    CoreName *name = stm->pattern[0];
    b->span = stm->span;
    CoreAtom all = core_let_concat(b, name->text, 0, name->type.sizes[0], 2, turned);
    CoreAtom back = core_let_reverse(b, name->text, all, 0);
    core_bind(b, 1, &name, core_atom_exp(t->f->c, back));
    fuse_fired(t->f, CORE_RULE_FUSE_TURNED);
    return true;
}

static const CoreBody *turn_body(void *context, const CoreBody *old)
{
    Turned t = {.f = context, .body = old};
    CoreBuilder b = core_builder(t.f->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        bool deeper = stm->exp->kind == CORE_EXP_LOOP || fuse_is_map(stm);
        if (turn_parts(&t, &b, stm)) {
            continue;
        }
        const CoreStm *view = may_turn(&t, stm);
        if (view != NULL) {
            turn(&t, &b, stm, view);
            continue;
        }
        t.f->level += deeper;
        core_add(&b, deeper || stm->exp->kind == CORE_EXP_IF
                         ? core_map_stm(t.f->c, stm, turn_body, t.f)
                         : stm);
        t.f->level -= deeper;
    }
    return core_with_stms(t.f->c, old, b.stms.count, b.stms.items);
}

const CoreFunction *fuse_turned(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, turn_body(f, function->body));
}
