/* Scalar functions: which TAIL builtin computes + - × ÷ ... on which base types, with promotion
   bool < int < double < complex (complex.c), and constant folding.

       2.5+n     ==>  addd(2.5,i2d(n))
       b∧c       ==>  andb(b,c)      on booleans; lcmi, lcmd on numbers
       v≠'a'     ==>  each(fn c => notb(eqc(c,'a')), v)

   docs/language.md has the same as a table. */
#include "apl/elaborate/internal.h"

#define NONE TAIL_OP_COUNT /* the function does not take this base */

/* Which builtin serves arguments of which base, after promotion of both to it. Where the bool
   column is empty, booleans serve as ints; where the int column is too, ints serve as doubles. */
typedef struct ScalarRule {
    bool present;
    TailBuiltin on_bool, on_int, on_double, on_char;
    bool negated; /* the builtin, then not */
} ScalarRule;

#define RULE(bools, ints, doubles, chars)                                                          \
    {                                                                                              \
        true, bools, ints, doubles, chars, false                                                   \
    }
#define NEGATED(bools, ints, doubles, chars)                                                       \
    {                                                                                              \
        true, bools, ints, doubles, chars, true                                                    \
    }
#define OP(name) TAIL_OP_##name

static const ScalarRule dyadic_rules[APL_PRIMITIVE_COUNT] = {
    [APL_PLUS] = RULE(NONE, OP(ADDI), OP(ADDD), NONE),
    [APL_MINUS] = RULE(NONE, OP(SUBI), OP(SUBD), NONE),
    [APL_TIMES] = RULE(NONE, OP(MULI), OP(MULD), NONE),
    [APL_DIVIDE] = RULE(NONE, NONE, OP(DIVD), NONE),
    [APL_POWER] = RULE(NONE, NONE, OP(POWD), NONE),
    [APL_LOG] = RULE(NONE, NONE, OP(LN), NONE),
    [APL_CEILING] = RULE(NONE, OP(MAXI), OP(MAXD), NONE),
    [APL_FLOOR] = RULE(NONE, OP(MINI), OP(MIND), NONE),
    [APL_STILE] = RULE(NONE, OP(RESI), OP(RESD), NONE),
    [APL_SHRIEK] = RULE(NONE, NONE, OP(BINOMD), NONE),
    [APL_CIRCLE] = RULE(NONE, NONE, OP(SIN), NONE),
    [APL_AND] = RULE(OP(ANDB), OP(LCMI), OP(LCMD), NONE),
    [APL_OR] = RULE(OP(ORB), OP(GCDI), OP(GCDD), NONE),
    [APL_NAND] = RULE(OP(NANDB), NONE, NONE, NONE),
    [APL_NOR] = RULE(OP(NORB), NONE, NONE, NONE),
    [APL_LESS] = RULE(NONE, OP(LTI), OP(LTD), OP(LTC)),
    [APL_LESS_EQUAL] = RULE(NONE, OP(LTEI), OP(LTED), OP(LTEC)),
    [APL_EQUAL] = RULE(OP(EQB), OP(EQI), OP(EQD), OP(EQC)),
    [APL_GREATER_EQUAL] = RULE(NONE, OP(GTEI), OP(GTED), OP(GTEC)),
    [APL_GREATER] = RULE(NONE, OP(GTI), OP(GTD), OP(GTC)),
    [APL_NOT_EQUAL] = NEGATED(OP(XORB), OP(EQI), OP(EQD), OP(EQC)),
};

