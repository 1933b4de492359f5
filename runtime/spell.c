/* How one item of an array is spelled (ISO 13751 section 16.4; Dyalog's conventions where the
   standard leaves a choice).

       7  ¯3  1  0.3333333333  1E10  1.5E¯7  ∞  NaN  3J4  a

   Reals have as many significant digits as are asked for (⎕PP), without zeros at the end; the
   scaled form is used where the exponent is below ¯6 or does not fit into these digits. Whole
   numbers of an int type are spelled in full. 32-bit reals have no more digits than tell them from
   their neighbours.

   Numbers are written by hand: printing a million items takes a fraction of a second. */
#include "runtime/spell.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    if (magnitude < 1e10 && magnitude == floor(magnitude) && digits >= 10) {
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

static const void *item_at(const tl_items *items, int64_t index)
{
    return (const char *)items->data + (size_t)index * tl_type_size(items->type);
}

static int64_t whole_item(const tl_items *items, int64_t index)
{
    const void *item = item_at(items, index);
    int32_t narrow;
    int64_t wide;
    if (items->type == TL_BOOL) {
        return *(const uint8_t *)item != 0;
    }
    if (items->type == TL_I32) {
        memcpy(&narrow, item, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, item, sizeof wide);
    return wide;
}

double tl_item_real(const tl_items *items, int64_t index)
{
    const void *item = item_at(items, index);
    float narrow;
    double wide;
    if (items->type == TL_F32) {
        memcpy(&narrow, item, sizeof narrow);
        return (double)narrow;
    }
    if (items->type != TL_F64) {
        return (double)whole_item(items, index);
    }
    memcpy(&wide, item, sizeof wide);
    return wide;
}

/* 3J4; 3 where the imaginary part is 0. */
static char *put_complex(char *at, const tl_items *items, int64_t index)
{
    tl_items real = {items->type, items->data, NULL, items->digits},
             imaginary = {items->type, items->imaginary, NULL, items->digits};
    at = tl_put_item(at, &real, index);
    if (tl_item_real(&imaginary, index) != 0) {
        *at++ = 'J';
        at = tl_put_item(at, &imaginary, index);
    }
    return at;
}

char *tl_put_item(char *at, const tl_items *items, int64_t index)
{
    if (items->imaginary) {
        return put_complex(at, items, index);
    }
    switch (items->type) {
    case TL_CHAR: {
        uint32_t code;
        memcpy(&code, item_at(items, index), sizeof code);
        return put_character(at, code);
    }
    case TL_BOOL:
    case TL_I32:
    case TL_I64: return put_whole(at, whole_item(items, index));
    case TL_F32:
    case TL_F64:
        return put_real(at, tl_item_real(items, index), items->digits, items->type == TL_F32);
    }
    return at;
}

int tl_item_digits(const tl_items *items, int64_t index, char *digits, int *exponent, int *most)
{
    if (items->type == TL_F32 || items->type == TL_F64) {
        bool narrow = items->type == TL_F32;
        double magnitude = fabs(tl_item_real(items, index));
        int wanted = narrow ? narrow_digits(magnitude, 9) : TL_MOST_PRECISION;
        *most = narrow ? 9 : TL_MOST_PRECISION - 1;
        return decimal_digits(magnitude, wanted, digits, exponent);
    }
    int64_t value = whole_item(items, index);
    int count = sprintf(digits, "%llu",
                        (unsigned long long)(value < 0 ? 0 - (uint64_t)value : (uint64_t)value));
    *exponent = count - 1;
    *most = INT_MAX;
    while (count > 1 && digits[count - 1] == '0') {
        count--;
    }
    return count;
}

void tl_format_scalar(char *text, tl_type type, const void *value, int digits)
{
    int most = digits > TL_MOST_PRECISION ? TL_MOST_PRECISION : digits;
    tl_put_item(text, &(tl_items){type, value, NULL, most < 1 ? 1 : most}, 0);
}
