/* [L0 7.2, PLDI 4] Pairs: two statements that one kernel does. A scan is no map, so that what takes
   its rows stays a SOAC of its own; but where a kernel has finished a row of the scan, the next
   function may have it at once. Likewise a scatter or histogram may compute the indices and values
   that it goes by; that it may in a loop, too.

       let ys = scan n (+) 0 xs              let (t, u) = ...
       let (t, u) = ...               ==>    let ys = scan n (+) 0 xs      -- neighbours: the
       let zs = map n g ys                   let zs = map n g ys           -- backend's pair

   The two only move beside each other here: backend/lower makes one of neighbours (epilogue.c,
   irregular.c), and they mean the same where it does not. Which two may, the graph says ([L0
   7.4.1]): all paths from the first to the second hand over rows, and nothing between them consumes
   what either reads; nor does a scatter write what its map reads.

   What a map makes of scanned rows a scatter may take where they are finished: three that are one kernel.

   What a scan maps and reduces beside its rows moves to the second, as long as its function is
   cheap enough to be done twice: the scan's own kernel then has nothing to do but scan.

       let (s, ys, us) =                                let ys = scan n (+) 0 (F's second)
         soac n F reduce (+) 0 scan (+) 0        ==>    let (s, zs) =
       let zs = map n g (ys, us)                          redomap n (g . F) (+) 0 (ys, xs)

   Before: a fused, flattened program, whose levels are the compiler's to choose. After: the same
   values and errors. */
#include "core/fuse/graph.h"

/* Operations a row: of what is done again where a device scans in phases; of what is taken in. */
enum { MOST_AGAIN = 32, MOST_TAKEN = 300 };

static bool all_of_scalars(const CoreSoac *soac)
{
    bool good = fuse_is_of_scalars(soac->map);
    for (size_t i = 0; i < soac->reduction_count; i++) {
        good = good && fuse_is_of_scalars(soac->reductions[i].function);
    }
    for (size_t i = 0; i < soac->scan_count; i++) {
        good = good && fuse_is_of_scalars(soac->scans[i].function);
    }
    return good;
}

/* Writes one row after the other: sequential programs' own (in_turn.c). */
static bool is_in_turn(const CoreStm *stm)
{
    return stm->exp->kind == CORE_EXP_SCATTER && stm->exp->level == CORE_SEQ &&
           stm->exp->space == CORE_SPACE_AUTO;
}

bool fuse_may_pair(const CoreStm *stm)
{
    return fuse_is_scatter(stm) || is_in_turn(stm) || stm->exp->kind == CORE_EXP_FILTER ||
           stm->exp->kind == CORE_EXP_COMPACT ||
           (fuse_is_soac(stm) && all_of_scalars(&stm->exp->as.soac)) || fuse_may_be_nest_pair(stm);
}

static bool all_commute(const CoreSoac *soac)
{
    bool commute = true;
    for (size_t i = 0; i < soac->reduction_count; i++) {
        commute = commute && core_commutes(&soac->reductions[i]);
    }
    return commute;
}

/* Rows in their order are neighbours in a work-item, which is good for what the kernel has in local
   memory, the scan's rows, and for nothing else. */
static bool suits_order(const CoreStm *first, const CoreStm *second)
{
    const CoreSoac *scan = &first->exp->as.soac, *taker = &second->exp->as.soac;
    return (all_commute(scan) && all_commute(taker)) ||
           (fuse_total_width(scan->scan_count, scan->scans) == first->pattern_count &&
            fuse_total_width(taker->reduction_count, taker->reductions) == second->pattern_count &&
            taker->input_count == 1);
}

/* A map whose rows a scatter or histogram takes, and nothing else. What may fail is no matter: a
   scatter cannot, and stores nothing where an index is wrong. A histogram may do a row twice. */
static bool is_scatter_pair(const Fuse *f, const CoreStm *first, const CoreStm *second, bool alone)
{
    unsigned most = second->exp->kind == CORE_EXP_HIST ? MOST_AGAIN : MOST_TAKEN;
    return alone && fuse_is_map(first) &&
           (fuse_is_scatter(second) || (!f->for_kernels && is_in_turn(second))) &&
           core_atom_equal(first->exp->as.soac.width, second->exp->as.scatter.width) &&
           fuse_cost_but_checks(first->exp->as.soac.map->body) <= most;
}

/* A scan whose rows, or positions, a scatter takes: each goes to its place when it is finished. */
static bool is_scattered_scan(const CoreStm *first, const CoreStm *second)
{
    if (!fuse_is_soac(first) || second->exp->kind != CORE_EXP_SCATTER ||
        second->exp->level != CORE_LEVEL_AUTO || core_may_fail(first)) {
        return false;
    }
    const CoreSoac *scan = &first->exp->as.soac;
    return fuse_total_width(scan->scan_count, scan->scans) == first->pattern_count &&
           core_atom_equal(scan->width, second->exp->as.scatter.width) &&
           fuse_cost(scan->map->body) <= MOST_AGAIN;
}

