/* Kernels for devices that are processors: few work-items, each of which runs the plain loop of
   sequential programs over a contiguous share of the rows.

       GRID g < n * m { j = g % m; i = g / m; out[i*m + j] = f(a[i*m + j]) }

   has beside it

       GROUP group < groups {
           LOCAL l < 1 {
               SEQ i < n { SEQ j < m { out[i*m + j] = f(a[i*m + j]) } }
           }
       }

   of which the host launches a few for each core. It is lowered as sequential programs are, so that
   what they do with loops is done with it, too (backend/split/, backend/sequential/,
   backend/strips/); at the end each group takes its share of the outermost loops
   (backend/sequential/shares.c). A reduction leaves one value a group, and the group that comes last
   folds them:

       GROUP group < groups {
           LOCAL l < 1 { total = neutral; SEQ i < n { total = total op f(a[i]) }
                         partial[group] = total }
           ARRIVE last
           LOCAL l < 1 { if last { fold the partials to the result } }
       }

   Windows of up to 7 by 7 are written out there (core/flatten/unroll.c), which would make kernels of other devices longer alone.

   Compilers for processors make vectors of such loops, which they do not of work-items that divide
   their number by extents, or that wait for each other at barriers; and a work-item costs what a
   call does.

   An array that a row's function makes has a piece of device memory for each group, which its rows use one after the other.
   Scans and histograms have kernels of their own for processors, of which no other device has one (scan_shares.c, hist.c).

   What needs memory that only the work-item knows, is more than loops over rows, or folds
   rows that have to be taken in their order stays as it is on other devices. */
#include "backend/lower/processor.h"

/* ---- what can be shared out ----------------------------------------------------------------- */

/* Scalars and elements, under branches and loops. */
static bool is_plain(KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        switch (command->kind) {
        case KERNEL_DECLARE:
        case KERNEL_ASSIGN:
        case KERNEL_STORE:
        case KERNEL_FOR:
        case KERNEL_WHILE:
        case KERNEL_IF:
        case KERNEL_CHECK:
        case KERNEL_COMMENT: break;
        case KERNEL_ALLOCATE:
        case KERNEL_ALIAS:
        case KERNEL_RELEASE:
        case KERNEL_CONSTANTS:
        case KERNEL_ATOMIC:
        case KERNEL_EXCHANGE:
        case KERNEL_RETRY:
        case KERNEL_COPY:
        case KERNEL_BARRIER:
        case KERNEL_ARRIVE:
        case KERNEL_TICKET:
        case KERNEL_PUBLISH:
        case KERNEL_AWAIT:
        case KERNEL_MEET:
        case KERNEL_SWAP:
        case KERNEL_RESERVE:
        case KERNEL_CALL:
        case KERNEL_AHEAD:
        case KERNEL_EFFECT: return false;
        }
        if (!is_plain(command->body) || !is_plain(command->otherwise)) {
            return false;
        }
    }
    return true;
}

/* Loops stand in no branch, and end by their number; of what is stored in `all` a row reads its own arrays alone. */
static bool is_straight(KernelBlock block, KernelBlock all, bool in_branch)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool branches = in_branch || command->kind == KERNEL_IF;
        bool is_result = command->kind == KERNEL_STORE &&
                         command->variable->space == KERNEL_GLOBAL && !command->variable->piece;
        if (command->kind == KERNEL_WHILE || (command->kind == KERNEL_FOR && in_branch) ||
            (is_result && kernel_reads(all, command->variable)) ||
            !is_straight(command->body, all, branches) ||
            !is_straight(command->otherwise, all, branches)) {
            return false;
        }
    }
    return true;
}

/* One outermost loop beside those of the tables, and scalars alone. */
static bool is_shareable(KernelBlock block, size_t tables)
{
    size_t loops = 0;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool is_scalar = (command->kind == KERNEL_DECLARE || command->kind == KERNEL_ASSIGN) &&
                         command->variable->space == KERNEL_SCALAR;
        bool is_table =
            command->kind == KERNEL_DECLARE && command->variable->space == KERNEL_PRIVATE;
        bool is_loop = command->kind == KERNEL_FOR && command->level == KERNEL_SEQ;
        if (!is_scalar && !is_table && !is_loop && command->kind != KERNEL_COMMENT) {
            return false;
        }
        loops += is_loop;
    }
    return loops == 1 + tables && is_plain(block);
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* The kernel being built; `good` as long as it can be one. */
typedef struct Processor {
    LowerKernel kernel;
    LowerLoop local;
    KernelVariable *groups;
    size_t assumed;
    bool good;
} Processor;

