/* Which elements of an array views of it read, axis by axis, beside the block that an update writes: whether they lie
   beside it, or are those elements or none of them. What is not seen is not said. */
#include "core/locality/in_place.h"

enum { MOST_VIEWS = 16, MOST_SUMS = 8 };

/* ---- which part of an array a view reads ----------------------------------------------------- */

static bool is_whole(const CoreSlice *part, CoreAtom extent)
{
    return !part->fixed && core_atom_equal(part->offset, core_i64(0)) &&
           core_atom_equal(part->count, extent) && core_atom_equal(part->stride, core_i64(1));
}

static void keep_axes(Region *region, const bool *goes)
{
    int left = 0;
    for (int axis = 0; axis < region->rank; axis++) {
        if (!goes[axis]) {
            region->of[left++] = region->of[axis];
        }
    }
    region->rank = left;
}

/* Of an axis of which a part is read already that is all that is known. */
static void narrow(Region *region, int axis, const CoreSlice *part)
{
    int of = region->of[axis];
    if (of < 0) {
        return;
    }
    if (region->parts[of] != NULL) {
        region->is_less = true;
    } else if (!is_whole(part, region->extents[of])) {
        region->parts[of] = part;
    }
}

static void narrow_to_slice(Region *region, const CoreSlice *slices)
{
    bool goes[REGION_MOST_AXES];
    for (int axis = 0; axis < region->rank; axis++) {
        goes[axis] = slices[axis].fixed;
        narrow(region, axis, &slices[axis]);
    }
    keep_axes(region, goes);
}

void region_narrow_to_row(const InPlace *p, Region *region, const CoreExp *row)
{
    bool goes[REGION_MOST_AXES];
    for (int axis = 0; axis < region->rank; axis++) {
        goes[axis] = axis < (int)row->as.index.count;
        if (goes[axis]) {
            CoreSlice fixed = {.fixed = true, .offset = row->as.index.indices[axis]};
            narrow(region, axis, arena_copy(p->c->scratch, &fixed, sizeof fixed));
        }
    }
    keep_axes(region, goes);
}

static bool repeat(Region *region, int more)
{
    if (region->rank + more > REGION_MOST_AXES) {
        return false;
    }
    memmove(region->of + more, region->of, (size_t)region->rank * sizeof *region->of);
    for (int axis = 0; axis < more; axis++) {
        region->of[axis] = -1;
    }
    region->rank += more;
    return true;
}

static void permute(Region *region, const int *permutation)
{
    Region was = *region;
    for (int axis = 0; axis < region->rank; axis++) {
        region->of[axis] = was.of[permutation[axis]];
    }
}

/* False: it is not seen what the view is of. */
static bool find_region(const InPlace *p, CoreAtom view, CoreAtom array, Region *region, int fuel)
{
    if (core_atom_equal(view, array)) {
        const CoreType *type = &array.name->type;
        *region = (Region){.rank = type->rank, .extents = type->sizes};
        for (int axis = 0; axis < region->rank; axis++) {
            region->of[axis] = axis;
        }
        return true;
    }
    const CoreStm *stm = fuel > 0 ? in_place_binder(p, view) : NULL;
    const CoreExp *exp = stm ? stm->exp : NULL;
    switch (stm ? (int)exp->kind : -1) { /* views whose axes are the array's */
    case CORE_EXP_ATOM: return find_region(p, exp->as.atom, array, region, fuel - 1);
    case CORE_EXP_INDEX:
        if (!find_region(p, exp->as.index.array, array, region, fuel - 1)) {
            return false;
        }
        region_narrow_to_row(p, region, exp);
        return true;
    case CORE_EXP_SLICE:
        if (!find_region(p, exp->as.slice.array, array, region, fuel - 1)) {
            return false;
        }
        narrow_to_slice(region, exp->as.slice.slices);
        return true;
    case CORE_EXP_REPLICATE:
        return find_region(p, exp->as.replicate.value, array, region, fuel - 1) &&
               repeat(region, (int)exp->as.replicate.count);
    case CORE_EXP_REARRANGE:
        if (!find_region(p, exp->as.rearrange.array, array, region, fuel - 1)) {
            return false;
        }
        permute(region, exp->as.rearrange.permutation);
        return true;
    }
    return false;
}

bool region_find(const InPlace *p, CoreAtom view, CoreAtom array, Region *region)
{
    return array.name->type.rank <= REGION_MOST_AXES &&
           find_region(p, view, array, region, MOST_VIEWS);
}

