/* Constructors of array expressions: indexing, update, making arrays, and views. Each binds a fresh
   name whose type, sizes included, follows from the operands:

       core_let_rearrange(&b, "t", xss, (int[]){1, 0})      -- xss : [n][m]f64
           let (t_9 : [m][n]f64) = rearrange (1, 0) xss_3

   ([PLDI] section 2; docs/core.md.) */
#include "core/build.h"

static void require_axis(Compilation *c, CoreType type, int axis)
{
    REQUIRE(c, axis >= 0 && axis < type.rank, "axis %d of %s", axis, core_type_text(c, type));
}

static void require_sizes(Compilation *c, size_t count, const CoreAtom *sizes)
{
    for (size_t i = 0; i < count; i++) {
        core_build_require_scalar(c, sizes[i], CORE_I64, "a size");
    }
}

/* ---- elements -------------------------------------------------------------------------------- */

CoreAtom core_let_index(CoreBuilder *b, const char *text, CoreAtom array, size_t count,
                        const CoreAtom *indices)
{
    CoreType type = core_build_require_array(b->c, array, "what is indexed");
    REQUIRE(b->c, count > 0 && count <= (size_t)type.rank, "%zu indices for %s", count,
            core_type_text(b->c, type));
    for (size_t i = 0; i < count; i++) {
        core_build_require_scalar(b->c, indices[i], CORE_I64, "an index");
        type = core_row(type);
    }
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_INDEX);
    exp->as.index.array = array;
    exp->as.index.count = count;
    exp->as.index.indices = core_build_copy_atoms(b->c, count, indices);
    return core_build_let(b, text, type, exp);
}

/* The shape that is left of a shape after slicing: the counts of the axes that are not fixed. */
static CoreType sliced(Compilation *c, CoreType type, size_t count, const CoreSlice *slices)
{
    REQUIRE(c, count == (size_t)type.rank, "%zu slices for %s", count, core_type_text(c, type));
    CoreAtom *sizes = ARENA_ARRAY(c->arena, CoreAtom, count);
    int rank = 0;
    for (size_t i = 0; i < count; i++) {
        core_build_require_scalar(c, slices[i].offset, CORE_I64, "the offset of a slice");
        if (!slices[i].fixed) {
            core_build_require_scalar(c, slices[i].count, CORE_I64, "the count of a slice");
            core_build_require_scalar(c, slices[i].stride, CORE_I64, "the stride of a slice");
            sizes[rank++] = slices[i].count;
        }
    }
    return (CoreType){.prim = type.prim, .rank = rank, .sizes = sizes};
}

static const CoreSlice *copy_slices(Compilation *c, size_t count, const CoreSlice *slices)
{
    CoreSlice *copy = arena_copy(c->arena, slices, count * sizeof *slices);
    for (size_t i = 0; i < count; i++) {
        if (copy[i].fixed) { /* no stray values in what is not used */
            copy[i].count = core_i64(1);
            copy[i].stride = core_i64(1);
        }
    }
    return copy;
}

CoreAtom core_let_update(CoreBuilder *b, const char *text, CoreAtom array, size_t count,
                         const CoreSlice *slices, CoreAtom value)
{
    CoreType type = core_build_require_array(b->c, array, "what is updated");
    CoreType part = sliced(b->c, type, count, slices);
    CoreType given = core_atom_type(value);
    REQUIRE(b->c, part.prim == given.prim && part.rank == given.rank, "update of %s by %s",
            core_type_text(b->c, part), core_type_text(b->c, given));
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_UPDATE);
    exp->as.update.array = array;
    exp->as.update.count = count;
    exp->as.update.slices = copy_slices(b->c, count, slices);
    exp->as.update.value = value;
    return core_build_let(b, text, type, exp);
}

/* ---- making ---------------------------------------------------------------------------------- */

