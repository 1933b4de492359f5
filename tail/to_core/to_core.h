/* Private to tail/to_core/: what the parts of the translation from TAIL to core share.

       to_core.c    the entry, the environment, expressions, functions, values
       numbering.c  scalar arithmetic with folding and value numbering; facts; assertions
       scalar.c     builtins on scalars
       arrays.c     builtins that make arrays or only move elements: views
       select.c     builtins that choose elements: first, indexing, compress, replicate
       grade.c      gradeUp and gradeDown
       maps.c       each and zipWith, and what extends one-element arrays
       folds.c      reduce and scan
       associative.c  reduceAssoc and scanAssoc
       compositions.c  reduce and scan by functions whose compositions have a form of their own
       complex.c    complex numbers: builtins on scalars; the parts of what is complex
       complex_folds.c  reduce and scan of complex numbers
       assign.c     update and assign: items replaced
       distinct.c   positions of which none stands twice
       accumulate.c accum: items modified, by several values one after the other
       cells.c      functions of cells
       functions.c  functions that lets bind, and their calls
       lift.c       scalars computed outside of the function that they stand in
       loops.c      power, while, condScl, bench, and if
       steps.c      what has effects, one item after the other; what idxassign changes
       effects.c    printing, reading, arguments, random numbers */
#ifndef TAIL_TO_CORE_TO_CORE_H
#define TAIL_TO_CORE_TO_CORE_H

#include "tail/tail.h"

/* ---- state --------------------------------------------------------------------------------- */

/* One core body in the making. What was computed in a scope may be used while it is open. */
typedef struct Scope {
    CoreBuilder builder;
    struct Scope *parent;
    bool open;
} Scope;

/* What a TAIL value is in core. A vector whose items are known as atoms has them as components (a
   shape, a literal, or what short vector arithmetic made of these); it becomes an array only when
   someone needs one. A scalar or array of complex numbers is a pair: of its real and of its
   imaginary parts, which have the same extents, as the same atoms. */
typedef struct Value {
    bool is_tuple, is_complex;
    size_t count;               /* tuple and complex: items; else: components */
    struct Value *const *items; /* tuple; complex: real, imaginary */
    bool has_components;        /* rank 1 only */
    const CoreAtom *components;
    CorePrim prim;
    bool is_stored; /* atom is there, built in stored_in (NULL: visible wherever the value is) */
    CoreAtom atom;
    const Scope *stored_in;
} Value;

typedef struct Numbering Numbering;

/* What is remembered about a TAIL variable. */
typedef struct Binding {
    Value *value;
    const Scope *scope;
    const bool *varying; /* parameter of a loop: which extents of the state change */
    /* of a function: */
    const TailExp *lambda;
    bool has_effects, needs_seed;
    const struct CalledFunction
        *made[2]; /* of calls on the host, and within functions for the device */
} Binding;

typedef struct ToCore {
    Compilation *c;
    Scope *scope;
    Binding *environment; /* by the TAIL variable's number */
    unsigned environment_count;
    Numbering *numbering;
    CorePrim integer, real; /* what int and double are */
    const char *text;       /* name for what is translated now */
    int depth;              /* nesting of expressions */
    int parallel;           /* nesting in functions that may run on the device */
    CoreAtom seed;          /* the seed in force, inside such functions */
    bool failed;
    VEC(const CoreFunction *) functions; /* made so far */
    PointerMap callees;                  /* their names, interned -> what is known of them */
    PointerMap companions;               /* their results -> what computes these alone */
    PointerMap distinct; /* name of a vector -> what is known of its items (distinct.c) */
    PointerMap orders;   /* names of orders -> what they are of (grade.c) */
} ToCore;

#define BUILDER(t) (&(t)->scope->builder)

/* ---- expressions, functions (to_core.c) ------------------------------------------------------ */

