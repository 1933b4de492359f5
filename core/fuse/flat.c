/* [L0 8] A reshape past a producer: a matrix that is stored, and of which one reduction takes all
   elements, is made element by element, so that the reduction can be made together with it.

       let y = map n (\row -> map m (\x -> F) row) a
       let s = redomap w (\i -> y[i / m, i % m] ...) op ne (iota w)    -- w = n * m; or of reshape [w] y

   ==> let z = map w (\i -> { let x = a[i / m, i % m]; F }) (iota w)
       let y = reshape [n, m] z
       let s = redomap w (\(i, x) -> x ...) op ne (iota w, z)

   and graph.c makes one of the two. So it is where a filter takes all elements, or goes by them, as (,m>0)/,m does (keep.c).
   A pass over the matrix less, and a kernel: steps that say how much they have changed (`⌈/,|y-x`) are one kernel. Only where
   nothing else is left to do, since a nest is what other maps of the same rows fuse with; of cheap elements, and not where rows
   are read across, which a nest does better (backend/lower/). */
#include "core/fuse/fuse.h"

enum { MOST_ROW_COST = 24 }; /* of what a row computes once, and each of its elements will */

typedef struct Flat {
    Fuse *f;
    const CoreBody *body;
    const CoreStm *nest; /* at work */
    PointerMap after;    /* CoreName -> anything: has to wait for the nest */
    size_t readings;     /* of core_each_free */
} Flat;

/* ---- nests that may be flat ---------------------------------------------------------------- */

/* The last map in the map's function, which makes all of its results; NULL: it does not. */
static const CoreStm *inner_map(const CoreSoac *outer)
{
    const CoreBody *body = outer->map->body;
    const CoreStm *inner = NULL;
    for (size_t i = 0; i < body->stm_count; i++) {
        inner = fuse_is_map(body->stms[i]) ? body->stms[i] : inner;
    }
    for (size_t k = 0; inner && k < body->result_count; k++) {
        if (!body->results[k].name || !core_stm_binds(inner, body->results[k].name)) {
            return NULL;
        }
    }
    return inner;
}

/* Beside the inner map there is little work, of which an element may do its own; other maps and
   reductions of many rows are too dear. */
static bool is_cheap_beside(const CoreBody *body, const CoreStm *inner)
{
    unsigned cost = 0;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreBody alone = {.stm_count = 1, .stms = &body->stms[i]};
        cost += body->stms[i] == inner ? 0 : fuse_cost(&alone);
    }
    return cost <= MOST_ROW_COST;
}

typedef struct Across {
    Fuse *f;
    bool found;
} Across;

/* The array, or what it is a view of, is a transposition. */
static void look_across(void *context, CoreAtom atom)
{
    Across *across = context;
    const CoreStm *stm = fuse_definition(across->f, atom);
    if (stm && core_is_view(stm->exp->kind) && !across->found) {
        across->found = stm->exp->kind == CORE_EXP_REARRANGE;
        core_each_operand(stm->exp, look_across, across);
    }
}

/* Of two levels, scalars at the end. */
static bool may_be_flat(Fuse *f, const CoreStm *stm)
{
    if (!fuse_is_map(stm) || core_may_fail(stm)) {
        return false;
    }
    const CoreSoac *outer = &stm->exp->as.soac;
    const CoreStm *inner = inner_map(outer);
    const FuseNest nest = fuse_nest(stm);
    if (!inner || nest.depth != 2 || nest.mixed || nest.serial ||
        !fuse_is_of_scalars(inner->exp->as.soac.map) || !is_cheap_beside(outer->map->body, inner) ||
        fuse_cost(inner->exp->as.soac.map->body) >= FUSE_DEAR) {
        return false;
    }
    Across across = {.f = f};
    for (size_t i = 0; i < outer->input_count; i++) {
        look_across(&across, outer->inputs[i]);
    }
    return !across.found;
}

/* ---- reductions that take all elements ----------------------------------------------------- */

static bool is_product(Fuse *f, CoreAtom all, CoreAtom n, CoreAtom m)
{
    if (!all.name) {
        int64_t product;
        return !n.name && !m.name &&
               !__builtin_mul_overflow(n.as.integer, m.as.integer, &product) &&
               product == all.as.integer;
    }
    const CoreStm *stm = fuse_definition(f, all);
    if (!stm || stm->exp->kind != CORE_EXP_BINARY || stm->exp->as.scalar.op != CORE_MUL) {
        return false;
    }
    CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
    return (core_atom_equal(x, n) && core_atom_equal(y, m)) ||
           (core_atom_equal(x, m) && core_atom_equal(y, n));
}

