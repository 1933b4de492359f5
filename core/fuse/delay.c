/* Which arrays are not stored. A map whose result is only ever read element by element, through
   views or not, need not be a pass over memory: each reader computes the element at its own index.

       let b = map n f a                           let c = map n
       let r = rotate 0 1 b               ==>          (\i -> g (f (a[(i + 1) % n]))) (iota n)
       let c = map n g r

   An element that several places read is computed by each, so there is a price: it is paid where
   the work is small (the three neighbours of Life's rows), not where it is dear. Computing at a
   place that runs more often than the map has elements (a row of a matrix that each row of another
   reads) pays only where it costs no more than reading.

   A walk backwards finds for each array who reads its elements, and whether something needs it
   whole: results, effects, updates, loop state, branches. Views hand on what is wanted of them to
   what they view. What the map reads must not be written in place, and a map that may fail stays:
   its check must be made whether or not the element is wanted. */
#include "core/fuse/fuse.h"

enum {
    MOST_EXTRA = 96,         /* operations an element that may be done again */
    MOST_REPEATED = 6,       /* of one reading in a loop that has more iterations than elements */
    MOST_REPEATED_FREE = 40, /* the same of plain arithmetic, where nothing stored is read */
    MOST_HEIGHT = 64,        /* of maps and views that one reading goes through */
    MOST_VIEWS = 64,         /* between a reader and a map */
    MOST_BRANCHES = 64,
    MOST_SITES = 10000
};

/* ---- uses -------------------------------------------------------------------------------- */

static void escape(void *context, CoreAtom atom)
{
    Fuse *f = context;
    if (atom.name && atom.name->type.rank > 0) {
        FuseName *name = fuse_name(f, atom.name);
        name->uses.why = name->uses.escapes ? name->uses.why : f->why;
        name->uses.escapes = true;
    }
}

/* The same, and why. */
static void escape_for(Fuse *f, CoreAtom atom, CoreReason why)
{
    f->why = why;
    escape(f, atom);
}

/* `sites` places at that level want an element of the array. */
static void want(Fuse *f, CoreAtom array, size_t sites, int level)
{
    if (!array.name || sites == 0) {
        return;
    }
    FuseName *name = fuse_name(f, array.name);
    name->uses.sites =
        name->uses.sites + sites < MOST_SITES ? name->uses.sites + sites : MOST_SITES;
    name->uses.deepest = name->uses.deepest > level ? name->uses.deepest : level;
}

/* Axes at which a view stays at one place: no loop goes along them. */
static int constant_axes(const CoreExp *exp)
{
    int count = 0;
    for (size_t i = 0; exp->kind == CORE_EXP_INDEX && i < exp->as.index.count; i++) {
        count += exp->as.index.indices[i].name == NULL;
    }
    for (size_t i = 0; exp->kind == CORE_EXP_SLICE && i < exp->as.slice.count; i++) {
        count += exp->as.slice.slices[i].fixed && exp->as.slice.slices[i].offset.name == NULL;
    }
    return count;
}

/* A view whose every reading divides, and that is read more often than it has elements: it is
   stored once, or a slice of the array where that is long enough. */
static bool is_dear_view(const CoreStm *stm, const FuseName *name)
{
    return stm->exp->kind == CORE_EXP_CYCLE && name->level == 0 && name->uses.sites > 0 &&
           name->uses.deepest > name->name->type.rank;
}

/* What is wanted of a view is wanted of the array. A reshape keeps the number of elements, so that
   levels count from its own rank. */
static void hand_on(Fuse *f, const CoreStm *stm, CoreAtom array)
{
    const FuseName *view = fuse_name(f, stm->pattern[0]);
    if (!array.name || array.name->type.rank == 0) {
        return;
    }
    if (is_dear_view(stm, view)) { /* it will be stored, from an array that is */
        escape_for(f, array, CORE_REASON_STORED);
        return;
    }
    int level = view->uses.deepest + constant_axes(stm->exp);
    if (stm->exp->kind == CORE_EXP_RESHAPE) {
        level += array.name->type.rank - view->name->type.rank;
    }
    want(f, array, view->uses.sites, level);
    FuseName *name = fuse_name(f, array.name);
    name->uses.views =
        name->uses.views > view->uses.views ? name->uses.views : view->uses.views + 1;
    if (view->uses.escapes || name->uses.views > MOST_VIEWS) {
        escape_for(f, array, view->uses.escapes ? view->uses.why : CORE_REASON_HEIGHT);
    }
}

