/* What the TAIL reader's parts share (private to lexer.re, grammar.y, parse.c, bases.c, typing.c).

       lexer.re, grammar.y   characters -> tokens -> raw expressions
       parse.c               names, scopes, numbers of variables; tail_parse itself
       bases.c               base types that the text does not say, by unification
       typing.c              raw expressions -> typed TAIL, with instance lists

   A raw expression is what the text says, names looked up. Types are found afterwards, since the
   element type of `zilde()` may depend on text far behind it. */
#ifndef TAIL_PARSE_H
#define TAIL_PARSE_H

#include "tail/tail.h"

typedef struct RawExp RawExp;
typedef struct BaseTerm BaseTerm;
typedef struct Skeleton Skeleton;

/* A variable of the program. Its annotation may hold type variables ('b3, 'r3). */
typedef struct RawVariable {
    const char *lexeme;
    Span span;                  /* name and type */
    const TailType *annotation; /* NULL where the text had an error */
    bool has_number;            /* v12 has the number 12 */
    unsigned number;
    Skeleton *skeleton;     /* bases.c */
    TailVariable *variable; /* typing.c; NULL where its type is not known after an error */
    const TailExp *literal; /* the vector literal that it is bound to; or NULL */
    bool failed;            /* its value had an error */
    size_t functions;       /* typing.c: so many functions of lets are around it */
} RawVariable;

typedef struct RawLet {
    RawVariable *variable;
    RawExp *value; /* NULL where the text had an error */
} RawLet;

typedef VEC(RawExp *) RawList;
typedef VEC(RawLet) RawLetList;
typedef VEC(const TailType *) TypeList;
typedef VEC(TailBaseKind) BaseList;
typedef VEC(int64_t) NumberList;

typedef enum RawKind {
    RAW_BAD,      /* a name that stands for nothing: reported already */
    RAW_VALUE,    /* a constant */
    RAW_VARIABLE, /* */
    RAW_OPERATOR, /* a builtin's bare name, as function */
    RAW_VECTOR,
    RAW_TUPLE,
    RAW_PROJECT,
    RAW_LAMBDA, /* of one parameter; two are curried */
    RAW_LETS,   /* a chain */
    RAW_CALL,
    RAW_APPLY, /* of a variable */
    RAW_IF
} RawKind;

struct RawExp {
    RawKind kind;
    int depth; /* of nesting */
    Span span;
    union {
        const TailExp *value;
        RawVariable *variable;
        RawList items;
        struct {
            int64_t index;
            RawExp *tuple;
        } project;
        struct {
            RawVariable *parameter;
            RawExp *body;
        } lambda;
        struct {
            RawLetList lets;
            RawExp *body;
        } chain;
        struct {
            TailBuiltin builtin;
            RawList arguments;
            bool has_instance;
            Span instance_span;
            TailInstance instance;
            Skeleton *skeleton; /* bases.c: of an operator as function, and of zilde */
        } call;                 /* and RAW_OPERATOR */
        struct {
            RawVariable *function;
            RawList arguments;
        } apply;
        struct {
            RawExp *condition, *then_case, *else_case;
        } conditional;
    } as;
};

enum { RAW_UNKNOWN = -1 }; /* 'r3 in an instance list: as good as not written */

/* An integer as written. */
typedef struct RawInteger {
    int64_t value;
    bool huge; /* too large: reported already */
} RawInteger;

/* An instance list as written. */
typedef struct RawInstance {
    bool given;
    Span span;
    BaseList *bases;
    NumberList *ranks;
} RawInstance;

/* What is open where a `let` begins: to find its `in` again after an error. */
typedef struct LetMark {
    size_t open, lets;
    size_t undo; /* of the scope */
    unsigned column;
} LetMark;

/* What a lexeme stands for: a variable, a builtin, or a type variable. */
typedef struct Meaning {
    const char *lexeme;    /* interned; NULL: a free place of the table */
    RawVariable *variable; /* NULL: none in scope now */
    int builtin;           /* -1: none */
    int type_variable;     /* -1: none yet */
} Meaning;

typedef struct Shadowed {
    const char *lexeme;
    RawVariable *variable;
} Shadowed;

