/* Inside the flattener (private to core/flatten). See flatten.c for what flattening does.

   flatten.c      the pass: which nests are tried; what becomes of a nest
   context.c      one map of a nest: what its function's statements are, and what they need
   updates.c      a pass before: rows that are written in place, by choices
   distribute.c   a nest for each part of a map's function [PLDI G1 - G4, G6]
   unswitch.c     branches of a nest that all its rows take
   branches.c     reductions that stand in branches of a nest, in front of them
   guarded.c      the same of SOACs that must have the condition with them; with again.c, given.c
   attempt.c      nests that can fail in several parts, without their assertions
   loops.c        maps inside of loops [PLDI G7]
   interchange.c  maps out of reductions of rows [PLDI G5]
   scatters.c     scatters of rows as one of all
   orders.c       orders of rows as one of all
   repeats.c      rows that a nest leaves several times each, as a nest of the copies
   collapse.c     maps around each other as one, for these and for loops that rows end
   irregular.c    SOACs of widths that depend on the row, as SOACs over all elements; with elements.c, and
                  unfold.c, for those in branches
   groups.c       a group of work-items for each iteration of a nest; with group_work.c, matrices.c
   versions.c     which sizes want the program as it was
   log.c          what becomes two kernels, for `tailor explain` */
#ifndef CORE_FLATTEN_FLATTEN_H
#define CORE_FLATTEN_FLATTEN_H

#include "core/fuse/fuse.h"

/* What was known before. */
typedef struct Learnt {
    unsigned *bits, before;
} Learnt;

/* The extents of arrays, and what has been asserted: of those bound in branches and loops only while one is inside. */
typedef struct Extents {
    CoreNameMap known; /* CoreName -> unsigned: 0: nothing; b: 0 <= it < 2^b */
    CoreNameMap tests; /* CoreName of a bool -> CoreAtom: it says that this is none below 0 */
    VEC(Learnt) order;
} Extents;

typedef struct Flatten {
    Compilation *c;
    Simplify *s; /* alias classes, and what is consumed */
    size_t *counts;
    CoreFusionLog *log; /* NULL: nobody asks */
    bool changed;
    CoreNameMap *across; /* arrays whose rows do not lie in memory as one piece (group_work.c) */
    CoreNameMap *iotas;  /* arrays that are the numbers of rows */
    Extents *extents;    /* numbers that are not negative where the statement at work stands */
    bool grouped;        /* groups do it where that is better: this has been decided around it */
    bool in_loop;        /* of the host */
    bool of_elements;    /* in a function that may be inlined in one of a SOAC */
    /* of the nest at work */
    VEC(CoreFusion) apart; /* what becomes two kernels, where there is a log */
    VEC(CoreAtom) widths;  /* of inner SOACs that get work-items of their own */
    VEC(CoreType) stored;  /* arrays of rows between its parts, where rows are arrays themselves */
    bool interchanged;     /* a loop has come out of its map */
    bool sorts;            /* an order has */
    bool parting;          /* SOACs in reductions of rows come out of these, too */
    VEC(CoreAtom) parted;  /* such a reduction: widths around it, its own, and the SOAC's */
    bool lifted;           /* SOACs have come out of its branches */
    bool some_row; /* the branch is taken for one row at least: the loop goes on as long as it is */
    bool refused;  /* what was begun cannot be finished: the nest stays */
    bool fails;    /* a nest in it stays as it can fail in several parts, or in a loop */
} Flatten;

/* A level or space is asked for in it. */
bool flatten_is_placed(const CoreStm *stm);
/* For another nest in the same place. */
Flatten flatten_nest(const Flatten *f);
/* All that the one has built, to the other. */
void flatten_add_all(CoreBuilder *b, const CoreBuilder *from);

/* ---- log.c -------------------------------------------------------------------------------- */

/* Two statements of a nest's function, or two that one has become, that are done one after the other for all rows: CORE_REASON_NEST,
   where they were two; CORE_REASON_PARTED, where a map and what folds its rows were one; CORE_REASON_SPLIT, where reductions and
   scans of one array were. */
void flatten_note_apart(Flatten *f, const CoreStm *producer, const CoreStm *consumer,
                        const CoreName *array, CoreReason reason);
/* The nest is kept: what it has noted goes to the log. */
void flatten_log(const Flatten *f, const Flatten *nest);

