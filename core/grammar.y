/* Core's text form, tokens to programs (bison). docs/core.md gives the same grammar for people.

       function ::= [entry] fun f [n, ...] (x : t, ...) : (t, ...) = body
       body     ::= let (x : t, ...) = <c, ...> exp ... in (a, ...)

   Each rule calls one action of parse.c. A name is looked up where it stands; the names of a pattern
   come into scope after their statement, so a scope is a mark in the parser's undo list. After an
   error the parser goes on at the next statement or function. */
%code requires {
#include "core/parse.h"
}
%code {
#include "core/lexer.h"

#define core_yylex core_lex
static void core_yyerror(Span *span, CoreParser *p, const char *message);
static int resume(CoreParser *p, int token, int depth, CORE_YYSTYPE *value, Span *span);

#define YYLLOC_DEFAULT(current, rhs, n) \
    ((current) = (n) ? span_join(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, n)) \
                     : (Span){YYRHSLOC(rhs, 0).file, YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end})
#define YYMAXDEPTH 1000000
#define ITEM(list, item) vec_push(p->c->arena, (list), (item))
/* After an error: on to the next statement of the body whose braces are `depth` deep; with NO_BODY to
   the next function. */
#define RESUME(depth)                                                                               \
    do {                                                                                            \
        int token = yychar == CORE_TOKEN_CORE_YYEMPTY ? core_yylex(&yylval, &yylloc, p) : yychar;        \
        yychar = resume(p, token, (depth), &yylval, &yylloc);                                       \
        yyerrok;                                                                                    \
    } while (0)
#define NO_BODY (-NESTING_LIMIT - 2)
#define NEW(Type) ARENA_NEW(p->c->arena, Type)
}

%define api.pure full
%define api.prefix {core_yy}
%define api.token.prefix {CORE_TOKEN_}
%define api.location.type {Span}
%define parse.error custom
%define parse.lac full
%locations
%param {CoreParser *p}

%union {
    const char *text;
    CoreAtom atom;
    CorePrim prim;
    CoreOperator op;
    bool flag;
    ParseMark mark;
    CorePlace place;
    SoacHead head;
    CoreSlice slice;
    RawType type;
    RawBinding binding;
    NameList names;
    CoreName *name;
    AtomList *atoms;
    SliceList *slices;
    AxisList *axis_numbers;
    int axis_number;
    StmList *stms;
    RawTypeList *types;
    RawBindingList *bindings;
    RawSizeList *sizes;
    struct OperatorLists *operators;
    const CoreBody *body;
    const CoreStm *stm;
    const CoreLambda *lambda;
    const CoreExp *exp;
}
%code provides {
/* The reductions and scans that follow a general SOAC. */
typedef struct OperatorLists {
    ReductionList reductions, scans;
} OperatorLists;
}

%token END 0 "end of the program"
%token <text> NAME "name" STRING "string" PLACE "'@'"
%token <atom> INTEGER "integer" CONSTANT "constant"
%token <prim> PRIM "type"
%token <op> SYMBOL "operator" PREFIX1 "operator word" PREFIX2 "operator word of two"
%token ARROW "'->'" BECOMES "'<-'" TAKE "':+'"
%token FUN "'fun'" ENTRY "'entry'" LET "'let'" IN "'in'" TRUE_WORD "'true'" FALSE_WORD "'false'" CERTAIN "'certain'"
%token IF "'if'" THEN "'then'" ELSE "'else'" LOOP "'loop'" FOR "'for'" WHILE "'while'" DO "'do'" WITH "'with'"
%token CONVERT "'convert'" ASSERT "'assert'" STAGE "'stage'" CONJOIN "'conjoin'" IOTA "'iota'" REPLICATE "'replicate'"
%token SCRATCH "'scratch'" COPY "'copy'" REARRANGE "'rearrange'" RESHAPE "'reshape'" CYCLE "'cycle'"
%token ROTATE "'rotate'" REVERSE "'reverse'" CONCAT "'concat'" PAD "'pad'"
%token SOAC "'soac'" MAP "'map'" REDUCE "'reduce'" REDUCE_COMM "'reduce_comm'" SCAN "'scan'" SCAN_COMM "'scan_comm'"
%token REDOMAP "'redomap'" REDOMAP_COMM "'redomap_comm'" FILTER "'filter'" COMPACT "'compact'" SCATTER "'scatter'" HIST "'hist'"
%token ORDER "'order'" DIGIT_SORT "'digit_sort'"
%token STREAM_MAP "'stream_map'" STREAM_MAP_COMM "'stream_map_comm'" STREAM_RED "'stream_red'"
%token STREAM_RED_COMM "'stream_red_comm'" STREAM_SEQ "'stream_seq'"
%token PRINT "'print'" PRINT_COMPLEX "'print_complex'" READ "'read'" READ_CSV "'read_csv'" READ_NPY "'read_npy'" ARGUMENT "'argument'" NOW "'now'" DRAWS "'draws'" SEED "'seed'"
%token SEED_NOW "'seed_now'" PRECISION "'precision'" PRECISION_NOW "'precision_now'" DEVICE "'device'" BENCH "'bench'" FORMAT "'format'" FORMAT_COMPLEX "'format_complex'"