CoreAtom core_let_literal(CoreBuilder *b, const char *text, size_t count, const CoreAtom *items)
{
    REQUIRE(b->c, count > 0, "an array literal without items");
    CoreType first = core_atom_type(items[0]);
    for (size_t i = 1; i < count; i++) {
        CoreType type = core_atom_type(items[i]);
        REQUIRE(b->c, type.prim == first.prim && type.rank == first.rank,
                "an array literal of %s and %s", core_type_text(b->c, first),
                core_type_text(b->c, type));
    }
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_LITERAL);
    exp->as.items.count = count;
    exp->as.items.items = core_build_copy_atoms(b->c, count, items);
    return core_build_let(b, text, core_array_of(b->c, core_i64((int64_t)count), first), exp);
}

CoreAtom core_let_iota(CoreBuilder *b, const char *text, CoreAtom count)
{
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_IOTA);
    exp->as.count = count;
    return core_build_let(b, text, core_array(b->c, CORE_I64, 1, &count), exp);
}

CoreAtom core_let_replicate(CoreBuilder *b, const char *text, size_t count, const CoreAtom *sizes,
                            CoreAtom value)
{
    require_sizes(b->c, count, sizes);
    CoreType type = core_atom_type(value);
    for (size_t i = count; i-- > 0;) {
        type = core_array_of(b->c, sizes[i], type);
    }
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_REPLICATE);
    exp->as.replicate.count = count;
    exp->as.replicate.sizes = core_build_copy_atoms(b->c, count, sizes);
    exp->as.replicate.value = value;
    return core_build_let(b, text, type, exp);
}

CoreAtom core_let_scratch(CoreBuilder *b, const char *text, CorePrim prim, size_t count,
                          const CoreAtom *sizes)
{
    CoreType type = core_array(b->c, prim, (int)count, sizes);
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_SCRATCH);
    exp->as.scratch.prim = prim;
    exp->as.scratch.count = count;
    exp->as.scratch.sizes = type.sizes;
    return core_build_let(b, text, type, exp);
}

CoreAtom core_let_copy_in(CoreBuilder *b, const char *text, CoreAtom array, CoreSpace space)
{
    CoreType type = core_build_require_array(b->c, array, "what is copied");
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_COPY);
    exp->as.array = array;
    exp->space = space;
    return core_build_let(b, text, type, exp);
}

CoreAtom core_let_copy(CoreBuilder *b, const char *text, CoreAtom array)
{
    return core_let_copy_in(b, text, array, CORE_SPACE_AUTO);
}

/* ---- views ----------------------------------------------------------------------------------- */

CoreAtom core_let_rearrange(CoreBuilder *b, const char *text, CoreAtom array,
                            const int *permutation)
{
    CoreType type = core_build_require_array(b->c, array, "what is rearranged");
    CoreAtom *sizes = ARENA_ARRAY(b->c->arena, CoreAtom, type.rank);
    bool *seen = ARENA_ARRAY(b->c->arena, bool, type.rank);
    for (int i = 0; i < type.rank; i++) {
        require_axis(b->c, type, permutation[i]);
        REQUIRE(b->c, !seen[permutation[i]], "rearrange: axis %d stands twice", permutation[i]);
        seen[permutation[i]] = true;
        sizes[i] = type.sizes[permutation[i]];
    }
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_REARRANGE);
    exp->as.rearrange.array = array;
    exp->as.rearrange.permutation =
        arena_copy(b->c->arena, permutation, (size_t)type.rank * sizeof *permutation);
    type.sizes = sizes;
    return core_build_let(b, text, type, exp);
}

CoreAtom core_let_reshape(CoreBuilder *b, const char *text, CoreAtom array, size_t count,
                          const CoreAtom *sizes)
{
    CoreType type = core_build_require_array(b->c, array, "what is reshaped");
    REQUIRE(b->c, count > 0, "reshape to a scalar");
    CoreType result = core_array(b->c, type.prim, (int)count, sizes);
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_RESHAPE);
    exp->as.reshape.array = array;
    exp->as.reshape.count = count;
    exp->as.reshape.sizes = result.sizes;
    return core_build_let(b, text, result, exp);
}

