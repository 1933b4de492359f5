/* What the two forms of a scan share: scan.c has three phases, lookback.c a single pass. Private to
   backend/lower/. */
#ifndef BACKEND_LOWER_SCAN_H
#define BACKEND_LOWER_SCAN_H

#include "backend/lower/lower.h"

/* One accumulated scalar of one of the scans. */
typedef struct ScanComponent {
    CorePrim prim;
    const char *text;
    const KernelExp *neutral;
    const Reader *out;            /* the scan's result */
    KernelVariable *local, *sums; /* local memory: a group's values, its branches' sums */
    KernelVariable *item_sums;    /* phases: inclusive, within each group */
    KernelVariable *group_sums;   /* phases: inclusive after phase 2 */
    KernelVariable *tile;         /* look-back: the rows of a tile, in local memory */
    KernelVariable *window; /* look-back: what earlier tiles have published, in local memory */
} ScanComponent;

typedef struct GroupScan {
    const CoreStm *stm;
    const CoreSoac *soac;
    size_t reduced; /* operands of reductions come first */
    size_t count;   /* of components */
    ScanComponent *components;
    const Reader **operands; /* of the reductions: where they are stored */
    const KernelExp *width;
    unsigned written_out;                    /* of loops over local memory */
    const KernelExp *groups, *items, *chunk; /* phases */
} GroupScan;

/* results = left op right, for every scan; all operands are leaves. */
void lower_scan_combine(Lower *L, const GroupScan *scan, const Value *left, const Value *right,
                        Value *results);
Value *lower_scan_values(Lower *L, const GroupScan *scan);
KernelVariable *lower_scan_buffer(Lower *L, const ScanComponent *component, KernelSpace space);
/* Declares the 256 values and the sums of their branches in local memory. */
void lower_scan_declare(Lower *L, GroupScan *scan);
/* The 256 values in local memory become their inclusive scan; a barrier before each step,
   none after the last. */
void lower_scan_local(Lower *L, LowerKernel *kernel, const GroupScan *scan);
/* The map lambda on a row: stores operands of reductions and what is mapped out, and gives what is
   scanned. */
const Value *lower_scan_row(Lower *L, const GroupScan *scan, const KernelExp *row);

/* lookback.c: the scan as one kernel; false, and nothing added, where it cannot be. */
bool lower_scan_look_back(Lower *L, GroupScan *scan, const char *text);

#endif
