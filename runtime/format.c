/* Printing, as an APL session shows values (ISO 13751 section 16.4; Dyalog's conventions where the
   standard leaves a choice).

       1 2 ¯3            a vector: items joined by one space
        1.5  2           a matrix: each column as wide as its widest item needs, decimal points
   below 10.25 3           one another, one space between columns 1E10 1.5E¯7 ∞     ten significant
   digits; a scaled form where the exponent is below ¯6 or is ten or more; whole numbers of an int
   type are printed in full

   Arrays of rank 3 and more are planes with one empty line between (two between the planes of
   different cubes, and so on); columns have the same width in all planes. Characters are text.

       3J4 0J¯1 5       complex numbers, whose real and imaginary parts come as two arrays; in
   columns the Js are below one another

   Numbers are written by hand into one buffer: printing a million items takes a fraction of a
   second. */
#include "runtime/tailor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PRINT_DIGITS = 10, ITEM_SIZE = 64 };

size_t tl_type_size(tl_type type)
{
    switch (type) {
    case TL_BOOL: return 1;
    case TL_CHAR:
    case TL_I32:
    case TL_F32: return 4;
    case TL_I64:
    case TL_F64: return 8;
    }
    return 0;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static const char minus[] = "\xC2\xAF";        /* ¯ */
static const char infinity[] = "\xE2\x88\x9E"; /* ∞ */

static char *put_text(char *at, const char *text)
{
    size_t length = strlen(text);
    memcpy(at, text, length + 1);
    return at + length;
}

/* Writes a whole number and a NUL; returns where the NUL is. */
static char *put_whole(char *at, int64_t value)
{
    uint64_t rest = (uint64_t)value;
    if (value < 0) {
        at = put_text(at, minus);
        rest = 0 - rest;
    }
    char digits[20];
    int count = 0;
    do {
        digits[count++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    while (count) {
        *at++ = digits[--count];
    }
    *at = '\0';
    return at;
}

/* The significant digits of a positive finite number, as many as are asked for but without zeros at
   the end, and its decimal exponent: 0.0125 is "125" and -2. */
static int decimal_digits(double magnitude, int wanted, char *digits, int *exponent)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", wanted - 1, magnitude);
    int count = 0;
    const char *at = text;
    for (; *at != 'e'; at++) {
        if (*at != '.') {
            digits[count++] = *at;
        }
    }
    *exponent = atoi(at + 1);
    while (count > 1 && digits[count - 1] == '0') {
        count--;
    }
    return count;
}

/* As many digits as tell a 32-bit real from its neighbours, at most `most`. */
static int narrow_digits(double magnitude, int most)
{
    for (int wanted = 6; wanted < most; wanted++) {
        char text[40];
        snprintf(text, sizeof text, "%.*e", wanted - 1, magnitude);
        if (strtof(text, NULL) == (float)magnitude) {
            return wanted;
        }
    }
    return most;
}

static char *put_scaled(char *at, const char *digits, int count, int exponent)
{
    *at++ = digits[0];
    if (count > 1) {
        *at++ = '.';
        memcpy(at, digits + 1, (size_t)count - 1);
        at += count - 1;
    }
    *at++ = 'E';
    return put_whole(at, exponent);
}

static char *put_fixed(char *at, const char *digits, int count, int exponent)
{
    if (exponent < 0) {
        at = put_text(at, "0.");
        for (int zeros = -1 - exponent; zeros; zeros--) {
            *at++ = '0';
        }
    }
    for (int i = 0; i < count || i <= exponent; i++) {
        *at++ = i < count ? digits[i] : '0';
        if (i == exponent && i + 1 < count) {
            *at++ = '.';
        }
    }
    *at = '\0';
    return at;
}

static char *put_real(char *at, double value, int digits, bool narrow)
{
    if (isnan(value)) {
        return put_text(at, "NaN");
    }
    if (value < 0) {
        at = put_text(at, minus);
    }
    double magnitude = fabs(value);
    if (isinf(magnitude)) {
        return put_text(at, infinity);
    }
    if (magnitude < 1e10 && magnitude == floor(magnitude) && digits >= PRINT_DIGITS) {
        return put_whole(at, (int64_t)magnitude);
    }
    char text[40];
    int exponent;
    int count = decimal_digits(magnitude, narrow ? narrow_digits(magnitude, digits) : digits, text,
                               &exponent);
    return exponent < -6 || exponent >= digits ? put_scaled(at, text, count, exponent)
                                               : put_fixed(at, text, count, exponent);
}

/* UTF-8 of a code point; what is no Unicode scalar shows as U+FFFD. */
static char *put_character(char *at, uint32_t code)
{
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
        code = 0xFFFD;
    }
    if (code < 0x80) {
        *at++ = (char)code;
    } else if (code < 0x800) {
        *at++ = (char)(0xC0 | code >> 6);
        *at++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *at++ = (char)(0xE0 | code >> 12);
        *at++ = (char)(0x80 | (code >> 6 & 0x3F));
        *at++ = (char)(0x80 | (code & 0x3F));
    } else {
        *at++ = (char)(0xF0 | code >> 18);
        *at++ = (char)(0x80 | (code >> 12 & 0x3F));
        *at++ = (char)(0x80 | (code >> 6 & 0x3F));
        *at++ = (char)(0x80 | (code & 0x3F));
    }
    *at = '\0';
    return at;
}

static const void *item_at(tl_type type, const void *data, int64_t index)
{
    return (const char *)data + (size_t)index * tl_type_size(type);
}

/* One item and a NUL, at most ITEM_SIZE bytes; returns where the NUL is. `item` may be unaligned.
 */
static char *put_item(char *at, tl_type type, const void *item, int digits)
{
    switch (type) {
    case TL_BOOL: {
        *at++ = *(const uint8_t *)item ? '1' : '0';
        *at = '\0';
        return at;
    }
    case TL_CHAR: {
        uint32_t code;
        memcpy(&code, item, sizeof code);
        return put_character(at, code);
    }
    case TL_I32: {
        int32_t value;
        memcpy(&value, item, sizeof value);
        return put_whole(at, value);
    }
    case TL_I64: {
        int64_t value;
        memcpy(&value, item, sizeof value);
        return put_whole(at, value);
    }
    case TL_F32: {
        float value;
        memcpy(&value, item, sizeof value);
        return put_real(at, value, digits, true);
    }
    case TL_F64: {
        double value;
        memcpy(&value, item, sizeof value);
        return put_real(at, value, digits, false);
    }
    }
    return at;
}

/* The items of an array; those of a complex one have imaginary parts. */
typedef struct Items {
    tl_type type;
    const void *data, *imaginary;
} Items;

/* True where there is something to put. */
static bool is_not_zero(tl_type type, const void *item)
{
    float narrow;
    double wide;
    if (type == TL_F32) {
        memcpy(&narrow, item, sizeof narrow);
        return narrow != 0;
    }
    memcpy(&wide, item, sizeof wide);
    return wide != 0;
}

/* 3J4; 3 where the imaginary part is 0. */
static char *put_complex(char *at, tl_type type, const void *real, const void *imaginary,
                         int digits)
{
    at = put_item(at, type, real, digits);
    if (is_not_zero(type, imaginary)) {
        *at++ = 'J';
        at = put_item(at, type, imaginary, digits);
    }
    return at;
}

static char *put_at(char *at, const Items *items, int64_t index, int digits)
{
    const void *item = item_at(items->type, items->data, index);
    return items->imaginary ? put_complex(at, items->type, item,
                                          item_at(items->type, items->imaginary, index), digits)
                            : put_item(at, items->type, item, digits);
}

void tl_format_scalar(char *text, tl_type type, const void *value, int digits)
{
    put_item(text, type, value, digits < 1 ? 1 : digits > 17 ? 17 : digits);
}

uint32_t *tl_format_chars(tl_type type, const void *value, int64_t *count)
{
    char text[ITEM_SIZE];
    put_item(text, type, value, PRINT_DIGITS);
    uint32_t *characters = malloc(sizeof *characters * ITEM_SIZE);
    if (!characters) {
        tl_fatal("WS FULL", "%zu bytes", sizeof *characters * ITEM_SIZE);
    }
    *count = 0;
    if (type == TL_CHAR) {
        memcpy(characters, value, sizeof *characters);
        *count = 1;
        return characters;
    }
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at < 0x80) {
            characters[(*count)++] = *at;
        } else if (*at >= 0xE0) {
            characters[(*count)++] = *at & 0x0F;
        } else if (*at >= 0xC0) {
            characters[(*count)++] = *at & 0x1F;
        } else {
            characters[*count - 1] = characters[*count - 1] << 6 | (*at & 0x3F);
        }
    }
    return characters;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Output on its way to the file, in pieces of some size. */