static void begin(Lower *L, Processor *p)
{
    p->assumed = L->assumed.count;
    p->good = true;
    lower_kernel_begin(L, &p->kernel, true);
    p->kernel.lanes = 1;
    p->groups = kernel_variable(L->c, "groups", CORE_I64, KERNEL_SCALAR, L->b->span);
    L->on_processor = true;
}

static void begin_local(Lower *L, Processor *p)
{
    lower_local_begin(L, &p->kernel, &p->local);
    p->kernel.frame.item = kernel_use(L->c, p->kernel.index);
}

static void end_local(Lower *L, Processor *p)
{
    KernelBlock block = kernel_block(&p->local.inner);
    L->b = p->local.outer;
    kernel_for(L->b, KERNEL_LOCAL_LOOP, NULL, p->local.variable, p->local.count, block);
}

/* A map whose results are read by all strips: each group has them, in memory of its own. */
static void lower_table(Lower *L, const CoreStm *stm)
{
    int64_t places = stm->exp->as.soac.width.as.integer;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreName *name = stm->pattern[k];
        KernelVariable *table = kernel_variable(L->c, name->text, lower_prim(name->type.prim),
                                                KERNEL_PRIVATE, L->b->span);
        const Reader *place = lower_buffer_reader(L, table, 1, lower_shape(L, name->type));
        kernel_declare_buffer(L->b, table, places);
        pointer_map_set(L->c->arena, &L->wanted, name, (void *)(uintptr_t)place);
    }
    lower_statement(L, stm);
}

/* The rows' loop is put. Rows with arrays of their own are straight ones: what branches and searches, as a sort does, or
   goes over its result again and again is as quick in work-items. */
static bool can_be_kernel(const Lower *L, Processor *p, size_t tables)
{
    KernelBlock block = kernel_block(&p->local.inner);
    return !L->failed && is_shareable(block, tables) &&
           (p->kernel.frame.scratch.count == 0 || is_straight(block, block, false));
}

/* The rows' loop, shared out; gives its results. Rows that share bits of their index are strips, and windows are written
   out as in sequential programs. */
static Value *rows(Lower *L, Processor *p, const CoreStm *stm, const CoreSoac *soac)
{
    Value *values = ARENA_ARRAY(L->c->arena, Value, stm->pattern_count + 1);
    const CoreBody *strips = core_strips_of_bits(L->c, stm, &L->views);
    if (strips == NULL) {
        strips = core_write_out_windows(L->c, stm, &L->views);
    }
    size_t tables = 0;
    begin_local(L, p);
    for (size_t i = 0; strips != NULL && i + 1 < strips->stm_count; i++) {
        bool is_table = strips->stms[i]->exp->kind == CORE_EXP_SOAC;
        (is_table ? lower_table : lower_statement)(L, strips->stms[i]);
        tables += is_table;
    }
    if (strips != NULL) {
        stm = strips->stms[strips->stm_count - 1];
        soac = &stm->exp->as.soac;
    }
    lower_soac_loop(L, stm, soac, values);
    p->good = can_be_kernel(L, p, tables);
    return values;
}

/* Memory of each group's own, before the kernel that is on the host already, and its end behind that; gives how many groups
   there are then. */
static const KernelExp *place_scratch(Lower *L, Processor *p, const KernelCmd *beside,
                                      const KernelExp *most)
{
    KernelBuilder *host = L->b;
    KernelBuilder all = kernel_builder(L->c, host->span);
    for (size_t i = 0; i < host->commands.count; i++) {
        const KernelCmd *command = host->commands.items[i];
        L->b = &all;
        if (command == beside) {
            const KernelExp *fit = lower_most_with_scratch(L, &p->kernel);
            const KernelExp *groups = lower_device(L, "processor_groups", CORE_I64);
            groups = lower_op(L, CORE_MIN, groups, lower_op(L, CORE_MIN, fit, most));
            kernel_declare(L->b, p->kernel.frame.items, groups);
            lower_allocate_scratch(L, &p->kernel);
        }
        kernel_add(&all, command);
        if (command == beside) {
            lower_release_scratch(L, &p->kernel);
        }
        L->b = host;
    }
    host->commands.count = 0;
    kernel_add_block(host, kernel_block(&all));
    return kernel_use(L->c, p->kernel.frame.items);
}

