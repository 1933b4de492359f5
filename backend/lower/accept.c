/* Acceptors: where results go.

   An acceptor is a stored reader seen from the other side: a buffer, an offset, a stride an axis. A
   SOAC's result is wanted in row i of its own acceptor, and so on inwards, until a scalar is stored
   ([DPIA fig. 6b]):

       A(map f x)(out)   =  for i: A(f x[i])(out[i])
       A(x)(out), x read =  for i, j, ...: out[i, j, ...] := read(x, i, j, ...)       [DPIA 4.1]

   Memory for what no acceptor is given for ([DPIA fig. 5b], `new`): on the host a buffer, allocated
   outside all loops that its size does not depend on and whose iterations are independent; in a
   work-item a private array where it is small and constant, else a slice of a buffer that the host
   allocates for all work-items; where even that cannot be, the kernel cannot be (lower.h,
   `failed`). */
#include "backend/lower/lower.h"

enum { SMALL_ARRAY = 64, MOST_PRIVATE = 4096 };

static KernelVariable *new_buffer(Lower *L, const char *text, CorePrim prim, KernelSpace space)
{
    return kernel_variable(L->c, text, lower_prim(prim), space, L->b->span);
}

/* ---- memory ---------------------------------------------------------------------------------- */

bool lower_is_small(const KernelExp *count)
{
    return count->kind == KERNEL_CONSTANT && count->as.constant.as.integer <= SMALL_ARRAY;
}

bool lower_inside_map(const Lower *L)
{
    for (const Frame *frame = L->frame; frame != NULL; frame = frame->outer) {
        if (frame->kind == FRAME_MAP) {
            return true;
        }
    }
    return false;
}

static const Reader *allocate_private(Lower *L, const char *text, CorePrim prim, int rank,
                                      KernelExps shape, int64_t count)
{
    KernelVariable *buffer = new_buffer(L, text, prim, KERNEL_PRIVATE);
    kernel_declare_buffer(L->b, buffer, count > 0 ? count : 1);
    return lower_buffer_reader(L, buffer, rank, shape);
}

/* Element j of work-item w at j * items + w: neighbours in the grid touch neighbours in memory. Of a processor's group g, which
   goes over rows of its own, at g * count + j. */
static const Reader *allocate_scratch(Lower *L, const char *text, CorePrim prim, int rank,
                                      KernelExps shape, const KernelExp *count)
{
    ScratchBuffer scratch = {new_buffer(L, text, prim, KERNEL_GLOBAL), count};
    vec_push(L->c->arena, &L->frame->scratch, scratch);
    Reader *reader = ARENA_NEW(L->c->arena, Reader);
    *reader = *lower_buffer_reader(L, scratch.buffer, rank, shape);
    if (L->on_processor) {
        scratch.buffer->piece = count;
        reader->offset = lower_let(L, "start", lower_op(L, CORE_MUL, L->frame->item, count));
        return reader;
    }
    const KernelExp *unit = kernel_use(L->c, L->frame->items);
    const KernelExp **strides = ARENA_ARRAY(L->c->arena, const KernelExp *, rank + 1);
    for (int k = 0; k < rank; k++) {
        strides[k] =
            lower_let(L, "stride", kernel_binary(L->c, CORE_MUL, reader->strides[k], unit));
    }
    reader->strides = strides;
    reader->offset = L->frame->item;
    reader->unit = unit;
    return reader;
}

/* The most elements that an array of this shape has, in the host's terms; NULL where that cannot be
   known ahead. A chunk's extent is known to be at most that of the largest chunk. */
static const KernelExp *bound_of(Lower *L, int rank, KernelExps shape)
{
    const KernelExp *product = kernel_i64(L->c, 1);
    for (int k = 0; k < rank; k++) {
        const KernelExp *extent = lower_bound(L, shape[k], L->frame->last_outside);
        if (extent == NULL) {
            return NULL;
        }
        extent = kernel_binary(L->c, CORE_MAX, extent, kernel_i64(L->c, 0));
        product = kernel_binary(L->c, CORE_MUL, product, extent);
    }
    return product;
}

