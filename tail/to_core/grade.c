/* gradeUp and gradeDown: stable sorting permutations.

       gradeUp(v)            ==>  order (map key v): the order of ints that are ordered as the elements

       first(gradeUp(v))     ==>  the position of the least such int, of equal ones the least: nothing is sorted

   Of equal elements that with the lower position comes first, in either direction. NaNs come last: then
   every element has a place of its own. */
#include "tail/to_core/to_core.h"

typedef struct Grade {
    CoreAtom array;
    CorePrim prim;
    CoreOperator order; /* LT, GT */
    CoreAtom n;
} Grade;

static CoreName *scalar_name(ToCore *t, const char *text, CorePrim prim)
{
    return core_name(t->c, text, core_scalar(prim), BUILDER(t)->span);
}

static CoreAtom map_one(ToCore *t, const char *text, size_t count, const CoreAtom *arrays,
                        CoreName *const *parameters, Scope *scope, CoreAtom result)
{
    const CoreLambda *lambda =
        core_lambda(t->c, count, parameters, to_core_scope_body(scope, 1, &result));
    CoreAtom width = core_atom_type(arrays[0]).sizes[0], mapped;
    core_let_map(BUILDER(t), text, width, count, arrays, lambda, &mapped);
    return mapped;
}

/* An int for each element whose order is that of the elements: bits of reals count up where these
   are positive, down where they are negative; NaNs come last. */
static CoreAtom key_of(ToCore *t, const Grade *grade, CoreAtom x)
{
    CoreAtom key = x;
    if (core_is_real(grade->prim)) {
        bool is_narrow = grade->prim == CORE_F32;
        CoreAtom zero = core_real(grade->prim, 0);
        CoreAtom bits = to_core_unary(t, CORE_BITS, to_core_binary(t, CORE_ADD, x, zero));
        bits = to_core_convert(t, CORE_I64, bits);
        CoreAtom flips = to_core_binary(t, CORE_SAR, bits, core_i64(63));
        flips = to_core_binary(t, CORE_SHR, flips, core_i64(is_narrow ? 33 : 1));
        key = to_core_binary(t, CORE_XOR, bits, flips);
    } else {
        key = to_core_convert(t, CORE_I64, x);
    }
    if (grade->order == CORE_GT) {
        key = to_core_unary(t, CORE_NOT, key);
    }
    if (core_is_real(grade->prim)) {
        CoreAtom is_nan = to_core_convert(t, CORE_I64, to_core_binary(t, CORE_NE, x, x));
        CoreAtom last = to_core_binary(
            t, CORE_SHR, to_core_binary(t, CORE_SUB, core_i64(0), is_nan), core_i64(1));
        CoreAtom sign = to_core_binary(t, CORE_SUB, is_nan, core_i64(1));
        key = to_core_binary(t, CORE_OR, last, to_core_binary(t, CORE_AND, key, sign));
    }
    return key;
}

/* ---- the builtins ---------------------------------------------------------------------------- */

static CoreAtom grade_vector(ToCore *t, const Grade *grade)
{
    if (grade->prim == CORE_I64 && grade->order == CORE_LT) {
        return core_let_order(BUILDER(t), "order", grade->array);
    }
    CoreName *x = scalar_name(t, "x", grade->prim);
    Scope *scope = to_core_enter_scope(t);
    CoreAtom key = key_of(t, grade, core_use(x));
    to_core_leave_scope(t);
    CoreAtom keys = map_one(t, "keys", 1, &grade->array, &x, scope, key);
    return core_let_order(BUILDER(t), "order", keys);
}

Value *to_core_translate_grade(ToCore *t, const Call *call)
{
    if (call->builtin != TAIL_OP_GRADEUP && call->builtin != TAIL_OP_GRADEDOWN)
        return NULL; /* another file's */
    if (call->arguments[0]->type->base.kind == TAIL_COMPLEX) {
        to_core_refuse(t, "DOMAIN ERROR", "complex numbers have no order");
        return to_core_value_dummy(t, call->exp->type);
    }
    CoreAtom array = to_core_argument_atom(t, call, 0);
    CoreType type = core_atom_type(array);
    Grade grade = {array, type.prim, call->builtin == TAIL_OP_GRADEUP ? CORE_LT : CORE_GT,
                   type.sizes[0]};
    CoreAtom order = grade_vector(t, &grade);
    CoreName *number = scalar_name(t, "i", CORE_I64);
    CoreAtom last = to_core_binary(t, CORE_SUB, grade.n, core_i64(1));
    Scope *scope = to_core_enter_scope(t);
    CoreAtom position = to_core_binary(t, CORE_MAX, core_use(number), core_i64(0));
    position = to_core_binary(t, CORE_MIN, position, last); /* so that nobody has to check it */
    CoreAtom counted =
        to_core_convert(t, t->integer, to_core_binary(t, CORE_ADD, position, core_i64(1)));
    to_core_leave_scope(t);
    CoreAtom positions = map_one(t, call->text, 1, &order, &number, scope, counted);
    pointer_map_set(t->c->arena, &t->orders, positions.name,
                    arena_copy(t->c->arena, &grade, sizeof grade));
    return to_core_value_atom(t, positions);
}

/* ---- the first of an order ------------------------------------------------------------------- */

/* The number of what is not there: of the neutral element, which is after all others, and of NaNs. */
static CoreAtom no_number(void)
{
    return core_i64(INT64_MAX);
}

