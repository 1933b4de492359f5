/* [L0 5.3, 9.2] Indexing through views and maps (views of views: views.c).

       (iota n)[i]                             ==>  i
       (replicate [n] v)[i, j]                 ==>  v[j]
       a[i][j]                                 ==>  a[i, j]
       (rearrange (1, 0) a)[i, j]              ==>  a[j, i]
       (rearrange (1, 0) a)[i], a : [n][m]t    ==>  a[0 :+ n * 1, i]
       (reverse 0 a)[i], a : [n]t              ==>  a[n - 1 - i]
       (rotate 0 k a)[i], a : [n]t             ==>  a[(i + k % n) % n]
       (reverse 1 a)[i]                        ==>  reverse 0 (a[i]);  rotate likewise
       (cycle n v a)[i], a : [m]t, m > 0       ==>  a[i % m]
       (a[o :+ n * s])[i]                      ==>  a[o + i * s]
       (reshape [n, m] a)[i, j], a : [k]t      ==>  a[i * m + j];  other ranks: divided again
       (concat 0 (a, b))[i], a : [n]t          ==>  a[i] where i < n is proven,
                                                    b[i - n] where i >= n
       (pad 0 k l v a)[i], a : [n]t            ==>  a[i - k], or v, where that is proven
       [x, y, z][1]                            ==>  y
       (map f a)[i]                            ==>  f(a[i])     where f is a few scalar operations

   What guarded the view then guards the element too. Indices stay as they were checked: in bounds
   of the view means in bounds of what it views. */
#include "core/simplify/simplify.h"

/* ---- indexing -------------------------------------------------------------------------------- */

CoreExp *simplify_index_exp(Simplify *s, CoreAtom array, size_t count, const CoreAtom *indices)
{
    if (count == 0) {
        return core_atom_exp(s->c, array);
    }
    CoreExp *exp = ARENA_NEW(s->c->arena, CoreExp);
    exp->kind = CORE_EXP_INDEX;
    exp->as.index.array = array;
    exp->as.index.count = count;
    exp->as.index.indices = indices;
    return exp;
}

static CoreAtom *copy_atoms(Simplify *s, size_t count, const CoreAtom *atoms)
{
    CoreAtom *copy = ARENA_ARRAY(s->c->arena, CoreAtom, count);
    for (size_t i = 0; i < count; i++) {
        copy[i] = atoms[i];
    }
    return copy;
}

/* The result still is what the pattern says: an array without its certificates might not be. */
bool simplify_fits(Simplify *s, const Work *work, CoreAtom array, size_t used)
{
    CoreType type = core_atom_type(array);
    for (size_t i = 0; i < used; i++) {
        type = core_row(type);
    }
    return core_same_type(type, core_map_type(s->c, work->pattern[0]->type, simplify_now, s));
}

/* a[i][j]  ==>  a[i, j] */
static const CoreExp *through_index(Simplify *s, const CoreExp *exp, const CoreExp *view)
{
    size_t outer = view->as.index.count, inner = exp->as.index.count;
    CoreAtom *indices = ARENA_ARRAY(s->c->arena, CoreAtom, outer + inner);
    for (size_t i = 0; i < outer + inner; i++) {
        indices[i] = i < outer ? view->as.index.indices[i] : exp->as.index.indices[i - outer];
    }
    return simplify_index_exp(s, view->as.index.array, outer + inner, indices);
}

static const CoreExp *through_replicate(Simplify *s, const CoreExp *exp, const CoreExp *view)
{
    size_t outer = view->as.replicate.count, given = exp->as.index.count;
    return given < outer ? NULL
                         : simplify_index_exp(s, view->as.replicate.value, given - outer,
                                              exp->as.index.indices + outer);
}

