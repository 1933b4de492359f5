/* The front form's characters to tokens (re2c).

       xs[i] * 2.5  -- doubled and more
       NAME TIGHT NAME ']' '*' LITERAL

   Words are keywords (keywords.def), prims, or names; everything that is built in is a name. A '['
   that touches the end of an atom indexes it (TIGHT); any other begins an array. Each character
   that begins no token is reported and skipped. */
#include "core/front/lexer.h"
#include "core/literals.h"

#define TOKEN(name) FRONT_TOKEN_##name

/* Reports what is wrong with the token that was just read, if anything is. */
static void fault(FrontParser *p, const char *message)
{
    if (message) {
        front_parse_error(p, p->token, "SYNTAX ERROR", "%s", message);
    }
}

/* ---- constants --------------------------------------------------------------------------------- */

/* The least integer of a type has no positive: it is a token of its own, which only a minus may
   precede. */
static int integer(FrontParser *p, FRONT_YYSTYPE *value, const char *start, const char *end)
{
    bool is_decimal = end - start < 2 || start[1] != 'x';
    value->literal.is_adaptive = is_decimal ? !memchr(start, 'i', (size_t)(end - start)) : end[-3] != 'i';
    const char *message = core_literal_integer(p->c, start, end, &value->literal.atom);
    if (message && is_decimal) {
        const char *negative = arena_printf(p->c->arena, "-%.*s", (int)(end - start), start);
        if (!core_literal_integer(p->c, negative, negative + strlen(negative), &value->literal.atom)) {
            return TOKEN(LEAST);
        }
    }
    fault(p, message);
    return TOKEN(LITERAL);
}

static int real(FrontParser *p, FRONT_YYSTYPE *value, const char *start, const char *end)
{
    value->literal.is_adaptive = !memchr(start, 'f', (size_t)(end - start));
    fault(p, core_literal_real(p->c, start, end, &value->literal.atom));
    return TOKEN(LITERAL);
}

static int constant(FRONT_YYSTYPE *value, CoreAtom atom)
{
    value->literal = (FrontLiteral){.atom = atom};
    return TOKEN(LITERAL);
}

static int character(FrontParser *p, FRONT_YYSTYPE *value, const char *start, const char *end)
{
    CoreAtom atom;
    fault(p, core_literal_char(p->c, start, end, &atom));
    return constant(value, atom);
}

static int string(FrontParser *p, FRONT_YYSTYPE *value, const char *start, const char *end)
{
    Text text = text_create(p->c->arena);
    fault(p, core_literal_string(p->c, start, end, &text));
    value->text = text_get(&text);
    return TOKEN(STRING);
}

static int component(FrontParser *p, FRONT_YYSTYPE *value, const char *start, const char *end)
{
    CoreAtom atom;
    fault(p, core_literal_integer(p->c, start + 1, end, &atom));
    value->position = atom.as.integer;
    return TOKEN(COMPONENT);
}

/* ---- words and brackets ------------------------------------------------------------------------ */

static const struct Keyword {
    const char *text;
    int token;
} keywords[] = {
#define FRONT_KEYWORD(token, text) {text, TOKEN(token)},
#include "core/front/keywords.def"
#undef FRONT_KEYWORD
};

static int keyword(FrontParser *p, FRONT_YYSTYPE *value, int token)
{
    if (token == TOKEN(DEF) || token == TOKEN(ENTRY)) {
        p->depth = 0; /* whatever was left open before */
    } else if (token == TOKEN(LET)) {
        value->depth = p->depth;
    }
    return token;
}

static int word(FrontParser *p, FRONT_YYSTYPE *value, const char *start, const char *end)
{
    value->text = names_intern(p->c->names, start, (size_t)(end - start));
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (strcmp(value->text, keywords[i].text) == 0) {
            return keyword(p, value, keywords[i].token);
        }
    }
    for (int prim = CORE_BOOL; prim < CORE_CERT; prim++) {
        if (strcmp(value->text, core_prim_text((CorePrim)prim)) == 0) {
            value->prim = (CorePrim)prim;
            return TOKEN(PRIM);
        }
    }
    return TOKEN(NAME);
}

