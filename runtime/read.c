/* Reading data files: numbers separated by white space or commas, and text.

       3, ¯4.5        the three numbers 3 ¯4.5 1E6; "-" and "¯" both negate
       1E6

   A file is read whole; numbers of up to 18 digits with small exponents are converted exactly with
   one multiplication or division of exact powers of ten, the others by strtod. Every error names
   the file and, where there is one, the line and the offending text. */
#include "runtime/context.h"
#include "runtime/values.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- problems ------------------------------------------------------------------------------- */

enum { PROBLEM_SIZE = 1024, SHOWN_SIZE = 40 };

/* The text of the last problem, and its error: the caller of tl_read uses them before it reads
   again. */
static _Thread_local char problem_text[PROBLEM_SIZE];
static _Thread_local bool problem_is_memory;

const char *tl_read_error(void)
{
    return problem_is_memory ? "WS FULL" : "DOMAIN ERROR";
}

__attribute__((format(printf, 2, 3))) static void *complain(const char **problem,
                                                            const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem_text, sizeof problem_text, format, arguments);
    va_end(arguments);
    *problem = problem_text;
    problem_is_memory = false;
    return NULL;
}

static void *complain_memory(const char **problem, const char *file, size_t bytes)
{
    complain(problem, "%s: %zu bytes", file, bytes);
    problem_is_memory = true;
    return NULL;
}

/* Memory for what a file holds; NULL where it does not fit. */
static void *memory_for(size_t bytes)
{
    return tl_fits_memory(bytes) ? malloc(bytes ? bytes : 1) : NULL;
}

/* ---- files ---------------------------------------------------------------------------------- */

typedef struct Contents {
    char *bytes; /* NUL-terminated */
    size_t length;
} Contents;

char *tl_load(FILE *stream, size_t *length)
{
    size_t capacity = 1 << 16;
    char *bytes = malloc(capacity);
    *length = 0;
    while (bytes) {
        size_t room = capacity - *length - 1;
        size_t got = fread(bytes + *length, 1, room, stream);
        *length += got;
        if (got < room && ferror(stream)) {
            int problem = errno;
            free(bytes);
            errno = problem;
            return NULL;
        }
        if (got < room) {
            bytes[*length] = '\0';
            return bytes;
        }
        capacity *= 2;
        char *grown = tl_fits_memory(capacity) ? realloc(bytes, capacity) : NULL;
        if (!grown) {
            free(bytes);
        }
        bytes = grown;
    }
    errno = ENOMEM;
    return NULL;
}

/* How long a file says that it is; of a pipe 0. */
static size_t length_of(FILE *stream)
{
    struct stat status;
    bool told = fstat(fileno(stream), &status) == 0 && S_ISREG(status.st_mode);
    return told && status.st_size > 0 ? (size_t)status.st_size : 0;
}

static bool load(const char *file, Contents *contents, const char **problem)
{
    *contents = (Contents){NULL, 0};
    FILE *stream = fopen(file, "rb");
    size_t length = stream ? length_of(stream) : 0;
    if (!tl_fits_memory(length)) { /* rather than when most of it has been read */
        complain_memory(problem, file, length);
        fclose(stream);
        return false;
    }
    contents->bytes = stream ? tl_load(stream, &contents->length) : NULL;
    if (!contents->bytes && errno == ENOMEM) {
        complain_memory(problem, file, length);
    } else if (!contents->bytes) {
        complain(problem, "%s: %s", file, strerror(errno));
    }
    if (stream) {
        fclose(stream);
    }
    return contents->bytes != NULL;
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* A number as it is spelled: (-1)^negative * digits * 10^exponent, exact unless `inexact`. */
typedef struct Spelled {
    bool negative, whole, inexact, infinite, nan;
    uint64_t digits;
    int exponent;
} Spelled;

static bool starts_with(const char **at, const char *end, const char *prefix)
{
    size_t length = strlen(prefix);
    if ((size_t)(end - *at) < length || memcmp(*at, prefix, length) != 0) {
        return false;
    }
    *at += length;
    return true;
}

static bool take_sign(const char **at, const char *end)
{
    return starts_with(at, end, "-") || starts_with(at, end, "\xC2\xAF");
}

static const char *take_digits(const char *at, const char *end, Spelled *number, int scale)
{
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        if (number->digits < 100000000000000000u) {
            number->digits = number->digits * 10 + (uint64_t)(*at - '0');
            number->exponent += scale;
        } else {
            number->inexact = true;
            number->exponent += scale + 1;
        }
    }
    return at;
}

static const char *take_exponent(const char *at, const char *end, Spelled *number)
{
    bool down = take_sign(&at, end);
    if (!down) {
        starts_with(&at, end, "+");
    }
    int value = 0;
    const char *start = at;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        value = value < 100000 ? value * 10 + (*at - '0') : value;
    }
    number->exponent += down ? -value : value;
    return at > start ? at : NULL;
}

