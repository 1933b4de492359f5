/* Builtins that make arrays or only move their elements: all become views, which cost nothing until
   someone reads through them (docs/core.md; [TAIL] fig. 5, completed).

       take(3,v)        ==>  slice v[0 :+ min(3,n) * 1], then pad by 3 - min(3,n)
       drop(1,v)        ==>  slice v[1 :+ max(0,n-1) * 1]
       cat(a,b)         ==>  concat d a b, along the last axis
       transp(m)        ==>  rearrange (1, 0) m
       reshape([2,3],v) ==>  reshape [2, 3] (cycle 6 fill v), or without cycle where counts agree

   Vectors of known items stay such: `shape`, `cat`, `take` of them are done here and now. */
#include "tail/to_core/to_core.h"

/* ---- helpers ------------------------------------------------------------------------------- */

CoreAtom to_core_product(ToCore *t, size_t count, const CoreAtom *sizes)
{
    CoreAtom result = core_i64(1);
    for (size_t i = 0; i < count; i++)
        result = to_core_binary(t, CORE_MUL, result, sizes[i]);
    return result;
}

static bool same_sizes(CoreType type, size_t count, const CoreAtom *sizes)
{
    if ((size_t)type.rank != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!core_atom_equal(type.sizes[i], sizes[i]))
            return false;
    }
    return true;
}

CoreAtom to_core_flatten(ToCore *t, CoreAtom array)
{
    CoreType type = core_atom_type(array);
    CoreAtom one = core_i64(1);
    if (type.rank == 0)
        return core_let_replicate(BUILDER(t), "items", 1, &one, array);
    if (type.rank == 1)
        return array;
    CoreAtom count = to_core_product(t, (size_t)type.rank, type.sizes);
    return core_let_reshape(BUILDER(t), "items", array, 1, &count);
}

CoreAtom to_core_coerce(ToCore *t, CoreAtom array, const CoreAtom *sizes)
{
    CoreType type = core_atom_type(array);
    CoreAtom *some = arena_copy(t->c->arena, type.sizes, sizeof *some * (size_t)type.rank);
    for (int axis = 0; axis < type.rank; axis++) {
        if (!core_atom_equal(some[axis], sizes[axis])) {
            some[axis] = sizes[axis];
            array = core_let_reshape(BUILDER(t), "same", array, (size_t)type.rank, some);
        }
    }
    return array;
}

/* [offset :+ count] along one axis, everything along the others. */
static CoreAtom slice_axis(ToCore *t, const char *text, CoreAtom array, int axis, CoreAtom offset,
                           CoreAtom count)
{
    CoreType type = core_atom_type(array);
    CoreSlice *slices = ARENA_ARRAY(t->c->arena, CoreSlice, type.rank);
    if (is_constant(offset, 0) && core_atom_equal(count, type.sizes[axis]))
        return array;
    for (int i = 0; i < type.rank; i++) {
        slices[i] = (CoreSlice){false, core_i64(0), type.sizes[i], core_i64(1)};
    }
    slices[axis].offset = offset;
    slices[axis].count = count;
    return core_let_slice(BUILDER(t), text, array, slices);
}

static bool constant_of(CoreAtom atom, int64_t *value)
{
    if (atom.name || core_is_real(atom.prim))
        return false;
    *value = atom.as.integer;
    return true;
}

/* A length that is known may not be above CORE_MOST_ELEMENTS. What only run time knows is checked later, for
   all arrays (core/simplify/limits.c). */
static CoreAtom bounded_constant(ToCore *t, CoreAtom length)
{
    int64_t value;
    bool fits = !constant_of(length, &value) || value <= CORE_MOST_ELEMENTS;
    return to_core_require(t, core_bool(fits), CORE_LIMIT_ERROR, "too many elements", 0, NULL);
}

/* ---- making -------------------------------------------------------------------------------- */

enum { MOST_KNOWN = 8 };

