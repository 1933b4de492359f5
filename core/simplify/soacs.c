/* [L0 5.3, 9.1] Inputs and results of SOACs.

       map n (replicate [n] v, xs) (\(a, x) -> S)    ==>  map n (xs) (\(x) -> S[v/a])
       map n (xs, xs) (\(x, y) -> S)                 ==>  map n (xs) (\(x) -> S[x/y])
       map n (xs) (\x -> ... in (c, r))              ==>  replicate [n] c for the first, c invariant
       map n (xs) (\x -> ... in (x, r))              ==>  xs for the first
       reduce 0 (xs) f ne                            ==>  ne

   At least one input stays, if unused, so that every SOAC has rows to run over. */
#include "core/simplify/simplify.h"

/* ---- inputs, before the function is rebuilt
 * ---------------------------------------------------------- */

typedef struct Inputs {
    size_t count;
    CoreAtom *inputs;
    CoreName **parameters;
    StmVec head; /* of the function's body */
} Inputs;

static const CoreStm *row_statement(Simplify *s, CoreName *parameter, const CoreExp *replicate,
                                    Span span)
{
    CoreExp *exp = simplify_exp(s->c, replicate);
    CoreStm *stm = ARENA_NEW(s->c->arena, CoreStm);
    CoreName **pattern = ARENA_ARRAY(s->c->arena, CoreName *, 1);
    pattern[0] = parameter;
    exp->as.replicate.count--;
    exp->as.replicate.sizes++;
    *stm = (CoreStm){.pattern_count = 1, .pattern = pattern, .exp = exp, .span = span};
    return stm;
}

/* A row of replicate [n, ...] v is v, or replicate [...] v. */
static bool replicated(Simplify *s, const Work *work, CoreAtom input, CoreName *parameter,
                       Inputs *kept)
{
    const CoreStm *stm = simplify_definition(s, input, false);
    if (!stm || stm->exp->kind != CORE_EXP_REPLICATE || parameter->type.unique ||
        simplify_consumed(s, input)) {
        return false;
    }
    if (stm->exp->as.replicate.count > 1) {
        vec_push(s->c->arena, &kept->head, row_statement(s, parameter, stm->exp, work->span));
        return true;
    }
    CoreAtom value = stm->exp->as.replicate.value;
    CoreType type = simplify_map_type(s->c, parameter->type, simplify_now, s);
    if (!simplify_same_type(type, core_atom_type(value))) {
        return false;
    }
    simplify_replace(s, parameter, value);
    return true;
}

static bool repeated(Simplify *s, CoreAtom input, CoreName *parameter, const Inputs *kept)
{
    enum { MOST = 64 }; /* compared with: SOACs with more inputs are rare, and all pairs are many */
    for (size_t i = 0; i < kept->count && i < MOST; i++) {
        if (core_atom_equal(input, kept->inputs[i]) && !simplify_consumed(s, input) &&
            simplify_same_type(parameter->type, kept->parameters[i]->type)) {
            simplify_replace(s, parameter, core_use(kept->parameters[i]));
            return true;
        }
    }
    return false;
}

void simplify_soac_inputs(Simplify *s, Work *work)
{
    if (work->exp->kind != CORE_EXP_SOAC) {
        return;
    }
    const CoreSoac *old = &work->exp->as.soac;
    Inputs kept = {.inputs = ARENA_ARRAY(s->c->arena, CoreAtom, old->input_count),
                   .parameters = ARENA_ARRAY(s->c->arena, CoreName *, old->input_count)};
    bool changed = false;
    for (size_t i = 0; i < old->input_count; i++) {
        CoreName *parameter = old->map->parameters[i];
        bool last = kept.count == 0 && i + 1 == old->input_count;
        bool used = simplify_fact(s, parameter)->used;
        if ((used || !last) && replicated(s, work, old->inputs[i], parameter, &kept)) {
            simplify_fired(s, CORE_RULE_REPLICATE_MAP);
            changed = true;
            if (!last) {
                continue;
            }
            parameter = core_name(s->c, parameter->text, parameter->type, parameter->span);
        } else if (repeated(s, old->inputs[i], parameter, &kept)) {
            simplify_fired(s, CORE_RULE_UNUSED_INPUT);
            changed = true;
            continue;
        }
        kept.inputs[kept.count] = old->inputs[i];
        kept.parameters[kept.count++] = parameter;
    }
    if (!changed) {
        return;
    }
    CoreExp *exp = simplify_exp(s->c, work->exp);
    CoreLambda *map = arena_copy(s->c->arena, old->map, sizeof *map);
    CoreBody *body = arena_copy(s->c->arena, old->map->body, sizeof *body);
    for (size_t i = 0; i < old->map->body->stm_count && kept.head.count > 0; i++) {
        vec_push(s->c->arena, &kept.head, old->map->body->stms[i]);
    }
    if (kept.head.count > 0) {
        body->stms = kept.head.items;
        body->stm_count = kept.head.count;
    }
    map->body = body;
    map->parameters = kept.parameters;
    map->parameter_count = kept.count;
    exp->as.soac.map = map;
    exp->as.soac.inputs = kept.inputs;
    exp->as.soac.input_count = kept.count;
    work->exp = exp;
}

