/* Reductions on the device [REDO 4]: chunked, then a tree in local memory.

       r = reduce op neutral xs    ==>    GROUP g < groups {
                                            LOCAL l { total = neutral; for my chunk: total =
   op(total, x); tree[l] = total } BARRIER; LOCAL l { tree[l] = op(tree[l], tree[l + 128]) } BARRIER
   ... LOCAL l { if (l == 0) partial[g] = tree[0] } } GROUP g < 1 { the same tree over partial;
   result[0] = tree[0] } r = LOAD result[0]

   A commutative operator takes its elements with a stride, so that neighbours read neighbouring
   memory; for any other each work-item has a contiguous chunk and the tree joins neighbours, so
   that the order is kept. Mapped-out results of a redomap are written on the way. */
#include "backend/lower/lower.h"

/* One component of an accumulator: its tree in local memory, the groups' results, the result. */
typedef struct Component {
    CorePrim prim;
    const char *text;
    const KernelExp *neutral;
    KernelVariable *partial, *result;
} Component;

typedef struct Reduce {
    const CoreStm *stm;
    const CoreSoac *soac;
    bool commutative;
    size_t component_count;
    Component *components; /* of all reductions, in order */
    const KernelExp *width, *groups, *items, *chunk;
    const Reader **places; /* of mapped-out results, by pattern position */
} Reduce;

static const KernelExp *binary(Lower *L, CoreOperator op, const KernelExp *x, const KernelExp *y)
{
    return kernel_binary(L->c, op, x, y);
}

/* ---- work shared out ---------------------------------------------------------------------------
 */

/* groups = 1 max (ceil(n / 256) min 256); items = groups * 256; chunk = ceil(n / items). */
void lower_share_out(Lower *L, const KernelExp *width, const KernelExp **groups,
                     const KernelExp **items, const KernelExp **chunk)
{
    const KernelExp *size = kernel_i64(L->c, KERNEL_GROUP_SIZE);
    const KernelExp *size_less_one = kernel_i64(L->c, KERNEL_GROUP_SIZE - 1);
    const KernelExp *full = kernel_divide(L->c, binary(L, CORE_ADD, width, size_less_one), size);
    *groups = lower_let(L, "groups",
                        binary(L, CORE_MAX, kernel_i64(L->c, 1),
                               binary(L, CORE_MIN, full, kernel_i64(L->c, KERNEL_MOST_GROUPS))));
    *items = lower_let(L, "items", binary(L, CORE_MUL, *groups, size));
    const KernelExp *items_less_one = binary(L, CORE_SUB, *items, kernel_i64(L->c, 1));
    *chunk = lower_let(L, "chunk",
                       kernel_divide(L->c, binary(L, CORE_ADD, width, items_less_one), *items));
}

/* How many of a work-item's contiguous chunk there are. */
const KernelExp *lower_chunk_length(Lower *L, const KernelExp *start, const KernelExp *chunk,
                                    const KernelExp *width)
{
    const KernelExp *left = binary(L, CORE_SUB, width, start);
    return lower_let(L, "length",
                     binary(L, CORE_MAX, kernel_i64(L->c, 0), binary(L, CORE_MIN, chunk, left)));
}

/* How many iterations w, w + items, ... there are below the width. */
static const KernelExp *strided_length(Lower *L, const Reduce *r, const KernelExp *item)
{
    const KernelExp *left =
        binary(L, CORE_MAX, kernel_i64(L->c, 0), binary(L, CORE_SUB, r->width, item));
    const KernelExp *items_less_one = binary(L, CORE_SUB, r->items, kernel_i64(L->c, 1));
    return lower_let(L, "length",
                     kernel_divide(L->c, binary(L, CORE_ADD, left, items_less_one), r->items));
}

/* ---- trees in local memory ----------------------------------------------------------------------
 */

static KernelVariable **declare_trees(Lower *L, const Reduce *r)
{
    KernelVariable **trees = ARENA_ARRAY(L->c->arena, KernelVariable *, r->component_count + 1);
    for (size_t k = 0; k < r->component_count; k++) {
        trees[k] = kernel_variable(L->c, "tree", r->components[k].prim, KERNEL_LOCAL, L->b->span);
        kernel_declare_buffer(L->b, trees[k], KERNEL_GROUP_SIZE);
    }
    return trees;
}