/* iota(n), n >= 0  ==>  (iota (n+1))[1 :+ n], a view */
static Value *translate_iota(ToCore *t, const Call *call)
{
    CoreAtom n = to_core_argument_index(t, call, 0), one = core_i64(1);
    CoreAtom check = to_core_require(t, to_core_binary(t, CORE_GE, n, core_i64(0)),
                                     CORE_DOMAIN_ERROR, "{}", 1, &n);
    int64_t length;
    if (constant_of(n, &length) && length >= 0 && length <= MOST_KNOWN) {
        CoreAtom items[MOST_KNOWN];
        for (int64_t i = 0; i < length; i++)
            items[i] = core_int(t->integer, i + 1);
        return to_core_value_components(t, t->integer, (size_t)length, items);
    }
    if (!check.name || n.name)
        to_core_assume_nonnegative(t, n);
    CoreAtom more = to_core_binary(t, CORE_ADD, n, one);
    size_t mark = to_core_guard(t, check);
    to_core_guard(t, bounded_constant(t, n));
    CoreAtom positions = core_let_iota(BUILDER(t), "positions", more);
    CoreAtom result = slice_axis(t, call->text, positions, 0, one, n), narrowed;
    to_core_unguard(t, mark);
    if (t->integer == CORE_I64)
        return to_core_value_atom(t, result);
    Scope *scope = to_core_enter_scope(t);
    CoreName *i = core_name(t->c, "i", core_scalar(CORE_I64), BUILDER(t)->span);
    CoreAtom narrow = to_core_convert(t, t->integer, core_use(i));
    to_core_leave_scope(t);
    const CoreLambda *lambda = core_lambda(t->c, 1, &i, to_core_scope_body(scope, 1, &narrow));
    core_let_map(BUILDER(t), call->text, n, 1, &result, lambda, &narrowed);
    return to_core_value_atom(t, narrowed);
}

static Value *translate_shape(ToCore *t, const Call *call)
{
    Value *array = to_core_argument(t, call, 0);
    size_t rank = (size_t)to_core_value_rank(array);
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, rank + 1);
    for (size_t i = 0; i < rank; i++) {
        sizes[i] = to_core_convert(t, t->integer, to_core_value_extent(t, array, (int)i));
    }
    return to_core_value_components(t, t->integer, rank, sizes);
}

/* The extents that a reshape asks for, checked. */
static CoreAtom wanted_sizes(ToCore *t, Value *shape, size_t rank, CoreAtom *sizes)
{
    CoreAtom *checks = ARENA_ARRAY(t->c->arena, CoreAtom, 2 * rank + 1);
    size_t check_count = 0;
    for (size_t i = 0; i < rank; i++) {
        CoreAtom size = shape->has_components ? shape->components[i]
                                              : to_core_element(t, "n", to_core_store(t, shape),
                                                                core_i64((int64_t)i));
        size = sizes[i] = to_core_convert(t, CORE_I64, size);
        CoreAtom fits = to_core_binary(t, CORE_GE, size, core_i64(0));
        CoreAtom check = to_core_require(t, fits, CORE_DOMAIN_ERROR, "{}", 1, &size);
        if (check.name)
            checks[check_count++] = check;
        to_core_assume_nonnegative(t, size);
        check = bounded_constant(t, size);
        if (check.name)
            checks[check_count++] = check;
    }
    if (check_count == 0)
        return (CoreAtom){.prim = CORE_CERT};
    return check_count == 1 ? checks[0] : core_let_conjoin(BUILDER(t), check_count, checks);
}

/* Whether the array itself is what a reshape wants, several times over. */
static bool same_last_sizes(CoreType type, size_t rank, const CoreAtom *sizes)
{
    return rank > (size_t)type.rank &&
           same_sizes(type, (size_t)type.rank, sizes + rank - (size_t)type.rank);
}

/* reshape(s,a): a's elements in row-major order, again and again, as many as s wants. */
static CoreAtom reshape_atom(ToCore *t, const char *text, CoreAtom array, size_t rank,
                             const CoreAtom *sizes)
{
    CoreType type = core_atom_type(array);
    CoreBuilder *b = BUILDER(t);
    if (type.rank == 0) {
        return rank == 0 ? array : core_let_replicate(b, text, rank, sizes, array);
    }
    if (rank == 0)
        return to_core_first_element(t, array);
    if (same_sizes(type, rank, sizes))
        return array;
    if (same_last_sizes(type, rank, sizes)) {
        return core_let_replicate(b, text, rank - (size_t)type.rank, sizes, array);
    }
    CoreAtom wanted = to_core_product(t, rank, sizes);
    CoreAtom given = to_core_product(t, (size_t)type.rank, type.sizes);
    if (is_constant(given, 1)) {
        return core_let_replicate(b, text, rank, sizes, to_core_first_element(t, array));
    }
    if (!core_atom_equal(wanted, given)) {
        array =
            core_let_cycle(b, text, to_core_flatten(t, array), wanted, to_core_fill_of(type.prim));
        if (rank == 1)
            return array;
    }
    return core_let_reshape(b, text, array, rank, sizes);
}

