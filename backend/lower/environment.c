/* Names and what they stand for while a program is lowered, and the lifetimes of host buffers.

   A scope is a host block. It owns the buffers allocated in it; each name bound to a reader holds
   the buffers of the scope that the reader reaches; when the last holder has been used for the last
   time the buffer is released:

       let a = map f x          allocate a
       let v = rotate 0 1 a     v holds a too
       let s = reduce + 0 v     ... release a

   Last uses are found in one walk over a body, so the whole is linear in it. Inside kernels there
   is nothing to release and no scope. */
#include "backend/lower/lower.h"

/* ---- expressions ----------------------------------------------------------------------------- */

const KernelExp *lower_op(Lower *L, CoreOperator op, const KernelExp *x, const KernelExp *y)
{
    return kernel_binary(L->c, op, x, y);
}

const KernelExp *lower_number(Lower *L, int64_t value)
{
    return kernel_i64(L->c, value);
}

const KernelExp *lower_truth(Lower *L, bool value)
{
    return kernel_constant(L->c, core_bool(value));
}

KernelVariable *lower_bool(Lower *L, const char *text)
{
    return kernel_variable(L->c, text, CORE_BOOL, KERNEL_SCALAR, L->b->span);
}

const KernelExp *lower_ceiling(Lower *L, const KernelExp *x, const KernelExp *y)
{
    const KernelExp *sum = lower_op(L, CORE_ADD, x, lower_op(L, CORE_SUB, y, lower_number(L, 1)));
    return kernel_divide(L->c, lower_let(L, "sum", sum), y);
}

const KernelExp *lower_device(Lower *L, const char *what, CorePrim prim)
{
    KernelVariable *result = kernel_variable(L->c, what, prim, KERNEL_SCALAR, L->b->span);
    kernel_declare(L->b, result, NULL);
    kernel_effect(L->b, (KernelEffect){.kind = KERNEL_DEVICE, .name = what, .result = result});
    return kernel_use(L->c, result);
}

/* ---- lifetimes ------------------------------------------------------------------------------- */

typedef struct HeldBuffers {
    VEC(OwnedBuffer *) buffers;
} HeldBuffers;

void lower_scope_begin(Lower *L, Scope *scope)
{
    memset(scope, 0, sizeof *scope);
    scope->outer = L->scope;
    L->scope = scope;
}

static void release(Lower *L, OwnedBuffer *owned)
{
    if (!owned->released) {
        owned->released = true;
        kernel_release(L->b, owned->buffer);
    }
}

void lower_scope_end(Lower *L)
{
    Scope *scope = L->scope;
    for (size_t i = 0; i < scope->buffers.count; i++) {
        release(L, scope->buffers.items[i]);
    }
    L->scope = scope->outer;
}

void lower_own(Lower *L, KernelVariable *buffer)
{
    if (L->scope == NULL || buffer->space != KERNEL_GLOBAL) {
        return;
    }
    OwnedBuffer *owned = ARENA_NEW(L->c->arena, OwnedBuffer);
    owned->buffer = buffer;
    owned->scope = L->scope;
    vec_push(L->c->arena, &L->scope->buffers, owned);
    pointer_map_set(L->c->arena, &L->owned, buffer, owned);
}

void lower_tidy(Lower *L)
{
    Scope *scope = L->scope;
    if (scope == NULL) {
        return;
    }
    for (; scope->tidy < scope->buffers.count; scope->tidy++) {
        OwnedBuffer *owned = scope->buffers.items[scope->tidy];
        if (owned->holders == 0) {
            release(L, owned);
        }
    }
}

static void hold_buffer(Lower *L, HeldBuffers *held, const KernelVariable *buffer)
{
    OwnedBuffer *owned = pointer_map_get(&L->owned, buffer);
    if (owned == NULL || owned->scope != L->scope || owned->released) {
        return;
    }
    for (size_t i = 0; i < held->buffers.count; i++) {
        if (held->buffers.items[i] == owned) {
            return;
        }
    }
    owned->holders++;
    vec_push(L->c->arena, &held->buffers, owned);
}

