/* Irregular nests: a map whose function has SOACs of widths that depend on the row, as SOACs over all elements of all
   rows, one behind the other.

       map n (\x -> {                         let ws = map n f xs
         let w = f x                          let sums = scan n (+) 0 ws
         let ys = a[x :+ w]           ==>     let total = sums[n - 1]
         let s = redomap w g op ne ys         let rows = map total (the first r with q < sums[r]) (iota total)
         in (s + x) }) xs                     let (_, ts) = scan total (op, begun anew where q is a row's first)
                                                (map (\r q -> g (a[xs[r] + q - (sums[r] - ws[r])])) rows (iota total))
                                              let ss = scatter (replicate n ne) (r where q is a row's last) ts
                                              in map n (+) ss xs

   That is how the elements of groups (⌸) and of ⍳ within rows are gone through: a row of a million does not wait for one
   work-item, and a row of one has a work-item, too. Views of a row are done again inside of what reads them, and what
   a SOAC stores for a row is a slice of what is stored for all. Numbers of rows that do not depend on such SOACs are computed
   first; so the host knows how many elements there are. Where the longest row is short, or the elements so many that to
   store them would take too much, the nest is as it was; so it is on processors, but where an array is stored for each row.
   (On an H200, sums and greatest elements of 10 groups of 10^6 took 2.2 ms with their sort, and 104 as it was; of 1000 of
   10^4, 4.4 and 5.6; of 10^4 of 1000, 5.4 and 5.1.)

   Of a function in which more can fail than what is computed first, or one statement, the errors would not be those of row after row:
   it stays. So does one with other parallelism than this. */
#include "core/flatten/irregular.h"

/* A work-item goes through LONG_ROW elements while all that takes their place is started, and through one while that goes
   through 2^ELEMENTS_SHIFT. */
enum { LONG_ROW = 512, ELEMENTS_SHIFT = 12, MOST_ELEMENTS = 1 << 28 };

/* ---- what the function is -------------------------------------------------------------------- */

static bool has_invariant_neutrals(const MapContext *m, size_t count, const CoreReduction *folds)
{
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        const CoreLambda *function = folds[i].function;
        good = good && fuse_is_of_scalars(function);
        for (size_t k = 0; k < function->body->result_count; k++) {
            good = good && flatten_is_invariant(m, folds[i].neutral[k]);
        }
    }
    return good;
}

typedef struct Outside {
    const MapContext *m;
    bool found;
} Outside;

static void find_inside(void *context, CoreName *name)
{
    Outside *outside = context;
    outside->found = outside->found || !flatten_is_invariant(outside->m, core_use(name));
}

/* Operators have nothing of the row. */
static bool has_invariant_operators(const MapContext *m, const CoreSoac *soac)
{
    CoreSoac folds = *soac;
    CoreExp exp = {.kind = CORE_EXP_SOAC};
    CoreStm alone = {.exp = &exp};
    Outside outside = {m, false};
    folds.map = core_identity_lambda(m->f->c, 0, NULL);
    folds.input_count = 0;
    folds.width = core_i64(0);
    exp.as.soac = folds;
    core_each_free(&alone, find_inside, &outside);
    return !outside.found;
}

static bool can_spread(const MapContext *m, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    bool numbers = true;
    for (size_t k = 0; k < soac->map->body->result_count; k++) {
        numbers = numbers && soac->map->result_types[k].rank == 0;
    }
    return fuse_is_soac(stm) && numbers && !flatten_has_unique(soac->map) &&
           has_invariant_neutrals(m, soac->reduction_count, soac->reductions) &&
           has_invariant_neutrals(m, soac->scan_count, soac->scans) &&
           has_invariant_operators(m, soac) && !flatten_operators_have_checks(soac);
}

static bool find_kind(const MapContext *m, const CoreStm *stm, RowKind *kind)
{
    const CoreExp *exp = stm->exp;
    bool soac = exp->kind == CORE_EXP_SOAC,
         few = soac && flatten_is_number(stm) && fuse_are_few(exp->as.soac.width);
    *kind = soac && !few ? ROW_SOAC : flatten_is_number(stm) ? ROW_SCALAR : ROW_VIEW;
    if (core_has_effect(exp) || fuse_may_consume(exp)) {
        return false;
    }
    return *kind == ROW_SOAC   ? can_spread(m, stm)
           : *kind == ROW_VIEW ? flatten_is_cheap(stm) || exp->kind == CORE_EXP_LITERAL
                               : true;
}

typedef struct LaterUse {
    const Irregular *g;
    bool found;
} LaterUse;

static void find_later(void *context, CoreName *name)
{
    LaterUse *use = context;
    size_t number;
    use->found =
        use->found || (flatten_binding(&use->g->m, core_use(name), &number) == BOUND_STATEMENT &&
                       use->g->later[number]);
}

static bool is_later(const Irregular *g, CoreAtom atom)
{
    LaterUse use = {g, false};
    if (atom.name) {
        find_later(&use, atom.name);
    }
    return use.found;
}

