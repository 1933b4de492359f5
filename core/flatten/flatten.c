/* Flattening: nests of maps whose functions have parallelism of their own become perfect nests
   [PLDI 5.1], which the backend makes kernels of: a work-item an element, or segmented reductions
   and scans.

       map n (\xs -> { let m = redomap k max xs              map n (redomap k max)
                       let (s, es) = redomap k exp + xs  ==>   map n (\xs m -> redomap k exp +)
                       in map k (/ s) es })                  map n (\es s -> map k (/ s))

   Each map of the host's statements is tried: of the function, and of its loops and branches. What
   is made is kept as a whole or not at all; where sizes can be such that it does not pay, both stay
   (versions.c). Functions that may fail in more than one part are attempted, and done row after row where a row fails, so
   that errors come in their order (attempt.c). What a program places by hand (levels and spaces) stays as it is.

   For OpenCL alone: sequential C has its loops in the order that the fuser leaves. Before: a fused
   program. After: the same values; simplified. */
#include "core/flatten/flatten.h"

static const CoreBody *flatten_body(void *context, const CoreBody *old);

typedef struct PlacedWalk {
    bool found;
} PlacedWalk;

static void find_placed(void *context, const CoreBody *body)
{
    PlacedWalk *walk = context;
    for (size_t i = 0; i < body->stm_count && !walk->found; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        walk->found = exp->level != CORE_LEVEL_AUTO || exp->space != CORE_SPACE_AUTO;
        core_each_body(exp, find_placed, walk);
    }
}

/* A level or space is asked for inside. */
bool flatten_is_placed(const CoreStm *stm)
{
    PlacedWalk walk = {false};
    core_each_body(stm->exp, find_placed, &walk);
    return walk.found;
}

/* What the nest has become stays. */
static void keep(Flatten *f, const Flatten *nest)
{
    f->changed = true;
    for (size_t k = 0; k < CORE_RULE_COUNT; k++) {
        f->counts[k] += nest->counts[k];
    }
    flatten_log(f, nest);
}

static void flatten_stm(Flatten *f, const CoreStm *stm, CoreBuilder *b);

Flatten flatten_nest(const Flatten *f)
{
    return (Flatten){.c = f->c,
                     .s = f->s,
                     .log = f->log,
                     .across = f->across,
                     .iotas = f->iotas,
                     .extents = f->extents,
                     .grouped = f->grouped,
                     .in_loop = f->in_loop,
                     .of_elements = f->of_elements};
}

/* [PLDI G3]  {} |- e  ==>  e: outside of all maps a statement is done. */
static void finish(const CoreStm *stm, CoreBuilder *b)
{
    core_add(b, stm);
}

void flatten_add_all(CoreBuilder *b, const CoreBuilder *from)
{
    for (size_t i = 0; i < from->stms.count; i++) {
        core_add(b, from->stms.items[i]);
    }
}

/* A map as one of all rows, if that is better, or as nests; `sizes`: what the host computes in front of it. */
static bool flatten_host_map(Flatten *nest, const CoreStm *map, CoreBuilder *sizes,
                             CoreBuilder *fresh)
{
    size_t counts[CORE_RULE_COUNT] = {0};
    Flatten one = *nest;
    CoreBuilder b = core_builder(nest->c, map->span), rows = b;
    one.counts = counts;
    if (flatten_collapse(&one, map, &rows, &b) && !one.refused) {
        for (size_t k = 0; k < CORE_RULE_COUNT; k++) {
            nest->counts[k] += counts[k];
        }
        one.counts = nest->counts;
        *nest = one;
        flatten_add_all(sizes, &rows);
        flatten_add_all(fresh, &b);
        return true;
    }
    return flatten_map(nest, NULL, map, fresh) && !nest->refused;
}

/* The same of a map that can fail in several parts, or in a loop, without its assertions. */
static bool flatten_attempted(Flatten *nest, const CoreStm *map, CoreBuilder *sizes,
                              CoreBuilder *fresh)
{
    size_t counts[CORE_RULE_COUNT] = {0};
    Flatten other = flatten_nest(nest);
    CoreBuilder rows = core_builder(nest->c, map->span), b = rows, again = rows;
    other.counts = counts;
    const CoreStm *attempt = flatten_attempt(&other, map, &again);
    const CoreStm *flat = attempt ? flatten_branches(&other, attempt) : NULL;
    other.lifted = flat != attempt;
    if (!attempt || !flatten_host_map(&other, flat, &rows, &b) ||
        counts[CORE_RULE_FLATTEN_DISTRIBUTE] < nest->counts[CORE_RULE_FLATTEN_DISTRIBUTE]) {
        return false;
    }
    other.counts = memcpy(nest->counts, counts, sizeof counts);
    *nest = other;
    flatten_add_all(&b, &again);
    *sizes = rows;
    *fresh = b;
    return true;
}

