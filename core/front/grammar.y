/* The front form's grammar, tokens to trees (bison). docs/core.md gives the same grammar for people.

       definition ::= def f (x : t) ... : t = exp
       exp        ::= let x = exp ... in exp | if ... | loop ... | \x -> exp | exp op exp | f x ...

   What is open to its right (let, if, loop, \, with) goes as far to the right as it can. An
   expression that begins with `let` (block) is kept apart from the others (open), so that a chain of
   bindings is one list, however long: after `in` comes no block but one more binding of the same.
   The rules have no conflicts: LOW says that an operand goes on as long as operators follow.
   After an error the parser goes on at the next binding or definition. */
%code requires {
#include "core/front/parse.h"
}
%code {
#include "core/front/lexer.h"

#define front_yylex front_lex
static void front_yyerror(Span *span, FrontParser *p, const char *message);
static int resume(FrontParser *p, int token, int depth, FRONT_YYSTYPE *value, Span *span);

#define YYLLOC_DEFAULT(current, rhs, n) \
    ((current) = (n) ? span_join(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, n)) \
                     : (Span){YYRHSLOC(rhs, 0).file, YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end})
#define YYMAXDEPTH 1000000
#define NEW(Type) ARENA_NEW(p->c->arena, Type)
#define ITEM(list, item) vec_push(p->c->arena, (list), (item))
/* After an error: on to the next binding where `depth` brackets are open; with NO_BINDING to the next
   definition. */
#define RESUME(depth)                                                                               \
    do {                                                                                            \
        int token = yychar == FRONT_TOKEN_FRONT_YYEMPTY ? front_yylex(&yylval, &yylloc, p) : yychar;     \
        yychar = resume(p, token, (depth), &yylval, &yylloc);                                       \
        yyerrok;                                                                                    \
    } while (0)
#define NO_BINDING (-NESTING_LIMIT - 2)
}

%define api.pure full
%define api.prefix {front_yy}
%define api.token.prefix {FRONT_TOKEN_}
%define api.location.type {Span}
%define parse.error custom
%define parse.lac full
%locations
%param {FrontParser *p}

%union {
    const char *text;
    FrontLiteral literal;
    CorePrim prim;
    FrontOperator infix;
    FrontPlace place;
    int64_t position;
    int depth;
    bool flag;
    FrontSize size;
    FrontSizeList *sizes;
    FrontDeepType type;
    FrontTypeList *types;
    const FrontPattern *pattern;
    FrontPatternList *patterns;
    FrontLoopItem loop_item;
    FrontLoopItemList *loop_items;
    FrontIndex index;
    FrontIndexList *indices;
    const FrontBinding *binding;
    FrontBindingList *bindings;
    const FrontExp *exp;
    FrontExpList *exps;
}

%token END 0 "end of the program"
%token <text> NAME "name" STRING "string" PLACE "'@'"
%token <literal> LITERAL "constant" LEAST "number"
%token <position> COMPONENT "component"
%token <prim> PRIM "type"
%token <depth> LET "'let'"
%token DEF "'def'" ENTRY "'entry'" FUN "'fun'" IN "'in'" IF "'if'" THEN "'then'" ELSE "'else'" LOOP "'loop'"
%token FOR "'for'" WHILE "'while'" DO "'do'" WITH "'with'" ASSERT "'assert'" TRUE "'true'" FALSE "'false'"
%token ANY "'_'" ARROW "'->'" BECOMES "'<-'" TAKE "':+'" PIPE "'|>'" TIGHT "'[' of an index" NOT "'!'"
%token <infix> EITHER "'||'" BOTH "'&&'" COMPARISON "comparison" LESS "'<'" BITS_OR "'|'" BITS_XOR "'^'" BITS_AND "'&'"
%token <infix> SHIFT "shift" SUM "'+'" MINUS "'-'" STAR "'*'" PRODUCT "'/'" POWER "'**'"
%token BRACE "brace"

%type <flag> head
%type <type> type row
%type <types> types
%type <size> size
%type <sizes> sizes
%type <pattern> pattern typed_pattern
%type <patterns> patterns pattern_list definition_parameters
%type <type> annotation
%type <loop_item> loop_item
%type <loop_items> loop_items loop_head
%type <index> index
%type <indices> indices
%type <binding> binding
%type <bindings> bindings
%type <exp> exp block open unary application callable atom initial optional
%type <exps> call items
%type <infix> operator operator_not_minus
%type <place> placed

