/* Arrays in loops whose numbers of rows the device makes: how many they have room for, and statements with them
   (capacities.c). */
#include "core/locality/capacities.h"

/* ---- capacities ------------------------------------------------------------------------------- */

bool rooms_is_device(const Bounded *g, CoreAtom atom)
{
    return atom.name && pointer_map_get(&g->device, atom.name);
}

bool rooms_has_device_size(const Bounded *g, CoreType type)
{
    bool found = false;
    for (int axis = 0; axis < type.rank; axis++) {
        found = found || rooms_is_device(g, type.sizes[axis]);
    }
    return found;
}

static const CoreStm *maker(const Bounded *g, CoreAtom atom)
{
    return atom.name ? pointer_map_get(&g->own, atom.name) : NULL;
}

static bool is_filter_count(const CoreStm *stm, CoreAtom atom)
{
    return stm->exp->kind == CORE_EXP_FILTER && stm->pattern[0] == atom.name;
}

CoreAtom rooms_renamed(const Bounded *g, CoreAtom atom)
{
    return core_renamed(g->renaming, atom);
}

static CoreAtom fail(Bounded *g)
{
    g->failed = true;
    return core_i64(0);
}

/* The smaller of both capacities, or the one that is known. */
static CoreAtom smaller_capacity(Bounded *g, const char *text, CoreAtom x, CoreAtom y)
{
    CoreAtom left = rooms_capacity(g, x);
    bool no_left = g->failed;
    g->failed = false;
    CoreAtom right = rooms_capacity(g, y);
    bool no_right = g->failed;
    g->failed = no_left && no_right;
    return no_left ? right : no_right ? left : core_let_binary(g->b, text, CORE_MIN, left, right);
}

/* Of arithmetic that does not fall where a number of rows grows. Where a check fails that it is not negative, the device
   knows it first. */
static CoreAtom computed_capacity(Bounded *g, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    CoreAtom x = exp->as.scalar.x, y = exp->as.scalar.y, capacity;
    CoreOperator op = exp->as.scalar.op;
    const char *text = stm->pattern[0]->text;
    bool adds = op == CORE_ADD || op == CORE_MAX || (op == CORE_SUB && !rooms_is_device(g, y));
    if (g->failed ||
        (!adds && op != CORE_MIN)) { /* others are not bounded by what their operands are */
        return fail(g);
    }
    if (op == CORE_MIN) {
        capacity = smaller_capacity(g, text, x, y);
    } else {
        CoreAtom left = rooms_capacity(g, x), right = rooms_capacity(g, y);
        capacity = g->failed ? left : core_let_binary(g->b, text, op, left, right);
    }
    return g->failed ? capacity : core_let_binary(g->b, text, CORE_MAX, capacity, core_i64(0));
}

CoreAtom rooms_capacity(Bounded *g, CoreAtom size)
{
    if (!rooms_is_device(g, size)) {
        return rooms_renamed(g, size);
    }
    const CoreAtom *known = pointer_map_get(&g->rooms, size.name);
    if (known) {
        return *known;
    }
    const CoreStm *stm = maker(g, size);
    CoreAtom capacity;
    if (!stm) {
        return fail(g);
    }
    if (is_filter_count(stm, size)) {
        capacity = rooms_capacity(g, stm->exp->as.filter.width);
    } else if (stm->exp->kind == CORE_EXP_ATOM) {
        capacity = rooms_capacity(g, stm->exp->as.atom);
    } else if (stm->exp->kind == CORE_EXP_BINARY) {
        capacity = computed_capacity(g, stm);
    } else {
        return fail(g);
    }
    *(CoreAtom *)pointer_map_make(g->c->arena, &g->rooms, size.name, sizeof capacity) = capacity;
    return capacity;
}

bool rooms_stay_bounded(const Bounded *g, CoreAtom size, const CoreName *state)
{
    const CoreStm *stm = maker(g, size);
    if (!rooms_is_device(g, size) || size.name == state) {
        return true;
    }
    if (!stm) {
        return false;
    }
    if (is_filter_count(stm, size)) {
        return rooms_stay_bounded(g, stm->exp->as.filter.width, state);
    }
    if (stm->exp->kind == CORE_EXP_ATOM) {
        return rooms_stay_bounded(g, stm->exp->as.atom, state);
    }
    if (stm->exp->kind != CORE_EXP_BINARY) {
        return false;
    }
    CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
    switch ((int)stm->exp->as.scalar.op) { /* others grow */
    case CORE_SUB: return !y.name && y.as.integer >= 0 && rooms_stay_bounded(g, x, state);
    case CORE_MAX: return rooms_stay_bounded(g, x, state) && rooms_stay_bounded(g, y, state);
    case CORE_MIN: return rooms_stay_bounded(g, x, state) || rooms_stay_bounded(g, y, state);
    }
    return false;
}

