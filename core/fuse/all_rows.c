/* What reads the kept rows of a filter, as what reads all rows: it has a copy of the predicate, and
   takes the neutral element, or position -1, where a row is not kept. f is computed for all rows
   where that is a few operations that cannot go wrong, else in a branch, for kept rows only.

       let (m, ys) = filter n p xs
       let s = redomap m f op ne ys     ==>  let s = redomap n (\x -> if p x then f x else ne) op ne xs

       let (m, ys) = filter n p xs
       let is = map m f ys              ==>  let is = map n (\x -> if p x then f x else 0) xs
       let a' = scatter m a is vs            let js = map n (\x i -> if p x then i else -1) (xs, is)
                                             let a' = scatter n a js vs

   Where the positions are the rows' own numbers, and a has n rows, that is a map:

             let a' = map n (\x v y -> if p x then v else y) (xs, vs, a) */
#include "core/fuse/filter.h"

enum { MOST_UNCONDITIONAL = 8 }; /* operations for rows that are not kept */

/* ---- functions of all rows ------------------------------------------------------------------- */

/* A function that begins with a copy of the predicate; behind the parameters for the filter's arrays
   come those for others of all rows. */
typedef struct Copy {
    Renaming *renaming;
    CoreBuilder builder;
    VEC(CoreName *) parameters;
    VEC(CoreAtom) inputs;
    CoreAtom keep, *kept; /* whether, and what: an atom for each array of the filter */
} Copy;

static Copy copy_predicate(const FuseRows *rows, Span span)
{
    Compilation *c = rows->f->c;
    const CoreExp *filter = rows->filter->exp;
    const CoreLambda *predicate = filter->as.filter.predicate;
    Copy copy = {.renaming = core_renaming(c), .builder = core_builder(c, span)};
    for (size_t i = 0; i < predicate->parameter_count; i++) {
        const CoreName *old = predicate->parameters[i];
        CoreName *parameter = core_name(c, old->text, old->type, old->span);
        vec_push(c->arena, &copy.parameters, parameter);
        vec_push(c->arena, &copy.inputs, filter->as.filter.inputs[i]);
        core_rename(copy.renaming, old, core_use(parameter));
    }
    for (size_t i = 0; i < predicate->body->stm_count; i++) {
        core_add(&copy.builder, core_rename_stm(copy.renaming, predicate->body->stms[i]));
    }
    size_t results = predicate->body->result_count;
    copy.keep = core_renamed(copy.renaming, predicate->body->results[0]);
    copy.kept = ARENA_ARRAY(c->arena, CoreAtom, predicate->parameter_count + results);
    for (size_t i = 0; i < predicate->parameter_count && results == 1; i++) {
        copy.kept[i] = core_use(copy.parameters.items[i]);
    }
    for (size_t i = 1; i < results; i++) {
        copy.kept[i - 1] = core_renamed(copy.renaming, predicate->body->results[i]);
    }
    return copy;
}

/* Which of the filter's arrays it is; SIZE_MAX: none. */
static size_t place_of(const CoreStm *filter, CoreAtom kept)
{
    for (size_t place = 1; place < filter->pattern_count; place++) {
        if (filter->pattern[place] == kept.name) {
            return place - 1;
        }
    }
    return SIZE_MAX;
}

/* The row of an array of all rows. */
static CoreAtom input_row(const FuseRows *rows, Copy *copy, CoreAtom array)
{
    Compilation *c = rows->f->c;
    CoreName *row = core_name(c, array.name->text, core_row(array.name->type), rows->filter->span);
    vec_push(c->arena, &copy->inputs, array);
    vec_push(c->arena, &copy->parameters, row);
    return core_use(row);
}

/* The row of an array of kept rows. */
static CoreAtom row_of(const FuseRows *rows, Copy *copy, CoreAtom array)
{
    size_t place = place_of(rows->filter, array);
    return place < SIZE_MAX
               ? copy->kept[place]
               : input_row(rows, copy, core_use(pointer_map_get(rows->moved, array.name)));
}

