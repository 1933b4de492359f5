/* Counts that a loop keeps as reals, kept as integers:

       let s = loop (x = a, c = 0.0) for i < n do {     let s = loop (x = a, k = 0) for i < n do {
         let b = 4.0 > x                                  let b = 4.0 > x
         let t = convert f64 b                  ==>       let t = convert i64 b
         let c' = c + t                                   let k' = k + t
         in (x', c') }                                    in (x', k') }
                                                        let c = convert f64 k

   Nothing else in the loop may read the count. It is exact: the count begins whole, below 2^52,
   each iteration adds 0 or 1, and no loop runs 2^52 times, so f64 has each value. Reals and
   integers are different units of a device, and it is the reals that loops wait for. */
#include "core/simplify/simplify.h"

#include <math.h>

enum { MOST_PARAMETERS = 64 };

/* What counts, of one of a loop's parameters. */
typedef struct WholeCount {
    const CoreStm *add;     /* c' = c + t; NULL: it is no count */
    const CoreStm *convert; /* t = convert f64 b */
} WholeCount;

typedef struct Walk {
    Compilation *c;
    size_t *counts;
    /* of the loop at work: */
    const CoreExp *loop;
    WholeCount found[MOST_PARAMETERS];
    const CoreStm *stm; /* whose names are visited */
} Walk;

static bool is_whole(CoreAtom atom)
{
    return !atom.name && atom.as.real == trunc(atom.as.real) && !signbit(atom.as.real) &&
           atom.as.real < 0x1p52;
}

static const CoreStm *definition(const CoreBody *body, CoreAtom atom)
{
    for (size_t i = body->stm_count; atom.name && i-- > 0;) {
        const CoreStm *stm = body->stms[i];
        if (stm->pattern_count == 1 && stm->pattern[0] == atom.name) {
            return stm->certificate_count == 0 ? stm : NULL;
        }
    }
    return NULL;
}

static WholeCount count_of(const CoreExp *loop, size_t k)
{
    WholeCount none = {NULL, NULL}, found = none;
    const CoreName *parameter = loop->as.loop.parameters[k];
    const CoreBody *body = loop->as.loop.body;
    if (parameter->type.rank > 0 || parameter->type.prim != CORE_F64 ||
        !is_whole(loop->as.loop.initial[k])) {
        return none;
    }
    found.add = definition(body, body->results[k]);
    if (!found.add || found.add->exp->kind != CORE_EXP_BINARY ||
        found.add->exp->as.scalar.op != CORE_ADD) {
        return none;
    }
    CoreAtom x = found.add->exp->as.scalar.x, y = found.add->exp->as.scalar.y;
    if (x.name != parameter && y.name != parameter) {
        return none;
    }
    found.convert = definition(body, x.name == parameter ? y : x);
    return found.convert && found.convert->exp->kind == CORE_EXP_CONVERT &&
                   core_atom_type(found.convert->exp->as.convert.x).prim == CORE_BOOL
               ? found
               : none;
}

/* A count, or its next value, that something else reads is none. */
static void visit(void *context, CoreName *name)
{
    Walk *walk = context;
    for (size_t k = 0; k < walk->loop->as.loop.parameter_count; k++) {
        WholeCount *count = &walk->found[k];
        if (count->add && walk->stm != count->add &&
            (name == walk->loop->as.loop.parameters[k] || name == count->add->pattern[0])) {
            count->add = NULL;
        }
    }
}

/* Whether there are any. */
static bool find_counts(Walk *walk, const CoreExp *loop)
{
    const CoreBody *body = loop->as.loop.body;
    size_t parameters = loop->as.loop.parameter_count;
    bool any = false;
    if (parameters > MOST_PARAMETERS) {
        return false;
    }
    walk->loop = loop;
    for (size_t k = 0; k < parameters; k++) {
        walk->found[k] = count_of(loop, k);
        any = any || walk->found[k].add;
    }
    for (size_t i = 0; any && i < body->stm_count; i++) {
        walk->stm = body->stms[i];
        core_each_free(body->stms[i], visit, walk);
    }
    bool left = false;
    for (size_t k = 0; any && k < parameters; k++) {
        for (size_t other = 0; other < parameters; other++) {
            if (other != k && walk->found[k].add &&
                (body->results[other].name == walk->found[k].add->pattern[0] ||
                 body->results[other].name == loop->as.loop.parameters[k])) {
                walk->found[k].add = NULL;
            }
        }
        left = left || walk->found[k].add;
    }
    return left;
}

