/* What the two forms of a scan share: scan.c has three phases, lookback.c a single pass; epilogue.c
   says what is done with scanned rows there. Private to backend/lower/. */
#ifndef BACKEND_LOWER_SCAN_H
#define BACKEND_LOWER_SCAN_H

#include "backend/lower/lower.h"

/* One accumulated scalar of one of the scans. */
typedef struct ScanComponent {
    CorePrim prim;
    const char *text;
    const KernelExp *neutral;
    const Reader *out;            /* the scan's result; NULL: it is not stored */
    KernelVariable *local, *sums; /* local memory: a group's values, its branches' sums */
    KernelVariable *item_sums;    /* phases: inclusive, within each group */
    KernelVariable *group_sums;   /* phases: inclusive after phase 2 */
    KernelVariable *tile;         /* look-back: the rows of a tile, in local memory */
    KernelVariable *window; /* look-back: what earlier tiles have published, in local memory */
} ScanComponent;

/* Steps of an epilogue beside its rows, each with one argument or none. */
typedef enum EpilogueStep {
    EPILOGUE_ALLOCATE, /* host: before a kernel of so many groups */
    EPILOGUE_DECLARE, /* in the kernel: local memory; or its index, where a group is one work-item */
    EPILOGUE_BEGIN,   /* in a work-item, before its rows */
    EPILOGUE_END,     /* in the work-item with this number of its group, after them */
    EPILOGUE_RELEASE  /* host: after the kernel */
} EpilogueStep;

/* What is done with each scanned row where it is finished, in the same kernel. */
typedef struct ScanEpilogue {
    bool in_order; /* a work-item has neighbouring rows, in their order */
    bool light;    /* worth being written out */
    bool
        before; /* `row` gets what comes before the row, too: behind what is scanned, as many values */
    int64_t local_bytes; /* of local memory, for each work-item of a group */
    void (*row)(Lower *L, void *context, const KernelExp *row, const Value *scanned);
    /* NULL: nothing but rows */
    void (*step)(Lower *L, void *context, EpilogueStep step, const KernelExp *argument);
    /* after all work-items of group `index` */
    void (*finish)(Lower *L, void *context, LowerKernel *kernel, const KernelExp *index);
    void *context;
} ScanEpilogue;

typedef struct GroupScan {
    const CoreStm *stm;
    const CoreSoac *soac;
    size_t reduced; /* operands of reductions come first */
    size_t count;   /* of components */
    ScanComponent *components;
    const Reader **operands; /* of the reductions: where they are stored */
    const KernelExp *width;
    const ScanEpilogue *epilogue;            /* or NULL */
    bool again;                              /* phases: the last one scans the rows anew */
    unsigned written_out;                    /* of loops over local memory */
    const KernelExp *groups, *items, *chunk; /* phases */
} GroupScan;

/* results = left op right, for every scan; all operands are leaves. */
void lower_scan_combine(Lower *L, const GroupScan *scan, const Value *left, const Value *right,
                        Value *results);
Value *lower_scan_values(Lower *L, const GroupScan *scan);
KernelVariable *lower_scan_buffer(Lower *L, const ScanComponent *component, KernelSpace space);
/* Finds the components; `stored`: which scans' results are (NULL: all). */
void lower_scan_components(Lower *L, GroupScan *scan, const bool *stored);
/* Declares the values of a group's work-items and the sums of their branches in local memory. */
void lower_scan_declare(Lower *L, GroupScan *scan, int64_t lanes);
/* Accumulators that begin with the neutral elements; and with operands put behind them. */
Accumulator *lower_scan_running(Lower *L, const GroupScan *scan);
void lower_scan_run_on(Lower *L, const GroupScan *scan, Accumulator *running,
                       const Value *operands);
/* In a work-item: chunk number `item` of the rows is scanned by itself, and stored where it is not scanned again; gives the
   last. */
Accumulator *lower_scan_chunk(Lower *L, const GroupScan *scan, const KernelExp *item);
/* sums[at - 1], or neutral where nothing comes before. */
const KernelExp *lower_scan_before(Lower *L, const ScanComponent *component, KernelVariable *sums,
                                   const KernelExp *at, const KernelExp *exists);
/* In a work-item: the chunk is scanned again, beginning with what comes before it, and nothing of it has been stored. */
void lower_scan_chunk_again(Lower *L, const GroupScan *scan, const KernelExp *item,
                            const Value *before);
/* In a GROUP kernel: its work-items scan a chunk each, and put before it what the work-items before have come to; the places
   of the results are wanted. A barrier stands at the end. */
void lower_scan_in_group(Lower *L, LowerKernel *kernel, const CoreStm *stm);
/* The values in local memory, one of each work-item, become their inclusive scan; a barrier before each step,
   none after the last. */
void lower_scan_local(Lower *L, LowerKernel *kernel, const GroupScan *scan);
/* The map lambda on a row: stores operands of reductions and what is mapped out, and gives what is
   scanned. */
const Value *lower_scan_row(Lower *L, const GroupScan *scan, const KernelExp *row);

/* Host: the scan as kernels, which do the epilogue's work, too, where there is one. stored: which
   results are (NULL: all of them); these are bound. False, and nothing added, where it cannot be
   one. An epilogue's scan has neither reductions nor mapped results beside it. */
bool lower_scan_then(Lower *L, const CoreStm *stm, const CoreSoac *soac, const bool *stored,
                     const ScanEpilogue *epilogue);
/* Whether the epilogue's rows take what comes before them. */
bool lower_scan_wants_before(const GroupScan *scan);
/* What the epilogue's rows take: scanned values, and, where it wants them, those before; memory for these. */
Value *lower_scan_finishing(Lower *L, const GroupScan *scan, const Value *scanned);
/* Stores the scanned row where it is wanted, and does the epilogue's work with it. */
void lower_scan_finished(Lower *L, const GroupScan *scan, const KernelExp *row, Value *scanned);

/* A SOAC of scans of scalars and nothing else, whose level is the compiler's to choose. */
bool lower_is_only_scans(const CoreStm *stm);
/* Array results from number `first` on, those needed (NULL: all), get places before the kernels, so
   that these write there; and then have none any more, where the kernels are good. */
void lower_place_results(Lower *L, size_t first, const CoreStm *stm, const bool *needed);
void lower_forget_places(Lower *L, const CoreStm *stm, bool good);

/* The epilogue's step, where the scan has one that has it. */
void lower_epilogue(Lower *L, const GroupScan *scan, EpilogueStep step, const KernelExp *argument);
void lower_epilogue_finish(Lower *L, const GroupScan *scan, LowerKernel *kernel,
                           const KernelExp *index);

/* scan_shares.c: whether processors have loops of their own for the scan; these, of at most so many groups; false, and
   nothing added, where they cannot be kernels. */
bool lower_scan_has_shares(Lower *L, const GroupScan *scan);
bool lower_scan_by_shares(Lower *L, const GroupScan *scan, const KernelExp *most, const char *text);

/* lookback.c: the scan as one kernel; false, and nothing added, where it cannot be. */
bool lower_scan_look_back(Lower *L, GroupScan *scan, const char *text);

#endif