bool fuse_suits_scan(const CoreStm *first, const CoreStm *second)
{
    if (!fuse_is_soac(first) || !fuse_is_soac(second) || core_may_fail(first) ||
        core_may_fail(second)) {
        return false;
    }
    const CoreSoac *scan = &first->exp->as.soac, *taker = &second->exp->as.soac;
    return scan->scan_count > 0 && taker->scan_count == 0 &&
           fuse_cost(scan->map->body) <= MOST_AGAIN && fuse_cost(taker->map->body) <= MOST_TAKEN &&
           suits_order(first, second);
}

static bool is_scan_pair(const CoreStm *first, const CoreStm *second)
{
    return fuse_suits_scan(first, second) &&
           core_atom_equal(first->exp->as.soac.width, second->exp->as.soac.width);
}

typedef struct ScanUse {
    PointerMap scanned; /* names that are computed from scanned rows */
    bool found;
} ScanUse;

static void find_scanned(void *context, CoreName *name)
{
    ScanUse *use = context;
    use->found = use->found || pointer_map_get(&use->scanned, name) != NULL;
}

/* Whether a filter keeps a row is said by a scanned row: where it goes is known after another scan. */
static bool is_kept_by_scan(Compilation *c, const CoreStm *scan, const CoreExp *filter)
{
    const CoreLambda *predicate = filter->as.filter.predicate;
    size_t scanned = fuse_total_width(scan->exp->as.soac.scan_count, scan->exp->as.soac.scans);
    ScanUse use = {0};
    for (size_t i = 0; i < filter->as.filter.input_count; i++) {
        for (size_t k = 0; k < scanned; k++) {
            if (scan->pattern[k] == filter->as.filter.inputs[i].name) {
                pointer_map_set(c->arena, &use.scanned, predicate->parameters[i], &use);
            }
        }
    }
    for (size_t i = 0; i < predicate->body->stm_count; i++) {
        const CoreStm *stm = predicate->body->stms[i];
        use.found = false;
        core_each_free(stm, find_scanned, &use);
        for (size_t k = 0; use.found && k < stm->pattern_count; k++) {
            pointer_map_set(c->arena, &use.scanned, stm->pattern[k], &use);
        }
    }
    const CoreName *kept = predicate->body->results[0].name;
    return kept && pointer_map_get(&use.scanned, kept) != NULL;
}

/* A scan whose rows a filter keeps, by what is known beside it. */
static bool is_filter_pair(const Fuse *f, const CoreStm *first, const CoreStm *second, bool alone)
{
    bool compacts = second->exp->kind == CORE_EXP_COMPACT;
    if (!fuse_is_soac(first) || (second->exp->kind != CORE_EXP_FILTER && !compacts) ||
        core_may_fail(first) || second->exp->level != CORE_LEVEL_AUTO || core_may_fail(second)) {
        return false;
    }
    const CoreSoac *scan = &first->exp->as.soac;
    size_t scanned = fuse_total_width(scan->scan_count, scan->scans);
    return scanned > 0 && scan->reduction_count == 0 &&
           ((alone && !compacts) || scanned == first->pattern_count) &&
           core_atom_equal(scan->width, second->exp->as.filter.width) &&
           fuse_cost(scan->map->body) <= MOST_AGAIN &&
           fuse_cost(second->exp->as.filter.predicate->body) <= MOST_AGAIN &&
           !is_kept_by_scan(f->c, first, second->exp);
}

/* The second takes rows of the first in the kernel that makes them. alone: nothing else uses the first. */
static bool is_pair(const Fuse *f, const CoreStm *first, const CoreStm *second, bool alone)
{
    return is_scatter_pair(f, first, second, alone) ||
           (f->for_kernels &&
            (is_scan_pair(first, second) || is_filter_pair(f, first, second, alone) ||
             is_scattered_scan(first, second) || fuse_is_nest_pair(first, second)));
}

/* A scatter that is a pair with the map takes rows of the scan, or the map does. */
static bool is_first(const CoreStm *scan, const CoreStm *map, const CoreStm *scatter)
{
    return fuse_is_map(map) && is_scattered_scan(scan, scatter);
}

/* A scatter takes rows of the map, which is a pair with the scan, or with the scatter the scan is. */
static bool is_third(const Fuse *f, const CoreStm *scan, const CoreStm *map, const CoreStm *scatter,
                     bool alone)
{
    return scatter->exp->kind == CORE_EXP_SCATTER && is_scatter_pair(f, map, scatter, alone) &&
           is_scattered_scan(scan, scatter);
}

/* Of two. */
static const CoreStm *other_member(const FuseGraph *g, const FuseNode *node)
{
    size_t first = node->members.items[0];
    return g->body->stms[g->body->stms[first] == node->stm ? node->members.items[1] : first];
}

