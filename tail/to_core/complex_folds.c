/* reduce and scan of complex numbers: of pairs of reals.

       reduce(addx,0,v), v = (re,im)  ==>  reduce_comm (\a b c d -> (a + c, b + d)) (0, 0) (re, im)
       reduce(mulx,1,v)               ==>  the same with the product
       reduce(subx,0,v)               ==>  reduce(addx,0,w),
                                           w = (map2 (*) re [1,-1,..], the same of im)
       reduce(f,n,v)                  ==>  a loop from the right, for any other f

   Sums and products of complex numbers are associative and commutative as far as those of reals
   are. A scan by any other function folds each prefix by itself, as APL defines it. */
#include "tail/to_core/to_core.h"

typedef struct Fold {
    const TailExp *lambda;
    bool has_neutral, scan, parallel;
    bool alternating;             /* sums v0, -v1, v2, .. */
    CoreAtom neutral[MOST_PARTS]; /* what an empty axis gives */
    const char *text;
} Fold;

/* The builtin that the function is, its parameters in order; none: TAIL_OP_COUNT. */
static TailBuiltin only_builtin(const TailExp *lambda)
{
    const TailExp *call = to_core_only_call(lambda->as.lambda.body);
    return call && to_core_takes_parameters(lambda, call) ? call->as.call.builtin : TAIL_OP_COUNT;
}

/* Whether the function returns its k-th parameter. */
static bool returns_parameter(const TailExp *lambda, size_t k)
{
    const TailExp *body = lambda->as.lambda.body;
    return body->kind == TAIL_EXP_VARIABLE && body->as.variable == lambda->as.lambda.parameters[k];
}

/* ---- in parallel --------------------------------------------------------------------------- */

static bool is_constant_pair(const CoreAtom *parts, double re, double im)
{
    return !parts[0].name && !parts[1].name && parts[0].as.real == re && parts[1].as.real == im;
}

/* \(a, b, c, d) -> [f] (a, b) (c, d), with the sum for f where the items alternate. */
static const CoreLambda *pair_lambda(ToCore *t, const Fold *fold)
{
    static const char *const TEXTS[] = {"x_re", "x_im", "y_re", "y_im"};
    CoreName *parameters[2 * MOST_PARTS];
    CoreAtom uses[2 * MOST_PARTS], results[MOST_PARTS];
    for (size_t i = 0; i < 2 * MOST_PARTS; i++) {
        parameters[i] = core_name(t->c, TEXTS[i], core_scalar(t->real), BUILDER(t)->span);
        uses[i] = core_use(parameters[i]);
    }
    Scope *scope = to_core_enter_scope(t);
    if (!fold->alternating)
        to_core_apply_parts(t, fold->lambda, uses, results);
    for (size_t i = 0; i < MOST_PARTS && fold->alternating; i++)
        results[i] = to_core_binary(t, CORE_ADD, uses[i], uses[MOST_PARTS + i]);
    to_core_leave_scope(t);
    return core_lambda(t->c, 2 * MOST_PARTS, parameters,
                       to_core_scope_body(scope, MOST_PARTS, results));
}

/* map (\re im i -> (re * s, im * s), s = 1 - 2 * (i & 1)) re im (iota n) */
static void alternate(ToCore *t, const CoreAtom *rows, CoreAtom *results)
{
    CoreAtom n = core_atom_type(rows[0]).sizes[0], items[MOST_PARTS];
    CoreAtom inputs[1 + MOST_PARTS] = {core_let_iota(BUILDER(t), "positions", n), rows[0], rows[1]};
    CoreName *parameters[1 + MOST_PARTS];
    for (size_t i = 0; i <= MOST_PARTS; i++)
        parameters[i] = core_name(t->c, i == 0 ? "i" : "x",
                                  core_scalar(core_atom_type(inputs[i]).prim), BUILDER(t)->span);
    Scope *scope = to_core_enter_scope(t);
    CoreAtom odd = to_core_binary(t, CORE_AND, core_use(parameters[0]), core_i64(1));
    CoreAtom sign =
        to_core_binary(t, CORE_SUB, core_i64(1), to_core_binary(t, CORE_MUL, core_i64(2), odd));
    sign = to_core_convert(t, t->real, sign);
    for (size_t i = 0; i < MOST_PARTS; i++)
        items[i] = to_core_binary(t, CORE_MUL, core_use(parameters[1 + i]), sign);
    to_core_leave_scope(t);
    const CoreLambda *lambda =
        core_lambda(t->c, 1 + MOST_PARTS, parameters, to_core_scope_body(scope, MOST_PARTS, items));
    core_let_map(BUILDER(t), "alternating", n, 1 + MOST_PARTS, inputs, lambda, results);
}

