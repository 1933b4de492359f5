/* Two maps around each other as one of all their rows.

       map n (\xs p -> {                        let qs = reshape [n * m] xss
         let q = f p                        ==>  let zs = map (n * m) (iota (n * m)) qs
         in map m (g p q) xs }) xss ps                     (\i x -> { let p = ps[i / m]
                                                                      let q = f p
                                                                      in g p q x })
                                                 reshape [n, m] zs

   Scatters of rows become one of all rows, and loops that rows end go on for all rows, where one map is around them
   (scatters.c, loops.c): a rank of 1 applied to an array with more axes than two has two maps, or more. What stands in the
   outer map beside the inner one is done again for each of its rows, and is scalar work and views. */
#include "core/flatten/flatten.h"

/* ---- which --------------------------------------------------------------------------------- */

/* The statement uses something that the other one gives. */
static bool uses_some(const CoreStm *stm, const CoreStm *other)
{
    bool uses = false;
    for (size_t k = 0; k < other->pattern_count; k++) {
        uses = uses || core_stm_uses(stm, other->pattern[k]);
    }
    return uses;
}

/* All that the function gives is the map's, each of it once. */
static bool gives_all(const CoreStm *inner, const CoreBody *body)
{
    for (size_t k = 0; k < body->result_count; k++) {
        bool again = false;
        for (size_t i = 0; i < k; i++) {
            again = again || core_atom_equal(body->results[i], body->results[k]);
        }
        if (again || body->results[k].name == NULL ||
            !core_stm_binds(inner, body->results[k].name)) {
            return false;
        }
    }
    return true;
}

/* The only SOAC among cheap statements, a map that gives all results; NULL: it is not so. Checks of the outer function, or
   none: `checked`. */
static const CoreStm *inner_map_beside(const CoreStm *map, bool checked)
{
    const CoreBody *body = map->exp->as.soac.map->body;
    const CoreStm *found = NULL;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (fuse_is_map(stm) && found == NULL) {
            found = stm;
        } else if (!(flatten_is_cheap(stm) || (checked && flatten_is_check(stm))) ||
                   (!checked && stm->certificate_count > 0) ||
                   (found != NULL && uses_some(stm, found))) {
            return NULL;
        }
    }
    return found != NULL && !flatten_has_unique(map->exp->as.soac.map) &&
                   !flatten_has_unique(found->exp->as.soac.map) && gives_all(found, body)
               ? found
               : NULL;
}

/* The same, where nothing beside it can fail. */
static const CoreStm *inner_map(const CoreStm *map)
{
    return inner_map_beside(map, false);
}

typedef struct Search {
    bool found;
} Search;

/* What is done for all rows only where one map is around it. */
static void find_wanting(void *context, const CoreBody *body)
{
    Search *search = context;
    for (size_t i = 0; i < body->stm_count && !search->found; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        bool is_uneven = exp->kind == CORE_EXP_LOOP &&
                         (exp->as.loop.index == NULL || exp->as.loop.bound.name != NULL);
        search->found = fuse_is_scatter(body->stms[i]) || (is_uneven && flatten_has_soacs(exp));
        if (!fuse_is_soac(body->stms[i])) {
            core_each_body(exp, find_wanting, search);
        }
    }
}

/* Such things are in the innermost function. */
static bool wants_one_map(const CoreStm *map)
{
    Search search = {false};
    const CoreStm *inner = map, *next = inner_map(map);
    for (; next != NULL; next = inner_map(next)) {
        inner = next;
    }
    find_wanting(&search, inner->exp->as.soac.map->body);
    return inner != map && search.found;
}

/* ---- one of two ---------------------------------------------------------------------------- */

typedef struct Collapse {
    Compilation *c;
    const CoreStm *map, *inner;
    CoreAtom rows;       /* of all: how many */
    CoreAtom outer, own; /* in the new function: the numbers of the row of each map */
    Renaming *renaming;
    CoreBuilder *before; /* the new map */
    VEC(CoreAtom) inputs;
    VEC(CoreName *) parameters;
} Collapse;