/* A row of the view before its certificates are gone: guarded as index and view are. */
static CoreAtom guarded_row(Simplify *s, const Work *work, const CoreStm *view, CoreAtom array)
{
    size_t count = work->exp->as.index.count;
    CoreType type = core_atom_type(array);
    CoreName **pattern = ARENA_ARRAY(s->c->arena, CoreName *, 1);
    for (size_t i = 0; i < count; i++) {
        type = core_row(type);
    }
    type.unique = false;
    pattern[0] = core_name(s->c, "row", type, work->span);
    Work added = *work;
    simplify_add_certificates(s, &added, view);
    added.pattern_count = 1;
    added.pattern = pattern;
    added.exp = simplify_index_exp(s, array, count, work->exp->as.index.indices);
    simplify_emit(s, &added);
    return simplify_now(s, core_use(pattern[0]));
}

/* (rearrange (1, 0) a)[i]  ==>  a[0 :+ n * 1, i], where the axes that stay are in order */
static const CoreExp *column(Simplify *s, const Work *work, const CoreExp *view)
{
    const CoreExp *exp = work->exp;
    CoreType type = core_atom_type(view->as.rearrange.array);
    CoreSlice *slices = ARENA_ARRAY(s->c->arena, CoreSlice, type.rank);
    for (int i = 0; i < type.rank; i++) {
        int axis = view->as.rearrange.permutation[i];
        if ((size_t)i < exp->as.index.count) {
            slices[axis] = (CoreSlice){.fixed = true, .offset = exp->as.index.indices[i]};
            continue;
        }
        if ((size_t)i > exp->as.index.count && view->as.rearrange.permutation[i - 1] > axis) {
            return NULL;
        }
        slices[axis] =
            (CoreSlice){.offset = core_i64(0), .count = type.sizes[axis], .stride = core_i64(1)};
    }
    CoreExp *slice = ARENA_NEW(s->c->arena, CoreExp);
    slice->kind = CORE_EXP_SLICE;
    slice->as.slice.array = view->as.rearrange.array;
    slice->as.slice.count = (size_t)type.rank;
    slice->as.slice.slices = slices;
    return slice;
}

static const CoreExp *through_rearrange(Simplify *s, const Work *work, const CoreExp *view)
{
    const CoreExp *exp = work->exp;
    size_t rank = (size_t)core_atom_type(view->as.rearrange.array).rank;
    if (exp->as.index.count != rank) {
        return column(s, work, view);
    }
    CoreAtom *indices = ARENA_ARRAY(s->c->arena, CoreAtom, rank);
    for (size_t i = 0; i < rank; i++) {
        indices[view->as.rearrange.permutation[i]] = exp->as.index.indices[i];
    }
    return simplify_index_exp(s, view->as.rearrange.array, rank, indices);
}

/* The same view of a row, where its axis is one of the row's. */
static const CoreExp *view_of_row(Simplify *s, const Work *work, const CoreStm *stm, CoreAtom array,
                                  int axis)
{
    if (!simplify_fits(s, work, array, work->exp->as.index.count)) {
        return NULL;
    }
    CoreExp *view = core_exp_copy(s->c, stm->exp);
    CoreAtom row = guarded_row(s, work, stm, array);
    int left = axis - (int)work->exp->as.index.count;
    if (view->kind == CORE_EXP_REVERSE) {
        view->as.reverse.array = row;
        view->as.reverse.axis = left;
    } else {
        view->as.rotate.array = row;
        view->as.rotate.axis = left;
    }
    return view;
}

static const CoreExp *at(Simplify *s, const Work *work, CoreAtom array, size_t axis, CoreAtom index)
{
    size_t count = work->exp->as.index.count;
    CoreAtom *indices = copy_atoms(s, count, work->exp->as.index.indices);
    indices[axis] = index;
    return simplify_index_exp(s, array, count, indices);
}

static const CoreExp *through_reverse(Simplify *s, const Work *work, const CoreStm *stm)
{
    const CoreExp *view = stm->exp;
    CoreAtom array = view->as.reverse.array;
    size_t axis = (size_t)view->as.reverse.axis;
    if (axis >= work->exp->as.index.count) {
        return view_of_row(s, work, stm, array, view->as.reverse.axis);
    }
    CoreAtom size = core_atom_type(array).sizes[axis];
    CoreAtom last = simplify_binary(s, work, "last", CORE_SUB, size, core_i64(1));
    return at(s, work, array, axis,
              simplify_binary(s, work, "i", CORE_SUB, last, work->exp->as.index.indices[axis]));
}