%type <flag> kind reduce_word redomap_word stream_map_word stream_red_word
%type <text> function_name
%type <mark> mark
%type <atom> atom
%type <atoms> atoms atom_list certificates sizes
%type <op> infix
%type <slice> axis
%type <slices> axes
%type <axis_number> axis_number
%type <axis_numbers> axis_numbers axis_number_list
%type <type> type result
%type <sizes> extents
%type <types> types type_list results result_list lambda_types
%type <binding> binding loop_binding size_name
%type <bindings> bindings binding_list size_names size_name_list loop_bindings loop_binding_list
%type <place> places
%type <head> head
%type <operators> operators
%type <stms> stms
%type <body> body block
%type <stm> stm
%type <lambda> lambda
%type <exp> exp control making view soac effect

%%

program: functions ;

functions: %empty | functions function ;

function:
    kind function_name mark size_names '(' bindings ')' ':' '(' results ')' '=' <names>{
        $$ = core_parse_bind_parameters(p, $size_names, $bindings);
    } body {
        core_parse_function(p, $kind, $function_name, $size_names->count, $13, $results, $body,
                            span_join(@kind, @11));
        core_parse_close(p, $mark);
    }
|   kind error { core_parse_close_all(p); RESUME(NO_BODY); }
|   ENTRY error { core_parse_close_all(p); RESUME(NO_BODY); }
|   error { core_parse_close_all(p); RESUME(NO_BODY); }
;
kind: FUN { $$ = false; } | ENTRY FUN { $$ = true; } ;
size_names: %empty { $$ = NEW(RawBindingList); } | '[' size_name_list ']' { $$ = $2; } ;
size_name_list:
    size_name { $$ = NEW(RawBindingList); ITEM($$, $size_name); }
|   size_name_list ',' size_name { $$ = $1; ITEM($$, $size_name); }
;
size_name: NAME { $$ = (RawBinding){.lexeme = $NAME, .span = @NAME, .type = {.prim = CORE_I64}}; } ;
function_name: NAME | STRING ;
mark: %empty { $$ = core_parse_scope(p); } ;

/* ---- bodies ---- */

body: stms IN '(' atoms ')' { $$ = core_parse_body(p, $stms, $atoms); } ;
block: '{' body '}' { $$ = $body; } ;
stms: %empty { $$ = NEW(StmList); } | stms stm { $$ = $1; if ($stm) ITEM($$, $stm); } ;

stm:
    LET mark '(' bindings ')' '=' certificates exp {
        $$ = core_parse_stm(p, $bindings, $certificates, $exp, @$);
    }
|   LET mark '(' bindings ')' '=' error {
        core_parse_close(p, $mark);
        core_parse_bind_all(p, $bindings);
        RESUME($mark.depth);
        $$ = NULL;
    }