/* The parameter of the outer map that the array is; SIZE_MAX: none. */
static size_t parameter_of(const Collapse *k, CoreAtom array)
{
    const CoreLambda *function = k->map->exp->as.soac.map;
    for (size_t i = 0; i < function->parameter_count; i++) {
        if (array.name == function->parameters[i]) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* All rows of the inner map's input, where it is one of the outer's. */
static CoreAtom all_rows(Collapse *k, CoreAtom array, CoreType row)
{
    CoreAtom *sizes = ARENA_ARRAY(k->c->arena, CoreAtom, row.rank + 1);
    sizes[0] = k->rows;
    for (int axis = 0; axis < row.rank; axis++) {
        sizes[axis + 1] = row.sizes[axis];
    }
    return core_let_reshape(k->before, "rows", array, (size_t)row.rank + 1, sizes);
}

/* What the outer function has of its row: its parameters and its cheap statements. */
static void add_outer(Collapse *k, CoreBuilder *b)
{
    const CoreSoac *soac = &k->map->exp->as.soac;
    const CoreBody *body = soac->map->body;
    for (size_t i = 0; i < soac->input_count; i++) {
        CoreAtom row =
            core_let_index(b, soac->map->parameters[i]->text, soac->inputs[i], 1, &k->outer);
        core_rename(k->renaming, soac->map->parameters[i], row);
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        if (body->stms[i] != k->inner) {
            core_add(b, core_rename_stm(k->renaming, body->stms[i]));
        }
    }
}

/* The inner function's parameters: inputs of the new map where they are rows of an outer input, else elements of what
   the outer function has. */
static void add_inner(Collapse *k, CoreBuilder *b)
{
    const CoreSoac *soac = &k->inner->exp->as.soac;
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreName *old = soac->map->parameters[i];
        size_t number = parameter_of(k, soac->inputs[i]);
        if (number == SIZE_MAX) {
            CoreAtom array = core_renamed(k->renaming, soac->inputs[i]);
            core_rename(k->renaming, old, core_let_index(b, old->text, array, 1, &k->own));
            continue;
        }
        CoreName *parameter = core_name(k->c, old->text, old->type, old->span);
        CoreAtom rows = all_rows(k, k->map->exp->as.soac.inputs[number], old->type);
        vec_push(k->c->arena, &k->inputs, rows);
        vec_push(k->c->arena, &k->parameters, parameter);
        core_rename(k->renaming, old, core_use(parameter));
    }
}

/* Sizes of the rows that results are, and the inner width, are the same for all rows of the outer map. */
static bool is_regular(const MapContext *m, const CoreStm *inner)
{
    bool regular =
        flatten_is_invariant(m, inner->exp->as.soac.width) && flatten_is_certain(m, inner);
    for (size_t i = 0; i < inner->pattern_count && regular; i++) {
        regular = flatten_is_regular(m, inner->pattern[i]->type);
    }
    for (size_t i = 0; i < inner->exp->as.soac.input_count && regular; i++) {
        regular = flatten_is_regular(m, inner->exp->as.soac.map->parameters[i]->type);
    }
    return regular;
}

/* The function of the new map; its inputs are noted. */
static const CoreLambda *function_of_all(Collapse *k)
{
    Compilation *c = k->c;
    const CoreStm *inner = k->inner;
    CoreName *number = core_name(c, "i", core_scalar(CORE_I64), k->map->span);
    CoreAtom width = inner->exp->as.soac.width;
    CoreBuilder b = core_builder(c, inner->span);
    vec_push(c->arena, &k->inputs, core_let_iota(k->before, "numbers", k->rows));
    vec_push(c->arena, &k->parameters, number);
    k->outer = core_let_binary(&b, "row", CORE_DIV, core_use(number), width);
    CoreAtom first = core_let_binary(&b, "first", CORE_MUL, k->outer, width);
    k->own = core_let_binary(&b, "own", CORE_SUB, core_use(number), first);
    add_outer(k, &b);
    add_inner(k, &b);
    const CoreBody *body = core_rename_body(k->renaming, inner->exp->as.soac.map->body);
    core_add_all(&b, body);
    return core_lambda(c, k->parameters.count, k->parameters.items,
                       core_body(&b, body->result_count, body->results));
}

/* What the maps gave, of what the new one gives. */
static void give_back(const Collapse *k, CoreName *const *pattern, CoreBuilder *after)
{
    const CoreBody *body = k->map->exp->as.soac.map->body;
    flatten_push_certificates(after, k->map);
    for (size_t i = 0; i < body->result_count; i++) {
        CoreName *name = k->map->pattern[i];
        size_t from = 0;
        while (k->inner->pattern[from] != body->results[i].name) {
            from++;
        }
        CoreAtom shaped = core_let_reshape(after, name->text, core_use(pattern[from]),
                                           (size_t)name->type.rank, name->type.sizes);
        core_bind(after, 1, &name, core_atom_exp(k->c, shaped));
    }
    after->certificates.count -= k->map->certificate_count;
}

/* The one map of both; its width is computed in `sizes`, its inputs in `before`, and what both gave in `after`. */
static const CoreStm *collapse(Compilation *c, const CoreStm *map, const CoreStm *inner,
                               CoreBuilder *sizes, CoreBuilder *before, CoreBuilder *after)
{
    Collapse k = {
        .c = c, .map = map, .inner = inner, .before = before, .renaming = core_renaming(c)};
    const CoreSoac *soac = &inner->exp->as.soac;
    k.rows = core_let_binary(sizes, "rows", CORE_MUL, map->exp->as.soac.width, soac->width);
    flatten_push_certificates(before, map);
    const CoreLambda *function = function_of_all(&k);
    before->certificates.count -= map->certificate_count;
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, inner->pattern_count + 1);
    for (size_t i = 0; i < inner->pattern_count; i++) {
        CoreType row = core_atom_type(soac->map->body->results[i]);
        row.unique = false;
        pattern[i] =
            core_name(c, inner->pattern[i]->text, core_array_of(c, k.rows, row), inner->span);
    }
    CoreBuilder alone = core_builder(c, map->span);
    flatten_push_certificates(&alone, map);
    flatten_push_certificates(&alone, inner);
    core_bind(&alone, inner->pattern_count, pattern,
              core_exp_map(c, k.rows, k.inputs.count, k.inputs.items, function));
    give_back(&k, pattern, after);
    return alone.stms.items[0];
}

