/* Random SOACs: map, reduce, scan and their fusions, reductions of rows, filter, updates of rows.

   What a lambda returns is a scalar or an array whose sizes are bound outside it; bodies are made
   of statements of any kind, so that SOACs nest. Inputs whose sizes have different names are made
   equal by reshape, or by an assertion (which may fail) that guards the SOAC. */
#include "tests/random/random.h"

typedef struct Inputs {
    CoreAtom width;
    int64_t extent;
    size_t count;
    CoreAtom arrays[3];
    Value rows[3]; /* atom: the parameter */
    CoreName *parameters[3];
    bool guarded;
    CoreAtom certificate;
} Inputs;

/* An input whose first size has another name, as it is: the assertion fails where it is another
   number too. */
static bool add_guarded(Generator *g, CoreBuilder *b, Inputs *in, const Value *v)
{
    CoreAtom n = core_atom_type(v->atom).sizes[0];
    if (in->guarded || core_atom_equal(n, in->width) || !chance(g, 3) ||
        (v->extent[0] != in->extent && !(g->may_fail && chance(g, 3)))) {
        return false;
    }
    CoreAtom same = core_let_binary(b, "same", CORE_EQ, in->width, n);
    CoreAtom values[2] = {in->width, n};
    in->certificate = guard(g, b, same, values, 2);
    in->guarded = true;
    return true;
}

/* One to three arrays with the same outer size, and a lambda's parameters for their rows. */
static Inputs some_inputs(Generator *g, CoreBuilder *b)
{
    Value v = some_array(g, b);
    Inputs in = {.width = core_atom_type(v.atom).sizes[0], .extent = v.extent[0]};
    int64_t wanted = 1 + below(g, 3);
    for (int64_t attempt = 0; attempt < wanted; attempt++) {
        bool as_it_is = false;
        if (attempt > 0) {
            if (!pick(g, -1, -1, &v)) {
                continue;
            }
            as_it_is = add_guarded(g, b, &in, &v);
            if (!as_it_is && (v.extent[0] != in.extent || in.extent == UNKNOWN)) {
                continue;
            }
        }
        CoreType type = core_atom_type(v.atom);
        CoreAtom sizes[MAX_RANK];
        for (int i = 0; i < v.rank; i++) {
            sizes[i] = i == 0 ? in.width : type.sizes[i];
        }
        CoreAtom array = as_it_is ? v.atom : with_sizes(b, v.atom, v.rank, sizes);
        CoreName *parameter = fresh(g, core_row(core_atom_type(array)));
        in.arrays[in.count] = array;
        in.parameters[in.count] = parameter;
        in.rows[in.count].atom = core_use(parameter);
        in.rows[in.count].rank = v.rank - 1;
        for (int i = 1; i < v.rank; i++) {
            in.rows[in.count].extent[i - 1] = v.extent[i];
        }
        in.count++;
    }
    return in;
}

/* Binds a SOAC's results, guarded where its inputs need it. */
static void bind_inputs(Generator *g, CoreBuilder *b, const Inputs *in, size_t count,
                        CoreName *const *pattern, const CoreExp *exp)
{
    size_t outer = b->certificates.count;
    if (in->guarded) {
        vec_push(g->c->arena, &b->certificates, in->certificate);
    }
    core_bind(b, count, pattern, exp);
    b->certificates.count = outer;
}

static void keep_rows(Generator *g, const Inputs *in)
{
    for (size_t i = 0; i < in->count; i++) {
        keep_borrowed(g, in->rows[i].atom, in->rows[i]);
    }
}

static bool bound_outside(const Generator *g, CoreAtom size, Mark mark)
{
    for (size_t i = 0; i < mark.size_count; i++) {
        if (core_atom_equal(g->sizes[i].atom, size)) {
            return true;
        }
    }
    return core_is_constant(size);
}

/* A result of a lambda: a scalar, or a small array with sizes from outside. */
static Value some_result(Generator *g, CoreBuilder *b, Mark mark)
{
    Value v;
    if (chance(g, 3) && pick(g, -1, -1, &v) && v.rank < MAX_RANK && elements(&v) != UNKNOWN &&
        elements(&v) <= 64) {
        CoreType type = core_atom_type(v.atom);
        CoreAtom sizes[MAX_RANK];
        for (int i = 0; i < v.rank; i++) {
            sizes[i] =
                bound_outside(g, type.sizes[i], mark) ? type.sizes[i] : core_i64(v.extent[i]);
        }
        v.atom = with_sizes(b, v.atom, v.rank, sizes);
        return v;
    }
    if (chance(g, 4) || !pick(g, -1, 0, &v)) {
        v.rank = 0;
        v.atom = some_scalar(g, b, some_prim(g));
    }
    return v;
}

