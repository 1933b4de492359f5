/* Core's text form, characters to tokens (re2c).

       let (y_5 : f64) = x_4 * 2.0f64 -- doubled
       LET '(' NAME ':' PRIM ')' '=' NAME '*' CONSTANT

   Words are keywords (keywords.def), prims, operators (operators.def), or names. Each character that
   begins no token is reported and skipped. */
#include "core/lexer.h"
#include "core/literals.h"
#include "core/text_form.h"

#define TOKEN(name) CORE_TOKEN_##name

/* Reports what is wrong with the token that was just read, if anything is. */
static void fault(CoreParser *p, const char *message)
{
    if (message) {
        core_parse_error(p, p->token, "SYNTAX ERROR", "%s", message);
    }
}

static const char *string_text(CoreParser *p, const char *start, const char *end)
{
    Text text = text_create(p->c->arena);
    fault(p, core_literal_string(p->c, start, end, &text));
    return intern(p->c, text_get(&text));
}

/* ---- words ------------------------------------------------------------------------------------- */

static const struct Keyword {
    const char *text;
    int token;
} keywords[] = {
#define CORE_KEYWORD(token, text) {text, TOKEN(token)},
#include "core/keywords.def"
#undef CORE_KEYWORD
};

/* x_4: cannot be reserved, which saves the search for nearly every word of a printed program. */
static bool ends_in_number(const char *start, const char *end)
{
    const char *s = end;
    while (s > start && s[-1] >= '0' && s[-1] <= '9') {
        s--;
    }
    return s < end && s > start + 1 && s[-1] == '_';
}

static int word(CoreParser *p, CORE_YYSTYPE *value, const char *start, const char *end)
{
    value->text = names_intern(p->c->names, start, (size_t)(end - start));
    if (ends_in_number(start, end) || !core_is_reserved(value->text)) {
        return TOKEN(NAME);
    }
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (strcmp(value->text, keywords[i].text) == 0) {
            if (keywords[i].token == TOKEN(FUN) || keywords[i].token == TOKEN(ENTRY)) {
                p->depth = 0; /* whatever was left open before */
            }
            return keywords[i].token;
        }
    }
    for (int prim = CORE_BOOL; prim <= CORE_CERT; prim++) {
        if (strcmp(value->text, core_prim_text((CorePrim)prim)) == 0) {
            value->prim = (CorePrim)prim;
            return TOKEN(PRIM);
        }
    }
    for (int op = 0; op < CORE_OPERATOR_COUNT; op++) {
        if (strcmp(value->text, core_operator_text((CoreOperator)op)) == 0) {
            value->op = (CoreOperator)op;
            return core_operator_arity((CoreOperator)op) == 1 ? TOKEN(PREFIX1) : TOKEN(PREFIX2);
        }
    }
    return TOKEN(NAME);
}

static int opened(CoreParser *p)
{
    if (++p->depth > NESTING_LIMIT) {
        core_parse_error(p, p->token, "LIMIT ERROR", "nesting is deeper than %d", NESTING_LIMIT);
        p->stopped = true;
        return TOKEN(END);
    }
    return '{';
}

static void stray(CoreParser *p, const char *start)
{
    size_t length;
    const char *message = core_literal_stray(p->c, start, p->limit, &length);
    p->cursor = start + length;
    p->token.end = p->token.start + (uint32_t)length;
    fault(p, message);
}

/* ---- the scanner --------------------------------------------------------------------------------- */

static int symbol(CORE_YYSTYPE *value, CoreOperator op)
{
    value->op = op;
    return TOKEN(SYMBOL);
}

enum { SKIPPED = -1 };

