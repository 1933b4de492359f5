/* That what kernels compute in another way is rounded as it was: quotients by constants (divide.c) and
   twice a number plus another (twice.c), by the host's doubles. */
#include "backend/emit/emit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t state = 88172645463325252u;

static uint64_t next(void) /* xorshift64 */
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static double mantissa(void) /* 1 <= x < 2 */
{
    return 1 + (double)(next() >> 12) * 0x1p-52;
}

/* The kernel's tl_divide_by and tl_divide_by_two. */
static double divided(double x, double y, double high, double low)
{
    double quotient = low == 0 ? x * high : fma(x, high, x * low);
    return fma(fma(-quotient, y, x), high, quotient);
}

static void divides(double y, size_t *two_words)
{
    double high, low;
    KernelExp divisor = {.kind = KERNEL_CONSTANT, .prim = CORE_F64};
    KernelExp dividend = {.kind = KERNEL_VARIABLE, .prim = CORE_F64};
    KernelExp exp = {.kind = KERNEL_BINARY, .prim = CORE_F64};
    divisor.as.constant = core_real(CORE_F64, y);
    exp.as.scalar.op = CORE_DIV;
    exp.as.scalar.prim = CORE_F64;
    exp.as.scalar.x = &dividend;
    exp.as.scalar.y = &divisor;
    assert_true(emit_divides_by_constant(&exp, &high, &low));
    *two_words += low != 0;
    for (int i = 0; i < 20000; i++) {
        double x = ldexp(mantissa(), (int)(next() % 1500) - 750);
        /* a quotient about half way between two doubles */
        double half = mantissa(), product = half * y, rest = fma(half, y, -product);
        double near = product + (rest + 0x1p-53 * y);
        assert_true(divided(x, y, high, low) == x / y);
        assert_true(divided(-near, y, high, low) == -near / y);
        assert_true(divided(product, y, high, low) == product / y);
    }
}

static void test_quotients_by_constants(void **unused)
{
    static const double divisors[] = {3,    7,      10,    100,    0.1, 0.3,  2.5066282746310002,
                                      1e-7, 1e60,   1e-60, 6.2832, -3,  -0.7, 1.9999999999999998,
                                      49,   1000.5, 365.25};
    size_t two_words = 0, count = sizeof divisors / sizeof *divisors;
    (void)unused;
    for (size_t i = 0; i < count; i++) {
        divides(divisors[i], &two_words);
    }
    for (int i = 0; i < 60; i++, count++) {
        divides(ldexp(mantissa(), (int)(next() % 200) - 100), &two_words);
    }
    assert_true(two_words > 0 && two_words < count); /* both ways are there */
}

static void test_constants_that_divide(void **unused)
{
    static const double divisors[] = {0, 1, 2, 0.25, -8, 1e300, 1e-300, INFINITY, NAN};
    (void)unused;
    for (size_t i = 0; i < sizeof divisors / sizeof *divisors; i++) {
        double high, low;
        KernelExp divisor = {.kind = KERNEL_CONSTANT, .prim = CORE_F64};
        KernelExp exp = {.kind = KERNEL_BINARY, .prim = CORE_F64};
        divisor.as.constant = core_real(CORE_F64, divisors[i]);
        exp.as.scalar.op = CORE_DIV;
        exp.as.scalar.prim = CORE_F64;
        exp.as.scalar.x = exp.as.scalar.y = &divisor;
        assert_false(emit_divides_by_constant(&exp, &high, &low));
    }
}

static void same(double x, double y)
{
    double doubled = x * 2, sum = doubled + y, fused = fma(2.0, x, y);
    assert_true(sum == fused || (isnan(sum) && isnan(fused)));
}

static void test_twice_plus(void **unused)
{
    static const double extremes[] = {0.0,
                                      0x1p-1074,
                                      0x1.fffffffffffffp-1022,
                                      1,
                                      0x1p+1023,
                                      0x1.fffffffffffffp+1023,
                                      0x1.fffffffffffffp+1022,
                                      INFINITY,
                                      NAN};
    const double most = 0x1.fffffffffffffp+968; /* below 2^969 */
    (void)unused;
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
        for (int signs = 0; signs < 4; signs++) {
            double x = signs & 1 ? -extremes[i] : extremes[i], sign = signs & 2 ? -1 : 1;
            same(x, sign * most);
            same(x, sign * 0x1p-1074);
            same(x, sign * 0.0);
        }
    }
    for (int i = 0; i < 100000; i++) {
        double x = ldexp(mantissa(), (int)(next() % 2046) - 1022);
        double y = ldexp(mantissa(), (int)(next() % 1990) - 1022);
        same(next() & 1 ? x : -x, y);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quotients_by_constants),
        cmocka_unit_test(test_constants_that_divide),
        cmocka_unit_test(test_twice_plus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
