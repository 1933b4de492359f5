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

   Flattening makes such maps, too (core/flatten/groups.c), whose functions have SOACs without a level, in loops, too,
   and whose arrays always are in local memory:

       loop (v = row) for i < k do         local now[m], next[m]
         map m (v, rotate 1 v) f           LOCAL l { now[..] = row[..] }  BARRIER
                                     ==>   SEQ i < k {
                                             LOCAL l { next[..] = f(now[..], now[..]) }  BARRIER
                                             SWAP now, next } */
#include "backend/lower/scan.h"

/* Bytes of local memory that a kernel may declare (OpenCL guarantees twice that), and elements that
   an array without a space may have to be there. */
enum { MOST_LOCAL_BYTES = 16384, FEW_LOCAL_ELEMENTS = 1024 };

typedef struct Group {
    LowerKernel kernel;
    const KernelExp *index; /* of the group */
    int64_t local_bytes;
    const CoreBody *made; /* NULL, or the function: flattening has made it */
    VEC(CoreType) sized;  /* arrays in local memory whose sizes are not constants */
    /* Up to this command nothing is being read that may be written next. */
    const KernelBuilder *settled_in;
    size_t settled;
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

static void note_sized(Lower *L, Group *group, CoreType type)
{
    for (size_t i = 0; i < group->sized.count; i++) {
        if (core_has_same_sizes(group->sized.items[i], type)) {
            return;
        }
    }
    vec_push(L->c->arena, &group->sized, type);
}

/* Of what flattening has made. Rows lie apart by an odd number of elements, so that neighbours in a column are in
   different banks. */
static const Reader *in_room(Lower *L, Group *group, CoreName *name)
{
    const int rank = name->type.rank;
    KernelExps shape = lower_shape(L, name->type);
    const KernelExp **strides = ARENA_ARRAY(L->c->arena, const KernelExp *, rank + 1);
    const KernelExp *elements = lower_number(L, 1);
    for (int axis = rank - 1; axis >= 0; axis--) {
        const KernelExp *size = shape[axis];
        strides[axis] = elements;
        if (axis > 0 && axis == rank - 1) {
            const KernelExp *even = lower_op(L, CORE_SUB, lower_number(L, 1),
                                             kernel_modulo(L->c, size, lower_number(L, 2)));
            size = lower_let(L, "apart",
                             lower_op(L, CORE_MAX, size, lower_op(L, CORE_ADD, size, even)));
        }
        elements = lower_let(L, "elements", lower_op(L, CORE_MUL, size, elements));
    }
    int64_t count;
    if (lower_has_constant_sizes(name->type)) {
        count = elements->as.constant.as.integer;
    } else {
        count = core_group_capacity(group->made, rank);
        note_sized(L, group, name->type);
    }
    Reader *place = ARENA_NEW(L->c->arena, Reader);
    *place = *in_local(L, group, name, count);
    if (rank > 1) {
        place->strides = strides;
        place->unit = NULL;
    }
    return place;
}

/* Host: the arrays have room. Flattening has asked for no less, but of the function as it was then. */
static const KernelExp *has_room(Lower *L, const Group *group)
{
    const KernelExp *all = kernel_constant(L->c, core_bool(true));
    for (size_t i = 0; i < group->sized.count; i++) {
        const CoreType type = group->sized.items[i];
        KernelExps shape = lower_shape(L, type);
        const KernelExp *elements = lower_number(L, 1);
        for (int axis = 0; axis < type.rank; axis++) {
            bool apart = axis > 0 && axis == type.rank - 1;
            const KernelExp *size =
                apart ? lower_op(L, CORE_ADD, shape[axis], lower_number(L, 1)) : shape[axis];
            elements = lower_op(L, CORE_MUL, elements, size);
        }
        const KernelExp *most = lower_number(L, core_group_capacity(group->made, type.rank));
        const KernelExp *fits = lower_op(L, CORE_LE, elements, most);
        all = lower_op(L, CORE_AND, all, fits);
    }
    return all;
}

/* A piece of device memory for each group: the scratch memory of its work-items together. */
static const Reader *in_global(Lower *L, const Group *group, CoreName *name, const KernelExp *count)
{
    const KernelExp *outside = lower_bound(L, count, L->frame->last_outside);
    if (outside == NULL) {
        L->failed = true;
        outside = lower_number(L, 1);
    }
    const int64_t lanes = group->kernel.lanes;
    const KernelExp *size = lower_number(L, lanes);
    const KernelExp *share =
        kernel_divide(L->c, lower_op(L, CORE_ADD, outside, lower_number(L, lanes - 1)), size);
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
    if (group->made != NULL) {
        return in_room(L, group, name);
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
    const int64_t lanes = group->kernel.lanes;
    lower_local_begin(L, &group->kernel, &share->local);
    const KernelExp *left = lower_op(L, CORE_SUB, count, share->local.index);
    left = lower_op(L, CORE_MAX, lower_op(L, CORE_ADD, left, lower_number(L, lanes - 1)),
                    lower_number(L, 0));
    const KernelExp *rounds =
        kernel_is_i64(count, lanes)
            ? lower_number(L, 1)
            : lower_let(L, "rounds", kernel_divide(L->c, left, lower_number(L, lanes)));
    lower_loop_begin(L, &share->loop, FRAME_MAP, "t", rounds);
    const KernelExp *step = lower_op(L, CORE_MUL, share->loop.index, lower_number(L, lanes));
    share->index = lower_let(L, "i", lower_op(L, CORE_ADD, share->local.index, step));
}

static void settle(Lower *L, Group *group)
{
    group->settled_in = L->b;
    group->settled = L->b->commands.count;
}

static void end_share(Lower *L, Group *group, Share *share)
{
    lower_loop_end(L, &share->loop);
    lower_local_end(L, &group->kernel, &share->local);
    kernel_barrier(L->b);
    settle(L, group);
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
    if (place->unit != NULL && kernel_is_i64(place->unit, 1)) {
        kernel_store(L->b, place->buffer, lower_op(L, CORE_ADD, place->offset, share.index),
                     element);
    } else {
        lower_store_scalar(L, lower_row(L, place, (size_t)place->rank, indices), element);
    }
    end_share(L, group, &share);
}

/* What is wanted of the statement's arrays, before and while it is lowered. */
static const Reader **want_places(Lower *L, Group *group, const CoreStm *stm)
{
    const Reader **before = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreName *name = stm->pattern[k];
        before[k] = pointer_map_get(&L->wanted, name);
        if (name->type.rank > 0 && before[k] == NULL) {
            const Reader *place = group_place(L, group, stm, name);
            pointer_map_set(L->c->arena, &L->wanted, name, (void *)(uintptr_t)place);
        }
    }
    return before;
}

static void want_as_before(Lower *L, const CoreStm *stm, const Reader *const *before)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        pointer_map_set(L->c->arena, &L->wanted, stm->pattern[k], (void *)(uintptr_t)before[k]);
    }
}

