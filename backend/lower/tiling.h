/* Tiles of segments, inside: what segment_tiles.c and the files tile_*.c share. Private to
   backend/lower/. */
#ifndef BACKEND_LOWER_TILING_H
#define BACKEND_LOWER_TILING_H

#include "backend/lower/segments.h"
#include "backend/slices.h"

enum {
    TILE_ROW = 1, /* of the segment's place: the index of the last but one map */
    TILE_COLUMN = 2,
    TILE_NUMBER = 4, /* of the row of segments */
    TILE_INDICES = 3,
    TILE_MOST_STAGED = 8,
    TILE_SHAPES = 4,
    TILE_SHAPES_OF_UNITS = 3,
    TILE_UNIT = 8, /* rows, and columns, of what a matrix unit makes at a time */
    TILE_UNIT_DEPTH = 4,
    TILE_UNIT_ITEMS = KERNEL_UNIT_LANES / TILE_UNIT /* have a row of that */
};

/* A tile is `across[0]` by `across[1]` work-items, of which each has `each[0]` by `each[1]` segments:
   so many neighbours as one access of local memory reads, and others further on. */
typedef struct TileShape {
    int64_t across[2], each[2];
    int64_t depth; /* rows of the segments at a time */
    int64_t beside[2];
    bool by_units; /* work-items have the segments that matrix units give them (KernelProduct) */
} TileShape;

/* A scalar of the row that is computed once for several segments. */
typedef struct Staged {
    KernelVariable *variable; /* in the slices */
    IndexSet set;
    KernelVariable *kept;  /* LOCAL where it depends on the row's number, else PRIVATE */
    KernelVariable *own;   /* PRIVATE: a work-item's part of `kept` at one number */
    KernelVariable *ahead; /* PRIVATE: what the work-item brings to it next */
    bool by_number;        /* neighbours in memory are neighbours by the row's number */
} Staged;

typedef struct Tiling {
    Segments *s;
    TileShape shape;
    Slices slices;
    KernelVariable *symbols[TILE_INDICES]; /* row, column, number */
    KernelVariable **outer;                /* the other indices */
    Value *values;                         /* operands of the reductions, in terms of the symbols */
    Staged staged[TILE_MOST_STAGED];
    size_t staged_count;
    const KernelExp *
        suits; /* whether the device is no processor, which has its own caches: a scalar of the host */
    const KernelExp *
        units; /* whether the device has matrix units, a scalar of the host, where they can do the work;
                               else NULL */
    LowerKernel kernel;
    bool is_first;                               /* nothing has been fetched yet */
    const KernelExp *tiles[2], *rounds, *groups; /* scalars of the host */
    KernelExps places;                           /* the group's outer indices */
    const KernelExp *first[2];                   /* row and column of the tile's first segment */
    KernelVariable **totals;                     /* PRIVATE, one an accumulator */
    /* Where segments are cut into pieces; else NULL: */
    const KernelExp *pieces, *own_rounds; /* of each segment; of a piece; scalars of the host */
    const KernelExp *piece;               /* the group's */
    KernelVariable *const *partial;       /* totals of pieces, as Segments has them */
} Tiling;

/* ---- tile_rows.c: what is kept, and tiles of which shapes hold it ------------------------------ */

/* Fills in slices and what is staged; false: tiles would gain nothing, or cannot be. */
bool tile_study(Lower *L, Tiling *t);
/* What a variable of the slices is computed from. */
KernelBlock tile_slice(Lower *L, const Tiling *t, KernelVariable *variable);
/* Whether segments are sums of products x * y of f64, of what is staged of rows and of columns: then these two come
   first. */
bool tile_is_product(Tiling *t);
/* From the largest to the smallest. */
const TileShape *tile_shape(size_t k);
/* The same for matrix units; the last one has the segments of the smallest. */
const TileShape *tile_shape_of_units(size_t k);
/* The largest that fits; TILE_SHAPES: none does. */
size_t tile_largest_shape(Lower *L, const Tiling *t);
/* Segments of a tile along an axis. */
int64_t tile_extent(const TileShape *shape, int axis);
/* How what is staged, and depends on the row's number, lies in local memory: elements between neighbours by
   the number, between neighbours by the segment, and of all of it. */
int64_t tile_deep_step(const TileShape *shape, const Staged *staged);
int64_t tile_place_step(const TileShape *shape, const Staged *staged);
int64_t tile_elements(const TileShape *shape, const Staged *staged);
/* How many of these each work-item computes. */
int64_t tile_elements_of_item(const TileShape *shape, const Staged *staged);

/* ---- tile_stage.c: pieces of the kernel, and how tiles are filled -------------------------------- */

typedef void TileItemWork(Lower *L, Tiling *t, const KernelExp *l);
/* LOCAL { work } */
void tile_side_by_side(Lower *L, Tiling *t, TileItemWork *work);
typedef void TileRoundWork(Lower *L, Tiling *t, const KernelExp *l, const KernelExp *round);
/* LOCAL { work of that round } */
void tile_in_round(Lower *L, Tiling *t, TileRoundWork *work, const KernelExp *round);
/* A loop that devices write out. */
void tile_written_out(Lower *L, LowerLoop *loop, const char *text, int64_t count);
const KernelExp *tile_sum(Lower *L, const KernelExp *x, const KernelExp *y);
const KernelExp *tile_times(Lower *L, const KernelExp *x, int64_t factor);
/* How many segments there are along an axis. */
const KernelExp *tile_segments(const Tiling *t, int axis);
/* A work-item's place among those across; by units, of its first segment, in units of those beside. */
const KernelExp *tile_item(Lower *L, const Tiling *t, const KernelExp *l, int axis);
/* Where in the tile segment number `each` of the work-item is: work-items take turns, some neighbours
   each. */
const KernelExp *tile_place(Lower *L, const Tiling *t, const KernelExp *place,
                            const KernelExp *each, int axis);
/* Which of the totals is that of segment (r, c) of the work-item. */
const KernelExp *tile_total(Lower *L, const Tiling *t, const KernelExp *r, const KernelExp *c);
/* Copies with the group's outer indices. */
KernelCopier tile_copier(Lower *L, const Tiling *t);
/* Totals begin as neutral elements, and what does not depend on the row's number is computed. */
void tile_begin(Lower *L, Tiling *t, const KernelExp *l);
/* Where a value that is staged is kept. */
const KernelExp *tile_kept_at(Lower *L, const Tiling *t, const Staged *staged,
                              const KernelExp *deep, const KernelExp *at);
/* A name for how many rows of the segments there are from the round's first one on, up to all of a round. */
const KernelExp *tile_rows_left(Lower *L, const Tiling *t, const KernelExp *round);
/* What depends on the row's number, for the rows of a round: each work-item computes its part of it, one round ahead, */
void tile_fetch(Lower *L, Tiling *t, const KernelExp *l, const KernelExp *round);
/* and brings it to the tiles. Matrix units find 0 there for rows beyond the last. */
void tile_bring(Lower *L, Tiling *t, const KernelExp *l, const KernelExp *round);

/* ---- tile_work.c: what is done for each segment -------------------------------------------------- */

/* The rows of a round, for all segments of the work-item. */
void tile_take(Lower *L, Tiling *t, const KernelExp *l, const KernelExp *round);

#endif
