/* Kernels for processors, beside those for other devices (backend/lower/processor.c). */
#ifndef BACKEND_LOWER_PROCESSOR_H
#define BACKEND_LOWER_PROCESSOR_H

#include "backend/lower/reduce.h"

/* The commands of the host from `first` on, which are `stm` as kernels: where that is one kernel, and
   the statement is a map, it has a kernel for processors beside it. */
void lower_map_on_processor(Lower *L, const CoreStm *stm, const CoreSoac *soac, size_t first);
/* The same for work-items that there are `count` of, each of which is a loop of its own: `item` puts what the one of that
   number does. */
void lower_items_on_processor(Lower *L, const CoreStm *stm, size_t first, const KernelExp *count,
                              void (*item)(Lower *L, void *context, const KernelExp *number),
                              void *context);
/* The last command of the host is the reduction's kernel; it gets one for processors
   beside it. */
void lower_reduce_on_processor(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                               const GroupReduction *reduction, const KernelExp *groups);
/* Kernels that only processors have: the groups, of one work-item each, share out what there is. */
void lower_shares_begin(Lower *L, LowerKernel *kernel);
bool lower_shares_end(Lower *L, LowerKernel *kernel, const char *kind, const char *text,
                      const KernelExp *groups);
/* The group's neighbouring ones of `count` rows; none, where it comes too late. */
typedef struct Share {
    const KernelExp *first, *count;
} Share;
Share lower_share(Lower *L, const KernelExp *group, const KernelExp *count,
                  const KernelExp *groups);

#endif
