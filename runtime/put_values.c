/* Writing values as they are read (values.c), so that what one program prints another can take.

       [1, 2]    [2.5, 1e300, f64.inf]    [1i32]    [true]    "text"    empty([2][0]f64)

   A suffix stands where the type is not the default of its kind: i32 and f32. Reals have as few
   digits as read back to the same number. Rows of characters are strings. */
#include "runtime/values.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PUT_BUFFER = 1 << 14, MOST_ITEM = 64 };

typedef struct Put {
    FILE *out;
    size_t used;
    char text[PUT_BUFFER];
} Put;

static void flush(Put *put)
{
    fwrite(put->text, 1, put->used, put->out);
    put->used = 0;
}

static char *room(Put *put)
{
    if (put->used + MOST_ITEM > sizeof put->text) {
        flush(put);
    }
    return put->text + put->used;
}

static void put_text(Put *put, const char *text)
{
    size_t length = strlen(text);
    memcpy(room(put), text, length);
    put->used += length;
}

static void put_whole(Put *put, int64_t value)
{
    char digits[24], *at = digits + sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    *--at = '\0';
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        *--at = '-';
    }
    put_text(put, at);
}

/* ---- reals ---------------------------------------------------------------------------------- */

/* A number that is digits / 10^scale exactly as read back, with a small scale: most numbers that
   people write. False where this way does not find it. */
static bool put_short(Put *put, double value)
{
    static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    double magnitude = fabs(value);
    if (!(magnitude < 1e9) || (magnitude < 1e-3 && magnitude > 0)) {
        return false;
    }
    for (int scale = 1; scale <= 6; scale++) {
        double digits = nearbyint(magnitude * powers[scale]);
        if (digits / powers[scale] != magnitude) {
            continue;
        }
        uint64_t whole = (uint64_t)digits / (uint64_t)powers[scale];
        uint64_t part = (uint64_t)digits % (uint64_t)powers[scale];
        char *at = room(put);
        put->used += (size_t)sprintf(at, "%s%llu.%0*llu", signbit(value) ? "-" : "",
                                     (unsigned long long)whole, scale, (unsigned long long)part);
        return true;
    }
    return false;
}

static bool reads_back(const char *text, double value, bool narrow)
{
    double back = strtod(text, NULL);
    return narrow ? (float)back == (float)value : back == value;
}

/* The fewest digits that read back, with '.' or 'e': 1e300, 123456789012.0. */
static void put_long(Put *put, double value, bool narrow)
{
    char text[MOST_ITEM];
    bool is_subnormal = fabs(value) < (narrow ? (double)FLT_MIN : DBL_MIN);
    int most = narrow ? 9 : 17;
    for (int digits = is_subnormal ? 1 : narrow ? 6 : 15; digits <= most; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (reads_back(text, value, narrow)) {
            break;
        }
    }
    /* e+05 -> e5 */
    char *exponent = strchr(text, 'e');
    if (exponent) {
        char *to = exponent + 1, *from = exponent + 1;
        from += *from == '+';
        if (*from == '-') {
            *to++ = *from++;
        }
        from += strspn(from, "0");
        memmove(to, from, strlen(from) + 1);
    } else if (!strchr(text, '.')) {
        strcat(text, ".0");
    }
    put_text(put, text);
}

static void put_real(Put *put, double value, bool narrow)
{
    const char *suffix = narrow ? "f32" : "";
    if (isnan(value)) {
        put_text(put, narrow ? "f32.nan" : "f64.nan");
        return;
    }
    if (isinf(value)) {
        put_text(put, value < 0 ? "-" : "");
        put_text(put, narrow ? "f32.inf" : "f64.inf");
        return;
    }
    if (narrow || !put_short(put, value)) {
        put_long(put, value, narrow);
    }
    put_text(put, suffix);
}

/* ---- characters ----------------------------------------------------------------------------- */

static void put_code(Put *put, uint32_t code, uint32_t quote)
{
    bool is_character = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    if (code == '\n') {
        put_text(put, "\\n");
    } else if (code == quote || code == '\\') {
        char *at = room(put);
        at[0] = '\\';
        at[1] = (char)code;
        put->used += 2;
    } else if (code < ' ' || (code >= 127 && code < 160) || !is_character) {
        char *at = room(put);
        put->used += (size_t)sprintf(at, "\\u{%lx}", (unsigned long)code);
    } else {
        char text[64];
        tl_format_scalar(text, TL_CHAR, &code, 1);
        put_text(put, text);
    }
}

/* ---- values --------------------------------------------------------------------------------- */

static void put_scalar(Put *put, tl_type type, const void *data)
{
    switch (type) {
    case TL_BOOL: put_text(put, *(const uint8_t *)data ? "true" : "false"); break;
    case TL_CHAR:
        put_text(put, "'");
        put_code(put, *(const uint32_t *)data, '\'');
        put_text(put, "'");
        break;
    case TL_I32:
        put_whole(put, *(const int32_t *)data);
        put_text(put, "i32");
        break;
    case TL_I64: put_whole(put, *(const int64_t *)data); break;
    case TL_F32: put_real(put, (double)*(const float *)data, true); break;
    case TL_F64: put_real(put, *(const double *)data, false); break;
    }
}

/* The row at *data, which is moved behind it. */
static void put_rows(Put *put, tl_type type, int rank, const int64_t *shape, const char **data)
{
    if (rank == 0) {
        put_scalar(put, type, *data);
        *data += tl_type_size(type);
        return;
    }
    bool is_string = rank == 1 && type == TL_CHAR;
    put_text(put, is_string ? "\"" : "[");
    for (int64_t i = 0; i < shape[0]; i++) {
        if (is_string) {
            put_code(put, *(const uint32_t *)*data, '"');
            *data += sizeof(uint32_t);
        } else {
            put_text(put, i > 0 ? ", " : "");
            put_rows(put, type, rank - 1, shape + 1, data);
        }
    }
    put_text(put, is_string ? "\"" : "]");
}

void tl_put_value(FILE *out, tl_type type, int rank, const int64_t *shape, const void *data)
{
    static const char *const names[] = {"bool", "char", "i32", "i64", "f32", "f64"};
    Put put = {.out = out};
    bool empty = false;
    for (int i = 0; i < rank; i++) {
        empty = empty || shape[i] == 0;
    }
    if (empty && rank > 1) {
        put_text(&put, "empty(");
        for (int i = 0; i < rank; i++) {
            put_text(&put, "[");
            put_whole(&put, shape[i]);
            put_text(&put, "]");
        }
        put_text(&put, names[type]);
        put_text(&put, ")");
    } else {
        const char *at = data;
        put_rows(&put, type, rank, shape, &at);
    }
    flush(&put);
}