/* Kinds, and what depends on what; false where the function is none such. */
static bool classify(Irregular *g)
{
    const MapContext *m = &g->m;
    bool irregular = false, later_fails = false;
    size_t failing = 0;
    for (size_t i = 0; i < m->count; i++) {
        const CoreStm *stm = m->stms[i];
        PartKind part = m->kinds[i];
        if (part == PART_PARALLEL || part == PART_LOOP || part == PART_SCATTER ||
            part == PART_ORDER || !find_kind(m, stm, &g->kinds[i])) {
            return false;
        }
        LaterUse use = {g, false};
        core_each_free(stm, find_later, &use);
        g->later[i] = use.found || g->kinds[i] == ROW_SOAC;
        bool fails = flatten_may_fail(stm);
        failing += fails;
        later_fails = later_fails || (fails && g->later[i]);
        if (g->kinds[i] == ROW_SOAC) {
            CoreAtom width = stm->exp->as.soac.width;
            irregular = irregular || !flatten_is_invariant(m, width);
            if (is_later(g, width)) {
                return false;
            }
        }
    }
    return irregular && (!later_fails || failing == 1);
}

/* A work-item can go through a row: it has to store nothing for it. */
static bool stores_nothing(const Irregular *g)
{
    bool nothing = true;
    for (size_t i = 0; i < g->m.count; i++) {
        const CoreStm *stm = g->m.stms[i];
        nothing = nothing &&
                  (g->kinds[i] != ROW_SOAC || stm->pattern_count == 0 || flatten_is_number(stm));
    }
    return nothing;
}

/* ---- the nest ---------------------------------------------------------------------------------- */

/* Each result is stored already, for itself: what a map gives is nobody else's memory. */
static bool are_stored(const Irregular *g)
{
    bool stored = g->pending.count == 0;
    for (size_t k = 0; k < g->m.result_count && stored; k++) {
        size_t number;
        stored = flatten_binding(&g->m, g->m.results[k], &number) == BOUND_STATEMENT &&
                 core_renamed(g->stored, g->m.results[k]).name != g->m.results[k].name;
        for (size_t j = 0; j < k; j++) {
            stored = stored && g->m.results[j].name != g->m.results[k].name;
        }
    }
    return stored;
}

/* The map of all rows' numbers i that gives the results, behind what the function has. */
static const CoreExp *map_of_results(Inside *in, CoreName *i)
{
    Irregular *g = in->g;
    CoreAtom *results = ARENA_ARRAY(g->c->arena, CoreAtom, g->m.result_count + 1);
    for (size_t k = 0; k < g->m.result_count; k++) {
        results[k] = irregular_bring(in, g->m.results[k]);
    }
    CoreAtom rows = core_let_iota(g->b, "rows", g->n);
    return core_exp_map(
        g->c, g->n, 1, &rows,
        core_lambda(g->c, 1, &i, core_body(&in->builder, g->m.result_count, results)));
}

/* What the map gives, of all rows. */
static void finish(Irregular *g)
{
    const CoreStm *map = g->m.map;
    if (are_stored(g)) {
        for (size_t k = 0; k < g->m.result_count; k++) {
            core_bind(g->b, 1, &map->pattern[k],
                      core_atom_exp(g->c, core_renamed(g->stored, g->m.results[k])));
        }
        return;
    }
    CoreName *i = irregular_row_name(g, map->span);
    Inside in = irregular_inside(g, map->span, core_use(i));
    for (size_t k = 0; k < g->pending.count; k++) {
        irregular_put(&in, g->m.stms[g->pending.items[k]]);
    }
    core_bind(g->b, map->pattern_count, map->pattern, map_of_results(&in, i));
}

/* All numbers that do not depend on SOACs, and how many elements there are of each width. */
static void begin(Irregular *g)
{
    for (size_t i = 0; i < g->m.count; i++) {
        if (g->kinds[i] == ROW_SCALAR && !g->later[i]) {
            vec_push(g->c->arena, &g->pending, i);
        }
    }
    irregular_flush(g);
    for (size_t i = 0; i < g->m.count; i++) {
        if (g->kinds[i] == ROW_SOAC && !irregular_layout(g, g->m.stms[i]->exp->as.soac.width)) {
            irregular_add_layout(g, g->m.stms[i]->exp->as.soac.width);
        }
    }
}

typedef struct Sources {
    Irregular *g;
    const CoreStm *consumer;
    bool *seen; /* statements looked at */
} Sources;

/* The SOAC whose result this is, or those that it is computed from. */
static void note_source(void *context, CoreName *name)
{
    Sources *sources = context;
    const MapContext *m = &sources->g->m;
    size_t number;
    if (flatten_binding(m, core_use(name), &number) != BOUND_STATEMENT || sources->seen[number] ||
        !sources->g->later[number]) {
        return;
    }
    sources->seen[number] = true;
    if (sources->g->kinds[number] == ROW_SOAC) {
        flatten_note_apart(m->f, m->stms[number], sources->consumer, name, CORE_REASON_NEST);
    } else {
        core_each_free(m->stms[number], note_source, sources);
    }
}