static void keep_array_of(Generator *g, CoreAtom array, int64_t extent, const Value *row)
{
    int64_t extents[MAX_RANK] = {extent};
    for (int i = 0; i < row->rank; i++) {
        extents[i + 1] = row->extent[i];
    }
    keep(g, array, row->rank + 1, extents);
}

void make_soac(Generator *g, CoreBuilder *b)
{
    Inputs in = some_inputs(g, b);
    Operator ops[3];
    CoreReduction reductions[3];
    size_t reduction_count = chance(g, 2) ? 0 : (size_t)(1 + below(g, 2));
    size_t scan_count = chance(g, 3);
    size_t map_count = (size_t)below(g, 3) + (reduction_count + scan_count == 0);
    size_t count = 0, taken = 0;
    CoreAtom results[3 * MAX_PARTS + 3];
    Value kept[3 * MAX_PARTS + 3];
    CoreType types[3 * MAX_PARTS + 3];
    Mark mark = enter(g, in.extent);
    g->pure = true;
    keep_rows(g, &in);
    CoreBuilder inner = core_builder(g->c, b->span);
    some_statements(g, &inner);
    for (size_t i = 0; i < reduction_count + scan_count; i++) {
        ops[i] = some_operator(g);
        reductions[i] =
            (CoreReduction){operator_lambda(g, &ops[i]), ops[i].neutral, ops[i].commutative};
        for (size_t k = 0; k < ops[i].parts; k++) {
            kept[count].rank = 0;
            types[count] = core_scalar(ops[i].prim);
            results[count++] = tame(&inner, some_scalar(g, &inner, ops[i].prim));
        }
        taken += i < reduction_count ? ops[i].parts : 0;
    }
    for (size_t i = 0; i < map_count; i++) {
        kept[count] = some_result(g, &inner, mark);
        results[count] = kept[count].atom;
        types[count] = core_atom_type(results[count]);
        count++;
    }
    leave(g, mark);
    const CoreLambda *f =
        core_lambda(g->c, in.count, in.parameters, core_body(&inner, count, results));
    CoreName *pattern[3 * MAX_PARTS + 3];
    for (size_t i = 0; i < count; i++) {
        CoreType type = i < taken ? types[i] : core_array_of(g->c, in.width, types[i]);
        pattern[i] = fresh(g, type);
    }
    bind_inputs(g, b, &in, count, pattern,
                core_exp_soac(g->c, in.width, in.count, in.arrays, f, reduction_count, reductions,
                              scan_count, reductions + reduction_count));
    for (size_t i = 0; i < count; i++) {
        if (i < taken) {
            keep_scalar(g, core_use(pattern[i]));
        } else {
            keep_array_of(g, core_use(pattern[i]), in.extent, &kept[i]);
        }
    }
}

/* reduce of a matrix's rows by an operator on vectors. */
void make_reduction_of_rows(Generator *g, CoreBuilder *b)
{
    Value v;
    if (!pick(g, (int)CORE_I64, 2, &v) && !pick(g, (int)CORE_I32, 2, &v)) {
        return;
    }
    CoreType type = core_atom_type(v.atom);
    CoreType row = core_row(type);
    CoreName *p[2] = {fresh(g, row), fresh(g, row)};
    CoreAtom operands[2] = {core_use(p[0]), core_use(p[1])}, sum;
    CoreBuilder inner = core_builder(g->c, b->span);
    bool least = chance(g, 2);
    core_let_map(&inner, "s", row.sizes[0], 2, operands,
                 core_operator_lambda(g->c, least ? CORE_MIN : CORE_ADD, type.prim, b->span), &sum);
    const CoreLambda *op = core_lambda(g->c, 2, p, core_body(&inner, 1, &sum));
    CoreAtom zero = core_int(type.prim, !least ? 0 : type.prim == CORE_I32 ? INT32_MAX : INT64_MAX);
    CoreAtom neutral = core_let_replicate(b, "e", 1, row.sizes, zero);
    bool scan = chance(g, 3);
    const CoreExp *exp =
        scan ? core_exp_scan(g->c, type.sizes[0], 1, &v.atom, op, &neutral)
             : core_exp_reduce(g->c, type.sizes[0], 1, &v.atom, op, &neutral, chance(g, 2));
    CoreName *result = fresh(g, scan ? type : row);
    core_bind(b, 1, (CoreName *[]){result}, exp);
    keep(g, core_use(result), scan ? 2 : 1, scan ? v.extent : v.extent + 1);
}

