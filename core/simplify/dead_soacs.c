/* [L0 5.3] The walk backwards through SOACs: unused inputs, results, accumulators, destinations.

       let (s : f64, m : f64, ys : [n]f64) =                 let (s : f64) =
         soac n (xs, zs) (\(x, z) -> ... in (x, x, z))   ==>   redomap n (xs) (\(x) -> ... in (x))
           reduce (+) (0.0) reduce (max) (0.0)                   (+) (0.0)       -- m, ys unused

       let (m : i64, as : [m]f64, bs : [m]f64) = filter n (as, bs) (\(a, b) -> ... a ...)
   ==> let (m : i64, as : [m]f64) = filter n (as) (\(a) -> ... a ...)            -- bs unused

   An accumulator matters where its result is used, or where another that matters is computed from
   it. An assertion inside an operator keeps what it needs. One input stays, if unused. */
#include "core/simplify/dead.h"

static size_t number_kept(size_t count, const bool *keep)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        kept += keep[i];
    }
    return kept;
}

static bool *all_of(Simplify *s, size_t count)
{
    bool *keep = ARENA_ARRAY(s->arena, bool, count);
    for (size_t i = 0; i < count; i++) {
        keep[i] = true;
    }
    return keep;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* With only those parameters and results; NULL: all. */
static const CoreLambda *thin_lambda(Simplify *s, const CoreLambda *old, const bool *parameters,
                                     const bool *results)
{
    bool all = !results && number_kept(old->parameter_count, parameters) == old->parameter_count;
    if (all) {
        return old;
    }
    CoreLambda *lambda = arena_copy(s->c->arena, old, sizeof *lambda);
    if (parameters) {
        lambda->parameters =
            simplify_kept_names(s, old->parameter_count, old->parameters, parameters);
        lambda->parameter_count = number_kept(old->parameter_count, parameters);
    }
    if (results) {
        CoreType *types = ARENA_ARRAY(s->c->arena, CoreType, old->body->result_count);
        for (size_t i = 0, n = 0; i < old->body->result_count; i++) {
            if (results[i]) {
                types[n++] = old->result_types[i];
            }
        }
        lambda->result_types = types;
        lambda->body = simplify_kept_results(s, old->body, results);
    }
    return lambda;
}

static const CoreLambda *dead_lambda(Simplify *s, const CoreLambda *old, int depth)
{
    const CoreBody *body = simplify_dead_body(s, old->body, depth + 1);
    for (size_t i = 0; i < body->result_count; i++) {
        simplify_live_type(s, old->result_types[i]);
    }
    if (body == old->body) {
        return old;
    }
    CoreLambda *lambda = arena_copy(s->c->arena, old, sizeof *lambda);
    lambda->body = body;
    return lambda;
}

static void live_parameters(Simplify *s, const CoreLambda *lambda)
{
    for (size_t i = 0; i < lambda->parameter_count; i++) {
        simplify_live_type(s, lambda->parameters[i]->type);
    }
}

/* Marks the parameters (from `first` on, `count` of them) that the wanted results, or what must
   stay in the function, depend on. */
static bool demanded(Simplify *s, const CoreLambda *lambda, const bool *wanted, size_t first,
                     size_t count, bool *needed)
{
    /* Of the scope when it was open: the SOAC may have left scopes around it since. */
    Demand d = {.s = s, .depth = simplify_fact(s, lambda->parameters[0])->depth};
    bool changed = false;
    if (simplify_are_all_kept(count, needed)) {
        return false;
    }
    s->stamp++;
    simplify_demand_staying(&d, lambda->body);
    for (size_t i = 0; i < lambda->body->result_count; i++) {
        if (wanted[i]) {
            simplify_demand(&d, lambda->body->results[i]);
        }
    }
    while (d.waiting.count > 0) {
        simplify_demand_operands(&d, simplify_fact(s, d.waiting.items[--d.waiting.count]));
    }
    for (size_t i = 0; i < count; i++) {
        if (!needed[i] && simplify_fact(s, lambda->parameters[first + i])->stamp == s->stamp) {
            needed[i] = changed = true;
        }
    }
    return changed;
}

/* Of an operator with k accumulators and k rows: wanted, and what those depend on. */
static void needed_by_operator(Simplify *s, const CoreLambda *op, bool *wanted)
{
    size_t k = op->body->result_count;
    while (demanded(s, op, wanted, 0, k, wanted) || demanded(s, op, wanted, k, k, wanted)) {
    }
}

/* An operator with the accumulators that are kept. */
static const CoreLambda *thin_operator(Simplify *s, const CoreLambda *op, const bool *keep)
{
    size_t k = op->body->result_count;
    bool *both = ARENA_ARRAY(s->arena, bool, 2 * k);
    for (size_t i = 0; i < k; i++) {
        both[i] = both[k + i] = keep[i];
    }
    return thin_lambda(s, op, both, keep);
}

/* ---- reductions and scans -------------------------------------------------------------------- */

static bool asserts(const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        if (simplify_must_stay(body->stms[i]->exp)) {
            return true;
        }
    }
    return false;
}