/* How far a rotation goes forward, at least 0 and less than the size, which is at least 1 where there is an index: k mod n,
   since the index and k might wrap, and for one place either way 1 and n - 1 (if the size is 1, neither changes the
   remainder). */
static CoreAtom rotation(Simplify *s, const Work *work, CoreAtom amount, CoreAtom size)
{
    if (!amount.name && amount.as.integer == 1) {
        return amount;
    }
    return !amount.name && amount.as.integer == -1
               ? simplify_binary(s, work, "k", CORE_SUB, size, core_i64(1))
               : simplify_binary(s, work, "k", CORE_MOD, amount, size);
}

/* Element i is (i + k) mod n of what is rotated. */
static const CoreExp *through_rotate(Simplify *s, const Work *work, const CoreStm *stm)
{
    const CoreExp *view = stm->exp;
    CoreAtom array = view->as.rotate.array;
    size_t axis = (size_t)view->as.rotate.axis;
    if (axis >= work->exp->as.index.count) {
        return view_of_row(s, work, stm, array, view->as.rotate.axis);
    }
    CoreAtom size = core_atom_type(array).sizes[axis];
    CoreAtom amount = rotation(s, work, view->as.rotate.amount, size);
    CoreAtom sum =
        simplify_binary(s, work, "sum", CORE_ADD, work->exp->as.index.indices[axis], amount);
    return at(s, work, array, axis, simplify_binary(s, work, "i", CORE_MOD, sum, size));
}

/* Element i is i mod m of what is repeated, where this is not empty. */
static const CoreExp *through_cycle(Simplify *s, const Work *work, const CoreExp *view)
{
    CoreAtom size = core_atom_type(view->as.cycle.array).sizes[0];
    if (!simplify_is_positive(s, size)) {
        return NULL;
    }
    return at(s, work, view->as.cycle.array, 0,
              simplify_binary(s, work, "i", CORE_MOD, work->exp->as.index.indices[0], size));
}

/* The part that the index falls into, where this is proven. */
static const CoreExp *through_concat(Simplify *s, const Work *work, const CoreExp *view)
{
    enum { MOST = 5 };
    CoreAtom sizes[MOST];
    size_t axis = (size_t)view->as.concat.axis, part = 0, count = view->as.concat.count;
    if (axis >= work->exp->as.index.count || count > MOST) {
        return NULL;
    }
    CoreAtom index = work->exp->as.index.indices[axis];
    for (; part + 1 < count; part++) {
        sizes[part] = core_atom_type(view->as.concat.arrays[part]).sizes[axis];
        if (simplify_is_below_sum(s, index, part + 1, sizes)) {
            break;
        }
        if (!simplify_is_from_sum(s, index, part + 1, sizes)) {
            return NULL;
        }
    }
    for (size_t i = 0; i < part; i++) {
        index = simplify_binary(s, work, "i", CORE_SUB, index, sizes[i]);
    }
    return at(s, work, view->as.concat.arrays[part], axis, index);
}

static const CoreExp *through_pad(Simplify *s, const Work *work, const CoreExp *view)
{
    CoreAtom array = view->as.pad.array, before = view->as.pad.before;
    CoreType type = core_atom_type(array);
    size_t axis = (size_t)view->as.pad.axis;
    if (axis >= work->exp->as.index.count) {
        return NULL;
    }
    CoreAtom index = work->exp->as.index.indices[axis], ends[2] = {before, type.sizes[axis]};
    bool elements = work->exp->as.index.count == (size_t)type.rank;
    bool in_front = simplify_is_below_sum(s, index, 1, ends);
    if (in_front || simplify_is_from_sum(s, index, 2, ends)) {
        return elements ? simplify_index_exp(s, view->as.pad.fill, 0, NULL) : NULL;
    }
    return simplify_is_from_sum(s, index, 1, ends) && simplify_is_below_sum(s, index, 2, ends)
               ? at(s, work, array, axis, simplify_binary(s, work, "i", CORE_SUB, index, before))
               : NULL;
}

