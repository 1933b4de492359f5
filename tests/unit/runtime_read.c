/* Reading: numbers exactly, text as code points, and every error with the file's name and line. */
#include "runtime/tailor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char file_name[] = "/tmp/tailor-test-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int file = mkstemp(file_name);
    return file < 0 || close(file) != 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(file_name);
}

static void write_file(const char *text, size_t length)
{
    FILE *out = fopen(file_name, "wb");
    assert_non_null(out);
    fwrite(text, 1, length, out);
    fclose(out);
}

static void *read_back(tl_type type, const char *text, int64_t *count, const char **problem)
{
    write_file(text, strlen(text));
    *problem = NULL;
    return tl_read(type, file_name, count, problem);
}

static void assert_problem(tl_type type, const char *text, const char *expected)
{
    int64_t count;
    const char *problem;
    void *data = read_back(type, text, &count, &problem);
    assert_null(data);
    assert_non_null(problem);
    assert_memory_equal(problem, file_name, strlen(file_name));
    assert_string_equal(problem + strlen(file_name), expected);
}

static void test_ints(void **state)
{
    (void)state;
    int64_t count;
    const char *problem;
    int64_t *data =
        read_back(TL_I64,
                  "\xEF\xBB\xBF"
                  "1, ¯2\n\t-3,,+4\r\n1E3 9223372036854775807 -9223372036854775808 2.0\n",
                  &count, &problem);
    const int64_t expected[] = {1, -2, -3, 4, 1000, INT64_MAX, INT64_MIN, 2};
    assert_non_null(data);
    assert_int_equal(count, 8);
    assert_memory_equal(data, expected, sizeof expected);
    free(data);
    int32_t *narrow = read_back(TL_I32, "2147483647 -2147483648", &count, &problem);
    assert_int_equal(count, 2);
    assert_int_equal(narrow[0], INT32_MAX);
    assert_int_equal(narrow[1], INT32_MIN);
    free(narrow);
}

static void test_reals_are_exact(void **state)
{
    (void)state;
    static const char *const texts[] = {"0.1",
                                        "1E¯7",
                                        "123456789012345678901234567890",
                                        "-2.2250738585072014e-308",
                                        "4.9e-324",
                                        "1.7976931348623157e308",
                                        "9007199254740993",
                                        "0.000000000000000000000000000000000000001",
                                        ".5",
                                        "5.",
                                        "3.14159265358979323846264338327950288",
                                        "8.5e22"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char plain[64];
        const char *minus = strstr(texts[i], "¯");
        if (minus) {
            snprintf(plain, sizeof plain, "%.*s-%s", (int)(minus - texts[i]), texts[i], minus + 2);
        } else {
            snprintf(plain, sizeof plain, "%s", texts[i]);
        }
        double value, expected = strtod(plain, NULL);
        const char *problem;
        assert_true(tl_parse_number(TL_F64, texts[i], &value, &problem));
        assert_memory_equal(&value, &expected, sizeof value);
    }
    int64_t count;
    const char *problem;
    double *data = read_back(TL_F64, "∞ ¯∞ NaN", &count, &problem);
    assert_int_equal(count, 3);
    assert_true(isinf(data[0]) && data[0] > 0 && isinf(data[1]) && data[1] < 0 && isnan(data[2]));
    free(data);
}

static void test_errors_name_file_and_line(void **state)
{
    (void)state;
    assert_problem(TL_I64, "1 2\n3\n4 abc 5", ":3: 'abc' is not a number");
    assert_problem(TL_I64, "1.5", ":1: '1.5' is not a whole number");
    assert_problem(TL_I64, "9223372036854775808", ":1: '9223372036854775808' is too large");
    assert_problem(TL_I32, "2147483648", ":1: '2147483648' is too large");
    assert_problem(TL_F64, "1e999", ":1: '1e999' is too large");
    assert_problem(TL_F32, "1e39", ":1: '1e39' is too large");
    assert_problem(TL_F64, "0x10", ":1: '0x10' is not a number");
    assert_problem(TL_F64, "1e", ":1: '1e' is not a number");
    assert_problem(TL_F64, ".", ":1: '.' is not a number");
    assert_problem(TL_F64, "--1", ":1: '--1' is not a number");
    assert_problem(TL_F64, "1\x01", ":1: '1?' is not a number");
    assert_problem(TL_F64, "ééééééééééééééééééééééééé",
                   ":1: 'éééééééééééééééééééé...' is not a number");
    assert_problem(TL_CHAR, "ab\nc\xFF", ":2: not UTF-8 (byte FF)");
    assert_problem(TL_CHAR, "\xC0\x80", ":1: not UTF-8 (byte C0)");
    assert_problem(TL_CHAR, "\xED\xA0\x80", ":1: not UTF-8 (byte ED)");
}

static void test_missing_file(void **state)
{
    (void)state;
    int64_t count;
    const char *problem = NULL;
    assert_null(tl_read(TL_I64, "/nonexistent/data.txt", &count, &problem));
    assert_string_equal(problem, "/nonexistent/data.txt: No such file or directory");
    assert_null(tl_read(TL_I64, "/tmp", &count, &problem));
    assert_string_equal(problem, "/tmp: Is a directory");
}

static void test_empty_and_odd_files(void **state)
{
    (void)state;
    int64_t count;
    const char *problem;
    void *data = read_back(TL_F64, "", &count, &problem);
    assert_non_null(data);
    assert_int_equal(count, 0);
    free(data);
    data = read_back(TL_I64, " ,\n,", &count, &problem);
    assert_non_null(data);
    assert_int_equal(count, 0);
    free(data);
    write_file("1 2\0 3", 6);
    assert_null(tl_read(TL_I64, file_name, &count, &problem));
}

static void test_text_is_code_points(void **state)
{
    (void)state;
    int64_t count;
    const char *problem;
    uint32_t *text = read_back(TL_CHAR, "a⍴😀\n", &count, &problem);
    const uint32_t expected[] = {'a', 0x2374, 0x1F600, '\n'};
    assert_int_equal(count, 4);
    assert_memory_equal(text, expected, sizeof expected);
    char *bytes = tl_utf8(text, count);
    assert_string_equal(bytes, "a⍴😀\n");
    free(bytes);
    free(text);
}

static void test_large_file(void **state)
{
    (void)state;
    FILE *out = fopen(file_name, "wb");
    for (int i = 0; i < 300000; i++) {
        fprintf(out, "%d.5\n", i);
    }
    fclose(out);
    int64_t count;
    const char *problem;
    double *data = tl_read(TL_F64, file_name, &count, &problem);
    assert_int_equal(count, 300000);
    assert_true(data[299999] == 299999.5);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ints),
        cmocka_unit_test(test_reals_are_exact),
        cmocka_unit_test(test_errors_name_file_and_line),
        cmocka_unit_test(test_missing_file),
        cmocka_unit_test(test_empty_and_odd_files),
        cmocka_unit_test(test_text_is_code_points),
        cmocka_unit_test(test_large_file),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