|   LET mark error { RESUME($mark.depth); $$ = NULL; }
;
certificates: %empty { $$ = NEW(AtomList); } | '<' atom_list '>' { $$ = $atom_list; } ;

lambda:
    '(' '\\' mark '(' bindings ')' lambda_types ARROW <names>{ $$ = core_parse_bind_all(p, $bindings); } block ')' {
        $$ = core_parse_lambda(p, $9, $lambda_types, $block, @$);
        core_parse_close(p, $mark);
    }
;
lambda_types: %empty { $$ = NULL; } | ':' '(' types ')' { $$ = $types; } ;

/* ---- types and bindings ---- */

type:
    extents PRIM { $$ = (RawType){.prim = $PRIM, .sizes = *$extents}; }
|   '*' extents PRIM { $$ = (RawType){.prim = $PRIM, .unique = true, .sizes = *$extents}; }
;
extents:
    %empty { $$ = NEW(RawSizeList); }
|   extents '[' NAME ']' { $$ = $1; ITEM($$, ((RawSize){.lexeme = $NAME, .span = @NAME})); }
|   extents '[' INTEGER ']' { $$ = $1; ITEM($$, ((RawSize){.constant = $INTEGER, .span = @INTEGER})); }
;
types: %empty { $$ = NEW(RawTypeList); } | type_list ;
type_list: type { $$ = NEW(RawTypeList); ITEM($$, $type); } | type_list ',' type { $$ = $1; ITEM($$, $type); } ;
result: type | '?' PRIM { $$ = core_parse_size_result(p, $PRIM, @$); } ;
results: %empty { $$ = NEW(RawTypeList); } | result_list ;
result_list: result { $$ = NEW(RawTypeList); ITEM($$, $result); } | result_list ',' result { $$ = $1; ITEM($$, $result); } ;
binding: NAME ':' type { $$ = (RawBinding){.lexeme = $NAME, .span = @NAME, .type = $type}; } ;
bindings: %empty { $$ = NEW(RawBindingList); } | binding_list ;
binding_list:
    binding { $$ = NEW(RawBindingList); ITEM($$, $binding); }
|   binding_list ',' binding { $$ = $1; ITEM($$, $binding); }
;
loop_binding: binding '=' atom { $$ = $binding; $$.initial = $atom; } ;
loop_bindings: %empty { $$ = NEW(RawBindingList); } | loop_binding_list ;
loop_binding_list:
    loop_binding { $$ = NEW(RawBindingList); ITEM($$, $loop_binding); }
|   loop_binding_list ',' loop_binding { $$ = $1; ITEM($$, $loop_binding); }
;

/* ---- atoms ---- */

atom:
    NAME { $$ = core_parse_name(p, $NAME, @NAME); }
|   INTEGER
|   CONSTANT
|   TRUE_WORD { $$ = core_bool(true); }
|   FALSE_WORD { $$ = core_bool(false); }
|   CERTAIN { $$ = (CoreAtom){.prim = CORE_CERT}; }
;
atoms: %empty { $$ = NEW(AtomList); } | atom_list ;
atom_list: atom { $$ = NEW(AtomList); ITEM($$, $atom); } | atom_list ',' atom { $$ = $1; ITEM($$, $atom); } ;
sizes: '[' atoms ']' { $$ = $atoms; } ;
axis_number: INTEGER { $$ = core_parse_axis(p, $INTEGER.as.integer, @INTEGER); } ;
axis_numbers: %empty { $$ = NEW(AxisList); } | axis_number_list ;
axis_number_list:
    axis_number { $$ = NEW(AxisList); ITEM($$, $axis_number); }
|   axis_number_list ',' axis_number { $$ = $1; ITEM($$, $axis_number); }
;
axis:
    atom { $$ = (CoreSlice){.fixed = true, .offset = $atom, .count = core_i64(1), .stride = core_i64(1)}; }
|   atom[offset] TAKE atom[count] '*' atom[stride] { $$ = (CoreSlice){.offset = $offset, .count = $count, .stride = $stride}; }
;
axes: axis { $$ = NEW(SliceList); ITEM($$, $axis); } | axes ',' axis { $$ = $1; ITEM($$, $axis); } ;

