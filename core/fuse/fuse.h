/* Inside the fuser (private to core/fuse). See fuse.c for what fusion does and in which order.

   fuse.c     the pass: rounds of the steps below and of the simplifier
   names.c    what is known of names: definitions, levels, uses
   nests.c    the shape of a SOAC: widths of its nest, what its work costs
   keep.c     maps before and after filters, computed in these
   conditions.c what filters go by, computed in these again
   filter.c   filters whose rows are only reduced, counted, filtered again or scattered
   all_rows.c what reads such a filter, as what reads all rows
   masks.c    filters by one array of flags become one
   histograms.c  histograms by one list of places become one
   edges.c    the data-flow graph of a body
   checks.c   behind which assertion a statement has a meaning
   fits.c     which SOACs fit each other, by their nests
   graph.c    which SOACs may become one, by the graph
   merge.c    two SOACs of one width as one SOAC
   uses.c     who reads which arrays, how often
   rows.c     rows that are views of maps' arrays, element by element
   dear_rows.c  rows that are not computed once more for each element
   delay.c    which arrays are not stored, but computed where they are read
   stays.c    maps that stay, though nothing needs them whole
   cut.c      maps that are stored in place of what they are made of
   demand.c   an element of such an array, through views
   rewrite.c  consumers of such arrays
   inputs.c   rows read by position become inputs
   few.c      few reductions of many rows, written out
   blocks.c   assignments to nearly all of an array
   stored.c   rows of what the program stores
   ravels.c   what takes all elements of a matrix that is made row by row, as what takes its rows
   flat.c     nests whose elements one reduction takes, as maps of all elements
   levels.c   reductions of reductions of rows as one, of all elements
   sink.c     loops into map nests
   exclusive.c rows before those of a scan
   some_rows.c some rows of a scan, or one more
   turned.c   rows of a scan from the last to the first
   before.c   views that turn move before maps; inwards.c: into nests; transposed.c: maps go over columns
   backwards.c rows that a filter keeps, from the last to the first
   branches.c what one branch uses goes into it
   behind.c   what goes over what branches give goes into them
   choices.c  rows that branches choose
   chunks.c   SOACs and streams, or two streams, as one stream
   handover.c which of these may become one
   folds.c    scans in what a work-item does, and what takes their rows, as loops
   streams.c  scans and what takes their rows, as one loop, for sequential programs
   pairs.c    scans and what takes their rows, as neighbours, for programs with kernels
   launches.c SOACs of equally many rows, as one, for programs with kernels
   same.c     whether a program was there before
   log.c      what was done and what was not, for `tailor explain` */
#ifndef CORE_FUSE_FUSE_H
#define CORE_FUSE_FUSE_H

#include "core/simplify/simplify.h"

/* ---- names ------------------------------------------------------------------------------- */

/* A long loop or function, and those around it. */
typedef struct FuseLoop {
    CoreAtom width; /* 0 where it is not known */
    const struct FuseLoop *around;
} FuseLoop;

/* Where a statement stands: the long loops and functions around it, and how often the short ones run. */
typedef struct FusePlace {
    int loops;
    size_t times;
    const FuseLoop *around;
    bool chosen; /* in one branch of several, in one of these loops */
    int beside; /* long axes of the rows that the function makes, of which each element is computed alone: what stands
                    beside the maps that make them is done for each */
} FusePlace;

/* Readings of elements of an array (uses.c). */
typedef struct FuseReadings {
    size_t sites; /* places that read one element */
    size_t times; /* how often, by the short loops around each */
    int loops;    /* the most long loops around such a place, and long axes at which it stays */
    int fixed;    /* the fewest such axes */
    bool chosen;  /* some as a part of what else a view has there */
    const FuseLoop
        *around; /* the first place: what it stands in, and the type of what is read there */
    CoreType seen;
} FuseReadings;

