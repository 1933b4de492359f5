/* Shared by the files of core/locality/ that have updates write what they take where it is wanted: in_place.c says what that is
   for. */
#ifndef CORE_LOCALITY_IN_PLACE_H
#define CORE_LOCALITY_IN_PLACE_H

#include "core/rewrite.h"

enum { REGION_MOST_AXES = 8 };

typedef struct InPlace {
    Compilation *c;
    const CoreFunction *function;
    CoreAliases *aliases; /* NULL: nobody has asked */
    PointerMap binders;   /* CoreName -> CoreStm, of this body and those around it */
    PointerMap uses;      /* of this body */
    bool for_devices;
    size_t *counts;
} InPlace;

typedef VEC(CoreAtom) Sources; /* distinct */

/* The statement that binds it in the body at work or around it; NULL: none does. */
const CoreStm *in_place_binder(const InPlace *p, CoreAtom atom);
bool in_place_may_share(InPlace *p, CoreAtom x, CoreAtom y);
/* A copy, or a map with one result, which is the compiler's to place and cannot fail. */
bool in_place_is_bare(const CoreStm *stm);
/* It may write to what the map reads. */
bool in_place_gets_in_the_way(InPlace *p, const CoreStm *stm, const CoreStm *map);
/* For where the update writes the host would have to wait: a number says it that is an element of the array, or made of one. */
bool in_place_is_waited_for(InPlace *p, const CoreExp *update, CoreAtom array);

/* ---- regions.c ------------------------------------------------------------------------------- */

/* Of the array's axes some parts alone; `of`: the array's axis that an axis of the view is, -1: none. */
typedef struct Region {
    int rank; /* of the view */
    int of[REGION_MOST_AXES];
    const CoreSlice *parts[REGION_MOST_AXES]; /* NULL: all of it may be read */
    const CoreAtom *extents;                  /* of the array */
    bool is_less; /* of some axis a part of the part, in whatever order, is read */
} Region;

/* The elements of the array that the view of it reads. False: it is not seen that it is one. */
bool region_find(const InPlace *p, CoreAtom view, CoreAtom array, Region *region);
/* Those of one of its rows, or an element: the region that an INDEX of the view reads. */
void region_narrow_to_row(const InPlace *p, Region *region, const CoreExp *row);
/* None of them is in the block that the update writes. */
bool region_is_beside(const InPlace *p, const Region *region, const CoreExp *update);
/* They are the elements of the block in the same order, or none of them. */
bool region_is_alike(const Region *region, const CoreExp *update, const CoreType *type);
/* The elements that the update writes, of an array of this type and no more than REGION_MOST_AXES axes. */
Region region_of_block(const CoreExp *update, const CoreType *type);
/* The same positions of an axis. */
bool core_is_same_part(const CoreSlice *x, const CoreSlice *y);

/* ---- aside.c --------------------------------------------------------------------------------- */

/* What the view, of REPLICATE and REARRANGE, is made of; itself. */
CoreAtom aside_source(const InPlace *p, CoreAtom view);
/* Puts the source among those, in scratch memory. */
void aside_add(InPlace *p, Sources *sources, CoreAtom source);
/* Adds columns that each row of the SOAC's reads. */
void aside_columns(InPlace *p, const CoreStm *stm, Sources *sources);
/* Adds copies of the sources; the SOAC that reads these. */
const CoreStm *aside_put(InPlace *p, CoreBuilder *b, const CoreStm *map, const Sources *sources);

/* ---- exchange.c ------------------------------------------------------------------------------ */

/* The body, whose binders and uses are known, with rows that change places exchanged at once. */
const CoreBody *in_place_exchange(InPlace *p, const CoreBody *body);

#endif
