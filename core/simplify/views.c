/* [L0 5.3] Views of views (indexing through views: index.c).

       reverse d (reverse d a)              ==>  a
       rearrange p (rearrange q a)          ==>  rearrange (q . p) a;  rearrange (0, 1) a ==> a
       rotate d 0 a, reshape of equal sizes ==>  a
       rotate d k a, of m elements          ==>  rotate d (rest of k / m) a; a where m < 2
       rotate d k (rotate d l a)            ==>  rotate d (k + l) a    where the sum does not wrap;
                                                 with other turns between them: turns.c
       reshape ns (reshape ms a)            ==>  reshape ns a
       pad d k l v (pad d m n v a)          ==>  pad d (k + m) (l + n) v a
       slices of slices                     ==>  one slice;  a slice of everything ==> a
       slices of one part of concat or pad  ==>  slices of that part
       rearrange p (reshape [n, 1] a)       ==>  reshape [1, n] a    where p moves axes of one element alone
       rearrange p (rearrange q a)[..], p . q the identity  ==>  a[..];  the same of pads, and of parts of a concat
       a[o :+ n * (1 - (m == 1))]           ==>  a[o :+ n * 1]      where n <= m
       cycle n v a, a : [m]t                ==>  a[0 :+ n * 1]      where 0 <= n <= m
       concat d (a), pad d 0 0 v a          ==>  a
       reverse d (<c> a)                    ==>  <c> reverse d a

   What guarded the inner view then guards the outer one too. */
#include "core/simplify/simplify.h"

/* ---- views of views -------------------------------------------------------------------------- */

