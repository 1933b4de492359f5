/* reduce and scan, along the last axis.

       reduce(f,n,a), rank 1   ==>  reduce f e a        f known to be associative, e its identity;
                                    n where a is empty, if n is not e        [TAIL fig. 5]
                                    v[last], v[0] for functions that return an argument
                                    compositions.c for some that are not associative
                                    a loop from the right, for any other f
       reduce(subi,n,v)        ==>  reduce + 0 (map2 (*) v [1, -1, 1, ..])
       reduce(f,n,a), rank r   ==>  map (\x -> reduce(f,n,x)) a
       scan(f,n,a)             ==>  the same; for any other f each prefix is folded by itself,
                                    O(n^2), as APL defines it

   Functions with effects are steps.c's.

   reduce1 and scan1 are for functions without an identity element: an empty axis is a DOMAIN
   ERROR. */
#include "tail/to_core/to_core.h"

typedef struct Fold {
    const TailExp *lambda;
    bool has_neutral;
    CoreAtom neutral; /* what an empty axis gives */
    bool parallel;    /* one associative core operator, which has an identity element */
    CoreOperator op;
    CoreAtom identity;
    bool identity_of_many; /* the operator changes an item that is alone */
    bool alternating;      /* reduces v0, -v1, v2, .. */
    CompositionKind composition;
    const TailVariable *projection; /* the parameter that the function returns, or NULL */
    const char *text;
} Fold;

/* ---- which functions are associative ------------------------------------------------------- */

const TailExp *to_core_only_call(const TailExp *body)
{
    if (body->kind == TAIL_EXP_LET && body->as.let.body->kind == TAIL_EXP_VARIABLE &&
        body->as.let.body->as.variable == body->as.let.variable) {
        body = body->as.let.value;
    }
    return body->kind == TAIL_EXP_CALL && body->as.call.count == 2 ? body : NULL;
}

static bool is_use(const TailExp *exp, const TailVariable *variable)
{
    return exp->kind == TAIL_EXP_VARIABLE && exp->as.variable == variable;
}

bool to_core_takes_parameters(const TailExp *lambda, const TailExp *call)
{
    return is_use(call->as.call.arguments[0], lambda->as.lambda.parameters[0]) &&
           is_use(call->as.call.arguments[1], lambda->as.lambda.parameters[1]);
}

/* f = \x y -> x op y or y op x; operators known to be associative are commutative. Not gcd: 0 is no
   identity of it on signed numbers, where gcd(0,-1) is 1, but the fold of -1 alone is -1: one item
   is no business of the operator's then (`identity_of_many`). */
static void classify(Fold *fold, CorePrim prim)
{
    const TailExp *body = fold->lambda->as.lambda.body, *call = to_core_only_call(body);
    TailVariable *const *parameters = fold->lambda->as.lambda.parameters;
    for (size_t i = 0; i < 2; i++) {
        if (is_use(body, parameters[i]))
            fold->projection = parameters[i];
    }
    if (!call || !to_core_scalar_operator(call->as.call.builtin, &fold->op))
        return;
    const TailExp *const *arguments = call->as.call.arguments;
    bool straight = to_core_takes_parameters(fold->lambda, call);
    bool crossed = is_use(arguments[0], parameters[1]) && is_use(arguments[1], parameters[0]);
    fold->parallel = (straight || crossed) && core_operator_arity(fold->op) == 2 &&
                     core_operator_associative(fold->op, prim) &&
                     core_operator_result(fold->op, prim) == prim &&
                     core_operator_identity(fold->op, prim, &fold->identity);
    fold->identity_of_many = fold->parallel && fold->op == CORE_GCD;
}

/* -/v is v0 - v1 + v2 - .., and so is each prefix of -\v: sums of what alternates in sign. */
static void try_alternating(Fold *fold, CorePrim prim)
{
    const TailExp *call = to_core_only_call(fold->lambda->as.lambda.body);
    if (!call)
        return;
    if (call->as.call.builtin != TAIL_OP_SUBI && call->as.call.builtin != TAIL_OP_SUBD)
        return;
    if (!to_core_takes_parameters(fold->lambda, call))
        return;
    fold->op = CORE_ADD;
    fold->identity = to_core_fill_of(prim);
    fold->parallel = fold->alternating = true;
}

/* Functions that are not associative. A reduction of rows stays as it is: rows of a matrix are
   short more often than not, and each is a loop of its own. A scan does not: it would fold every
   prefix. */
static void find_other_form(ToCore *t, Fold *fold, const Value *array, bool scan)
{
    bool whole = t->parallel == 0 && to_core_value_rank(array) == 1;
    if (fold->parallel || fold->projection || (!scan && !whole))
        return;
    try_alternating(fold, array->prim);
    if (!fold->parallel)
        fold->composition = to_core_composition(fold->lambda, array->prim);
    if (fold->composition)
        fold->identity = to_core_composition_of_none(fold->composition, array->prim);
}

