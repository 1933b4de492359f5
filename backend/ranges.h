/* What an integer is at least and at most: arithmetic of intervals (backend/ranges.c). */
#ifndef BACKEND_RANGES_H
#define BACKEND_RANGES_H

#include "backend/kernel.h"

typedef struct KernelRange {
    int64_t low, high;
} KernelRange;

static const KernelRange kernel_everything = {INT64_MIN, INT64_MAX};

KernelRange kernel_range(int64_t low, int64_t high);
bool kernel_is_within(KernelRange x, int64_t magnitude);
/* The range of x op y, for the operators that indices are made of; else everything. A result that
   may wrap is everything. natural: of a quotient or remainder, neither operand is negative. */
KernelRange kernel_range_of_binary(CoreOperator op, KernelRange x, KernelRange y, bool natural);
KernelRange kernel_range_of_unary(CoreOperator op, KernelRange x);
/* One or the other. */
KernelRange kernel_range_either(KernelRange x, KernelRange y);

#endif
