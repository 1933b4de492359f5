/* Nests that can fail in several parts, or in a loop: an attempt at all rows, and, where one fails, row after row again.

       map n (\xs -> {                          let (rs, oks) = map n (\xs -> {
         let u = assert p                         let (r, ok) = if p then {
         let y = <u> xs[i]                          let y = xs[i]
         let s = reduce + xs                        let s = reduce + xs
         let v = assert q s                         let ok = q s
         let z = <v> xs[s]              ==>         let z = if ok then { xs[s] } else { 0 }
         in (y + z) })                              in (y + z, ok) } else { in (0, false) }
                                                  in (r, ok) })
                                                let all = reduce and oks
                                                let rs = if all then { rs } else { the nest as it was }

   Parts that are done for all rows, one after the other, would tell of the first part that fails, where the program tells of
   the first row. In the attempt nothing fails: what an assertion was for stands behind its condition, and a row says
   whether all of its own held. Where one did not, the nest as it was finds the first, in a work-item a row; where it finds
   none, for real numbers that are summed in another order may be others, it gives the results. */
#include "core/flatten/flatten.h"

/* Assertions behind each other. */
enum { MOST_DEPTH = 64 };

typedef struct Attempt {
    Compilation *c;
    CoreNameMap gone; /* certificates of what cannot fail any more: CoreName -> bool */
    size_t depth;     /* of assertions behind each other */
    bool refused;     /* something in it cannot be attempted */
} Attempt;

/* ---- bodies ---------------------------------------------------------------------------------- */

/* A statement as it is in an attempt, added to b: whether all in it held. */
static CoreAtom attempt_stm(Attempt *a, const CoreStm *stm, CoreBuilder *b);

/* The statements from the first on, added to b, and the body's results: whether all in them held. */
static CoreAtom attempt_from(Attempt *a, const CoreBody *body, size_t first, CoreBuilder *b,
                             CoreAtom *results);

static bool is_bound_from(const CoreBody *body, size_t first, CoreAtom atom)
{
    bool found = false;
    for (size_t i = first; i < body->stm_count && atom.name && !found; i++) {
        found = core_stm_binds(body->stms[i], atom.name);
    }
    return found;
}

/* What result k is where the statements from the first on are not done: what relies on it is not done, either. */
static CoreAtom nothing(Attempt *a, const CoreBody *body, size_t first, size_t k, CoreBuilder *b)
{
    CoreType type = core_atom_type(body->results[k]);
    a->refused = a->refused || type.prim == CORE_CERT;
    for (int axis = 0; axis < type.rank; axis++) {
        a->refused = a->refused || is_bound_from(body, first, type.sizes[axis]);
    }
    return a->refused       ? body->results[k]
           : type.rank == 0 ? core_zero(type.prim)
                            : core_let_scratch(b, "none", type.prim, (size_t)type.rank, type.sizes);
}

/* if condition then { the statements from the first on } else { nothing } */
static CoreAtom behind(Attempt *a, CoreAtom condition, const CoreBody *body, size_t first,
                       CoreBuilder *b, CoreAtom *results)
{
    Compilation *c = a->c;
    size_t count = 0;
    CoreBuilder done = core_builder(c, b->span), none = done;
    CoreAtom *taken = ARENA_ARRAY(c->arena, CoreAtom, body->result_count + 1);
    CoreAtom *untaken = ARENA_ARRAY(c->arena, CoreAtom, body->result_count + 1);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, body->result_count + 1);
    CoreAtom *all = ARENA_ARRAY(c->arena, CoreAtom, body->result_count + 1);
    a->depth++;
    a->refused = a->refused || a->depth > MOST_DEPTH;
    CoreAtom ok = attempt_from(a, body, first, &done, all);
    a->depth--;
    for (size_t k = 0; k < body->result_count; k++) {
        results[k] = body->results[k];
        if (is_bound_from(body, first, body->results[k]) && !a->refused) {
            CoreType type = core_atom_type(body->results[k]);
            type.unique = false;
            taken[count] = all[k];
            untaken[count] = nothing(a, body, first, k, &none);
            pattern[count] = core_name(c, "r", type, b->span);
            results[k] = core_use(pattern[count++]);
        }
    }
    taken[count] = ok;
    untaken[count] = core_bool(false);
    pattern[count] = core_name(c, "ok", core_scalar(CORE_BOOL), b->span);
    if (!a->refused) {
        core_bind(b, count + 1, pattern,
                  core_exp_if(c, condition, core_body(&done, count + 1, taken),
                              core_body(&none, count + 1, untaken)));
    }
    return core_use(pattern[count]);
}