/* Position op m, of the SOAC's own position. */
static bool is_part(Fuse *f, const CoreSoac *soac, CoreAtom index, CoreOperator op, CoreAtom m)
{
    const CoreStm *stm = fuse_definition(f, index);
    if (!stm || stm->exp->kind != CORE_EXP_BINARY || stm->exp->as.scalar.op != op ||
        !core_atom_equal(stm->exp->as.scalar.y, m)) {
        return false;
    }
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreStm *input = fuse_definition(f, soac->inputs[i]);
        if (input && input->exp->kind == CORE_EXP_IOTA &&
            stm->exp->as.scalar.x.name == soac->map->parameters[i]) {
            return true;
        }
    }
    return false;
}

/* An element of the nest's, at the row's own position, which nothing guards: inputs.c makes it an input. */
static bool is_own_element(const Flat *flat, const CoreSoac *soac, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind != CORE_EXP_INDEX || exp->as.index.count != 2 || stm->certificate_count > 0 ||
        !core_stm_binds(flat->nest, exp->as.index.array.name)) {
        return false;
    }
    CoreAtom m = core_atom_type(exp->as.index.array).sizes[1];
    return is_part(flat->f, soac, exp->as.index.indices[0], CORE_DIV, m) &&
           is_part(flat->f, soac, exp->as.index.indices[1], CORE_MOD, m);
}

/* A result of the nest's, or what has to wait for it. */
static void note_reading(void *context, CoreName *name)
{
    Flat *flat = context;
    flat->readings +=
        core_stm_binds(flat->nest, name) || pointer_map_get(&flat->after, name) != NULL;
}

static size_t readings_of(Flat *flat, const CoreStm *stm)
{
    flat->readings = 0;
    core_each_free(stm, note_reading, flat);
    return flat->readings;
}

/* One of the nest's results as a vector. */
static bool is_ravel(const Flat *flat, CoreAtom array)
{
    const CoreStm *stm = fuse_definition(flat->f, array);
    return stm && stm->exp->kind == CORE_EXP_RESHAPE && stm->exp->as.reshape.count == 1 &&
           core_stm_binds(flat->nest, stm->exp->as.reshape.array.name);
}

/* It goes over all elements of the nest. */
static bool goes_over_all(const Flat *flat, CoreAtom width)
{
    const CoreType matrix = flat->nest->pattern[0]->type;
    return is_product(flat->f, width, matrix.sizes[0], matrix.sizes[1]);
}

static size_t count_ravels(const Flat *flat, size_t count, const CoreAtom *inputs)
{
    size_t own = 0;
    for (size_t i = 0; i < count; i++) {
        own += is_ravel(flat, inputs[i]);
    }
    return own;
}

/* It reads elements of the nest at its own position; says how many. */
static size_t own_elements(const Flat *flat, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    if (fuse_is_filter(stm)) {
        return goes_over_all(flat, stm->exp->as.filter.width)
                   ? count_ravels(flat, stm->exp->as.filter.input_count, stm->exp->as.filter.inputs)
                   : 0;
    }
    if (!fuse_is_soac(stm) || soac->reduction_count == 0 || soac->scan_count > 0 ||
        core_may_fail(stm) || fuse_nest(stm).depth > 1 || !goes_over_all(flat, soac->width)) {
        return 0;
    }
    size_t own = count_ravels(flat, soac->input_count, soac->inputs);
    for (size_t i = 0; i < soac->map->body->stm_count; i++) {
        own += is_own_element(flat, soac, soac->map->body->stms[i]);
    }
    return own;
}

/* The first reduction or filter behind the nest that takes all of its elements, if graph.c or keep.c can make both one: it
   needs nothing else that comes of the nest, or that is written where the nest may have read; else
   NULL. */
