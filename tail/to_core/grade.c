/* gradeUp and gradeDown: stable sorting permutations.

       gradeUp(v), short     ==>  the place of element i is how many come before it: n^2 comparisons at once
       gradeUp(v), long      ==>  the order of ints that are ordered as the elements, by their digits (radix.c)

       first(gradeUp(v))     ==>  the position of the least such int, of equal ones the least: nothing is sorted

   Of equal elements that with the lower position comes first, in either direction. NaNs come last: then
   every element has a place of its own. */
#include "tail/to_core/radix.h"

/* Up to so many elements are compared each with each, less where one work-item does it. */
enum { MOST_PAIRS = 500, MOST_INNER_PAIRS = 64 };
/* A sort is long: in programs with more of them, the further ones are calls of functions. */
enum { MOST_WRITTEN_OUT = 16 };

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

/* x comes before y, wherever they stand. */
static CoreAtom less(ToCore *t, const Grade *grade, CoreAtom x, CoreAtom y)
{
    CoreAtom smaller = to_core_binary(t, grade->order, x, y);
    if (!core_is_real(grade->prim))
        return smaller;
    CoreAtom last = to_core_binary(t, CORE_AND, to_core_binary(t, CORE_NE, y, y),
                                   to_core_binary(t, CORE_EQ, x, x));
    return to_core_binary(t, CORE_OR, smaller, last);
}

static CoreAtom no(ToCore *t, CoreAtom truth)
{
    return to_core_unary(t, CORE_NOT, truth);
}

/* The numbers of elements, from 0, scattered to these places. */
static CoreAtom scattered(ToCore *t, CoreAtom numbers, CoreAtom places)
{
    CoreType type = core_atom_type(numbers);
    CoreAtom blank = core_let_copy(BUILDER(t), "blank", numbers);
    const CoreExp *exp = core_exp_scatter(t->c, type.sizes[0], 1, &blank, places, &numbers);
    return core_let(BUILDER(t), "order", type, exp);
}

/* ---- each with each ------------------------------------------------------------------------ */

/* \y j -> 1 where y comes before x, or neither before the other and j < i; else 0. */
static const CoreLambda *comes_before(ToCore *t, const Grade *grade, CoreAtom x, CoreAtom i)
{
    CoreName *parameters[2] = {scalar_name(t, "y", grade->prim), scalar_name(t, "j", CORE_I64)};
    Scope *scope = to_core_enter_scope(t);
    CoreAtom y = core_use(parameters[0]), j = core_use(parameters[1]);
    CoreAtom equal =
        core_is_real(grade->prim) ? no(t, less(t, grade, x, y)) : to_core_binary(t, CORE_EQ, y, x);
    equal = to_core_binary(t, CORE_AND, equal, to_core_binary(t, CORE_LT, j, i));
    CoreAtom before = to_core_binary(t, CORE_OR, less(t, grade, y, x), equal);
    before = to_core_convert(t, CORE_I64, before);
    to_core_leave_scope(t);
    return core_lambda(t->c, 2, parameters, to_core_scope_body(scope, 1, &before));
}

/* How many come before x at place i, counted by one work-item: they are few. */
static CoreAtom place_of(ToCore *t, const Grade *grade, CoreAtom positions, CoreAtom x, CoreAtom i)
{
    CoreAtom inputs[2] = {grade->array, positions}, neutral = core_i64(0);
    CoreReduction sum = {.function =
                             core_operator_lambda(t->c, CORE_ADD, CORE_I64, BUILDER(t)->span),
                         .neutral = &neutral,
                         .commutative = true};
    const CoreLambda *before = comes_before(t, grade, x, i);
    const CoreExp *count = core_exp_soac(t->c, grade->n, 2, inputs, before, 1, &sum, 0, NULL);
    return core_let(BUILDER(t), "place", core_scalar(CORE_I64),
                    core_exp_placed(t->c, count, CORE_SEQ, CORE_SPACE_AUTO));
}

static CoreAtom grade_pairs(ToCore *t, const Grade *grade, CoreAtom positions)
{
    CoreName *parameters[2] = {scalar_name(t, "x", grade->prim), scalar_name(t, "i", CORE_I64)};
    CoreAtom inputs[2] = {grade->array, positions};
    Scope *scope = to_core_enter_scope(t);
    CoreAtom place =
        place_of(t, grade, positions, core_use(parameters[0]), core_use(parameters[1]));
    to_core_leave_scope(t);
    return scattered(t, positions, map_one(t, "places", 2, inputs, parameters, scope, place));
}

/* ---- by digits ------------------------------------------------------------------------------ */

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

static CoreAtom grade_digits(ToCore *t, const Grade *grade)
{
    CoreName *x = scalar_name(t, "x", grade->prim);
    Scope *scope = to_core_enter_scope(t);
    CoreAtom key = key_of(t, grade, core_use(x));
    to_core_leave_scope(t);
    return to_core_radix_order(t, map_one(t, "keys", 1, &grade->array, &x, scope, key), grade->n);
}

/* ---- the builtins ---------------------------------------------------------------------------- */