%precedence LOW
%left WITH
%left PIPE
%left EITHER
%left BOTH
%nonassoc COMPARISON LESS
%left BITS_OR
%left BITS_XOR
%left BITS_AND
%left SHIFT
%left SUM MINUS
%left STAR PRODUCT
%right POWER

%%

program: definitions ;

definitions: %empty | definitions definition ;

definition:
    head NAME definition_parameters annotation '=' exp {
        FrontFunction *function = arena_copy(p->c->arena,
            front_parse_function(p, $NAME, @NAME, $definition_parameters, $annotation.type, $exp,
                                 span_join(@head, @annotation)), sizeof *function);
        function->is_entry = $head;
        front_parse_definition(p, function);
    }
|   head error { RESUME(NO_BINDING); }
|   error { RESUME(NO_BINDING); }
;
head: DEF { $$ = false; } | ENTRY { $$ = true; } ;
definition_parameters:
    %empty { $$ = NEW(FrontPatternList); }
|   definition_parameters pattern { $$ = $1; ITEM($$, $pattern); }
;

/* ---- types and patterns ---- */

type:
    sizes row { $$ = front_parse_array_type(p, false, $sizes, $row, @$); }
|   STAR sizes row { $$ = front_parse_array_type(p, true, $sizes, $row, @$); }
;
row:
    PRIM { $$ = front_parse_scalar_type(p, $PRIM, @$); }
|   '(' ')' { $$ = front_parse_tuple_type(p, NEW(FrontTypeList), @$); }
|   '(' types ')' { $$ = front_parse_tuple_type(p, $types, @$); }
;
types: type { $$ = NEW(FrontTypeList); ITEM($$, $type); } | types ',' type { $$ = $1; ITEM($$, $type); } ;
sizes: %empty { $$ = NEW(FrontSizeList); } | sizes bracket size ']' { $$ = $1; ITEM($$, $size); $$->items[$$->count - 1].span = span_join(@bracket, @4); } ;
bracket: '[' | TIGHT ;
size:
    %empty { $$ = (FrontSize){.kind = FRONT_SIZE_ANY}; }
|   NAME { $$ = (FrontSize){.kind = FRONT_SIZE_NAME, .name = $NAME}; }
|   LITERAL { $$ = front_parse_size(p, $LITERAL, @LITERAL); }
;
annotation: %empty { $$ = (FrontDeepType){0}; } | ':' type { $$ = $type; } ;

pattern:
    NAME { $$ = front_parse_name_pattern(p, $NAME, @$); }
|   ANY { $$ = front_parse_name_pattern(p, NULL, @$); }
|   '(' ')' { $$ = front_parse_tuple_pattern(p, NEW(FrontPatternList), @$); }
|   '(' pattern_list ')' { $$ = front_parse_tuple_pattern(p, $pattern_list, @$); }
;
typed_pattern: pattern annotation { $$ = front_parse_typed(p, $pattern, $annotation.type, @$); } ;
pattern_list:
    typed_pattern { $$ = NEW(FrontPatternList); ITEM($$, $typed_pattern); }
|   pattern_list ',' typed_pattern { $$ = $1; ITEM($$, $typed_pattern); }
;
patterns: pattern { $$ = NEW(FrontPatternList); ITEM($$, $pattern); } | patterns pattern { $$ = $1; ITEM($$, $pattern); } ;

/* ---- bindings ---- */

bindings:
    binding { $$ = NEW(FrontBindingList); if ($binding) ITEM($$, $binding); }
|   bindings binding { $$ = $1; if ($binding) ITEM($$, $binding); }
|   bindings IN binding { $$ = $1; if ($binding) ITEM($$, $binding); }
;
binding:
    LET typed_pattern '=' exp {
        $$ = front_parse_binding(p, (FrontBinding){.kind = FRONT_LET, .span = @$, .pattern = $typed_pattern, .value = $exp});
    }
|   LET NAME patterns annotation '=' exp {
        $$ = front_parse_binding(p, (FrontBinding){.kind = FRONT_LET_FUNCTION, .span = @$,
            .function = front_parse_function(p, $NAME, @NAME, $patterns, $annotation.type, $exp, span_join(@LET, @annotation))});
    }