/* Uses of an array, its views and rows included (uses.c), and what comes of them (delay.c). */
typedef struct FuseUses {
    bool escapes;   /* something needs it stored */
    bool delayed;   /* computed where it is read */
    bool reaches;   /* a delayed array, or a view of one */
    bool is_gone;   /* delayed, or a view of what is: nothing can be read of it */
    bool is_free;   /* its elements are arithmetic of their positions: nothing stored is read */
    bool elsewhere; /* read at other rows than the reader's own: through views, by indices */
    bool stored; /* a view that is to be stored, or a slice: reading it again and again is dear */
    FusePlace place; /* of its binding */
    FuseReadings readings;
    unsigned views;  /* the longest chain of views between it and its readers */
    unsigned height; /* chain of delayed arrays, and of their views, below it */
    unsigned cost;   /* of computing one element, where it is delayed */
    CoreReason why;  /* it escapes, or is not delayed */
    bool
        kept; /* a copy in a space of its own keeps it, as that of a dear cyclic view (rewrite.c) */
    size_t times; /* it would be computed, delayed */
} FuseUses;

typedef struct FuseName {
    const CoreName *name;
    const CoreStm *stm; /* that binds it; NULL for parameters */
    CoreName *row_of;   /* a parameter of a map's function: the array; NULL: another name */
    int level;          /* loops and SOAC functions around its binding */
    bool whole;         /* a row that is a view, of something that is stored (rows.c) */
    CoreReason
        stays; /* why a map is stored that nothing needs whole, where that is known (stays.c) */
    FuseUses uses;
} FuseName;

/* Why two SOACs of one body did not become one. */
typedef struct FuseVerdict {
    unsigned first, second; /* numbers of the first names that they bind */
    CoreReason reason;
    const CoreStm *between;
} FuseVerdict;

typedef struct FuseLog {
    CoreFusionLog *log;
    VEC(FuseVerdict) verdicts; /* of this round */
    size_t *slots;             /* hash table by both numbers: place in verdicts + 1 */
    size_t slot_count;
} FuseLog;

/* What a branch reads: how often that is read without it, and with it (uses.c). */
typedef struct FuseWanted {
    const CoreName *name;
    size_t before, after;
} FuseWanted;

typedef struct Fuse {
    Compilation *c;
    Arena *arena;      /* for what is known, and goes with it */
    Simplify *s;       /* alias classes, and what is consumed */
    CoreNameMap names; /* FuseName */
    bool changed;
    bool is_early;    /* only what is read elsewhere, once or cheap, is delayed: delay.c */
    bool in_order;    /* scanned rows are handed over, too: streams.c, pairs.c */
    bool in_item;     /* in_order, of what a work-item does alone: folds.c */
    bool in_pairs;    /* pairs.c */
    bool for_kernels; /* pairs.c: scans, too */
    int level;        /* of the body at work */
    int plain_views;  /* views that demand.c is going through */
    size_t *counts;
    PointerMap lasts; /* CoreName -> CoreName: the last row of what a loop scans (streams.c) */
    CoreReason why;   /* that what escapes now does */
    int branches;     /* around what uses.c is at */
    bool in_entry;    /* else the function may be called in one of a SOAC */
    int functions;    /* of SOACs and the like, around what delay.c or graph.c is at */
    VEC(FuseWanted) wanted;  /* there */
    FuseLog *log;            /* NULL: nobody asks */
    const CoreStm *consumer; /* of the log: the statement whose readings are being replaced */
    int consumer_level;
} Fuse;

FuseName *fuse_name(Fuse *f, const CoreName *name);
/* The statement that binds an atom; NULL for parameters and constants. */
const CoreStm *fuse_definition(Fuse *f, CoreAtom atom);
/* Names that the functions of a SOAC, filter, scatter or stream, its neutral elements and destinations
   use from outside; not its inputs and width. */
void fuse_each_inside(Fuse *f, const CoreStm *stm, void (*visit)(void *context, CoreName *name),
                      void *context);
bool fuse_is_result(const CoreBody *body, const CoreName *name);
/* Adds the arrays that effects, loops and the results of the body need in memory, or as a part of what is there: CoreName ->
   itself. */
void fuse_find_whole(Fuse *f, const CoreBody *body, PointerMap *whole);
/* clock.c. What the body makes between two readings of the clock and uses behind the second. */
void fuse_each_timed(Fuse *f, const CoreBody *body, void (*visit)(void *context, CoreAtom made),
                     void *context);