typedef struct Writer {
    FILE *out;
    size_t used;
    char bytes[1 << 15];
} Writer;

static void writer_flush(Writer *writer)
{
    if (writer->used) {
        fwrite(writer->bytes, 1, writer->used, writer->out);
    }
    writer->used = 0;
}

/* Room for `size` bytes; the caller adds what it used to writer->used. */
static char *writer_room(Writer *writer, size_t size)
{
    if (sizeof writer->bytes - writer->used < size) {
        writer_flush(writer);
    }
    return writer->bytes + writer->used;
}

static void write_byte(Writer *writer, char byte)
{
    *writer_room(writer, 1) = byte;
    writer->used++;
}

static void write_spaces(Writer *writer, int count)
{
    for (; count > 0; count--) {
        write_byte(writer, ' ');
    }
}

static void write_vector(Writer *writer, const Items *items, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (i && items->type != TL_CHAR) {
            write_byte(writer, ' ');
        }
        char *start = writer_room(writer, ITEM_SIZE);
        writer->used += (size_t)(put_at(start, items, first + i, PRINT_DIGITS) - start);
    }
    write_byte(writer, '\n');
}

/* ---- columns -------------------------------------------------------------------------------- */

/* What an item, or a column of them, takes before and from the decimal point (or the E of a whole
   scaled number) on, in characters; of a complex one before and from the J on. */