static const CoreStm *find_taker(Flat *flat, size_t nest)
{
    size_t at = nest + 1, own = 0;
    flat->nest = flat->body->stms[nest];
    while (at < flat->body->stm_count && (own = own_elements(flat, flat->body->stms[at])) == 0) {
        at++;
    }
    if (own == 0) {
        return NULL;
    }
    flat->after = (PointerMap){0};
    for (size_t i = nest + 1; i < at; i++) {
        const CoreStm *stm = flat->body->stms[i];
        bool waits = readings_of(flat, stm) > 0 || fuse_may_consume(stm->exp);
        for (size_t k = 0; waits && k < stm->pattern_count; k++) {
            pointer_map_set(flat->f->arena, &flat->after, stm->pattern[k], flat);
        }
    }
    return readings_of(flat, flat->body->stms[at]) == own ? flat->body->stms[at] : NULL;
}

/* ---- making it flat ------------------------------------------------------------------------ */

/* An element of the nest's, as where it would be read (demand.c). */
static const CoreLambda *flat_function(Fuse *f, const CoreStm *nest)
{
    CoreBuilder b = core_builder(f->c, nest->span);
    CoreName *position = core_name(f->c, "i", core_scalar(CORE_I64), nest->span);
    CoreAtom columns = nest->pattern[0]->type.sizes[1];
    CoreAtom *results = ARENA_ARRAY(f->c->arena, CoreAtom, nest->pattern_count);
    f->level++;
    fuse_name(f, position)->level = f->level;
    const CoreAtom indices[] = {
        core_let_binary(&b, "row", CORE_DIV, core_use(position), columns),
        core_let_binary(&b, "column", CORE_MOD, core_use(position), columns),
    };
    for (size_t k = 0; k < nest->pattern_count; k++) {
        CoreName *y = nest->pattern[k];
        fuse_name(f, y)->uses.delayed = true;
        results[k] = fuse_demand(f, &b, core_use(y), 2, indices, core_scalar(y->type.prim));
        fuse_name(f, y)->uses.delayed = false;
    }
    f->level--;
    return core_lambda(f->c, 1, &position, core_body(&b, nest->pattern_count, results));
}

/* let is = iota w;  let z, ... = map w (\i -> ...) is;  let y = reshape [n, m] z; ... */
static void make_flat(Flat *flat, CoreBuilder *b, const CoreStm *nest, const CoreStm *taker)
{
    Compilation *c = flat->f->c;
    const CoreType matrix = nest->pattern[0]->type;
    CoreAtom *made = ARENA_ARRAY(c->arena, CoreAtom, nest->pattern_count);
    CoreAtom all = fuse_is_filter(taker) ? taker->exp->as.filter.width : taker->exp->as.soac.width;
    b->span = nest->span;
    if (all.name) { /* it may be bound later; the simplifier sees that both are one */
        all = core_let_binary(b, "all", CORE_MUL, matrix.sizes[0], matrix.sizes[1]);
    }
    CoreAtom is = core_let_iota(b, "positions", all);
    for (size_t i = 0; i < nest->certificate_count; i++) {
        vec_push(c->arena, &b->certificates, nest->certificates[i]);
    }
    core_let_map(b, nest->pattern[0]->text, all, 1, &is, flat_function(flat->f, nest), made);
    b->certificates.count = 0;
    for (size_t k = 0; k < nest->pattern_count; k++) {
        CoreAtom y = core_let_reshape(b, nest->pattern[k]->text, made[k], 2, matrix.sizes);
        core_bind(b, 1, &nest->pattern[k], core_atom_exp(c, y));
    }
    fuse_fired(flat->f, CORE_RULE_FUSE_FLAT);
}

/* ---- the step ------------------------------------------------------------------------------ */

static const CoreBody *flat_body(void *context, const CoreBody *old)
{
    Fuse *f = context;
    Flat flat = {.f = f, .body = old};
    CoreBuilder b = core_builder(f->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        const CoreStm *taker = may_be_flat(f, stm) ? find_taker(&flat, i) : NULL;
        if (taker) {
            make_flat(&flat, &b, stm, taker);
        } else if (stm->exp->kind == CORE_EXP_LOOP || stm->exp->kind == CORE_EXP_IF) {
            f->level += stm->exp->kind == CORE_EXP_LOOP;
            core_add(&b, core_map_stm(f->c, stm, flat_body, f));
            f->level -= stm->exp->kind == CORE_EXP_LOOP;
        } else {
            core_add(&b, stm);
        }
    }
    return core_with_stms(f->c, old, b.stms.count, b.stms.items);
}

const CoreFunction *fuse_flat(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, flat_body(f, function->body));
}