/* The number of the statement that binds it; as many as the body has: none does. */
size_t fuse_place(const CoreBody *body, const CoreName *name);
/* It is there before that statement. */
bool fuse_is_known(const CoreBody *body, CoreAtom atom, size_t place);
/* No uses are known any more. */
void fuse_forget_uses(Fuse *f);
void fuse_fired(Fuse *f, CoreRule rule);
/* Definitions and levels of everything in the function. */
void fuse_note_function(Fuse *f, const CoreFunction *function);
void fuse_note_stm(Fuse *f, const CoreStm *stm, int level);

/* ---- nests.c ----------------------------------------------------------------------------- */

/* The widths of a nest of SOACs, outermost first: one SOAC a level, and beside it cheap statements
   only. */
enum { FUSE_DEEPEST = 8 };
typedef struct FuseNest {
    int depth;
    CoreAtom widths[FUSE_DEEPEST];
    bool mixed;  /* SOACs of several widths stand beside each other at the innermost level */
    bool serial; /* the innermost level has a loop */
} FuseNest;

FuseNest fuse_nest(const CoreStm *stm);
/* Of one depth, and of the same widths inside. */
bool fuse_same_inside(const FuseNest *a, const FuseNest *b);
/* A SOAC, or a map alone, whose level and space are the compiler's to choose. */
bool fuse_is_soac(const CoreStm *stm);
bool fuse_is_map(const CoreStm *stm);
/* A map of scalars to scalars that cannot fail. */
bool fuse_is_map_of_scalars(const CoreStm *stm);
/* A scatter or histogram whose level and space are the compiler's to choose. */
bool fuse_is_scatter(const CoreStm *stm);
/* Results of all these operators together. */
size_t fuse_total_width(size_t count, const CoreReduction *operators);
bool fuse_are_scalars(size_t count, CoreName *const *names);
/* Its parameters and results are. */
bool fuse_is_of_scalars(const CoreLambda *lambda);
/* Scalars, views and choices of these, which are defined whatever their operands are: nothing that is read at a place, or under a
   certificate. */
bool fuse_is_total(const CoreBody *body);
bool fuse_is_total_stm(const CoreStm *stm);
/* About the number of scalar operations of one evaluation; readings of stored arrays count as
   FUSE_READ each. Loops cost FUSE_DEAR, and SOACs of more than a few rows. */
enum { FUSE_READ = 4, FUSE_DEAR = 1000 };
unsigned fuse_cost(const CoreBody *body);
/* The same, but checks, which are FUSE_DEAR there, cost nothing. */
unsigned fuse_cost_but_checks(const CoreBody *body);
/* A constant number of rows, so few that a loop over them is no more than so many operations. */
bool fuse_are_few(CoreAtom rows);
/* All of the SOAC's rows, where its function costs so much. */
unsigned fuse_cost_of_rows(const CoreSoac *soac, unsigned row);

/* ---- histograms.c ------------------------------------------------------------------------ */

const CoreFunction *fuse_histograms(Fuse *f, const CoreFunction *function);

/* ---- filter.c, all_rows.c, masks.c ---------------------------------------------------------------- */

const CoreFunction *fuse_filter(Fuse *f, const CoreFunction *function);
/* let (z, ..) = if keep then body else (others), cheap work unconditionally; what there is then.
   others NULL: nobody looks where it is not kept. */
const CoreAtom *fuse_where_kept(Fuse *f, CoreBuilder *b, CoreAtom keep, const CoreBody *body,
                                const CoreAtom *others);
bool fuse_has_filter(const CoreBody *body);
/* The map reads by position, and more than a neighbour or one of two arrays: once is better than once more for each row
   that a filter keeps. What a filter only goes by is not computed again for these. */
bool fuse_gathers(const CoreStm *map);
bool fuse_is_filter(const CoreStm *stm); /* of scalars, that cannot fail */

/* ---- keep.c ------------------------------------------------------------------------------ */

const CoreFunction *fuse_keep(Fuse *f, const CoreFunction *function);
/* The filter with the map in it, whose rows only it reads. */
const CoreStm *fuse_filter_after_map(Fuse *f, const CoreStm *map, const CoreStm *filter);

/* ---- graph.c ----------------------------------------------------------------------------- */

/* [L0 7.4] SOACs of the body, and of bodies inside, become one where that is legal. */
const CoreBody *fuse_graph(Fuse *f, const CoreBody *body);
/* The array that this is, or is a view of. */
const CoreName *fuse_origin(Fuse *f, CoreAtom atom);

