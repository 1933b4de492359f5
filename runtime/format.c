/* Arrays as text, as an APL session shows them (ISO 13751 section 16.4; Dyalog's conventions where
   the standard leaves a choice): printing, and ⍕ with one argument, which gives the same
   characters.

       1 2 ¯3            a vector: items joined by one space
        1.5  2           a matrix: each column as wide as its widest item needs, decimal points
       10.25 3           below one another, one space between columns
       3J4 0J¯1 5        complex numbers come as planes of real and imaginary parts; in columns the
                         Js are below one another, decimal points where no item has one
       1E10 1.5E¯7 ∞     ⎕PP significant digits (spell.c says how an item is spelled)

   Arrays of rank 3 and more are planes with one empty line between (two between the planes of
   different cubes, and so on); columns have the same width in all planes. Characters are text. An
   empty vector is an empty line; an empty array of higher rank is no line at all. Lines are never
   folded (there is no ⎕PW). */
#include "runtime/context.h"
#include "runtime/spell.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is written ------------------------------------------------------------------------ */

/* Output on its way to a file, in pieces of some size, or into code points. A piece ends where an
   item ends. */
typedef struct Writer {
    FILE *out;          /* NULL: */
    uint32_t *codes;    /* room for all of them */
    int64_t code_count; /* so far */
    size_t used;
    char bytes[1 << 15];
} Writer;

static void *room_for(size_t count, size_t size)
{
    size_t bytes;
    bool fits = !__builtin_mul_overflow(count, size, &bytes) && tl_fits_memory(bytes);
    void *room = fits ? calloc(count ? count : 1, size) : NULL;
    if (!room) {
        tl_fatal("WS FULL", "%zu items of %zu bytes", count, size);
    }
    return room;
}

static Writer *writer_open(FILE *out, uint32_t *codes)
{
    Writer *writer = room_for(1, sizeof *writer);
    writer->out = out;
    writer->codes = codes;
    return writer;
}

/* The bytes are what spell.c has made of code points. */
static void decode(Writer *writer)
{
    uint32_t *codes = writer->codes;
    for (size_t i = 0; i < writer->used; i++) {
        unsigned char byte = (unsigned char)writer->bytes[i];
        if ((byte & 0xC0) == 0x80) {
            codes[writer->code_count - 1] = codes[writer->code_count - 1] << 6 | (byte & 0x3F);
        } else {
            codes[writer->code_count++] = byte < 0x80   ? byte
                                          : byte < 0xE0 ? byte & 0x1F
                                          : byte < 0xF0 ? byte & 0x0F
                                                        : byte & 0x07;
        }
    }
}

static void writer_flush(Writer *writer)
{
    if (!writer->out) {
        decode(writer);
    } else if (writer->used) {
        fwrite(writer->bytes, 1, writer->used, writer->out);
    }
    writer->used = 0;
}

static void writer_close(Writer *writer)
{
    writer_flush(writer);
    free(writer);
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

/* ---- vectors -------------------------------------------------------------------------------- */

static void write_vector(Writer *writer, const tl_items *items, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (i && items->type != TL_CHAR) {
            write_byte(writer, ' ');
        }
        char *start = writer_room(writer, TL_ITEM_SIZE);
        writer->used += (size_t)(tl_put_item(start, items, first + i) - start);
    }
}

/* ---- columns -------------------------------------------------------------------------------- */

/* What an item, or a column of them, takes before and from the decimal point (or the E of a whole
   scaled number) on, in characters; in a column where there is a J, before and from the J on. */
typedef struct Width {
    int before, after;
    bool is_complex;
} Width;

static Width width_of(const char *text, bool is_complex)
{
    Width width = {0, 0, is_complex};
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

/* Notes the columns in which an item has an imaginary part. */
static void find_complex_columns(const tl_items *items, int64_t rows, int64_t columns,
                                 Width *widths)
{
    for (int64_t i = 0; i < rows * columns; i++) {
        char text[TL_ITEM_SIZE];
        tl_put_item(text, items, i);
        widths[i % columns].is_complex |= strchr(text, 'J') != NULL;
    }
}

static Width *measure_columns(const tl_items *items, int64_t rows, int64_t columns)
{
    Width *widths = room_for((size_t)columns, sizeof *widths);
    if (items->imaginary) {
        find_complex_columns(items, rows, columns, widths);
    }
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            char text[TL_ITEM_SIZE];
            tl_put_item(text, items, i * columns + j);
            Width width = width_of(text, widths[j].is_complex);
            widths[j].before = width.before > widths[j].before ? width.before : widths[j].before;
            widths[j].after = width.after > widths[j].after ? width.after : widths[j].after;
        }
    }
    return widths;
}

static void write_row(Writer *writer, const tl_items *items, int64_t first, int64_t columns,
                      const Width *widths)
{
    for (int64_t j = 0; j < columns; j++) {
        char text[TL_ITEM_SIZE];
        size_t size = (size_t)(tl_put_item(text, items, first + j) - text);
        Width width = width_of(text, widths[j].is_complex);
        write_spaces(writer, widths[j].before - width.before + (j > 0));
        memcpy(writer_room(writer, TL_ITEM_SIZE), text, size);
        writer->used += size;
        write_spaces(writer, widths[j].after - width.after);
    }
}

