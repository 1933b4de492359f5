/* Arithmetic of intervals of 64-bit integers, for those who ask what fits into fewer bits: indices
   of kernels (emit/narrow.c), quotients by way of doubles (backend/sequential/quotients.c).

       0 <= i < 100  ==>  0 <= i % 7 <= 6,  -3 <= i - 3 <= 96 */
#include "backend/ranges.h"

KernelRange kernel_range(int64_t low, int64_t high)
{
    return (KernelRange){low, high};
}

bool kernel_is_within(KernelRange x, int64_t magnitude)
{
    return x.low >= -magnitude && x.high <= magnitude;
}

static int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t most(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

KernelRange kernel_range_either(KernelRange x, KernelRange y)
{
    return kernel_range(least(x.low, y.low), most(x.high, y.high));
}

static KernelRange product(KernelRange x, KernelRange y)
{
    int64_t corners[4];
    if (__builtin_mul_overflow(x.low, y.low, &corners[0]) ||
        __builtin_mul_overflow(x.low, y.high, &corners[1]) ||
        __builtin_mul_overflow(x.high, y.low, &corners[2]) ||
        __builtin_mul_overflow(x.high, y.high, &corners[3])) {
        return kernel_everything;
    }
    KernelRange r = kernel_range(corners[0], corners[0]);
    for (int i = 1; i < 4; i++) {
        r = kernel_range_either(r, kernel_range(corners[i], corners[i]));
    }
    return r;
}

static KernelRange sum(KernelRange x, KernelRange y)
{
    KernelRange r;
    return __builtin_add_overflow(x.low, y.low, &r.low) ||
                   __builtin_add_overflow(x.high, y.high, &r.high)
               ? kernel_everything
               : r;
}

static KernelRange negated(KernelRange x)
{
    return x.low == INT64_MIN ? kernel_everything : kernel_range(-x.high, -x.low);
}

static int64_t floor_quotient(int64_t x, int64_t y) /* y > 0 */
{
    return x / y - (x % y < 0);
}

static bool is_finite(KernelRange x)
{
    return x.low > INT64_MIN;
}

static KernelRange within(int64_t magnitude)
{
    return kernel_range(-magnitude, magnitude);
}

static int64_t magnitude(KernelRange x) /* of one that is finite */
{
    return most(-x.low, x.high);
}

/* No quotient is larger than x, and none by 0 is. */
static KernelRange quotient(KernelRange x, KernelRange y, bool natural)
{
    if (y.low == y.high && y.low > 0) {
        return kernel_range(floor_quotient(x.low, y.low), floor_quotient(x.high, y.low));
    }
    return natural        ? kernel_range(0, most(x.high, 0))
           : is_finite(x) ? within(magnitude(x))
                          : kernel_everything;
}

static KernelRange rest(KernelRange x, KernelRange y, bool natural)
{
    if (y.low == y.high && y.low > 0) {
        return kernel_range(0, y.low - 1);
    }
    return natural                        ? kernel_range(0, most(x.high, 0))
           : is_finite(x) && is_finite(y) ? within(most(magnitude(x), magnitude(y)))
                                          : kernel_everything;
}

KernelRange kernel_range_of_binary(CoreOperator op, KernelRange x, KernelRange y, bool natural)
{
    natural = natural || (x.low >= 0 && y.low >= 0);
    switch ((int)op) { /* those that indices are made of */
    case CORE_ADD: return sum(x, y);
    case CORE_SUB: return y.low == INT64_MIN ? kernel_everything : sum(x, negated(y));
    case CORE_MUL: return product(x, y);
    case CORE_MAX: return kernel_range(most(x.low, y.low), most(x.high, y.high));
    case CORE_MIN: return kernel_range(least(x.low, y.low), least(x.high, y.high));
    case CORE_DIV: return quotient(x, y, natural);
    case CORE_MOD: return rest(x, y, natural);
    case CORE_AND: /* no more than what is not negative of the two */
        return x.low < 0 && y.low < 0 ? kernel_everything
                                      : kernel_range(0, x.low < 0   ? y.high
                                                        : y.low < 0 ? x.high
                                                                    : least(x.high, y.high));
    case CORE_SHL:
        return x.low >= 0 && y.low >= 0 && y.high < 63 && x.high <= INT64_MAX >> y.high
                   ? kernel_range(0, x.high << y.high)
                   : kernel_everything;
    case CORE_SHR: return x.low >= 0 ? kernel_range(0, x.high) : kernel_everything;
    }
    return kernel_everything;
}

KernelRange kernel_range_of_unary(CoreOperator op, KernelRange x)
{
    return op == CORE_NEG ? negated(x) : kernel_everything;
}
