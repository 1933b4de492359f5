/* Kernels: frames for the work-items' code, scratch memory, and map nests as one flat grid.

       map n (\row -> map m (\x -> e))     ==>     GRID k < n*m { i = k / m; j = k % m; out[i, j] =
   e }

   [PLDI 5.1, figure 12 rule G1 read as code]: only a perfect nest is flattened, that is one whose
   outer bodies hold nothing but views and cheap scalar statements before the inner map. Anything
   else inside a map runs sequentially in its work-item.

   A kernel whose work-items need memory of their own, more than a private array, is given a
   buffer by the host: one part a work-item. Its grid then has a limited number of work-items, each
   of which takes several iterations. Where memory cannot be had, `failed` is set and the map
   becomes a loop of the host (soacs.c). */
#include "backend/lower/lower.h"

/* Work-items at a time in a kernel whose work-items own scratch memory. */
enum { MOST_OWNERS = 1 << 17 };

/* ---- kernels under construction ---------------------------------------------------------------
 */

void lower_kernel_begin(Lower *L, LowerKernel *kernel, bool grouped)
{
    memset(kernel, 0, sizeof *kernel);
    Span span = L->b->span;
    kernel->host = L->b;
    kernel->scope = L->scope;
    kernel->grouped = grouped;
    kernel->frame.items = kernel_variable(L->c, "items", CORE_I64, KERNEL_SCALAR, span);
    kernel->frame.kind = FRAME_KERNEL;
    kernel->frame.outer = L->frame;
    kernel->frame.before = L->b;
    kernel->frame.last_outside = L->c->last_number;
    kernel->index = kernel_variable(L->c, grouped ? "group" : "i", CORE_I64, KERNEL_SCALAR, span);
    kernel->item = kernel_variable(L->c, "item", CORE_I64, KERNEL_SCALAR, span);
    kernel->frame.item = kernel_use(L->c, kernel->item);
    kernel->body = kernel_builder(L->c, span);
    L->b = &kernel->body;
    L->scope = NULL;
    L->frame = &kernel->frame;
    L->in_kernel = true;
    L->failed = false;
}

/* The buffers that the work-items own, made by the host before the kernel. */
static void allocate_owned(Lower *L, const LowerKernel *kernel, const KernelExp *items)
{
    kernel_declare(L->b, kernel->frame.items, items);
    for (size_t i = 0; i < kernel->frame.scratch.count; i++) {
        const ScratchBuffer *scratch = &kernel->frame.scratch.items[i];
        kernel_allocate(
            L->b, scratch->buffer,
            kernel_binary(L->c, CORE_MUL, kernel_use(L->c, kernel->frame.items), scratch->count));
        lower_own(L, scratch->buffer);
    }
}

/* Work-item w takes iterations w, w + items, w + 2 items, ... of `count`. */
static KernelBlock take_turns(Lower *L, LowerKernel *kernel, const KernelExp *count)
{
    KernelVariable *turn =
        kernel_variable(L->c, "turn", CORE_I64, KERNEL_SCALAR, kernel->body.span);
    const KernelExp *items = kernel_use(L->c, kernel->frame.items);
    const KernelExp *item = kernel_use(L->c, kernel->item);
    const KernelExp *left = kernel_binary(L->c, CORE_SUB, count, item);
    const KernelExp *turns =
        kernel_divide(L->c,
                      kernel_binary(L->c, CORE_ADD, left,
                                    kernel_binary(L->c, CORE_SUB, items, kernel_i64(L->c, 1))),
                      items);
    KernelBuilder one = kernel_builder(L->c, kernel->body.span);
    kernel_declare(&one, kernel->index,
                   kernel_binary(L->c, CORE_ADD, item,
                                 kernel_binary(L->c, CORE_MUL, kernel_use(L->c, turn), items)));
    KernelBlock body = kernel_block(&kernel->body);
    for (size_t i = 0; i < body.count; i++) {
        kernel_add(&one, body.commands[i]);
    }
    KernelBuilder all = kernel_builder(L->c, kernel->body.span);
    kernel_for(&all, KERNEL_SEQ, NULL, turn, turns, kernel_block(&one));
    return kernel_block(&all);
}