/* ---- expressions ---- */

exp: control | making | view | soac | effect ;

infix: SYMBOL | '<' { $$ = CORE_LT; } | '>' { $$ = CORE_GT; } | '*' { $$ = CORE_MUL; } ;

control:
    atom { $$ = core_parse_atom(p, CORE_EXP_ATOM, $atom); }
|   atom[x] infix atom[y] { $$ = core_parse_scalar(p, $infix, $x, $y); }
|   PREFIX1 atom { $$ = core_parse_scalar(p, $PREFIX1, $atom, core_bool(false)); }
|   PREFIX2 atom[x] atom[y] { $$ = core_parse_scalar(p, $PREFIX2, $x, $y); }
|   CONVERT PRIM atom { $$ = core_parse_convert(p, $PRIM, $atom); }
|   IF places atom THEN mark block[yes] { core_parse_close(p, $mark); } ELSE block[no] {
        core_parse_close(p, $mark);
        $$ = core_parse_if(p, $places, $atom, $yes, $no);
    }
|   LOOP mark '(' loop_bindings ')' FOR NAME '<' atom DO
        <names>{ $$ = core_parse_bind_all(p, $loop_bindings); }
        <name>{ $$ = core_parse_bind_index(p, $NAME, @NAME); } block {
        core_parse_close(p, $mark);
        $$ = core_parse_for(p, $loop_bindings, $11, $12, $atom, $block);
    }
|   LOOP mark '(' loop_bindings ')' WHILE NAME DO
        <names>{ $$ = core_parse_bind_all(p, $loop_bindings); }
        <atom>{ $$ = core_parse_name(p, $NAME, @NAME); } block {
        core_parse_close(p, $mark);
        $$ = core_parse_while(p, $loop_bindings, $9, $10, $block);
    }
|   NAME '(' atoms ')' { $$ = core_parse_apply(p, $NAME, $atoms); }
|   STRING '(' atoms ')' { $$ = core_parse_apply(p, $STRING, $atoms); }
|   ASSERT atom STRING[error] STRING[message] '(' atoms ')' {
        $$ = core_parse_assert(p, $atom, $error, @error, $message, $atoms);
    }
|   ASSERT atom STRING[error] STRING[message] '(' atoms ')' STAGE INTEGER {
        $$ = core_parse_stage(p, core_parse_assert(p, $atom, $error, @error, $message, $atoms), $INTEGER, @INTEGER);
    }
|   CONJOIN '(' atoms ')' { $$ = core_parse_items(p, CORE_EXP_CONJOIN, $atoms); }
;

places: %empty { $$ = (CorePlace){0}; } | places PLACE { $$ = core_parse_place(p, $1, $PLACE, @PLACE); } ;

making:
    atom[array] WITH '[' axes ']' BECOMES atom[value] { $$ = core_parse_update(p, $array, $axes, $value); }
|   '[' atom_list ']' { $$ = core_parse_items(p, CORE_EXP_LITERAL, $atom_list); }
|   IOTA atom { CoreExp *e = core_parse_exp(p, CORE_EXP_IOTA); e->as.count = $atom; $$ = e; }
|   REPLICATE places sizes atom { $$ = core_parse_replicate(p, $places, $sizes, $atom); }
|   SCRATCH places sizes PRIM { $$ = core_parse_scratch(p, $places, $sizes, $PRIM); }
|   COPY places atom { $$ = core_parse_copy(p, $places, $atom); }
;

view:
    atom '[' axes ']' { $$ = core_parse_slice(p, $atom, $axes); }
