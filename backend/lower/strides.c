/* Strides: whether the accesses of a kernel are to neighbours in memory.

   Work-items that run together should read together [PLDI 5.2]: where an index grows by one from
   one work-item to the next, the addresses should stay, or grow or shrink by one. How an address follows an
   index is found in the kernel as it has been lowered, whatever views it came from:

       var start = g * n;  ... a[start + i] ...     by i: to the next element;  by g: far away  */
#include "backend/lower/lower.h"

/* How an expression changes where the index is one more. */
typedef enum Stride { STRIDE_NONE, STRIDE_ONE, STRIDE_FAR } Stride;

typedef struct StrideWalk {
    Lower *L;
    const KernelVariable *variable;
    const KernelVariable *near; /* not NULL: only what is to neighbours by this one counts */
    const KernelVariable *same; /* not NULL: it stays, whatever it is made of */
    unsigned budget;
    size_t far;
} StrideWalk;

enum { MOST_STEPS = 4000, DEEPEST_BIT = 8 };

static Stride stride_of(StrideWalk *walk, const KernelExp *exp);

/* 0 or 1, as the step of an array that is repeated where it has one element only. */
static bool is_bit(Lower *L, const KernelExp *exp, unsigned depth)
{
    const KernelExp *definition =
        exp->kind == KERNEL_VARIABLE ? pointer_map_get(&L->definitions, exp->as.variable) : NULL;
    if (definition != NULL) {
        return depth > 0 && is_bit(L, definition, depth - 1);
    }
    switch (exp->kind) {
    case KERNEL_CONSTANT: return kernel_is_i64(exp, 0) || kernel_is_i64(exp, 1);
    case KERNEL_CONVERT: return exp->as.convert->prim == CORE_BOOL;
    case KERNEL_BINARY:
        return (exp->as.scalar.op == CORE_SUB && kernel_is_i64(exp->as.scalar.x, 1) && depth > 0 &&
                is_bit(L, exp->as.scalar.y, depth - 1)) ||
               (exp->as.scalar.op == CORE_AND &&
                (kernel_is_i64(exp->as.scalar.x, 1) || kernel_is_i64(exp->as.scalar.y, 1)));
    case KERNEL_SELECT:
        return depth > 0 && is_bit(L, exp->as.select.x, depth - 1) &&
               is_bit(L, exp->as.select.y, depth - 1);
    case KERNEL_VARIABLE:
    case KERNEL_UNARY:
    case KERNEL_LOAD: break;
    }
    return false;
}

/* 0 or -1: x & mask is 0 or x. */
static bool is_mask(Lower *L, const KernelExp *exp)
{
    const KernelExp *definition =
        exp->kind == KERNEL_VARIABLE ? pointer_map_get(&L->definitions, exp->as.variable) : NULL;
    exp = definition != NULL ? definition : exp;
    if (exp->kind == KERNEL_BINARY) {
        bool less = (exp->as.scalar.op == CORE_ADD && kernel_is_i64(exp->as.scalar.y, -1)) ||
                    (exp->as.scalar.op == CORE_SUB && kernel_is_i64(exp->as.scalar.y, 1));
        return less && lower_is_bit(L, exp->as.scalar.x);
    }
    return exp->kind == KERNEL_UNARY && exp->as.scalar.op == CORE_NEG &&
           lower_is_bit(L, exp->as.scalar.x);
}

bool lower_is_bit(Lower *L, const KernelExp *exp)
{
    return is_bit(L, exp, DEEPEST_BIT);
}

