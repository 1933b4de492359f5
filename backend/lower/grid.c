/* Kernels: one work-item an iteration.

   A kernel's body is made in a builder of its own, in a frame that remembers which variables are
   the host's. What it needs from the host (scratch memory) is collected on the way and put before
   it at the end; where it turns out that it cannot be a kernel, the builder is dropped and nothing
   has happened.

   Perfect map nests become one flat loop [PLDI 5.1]; the indices come back by division:

       map (\row -> map (\x -> x * 2) row) a     ==>    GRID g < n * m {
                                                          j = g % m; i = g / m;
                                                          out[i*m + j] = a[i*m + j] * 2 }

   Views, scalar operations and assertions may stand between the maps, and the innermost rows may be
   views themselves. Assertions between maps have a kernel of their own before, so that they are
   checked where an inner extent is 0, too. */
#include "backend/lower/lower.h"

/* Of a kernel with scratch memory: how many work-items it has at most. */
enum { SCRATCH_ITEMS = 1 << 17 };

/* ---- one kernel ------------------------------------------------------------------------------ */

void lower_kernel_begin(Lower *L, LowerKernel *kernel, bool grouped)
{
    memset(kernel, 0, sizeof *kernel);
    Span span = L->b->span;
    kernel->grouped = grouped;
    kernel->lanes = KERNEL_GROUP_SIZE;
    kernel->host = L->b;
    kernel->scope = L->scope;
    kernel->body = kernel_builder(L->c, span);
    kernel->frame.kind = FRAME_KERNEL;
    kernel->frame.outer = L->frame;
    kernel->frame.before = L->b;
    kernel->frame.items = kernel_variable(L->c, "work_items", CORE_I64, KERNEL_SCALAR, span);
    kernel->frame.last_outside = L->c->last_number;
    kernel->index = kernel_variable(L->c, grouped ? "group" : "g", CORE_I64, KERNEL_SCALAR, span);
    kernel->item = kernel_variable(L->c, "work_item", CORE_I64, KERNEL_SCALAR, span);
    kernel->frame.item = kernel_use(L->c, kernel->item);
    L->frame = &kernel->frame;
    L->b = &kernel->body;
    L->scope = NULL;
    L->in_kernel = true;
    L->failed = false;
}

const KernelExp *lower_most_with_scratch(Lower *L, const LowerKernel *kernel)
{
    enum { SCRATCH_LIMIT = 1 << 24 }; /* elements of all work-items together */
    const KernelExp *elements = kernel_i64(L->c, 0);
    for (size_t i = 0; i < kernel->frame.scratch.count; i++) {
        elements = lower_let(L, "elements",
                             lower_op(L, CORE_ADD, elements, kernel->frame.scratch.items[i].count));
    }
    elements = lower_op(L, CORE_MAX, elements, kernel_i64(L->c, 1));
    const KernelExp *most = lower_op(L, CORE_DIV, kernel_i64(L->c, SCRATCH_LIMIT), elements);
    return lower_op(L, CORE_MAX, most, kernel_i64(L->c, 1));
}

void lower_allocate_scratch(Lower *L, const LowerKernel *kernel)
{
    const KernelExp *items = kernel_use(L->c, kernel->frame.items);
    for (size_t i = 0; i < kernel->frame.scratch.count; i++) {
        ScratchBuffer scratch = kernel->frame.scratch.items[i];
        kernel_allocate(L->b, scratch.buffer,
                        lower_let(L, "size", lower_op(L, CORE_MUL, items, scratch.count)));
    }
}

void lower_release_scratch(Lower *L, const LowerKernel *kernel)
{
    for (size_t i = 0; i < kernel->frame.scratch.count; i++) {
        kernel_release(L->b, kernel->frame.scratch.items[i].buffer);
    }
}

