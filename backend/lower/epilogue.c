/* What takes the rows of a scan, in the kernel that scans ([L0 7.2], [PLDI F2, F4, F5, F7] where a
   chunk is a tile): a scanned row is in a variable when it is finished, and whatever maps or
   reduces it does so there.

       let ys = scan n (+) 0 xs                    GROUP: a tile of ys = ...        (lookback.c)
       let (s, zs) = redomap n (ys, us)       ==>    LOCAL { total = e
         (\y u -> (y, y * u)) max e                          for each of this work-item's rows:
                                                              y = ...;  zs[i] = y * us[i]
                                                              total = max total y
                                                            local[l] = total }
                                                    the tree, and the last group's, of reduce.c

   The scan itself is stored where something else reads it, too. Two statements of the host become
   one so where they stand beside each other; core/fuse/pairs.c brings them there. */
#include "backend/lower/reduce.h"
#include "backend/lower/scan.h"

/* A SOAC that takes the rows of a scan. */
typedef struct Taker {
    const CoreStm *scan, *stm;
    const CoreName
        *before; /* the array of what comes before each of the scan's rows; NULL: it takes none */
    const CoreSoac *soac;
    GroupReduction reduction;
    RowFold fold;
    const KernelExp *groups; /* of the kernel at work */
    const KernelExp *alone;  /* its index, where a group is one work-item; else NULL */
} Taker;

static size_t result_of(const CoreStm *stm, CoreAtom input)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (stm->pattern[k] == input.name) {
            return k;
        }
    }
    return SIZE_MAX;
}

/* ---- any epilogue ---------------------------------------------------------------------------- */

void lower_epilogue(Lower *L, const GroupScan *scan, EpilogueStep step, const KernelExp *argument)
{
    if (scan->epilogue != NULL && scan->epilogue->step != NULL) {
        scan->epilogue->step(L, scan->epilogue->context, step, argument);
    }
}

void lower_epilogue_finish(Lower *L, const GroupScan *scan, LowerKernel *kernel,
                           const KernelExp *index)
{
    if (scan->epilogue != NULL && scan->epilogue->finish != NULL) {
        scan->epilogue->finish(L, scan->epilogue->context, kernel, index);
    }
}

/* ---- that of a SOAC -------------------------------------------------------------------------- */

static void leave_totals(Lower *L, const Taker *taker)
{
    for (size_t k = 0; k < taker->reduction.count; k++) {
        lower_leave_total(L, &taker->reduction, k, taker->alone,
                          lower_accumulated(L, &taker->fold.accumulators[k]).scalar);
    }
}

static void take_step(Lower *L, void *context, EpilogueStep step, const KernelExp *argument)
{
    Taker *taker = context;
    switch (step) {
    case EPILOGUE_ALLOCATE:
        taker->groups = argument;
        lower_partials_begin(L, &taker->reduction, argument);
        return;
    case EPILOGUE_DECLARE:
        taker->alone = argument;
        if (!argument) {
            lower_reduce_declare(L, &taker->reduction, KERNEL_GROUP_SIZE);
        }
        return;
    case EPILOGUE_BEGIN:
        taker->fold = lower_fold_begin(L, taker->stm, taker->soac, &taker->reduction);
        return;
    case EPILOGUE_END:
        if (taker->alone) {
            leave_totals(L, taker);
        } else {
            lower_fold_end(L, &taker->fold, argument);
        }
        return;
    case EPILOGUE_RELEASE: lower_partials_end(L, &taker->reduction); return;
    }
}

static void take_row(Lower *L, void *context, const KernelExp *row, const Value *scanned)
{
    Taker *taker = context;
    const CoreSoac *soac = taker->soac;
    for (size_t k = 0; k < soac->input_count; k++) {
        size_t result = result_of(taker->scan, soac->inputs[k]);
        if (taker->before != NULL && taker->before == soac->inputs[k].name) {
            result = taker->scan->pattern_count;
        }
        if (result != SIZE_MAX) {
            lower_bind_scalar(L, soac->map->parameters[k], scanned[result].scalar);
        } else {
            lower_bind_rows(L, soac->map, k, 1, soac->inputs + k, row);
        }
    }
    lower_fold_bound(L, &taker->fold, row);
}

