/* TAIL files, characters to tokens (re2c).

       let v1:S(int,~7) = -7 in (* a comment *)
       LET NAME ':' NAME '(' NAME ',' INTEGER ')' '=' INTEGER IN

   The lexer keeps count of what is open, brackets and lets: nesting has a limit, and after an error the
   parser finds the `in` that belongs to a let. Each character that begins no token is reported and
   skipped, but a word with letters beyond ASCII is a name, so that it is reported once. */
#include "tail/lexer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <utf8proc.h>

#define TOKEN(name) TAIL_TOKEN_##name

/* ---- numbers ----------------------------------------------------------------------------------- */

/* The text with '-' for '~'. */
static char *number_text(TailParser *p, const char *start, const char *end)
{
    char *text = arena_text(p->c->arena, start, (size_t)(end - start));
    for (char *s = text; *s; s++) {
        if (*s == '~') {
            *s = '-';
        }
    }
    return text;
}

static RawInteger integer_value(TailParser *p, const char *start, const char *end)
{
    char *text = number_text(p, start, end);
    errno = 0;
    long long value = strtoll(text, NULL, 10);
    if (errno != 0) {
        tail_parse_error(p, p->token, "LIMIT ERROR", "%s is too large for an int", text);
        return (RawInteger){.huge = true};
    }
    return (RawInteger){.value = value};
}

/* [-]digits, with point or exponent; [-]inf; nan.0 */
static double real_value(TailParser *p, const char *text)
{
    bool negative = *text == '-';
    if (strncmp(text + negative, "nan", 3) == 0) {
        return (double)NAN;
    }
    double value = strtod(text, NULL);
    if (isinf(value) && text[negative] != 'i') {
        tail_parse_error(p, p->token, "LIMIT ERROR", "%s is too large for a double", text);
    }
    return value;
}

static const TailExp *complex_value(TailParser *p, const char *start, const char *end)
{
    char *text = number_text(p, start, end), *middle = strchr(text, 'j');
    *middle = '\0';
    return tail_complex(p->c, real_value(p, text), real_value(p, middle + 1), p->token);
}

/* ---- characters -------------------------------------------------------------------------------- */

/* As Standard ML writes them, and \uXXXX, \UXXXXXXXX; `s` is behind the backslash. */
static uint32_t escaped(const char *s)
{
    static const char letters[] = "abtnvfr";
    const char *letter = strchr(letters, *s);
    if (letter) {
        return 7 + (uint32_t)(letter - letters);
    }
    if (*s == '^') {
        return (unsigned char)s[1] - 64u;
    }
    if (*s == 'u' || *s == 'U') {
        return (uint32_t)strtoul(s + 1, NULL, 16); /* the quote ends the digits */
    }
    return *s >= '0' && *s <= '9' ? (uint32_t)strtoul(s, NULL, 10) : (unsigned char)*s;
}

static const TailExp *char_value(TailParser *p, uint32_t codepoint)
{
    if (codepoint > 0x10FFFF || (codepoint >= 0xD800 && codepoint < 0xE000)) {
        tail_parse_error(p, p->token, "SYNTAX ERROR", "U+%04X is not a character",
                         (unsigned)codepoint);
        return NULL;
    }
    return tail_char(p->c, codepoint, p->token);
}

/* 'a', or one character beyond ASCII as it is. */
static const TailExp *plain_char(TailParser *p, const char *start, const char *end)
{
    uint32_t codepoint = '?';
    utf8_decode(start + 1, (size_t)(end - start - 2), &codepoint);
    return char_value(p, codepoint);
}

/* '2373': how existing tools write what is beyond ASCII. */
static const TailExp *hexadecimal_char(TailParser *p, const char *start)
{
    uint32_t codepoint = (uint32_t)strtoul(start + 1, NULL, 16);
    if (codepoint < 128) {
        tail_parse_error(p, p->token, "SYNTAX ERROR",
                         "a character constant is one character, an escape, or the hexadecimal digits "
                         "of a code point beyond 7F");
        return NULL;
    }
    return char_value(p, codepoint);
}

/* ---- words and brackets ------------------------------------------------------------------------ */

static int opened(TailParser *p, char what, int token)
{
    if (p->open.count >= NESTING_LIMIT) {
        tail_parse_error(p, p->token, "LIMIT ERROR", "nesting is deeper than %d", NESTING_LIMIT);
        p->stopped = true;
        return TOKEN(END);
    }
    vec_push(p->c->arena, &p->open, what);
    p->open_lets += what == 'l';
    return token;
}

static void close_one(TailParser *p)
{
    p->open_lets -= p->open.items[--p->open.count] == 'l';
}

/* A bracket closes what was opened last, unless that is a let. */
static int closed(TailParser *p, int token)
{
    if (p->open.count > 0 && p->open.items[p->open.count - 1] != 'l') {
        close_one(p);
    }
    return token;
}

