/* Inside the pass that makes the memory of loops before them (private to backend/reserve). See reserve.c for what it
   does.

   reserve.c  the pass: how many pieces a loop has in use at one time
   sizes.c    which sizes are the same in all steps of a loop */
#ifndef BACKEND_RESERVE_RESERVE_H
#define BACKEND_RESERVE_RESERVE_H

#include "backend/copy.h"

/* What a loop allocates again and again. */
typedef struct Size {
    const KernelExp *count, *full; /* as it is allocated; with scalars for what they stand for */
    const KernelExp *when;         /* not in all loops, but in all steps of those; NULL: always */
    unsigned element;              /* bytes */
    size_t before;                 /* pieces in use before the loop; */
    size_t now, first, most;       /* at the moment; at most in the first step; in all of them */
} Size;

/* Memory that names refer to. */
typedef struct Piece {
    const KernelExp *full; /* its size; NULL: not known */
    unsigned element;
    size_t references;
    Size *size; /* NULL: none of the loop's at hand */
} Piece;

/* What the device is good at, asked for once, before all loops. */
typedef struct Device {
    const char *name;
    KernelVariable *result;
    bool used;
} Device;

typedef struct Reserve {
    Compilation *c;
    VEC(Device) devices;
    KernelCopier full;   /* scalars that never change, by what they stand for */
    PointerMap changing; /* KernelVariable -> itself: scalars that may change */
    PointerMap pieces;   /* KernelVariable -> Piece */
    VEC(Piece *) all;
    PointerMap reserved; /* ALLOCATE -> itself: of a loop around, too */
    /* Of the loop at hand: */
    PointerMap inside;  /* KernelVariable -> itself: scalars that are declared or assigned there */
    PointerMap size_of; /* ALLOCATE -> its Size */
    VEC(Size *) sizes;
    size_t left;   /* commands that may be gone through */
    bool is_later; /* not the first step */
} Reserve;

/* ---- sizes.c --------------------------------------------------------------------------------- */

/* What stands for the entry's scalars, in r->full. */
void reserve_learn(Reserve *r, KernelBlock entry);
/* The expression in terms of scalars that r->full says nothing of; NULL: it reads memory, or is long. */
const KernelExp *reserve_in_full(Reserve *r, const KernelExp *exp);
/* Of what each step of the loop allocates, unless a loop around has it: r->sizes, r->size_of. */
void reserve_find_sizes(Reserve *r, const KernelCmd *loop);
/* One of these; NULL: it is none. */
Size *reserve_size(const Reserve *r, const KernelExp *full, unsigned element);

#endif
