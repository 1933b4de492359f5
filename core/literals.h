/* Constants and strings as both text forms of core write them. Each function reads the characters
   from start to end, which a lexer found to have the right form, and returns NULL or what is wrong
   with them, as a message; the value is usable either way. */
#ifndef CORE_LITERALS_H
#define CORE_LITERALS_H

#include "core/core.h"

/* [-]12, [-]0xff, either with i32 or i64 after it; without, it is an i64. What is hexadecimal gives
   the bits. */
const char *core_literal_integer(Compilation *c, const char *start, const char *end,
                                 CoreAtom *atom);
/* [-]1.5, [-]1e9, [-]3, each with f32 or f64 after it; without, it is an f64. */
const char *core_literal_real(Compilation *c, const char *start, const char *end, CoreAtom *atom);
/* [-]f64.inf, f64.nan, f64.nan(0xBITS), and the same with f32. */
CoreAtom core_literal_special(const char *start, const char *end);
/* 'a', '\n', '\u{1f600}' */
const char *core_literal_char(Compilation *c, const char *start, const char *end, CoreAtom *atom);
/* "text", as the characters that it stands for. */
const char *core_literal_string(Compilation *c, const char *start, const char *end, Text *text);
/* A byte that begins no token; a run of bytes that are not UTF-8 is one error. *length is how many
   bytes to skip; never NULL. */
const char *core_literal_stray(Compilation *c, const char *start, const char *limit,
                               size_t *length);

#endif
