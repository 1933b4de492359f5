/* Tokens to trees: statements and nesting only. What a name is decides how a sequence of items reads;
   that is the binder's work (bind.c).

       f←{⍵>0:⍵ ⋄ -⍵}   ==>   (seq f ← (dfn (guard (seq ⍵ > 0) (seq ⍵)) (seq - ⍵)))

   Brackets arrive balanced (nesting.c). After an error the tokens up to the end of the statement, at the
   same depth of braces, are left out and an ERROR node stands for it; so every statement is read. */
%code requires {
#include "apl/tokens.h"

typedef struct AplParser AplParser;
}

%code {
struct AplParser {
    const SourceFile *source;
    AplTokens tokens;
    size_t next;                    /* index of the token that comes next */
    size_t error_start, error_end;  /* tokens of the statement last left out */
    AplProgram *program;
    const char *alpha, *omega, *alpha_alpha, *omega_omega; /* interned */
};

static int apl_yylex(APL_YYSTYPE *value, Span *location, Compilation *c, AplParser *parser);
static void apl_yyerror(Span *location, Compilation *c, AplParser *parser, const char *message);
static AplNodeVec *append(Compilation *c, AplNodeVec *list, AplNode *item);
static AplNodeVec *append_unless_empty(Compilation *c, AplNodeVec *list, AplNode *statement);
static AplNode *list_node(Compilation *c, AplKind kind, Span span, const AplNodeVec *list);
static AplNode *statement_node(Compilation *c, AplParser *parser, AplNode *expression);
static AplNode *dfn_node(Compilation *c, AplParser *parser, Span span, size_t open, const AplNodeVec *list);
static AplNode *error_node(Compilation *c, AplParser *parser);
static AplNode *top_level(Compilation *c, AplNode *statement);

#define YYLLOC_DEFAULT(current, right, count)                                                       \
    ((current) = (count) ? span_join(YYRHSLOC(right, 1), YYRHSLOC(right, count))                    \
                         : (Span){YYRHSLOC(right, 0).file, YYRHSLOC(right, 0).end, YYRHSLOC(right, 0).end})
#define YYMAXDEPTH 1000000
}

%define api.pure full
%define api.prefix {apl_yy}
%define api.token.prefix {APL_TOKEN_}
%define api.location.type {Span}
%define parse.error custom
%define lr.default-reduction consistent /* an error is seen before the statements above it are reduced */
%locations
%param {Compilation *c} {AplParser *parser}
%initial-action { @$ = (Span){parser->source, 0, 0}; }

%union {
    AplNode *node;
    AplNodeVec *list;
    size_t index; /* of a token */
}

%token END 0
%token <node> LEAF
%token ARROW OPEN_PAREN CLOSE_PAREN OPEN_BRACKET CLOSE_BRACKET CLOSE_BRACE
%token <index> OPEN_BRACE
%token SEMICOLON COLON SEPARATOR INVALID

%type <node> statement expression item slot
%type <list> statements items slots

%%

program
    : statements {
        AplNodeVec kept = {0};
        for (size_t i = 0; i < $statements->count; i++) {
            vec_push(c->arena, &kept, top_level(c, $statements->items[i]));
        }
        parser->program->count = kept.count;
        parser->program->statements = kept.items;
    }

statements
    : statement                         { $$ = append_unless_empty(c, NULL, $1); }
    | statements SEPARATOR statement    { $$ = append_unless_empty(c, $1, $3); }

statement
    : %empty                            { $$ = NULL; }
    | expression                        { $$ = statement_node(c, parser, $1); }
    | expression COLON expression {
        AplNode *parts[] = {$1, $3};
        $$ = apl_node_of(c, APL_GUARD, @$, 2, parts);
    }
    | error                             { $$ = error_node(c, parser); yyclearin; yyerrok; }

expression
    : items                             { $$ = list_node(c, APL_SEQUENCE, @$, $1); }

items
    : item                              { $$ = append(c, NULL, $1); }
    | items item                        { $$ = append(c, $1, $2); }
    | items ARROW item {
        $$ = append(c, append(c, $1, apl_node(c, APL_ASSIGN_ARROW, @ARROW)), $3);
    }

item
    : LEAF
    | OPEN_PAREN expression CLOSE_PAREN { $$ = apl_node_of(c, APL_PAREN, @$, 1, &$expression); }
    | OPEN_BRACKET slots CLOSE_BRACKET  { $$ = list_node(c, APL_BRACKETS, @$, $slots); }
    | OPEN_BRACE statements CLOSE_BRACE { $$ = dfn_node(c, parser, @$, $OPEN_BRACE, $statements); }

slots
    : slot                              { $$ = append(c, NULL, $1); }
    | slots SEMICOLON slot              { $$ = append(c, $1, $3); }

