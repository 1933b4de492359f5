/* Characters to tokens.

       life←{+/⍵}   ⍝ sum     ==>   NAME life, ARROW, OPEN_BRACE, GLYPH +, GLYPH /, NAME ⍵, CLOSE_BRACE

   The input is UTF-8. Glyphs are looked up in primitives.def, so that a primitive is added there
   alone; the usual twin code points (⋆ for *, − for -, ∈ for ∊, ∼ for ~, ∣ for |, ◊ for ⋄) are the
   same token. Nothing is skipped silently: what cannot be a token is reported where it stands and
   becomes an INVALID token, which makes the grammar leave out its statement without a second message.

   What decides between readings of the same characters:
     .     followed by a digit begins a number, otherwise it is the inner product operator
     ∘.    is one token (outer product) unless a digit follows; ∘ alone is compose
     ⍺⍺    is one token, and so is ⍵⍵
     ⎕     followed by a letter is a quad name, otherwise the output device */
#include "apl/tokens.h"
#include "apl/grammar.h"

#include <stdlib.h>
#include <utf8proc.h>

typedef struct Lexer {
    Compilation *c;
    const SourceFile *source;
    const char *cursor, *limit;
    const char *start; /* of the token being read */
    const char *string_line_end; /* of the line with the last string: a line may have many */
    AplTokens tokens;
} Lexer;

static uint32_t offset_of(const Lexer *lexer, const char *place)
{
    return (uint32_t)(place - lexer->source->text);
}

static Span token_span(const Lexer *lexer)
{
    return (Span){lexer->source, offset_of(lexer, lexer->start), offset_of(lexer, lexer->cursor)};
}

static void add_token(Lexer *lexer, int kind, AplNode *leaf)
{
    AplToken token = {.kind = kind,
                      .start = offset_of(lexer, lexer->start),
                      .end = offset_of(lexer, lexer->cursor),
                      .leaf = leaf};
    vec_push(lexer->c->arena, &lexer->tokens, token);
}

/* A token that has been reported (or, for bytes that are no text, was reported by check_encoding). */
static void add_invalid(Lexer *lexer)
{
    add_token(lexer, APL_TOKEN_INVALID, NULL);
}

static void add_error(Lexer *lexer, const char *message)
{
    diagnostics_add(lexer->c->diagnostics, token_span(lexer), "SYNTAX ERROR", "%s", message);
    add_invalid(lexer);
}

/* ---- encoding -------------------------------------------------------------------------------- */

enum { MOST_BAD_PLACES = 16 };

/* The first place at or after `place` whose byte is NUL or not UTF-8, or the end. */
static const char *next_bad_byte(const Lexer *lexer, const char *place)
{
    while (place < lexer->limit) {
        uint32_t codepoint;
        if ((unsigned char)*place < 0x80) {
            if (!*place) return place;
            place++;
        } else {
            size_t length = utf8_decode(place, (size_t)(lexer->limit - place), &codepoint);
            if (!length) return place;
            place += length;
        }
    }
    return place;
}

/* The end of a run of such bytes. */
static const char *bad_run_end(const Lexer *lexer, const char *place)
{
    uint32_t codepoint;
    while (place < lexer->limit &&
           (!*place || !utf8_decode(place, (size_t)(lexer->limit - place), &codepoint))) {
        place++;
    }
    return place;
}

/* Reports bytes that are no text. A few of them are reported each where it stands; with many the file
   is taken not to be an APL program, and the answer is false. */
static bool check_encoding(Lexer *lexer)
{
    size_t count = 0;
    for (const char *bad = next_bad_byte(lexer, lexer->cursor); bad < lexer->limit;
         bad = next_bad_byte(lexer, bad_run_end(lexer, bad))) {
        count++;
    }
    bool is_text = count <= MOST_BAD_PLACES;
    const char *bad = next_bad_byte(lexer, lexer->cursor);
    for (size_t i = 0; i < (is_text ? count : 1); i++) {
        const char *end = bad_run_end(lexer, bad);
        Span span = {lexer->source, offset_of(lexer, bad), offset_of(lexer, end)};
        if (!is_text) {
            diagnostics_add(lexer->c->diagnostics, span, "SYNTAX ERROR",
                            "this file is not UTF-8 text (%zu places are not, the first one here)",
                            count);
        } else if (*bad) {
            diagnostics_add(lexer->c->diagnostics, span, "SYNTAX ERROR", "byte %02X is not UTF-8",
                            (unsigned)(unsigned char)*bad);
        } else {
            diagnostics_add(lexer->c->diagnostics, span, "SYNTAX ERROR", "NUL byte");
        }
        bad = next_bad_byte(lexer, end);
    }
    return is_text;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_letter(uint32_t codepoint)
{
    if (codepoint == '_' || codepoint == '$' || codepoint == 0x2206 || codepoint == 0x2359) return true; /* ∆ ⍙ */
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)codepoint);
    return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL ||
           category == UTF8PROC_CATEGORY_LT || category == UTF8PROC_CATEGORY_LM ||
           category == UTF8PROC_CATEGORY_LO;
}