CoreAtom simplify_slice_position(Simplify *s, const Work *work, const CoreSlice *slice, CoreAtom i)
{
    CoreAtom step = simplify_binary(s, work, "step", CORE_MUL, i, slice->stride);
    return simplify_binary(s, work, "i", CORE_ADD, slice->offset, step);
}

static const CoreExp *through_slice(Simplify *s, const Work *work, const CoreExp *view)
{
    const CoreExp *exp = work->exp;
    size_t rank = view->as.slice.count, given = 0, used = 0;
    for (; used < rank; used++) { /* all indices that are there, and fixed axes after them */
        bool fixed = view->as.slice.slices[used].fixed;
        if (!fixed && given == exp->as.index.count) {
            break;
        }
        given += !fixed;
    }
    for (size_t i = used; i < rank; i++) { /* what is left must be whole axes */
        const CoreSlice *slice = &view->as.slice.slices[i];
        CoreAtom size = core_atom_type(view->as.slice.array).sizes[i];
        if (slice->fixed || slice->offset.name || slice->offset.as.integer != 0 ||
            slice->stride.name || slice->stride.as.integer != 1 ||
            !core_atom_equal(slice->count, size)) {
            return NULL;
        }
    }
    CoreAtom *indices = ARENA_ARRAY(s->c->arena, CoreAtom, used);
    given = 0;
    for (size_t i = 0; i < used; i++) {
        const CoreSlice *slice = &view->as.slice.slices[i];
        indices[i] = slice->fixed
                         ? slice->offset
                         : simplify_slice_position(s, work, slice, exp->as.index.indices[given++]);
    }
    return simplify_index_exp(s, view->as.slice.array, used, indices);
}

/* Axes at the end that both have: indices go through unchanged. Where both have one rank and differ
   in one axis, that axis is equal too: only its name is another. */
static size_t common_end(CoreType to, CoreType from)
{
    size_t common = 0, different = 0;
    for (int i = 0; i < to.rank && to.rank == from.rank; i++) {
        different += !core_atom_equal(to.sizes[i], from.sizes[i]);
    }
    if (to.rank == from.rank && different <= 1) {
        return (size_t)to.rank;
    }
    while ((int)common < to.rank && (int)common < from.rank &&
           core_atom_equal(to.sizes[(size_t)to.rank - 1 - common],
                           from.sizes[(size_t)from.rank - 1 - common])) {
        common++;
    }
    return common;
}

/* The axes before the common ones: their indices make one position, which is taken apart again. */
static const CoreExp *through_reshape(Simplify *s, const Work *work, const CoreStm *stm)
{
    const CoreExp *exp = work->exp, *view = stm->exp;
    CoreType to = {.rank = (int)view->as.reshape.count, .sizes = view->as.reshape.sizes};
    CoreType from = core_atom_type(view->as.reshape.array);
    size_t common = common_end(to, from), given = exp->as.index.count;
    size_t leading = (size_t)to.rank - common, wanted = (size_t)from.rank - common;
    if (given < leading || from.rank == 0 || (leading == 0) != (wanted == 0)) {
        return NULL;
    }
    CoreAtom *indices = ARENA_ARRAY(s->c->arena, CoreAtom, wanted + given - leading);
    CoreAtom position = core_i64(0);
    for (size_t i = 0; i < leading; i++) {
        position = simplify_binary(s, work, "row", CORE_MUL, position, to.sizes[i]);
        position = simplify_binary(s, work, "i", CORE_ADD, position, exp->as.index.indices[i]);
    }
    for (size_t i = wanted; i-- > 1;) {
        indices[i] = simplify_binary(s, work, "j", CORE_MOD, position, from.sizes[i]);
        position = simplify_binary(s, work, "i", CORE_DIV, position, from.sizes[i]);
    }
    if (wanted > 0) {
        indices[0] = position;
    }
    for (size_t i = leading; i < given; i++) {
        indices[wanted + i - leading] = exp->as.index.indices[i];
    }
    return simplify_index_exp(s, view->as.reshape.array, wanted + given - leading, indices);
}

