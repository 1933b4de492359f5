/* Work-groups: a map of level @group is one group of work-items an iteration; in its function,
   SOACs of level @thread are shared out among the group's work-items ([DPIA] 6: mapWorkgroup,
   mapLocal).

       map @group n (rows) (\row ->                  GROUP g < n {
         let t = copy @local row                         local t[64]
         let ys = map @thread 64 (t) f         ==>       LOCAL l { SEQ i = l, l + 256, .. < 64 {
         let s = reduce @thread 64 (ys) (+) 0                          t[i] = row[i] } }
         in (s))                                         BARRIER
                                                         LOCAL l { ... ys[i] = f(t[i]) }
                                                         BARRIER  ... }

   Scalars of the function are uniform in the group: each work-item computes them. Arrays are in
   local memory where their size is a small constant or the program asks for it, else in device
   memory, a piece for each group. Barriers stand at the top of the kernel only.

   Flattening makes such maps, too (core/flatten/groups.c), whose functions have SOACs without a level and whose
   arrays always are in local memory. */
#include "backend/lower/lower.h"

/* Bytes of local memory that a kernel may declare (OpenCL guarantees twice that), and elements that
   an array without a space may have to be there. */
enum { MOST_LOCAL_BYTES = 16384, FEW_LOCAL_ELEMENTS = 1024 };

typedef struct Group {
    LowerKernel kernel;
    const KernelExp *index; /* of the group */
    int64_t local_bytes;
    int64_t capacity; /* not 0: flattening has made it; the most elements of an array */
} Group;

/* ---- memory ---------------------------------------------------------------------------------- */

static const Reader *in_local(Lower *L, Group *group, CoreName *name, int64_t count)
{
    KernelVariable *buffer =
        kernel_variable(L->c, name->text, lower_prim(name->type.prim), KERNEL_LOCAL, L->b->span);
    group->local_bytes += core_prim_bytes(name->type.prim) * (count > 0 ? count : 1);
    kernel_declare_buffer(L->b, buffer, count > 0 ? count : 1);
    return lower_buffer_reader(L, buffer, name->type.rank, lower_shape(L, name->type));
}

/* A piece of device memory for each group: the scratch memory of its work-items together. */
static const Reader *in_global(Lower *L, const Group *group, CoreName *name, const KernelExp *count)
{
    const KernelExp *outside = lower_bound(L, count, L->frame->last_outside);
    if (outside == NULL) {
        L->failed = true;
        outside = lower_number(L, 1);
    }
    const KernelExp *size = lower_number(L, KERNEL_GROUP_SIZE);
    const KernelExp *share = kernel_divide(
        L->c, lower_op(L, CORE_ADD, outside, lower_number(L, KERNEL_GROUP_SIZE - 1)), size);
    KernelVariable *buffer =
        kernel_variable(L->c, name->text, lower_prim(name->type.prim), KERNEL_GLOBAL, L->b->span);
    ScratchBuffer scratch = {buffer, share};
    vec_push(L->c->arena, &L->frame->scratch, scratch);
    Reader *reader = ARENA_NEW(L->c->arena, Reader);
    *reader = *lower_buffer_reader(L, buffer, name->type.rank, lower_shape(L, name->type));
    const KernelExp *items = lower_op(L, CORE_MUL, group->index, size);
    reader->offset = lower_let(L, "start", lower_op(L, CORE_MUL, items, share));
    return reader;
}

/* Where an array that the group makes is kept. */
static const Reader *group_place(Lower *L, Group *group, const CoreStm *stm, CoreName *name)
{
    CoreSpace space = stm->exp->space;
    const Reader *wanted = pointer_map_get(&L->wanted, name);
    if (wanted != NULL && space != CORE_LOCAL) {
        return wanted;
    }
    if (group->capacity > 0) {
        return in_local(L, group, name, group->capacity);
    }
    const KernelExp *count = lower_product(L, name->type.rank, lower_shape(L, name->type));
    bool constant = count->kind == KERNEL_CONSTANT;
    int64_t elements = constant ? count->as.constant.as.integer : 0;
    int64_t bytes = group->local_bytes + elements * core_prim_bytes(name->type.prim);
    bool fits = constant && elements <= MOST_LOCAL_BYTES && bytes <= MOST_LOCAL_BYTES;
    if (space == CORE_LOCAL && !fits) {
        lower_refuse_space(L, stm, "memory of a work-group is 16384 bytes here, and this is more");
    }
    if (fits &&
        (space == CORE_LOCAL || (space == CORE_SPACE_AUTO && elements <= FEW_LOCAL_ELEMENTS))) {
        return in_local(L, group, name, elements);
    }
    return in_global(L, group, name, count);
}