static bool is_true(CoreAtom atom)
{
    return !atom.name && atom.as.integer != 0;
}

static CoreAtom both(CoreBuilder *b, CoreAtom x, CoreAtom y)
{
    return is_true(x) ? y : is_true(y) ? x : core_let_binary(b, "ok", CORE_AND, x, y);
}

/* Defined whatever does not hold. */
static bool is_free(const CoreStm *stm)
{
    return flatten_is_check(stm) ||
           (stm->pattern_count == 1 && stm->pattern[0]->type.rank == 0 && fuse_is_total_stm(stm));
}

static CoreAtom attempt_from(Attempt *a, const CoreBody *body, size_t first, CoreBuilder *b,
                             CoreAtom *results)
{
    CoreAtom ok = core_bool(true);
    for (size_t i = first; i < body->stm_count && !a->refused; i++) {
        if (!is_true(ok) && !is_free(body->stms[i])) {
            return behind(a, ok, body, i, b, results);
        }
        ok = both(b, ok, attempt_stm(a, body->stms[i], b));
    }
    if (body->result_count > 0) {
        memcpy(results, body->results, body->result_count * sizeof *results);
    }
    return ok;
}

/* The body with one result more: whether all held. */
static const CoreBody *attempt_body(Attempt *a, const CoreBody *body, Span span)
{
    CoreBuilder b = core_builder(a->c, span);
    CoreAtom *results = ARENA_ARRAY(a->c->arena, CoreAtom, body->result_count + 1);
    results[body->result_count] = attempt_from(a, body, 0, &b, results);
    return core_body(&b, body->result_count + 1, results);
}

/* ---- statements ------------------------------------------------------------------------------ */

static CoreName *ok_name(Attempt *a, Span span)
{
    return core_name(a->c, "ok", core_scalar(CORE_BOOL), span);
}

/* The pattern with a name more, at that place. */
static CoreName **pattern_with(Attempt *a, const CoreStm *stm, size_t at, CoreName *name)
{
    CoreName **pattern = ARENA_ARRAY(a->c->arena, CoreName *, stm->pattern_count + 1);
    for (size_t k = 0; k <= stm->pattern_count; k++) {
        pattern[k] = k < at ? stm->pattern[k] : k == at ? name : stm->pattern[k - 1];
    }
    return pattern;
}

static void add_with(CoreBuilder *b, const CoreStm *stm, CoreName *const *pattern,
                     const CoreExp *exp)
{
    CoreStm *with = arena_copy(b->c->arena, stm, sizeof *stm);
    with->pattern_count++;
    with->pattern = pattern;
    with->exp = exp;
    core_add(b, with);
}

/* In both branches. */
static CoreAtom attempt_if(Attempt *a, const CoreStm *stm, CoreBuilder *b)
{
    const CoreExp *exp = stm->exp;
    const CoreBody *then_body = attempt_body(a, exp->as.conditional.then_body, stm->span);
    const CoreBody *else_body = attempt_body(a, exp->as.conditional.else_body, stm->span);
    CoreName *ok = ok_name(a, stm->span);
    if (!a->refused) {
        add_with(b, stm, pattern_with(a, stm, stm->pattern_count, ok),
                 core_exp_if(a->c, exp->as.conditional.condition, then_body, else_body));
    }
    return core_use(ok);
}

/* Each iteration where all before it held; a while loop ends where one does not. */
static CoreAtom attempt_loop(Attempt *a, const CoreStm *stm, CoreBuilder *b)
{
    Compilation *c = a->c;
    const CoreExp *loop = stm->exp;
    size_t count = loop->as.loop.parameter_count;
    CoreName *held = ok_name(a, stm->span), *ok = ok_name(a, stm->span);
    CoreAtom *initial = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    CoreBuilder step = core_builder(c, stm->span);
    for (size_t k = 0; k < count; k++) {
        CoreName *parameter = loop->as.loop.parameters[k];
        parameters[k] = parameter;
        initial[k] = loop->as.loop.initial[k];
        for (int axis = 0; axis < parameter->type.rank; axis++) {
            for (size_t j = 0; j < count; j++) {
                a->refused =
                    a->refused || parameter->type.sizes[axis].name == loop->as.loop.parameters[j];
            }
        }
    }
    parameters[count] = held;
    initial[count] = core_bool(true);
    results[count] = loop->as.loop.index
                         ? behind(a, core_use(held), loop->as.loop.body, 0, &step, results)
                         : attempt_from(a, loop->as.loop.body, 0, &step, results);
    for (size_t k = 0; k < count && !loop->as.loop.index && !a->refused; k++) {
        if (parameters[k] == loop->as.loop.condition) {
            results[k] = both(&step, results[count], results[k]);
        }
    }
    if (!a->refused) {
        const CoreBody *body = core_body(&step, count + 1, results);
        add_with(b, stm, pattern_with(a, stm, count, ok),
                 loop->as.loop.index ? core_exp_for(c, count + 1, parameters, initial,
                                                    loop->as.loop.index, loop->as.loop.bound, body)
                                     : core_exp_while(c, count + 1, parameters, initial,
                                                      loop->as.loop.condition, body));
    }
    return core_use(ok);
}

