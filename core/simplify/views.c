/* [L0 5.3, 9.2] Indexing through views, and views of views.

       (iota n)[i]                          ==>  i
       (replicate [n] v)[i, j]              ==>  v[j]
       a[i][j]                              ==>  a[i, j]
       (rearrange (1, 0) a)[i, j]           ==>  a[j, i]
       (reverse 0 a)[i], a : [n]t           ==>  a[n - 1 - i]
       (a[o :+ n * s])[i]                   ==>  a[o + i * s]
       (reshape [n, m] a)[i, j], a : [k]t   ==>  a[i * m + j]
       [x, y, z][1]                         ==>  y
       (map f a)[i]                         ==>  f(a[i])     where f is a few scalar operations

       reverse d (reverse d a)              ==>  a
       rearrange p (rearrange q a)          ==>  rearrange (q . p) a;  rearrange (0, 1) a ==> a
       rotate d 0 a, reshape of equal sizes ==>  a
       reshape ns (reshape ms a)            ==>  reshape ns a
       slices of slices                     ==>  one slice;  a slice of everything ==> a

   What guarded the view then guards the element too. Indices stay as they were checked: in bounds
   of the view means in bounds of what it views. */
#include "core/simplify/simplify.h"

/* ---- indexing
 * ------------------------------------------------------------------------------------------ */

