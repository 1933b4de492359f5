/* Quotients and remainders by way of doubles, as vectors of AVX2 have them, beside those of integers: up to the ends of what they
   are for, at multiples of the divisor and beside them. Integers as reals, and reals as integers, in vectors' way and as they
   saturate, beside C's conversions: at powers of two, halves, and what is beside these. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("avx2")
#include "runtime/vector.h"
#pragma GCC pop_options
#define HAS_QUOTIENTS
#endif

#include "runtime/tailor.h"
#include "runtime/scalar.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#if defined(HAS_QUOTIENTS)

enum { ROUNDS = 100000, BITS_OF_X = 51, BITS_OF_Y = 49 };

/* A number of some bits, which are as likely few as many. */
static int64_t random_number(int most_bits)
{
    int64_t bits = ((int64_t)random() << 31) ^ random();
    return bits & ((INT64_C(1) << (1 + random() % most_bits)) - 1);
}

static void check(int64_t x, int64_t y)
{
    int64_t quotient = x / y - (x % y < 0);
    assert_int_equal(tl_quotient(x, y), quotient);
    assert_int_equal(tl_remainder(x, y), x - y * quotient);
    if (x >= 0) {
        assert_int_equal(tl_near_quotient(x, y), quotient);
        assert_int_equal(tl_near_remainder(x, y), x % y);
    }
}

static void quotients_are_those_of_integers(void **state)
{
    (void)state;
    const int64_t most = (INT64_C(1) << BITS_OF_X) - 1, most_divisor = INT64_C(1) << BITS_OF_Y;
    if (!__builtin_cpu_supports("avx2")) {
        skip();
    }
    for (int round = 0; round < ROUNDS; round++) {
        int64_t y = 1 + random_number(BITS_OF_Y), multiple = random_number(BITS_OF_X) / y * y;
        for (int64_t beside = -1; beside <= 1; beside++) {
            check(multiple + beside, y);
            check(beside - multiple, y);
        }
        check(most, y);
        check(-most, y);
        check(random_number(BITS_OF_X), most_divisor);
    }
}

static void integers_become_reals(void **state)
{
    (void)state;
    if (!__builtin_cpu_supports("avx2")) {
        skip();
    }
    const int64_t ends[] = {INT64_MAX, INT64_MIN, INT64_MAX - 512, INT64_MIN + 512, 0, -1};
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        assert_true(tl_real(ends[k]) == (double)ends[k]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        int64_t x = random_number(63);
        assert_true(tl_real(x) == (double)x && tl_real(-x) == (double)-x);
    }
}

/* What the conversion is, by the bits of x: the whole part, at most INT64_MAX and at least INT64_MIN, and 0 of NaN. */
static int64_t whole_part(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
    const uint64_t digits = (bits & 0xfffffffffffffu) | UINT64_C(1) << 52;
    if (isnan(x)) {
        return 0;
    }
    if (exponent > 10) {
        return x > 0 ? INT64_MAX : INT64_MIN;
    }
    const uint64_t part = exponent >= 0    ? digits << exponent
                          : exponent > -64 ? digits >> -exponent
                                           : 0;
    return x > 0 ? (int64_t)part : (int64_t)(0 - part);
}

static void check_real(double x)
{
    int64_t far = 0, near = tl_near_i64_of_f64(x, &far);
    assert_int_equal(tl_i64_of_f64(x), whole_part(x));
    assert_int_equal(far, !(fabs(x) <= 0x1p51));
    if (!far) {
        assert_int_equal(near, whole_part(x));
    }
    const float single = (float)x;
    far = 0;
    near = tl_near_i64_of_f32(single, &far);
    assert_int_equal(tl_i64_of_f32(single), whole_part((double)single));
    assert_true(far || near == whole_part((double)single));
    far = 2; /* what it was stays */
    (void)tl_near_i64_of_f64(x, &far);
    assert_true(far & 2);
}

static void check_beside(double x)
{
    const double by[] = {0, 0.25, 0.5, 1, 1.5};
    for (size_t k = 0; k < sizeof by / sizeof by[0]; k++) {
        const double beside[] = {x + by[k], x - by[k], -(x + by[k]), by[k] - x};
        for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
            check_real(beside[i]);
            check_real(nextafter(beside[i], INFINITY));
            check_real(nextafter(beside[i], -INFINITY));
        }
    }
}

static void reals_become_integers(void **state)
{
    (void)state;
    if (!__builtin_cpu_supports("avx2")) {
        skip();
    }
    const double edges[] = {NAN,  -NAN,      INFINITY,  -INFINITY,
                            -0.0, 0x1p-1022, 0x1p-1074, 0x1.fffffffffffffp1023};
    for (size_t k = 0; k < sizeof edges / sizeof edges[0]; k++) {
        check_beside(edges[k]);
    }
    for (int exponent = -3; exponent <= 70; exponent++) {
        check_beside(ldexp(1, exponent));
    }
    for (int64_t k = 0; k < ROUNDS; k++) {
        uint64_t bits =
            ((uint64_t)random() << 33) ^ ((uint64_t)random() << 11) ^ (uint64_t)random();
        double x;
        memcpy(&x, &bits, sizeof x);
        check_real(x);
        check_real(ldexp((double)random_number(53), -(int)(random() % 20)));
        check_beside((double)random_number(53));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotients_are_those_of_integers),
        cmocka_unit_test(integers_become_reals),
        cmocka_unit_test(reals_become_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif
