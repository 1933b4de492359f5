/* Which arrays are not stored. A map whose result is only ever read element by element, through
   views or not, need not be a pass over memory: each reader computes the element at its own index.

       let b = map n f a                           let c = map n
       let r = rotate 0 1 b               ==>          (\i -> g (f (a[(i + 1) % n]))) (iota n)
       let c = map n g r

   An element that several places read is computed by each, so there is a price: it is paid where
   the work is small (the three neighbours of Life's rows), not where it is dear. Computing at a
   place that runs more often than the map has elements (a row of a matrix that each row of another
   reads) pays only where it costs no more than reading.

   uses.c has found for each array who reads its elements, and whether something needs it whole:
   results, effects, updates, loop state, branches; rows.c reads rows element by element where they are
   views; stays.c finds maps that are stored though nothing needs them whole, and cut.c those that are in place of what they are
   made of. What the map reads must not be written in place before its readers have run (overwritten.c), and a map that may fail
   stays: its check must be made whether or not the element is wanted. */
#include "core/fuse/fuse.h"

enum {
    MOST_EXTRA = 72,         /* operations an element that may be done again */
    MOST_REPEATED = 6,       /* of one reading in a loop that has more iterations than elements */
    MOST_REPEATED_FREE = 40, /* the same of plain arithmetic, where nothing stored is read */
    MOST_WRITTEN =
        2000, /* of one reading, at all places together, branches that exclude each other too */
    MOST_EARLY = 12,  /* of one reading, before rows are handed over */
    MOST_BESIDE = 24, /* of all readings of what is made beside a reduction */
    DIVISION = 16,    /* more for a quotient than fuse_cost has, whose limits are of branches */
    MOST_CHOICES = 4, /* after which nothing is found to stay */
    MOST_HEIGHT = 64, /* of maps and views that one reading goes through */
    MOST_BRANCHES = 64
};

/* ---- what can be delayed ----------------------------------------------------------------- */

typedef struct Reading {
    Fuse *f;
    const CoreLambda *lambda;
    unsigned height, cost;
} Reading;

static void read_height(void *context, CoreName *name)
{
    Reading *reading = context;
    const FuseName *known = fuse_name(reading->f, name);
    if (known->uses.reaches && known->uses.height + 1 > reading->height) {
        reading->height = known->uses.height + 1;
    }
}

/* The price of one element of an array that something in the map reads. */
static unsigned reading_cost(Fuse *f, CoreAtom array)
{
    const CoreStm *stm = fuse_definition(f, array);
    if (stm && (stm->exp->kind == CORE_EXP_IOTA ||
                (stm->exp->kind == CORE_EXP_REPLICATE && !stm->exp->as.replicate.value.name))) {
        return 0;
    }
    if (stm && stm->exp->kind == CORE_EXP_SLICE) {
        return reading_cost(f, stm->exp->as.slice.array);
    }
    const FuseName *name = array.name ? fuse_name(f, array.name) : NULL;
    return name && name->uses.reaches ? name->uses.cost : FUSE_READ;
}

/* An element of it is one of what it is a view of, wherever that is. */
static bool is_plain_view(CoreExpKind kind)
{
    return kind == CORE_EXP_INDEX || kind == CORE_EXP_SLICE || kind == CORE_EXP_ROTATE ||
           kind == CORE_EXP_REVERSE || kind == CORE_EXP_REARRANGE;
}

/* The statement that makes result k of a body, where it is a map or a view: its elements can be
   computed alone. Scalars can. */
static bool is_elementwise(const CoreBody *body, CoreAtom result)
{
    if (core_atom_type(result).rank == 0) {
        return true;
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        for (size_t k = 0; k < stm->pattern_count; k++) {
            if (stm->pattern[k] == result.name) {
                return fuse_is_map(stm) ? fuse_has_elements(stm->exp->as.soac.map, k)
                                        : is_plain_view(stm->exp->kind);
            }
        }
    }
    return false;
}

bool fuse_has_elements(const CoreLambda *lambda, size_t result)
{
    return is_elementwise(lambda->body, lambda->body->results[result]);
}

/* A quotient or rest of integers that is no shift: dozens of a GPU's operations on 64 bits, more than reading what a
   neighbour reads, too. */