slot
    : %empty                            { $$ = NULL; }
    | expression

%%

/* ---- nodes ----------------------------------------------------------------------------------- */

static AplNodeVec *append(Compilation *c, AplNodeVec *list, AplNode *item)
{
    if (!list) list = ARENA_NEW(c->arena, AplNodeVec);
    vec_push(c->arena, list, item);
    return list;
}

/* Empty statements are none. */
static AplNodeVec *append_unless_empty(Compilation *c, AplNodeVec *list, AplNode *statement)
{
    if (statement) return append(c, list, statement);
    return list ? list : ARENA_NEW(c->arena, AplNodeVec);
}

static AplNode *list_node(Compilation *c, AplKind kind, Span span, const AplNodeVec *list)
{
    AplNode *node = apl_node(c, kind, span);
    node->count = list->count;
    node->items = list->items;
    return node;
}

/* ⍺←e as a whole statement gives a default; elsewhere it is an assignment that the binder judges. */
static AplNode *statement_node(Compilation *c, AplParser *parser, AplNode *expression)
{
    AplNode *const *items = expression->items;
    if (expression->count < 3 || items[0]->kind != APL_NAME || items[0]->as.text != parser->alpha ||
        items[1]->kind != APL_ASSIGN_ARROW) {
        return expression;
    }
    Span span = span_join(items[2]->span, expression->span);
    span.start = items[2]->span.start;
    AplNode *value = apl_node(c, APL_SEQUENCE, span);
    value->count = expression->count - 2;
    value->items = items + 2;
    return apl_node_of(c, APL_DEFAULT, expression->span, 1, &value);
}

/* A dfn is classified by the names that occur in it outside nested braces. */
static AplNode *dfn_node(Compilation *c, AplParser *parser, Span span, size_t open, const AplNodeVec *list)
{
    AplNode *node = list_node(c, APL_DFN, span, list);
    const AplToken *tokens = parser->tokens.items;
    for (size_t i = open + 1; i < tokens[open].partner; i++) {
        if (tokens[i].kind == APL_TOKEN_OPEN_BRACE) i = tokens[i].partner;
        if (tokens[i].kind != APL_TOKEN_LEAF) continue;
        const AplNode *leaf = tokens[i].leaf;
        if (leaf->kind == APL_SELF) node->as.dfn.uses_self = true;
        if (leaf->kind != APL_NAME) continue;
        if (leaf->as.text == parser->alpha) node->as.dfn.uses_alpha = true;
        if (leaf->as.text == parser->omega) node->as.dfn.uses_omega = true;
        if (leaf->as.text == parser->alpha_alpha) node->as.dfn.uses_alpha_alpha = true;
        if (leaf->as.text == parser->omega_omega) node->as.dfn.uses_omega_omega = true;
    }
    node->class = node->as.dfn.uses_omega_omega   ? APL_CLASS_DYADIC_OPERATOR
                  : node->as.dfn.uses_alpha_alpha ? APL_CLASS_MONADIC_OPERATOR
                                                  : APL_CLASS_FUNCTION;
    return node;
}