/* number = [-|¯|+] (digits [. [digits]] | . digits) [(e|E) [-|¯|+] digits] | [-|¯] ∞ | NaN */
static bool spell(const char *at, const char *end, Spelled *number)
{
    *number = (Spelled){.whole = true};
    number->negative = take_sign(&at, end);
    if (!number->negative) {
        starts_with(&at, end, "+");
    }
    if (starts_with(&at, end, "\xE2\x88\x9E")) {
        number->infinite = true;
        return at == end;
    }
    if (starts_with(&at, end, "NaN")) {
        number->nan = true;
        return at == end;
    }
    const char *start = at;
    at = take_digits(at, end, number, 0);
    size_t count = (size_t)(at - start);
    if (starts_with(&at, end, ".")) {
        start = at;
        at = take_digits(at, end, number, -1);
        count += (size_t)(at - start);
        number->whole = false;
    }
    if (count && (starts_with(&at, end, "e") || starts_with(&at, end, "E"))) {
        number->whole = false;
        at = take_exponent(at, end, number);
    }
    return count && at == end;
}

/* The slow way, for what the fast one does not give exactly: strtod on a copy with '-' for '¯'. */
static double convert_exactly(const char *at, const char *end)
{
    char small[128];
    size_t size = (size_t)(end - at) + 1;
    char *copy = size <= sizeof small ? small : malloc(size);
    if (!copy) {
        tl_fatal("WS FULL", "%zu bytes", size);
    }
    char *to = copy;
    while (at < end) {
        if (starts_with(&at, end, "\xC2\xAF")) {
            *to++ = '-';
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
    double value = strtod(copy, NULL);
    if (copy != small) {
        free(copy);
    }
    return value;
}

static double real_of(const Spelled *number, const char *at, const char *end)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double magnitude;
    if (number->infinite) {
        magnitude = (double)INFINITY;
    } else if (number->nan) {
        return (double)NAN;
    } else if (number->inexact || number->digits > (1ull << 53) || number->exponent > 22 ||
               number->exponent < -22) {
        return convert_exactly(at, end);
    } else if (number->exponent < 0) {
        magnitude = (double)number->digits / powers[-number->exponent];
    } else {
        magnitude = (double)number->digits * powers[number->exponent];
    }
    return number->negative ? -magnitude : magnitude;
}

/* Whether the number is whole and fits; with a point or an exponent (1E6) it may be whole too. */
static bool int_of(const Spelled *number, const char *at, const char *end, int64_t least,
                   int64_t most, int64_t *value, const char **what)
{
    *what = "is not a whole number";
    if (number->infinite || number->nan) {
        return false;
    }
    if (!number->whole) {
        double real = real_of(number, at, end);
        if (real != floor(real)) {
            return false;
        }
        *what = "is too large";
        if (!(fabs(real) <= 9007199254740992.0) || real < (double)least || real > (double)most) {
            return false;
        }
        *value = (int64_t)real;
        return true;
    }
    *what = "is too large";
    errno = 0;
    if (number->inexact || number->digits > (uint64_t)INT64_MAX) {
        char copy[32];
        take_sign(&at, end);
        size_t length = (size_t)(end - at);
        if (length >= sizeof copy - 1) {
            return false;
        }
        copy[0] = number->negative ? '-' : '+';
        memcpy(copy + 1, *at == '+' ? at + 1 : at, length);
        copy[*at == '+' ? length : length + 1] = '\0';
        *value = (int64_t)strtoll(copy, NULL, 10);
        return errno == 0 && *value >= least && *value <= most;
    }
    *value = number->negative ? -(int64_t)number->digits : (int64_t)number->digits;
    return *value >= least && *value <= most;
}

const char *tl_store_number(tl_type type, const char *at, const char *end, void *to)
{
    Spelled number;
    const char *what = "is not a number";
    if (!spell(at, end, &number)) {
        return what;
    }
    if (type == TL_F32 || type == TL_F64) {
        double value = real_of(&number, at, end);
        float narrow = (float)value;
        bool overflow = type == TL_F64 ? isinf(value) : isinf(narrow);
        if (overflow && !number.infinite) {
            return "is too large";
        }
        memcpy(to, type == TL_F64 ? (void *)&value : (void *)&narrow, tl_type_size(type));
        return NULL;
    }
    int64_t least = type == TL_I64 ? INT64_MIN : type == TL_I32 ? INT32_MIN : 0;
    int64_t most = type == TL_I64 ? INT64_MAX : type == TL_I32 ? INT32_MAX : 1;
    int64_t value;
    if (!int_of(&number, at, end, least, most, &value, &what)) {
        return what;
    }
    int32_t narrow = (int32_t)value;
    uint8_t truth = (uint8_t)value;
    memcpy(to,
           type == TL_I64   ? (void *)&value
           : type == TL_I32 ? (void *)&narrow
                            : (void *)&truth,
           tl_type_size(type));
    return NULL;
}

bool tl_parse_number(tl_type type, const char *text, void *value, const char **problem)
{
    *problem = tl_store_number(type, text, text + strlen(text), value);
    return *problem == NULL;
}

/* ---- files of numbers ----------------------------------------------------------------------- */

static bool is_separator(char byte)
{
    return byte == ' ' || byte == ',' || byte == '\n' || byte == '\t' || byte == '\r' ||
           byte == '\v' || byte == '\f';
}

static size_t count_numbers(const Contents *contents)
{
    size_t count = 0;
    bool inside = false;
    for (size_t i = 0; i < contents->length; i++) {
        bool separates = is_separator(contents->bytes[i]);
        count += !separates && !inside;
        inside = !separates;
    }
    return count;
}

static size_t line_of(const Contents *contents, const char *at)
{
    size_t line = 1;
    for (const char *before = contents->bytes; before < at; before++) {
        line += *before == '\n';
    }
    return line;
}

static void *complain_at(const char **problem, const char *file, const Contents *contents,
                         const char *at, const char *end, const char *what)
{
    size_t line = line_of(contents, at);
    char shown[SHOWN_SIZE + 4];
    size_t length = 0;
    for (; at < end && length < SHOWN_SIZE; at++) {
        bool plain = (unsigned char)*at >= ' ' && *at != '\x7F';
        shown[length++] = plain ? *at : '?';
    }
    while (at < end && length && ((unsigned char)*at & 0xC0) == 0x80) {
        length--, at--; /* not in the middle of a character */
    }
    strcpy(shown + length, at < end ? "..." : "");
    return complain(problem, "%s:%zu: '%s' %s", file, line, shown, what);
}

static void *read_numbers(tl_type type, const char *file, const Contents *contents, int64_t *count,
                          const char **problem)
{
    size_t size = tl_type_size(type), total = count_numbers(contents), done = 0;
    char *data = memory_for(total * size);
    if (!data) {
        return complain_memory(problem, file, total * size);
    }
    const char *at = contents->bytes, *end = at + contents->length;
    starts_with(&at, end, "\xEF\xBB\xBF");
    while (at < end) {
        if (is_separator(*at)) {
            at++;
            continue;
        }
        const char *start = at;
        while (at < end && !is_separator(*at)) {
            at++;
        }
        const char *what = tl_store_number(type, start, at, data + done * size);
        if (what) {
            free(data);
            return complain_at(problem, file, contents, start, at, what);
        }
        done++;
    }
    *count = (int64_t)done;
    return data;
}

/* ---- text ----------------------------------------------------------------------------------- */

size_t tl_decode(const char *bytes, size_t length, uint32_t *code)
{
    const unsigned char *at = (const unsigned char *)bytes;
    if (length == 0) {
        return 0;
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = at[0] < 0x80             ? 1
                  : (at[0] & 0xE0) == 0xC0 ? 2
                  : (at[0] & 0xF0) == 0xE0 ? 3
                  : (at[0] & 0xF8) == 0xF0 ? 4
                                           : 0;
    if (size == 0 || size > length) {
        return 0;
    }
    *code = size == 1 ? at[0] : at[0] & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xC0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (at[i] & 0x3F);
    }
    bool valid = *code >= least[size] && *code <= 0x10FFFF && (*code < 0xD800 || *code > 0xDFFF);
    return valid ? size : 0;
}

static void *read_text(const char *file, const Contents *contents, int64_t *count,
                       const char **problem)
{
    uint32_t *text = memory_for(contents->length * sizeof *text);
    if (!text) {
        return complain_memory(problem, file, contents->length * sizeof *text);
    }
    size_t done = 0, line = 1;
    for (size_t at = 0; at < contents->length; done++) {
        const unsigned char *bytes = (const unsigned char *)contents->bytes + at;
        size_t size = tl_decode(contents->bytes + at, contents->length - at, &text[done]);
        if (size == 0) {
            free(text);
            return complain(problem, "%s:%zu: not UTF-8 (byte %02X)", file, line, *bytes);
        }
        line += *bytes == '\n';
        at += size;
    }
    *count = (int64_t)done;
    return text;
}

/* ---- tables --------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_separator(*at) && *at != ',' && *at != '\n') {
        at++;
    }
    return at;
}

/* The numbers of the line that begins here, up to its end: how many there are. Where `to` is not
   NULL they are stored; what is wrong with one is told with where it stands. */
static int64_t read_row(const char **line, const char *end, tl_type type, char *to,
                        const char **cell, const char **what)
{
    int64_t count = 0;
    const char *at = skip_blanks(*line, end);
    bool more = at < end && *at != '\n';
    *what = NULL;
    while (more && !*what) {
        *cell = at;
        while (at < end && !is_separator(*at) && *at != ';') {
            at++;
        }
        if (to) {
            *what =
                at == *cell ? "is no number: an empty cell" : tl_store_number(type, *cell, at, to);
            to += tl_type_size(type);
        }
        count++;
        *line = at;
        at = skip_blanks(at, end);
        bool separated = at < end && (*at == ',' || *at == ';');
        at = separated ? skip_blanks(at + 1, end) : at;
        more = separated || (at < end && *at != '\n');
    }
    if (!*what) {
        *line = at < end ? at + 1 : at;
    }
    return count;
}

static void *read_table(tl_type type, const char *file, const Contents *contents, int64_t *shape,
                        const char **problem)
{
    const char *begin = contents->bytes, *end = begin + contents->length, *cell, *what;
    starts_with(&begin, end, "\xEF\xBB\xBF");
    size_t numbers = 0;
    for (const char *line = begin; line < end;) {
        numbers += (size_t)read_row(&line, end, type, NULL, &cell, &what);
    }
    char *data = memory_for(numbers * tl_type_size(type)), *to = data;
    if (!data) {
        return complain_memory(problem, file, numbers * tl_type_size(type));
    }
    shape[0] = shape[1] = 0;
    for (const char *line = begin; line < end;) {
        const char *start = line;
        int64_t count = read_row(&line, end, type, to, &cell, &what);
        if (what) {
            free(data);
            return complain_at(problem, file, contents, cell, line, what);
        }
        if (count && shape[0] && count != shape[1]) {
            free(data);
            return complain(problem, "%s:%zu: %lld number%s in a row, not %lld", file,
                            line_of(contents, start), (long long)count, count == 1 ? "" : "s",
                            (long long)shape[1]);
        }
        if (count) {
            shape[0]++;
            shape[1] = count;
            to += (size_t)count * tl_type_size(type);
        }
    }
    return data;
}

static void *read_npy(tl_type type, int rank, const char *file, const Contents *contents,
                      int64_t *shape, const char **problem)
{
    tl_array array;
    tl_problem wrong;
    if (!tl_read_npy(contents->bytes, contents->length, type, rank, &array, &wrong)) {
        complain(problem, "%s: %s", file, wrong.message);
        problem_is_memory = strcmp(wrong.error, "WS FULL") == 0;
        return NULL;
    }
    memcpy(shape, array.shape, (size_t)rank * sizeof *shape);
    free(array.shape);
    return array.data;
}

void *tl_read_array(tl_file_format format, tl_type type, int rank, const char *file, int64_t *shape,
                    const char **problem)
{
    if (format == TL_TEXT) {
        return tl_read(type, file, shape, problem);
    }
    Contents contents;
    tl_stop_clock();
    if (!load(file, &contents, problem)) {
        return NULL;
    }
    void *data = format == TL_CSV ? read_table(type, file, &contents, shape, problem)
                                  : read_npy(type, rank, file, &contents, shape, problem);
    free(contents.bytes);
    tl_start_clock();
    return data;
}

/* ---- text and lists ------------------------------------------------------------------------- */

void *tl_read(tl_type type, const char *file, int64_t *count, const char **problem)
{
    Contents contents;
    *count = 0;
    tl_stop_clock();
    if (!load(file, &contents, problem)) {
        return NULL;
    }
    void *data = type == TL_CHAR ? read_text(file, &contents, count, problem)
                                 : read_numbers(type, file, &contents, count, problem);
    free(contents.bytes);
    tl_start_clock();
    return data;
}

char *tl_utf8(const uint32_t *text, int64_t length)
{
    char *bytes = malloc((size_t)length * 4 + 64);
    if (!bytes) {
        tl_fatal("WS FULL", "%zu bytes", (size_t)length * 4 + 64);
    }
    char *at = bytes;
    for (int64_t i = 0; i < length; i++) {
        char one[64];
        tl_format_scalar(one, TL_CHAR, &text[i], 1);
        size_t size = text[i] ? strlen(one) : 1;
        memcpy(at, one, size);
        at += size;
    }
    *at = '\0';
    return bytes;
}

void *tl_read_or_fail(const tl_failure *place, tl_file_format format, tl_type type, int rank,
                      const uint32_t *file, int64_t length, int64_t *shape)
{
    char *name = tl_utf8(file, length);
    const char *problem = NULL;
    void *data = tl_read_array(format, type, rank, name, shape, &problem);
    free(name);
    if (!data) {
        tl_failure failure = *place;
        failure.error = tl_read_error();
        failure.message = problem;
        failure.value_count = 0;
        tl_fail(&failure, NULL);
    }
    return data;
}
