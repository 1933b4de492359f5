/* Types of core programs: functions, bodies, statements, scalars and control; and core_check
   itself.

   Sizes belong to types. Where a statement binds results with sizes that only run time knows, the
   sizes are results too, before the arrays that use them:

       let (m_2 : i64, ys_3 : [m_2]f64) = filter n_1 (xs_1) (...)

   In a pattern, an earlier name of that pattern stands for the result bound to it. The same rule
   types if (both branches), loops (initial values, next values and results against the parameters)
   and calls. A statement with certificates may change sizes: its assertions say that they agree. */
#include "core/check/check.h"

/* ---- results against patterns ---------------------------------------------------------------- */

/* The value that a size of names[i]'s type stands for: where it is an earlier name, the value bound
   to that name. */
static CoreAtom size_meant(CoreAtom size, size_t i, CoreName *const *names, const CoreAtom *values)
{
    for (size_t j = 0; values && size.name && j < i; j++) {
        if (names[j] == size.name) {
            return values[j];
        }
    }
    return size;
}

/* " with k = n", where k stands for n. */
static const char *meaning(Check *k, CoreAtom size, size_t i, CoreName *const *names,
                           const CoreAtom *values)
{
    const char *name = core_check_text(k, size);
    const char *value = core_check_text(k, size_meant(size, i, names, values));
    return strcmp(name, value) == 0 ? "" : arena_printf(k->c->arena, " with %s = %s", name, value);
}

void core_check_results(Check *k, size_t name_count, CoreName *const *names, size_t count,
                        const CoreType *types, const CoreAtom *values, const char *what)
{
    if (name_count != count) {
        core_check_error(k, "%s: %s for %s", what, core_counted(k->c, name_count, "name"),
                         core_counted(k->c, count, "result"));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        CoreType expected = names[i]->type, found = types[i];
        bool same = expected.prim == found.prim && expected.rank == found.rank;
        int wrong = -1;
        for (int d = 0; same && !k->lenient && d < expected.rank; d++) {
            CoreAtom size = size_meant(expected.sizes[d], i, names, values);
            same = core_check_same_size(k, size, found.sizes[d]);
            wrong = d;
        }
        if (!same) {
            const char *texts[2];
            core_check_type_texts(k, expected, found, texts);
            core_check_error(k, "%s: %s is %s%s, its value %s", what,
                             core_check_text(k, core_use(names[i])), texts[0],
                             wrong < 0 ? "" : meaning(k, expected.sizes[wrong], i, names, values),
                             texts[1]);
        }
    }
}

void core_check_one_result(Check *k, CoreType type)
{
    core_check_results(k, k->stm->pattern_count, k->stm->pattern, 1, &type, NULL, "let");
}

static CoreType *types_of(Check *k, size_t count, const CoreAtom *atoms)
{
    CoreType *types = ARENA_ARRAY(k->c->arena, CoreType, count);
    for (size_t i = 0; i < count; i++) {
        types[i] = core_atom_type(atoms[i]);
    }
    return types;
}

/* ---- scalars --------------------------------------------------------------------------------- */

static void check_scalar_exp(Check *k, const CoreExp *exp)
{
    CoreOperator op = exp->as.scalar.op;
    CorePrim prim = exp->as.scalar.prim;
    bool binary = exp->kind == CORE_EXP_BINARY;
    if (core_operator_arity(op) != (binary ? 2 : 1)) {
        core_check_error(k, "operator %s takes %d operands", core_operator_text(op),
                         core_operator_arity(op));
    }
    bool good = core_check_scalar(k, exp->as.scalar.x, prim, "an operand");
    if (binary) {
        good = core_check_scalar(k, exp->as.scalar.y, prim, "the second operand") && good;
    }
    if (good && !core_operator_accepts(op, prim)) {
        core_check_error(k, "operator %s does not take %s", core_operator_text(op),
                         core_prim_text(prim));
        return;
    }
    core_check_one_result(k, core_scalar(core_operator_result(op, prim)));
}

static void check_convert(Check *k, const CoreExp *exp)
{
    CoreAtom x = exp->as.convert.x;
    CoreType type = core_atom_type(x);
    core_check_use(k, x);
    if (type.rank != 0 || type.prim == CORE_CERT || exp->as.convert.to == CORE_CERT) {
        core_check_error(k, "%s cannot be converted to %s", core_check_type_text(k, type),
                         core_prim_text(exp->as.convert.to));
    }
    core_check_one_result(k, core_scalar(exp->as.convert.to));
}

