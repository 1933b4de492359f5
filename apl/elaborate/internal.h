/* What the files of elaboration share: values, functions, frames, blocks.

   Elaboration is an evaluator whose arrays are TAIL expressions. A Value is what an APL expression
   denotes at compile time: an array (a TAIL atom with what is known of its shape and contents), a
   tuple of values (nesting of statically known outer shape), a function or an operator. Applying a
   dfn evaluates its body with the arguments' values, so that every call is a specialisation, and
   closures and operators are gone from the TAIL that comes out. */
#ifndef APL_ELABORATE_INTERNAL_H
#define APL_ELABORATE_INTERNAL_H

#include "apl/elaborate.h"
#include "base/spelling.h"

/* Contents are tracked for int and bool vectors up to this length, strands of scalars too. */
enum { KNOWN_LIMIT = 16 };
/* Strands of scalars up to this length are computed item by item instead of as an array. */
enum { UNROLL_LIMIT = 4 };
/* Functions of one's own are computed item by item where all items together write no more. */
enum { UNROLL_WEIGHT = 400 };
/* An each that gives nested items, or a power of changing rank, is unrolled up to this count. */
enum { EXPANSION_LIMIT = 64 };
/* Longer axes are a LIMIT ERROR already at compile time, so that sums and products of extents are
 * safe. */
#define LENGTH_LIMIT (INT64_C(1) << 46)
enum { RANK_LIMIT = 60 };
/* Lets that a program, and one statement of it, may have before elaboration gives up:
   specialisation can blow up. */
enum { SIZE_LIMIT = 2000000, STATEMENT_LIMIT = 250000 };

typedef struct Value Value;
typedef struct Function Function;
typedef struct Frame Frame;
typedef struct Block Block;
typedef struct Recursion Recursion;
typedef struct Handler Handler;
typedef struct Group Group; /* groups.c */
typedef struct Part Part;   /* progressions.c */
typedef struct Elaboration Elaboration;

/* ---- values -------------------------------------------------------------------------------- */

typedef enum ValueKind {
    VALUE_ARRAY,
    VALUE_TUPLE, /* rank 0: an enclosed value; rank 1 and more: items in row-major order; where
                    there are none, items[0] is the prototype */
    VALUE_FUNCTION,
    VALUE_OPERATOR,
    VALUE_POISON /* assigned by a statement in error */
} ValueKind;

struct Value {
    ValueKind kind;
    Span span;
    int64_t rank;           /* arrays and tuples */
    const int64_t *extents; /* `rank` of them, -1: known at run time only */
    /* arrays */
    TailBaseKind base;
    const TailExp *exp;      /* a variable, a literal, or a short vector of these */
    const int64_t *known;    /* contents of a bool or int scalar or vector, or NULL */
    const int64_t *contents; /* the same of an array of higher rank, in row-major order */
    const TailExp *literal;  /* a vector as it was written, though `exp` is a variable; or NULL */
    bool uniform;            /* all items are uniform_value (bool and int) */
    bool shy;                /* a dfn gives it by an assignment: it is not printed by itself */
    const TailExp *shy_if;   /* ... where this holds, when only run time knows; or NULL */
    int64_t uniform_value;
    Value *const *elements; /* scalars that a vector was made of, or NULL */
    const Part *part;       /* positions that go up by equal steps, or NULL (progressions.c) */
    /* tuples */
    size_t count;
    Value *const *items;
    /* functions and operators */
    Function *function;
};

typedef enum FunctionKind {
    FUNCTION_PRIMITIVE,
    FUNCTION_CLOSURE, /* a dfn; a user operator once it has its operands */
    FUNCTION_DERIVED, /* a primitive operator with its operands */
    FUNCTION_AXIS,
    FUNCTION_FORK,
    FUNCTION_ATOP,
    FUNCTION_QUAD,  /* ⎕NOW and so on */
    FUNCTION_BENCH, /* f ⎕BENCH n; also the operator itself */
    FUNCTION_ASSOC, /* f ⎕ASSOC n; also the operator itself */
    FUNCTION_GROUP  /* left, of a group's values (groups.c) */
} FunctionKind;

typedef struct Signature {
    const char *text; /* NULL: not known */
    uint64_t at;      /* the clock's time when it was made */
} Signature;

struct Function {
    FunctionKind kind;
    Span span;
    int64_t origin;         /* ⎕IO where it was written */
    AplPrimitive primitive; /* PRIMITIVE, DERIVED */
    const AplNode *dfn;     /* CLOSURE */
    Frame *frame;           /* CLOSURE: where its free names live */
    bool active;            /* CLOSURE: its body is being elaborated */
    Value *left, *right; /* operands; the tines of a fork and an atop; AXIS: left is the function */
    Function *middle;    /* FORK */
    Value *axis;         /* AXIS: right operand evaluated */
    const char *quad;    /* QUAD: its name */
    Group *group;        /* GROUP */
    Signature signatures[3]; /* memo.c: of a trial, exact, exact with each variable itself */
    bool signing;            /* one is being made */
};

/* One use of a primitive function. */
typedef struct Call {
    AplPrimitive primitive;
    Value *left; /* NULL: monadic */
    Value *right;
    Value *axis; /* NULL: none given */
    int64_t origin;
    Span span;
} Call;

/* ---- environment --------------------------------------------------------------------------- */

typedef struct Binding {
    const char *name;
    Value *value;
    bool watched; /* a signature has asked for it */
    struct Binding *next;
} Binding;