/* keep: of the SOAC's results, from this group's first on. Groups of which nothing stays go. */
static size_t thin_reductions(Simplify *s, size_t count, const CoreReduction **reductions,
                              bool **keep, int depth)
{
    CoreReduction *kept = ARENA_ARRAY(s->arena, CoreReduction, count);
    bool changed = false;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        CoreReduction r = (*reductions)[i];
        size_t k = r.function->body->result_count;
        needed_by_operator(s, r.function, *keep);
        if (number_kept(k, *keep) == 0 && asserts(r.function->body)) {
            (*keep)[0] = k > 0;
            needed_by_operator(s, r.function, *keep);
        }
        size_t left = number_kept(k, *keep);
        if (left < k) {
            r.neutral = simplify_kept_atoms(s, k, r.neutral, *keep);
            r.function = thin_operator(s, r.function, *keep);
            simplify_fired(s, CORE_RULE_UNUSED_RESULT);
        }
        if (left > 0) {
            r.function = dead_lambda(s, r.function, depth);
            live_parameters(s, r.function);
            kept[n++] = r;
        }
        changed = changed || left == 0 || r.function != (*reductions)[i].function;
        *keep += k;
    }
    if (changed) {
        *reductions = arena_copy(s->c->arena, kept, n * sizeof *kept);
    }
    return n;
}

/* Inputs whose parameter nobody uses and that `also` does not keep; one of them stays. */
static bool *live_inputs(Simplify *s, size_t count, CoreName *const *parameters, const bool *also)
{
    bool *keep = ARENA_ARRAY(s->arena, bool, count);
    for (size_t i = 0; i < count; i++) {
        keep[i] = (also && also[i]) || simplify_is_live(s, parameters[i]);
    }
    if (count > 0 && number_kept(count, keep) == 0) {
        keep[0] = true;
    }
    if (number_kept(count, keep) < count) {
        simplify_fired(s, CORE_RULE_UNUSED_INPUT);
    }
    return keep;
}

static const CoreLambda *thin_mapped(Simplify *s, CoreStm *stm, const CoreLambda *map,
                                     const bool *keep)
{
    size_t kept = number_kept(stm->pattern_count, keep);
    if (kept == stm->pattern_count) {
        return map;
    }
    simplify_keep_pattern(s, stm, keep, kept);
    return thin_lambda(s, map, NULL, keep);
}

static void thin_soac(Simplify *s, CoreStm *stm, CoreExp *exp, int depth)
{
    CoreSoac *soac = &exp->as.soac;
    size_t live_count, count = stm->pattern_count;
    bool *keep = simplify_live_pattern(s, stm, &live_count), *group = keep;
    soac->reduction_count =
        thin_reductions(s, soac->reduction_count, &soac->reductions, &group, depth);
    soac->scan_count = thin_reductions(s, soac->scan_count, &soac->scans, &group, depth);
    for (const bool *mapped = group; mapped < keep + count; mapped++) {
        if (!*mapped) {
            simplify_fired(s, CORE_RULE_UNUSED_RESULT);
        }
    }
    const CoreLambda *map = dead_lambda(s, thin_mapped(s, stm, soac->map, keep), depth);
    bool *inputs = live_inputs(s, soac->input_count, map->parameters, NULL);
    soac->inputs = simplify_kept_atoms(s, soac->input_count, soac->inputs, inputs);
    soac->map = thin_lambda(s, map, inputs, NULL);
    soac->input_count = soac->map->parameter_count;
    live_parameters(s, soac->map);
}

/* ---- filter, scatter, hist ------------------------------------------------------------------- */

/* What is computed and kept goes where nobody needs it, up to one. */
static void thin_computing_filter(Simplify *s, CoreStm *stm, CoreExp *exp, int depth, bool *pattern)
{
    pattern[0] = true;
    if (number_kept(stm->pattern_count, pattern) == 1) {
        pattern[1] = true;
    }
    if (number_kept(stm->pattern_count, pattern) < stm->pattern_count) {
        simplify_fired(s, CORE_RULE_UNUSED_RESULT);
    }
    const CoreLambda *predicate =
        dead_lambda(s, thin_mapped(s, stm, exp->as.filter.predicate, pattern), depth);
    bool *inputs = live_inputs(s, exp->as.filter.input_count, predicate->parameters, NULL);
    exp->as.filter.inputs =
        simplify_kept_atoms(s, exp->as.filter.input_count, exp->as.filter.inputs, inputs);
    exp->as.filter.predicate = thin_lambda(s, predicate, inputs, NULL);
    exp->as.filter.input_count = exp->as.filter.predicate->parameter_count;
    live_parameters(s, exp->as.filter.predicate);
}

