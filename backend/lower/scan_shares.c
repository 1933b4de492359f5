/* Scans on processors: a few groups of one work-item, each of which has a chunk of neighbouring rows.

       if groups > 1 {
           GROUP group < groups { sums[group] = fold of the chunk's rows }
           GROUP 1 { sums = scan of the sums }
       }
       GROUP group < groups { total = sums[group - 1];  SEQ i in the chunk { total = total op f(i);  ys[i] = total } }

   What takes the rows is done where they are finished (epilogue.c); what it folds of them is one value a group, and the group
   that comes last folds these.

   The rows are made twice, and nothing is stored in between, so that this is for those that are made of a few operations.
   Nothing is in local memory, and nobody waits at a barrier: both cost a processor more than the rows do. */
#include "backend/lower/processor.h"
#include "backend/lower/scan.h"

/* Of rows, which take about as long as the two launches that a single chunk spares. */
enum { LEAST_CHUNK = 8192 };

static void store_sums(Lower *L, const GroupScan *scan, const Accumulator *running,
                       const KernelExp *at)
{
    for (size_t k = 0; k < scan->count; k++) {
        kernel_store(L->b, scan->components[k].group_sums, at,
                     lower_accumulated(L, &running[k]).scalar);
    }
}

/* Of what commutes a chunk's sum may be that of several, as vectors have them. */
static bool fold_chunks(Lower *L, const GroupScan *scan, const char *text)
{
    LowerKernel kernel;
    LowerLoop local;
    lower_shares_begin(L, &kernel);
    lower_local_begin(L, &kernel, &local);
    const KernelExp *group = kernel_use(L->c, kernel.index);
    Accumulator *running = lower_scan_chunk(L, scan, group);
    for (size_t s = 0, at = 0; s < scan->soac->scan_count; s++) {
        const CoreReduction *one = &scan->soac->scans[s];
        for (size_t k = 0; k < lower_width(one); k++) {
            running[at++].scalar->is_total = core_commutes(one);
        }
    }
    store_sums(L, scan, running, group);
    lower_local_end(L, &kernel, &local);
    return lower_shares_end(L, &kernel, "scan", text, scan->groups);
}

static bool scan_sums(Lower *L, const GroupScan *scan, const char *text)
{
    LowerKernel kernel;
    LowerLoop local, loop;
    lower_shares_begin(L, &kernel);
    lower_local_begin(L, &kernel, &local);
    Accumulator *running = lower_scan_running(L, scan);
    Value *operands = lower_scan_values(L, scan);
    lower_loop_begin(L, &loop, FRAME_MAP, "g", scan->groups);
    for (size_t k = 0; k < scan->count; k++) {
        const ScanComponent *component = &scan->components[k];
        operands[k].scalar =
            lower_let(L, component->text, kernel_load(L->c, component->group_sums, loop.index));
    }
    lower_scan_run_on(L, scan, running, operands);
    store_sums(L, scan, running, loop.index);
    lower_loop_end(L, &loop);
    lower_local_end(L, &kernel, &local);
    return lower_shares_end(L, &kernel, "scan_groups", text, lower_number(L, 1));
}

static bool scan_chunks(Lower *L, const GroupScan *scan, const char *text)
{
    LowerKernel kernel;
    LowerLoop local;
    lower_shares_begin(L, &kernel);
    const KernelExp *group = kernel_use(L->c, kernel.index);
    lower_epilogue(L, scan, EPILOGUE_DECLARE, group);
    lower_local_begin(L, &kernel, &local);
    const KernelExp *later = lower_let(L, "later", lower_op(L, CORE_GT, group, lower_number(L, 0)));
    Value *before = lower_scan_values(L, scan);
    for (size_t k = 0; k < scan->count; k++) {
        const ScanComponent *component = &scan->components[k];
        before[k].scalar = lower_scan_before(L, component, component->group_sums, group, later);
    }
    lower_epilogue(L, scan, EPILOGUE_BEGIN, NULL);
    lower_scan_chunk_again(L, scan, group, before);
    lower_epilogue(L, scan, EPILOGUE_END, local.index);
    lower_local_end(L, &kernel, &local);
    lower_epilogue_finish(L, scan, &kernel, group);
    return lower_shares_end(L, &kernel, "scan_carry", text, scan->groups);
}

static void find_layout(Lower *L, GroupScan *scan, const KernelExp *most)
{
    const KernelExp *groups = lower_ceiling(L, scan->width, lower_number(L, LEAST_CHUNK));
    groups = lower_op(L, CORE_MAX, lower_op(L, CORE_MIN, groups, most), lower_number(L, 1));
    scan->groups = lower_let(L, "groups", groups);
    const KernelExp *chunk = lower_ceiling(L, scan->width, scan->groups);
    scan->chunk = lower_let(L, "chunk", lower_op(L, CORE_MAX, chunk, lower_number(L, 1)));
}

/* Nothing but scans, whose rows are quickly made. */
bool lower_scan_has_shares(Lower *L, const GroupScan *scan)
{
    return L->for_processors && scan->stm->pattern_count == scan->count &&
           lower_is_light(scan->soac->map);
}

bool lower_scan_by_shares(Lower *L, const GroupScan *whole, const KernelExp *most, const char *text)
{
    LowerLoop block, several;
    GroupScan scan = *whole;
    scan.again = true;
    scan.components =
        arena_copy(L->c->arena, whole->components, whole->count * sizeof *whole->components);
    lower_block_begin(L, &block);
    find_layout(L, &scan, most);
    for (size_t k = 0; k < scan.count; k++) {
        ScanComponent *component = &scan.components[k];
        component->group_sums = lower_scan_buffer(L, component, KERNEL_GLOBAL);
        kernel_allocate(L->b, component->group_sums, scan.groups);
    }
    lower_epilogue(L, &scan, EPILOGUE_ALLOCATE, scan.groups);
    lower_block_begin(L, &several);
    bool good = fold_chunks(L, &scan, text) && scan_sums(L, &scan, text);
    KernelBlock sums = lower_block_end(L, &several);
    kernel_if(L->b, lower_op(L, CORE_GT, scan.groups, lower_number(L, 1)), sums, (KernelBlock){0});
    good = good && scan_chunks(L, &scan, text);
    lower_epilogue(L, &scan, EPILOGUE_RELEASE, NULL);
    for (size_t k = 0; k < scan.count; k++) {
        kernel_release(L->b, scan.components[k].group_sums);
    }
    KernelBlock shares = lower_block_end(L, &block);
    for (size_t i = 0; good && i < shares.count; i++) {
        kernel_add(L->b, shares.commands[i]);
    }
    return good;
}
