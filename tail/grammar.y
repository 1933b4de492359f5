/* TAIL files, tokens to raw expressions (bison). docs/tail.md gives the same grammar for people.

       exp ::= let v : type = exp in ... exp  |  fn v : type => exp  |  op{[b, ...],[n, ...]}(exp, ...)
             | [exp, ...]  |  (exp, ...)  |  Prj(k, exp)  |  if exp then exp else exp  |  v  |  constant

   A chain of lets is a list, so that it may have any length. Each rule calls one action of parse.c. A
   name is looked up where it stands; a variable comes into scope behind its let, so a scope is a mark in
   the parser's undo list. After an error inside a let the parser goes on behind the `in` of that let, and
   its name is bound all the same; where a let follows a value, only the `in` is missing. What follows a
   chain of lets in error does not hide the errors of the lets. */
%code requires {
#include "tail/parse.h"
}
%code {
#include "tail/lexer.h"

#define tail_yylex tail_lex
static void tail_yyerror(Span *span, TailParser *p, const char *message);
static int resume(TailParser *p, int token, LetMark mark, TAIL_YYSTYPE *value, Span *span);
static bool is_name(TailParser *p, int token);

#define YYLLOC_DEFAULT(current, rhs, n) \
    ((current) = (n) ? span_join(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, n)) \
                     : (Span){YYRHSLOC(rhs, 0).file, YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end})
#define YYMAXDEPTH 1000000
#define ITEM(list, item) vec_push(p->c->arena, (list), (item))
#define NEW(Type) ARENA_NEW(p->c->arena, Type)
#define NEXT() (yychar == TAIL_TOKEN_TAIL_YYEMPTY ? tail_yylex(&yylval, &yylloc, p) : yychar)
/* After an error: on to what follows the `in` of the let at `mark`. */
#define RESUME(mark)                                                                                \
    do {                                                                                            \
        yychar = resume(p, NEXT(), (mark), &yylval, &yylloc);                                       \
        yyerrok;                                                                                    \
    } while (0)
}

%define api.pure full
%define api.prefix {tail_yy}
%define api.token.prefix {TAIL_TOKEN_}
%define api.location.type {Span}
%define parse.error custom
%define parse.lac full
%locations
%param {TailParser *p}

%union {
    const char *text;
    RawInteger integer;
    const TailExp *value;
    LetMark mark;
    size_t scope;
    TailBase base;
    TailShape shape;
    const TailType *type;
    RawVariable *variable;
    RawExp *exp;
    RawLet let;
    RawInstance instance;
    RawList *exps;
    RawLetList *lets;
    TypeList *types;
    BaseList *bases;
    NumberList *numbers;
}

%token END 0 "end of the program"
%token <text> NAME "name" BASE_VARIABLE "type variable" SHAPE_VARIABLE "shape variable"
%token <integer> INTEGER "integer"
%token <value> CONSTANT "constant"
%token <mark> LET "'let'"
%token IN "'in'" FN "'fn'" IF "'if'" THEN "'then'" ELSE "'else'" PRJ "'Prj'" GIVES "'=>'" ARROW "'->'"

%type <scope> scope
%type <exp> exp simple
%type <exps> exps exp_list
%type <let> let unclosed
%type <lets> lets open_lets
%type <type> type
%type <types> types
%type <base> base
%type <shape> shape
%type <instance> instance
%type <bases> bases base_list
%type <numbers> numbers number_list

%%

program:
    exp { p->program = $exp; }
|   scope lets error {
        p->program = tail_parse_chain(p, $lets, tail_parse_value(p, NULL, @error), @$);
        for (yychar = NEXT(); yychar != TAIL_TOKEN_END;) yychar = tail_yylex(&yylval, &yylloc, p);
        yyerrok;
    }
;

/* ---- lets ---- */

exp:
    simple
|   scope lets simple { $$ = tail_parse_chain(p, $lets, $simple, @$); tail_parse_close(p, $scope); }
;
scope: %empty { $$ = tail_parse_scope(p); } ;
lets:
    let { $$ = NEW(RawLetList); ITEM($$, $let); }
|   lets let { $$ = $1; ITEM($$, $let); }
|   open_lets let { $$ = $1; ITEM($$, $let); }
;
open_lets:
    unclosed { $$ = NEW(RawLetList); ITEM($$, $unclosed); }
