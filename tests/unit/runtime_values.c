/* Values in core's syntax and in .npy files: what is read, what is refused and where, and that what
   is printed reads back. */
#include "runtime/values.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *printed(tl_type type, int rank, const tl_array *array)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    tl_put_value(out, type, rank, array->shape, array->data);
    fclose(out);
    return text;
}

static void reads_as(tl_type type, int rank, const char *text, const char *wanted)
{
    tl_reader reader = tl_reader_text(text, strlen(text));
    tl_array array;
    tl_problem problem;
    if (!tl_read_value(&reader, type, rank, &array, &problem)) {
        fail_msg("%s: %s: %s", text, problem.error, problem.message);
    }
    char *shown = printed(type, rank, &array);
    assert_string_equal(shown, wanted);
    assert_true(tl_reader_at_end(&reader));
    free(shown);
    tl_array_free(&array);
}

static void reads(tl_type type, int rank, const char *text)
{
    reads_as(type, rank, text, text);
}

/* "3:7 SYNTAX ERROR: a text that is part of the message" */
static void refuses(tl_type type, int rank, const char *text, const char *wanted)
{
    tl_reader reader = tl_reader_text(text, strlen(text));
    tl_array array;
    tl_problem problem;
    char message[400];
    if (tl_read_value(&reader, type, rank, &array, &problem)) {
        char *shown = printed(type, rank, &array);
        fail_msg("%s was read as %s", text, shown);
    }
    snprintf(message, sizeof message, "%lld:%lld %s: %s", (long long)problem.line,
             (long long)problem.column, problem.error, problem.message);
    if (strncmp(message, wanted, strlen(wanted)) != 0) {
        fail_msg("%s gives '%s' rather than '%s'", text, message, wanted);
    }
    assert_null(array.data);
    assert_null(array.shape);
}

static void scalars(void **state)
{
    (void)state;
    reads(TL_I64, 0, "0");
    reads(TL_I64, 0, "9223372036854775807");
    reads(TL_I64, 0, "-9223372036854775808");
    reads_as(TL_I64, 0, " \t\r\n 007i64 \n", "7");
    reads_as(TL_I32, 0, "-2147483648", "-2147483648i32");
    reads(TL_I32, 0, "12i32");
    reads_as(TL_I64, 0, "-0", "0");
    reads(TL_BOOL, 0, "true");
    reads(TL_BOOL, 0, "false");
    reads(TL_F64, 0, "2.5");
    reads(TL_F64, 0, "-0.0");
    reads_as(TL_F64, 0, "3", "3.0");
    reads_as(TL_F64, 0, "3f64", "3.0");
    reads_as(TL_F64, 0, "1e3", "1000.0");
    reads_as(TL_F64, 0, "1.5E+2f64", "150.0");
    reads(TL_F64, 0, "f64.inf");
    reads(TL_F64, 0, "-f64.inf");
    reads(TL_F64, 0, "f64.nan");
    reads_as(TL_F64, 0, "f64.nan(0x7ff8000000000001)", "f64.nan");
    reads(TL_F32, 0, "0.1f32");
    reads_as(TL_F32, 0, "16777217", "16777216.0f32");
    reads(TL_F32, 0, "-f32.inf");
    reads(TL_F32, 0, "f32.nan");
}

static void reals_have_the_fewest_digits_that_read_back(void **state)
{
    (void)state;
    static const char *const texts[] = {"0.1",
                                        "0.3",
                                        "1e300",
                                        "5e-324",
                                        "1.7976931348623157e308",
                                        "1e22",
                                        "1e-7",
                                        "0.001",
                                        "123456.789",
                                        "0.30000000000000004",
                                        "100000000000000.0",
                                        "1e21",
                                        "3.141592653589793",
                                        "2.2250738585072014e-308"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        reads(TL_F64, 0, texts[i]);
    }
    static const char *const narrow[] = {"3.4028235e38f32", "1e-45f32",      "0.33333334f32",
                                         "1e10f32",         "16777216.0f32", "1.1754944e-38f32"};
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
        reads(TL_F32, 0, narrow[i]);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state ^ *state >> 29;
}