/* One token from the cursor. */
static int scan(CoreParser *p, CORE_YYSTYPE *value)
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

    [ \t\r\n]+ { FOUND; return SKIPPED; }
    "--" [^\n\x00]* { FOUND; return SKIPPED; }

    letter (letter | digit | "_")* { FOUND; return word(p, value, start, YYCURSOR); }
    "-"? digits { FOUND; fault(p, core_literal_integer(p->c, start, YYCURSOR, &value->atom)); return TOKEN(INTEGER); }
    "-"? digits ("i32" | "i64") { FOUND; fault(p, core_literal_integer(p->c, start, YYCURSOR, &value->atom)); return TOKEN(CONSTANT); }
    "-"? digits ("." digits exponent? | exponent) ("f32" | "f64")? {
        FOUND; fault(p, core_literal_real(p->c, start, YYCURSOR, &value->atom)); return TOKEN(CONSTANT); }
    "-"? ("f32" | "f64") ".inf" { FOUND; value->atom = core_literal_special(start, YYCURSOR); return TOKEN(CONSTANT); }
    ("f32" | "f64") ".nan" ("(0x" [0-9a-fA-F]{1,16} ")")? {
        FOUND; value->atom = core_literal_special(start, YYCURSOR); return TOKEN(CONSTANT); }
    "'" ([^'\\\n\x00] | escape) "'" { FOUND; fault(p, core_literal_char(p->c, start, YYCURSOR, &value->atom)); return TOKEN(CONSTANT); }
    "'" [^'\n\x00]* "'" {
        FOUND; core_parse_error(p, p->token, "SYNTAX ERROR", "a character constant is one character or escape"); value->atom = core_char('?'); return TOKEN(CONSTANT); }
    "\"" ([^"\\\n\x00] | escape)* "\"" { FOUND; value->text = string_text(p, start, YYCURSOR); return TOKEN(STRING); }
    "\"" ([^"\\\n\x00] | escape)* {
        FOUND; core_parse_error(p, p->token, "SYNTAX ERROR", "this string has no end, or an escape that is not one"); value->text = ""; return TOKEN(STRING); }
    "@" letter+ { FOUND; value->text = names_intern(p->c->names, start + 1, (size_t)(YYCURSOR - start - 1)); return TOKEN(PLACE); }

    "->" { FOUND; return TOKEN(ARROW); }
    "<-" { FOUND; return TOKEN(BECOMES); }
    ":+" { FOUND; return TOKEN(TAKE); }
    "{" { FOUND; return opened(p); }
    "}" { FOUND; p->depth--; return '}'; }
    [()[\]:,=\\<>*?] { FOUND; return *start; }
    "+" { FOUND; return symbol(value, CORE_ADD); }
    "-" { FOUND; return symbol(value, CORE_SUB); }
    "/" { FOUND; return symbol(value, CORE_DIV); }
    "%" { FOUND; return symbol(value, CORE_MOD); }
    "**" { FOUND; return symbol(value, CORE_POW); }
    "&" { FOUND; return symbol(value, CORE_AND); }
    "|" { FOUND; return symbol(value, CORE_OR); }
    "^" { FOUND; return symbol(value, CORE_XOR); }
    "<<" { FOUND; return symbol(value, CORE_SHL); }
    ">>>" { FOUND; return symbol(value, CORE_SHR); }
    ">>" { FOUND; return symbol(value, CORE_SAR); }
    "==" { FOUND; return symbol(value, CORE_EQ); }
    "!=" { FOUND; return symbol(value, CORE_NE); }
    "<=" { FOUND; return symbol(value, CORE_LE); }
    ">=" { FOUND; return symbol(value, CORE_GE); }
    "!" { FOUND; value->op = CORE_NOT; return TOKEN(PREFIX1); }
    "\x00" {
        if (start == p->limit) { p->token.end = p->token.start; return TOKEN(END); }
        stray(p, start); return SKIPPED;
    }
    * { stray(p, start); return SKIPPED; }
    */
#undef FOUND
}

int core_lex(CORE_YYSTYPE *value, Span *span, CoreParser *p)
{
    int token = SKIPPED;
    while (token == SKIPPED && !p->stopped) {
        token = scan(p, value);
    }
    *span = p->token;
    return p->stopped ? TOKEN(END) : token;
}