/* Binds names of these types to the expression. */
static void bind_parts(ToCore *t, const char *text, CoreType type, const CoreExp *exp,
                       CoreAtom *results)
{
    CoreName *pattern[MOST_PARTS];
    for (size_t i = 0; i < MOST_PARTS; i++) {
        pattern[i] = core_name(t->c, text, type, BUILDER(t)->span);
        results[i] = core_use(pattern[i]);
    }
    core_bind(BUILDER(t), MOST_PARTS, pattern, exp);
}

static void fold_parallel(ToCore *t, const Fold *fold, const CoreAtom *rows, CoreAtom *results)
{
    CoreType type = core_atom_type(rows[0]);
    CoreAtom width = type.sizes[0], items[MOST_PARTS] = {rows[0], rows[1]};
    if (fold->alternating)
        alternate(t, rows, items);
    const CoreLambda *lambda = pair_lambda(t, fold);
    const CoreExp *exp =
        fold->scan ? core_exp_scan(t->c, width, MOST_PARTS, items, lambda, fold->neutral)
                   : core_exp_reduce(t->c, width, MOST_PARTS, items, lambda, fold->neutral, true);
    bind_parts(t, fold->text, fold->scan ? type : core_scalar(type.prim), exp, results);
}

/* ---- from the right ------------------------------------------------------------------------ */

/* loop (acc = row[last]) for i < last do f row[last-1-i] acc: the fold of row[0..last]; an item of
   it where f returns one of its arguments. */
static void fold_prefix(ToCore *t, const Fold *fold, const CoreAtom *rows, CoreAtom last,
                        CoreAtom *results)
{
    CoreType type = core_scalar(t->real);
    bool first = returns_parameter(fold->lambda, 0);
    if (first || returns_parameter(fold->lambda, 1)) {
        for (size_t i = 0; i < MOST_PARTS; i++)
            results[i] = to_core_element(t, fold->text, rows[i], first ? core_i64(0) : last);
        return;
    }
    CoreAtom start[MOST_PARTS], pair[2 * MOST_PARTS], next[MOST_PARTS];
    CoreName *accumulators[MOST_PARTS];
    for (size_t i = 0; i < MOST_PARTS; i++) {
        start[i] = to_core_element(t, "last", rows[i], last);
        accumulators[i] = core_name(t->c, "acc", type, BUILDER(t)->span);
        pair[MOST_PARTS + i] = core_use(accumulators[i]);
    }
    CoreName *index = core_name(t->c, "i", core_scalar(CORE_I64), BUILDER(t)->span);
    CoreAtom before = to_core_binary(t, CORE_SUB, last, core_i64(1));
    Scope *scope = to_core_enter_scope(t);
    CoreAtom position = to_core_binary(t, CORE_SUB, before, core_use(index));
    for (size_t i = 0; i < MOST_PARTS; i++)
        pair[i] = to_core_element(t, "x", rows[i], position);
    to_core_apply_parts(t, fold->lambda, pair, next);
    to_core_leave_scope(t);
    bind_parts(t, fold->text, type,
               core_exp_for(t->c, MOST_PARTS, accumulators, start, index, last,
                            to_core_scope_body(scope, MOST_PARTS, next)),
               results);
}

