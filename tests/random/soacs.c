/* Random SOACs: map, reduce, scan and their fusions, reductions of rows, filter, scatter, hist,
   streams.

   What a lambda returns is a scalar or an array whose sizes are bound outside it; bodies are made
   of statements of any kind, so that SOACs nest. */
#include "tests/random/random.h"

CoreName *fresh(Generator *g, CoreType type)
{
    type.unique = false;
    return core_name(g->c, "v", type, (Span){0});
}

typedef struct Inputs {
    CoreAtom width;
    int64_t extent;
    size_t count;
    CoreAtom arrays[3];
    Value rows[3]; /* atom: the parameter */
    CoreName *parameters[3];
} Inputs;

/* One to three arrays with the same outer size, and a lambda's parameters for their rows. */
static Inputs some_inputs(Generator *g, CoreBuilder *b)
{
    Value v = some_array(g, b);
    Inputs in = {.width = core_atom_type(v.atom).sizes[0], .extent = v.extent[0]};
    int64_t wanted = 1 + below(g, 3);
    for (int64_t attempt = 0; attempt < wanted; attempt++) {
        if (attempt > 0 &&
            (!pick(g, -1, -1, &v) || v.extent[0] != in.extent || in.extent == UNKNOWN)) {
            continue;
        }
        CoreType type = core_atom_type(v.atom);
        CoreAtom sizes[MAX_RANK];
        for (int i = 0; i < v.rank; i++) {
            sizes[i] = i == 0 ? in.width : type.sizes[i];
        }
        CoreAtom array = with_sizes(b, v.atom, v.rank, sizes);
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

static void keep_rows(Generator *g, const Inputs *in)
{
    for (size_t i = 0; i < in->count; i++) {
        keep_like(g, in->rows[i].atom, in->rows[i]);
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

static void some_statements(Generator *g, CoreBuilder *b)
{
    for (int64_t n = below(g, g->depth > 1 ? 3 : 4); n > 0; n--) {
        some_statement(g, b);
    }
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
    keep_rows(g, &in);
    CoreBuilder inner = core_builder(g->c, b->span);
    some_statements(g, &inner);
    for (size_t i = 0; i < reduction_count + scan_count; i++) {
        ops[i] = some_operator(g);
        reductions[i] = (CoreReduction){ops[i].function, ops[i].neutral, ops[i].commutative};
        for (size_t k = 0; k < ops[i].parts; k++) {
            kept[count].rank = 0;
            types[count] = core_scalar(ops[i].prim);
            results[count++] = some_scalar(g, &inner, ops[i].prim);
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
    core_bind(b, count, pattern,
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
    keep_rows(g, &in);
    CoreBuilder inner = core_builder(g->c, b->span);
    some_statements(g, &inner);
    CoreAtom yes =
        chance(g, 2) ? some_scalar(g, &inner, CORE_BOOL) : combine(g, &inner, some_int(g));
    if (core_atom_type(yes).prim != CORE_BOOL) {
        yes = core_let_binary(&inner, "p", CORE_AND, yes, core_int(core_atom_type(yes).prim, 1));
        yes = core_let_convert(&inner, "p", CORE_BOOL, yes);
    }
    leave(g, mark);
    const CoreLambda *f = core_lambda(g->c, in.count, in.parameters, core_body(&inner, 1, &yes));
    CoreName *pattern[4] = {fresh(g, core_scalar(CORE_I64))};
    CoreAtom m = core_use(pattern[0]);
    for (size_t i = 0; i < in.count; i++) {
        pattern[i + 1] = fresh(g, core_array_of(g->c, m, core_row(core_atom_type(in.arrays[i]))));
    }
    core_bind(b, in.count + 1, pattern, core_exp_filter(g->c, in.width, in.count, in.arrays, f));
    keep_scalar(g, m);
    for (size_t i = 0; i < in.count; i++) {
        keep_array_of(g, core_use(pattern[i + 1]), UNKNOWN, &in.rows[i]);
    }
}

/* Values, and as many distinct positions in an iota that may reach beyond the destination. */
void make_scatter(Generator *g, CoreBuilder *b)
{
    Value dest = some_array(g, b), v;
    CorePrim prim = dest.atom.prim;
    if (!pick(g, (int)prim, dest.rank, &v)) {
        return;
    }
    CoreType type = core_atom_type(v.atom), into = core_atom_type(dest.atom);
    CoreAtom sizes[MAX_RANK] = {type.sizes[0]};
    for (int i = 1; i < dest.rank; i++) {
        if (v.extent[i] == UNKNOWN || v.extent[i] != dest.extent[i]) {
            return;
        }
        sizes[i] = into.sizes[i];
    }
    CoreAtom values = with_sizes(b, v.atom, v.rank, sizes);
    CoreAtom is = core_let_iota(b, "is", type.sizes[0]);
    if (chance(g, 2)) {
        is = core_let_reverse(b, "is", is, 0);
    }
    if (chance(g, 2)) {
        is = core_let_rotate(b, "is", is, 0, some_scalar(g, b, CORE_I64));
    }
    CoreName *i = fresh(g, core_scalar(CORE_I64));
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom scaled =
        core_let_binary(&inner, "i", CORE_MUL, core_use(i), core_i64(1 + below(g, 2)));
    scaled = core_let_binary(&inner, "i", CORE_SUB, scaled, core_i64(below(g, 3)));
    const CoreLambda *f = core_lambda(g->c, 1, &i, core_body(&inner, 1, &scaled));
    CoreAtom places, copy = core_let_copy(b, "to", dest.atom);
    core_let_map(b, "is", type.sizes[0], 1, &is, f, &places);
    CoreAtom result =
        core_let(b, "to", into, core_exp_scatter(g->c, type.sizes[0], 1, &copy, places, &values));
    keep_like(g, result, dest);
}

void make_hist(Generator *g, CoreBuilder *b)
{
    Operator op;
    do {
        op = some_operator(g);
    } while (!op.commutative);
    Value is = some_vector(g, b, CORE_I64, UNKNOWN);
    CoreAtom width = core_atom_type(is.atom).sizes[0], values[MAX_PARTS], dest[MAX_PARTS];
    if (is.extent[0] == UNKNOWN) {
        return;
    }
    int64_t buckets = some_extent(g);
    CoreAtom n = some_size(g, b, buckets);
    CoreName *pattern[MAX_PARTS];
    for (size_t k = 0; k < op.parts; k++) {
        Value v = some_vector(g, b, op.prim, is.extent[0]);
        values[k] = with_sizes(b, v.atom, 1, &width);
        CoreAtom filled = core_let_replicate(b, "to", 1, &n, op.neutral[k]);
        dest[k] = core_let_copy(b, "to", filled);
        pattern[k] = fresh(g, core_array(g->c, op.prim, 1, &n));
    }
    core_bind(b, op.parts, pattern,
              core_exp_hist(g->c, width, op.parts, dest, is.atom, values, op.function, op.neutral));
    for (size_t k = 0; k < op.parts; k++) {
        keep(g, core_use(pattern[k]), 1, &buckets);
    }
}

/* Names are unique in a program, so that each use has a lambda of its own. */
static const CoreLambda *operator_of(Generator *g, const Operator *op)
{
    return core_operator_lambda(g->c, op->op, op->prim, (Span){0});
}

/* Over chunk xs of size m: map f; or reduce, combined with the accumulator; or scan, likewise. */
static void stream_body(Generator *g, CoreBuilder *b, CoreExpKind kind, const Operator *op,
                        CoreAtom m, CoreAtom accumulator, CoreAtom chunk, CoreAtom *results,
                        size_t *count)
{
    Span span = b->span;
    if (kind == CORE_EXP_STREAM_MAP) {
        CoreName *x = fresh(g, core_scalar(op->prim));
        CoreBuilder inner = core_builder(g->c, span);
        Mark mark = enter(g, 1);
        keep_scalar(g, core_use(x));
        CoreAtom y = combine(g, &inner, op->prim);
        leave(g, mark);
        core_let_map(b, "ys", m, 1, &chunk, core_lambda(g->c, 1, &x, core_body(&inner, 1, &y)),
                     results);
        *count = 1;
        return;
    }
    CoreAtom total =
        core_let(b, "t", core_scalar(op->prim),
                 core_exp_reduce(g->c, m, 1, &chunk, operator_of(g, op), op->neutral, false));
    CoreAtom operands[2] = {accumulator, total};
    CoreType scalar = core_scalar(op->prim);
    /* Combined as a reduction of two, since a lambda cannot be called. */
    CoreAtom two = core_let_literal(b, "two", 2, operands);
    results[0] = core_let(
        b, "acc", scalar,
        core_exp_reduce(g->c, core_i64(2), 1, &two, operator_of(g, op), op->neutral, false));
    *count = 1;
    if (kind == CORE_EXP_STREAM_SEQ) {
        CoreAtom sums =
            core_let(b, "sums", core_array_of(g->c, m, scalar),
                     core_exp_scan(g->c, m, 1, &chunk, operator_of(g, op), op->neutral));
        CoreName *x = fresh(g, scalar);
        CoreBuilder inner = core_builder(g->c, span);

        CoreAtom y = core_let_binary(&inner, "y", op->op, accumulator, core_use(x));
        core_let_map(b, "ys", m, 1, &sums, core_lambda(g->c, 1, &x, core_body(&inner, 1, &y)),
                     results + 1);
        *count = 2;
    }
}

void make_stream(Generator *g, CoreBuilder *b)
{
    static const CoreExpKind kinds[] = {CORE_EXP_STREAM_MAP, CORE_EXP_STREAM_RED,
                                        CORE_EXP_STREAM_SEQ};
    CoreExpKind kind = kinds[below(g, 3)];
    Operator op;
    do {
        op = some_operator(g);
    } while (!op.is_single);
    Value v = some_vector(g, b, op.prim, UNKNOWN);
    CoreAtom width = core_atom_type(v.atom).sizes[0];
    CoreName *m = fresh(g, core_scalar(CORE_I64)), *acc = fresh(g, core_scalar(op.prim));
    CoreAtom size = core_use(m);
    CoreName *chunk = fresh(g, core_array(g->c, op.prim, 1, &size));
    size_t k = kind != CORE_EXP_STREAM_MAP, count;
    CoreName *parameters[3] = {m, k ? acc : chunk, chunk};
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom results[2];
    stream_body(g, &inner, kind, &op, size, core_use(acc), core_use(chunk), results, &count);
    const CoreLambda *fold =
        core_lambda(g->c, 2 + k, parameters, core_body(&inner, count, results));
    CoreName *pattern[2];
    for (size_t i = 0; i < count; i++) {
        CorePrim prim = core_atom_type(results[i]).prim;
        pattern[i] = fresh(g, i < k ? core_scalar(prim) : core_array(g->c, prim, 1, &width));
    }
    core_bind(b, count, pattern,
              core_exp_stream(g->c, kind, width, 1, &v.atom, fold,
                              kind == CORE_EXP_STREAM_RED ? op.function : NULL, k, op.neutral,
                              k && op.commutative && kind == CORE_EXP_STREAM_RED));
    for (size_t i = 0; i < count; i++) {
        keep(g, core_use(pattern[i]), i >= k, v.extent);
    }
}
