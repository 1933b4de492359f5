/* Assertions, certificates and stages, as statements are lowered (backend/lower/checks.c). */
#ifndef BACKEND_LOWER_CHECKS_H
#define BACKEND_LOWER_CHECKS_H

#include "backend/lower/lower.h"

typedef struct LowerStages LowerStages;

/* Both hold; NULL: that always does. */
const KernelExp *lower_both(Lower *L, const KernelExp *x, const KernelExp *y);
void lower_assert(Lower *L, const CoreStm *stm);
void lower_conjoin(Lower *L, const CoreStm *stm);
/* Statement i of the host is going to be lowered, alone or with the next; it has been: what failed in a later stage fails now. */
void lower_begin_stages(Lower *L, const CoreBody *body, size_t i);
void lower_end_stages(Lower *L, LowerStages *outer);

#endif
