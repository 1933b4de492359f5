/* [L0 7.2] Filters that stay compute what they keep: a map whose rows only the filter reads is
   computed in it, and so is a map of what it keeps.

       let us = map n f xs                    let (m, ys) = filter n (\x ->
       let (m, ys) = filter n p us      ==>     let u = f x in (p u, u)) xs

       let (m, us) = filter n p xs            let (m, ys) = filter n (\x ->
       let ys = map m f us              ==>     (p x, if p x then f x else 0)) xs

   One pass over memory less, each. It comes when all other fusion is done: what is reduced in the
   end is better off without the filter (filter.c). On a device the rows that are kept are computed once more when
   it is known where they go, rather than stored; so what is dear stays a map. A map before the
   filter moves down to it: nothing that it reads may be written in place. A map after it moves up:
   all that it reads has to be there before the filter, and what it reads by position may not be in bounds
   because of an assertion that it would pass.

       let (m, bs', ys) =                     let (m, ys) =
         filter n (bs, xs) (\b x -> b)   ==>    filter n (bs, xs) (\b x -> (b, x))    -- bs' unused

   What it goes by is read all the same, but not kept. */
#include "core/fuse/filter.h"

enum { MOST_MADE = 100 }; /* operations a row */

typedef struct Keep {
    Fuse *f;
    const CoreBody *body;
    PointerMap binders;   /* CoreName -> 1 + number of the statement of the body that binds it */
    PointerMap used;      /* arrays that anything uses */
    size_t *users;        /* of each statement's arrays: the one statement that uses them */
    const CoreStm **stms; /* what each statement has become; NULL: it is gone */
    size_t at, map;       /* the filter and the map at work */
    bool found;
} Keep;

enum { NOBODY = -1, SEVERAL = -2 };

static size_t binder_of(const Keep *k, const CoreName *name)
{
    return (size_t)(uintptr_t)pointer_map_get(&k->binders, name) - 1;
}

static void note_user(void *context, CoreName *name)
{
    Keep *k = context;
    size_t binder = binder_of(k, name);
    if (binder != SIZE_MAX && name->type.rank > 0) {
        pointer_map_set(k->f->arena, &k->used, name, k);
        size_t *user = &k->users[binder];
        *user = *user == (size_t)NOBODY || *user == k->at ? k->at : (size_t)SEVERAL;
    }
}

static void note_all(Keep *k)
{
    for (size_t i = 0; i < k->body->stm_count; i++) {
        k->users[i] = (size_t)NOBODY;
        k->stms[i] = k->body->stms[i];
        for (size_t p = 0; p < k->body->stms[i]->pattern_count; p++) {
            pointer_map_set(k->f->arena, &k->binders, k->body->stms[i]->pattern[p],
                            (void *)(uintptr_t)(i + 1));
        }
    }
    for (k->at = 0; k->at < k->body->stm_count; k->at++) {
        core_each_free(k->body->stms[k->at], note_user, k);
    }
    k->at = (size_t)SEVERAL;
    for (size_t i = 0; i < k->body->result_count; i++) {
        if (k->body->results[i].name) {
            note_user(k, k->body->results[i].name);
        }
    }
}

/* ---- what may join ------------------------------------------------------------------------- */

static bool may_join(const CoreStm *stm)
{
    return stm && fuse_is_map_of_scalars(stm) &&
           fuse_cost(stm->exp->as.soac.map->body) <= MOST_MADE;
}

/* Bound by the filter at work, or after it. */
static void find_later(void *context, CoreName *name)
{
    Keep *k = context;
    size_t binder = binder_of(k, name);
    k->found = k->found || (binder != SIZE_MAX && binder >= k->at);
}

static void find_map(void *context, CoreName *name)
{
    Keep *k = context;
    k->found = k->found || binder_of(k, name) == k->map;
}

/* The statement's functions, without its inputs and width, use what is looked for. */
static bool uses_inside(Keep *k, const CoreStm *stm, void (*find)(void *context, CoreName *name))
{
    k->found = false;
    fuse_each_inside(k->f, stm, find, k);
    return k->found;
}

/* ---- building ------------------------------------------------------------------------------ */

