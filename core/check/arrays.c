/* Types of array expressions: elements, making, and views. The result's sizes follow from the
   operands as in core/build_arrays.c, and are compared with the pattern's:

       let (t_9 : [m][n]f64) = rearrange (1, 0) xss_3        -- xss_3 : [n][m]f64
       let (c_9 : [k]f64) = concat 0 (xs_1, ys_2)            -- k: the writer's sum of the sizes */
#include "core/check/check.h"

static void check_indices(Check *k, size_t count, const CoreAtom *indices, const char *what)
{
    for (size_t i = 0; i < count; i++) {
        core_check_scalar(k, indices[i], CORE_I64, what);
    }
}

/* Sizes given in an expression. */
static bool check_sizes(Check *k, size_t count, const CoreAtom *sizes)
{
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        if (!core_check_scalar(k, sizes[i], CORE_I64, "a size")) {
            good = false;
        } else if (!sizes[i].name && sizes[i].as.integer < 0 && !k->lenient) {
            core_check_error(k, "a size must not be negative");
            good = false;
        }
    }
    return good;
}

static bool check_axis(Check *k, CoreType type, int axis)
{
    if (axis < 0 || axis >= type.rank) {
        core_check_error(k, "an array of rank %d has no axis %d", type.rank, axis);
        return false;
    }
    return true;
}

/* ---- elements -------------------------------------------------------------------------------- */

static void check_index(Check *k, const CoreExp *exp)
{
    CoreType type;
    size_t count = exp->as.index.count;
    check_indices(k, count, exp->as.index.indices, "an index");
    if (!core_check_array(k, exp->as.index.array, "what is indexed", &type)) {
        return;
    }
    if (count == 0 || count > (size_t)type.rank) {
        core_check_error(k, "%s is indexed with %s", core_check_type_text(k, type),
                         core_counted(k->c, count, "position"));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        type = core_row(type);
    }
    core_check_one_result(k, type);
}

/* What is left of a type after slicing. */
static bool check_slices(Check *k, CoreType type, size_t count, const CoreSlice *slices,
                         CoreType *left)
{
    if (count != (size_t)type.rank) {
        core_check_error(k, "%s is sliced with %s", core_check_type_text(k, type),
                         core_counted(k->c, count, "part"));
        return false;
    }
    CoreAtom *sizes = ARENA_ARRAY(k->c->arena, CoreAtom, count);
    bool good = true;
    int rank = 0;
    for (size_t i = 0; i < count; i++) {
        core_check_scalar(k, slices[i].offset, CORE_I64, "the offset of a slice");
        if (!slices[i].fixed) {
            good = check_sizes(k, 1, &slices[i].count) && good;
            core_check_scalar(k, slices[i].stride, CORE_I64, "the stride of a slice");
            sizes[rank++] = slices[i].count;
        }
    }
    *left = (CoreType){.prim = type.prim, .rank = rank, .sizes = sizes};
    return good;
}

static void check_update(Check *k, const CoreExp *exp)
{
    CoreType type, part;
    core_check_use(k, exp->as.update.value);
    if (!core_check_array(k, exp->as.update.array, "what is updated", &type) ||
        !check_slices(k, type, exp->as.update.count, exp->as.update.slices, &part)) {
        return;
    }
    core_check_same(k, part, core_atom_type(exp->as.update.value), "the value written");
    core_check_one_result(k, type);
}

static void check_slice(Check *k, const CoreExp *exp)
{
    CoreType type, part;
    if (core_check_array(k, exp->as.slice.array, "what is sliced", &type) &&
        check_slices(k, type, exp->as.slice.count, exp->as.slice.slices, &part)) {
        if (part.rank == 0) {
            core_check_error(k, "a slice with every axis fixed is an index");
        }
        core_check_one_result(k, part);
    }
}

/* ---- making ---------------------------------------------------------------------------------- */

/* [sizes...]row, without the constructor's demands. */
static CoreType shaped(Check *k, size_t count, const CoreAtom *sizes, CoreType row)
{
    CoreAtom *all = ARENA_ARRAY(k->c->arena, CoreAtom, count + (size_t)row.rank);
    for (size_t i = 0; i < count; i++) {
        all[i] = sizes[i];
    }
    for (int i = 0; i < row.rank; i++) {
        all[count + (size_t)i] = row.sizes[i];
    }
    return (CoreType){.prim = row.prim, .rank = (int)count + row.rank, .sizes = all};
}

static void check_literal(Check *k, const CoreExp *exp)
{
    size_t count = exp->as.items.count;
    if (count == 0) {
        core_check_error(k, "an array literal needs an item");
        return;
    }
    CoreType first = core_atom_type(exp->as.items.items[0]);
    for (size_t i = 0; i < count; i++) {
        core_check_use(k, exp->as.items.items[i]);
        core_check_same(k, first, core_atom_type(exp->as.items.items[i]), "an item of a literal");
    }
    CoreAtom size = core_i64((int64_t)count);
    core_check_one_result(k, shaped(k, 1, &size, first));
}

static void check_replicate(Check *k, const CoreExp *exp)
{
    core_check_use(k, exp->as.replicate.value);
    if (!check_sizes(k, exp->as.replicate.count, exp->as.replicate.sizes)) {
        return;
    }
    core_check_one_result(k, shaped(k, exp->as.replicate.count, exp->as.replicate.sizes,
                                    core_atom_type(exp->as.replicate.value)));
}

static void check_scratch(Check *k, const CoreExp *exp)
{
    if (!check_sizes(k, exp->as.scratch.count, exp->as.scratch.sizes)) {
        return;
    }
    core_check_one_result(k, shaped(k, exp->as.scratch.count, exp->as.scratch.sizes,
                                    core_scalar(exp->as.scratch.prim)));
}

/* ---- views ----------------------------------------------------------------------------------- */

static void check_rearrange(Check *k, const CoreExp *exp)
{
    CoreType type;
    if (!core_check_array(k, exp->as.rearrange.array, "what is rearranged", &type)) {
        return;
    }
    CoreAtom *sizes = ARENA_ARRAY(k->c->arena, CoreAtom, type.rank);
    bool *seen = ARENA_ARRAY(k->c->arena, bool, type.rank);
    for (int i = 0; i < type.rank; i++) {
        int axis = exp->as.rearrange.permutation[i];
        if (!check_axis(k, type, axis)) {
            return;
        }
        if (seen[axis]) {
            core_check_error(k, "rearrange names axis %d twice", axis);
            return;
        }
        seen[axis] = true;
        sizes[i] = type.sizes[axis];
    }
    type.sizes = sizes;
    core_check_one_result(k, type);
}

/* The number of elements where every size is a constant; false otherwise or when it overflows. */
static bool constant_elements(size_t count, const CoreAtom *sizes, int64_t *elements)
{
    *elements = 1;
    for (size_t i = 0; i < count; i++) {
        if (sizes[i].name || __builtin_mul_overflow(*elements, sizes[i].as.integer, elements)) {
            return false;
        }
    }
    return true;
}

static void check_reshape(Check *k, const CoreExp *exp)
{
    CoreType type;
    size_t count = exp->as.reshape.count;
    bool good = check_sizes(k, count, exp->as.reshape.sizes);
    if (!core_check_array(k, exp->as.reshape.array, "what is reshaped", &type) || !good) {
        return;
    }
    if (count == 0) {
        core_check_error(k, "reshape needs a size: it gives no scalars");
    }
    int64_t before, after;
    if (!k->lenient && constant_elements((size_t)type.rank, type.sizes, &before) &&
        constant_elements(count, exp->as.reshape.sizes, &after) && before != after) {
        core_check_error(k, "reshape of %lld elements to %lld", (long long)before,
                         (long long)after);
    }
    core_check_one_result(k, shaped(k, count, exp->as.reshape.sizes, core_scalar(type.prim)));
}

static void check_cycle(Check *k, const CoreExp *exp)
{
    CoreType type;
    bool good = check_sizes(k, 1, &exp->as.cycle.count);
    if (!core_check_array(k, exp->as.cycle.array, "what is cycled", &type) || !good) {
        return;
    }
    if (type.rank != 1) {
        core_check_error(k, "cycle takes a vector, not %s", core_check_type_text(k, type));
    }
    core_check_scalar(k, exp->as.cycle.fill, type.prim, "the fill of cycle");
    core_check_one_result(k, shaped(k, 1, &exp->as.cycle.count, core_scalar(type.prim)));
}