static Value *reshape_known(ToCore *t, const Value *array, CoreAtom size)
{
    int64_t length;
    CoreAtom items[MOST_KNOWN];
    if (!constant_of(size, &length) || length > MOST_KNOWN || length < 0)
        return NULL;
    for (size_t i = 0; i < (size_t)length; i++) {
        items[i] =
            array->count ? array->components[i % array->count] : to_core_fill_of(array->prim);
    }
    return to_core_value_components(t, array->prim, (size_t)length, items);
}

static Value *translate_reshape(ToCore *t, const Call *call)
{
    Value *shape = to_core_argument(t, call, 0), *array = to_core_argument(t, call, 1);
    size_t rank = (size_t)tail_rank(call->exp->type);
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, rank + 1);
    CoreAtom check = wanted_sizes(t, shape, rank, sizes);
    if (array->has_components && rank == 1 && !check.name) {
        Value *known = reshape_known(t, array, sizes[0]);
        if (known)
            return known;
    }
    to_core_product(t, rank, sizes); /* numbered here, so that it carries no certificate */
    to_core_value_count(t, array);
    size_t mark = to_core_guard(t, check);
    CoreAtom result = reshape_atom(t, call->text, to_core_store(t, array), rank, sizes);
    to_core_unguard(t, mark);
    return to_core_value_atom(t, result);
}

static Value *translate_rav(ToCore *t, const Call *call)
{
    Value *array = to_core_argument(t, call, 0);
    if (array->has_components)
        return array;
    CoreAtom atom = to_core_store(t, array);
    if (core_atom_type(atom).rank == 0)
        return to_core_value_components(t, array->prim, 1, &atom);
    return to_core_value_atom(t, to_core_flatten(t, atom));
}

/* ---- take and drop ------------------------------------------------------------------------- */

/* take and drop of a vector of known items by a known count: items from `first` on, `count` of
   them, fill where there is none. */
static Value *known_part(ToCore *t, const Value *array, int64_t first, int64_t count)
{
    CoreAtom *items = ARENA_ARRAY(t->c->arena, CoreAtom, count + 1);
    for (int64_t i = 0; i < count; i++) {
        bool inside = first + i >= 0 && first + i < (int64_t)array->count;
        items[i] = inside ? array->components[first + i] : to_core_fill_of(array->prim);
    }
    return to_core_value_components(t, array->prim, (size_t)count, items);
}

/* take(k,a):  c = min(|k|,n);  slice [k<0 ? n-c : 0 :+ c];  pad by |k|-c, before where k<0 */
static Value *translate_take(ToCore *t, const Call *call)
{
    CoreAtom k = to_core_argument_index(t, call, 0);
    Value *array = to_core_argument(t, call, 1);
    int64_t known;
    if (array->has_components && constant_of(k, &known) && known > -64 && known < 64) {
        int64_t count = known < 0 ? -known : known;
        return known_part(t, array, known < 0 ? (int64_t)array->count - count : 0, count);
    }
    CoreAtom atom = to_core_store(t, array), n = to_core_value_extent(t, array, 0),
             zero = core_i64(0);
    CoreAtom magnitude = to_core_magnitude_of(t, k);
    CoreAtom count = to_core_binary(t, CORE_MIN, magnitude, n);
    CoreAtom from_end = to_core_convert(t, CORE_I64, to_core_binary(t, CORE_LT, k, zero));
    CoreAtom offset = to_core_binary(t, CORE_MUL, from_end, to_core_binary(t, CORE_SUB, n, count));
    CoreAtom padding = to_core_binary(t, CORE_SUB, magnitude, count);
    CoreAtom before = to_core_binary(t, CORE_MUL, from_end, padding);
    CoreAtom after = to_core_binary(t, CORE_SUB, padding, before);
    CoreAtom part = slice_axis(t, call->text, atom, 0, offset, count);
    if (is_constant(padding, 0))
        return to_core_value_atom(t, part);
    CoreAtom fill = to_core_fill_of(core_atom_type(atom).prim);
    size_t mark = to_core_guard(t, bounded_constant(t, magnitude));
    CoreAtom padded = core_let_pad(BUILDER(t), call->text, part, 0, magnitude, before, after, fill);
    to_core_unguard(t, mark);
    return to_core_value_atom(t, padded);
}

