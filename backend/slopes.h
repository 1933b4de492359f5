/* Bounds of integers that grow with another integer (backend/slopes.c). */
#ifndef BACKEND_SLOPES_H
#define BACKEND_SLOPES_H

#include "backend/ranges.h"

/* low[0] + low[1] * base <= v <= high[0] + high[1] * base */
typedef struct KernelSlope {
    const KernelVariable *base; /* NULL: nothing is known */
    double low[2], high[2];
} KernelSlope;

typedef struct KernelSlopes {
    KernelSlope *of;           /* by number of the variable */
    const KernelRange *ranges; /* the same: what is known of it otherwise */
} KernelSlopes;

/* The range of the variable, an i64 that is declared with this value and not assigned again, of
   which `range` is known, and which does not wrap; what it grows with is noted. */
KernelRange kernel_slope_range(KernelSlopes *slopes, const KernelVariable *variable,
                               const KernelExp *value, KernelRange range);

#endif