|   lets unclosed { $$ = $1; ITEM($$, $unclosed); }
|   open_lets unclosed { $$ = $1; ITEM($$, $unclosed); }
;

let:
    LET NAME ':' type '=' exp IN {
        $$ = (RawLet){tail_parse_bind(p, $NAME, $type, span_join(@NAME, @type)), $exp};
    }
|   LET NAME ':' type '=' error {
        tail_parse_close(p, $LET.undo);
        $$ = (RawLet){tail_parse_bind(p, $NAME, $type, span_join(@NAME, @type)), NULL};
        RESUME($LET);
    }
|   LET NAME error {
        tail_parse_close(p, $LET.undo);
        $$ = (RawLet){tail_parse_bind(p, $NAME, NULL, @NAME), NULL};
        RESUME($LET);
    }
|   LET error {
        tail_parse_close(p, $LET.undo);
        $$ = (RawLet){0};
        if (is_name(p, yychar)) yychar = TAIL_TOKEN_TAIL_YYEMPTY;
        RESUME($LET);
    }
;

/* Before another let only. */
unclosed:
    LET NAME ':' type '=' exp {
        $$ = (RawLet){tail_parse_bind(p, $NAME, $type, span_join(@NAME, @type)), $exp};
        tail_parse_error(p, yylloc, "SYNTAX ERROR", "unexpected 'let', expected 'in'");
        tail_lex_restart(p, $LET, &yylval.mark);
    }
;

/* ---- expressions ---- */

simple:
    CONSTANT { $$ = tail_parse_value(p, $CONSTANT, @$); }
|   INTEGER { $$ = tail_parse_int(p, $INTEGER, @$); }
|   NAME { $$ = tail_parse_name(p, $NAME, @$); }
|   NAME instance '(' exps ')' { $$ = tail_parse_call(p, $NAME, @NAME, &$instance, $exps, @$); }
|   PRJ '(' INTEGER ',' exp ')' { $$ = tail_parse_project(p, $INTEGER, $exp, @$); }
|   '[' exps ']' { $$ = tail_parse_items(p, RAW_VECTOR, $exps, @$); }
|   '(' exp ')' { $$ = $exp; }
|   '(' exp_list ',' exp ')' { ITEM($exp_list, $exp); $$ = tail_parse_items(p, RAW_TUPLE, $exp_list, @$); }
|   FN NAME ':' type GIVES scope <variable>{
        $$ = tail_parse_bind(p, $NAME, $type, span_join(@NAME, @type));
    } exp { $$ = tail_parse_lambda(p, $7, $exp, @$); tail_parse_close(p, $scope); }
|   IF exp[condition] THEN exp[yes] ELSE exp[no] { $$ = tail_parse_if(p, $condition, $yes, $no, @$); }
;
exps: %empty { $$ = NEW(RawList); } | exp_list ;
exp_list: exp { $$ = NEW(RawList); ITEM($$, $exp); } | exp_list ',' exp { $$ = $1; ITEM($$, $exp); } ;

/* ---- types ---- */

type:
    '[' base ']' shape { $$ = tail_parse_array_type(p, TAIL_ARRAY, $base, $shape, @$); }
|   '<' base '>' shape { $$ = tail_parse_array_type(p, TAIL_VECTOR, $base, $shape, @$); }
|   NAME '(' base ',' shape ')' { $$ = tail_parse_known_type(p, $NAME, @NAME, $base, $shape, @$); }
|   base { $$ = tail_parse_array_type(p, TAIL_ARRAY, $base, (TailShape){0}, @$); }
|   '(' type ')' { $$ = $2; }
|   '(' types '*' type ')' { ITEM($types, $4); $$ = tail_parse_tuple_type(p, $types); }
|   '(' type[parameter] ')' ARROW type[result] { $$ = tail_parse_function_type(p, $parameter, $result); }
;
types: type { $$ = NEW(TypeList); ITEM($$, $type); } | types '*' type { $$ = $1; ITEM($$, $type); } ;
base: NAME { $$ = tail_parse_base(p, $NAME, @$); } | BASE_VARIABLE { $$ = tail_parse_base_variable(p, $1); } ;
shape: INTEGER { $$ = tail_parse_number(p, $1); } | SHAPE_VARIABLE { $$ = tail_parse_shape_variable(p, $1); } ;