/* `in` belongs to the last open let, whatever brackets were left open behind that. */
static int closed_let(TailParser *p)
{
    while (p->open_lets > 0 && p->open.items[p->open.count - 1] != 'l') {
        close_one(p);
    }
    if (p->open_lets > 0) {
        close_one(p);
    }
    return TOKEN(IN);
}

/* What was closed since may have been opened anew as something else: the lets are counted again. */
void tail_lex_restart(TailParser *p, LetMark mark, LetMark *next)
{
    p->open.count = mark.open;
    p->open_lets = 0;
    for (size_t i = 0; i < p->open.count; i++) {
        p->open_lets += p->open.items[i] == 'l';
    }
    next->open = p->open.count;
    next->lets = p->open_lets;
    next->undo = tail_parse_scope(p);
    tail_lex_reopen(p);
}

void tail_lex_reopen(TailParser *p)
{
    vec_push(p->c->arena, &p->open, 'l');
    p->open_lets++;
}

static int opened_let(TailParser *p, TAIL_YYSTYPE *value)
{
    const char *start = p->source->text + p->token.start;
    value->mark = (LetMark){p->open.count, p->open_lets, tail_parse_scope(p),
                            (unsigned)(start - p->line)};
    return opened(p, 'l', TOKEN(LET));
}

static int word(TailParser *p, TAIL_YYSTYPE *value, const char *start, const char *end)
{
    static const struct {
        const char *text;
        int token;
    } keywords[] = {
        {"in", TOKEN(IN)},     {"fn", TOKEN(FN)},     {"if", TOKEN(IF)},
        {"then", TOKEN(THEN)}, {"else", TOKEN(ELSE)}, {"Prj", TOKEN(PRJ)},
    };
    value->text = names_intern(p->c->names, start, (size_t)(end - start));
    if (strcmp(value->text, "let") == 0) {
        return opened_let(p, value);
    }
    if (strcmp(value->text, "tt") == 0 || strcmp(value->text, "ff") == 0) {
        value->value = tail_bool(p->c, *value->text == 't', p->token);
        return TOKEN(CONSTANT);
    }
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (strcmp(value->text, keywords[i].text) == 0) {
            return keywords[i].token == TOKEN(IN) ? closed_let(p) : keywords[i].token;
        }
    }
    return TOKEN(NAME);
}

/* The length of a letter beyond ASCII; 0 where there is none. */
static size_t foreign_letter(const TailParser *p, const char *at, uint32_t *codepoint)
{
    size_t length = at < p->limit ? utf8_decode(at, (size_t)(p->limit - at), codepoint) : 0;
    if (length < 2) {
        return 0;
    }
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)*codepoint);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO ? length : 0;
}

static bool continues_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* A word from `start` with a letter beyond ASCII at the cursor. */
static int foreign_word(TailParser *p, TAIL_YYSTYPE *value, const char *start)
{
    uint32_t codepoint = 0, other;
    const char *end = p->cursor;
    size_t length = foreign_letter(p, end, &codepoint), next = length;
    Span letter = {p->source, (uint32_t)(end - p->source->text), (uint32_t)(end + length - p->source->text)};
    while (next > 0) {
        end += next;
        next = end < p->limit && continues_word(*end) ? 1 : foreign_letter(p, end, &other);
    }
    value->text = names_intern(p->c->names, start, (size_t)(end - start));
    if (pointer_map_get(&p->foreign, value->text) == NULL) {
        tail_parse_error(p, letter, "SYNTAX ERROR", "a TAIL program has no %.*s here", (int)length, p->cursor);
        pointer_map_set(p->c->arena, &p->foreign, value->text, p);
    }
    p->cursor = end;
    p->token.end = (uint32_t)(end - p->source->text);
    return TOKEN(NAME);
}

/* A byte that begins no token; a run of bytes that are not UTF-8 is one error. */
static void stray(TailParser *p, const char *start)
{
    uint32_t codepoint;
    size_t length = utf8_decode(start, (size_t)(p->limit - start), &codepoint);
    p->follows_stray = true;
    if (length == 0) {
        const char *end = start + 1;
        while (end < p->limit && utf8_decode(end, (size_t)(p->limit - end), &codepoint) == 0) {
            end++;
        }
        p->cursor = end;
        p->token.end = (uint32_t)(end - p->source->text);
        tail_parse_error(p, p->token, "SYNTAX ERROR", "these bytes are not UTF-8");
        return;
    }
    p->cursor = start + length;
    p->token.end = p->token.start + (uint32_t)length;
    if (codepoint == '\'') {
        tail_parse_error(p, p->token, "SYNTAX ERROR", "this character constant has no end");
    } else if (codepoint >= ' ' && codepoint != 127) {
        tail_parse_error(p, p->token, "SYNTAX ERROR", "a TAIL program has no %.*s here", (int)length, start);
    } else {
        tail_parse_error(p, p->token, "SYNTAX ERROR", "a TAIL program has no character U+%04X", codepoint);
    }
}

