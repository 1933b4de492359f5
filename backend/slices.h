/* Slices of a straight line of commands by which indices they depend on (backend/slices.c). */
#ifndef BACKEND_SLICES_H
#define BACKEND_SLICES_H

#include "backend/copy.h"

/* A set of indices: a bit each. */
typedef unsigned IndexSet;

typedef struct Slices {
    KernelBlock block;  /* declarations of scalars alone */
    PointerMap sets;    /* KernelVariable that depends on an index -> IndexSet */
    PointerMap numbers; /* KernelVariable -> 1 + its number in the block */
} Slices;

/* Index k is bit k of the sets. False where the block has anything but declarations of scalars. */
bool slices_find(Compilation *c, KernelBlock block, size_t count, KernelVariable *const *indices,
                 Slices *slices);
/* The indices that a value depends on. */
IndexSet slices_depends_on(const Slices *slices, const KernelExp *exp);
/* The declaration of a variable of the block; NULL: it is from outside. */
const KernelCmd *slices_declaration(const Slices *slices, const KernelVariable *variable);
/* What of the block the values are computed from, but for variables that the copier has replacements of
   (NULL: there are none). */
KernelBlock slices_of(Compilation *c, const Slices *slices, const KernelCopier *copier,
                      size_t count, const KernelExp *const *values);
/* How an index changes where a variable is one more. */
typedef enum SlicesStep { STEP_NONE, STEP_ONE, STEP_FAR } SlicesStep;

SlicesStep slices_step(const Slices *slices, const KernelExp *exp, const KernelVariable *variable);
/* Whether an element of device memory is read. */
bool slices_loads(const KernelExp *exp);

#endif