static Stride stride_of_binary(StrideWalk *walk, const KernelExp *exp)
{
    Stride x = stride_of(walk, exp->as.scalar.x), y = stride_of(walk, exp->as.scalar.y);
    if (x == STRIDE_NONE && y == STRIDE_NONE) {
        return STRIDE_NONE;
    }
    bool one_sided = x == STRIDE_NONE || y == STRIDE_NONE;
    switch ((int)exp->as.scalar.op) { /* those that indices are made of */
    case CORE_ADD:
    case CORE_SUB:
    case CORE_MIN:
    case CORE_MAX:
    case CORE_MOD: return one_sided && x <= STRIDE_ONE && y <= STRIDE_ONE ? STRIDE_ONE : STRIDE_FAR;
    case CORE_MUL:
        if (kernel_is_i64(exp->as.scalar.x, -1) || kernel_is_i64(exp->as.scalar.y, -1)) {
            return x > y ? x : y; /* backwards */
        }
        /* fall through */
    case CORE_AND: {
        bool (*is_switch)(Lower * L, const KernelExp *exp) =
            exp->as.scalar.op == CORE_MUL ? lower_is_bit : is_mask;
        return y == STRIDE_NONE && is_switch(walk->L, exp->as.scalar.y)   ? x
               : x == STRIDE_NONE && is_switch(walk->L, exp->as.scalar.x) ? y
                                                                          : STRIDE_FAR;
    }
    case CORE_DIV: return y == STRIDE_NONE && x == STRIDE_ONE ? STRIDE_ONE : STRIDE_FAR;
    }
    return STRIDE_FAR;
}

static Stride stride_of(StrideWalk *walk, const KernelExp *exp)
{
    if (walk->budget == 0) {
        return STRIDE_FAR;
    }
    walk->budget--;
    switch (exp->kind) {
    case KERNEL_CONSTANT: return STRIDE_NONE;
    case KERNEL_VARIABLE: {
        if (exp->as.variable == walk->variable) {
            return STRIDE_ONE;
        }
        if (exp->as.variable == walk->same) {
            return STRIDE_NONE;
        }
        const KernelExp *definition = pointer_map_get(&walk->L->definitions, exp->as.variable);
        return definition == NULL ? STRIDE_NONE : stride_of(walk, definition);
    }
    case KERNEL_BINARY: return stride_of_binary(walk, exp);
    case KERNEL_UNARY:
        return stride_of(walk, exp->as.scalar.x) == STRIDE_NONE ? STRIDE_NONE : STRIDE_FAR;
    case KERNEL_CONVERT: return stride_of(walk, exp->as.convert);
    case KERNEL_SELECT: {
        Stride x = stride_of(walk, exp->as.select.x), y = stride_of(walk, exp->as.select.y);
        return x > y ? x : y;
    }
    case KERNEL_LOAD:
        return stride_of(walk, exp->as.load.index) == STRIDE_NONE ? STRIDE_NONE : STRIDE_FAR;
    }
    return STRIDE_FAR;
}

static const KernelExp *step_of(Lower *L, const KernelExp *exp, const KernelVariable *variable,
                                unsigned *budget);

/* x * y of factors one of which has the step, and the other is the same in all rows. */
static const KernelExp *step_of_product(Lower *L, const KernelExp *factor, const KernelExp *same,
                                        const KernelVariable *variable, unsigned *budget)
{
    const KernelExp *step = step_of(L, factor, variable, budget);
    return step == NULL ? NULL : kernel_binary(L->c, CORE_MUL, step, same);
}

static const KernelExp *step_of_binary(Lower *L, const KernelExp *exp,
                                       const KernelVariable *variable, unsigned *budget)
{
    const KernelExp *x = step_of(L, exp->as.scalar.x, variable, budget);
    const KernelExp *y = x == NULL ? NULL : step_of(L, exp->as.scalar.y, variable, budget);
    if (y == NULL || (kernel_is_i64(x, 0) && kernel_is_i64(y, 0))) {
        return y;
    }
    switch ((int)exp->as.scalar.op) {
    case CORE_ADD:
    case CORE_SUB: return kernel_binary(L->c, exp->as.scalar.op, x, y);
    case CORE_AND:
        return kernel_is_i64(y, 0) && is_mask(L, exp->as.scalar.y)
                   ? kernel_binary(L->c, CORE_AND, x, exp->as.scalar.y)
               : kernel_is_i64(x, 0) && is_mask(L, exp->as.scalar.x)
                   ? kernel_binary(L->c, CORE_AND, y, exp->as.scalar.x)
                   : NULL;
    case CORE_MUL:
        return kernel_is_i64(y, 0)
                   ? step_of_product(L, exp->as.scalar.x, exp->as.scalar.y, variable, budget)
               : kernel_is_i64(x, 0)
                   ? step_of_product(L, exp->as.scalar.y, exp->as.scalar.x, variable, budget)
                   : NULL;
    }
    return NULL;
}