/* ---- context.c ---------------------------------------------------------------------------- */

/* What a statement of a map's function is. */
typedef enum PartKind {
    PART_CHEAP,      /* scalar operations, views: done again wherever it is needed */
    PART_PARALLEL,   /* a SOAC that gets work-items of its own */
    PART_LOOP,       /* a loop around such SOACs */
    PART_SCATTER,    /* a scatter, or a histogram, of a row */
    PART_ORDER,      /* an order of a row */
    PART_SEQUENTIAL, /* any other: stays in its work-item */
} PartKind;

/* [PLDI 5.1] M x y: a map around the statements at work, and its function's body. */
typedef struct MapContext {
    Flatten *f;
    const struct MapContext *outer;
    const CoreStm *map;
    const CoreSoac *soac;
    size_t count; /* statements of the body */
    const CoreStm *const *stms;
    const CoreAtom *results;
    size_t result_count;
    PartKind *kinds;
    size_t *parts; /* of each statement: its part, beginning with 1; cheap ones have none: 0 */
    size_t part_count;
    size_t *last;       /* of each statement: the last part that it depends on; 0: none */
    Renaming *places;   /* names bound directly in the function -> BOUND_... + number */
    Renaming *inside;   /* all names bound in the function, at any depth -> true */
    Renaming *expanded; /* name of a row -> the array of all rows, once it is there */
} MapContext;

/* Where a name is bound: parameter i, statement i, or elsewhere. */
typedef enum Binding { BOUND_OUTSIDE, BOUND_PARAMETER, BOUND_STATEMENT } Binding;

MapContext flatten_context(Flatten *f, const MapContext *outer, const CoreStm *map,
                           const CoreBody *body);
Binding flatten_binding(const MapContext *m, CoreAtom atom, size_t *number);
/* Not bound in the map's function, nor in those around it. */
bool flatten_is_invariant(const MapContext *m, CoreAtom atom);
/* What the statement relies on has been checked before the nest. */
bool flatten_is_certain(const MapContext *m, const CoreStm *stm);
/* For all that is built until they are taken away again. */
void flatten_push_certificates(CoreBuilder *b, const CoreStm *stm);
bool flatten_is_regular(const MapContext *m, CoreType type); /* sizes are invariant */
/* Notes the extents of what the statement of the host binds, and what it asserts to be one. */
void flatten_note_extents(Flatten *f, const CoreStm *stm);
void flatten_note_sizes(Flatten *f, CoreType type);
/* An i64 of the host that surely is not negative. */
bool flatten_is_extent(const Flatten *f, CoreAtom atom);
/* Kinds and parts of the statements. */
void flatten_classify(MapContext *m);
bool flatten_is_reduction(const CoreStm *stm);
/* Scalar work may stand at the end of that part's nest. */
bool flatten_takes_scalars(const MapContext *m, size_t part);
/* What it binds is numbers, or certificates, one at least. */
bool flatten_is_number(const CoreStm *stm);
/* Its reductions, and its scans behind them. */
const CoreReduction *flatten_fold(const CoreSoac *soac, size_t number);
/* Scalar operations, and views: they may be done again. */
bool flatten_is_cheap(const CoreStm *stm);
bool flatten_is_check(const CoreStm *stm);  /* an assertion, or certificates of some */
bool flatten_may_fail(const CoreStm *stm);  /* an assertion, or one in its branches or functions */
bool flatten_has_soacs(const CoreExp *exp); /* in its branches or functions */
/* SOACs of widths that depend on the row, in the body or in branches of it. */
bool flatten_has_lengths(const MapContext *m, const CoreBody *body);
bool flatten_operators_have_checks(const CoreSoac *soac); /* assertions, in reductions or scans */
/* Of parts done for all rows, one after the other, the first error is that of row after row: only one part can fail.
   Requires kinds. */
bool flatten_keeps_errors(const MapContext *m);
/* A width that is worth work-items of its own, where it is invariant. */
bool flatten_is_long(const MapContext *m, CoreAtom width);
/* A SOAC that is worth work-items of its own in this context. */
bool flatten_is_parallel(const MapContext *m, const CoreStm *stm);

/* ---- distribute.c ------------------------------------------------------------------------- */

/* The map as nests that are perfect, or loops around such, added to b with the same pattern; false
   where nothing was to be done or could be (then b is unchanged). */
