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
    REGISTER_BYTES = 480,
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
    staged->by_number =
        lower_far_accesses(L, slice, number, NULL) <= lower_far_accesses(L, slice, place, NULL);
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

/* Matrix units read four numbers of several segments at a time: what is read from memory by the number lies that way in
   the tile, too. */
static bool lies_by_number(const TileShape *shape, const Staged *staged)
{
    return shape->by_units && staged->by_number;
}

/* Lines are longer than they need be, against bank conflicts. */
int64_t tile_deep_step(const TileShape *shape, const Staged *staged)
{
    int axis = staged->set & TILE_ROW ? 0 : 1;
    if (staged->set == TILE_NUMBER || lies_by_number(shape, staged)) {
        return 1;
    }
    return tile_extent(shape, axis) + (shape->by_units ? TILE_UNIT_DEPTH : shape->beside[axis]);
}

int64_t tile_place_step(const TileShape *shape, const Staged *staged)
{
    return lies_by_number(shape, staged) ? shape->depth + TILE_UNIT_DEPTH : 1;
}

int64_t tile_elements(const TileShape *shape, const Staged *staged)
{
    int axis = staged->set & TILE_ROW ? 0 : 1;
    return lies_by_number(shape, staged) ? tile_extent(shape, axis) * tile_place_step(shape, staged)
                                         : shape->depth * tile_deep_step(shape, staged);
}

int64_t tile_elements_of_item(const TileShape *shape, const Staged *staged)
{
    if (staged->set == TILE_NUMBER) {
        return 1;
    }
    int64_t places = tile_extent(shape, staged->set & TILE_ROW ? 0 : 1);
    return places * shape->depth / KERNEL_GROUP_SIZE;
}

static bool shape_fits(Lower *L, const Tiling *t, const TileShape *shape)
{
    int64_t local = 0, own = 0;
    for (size_t k = 0; k < t->staged_count; k++) {
        const Staged *staged = &t->staged[k];
        int64_t bytes = core_prim_bytes(staged->variable->prim);
        local += staged->set & TILE_NUMBER ? bytes * tile_elements(shape, staged) : 0;
        own += bytes * (staged->set & TILE_ROW      ? shape->each[0]
                        : staged->set & TILE_COLUMN ? shape->each[1]
                                                    : 1);
        own += staged->set & TILE_NUMBER ? bytes * tile_elements_of_item(shape, staged) : 0;
    }
    for (size_t k = 0; k < t->s->reduced; k++) {
        const KernelVariable *total = segment_buffer(L, t->s, k, KERNEL_PRIVATE);
        own += (int64_t)core_prim_bytes(total->prim) * shape->each[0] * shape->each[1];
    }
    return local <= LOWER_LOCAL_BYTES && own <= REGISTER_BYTES;
}

/* On a large GPU a product of matrices of 4096 by 4096 f64 took 53 ms by a work-item each, 8.2 ms by tiles
   of 64 by 64, 7.4 ms by those of 128 by 64; f32 45 ms, 5.6 ms, and 3.5 ms by tiles of 128 by 128. Of
   512 by 512 f64: 0.094 ms, 0.062 ms, 0.071 ms, and 0.040 ms by tiles of 64 by 32. */
static const TileShape shapes[TILE_SHAPES] = {{{16, 16}, {8, 8}, 8, {4, 4}, false},
                                              {{16, 16}, {8, 4}, 8, {2, 2}, false},
                                              {{16, 16}, {4, 4}, 16, {1, 1}, false},
                                              {{16, 16}, {4, 2}, 16, {1, 1}, false}};

/* 32 work-items have 64 by 32 segments, 32 by 16, and 16 by 16. */
static const TileShape shapes_of_units[TILE_SHAPES_OF_UNITS] = {
    {{16, 16}, {8, 8}, 16, {1, 2}, true},
    {{16, 16}, {4, 4}, 16, {1, 2}, true},
    {{32, 8}, {2, 4}, 16, {1, 2}, true}};

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

const TileShape *tile_shape_of_units(size_t k)
{
    return &shapes_of_units[k];
}

static Staged *find_staged_variable(Tiling *t, const KernelExp *exp, IndexSet set)
{
    for (size_t k = 0; exp->kind == KERNEL_VARIABLE && k < t->staged_count; k++) {
        Staged *staged = &t->staged[k];
        if (staged->variable == exp->as.variable && staged->set == set &&
            staged->variable->prim == CORE_F64) {
            return staged;
        }
    }
    return NULL;
}

bool tile_is_product(Tiling *t)
{
    const CoreSoac *soac = t->s->soac;
    const KernelExp *value = t->values[0].scalar;
    CoreOperator op;
    if (t->s->reduced != 1 || !soac->reductions[0].commutative ||
        !core_is_operator(soac->reductions[0].function, &op) || op != CORE_ADD ||
        t->staged_count != 2) {
        return false;
    }
    const KernelCmd *declaration =
        value->kind == KERNEL_VARIABLE ? slices_declaration(&t->slices, value->as.variable) : NULL;
    value = declaration != NULL ? declaration->value : value;
    if (value == NULL || value->kind != KERNEL_BINARY || value->as.scalar.op != CORE_MUL ||
        value->prim != CORE_F64) {
        return false;
    }
    const KernelExp *factors[] = {value->as.scalar.x, value->as.scalar.y};
    for (int k = 0; k < 2; k++) {
        Staged *row = find_staged_variable(t, factors[k], TILE_ROW | TILE_NUMBER),
               *column = find_staged_variable(t, factors[1 - k], TILE_COLUMN | TILE_NUMBER);
        if (row != NULL && column != NULL) {
            Staged both[] = {*row, *column};
            memcpy(t->staged, both, sizeof both);
            return true;
        }
    }
    return false;
}

bool tile_study(Lower *L, Tiling *t)
{
    return lower_symbolically(L, t) && find_staged(L, t);
}
