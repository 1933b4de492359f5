/* Inside the race prover (private to backend/race). See prove.c for what it proves and how.

   polynomial.c   sums of products of atoms
   facts.c        atoms, and what is said of them
   meaning.c      expressions of a kernel as polynomials, conditions as facts
   quotients.c    quotients and remainders
   powers.c       shifts and masks
   loops.c        what the number of iterations tells
   shares.c       loops over the rows that a group has as its share
   known.c        what else is known of an index
   bounds.c       what follows from facts: is a polynomial not negative?
   models.c       what does not follow, by an example
   digits.c       two accesses to one element: which atoms must then be equal?
   radix.c        equations of numbers as equations of their digits
   both.c         two accesses of which one is below the other
   branches.c     accesses of which only one is made
   prove.c        the walk over a kernel: who may meet whom */
#ifndef BACKEND_RACE_PROVE_H
#define BACKEND_RACE_PROVE_H

#include "backend/race/race.h"

/* ---- polynomial.c ---------------------------------------------------------------------------- */

/* An integer that is not taken apart; a number, not 0. */
typedef uint16_t RaceAtomNumber;

enum { RACE_MOST_TERMS = 16, RACE_MOST_DEGREE = 6, RACE_MOST_ATOMS = 20000 };

/* factor * atoms[0] * atoms[1] * ...: from the largest number down, then zeros. */
typedef struct RaceTerm {
    int64_t factor;
    RaceAtomNumber atoms[RACE_MOST_DEGREE];
} RaceTerm;

/* A sum of terms, each with other atoms than the rest, none with the factor 0, in their order. */
typedef struct RacePolynomial {
    unsigned count;
    RaceTerm terms[RACE_MOST_TERMS];
} RacePolynomial;

RacePolynomial race_number(int64_t value);
RacePolynomial race_term(RaceTerm term);
RacePolynomial race_alone(RaceAtomNumber atom);
RacePolynomial race_copy(const RacePolynomial *p);
/* r = x + factor * y, r = x * y; false: it has too many terms, or too large ones. r may be x or y. */
bool race_add(RacePolynomial *r, const RacePolynomial *x, int64_t factor, const RacePolynomial *y);
bool race_multiply(RacePolynomial *r, const RacePolynomial *x, const RacePolynomial *y);
bool race_is_same(const RacePolynomial *x, const RacePolynomial *y);
bool race_is_number(const RacePolynomial *x, int64_t *value);
/* The atom, where x is nothing else; else 0. */
RaceAtomNumber race_only_atom(const RacePolynomial *x);
bool race_mentions(const RaceTerm *term, RaceAtomNumber atom);
/* term = by * rest, where it is; `rest` may be NULL. */
bool race_goes_into(const RaceTerm *by, const RaceTerm *term, RaceTerm *rest);
/* The part without a factor: whether two terms are of the same atoms. */
int race_compare_atoms(const RaceTerm *x, const RaceTerm *y);

/* ---- facts ----------------------------------------------------------------------------------- */

typedef enum RaceFactKind {
    RACE_NOT_NEGATIVE, /* the polynomial */
    RACE_IS_LAST,      /* of all groups to come to ARRIVE number `arrival` */
    RACE_HOLDS,        /* the condition `condition` */
    RACE_FAILS
} RaceFactKind;

/* What is so where it is said: a list. */
typedef struct RaceFact {
    RaceFactKind kind;
    const RacePolynomial *p;
    unsigned arrival;
    const struct RaceCondition *condition;
    const struct RaceFact *next;
} RaceFact;

/* Who has the same value of it. */
typedef enum RaceScope { RACE_ALL, RACE_OF_GROUP, RACE_OF_ITEM } RaceScope;

/* What follows where a bool is true, and where it is false. */
typedef struct RaceCondition {
    const RaceFact *yes, *no;
    bool exact; /* true where all polynomials of `yes` are not negative */
    RaceScope scope;
} RaceCondition;

