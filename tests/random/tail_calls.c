/* Random TAIL: functions that lets bind, and their calls.

   A function's body sees its parameters only. It is made for the extents that the parameters have
   in scope where it is made, and is called with values of the same extents and types. */
#include "tests/random/tail_random.h"

enum { MOST_PARAMETERS = 2 };

static bool fits(const TailValue *v, const TailFunction *f, size_t i)
{
    const TailValue *parameter = &f->parameters[i];
    bool same = tail_subtype(v->variable->type, parameter->variable->type);
    for (int axis = 0; axis < parameter->rank && same; axis++) {
        same =
            parameter->extent[axis] == TAIL_UNKNOWN || v->extent[axis] == parameter->extent[axis];
    }
    return same;
}

/* Some value that fits; false where there is none in scope. */
static bool pick_argument(TailGenerator *g, const TailFunction *f, size_t i, TailValue *found)
{
    size_t candidates = 0;
    for (size_t k = 0; k < g->count; k++) {
        if (fits(&g->scope[k], f, i) && (candidates == 0 || tail_chance(g, 3))) {
            *found = g->scope[k];
            candidates++;
        }
    }
    return candidates > 0;
}

static void call(TailGenerator *g, Block *block, const TailFunction *f)
{
    Exp arguments[MOST_PARAMETERS];
    for (size_t i = 0; i < f->count; i++) {
        TailValue v;
        if (!pick_argument(g, f, i, &v)) {
            return;
        }
        arguments[i] = tail_use_of(g, v.variable);
    }
    Exp result = tail_apply(g->c, f->variable, f->count, arguments, (Span){0});
    tail_keep(g, block, result, f->result.rank, f->result.extent);
}

void tail_make_call(TailGenerator *g, Block *block)
{
    size_t count = g->functions.count;
    if (count > 0) {
        const TailFunction *f = &g->functions.items[tail_below(g, (int64_t)count)];
        if (f->pure || !g->pure) {
            call(g, block, f);
        }
    }
}

void tail_make_function(TailGenerator *g, Block *block)
{
    TailFunction f = {.count = 1 + (size_t)tail_below(g, MOST_PARAMETERS),
                      .pure = g->pure || tail_chance(g, 2)};
    size_t outside = g->count, functions = g->functions.count;
    TailValue *scope = arena_copy(g->c->arena, g->scope, outside * sizeof *scope);
    bool pure = g->pure;
    TailVariable *parameters[MOST_PARAMETERS];
    Block body = {0};
    if (outside == 0) {
        return;
    }
    g->count = 0;
    for (size_t i = 0; i < f.count; i++) {
        const TailValue *like = &scope[tail_below(g, (int64_t)outside)];
        const TailType *type = like->variable->type;
        if (tail_chance(g, 2)) {
            type = tail_array_type(g->c, like->base, like->rank);
        }
        parameters[i] = tail_fresh(g, type);
        tail_keep_parameter(g, parameters[i], like->extent);
        f.parameters[i] = g->scope[g->count - 1];
    }
    g->pure = f.pure;
    g->depth++;
    tail_some_statements(g, &body);
    tail_some_statements(g, &body);
    f.result = g->scope[g->count - 1];
    Exp result = tail_finish(g, &body, tail_use_of(g, f.result.variable));
    g->depth--;
    g->pure = pure;
    g->functions.count = functions;
    memcpy(g->scope, scope, outside * sizeof *scope);
    g->count = outside;
    Exp lambda = tail_lambda(g->c, f.count, parameters, result, (Span){0});
    f.variable = tail_fresh(g, lambda->type);
    vec_push(g->c->arena, &block->lets, ((Let){f.variable, lambda}));
    vec_push(g->c->arena, &g->functions, f);
    for (int64_t calls = 1 + tail_below(g, 3); calls > 0; calls--) {
        call(g, block, &f);
    }
}