/* ---- beside the block ------------------------------------------------------------------------ */

/* x = base + more, where base is a name, or nothing. */
typedef struct Sum {
    const CoreName *base;
    int64_t more;
} Sum;

static Sum sum_of(const InPlace *p, CoreAtom x)
{
    Sum sum = {x.name, x.name ? 0 : x.as.integer};
    for (int k = 0; k < MOST_SUMS && sum.base; k++) {
        const CoreStm *stm = pointer_map_get(&p->binders, sum.base);
        const CoreExp *exp = stm ? stm->exp : NULL;
        bool adds = exp && exp->kind == CORE_EXP_BINARY && exp->as.scalar.prim == CORE_I64 &&
                    (exp->as.scalar.op == CORE_ADD || exp->as.scalar.op == CORE_SUB);
        if (!adds || exp->as.scalar.y.name || exp->as.scalar.y.as.integer < -CORE_MOST_ELEMENTS ||
            exp->as.scalar.y.as.integer > CORE_MOST_ELEMENTS) {
            break;
        }
        int64_t y = exp->as.scalar.y.as.integer;
        sum.more += exp->as.scalar.op == CORE_ADD ? y : -y;
        sum.base = exp->as.scalar.x.name;
        sum.more += sum.base ? 0 : exp->as.scalar.x.as.integer;
    }
    return sum;
}

/* Behind the last position of what goes up, where it is known how many there are. They are positions of arrays, so that no sum
   has wrapped. */
static bool ends_before(const InPlace *p, const CoreSlice *part, CoreAtom position)
{
    int64_t length = 1;
    if (!part->fixed) {
        if (part->count.name || part->count.as.integer > CORE_MOST_ELEMENTS) {
            return false;
        }
        int64_t steps = part->count.as.integer - 1, stride = part->stride.as.integer;
        if (__builtin_mul_overflow(steps, stride, &length) || length > CORE_MOST_ELEMENTS) {
            return false;
        }
        length++;
    }
    Sum last = sum_of(p, part->offset), other = sum_of(p, position);
    return last.base == other.base && last.more + length <= other.more;
}

static bool goes_up(const CoreSlice *part)
{
    return part->fixed || (!part->stride.name && part->stride.as.integer >= 0);
}

/* One ends before the other begins. */
static bool are_apart(const InPlace *p, const CoreSlice *x, const CoreSlice *y)
{
    return x != NULL && goes_up(x) && goes_up(y) &&
           (ends_before(p, x, y->offset) || ends_before(p, y, x->offset));
}

bool region_is_beside(const InPlace *p, const Region *region, const CoreExp *update)
{
    bool apart = false;
    for (size_t axis = 0; axis < update->as.update.count; axis++) {
        apart = apart || are_apart(p, region->parts[axis], &update->as.update.slices[axis]);
    }
    return apart;
}

bool core_is_same_part(const CoreSlice *x, const CoreSlice *y)
{
    return x->fixed == y->fixed && core_atom_equal(x->offset, y->offset) &&
           (x->fixed ||
            (core_atom_equal(x->count, y->count) && core_atom_equal(x->stride, y->stride)));
}

/* ---- other rows ------------------------------------------------------------------------------ */

/* Where the block has all or a part of an axis the view has that, too, and both stand at one position of the others: they are
   the same elements in the same order, or none of them. */
bool region_is_alike(const Region *region, const CoreExp *update, const CoreType *type)
{
    int axes = 0;
    for (int axis = 0; axis < type->rank; axis++) {
        const CoreSlice *block = &update->as.update.slices[axis], *part = region->parts[axis];
        bool same = part == NULL   ? is_whole(block, type->sizes[axis])
                    : block->fixed ? part->fixed
                                   : core_is_same_part(part, block);
        if (!same) {
            return false;
        }
        if (!block->fixed && (axes == region->rank || region->of[axes++] != axis)) {
            return false;
        }
    }
    return axes == region->rank && !region->is_less;
}

Region region_of_block(const CoreExp *update, const CoreType *type)
{
    Region region = {.extents = type->sizes};
    for (int axis = 0; axis < type->rank; axis++) {
        const CoreSlice *part = &update->as.update.slices[axis];
        region.parts[axis] = is_whole(part, type->sizes[axis]) ? NULL : part;
        if (!part->fixed) {
            region.of[region.rank++] = axis;
        }
    }
    return region;
}
