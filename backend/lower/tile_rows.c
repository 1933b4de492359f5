/* What of the rows of segments is kept in a tile (segment_tiles.c): the row is lowered with symbols for
   its indices, in a kernel that is thrown away, and cut into slices by what depends on which of them.

       x = a[row * p + k]        {row, number}     kept in local memory
       y = b[k * m + column]     {column, number}  kept in local memory
       w = v[k]                  {number}          kept in local memory, a line
       d = u[row]                {row}             kept by each work-item
       t = x * y * w + d         all               done for each segment

   And the shapes of tiles, of which the largest is taken that local memory and registers hold. */
#include "backend/lower/tiling.h"

enum {
    LOCAL_BYTES = 32768, /* what OpenCL guarantees */
    REGISTER_BYTES = 384,
    FEW_NODES = 8 /* of what is computed as quickly as it is read */
};

/* ---- what a row is made of ------------------------------------------------------------------- */

/* The row with symbols for indices, in a kernel that is thrown away. */
static bool lower_symbolically(Lower *L, Tiling *t)
{
    static const char *const texts[TILE_INDICES] = {"row", "column", "k"};
    Segments *s = t->s;
    LowerKernel kernel;
    const KernelExp **indices = ARENA_ARRAY(L->c->arena, const KernelExp *, s->depth + 1);
    t->outer = ARENA_ARRAY(L->c->arena, KernelVariable *, s->depth + 1);
    t->values = ARENA_ARRAY(L->c->arena, Value, s->stm->pattern_count + 1);
    lower_kernel_begin(L, &kernel, true);
    for (int k = 0; k < TILE_INDICES; k++) {
        t->symbols[k] = kernel_variable(L->c, texts[k], CORE_I64, KERNEL_SCALAR, L->b->span);
    }
    for (int v = 0; v < s->depth; v++) {
        KernelVariable *index =
            v == s->depth - 2   ? t->symbols[0]
            : v == s->depth - 1 ? t->symbols[1]
                                : kernel_variable(L->c, "i", CORE_I64, KERNEL_SCALAR, L->b->span);
        t->outer[v] = index;
        indices[v] = kernel_use(L->c, index);
    }
    SegmentEntry entry = segment_enter_at(L, s, indices);
    segment_row(L, s, &entry, kernel_use(L->c, t->symbols[2]), t->values);
    bool good = !L->failed && entry.guard == NULL && kernel.frame.scratch.count == 0 &&
                slices_find(L->c, kernel_block(L->b), TILE_INDICES, t->symbols, &t->slices);
    L->failed = true;
    lower_kernel_end(L, &kernel, "tiles", s->text, lower_number(L, 1));
    return good;
}

/* Whether this is done for each segment. */
static bool is_work(IndexSet set)
{
    return (set & TILE_ROW) && (set & TILE_COLUMN);
}

KernelBlock tile_slice(Lower *L, const Tiling *t, KernelVariable *variable)
{
    const KernelExp *value = kernel_use(L->c, variable);
    return slices_of(L->c, &t->slices, NULL, 1, &value);
}

static bool stage(Lower *L, Tiling *t, KernelVariable *variable, IndexSet set)
{
    for (size_t k = 0; k < t->staged_count; k++) {
        if (t->staged[k].variable == variable) {
            return true;
        }
    }
    if (t->staged_count == TILE_MOST_STAGED) {
        return false;
    }
    Staged *staged = &t->staged[t->staged_count++];
    KernelBlock slice = tile_slice(L, t, variable);
    const KernelExp *number = kernel_use(L->c, t->symbols[2]);
    const KernelExp *place = kernel_use(L->c, t->symbols[set & TILE_ROW ? 0 : 1]);
    *staged = (Staged){.variable = variable, .set = set};
    staged->by_number = lower_far_accesses(L, slice, number) <= lower_far_accesses(L, slice, place);
    return true;
}

/* Stages what the expression, which is done for each segment, is computed from. `seen`: of the
   commands. */
