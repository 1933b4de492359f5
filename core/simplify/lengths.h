/* Shared by lengths.c and lengths_meet.c; lengths.c says what it is all for. */
#ifndef CORE_SIMPLIFY_LENGTHS_H
#define CORE_SIMPLIFY_LENGTHS_H

#include "core/rewrite.h"
#include "core/simplify/simplify.h"

enum { LENGTHS_MOST_STATEMENTS = 400 /* of a body whose rest stands twice then */ };

typedef struct Pair {
    CoreAtom x, y; /* y is bound after x */
} Pair;

typedef struct Lengths {
    Compilation *c;
    const CoreBody *body;
    PointerMap binders; /* CoreName -> CoreStm, of this body and those around it */
    PointerMap places;  /* CoreName -> number of the statement of the body that binds it, and 1 */
    PointerMap known;   /* lengths that the host knows from the beginning on: CoreName -> itself */
    PointerMap chosen;  /* those of them that are of numbers on the command line */
    VEC(const CoreStm *) around; /* statements of the bodies around this one */
    VEC(Pair) pairs;
    Renaming *given; /* results of a version, as they are outside of it */
    const CoreFunction *function;
    CoreAliases *aliases; /* NULL: nobody has asked */
} Lengths;

/* ---- lengths_meet.c -------------------------------------------------------------------------- */

/* The number of the statement of the body at work that binds it, and 1; 0: none does. */
size_t lengths_place_of(const Lengths *l, const CoreName *name);
/* The name is a length, or has lengths, that the host knows from the beginning on. */
void lengths_note_known(Lengths *l, CoreName *name);
/* It computes scalars of scalars. */
bool lengths_is_scalar_work(const CoreExp *exp);
/* What the body at work binds, and which lengths the host knows there. */
void lengths_learn(Lengths *l);
/* The length that stands for it in the version. */
CoreAtom lengths_stand_in(const Lengths *l, CoreAtom length);
/* The lengths that meet become `pairs`. The number of the first assertion of such, or of the loop that it stands in, from which on
   they are compared, as far as they are bound before it; as many as there are statements: there is none. */
size_t lengths_find_pairs(Lengths *l);

#endif