CoreAtom *fuse_filter_results(Fuse *f, const CoreExp *filter, size_t *count)
{
    const CoreLambda *predicate = filter->as.filter.predicate;
    *count = 1 + core_filter_count(filter);
    CoreAtom *results = ARENA_ARRAY(f->c->arena, CoreAtom, *count);
    results[0] = predicate->body->results[0];
    for (size_t i = 1; i < *count; i++) {
        results[i] = predicate->body->result_count > 1 ? predicate->body->results[i]
                                                       : core_use(predicate->parameters[i - 1]);
    }
    return results;
}

/* filter p (map f xs)  ==>  filter (\x -> let u = f x in (p u, u)) xs */
const CoreStm *fuse_filter_after_map(Fuse *f, const CoreStm *map, const CoreStm *filter)
{
    const CoreSoac *soac = &map->exp->as.soac;
    const CoreExp *old = filter->exp;
    const CoreLambda *predicate = old->as.filter.predicate;
    size_t count = 0, all = soac->input_count + old->as.filter.input_count, results = 0;
    CoreName **parameters = ARENA_ARRAY(f->c->arena, CoreName *, all + 1);
    CoreAtom *inputs = ARENA_ARRAY(f->c->arena, CoreAtom, all + 1);
    CoreBuilder b = core_builder(f->c, filter->span);
    for (; count < soac->input_count; count++) {
        inputs[count] = soac->inputs[count];
        parameters[count] = soac->map->parameters[count];
    }
    core_add_all(&b, soac->map->body);
    for (size_t i = 0; i < old->as.filter.input_count; i++) {
        size_t place = 0;
        while (place < map->pattern_count && map->pattern[place] != old->as.filter.inputs[i].name) {
            place++;
        }
        if (place == map->pattern_count) {
            inputs[count] = old->as.filter.inputs[i];
            parameters[count++] = predicate->parameters[i];
        } else {
            core_bind(&b, 1, &predicate->parameters[i],
                      core_atom_exp(f->c, soac->map->body->results[place]));
        }
    }
    core_add_all(&b, predicate->body);
    const CoreAtom *kept = fuse_filter_results(f, old, &results);
    CoreStm *stm = fuse_with_certificates(f, filter, map);
    stm->exp = core_exp_filter(f->c, old->as.filter.width, count, inputs,
                               core_lambda(f->c, count, parameters, core_body(&b, results, kept)));
    return stm;
}

/* map f (filter p xs)  ==>  filter (\x -> (p x, if p x then f x else 0)) xs */
static const CoreStm *before_map(Fuse *f, const CoreStm *filter, const CoreStm *map)
{
    const CoreSoac *soac = &map->exp->as.soac;
    const CoreExp *old = filter->exp;
    const CoreLambda *predicate = old->as.filter.predicate;
    size_t count = map->pattern_count, results = 0;
    CoreAtom *kept = ARENA_ARRAY(f->c->arena, CoreAtom, count + 1);
    CoreName **pattern = ARENA_ARRAY(f->c->arena, CoreName *, count + 1);
    CoreBuilder b = core_builder(f->c, map->span);
    const CoreAtom *rows = fuse_filter_results(f, old, &results);
    core_add_all(&b, predicate->body);
    for (size_t i = 0; i < soac->input_count; i++) {
        size_t place = 1;
        while (filter->pattern[place] != soac->inputs[i].name) {
            place++;
        }
        core_bind(&b, 1, &soac->map->parameters[i], core_atom_exp(f->c, rows[place]));
    }
    for (size_t i = 0; i < count; i++) {
        pattern[1 + i] = map->pattern[i];
    }
    const CoreAtom *made = fuse_where_kept(f, &b, rows[0], soac->map->body, NULL);
    kept[0] = rows[0];
    memcpy(kept + 1, made, count * sizeof *kept);
    pattern[0] = filter->pattern[0];
    CoreStm *stm = fuse_with_certificates(f, filter, map);
    stm->pattern = pattern;
    stm->pattern_count = count + 1;
    stm->exp = core_exp_filter(f->c, old->as.filter.width, old->as.filter.input_count,
                               old->as.filter.inputs,
                               core_lambda(f->c, predicate->parameter_count, predicate->parameters,
                                           core_body(&b, count + 1, kept)));
    return stm;
}

