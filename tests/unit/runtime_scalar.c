/* Scalar operations at their edges, and the random generator's published answers. */
#include "runtime/random.h"
#include "runtime/tailor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void test_philox_known_answers(void **state)
{
    (void)state;
    const struct {
        tl_philox counter;
        tl_u32 key[2];
        tl_philox answer;
    } known[] = {
        {{{0, 0, 0, 0}}, {0, 0}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
        {{{~0u, ~0u, ~0u, ~0u}}, {~0u, ~0u}, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
    };
    for (size_t i = 0; i < 2; i++) {
        tl_philox got = tl_philox4x32_10(known[i].counter, known[i].key[0], known[i].key[1]);
        assert_memory_equal(&got, &known[i].answer, sizeof got);
    }
    assert_true(tl_random_i64(0, 0) == (int64_t)(0xe169c58d6627e8d5u >> 1));
    for (int64_t draw = -5; draw < 100; draw++) {
        assert_true(tl_random_i64(16807, draw) >= 0);
    }
}

static void test_int_division_floors(void **state)
{
    (void)state;
    for (int64_t x = -7; x <= 7; x++) {
        for (int64_t y = -7; y <= 7; y++) {
            int64_t floor_of = y == 0 ? 0 : (int64_t)floor((double)x / (double)y);
            assert_true(tl_div_i64(x, y) == floor_of);
            assert_true(tl_mod_i64(x, y) == (y == 0 ? x : x - y * floor_of));
            assert_true(tl_div_i32((int32_t)x, (int32_t)y) == floor_of);
            assert_true(tl_mod_f64((double)x, (double)y) ==
                        (double)(y == 0 ? x : x - y * floor_of));
        }
    }
    assert_true(tl_div_i64(INT64_MIN, -1) == INT64_MIN);
    assert_true(tl_mod_i64(INT64_MIN, -1) == 0);
    assert_true(tl_div_i32(INT32_MIN, -1) == INT32_MIN);
}

static void test_int_wraps(void **state)
{
    (void)state;
    assert_true(tl_add_i64(INT64_MAX, 1) == INT64_MIN);
    assert_true(tl_sub_i32(INT32_MIN, 1) == INT32_MAX);
    assert_true(tl_mul_i64(INT64_MAX, 2) == -2);
    assert_true(tl_neg_i64(INT64_MIN) == INT64_MIN);
    assert_true(tl_abs_i64(INT64_MIN) == INT64_MIN);
    assert_true(tl_sign_i64(-9) == -1 && tl_sign_i64(0) == 0);
}

static void test_divisors(void **state)
{
    (void)state;
    assert_true(tl_gcd_i64(-12, 18) == 6);
    assert_true(tl_gcd_i64(0, -5) == 5);
    assert_true(tl_gcd_i64(0, 0) == 0);
    assert_true(tl_lcm_i64(-4, 6) == -12);
    assert_true(tl_lcm_i64(0, 6) == 0);
    assert_true(tl_lcm_i64(INT64_MIN, INT64_MIN) == INT64_MIN);
    assert_true(tl_gcd_f64(1.5, 2.5) == 0.5);
    assert_true(tl_lcm_f64(1.5, 2.5) == 7.5);
    assert_true(isnan(tl_gcd_f64((double)INFINITY, 2)));
    assert_true(isnan(tl_gcd_f64((double)NAN, 2)));
}

static void test_shifts_are_clamped(void **state)
{
    (void)state;
    assert_true(tl_shl_i64(1, 63) == INT64_MIN && tl_shl_i64(1, 64) == 0 && tl_shl_i64(1, -1) == 0);
    assert_true(tl_shr_i64(-1, 63) == 1 && tl_shr_i64(-1, 64) == 0);
    assert_true(tl_sar_i64(-8, 1) == -4 && tl_sar_i64(-8, 100) == -1 && tl_sar_i64(-8, -1) == -8);
    assert_true(tl_shr_i32(-1, 31) == 1 && tl_sar_i32(-1, 40) == -1 && tl_shl_i32(1, 32) == 0);
}

static void test_real_edges(void **state)
{
    (void)state;
    assert_true(tl_mod_f64(-0.5, 2) == 1.5);
    assert_true(tl_mod_f64(5.5, -2) == -0.5);
    assert_true(tl_mod_f64(3, 0) == 3);
    assert_true(tl_sign_f64((double)NAN) == 0);
    assert_true(tl_max_f64((double)NAN, 2) == 2 && isnan(tl_max_f64(2, (double)NAN)));
    assert_true(tl_div_f64(1, 0) == (double)INFINITY);
}

static void test_bits_of_reals(void **state)
{
    (void)state;
    assert_int_equal(tl_bits_f64(1), INT64_C(1023) << 52); /* exponent 0, with its bias of 1023 */
    assert_int_equal(tl_bits_f64(-0.0), INT64_MIN);
    assert_int_equal(tl_bits_f64(2.5), (INT64_C(1024) << 52) + (INT64_C(1) << 50));
    assert_int_equal(tl_bits_f32(-1), INT32_MIN + (127 << 23));
}

static void test_numbers_in_place_of_nans(void **state)
{
    (void)state;
    assert_true(tl_unless_nan_f64(2.5, 7) == 2.5);
    assert_true(tl_unless_nan_f64(-(double)INFINITY, 7) == -(double)INFINITY);
    assert_true(tl_unless_nan_f64((double)NAN, 7) == 7);
    assert_true(tl_unless_nan_f64(-(double)NAN, (double)INFINITY) == (double)INFINITY);
    assert_int_equal(tl_bits_f64(tl_unless_nan_f64(-0.0, 7)), INT64_MIN);
    assert_true(isnan(tl_unless_nan_f64((double)NAN, (double)NAN)));
    assert_true(tl_unless_nan_f32(NAN, -3) == -3 && tl_unless_nan_f32(4, -3) == 4);
}

static void test_points_of_the_plane(void **state)
{
    (void)state;
    assert_true(tl_hypot_f64(3, -4) == 5);
    assert_true(tl_hypot_f64(5, 12) == 13);
    assert_true(tl_hypot_f32(8, 15) == 17);
    assert_true(tl_hypot_f64(0, -0.0) == 0);
    assert_true(fabs(tl_hypot_f64(3e200, 4e200) / 5e200 - 1) < 1e-15);
    assert_true(tl_hypot_f64(0, 1e-310) == 1e-310);
    assert_true(fabs(tl_hypot_f64(3e-200, 4e-200) / 5e-200 - 1) < 1e-15);
    assert_true(tl_hypot_f64(-(double)INFINITY, 1) == (double)INFINITY);
    assert_true(tl_hypot_f64((double)INFINITY, (double)INFINITY) == (double)INFINITY);
    assert_true(isnan(tl_hypot_f64((double)NAN, 1)) && isnan(tl_hypot_f64(0, (double)NAN)));
    assert_true(tl_atan2_f64(0, -1) == 3.14159265358979323846);
    assert_true(tl_atan2_f64(-1, 0) == -1.57079632679489661923);
}

static void test_binomials(void **state)
{
    (void)state;
    assert_true(tl_binom_f64(2, 5) == 10);
    assert_true(tl_binom_f64(26, 52) == 495918532948104.0);
    assert_true(tl_binom_f64(0, 0) == 1);
    assert_true(tl_binom_f64(3, 2) == 0);
    assert_true(tl_binom_f64(-1, 4) == 0);
    assert_true(tl_binom_f64(2, -3) == 6);
    assert_true(tl_binom_f64(-5, -3) == 6);
    assert_true(tl_binom_f64(-3, -5) == 0);
    assert_true(fabs(tl_binom_f64(0.5, 2.5) - 1.875) < 1e-12);
    assert_true(tl_binom_f64(-9.2e18, -3) > 1e37); /* as quick as small ones */
    assert_true(tl_binom_f64(1.5, 2.5) == 2.5);
    assert_true(fabs(tl_binom_f64(0.5, 1) - 1.2732395447351628) < 1e-12);
    assert_true(fabs(tl_binom_f64(2.5, -0.5) + 0.0) < 1e300);
    assert_true(tl_fact_f64(20) == 2432902008176640000.0);
    assert_true(fabs(tl_fact_f64(0.5) - 0.88622692545275801) < 1e-15);
    assert_true(isnan(tl_fact_f64(-2)));
    assert_true(tl_fact_f64(171) == (double)INFINITY);
}

static void test_conversions_saturate(void **state)
{
    (void)state;
    assert_true(tl_i64_of_f64(-2.9) == -2);
    assert_true(tl_i64_of_f64(1e19) == INT64_MAX);
    assert_true(tl_i64_of_f64(-1e19) == INT64_MIN);
    assert_true(tl_i64_of_f64((double)NAN) == 0);
    assert_true(tl_i64_of_f64(9223372036854774784.0) == 9223372036854774784);
    assert_true(tl_i32_of_f64(2147483647.5) == INT32_MAX);
    assert_true(tl_i32_of_f64(-2147483648.9) == INT32_MIN);
    assert_true(tl_i32_of_f32(3e9f) == INT32_MAX);
    assert_true(tl_i32_of_i64(4294967297) == 1);
    assert_true(tl_bool_of_f64(0.5) == 1 && tl_bool_of_i64(0) == 0 &&
                tl_bool_of_f64((double)NAN) == 1);
}

static void test_memory_blocks(void **state)
{
    (void)state;
    tl_block *block = tl_allocate(100, 8);
    assert_true((uintptr_t)tl_data(block) % 64 == 0);
    assert_ptr_equal(tl_retain(block), block);
    tl_release(block);
    ((double *)tl_data(block))[99] = 1;
    tl_release(block);
    tl_release(NULL);
    tl_release(tl_allocate(0, 8));
}

/* Of each size some blocks are kept; neighbours of a size that is a power of two hold what they should. */
static void test_memory_small_blocks(void **state)
{
    (void)state;
    enum { MANY = 20 };
    tl_block *first = tl_allocate(130, 1), *blocks[MANY];
    tl_release(first);
    blocks[0] = tl_allocate(250, 1);
    assert_ptr_equal(blocks[0], first);
    tl_release(blocks[0]);
    const int64_t sizes[] = {1, 63, 64, 65, 32767, 32769, 65535, 65536, 65537, 200000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < MANY; i++) {
                blocks[i] = tl_allocate(sizes[k], 1);
                memset(tl_data(blocks[i]), i, (size_t)sizes[k]);
            }
            for (int i = 0; i < MANY; i++) {
                const unsigned char *bytes = tl_data(blocks[i]);
                assert_int_equal(bytes[0], i);
                assert_int_equal(bytes[sizes[k] - 1], i);
                tl_release(blocks[i]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox_known_answers),
        cmocka_unit_test(test_int_division_floors),
        cmocka_unit_test(test_int_wraps),
        cmocka_unit_test(test_divisors),
        cmocka_unit_test(test_shifts_are_clamped),
        cmocka_unit_test(test_real_edges),
        cmocka_unit_test(test_bits_of_reals),
        cmocka_unit_test(test_numbers_in_place_of_nans),
        cmocka_unit_test(test_points_of_the_plane),
        cmocka_unit_test(test_binomials),
        cmocka_unit_test(test_conversions_saturate),
        cmocka_unit_test(test_memory_blocks),
        cmocka_unit_test(test_memory_small_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