bool lower_kernel_end(Lower *L, LowerKernel *kernel, const char *kind, const char *text,
                      const KernelExp *count)
{
    L->b = kernel->host;
    L->scope = kernel->scope;
    L->frame = kernel->frame.outer;
    L->in_kernel = false;
    if (L->failed) {
        L->failed = false;
        return false;
    }
    bool owners = kernel->frame.scratch.count > 0;
    count = lower_let(L, "count", count);
    KernelVariable *index = kernel->index;
    KernelBlock body;
    const KernelExp *iterations = count;
    if (owners && !kernel->grouped) {
        allocate_owned(L, kernel,
                       kernel_binary(L->c, CORE_MIN, count, kernel_i64(L->c, MOST_OWNERS)));
        body = take_turns(L, kernel, count);
        index = kernel->item;
        iterations = kernel_use(L->c, kernel->frame.items);
    } else {
        if (owners) {
            allocate_owned(
                L, kernel,
                kernel_binary(L->c, CORE_MUL, count, kernel_i64(L->c, KERNEL_GROUP_SIZE)));
        }
        body = kernel_block(&kernel->body);
    }
    const char *source = lower_source_text(L, L->b->span);
    if (source != NULL) {
        kernel_comment(L->b, source);
    }
    const char *name = arena_printf(L->c->arena, "%s_%s_%u", kind, text, fresh_number(L->c));
    kernel_for(L->b, kernel->grouped ? KERNEL_GROUP : KERNEL_GRID, name, index, iterations, body);
    return true;
}

void lower_local_begin(Lower *L, LowerKernel *kernel, LowerLoop *local)
{
    memset(local, 0, sizeof *local);
    local->outer = L->b;
    local->inner = kernel_builder(L->c, L->b->span);
    local->variable = kernel_variable(L->c, "l", CORE_I64, KERNEL_SCALAR, L->b->span);
    local->index = kernel_use(L->c, local->variable);
    L->b = &local->inner;
    const KernelExp *first = kernel_binary(L->c, CORE_MUL, kernel_use(L->c, kernel->index),
                                           kernel_i64(L->c, KERNEL_GROUP_SIZE));
    kernel->group_item = lower_let(L, "item", kernel_binary(L->c, CORE_ADD, first, local->index));
    kernel->frame.item = kernel->group_item;
}

void lower_local_end(Lower *L, LowerLoop *local)
{
    L->b = local->outer;
    kernel_for(L->b, KERNEL_LOCAL_LOOP, NULL, local->variable, kernel_i64(L->c, KERNEL_GROUP_SIZE),
               kernel_block(&local->inner));
}