static const Reader *allocate_in_kernel(Lower *L, const char *text, CorePrim prim, int rank,
                                        KernelExps shape, const KernelExp *count)
{
    const KernelExp *outside = lower_resolve(L, count, L->frame->last_outside);
    if (outside == NULL) {
        outside = bound_of(L, rank, shape);
    }
    if (outside != NULL && lower_is_small(outside)) {
        return allocate_private(L, text, prim, rank, shape, outside->as.constant.as.integer);
    }
    if (outside == NULL) {
        L->failed = true;
        return allocate_private(L, text, prim, rank, shape, 1);
    }
    return allocate_scratch(L, text, prim, rank, shape, outside);
}

/* The outermost frame that the allocation can move before; NULL where it must stay. */
static Frame *hoisting_frame(Lower *L, const KernelExp *count, const KernelExp **outside)
{
    Frame *found = NULL;
    for (Frame *frame = L->frame; frame != NULL && frame->kind == FRAME_MAP; frame = frame->outer) {
        const KernelExp *resolved = lower_resolve(L, count, frame->last_outside);
        if (resolved == NULL) {
            break;
        }
        found = frame;
        *outside = resolved;
    }
    return found;
}

static const Reader *allocate_on_host(Lower *L, const char *text, CorePrim prim, int rank,
                                      KernelExps shape, const KernelExp *count)
{
    if (L->target == KERNEL_SEQUENTIAL && lower_inside_map(L) && lower_is_small(count)) {
        return allocate_private(L, text, prim, rank, shape, count->as.constant.as.integer);
    }
    KernelVariable *buffer = new_buffer(L, text, prim, KERNEL_GLOBAL);
    const KernelExp *outside = NULL;
    Frame *frame = hoisting_frame(L, count, &outside);
    if (frame != NULL) {
        kernel_allocate(frame->before, buffer, outside);
        vec_push(L->c->arena, &frame->hoisted, buffer);
    } else {
        kernel_allocate(L->b, buffer, count);
        lower_own(L, buffer);
    }
    return lower_buffer_reader(L, buffer, rank, shape);
}

const Reader *lower_allocate(Lower *L, const char *text, CorePrim prim, int rank, KernelExps shape)
{
    const KernelExp *count = lower_product(L, rank, shape);
    return L->in_kernel ? allocate_in_kernel(L, text, prim, rank, shape, count)
                        : allocate_on_host(L, text, prim, rank, shape, count);
}

const Reader *lower_allocate_transposed(Lower *L, const char *text, const KernelExp *rows,
                                        CorePrim prim, int rank, KernelExps shape)
{
    const KernelExp **inner = ARENA_ARRAY(L->c->arena, const KernelExp *, rank + 1);
    memcpy(inner, shape, sizeof *inner * (size_t)rank);
    inner[rank] = rows;
    const Reader *transposed = lower_allocate(L, text, prim, rank + 1, inner);
    Reader *arrays = ARENA_NEW(L->c->arena, Reader);
    *arrays = *transposed;
    const KernelExp **extents = ARENA_ARRAY(L->c->arena, const KernelExp *, rank + 1);
    const KernelExp **strides = ARENA_ARRAY(L->c->arena, const KernelExp *, rank + 1);
    for (int axis = 0; axis <= rank; axis++) {
        int from = axis == 0 ? rank : axis - 1;
        extents[axis] = inner[from];
        strides[axis] = transposed->strides[from];
    }
    arrays->shape = extents;
    arrays->strides = strides;
    arrays->unit = rank == 0 ? transposed->unit : NULL;
    return arrays;
}