CoreAtom core_let_cycle(CoreBuilder *b, const char *text, CoreAtom array, CoreAtom count,
                        CoreAtom fill)
{
    CoreType type = core_build_require_array(b->c, array, "what is cycled");
    REQUIRE(b->c, type.rank == 1, "cycle of %s", core_type_text(b->c, type));
    core_build_require_scalar(b->c, fill, type.prim, "the fill of cycle");
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_CYCLE);
    exp->as.cycle.array = array;
    exp->as.cycle.count = count;
    exp->as.cycle.fill = fill;
    return core_build_let(b, text, core_array(b->c, type.prim, 1, &count), exp);
}

CoreAtom core_let_rotate(CoreBuilder *b, const char *text, CoreAtom array, int axis,
                         CoreAtom amount)
{
    CoreType type = core_build_require_array(b->c, array, "what is rotated");
    require_axis(b->c, type, axis);
    core_build_require_scalar(b->c, amount, CORE_I64, "the amount of rotate");
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_ROTATE);
    exp->as.rotate.array = array;
    exp->as.rotate.axis = axis;
    exp->as.rotate.amount = amount;
    return core_build_let(b, text, type, exp);
}

CoreAtom core_let_reverse(CoreBuilder *b, const char *text, CoreAtom array, int axis)
{
    CoreType type = core_build_require_array(b->c, array, "what is reversed");
    require_axis(b->c, type, axis);
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_REVERSE);
    exp->as.reverse.array = array;
    exp->as.reverse.axis = axis;
    return core_build_let(b, text, type, exp);
}

CoreAtom core_let_slice(CoreBuilder *b, const char *text, CoreAtom array, const CoreSlice *slices)
{
    CoreType type = core_build_require_array(b->c, array, "what is sliced");
    CoreType result = sliced(b->c, type, (size_t)type.rank, slices);
    REQUIRE(b->c, result.rank > 0, "a slice with every axis fixed is an index");
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_SLICE);
    exp->as.slice.array = array;
    exp->as.slice.count = (size_t)type.rank;
    exp->as.slice.slices = copy_slices(b->c, (size_t)type.rank, slices);
    return core_build_let(b, text, result, exp);
}

/* The type with another extent along one axis. */
static CoreType resized(Compilation *c, CoreType type, int axis, CoreAtom size)
{
    require_axis(c, type, axis);
    core_build_require_scalar(c, size, CORE_I64, "a size");
    CoreAtom *sizes = arena_copy(c->arena, type.sizes, (size_t)type.rank * sizeof *type.sizes);
    sizes[axis] = size;
    type.sizes = sizes;
    return type;
}

CoreAtom core_let_concat(CoreBuilder *b, const char *text, int axis, CoreAtom size, size_t count,
                         const CoreAtom *arrays)
{
    REQUIRE(b->c, count > 0, "concat of nothing");
    CoreType first = core_build_require_array(b->c, arrays[0], "an operand of concat");
    for (size_t i = 1; i < count; i++) {
        CoreType type = core_atom_type(arrays[i]);
        REQUIRE(b->c, type.prim == first.prim && type.rank == first.rank, "concat of %s and %s",
                core_type_text(b->c, first), core_type_text(b->c, type));
    }
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_CONCAT);
    exp->as.concat.axis = axis;
    exp->as.concat.count = count;
    exp->as.concat.arrays = core_build_copy_atoms(b->c, count, arrays);
    return core_build_let(b, text, resized(b->c, first, axis, size), exp);
}

CoreAtom core_let_pad(CoreBuilder *b, const char *text, CoreAtom array, int axis, CoreAtom size,
                      CoreAtom before, CoreAtom after, CoreAtom fill)
{
    CoreType type = core_build_require_array(b->c, array, "what is padded");
    core_build_require_scalar(b->c, before, CORE_I64, "the padding before");
    core_build_require_scalar(b->c, after, CORE_I64, "the padding after");
    core_build_require_scalar(b->c, fill, type.prim, "the fill of pad");
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_PAD);
    exp->as.pad.array = array;
    exp->as.pad.axis = axis;
    exp->as.pad.before = before;
    exp->as.pad.after = after;
    exp->as.pad.fill = fill;
    return core_build_let(b, text, resized(b->c, type, axis, size), exp);
}