/* A nest of maps: each work-item some of its elements. */
static void thread_map(Lower *L, Group *group, const CoreStm *stm)
{
    const Reader **before = want_places(L, group, stm);
    const Nest *nest = lower_nest(L, stm, &stm->exp->as.soac);
    KernelExps extents = lower_nest_extents(L, nest);
    int rank = (int)nest->extents.count;
    Share share;
    begin_share(L, group, &share, lower_product(L, rank, extents));
    const KernelExp *around = L->number;
    L->number = lower_op(L, CORE_ADD, L->order, share.index);
    lower_nest_element(L, nest, lower_unflatten(L, share.index, rank, extents));
    L->number = around;
    end_share(L, group, &share);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        lower_bind_array(L, stm->pattern[k], nest->outs[k]);
    }
    want_as_before(L, stm, before);
}

static void thread_reduce(Lower *L, Group *group, const CoreStm *stm)
{
    const Reader **before = want_places(L, group, stm);
    group->local_bytes += lower_reduce_in_group(L, &group->kernel, stm, &stm->exp->as.soac);
    settle(L, group); /* its result is read now, and written after further barriers */
    want_as_before(L, stm, before);
}

/* Wants results that SOACs and copies make in these places; of scalars there may be none. */
static void want_results(Lower *L, const CoreBody *body, const Reader *const *places, bool begin)
{
    for (size_t k = 0; k < body->result_count; k++) {
        const CoreName *name = body->results[k].name;
        for (size_t i = 0; places[k] != NULL && places[k]->rank > 0 && i < body->stm_count; i++) {
            const CoreStm *stm = body->stms[i];
            bool makes = stm->exp->kind == CORE_EXP_COPY || stm->exp->kind == CORE_EXP_SOAC;
            for (size_t j = 0; makes && j < stm->pattern_count; j++) {
                if (stm->pattern[j] == name) {
                    pointer_map_set(L->c->arena, &L->wanted, name,
                                    begin ? (void *)(uintptr_t)places[k] : NULL);
                }
            }
        }
    }
}