/* The host's statements that have been built: their extents, and who shares elements with whom. */
static void learn_all(Flatten *f, const CoreBuilder *b)
{
    for (size_t i = 0; i < b->stms.count; i++) {
        flatten_note_extents(f, b->stms.items[i]);
        simplify_analyse_more(f->s, b->stms.items[i]);
    }
}

bool flatten_collapse(Flatten *f, const CoreStm *map, CoreBuilder *sizes, CoreBuilder *b)
{
    CoreBuilder before = core_builder(f->c, map->span), after = before, middle = before;
    const CoreStm *inner = wants_one_map(map) ? inner_map(map) : NULL;
    if (inner == NULL || map->exp->as.soac.input_count == 0) {
        return false;
    }
    MapContext m = flatten_context(f, NULL, map, map->exp->as.soac.map->body);
    if (!is_regular(&m, inner)) {
        return false;
    }
    const CoreStm *one = collapse(f->c, map, inner, sizes, &before, &after);
    learn_all(f, &before);
    learn_all(f, &after);
    if (!flatten_collapse(f, one, sizes, &middle) && !flatten_map(f, NULL, one, &middle)) {
        return false;
    }
    f->counts[CORE_RULE_FLATTEN_COLLAPSE]++;
    flatten_add_all(b, &before);
    flatten_add_all(b, &middle);
    flatten_add_all(b, &after);
    return true;
}

/* ---- rows of their own lengths ----------------------------------------------------------------- */

/* What the outer function checks, for all of its rows: it would not be where the inner map has none. */
static void add_checks(const CoreStm *map, const CoreStm *inner, CoreBuilder *b)
{
    Compilation *c = b->c;
    const CoreSoac *soac = &map->exp->as.soac;
    CoreBuilder checks = core_builder(c, map->span);
    bool some = false;
    for (size_t i = 0; i < soac->map->body->stm_count; i++) {
        const CoreStm *stm = soac->map->body->stms[i];
        some = some || flatten_is_check(stm);
        if (stm != inner) {
            core_add(&checks, stm);
        }
    }
    if (some) {
        const CoreLambda *function = core_lambda(
            c, soac->map->parameter_count, soac->map->parameters, core_body(&checks, 0, NULL));
        CoreStm alone = *map;
        alone.pattern_count = 0;
        alone.exp = core_exp_map(c, soac->width, soac->input_count, soac->inputs, function);
        core_add(b, core_rename_stm(core_renaming(c), &alone));
    }
}

const CoreStm *flatten_collapse_lengths(Flatten *f, const CoreStm *map, CoreBuilder *before,
                                        CoreBuilder *after)
{
    const CoreStm *inner = inner_map_beside(map, true);
    if (inner == NULL || map->exp->as.soac.input_count == 0) {
        return NULL;
    }
    MapContext m = flatten_context(f, NULL, map, map->exp->as.soac.map->body);
    bool regular = flatten_is_invariant(&m, inner->exp->as.soac.width) &&
                   flatten_has_lengths(&m, inner->exp->as.soac.map->body);
    for (size_t i = 0; i < m.count && flatten_may_fail(inner); i++) { /* in their order */
        regular = regular && !flatten_is_check(m.stms[i]);
    }
    for (size_t i = 0; i < inner->pattern_count; i++) {
        regular = regular && inner->pattern[i]->type.rank == 1;
    }
    for (size_t i = 0; i < inner->exp->as.soac.input_count && regular; i++) {
        size_t number;
        regular = flatten_binding(&m, inner->exp->as.soac.inputs[i], &number) != BOUND_PARAMETER;
    }
    if (!regular) {
        return NULL;
    }
    add_checks(map, inner, before);
    return collapse(f->c, map, inner, before, before, after);
}