/* Scratch memory bounds the number of work-items: each takes every items-th iteration. */
static void add_scratch_grid(Lower *L, LowerKernel *kernel, const char *name,
                             const KernelExp *count)
{
    const KernelExp *most =
        lower_op(L, CORE_MIN, lower_most_with_scratch(L, kernel), kernel_i64(L->c, SCRATCH_ITEMS));
    kernel_declare(L->b, kernel->frame.items,
                   lower_op(L, CORE_MIN, count, lower_let(L, "most", most)));
    lower_allocate_scratch(L, kernel);
    const KernelExp *items = kernel_use(L->c, kernel->frame.items);
    const KernelExp *item = kernel_use(L->c, kernel->item);
    KernelBuilder outer = kernel_builder(L->c, L->b->span);
    KernelBuilder inner = kernel_builder(L->c, L->b->span);
    KernelVariable *round = kernel_variable(L->c, "round", CORE_I64, KERNEL_SCALAR, L->b->span);
    kernel_declare(
        &inner, kernel->index,
        lower_op(L, CORE_ADD, item, lower_op(L, CORE_MUL, kernel_use(L->c, round), items)));
    for (size_t i = 0; i < kernel->body.commands.count; i++) {
        kernel_add(&inner, kernel->body.commands.items[i]);
    }
    const KernelExp *left = lower_op(L, CORE_ADD, lower_op(L, CORE_SUB, count, item),
                                     lower_op(L, CORE_SUB, items, kernel_i64(L->c, 1)));
    kernel_for(&outer, KERNEL_SEQ, NULL, round, kernel_divide(L->c, left, items),
               kernel_block(&inner));
    kernel_for(L->b, KERNEL_GRID, name, kernel->item, items, kernel_block(&outer));
    lower_release_scratch(L, kernel);
}

/* Blocks inside of blocks, up to `most` of them. Compilers of OpenCL C take 256 (Clang's -fbracket-depth). */
static bool is_nested_at_most(KernelBlock block, int most)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool inner = command->body.count + command->otherwise.count > 0;
        if (inner && (most == 0 || !is_nested_at_most(command->body, most - 1) ||
                      !is_nested_at_most(command->otherwise, most - 1))) {
            return false;
        }
    }
    return true;
}

/* Of all arrays that a group declares. */
static int64_t local_bytes(KernelBlock block)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_DECLARE && command->variable->space == KERNEL_LOCAL) {
            bytes +=
                command->count->as.constant.as.integer * core_prim_bytes(command->variable->prim);
        }
        bytes += local_bytes(command->body) + local_bytes(command->otherwise);
    }
    return bytes;
}

/* Whether the devices that may run the kernel have the local memory that it takes. */
static bool has_room(KernelBlock block)
{
    bool more = kernel_has(block, KERNEL_PUBLISH) || kernel_find_product(block) != NULL;
    return local_bytes(block) <= (more ? LOWER_MORE_LOCAL_BYTES : LOWER_LOCAL_BYTES);
}

bool lower_kernel_end(Lower *L, LowerKernel *kernel, const char *kind, const char *text,
                      const KernelExp *count)
{
    enum { MOST_NESTED = 200 };
    KernelBlock body = kernel_block(&kernel->body);
    bool good = !L->failed && is_nested_at_most(body, MOST_NESTED) && has_room(body);
    L->frame = kernel->frame.outer;
    L->b = kernel->host;
    L->scope = kernel->scope;
    L->in_kernel = false;
    L->failed = false;
    if (!good) {
        return false;
    }
    const char *name = arena_printf(L->c->arena, "%s_%s_%u", kind, text, fresh_number(L->c));
    if (kernel->grouped) {
        kernel_declare(L->b, kernel->frame.items,
                       lower_op(L, CORE_MUL, count, kernel_i64(L->c, kernel->lanes)));
        lower_allocate_scratch(L, kernel);
        kernel_for(L->b, KERNEL_GROUP, name, kernel->index, count, kernel_block(&kernel->body));
        lower_release_scratch(L, kernel);
    } else if (kernel->frame.scratch.count > 0) {
        add_scratch_grid(L, kernel, name, count);
    } else {
        kernel_for(L->b, KERNEL_GRID, name, kernel->index, count, kernel_block(&kernel->body));
    }
    if (L->assumed.count > 0 && kernel->frame.scratch.count == 0) {
        kernel_assume(
            L->b, L->assumed.count,
            arena_copy(L->c->arena, L->assumed.items, L->assumed.count * sizeof *L->assumed.items));
    }
    return true;
}

enum { FEW_BRANCHES = 8 /* of small groups */ };
_Static_assert(LOWER_BRANCHES *LOWER_BRANCHES == KERNEL_GROUP_SIZE, "two steps combine a group");
_Static_assert(FEW_BRANCHES *FEW_BRANCHES == LOWER_SMALL_GROUP, "two steps combine a small one");

int64_t lower_branches(int64_t lanes)
{
    return lanes == LOWER_SMALL_GROUP ? FEW_BRANCHES : LOWER_BRANCHES;
}

const KernelExp *lower_lane(Lower *L, const KernelExp *l, int64_t lanes)
{
    const KernelExp *branch = kernel_divide(L->c, l, lower_number(L, lower_branches(lanes)));
    return lower_let(L, "lane", lower_op(L, CORE_ADD, l, branch));
}

void lower_local_begin(Lower *L, LowerKernel *kernel, LowerLoop *local)
{
    memset(local, 0, sizeof *local);
    local->outer = L->b;
    local->count = kernel_i64(L->c, kernel->lanes);
    local->variable = kernel_variable(L->c, "l", CORE_I64, KERNEL_SCALAR, L->b->span);
    local->index = kernel_use(L->c, local->variable);
    local->inner = kernel_builder(L->c, L->b->span);
    L->b = &local->inner;
    kernel->item = kernel_variable(L->c, "work_item", CORE_I64, KERNEL_SCALAR, L->b->span);
    kernel->frame.item = kernel_use(L->c, kernel->item);
}

static bool uses(Lower *L, KernelBlock block, const KernelVariable *variable)
{
    KernelFreeVec names = kernel_free(L->c, block);
    for (size_t i = 0; i < names.count; i++) {
        if (names.items[i].variable == variable) {
            return true;
        }
    }
    return false;
}

void lower_local_end(Lower *L, LowerKernel *kernel, LowerLoop *local)
{
    KernelBlock block = kernel_block(&local->inner);
    KernelBuilder numbered = kernel_builder(L->c, L->b->span);
    if (uses(L, block, kernel->item)) {
        const KernelExp *first =
            lower_op(L, CORE_MUL, kernel_use(L->c, kernel->index), kernel_i64(L->c, kernel->lanes));
        kernel_declare(&numbered, kernel->item, lower_op(L, CORE_ADD, first, local->index));
        kernel_add_block(&numbered, block);
        block = kernel_block(&numbered);
    }
    L->b = local->outer;
    kernel_for(L->b, KERNEL_LOCAL_LOOP, NULL, local->variable, local->count, block);
}

KernelExps lower_unflatten(Lower *L, const KernelExp *number, int rank, KernelExps extents)
{
    const KernelExp **indices = ARENA_ARRAY(L->c->arena, const KernelExp *, rank + 1);
    for (int k = rank - 1; k > 0; k--) {
        indices[k] = lower_let(L, "i", kernel_modulo(L->c, number, extents[k]));
        number = lower_let(L, "i", kernel_divide(L->c, number, extents[k]));
    }
    if (rank > 0) {
        indices[0] = number;
    }
    return indices;
}

bool lower_single_item(Lower *L, const char *kind, const char *text,
                       void (*body)(Lower *L, void *context), void *context)
{
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    body(L, context);
    return lower_kernel_end(L, &kernel, kind, text, kernel_i64(L->c, 1));
}

/* ---- map nests ------------------------------------------------------------------------------- */

bool lower_is_outside(const Nest *nest, CoreAtom atom)
{
    return atom.name == NULL || pointer_map_get(&nest->inside, atom.name) == NULL;
}

static void mark_inside(Lower *L, Nest *nest, const CoreLambda *lambda)
{
    for (size_t k = 0; k < lambda->parameter_count; k++) {
        pointer_map_set(L->c->arena, &nest->inside, lambda->parameters[k], nest);
    }
    for (size_t i = 0; i < lambda->body->stm_count; i++) {
        for (size_t k = 0; k < lambda->body->stms[i]->pattern_count; k++) {
            pointer_map_set(L->c->arena, &nest->inside, lambda->body->stms[i]->pattern[k], nest);
        }
    }
}

/* Whether the first `count` statements are cheap; notes assertions. */
static bool cheap_prefix(const CoreBody *body, size_t count, bool *asserts)
{
    *asserts = false;
    for (size_t i = 0; i < count; i++) {
        if (!lower_is_cheap(body->stms[i]->exp)) {
            return false;
        }
        *asserts = *asserts || body->stms[i]->exp->kind == CORE_EXP_ASSERT;
    }
    return true;
}

static size_t pattern_place(const CoreStm *stm, const CoreName *name)
{
    for (size_t k = 0; name != NULL && k < stm->pattern_count; k++) {
        if (stm->pattern[k] == name) {
            return k;
        }
    }
    return SIZE_MAX;
}

/* The map inside that makes exactly the results of this body, each once, or none where it only checks; false where there is
   none. Fills in which acceptor each of its results has. */
