/* Arrays in loops of the host, of which the device alone knows how many rows they have.

       loop (n = n0, v : [n] = v0) for i < k do          loop (m = n0, n = n0, v : [m] = v0) for i < k do
         let s = reduce (+) 0 v                            let s = redomap (\i x -> if i < n then x else 0) (+) 0
         let (p, w : [p]) = filter n (> s) v       ==>       (iota m) v
         let q = max (p - 1) 0                             let (p, w : [m]) = compact m (\i x -> i < n & x > s)
         let u = w[1 :+ q]                                   (iota m) v
         in (q, u)                                         let q = max (p - 1) 0
                                                           let l = max (m - 1) 0
                                                           let u = w[1 :+ l]
                                                           in (l, q, u)
                                                         ... v[0 :+ n]

   How many rows a filter keeps is what the host would wait for in each step, for it makes memory for them and starts
   kernels of as many work-items. It can do with a number that is not less: the capacity. Arrays have so many rows, of
   which the first are meant; SOACs leave out the others. The number itself is scalar state like other (loop_scalars.c).

   Of loops where no capacity grows from step to step, for it would grow whatever is kept; and where the device goes
   through idle rows more quickly than the host waits: else the loop is as it was. So it is where something has to be
   known to the host all the same, as for a print.

   Before: flattened, a program for devices. After: the same values; simplified. */
#include "core/locality/device.h"

enum {
    ROW_BYTES = 16 /* as many bytes are copied as quickly as a row is left out */
};

typedef struct Capacities {
    Compilation *c;
    size_t *counts;
    bool changed;
} Capacities;

/* A loop at work. */
typedef struct Bounded {
    Compilation *c;
    const CoreExp *loop;
    PointerMap device; /* CoreName -> itself: a scalar that the device makes */
    PointerMap own;    /* CoreName -> its CoreStm: bound by a statement of the loop's body */
    PointerMap rooms; /* CoreName -> CoreAtom: a number of rows of the device's, and its capacity */
    Renaming *renaming; /* names of the old loop -> those of the new one */
    CoreBuilder *b;
    bool failed;
} Bounded;

/* ---- what the device makes ------------------------------------------------------------------- */

static bool is_device(const Bounded *g, CoreAtom atom)
{
    return atom.name && pointer_map_get(&g->device, atom.name);
}

typedef struct Search {
    const Bounded *g;
    bool found, array;
} Search;

static void look_at(void *context, CoreName *name)
{
    Search *search = context;
    search->found = search->found || is_device(search->g, core_use(name));
    search->array = search->array || name->type.rank > 0;
}

static bool is_made_by_device(const Bounded *g, const CoreStm *stm)
{
    Search search = {g, false, false};
    core_each_free(stm, look_at, &search);
    switch ((int)stm->exp->kind) { /* the others' scalars are known from kernels alone */
    case CORE_EXP_ATOM:
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT: return search.found;
    case CORE_EXP_IF: return search.found || search.array;
    }
    return true;
}

static void mark(Bounded *g, CoreName *name)
{
    pointer_map_set(g->c->arena, &g->device, name, name);
}

/* Scalars of the body, and of the state, that depend on the device. */
static void find_device(Bounded *g)
{
    const CoreExp *loop = g->loop;
    const CoreBody *body = loop->as.loop.body;
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < body->stm_count; i++) {
            const CoreStm *stm = body->stms[i];
            bool made = is_made_by_device(g, stm);
            for (size_t k = 0; k < stm->pattern_count; k++) {
                CoreName *name = stm->pattern[k];
                pointer_map_set(g->c->arena, &g->own, name, (void *)(uintptr_t)stm);
                if (made && name->type.rank == 0 && name->type.prim != CORE_CERT) {
                    mark(g, name);
                }
            }
        }
        for (size_t k = 0; k < loop->as.loop.parameter_count; k++) {
            CoreName *name = loop->as.loop.parameters[k];
            if (name->type.rank == 0 && !is_device(g, core_use(name)) &&
                is_device(g, body->results[k])) {
                mark(g, name);
                more = true;
            }
        }
    }
}