static void bind_rows(const FuseRows *rows, Copy *copy, size_t count, CoreName *const *parameters,
                      const CoreAtom *arrays)
{
    for (size_t i = 0; i < count; i++) {
        core_bind(&copy->builder, 1, &parameters[i],
                  core_atom_exp(rows->f->c, row_of(rows, copy, arrays[i])));
    }
}

static const CoreLambda *close_lambda(const FuseRows *rows, Copy *copy, size_t count,
                                      const CoreAtom *results)
{
    return core_lambda(rows->f->c, copy->parameters.count, copy->parameters.items,
                       core_body(&copy->builder, count, results));
}

static const CoreExp *soac_of_all(const FuseRows *rows, const Copy *copy, const CoreLambda *map,
                                  size_t reduction_count, const CoreReduction *reductions)
{
    return core_exp_soac(rows->f->c, rows->filter->exp->as.filter.width, copy->inputs.count,
                         copy->inputs.items, map, reduction_count, reductions, 0, NULL);
}

static bool is_unconditional(const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        CoreExpKind kind = body->stms[i]->exp->kind;
        if ((kind != CORE_EXP_UNARY && kind != CORE_EXP_BINARY && kind != CORE_EXP_CONVERT &&
             kind != CORE_EXP_ATOM) ||
            body->stms[i]->certificate_count > 0) {
            return false;
        }
    }
    return fuse_cost(body) <= MOST_UNCONDITIONAL;
}

const CoreAtom *fuse_where_kept(Fuse *f, CoreBuilder *b, CoreAtom keep, const CoreBody *body,
                                const CoreAtom *others)
{
    CoreBuilder inner = core_builder(f->c, b->span), none = core_builder(f->c, b->span);
    bool unconditional = is_unconditional(body);
    CoreBuilder *work = unconditional ? b : &inner;
    CoreName **names = ARENA_ARRAY(f->c->arena, CoreName *, body->result_count + 1);
    CoreAtom *results = ARENA_ARRAY(f->c->arena, CoreAtom, body->result_count + 1);
    CoreAtom *zeros = ARENA_ARRAY(f->c->arena, CoreAtom, body->result_count + 1);
    for (size_t i = 0; i < body->stm_count; i++) {
        core_add(work, body->stms[i]);
    }
    if (unconditional && !others) {
        return body->results;
    }
    for (size_t k = 0; k < body->result_count; k++) {
        CoreType type = core_atom_type(body->results[k]);
        type.unique = false;
        zeros[k] = core_zero(type.prim);
        names[k] = core_name(f->c, "kept", type, b->span);
        results[k] = core_use(names[k]);
    }
    core_bind(b, body->result_count, names,
              core_exp_if(f->c, keep, core_body(&inner, body->result_count, body->results),
                          core_body(&none, body->result_count, others ? others : zeros)));
    return results;
}

/* ---- reductions, counts and filters ---------------------------------------------------------- */

static const CoreStm *reduce_all(const FuseRows *rows, const CoreStm *reader)
{
    const CoreSoac *old = &reader->exp->as.soac;
    Copy copy = copy_predicate(rows, reader->span);
    bind_rows(rows, &copy, old->input_count, old->map->parameters, old->inputs);
    CoreAtom *neutral = ARENA_ARRAY(rows->f->c->arena, CoreAtom, reader->pattern_count + 1);
    for (size_t i = 0, k = 0; i < old->reduction_count; i++) {
        for (size_t j = 0; j < old->reductions[i].function->body->result_count; j++) {
            neutral[k++] = old->reductions[i].neutral[j];
        }
    }
    const CoreAtom *results =
        fuse_where_kept(rows->f, &copy.builder, copy.keep, old->map->body, neutral);
    const CoreLambda *map = close_lambda(rows, &copy, old->map->body->result_count, results);
    CoreStm *stm = fuse_with_certificates(rows->f, reader, rows->filter);
    stm->exp = soac_of_all(rows, &copy, map, old->reduction_count, old->reductions);
    return stm;
}