Value *to_core_translate(ToCore *t, const TailExp *exp);
/* The translation of a scalar or array as an atom. */
CoreAtom to_core_translate_atom(ToCore *t, const TailExp *exp);
/* The body of a TAIL function on these arguments, in the present scope. */
Value *to_core_apply(ToCore *t, const TailExp *lambda, size_t count, Value *const *arguments);
/* A diagnostic about the present place. */
void to_core_refuse(ToCore *t, const char *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same as a NONCE ERROR. */
void to_core_unsupported(ToCore *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

Scope *to_core_enter_scope(ToCore *t);
void to_core_leave_scope(ToCore *t);
const CoreBody *to_core_scope_body(Scope *scope, size_t result_count, const CoreAtom *results);

/* ---- values (to_core.c) ---------------------------------------------------------------------- */

CorePrim to_core_prim_of(ToCore *t, TailBaseKind base);
Value *to_core_value_atom(ToCore *t, CoreAtom atom);
Value *to_core_value_components(ToCore *t, CorePrim prim, size_t count, const CoreAtom *components);
Value *to_core_value_tuple(ToCore *t, size_t count, Value *const *items);
/* Two values of the same extents as complex numbers. */
Value *to_core_value_complex(ToCore *t, Value *real, Value *imaginary);
/* A scalar or array from its atoms, of which a complex one has two; and its atoms. */
enum { MOST_PARTS = 2 };
Value *to_core_value_parts(ToCore *t, size_t count, const CoreAtom *atoms);
size_t to_core_store_parts(ToCore *t, Value *value, CoreAtom *atoms);
/* A value of the type, for going on after a diagnostic. */
Value *to_core_value_dummy(ToCore *t, const TailType *type);
/* The value as an atom in the present scope, making an array of components where needed. */
CoreAtom to_core_store(ToCore *t, Value *value);
int to_core_value_rank(const Value *value);
CoreAtom to_core_value_extent(ToCore *t, const Value *value, int axis);
CoreAtom to_core_value_count(ToCore *t, const Value *value); /* of elements */
/* 0, 0.0, false, space. */
CoreAtom to_core_fill_of(CorePrim prim);

/* ---- scalar arithmetic and facts (numbering.c) --------------------------------------- */

Numbering *to_core_numbering_create(ToCore *t);
CoreAtom to_core_unary(ToCore *t, CoreOperator op, CoreAtom x);
/* |k| of an i64, not negative even for the least one. */
CoreAtom to_core_magnitude_of(ToCore *t, CoreAtom k);
CoreAtom to_core_binary(ToCore *t, CoreOperator op, CoreAtom x, CoreAtom y);
CoreAtom to_core_convert(ToCore *t, CorePrim to, CoreAtom x);
bool to_core_known_nonnegative(ToCore *t, CoreAtom x);
void to_core_assume_nonnegative(ToCore *t, CoreAtom x);
static inline bool is_constant(CoreAtom x, int64_t value)
{
    return !x.name && x.prim != CORE_F32 && x.prim != CORE_F64 && x.as.integer == value;
}
/* The certificate of an assertion; one without a name where the condition is known to hold. */
CoreAtom to_core_require(ToCore *t, CoreAtom condition, CoreErrorKind error, const char *message,
                         size_t value_count, const CoreAtom *values);
/* Statements built between guard and unguard carry the certificate. */
size_t to_core_guard(ToCore *t, CoreAtom certificate);
void to_core_unguard(ToCore *t, size_t mark);

/* ---- builtins ------------------------------------------------------------------------ */

typedef struct Call {
    const TailExp *exp;
    TailBuiltin builtin;
    const TailExp *const *arguments;
    const char *text;     /* name for the result */
    Value *const *values; /* of the arguments, where these are translated already; or NULL */
} Call;

/* The translation of an argument, its parts named as temporaries. */
Value *to_core_argument(ToCore *t, const Call *call, size_t i);
CoreAtom to_core_argument_atom(ToCore *t, const Call *call, size_t i);
CoreAtom to_core_argument_index(ToCore *t, const Call *call, size_t i); /* as i64 */

/* Each translates the builtins of one file; NULL where the builtin is another file's. */
Value *to_core_translate_scalar(ToCore *t, const Call *call);
Value *to_core_translate_array(ToCore *t, const Call *call);
Value *to_core_translate_select(ToCore *t, const Call *call);
Value *to_core_translate_grade(ToCore *t, const Call *call);
Value *to_core_translate_map(ToCore *t, const Call *call);
Value *to_core_translate_fold_in_steps(ToCore *t, const Call *call);
Value *to_core_translate_fold(ToCore *t, const Call *call);
Value *to_core_translate_associative(ToCore *t, const Call *call);
Value *to_core_translate_loop(ToCore *t, const Call *call);
Value *to_core_translate_effect(ToCore *t, const Call *call);
Value *to_core_translate_assign(ToCore *t, const Call *call);
Value *to_core_translate_accum(ToCore *t, const Call *call);
/* distinct.c: notes what the call's result is; whether a vector's items differ from each other, but for
   zeros, which are no positions. */
void to_core_note_distinct(ToCore *t, const Call *call, const Value *result);
bool to_core_positions_differ(const ToCore *t, CoreAtom positions);
/* Whether run time may say that they do, and what that is: a bool. */
bool to_core_ask_positions_differ(ToCore *t, CoreAtom positions, CoreAtom *differ);
/* grade.c: the first position of what gradeUp or gradeDown has given; false: the vector is none of these. */
bool to_core_first_of_order(ToCore *t, CoreAtom order, CoreAtom *first);
Value *to_core_translate_cells(ToCore *t, const Call *call);
Value *to_core_translate_complex(ToCore *t, const Call *call);

/* scalar.c */
/* The one core operator that a builtin is, operands in order; false where it is more than that. */
bool to_core_scalar_operator(TailBuiltin builtin, CoreOperator *op);
/* Whether a function's body is nothing but a few scalar builtins, cheap to write out again. */
bool to_core_is_simple_function(const TailExp *lambda);
/* A function of scalars on atoms. */
CoreAtom to_core_apply_scalar(ToCore *t, const TailExp *lambda, size_t count,
                              const CoreAtom *arguments);
/* The same where parameters and result may be complex, which are two atoms each. Gives the number
   of atoms of the result. */
size_t to_core_apply_parts(ToCore *t, const TailExp *lambda, const CoreAtom *arguments,
                           CoreAtom *results);

/* effects.c */
/* Whether the builtin is evaluated on the host only, in program order. */
bool to_core_has_effect(TailBuiltin builtin);

/* complex.c */
/* The parts of complex numbers one after the other along a new first axis. */
CoreAtom to_core_planes(ToCore *t, const Value *value);

/* complex_folds.c: NULL where it is not complex numbers that are folded */
Value *to_core_translate_complex_fold(ToCore *t, const Call *call);

/* folds.c */
/* reduce1 of an empty axis: DOMAIN ERROR, if there is any row at all. Gives the mark for unguard.
 */
size_t to_core_check_not_empty(ToCore *t, const Value *array, int axis);

/* arrays.c */
CoreAtom to_core_product(ToCore *t, size_t count, const CoreAtom *sizes);
/* All elements as a vector. */
CoreAtom to_core_flatten(ToCore *t, CoreAtom array);
/* The same array with other names for its extents, which are equal where the present guard holds.
 */
CoreAtom to_core_coerce(ToCore *t, CoreAtom array, const CoreAtom *sizes);

/* select.c */
/* The certificate of 1 <= index <= extent: else INDEX ERROR, which counts from the source's origin. */
CoreAtom to_core_check_index(ToCore *t, CoreAtom index, CoreAtom extent);
/* The element at all indices 0. */
CoreAtom to_core_first_element(ToCore *t, CoreAtom array);
/* a[i], of a vector. */
CoreAtom to_core_element(ToCore *t, const char *text, CoreAtom array, CoreAtom index);

/* maps.c */
/* Before a function is translated for the device: what it needs of the host. */
void to_core_prepare_function(ToCore *t, const TailExp *lambda);
/* Whether such a builtin is called in the function's body. */
bool to_core_function_has_effects(ToCore *t, const TailExp *lambda);
/* Whether random numbers are drawn there. */
bool to_core_function_needs_seed(ToCore *t, const TailExp *lambda);
/* Gives the number of its results, at most MOST_PARTS. */
typedef size_t (*Inner)(ToCore *t, void *context, const CoreAtom *rows, CoreAtom *results);
/* A nest of maps over `depth` outer axes of arrays of equal extents there; as many results as the
   innermost function has. */
size_t to_core_map_nest(ToCore *t, int depth, size_t count, const CoreAtom *arrays, Inner inner,
                        void *context, CoreAtom *results);
/* Makes the extents of two arrays of one rank the same atoms: where one has one element it extends;
   where they differ otherwise, LENGTH ERROR. Each is given by its parts. Returns the mark for
   unguard. */
size_t to_core_align(ToCore *t, size_t x_count, CoreAtom *x, size_t y_count, CoreAtom *y);

/* folds.c */
/* The call of two arguments that a function's body is, through a let of its result; or NULL. */
const TailExp *to_core_only_call(const TailExp *body);
/* Whether the call's arguments are the function's two parameters, in order. */
bool to_core_takes_parameters(const TailExp *lambda, const TailExp *call);

/* compositions.c */
typedef enum CompositionKind {
    COMPOSITION_NONE,
    COMPOSITION_BOOLEAN,
    COMPOSITION_TRUTH,
    COMPOSITION_AFFINE,
    COMPOSITION_QUOTIENT
} CompositionKind;
/* Whether a fold from the right by this function, of items of this kind, is a composition. */
CompositionKind to_core_composition(const TailExp *lambda, CorePrim prim);
/* What the fold of an empty vector comes to, whatever the function's identity element is. */
CoreAtom to_core_composition_of_none(CompositionKind kind, CorePrim prim);
/* The fold of a vector. */
CoreAtom to_core_reduce_composed(ToCore *t, CompositionKind kind, const TailExp *lambda,
                                 const char *text, CoreAtom row);
CoreAtom to_core_scan_composed(ToCore *t, CompositionKind kind, const TailExp *lambda,
                               const char *text, CoreAtom row);

/* loops.c */
/* S(b,k) and SV(b,k), whose values the types say: they need no place in a state, and are no leaves. */
bool to_core_is_known(const TailType *type);
/* The arrays and scalars that a value of this type is made of, in order; and the value again. */
const CoreAtom *to_core_leaves(ToCore *t, const TailType *type, Value *value, size_t *count);
Value *to_core_rebuild(ToCore *t, const TailType *type, const CoreAtom *atoms, size_t *next);
Value *to_core_translate_if(ToCore *t, const TailExp *exp);

/* assign.c */
/* A position, or several, of a vector with this extent as i64 from 0, checked. */
CoreAtom to_core_checked_position(ToCore *t, CoreAtom index, CoreAtom extent);
/* That the positions from the first one on, `count` of them, are in an axis: the assertion, whose error has the first that is
   not. */
CoreAtom to_core_check_block(ToCore *t, CoreAtom first, CoreAtom count, int64_t step,
                             CoreAtom extent);
CoreAtom to_core_checked_positions(ToCore *t, CoreAtom indices, CoreAtom extent);

/* functions.c */
/* let v = fn x => e in: core functions are made of it where it is called. */
void to_core_bind_function(ToCore *t, const TailVariable *variable, const TailExp *lambda);
Value *to_core_translate_apply(ToCore *t, const TailExp *exp);
/* A core function that is complete; pure: no effects, equal arguments give equal results. */
void to_core_add_function(ToCore *t, const CoreFunction *function, bool is_pure);
const CoreFunction *to_core_find_function(ToCore *t, const char *name); /* NULL: there is none */
bool to_core_is_pure(ToCore *t, const char *name);
/* Around the translation of a function's body, where nothing that is computed outside is visible. */
typedef struct Outside {
    Scope *scope;
    const char *text;
    int parallel;
    CoreAtom seed;
} Outside;
Outside to_core_begin_function(ToCore *t, int parallel);
void to_core_end_function(ToCore *t, const Outside *outside);

/* lift.c */
/* i64 atoms of a scope that is left, as atoms of the same values that are visible in the present one
   around it: what computes them is computed again here, from names that have at most the number
   `mark`. False where that depends on what only the inner scope knows. */
bool to_core_lift(ToCore *t, const Scope *inner, unsigned mark, size_t count, CoreAtom *atoms);

/* steps.c */
typedef VEC(TailVariable *) Assigned;
/* The variables of the present body that idxassign changes inside the expression. */
void to_core_find_assigned(ToCore *t, const TailExp *exp, Assigned *assigned);
/* As a tuple: their types, without what is known of their values; what they are now. */
const TailType *to_core_assigned_type(ToCore *t, const Assigned *assigned);
Value *to_core_assigned_value(ToCore *t, const Assigned *assigned);
/* From now on, in the present scope, they are the items of the tuple. */
void to_core_set_assigned(ToCore *t, const Assigned *assigned, const Value *value);
/* Whether a function has to be applied to one item after the other: it changes variables outside
   or, on the host, has effects. */
bool to_core_one_by_one(ToCore *t, const TailExp *lambda);
/* A loop that does so. Its state begins with the variables; in the scope they are what they are at
   the beginning of a step. */
typedef struct Steps {
    Assigned assigned;
    Value *before; /* what the variables are before */
    size_t assigned_count;
    VEC(CoreName *) parameters;
    VEC(CoreAtom) start, next;
    CoreName *index;
    Scope *scope;
} Steps;
/* Enters the scope of a step. */
Steps *to_core_begin_steps(ToCore *t, const TailExp *lambda);
/* More state, also after the scope was left: its place. It stays as it is unless it is set. */
size_t to_core_add_state(ToCore *t, Steps *steps, const char *text, CoreAtom initial);
CoreAtom to_core_state(const Steps *steps, size_t k);
void to_core_set_state(Steps *steps, size_t k, CoreAtom next);
void to_core_leave_steps(ToCore *t, Steps *steps);
/* The loop: what the state is after it; so are the variables. */
const CoreAtom *to_core_finish_steps(ToCore *t, Steps *steps, CoreAtom bound);

#endif
