/* Slices of a straight line of commands by which indices they depend on (slices.c). Private to
   backend/lower/. */
#ifndef BACKEND_LOWER_SLICES_H
#define BACKEND_LOWER_SLICES_H

#include "backend/copy.h"
#include "backend/lower/lower.h"

/* A set of indices: a bit each. */
typedef unsigned IndexSet;

typedef struct Slices {
    KernelBlock block;  /* declarations of scalars alone */
    PointerMap sets;    /* KernelVariable that depends on an index -> IndexSet */
    PointerMap numbers; /* KernelVariable -> 1 + its number in the block */
} Slices;

/* Index k is bit k of the sets. False where the block has anything but declarations of scalars. */
bool lower_find_slices(Lower *L, KernelBlock block, size_t count, KernelVariable *const *indices,
                       Slices *slices);
/* The indices that a value depends on. */
IndexSet lower_depends_on(const Slices *slices, const KernelExp *exp);
/* The declaration of a variable of the block; NULL: it is from outside. */
const KernelCmd *lower_declaration(const Slices *slices, const KernelVariable *variable);
/* What of the block the variables are computed from, but for those that the copier has replacements of
   (NULL: there are none). */
KernelBlock lower_slice_of(Lower *L, const Slices *slices, const KernelCopier *copier, size_t count,
                           const KernelVariable *const *wanted);
/* Whether an element of device memory is read. */
bool lower_loads(const KernelExp *exp);

#endif