static bool has_device_size(const Bounded *g, CoreType type)
{
    bool found = false;
    for (int axis = 0; axis < type.rank; axis++) {
        found = found || is_device(g, type.sizes[axis]);
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

/* ---- capacities ------------------------------------------------------------------------------- */

static CoreAtom renamed(const Bounded *g, CoreAtom atom)
{
    return core_renamed(g->renaming, atom);
}

static CoreAtom fail(Bounded *g)
{
    g->failed = true;
    return core_i64(0);
}

static CoreAtom capacity_of(Bounded *g, CoreAtom size);

/* The smaller of both capacities, or the one that is known. */
static CoreAtom smaller_capacity(Bounded *g, const char *text, CoreAtom x, CoreAtom y)
{
    CoreAtom left = capacity_of(g, x);
    bool no_left = g->failed;
    g->failed = false;
    CoreAtom right = capacity_of(g, y);
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
    bool adds = op == CORE_ADD || op == CORE_MAX || (op == CORE_SUB && !is_device(g, y));
    if (g->failed ||
        (!adds && op != CORE_MIN)) { /* others are not bounded by what their operands are */
        return fail(g);
    }
    if (op == CORE_MIN) {
        capacity = smaller_capacity(g, text, x, y);
    } else {
        CoreAtom left = capacity_of(g, x), right = capacity_of(g, y);
        capacity = g->failed ? left : core_let_binary(g->b, text, op, left, right);
    }
    return g->failed ? capacity : core_let_binary(g->b, text, CORE_MAX, capacity, core_i64(0));
}

/* As many rows at least; it is not known where that is not bounded by a number of the host's. */
static CoreAtom capacity_of(Bounded *g, CoreAtom size)
{
    if (!is_device(g, size)) {
        return renamed(g, size);
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
        capacity = capacity_of(g, stm->exp->as.filter.width);
    } else if (stm->exp->kind == CORE_EXP_ATOM) {
        capacity = capacity_of(g, stm->exp->as.atom);
    } else if (stm->exp->kind == CORE_EXP_BINARY) {
        capacity = computed_capacity(g, stm);
    } else {
        return fail(g);
    }
    *(CoreAtom *)pointer_map_make(g->c->arena, &g->rooms, size.name, sizeof capacity) = capacity;
    return capacity;
}

/* The state's number of rows has, after a step, no larger capacity than before, or one that does not depend on it. */
static bool stays_bounded(const Bounded *g, CoreAtom size, const CoreName *state)
{
    const CoreStm *stm = maker(g, size);
    if (!is_device(g, size) || size.name == state) {
        return true;
    }
    if (!stm) {
        return false;
    }
    if (is_filter_count(stm, size)) {
        return stays_bounded(g, stm->exp->as.filter.width, state);
    }
    if (stm->exp->kind == CORE_EXP_ATOM) {
        return stays_bounded(g, stm->exp->as.atom, state);
    }
    if (stm->exp->kind != CORE_EXP_BINARY) {
        return false;
    }
    CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
    switch ((int)stm->exp->as.scalar.op) { /* others grow */
    case CORE_SUB: return !y.name && y.as.integer >= 0 && stays_bounded(g, x, state);
    case CORE_MAX: return stays_bounded(g, x, state) && stays_bounded(g, y, state);
    case CORE_MIN: return stays_bounded(g, x, state) || stays_bounded(g, y, state);
    }
    return false;
}

/* An array of as many rows as there is room for; inner extents have to be known to the host. */
static CoreType bounded_type(Bounded *g, CoreType type)
{
    CoreAtom *sizes = ARENA_ARRAY(g->c->arena, CoreAtom, (size_t)type.rank + 1);
    for (int axis = 0; axis < type.rank; axis++) {
        g->failed = g->failed || (axis > 0 && is_device(g, type.sizes[axis]));
        sizes[axis] = capacity_of(g, type.sizes[axis]);
    }
    type.sizes = sizes;
    return type;
}

static CoreName *bounded_name(Bounded *g, CoreName *old)
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
    g->failed = g->failed || (atom.name && has_device_size(g, core_atom_type(atom)));
}

static void check_statement(Bounded *g, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        g->failed = g->failed || has_device_size(g, stm->pattern[k]->type);
    }
    if (exp->kind != CORE_EXP_INDEX || stm->pattern[0]->type.rank > 0) {
        core_each_operand(exp, check_operand, g);
    }
    g->failed = g->failed || (exp->kind == CORE_EXP_SOAC && is_device(g, exp->as.soac.width)) ||
                (exp->kind == CORE_EXP_LOOP && is_device(g, exp->as.loop.bound));
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
        all[1 + k] = renamed(g, inputs[k]);
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
            neutral[k] = others[at++] = renamed(g, old[i].neutral[k]);
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
        pattern[k] = bounded_name(g, old->pattern[k]);
    }
    for (size_t i = 0; i < old->certificate_count; i++) {
        vec_push(g->c->arena, &g->b->certificates, renamed(g, old->certificates[i]));
    }
    core_bind(g->b, old->pattern_count, pattern, exp);
    g->b->certificates.count = 0;
}