/* Memory in the space that the program asks for; NULL where it is the compiler's to choose. */
static const Reader *allocate_in_space(Lower *L, CoreName *name, const Reader *wanted)
{
    const CoreStm *stm = pointer_map_get(&L->spaces, name);
    if (stm == NULL || L->target == KERNEL_SEQUENTIAL) {
        return NULL;
    }
    KernelExps shape = lower_shape(L, name->type);
    const KernelExp *count = lower_product(L, name->type.rank, shape);
    if (stm->exp->space == CORE_PRIVATE) {
        if (!L->in_kernel) {
            lower_refuse_space(L, stm, "memory is of a work-item, and this is done by several");
            return NULL;
        }
        if (count->kind == KERNEL_CONSTANT && count->as.constant.as.integer <= MOST_PRIVATE) {
            return allocate_private(L, name->text, name->type.prim, name->type.rank, shape,
                                    count->as.constant.as.integer);
        }
        lower_refuse_space(L, stm, "memory of a work-item is at most 4096 elements here");
    } else if (stm->exp->space == CORE_GLOBAL && L->in_kernel && wanted == NULL) {
        const KernelExp *outside = lower_resolve(L, count, L->frame->last_outside);
        if (outside != NULL) {
            return allocate_scratch(L, name->text, name->type.prim, name->type.rank, shape,
                                    outside);
        }
    }
    return NULL;
}

/* Where branches inside are the host's, so are those around them. */
void lower_note_memory(Lower *L, CoreType type)
{
    bool takes = false;
    for (Chosen *chosen = L->chosen; chosen != NULL && !L->in_kernel; chosen = chosen->outer) {
        takes = takes || !core_is_memory_for(L->c, chosen->stm, type);
        chosen->takes_memory = chosen->takes_memory || takes;
    }
}

const Reader *lower_place(Lower *L, CoreName *name)
{
    const Reader *wanted = pointer_map_get(&L->wanted, name);
    const Reader *asked = allocate_in_space(L, name, wanted);
    if (asked != NULL || wanted != NULL) {
        return asked != NULL ? asked : wanted;
    }
    lower_note_memory(L, name->type);
    return lower_allocate(L, name->text, name->type.prim, name->type.rank,
                          lower_shape(L, name->type));
}

const Reader *lower_memory(Lower *L, CoreName *name)
{
    const Reader *wanted = pointer_map_get(&L->wanted, name);
    if (wanted == NULL || wanted->kind == READER_STORED) {
        return lower_place(L, name);
    }
    return lower_allocate(L, name->text, name->type.prim, name->type.rank,
                          lower_shape(L, name->type));
}

/* ---- assignment ------------------------------------------------------------------------------ */

void lower_store_scalar(Lower *L, const Reader *place, const KernelExp *value)
{
    lower_write(L, place, NULL, value);
}

static bool same_leaf(const KernelExp *x, const KernelExp *y)
{
    return x == y ||
           (x->kind == KERNEL_VARIABLE && y->kind == KERNEL_VARIABLE &&
            x->as.variable == y->as.variable) ||
           (x->kind == KERNEL_CONSTANT && y->kind == KERNEL_CONSTANT &&
            x->as.constant.as.integer == y->as.constant.as.integer);
}

bool lower_same_memory(const Reader *place, const Reader *value)
{
    if (place == value) {
        return true;
    }
    if (place->kind != READER_STORED || value->kind != READER_STORED ||
        place->buffer != value->buffer || !same_leaf(place->offset, value->offset)) {
        return false;
    }
    for (int k = 0; k < place->rank; k++) {
        if (!same_leaf(place->strides[k], value->strides[k])) {
            return false;
        }
    }
    return true;
}

static void assign_loops(Lower *L, const Reader *place, const Reader *value)
{
    int rank = place->rank;
    LowerLoop *loops = ARENA_ARRAY(L->c->arena, LowerLoop, rank + 1);
    const KernelExp **indices = ARENA_ARRAY(L->c->arena, const KernelExp *, rank + 1);
    for (int k = 0; k < rank; k++) {
        lower_loop_begin(L, &loops[k], FRAME_MAP, "i", place->shape[k]);
        indices[k] = loops[k].index;
    }
    const KernelExp *element = lower_read(L, value, indices);
    lower_write(L, place, indices, element);
    for (int k = rank; k-- > 0;) {
        lower_loop_end(L, &loops[k]);
    }
}