const CoreStm *fuse_count_all(const FuseRows *rows)
{
    Compilation *c = rows->f->c;
    Copy copy = copy_predicate(rows, rows->filter->span);
    CoreAtom one = core_let_convert(&copy.builder, "one", CORE_I64, copy.keep);
    const CoreLambda *map = close_lambda(rows, &copy, 1, &one);
    CoreAtom *zero = ARENA_NEW(c->arena, CoreAtom);
    *zero = core_i64(0);
    CoreReduction *sum = ARENA_NEW(c->arena, CoreReduction);
    *sum = (CoreReduction){core_operator_lambda(c, CORE_ADD, CORE_I64, rows->filter->span), zero,
                           true};
    CoreStm *stm = arena_copy(c->arena, rows->filter, sizeof *stm);
    stm->pattern_count = 1;
    stm->exp = soac_of_all(rows, &copy, map, 1, sum);
    return stm;
}

/* filter q (filter p xs)  ==>  filter (\x -> (p x & q x, x)) xs */
static const CoreStm *filter_all(const FuseRows *rows, const CoreStm *reader)
{
    Compilation *c = rows->f->c;
    const CoreExp *second = reader->exp;
    const CoreLambda *old = second->as.filter.predicate;
    size_t count = core_filter_count(second), results = old->body->result_count;
    CoreAtom *others = ARENA_ARRAY(c->arena, CoreAtom, results);
    CoreAtom *kept = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    Copy copy = copy_predicate(rows, reader->span);
    bind_rows(rows, &copy, old->parameter_count, old->parameters, second->as.filter.inputs);
    for (size_t i = 0; i < results; i++) {
        others[i] = core_zero(core_atom_type(old->body->results[i]).prim);
    }
    const CoreAtom *both = fuse_where_kept(rows->f, &copy.builder, copy.keep, old->body, others);
    kept[0] = both[0];
    for (size_t i = 0; i < count; i++) {
        kept[1 + i] = results > 1 ? both[1 + i] : core_use(old->parameters[i]);
    }
    const CoreLambda *predicate = close_lambda(rows, &copy, count + 1, kept);
    CoreStm *stm = fuse_with_certificates(rows->f, reader, rows->filter);
    stm->exp = core_exp_filter(c, rows->filter->exp->as.filter.width, copy.inputs.count,
                               copy.inputs.items, predicate);
    return stm;
}

/* ---- maps and what is repeated --------------------------------------------------------------- */

/* Names for arrays of kept rows with all rows. */
static CoreName *const *names_for_all(const FuseRows *rows, const CoreStm *reader)
{
    Arena *arena = rows->f->c->arena;
    CoreName **names = ARENA_ARRAY(arena, CoreName *, reader->pattern_count + 1);
    for (size_t i = 0; i < reader->pattern_count; i++) {
        const CoreName *old = reader->pattern[i];
        CoreType type = old->type;
        CoreAtom *sizes = ARENA_NEW(arena, CoreAtom);
        *sizes = rows->filter->exp->as.filter.width;
        type.sizes = sizes;
        names[i] = core_name(rows->f->c, old->text, type, old->span);
        pointer_map_set(rows->f->arena, rows->moved, old, names[i]);
    }
    return names;
}

static const CoreStm *map_all(const FuseRows *rows, const CoreStm *reader)
{
    const CoreSoac *old = &reader->exp->as.soac;
    Copy copy = copy_predicate(rows, reader->span);
    bind_rows(rows, &copy, old->input_count, old->map->parameters, old->inputs);
    const CoreAtom *results =
        fuse_where_kept(rows->f, &copy.builder, copy.keep, old->map->body, NULL);
    const CoreLambda *map = close_lambda(rows, &copy, old->map->body->result_count, results);
    CoreStm *stm = fuse_with_certificates(rows->f, reader, rows->filter);
    stm->pattern = names_for_all(rows, reader);
    stm->exp = soac_of_all(rows, &copy, map, 0, NULL);
    return stm;
}

static const CoreStm *replicate_all(const FuseRows *rows, const CoreStm *reader)
{
    CoreStm *stm = arena_copy(rows->f->c->arena, reader, sizeof *stm);
    CoreExp *exp = core_exp_copy(rows->f->c, reader->exp);
    stm->pattern = names_for_all(rows, reader);
    exp->as.replicate.sizes = stm->pattern[0]->type.sizes;
    stm->exp = exp;
    return stm;
}

/* ---- scatters -------------------------------------------------------------------------------- */