/* Any bits of a real survive printing and reading, nans as some nan. */
static void every_real_reads_back(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = next_random(&seed);
        double wide, rounded = (double)(int64_t)bits / (double)(1 + (bits & 0xFFFF));
        float narrow;
        uint32_t few = (uint32_t)(bits >> 32);
        memcpy(&wide, &bits, sizeof wide);
        memcpy(&narrow, &few, sizeof narrow);
        double values[2] = {wide, rounded};
        tl_array array = {.shape = &(int64_t){2}, .data = values, .count = 2}, back;
        tl_problem problem;
        char *text = printed(TL_F64, 1, &array);
        tl_reader reader = tl_reader_text(text, strlen(text));
        assert_true(tl_read_value(&reader, TL_F64, 1, &back, &problem));
        for (int k = 0; k < 2; k++) {
            double got = ((double *)back.data)[k];
            assert_true(isnan(values[k]) ? isnan(got) : memcmp(&got, &values[k], sizeof got) == 0);
        }
        free(text);
        tl_array_free(&back);
        array = (tl_array){.data = &narrow, .count = 1};
        text = printed(TL_F32, 0, &array);
        reader = tl_reader_text(text, strlen(text));
        assert_true(tl_read_value(&reader, TL_F32, 0, &back, &problem));
        assert_true(isnan(narrow) ? isnan(*(float *)back.data)
                                  : memcmp(back.data, &narrow, sizeof narrow) == 0);
        free(text);
        tl_array_free(&back);
    }
}

static void characters(void **state)
{
    (void)state;
    reads(TL_CHAR, 0, "'a'");
    reads(TL_CHAR, 0, "'\\''");
    reads(TL_CHAR, 0, "'\\n'");
    reads(TL_CHAR, 0, "'\"'");
    reads_as(TL_CHAR, 0, "'\\\"'", "'\"'");
    reads_as(TL_CHAR, 0, "'\\u{1F600}'", "'\xF0\x9F\x98\x80'");
    reads(TL_CHAR, 0, "'\xE2\x8D\xB5'");
    reads(TL_CHAR, 0, "'\\u{0}'");
    reads(TL_CHAR, 0, "'\\u{d800}'");
    reads(TL_CHAR, 1, "\"text, [1] 'x'\"");
    reads(TL_CHAR, 1, "\"\"");
    reads_as(TL_CHAR, 1, "['a', 'b' ]", "\"ab\"");
    reads_as(TL_CHAR, 1, "[]", "\"\"");
    reads(TL_CHAR, 1, "\"\\\"\\\\\\n\\u{7f}\"");
    reads(TL_CHAR, 2, "[\"ab\", \"cd\"]");
    reads(TL_CHAR, 2, "empty([2][0]char)");
    reads_as(TL_CHAR, 2, "[\"\", []]", "empty([2][0]char)");
}

static void arrays(void **state)
{
    (void)state;
    reads(TL_I64, 1, "[]");
    reads_as(TL_I64, 1, "[ \n ]", "[]");
    reads_as(TL_I64, 1, "[1,2,\n3]", "[1, 2, 3]");
    reads(TL_I32, 1, "[1i32, -2i32]");
    reads_as(TL_F32, 1, "[1, 2.5]", "[1.0f32, 2.5f32]");
    reads(TL_BOOL, 2, "[[true, false], [false, true]]");
    reads(TL_I64, 2, "[[1, 2, 3]]");
    reads_as(TL_I64, 2, "[[],[]]", "empty([2][0]i64)");
    reads(TL_I64, 3, "[[[1], [2]], [[3], [4]], [[5], [6]]]");
    reads(TL_F64, 2, "empty([0][3]f64)");
    reads_as(TL_F64, 3, "empty ( [ 2 ] [0][461168601842738790] f64 )",
             "empty([2][0][461168601842738790]f64)");
    reads_as(TL_F64, 1, "empty([0]f64)", "[]");
}