/* An array of as many rows as there is room for; inner extents have to be known to the host. */
static CoreType bounded_type(Bounded *g, CoreType type)
{
    CoreAtom *sizes = ARENA_ARRAY(g->c->arena, CoreAtom, (size_t)type.rank + 1);
    for (int axis = 0; axis < type.rank; axis++) {
        g->failed = g->failed || (axis > 0 && rooms_is_device(g, type.sizes[axis]));
        sizes[axis] = rooms_capacity(g, type.sizes[axis]);
    }
    type.sizes = sizes;
    return type;
}

CoreName *rooms_name(Bounded *g, CoreName *old)
{
    CoreName *name = core_name(g->c, old->text, bounded_type(g, old->type), old->span);
    core_rename(g->renaming, old, core_use(name));
    return name;
}

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

/* (i, xs ...) -> if i < size then f xs ... else others, anew. */
static const CoreLambda *leaving_out(Bounded *g, const CoreLambda *function, CoreAtom size,
                                     const CoreAtom *others)
{
    Compilation *c = g->c;
    Span span = g->b->span;
    size_t count = function->body->result_count;
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, function->parameter_count + 1);
    CoreName **names = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreBuilder b = core_builder(c, span), none = b;
    const CoreLambda *fresh = core_rename_lambda(g->renaming, function);
    parameters[0] = core_name(c, "i", core_scalar(CORE_I64), span);
    for (size_t k = 0; k < fresh->parameter_count; k++) {
        parameters[1 + k] = fresh->parameters[k];
    }
    for (size_t k = 0; k < count; k++) {
        CoreType type = fresh->result_types[k];
        g->failed = g->failed || type.rank > 0;
        names[k] = core_name(c, "there", core_scalar(type.prim), span);
        results[k] = core_use(names[k]);
    }
    CoreAtom inside = core_let_binary(&b, "inside", CORE_LT, core_use(parameters[0]), size);
    core_bind(&b, count, names,
              core_exp_if(c, inside, fresh->body, core_body(&none, count, others)));
    return core_lambda(c, 1 + fresh->parameter_count, parameters, core_body(&b, count, results));
}

static CoreAtom *with_numbers(Bounded *g, CoreAtom capacity, size_t count, const CoreAtom *inputs)
{
    CoreAtom *all = ARENA_ARRAY(g->c->arena, CoreAtom, count + 1);
    all[0] = core_let_iota(g->b, "numbers", capacity);
    for (size_t k = 0; k < count; k++) {
        all[1 + k] = rooms_renamed(g, inputs[k]);
    }
    return all;
}