static void finish(Lower *L, void *context, LowerKernel *kernel, const KernelExp *index)
{
    Taker *taker = context;
    if (!taker->alone) {
        lower_reduce_finish(L, kernel, &taker->reduction, index, taker->groups);
    } else if (!lower_is_alone(&taker->reduction)) {
        lower_fold_groups(L, kernel, &taker->reduction, taker->groups);
    }
}

static ScanEpilogue epilogue_of(Taker *taker)
{
    bool folds = taker->soac->reduction_count > 0;
    ScanEpilogue epilogue = {.in_order = folds && lower_reduces_in_order(taker->soac),
                             .light = lower_is_light(taker->soac->map),
                             .before = taker->before != NULL,
                             .row = take_row,
                             .step = take_step,
                             .context = taker};
    for (size_t r = 0; r < taker->soac->reduction_count; r++) {
        epilogue.light = epilogue.light && lower_is_light(taker->soac->reductions[r].function);
    }
    for (size_t k = 0; folds && k < taker->reduction.count; k++) {
        epilogue.local_bytes += core_prim_bytes(taker->reduction.components[k].prim);
    }
    epilogue.finish = folds ? finish : NULL;
    return epilogue;
}

/* ---- which pairs ----------------------------------------------------------------------------- */

static bool is_plain(const CoreStm *stm)
{
    return stm->exp->kind == CORE_EXP_SOAC && stm->exp->level == CORE_LEVEL_AUTO &&
           stm->exp->space == CORE_SPACE_AUTO && !core_has_effect(stm->exp);
}

static bool all_scalar(size_t count, const CoreReduction *operators)
{
    for (size_t i = 0; i < count; i++) {
        if (!lower_scalar_operator(&operators[i])) {
            return false;
        }
    }
    return true;
}

static bool all_rank_1(size_t count, CoreName *const *names)
{
    for (size_t k = 0; k < count; k++) {
        if (names[k]->type.rank > 1) {
            return false;
        }
    }
    return true;
}

typedef struct InsideUse {
    const CoreStm *scan;
    bool found;
} InsideUse;

static void find_inside(void *context, CoreName *name)
{
    InsideUse *use = context;
    use->found = use->found || result_of(use->scan, core_use(name)) != SIZE_MAX;
}

/* Rows in their order are neighbours in a work-item: good for what is in local memory, and for
   nothing else. */
static bool suits_order(const CoreStm *first, const CoreStm *second)
{
    const CoreSoac *taker = &second->exp->as.soac;
    size_t reduced = 0;
    if (taker->reduction_count == 0 || !lower_reduces_in_order(taker)) {
        return true;
    }
    for (size_t r = 0; r < taker->reduction_count; r++) {
        reduced += lower_width(&taker->reductions[r]);
    }
    for (size_t k = 0; k < taker->input_count; k++) {
        if (result_of(first, taker->inputs[k]) == SIZE_MAX) {
            return false;
        }
    }
    return reduced == second->pattern_count;
}

/* It takes rows of the first, or reads what the first reads. */
static bool is_near(const CoreStm *first, const CoreSoac *taker)
{
    const CoreSoac *scan = &first->exp->as.soac;
    for (size_t k = 0; k < taker->input_count; k++) {
        bool near = result_of(first, taker->inputs[k]) != SIZE_MAX;
        for (size_t i = 0; i < scan->input_count && !near; i++) {
            near = core_atom_equal(scan->inputs[i], taker->inputs[k]);
        }
        if (near) {
            return true;
        }
    }
    return false;
}

/* The second reads results of the first at other places than its rows. */
static bool is_used_inside(const CoreStm *first, const CoreStm *second)
{
    CoreExp exp = *second->exp;
    CoreStm without = *second;
    InsideUse use = {first, false};
    exp.as.soac.input_count = 0;
    without.exp = &exp;
    core_each_free(&without, find_inside, &use);
    return use.found;
}