static const CoreExp *whole(Simplify *s, const Work *work, CoreAtom array)
{
    return simplify_fits(s, work, array, 0) ? simplify_index_exp(s, array, 0, NULL) : NULL;
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

enum { MOST_BETWEEN = 4 };

/* Slices of whole axes and pads between the array and a rearrangement that p undoes: that; NULL. */
static const CoreExp *undone_by(Simplify *s, CoreAtom array, const int *p, int rank)
{
    for (int i = 0; i < MOST_BETWEEN; i++) {
        const CoreStm *stm = simplify_definition(s, array, false);
        bool good = stm != NULL;
        if (good && stm->exp->kind == CORE_EXP_REARRANGE) {
            for (int k = 0; k < rank && good; k++) {
                good = stm->exp->as.rearrange.permutation[p[k]] == k;
            }
            return good && i > 0 ? stm->exp : NULL;
        }
        if (good && stm->exp->kind == CORE_EXP_SLICE) {
            for (size_t k = 0; k < stm->exp->as.slice.count && good; k++) {
                good = !stm->exp->as.slice.slices[k].fixed;
            }
            array = stm->exp->as.slice.array;
        } else if (good && stm->exp->kind == CORE_EXP_PAD) {
            array = stm->exp->as.pad.array;
        } else {
            return NULL;
        }
        if (!good) {
            return NULL;
        }
    }
    return NULL;
}

/* The array as p has it, a view of what stands before the rearrangement that p undoes. */
static const CoreExp *between(Simplify *s, const Work *work, const CoreExp *undone, CoreAtom array,
                              const int *p)
{
    const CoreStm *stm = simplify_definition(s, array, false);
    if (stm->exp == undone) {
        return simplify_index_exp(s, undone->as.rearrange.array, 0, NULL);
    }
    CoreExp *exp = core_exp_copy(s->c, stm->exp);
    bool is_slice = exp->kind == CORE_EXP_SLICE;
    CoreAtom of = is_slice ? exp->as.slice.array : exp->as.pad.array;
    const CoreExp *before = between(s, work, undone, of, p);
    CoreType type = core_atom_type(of);
    CoreAtom *sizes = ARENA_ARRAY(s->c->arena, CoreAtom, type.rank);
    CoreSlice *slices = ARENA_ARRAY(s->c->arena, CoreSlice, type.rank);
    for (int k = 0; k < type.rank; k++) {
        sizes[k] = core_atom_type(of).sizes[p[k]];
        if (is_slice) {
            slices[k] = exp->as.slice.slices[p[k]];
        } else if (p[k] == stm->exp->as.pad.axis) {
            exp->as.pad.axis = k;
        }
    }
    type.sizes = sizes;
    CoreAtom turned = before->kind == CORE_EXP_ATOM ? before->as.atom
                                                    : simplify_let(s, work, "turned", type, before);
    if (is_slice) {
        exp->as.slice.slices = slices;
        exp->as.slice.array = turned;
    } else {
        exp->as.pad.array = turned;
    }
    return exp;
}

static bool is_undone(Simplify *s, CoreAtom array, const int *p, int rank)
{
    const CoreStm *stm = simplify_definition(s, array, false);
    bool undone = stm != NULL && stm->exp->kind == CORE_EXP_REARRANGE;
    for (int k = 0; k < rank && undone; k++) {
        undone = stm->exp->as.rearrange.permutation[p[k]] == k;
    }
    return undone;
}

/* rearrange p (concat d (rearrange q a, b))  ==>  concat e (a, rearrange p b)     p . q the identity, p[e] = d */
static const CoreExp *parts_rearranged(Simplify *s, const Work *work, const CoreExp *concat)
{
    const int *p = work->exp->as.rearrange.permutation;
    int rank = core_atom_type(work->exp->as.rearrange.array).rank;
    size_t count = concat->as.concat.count;
    bool undone = false;
    for (size_t i = 0; i < count && !undone; i++) {
        undone = is_undone(s, concat->as.concat.arrays[i], p, rank);
    }
    if (!undone) {
        return NULL;
    }
    CoreExp *exp = core_exp_copy(s->c, concat);
    CoreAtom *parts = ARENA_ARRAY(s->c->arena, CoreAtom, count);
    for (size_t i = 0; i < count; i++) {
        CoreExp *part = core_exp_copy(s->c, work->exp);
        CoreType type = core_atom_type(concat->as.concat.arrays[i]);
        CoreAtom *sizes = ARENA_ARRAY(s->c->arena, CoreAtom, rank);
        for (int k = 0; k < rank; k++) {
            sizes[k] = type.sizes[p[k]];
            exp->as.concat.axis = p[k] == concat->as.concat.axis ? k : exp->as.concat.axis;
        }
        type.sizes = sizes;
        part->as.rearrange.array = concat->as.concat.arrays[i];
        parts[i] = simplify_let(s, work, "turned", type, part);
    }
    exp->as.concat.arrays = parts;
    return exp;
}

/* rearrange (1, 0) (reshape [n, 1] a)  ==>  reshape [1, n] a     the other axes stay in their order */
static const CoreExp *single_axes_moved(Simplify *s, const Work *work, const CoreExp *reshape)
{
    const int *p = work->exp->as.rearrange.permutation;
    CoreType type = core_atom_type(work->exp->as.rearrange.array);
    CoreAtom *sizes = ARENA_ARRAY(s->c->arena, CoreAtom, type.rank);
    int last = -1;
    for (int k = 0; k < type.rank; k++) {
        sizes[k] = type.sizes[p[k]];
        if (core_atom_equal(sizes[k], core_i64(1))) {
            continue;
        }
        if (p[k] < last) {
            return NULL;
        }
        last = p[k];
    }
    CoreExp *exp = core_exp_copy(s->c, reshape);
    exp->as.reshape.sizes = sizes;
    return exp;
}

static const CoreExp *rearranged(Simplify *s, const Work *work, const CoreStm *inner)
{
    const CoreExp *exp = work->exp;
    CoreAtom array = exp->as.rearrange.array;
    int rank = core_atom_type(array).rank;
    if (is_identity(rank, exp->as.rearrange.permutation)) {
        return whole(s, work, array);
    }
    const CoreExp *undone = undone_by(s, array, exp->as.rearrange.permutation, rank);
    if (undone != NULL) {
        return between(s, work, undone, array, exp->as.rearrange.permutation);
    }
    if (inner && inner->exp->kind == CORE_EXP_CONCAT) {
        return parts_rearranged(s, work, inner->exp);
    }
    if (inner && inner->exp->kind == CORE_EXP_RESHAPE) {
        return single_axes_moved(s, work, inner->exp);
    }
    if (!inner || inner->exp->kind != CORE_EXP_REARRANGE) {
        return NULL;
    }
    CoreExp *composed = core_exp_copy(s->c, exp);
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

static bool is_zero(CoreAtom atom)
{
    return !atom.name && atom.as.integer == 0;
}

/* Amounts of two rotations add up where the sum surely does not wrap: it counts modulo the size. */
static const CoreExp *rotated(Simplify *s, const Work *work, const CoreStm *inner)
{
    const CoreExp *exp = work->exp;
    CoreAtom amount = exp->as.rotate.amount;
    CoreAtom size = core_atom_type(exp->as.rotate.array).sizes[exp->as.rotate.axis];
    if (is_zero(amount) || (!size.name && size.as.integer < 2)) {
        return whole(s, work, exp->as.rotate.array);
    }
    if (!size.name && !amount.name && amount.as.integer / size.as.integer != 0) {
        CoreExp *less = core_exp_copy(s->c, exp);
        less->as.rotate.amount = core_i64(amount.as.integer % size.as.integer);
        return less;
    }
    if (!inner || inner->exp->kind != CORE_EXP_ROTATE ||
        inner->exp->as.rotate.axis != exp->as.rotate.axis ||
        !simplify_is_exact(CORE_ADD, simplify_interval(s, amount, 0),
                           simplify_interval(s, inner->exp->as.rotate.amount, 0))) {
        return NULL;
    }
    CoreExp *once = core_exp_copy(s->c, exp);
    once->as.rotate.array = inner->exp->as.rotate.array;
    once->as.rotate.amount =
        simplify_binary(s, work, "k", CORE_ADD, amount, inner->exp->as.rotate.amount);
    return once;
}

static const CoreExp *concatenated(Simplify *s, const Work *work)
{
    const CoreExp *exp = work->exp;
    return exp->as.concat.count == 1 ? whole(s, work, exp->as.concat.arrays[0]) : NULL;
}

/* Both sides of an axis are often padded one after the other. */
static const CoreExp *padded(Simplify *s, const Work *work, const CoreStm *inner)
{
    const CoreExp *exp = work->exp;
    if (is_zero(exp->as.pad.before) && is_zero(exp->as.pad.after)) {
        return whole(s, work, exp->as.pad.array);
    }
    if (!inner || inner->exp->kind != CORE_EXP_PAD || inner->exp->as.pad.axis != exp->as.pad.axis ||
        !core_atom_equal(inner->exp->as.pad.fill, exp->as.pad.fill)) {
        return NULL;
    }
    CoreExp *once = core_exp_copy(s->c, exp);
    once->as.pad.array = inner->exp->as.pad.array;
    once->as.pad.before =
        simplify_binary(s, work, "before", CORE_ADD, exp->as.pad.before, inner->exp->as.pad.before);
    once->as.pad.after =
        simplify_binary(s, work, "after", CORE_ADD, exp->as.pad.after, inner->exp->as.pad.after);
    return once;
}

/* Axes that the two shapes, of one rank, have other names for; -1: they are of two ranks. */
static int renamed_axes(CoreType from, size_t count, const CoreAtom *sizes)
{
    int renamed = (size_t)from.rank == count ? 0 : -1;
    for (size_t i = 0; renamed >= 0 && i < count; i++) {
        renamed += !core_atom_equal(from.sizes[i], sizes[i]);
    }
    return renamed;
}

/* Two that each give one axis another name stay two: of one that gives several, it is not known that the extents are
   the same. */
static bool name_two_axes(const CoreExp *exp, const CoreExp *inner)
{
    CoreType between = core_atom_type(exp->as.reshape.array);
    CoreType from = core_atom_type(inner->as.reshape.array);
    const CoreAtom *sizes = exp->as.reshape.sizes;
    return renamed_axes(between, exp->as.reshape.count, sizes) == 1 &&
           renamed_axes(from, (size_t)between.rank, between.sizes) == 1 &&
           renamed_axes(from, exp->as.reshape.count, sizes) > 1;
}

static const CoreExp *reshaped(Simplify *s, const Work *work, const CoreStm *inner)
{
    const CoreExp *exp = work->exp;
    const CoreExp *same = whole(s, work, exp->as.reshape.array);
    if (same || !inner || inner->exp->kind != CORE_EXP_RESHAPE || name_two_axes(exp, inner->exp)) {
        return same;
    }
    CoreExp *direct = core_exp_copy(s->c, exp);
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

/* p == 1, where p is n or a product of extents, n among them, or no less than n: then n is at most 1. */
static bool means_one(Simplify *s, CoreAtom condition, CoreAtom n)
{
    bool is_least;
    const CoreStm *stm = simplify_definition(s, condition, false);
    if (!stm || stm->exp->kind != CORE_EXP_BINARY || stm->exp->as.scalar.op != CORE_EQ ||
        stm->exp->as.scalar.y.name || stm->exp->as.scalar.y.as.integer != 1) {
        return false;
    }
    CoreAtom product = stm->exp->as.scalar.x;
    if (simplify_decide(s, CORE_LE, n, product, &is_least) && is_least) {
        return true;
    }
    for (int depth = 0; depth < 8; depth++) {
        const CoreStm *factors = simplify_definition(s, product, false);
        if (core_atom_equal(product, n)) {
            return true;
        }
        if (!factors || factors->exp->kind != CORE_EXP_BINARY ||
            factors->exp->as.scalar.op != CORE_MUL) {
            return false;
        }
        if (core_atom_equal(factors->exp->as.scalar.y, n)) {
            return true;
        }
        product = factors->exp->as.scalar.x;
    }
    return false;
}

/* 1 - convert(p == 1), the stride of what may be extended: where it is not 1, there is at most one
   item, and the stride means nothing. */
static bool is_extension(Simplify *s, const CoreSlice *slice)
{
    const CoreStm *stm = simplify_definition(s, slice->stride, false);
    if (slice->fixed || !stm || stm->exp->kind != CORE_EXP_BINARY ||
        stm->exp->as.scalar.op != CORE_SUB || stm->exp->as.scalar.x.name ||
        stm->exp->as.scalar.x.as.integer != 1) {
        return false;
    }
    const CoreStm *one = simplify_definition(s, stm->exp->as.scalar.y, false);
    return one && one->exp->kind == CORE_EXP_CONVERT &&
           means_one(s, one->exp->as.convert.x, slice->count);
}

/* [o :+ n * (1 - (m == 1))]  ==>  [o :+ n * 1]    where n <= m */
static const CoreExp *with_plain_strides(Simplify *s, const CoreExp *exp)
{
    CoreExp *plain = NULL;
    CoreSlice *slices = NULL;
    for (size_t i = 0; i < exp->as.slice.count; i++) {
        if (!is_extension(s, &exp->as.slice.slices[i])) {
            continue;
        }
        if (!plain) {
            plain = core_exp_copy(s->c, exp);
            slices =
                arena_copy(s->c->arena, exp->as.slice.slices, exp->as.slice.count * sizeof *slices);
            plain->as.slice.slices = slices;
        }
        slices[i].stride = core_i64(1);
    }
    return plain;
}

/* The slice of an array that a view has from `start` on along that axis, where all of the slice is proven to be in it; NULL. */
static const CoreExp *in_part(Simplify *s, const Work *work, size_t axis, CoreAtom array,
                              CoreAtom start)
{
    const CoreExp *exp = work->exp;
    const CoreSlice *old = &exp->as.slice.slices[axis];
    bool is_start = core_atom_equal(old->offset, start);
    if (old->fixed || !core_atom_equal(old->stride, core_i64(1)) ||
        (!is_start &&
         (old->offset.name || start.name || old->offset.as.integer < start.as.integer))) {
        return NULL;
    }
    CoreAtom offset = core_i64(is_start ? 0 : old->offset.as.integer - start.as.integer);
    CoreAtom ends[] = {offset, old->count};
    if (!simplify_is_from_sum(s, core_atom_type(array).sizes[axis], 2, ends)) {
        return NULL;
    }
    CoreExp *part = core_exp_copy(s->c, exp);
    CoreSlice *slices =
        arena_copy(s->c->arena, exp->as.slice.slices, exp->as.slice.count * sizeof *slices);
    slices[axis].offset = offset;
    part->as.slice.array = array;
    part->as.slice.slices = slices;
    return part;
}

/* (concat d a b)[o :+ m]  ==>  b[o - n :+ m], a : [n]t    where n <= o, and m rows from there on are b's */
static const CoreExp *sliced_part(Simplify *s, const Work *work, const CoreExp *view)
{
    if (view->kind == CORE_EXP_PAD) {
        return in_part(s, work, (size_t)view->as.pad.axis, view->as.pad.array, view->as.pad.before);
    }
    size_t axis = (size_t)view->as.concat.axis;
    CoreAtom start = core_i64(0);
    for (size_t k = 0; k < view->as.concat.count; k++) {
        CoreAtom array = view->as.concat.arrays[k], size = core_atom_type(array).sizes[axis];
        const CoreExp *part = in_part(s, work, axis, array, start);
        if (part != NULL) {
            return part;
        }
        if (core_atom_equal(start, core_i64(0))) {
            start = size;
        } else if (start.name || size.name) {
            return NULL;
        } else {
            start = core_i64(start.as.integer + size.as.integer);
        }
    }
    return NULL;
}

/* (a[o :+ n * s])[p :+ m * t]  ==>  a[o + p*s :+ m * s*t] */
static const CoreExp *sliced(Simplify *s, const Work *work, const CoreStm *inner)
{
    const CoreExp *exp = work->exp;
    if (is_whole_slice(exp)) {
        return whole(s, work, exp->as.slice.array);
    }
    const CoreExp *plain = with_plain_strides(s, exp);
    if (plain) {
        simplify_fired(s, CORE_RULE_EXTENSION);
        return plain;
    }
    if (inner && (inner->exp->kind == CORE_EXP_CONCAT || inner->exp->kind == CORE_EXP_PAD)) {
        return sliced_part(s, work, inner->exp);
    }
    if (!inner || inner->exp->kind != CORE_EXP_SLICE) {
        return NULL;
    }
    size_t rank = inner->exp->as.slice.count, given = 0;
    CoreExp *composed = core_exp_copy(s->c, exp);
    CoreSlice *slices = arena_copy(s->c->arena, inner->exp->as.slice.slices, rank * sizeof *slices);
    for (size_t i = 0; i < rank; i++) {
        if (slices[i].fixed) {
            continue;
        }
        const CoreSlice *outer = &exp->as.slice.slices[given++];
        CoreAtom stride = slices[i].stride;
        slices[i].offset = simplify_slice_position(s, work, &slices[i], outer->offset);
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

/* cycle n v a, a : [m]t  ==>  a[0 :+ n * 1]    where 0 <= n <= m: nothing is repeated. */
static const CoreExp *cycled(Simplify *s, const CoreExp *exp)
{
    CoreAtom array = exp->as.cycle.array, size = core_atom_type(array).sizes[0];
    bool is_part;
    if (!simplify_is_not_negative(s, exp->as.cycle.count, 0) ||
        !simplify_decide(s, CORE_LE, exp->as.cycle.count, size, &is_part) || !is_part) {
        return NULL;
    }
    CoreSlice *part = ARENA_NEW(s->c->arena, CoreSlice);
    *part = (CoreSlice){.offset = core_i64(0), .count = exp->as.cycle.count, .stride = core_i64(1)};
    CoreExp *slice = ARENA_NEW(s->c->arena, CoreExp);
    slice->kind = CORE_EXP_SLICE;
    slice->as.slice.array = array;
    slice->as.slice.count = 1;
    slice->as.slice.slices = part;
    return slice;
}

/* replicate [1] a, a : [m]t  ==>  reshape [1, m] a    which writes may go through. */
static const CoreExp *replicated(Simplify *s, const CoreExp *exp)
{
    const CoreType type = core_atom_type(exp->as.replicate.value);
    size_t count = exp->as.replicate.count, rank = (size_t)type.rank;
    CoreAtom *sizes = ARENA_ARRAY(s->c->arena, CoreAtom, count + rank + 1);
    bool once = rank > 0 && exp->space == CORE_SPACE_AUTO;
    for (size_t k = 0; k < count; k++) {
        sizes[k] = exp->as.replicate.sizes[k];
        once = once && core_atom_equal(sizes[k], core_i64(1));
    }
    if (!once) {
        return NULL;
    }
    for (size_t k = 0; k < rank; k++) {
        sizes[count + k] = type.sizes[k];
    }
    CoreExp *reshape = ARENA_NEW(s->c->arena, CoreExp);
    reshape->kind = CORE_EXP_RESHAPE;
    reshape->as.reshape.array = exp->as.replicate.value;
    reshape->as.reshape.count = count + rank;
    reshape->as.reshape.sizes = sizes;
    return reshape;
}

static CoreAtom viewed(const CoreExp *exp)
{
    switch ((int)exp->kind) {
    case CORE_EXP_REARRANGE: return exp->as.rearrange.array;
    case CORE_EXP_REVERSE: return exp->as.reverse.array;
    case CORE_EXP_ROTATE: return exp->as.rotate.array;
    case CORE_EXP_REPLICATE: return exp->as.replicate.value;
    case CORE_EXP_RESHAPE: return exp->as.reshape.array;
    case CORE_EXP_CYCLE: return exp->as.cycle.array;
    case CORE_EXP_SLICE: return exp->as.slice.array;
    case CORE_EXP_PAD: return exp->as.pad.array;
    case CORE_EXP_CONCAT: return exp->as.concat.arrays[0];
    }
    return core_i64(0);
}

/* A view of a guarded copy is a guarded view of what is copied. */
static const CoreExp *of_copied(Simplify *s, const CoreExp *exp, CoreAtom copied)
{
    CoreExp *view = core_exp_copy(s->c, exp);
    switch ((int)exp->kind) { /* those of one array */
    case CORE_EXP_REARRANGE: view->as.rearrange.array = copied; return view;
    case CORE_EXP_REPLICATE: view->as.replicate.value = copied; return view;
    case CORE_EXP_REVERSE: view->as.reverse.array = copied; return view;
    case CORE_EXP_ROTATE: view->as.rotate.array = copied; return view;
    case CORE_EXP_RESHAPE: view->as.reshape.array = copied; return view;
    case CORE_EXP_CYCLE: view->as.cycle.array = copied; return view;
    case CORE_EXP_SLICE: view->as.slice.array = copied; return view;
    case CORE_EXP_PAD: view->as.pad.array = copied; return view;
    }
    return NULL;
}

static const CoreExp *composed_view(Simplify *s, const Work *work, const CoreStm *inner)
{
    const CoreExp *exp = work->exp;
    if (inner && inner->exp->kind == CORE_EXP_ATOM &&
        core_same_type(core_atom_type(viewed(exp)), core_atom_type(inner->exp->as.atom))) {
        return of_copied(s, exp, inner->exp->as.atom);
    }
    switch ((int)exp->kind) { /* the views that compose */
    case CORE_EXP_REARRANGE: return rearranged(s, work, inner);
    case CORE_EXP_REVERSE: return reversed(s, work, inner);
    case CORE_EXP_ROTATE: return rotated(s, work, inner);
    case CORE_EXP_CONCAT: return concatenated(s, work);
    case CORE_EXP_PAD: return padded(s, work, inner);
    case CORE_EXP_RESHAPE: return reshaped(s, work, inner);
    case CORE_EXP_CYCLE: return cycled(s, exp);
    case CORE_EXP_REPLICATE: return replicated(s, exp);
    case CORE_EXP_SLICE: return sliced(s, work, inner);
    }
    return NULL;
}

static bool simpler_view(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    const CoreStm *inner = simplify_definition(s, viewed(exp), true);
    const CoreExp *simpler = composed_view(s, work, inner);
    if (!simpler) {
        return simplify_turns(s, work);
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
    return work->exp->kind == CORE_EXP_INDEX ? simplify_index(s, work) : simpler_view(s, work);
}