/* What may follow the first letter: letters, digits and combining marks. */
static bool continues_name(uint32_t codepoint)
{
    if (is_letter(codepoint)) return true;
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)codepoint);
    return category == UTF8PROC_CATEGORY_ND || category == UTF8PROC_CATEGORY_MN ||
           category == UTF8PROC_CATEGORY_MC;
}

/* The code point at the cursor and its length; length 0 at the end and at what is not UTF-8. */
static size_t peek(const Lexer *lexer, uint32_t *codepoint)
{
    *codepoint = 0;
    if (lexer->cursor >= lexer->limit) return 0;
    return utf8_decode(lexer->cursor, (size_t)(lexer->limit - lexer->cursor), codepoint);
}

static bool letter_follows(const Lexer *lexer)
{
    uint32_t codepoint;
    return peek(lexer, &codepoint) && is_letter(codepoint);
}

static void skip_name(Lexer *lexer)
{
    uint32_t codepoint;
    size_t length;
    while ((length = peek(lexer, &codepoint)) && continues_name(codepoint)) lexer->cursor += length;
}

/* Interned text of the token. Letters that Unicode can write in two ways (é as one code point or as e
   and an accent) are one name. */
static const char *name_text(const Lexer *lexer)
{
    size_t length = (size_t)(lexer->cursor - lexer->start);
    bool ascii = true;
    for (size_t i = 0; i < length; i++) ascii = ascii && (unsigned char)lexer->start[i] < 0x80;
    if (ascii) return names_intern(lexer->c->names, lexer->start, length);
    char *text = arena_text(lexer->c->arena, lexer->start, length);
    utf8proc_uint8_t *composed = utf8proc_NFC((const utf8proc_uint8_t *)text);
    const char *name = intern(lexer->c, composed ? (const char *)composed : text);
    free(composed);
    return name;
}

static void add_name(Lexer *lexer, AplKind kind)
{
    AplNode *node = apl_node(lexer->c, kind, token_span(lexer));
    node->as.text = name_text(lexer);
    add_token(lexer, APL_TOKEN_LEAF, node);
}

/* ---- numbers and strings --------------------------------------------------------------------- */

/* A number stands at the token; what follows it directly must not look like a part of it (1.2.3, 5x). */
static void add_number(Lexer *lexer)
{
    const char *end = lexer->cursor;
    for (;;) {
        uint32_t codepoint, next;
        size_t length = peek(lexer, &codepoint);
        bool part = length && (continues_name(codepoint) || codepoint == 0xAF); /* ¯ */
        if (length && codepoint == '.' && lexer->cursor + 1 < lexer->limit) {
            next = (unsigned char)lexer->cursor[1];
            part = next >= '0' && next <= '9';
        }
        if (!part) break;
        lexer->cursor += length;
    }
    bool is_number = end == lexer->cursor;
    const char *fault = "malformed number";
    AplNode *node = is_number ? apl_number(lexer->c, token_span(lexer), &fault) : NULL;
    if (node) {
        add_token(lexer, APL_TOKEN_LEAF, node);
    } else {
        int shown = (int)(lexer->cursor - lexer->start);
        const char *error = is_number ? "LIMIT ERROR" : "SYNTAX ERROR";
        diagnostics_add(lexer->c->diagnostics, token_span(lexer), error, "%s '%.*s'%s", fault,
                        shown > 60 ? 60 : shown, lexer->start, shown > 60 ? "..." : "");
        add_invalid(lexer);
    }
}

/* The end of a string whose opening quote stands at `open` (after its closing quote), looking no
   further than `limit`; NULL where it is not closed. */
static const char *string_end(const char *open, const char *limit)
{
    for (const char *place = open + 1; place < limit; place++) {
        if (*place != *open) continue;
        if (place + 1 < limit && place[1] == *open) {
            place++;
        } else {
            return place + 1;
        }
    }
    return NULL;
}

static const char *line_end(const Lexer *lexer, const char *place)
{
    const char *end = memchr(place, '\n', (size_t)(lexer->limit - place));
    return end ? end : lexer->limit;
}

/* Whether every string in a line that starts outside strings is closed in it. */
static bool line_is_whole(const char *line, const char *end)
{
    for (const char *place = line; place < end;) {
        if (*place == '\'' || *place == '"') {
            place = string_end(place, end);
            if (!place) return false;
        } else if (end - place >= 3 && memcmp(place, "⍝", 3) == 0) {
            return true;
        } else {
            place++;
        }
    }
    return true;
}

