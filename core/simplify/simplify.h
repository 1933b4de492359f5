/* Inside the simplifier (private to core/simplify).

   simplify.c  rounds: analyse, rebuild, remove what is dead, until nothing changes
   rebuild.c   one walk forwards: substitution, the rules on each statement, scopes
   bodies.c    the walk into branches, loops and functions of SOACs
   facts.c     what is known of names: definitions, scopes, alias classes, consumption
   aliases.c   which arrays may be in one memory, for those who come after core
   fold.c      operators of constants
   algebra.c   identities of operators; linear forms of integers; loop state by induction
   choice.c    products with opposite bits: choices
   extension.c lengths of what may be extended
   ranges.c    bounds of integers, and what conditions say of them
   prove.c     comparisons proven from bounds
   divide.c    quotients and remainders of sums
   elements.c  bounds of the elements of arrays
   checks.c    assertions and certificates
   cse.c       common subexpressions
   hoist.c     where a statement may go
   control.c   if and loops with known outcome, invariant state
   index.c     indexing through views and maps
   views.c     views of views
   turns.c     rotations, reversals and rearrangements of one array
   soacs.c     inputs and results of SOACs: repeated, replicated, invariant
   copies.c    copies whose source is dead; state that a loop updates in place
   accumulate.c  loops that only accumulate, as reductions; before fusion
   dead.c      one walk backwards: dead statements, results, inputs, loop state
   inline.c    calls; before all others
   limits.c    arrays too large to count; before simplification
   lengths.c   a version for arrays of one length (lengths_meet.c: which they are); after it */
#ifndef CORE_SIMPLIFY_SIMPLIFY_H
#define CORE_SIMPLIFY_SIMPLIFY_H

#include "core/core.h"
#include "core/name_map.h"
#include "core/rewrite.h"

typedef VEC(const CoreStm *) StmVec;
typedef VEC(CoreName *) NameVec;
typedef VEC(CoreAtom) Spelling; /* an expression as a list of atoms (cse.c) */

/* ---- facts ----------------------------------------------------------------------------------- */

typedef struct Fact Fact;
typedef struct Linear Linear;
typedef struct Bound Bound;

typedef struct Interval {
    int64_t low, high;
} Interval;

/* A body that is a function's, or may run many times: a loop's, or one of a SOAC's functions. */
typedef struct Home {
    const struct Home *outer;
    int depth;
} Home;

/* What is known of a name in this round. */
struct Fact {
    const CoreName *name;
    const CoreStm *stm; /* that binds it, rebuilt; NULL for parameters */
    int depth;          /* of the scope that binds it */
    bool used;          /* as an operand or result, in the old program */
    bool live;          /* used by what stays (dead.c) */
    bool replaced;      /* by this atom, everywhere after its binding */
    CoreAtom replacement;
    /* alias class: arrays that may share elements; a union-find forest. Of the representative: */
    bool consumed; /* something of it is, or must be unique */
    bool borrowed; /* has a parameter that must not be consumed */
    bool many_homes;
    bool copied; /* a COPY is of something of it */
    bool whole;  /* something of it is a body's result, a loop's first state, or printed */
    bool joined; /* with others, since the analysis */
    Fact *parent;
    const Home *home;    /* binds all of it, or things inside do; NULL: of no array */
    size_t in_use_count; /* how many of its names are in use (liveness.c) */
    /* of an array */
    const Home *bound;
    bool in_use;  /* at the place that liveness.c looks at */
    bool own;     /* a loop's state, which it may have for itself (liveness.c) */
    bool row;     /* a row of another array, or another view that has as few elements */
    bool apart;   /* a row that is stored, so that its array need not be copied (liveness.c) */
    size_t stamp; /* of dead.c */
    size_t state; /* of dead.c: 1 + position among a loop's parameters */
    /* scalars */
    const Linear *linear;
    Interval range;         /* of an i64, by its definition, where that stands */
    int not_negative_depth; /* smallest depth where it is known; INT_MAX */
    int positive_depth;     /* the same of name >= 1 */
    int extent_depth;       /* the same of name being the extent of an array */
    Bound *bounds;          /* learnt in scopes, bound_count of them */
    int bound_count;
    /* lower <= name <= upper as integers, of an array its elements; NULL: not known */
    const Linear *lower, *upper;
    const Linear *outer_lower, *outer_upper; /* of a function's result: by what is outside it */
};

