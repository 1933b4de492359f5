/* Printing: every value as an APL session shows it. */
#include "runtime/tailor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void assert_prints(tl_type type, int rank, const int64_t *shape, const void *data,
                          const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    tl_print(out, type, rank, shape, data);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void assert_real(double value, const char *expected)
{
    char text[64];
    tl_format_scalar(text, TL_F64, &value, 10);
    assert_string_equal(text, expected);
}

static void assert_narrow(float value, const char *expected)
{
    char text[64];
    tl_format_scalar(text, TL_F32, &value, 10);
    assert_string_equal(text, expected);
}

static void test_reals_have_ten_digits(void **state)
{
    (void)state;
    assert_real(0, "0");
    assert_real(-0.0, "0");
    assert_real(0.1, "0.1");
    assert_real(-1.5, "¯1.5");
    assert_real(1.0 / 3, "0.3333333333");
    assert_real(200.0 / 3, "66.66666667");
    assert_real(0.99999999999, "1");
    assert_real(1e9, "1000000000");
    assert_real(9999999999, "9999999999");
    assert_real(1e10, "1E10");
    assert_real(9999999999.9, "1E10");
    assert_real(-1.234e15, "¯1.234E15");
    assert_real(1.5e-7, "1.5E¯7");
    assert_real(0.000001, "0.000001");
    assert_real(0.0000015, "0.0000015");
    assert_real(123456.789, "123456.789");
    assert_real(1e300, "1E300");
    assert_real(5e-324, "4.940656458E¯324");
    assert_real((double)INFINITY, "∞");
    assert_real(-(double)INFINITY, "¯∞");
    assert_real((double)NAN, "NaN");
}

static void test_narrow_reals_are_shortest(void **state)
{
    (void)state;
    assert_narrow(0.1f, "0.1");
    assert_narrow(16777216.0f, "16777216");
    assert_narrow(1.0f / 3, "0.33333334");
    assert_narrow(1e20f, "1E20");
    assert_narrow(-2.5f, "¯2.5");
}

static void test_ints_in_full(void **state)
{
    (void)state;
    int64_t wide[] = {INT64_MIN, 0, INT64_MAX};
    int64_t shape = 3;
    assert_prints(TL_I64, 1, &shape, wide, "¯9223372036854775808 0 9223372036854775807\n");
    int32_t narrow[] = {INT32_MIN, -1, 7};
    assert_prints(TL_I32, 1, &shape, narrow, "¯2147483648 ¯1 7\n");
    uint8_t truths[] = {1, 0, 1};
    assert_prints(TL_BOOL, 1, &shape, truths, "1 0 1\n");
    assert_prints(TL_I64, 0, NULL, &wide[2], "9223372036854775807\n");
}

static void test_empty_arrays(void **state)
{
    (void)state;
    int64_t none[] = {0, 3}, none_across[] = {3, 0}, none_deep[] = {2, 0, 2};
    assert_prints(TL_I64, 1, none, "", "\n");
    assert_prints(TL_CHAR, 1, none, "", "\n");
    assert_prints(TL_I64, 2, none, "", "");
    assert_prints(TL_F64, 2, none_across, "", "");
    assert_prints(TL_CHAR, 3, none_deep, "", "");
}

static void test_columns_align(void **state)
{
    (void)state;
    int64_t shape[] = {2, 2};
    double points[] = {1.5, 2, 10.25, 3};
    assert_prints(TL_F64, 2, shape, points, " 1.5  2\n10.25 3\n");
    int64_t whole[] = {1, -20, 300, 4};
    assert_prints(TL_I64, 2, shape, whole, "  1 ¯20\n300   4\n");
    double scaled[] = {1e10, 1, 2.5, (double)INFINITY};
    assert_prints(TL_F64, 2, shape, scaled, "1E10 1\n2.5  ∞\n");
}

