/* Text: growing strings in an arena, and what the compiler needs to know of UTF-8. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct Text {
    Arena *arena;
    char *bytes; /* NUL-terminated after the first append; NULL before it */
    size_t length, capacity;
} Text;

Text text_create(Arena *arena);
void text_append(Text *text, const char *bytes, size_t length);
void text_string(Text *text, const char *string);
void text_char(Text *text, char byte);
void text_codepoint(Text *text, uint32_t codepoint); /* as UTF-8 */
void text_printf(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_spaces(Text *text, int count);
/* The text so far; "" when nothing was appended. */
const char *text_get(const Text *text);

/* Decodes one code point at `bytes`; returns its length in bytes, or 0 where the bytes are not
   UTF-8 (overlong forms and surrogates are not). */
size_t utf8_decode(const char *bytes, size_t length, uint32_t *codepoint);
/* Columns that a terminal gives a code point: 0 (combining), 1 or 2 (wide). */
int codepoint_width(uint32_t codepoint);

/* The shortest decimal text that reads back as the same double (17 digits at most), with '.' or
   'e' always present: 2.0, 0.1, 1e300; inf, -inf, nan. */
char *text_of_double(Arena *arena, double value);

#endif