static bool divides(const CoreExp *exp)
{
    if (exp->kind != CORE_EXP_BINARY || core_is_real(exp->as.scalar.prim) ||
        (exp->as.scalar.op != CORE_DIV && exp->as.scalar.op != CORE_MOD)) {
        return false;
    }
    CoreAtom by = exp->as.scalar.y;
    return by.name || by.as.integer < 1 || (by.as.integer & (by.as.integer - 1)) != 0;
}

static unsigned lambda_cost(Fuse *f, const CoreSoac *soac);

/* Branches together, as they are written out. */
static unsigned body_cost(Fuse *f, const CoreBody *body)
{
    unsigned cost = 0;
    for (size_t i = 0; i < body->stm_count && cost < FUSE_DEAR; i++) {
        const CoreStm *stm = body->stms[i];
        const CoreExp *exp = stm->exp;
        if (exp->kind == CORE_EXP_SOAC && fuse_is_map(stm)) {
            cost += lambda_cost(f, &exp->as.soac);
        } else if (exp->kind == CORE_EXP_SOAC) {
            cost += fuse_cost_of_rows(&exp->as.soac, lambda_cost(f, &exp->as.soac));
        } else if (exp->kind == CORE_EXP_INDEX && stm->pattern[0]->type.rank == 0) {
            cost += reading_cost(f, exp->as.index.array);
        } else if (exp->kind == CORE_EXP_IF) {
            cost += 1 + body_cost(f, exp->as.conditional.then_body) +
                    body_cost(f, exp->as.conditional.else_body);
        } else {
            const CoreBody alone = {.stm_count = 1, .stms = &body->stms[i]};
            cost += fuse_cost(&alone) + (divides(exp) ? DIVISION : 0);
        }
    }
    return cost < FUSE_DEAR ? cost : FUSE_DEAR;
}

static unsigned lambda_cost(Fuse *f, const CoreSoac *soac)
{
    unsigned cost = 0;
    for (size_t i = 0; i < soac->input_count; i++) {
        if (soac->map->parameters[i]->type.rank == 0) {
            cost += reading_cost(f, soac->inputs[i]);
        }
    }
    cost += body_cost(f, soac->map->body);
    return cost < FUSE_DEAR ? cost : FUSE_DEAR;
}

typedef struct Needed {
    Arena *arena;
    PointerMap names;
} Needed;

static void need(void *context, CoreName *name)
{
    Needed *needed = context;
    pointer_map_set(needed->arena, &needed->names, name, name);
}

static bool binds_needed(const Needed *needed, const CoreStm *stm)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (pointer_map_get(&needed->names, stm->pattern[k])) {
            return true;
        }
    }
    return false;
}

/* The first of the SOAC's results that is an array of what its function gives. */
static size_t first_made(const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    return fuse_total_width(soac->reduction_count, soac->reductions) +
           fuse_total_width(soac->scan_count, soac->scans);
}

/* What of the function one result takes: its other results are not computed where an element of this one is, but read
   where they are stored, and dearer than that. */
static unsigned result_cost(Fuse *f, const CoreStm *stm, size_t result)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    const CoreBody *body = soac->map->body;
    Needed needed = {.arena = f->arena};
    unsigned cost = 0;
    if (body->results[result].name) {
        need(&needed, body->results[result].name);
    }
    for (size_t i = body->stm_count; i-- > 0 && cost < FUSE_DEAR;) {
        if (!binds_needed(&needed, body->stms[i])) {
            continue;
        }
        if (fuse_read_beside(f, stm, body->stms[i], result) != NULL) {
            cost += FUSE_READ;
        } else {
            const CoreBody alone = {.stm_count = 1, .stms = &body->stms[i]};
            core_each_free(body->stms[i], need, &needed);
            cost += body_cost(f, &alone);
        }
    }
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreName *parameter = soac->map->parameters[i];
        if (parameter->type.rank == 0 && pointer_map_get(&needed.names, parameter)) {
            cost += reading_cost(f, soac->inputs[i]);
        }
    }
    return cost < FUSE_DEAR ? cost : FUSE_DEAR;
}

