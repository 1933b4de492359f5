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
    /* A column without imaginary parts is one of real numbers. */
    double real[] = {1, 2.5, 3, 10, 0, 0, -0.0, 0}, mixed[] = {1.5, 2.25, 3, 10, 1, 0, 0, 0};
    assert_prints_complex(3, square, real, "1  2.5\n3 10  \n");
    assert_prints_complex(3, square, mixed, "1.5J1  2.25\n  3   10   \n");
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

/* What ⍕ gives: rows of code points, compared as UTF-8 with a line end behind each. */
static void assert_text(uint32_t *codes, int64_t rows, int64_t columns, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (int64_t i = 0; i < rows; i++) {
        tl_print(out, TL_CHAR, 1, &columns, codes + i * columns);
    }
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
    free(codes);
}

static void test_format_gives_code_points(void **state)
{
    (void)state;
    double value = -1.5e-7;
    int64_t count;
    uint32_t *text = tl_format(10, TL_F64, 0, NULL, &value, &count);
    const uint32_t expected[] = {0xAF, '1', '.', '5', 'E', 0xAF, '7'};
    assert_int_equal(count, 7);
    assert_memory_equal(text, expected, sizeof expected);
    free(text);
    value = (double)INFINITY;
    text = tl_format(10, TL_F64, 0, NULL, &value, &count);
    assert_int_equal(count, 1);
    assert_int_equal(text[0], 0x221E);
    free(text);
}

static void test_format_of_arrays_is_what_is_printed(void **state)
{
    (void)state;
    int64_t shape[] = {2, 2, 2}, none[] = {3, 0, 2}, columns;
    double items[] = {1.5, 2, -10.25, 3, 1e10, 1, 2.5, (double)INFINITY};
    uint32_t *text = tl_format(10, TL_F64, 2, shape, items, &columns);
    assert_int_equal(columns, 8);
    assert_text(text, 2, columns, "  1.5  2\n¯10.25 3\n");
    text = tl_format(3, TL_F64, 1, shape, (double[]){2.0 / 3, 12345}, &columns);
    assert_text(text, 1, columns, "0.667 1.23E4\n");
    text = tl_format(10, TL_F64, 3, shape, items, &columns);
    assert_int_equal(columns, 8);
    assert_text(text, 4, columns, "  1.5  2\n¯10.25 3\n  1E10 1\n  2.5  ∞\n");
    text = tl_format_complex(10, TL_F64, 2, shape, (double[]){3, 0, 4, 0}, &columns);
    assert_text(text, 1, columns, "3J4 0\n");
    free(tl_format(10, TL_I64, 3, none, "", &columns));
    assert_int_equal(columns, 1); /* two columns of no items, and the blank between them */
    free(tl_format(10, TL_I64, 1, &none[1], "", &columns));
    assert_int_equal(columns, 0);
}

static void assert_field(int64_t width, int64_t decimals, double value, const char *expected)
{
    int64_t fields[] = {width, decimals}, columns;
    uint32_t *text = tl_format_fields(2, fields, TL_F64, 0, NULL, &value, &columns);
    assert_text(text, 1, columns, expected);
}

static void test_fields_are_right_aligned(void **state)
{
    (void)state;
    assert_field(8, 2, 3.14159, "    3.14\n");
    assert_field(4, 2, -3.14159, "****\n");
    assert_field(5, 2, -3.14159, "¯3.14\n");
    assert_field(0, 2, -3.14159, " ¯3.14\n");
    assert_field(3, 0, 2.5, "  3\n");
    assert_field(3, 0, -2.5, " ¯3\n");
    assert_field(3, 0, 0.5, "  1\n");
    assert_field(3, 0, 0.4999, "  0\n");
    assert_field(5, 1, -0.04, "  0.0\n");
    assert_field(6, 2, 99.999, "100.00\n");
    assert_field(6, 2, 0, "  0.00\n");
    assert_field(7, -3, 1555, " 1.56E3\n");
    assert_field(8, -3, -0.00009999, "¯1.00E¯4\n");
    assert_field(4, -1, 7.4, " 7E0\n");
    assert_field(8, -2, 0, "   0.0E0\n");
    assert_field(2, 3, (double)INFINITY, " ∞\n");
    assert_field(1, 3, -(double)INFINITY, "*\n");
    assert_field(4, 3, (double)NAN, " NaN\n");
    assert_field(0, 20, 1.0 / 3, " 0.3333333333333333____\n");
    assert_field(0, 3, 0x1p100, " 1267650600228229_______________.___\n");
}

static void test_fields_of_columns(void **state)
{
    (void)state;
    int64_t shape[] = {2, 2}, pairs[] = {3, 0, 6, 2}, alone = 1, columns;
    double items[] = {10.1, 15, 1001, 22.357};
    uint32_t *text = tl_format_fields(4, pairs, TL_F64, 2, shape, items, &columns);
    assert_text(text, 2, columns, " 10 15.00\n*** 22.36\n");
    text = tl_format_fields(1, &alone, TL_F64, 2, shape, items, &columns);
    assert_text(text, 2, columns, "   10.1 15.0\n 1001.0 22.4\n");
    int64_t least = INT64_MIN;
    text = tl_format_fields(1, &alone, TL_I64, 0, NULL, &least, &columns);
    assert_text(text, 1, columns, " ¯9223372036854775808.0\n");
}

static void test_precision_is_the_program_s(void **state)
{
    (void)state;
    double value = 2.0 / 3;
    assert_int_equal(tl_precision_now(), 10);
    tl_precision(3);
    assert_prints(TL_F64, 0, NULL, &value, "0.667\n");
    tl_precision(17);
    assert_prints(TL_F64, 0, NULL, &value, "0.66666666666666663\n");
    value = 1e15;
    assert_prints(TL_F64, 0, NULL, &value, "1000000000000000\n");
    tl_precision(1);
    assert_prints(TL_F64, 0, NULL, &value, "1E15\n");
    value = 27;
    assert_prints(TL_F64, 0, NULL, &value, "3E1\n");
    tl_precision(10);
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
        cmocka_unit_test(test_format_of_arrays_is_what_is_printed),
        cmocka_unit_test(test_fields_are_right_aligned),
        cmocka_unit_test(test_fields_of_columns),
        cmocka_unit_test(test_precision_is_the_program_s),
        cmocka_unit_test(test_large_output),
        cmocka_unit_test(test_messages_are_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