static void thread_scan(Lower *L, Group *group, const CoreStm *stm)
{
    const Reader **before = want_places(L, group, stm);
    lower_scan_in_group(L, &group->kernel, stm);
    settle(L, group);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        lower_bind_array(L, stm->pattern[k], lower_place(L, stm->pattern[k]));
    }
    want_as_before(L, stm, before);
}

/* ---- loops ------------------------------------------------------------------------------------ */

/* One piece of a loop's state: a scalar that all work-items have, or an array that is read while the next one is
   made beside it. */
typedef struct State {
    KernelVariable *scalar;
    const Reader *now, *next;
} State;

static void group_statement(Lower *L, Group *group, const CoreStm *stm);

static bool is_same_state(const CoreStm *stm, size_t k)
{
    return stm->exp->as.loop.body->results[k].name == stm->exp->as.loop.parameters[k];
}

static State *begin_state(Lower *L, Group *group, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    State *states = ARENA_ARRAY(L->c->arena, State, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        const CoreName *parameter = exp->as.loop.parameters[k];
        if (parameter->type.rank == 0) {
            states[k].scalar = lower_state_scalar(L, exp, k);
            continue;
        }
        const Reader *initial = lower_array(L, exp->as.loop.initial[k]);
        if (is_same_state(stm, k)) {
            states[k].now = initial;
            continue;
        }
        states[k].now = group_place(L, group, stm, stm->pattern[k]);
        states[k].next = group_place(L, group, stm, stm->pattern[k]);
        assign_together(L, group, states[k].now, initial);
    }
    return states;
}

static void bind_state(Lower *L, size_t count, CoreName *const *names, const State *states)
{
    for (size_t k = 0; k < count; k++) {
        if (states[k].scalar != NULL) {
            lower_bind_scalar(L, names[k], kernel_use(L->c, states[k].scalar));
        } else {
            lower_bind_array(L, names[k], states[k].now);
        }
    }
}

static bool reads_local(const KernelExp *exp)
{
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    bool reads = exp->kind == KERNEL_LOAD && exp->as.load.buffer->space == KERNEL_LOCAL;
    for (size_t i = 0; i < count && !reads; i++) {
        reads = reads_local(operands[i]);
    }
    return reads;
}

/* Work-items may still be reading what others write in the next step. */
static bool is_settled(const Lower *L, const Group *group)
{
    bool settled = group->settled_in == L->b;
    for (size_t i = group->settled; settled && i < L->b->commands.count; i++) {
        const KernelCmd *command = L->b->commands.items[i];
        settled = command->kind == KERNEL_DECLARE && command->value != NULL &&
                  !reads_local(command->value);
    }
    return settled;
}