static bool stage_operands(Lower *L, Tiling *t, const KernelExp *exp, bool *seen)
{
    if (exp->kind == KERNEL_VARIABLE) {
        KernelVariable *variable = exp->as.variable;
        IndexSet set = slices_depends_on(&t->slices, exp);
        const KernelCmd *declaration = slices_declaration(&t->slices, variable);
        if (declaration == NULL || set == 0) {
            return true;
        }
        if (!is_work(set)) {
            return stage(L, t, variable, set);
        }
        size_t number = (size_t)(uintptr_t)pointer_map_get(&t->slices.numbers, variable) - 1;
        if (seen[number]) {
            return true;
        }
        seen[number] = true;
        return !slices_loads(declaration->value) && stage_operands(L, t, declaration->value, seen);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        if (!stage_operands(L, t, operands[k], seen)) {
            return false;
        }
    }
    return true;
}

/* More than reading it from local memory: it is read from device memory, or takes some operations. */
static bool is_worth_keeping(Lower *L, const Tiling *t, KernelVariable *variable)
{
    KernelBlock slice = tile_slice(L, t, variable);
    size_t nodes = 0;
    for (size_t i = 0; i < slice.count; i++) {
        const KernelExp *value = slice.commands[i]->value;
        nodes += value->nodes;
        if (slices_loads(value) || nodes > FEW_NODES) {
            return true;
        }
    }
    return false;
}

/* Both tiles have something that is worth being kept. */
static bool find_staged(Lower *L, Tiling *t)
{
    bool *seen = ARENA_ARRAY(L->c->arena, bool, t->slices.block.count + 1);
    IndexSet loaded = 0;
    for (size_t k = 0; k < t->s->reduced; k++) {
        if (t->values[k].scalar == NULL || !stage_operands(L, t, t->values[k].scalar, seen)) {
            return false;
        }
    }
    for (size_t k = 0; k < t->staged_count; k++) {
        IndexSet set = t->staged[k].set;
        if ((set & TILE_NUMBER) && is_worth_keeping(L, t, t->staged[k].variable)) {
            loaded |= set;
        }
    }
    return (loaded & TILE_ROW) && (loaded & TILE_COLUMN);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

int64_t tile_extent(const TileShape *shape, int axis)
{
    return shape->across[axis] * shape->each[axis];
}

/* More than a line, against bank conflicts. */
int64_t tile_pitch(const TileShape *shape, IndexSet set)
{
    return set & TILE_ROW      ? tile_extent(shape, 0) + shape->beside
           : set & TILE_COLUMN ? tile_extent(shape, 1) + shape->beside
                               : 1;
}

static bool shape_fits(Lower *L, const Tiling *t, const TileShape *shape)
{
    int64_t local = 0, own = 0;
    for (size_t k = 0; k < t->staged_count; k++) {
        const Staged *staged = &t->staged[k];
        int64_t bytes = core_prim_bytes(staged->variable->prim);
        local +=
            staged->set & TILE_NUMBER ? bytes * shape->depth * tile_pitch(shape, staged->set) : 0;
        own += bytes * (staged->set & TILE_ROW      ? shape->each[0]
                        : staged->set & TILE_COLUMN ? shape->each[1]
                                                    : 1);
    }
    for (size_t k = 0; k < t->s->reduced; k++) {
        const KernelVariable *total = segment_buffer(L, t->s, k, KERNEL_PRIVATE);
        own += (int64_t)core_prim_bytes(total->prim) * shape->each[0] * shape->each[1];
    }
    return local <= LOCAL_BYTES && own <= REGISTER_BYTES;
}

/* On a large GPU a product of matrices of 4096 by 4096 f64 took 53 ms by a work-item each, 8.2 ms by tiles
   of 64 by 64, 7.4 ms by those of 128 by 64; f32 45 ms, 5.6 ms, and 3.5 ms by tiles of 128 by 128. Of
   512 by 512 f64: 0.094 ms, 0.062 ms, 0.071 ms, and 0.040 ms by tiles of 64 by 32. */
static const TileShape shapes[TILE_SHAPES] = {{{16, 16}, {8, 8}, 8, 4},
                                              {{16, 16}, {8, 4}, 8, 2},
                                              {{16, 16}, {4, 4}, 16, 1},
                                              {{16, 16}, {4, 2}, 16, 1}};

size_t tile_largest_shape(Lower *L, const Tiling *t)
{
    size_t k = 0;
    while (k < TILE_SHAPES && !shape_fits(L, t, &shapes[k])) {
        k++;
    }
    return k;
}

const TileShape *tile_shape(size_t k)
{
    return &shapes[k];
}

bool tile_study(Lower *L, Tiling *t)
{
    return lower_symbolically(L, t) && find_staged(L, t);
}
