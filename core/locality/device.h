/* What passes over loops of the host's share, in which the device makes scalars (private to core/locality).

   capacities.c    numbers of rows that go round a loop stay on the device; with rooms.c, room_*.c
   loop_scalars.c  scalars that go round a loop stay on the device
   branches.c      branches between which the device chooses
   overwritten.c   elements that are used when their array has been written to
   leaving.c       branches that end the loop
   elements.c      scalars as arrays of one element */
#ifndef CORE_LOCALITY_DEVICE_H
#define CORE_LOCALITY_DEVICE_H

#include "core/rewrite.h"

/* leaving.c */
typedef enum Leaving { LEAVES_NOT, LEAVES_THEN, LEAVES_ELSE } Leaving;

/* Which branch of the body's IF ends the loop, where `on` (NULL: nothing) says whether it goes on; `inner`: what
   says so in the other branch, or nothing. */
Leaving device_leaving(const CoreBody *body, const CoreStm *stm, const CoreAtom *on,
                       CoreAtom *inner, bool *has_inner);

/* branches.c: kernels of both branches of the body's IF can be started, where those of one do nothing. */
bool device_may_choose(Compilation *c, const CoreBody *body, const CoreStm *stm);

/* overwritten.c: the body with places for such elements; `count` of them more. */
const CoreBody *device_keep_overwritten(Compilation *c, const CoreBody *body, size_t *count);

/* elements.c: arrays of one element with these of the scalars, in place of them. */
void device_store(CoreBuilder *b, size_t count, const bool *moves, CoreAtom *atoms);
/* The name of such an array. */
CoreName *device_array(Compilation *c, const CoreName *scalar);
/* let x = array[0] */
void device_load(CoreBuilder *b, CoreName *x, CoreName *array);

#endif