/* All of the next state is there before any of it is the state: work-items wait for each other in between. */
static void next_state(Lower *L, Group *group, const CoreStm *stm, const State *states)
{
    const CoreBody *body = stm->exp->as.loop.body;
    const KernelExp **scalars = ARENA_ARRAY(L->c->arena, const KernelExp *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (states[k].scalar != NULL) {
            KernelVariable *saved = kernel_variable(
                L->c, states[k].scalar->text, states[k].scalar->prim, KERNEL_SCALAR, stm->span);
            kernel_declare(L->b, saved, lower_scalar_of(L, lower_value(L, body->results[k])));
            scalars[k] = kernel_use(L->c, saved);
        } else if (states[k].next != NULL) {
            assign_together(L, group, states[k].next, lower_array(L, body->results[k]));
        }
    }
    if (!is_settled(L, group)) {
        kernel_barrier(L->b);
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (states[k].scalar != NULL) {
            kernel_assign(L->b, states[k].scalar, scalars[k]);
        } else if (states[k].next != NULL) {
            kernel_swap(L->b, states[k].now->buffer, states[k].next->buffer);
        }
    }
}

/* Each work-item goes through the loop; what its steps do the group shares. */
static void group_loop(Lower *L, Group *group, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    size_t count = exp->as.loop.parameter_count;
    bool is_while = exp->as.loop.index == NULL;
    const KernelExp *bound = is_while ? NULL : lower_scalar(L, exp->as.loop.bound);
    State *states = begin_state(L, group, stm);
    const Reader **places = ARENA_ARRAY(L->c->arena, const Reader *, count + 1);
    for (size_t k = 0; k < count; k++) {
        places[k] = states[k].next;
    }
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_LOOP, is_while ? "while" : exp->as.loop.index->text, bound);
    if (!is_while) {
        lower_bind_scalar(L, exp->as.loop.index, loop.index);
    }
    bind_state(L, count, exp->as.loop.parameters, states);
    want_results(L, exp->as.loop.body, places, true);
    for (size_t i = 0; i < exp->as.loop.body->stm_count && !L->failed; i++) {
        group_statement(L, group, exp->as.loop.body->stms[i]);
    }
    want_results(L, exp->as.loop.body, places, false);
    if (!L->failed) {
        next_state(L, group, stm, states);
    }
    for (size_t k = 0; is_while && k < count; k++) {
        if (exp->as.loop.parameters[k] == exp->as.loop.condition) {
            loop.variable = states[k].scalar;
        }
    }
    lower_loop_end(L, &loop);
    bind_state(L, count, stm->pattern, states);
}

/* ---- the function ---------------------------------------------------------------------------- */

/* Memory is written, as for a view that has become dear: each work-item would do that. */
static bool stores_from(const KernelBuilder *b, size_t first)
{
    for (size_t i = first; i < b->commands.count; i++) {
        KernelBlock one = {1, &b->commands.items[i]};
        if (kernel_has(one, KERNEL_STORE)) {
            return true;
        }
    }
    return false;
}