static void wrong_scalars(void **state)
{
    (void)state;
    refuses(TL_I64, 0, "", "1:1 SYNTAX ERROR: there is no value");
    refuses(TL_I64, 0, "  \n ", "2:2 SYNTAX ERROR: there is no value");
    refuses(TL_I64, 0, "abc", "1:1 SYNTAX ERROR: 'abc' is not a number");
    refuses(TL_I64, 0, "12x", "1:1 SYNTAX ERROR: '12x' is not a number");
    refuses(TL_I64, 0, "-", "1:1 SYNTAX ERROR: '-' is not a number");
    refuses(TL_I64, 0, "+1", "1:1 SYNTAX ERROR: '+1' is not a number");
    refuses(TL_I64, 0, "0x10", "1:1 SYNTAX ERROR: '0x10' is not a number");
    refuses(TL_I64, 0, "1.", "1:1 SYNTAX ERROR: '1.' is not a number");
    refuses(TL_F64, 0, ".5", "1:1 SYNTAX ERROR: '.5' is not a number");
    refuses(TL_F64, 0, "1e", "1:1 SYNTAX ERROR: '1e' is not a number");
    refuses(TL_F64, 0, "1e+f64", "1:1 SYNTAX ERROR: '1e+f64' is not a number");
    refuses(TL_F64, 0, "nan", "1:1 SYNTAX ERROR: 'nan' is not a number");
    refuses(TL_F64, 0, "-f64.nan", "1:1 SYNTAX ERROR: '-f64.nan' is not a number");
    refuses(TL_F64, 0, "f64.nan(0x7", "1:12 SYNTAX ERROR: ')' expected");
    refuses(TL_F64, 0, "f64.nan(0xzz)", "1:11 SYNTAX ERROR: ')' expected");
    refuses(TL_I64, 0, "2.5", "1:1 DOMAIN ERROR: '2.5' is a real, not i64");
    refuses(TL_I64, 0, "1e3", "1:1 DOMAIN ERROR: '1e3' is a real, not i64");
    refuses(TL_I64, 0, "3i32", "1:1 DOMAIN ERROR: '3i32' is of another type, not i64");
    refuses(TL_F32, 0, "3.5f64", "1:1 DOMAIN ERROR: '3.5f64' is of another type, not f32");
    refuses(TL_F32, 0, "f64.inf", "1:1 DOMAIN ERROR: 'f64.inf' is f64, not f32");
    refuses(TL_F64, 0, "3.5i64", "1:1 SYNTAX ERROR: '3.5i64' is not a number");
    refuses(TL_I64, 0, "true", "1:1 DOMAIN ERROR: 'true' is a bool, not i64");
    refuses(TL_BOOL, 0, "1", "1:1 DOMAIN ERROR: true or false expected, but found '1'");
    refuses(TL_BOOL, 0, "truest", "1:1 DOMAIN ERROR: true or false expected");
    refuses(TL_I64, 0, "9223372036854775808",
            "1:1 DOMAIN ERROR: '9223372036854775808' is too large");
    refuses(TL_I64, 0, "100000000000000000000000000000000000000000",
            "1:1 DOMAIN ERROR: '1000000000");
    refuses(TL_I32, 0, "2147483648", "1:1 DOMAIN ERROR: '2147483648' is too large for i32");
    refuses(TL_F64, 0, "1e400", "1:1 DOMAIN ERROR: '1e400' is too large for f64");
    refuses(TL_F32, 0, "1e39", "1:1 DOMAIN ERROR: '1e39' is too large for f32");
    refuses(TL_I64, 0, "3[", "1:2 SYNTAX ERROR: white space expected after the value");
    refuses(TL_I64, 0, "[3]", "1:1 RANK ERROR: an array where a scalar is wanted");
    refuses(TL_I64, 0, "\xFF", "1:1 SYNTAX ERROR: a number expected, but found byte FF");
    refuses(TL_CHAR, 0, "a", "1:1 DOMAIN ERROR: a character in ' ' expected, but found 'a'");
    refuses(TL_CHAR, 0, "''", "1:2 SYNTAX ERROR: a character is missing");
    refuses(TL_CHAR, 0, "'ab'", "1:3 SYNTAX ERROR: a character constant is one character");
    refuses(TL_CHAR, 0, "'", "1:2 SYNTAX ERROR: a closing quote is missing");
    refuses(TL_CHAR, 0, "'\\", "1:3 SYNTAX ERROR: an escape is");
    refuses(TL_CHAR, 0, "'\\q'", "1:3 SYNTAX ERROR: an escape is");
    refuses(TL_CHAR, 0, "'\\u{}'", "1:5 SYNTAX ERROR: an escape is");
    refuses(TL_CHAR, 0, "'\\u{110000}'", "1:11 SYNTAX ERROR: \\u{110000} is not a character");
    refuses(TL_CHAR, 0, "'\\u{123456789}'", "1:12 SYNTAX ERROR: an escape is");
    refuses(TL_CHAR, 0, "'\xC3'", "1:2 SYNTAX ERROR: not UTF-8 (byte C3)");
    refuses(TL_CHAR, 0, "\"a\"", "1:1 DOMAIN ERROR: a character in ' ' expected");
}