const CoreName *fuse_read_beside(Fuse *f, const CoreStm *stm, const CoreStm *inner, size_t result)
{
    const CoreBody *body = stm->exp->as.soac.map->body;
    if (fuse_is_map(stm) || inner->pattern_count != 1 || inner->pattern[0]->type.rank > 0 ||
        inner->pattern[0] == body->results[result].name) {
        return NULL;
    }
    for (size_t k = first_made(stm); k < body->result_count; k++) {
        const FuseName *name = fuse_name(f, stm->pattern[k]);
        if (body->results[k].name == inner->pattern[0] && !name->uses.delayed &&
            name->uses.cost > FUSE_READ && !simplify_consumed(f->s, core_use(stm->pattern[k]))) {
            return stm->pattern[k];
        }
    }
    return NULL;
}

/* A function like a logarithm, which costs more than reading what it gave. */
static bool is_dear(const CoreExp *exp)
{
    return (exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY) &&
           core_is_dear(exp->as.scalar.op);
}

static bool is_free(Fuse *f, CoreAtom array)
{
    return array.name && fuse_name(f, array.name)->uses.is_free;
}

/* For an element nothing stored is read, and no dear function is computed. */
static bool is_arithmetic(Fuse *f, const CoreSoac *soac)
{
    for (size_t i = 0; i < soac->input_count; i++) {
        if (!is_free(f, soac->inputs[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < soac->map->body->stm_count; i++) {
        const CoreStm *stm = soac->map->body->stms[i];
        const CoreExp *exp = stm->exp;
        bool reads = exp->kind == CORE_EXP_INDEX && stm->pattern[0]->type.rank == 0;
        if (exp->kind == CORE_EXP_IF || is_dear(exp) || divides(exp) ||
            (reads && !is_free(f, exp->as.index.array)) ||
            (exp->kind == CORE_EXP_SOAC && !is_arithmetic(f, &exp->as.soac))) {
            return false;
        }
    }
    return true;
}

/* Why computing the array where it is read is too much work. `extra`: the operations for each of the map's rows, all
   its results together, that would be done again. */
static CoreReason why_dear(Fuse *f, const CoreStm *stm, const FuseName *name, size_t extra)
{
    if (fuse_has_dear_rows(f, &stm->exp->as.soac)) {
        return CORE_REASON_ROWS;
    }
    bool all = !fuse_reads_part(f, name);
    if (all && fuse_sums_rows(f, &stm->exp->as.soac)) {
        return CORE_REASON_SUMS;
    }
    if (all && name->uses.readings.chosen && f->functions == 0 &&
        fuse_folds_rows(&stm->exp->as.soac)) {
        return CORE_REASON_PART;
    }
    if (fuse_is_repeated(f, name)) { /* read again and again */
        bool cheap = name->uses.cost <= MOST_REPEATED ||
                     (name->uses.cost <= MOST_REPEATED_FREE && name->uses.is_free);
        return cheap ? CORE_REASON_NONE : CORE_REASON_REPEATED;
    }
    size_t sites = name->uses.readings.sites;
    bool light = name->uses.cost <= MOST_REPEATED && name->uses.is_free; /* however many do */
    bool cheap =
        (extra <= MOST_EXTRA || light) && (sites == 1 || sites * name->uses.cost <= MOST_WRITTEN);
    return cheap ? CORE_REASON_NONE : CORE_REASON_DEAR;
}

/* It scans, or is done with what does (pairs.c, streams.c). */
static bool is_of_scan(Fuse *f, const CoreStm *stm)
{
    return stm->exp->as.soac.scan_count > 0 || fuse_goes_over_scan(f, stm);
}

/* Why the results of the SOAC at that place have to be stored, and not for what their elements are. */
static CoreReason why_stored(Fuse *f, const CoreBody *body, size_t at, const Reading *reading)
{
    const CoreStm *stm = body->stms[at];
    return !fuse_is_soac(stm)                        ? CORE_REASON_PLACED
           : !fuse_is_map(stm) && is_of_scan(f, stm) ? CORE_REASON_MIXED
           : core_may_fail(stm)                      ? CORE_REASON_CHECKS
           : fuse_is_overwritten(f, body, at)        ? CORE_REASON_CONSUMED
           : reading->height > MOST_HEIGHT           ? CORE_REASON_HEIGHT
                                                     : CORE_REASON_NONE;
}

static CoreReason why_not_elements(Fuse *f, const CoreStm *stm, size_t k, size_t extra)
{
    const FuseName *name = fuse_name(f, stm->pattern[k]);
    return name->uses.escapes                             ? name->uses.why
           : name->stays != CORE_REASON_NONE              ? name->stays
           : name->uses.readings.sites == 0               ? CORE_REASON_OPERAND
           : !fuse_has_elements(stm->exp->as.soac.map, k) ? CORE_REASON_INNER
                                                          : why_dear(f, stm, name, extra);
}

/* What is read at others than the reader's own row, and once, or costs little more than writing and
   reading it: not to be handed over row by row first, or merged with another map, which would store
   it. */
static bool is_first_chosen(const FuseName *name)
{
    return name->uses.elsewhere && (name->uses.times == 1 || name->uses.cost <= MOST_EARLY);
}

bool fuse_is_left(const Fuse *f, const FuseName *name)
{
    return f->is_early && name->uses.why == CORE_REASON_NONE && name->uses.times > 1 &&
           name->uses.cost > MOST_EARLY;
}

/* It takes rows of a map that is stored as others are beside it: the two are one before that is a part of something. */
static bool takes_part(Fuse *f, const CoreSoac *soac)
{
    bool takes = false;
    for (size_t i = 0; i < soac->input_count; i++) {
        takes = takes || fuse_name(f, soac->inputs[i].name)->uses.why == CORE_REASON_PART;
    }
    return takes;
}

static void choose_result(Fuse *f, const CoreStm *stm, size_t k, const Reading *reading)
{
    FuseName *name = fuse_name(f, stm->pattern[k]);
    if (name->uses.why == CORE_REASON_NONE &&
        (!f->is_early || (is_first_chosen(name) && !takes_part(f, &stm->exp->as.soac)))) {
        name->uses.delayed = name->uses.reaches = name->uses.is_gone = true;
        name->uses.height = reading->height;
        fuse_fired(f, CORE_RULE_FUSE_VIEW);
    }
}

/* Rows that a reduction makes beside what it reduces, for what needs that, too:

       let (s, ys) = redomap n (\x -> (x, x + 1)) ..          let s = reduce n .. xs
       let zs = map n (\y -> y / s) ys                  ==>   let zs = map n (\x -> (x + 1) / s) xs

   To write and read them is as much as to read two arrays, so they are computed again where that is little more. In the
   order in which the function makes them: what is dear is stored, and the others are made of that. */
static void choose_beside(Fuse *f, const CoreStm *stm, CoreReason why, const Reading *reading)
{
    const CoreBody *body = stm->exp->as.soac.map->body;
    size_t first = first_made(stm);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        fuse_name(f, stm->pattern[k])->uses.why = why == CORE_REASON_NONE ? CORE_REASON_MIXED : why;
    }
    for (size_t i = 0; why == CORE_REASON_NONE && i < body->stm_count; i++) {
        for (size_t k = first; k < stm->pattern_count; k++) {
            FuseName *name = fuse_name(f, stm->pattern[k]);
            if (body->results[k].name == NULL ||
                !core_stm_binds(body->stms[i], body->results[k].name)) {
                continue;
            }
            size_t times = name->uses.escapes ? 0 : fuse_times(f, name);
            name->uses.cost = 1 + result_cost(f, stm, k);
            name->uses.times = times + 1;
            bool pays = name->uses.escapes ||
                        (name->uses.cost <= MOST_EARLY && times * name->uses.cost <= MOST_BESIDE);
            name->uses.why =
                pays ? why_not_elements(f, stm, k, times * name->uses.cost) : CORE_REASON_MIXED;
            choose_result(f, stm, k, reading);
        }
    }
}

static void choose_map(Fuse *f, const CoreBody *body, size_t at)
{
    const CoreStm *stm = body->stms[at];
    const CoreSoac *soac = &stm->exp->as.soac;
    Reading reading = {.f = f};
    core_each_free(stm, read_height, &reading);
    CoreReason why = why_stored(f, body, at, &reading);
    if (!fuse_is_map(stm)) {
        choose_beside(f, stm, why, &reading);
        return;
    }
    bool is_known = why == CORE_REASON_NONE, stays = false;
    unsigned all = is_known ? 1 + lambda_cost(f, soac) : 0;
    bool free = is_known && is_arithmetic(f, soac);
    size_t times = 0, work = 0;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        FuseName *name = fuse_name(f, stm->pattern[k]);
        size_t readings = name->uses.escapes ? 0 : fuse_times(f, name);
        bool alone = is_known && stm->pattern_count > 1;
        name->uses.cost = alone ? 1 + result_cost(f, stm, k) : all;
        stays = stays || name->uses.escapes;
        times += readings;
        work += readings * name->uses.cost;
    }
    work += stays ? all : 0;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        FuseName *name = fuse_name(f, stm->pattern[k]);
        name->uses.is_free = free;
        name->uses.times = times + stays;
        name->uses.why = is_known ? why_not_elements(f, stm, k, work > all ? work - all : 0) : why;
        choose_result(f, stm, k, &reading);
        name->uses.is_free = free && name->uses.delayed;
    }
}