typedef struct Width {
    int before, after;
} Width;

static Width width_of(const char *text, bool is_complex)
{
    Width width = {0, 0};
    bool before = true;
    for (; *text; text++) {
        if (is_complex ? *text == 'J' : *text == '.' || *text == 'E') {
            before = false;
        }
        bool continues = ((unsigned char)*text & 0xC0) == 0x80;
        if (before) {
            width.before += !continues;
        } else {
            width.after += !continues;
        }
    }
    return width;
}

static Width *measure_columns(const Items *items, int64_t rows, int64_t columns)
{
    Width *widths = calloc((size_t)columns, sizeof *widths);
    if (!widths) {
        tl_fatal("WS FULL", "%zu bytes", (size_t)columns * sizeof *widths);
    }
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            char text[ITEM_SIZE];
            put_at(text, items, i * columns + j, PRINT_DIGITS);
            Width width = width_of(text, items->imaginary);
            widths[j].before = width.before > widths[j].before ? width.before : widths[j].before;
            widths[j].after = width.after > widths[j].after ? width.after : widths[j].after;
        }
    }
    return widths;
}

static void write_row(Writer *writer, const Items *items, int64_t first, int64_t columns,
                      const Width *widths)
{
    for (int64_t j = 0; j < columns; j++) {
        char text[ITEM_SIZE];
        char *end = put_at(text, items, first + j, PRINT_DIGITS);
        Width width = width_of(text, items->imaginary);
        write_spaces(writer, widths[j].before - width.before + (j > 0));
        memcpy(writer_room(writer, ITEM_SIZE), text, (size_t)(end - text));
        writer->used += (size_t)(end - text);
        write_spaces(writer, widths[j].after - width.after);
    }
    write_byte(writer, '\n');
}

/* Empty lines after row `row` (counted through all planes): one for each axis that the next row
   steps over. */
static int lines_between(int rank, const int64_t *shape, int64_t row)
{
    int lines = 0;
    int64_t next = row + 1;
    for (int axis = rank - 2; axis > 0 && next % shape[axis] == 0; axis--) {
        next /= shape[axis];
        lines++;
    }
    return lines;
}

static void write_planes(Writer *writer, int rank, const int64_t *shape, const Items *items)
{
    int64_t rows = 1, columns = shape[rank - 1];
    for (int axis = 0; axis < rank - 1; axis++) {
        rows *= shape[axis];
    }
    if (rows == 0 || columns == 0) {
        return;
    }
    bool is_text = items->type == TL_CHAR;
    Width *widths = is_text ? NULL : measure_columns(items, rows, columns);
    for (int64_t row = 0; row < rows; row++) {
        if (is_text) {
            write_vector(writer, items, row * columns, columns);
        } else {
            write_row(writer, items, row * columns, columns, widths);
        }
        for (int lines = row + 1 < rows ? lines_between(rank, shape, row) : 0; lines; lines--) {
            write_byte(writer, '\n');
        }
    }
    free(widths);
}

static void print_items(FILE *out, int rank, const int64_t *shape, const Items *items)
{
    if (tl_is_silent()) {
        return;
    }
    Writer *writer = malloc(sizeof *writer);
    if (!writer) {
        tl_fatal("WS FULL", "%zu bytes", sizeof *writer);
    }
    writer->out = out;
    writer->used = 0;
    if (rank < 2) {
        write_vector(writer, items, 0, rank == 0 ? 1 : shape[0]);
    } else {
        write_planes(writer, rank, shape, items);
    }
    writer_flush(writer);
    free(writer);
}

void tl_print(FILE *out, tl_type type, int rank, const int64_t *shape, const void *data)
{
    print_items(out, rank, shape, &(Items){type, data, NULL});
}

void tl_print_complex(FILE *out, tl_type type, int rank, const int64_t *shape, const void *data)
{
    int64_t count = 1;
    for (int axis = 1; axis < rank; axis++) {
        count *= shape[axis];
    }
    const void *imaginary = data ? item_at(type, data, count) : NULL;
    print_items(out, rank - 1, shape + 1, &(Items){type, data, imaginary});
}