/* Where it keeps what it only goes by: (b, x -> b)  ==>  (b, x -> (b, x)). */
static const CoreStm *with_used(const Keep *k, const CoreStm *filter)
{
    Compilation *c = k->f->c;
    const CoreExp *old = filter->exp;
    const CoreLambda *predicate = old->as.filter.predicate;
    size_t count = 1;
    if (predicate->body->result_count > 1) {
        return filter;
    }
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, filter->pattern_count);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, filter->pattern_count);
    pattern[0] = filter->pattern[0];
    results[0] = predicate->body->results[0];
    for (size_t i = 1; i < filter->pattern_count; i++) {
        if (pointer_map_get(&k->used, filter->pattern[i]) != NULL) {
            pattern[count] = filter->pattern[i];
            results[count++] = core_use(predicate->parameters[i - 1]);
        }
    }
    if (count == 1 || count == filter->pattern_count) {
        return filter;
    }
    CoreBuilder b = core_builder(c, filter->span);
    core_add_all(&b, predicate->body);
    CoreStm *stm = arena_copy(c->arena, filter, sizeof *filter);
    stm->pattern = pattern;
    stm->pattern_count = count;
    stm->exp =
        core_exp_filter(c, old->as.filter.width, old->as.filter.input_count, old->as.filter.inputs,
                        core_lambda(c, predicate->parameter_count, predicate->parameters,
                                    core_body(&b, count, results)));
    return stm;
}

/* ---- the step ------------------------------------------------------------------------------ */

static size_t readings_in(const CoreBody *body)
{
    size_t readings = 0;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        readings += exp->kind == CORE_EXP_INDEX;
        if (exp->kind == CORE_EXP_IF) {
            readings += readings_in(exp->as.conditional.then_body) +
                        readings_in(exp->as.conditional.else_body);
        }
    }
    return readings;
}

bool fuse_gathers(const CoreStm *map)
{
    enum { FEW_READINGS = 2 };
    return readings_in(map->exp->as.soac.map->body) > FEW_READINGS;
}

/* The filter goes by rows of the map as they are, and keeps none of them. */
static bool only_goes_by(const Keep *k, const CoreStm *filter, size_t map)
{
    const CoreLambda *predicate = filter->exp->as.filter.predicate;
    const CoreBody *body = predicate->body;
    bool good = body->stm_count == 0;
    for (size_t i = 0; good && i < filter->exp->as.filter.input_count; i++) {
        if (binder_of(k, filter->exp->as.filter.inputs[i].name) != map) {
            continue;
        }
        const CoreName *row = predicate->parameters[i];
        bool kept =
            body->result_count == 1 && pointer_map_get(&k->used, filter->pattern[1 + i]) != NULL;
        for (size_t r = 1; r < body->result_count; r++) {
            kept = kept || body->results[r].name == row;
        }
        good = body->results[0].name == row && !kept;
    }
    return good;
}

static bool joins_before(Keep *k, size_t map)
{
    return map < k->at && k->users[map] == k->at && may_join(k->stms[map]) &&
           (!fuse_gathers(k->stms[map]) || only_goes_by(k, k->stms[k->at], map)) &&
           !fuse_reads_consumed(k->f, k->stms[map]);
}

/* A map that only the filter at work reads. */
static bool take_producer(Keep *k)
{
    const CoreStm *filter = k->stms[k->at];
    for (size_t i = 0; i < filter->exp->as.filter.input_count; i++) {
        size_t map = k->map = binder_of(k, filter->exp->as.filter.inputs[i].name);
        if (map == SIZE_MAX || !joins_before(k, map) || uses_inside(k, filter, find_map)) {
            continue;
        }
        fuse_log_done(k->f, CORE_RULE_FUSE_KEEP, k->stms[map], filter, NULL);
        k->stms[k->at] = fuse_filter_after_map(k->f, k->stms[map], filter);
        k->stms[map] = NULL;
        fuse_fired(k->f, CORE_RULE_FUSE_KEEP);
        return true;
    }
    return false;
}