/* What a name of a frame was (NULL: it had no value) before it got another one. */
typedef struct Change {
    const char *name;
    Value *value;
} Change;

typedef struct Changes {
    VEC(Change) list;
} Changes;

/* Goes on when a name gets another value that a signature has asked for. */
typedef struct Clock {
    uint64_t now;
} Clock;

/* Names of a dfn's activation (a list: blocks of a guard take it back) or of a whole file (a
 * table). */
struct Frame {
    Frame *outer;
    Binding *bindings;
    Binding **table; /* files only */
    size_t table_size, table_count;
    Changes *changes;     /* so far; of files those of a statement, or NULL */
    bool watched;         /* of a dfn: a signature has asked for some name */
    Clock *clock;         /* one for all frames */
    Elaboration *prelude; /* of the prelude's frame: whose; NULL of others */
    const AplNode *dfn;   /* that is called; NULL of files */
    Recursion *recursion; /* of a dfn whose body is a loop; NULL */
    bool failed;          /* a statement of the dfn did */
};

Frame *elab_frame(Compilation *c, Frame *outer, bool whole_file);
Value *elab_lookup(const Frame *frame, const char *name); /* NULL where there is none */
Value *elab_lookup_local(const Frame *frame, const char *name);
void elab_bind_name(Compilation *c, Frame *frame, const char *name, Value *value);
/* Takes the names of a frame back to what they were when so many changes had been noted. */
void elab_restore_names(Frame *frame, size_t count);
/* Compares the names of a frame that have values with a misspelled one. */
void elab_consider_names(const Frame *frame, Spelling *spelling);
/* elab_lookup for a signature: the clock goes on when another answer would be given. */
Value *elab_watch(Compilation *c, Frame *frame, const char *name);

/* prelude.c: its frame, and a definition, once it is asked for; NULL where it has none of that name. */
Frame *elab_prelude_frame(Elaboration *e);
Value *elab_define_prelude(Elaboration *e, const char *name);

/* ---- the state of elaboration -------------------------------------------------------------- */

typedef struct LetBinding {
    TailVariable *variable;
    const TailExp *value;
} LetBinding;

/* Lets under construction: the program's, or a lambda's or branch's body. */
struct Block {
    Block *outer;
    VEC(LetBinding) lets;
};

typedef struct BoundCache
    BoundCache; /* statements of dfns, bound once per classes of their names */

typedef struct Memo Memo;     /* signatures and results of calls */
typedef struct Shared Shared; /* calls for which the same is known (shared.c) */

/* A call of a closure whose body is being elaborated. */
typedef struct Activation {
    Function *function;
    const char *signature; /* memo.c; or NULL */
} Activation;

struct Elaboration {
    Compilation *c;
    Block *block;
    int parallel;             /* > 0 inside functions that run on the device: no effects there */
    int depth;                /* nested evaluation */
    int64_t budget;           /* what is left of SIZE_LIMIT */
    int64_t statement_budget; /* and of STATEMENT_LIMIT */
    Span outermost_call;      /* of a dfn, in the program's statement */
    int64_t origin;           /* ⎕IO of the user's program */
    Span user_span;           /* where the user's program is, while the prelude is elaborated */
    Frame *prelude, *program;
    Handler *handler; /* recover.c: where an error leads */
    Group *group;     /* whose function is at work; NULL */
    int recoveries;   /* in the program's statement so far */
    bool stopped;     /* nothing more of the program's statement is looked at */
    VEC(Activation) active;
    bool first_statement;
    BoundCache *cache;
    int suggestions;        /* asked for so far */
    bool trying;            /* for types only: what is written goes nowhere (memo.c) */
    unsigned number_before; /* of the last variable, when the trial began */
    int64_t weight;         /* lets and calls so far, with those that a trial has left out */
    int64_t effects;        /* prints, readings, settings and random numbers so far */
    Memo *memo;
    bool shares;               /* calls in the statement may be calls of functions of TAIL */
    int64_t most_written_out;  /* lets of the statement, where they may not */
    bool crowded;              /* it has more: the statement is given up */
    VEC(LetBinding) functions; /* in front of the program */
    PointerMap repeated;       /* signatures of calls of these that were written out before */
    const char *alpha, *omega, *alpha_alpha, *omega_omega, *self, *v; /* interned */
};

/* ---- emit.c: errors, lets ------------------------------------------------------------------- */

