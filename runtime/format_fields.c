/* ⍕ with widths and decimals: fields as wide as is asked for (Dyalog's rules).

        8 2⍕3.14159      a width and decimals:     "    3.14"
       8 ¯3⍕3.14159      digits, scaled:           "  3.14E0"
        0 2⍕3.14159      width 0: one blank, then as wide as the widest item: " 3.14"
        3 2⍕314.159      what does not fit is      "***"

   A field is right-aligned. Numbers are rounded to the nearest, a half away from zero; digits that
   a real does not have are shown as _ (`0 20⍕÷3`). What rounds to zero has no sign. */
#include "runtime/spell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number's digits d0.d1d2... times ten to the exponent, rounded: `count` of them are kept. */
typedef struct Rounded {
    char digits[24];
    int count, exponent;
    int most; /* digits further on are not known */
} Rounded;

/* Keeps the digits before position `wanted` (it may be negative), a half is rounded up. */
static void round_to(Rounded *number, int wanted)
{
    bool up = wanted >= 0 && wanted < number->count && number->digits[wanted] >= '5';
    if (wanted < number->count) {
        number->count = wanted < 0 ? 0 : wanted;
    }
    int i = number->count;
    while (up && i > 0 && number->digits[i - 1] == '9') {
        number->count = --i;
    }
    if (up && i > 0) {
        number->digits[i - 1]++;
    } else if (up) {
        number->digits[0] = '1';
        number->count = 1;
        number->exponent++;
    }
}

static char digit_at(const Rounded *number, int place)
{
    return place >= number->most                 ? '_'
           : place >= 0 && place < number->count ? number->digits[place]
                                                 : '0';
}

/* Where a field's characters go: `room` of them at most; all are counted. */
typedef struct Field {
    uint32_t *at; /* NULL: only counted */
    int64_t count;
} Field;

static void put(Field *field, uint32_t code)
{
    if (field->at) {
        field->at[field->count] = code;
    }
    field->count++;
}

enum { MINUS = 0xAF, INFINITE = 0x221E };

static void put_exponent(Field *field, int exponent)
{
    char text[16];
    int count = snprintf(text, sizeof text, "%d", abs(exponent));
    put(field, 'E');
    if (exponent < 0) {
        put(field, MINUS);
    }
    for (int i = 0; i < count; i++) {
        put(field, (uint32_t)text[i]);
    }
}

/* 3.14 for 2 decimals. */
static void put_fixed(Field *field, Rounded *number, bool negative, int64_t decimals)
{
    int64_t wanted = (int64_t)number->exponent + 1 + decimals;
    round_to(number, wanted < number->most ? (int)wanted : number->most);
    if (number->count > 0 && negative) {
        put(field, MINUS);
    }
    int first = number->count > 0 && number->exponent > 0 ? number->exponent : 0;
    for (int64_t power = first; power >= -decimals; power--) {
        if (power == -1) {
            put(field, '.');
        }
        int64_t place = (int64_t)number->exponent - power;
        put(field, number->count == 0 ? '0' : (uint32_t)digit_at(number, (int)place));
    }
}

/* 3.14E0 for 3 digits. */
static void put_scaled(Field *field, Rounded *number, bool negative, int64_t digits)
{
    round_to(number, digits < number->most ? (int)digits : number->most);
    if (negative) {
        put(field, MINUS);
    }
    for (int64_t place = 0; place < digits; place++) {
        if (place == 1) {
            put(field, '.');
        }
        put(field, (uint32_t)digit_at(number, (int)place));
    }
    put_exponent(field, number->exponent);
}

static void put_number(Field *field, const tl_items *items, int64_t index, int64_t decimals)
{
    double value = tl_item_real(items, index);
    if (isnan(value)) {
        put(field, 'N');
        put(field, 'a');
        put(field, 'N');
    } else if (isinf(value)) {
        if (value < 0) {
            put(field, MINUS);
        }
        put(field, INFINITE);
    } else {
        Rounded number;
        number.count = tl_item_digits(items, index, number.digits, &number.exponent, &number.most);
        if (number.digits[0] == '0') {
            number.count = number.exponent = 0;
            number.most = INT32_MAX;
        }
        if (decimals < 0) {
            put_scaled(field, &number, value < 0, -decimals);
        } else {
            put_fixed(field, &number, value < 0, decimals);
        }
    }
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* Right-aligned in a field of that width, stars where it does not fit. */
static void put_field(uint32_t *at, const tl_items *items, int64_t index, int64_t width,
                      int64_t decimals)
{
    Field field = {NULL, 0};
    put_number(&field, items, index, decimals);
    bool fits = field.count <= width;
    for (int64_t i = 0; i < width; i++) {
        at[i] = fits ? ' ' : '*';
    }
    if (fits) {
        field = (Field){at + width - field.count, 0};
        put_number(&field, items, index, decimals);
    }
}

/* The width and decimals of each column, and where it begins; *across is the sum of widths. */
typedef struct Column {
    int64_t start, width, decimals;
} Column;

static Column *lay_out(const tl_items *items, int64_t rows, int64_t columns, int64_t count,
                       const int64_t *fields, int64_t *across)
{
    Column *layout = calloc((size_t)columns + 1, sizeof *layout);
    if (!layout) {
        tl_fatal("WS FULL", "%lld columns", (long long)columns);
    }
    int64_t pairs = count / 2;
    *across = 0;
    for (int64_t j = 0; j < columns; j++) {
        int64_t width = pairs ? fields[j % pairs * 2] : 0;
        int64_t decimals = pairs ? fields[j % pairs * 2 + 1] : count ? fields[0] : 0;
        layout[j].start = *across;
        layout[j].decimals = clamp(decimals, -TL_FIELD_LIMIT, TL_FIELD_LIMIT);
        layout[j].width = clamp(width, 0, TL_FIELD_LIMIT);
        if (layout[j].width == 0) {
            for (int64_t i = 0; i < rows; i++) {
                Field field = {NULL, 0};
                put_number(&field, items, i * columns + j, layout[j].decimals);
                layout[j].width = field.count > layout[j].width ? field.count : layout[j].width;
            }
            layout[j].width++;
        }
        *across += layout[j].width;
    }
    return layout;
}

uint32_t *tl_format_fields(int64_t count, const int64_t *fields, tl_type type, int rank,
                           const int64_t *shape, const void *data, int64_t *across)
{
    tl_items items = {type, data, NULL, TL_MOST_PRECISION};
    int64_t rows = 1, columns = rank == 0 ? 1 : shape[rank - 1];
    for (int axis = 0; axis + 1 < rank; axis++) {
        rows *= shape[axis];
    }
    Column *layout = lay_out(&items, rows, columns, count, fields, across);
    uint32_t *codes = calloc((size_t)rows * (size_t)*across + 1, sizeof *codes);
    if (!codes) {
        tl_fatal("WS FULL", "%lld by %lld characters", (long long)rows, (long long)*across);
    }
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            put_field(codes + i * *across + layout[j].start, &items, i * columns + j,
                      layout[j].width, layout[j].decimals);
        }
    }
    free(layout);
    return codes;
}