static bool find_inner(Lower *L, const Nest *nest, NestLevel *level, size_t **inner_outs)
{
    const CoreBody *body = level->soac->map->body;
    if (body->stm_count == 0) {
        return false;
    }
    const CoreStm *last = body->stms[body->stm_count - 1];
    if ((last->pattern_count == 0) != (body->result_count == 0) ||
        last->exp->kind != CORE_EXP_SOAC || last->exp->as.soac.reduction_count > 0 ||
        last->exp->as.soac.scan_count > 0 || !lower_is_outside(nest, last->exp->as.soac.width) ||
        (last->exp->level != CORE_LEVEL_AUTO && last->exp->level != CORE_GRID) ||
        (last->exp->space != CORE_SPACE_AUTO && last->exp->space != CORE_GLOBAL) ||
        !cheap_prefix(body, body->stm_count - 1, &level->asserts) ||
        (level->asserts && lower_checks(last))) { /* the first row's error comes first */
        return false;
    }
    size_t *outs = ARENA_ARRAY(L->c->arena, size_t, last->pattern_count + 1);
    memset(outs, 0xff, sizeof *outs * (last->pattern_count + 1));
    for (size_t k = 0; k < body->result_count; k++) {
        size_t place = pattern_place(last, body->results[k].name);
        if (place == SIZE_MAX || outs[place] != SIZE_MAX) {
            return false;
        }
        outs[place] = level->outs[k];
    }
    level->inner = last;
    *inner_outs = outs;
    return true;
}

static bool is_view_result(const CoreBody *body, CoreAtom result)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        if (pattern_place(body->stms[i], result.name) != SIZE_MAX) {
            return core_is_view(body->stms[i]->exp->kind) ||
                   body->stms[i]->exp->kind == CORE_EXP_ATOM;
        }
    }
    return true;
}

/* Rows of the innermost results that are views of one shape: their elements are iterations, too. */
static void find_view_rows(Lower *L, Nest *nest, NestLevel *level)
{
    const CoreLambda *lambda = level->soac->map;
    const CoreBody *body = lambda->body;
    if (body->result_count == 0 || lambda->result_types[0].rank == 0 ||
        !cheap_prefix(body, body->stm_count, &level->asserts)) {
        return;
    }
    CoreType first = lambda->result_types[0];
    for (size_t k = 0; k < body->result_count; k++) {
        CoreType type = lambda->result_types[k];
        if (type.rank != first.rank || !is_view_result(body, body->results[k])) {
            return;
        }
        for (int axis = 0; axis < type.rank; axis++) {
            if (!core_atom_equal(type.sizes[axis], first.sizes[axis]) ||
                !lower_is_outside(nest, type.sizes[axis])) {
                return;
            }
        }
    }
    nest->view_rank = (size_t)first.rank;
    for (int axis = 0; axis < first.rank; axis++) {
        vec_push(L->c->arena, &nest->extents, first.sizes[axis]);
    }
}

Nest *lower_nest(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    Nest *nest = ARENA_NEW(L->c->arena, Nest);
    nest->out_count = stm->pattern_count;
    nest->outs = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    size_t *outs = ARENA_ARRAY(L->c->arena, size_t, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        nest->outs[k] = lower_place(L, stm->pattern[k]);
        outs[k] = k;
    }
    for (;;) {
        NestLevel level = {.soac = soac, .outs = outs};
        vec_push(L->c->arena, &nest->extents, soac->width);
        mark_inside(L, nest, soac->map);
        bool deeper = find_inner(L, nest, &level, &outs);
        if (!deeper) {
            find_view_rows(L, nest, &level);
        }
        vec_push(L->c->arena, &nest->levels, level);
        if (!deeper) {
            return nest;
        }
        soac = &level.inner->exp->as.soac;
    }
}

KernelExps lower_nest_extents(Lower *L, const Nest *nest)
{
    const KernelExp **extents =
        ARENA_ARRAY(L->c->arena, const KernelExp *, nest->extents.count + 1);
    for (size_t k = 0; k < nest->extents.count; k++) {
        extents[k] = lower_scalar(L, nest->extents.items[k]);
    }
    return extents;
}

const KernelExp *lower_enter_level(Lower *L, const NestLevel *level, const KernelExp *index)
{
    const CoreLambda *lambda = level->soac->map;
    lower_bind_rows(L, lambda, 0, level->soac->input_count, level->soac->inputs, index);
    if (level->inner == NULL) {
        return NULL;
    }
    for (size_t i = 0; i + 1 < lambda->body->stm_count; i++) {
        lower_statement(L, lambda->body->stms[i]);
    }
    return lower_guard_of(L, level->inner);
}