static void use_body(Fuse *f, const CoreBody *body, int level, CoreReason results);

static void use_lambda(Fuse *f, const CoreLambda *lambda, int level)
{
    use_body(f, lambda->body, level + 1, CORE_REASON_ROW);
}

/* A row of each input is what the parameter is. */
static void use_rows(Fuse *f, const CoreLambda *lambda, size_t count, const CoreAtom *inputs,
                     int level)
{
    for (size_t i = 0; i < count; i++) {
        const FuseName *parameter = fuse_name(f, lambda->parameters[i]);
        if (parameter->name->type.unique) {
            escape_for(f, inputs[i], CORE_REASON_CONSUMED);
        } else if (parameter->name->type.rank == 0) {
            want(f, inputs[i], 1, level + 1);
        } else {
            want(f, inputs[i], parameter->uses.sites, parameter->uses.deepest);
            if (parameter->uses.escapes) {
                escape_for(f, inputs[i], parameter->uses.why);
            }
        }
    }
}

static void use_soac(Fuse *f, const CoreStm *stm, int level)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    use_lambda(f, soac->map, level);
    for (size_t i = 0; i < soac->reduction_count; i++) {
        use_lambda(f, soac->reductions[i].function, level);
        for (size_t k = 0; k < soac->reductions[i].function->body->result_count; k++) {
            escape_for(f, soac->reductions[i].neutral[k], CORE_REASON_NEUTRAL);
        }
    }
    for (size_t i = 0; i < soac->scan_count; i++) {
        use_lambda(f, soac->scans[i].function, level);
        for (size_t k = 0; k < soac->scans[i].function->body->result_count; k++) {
            escape_for(f, soac->scans[i].neutral[k], CORE_REASON_NEUTRAL);
        }
    }
    if (stm->exp->level == CORE_LEVEL_AUTO) {
        use_rows(f, soac->map, soac->input_count, soac->inputs, level);
    } else {
        f->why = CORE_REASON_PLACED;
        core_each_operand(stm->exp, escape, f);
    }
}

static void use_view(Fuse *f, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    switch ((int)exp->kind) { /* views */
    case CORE_EXP_ATOM: hand_on(f, stm, exp->as.atom); return;
    case CORE_EXP_INDEX: hand_on(f, stm, exp->as.index.array); return;
    case CORE_EXP_REPLICATE: hand_on(f, stm, exp->as.replicate.value); return;
    case CORE_EXP_REARRANGE: hand_on(f, stm, exp->as.rearrange.array); return;
    case CORE_EXP_RESHAPE: hand_on(f, stm, exp->as.reshape.array); return;
    case CORE_EXP_CYCLE: hand_on(f, stm, exp->as.cycle.array); return;
    case CORE_EXP_ROTATE: hand_on(f, stm, exp->as.rotate.array); return;
    case CORE_EXP_REVERSE: hand_on(f, stm, exp->as.reverse.array); return;
    case CORE_EXP_SLICE: hand_on(f, stm, exp->as.slice.array); return;
    case CORE_EXP_PAD: hand_on(f, stm, exp->as.pad.array); return;
    case CORE_EXP_CONCAT:
        for (size_t i = 0; i < exp->as.concat.count; i++) {
            hand_on(f, stm, exp->as.concat.arrays[i]);
        }
        return;
    }
}

/* Why an expression that is neither view nor SOAC needs its operands whole. */
static CoreReason why_whole(const CoreExp *exp)
{
    switch ((int)exp->kind) { /* the others just do */
    case CORE_EXP_UPDATE: return CORE_REASON_UPDATED;
    case CORE_EXP_LOOP: return CORE_REASON_STATE;
    case CORE_EXP_FILTER: return CORE_REASON_KEPT;
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST: return CORE_REASON_SCATTER;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: return CORE_REASON_STREAM;
    case CORE_EXP_FORMAT: return CORE_REASON_EFFECT;
    }
    return core_is_effect(exp->kind) ? CORE_REASON_EFFECT : CORE_REASON_OPERAND;
}