bool flatten_map(Flatten *f, const MapContext *outer, const CoreStm *map, CoreBuilder *b);
bool flatten_has_unique(const CoreLambda *lambda); /* parameters that it writes in place */
/* The names that come in: parameters, and what other parts have left. */
typedef struct Inputs {
    VEC(CoreAtom) arrays;
    VEC(CoreName *) parameters;
    Renaming *renaming;
} Inputs;

/* Cheap statements that taken ones, and these names, need; notes the inputs. */
void flatten_take(MapContext *m, size_t part, bool *taken, size_t count,
                  const CoreName *const *names);
/* Parameters for all that taken statements, `extra` and `names` need from outside. */
Inputs flatten_inputs(MapContext *m, size_t part, const bool *taken, size_t stm_count,
                      const CoreStm *const *extra, size_t count, const CoreName *const *names);
/* The name of the array of all rows: the map's own result where the row is one. */
CoreName *flatten_rows_name(MapContext *m, const CoreName *row);
/* The statement in that part, without certificates of other parts: where their assertions do not hold it is not reached. */
const CoreStm *flatten_in_part(MapContext *m, size_t part, const CoreStm *stm);
/* The arrays of all rows of these names, for those that are not there yet: a nest of its own. */
void flatten_expand(MapContext *m, CoreBuilder *b, size_t count, const CoreName *const *names);

/* ---- unswitch.c --------------------------------------------------------------------------- */

/* The program with nests chosen by conditions that are the same for all rows; the program itself where there are none. */
const CoreProgram *flatten_unswitch(Compilation *c, const CoreProgram *program, size_t *counts);

/* ---- branches.c --------------------------------------------------------------------------- */

/* A SOAC of the host's whose reductions in branches, where these can be done whichever branch is taken, stand in front of
   them; the SOAC itself where there are none. */
const CoreStm *flatten_branches(Flatten *f, const CoreStm *stm);
/* Numbers that are reduced from rows that are there, whatever is true: nothing in it can fail. */
bool flatten_is_total_reduction(const MapContext *m, const CoreStm *stm);

/* ---- guarded.c ---------------------------------------------------------------------------- */

/* An `if` in the function of a map, with the SOACs of its branches in front of it, added to `lifted`, where the condition
   is part of what they do; what is left of it, added to `stays`: a choice between scalars, and maps that choose elements.
   False, and nothing added, where that cannot be. */
bool flatten_guarded(const MapContext *m, const CoreStm *stm, CoreBuilder *lifted,
                     CoreBuilder *stays);

/* ---- attempt.c ---------------------------------------------------------------------------- */

/* A map of the host's in which nothing fails, that says of each row whether all held, and, added to `again`, what gives the
   map's results by it, and tells of the first row that fails; NULL where that cannot be. */
const CoreStm *flatten_attempt(Flatten *f, const CoreStm *map, CoreBuilder *again);

/* ---- loops.c ------------------------------------------------------------------------------ */

bool flatten_is_loop(const MapContext *m, const CoreStm *stm);
/* [PLDI G7] statement number i, a loop around parallelism: how often it goes, or as long as some row does. */
void flatten_loop(MapContext *m, CoreBuilder *b, size_t i);
/* ---- interchange.c ------------------------------------------------------------------------ */

/* A SOAC with reductions and scans as two, where both stand in a nest: added to b. */
bool flatten_split(Flatten *f, const MapContext *m, const CoreStm *stm, CoreBuilder *b);
/* A SOAC of the host's with a reduction or scan whose function has parallelism: a map, and then the
   reduction; added to b. */
bool flatten_part(Flatten *f, const CoreStm *stm, CoreBuilder *b);
/* The same of a reduction in a map's function, where `parting`; it notes what is `parted`. */
bool flatten_part_in(Flatten *f, const MapContext *outer, const CoreStm *stm, CoreBuilder *b);
/* The same of any such SOAC. */
void flatten_apart(Flatten *f, const CoreStm *stm, CoreBuilder *b);
/* [PLDI G5, L0 8.3] a reduction or scan of rows as a map of them: added to b. */
bool flatten_reduce(Flatten *f, const CoreStm *stm, CoreBuilder *b);

/* ---- scatters.c --------------------------------------------------------------------------- */

