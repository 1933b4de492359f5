/* NumPy's .npy files, versions 1.0 to 3.0, read and written.

       \x93NUMPY 1 0 <length> {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), } \n
       <elements>

   Elements may have either byte order and either order of axes. They become elements of the type
   that is wanted where that changes no value: a kind into the same kind and as wide or wider (i2 to
   i64), whole numbers into reals that hold them all (i4 to f64, i2 to f32). Characters are U1, or
   one string without axes. */
#include "runtime/context.h"
#include "runtime/values.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANK = 64 };
static const char magic[] = "\x93NUMPY";
enum { MAGIC_LENGTH = sizeof magic - 1 };

static bool is_big_endian(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 0;
}

bool tl_is_npy(const char *bytes, size_t length)
{
    return length >= MAGIC_LENGTH && memcmp(bytes, magic, MAGIC_LENGTH) == 0;
}

/* ---- the header ----------------------------------------------------------------------------- */

typedef struct Header {
    char kind;   /* b i u f U ... */
    size_t size; /* bytes of an element */
    char descr[32];
    bool swapped, fortran;
    int rank;
    int64_t shape[MOST_RANK];
    bool has_descr, has_order, has_shape;
} Header;

typedef struct Scan {
    const char *at, *end;
} Scan;

static void skip(Scan *scan)
{
    while (scan->at < scan->end && isspace((unsigned char)*scan->at)) {
        scan->at++;
    }
}

static bool take(Scan *scan, char byte)
{
    skip(scan);
    if (scan->at == scan->end || *scan->at != byte) {
        return false;
    }
    scan->at++;
    return true;
}

/* A string in ' or ", without escapes. */
static bool take_string(Scan *scan, char *text, size_t size)
{
    skip(scan);
    if (scan->at == scan->end || (*scan->at != '\'' && *scan->at != '"')) {
        return false;
    }
    char quote = *scan->at++;
    const char *close = memchr(scan->at, quote, (size_t)(scan->end - scan->at));
    if (!close || (size_t)(close - scan->at) >= size) {
        return false;
    }
    memcpy(text, scan->at, (size_t)(close - scan->at));
    text[close - scan->at] = '\0';
    scan->at = close + 1;
    return true;
}

static bool take_word(Scan *scan, const char *word)
{
    size_t length = strlen(word);
    skip(scan);
    if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, word, length) != 0) {
        return false;
    }
    scan->at += length;
    return true;
}

static bool take_extent(Scan *scan, int64_t *extent)
{
    skip(scan);
    const char *start = scan->at;
    *extent = 0;
    for (; scan->at < scan->end && isdigit((unsigned char)*scan->at); scan->at++) {
        if (__builtin_mul_overflow(*extent, 10, extent) ||
            __builtin_add_overflow(*extent, *scan->at - '0', extent)) {
            return false;
        }
    }
    bool ok = scan->at > start;
    if (ok && scan->at < scan->end && *scan->at == 'L') { /* Python 2 */
        scan->at++;
    }
    return ok;
}

/* (2, 3), (3,) or () */
static bool take_shape(Scan *scan, Header *header)
{
    if (!take(scan, '(')) {
        return false;
    }
    while (!take(scan, ')')) {
        if (header->rank == MOST_RANK || !take_extent(scan, &header->shape[header->rank++])) {
            return false;
        }
        if (!take(scan, ',')) {
            return take(scan, ')');
        }
    }
    return true;
}

/* "<f8": byte order, kind, size. */
static bool understand(Header *header)
{
    const char *at = header->descr;
    bool is_big = *at == '>';
    at += *at != '\0' && strchr("<>|=", *at) != NULL;
    header->kind = *at;
    header->size = (size_t)strtoul(*at ? at + 1 : at, NULL, 10);
    if (header->kind == '?') {
        header->kind = 'b';
        header->size = 1;
    }
    if (header->kind == 'U') {
        if (header->size > SIZE_MAX / 4) {
            return false;
        }
        header->size *= 4;
    }
    header->swapped = header->size > 1 && header->descr[0] != '=' && is_big != is_big_endian();
    return header->size > 0;
}

static bool parse_header(Scan *scan, Header *header)
{
    char key[32];
    if (!take(scan, '{')) {
        return false;
    }
    while (!take(scan, '}')) {
        if (!take_string(scan, key, sizeof key) || !take(scan, ':')) {
            return false;
        }
        if (strcmp(key, "descr") == 0 && !header->has_descr) {
            header->has_descr = take_string(scan, header->descr, sizeof header->descr);
        } else if (strcmp(key, "fortran_order") == 0 && !header->has_order) {
            header->fortran = take_word(scan, "True");
            header->has_order = header->fortran || take_word(scan, "False");
        } else if (strcmp(key, "shape") == 0 && !header->has_shape) {
            header->has_shape = take_shape(scan, header);
        } else {
            return false;
        }
        if (!take(scan, ',')) {
            if (!take(scan, '}')) {
                return false;
            }
            break;
        }
    }
    return header->has_descr && header->has_order && header->has_shape && understand(header);
}