/* map (\x i -> x * (1 - 2 * (i & 1))) row (iota n) */
static CoreAtom alternate(ToCore *t, const Fold *fold, CoreAtom row)
{
    if (!fold->alternating)
        return row;
    CoreType type = core_atom_type(row);
    CoreName *parameters[2] = {
        core_name(t->c, "x", core_scalar(type.prim), BUILDER(t)->span),
        core_name(t->c, "i", core_scalar(CORE_I64), BUILDER(t)->span),
    };
    CoreAtom inputs[2] = {row, core_let_iota(BUILDER(t), "positions", type.sizes[0])};
    Scope *scope = to_core_enter_scope(t);
    CoreAtom odd = to_core_binary(t, CORE_AND, core_use(parameters[1]), core_i64(1));
    CoreAtom sign =
        to_core_binary(t, CORE_SUB, core_i64(1), to_core_binary(t, CORE_MUL, core_i64(2), odd));
    CoreAtom result =
        to_core_binary(t, CORE_MUL, core_use(parameters[0]), to_core_convert(t, type.prim, sign));
    to_core_leave_scope(t);
    const CoreLambda *lambda =
        core_lambda(t->c, 2, parameters, to_core_scope_body(scope, 1, &result));
    CoreAtom alternating;
    core_let_map(BUILDER(t), "alternating", type.sizes[0], 2, inputs, lambda, &alternating);
    return alternating;
}

/* ---- emptiness ----------------------------------------------------------------------------- */

/* if n == 0 then neutral else body: `full` was built in `scope`, which is closed. */
static CoreAtom unless_empty(ToCore *t, const Fold *fold, CoreAtom n, Scope *scope, CoreAtom full)
{
    CoreAtom empty = to_core_binary(t, CORE_EQ, n, core_i64(0));
    Scope *none = to_core_enter_scope(t);
    to_core_leave_scope(t);
    const CoreExp *exp = core_exp_if(t->c, empty, to_core_scope_body(none, 1, &fold->neutral),
                                     to_core_scope_body(scope, 1, &full));
    return core_let(BUILDER(t), fold->text, core_scalar(core_atom_type(full).prim), exp);
}

/* ---- folds from the right ------------------------------------------------------------------ */

/* loop (acc = row[last]) for i < last do f row[last-1-i] acc: the fold of row[0..last]. */
static CoreAtom fold_prefix(ToCore *t, const Fold *fold, CoreAtom row, CoreAtom last)
{
    if (fold->projection) {
        bool first = fold->projection == fold->lambda->as.lambda.parameters[0];
        return to_core_element(t, fold->text, row, first ? core_i64(0) : last);
    }
    CoreAtom start = to_core_element(t, "last", row, last);
    CoreType type = core_scalar(core_atom_type(row).prim);
    CoreName *accumulator = core_name(t->c, "acc", type, BUILDER(t)->span);
    CoreName *index = core_name(t->c, "i", core_scalar(CORE_I64), BUILDER(t)->span);
    CoreAtom before = to_core_binary(t, CORE_SUB, last, core_i64(1));
    Scope *scope = to_core_enter_scope(t);
    CoreAtom pair[2];
    pair[0] = to_core_element(t, "x", row, to_core_binary(t, CORE_SUB, before, core_use(index)));
    pair[1] = core_use(accumulator);
    CoreAtom next = to_core_apply_scalar(t, fold->lambda, 2, pair);
    to_core_leave_scope(t);
    const CoreExp *exp = core_exp_for(t->c, 1, &accumulator, &start, index, last,
                                      to_core_scope_body(scope, 1, &next));
    return core_let(BUILDER(t), fold->text, type, exp);
}

static CoreAtom fold_row(ToCore *t, const Fold *fold, CoreAtom row)
{
    CoreAtom n = core_atom_type(row).sizes[0];
    bool never_empty = !fold->has_neutral || (!n.name && n.as.integer > 0);
    if (!never_empty && is_constant(n, 0))
        return fold->neutral;
    CoreAtom last = to_core_binary(t, CORE_SUB, n, core_i64(1));
    if (never_empty)
        return fold_prefix(t, fold, row, last);
    Scope *scope = to_core_enter_scope(t);
    CoreAtom full = fold_prefix(t, fold, row, last);
    to_core_leave_scope(t);
    return unless_empty(t, fold, n, scope, full);
}

/* ---- reduce -------------------------------------------------------------------------------- */

