/* Literals: what a number or a string as written denotes.

       ¯5 2.5 1E10 3J4   ==>   INT -5, DOUBLE 2.5, DOUBLE 1e10, COMPLEX 3 4
       0 1               ==>   BOOL (they serve as integers wherever those are wanted)
       'it''s' 'x' "x"   ==>   STRING of 4, CHAR, STRING of 1

   An integer that has more digits than the program's int holds is a double, as in APL. */
#include "apl/tokens.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A number being read: the text from `at` on. */
typedef struct Reader {
    Compilation *c;
    const char *at, *end;
    const char *fault;
} Reader;

typedef struct Part {
    bool is_int;
    int64_t integer;
    double real; /* also of an int */
} Part;

static bool is_exponent(char byte)
{
    return byte == 'e' || byte == 'E';
}

/* One real number, up to the end or a J. The lexer has checked its form: this copies it with C's
   minus sign and has strtod and strtoll read the copy. */
static Part read_part(Reader *reader)
{
    Text text = text_create(reader->c->arena);
    bool is_int = true;
    for (; reader->at < reader->end && *reader->at != 'j' && *reader->at != 'J'; reader->at++) {
        if ((unsigned char)*reader->at == 0xC2) { /* ¯ is C2 AF */
            text_char(&text, '-');
            reader->at++;
        } else {
            text_char(&text, *reader->at);
            is_int = is_int && *reader->at != '.' && !is_exponent(*reader->at);
        }
    }
    Part part = {.is_int = is_int, .real = strtod(text_get(&text), NULL)};
    if (isinf(part.real))
        reader->fault = "number too large for a double:";
    if (is_int) {
        errno = 0;
        part.integer = strtoll(text_get(&text), NULL, 10);
        bool narrow = reader->c->options.int_bits == 32;
        if (errno == ERANGE || (narrow && part.integer != (int32_t)part.integer))
            part.is_int = false;
    }
    return part;
}

AplNode *apl_number(Compilation *c, Span span, const char **fault)
{
    const char *text = span.file->text + span.start;
    size_t length = span.end - span.start;
    Reader reader = {c, text, text + length, NULL};
    Part first = read_part(&reader), second = {0};
    bool is_complex = reader.at < reader.end;
    if (is_complex) {
        reader.at++;
        second = read_part(&reader);
    }
    if (reader.fault) {
        *fault = reader.fault;
        return NULL;
    }
    AplNode *node;
    if (is_complex) {
        node = apl_node(c, APL_COMPLEX, span);
        node->as.complex.real = first.real;
        node->as.complex.imaginary = second.real;
    } else if (first.is_int) {
        bool is_bool = length == 1 && (*text == '0' || *text == '1');
        node = apl_node(c, is_bool ? APL_BOOL : APL_INT, span);
        node->as.integer = first.integer;
    } else {
        node = apl_node(c, APL_DOUBLE, span);
        node->as.real = first.real;
    }
    node->class = APL_CLASS_ARRAY;
    return node;
}

AplNode *apl_string(Compilation *c, Span span)
{
    const char *text = span.file->text + span.start, *end = span.file->text + span.end - 1;
    char quote = *text++;
    uint32_t *codepoints = ARENA_ARRAY(c->arena, uint32_t, end - text + 1);
    size_t count = 0;
    while (text < end) {
        uint32_t codepoint;
        size_t length = utf8_decode(text, (size_t)(end - text), &codepoint);
        if (!length) { /* reported by the lexer */
            length = 1;
            codepoint = 0xFFFD;
        } else if (codepoint == (unsigned char)quote) {
            length = 2;
        } else if (codepoint == '\r' &&
                   text[1] == '\n') { /* a string over lines has plain line ends */
            length = 2;
            codepoint = '\n';
        }
        codepoints[count++] = codepoint;
        text += length;
    }
    bool is_char = count == 1 && quote == '\'';
    AplNode *node = apl_node(c, is_char ? APL_CHAR : APL_STRING, span);
    node->class = APL_CLASS_ARRAY;
    if (is_char) {
        node->as.character = codepoints[0];
    } else {
        node->as.string.codepoints = codepoints;
        node->as.string.length = count;
    }
    return node;
}
