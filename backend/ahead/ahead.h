/* Inside the pass that has the host run ahead (private to backend/ahead). See ahead.c for what it does.

   ahead.c   the pass: where the device decides, and the loop anew
   keep.c    what a step has, for the case that it is the last
   fits.c    which steps can be done though they are none */
#ifndef BACKEND_AHEAD_AHEAD_H
#define BACKEND_AHEAD_AHEAD_H

#include "backend/copy.h"

/* A block on the way to where the device decides. */
typedef struct Level {
    KernelBlock block;
    size_t at;    /* of its commands: that with the place inside, or before which it is */
    size_t first; /* number of its first command on the way */
} Level;

typedef struct Ahead {
    Compilation *c;
    PointerMap refused; /* a loop's variable -> itself */
    /* of the loop at work: */
    const KernelCmd *loop;
    KernelVariable *ahead;
    VEC(Level) levels;
    PointerMap declared; /* scalar -> its DECLARE, in the levels */
    PointerMap device;   /* scalar -> itself: made of elements on the device */
    PointerMap later;    /* buffer -> itself: its release waits for the end of the block */
    PointerMap changed;  /* buffer -> number of the last command on the way that writes to it, or
                            makes it other memory */
    size_t doubtful;     /* the last of those that write to what may be others' memory, too */
    size_t places;       /* where the device decides, so far */
} Ahead;

static inline void ahead_put(const Ahead *a, PointerMap *set, const void *item)
{
    pointer_map_set(a->c->arena, set, item, (void *)(uintptr_t)item);
}

/* Adds the command that declares `last`, with all that the host has changed up to here, and may use later on: the
   buffers and scalars that have to be set back. */
void ahead_keep_step(const Ahead *a, KernelBuilder *b, size_t place, KernelVariable *last);
/* Refuses loops with `ahead` that do not fit; says whether there were some. */
bool ahead_refuse(Ahead *a, KernelBlock block);

#endif
