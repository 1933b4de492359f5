/* [L0 8] A view that turns round what reductions take in any order is left out:

       let y = rearrange (1, 0) x                       let v = reshape [w] x
       let v = reshape [w] y                            let z = map w f v
       let z = map w f v                        ==>     let s = reduce w op ne z
       let s = reduce w op ne z

   and so is a reverse or a rotation of rows, of which no element is lost and none comes twice. Where all that is taken comes
   through such a view, and that the same one: what comes in another order, or counts rows, is bound to its row. Then maps
   of rows, and of elements of columns (transposed.c), are of what the view is of, as it lies in memory: without the view,
   work-items that are beside each other read `+/,⍉m` far from each other, at places that are found by division. op
   commutes; nothing may fail, as the first row that does is told of.

   Before views are positions in functions (delay.c). After: the same values, sums of reals in another order. */
#include "core/fuse/fuse.h"

enum { MOST_LOOKS = 64 }; /* at maps whose rows are taken */

/* How rows come: through this view, and (is_flat) as all elements of it, one after the other. */
typedef struct Order {
    const CoreStm *view;
    CoreAtom array; /* that it is of */
    bool is_flat;
} Order;

typedef struct AnyOrder {
    Fuse *f;
    const CoreBody *body;
    PointerMap uses; /* of what is bound in the body, when somebody has asked */
    bool is_counted;
    CoreBuilder b; /* the statements before the one at work */
} AnyOrder;

static size_t uses_of(AnyOrder *a, CoreAtom array)
{
    if (!a->is_counted) {
        core_count_all_uses(a->f->arena, a->body, &a->uses);
        a->is_counted = true;
    }
    return core_uses_of(&a->uses, array.name);
}

/* ---- orders ------------------------------------------------------------------------------------ */

/* The array of whose rows the view is one in another order; or (is_flat) of whose elements, along any axes. No name: it is
   no such view. */
static CoreAtom turned_array(Fuse *f, CoreAtom view, bool is_flat)
{
    const CoreStm *stm = is_flat ? fuse_definition(f, view) : fuse_turning(f, view);
    if (stm && stm->certificate_count == 0) {
        switch ((int)stm->exp->kind) { /* others leave something out, or repeat it */
        case CORE_EXP_REARRANGE: return stm->exp->as.rearrange.array;
        case CORE_EXP_REVERSE:
        case CORE_EXP_ROTATE: return fuse_turned_array(stm);
        }
    }
    return core_i64(0);
}

/* The array of which this vector is all elements, one after the other; the vector itself where it is not. */
static CoreAtom raveled(Fuse *f, CoreAtom vector, bool *is_flat)
{
    const CoreStm *stm = fuse_definition(f, vector);
    *is_flat = stm && stm->exp->kind == CORE_EXP_RESHAPE && stm->exp->as.reshape.array.name &&
               vector.name->type.rank == 1;
    return *is_flat ? stm->exp->as.reshape.array : vector;
}

static Order order_through(Fuse *f, CoreAtom view, bool is_flat)
{
    CoreAtom array = turned_array(f, view, is_flat);
    return (Order){array.name ? fuse_definition(f, view) : NULL, array, is_flat};
}

static Order order_of(Fuse *f, CoreAtom vector)
{
    bool is_flat;
    CoreAtom whole = raveled(f, vector, &is_flat);
    return order_through(f, whole, is_flat);
}