static void wrong_arrays(void **state)
{
    (void)state;
    refuses(TL_I64, 1, "3", "1:1 RANK ERROR: '[' expected for an array of rank 1, but found '3'");
    refuses(TL_I64, 1, "[1,", "1:4 SYNTAX ERROR: a number expected, but found the end");
    refuses(TL_I64, 1, "[1, 2", "1:6 SYNTAX ERROR: ',' or ']' expected, but found the end");
    refuses(TL_I64, 1, "[1 2]", "1:4 SYNTAX ERROR: ',' or ']' expected, but found '2'");
    refuses(TL_I64, 1, "[,1]", "1:2 SYNTAX ERROR: a number expected, but found ','");
    refuses(TL_I64, 1, "[1,]", "1:4 SYNTAX ERROR: a number expected, but found ']'");
    refuses(TL_I64, 1, "[1]]", "1:4 SYNTAX ERROR: white space expected");
    refuses(TL_I64, 1, "[\n 1,\n  x]", "3:3 SYNTAX ERROR: 'x' is not a number");
    refuses(TL_I64, 1, "[[1]]", "1:2 RANK ERROR: nested deeper than 1");
    refuses(TL_I64, 2, "[1]", "1:2 RANK ERROR: '[' expected for an array of rank 1");
    refuses(TL_I64, 2, "[[1,2],[3]]",
            "1:10 LENGTH ERROR: this row has 1 item, those before it have 2");
    refuses(TL_I64, 2, "[[1],[]]",
            "1:7 LENGTH ERROR: this row has 0 items, those before it have 1");
    refuses(TL_I64, 3, "[[[1]],[[2],[3]]]", "1:16 LENGTH ERROR: this row has 2 items");
    refuses(TL_I64, 2, "[]",
            "1:3 LENGTH ERROR: an empty array of rank 2 is written as empty([0][3]i64)");
    refuses(TL_I64, 3, "[[],[]]", "1:8 LENGTH ERROR: an empty array of rank 3");
    refuses(TL_CHAR, 2, "[\"ab\",\"c\"]", "1:9 LENGTH ERROR: this row has 1 item");
    refuses(TL_CHAR, 2, "\"ab\"", "1:1 RANK ERROR: '[' expected");
    refuses(TL_CHAR, 1, "\"ab", "1:4 SYNTAX ERROR: a closing quote is missing");
    refuses(TL_CHAR, 1, "\"a\nb\"", "1:3 SYNTAX ERROR: a closing quote is missing");
    refuses(TL_I64, 1, "\"ab\"", "1:1 RANK ERROR: '[' expected");
    refuses(TL_I64, 2, "empty([1][2]i64)", "1:13 LENGTH ERROR: no extent of an empty array is 0");
    refuses(TL_I64, 2, "empty([0]i64)",
            "1:10 RANK ERROR: an array of rank 1 where rank 2 is wanted");
    refuses(TL_I64, 2, "empty([0][1]f64)", "1:13 DOMAIN ERROR: 'f64' where i64 is wanted");
    refuses(TL_I64, 2, "empty([0][-1]i64)", "1:11 SYNTAX ERROR: an extent expected");
    refuses(TL_I64, 2, "empty([0][99999999999999999999]i64)",
            "1:11 SYNTAX ERROR: an extent expected");
    refuses(TL_I64, 2, "empty([0][1]i64", "1:16 SYNTAX ERROR: ')' expected, but found the end");
    refuses(TL_I64, 2, "empty", "1:6 SYNTAX ERROR: '(' expected, but found the end");
    refuses(TL_I64, 0, "empty([0]i64)", "1:1 SYNTAX ERROR: 'empty' is not a number");
}

