/* Shared by extremes.c and operator.c; extremes.c says what it is all for. */
#ifndef BACKEND_SEQUENTIAL_EXTREMES_H
#define BACKEND_SEQUENTIAL_EXTREMES_H

#include "backend/copy.h"

enum { MOST_FOLDS = 8, MOST_ACCUMULATORS = 32 };

typedef struct Fold {
    KernelVariable *key, *place;
    const KernelVariable *own_key, *own_place; /* of the iteration at hand */
    unsigned bits;                             /* of both accumulators */
    CoreOperator best;                         /* of keys: MIN, MAX */
    bool is_first; /* of equal keys the first in order stays; else that with the least place */
    /* Of the block at hand; places: NULL, they are the loop's numbers. */
    KernelVariable *keys, *places, *extreme;
} Fold;

typedef struct Extremes {
    Compilation *c;
    /* of the loop at work: */
    const KernelCmd *loop;
    PointerMap values;   /* KernelVariable -> what it is declared as at the top of the body */
    PointerMap assigned; /* KernelVariable -> itself: also in blocks inside */
    /* Such a variable, or an accumulator -> bits of accumulators that it is made of. */
    PointerMap depends;
    size_t accumulator_count, fold_count;
    KernelVariable *accumulators[MOST_ACCUMULATORS];
    const KernelExp *next[MOST_ACCUMULATORS];
    unsigned spoilt; /* bits of accumulators that something else uses, too */
    Fold folds[MOST_FOLDS];
} Extremes;

/* The key may be any of several that are equal: of reals they may be zeros of either sign. */
bool extremes_is_any_equal(const Fold *fold);
/* Whether it is the operator of a fold that vectors can do; then what of equal keys it takes is in the fold. */
bool extremes_try_operator(const Extremes *e, Fold *fold, const KernelExp *const next[2]);

#endif