/* if n == 1 then row[0] else full */
static CoreAtom unless_alone(ToCore *t, const Fold *fold, CoreAtom row, CoreAtom full)
{
    CoreAtom alone = to_core_binary(t, CORE_EQ, core_atom_type(row).sizes[0], core_i64(1));
    Scope *one = to_core_enter_scope(t);
    CoreAtom item = to_core_element(t, "item", row, core_i64(0));
    to_core_leave_scope(t);
    Scope *many = to_core_enter_scope(t);
    to_core_leave_scope(t);
    const CoreExp *exp = core_exp_if(t->c, alone, to_core_scope_body(one, 1, &item),
                                     to_core_scope_body(many, 1, &full));
    return core_let(BUILDER(t), fold->text, core_scalar(core_atom_type(row).prim), exp);
}

static CoreAtom reduce_parallel(ToCore *t, const Fold *fold, CoreAtom row)
{
    CoreType type = core_atom_type(row);
    CoreAtom n = type.sizes[0];
    CoreAtom full;
    if (fold->composition) {
        full = to_core_reduce_composed(t, fold->composition, fold->lambda, fold->text, row);
    } else {
        CoreAtom items = alternate(t, fold, row);
        const CoreLambda *op = core_operator_lambda(t->c, fold->op, type.prim, BUILDER(t)->span);
        const CoreExp *exp = core_exp_reduce(t->c, n, 1, &items, op, &fold->identity, true);
        full = core_let(BUILDER(t), fold->text, core_scalar(type.prim), exp);
        full = fold->identity_of_many ? unless_alone(t, fold, row, full) : full;
    }
    bool never_empty = !fold->has_neutral || (!n.name && n.as.integer > 0);
    if (never_empty || core_atom_equal(fold->neutral, fold->identity))
        return full;
    Scope *scope = to_core_enter_scope(t);
    to_core_leave_scope(t);
    return unless_empty(t, fold, n, scope, full);
}

static size_t reduce_row(ToCore *t, void *context, const CoreAtom *rows, CoreAtom *results)
{
    const Fold *fold = context;
    bool parallel = fold->parallel || fold->composition;
    results[0] = parallel ? reduce_parallel(t, fold, rows[0]) : fold_row(t, fold, rows[0]);
    return 1;
}

/* A short vector of known items: f(x1, f(x2, .. xn)); left to right where that is the same, so that
   a product of extents is the same atom as a count of elements. */
static CoreAtom reduce_known(ToCore *t, const Fold *fold, const Value *array)
{
    size_t count = array->count;
    bool forward = fold->parallel && !core_is_real(array->prim);
    CoreAtom result = array->components[forward ? 0 : count - 1];
    for (size_t i = 1; i < count; i++) {
        CoreAtom item = array->components[forward ? i : count - 1 - i];
        CoreAtom pair[2] = {forward ? result : item, forward ? item : result};
        result = to_core_apply_scalar(t, fold->lambda, 2, pair);
    }
    return result;
}

size_t to_core_check_not_empty(ToCore *t, const Value *array, int axis)
{
    CoreAtom n = to_core_value_extent(t, array, axis), rows = core_i64(1);
    for (int i = 0; i < axis; i++)
        rows = to_core_binary(t, CORE_MUL, rows, to_core_value_extent(t, array, i));
    CoreAtom some = to_core_binary(t, CORE_NE, n, core_i64(0));
    CoreAtom none = to_core_binary(t, CORE_EQ, rows, core_i64(0));
    CoreAtom fits = to_core_binary(t, CORE_OR, some, none);
    const char *message = "a reduction of nothing by a function without an identity element";
    return to_core_guard(t, to_core_require(t, fits, CORE_DOMAIN_ERROR, message, 0, NULL));
}

enum { MOST_UNROLLED = 8 };

static Value *translate_reduce(ToCore *t, const Call *call, bool has_neutral)
{
    Fold fold = {.lambda = call->arguments[0], .has_neutral = has_neutral, .text = call->text};
    if (has_neutral)
        fold.neutral = to_core_argument_atom(t, call, 1);
    Value *array = to_core_argument(t, call, has_neutral ? 2 : 1);
    classify(&fold, array->prim);
    if (array->has_components && array->count > 0 && array->count <= MOST_UNROLLED &&
        to_core_is_simple_function(fold.lambda)) {
        return to_core_value_atom(t, reduce_known(t, &fold, array));
    }
    find_other_form(t, &fold, array, false);
    to_core_prepare_function(t, fold.lambda);
    CoreAtom atom = to_core_store(t, array);
    int rank = to_core_value_rank(array);
    size_t mark = BUILDER(t)->certificates.count;
    if (!has_neutral)
        to_core_check_not_empty(t, array, rank - 1);
    t->text = call->text;
    t->parallel += !fold.parallel;
    CoreAtom result;
    to_core_map_nest(t, rank - 1, 1, &atom, reduce_row, &fold, &result);
    t->parallel -= !fold.parallel;
    to_core_unguard(t, mark);
    return to_core_value_atom(t, result);
}