/* Reports at this place (for code of the prelude: at the user's call) and leaves the statement. */
_Noreturn void elab_fail(Elaboration *e, Span span, const char *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "NONCE ERROR: ⍋ (grade up) is not supported yet" */
_Noreturn void elab_nonce(Elaboration *e, Span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
Span elab_place(const Elaboration *e, Span span);
void elab_spend(Elaboration *e, Span span, int64_t amount);
/* NONCE ERROR: the function is at work already where it is called at `span`. */
_Noreturn void elab_recursion(Elaboration *e, const Function *function, Span span);
/* LIMIT ERROR: so many calls of functions, or `what`, are nested too deeply. Ends the program's
   statement. */
_Noreturn void elab_too_deep(Elaboration *e, Span span, const char *what);

Block *elab_open(Elaboration *e);
/* Takes the innermost block off; it may be put back by e->block = block. */
Block *elab_pop(Elaboration *e);
/* The lets of a block around a result. */
const TailExp *elab_wrap(Elaboration *e, Block *block, const TailExp *result);
/* Binds an expression to a new variable of the current block; atoms stay as they are. */
const TailExp *elab_let(Elaboration *e, const TailExp *value);
const TailExp *elab_call(Elaboration *e, TailBuiltin builtin, Span span, size_t count,
                         const TailExp *const *arguments);
#define ELAB_CALL(e, builtin, span, ...)                                                           \
    elab_call((e), (builtin), (span),                                                              \
              sizeof((const TailExp *[]){__VA_ARGS__}) / sizeof(const TailExp *),                  \
              (const TailExp *[]){__VA_ARGS__})
/* ELAB_CALL, let-bound, as a value with what its type tells. */
#define ELAB_VALUE(e, builtin, span, ...)                                                          \
    elab_value((e), ELAB_CALL((e), (builtin), (span), __VA_ARGS__), (span))
/* Gives the variable behind a value the name that it is assigned to. */
void elab_rename(Elaboration *e, const Value *value, const char *name);

/* ---- memo.c --------------------------------------------------------------------------------- */

/* Between both, calls are elaborated for what is known of their results. False inside of another
   trial, which is enough. */
bool elab_begin_trial(Elaboration *e);
void elab_end_trial(Elaboration *e);
/* What the facts of a call's result depend on, interned, or outside of trials what the result itself
   depends on; NULL where that is too much. */
const char *elab_signature(Elaboration *e, Function *function, const Value *left,
                           const Value *right);
/* The result of an earlier call of this signature; NULL where there is none in scope. Fails quietly
   where the earlier call failed. */
Value *elab_remembered(Elaboration *e, const char *signature);
/* A variable of a dfn's body is what another one is, for exact signatures. */
/* The variable of an earlier let in scope that sorts the same. */
TailVariable *elab_same_sort(Elaboration *e, const TailExp *value);
void elab_note_let(Elaboration *e, TailVariable *variable, const TailExp *value);
/* Of a copy that is to differ. */
void elab_forget_signatures(Function *function);
/* `effects`: e->effects before the call. */
void elab_remember(Elaboration *e, const char *signature, const Value *value, int64_t weight,
                   int64_t effects);
/* Everything that was remembered: it may be in terms of lets that are no longer there. */
void elab_forget(Elaboration *e);
void elab_remember_failure(Elaboration *e, const Activation *activation);
/* More than anything that is written out again: what has effects is not. */
enum { WEIGHT_OF_EFFECT = 1000000 };
void elab_weigh(Elaboration *e, int64_t weight);
/* How much a call would write, and its result in a trial. */
int64_t elab_weight_of_call(Elaboration *e, Function *function, Value *left, Value *right,
                            Span span, Value **result);

/* What calls of a function depend on that may be one function of TAIL, interned: the function with the
   variables that it uses from outside, and the facts of the arguments; `types` are those of these in
   TAIL. NULL where that is too much. */
const char *elab_shared_signature(Elaboration *e, Function *function, const Value *left,
                                  const Value *right, const char *types);
/* What is remembered of it, zero at first, `size` bytes. */
Shared *elab_shared_of(Elaboration *e, const char *signature, size_t size);

/* ---- statement.c ----------------------------------------------------------------------------- */

void elab_statement(Elaboration *e, Frame *frame, const AplNode *statement);

/* ---- shared.c ------------------------------------------------------------------------------- */

/* What is known of calls of a dfn for which the same is known; NULL where they are written out. */
Shared *elab_shared(Elaboration *e, Function *function, const Value *left, const Value *right);
/* A call of a function of TAIL, and what it weighs; NULL where the call is to be written out. */
Value *elab_shared_call(Elaboration *e, Shared *shared, Function *function, Value *left,
                        Value *right, Span span);
/* Such a call was written out, and weighs so much. */
void elab_note_shared(Shared *shared, int64_t weight);

/* ---- values.c ------------------------------------------------------------------------------- */

Value *elab_value(Elaboration *e, const TailExp *exp, Span span); /* let-bound unless an atom */
Value *elab_parameter(Elaboration *e, TailVariable *variable, int64_t rank, const int64_t *extents);
Value *elab_int(Elaboration *e, int64_t number, Span span);
Value *elab_bool(Elaboration *e, bool truth, Span span);
Value *elab_number(Elaboration *e, double number, Span span);
Value *elab_known(Elaboration *e, TailBaseKind base, int64_t count, const int64_t *numbers,
                  Span span);
Value *elab_string(Elaboration *e, size_t length, const uint32_t *codepoints, Span span);
Value *elab_empty(Elaboration *e, TailBaseKind base, Span span);
/* A vector of scalars of one kind (promoted to one base). */
Value *elab_vector(Elaboration *e, size_t count, Value *const *scalars, Span span);
Value *elab_function(Elaboration *e, Function *function);
Value *elab_at(Elaboration *e, const Value *value, Span span); /* the same, standing elsewhere */
Function *elab_primitive(Elaboration *e, AplPrimitive primitive, Span span);

bool elab_is_scalar(const Value *value); /* an array of rank 0 */
bool elab_numeric(TailBaseKind base);
/* The base both promote to; fails with a DOMAIN ERROR for characters with numbers. */
TailBaseKind elab_join_bases(Elaboration *e, TailBaseKind a, TailBaseKind b, Span span,
                             const char *what);
int64_t elab_count(const Value *value);    /* items, or -1 */
bool elab_one_element(const Value *value); /* known to have exactly one */
bool elab_known_empty(const Value *value);
/* A known bool or int scalar or one-element vector. */
bool elab_constant(const Value *value, int64_t *number);
/* The numbers of a scalar or vector of bools or ints; NULL where they are not known. */
const int64_t *elab_whole_numbers(Elaboration *e, const Value *value);
/* The k-th scalar of a vector that has elements or known contents; NULL otherwise. */
Value *elab_element(Elaboration *e, const Value *value, int64_t k);
bool elab_has_elements(const Value *value);

Value *elab_cast(Elaboration *e, Value *value, TailBaseKind base, Span span);
/* As ints, for counts and positions; DOMAIN ERROR for anything but bool and int. */
Value *elab_as_int(Elaboration *e, Value *value, Span span, const char *what);
/* A scalar int from a scalar or one-element array. */
Value *elab_as_count(Elaboration *e, Value *value, Span span, const char *what);
/* As bools; numbers index (ff tt), so that 2 is an error. */
Value *elab_truth(Elaboration *e, Value *value, Span span);
/* A scalar from a one-element array. */
Value *elab_as_scalar(Elaboration *e, Value *value, Span span);
/* A vector of known length whose TAIL type says so. */
Value *elab_sized(Elaboration *e, Value *value, Span span);
int64_t *elab_extents(Elaboration *e, int64_t rank); /* all -1 */
void elab_set_extents(Value *value, const int64_t *extents);
Value *elab_fill(Elaboration *e, TailBaseKind base, Span span);
/* Text of what was written there, for messages. */
const char *elab_text(Elaboration *e, Span span);
void elab_check_length(Elaboration *e, int64_t length, Span span);
/* A number as APL writes it: ¯2. */
const char *elab_digits(Elaboration *e, int64_t number);
const char *elab_real_digits(Elaboration *e, double number);
Value *elab_array_only(Elaboration *e, Value *value, Span span, const char *what);

/* ---- scalar.c, along.c, fold.c, extend.c ----------------------------------------------------- */

bool elab_is_scalar_function(AplPrimitive primitive, bool dyadic);
Value *elab_scalar_function(Elaboration *e, const Call *call);
/* along.c: the same with an axis. */
Value *elab_along(Elaboration *e, const Call *call);
/* Known numbers: + - × ⌈ ⌊ | ∧ ∨ and comparisons. */
bool elab_fold_dyadic(AplPrimitive primitive, int64_t a, int64_t b, int64_t *result);
bool elab_fold_monadic(AplPrimitive primitive, int64_t a, int64_t *result);

/* complex.c: of complex scalars; NULL where the function does not take them. */
Value *elab_complex_monadic(Elaboration *e, const Call *call, Value *z);
/* Either argument may still have a lower base. */
Value *elab_complex_dyadic(Elaboration *e, const Call *call, Value *z, Value *w);
/* Circular function ¯12..12. */
Value *elab_complex_circular(Elaboration *e, int64_t which, Value *z, Span span);
/* The number re J im. */
Value *elab_complex(Elaboration *e, Value *real, Value *imaginary, Span span);

/* A function of scalars, used at every item. Left is NULL where it is monadic. */
typedef Value *(*ScalarBody)(Elaboration *e, void *context, Value *left, Value *right, Span span);
/* Items by items with scalar extension. NULL where the body does not give a scalar. */
Value *elab_elementwise(Elaboration *e, ScalarBody body, void *context, Value *left, Value *right,
                        Span span);
/* The function as a lambda of two scalars whose result is of the first one's base, which widens until that holds; the
   second has the base `item`, or, where that is NULL, the same. `where`, for messages: "a reduction". */
const TailExp *elab_fold_lambda(Elaboration *e, Function *function, const char *where,
                                TailBaseKind *base, const TailBaseKind *item, Span span);

/* ---- shape.c, rearrange.c, select.c, join.c: rules of structural primitives ---------- */

Value *elab_shape(Elaboration *e, const Value *value, Span span);
Value *elab_extent(Elaboration *e, const Value *value, int64_t axis, Span span); /* axis from 0 */
/* A scalar or one-item vector, as often as the other side's axis is long (once where that is a scalar). */
Value *elab_spread_along(Elaboration *e, Value *value, const Value *other, int64_t axis, Span span);
Value *elab_reshape(Elaboration *e, Value *shape, Value *value, Span span);
Value *elab_ravel(Elaboration *e, Value *value, Span span);
/* permutation[i], from 1: where axis i goes. */
Value *elab_transpose(Elaboration *e, const int64_t *permutation, Value *value, Span span);
Value *elab_axis_to_last(Elaboration *e, int64_t axis, Value *value, Span span);
Value *elab_axis_from_last(Elaboration *e, int64_t axis, Value *value, Span span);
Value *elab_catenate(Elaboration *e, int64_t axis, Value *left, Value *right, Span span);
Value *elab_first(Elaboration *e, Value *value, Span span);
Value *elab_take(Elaboration *e, int64_t axis, Value *count, Value *value, Span span);
Value *elab_drop(Elaboration *e, int64_t axis, Value *count, Value *value, Span span);
/* The axis named in brackets, from 0; `fallback` where there is none. */
int64_t elab_axis(Elaboration *e, const Call *call, int64_t rank, int64_t fallback);
/* AXIS ERROR: what stands in brackets is known at run time only. */
_Noreturn void elab_unknown_axis(Elaboration *e, const Value *axis);
/* The `count` different axes named in brackets, from 0, into `axes` (of RANK_LIMIT). */
void elab_axes(Elaboration *e, const Call *call, int64_t count, int64_t rank, int64_t *axes);

Value *elab_rule_shape(Elaboration *e, const Call *call);
Value *elab_rule_ravel(Elaboration *e, const Call *call);
Value *elab_rule_table(Elaboration *e, const Call *call);
Value *elab_rule_reverse(Elaboration *e, const Call *call);
Value *elab_rule_transpose(Elaboration *e, const Call *call);
Value *elab_rule_up(Elaboration *e, const Call *call);
Value *elab_rule_down(Elaboration *e, const Call *call);
Value *elab_rule_first(Elaboration *e, const Call *call);
Value *elab_rule_enclose(Elaboration *e, const Call *call);
Value *elab_rule_squish(Elaboration *e, const Call *call);
Value *elab_rule_tally(Elaboration *e, const Call *call);
Value *elab_rule_match(Elaboration *e, const Call *call);
Value *elab_rule_iota(Elaboration *e, const Call *call);
Value *elab_rule_replicate(Elaboration *e, const Call *call);

/* ---- text.c -------------------------------------------------------------------------- */

Value *elab_rule_format(Elaboration *e, const Call *call);

/* ---- groups.c -------------------------------------------------------------------------------- */

/* f of each key and of its values, which are slices of `values` that begin at `starts`. */
Value *elab_key_groups(Elaboration *e, Value *function, Value *keys, Value *values, Value *starts,
                       Span span);
/* The same of a function that asks for nothing but folds of its group (elab_folds_groups) and how many it has: each value's
   group, by its number, and how many each has. */
Value *elab_key_folds(Elaboration *e, Value *function, Value *keys, Value *values, Value *numbers,
                      Value *counts, Span span);
/* The value is in place of a group of which only folds are asked for: what is called with it is written out, so that they are
   found. */
bool elab_stands_for_group(const Elaboration *e, const Value *value);
/* f of f/⍵ that is found for all groups at once; that of the group at work, where the value is such a group, else NULL. */
bool elab_folds_groups(AplPrimitive primitive);
Value *elab_group_fold(Elaboration *e, Function *function, Value *value, Span span);
Value *elab_apply_to_group(Elaboration *e, const Function *function, Value *left, Value *right,
                           Span span);
/* ⍋value or ⍒value, from 1, and value⍳value, where the value is the group at work; NULL where it is not. */
Value *elab_group_grade(Elaboration *e, bool up, Value *value, Span span);
Value *elab_group_firsts(Elaboration *e, Value *value, Span span);

/* ---- search.c ------------------------------------------------------------------------ */

Value *elab_rule_epsilon(Elaboration *e, const Call *call);
/* Whether there may be a table with a place for each number between the keys: run time knows how many that are. */
bool elab_may_be_close(const Elaboration *e, const Value *keys);
/* keys⍳items, from 1. */
Value *elab_index_of(Elaboration *e, Value *keys, Value *items, Span span);
Value *elab_rule_union(Elaboration *e, const Call *call);
Value *elab_rule_intersection(Elaboration *e, const Call *call);
Value *elab_rule_without(Elaboration *e, const Call *call);
Value *elab_rule_where(Elaboration *e, const Call *call);
Value *elab_rule_find(Elaboration *e, const Call *call);
Value *elab_rule_grade(Elaboration *e, const Call *call);
Value *elab_rule_deal(Elaboration *e, const Call *call);
Value *elab_rule_domino(Elaboration *e, const Call *call);
Value *elab_rule_decode(Elaboration *e, const Call *call);
Value *elab_rule_encode(Elaboration *e, const Call *call);
Value *elab_expand(Elaboration *e, Value *counts, Value *value, int64_t axis, Span span);
/* The value, after a LENGTH ERROR here or at run time where the two scalar ints differ. */
Value *elab_same(Elaboration *e, const Value *m, const Value *n, Value *value, Span span);
/* The value, after a DOMAIN ERROR where the condition is 0: with the number (a scalar) that is at
   fault, or NULL, and this message. */
Value *elab_require(Elaboration *e, Value *condition, const Value *number, Value *value,
                    const char *message, Span span);
/* The same where one of the numbers is not good: a mask of their shape. */
Value *elab_require_each(Elaboration *e, Value *good, Value *values, Value *result,
                         const char *message, Span span);
/* The same where a scalar int is negative. */
Value *elab_not_negative(Elaboration *e, Value *number, Value *value, const char *message,
                         Span span);
/* Positions that count from 1 as ones that count from ⎕IO. */
Value *elab_from_one(Elaboration *e, Value *positions, const Call *call);

/* ---- indexing.c ------------------------------------------------------------------------------ */

/* positions[i] NULL: the whole axis. */
Value *elab_index(Elaboration *e, Value *value, size_t count, Value *const *positions,
                  int64_t origin, Span span);
Value *elab_split(Elaboration *e, Value *value, Span span);
/* Which item of a tuple known positions mean, in row-major order. */
size_t elab_tuple_place(Elaboration *e, const Value *value, size_t count, Value *const *positions,
                        int64_t origin, Span span);
/* Ints that count from 1, checked where they are known. */
Value *elab_positions(Elaboration *e, Value *positions, int64_t extent, int64_t origin, Span span);

/* ---- progressions.c ------------------------------------------------------------------ */

/* Positions along an axis of an array, from 1: `count` of them, the first one and each `step` further, at least 1. */
typedef struct BlockAxis {
    Value *first, *count;
    int64_t step;
} BlockAxis;

/* The value is what ⍳ gives, from 1 on. */
void elab_note_progression(Elaboration *e, Value *iota);
/* The value has the positions of all items of an array of its shape in that array's ravel. */
void elab_note_all(Elaboration *e, Value *positions);
/* The result of a scalar function, of drop or of take: what is known of its argument's positions, moved. */
void elab_pass_progression(Elaboration *e, const Call *call, Value *result);
void elab_pass_drop(Elaboration *e, int64_t axis, Value *count, const Value *value, Value *result);
void elab_pass_take(Elaboration *e, int64_t axis, Value *count, const Value *value, Value *result);
/* Positions of one axis of the array that go up by equal steps, which is then put into `block`. */
bool elab_is_progression(Elaboration *e, const Value *array, int64_t axis, Value *position,
                         BlockAxis *block, Span span);
/* Positions (NULL: all) for each axis of the array that are a block of it, which is then put into `axes`. */
bool elab_is_block(Elaboration *e, const Value *array, Value *const *positions, BlockAxis *axes,
                   Span span);
/* Places in the array's ravel that were selected from all of them, and are a block of it. */
bool elab_is_selected_block(Elaboration *e, const Value *array, const Value *places,
                            BlockAxis *axes, Span span);

/* ---- assign.c ------------------------------------------------------------------------ */

/* The array with value at these positions (NULL: the whole axis); with a function, with what this gives for what is there
   and the value, for one place after the other. */
Value *elab_assign(Elaboration *e, Value *array, size_t count, Value *const *positions,
                   int64_t origin, Function *function, Value *value, Span span);
/* The position of each item in the array's ravel, from 1, in the array's shape. */
Value *elab_all_positions(Elaboration *e, Value *array, Span span);
/* The array with value at these positions in its ravel, in the shape of what selected them. */
Value *elab_assign_selected(Elaboration *e, Value *array, Value *places, Function *function,
                            Value *value, Span span);
/* Fails where an assignment in a dfn changes items of a variable outside, or modifies it: that makes
   a copy of its own, and the dfn does not use it. */
void elab_check_change(Elaboration *e, const Frame *frame, const AplNode *assignment);

/* operand@places of right, with left as the left argument of an operand that is a function. */
Value *elab_at_places(Elaboration *e, Value *operand, Value *places, Value *left, Value *right,
                      int64_t origin, Span span);

/* ---- tuples.c ------------------------------------------------------------------------ */

/* A strand: a vector where all items are scalars of one kind, else a tuple. */
Value *elab_strand(Elaboration *e, size_t count, Value *const *items, Span span);
/* Without items, items[0] is like one: the prototype is made of it. NULL: numbers. */
Value *elab_tuple(Elaboration *e, int64_t rank, const int64_t *extents, size_t count,
                  Value *const *items, Span span);
/* A tuple that stays one even where its items are scalars of one kind. */
Value *elab_record(Elaboration *e, int64_t rank, const int64_t *extents, size_t count,
                   Value *const *items, Span span);
Value *elab_enclose(Elaboration *e, Value *value, Span span);
/* The k-th item of a tuple or of an array of known extents, in row-major order. */
Value *elab_item(Elaboration *e, Value *value, int64_t k, Span span);
typedef Value *(*ItemBody)(Elaboration *e, void *context, Value *left, Value *right, Span span);
/* Item by item with extension of scalars and enclosed values, unrolled. */
Value *elab_itemwise(Elaboration *e, ItemBody body, void *context, Value *left, Value *right,
                     Span span);
/* RANK ERROR: a position among nested items is known at run time only. */
_Noreturn void elab_unknown_item(Elaboration *e, const Value *position);
Value *elab_tuple_reduce(Elaboration *e, Function *function, Value *value, int64_t axis, Span span);
Value *elab_tuple_outer(Elaboration *e, Function *function, Value *left, Value *right, Span span);
Value *elab_mix(Elaboration *e, Value *value, Span span);
/* f\\ of a list of nested items. */
Value *elab_tuple_scan(Elaboration *e, Function *function, Value *value, Span span);
/* Whether two values agree, of which at least one is nested. */
Value *elab_tuple_match(Elaboration *e, Value *left, Value *right, Span span);
/* How many items an array of known extents has. */
int64_t elab_known_count(Elaboration *e, const Value *value, Span span);
/* e->depth goes up by one: nesting is as deep as the program made it, and the stack has to bear it.
 */
void elab_deeper(Elaboration *e, Span span);
/* Structural primitives on tuples; NULL where there is no rule. */
Value *elab_tuple_primitive(Elaboration *e, const Call *call);

/* ---- nested.c, nested_search.c ----------------------------------------------------- */

/* nested_empty.c. Zeros and blanks in the shape of an item. */
Value *elab_prototype(Elaboration *e, Value *item, Span span);
/* The first item, or one like those that an array without items would have. */
Value *elab_item_or_prototype(Elaboration *e, Value *value, Span span);
/* No items, like this one (NULL: numbers). */
Value *elab_empty_tuple(Elaboration *e, int64_t rank, const int64_t *extents, Value *item,
                        Span span);
/* Of an array, or of each item of nested ones. */
bool elab_extents_known(const Value *value);
/* What a function would give: for its extents and types only. NULL where these are not known. */
Value *elab_result_of_none(Elaboration *e, ItemBody body, void *context, Value *left, Value *right,
                           Span span);
/* ↑ of no nested items. */
Value *elab_mix_none(Elaboration *e, const Value *value, Span span);
/* f's identity element in the shape of an item. */
Value *elab_identity_like(Elaboration *e, Function *function, Value *item, Span span);

Value *elab_nested_reverse(Elaboration *e, const Call *call);
Value *elab_nested_cut(Elaboration *e, const Call *call); /* ↑ and ↓ with a left argument */
Value *elab_nested_replicate(Elaboration *e, const Call *call);
Value *elab_nested_catenate(Elaboration *e, const Call *call);
Value *elab_nested_table(Elaboration *e, const Value *value, Span span);
Value *elab_nested_transpose(Elaboration *e, const int64_t *permutation, const Value *value,
                             Span span);
/* Positions of each axis (NULL: the whole one), checked; not all of them scalars. */
Value *elab_nested_index(Elaboration *e, Value *value, Value *const *positions, int64_t origin,
                         Span span);
/* ↑ of items some of which are nested. */
Value *elab_nested_mix(Elaboration *e, const Value *value, Span span);
/* ⍳ and ∊ with two arguments. */
Value *elab_nested_find(Elaboration *e, const Call *call);
/* ⊂[k] */
Value *elab_enclose_axes(Elaboration *e, const Call *call);

/* ---- nested_sets.c, nested_positions.c, nested_text.c ------------------------------------ */

/* Whether two values are known to be the same, or to differ. */
typedef enum Agreement { DIFFERENT, EQUAL, UNKNOWN } Agreement;
Agreement elab_agreement(Elaboration *e, Value *a, Value *b, Span span);
/* ∪ ∩ and ~ with two arguments, where some items are nested. */
Value *elab_nested_set(Elaboration *e, const Call *call);
/* Whether f⌸ is f of each key by itself: keys are written in the program, and f gives nested items, or
   arrays, of few keys or of different shapes. */
bool elab_keys_apart(Elaboration *e, Function *function, Value *keys, Value *values, int64_t origin,
                     Span span);
/* f⌸ of nested or known keys; values NULL: their positions, from the origin. */
Value *elab_nested_key(Elaboration *e, Function *function, Value *keys, Value *values,
                       int64_t origin, Span span);
/* ⍋ and ⍒ of lists of lists. */
Value *elab_nested_grade(Elaboration *e, const Call *call);
/* ⍳ of a list, which is not of one number: an array of index vectors. */
Value *elab_iota_positions(Elaboration *e, const Call *call);
/* ⍸ of an array of rank 2 or more. */
Value *elab_where_positions(Elaboration *e, const Call *call);
/* array[(1 2)(3 4)], and the indices that one nested position stands for. */
Value *elab_index_positions(Elaboration *e, Value *array, const Value *positions, int64_t origin,
                            Span span);
Value **elab_position_parts(Elaboration *e, const Value *array, Value *position, Span span);
/* ⊂ with two arguments. */
Value *elab_partition(Elaboration *e, const Call *call);
/* ⍕ of nested items. */
Value *elab_nested_format(Elaboration *e, const Value *value, Span span);

/* ---- forms.c: types of loop states and of branches ----------------------------------- */

typedef enum FormKind { FORM_ARRAY, FORM_ELEMENTS, FORM_TUPLE } FormKind;
/* What a state is made of: leaves are arrays; a strand of scalars is as many scalar leaves. */
typedef struct Form {
    FormKind kind;
    TailBaseKind base;
    int64_t rank;
    const int64_t *extents;
    size_t count;
    const struct Form *const *items;
} Form;
typedef VEC(const TailExp *) ExpVec;
typedef VEC(const TailType *) TypeVec;

const Form *elab_form(Elaboration *e, const Value *value, Span span);
const Form *elab_form_join(Elaboration *e, const Form *a, const Form *b, Span span,
                           const char *what);
/* The same without failing: NULL where there is no join. */
const Form *elab_form_try_join(Elaboration *e, const Form *a, const Form *b);
bool elab_form_equal(const Form *a, const Form *b);
void elab_form_types(Elaboration *e, const Form *form, TypeVec *types);
void elab_form_pack(Elaboration *e, const Form *form, Value *value, Span span, ExpVec *leaves);
Value *elab_form_unpack(Elaboration *e, const Form *form, const TailExp *const *leaves,
                        size_t *next, Span span);
/* A tuple of items of these forms. */
Value *elab_form_tuple(Elaboration *e, const Form *form, Value *const *items, Span span);
/* One leaf as it is, several as a TAIL tuple; and back, projecting. */
const TailExp *elab_form_exp(Elaboration *e, const Form *form, Value *value, Span span);
const TailType *elab_form_type(Elaboration *e, const Form *form);
Value *elab_form_value(Elaboration *e, const Form *form, const TailExp *exp, Span span);
/* if condition then ... else ...: the blocks and values of both branches, joined. */
Value *elab_branches(Elaboration *e, Value *condition, Block *then_block, Value *then_value,
                     Block *else_block, Value *else_value, Span span);

/* ---- associative.c ------------------------------------------------------------------- */

/* Whether f⎕ASSOC n takes tuples: then it reduces a tuple of arrays item by item. */
bool elab_takes_tuples(const Function *function);
/* The rank of what is reduced: of the arrays in the tuple. */
int64_t elab_fold_rank(Elaboration *e, const Function *function, Value *value, Span span);
/* (f⎕ASSOC n)/ and \ along this axis. */
Value *elab_associative(Elaboration *e, Function *function, bool scan, int64_t axis, Value *value,
                        Span span);

/* ---- operators.c, reduce.c, power.c -------------------------------------------------- */

Value *elab_derived(Elaboration *e, Function *function, Value *axis, Value *left, Value *right,
                    Span span);
Value *elab_each(Elaboration *e, Function *function, Value *left, Value *right, Span span); /* f¨ */
Value *elab_reduce(Elaboration *e, Function *function, int64_t axis, Value *value, Span span);
/* The scalar of that base type which changes nothing where f takes it beside others; NULL where there is none. */
Value *elab_identity(Elaboration *e, const Function *function, TailBaseKind base, Span span);
Value *elab_scan(Elaboration *e, Function *function, int64_t axis, Value *value, Span span);
Value *elab_power(Elaboration *e, Function *function, Value *count, Value *left, Value *state,
                  bool bench, Span span);

/* ---- evaluate.c, apply.c --------------------------------------------------------------------- */

Value *elab_evaluate(Elaboration *e, Frame *frame, const AplNode *node);
Function *elab_evaluate_function(Elaboration *e, Frame *frame, const AplNode *node);
Value *elab_apply(Elaboration *e, Function *function, Value *left, Value *right, Span span);
/* The same for whoever wants a function of items; the context is the Function. */
Value *elab_apply_item(Elaboration *e, void *context, Value *left, Value *right, Span span);
Value *elab_apply_primitive(Elaboration *e, const Call *call);
/* A function of the prelude by its name. */
Value *elab_prelude(Elaboration *e, const char *name);
Value *elab_apply_prelude(Elaboration *e, const char *name, Value *left, Value *right, Span span);
/* An operator of the prelude with its operands. */
Function *elab_prelude_operator(Elaboration *e, const char *name, Value *left, Value *right);
Value *elab_apply_prelude_operator(Elaboration *e, const char *name, Value *left_operand,
                                   Value *right_operand, Value *left, Value *right, Span span);
/* ⍺⍺ and ⍵⍵ of a user operator. */
void elab_bind_operands(Elaboration *e, Frame *frame, const Function *function);
/* The value of a closure's body, without what is remembered of calls. */
Value *elab_run_closure(Elaboration *e, Function *function, Value *left, Value *right, Span span);
Value *elab_call_closure(Elaboration *e, Function *function, Value *left, Value *right, Span span);

/* ---- body.c ---------------------------------------------------------------------------------- */

/* The value of the frame's dfn, from one of its statements on. */
Value *elab_body(Elaboration *e, Frame *frame, size_t first, Span span);

/* ---- rank.c -------------------------------------------------------------------------- */

/* f⍤k; left is NULL where it is monadic. */
Value *elab_rank(Elaboration *e, Function *function, Value *k, Value *left, Value *right,
                 Span span);

/* ---- windows.c, stencil.c ------------------------------------------------------------ */

/* n f/v along the axis. */
Value *elab_windows(Elaboration *e, Function *function, int64_t axis, Value *left, Value *value,
                    Span span);
/* f⌺sizes. */
Value *elab_stencil(Elaboration *e, Function *function, Value *sizes, Value *value, Span span);

/* ---- recursion.c --------------------------------------------------------------------- */

/* (f⍣g): f until g holds between the state after and the one before. */
Value *elab_until(Elaboration *e, Function *function, Function *condition, Value *left,
                  Value *state, Span span);
/* A call of a dfn whose body has ∇. */
Value *elab_recursive_call(Elaboration *e, Function *function, Value *left, Value *right,
                           Span span);
/* What a dfn gives at its end, where its body is a loop: the loop's next state; while forms are
   found out the value alone, NULL where it recurs. */
Value *elab_tail(Elaboration *e, Frame *frame, const AplNode *node);

/* ---- bound.c --------------------------------------------------------------------------------- */

/* Binds a statement with the classes of the names of a frame; NULL where apl_bind reports. */
const AplNode *elab_bound(Elaboration *e, Frame *frame, const AplNode *statement);
AplClass elab_class_of(const Elaboration *e, const Frame *frame, const char *name);

/* ---- recover.c ------------------------------------------------------------------------------- */

/* Leaves the statement without a report (it is already made). */
_Noreturn void elab_abandon(Elaboration *e);
/* The result may be NULL. */
typedef Value *Evaluation(Elaboration *e, Frame *frame, const AplNode *node);
/* Evaluates a node of a statement of the frame. False after an error, when other arguments in the
   node have been looked at and the names that the statement assigns are unusable. In the prelude an
   error leaves the statement of the program. */
bool elab_try(Elaboration *e, Frame *frame, const AplNode *statement, const AplNode *node,
              Evaluation *evaluation, Value **value);
/* elab_bound, with the same after an error: NULL. */
const AplNode *elab_try_bound(Elaboration *e, Frame *frame, const AplNode *statement);

/* ---- quad.c ---------------------------------------------------------------------------------- */

Value *elab_quad_value(Elaboration *e, const AplNode *node);
Value *elab_quad_apply(Elaboration *e, Function *function, Value *left, Value *right, Span span);
/* Code points of characters. */
Value *elab_codes(Elaboration *e, Value *value, Span span);
void elab_quad_assign(Elaboration *e, const AplNode *target, Value *value);
void elab_print(Elaboration *e, Value *value, Span span);
/* Fails where effects cannot be: in functions that run on the device. */
void elab_effect(Elaboration *e, Span span, const char *what);

#endif