static void group_statement(Lower *L, Group *group, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    CoreName *name = stm->pattern_count > 0 ? stm->pattern[0] : NULL;
    const KernelExp *guard = stm->certificate_count > 0 ? lower_guard_of(L, stm) : NULL;
    bool is_shared = exp->level == CORE_THREAD || group->made != NULL;
    if (exp->kind == CORE_EXP_SOAC && is_shared && guard == NULL) {
        if (lower_is_map(exp)) {
            thread_map(L, group, stm);
        } else if (exp->as.soac.scan_count > 0) {
            thread_scan(L, group, stm);
        } else {
            thread_reduce(L, group, stm);
        }
    } else if (exp->kind == CORE_EXP_COPY && guard == NULL) {
        const Reader *place = group_place(L, group, stm, name);
        assign_together(L, group, place, lower_array(L, exp->as.array));
        lower_bind_array(L, name, place);
    } else if (lower_is_uniform(stm)) {
        size_t first = L->b->commands.count;
        lower_statement(L, stm);
        L->failed = L->failed || stores_from(L->b, first);
    } else if (exp->kind == CORE_EXP_LOOP && group->made != NULL && guard == NULL) {
        group_loop(L, group, stm);
    } else {
        L->failed = true;
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
        if ((exp->kind == CORE_EXP_SOAC && exp->level == CORE_LEVEL_AUTO) ||
            (exp->kind == CORE_EXP_LOOP && is_made(exp->as.loop.body))) {
            return true;
        }
    }
    return false;
}

/* Checks fail in the order of groups, in each of its statements, in each of these of their rows. */
static const KernelExp *order_of(Lower *L, const Group *group, const CoreBody *body,
                                 size_t statement)
{
    const int64_t rows = (int64_t)1 << 32; /* of a statement, and more */
    const KernelExp *count = lower_number(L, (int64_t)body->stm_count);
    const KernelExp *statements = lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, group->index, count),
                                           lower_number(L, (int64_t)statement));
    return lower_op(L, CORE_MUL, statements, lower_number(L, rows));
}

static bool by_groups(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                      const Reader *const *places, int64_t lanes, const KernelExp **room)
{
    const CoreBody *body = soac->map->body;
    const Reader **rows = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    Group group = {.made = is_made(body) ? body : NULL};
    lower_kernel_begin(L, &group.kernel, true);
    group.kernel.lanes = lanes;
    group.index = kernel_use(L->c, group.kernel.index);
    lower_bind_rows(L, soac->map, 0, soac->input_count, soac->inputs, group.index);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        rows[k] = lower_row(L, places[k], 1, &group.index);
    }
    want_results(L, body, rows, true);
    for (size_t i = 0; i < body->stm_count && !L->failed; i++) {
        L->number = L->order = order_of(L, &group, body, i);
        group_statement(L, &group, body->stms[i]);
    }
    L->number = L->order = NULL;
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
    bool good = lower_kernel_end(L, &group.kernel, "group", text, lower_scalar(L, soac->width));
    if (good && group.made) {
        *room = has_room(L, &group);
    }
    return good;
}

/* The most elements of a nest of SOACs in the body, or in its loops; NULL where these have none. */
static const KernelExp *most_rows(Lower *L, const CoreBody *body, bool in_loop)
{
    const KernelExp *most = NULL;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        const KernelExp *rows = NULL;
        if (stm->exp->kind == CORE_EXP_LOOP) {
            rows = most_rows(L, stm->exp->as.loop.body, true);
        } else if (in_loop && lower_is_map(stm->exp) && stm->pattern_count > 0) {
            CoreType type = stm->pattern[0]->type;
            rows = lower_product(L, type.rank, lower_shape(L, type));
        } else if (in_loop && stm->exp->kind == CORE_EXP_SOAC) {
            rows = lower_scalar(L, stm->exp->as.soac.width);
        }
        if (rows != NULL) {
            most = most == NULL ? rows : lower_let(L, "most", lower_op(L, CORE_MAX, most, rows));
        }
    }
    return most;
}

/* Work-items wait for each other in each step of a loop, which takes less time where they are few: where rows are no
   more, or where there are many and a device has groups enough to be busy. (Measured on an H200: see
   core/flatten/groups.c.) NULL: never. */