static CoreExp *index_exp(Simplify *s, CoreAtom array, size_t count, const CoreAtom *indices)
{
    CoreExp *exp = ARENA_NEW(s->c->arena, CoreExp);
    if (count == 0) {
        exp->kind = CORE_EXP_ATOM;
        exp->as.atom = array;
        return exp;
    }
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
static bool fits(Simplify *s, const Work *work, CoreAtom array, size_t used)
{
    CoreType type = core_atom_type(array);
    for (size_t i = 0; i < used; i++) {
        type = core_row(type);
    }
    return simplify_same_type(type,
                              simplify_map_type(s->c, work->pattern[0]->type, simplify_now, s));
}

/* a[i][j]  ==>  a[i, j] */
static const CoreExp *through_index(Simplify *s, const CoreExp *exp, const CoreExp *view)
{
    size_t outer = view->as.index.count, inner = exp->as.index.count;
    CoreAtom *indices = ARENA_ARRAY(s->c->arena, CoreAtom, outer + inner);
    for (size_t i = 0; i < outer + inner; i++) {
        indices[i] = i < outer ? view->as.index.indices[i] : exp->as.index.indices[i - outer];
    }
    return index_exp(s, view->as.index.array, outer + inner, indices);
}

static const CoreExp *through_replicate(Simplify *s, const CoreExp *exp, const CoreExp *view)
{
    size_t outer = view->as.replicate.count, given = exp->as.index.count;
    return given < outer ? NULL
                         : index_exp(s, view->as.replicate.value, given - outer,
                                     exp->as.index.indices + outer);
}

static const CoreExp *through_rearrange(Simplify *s, const CoreExp *exp, const CoreExp *view)
{
    size_t rank = (size_t)core_atom_type(view->as.rearrange.array).rank;
    if (exp->as.index.count != rank) {
        return NULL;
    }
    CoreAtom *indices = ARENA_ARRAY(s->c->arena, CoreAtom, rank);
    for (size_t i = 0; i < rank; i++) {
        indices[view->as.rearrange.permutation[i]] = exp->as.index.indices[i];
    }
    return index_exp(s, view->as.rearrange.array, rank, indices);
}

static const CoreExp *through_reverse(Simplify *s, const Work *work, const CoreExp *view)
{
    const CoreExp *exp = work->exp;
    size_t axis = (size_t)view->as.reverse.axis, count = exp->as.index.count;
    if (axis >= count) {
        return NULL;
    }
    CoreAtom *indices = copy_atoms(s, count, exp->as.index.indices);
    CoreAtom size = core_atom_type(view->as.reverse.array).sizes[axis];
    CoreAtom last = simplify_binary(s, work, "last", CORE_SUB, size, core_i64(1));
    indices[axis] = simplify_binary(s, work, "i", CORE_SUB, last, indices[axis]);
    return index_exp(s, view->as.reverse.array, count, indices);
}

static CoreAtom slice_position(Simplify *s, const Work *work, const CoreSlice *slice, CoreAtom i)
{
    CoreAtom step = simplify_binary(s, work, "step", CORE_MUL, i, slice->stride);
    return simplify_binary(s, work, "i", CORE_ADD, slice->offset, step);
}

static const CoreExp *through_slice(Simplify *s, const Work *work, const CoreExp *view)
{
    const CoreExp *exp = work->exp;
    size_t rank = view->as.slice.count, given = 0, used = 0;
    CoreAtom *indices = ARENA_ARRAY(s->c->arena, CoreAtom, rank);
    for (size_t i = 0; i < rank; i++) { /* all indices that are there, and fixed axes after them */
        const CoreSlice *slice = &view->as.slice.slices[i];
        if (!slice->fixed && given == exp->as.index.count) {
            break;
        }
        indices[used++] = slice->fixed
                              ? slice->offset
                              : slice_position(s, work, slice, exp->as.index.indices[given++]);
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
    return index_exp(s, view->as.slice.array, used, indices);
}

/* (reshape [n, m] a)[i, j], a a vector  ==>  a[i * m + j] */
static const CoreExp *through_reshape(Simplify *s, const Work *work, const CoreExp *view)
{
    const CoreExp *exp = work->exp;
    size_t count = view->as.reshape.count;
    if (core_atom_type(view->as.reshape.array).rank != 1 || exp->as.index.count != count) {
        return NULL;
    }
    CoreAtom position = exp->as.index.indices[0];
    for (size_t i = 1; i < count; i++) {
        position = simplify_binary(s, work, "row", CORE_MUL, position, view->as.reshape.sizes[i]);
        position = simplify_binary(s, work, "i", CORE_ADD, position, exp->as.index.indices[i]);
    }
    return index_exp(s, view->as.reshape.array, 1, copy_atoms(s, 1, &position));
}

static const CoreExp *through_literal(Simplify *s, const CoreExp *exp, const CoreExp *view)
{
    CoreAtom first = exp->as.index.indices[0];
    if (first.name || first.as.integer < 0 || (uint64_t)first.as.integer >= view->as.items.count ||
        simplify_consumed(s, view->as.items.items[first.as.integer])) {
        return NULL; /* an item that was written in place since is not the literal's any more */
    }
    return index_exp(s, view->as.items.items[first.as.integer], exp->as.index.count - 1,
                     exp->as.index.indices + 1);
}

/* ---- [L0 9.2] an element of a map's result
 * ------------------------------------------------------------ */

enum { CHEAP = 8 };

/* A few scalar operators, nothing guarded. */
static bool is_cheap(const CoreLambda *lambda)
{
    bool cheap = lambda->body->stm_count <= CHEAP;
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

/* let b = map f a in ... b[i]  ==>  f(a[i]); in the scope of the map, so that no loop repeats it */
static bool through_map(Simplify *s, Work *work, const CoreStm *stm)
{
    const CoreExp *exp = work->exp;
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t result = result_number(stm, exp->as.index.array);
    if (soac->reduction_count > 0 || soac->scan_count > 0 || exp->as.index.count != 1 ||
        stm->certificate_count > 0 || work->certificate_count > 0 || !is_cheap(soac->map) ||
        simplify_fact(s, exp->as.index.array.name)->depth != s->depth) {
        return false;
    }
    for (size_t i = 0; i < soac->input_count; i++) {
        if (simplify_consumed(s, soac->inputs[i])) {
            return false;
        }
    }
    Renaming *renaming = simplify_renaming(s->c);
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreName *parameter = soac->map->parameters[i];
        simplify_class(simplify_fact(s, soac->inputs[i].name))->many_homes = true; /* used anew */
        CoreAtom element = simplify_let(s, work, parameter->text, parameter->type,
                                        index_exp(s, soac->inputs[i], 1, exp->as.index.indices));
        simplify_rename(renaming, parameter, element);
    }
    for (size_t i = 0; i < soac->map->body->stm_count; i++) {
        const CoreStm *copy = simplify_rename_stm(renaming, soac->map->body->stms[i]);
        Work added = {
            .pattern_count = 1, .pattern = copy->pattern, .exp = copy->exp, .span = copy->span};
        simplify_emit(s, &added);
        simplify_rename(renaming, soac->map->body->stms[i]->pattern[0],
                        simplify_now(s, core_use(copy->pattern[0])));
    }
    simplify_set_atom(s, work, simplify_renamed(renaming, soac->map->body->results[result]));
    simplify_fired(s, CORE_RULE_INDEX_MAP);
    return true;
}

static bool simpler_index(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    const CoreStm *stm = simplify_definition(s, exp->as.index.array, true);
    const CoreExp *through = NULL;
    if (!stm) {
        return false;
    }
    switch ((int)stm->exp->kind) { /* what can be looked through */
    case CORE_EXP_INDEX: through = through_index(s, exp, stm->exp); break;
    case CORE_EXP_IOTA: through = index_exp(s, exp->as.index.indices[0], 0, NULL); break;
    case CORE_EXP_REPLICATE: through = through_replicate(s, exp, stm->exp); break;
    case CORE_EXP_REARRANGE: through = through_rearrange(s, exp, stm->exp); break;
    case CORE_EXP_REVERSE: through = through_reverse(s, work, stm->exp); break;
    case CORE_EXP_SLICE: through = through_slice(s, work, stm->exp); break;
    case CORE_EXP_RESHAPE: through = through_reshape(s, work, stm->exp); break;
    case CORE_EXP_LITERAL:
        through =
            simplify_consumed(s, exp->as.index.array) ? NULL : through_literal(s, exp, stm->exp);
        break;
    case CORE_EXP_SOAC: return through_map(s, work, stm);
    }
    if (!through || (through->kind == CORE_EXP_INDEX
                         ? !fits(s, work, through->as.index.array, through->as.index.count)
                         : !fits(s, work, through->as.atom, 0))) {
        return false;
    }
    simplify_add_certificates(s, work, stm);
    work->exp = through;
    simplify_fired(s, CORE_RULE_INDEX);
    return true;
}

/* ---- views of views
 * ----------------------------------------------------------------------------------- */

static const CoreExp *whole(Simplify *s, const Work *work, CoreAtom array)
{
    return fits(s, work, array, 0) ? index_exp(s, array, 0, NULL) : NULL;
}

static bool is_identity(int rank, const int *permutation)
{
    for (int i = 0; i < rank; i++) {
        if (permutation[i] != i) {
            return false;
        }
    }
    return true;
}

static const CoreExp *rearranged(Simplify *s, const Work *work, const CoreStm *inner)
{
    const CoreExp *exp = work->exp;
    CoreAtom array = exp->as.rearrange.array;
    int rank = core_atom_type(array).rank;
    if (is_identity(rank, exp->as.rearrange.permutation)) {
        return whole(s, work, array);
    }
    if (!inner || inner->exp->kind != CORE_EXP_REARRANGE) {
        return NULL;
    }
    CoreExp *composed = simplify_exp(s->c, exp);
    int *permutation = ARENA_ARRAY(s->c->arena, int, rank);
    for (int i = 0; i < rank; i++) {
        permutation[i] = inner->exp->as.rearrange.permutation[exp->as.rearrange.permutation[i]];
    }
    composed->as.rearrange.array = inner->exp->as.rearrange.array;
    composed->as.rearrange.permutation = permutation;
    return composed;
}

static const CoreExp *reversed(Simplify *s, const Work *work, const CoreStm *inner)
{
    if (inner && inner->exp->kind == CORE_EXP_REVERSE &&
        inner->exp->as.reverse.axis == work->exp->as.reverse.axis) {
        return whole(s, work, inner->exp->as.reverse.array);
    }
    return NULL;
}

static const CoreExp *rotated(Simplify *s, const Work *work)
{
    CoreAtom amount = work->exp->as.rotate.amount;
    return !amount.name && amount.as.integer == 0 ? whole(s, work, work->exp->as.rotate.array)
                                                  : NULL;
}

static const CoreExp *reshaped(Simplify *s, const Work *work, const CoreStm *inner)
{
    const CoreExp *exp = work->exp;
    const CoreExp *same = whole(s, work, exp->as.reshape.array);
    if (same || !inner || inner->exp->kind != CORE_EXP_RESHAPE) {
        return same;
    }
    CoreExp *direct = simplify_exp(s->c, exp);
    direct->as.reshape.array = inner->exp->as.reshape.array;
    return direct;
}

static bool is_whole_slice(const CoreExp *exp)
{
    CoreType type = core_atom_type(exp->as.slice.array);
    for (size_t i = 0; i < exp->as.slice.count; i++) {
        const CoreSlice *slice = &exp->as.slice.slices[i];
        if (slice->fixed || slice->offset.name || slice->offset.as.integer != 0 ||
            slice->stride.name || slice->stride.as.integer != 1 ||
            !core_atom_equal(slice->count, type.sizes[i])) {
            return false;
        }
    }
    return true;
}

/* (a[o :+ n * s])[p :+ m * t]  ==>  a[o + p*s :+ m * s*t] */
static const CoreExp *sliced(Simplify *s, const Work *work, const CoreStm *inner)
{
    const CoreExp *exp = work->exp;
    if (is_whole_slice(exp)) {
        return whole(s, work, exp->as.slice.array);
    }
    if (!inner || inner->exp->kind != CORE_EXP_SLICE) {
        return NULL;
    }
    size_t rank = inner->exp->as.slice.count, given = 0;
    CoreExp *composed = simplify_exp(s->c, exp);
    CoreSlice *slices = arena_copy(s->c->arena, inner->exp->as.slice.slices, rank * sizeof *slices);
    for (size_t i = 0; i < rank; i++) {
        if (slices[i].fixed) {
            continue;
        }
        const CoreSlice *outer = &exp->as.slice.slices[given++];
        CoreAtom stride = slices[i].stride;
        slices[i].offset = slice_position(s, work, &slices[i], outer->offset);
        slices[i].fixed = outer->fixed;
        if (!outer->fixed) {
            slices[i].stride = simplify_binary(s, work, "stride", CORE_MUL, stride, outer->stride);
            slices[i].count = outer->count;
        }
    }
    composed->as.slice.array = inner->exp->as.slice.array;
    composed->as.slice.count = rank;
    composed->as.slice.slices = slices;
    return composed;
}

static CoreAtom viewed(const CoreExp *exp)
{
    switch ((int)exp->kind) {
    case CORE_EXP_REARRANGE: return exp->as.rearrange.array;
    case CORE_EXP_REVERSE: return exp->as.reverse.array;
    case CORE_EXP_ROTATE: return exp->as.rotate.array;
    case CORE_EXP_RESHAPE: return exp->as.reshape.array;
    case CORE_EXP_SLICE: return exp->as.slice.array;
    }
    return core_i64(0);
}

static bool simpler_view(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp, *simpler = NULL;
    const CoreStm *inner = simplify_definition(s, viewed(exp), true);
    switch ((int)exp->kind) { /* the views that compose */
    case CORE_EXP_REARRANGE: simpler = rearranged(s, work, inner); break;
    case CORE_EXP_REVERSE: simpler = reversed(s, work, inner); break;
    case CORE_EXP_ROTATE: simpler = rotated(s, work); break;
    case CORE_EXP_RESHAPE: simpler = reshaped(s, work, inner); break;
    case CORE_EXP_SLICE: simpler = sliced(s, work, inner); break;
    }
    if (!simpler) {
        return false;
    }
    bool through =
        simpler->kind == CORE_EXP_ATOM ? !core_atom_equal(simpler->as.atom, viewed(exp)) : true;
    if (through && inner) {
        simplify_add_certificates(s, work, inner);
    }
    work->exp = simpler;
    simplify_fired(s, CORE_RULE_VIEW);
    return true;
}

bool simplify_views(Simplify *s, Work *work)
{
    return work->exp->kind == CORE_EXP_INDEX ? simpler_index(s, work) : simpler_view(s, work);
}
