/* Tokens and trees as text, for tests and `tailor emit --to=tokens|tree`.

       m←(+/÷≢)v   ==>   1:1 name m
                         1:2 arrow ←
                         1:3 ( ...
                   ==>   (assign m (monadic (fork (derived / +) ÷ ≢) v))

   One line a token or statement. Bools print as 0 and 1, ints as APL writes them (an int 0 or 1 as
   0i or 1i), doubles always with a point or an exponent; an elided index is _. Raw nodes print as
   (seq ...), (paren ...), (brackets ...) and ←; a dfn as (dfn ...) or, an operator, (op1 ...) (op2
   ...). */
#include "apl/classes.h"
#include "apl/tokens.h"
#include "apl/grammar.h"

#include <inttypes.h>
#include <math.h>

/* ---- leaves ---------------------------------------------------------------------------------- */

/* As APL writes it: ¯ for minus, no plus and no leading zeros in an exponent. */
static void print_double(Text *out, double value)
{
    if (signbit(value))
        text_string(out, "¯");
    bool exponent = false;
    for (const char *byte = text_of_double(out->arena, fabs(value)); *byte; byte++) {
        exponent = exponent || *byte == 'e';
        bool leading = exponent && *byte == '0' && (byte[-1] < '0' || byte[-1] > '9');
        if (*byte == '-') {
            text_string(out, "¯");
        } else if (*byte != '+' && !(leading && byte[1])) {
            text_char(out, *byte);
        }
    }
}

static void print_int(Text *out, int64_t value)
{
    if (value < 0) {
        text_printf(out, "¯%" PRIu64, -(uint64_t)value);
    } else {
        text_printf(out, "%" PRId64 "%s", value, value < 2 ? "i" : "");
    }
}

/* The quote is doubled; control characters are named, so that a token stays on its line. */
static void print_character(Text *out, uint32_t codepoint, uint32_t quote)
{
    if (codepoint < ' ' || codepoint == 0x7F) {
        text_printf(out, "<%02X>", (unsigned)codepoint);
        return;
    }
    if (codepoint == quote)
        text_codepoint(out, quote);
    text_codepoint(out, codepoint);
}

static void print_string(Text *out, const AplNode *string)
{
    text_char(out, '"');
    for (size_t i = 0; i < string->as.string.length; i++) {
        print_character(out, string->as.string.codepoints[i], '"');
    }
    text_char(out, '"');
}

/* ---- trees ----------------------------------------------------------------------------------- */

static void print_node(Text *out, const AplNode *node);

static void print_list(Text *out, const char *head, const AplNode *node)
{
    text_printf(out, "(%s", head);
    for (size_t i = 0; i < node->count; i++) {
        text_char(out, ' ');
        if (node->items[i]) {
            print_node(out, node->items[i]);
        } else {
            text_char(out, '_');
        }
    }
    text_char(out, ')');
}

/* (OPERATOR LEFT RIGHT): the head tells how many operands there are. */
static void print_derived(Text *out, const AplNode *node)
{
    text_string(out, "(derived ");
    for (size_t i = 0; i < 3; i++) {
        if (!node->items[i])
            continue;
        if (i > 0)
            text_char(out, ' ');
        print_node(out, node->items[i]);
    }
    text_char(out, ')');
}

static void print_assign(Text *out, const AplNode *node)
{
    switch (node->class) {
    case APL_CLASS_FUNCTION: print_list(out, "assign-function", node); break;
    case APL_CLASS_MONADIC_OPERATOR:
    case APL_CLASS_DYADIC_OPERATOR: print_list(out, "assign-operator", node); break;
    case APL_CLASS_UNKNOWN:
    case APL_CLASS_ARRAY:
    case APL_CLASS_HYBRID:
    case APL_CLASS_ERROR: print_list(out, "assign", node); break;
    }
}

static void print_dfn(Text *out, const AplNode *node)
{
    const char *head = node->class == APL_CLASS_MONADIC_OPERATOR  ? "op1"
                       : node->class == APL_CLASS_DYADIC_OPERATOR ? "op2"
                                                                  : "dfn";
    print_list(out, head, node);
}

static void print_node(Text *out, const AplNode *node)
{
    switch (node->kind) {
    case APL_BOOL: text_char(out, node->as.integer ? '1' : '0'); break;
    case APL_INT: print_int(out, node->as.integer); break;
    case APL_DOUBLE: print_double(out, node->as.real); break;
    case APL_COMPLEX:
        print_double(out, node->as.complex.real);
        text_char(out, 'J');
        print_double(out, node->as.complex.imaginary);
        break;
    case APL_CHAR:
        text_char(out, '\'');
        print_character(out, node->as.character, '\'');
        text_char(out, '\'');
        break;
    case APL_STRING: print_string(out, node); break;
    case APL_ZILDE: text_string(out, "⍬"); break;
    case APL_NAME:
    case APL_QUAD_NAME: text_string(out, node->as.text); break;
    case APL_QUAD: text_string(out, "⎕"); break;
    case APL_GLYPH: text_string(out, apl_primitive_glyph(node->as.primitive)); break;
    case APL_SELF: text_string(out, "∇"); break;
    case APL_DFN: print_dfn(out, node); break;
    case APL_SEQUENCE: print_list(out, "seq", node); break;
    case APL_PAREN: print_list(out, "paren", node); break;
    case APL_BRACKETS: print_list(out, "brackets", node); break;
    case APL_ASSIGN_ARROW: text_string(out, "←"); break;
    case APL_STRAND: print_list(out, "strand", node); break;
    case APL_MONADIC: print_list(out, "monadic", node); break;
    case APL_DYADIC: print_list(out, "dyadic", node); break;
    case APL_INDEX: print_list(out, "index", node); break;
    case APL_ASSIGN: print_assign(out, node); break;
    case APL_MODIFY: print_list(out, "modify", node); break;
    case APL_DERIVED: print_derived(out, node); break;
    case APL_AXIS: print_list(out, "axis", node); break;
    case APL_FORK: print_list(out, "fork", node); break;
    case APL_ATOP: print_list(out, "atop", node); break;
    case APL_GUARD: print_list(out, "guard", node); break;
    case APL_DEFAULT: print_list(out, "default", node); break;
    case APL_ERROR: print_list(out, "error", node); break;
    }
}

