/* accum: indexed assignment that modifies, each place once for every value that is meant for it.

       accum(f,is,vs,v)   ==>  scatter (copy v) (is-1) (map2 (\i x -> f v[i] x) (is-1) vs)
                                   where it is known that no position stands twice (distinct.c); else
       accum(+,is,vs,v)   ==>  hist + (copy v) (is-1) vs          also ⌈ ⌊, × of integers, and - as + of -vs
       accum(∨,is,vs,v)   ==>  scatter (copy v) (is-1, or nowhere where vs is false) (replicate k true)
       accum(f,is,vs,v)   ==>  let counts = hist + (replicate n 0) (is-1) (replicate k 1)
                               if reduce max counts <= 1
                               then scatter (copy v) (is-1) (map2 (\i x -> f v[i] x) (is-1) vs)
                               else loop (v = copy v) for j < k do v with [is[j]-1] <- f v[is[j]-1] vs[j]

   In the last form the order matters where positions coincide, and only there; so it does for products and quotients of
   reals, which overflow. */
#include "tail/to_core/to_core.h"

typedef struct Accum {
    const TailExp *lambda;
    const char *text;
    size_t part_count, value_count; /* of items and of values, which may be complex */
    CoreAtom parts[MOST_PARTS], values[MOST_PARTS];
    CoreAtom n, count, indices; /* items; values, and where each goes, from 1 */
    bool differ;                /* the indices surely do */
} Accum;

typedef CoreAtom (*Form)(ToCore *t, const Accum *accum, CoreOperator op, size_t part);

/* ---- operators that take values in any order --------------------------------------------------- */

/* How a position and a value are made of what is given. */
typedef struct Making {
    CoreAtom n;
    bool negative;
    bool decides; /* where the value is `deciding`; else the position is -1, which is nowhere */
    bool deciding;
} Making;

static size_t make_position_and_value(ToCore *t, void *context, const CoreAtom *rows,
                                      CoreAtom *results)
{
    const Making *making = context;
    results[0] = to_core_checked_position(t, rows[0], making->n);
    results[1] = making->negative ? to_core_unary(t, CORE_NEG, rows[1]) : rows[1];
    if (making->decides) {
        CoreAtom decides = making->deciding ? rows[1] : to_core_unary(t, CORE_NOT, rows[1]);
        CoreAtom from_one = to_core_binary(t, CORE_ADD, results[0], core_i64(1));
        CoreAtom there =
            to_core_binary(t, CORE_MUL, from_one, to_core_convert(t, CORE_I64, decides));
        results[0] = to_core_binary(t, CORE_SUB, there, core_i64(1));
    }
    return 2;
}

/* One map for both, so that it and the histogram can be one kernel. */
static void make(ToCore *t, const Accum *accum, size_t part, const Making *making,
                 CoreAtom results[static 2])
{
    CoreAtom rows[2] = {accum->indices, accum->values[part]};
    t->text = "position";
    to_core_map_nest(t, 1, 2, rows, make_position_and_value, (void *)making, results);
}

static CoreAtom hist(ToCore *t, const Accum *accum, size_t part, CoreOperator op, CoreAtom items,
                     bool negative)
{
    CoreType type = core_atom_type(items);
    CoreAtom copy = core_let_copy(BUILDER(t), accum->text, items), made[2], identity;
    core_operator_identity(op, type.prim, &identity);
    make(t, accum, part, &(Making){.n = accum->n, .negative = negative}, made);
    const CoreLambda *lambda = core_operator_lambda(t->c, op, type.prim, BUILDER(t)->span);
    const CoreExp *exp =
        core_exp_hist(t->c, accum->count, 1, &copy, made[0], &made[1], lambda, &identity);
    return core_let(BUILDER(t), accum->text, type, exp);
}

static CoreAtom combine(ToCore *t, const Accum *accum, CoreOperator op, size_t part)
{
    return hist(t, accum, part, op, accum->parts[part], false);
}

static CoreAtom subtract(ToCore *t, const Accum *accum, CoreOperator op, size_t part)
{
    (void)op;
    return hist(t, accum, part, CORE_ADD, accum->parts[part], true);
}

/* ∧ and ∨ of booleans: one false, or true, is enough. */
static CoreAtom decide(ToCore *t, const Accum *accum, CoreOperator op, size_t part)
{
    bool deciding = op == CORE_OR;
    CoreAtom copy = core_let_copy(BUILDER(t), accum->text, accum->parts[part]), made[2];
    make(t, accum, part, &(Making){.n = accum->n, .decides = true, .deciding = deciding}, made);
    CoreAtom values =
        core_let_replicate(BUILDER(t), "decided", 1, &accum->count, core_bool(deciding));
    return core_let(BUILDER(t), accum->text, core_atom_type(copy),
                    core_exp_scatter(t->c, accum->count, 1, &copy, made[0], &values));
}