static void hold_reader(Lower *L, HeldBuffers *held, const Reader *reader)
{
    while (reader != NULL) {
        if (reader->kind == READER_STORED) {
            hold_buffer(L, held, reader->buffer);
        }
        for (size_t i = 0; i < reader->child_count; i++) {
            hold_reader(L, held, reader->children[i]);
        }
        reader = reader->child;
    }
}

static void hold(Lower *L, const CoreName *name, const Reader *reader)
{
    HeldBuffers *held = pointer_map_get(&L->held, name);
    if (held == NULL) {
        held = ARENA_NEW(L->c->arena, HeldBuffers);
        pointer_map_set(L->c->arena, &L->held, name, held);
    }
    hold_reader(L, held, reader);
}

void lower_forget(Lower *L, const CoreName *name)
{
    HeldBuffers *held = pointer_map_get(&L->held, name);
    if (held == NULL) {
        return;
    }
    pointer_map_set(L->c->arena, &L->held, name, NULL);
    for (size_t i = 0; i < held->buffers.count; i++) {
        OwnedBuffer *owned = held->buffers.items[i];
        if (owned->scope == L->scope && --owned->holders == 0) {
            release(L, owned);
        }
    }
}

typedef struct UseWalk {
    Lower *L;
    PointerMap last; /* CoreName -> statement number + 1 */
    size_t now;
} UseWalk;

static void visit_use(void *context, CoreName *name)
{
    UseWalk *walk = context;
    if (name->type.rank > 0 && pointer_map_get(&walk->last, name) != NULL) {
        pointer_map_set(walk->L->c->arena, &walk->last, name, (void *)(uintptr_t)walk->now);
    }
}

LastUses lower_last_uses(Lower *L, const CoreBody *body)
{
    Arena *arena = L->c->arena;
    UseWalk walk = {.L = L};
    VEC(const CoreName *) bound = {0};
    bool is_entry = L->entry != NULL && L->entry->body == body && body->stm_count > 0;
    for (size_t k = 0; is_entry && k < L->entry->parameter_count; k++) {
        if (L->entry->parameters[k]->type.rank > 0) {
            pointer_map_set(arena, &walk.last, L->entry->parameters[k], (void *)(uintptr_t)1);
            vec_push(arena, &bound, L->entry->parameters[k]);
        }
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        walk.now = i + 1;
        core_each_free(stm, visit_use, &walk);
        for (size_t k = 0; k < stm->pattern_count; k++) {
            if (stm->pattern[k]->type.rank > 0) {
                pointer_map_set(arena, &walk.last, stm->pattern[k], (void *)(uintptr_t)walk.now);
                vec_push(arena, &bound, stm->pattern[k]);
            }
        }
    }
    for (size_t k = 0; k < body->result_count; k++) {
        if (body->results[k].name != NULL) {
            pointer_map_set(arena, &walk.last, body->results[k].name, NULL);
        }
    }
    /* Counting sort by last use. */
    LastUses uses = {ARENA_ARRAY(arena, size_t, body->stm_count + 2),
                     ARENA_ARRAY(arena, const CoreName *, bound.count + 1)};
    for (size_t i = 0; i < bound.count; i++) {
        uintptr_t last = (uintptr_t)pointer_map_get(&walk.last, bound.items[i]);
        uses.first[last]++; /* last - 1 is the statement; one slot further for the sums below */
    }
    uses.first[0] = 0;
    for (size_t i = 1; i <= body->stm_count; i++) {
        uses.first[i] += uses.first[i - 1];
    }
    size_t *next = ARENA_ARRAY(arena, size_t, body->stm_count + 1);
    memcpy(next, uses.first, sizeof *next * (body->stm_count + 1));
    for (size_t i = 0; i < bound.count; i++) {
        uintptr_t last = (uintptr_t)pointer_map_get(&walk.last, bound.items[i]);
        if (last > 0) {
            uses.names[next[last - 1]++] = bound.items[i];
        }
    }
    return uses;
}