void apl_print_tree(Compilation *c, Text *out, const AplNode *node)
{
    (void)c;
    print_node(out, node);
}

/* ---- programs -------------------------------------------------------------------------------- */

/* The names of the program so far. */
typedef struct Scope {
    Compilation *c;
    NameClasses names;
} Scope;

static AplClass class_of(void *context, const char *name)
{
    const Scope *scope = context;
    if (strncmp(name, "⎕", strlen("⎕")) == 0)
        return apl_quad_class(name);
    return name_classes_get(&scope->names, name);
}

static void define(Scope *scope, const char *name, AplClass class)
{
    name_classes_set(scope->c->arena, &scope->names, name, class);
}

static void poison(void *context, const char *name)
{
    define(context, name, APL_CLASS_ERROR);
}

/* The names of (a (b c))←.. */
static void define_targets(Scope *scope, const AplNode *strand)
{
    for (size_t i = 0; i < strand->count; i++) {
        if (strand->items[i]->kind == APL_STRAND)
            define_targets(scope, strand->items[i]);
        else
            define(scope, strand->items[i]->as.text, APL_CLASS_ARRAY);
    }
}

/* Records the names that a bound statement assigns. */
static void define_assigned(Scope *scope, const AplNode *node)
{
    if (node->kind == APL_DFN)
        return;
    if (node->kind == APL_ASSIGN) {
        const AplNode *target = node->items[0];
        if (target->kind == APL_NAME)
            define(scope, target->as.text, node->class);
        if (target->kind == APL_STRAND)
            define_targets(scope, target);
    }
    for (size_t i = node->count; i-- > 0;) {
        if (node->items[i])
            define_assigned(scope, node->items[i]);
    }
}

void apl_print_program(Compilation *c, Text *out, const SourceFile *source)
{
    const AplProgram *program = apl_parse(c, source);
    Scope scope = {.c = c};
    for (size_t i = 0; i < program->count; i++) {
        const AplNode *bound = apl_bind(c, program->statements[i], class_of, NULL, &scope);
        if (bound) {
            define_assigned(&scope, bound);
            print_node(out, bound);
            text_char(out, '\n');
        } else {
            apl_assigned_names(program->statements[i], poison, &scope);
        }
    }
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static const char *const leaf_kinds[] = {
    [APL_BOOL] = "bool",           [APL_INT] = "int",     [APL_DOUBLE] = "double",
    [APL_COMPLEX] = "complex",     [APL_CHAR] = "char",   [APL_STRING] = "string",
    [APL_ZILDE] = "zilde",         [APL_NAME] = "name",   [APL_QUAD] = "quad",
    [APL_QUAD_NAME] = "quad-name", [APL_GLYPH] = "glyph", [APL_SELF] = "self",
};

static const char *token_kind(const AplToken *token)
{
    switch (token->kind) {
    case APL_TOKEN_LEAF: return leaf_kinds[token->leaf->kind];
    case APL_TOKEN_ARROW: return "arrow";
    case APL_TOKEN_OPEN_PAREN: return "open-paren";
    case APL_TOKEN_CLOSE_PAREN: return "close-paren";
    case APL_TOKEN_OPEN_BRACKET: return "open-bracket";
    case APL_TOKEN_CLOSE_BRACKET: return "close-bracket";
    case APL_TOKEN_OPEN_BRACE: return "open-brace";
    case APL_TOKEN_CLOSE_BRACE: return "close-brace";
    case APL_TOKEN_SEMICOLON: return "semicolon";
    case APL_TOKEN_COLON: return "colon";
    case APL_TOKEN_SEPARATOR: return "separator";
    case APL_TOKEN_INVALID: return "invalid";
    default: return "end";
    }
}

/* Advances `*line` and `*column` over the bytes [from, to). */
static void count_places(const SourceFile *source, size_t from, size_t to, unsigned *line,
                         unsigned *column)
{
    for (size_t i = from; i < to; i++) {
        if (source->text[i] == '\n') {
            (*line)++;
            *column = 1;
        } else if (((unsigned char)source->text[i] & 0xC0) != 0x80) {
            (*column)++;
        }
    }
}

void apl_print_tokens(Compilation *c, Text *out, const SourceFile *source)
{
    AplTokens tokens = apl_tokenise(c, source);
    unsigned line = 1, column = 1;
    size_t place = 0;
    for (size_t i = 0; i < tokens.count; i++) {
        const AplToken *token = &tokens.items[i];
        count_places(source, place, token->start, &line, &column);
        place = token->start;
        text_printf(out, "%u:%u %s", line, column, token_kind(token));
        if (token->kind == APL_TOKEN_LEAF) {
            text_char(out, ' ');
            print_node(out, token->leaf);
        }
        text_char(out, '\n');
    }
}