static void thin_filter(Simplify *s, CoreStm *stm, CoreExp *exp, int depth)
{
    size_t live_count, count = exp->as.filter.input_count;
    bool *pattern = simplify_live_pattern(s, stm, &live_count);
    if (exp->as.filter.predicate->body->result_count > 1) {
        thin_computing_filter(s, stm, exp, depth, pattern);
        return;
    }
    const CoreLambda *predicate = dead_lambda(s, exp->as.filter.predicate, depth);
    bool *inputs = live_inputs(s, count, predicate->parameters, pattern + 1);
    for (size_t i = 0; i < count; i++) {
        pattern[1 + i] = inputs[i];
    }
    pattern[0] = true;
    simplify_keep_pattern(s, stm, pattern, 1 + number_kept(count, inputs));
    exp->as.filter.inputs = simplify_kept_atoms(s, count, exp->as.filter.inputs, inputs);
    exp->as.filter.predicate = thin_lambda(s, predicate, inputs, NULL);
    exp->as.filter.input_count = exp->as.filter.predicate->parameter_count;
    live_parameters(s, exp->as.filter.predicate);
}

static void thin_scatter(Simplify *s, CoreStm *stm, CoreExp *exp, int depth)
{
    size_t kept, count = exp->as.scatter.count;
    bool *keep = simplify_live_pattern(s, stm, &kept);
    const CoreLambda *op = exp->kind == CORE_EXP_HIST ? exp->as.scatter.op : NULL;
    if (op) {
        needed_by_operator(s, op, keep);
        kept = number_kept(count, keep);
    }
    if (kept < count && kept > 0) {
        exp->as.scatter.destinations =
            simplify_kept_atoms(s, count, exp->as.scatter.destinations, keep);
        exp->as.scatter.values = simplify_kept_atoms(s, count, exp->as.scatter.values, keep);
        exp->as.scatter.count = kept;
        if (op) {
            exp->as.scatter.neutral = simplify_kept_atoms(s, count, exp->as.scatter.neutral, keep);
            op = thin_operator(s, op, keep);
        }
        simplify_keep_pattern(s, stm, keep, kept);
        simplify_fired(s, CORE_RULE_UNUSED_RESULT);
    }
    if (op) {
        exp->as.scatter.op = dead_lambda(s, op, depth);
        live_parameters(s, exp->as.scatter.op);
    }
}

/* ---- streams --------------------------------------------------------------------------------- */

/* keep: the statement's results: accumulators, then what is mapped. */
static void needed_accumulators(Simplify *s, const CoreExp *exp, bool *keep)
{
    const CoreLambda *fold = exp->as.stream.fold, *reduce = exp->as.stream.reduce;
    size_t k = exp->as.stream.accumulator_count;
    bool changed = k > 0;
    while (changed) {
        changed = demanded(s, fold, keep, 1, k, keep);
        if (reduce) {
            changed = demanded(s, reduce, keep, 0, k, keep) || changed;
            changed = demanded(s, reduce, keep, k, k, keep) || changed;
        }
    }
}

static void thin_stream(Simplify *s, CoreStm *stm, CoreExp *exp, int depth)
{
    const CoreLambda *fold = exp->as.stream.fold, *reduce = exp->as.stream.reduce;
    size_t count = stm->pattern_count, k = exp->as.stream.accumulator_count, kept;
    bool *keep = simplify_live_pattern(s, stm, &kept);
    needed_accumulators(s, exp, keep);
    bool *parameters = all_of(s, fold->parameter_count);
    for (size_t i = 0; i < k; i++) {
        parameters[1 + i] = keep[i];
    }
    if (number_kept(count, keep) < count) {
        fold = thin_lambda(s, fold, parameters, keep);
        if (reduce) {
            reduce = thin_operator(s, reduce, keep);
        }
        exp->as.stream.neutral = simplify_kept_atoms(s, k, exp->as.stream.neutral, keep);
        exp->as.stream.accumulator_count = number_kept(k, keep);
        simplify_keep_pattern(s, stm, keep, number_kept(count, keep));
        simplify_fired(s, CORE_RULE_UNUSED_RESULT);
        k = exp->as.stream.accumulator_count;
    }
    fold = dead_lambda(s, fold, depth);
    bool *inputs = live_inputs(s, exp->as.stream.input_count, fold->parameters + 1 + k, NULL);
    parameters = all_of(s, fold->parameter_count);
    for (size_t i = 0; i < exp->as.stream.input_count; i++) {
        parameters[1 + k + i] = inputs[i];
    }
    exp->as.stream.inputs =
        simplify_kept_atoms(s, exp->as.stream.input_count, exp->as.stream.inputs, inputs);
    exp->as.stream.fold = thin_lambda(s, fold, parameters, NULL);
    exp->as.stream.input_count = exp->as.stream.fold->parameter_count - 1 - k;
    live_parameters(s, exp->as.stream.fold);
    if (reduce) {
        exp->as.stream.reduce = dead_lambda(s, reduce, depth);
        live_parameters(s, exp->as.stream.reduce);
    }
}

void simplify_thin_soac(Simplify *s, CoreStm *stm, CoreExp *exp, int depth)
{
    switch ((int)exp->kind) { /* the SOACs */
    case CORE_EXP_SOAC: thin_soac(s, stm, exp, depth); return;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: thin_filter(s, stm, exp, depth); return;
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST: thin_scatter(s, stm, exp, depth); return;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: thin_stream(s, stm, exp, depth); return;
    }
}