static void find_checks(void *context, const CoreBody *body)
{
    bool *found = context;
    for (size_t i = 0; i < body->stm_count && !*found; i++) {
        *found = body->stms[i]->exp->kind == CORE_EXP_ASSERT;
        core_each_body(body->stms[i]->exp, find_checks, context);
    }
}

bool lower_checks(const CoreStm *stm)
{
    bool found = false;
    core_each_body(stm->exp, find_checks, &found);
    return found;
}

bool lower_is_only_scans(const CoreStm *stm)
{
    if (!is_plain(stm) || stm->exp->as.soac.reduction_count > 0 || lower_checks(stm)) {
        return false;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t scanned = 0;
    for (size_t s = 0; s < soac->scan_count; s++) {
        scanned += lower_width(&soac->scans[s]);
    }
    return scanned > 0 && scanned == stm->pattern_count &&
           all_scalar(soac->scan_count, soac->scans);
}

static void count_dear(void *context, const CoreBody *body)
{
    size_t *count = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        bool scalar = exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY;
        *count += scalar && core_is_dear(exp->as.scalar.op);
        core_each_body(exp, count_dear, context);
    }
}

bool lower_is_short(const CoreLambda *map, size_t statements, size_t dear)
{
    RowWork work = lower_row_work(NULL, map);
    size_t count = 0;
    count_dear(&count, map->body);
    bool scalars = true;
    for (size_t k = 0; k < map->parameter_count; k++) {
        scalars = scalars && map->parameters[k]->type.rank == 0;
    }
    return scalars && !work.heavy && work.statements <= statements && count <= dear;
}

static bool are_scan_and_taker(const CoreStm *first, const CoreStm *second)
{
    if (!lower_is_only_scans(first) || !is_plain(second) || lower_checks(second)) {
        return false;
    }
    const CoreSoac *scan = &first->exp->as.soac, *taker = &second->exp->as.soac;
    return is_near(first, taker) && suits_order(first, second) && taker->scan_count == 0 &&
           core_atom_equal(scan->width, taker->width) &&
           lower_is_short(scan->map, LOWER_MOST_AGAIN, 1) &&
           lower_is_short(taker->map, LOWER_MOST_TAKEN, LOWER_MOST_DEAR) &&
           all_scalar(taker->reduction_count, taker->reductions) &&
           all_rank_1(second->pattern_count, second->pattern) && !is_used_inside(first, second);
}

void lower_place_results(Lower *L, size_t first, const CoreStm *stm, const bool *needed)
{
    for (size_t k = first; k < stm->pattern_count; k++) {
        if (needed == NULL || needed[k]) {
            const Reader *place = lower_place(L, stm->pattern[k]);
            pointer_map_set(L->c->arena, &L->wanted, stm->pattern[k], (void *)(uintptr_t)place);
        }
    }
}

void lower_forget_places(Lower *L, const CoreStm *stm, bool good)
{
    for (size_t k = 0; good && k < stm->pattern_count; k++) {
        pointer_map_set(L->c->arena, &L->wanted, stm->pattern[k], NULL);
    }
}

static void bind_results(Lower *L, size_t first, const CoreStm *stm)
{
    for (size_t k = first; k < stm->pattern_count; k++) {
        lower_bind_array(L, stm->pattern[k], lower_place(L, stm->pattern[k]));
        pointer_map_set(L->c->arena, &L->wanted, stm->pattern[k], NULL);
    }
}

/* ---- what comes before each row -------------------------------------------------------------- */

/* x op y, or y op x, of these parameters. */
static bool combines(const CoreStm *stm, CoreOperator op, const CoreName *x, const CoreName *y)
{
    const CoreExp *exp = stm->exp;
    return exp->kind == CORE_EXP_BINARY && exp->as.scalar.op == op &&
           ((exp->as.scalar.x.name == x && exp->as.scalar.y.name == y) ||
            (exp->as.scalar.x.name == y && exp->as.scalar.y.name == x));
}

/* The one scan is \(e1, s1) (e2, s2) -> (s1 op e2, s1 op s2) for a commutative operator, and begins with neutral elements e
   (core/fuse/exclusive.c). */
