/* Filters that need not be made: filter.c says which, all_rows.c writes what reads them; masks.c makes one of
   several. Those that stay compute what they keep (keep.c), and what they go by (conditions.c). */
#ifndef CORE_FUSE_FILTER_H
#define CORE_FUSE_FILTER_H

#include "core/fuse/fuse.h"

/* A filter that goes, and what its readers have become so far. */
typedef struct FuseRows {
    Fuse *f;
    const CoreStm *filter;
    PointerMap
        *moved; /* CoreName of an array of kept rows that a reader makes -> that of all rows */
} FuseRows;

/* redomap n (\x -> i64 (p x)) (+) 0 xs */
const CoreStm *fuse_count_all(const FuseRows *rows);
/* Appends what does the reader's work on all rows: of a reduction, filter, map, replicate, scatter
   or histogram that takes kept rows and nothing else of the filter. */
void fuse_take_all(const FuseRows *rows, const CoreStm *reader, StmVec *stms);
/* [keep.c] The results that the filter's predicate has, those that it keeps spelt out. */
CoreAtom *fuse_filter_results(Fuse *f, const CoreExp *filter, size_t *count);
/* [conditions.c] The filter where something that it reads is computed from what else it reads; NULL: nothing is. */
const CoreStm *fuse_filter_alone(Fuse *f, const CoreStm *filter);
/* Filters of the body that go by the same flags as one; the body itself where there are none. */
const CoreBody *fuse_merge_filters(Fuse *f, const CoreBody *body);

#endif