/* c0 + c1*x1 + ..., modulo 2^64; in bounds: as integers. */
enum { MOST_TERMS = 6 };
struct Linear {
    int count;
    uint64_t constant;
    struct {
        CoreName *name;
        uint64_t factor;
    } terms[MOST_TERMS];
};

/* name <= other + add, or at_least: name >= other + add, as integers; in scopes from that depth on.
 */
struct Bound {
    bool at_least;
    CoreAtom other;
    int64_t add;
    int depth;
    Bound *next;
};

typedef enum ScopeKind { SCOPE_FUNCTION, SCOPE_BRANCH, SCOPE_LOOP, SCOPE_LAMBDA } ScopeKind;

/* A body that is being rebuilt. */
typedef struct Scope {
    ScopeKind kind;
    bool may_hoist;  /* statements may leave it */
    bool runs;       /* surely runs at least once, where the statement around it does */
    bool can_weaken; /* an assertion may leave it where `unreached` is put beside its condition */
    CoreAtom unreached_left, unreached_right; /* left <= right, or right absent: !left */
    bool unreached_is_not;
    bool barrier; /* an assertion, effect or endless loop stands before: later ones must not pass */
    StmVec stms;
    VEC(struct CseEntry *) entries; /* to forget when it closes */
    VEC(Fact *) learned;
    VEC(Fact *) known; /* conditions that are known in it: constants until it closes */
} Scope;

typedef struct Simplify {
    Compilation *c;
    Arena *arena;   /* for what is known in this round, and goes with it */
    size_t *counts; /* one a rule */
    bool changed;
    bool last; /* nothing comes after: rules that hide what others look for may be applied */
    CoreNameMap facts;      /* Fact */
    PointerMap homes;       /* CoreBody -> Home */
    PointerMap last_copies; /* COPY -> itself: what it copies is not used afterwards (liveness.c) */
    bool analysed;
    Scope *scopes[NESTING_LIMIT + 4];
    int depth;   /* of the innermost scope */
    int lambdas; /* SOAC functions around us */
    bool in_entry;
    size_t stamp;
    struct CseEntry **cse;
    size_t cse_capacity, cse_count;
    Spelling spellings[2]; /* expressions that are compared just now */
    size_t spelling_count;
    CoreNameMap spelt_names;
} Simplify;

/* A statement while rules work on it. */
typedef struct Work {
    size_t pattern_count;
    CoreName *const *pattern; /* as in the old program: retyped at the end */
    size_t certificate_count;
    const CoreAtom *certificates;
    const CoreExp *exp;
    Span span;
    const CoreStm *old;      /* what it was before, where it was something */
    const CoreAtom *results; /* not NULL: the statement goes, its names are these */
} Work;

/* facts.c */
Fact *simplify_fact(Simplify *s, const CoreName *name);
Fact *simplify_class(Fact *fact);
bool simplify_consumed(Simplify *s, CoreAtom atom);
/* What is known is kept in `arena`, for as long as the Simplify is used. */
Simplify *simplify_create(Compilation *c, Arena *arena, size_t *counts);
void simplify_analyse(Simplify *s, const CoreFunction *function);
/* The same of a statement with names of its own that has been built since: who shares elements with whom, and what is consumed.
   What is known already stays so. */
void simplify_analyse_more(Simplify *s, const CoreStm *stm);
void simplify_fired(Simplify *s, CoreRule rule);
/* The statement that defines the atom, or NULL; guarded ones only where `guarded`. */
const CoreStm *simplify_definition(Simplify *s, CoreAtom atom, bool guarded);
/* The operation that makes the atom, where it is this one; else NULL. */
const CoreExp *simplify_operation(Simplify *s, CoreAtom atom, CoreOperator op);
/* The two arrays may share elements from now on. */
void simplify_same_class(Simplify *s, const CoreName *a, const CoreName *b);

/* liveness.c: which copies are the last use of what they copy, and which state a loop may have for itself. */
void simplify_find_last_copies(Simplify *s, const CoreBody *function_body);
/* Where classes within the loop's body are known, but not yet what its state is outside. */
void simplify_find_own_state(Simplify *s, const CoreStm *stm);

/* merge_calls.c: calls of one function in branches that exclude each other, as one call. */
const CoreProgram *simplify_merge_calls(Compilation *c, const CoreProgram *program);