/* ---- blocks.c, diagonals.c, stored.c ----------------------------------------------------- */

const CoreFunction *fuse_blocks(Fuse *f, const CoreFunction *function);
const CoreFunction *fuse_diagonals(Fuse *f, const CoreFunction *function);
const CoreFunction *fuse_stored(Fuse *f, const CoreFunction *function);

/* ---- edges.c ----------------------------------------------------------------------------- */

/* It may write something in place. */
bool fuse_may_consume(const CoreExp *exp);
/* What it uses may be written in place, somewhere in the function: it may not be done later than it stands. */
bool fuse_reads_consumed(Fuse *f, const CoreStm *stm);
/* The array is an input, row by row, and nothing else of the statement. */
bool fuse_takes_rows_of(Fuse *f, const CoreStm *stm, const CoreName *array);

/* ---- overwritten.c ----------------------------------------------------------------------- */

/* What the SOAC at that place of the body reads may be written in place before the last statement that reads what it makes
   has run: its elements may not be computed there. After fuse_find_uses. */
bool fuse_is_overwritten(Fuse *f, const CoreBody *body, size_t at);

/* ---- merge.c ----------------------------------------------------------------------------- */

/* The first's results may be inputs of the second, row by row. */
const CoreStm *fuse_merge(Fuse *f, const CoreStm *first, const CoreStm *second);
/* stages.c: the second, whose assertions come behind all those of the first, of another SOAC. */
const CoreBody *fuse_in_later_stages(Compilation *c, const CoreBody *first, const CoreBody *second);
/* Of both statements. */
const CoreAtom *fuse_certificates(Compilation *c, const CoreStm *first, const CoreStm *second,
                                  size_t *count);
/* A copy of the statement to change, with the other's certificates before its own. */
CoreStm *fuse_with_certificates(Fuse *f, const CoreStm *stm, const CoreStm *other);

/* ---- chunks.c ---------------------------------------------------------------------------- */

/* A stream whose level and space are the compiler's to choose. */
bool fuse_is_stream(const CoreStm *stm);
/* Of such a stream, or of a SOAC. */
const CoreAtom *fuse_inputs_of(const CoreStm *stm, size_t *count);
/* Which mapped result of the first the input is, as a number in its pattern; SIZE_MAX: none. */
size_t fuse_handed_over(const CoreStm *first, CoreAtom input);
/* [handover.c] Two of one width, a stream and a SOAC or two streams: why they do not become one. */
CoreReason fuse_fit_as_streams(Fuse *f, const CoreStm *first, const CoreStm *second);
/* [handover.c] The function makes arrays of sizes that it binds itself, other than the results of that body. */
bool fuse_makes_own_sizes(Fuse *f, const CoreLambda *lambda, const CoreBody *results);
/* The two, which fit, as one stream; the first's mapped results may be inputs of the second. */
const CoreStm *fuse_merge_streams(Fuse *f, const CoreStm *first, const CoreStm *second);

/* ---- folds.c ----------------------------------------------------------------------------- */

const CoreFunction *fuse_folds(Fuse *f, const CoreFunction *function);
const CoreFunction *fuse_work_items(Fuse *f, const CoreFunction *function);

/* ---- uses.c ------------------------------------------------------------------------------ */

enum { FUSE_MOST_VIEWS = 64 }; /* between a reader and a map */
void fuse_find_uses(Fuse *f, const CoreFunction *function);
/* How often each element of the array would be computed where it is read, long loops aside. */
size_t fuse_times(Fuse *f, const FuseName *name);
/* How often the rows of a map are computed where it is not stored: what it reads is read as often. 1 where it is. */
size_t fuse_times_of_map(Fuse *f, const CoreStm *stm);
/* More long loops stand around a reading than it has long axes. */
bool fuse_is_repeated(Fuse *f, const FuseName *name);
/* At one place some of its elements are read, and none again and again: fewer loops go along its axes, as of a row
   or a diagonal of a matrix, and no other ones. */