static void use_stm(Fuse *f, const CoreStm *stm, int level)
{
    const CoreExp *exp = stm->exp;
    switch ((int)exp->kind) { /* the others need all of their operands */
    case CORE_EXP_INDEX:
        if (stm->pattern[0]->type.rank == 0) {
            want(f, exp->as.index.array, 1, level);
            return;
        } /* fall through */
    case CORE_EXP_REPLICATE:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_SLICE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD:
    case CORE_EXP_ATOM: use_view(f, stm); return;
    case CORE_EXP_SOAC: use_soac(f, stm, level); return;
    case CORE_EXP_IF:
        use_body(f, exp->as.conditional.then_body, level, CORE_REASON_BRANCH);
        use_body(f, exp->as.conditional.else_body, level, CORE_REASON_BRANCH);
        return;
    case CORE_EXP_LOOP: use_body(f, exp->as.loop.body, level + 1, CORE_REASON_STATE); break;
    case CORE_EXP_FILTER: use_lambda(f, exp->as.filter.predicate, level); break;
    case CORE_EXP_HIST: use_lambda(f, exp->as.scatter.op, level); break;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ:
        use_lambda(f, exp->as.stream.fold, level);
        if (exp->as.stream.reduce) {
            use_lambda(f, exp->as.stream.reduce, level);
        }
        break;
    }
    f->why = why_whole(exp);
    core_each_operand(exp, escape, f);
}

/* Results that are rows of a map are stored with it: whoever wants them wants them whole, unless
   they are a map's themselves, which demand.c enters. */
static void use_body(Fuse *f, const CoreBody *body, int level, CoreReason results)
{
    for (size_t i = 0; i < body->result_count; i++) {
        escape_for(f, body->results[i], results);
    }
    for (size_t i = body->stm_count; i-- > 0;) {
        use_stm(f, body->stms[i], level);
    }
}

/* ---- what can be delayed ----------------------------------------------------------------- */

typedef struct Reading {
    Fuse *f;
    const CoreLambda *lambda;
    bool consumed;
    unsigned height, cost;
} Reading;

static void read_name(void *context, CoreName *name)
{
    Reading *reading = context;
    reading->consumed = reading->consumed || simplify_consumed(reading->f->s, core_use(name));
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

/* The statement that makes result k of a body, where it is a map or a view: its elements can be
   computed alone. Scalars can. */
static bool has_elements(const CoreLambda *lambda, size_t result);

static bool is_elementwise(const CoreBody *body, CoreAtom result)
{
    if (core_atom_type(result).rank == 0) {
        return true;
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        for (size_t k = 0; k < stm->pattern_count; k++) {
            if (stm->pattern[k] == result.name) {
                return fuse_is_map(stm) && has_elements(stm->exp->as.soac.map, k);
            }
        }
    }
    return false;
}

static bool has_elements(const CoreLambda *lambda, size_t result)
{
    return is_elementwise(lambda->body, lambda->body->results[result]);
}

static unsigned lambda_cost(Fuse *f, const CoreSoac *soac)
{
    unsigned cost = 0;
    for (size_t i = 0; i < soac->input_count; i++) {
        if (soac->map->parameters[i]->type.rank == 0) {
            cost += reading_cost(f, soac->inputs[i]);
        }
    }
    for (size_t i = 0; i < soac->map->body->stm_count && cost < FUSE_DEAR; i++) {
        const CoreStm *stm = soac->map->body->stms[i];
        if (stm->exp->kind == CORE_EXP_SOAC && fuse_is_map(stm)) {
            cost += lambda_cost(f, &stm->exp->as.soac);
        } else if (stm->exp->kind == CORE_EXP_INDEX && stm->pattern[0]->type.rank == 0) {
            cost += reading_cost(f, stm->exp->as.index.array);
        } else {
            const CoreBody alone = {.stm_count = 1, .stms = &soac->map->body->stms[i]};
            cost += fuse_cost(&alone);
        }
    }
    return cost < FUSE_DEAR ? cost : FUSE_DEAR;
}

/* A function like a logarithm, which costs more than reading what it gave. */
static bool is_dear(const CoreExp *exp)
{
    return (exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY) &&
           core_is_dear(exp->as.scalar.op);
}

/* For an element nothing stored is read, and no dear function is computed. */
static bool is_arithmetic(Fuse *f, const CoreSoac *soac)
{
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreStm *stm = fuse_definition(f, soac->inputs[i]);
        while (stm && stm->exp->kind == CORE_EXP_SLICE) {
            stm = fuse_definition(f, stm->exp->as.slice.array);
        }
        if (!stm || (stm->exp->kind != CORE_EXP_IOTA && stm->exp->kind != CORE_EXP_REPLICATE)) {
            return false;
        }
    }
    for (size_t i = 0; i < soac->map->body->stm_count; i++) {
        const CoreStm *stm = soac->map->body->stms[i];
        if (stm->exp->kind == CORE_EXP_INDEX || stm->exp->kind == CORE_EXP_IF ||
            is_dear(stm->exp) ||
            (stm->exp->kind == CORE_EXP_SOAC && !is_arithmetic(f, &stm->exp->as.soac))) {
            return false;
        }
    }
    return true;
}