/* The elements of the first `rank` axes. */
static int64_t count_of(int rank, const int64_t *shape)
{
    int64_t count = 1;
    for (int axis = 0; axis < rank; axis++) {
        count *= shape[axis];
    }
    return count;
}

/* ---- printing ------------------------------------------------------------------------------- */

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

static void write_planes(Writer *writer, const tl_items *items, int rank, const int64_t *shape)
{
    int64_t rows = count_of(rank - 1, shape), columns = shape[rank - 1];
    if (rows == 0 || columns == 0) {
        return;
    }
    Width *widths = items->type == TL_CHAR ? NULL : measure_columns(items, rows, columns);
    for (int64_t row = 0; row < rows; row++) {
        if (widths) {
            write_row(writer, items, row * columns, columns, widths);
        } else {
            write_vector(writer, items, row * columns, columns);
        }
        write_byte(writer, '\n');
        for (int lines = row + 1 < rows ? lines_between(rank, shape, row) : 0; lines; lines--) {
            write_byte(writer, '\n');
        }
    }
    free(widths);
}

static void print_items(FILE *out, int rank, const int64_t *shape, const tl_items *items)
{
    if (tl_is_silent()) {
        return;
    }
    Writer *writer = writer_open(out, NULL);
    if (rank < 2) {
        write_vector(writer, items, 0, rank == 0 ? 1 : shape[0]);
        write_byte(writer, '\n');
    } else {
        write_planes(writer, items, rank, shape);
    }
    writer_close(writer);
}

/* Planes of real and of imaginary parts. */
static tl_items complex_items(int digits, tl_type type, int rank, const int64_t *shape,
                              const void *data)
{
    size_t size = (size_t)count_of(rank - 1, shape + 1) * tl_type_size(type);
    return (tl_items){type, data, data ? (const char *)data + size : NULL, digits};
}

void tl_print(FILE *out, tl_type type, int rank, const int64_t *shape, const void *data)
{
    tl_items items = {type, data, NULL, (int)tl_precision_now()};
    print_items(out, rank, shape, &items);
}

void tl_print_complex(FILE *out, tl_type type, int rank, const int64_t *shape, const void *data)
{
    tl_items items = complex_items((int)tl_precision_now(), type, rank, shape, data);
    print_items(out, rank - 1, shape + 1, &items);
}

/* ---- ⍕ -------------------------------------------------------------------------------------- */

static uint32_t *format_vector(const tl_items *items, int64_t count, int64_t *columns)
{
    uint32_t *codes = room_for((size_t)count * (TL_ITEM_SIZE / 2), sizeof *codes);
    Writer *writer = writer_open(NULL, codes);
    write_vector(writer, items, 0, count);
    writer_flush(writer);
    *columns = writer->code_count;
    writer_close(writer);
    return codes;
}

static uint32_t *format_rows(const tl_items *items, int64_t rows, int64_t columns, int64_t *across)
{
    Width *widths = measure_columns(items, rows, columns);
    *across = columns > 0 ? columns - 1 : 0;
    for (int64_t j = 0; j < columns; j++) {
        *across += widths[j].before + widths[j].after;
    }
    uint32_t *codes = room_for((size_t)rows * (size_t)*across, sizeof *codes);
    Writer *writer = writer_open(NULL, codes);
    for (int64_t row = 0; row < rows; row++) {
        write_row(writer, items, row * columns, columns, widths);
    }
    writer_close(writer);
    free(widths);
    return codes;
}

static uint32_t *format_characters(int64_t count, const uint32_t *data)
{
    uint32_t *codes = room_for((size_t)count, sizeof *codes);
    memcpy(codes, data, (size_t)count * sizeof *codes);
    return codes;
}

static uint32_t *format_items(int rank, const int64_t *shape, const tl_items *items,
                              int64_t *columns)
{
    int64_t last = rank == 0 ? 1 : shape[rank - 1];
    if (items->type == TL_CHAR) {
        *columns = last;
        return format_characters(count_of(rank, shape), items->data);
    }
    return rank < 2 ? format_vector(items, last, columns)
                    : format_rows(items, count_of(rank - 1, shape), last, columns);
}

static int valid_digits(int64_t digits)
{
    return digits < 1 ? 1 : digits > TL_MOST_PRECISION ? TL_MOST_PRECISION : (int)digits;
}

uint32_t *tl_format(int64_t digits, tl_type type, int rank, const int64_t *shape, const void *data,
                    int64_t *columns)
{
    tl_items items = {type, data, NULL, valid_digits(digits)};
    return format_items(rank, shape, &items, columns);
}

uint32_t *tl_format_complex(int64_t digits, tl_type type, int rank, const int64_t *shape,
                            const void *data, int64_t *columns)
{
    tl_items items = complex_items(valid_digits(digits), type, rank, shape, data);
    return format_items(rank - 1, shape + 1, &items, columns);
}
