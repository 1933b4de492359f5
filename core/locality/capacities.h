/* Inside of the pass `capacities` (private to core/locality): capacities.c has the pass and its loops, rooms.c how many rows arrays
   have room for, and statements with such arrays. */
#ifndef CORE_LOCALITY_CAPACITIES_H
#define CORE_LOCALITY_CAPACITIES_H

#include "core/locality/device.h"

/* A loop at work. */
typedef struct Bounded {
    Compilation *c;
    const CoreExp *loop;
    PointerMap device; /* CoreName -> itself: a scalar that the device makes */
    PointerMap own;    /* CoreName -> its CoreStm: bound by a statement of the loop's body */
    PointerMap rooms; /* CoreName -> CoreAtom: a number of rows of the device's, and its capacity */
    Renaming *renaming; /* names of the old loop -> those of the new one */
    CoreBuilder *b;
    bool failed;
} Bounded;

bool rooms_is_device(const Bounded *g, CoreAtom atom);
bool rooms_has_device_size(const Bounded *g, CoreType type);
/* The atom in the new loop. */
CoreAtom rooms_renamed(const Bounded *g, CoreAtom atom);
/* As many rows at least; it fails where that is not bounded by a number of the host's. */
CoreAtom rooms_capacity(Bounded *g, CoreAtom size);
/* The state's number of rows has, after a step, no larger capacity than before, or one that does not depend on it. */
bool rooms_stay_bounded(const Bounded *g, CoreAtom size, const CoreName *state);
/* The name in the new loop: of an array of as many rows as there is room for. */
CoreName *rooms_name(Bounded *g, CoreName *old);
/* A statement of the loop's body, anew. */
void rooms_statement(Bounded *g, const CoreStm *stm);

#endif