/* The nests of a map of the host's, added to `fresh`; what the host computes for them is added to b. */
static bool flatten_rows(Flatten *nest, const CoreStm *map, const CoreStm *flat, CoreBuilder *b,
                         CoreBuilder *fresh)
{
    CoreBuilder sizes = core_builder(nest->c, map->span);
    bool done = flatten_host_map(nest, flat, &sizes, fresh);
    done = (nest->fails && flatten_attempted(nest, map, &sizes, fresh)) || done;
    if (done) {
        flatten_add_all(b, &sizes);
    }
    return done;
}

/* A reduction or scan whose function has a SOAC. */
static void find_fold_of_soacs(void *context, const CoreBody *body)
{
    bool *found = context;
    for (size_t i = 0; i < body->stm_count && !*found; i++) {
        const CoreStm *stm = body->stms[i];
        *found = fuse_is_soac(stm) && !fuse_is_map(stm) && flatten_has_soacs(stm->exp);
        core_each_body(stm->exp, find_fold_of_soacs, found);
    }
}

/* The same of a map with one part alone, in which SOACs go through others one by one. */
static bool flatten_parted(Flatten *nest, const CoreStm *map, CoreBuilder *b, CoreBuilder *fresh)
{
    bool found = false;
    core_each_body(map->exp, find_fold_of_soacs, &found);
    if (!found) {
        return false;
    }
    Flatten other = flatten_nest(nest);
    other.counts = nest->counts;
    other.parting = true;
    memset(nest->counts, 0, CORE_RULE_COUNT * sizeof *nest->counts);
    if (!flatten_rows(&other, map, map, b, fresh)) {
        memset(nest->counts, 0, CORE_RULE_COUNT * sizeof *nest->counts);
        return false;
    }
    *nest = other;
    return true;
}

/* A map around one whose function has SOACs of widths that depend on the outer row. */
static bool flatten_inner_lengths(Flatten *nest, const CoreStm *map, CoreBuilder *b)
{
    CoreBuilder before = core_builder(nest->c, map->span), all = before, after = before;
    const CoreStm *one = flatten_collapse_lengths(nest, map, &before, &after);
    if (!one || !flatten_irregular(nest, one, &all)) {
        return false;
    }
    nest->counts[CORE_RULE_FLATTEN_COLLAPSE]++;
    flatten_add_all(b, &before);
    flatten_add_all(b, &all);
    flatten_add_all(b, &after);
    return true;
}

/* The same of any SOAC with a map in it whose function has SOACs of widths that depend on the row. */
static bool flatten_lengths(Flatten *nest, const CoreStm *stm, CoreBuilder *b)
{
    CoreBuilder parts = core_builder(nest->c, stm->span), all = parts;
    const CoreBody *body = stm->exp->as.soac.map->body;
    MapContext m = flatten_context(nest, NULL, stm, body);
    if (!flatten_has_lengths(&m, body)) {
        return fuse_is_map(stm) && flatten_inner_lengths(nest, stm, b);
    }
    if (fuse_is_map(stm)) {
        return flatten_irregular(nest, stm, b);
    }
    flatten_apart(nest, stm, &parts);
    const CoreStm *map = parts.stms.items[0];
    if (parts.stms.count != 2 || !fuse_is_map(map) || !flatten_irregular(nest, map, &all)) {
        return false;
    }
    flatten_add_all(b, &all);
    core_add(b, parts.stms.items[1]);
    return true;
}

static void flatten_all(Flatten *f, const CoreBuilder *from, CoreBuilder *b)
{
    for (size_t i = 0; i < from->stms.count; i++) {
        flatten_stm(f, from->stms.items[i], b);
    }
}

/* A nest that leaves copies of its rows; false, and nothing added, where it is none. */
static bool flatten_copied(Flatten *f, const CoreStm *stm, CoreBuilder *b)
{
    CoreBuilder before = core_builder(f->c, stm->span), after = before;
    const CoreStm *all = flatten_repeats(f, stm, &before, &after);
    if (all == NULL) {
        return false;
    }
    for (size_t i = 0; i < before.stms.count; i++) {
        flatten_note(f, before.stms.items[i]);
        flatten_note_extents(f, before.stms.items[i]);
        simplify_analyse_more(f->s, before.stms.items[i]);
    }
    simplify_analyse_more(f->s, all);
    f->changed = true;
    flatten_add_all(b, &before);
    flatten_stm(f, all, b);
    simplify_analyse_more(f->s, after.stms.items[0]);
    flatten_add_all(b, &after);
    return true;
}