/* Before the map there is an assertion that the filter does not pass, and of which the map may rely on something. */
static bool relies_on_check(const Keep *k, size_t map)
{
    bool total = fuse_is_total(k->stms[map]->exp->as.soac.map->body);
    for (size_t i = k->at + 1; i < map && !total; i++) {
        if (k->stms[i] != NULL && k->stms[i]->exp->kind == CORE_EXP_ASSERT) {
            return true;
        }
    }
    return false;
}

/* The map that alone reads what the filter at work keeps. */
static bool take_consumer(Keep *k)
{
    const CoreStm *filter = k->stms[k->at];
    size_t map = k->users[k->at];
    if (map >= k->body->stm_count || !may_join(k->stms[map]) || map <= k->at) {
        return false;
    }
    const CoreSoac *soac = &k->stms[map]->exp->as.soac;
    for (size_t i = 0; i < soac->input_count; i++) {
        if (!soac->inputs[i].name || binder_of(k, soac->inputs[i].name) != k->at) {
            return false;
        }
    }
    if (soac->input_count == 0 || uses_inside(k, k->stms[map], find_later) ||
        relies_on_check(k, map)) {
        return false;
    }
    fuse_log_done(k->f, CORE_RULE_FUSE_KEEP, filter, k->stms[map], NULL);
    k->stms[k->at] = before_map(k->f, filter, k->stms[map]);
    k->stms[map] = NULL;
    fuse_fired(k->f, CORE_RULE_FUSE_KEEP);
    return true;
}

/* What the filter at work reads and can have itself. */
static bool make_condition(Keep *k)
{
    const CoreStm *alone = fuse_filter_alone(k->f, k->stms[k->at]);
    k->stms[k->at] = alone ? alone : k->stms[k->at];
    return alone != NULL;
}

/* Leaves out what it keeps for nobody; what it computes is left out by the simplifier. */
static void drop_unused(Keep *k)
{
    const CoreStm *filter = k->stms[k->at], *thin = with_used(k, filter);
    if (thin != filter) {
        k->stms[k->at] = thin;
        fuse_fired(k->f, CORE_RULE_UNUSED_RESULT);
    }
}

static const CoreBody *keep_body(void *context, const CoreBody *old);

static const CoreBody *inside(Fuse *f, const CoreBody *old)
{
    const CoreStm **stms = ARENA_ARRAY(f->arena, const CoreStm *, old->stm_count + 1);
    for (size_t i = 0; i < old->stm_count; i++) {
        stms[i] = core_map_stm(f->c, old->stms[i], keep_body, f);
    }
    return core_with_stms(f->c, old, old->stm_count, stms);
}

static const CoreBody *keep_body(void *context, const CoreBody *around)
{
    Fuse *f = context;
    const CoreBody *old = inside(f, around);
    Keep k = {.f = f, .body = old};
    bool any = false;
    for (size_t i = 0; i < old->stm_count; i++) {
        any = any || fuse_is_filter(old->stms[i]);
    }
    if (!any) {
        return old;
    }
    k.users = ARENA_ARRAY(f->arena, size_t, old->stm_count + 1);
    k.stms = ARENA_ARRAY(f->arena, const CoreStm *, old->stm_count + 1);
    note_all(&k);
    for (k.at = 0; k.at < old->stm_count; k.at++) {
        /* one at a time: names that have moved are known in the next round */
        if (k.stms[k.at] && fuse_is_filter(k.stms[k.at]) && !take_producer(&k) &&
            !take_consumer(&k) && !make_condition(&k)) {
            drop_unused(&k);
        }
    }
    size_t count = 0;
    for (size_t i = 0; i < old->stm_count; i++) {
        if (k.stms[i]) {
            k.stms[count++] = k.stms[i];
        }
    }
    return core_with_stms(f->c, old, count, k.stms);
}

const CoreFunction *fuse_keep(Fuse *f, const CoreFunction *function)
{
    if (!fuse_has_filter(function->body)) {
        return function;
    }
    return core_with_body(f->c, function, keep_body(f, function->body));
}
