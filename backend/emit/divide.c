/* Division by a constant without dividing, for kernels on devices whose doubles have no divider.

       x / 2.5066282746310002      tl_divide_by(x, 2.5066282746310002, 0.3989422804014327)
                                   q = x*h;  q + (x - q*y)*h          h = 1/y, rounded

   A GPU divides doubles by a dozen operations. Where h is the nearest double to 1/y, and q one of
   the two doubles about x/y, q + (x - q*y)*h by two fused multiplications and additions is x/y as
   division rounds it (P. Markstein, IBM J. Res. Dev. 34, 1990). q is one of the two where h is off by
   less than 2^-54 of itself: x*h then is within half a unit of x/y, and rounding adds at most half a
   unit. Else a second word of 1/y, l, makes it so: q = x*h + x*l, off by little more than half.
   A kernel's argument is divided by in the same way, with both words from the host (tl_cl_reciprocal);
   they are 0 where it is out of range.
   What is said holds while nothing underflows or overflows: y is limited here, x in the kernel,
   which divides where it is out of range, zero or not a number. */
#include "backend/emit/emit.h"

#include <math.h>

const KernelVariable *emit_real_divisor(const KernelExp *exp)
{
    bool divides = exp->kind == KERNEL_BINARY && exp->as.scalar.op == CORE_DIV &&
                   exp->as.scalar.prim == CORE_F64;
    return divides && exp->as.scalar.y->kind == KERNEL_VARIABLE ? exp->as.scalar.y->as.variable
                                                                : NULL;
}

bool emit_has_reciprocal(const Emit *e, const KernelVariable *divisor)
{
    for (size_t i = 0; i < e->real_divisors.count; i++) {
        if (e->real_divisors.items[i] == divisor) {
            return true;
        }
    }
    return false;
}

bool emit_divides_by_constant(const KernelExp *exp, double *high, double *low)
{
    const double most = 0x1p+200;
    const KernelExp *divisor = exp->as.scalar.y;
    int exponent;
    if (exp->kind != KERNEL_BINARY || exp->as.scalar.op != CORE_DIV ||
        exp->as.scalar.prim != CORE_F64 || divisor->kind != KERNEL_CONSTANT) {
        return false;
    }
    double y = divisor->as.constant.as.real, size = fabs(y);
    if (!(size > 1 / most && size < most) || frexp(size, &exponent) == 0.5) {
        return false; /* compilers multiply by the inverse of a power of two themselves */
    }
    *high = 1 / y;
    double missing = fma(-*high, y, 1); /* exact */
    *low = fabs(missing) < 0x1p-54 ? 0 : missing / y;
    return true;
}
