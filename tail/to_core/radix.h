/* Sorting of ints by their digits: digit_order.c, and radix.c in the functions of maps. */
#ifndef TAIL_TO_CORE_RADIX_H
#define TAIL_TO_CORE_RADIX_H

#include "tail/to_core/to_core.h"

/* The stable ascending order of keys ([n]i64, any values): the numbers of its elements from 0, [n]. */
CoreAtom to_core_radix_order(ToCore *t, CoreAtom keys, CoreAtom n);
/* The same by SOACs alone; n has to be at least 1 where the result is computed. */
CoreAtom to_core_radix_order_of_row(ToCore *t, CoreAtom keys, CoreAtom n);
/* A fresh name of an i64; x op k. */
CoreName *to_core_named_int(ToCore *t, const char *text);
CoreAtom to_core_by(ToCore *t, CoreOperator op, CoreAtom x, int64_t k);
/* The least and the greatest key. */
void to_core_find_bounds(ToCore *t, CoreAtom keys, CoreAtom n, CoreAtom bounds[2]);

#endif
