/* Arithmetic of indices, for the files that make and read views (private to backend/lower/). */
#ifndef BACKEND_LOWER_INDICES_H
#define BACKEND_LOWER_INDICES_H

#include "backend/lower/lower.h"

static inline const KernelExp **new_exps(Lower *L, size_t count)
{
    return ARENA_ARRAY(L->c->arena, const KernelExp *, count + 1);
}

static inline const KernelExp *add(Lower *L, const KernelExp *x, const KernelExp *y)
{
    return kernel_binary(L->c, CORE_ADD, x, y);
}

static inline const KernelExp *sub(Lower *L, const KernelExp *x, const KernelExp *y)
{
    return kernel_binary(L->c, CORE_SUB, x, y);
}

static inline const KernelExp *mul(Lower *L, const KernelExp *x, const KernelExp *y)
{
    return kernel_binary(L->c, CORE_MUL, x, y);
}

static inline bool same_exp(const KernelExp *x, const KernelExp *y)
{
    if (x == y) {
        return true;
    }
    if (x->kind == KERNEL_VARIABLE) {
        return y->kind == KERNEL_VARIABLE && x->as.variable == y->as.variable;
    }
    return x->kind == KERNEL_CONSTANT && kernel_is_i64(y, x->as.constant.as.integer);
}

#endif