static bool are_alike(const Order *x, const Order *y)
{
    if (!x->view || !y->view || x->is_flat != y->is_flat ||
        x->view->exp->kind != y->view->exp->kind) {
        return false;
    }
    const CoreExp *one = x->view->exp, *other = y->view->exp;
    const CoreType from = core_atom_type(x->array), to = core_atom_type(y->array);
    bool alike = !x->is_flat || from.rank == to.rank;
    for (int axis = 0; x->is_flat && alike && axis < from.rank; axis++) {
        alike = core_atom_equal(from.sizes[axis], to.sizes[axis]) &&
                (one->kind != CORE_EXP_REARRANGE ||
                 one->as.rearrange.permutation[axis] == other->as.rearrange.permutation[axis]);
    }
    switch ((int)one->kind) { /* of the three */
    case CORE_EXP_REVERSE: return alike && one->as.reverse.axis == other->as.reverse.axis;
    case CORE_EXP_ROTATE:
        return alike && one->as.rotate.axis == other->as.rotate.axis &&
               core_atom_equal(one->as.rotate.amount, other->as.rotate.amount);
    }
    return alike;
}

/* ---- what comes in an order ---------------------------------------------------------------------- */

/* The map that makes this array, for nothing but one reader, and may be done where that stands; NULL: it is not so. */
static const CoreStm *map_of(AnyOrder *a, CoreAtom array)
{
    const CoreStm *stm = fuse_definition(a->f, array);
    bool is = stm && fuse_is_map(stm) && stm->pattern_count == 1 && !core_may_fail(stm) &&
              !fuse_may_consume(stm->exp) && fuse_place(a->body, array.name) < a->body->stm_count &&
              uses_of(a, array) == 1 && !fuse_reads_consumed(a->f, stm);
    return is ? stm : NULL;
}

/* The map of elements of nothing but columns that makes the matrix whose elements the vector has; NULL. */
static const CoreStm *columns_map_of(AnyOrder *a, CoreAtom vector)
{
    bool is_flat;
    CoreAtom matrix = raveled(a->f, vector, &is_flat);
    const CoreStm *map = is_flat && uses_of(a, vector) == 1 ? map_of(a, matrix) : NULL;
    return map && fuse_is_map_of_columns(a->f, map) ? map : NULL;
}

/* What the vector comes through, or a vector that its rows are made of; no view: through nothing. */
static Order find_order(AnyOrder *a, CoreAtom vector, int *looks)
{
    Order order = order_of(a->f, vector);
    const CoreStm *map = order.view || --*looks < 0 ? NULL : map_of(a, vector);
    for (size_t k = 0; map && k < map->exp->as.soac.input_count && !order.view; k++) {
        order = find_order(a, map->exp->as.soac.inputs[k], looks);
    }
    map = order.view || map ? NULL : columns_map_of(a, vector);
    return map ? order_through(a->f, map->exp->as.soac.inputs[0], true) : order;
}

/* All that it is made of comes through the view. Where something else goes over it, too, the two are one pass as it is,
   unless columns are far from each other. */
static bool comes_in(AnyOrder *a, CoreAtom vector, const Order *order, int *looks)
{
    Order own = order_of(a->f, vector);
    if (are_alike(order, &own)) {
        return own.view->exp->kind == CORE_EXP_REARRANGE || uses_of(a, vector) == 1;
    }
    const CoreStm *map = own.view || --*looks < 0 ? NULL : map_of(a, vector);
    bool all = map != NULL;
    for (size_t k = 0; all && k < map->exp->as.soac.input_count; k++) {
        all = comes_in(a, map->exp->as.soac.inputs[k], order, looks);
    }
    if (all || map || own.view || !order->is_flat) {
        return all;
    }
    map = columns_map_of(a, vector);
    own = map ? order_through(a->f, map->exp->as.soac.inputs[0], true) : own;
    return are_alike(order, &own);
}

/* All elements of the array, where those of another one are the vector. */
static CoreAtom ravel(AnyOrder *a, CoreAtom vector, CoreAtom array)
{
    const CoreStm *old = fuse_definition(a->f, vector);
    for (size_t i = 0; i < old->certificate_count; i++) {
        vec_push(a->f->c->arena, &a->b.certificates, old->certificates[i]);
    }
    CoreAtom all = core_let_reshape(&a->b, vector.name->text, array, 1, vector.name->type.sizes);
    a->b.certificates.count = 0;
    return all;
}

