/* Types of SOACs ([PLDI] figure 8, [REDO] 3), filter, scatter, histogram, streams, and of effects.

       map      : (t -> u) -> [n]t -> [n]u
       reduce   : (t -> t -> t) -> t -> [n]t -> t
       filter   : (t -> bool) -> [n]t -> (m : i64, [m]t)
       scatter  : *[k]t -> [n]i64 -> [n]t -> [k]t
       order    : [..][n]i64 -> [..][n]i64
       digit_sort : i64 -> [n]i64 -> [n]i64, and the same of [m][n]i64
       stream_* : ((m : i64) -> a -> [m]t -> (a, [m]u)) ... -> [n]t -> (a, [n]u) */
#include "core/check/check.h"

/* ---- inputs and operators -------------------------------------------------------------------- */

/* Arrays of `width` rows; the types of the rows. */
static bool check_inputs(Check *k, CoreAtom width, size_t count, const CoreAtom *inputs,
                         CoreType *rows)
{
    bool good = core_check_scalar(k, width, CORE_I64, "the width");
    for (size_t i = 0; i < count; i++) {
        CoreType type;
        if (!core_check_array(k, inputs[i], "an input", &type)) {
            good = false;
            continue;
        }
        if (good && !k->lenient && !core_check_same_size(k, width, type.sizes[0])) {
            core_check_error(k, "the width is %s, but %s has %s rows", core_check_text(k, width),
                             core_check_text(k, inputs[i]), core_check_text(k, type.sizes[0]));
        }
        rows[i] = core_row(type);
    }
    return good;
}

/* The rows that these functions are given belong to somebody else. */
static void refuse_unique(Check *k, const CoreLambda *lambda, const char *what)
{
    for (size_t i = 0; i < lambda->parameter_count; i++) {
        if (lambda->parameters[i]->type.unique) {
            core_check_error(k, "%s: parameter %s cannot be unique", what,
                             core_check_text(k, core_use(lambda->parameters[i])));
        }
    }
}

/* \(x : t, ..., y : t, ...) -> t, ... with neutral elements of the same types. */
static void check_operator(Check *k, const CoreLambda *op, const CoreAtom *neutral, size_t count,
                           const CoreType *types, const char *what)
{
    CoreType *arguments = ARENA_ARRAY(k->c->arena, CoreType, 2 * count);
    for (size_t i = 0; i < count; i++) {
        arguments[i] = arguments[count + i] = types[i];
        core_check_use(k, neutral[i]);
        core_check_same(k, types[i], core_atom_type(neutral[i]), "a neutral element");
    }
    if (op->body->result_count != count) {
        core_check_error(k, "%s gives %s, not %zu", what,
                         core_counted(k->c, op->body->result_count, "result"), count);
        return;
    }
    refuse_unique(k, op, what);
    if (core_check_lambda(k, op, 2 * count, arguments, NULL, what)) {
        for (size_t i = 0; i < count; i++) {
            core_check_same(k, types[i], op->result_types[i],
                            arena_printf(k->c->arena, "result %zu of %s", i + 1, what));
        }
    }
}

/* [width]row, whatever the row. */
static CoreType array_of(Check *k, CoreAtom width, CoreType row)
{
    CoreAtom *sizes = ARENA_ARRAY(k->c->arena, CoreAtom, row.rank + 1);
    sizes[0] = width;
    for (int i = 0; i < row.rank; i++) {
        sizes[i + 1] = row.sizes[i];
    }
    return (CoreType){.prim = row.prim, .rank = row.rank + 1, .sizes = sizes};
}

/* The results, unless the expression has errors already. */
static void check_pattern(Check *k, size_t before, size_t count, const CoreType *types)
{
    if (k->errors == before) {
        core_check_results(k, k->stm->pattern_count, k->stm->pattern, count, types, NULL, "let");
    }
}

/* ---- map, reduce, scan and their fusions ----------------------------------------------------- */

static bool check_map(Check *k, const CoreSoac *soac, const CoreType *rows)
{
    const bool outer = k->has_stages;
    k->has_stages = k->lambdas == 0;
    bool good = core_check_lambda(k, soac->map, soac->input_count, rows, NULL, "the map function");
    k->has_stages = outer;
    return good;
}