|   REARRANGE '(' axis_numbers ')' atom { $$ = core_parse_rearrange(p, $axis_numbers, $atom, @$); }
|   RESHAPE sizes atom { $$ = core_parse_reshape(p, $sizes, $atom); }
|   CYCLE atom[count] atom[fill] atom[array] { $$ = core_parse_cycle(p, $count, $fill, $array); }
|   ROTATE axis_number atom[amount] atom[array] { $$ = core_parse_rotate(p, $axis_number, $amount, $array); }
|   REVERSE axis_number atom { $$ = core_parse_reverse(p, $axis_number, $atom); }
|   CONCAT axis_number '(' atom_list ')' { $$ = core_parse_concat(p, $axis_number, $atom_list); }
|   PAD axis_number atom[before] atom[after] atom[fill] atom[array] {
        $$ = core_parse_pad(p, $axis_number, $before, $after, $fill, $array);
    }
;

head: places atom '(' atoms ')' { $$ = (SoacHead){$places, $atom, $atoms}; } ;
reduce_word: REDUCE { $$ = false; } | REDUCE_COMM { $$ = true; } ;
redomap_word: REDOMAP { $$ = false; } | REDOMAP_COMM { $$ = true; } ;
stream_map_word: STREAM_MAP { $$ = false; } | STREAM_MAP_COMM { $$ = true; } ;
stream_red_word: STREAM_RED { $$ = false; } | STREAM_RED_COMM { $$ = true; } ;
operators:
    %empty { $$ = NEW(OperatorLists); }
|   operators reduce_word lambda '(' atoms ')' {
        $$ = $1;
        ITEM(&$$->reductions, core_parse_operator(p, $lambda, $atoms, $reduce_word, @$));
    }
|   operators SCAN lambda '(' atoms ')' { $$ = $1; ITEM(&$$->scans, core_parse_operator(p, $lambda, $atoms, false, @$)); }
|   operators SCAN_COMM lambda '(' atoms ')' { $$ = $1; ITEM(&$$->scans, core_parse_operator(p, $lambda, $atoms, true, @$)); }
;

soac:
    MAP head lambda { $$ = core_parse_soac(p, $head, $lambda, NULL, NULL, @$); }
|   SOAC head lambda operators { $$ = core_parse_soac(p, $head, $lambda, &$operators->reductions, &$operators->scans, @$); }
|   reduce_word head lambda '(' atoms ')' {
        ReductionList one = {0};
        ITEM(&one, core_parse_operator(p, $lambda, $atoms, $reduce_word, @$));
        $$ = core_parse_soac(p, $head, NULL, &one, NULL, @$);
    }
|   redomap_word head lambda[map] lambda[op] '(' atoms ')' {
        ReductionList one = {0};
        ITEM(&one, core_parse_operator(p, $op, $atoms, $redomap_word, @$));
        $$ = core_parse_soac(p, $head, $map, &one, NULL, @$);
    }
|   SCAN head lambda '(' atoms ')' {
        ReductionList one = {0};
        ITEM(&one, core_parse_operator(p, $lambda, $atoms, false, @$));
        $$ = core_parse_soac(p, $head, NULL, NULL, &one, @$);
    }
|   FILTER head lambda { $$ = core_parse_filter(p, CORE_EXP_FILTER, $head, $lambda); }
|   COMPACT head lambda { $$ = core_parse_filter(p, CORE_EXP_COMPACT, $head, $lambda); }
|   SCATTER head atom '(' atoms ')' { $$ = core_parse_scatter(p, $head, $atom, $atoms, NULL, NULL, @$); }
|   HIST head atom '(' atoms[values] ')' lambda '(' atoms[neutral] ')' {
        $$ = core_parse_scatter(p, $head, $atom, $values, $lambda, $neutral, @$);
    }
|   ORDER atom { $$ = core_parse_order(p, $atom); }
|   DIGIT_SORT atom[digit] atom[array] { $$ = core_parse_digit_sort(p, $digit, $array); }
|   stream_map_word head lambda {
        $$ = core_parse_stream(p, CORE_EXP_STREAM_MAP, $stream_map_word, $head, NULL, $lambda, NULL, @$);
    }
|   stream_red_word head lambda[reduce] lambda[fold] '(' atoms ')' {
        $$ = core_parse_stream(p, CORE_EXP_STREAM_RED, $stream_red_word, $head, $reduce, $fold, $atoms, @$);
    }
