/* Inside the pass that has the host run ahead (private to backend/ahead). See ahead.c for what it does.

   ahead.c   the pass: where the device decides, and the loop anew
   choose.c  branches between which the device chooses
   left.c    what the host would do with what the device makes, left to the device
   guard.c   kernels that do nothing
   pairs.c   kernels of both branches as one
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
    PointerMap refused; /* a loop's variable, or a command that is to stay as it was -> itself */
    PointerMap made;    /* of an entry: scalar -> itself: the device makes it */
    /* Scalars that branches declare, and variables of kernels that choose or are left to the device -> the command that
       is to be refused where the host waits for them. */
    PointerMap keys;
    VEC(KernelVariable *) words; /* of kernels in branches, in an outermost loop */
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

static inline void ahead_key(Ahead *a, const KernelVariable *variable, const KernelCmd *key)
{
    pointer_map_set(a->c->arena, &a->keys, variable, (void *)(uintptr_t)key);
}

/* guard.c: the command, or those of the block, with kernels that do nothing while the word is negative. */
const KernelCmd *ahead_guarded(Compilation *c, KernelVariable *word, const KernelCmd *command);
KernelBlock ahead_guarded_block(Compilation *c, KernelVariable *word, KernelBlock block);

/* That it is not. */
const KernelExp *ahead_does(Compilation *c, KernelVariable *word);

/* pairs.c: adds the commands of both blocks, of kernels with words of their own one of which at most does
   anything; returns of how many each does the work of two. */
size_t ahead_pair(Compilation *c, KernelBuilder *b, KernelBlock x, KernelBlock y);

/* left.c: finds what the device makes in an entry's body. */
void ahead_find_made(Ahead *a, KernelBlock block);
/* What the host checks, or writes in the device's memory: the device can. */
bool ahead_can_be_left(const KernelCmd *command);
/* A command that needs it, is not refused, and can be left to the device. */
bool ahead_is_left(const Ahead *a, const KernelCmd *command);
/* A check of which the host knows whether it holds. */
bool ahead_is_known(const Ahead *a, const KernelCmd *command);
/* Adds the kernel that does what a CHECK, STORE or COPY of the host's does; returns its variable. */
const KernelVariable *ahead_as_kernel(Compilation *c, KernelBuilder *b, const KernelCmd *command);
/* Adds the kernel that does it; the block with such kernels for all that can be left to the device. */
void ahead_leave(Ahead *a, KernelBuilder *b, const KernelCmd *command, const KernelCmd *key);
KernelBlock ahead_leave_all(Ahead *a, KernelBlock block, const KernelCmd *key);

/* choose.c: the body of an entry, in loops of which the device chooses between branches, and does what is left to
   it, where that is not refused. */
KernelBlock ahead_choose(Ahead *a, KernelBlock block);
/* Refuses where the host would wait, or do what should not be done; says whether there was such a place. */
bool ahead_refuse_choices(Ahead *a, KernelBlock block);

/* keep.c: adds the command that declares `last`, with all that the host has changed up to here, and may use later on: the
   buffers and scalars that have to be set back. */
void ahead_keep_step(const Ahead *a, KernelBuilder *b, size_t place, KernelVariable *last);
/* fits.c: whether the expression loads of memory, not only of words. */
bool ahead_loads(const KernelExp *exp);
/* Refuses loops with `ahead` that do not fit; says whether there were some. */
bool ahead_refuse(Ahead *a, KernelBlock block);

#endif