/* ---- atoms ----------------------------------------------------------------------------------- */

typedef enum RaceAtomKind {
    RACE_PLAIN,    /* a variable, or what data say */
    RACE_TICKET,   /* which no other group has */
    RACE_QUOTIENT, /* x / y, rounded down; 0 where y is 0 */
    RACE_REST,     /* x - y * (x / y) */
    RACE_LEAST,    /* min(x, y) */
    RACE_MOST,     /* max(x, y) */
    RACE_TRUTH,    /* x, 1, where `condition` is true, else y, 0 */
    RACE_POWER,    /* 2^x; y is 0 */
    RACE_CHOICE,   /* x where `condition` is true, else y */
    RACE_TURNED, /* x where x < y, else x - y; 0 <= x - by < y, 0 <= by <= y, of all the same: one x has one place */
    RACE_ROW,   /* one of x rows, shared out among y groups: no other group has it */
    RACE_LOADED /* element x, the same for all, of memory number y, which the kernel does not write */
} RaceAtomKind;

typedef struct RaceAtom {
    RaceAtomKind kind;
    RaceScope scope;
    bool natural; /* not negative */
    const RacePolynomial *x, *y;
    const RacePolynomial *by; /* TURNED */
    const RaceCondition *condition;
    const RaceFact *facts; /* always so */
} RaceAtom;

/* ---- accesses -------------------------------------------------------------------------------- */

/* What has been asked of some knowledge: p >= 0? The same is asked again where more is settled. */
typedef struct RaceAnswer {
    const RacePolynomial *p;
    bool is_so;
} RaceAnswer;

enum { RACE_MOST_MODELS = 3 };

/* Numbers for the atoms with which all that is known holds (models.c). */
typedef struct RaceModels {
    bool are_made;
    unsigned count;
    const int64_t *values[RACE_MOST_MODELS]; /* by atom; later atoms are 0 */
} RaceModels;

typedef struct RaceAnswers {
    struct RaceProof *proof;
    RaceModels models;
    VEC(RaceAnswer) given;
} RaceAnswers;

/* What is known where an access is made, as bounds.c wants it. */
typedef struct RaceKnowledge {
    size_t count, here; /* of them the first `here` are said where it is, the rest is always so */
    const RacePolynomial *const *items; /* not negative */
    const bool *natural,
        *seen; /* by atom, of those below `atoms`; seen: it is in one of them, or asked for */
    size_t atoms, product_count;
    const RaceTerm
        *products; /* not negative either, though of their atoms it is not known: n * m > 0 */
    RaceAnswers *answers;
} RaceKnowledge;

typedef struct RaceAccess {
    const KernelCmd *command;
    const KernelVariable *buffer;
    unsigned memory; /* the representative of the buffer */
    RaceKind kind;
    unsigned arrivals;              /* how many ARRIVEs its group has passed before */
    RacePolynomial index, resolved; /* deeply */
    const RaceFact *facts;
    RaceKnowledge knowledge;
} RaceAccess;

typedef VEC(const RaceAccess *) RaceAccessVec;

/* ---- the proof of one kernel ----------------------------------------------------------------- */

/* What a variable stands for now. */
struct RaceMeaning {
    unsigned proof;                 /* in which; else of nothing */
    bool is_inside;                 /* the kernel: declared there */
    RaceAtomNumber last, ticket;    /* of a LOCAL buffer: the arrival or atom that it tells */
    const RacePolynomial *value;    /* of an i64; NULL: not known */
    const RaceCondition *condition; /* of a bool; NULL: not known */
};