void lower_because(Lower *L, CoreAtom array, CoreReason why)
{
    L->copied = (KernelCopied){array.name, why};
}

/* What the next assignment is; it is asked for once. */
static KernelCopied take_reason(Lower *L)
{
    KernelCopied copied = L->copied;
    L->copied.why = CORE_REASON_NONE;
    return copied;
}

typedef struct Copy {
    const Reader *place, *value;
    KernelCopied copied;
} Copy;

static void copy_element(Lower *L, const void *context, KernelExps indices)
{
    const Copy *copy = context;
    const KernelExp *element = lower_read(L, copy->value, indices);
    lower_write(L, copy->place, indices, element);
}

static bool copy_items(Lower *L, const Copy *copy, const char *text)
{
    const Reader *place = copy->place;
    const KernelExp *count = lower_product(L, place->rank, place->shape);
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    copy_element(L, copy,
                 lower_unflatten(L, kernel_use(L->c, kernel.index), place->rank, place->shape));
    bool good = lower_kernel_end(L, &kernel, "copy", text, count);
    if (good && kernel.frame.scratch.count == 0) {
        kernel_with_copied(L->b, copy->copied);
    }
    return good;
}

/* The reader with its last axis and that one in each other's place. */
static const Reader *with_last(Lower *L, const Reader *old, int axis)
{
    Reader *reader = arena_copy(L->c->arena, old, sizeof *old);
    const KernelExp **shape = ARENA_ARRAY(L->c->arena, const KernelExp *, old->rank);
    const KernelExp **strides = ARENA_ARRAY(L->c->arena, const KernelExp *, old->rank);
    for (int k = 0; k < old->rank; k++) {
        int from = k == axis ? old->rank - 1 : k == old->rank - 1 ? axis : k;
        shape[k] = old->shape[from];
        strides[k] = old->strides[from];
    }
    reader->shape = shape;
    reader->strides = strides;
    reader->unit = NULL;
    reader->items = NULL;
    return reader;
}

/* What is written turned, from memory: in the order of the place, so that neighbours are written together. */
static void in_order_of_place(Lower *L, const Reader **place, const Reader **value)
{
    int last = (*place)->rank - 1, axis = (*place)->kind == READER_STORED ? 0 : last;
    while (axis < last && !kernel_is_i64((*place)->strides[axis], 1)) {
        axis++;
    }
    if (axis < last && (*value)->kind == READER_STORED && (*value)->guard == NULL) {
        *place = with_last(L, *place, axis);
        *value = with_last(L, *value, axis);
    }
}

static void assign_grid(Lower *L, const Reader *place, const Reader *value, KernelCopied copied,
                        const char *text)
{
    in_order_of_place(L, &place, &value);
    Copy copy = {place, value, copied};
    Turned turned = {.rank = place->rank,
                     .extents = place->shape,
                     .text = text,
                     .element = copy_element,
                     .context = &copy};
    LowerLoop version;
    bool is_turned = lower_is_turned(L, &turned);
    lower_block_begin(L, &version);
    bool good = copy_items(L, &copy, text);
    KernelBlock items = lower_block_end(L, &version);
    if (!good) {
        assign_loops(L, place, value);
    } else if (!is_turned || !lower_turned_or(L, &turned, items)) {
        kernel_add_block(L->b, items);
    }
}

