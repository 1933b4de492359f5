/* Shared by neighbours.c and columns.c; neighbours.c says what it is all for. */
#ifndef BACKEND_SEQUENTIAL_NEIGHBOURS_H
#define BACKEND_SEQUENTIAL_NEIGHBOURS_H

#include "backend/copy.h"

enum { MOST_SHIFT = 8, MOST_DEAR = 16 };

typedef enum Mark {
    MARK_NEEDED, /* by the chain being copied */
    MARK_INSIDE, /* of a chain that is shared already */
    MARK_COUNT
} Mark;

/* Of a variable declared in the loop at work, once and for all. */
typedef struct Definition {
    const KernelExp *value;
    bool is_linear; /* the loop's variable and that: */
    int64_t offset;
    bool marked[MARK_COUNT];
} Definition;

typedef struct Dear {
    KernelVariable *variable;
    size_t chain; /* of those that are shared: its number + 1; 0: it is not shared */
    int64_t shift;
} Dear;

/* Equal but for a shift of the loop's variable. */
typedef struct Chain {
    KernelVariable *base; /* that has the least shift */
    int64_t least, most;
    unsigned bytes; /* not 0: values from 0 to that, which bytes hold */
    KernelVariable *buffer;
} Chain;

typedef struct Neighbours {
    Compilation *c;
    const KernelCmd *loop;
    PointerMap definitions; /* KernelVariable -> Definition */
    PointerMap assigned;
    size_t dear_count, chain_count;
    Dear dear[MOST_DEAR];
    Chain chains[MOST_DEAR];
    bool stores;
    PointerMap fresh; /* buffers that are no other's memory, where the loop stands */
} Neighbours;

/* NULL: it is not declared at the top of the loop, or assigned again. */
Definition *neighbours_definition(const Neighbours *s, const KernelVariable *variable);
/* Whether the expression is the loop's variable and a number. */
bool neighbours_is_linear(const Neighbours *s, const KernelExp *exp, int64_t *offset);
/* A variable that is the same in all iterations. */
bool neighbours_is_invariant(const Neighbours *s, const KernelVariable *variable);

/* columns.c. A sum over a window of rows and columns becomes one of the sums of its columns, which
   are a chain of their own; the loop at work is then another. */
void neighbours_find_columns(Neighbours *s);

#endif