typedef struct Reached {
    Fuse *f;
    bool reaches, is_gone;
    unsigned height, cost;
} Reached;

static void reach(void *context, CoreAtom atom)
{
    Reached *reached = context;
    if (atom.name && atom.name->type.rank > 0) {
        const FuseName *name = fuse_name(reached->f, atom.name);
        reached->reaches = reached->reaches || name->uses.reaches;
        reached->is_gone = reached->is_gone || name->uses.is_gone;
        reached->height = name->uses.height > reached->height ? name->uses.height : reached->height;
        reached->cost = name->uses.cost > reached->cost ? name->uses.cost : reached->cost;
    }
}

/* iota n and its views are numbers, never memory: they are computed from the reader's position,
   where more is known of them. */
static bool is_view_of_positions(Fuse *f, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    CoreAtom array = exp->kind == CORE_EXP_SLICE     ? exp->as.slice.array
                     : exp->kind == CORE_EXP_ROTATE  ? exp->as.rotate.array
                     : exp->kind == CORE_EXP_REVERSE ? exp->as.reverse.array
                                                     : core_i64(0);
    const CoreStm *made = fuse_definition(f, array);
    return made && made->exp->kind == CORE_EXP_IOTA;
}

/* [0, 1, 2], read element by element, is computed from the reader's position, too. */
static void choose_literal(Fuse *f, const CoreStm *stm)
{
    FuseName *name = fuse_name(f, stm->pattern[0]);
    int64_t first, step;
    if (name->uses.readings.sites > 0 && !name->uses.escapes &&
        fuse_is_progression(stm->exp, &first, &step)) {
        name->uses.reaches = name->uses.is_free = true;
        name->uses.cost = 1;
        fuse_fired(f, CORE_RULE_FUSE_VIEW);
    }
}

