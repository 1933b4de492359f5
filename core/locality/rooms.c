/* Statements with arrays in loops whose numbers of rows the device makes (capacities.c): functions leave out rows that are not
   meant, and what gives arrays gives them with room (room_sizes.c). */
#include "core/locality/capacities.h"

/* ---- functions -------------------------------------------------------------------------------- */

/* What a function does with arrays of such numbers of rows is to read elements of them. */
static void check_inside(void *context, const CoreBody *body);

static void check_operand(void *context, CoreAtom atom)
{
    Bounded *g = context;
    g->failed = g->failed || (atom.name && rooms_has_device_size(g, core_atom_type(atom)));
}

static void check_statement(Bounded *g, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        g->failed = g->failed || rooms_has_device_size(g, stm->pattern[k]->type);
    }
    if (exp->kind != CORE_EXP_INDEX || stm->pattern[0]->type.rank > 0) {
        core_each_operand(exp, check_operand, g);
    }
    g->failed = g->failed ||
                (exp->kind == CORE_EXP_SOAC && rooms_is_device(g, exp->as.soac.width)) ||
                (exp->kind == CORE_EXP_LOOP && rooms_is_device(g, exp->as.loop.bound));
    core_each_body(exp, check_inside, g);
}

static void check_inside(void *context, const CoreBody *body)
{
    Bounded *g = context;
    for (size_t i = 0; i < body->stm_count && !g->failed; i++) {
        check_statement(g, body->stms[i]);
    }
}

/* (i, xs ...) -> if i < size then f xs ... else others, anew; what is a view of the inputs is read by it. NULL: it gives
   arrays. */
static const CoreLambda *leaving_out(Bounded *g, const CoreLambda *function, const CoreAtom *inputs,
                                     CoreAtom size, const CoreAtom *others)
{
    Compilation *c = g->c;
    Span span = g->b->span;
    size_t count = function->body->result_count, taken = 1;
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, function->parameter_count + 1);
    CoreName **names = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreBuilder b = core_builder(c, span), there = b, none = b;
    RoomsShown shown = {g, &there, core_renaming(c)};
    for (size_t k = 0; k < count; k++) {
        g->failed = g->failed || function->result_types[k].rank > 0;
    }
    if (g->failed) {
        return NULL;
    }
    rooms_show_free(&shown, function->body);
    const CoreLambda *fresh = core_rename_lambda(g->renaming, function);
    parameters[0] = core_name(c, "i", core_scalar(CORE_I64), span);
    CoreAtom index = core_use(parameters[0]);
    for (size_t k = 0; k < fresh->parameter_count; k++) {
        CoreName *row = fresh->parameters[k];
        if (rooms_is_view(g, inputs[k])) {
            CoreAtom element = rooms_row(&shown, row->text, inputs[k], index);
            core_bind(&there, 1, &row, core_atom_exp(c, element));
        } else {
            parameters[taken++] = row;
        }
    }
    for (size_t i = 0; i < fresh->body->stm_count; i++) {
        core_add(&there, fresh->body->stms[i]);
    }
    for (size_t k = 0; k < count; k++) {
        CoreType type = fresh->result_types[k];
        names[k] = core_name(c, "there", core_scalar(type.prim), span);
        results[k] = core_use(names[k]);
    }
    rooms_hide_free(g, function->body);
    CoreAtom inside = core_let_binary(&b, "inside", CORE_LT, index, rooms_renamed(g, size));
    core_bind(&b, count, names,
              core_exp_if(c, inside, core_body(&there, count, fresh->body->results),
                          core_body(&none, count, others)));
    return core_lambda(c, taken, parameters, core_body(&b, count, results));
}

/* The numbers of the rows, and the inputs but for views. */
static CoreAtom *with_numbers(Bounded *g, CoreAtom capacity, size_t *count, const CoreAtom *inputs)
{
    CoreAtom *all = ARENA_ARRAY(g->c->arena, CoreAtom, *count + 1);
    size_t taken = 1;
    all[0] = core_let_iota(g->b, "numbers", capacity);
    for (size_t k = 0; k < *count; k++) {
        if (!rooms_is_view(g, inputs[k])) {
            all[taken++] = rooms_renamed(g, inputs[k]);
        }
    }
    *count = taken;
    return all;
}

