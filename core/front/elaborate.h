/* Private to the elaborator of core's front form: what its parts share.

       elaborate.c    the entry; expressions by kind; blocks
       environment.c  what names mean, and spelling suggestions
       types.c        types as trees: making, comparing, printing
       values.c       values as trees of atoms; patterns; annotations
       sizes.c        scalar arithmetic by value, facts, assertions, changes of size names
       scalars.c      literals and operators
       control.c      if, && and ||; what branches have in common
       loops.c        loops
       functions.c    function values and their application
       definitions.c  definitions and calls of them
       arrays.c       literals, indexing, slices, updates
       views.c        built-in words that make or rearrange arrays
       soacs.c        map, reduce, scan, redomap, filter, scatter, hist
       streams.c      stream_map, stream_red, stream_seq
       regular.c      row sizes that a SOAC's function computes
       consumption.c  which loop parameters are consumed */
#ifndef CORE_FRONT_ELABORATE_H
#define CORE_FRONT_ELABORATE_H

#include "core/front/syntax.h"

/* ---- types --------------------------------------------------------------------------------- */

typedef enum TypeKind { TYPE_SCALAR, TYPE_ARRAY, TYPE_TUPLE } TypeKind;

/* A type with its sizes. Its leaves, from left to right, are what internal core has for it: one
   name for each scalar; an array of tuples is a tuple of arrays [L0 4.1]. */
typedef struct Type {
    TypeKind kind;
    CorePrim prim;
    CoreAtom size;          /* ARRAY */
    const struct Type *row; /* ARRAY */
    size_t count;           /* TUPLE: 0 or at least 2 */
    const struct Type *const *items;
    size_t leaf_count;
} Type;

/* ---- values -------------------------------------------------------------------------------- */

typedef struct Function Function;
typedef struct Environment Environment;
typedef struct Definition Definition;

typedef enum ValueKind {
    VALUE_ERROR,    /* reported; silences what follows from it */
    VALUE_DATA,     /* leaves of a type */
    VALUE_LITERAL,  /* literals that wait for the type that their context wants */
    VALUE_FUNCTION, /* exists at compile time only */
} ValueKind;

typedef struct Value {
    ValueKind kind;
    const Type *type;
    const CoreAtom *leaves;
    const FrontExp *literal;
    const Function *function;
    Span span; /* where it stands as an argument or bound value; else NO_SPAN */
} Value;

typedef enum Builtin {
#define FRONT_BUILTIN(enumerator, text, least, most) BUILTIN_##enumerator,
#include "core/front/builtins.def"
#undef FRONT_BUILTIN
    BUILTIN_COUNT
} Builtin;

typedef enum FunctionKind {
    FUNCTION_CLOSURE,    /* a lambda or a local function */
    FUNCTION_DEFINITION, /* becomes a function of internal core */
    FUNCTION_OPERATOR,   /* a word or the operator of a section */
    FUNCTION_SECTION,    /* with one operand, or with && || ++ */
    FUNCTION_CONVERSION, /* i64 */
    FUNCTION_BUILTIN
} FunctionKind;

struct Function {
    FunctionKind kind;
    const char *name; /* for messages */
    const FrontFunction *syntax;
    const Environment *environment; /* of a closure */
    const Definition *definition;
    FrontInfix infix;
    CoreOperator op;
    bool has_left, has_right; /* of a section: operands */
    Value left, right;
    CorePrim prim;
    Builtin builtin;
    CoreLevel level;
    CoreSpace space;
    size_t given_count; /* arguments so far */
    const Value *given;
};

/* A definition, elaborated. */
struct Definition {
    const FrontFunction *syntax;
    bool is_done, is_wrong;
    const Type *const *parameters; /* sizes: constants, and names among the core parameters */
    const Type *result; /* sizes: also names among the first existential_count core results */
    size_t existential_count;
    const CoreFunction *function;
};

/* What an expression's context knows: a type (its sizes mean nothing), and a name for the result.
   Both may be NULL. */
typedef struct Want {
    const Type *type;
    const char *text;
} Want;

/* ---- state --------------------------------------------------------------------------------- */

/* One core body in the making. What was computed in a frame may be used while it is open. */
typedef struct Frame {
    CoreBuilder builder;
    struct Frame *parent;
    unsigned mark; /* names with greater numbers are bound inside */
    bool open;
} Frame;

typedef struct Numbering Numbering;

typedef struct Elaborator {
    Compilation *c;
    const FrontProgram *program;
    Definition *definitions;
    size_t definition_count; /* so far */
    Frame *frame;
    const Environment *environment;
    Numbering *numbering;
    unsigned first_number;
    int depth;
    size_t errors;
    unsigned steps; /* expressions elaborated, those of functions as often as they are applied */
    bool stopped;   /* after a LIMIT ERROR */
} Elaborator;

