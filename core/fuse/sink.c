/* [PLDI 5.1, the reverse of G7] A loop that goes over whole arrays again and again, where no
   element needs another one's state, is a map with a loop in each element:

       loop (a = a0) for s < k do {                 map n (\(x0, y) ->
         let a' = map n (\(x, y) -> F) (a, b)          loop (x = x0) for s < k do F)
         in (a') }                             ==>     (a0, b)

   One pass over memory instead of k, and one kernel instead of k. It applies level by level: when F
   is a map over the rows x, the loop around it sinks again. Scalars that F reads and that the
   iteration computes (from s, say) go inside with it.

   Each state array must be what the map makes from its own rows alone, in the same position; other
   arrays may be read in any way, as long as they are not state. What may fail stays: the order of
   errors is the iterations'. */
#include "core/fuse/fuse.h"

typedef struct Sink {
    Fuse *f;
    const CoreStm *stm; /* the loop */
    const CoreStm *map; /* the one SOAC of its body */
    const size_t *rows; /* for each state: the map's input that it is */
    bool good;
} Sink;

static size_t state_number(const CoreExp *loop, const CoreName *name)
{
    size_t i = 0;
    while (i < loop->as.loop.parameter_count && loop->as.loop.parameters[i] != name) {
        i++;
    }
    return i;
}

static bool is_state(const CoreExp *loop, CoreAtom atom)
{
    return atom.name && state_number(loop, atom.name) < loop->as.loop.parameter_count;
}

static void refuse_state(void *context, CoreName *name)
{
    Sink *sink = context;
    sink->good = sink->good && !is_state(sink->stm->exp, core_use(name));
}

/* The map, without the inputs that are state: what is left must not mention state. */
static const CoreStm *without_state(const Sink *sink)
{
    CoreStm *stm = arena_copy(sink->f->c->arena, sink->map, sizeof *stm);
    CoreExp *exp = core_exp_copy(sink->f->c, stm->exp);
    const CoreSoac *soac = &sink->map->exp->as.soac;
    CoreAtom *inputs = ARENA_ARRAY(sink->f->c->arena, CoreAtom, soac->input_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < soac->input_count; i++) {
        if (!is_state(sink->stm->exp, soac->inputs[i])) {
            inputs[count++] = soac->inputs[i];
        }
    }
    exp->as.soac.inputs = inputs;
    exp->as.soac.input_count = count;
    stm->exp = exp;
    return stm;
}

/* The loop's body is one map, which makes each state from its rows, and scalars. */
static bool find_map(Sink *sink)
{
    const CoreExp *loop = sink->stm->exp;
    const CoreBody *body = loop->as.loop.body;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (fuse_is_map(stm) && !sink->map) {
            sink->map = stm;
        } else if (stm->pattern_count != 1 || stm->pattern[0]->type.rank > 0 ||
                   stm->certificate_count > 0 ||
                   (stm->exp->kind != CORE_EXP_UNARY && stm->exp->kind != CORE_EXP_BINARY &&
                    stm->exp->kind != CORE_EXP_CONVERT)) {
            return false;
        } else {
            core_each_free(stm, refuse_state, sink);
        }
    }
    return sink->map && sink->good && !core_may_fail(sink->map) &&
           sink->map->certificate_count == 0 &&
           sink->map->pattern_count == loop->as.loop.parameter_count;
}

/* State k is input rows[k] of the map, once, and result k of the body is one of its results. */
static bool matches_rows(Sink *sink)
{
    const CoreExp *loop = sink->stm->exp;
    const CoreSoac *soac = &sink->map->exp->as.soac;
    size_t count = loop->as.loop.parameter_count;
    size_t *rows = ARENA_ARRAY(sink->f->c->arena, size_t, count + 1);
    memset(rows, 0xff, sizeof *rows * (count + 1));
    for (size_t i = 0; i < soac->input_count; i++) {
        if (is_state(loop, soac->inputs[i])) {
            size_t state = state_number(loop, soac->inputs[i].name);
            if (rows[state] != SIZE_MAX) {
                return false;
            }
            rows[state] = i;
        }
    }
    for (size_t k = 0; k < count; k++) {
        const CoreName *state = loop->as.loop.parameters[k];
        CoreAtom result = loop->as.loop.body->results[k];
        bool made = false;
        for (size_t i = 0; i < count; i++) {
            made = made || sink->map->pattern[i] == result.name;
        }
        bool written = state->type.unique &&
                       state->type.rank > 1; /* a row in place; no map does so to scalars */
        if (!made || state->type.rank == 0 || written ||
            !core_atom_equal(state->type.sizes[0], soac->width)) {
            return false;
        }
    }
    sink->rows = rows;
    core_each_free(without_state(sink), refuse_state, sink);
    return sink->good;
}