/* A long row of brackets ends at the rank, however many there are. */
static void nesting_ends_at_the_rank(void **state)
{
    (void)state;
    size_t count = 1000000;
    char *text = malloc(count + 1);
    memset(text, '[', count);
    text[count] = '\0';
    refuses(TL_I64, 2, text, "1:3 RANK ERROR: nested deeper than 2");
    refuses(TL_F64, 0, text, "1:1 RANK ERROR: an array where a scalar is wanted");
    memset(text, '9', count);
    refuses(TL_I64, 0, text,
            "1:1 DOMAIN ERROR: '99999999999999999999999999999999...' is too large");
    refuses(TL_F64, 0, text,
            "1:1 DOMAIN ERROR: '99999999999999999999999999999999...' is too large");
    text[1] = '.';
    reads_as(TL_F64, 0, text, "10.0");
    free(text);
}

/* Pieces of syntax in any order: a value or a refusal with a place inside the text, and nothing
   leaks. */
static void any_text_is_read_or_refused(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "[",   "]", ",",    " ",  "1",     "-2",   "0.5",  "e",       "i32",
        "f64", ".", "true", "'",  "a",     "\"",   "\\",   "u{",      "empty",
        "(",   ")", "\n",   "[]", "[1,2]", "\xE2", "\x8D", "f64.nan", "99999999999"};
    uint64_t seed = 7;
    for (int i = 0; i < 60000; i++) {
        char text[256] = "";
        int count = (int)(next_random(&seed) >> 8 & 15);
        for (int k = 0; k < count; k++) {
            strcat(text, pieces[(next_random(&seed) >> 16) % (sizeof pieces / sizeof *pieces)]);
        }
        tl_type type = (tl_type)((next_random(&seed) >> 20) % 6);
        int rank = (int)((next_random(&seed) >> 20) % 4);
        /* exactly as large as the text, so that a sanitizer sees reading beyond it */
        size_t length = strlen(text);
        char *exact = malloc(length ? length : 1);
        memcpy(exact, text, length);
        tl_reader reader = tl_reader_text(exact, length);
        tl_array array;
        tl_problem problem;
        if (tl_read_value(&reader, type, rank, &array, &problem)) {
            char *shown = printed(type, rank, &array);
            reads(type, rank, shown);
            free(shown);
            tl_array_free(&array);
        } else {
            assert_in_range(problem.line, 1, 17);
            assert_in_range(problem.column, 1, length + 1);
        }
        free(exact);
    }
}

/* A stream longer than the window, with tokens across its ends. */
static void streams(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int count = 100000;
    fprintf(out, "[");
    for (int i = 0; i < count; i++) {
        fprintf(out, "%s%d", i ? ",\n" : "", i * 7919);
    }
    fprintf(out, "]\n\"two\" 3.5\n[oops]");
    fclose(out);
    FILE *in = fmemopen(text, size, "r");
    tl_reader reader = tl_reader_stream(in);
    tl_array array;
    tl_problem problem;
    assert_true(tl_read_value(&reader, TL_I64, 1, &array, &problem));
    assert_int_equal(array.count, count);
    assert_int_equal(array.shape[0], count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(((int64_t *)array.data)[i], (int64_t)i * 7919);
    }
    tl_array_free(&array);
    assert_true(tl_read_value(&reader, TL_CHAR, 1, &array, &problem));
    assert_int_equal(array.count, 3);
    tl_array_free(&array);
    assert_true(tl_read_value(&reader, TL_F64, 0, &array, &problem));
    assert_true(*(double *)array.data == 3.5);
    tl_array_free(&array);
    assert_false(tl_read_value(&reader, TL_F64, 1, &array, &problem));
    assert_int_equal(problem.line, count + 2);
    assert_int_equal(problem.column, 2);
    tl_reader_free(&reader);
    fclose(in);
    free(text);
}

/* ---- .npy ----------------------------------------------------------------------------------- */

/* A file of this version, header and elements; malloc'ed. */
static char *npy(int version, const char *header, const void *elements, size_t size, size_t *length)
{
    size_t header_length = strlen(header), prefix = version == 1 ? 10 : 12;
    char *bytes = calloc(prefix + header_length + size + 1, 1);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (char)version;
    for (size_t i = 0; i < prefix - 8; i++) {
        bytes[8 + i] = (char)(header_length >> (8 * i));
    }
    memcpy(bytes + prefix, header, header_length);
    memcpy(bytes + prefix + header_length, elements, size);
    *length = prefix + header_length + size;
    return bytes;
}