/* Views whose indices are found by few additions. */
static bool is_free_view(Fuse *f, const CoreExp *exp)
{
    switch ((int)exp->kind) { /* the others take positions apart, or choose */
    case CORE_EXP_IOTA: return true;
    case CORE_EXP_REPLICATE:
        return core_atom_type(exp->as.replicate.value).rank == 0 ||
               is_free(f, exp->as.replicate.value);
    case CORE_EXP_ATOM: return is_free(f, exp->as.atom);
    case CORE_EXP_INDEX: return is_free(f, exp->as.index.array);
    case CORE_EXP_REARRANGE: return is_free(f, exp->as.rearrange.array);
    case CORE_EXP_REVERSE: return is_free(f, exp->as.reverse.array);
    case CORE_EXP_SLICE: return is_free(f, exp->as.slice.array);
    }
    return false;
}

/* A view of a delayed array reaches it. */
static void pass_on(Fuse *f, const CoreStm *stm)
{
    if (stm->pattern_count != 1 || stm->pattern[0]->type.rank == 0) {
        return;
    }
    FuseName *name = fuse_name(f, stm->pattern[0]);
    name->uses.is_free = is_free_view(f, stm->exp);
    if (!core_is_view(stm->exp->kind) && stm->exp->kind != CORE_EXP_ATOM) {
        choose_literal(f, stm);
        return;
    }
    Reached reached = {.f = f};
    core_each_operand(stm->exp, reach, &reached);
    name->uses.reaches = reached.reaches;
    name->uses.is_gone = reached.is_gone;
    name->uses.height = reached.height + 1;
    name->uses.cost = reached.cost + 1;
    size_t sites = name->uses.readings.sites;
    if (is_view_of_positions(f, stm) && sites > 0 && sites <= MOST_BRANCHES &&
        name->uses.views <= FUSE_MOST_VIEWS) {
        name->uses.reaches = true;
        fuse_fired(f, CORE_RULE_FUSE_VIEW);
    }
    if (fuse_is_dear_view(f, stm, name) ||
        (name->uses.is_gone && fuse_is_stored_view(f, stm, name))) {
        name->uses.stored = true;
        name->uses.reaches = name->uses.is_gone = name->uses.is_free = false;
        fuse_fired(f, CORE_RULE_FUSE_STORE);
    }
}

