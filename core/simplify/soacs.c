/* [L0 5.3, 9.1] Inputs and results of SOACs.

       map n (replicate [n] v, xs) (\(a, x) -> S)    ==>  map n (xs) (\(x) -> S[v/a])
       map n (rearrange (1, 0, 2) (replicate [m] a)) (\r -> S)
                                                     ==>  map n (a) (\x -> r = replicate [m] x, S)
       map n (xs, xs) (\(x, y) -> S)                 ==>  map n (xs) (\(x) -> S[x/y])
       map n (xs) (\x -> ... in (c, r))              ==>  replicate [n] c for the first, c invariant
       map n (xs) (\x -> ... in (x, r))              ==>  xs for the first
       map n (xs) (\x -> { y = replicate [m] x in (y) })
                                                     ==>  rearrange (1, 0) (replicate [m] xs)
       map n (xs) (\x -> { y = reverse 0 x in (y) }) ==>  reverse 1 xs;  so for other views
       reduce 0 (xs) f ne                            ==>  ne
       redomap n (xs) (\x -> ... in (ne)) f ne       ==>  ne

   At least one input stays, if unused, so that every SOAC has rows to run over. */
#include "core/simplify/simplify.h"

/* ---- inputs, before the function is rebuilt -------------------------------------------------- */

typedef struct Inputs {
    size_t count;
    CoreAtom *inputs;
    CoreName **parameters;
    StmVec head; /* of the function's body */
} Inputs;

static const CoreStm *row_statement(Simplify *s, CoreName *parameter, const CoreExp *replicate,
                                    Span span)
{
    CoreExp *exp = core_exp_copy(s->c, replicate);
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
    CoreType type = core_map_type(s->c, parameter->type, simplify_now, s);
    if (!core_same_type(type, core_atom_type(value))) {
        return false;
    }
    simplify_replace(s, parameter, value);
    return true;
}

/* The input is all rows replicated, with the new axes behind the rows': replicate each row instead.
 */
static bool replicated_behind(Simplify *s, const Work *work, CoreAtom input, CoreName *parameter,
                              Inputs *kept)
{
    const CoreStm *stm = simplify_definition(s, input, false), *inner;
    if (!stm || stm->exp->kind != CORE_EXP_REARRANGE || parameter->type.unique ||
        simplify_consumed(s, input)) {
        return false;
    }
    const int *permutation = stm->exp->as.rearrange.permutation;
    inner = simplify_definition(s, stm->exp->as.rearrange.array, false);
    if (!inner || inner->exp->kind != CORE_EXP_REPLICATE) {
        return false;
    }
    CoreAtom value = inner->exp->as.replicate.value;
    int count = (int)inner->exp->as.replicate.count, rank = core_atom_type(input).rank;
    for (int i = 0; i < rank; i++) {
        if (permutation[i] != (i == 0 ? count : i <= count ? i - 1 : i)) {
            return false;
        }
    }
    if (rank == count) { /* of a scalar: no rows */
        return false;
    }
    CoreType type = core_row(core_atom_type(value));
    type.unique = false;
    CoreName *row = core_name(s->c, parameter->text, type, parameter->span);
    CoreExp *exp = core_exp_copy(s->c, inner->exp);
    CoreStm *head = arena_copy(s->c->arena, inner, sizeof *inner);
    exp->as.replicate.value = core_use(row);
    head->exp = exp;
    head->pattern = arena_copy(s->c->arena, &parameter, sizeof parameter);
    head->span = work->span;
    vec_push(s->c->arena, &kept->head, head);
    kept->inputs[kept->count] = value;
    kept->parameters[kept->count++] = row;
    simplify_same_class(s, row, parameter);
    return true;
}