static void check_soac(Check *k, const CoreSoac *soac)
{
    size_t before = k->errors;
    CoreType *rows = ARENA_ARRAY(k->c->arena, CoreType, soac->input_count);
    if (!check_inputs(k, soac->width, soac->input_count, soac->inputs, rows) ||
        !check_map(k, soac, rows)) {
        return;
    }
    size_t count = soac->map->body->result_count, at = 0;
    CoreType *types = ARENA_ARRAY(k->c->arena, CoreType, count);
    for (size_t i = 0; i < count; i++) {
        types[i] = soac->map->result_types[i];
        types[i].unique = false;
    }
    for (size_t i = 0; i < soac->reduction_count + soac->scan_count; i++) {
        bool scan = i >= soac->reduction_count;
        const CoreReduction *r =
            scan ? &soac->scans[i - soac->reduction_count] : &soac->reductions[i];
        size_t taken = r->function->body->result_count;
        if (at + taken > count) {
            core_check_error(k,
                             "the reductions and scans take more than the %s of the map function",
                             core_counted(k->c, count, "result"));
            return;
        }
        check_operator(k, r->function, r->neutral, taken, types + at,
                       scan ? "the operator of a scan" : "the operator of a reduction");
        for (size_t j = at; scan && j < at + taken; j++) {
            types[j] = array_of(k, soac->width, types[j]);
        }
        at += taken;
    }
    for (; at < count; at++) {
        types[at] = array_of(k, soac->width, types[at]);
    }
    check_pattern(k, before, count, types);
}

/* (m, ys : [m]t, ...): the first name of the pattern stands for the unknown size; COMPACT: of the width. */
static void check_filter(Check *k, const CoreExp *exp)
{
    size_t before = k->errors, count = exp->as.filter.input_count;
    const CoreLambda *predicate = exp->as.filter.predicate;
    CoreType *rows = ARENA_ARRAY(k->c->arena, CoreType, count);
    if (!check_inputs(k, exp->as.filter.width, count, exp->as.filter.inputs, rows) ||
        !core_check_lambda(k, predicate, count, rows, NULL, "the predicate")) {
        return;
    }
    refuse_unique(k, predicate, "the predicate");
    size_t results = predicate->body->result_count;
    if (results < 1 || predicate->result_types[0].rank != 0 ||
        predicate->result_types[0].prim != CORE_BOOL) {
        core_check_error(k, "the predicate of a filter gives a bool first");
        return;
    }
    for (size_t i = 1; i < results; i++) {
        if (predicate->result_types[i].rank != 0) {
            core_check_error(k, "what the predicate of a filter gives to keep is a scalar");
            return;
        }
    }
    count = core_filter_count(exp);
    if (k->stm->pattern_count != count + 1) {
        core_check_error(k, "let: %s for the size and %s",
                         core_counted(k->c, k->stm->pattern_count, "name"),
                         core_counted(k->c, count, "result"));
        return;
    }
    CoreType *types = ARENA_ARRAY(k->c->arena, CoreType, count + 1);
    types[0] = core_scalar(CORE_I64);
    for (size_t i = 0; i < count; i++) {
        types[i + 1] = array_of(k, core_filter_rows(k->stm), core_filter_row(exp, i));
    }
    check_pattern(k, before, count + 1, types);
}

static void check_scatter(Check *k, const CoreExp *exp)
{
    size_t before = k->errors, count = exp->as.scatter.count;
    CoreType *rows = ARENA_ARRAY(k->c->arena, CoreType, count);
    CoreType *types = ARENA_ARRAY(k->c->arena, CoreType, count);
    CoreType index = core_scalar(CORE_I64);
    if (!check_inputs(k, exp->as.scatter.width, 1, &exp->as.scatter.indices, &index) ||
        !check_inputs(k, exp->as.scatter.width, count, exp->as.scatter.values, rows)) {
        return;
    }
    core_check_same(k, core_scalar(CORE_I64), index, "an index");
    for (size_t i = 0; i < count; i++) {
        if (!core_check_array(k, exp->as.scatter.destinations[i], "a destination", &types[i])) {
            return;
        }
        core_check_same(k, core_row(types[i]), rows[i], "a value");
    }
    if (exp->kind == CORE_EXP_HIST) {
        check_operator(k, exp->as.scatter.op, exp->as.scatter.neutral, count, rows,
                       "the operator of a histogram");
    }
    check_pattern(k, before, count, types);
}

static void check_keys(Check *k, CoreAtom keys, bool any_rank)
{
    size_t before = k->errors;
    CoreType type;
    if (core_check_array(k, keys, "what is sorted", &type)) {
        if (type.prim != CORE_I64 || (type.rank > 2 && !any_rank)) {
            core_check_error(k, "what is sorted must be of i64%s, not %s",
                             any_rank ? "" : ", a vector or a matrix",
                             core_check_type_text(k, type));
        }
        check_pattern(k, before, 1, &type);
    }
}

static void check_digit_sort(Check *k, const CoreExp *exp)
{
    core_check_scalar(k, exp->as.digit_sort.digit, CORE_I64, "the number of a digit");
    check_keys(k, exp->as.digit_sort.array, false);
}