/* ---- values ---------------------------------------------------------------------------------- */

CorePrim lower_prim(CorePrim prim)
{
    return prim == CORE_CERT ? CORE_BOOL : prim;
}

void lower_bind(Lower *L, CoreName *name, Value value)
{
    Value *stored = ARENA_NEW(L->c->arena, Value);
    *stored = value;
    stored->scope = L->scope;
    pointer_map_set(L->c->arena, &L->values, name, stored);
    if (value.array != NULL && L->scope != NULL) {
        hold(L, name, value.array);
    }
}

void lower_bind_scalar(Lower *L, CoreName *name, const KernelExp *value)
{
    Value bound = {0};
    if (name->type.prim == CORE_CERT) {
        bound.guard = value;
    } else {
        bound.scalar = lower_let(L, name->text, value);
    }
    lower_bind(L, name, bound);
}

void lower_bind_array(Lower *L, CoreName *name, const Reader *array)
{
    Value bound = {.array = array};
    lower_bind(L, name, bound);
}

Value lower_value(Lower *L, CoreAtom atom)
{
    if (atom.name == NULL) {
        Value constant = {.scalar = kernel_constant(L->c, atom)};
        return constant;
    }
    const Value *value = pointer_map_get(&L->values, atom.name);
    if (value == NULL) {
        internal_error(L->c, "%s_%u is not bound", atom.name->text, atom.name->number);
    }
    return *value;
}

const KernelExp *lower_scalar(Lower *L, CoreAtom atom)
{
    Value value = lower_value(L, atom);
    if (value.scalar == NULL) {
        internal_error(L->c, "%s is not a scalar", atom.name->text);
    }
    return value.scalar;
}

const Reader *lower_array(Lower *L, CoreAtom atom)
{
    Value value = lower_value(L, atom);
    if (value.array == NULL) {
        internal_error(L->c, "%s is not an array",
                       atom.name == NULL ? "a constant" : atom.name->text);
    }
    return value.array;
}

/* ---- scalar helpers -------------------------------------------------------------------------- */

static bool is_leaf(const KernelExp *exp)
{
    return exp->kind == KERNEL_CONSTANT || exp->kind == KERNEL_VARIABLE;
}

const KernelExp *lower_let(Lower *L, const char *text, const KernelExp *exp)
{
    if (is_leaf(exp)) {
        return exp;
    }
    KernelVariable *variable = kernel_variable(L->c, text, exp->prim, KERNEL_SCALAR, L->b->span);
    kernel_declare(L->b, variable, exp);
    if (exp->prim == CORE_I64 && exp->nodes <= 16) {
        pointer_map_set(L->c->arena, &L->definitions, variable, (void *)(uintptr_t)exp);
    }
    return kernel_use(L->c, variable);
}

static const KernelExp *resolve(Lower *L, const KernelExp *exp, unsigned last, unsigned *budget)
{
    if (*budget == 0) {
        return NULL;
    }
    --*budget;
    switch (exp->kind) {
    case KERNEL_CONSTANT: return exp;
    case KERNEL_VARIABLE: {
        if (exp->as.variable->number <= last) {
            return exp;
        }
        const KernelExp *definition = pointer_map_get(&L->definitions, exp->as.variable);
        return definition == NULL ? NULL : resolve(L, definition, last, budget);
    }
    case KERNEL_UNARY: {
        const KernelExp *x = resolve(L, exp->as.scalar.x, last, budget);
        return x == NULL ? NULL : kernel_unary(L->c, exp->as.scalar.op, x);
    }
    case KERNEL_BINARY: {
        const KernelExp *x = resolve(L, exp->as.scalar.x, last, budget);
        const KernelExp *y = x == NULL ? NULL : resolve(L, exp->as.scalar.y, last, budget);
        return y == NULL ? NULL : kernel_binary(L->c, exp->as.scalar.op, x, y);
    }
    case KERNEL_CONVERT: {
        const KernelExp *x = resolve(L, exp->as.convert, last, budget);
        return x == NULL ? NULL : kernel_convert(L->c, exp->prim, x);
    }
    case KERNEL_SELECT: {
        const KernelExp *condition = resolve(L, exp->as.select.condition, last, budget);
        const KernelExp *x = condition == NULL ? NULL : resolve(L, exp->as.select.x, last, budget);
        const KernelExp *y = x == NULL ? NULL : resolve(L, exp->as.select.y, last, budget);
        return y == NULL ? NULL : kernel_select(L->c, condition, x, y);
    }
    case KERNEL_LOAD: return NULL;
    }
    return NULL;
}

