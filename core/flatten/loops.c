/* Interchange: a map goes inside of a loop [PLDI G7].

       map n (\xs -> loop (a = xs) for i < k do map m f a) xss
   ==> loop (as = xss) for i < k do map n (\a -> map m f a) as

   Where each row says how often, or how long, the loop of all rows goes on as long as that of some row does, and rows that
   are done keep their state:

       map n (\xs -> loop (c = true, a = xs) while c do step c a) xss
   ==> loop (any, cs, as = xss) while any do
         let cs', as' = map n (\c a -> if c then step c a else (c, a)) cs as
         in (or cs', cs', as')

   The SOACs of the step come in front of that choice (guarded.c), or the nest stays as it was. A loop whose body is scalar
   work stays in its work-item: as a loop of the host it would go through memory again and again. One that moves long
   rows, by a rotation, say, does so in any case. */
#include "core/flatten/flatten.h"

/* ---- which --------------------------------------------------------------------------------- */

/* What comes next is a view, such as a rotation: long rows that are copied in each iteration. */
static bool copies_rows(const MapContext *m, const CoreBody *body)
{
    bool copies = false;
    for (size_t k = 0; k < body->result_count && !copies; k++) {
        CoreAtom next = body->results[k];
        CoreType type = core_atom_type(next);
        const CoreStm *stm = type.rank > 0 ? core_binder(body, next.name) : NULL;
        copies = stm && core_is_view(stm->exp->kind) && flatten_is_regular(m, type) &&
                 flatten_is_long(m, type.sizes[type.rank - 1]);
    }
    return copies;
}

/* In the body; `branches`: in those of an `if`, too. */
static bool has_parallelism(const MapContext *m, const CoreBody *body, bool branches)
{
    bool found = !branches && copies_rows(m, body);
    for (size_t i = 0; i < body->stm_count && !found; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        found = flatten_is_parallel(m, body->stms[i]) || flatten_is_order(m, body->stms[i]) ||
                (exp->kind == CORE_EXP_LOOP && has_parallelism(m, exp->as.loop.body, branches)) ||
                (branches && exp->kind == CORE_EXP_IF &&
                 (has_parallelism(m, exp->as.conditional.then_body, branches) ||
                  has_parallelism(m, exp->as.conditional.else_body, branches)));
    }
    return found;
}

/* All rows go through it equally often. */
static bool is_even(const MapContext *m, const CoreExp *loop)
{
    return loop->as.loop.index && flatten_is_invariant(m, loop->as.loop.bound);
}

bool flatten_is_loop(const MapContext *m, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind != CORE_EXP_LOOP || stm->certificate_count > 0 || stm->pattern_count == 0) {
        return false; /* one without states is only there because it may not end */
    }
    /* Others take SOACs out of their branches as they come out of the map. */
    bool even = is_even(m, exp);
    if ((m->outer && !even) || !has_parallelism(m, exp->as.loop.body, !even)) {
        return false;
    }
    for (size_t k = 0; k < exp->as.loop.parameter_count; k++) {
        CoreType type = exp->as.loop.parameters[k]->type;
        if (type.unique || type.prim == CORE_CERT || !flatten_is_regular(m, type) ||
            !flatten_is_regular(m, stm->pattern[k]->type)) {
            return false;
        }
    }
    return true;
}

/* [n]T of a row's type. */
static CoreType rows_type(const MapContext *m, CoreType row)
{
    row.unique = false;
    return core_array_of(m->f->c, m->soac->width, row);
}

static void expand_initial(MapContext *m, CoreBuilder *b, const CoreExp *loop)
{
    const CoreName **names =
        ARENA_ARRAY(m->f->c->arena, const CoreName *, loop->as.loop.parameter_count + 2);
    size_t count = 0, number;
    if (loop->as.loop.index &&
        flatten_binding(m, loop->as.loop.bound, &number) == BOUND_STATEMENT) {
        names[count++] = loop->as.loop.bound.name;
    }
    for (size_t k = 0; k < loop->as.loop.parameter_count; k++) {
        if (flatten_binding(m, loop->as.loop.initial[k], &number) == BOUND_STATEMENT) {
            names[count++] = loop->as.loop.initial[k].name;
        }
    }
    flatten_expand(m, b, count, names);
}

typedef struct FreeNames {
    Compilation *c;
    VEC(const CoreName *) names;
} FreeNames;

static void note_free(void *context, CoreName *name)
{
    FreeNames *free_names = context;
    vec_push(free_names->c->arena, &free_names->names, name);
}

/* Whether the row is to go on. */
static CoreAtom is_going(CoreBuilder *b, const CoreExp *loop, Renaming *renaming)
{
    if (!loop->as.loop.index) {
        return core_renamed(renaming, core_use(loop->as.loop.condition));
    }
    return core_let_binary(b, "going", CORE_LT,
                           core_renamed(renaming, core_use(loop->as.loop.index)),
                           core_renamed(renaming, loop->as.loop.bound));
}

