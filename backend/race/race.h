/* Inside the race check (private to backend/race). See race.c for what it checks and how.

   race.c     kernels of a program, what the host knows where each starts, the sizes to try
   values.c   integers of which only a part may be known
   shadow.c   who has touched which element, and whether that was in order
   trial.c    one kernel at one choice of sizes

   prove.h    the proof that needs no sizes */
#ifndef BACKEND_RACE_RACE_H
#define BACKEND_RACE_RACE_H

#include "backend/kernel.h"

/* ---- values.c -------------------------------------------------------------------------------- */

/* Of an integer (or bool) that is not known, `v` is the part that is: the rest comes from data, is
   not negative, and is a multiple of `step`. */
typedef struct RaceValue {
    int64_t v;
    int64_t step; /* 0 where it is known */
    bool known;
    bool own;     /* the known part depends on the number of the work-item or work-group */
    bool is_kept; /* not known, for it was in the work-item's own memory: it may be anybody's */
} RaceValue;

RaceValue race_known(int64_t v);
RaceValue race_unknown(void);
/* That was in memory of the work-item's own. */
RaceValue race_kept(void);
RaceValue race_unary(CoreOperator op, RaceValue x);
RaceValue race_binary(CoreOperator op, CorePrim prim, RaceValue x, RaceValue y);

/* ---- shadow.c -------------------------------------------------------------------------------- */

typedef enum RaceKind { RACE_READ, RACE_WRITE, RACE_SCATTER, RACE_ATOMIC } RaceKind;

/* One access. */
typedef struct RaceMark {
    const KernelCmd *command; /* NULL: none */
    RaceKind kind;
    int64_t group;     /* GRID: the iteration */
    int item;          /* GRID: 0; -1: every work-item of the group */
    unsigned phase;    /* between barriers */
    int stage;         /* how often the group has come to ARRIVE before */
    unsigned meetings; /* how often to MEET, as all other groups have */
    bool sees;         /* everything that other groups did in stage 0: it was the last to ARRIVE */
} RaceMark;

/* A status word. */
typedef struct RaceStatus {
    int64_t index;
    bool whole;
} RaceStatus;

/* What became of one element in the present trial. */
typedef struct RaceCell {
    unsigned trial; /* of other trials: empty */
    unsigned buffer;
    int64_t address;
    bool rough; /* the address is the known part alone */
    RaceMark write, atomic, reads[2];
} RaceCell;

typedef struct RaceShadow {
    Compilation *c;
    RaceCell *cells;
    size_t capacity, count; /* capacity: a power of two */
    unsigned trial;
    bool strict; /* no size is 1: where data choose among elements there are some */
} RaceShadow;

void race_begin_trial(RaceShadow *shadow);
/* Notes the access; gives the one that it is not in order with, if there is one. */
bool race_touch(RaceShadow *shadow, unsigned buffer, bool is_local, RaceValue index, RaceMark now,
                RaceMark *other);

/* ---- race.c, trial.c ------------------------------------------------------------------------- */

typedef struct RaceDefinition {
    const KernelExp *value; /* of a scalar that is declared once and never assigned */
    bool assigned;
    unsigned declarations;
    unsigned time;          /* Race.time, of the last declaration */
    const KernelExp *count; /* of elements, where a buffer is made at one place alone */
    unsigned makers;
    const char *device;    /* what of it the device says; NULL: nothing */
    bool is_extent;        /* of an array that the entry is given, or that is read */
    VEC(unsigned) changes; /* Race.time, when the scalar got another value */
} RaceDefinition;

typedef struct RacePair {
    const KernelVariable *x, *y;
} RacePair;

typedef struct RaceGuard {
    const KernelExp *condition;
    bool holds;
} RaceGuard;

/* How to look for races: what is proven is not run by cases. */
typedef enum RaceWays { RACE_BY_PROOF = 1, RACE_BY_CASES = 2 } RaceWays;

typedef struct RaceMeaning RaceMeaning; /* prove.h */

typedef struct Race {
    Compilation *c;
    RaceWays ways;
    KernelProofVec proofs;
    RaceMeaning *meanings; /* for proofs: by number of the variable */
    unsigned last_proof;
    const KernelProgram *program;
    RaceDefinition *definitions;   /* by number of the variable */
    VEC(RacePair) aliases;         /* buffers that may be the same memory now */
    VEC(RaceGuard) guards;         /* conditions of the host around us */
    VEC(const KernelCmd *) checks; /* of the host before, of scalars alone: it would have ended */
    bool with_checks;              /* proofs go by them, too */
    unsigned time;                 /* commands of the text before */
    VEC(const KernelVariable *) changed; /* scalars of the host, in the order of the text */
    PointerMap times;                    /* KernelCmd, a kernel -> its time */
    RaceShadow shadow;
    const char *found;
} Race;

/* One kernel with sizes; `bases` are those that nothing defines. */
typedef struct RaceTrial {
    Race *race;
    const KernelCmd *kernel;
    bool swaps;               /* buffers exchange what memory they are */
    bool one_item;            /* the groups have a work-item each */
    unsigned number;          /* of the trial: which sizes */
    RaceValue *values;        /* by number of the variable */
    unsigned *set;            /* by number: the trial in which it was given a value */
    unsigned *representative; /* by number of the buffer */
    bool *written;            /* by number of the representative */
    VEC(const KernelVariable *) bases;
    RaceMark here;
    unsigned last_phase;
    int64_t groups, last_group; /* how many there are, and which is tried last */
    VEC(int64_t) arrivals;      /* at each index, so far */
    unsigned *told;             /* by number of a LOCAL buffer: the trial in which it was told */
    VEC(RaceStatus) statuses;   /* published so far */
    bool obeys_host;            /* only sizes for which the host comes to the kernel */
    int64_t iterations;         /* of a long loop, that run */
    unsigned steps;
    bool is_over;       /* too many steps */
    bool is_impossible; /* a store is out of bounds: these sizes are not the program's */
    bool on_host;       /* evaluating a definition of the host's */
    int unsure;         /* conditions around us that are not known */
    const char *found;
    const KernelCmd *at;
} RaceTrial;

/* kernel_find_race without proofs, for tests. */
const char *race_find_by_cases(Compilation *c, const KernelProgram *program);
/* False where the sizes are not ones with which the kernel runs, or it would take too long. */
bool race_try(RaceTrial *trial);
RaceValue race_evaluate(RaceTrial *trial, const KernelExp *exp);
/* Whether the host's scalar is in the kernel what it was at that time. */
bool race_is_unchanged(const Race *race, const KernelVariable *variable, unsigned since,
                       const KernelCmd *kernel);
/* What memory the buffers are at the kernel's beginning. */
void race_find_representatives(RaceTrial *trial);

#endif
