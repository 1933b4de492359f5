/* What the forms of a reduction share: reduce.c, ordered.c, and epilogue.c. Private to
   backend/lower/. */
#ifndef BACKEND_LOWER_REDUCE_H
#define BACKEND_LOWER_REDUCE_H

#include "backend/lower/lower.h"

/* One accumulated scalar of one of the reductions. */
typedef struct Component {
    CorePrim prim;
    const char *text;
    const KernelExp *neutral;
    KernelVariable *local, *partial;
    KernelVariable *result; /* shared by those of the same type: the host fetches them together */
    int64_t slot;           /* there */
} Component;

typedef struct GroupReduction {
    size_t reduction_count;
    const CoreReduction *reductions;
    size_t count; /* of components */
    Component *components;
    int64_t lanes; /* work-items of a group whose values are in local memory */
} GroupReduction;

/* Some operator does not commute: rows have to be folded in their order. */
bool lower_reduces_in_order(const CoreSoac *soac);
/* Components, and memory for the results; end binds them, where the kernel is one. */
void lower_reduction_begin(Lower *L, GroupReduction *reduction, const CoreSoac *soac);
void lower_reduction_end(Lower *L, const CoreStm *stm, const GroupReduction *reduction, bool good);
/* Host: memory for what each group leaves. */
void lower_partials_begin(Lower *L, const GroupReduction *reduction, const KernelExp *groups);
void lower_partials_end(Lower *L, const GroupReduction *reduction);
/* It is known that there is one group, which has no partial value but the result. */
bool lower_is_alone(const GroupReduction *reduction);
/* In a GROUP kernel: what work-items of group `index` have left becomes its partial value, and the last group joins
   those of all. */
void lower_reduce_finish(Lower *L, LowerKernel *kernel, const GroupReduction *reduction,
                         const KernelExp *index, const KernelExp *groups);

/* What is done with a row: the map lambda, then its results are folded. */
typedef struct RowFold {
    const CoreStm *stm;
    const CoreSoac *soac;
    const GroupReduction *reduction;
    Accumulator *accumulators;
} RowFold;

KernelVariable *lower_component_buffer(Lower *L, const Component *component, KernelSpace space);
/* Declares the values of a group's work-items in local memory. */
void lower_reduce_declare(Lower *L, GroupReduction *reduction, int64_t lanes);
/* Accumulators that begin with the neutral elements. */
RowFold lower_fold_begin(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                         const GroupReduction *reduction);
/* The lambda's parameters are bound. */
void lower_fold_bound(Lower *L, const RowFold *fold, const KernelExp *row);
/* Row number `row`, a variable or a sum. */
void lower_fold_row(Lower *L, const RowFold *fold, const KernelExp *row);
/* Work-item l leaves the accumulators at its place (lower_lane). */
void lower_fold_end(Lower *L, const RowFold *fold, const KernelExp *l);
/* accumulators = accumulators op local[first + step] op local[first + 2 * step] ..., count of them; all of one branch, or
   one of each (lower_lane). */
void lower_accumulate_local(Lower *L, const GroupReduction *reduction, Accumulator *accumulators,
                            const KernelExp *first, int64_t step, int64_t count);
/* The share of a work-item: `count` rows, `step` apart. */
typedef struct RowsOfItem {
    const KernelExp *first, *count, *step;
} RowsOfItem;
/* Accumulators of what these groups have left, so many of them written out at a time. */
Accumulator *lower_fold_partials(Lower *L, const GroupReduction *reduction, const RowsOfItem *rows,
                                 unsigned at_a_time);
/* In a group of one work-item: its total of component k is its partial value, or the result, where it is the only group. */
void lower_leave_total(Lower *L, const GroupReduction *reduction, size_t k, const KernelExp *group,
                       const KernelExp *total);
/* In a kernel of such groups: the partial values of so many of them, in their order, become the result, when the last has
   its own. */
void lower_fold_groups(Lower *L, LowerKernel *kernel, const GroupReduction *reduction,
                       const KernelExp *groups);

RowsOfItem lower_rows_of_item(Lower *L, const KernelExp *item, const KernelExp *items,
                              const KernelExp *width, bool in_order);
/* What a row costs (row_work.c). */
typedef struct RowWork {
    const Lower *L; /* knows the names from outside; or NULL */
    bool heavy;     /* a loop is in it */
    bool uneven;    /* a loop that may be longer in one row than in another */
    bool odd;       /* more than scalar operations and views, or an assertion */
    size_t statements;
    size_t reads; /* of elements */
} RowWork;

RowWork lower_row_work(const Lower *L, const CoreLambda *lambda);
/* Rows that a work-item reads before it needs the first: some 64 bytes. */
int64_t lower_steps_at_once(Lower *L, const CoreSoac *soac);
/* Every lambda is light, and rows are scalars: they are worth being read several at once. */
bool lower_reads_ahead(Lower *L, const CoreSoac *soac);

/* wide.c: rows that are read several at a time. */
typedef struct WideRows {
    size_t rows;           /* a power of 2; 1: they are not */
    size_t arrays;         /* of how many arrays */
    const KernelExp *fits; /* whether they can be, from the first row on */
} WideRows;

/* `row`: the commands of the first row, a variable; variables with numbers up to `last` are known
   outside of it. */
WideRows lower_wide_rows(Lower *L, KernelBlock row, const KernelExp *first, unsigned last);
/* The commands from number `begin` on are wide->rows rows, from the first one on, one after the other:
   what they read side by side is read at once. */
void lower_wide_join(Lower *L, const WideRows *wide, size_t begin, const KernelExp *first);

/* tiles.c. In a GROUP kernel: local[l] = a part of the rows folded, `steps` of which a work-item reads
   at once. */
void lower_reduce_tiles(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                        GroupReduction *reduction, LowerKernel *kernel, const KernelExp *groups,
                        int64_t steps);

/* ordered.c: how the rows are shared out among groups that keep their order. */
typedef struct OrderedShare {
    int64_t rows;                     /* of a work-item and round */
    const KernelExp *rounds, *groups; /* host scalars */
} OrderedShare;

/* False where rows are not read ahead so. */
bool lower_ordered_share(Lower *L, const CoreStm *stm, const CoreSoac *soac, OrderedShare *share);
/* In a GROUP kernel: local[l] = a part of the group's rows folded, those of smaller l before. */
void lower_reduce_ordered(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                          GroupReduction *reduction, LowerKernel *kernel,
                          const OrderedShare *share);

#endif