/* if going then { the step } else { what the state is }: rows that are done wait for the others. */
static void step_if_going(CoreBuilder *b, const CoreExp *loop, Renaming *renaming,
                          const CoreBody *step, CoreAtom *results)
{
    Compilation *c = b->c;
    size_t count = loop->as.loop.parameter_count;
    CoreBuilder none = core_builder(c, b->span);
    CoreAtom *states = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreName **next = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    for (size_t k = 0; k < count; k++) {
        const CoreName *parameter = loop->as.loop.parameters[k];
        states[k] = core_renamed(renaming, core_use(loop->as.loop.parameters[k]));
        next[k] = core_name(c, parameter->text, core_atom_type(states[k]), b->span);
        results[k] = core_use(next[k]);
    }
    CoreAtom going = is_going(b, loop, renaming);
    core_bind(b, count, next, core_exp_if(c, going, step, core_body(&none, count, states)));
}

/* The map of such steps with their SOACs in front of the choice; the nest stays where that cannot be. */
static const CoreStm *some_rows_go_on(Flatten *f, const CoreStm *map)
{
    Flatten inner = flatten_nest(f);
    inner.counts = f->counts;
    inner.some_row = true;
    const CoreStm *flat = flatten_branches(&inner, map);
    f->refused = f->refused || flat == map;
    f->lifted = true;
    return flat;
}

/* map n (\(state, ..) -> body) (states, ..), into the loop's new body; its results are the next
   states. */
static void map_of_body(MapContext *m, CoreBuilder *b, const CoreStm *stm, CoreName *const *states,
                        CoreName *index, CoreAtom *next)
{
    Compilation *c = m->f->c;
    const CoreExp *loop = stm->exp;
    const CoreBody *body = loop->as.loop.body;
    size_t count = loop->as.loop.parameter_count, number = 0;
    flatten_binding(m, core_use(stm->pattern[0]), &number);
    size_t part = m->parts[number];
    FreeNames free_names = {.c = c};
    core_each_free(stm, note_free, &free_names);
    bool *taken = ARENA_ARRAY(c->arena, bool, m->count + 1);
    memset(taken, 0, (m->count + 1) * sizeof *taken);
    flatten_take(m, part, taken, free_names.names.count, free_names.names.items);
    Inputs inputs = flatten_inputs(m, part, taken, 1, &stm, 0, NULL);
    for (size_t k = 0; k < count; k++) {
        CoreName *parameter = core_name(c, loop->as.loop.parameters[k]->text,
                                        loop->as.loop.parameters[k]->type, stm->span);
        core_rename(inputs.renaming, loop->as.loop.parameters[k], core_use(parameter));
        vec_push(c->arena, &inputs.arrays, core_use(states[k]));
        vec_push(c->arena, &inputs.parameters, parameter);
    }
    if (index) {
        core_rename(inputs.renaming, loop->as.loop.index, core_use(index));
    }
    CoreBuilder inner = core_builder(c, stm->span), step = inner;
    for (size_t i = 0; i < m->count; i++) {
        if (taken[i] && m->parts[i] == 0) {
            core_add(&inner,
                     core_rename_stm(inputs.renaming, flatten_in_part(m, part, m->stms[i])));
        }
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        core_add(&step, core_rename_stm(inputs.renaming, flatten_in_part(m, part, body->stms[i])));
    }
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    for (size_t k = 0; k < count; k++) {
        results[k] = core_renamed(inputs.renaming, body->results[k]);
        pattern[k] = core_name(c, states[k]->text, states[k]->type, stm->span);
        next[k] = core_use(pattern[k]);
    }
    const CoreBody *once = core_body(&step, count, results);
    bool even = is_even(m, loop);
    if (even) {
        core_add_all(&inner, once);
    } else {
        step_if_going(&inner, loop, inputs.renaming, once, results);
    }
    const CoreLambda *lambda = core_lambda(c, inputs.parameters.count, inputs.parameters.items,
                                           core_body(&inner, count, results));
    CoreBuilder alone = core_builder(c, stm->span);
    core_bind(&alone, count, pattern,
              core_exp_map(c, m->soac->width, inputs.arrays.count, inputs.arrays.items, lambda));
    const CoreStm *map = alone.stms.items[0];
    if (!even) {
        map = some_rows_go_on(m->f, map);
    }
    if (!flatten_map(m->f, m->outer, map, b)) {
        m->f->refused = m->f->refused || !even;
        core_add(b, map);
    }
}