CoreAtom rooms_or(Bounded *g, CoreAtom array, CoreAtom other)
{
    CoreType type = core_atom_type(array);
    CoreAtom capacity = rooms_capacity(g, type.sizes[0]), whole = other;
    g->failed = g->failed || type.rank > 1;
    if (g->failed) {
        return other;
    }
    CoreName *row = core_name(g->c, array.name->text, core_scalar(type.prim), g->b->span);
    CoreAtom result = core_use(row);
    CoreBuilder none = core_builder(g->c, g->b->span);
    const CoreLambda *identity = core_lambda(g->c, 1, &row, core_body(&none, 1, &result));
    size_t count = 1;
    CoreAtom *inputs = with_numbers(g, capacity, &count, &array);
    const CoreLambda *map = leaving_out(g, identity, &array, type.sizes[0], &other);
    core_let_map(g->b, array.name->text, capacity, count, inputs, map, &whole);
    return whole;
}

static void store_inside(Bounded *g, const CoreBody *body)
{
    for (size_t k = 0; k < body->stm_count; k++) {
        rooms_store_free(g, body->stms[k]);
    }
}

static const CoreReduction *fresh_folds(Bounded *g, size_t count, const CoreReduction *old,
                                        CoreAtom *others)
{
    CoreReduction *folds = ARENA_ARRAY(g->c->arena, CoreReduction, count + 1);
    for (size_t i = 0, at = 0; i < count; i++) {
        size_t width = old[i].function->body->result_count;
        CoreAtom *neutral = ARENA_ARRAY(g->c->arena, CoreAtom, width + 1);
        check_inside(g, old[i].function->body);
        store_inside(g, old[i].function->body);
        for (size_t k = 0; k < width; k++) {
            neutral[k] = others[at++] = rooms_renamed(g, old[i].neutral[k]);
            g->failed = g->failed || core_atom_type(neutral[k]).rank > 0;
        }
        folds[i] = (CoreReduction){core_rename_lambda(g->renaming, old[i].function), neutral,
                                   old[i].commutative};
    }
    return folds;
}

/* ---- statements ------------------------------------------------------------------------------- */

const CoreStm *rooms_bind(Bounded *g, const CoreStm *old, const CoreExp *exp)
{
    CoreName **pattern = ARENA_ARRAY(g->c->arena, CoreName *, old->pattern_count + 1);
    for (size_t k = 0; k < old->pattern_count; k++) {
        pattern[k] = rooms_name(g, old->pattern[k]);
    }
    for (size_t i = 0; i < old->certificate_count; i++) {
        vec_push(g->c->arena, &g->b->certificates, rooms_renamed(g, old->certificates[i]));
    }
    core_bind(g->b, old->pattern_count, pattern, exp);
    g->b->certificates.count = 0;
    return g->b->stms.items[g->b->stms.count - 1];
}

static void bind_renamed(Bounded *g, const CoreStm *stm)
{
    if (!g->failed) {
        rooms_bind(g, stm, core_rename_stm(g->renaming, stm)->exp);
    }
}

static void bound_soac(Bounded *g, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    const CoreBody *body = soac->map->body;
    CoreAtom capacity = rooms_capacity(g, soac->width);
    CoreAtom *others = ARENA_ARRAY(g->c->arena, CoreAtom, body->result_count + 1);
    check_inside(g, body);
    const CoreReduction *reductions =
        fresh_folds(g, soac->reduction_count, soac->reductions, others);
    size_t reduced = 0, folded = 0;
    for (size_t i = 0; i < soac->reduction_count; i++) {
        reduced += soac->reductions[i].function->body->result_count;
    }
    const CoreReduction *scans = fresh_folds(g, soac->scan_count, soac->scans, others + reduced);
    folded = reduced;
    for (size_t i = 0; i < soac->scan_count; i++) {
        folded += soac->scans[i].function->body->result_count;
    }
    for (size_t k = folded; k < body->result_count; k++) {
        others[k] = core_zero(soac->map->result_types[k].prim);
    }
    g->failed =
        g->failed || stm->exp->level != CORE_LEVEL_AUTO || stm->exp->space != CORE_SPACE_AUTO;
    if (g->failed) {
        return;
    }
    size_t count = soac->input_count;
    CoreAtom *inputs = with_numbers(g, capacity, &count, soac->inputs);
    const CoreLambda *map = leaving_out(g, soac->map, soac->inputs, soac->width, others);
    if (!g->failed) {
        rooms_bind(g, stm,
                   core_exp_soac(g->c, capacity, count, inputs, map, soac->reduction_count,
                                 reductions, soac->scan_count, scans));
    }
}