/* The end of a string that is not closed in its line: it may go on in later ones. It does when the next
   line that has such a quote makes no sense by itself and nothing stands against that quote as against
   an opening one; otherwise (NULL) the closing quote was forgotten. */
static const char *end_in_later_line(const Lexer *lexer, const char *end_of_line)
{
    const char *quote = memchr(end_of_line, *lexer->start, (size_t)(lexer->limit - end_of_line));
    if (!quote) return NULL;
    const char *line = quote;
    while (line[-1] != '\n') line--;
    if (line_is_whole(line, line_end(lexer, quote))) return NULL;
    const char *end = string_end(lexer->start, lexer->limit);
    uint32_t next;
    if (end && utf8_decode(end, (size_t)(lexer->limit - end), &next) && continues_name(next)) return NULL;
    return end;
}

static void add_string(Lexer *lexer)
{
    if (!lexer->string_line_end || lexer->start >= lexer->string_line_end) {
        lexer->string_line_end = line_end(lexer, lexer->start);
    }
    const char *end_of_line = lexer->string_line_end;
    const char *end = string_end(lexer->start, end_of_line);
    if (!end) end = end_in_later_line(lexer, end_of_line);
    if (end) {
        lexer->cursor = end;
        add_token(lexer, APL_TOKEN_LEAF, apl_string(lexer->c, token_span(lexer)));
        return;
    }
    Span span = {lexer->source, offset_of(lexer, lexer->start), offset_of(lexer, lexer->start) + 1};
    diagnostics_add(lexer->c->diagnostics, span, "SYNTAX ERROR", "this string is not closed");
    lexer->cursor = end_of_line;
    add_invalid(lexer);
}

/* ---- glyphs ---------------------------------------------------------------------------------- */

static bool is_glyph(const char *glyph, const char *text, size_t length)
{
    size_t k = 0;
    while (k < length && glyph[k] == text[k]) k++;
    return k == length && glyph[k] == '\0';
}

static bool find_glyph(const char *text, size_t length, AplPrimitive *found)
{
    for (int i = 0; i < APL_PRIMITIVE_COUNT; i++) {
        if (is_glyph(apl_primitive_glyph((AplPrimitive)i), text, length)) {
            *found = (AplPrimitive)i;
            return true;
        }
    }
    return false;
}

static void add_glyph(Lexer *lexer, AplPrimitive primitive)
{
    AplNode *node = apl_node(lexer->c, APL_GLYPH, token_span(lexer));
    node->as.primitive = primitive;
    node->class = apl_primitive_class(primitive);
    add_token(lexer, APL_TOKEN_LEAF, node);
}

static void add_leaf(Lexer *lexer, AplKind kind)
{
    add_token(lexer, APL_TOKEN_LEAF, apl_node(lexer->c, kind, token_span(lexer)));
}

/* Any other character: a letter, a glyph, a space of Unicode, or nothing that APL knows. */
static void add_other(Lexer *lexer)
{
    uint32_t codepoint = 0;
    AplPrimitive primitive;
    if (!utf8_decode(lexer->start, (size_t)(lexer->limit - lexer->start), &codepoint)) {
        add_invalid(lexer); /* a surrogate: reported by check_encoding */
    } else if (is_letter(codepoint)) {
        skip_name(lexer);
        add_name(lexer, APL_NAME);
    } else if (find_glyph(lexer->start, (size_t)(lexer->cursor - lexer->start), &primitive)) {
        add_glyph(lexer, primitive);
    } else if (utf8proc_category((utf8proc_int32_t)codepoint) != UTF8PROC_CATEGORY_ZS) {
        bool control = codepoint < ' ' || (codepoint >= 0x7F && codepoint < 0xA0);
        bool shown = !control && codepoint_width(codepoint) > 0;
        diagnostics_add(lexer->c->diagnostics, token_span(lexer), "SYNTAX ERROR",
                        "%s%s%.*s%s (U+%04X)", control ? "control character" : "unknown character",
                        shown ? " '" : "", shown ? (int)(lexer->cursor - lexer->start) : 0, lexer->start,
                        shown ? "'" : "", (unsigned)codepoint);
        add_invalid(lexer);
    }
}

/* ---- the automaton --------------------------------------------------------------------------- */