/* Which SOACs this one is done behind. */
static void note_sources(Irregular *g, const CoreStm *consumer)
{
    if (g->m.f->log) {
        Sources sources = {g, consumer, ARENA_ARRAY(g->c->arena, bool, g->m.count + 1)};
        memset(sources.seen, 0, g->m.count + 1);
        core_each_free(consumer, note_source, &sources);
    }
}

static void go_through(Irregular *g)
{
    for (size_t i = 0; i < g->layouts.count; i++) {
        irregular_find_rows(g, &g->layouts.items[i]);
    }
    for (size_t i = 0; i < g->m.count; i++) {
        if (g->kinds[i] == ROW_SOAC) {
            irregular_flush(g);
            note_sources(g, g->m.stms[i]);
            irregular_spread(g, g->m.stms[i]);
        } else if (g->kinds[i] == ROW_SCALAR && g->later[i]) {
            vec_push(g->c->arena, &g->pending, i);
        }
    }
    finish(g);
}

/* Whether it is better as it was. */
static CoreAtom stays_as_it_was(Irregular *g, bool simple)
{
    CoreAtom stays = core_bool(false), longest = core_i64(0), total = core_i64(0);
    for (size_t i = 0; i < g->layouts.count; i++) {
        const Layout *layout = &g->layouts.items[i];
        CoreAtom large =
            core_let_binary(g->b, "large", CORE_GE, layout->total, core_i64(MOST_ELEMENTS));
        stays = i == 0 ? large : core_let_binary(g->b, "large", CORE_OR, stays, large);
        if (simple) {
            longest = core_let_binary(g->b, "longest", CORE_MAX, longest, layout->longest);
            total = core_let_binary(g->b, "total", CORE_ADD, total, layout->total);
        }
    }
    if (simple) {
        CoreAtom lanes = core_let_device(g->b, CORE_DEVICE_LANES);
        CoreAtom alone = core_let_binary(g->b, "alone", CORE_LE, lanes, core_i64(1));
        CoreAtom most = core_let_binary(g->b, "most", CORE_SHR, total, core_i64(ELEMENTS_SHIFT));
        most = core_let_binary(g->b, "most", CORE_ADD, most, core_i64(LONG_ROW));
        CoreAtom brief = core_let_binary(g->b, "short", CORE_LE, longest, most);
        stays = core_let_binary(g->b, "stays", CORE_OR, stays,
                                core_let_binary(g->b, "stays", CORE_OR, alone, brief));
    }
    return stays;
}

/* Numbers that are computed first take more than a few operations. */
static bool begins_with_work(const Irregular *g)
{
    bool found = false;
    for (size_t i = 0; i < g->m.count; i++) {
        const CoreStm *stm = g->m.stms[i];
        found = found || (g->kinds[i] == ROW_SCALAR && !g->later[i] && !flatten_is_cheap(stm) &&
                          !flatten_is_check(stm));
    }
    return found;
}

/* The map as it was, but for what has been computed first. */
static const CoreStm *row_by_row(Irregular *g)
{
    CoreName *i = irregular_row_name(g, g->m.map->span);
    Inside in = irregular_inside(g, g->m.map->span, core_use(i));
    for (size_t k = 0; k < g->m.count; k++) {
        if (g->kinds[k] != ROW_SCALAR || g->later[k]) {
            irregular_put(&in, g->m.stms[k]);
        }
    }
    CoreStm *copy = arena_copy(g->c->arena, g->m.map, sizeof *copy);
    copy->exp = map_of_results(&in, i);
    return copy;
}

bool flatten_irregular(Flatten *f, const CoreStm *map, CoreBuilder *b)
{
    const CoreStm *unfolded = flatten_unfold(f, map);
    Irregular g = {.c = f->c,
                   .b = b,
                   .m = flatten_context(f, NULL, unfolded, unfolded->exp->as.soac.map->body),
                   .n = map->exp->as.soac.width,
                   .stored = core_renaming(f->c),
                   .flat = core_renaming(f->c)};
    flatten_classify(&g.m);
    g.kinds = ARENA_ARRAY(f->c->arena, RowKind, g.m.count + 1);
    g.later = ARENA_ARRAY(f->c->arena, bool, g.m.count + 1);
    memset(g.later, 0, g.m.count + 1);
    if (flatten_has_unique(map->exp->as.soac.map) || !classify(&g)) {
        return false;
    }
    bool simple = stores_nothing(&g);
    if (simple && f->in_loop) { /* the host would wait for how many elements there are */
        return false;
    }
    CoreBuilder fresh = core_builder(f->c, map->span);
    flatten_push_certificates(b, map);
    begin(&g);
    CoreAtom stays = stays_as_it_was(&g, simple && !f->of_elements && !f->c->options.flatten_all);
    bool again = unfolded == map && begins_with_work(&g);
    const CoreStm *rows = again ? row_by_row(&g) : map;
    b->certificates.count -= map->certificate_count;
    g.b = &fresh;
    flatten_push_certificates(&fresh, map);
    go_through(&g);
    fresh.certificates.count = 0;
    flatten_choose(f, rows, stays, &fresh, b);
    f->counts[CORE_RULE_FLATTEN_IRREGULAR]++;
    return true;
}