/* The predicate, which gives what is kept, too. */
static const CoreLambda *giving(Bounded *g, const CoreExp *filter)
{
    const CoreLambda *old = filter->as.filter.predicate;
    if (old->body->result_count > 1) {
        return old;
    }
    CoreAtom *results = ARENA_ARRAY(g->c->arena, CoreAtom, old->parameter_count + 1);
    CoreBody *body = arena_copy(g->c->arena, old->body, sizeof *body);
    results[0] = old->body->results[0];
    for (size_t k = 0; k < old->parameter_count; k++) {
        g->failed = g->failed || old->parameters[k]->type.rank > 0;
        results[1 + k] = core_use(old->parameters[k]);
    }
    body->results = results;
    body->result_count = 1 + old->parameter_count;
    return core_lambda(g->c, old->parameter_count, old->parameters, body);
}

static void bound_filter(Bounded *g, const CoreStm *stm)
{
    const CoreExp *filter = stm->exp;
    CoreAtom width = filter->as.filter.width, capacity = rooms_capacity(g, width);
    check_inside(g, filter->as.filter.predicate->body);
    g->failed = g->failed || filter->level != CORE_LEVEL_AUTO;
    if (g->failed) {
        return;
    }
    if (!rooms_is_device(g, width)) {
        rooms_store_free(g, stm);
        CoreExp *exp = core_exp_copy(g->c, core_rename_stm(g->renaming, stm)->exp);
        exp->kind = CORE_EXP_COMPACT;
        rooms_bind(g, stm, exp);
        return;
    }
    const CoreLambda *predicate = giving(g, filter);
    size_t count = predicate->body->result_count;
    CoreAtom *others = ARENA_ARRAY(g->c->arena, CoreAtom, count);
    for (size_t k = 0; k < count; k++) {
        others[k] = core_zero(predicate->result_types[k].prim);
    }
    size_t input_count = filter->as.filter.input_count;
    CoreAtom *inputs = with_numbers(g, capacity, &input_count, filter->as.filter.inputs);
    const CoreLambda *function = leaving_out(g, predicate, filter->as.filter.inputs, width, others);
    if (!g->failed) {
        rooms_bind(g, stm, core_exp_compact(g->c, capacity, input_count, inputs, function));
    }
}

/* Positions, where those of rows that are not meant are none. */
static void bound_scatter(Bounded *g, const CoreStm *stm)
{
    const CoreExp *old = stm->exp;
    CoreAtom width = old->as.scatter.width, capacity = rooms_capacity(g, width);
    CoreAtom places = rooms_is_device(g, width) ? rooms_or(g, old->as.scatter.indices, core_i64(-1))
                                                : rooms_renamed(g, old->as.scatter.indices);
    for (size_t k = 0; k < old->as.scatter.count; k++) {
        rooms_store(g, old->as.scatter.values[k]);
    }
    if (old->kind == CORE_EXP_HIST) {
        check_inside(g, old->as.scatter.op->body);
        store_inside(g, old->as.scatter.op->body);
    }
    CoreExp *exp = core_exp_copy(g->c, core_rename_stm(g->renaming, stm)->exp);
    g->failed = g->failed || old->level != CORE_LEVEL_AUTO || old->space != CORE_SPACE_AUTO;
    if (g->failed) {
        return;
    }
    exp->as.scatter.indices = places;
    exp->as.scatter.width = capacity;
    rooms_bind(g, stm, exp);
}

/* So many rows from that one on are in the room of an array that has as many rows as the size says. */
static bool is_within(const Bounded *g, CoreAtom count, CoreAtom size, int64_t from)
{
    const CoreStm *stm = rooms_maker(g, count);
    if (core_atom_equal(count, size)) {
        return from == 0;
    }
    if (!stm || stm->exp->kind != CORE_EXP_BINARY) {
        return false;
    }
    CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
    bool none = !y.name && y.as.integer == 0;
    switch ((int)stm->exp->as.scalar.op) {                     /* of others that is not known */
    case CORE_MAX: return none && is_within(g, x, size, from); /* none, where it is below 0 */
    case CORE_MIN: return is_within(g, x, size, from) || is_within(g, y, size, from);
    case CORE_SUB:
        return !y.name && y.as.integer >= 0 &&
               is_within(g, x, size, from > y.as.integer ? from - y.as.integer : 0);
    }
    return false;
}

/* The rows from the first or a later one on, each, which are there where those of the array are. */
static bool is_front(const Bounded *g, const CoreExp *exp)
{
    const CoreSlice *first = &exp->as.slice.slices[0];
    CoreAtom array = exp->as.slice.array;
    bool found = false;
    for (size_t k = 1; k < exp->as.slice.count; k++) { /* of inner extents the host knows all */
        const CoreSlice *slice = &exp->as.slice.slices[k];
        found = found || rooms_is_device(g, slice->offset) ||
                (!slice->fixed &&
                 (rooms_is_device(g, slice->count) || rooms_is_device(g, slice->stride)));
    }
    return !found && !rooms_is_view(g, array) &&
           (first->fixed || (!rooms_is_device(g, first->offset) && !first->stride.name &&
                             (!rooms_is_device(g, first->count) ||
                              (!first->offset.name && first->offset.as.integer >= 0 &&
                               first->stride.as.integer == 1 &&
                               is_within(g, first->count, core_atom_type(array).sizes[0],
                                         first->offset.as.integer)))));
}