/* Something is computed for a whole row of the result that is more than scalar work: each element
   would do it again. */
static bool has_dear_rows(const CoreSoac *soac)
{
    bool rows = false;
    for (size_t k = 0; k < soac->map->body->result_count; k++) {
        rows = rows || soac->map->result_types[k].rank > 0;
    }
    for (size_t i = 0; rows && i < soac->map->body->stm_count; i++) {
        const CoreStm *stm = soac->map->body->stms[i];
        const CoreBody alone = {.stm_count = 1, .stms = &soac->map->body->stms[i]};
        if (fuse_is_map(stm) ? has_dear_rows(&stm->exp->as.soac) : fuse_cost(&alone) >= FUSE_DEAR) {
            return true;
        }
    }
    return false;
}

/* In two maps or more reductions of rows whose number is not known, as in products of matrices. */
static bool sums_rows(const CoreSoac *map, int depth)
{
    for (size_t i = 0; i < map->map->body->stm_count; i++) {
        const CoreStm *stm = map->map->body->stms[i];
        if (stm->exp->kind != CORE_EXP_SOAC) {
            continue;
        }
        const CoreSoac *inner = &stm->exp->as.soac;
        if (fuse_is_map(stm) ? sums_rows(inner, depth + 1)
                             : depth >= 2 && inner->reduction_count > 0 && inner->width.name) {
            return true;
        }
    }
    return false;
}

/* Why computing the array where it is read is too much work. `times`: how often the map's function
   is computed for each of its rows, with what stays stored. */
static CoreReason why_dear(Fuse *f, const CoreStm *stm, const FuseName *name, size_t times)
{
    size_t extra = times - 1;
    if (has_dear_rows(&stm->exp->as.soac)) {
        return CORE_REASON_ROWS;
    }
    if (sums_rows(&stm->exp->as.soac, 1)) {
        return CORE_REASON_SUMS;
    }
    if (name->uses.deepest - name->level > name->name->type.rank) { /* read again and again */
        bool cheap = name->uses.cost <= MOST_REPEATED || (name->uses.cost <= MOST_REPEATED_FREE &&
                                                          is_arithmetic(f, &stm->exp->as.soac));
        return cheap ? CORE_REASON_NONE : CORE_REASON_REPEATED;
    }
    return extra * name->uses.cost <= MOST_EXTRA ? CORE_REASON_NONE : CORE_REASON_DEAR;
}

/* Why result k of a map has to be stored, and not for what its elements are. */
static CoreReason why_stored(const CoreStm *stm, const Reading *reading)
{
    return !fuse_is_soac(stm)              ? CORE_REASON_PLACED
           : !fuse_is_map(stm)             ? CORE_REASON_MIXED
           : fuse_may_fail(stm)            ? CORE_REASON_CHECKS
           : reading->consumed             ? CORE_REASON_CONSUMED
           : reading->height > MOST_HEIGHT ? CORE_REASON_HEIGHT
                                           : CORE_REASON_NONE;
}

