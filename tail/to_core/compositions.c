/* Folds from the right by functions that are not associative, but whose compositions are.

   f/v is g1 g2 .. gn-1 xn, where gi is the function of one argument  r ↦ xi f r. Composition is
   associative whatever f is; it makes a parallel reduction where all compositions have a form of
   their own, of bounded size:

       f of two bools          gi is one of four functions: the pair (gi 0, gi 1), identity (0, 1)
       f a comparison          of numbers: the same, of what xn-1 f xn is, 0 or 1
       f affine in r, ints     gi r = p + q*r: the pair (p, q), identity (0, 1); ints wrap: exact
       f = ÷                   r ↦ a×r or a÷r: the pair (a, whether ÷), identity (1, no)

   So  </b  and  {⍺+2×⍵}/v  become

       reduce (\(p, q) (p', q') -> compose) identity
              (map (\x i -> if i = n-1 then constant x else g x) v)

   and item k of a scan is (g1 .. gk-1) xk, O(n) where APL's definition is O(n^2).  ÷  needs no last
   item: p of the product of all (xi, yes) is the result. It divides and multiplies pieces, and so
   rounds, overflows and underflows in other places than a division from the right; 0 and ∞ among
   the items give the same.

   On the other side, functions that only return one of their arguments need no fold at all.
   [TAIL fig. 5]; L0 2.4 (list homomorphisms). */
#include "tail/to_core/to_core.h"

/* ---- which functions ----------------------------------------------------------------------- */

/* What is known of the variables that a body binds. */
enum { MOST_LETS = 16, NOT_AFFINE = 2 };
typedef struct Degrees {
    const TailVariable *rest; /* the parameter r */
    size_t count;
    const TailVariable *variables[MOST_LETS];
    int degrees[MOST_LETS];
} Degrees;

static int variable_degree(const Degrees *known, const TailVariable *variable)
{
    for (size_t i = 0; i < known->count; i++) {
        if (known->variables[i] == variable)
            return known->degrees[i];
    }
    return variable == known->rest ? 1 : 0;
}

/* 0: without r; 1: p + q*r with p and q without r; else NOT_AFFINE. */
static int degree(Degrees *known, const TailExp *exp)
{
    for (; exp->kind == TAIL_EXP_LET && known->count < MOST_LETS; exp = exp->as.let.body) {
        int value = degree(known, exp->as.let.value);
        known->variables[known->count] = exp->as.let.variable;
        known->degrees[known->count++] = value;
    }
    if (exp->kind == TAIL_EXP_VARIABLE)
        return variable_degree(known, exp->as.variable);
    if (exp->kind == TAIL_EXP_INT)
        return 0;
    if (exp->kind != TAIL_EXP_CALL)
        return NOT_AFFINE;
    int most = 0, sum = 0;
    for (size_t i = 0; i < exp->as.call.count; i++) {
        int part = degree(known, exp->as.call.arguments[i]);
        most = part > most ? part : most;
        sum += part;
    }
    switch ((int)exp->as.call.builtin) {
    case TAIL_OP_ADDI:
    case TAIL_OP_SUBI:
    case TAIL_OP_NEGI: return most;
    case TAIL_OP_MULI: return sum < NOT_AFFINE ? sum : NOT_AFFINE;
    default: return most == 0 ? 0 : NOT_AFFINE;
    }
}

/* Gives 0 or 1. */
static bool is_truth(const TailExp *lambda)
{
    const TailExp *body = lambda->as.lambda.body;
    while (body->kind == TAIL_EXP_LET)
        body = body->as.let.body;
    if (body->kind == TAIL_EXP_CALL && body->as.call.builtin == TAIL_OP_I2D)
        body = body->as.call.arguments[0];
    return body->kind == TAIL_EXP_CALL && body->as.call.builtin == TAIL_OP_B2I;
}

static bool is_quotient(const TailExp *lambda)
{
    const TailExp *body = to_core_only_call(lambda->as.lambda.body);
    return body && body->as.call.builtin == TAIL_OP_DIVD && to_core_takes_parameters(lambda, body);
}

