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
/* The same where each group has local memory of its own, so many variables of so many places each. `rows`: loops that fill
   it, and then that over all rows, which reads and writes it: the groups share that one. `rest`: what each group does when
   its rows are done. */
typedef struct LowerGroupWork {
    size_t local_count;
    KernelVariable *const *local;
    int64_t places;
    void (*rows)(Lower *L, void *context);
    void (*rest)(Lower *L, void *context);
} LowerGroupWork;
/* `most`: groups that are of use. */
void lower_group_on_processor(Lower *L, const CoreStm *stm, size_t first, const KernelExp *most,
                              const LowerGroupWork *work, void *context);
/* The last command of the host is the reduction's kernel; it gets one for processors
   beside it. */
void lower_reduce_on_processor(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                               const GroupReduction *reduction, const KernelExp *groups);

#endif