static void npy_as(int version, const char *header, const void *elements, size_t size, tl_type type,
                   int rank, const char *wanted)
{
    size_t length;
    char *bytes = npy(version, header, elements, size, &length);
    tl_array array;
    tl_problem problem;
    if (!tl_read_npy(bytes, length, type, rank, &array, &problem)) {
        fail_msg("%s: %s: %s", header, problem.error, problem.message);
    }
    char *shown = printed(type, rank, &array);
    assert_string_equal(shown, wanted);
    free(shown);
    tl_array_free(&array);
    free(bytes);
}

static void npy_refused(const char *header, size_t size, tl_type type, int rank, const char *wanted)
{
    static const char zeros[64];
    size_t length;
    char *bytes = npy(1, header, zeros, size, &length);
    tl_array array;
    tl_problem problem;
    assert_false(tl_read_npy(bytes, length, type, rank, &array, &problem));
    char message[400];
    snprintf(message, sizeof message, "%s: %s", problem.error, problem.message);
    if (!strstr(message, wanted)) {
        fail_msg("%s gives '%s' rather than '%s'", header, message, wanted);
    }
    free(bytes);
}

#define HEADER(descr, order, shape)                                                                \
    "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }  \n"

static void npy_files_of_every_kind(void **state)
{
    (void)state;
    npy_as(1, HEADER("<i8", "False", "(2, 2)"), (int64_t[]){1, 2, 3, -4}, 32, TL_I64, 2,
           "[[1, 2], [3, -4]]");
    npy_as(2, HEADER("<i8", "True", "(2, 3)"), (int64_t[]){1, 4, 2, 5, 3, 6}, 48, TL_I64, 2,
           "[[1, 2, 3], [4, 5, 6]]");
    npy_as(1, HEADER("<i8", "True", "(2, 1, 3)"), (int64_t[]){1, 4, 2, 5, 3, 6}, 48, TL_I64, 3,
           "[[[1, 2, 3]], [[4, 5, 6]]]");
    npy_as(3, HEADER(">i4", "False", "(2,)"), "\0\0\1\2\xFF\xFF\xFF\xFE", 8, TL_I64, 1,
           "[258, -2]");
    npy_as(1, HEADER("|i1", "False", "(2,)"), "\x80\x7F", 2, TL_I32, 1, "[-128i32, 127i32]");
    npy_as(1, HEADER("|u1", "False", "(2,)"), "\x80\x7F", 2, TL_I32, 1, "[128i32, 127i32]");
    npy_as(1, HEADER("<u4", "False", "(1,)"), "\xFF\xFF\xFF\xFF", 4, TL_I64, 1, "[4294967295]");
    npy_as(1, HEADER("<u2", "False", "()"), "\1\2", 2, TL_F32, 0, "513.0f32");
    npy_as(1, HEADER("<i4", "False", "(1,)"), "\xFF\xFF\xFF\xFF", 4, TL_F64, 1, "[-1.0]");
    npy_as(1, HEADER("|b1", "False", "(3,)"), "\0\1\1", 3, TL_BOOL, 1, "[false, true, true]");
    npy_as(1, HEADER("<f8", "False", "()"), &(double){0.1}, 8, TL_F64, 0, "0.1");
    npy_as(1, HEADER(">f8", "False", "(1,)"), "\x40\x04\0\0\0\0\0\0", 8, TL_F64, 1, "[2.5]");
    npy_as(1, HEADER("<f4", "False", "(2,)"), (float[]){0.5f, -2.0f}, 8, TL_F64, 1, "[0.5, -2.0]");
    npy_as(1, HEADER("<f4", "False", "(1,)"), &(float){0.1f}, 4, TL_F32, 1, "[0.1f32]");
    npy_as(1, HEADER("<f2", "False", "(6,)"), "\0\x3C\0\xC0\1\0\0\x7C\0\x7E\xFF\x7B", 12, TL_F32, 1,
           "[1.0f32, -2.0f32, 5.9604645e-8f32, f32.inf, f32.nan, 65504.0f32]");
    npy_as(1, HEADER("<U1", "False", "(2,)"), "a\0\0\0\xE9\0\0\0", 8, TL_CHAR, 1, "\"a\xC3\xA9\"");
    npy_as(1, HEADER("<U3", "False", "()"), "a\0\0\0b\0\0\0c\0\0\0", 12, TL_CHAR, 1, "\"abc\"");
    npy_as(1, HEADER("<i8", "False", "(0, 3)"), "", 0, TL_I64, 2, "empty([0][3]i64)");
    npy_as(1, HEADER("<i8", "True", "(3, 0)"), "", 0, TL_I64, 2, "empty([3][0]i64)");
    npy_as(1, "{\"shape\": (1L,), \"fortran_order\": False, \"descr\": \"<i8\"}", &(int64_t){5}, 8,
           TL_I64, 1, "[5]");
}

