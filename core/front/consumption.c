/* Which parameters of a loop or fold its body consumes ([PLDI] 3): these have to be unique, which
   the front form need not say.

       loop xs = copy ys for i < n do xs with [i] = 0        xs : *[n]i64

   What a name may share elements with is followed as the checker does (core/check/aliases.c), but
   in terms of the parameters alone. */
#include "core/front/elaborate.h"

typedef struct Consumption {
    Elaborator *e;
    size_t count, words;
    unsigned first; /* the least number of a name inside */
    size_t name_count;
    uint64_t **origins; /* by number: a set of parameters; NULL: none */
    bool *consumed;
} Consumption;

static uint64_t **origins_of(Consumption *u, const CoreName *name)
{
    if (!name || name->type.rank == 0 || name->number < u->first ||
        name->number - u->first >= u->name_count) {
        return NULL;
    }
    return &u->origins[name->number - u->first];
}

static void share(Consumption *u, const CoreName *name, CoreAtom with)
{
    uint64_t **to = origins_of(u, name), **from = origins_of(u, with.name);
    if (!to || !from || !*from) {
        return;
    }
    uint64_t *all = ARENA_ARRAY(u->e->c->arena, uint64_t, u->words);
    for (size_t i = 0; i < u->words; i++) {
        all[i] = (*from)[i] | (*to ? (*to)[i] : 0);
    }
    *to = all;
}

static void consume(Consumption *u, CoreAtom atom)
{
    uint64_t **origins = origins_of(u, atom.name);
    for (size_t i = 0; origins && *origins && i < u->count; i++) {
        u->consumed[i] = u->consumed[i] || ((*origins)[i / 64] >> (i % 64) & 1);
    }
}

static void walk_body(Consumption *u, const CoreBody *body);

static void walk_lambda(Consumption *u, const CoreLambda *lambda, size_t skipped,
                        const CoreAtom *inputs)
{
    for (size_t i = skipped; inputs && i < lambda->parameter_count; i++) {
        share(u, lambda->parameters[i], inputs[i - skipped]);
    }
    walk_body(u, lambda->body);
}

static void walk_soac(Consumption *u, const CoreSoac *soac)
{
    walk_lambda(u, soac->map, 0, soac->inputs);
    for (size_t i = 0; i < soac->reduction_count; i++) {
        walk_lambda(u, soac->reductions[i].function, 0, NULL);
    }
    for (size_t i = 0; i < soac->scan_count; i++) {
        walk_lambda(u, soac->scans[i].function, 0, NULL);
    }
}

static void walk_loop(Consumption *u, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    size_t count = exp->as.loop.parameter_count;
    for (size_t i = 0; i < count; i++) {
        const CoreName *parameter = exp->as.loop.parameters[i];
        if (parameter->type.unique) {
            consume(u, exp->as.loop.initial[i]);
        } else {
            share(u, parameter, exp->as.loop.initial[i]);
            share(u, stm->pattern[i], exp->as.loop.initial[i]);
        }
    }
    walk_body(u, exp->as.loop.body);
    for (size_t i = 0; i < count; i++) {
        if (!exp->as.loop.parameters[i]->type.unique) {
            share(u, stm->pattern[i], exp->as.loop.body->results[i]);
        }
    }
}

static void walk_apply(Consumption *u, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    const CoreFunction *callee = NULL;
    for (size_t i = 0; i < u->e->definition_count && !callee; i++) {
        const CoreFunction *function = u->e->definitions[i].function;
        callee = function && function->name == exp->as.apply.function ? function : NULL;
    }
    for (size_t i = 0; callee && i < exp->as.apply.count; i++) {
        if (callee->parameters[i]->type.unique) {
            consume(u, exp->as.apply.arguments[i]);
            continue;
        }
        for (size_t j = 0; j < stm->pattern_count; j++) {
            if (!callee->result_types[j].unique) {
                share(u, stm->pattern[j], exp->as.apply.arguments[i]);
            }
        }
    }
}

static void walk_stream(Consumption *u, const CoreExp *exp)
{
    size_t accumulators = exp->as.stream.accumulator_count;
    for (size_t i = 0; exp->kind == CORE_EXP_STREAM_SEQ && i < accumulators; i++) {
        if (exp->as.stream.fold->parameters[1 + i]->type.unique) {
            consume(u, exp->as.stream.neutral[i]);
        }
    }
    walk_lambda(u, exp->as.stream.fold, 1 + accumulators, exp->as.stream.inputs);
}

typedef struct Sharing {
    Consumption *u;
    const CoreName *name;
} Sharing;

static void share_operand(void *context, CoreAtom atom)
{
    Sharing *sharing = context;
    share(sharing->u, sharing->name, atom);
}

static void walk_stm(Consumption *u, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    Sharing sharing = {u, stm->pattern_count ? stm->pattern[0] : NULL};
    switch ((int)exp->kind) {
    case CORE_EXP_UPDATE: consume(u, exp->as.update.array); break;
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST:
        for (size_t i = 0; i < exp->as.scatter.count; i++) {
            consume(u, exp->as.scatter.destinations[i]);
        }
        break;
    case CORE_EXP_SOAC: walk_soac(u, &exp->as.soac); break;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: walk_stream(u, exp); break;
    case CORE_EXP_LOOP: walk_loop(u, stm); break;
    case CORE_EXP_APPLY: walk_apply(u, stm); break;
    case CORE_EXP_IF:
        walk_body(u, exp->as.conditional.then_body);
        walk_body(u, exp->as.conditional.else_body);
        for (size_t i = 0; i < stm->pattern_count; i++) {
            share(u, stm->pattern[i], exp->as.conditional.then_body->results[i]);
            share(u, stm->pattern[i], exp->as.conditional.else_body->results[i]);
        }
        break;
    case CORE_EXP_ATOM:
    case CORE_EXP_INDEX:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_SLICE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD: core_each_operand(exp, share_operand, &sharing); break;
    }
}

static void walk_body(Consumption *u, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        walk_stm(u, body->stms[i]);
    }
}

void front_consumed(Elaborator *e, const CoreBody *body, size_t count, CoreName *const *parameters,
                    bool *consumed)
{
    unsigned first = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        consumed[i] = false;
        if (parameters[i]->type.rank > 0 && parameters[i]->number < first) {
            first = parameters[i]->number;
        }
    }
    if (first == UINT32_MAX) {
        return; /* no arrays */
    }
    Consumption u = {.e = e, .count = count, .words = (count + 63) / 64, .first = first};
    u.name_count = e->c->last_number - first + 1;
    u.origins = ARENA_ARRAY(e->c->arena, uint64_t *, u.name_count);
    u.consumed = consumed;
    for (size_t i = 0; i < count; i++) {
        uint64_t **origins = origins_of(&u, parameters[i]);
        if (origins) {
            *origins = ARENA_ARRAY(e->c->arena, uint64_t, u.words);
            (*origins)[i / 64] |= (uint64_t)1 << (i % 64);
        }
    }
    walk_body(&u, body);
}