/* ---- streams --------------------------------------------------------------------------------- */

static void check_stream(Check *k, const CoreExp *exp)
{
    size_t before = k->errors;
    const CoreLambda *fold = exp->as.stream.fold;
    size_t inputs = exp->as.stream.input_count, accumulators = exp->as.stream.accumulator_count;
    size_t count = 1 + accumulators + inputs, results = fold->body->result_count;
    CoreType *rows = ARENA_ARRAY(k->c->arena, CoreType, inputs);
    CoreType *arguments = ARENA_ARRAY(k->c->arena, CoreType, count);
    if (!check_inputs(k, exp->as.stream.width, inputs, exp->as.stream.inputs, rows)) {
        return;
    }
    if (fold->parameter_count != count || results < accumulators) {
        core_check_error(
            k, "the fold takes the chunk's size, %s and %s, and gives the accumulators first",
            core_counted(k->c, accumulators, "accumulator"), core_counted(k->c, inputs, "chunk"));
        return;
    }
    CoreName *chunk = fold->parameters[0];
    arguments[0] = core_scalar(CORE_I64);
    for (size_t i = 0; i < accumulators; i++) {
        core_check_use(k, exp->as.stream.neutral[i]);
        arguments[1 + i] = core_atom_type(exp->as.stream.neutral[i]);
    }
    for (size_t i = 0; i < inputs; i++) {
        arguments[1 + accumulators + i] = array_of(k, core_use(chunk), rows[i]);
    }
    if (!core_check_lambda(k, fold, count, arguments, chunk, "the fold")) {
        return;
    }
    CoreType *types = ARENA_ARRAY(k->c->arena, CoreType, results);
    for (size_t i = 0; i < results; i++) {
        types[i] = fold->result_types[i];
        if (i < accumulators) {
            core_check_same(k, arguments[1 + i], types[i], "an accumulator");
        } else if (types[i].rank == 0 || types[i].sizes[0].name != chunk) {
            core_check_error(k, "a mapped result of the fold must have the chunk's size, not %s",
                             core_check_type_text(k, types[i]));
            return;
        } else {
            types[i] = array_of(k, exp->as.stream.width, core_row(types[i]));
        }
    }
    if (exp->as.stream.reduce) {
        check_operator(k, exp->as.stream.reduce, exp->as.stream.neutral, accumulators, types,
                       "the reduction of the stream");
    }
    check_pattern(k, before, results, types);
}

void core_check_soac_exp(Check *k, const CoreExp *exp)
{
    switch ((int)exp->kind) { /* the kinds of SOACs */
    case CORE_EXP_SOAC: check_soac(k, &exp->as.soac); return;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: check_filter(k, exp); return;
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST: check_scatter(k, exp); return;
    case CORE_EXP_ORDER: check_keys(k, exp->as.array, true); return;
    case CORE_EXP_DIGIT_SORT: check_digit_sort(k, exp); return;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: check_stream(k, exp); return;
    }
}

/* ---- effects --------------------------------------------------------------------------------- */

/* (n, xs : [..][n]prim): whether the pattern has two names, and the first can be a size. */
static bool check_counted(Check *k, CoreAtom *size)
{
    if (k->stm->pattern_count != 2) {
        core_check_error(k, "let: %s for a size and an array",
                         core_counted(k->c, k->stm->pattern_count, "name"));
        return false;
    }
    const CoreName *name = k->stm->pattern[0];
    if (name->type.rank > 0 || name->type.prim != CORE_I64) {
        core_check_error(k, "let: %s is %s, its value i64", name->text,
                         core_check_type_text(k, name->type));
        return false;
    }
    *size = core_use(k->stm->pattern[0]);
    return true;
}

static void check_counted_array(Check *k, CoreType array)
{
    CoreType types[2] = {core_scalar(CORE_I64), array};
    check_pattern(k, k->errors, 2, types);
}

/* [2].. of reals */
static bool has_two_parts(CoreType type)
{
    return core_is_real(type.prim) && type.rank > 0 && core_atom_equal(type.sizes[0], core_i64(2));
}

static void check_format(Check *k, const CoreExp *exp)
{
    CoreAtom how = exp->as.format.how, x = exp->as.format.array, size;
    core_check_use(k, how);
    core_check_use(k, x);
    CoreType way = core_atom_type(how), type = core_atom_type(x);
    if (way.prim != CORE_I64 || way.rank > 1) {
        core_check_error(k, "format wants a number of digits or a vector of i64, not %s",
                         core_check_type_text(k, way));
    }
    if (type.prim == CORE_CERT) {
        core_check_error(k, "%s cannot be formatted", core_check_type_text(k, type));
    } else if (type.prim == CORE_CHAR && way.rank > 0) {
        core_check_error(k, "characters have no decimals: %s cannot be formatted in fields",
                         core_check_type_text(k, type));
    } else if (exp->as.format.is_complex && (!has_two_parts(type) || way.rank > 0)) {
        core_check_error(k, "format_complex takes a number of digits and reals, [2] at their first"
                            " axis");
    } else if (check_counted(k, &size)) {
        check_counted_array(k, core_format_type(k->c, type, exp->as.format.is_complex, size));
    }
}