static bool scans_before(const CoreSoac *soac, CoreOperator *op)
{
    if (soac->scan_count != 1 || lower_width(&soac->scans[0]) != 2) {
        return false;
    }
    const CoreReduction *scan = &soac->scans[0];
    const CoreBody *body = scan->function->body;
    CoreName *const *names = scan->function->parameters;
    if (body->stm_count != 2 || body->stms[0]->exp->kind != CORE_EXP_BINARY ||
        !core_atom_equal(scan->neutral[0], scan->neutral[1]) ||
        !core_atom_equal(soac->map->body->results[0], scan->neutral[0])) {
        return false;
    }
    *op = body->stms[0]->exp->as.scalar.op;
    bool turned = body->results[0].name == body->stms[1]->pattern[0];
    const CoreStm *first = body->stms[turned], *second = body->stms[!turned];
    return core_operator_associative(*op, scan->function->result_types[0].prim) &&
           body->results[0].name == first->pattern[0] &&
           body->results[1].name == second->pattern[0] &&
           combines(first, *op, names[1], names[2]) && combines(second, *op, names[1], names[3]);
}

/* The scan without what comes before: that is there where a row is finished. */
static const CoreStm *only_sums(Compilation *c, const CoreStm *first, CoreOperator op)
{
    const CoreSoac *soac = &first->exp->as.soac;
    CoreStm *stm = arena_copy(c->arena, first, sizeof *first);
    CoreBody *body = arena_copy(c->arena, soac->map->body, sizeof *body);
    CoreLambda *map = arena_copy(c->arena, soac->map, sizeof *map);
    body->results++;
    body->result_count = 1;
    map->result_types++;
    map->body = body;
    CorePrim prim = first->pattern[1]->type.prim;
    const CoreReduction scan = {core_operator_lambda(c, op, prim, first->span),
                                soac->scans[0].neutral, false};
    stm->pattern++;
    stm->pattern_count = 1;
    stm->exp =
        core_exp_soac(c, soac->width, soac->input_count, soac->inputs, map, 0, NULL, 1, &scan);
    return stm;
}

bool lower_scan_pair(Lower *L, const CoreStm *first, const CoreStm *second, const bool *needed)
{
    if (L->in_kernel || L->target == KERNEL_SEQUENTIAL || !are_scan_and_taker(first, second)) {
        return false;
    }
    CoreOperator op;
    Taker taker = {.stm = second, .soac = &second->exp->as.soac};
    if (!needed[0] && scans_before(&first->exp->as.soac, &op)) {
        taker.before = first->pattern[0];
        first = only_sums(L->c, first, op);
        needed++;
    }
    taker.scan = first;
    lower_reduction_begin(L, &taker.reduction, taker.soac);
    lower_place_results(L, 0, first, needed);
    lower_place_results(L, taker.reduction.count, second, NULL);
    ScanEpilogue epilogue = epilogue_of(&taker);
    bool good = lower_scan_then(L, first, &first->exp->as.soac, needed, &epilogue);
    lower_reduction_end(L, second, &taker.reduction, good);
    if (good) {
        bind_results(L, taker.reduction.count, second);
    }
    lower_forget_places(L, first, good);
    return good;
}

/* ---- a scatter of scanned rows ----------------------------------------------------------------- */

static void scatter_scanned(Lower *L, void *context, const KernelExp *row, const Value *scanned)
{
    Targets *targets = context;
    targets->scanned = scanned;
    lower_scatter_row(L, targets, row);
}

static bool are_scan_and_scatter(const Lower *L, const CoreStm *first, const CoreStm *scatter)
{
    const CoreExp *exp = scatter->exp;
    return !L->in_kernel && L->target == KERNEL_PARALLEL && L->entry != NULL &&
           exp->kind == CORE_EXP_SCATTER && exp->level == CORE_LEVEL_AUTO &&
           lower_is_only_scans(first) &&
           core_atom_equal(first->exp->as.soac.width, exp->as.scatter.width) &&
           lower_is_short(first->exp->as.soac.map, LOWER_MOST_AGAIN, 1);
}