/* A width that is a constant is no argument, so that no launch looks at it (kernel.h, is_row). */
void lower_is_row(const KernelExp *row, const KernelExp *width)
{
    if (row->kind == KERNEL_VARIABLE) {
        row->as.variable->row_of = width;
        row->as.variable->is_row =
            width->kind != KERNEL_CONSTANT || width->as.constant.as.integer < KERNEL_SMALL_EXTENT;
    }
}

const KernelExp *lower_at_most(const KernelExp *value, unsigned most)
{
    if (value->kind == KERNEL_VARIABLE) {
        value->as.variable->most = most;
    }
    return value;
}

const KernelExp *lower_resolve(Lower *L, const KernelExp *exp, unsigned last)
{
    unsigned budget = 64;
    return resolve(L, exp, last, &budget);
}

/* min(chunk, what is left) is never more than chunk: of a minimum, one side is enough. */
static const KernelExp *bound(Lower *L, const KernelExp *exp, unsigned last, unsigned *budget)
{
    const KernelExp *exact = lower_resolve(L, exp, last);
    if (exact != NULL || *budget == 0) {
        return exact;
    }
    --*budget;
    if (exp->kind == KERNEL_VARIABLE) {
        const KernelExp *definition = pointer_map_get(&L->definitions, exp->as.variable);
        if (definition == NULL) {
            definition = pointer_map_get(&L->bounds, exp->as.variable);
        }
        return definition == NULL ? NULL : bound(L, definition, last, budget);
    }
    if (exp->kind != KERNEL_BINARY) {
        return NULL;
    }
    CoreOperator op = exp->as.scalar.op;
    if (op != CORE_MIN && op != CORE_MAX && op != CORE_ADD) {
        return NULL;
    }
    const KernelExp *x = bound(L, exp->as.scalar.x, last, budget);
    const KernelExp *y = bound(L, exp->as.scalar.y, last, budget);
    if (x == NULL || y == NULL) {
        return op != CORE_MIN ? NULL : x == NULL ? y : x;
    }
    return kernel_binary(L->c, op, x, y);
}

const KernelExp *lower_bound(Lower *L, const KernelExp *exp, unsigned last)
{
    unsigned budget = 32;
    return bound(L, exp, last, &budget);
}

KernelExps lower_shape(Lower *L, CoreType type)
{
    const KernelExp **shape = ARENA_ARRAY(L->c->arena, const KernelExp *, type.rank + 1);
    for (int k = 0; k < type.rank; k++) {
        shape[k] = lower_scalar(L, type.sizes[k]);
    }
    return shape;
}

const KernelExp *lower_product(Lower *L, int count, KernelExps extents)
{
    const KernelExp *product = kernel_i64(L->c, 1);
    for (int k = 0; k < count; k++) {
        product = lower_let(L, "size", kernel_binary(L->c, CORE_MUL, product, extents[k]));
    }
    return product;
}

const KernelExp *lower_zero(Lower *L, CorePrim prim)
{
    CoreAtom zero = {.prim = prim};
    if (core_is_real(prim)) {
        zero.as.real = 0;
    } else {
        zero.as.integer = 0;
    }
    return kernel_constant(L->c, zero);
}