static void check_read(Check *k, const CoreExp *exp)
{
    CoreType type;
    if (core_check_array(k, exp->as.read.file, "the name of a file", &type) &&
        (type.rank != 1 || type.prim != CORE_CHAR)) {
        core_check_error(k, "the name of a file must be a vector of char, not %s",
                         core_check_type_text(k, type));
    }
    int rank = exp->as.read.rank;
    if (!core_file_has_rank(exp->as.read.format, rank)) {
        core_check_error(k, "an array of rank %d cannot be read", rank);
    } else if (k->stm->pattern_count != (size_t)rank + 1) {
        core_check_error(k, "let: %s for %s and an array",
                         core_counted(k->c, k->stm->pattern_count, "name"),
                         rank == 1 ? "a size" : core_counted(k->c, (size_t)rank, "size"));
    } else {
        CoreType *types = ARENA_ARRAY(k->c->arena, CoreType, rank + 1);
        CoreAtom *sizes = ARENA_ARRAY(k->c->arena, CoreAtom, rank);
        for (int axis = 0; axis < rank; axis++) {
            types[axis] = core_scalar(CORE_I64);
            sizes[axis] = core_use(k->stm->pattern[axis]);
        }
        types[rank] = (CoreType){.prim = exp->as.read.prim, .rank = rank, .sizes = sizes};
        check_pattern(k, k->errors, (size_t)rank + 1, types);
    }
}

void core_check_effect_exp(Check *k, const CoreExp *exp)
{
    if (core_is_effect(exp->kind)) {
        k->has_effect = true;
        if (k->lambdas > 0) {
            core_check_error(k, "an effect cannot stand in a function that runs for every element");
        }
    }
    CoreType type;
    switch ((int)exp->kind) { /* effects and format */
    case CORE_EXP_PRINT:
    case CORE_EXP_PRINT_COMPLEX:
        core_check_use(k, exp->as.atom);
        type = core_atom_type(exp->as.atom);
        if (type.prim == CORE_CERT) {
            core_check_error(k, "a certificate cannot be printed");
        }
        if (exp->kind == CORE_EXP_PRINT_COMPLEX && !has_two_parts(type)) {
            core_check_error(k, "print_complex takes reals, [2] at their first axis");
        }
        check_pattern(k, k->errors, 0, NULL);
        return;
    case CORE_EXP_READ: check_read(k, exp); return;
    case CORE_EXP_ARGUMENT:
        if (exp->as.argument.prim == CORE_CERT) {
            core_check_error(k, "a certificate cannot be an argument of the program");
        }
        core_check_scalar(k, exp->as.argument.fallback, exp->as.argument.prim,
                          "the default of an argument");
        core_check_one_result(k, core_scalar(exp->as.argument.prim));
        return;
    case CORE_EXP_NOW:
    case CORE_EXP_SEED_NOW:
    case CORE_EXP_PRECISION_NOW: core_check_one_result(k, core_scalar(CORE_I64)); return;
    case CORE_EXP_DEVICE:
        if (core_device_least(exp->as.device) < 0) {
            core_check_error(k, "nothing is known of devices by the name \"%s\"", exp->as.device);
        }
        core_check_one_result(k, core_scalar(CORE_I64));
        return;
    case CORE_EXP_DRAWS:
        core_check_scalar(k, exp->as.atom, CORE_I64, "the number of draws");
        core_check_one_result(k, core_scalar(CORE_I64));
        return;
    case CORE_EXP_SEED:
        core_check_scalar(k, exp->as.atom, CORE_I64, "a seed");
        check_pattern(k, k->errors, 0, NULL);
        return;
    case CORE_EXP_PRECISION:
        core_check_scalar(k, exp->as.atom, CORE_I64, "a number of digits");
        check_pattern(k, k->errors, 0, NULL);
        return;
    case CORE_EXP_BENCH:
        core_check_scalar(k, exp->as.bench.iterations, CORE_I64, "the number of iterations");
        core_check_scalar(k, exp->as.bench.milliseconds, CORE_I64, "the milliseconds");
        check_pattern(k, k->errors, 0, NULL);
        return;
    case CORE_EXP_FORMAT: check_format(k, exp); return;
    }
}