static void choose_body(void *context, const CoreBody *body);

static void pass_rows(Fuse *f, const CoreSoac *soac)
{
    for (size_t i = 0; i < soac->input_count; i++) {
        FuseName *parameter = fuse_name(f, soac->map->parameters[i]);
        if (soac->inputs[i].name && parameter->name->type.rank > 0) {
            const FuseName *input = fuse_name(f, soac->inputs[i].name);
            parameter->uses.reaches = input->uses.reaches;
            parameter->uses.is_gone = input->uses.is_gone;
            parameter->uses.is_free = input->uses.is_free;
            parameter->uses.height = input->uses.height;
            parameter->uses.cost = input->uses.cost;
        }
    }
}

static void choose_stm(Fuse *f, const CoreBody *body, size_t at)
{
    const CoreStm *stm = body->stms[at];
    if (stm->exp->kind == CORE_EXP_SOAC) {
        pass_rows(f, &stm->exp->as.soac);
    }
    bool is_function = stm->exp->kind != CORE_EXP_LOOP && stm->exp->kind != CORE_EXP_IF;
    f->functions += is_function;
    core_each_body(stm->exp, choose_body, f);
    f->functions -= is_function;
    pass_on(f, stm);
    if (stm->exp->kind == CORE_EXP_SOAC) {
        choose_map(f, body, at);
    }
}

static void choose_body(void *context, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        choose_stm(context, body, i);
    }
}

/* ---- the pass ---------------------------------------------------------------------------- */

static bool choose(Fuse *f, const CoreFunction *function)
{
    fuse_forget_uses(f);
    fuse_find_uses(f, function);
    f->changed = false;
    choose_body(f, function->body);
    return f->changed;
}

/* Rows of these that are not computed from a delayed array stay views. */
static bool give_up_rows(Fuse *f, const FuseNames *views)
{
    bool some = false;
    for (size_t i = 0; i < views->count; i++) {
        FuseName *view = fuse_name(f, views->items[i]);
        view->whole = !view->uses.reaches;
        some = some || view->whole;
    }
    return some;
}

/* With as many rows element by element as pays. */
static const CoreFunction *choose_rows(Fuse *f, const CoreFunction *function, bool *chosen)
{
    size_t *before = arena_copy(f->arena, f->counts, CORE_RULE_COUNT * sizeof *before);
    FuseCut cut = {0};
    for (int choices = 0;;) {
        FuseNames views = {0};
        const CoreFunction *expanded = fuse_rows(f, function, &views);
        fuse_note_function(f, expanded);
        *chosen = choose(f, expanded);
        bool again = give_up_rows(f, &views);
        bool cuts = !again && fuse_find_cut(f, expanded->body, &cut);
        bool stays =
            !cuts && !f->is_early && choices < MOST_CHOICES && fuse_find_stays(f, expanded->body);
        choices += !cuts;
        if (!again && !cuts && !stays) {
            return expanded;
        }
        memcpy(f->counts, before, CORE_RULE_COUNT * sizeof *before);
    }
}

static const CoreFunction *delay(Fuse *f, const CoreFunction *function)
{
    bool before = f->changed, chosen;
    const CoreFunction *expanded = choose_rows(f, function, &chosen);
    f->changed = chosen || before;
    if (!f->is_early) {
        fuse_log_left(f, expanded);
    }
    if (!chosen) {
        return function;
    }
    CoreFunction *fused = arena_copy(f->c->arena, expanded, sizeof *fused);
    fused->body = fuse_rewrite_body(f, expanded->body);
    return fused;
}

const CoreFunction *fuse_delay(Fuse *f, const CoreFunction *function)
{
    f->is_early = false;
    return delay(f, function);
}

const CoreFunction *fuse_delay_early(Fuse *f, const CoreFunction *function)
{
    f->is_early = true;
    return delay(f, function);
}