static void bound_slice(Bounded *g, const CoreStm *stm)
{
    const CoreExp *old = stm->exp;
    const CoreSlice *first = &old->as.slice.slices[0];
    if (!is_front(g, old)) {
        rooms_view(g, stm);
        return;
    }
    CoreExp *exp = core_exp_copy(g->c, core_rename_stm(g->renaming, stm)->exp);
    if (!first->fixed && rooms_is_device(g, first->count)) {
        CoreSlice *slices =
            arena_copy(g->c->arena, exp->as.slice.slices, sizeof *slices * old->as.slice.count);
        slices[0].count = rooms_capacity(g, first->count);
        exp->as.slice.slices = slices;
    }
    rooms_bind(g, stm, exp);
}

/* Arrays that are made by their sizes. */
static void bound_sizes(Bounded *g, const CoreStm *stm)
{
    CoreExp *exp = core_exp_copy(g->c, core_rename_stm(g->renaming, stm)->exp);
    CoreType type = rooms_type(g, stm->pattern[0]->type);
    switch ((int)exp->kind) {
    case CORE_EXP_IOTA: exp->as.count = type.sizes[0]; break;
    case CORE_EXP_REPLICATE: {
        CoreAtom *sizes = arena_copy(g->c->arena, exp->as.replicate.sizes,
                                     sizeof *sizes * exp->as.replicate.count);
        sizes[0] = type.sizes[0];
        exp->as.replicate.sizes = sizes;
        break;
    }
    case CORE_EXP_SCRATCH: exp->as.scratch.sizes = type.sizes; break;
    }
    rooms_bind(g, stm, exp);
}

typedef struct Search {
    const Bounded *g;
    bool found;
} Search;

static void look_for_rooms(void *context, CoreName *name)
{
    Search *search = context;
    search->found = search->found || rooms_has_device_size(search->g, name->type);
}

/* An array in it, or that it binds, has a number of rows that the device makes. */
static bool mentions_rooms(const Bounded *g, const CoreStm *stm)
{
    Search search = {g, false};
    core_each_free(stm, look_for_rooms, &search);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        look_for_rooms(&search, stm->pattern[k]);
    }
    return search.found ||
           (stm->exp->kind == CORE_EXP_SOAC && rooms_is_device(g, stm->exp->as.soac.width));
}

/* All that it does with such arrays is to read elements of them. */
static bool is_of_scalars(Bounded *g, const CoreStm *stm)
{
    check_statement(g, stm);
    bool fits = !g->failed;
    g->failed = false;
    return fits;
}

void rooms_statement(Bounded *g, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    g->b->span = stm->span;
    if (exp->kind == CORE_EXP_FILTER) {
        bound_filter(g, stm);
        return;
    }
    if (exp->kind == CORE_EXP_INDEX && rooms_is_view(g, exp->as.index.array)) {
        rooms_element(g, stm);
        return;
    }
    if (!mentions_rooms(g, stm)) {
        core_add(g->b, core_rename_stm(g->renaming, stm));
        return;
    }
    switch ((int)exp->kind) { /* the others are loops and effects */
    case CORE_EXP_SOAC:
        if (rooms_is_device(g, exp->as.soac.width)) {
            bound_soac(g, stm);
            return;
        }
        rooms_store_free(g, stm);
        break;
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST: bound_scatter(g, stm); return;
    case CORE_EXP_SLICE: bound_slice(g, stm); return;
    case CORE_EXP_IOTA:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_SCRATCH: bound_sizes(g, stm); return;
    case CORE_EXP_REARRANGE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD: rooms_view(g, stm); return;
    case CORE_EXP_ATOM:
    case CORE_EXP_COPY:
        rooms_store_free(g, stm);
        bind_renamed(g, stm);
        return;
    case CORE_EXP_INDEX: break;
    case CORE_EXP_IF:
        if (!is_of_scalars(g, stm)) {
            rooms_branches(g, stm);
            return;
        }
        rooms_store_free(g, stm);
        break;
    default: g->failed = true; return;
    }
    check_statement(g, stm);
    if (!g->failed) {
        core_add(g->b, core_rename_stm(g->renaming, stm));
    }
}