static void npy_files_that_are_wrong(void **state)
{
    (void)state;
    npy_refused(HEADER("<f8", "False", "(2,)"), 16, TL_I64, 1,
                "DOMAIN ERROR: elements of dtype '<f8' where i64");
    npy_refused(HEADER("<i8", "False", "(2,)"), 16, TL_F64, 1, "dtype '<i8' where f64");
    npy_refused(HEADER("<u8", "False", "(2,)"), 16, TL_I64, 1, "dtype '<u8' where i64");
    npy_refused(HEADER("<i8", "False", "(2,)"), 16, TL_I32, 1, "dtype '<i8' where i32");
    npy_refused(HEADER("<u4", "False", "(2,)"), 16, TL_I32, 1, "dtype '<u4' where i32");
    npy_refused(HEADER("<i4", "False", "(2,)"), 16, TL_F32, 1, "dtype '<i4' where f32");
    npy_refused(HEADER("<f8", "False", "(2,)"), 16, TL_F32, 1, "dtype '<f8' where f32");
    npy_refused(HEADER("|i1", "False", "(2,)"), 16, TL_BOOL, 1, "dtype '|i1' where bool");
    npy_refused(HEADER("<c16", "False", "(2,)"), 32, TL_F64, 1, "dtype '<c16'");
    npy_refused(HEADER("|O", "False", "(2,)"), 32, TL_F64, 1, "not understood");
    npy_refused(HEADER("<U2", "False", "(2,)"), 16, TL_CHAR, 1, "dtype '<U2'");
    npy_refused(HEADER("<f16", "False", "(2,)"), 32, TL_F64, 1, "dtype '<f16'");
    npy_refused(HEADER("<i8", "False", "(2,)"), 16, TL_I64, 2,
                "RANK ERROR: an array of rank 1 where rank 2");
    npy_refused(HEADER("<i8", "False", "(3,)"), 16, TL_I64, 1, "ends before its last element");
    npy_refused(HEADER("<i8", "False", "(9223372036854775807, 9223372036854775807)"), 16, TL_I64, 2,
                "too many elements");
    npy_refused(HEADER("<i8", "False", "(99999999999999999999,)"), 16, TL_I64, 1, "not understood");
    npy_refused(HEADER("<i8", "False", "(-1,)"), 16, TL_I64, 1, "not understood");
    npy_refused(HEADER("<i8", "Maybe", "(1,)"), 16, TL_I64, 1, "not understood");
    npy_refused(HEADER("<U99999999999999999999", "False", "()"), 16, TL_CHAR, 1, "");
    npy_refused("{'descr': [('x', '<i8')], 'fortran_order': False, 'shape': (1,)}", 8, TL_I64, 1,
                "not understood");
    npy_refused("{'descr': '<i8', 'shape': (1,)}", 8, TL_I64, 1, "not understood");
    npy_refused("{'descr': '<i8', 'shape': (1,), 'shape': (1,)}", 8, TL_I64, 1, "not understood");
    npy_refused("", 0, TL_I64, 1, "not understood");
    tl_array array;
    tl_problem problem;
    assert_false(tl_read_npy("\x93NUMPY", 6, TL_I64, 1, &array, &problem));
    assert_false(tl_read_npy("\x93NUMPY\1\0\xFF\xFF", 10, TL_I64, 1, &array, &problem));
    assert_false(tl_read_npy("\x93NUMPY\2\0\xFF\xFF", 10, TL_I64, 1, &array, &problem));
    assert_false(tl_read_npy("\x93NUMPY\7\0\0\0\0\0", 12, TL_I64, 1, &array, &problem));
    assert_string_equal(problem.message, ".npy version 7.0, not 1.0 to 3.0");
}