static int opened(FrontParser *p, int token)
{
    if (++p->depth > NESTING_LIMIT) {
        front_parse_too_deep(p, p->token);
        return TOKEN(END);
    }
    return token;
}

/* One that was never opened changes nothing. */
static int closed(FrontParser *p, int token)
{
    p->depth -= p->depth > 0;
    return token;
}

/* Blanks are a token of their own here (SKIPPED). */
static bool ends_atom(int token)
{
    return token == TOKEN(NAME) || token == TOKEN(PLACE) || token == TOKEN(PRIM) || token == TOKEN(LITERAL) ||
           token == TOKEN(STRING) || token == TOKEN(COMPONENT) || token == ')' || token == ']';
}

static void stray(FrontParser *p, const char *start)
{
    size_t length;
    const char *message = core_literal_stray(p->c, start, p->limit, &length);
    p->cursor = start + length;
    p->token.end = p->token.start + (uint32_t)length;
    fault(p, message);
}

/* ---- the scanner --------------------------------------------------------------------------------- */

static int symbol(FRONT_YYSTYPE *value, int token, FrontInfix infix, CoreOperator op)
{
    value->infix = (FrontOperator){infix, op};
    return token;
}

static int scalar(FRONT_YYSTYPE *value, int token, CoreOperator op)
{
    return symbol(value, token, FRONT_INFIX_OPERATOR, op);
}

enum { SKIPPED = -1 };