/* Adds the statement with names of its own: until it is found dead, the one that it is made of stands beside it. */
static const CoreStm *add_anew(AnyOrder *a, const CoreStm *stm)
{
    const CoreStm *fresh = core_rename_stm(core_renaming(a->f->c), stm);
    core_add(&a->b, fresh);
    return fresh;
}

/* The vector as it is without the view. */
static CoreAtom as_it_lies(AnyOrder *a, CoreAtom vector, const Order *order)
{
    Compilation *c = a->f->c;
    Order own = order_of(a->f, vector);
    const CoreStm *map = own.view ? NULL : map_of(a, vector);
    CoreAtom array = own.array;
    if (map) {
        CoreStm *stm = arena_copy(c->arena, map, sizeof *stm);
        CoreExp *exp = core_exp_copy(c, map->exp);
        CoreSoac *soac = &exp->as.soac;
        CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, soac->input_count + 1);
        for (size_t k = 0; k < soac->input_count; k++) {
            inputs[k] = as_it_lies(a, soac->inputs[k], order);
        }
        soac->inputs = inputs;
        stm->exp = exp;
        return core_use(add_anew(a, stm)->pattern[0]);
    }
    if (!own.view) {
        map = core_rename_stm(core_renaming(c), columns_map_of(a, vector));
        array = fuse_map_columns(a->f, &a->b, map);
    }
    return order->is_flat ? ravel(a, vector, array) : array;
}

/* ---- what takes it ------------------------------------------------------------------------------- */

/* Reductions alone, whose operators commute. */
static bool takes_any_order(const CoreStm *stm)
{
    if (!fuse_is_soac(stm) || core_may_fail(stm) || fuse_may_consume(stm->exp)) {
        return false;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    bool takes = soac->scan_count == 0 && soac->input_count > 0 &&
                 stm->pattern_count == fuse_total_width(soac->reduction_count, soac->reductions);
    for (size_t r = 0; takes && r < soac->reduction_count; r++) {
        takes = core_commutes(&soac->reductions[r]);
    }
    return takes;
}

/* The statement with what it takes as it lies; NULL: it does not come through one view. */
static const CoreStm *without_view(AnyOrder *a, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    int looks = MOST_LOOKS;
    Order order = find_order(a, soac->inputs[0], &looks);
    bool all = order.view != NULL;
    for (size_t k = 0; all && k < soac->input_count; k++) {
        all = comes_in(a, soac->inputs[k], &order, &looks);
    }
    if (!all) {
        return NULL;
    }
    CoreAtom *inputs = ARENA_ARRAY(a->f->c->arena, CoreAtom, soac->input_count + 1);
    CoreStm *bare = arena_copy(a->f->c->arena, stm, sizeof *stm);
    CoreExp *exp = core_exp_copy(a->f->c, stm->exp);
    a->b.span = stm->span;
    for (size_t k = 0; k < soac->input_count; k++) {
        inputs[k] = as_it_lies(a, soac->inputs[k], &order);
    }
    exp->as.soac.inputs = inputs;
    bare->exp = exp;
    fuse_fired(a->f, CORE_RULE_FUSE_ANY_ORDER);
    return bare;
}

static const CoreBody *any_order_in_body(void *context, const CoreBody *old)
{
    AnyOrder a = {.f = context, .body = old};
    a.b = core_builder(a.f->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        const CoreStm *bare = takes_any_order(stm) ? without_view(&a, stm) : NULL;
        bool placed = stm->exp->level != CORE_LEVEL_AUTO || stm->exp->space != CORE_SPACE_AUTO;
        core_add(&a.b, bare ? bare
                       : core_has_bodies(stm->exp->kind) && !placed
                           ? core_map_stm(a.f->c, stm, any_order_in_body, a.f)
                           : stm);
    }
    return core_with_stms(a.f->c, old, a.b.stms.count, a.b.stms.items);
}

const CoreFunction *fuse_any_order(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, any_order_in_body(f, function->body));
}
