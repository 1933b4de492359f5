/* What C compilers make vector code of, in sequential programs: asked by the pass that cuts loops
   into strips (backend/strips/) and by the printer that marks reductions (emit/simd.c).

   Vectors have no quotient of integers but by powers of two, nor calls but of the functions that
   runtime/vector.h declares, or that runtime/opencl_near.c has for OpenCL on processors. Remainders of reals are such,
   and without a call by powers of two. */
#include "backend/kernel.h"

#include <math.h>

enum { MOST_WRITTEN_OUT = 64, LONGEST_WRITTEN_OUT = 40 };

bool kernel_is_power_of_2(const KernelExp *exp)
{
    if (exp->kind != KERNEL_CONSTANT || exp->as.constant.as.integer <= 0) {
        return false;
    }
    return (exp->as.constant.as.integer & (exp->as.constant.as.integer - 1)) == 0;
}

bool kernel_is_vector_operator(const KernelExp *exp)
{
    switch ((int)exp->as.scalar.op) {
    case CORE_DIV:
    case CORE_MOD:
        if (core_is_real(exp->as.scalar.prim)) {
            return exp->as.scalar.op == CORE_DIV || kernel_is_residue(exp) ||
                   kernel_is_residue_of_power_of_2(exp);
        }
        return exp->by_reals || kernel_is_power_of_2(exp->as.scalar.y);
    case CORE_POW: return kernel_is_power(exp);
    case CORE_ATAN2:
    case CORE_HYPOT:
    case CORE_GCD:
    case CORE_LCM:
    case CORE_BINOM:
    case CORE_FACT:
    case CORE_QUOT: /* a branch, which is mostly the same, is quicker */
    case CORE_RANDOM: return false;
    }
    return true;
}

bool kernel_is_power(const KernelExp *exp)
{
    return exp->kind == KERNEL_BINARY && exp->as.scalar.op == CORE_POW &&
           exp->as.scalar.prim == CORE_F64;
}

bool kernel_is_residue(const KernelExp *exp)
{
    return exp->kind == KERNEL_BINARY && exp->as.scalar.op == CORE_MOD &&
           exp->as.scalar.prim == CORE_F64 && !kernel_is_residue_of_power_of_2(exp);
}

bool kernel_is_residue_of_power_of_2(const KernelExp *exp)
{
    if (exp->kind != KERNEL_BINARY || exp->as.scalar.op != CORE_MOD ||
        !core_is_real(exp->as.scalar.prim) || exp->as.scalar.y->kind != KERNEL_CONSTANT) {
        return false;
    }
    int exponent;
    double y = exp->as.scalar.y->as.constant.as.real;
    return y >= 0x1p-30 && y <= 0x1p+30 && frexp(y, &exponent) == 0.5;
}

bool kernel_is_vector(const KernelExp *exp)
{
    if (!exp) {
        return true;
    }
    if ((exp->kind == KERNEL_BINARY || exp->kind == KERNEL_UNARY) &&
        !kernel_is_vector_operator(exp)) {
        return false;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        if (!kernel_is_vector(operands[i])) {
            return false;
        }
    }
    return true;
}

bool kernel_is_written_out(const KernelCmd *loop)
{
    if (loop->kind != KERNEL_FOR || loop->count->kind != KERNEL_CONSTANT ||
        loop->count->as.constant.as.integer > MOST_WRITTEN_OUT ||
        loop->body.count > LONGEST_WRITTEN_OUT) {
        return false;
    }
    for (size_t i = 0; i < loop->body.count; i++) {
        const KernelCmd *command = loop->body.commands[i];
        if (command->kind != KERNEL_DECLARE && command->kind != KERNEL_ASSIGN) {
            return false;
        }
    }
    return true;
}