static CoreName *whole_name(Walk *walk, const CoreName *old)
{
    return core_name(walk->c, old->text, core_scalar(CORE_I64), old->span);
}

/* The body, with k' = k + convert i64 b where c' = c + convert f64 b was. */
static const CoreBody *whole_body(Walk *walk, CoreName *const *parameters)
{
    const CoreBody *old = walk->loop->as.loop.body;
    CoreBuilder b = core_builder(walk->c, (Span){0});
    CoreAtom *results = ARENA_ARRAY(walk->c->arena, CoreAtom, old->result_count);
    memcpy(results, old->results, old->result_count * sizeof *results);
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        size_t k = 0;
        while (k < old->result_count && walk->found[k].add != stm) {
            k++;
        }
        if (k == old->result_count) {
            core_add(&b, stm);
            continue;
        }
        b.span = stm->span;
        CoreAtom bit = core_let_convert(&b, walk->found[k].convert->pattern[0]->text, CORE_I64,
                                        walk->found[k].convert->exp->as.convert.x);
        results[k] =
            core_let_binary(&b, stm->pattern[0]->text, CORE_ADD, core_use(parameters[k]), bit);
    }
    return core_body(&b, old->result_count, results);
}

static void count_whole(Walk *walk, CoreBuilder *b, const CoreStm *stm)
{
    size_t count = stm->pattern_count;
    CoreStm *counting = arena_copy(walk->c->arena, stm, sizeof *stm);
    CoreExp *loop = arena_copy(walk->c->arena, stm->exp, sizeof *loop);
    CoreName **parameters = ARENA_ARRAY(walk->c->arena, CoreName *, count),
             **pattern = ARENA_ARRAY(walk->c->arena, CoreName *, count);
    CoreAtom *initial = ARENA_ARRAY(walk->c->arena, CoreAtom, count);
    for (size_t k = 0; k < count; k++) {
        bool whole = walk->found[k].add != NULL;
        CoreAtom first = stm->exp->as.loop.initial[k];
        parameters[k] = whole ? whole_name(walk, stm->exp->as.loop.parameters[k])
                              : stm->exp->as.loop.parameters[k];
        pattern[k] = whole ? whole_name(walk, stm->pattern[k]) : stm->pattern[k];
        initial[k] = whole ? core_i64((int64_t)first.as.real) : first;
    }
    loop->as.loop.parameters = parameters;
    loop->as.loop.initial = initial;
    loop->as.loop.body = whole_body(walk, parameters);
    counting->pattern = pattern;
    counting->exp = loop;
    core_add(b, counting);
    for (size_t k = 0; k < count; k++) {
        if (walk->found[k].add) {
            CoreExp *convert = ARENA_NEW(walk->c->arena, CoreExp);
            convert->kind = CORE_EXP_CONVERT;
            convert->as.convert.to = CORE_F64;
            convert->as.convert.x = core_use(pattern[k]);
            b->span = stm->span;
            core_bind(b, 1, &stm->pattern[k], convert);
            walk->counts[CORE_RULE_WHOLE_COUNT]++;
        }
    }
}

static const CoreBody *walk_body(void *context, const CoreBody *body)
{
    Walk *walk = context;
    CoreBuilder b = core_builder(walk->c, (Span){0});
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (core_has_bodies(stm->exp->kind)) {
            stm = core_map_stm(walk->c, stm, walk_body, walk);
        }
        if (stm->exp->kind == CORE_EXP_LOOP && find_counts(walk, stm->exp)) {
            count_whole(walk, &b, stm);
        } else {
            core_add(&b, stm);
        }
    }
    return core_with_stms(walk->c, body, b.stms.count, b.stms.items);
}

const CoreProgram *core_whole_counts(Compilation *c, const CoreProgram *program, size_t *counts)
{
    Walk walk = {.c = c, .counts = counts};
    return core_map_functions(c, program, walk_body, &walk);
}