static const CoreExp *through_literal(Simplify *s, const CoreExp *exp, const CoreExp *view)
{
    CoreAtom first = exp->as.index.indices[0];
    if (view->as.items.count == 1) { /* the one index in bounds */
        first = core_i64(0);
    }
    if (first.name || first.as.integer < 0 || (uint64_t)first.as.integer >= view->as.items.count ||
        simplify_consumed(s, view->as.items.items[first.as.integer])) {
        return NULL; /* an item that was written in place since is not the literal's any more */
    }
    return simplify_index_exp(s, view->as.items.items[first.as.integer], exp->as.index.count - 1,
                              exp->as.index.indices + 1);
}

/* ---- [L0 9.2] an element of a map's result --------------------------------------------------- */

enum { CHEAP = 8, CHEAP_AS_READING = 2 };

/* A few scalar operators, nothing guarded. */
static bool is_cheap(const CoreLambda *lambda, size_t most)
{
    bool cheap = lambda->body->stm_count <= most;
    for (size_t i = 0; cheap && i < lambda->body->stm_count; i++) {
        const CoreStm *stm = lambda->body->stms[i];
        cheap = stm->certificate_count == 0 &&
                (stm->exp->kind == CORE_EXP_UNARY || stm->exp->kind == CORE_EXP_BINARY ||
                 stm->exp->kind == CORE_EXP_CONVERT);
    }
    for (size_t i = 0; cheap && i < lambda->parameter_count; i++) {
        cheap = lambda->parameters[i]->type.rank == 0;
    }
    return cheap;
}

static size_t result_number(const CoreStm *stm, CoreAtom name)
{
    size_t i = 0;
    while (i < stm->pattern_count && stm->pattern[i] != name.name) {
        i++;
    }
    return i;
}

static bool is_dear(const CoreLambda *lambda)
{
    bool dear = false;
    for (size_t i = 0; i < lambda->body->stm_count; i++) {
        const CoreExp *exp = lambda->body->stms[i]->exp;
        dear = dear || ((exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY) &&
                        core_is_dear(exp->as.scalar.op));
    }
    return dear;
}

/* In the scope of the map nothing repeats it. In loops and functions inside, it must not cost more
   than reading the element: an operator or two, no logarithm, of at most one array's element, and of none where the map's
   result is in memory anyway. */
static bool is_worth_computing(Simplify *s, const CoreSoac *soac, CoreAtom array)
{
    size_t stored = 0, most = simplify_class(simplify_fact(s, array.name))->whole ? 0 : 1;
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreStm *input = simplify_definition(s, soac->inputs[i], false);
        stored +=
            !input || (input->exp->kind != CORE_EXP_IOTA && input->exp->kind != CORE_EXP_REPLICATE);
    }
    return simplify_fact(s, array.name)->depth == s->depth
               ? is_cheap(soac->map, CHEAP)
               : stored <= most && is_cheap(soac->map, CHEAP_AS_READING) && !is_dear(soac->map);
}

typedef struct Reading {
    Simplify *s;
    bool consumed;
} Reading;

static void find_consumed(void *context, CoreName *name)
{
    Reading *reading = context;
    reading->consumed = reading->consumed || simplify_consumed(reading->s, core_use(name));
}

/* Something that the map reads, or a row that it makes, is written in place: the row is a fresh
   array, what it is computed from again may be changed by then, or be the array that is changed. */