/* ---- work-items together --------------------------------------------------------------------- */

/* i = l, l + 256, ... below count, for each work-item l. */
typedef struct Share {
    LowerLoop local, loop;
    const KernelExp *index;
} Share;

static void begin_share(Lower *L, Group *group, Share *share, const KernelExp *count)
{
    lower_local_begin(L, &group->kernel, &share->local);
    const KernelExp *left = lower_op(L, CORE_SUB, count, share->local.index);
    left =
        lower_op(L, CORE_MAX, lower_op(L, CORE_ADD, left, lower_number(L, KERNEL_GROUP_SIZE - 1)),
                 lower_number(L, 0));
    const KernelExp *rounds =
        lower_let(L, "rounds", kernel_divide(L->c, left, lower_number(L, KERNEL_GROUP_SIZE)));
    lower_loop_begin(L, &share->loop, FRAME_MAP, "t", rounds);
    const KernelExp *step =
        lower_op(L, CORE_MUL, share->loop.index, lower_number(L, KERNEL_GROUP_SIZE));
    share->index = lower_let(L, "i", lower_op(L, CORE_ADD, share->local.index, step));
}

static void end_share(Lower *L, Group *group, Share *share)
{
    lower_loop_end(L, &share->loop);
    lower_local_end(L, &group->kernel, &share->local);
    kernel_barrier(L->b);
}

/* place := array, each work-item some elements. */
static void assign_together(Lower *L, Group *group, const Reader *place, const Reader *array)
{
    if (lower_same_memory(place, array)) {
        return;
    }
    Share share;
    begin_share(L, group, &share, lower_product(L, place->rank, place->shape));
    KernelExps indices = lower_unflatten(L, share.index, place->rank, place->shape);
    const KernelExp *element = lower_read(L, array, indices);
    lower_store_scalar(L, lower_row(L, place, (size_t)place->rank, indices), element);
    end_share(L, group, &share);
}

static void thread_map(Lower *L, Group *group, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t count = stm->pattern_count;
    const Reader **places = ARENA_ARRAY(L->c->arena, const Reader *, count + 1);
    const Reader **wanted = ARENA_ARRAY(L->c->arena, const Reader *, count + 1);
    Value *results = ARENA_ARRAY(L->c->arena, Value, count + 1);
    for (size_t k = 0; k < count; k++) {
        places[k] = group_place(L, group, stm, stm->pattern[k]);
    }
    Share share;
    begin_share(L, group, &share, lower_scalar(L, soac->width));
    lower_bind_rows(L, soac->map, 0, soac->input_count, soac->inputs, share.index);
    for (size_t k = 0; k < count; k++) {
        wanted[k] = lower_row(L, places[k], 1, &share.index);
    }
    lower_body(L, soac->map->body, wanted, results);
    end_share(L, group, &share);
    for (size_t k = 0; k < count; k++) {
        lower_bind_array(L, stm->pattern[k], places[k]);
    }
}

static void thread_reduce(Lower *L, Group *group, const CoreStm *stm)
{
    void **before = ARENA_ARRAY(L->c->arena, void *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreName *name = stm->pattern[k];
        before[k] = pointer_map_get(&L->wanted, name);
        if (name->type.rank > 0 && before[k] == NULL) {
            const Reader *place = group_place(L, group, stm, name);
            pointer_map_set(L->c->arena, &L->wanted, name, (void *)(uintptr_t)place);
        }
    }
    group->local_bytes += lower_reduce_in_group(L, &group->kernel, stm, &stm->exp->as.soac);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        pointer_map_set(L->c->arena, &L->wanted, stm->pattern[k], before[k]);
    }
}

/* ---- the function ---------------------------------------------------------------------------- */

static void group_statement(Lower *L, Group *group, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    CoreName *name = stm->pattern_count > 0 ? stm->pattern[0] : NULL;
    const KernelExp *guard = stm->certificate_count > 0 ? lower_guard_of(L, stm) : NULL;
    bool is_shared = exp->level == CORE_THREAD || group->capacity > 0;
    if (exp->kind == CORE_EXP_SOAC && is_shared && guard == NULL) {
        if (lower_is_map(exp)) {
            thread_map(L, group, stm);
        } else {
            thread_reduce(L, group, stm);
        }
    } else if (exp->kind == CORE_EXP_COPY && guard == NULL) {
        const Reader *place = group_place(L, group, stm, name);
        assign_together(L, group, place, lower_array(L, exp->as.array));
        lower_bind_array(L, name, place);
    } else if (lower_is_uniform(stm)) {
        lower_statement(L, stm);
    } else {
        L->failed = true;
    }
}

