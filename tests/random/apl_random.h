/* Random APL programs: what the files of its generator share. */
#ifndef TESTS_RANDOM_APL_RANDOM_H
#define TESTS_RANDOM_APL_RANDOM_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum { WRAP = 1009 }; /* numbers that have grown are taken modulo it */

typedef struct AplGenerator {
    Arena *arena;
    uint64_t state;
    unsigned number;  /* of the program: its names end in it */
    bool may_fail;    /* positions may be out of bounds */
    unsigned scalars; /* locals a1, a2, ... */
    unsigned vectors; /* locals x1, x2, ... */
} AplGenerator;

typedef const char *Code;
#define CODE(...) arena_printf(g->arena, __VA_ARGS__)

int64_t below(AplGenerator *g, int64_t limit);
bool chance(AplGenerator *g, int in); /* one in so many */

/* apl_rows.c. Lines that apply a function to the rows of an array, or to its matrices, and print a sum. */
void apl_rows(AplGenerator *g);
/* apl_lengths.c. Lines with rows of their own lengths, and loops that filter. */
void apl_lengths(AplGenerator *g);

#endif