static bool is_written(Simplify *s, const CoreStm *map, CoreAtom array)
{
    Reading reading = {s, array.name->type.rank > 1 && simplify_consumed(s, array)};
    core_each_free(map, find_consumed, &reading);
    return reading.consumed;
}

/* let b = map f a in ... b[i]  ==>  f(a[i]) */
static bool through_map(Simplify *s, Work *work, const CoreStm *stm)
{
    const CoreExp *exp = work->exp;
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t result = result_number(stm, exp->as.index.array);
    if (soac->reduction_count > 0 || soac->scan_count > 0 || exp->as.index.count != 1 ||
        stm->certificate_count > 0 || work->certificate_count > 0 ||
        !is_worth_computing(s, soac, exp->as.index.array) ||
        is_written(s, stm, exp->as.index.array)) {
        return false;
    }
    Renaming *renaming = core_renaming(s->c);
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreName *parameter = soac->map->parameters[i];
        simplify_class(simplify_fact(s, soac->inputs[i].name))->many_homes = true; /* used anew */
        CoreAtom element =
            simplify_let(s, work, parameter->text, parameter->type,
                         simplify_index_exp(s, soac->inputs[i], 1, exp->as.index.indices));
        core_rename(renaming, parameter, element);
    }
    for (size_t i = 0; i < soac->map->body->stm_count; i++) {
        const CoreStm *copy = core_rename_stm(renaming, soac->map->body->stms[i]);
        Work added = {
            .pattern_count = 1, .pattern = copy->pattern, .exp = copy->exp, .span = copy->span};
        simplify_emit(s, &added);
        core_rename(renaming, soac->map->body->stms[i]->pattern[0],
                    simplify_now(s, core_use(copy->pattern[0])));
    }
    simplify_set_atom(s, work, core_renamed(renaming, soac->map->body->results[result]));
    simplify_fired(s, CORE_RULE_INDEX_MAP);
    return true;
}

bool simplify_index(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    const CoreStm *stm = simplify_definition(s, exp->as.index.array, true);
    const CoreExp *through = NULL;
    if (!stm) {
        return false;
    }
    switch ((int)stm->exp->kind) { /* what can be looked through */
    case CORE_EXP_INDEX: through = through_index(s, exp, stm->exp); break;
    case CORE_EXP_IOTA: through = simplify_index_exp(s, exp->as.index.indices[0], 0, NULL); break;
    case CORE_EXP_REPLICATE: through = through_replicate(s, exp, stm->exp); break;
    case CORE_EXP_ATOM: /* guarded */
        through =
            simplify_index_exp(s, stm->exp->as.atom, exp->as.index.count, exp->as.index.indices);
        break;
    case CORE_EXP_REARRANGE: through = through_rearrange(s, work, stm->exp); break;
    case CORE_EXP_REVERSE: through = through_reverse(s, work, stm); break;
    case CORE_EXP_ROTATE: through = through_rotate(s, work, stm); break;
    case CORE_EXP_CYCLE: through = through_cycle(s, work, stm->exp); break;
    case CORE_EXP_CONCAT: through = through_concat(s, work, stm->exp); break;
    case CORE_EXP_PAD: through = through_pad(s, work, stm->exp); break;
    case CORE_EXP_SLICE: through = through_slice(s, work, stm->exp); break;
    case CORE_EXP_RESHAPE: through = through_reshape(s, work, stm); break;
    case CORE_EXP_LITERAL:
        through =
            simplify_consumed(s, exp->as.index.array) ? NULL : through_literal(s, exp, stm->exp);
        break;
    case CORE_EXP_SOAC: return through_map(s, work, stm);
    }
    if (!through ||
        (through->kind == CORE_EXP_INDEX &&
         !simplify_fits(s, work, through->as.index.array, through->as.index.count)) ||
        (through->kind == CORE_EXP_ATOM && !simplify_fits(s, work, through->as.atom, 0))) {
        return false;
    }
    simplify_add_certificates(s, work, stm);
    work->exp = through;
    simplify_fired(s, CORE_RULE_INDEX);
    return true;
}