bool fuse_reads_part(Fuse *f, const FuseName *name);
/* A view that is stored, or a slice: each reading divides, and it is read again and again. */
bool fuse_is_dear_view(Fuse *f, const CoreStm *stm, const FuseName *name);
/* A view that something needs whole: stored as a map, where it is one of an array that is computed. */
bool fuse_is_stored_view(Fuse *f, const CoreStm *stm, const FuseName *name);
/* A view of a map that goes over rows of a scan, which is done in the scan's order, and written where it belongs (turned.c,
   some_rows.c, backend/lower/parts.c): turned round, or nearly all of it, or padded, or catenated with others. */
bool fuse_is_view_of_scan(Fuse *f, const CoreStm *view);
/* The array's rows, so many axes deep, are maps of rows of a scan, or of what such maps make of them. */
bool fuse_maps_scan(Fuse *f, CoreAtom array, int depth);
/* They are rows of a scan, or such. */
bool fuse_is_of_scan(Fuse *f, CoreAtom array, int depth);

/* ---- rows.c ------------------------------------------------------------------------------ */

typedef VEC(CoreName *) FuseNames;
/* The function where rows that are views of maps' arrays are read element by element; these views are added. */
const CoreFunction *fuse_rows(Fuse *f, const CoreFunction *function, FuseNames *views);

/* ---- dear_rows.c ------------------------------------------------------------------------- */

/* Something is computed for a whole row of the map's result that is more than scalar work: each element
   would do it again. Rows of such elements may be what the result's are made of, one each. */
bool fuse_has_dear_rows(Fuse *f, const CoreSoac *map);
/* Two maps or more, one in the other, have reductions of many rows which they share, as products of matrices do. */
bool fuse_sums_rows(Fuse *f, const CoreSoac *map);
/* Reductions or scans of many rows. */
bool fuse_folds_rows(const CoreSoac *map);

/* ---- delay.c, demand.c, rewrite.c -------------------------------------------------------- */

/* Elements of that result's rows can be computed alone: maps make them. Scalars can. */
bool fuse_has_elements(const CoreLambda *lambda, size_t result);

/* A map's array that the early choice leaves, and that will be stored where the map becomes one with a reduction. */
bool fuse_is_left(const Fuse *f, const FuseName *name);
const CoreFunction *fuse_delay(Fuse *f, const CoreFunction *function);
/* For that result of the SOAC, which is more than a map: the array that has what the inner statement of its function makes,
   stored, and dearer than to read it; NULL: none has. */
const CoreName *fuse_read_beside(Fuse *f, const CoreStm *stm, const CoreStm *inner, size_t result);
/* Only arrays that are read at other rows than their readers' own, and once or cheap. */
const CoreFunction *fuse_delay_early(Fuse *f, const CoreFunction *function);
/* [first, first + step, ...], of two i64 or more. */
bool fuse_is_progression(const CoreExp *exp, int64_t *first, int64_t *step);
/* array[index, ...] by statements in b; a row where there are fewer indices than axes. */
CoreAtom fuse_demand(Fuse *f, CoreBuilder *b, CoreAtom array, size_t count, const CoreAtom *indices,
                     CoreType type);
/* A statement with its readings of delayed arrays replaced, put into b. */
void fuse_rewrite(Fuse *f, CoreBuilder *b, const CoreStm *stm);
const CoreBody *fuse_rewrite_body(Fuse *f, const CoreBody *body);
/* ---- inputs.c ---------------------------------------------------------------------------- */

/* The statement makes an array of rows that a scan makes each, and this is that. */
bool fuse_scans_rows(Fuse *f, const CoreStm *maker, CoreAtom array);
const CoreFunction *fuse_inputs(Fuse *f, const CoreFunction *function);

/* ---- turned.c ---------------------------------------------------------------------------- */

/* The statement that has these rows from another array's last to its first; NULL: none does. */
const CoreStm *fuse_reversal(Fuse *f, CoreAtom rows);
/* The same, or that has them rotated; and the array of which it does. */
const CoreStm *fuse_turning(Fuse *f, CoreAtom rows);
CoreAtom fuse_turned_array(const CoreStm *view);
/* A scan, filter, loop or stream makes the rows one after the other, or they are a view of such; or it is not known. */
bool fuse_is_in_order(Fuse *f, CoreAtom rows);
/* Some of its inputs are rows that a scan makes. */
bool fuse_goes_over_scan(Fuse *f, const CoreStm *stm);
const CoreFunction *fuse_turned(Fuse *f, const CoreFunction *function);