/* A scatter or histogram of a row that becomes one of all rows. */
bool flatten_is_scatter(const MapContext *m, const CoreStm *stm);
/* The same behind these statements, of the function or of a branch in it. */
bool flatten_may_scatter(const MapContext *m, size_t count, const CoreStm *const *before,
                         const CoreStm *stm);
/* What such ones make, or write into, and nothing else in the function writes in place. */
bool flatten_is_scattered(const MapContext *m, const CoreName *name);
/* Scratch, or a copy, where such a one writes, and nothing else. */
bool flatten_is_destination(const MapContext *m, const CoreStm *stm);
/* Statement number i, such a one. */
void flatten_scatter(MapContext *m, CoreBuilder *b, size_t i);
/* All rows of what is a parameter, has been expanded, or is the same for all rows. */
CoreAtom flatten_all_rows(MapContext *m, CoreBuilder *b, const char *text, CoreAtom row);

/* ---- orders.c ----------------------------------------------------------------------------- */

/* An order of a row that becomes one of all rows. */
bool flatten_is_order(const MapContext *m, const CoreStm *stm);
/* Statement number i, such a one. */
void flatten_order(MapContext *m, CoreBuilder *b, size_t i);

/* ---- repeats.c ------------------------------------------------------------------------------ */

/* A map of the host's that leaves so many copies of each cheap row: one of all copies, which is not added; the sizes that it
   needs go to `before`, what gives the map's result to `after`. NULL, where it is none such. */
const CoreStm *flatten_repeats(Flatten *f, const CoreStm *map, CoreBuilder *before,
                               CoreBuilder *after);

/* ---- collapse.c --------------------------------------------------------------------------- */

/* A map around a map, in whose function something is done for all rows only where one map is around it: the nests of one
   map of all rows, added to b with the same pattern; its width is added to `sizes`. False, where it is none such, or nothing
   came of it. */
bool flatten_collapse(Flatten *f, const CoreStm *map, CoreBuilder *sizes, CoreBuilder *b);

/* A map around a map whose function has SOACs of widths that depend on the outer row, as one map of all rows, which is not
   added; what goes before and after it is. NULL, where it is none such. */
const CoreStm *flatten_collapse_lengths(Flatten *f, const CoreStm *map, CoreBuilder *before,
                                        CoreBuilder *after);

/* ---- irregular.c -------------------------------------------------------------------------- */

/* A map of the host's whose function has SOACs of widths that depend on the row, as SOACs of all elements, or as it is,
   whichever its sizes want, added to b with the same pattern; false where it is none such, or stays. */
bool flatten_irregular(Flatten *f, const CoreStm *map, CoreBuilder *b);
/* The map, where branches of its function with such SOACs are statements behind each other; itself where there are none, or
   where that cannot be. */
const CoreStm *flatten_unfold(Flatten *f, const CoreStm *map);

/* ---- groups.c ----------------------------------------------------------------------------- */

/* Notes views whose rows lie across memory, and iotas. */
void flatten_note(Flatten *f, const CoreStm *stm);
/* A group of work-items can do an iteration of the SOAC's function. */
bool flatten_can_group(const Flatten *f, const CoreStm *stm);
/* The nest with a group for each of its iterations, and, added to b, where that is better than to flatten it; NULL where
   that cannot be. */
const CoreStm *flatten_groups(const Flatten *f, const CoreStm *old, CoreBuilder *b,
                              CoreAtom *suits);

/* ---- versions.c --------------------------------------------------------------------------- */

/* The nest leaves a number a row, or several. */
bool flatten_leaves_numbers(const CoreStm *nest);

/* The statements with fresh names, as a body that gives what the pattern is of. */
const CoreBody *flatten_copies(Compilation *c, size_t count, const CoreStm *const *stms,
                               const CoreStm *like);
/* The nest as it was where that is so, else the new one. */
void flatten_choose(Flatten *f, const CoreStm *old, CoreAtom stays, const CoreBuilder *fresh,
                    CoreBuilder *b);
/* The nest as it was where sizes are such that flattening does not pay, else the new one. */
void flatten_guard(Flatten *f, const CoreStm *old, CoreBuilder *fresh, CoreBuilder *b);
/* A SOAC by groups where sizes want that, else as it was; false where a group cannot do it. */
bool flatten_by_groups(Flatten *f, const CoreStm *old, CoreBuilder *b);

#endif