/* The form for a function that is one operator of its parameters, in order; NULL: there is none. */
static Form find_form(const Accum *accum, CoreOperator *op)
{
    const TailExp *call = to_core_only_call(accum->lambda->as.lambda.body);
    CorePrim prim = core_atom_type(accum->parts[0]).prim;
    if (call == NULL || !to_core_takes_parameters(accum->lambda, call) ||
        accum->value_count != accum->part_count || core_atom_type(accum->values[0]).prim != prim) {
        return NULL;
    }
    TailBuiltin builtin = call->as.call.builtin;
    if (accum->part_count > 1) {
        *op = CORE_ADD;
        return builtin == TAIL_OP_ADDX ? combine : builtin == TAIL_OP_SUBX ? subtract : NULL;
    }
    if (!to_core_scalar_operator(builtin, op)) {
        return NULL;
    }
    switch ((int)*op) {
    case CORE_ADD:
    case CORE_MIN:
    case CORE_MAX: return prim == CORE_BOOL ? NULL : combine;
    case CORE_MUL: return core_is_real(prim) ? NULL : combine; /* 0×1E200×1E200 is 0 */
    case CORE_SUB: return subtract;
    case CORE_AND:
    case CORE_OR: return prim == CORE_BOOL ? decide : NULL;
    default: return NULL;
    }
}

/* ---- any other function ------------------------------------------------------------------------ */

static void one_by_one(ToCore *t, const Accum *accum, CoreAtom positions, CoreAtom *results)
{
    size_t places[MOST_PARTS];
    CoreAtom pair[2 * MOST_PARTS], next[MOST_PARTS];
    Steps *steps = to_core_begin_steps(t, accum->lambda);
    CoreAtom j = core_use(steps->index);
    CoreAtom position = to_core_element(t, "i", positions, j);
    CoreSlice place = {true, position, core_i64(1), core_i64(1)};
    for (size_t i = 0; i < accum->part_count; i++) {
        places[i] = to_core_add_state(t, steps, accum->text, accum->parts[i]);
        pair[i] = to_core_element(t, "old", to_core_state(steps, places[i]), position);
    }
    for (size_t i = 0; i < accum->value_count; i++) {
        pair[accum->part_count + i] = to_core_element(t, "x", accum->values[i], j);
    }
    to_core_apply_parts(t, accum->lambda, pair, next);
    for (size_t i = 0; i < accum->part_count; i++) {
        CoreAtom copy = core_let_copy(BUILDER(t), accum->text, to_core_state(steps, places[i]));
        to_core_set_state(steps, places[i],
                          core_let_update(BUILDER(t), accum->text, copy, 1, &place, next[i]));
    }
    to_core_leave_steps(t, steps);
    const CoreAtom *after = to_core_finish_steps(t, steps, accum->count);
    for (size_t i = 0; i < accum->part_count; i++) {
        results[i] = after[places[i]];
    }
}

/* f v[i] x */
static size_t apply_there(ToCore *t, void *context, const CoreAtom *rows, CoreAtom *results)
{
    const Accum *accum = context;
    CoreAtom pair[2 * MOST_PARTS];
    for (size_t i = 0; i < accum->part_count; i++) {
        pair[i] = to_core_element(t, "old", accum->parts[i], rows[0]);
    }
    for (size_t i = 0; i < accum->value_count; i++) {
        pair[accum->part_count + i] = rows[1 + i];
    }
    return to_core_apply_parts(t, accum->lambda, pair, results);
}

static void all_at_once(ToCore *t, Accum *accum, CoreAtom positions, CoreAtom *results)
{
    CoreAtom rows[1 + MOST_PARTS], items[MOST_PARTS];
    rows[0] = positions;
    for (size_t i = 0; i < accum->value_count; i++) {
        rows[1 + i] = accum->values[i];
    }
    t->text = accum->text;
    to_core_map_nest(t, 1, 1 + accum->value_count, rows, apply_there, accum, items);
    for (size_t i = 0; i < accum->part_count; i++) {
        CoreAtom copy = core_let_copy(BUILDER(t), accum->text, accum->parts[i]);
        const CoreExp *scatter =
            core_exp_scatter(t->c, accum->count, 1, &copy, positions, &items[i]);
        results[i] = core_let(BUILDER(t), accum->text, core_atom_type(copy), scatter);
    }
}

