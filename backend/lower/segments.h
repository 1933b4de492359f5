/* Segmented reductions and scans, inside: what the files segment*.c share. */
#ifndef BACKEND_LOWER_SEGMENTS_H
#define BACKEND_LOWER_SEGMENTS_H

#include "backend/lower/reduce.h"

/* A nest whose innermost function is cheap statements, one SOAC with reductions to scalars or with
   scans of scalars, perhaps a map of what these scan, or its reduction, and cheap statements; a segment is an iteration of the whole nest. */
typedef struct Segments {
    const CoreStm *outer; /* the whole nest */
    const Nest *nest;
    KernelExps extents;
    const char *text;
    int depth;
    const NestLevel *level; /* the innermost */
    const CoreBody *body;
    const CoreStm *stm; /* the SOAC, statement number `at` of the body */
    const CoreSoac *soac;
    size_t at;
    const CoreStm *
        taker; /* statement number `taken` of the body: a map of the scan's rows, perhaps reduced; NULL: none */
    size_t taken;
    struct Segments *fold; /* segment_fold.c: the taker's reductions, of parts; NULL: it is a map */
    Accumulator *folds;    /* of the work-item at work */
    KernelVariable *const *parts; /* what work-items have come to, as `pieces` of the fold */
    size_t reduced;               /* accumulators of reductions, and of scans: one of them is 0 */
    size_t scanned;
    bool in_order;
    bool heavy;                    /* a row is a loop */
    const KernelExp *width;        /* rows of a segment; scalars of the host, as `count` */
    const KernelExp *count;        /* of segments */
    KernelVariable *const *pieces; /* not NULL: "rows" are totals of pieces, of each accumulator,
                                      at piece * count + segment */
    /* accesses of the loop over rows that are not to neighbours: by row, by segment */
    size_t far_rows, far_segments;
} Segments;

/* In a kernel: the segment's rows are bound and what stands before the SOAC is done. */
typedef struct SegmentEntry {
    const KernelExp *segment;
    KernelExps indices;
    const KernelExp *guard; /* NULL, or whether the segment may be touched at all */
} SegmentEntry;

bool segment_binds(const CoreStm *stm, CoreAtom atom);
/* The statement uses arrays that the other one binds. */
bool segment_uses(const CoreStm *stm, const CoreStm *binder);
/* Checks of a segment fail in the order of its rows, those beside them before and after: that of the row. */
const KernelExp *segment_number(Lower *L, const Segments *s, const SegmentEntry *entry,
                                const KernelExp *row);
SegmentEntry segment_enter(Lower *L, const Segments *s, const KernelExp *segment);
/* The same of the segment with these indices. */
SegmentEntry segment_enter_at(Lower *L, const Segments *s, KernelExps indices);
Accumulator *segment_accumulators(Lower *L, const Segments *s);
/* Where the segment's part of what the SOAC or its taker binds goes; NULL: it is no result. */
const Reader *segment_place(Lower *L, const Segments *s, const SegmentEntry *entry,
                            const CoreName *name);
/* The SOAC's function of that row; what it maps out goes to its place. */
void segment_row(Lower *L, const Segments *s, const SegmentEntry *entry, const KernelExp *row,
                 Value *values);
/* Sets far_rows and far_segments by this block, in which the row is done. */
void segment_note_strides(Lower *L, Segments *s, const SegmentEntry *entry, KernelBlock block,
                          const KernelExp *row);
/* accumulators := rows first, first + step, ..., `count` of them (none where it is not positive).
 */
void segment_rows(Lower *L, Segments *s, const SegmentEntry *entry, Accumulator *accumulators,
                  const KernelExp *first, const KernelExp *count, const KernelExp *step);
/* Whether rows of the segment that has been entered can be read several at a time, from the first one
   on. */
WideRows segment_wide(Lower *L, const Segments *s, const SegmentEntry *entry,
                      const KernelExp *first);
/* The same by rows read wide->rows at a time: those from `first` on, from first + step on, ... */
void segment_wide_rows(Lower *L, const Segments *s, const SegmentEntry *entry,
                       Accumulator *accumulators, const WideRows *wide, const KernelExp *first,
                       const KernelExp *count, const KernelExp *step);
/* accumulators := accumulators op operands, of all reductions. */
void segment_accumulate(Lower *L, const Segments *s, Accumulator *accumulators,
                        const Value *operands);
/* What stands after the SOAC, and the results. */
void segment_leave(Lower *L, const Segments *s, const SegmentEntry *entry,
                   const KernelExp *const *totals);
/* What accumulator k is called, and its type; a buffer for it. */
const char *segment_component(Lower *L, const Segments *s, size_t k, CorePrim *prim);
KernelVariable *segment_buffer(Lower *L, const Segments *s, size_t k, KernelSpace space);