static CoreReason why_not_elements(Fuse *f, const CoreStm *stm, size_t k, size_t times)
{
    const FuseName *name = fuse_name(f, stm->pattern[k]);
    return name->uses.escapes                        ? name->uses.why
           : name->uses.sites == 0                   ? CORE_REASON_OPERAND
           : !has_elements(stm->exp->as.soac.map, k) ? CORE_REASON_INNER
                                                     : why_dear(f, stm, name, times);
}

static void choose_map(Fuse *f, const CoreStm *stm)
{
    Reading reading = {.f = f};
    core_each_free(stm, read_name, &reading);
    CoreReason why = why_stored(stm, &reading);
    unsigned cost = why == CORE_REASON_NONE ? 1 + lambda_cost(f, &stm->exp->as.soac) : 0;
    bool stays = false;
    size_t times = 0;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        const FuseName *name = fuse_name(f, stm->pattern[k]);
        stays = stays || name->uses.escapes;
        times += name->uses.escapes ? 0 : name->uses.sites;
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        FuseName *name = fuse_name(f, stm->pattern[k]);
        name->uses.cost = cost;
        name->uses.times = times + stays;
        name->uses.why = why != CORE_REASON_NONE ? why : why_not_elements(f, stm, k, times + stays);
        if (name->uses.why == CORE_REASON_NONE) {
            name->uses.delayed = name->uses.reaches = true;
            name->uses.height = reading.height;
            fuse_fired(f, CORE_RULE_FUSE_VIEW);
        }
    }
}

typedef struct Reached {
    Fuse *f;
    bool reaches;
    unsigned height, cost;
} Reached;

static void reach(void *context, CoreAtom atom)
{
    Reached *reached = context;
    if (atom.name && atom.name->type.rank > 0) {
        const FuseName *name = fuse_name(reached->f, atom.name);
        reached->reaches = reached->reaches || name->uses.reaches;
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

/* A view of a delayed array reaches it. */
static void pass_on(Fuse *f, const CoreStm *stm)
{
    if (stm->pattern_count != 1 || stm->pattern[0]->type.rank == 0 ||
        (!core_is_view(stm->exp->kind) && stm->exp->kind != CORE_EXP_ATOM)) {
        return;
    }
    Reached reached = {.f = f};
    core_each_operand(stm->exp, reach, &reached);
    FuseName *name = fuse_name(f, stm->pattern[0]);
    name->uses.reaches = reached.reaches;
    name->uses.height = reached.height + 1;
    name->uses.cost = reached.cost + 1;
    if (is_view_of_positions(f, stm) && name->uses.sites > 0 && name->uses.sites <= MOST_BRANCHES &&
        name->uses.views <= MOST_VIEWS) {
        name->uses.reaches = true;
        fuse_fired(f, CORE_RULE_FUSE_VIEW);
    }
    if (is_dear_view(stm, name)) {
        name->uses.stored = true;
        name->uses.reaches = false;
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
            parameter->uses.height = input->uses.height;
            parameter->uses.cost = input->uses.cost;
        }
    }
}

static void choose_stm(Fuse *f, const CoreStm *stm)
{
    if (stm->exp->kind == CORE_EXP_SOAC) {
        pass_rows(f, &stm->exp->as.soac);
    }
    core_each_body(stm->exp, choose_body, f);
    pass_on(f, stm);
    if (stm->exp->kind == CORE_EXP_SOAC) {
        choose_map(f, stm);
    }
}

static void choose_body(void *context, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        choose_stm(context, body->stms[i]);
    }
}

/* ---- the pass ---------------------------------------------------------------------------- */

const CoreFunction *fuse_delay(Fuse *f, const CoreFunction *function)
{
    fuse_forget_uses(f);
    use_body(f, function->body, 0, CORE_REASON_RESULT);
    bool before = f->changed;
    f->changed = false;
    choose_body(f, function->body);
    bool chosen = f->changed;
    f->changed = f->changed || before;
    fuse_log_left(f, function);
    if (!chosen) {
        return function;
    }
    CoreFunction *fused = arena_copy(f->c->arena, function, sizeof *function);
    fused->body = fuse_rewrite_body(f, function->body);
    return fused;
}
