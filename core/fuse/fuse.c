/* Fusion: fewer passes over memory, fewer kernels ([L0 7, 8], [REDO 3], [PLDI 4]).

       ⎕ ← +/ 2 × ⍳n    as written: three passes    fused: one redomap over iota n, nothing stored

   First loops that only accumulate become reductions (simplify/accumulate.c). Then rounds of
   steps, until none does anything, or a bound is reached:

   1. filter.c  filters whose rows are only reduced or counted become parts of the reductions;
   2. graph.c   SOACs and streams of one width that hand each other rows, or read one array, become one;
   3. delay.c   maps that are read through views are computed where they are read;
   4. inputs.c  rows that are read by position become inputs;
   5. sink.c    loops over elementwise maps become maps with a loop in each element;
   6. branches.c  what only one branch of an if uses is computed there;
   7. keep.c    where nothing else is left to do, maps before and after filters go into them;
   8. folds.c   where that is done, too, scans in folds of streams and what takes their rows are loops;
   and after each that did something the simplifier, which removes what it left unused and shares
   what stands twice.

   Before: a program without calls, simplified. After: the same values and, in the same order, the
   same errors; every name still bound once. What a program places by hand (levels and spaces) is
   left alone. */
#include "core/fuse/fuse.h"

enum { MOST_ROUNDS = 12 };

static Fuse begin(Compilation *c, const CoreFunction *function, size_t *counts, FuseLog *log)
{
    Fuse f = {.c = c, .counts = counts, .log = log};
    f.s = ARENA_NEW(c->arena, Simplify);
    f.s->c = c;
    f.s->counts = counts;
    simplify_analyse(f.s, function);
    fuse_note_function(&f, function);
    return f;
}

typedef const CoreFunction *Step(Fuse *f, const CoreFunction *function);

static const CoreFunction *step(Compilation *c, const CoreFunction *function, size_t *counts,
                                FuseLog *log, Step *run, bool *changed)
{
    Fuse f = begin(c, function, counts, log);
    function = run(&f, function);
    *changed = *changed || f.changed;
    return function;
}

static const CoreFunction *graphs(Fuse *f, const CoreFunction *function)
{
    CoreFunction *fused = arena_copy(f->c->arena, function, sizeof *function);
    fused->body = fuse_graph(f, function->body);
    return fused;
}

/* [PLDI 4] The same graph, where rows follow each other. */
static const CoreFunction *streams_of(Fuse *f, const CoreFunction *function)
{
    f->in_order = true;
    return graphs(f, function);
}

/* [L0 7.2] The same, where a kernel or loop does two statements that stand beside each other. */
static const CoreFunction *pairs_for_loops(Fuse *f, const CoreFunction *function)
{
    f->in_order = f->in_pairs = true;
    return graphs(f, function);
}

static const CoreFunction *pairs_for_kernels(Fuse *f, const CoreFunction *function)
{
    f->for_kernels = true;
    return pairs_for_loops(f, function);
}

static CoreProgram *each_function(Compilation *c, const CoreProgram *program, size_t *counts,
                                  FuseLog *log, Step *run, bool *changed)
{
    CoreProgram *done = arena_copy(c->arena, program, sizeof *program);
    bool did = false;
    const CoreFunction **functions =
        ARENA_ARRAY(c->arena, const CoreFunction *, program->function_count + 1);
    for (size_t i = 0; i < program->function_count; i++) {
        functions[i] = step(c, program->functions[i], counts, log, run, &did);
    }
    *changed = *changed || did;
    done->functions = functions;
    return did ? core_simplify_counted(c, done, counts) : done;
}

CoreProgram *core_fuse_logged(Compilation *c, const CoreProgram *program, size_t *counts,
                              CoreFusionLog *log)
{
    static Step *const steps[] = {fuse_filter, graphs,    fuse_delay,
                                  fuse_inputs, fuse_sink, fuse_branches};
    size_t ignored[CORE_RULE_COUNT] = {0};
    size_t *count = counts ? counts : ignored;
    FuseLog inner = {.log = log};
    CoreProgram *fused = core_simplify_counted(c, core_accumulate(c, program, count), count);
    bool changed = true;
    for (int round = 0; changed && fused && round < MOST_ROUNDS; round++) {
        changed = false;
        fuse_log_round(&inner);
        for (size_t i = 0; fused && i < sizeof steps / sizeof *steps; i++) {
            fused = each_function(c, fused, count, log ? &inner : NULL, steps[i], &changed);
        }
        if (!changed && fused) {
            fused = each_function(c, fused, count, log ? &inner : NULL, fuse_keep, &changed);
        }
        if (!changed && fused) {
            fused = each_function(c, fused, count, log ? &inner : NULL, fuse_folds, &changed);
        }
    }
    return fused ? core_simplify_last(c, core_whole_counts(c, fused, count), count) : NULL;
}

static CoreProgram *once(Compilation *c, const CoreProgram *program, size_t *counts, FuseLog *log,
                         Step *run)
{
    size_t ignored[CORE_RULE_COUNT] = {0};
    bool changed = false;
    const CoreProgram *done =
        each_function(c, program, counts ? counts : ignored, log, run, &changed);
    return changed ? core_simplify_last(c, done, counts ? counts : ignored)
                   : arena_copy(c->arena, program, sizeof *program);
}

CoreProgram *core_stream(Compilation *c, const CoreProgram *program, size_t *counts)
{
    return once(c, program, counts, NULL, streams_of);
}

CoreProgram *core_pair(Compilation *c, const CoreProgram *program, bool scans, size_t *counts,
                       CoreFusionLog *log)
{
    FuseLog inner = {.log = log};
    return once(c, program, counts, log ? &inner : NULL,
                scans ? pairs_for_kernels : pairs_for_loops);
}

CoreProgram *core_fuse(Compilation *c, const CoreProgram *program, size_t *counts)
{
    return core_fuse_logged(c, program, counts, NULL);
}