typedef struct RaceProof {
    Race *race;
    Arena *arena;
    RaceTrial *trial; /* what memory buffers are, and which is written */
    const KernelCmd *kernel;
    VEC(RaceAtom) atoms;
    RaceAtomNumber group, item;
    const RaceFact *path;        /* what holds here */
    const RaceFact *host;        /* what holds in all of the kernel */
    RaceScope here;              /* who shares what is computed here */
    unsigned arrivals, loops;    /* ARRIVEs passed; loops around us */
    unsigned stale;              /* of these ARRIVEs, those whose outcome may be another's by now */
    unsigned loose;              /* of these, loops of the group without a barrier */
    unsigned again;              /* bodies of loops, not around MEET, that are walked once more */
    RaceAccessVec all, own;      /* accesses that nothing yet separates, of all groups, of one */
    unsigned questions;          /* asked so far */
    VEC(RaceAtomNumber) classes; /* by arrival: of which groups come to it together; 0: all */
    VEC(KernelVariable *) bools; /* of the host, that were met as i64 */
    const KernelCmd *at;
    RaceAtomNumber pinned; /* by what is assumed it is the number `pinned_to`; 0: none is */
    int64_t pinned_to;
    bool on_host;     /* evaluating a definition of the host's */
    unsigned time;    /* ... of then */
    unsigned depth;   /* of such definitions */
    bool exchanged;   /* buffers, it is not known which are which */
    const char *open; /* what could not be proven; NULL: nothing */
} RaceProof;

/* Where something is met that no rule here speaks of. */
void race_give_up(RaceProof *proof, const char *why);

/* ---- facts.c --------------------------------------------------------------------------------- */

RaceAtomNumber race_new_atom(RaceProof *proof, RaceAtom atom);
RaceAtomNumber race_plain_atom(RaceProof *proof, RaceScope scope);
/* The atom of that kind with these operands; the same one for the same operands. */
RaceAtomNumber race_atom_of(RaceProof *proof, RaceAtomKind kind, const RacePolynomial *x,
                            const RacePolynomial *y);
/* Who shares what is computed here, of unknown things. */
RaceScope race_scope(const RaceProof *proof);
/* Who has the same value of it. */
RaceScope race_scope_of(const RaceProof *proof, const RacePolynomial *p);
/* What nothing is known of. */
RacePolynomial race_anything(RaceProof *proof);
const RacePolynomial *race_keep(RaceProof *proof, RacePolynomial p);
const RaceFact *race_add_fact(RaceProof *proof, RaceFact fact, const RaceFact *next);
/* p >= 0 */
const RaceFact *race_fact(RaceProof *proof, RacePolynomial p, const RaceFact *next);
/* x - y >= least */
const RaceFact *race_ordered(RaceProof *proof, const RacePolynomial *x, const RacePolynomial *y,
                             int64_t least, const RaceFact *next);
const RaceFact *race_join(RaceProof *proof, const RaceFact *x, const RaceFact *y);
bool race_is_last(const RaceFact *facts, unsigned *arrival);
/* p >= least, by what the path says; by what the host has found alone. */
bool race_is_at_least(RaceProof *proof, const RacePolynomial *p, int64_t least);
bool race_is_always_at_least(RaceProof *proof, const RacePolynomial *p, int64_t least);
/* x <= most, not negative: as the path says outright. */
bool race_largest(const RaceProof *proof, const RacePolynomial *x, int64_t *most);

/* ---- meaning.c ------------------------------------------------------------------------------- */

/* Of this proof, to be changed. */
RaceMeaning *race_meaning(const RaceProof *proof, const KernelVariable *variable);
/* What the evaluation of it rests on becomes part of the path. */
RacePolynomial race_integer(RaceProof *proof, const KernelExp *exp);
const RaceCondition *race_condition(RaceProof *proof, const KernelExp *exp);
/* The same with what the path and the host say of choices. */
RacePolynomial race_resolved(RaceProof *proof, RacePolynomial p, const RaceFact *facts);
/* In what is divided, too. */
RacePolynomial race_deeply_resolved(RaceProof *proof, RacePolynomial p, const RaceFact *facts);

/* ---- quotients.c ----------------------------------------------------------------------------- */