/* Guards and defaults belong in dfns. */
static AplNode *top_level(Compilation *c, AplNode *statement)
{
    if (statement->kind == APL_GUARD) {
        const AplNode *condition = statement->items[0];
        bool label = condition->count == 1 && condition->items[0]->kind == APL_NAME;
        diagnostics_add(c->diagnostics, statement->span, "SYNTAX ERROR",
                        label ? "labels are not supported; a guard (c:e) belongs in a dfn"
                              : "a guard (c:e) belongs in a dfn");
        return apl_node(c, APL_ERROR, statement->span);
    }
    if (statement->kind == APL_DEFAULT) {
        diagnostics_add(c->diagnostics, statement->span, "SYNTAX ERROR", "⍺← belongs in a dfn");
        return apl_node(c, APL_ERROR, statement->span);
    }
    return statement;
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* The token that ends the statement which holds token `index`, at the same depth of braces. */
static size_t statement_end(const AplParser *parser, size_t index)
{
    for (;; index++) {
        switch (parser->tokens.items[index].kind) {
        case APL_TOKEN_OPEN_BRACE: index = parser->tokens.items[index].partner; break;
        case APL_TOKEN_CLOSE_BRACE:
        case APL_TOKEN_SEPARATOR:
        case APL_TOKEN_END: return index;
        default: break;
        }
    }
}

static size_t statement_start(const AplParser *parser, size_t index)
{
    for (; index > 0; index--) {
        const AplToken *before = &parser->tokens.items[index - 1];
        if (before->kind == APL_TOKEN_SEPARATOR || before->kind == APL_TOKEN_OPEN_BRACE) break;
        if (before->kind == APL_TOKEN_CLOSE_BRACE) index = before->partner + 1;
    }
    return index;
}

/* A node in the place of the statement left out, with the names that it would have assigned. */
static AplNode *error_node(Compilation *c, AplParser *parser)
{
    AplNodeVec names = {0};
    const AplToken *tokens = parser->tokens.items;
    size_t start = parser->error_start, end = parser->error_end;
    for (size_t i = start + 1; i < end; i++) {
        if (tokens[i].kind == APL_TOKEN_OPEN_BRACE) i = tokens[i].partner;
        if (tokens[i].kind != APL_TOKEN_ARROW) continue;
        size_t from = i - 1;
        if (tokens[from].kind == APL_TOKEN_CLOSE_PAREN) from = tokens[from].partner;
        for (; from < i; from++) {
            if (tokens[from].kind == APL_TOKEN_LEAF && tokens[from].leaf->kind == APL_NAME) {
                vec_push(c->arena, &names, tokens[from].leaf);
            }
        }
    }
    Span span = {parser->source, tokens[start].start, tokens[end].start};
    return apl_node_of(c, APL_ERROR, span, names.count, names.items);
}

/* What is wrong with a token, by where it stands; NULL where it has been reported. */
static const char *fault_of(const AplParser *parser, size_t index)
{
    const AplToken *token = &parser->tokens.items[index];
    int before = index > parser->error_start ? token[-1].kind : APL_TOKEN_SEPARATOR;
    if (token->kind == APL_TOKEN_INVALID || token->reported) return NULL;
    if (token->kind == APL_TOKEN_ARROW) return "'←' has no name at its left";
    if (before == APL_TOKEN_ARROW) return "'←' has no value at its right";
    if (token->kind == APL_TOKEN_CLOSE_PAREN && before == APL_TOKEN_OPEN_PAREN) {
        return "nothing in parentheses; an empty vector is ⍬";
    }
    if (token->kind == APL_TOKEN_COLON && before == APL_TOKEN_SEPARATOR) {
        return "':' has no condition at its left (control structures are not supported)";
    }
    if (token->kind == APL_TOKEN_COLON) return "':' belongs between a condition and a value, once in a statement";
    if (token->kind == APL_TOKEN_SEMICOLON) return "';' belongs in square brackets";
    if (before == APL_TOKEN_COLON) return "a guard without a value";
    return "it is not expected here";
}

static int yyreport_syntax_error(const yypcontext_t *context, Compilation *c, AplParser *parser)
{
    (void)context;
    size_t index = parser->next - 1;
    parser->error_start = statement_start(parser, index);
    parser->error_end = parser->next = statement_end(parser, index);
    const char *fault = fault_of(parser, index);
    if (fault) {
        const AplToken *token = &parser->tokens.items[index];
        bool at_end = token->kind == APL_TOKEN_SEPARATOR || token->kind == APL_TOKEN_END;
        if (at_end || (index > 0 && token[-1].kind == APL_TOKEN_ARROW && token->kind != APL_TOKEN_ARROW)) {
            token--; /* what lacks its right side */
        }
        Span span = {parser->source, token->start, token->end};
        diagnostics_add(c->diagnostics, span, "SYNTAX ERROR", "%s", fault);
    }
    return 0;
}

/* Called by bison for want of memory alone. */
static void apl_yyerror(Span *location, Compilation *c, AplParser *parser, const char *message)
{
    (void)parser;
    diagnostics_add(c->diagnostics, *location, "LIMIT ERROR", "%s", message);
}

/* ---- entry ----------------------------------------------------------------------------------- */

static int apl_yylex(APL_YYSTYPE *value, Span *location, Compilation *c, AplParser *parser)
{
    (void)c;
    size_t index = parser->next++;
    const AplToken *token = &parser->tokens.items[index];
    *location = (Span){parser->source, token->start, token->end};
    if (token->reported) return APL_TOKEN_INVALID;
    if (token->kind == APL_TOKEN_LEAF) value->node = token->leaf;
    if (token->kind == APL_TOKEN_OPEN_BRACE) value->index = index;
    return token->kind;
}

AplProgram *apl_parse(Compilation *c, const SourceFile *source)
{
    AplParser parser = {.source = source, .tokens = apl_tokenise(c, source)};
    apl_match_brackets(c, source, &parser.tokens);
    parser.program = ARENA_NEW(c->arena, AplProgram);
    parser.alpha = intern(c, "⍺");
    parser.omega = intern(c, "⍵");
    parser.alpha_alpha = intern(c, "⍺⍺");
    parser.omega_omega = intern(c, "⍵⍵");
    apl_yyparse(c, &parser);
    return parser.program;
}
