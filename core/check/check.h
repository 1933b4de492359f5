/* What the files of core's checker share (private to core/check).

   messages.c    errors, and names and types in them
   scopes.c      names: bound once, used in scope; sizes that are equal
   types.c       statements, scalars, control, functions
   arrays.c      array expressions
   soacs.c       SOACs, streams, effects
   aliases.c     alias sets                        [PLDI figure 5]
   uniqueness.c  occurrence traces and consumption [PLDI figure 6] */
#ifndef CORE_CHECK_CHECK_H
#define CORE_CHECK_CHECK_H

#include "core/core.h"
#include "core/text_form.h"

struct Roots;

/* What is known of a name. */
typedef struct NameInfo {
    const CoreName *name;
    bool bound, in_scope;
    CoreAtom equal;      /* a scalar's atom behind `let (x) = a` statements; itself otherwise */
    struct Roots *roots; /* arrays: whose elements it may share */
} NameInfo;

typedef struct FunctionInfo {
    const CoreFunction *function;
    bool has_effect;
} FunctionInfo;

typedef struct Root Root;

typedef struct Check {
    Compilation *c;
    PointerMap names;           /* CoreName -> NameInfo */
    PointerMap functions;       /* interned text -> FunctionInfo */
    VEC(const CoreName *) open; /* in scope, in order of binding */
    /* where we are */
    const CoreFunction *function;
    const CoreStm *stm; /* NULL outside statements */
    bool lenient;       /* a certificate guards the statement: sizes may change */
    bool unreachable;   /* behind an assertion that always fails: nothing has a meaning here */
    int depth;          /* of bodies */
    int lambdas;        /* SOAC functions around us: no effects there */
    bool has_stages;    /* the outermost of them is the map function of a SOAC */
    bool has_effect;    /* seen in this function */
    size_t errors;
    /* uniqueness */
    VEC(Root *) consumed; /* consumed roots, in order */
    int level;            /* bodies around us that run many times: of loops and SOAC functions */
    VEC(struct Roots *) observed; /* by the functions that run many times around us, in order */
    int watching;                 /* such functions */
    size_t epoch;                 /* counts consumptions */
    size_t root_count, mark;      /* for Root.number and .mark */
} Check;

/* ---- messages.c ------------------------------------------------------------------------------ */
void core_check_error(Check *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* An atom, a type (without its uniqueness), two types that differ: as the source has their names.
 */
const char *core_check_text(Check *k, CoreAtom atom);
const char *core_check_type_text(Check *k, CoreType type);
void core_check_type_texts(Check *k, CoreType a, CoreType b, const char *texts[2]);
/* Where a statement is, for messages: "line 3 column 5", or its text. */
const char *core_check_place(Check *k, const CoreStm *stm);

/* ---- scopes.c -------------------------------------------------------------------------------- */
NameInfo *core_check_name(Check *k, const CoreName *name);
size_t core_check_scope(const Check *k);
void core_check_close(Check *k, size_t mark);
void core_check_bind(Check *k, CoreName *name);
/* In scope, with a type whose sizes are atoms in scope. */
void core_check_use(Check *k, CoreAtom atom);
void core_check_type(Check *k, CoreType type, const char *what);
bool core_check_same_size(Check *k, CoreAtom a, CoreAtom b);
/* Prim, rank and sizes; reports "what: expected .., found ..". */
bool core_check_same(Check *k, CoreType expected, CoreType found, const char *what);
bool core_check_scalar(Check *k, CoreAtom atom, CorePrim prim, const char *what);
bool core_check_array(Check *k, CoreAtom atom, const char *what, CoreType *type);
FunctionInfo *core_check_function_info(Check *k, const char *name);

/* ---- types.c --------------------------------------------------------------------------------- */
void core_check_body(Check *k, const CoreBody *body);
/* The names must be bindable to results of these types; values: the atoms that the results are, so
   that a size that is an earlier name of the pattern can be compared (existential sizes). */
void core_check_results(Check *k, size_t name_count, CoreName *const *names, size_t count,
                        const CoreType *types, const CoreAtom *values, const char *what);
void core_check_one_result(Check *k, CoreType type);
/* A lambda applied to arguments of these types; chunk (or NULL) may stand in its result types. */
bool core_check_lambda(Check *k, const CoreLambda *lambda, size_t count, const CoreType *arguments,
                       const CoreName *chunk, const char *what);

/* ---- arrays.c, soacs.c ----------------------------------------------------------------------- */
void core_check_array_exp(Check *k, const CoreExp *exp);
void core_check_soac_exp(Check *k, const CoreExp *exp);
void core_check_effect_exp(Check *k, const CoreExp *exp);

/* ---- aliases.c ------------------------------------------------------------------------------- */

/* Storage that arrays share: made by a fresh array or a parameter. */
struct Root {
    const CoreName *name;    /* what made it, for messages */
    int level;               /* Check.level where it was made */
    bool borrowed;           /* a parameter that is not unique: never consumed */
    const CoreStm *consumer; /* NULL: alive */
    const CoreName *consumed_as;
    size_t stamp;
    size_t number; /* later roots have greater ones */
    size_t mark;
};

/* A set of roots: a list that shares its tail. What is asked of long sets again and again is kept,
   so that a program of many statements whose sets grow takes linear time. */
typedef struct Roots {
    Root *root;
    struct Roots *rest;
    size_t count;
    size_t newest; /* the greatest number of its roots */
    size_t alive;  /* the epoch in which it was seen to have no consumed root */
    size_t mark;
} Roots;

Root *core_alias_new_root(Check *k, const CoreName *name, bool borrowed);
Roots *core_alias_add(Check *k, Root *root, Roots *roots);
Roots *core_alias_union(Check *k, Roots *a, Roots *b);
bool core_alias_has(const Roots *roots, const Root *root);
/* The first consumed root of the set, or NULL. */
Root *core_alias_consumed(Check *k, Roots *roots);
/* Of an atom: NULL for scalars and constants. */
Roots *core_alias_roots(Check *k, CoreAtom atom);
void core_alias_set(Check *k, const CoreName *name, Roots *roots);
/* A fresh array. */
Root *core_alias_fresh(Check *k, const CoreName *name, bool borrowed);
/* The alias set of the result of a one-result expression that has no body inside and consumes
   nothing: a view's operands, or empty for a fresh array. */
Roots *core_alias_of_exp(Check *k, const CoreExp *exp);

/* ---- uniqueness.c ---------------------------------------------------------------------------- */
void core_check_uniqueness(Check *k, const CoreFunction *function);

#endif
