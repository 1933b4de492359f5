/* Fusion: fewer passes over memory, fewer kernels ([L0 7, 8], [REDO 3], [PLDI 4]).

       ⎕ ← +/ 2 × ⍳n    as written: three passes    fused: one redomap over iota n, nothing stored

   First loops that only accumulate become reductions (simplify/accumulate.c). Then rounds of
   steps, until one comes to a program that was there before (same.c), or a bound is reached:

   1. blocks.c  assignments to nearly all of an array are choices by position;
      diagonals.c  unit matrices, as n n⍴1,n⍴0, are choices by position, too;
      stored.c  rows of what is to be stored are taken as they are made;
      carry.c   views of what a step of a loop makes are views of the state, where the next step begins;
      any_order.c  what reductions take through views that turn it round, they take as it lies;
      filter.c  filters whose rows are only reduced, counted or scattered become parts of what does it, and
                filters by one mask one;
      exclusive.c  rows before those of a scan are made beside them;
      histograms.c  histograms by one list of places become one;
   2. graph.c   SOACs and streams of one width that hand each other rows, or read one array, become one;
   3. delay.c   maps that are read through views are computed where they are read;
   4. inputs.c  rows that are read by position become inputs;
   5. sink.c    loops over elementwise maps become maps with a loop in each element;
   6. turned.c  what goes over rows of a scan from the last to the first goes over them in its order,
      some_rows.c  and what goes over some of them, or one more, goes over all;
   7. branches.c  what only one branch of an if uses is computed there,
      behind.c  and so is what goes over what branches give;
      choices.c  in functions of SOACs rows that branches choose are maps of chosen elements;
   8. few.c     where nothing else is left to do, few reductions of many rows are written out;
   9. levels.c  where that is done, too, reductions of reductions become one of all elements;
   10. flat.c   where that is done, too, nests that are stored become maps of all their elements for a reduction
                of these;
   11. keep.c   where that is done, too, maps before and after filters go into them, and what these go by;
   12. folds.c  where that is done, too, scans in folds of streams and what takes their rows are loops;
   and after each that did something the simplifier, which removes what it left unused and shares
   what stands twice.

   Before: a program without calls, simplified. After: the same values and, in the same order, the
   same errors; every name still bound once. What a program places by hand (levels and spaces) is
   left alone. */
#include "core/fuse/fuse.h"

enum { MOST_ROUNDS = 12 };

typedef const CoreFunction *Step(Fuse *f, const CoreFunction *function);

static const CoreFunction *graphs(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, fuse_graph(f, function->body));
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

/* ---- steps, and what they know ------------------------------------------------------------- */

/* What is known of the functions of a program holds until a step changes one of them. */
typedef struct Fuser {
    Compilation *c;
    size_t *counts;
    FuseLog *log, *log_of_rounds; /* NULL where nobody asks; one that is there all the same */
    Fuse *known;                  /* one a function; NULL: nothing is known */
    ArenaMark mark;
    bool changed; /* since it was last set */
} Fuser;

static void learn(Fuser *fuser, const CoreProgram *program)
{
    Arena *arena = fuser->c->scratch;
    fuser->mark = arena_mark(arena);
    fuser->known = ARENA_ARRAY(arena, Fuse, program->function_count + 1);
    for (size_t i = 0; i < program->function_count; i++) {
        Fuse *f = &fuser->known[i];
        *f = (Fuse){.c = fuser->c, .arena = arena, .counts = fuser->counts, .log = fuser->log};
        f->s = simplify_create(f->c, arena, f->counts);
        simplify_analyse(f->s, program->functions[i]);
        fuse_note_function(f, program->functions[i]);
    }
}

static void forget(Fuser *fuser)
{
    if (fuser->known) {
        arena_release(fuser->c->scratch, fuser->mark);
        fuser->known = NULL;
    }
}

static const CoreProgram *each_function(Fuser *fuser, const CoreProgram *program, Step *run)
{
    bool did = false;
    Compilation *c = fuser->c;
    const CoreFunction **functions =
        ARENA_ARRAY(c->arena, const CoreFunction *, program->function_count + 1);
    if (!fuser->known) {
        learn(fuser, program);
    }
    for (size_t i = 0; i < program->function_count; i++) {
        const CoreFunction *done = run(&fuser->known[i], program->functions[i]);
        functions[i] = fuser->known[i].changed ? done : program->functions[i];
        did = did || fuser->known[i].changed;
    }
    if (!did) {
        return program;
    }
    forget(fuser);
    fuser->changed = true;
    CoreProgram *done = arena_copy(c->arena, program, sizeof *program);
    done->functions = functions;
    return core_simplify_counted(c, done, fuser->counts);
}