|   STREAM_SEQ head lambda '(' atoms ')' {
        $$ = core_parse_stream(p, CORE_EXP_STREAM_SEQ, false, $head, NULL, $lambda, $atoms, @$);
    }
;

effect:
    PRINT atom { $$ = core_parse_atom(p, CORE_EXP_PRINT, $atom); }
|   PRINT_COMPLEX atom { $$ = core_parse_atom(p, CORE_EXP_PRINT_COMPLEX, $atom); }
|   READ PRIM atom { $$ = core_parse_read(p, CORE_FILE_TEXT, $PRIM, 1, $atom); }
|   READ_CSV PRIM atom { $$ = core_parse_read(p, CORE_FILE_CSV, $PRIM, 2, $atom); }
|   READ_NPY PRIM axis_number atom { $$ = core_parse_read(p, CORE_FILE_NPY, $PRIM, $axis_number, $atom); }
|   ARGUMENT PRIM STRING atom { $$ = core_parse_argument(p, $PRIM, $STRING, $atom); }
|   NOW { $$ = core_parse_atom(p, CORE_EXP_NOW, core_i64(0)); }
|   DRAWS atom { $$ = core_parse_atom(p, CORE_EXP_DRAWS, $atom); }
|   SEED atom { $$ = core_parse_atom(p, CORE_EXP_SEED, $atom); }
|   SEED_NOW { $$ = core_parse_atom(p, CORE_EXP_SEED_NOW, core_i64(0)); }
|   BENCH atom[iterations] atom[milliseconds] '(' atoms ')' {
        $$ = core_parse_bench(p, $iterations, $milliseconds, $atoms);
    }
|   PRECISION atom { $$ = core_parse_atom(p, CORE_EXP_PRECISION, $atom); }
|   PRECISION_NOW { $$ = core_parse_atom(p, CORE_EXP_PRECISION_NOW, core_i64(0)); }
|   DEVICE STRING { $$ = core_parse_device(p, $STRING); }
|   FORMAT atom[how] atom[array] { $$ = core_parse_format(p, $how, $array, false); }
|   FORMAT_COMPLEX atom[how] atom[array] { $$ = core_parse_format(p, $how, $array, true); }
;

%%

/* Memory exhaustion is what remains for it to say: see the function below. */
static void core_yyerror(Span *span, CoreParser *p, const char *message)
{
    core_parse_error(p, *span, "LIMIT ERROR", "%s", message);
}

/* The first token from which parsing can go on: a statement or the end of the body that is `depth` braces
   deep, a function, or the end. */
static int resume(CoreParser *p, int token, int depth, CORE_YYSTYPE *value, Span *span)
{
    for (;; token = core_yylex(value, span, p)) {
        bool statement = token == CORE_TOKEN_LET || token == CORE_TOKEN_IN;
        if (token == CORE_TOKEN_END || token == CORE_TOKEN_FUN || token == CORE_TOKEN_ENTRY ||
            (statement && p->depth <= depth) || (token == '}' && p->depth < depth)) {
            return token;
        }
    }
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

/* "unexpected 'in', expected name or ')'": the expected tokens only where they are few. */
static int yyreport_syntax_error(const yypcontext_t *context, CoreParser *p)
{
    enum { FEW = 4 };
    if (p->stopped) {
        return 0;
    }
    yysymbol_kind_t expected[FEW];
    int count = yypcontext_expected_tokens(context, NULL, 0);
    Text text = text_create(p->c->arena);
    text_string(&text, "unexpected ");
    describe_token(&text, context);
    if (count > 0 && count <= FEW) {
        count = yypcontext_expected_tokens(context, expected, FEW);
        for (int i = 0; i < count; i++) {
            text_string(&text, i == 0 ? ", expected " : i + 1 < count ? ", " : " or ");
            text_string(&text, yysymbol_name(expected[i]));
        }
    }
    core_parse_error(p, *yypcontext_location(context), "SYNTAX ERROR", "%s", text_get(&text));
    return 0;
}