static const KernelExp *step_of(Lower *L, const KernelExp *exp, const KernelVariable *variable,
                                unsigned *budget)
{
    if (*budget == 0) {
        return NULL;
    }
    --*budget;
    const KernelExp *none = kernel_i64(L->c, 0), *step = none;
    if (exp->kind == KERNEL_VARIABLE) {
        const KernelExp *definition = pointer_map_get(&L->definitions, exp->as.variable);
        return exp->as.variable == variable ? kernel_i64(L->c, 1)
               : definition == NULL         ? none
                                            : step_of(L, definition, variable, budget);
    }
    if (exp->kind == KERNEL_BINARY) {
        return step_of_binary(L, exp, variable, budget);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count && step != NULL; k++) {
        step = step_of(L, operands[k], variable, budget);
        step = step != NULL && kernel_is_i64(step, 0) ? step : NULL;
    }
    return step;
}

const KernelExp *lower_step(Lower *L, const KernelExp *exp, const KernelVariable *variable)
{
    unsigned budget = MOST_STEPS;
    return step_of(L, exp, variable, &budget);
}

static bool is_near(const StrideWalk *walk, const KernelExp *index)
{
    StrideWalk other = *walk;
    other.variable = walk->near;
    other.same = walk->variable;
    return walk->near == NULL || stride_of(&other, index) == STRIDE_ONE;
}

static void note_access(StrideWalk *walk, const KernelVariable *buffer, const KernelExp *index)
{
    if (buffer->space == KERNEL_GLOBAL && stride_of(walk, index) == STRIDE_FAR &&
        is_near(walk, index)) {
        walk->far++;
    }
}

static void note_loads(StrideWalk *walk, const KernelExp *exp)
{
    if (exp == NULL) {
        return;
    }
    switch (exp->kind) {
    case KERNEL_CONSTANT:
    case KERNEL_VARIABLE: return;
    case KERNEL_UNARY: note_loads(walk, exp->as.scalar.x); return;
    case KERNEL_BINARY:
        note_loads(walk, exp->as.scalar.x);
        note_loads(walk, exp->as.scalar.y);
        return;
    case KERNEL_CONVERT: note_loads(walk, exp->as.convert); return;
    case KERNEL_SELECT:
        note_loads(walk, exp->as.select.condition);
        note_loads(walk, exp->as.select.x);
        note_loads(walk, exp->as.select.y);
        return;
    case KERNEL_LOAD:
        note_access(walk, exp->as.load.buffer, exp->as.load.index);
        note_loads(walk, exp->as.load.index);
        return;
    }
}

static void note_block(StrideWalk *walk, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        note_loads(walk, command->value);
        note_loads(walk, command->index);
        note_loads(walk, command->count);
        if (command->kind == KERNEL_STORE) {
            note_access(walk, command->variable, command->index);
        }
        note_block(walk, command->body);
        note_block(walk, command->otherwise);
    }
}

static const KernelVariable *variable_of(const KernelExp *exp)
{
    return exp != NULL && exp->kind == KERNEL_VARIABLE ? exp->as.variable : NULL;
}

static size_t far_accesses(Lower *L, KernelBlock block, StrideWalk walk)
{
    walk.L = L;
    walk.budget = MOST_STEPS;
    if (walk.variable != NULL) {
        note_block(&walk, block);
    }
    return walk.far;
}

size_t lower_far_accesses(Lower *L, KernelBlock block, const KernelExp *variable,
                          const KernelExp *same)
{
    StrideWalk walk = {.variable = variable_of(variable), .same = variable_of(same)};
    return far_accesses(L, block, walk);
}

size_t lower_turned_accesses(Lower *L, KernelBlock block, const KernelExp *inner,
                             const KernelExp *outer)
{
    StrideWalk walk = {.variable = variable_of(inner), .near = variable_of(outer)};
    return walk.near != NULL ? far_accesses(L, block, walk) : 0;
}