static void innermost(Lower *L, const Nest *nest, KernelExps indices)
{
    const NestLevel *level = &nest->levels.items[nest->levels.count - 1];
    const CoreBody *body = level->soac->map->body;
    size_t depth = nest->levels.count;
    Value *results = ARENA_ARRAY(L->c->arena, Value, body->result_count + 1);
    const Reader **wanted = ARENA_ARRAY(L->c->arena, const Reader *, body->result_count + 1);
    for (size_t k = 0; k < body->result_count; k++) {
        wanted[k] = level->outs[k] == SIZE_MAX ? NULL : nest->outs[level->outs[k]];
        if (wanted[k] != NULL) {
            wanted[k] = lower_row(L, wanted[k], depth + nest->view_rank, indices);
        }
    }
    if (nest->view_rank == 0) {
        lower_body(L, body, wanted, results);
        return;
    }
    lower_body(L, body, NULL, results);
    for (size_t k = 0; k < body->result_count; k++) {
        if (wanted[k] != NULL) {
            lower_store_scalar(L, wanted[k], lower_read(L, results[k].array, indices + depth));
        }
    }
}

/* The assertions beside the maps of the first `depth` levels. */
static bool check_level(Lower *L, const Nest *nest, size_t depth, KernelExps extents,
                        const char *text)
{
    const KernelExp *count = lower_product(L, (int)depth, extents);
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    KernelExps indices = lower_unflatten(L, kernel_use(L->c, kernel.index), (int)depth, extents);
    for (size_t v = 0; v < depth; v++) {
        lower_enter_level(L, &nest->levels.items[v], indices[v]);
        const NestLevel *level = &nest->levels.items[v];
        for (size_t i = 0; level->inner == NULL && i < level->soac->map->body->stm_count; i++) {
            lower_statement(L, level->soac->map->body->stms[i]);
        }
    }
    return lower_kernel_end(L, &kernel, "check", text, count);
}

void lower_nest_element(Lower *L, const Nest *nest, KernelExps indices)
{
    /* What stands under a map with certificates is in a block of its own. */
    LowerLoop *blocks = ARENA_ARRAY(L->c->arena, LowerLoop, nest->levels.count);
    const KernelExp **guards = ARENA_ARRAY(L->c->arena, const KernelExp *, nest->levels.count);
    for (size_t v = 0; v < nest->levels.count; v++) {
        guards[v] = lower_enter_level(L, &nest->levels.items[v], indices[v]);
        if (guards[v] != NULL) {
            lower_block_begin(L, &blocks[v]);
        }
    }
    innermost(L, nest, indices);
    for (size_t v = nest->levels.count; v-- > 0;) {
        if (guards[v] != NULL) {
            KernelBlock guarded = lower_block_end(L, &blocks[v]);
            kernel_if(L->b, guards[v], guarded, (KernelBlock){0});
        }
    }
}

bool lower_nest_grid(Lower *L, const Nest *nest, KernelExps extents, const char *text)
{
    int rank = (int)nest->extents.count;
    const KernelExp *count = lower_product(L, rank, extents);
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    lower_nest_element(L, nest, lower_unflatten(L, kernel_use(L->c, kernel.index), rank, extents));
    return lower_kernel_end(L, &kernel, "map", text, count);
}

bool lower_map_grid(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    Nest *nest = lower_nest(L, stm, soac);
    KernelExps extents = lower_nest_extents(L, nest);
    int rank = (int)nest->extents.count;
    const char *text = stm->pattern_count > 0 ? stm->pattern[0]->text : "nothing";
    for (size_t v = 0; v < nest->levels.count; v++) {
        if (nest->levels.items[v].asserts && (int)v + 1 < rank &&
            !check_level(L, nest, v + 1, extents, text)) {
            return false;
        }
    }
    bool is_free = stm->exp->level == CORE_LEVEL_AUTO;
    if (!(is_free && lower_nest_strips(L, nest, extents, text, true)) &&
        !lower_segmented(L, stm, nest, extents, text) &&
        !(is_free && lower_nest_strips(L, nest, extents, text, false)) &&
        !lower_nest_grid(L, nest, extents, text)) {
        return false;
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        lower_bind_array(L, stm->pattern[k], nest->outs[k]);
    }
    return true;
}