/* Neighbouring segments are nearer to each other in memory than rows. */
bool segment_lies_across(const Segments *s);

/* ---- segment_versions.c -------------------------------------------------------------------------------------- */

/* Host: the versions of a scan in which work-items share segments; false where there is none. */
bool segment_scans(Lower *L, Segments *s, const KernelExp *work_items, KernelBlock *shared);
/* Host: a kernel that looks back, where segments are long and the device lets it, else the other block. */
KernelBlock segment_looking_back(Lower *L, Segments *s, const KernelExp *work_items,
                                 KernelBlock otherwise);

/* ---- segment_taker.c ----------------------------------------------------------------------------------------- */

/* Sets taker and taken, where there is such a map. */
void segment_find_taker(Segments *s);
/* What is between a scan and its taker, before the first of its rows; and such a row, scanned. */
void segment_begin_taker(Lower *L, Segments *s);
void segment_take(Lower *L, const Segments *s, const SegmentEntry *entry, const KernelExp *row,
                  const Value *scanned);
/* There is a taker that reads more than what is scanned, or reduces. */
bool segment_takes_others(const Segments *s);
/* Host: the scan and its taker as two nests, the first of which stores what the second reads. */
KernelBlock segment_apart(Lower *L, const Segments *s);

/* ---- segment_fold.c ------------------------------------------------------------------------------------------ */

/* Sets `fold`, where the taker reduces; where it does not, the others do nothing. */
void segment_find_fold(Lower *L, Segments *s);
/* In a work-item: neutral elements, and a row that the taker has mapped; what it has come to are the taker's results, or in
   these buffers, one an accumulator, at that place, to begin with or at the end. */
void segment_begin_fold(Lower *L, Segments *s);
void segment_fold_row(Lower *L, const Segments *s, const Value *values);
void segment_bind_fold(Lower *L, const Segments *s);
void segment_load_fold(Lower *L, const Segments *s, KernelVariable *const *sums,
                       const KernelExp *at);
void segment_store_fold(Lower *L, const Segments *s, KernelVariable *const *sums,
                        const KernelExp *at);
/* Host: memory for so many parts of each segment before the kernel, and what they come to behind it. */
void segment_begin_parts(Lower *L, Segments *s, const KernelExp *pieces);
const KernelExp *segment_part(Lower *L, const Segments *s, const KernelExp *piece,
                              const KernelExp *segment);
bool segment_join_parts(Lower *L, const Segments *s, const KernelExp *pieces);
/* The same of as many pieces as lanes of a group, at most. */
bool segment_join_lanes(Lower *L, const Segments *s, const KernelExp *lanes);

/* ---- segment_short.c ------------------------------------------------------------------------- */

/* Host: a kernel in which groups scan whole segments in local memory, where these are short, else the other block. */
KernelBlock segment_scan_short(Lower *L, Segments *s, KernelBlock otherwise);
/* It does as well for the shortest ones. */
bool segment_shares_operands(const Segments *s);

/* ---- segment_group.c, segment_columns.c, segment_scan.c, segment_lookback.c, segment_tiles.c -------------------------------------- */

/* Host. False where these cannot be kernels; `work_items` keep the device busy. */
bool segment_by_groups(Lower *L, Segments *s, const KernelExp *work_items);
bool segment_by_columns(Lower *L, Segments *s, const KernelExp *work_items);
/* Buffers for the totals of so many pieces of each segment, up to their release. */
KernelVariable **segment_partial(Lower *L, const Segments *s, const KernelExp *pieces);
void segment_release(Lower *L, const Segments *s, KernelVariable *const *partial);
/* The totals of a segment's pieces are rows of it now: a work-item takes a few, groups take many. */
bool segment_join_few(Lower *L, const Segments *s, KernelVariable *const *partial,
                      const KernelExp *pieces);
bool segment_join_pieces(Lower *L, const Segments *s, KernelVariable *const *partial,
                         const KernelExp *pieces, const KernelExp *work_items);
bool segment_scan(Lower *L, Segments *s, bool across);
/* Several groups a segment: for devices that look back. */
bool segment_look_back(Lower *L, Segments *s, bool across);
/* Whether local memory has room for such a kernel. */
bool segment_has_tiles(const Segments *s);
/* A work-item a segment, which hands each row to the taker. */
bool segment_scan_items(Lower *L, Segments *s);
/* Puts versions in tiles before the others, where there are such and their sizes suit. */
void segment_by_tiles(Lower *L, Segments *s, const KernelExp *work_items, KernelBlock *otherwise);

#endif