static void check_assert(Check *k, const CoreExp *exp)
{
    core_check_scalar(k, exp->as.assertion.condition, CORE_BOOL, "the condition of an assertion");
    size_t count = exp->as.assertion.value_count;
    if (count > CORE_MOST_VALUES) {
        core_check_error(k, "an assertion has at most %d values, not %zu", CORE_MOST_VALUES, count);
    }
    if (exp->as.assertion.stage > 0 && (k->lambdas != 1 || !k->has_stages)) {
        core_check_error(
            k,
            "an assertion of a later stage stands in the map function of a SOAC, and that in none");
    }
    size_t holes = 0;
    for (const char *s = strstr(exp->as.assertion.message, "{}"); s; s = strstr(s + 2, "{}")) {
        holes++;
    }
    if (holes != count) {
        core_check_error(k, "the assertion's message has %s for %s",
                         core_counted(k->c, holes, "place"), core_counted(k->c, count, "value"));
    }
    for (size_t i = 0; i < count; i++) {
        CoreType type = core_atom_type(exp->as.assertion.values[i]);
        core_check_use(k, exp->as.assertion.values[i]);
        if (type.rank != 0 || !(core_is_int(type.prim) || core_is_real(type.prim))) {
            core_check_error(k, "a value of an assertion must be a number, not %s",
                             core_check_type_text(k, type));
        }
    }
    core_check_one_result(k, core_scalar(CORE_CERT));
}

static void check_conjoin(Check *k, const CoreExp *exp)
{
    for (size_t i = 0; i < exp->as.items.count; i++) {
        core_check_scalar(k, exp->as.items.items[i], CORE_CERT, "an operand of conjoin");
    }
    core_check_one_result(k, core_scalar(CORE_CERT));
}

/* ---- control --------------------------------------------------------------------------------- */

static void check_branch(Check *k, const CoreBody *body, const char *what)
{
    size_t mark = core_check_scope(k);
    core_check_body(k, body);
    core_check_results(k, k->stm->pattern_count, k->stm->pattern, body->result_count,
                       types_of(k, body->result_count, body->results), body->results, what);
    core_check_close(k, mark);
}

static void check_if(Check *k, const CoreExp *exp)
{
    core_check_scalar(k, exp->as.conditional.condition, CORE_BOOL, "the condition of an if");
    check_branch(k, exp->as.conditional.then_body, "then");
    check_branch(k, exp->as.conditional.else_body, "else");
}

static void check_loop(Check *k, const CoreExp *exp)
{
    size_t count = exp->as.loop.parameter_count;
    CoreName *const *parameters = exp->as.loop.parameters;
    const CoreBody *body = exp->as.loop.body;
    for (size_t i = 0; i < count; i++) {
        core_check_use(k, exp->as.loop.initial[i]);
    }
    if (exp->as.loop.index) {
        core_check_scalar(k, exp->as.loop.bound, CORE_I64, "the bound of a loop");
    }
    size_t mark = core_check_scope(k);
    for (size_t i = 0; i < count; i++) {
        core_check_bind(k, parameters[i]);
    }
    core_check_results(k, count, parameters, count, types_of(k, count, exp->as.loop.initial),
                       exp->as.loop.initial, "the loop's initial value");
    if (exp->as.loop.index) {
        core_check_bind(k, exp->as.loop.index);
        core_check_scalar(k, core_use(exp->as.loop.index), CORE_I64, "the index of a loop");
    } else {
        bool found = false;
        for (size_t i = 0; i < count; i++) {
            found = found || parameters[i] == exp->as.loop.condition;
        }
        if (!found) {
            core_check_error(k, "the condition of a loop must be one of its parameters");
        } else {
            core_check_scalar(k, core_use(exp->as.loop.condition), CORE_BOOL,
                              "the condition of a loop");
        }
    }
    core_check_body(k, body);
    core_check_results(k, count, parameters, body->result_count,
                       types_of(k, body->result_count, body->results), body->results,
                       "the loop's next value");
    CoreAtom *values = ARENA_ARRAY(k->c->arena, CoreAtom, count);
    for (size_t i = 0; i < count; i++) {
        values[i] = core_use(parameters[i]);
    }
    core_check_results(k, k->stm->pattern_count, k->stm->pattern, count, types_of(k, count, values),
                       values, "let");
    core_check_close(k, mark);
}