/* Every prefix of a good file, and every file with one byte changed. */
static void shapes_that_cannot_be(void **state)
{
    (void)state;
    npy_refused(HEADER("<i8", "False", "(9223372036854775807, 0)"), 0, TL_I64, 2,
                "too many elements");
    npy_refused(HEADER("<i8", "True", "(0, 9223372036854775807)"), 0, TL_I64, 2,
                "too many elements");
    npy_refused(HEADER("|b1", "False", "(4294967296, 0, 4294967296)"), 0, TL_BOOL, 3,
                "too many elements");
    npy_as(1, HEADER("|b1", "False", "(4294967296, 0)"), "", 0, TL_BOOL, 2,
           "empty([4294967296][0]bool)");
    refuses(TL_I64, 2, "empty([9223372036854775807][0]i64)",
            "1:31 LIMIT ERROR: too many elements along the other axes");
    size_t length;
    tl_array array;
    tl_problem problem;
    char *bytes = npy(1, HEADER("<U1", "False", "(1,)"), "\xFF\xFF\xFF\x7F", 4, &length);
    assert_false(tl_read_npy(bytes, length, TL_CHAR, 1, &array, &problem));
    assert_string_equal(problem.message, "7fffffff is not a character");
    free(bytes);
}

static void broken_npy_files(void **state)
{
    (void)state;
    size_t length;
    char *bytes = npy(1, HEADER("<i8", "True", "(2, 2)"), (int64_t[]){1, 2, 3, 4}, 32, &length);
    uint64_t seed = 3;
    for (size_t i = 0; i < 20 * length; i++) {
        size_t kept = i < length ? i : length;
        char *copy = malloc(kept ? kept : 1);
        memcpy(copy, bytes, kept);
        if (i >= length) {
            copy[i % length] = (char)(next_random(&seed) >> 24);
        }
        tl_array array;
        tl_problem problem;
        if (tl_read_npy(copy, kept, TL_I64, 2, &array, &problem)) {
            tl_array_free(&array);
            assert_true(i >= length);
        }
        free(copy);
    }
    free(bytes);
}

static void npy_round_trip(tl_type type, int rank, const char *text)
{
    tl_reader reader = tl_reader_text(text, strlen(text));
    tl_array array, back;
    tl_problem problem;
    assert_true(tl_read_value(&reader, type, rank, &array, &problem));
    char *bytes = NULL;
    size_t length;
    FILE *out = open_memstream(&bytes, &length);
    assert_true(tl_write_npy(out, type, rank, array.shape, array.data));
    fclose(out);
    assert_true(tl_is_npy(bytes, length));
    size_t data = 10 + (unsigned char)bytes[8] + 256 * (size_t)(unsigned char)bytes[9];
    assert_int_equal(data % 64, 0);
    assert_int_equal(bytes[data - 1], '\n');
    assert_true(tl_read_npy(bytes, length, type, rank, &back, &problem));
    char *shown = printed(type, rank, &back);
    assert_string_equal(shown, text);
    free(shown);
    free(bytes);
    tl_array_free(&array);
    tl_array_free(&back);
}

static void npy_files_written_read_back(void **state)
{
    (void)state;
    npy_round_trip(TL_I64, 0, "-7");
    npy_round_trip(TL_I32, 1, "[1i32, 2i32]");
    npy_round_trip(TL_F64, 2, "[[0.5, f64.inf], [-1.0, 1e300]]");
    npy_round_trip(TL_F32, 3, "[[[0.5f32]], [[1.0f32]]]");
    npy_round_trip(TL_BOOL, 1, "[true, false]");
    npy_round_trip(TL_CHAR, 1, "\"h\xC3\xA9\"");
    npy_round_trip(TL_CHAR, 2, "[\"ab\", \"cd\"]");
    npy_round_trip(TL_F64, 2, "empty([0][5]f64)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars),
        cmocka_unit_test(reals_have_the_fewest_digits_that_read_back),
        cmocka_unit_test(every_real_reads_back),
        cmocka_unit_test(characters),
        cmocka_unit_test(arrays),
        cmocka_unit_test(wrong_scalars),
        cmocka_unit_test(wrong_arrays),
        cmocka_unit_test(nesting_ends_at_the_rank),
        cmocka_unit_test(any_text_is_read_or_refused),
        cmocka_unit_test(streams),
        cmocka_unit_test(npy_files_of_every_kind),
        cmocka_unit_test(npy_files_that_are_wrong),
        cmocka_unit_test(shapes_that_cannot_be),
        cmocka_unit_test(broken_npy_files),
        cmocka_unit_test(npy_files_written_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