/* ---- stays.c ------------------------------------------------------------------------------ */

/* After delay.c has chosen: marks maps that stay stored, and says whether there are new ones, so that it is to choose anew. */
bool fuse_find_stays(Fuse *f, const CoreBody *body);

/* ---- cut.c -------------------------------------------------------------------------------- */

/* A map that is tried to be stored in place of what it is made of. */
typedef struct FuseCut {
    const CoreStm *map; /* NULL: none is */
    FuseNames sources;  /* arrays that are there for it alone */
    size_t dear;        /* bytes an element of those that were stored before it was tried */
    bool is_between;  /* early: it is between passes of which the one needs what the other makes */
    PointerMap tried; /* CoreName -> itself: the first results of maps that have been */
} FuseCut;

/* After delay.c has chosen: marks such a map, or gives up the last one, and says whether delay.c is to choose anew. */
bool fuse_find_cut(Fuse *f, const CoreBody *body, FuseCut *cut);

/* ---- carry.c ------------------------------------------------------------------------------ */

const CoreFunction *fuse_carry(Fuse *f, const CoreFunction *function);

/* ---- backwards.c ------------------------------------------------------------------------- */

const CoreFunction *fuse_backwards(Fuse *f, const CoreFunction *function);

/* ---- exclusive.c ------------------------------------------------------------------------- */

/* What comes before each row of the array can be had beside it, for what is done with the scan. */
bool fuse_has_rows_before(Fuse *f, CoreAtom array);
/* The one row of an array of one. */
bool fuse_one_row(Fuse *f, CoreAtom array, CoreAtom *row);
const CoreFunction *fuse_exclusive(Fuse *f, const CoreFunction *function);

/* ---- some_rows.c ------------------------------------------------------------------------- */

/* Rows that follow each other in a vector; NULL where the statement is no such slice, or under a certificate. */
const CoreSlice *fuse_part(const CoreStm *stm);
/* m is n - k, or that but at least 0; the k. */
bool fuse_is_less(Fuse *f, CoreAtom m, CoreAtom n, CoreAtom *k);
/* The statement is the rows of a vector but for a few at its ends. */
bool fuse_is_nearly_all(Fuse *f, const CoreStm *stm);
const CoreFunction *fuse_some_rows(Fuse *f, const CoreFunction *function);

/* ---- ravels.c ---------------------------------------------------------------------------- */

const CoreFunction *fuse_ravels(Fuse *f, const CoreFunction *function);

/* ---- few.c ------------------------------------------------------------------------------- */

const CoreFunction *fuse_few(Fuse *f, const CoreFunction *function);

/* ---- flat.c ------------------------------------------------------------------------------ */

const CoreFunction *fuse_flat(Fuse *f, const CoreFunction *function);

/* ---- levels.c ---------------------------------------------------------------------------- */

const CoreFunction *fuse_levels(Fuse *f, const CoreFunction *function);

/* ---- sink.c ------------------------------------------------------------------------------ */

const CoreFunction *fuse_sink(Fuse *f, const CoreFunction *function);

/* ---- branches.c -------------------------------------------------------------------------- */

const CoreFunction *fuse_branches(Fuse *f, const CoreFunction *function);
/* CoreName -> 1 + number of the statement that binds it, of those from `first` on; and that number, SIZE_MAX: of none. */
void fuse_note_binders(Fuse *f, PointerMap *binders, size_t first, size_t end,
                       const CoreStm *const *stms);
size_t fuse_binder(const PointerMap *binders, const CoreName *name);
/* How many statements these are, with all inside. */
size_t fuse_length(size_t count, const CoreStm *const *stms);
/* A view or scalar, which moves with what it is for. */
bool fuse_is_companion(const CoreStm *stm);
/* It may be in a branch, before or behind where it stands: it cannot fail, and nothing that it reads is written in
   place. */
bool fuse_may_move(Fuse *f, const CoreStm *stm);

/* ---- choices.c --------------------------------------------------------------------------- */

const CoreFunction *fuse_choices(Fuse *f, const CoreFunction *function);

/* ---- behind.c ---------------------------------------------------------------------------- */