/* The results of a call: the callee's types and, for existential sizes, what its body returns, with
   the arguments in place of the parameters. */
static void check_call_results(Check *k, const CoreFunction *callee, const CoreAtom *arguments)
{
    size_t count = callee->result_count;
    CoreType *types = ARENA_ARRAY(k->c->arena, CoreType, count);
    CoreAtom *values = ARENA_ARRAY(k->c->arena, CoreAtom, count);
    for (size_t i = 0; i < count; i++) {
        CoreAtom *sizes = ARENA_ARRAY(k->c->arena, CoreAtom, callee->result_types[i].rank);
        types[i] = callee->result_types[i];
        for (int d = 0; d < types[i].rank; d++) {
            sizes[d] = size_meant(types[i].sizes[d], callee->parameter_count, callee->parameters,
                                  arguments);
        }
        types[i].sizes = sizes;
        CoreAtom value = callee->body->results[i];
        value = value.name ? core_check_name(k, value.name)->equal : value;
        values[i] = size_meant(value, callee->parameter_count, callee->parameters, arguments);
    }
    core_check_results(k, k->stm->pattern_count, k->stm->pattern, count, types, values, "let");
}

static void check_apply(Check *k, const CoreExp *exp)
{
    size_t count = exp->as.apply.count;
    const CoreAtom *arguments = exp->as.apply.arguments;
    for (size_t i = 0; i < count; i++) {
        core_check_use(k, arguments[i]);
    }
    const FunctionInfo *info = core_check_function_info(k, exp->as.apply.function);
    const CoreFunction *callee = info->function;
    if (!callee) {
        core_check_error(k,
                         strcmp(exp->as.apply.function, k->function->name) == 0
                             ? "%s calls itself: there is no recursion"
                             : "function %s is not defined before this call",
                         exp->as.apply.function);
        return;
    }
    k->has_effect = k->has_effect || info->has_effect;
    if (k->lambdas > 0 && info->has_effect) {
        core_check_error(k, "%s has effects and is called for every element", callee->name);
    }
    if (count != callee->parameter_count) {
        core_check_error(k, "%s takes %s, not %zu", callee->name,
                         core_counted(k->c, callee->parameter_count, "argument"), count);
        return;
    }
    core_check_results(k, count, callee->parameters, count, types_of(k, count, arguments),
                       arguments, arena_printf(k->c->arena, "an argument of %s", callee->name));
    if (callee->body->result_count == callee->result_count) {
        check_call_results(k, callee, arguments);
    } else if (k->stm->pattern_count != callee->result_count) { /* wrong where it is defined, too */
        core_check_error(k, "let: %s for %s", core_counted(k->c, k->stm->pattern_count, "name"),
                         core_counted(k->c, callee->result_count, "result"));
    }
}

/* ---- statements and bodies ------------------------------------------------------------------- */

static void check_exp(Check *k, const CoreExp *exp)
{
    switch (exp->kind) {
    case CORE_EXP_ATOM:
        core_check_use(k, exp->as.atom);
        core_check_one_result(k, core_atom_type(exp->as.atom));
        return;
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY: check_scalar_exp(k, exp); return;
    case CORE_EXP_CONVERT: check_convert(k, exp); return;
    case CORE_EXP_IF: check_if(k, exp); return;
    case CORE_EXP_LOOP: check_loop(k, exp); return;
    case CORE_EXP_APPLY: check_apply(k, exp); return;
    case CORE_EXP_ASSERT: check_assert(k, exp); return;
    case CORE_EXP_CONJOIN: check_conjoin(k, exp); return;
    case CORE_EXP_INDEX:
    case CORE_EXP_UPDATE:
    case CORE_EXP_LITERAL:
    case CORE_EXP_IOTA:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_SCRATCH:
    case CORE_EXP_COPY:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_SLICE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD: core_check_array_exp(k, exp); return;
    case CORE_EXP_SOAC:
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER:
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST:
    case CORE_EXP_ORDER:
    case CORE_EXP_DIGIT_SORT:
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: core_check_soac_exp(k, exp); return;
    case CORE_EXP_PRINT:
    case CORE_EXP_PRINT_COMPLEX:
    case CORE_EXP_READ:
    case CORE_EXP_ARGUMENT:
    case CORE_EXP_NOW:
    case CORE_EXP_DRAWS:
    case CORE_EXP_SEED:
    case CORE_EXP_SEED_NOW:
    case CORE_EXP_PRECISION:
    case CORE_EXP_PRECISION_NOW:
    case CORE_EXP_DEVICE:
    case CORE_EXP_BENCH:
    case CORE_EXP_FORMAT: core_check_effect_exp(k, exp); return;
    }
}