/* rebuild.c */
CoreAtom simplify_now(void *simplify, CoreAtom atom); /* substitution */
CoreName *simplify_retyped(Simplify *s, CoreName *name);
CoreName *const *simplify_retyped_all(Simplify *s, size_t count, CoreName *const *names);
void simplify_statement(Simplify *s, const CoreStm *stm);
/* New statements before the one at work; the atom that stands for the result. */
CoreAtom simplify_let(Simplify *s, const Work *work, const char *text, CoreType type,
                      const CoreExp *exp);
CoreAtom simplify_binary(Simplify *s, const Work *work, const char *text, CoreOperator op,
                         CoreAtom x, CoreAtom y);
CoreAtom simplify_unary(Simplify *s, const Work *work, const char *text, CoreOperator op,
                        CoreAtom x);
void simplify_replace(Simplify *s, const CoreName *name, CoreAtom atom);
void simplify_set_atom(Simplify *s, Work *work, CoreAtom atom);
void simplify_add_certificates(Simplify *s, Work *work, const CoreStm *from);
const CoreFunction *simplify_rebuild(Simplify *s, const CoreFunction *function);

/* bodies.c */
Scope *simplify_open(Simplify *s, ScopeKind kind);
/* The body of the scope; `old` itself where that has become the same. */
const CoreBody *simplify_close(Simplify *s, size_t count, const CoreAtom *results,
                               const CoreBody *old);
void simplify_bind_parameter(Simplify *s, CoreName *name);
void simplify_bodies(Simplify *s, Work *work);
const CoreType *simplify_types_now(Simplify *s, size_t count, const CoreType *types);
/* Statements of a body into the present scope. */
void simplify_statements(Simplify *s, const CoreBody *body);
void simplify_learn_sizes(Simplify *s, CoreType type, int depth);
void simplify_learn(Simplify *s, CoreAtom atom, int64_t least, int depth); /* least: 0 or 1 */
/* What follows from a condition that is true, or false, in the scope of that depth. */
void simplify_learn_condition(Simplify *s, CoreAtom condition, bool truth, int depth);
void simplify_forget_bounds(Fact *fact, int depth);

/* the rules */
bool simplify_fold(Simplify *s, Work *work);
bool simplify_constant(const CoreExp *exp, CoreAtom *value); /* evaluated as at run time */
bool simplify_algebra(Simplify *s, Work *work);
/* The form of an integer; `room` may hold it. */
const Linear *simplify_linear(Simplify *s, CoreAtom atom, Linear *room);
/* sum += factor * other; false where it has too many terms. */
bool simplify_add_linear(Linear *sum, uint64_t factor, const Linear *other);
bool simplify_linear_difference(Simplify *s, CoreAtom a, CoreAtom b, int64_t *difference);
bool simplify_linear_atom(const Linear *linear, CoreAtom *atom);
const Linear *simplify_linear_exp(Simplify *s, const CoreExp *exp);
/* The body of a rebuilt loop, with i64 state that provably stays what it was made plain. */
const CoreBody *simplify_induction(Simplify *s, const CoreExp *loop);

/* choice.c: sums of products with opposite bits as choices; among the last. */
bool simplify_choice(Simplify *s, Work *work);

/* extension.c: what singleton extension computes of lengths, where it extends nothing. */
bool simplify_extension(Simplify *s, Work *work);

/* convert.c: conversions of conversions and of whole reals. */
bool simplify_convert(Simplify *s, Work *work);

/* powers.c: powers with small constant exponents. */
bool simplify_power(Simplify *s, Work *work);

/* widths.c: sums of 64-bit integers, what is narrow first; among the last. */
bool simplify_narrow_sum(Simplify *s, Work *work);