static void bound_soac(Bounded *g, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    const CoreBody *body = soac->map->body;
    CoreAtom capacity = capacity_of(g, soac->width);
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
    const CoreLambda *map = leaving_out(g, soac->map, renamed(g, soac->width), others);
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
    CoreAtom width = filter->as.filter.width, capacity = capacity_of(g, width);
    check_inside(g, filter->as.filter.predicate->body);
    g->failed = g->failed || filter->level != CORE_LEVEL_AUTO;
    if (g->failed) {
        return;
    }
    if (!is_device(g, width)) {
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
    const CoreLambda *function = leaving_out(g, predicate, renamed(g, width), others);
    if (!g->failed) {
        bind(g, stm,
             core_exp_compact(g->c, capacity, 1 + filter->as.filter.input_count, inputs, function));
    }
}

/* Positions, where those of rows that are not meant are none. */
static void bound_scatter(Bounded *g, const CoreStm *stm)
{
    const CoreExp *old = stm->exp;
    CoreAtom width = old->as.scatter.width, capacity = capacity_of(g, width), places;
    CoreExp *exp = core_exp_copy(g->c, core_rename_stm(g->renaming, stm)->exp);
    if (old->kind == CORE_EXP_HIST) {
        check_inside(g, old->as.scatter.op->body);
    }
    g->failed = g->failed || old->level != CORE_LEVEL_AUTO || old->space != CORE_SPACE_AUTO;
    if (g->failed) {
        return;
    }
    if (is_device(g, width)) {
        CoreName *parameters[2] = {core_name(g->c, "i", core_scalar(CORE_I64), stm->span),
                                   core_name(g->c, "place", core_scalar(CORE_I64), stm->span)};
        CoreAtom *inputs = with_numbers(g, capacity, 1, &old->as.scatter.indices);
        CoreAtom place = core_use(parameters[1]), nowhere = core_i64(-1);
        CoreBuilder inner = core_builder(g->c, stm->span), there = inner, none = inner;
        CoreAtom inside =
            core_let_binary(&inner, "inside", CORE_LT, core_use(parameters[0]), renamed(g, width));
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
    bool counts = !first->fixed && is_device(g, first->count);
    for (size_t k = 1; k < old->as.slice.count; k++) { /* of inner extents the host knows all */
        const CoreSlice *slice = &old->as.slice.slices[k];
        g->failed = g->failed || is_device(g, slice->offset) ||
                    (!slice->fixed && (is_device(g, slice->count) || is_device(g, slice->stride)));
    }
    if (!first->fixed &&
        (is_device(g, first->offset) || first->stride.name ||
         (counts &&
          (first->offset.name || first->offset.as.integer < 0 || first->stride.as.integer != 1 ||
           !is_within(g, first->count, size, first->offset.as.integer))))) {
        g->failed = true;
        return;
    }
    CoreExp *exp = core_exp_copy(g->c, core_rename_stm(g->renaming, stm)->exp);
    CoreSlice *slices =
        arena_copy(g->c->arena, exp->as.slice.slices, sizeof *slices * old->as.slice.count);
    slices[0].count = counts ? capacity_of(g, first->count) : slices[0].count;
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

static bool mentions_rooms(const Bounded *g, const CoreStm *stm);

static void bound_statement(Bounded *g, const CoreStm *stm)
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
        scalars = scalars && !has_device_size(g, stm->pattern[k]->type);
    }
    switch ((int)exp->kind) { /* the others are views that would need another place, or loops */
    case CORE_EXP_SOAC:
        if (is_device(g, exp->as.soac.width)) {
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

static void look_for_rooms(void *context, CoreName *name)
{
    Search *search = context;
    search->found = search->found || has_device_size(search->g, name->type);
}

/* An array in it, or that it binds, has a number of rows that the device makes. */
static bool mentions_rooms(const Bounded *g, const CoreStm *stm)
{
    Search search = {g, false, false};
    core_each_free(stm, look_for_rooms, &search);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        look_for_rooms(&search, stm->pattern[k]);
    }
    return search.found ||
           (stm->exp->kind == CORE_EXP_SOAC && is_device(g, stm->exp->as.soac.width));
}

/* ---- loops ------------------------------------------------------------------------------------ */

static void find_filter(void *context, const CoreBody *body)
{
    bool *found = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        *found = *found || body->stms[i]->exp->kind == CORE_EXP_FILTER;
    }
}

/* Which of the state are numbers of rows that the device makes. */
static bool *find_rooms(const Bounded *g)
{
    const CoreExp *loop = g->loop;
    size_t count = loop->as.loop.parameter_count;
    bool *rooms = ARENA_ARRAY(g->c->arena, bool, count + 1);
    for (size_t k = 0; k < count; k++) {
        rooms[k] = false;
        for (size_t j = 0; j < count; j++) {
            CoreType type = loop->as.loop.parameters[j]->type;
            for (int axis = 0; axis < type.rank; axis++) {
                rooms[k] = rooms[k] || (type.sizes[axis].name == loop->as.loop.parameters[k] &&
                                        is_device(g, type.sizes[axis]));
            }
        }
    }
    return rooms;
}

typedef struct State {
    size_t rooms; /* capacities, in front of the others */
    const bool *is_room;
    CoreName **parameters;
    CoreAtom *initial;
} State;

static State state_of(Bounded *g)
{
    const CoreExp *loop = g->loop;
    size_t count = loop->as.loop.parameter_count;
    State s = {.is_room = find_rooms(g)};
    s.parameters = ARENA_ARRAY(g->c->arena, CoreName *, 2 * count + 1);
    s.initial = ARENA_ARRAY(g->c->arena, CoreAtom, 2 * count + 1);
    for (size_t k = 0; k < count; k++) {
        CoreName *old = loop->as.loop.parameters[k];
        if (s.is_room[k]) {
            CoreName *room = core_name(g->c, "room", core_scalar(CORE_I64), old->span);
            *(CoreAtom *)pointer_map_make(g->c->arena, &g->rooms, old, sizeof(CoreAtom)) =
                core_use(room);
            s.initial[s.rooms] = loop->as.loop.initial[k];
            s.parameters[s.rooms++] = room;
        }
    }
    for (size_t k = 0; k < count; k++) {
        s.parameters[s.rooms + k] = bounded_name(g, loop->as.loop.parameters[k]);
        s.initial[s.rooms + k] = loop->as.loop.initial[k];
    }
    return s;
}

static const CoreBody *body_of(Bounded *g, const State *s)
{
    const CoreBody *old = g->loop->as.loop.body;
    CoreBuilder b = core_builder(g->c, (Span){0});
    CoreAtom *results = ARENA_ARRAY(g->c->arena, CoreAtom, s->rooms + old->result_count + 1);
    g->b = &b;
    for (size_t i = 0; i < old->stm_count && !g->failed; i++) {
        bound_statement(g, old->stms[i]);
    }
    for (size_t k = 0, room = 0; k < old->result_count && !g->failed; k++) {
        if (s->is_room[k]) {
            g->failed = !stays_bounded(g, old->results[k], g->loop->as.loop.parameters[k]);
            results[room++] = capacity_of(g, old->results[k]);
        }
        results[s->rooms + k] = renamed(g, old->results[k]);
    }
    return core_body(&b, s->rooms + old->result_count, results);
}

/* The part of an array that is meant. */
static CoreAtom rows_there(CoreBuilder *b, CoreAtom array, CoreAtom count)
{
    CoreType type = core_atom_type(array);
    CoreSlice *slices = ARENA_ARRAY(b->c->arena, CoreSlice, (size_t)type.rank);
    for (int axis = 0; axis < type.rank; axis++) {
        slices[axis] = (CoreSlice){.offset = core_i64(0),
                                   .count = axis == 0 ? count : type.sizes[axis],
                                   .stride = core_i64(1)};
    }
    return core_let_slice(b, array.name->text, array, slices);
}

/* The new loop, and what the old one gave of it. */
static const CoreBody *bounded_loop(Bounded *g, const CoreStm *stm)
{
    Compilation *c = g->c;
    const CoreExp *loop = g->loop;
    size_t count = loop->as.loop.parameter_count;
    CoreBuilder b = core_builder(c, stm->span);
    find_device(g);
    State s = state_of(g);
    CoreName *index = loop->as.loop.index;
    if (index) {
        CoreName *fresh = core_name(c, index->text, index->type, index->span);
        core_rename(g->renaming, index, core_use(fresh));
        index = fresh;
    }
    const CoreBody *body = body_of(g, &s);
    if (g->failed) {
        return NULL;
    }
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, s.rooms + count + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    Renaming *after = core_renaming(c);
    for (size_t k = 0; k < s.rooms + count; k++) {
        const CoreName *parameter = s.parameters[k];
        CoreType type = core_map_type(c, parameter->type, core_renamed, after);
        type.unique = false;
        pattern[k] = core_name(c, parameter->text, type, stm->span);
        core_rename(after, parameter, core_use(pattern[k]));
    }
    CoreName *condition =
        loop->as.loop.condition ? renamed(g, core_use(loop->as.loop.condition)).name : NULL;
    const CoreExp *exp =
        index ? core_exp_for(c, s.rooms + count, s.parameters, s.initial, index,
                             loop->as.loop.bound, body)
              : core_exp_while(c, s.rooms + count, s.parameters, s.initial, condition, body);
    for (size_t i = 0; i < stm->certificate_count; i++) {
        vec_push(c->arena, &b.certificates, stm->certificates[i]);
    }
    core_bind(&b, s.rooms + count, pattern, exp);
    for (size_t k = 0; k < count; k++) {
        CoreType type = loop->as.loop.parameters[k]->type;
        results[k] = core_use(pattern[s.rooms + k]);
        for (size_t j = 0; j < count && type.rank > 0; j++) {
            if (s.is_room[j] && type.sizes[0].name == loop->as.loop.parameters[j]) {
                results[k] = rows_there(&b, results[k], core_use(pattern[s.rooms + j]));
            }
        }
    }
    return core_body(&b, count, results);
}

/* The device goes through all rows that there may be, in each step, as quickly as the host waits. */
static CoreAtom is_quick(Bounded *g, const CoreStm *stm, CoreBuilder *b)
{
    const CoreExp *loop = g->loop;
    CoreAtom bytes = core_let_device(b, CORE_DEVICE_COPIED_BYTES), rows = core_i64(0);
    const bool *rooms = find_rooms(g);
    b->span = stm->span;
    for (size_t k = 0; k < loop->as.loop.parameter_count; k++) {
        if (rooms[k]) {
            rows = core_let_binary(b, "rows", CORE_MAX, rows, loop->as.loop.initial[k]);
        }
    }
    for (size_t i = 0; i < loop->as.loop.body->stm_count; i++) {
        const CoreExp *exp = loop->as.loop.body->stms[i]->exp;
        CoreAtom width = exp->kind == CORE_EXP_FILTER ? exp->as.filter.width : core_i64(0);
        const CoreBody alone = {1, &stm, 0, NULL};
        if (width.name && !is_device(g, width) && core_uses(&alone, width.name)) {
            rows = core_let_binary(b, "rows", CORE_MAX, rows, width);
        }
    }
    CoreAtom most = core_let_binary(b, "most", CORE_DIV, bytes, core_i64(ROW_BYTES));
    return core_let_binary(b, "quick", CORE_LE, rows, most);
}

static const CoreBody *copy_of(Compilation *c, const CoreStm *stm)
{
    Renaming *renaming = core_renaming(c);
    CoreBuilder b = core_builder(c, stm->span);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, stm->pattern_count + 1);
    core_add(&b, core_rename_stm(renaming, stm));
    for (size_t k = 0; k < stm->pattern_count; k++) {
        results[k] = core_renamed(renaming, core_use(stm->pattern[k]));
    }
    return core_body(&b, stm->pattern_count, results);
}

static bool bound_loop(Capacities *p, const CoreStm *stm, CoreBuilder *b)
{
    bool filters = false;
    Bounded g = {.c = p->c, .loop = stm->exp, .renaming = core_renaming(p->c)};
    find_filter(&filters, stm->exp->as.loop.body);
    const CoreBody *fresh = filters && !core_has_effect(stm->exp) ? bounded_loop(&g, stm) : NULL;
    if (!fresh) {
        return false;
    }
    CoreAtom quick = is_quick(&g, stm, b);
    CoreStm *choice = arena_copy(p->c->arena, stm, sizeof *choice);
    choice->certificate_count = 0;
    choice->exp = core_exp_if(p->c, quick, fresh, copy_of(p->c, stm));
    core_add(b, choice);
    p->counts[CORE_RULE_CAPACITIES]++;
    p->changed = true;
    return true;
}

/* ---- the pass --------------------------------------------------------------------------------- */

static const CoreBody *bound_body(void *context, const CoreBody *body)
{
    Capacities *p = context;
    CoreBuilder b = core_builder(p->c, (Span){0});
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (stm->exp->kind != CORE_EXP_LOOP && stm->exp->kind != CORE_EXP_IF) {
            core_add(&b, stm); /* functions of SOACs are kernels */
            continue;
        }
        if (stm->exp->kind == CORE_EXP_LOOP && bound_loop(p, stm, &b)) {
            continue;
        }
        core_add(&b, core_map_stm(p->c, stm, bound_body, p));
    }
    return core_with_stms(p->c, body, b.stms.count, b.stms.items);
}

CoreProgram *core_bound_sizes(Compilation *c, const CoreProgram *program, size_t *counts)
{
    size_t ignored[CORE_RULE_COUNT] = {0};
    Capacities p = {.c = c, .counts = counts ? counts : ignored};
    const CoreProgram *bounded = core_map_functions(c, program, bound_body, &p);
    return p.changed ? core_simplify_last(c, bounded, p.counts)
                     : arena_copy(c->arena, bounded, sizeof *bounded);
}