static void assert_prints_complex(int rank, const int64_t *shape, const double *parts,
                                  const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    tl_print_complex(out, TL_F64, rank, shape, parts);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void test_complex_numbers(void **state)
{
    (void)state;
    int64_t pair[] = {2, 4, 1, 1}, square[] = {2, 2, 2}, planes[] = {2, 2, 1, 2};
    int64_t none[] = {2, 0}, none_down[] = {2, 0, 3};
    double parts[] = {1.5, 3, 0, -0.25, 2, -4, 1, 0};
    assert_prints_complex(1, pair, parts, "1.5J3\n");
    assert_prints_complex(2, pair, parts, "1.5J2 3J¯4 0J1 ¯0.25\n");
    assert_prints_complex(3, square, parts, "1.5J2     3J¯4\n  0J1 ¯0.25   \n");
    assert_prints_complex(4, planes, parts, "1.5J2     3J¯4\n\n  0J1 ¯0.25   \n");
    assert_prints_complex(2, none, parts, "\n");
    assert_prints_complex(3, none_down, parts, "");
    double odd[] = {-0.0, (double)NAN, 1e10, 0.1, -0.0, 1, -(double)INFINITY, 1.0 / 3};
    assert_prints_complex(2, pair, odd, "0 NaNJ1 1E10J¯∞ 0.1J0.3333333333\n");
    float narrow[] = {0.1f, 0.25f};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    tl_print_complex(out, TL_F32, 1, pair, narrow);
    fclose(out);
    assert_string_equal(text, "0.1J0.25\n");
    free(text);
}

static void test_planes_are_separated(void **state)
{
    (void)state;
    int64_t shape[] = {2, 2, 2, 2};
    int64_t items[] = {1, 2, 3, 4, 5, 6, 7, 100, 9, 10, 11, 12, 13, 14, 15, 16};
    assert_prints(TL_I64, 3, shape, items, "1   2\n3   4\n\n5   6\n7 100\n");
    assert_prints(TL_I64, 4, shape, items,
                  " 1   2\n 3   4\n\n 5   6\n 7 100\n\n\n 9  10\n11  12\n\n13  14\n15  16\n");
}

static void test_characters_are_text(void **state)
{
    (void)state;
    uint32_t text[] = {'a', 0xE9, 0x2374, 0x1F600, ' ', 'z'};
    int64_t shape[] = {2, 3};
    assert_prints(TL_CHAR, 0, NULL, text, "a\n");
    int64_t length = 6;
    assert_prints(TL_CHAR, 1, &length, text, "aé⍴😀 z\n");
    assert_prints(TL_CHAR, 2, shape, text, "aé⍴\n😀 z\n");
    uint32_t surrogate = 0xD800;
    assert_prints(TL_CHAR, 0, NULL, &surrogate, "\xEF\xBF\xBD\n");
}

static void test_format_gives_code_points(void **state)
{
    (void)state;
    double value = -1.5e-7;
    int64_t count;
    uint32_t *text = tl_format_chars(TL_F64, &value, &count);
    const uint32_t expected[] = {0xAF, '1', '.', '5', 'E', 0xAF, '7'};
    assert_int_equal(count, 7);
    assert_memory_equal(text, expected, sizeof expected);
    free(text);
    value = (double)INFINITY;
    text = tl_format_chars(TL_F64, &value, &count);
    assert_int_equal(count, 1);
    assert_int_equal(text[0], 0x221E);
    free(text);
}

static void test_large_output(void **state)
{
    (void)state;
    int64_t count = 1000000;
    double *items = malloc((size_t)count * sizeof *items);
    for (int64_t i = 0; i < count; i++) {
        items[i] = (double)i / 7;
    }
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    tl_print(out, TL_F64, 1, &count, items);
    fclose(out);
    size_t spaces = 0;
    for (size_t i = 0; i < size; i++) {
        spaces += text[i] == ' ';
    }
    assert_int_equal(spaces, count - 1);
    assert_memory_equal(text, "0 0.1428571429 0.2857142857 ", 28);
    free(text);
    free(items);
}

static void test_messages_are_filled(void **state)
{
    (void)state;
    char text[40];
    tl_type types[] = {TL_I64, TL_F64};
    tl_value values[] = {{.integer = -3}, {.real = 0.5}};
    tl_fill_message(text, sizeof text, "{} and {}", 2, types, values);
    assert_string_equal(text, "¯3 and 0.5");
    tl_fill_message(text, sizeof text, "{} {} {}", 1, types, values);
    assert_string_equal(text, "¯3 {} {}");
    tl_fill_message(text, 5, "abcdefgh", 0, NULL, NULL);
    assert_string_equal(text, "abcd");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reals_have_ten_digits),
        cmocka_unit_test(test_narrow_reals_are_shortest),
        cmocka_unit_test(test_ints_in_full),
        cmocka_unit_test(test_empty_arrays),
        cmocka_unit_test(test_columns_align),
        cmocka_unit_test(test_complex_numbers),
        cmocka_unit_test(test_planes_are_separated),
        cmocka_unit_test(test_characters_are_text),
        cmocka_unit_test(test_format_gives_code_points),
        cmocka_unit_test(test_large_output),
        cmocka_unit_test(test_messages_are_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