/* if n is small then pairs else by digits. */
static CoreAtom grade_in_either_way(ToCore *t, const Grade *grade)
{
    CoreAtom positions = core_let_iota(BUILDER(t), "positions", grade->n);
    int64_t most = t->parallel > 0 ? MOST_INNER_PAIRS : MOST_PAIRS;
    CoreAtom few = to_core_binary(t, CORE_LE, grade->n, core_i64(most));
    if (is_constant(few, 1))
        return grade_pairs(t, grade, positions);
    Scope *pairs_scope = to_core_enter_scope(t);
    CoreAtom pairs = grade_pairs(t, grade, positions);
    to_core_leave_scope(t);
    Scope *digits_scope = to_core_enter_scope(t);
    CoreAtom sorted = grade_digits(t, grade);
    to_core_leave_scope(t);
    const CoreExp *exp = core_exp_if(t->c, few, to_core_scope_body(pairs_scope, 1, &pairs),
                                     to_core_scope_body(digits_scope, 1, &sorted));
    return core_let(BUILDER(t), "order", core_atom_type(positions), exp);
}

/* The same in a function of its own, of another array. */
static CoreAtom grade_other(ToCore *t, void *context, CoreAtom vector)
{
    Grade grade = *(const Grade *)context;
    grade.array = vector;
    grade.n = core_atom_type(vector).sizes[0];
    return grade_in_either_way(t, &grade);
}

static CoreAtom grade_vector(ToCore *t, Grade *grade)
{
    if (t->parallel > 0 || ++t->grades <= MOST_WRITTEN_OUT || !grade->n.name) {
        return grade_in_either_way(t, grade);
    }
    const char *name =
        arena_printf(t->c->arena, "grade_%s_%s", grade->order == CORE_LT ? "up" : "down",
                     core_prim_text(grade->prim));
    return to_core_order_by_function(t, name, grade->array, grade_other, grade);
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

/* \(k, i, l, j) -> the less of the keys k and l, and its number; of equal ones the less of these. Commutative. */
static const CoreLambda *earlier(ToCore *t)
{
    static const char *const texts[] = {"k", "i", "l", "j"};
    CoreName *parameters[4];
    for (size_t i = 0; i < 4; i++) {
        parameters[i] = scalar_name(t, texts[i], CORE_I64);
    }
    Scope *scope = to_core_enter_scope(t);
    CoreAtom k = core_use(parameters[0]), i = core_use(parameters[1]), l = core_use(parameters[2]),
             j = core_use(parameters[3]);
    CoreAtom ties = to_core_binary(t, CORE_AND, to_core_binary(t, CORE_EQ, k, l),
                                   to_core_binary(t, CORE_LT, i, j));
    CoreAtom is_left = to_core_binary(t, CORE_OR, to_core_binary(t, CORE_LT, k, l), ties);
    CoreAtom change = to_core_binary(t, CORE_MUL, to_core_convert(t, CORE_I64, is_left),
                                     to_core_binary(t, CORE_SUB, i, j));
    CoreAtom results[2] = {to_core_binary(t, CORE_MIN, k, l),
                           to_core_binary(t, CORE_ADD, j, change)};
    to_core_leave_scope(t);
    return core_lambda(t->c, 4, parameters, to_core_scope_body(scope, 2, results));
}

bool to_core_first_of_order(ToCore *t, CoreAtom order, CoreAtom *first)
{
    const Grade *grade = order.name ? pointer_map_get(&t->orders, order.name) : NULL;
    if (!grade) {
        return false;
    }
    CoreName *parameters[2] = {scalar_name(t, "x", grade->prim), scalar_name(t, "i", CORE_I64)};
    CoreName *pattern[2] = {scalar_name(t, "key", CORE_I64), scalar_name(t, "first", CORE_I64)};
    CoreAtom inputs[2] = {grade->array, core_let_iota(BUILDER(t), "positions", grade->n)};
    CoreAtom results[2], *neutral = ARENA_ARRAY(t->c->arena, CoreAtom, 2);
    core_operator_identity(CORE_MIN, CORE_I64, &neutral[0]);
    neutral[1] = neutral[0];
    Scope *scope = to_core_enter_scope(t);
    results[0] = key_of(t, grade, core_use(parameters[0]));
    results[1] = core_use(parameters[1]);
    to_core_leave_scope(t);
    const CoreLambda *map = core_lambda(t->c, 2, parameters, to_core_scope_body(scope, 2, results));
    CoreReduction least = {.function = earlier(t), .neutral = neutral, .commutative = true};
    core_bind(BUILDER(t), 2, pattern,
              core_exp_soac(t->c, grade->n, 2, inputs, map, 1, &least, 0, NULL));
    /* of none it is 0, the fill element */
    CoreAtom last = to_core_binary(t, CORE_SUB, grade->n, core_i64(1));
    CoreAtom found = to_core_binary(t, CORE_MIN, core_use(pattern[1]), last);
    *first = to_core_convert(t, t->integer, to_core_binary(t, CORE_ADD, found, core_i64(1)));
    return true;
}
