/* Scatters and histograms of rows, which become one of all rows: each row has its part of the flat destination.

       map n (\.. -> {                                    let q = map n (\i is -> map w (\p -> if 0 <= p < m
         let d = scratch [m] t                                         then i * m + p else -1) is) (iota n) iss
         let r = scatter w d is vs       ==>              let d = scratch [n * m] t
         in (r) })                                        let r = scatter (n * w) d (flat q) (flat vss)
                                                          ... reshape [n, m] r

   The destination is scratch, a copy of a row, or what a map makes: nobody else has it. */
#include "core/flatten/flatten.h"

/* ---- which --------------------------------------------------------------------------------- */

/* What makes a destination, among these statements; NULL where it is none that becomes one of all rows. */
static const CoreExp *made_by(size_t count, const CoreStm *const *stms, CoreAtom destination)
{
    for (size_t i = count; destination.name && i-- > 0;) {
        const CoreExp *exp = stms[i]->exp;
        if (core_stm_binds(stms[i], destination.name)) {
            bool fresh =
                exp->kind == CORE_EXP_SCRATCH || exp->kind == CORE_EXP_COPY || fuse_is_map(stms[i]);
            return fresh && exp->space == CORE_SPACE_AUTO && stms[i]->certificate_count == 0 ? exp
                                                                                             : NULL;
        }
    }
    return NULL;
}

typedef struct Allowed {
    const MapContext *m;
    const CoreExp *exp;
    bool good;
} Allowed;

/* Operators and neutral elements have nothing of the row. */
static void check_free(void *context, CoreName *name)
{
    Allowed *a = context;
    const CoreExp *exp = a->exp;
    bool operand = core_atom_equal(exp->as.scatter.indices, core_use(name));
    for (size_t k = 0; k < exp->as.scatter.count; k++) {
        operand = operand || exp->as.scatter.destinations[k].name == name ||
                  exp->as.scatter.values[k].name == name;
    }
    a->good = a->good && (operand || flatten_is_invariant(a->m, core_use(name)));
}

static bool is_vector(const MapContext *m, CoreAtom atom)
{
    CoreType type = core_atom_type(atom);
    return type.rank == 1 && flatten_is_regular(m, type);
}

bool flatten_may_scatter(const MapContext *m, size_t count, const CoreStm *const *before,
                         const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (!fuse_is_scatter(stm) || m->outer || !flatten_is_certain(m, stm) ||
        !flatten_is_long(m, exp->as.scatter.width) || !is_vector(m, exp->as.scatter.indices)) {
        return false;
    }
    CoreType first = core_atom_type(exp->as.scatter.destinations[0]);
    Allowed allowed = {m, exp, true};
    core_each_free(stm, check_free, &allowed);
    for (size_t k = 0; k < exp->as.scatter.count && allowed.good; k++) {
        CoreAtom destination = exp->as.scatter.destinations[k];
        allowed.good = made_by(count, before, destination) && is_vector(m, destination) &&
                       is_vector(m, exp->as.scatter.values[k]) &&
                       core_has_same_sizes(core_atom_type(destination), first);
    }
    return allowed.good;
}

bool flatten_is_scatter(const MapContext *m, const CoreStm *stm)
{
    return flatten_may_scatter(m, m->count, m->stms, stm);
}

static bool writes(const CoreExp *exp, const CoreName *name)
{
    bool found = false;
    for (size_t k = 0; k < exp->as.scatter.count; k++) {
        found = found || exp->as.scatter.destinations[k].name == name;
    }
    return found;
}

typedef struct Shared {
    Simplify *s;
    const CoreName *name;
    bool found;
} Shared;

static void find_shared(void *context, CoreName *name)
{
    Shared *shared = context;
    shared->found = shared->found || (name->type.rank > 0 &&
                                      simplify_class(simplify_fact(shared->s, name)) ==
                                          simplify_class(simplify_fact(shared->s, shared->name)));
}