static bool repeated(Simplify *s, CoreAtom input, CoreName *parameter, const Inputs *kept)
{
    enum { MOST = 64 }; /* compared with: SOACs with more inputs are rare, and all pairs are many */
    for (size_t i = 0; i < kept->count && i < MOST; i++) {
        if (core_atom_equal(input, kept->inputs[i]) && !simplify_consumed(s, input) &&
            core_same_type(parameter->type, kept->parameters[i]->type)) {
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
    Inputs kept = {.inputs = ARENA_ARRAY(s->arena, CoreAtom, old->input_count),
                   .parameters = ARENA_ARRAY(s->arena, CoreName *, old->input_count)};
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
        } else if (replicated_behind(s, work, old->inputs[i], parameter, &kept)) {
            simplify_fired(s, CORE_RULE_REPLICATE_MAP);
            changed = true;
            continue;
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
    CoreExp *exp = core_exp_copy(s->c, work->exp);
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
    map->parameters = arena_copy(s->c->arena, kept.parameters, kept.count * sizeof(CoreName *));
    map->parameter_count = kept.count;
    exp->as.soac.map = map;
    exp->as.soac.inputs = arena_copy(s->c->arena, kept.inputs, kept.count * sizeof(CoreAtom));
    exp->as.soac.input_count = kept.count;
    work->exp = exp;
}

/* ---- results, after it is rebuilt ------------------------------------------------------------ */

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

static bool is_outside(Simplify *s, CoreAtom atom)
{
    return !atom.name || simplify_fact(s, atom.name)->depth <= s->depth;
}

/* Sizes that are known outside, and are no errors where the function never runs. */
static bool are_outside(Simplify *s, size_t count, const CoreAtom *atoms)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_outside(s, atoms[i]) || !simplify_is_not_negative(s, atoms[i], s->depth)) {
            return false;
        }
    }
    return true;
}

/* The input whose rows the atom is. */
static bool input_of(Simplify *s, const CoreSoac *soac, CoreAtom row, CoreAtom *input)
{
    for (size_t i = 0; i < soac->input_count; i++) {
        if (row.name && row.name == soac->map->parameters[i] && row.name->type.rank > 0 &&
            !simplify_consumed(s, soac->inputs[i])) {
            *input = soac->inputs[i];
            return true;
        }
    }
    return false;
}

/* replicate [m] of each row: the whole replicated, with the axes that came in front behind the
 * rows' */
static CoreAtom replicated_rows(Simplify *s, const Work *work, const CoreExp *view, CoreAtom input,
                                const CoreName *result)
{
    size_t count = view->as.replicate.count;
    CoreType type = core_atom_type(input);
    type.unique = false;
    int rank = (int)count + type.rank, *permutation = ARENA_ARRAY(s->c->arena, int, rank);
    CoreExp *whole = core_exp_copy(s->c, view), *back = ARENA_NEW(s->c->arena, CoreExp);
    whole->as.replicate.value = input;
    for (size_t i = count; i-- > 0;) {
        type = core_array_of(s->c, view->as.replicate.sizes[i], type);
    }
    for (int i = 0; i < rank; i++) {
        permutation[i] = i == 0 ? (int)count : i <= (int)count ? i - 1 : i;
    }
    back->kind = CORE_EXP_REARRANGE;
    back->as.rearrange.array = simplify_let(s, work, "all", type, whole);
    back->as.rearrange.permutation = permutation;
    CoreType to = core_map_type(s->c, result->type, simplify_now, s);
    to.unique = false;
    return simplify_let(s, work, result->text, to, back);
}

/* A view of each row, as a view of all: its axes are one further in. */
static const CoreExp *view_of_all(Simplify *s, const CoreSoac *soac, const CoreExp *row_view,
                                  CoreAtom *row)
{
    CoreExp *view = core_exp_copy(s->c, row_view);
    int rank, *permutation;
    CoreAtom *sizes;
    switch ((int)row_view->kind) { /* the views that are no more than that */
    case CORE_EXP_REVERSE:
        *row = row_view->as.reverse.array;
        view->as.reverse.axis++;
        return input_of(s, soac, *row, &view->as.reverse.array) ? view : NULL;
    case CORE_EXP_ROTATE:
        *row = row_view->as.rotate.array;
        view->as.rotate.axis++;
        return is_outside(s, row_view->as.rotate.amount) &&
                       input_of(s, soac, *row, &view->as.rotate.array)
                   ? view
                   : NULL;
    case CORE_EXP_REARRANGE:
        *row = row_view->as.rearrange.array;
        rank = core_atom_type(*row).rank;
        permutation = ARENA_ARRAY(s->c->arena, int, rank + 1);
        for (int i = 0; i < rank; i++) {
            permutation[i + 1] = row_view->as.rearrange.permutation[i] + 1;
        }
        view->as.rearrange.permutation = permutation;
        return input_of(s, soac, *row, &view->as.rearrange.array) ? view : NULL;
    case CORE_EXP_RESHAPE:
        *row = row_view->as.reshape.array;
        sizes = ARENA_ARRAY(s->c->arena, CoreAtom, row_view->as.reshape.count + 1);
        sizes[0] = soac->width;
        for (size_t i = 0; i < row_view->as.reshape.count; i++) {
            sizes[i + 1] = row_view->as.reshape.sizes[i];
        }
        view->as.reshape.sizes = sizes;
        view->as.reshape.count++;
        return are_outside(s, row_view->as.reshape.count, row_view->as.reshape.sizes) &&
                       input_of(s, soac, *row, &view->as.reshape.array)
                   ? view
                   : NULL;
    }
    return NULL;
}