/* States of a loop that all rows go through: parameters, what they begin with, what comes next, and results. */
typedef struct States {
    size_t count;
    CoreName **all;
    const CoreAtom *initial, *next;
    CoreName **pattern;
} States;

/* Whether any row is to go on, or how often the one that goes on longest does. */
static CoreAtom of_all(CoreBuilder *b, const char *text, CoreOperator op, CoreAtom none,
                       CoreAtom width, CoreAtom rows)
{
    CoreType type = core_atom_type(none);
    return core_let(b, text, type,
                    core_exp_reduce(b->c, width, 1, &rows,
                                    core_operator_lambda(b->c, op, type.prim, b->span), &none,
                                    true));
}

static CoreAtom any_of(CoreBuilder *b, CoreAtom width, CoreAtom rows)
{
    return of_all(b, "any", CORE_OR, core_bool(false), width, rows);
}

static CoreAtom most_often(MapContext *m, CoreBuilder *b, const CoreExp *loop)
{
    CoreAtom bound = loop->as.loop.bound;
    return is_even(m, loop) ? bound
                            : of_all(b, "most", CORE_MAX, core_i64(0), m->soac->width,
                                     flatten_all_rows(m, b, "bounds", bound));
}

/* loop (any, zs) while any do { the step of all rows; any of them go on } */
static void loop_while(MapContext *m, CoreBuilder *b, const CoreStm *stm, CoreBuilder *inner,
                       States s)
{
    Compilation *c = m->f->c;
    const CoreExp *loop = stm->exp;
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, s.count + 1);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, s.count + 1);
    CoreAtom *initial = ARENA_ARRAY(c->arena, CoreAtom, s.count + 1);
    CoreAtom *next = ARENA_ARRAY(c->arena, CoreAtom, s.count + 1);
    size_t going = 0;
    while (loop->as.loop.parameters[going] != loop->as.loop.condition) {
        going++;
    }
    parameters[0] = core_name(c, "any", core_scalar(CORE_BOOL), stm->span);
    pattern[0] = core_name(c, "any", core_scalar(CORE_BOOL), stm->span);
    initial[0] = any_of(b, m->soac->width, s.initial[going]);
    next[0] = any_of(inner, m->soac->width, s.next[going]);
    for (size_t k = 0; k < s.count; k++) {
        parameters[k + 1] = s.all[k];
        pattern[k + 1] = s.pattern[k];
        initial[k + 1] = s.initial[k];
        next[k + 1] = s.next[k];
    }
    core_bind(b, s.count + 1, pattern,
              core_exp_while(c, s.count + 1, parameters, initial, parameters[0],
                             core_body(inner, s.count + 1, next)));
}

/* [PLDI G7]  S, M x xs |- loop (z = z0) for i < k do f i x z
         ==>  S |- loop (zs = z0s) for i < k do map (\x z -> f i x z) xs zs
   where k is invariant to S, and f has parallelism that is worth it; z0s are all rows of z0: an
   array that is there, or replicate n z0. What the map makes is new: it is a copy of that array which
   the loop begins with, where the result is written in place later. */
void flatten_loop(MapContext *m, CoreBuilder *b, size_t i)
{
    Compilation *c = m->f->c;
    const CoreStm *stm = m->stms[i];
    const CoreExp *loop = stm->exp;
    size_t count = loop->as.loop.parameter_count;
    CoreName **states = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    CoreAtom *initial = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreAtom *next = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    expand_initial(m, b, loop);
    for (size_t k = 0; k < count; k++) {
        const CoreName *old = loop->as.loop.parameters[k];
        initial[k] = flatten_all_rows(m, b, "initial", loop->as.loop.initial[k]);
        states[k] = core_name(c, old->text, rows_type(m, old->type), stm->span);
        pattern[k] = flatten_rows_name(m, stm->pattern[k]);
        if (simplify_consumed(m->f->s, core_use(pattern[k]))) {
            initial[k] = core_let_copy(b, "own", initial[k]);
        }
    }
    CoreBuilder inner = core_builder(c, stm->span);
    if (loop->as.loop.index) {
        CoreName *index =
            core_name(c, loop->as.loop.index->text, loop->as.loop.index->type, stm->span);
        CoreAtom bound = most_often(m, b, loop);
        map_of_body(m, &inner, stm, states, index, next);
        core_bind(
            b, count, pattern,
            core_exp_for(c, count, states, initial, index, bound, core_body(&inner, count, next)));
    } else {
        map_of_body(m, &inner, stm, states, NULL, next);
        loop_while(m, b, stm, &inner, (States){count, states, initial, next, pattern});
    }
    for (size_t k = 0; k < count; k++) {
        core_rename(m->expanded, stm->pattern[k], core_use(pattern[k]));
    }
    m->f->interchanged = true;
    m->f->counts[CORE_RULE_FLATTEN_LOOP]++;
}