/* The statement may write in place what may be the array, or part of it. */
static bool may_write(const MapContext *m, const CoreStm *stm, const CoreName *name)
{
    Shared shared = {m->f->s, name, false};
    core_each_free(stm, find_shared, &shared);
    return shared.found && fuse_may_consume(stm->exp);
}

bool flatten_is_scattered(const MapContext *m, const CoreName *name)
{
    bool found = false, written = false;
    for (size_t i = 0; i < m->count; i++) {
        const CoreStm *stm = m->stms[i];
        bool scatters = m->kinds[i] == PART_SCATTER;
        found = found || (scatters && (core_stm_binds(stm, name) || writes(stm->exp, name)));
        written = written || (!scatters && may_write(m, stm, name));
    }
    return found && !written;
}

bool flatten_is_destination(const MapContext *m, const CoreStm *stm)
{
    size_t uses = 0;
    bool found = false;
    if (stm->exp->kind != CORE_EXP_SCRATCH && stm->exp->kind != CORE_EXP_COPY) {
        return false;
    }
    const CoreName *name = stm->pattern[0];
    for (size_t i = 0; i < m->count; i++) {
        uses += core_stm_uses(m->stms[i], name);
        found = found || (flatten_is_scatter(m, m->stms[i]) && writes(m->stms[i]->exp, name));
    }
    for (size_t k = 0; k < m->result_count; k++) {
        uses += m->results[k].name == name;
    }
    return found && uses == 1;
}

/* ---- all rows ------------------------------------------------------------------------------ */

CoreAtom flatten_all_rows(MapContext *m, CoreBuilder *b, const char *text, CoreAtom row)
{
    size_t number;
    switch (flatten_binding(m, row, &number)) {
    case BOUND_PARAMETER: return m->soac->inputs[number];
    case BOUND_OUTSIDE: return core_let_replicate(b, text, 1, &m->soac->width, row);
    case BOUND_STATEMENT: break;
    }
    return core_renamed(m->expanded, row);
}

typedef struct Wanted {
    Compilation *c;
    VEC(const CoreName *) names;
} Wanted;

static void want(const MapContext *m, Wanted *wanted, CoreAtom atom)
{
    size_t number;
    if (flatten_binding(m, atom, &number) == BOUND_STATEMENT) {
        vec_push(wanted->c->arena, &wanted->names, atom.name);
    }
}

/* What the destination is before. */
static CoreAtom initial(const CoreExp *maker, CoreAtom destination)
{
    return maker->kind == CORE_EXP_COPY ? maker->as.array : destination;
}

static CoreAtom flat(CoreBuilder *b, CoreAtom rows, CoreAtom elements)
{
    return core_let_reshape(b, rows.name->text, rows, 1, &elements);
}

/* Places in the flat destination: those in none of the row's are in none of it. */
static CoreAtom flat_places(MapContext *m, CoreBuilder *b, const CoreExp *exp, CoreAtom size)
{
    Compilation *c = m->f->c;
    CoreType integer = core_scalar(CORE_I64);
    CoreAtom width = exp->as.scatter.width, result;
    CoreName *i = core_name(c, "i", integer, b->span);
    CoreName *row = core_name(c, "row", core_array_of(c, width, integer), b->span);
    CoreName *x = core_name(c, "x", integer, b->span);
    CoreBuilder inner = core_builder(c, b->span), outer = inner, taken = inner, none = inner;
    CoreAtom low = core_let_binary(&inner, "low", CORE_LE, core_i64(0), core_use(x));
    CoreAtom high = core_let_binary(&inner, "high", CORE_LT, core_use(x), size);
    CoreAtom inside = core_let_binary(&inner, "inside", CORE_AND, low, high);
    CoreAtom before = core_let_binary(&taken, "before", CORE_MUL, core_use(i), size);
    CoreAtom place = core_let_binary(&taken, "place", CORE_ADD, before, core_use(x));
    CoreAtom nowhere = core_i64(-1);
    CoreAtom chosen = core_let(
        &inner, "place", integer,
        core_exp_if(c, inside, core_body(&taken, 1, &place), core_body(&none, 1, &nowhere)));
    CoreAtom input = core_use(row);
    core_let_map(&outer, "places", width, 1, &input,
                 core_lambda(c, 1, &x, core_body(&inner, 1, &chosen)), &result);
    CoreAtom inputs[2] = {core_let_iota(b, "rows", m->soac->width),
                          flatten_all_rows(m, b, "places", exp->as.scatter.indices)};
    CoreName *parameters[2] = {i, row};
    CoreAtom places;
    core_let_map(b, "places", m->soac->width, 2, inputs,
                 core_lambda(c, 2, parameters, core_body(&outer, 1, &result)), &places);
    return places;
}