KernelExps lower_unflatten(Lower *L, const KernelExp *number, int rank, KernelExps extents)
{
    const KernelExp **indices = ARENA_ARRAY(L->c->arena, const KernelExp *, rank + 1);
    for (int k = rank - 1; k > 0; k--) {
        indices[k] = lower_let(L, "i", kernel_modulo(L->c, number, extents[k]));
        number = lower_let(L, "rest", kernel_divide(L->c, number, extents[k]));
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

/* ---- map nests --------------------------------------------------------------------------------
 */

typedef VEC(const CoreSoac *) SoacVec;
typedef VEC(const CoreName *) NameVec;

static bool is_pure_map(const CoreSoac *soac)
{
    return soac->reduction_count == 0 && soac->scan_count == 0;
}

static bool contains(const NameVec *names, const CoreName *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (names->items[i] == name) {
            return true;
        }
    }
    return false;
}

static void add_names(Lower *L, NameVec *names, size_t count, CoreName *const *added)
{
    for (size_t i = 0; i < count; i++) {
        vec_push(L->c->arena, names, added[i]);
    }
}

/* The map whose results, all and in order, are the body's; the statements before it are cheap. */
static const CoreSoac *inner_map(const CoreBody *body)
{
    if (body->stm_count == 0) {
        return NULL;
    }
    const CoreStm *last = body->stms[body->stm_count - 1];
    if (last->exp->kind != CORE_EXP_SOAC || last->certificate_count > 0 ||
        last->exp->level == CORE_SEQ || !is_pure_map(&last->exp->as.soac) ||
        last->pattern_count != body->result_count) {
        return NULL;
    }
    for (size_t k = 0; k < body->result_count; k++) {
        if (body->results[k].name != last->pattern[k]) {
            return NULL;
        }
    }
    for (size_t i = 0; i + 1 < body->stm_count; i++) {
        if (!lower_is_cheap(body->stms[i]->exp)) {
            return NULL;
        }
    }
    return &last->exp->as.soac;
}

/* The maps of a perfect nest, outermost first. Their widths do not depend on what is bound inside.
 */
static SoacVec nest_of(Lower *L, const CoreSoac *outermost)
{
    SoacVec nest = {0};
    NameVec inside = {0};
    for (const CoreSoac *soac = outermost; soac != NULL;) {
        vec_push(L->c->arena, &nest, soac);
        const CoreBody *body = soac->map->body;
        add_names(L, &inside, soac->map->parameter_count, soac->map->parameters);
        for (size_t i = 0; i < body->stm_count; i++) {
            add_names(L, &inside, body->stms[i]->pattern_count, body->stms[i]->pattern);
        }
        const CoreSoac *next = inner_map(body);
        if (next != NULL && next->width.name != NULL && contains(&inside, next->width.name)) {
            next = NULL;
        }
        soac = next;
    }
    return nest;
}

static void nest_body(Lower *L, const SoacVec *nest, KernelExps indices,
                      const Reader *const *places, size_t place_count)
{
    Arena *arena = L->c->arena;
    for (size_t depth = 0; depth < nest->count; depth++) {
        const CoreSoac *soac = nest->items[depth];
        lower_bind_rows(L, soac->map, 0, soac->input_count, soac->inputs, indices[depth]);
        if (depth + 1 < nest->count) {
            for (size_t i = 0; i + 1 < soac->map->body->stm_count; i++) {
                lower_statement(L, soac->map->body->stms[i]);
            }
        }
    }
    const Reader **wanted = ARENA_ARRAY(arena, const Reader *, place_count + 1);
    Value *results = ARENA_ARRAY(arena, Value, place_count + 1);
    for (size_t k = 0; k < place_count; k++) {
        wanted[k] = lower_row(L, places[k], nest->count, indices);
    }
    lower_body(L, nest->items[nest->count - 1]->map->body, wanted, results);
}

bool lower_map_grid(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    Arena *arena = L->c->arena;
    SoacVec nest = nest_of(L, soac);
    const KernelExp **extents = ARENA_ARRAY(arena, const KernelExp *, nest.count + 1);
    for (size_t k = 0; k < nest.count; k++) {
        extents[k] = lower_scalar(L, nest.items[k]->width);
    }
    const KernelExp *count = lower_product(L, (int)nest.count, extents);
    const Reader **places = ARENA_ARRAY(arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        places[k] = lower_place(L, stm->pattern[k]);
    }
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    KernelExps indices =
        lower_unflatten(L, kernel_use(L->c, kernel.index), (int)nest.count, extents);
    nest_body(L, &nest, indices, places, stm->pattern_count);
    const char *text = stm->pattern_count > 0 ? stm->pattern[0]->text : "nothing";
    if (lower_kernel_end(L, &kernel, "map", text, count)) {
        for (size_t k = 0; k < stm->pattern_count; k++) {
            lower_bind_array(L, stm->pattern[k], places[k]);
        }
        return true;
    }
    /* The host's loop uses the same memory. */
    for (size_t k = 0; k < stm->pattern_count; k++) {
        lower_map_set(arena, &L->wanted, stm->pattern[k], (void *)(uintptr_t)places[k]);
    }
    lower_soac_sequential(L, stm, soac);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        lower_map_set(arena, &L->wanted, stm->pattern[k], NULL);
    }
    return true;
}
