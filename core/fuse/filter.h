/* Filters that need not be made: filter.c says which, all_rows.c writes what reads them; masks.c makes one of
   several. */
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
/* Filters of the body that go by the same flags as one; the body itself where there are none. */
const CoreBody *fuse_merge_filters(Fuse *f, const CoreBody *body);

#endif
