/* Inside of the pass `capacities` (private to core/locality): capacities.c has the pass and its loops, room_sizes.c how many
   rows arrays have room for, room_growth.c how many those that grow in each step will have, rooms.c statements with such arrays, room_views.c views of them, room_branches.c branches that
   give them, room_splits.c filters that split one. */
#ifndef CORE_LOCALITY_CAPACITIES_H
#define CORE_LOCALITY_CAPACITIES_H

#include "core/locality/device.h"

enum { ROOMS_MOST_ADDED = 8 };

/* Numbers of rows, the same in all steps, as many as their sum at most are added in each. */
typedef struct Growth {
    size_t count;
    CoreAtom added[ROOMS_MOST_ADDED];
    unsigned looked; /* so many numbers were looked at to find them */
} Growth;

/* A loop at work. */
typedef struct Bounded {
    Compilation *c;
    const CoreExp *loop;
    PointerMap device; /* CoreName -> itself: a scalar that the device makes */
    PointerMap own;    /* CoreName -> its CoreStm: bound by a statement of the loop's body */
    PointerMap rooms; /* CoreName -> CoreAtom: a number of rows of the device's, and its capacity */
    PointerMap unbounded; /* CoreName -> itself: a number of rows for which no capacity was found */
    PointerMap
        wholes; /* CoreName -> CoreAtom: a number of rows, and that of the array which they are a part of */
    PointerMap views;   /* CoreName -> its CoreStm: a view that is read where it is wanted */
    Renaming *renaming; /* names of the old loop -> those of the new one */
    CoreBuilder *b;
    int branches;    /* around us */
    bool may_grow;   /* arrays have room for what all steps add */
    Growth *growths; /* of each of the state, if so */
    bool failed;
} Bounded;

bool rooms_is_device(const Bounded *g, CoreAtom atom);
bool rooms_has_device_size(const Bounded *g, CoreType type);
/* The statement of the loop's body that binds it; NULL: none does. */
const CoreStm *rooms_maker(const Bounded *g, CoreAtom atom);
/* The atom in the new loop. */
CoreAtom rooms_renamed(const Bounded *g, CoreAtom atom);
/* As many rows at least; it fails where that is not bounded by a number of the host's. */
CoreAtom rooms_capacity(Bounded *g, CoreAtom size);
/* Two filters of the same number of rows, of which one keeps what the other does not (room_splits.c). */
bool rooms_are_split(const Bounded *g, const CoreStm *first, const CoreStm *second);
/* The state's number of rows has, after a step, no larger capacity than before, or one that does not depend on it. */
bool rooms_stay_bounded(const Bounded *g, CoreAtom size, const CoreName *state);
/* How many rows a step adds to as many as the state says, in a loop of a known number of steps; false: that is not known. */
bool rooms_find_growth(const Bounded *g, CoreAtom size, const CoreName *state, Growth *growth);
/* What all steps add. */
CoreAtom rooms_added(const Bounded *g, const Growth *growth, CoreBuilder *b);
/* Whether that is no more than `most`. */
CoreAtom rooms_adds_few(const Bounded *g, const Growth *growth, CoreAtom most, CoreBuilder *b);
/* An array of as many rows as there is room for; inner extents have to be known to the host. */
CoreType rooms_type(Bounded *g, CoreType type);
/* The name in the new loop, of such an array. */
CoreName *rooms_name(Bounded *g, CoreName *old);
/* The array, of as many rows as there is room for, with `other` for those that are not meant. */
CoreAtom rooms_or(Bounded *g, CoreAtom array, CoreAtom other);
/* The part of an array with as many rows. */
CoreAtom rooms_rows_there(CoreBuilder *b, CoreAtom array, CoreAtom count);

/* A view of such an array is made where its elements are read (room_views.c). */
void rooms_view(Bounded *g, const CoreStm *stm);
bool rooms_is_view(const Bounded *g, CoreAtom array);

typedef struct RoomsShown {
    Bounded *g;
    CoreBuilder *b;
    Renaming *renaming; /* arrays of the old loop -> their rows that are meant, here */
} RoomsShown;

/* The array here, of the rows that are meant. */
CoreAtom rooms_show(RoomsShown *shown, CoreAtom array);
/* Its row at the index, which is in bounds. */
CoreAtom rooms_row(RoomsShown *shown, const char *text, CoreAtom array, CoreAtom index);
/* Likewise what views the body reads, which has to be renamed next. */
void rooms_show_free(RoomsShown *shown, const CoreBody *body);
/* It has been. */
void rooms_hide_free(Bounded *g, const CoreBody *body);
/* What is a view gets a place of its own; and what views the statement mentions. */
void rooms_store(Bounded *g, CoreAtom array);
void rooms_store_free(Bounded *g, const CoreStm *stm);

/* An element of a view, in the loop's body. */
void rooms_element(Bounded *g, const CoreStm *stm);
/* The view is one again. */
void rooms_is_not_stored(Bounded *g, CoreName *view);

/* An IF, with such arrays in its branches (room_branches.c). */
void rooms_branches(Bounded *g, const CoreStm *stm);

/* Binds what the old statement binds, of these rooms: the new one. */
const CoreStm *rooms_bind(Bounded *g, const CoreStm *old, const CoreExp *exp);
/* A statement of the loop's body, anew. */
void rooms_statement(Bounded *g, const CoreStm *stm);

#endif