/* Comments nest. The cursor is behind the first opening. */
static void skip_comment(TailParser *p)
{
    const char *s = p->cursor;
    for (int depth = 1; depth > 0; s++) {
        if (s >= p->limit) {
            tail_parse_error(p, p->token, "SYNTAX ERROR", "this comment has no end");
            p->stopped = true;
            break;
        }
        if (*s == '\n') {
            p->line = s + 1;
        } else if (s[0] == '(' && s[1] == '*') {
            depth++;
            s++;
        } else if (s[0] == '*' && s[1] == ')') {
            depth--;
            s++;
        }
    }
    p->cursor = s < p->limit ? s : p->limit;
}

/* ---- the scanner ------------------------------------------------------------------------------- */

enum { SKIPPED = -1 };

/* One token from the cursor. */
static int scan(TailParser *p, TAIL_YYSTYPE *value)
{
    const char *YYCURSOR = p->cursor, *YYMARKER = YYCURSOR, *start = YYCURSOR;
    p->token = (Span){p->source, (uint32_t)(start - p->source->text), 0};
#define FOUND (p->cursor = YYCURSOR, p->token.end = (uint32_t)(YYCURSOR - p->source->text))
#define CONSTANT(exp) (value->value = (exp), TOKEN(CONSTANT))
    /*!re2c
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = YYCURSOR;
    re2c:define:YYMARKER = YYMARKER;
    re2c:yyfill:enable = 0;

    digit = [0-9];
    digits = digit+;
    hex = [0-9A-Fa-f];
    letter = [A-Za-z];
    sign = [-~];
    exponent = [eE] [-~+]? digits;
    real = sign? (digits "." digits exponent? | digits exponent | "inf" | "nan.0");
    part = real | sign? digits;
    simple_escape = "\\" ([abtnvfr\\"'] | "^" [@-_] | digit{3} | "u" hex{4} | "U" hex{8});

    [ \t\r]+ { FOUND; return SKIPPED; }
    "\n" { FOUND; p->line = YYCURSOR; p->begins_line = true; return SKIPPED; }
    "(*" { FOUND; skip_comment(p); return SKIPPED; }

    sign? digits { FOUND; value->integer = integer_value(p, start, YYCURSOR); return TOKEN(INTEGER); }
    real { FOUND; return CONSTANT(tail_double(p->c, real_value(p, number_text(p, start, YYCURSOR)), p->token)); }
    part "j" part { FOUND; return CONSTANT(complex_value(p, start, YYCURSOR)); }
    letter (letter | digit | "_")* {
        uint32_t codepoint;
        FOUND;
        return foreign_letter(p, YYCURSOR, &codepoint) > 0 ? foreign_word(p, value, start)
                                                           : word(p, value, start, YYCURSOR);
    }
    "'" [^'\\\n\x00] "'" { FOUND; return CONSTANT(plain_char(p, start, YYCURSOR)); }
    "'" simple_escape "'" { FOUND; return CONSTANT(char_value(p, escaped(start + 2))); }
    "'" hex{2,6} "'" { FOUND; return CONSTANT(hexadecimal_char(p, start)); }
    "'" [^'\n\x00 \]>,()*=]* "'" {
        FOUND;
        tail_parse_error(p, p->token, "SYNTAX ERROR", "a character constant is one character or an escape");
        return CONSTANT(NULL);
    }
    "\"" [^"\n\x00]* "\"" {
        FOUND;
        tail_parse_error(p, p->token, "SYNTAX ERROR", "a string is a vector of characters here: ['a','b']");
        return CONSTANT(NULL);
    }
    sign? (digits "." | "." digits) exponent? {
        FOUND;
        tail_parse_error(p, p->token, "SYNTAX ERROR", "a double has digits before and behind its point");
        return CONSTANT(NULL);
    }
    "'b" digits { FOUND; value->text = names_intern(p->c->names, start, (size_t)(YYCURSOR - start)); return TOKEN(BASE_VARIABLE); }
    "'r" digits { FOUND; value->text = names_intern(p->c->names, start, (size_t)(YYCURSOR - start)); return TOKEN(SHAPE_VARIABLE); }

    "=>" { FOUND; return TOKEN(GIVES); }
    "->" { FOUND; return TOKEN(ARROW); }
    [([{] { FOUND; return opened(p, *start, *start); }
    [)\]}] { FOUND; return closed(p, *start); }
    [:,=<>*] { FOUND; return *start; }
    "\x00" {
        if (start == p->limit) { p->token.end = p->token.start; return TOKEN(END); }
        stray(p, start); return SKIPPED;
    }
    * {
        uint32_t codepoint;
        p->cursor = start;
        if (foreign_letter(p, start, &codepoint) > 0) { return foreign_word(p, value, start); }
        stray(p, start);
        return SKIPPED;
    }
    */
#undef FOUND
#undef CONSTANT
}

int tail_lex(TAIL_YYSTYPE *value, Span *span, TailParser *p)
{
    int token = SKIPPED;
    p->begins_line = p->cursor == p->source->text;
    p->follows_stray = false;
    while (token == SKIPPED && !p->stopped) {
        token = scan(p, value);
    }
    *span = p->token;
    return p->stopped ? TOKEN(END) : token;
}
