/* Shared by the files of backend/strips/; strips.c says what it is all for. */
#ifndef BACKEND_STRIPS_STRIPS_H
#define BACKEND_STRIPS_STRIPS_H

#include "backend/copy.h"

/* Of a strip: four vectors of eight doubles. Compilers write shorter loops out before they think of
   vectors. */
enum { LANES = 32 };

/* Of a variable that the loop at work touches. */
typedef struct StripVariable {
    bool is_inside; /* declared in it: each lane has its own */
    bool touched, assigned;
    unsigned
        part; /* the first part that touches it; even ones are straight lines, odd ones loops */
    bool elsewhere; /* another part touches it, too */
    bool is_loaded, is_stored;
    KernelVariable *lanes;  /* the array of lanes that it became */
    const KernelExp *index; /* of the loop's number: each part computes it, without lanes */
} StripVariable;

typedef struct Strips {
    Compilation *c;
    PointerMap aliased; /* buffers that other names may mean, too */
    /* of the loop at work: */
    PointerMap variables; /* KernelVariable -> StripVariable */
    unsigned part;
    size_t loop_count, budget;
    bool in_loop, loads, stores, all_short, fails;
} Strips;

StripVariable *strip_variable(Strips *s, const KernelVariable *variable);
/* Whether each lane has its own number of iterations of a loop inside. */
bool strip_is_masked(Strips *s, const KernelCmd *loop);

/* Buffers of the block that have several names. */
void strip_find_aliased(Compilation *c, PointerMap *aliased, KernelBlock block);

/* cut.c. Adds loops over strips, whose iterations strip_of gives, and over what is left over, in place of the loop. */
void strip_around(Compilation *c, KernelBuilder *b, const KernelCmd *loop,
                  KernelBlock (*strip_of)(void *context, const KernelExp *strip), void *context);
/* Adds the strips, and what is left over, in place of the loop. */
void strip_loop(Strips *s, KernelBuilder *b, const KernelCmd *loop);

#endif
