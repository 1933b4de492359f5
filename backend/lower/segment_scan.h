/* What the kernels of segmented scans share: segment_scan.c, segment_lookback.c. */
#ifndef BACKEND_LOWER_SEGMENT_SCAN_H
#define BACKEND_LOWER_SEGMENT_SCAN_H

#include "backend/lower/segments.h"

/* Work-items of a group: 2^SEGMENT_LEVELS. */
enum { SEGMENT_LEVELS = 8 };

/* `lanes` work-items of a group share each of its `slots` segments. */
typedef struct ScanKernel {
    Segments *s;
    bool across;                     /* neighbouring work-items have neighbouring segments */
    const KernelExp *levels, *lanes; /* lanes = 2^levels; scalars of the host, as those below */
    const KernelExp *slots;          /* segments a group */
    const KernelExp *step;           /* from a lane of a segment to the next, in work-items */
    const KernelExp *tile;           /* rows of a tile */
    const KernelExp *tiles;          /* of a segment */
    const KernelExp *groups;         /* of segments: slots of them each */
    LowerKernel kernel;
    const KernelExp *group; /* in the kernel: which segments this group has */
    /* one a component; local memory. A work-item has two places of total, KERNEL_GROUP_SIZE apart. */
    KernelVariable **operand, **total;
    KernelVariable **sums; /* what the taker's reductions have come to, of each work-item */
    /* segment_scan.c: what comes before a tile, in the loop over tiles */
    KernelVariable **carry;
    const KernelExp *tile_index;
} ScanKernel;

/* A work-item's place. */
typedef struct Lane {
    const KernelExp *l, *lane, *slot;
    const KernelExp *segment; /* 0 where it has none */
    const KernelExp *inside;  /* it has one */
    const KernelExp *first;   /* of its segment's operands in local memory, segment by segment */
} Lane;

/* The least number so that 2^levels >= lanes, `least` at least. */
const KernelExp *segment_levels(Lower *L, const KernelExp *lanes, int least);
Lane segment_begin_local(Lower *L, ScanKernel *scan, LowerLoop *local);
/* A name for what is not negative and at most about the number of segments or rows (kernel.h, is_row). */
const KernelExp *segment_let_narrow(Lower *L, const ScanKernel *scan, const char *text,
                                    const KernelExp *exp);
/* Whether the row is one of this lane's segment that may be touched. */
const KernelExp *segment_exists(Lower *L, const ScanKernel *scan, const Lane *lane,
                                const SegmentEntry *entry, const KernelExp *row);
/* place + size in odd iterations, place in even ones */
const KernelExp *segment_alternate(Lower *L, const KernelExp *iteration, int64_t size,
                                   const KernelExp *place);
/* total[l] = all up to lane l of its segment, in levels steps with a barrier before each; they begin in the first place
   of each work-item and end in the second one where levels are odd. */
void segment_scan_totals(Lower *L, ScanKernel *scan);
/* A step of that: total[l], where the condition holds total[l - away] op it, from the iteration's place to the next one's. */
void segment_add_totals(Lower *L, const Segments *s, KernelVariable *const *total,
                        const KernelExp *iteration, const KernelExp *l, const KernelExp *condition,
                        const KernelExp *away);
/* Scalar results, which are of what stands before the SOAC, by each segment's first lane, in groups in which `here` holds. */
void segment_write_scalars(Lower *L, ScanKernel *scan, const KernelExp *here);

/* There are such. What the taker's reductions come to is found behind the kernel, and so is what is made of that. */
bool segment_has_scalars(const Segments *s);

/* Values of all components: at one place of their buffers, neutral, left op right. */
Value *segment_loads(Lower *L, const Segments *s, KernelVariable *const *buffers,
                     const KernelExp *at);
void segment_stores(Lower *L, const Segments *s, KernelVariable *const *buffers,
                    const KernelExp *at, const Value *values);
Value *segment_neutral(Lower *L, const Segments *s);
Value *segment_combine(Lower *L, const Segments *s, const Value *left, const Value *right);
/* Scalars that begin with these values and can be changed; all are computed from what was before. */
Value *segment_variables(Lower *L, const Segments *s, const Value *values,
                         KernelVariable **changing);
void segment_change(Lower *L, const Segments *s, KernelVariable *const *changing,
                    const Value *values);
/* Of what a row gives to be scanned. */
int64_t segment_operand_bytes(const Segments *s);
/* Buffers in local memory, one a component. */
KernelVariable **segment_locals(Lower *L, const Segments *s, int64_t count);

#endif