CompositionKind to_core_composition(const TailExp *lambda, CorePrim prim)
{
    if (!to_core_is_simple_function(lambda))
        return COMPOSITION_NONE;
    if (prim == CORE_BOOL)
        return COMPOSITION_BOOLEAN;
    if (is_truth(lambda))
        return COMPOSITION_TRUTH;
    if (core_is_real(prim))
        return is_quotient(lambda) ? COMPOSITION_QUOTIENT : COMPOSITION_NONE;
    Degrees known = {.rest = lambda->as.lambda.parameters[1]};
    return core_is_int(prim) && degree(&known, lambda->as.lambda.body) < NOT_AFFINE
               ? COMPOSITION_AFFINE
               : COMPOSITION_NONE;
}

/* ---- functions as pairs -------------------------------------------------------------------- */

typedef struct Pair {
    CoreAtom first, second;
} Pair;

static CoreAtom zero(CorePrim prim)
{
    return to_core_fill_of(prim);
}

static CoreAtom one(CorePrim prim)
{
    return prim == CORE_BOOL    ? core_bool(true)
           : core_is_real(prim) ? core_real(prim, 1)
                                : core_int(prim, 1);
}

static Pair identity(CompositionKind kind, CorePrim prim)
{
    if (kind == COMPOSITION_QUOTIENT)
        return (Pair){core_real(prim, 1), core_bool(false)};
    return (Pair){zero(prim), one(prim)};
}

CoreAtom to_core_composition_of_none(CompositionKind kind, CorePrim prim)
{
    return identity(kind, prim).first;
}

/* if condition then x else y, of scalars */
static CoreAtom choose(ToCore *t, CoreAtom condition, CoreAtom x, CoreAtom y)
{
    if (core_atom_equal(x, y))
        return x;
    CoreType type = core_scalar(core_atom_type(x).prim);
    const CoreBody *bodies[2];
    for (int i = 0; i < 2; i++) {
        Scope *scope = to_core_enter_scope(t);
        to_core_leave_scope(t);
        bodies[i] = to_core_scope_body(scope, 1, i == 0 ? &x : &y);
    }
    return core_let(BUILDER(t), "t", type, core_exp_if(t->c, condition, bodies[0], bodies[1]));
}

/* The function of the pair at r. */
static CoreAtom apply_pair(ToCore *t, CompositionKind kind, Pair g, CoreAtom r)
{
    if (kind == COMPOSITION_BOOLEAN || kind == COMPOSITION_TRUTH) {
        CoreAtom yes = to_core_binary(t, CORE_AND, r, g.second);
        CoreAtom no = to_core_binary(t, CORE_AND, to_core_unary(t, CORE_NOT, r), g.first);
        return to_core_binary(t, CORE_OR, yes, no);
    }
    return to_core_binary(t, CORE_ADD, g.first, to_core_binary(t, CORE_MUL, g.second, r));
}

/* g after h. */
static Pair compose(ToCore *t, CompositionKind kind, Pair g, Pair h)
{
    Pair both = {.first = core_bool(false)};
    switch (kind) {
    case COMPOSITION_NONE: break;
    case COMPOSITION_BOOLEAN:
    case COMPOSITION_TRUTH:
        both.first = apply_pair(t, kind, g, h.first);
        both.second = apply_pair(t, kind, g, h.second);
        break;
    case COMPOSITION_AFFINE:
        both.first = apply_pair(t, kind, g, h.first);
        both.second = to_core_binary(t, CORE_MUL, g.second, h.second);
        break;
    case COMPOSITION_QUOTIENT:
        both.first = to_core_binary(t, CORE_DIV, g.first, h.first);
        both.second = to_core_binary(t, CORE_MUL, g.first, h.first);
        both.first = choose(t, g.second, both.first, both.second);
        both.second = to_core_binary(t, CORE_NE, g.second, h.second);
        break;
    }
    return both;
}

