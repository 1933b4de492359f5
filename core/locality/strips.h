/* What strips.c and bits.c share (private to core/locality). */
#ifndef CORE_LOCALITY_STRIPS_H
#define CORE_LOCALITY_STRIPS_H

#include "core/fuse/fuse.h"

/* A fold over bits of the index (bits.c). */
typedef struct BitFold {
    const CoreStm *stm;
    const CoreName *number, *bit; /* its function shifts the number by the bit */
    const CoreAtom *high;         /* what all elements have in common, once that is written */
} BitFold;

typedef struct Strips {
    Compilation *c;
    const PointerMap *views; /* CoreName -> CoreStm */
    CoreBuilder b;
    Renaming *renaming;
    Fuse *fuse; /* elements of views */
    unsigned width;
    VEC(CoreName *) rows;
    CoreName *first;
    /* first + offsets[0] + offsets[1] is to be a multiple of the width. */
    CoreAtom offsets[2];
    VEC(BitFold) folds;
    /* what the whole mentions */
    PointerMap bound, noted;
    VEC(CoreName *) outside;
    VEC(const CoreStm *) needed; /* definitions of views, each after those it needs */
    bool too_large;
} Strips;

/* [strips.c] The statement with fresh names; an element that it reads is looked for behind views. */
void strips_write_statement(Strips *s, const CoreStm *stm, CoreBuilder *b);
/* [bits.c] \x y -> x op y: op. */
CoreOperator strips_operator(const CoreReduction *reduction);
/* The fold is over single bits: of the low rows, elements at one place of their strips have the same. */
bool strips_sees_single_bits(const CoreSoac *fold);
/* The high rows as a fold of their own, by statements in b: of the number that is in force. */
const CoreAtom *strips_write_high(Strips *s, const CoreStm *stm, CoreBuilder *b);
/* Whether a statement of the element's function is a fold over bits of the index, of which a
   strip has most in common; it is noted. The first says where strips begin, others have to agree. */
bool strips_note_fold(Strips *s, const CoreSoac *element, const CoreStm *stm);
/* One that is noted, for element `number` of a strip; false: it is no such. */
bool strips_write_fold(Strips *s, const CoreStm *stm, unsigned number, CoreBuilder *b);

#endif
