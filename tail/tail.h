/* TAIL, the typed array intermediate language: [TAIL] figures 1 and 2, with the types and
   builtins that existing tools use (docs/tail.md is the reference).

   An elaborated program is one expression, usually a long chain of lets. All nodes live in the
   compilation's arena and are immutable once built. Walk let chains with a loop, not by recursion:
   they may be tens of thousands long. */
#ifndef TAIL_TAIL_H
#define TAIL_TAIL_H

#include "base/compilation.h"
#include "core/core.h"

/* ---- types ------------------------------------------------------------------------------- */

typedef enum TailBaseKind {
    TAIL_BOOL,
    TAIL_INT,
    TAIL_DOUBLE,
    TAIL_COMPLEX,
    TAIL_CHAR,
    TAIL_BASE_VARIABLE /* 'bN: in schemes and during inference only */
} TailBaseKind;

typedef struct TailBase {
    TailBaseKind kind;
    unsigned variable; /* for TAIL_BASE_VARIABLE */
} TailBase;

/* A shape type [TAIL fig. 1, rho]: constant + sum of variables, equal up to associativity and
   commutativity of +. It stands for a rank, a length or a known value by the type it is in.
   Elaborated programs hold constants only. */
typedef struct TailShape {
    int64_t constant;
    size_t variable_count;
    const unsigned *variables; /* sorted; a variable may occur twice */
} TailShape;

typedef enum TailTypeKind {
    TAIL_ARRAY,         /* [b]r     rank r; [b]0 is the scalar type */
    TAIL_VECTOR,        /* <b>n     vector of statically known length n */
    TAIL_SINGLE,        /* S(b,k)   scalar known to be k; b is int or bool */
    TAIL_SINGLE_VECTOR, /* SV(b,k)  one-element vector known to hold k */
    TAIL_TUPLE,         /* (T * T)  */
    TAIL_FUNCTION       /* (T)->T   parameters, then the result, in items */
} TailTypeKind;

typedef struct TailType {
    TailTypeKind kind;
    TailBase base;   /* the four array kinds */
    TailShape shape; /* the four array kinds */
    size_t count;    /* TAIL_TUPLE, TAIL_FUNCTION */
    const struct TailType *const *items;
} TailType;

const TailType *tail_array_type(Compilation *c, TailBaseKind base, int64_t rank);
const TailType *tail_scalar_type(Compilation *c, TailBaseKind base); /* [b]0 */
const TailType *tail_vector_type(Compilation *c, TailBaseKind base, int64_t length);
const TailType *tail_single_type(Compilation *c, TailBaseKind base, int64_t value);
const TailType *tail_single_vector_type(Compilation *c, TailBaseKind base, int64_t value);
const TailType *tail_tuple_type(Compilation *c, size_t count, const TailType *const *items);
/* items: the parameters, then the result. */
const TailType *tail_function_type(Compilation *c, size_t count, const TailType *const *items);

bool tail_type_equal(const TailType *a, const TailType *b);
/* Subtyping (docs/tail.md): S <= [b]0, SV <= <b>1 <= [b]1, <b>n <= [b]1, tuples
   component by component. For types without variables. */
bool tail_subtype(const TailType *a, const TailType *b);
/* The least common supertype, or NULL where there is none. Does not promote base types. */
const TailType *tail_join(Compilation *c, const TailType *a, const TailType *b);
/* Rank of any of the four array kinds. */
int64_t tail_rank(const TailType *type);
bool tail_is_array(const TailType *type);                   /* one of the four array kinds */
char *tail_type_text(Compilation *c, const TailType *type); /* as in a TAIL file */
const char *tail_base_text(TailBaseKind base);

/* ---- builtins ---------------------------------------------------------------------------- */

/* One enumerator a row of builtins.def: TAIL_OP_ADDI, TAIL_OP_RESHAPE, ... */
typedef enum TailBuiltin {
#define TAIL_BUILTIN(enumerator, text, scheme, meaning) TAIL_OP_##enumerator,
#include "tail/builtins.def"
#undef TAIL_BUILTIN
    TAIL_OP_COUNT
} TailBuiltin;

const char *tail_builtin_text(TailBuiltin builtin);
/* The type scheme as written in builtins.def, e.g. "(a->a->a) -> a -> [a](r+1) -> [a]r". */
const char *tail_builtin_scheme(TailBuiltin builtin);

/* Instance list of a call: {[int,double],[2]}. Which operators carry one, and with what: reference
   section b.4. Operators without have both counts 0. */
typedef struct TailInstance {
    size_t base_count, rank_count;
    const TailBaseKind *bases;
    const int64_t *ranks;
} TailInstance;

/* ---- expressions ------------------------------------------------------------------------- */

typedef struct TailVariable {
    const char *name; /* the APL name it came from, or "v" */
    unsigned number;  /* unique in the program: printed v12 */
    const TailType *type;
    Span span;
} TailVariable;

typedef enum TailExpKind {
    TAIL_EXP_BOOL,
    TAIL_EXP_INT,
    TAIL_EXP_DOUBLE,
    TAIL_EXP_CHAR,
    TAIL_EXP_COMPLEX,
    TAIL_EXP_VARIABLE,
    TAIL_EXP_VECTOR,  /* [e,e,...]: at least one item, each a scalar */
    TAIL_EXP_TUPLE,   /* (e,e,...) */
    TAIL_EXP_PROJECT, /* Prj(k,e), k from 0 */
    TAIL_EXP_LAMBDA,  /* fn x:T => ... one or two parameters here, curried in print */
    TAIL_EXP_LET,     /* of a value, or of a function: then the lambda stands there */
    TAIL_EXP_CALL,    /* of a builtin */
    TAIL_EXP_APPLY,   /* v(e,...): of a function that a let binds */
    TAIL_EXP_IF
} TailExpKind;