/* Wants results that @thread SOACs and copies make in their rows of the outcome. */
static void want_results(Lower *L, const CoreBody *body, const Reader *const *rows, bool begin)
{
    for (size_t k = 0; k < body->result_count; k++) {
        const CoreName *name = body->results[k].name;
        for (size_t i = 0; rows[k]->rank > 0 && i < body->stm_count; i++) {
            const CoreStm *stm = body->stms[i];
            bool makes = stm->exp->kind == CORE_EXP_COPY || stm->exp->kind == CORE_EXP_SOAC;
            for (size_t j = 0; makes && j < stm->pattern_count; j++) {
                if (stm->pattern[j] == name) {
                    pointer_map_set(L->c->arena, &L->wanted, name,
                                    begin ? (void *)(uintptr_t)rows[k] : NULL);
                }
            }
        }
    }
}

static void store_scalars(Lower *L, Group *group, const CoreBody *body, const Reader *const *rows)
{
    LowerLoop local, block;
    lower_local_begin(L, &group->kernel, &local);
    lower_block_begin(L, &block);
    for (size_t k = 0; k < body->result_count; k++) {
        if (rows[k]->rank == 0) {
            lower_store_scalar(L, rows[k], lower_scalar(L, body->results[k]));
        }
    }
    KernelBlock store = lower_block_end(L, &block);
    kernel_if(L->b, lower_op(L, CORE_EQ, local.index, lower_number(L, 0)), store, (KernelBlock){0});
    lower_local_end(L, &group->kernel, &local);
}

/* Whether flattening has made it (core/flatten/groups.c): a program that asks for groups has its work-items share
   SOACs by @thread. */
static bool is_made(const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        if (exp->kind == CORE_EXP_SOAC && exp->level == CORE_LEVEL_AUTO) {
            return true;
        }
    }
    return false;
}

static bool by_groups(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                      const Reader *const *places)
{
    const CoreBody *body = soac->map->body;
    const Reader **rows = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    Group group = {.capacity = is_made(body) ? core_group_capacity(body) : 0};
    lower_kernel_begin(L, &group.kernel, true);
    group.index = kernel_use(L->c, group.kernel.index);
    lower_bind_rows(L, soac->map, 0, soac->input_count, soac->inputs, group.index);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        rows[k] = lower_row(L, places[k], 1, &group.index);
    }
    want_results(L, body, rows, true);
    for (size_t i = 0; i < body->stm_count && !L->failed; i++) {
        group_statement(L, &group, body->stms[i]);
    }
    want_results(L, body, rows, false);
    for (size_t k = 0; k < body->result_count && !L->failed; k++) {
        if (rows[k]->rank > 0) {
            assign_together(L, &group, rows[k], lower_array(L, body->results[k]));
        }
    }
    if (!L->failed) {
        store_scalars(L, &group, body, rows);
    }
    const char *text = stm->pattern_count > 0 ? stm->pattern[0]->text : "nothing";
    return lower_kernel_end(L, &group.kernel, "group", text, lower_scalar(L, soac->width));
}

/* Where a device's work-items do not work in lanes, one has a row for itself. */
static bool by_lanes(Lower *L, const CoreStm *stm, const Reader *const *places)
{
    CoreStm *alone = arena_copy(L->c->arena, stm, sizeof *stm);
    alone->exp = core_exp_placed(L->c, stm->exp, CORE_LEVEL_AUTO, stm->exp->space);
    const CoreSoac *soac = &alone->exp->as.soac;
    LowerLoop version;
    lower_block_begin(L, &version);
    bool good = by_groups(L, stm, soac, places);
    KernelBlock groups = lower_block_end(L, &version);
    lower_block_begin(L, &version);
    good = lower_map_grid(L, alone, soac) && good;
    if (good) {
        lower_map_on_processor(L, alone, soac, 0);
    }
    KernelBlock items = lower_block_end(L, &version);
    const KernelExp *lanes = lower_device(L, "lanes", CORE_I64);
    kernel_if(L->b, lower_op(L, CORE_EQ, lanes, lower_number(L, 1)), items, groups);
    return good;
}

bool lower_map_group(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    const Reader **places = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        places[k] = lower_place(L, stm->pattern[k]);
    }
    bool good =
        is_made(soac->map->body) ? by_lanes(L, stm, places) : by_groups(L, stm, soac, places);
    for (size_t k = 0; good && k < stm->pattern_count; k++) {
        lower_bind_array(L, stm->pattern[k], places[k]);
    }
    return good;
}