/* ---- results, after it is rebuilt
 * ---------------------------------------------------------------------- */

static size_t operands(const CoreSoac *soac)
{
    size_t count = 0;
    for (size_t i = 0; i < soac->reduction_count; i++) {
        count += soac->reductions[i].function->body->result_count;
    }
    for (size_t i = 0; i < soac->scan_count; i++) {
        count += soac->scans[i].function->body->result_count;
    }
    return count;
}

static CoreAtom replicate(Simplify *s, const Work *work, CoreAtom width, CoreAtom value,
                          const CoreName *result)
{
    CoreExp *exp = ARENA_NEW(s->c->arena, CoreExp);
    exp->kind = CORE_EXP_REPLICATE;
    exp->as.replicate.count = 1;
    exp->as.replicate.sizes = arena_copy(s->c->arena, &width, sizeof width);
    exp->as.replicate.value = value;
    return simplify_let(s, work, result->text, core_array_of(s->c, width, core_atom_type(value)),
                        exp);
}

/* What the result r of the map is without it. */
static bool known_result(Simplify *s, const Work *work, size_t r, CoreAtom *known)
{
    const CoreSoac *soac = &work->exp->as.soac;
    const CoreName *name = work->pattern[r];
    CoreAtom value = soac->map->body->results[r];
    CoreType type = simplify_map_type(s->c, name->type, simplify_now, s);
    if (simplify_consumed(s, core_use((CoreName *)name)) || simplify_consumed(s, value)) {
        return false;
    }
    if (!value.name || simplify_fact(s, value.name)->depth <= s->depth) {
        CoreType row = core_atom_type(value);
        row.unique = false;
        if (!core_atom_equal(type.sizes[0], soac->width) ||
            !simplify_same_type(core_row(type), row)) {
            return false;
        }
        *known = replicate(s, work, soac->width, value, name);
        return true;
    }
    for (size_t i = 0; i < soac->input_count; i++) {
        if (value.name == soac->map->parameters[i] && !simplify_consumed(s, soac->inputs[i]) &&
            simplify_same_type(type, core_atom_type(soac->inputs[i]))) {
            *known = soac->inputs[i];
            return true;
        }
    }
    return false;
}

/* reduce 0 ...  ==>  its neutral elements */
static void empty_reductions(Simplify *s, Work *work)
{
    const CoreSoac *soac = &work->exp->as.soac;
    size_t at = 0;
    if (soac->width.name || soac->width.as.integer != 0) {
        return;
    }
    for (size_t i = 0; i < soac->reduction_count; i++) {
        for (size_t j = 0; j < soac->reductions[i].function->body->result_count; j++, at++) {
            CoreAtom neutral = soac->reductions[i].neutral[j];
            CoreType type = simplify_map_type(s->c, work->pattern[at]->type, simplify_now, s);
            if (!simplify_fact(s, work->pattern[at])->replaced &&
                !simplify_consumed(s, core_use(work->pattern[at])) &&
                !simplify_consumed(s, neutral) &&
                simplify_same_type(type, core_atom_type(neutral))) {
                simplify_replace(s, work->pattern[at], neutral);
                simplify_fired(s, CORE_RULE_SHORT_LOOP);
            }
        }
    }
}

void simplify_soacs(Simplify *s, Work *work)
{
    CoreAtom known;
    if (work->exp->kind != CORE_EXP_SOAC || work->certificate_count > 0) {
        return;
    }
    empty_reductions(s, work);
    for (size_t r = operands(&work->exp->as.soac); r < work->pattern_count; r++) {
        if (known_result(s, work, r, &known)) {
            simplify_replace(s, work->pattern[r], known);
            simplify_fired(s, CORE_RULE_REPLICATE_MAP);
        }
    }
}