/* An array whose element k is k + add, for all k. */
static bool counts(Fuse *f, CoreAtom array, int64_t *add)
{
    const CoreStm *stm = fuse_definition(f, array);
    *add = 0;
    if (stm && stm->exp->kind == CORE_EXP_SLICE) {
        const CoreSlice *slice = &stm->exp->as.slice.slices[0];
        if (slice->fixed || slice->offset.name || slice->stride.name ||
            slice->stride.as.integer != 1) {
            return false;
        }
        *add = slice->offset.as.integer;
        stm = fuse_definition(f, stm->exp->as.slice.array);
    }
    return stm && stm->exp->kind == CORE_EXP_IOTA;
}

static const CoreStm *binding_in(const CoreBody *body, const CoreName *name)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        if (body->stms[i]->pattern_count == 1 && body->stms[i]->pattern[0] == name) {
            return body->stms[i];
        }
    }
    return NULL;
}

/* The input whose row, with a constant added, is what the map makes; a null atom where that is not so. */
static CoreAtom input_that_shifts(const CoreStm *map, const CoreName *array, int64_t *add)
{
    const CoreSoac *soac = &map->exp->as.soac;
    size_t result = 0;
    while (map->pattern[result] != array) {
        result++;
    }
    CoreAtom row = soac->map->body->results[result];
    const CoreStm *stm = row.name ? binding_in(soac->map->body, row.name) : NULL;
    if (stm && stm->exp->kind == CORE_EXP_BINARY && !stm->exp->as.scalar.y.name &&
        (stm->exp->as.scalar.op == CORE_ADD || stm->exp->as.scalar.op == CORE_SUB)) {
        int64_t shift = stm->exp->as.scalar.y.as.integer;
        bool minus = stm->exp->as.scalar.op == CORE_SUB;
        if (minus ? __builtin_sub_overflow(*add, shift, add)
                  : __builtin_add_overflow(*add, shift, add)) {
            return (CoreAtom){0};
        }
        row = stm->exp->as.scalar.x;
    }
    for (size_t i = 0; row.name && i < soac->input_count; i++) {
        if (soac->map->parameters[i] == row.name) {
            return soac->inputs[i];
        }
    }
    return (CoreAtom){0};
}

/* The array whose rows these are, where they are kept as they are. */
static CoreAtom kept_input(const CoreExp *filter, size_t place)
{
    const CoreLambda *predicate = filter->as.filter.predicate;
    if (predicate->body->result_count == 1) {
        return filter->as.filter.inputs[place];
    }
    for (size_t i = 0; i < predicate->parameter_count; i++) {
        if (predicate->parameters[i] == predicate->body->results[1 + place].name) {
            return filter->as.filter.inputs[i];
        }
    }
    return (CoreAtom){0};
}

/* The positions of kept rows are these rows' numbers among all. */
static bool are_own(const FuseRows *rows, CoreAtom positions)
{
    const CoreExp *filter = rows->filter->exp;
    int64_t add = 0, from;
    while (positions.name) {
        size_t place = place_of(rows->filter, positions);
        if (place < SIZE_MAX) {
            return counts(rows->f, kept_input(filter, place), &from) && from == -add;
        }
        const CoreStm *map = fuse_definition(rows->f, positions);
        positions =
            map && fuse_is_map(map) ? input_that_shifts(map, positions.name, &add) : (CoreAtom){0};
    }
    return false;
}

/* The ones where the row is kept, else the others. */
static const CoreAtom *either(const FuseRows *rows, Copy *copy, size_t count, const CoreAtom *ones,
                              const CoreAtom *others)
{
    Compilation *c = rows->f->c;
    CoreName **names = ARENA_ARRAY(c->arena, CoreName *, count);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count);
    CoreBuilder one = core_builder(c, copy->builder.span), other = one;
    for (size_t i = 0; i < count; i++) {
        names[i] = core_name(c, "item", core_atom_type(ones[i]), copy->builder.span);
        results[i] = core_use(names[i]);
    }
    core_bind(
        &copy->builder, count, names,
        core_exp_if(c, copy->keep, core_body(&one, count, ones), core_body(&other, count, others)));
    return results;
}

