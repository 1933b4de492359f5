/* Rows by groups of work-items, inside (private to core/flatten): see groups.c.

   group_work.c   what a group can do
   groups.c       where that is better: memory, sizes
   matrices.c     matrices in local memory */
#ifndef CORE_FLATTEN_GROUPS_H
#define CORE_FLATTEN_GROUPS_H

#include "core/flatten/flatten.h"

/* A function of SOACs that hand each other rows; `deep` where there is a loop of SOACs, which is worth more. */
typedef struct GroupWork {
    const Flatten *f;
    const MapContext *context;
    bool deep;
    bool scans;             /* some of them do */
    size_t count;           /* of SOACs */
    VEC(CoreType) extents;  /* of each nest of SOACs, that of a reduction its width */
    VEC(CoreType) in_local; /* arrays in local memory whose sizes are not constants */
} GroupWork;

/* Whether a group can do the function of this SOAC, whose context is there; fills in what it does. */
bool group_takes(GroupWork *work, const CoreSoac *soac);
bool group_is_result(const CoreBody *body, const CoreName *name);
/* What a loop in the nest reads of matrices of the row's own is in local memory: they are copied there first. The nest
   itself, where there are none. */
const CoreStm *group_keep_matrices(const GroupWork *work, const CoreStm *nest);

#endif
