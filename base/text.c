/* Growing strings; UTF-8 in and out; column widths (utf8proc knows them). */
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <utf8proc.h>

Text text_create(Arena *arena)
{
    return (Text){arena, NULL, 0, 0};
}

void text_append(Text *text, const char *bytes, size_t length)
{
    if (text->length + length + 1 > text->capacity) {
        size_t capacity = text->capacity ? text->capacity : 64;
        while (capacity < text->length + length + 1)
            capacity *= 2;
        char *grown = arena_allocate(text->arena, capacity);
        if (text->length)
            memcpy(grown, text->bytes, text->length);
        text->bytes = grown;
        text->capacity = capacity;
    }
    if (length)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void text_string(Text *text, const char *string)
{
    text_append(text, string, strlen(string));
}

void text_char(Text *text, char byte)
{
    text_append(text, &byte, 1);
}

void text_codepoint(Text *text, uint32_t codepoint)
{
    utf8proc_uint8_t bytes[4];
    utf8proc_ssize_t length = utf8proc_encode_char((utf8proc_int32_t)codepoint, bytes);
    text_append(text, (const char *)bytes, (size_t)length);
}

void text_printf(Text *text, const char *format, ...)
{
    char small[256];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if ((size_t)length < sizeof small) {
        text_append(text, small, (size_t)length);
    } else {
        char *large = arena_allocate(text->arena, (size_t)length + 1);
        vsnprintf(large, (size_t)length + 1, format, again);
        text_append(text, large, (size_t)length);
    }
    va_end(again);
}

void text_spaces(Text *text, int count)
{
    for (int i = 0; i < count; i++)
        text_char(text, ' ');
}

const char *text_get(const Text *text)
{
    return text->bytes ? text->bytes : "";
}

size_t utf8_decode(const char *bytes, size_t length, uint32_t *codepoint)
{
    utf8proc_int32_t decoded;
    utf8proc_ssize_t limit = length > 4 ? 4 : (utf8proc_ssize_t)length;
    utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)bytes, limit, &decoded);
    if (used <= 0 || decoded < 0)
        return 0;
    *codepoint = (uint32_t)decoded;
    return (size_t)used;
}

int codepoint_width(uint32_t codepoint)
{
    return utf8proc_charwidth((utf8proc_int32_t)codepoint);
}

char *text_of_double(Arena *arena, double value)
{
    if (isnan(value))
        return arena_text(arena, "nan", 3);
    if (isinf(value))
        return arena_printf(arena, value < 0 ? "-inf" : "inf");
    char *text = NULL;
    for (int digits = 1; digits <= 17; digits++) {
        text = arena_printf(arena, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    /* %g writes 50.0 as 5e+01 where one digit suffices. */
    if (strchr(text, 'e') && fabs(value) >= 1 && fabs(value) < 1e15) {
        text = arena_printf(arena, "%.0f", value);
    }
    if (!strpbrk(text, ".e"))
        text = arena_printf(arena, "%s.0", text);
    return text;
}