/* Puts it beside the kernel that is on the host already; `most`: groups that are of use. */
static void end(Lower *L, Processor *p, KernelCmd *beside, const KernelExp *most)
{
    L->on_processor = false;
    L->frame = p->kernel.frame.outer;
    L->b = p->kernel.host;
    L->scope = p->kernel.scope;
    L->in_kernel = false;
    bool good = p->good && !L->failed;
    L->failed = false;
    L->assumed.count = p->assumed;
    if (!good) {
        return;
    }
    if (p->kernel.frame.scratch.count > 0) {
        most = place_scratch(L, p, beside, most);
    }
    KernelCmd *group = ARENA_NEW(L->c->arena, KernelCmd);
    *group = (KernelCmd){.kind = KERNEL_FOR,
                         .span = beside->span,
                         .level = KERNEL_GROUP,
                         .variable = p->kernel.index,
                         .groups = p->groups,
                         .count = most,
                         .body = kernel_block(&p->kernel.body),
                         .assumed_count = beside->assumed_count,
                         .assumed = beside->assumed};
    group->text = arena_printf(L->c->arena, "%s_on_processor", beside->text);
    beside->on_processor = group;
}

/* The only kernel among the commands from `first` on; NULL: there are others, or versions. */
static KernelCmd *only_kernel(const KernelBuilder *b, size_t first)
{
    KernelCmd *found = NULL;
    for (size_t i = first; i < b->commands.count; i++) {
        const KernelCmd *command = b->commands.items[i];
        if (command->kind == KERNEL_IF || (command->kind == KERNEL_FOR && found != NULL)) {
            return NULL;
        }
        if (command->kind == KERNEL_FOR) {
            found = (KernelCmd *)(uintptr_t)command;
        }
    }
    return found != NULL && found->level != KERNEL_SEQ ? found : NULL;
}

void lower_map_on_processor(Lower *L, const CoreStm *stm, const CoreSoac *soac, size_t first)
{
    Processor p;
    KernelCmd *beside = only_kernel(L->b, first);
    if (!L->for_processors || beside == NULL || stm->exp->level != CORE_LEVEL_AUTO) {
        return;
    }
    const KernelExp *width = lower_scalar(L, soac->width);
    begin(L, &p);
    rows(L, &p, stm, soac);
    end_local(L, &p);
    end(L, &p, beside, width);
}

void lower_items_on_processor(Lower *L, const CoreStm *stm, size_t first, const KernelExp *count,
                              void (*item)(Lower *L, void *context, const KernelExp *number),
                              void *context)
{
    Processor p;
    LowerLoop loop;
    KernelCmd *beside = only_kernel(L->b, first);
    if (!L->for_processors || beside == NULL || stm->exp->level != CORE_LEVEL_AUTO) {
        return;
    }
    begin(L, &p);
    begin_local(L, &p);
    lower_loop_begin(L, &loop, FRAME_MAP, "i", count);
    L->number = loop.index;
    item(L, context, loop.index);
    L->number = NULL;
    lower_loop_end(L, &loop);
    p.good = can_be_kernel(L, &p, 0);
    end_local(L, &p);
    end(L, &p, beside, count);
}

void lower_reduce_on_processor(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                               const GroupReduction *reduction, const KernelExp *groups)
{
    Processor p;
    size_t at = L->b->commands.count;
    while (at > 0 && L->b->commands.items[at - 1]->kind != KERNEL_FOR) {
        at--;
    }
    KernelCmd *beside = at > 0 ? only_kernel(L->b, at - 1) : NULL;
    if (!L->for_processors || beside == NULL || stm->exp->level != CORE_LEVEL_AUTO) {
        return;
    }
    begin(L, &p);
    Value *totals = rows(L, &p, stm, soac);
    for (size_t k = 0; p.good && k < reduction->count; k++) {
        lower_leave_total(L, reduction, k, kernel_use(L->c, p.kernel.index), totals[k].scalar);
    }
    end_local(L, &p);
    if (lower_is_alone(reduction)) {
        end(L, &p, beside, groups);
        return;
    }
    lower_fold_groups(L, &p.kernel, reduction, kernel_use(L->c, p.groups));
    end(L, &p, beside, groups);
}

/* ---- shares ------------------------------------------------------------------------------------ */

void lower_shares_begin(Lower *L, LowerKernel *kernel)
{
    lower_kernel_begin(L, kernel, true);
    kernel->lanes = 1;
}

bool lower_shares_end(Lower *L, LowerKernel *kernel, const char *kind, const char *text,
                      const KernelExp *groups)
{
    bool good = lower_kernel_end(L, kernel, kind, text, groups);
    if (good) {
        kernel_by_processor(L->b);
    }
    return good;
}

Share lower_share(Lower *L, const KernelExp *group, const KernelExp *count, const KernelExp *groups)
{
    const KernelExp *size = lower_let(L, "share", lower_ceiling(L, count, groups));
    const KernelExp *first = lower_let(L, "first", lower_op(L, CORE_MUL, group, size));
    const KernelExp *left = lower_op(L, CORE_SUB, count, first);
    return (Share){first, lower_let(L, "count", lower_op(L, CORE_MIN, size, left))};
}