#define BUILDER(e) (&(e)->frame->builder)
#define NO_WANT ((Want){NULL, NULL})
#define ERROR_VALUE ((Value){.kind = VALUE_ERROR})

void front_error(Elaborator *e, Span span, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "what: expected .., found .."; what may be NULL. */
Value front_mismatch(Elaborator *e, Span span, const char *what, const char *expected,
                     const char *found);
/* False after a LIMIT ERROR about nesting or size; else leave with front_leave. */
bool front_enter(Elaborator *e, Span span);
void front_leave(Elaborator *e);
Frame *front_open(Elaborator *e, Span span);
/* As front_open with a mark made before, for parameters that were named already. */
void front_close(Elaborator *e);
const CoreBody *front_body(Frame *frame, size_t count, const CoreAtom *results);

/* ---- expressions (elaborate.c) -------------------------------------------------------------- */

Value front_elaborate_exp(Elaborator *e, const FrontExp *exp, Want want);
/* Data, not a function; literals have their type. */
Value front_data(Elaborator *e, const FrontExp *exp, Want want);
/* Data of that prim. False after an error. */
bool front_scalar(Elaborator *e, const FrontExp *exp, CorePrim prim, const char *what,
                  const char *text, CoreAtom *atom);
/* An operand whose function decides what its literals are: data, function, or literal. */
Value front_operand(Elaborator *e, const FrontExp *exp);

/* ---- names (environment.c) ------------------------------------------------------------------ */

const Environment *front_bind(Elaborator *e, const Environment *environment, const char *name,
                              Value value);
/* NULL where the name is not bound. */
const Value *front_lookup(const Environment *environment, const char *name);
/* Reports a name that means nothing. */
void front_unknown(Elaborator *e, const char *name, Span span);

/* ---- types (types.c) ------------------------------------------------------------------------ */

const Type *front_type_scalar(Elaborator *e, CorePrim prim);
const Type *front_type_array(Elaborator *e, CoreAtom size, const Type *row);
const Type *front_type_tuple(Elaborator *e, size_t count, const Type *const *items);
/* Prims and nesting, not sizes. */
bool front_type_alike(const Type *a, const Type *b);
bool front_type_is(const Type *type, CorePrim prim);
/* Number of array layers on top. */
size_t front_type_depth(const Type *type);
/* What is below that many array layers. */
const Type *front_type_below(const Type *type, size_t layers);
/* The first `count` array layers have these sizes instead. */
const Type *front_type_resized(Elaborator *e, const Type *type, size_t layers, size_t count,
                               const CoreAtom *sizes);
/* Core types of the leaves: leaf_count of them. */
const CoreType *front_type_leaves(Elaborator *e, const Type *type);
/* The type with the sizes mapped, each size node by `map`. */
const Type *front_type_map(Elaborator *e, const Type *type,
                           CoreAtom (*map)(void *context, CoreAtom size), void *context);
void front_type_each_size(const Type *type, void (*visit)(void *context, CoreAtom size),
                          void *context);
/* The same with sizes 0, for a Want elsewhere. */
const Type *front_type_unsized(Elaborator *e, const Type *type);
/* As written, sizes 0: for a Want. */
const Type *front_type_wanted(Elaborator *e, const FrontType *written);
/* Which leaves are written with *. */
void front_type_unique(const FrontType *written, const Type *type, bool inside, bool **next);
const char *front_type_text(Elaborator *e, const Type *type);
const char *front_written_text(Elaborator *e, const FrontType *written);

/* ---- values (values.c) ---------------------------------------------------------------------- */

Value front_value(const Type *type, const CoreAtom *leaves);
Value front_value_atom(Elaborator *e, CoreAtom atom);
Value front_value_tuple(Elaborator *e, size_t count, const Value *items);
Value front_value_item(const Value *tuple, size_t i);
/* Data of what is given: literals become values of the wanted type; functions are an error. */
Value front_force(Elaborator *e, Value value, Want want, Span span);
const char *front_value_text(Elaborator *e, const Value *value);
/* The value's own place, or that one. */
Span front_value_span(const Value *value, Span otherwise);
/* Fresh names for the leaves of a type, with texts from a pattern (or NULL: all `text`). */
CoreName **front_name_leaves(Elaborator *e, const Type *type, const FrontPattern *pattern,
                             const char *text);
Value front_value_names(Elaborator *e, const Type *type, CoreName *const *names);
/* Binds a pattern's names in the environment; reports what does not fit. */
void front_bind_pattern(Elaborator *e, const FrontPattern *pattern, Value value);
/* The value as of a written type: prims and nesting are checked here, sizes at run time where they
   are not equal atoms; size names without meaning get one. */
Value front_ascribe(Elaborator *e, Value value, const FrontType *written, const char *what);
/* What a size that is left open is, given the one found. */
typedef CoreAtom OpenSize(void *context, CoreAtom found);
/* The written type; sizes that are left open are what `open` says, or where it is NULL the found
   ones. NULL after an error. */
const Type *front_ascribed_type(Elaborator *e, const Type *found, const FrontType *written,
                                const char *what, Span span, OpenSize *open, void *context);
/* A text for what the pattern is bound to; NULL where it has no name of its own. */
const char *front_pattern_text(const FrontPattern *pattern);
/* What the pattern's types say, for a Want; NULL where they do not say all. */
const Type *front_pattern_wanted(Elaborator *e, const FrontPattern *pattern);
/* Which leaves of the type the pattern's types, if any, have * at. */
void front_pattern_unique(const FrontPattern *pattern, const Type *type, bool **next);

/* ---- sizes (sizes.c) ------------------------------------------------------------------------ */

Numbering *front_numbering(Elaborator *e);
CoreAtom front_binary(Elaborator *e, const char *text, CoreOperator op, CoreAtom x, CoreAtom y);
CoreAtom front_unary(Elaborator *e, const char *text, CoreOperator op, CoreAtom x);
CoreAtom front_convert(Elaborator *e, const char *text, CorePrim to, CoreAtom x);
bool front_known_nonnegative(Elaborator *e, CoreAtom x);
void front_assume_nonnegative(Elaborator *e, CoreAtom x);
/* A name whose very binding says that it is an extent: not negative wherever it is in scope. */
void front_note_extent(Elaborator *e, CoreAtom x);
bool front_is_extent(Elaborator *e, CoreAtom x);
bool front_is_constant(CoreAtom x, int64_t value);
/* The certificate of an assertion; one without a name where the condition is known to hold. */
CoreAtom front_require(Elaborator *e, CoreAtom condition, CoreErrorKind error, const char *message,
                       size_t count, const CoreAtom *values);
CoreAtom front_require_equal(Elaborator *e, CoreAtom expected, CoreAtom found);
/* A negative constant becomes a name, since types cannot have it. */
CoreAtom front_require_nonnegative(Elaborator *e, CoreAtom *size);
/* What is built between guard and unguard carries the certificate. */
size_t front_guard(Elaborator *e, CoreAtom certificate);
void front_unguard(Elaborator *e, size_t mark);
/* The value with the sizes of `to`, which is alike: asserted where they are not the same atoms. */
Value front_coerce(Elaborator *e, Value value, const Type *to);
CoreAtom front_product(Elaborator *e, size_t count, const CoreAtom *sizes);

/* ---- scalars (scalars.c) -------------------------------------------------------------------- */

/* Whether an expression is made of literals only, whose type is open. */
bool front_is_literal(const FrontExp *exp);
/* The same with if and let around. */
bool front_is_weak(const FrontExp *exp);
/* Whether y rather than x says what type both have: 1 and 2.5, 1 and z. */
bool front_is_weaker(const FrontExp *x, const FrontExp *y);
Value front_constant(Elaborator *e, const FrontExp *exp, Want want);
Value front_unary_exp(Elaborator *e, const FrontExp *exp, Want want);
Value front_binary_exp(Elaborator *e, const FrontExp *exp, Want want);
/* op on values; y NULL where it takes one. */
Value front_operator(Elaborator *e, CoreOperator op, Value x, const Value *y, Want want, Span span);
Value front_conversion(Elaborator *e, CorePrim to, Value x, Want want, Span span);

/* ---- control (control.c, loops.c) ------------------------------------------------------------ */

Value front_if(Elaborator *e, const FrontExp *exp, Want want);
/* x && y, x || y. */
Value front_lazy(Elaborator *e, const FrontExp *exp, bool is_or, Want want);
Value front_loop(Elaborator *e, const FrontExp *exp, Want want);
Value front_assert(Elaborator *e, const FrontExp *exp, Want want);

/* ---- functions (functions.c, definitions.c) -------------------------------------------------- */

Value front_function_value(Elaborator *e, Function function);
/* What a built-in word means; an error value of kind VALUE_ERROR where it is none. */
bool front_builtin(Elaborator *e, const char *name, Function *function);
Value front_section(Elaborator *e, const FrontExp *exp);
Value front_apply_exp(Elaborator *e, const FrontExp *exp, Want want);
Value front_apply(Elaborator *e, const Function *function, size_t count, const Value *arguments,
                  Want want, Span span);
/* The function that an operand is; NULL after an error. */
/* "f takes 2 arguments, found 1" */
void front_arity_error(Elaborator *e, const Function *function, size_t count, Span span);
const Function *front_to_function(Elaborator *e, const Value *value, const char *what, Span span);
/* The pattern of a function's parameter i after those given, or NULL. */
const FrontPattern *front_parameter(const Function *function, size_t i);
/* The wanted type of parameter i after those given, or NULL. */
const Type *front_parameter_wanted(Elaborator *e, const Function *function, size_t i);
void front_define(Elaborator *e, const FrontFunction *syntax);
Value front_call(Elaborator *e, const Definition *definition, const Value *arguments, Want want,
                 Span span);

/* ---- arrays (arrays.c, views.c) -------------------------------------------------------------- */

Value front_array(Elaborator *e, const FrontExp *exp, Want want);
Value front_string(Elaborator *e, const FrontExp *exp, Want want);
Value front_index(Elaborator *e, const FrontExp *exp, Want want);
Value front_update(Elaborator *e, const FrontExp *exp, Want want);
Value front_append_exp(Elaborator *e, const FrontExp *exp, Want want);
/* let name[indices] = value */
Value front_update_value(Elaborator *e, Value array, Span array_span, size_t count,
                         const FrontIndex *indices, const FrontExp *value, const char *text);
/* Rows [from, to) of an array, without a check. */
Value front_rows(Elaborator *e, Value array, CoreAtom from, CoreAtom count, const char *text);
/* Row i of an array, without a check. */
Value front_row(Elaborator *e, Value array, CoreAtom i, const char *text);
Value front_concat(Elaborator *e, size_t axis, size_t count, Value *arrays, const char *text,
                   Span span);
/* Whether the value is an array; reports where not. */
bool front_need_array(Elaborator *e, const Value *value, const char *what, Span span);

/* One application of a built-in word. */
typedef struct Call {
    const Function *function;
    size_t count;
    const Value *arguments;
    Want want;
    Span span;
} Call;

const char *front_builtin_text(Builtin builtin);
Value front_apply_builtin(Elaborator *e, const Call *call);
Value front_view(Elaborator *e, const Call *call);
Value front_soac(Elaborator *e, const Call *call);
Value front_stream(Elaborator *e, const Call *call);
/* The argument as data; the names of `what` it is in messages. */
Value front_argument(Elaborator *e, const Call *call, size_t i, const Type *wanted);
Span front_argument_span(const Call *call, size_t i);
bool front_argument_array(Elaborator *e, const Call *call, size_t i, Value *array);
/* A function of k accumulators and rows gives first the accumulator's type, or a tuple of that and
   other values: these, as a tuple whose first item is the accumulator, with its sizes. */
bool front_accumulated(Elaborator *e, Value *result, const Type *accumulator, Span span);
/* Arrays from argument `first` on, of equal widths. False after an error. */
bool front_inputs(Elaborator *e, const Call *call, size_t first, size_t *count, Value **inputs,
                  CoreAtom *width);
/* A combining function at k values of a type: \a b -> ..., its result with that type's sizes. */
const CoreLambda *front_combine(Elaborator *e, const Function *op, const Type *type, Span span);
/* All leaves of values, in order. */
size_t front_all_leaves(Elaborator *e, size_t count, const Value *values, CoreAtom **leaves);
/* Binds fresh names of the type to the expression's results. */
Value front_let(Elaborator *e, const char *text, const Type *type, const CoreExp *exp);

/* ---- regularity (regular.c) ------------------------------------------------------------------ */

/* What stands for a parameter of a SOAC's function when its sizes are computed ahead. */
typedef struct Ahead {
    const CoreName *parameter;
    CoreAtom atom;
    bool is_row; /* row 0 of atom; else atom itself */
} Ahead;

/* The result of a SOAC's function whose frame was closed, with sizes that are known outside: those
   bound inside are moved out, or computed ahead and asserted inside. ahead: all parameters of the
   function. chunk: the parameter that may stay a size, or NULL. Sizes that might be negative are
   asserted not to be; the guard of that is on until the caller calls front_unguard. */
Value front_regular(Elaborator *e, Frame *inside, Value result, CoreAtom width,
                    const CoreName *chunk, size_t count, const Ahead *ahead);

/* ---- consumption (consumption.c) ------------------------------------------------------------- */

/* Which parameters (arrays) the body consumes, so that they have to be unique. */
void front_consumed(Elaborator *e, const CoreBody *body, size_t count, CoreName *const *parameters,
                    bool *consumed);

#endif