/* tree[at] = op(tree[at], tree[other]), every reduction by its own operator. */
static void join(Lower *L, const Reduce *r, KernelVariable **trees, const KernelExp *at,
                 const KernelExp *other)
{
    Arena *arena = L->c->arena;
    size_t first = 0;
    for (size_t i = 0; i < r->soac->reduction_count; i++) {
        const CoreReduction *reduction = &r->soac->reductions[i];
        size_t count = lower_width(reduction);
        Value *arguments = ARENA_ARRAY(arena, Value, 2 * count + 1);
        Value *results = ARENA_ARRAY(arena, Value, count + 1);
        for (size_t k = 0; k < count; k++) {
            KernelVariable *tree = trees[first + k];
            arguments[k].scalar = lower_let(L, "x", kernel_load(L->c, tree, at));
            arguments[count + k].scalar = lower_let(L, "y", kernel_load(L->c, tree, other));
        }
        lower_apply(L, reduction->function, arguments, NULL, results);
        for (size_t k = 0; k < count; k++) {
            kernel_store(L->b, trees[first + k], at, results[k].scalar);
        }
        first += count;
    }
}

/* if (condition) join, as one step of all work-items between two barriers. */
static void tree_step(Lower *L, const Reduce *r, LowerKernel *kernel, KernelVariable **trees,
                      int64_t distance)
{
    LowerLoop local;
    lower_local_begin(L, kernel, &local);
    const KernelExp *l = local.index;
    const KernelExp *takes_part =
        r->commutative ? binary(L, CORE_LT, l, kernel_i64(L->c, distance))
                       : binary(L, CORE_EQ, kernel_modulo(L->c, l, kernel_i64(L->c, 2 * distance)),
                                kernel_i64(L->c, 0));
    LowerLoop block;
    lower_block_begin(L, &block);
    const KernelExp *other =
        lower_let(L, "other", binary(L, CORE_ADD, l, kernel_i64(L->c, distance)));
    join(L, r, trees, l, other);
    KernelBlock joined = lower_block_end(L, &block);
    kernel_if(L->b, takes_part, joined, (KernelBlock){0});
    lower_local_end(L, &local);
    kernel_barrier(L->b);
}

/* The whole tree, and its root to target[k][at]. */
static void tree(Lower *L, const Reduce *r, LowerKernel *kernel, KernelVariable **trees,
                 bool partial, const KernelExp *at)
{
    kernel_barrier(L->b);
    for (int64_t step = 1; step < KERNEL_GROUP_SIZE; step *= 2) {
        tree_step(L, r, kernel, trees, r->commutative ? KERNEL_GROUP_SIZE / 2 / step : step);
    }
    LowerLoop local;
    lower_local_begin(L, kernel, &local);
    LowerLoop block;
    lower_block_begin(L, &block);
    for (size_t k = 0; k < r->component_count; k++) {
        const Component *component = &r->components[k];
        kernel_store(L->b, partial ? component->partial : component->result, at,
                     kernel_load(L->c, trees[k], kernel_i64(L->c, 0)));
    }
    KernelBlock stores = lower_block_end(L, &block);
    kernel_if(L->b, binary(L, CORE_EQ, local.index, kernel_i64(L->c, 0)), stores, (KernelBlock){0});
    lower_local_end(L, &local);
}

/* ---- the two kernels ----------------------------------------------------------------------------
 */

/* One element: the map lambda, then every accumulator. */
static void take_element(Lower *L, const Reduce *r, const KernelExp *index, Accumulator **totals)
{
    Arena *arena = L->c->arena;
    const CoreSoac *soac = r->soac;
    size_t results = soac->map->body->result_count;
    const Reader **wanted = ARENA_ARRAY(arena, const Reader *, results + 1);
    Value *operands = ARENA_ARRAY(arena, Value, results + 1);
    for (size_t k = r->component_count; k < results; k++) {
        wanted[k] = lower_row(L, r->places[k], 1, &index);
    }
    lower_bind_rows(L, soac->map, 0, soac->input_count, soac->inputs, index);
    lower_body(L, soac->map->body, wanted, operands);
    size_t at = 0;
    for (size_t i = 0; i < soac->reduction_count; at += lower_width(&soac->reductions[i]), i++) {
        lower_accumulate(L, &soac->reductions[i], totals[i], operands + at);
    }
}