typedef struct TailParser {
    Compilation *c;
    const SourceFile *source;
    /* the lexer */
    const char *cursor, *limit;
    Span token;         /* the token that was read last */
    VEC(char) open;     /* what is open: brackets, and 'l' for a let without its in */
    size_t open_lets;   /* how many of these are lets */
    const char *line;   /* where the token's line begins */
    bool begins_line;   /* the token is the first of its line */
    bool follows_stray; /* something that is no token stands before it */
    bool stopped;       /* by a limit, or a comment without end: types are not looked at */
    bool ended;         /* after an error all the rest was skipped */
    PointerMap foreign; /* names with letters beyond ASCII */
    /* names */
    PointerMap meanings; /* lexeme -> Meaning */
    VEC(Shadowed) undo;
    bool *taken; /* by number: a variable has it */
    unsigned taken_count;
    size_t type_variable_count;
    RawExp *program;
    size_t syntax_errors;
} TailParser;

void tail_parse_error(TailParser *p, Span span, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- scopes ---------------------------------------------------------------------------------- */
size_t tail_parse_scope(const TailParser *p);      /* a mark */
void tail_parse_close(TailParser *p, size_t mark); /* forgets what was bound since */
/* `type` is NULL after an error. */
RawVariable *tail_parse_bind(TailParser *p, const char *lexeme, const TailType *type, Span span);

/* ---- types ----------------------------------------------------------------------------------- */
TailBase tail_parse_base(TailParser *p, const char *name, Span span);
TailBase tail_parse_base_variable(TailParser *p, const char *lexeme);
TailShape tail_parse_number(TailParser *p, RawInteger number);
TailShape tail_parse_shape_variable(TailParser *p, const char *lexeme);
const TailType *tail_parse_array_type(TailParser *p, TailTypeKind kind, TailBase base,
                                      TailShape shape, Span span);
/* S(b,k) and SV(b,k); `name` is the word before the parenthesis. */
const TailType *tail_parse_known_type(TailParser *p, const char *name, Span name_span,
                                      TailBase base, TailShape shape, Span span);
const TailType *tail_parse_tuple_type(TailParser *p, const TypeList *items);
const TailType *tail_parse_function_type(TailParser *p, const TailType *parameter,
                                         const TailType *result);

/* ---- expressions ----------------------------------------------------------------------------- */
/* `value` is NULL for a constant that is none: reported already. */
RawExp *tail_parse_value(TailParser *p, const TailExp *value, Span span);
RawExp *tail_parse_int(TailParser *p, RawInteger integer, Span span);
RawExp *tail_parse_name(TailParser *p, const char *lexeme, Span span);
RawExp *tail_parse_call(TailParser *p, const char *lexeme, Span name_span,
                        const RawInstance *instance, const RawList *arguments, Span span);
RawExp *tail_parse_project(TailParser *p, RawInteger index, RawExp *tuple, Span span);
RawExp *tail_parse_items(TailParser *p, RawKind kind, const RawList *items, Span span);
RawExp *tail_parse_lambda(TailParser *p, RawVariable *parameter, RawExp *body, Span span);
RawExp *tail_parse_chain(TailParser *p, const RawLetList *lets, RawExp *body, Span span);
RawExp *tail_parse_if(TailParser *p, RawExp *condition, RawExp *then_case, RawExp *else_case,
                      Span span);

/* ---- types of raw expressions ---------------------------------------------------------------- */

typedef struct Bases {
    Compilation *c;
    BaseTerm **variables; /* by the number of the type variable */
} Bases;

/* Unifies the base types of the whole program: sets the skeletons. Says nothing of what does not
   fit: typing does, in the words of the builtins' schemes. (bases.c) */
Bases *tail_infer_bases(TailParser *p, RawExp *program);
/* What a type variable of an annotation turned out to be; int where nothing says so. */
TailBaseKind tail_inferred_variable(const Bases *bases, unsigned variable);
/* Base type of an array's skeleton; int where nothing says so. */
TailBaseKind tail_inferred_base(Skeleton *skeleton);
/* Parameter i of a function's skeleton. */
Skeleton *tail_inferred_parameter(Skeleton *skeleton, size_t i);

/* The typed program; NULL after reporting diagnostics. (typing.c) */
const TailExp *tail_type_program(TailParser *p, const Bases *bases, RawExp *program);

#endif