static const ScalarRule monadic_rules[APL_PRIMITIVE_COUNT] = {
    [APL_PLUS] = RULE(NONE, NONE, NONE, NONE),
    [APL_MINUS] = RULE(NONE, OP(NEGI), OP(NEGD), NONE),
    [APL_TIMES] = RULE(NONE, OP(SIGNI), OP(SIGND), NONE),
    [APL_DIVIDE] = RULE(NONE, NONE, OP(DIVD), NONE),
    [APL_POWER] = RULE(NONE, NONE, OP(EXPD), NONE),
    [APL_LOG] = RULE(NONE, NONE, OP(LN), NONE),
    [APL_CEILING] = RULE(NONE, NONE, OP(CEIL), NONE),
    [APL_FLOOR] = RULE(NONE, NONE, OP(FLOOR), NONE),
    [APL_STILE] = RULE(NONE, OP(ABSI), OP(ABSD), NONE),
    [APL_SHRIEK] = RULE(NONE, NONE, OP(FACTD), NONE),
    [APL_CIRCLE] = RULE(NONE, NONE, OP(MULD), NONE),
    [APL_ROLL] = RULE(NONE, OP(ROLLI), NONE, NONE),
    [APL_TILDE] = RULE(OP(NOTB), NONE, NONE, NONE),
};

bool elab_is_scalar_function(AplPrimitive primitive, bool dyadic)
{
    return dyadic ? dyadic_rules[primitive].present : monadic_rules[primitive].present;
}

_Noreturn static void domain_error(Elaboration *e, const Call *call, TailBaseKind base)
{
    const char *what = base == TAIL_CHAR                         ? "characters"
                       : base == TAIL_COMPLEX                    ? "complex numbers"
                       : base == TAIL_DOUBLE || base == TAIL_INT ? "numbers other than 0 and 1"
                                                                 : tail_base_text(base);
    elab_fail(e, call->span, "DOMAIN ERROR", "%s (%s) does not take %s",
              apl_primitive_glyph(call->primitive), apl_primitive_name(call->primitive), what);
}

static Value *value1(Elaboration *e, TailBuiltin builtin, Value *x, Span span)
{
    return ELAB_VALUE(e, builtin, span, x->exp);
}

static Value *value2(Elaboration *e, TailBuiltin builtin, Value *x, Value *y, Span span)
{
    return ELAB_VALUE(e, builtin, span, x->exp, y->exp);
}

static bool is_number(const Value *value, double number)
{
    return value->exp->kind == TAIL_EXP_DOUBLE && value->exp->as.real == number;
}

/* ---- circular functions -------------------------------------------------------------- */

/* sqrt(one + sign×x×x) */
static Value *root_of_square(Elaboration *e, double one, TailBuiltin combine, Value *x, Span span)
{
    Value *square = value2(e, TAIL_OP_MULD, x, x, span);
    Value *sum = combine == TAIL_OP_SUBD && one < 0
                     ? value2(e, TAIL_OP_SUBD, square, elab_number(e, -one, span), span)
                     : value2(e, combine, elab_number(e, one, span), square, span);
    return value1(e, TAIL_OP_SQRTD, sum, span);
}

/* 8 to 12 and their negatives, of a real number; complex are 8, ¯8, ¯11 and ¯12. */
static Value *circular_complex(Elaboration *e, int64_t which, Value *x, Span span)
{
    Value *zero = elab_number(e, 0, span);
    switch ((int)which) {
    case 8: return elab_complex(e, zero, root_of_square(e, 1, TAIL_OP_ADDD, x, span), span);
    case -8: {
        Value *root = root_of_square(e, 1, TAIL_OP_ADDD, x, span);
        return elab_complex(e, zero, value1(e, TAIL_OP_NEGD, root, span), span);
    }
    case 10: return value1(e, TAIL_OP_ABSD, x, span);
    case 11: return zero;
    case 12: return value1(e, TAIL_OP_ARGX, elab_cast(e, x, TAIL_COMPLEX, span), span);
    case -11: return elab_complex(e, zero, x, span);
    case -12: {
        Value *cosine = value1(e, TAIL_OP_COS, x, span);
        return elab_complex(e, cosine, value1(e, TAIL_OP_SIN, x, span), span);
    }
    default: return x; /* 9, ¯9, ¯10 */
    }
}