static bool chunk_kernel(Lower *L, const Reduce *r)
{
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, true);
    KernelVariable **trees = declare_trees(L, r);
    LowerLoop local;
    lower_local_begin(L, &kernel, &local);
    size_t reductions = r->soac->reduction_count;
    Accumulator **totals = ARENA_ARRAY(L->c->arena, Accumulator *, reductions + 1);
    for (size_t i = 0; i < reductions; i++) {
        totals[i] = ARENA_ARRAY(L->c->arena, Accumulator, lower_width(&r->soac->reductions[i]) + 1);
        lower_accumulators(L, &r->soac->reductions[i], totals[i]);
    }
    const KernelExp *item = kernel.group_item;
    const KernelExp *start =
        r->commutative ? item : lower_let(L, "start", binary(L, CORE_MUL, item, r->chunk));
    const KernelExp *length = r->commutative ? strided_length(L, r, item)
                                             : lower_chunk_length(L, start, r->chunk, r->width);
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_LOOP, "j", length);
    const KernelExp *offset =
        r->commutative ? binary(L, CORE_MUL, loop.index, r->items) : loop.index;
    take_element(L, r, lower_let(L, "i", binary(L, CORE_ADD, start, offset)), totals);
    lower_loop_end(L, &loop);
    size_t at = 0;
    for (size_t i = 0; i < reductions; i++) {
        for (size_t k = 0; k < lower_width(&r->soac->reductions[i]); k++, at++) {
            kernel_store(L->b, trees[at], local.index, kernel_use(L->c, totals[i][k].scalar));
        }
    }
    lower_local_end(L, &local);
    tree(L, r, &kernel, trees, true, kernel_use(L->c, kernel.index));
    return lower_kernel_end(L, &kernel, "reduce", r->components[0].text, r->groups);
}

static bool final_kernel(Lower *L, const Reduce *r)
{
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, true);
    KernelVariable **trees = declare_trees(L, r);
    LowerLoop local;
    lower_local_begin(L, &kernel, &local);
    for (size_t k = 0; k < r->component_count; k++) {
        const Component *component = &r->components[k];
        const KernelExp *there = binary(L, CORE_LT, local.index, r->groups);
        kernel_store(L->b, trees[k], local.index,
                     kernel_select(L->c, there, kernel_load(L->c, component->partial, local.index),
                                   component->neutral));
    }
    lower_local_end(L, &local);
    tree(L, r, &kernel, trees, false, kernel_i64(L->c, 0));
    return lower_kernel_end(L, &kernel, "combine", r->components[0].text, kernel_i64(L->c, 1));
}

/* ---- reductions
 * ----------------------------------------------------------------------------------- */

static void make_components(Lower *L, Reduce *r)
{
    for (size_t i = 0; i < r->soac->reduction_count; i++) {
        r->component_count += lower_width(&r->soac->reductions[i]);
    }
    r->components = ARENA_ARRAY(L->c->arena, Component, r->component_count + 1);
    const KernelExp *one = kernel_i64(L->c, 1);
    size_t at = 0;
    for (size_t i = 0; i < r->soac->reduction_count; i++) {
        const CoreReduction *reduction = &r->soac->reductions[i];
        for (size_t k = 0; k < lower_width(reduction); k++, at++) {
            Component *component = &r->components[at];
            component->text = r->stm->pattern[at]->text;
            component->prim = lower_prim(reduction->function->parameters[k]->type.prim);
            component->neutral = lower_scalar(L, reduction->neutral[k]);
            component->partial =
                lower_allocate(L, "partial", component->prim, 1, &r->groups)->buffer;
            component->result =
                lower_allocate(L, component->text, component->prim, 1, &one)->buffer;
        }
        r->commutative = r->commutative && reduction->commutative;
    }
}

bool lower_reduce_groups(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    Reduce r = {.stm = stm, .soac = soac, .commutative = true};
    r.width = lower_scalar(L, soac->width);
    lower_share_out(L, r.width, &r.groups, &r.items, &r.chunk);
    make_components(L, &r);
    r.places = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = r.component_count; k < stm->pattern_count; k++) {
        r.places[k] = lower_place(L, stm->pattern[k]);
    }
    if (!chunk_kernel(L, &r) || !final_kernel(L, &r)) {
        return false;
    }
    for (size_t k = 0; k < r.component_count; k++) {
        lower_bind_scalar(L, stm->pattern[k],
                          kernel_load(L->c, r.components[k].result, kernel_i64(L->c, 0)));
    }
    for (size_t k = r.component_count; k < stm->pattern_count; k++) {
        lower_bind_array(L, stm->pattern[k], r.places[k]);
    }
    return true;
}