static bool always_fails(const CoreExp *exp)
{
    return exp->kind == CORE_EXP_ASSERT &&
           core_atom_equal(exp->as.assertion.condition, core_bool(false));
}

static void check_stm(Check *k, const CoreStm *stm)
{
    const CoreStm *outer = k->stm;
    bool lenient = k->lenient;
    k->stm = stm;
    k->lenient = stm->certificate_count > 0 || k->unreachable;
    for (size_t i = 0; i < stm->certificate_count; i++) {
        core_check_scalar(k, stm->certificates[i], CORE_CERT, "what stands between < and >");
    }
    check_exp(k, stm->exp);
    for (size_t i = 0; i < stm->pattern_count; i++) {
        core_check_bind(k, stm->pattern[i]);
    }
    if (stm->exp->kind == CORE_EXP_ATOM && stm->pattern_count == 1) {
        CoreAtom atom = stm->exp->as.atom;
        CoreAtom equal = atom.name ? core_check_name(k, atom.name)->equal : atom;
        core_check_name(k, stm->pattern[0])->equal = equal;
    }
    k->stm = outer;
    k->lenient = lenient;
    k->unreachable = k->unreachable || always_fails(stm->exp);
}

void core_check_body(Check *k, const CoreBody *body)
{
    if (k->depth >= NESTING_LIMIT) {
        k->errors++;
        diagnostics_add(k->c->diagnostics, k->stm ? k->stm->span : k->function->span, "LIMIT ERROR",
                        "nesting is deeper than %d", NESTING_LIMIT);
        return;
    }
    bool unreachable = k->unreachable;
    k->depth++;
    for (size_t i = 0; i < body->stm_count; i++) {
        check_stm(k, body->stms[i]);
    }
    for (size_t i = 0; i < body->result_count; i++) {
        core_check_use(k, body->results[i]);
    }
    k->unreachable = unreachable;
    k->depth--;
}

/* Arrays are regular: every element has the same sizes, which are bound outside of the function. */
static void require_regular(Check *k, CoreType type, const CoreName *chunk)
{
    for (int d = 0; d < type.rank; d++) {
        const CoreName *size = type.sizes[d].name;
        if (size && size != chunk && !core_check_name(k, size)->in_scope) {
            core_check_error(
                k, "the function's result %s has a size that is bound inside the function",
                core_check_type_text(k, type));
            return;
        }
    }
}

bool core_check_lambda(Check *k, const CoreLambda *lambda, size_t count, const CoreType *arguments,
                       const CoreName *chunk, const char *what)
{
    size_t before = k->errors, mark = core_check_scope(k);
    if (lambda->parameter_count != count) {
        core_check_error(k, "%s has %s for %s", what,
                         core_counted(k->c, lambda->parameter_count, "parameter"),
                         core_counted(k->c, count, "argument"));
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        core_check_bind(k, lambda->parameters[i]);
    }
    core_check_results(k, count, lambda->parameters, count, arguments, NULL, what);
    k->lambdas++;
    core_check_body(k, lambda->body);
    k->lambdas--;
    for (size_t i = 0; i < lambda->body->result_count; i++) {
        core_check_same(k, lambda->result_types[i], core_atom_type(lambda->body->results[i]),
                        arena_printf(k->c->arena, "result %zu of %s", i + 1, what));
    }
    core_check_close(k, mark);
    for (size_t i = 0; i < lambda->body->result_count && k->errors == before; i++) {
        if (lambda->result_types[i].prim == CORE_CERT) {
            core_check_error(k, "%s: a certificate cannot be a result", what);
        }
        require_regular(k, lambda->result_types[i], chunk);
    }
    return k->errors == before;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* A size in a result type: a constant, a parameter, or an earlier result. */
static bool size_is_known(const CoreFunction *function, size_t result, CoreAtom size)
{
    bool known = size.name == NULL;
    for (size_t i = 0; i < function->parameter_count && !known; i++) {
        known = function->parameters[i] == size.name;
    }
    for (size_t i = 0; i < result && !known; i++) {
        known = function->body->results[i].name == size.name;
    }
    return known;
}

/* ?i64: a size of a later result. */
static void check_size_result(Check *k, const CoreFunction *function, size_t result)
{
    CoreAtom size = function->body->results[result];
    if (!core_check_scalar(k, size, CORE_I64, "a size among the results")) {
        return;
    }
    for (size_t i = result + 1; i < function->result_count; i++) {
        CoreType type = function->result_types[i];
        for (int d = 0; d < type.rank; d++) {
            if (core_check_same_size(k, type.sizes[d], size)) {
                return;
            }
        }
    }
    core_check_error(k, "result %zu of %s is written ?i64, but is no later result's size",
                     result + 1, function->name);
}

static bool body_always_fails(const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        if (always_fails(body->stms[i]->exp)) {
            return true;
        }
    }
    return false;
}

