/* The values of constants and strings in core's text forms, from their characters.

       -7i32        core_int(CORE_I32, -7)
       2.5          core_real(CORE_F64, 2.5)
       '\u{3c0}'    core_char(0x3c0)
       "a\n"        the two characters a and line feed */
#include "core/literals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A copy of the characters without the suffix that begins with this letter; *narrow is whether the
   suffix says 32. */
static char *without_suffix(Compilation *c, const char *start, const char *end, char letter,
                            bool *narrow)
{
    char *text = arena_text(c->arena, start, (size_t)(end - start));
    char *suffix = strchr(text, letter);
    *narrow = suffix && strcmp(suffix + 1, "32") == 0;
    if (suffix) {
        *suffix = '\0';
    }
    return text;
}

static const char *too_large(Compilation *c, const char *text, const char *prim)
{
    return arena_printf(c->arena, "%s is too large for %s", text, prim);
}

const char *core_literal_integer(Compilation *c, const char *start, const char *end, CoreAtom *atom)
{
    bool narrow, fits;
    char *text = without_suffix(c, start, end, 'i', &narrow);
    int64_t value;
    errno = 0;
    if (strchr(text, 'x')) {
        uint64_t bits = strtoull(text, NULL, 16);
        fits = errno == 0 && (!narrow || bits <= UINT32_MAX);
        value = (int64_t)bits;
    } else {
        value = strtoll(text, NULL, 10);
        fits = errno == 0 && (!narrow || (value >= INT32_MIN && value <= INT32_MAX));
    }
    CorePrim prim = narrow ? CORE_I32 : CORE_I64;
    *atom = core_int(prim, fits ? value : 0);
    return fits ? NULL : too_large(c, text, core_prim_text(prim));
}

const char *core_literal_real(Compilation *c, const char *start, const char *end, CoreAtom *atom)
{
    bool narrow;
    char *text = without_suffix(c, start, end, 'f', &narrow);
    CorePrim prim = narrow ? CORE_F32 : CORE_F64;
    *atom = core_real(prim, strtod(text, NULL));
    return isinf(atom->as.real) ? too_large(c, text, core_prim_text(prim)) : NULL;
}

CoreAtom core_literal_special(const char *start, const char *end)
{
    bool negative = *start == '-';
    start += negative;
    CorePrim prim = memcmp(start, "f32", 3) == 0 ? CORE_F32 : CORE_F64;
    const char *word = start + 4;
    if (memcmp(word, "inf", 3) == 0) {
        return core_real(prim, negative ? -(double)INFINITY : (double)INFINITY);
    }
    CoreAtom atom = core_real(prim, (double)NAN);
    if (end - word > 3) {
        uint64_t bits = strtoull(word + 4, NULL, 16);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isnan(value)) {
            atom.as.real = value;
        }
    }
    return atom;
}

/* The digits of \u{...}; *at stands on the first of them and ends behind the brace. */
static uint32_t escaped(const char **at)
{
    char *end;
    unsigned long value = strtoul(*at, &end, 16);
    *at = end + 1;
    return (uint32_t)value;
}

const char *core_literal_char(Compilation *c, const char *start, const char *end, CoreAtom *atom)
{
    uint32_t codepoint = 0;
    if (start[1] == '\\' && start[2] == 'u') {
        const char *at = start + 4;
        codepoint = escaped(&at);
    } else if (start[1] == '\\') {
        codepoint = start[2] == 'n' ? '\n' : (unsigned char)start[2];
    } else if (utf8_decode(start + 1, (size_t)(end - start - 2), &codepoint) == 0) {
        *atom = core_char(0xFFFD);
        return "these bytes are not UTF-8";
    }
    bool is_scalar = codepoint <= 0x10FFFF;
    *atom = core_char(is_scalar ? codepoint : 0xFFFD);
    return is_scalar ? NULL : arena_printf(c->arena, "\\u{%x} is not a character", codepoint);
}

const char *core_literal_string(Compilation *c, const char *start, const char *end, Text *text)
{
    const char *fault = NULL;
    for (const char *s = start + 1; s < end - 1;) {
        if (*s != '\\') {
            text_char(text, *s++);
        } else if (s[1] == 'u') {
            s += 3;
            uint32_t codepoint = escaped(&s);
            if (codepoint == 0 || (codepoint >= 0xD800 && codepoint < 0xE000) ||
                codepoint > 0x10FFFF) {
                fault = arena_printf(c->arena, "\\u{%x} cannot stand in a string", codepoint);
                codepoint = '?';
            }
            text_codepoint(text, codepoint);
        } else {
            text_char(text, s[1] == 'n' ? '\n' : s[1]);
            s += 2;
        }
    }
    return fault;
}

const char *core_literal_stray(Compilation *c, const char *start, const char *limit, size_t *length)
{
    uint32_t codepoint;
    *length = utf8_decode(start, (size_t)(limit - start), &codepoint);
    if (*length == 0) {
        const char *end = start + 1;
        while (end < limit && utf8_decode(end, (size_t)(limit - end), &codepoint) == 0) {
            end++;
        }
        *length = (size_t)(end - start);
        return "these bytes are not UTF-8";
    }
    if (codepoint >= ' ' && codepoint != 127) {
        return arena_printf(c->arena, "a core program has no %.*s here", (int)*length, start);
    }
    return arena_printf(c->arena, "a core program has no character U+%04X", codepoint);
}