static void assign_array(Lower *L, const Reader *place, const Reader *value, KernelCopied copied,
                         const char *text)
{
    if (lower_same_memory(place, value)) {
        return;
    }
    bool whole = place->unit != NULL && kernel_is_i64(place->unit, 1) &&
                 value->kind == READER_STORED && value->unit != NULL &&
                 kernel_is_i64(value->unit, 1) && value->guard == NULL &&
                 value->buffer != place->buffer; /* rows that may be the same one */
    if (!L->in_kernel && whole && place->buffer->space == KERNEL_GLOBAL &&
        value->buffer->space == KERNEL_GLOBAL) {
        kernel_copy(L->b, place->buffer, place->offset, value->buffer, value->offset,
                    lower_product(L, place->rank, place->shape));
        kernel_with_copied(L->b, copied);
    } else if (!L->in_kernel && L->target == KERNEL_PARALLEL) {
        assign_grid(L, place, value, copied, text);
    } else {
        assign_loops(L, place, value);
    }
}

void lower_assign(Lower *L, const Reader *place, Value value, const char *text)
{
    KernelCopied copied = take_reason(L);
    if (L->failed) { /* thrown away, and the place may be none */
        return;
    }
    if (value.array != NULL) {
        assign_array(L, place, value.array, copied, text);
    } else {
        lower_store_scalar(L, place, value.scalar);
    }
}

bool lower_is_writable(const Reader *reader)
{
    return reader->kind == READER_STORED && !reader->may_repeat;
}

const Reader *lower_writable(Lower *L, const Reader *reader, const char *text)
{
    if (lower_is_writable(reader)) {
        return reader;
    }
    const Reader *place = lower_allocate(L, text, reader->prim, reader->rank, reader->shape);
    assign_array(L, place, reader, take_reason(L), text);
    return place;
}

const Reader *lower_stored(Lower *L, const Reader *reader, const char *text)
{
    return reader->kind == READER_STORED ? reader : lower_writable(L, reader, text);
}

bool lower_is_run(const Reader *reader)
{
    return reader->kind == READER_STORED && reader->buffer->space == KERNEL_GLOBAL &&
           reader->unit != NULL && kernel_is_i64(reader->unit, 1) && reader->guard == NULL;
}

static bool is_whole(const Reader *reader)
{
    return lower_is_run(reader) && kernel_is_i64(reader->offset, 0);
}

KernelVariable *lower_whole_of(Lower *L, const Reader *reader, const char *text)
{
    KernelCopied copied = take_reason(L);
    if (is_whole(reader)) {
        return reader->buffer;
    }
    KernelVariable *buffer = new_buffer(L, text, reader->prim, KERNEL_GLOBAL);
    kernel_allocate(L->b, buffer, lower_product(L, reader->rank, reader->shape));
    lower_own(L, buffer);
    assign_array(L, lower_buffer_reader(L, buffer, reader->rank, reader->shape), reader, copied,
                 text);
    return buffer;
}

/* A name of the scope at hand is from now on what was stored: a second use copies nothing. */
KernelVariable *lower_whole(Lower *L, CoreAtom array, CoreReason why)
{
    const Reader *reader = lower_array(L, array);
    lower_because(L, array, why);
    KernelVariable *buffer = lower_whole_of(L, reader, array.name->text);
    if (!is_whole(reader) && lower_value(L, array).scope == L->scope) {
        lower_bind_array(L, array.name,
                         lower_buffer_reader(L, buffer, reader->rank, reader->shape));
    }
    return buffer;
}

/* ---- updates and literals -------------------------------------------------------------------- */

typedef VEC(const KernelExp *) Conditions;