static Value *circular(Elaboration *e, int64_t which, Value *x, Span span)
{
    if (x->base == TAIL_COMPLEX) {
        return elab_complex_circular(e, which, x, span);
    }
    if (which < -7 || which > 7) {
        return circular_complex(e, which, x, span);
    }
    static const TailBuiltin functions[15] = {TAIL_OP_ATANH, TAIL_OP_ACOSH, TAIL_OP_ASINH, NONE,
                                              TAIL_OP_ATAN,  TAIL_OP_ACOS,  TAIL_OP_ASIN,  NONE,
                                              TAIL_OP_SIN,   TAIL_OP_COS,   TAIL_OP_TAN,   NONE,
                                              TAIL_OP_SINH,  TAIL_OP_COSH,  TAIL_OP_TANH};
    if (which == 0) {
        return root_of_square(e, 1, TAIL_OP_SUBD, x, span);
    }
    if (which == 4) {
        return root_of_square(e, 1, TAIL_OP_ADDD, x, span);
    }
    if (which == -4) { /* (x+1)×sqrt((x-1)÷x+1): the root of x×x-1 with the sign of x */
        Value *root = root_of_square(e, -1, TAIL_OP_SUBD, x, span);
        Value *sign = elab_cast(e, value1(e, TAIL_OP_SIGND, x, span), TAIL_DOUBLE, span);
        return value2(e, TAIL_OP_MULD, sign, root, span);
    }
    return value1(e, functions[which + 7], x, span);
}

/* Of real numbers 8, ¯8, ¯11 and ¯12 are complex: there the base of the result would depend on
   which function it is. */
static bool gives_same_base(int64_t which, bool is_complex)
{
    return is_complex || (which != 8 && which != -8 && which > -11);
}

/* The number of a function that only run time knows: DOMAIN ERROR where there is none. */
static Value *circular_number(Elaboration *e, Value *which, bool is_complex, Span span)
{
    enum { MOST = 12, COUNT = 2 * MOST + 3 }; /* with one beyond at each end */
    int64_t is_function[COUNT] = {0};
    for (int64_t i = -MOST; i <= MOST; i++) {
        is_function[i + MOST + 1] = gives_same_base(i, is_complex);
    }
    Value *position = value2(e, TAIL_OP_MAXI, which, elab_int(e, -MOST - 1, span), span);
    position = value2(e, TAIL_OP_MINI, position, elab_int(e, MOST + 1, span), span);
    position = value2(e, TAIL_OP_ADDI, position, elab_int(e, MOST + 2, span), span);
    Value *functions = elab_known(e, TAIL_BOOL, COUNT, is_function, span);
    Value *good = elab_index(e, functions, 1, &position, 1, span);
    return elab_require(e, good, which, which, "no circular function", span);
}

/* The left argument of ○ chooses among functions: at compile time where it is known, else by ifs.
 */
static Value *circle(Elaboration *e, const Call *call)
{
    int64_t which;
    bool is_complex = call->right->base == TAIL_COMPLEX;
    Value *x = is_complex ? call->right : elab_cast(e, call->right, TAIL_DOUBLE, call->span);
    Value *left = elab_as_int(e, call->left, call->left->span, "left arguments of ○");
    if (elab_constant(left, &which)) {
        if (which < -12 || which > 12) {
            elab_fail(e, call->span, "DOMAIN ERROR", "%s○ is no circular function",
                      elab_digits(e, which));
        }
        return circular(e, which, x, call->span);
    }
    left = circular_number(e, left, is_complex, call->span);
    Value *result = elab_cast(e, circular(e, 12, x, call->span), x->base, call->span);
    for (which = -12; which < 12; which++) {
        if (!gives_same_base(which, is_complex)) {
            continue;
        }
        Value *condition = value2(e, TAIL_OP_EQI, left, elab_int(e, which, call->span), call->span);
        Block *block = elab_open(e);
        Value *then_value = elab_cast(e, circular(e, which, x, call->span), x->base, call->span);
        elab_pop(e);
        Block *none = elab_open(e);
        elab_pop(e);
        result = elab_branches(e, condition, block, then_value, none, result, call->span);
    }
    return result;
}