static const CoreReduction *fresh_folds(Bounded *g, size_t count, const CoreReduction *old,
                                        CoreAtom *others)
{
    CoreReduction *folds = ARENA_ARRAY(g->c->arena, CoreReduction, count + 1);
    for (size_t i = 0, at = 0; i < count; i++) {
        size_t width = old[i].function->body->result_count;
        CoreAtom *neutral = ARENA_ARRAY(g->c->arena, CoreAtom, width + 1);
        check_inside(g, old[i].function->body);
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

/* Binds what the old statement binds, of these rooms. */
static void bind(Bounded *g, const CoreStm *old, const CoreExp *exp)
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
    CoreAtom *inputs = with_numbers(g, capacity, soac->input_count, soac->inputs);
    const CoreLambda *map = leaving_out(g, soac->map, rooms_renamed(g, soac->width), others);
    if (!g->failed) {
        bind(g, stm,
             core_exp_soac(g->c, capacity, 1 + soac->input_count, inputs, map,
                           soac->reduction_count, reductions, soac->scan_count, scans));
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
        CoreExp *exp = core_exp_copy(g->c, core_rename_stm(g->renaming, stm)->exp);
        exp->kind = CORE_EXP_COMPACT;
        bind(g, stm, exp);
        return;
    }
    const CoreLambda *predicate = giving(g, filter);
    size_t count = predicate->body->result_count;
    CoreAtom *others = ARENA_ARRAY(g->c->arena, CoreAtom, count);
    for (size_t k = 0; k < count; k++) {
        others[k] = core_zero(predicate->result_types[k].prim);
    }
    CoreAtom *inputs =
        with_numbers(g, capacity, filter->as.filter.input_count, filter->as.filter.inputs);
    const CoreLambda *function = leaving_out(g, predicate, rooms_renamed(g, width), others);
    if (!g->failed) {
        bind(g, stm,
             core_exp_compact(g->c, capacity, 1 + filter->as.filter.input_count, inputs, function));
    }
}

/* Positions, where those of rows that are not meant are none. */
static void bound_scatter(Bounded *g, const CoreStm *stm)
{
    const CoreExp *old = stm->exp;
    CoreAtom width = old->as.scatter.width, capacity = rooms_capacity(g, width), places;
    CoreExp *exp = core_exp_copy(g->c, core_rename_stm(g->renaming, stm)->exp);
    if (old->kind == CORE_EXP_HIST) {
        check_inside(g, old->as.scatter.op->body);
    }
    g->failed = g->failed || old->level != CORE_LEVEL_AUTO || old->space != CORE_SPACE_AUTO;
    if (g->failed) {
        return;
    }
    if (rooms_is_device(g, width)) {
        CoreName *parameters[2] = {core_name(g->c, "i", core_scalar(CORE_I64), stm->span),
                                   core_name(g->c, "place", core_scalar(CORE_I64), stm->span)};
        CoreAtom *inputs = with_numbers(g, capacity, 1, &old->as.scatter.indices);
        CoreAtom place = core_use(parameters[1]), nowhere = core_i64(-1);
        CoreBuilder inner = core_builder(g->c, stm->span), there = inner, none = inner;
        CoreAtom inside = core_let_binary(&inner, "inside", CORE_LT, core_use(parameters[0]),
                                          rooms_renamed(g, width));
        CoreAtom chosen = core_let(
            &inner, "place", core_scalar(CORE_I64),
            core_exp_if(g->c, inside, core_body(&there, 1, &place), core_body(&none, 1, &nowhere)));
        core_let_map(g->b, "places", capacity, 2, inputs,
                     core_lambda(g->c, 2, parameters, core_body(&inner, 1, &chosen)), &places);
        exp->as.scatter.indices = places;
    }
    exp->as.scatter.width = capacity;
    bind(g, stm, exp);
}

/* So many rows from that one on are in the room of an array that has as many rows as the size says. */
static bool is_within(const Bounded *g, CoreAtom count, CoreAtom size, int64_t from)
{
    const CoreStm *stm = maker(g, count);
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

static void bound_slice(Bounded *g, const CoreStm *stm)
{
    const CoreExp *old = stm->exp;
    const CoreSlice *first = &old->as.slice.slices[0];
    CoreAtom size = core_atom_type(old->as.slice.array).sizes[0];
    bool counts = !first->fixed && rooms_is_device(g, first->count);
    for (size_t k = 1; k < old->as.slice.count; k++) { /* of inner extents the host knows all */
        const CoreSlice *slice = &old->as.slice.slices[k];
        g->failed = g->failed || rooms_is_device(g, slice->offset) ||
                    (!slice->fixed &&
                     (rooms_is_device(g, slice->count) || rooms_is_device(g, slice->stride)));
    }
    if (!first->fixed &&
        (rooms_is_device(g, first->offset) || first->stride.name ||
         (counts &&
          (first->offset.name || first->offset.as.integer < 0 || first->stride.as.integer != 1 ||
           !is_within(g, first->count, size, first->offset.as.integer))))) {
        g->failed = true;
        return;
    }
    CoreExp *exp = core_exp_copy(g->c, core_rename_stm(g->renaming, stm)->exp);
    CoreSlice *slices =
        arena_copy(g->c->arena, exp->as.slice.slices, sizeof *slices * old->as.slice.count);
    slices[0].count = counts ? rooms_capacity(g, first->count) : slices[0].count;
    exp->as.slice.slices = slices;
    bind(g, stm, exp);
}

/* Arrays that are made by their sizes. */
static void bound_sizes(Bounded *g, const CoreStm *stm)
{
    CoreExp *exp = core_exp_copy(g->c, core_rename_stm(g->renaming, stm)->exp);
    CoreType type = bounded_type(g, stm->pattern[0]->type);
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
    bind(g, stm, exp);
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

void rooms_statement(Bounded *g, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    g->b->span = stm->span;
    if (exp->kind == CORE_EXP_FILTER) {
        bound_filter(g, stm);
        return;
    }
    if (!mentions_rooms(g, stm)) {
        core_add(g->b, core_rename_stm(g->renaming, stm));
        return;
    }
    bool scalars = true;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        scalars = scalars && !rooms_has_device_size(g, stm->pattern[k]->type);
    }
    switch ((int)exp->kind) { /* the others are views that would need another place, or loops */
    case CORE_EXP_SOAC:
        if (rooms_is_device(g, exp->as.soac.width)) {
            bound_soac(g, stm);
            return;
        }
        break;
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST: bound_scatter(g, stm); return;
    case CORE_EXP_SLICE: bound_slice(g, stm); return;
    case CORE_EXP_IOTA:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_SCRATCH: bound_sizes(g, stm); return;
    case CORE_EXP_ATOM:
    case CORE_EXP_COPY: bind(g, stm, core_rename_stm(g->renaming, stm)->exp); return;
    case CORE_EXP_INDEX:
    case CORE_EXP_IF: break;
    default: g->failed = true; return;
    }
    check_statement(g, stm);
    g->failed = g->failed || !scalars;
    if (!g->failed) {
        core_add(g->b, core_rename_stm(g->renaming, stm));
    }
}