/* The slice is inside the array: core has seen to it, and kernels that write it rely on it. */
static void list_inside(Lower *L, const Reader *array, const CoreSlice *slices, Conditions *inside)
{
    Compilation *c = L->c;
    const KernelExp *zero = kernel_i64(c, 0);
    for (int axis = 0; axis < array->rank; axis++) {
        const KernelExp *first = lower_scalar(L, slices[axis].offset), *last = first;
        const KernelExp *extent = array->shape[axis];
        if (!slices[axis].fixed) {
            const KernelExp *steps =
                kernel_binary(c, CORE_SUB, lower_scalar(L, slices[axis].count), kernel_i64(c, 1));
            last = kernel_binary(
                c, CORE_ADD, first,
                kernel_binary(c, CORE_MUL, steps, lower_scalar(L, slices[axis].stride)));
        }
        const KernelExp *conditions[] = {
            kernel_binary(c, CORE_GE, first, zero), kernel_binary(c, CORE_LT, first, extent),
            kernel_binary(c, CORE_GE, last, zero), kernel_binary(c, CORE_LT, last, extent)};
        for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
            vec_push(c->arena, inside, conditions[i]);
        }
    }
}

const Reader *lower_target(Lower *L, CoreName *result, CoreAtom array)
{
    Value old = {.array = lower_array(L, array)};
    if (lower_is_writable(old.array)) {
        return old.array;
    }
    const Reader *place = lower_memory(L, result);
    lower_because(L, array, CORE_REASON_UPDATED);
    lower_assign(L, place, old, result->text);
    return place;
}

/* Where an update writes: into the array's memory, which the new array has; the part of it that it replaces. */
typedef struct Updating {
    const CoreStm *stm;
    const Reader *target, *result, *part;
} Updating;

static Updating begin_update(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    Updating u = {.stm = stm, .target = lower_target(L, stm->pattern[0], exp->as.update.array)};
    Reader *result = ARENA_NEW(L->c->arena, Reader);
    *result = *u.target;
    result->items = NULL;
    u.result = result;
    u.part = lower_slice(L, result, exp->as.update.slices);
    return u;
}

/* Of the place that the kernel being built writes. */
static Conditions assume_inside(Lower *L, const Updating *u)
{
    Conditions inside = {0};
    list_inside(L, u->target, u->stm->exp->as.update.slices, &inside);
    for (size_t i = 0; i < inside.count && !L->in_kernel; i++) {
        vec_push(L->c->arena, &L->assumed, inside.items[i]);
    }
    return inside;
}

/* Memory of its own where it reads what is about to be written. */
static Value out_of_the_way(Lower *L, const Updating *u, Value value)
{
    const char *text = u->stm->pattern[0]->text;
    if (value.array != NULL && lower_reaches(value.array, u->result->buffer)) {
        const Reader *saved =
            lower_allocate(L, text, value.array->prim, value.array->rank, value.array->shape);
        lower_assign(L, saved, value, text);
        value.array = saved;
    }
    return value;
}

static void end_update(Lower *L, const Updating *u, Value value)
{
    const char *text = u->stm->pattern[0]->text;
    value = out_of_the_way(L, u, value);
    const size_t first = L->b->commands.count;
    Conditions inside = assume_inside(L, u);
    lower_assign(L, u->part, value, text);
    L->assumed.count = 0;
    if (L->in_kernel) {
        kernel_assume_stores(L->b, first, u->result->buffer, inside.count, inside.items);
    }
    lower_bind_array(L, u->stm->pattern[0], u->result);
}

/* [PLDI 3]  a with [slices] <- v: a is not used again, so the new array is the old memory. */
void lower_update(Lower *L, const CoreStm *stm)
{
    const Updating u = begin_update(L, stm);
    end_update(L, &u, lower_value(L, stm->exp->as.update.value));
}

size_t lower_updates_behind(const CoreBody *body, size_t i)
{
    const CoreStm *map = body->stms[i];
    bool good = (map->exp->kind == CORE_EXP_SOAC || map->exp->kind == CORE_EXP_COPY) &&
                map->exp->space == CORE_UPDATED && map->pattern_count < body->stm_count - i;
    for (size_t k = 0; k < map->pattern_count && good; k++) {
        const CoreExp *next = body->stms[i + 1 + k]->exp;
        good = next->kind == CORE_EXP_UPDATE && next->as.update.value.name == map->pattern[k];
    }
    return good ? map->pattern_count : 0;
}

