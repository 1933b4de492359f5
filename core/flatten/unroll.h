/* Inside the pass that writes out few rows (private to core/flatten). See unroll.c. */
#ifndef CORE_FLATTEN_UNROLL_H
#define CORE_FLATTEN_UNROLL_H

#include "core/core.h"

typedef struct Unroll {
    Compilation *c;
    size_t *counts;
    PointerMap definitions; /* CoreName -> CoreStm: arrays of positions and constants */
    PointerMap rows,
        columns;        /* CoreName of a map in whose place are copies -> CoreAtom of each copy */
    int depth;          /* SOACs around the body at work */
    bool is_sequential; /* for sequential C, or kernels for processors */
    const PointerMap
        *views; /* of one statement of a kernel: views of the host, CoreName -> CoreStm; or NULL */
    VEC(const CoreStm *) outer; /* those whose rows have been written out */
    bool changed;
} Unroll;

/* ---- unroll.c -------------------------------------------------------------------------------- */

/* Where the array is positions or constants: the statement that makes it; else NULL. */
const CoreStm *unroll_definition(const Unroll *u, CoreAtom array);
/* What the map's function makes of that row. */
void unroll_row(Unroll *u, CoreBuilder *b, const CoreSoac *soac, int64_t row, CoreAtom *results);

/* ---- unroll_copies.c ------------------------------------------------------------------------- */

/* In place of a map of few rows or columns of another array, copies of these; false: it is no such map. */
bool unroll_copies(Unroll *u, CoreBuilder *b, const CoreBody *body, const CoreStm *stm);
/* A statement that asks for one of them takes the copy. */
const CoreStm *unroll_of_copy(Unroll *u, const CoreStm *stm);

#endif