/* drop(k,a):  slice [k<0 ? 0 : min(k,n) :+ max(0,n-|k|)] */
static Value *translate_drop(ToCore *t, const Call *call)
{
    CoreAtom k = to_core_argument_index(t, call, 0);
    Value *array = to_core_argument(t, call, 1);
    int64_t known;
    if (array->has_components && constant_of(k, &known)) {
        int64_t length = (int64_t)array->count;
        int64_t dropped = known > length || known < -length ? length : known < 0 ? -known : known;
        return known_part(t, array, known < 0 ? 0 : dropped, length - dropped);
    }
    CoreAtom atom = to_core_store(t, array), n = to_core_value_extent(t, array, 0),
             zero = core_i64(0);
    CoreAtom magnitude = to_core_magnitude_of(t, k);
    CoreAtom count = to_core_binary(t, CORE_MAX, to_core_binary(t, CORE_SUB, n, magnitude), zero);
    CoreAtom offset = magnitude;
    if (!constant_of(k, &known)) {
        CoreAtom keep = to_core_convert(t, CORE_I64, to_core_binary(t, CORE_GE, k, zero));
        offset = to_core_binary(t, CORE_MUL, keep, to_core_binary(t, CORE_MIN, magnitude, n));
    } else if (known < 0) {
        offset = zero;
    }
    return to_core_value_atom(t, slice_axis(t, call->text, atom, 0, offset, count));
}

/* ---- catenation ---------------------------------------------------------------------------- */

static Value *cat_known(ToCore *t, const Value *x, const Value *y)
{
    CoreAtom *items = ARENA_ARRAY(t->c->arena, CoreAtom, x->count + y->count + 1);
    for (size_t i = 0; i < x->count; i++)
        items[i] = x->components[i];
    for (size_t i = 0; i < y->count; i++)
        items[x->count + i] = y->components[i];
    return to_core_value_components(t, x->prim, x->count + y->count, items);
}

/* Asserts that all extents but the last agree, and names y's like x's. Gives the mark for unguard.
 */
static size_t agree_but_last(ToCore *t, CoreAtom x, CoreAtom *y)
{
    CoreType x_type = core_atom_type(x), y_type = core_atom_type(*y);
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, x_type.rank);
    size_t mark = BUILDER(t)->certificates.count;
    for (int i = 0; i < x_type.rank; i++) {
        sizes[i] = i + 1 < x_type.rank ? x_type.sizes[i] : y_type.sizes[i];
        CoreAtom pair[2] = {sizes[i], y_type.sizes[i]};
        CoreAtom equal = to_core_binary(t, CORE_EQ, pair[0], pair[1]);
        to_core_guard(t, to_core_require(t, equal, CORE_LENGTH_ERROR, "{} and {}", 2, pair));
    }
    *y = to_core_coerce(t, *y, sizes);
    return mark;
}

static CoreAtom cat_atoms(ToCore *t, const char *text, CoreAtom x, CoreAtom y)
{
    int axis = core_atom_type(x).rank - 1;
    CoreAtom sizes[2] = {core_atom_type(x).sizes[axis], core_atom_type(y).sizes[axis]};
    for (int i = 0; i < 2; i++)
        to_core_assume_nonnegative(t, sizes[i]);
    CoreAtom size = to_core_binary(t, CORE_ADD, sizes[0], sizes[1]);
    size_t mark = agree_but_last(t, x, &y);
    to_core_guard(t, bounded_constant(t, size));
    CoreAtom pair[2] = {x, y};
    CoreAtom result = x;
    if (is_constant(sizes[0], 0))
        result = y;
    else if (!is_constant(sizes[1], 0))
        result = core_let_concat(BUILDER(t), text, axis, size, 2, pair);
    to_core_unguard(t, mark);
    return result;
}

/* Items that are known one by one: no shape has more, and lists that are doubled again and again soon would. */
enum { MOST_COMPONENTS = 10000 };

static Value *cat_values(ToCore *t, const Call *call, Value *x, Value *y)
{
    if (x->has_components && y->has_components && x->count + y->count <= MOST_COMPONENTS)
        return cat_known(t, x, y);
    CoreAtom left = to_core_store(t, x), right = to_core_store(t, y);
    return to_core_value_atom(t, cat_atoms(t, call->text, left, right));
}