static bool is_written_into(Value value, const Updating *u)
{
    return value.array != NULL && value.array->kind == READER_STORED &&
           value.array->buffer == u->part->buffer;
}

/* [DPIA 4]  let v = map @updated ... let b = a with [slices] <- v: the acceptor of v is that part of a. Several results have
   an update each, one behind the other. */
void lower_update_with(Lower *L, const CoreStm *map, const CoreStm *const *updates)
{
    Updating *updating = ARENA_ARRAY(L->c->arena, Updating, map->pattern_count);
    Value *values = ARENA_ARRAY(L->c->arena, Value, map->pattern_count);
    const size_t first = L->b->commands.count;
    Conditions inside = {0};
    for (size_t k = 0; k < map->pattern_count; k++) {
        const Updating u = updating[k] = begin_update(L, updates[k]);
        list_inside(L, u.target, updates[k]->exp->as.update.slices, &inside);
        lower_bind_array(L, updates[k]->pattern[0], u.result);
        pointer_map_set(L->c->arena, &L->wanted, map->pattern[k], (void *)(uintptr_t)u.part);
    }
    lower_statement(L, map);
    kernel_assume_accesses(L->b, first, updating[0].result->buffer, inside.count, inside.items);
    for (size_t k = 0; k < map->pattern_count; k++) {
        pointer_map_set(L->c->arena, &L->wanted, map->pattern[k], NULL);
        values[k] = lower_value(L, core_use(map->pattern[k]));
        if (!is_written_into(values[k], &updating[k])) {
            values[k] = out_of_the_way(L, &updating[k], values[k]);
        }
    }
    for (size_t k = 0; k < map->pattern_count; k++) {
        if (!is_written_into(values[k], &updating[k])) {
            end_update(L, &updating[k], values[k]);
        }
    }
}

/* Literals of a few scalars are read without memory. */
static bool is_selection(const CoreExp *exp)
{
    return exp->as.items.count <= 4;
}

static void literal_of_scalars(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    CoreName *name = stm->pattern[0];
    size_t count = exp->as.items.count;
    const KernelExp **items = ARENA_ARRAY(L->c->arena, const KernelExp *, count + 1);
    bool constant = true;
    for (size_t i = 0; i < count; i++) {
        items[i] = lower_scalar(L, exp->as.items.items[i]);
        constant = constant && items[i]->kind == KERNEL_CONSTANT;
    }
    Reader *reader = ARENA_NEW(L->c->arena, Reader);
    if (is_selection(exp)) {
        reader->kind = READER_LITERAL;
        reader->prim = name->type.prim;
        reader->rank = 1;
        reader->shape = lower_shape(L, name->type);
        reader->cost = 1 + (unsigned)count;
    } else if (constant && !L->in_kernel && pointer_map_get(&L->wanted, name) == NULL) {
        KernelVariable *buffer = new_buffer(L, name->text, name->type.prim, KERNEL_GLOBAL);
        kernel_constants(L->b, buffer, count, items);
        lower_own(L, buffer);
        *reader = *lower_buffer_reader(L, buffer, 1, lower_shape(L, name->type));
    } else {
        *reader = *lower_place(L, name);
        for (size_t i = 0; i < count; i++) {
            const KernelExp *at = kernel_i64(L->c, (int64_t)i);
            lower_write(L, reader, &at, items[i]);
        }
    }
    reader->items = items;
    reader->item_count = count;
    lower_bind_array(L, name, reader);
}

void lower_literal(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    CoreName *name = stm->pattern[0];
    if (name->type.rank == 1) {
        literal_of_scalars(L, stm);
        return;
    }
    const Reader *place = lower_place(L, name);
    for (size_t i = 0; i < exp->as.items.count; i++) {
        const KernelExp *at = kernel_i64(L->c, (int64_t)i);
        lower_assign(L, lower_row(L, place, 1, &at), lower_value(L, exp->as.items.items[i]),
                     name->text);
    }
    lower_bind_array(L, name, place);
}