/* From the file's beginning; *data is where the elements begin. */
static bool read_header(const char *bytes, size_t length, Header *header, size_t *data,
                        tl_problem *problem)
{
    const unsigned char *at = (const unsigned char *)bytes;
    if (!tl_is_npy(bytes, length) || length < MAGIC_LENGTH + 4) {
        return tl_wrong(problem, "DOMAIN ERROR", "not a .npy file");
    }
    int version = at[MAGIC_LENGTH];
    size_t start = MAGIC_LENGTH + (version == 1 ? 4 : 6), size;
    if (version < 1 || version > 3) {
        return tl_wrong(problem, "DOMAIN ERROR", ".npy version %d.%d, not 1.0 to 3.0", version,
                        at[MAGIC_LENGTH + 1]);
    }
    size = length < start ? SIZE_MAX : at[MAGIC_LENGTH + 2] | (size_t)at[MAGIC_LENGTH + 3] << 8;
    if (version > 1 && length >= start) {
        size |= (size_t)at[MAGIC_LENGTH + 4] << 16 | (size_t)at[MAGIC_LENGTH + 5] << 24;
    }
    if (length < start || size > length - start) {
        return tl_wrong(problem, "DOMAIN ERROR", "the .npy file ends within its header");
    }
    Scan scan = {bytes + start, bytes + start + size};
    *header = (Header){0};
    if (!parse_header(&scan, header)) {
        return tl_wrong(problem, "DOMAIN ERROR",
                        "a .npy header that is not understood (arrays of records and of Python "
                        "objects are not)");
    }
    *data = start + size;
    return true;
}

/* ---- elements ------------------------------------------------------------------------------- */

static bool is_whole(const Header *header)
{
    return (header->kind == 'i' || header->kind == 'u') &&
           (header->size == 1 || header->size == 2 || header->size == 4 || header->size == 8);
}

/* Whole numbers of this kind fit into that many bits with a sign. */
static bool fits(const Header *header, size_t bits)
{
    return is_whole(header) && 8 * header->size + (header->kind == 'u') <= bits;
}

static bool is_real(const Header *header, size_t most)
{
    return header->kind == 'f' && header->size <= most &&
           (header->size == 2 || header->size == 4 || header->size == 8);
}

static bool converts(const Header *header, tl_type type)
{
    switch (type) {
    case TL_BOOL: return header->kind == 'b' && header->size == 1;
    case TL_CHAR: return header->kind == 'U' && header->size == 4;
    case TL_I32: return fits(header, 32);
    case TL_I64: return fits(header, 64);
    case TL_F32: return is_real(header, 4) || fits(header, 25);
    case TL_F64: return is_real(header, 8) || fits(header, 54);
    }
    return false;
}

/* IEEE binary16. */
static double half(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023;
    double magnitude = exponent == 0    ? ldexp(fraction, -24)
                       : exponent < 31  ? ldexp(fraction + 1024, exponent - 25)
                       : fraction > 0.0 ? (double)NAN
                                        : (double)INFINITY;
    return bits >> 15 ? -magnitude : magnitude;
}

/* The element's bytes in this machine's order. */
static uint64_t element_bits(const Header *header, const char *at)
{
    uint64_t bits = 0;
    bool is_big = is_big_endian() != header->swapped;
    for (size_t i = 0; i < header->size; i++) {
        size_t place = is_big ? header->size - 1 - i : i;
        bits |= (uint64_t)(unsigned char)at[i] << (8 * place);
    }
    return bits;
}