static bool is_constant_extent(CoreAtom bound)
{
    return bound.name == NULL;
}

/* The loop of one row: state is the rows, the map's function its body. */
static const CoreLambda *loop_of_rows(const Sink *sink, CoreAtom *inputs, size_t *input_count)
{
    Compilation *c = sink->f->c;
    const CoreExp *loop = sink->stm->exp;
    const CoreSoac *soac = &sink->map->exp->as.soac;
    size_t states = loop->as.loop.parameter_count, count = 0;
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, soac->input_count + states + 1);
    CoreName **state = ARENA_ARRAY(c->arena, CoreName *, states + 1);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, states + 1);
    CoreAtom *initial = ARENA_ARRAY(c->arena, CoreAtom, states + 1);
    CoreAtom *next = ARENA_ARRAY(c->arena, CoreAtom, states + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, states + 1);
    for (size_t k = 0; k < states; k++) {
        const CoreName *old = loop->as.loop.parameters[k];
        CoreType row = core_row(old->type);
        state[k] = sink->rows[k] == SIZE_MAX ? core_name(c, old->text, row, old->span)
                                             : soac->map->parameters[sink->rows[k]];
        pattern[k] = core_name(c, old->text, row, old->span);
        results[k] = core_use(pattern[k]);
        parameters[count] = core_name(c, old->text, row, old->span);
        initial[k] = core_use(parameters[count]);
        inputs[count++] = loop->as.loop.initial[k];
        for (size_t i = 0; i < states; i++) {
            if (sink->map->pattern[i] == loop->as.loop.body->results[k].name) {
                next[k] = soac->map->body->results[i];
            }
        }
    }
    for (size_t i = 0; i < soac->input_count; i++) {
        if (!is_state(loop, soac->inputs[i])) {
            inputs[count] = soac->inputs[i];
            parameters[count++] = soac->map->parameters[i];
        }
    }
    CoreBuilder inner = core_builder(c, sink->stm->span);
    for (size_t i = 0; i < loop->as.loop.body->stm_count; i++) {
        if (loop->as.loop.body->stms[i] != sink->map) {
            core_add(&inner, loop->as.loop.body->stms[i]);
        }
    }
    for (size_t i = 0; i < soac->map->body->stm_count; i++) {
        core_add(&inner, soac->map->body->stms[i]);
    }
    CoreBuilder outer = core_builder(c, sink->stm->span);
    core_bind(&outer, states, pattern,
              core_exp_for(c, states, state, initial, loop->as.loop.index, loop->as.loop.bound,
                           core_body(&inner, states, next)));
    *input_count = count;
    return core_lambda(c, count, parameters, core_body(&outer, states, results));
}

static const CoreStm *sink_loop(Fuse *f, const CoreStm *stm)
{
    Sink sink = {.f = f, .stm = stm, .good = true};
    if (!stm->exp->as.loop.index || stm->exp->as.loop.parameter_count == 0 ||
        (is_constant_extent(stm->exp->as.loop.bound) && stm->exp->as.loop.bound.as.integer < 1) ||
        !find_map(&sink) || !matches_rows(&sink)) {
        return stm;
    }
    const CoreSoac *soac = &sink.map->exp->as.soac;
    size_t count = 0;
    CoreAtom *inputs = ARENA_ARRAY(f->c->arena, CoreAtom,
                                   soac->input_count + stm->exp->as.loop.parameter_count + 1);
    const CoreLambda *lambda = loop_of_rows(&sink, inputs, &count);
    CoreStm *sunk = arena_copy(f->c->arena, stm, sizeof *stm);
    sunk->exp = core_exp_map(f->c, soac->width, count, inputs, lambda);
    fuse_log_done(f, CORE_RULE_FUSE_SINK, sink.map, sunk, NULL);
    fuse_fired(f, CORE_RULE_FUSE_SINK);
    return sunk;
}

static const CoreBody *sink_body(void *context, const CoreBody *old)
{
    Fuse *f = context;
    const CoreStm **stms = ARENA_ARRAY(f->arena, const CoreStm *, old->stm_count + 1);
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = core_map_stm(f->c, old->stms[i], sink_body, f);
        stms[i] = stm->exp->kind == CORE_EXP_LOOP ? sink_loop(f, stm) : stm;
    }
    return core_with_stms(f->c, old, old->stm_count, stms);
}

const CoreFunction *fuse_sink(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, sink_body(f, function->body));
}