/* What there was before the first and after each, and what the last one began with. */
typedef struct Rounds {
    uint64_t hashes[MOST_ROUNDS + 1];
    size_t count, logged;
    size_t counts[CORE_RULE_COUNT];
} Rounds;

static void begin_round(Rounds *rounds, Fuser *fuser)
{
    fuser->changed = false;
    fuse_log_round(fuser->log_of_rounds);
    rounds->logged = fuse_log_length(fuser->log_of_rounds);
    memcpy(rounds->counts, fuser->counts, sizeof rounds->counts);
}

/* The steps may have rewritten the program to what it was before: then they have done nothing. */
static void end_steps(Rounds *rounds, Fuser *fuser, const CoreProgram *program)
{
    if (!fuser->changed || !program) {
        return;
    }
    uint64_t hash = fuse_hash_of_program(fuser->c, program);
    for (size_t i = 0; i < rounds->count && fuser->changed; i++) {
        fuser->changed = rounds->hashes[i] != hash;
    }
    rounds->hashes[rounds->count++] = hash;
    if (!fuser->changed) {
        fuse_log_cut(fuser->log_of_rounds, rounds->logged);
        memcpy(fuser->counts, rounds->counts, sizeof rounds->counts);
    }
}

CoreProgram *core_fuse_logged(Compilation *c, const CoreProgram *program, size_t *counts,
                              CoreFusionLog *log)
{
    static Step *const steps[] = {
        fuse_blocks,   fuse_diagonals,  fuse_stored,     fuse_carry,  fuse_any_order,
        fuse_ravels,   fuse_transposed, fuse_inwards,    fuse_before, fuse_delay_early,
        fuse_filter,   fuse_exclusive,  fuse_histograms, graphs,      fuse_before,
        fuse_delay,    fuse_inputs,     fuse_sink,       fuse_turned, fuse_some_rows,
        fuse_branches, fuse_choices};
    /* Each where all before it leave the program as it is. */
    static Step *const last_steps[] = {fuse_few,  fuse_levels, fuse_flat,
                                       fuse_keep, fuse_folds,  fuse_backwards};
    size_t ignored[CORE_RULE_COUNT] = {0};
    size_t *count = counts ? counts : ignored;
    FuseLog inner = {.log = log};
    Fuser fuser = {.c = c,
                   .counts = count,
                   .log = log ? &inner : NULL,
                   .log_of_rounds = &inner,
                   .changed = true};
    Rounds rounds = {.count = 1};
    const CoreProgram *fused = core_simplify_counted(c, core_accumulate(c, program, count), count);
    if (fused) {
        rounds.hashes[0] = fuse_hash_of_program(c, fused);
    }
    for (int round = 0; fuser.changed && fused && round < MOST_ROUNDS; round++) {
        begin_round(&rounds, &fuser);
        for (size_t i = 0; fused && i < sizeof steps / sizeof *steps; i++) {
            const CoreProgram *done = each_function(&fuser, fused, steps[i]);
            bool again = done && done != fused && steps[i] == fuse_before;
            fused =
                again ? each_function(&fuser, done, graphs) : done; /* with what takes the rows */
        }
        end_steps(&rounds, &fuser, fused);
        for (size_t i = 0; i < sizeof last_steps / sizeof *last_steps; i++) {
            fused = fused && !fuser.changed ? each_function(&fuser, fused, last_steps[i]) : fused;
        }
    }
    forget(&fuser);
    return fused ? core_simplify_last(c, core_whole_counts(c, fused, count), count) : NULL;
}

static CoreProgram *once(Compilation *c, const CoreProgram *program, size_t *counts, FuseLog *log,
                         Step *run)
{
    size_t ignored[CORE_RULE_COUNT] = {0};
    Fuser fuser = {.c = c, .counts = counts ? counts : ignored, .log = log};
    const CoreProgram *done = each_function(&fuser, program, run);
    forget(&fuser);
    return fuser.changed ? core_simplify_last(c, done, fuser.counts)
                         : arena_copy(c->arena, program, sizeof *program);
}

CoreProgram *core_stream(Compilation *c, const CoreProgram *program, size_t *counts)
{
    return once(c, program, counts, NULL, streams_of);
}

CoreProgram *core_stream_items(Compilation *c, const CoreProgram *program, size_t *counts)
{
    return once(c, program, counts, NULL, fuse_work_items);
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