static void check_function_results(Check *k, const CoreFunction *function)
{
    const CoreBody *body = function->body;
    if (function->result_count != body->result_count) {
        core_check_error(k, "%s declares %s and gives %zu", function->name,
                         core_counted(k->c, function->result_count, "result"), body->result_count);
        return;
    }
    for (size_t i = 0; i < body->result_count; i++) {
        CoreType type = function->result_types[i];
        core_check_type(k, type, "a result type");
        if (function->size_results && function->size_results[i]) {
            check_size_result(k, function, i);
        }
        if (function->is_entry && type.prim == CORE_CERT) {
            core_check_error(k, "result %zu: an entry gives no certificates", i + 1);
        }
        core_check_same(k, type, core_atom_type(body->results[i]),
                        arena_printf(k->c->arena, "result %zu of %s", i + 1, function->name));
        for (int d = 0; d < type.rank; d++) {
            if (!size_is_known(function, i, type.sizes[d])) {
                core_check_error(
                    k,
                    "the size %s in result %zu of %s must be a constant, a parameter or an "
                    "earlier result",
                    core_check_text(k, type.sizes[d]), i + 1, function->name);
            }
        }
    }
}

/* Whether a later parameter has this one as a size of its type, where its value can be seen. */
static bool is_size_of_parameter(const CoreFunction *function, size_t parameter)
{
    for (size_t i = parameter + 1; i < function->parameter_count; i++) {
        CoreType type = function->parameters[i]->type;
        for (int d = 0; d < type.rank; d++) {
            if (type.sizes[d].name == function->parameters[parameter]) {
                return true;
            }
        }
    }
    return false;
}

static void check_parameters(Check *k, const CoreFunction *function)
{
    for (size_t i = 0; i < function->parameter_count; i++) {
        CoreName *name = function->parameters[i];
        core_check_bind(k, name);
        if (i < function->size_count) {
            core_check_scalar(k, core_use(name), CORE_I64, "a size in brackets");
            if (!is_size_of_parameter(function, i)) {
                core_check_error(k, "%s stands in brackets, but is no parameter's size",
                                 core_check_text(k, core_use(name)));
            }
        }
        if (function->is_entry && name->type.prim == CORE_CERT) {
            core_check_error(k, "%s: an entry takes no certificates",
                             core_check_text(k, core_use(name)));
        }
    }
}

static void check_function(Check *k, const CoreFunction *function)
{
    size_t before = k->errors;
    k->function = function;
    k->has_effect = false;
    check_parameters(k, function);
    core_check_body(k, function->body);
    k->lenient = body_always_fails(function->body);
    check_function_results(k, function);
    k->lenient = false;
    core_check_close(k, 0);
    if (k->errors == before) {
        core_check_uniqueness(k, function);
    }
    FunctionInfo *info = core_check_function_info(k, function->name);
    if (info->function) {
        core_check_error(k, "function %s is defined twice", function->name);
        return;
    }
    info->function = function;
    info->has_effect = k->has_effect;
}

bool core_check(Compilation *c, const CoreProgram *program)
{
    Check k = {.c = c, .epoch = 1};
    for (size_t i = 0; i < program->function_count; i++) {
        check_function(&k, program->functions[i]);
    }
    return k.errors == 0;
}