/* ranges.c: bounds of an i64 in the scope of that depth (0: the present one). */
Interval simplify_interval(Simplify *s, CoreAtom atom, int depth);
/* Notes the range of what the statement binds, once it stands in the scope of that depth. */
void simplify_learn_range(Simplify *s, const CoreStm *stm, int depth);
bool simplify_is_exact(CoreOperator op, Interval x, Interval y); /* + - * do not wrap there */
bool simplify_is_positive(Simplify *s, CoreAtom atom);
bool simplify_is_not_negative(Simplify *s, CoreAtom atom, int depth);
/* prove.c */
bool simplify_prove(Simplify *s, Work *work);
bool simplify_decide(Simplify *s, CoreOperator op, CoreAtom x, CoreAtom y, bool *answer);
/* x < the sum of the parts, x >= it; proven. */
bool simplify_is_below_sum(Simplify *s, CoreAtom x, size_t count, const CoreAtom *parts);
bool simplify_is_from_sum(Simplify *s, CoreAtom x, size_t count, const CoreAtom *parts);
/* max and min of which one operand surely wins, now. */
bool simplify_winner(Simplify *s, const CoreExp *exp, CoreAtom *winner);
/* Bounds of an atom by what is known outside the present scope; NULL where there are none. */
void simplify_outer_bounds(Simplify *s, CoreAtom atom, const Linear **lower, const Linear **upper);
/* The one of two atoms that an if with plain results gives, where its condition is known here. */
bool simplify_select(Simplify *s, CoreAtom atom, CoreAtom *selected);
bool simplify_divide(Simplify *s, Work *work);
/* elements.c: bounds of the elements of what a statement binds, from those of its operands. */
void simplify_learn_elements(Simplify *s, const CoreStm *stm);
bool simplify_checks(Simplify *s, Work *work);
/* unreached.c: the last statement of the scope is an assertion that fails; what a statement behind it binds. */
bool simplify_ends(const Simplify *s);
void simplify_leave_out(Simplify *s, const CoreStm *assertion, const CoreStm *stm);
void simplify_certificates(Simplify *s, Work *work);
/* The work, another name of an array, needs no certificates any more: what makes the array has them. */
bool simplify_guard_maker(Simplify *s, const Work *work);
bool simplify_control(Simplify *s, Work *work);
void simplify_equal_branches(Simplify *s, Work *work);
/* Before the branch is rebuilt where the condition holds: if it says that a filter keeps all, what the filter gives is
   what it goes over, until the caller takes that back. Types say how long arrays are that a branch gives, which stays as it is
   then. The filter; NULL: nothing is replaced. */
const CoreStm *simplify_replace_kept(Simplify *s, const CoreExp *exp);
/* Loop state that need not be there: what stays what it was, and what counts iterations. */
void simplify_known_state(Simplify *s, Work *work);
/* loop_ends.c: what a loop's results are, by the branches that end it. */
void simplify_loop_ends(Simplify *s, Work *work);
bool simplify_views(Simplify *s, Work *work);
/* turns.c */
bool simplify_turns(Simplify *s, Work *work);
/* index.c */
bool simplify_index(Simplify *s, Work *work);
CoreExp *simplify_index_exp(Simplify *s, CoreAtom array, size_t count, const CoreAtom *indices);
/* The array, indexed `used` times, is what the work's pattern says. */
bool simplify_fits(Simplify *s, const Work *work, CoreAtom array, size_t used);
CoreAtom simplify_slice_position(Simplify *s, const Work *work, const CoreSlice *slice, CoreAtom i);
void simplify_soacs(Simplify *s, Work *work);
void simplify_soac_inputs(Simplify *s, Work *work);
/* Before the body is rebuilt: state that is copied in each iteration becomes unique. */
void simplify_own_state(Simplify *s, Work *work);
bool simplify_copies(Simplify *s, Work *work, const CoreStm *original);
void simplify_store_row(Simplify *s, Work *work);
/* cse.c */
bool simplify_is_comparable(CoreExpKind kind);
uint64_t simplify_hash(Simplify *s, const CoreStm *stm); /* 0: not to be compared */
/* The hash is the statement's. */
const CoreStm *simplify_find_equal(Simplify *s, const CoreStm *stm, uint64_t hash);
void simplify_remember(Simplify *s, const CoreStm *stm, uint64_t hash, int depth);
void simplify_forget_entries(Simplify *s, Scope *scope);
bool simplify_equal_bodies(Simplify *s, const CoreBody *a, const CoreBody *b);
/* hoist.c: CSE, then to the outermost scope where it may stand. */
void simplify_emit(Simplify *s, Work *work);
bool simplify_is_total(Simplify *s, const CoreExp *exp, int depth);

/* dead.c */
const CoreFunction *simplify_dead(Simplify *s, const CoreFunction *function);
/* inline.c */
const CoreProgram *simplify_inline(Compilation *c, const CoreProgram *program, size_t *counts);

#endif