typedef struct TailExp {
    TailExpKind kind;
    const TailType *type;
    Span span;
    union {
        bool boolean;
        int64_t integer;
        double real;
        uint32_t character;
        struct {
            double real, imaginary;
        } complex;
        TailVariable *variable;
        struct {
            size_t count;
            const struct TailExp *const *items;
        } items; /* VECTOR, TUPLE */
        struct {
            size_t index;
            const struct TailExp *tuple;
        } project;
        struct {
            size_t count;
            TailVariable *const *parameters;
            const struct TailExp *body;
        } lambda;
        struct {
            TailVariable *variable;
            const struct TailExp *value, *body;
        } let;
        struct {
            TailBuiltin builtin;
            size_t count;
            const struct TailExp *const *arguments;
            TailInstance instance;
        } call;
        struct {
            TailVariable *function;
            size_t count;
            const struct TailExp *const *arguments;
        } apply;
        struct {
            const struct TailExp *condition, *then_case, *else_case;
        } conditional;
    } as;
} TailExp;

TailVariable *tail_variable(Compilation *c, const char *name, const TailType *type, Span span);

const TailExp *tail_bool(Compilation *c, bool value, Span span);         /* S(bool,0|1) */
const TailExp *tail_int(Compilation *c, int64_t value, Span span);       /* S(int,k) */
const TailExp *tail_double(Compilation *c, double value, Span span);     /* [double]0 */
const TailExp *tail_char(Compilation *c, uint32_t codepoint, Span span); /* [char]0 */
const TailExp *tail_complex(Compilation *c, double real, double imaginary, Span span);
const TailExp *tail_use(Compilation *c, TailVariable *variable, Span span);
/* All items scalars of one base type (after the caller's promotion). <b>n for int and bool (SV for
   one item of known value), [b]1 for the rest. Requires count > 0. */
const TailExp *tail_vector(Compilation *c, size_t count, const TailExp *const *items, Span span);
const TailExp *tail_tuple(Compilation *c, size_t count, const TailExp *const *items, Span span);
const TailExp *tail_project(Compilation *c, size_t index, const TailExp *tuple, Span span);
const TailExp *tail_lambda(Compilation *c, size_t count, TailVariable *const *parameters,
                           const TailExp *body, Span span);
const TailExp *tail_let(Compilation *c, TailVariable *variable, const TailExp *value,
                        const TailExp *body, Span span);
const TailExp *tail_if(Compilation *c, const TailExp *condition, const TailExp *then_case,
                       const TailExp *else_case, Span span);
/* A call with its result type and instance list inferred from the arguments by the builtin's
   scheme. The caller has seen to it that the arguments fit: where they do not, it is a fault of the
   compiler, reported by internal_error with the call and the types. */
const TailExp *tail_call(Compilation *c, TailBuiltin builtin, size_t count,
                         const TailExp *const *arguments, Span span);
/* v(e,...), of a variable of function type. The arguments' types are subtypes of the parameters'. */
const TailExp *tail_apply(Compilation *c, TailVariable *function, size_t count,
                          const TailExp *const *arguments, Span span);
/* tail_zilde{[b],[1]}(): the empty vector. */
const TailExp *tail_zilde(Compilation *c, TailBaseKind base, Span span);
/* What tail_call would give, or NULL and a message where the arguments do not fit. */
const TailType *tail_infer_call(Compilation *c, TailBuiltin builtin, size_t count,
                                const TailExp *const *arguments, TailInstance *instance,
                                const char **problem);

/* ---- programs ---------------------------------------------------------------------------- */

/* Calls `visit` for each expression directly inside, in order; of a let for its value and its body:
   chains of lets are long, so that a walk goes along them by a loop. */
void tail_each_part(const TailExp *exp, void (*visit)(void *context, const TailExp *part),
                    void *context);
/* Number of expression nodes, for statistics. */
size_t tail_count(const TailExp *program);
/* Reads a program in the syntax of docs/tail.md: a .tail file. Instance lists may be missing, and
   are inferred; those that are there must be right. NULL after reporting diagnostics (as many as
   there are). Every node has its span. */
const TailExp *tail_parse(Compilation *c, const SourceFile *source);
/* Prints in the syntax of docs/tail.md, lets as lines, lambdas indented. A lambda that is
   one operator applied to exactly its parameters prints as the bare operator name where the
   operator carries no instance list. */
void tail_print(Compilation *c, Text *out, const TailExp *program, bool with_instances);
/* Checks scopes and types of a whole program, independently of how it was built; reports every
   error found as a diagnostic ("TYPE ERROR") and says whether there was none. */
bool tail_check(Compilation *c, const TailExp *program);
/* [TAIL] figures 5 and 6, completed: a core program with one entry, main, that has no parameters
   and no results, or, where the options say gives_value, the program's value; effects in program
   order. Returns NULL after reporting diagnostics where the
   program uses what has no translation. */
CoreProgram *tail_to_core(Compilation *c, const TailExp *program);

#endif
