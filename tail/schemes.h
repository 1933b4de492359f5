/* Private to tail/: the type schemes of builtins.def as data, and how calls fit them. */
#ifndef TAIL_SCHEMES_H
#define TAIL_SCHEMES_H

#include "tail/tail.h"

/* ---- schemes (scheme_text.c) ----------------------------------------------------------------- */

enum { SCHEME_TERMS = 4, SCHEME_PATTERNS = 4, SCHEME_ITEMS = 8, SCHEME_LETTERS = 26 };

typedef struct SchemeTerm {
    bool negative, absolute;
    int variable; /* a letter's place in the alphabet; -1: a constant */
    int64_t constant;
} SchemeTerm;

typedef struct SchemePattern {
    bool whole;  /* `t` or `any`: a whole type */
    bool lifted; /* `[t]r`: t with arrays of that rank for its scalars */
    TailTypeKind kind;
    int base_variable; /* -1: `base` */
    TailBaseKind base;
    int term_count;
    SchemeTerm terms[SCHEME_TERMS];
} SchemePattern;

/* A parameter or the result: one pattern, or the several of a function's type. */
typedef struct SchemeItem {
    bool function;
    int count;
    SchemePattern patterns[SCHEME_PATTERNS];
} SchemeItem;

typedef struct Scheme {
    int count; /* parameters and the result */
    const SchemeItem *items;
} Scheme;

/* The alternatives of a builtin, at least one. */
typedef VEC(Scheme) Schemes;
const Schemes *tail_schemes(Compilation *c, TailBuiltin builtin);
/* The last alternative, which is the most general. All of them have functions in the same places.
 */
const Scheme *tail_general_scheme(Compilation *c, TailBuiltin builtin);

/* ---- matching (schemes.c) -------------------------------------------------------------------- */

/* What the letters of a scheme stand for in a call. */
typedef struct SchemeBindings {
    bool base_bound[SCHEME_LETTERS], shape_bound[SCHEME_LETTERS];
    TailBaseKind bases[SCHEME_LETTERS];
    int64_t shapes[SCHEME_LETTERS];
    const TailType *whole;
} SchemeBindings;

/* Whether an argument of this type fits; binds the letters that are free. */
bool tail_match_item(SchemeBindings *bindings, const SchemeItem *item, const TailType *type);
/* Whether the builtin prints arrays, and of which elements: its scheme takes any. */
bool tail_prints(TailBuiltin builtin, TailBaseKind *base);
/* The value of a term whose letter is bound. */
int64_t tail_term_value(const SchemeBindings *bindings, const SchemeTerm *term);

/* ---- explaining (explain.c) ------------------------------------------------------------------ */

/* Which argument of a call keeps it from fitting its builtin's scheme, and why: "argument 2 of addi
   has type [double]0, but must have type [int]0". NULL where each fits. Requires the right number
   of arguments. */
const char *tail_explain_call(Compilation *c, TailBuiltin builtin, size_t count,
                              const TailType *const *types, size_t *argument);

#endif