/* An item of rank r as a slice of an array of rank r+1: a last axis of extent 1. */
static Value *as_slice(ToCore *t, Value *item)
{
    CoreAtom atom = to_core_store(t, item);
    CoreType type = core_atom_type(atom);
    if (type.rank == 0)
        return to_core_value_components(t, type.prim, 1, &atom);
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, type.rank + 1);
    for (int i = 0; i < type.rank; i++)
        sizes[i] = type.sizes[i];
    sizes[type.rank] = core_i64(1);
    return to_core_value_atom(
        t, core_let_reshape(BUILDER(t), "slice", atom, (size_t)type.rank + 1, sizes));
}

/* ---- moving -------------------------------------------------------------------------------- */

static Value *reverse_value(ToCore *t, const Call *call, bool last)
{
    Value *array = to_core_argument(t, call, 0);
    if (to_core_value_rank(array) == 0)
        return array;
    if (array->has_components) {
        CoreAtom *items = ARENA_ARRAY(t->c->arena, CoreAtom, array->count + 1);
        for (size_t i = 0; i < array->count; i++)
            items[i] = array->components[array->count - 1 - i];
        return to_core_value_components(t, array->prim, array->count, items);
    }
    int axis = last ? to_core_value_rank(array) - 1 : 0;
    return to_core_value_atom(
        t, core_let_reverse(BUILDER(t), call->text, to_core_store(t, array), axis));
}

static Value *rotate_value(ToCore *t, const Call *call, bool last)
{
    CoreAtom amount = to_core_argument_index(t, call, 0);
    Value *array = to_core_argument(t, call, 1);
    int64_t known;
    if (to_core_value_rank(array) == 0 || is_constant(amount, 0))
        return array;
    if (array->has_components && array->count == 0)
        return array;
    if (array->has_components && constant_of(amount, &known)) {
        int64_t count = (int64_t)array->count, first = (known % count + count) % count;
        CoreAtom *items = ARENA_ARRAY(t->c->arena, CoreAtom, count);
        for (int64_t i = 0; i < count; i++)
            items[i] = array->components[(first + i) % count];
        return to_core_value_components(t, array->prim, array->count, items);
    }
    int axis = last ? to_core_value_rank(array) - 1 : 0;
    return to_core_value_atom(
        t, core_let_rotate(BUILDER(t), call->text, to_core_store(t, array), axis, amount));
}

static Value *translate_transp(ToCore *t, const Call *call)
{
    Value *array = to_core_argument(t, call, 0);
    int rank = to_core_value_rank(array);
    if (rank <= 1)
        return array;
    int *permutation = ARENA_ARRAY(t->c->arena, int, rank);
    for (int i = 0; i < rank; i++)
        permutation[i] = rank - 1 - i;
    return to_core_value_atom(
        t, core_let_rearrange(BUILDER(t), call->text, to_core_store(t, array), permutation));
}

/* Moves axes i < j to the end and replaces them by their diagonal, which becomes the last axis:
   with m the lesser extent, the last two axes are sliced to m by m, joined, and read in steps of
   m+1. */
static CoreAtom take_diagonal(ToCore *t, CoreAtom array, int i, int j)
{
    int rank = core_atom_type(array).rank, place = 0;
    int *permutation = ARENA_ARRAY(t->c->arena, int, rank);
    CoreSlice *slices = ARENA_ARRAY(t->c->arena, CoreSlice, rank);
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, rank);
    CoreAtom zero = core_i64(0), one = core_i64(1);
    for (int axis = 0; axis < rank; axis++) {
        if (axis != i && axis != j)
            permutation[place++] = axis;
    }
    permutation[rank - 2] = i;
    permutation[rank - 1] = j;
    array = core_let_rearrange(BUILDER(t), "moved", array, permutation);
    CoreType type = core_atom_type(array);
    CoreAtom m = to_core_binary(t, CORE_MIN, type.sizes[rank - 2], type.sizes[rank - 1]);
    array = slice_axis(t, "square", slice_axis(t, "square", array, rank - 2, zero, m), rank - 1,
                       zero, m);
    for (int axis = 0; axis < rank - 2; axis++)
        sizes[axis] = type.sizes[axis];
    sizes[rank - 2] = to_core_binary(t, CORE_MUL, m, m);
    array = core_let_reshape(BUILDER(t), "joined", array, (size_t)rank - 1, sizes);
    for (int axis = 0; axis < rank - 2; axis++)
        slices[axis] = (CoreSlice){false, zero, sizes[axis], one};
    slices[rank - 2] = (CoreSlice){false, zero, m, to_core_binary(t, CORE_ADD, m, one)};
    return core_let_slice(BUILDER(t), "diagonal", array, slices);
}

