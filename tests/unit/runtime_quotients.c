/* Quotients and remainders by way of doubles, as vectors of AVX2 have them, beside those of integers: up to the ends of what they
   are for, at multiples of the divisor and beside them. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("avx2")
#include "runtime/vector.h"
#pragma GCC pop_options
#define HAS_QUOTIENTS
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotients_are_those_of_integers),
        cmocka_unit_test(integers_become_reals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif
