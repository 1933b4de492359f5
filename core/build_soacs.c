/* Constructors of SOACs ([PLDI] figure 8, [REDO] 3), streams ([PLDI] 2.4), scatter, histogram, and
   of effects.

   map, reduce and scan are one node: a map lambda over rows of the inputs, whose results feed first
   the reductions, then the scans, and then are the mapped-out arrays.

       core_exp_reduce(c, n, 1, &xs, plus, &zero, true)
           let (s_9 : f64) = reduce_comm n_1 (xs_2) (\(x_6 : f64, y_7 : f64) -> ...) (0.0f64) */
#include "core/build.h"

/* ---- SOACs ----------------------------------------------------------------------------------- */

static void require_inputs(Compilation *c, CoreAtom width, size_t count, const CoreAtom *inputs)
{
    core_build_require_scalar(c, width, CORE_I64, "the width of a SOAC");
    for (size_t i = 0; i < count; i++) {
        core_build_require_array(c, inputs[i], "an input of a SOAC");
    }
}

static void require_parameters(Compilation *c, const CoreLambda *lambda, size_t count,
                               const char *what)
{
    REQUIRE(c, lambda->parameter_count == count, "%s has %zu parameters where %zu are needed", what,
            lambda->parameter_count, count);
}

/* 2k parameters, k results, k neutral elements whose prims and ranks agree. */
static void require_operator(Compilation *c, const CoreLambda *op, const CoreAtom *neutral,
                             size_t count, const char *what)
{
    require_parameters(c, op, 2 * count, what);
    REQUIRE(c, op->body->result_count == count, "%s has %zu results where %zu are needed", what,
            op->body->result_count, count);
    for (size_t i = 0; i < count; i++) {
        CoreType type = core_atom_type(neutral[i]);
        REQUIRE(c, type.prim == op->result_types[i].prim && type.rank == op->result_types[i].rank,
                "%s gives %s, its neutral element is %s", what,
                core_type_text(c, op->result_types[i]), core_type_text(c, type));
    }
}

static const CoreReduction *copy_reductions(Compilation *c, size_t count,
                                            const CoreReduction *given)
{
    CoreReduction *copy = ARENA_ARRAY(c->arena, CoreReduction, count);
    for (size_t i = 0; i < count; i++) {
        size_t k = given[i].function->body->result_count;
        require_operator(c, given[i].function, given[i].neutral, k,
                         "the operator of a reduction or scan");
        copy[i] = given[i];
        copy[i].neutral = core_build_copy_atoms(c, k, given[i].neutral);
    }
    return copy;
}

static const CoreLambda *identity_on_rows(Compilation *c, size_t count, const CoreAtom *inputs)
{
    CoreType *rows = ARENA_ARRAY(c->arena, CoreType, count);
    for (size_t i = 0; i < count; i++) {
        rows[i] = core_row(core_atom_type(inputs[i]));
    }
    return core_identity_lambda(c, count, rows);
}

const CoreExp *core_exp_soac(Compilation *c, CoreAtom width, size_t input_count,
                             const CoreAtom *inputs, const CoreLambda *map, size_t reduction_count,
                             const CoreReduction *reductions, size_t scan_count,
                             const CoreReduction *scans)
{
    require_inputs(c, width, input_count, inputs);
    if (!map) {
        map = identity_on_rows(c, input_count, inputs);
    }
    require_parameters(c, map, input_count, "the function of a SOAC");
    CoreExp *exp = core_build_exp(c, CORE_EXP_SOAC);
    CoreSoac *soac = &exp->as.soac;
    soac->width = width;
    soac->input_count = input_count;
    soac->inputs = core_build_copy_atoms(c, input_count, inputs);
    soac->map = map;
    soac->reduction_count = reduction_count;
    soac->reductions = copy_reductions(c, reduction_count, reductions);
    soac->scan_count = scan_count;
    soac->scans = copy_reductions(c, scan_count, scans);
    size_t taken = 0;
    for (size_t i = 0; i < reduction_count; i++) {
        taken += reductions[i].function->body->result_count;
    }
    for (size_t i = 0; i < scan_count; i++) {
        taken += scans[i].function->body->result_count;
    }
    REQUIRE(c, taken <= map->body->result_count,
            "the function of a SOAC has %zu results, its reductions and scans take %zu",
            map->body->result_count, taken);
    return exp;
}

const CoreExp *core_exp_map(Compilation *c, CoreAtom width, size_t input_count,
                            const CoreAtom *inputs, const CoreLambda *function)
{
    return core_exp_soac(c, width, input_count, inputs, function, 0, NULL, 0, NULL);
}

const CoreExp *core_exp_reduce(Compilation *c, CoreAtom width, size_t input_count,
                               const CoreAtom *inputs, const CoreLambda *function,
                               const CoreAtom *neutral, bool commutative)
{
    REQUIRE(c, function->body->result_count == input_count,
            "a reduction of %zu inputs with %zu results", input_count,
            function->body->result_count);
    CoreReduction reduction = {
        .function = function, .neutral = neutral, .commutative = commutative};
    return core_exp_soac(c, width, input_count, inputs, NULL, 1, &reduction, 0, NULL);
}

const CoreExp *core_exp_scan(Compilation *c, CoreAtom width, size_t input_count,
                             const CoreAtom *inputs, const CoreLambda *function,
                             const CoreAtom *neutral)
{
    REQUIRE(c, function->body->result_count == input_count, "a scan of %zu inputs with %zu results",
            input_count, function->body->result_count);
    CoreReduction scan = {.function = function, .neutral = neutral};
    return core_exp_soac(c, width, input_count, inputs, NULL, 0, NULL, 1, &scan);
}

size_t core_filter_count(const CoreExp *filter)
{
    size_t results = filter->as.filter.predicate->body->result_count;
    return results > 1 ? results - 1 : filter->as.filter.input_count;
}

CoreType core_filter_row(const CoreExp *filter, size_t k)
{
    const CoreLambda *predicate = filter->as.filter.predicate;
    return predicate->body->result_count > 1
               ? predicate->result_types[1 + k]
               : core_row(core_atom_type(filter->as.filter.inputs[k]));
}

static const CoreExp *exp_filter(Compilation *c, CoreExpKind kind, CoreAtom width,
                                 size_t input_count, const CoreAtom *inputs,
                                 const CoreLambda *predicate)
{
    require_inputs(c, width, input_count, inputs);
    require_parameters(c, predicate, input_count, "the predicate of filter");
    REQUIRE(c, predicate->body->result_count >= 1, "the predicate of filter has no result");
    core_build_require_scalar(c, predicate->body->results[0], CORE_BOOL, "the predicate's result");
    CoreExp *exp = core_build_exp(c, kind);
    exp->as.filter.width = width;
    exp->as.filter.input_count = input_count;
    exp->as.filter.inputs = core_build_copy_atoms(c, input_count, inputs);
    exp->as.filter.predicate = predicate;
    return exp;
}

const CoreExp *core_exp_filter(Compilation *c, CoreAtom width, size_t input_count,
                               const CoreAtom *inputs, const CoreLambda *predicate)
{
    return exp_filter(c, CORE_EXP_FILTER, width, input_count, inputs, predicate);
}

const CoreExp *core_exp_compact(Compilation *c, CoreAtom width, size_t input_count,
                                const CoreAtom *inputs, const CoreLambda *predicate)
{
    return exp_filter(c, CORE_EXP_COMPACT, width, input_count, inputs, predicate);
}

CoreAtom core_filter_rows(const CoreStm *stm)
{
    return stm->exp->kind == CORE_EXP_FILTER ? core_use(stm->pattern[0])
                                             : stm->exp->as.filter.width;
}

static CoreExp *exp_scatter(Compilation *c, CoreExpKind kind, CoreAtom width, size_t count,
                            const CoreAtom *destinations, CoreAtom indices, const CoreAtom *values)
{
    require_inputs(c, width, 1, &indices);
    require_inputs(c, width, count, values);
    for (size_t i = 0; i < count; i++) {
        CoreType destination =
            core_build_require_array(c, destinations[i], "a destination of scatter");
        CoreType value = core_atom_type(values[i]);
        REQUIRE(c, destination.prim == value.prim && destination.rank == value.rank,
                "scatter of %s into %s", core_type_text(c, value), core_type_text(c, destination));
    }
    CoreExp *exp = core_build_exp(c, kind);
    exp->as.scatter.width = width;
    exp->as.scatter.count = count;
    exp->as.scatter.destinations = core_build_copy_atoms(c, count, destinations);
    exp->as.scatter.indices = indices;
    exp->as.scatter.values = core_build_copy_atoms(c, count, values);
    return exp;
}

const CoreExp *core_exp_scatter(Compilation *c, CoreAtom width, size_t count,
                                const CoreAtom *destinations, CoreAtom indices,
                                const CoreAtom *values)
{
    return exp_scatter(c, CORE_EXP_SCATTER, width, count, destinations, indices, values);
}

const CoreExp *core_exp_hist(Compilation *c, CoreAtom width, size_t count,
                             const CoreAtom *destinations, CoreAtom indices, const CoreAtom *values,
                             const CoreLambda *op, const CoreAtom *neutral)
{
    CoreExp *exp = exp_scatter(c, CORE_EXP_HIST, width, count, destinations, indices, values);
    require_operator(c, op, neutral, count, "the operator of hist");
    exp->as.scatter.op = op;
    exp->as.scatter.neutral = core_build_copy_atoms(c, count, neutral);
    return exp;
}

static CoreType type_of_keys(Compilation *c, CoreAtom keys, bool any_rank)
{
    CoreType type = core_atom_type(keys);
    REQUIRE(c, type.rank > 0 && (type.rank <= 2 || any_rank) && type.prim == CORE_I64, "keys of %s",
            core_type_text(c, type));
    return type;
}

CoreAtom core_let_order(CoreBuilder *b, const char *text, CoreAtom keys)
{
    CoreType type = type_of_keys(b->c, keys, true);
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_ORDER);
    exp->as.array = keys;
    return core_let(b, text, type, exp);
}

CoreAtom core_let_digit_sort(CoreBuilder *b, const char *text, CoreAtom array, CoreAtom digit)
{
    CoreType type = type_of_keys(b->c, array, false);
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_DIGIT_SORT);
    exp->as.digit_sort.array = array;
    exp->as.digit_sort.digit = digit;
    return core_let(b, text, type, exp);
}

const CoreExp *core_exp_stream(Compilation *c, CoreExpKind kind, CoreAtom width, size_t input_count,
                               const CoreAtom *inputs, const CoreLambda *fold,
                               const CoreLambda *reduce, size_t accumulator_count,
                               const CoreAtom *neutral, bool commutative)
{
    REQUIRE(c,
            kind == CORE_EXP_STREAM_MAP || kind == CORE_EXP_STREAM_RED ||
                kind == CORE_EXP_STREAM_SEQ,
            "expression kind %d is not a stream", (int)kind);
    require_inputs(c, width, input_count, inputs);
    require_parameters(c, fold, 1 + accumulator_count + input_count, "the fold of a stream");
    REQUIRE(c, fold->body->result_count >= accumulator_count,
            "the fold of a stream has %zu results for %zu accumulators", fold->body->result_count,
            accumulator_count);
    REQUIRE(c, kind != CORE_EXP_STREAM_MAP || accumulator_count == 0,
            "stream_map with accumulators");
    REQUIRE(c, (kind == CORE_EXP_STREAM_RED) == (reduce != NULL),
            "stream_red, and no other stream, has a reduction");
    if (reduce) {
        require_operator(c, reduce, neutral, accumulator_count, "the reduction of stream_red");
    }
    CoreExp *exp = core_build_exp(c, kind);
    exp->as.stream.width = width;
    exp->as.stream.input_count = input_count;
    exp->as.stream.inputs = core_build_copy_atoms(c, input_count, inputs);
    exp->as.stream.fold = fold;
    exp->as.stream.reduce = reduce;
    exp->as.stream.accumulator_count = accumulator_count;
    exp->as.stream.neutral = core_build_copy_atoms(c, accumulator_count, neutral);
    exp->as.stream.commutative = commutative;
    return exp;
}

const CoreExp *core_exp_placed(Compilation *c, const CoreExp *exp, CoreLevel level, CoreSpace space)
{
    CoreExp *placed = arena_copy(c->arena, exp, sizeof *exp);
    placed->level = level;
    placed->space = space;
    return placed;
}

void core_let_map(CoreBuilder *b, const char *text, CoreAtom width, size_t input_count,
                  const CoreAtom *inputs, const CoreLambda *function, CoreAtom *results)
{
    size_t count = function->body->result_count;
    CoreName **pattern = ARENA_ARRAY(b->c->arena, CoreName *, count);
    for (size_t i = 0; i < count; i++) {
        CoreType type = core_array_of(b->c, width, function->result_types[i]);
        pattern[i] = core_name(b->c, text, type, b->span);
        results[i] = core_use(pattern[i]);
    }
    core_bind(b, count, pattern, core_exp_map(b->c, width, input_count, inputs, function));
}

const CoreLambda *core_operator_lambda(Compilation *c, CoreOperator op, CorePrim prim, Span span)
{
    REQUIRE(c, core_operator_arity(op) == 2, "operator %s is not binary", core_operator_text(op));
    CoreName *parameters[2] = {
        core_name(c, "x", core_scalar(prim), span),
        core_name(c, "y", core_scalar(prim), span),
    };
    CoreBuilder b = core_builder(c, span);
    CoreAtom result =
        core_let_binary(&b, "z", op, core_use(parameters[0]), core_use(parameters[1]));
    return core_lambda(c, 2, parameters, core_body(&b, 1, &result));
}

CoreAtom core_let(CoreBuilder *b, const char *text, CoreType type, const CoreExp *exp)
{
    return core_build_let(b, text, type, exp);
}

/* ---- effects --------------------------------------------------------------------------------- */

static CoreExp *exp_of_atom(Compilation *c, CoreExpKind kind, CoreAtom atom)
{
    CoreExp *exp = core_build_exp(c, kind);
    exp->as.atom = atom;
    return exp;
}

void core_do_print(CoreBuilder *b, CoreAtom x)
{
    REQUIRE(b->c, core_atom_type(x).prim != CORE_CERT, "print of a certificate");
    core_bind(b, 0, NULL, exp_of_atom(b->c, CORE_EXP_PRINT, x));
}

void core_do_print_complex(CoreBuilder *b, CoreAtom parts)
{
    CoreType type = core_atom_type(parts);
    REQUIRE(b->c, core_is_real(type.prim) && type.rank > 0, "print_complex wants two arrays");
    core_bind(b, 0, NULL, exp_of_atom(b->c, CORE_EXP_PRINT_COMPLEX, parts));
}

void core_do_seed(CoreBuilder *b, CoreAtom seed)
{
    core_build_require_scalar(b->c, seed, CORE_I64, "a seed");
    core_bind(b, 0, NULL, exp_of_atom(b->c, CORE_EXP_SEED, seed));
}

void core_do_precision(CoreBuilder *b, CoreAtom digits)
{
    core_build_require_scalar(b->c, digits, CORE_I64, "a number of digits");
    core_bind(b, 0, NULL, exp_of_atom(b->c, CORE_EXP_PRECISION, digits));
}

void core_do_bench(CoreBuilder *b, CoreAtom iterations, CoreAtom milliseconds, size_t count,
                   const CoreAtom *timed)
{
    core_build_require_scalar(b->c, iterations, CORE_I64, "the iterations of bench");
    core_build_require_scalar(b->c, milliseconds, CORE_I64, "the milliseconds of bench");
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_BENCH);
    exp->as.bench.iterations = iterations;
    exp->as.bench.milliseconds = milliseconds;
    exp->as.bench.count = count;
    exp->as.bench.timed = timed;
    core_bind(b, 0, NULL, exp);
}

bool core_file_has_rank(CoreFileFormat format, int rank)
{
    switch (format) {
    case CORE_FILE_TEXT: return rank == 1;
    case CORE_FILE_CSV: return rank == 2;
    case CORE_FILE_NPY: return rank >= 1 && rank <= 32;
    }
    return false;
}

CoreAtom core_let_read(CoreBuilder *b, const char *text, CoreFileFormat format, CorePrim prim,
                       int rank, CoreAtom file, CoreAtom *sizes)
{
    CoreType type = core_build_require_array(b->c, file, "the name of a file");
    REQUIRE(b->c, type.rank == 1 && type.prim == CORE_CHAR && prim != CORE_CERT, "read %s from %s",
            core_prim_text(prim), core_type_text(b->c, type));
    REQUIRE(b->c, core_file_has_rank(format, rank), "read an array of rank %d", rank);
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_READ);
    exp->as.read.format = format;
    exp->as.read.prim = prim;
    exp->as.read.rank = rank;
    exp->as.read.file = file;
    CoreName **pattern = ARENA_ARRAY(b->c->arena, CoreName *, rank + 1);
    for (int k = 0; k < rank; k++) {
        pattern[k] = core_name(b->c, "n", core_scalar(CORE_I64), b->span);
        sizes[k] = core_use(pattern[k]);
    }
    pattern[rank] = core_name(b->c, text, core_array(b->c, prim, rank, sizes), b->span);
    core_bind(b, (size_t)rank + 1, pattern, exp);
    return core_use(pattern[rank]);
}

CoreType core_format_type(Compilation *c, CoreType x, bool is_complex, CoreAtom count)
{
    int first = is_complex ? 1 : 0, rank = x.rank - first > 1 ? x.rank - first : 1;
    CoreAtom *sizes = ARENA_ARRAY(c->arena, CoreAtom, rank);
    for (int k = 0; k + 1 < rank; k++) {
        sizes[k] = x.sizes[first + k];
    }
    sizes[rank - 1] = count;
    return core_array(c, CORE_CHAR, rank, sizes);
}

CoreAtom core_let_format(CoreBuilder *b, const char *text, CoreAtom how, CoreAtom x,
                         bool is_complex, CoreAtom *count)
{
    CoreType type = core_atom_type(x), way = core_atom_type(how);
    REQUIRE(b->c, type.prim != CORE_CERT && way.prim == CORE_I64 && way.rank <= 1,
            "format of %s by %s", core_type_text(b->c, type), core_type_text(b->c, way));
    REQUIRE(b->c, !is_complex || (core_is_real(type.prim) && type.rank > 0 && way.rank == 0),
            "format_complex wants two arrays");
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_FORMAT);
    exp->as.format.how = how;
    exp->as.format.array = x;
    exp->as.format.is_complex = is_complex;
    CoreName *size = core_name(b->c, "n", core_scalar(CORE_I64), b->span);
    *count = core_use(size);
    CoreName *array =
        core_name(b->c, text, core_format_type(b->c, type, is_complex, *count), b->span);
    CoreName *pattern[2] = {size, array};
    core_bind(b, 2, pattern, exp);
    return core_use(array);
}

CoreAtom core_let_argument(CoreBuilder *b, const char *text, CorePrim prim, const char *name,
                           CoreAtom fallback)
{
    core_build_require_scalar(b->c, fallback, prim, "the default of an argument");
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_ARGUMENT);
    exp->as.argument.prim = prim;
    exp->as.argument.name = intern(b->c, name);
    exp->as.argument.fallback = fallback;
    return core_build_let(b, text, core_scalar(prim), exp);
}

CoreAtom core_let_now(CoreBuilder *b, const char *text)
{
    return core_build_let(b, text, core_scalar(CORE_I64),
                          exp_of_atom(b->c, CORE_EXP_NOW, core_i64(0)));
}

CoreAtom core_let_draws(CoreBuilder *b, const char *text, CoreAtom count)
{
    core_build_require_scalar(b->c, count, CORE_I64, "the count of draws");
    return core_build_let(b, text, core_scalar(CORE_I64), exp_of_atom(b->c, CORE_EXP_DRAWS, count));
}

CoreAtom core_let_seed_now(CoreBuilder *b, const char *text)
{
    return core_build_let(b, text, core_scalar(CORE_I64),
                          exp_of_atom(b->c, CORE_EXP_SEED_NOW, core_i64(0)));
}

CoreAtom core_let_precision_now(CoreBuilder *b, const char *text)
{
    return core_build_let(b, text, core_scalar(CORE_I64),
                          exp_of_atom(b->c, CORE_EXP_PRECISION_NOW, core_i64(0)));
}

CoreAtom core_let_device(CoreBuilder *b, const char *name)
{
    CoreExp *exp = core_build_exp(b->c, CORE_EXP_DEVICE);
    exp->as.device = intern(b->c, name);
    return core_build_let(b, name, core_scalar(CORE_I64), exp);
}

bool core_operator_of(const CoreLambda *lambda, size_t k, CoreOperator *op)
{
    const CoreBody *body = lambda->body;
    size_t count = body->result_count, at = 0;
    if (lambda->parameter_count != 2 * count || body->stm_count != count || k >= count) {
        return false;
    }
    while (at < count && (body->stms[at]->exp->kind != CORE_EXP_BINARY ||
                          body->stms[at]->pattern[0] != body->results[k].name)) {
        at++;
    }
    if (at == count) {
        return false;
    }
    const CoreExp *exp = body->stms[at]->exp;
    const CoreName *x = exp->as.scalar.x.name, *y = exp->as.scalar.y.name;
    const CoreName *first = lambda->parameters[k], *second = lambda->parameters[count + k];
    *op = exp->as.scalar.op;
    return (x == first && y == second) || (x == second && y == first);
}

bool core_is_operator(const CoreLambda *lambda, CoreOperator *op)
{
    return lambda->body->result_count == 1 && core_operator_of(lambda, 0, op);
}

/* With an operator that commutes. */
static bool is_commutative_operator(const CoreLambda *function)
{
    CoreOperator op;
    if (!core_is_operator(function, &op)) {
        return false;
    }
    bool whole = !core_is_real(function->result_types[0].prim);
    switch ((int)op) {
    case CORE_ADD:
    case CORE_MUL: return true;
    case CORE_AND:
    case CORE_OR:
    case CORE_XOR:
    case CORE_MAX:
    case CORE_MIN: return whole; /* of nan and other reals it depends */
    }
    return false;
}

bool core_commutes(const CoreReduction *reduction)
{
    return reduction->commutative || is_commutative_operator(reduction->function);
}