/* ---- instance lists ---- */

instance:
    %empty { $$ = (RawInstance){0}; }
|   '{' '[' bases ']' ',' '[' numbers ']' '}' { $$ = (RawInstance){true, @$, $bases, $numbers}; }
;
bases: %empty { $$ = NEW(BaseList); } | base_list ;
base_list:
    base { $$ = NEW(BaseList); ITEM($$, $base.kind); }
|   base_list ',' base { $$ = $1; ITEM($$, $base.kind); }
;
numbers: %empty { $$ = NEW(NumberList); } | number_list ;
number_list:
    INTEGER { $$ = NEW(NumberList); ITEM($$, $1.huge ? RAW_UNKNOWN : $1.value); }
|   SHAPE_VARIABLE { $$ = NEW(NumberList); ITEM($$, RAW_UNKNOWN); }
|   number_list ',' INTEGER { $$ = $1; ITEM($$, $3.huge ? RAW_UNKNOWN : $3.value); }
|   number_list ',' SHAPE_VARIABLE { $$ = $1; ITEM($$, RAW_UNKNOWN); }
;

%%

/* Memory exhaustion is what remains for it to say: see yyreport_syntax_error. */
static void tail_yyerror(Span *span, TailParser *p, const char *message)
{
    tail_parse_error(p, *span, "LIMIT ERROR", "%s", message);
}

/* The token behind the `in` that belongs to the let at `mark`; or the next let in the same column, where
   the `in` is what is missing; or the end. */
static int resume(TailParser *p, int token, LetMark mark, TAIL_YYSTYPE *value, Span *span)
{
    for (;; token = tail_yylex(value, span, p)) {
        if (token == TAIL_TOKEN_END) {
            p->ended = true;
            return token;
        }
        if (token == TAIL_TOKEN_IN && p->open_lets <= mark.lets) {
            return TAIL_TOKEN_TAIL_YYEMPTY;
        }
        if (token == TAIL_TOKEN_LET && p->begins_line && value->mark.column == mark.column) {
            tail_lex_restart(p, mark, &value->mark);
            return token;
        }
    }
}

/* Whether the token that stands for a let's name is an `in`, which the lexer takes for the let's end. */
static bool is_name(TailParser *p, int token)
{
    if (token == TAIL_TOKEN_IN) {
        tail_lex_reopen(p);
    }
    return token == TAIL_TOKEN_IN;
}

/* What may stand there, into `expected`: a let behind a let's value is an error all the same. */
static int expected_tokens(const yypcontext_t *context, yysymbol_kind_t expected[YYNTOKENS])
{
    int count = yypcontext_expected_tokens(context, expected, YYNTOKENS), kept = 0;
    bool in = false;
    for (int i = 0; i < count; i++) {
        in = in || expected[i] == YYSYMBOL_IN;
    }
    for (int i = 0; i < count; i++) {
        if (!in || expected[i] != YYSYMBOL_LET) {
            expected[kept++] = expected[i];
        }
    }
    return kept;
}

/* "unexpected 'in', expected ',' or ')'": the expected tokens only where they are few. Nothing behind a
   character that was reported already, or at the end when that is where an error led. */
static int yyreport_syntax_error(const yypcontext_t *context, TailParser *p)
{
    enum { FEW = 4 };
    p->syntax_errors++;
    if (p->stopped || p->ended || p->follows_stray) {
        return 0;
    }
    yysymbol_kind_t expected[YYNTOKENS], unexpected = yypcontext_token(context);
    Span span = *yypcontext_location(context);
    int count = expected_tokens(context, expected);
    bool has_text = unexpected == YYSYMBOL_NAME || unexpected == YYSYMBOL_INTEGER ||
                    unexpected == YYSYMBOL_CONSTANT;
    Text text = text_create(p->c->arena);
    text_printf(&text, "unexpected %s", yysymbol_name(unexpected));
    if (has_text) {
        text_printf(&text, " %.*s", (int)(span.end - span.start), p->source->text + span.start);
    }
    for (int i = 0; count <= FEW && i < count; i++) {
        text_string(&text, i == 0 ? ", expected " : i + 1 < count ? ", " : " or ");
        text_string(&text, yysymbol_name(expected[i]));
    }
    tail_parse_error(p, span, "SYNTAX ERROR", "%s", text_get(&text));
    return 0;
}