/* Whether no two values are meant for one place, at run time. */
static CoreAtom are_distinct(ToCore *t, const Accum *accum, CoreAtom positions)
{
    CoreAtom zero = core_i64(0), one = core_i64(1), least;
    core_operator_identity(CORE_MAX, CORE_I64, &least);
    CoreAtom none = core_let_replicate(BUILDER(t), "none", 1, &accum->n, zero);
    CoreAtom ones = core_let_replicate(BUILDER(t), "ones", 1, &accum->count, one);
    CoreAtom counts = core_let_copy(BUILDER(t), "counts", none);
    const CoreLambda *add = core_operator_lambda(t->c, CORE_ADD, CORE_I64, BUILDER(t)->span);
    counts = core_let(BUILDER(t), "counts", core_atom_type(none),
                      core_exp_hist(t->c, accum->count, 1, &counts, positions, &ones, add, &zero));
    const CoreLambda *max = core_operator_lambda(t->c, CORE_MAX, CORE_I64, BUILDER(t)->span);
    CoreAtom most = core_let(BUILDER(t), "most", core_scalar(CORE_I64),
                             core_exp_reduce(t->c, accum->n, 1, &counts, max, &least, true));
    return to_core_binary(t, CORE_LE, most, one);
}

static void by_any_function(ToCore *t, Accum *accum, CoreAtom *results)
{
    CoreAtom positions = to_core_checked_positions(t, accum->indices, accum->n);
    if (to_core_one_by_one(t, accum->lambda) || (t->parallel > 0 && !accum->differ)) {
        one_by_one(t, accum, positions, results);
        return;
    }
    to_core_prepare_function(t, accum->lambda);
    if (accum->differ) {
        all_at_once(t, accum, positions, results);
        return;
    }
    CoreAtom distinct = are_distinct(t, accum, positions), branch[MOST_PARTS];
    Scope *yes = to_core_enter_scope(t);
    all_at_once(t, accum, positions, branch);
    to_core_leave_scope(t);
    const CoreBody *parallel = to_core_scope_body(yes, accum->part_count, branch);
    Scope *no = to_core_enter_scope(t);
    one_by_one(t, accum, positions, branch);
    to_core_leave_scope(t);
    const CoreBody *sequential = to_core_scope_body(no, accum->part_count, branch);
    CoreName *pattern[MOST_PARTS];
    for (size_t i = 0; i < accum->part_count; i++) {
        pattern[i] =
            core_name(t->c, accum->text, core_atom_type(accum->parts[i]), BUILDER(t)->span);
        results[i] = core_use(pattern[i]);
    }
    core_bind(BUILDER(t), accum->part_count, pattern,
              core_exp_if(t->c, distinct, parallel, sequential));
}

Value *to_core_translate_accum(ToCore *t, const Call *call)
{
    if (call->builtin != TAIL_OP_ACCUM) {
        return NULL; /* another file's */
    }
    Accum accum = {.lambda = call->arguments[0], .text = call->text};
    CoreAtom results[MOST_PARTS];
    accum.indices = to_core_argument_atom(t, call, 1);
    accum.value_count = to_core_store_parts(t, to_core_argument(t, call, 2), accum.values);
    accum.part_count = to_core_store_parts(t, to_core_argument(t, call, 3), accum.parts);
    accum.n = core_atom_type(accum.parts[0]).sizes[0];
    accum.count = core_atom_type(accum.indices).sizes[0];
    accum.differ = to_core_positions_differ(t, accum.indices);
    CoreAtom both[2] = {core_atom_type(accum.values[0]).sizes[0], accum.count};
    CoreAtom equal = to_core_binary(t, CORE_EQ, both[0], both[1]);
    size_t mark =
        to_core_guard(t, to_core_require(t, equal, CORE_LENGTH_ERROR, "{} and {}", 2, both));
    for (size_t i = 0; i < accum.value_count; i++) {
        accum.values[i] = to_core_coerce(t, accum.values[i], &accum.count);
    }
    CoreOperator op;
    Form form = accum.differ ? NULL : find_form(&accum, &op);
    if (form == NULL) {
        by_any_function(t, &accum, results);
    }
    for (size_t i = 0; form != NULL && i < accum.part_count; i++) {
        results[i] = form(t, &accum, op, i);
    }
    to_core_unguard(t, mark);
    return to_core_value_parts(t, accum.part_count, results);
}