|   LET NAME bracket indices ']' '=' exp {
        $$ = front_parse_binding(p, (FrontBinding){.kind = FRONT_LET_UPDATE, .span = @$, .name = $NAME, .name_span = @NAME,
            .index_count = $indices->count, .indices = $indices->items, .value = $exp});
    }
|   LET error { RESUME($LET); $$ = NULL; }
;

/* ---- expressions ---- */

exp: block | open %prec LOW ;
block: bindings IN open %prec LOW { $$ = front_parse_block(p, $bindings, $open, @$); } ;

open:
    unary
|   open[x] PIPE open[f] { $$ = front_parse_pipe(p, $x, $f, @$); }
|   open[x] EITHER open[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] EITHER block[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] BOTH open[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] BOTH block[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] COMPARISON open[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] COMPARISON block[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] LESS open[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] LESS block[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] BITS_OR open[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] BITS_OR block[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] BITS_XOR open[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] BITS_XOR block[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] BITS_AND open[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] BITS_AND block[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] SHIFT open[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] SHIFT block[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] SUM open[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] SUM block[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] MINUS open[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] MINUS block[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] STAR open[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] STAR block[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] PRODUCT open[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] PRODUCT block[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] POWER open[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[x] POWER block[y] { $$ = front_parse_binary(p, $2, $x, $y, @$); }
|   open[array] WITH '[' indices ']' becomes open[value] %prec WITH { $$ = front_parse_index(p, $array, $indices, $value, @$); }
|   open[array] WITH '[' indices ']' becomes block[value] { $$ = front_parse_index(p, $array, $indices, $value, @$); }
|   IF exp[condition] THEN exp[yes] ELSE exp[no] { $$ = front_parse_if(p, $condition, $yes, $no, @$); }
|   LOOP loop_head FOR NAME LESS exp[bound] DO exp[body] {
        $$ = front_parse_loop(p, FRONT_FOR_LESS, $loop_head, front_parse_name_pattern(p, $NAME, @NAME), $bound, $body, @$);
    }
|   LOOP loop_head FOR pattern IN exp[array] DO exp[body] {
        $$ = front_parse_loop(p, FRONT_FOR_IN, $loop_head, $pattern, $array, $body, @$);
    }
|   LOOP loop_head WHILE exp[condition] DO exp[body] {
        $$ = front_parse_loop(p, FRONT_WHILE, $loop_head, NULL, $condition, $body, @$);
    }
|   '\\' patterns annotation ARROW exp {
        $$ = front_parse_lambda(p, $patterns, $annotation.type, $exp, span_join(@1, @ARROW), @$);
    }
;
becomes: '=' | BECOMES ;

loop_head:
    NAME annotation initial {
        FrontLoopItem item = {front_parse_typed(p, front_parse_name_pattern(p, $NAME, @NAME), $annotation.type, @$), $initial};
        $$ = NEW(FrontLoopItemList);
        ITEM($$, item);
    }
|   '(' loop_items ')' initial { $$ = front_parse_loop_head(p, $loop_items, $initial, span_join(@1, @3)); }
;
loop_items: loop_item { $$ = NEW(FrontLoopItemList); ITEM($$, $loop_item); } | loop_items ',' loop_item { $$ = $1; ITEM($$, $loop_item); } ;
loop_item: typed_pattern initial { $$ = (FrontLoopItem){$typed_pattern, $initial}; } ;
initial: %empty { $$ = NULL; } | '=' exp { $$ = $exp; } ;

unary:
    application
|   MINUS unary[x] { $$ = front_parse_unary(p, CORE_NEG, $x, @$); }
|   MINUS LEAST { $$ = front_parse_literal(p, $LEAST, @$); }
|   NOT unary[x] { $$ = front_parse_unary(p, CORE_NOT, $x, @$); }
;

application: callable | ASSERT atom callable { $$ = front_parse_assert(p, $atom, $callable, @$); } ;
callable:
    atom
|   call { $$ = front_parse_apply(p, $call, @$); }
;
/* The function and its arguments. */
call:
    atom[f] atom[x] { $$ = NEW(FrontExpList); ITEM($$, $f); ITEM($$, $x); }
|   call[before] atom { $$ = $before; ITEM($$, $atom); }
;

atom:
    NAME { $$ = front_parse_name(p, $NAME, @NAME); }
|   placed { $$ = front_parse_placed(p, $placed, @$); }
|   PRIM { $$ = front_parse_prim(p, $PRIM, @$); }
|   LITERAL { $$ = front_parse_literal(p, $LITERAL, @$); }
|   TRUE { $$ = front_parse_literal(p, (FrontLiteral){core_bool(true), false}, @$); }
|   FALSE { $$ = front_parse_literal(p, (FrontLiteral){core_bool(false), false}, @$); }
|   STRING { $$ = front_parse_string(p, $STRING, @$); }
|   '(' ')' { $$ = front_parse_items(p, FRONT_TUPLE, NEW(FrontExpList), @$); }
|   '(' exp ')' { $$ = $exp; }
|   '(' exp ',' items ')' { $$ = front_parse_tuple(p, $exp, $items, @$); }
|   '(' operator ')' { $$ = front_parse_section(p, $operator, NULL, NULL, @$); }
|   '(' operator_not_minus exp ')' { $$ = front_parse_section(p, $operator_not_minus, NULL, $exp, @$); }
|   '(' open operator ')' { $$ = front_parse_section(p, $operator, $open, NULL, @$); }
|   '[' ']' { $$ = front_parse_items(p, FRONT_ARRAY, NEW(FrontExpList), @$); }
|   '[' items ']' { $$ = front_parse_items(p, FRONT_ARRAY, $items, @$); }
|   atom[array] TIGHT indices ']' { $$ = front_parse_index(p, $array, $indices, NULL, @$); }
|   atom[tuple] COMPONENT { $$ = front_parse_component(p, $tuple, $COMPONENT, @$); }
;
placed:
    NAME PLACE { $$ = front_parse_place(p, (FrontPlace){.text = $NAME}, $PLACE, @PLACE); }
|   placed[before] PLACE { $$ = front_parse_place(p, $before, $PLACE, @PLACE); }
;
items: exp { $$ = NEW(FrontExpList); ITEM($$, $exp); } | items ',' exp { $$ = $1; ITEM($$, $exp); } ;

operator: operator_not_minus | MINUS ;
operator_not_minus:
    EITHER | BOTH | COMPARISON | LESS | BITS_OR | BITS_XOR | BITS_AND | SHIFT | SUM | STAR | PRODUCT | POWER ;

indices: index { $$ = NEW(FrontIndexList); ITEM($$, $index); } | indices ',' index { $$ = $1; ITEM($$, $index); } ;
index:
    exp { $$ = (FrontIndex){.span = @$, .position = $exp}; }
|   optional[from] ':' optional[to] { $$ = (FrontIndex){.span = @$, .is_range = true, .from = $from, .to = $to}; }
|   optional[from] ':' optional[to] ':' exp[step] {
        $$ = (FrontIndex){.span = @$, .is_range = true, .from = $from, .to = $to, .step = $step};
    }
;
optional: %empty { $$ = NULL; } | exp ;

%%

/* Memory exhaustion is what remains for it to say: see the function below. */
static void front_yyerror(Span *span, FrontParser *p, const char *message)
{
    (void)message;
    front_parse_too_deep(p, *span);
}

/* The first token from which parsing can go on: a binding or the `in` after it where `depth` brackets are
   open, the bracket that closes around them, a definition, or the end. The `in` of `for x in xs` is none.
   Where such a word itself is the error, a bracket before it was not closed. */
static int resume(FrontParser *p, int token, int depth, FRONT_YYSTYPE *value, Span *span)
{
    bool in_for = false;
    if (depth >= 0 && p->depth > depth && (token == FRONT_TOKEN_LET || token == FRONT_TOKEN_IN)) {
        p->depth = depth;
        value->depth = depth;
    }
    for (;; token = front_yylex(value, span, p)) {
        bool here = p->depth <= depth;
        if (token == FRONT_TOKEN_END || token == FRONT_TOKEN_DEF || token == FRONT_TOKEN_ENTRY ||
            (token == FRONT_TOKEN_LET && here) || (token == FRONT_TOKEN_IN && here && !in_for) ||
            ((token == ')' || token == ']') && p->depth < depth)) {
            p->resumed_at = span->start;
            p->has_resumed = true;
            return token;
        }
        in_for = token == FRONT_TOKEN_FOR || (in_for && token != FRONT_TOKEN_IN && token != FRONT_TOKEN_LESS);
    }
}

/* What the token itself says about how it came there, or NULL. */
static const char *advice(yysymbol_kind_t unexpected, bool after_operand)
{
    if (after_operand && strcmp(yysymbol_name(unexpected), "'='") == 0) {
        return "unexpected '='; equality is ==";
    }
    switch ((int)unexpected) {
    case YYSYMBOL_FUN:
        return "'fun' is of the internal form; in this form, definitions begin with 'def' or 'entry'";
    case YYSYMBOL_BRACE: return "there are no braces in this form: a body is an expression";
    case YYSYMBOL_TAKE: return "a slice is written from:to or from:to:step in this form";
    case YYSYMBOL_LEAST: return "this number is too large; only with a minus before it would it not be";
    case YYSYMBOL_COMPARISON:
    case YYSYMBOL_LESS: return after_operand ? "comparisons do not chain: write a < b && b < c" : NULL;
    default: return NULL;
    }
}

/* Which expected tokens are worth telling; those that begin an expression are told as one, and those
   that continue one are too many. */
static bool is_structure(const char *symbol)
{
    static const char *const names[] = {"'in'", "'then'", "'else'", "'for'", "'while'", "'do'", "'->'", "')'", "']'",
                                        "','",  "'='",    "':'",    "name",  "'<'",  "'<-'", "'['", "'def'"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(symbol, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool contains(const yysymbol_kind_t *symbols, int count, yysymbol_kind_t symbol)
{
    for (int i = 0; i < count; i++) {
        if (symbols[i] == symbol) {
            return true;
        }
    }
    return false;
}

/* The names of what may stand here instead. */
typedef VEC(const char *) Words;

static Words expected_words(FrontParser *p, const yysymbol_kind_t *expected, int count)
{
    Words words = {0};
    bool expression = contains(expected, count, YYSYMBOL_IF), operand = contains(expected, count, YYSYMBOL_MINUS);
    bool type = contains(expected, count, YYSYMBOL_PRIM) && !expression && !operand;
    if (expression || type) {
        vec_push(p->c->arena, &words, expression ? "an expression" : "a type");
    }
    for (int i = 0; i < count; i++) {
        const char *name = yysymbol_name(expected[i]);
        bool of_expression = expected[i] == YYSYMBOL_NAME || strcmp(name, "'['") == 0;
        bool of_operator = expected[i] == YYSYMBOL_LESS;
        if (is_structure(name) && !(of_expression && (expression || operand || type)) && !(of_operator && operand)) {
            vec_push(p->c->arena, &words, expected[i] == YYSYMBOL_NAME ? "a name" : name);
        }
    }
    return words;
}

/* The token as it is written; strings and the end of the program by their names. */
static void describe_token(Text *text, const yypcontext_t *context)
{
    enum { LONG = 40 };
    yysymbol_kind_t token = yypcontext_token(context);
    Span span = *yypcontext_location(context);
    int length = (int)(span.end - span.start);
    if (token == YYSYMBOL_STRING || length == 0 || length > LONG) {
        text_string(text, yysymbol_name(token));
    } else {
        text_printf(text, "'%.*s'", length, span.file->text + span.start);
    }
}

/* "unexpected 'then', expected an expression": the expected tokens only where they are few. An error
   where parsing just went on is part of the one before. */
static int yyreport_syntax_error(const yypcontext_t *context, FrontParser *p)
{
    enum { FEW = 5 };
    const Span *span = yypcontext_location(context);
    if (p->stopped || (p->has_resumed && span->start == p->resumed_at)) {
        return 0;
    }
    yysymbol_kind_t expected[YYNTOKENS], unexpected = yypcontext_token(context);
    int count = yypcontext_expected_tokens(context, expected, YYNTOKENS);
    const char *message = advice(unexpected, contains(expected, count, YYSYMBOL_PIPE));
    if (message) {
        front_parse_error(p, *span, "SYNTAX ERROR", "%s", message);
        return 0;
    }
    Text text = text_create(p->c->arena);
    text_string(&text, "unexpected ");
    describe_token(&text, context);
    Words words = expected_words(p, expected, count);
    for (size_t i = 0; words.count <= FEW && i < words.count; i++) {
        text_string(&text, i == 0 ? ", expected " : i + 1 < words.count ? ", " : " or ");
        text_string(&text, words.items[i]);
    }
    front_parse_error(p, *span, "SYNTAX ERROR", "%s", text_get(&text));
    return 0;
}