/* The pattern's own size along an axis whose extent is the writer's sum; constants are added up. */
static void check_resized(Check *k, CoreType type, int axis, size_t part_count,
                          const CoreAtom *parts)
{
    int64_t sum = 0;
    bool constant = true;
    for (size_t i = 0; i < part_count && constant; i++) {
        constant = !parts[i].name && !__builtin_add_overflow(sum, parts[i].as.integer, &sum);
    }
    CoreAtom *sizes = arena_copy(k->c->arena, type.sizes, (size_t)type.rank * sizeof *sizes);
    if (k->stm->pattern_count == 1 && k->stm->pattern[0]->type.rank == type.rank) {
        sizes[axis] = k->stm->pattern[0]->type.sizes[axis];
        if (constant && !sizes[axis].name && sizes[axis].as.integer != sum && !k->lenient) {
            sizes[axis] = core_i64(sum);
        }
    }
    type.sizes = sizes;
    core_check_one_result(k, type);
}

static void check_concat(Check *k, const CoreExp *exp)
{
    size_t count = exp->as.concat.count;
    int axis = exp->as.concat.axis;
    if (count == 0) {
        core_check_error(k, "concat of nothing");
        return;
    }
    CoreType first, type;
    CoreAtom *parts = ARENA_ARRAY(k->c->arena, CoreAtom, count);
    if (!core_check_array(k, exp->as.concat.arrays[0], "an operand of concat", &first) ||
        !check_axis(k, first, axis)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (!core_check_array(k, exp->as.concat.arrays[i], "an operand of concat", &type) ||
            type.rank != first.rank) {
            core_check_same(k, first, type, "an operand of concat");
            return;
        }
        parts[i] = type.sizes[axis];
        CoreAtom *sizes = arena_copy(k->c->arena, type.sizes, (size_t)type.rank * sizeof *sizes);
        sizes[axis] = first.sizes[axis];
        type.sizes = sizes;
        core_check_same(k, first, type, "an operand of concat");
    }
    check_resized(k, first, axis, count, parts);
}

static void check_pad(Check *k, const CoreExp *exp)
{
    CoreType type;
    bool good = check_sizes(k, 1, &exp->as.pad.before);
    good = check_sizes(k, 1, &exp->as.pad.after) && good;
    if (!core_check_array(k, exp->as.pad.array, "what is padded", &type) ||
        !check_axis(k, type, exp->as.pad.axis) || !good) {
        return;
    }
    core_check_scalar(k, exp->as.pad.fill, type.prim, "the fill of pad");
    CoreAtom parts[3] = {type.sizes[exp->as.pad.axis], exp->as.pad.before, exp->as.pad.after};
    check_resized(k, type, exp->as.pad.axis, 3, parts);
}

/* A view that keeps its operand's type. */
static void check_kept(Check *k, CoreAtom array, const char *what, int axis)
{
    CoreType type;
    if (core_check_array(k, array, what, &type) && check_axis(k, type, axis)) {
        core_check_one_result(k, type);
    }
}

void core_check_array_exp(Check *k, const CoreExp *exp)
{
    switch ((int)exp->kind) { /* the kinds of array expressions */
    case CORE_EXP_INDEX: check_index(k, exp); return;
    case CORE_EXP_UPDATE: check_update(k, exp); return;
    case CORE_EXP_LITERAL: check_literal(k, exp); return;
    case CORE_EXP_IOTA:
        if (check_sizes(k, 1, &exp->as.count)) {
            core_check_one_result(k, shaped(k, 1, &exp->as.count, core_scalar(CORE_I64)));
        }
        return;
    case CORE_EXP_REPLICATE: check_replicate(k, exp); return;
    case CORE_EXP_SCRATCH: check_scratch(k, exp); return;
    case CORE_EXP_COPY: check_kept(k, exp->as.array, "what is copied", 0); return;
    case CORE_EXP_REARRANGE: check_rearrange(k, exp); return;
    case CORE_EXP_RESHAPE: check_reshape(k, exp); return;
    case CORE_EXP_CYCLE: check_cycle(k, exp); return;
    case CORE_EXP_ROTATE:
        core_check_scalar(k, exp->as.rotate.amount, CORE_I64, "the amount of rotate");
        check_kept(k, exp->as.rotate.array, "what is rotated", exp->as.rotate.axis);
        return;
    case CORE_EXP_REVERSE:
        check_kept(k, exp->as.reverse.array, "what is reversed", exp->as.reverse.axis);
        return;
    case CORE_EXP_SLICE: check_slice(k, exp); return;
    case CORE_EXP_CONCAT: check_concat(k, exp); return;
    case CORE_EXP_PAD: check_pad(k, exp); return;
    }
}