/* \(p, q, p', q') -> compose */
static const CoreLambda *compose_lambda(ToCore *t, CompositionKind kind, CorePrim prim)
{
    static const char *const TEXTS[] = {"p", "q", "p", "q"};
    CoreName *parameters[4];
    for (size_t i = 0; i < 4; i++) {
        CorePrim of = i % 2 == 1 && kind == COMPOSITION_QUOTIENT ? CORE_BOOL : prim;
        parameters[i] = core_name(t->c, TEXTS[i], core_scalar(of), BUILDER(t)->span);
    }
    Scope *scope = to_core_enter_scope(t);
    Pair g = {core_use(parameters[0]), core_use(parameters[1])};
    Pair h = {core_use(parameters[2]), core_use(parameters[3])};
    Pair both = compose(t, kind, g, h);
    to_core_leave_scope(t);
    CoreAtom results[2] = {both.first, both.second};
    return core_lambda(t->c, 4, parameters, to_core_scope_body(scope, 2, results));
}

/* r ↦ x f r as a pair: f is asked at 0 and at 1. */
static Pair pair_of(ToCore *t, CompositionKind kind, const TailExp *lambda, CoreAtom x)
{
    CorePrim prim = core_atom_type(x).prim;
    CoreAtom at_zero[2] = {x, zero(prim)}, at_one[2] = {x, one(prim)};
    Pair g;
    g.first = to_core_apply_scalar(t, lambda, 2, at_zero);
    g.second = to_core_apply_scalar(t, lambda, 2, at_one);
    if (kind == COMPOSITION_AFFINE)
        g.second = to_core_binary(t, CORE_SUB, g.second, g.first);
    return g;
}

/* ---- reduce and scan ----------------------------------------------------------------------- */

/* x f r, 0 or 1, as a bool. */
static CoreAtom truth(ToCore *t, const TailExp *lambda, CoreAtom x, CoreAtom r)
{
    CoreAtom arguments[2] = {x, r};
    CoreAtom result = to_core_apply_scalar(t, lambda, 2, arguments);
    return to_core_binary(t, CORE_NE, result, zero(core_atom_type(result).prim));
}

/* row[i + by], or the first or last item. */
static CoreAtom item_beside(ToCore *t, CoreAtom row, CoreAtom i, int64_t by)
{
    CoreAtom last = to_core_binary(t, CORE_SUB, core_atom_type(row).sizes[0], core_i64(1));
    CoreAtom place = to_core_binary(t, CORE_ADD, i, core_i64(by));
    place = by < 0 ? to_core_binary(t, CORE_MAX, core_i64(0), place)
                   : to_core_binary(t, CORE_MIN, last, place);
    return to_core_element(t, "x", row, place);
}

/* The pairs of truths. For a reduction xn-2 f xn-1 is a constant function, and the last item's is the identity; for a
   scan they are two places later, as what each is applied to takes the item before its own. */
static Pair truths_of_row(ToCore *t, const TailExp *lambda, CoreAtom row, bool scan)
{
    CoreAtom n = core_atom_type(row).sizes[0], arrays[2];
    CoreName *parameter = core_name(t->c, "i", core_scalar(CORE_I64), BUILDER(t)->span);
    CoreAtom positions = core_let_iota(BUILDER(t), "positions", n), i = core_use(parameter);
    CoreAtom zero_of = zero(core_atom_type(row).prim), one_of = one(core_atom_type(row).prim);
    Scope *scope = to_core_enter_scope(t);
    CoreAtom x = item_beside(t, row, i, scan ? -2 : 0);
    CoreAtom results[2] = {truth(t, lambda, x, zero_of), truth(t, lambda, x, one_of)};
    CoreAtom none;
    if (scan) {
        none = to_core_binary(t, CORE_LT, i, core_i64(2));
    } else {
        CoreAtom left = to_core_binary(t, CORE_SUB, n, i);
        CoreAtom is_next = to_core_binary(t, CORE_EQ, left, core_i64(2));
        CoreAtom next = truth(t, lambda, x, item_beside(t, row, i, 1));
        results[0] = choose(t, is_next, next, results[0]);
        results[1] = choose(t, is_next, next, results[1]);
        none = to_core_binary(t, CORE_EQ, left, core_i64(1));
    }
    results[0] = choose(t, none, core_bool(false), results[0]);
    results[1] = choose(t, none, core_bool(true), results[1]);
    to_core_leave_scope(t);
    const CoreLambda *function =
        core_lambda(t->c, 1, &parameter, to_core_scope_body(scope, 2, results));
    core_let_map(BUILDER(t), "functions", n, 1, &positions, function, arrays);
    return (Pair){arrays[0], arrays[1]};
}