/* ---- dyadic -------------------------------------------------------------------------- */

/* = and ≠ of a character and a number. */
static Value *incomparable(Elaboration *e, const Call *call)
{
    if (call->primitive != APL_EQUAL && call->primitive != APL_NOT_EQUAL) {
        domain_error(e, call, TAIL_CHAR);
    }
    return elab_bool(e, call->primitive == APL_NOT_EQUAL, call->span);
}

static Value *real_dyadic(Elaboration *e, const Call *call, Value *x, Value *y)
{
    if (call->primitive == APL_LOG) {
        Value *power = value1(e, TAIL_OP_LN, y, call->span);
        return value2(e, TAIL_OP_DIVD, power, value1(e, TAIL_OP_LN, x, call->span), call->span);
    }
    if (call->primitive == APL_POWER && is_number(y, 0.5)) {
        return value1(e, TAIL_OP_SQRTD, x, call->span);
    }
    return value2(e, dyadic_rules[call->primitive].on_double, x, y, call->span);
}

static Value *scalar_dyadic(Elaboration *e, const Call *call)
{
    const ScalarRule *rule = &dyadic_rules[call->primitive];
    Value *x = call->left, *y = call->right;
    if ((x->base == TAIL_CHAR) != (y->base == TAIL_CHAR)) {
        return incomparable(e, call);
    }
    if (call->primitive == APL_CIRCLE && x->base != TAIL_CHAR) {
        return circle(e, call);
    }
    TailBaseKind base = x->base > y->base ? x->base : y->base;
    if (base == TAIL_COMPLEX) {
        Value *result = elab_complex_dyadic(e, call, x, y);
        if (result == NULL) {
            domain_error(e, call, base);
        }
        return result;
    }
    TailBuiltin builtin = rule->on_char;
    if (base == TAIL_BOOL && rule->on_bool == NONE) {
        base = TAIL_INT;
    }
    if (base == TAIL_INT && rule->on_int == NONE && rule->on_double != NONE) {
        base = TAIL_DOUBLE;
    }
    if (base != TAIL_CHAR) {
        builtin = base == TAIL_BOOL  ? rule->on_bool
                  : base == TAIL_INT ? rule->on_int
                                     : rule->on_double;
    }
    if (builtin == NONE) {
        domain_error(e, call, base);
    }
    x = elab_cast(e, x, base, call->span);
    y = elab_cast(e, y, base, call->span);
    if (base == TAIL_DOUBLE && !rule->negated) {
        return real_dyadic(e, call, x, y);
    }
    Value *result = value2(e, builtin, x, y, call->span);
    return rule->negated && base != TAIL_BOOL ? value1(e, TAIL_OP_NOTB, result, call->span)
                                              : result;
}

/* ---- monadic ------------------------------------------------------------------------- */

static Value *real_monadic(Elaboration *e, const Call *call, Value *x)
{
    if (call->primitive == APL_DIVIDE) {
        return value2(e, TAIL_OP_DIVD, elab_number(e, 1.0, call->span), x, call->span);
    }
    if (call->primitive == APL_CIRCLE) {
        const TailExp *pi = elab_call(e, TAIL_OP_PI, call->span, 0, NULL);
        return ELAB_VALUE(e, TAIL_OP_MULD, call->span, pi, x->exp);
    }
    return value1(e, monadic_rules[call->primitive].on_double, x, call->span);
}