/* if condition then x else y, of scalars. */
static CoreAtom choose(ToCore *t, CoreAtom condition, CoreAtom x, CoreAtom y)
{
    const CoreAtom results[2] = {x, y};
    const CoreBody *bodies[2];
    for (size_t k = 0; k < 2; k++) {
        Scope *scope = to_core_enter_scope(t);
        to_core_leave_scope(t);
        bodies[k] = to_core_scope_body(scope, 1, &results[k]);
    }
    CoreType type = core_scalar(core_atom_type(x).prim);
    return core_let(BUILDER(t), "chosen", type, core_exp_if(t->c, condition, bodies[0], bodies[1]));
}

/* \(k, i, l, j) -> the less of the keys k and l, and its number; of equal ones the less of these. No key is a NaN.
   Commutative. What is new is compared with what there is, not the other way round: GCC 12 then makes vectors of rows. */
static const CoreLambda *earlier(ToCore *t, CorePrim prim)
{
    static const char *const texts[] = {"k", "i", "l", "j"};
    CoreName *parameters[4];
    for (size_t i = 0; i < 4; i++) {
        parameters[i] = scalar_name(t, texts[i], i % 2 == 0 ? prim : CORE_I64);
    }
    Scope *scope = to_core_enter_scope(t);
    CoreAtom k = core_use(parameters[0]), i = core_use(parameters[1]), l = core_use(parameters[2]),
             j = core_use(parameters[3]);
    CoreAtom equal = to_core_binary(t, CORE_EQ, l, k), first = to_core_binary(t, CORE_LT, j, i);
    CoreAtom ties = to_core_binary(t, CORE_AND, equal, first);
    CoreAtom less = to_core_binary(t, CORE_LT, l, k);
    CoreAtom is_right = to_core_binary(t, CORE_OR, less, ties);
    CoreAtom times = to_core_convert(t, CORE_I64, is_right);
    CoreAtom change = to_core_binary(t, CORE_MUL, times, to_core_binary(t, CORE_SUB, j, i));
    CoreAtom least = to_core_binary(t, CORE_MIN, l, k);
    CoreAtom results[2] = {least, to_core_binary(t, CORE_ADD, i, change)};
    to_core_leave_scope(t);
    return core_lambda(t->c, 4, parameters, to_core_scope_body(scope, 2, results));
}

/* \(x, i) -> the key of x, and i. Only the order of two keys matters, of which -0 and 0 are equal: reals are their own,
   or what they are with the other sign. A NaN is the neutral element. */
static const CoreLambda *numbered(ToCore *t, const Grade *grade, const CoreAtom *neutral)
{
    CoreName *parameters[2] = {scalar_name(t, "x", grade->prim), scalar_name(t, "i", CORE_I64)};
    CoreAtom x = core_use(parameters[0]), results[2];
    results[1] = core_use(parameters[1]);
    Scope *scope = to_core_enter_scope(t);
    if (core_is_real(grade->prim)) {
        CoreAtom key = grade->order == CORE_GT ? to_core_unary(t, CORE_NEG, x) : x;
        results[0] = to_core_binary(t, CORE_UNLESS_NAN, key, neutral[0]);
        CoreAtom is_nan = to_core_convert(t, CORE_I64, to_core_binary(t, CORE_NE, key, key));
        CoreAtom none = to_core_binary(t, CORE_SUB, core_i64(0), is_nan);
        results[1] =
            to_core_binary(t, CORE_OR, results[1], to_core_binary(t, CORE_SHR, none, core_i64(1)));
    } else {
        results[0] = key_of(t, grade, x);
    }
    to_core_leave_scope(t);
    return core_lambda(t->c, 2, parameters, to_core_scope_body(scope, 2, results));
}

/* The number of the first, from 0; of no elements -1. */
static CoreAtom number_of(ToCore *t, const Grade *grade, CoreAtom first)
{
    if (core_is_real(grade->prim)) { /* all may be NaNs, which are equal */
        CoreAtom is_none = to_core_binary(t, CORE_EQ, first, no_number());
        first = choose(t, is_none, core_i64(0), first);
    }
    return to_core_binary(t, CORE_MIN, first, to_core_binary(t, CORE_SUB, grade->n, core_i64(1)));
}

bool to_core_first_of_order(ToCore *t, CoreAtom order, CoreAtom *first)
{
    const Grade *grade = order.name ? pointer_map_get(&t->orders, order.name) : NULL;
    if (!grade) {
        return false;
    }
    CorePrim prim = core_is_real(grade->prim) ? grade->prim : CORE_I64;
    CoreName *pattern[2] = {scalar_name(t, "key", prim), scalar_name(t, "first", CORE_I64)};
    CoreAtom inputs[2] = {grade->array, core_let_iota(BUILDER(t), "positions", grade->n)};
    CoreAtom *neutral = ARENA_ARRAY(t->c->arena, CoreAtom, 2);
    core_operator_identity(CORE_MIN, prim, &neutral[0]);
    neutral[1] = no_number();
    CoreReduction least = {.function = earlier(t, prim), .neutral = neutral, .commutative = true};
    core_bind(
        BUILDER(t), 2, pattern,
        core_exp_soac(t->c, grade->n, 2, inputs, numbered(t, grade, neutral), 1, &least, 0, NULL));
    /* of none it is 0, the fill element */
    CoreAtom found = number_of(t, grade, core_use(pattern[1]));
    *first = to_core_convert(t, t->integer, to_core_binary(t, CORE_ADD, found, core_i64(1)));
    return true;
}