/* ---- scan ---------------------------------------------------------------------------------- */

/* map (\i x -> if i == 0 then row[0] else x) (iota n) scanned */
static CoreAtom with_first_item(ToCore *t, const Fold *fold, CoreAtom row, CoreAtom scanned)
{
    CoreType type = core_atom_type(row);
    CoreName *parameters[2] = {
        core_name(t->c, "i", core_scalar(CORE_I64), BUILDER(t)->span),
        core_name(t->c, "x", core_scalar(type.prim), BUILDER(t)->span),
    };
    CoreAtom inputs[2] = {core_let_iota(BUILDER(t), "positions", type.sizes[0]), scanned};
    Scope *scope = to_core_enter_scope(t);
    CoreAtom first = to_core_binary(t, CORE_EQ, core_use(parameters[0]), core_i64(0));
    CoreAtom x = core_use(parameters[1]);
    Scope *yes = to_core_enter_scope(t);
    CoreAtom item = to_core_element(t, "item", row, core_i64(0));
    to_core_leave_scope(t);
    Scope *no = to_core_enter_scope(t);
    to_core_leave_scope(t);
    const CoreExp *exp =
        core_exp_if(t->c, first, to_core_scope_body(yes, 1, &item), to_core_scope_body(no, 1, &x));
    CoreAtom result = core_let(BUILDER(t), "item", core_scalar(type.prim), exp);
    to_core_leave_scope(t);
    const CoreLambda *lambda =
        core_lambda(t->c, 2, parameters, to_core_scope_body(scope, 1, &result));
    core_let_map(BUILDER(t), fold->text, type.sizes[0], 2, inputs, lambda, &result);
    return result;
}

static CoreAtom scan_parallel(ToCore *t, const Fold *fold, CoreAtom row)
{
    CoreType type = core_atom_type(row);
    row = alternate(t, fold, row);
    const CoreLambda *op = core_operator_lambda(t->c, fold->op, type.prim, BUILDER(t)->span);
    const CoreExp *exp = core_exp_scan(t->c, type.sizes[0], 1, &row, op, &fold->identity);
    CoreAtom result = core_let(BUILDER(t), fold->text, type, exp);
    return fold->identity_of_many ? with_first_item(t, fold, row, result) : result;
}

/* map (\i -> fold of row[0..i]) (iota n) */
static CoreAtom scan_prefixes(ToCore *t, const Fold *fold, CoreAtom row)
{
    CoreAtom n = core_atom_type(row).sizes[0], result;
    CoreAtom positions = core_let_iota(BUILDER(t), "positions", n);
    CoreName *last = core_name(t->c, "last", core_scalar(CORE_I64), BUILDER(t)->span);
    Scope *scope = to_core_enter_scope(t);
    result = fold_prefix(t, fold, row, core_use(last));
    to_core_leave_scope(t);
    const CoreLambda *lambda = core_lambda(t->c, 1, &last, to_core_scope_body(scope, 1, &result));
    core_let_map(BUILDER(t), fold->text, n, 1, &positions, lambda, &result);
    return result;
}

static size_t scan_row(ToCore *t, void *context, const CoreAtom *rows, CoreAtom *results)
{
    const Fold *fold = context;
    CoreAtom row = rows[0];
    if (fold->composition)
        results[0] = to_core_scan_composed(t, fold->composition, fold->lambda, fold->text, row);
    else
        results[0] = fold->parallel ? scan_parallel(t, fold, row) : scan_prefixes(t, fold, row);
    return 1;
}

static Value *translate_scan(ToCore *t, const Call *call, bool has_neutral)
{
    Fold fold = {.lambda = call->arguments[0], .text = call->text};
    if (has_neutral)
        to_core_argument(t, call, 1);
    Value *array = to_core_argument(t, call, has_neutral ? 2 : 1);
    int rank = to_core_value_rank(array);
    if (rank == 0)
        return array;
    classify(&fold, array->prim);
    find_other_form(t, &fold, array, true);
    to_core_prepare_function(t, fold.lambda);
    CoreAtom atom = to_core_store(t, array);
    t->text = call->text;
    t->parallel += !fold.parallel;
    CoreAtom result;
    to_core_map_nest(t, rank - 1, 1, &atom, scan_row, &fold, &result);
    t->parallel -= !fold.parallel;
    return to_core_value_atom(t, result);
}

Value *to_core_translate_fold(ToCore *t, const Call *call)
{
    switch ((int)call->builtin) {
    case TAIL_OP_REDUCE: return translate_reduce(t, call, true);
    case TAIL_OP_REDUCE1: return translate_reduce(t, call, false);
    case TAIL_OP_SCAN: return translate_scan(t, call, true);
    case TAIL_OP_SCAN1: return translate_scan(t, call, false);
    default: return NULL; /* another file's */
    }
}