static Value *scalar_monadic(Elaboration *e, const Call *call)
{
    const ScalarRule *rule = &monadic_rules[call->primitive];
    Value *x = call->right;
    if (!elab_numeric(x->base)) {
        domain_error(e, call, x->base);
    }
    if (x->base == TAIL_COMPLEX) {
        Value *result = elab_complex_monadic(e, call, x);
        if (result == NULL) {
            domain_error(e, call, x->base);
        }
        return result;
    }
    bool keeps_ints = call->primitive == APL_PLUS || call->primitive == APL_CEILING ||
                      call->primitive == APL_FLOOR;
    if (call->primitive == APL_PLUS || (keeps_ints && x->base != TAIL_DOUBLE)) {
        return x;
    }
    if (x->base == TAIL_BOOL && rule->on_bool != NONE) {
        return value1(e, rule->on_bool, x, call->span);
    }
    if (rule->on_int == NONE && rule->on_double == NONE) {
        domain_error(e, call, x->base);
    }
    if (x->base == TAIL_DOUBLE || rule->on_int == NONE) {
        if (rule->on_double == NONE) {
            domain_error(e, call, x->base);
        }
        if (call->primitive == APL_MINUS && x->exp->kind == TAIL_EXP_DOUBLE) {
            return elab_number(e, -x->exp->as.real, call->span);
        }
        return real_monadic(e, call, elab_cast(e, x, TAIL_DOUBLE, call->span));
    }
    return value1(e, rule->on_int, elab_cast(e, x, TAIL_INT, call->span), call->span);
}

static Value *scalar_item(Elaboration *e, void *context, Value *left, Value *right, Span span)
{
    Call call = *(const Call *)context;
    (void)span;
    call.left = left;
    call.right = right;
    int64_t a, b, result;
    bool comparison = call.primitive >= APL_LESS && call.primitive <= APL_NOT_EQUAL;
    if (left == NULL) {
        if (elab_constant(right, &a) && elab_fold_monadic(call.primitive, a, &result)) {
            return call.right->base == TAIL_BOOL &&
                           (call.primitive == APL_PLUS || call.primitive == APL_FLOOR ||
                            call.primitive == APL_CEILING)
                       ? right
                       : elab_int(e, result, call.span);
        }
        if (elab_constant(right, &a) && call.primitive == APL_TILDE && right->base == TAIL_BOOL) {
            return elab_bool(e, a == 0, call.span);
        }
        return scalar_monadic(e, &call);
    }
    if (elab_constant(left, &a) && elab_constant(right, &b)) {
        if (elab_fold_dyadic(call.primitive, a, b, &result)) {
            return comparison ? elab_bool(e, result != 0, call.span)
                              : elab_int(e, result, call.span);
        }
    }
    return scalar_dyadic(e, &call);
}

/* ---- whole arrays -------------------------------------------------------------------- */

/* ~ of a boolean, or what fold.c computes; `left` is not looked at where there is no left argument. */
static bool fold_item(const Call *call, int64_t left, int64_t right, int64_t *result)
{
    if (call->left != NULL) {
        return elab_fold_dyadic(call->primitive, left, right, result);
    }
    if (call->primitive == APL_TILDE && call->right->base == TAIL_BOOL) {
        *result = right == 0;
        return true;
    }
    return elab_fold_monadic(call->primitive, right, result);
}

/* What a folded scalar function gives: comparisons booleans, and so what leaves a boolean as it is. */
static TailBaseKind folded_base(const Call *call)
{
    bool same = call->primitive == APL_PLUS || call->primitive == APL_FLOOR ||
                call->primitive == APL_CEILING || call->primitive == APL_TILDE;
    bool comparison = call->primitive >= APL_LESS && call->primitive <= APL_NOT_EQUAL;
    return comparison || (call->left == NULL && same && call->right->base == TAIL_BOOL) ? TAIL_BOOL
                                                                                        : TAIL_INT;
}

/* Known vectors (and scalars) of numbers fold item by item. No item becomes a value of its own: a
   reduction of many nested lists folds hundreds of thousands of vectors. */