/* The statement of the branch that makes the result; NULL: it is of somewhere else, or no name. */
const CoreStm *fuse_maker_in(const CoreBody *branch, CoreAtom result);
/* The view is a part of the memory of what it is of: there is nothing to store. */
bool fuse_is_part(const CoreStm *stm);
/* The body with what goes over what branches give in the branches. */
const CoreBody *fuse_behind(Fuse *f, const CoreBody *old);

/* ---- streams.c --------------------------------------------------------------------------- */

/* A SOAC of scalars whose rows may be computed one after the other in a loop with others. */
bool fuse_is_streamable(const Fuse *f, const CoreStm *stm);
/* The SOACs, each after those whose rows it takes, as one loop; its statements go to stms. */
void fuse_stream(Fuse *f, size_t count, const CoreStm *const *soacs, StmVec *stms);
/* The statement; or what it reads, where that is the last row of what one of these loops scans. */
const CoreStm *fuse_of_last(Fuse *f, const CoreStm *stm);

/* ---- nest_pairs.c ------------------------------------------------------------------------ */

/* A nest of scans and of a map of what these make, for which there are kernels. */
bool fuse_is_paired_nest(const CoreStm *stm);

/* ---- inwards.c --------------------------------------------------------------------------- */

const CoreFunction *fuse_inwards(Fuse *f, const CoreFunction *function);

/* ---- transposed.c ------------------------------------------------------------------------ */

const CoreFunction *fuse_transposed(Fuse *f, const CoreFunction *function);
/* The map has elements of columns of matrices alone. */
bool fuse_is_map_of_columns(Fuse *f, const CoreStm *map);
/* Its first result with rows and columns exchanged, of such a map, which then goes over rows. */
CoreAtom fuse_map_columns(Fuse *f, CoreBuilder *b, const CoreStm *map);

/* ---- any_order.c ------------------------------------------------------------------------- */

const CoreFunction *fuse_any_order(Fuse *f, const CoreFunction *function);

/* ---- before.c ---------------------------------------------------------------------------- */

const CoreFunction *fuse_before(Fuse *f, const CoreFunction *function);
/* The nest, whose rows are turned before maps instead of after them. */
const CoreStm *fuse_turn_before(Compilation *c, const CoreStm *nest);

/* ---- pairs.c ----------------------------------------------------------------------------- */

/* A SOAC without its scans; NULL where it is nothing else. */
const CoreStm *fuse_without_scans(Fuse *f, const CoreStm *stm);
/* May be one of a pair. */
bool fuse_may_pair(const CoreStm *stm);
/* A scan and what takes its rows would be a pair, if these were of one width. */
bool fuse_suits_scan(const CoreStm *first, const CoreStm *second);
/* A scan and a reduction in one SOAC that are better done as a pair. */
bool fuse_is_two(const Fuse *f, const CoreStm *stm);
/* Both, beside each other, go to stms; second NULL: the first is two. */
void fuse_pair(Fuse *f, const CoreStm *first, const CoreStm *second, StmVec *stms);

/* ---- same.c ------------------------------------------------------------------------------ */

/* Equal for programs that are the same but for the names that they bind. */
uint64_t fuse_hash_of_program(Compilation *c, const CoreProgram *program);

/* ---- log.c: each does nothing where nobody asks ------------------------------------------- */

/* A new round: what the last one left is out of date. */
void fuse_log_round(FuseLog *log);
/* How much has been done so far; and that what was done after that has not been. */
size_t fuse_log_length(const FuseLog *log);
void fuse_log_cut(FuseLog *log, size_t length);
void fuse_log_done(Fuse *f, CoreRule rule, const CoreStm *producer, const CoreStm *consumer,
                   const CoreName *array);
void fuse_log_apart(Fuse *f, const CoreStm *first, const CoreStm *second, CoreReason reason,
                    const CoreStm *between);
/* Two that read this array and stay two. */
void fuse_log_beside(Fuse *f, const CoreStm *first, const CoreStm *second, const CoreName *array,
                     CoreReason reason);
/* The scan is without what had become one SOAC with it again: those are two, which read one array. */
void fuse_log_parted(Fuse *f, const CoreStm *scan);
/* After delay.c's choice: the pairs of producers and consumers that are still two. */
void fuse_log_left(Fuse *f, const CoreFunction *function);

#endif