/* The pairs of all items: two arrays. For a reduction the last is the constant function of the last
   item; for a scan they are one place later, after the identity. */
static Pair pairs_of_row(ToCore *t, CompositionKind kind, const TailExp *lambda, CoreAtom row,
                         bool scan)
{
    CoreType type = core_atom_type(row);
    CoreAtom n = type.sizes[0], yes = core_bool(true), arrays[2];
    if (kind == COMPOSITION_QUOTIENT)
        return (Pair){row, core_let_replicate(BUILDER(t), "divides", 1, &n, yes)};
    CoreAtom last = to_core_binary(t, CORE_SUB, n, core_i64(1));
    CoreName *parameter = core_name(t->c, "i", core_scalar(CORE_I64), BUILDER(t)->span);
    CoreAtom positions = core_let_iota(BUILDER(t), "positions", n), i = core_use(parameter);
    Scope *scope = to_core_enter_scope(t);
    CoreAtom end = to_core_binary(t, CORE_EQ, i, scan ? core_i64(0) : last);
    CoreAtom place = i;
    if (scan) {
        place = to_core_binary(t, CORE_SUB, i, core_i64(1));
        place = to_core_binary(t, CORE_MAX, core_i64(0), place);
    }
    CoreAtom x = to_core_element(t, "x", row, place);
    Pair g = pair_of(t, kind, lambda, x), special = {x, x};
    if (scan) {
        special = identity(kind, type.prim);
    } else if (kind == COMPOSITION_AFFINE) {
        special.second = zero(type.prim);
    }
    CoreAtom results[2] = {choose(t, end, special.first, g.first),
                           choose(t, end, special.second, g.second)};
    to_core_leave_scope(t);
    const CoreLambda *function =
        core_lambda(t->c, 1, &parameter, to_core_scope_body(scope, 2, results));
    core_let_map(BUILDER(t), "functions", n, 1, &positions, function, arrays);
    return (Pair){arrays[0], arrays[1]};
}

static Pair fold_pairs(ToCore *t, CompositionKind kind, Pair pairs, const char *text, bool scan)
{
    CoreAtom inputs[2] = {pairs.first, pairs.second};
    CoreType types[2] = {core_atom_type(pairs.first), core_atom_type(pairs.second)};
    Pair none = identity(kind, types[0].prim);
    CoreAtom neutral[2] = {none.first, none.second};
    const CoreLambda *lambda = compose_lambda(t, kind, types[0].prim);
    CoreAtom n = types[0].sizes[0];
    CoreName *pattern[2];
    for (size_t i = 0; i < 2; i++) {
        CoreType type = scan ? types[i] : core_scalar(types[i].prim);
        pattern[i] = core_name(t->c, i == 0 ? text : "q", type, BUILDER(t)->span);
    }
    const CoreExp *exp = scan ? core_exp_scan(t->c, n, 2, inputs, lambda, neutral)
                              : core_exp_reduce(t->c, n, 2, inputs, lambda, neutral, false);
    core_bind(BUILDER(t), 2, pattern, exp);
    return (Pair){core_use(pattern[0]), core_use(pattern[1])};
}