void make_filter(Generator *g, CoreBuilder *b)
{
    Inputs in = some_inputs(g, b);
    Mark mark = enter(g, in.extent);
    g->pure = true;
    keep_rows(g, &in);
    CoreBuilder inner = core_builder(g->c, b->span);
    some_statements(g, &inner);
    CoreAtom yes =
        chance(g, 2) ? some_scalar(g, &inner, CORE_BOOL) : combine(g, &inner, some_int(g));
    if (core_atom_type(yes).prim != CORE_BOOL) {
        yes = core_let_binary(&inner, "p", CORE_AND, yes, core_int(core_atom_type(yes).prim, 1));
        yes = core_let_convert(&inner, "p", CORE_BOOL, yes);
    }
    CoreAtom results[4] = {yes};
    Value rows[3] = {0};
    bool computes = chance(g, 3); /* scalars for the kept rows, not the inputs' */
    size_t count = computes ? 1 + (size_t)below(g, 3) : in.count;
    for (size_t i = 0; i < count; i++) {
        if (computes) {
            rows[i].atom = results[1 + i] = some_scalar(g, &inner, some_prim(g));
        } else {
            rows[i] = in.rows[i];
        }
    }
    leave(g, mark);
    const CoreLambda *f = core_lambda(g->c, in.count, in.parameters,
                                      core_body(&inner, computes ? 1 + count : 1, results));
    CoreName *pattern[4] = {fresh(g, core_scalar(CORE_I64))};
    CoreAtom m = core_use(pattern[0]);
    for (size_t i = 0; i < count; i++) {
        CoreType row =
            computes ? core_atom_type(results[1 + i]) : core_row(core_atom_type(in.arrays[i]));
        pattern[i + 1] = fresh(g, core_array_of(g->c, m, row));
    }
    bind_inputs(g, b, &in, count + 1, pattern,
                core_exp_filter(g->c, in.width, in.count, in.arrays, f));
    keep_scalar(g, m);
    keep_size(g, m, UNKNOWN);
    for (size_t i = 0; i < count; i++) {
        keep_array_of(g, core_use(pattern[i + 1]), UNKNOWN, &rows[i]);
    }
}

/* map (\row -> row with [i] <- x): consumes the rows of a fresh matrix. */
void make_row_update(Generator *g, CoreBuilder *b)
{
    Value v;
    if (!pick(g, -1, 2 + (int)below(g, 2), &v) || v.extent[1] <= 0) {
        return;
    }
    CoreType type = core_atom_type(v.atom), row = core_row(type);
    CoreAtom own = v.atom;
    if (may_consume(g, &v) && chance(g, 2)) {
        consume(g, &v);
    } else {
        own = core_let_copy(b, "copy", v.atom);
    }
    CoreName *name = fresh(g, row);
    name->type.unique = chance(g, 2);
    Mark mark = enter(g, v.extent[0]);
    g->pure = true;
    CoreBuilder inner = core_builder(g->c, b->span);
    some_statements(g, &inner);
    CoreAtom i =
        core_let_binary(&inner, "i", CORE_MOD, some_scalar(g, &inner, CORE_I64), row.sizes[0]);
    CoreAtom x = some_scalar(g, &inner, v.atom.prim);
    CoreSlice slices[MAX_RANK] = {{.fixed = true, .offset = i}};
    if (v.rank == 3) {
        slices[1] =
            (CoreSlice){.offset = core_i64(0), .count = row.sizes[1], .stride = core_i64(1)};
        x = core_let_replicate(&inner, "filler", 1, &row.sizes[1], x);
    }
    CoreAtom changed =
        core_let_update(&inner, "changed", core_use(name), (size_t)row.rank, slices, x);
    leave(g, mark);
    const CoreLambda *f = core_lambda(g->c, 1, &name, core_body(&inner, 1, &changed));
    CoreAtom result;
    core_let_map(b, "rows", type.sizes[0], 1, &own, f, &result);
    keep_like(g, result, v);
}

/* iota and SOACs of a width that differs from row to row. */
void make_varying(Generator *g, CoreBuilder *b)
{
    CoreAtom x = some_scalar(g, b, CORE_I64);
    CoreAtom n = core_let_binary(b, "n", CORE_MOD, x, core_i64(5));
    int64_t extent = UNKNOWN;
    keep(g, core_let_iota(b, "is", n), 1, &extent);
    keep_scalar(g, n);
    make_soac(g, b);
}