/* x / y or x % y; what follows for it becomes part of the path. */
RacePolynomial race_quotient_or_rest(RaceProof *proof, RaceAtomKind kind, RacePolynomial x,
                                     RacePolynomial y);
/* With x % y in place of x - y * (x / y), where it is that. */
RacePolynomial race_rest_of_quotient(RaceProof *proof, RacePolynomial p);
/* Bounds of remainders in it whose divisor is known to be positive now, and was not when they were computed. */
void race_bound_rests(RaceProof *proof, const RacePolynomial *p);
/* With x in place of y * (x / y) + x % y. */
RacePolynomial race_put_together(RaceProof *proof, RacePolynomial p);

/* ---- powers.c -------------------------------------------------------------------------------- */

/* x & y, x << y, x >> y, x >>> y */
RacePolynomial race_bits(RaceProof *proof, CoreOperator op, const RacePolynomial *x,
                         const RacePolynomial *y);
/* x / y where y is a power of 2 that goes into x, another one, or is more than x; false: it is no such. */
bool race_divide_power(RaceProof *proof, const RacePolynomial *x, const RacePolynomial *y,
                       RacePolynomial *quotient);

/* ---- loops.c --------------------------------------------------------------------------------- */

/* The path becomes that of the body of a loop of so many iterations, which has the number i. */
void race_enter_loop(RaceProof *proof, RacePolynomial count, RaceAtomNumber i);

/* ---- shares.c -------------------------------------------------------------------------------- */

/* The same, where that is a loop over the group's share of some rows; the number of the iteration is by which row it
   is. False: it is no such loop. */
bool race_enter_share(RaceProof *proof, const RacePolynomial *count, RaceScope scope,
                      RacePolynomial *iteration);

/* ---- known.c --------------------------------------------------------------------------------- */

/* What follows for choices in the index goes to the path. */
void race_bound_choices(RaceProof *proof, const RacePolynomial *p);
/* Of minima and maxima in it, in their operands, and in what is divided, so deep: which of the operands they are. */
void race_bound_extremes(RaceProof *proof, const RacePolynomial *p, int depth);
/* Facts that hold in all of the kernel: an atom that cannot be but one number is that number from now on, and what a
   choice needs goes to the path. */
void race_pin(RaceProof *proof, const RaceFact *facts);

/* ---- bounds.c -------------------------------------------------------------------------------- */

RaceKnowledge race_knowledge(RaceProof *proof, const RaceFact *facts, const RacePolynomial *about,
                             const RacePolynomial *also);
bool race_not_negative(const RaceKnowledge *knowledge, const RacePolynomial *p);
/* x >= y + least */
bool race_at_least(const RaceKnowledge *knowledge, const RacePolynomial *x, const RacePolynomial *y,
                   int64_t least);

/* ---- models.c -------------------------------------------------------------------------------- */

/* p is negative in a case in which all that is known holds: p >= 0 does not follow. */
bool race_is_refuted(const RaceKnowledge *knowledge, const RacePolynomial *p);

/* ---- digits.c -------------------------------------------------------------------------------- */

/* Whether the two accesses, by work-items of one group that are not the same, or of two groups,
   cannot be to one element; or only where they agree in `class`, if that is not 0. By their indices or by what
   these are resolved. */
bool race_are_apart(RaceProof *proof, const RaceAccess *a, const RaceAccess *b, bool one_group,
                    RaceAtomNumber class, bool resolved);

/* ---- branches.c ------------------------------------------------------------------------------ */

/* Whether they stand in branches of which, for all work-items of one group or of all groups, only one runs. */
bool race_exclude_each_other(const RaceProof *proof, const RaceAccess *a, const RaceAccess *b,
                             bool one_group);

/* ---- prove.c --------------------------------------------------------------------------------- */

/* NULL: no two work-items of the kernel are in a race, whatever the sizes and the data; else what
   could not be proven. */
const char *race_prove(Race *race, RaceTrial *trial, const KernelCmd *kernel);

#endif