static CoreReduction all_hold(Attempt *a, Span span)
{
    static const CoreAtom holds = {.prim = CORE_BOOL, .as.integer = 1};
    return (CoreReduction){core_operator_lambda(a->c, CORE_AND, CORE_BOOL, span), &holds, true};
}

static void bind_all(Attempt *a, CoreName *ok, CoreAtom width, CoreAtom flags, CoreBuilder *b)
{
    CoreReduction hold = all_hold(a, b->span);
    core_bind(b, 1, &ok,
              core_exp_reduce(a->c, width, 1, &flags, hold.function, hold.neutral, true));
}

/* The SOAC with that function, and reductions. */
static const CoreExp *soac_with(Attempt *a, const CoreStm *stm, const CoreBody *body,
                                size_t reduction_count, const CoreReduction *reductions)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    return core_exp_soac(a->c, soac->width, soac->input_count, soac->inputs,
                         core_lambda(a->c, soac->map->parameter_count, soac->map->parameters, body),
                         reduction_count, reductions, soac->scan_count, soac->scans);
}

/* A map with SOACs in its function stays one: each row says whether it held. */
static CoreAtom attempt_map(Attempt *a, const CoreStm *stm, const CoreBody *body, CoreBuilder *b)
{
    CoreAtom width = stm->exp->as.soac.width;
    CoreName *oks = core_name(a->c, "oks", core_array(a->c, CORE_BOOL, 1, &width), stm->span);
    CoreName *ok = ok_name(a, stm->span);
    add_with(b, stm, pattern_with(a, stm, stm->pattern_count, oks),
             soac_with(a, stm, body, 0, NULL));
    bind_all(a, ok, width, core_use(oks), b);
    return core_use(ok);
}

/* Beside scans, whether all rows held is a SOAC of its own, for which they are done again. */
static CoreAtom attempt_scan(Attempt *a, const CoreStm *stm, const CoreBody *body, CoreBuilder *b)
{
    Compilation *c = a->c;
    const CoreSoac *soac = &stm->exp->as.soac;
    CoreName *ok = ok_name(a, stm->span);
    CoreReduction hold = all_hold(a, stm->span);
    CoreBody *flag = arena_copy(c->arena, body, sizeof *body);
    CoreBody *rows = arena_copy(c->arena, body, sizeof *body);
    flag->results += --rows->result_count;
    flag->result_count = 1;
    const CoreLambda *function =
        core_lambda(c, soac->map->parameter_count, soac->map->parameters, flag);
    core_bind(b, 1, &ok,
              core_exp_soac(c, soac->width, soac->input_count, soac->inputs,
                            core_rename_lambda(core_renaming(c), function), 1, &hold, 0, NULL));
    CoreStm *scan = arena_copy(c->arena, stm, sizeof *stm);
    scan->exp = soac_with(a, stm, rows, soac->reduction_count, soac->reductions);
    core_add(b, scan);
    return core_use(ok);
}

/* The SOAC with a reduction more: whether all of its rows held. It comes first: its results do, too. */
static CoreAtom attempt_soac(Attempt *a, const CoreStm *stm, CoreBuilder *b)
{
    Compilation *c = a->c;
    const CoreSoac *soac = &stm->exp->as.soac;
    CoreName *ok = ok_name(a, stm->span);
    const CoreBody *body = attempt_body(a, soac->map->body, stm->span);
    a->refused = a->refused || flatten_operators_have_checks(soac);
    b->span = stm->span;
    if (a->refused) {
        return core_use(ok);
    }
    if (soac->scan_count > 0) {
        return attempt_scan(a, stm, body, b);
    }
    if (fuse_is_map(stm) && flatten_has_soacs(stm->exp)) {
        return attempt_map(a, stm, body, b);
    }
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, body->result_count);
    CoreReduction *reductions = ARENA_ARRAY(c->arena, CoreReduction, soac->reduction_count + 1);
    CoreBody *ordered = arena_copy(c->arena, body, sizeof *body);
    results[0] = body->results[body->result_count - 1];
    reductions[0] = all_hold(a, stm->span);
    for (size_t k = 1; k < body->result_count; k++) {
        results[k] = body->results[k - 1];
    }
    for (size_t k = 0; k < soac->reduction_count; k++) {
        reductions[k + 1] = soac->reductions[k];
    }
    ordered->results = results;
    add_with(b, stm, pattern_with(a, stm, 0, ok),
             soac_with(a, stm, ordered, soac->reduction_count + 1, reductions));
    return core_use(ok);
}