/* One token from the cursor. */
static int scan(FrontParser *p, FRONT_YYSTYPE *value)
{
    const char *YYCURSOR = p->cursor, *YYMARKER = YYCURSOR, *start = YYCURSOR;
    p->token = (Span){p->source, (uint32_t)(start - p->source->text), 0};
#define FOUND (p->cursor = YYCURSOR, p->token.end = (uint32_t)(YYCURSOR - p->source->text))
    /*!re2c
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = YYCURSOR;
    re2c:define:YYMARKER = YYMARKER;
    re2c:yyfill:enable = 0;

    digit = [0-9];
    digits = digit+;
    letter = [A-Za-z];
    exponent = [eE] [+-]? digits;
    escape = "\\" ["\\'n] | "\\u{" [0-9a-fA-F]{1,6} "}";
    number = digits | digits ("." digits exponent? | exponent);

    [ \t\r\n]+ { FOUND; return SKIPPED; }
    "--" [^\n\x00]* { FOUND; return SKIPPED; }

    letter (letter | digit | "_")* { FOUND; return word(p, value, start, YYCURSOR); }
    "_" { FOUND; return TOKEN(ANY); }
    "_" (letter | digit | "_")+ {
        FOUND; fault(p, "a name begins with a letter"); value->text = names_intern(p->c->names, start, (size_t)(YYCURSOR - start)); return TOKEN(NAME); }
    (digits | "0x" [0-9a-fA-F]+) ("i32" | "i64")? { FOUND; return integer(p, value, start, YYCURSOR); }
    digits ("." digits exponent? | exponent) ("f32" | "f64")? | digits ("f32" | "f64") { FOUND; return real(p, value, start, YYCURSOR); }
    number (letter | "_") (letter | digit | "_")* {
        FOUND; fault(p, "a number ends before a letter that is no part of it"); return constant(value, core_i64(0)); }
    ("f32" | "f64") ".inf" { FOUND; return constant(value, core_literal_special(start, YYCURSOR)); }
    ("f32" | "f64") ".nan" ("(0x" [0-9a-fA-F]{1,16} ")")? { FOUND; return constant(value, core_literal_special(start, YYCURSOR)); }
    "'" ([^'\\\n\x00] | escape) "'" { FOUND; return character(p, value, start, YYCURSOR); }
    "'" [^'\n\x00]* "'" {
        FOUND; fault(p, "a character constant is one character or escape"); return constant(value, core_char('?')); }
    "\"" ([^"\\\n\x00] | escape)* "\"" { FOUND; return string(p, value, start, YYCURSOR); }
    "\"" ([^"\\\n\x00] | escape)* {
        FOUND; fault(p, "this string has no end, or an escape that is not one"); value->text = ""; return TOKEN(STRING); }
    "@" letter+ { FOUND; value->text = names_intern(p->c->names, start + 1, (size_t)(YYCURSOR - start - 1)); return TOKEN(PLACE); }
    "." digits { FOUND; return component(p, value, start, YYCURSOR); }

    "->" { FOUND; return TOKEN(ARROW); }
    "<-" { FOUND; return TOKEN(BECOMES); }
    ":+" { FOUND; return TOKEN(TAKE); }
    "|>" { FOUND; return TOKEN(PIPE); }
    "(" { FOUND; return opened(p, '('); }
    "[" { FOUND; return opened(p, ends_atom(p->last) ? TOKEN(TIGHT) : '['); }
    [)\]] { FOUND; return closed(p, *start); }
    [:,=\\] { FOUND; return *start; }
    [{}] { FOUND; return TOKEN(BRACE); }
    "||" { FOUND; return symbol(value, TOKEN(EITHER), FRONT_INFIX_OR, CORE_OR); }
    "&&" { FOUND; return symbol(value, TOKEN(BOTH), FRONT_INFIX_AND, CORE_AND); }
    "++" { FOUND; return symbol(value, TOKEN(SUM), FRONT_INFIX_APPEND, CORE_ADD); }
    "+" { FOUND; return scalar(value, TOKEN(SUM), CORE_ADD); }
    "-" { FOUND; return scalar(value, TOKEN(MINUS), CORE_SUB); }
    "*" { FOUND; return scalar(value, TOKEN(STAR), CORE_MUL); }
    "/" { FOUND; return scalar(value, TOKEN(PRODUCT), CORE_DIV); }
    "%" { FOUND; return scalar(value, TOKEN(PRODUCT), CORE_MOD); }
    "**" { FOUND; return scalar(value, TOKEN(POWER), CORE_POW); }
    "&" { FOUND; return scalar(value, TOKEN(BITS_AND), CORE_AND); }
    "|" { FOUND; return scalar(value, TOKEN(BITS_OR), CORE_OR); }
    "^" { FOUND; return scalar(value, TOKEN(BITS_XOR), CORE_XOR); }
    "<<" { FOUND; return scalar(value, TOKEN(SHIFT), CORE_SHL); }
    ">>>" { FOUND; return scalar(value, TOKEN(SHIFT), CORE_SHR); }
    ">>" { FOUND; return scalar(value, TOKEN(SHIFT), CORE_SAR); }
    "==" { FOUND; return scalar(value, TOKEN(COMPARISON), CORE_EQ); }
    "!=" { FOUND; return scalar(value, TOKEN(COMPARISON), CORE_NE); }
    "<" { FOUND; return scalar(value, TOKEN(LESS), CORE_LT); }
    "<=" { FOUND; return scalar(value, TOKEN(COMPARISON), CORE_LE); }
    ">" { FOUND; return scalar(value, TOKEN(COMPARISON), CORE_GT); }
    ">=" { FOUND; return scalar(value, TOKEN(COMPARISON), CORE_GE); }
    "!" { FOUND; return TOKEN(NOT); }
    "\x00" {
        if (start == p->limit) { p->token.end = p->token.start; return TOKEN(END); }
        stray(p, start); return SKIPPED;
    }
    * { stray(p, start); return SKIPPED; }
    */
#undef FOUND
}

int front_lex(FRONT_YYSTYPE *value, Span *span, FrontParser *p)
{
    int token = SKIPPED;
    while (token == SKIPPED && !p->stopped) {
        token = scan(p, value);
        p->last = token;
    }
    *span = p->token;
    return p->stopped ? TOKEN(END) : token;
}

/* The first two words, without the blanks and comments around them; missing words are empty. */
bool front_is(const SourceFile *source)
{
    const char *YYCURSOR = source->text, *YYMARKER, *start;
    bool is_entry = false;
    for (;;) {
        start = YYCURSOR;
        /*!re2c
        [ \t\r\n]+ | "--" [^\n\x00]* { continue; }
        letter (letter | digit | "_")* {
            size_t length = (size_t)(YYCURSOR - start);
            if (is_entry) {
                return length != 3 || memcmp(start, "fun", 3) != 0;
            }
            if (length == 5 && memcmp(start, "entry", 5) == 0) {
                is_entry = true;
                continue;
            }
            return length == 3 && memcmp(start, "def", 3) == 0;
        }
        * { return is_entry; }
        */
    }
}