static const KernelExp *wants_small(Lower *L, const CoreSoac *soac)
{
    enum { MOST_ROWS_OF_MANY = 256, MANY = 4096 };
    const KernelExp *most = most_rows(L, soac->map->body, false);
    if (most == NULL) {
        return NULL;
    }
    const KernelExp *few = lower_op(L, CORE_LE, most, lower_number(L, LOWER_SMALL_GROUP));
    const KernelExp *some = lower_op(L, CORE_LE, most, lower_number(L, MOST_ROWS_OF_MANY));
    const KernelExp *many =
        lower_op(L, CORE_GE, lower_scalar(L, soac->width), lower_number(L, MANY));
    return lower_op(L, CORE_OR, few, lower_op(L, CORE_AND, some, many));
}

static bool in_groups(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                      const Reader *const *places, const KernelExp **room)
{
    const KernelExp *small = wants_small(L, soac);
    if (small == NULL) {
        return by_groups(L, stm, soac, places, KERNEL_GROUP_SIZE, room);
    }
    LowerLoop version;
    lower_block_begin(L, &version);
    bool good = by_groups(L, stm, soac, places, LOWER_SMALL_GROUP, room);
    KernelBlock few = lower_block_end(L, &version);
    lower_block_begin(L, &version);
    good = good && by_groups(L, stm, soac, places, KERNEL_GROUP_SIZE, room);
    KernelBlock many = lower_block_end(L, &version);
    kernel_if(L->b, small, few, many);
    return good;
}

/* The map for work-items, who read rows where they are. */
static const CoreExp *without_copies(Compilation *c, const CoreExp *map)
{
    CoreExp *exp = arena_copy(c->arena, map, sizeof *exp);
    CoreLambda *function = arena_copy(c->arena, map->as.soac.map, sizeof *function);
    CoreBody *body = arena_copy(c->arena, function->body, sizeof *body);
    const CoreStm **stms = ARENA_ARRAY(c->arena, const CoreStm *, body->stm_count + 1);
    for (size_t i = 0; i < body->stm_count; i++) {
        CoreStm *stm = arena_copy(c->arena, body->stms[i], sizeof *stm);
        if (stm->exp->kind == CORE_EXP_COPY) {
            stm->exp = core_atom_exp(c, stm->exp->as.array);
        }
        stms[i] = stm;
    }
    body->stms = stms;
    function->body = body;
    exp->as.soac.map = function;
    exp->level = CORE_LEVEL_AUTO;
    return exp;
}

/* Where a device's work-items do not work in lanes, or a group cannot do it after all, one has a row for itself. */
static void by_lanes(Lower *L, const CoreStm *stm, const Reader *const *places)
{
    CoreStm *alone = arena_copy(L->c->arena, stm, sizeof *stm);
    alone->exp = without_copies(L->c, stm->exp);
    const CoreSoac *soac = &alone->exp->as.soac;
    LowerLoop version;
    lower_block_begin(L, &version);
    const KernelExp *room;
    bool grouped = in_groups(L, stm, &stm->exp->as.soac, places, &room);
    KernelBlock groups = lower_block_end(L, &version);
    lower_block_begin(L, &version);
    bool around = L->by_items;
    L->by_items = true;
    if (!lower_map_items(L, alone, soac)) {
        lower_soac_sequential(L, alone, soac);
    }
    L->by_items = around;
    KernelBlock items = lower_block_end(L, &version);
    if (grouped) {
        const KernelExp *together =
            lower_op(L, CORE_GT, lower_device(L, "lanes", CORE_I64), lower_number(L, 1));
        kernel_if(L->b, lower_op(L, CORE_AND, together, room), groups, items);
    } else {
        kernel_add_block(L->b, items);
    }
}

bool lower_map_group(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    const Reader **places = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    bool good = true;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        places[k] = lower_place(L, stm->pattern[k]);
    }
    if (is_made(soac->map->body)) {
        by_lanes(L, stm, places);
    } else {
        good = by_groups(L, stm, soac, places, KERNEL_GROUP_SIZE, NULL);
    }
    for (size_t k = 0; good && k < stm->pattern_count; k++) {
        lower_bind_array(L, stm->pattern[k], places[k]);
    }
    return good;
}