static double real_of(const Header *header, uint64_t bits)
{
    if (header->size == 2) {
        return half((uint16_t)bits);
    }
    if (header->size == 4) {
        uint32_t narrow = (uint32_t)bits;
        float value;
        memcpy(&value, &narrow, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int64_t whole_of(const Header *header, uint64_t bits)
{
    unsigned unused = 64 - 8 * (unsigned)header->size;
    return header->kind == 'u' ? (int64_t)bits : (int64_t)(bits << unused) >> unused;
}

static void store(const Header *header, const char *at, tl_type type, char *to)
{
    uint64_t bits = element_bits(header, at);
    if (type == TL_BOOL) {
        *to = bits != 0;
    } else if (type == TL_CHAR) {
        uint32_t code = (uint32_t)bits;
        memcpy(to, &code, sizeof code);
    } else if (type == TL_I32 || type == TL_I64) {
        int64_t value = whole_of(header, bits);
        int32_t narrow = (int32_t)value;
        memcpy(to, type == TL_I64 ? (void *)&value : (void *)&narrow, tl_type_size(type));
    } else {
        double value = header->kind == 'f' ? real_of(header, bits) : (double)whole_of(header, bits);
        float narrow = (float)value;
        memcpy(to, type == TL_F64 ? (void *)&value : (void *)&narrow, tl_type_size(type));
    }
}

/* ---- arrays --------------------------------------------------------------------------------- */

static bool same_layout(const Header *header, tl_type type)
{
    bool same_kind = is_whole(header) ? header->kind == 'i' && (type == TL_I32 || type == TL_I64)
                                      : header->kind == 'U' || header->kind == 'f';
    return same_kind && header->size == tl_type_size(type) && !header->swapped &&
           (!header->fortran || header->rank < 2);
}

static void convert(const Header *header, const char *from, tl_type type, tl_array *array)
{
    size_t size = tl_type_size(type);
    char *to = array->data;
    int64_t index[MOST_RANK] = {0};
    for (int64_t done = 0; done < array->count; done++, to += size) {
        int64_t place = done;
        if (header->fortran) {
            place = 0;
            for (int k = header->rank; k-- > 0;) {
                place = place * header->shape[k] + index[k];
            }
            for (int k = header->rank; k-- > 0 && ++index[k] == header->shape[k];) {
                index[k] = 0;
            }
        }
        store(header, from + (size_t)place * header->size, type, to);
    }
}

/* The number of elements; false where they are more than the file has. */
static bool count_elements(const Header *header, size_t bytes, int64_t *count)
{
    bool empty = false;
    *count = 1;
    for (int k = 0; k < header->rank; k++) {
        empty = empty || header->shape[k] == 0;
    }
    for (int k = 0; k < header->rank && !empty; k++) {
        if (__builtin_mul_overflow(*count, header->shape[k], count)) {
            return false;
        }
    }
    *count = empty ? 0 : *count;
    return (uint64_t)*count <= bytes / header->size;
}

/* Any 32 bits can be in a file, but a character's code is at most 10FFFF. */
static bool check_characters(const tl_array *array, tl_problem *problem)
{
    const uint32_t *codes = array->data;
    for (int64_t i = 0; i < array->count; i++) {
        if (codes[i] > 0x10FFFF) {
            return tl_wrong(problem, "DOMAIN ERROR", "%lx is not a character",
                            (unsigned long)codes[i]);
        }
    }
    return true;
}

bool tl_read_npy(const char *bytes, size_t length, tl_type type, int rank, tl_array *array,
                 tl_problem *problem)
{
    static const char *const names[] = {"bool", "char", "i32", "i64", "f32", "f64"};
    Header header;
    size_t data = 0;
    *problem = (tl_problem){0};
    *array = (tl_array){0};
    if (!read_header(bytes, length, &header, &data, problem)) {
        return false;
    }
    if (header.kind == 'U' && header.rank == 0 && rank == 1) { /* one string */
        header.shape[header.rank++] = (int64_t)(header.size / 4);
        header.size = 4;
    }
    if (!converts(&header, type)) {
        return tl_wrong(problem, "DOMAIN ERROR", "elements of dtype '%s' where %s is wanted",
                        header.descr, names[type]);
    }
    if (header.rank != rank) {
        return tl_wrong(problem, "RANK ERROR", "an array of rank %d where rank %d is wanted",
                        header.rank, rank);
    }
    if (!tl_shape_fits(type, rank, header.shape)) {
        return tl_wrong(problem, "LIMIT ERROR", "too many elements along its axes");
    }
    if (!count_elements(&header, length - data, &array->count)) {
        return tl_wrong(problem, "DOMAIN ERROR", "the .npy file ends before its last element");
    }
    size_t size = (size_t)array->count * tl_type_size(type);
    array->shape = malloc(((size_t)rank + 1) * sizeof *array->shape);
    array->data = tl_fits_memory(size) ? malloc(size ? size : 1) : NULL;
    if (!array->shape || !array->data) {
        tl_array_free(array);
        return tl_wrong(problem, "WS FULL", "%zu bytes", size);
    }
    memcpy(array->shape, header.shape, (size_t)rank * sizeof *array->shape);
    if (same_layout(&header, type)) {
        memcpy(array->data, bytes + data, size);
    } else {
        convert(&header, bytes + data, type, array);
    }
    if (type == TL_CHAR && !check_characters(array, problem)) {
        tl_array_free(array);
        return false;
    }
    return true;
}

/* ---- writing -------------------------------------------------------------------------------- */

bool tl_write_npy(FILE *out, tl_type type, int rank, const int64_t *shape, const void *data)
{
    static const char *const kinds[] = {"b1", "U1", "i4", "i8", "f4", "f8"};
    enum { HEADER = 4096, PREFIX = MAGIC_LENGTH + 4, ALIGNMENT = 64 };
    char text[HEADER];
    if (rank > MOST_RANK) {
        errno = EOPNOTSUPP;
        return false;
    }
    size_t used =
        (size_t)snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                         type == TL_BOOL   ? '|'
                         : is_big_endian() ? '>'
                                           : '<',
                         kinds[type]);
    size_t count = 1;
    for (int k = 0; k < rank; k++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld%s", k ? " " : "",
                                 (long long)shape[k], k + 1 < rank || rank == 1 ? "," : "");
        count *= (size_t)shape[k];
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "), }");
    while ((PREFIX + used + 1) % ALIGNMENT != 0) {
        text[used++] = ' ';
    }
    text[used++] = '\n';
    const unsigned char length[] = {1, 0, (unsigned char)used, (unsigned char)(used >> 8)};
    fwrite(magic, 1, MAGIC_LENGTH, out);
    fwrite(length, 1, sizeof length, out);
    fwrite(text, 1, used, out);
    fwrite(data, tl_type_size(type), count, out);
    return !ferror(out);
}