/* Reads one token (or white space, or a comment); false at the end of the file. */
static bool next_token(Lexer *lexer)
{
    const char *YYMARKER;
    lexer->start = lexer->cursor;
    /*!re2c
        re2c:define:YYCTYPE = "unsigned char";
        re2c:define:YYCURSOR = lexer->cursor;
        re2c:define:YYLIMIT = lexer->limit;
        re2c:yyfill:enable = 0;
        re2c:eof = 0;

        digits    = [0-9]+;
        magnitude = digits ("." [0-9]*)? | "." digits;
        real      = "¯"? magnitude ([eE] "¯"? digits)?;

        $                         { return false; }
        [ \t\r\v\f]+              { return true; }
        "\r"* "\n" | "⋄" | "◊"    { add_token(lexer, APL_TOKEN_SEPARATOR, NULL); return true; }
        "⍝"                       { lexer->cursor = line_end(lexer, lexer->cursor); return true; }

        real ([jJ] real)?         { add_number(lexer); return true; }
        "¯"                       { add_error(lexer, "'¯' stands directly before a digit; to negate, use '-'"); return true; }
        ['"]                      { add_string(lexer); return true; }

        [a-zA-Z_$∆⍙]              { skip_name(lexer); add_name(lexer, APL_NAME); return true; }
        "⍺⍺" | "⍵⍵" | "⍺" | "⍵"   { add_name(lexer, APL_NAME); return true; }
        "⎕"                       {
            if (letter_follows(lexer)) {
                skip_name(lexer);
                add_name(lexer, APL_QUAD_NAME);
            } else {
                add_leaf(lexer, APL_QUAD);
            }
            return true;
        }

        "←"                       { add_token(lexer, APL_TOKEN_ARROW, NULL); return true; }
        "("                       { add_token(lexer, APL_TOKEN_OPEN_PAREN, NULL); return true; }
        ")"                       { add_token(lexer, APL_TOKEN_CLOSE_PAREN, NULL); return true; }
        "["                       { add_token(lexer, APL_TOKEN_OPEN_BRACKET, NULL); return true; }
        "]"                       { add_token(lexer, APL_TOKEN_CLOSE_BRACKET, NULL); return true; }
        "{"                       { add_token(lexer, APL_TOKEN_OPEN_BRACE, NULL); return true; }
        "}"                       { add_token(lexer, APL_TOKEN_CLOSE_BRACE, NULL); return true; }
        ";"                       { add_token(lexer, APL_TOKEN_SEMICOLON, NULL); return true; }
        ":"                       { add_token(lexer, APL_TOKEN_COLON, NULL); return true; }
        "⍬"                       { add_leaf(lexer, APL_ZILDE); return true; }
        "∇"                       { add_leaf(lexer, APL_SELF); return true; }

        "*" | "⋆"                 { add_glyph(lexer, APL_POWER); return true; }
        "-" | "−"                 { add_glyph(lexer, APL_MINUS); return true; }
        "∊" | "∈"                 { add_glyph(lexer, APL_EPSILON); return true; }
        "~" | "∼"                 { add_glyph(lexer, APL_TILDE); return true; }
        "|" | "∣"                 { add_glyph(lexer, APL_STILE); return true; }
        "∘" [ \t]* "."            { add_glyph(lexer, APL_OUTER); return true; }
        "∘" [ \t]* "." / [0-9]    { lexer->cursor = lexer->start + strlen("∘"); add_glyph(lexer, APL_JOT); return true; }

        "⊆"                       { add_error(lexer, "⊆ (nest and partition) is not supported; 1 0 1⊂v makes parts that begin at each 1"); return true; }
        "⌶" | "⍠"                 { add_error(lexer, "I-beams (⌶) and variants (⍠) are not supported"); return true; }
        "⍞"                       { add_error(lexer, "reading a line with ⍞ is not supported"); return true; }
        "→"                       { add_error(lexer, "branching with → is not supported; write a guard (c:e) or recursion (∇)"); return true; }
        "∇∇"                      { add_error(lexer, "recursion of an operator (∇∇) is not supported"); return true; }

        [^\x00]                   { add_other(lexer); return true; }
        *                         { add_invalid(lexer); return true; }
    */
}

/* The first line may be for the operating system (#!/usr/bin/env ...). */
static void skip_first_line(Lexer *lexer)
{
    if (lexer->limit - lexer->cursor >= 2 && memcmp(lexer->cursor, "#!", 2) == 0) {
        lexer->cursor = line_end(lexer, lexer->cursor);
    }
}

AplTokens apl_tokenise(Compilation *c, const SourceFile *source)
{
    Lexer lexer = {.c = c, .source = source, .cursor = source->text, .limit = source->text + source->length};
    skip_first_line(&lexer);
    if (check_encoding(&lexer)) {
        while (next_token(&lexer)) {
        }
    }
    lexer.start = lexer.cursor = lexer.limit;
    add_token(&lexer, APL_TOKEN_END, NULL);
    return lexer.tokens;
}