static void reduce_from_right(ToCore *t, const Fold *fold, const CoreAtom *rows, CoreAtom *results)
{
    CoreAtom n = core_atom_type(rows[0]).sizes[0], full[MOST_PARTS];
    CoreAtom last = to_core_binary(t, CORE_SUB, n, core_i64(1));
    if (!fold->has_neutral || (!n.name && n.as.integer > 0)) {
        fold_prefix(t, fold, rows, last, results);
        return;
    }
    CoreAtom empty = to_core_binary(t, CORE_EQ, n, core_i64(0));
    Scope *none = to_core_enter_scope(t);
    to_core_leave_scope(t);
    Scope *some = to_core_enter_scope(t);
    fold_prefix(t, fold, rows, last, full);
    to_core_leave_scope(t);
    bind_parts(t, fold->text, core_scalar(t->real),
               core_exp_if(t->c, empty, to_core_scope_body(none, MOST_PARTS, fold->neutral),
                           to_core_scope_body(some, MOST_PARTS, full)),
               results);
}

/* map (\i -> fold of row[0..i]) (iota n) */
static void scan_prefixes(ToCore *t, const Fold *fold, const CoreAtom *rows, CoreAtom *results)
{
    CoreAtom n = core_atom_type(rows[0]).sizes[0], folded[MOST_PARTS];
    CoreAtom positions = core_let_iota(BUILDER(t), "positions", n);
    CoreName *last = core_name(t->c, "last", core_scalar(CORE_I64), BUILDER(t)->span);
    Scope *scope = to_core_enter_scope(t);
    fold_prefix(t, fold, rows, core_use(last), folded);
    to_core_leave_scope(t);
    const CoreLambda *lambda =
        core_lambda(t->c, 1, &last, to_core_scope_body(scope, MOST_PARTS, folded));
    core_let_map(BUILDER(t), fold->text, n, 1, &positions, lambda, results);
}

/* ---- both ---------------------------------------------------------------------------------- */

static size_t fold_row(ToCore *t, void *context, const CoreAtom *rows, CoreAtom *results)
{
    const Fold *fold = context;
    if (fold->parallel)
        fold_parallel(t, fold, rows, results);
    else if (fold->scan)
        scan_prefixes(t, fold, rows, results);
    else
        reduce_from_right(t, fold, rows, results);
    return MOST_PARTS;
}

/* Whole vectors only alternate, and scans, as in folds.c. */
static void classify(ToCore *t, Fold *fold, int rank)
{
    TailBuiltin builtin = only_builtin(fold->lambda);
    if (!fold->has_neutral)
        return;
    fold->alternating = builtin == TAIL_OP_SUBX && is_constant_pair(fold->neutral, 0, 0) &&
                        (fold->scan || (rank == 1 && t->parallel == 0));
    fold->parallel = fold->alternating ||
                     (builtin == TAIL_OP_ADDX && is_constant_pair(fold->neutral, 0, 0)) ||
                     (builtin == TAIL_OP_MULX && is_constant_pair(fold->neutral, 1, 0));
}

Value *to_core_translate_complex_fold(ToCore *t, const Call *call)
{
    bool reduces = call->builtin == TAIL_OP_REDUCE || call->builtin == TAIL_OP_REDUCE1;
    Fold fold = {.lambda = call->arguments[0],
                 .has_neutral = call->builtin == TAIL_OP_REDUCE || call->builtin == TAIL_OP_SCAN,
                 .scan = !reduces,
                 .text = call->text};
    if (call->exp->type->base.kind != TAIL_COMPLEX)
        return NULL;
    if (fold.has_neutral)
        to_core_store_parts(t, to_core_argument(t, call, 1), fold.neutral);
    Value *array = to_core_argument(t, call, fold.has_neutral ? 2 : 1);
    int rank = to_core_value_rank(array);
    if (rank == 0)
        return array;
    classify(t, &fold, rank);
    to_core_prepare_function(t, fold.lambda);
    CoreAtom parts[MOST_PARTS], results[MOST_PARTS];
    to_core_store_parts(t, array, parts);
    size_t mark = BUILDER(t)->certificates.count;
    if (reduces && !fold.has_neutral)
        to_core_check_not_empty(t, array, rank - 1);
    t->text = call->text;
    t->parallel++;
    to_core_map_nest(t, rank - 1, MOST_PARTS, parts, fold_row, &fold, results);
    t->parallel--;
    to_core_unguard(t, mark);
    return to_core_value_parts(t, MOST_PARTS, results);
}