static Value *fold_vector(Elaboration *e, const Call *call)
{
    const Value *shape = call->right->rank == 1 ? call->right : call->left;
    if (shape == NULL || shape->rank != 1 || call->right->known == NULL ||
        (call->left != NULL && call->left->known == NULL)) {
        return NULL;
    }
    int64_t count = shape->extents[0];
    if (call->left != NULL && call->left->rank == 1 && call->right->rank == 1 &&
        call->left->extents[0] != call->right->extents[0]) {
        return NULL;
    }
    if (count == 0 || count > KNOWN_LIMIT) {
        return NULL;
    }
    int64_t numbers[KNOWN_LIMIT];
    for (int64_t k = 0; k < count; k++) {
        int64_t left = call->left == NULL ? 0 : call->left->known[call->left->rank == 0 ? 0 : k];
        int64_t right = call->right->known[call->right->rank == 0 ? 0 : k];
        if (!fold_item(call, left, right, &numbers[k])) {
            return NULL;
        }
    }
    elab_spend(e, call->span, count / 4);
    return elab_known(e, folded_base(call), count, numbers, call->span);
}

/* Known functions of a scalar or strand are chosen at compile time: 9 11○z */
static Value *known_circular(Elaboration *e, const Call *call)
{
    const Value *left = call->left, *right = call->right;
    if (call->primitive != APL_CIRCLE || left == NULL || left->rank != 1 || left->known == NULL ||
        left->extents[0] == 0) {
        return NULL;
    }
    bool strand = elab_has_elements(right) && right->extents[0] == left->extents[0];
    if (right->rank > 0 && !strand) {
        return NULL;
    }
    Value *items[KNOWN_LIMIT];
    for (int64_t k = 0; k < left->extents[0]; k++) {
        Call item = *call;
        item.left = elab_element(e, left, k);
        item.right = strand ? elab_element(e, right, k) : call->right;
        if (!elab_numeric(item.right->base)) {
            domain_error(e, call, item.right->base);
        }
        items[k] = circle(e, &item);
    }
    return elab_vector(e, (size_t)left->extents[0], items, call->span);
}

/* ?0 is a double in (0,1), ?n an int in 1..n: an array of zeros must be known to be one. Every item
   has a draw of its own, numbered from `first`. */
static Value *roll(Elaboration *e, const Call *call)
{
    Span span = call->span;
    if (!elab_numeric(call->right->base)) {
        domain_error(e, call, call->right->base);
    }
    Value *x = elab_as_int(e, call->right, span, "arguments of ?");
    bool real = x->uniform && x->uniform_value == 0;
    elab_effect(e, span, "? (roll)");
    Value *count = elab_int(e, 1, span);
    for (int64_t i = 0; i < x->rank; i++) {
        Call times = {.primitive = APL_TIMES,
                      .left = count,
                      .right = elab_extent(e, x, i, span),
                      .span = span};
        count = elab_scalar_function(e, &times);
    }
    Value *first = value1(e, TAIL_OP_DRAWS, count, span);
    Span place = elab_place(e, span);
    TailVariable **parameters = ARENA_ARRAY(e->c->arena, TailVariable *, 2);
    if (x->rank == 0) {
        Value *result =
            real ? value1(e, TAIL_OP_ROLLD, first, span) : value2(e, TAIL_OP_ROLLI, first, x, span);
        if (!real && call->origin == 0) {
            result = value2(e, TAIL_OP_SUBI, result, elab_int(e, 1, span), span);
        }
        return result;
    }
    Value *shape = elab_shape(e, x, span);
    Value *numbers = elab_reshape(e, shape, value1(e, TAIL_OP_IOTA, count, span), span);
    Block *block = elab_open(e);
    for (size_t i = 0; i < 2; i++) {
        parameters[i] = tail_variable(e->c, e->v, tail_scalar_type(e->c, TAIL_INT), place);
    }
    Value *k = elab_parameter(e, parameters[0], 0, NULL),
          *n = elab_parameter(e, parameters[1], 0, NULL);
    Value *before = value2(e, TAIL_OP_SUBI, k, elab_int(e, 1, span), span);
    Value *draw = value2(e, TAIL_OP_ADDI, first, before, span);
    Value *item =
        real ? value1(e, TAIL_OP_ROLLD, draw, span) : value2(e, TAIL_OP_ROLLI, draw, n, span);
    if (!real && call->origin == 0) {
        item = value2(e, TAIL_OP_SUBI, item, elab_int(e, 1, span), span);
    }
    elab_pop(e);
    const TailExp *lambda =
        tail_lambda(e->c, real ? 1 : 2, parameters, elab_wrap(e, block, item->exp), place);
    Value *result = real ? ELAB_VALUE(e, TAIL_OP_EACH, span, lambda, numbers->exp)
                         : ELAB_VALUE(e, TAIL_OP_ZIPWITH, span, lambda, numbers->exp, x->exp);
    elab_set_extents(result, x->extents);
    return result;
}