/* map (\x -> view of x) a: a view of a. */
static bool known_view(Simplify *s, const Work *work, CoreAtom value, const CoreName *result,
                       CoreAtom *known)
{
    const CoreSoac *soac = &work->exp->as.soac;
    const CoreStm *stm = simplify_definition(s, value, false);
    CoreType type = core_map_type(s->c, result->type, simplify_now, s);
    CoreAtom input, row;
    type.unique = false;
    if (!stm || !core_is_view(stm->exp->kind) || value.name->type.rank + 1 != type.rank ||
        !core_same_type(core_row(type), value.name->type) ||
        !core_atom_equal(type.sizes[0], soac->width)) {
        return false;
    }
    const CoreExp *exp = stm->exp;
    if (exp->kind == CORE_EXP_REPLICATE) {
        if (!are_outside(s, exp->as.replicate.count, exp->as.replicate.sizes) ||
            !input_of(s, soac, exp->as.replicate.value, &input)) {
            return false;
        }
        *known = replicated_rows(s, work, exp, input, result);
        return true;
    }
    const CoreExp *view = view_of_all(s, soac, exp, &row);
    if (!view) {
        return false;
    }
    *known = simplify_let(s, work, result->text, type, view);
    return true;
}

/* What the result r of the map is without it. */
static bool known_result(Simplify *s, const Work *work, size_t r, CoreAtom *known)
{
    const CoreSoac *soac = &work->exp->as.soac;
    const CoreName *name = work->pattern[r];
    CoreAtom value = soac->map->body->results[r];
    CoreType type = core_map_type(s->c, name->type, simplify_now, s);
    if (simplify_consumed(s, core_use((CoreName *)name)) || simplify_consumed(s, value)) {
        return false;
    }
    if (is_outside(s, value)) {
        CoreType row = core_atom_type(value);
        row.unique = false;
        if (!core_atom_equal(type.sizes[0], soac->width) || !core_same_type(core_row(type), row)) {
            return false;
        }
        *known = replicate(s, work, soac->width, value, name);
        return true;
    }
    for (size_t i = 0; i < soac->input_count; i++) {
        if (value.name == soac->map->parameters[i] && !simplify_consumed(s, soac->inputs[i]) &&
            core_same_type(type, core_atom_type(soac->inputs[i]))) {
            *known = soac->inputs[i];
            return true;
        }
    }
    return known_view(s, work, value, name, known);
}

/* Nothing but neutral elements comes together: there are no rows, or each row gives them. */
static bool is_neutral(const CoreSoac *soac, const CoreReduction *reduction, size_t at)
{
    bool neutral = true;
    for (size_t j = 0; j < reduction->function->body->result_count; j++) {
        CoreAtom operand = soac->map->body->results[at + j];
        neutral = neutral && !operand.name && core_atom_equal(operand, reduction->neutral[j]);
    }
    return neutral || (!soac->width.name && soac->width.as.integer == 0);
}

static void neutral_reductions(Simplify *s, Work *work)
{
    const CoreSoac *soac = &work->exp->as.soac;
    size_t at = 0;
    for (size_t i = 0; i < soac->reduction_count; i++) {
        size_t count = soac->reductions[i].function->body->result_count;
        bool known = is_neutral(soac, &soac->reductions[i], at);
        for (size_t j = 0; j < count; j++, at++) {
            CoreAtom neutral = soac->reductions[i].neutral[j];
            CoreType type = core_map_type(s->c, work->pattern[at]->type, simplify_now, s);
            if (known && !simplify_fact(s, work->pattern[at])->replaced &&
                !simplify_consumed(s, core_use(work->pattern[at])) &&
                !simplify_consumed(s, neutral) && core_same_type(type, core_atom_type(neutral))) {
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
    neutral_reductions(s, work);
    for (size_t r = operands(&work->exp->as.soac); r < work->pattern_count; r++) {
        if (known_result(s, work, r, &known)) {
            simplify_replace(s, work->pattern[r], known);
            simplify_fired(s, CORE_RULE_REPLICATE_MAP);
        }
    }
}