/* One item is the result as it is. */
static CoreAtom reduce_truths(ToCore *t, const TailExp *lambda, const char *text, CoreAtom row)
{
    Pair pairs = truths_of_row(t, lambda, row, false);
    CoreAtom result = fold_pairs(t, COMPOSITION_TRUTH, pairs, text, false).first;
    CoreType type = core_atom_type(row);
    CoreAtom alone = to_core_binary(t, CORE_EQ, type.sizes[0], core_i64(1));
    Scope *one_item = to_core_enter_scope(t);
    CoreAtom item = to_core_element(t, text, row, core_i64(0));
    to_core_leave_scope(t);
    Scope *more = to_core_enter_scope(t);
    result = to_core_convert(t, type.prim, result);
    to_core_leave_scope(t);
    const CoreExp *exp = core_exp_if(t->c, alone, to_core_scope_body(one_item, 1, &item),
                                     to_core_scope_body(more, 1, &result));
    return core_let(BUILDER(t), text, core_scalar(type.prim), exp);
}

static CoreAtom scan_truths(ToCore *t, const TailExp *lambda, const char *text, CoreAtom row)
{
    Pair pairs = truths_of_row(t, lambda, row, true);
    Pair prefixes = fold_pairs(t, COMPOSITION_TRUTH, pairs, "prefixes", true);
    CoreType type = core_atom_type(row);
    CoreAtom n = type.sizes[0], positions = core_let_iota(BUILDER(t), "positions", n);
    CoreAtom inputs[4] = {positions, prefixes.first, prefixes.second, row}, result;
    CoreName *parameters[4] = {core_name(t->c, "i", core_scalar(CORE_I64), BUILDER(t)->span),
                               core_name(t->c, "p", core_scalar(CORE_BOOL), BUILDER(t)->span),
                               core_name(t->c, "q", core_scalar(CORE_BOOL), BUILDER(t)->span),
                               core_name(t->c, "x", core_scalar(type.prim), BUILDER(t)->span)};
    Scope *scope = to_core_enter_scope(t);
    CoreAtom i = core_use(parameters[0]), x = core_use(parameters[3]);
    CoreAtom last = truth(t, lambda, item_beside(t, row, i, -1), x);
    Pair g = {core_use(parameters[1]), core_use(parameters[2])};
    result = to_core_convert(t, type.prim, apply_pair(t, COMPOSITION_TRUTH, g, last));
    result = choose(t, to_core_binary(t, CORE_EQ, i, core_i64(0)), x, result);
    to_core_leave_scope(t);
    const CoreLambda *function =
        core_lambda(t->c, 4, parameters, to_core_scope_body(scope, 1, &result));
    core_let_map(BUILDER(t), text, n, 4, inputs, function, &result);
    return result;
}

CoreAtom to_core_reduce_composed(ToCore *t, CompositionKind kind, const TailExp *lambda,
                                 const char *text, CoreAtom row)
{
    return kind == COMPOSITION_TRUTH
               ? reduce_truths(t, lambda, text, row)
               : fold_pairs(t, kind, pairs_of_row(t, kind, lambda, row, false), text, false).first;
}

CoreAtom to_core_scan_composed(ToCore *t, CompositionKind kind, const TailExp *lambda,
                               const char *text, CoreAtom row)
{
    if (kind == COMPOSITION_TRUTH)
        return scan_truths(t, lambda, text, row);
    Pair prefixes = fold_pairs(t, kind, pairs_of_row(t, kind, lambda, row, true),
                               kind == COMPOSITION_QUOTIENT ? text : "prefixes", true);
    if (kind == COMPOSITION_QUOTIENT)
        return prefixes.first;
    CorePrim prim = core_atom_type(row).prim;
    CoreAtom inputs[3] = {prefixes.first, prefixes.second, row}, result;
    CoreName *parameters[3];
    for (size_t i = 0; i < 3; i++)
        parameters[i] = core_name(t->c,
                                  i == 2   ? "x"
                                  : i == 0 ? "p"
                                           : "q",
                                  core_scalar(prim), BUILDER(t)->span);
    Scope *scope = to_core_enter_scope(t);
    Pair g = {core_use(parameters[0]), core_use(parameters[1])};
    result = apply_pair(t, kind, g, core_use(parameters[2]));
    to_core_leave_scope(t);
    const CoreLambda *function =
        core_lambda(t->c, 3, parameters, to_core_scope_body(scope, 1, &result));
    core_let_map(BUILDER(t), text, core_atom_type(row).sizes[0], 3, inputs, function, &result);
    return result;
}