/* S, M x xs |- scatter w d is vs, as above. */
void flatten_scatter(MapContext *m, CoreBuilder *b, size_t number)
{
    Compilation *c = m->f->c;
    const CoreStm *stm = m->stms[number];
    CoreExp *all = core_exp_copy(c, stm->exp);
    size_t count = stm->exp->as.scatter.count;
    CoreAtom n = m->soac->width,
             size = core_atom_type(stm->exp->as.scatter.destinations[0]).sizes[0];
    CoreAtom *destinations = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreAtom *values = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    Wanted wanted = {.c = c};
    want(m, &wanted, stm->exp->as.scatter.indices);
    for (size_t k = 0; k < count; k++) {
        const CoreExp *maker = made_by(m->count, m->stms, stm->exp->as.scatter.destinations[k]);
        want(m, &wanted, stm->exp->as.scatter.values[k]);
        if (maker->kind != CORE_EXP_SCRATCH) {
            want(m, &wanted, initial(maker, stm->exp->as.scatter.destinations[k]));
        }
    }
    flatten_expand(m, b, wanted.names.count, wanted.names.items);
    b->span = stm->span;
    CoreAtom width = core_let_binary(b, "elements", CORE_MUL, n, stm->exp->as.scatter.width);
    CoreAtom elements = core_let_binary(b, "elements", CORE_MUL, n, size);
    CoreAtom places = flat_places(m, b, stm->exp, size);
    for (size_t k = 0; k < count; k++) {
        const CoreExp *maker = made_by(m->count, m->stms, stm->exp->as.scatter.destinations[k]);
        const CoreName *name = stm->pattern[k];
        values[k] =
            flat(b, flatten_all_rows(m, b, "values", stm->exp->as.scatter.values[k]), width);
        CoreAtom before = initial(maker, stm->exp->as.scatter.destinations[k]);
        destinations[k] =
            maker->kind == CORE_EXP_SCRATCH
                ? core_let_scratch(b, name->text, name->type.prim, 1, &elements)
                : core_let_copy(b, name->text,
                                flat(b, flatten_all_rows(m, b, "own", before), elements));
        pattern[k] = core_name(c, name->text,
                               core_array_of(c, elements, core_scalar(name->type.prim)), stm->span);
    }
    all->as.scatter.width = width;
    all->as.scatter.destinations = destinations;
    all->as.scatter.indices = flat(b, places, width);
    all->as.scatter.values = values;
    flatten_push_certificates(b, stm);
    core_bind(b, count, pattern, all);
    b->certificates.count -= stm->certificate_count;
    CoreAtom sizes[2] = {n, size};
    for (size_t k = 0; k < count; k++) {
        CoreName *rows = flatten_rows_name(m, stm->pattern[k]);
        CoreAtom shaped = core_let_reshape(b, rows->text, core_use(pattern[k]), 2, sizes);
        core_bind(b, 1, &rows, core_atom_exp(c, shaped));
        core_rename(m->expanded, stm->pattern[k], core_use(rows));
    }
    m->f->counts[CORE_RULE_FLATTEN_SCATTER]++;
}
