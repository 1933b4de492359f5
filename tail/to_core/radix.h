/* Sorting of ints by their digits. */
#ifndef TAIL_TO_CORE_RADIX_H
#define TAIL_TO_CORE_RADIX_H

#include "tail/to_core/to_core.h"

/* The stable ascending order of keys ([n]i64, any values): the numbers of its elements from 0, [n].
   n has to be at least 1 where the result is computed. */
CoreAtom to_core_radix_order(ToCore *t, CoreAtom keys, CoreAtom n);

#endif
