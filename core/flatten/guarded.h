/* Inside guarded.c, again.c and given.c: SOACs of branches in front of these, with the condition in their functions. */
#ifndef CORE_FLATTEN_GUARDED_H
#define CORE_FLATTEN_GUARDED_H

#include "core/flatten/flatten.h"

typedef struct Guarded {
    Flatten *f;
    const MapContext *m;
    VEC(const CoreStm *) local;    /* of the branches around: scalars and views, and what stays */
    VEC(const CoreName *) nothing; /* arrays that branches give and nobody reads there */
    CoreBuilder *lifted;
    size_t first; /* of what is lifted: the first statement of the branch at work */
    size_t count; /* of SOACs */
    size_t depth; /* of branches in the branch */
} Guarded;

/* A body behind the condition: what it has of the branch. */
typedef struct GuardedAgain {
    const Guarded *g;
    bool *needed; /* of g->local */
    size_t at;
} GuardedAgain;

/* Rows of these arrays as they come into a function: parameters, or, of arrays of the branch, elements by position. */
typedef struct GuardedRows {
    VEC(CoreAtom) inputs;
    VEC(CoreName *) parameters;
    CoreAtom position; /* without a name: none is needed so far */
} GuardedRows;

/* Scalars and views that may be computed in the function of a SOAC. */
bool guarded_is_again(const CoreStm *stm);
bool guarded_is_local(const Guarded *g, CoreAtom atom);
bool guarded_mentions_local(const Guarded *g, const CoreStm *stm);

/* A body that needs nothing of the branch so far; that needs the atom; what that needs, too. */
GuardedAgain guarded_again(const Guarded *g);
void guarded_need(GuardedAgain *a, CoreAtom atom);
void guarded_need_name(void *again, CoreName *name);
void guarded_need_more(GuardedAgain *a);
/* All that is needed, with names of its own; false where some of it cannot be had again. */
bool guarded_compute(GuardedAgain *a, CoreBuilder *b, Renaming *renaming);

/* An extent that is none below 0, whether or not the branch is taken; it is, for some row, in a loop that rows end. */
bool guarded_is_extent(const Guarded *g, CoreAtom size);
/* The positions of rows, where some are read by them; false where these cannot be counted. */
bool guarded_add_positions(Guarded *g, GuardedRows *rows, CoreAtom width);
/* What the function's parameter for a row of the array is in the body that is built. */
bool guarded_add_row(Guarded *g, GuardedRows *rows, CoreAtom width, CoreAtom array,
                     CoreName *parameter, CoreBuilder *b, Renaming *renaming);

/* A scalar of a branch in front of all: if c then { it } else { the other }. */
bool guarded_scalar(Guarded *g, const char *text, CoreAtom condition, CoreAtom scalar,
                    CoreAtom other, CoreAtom *lifted);
/* The function of a SOAC with such rows, that gives what the choice gives. */
const CoreLambda *guarded_function(const Guarded *g, const GuardedRows *rows, size_t count,
                                   const CoreType *types, const CoreExp *choice, Span span);
/* A name for each of these types. */
CoreName **guarded_names(Compilation *c, const char *text, size_t count, const CoreType *types,
                         Span span);

/* Scratch that a branch gives as it is. */
bool guarded_is_nothing(const Guarded *g, CoreAtom atom);

/* ---- given.c ------------------------------------------------------------------------------ */

/* name = if c then { result k of the one body } else { that of the other }, added to b by its elements, where both arrays
   are there in front of the `if`; false where they are not. */
bool guarded_choose(const Guarded *g, CoreBuilder *b, CoreAtom condition, CoreName *name,
                    const CoreBody *then_body, const CoreBody *else_body, size_t k);
/* The `if` with these bodies, for its scalars alone; of an empty pattern, where it has none. */
const CoreStm *guarded_scalars(const Guarded *g, const CoreStm *stm, const CoreBody *then_body,
                               const CoreBody *else_body);
/* All that the `if` gives, by these; false where an array cannot be had. */
bool guarded_choose_results(Guarded *g, const CoreStm *stm, const CoreBody *then_body,
                            const CoreBody *else_body, CoreBuilder *stays);

#endif