static CoreAtom attempt_stm(Attempt *a, const CoreStm *stm, CoreBuilder *b)
{
    const CoreExp *exp = stm->exp;
    if (flatten_is_check(stm)) {
        core_name_map_make(a->c->arena, &a->gone, stm->pattern[0], sizeof(bool));
        return exp->kind == CORE_EXP_ASSERT ? exp->as.assertion.condition : core_bool(true);
    }
    if (!flatten_may_fail(stm)) {
        core_add(b, stm);
        return core_bool(true);
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        a->refused = a->refused || core_is_existential(stm, stm->pattern[k]->type);
    }
    switch ((int)exp->kind) { /* those that may have assertions inside */
    case CORE_EXP_IF: return attempt_if(a, stm, b);
    case CORE_EXP_LOOP: return attempt_loop(a, stm, b);
    case CORE_EXP_SOAC: return attempt_soac(a, stm, b);
    }
    a->refused = true;
    return core_bool(false);
}

/* ---- certificates ---------------------------------------------------------------------------- */

static const CoreStm *without_gone(Attempt *a, const CoreStm *stm);

static const CoreBody *body_without_gone(void *context, const CoreBody *old)
{
    Attempt *a = context;
    CoreBuilder b = core_builder(a->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        core_add(&b, without_gone(a, old->stms[i]));
    }
    return core_with_stms(a->c, old, b.stms.count, b.stms.items);
}

/* The statement, and what is in it, without certificates of assertions that are none any more. */
static const CoreStm *without_gone(Attempt *a, const CoreStm *stm)
{
    CoreAtom *left = ARENA_ARRAY(a->c->arena, CoreAtom, stm->certificate_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < stm->certificate_count; i++) {
        if (!core_name_map_get(&a->gone, stm->certificates[i].name)) {
            left[count++] = stm->certificates[i];
        }
    }
    CoreStm *without = arena_copy(a->c->arena, stm, sizeof *stm);
    without->certificate_count = count;
    without->certificates = left;
    return core_map_stm(a->c, without, body_without_gone, a);
}

/* ---- the nest -------------------------------------------------------------------------------- */

/* Behind the attempt's nests, which bind `rows` and `oks`: the old nest's results. */
static void add_again(Attempt *a, const CoreStm *old, CoreName *const *rows, CoreName *oks,
                      CoreBuilder *b)
{
    Compilation *c = a->c;
    CoreBuilder none = core_builder(c, old->span);
    CoreAtom *these = ARENA_ARRAY(c->arena, CoreAtom, old->pattern_count + 1);
    CoreName *all = ok_name(a, old->span);
    bind_all(a, all, old->exp->as.soac.width, core_use(oks), b);
    for (size_t k = 0; k < old->pattern_count; k++) {
        these[k] = core_use(rows[k]);
    }
    core_bind(b, old->pattern_count, old->pattern,
              core_exp_if(c, core_use(all), core_body(&none, old->pattern_count, these),
                          flatten_copies(c, 1, &old, old)));
}

const CoreStm *flatten_attempt(Flatten *f, const CoreStm *map, CoreBuilder *again)
{
    Compilation *c = f->c;
    Attempt a = {.c = c};
    const CoreSoac *soac = &map->exp->as.soac;
    if (core_has_effect(map->exp) || flatten_has_unique(soac->map)) {
        return NULL;
    }
    const CoreBody *body = attempt_body(&a, soac->map->body, map->span);
    if (a.refused) {
        return NULL;
    }
    CoreType flags = core_array(c, CORE_BOOL, 1, &soac->width);
    CoreName *oks = core_name(c, "oks", flags, map->span);
    CoreName **pattern = pattern_with(&a, map, map->pattern_count, oks);
    for (size_t k = 0; k < map->pattern_count; k++) {
        pattern[k] = core_name(c, map->pattern[k]->text, map->pattern[k]->type, map->span);
    }
    CoreBuilder b = core_builder(c, map->span);
    add_with(&b, map, pattern,
             core_exp_map(c, soac->width, soac->input_count, soac->inputs,
                          core_lambda(c, soac->map->parameter_count, soac->map->parameters, body)));
    add_again(&a, map, pattern, oks, again);
    f->counts[CORE_RULE_FLATTEN_ATTEMPT]++;
    return without_gone(&a, b.stms.items[0]);
}