/* A map beside the scan, or of its rows, that may be done where these are finished. */
static bool is_maker_of(const CoreStm *map, const CoreStm *first)
{
    const CoreSoac *soac = &map->exp->as.soac;
    return lower_is_maker(map) && !lower_checks(map) && soac->input_count > 0 &&
           core_atom_equal(soac->width, first->exp->as.soac.width) &&
           lower_is_short(soac->map, LOWER_MOST_TAKEN, LOWER_MOST_DEAR) &&
           !is_used_inside(first, map);
}

bool lower_scan_scatter(Lower *L, const CoreStm *first, const CoreStm *map, const CoreStm *scatter,
                        const bool *needed)
{
    if (!are_scan_and_scatter(L, first, scatter) || !lower_is_apart(L, first, scatter)) {
        return false;
    }
    bool takes = lower_takes_rows(first, scatter);
    if (map == NULL ? !takes
                    : !is_maker_of(map, first) || !(takes || is_near(first, &map->exp->as.soac)) ||
                          !lower_takes_rows(map, scatter) || !lower_is_apart(L, map, scatter)) {
        return false;
    }
    Targets targets = lower_targets(L, scatter, map, first);
    ScanEpilogue epilogue = {.light = map == NULL || lower_is_light(map->exp->as.soac.map),
                             .row = scatter_scanned,
                             .context = &targets};
    lower_place_results(L, 0, first, needed);
    bool good = lower_scan_then(L, first, &first->exp->as.soac, needed, &epilogue);
    lower_forget_places(L, first, good);
    if (good) {
        lower_bind_targets(L, scatter, &targets);
    }
    return good;
}

/* ---- several statements at once ---------------------------------------------------------------- */

static bool dies_after(const LastUses *uses, size_t number, const CoreName *name)
{
    for (size_t k = uses->first[number]; k < uses->first[number + 1]; k++) {
        if (uses->names[k] == name) {
            return true;
        }
    }
    return false;
}

/* Which results of statement `first` are used behind the last of so many that are done together. */
static bool *used_later(Lower *L, const CoreBody *body, size_t first, size_t count,
                        const LastUses *uses)
{
    const CoreStm *stm = body->stms[first];
    bool *needed = ARENA_ARRAY(L->c->arena, bool, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        needed[k] = true;
        for (size_t i = first; i < first + count; i++) {
            needed[k] = needed[k] && !dies_after(uses, i, stm->pattern[k]);
        }
    }
    return needed;
}

/* Nothing that the map makes is needed but by the scatter behind it. */
static bool are_three(Lower *L, const CoreBody *body, size_t i, const LastUses *uses)
{
    if (i + 2 >= body->stm_count || body->stms[i + 2]->exp->kind != CORE_EXP_SCATTER ||
        body->stms[i + 1]->exp->kind != CORE_EXP_SOAC) {
        return false;
    }
    const bool *needed = used_later(L, body, i + 1, 2, uses);
    bool alone = true;
    for (size_t k = 0; k < body->stms[i + 1]->pattern_count; k++) {
        alone = alone && !needed[k];
    }
    return alone;
}

static size_t several(Lower *L, const CoreBody *body, size_t i, const LastUses *uses)
{
    const CoreStm *first = body->stms[i], *second = body->stms[i + 1];
    if (are_three(L, body, i, uses) &&
        lower_scan_scatter(L, first, second, body->stms[i + 2], used_later(L, body, i, 3, uses))) {
        return 3;
    }
    const bool *needed = used_later(L, body, i, 2, uses);
    return lower_scan_pair(L, first, second, needed) ||
                   lower_filter_pair(L, first, second, needed) ||
                   lower_scatter_pair(L, first, second, needed) ||
                   lower_scan_scatter(L, first, NULL, second, needed)
               ? 2
               : 0;
}

size_t lower_several(Lower *L, const CoreBody *body, size_t i, const LastUses *uses)
{
    if (i + 1 >= body->stm_count || body->stms[i]->exp->kind != CORE_EXP_SOAC) {
        return 0;
    }
    Span outer = L->b->span, span = body->stms[i]->span;
    L->b->span = span.file != NULL ? span : outer;
    size_t count = several(L, body, i, uses);
    L->b->span = outer;
    return count;
}