/* map n (\x v y -> if p x then v else y) (xs, vs, ys) */
static const CoreStm *choose_all(const FuseRows *rows, const CoreStm *reader)
{
    Compilation *c = rows->f->c;
    const CoreExp *old = reader->exp;
    size_t count = old->as.scatter.count;
    CoreAtom *values = ARENA_ARRAY(c->arena, CoreAtom, count);
    CoreAtom *others = ARENA_ARRAY(c->arena, CoreAtom, count);
    Copy copy = copy_predicate(rows, reader->span);
    for (size_t i = 0; i < count; i++) {
        values[i] = row_of(rows, &copy, old->as.scatter.values[i]);
        others[i] = input_row(rows, &copy, old->as.scatter.destinations[i]);
    }
    const CoreAtom *results = either(rows, &copy, count, values, others);
    CoreStm *stm = fuse_with_certificates(rows->f, reader, rows->filter);
    stm->exp = soac_of_all(rows, &copy, close_lambda(rows, &copy, count, results), 0, NULL);
    return stm;
}

/* Positions and values of all rows, where -1 is the position of rows that are not kept: what a map makes, beside the
   scatter or histogram that takes them. */
static void scatter_all(const FuseRows *rows, const CoreStm *reader, StmVec *stms)
{
    Compilation *c = rows->f->c;
    const CoreExp *old = reader->exp;
    CoreAtom width = rows->filter->exp->as.filter.width;
    size_t count = 1 + old->as.scatter.count;
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count);
    CoreAtom *arrays = ARENA_ARRAY(c->arena, CoreAtom, count);
    CoreName **names = ARENA_ARRAY(c->arena, CoreName *, count);
    Copy copy = copy_predicate(rows, reader->span);
    CoreAtom position = row_of(rows, &copy, old->as.scatter.indices), nowhere = core_i64(-1);
    results[0] = *either(rows, &copy, 1, &position, &nowhere);
    for (size_t i = 1; i < count; i++) {
        results[i] = row_of(rows, &copy, old->as.scatter.values[i - 1]);
    }
    for (size_t i = 0; i < count; i++) {
        names[i] =
            core_name(c, i == 0 ? "positions" : "values",
                      core_array(c, core_atom_type(results[i]).prim, 1, &width), reader->span);
        arrays[i] = core_use(names[i]);
    }
    CoreStm *map = fuse_with_certificates(rows->f, reader, rows->filter);
    map->pattern_count = count;
    map->pattern = names;
    map->exp = soac_of_all(rows, &copy, close_lambda(rows, &copy, count, results), 0, NULL);
    CoreStm *stm = arena_copy(c->arena, reader, sizeof *stm);
    CoreExp *exp = core_exp_copy(c, old);
    exp->as.scatter.width = width;
    exp->as.scatter.indices = arrays[0];
    exp->as.scatter.values = arrays + 1;
    stm->exp = exp;
    vec_push(c->arena, stms, map);
    vec_push(c->arena, stms, stm);
}

static bool are_own_rows(const FuseRows *rows, const CoreStm *scatter)
{
    const CoreExp *exp = scatter->exp;
    bool own = exp->kind == CORE_EXP_SCATTER && are_own(rows, exp->as.scatter.indices);
    for (size_t i = 0; own && i < exp->as.scatter.count; i++) {
        own = core_atom_equal(core_atom_type(exp->as.scatter.destinations[i]).sizes[0],
                              rows->filter->exp->as.filter.width);
    }
    return own;
}

void fuse_take_all(const FuseRows *rows, const CoreStm *reader, StmVec *stms)
{
    const CoreStm *stm = NULL;
    if (reader->exp->kind == CORE_EXP_FILTER) {
        stm = filter_all(rows, reader);
    } else if (reader->exp->kind == CORE_EXP_REPLICATE) {
        stm = replicate_all(rows, reader);
    } else if (reader->exp->kind == CORE_EXP_SOAC) {
        stm = fuse_is_map(reader) ? map_all(rows, reader) : reduce_all(rows, reader);
    } else if (are_own_rows(rows, reader)) {
        stm = choose_all(rows, reader);
    }
    if (stm) {
        vec_push(rows->f->c->arena, stms, stm);
    } else {
        scatter_all(rows, reader, stms);
    }
}