bool fuse_fit_as_pair(const FuseGraph *g, const FuseNode *a, const FuseNode *b)
{
    bool alone = a->users == 1;
    if (!a->is_soac || !b->is_soac || a->members.count + b->members.count > 3) {
        return false;
    }
    if (a->members.count == 1 && b->members.count == 1) {
        return is_pair(g->f, a->stm, b->stm, alone);
    }
    const CoreStm *other = other_member(g, a->members.count == 2 ? a : b);
    return g->f->for_kernels && (is_third(g->f, other, a->stm, b->stm, alone) ||
                                 (b->members.count == 2 && is_first(a->stm, other, b->stm)));
}

bool fuse_is_two(const Fuse *f, const CoreStm *stm)
{
    if (!f->for_kernels || !fuse_may_pair(stm) || !fuse_is_soac(stm) || core_may_fail(stm)) {
        return false;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    return soac->scan_count > 0 && soac->reduction_count > 0 && all_commute(soac) &&
           fuse_cost(soac->map->body) <= MOST_AGAIN;
}

/* ---- a scan without what is beside it -------------------------------------------------------- */

/* The lambda with the results from `first` on, `count` of them (inside), or with all others. */
static const CoreLambda *some_results(Fuse *f, const CoreLambda *old, size_t first, size_t count,
                                      bool inside)
{
    CoreBody *body = arena_copy(f->c->arena, old->body, sizeof *body);
    CoreLambda *lambda = arena_copy(f->c->arena, old, sizeof *lambda);
    CoreAtom *results = ARENA_ARRAY(f->c->arena, CoreAtom, body->result_count + 1);
    CoreType *types = ARENA_ARRAY(f->c->arena, CoreType, body->result_count + 1);
    size_t kept = 0;
    for (size_t i = 0; i < old->body->result_count; i++) {
        if ((i >= first && i < first + count) == inside) {
            results[kept] = old->body->results[i];
            types[kept++] = old->result_types[i];
        }
    }
    body->results = results;
    body->result_count = kept;
    lambda->result_types = types;
    lambda->body = body;
    return lambda;
}

static const CoreStm *only_scans(Fuse *f, const CoreStm *old, size_t reduced, size_t scanned)
{
    CoreStm *stm = arena_copy(f->c->arena, old, sizeof *stm);
    CoreExp *exp = core_exp_copy(f->c, old->exp);
    exp->as.soac.map = some_results(f, exp->as.soac.map, reduced, scanned, true);
    exp->as.soac.reduction_count = 0;
    stm->pattern = old->pattern + reduced;
    stm->pattern_count = scanned;
    stm->span = stm->pattern[0]->span;
    stm->exp = exp;
    return stm;
}

static const CoreStm *all_but_scans(Fuse *f, const CoreStm *old, size_t reduced, size_t scanned)
{
    const CoreStm *renamed = core_rename_stm(core_renaming(f->c), old);
    CoreStm *stm = arena_copy(f->c->arena, old, sizeof *stm);
    CoreExp *exp = core_exp_copy(f->c, renamed->exp);
    CoreName **pattern = ARENA_ARRAY(f->c->arena, CoreName *, old->pattern_count + 1);
    size_t kept = 0;
    for (size_t i = 0; i < old->pattern_count; i++) {
        if (i < reduced || i >= reduced + scanned) {
            pattern[kept++] = old->pattern[i];
        }
    }
    exp->as.soac.map = some_results(f, exp->as.soac.map, reduced, scanned, false);
    exp->as.soac.scan_count = 0;
    stm->pattern = pattern;
    stm->pattern_count = kept;
    stm->exp = exp;
    return stm;
}

const CoreStm *fuse_without_scans(Fuse *f, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t scanned = fuse_total_width(soac->scan_count, soac->scans);
    return scanned == stm->pattern_count
               ? NULL
               : all_but_scans(f, stm, fuse_total_width(soac->reduction_count, soac->reductions),
                               scanned);
}

void fuse_pair(Fuse *f, const CoreStm *first, const CoreStm *second, StmVec *stms)
{
    const CoreSoac *soac = &first->exp->as.soac;
    size_t reduced = fuse_total_width(soac->reduction_count, soac->reductions);
    size_t scanned = fuse_total_width(soac->scan_count, soac->scans);
    if (second && fuse_is_nest_pair(first, second)) {
        vec_push(f->c->arena, stms, fuse_merge(f, first, second));
        return;
    }
    if (scanned > 0 && scanned < first->pattern_count) {
        const CoreStm *rest = all_but_scans(f, first, reduced, scanned);
        first = only_scans(f, first, reduced, scanned);
        if (!second) {
            fuse_log_parted(f, first);
        }
        second = !second                                ? rest
                 : second->exp->kind == CORE_EXP_FILTER ? fuse_filter_after_map(f, rest, second)
                                                        : fuse_merge(f, rest, second);
    }
    vec_push(f->c->arena, stms, first);
    vec_push(f->c->arena, stms, second);
}