static void flatten_stm(Flatten *f, const CoreStm *stm, CoreBuilder *b)
{
    Flatten nest = flatten_nest(f);
    size_t counts[CORE_RULE_COUNT] = {0};
    nest.counts = counts;
    CoreBuilder fresh = core_builder(f->c, stm->span), parts = core_builder(f->c, stm->span);
    if (!fuse_is_soac(stm) || flatten_is_placed(stm)) {
        finish(stm, b);
        return;
    }
    if (flatten_copied(f, stm, b)) {
        return;
    }
    if (fuse_is_paired_nest(stm)) { /* one kernel, or a group a row */
        if (flatten_by_groups(&nest, stm, b)) {
            keep(f, &nest);
        } else {
            finish(stm, b);
        }
        return;
    }
    Flatten lengths = nest;
    if (flatten_lengths(&lengths, stm, &fresh)) {
        keep(f, &lengths);
        flatten_add_all(b, &fresh);
        return;
    }
    memset(counts, 0, sizeof counts);
    const CoreStm *flat = flatten_branches(&nest, stm);
    nest.lifted = flat != stm;
    if (flatten_reduce(&nest, stm, &fresh)) {
        keep(f, &nest);
        flatten_all(f, &fresh, b);
    } else if (!fuse_is_map(stm) && flatten_part(&nest, flat, &parts)) {
        Flatten inner = *f;
        inner.grouped = f->grouped || flatten_can_group(f, stm);
        flatten_all(&inner, &parts, &fresh);
        f->changed = f->changed || inner.changed;
        flatten_guard(&nest, stm, &fresh, b);
        keep(f, &nest);
    } else if (fuse_is_map(stm) && flatten_rows(&nest, stm, flat, b, &fresh)) {
        flatten_guard(&nest, stm, &fresh, b);
        keep(f, &nest);
    } else if (fuse_is_map(stm) && flatten_parted(&nest, stm, b, &fresh)) {
        flatten_guard(&nest, stm, &fresh, b);
        keep(f, &nest);
    } else if (flatten_by_groups(&nest, stm, b)) {
        counts[CORE_RULE_FLATTEN_BRANCHES] = 0;
        keep(f, &nest);
    } else {
        finish(fuse_turn_before(f->c, stm), b);
    }
}

static const CoreBody *flatten_body(void *context, const CoreBody *old)
{
    Flatten *f = context;
    CoreBuilder b = core_builder(f->c, (Span){0});
    size_t known = f->extents->order.count;
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        flatten_note(f, stm);
        flatten_note_extents(f, stm);
        if (stm->exp->kind == CORE_EXP_IF || stm->exp->kind == CORE_EXP_LOOP) {
            CoreStm *around = arena_copy(f->c->arena, stm, sizeof *stm);
            bool outer = f->in_loop;
            f->in_loop = outer || stm->exp->kind == CORE_EXP_LOOP;
            around->exp = core_map_bodies(f->c, stm->exp, flatten_body, f);
            f->in_loop = outer;
            core_add(&b, around);
        } else {
            flatten_stm(f, stm, &b);
        }
    }
    while (f->extents->order.count > known) {
        const Learnt *last = &f->extents->order.items[--f->extents->order.count];
        *last->bits = last->before;
    }
    return core_body(&b, old->result_count, old->results);
}

static const CoreFunction *flatten_function(Flatten *f, const CoreFunction *function)
{
    f->s = simplify_create(f->c, f->c->arena, f->counts);
    simplify_analyse(f->s, function);
    CoreFunction *flat = arena_copy(f->c->arena, function, sizeof *function);
    for (size_t i = 0; i < function->parameter_count; i++) {
        flatten_note_sizes(f, function->parameters[i]->type);
    }
    flat->body = flatten_body(f, function->body);
    return flat;
}

CoreProgram *core_flatten(Compilation *c, const CoreProgram *program, size_t *counts,
                          CoreFusionLog *log)
{
    size_t ignored[CORE_RULE_COUNT] = {0};
    program = flatten_unswitch(c, program, counts ? counts : ignored);
    CoreNameMap across = {0}, iotas = {0};
    Extents extents = {0};
    Flatten f = {.c = c,
                 .counts = counts ? counts : ignored,
                 .log = log,
                 .across = &across,
                 .iotas = &iotas,
                 .extents = &extents};
    CoreProgram *flat = arena_copy(c->arena, program, sizeof *program);
    const CoreFunction **functions =
        ARENA_ARRAY(c->arena, const CoreFunction *, program->function_count + 1);
    const bool *are_of_elements = core_are_of_elements(c, program);
    for (size_t i = 0; i < program->function_count; i++) {
        f.of_elements = are_of_elements[i];
        functions[i] = flatten_function(&f, program->functions[i]);
    }
    flat->functions = functions;
    return f.changed ? core_simplify_last(c, flat, f.counts) : flat;
}