/* transp2(p,a): axis p[i] of the result is axis i of a; axes with the same p are a diagonal. */
static Value *translate_transp2(ToCore *t, const Call *call)
{
    Value *axes = to_core_argument(t, call, 0);
    CoreAtom array = to_core_argument_atom(t, call, 1);
    int rank = core_atom_type(array).rank;
    int *target = ARENA_ARRAY(t->c->arena, int, rank + 1);
    for (int i = 0; i < rank; i++)
        target[i] = (int)axes->components[i].as.integer - 1;
    for (int i = 0; i < rank; i++) {
        for (int j = i + 1; j < rank; j++) {
            if (target[j] != target[i])
                continue;
            int diagonal = target[i], place = 0;
            array = take_diagonal(t, array, i, j);
            for (int axis = 0; axis < rank; axis++) {
                if (axis != i && axis != j)
                    target[place++] = target[axis];
            }
            target[place] = diagonal;
            rank--;
            i = -1;
            break;
        }
    }
    bool moved = false;
    int *permutation = ARENA_ARRAY(t->c->arena, int, rank + 1);
    for (int i = 0; i < rank; i++) {
        permutation[target[i]] = i;
        moved |= target[i] != i;
    }
    if (!moved)
        return to_core_value_atom(t, array);
    return to_core_value_atom(t, core_let_rearrange(BUILDER(t), call->text, array, permutation));
}

static Value *translate_mem(ToCore *t, const Call *call)
{
    Value *value = to_core_argument(t, call, 0);
    if (value->is_tuple || to_core_value_rank(value) == 0)
        return value;
    return to_core_value_atom(
        t, core_let_copy_in(BUILDER(t), call->text, to_core_store(t, value), CORE_STORED));
}

static Value *translate_cons(ToCore *t, const Call *call)
{
    Value *item = as_slice(t, to_core_argument(t, call, 0));
    return cat_values(t, call, item, to_core_argument(t, call, 1));
}

static Value *translate_snoc(ToCore *t, const Call *call)
{
    Value *array = to_core_argument(t, call, 0);
    return cat_values(t, call, array, as_slice(t, to_core_argument(t, call, 1)));
}

static Value *translate_cat(ToCore *t, const Call *call)
{
    Value *x = to_core_argument(t, call, 0);
    return cat_values(t, call, x, to_core_argument(t, call, 1));
}

Value *to_core_translate_array(ToCore *t, const Call *call)
{
    switch ((int)call->builtin) {
    case TAIL_OP_ZILDE:
        return to_core_value_components(t, to_core_prim_of(t, call->exp->type->base.kind), 0, NULL);
    case TAIL_OP_IOTA:
    case TAIL_OP_IOTAV: return translate_iota(t, call);
    case TAIL_OP_SHAPE:
    case TAIL_OP_SHAPEV: return translate_shape(t, call);
    case TAIL_OP_RESHAPE: return translate_reshape(t, call);
    case TAIL_OP_RAV: return translate_rav(t, call);
    case TAIL_OP_TAKE:
    case TAIL_OP_TAKEV: return translate_take(t, call);
    case TAIL_OP_DROP:
    case TAIL_OP_DROPV: return translate_drop(t, call);
    case TAIL_OP_CAT:
    case TAIL_OP_CATV: return translate_cat(t, call);
    case TAIL_OP_CONS:
    case TAIL_OP_CONSV: return translate_cons(t, call);
    case TAIL_OP_SNOC:
    case TAIL_OP_SNOCV: return translate_snoc(t, call);
    case TAIL_OP_VREVERSE:
    case TAIL_OP_VREVERSEV: return reverse_value(t, call, false);
    case TAIL_OP_REVERSE:
    case TAIL_OP_REVERSEV: return reverse_value(t, call, true);
    case TAIL_OP_VROTATE:
    case TAIL_OP_VROTATEV: return rotate_value(t, call, false);
    case TAIL_OP_ROTATE:
    case TAIL_OP_ROTATEV: return rotate_value(t, call, true);
    case TAIL_OP_TRANSP: return translate_transp(t, call);
    case TAIL_OP_TRANSP2: return translate_transp2(t, call);
    case TAIL_OP_MEM:
    case TAIL_OP_MEMSCL: return translate_mem(t, call);
    default: return NULL; /* another file's */
    }
}
