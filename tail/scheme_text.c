/* The type schemes of builtins.def, text to data.

       "int -> [a]r -> [a](r+1)"   ==>   items  [int]0, [a]r, [a](r+1);  a, r are letters

   A builtin's schemes are read when a compilation first meets it. [TAIL] section 2, figs 1 and 2. */
#include "tail/schemes.h"

#include <ctype.h>

typedef struct Reader {
    Compilation *c;
    const char *at, *whole;
} Reader;

static void skip_spaces(Reader *reader)
{
    while (*reader->at == ' ')
        reader->at++;
}

static bool accept(Reader *reader, const char *text)
{
    skip_spaces(reader);
    size_t length = strlen(text);
    if (strncmp(reader->at, text, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static void expect(Reader *reader, const char *text)
{
    if (!accept(reader, text)) {
        internal_error(reader->c, "builtins.def: '%s' expected at '%s' of '%s'", text, reader->at,
                       reader->whole);
    }
}

/* term = number | letter | '|' letter '|' */
static SchemeTerm read_term(Reader *reader, bool negative)
{
    SchemeTerm term = {.negative = negative, .variable = -1};
    skip_spaces(reader);
    if (isdigit((unsigned char)*reader->at)) {
        while (isdigit((unsigned char)*reader->at)) {
            term.constant = term.constant * 10 + (*reader->at++ - '0');
        }
        return term;
    }
    term.absolute = accept(reader, "|");
    term.variable = *reader->at++ - 'a';
    if (term.absolute)
        expect(reader, "|");
    return term;
}

/* shape = term | '-' term | '(' ['-'] term {('+' | '-') term} ')' */
static void read_shape(Reader *reader, SchemePattern *pattern)
{
    bool grouped = accept(reader, "(");
    bool negative = accept(reader, "-");
    do {
        pattern->terms[pattern->term_count++] = read_term(reader, negative);
        if (!grouped)
            return;
        negative = false;
        if (accept(reader, "-")) {
            negative = true;
        } else if (!accept(reader, "+")) {
            break;
        }
    } while (pattern->term_count < SCHEME_TERMS);
    expect(reader, ")");
}

/* base = 'bool' | 'int' | 'double' | 'complex' | 'char' | letter */
static void read_base(Reader *reader, SchemePattern *pattern)
{
    pattern->base_variable = -1;
    for (int base = TAIL_BOOL; base <= TAIL_CHAR; base++) {
        if (accept(reader, tail_base_text((TailBaseKind)base))) {
            pattern->base = (TailBaseKind)base;
            return;
        }
    }
    skip_spaces(reader);
    pattern->base_variable = *reader->at++ - 'a';
}

/* pattern = '[t]' shape | '[' base ']' shape | '<' base '>' shape | 'S(' base ',' shape ')'
           | 'SV(' base ',' shape ')' | 'any' | 't' | base */
static SchemePattern read_pattern(Reader *reader)
{
    SchemePattern pattern = {.kind = TAIL_ARRAY};
    if (accept(reader, "any") || accept(reader, "t")) {
        pattern.whole = true;
    } else if (accept(reader, "[t]")) {
        pattern.lifted = true;
        read_shape(reader, &pattern);
    } else if (accept(reader, "[")) {
        read_base(reader, &pattern);
        expect(reader, "]");
        read_shape(reader, &pattern);
    } else if (accept(reader, "<")) {
        pattern.kind = TAIL_VECTOR;
        read_base(reader, &pattern);
        expect(reader, ">");
        read_shape(reader, &pattern);
    } else if (accept(reader, "S(") || accept(reader, "SV(")) {
        pattern.kind = reader->at[-2] == 'V' ? TAIL_SINGLE_VECTOR : TAIL_SINGLE;
        read_base(reader, &pattern);
        expect(reader, ",");
        read_shape(reader, &pattern);
        expect(reader, ")");
    } else {
        read_base(reader, &pattern);
        pattern.terms[pattern.term_count++] = (SchemeTerm){.variable = -1};
    }
    return pattern;
}

/* item = '(' pattern {'->' pattern} ')' | pattern */
static SchemeItem read_item(Reader *reader)
{
    SchemeItem item = {.function = accept(reader, "(")};
    do {
        item.patterns[item.count++] = read_pattern(reader);
    } while (item.function && item.count < SCHEME_PATTERNS && accept(reader, "->"));
    if (item.function)
        expect(reader, ")");
    return item;
}

/* scheme = item {'->' item} */
static Scheme read_scheme(Reader *reader)
{
    SchemeItem items[SCHEME_ITEMS];
    int count = 0;
    do {
        items[count++] = read_item(reader);
    } while (count < SCHEME_ITEMS && accept(reader, "->"));
    return (Scheme){count, arena_copy(reader->c->arena, items, (size_t)count * sizeof(SchemeItem))};
}

struct TailSchemes {
    Schemes *of[TAIL_OP_COUNT]; /* NULL: not read yet */
};

const Schemes *tail_schemes(Compilation *c, TailBuiltin builtin)
{
    if (c->tail_schemes == NULL) {
        c->tail_schemes = ARENA_NEW(c->arena, struct TailSchemes);
    }
    Schemes **schemes = &c->tail_schemes->of[builtin];
    if (*schemes != NULL) {
        return *schemes;
    }
    *schemes = ARENA_NEW(c->arena, Schemes);
    const char *text = tail_builtin_scheme(builtin);
    Reader reader = {c, text, text};
    do {
        vec_push(c->arena, *schemes, read_scheme(&reader));
    } while (accept(&reader, ";"));
    if (*reader.at)
        internal_error(c, "builtins.def: ';' expected at '%s'", reader.at);
    return *schemes;
}

const Scheme *tail_general_scheme(Compilation *c, TailBuiltin builtin)
{
    const Schemes *schemes = tail_schemes(c, builtin);
    return &schemes->items[schemes->count - 1];
}