/* A known constant with every item alike keeps that knowledge through what cannot change it. */
static void keep_uniform(const Call *call, Value *result)
{
    if (call->left == NULL && call->right->uniform && call->primitive == APL_PLUS) {
        result->uniform = true;
        result->uniform_value = call->right->uniform_value;
    }
}

static Value *scalar_of_tuple(Elaboration *e, void *context, Value *left, Value *right, Span span)
{
    Call call = *(const Call *)context;
    (void)span;
    call.left = left;
    call.right = right;
    return elab_scalar_function(e, &call);
}

/* Numbers that are 0 or 1 serve as booleans: ~ ⍲ ⍱ check that these are. */
static Value *as_truths(Elaboration *e, Value *value, const Call *call)
{
    if (value == NULL || (value->base != TAIL_INT && value->base != TAIL_DOUBLE)) {
        return value;
    }
    for (int64_t i = 0; value->known != NULL && i < elab_count(value); i++) {
        if (value->known[i] != 0 && value->known[i] != 1) {
            elab_fail(e, call->span, "DOMAIN ERROR", "%s takes 0 and 1, not %s",
                      apl_primitive_glyph(call->primitive), elab_digits(e, value->known[i]));
        }
    }
    if (elab_known_empty(value)) {
        return elab_reshape(e, elab_shape(e, value, call->span), elab_bool(e, false, call->span),
                            call->span);
    }
    Call differ = {.primitive = APL_NOT_EQUAL,
                   .left = value,
                   .right = elab_int(e, 0, call->span),
                   .span = call->span};
    Value *truths = elab_scalar_function(e, &differ);
    Value *sound = elab_apply_prelude(e, "∆truths", NULL, value, call->span);
    return elab_require_each(e, sound, value, truths, "a number that is neither 0 nor 1",
                             call->span);
}

static bool takes_truths(const Call *call)
{
    return call->primitive == APL_NAND || call->primitive == APL_NOR ||
           (call->primitive == APL_TILDE && call->left == NULL);
}

Value *elab_scalar_function(Elaboration *e, const Call *call)
{
    if (call->axis != NULL) {
        return elab_along(e, call);
    }
    bool tuple =
        call->right->kind == VALUE_TUPLE || (call->left != NULL && call->left->kind == VALUE_TUPLE);
    if (tuple) {
        return elab_itemwise(e, scalar_of_tuple, (void *)(uintptr_t)call, call->left, call->right,
                             call->span);
    }
    if (call->primitive == APL_ROLL && call->left == NULL) {
        return roll(e, call);
    }
    Call truths = *call;
    if (takes_truths(call)) {
        truths.left = as_truths(e, call->left, call);
        truths.right = as_truths(e, call->right, call);
        call = &truths;
    }
    Value *folded = fold_vector(e, call);
    if (folded != NULL) {
        return folded;
    }
    folded = known_circular(e, call);
    if (folded != NULL) {
        return folded;
    }
    bool rounds = call->primitive == APL_FLOOR || call->primitive == APL_CEILING;
    if (call->left == NULL && call->right->base != TAIL_COMPLEX &&
        (call->primitive == APL_PLUS || (rounds && call->right->base != TAIL_DOUBLE))) {
        if (!elab_numeric(call->right->base)) {
            domain_error(e, call, call->right->base);
        }
        return call->right;
    }
    Value *result = elab_elementwise(e, scalar_item, (void *)(uintptr_t)call, call->left,
                                     call->right, call->span);
    keep_uniform(call, result);
    elab_pass_progression(e, call, result);
    return result;
}
