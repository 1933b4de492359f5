/* Reading values in core's syntax.

       3  3i64  2.5f32  1e10  true  'a'  f64.inf  f64.nan      scalars
       [1, 2, 3]  [[1, 2], [3, 4]]                             arrays: rows of equal shapes
       "text"                                                  a row of characters
       empty([0][3]i64)                                        an empty array of rank 2 and more

   The type and the rank are known, so that a number without suffix takes the type that is wanted
   and brackets nest no deeper than the rank. A stream is read through a window that holds one token
   at least; numbers go from there straight into the array: a million of them take a tenth of a
   second. Every error has its line and column. */
#include "runtime/context.h"
#include "runtime/values.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 32 };

static const char *const type_names[] = {"bool", "char", "i32", "i64", "f32", "f64"};

void tl_array_free(tl_array *array)
{
    free(array->shape);
    free(array->data);
    *array = (tl_array){0};
}

bool tl_shape_fits(tl_type type, int rank, const int64_t *shape)
{
    int64_t bytes = (int64_t)tl_type_size(type);
    for (int k = 0; k < rank; k++) {
        if (shape[k] > 0 && __builtin_mul_overflow(bytes, shape[k], &bytes)) {
            return false;
        }
    }
    return true;
}

bool tl_wrong(tl_problem *problem, const char *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    problem->error = error;
    vsnprintf(problem->message, sizeof problem->message, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- parsing -------------------------------------------------------------------------------- */

typedef struct Parse {
    tl_reader *reader;
    tl_type type;
    int rank;
    tl_array *array;
    size_t capacity; /* elements that there is room for */
    tl_problem *problem;
} Parse;

/* What is wrong is at the reader's present place. */
#define WRONG(parse, ...) (mark(parse), tl_wrong((parse)->problem, __VA_ARGS__))

static void mark(Parse *p)
{
    const tl_reader *reader = p->reader;
    p->problem->line = reader->line;
    p->problem->column = tl_reader_column(reader);
}

/* What stands here, for a message. */
static const char *shown(Parse *p, char text[SHOWN + 8])
{
    tl_reader *reader = p->reader;
    if (tl_reader_peek(reader) == EOF) {
        return "the end";
    }
    size_t length = tl_reader_word(reader);
    if (length == 0) {
        uint32_t code;
        tl_reader_has(reader, 4);
        size_t there = (size_t)(reader->end - reader->at);
        length = tl_decode(reader->at, there, &code);
        if (length == 0 || code < ' ' || code == 127) {
            snprintf(text, SHOWN + 8, "byte %02X", (unsigned)(unsigned char)*reader->at);
            return text;
        }
    }
    snprintf(text, SHOWN + 8, "'%.*s%s'", (int)(length > SHOWN ? SHOWN : length), reader->at,
             length > SHOWN ? "..." : "");
    return text;
}

static void *new_element(Parse *p)
{
    size_t size = tl_type_size(p->type), used = (size_t)p->array->count++;
    if (used == p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : p->rank > 0 ? 64 : 1;
        bool fits = tl_fits_memory(p->capacity * size);
        void *grown = fits ? realloc(p->array->data, p->capacity * size) : NULL;
        if (!grown) {
            tl_fatal("WS FULL", "%zu bytes", p->capacity * size);
        }
        p->array->data = grown;
    }
    return (char *)p->array->data + used * size;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static const char *digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9') {
        at++;
    }
    return at;
}

static bool ends_with(const char *at, const char *end, const char *word)
{
    return (size_t)(end - at) == strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

/* number = [-] digits [. digits] [(e|E) [+|-] digits] [suffix]. Tells whether it has a point or an
   exponent, and where the suffix begins. */
static bool split_number(const char *at, const char *end, bool *real, const char **suffix)
{
    at += at < end && *at == '-';
    const char *start = at;
    at = digits(at, end);
    if (at == start) {
        return false;
    }
    *real = false;
    if (at + 1 < end && *at == '.' && at[1] >= '0' && at[1] <= '9') {
        *real = true;
        at = digits(at + 1, end);
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        const char *exponent = at + 1;
        exponent += exponent < end && (*exponent == '+' || *exponent == '-');
        at = digits(exponent, end);
        *real = true;
        if (at == exponent) {
            return false;
        }
    }
    *suffix = at;
    return at == end || ends_with(at, end, "f32") || ends_with(at, end, "f64") ||
           (!*real && (ends_with(at, end, "i32") || ends_with(at, end, "i64")));
}

/* f64.inf, -f32.inf, f64.nan: the number in the spelling of data files; NULL for anything else. */
static const char *special(const char *at, const char *end, tl_type *type)
{
    bool negative = at < end && *at == '-';
    at += negative;
    if (end - at != 7 || (memcmp(at, "f32.", 4) != 0 && memcmp(at, "f64.", 4) != 0)) {
        return NULL;
    }
    *type = at[1] == '3' ? TL_F32 : TL_F64;
    if (ends_with(at + 4, end, "inf")) {
        return negative ? "-\xE2\x88\x9E" : "\xE2\x88\x9E";
    }
    return !negative && ends_with(at + 4, end, "nan") ? "NaN" : NULL;
}

static bool is_real_type(tl_type type)
{
    return type == TL_F32 || type == TL_F64;
}

static bool wrong_type(Parse *p, const char *what)
{
    char text[SHOWN + 8];
    return WRONG(p, "DOMAIN ERROR", "%s is %s, not %s", shown(p, text), what, type_names[p->type]);
}

static bool read_special(Parse *p, size_t length, const char *spelling, tl_type type)
{
    if (type != p->type) {
        return wrong_type(p, type_names[type]);
    }
    tl_store_number(type, spelling, spelling + strlen(spelling), new_element(p));
    p->reader->at += length;
    tl_reader *reader = p->reader;
    if (spelling[0] != 'N' || tl_reader_peek(reader) != '(') {
        return true;
    }
    /* f64.nan(0x7ff8000000000000): which nan it is makes no difference */
    while (tl_reader_has(reader, 1) && *reader->at != ')') {
        if (!isxdigit((unsigned char)*reader->at) && *reader->at != 'x' && *reader->at != '(') {
            break;
        }
        reader->at++;
    }
    if (tl_reader_peek(reader) != ')') {
        return WRONG(p, "SYNTAX ERROR", "')' expected after the bits of a nan");
    }
    reader->at++;
    return true;
}

static bool read_number(Parse *p)
{
    tl_reader *reader = p->reader;
    size_t length = tl_reader_word(reader);
    const char *at = reader->at, *end = at + length, *suffix = end;
    bool real = false;
    char text[SHOWN + 8];
    if (!split_number(at, end, &real, &suffix)) {
        tl_type type = p->type;
        const char *spelling = special(at, end, &type);
        if (spelling) {
            return read_special(p, length, spelling, type);
        }
        if (length == 0) {
            return WRONG(p, "SYNTAX ERROR", "a number expected, but found %s", shown(p, text));
        }
        if (ends_with(at, end, "true") || ends_with(at, end, "false")) {
            return wrong_type(p, "a bool");
        }
        return WRONG(p, "SYNTAX ERROR", "%s is not a number", shown(p, text));
    }
    if (suffix < end && !ends_with(suffix, end, type_names[p->type])) {
        return wrong_type(p, "of another type");
    }
    if (real && !is_real_type(p->type)) {
        return wrong_type(p, "a real");
    }
    const char *what = tl_store_number(p->type, at, suffix, new_element(p));
    if (what) {
        return WRONG(p, "DOMAIN ERROR", "%s %s for %s", shown(p, text), what, type_names[p->type]);
    }
    reader->at = end;
    return true;
}

static bool read_bool(Parse *p)
{
    tl_reader *reader = p->reader;
    size_t length = tl_reader_word(reader);
    bool yes = ends_with(reader->at, reader->at + length, "true");
    char text[SHOWN + 8];
    if (!yes && !ends_with(reader->at, reader->at + length, "false")) {
        return WRONG(p, "DOMAIN ERROR", "true or false expected, but found %s", shown(p, text));
    }
    *(uint8_t *)new_element(p) = yes;
    reader->at += length;
    return true;
}

/* ---- characters ----------------------------------------------------------------------------- */

/* After \u: {digits}. */
static bool read_code(Parse *p, uint32_t *code)
{
    tl_reader *reader = p->reader;
    int count = 0;
    *code = 0;
    if (tl_reader_peek(reader) == '{') {
        for (reader->at++; isxdigit(tl_reader_peek(reader)) && count < 7; reader->at++, count++) {
            int digit = tolower((unsigned char)*reader->at);
            *code = *code * 16 + (uint32_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
        }
    }
    if (count == 0 || tl_reader_peek(reader) != '}') {
        return WRONG(p, "SYNTAX ERROR", "an escape is \\n \\\\ \\' \\\" or \\u{...}");
    }
    if (*code > 0x10FFFF) {
        return WRONG(p, "SYNTAX ERROR", "\\u{%lx} is not a character", (unsigned long)*code);
    }
    reader->at++;
    return true;
}

/* One character or escape inside quotes; not the closing quote. */
static bool read_quoted(Parse *p)
{
    tl_reader *reader = p->reader;
    uint32_t code;
    int byte = tl_reader_peek(reader);
    if (byte == EOF || byte == '\n' || byte == '\0') {
        return WRONG(p, "SYNTAX ERROR", "a closing quote is missing");
    }
    if (byte == '\\') {
        reader->at++;
        int escape = tl_reader_peek(reader);
        if (escape == 'u') {
            reader->at++;
            if (!read_code(p, &code)) {
                return false;
            }
        } else if (escape == 'n' || escape == '\\' || escape == '\'' || escape == '"') {
            code = escape == 'n' ? '\n' : (uint32_t)escape;
            reader->at++;
        } else {
            return WRONG(p, "SYNTAX ERROR", "an escape is \\n \\\\ \\' \\\" or \\u{...}");
        }
    } else {
        tl_reader_has(reader, 4);
        size_t size = tl_decode(reader->at, (size_t)(reader->end - reader->at), &code);
        if (size == 0) {
            return WRONG(p, "SYNTAX ERROR", "not UTF-8 (byte %02X)", (unsigned)byte);
        }
        reader->at += size;
    }
    memcpy(new_element(p), &code, sizeof code);
    return true;
}

static bool read_char(Parse *p)
{
    char text[SHOWN + 8];
    if (tl_reader_peek(p->reader) != '\'') {
        return WRONG(p, "DOMAIN ERROR", "a character in ' ' expected, but found %s",
                     shown(p, text));
    }
    p->reader->at++;
    if (tl_reader_peek(p->reader) == '\'') {
        return WRONG(p, "SYNTAX ERROR", "a character is missing between the quotes");
    }
    if (!read_quoted(p)) {
        return false;
    }
    if (tl_reader_peek(p->reader) != '\'') {
        return WRONG(p, "SYNTAX ERROR", "a character constant is one character in ' '");
    }
    p->reader->at++;
    return true;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* The extent along an axis, which all rows there have to agree on. */
static bool found_extent(Parse *p, int axis, int64_t extent)
{
    int64_t *known = &p->array->shape[axis];
    if (*known >= 0 && *known != extent) {
        return WRONG(p, "LENGTH ERROR", "this row has %lld item%s, those before it have %lld",
                     (long long)extent, extent == 1 ? "" : "s", (long long)*known);
    }
    *known = extent;
    return true;
}

static bool read_string(Parse *p)
{
    int64_t before = p->array->count;
    p->reader->at++;
    while (tl_reader_peek(p->reader) != '"') {
        if (!read_quoted(p)) {
            return false;
        }
    }
    if (!found_extent(p, p->rank - 1, p->array->count - before)) {
        return false;
    }
    p->reader->at++;
    return true;
}

static bool read_scalar(Parse *p)
{
    if (tl_reader_peek(p->reader) == '[') {
        return p->rank == 0 ? WRONG(p, "RANK ERROR", "an array where a scalar is wanted")
                            : WRONG(p, "RANK ERROR", "nested deeper than %d", p->rank);
    }
    switch (p->type) {
    case TL_BOOL: return read_bool(p);
    case TL_CHAR: return read_char(p);
    case TL_I32:
    case TL_I64:
    case TL_F32:
    case TL_F64: return read_number(p);
    }
    return false;
}

static bool read_rows(Parse *p, int axis);

/* From behind '[' up to and with ']'. */
static bool read_items(Parse *p, int axis, int64_t *count)
{
    tl_reader *reader = p->reader;
    char text[SHOWN + 8];
    *count = 0;
    if (tl_reader_skip_space(reader) == ']') {
        return true;
    }
    for (;;) {
        if (!read_rows(p, axis + 1)) {
            return false;
        }
        ++*count;
        int byte = tl_reader_skip_space(reader);
        if (byte == ']') {
            return true;
        }
        if (byte != ',') {
            return WRONG(p, "SYNTAX ERROR", "',' or ']' expected, but found %s", shown(p, text));
        }
        reader->at++;
    }
}

/* row = scalar | "[" (row ("," row)*)? "]" | string. Recursion is as deep as the rank. */
static bool read_rows(Parse *p, int axis)
{
    tl_reader *reader = p->reader;
    int byte = tl_reader_skip_space(reader);
    char text[SHOWN + 8];
    if (axis == p->rank) {
        return read_scalar(p);
    }
    if (byte == '"' && p->type == TL_CHAR && axis == p->rank - 1) {
        return read_string(p);
    }
    if (byte == EOF) {
        return WRONG(p, "SYNTAX ERROR", "it ends too early");
    }
    if (byte != '[') {
        return WRONG(p, "RANK ERROR", "'[' expected for an array of rank %d, but found %s",
                     p->rank - axis, shown(p, text));
    }
    reader->at++;
    int64_t count;
    if (!read_items(p, axis, &count) || !found_extent(p, axis, count)) {
        return false;
    }
    reader->at++;
    return true;
}

/* ---- empty arrays --------------------------------------------------------------------------- */

static bool take(Parse *p, int wanted)
{
    char text[SHOWN + 8];
    if (tl_reader_skip_space(p->reader) != wanted) {
        return WRONG(p, "SYNTAX ERROR", "'%c' expected, but found %s", wanted, shown(p, text));
    }
    p->reader->at++;
    return true;
}

/* Behind `empty`: ([0][3]i64), with an extent of 0 somewhere. */
static bool read_empty(Parse *p)
{
    tl_reader *reader = p->reader;
    bool any = false;
    int rank = 0;
    char text[SHOWN + 8];
    if (!take(p, '(')) {
        return false;
    }
    for (; tl_reader_skip_space(reader) == '['; rank++) {
        reader->at++;
        int64_t extent;
        tl_reader_skip_space(reader);
        size_t length = tl_reader_word(reader);
        if (digits(reader->at, reader->at + length) != reader->at + length || length == 0 ||
            tl_store_number(TL_I64, reader->at, reader->at + length, &extent)) {
            return WRONG(p, "SYNTAX ERROR", "an extent expected, but found %s", shown(p, text));
        }
        reader->at += length;
        any = any || extent == 0;
        if (rank < p->rank) {
            p->array->shape[rank] = extent;
        }
        if (!take(p, ']')) {
            return false;
        }
    }
    if (!ends_with(reader->at, reader->at + tl_reader_word(reader), type_names[p->type])) {
        return WRONG(p, "DOMAIN ERROR", "%s where %s is wanted", shown(p, text),
                     type_names[p->type]);
    }
    if (rank != p->rank) {
        return WRONG(p, "RANK ERROR", "an array of rank %d where rank %d is wanted", rank, p->rank);
    }
    if (!any) {
        return WRONG(p, "LENGTH ERROR", "no extent of an empty array is 0");
    }
    if (!tl_shape_fits(p->type, rank, p->array->shape)) {
        return WRONG(p, "LIMIT ERROR", "too many elements along the other axes");
    }
    reader->at += strlen(type_names[p->type]);
    return take(p, ')');
}

/* ---- values --------------------------------------------------------------------------------- */

/* Extents below an empty axis are told by nothing. */
static bool shape_is_known(Parse *p)
{
    for (int i = 0; i < p->rank; i++) {
        if (p->array->shape[i] < 0) {
            return WRONG(p, "LENGTH ERROR",
                         "an empty array of rank %d is written as empty([0][3]%s)", p->rank,
                         type_names[p->type]);
        }
    }
    return true;
}

static bool read_all(Parse *p)
{
    tl_reader *reader = p->reader;
    char text[SHOWN + 8];
    int byte = tl_reader_skip_space(reader);
    if (byte == EOF) {
        return WRONG(p, "SYNTAX ERROR", "there is no value");
    }
    bool is_empty = false;
    if (byte == 'e' && p->rank > 0) {
        size_t length = tl_reader_word(reader);
        is_empty = ends_with(reader->at, reader->at + length, "empty");
        reader->at += is_empty ? length : 0;
    }
    if (!(is_empty ? read_empty(p) : read_rows(p, 0)) || !shape_is_known(p)) {
        return false;
    }
    byte = tl_reader_peek(reader);
    if (byte != EOF && !tl_is_space(byte)) {
        return WRONG(p, "SYNTAX ERROR", "white space expected after the value, but found %s",
                     shown(p, text));
    }
    if (reader->stream && ferror(reader->stream)) {
        return WRONG(p, "DOMAIN ERROR", "%s", strerror(errno));
    }
    return true;
}

bool tl_read_value(tl_reader *reader, tl_type type, int rank, tl_array *array, tl_problem *problem)
{
    *array = (tl_array){.shape = malloc(((size_t)rank + 1) * sizeof *array->shape)};
    *problem = (tl_problem){0};
    if (!array->shape) {
        tl_fatal("WS FULL", "%zu bytes", ((size_t)rank + 1) * sizeof *array->shape);
    }
    for (int i = 0; i < rank; i++) {
        array->shape[i] = -1;
    }
    Parse p = {reader, type, rank, array, 0, problem};
    if (!read_all(&p)) {
        tl_array_free(array);
        return false;
    }
    if (!array->data) { /* a place even for no elements */
        new_element(&p);
        array->count = 0;
    }
    return true;
}
