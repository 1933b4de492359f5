/* gradeUp and gradeDown: stable sorting permutations.

       gradeUp(v), short     ==>  the place of element i is how many come before it: n^2 comparisons at once
       gradeUp(v), long      ==>  runs of 1, 2, 4, .. sorted elements are merged, two by two: an element's
                                  place among both is its place in its own run and, by binary search,
                                  how many of the other run come before it. n (log n)^2 comparisons.

   Of equal elements that with the lower position comes first, in either direction. NaNs come last: then
   every element has a place of its own. */
#include "tail/to_core/to_core.h"

/* Up to so many elements are compared each with each; more would be no faster at once. */
enum { MOST_PAIRS = 1000 };

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

/* map (\y j -> y before x, or neither before the other and j < i), to be summed. */
static CoreAtom comes_before(ToCore *t, const Grade *grade, CoreAtom positions, CoreAtom x,
                             CoreAtom i)
{
    CoreName *parameters[2] = {scalar_name(t, "y", grade->prim), scalar_name(t, "j", CORE_I64)};
    CoreAtom inputs[2] = {grade->array, positions};
    Scope *scope = to_core_enter_scope(t);
    CoreAtom y = core_use(parameters[0]), j = core_use(parameters[1]);
    CoreAtom equal =
        core_is_real(grade->prim) ? no(t, less(t, grade, x, y)) : to_core_binary(t, CORE_EQ, y, x);
    equal = to_core_binary(t, CORE_AND, equal, to_core_binary(t, CORE_LT, j, i));
    CoreAtom before = to_core_binary(t, CORE_OR, less(t, grade, y, x), equal);
    before = to_core_convert(t, CORE_I64, before);
    to_core_leave_scope(t);
    return map_one(t, "before", 2, inputs, parameters, scope, before);
}

static CoreAtom grade_pairs(ToCore *t, const Grade *grade, CoreAtom positions)
{
    CoreName *parameters[2] = {scalar_name(t, "x", grade->prim), scalar_name(t, "i", CORE_I64)};
    CoreAtom inputs[2] = {grade->array, positions}, neutral = core_i64(0);
    Scope *scope = to_core_enter_scope(t);
    CoreAtom before =
        comes_before(t, grade, positions, core_use(parameters[0]), core_use(parameters[1]));
    const CoreLambda *sum = core_operator_lambda(t->c, CORE_ADD, CORE_I64, BUILDER(t)->span);
    CoreAtom place = core_let(BUILDER(t), "place", core_scalar(CORE_I64),
                              core_exp_reduce(t->c, grade->n, 1, &before, sum, &neutral, true));
    to_core_leave_scope(t);
    return scattered(t, positions, map_one(t, "places", 2, inputs, parameters, scope, place));
}

/* ---- merging --------------------------------------------------------------------------------- */

/* The other run of an element's pair. */
typedef struct Run {
    CoreAtom first, end; /* places, cut off at n */
    CoreAtom is_left;    /* equal elements of it come before */
} Run;

/* How many elements of a sorted run come before x, where it begins: binary search. */
static CoreAtom count_before(ToCore *t, const Grade *grade, CoreAtom order, const Run *run,
                             CoreAtom x)
{
    CoreName *parameters[3] = {scalar_name(t, "more", CORE_BOOL), scalar_name(t, "low", CORE_I64),
                               scalar_name(t, "high", CORE_I64)};
    CoreName *results[3] = {scalar_name(t, "more", CORE_BOOL), scalar_name(t, "low", CORE_I64),
                            scalar_name(t, "high", CORE_I64)};
    CoreAtom start[3] = {to_core_binary(t, CORE_LT, run->first, run->end), run->first, run->end};
    CoreAtom low = core_use(parameters[1]), high = core_use(parameters[2]), next[3];
    Scope *scope = to_core_enter_scope(t);
    CoreAtom middle =
        to_core_binary(t, CORE_SHR, to_core_binary(t, CORE_ADD, low, high), core_i64(1));
    CoreAtom item = to_core_element(t, "item", order, middle);
    CoreAtom y = to_core_element(t, "y", grade->array, item);
    CoreAtom equal = to_core_binary(t, CORE_AND, run->is_left, no(t, less(t, grade, x, y)));
    CoreAtom before =
        to_core_convert(t, CORE_I64, to_core_binary(t, CORE_OR, less(t, grade, y, x), equal));
    CoreAtom above = to_core_binary(t, CORE_ADD, middle, core_i64(1));
    next[1] = to_core_binary(
        t, CORE_ADD, low,
        to_core_binary(t, CORE_MUL, before, to_core_binary(t, CORE_SUB, above, low)));
    next[2] = to_core_binary(
        t, CORE_ADD, middle,
        to_core_binary(t, CORE_MUL, before, to_core_binary(t, CORE_SUB, high, middle)));
    next[0] = to_core_binary(t, CORE_LT, next[1], next[2]);
    to_core_leave_scope(t);
    core_bind(BUILDER(t), 3, results,
              core_exp_while(t->c, 3, parameters, start, parameters[0],
                             to_core_scope_body(scope, 3, next)));
    return to_core_binary(t, CORE_SUB, core_use(results[1]), run->first);
}

/* Of the element at place k in runs of `width`: its place in runs twice as wide. */
static CoreAtom merged_place(ToCore *t, const Grade *grade, CoreAtom order, CoreAtom k,
                             CoreAtom number, CoreAtom width)
{
    CoreAtom one = core_i64(1), x = to_core_element(t, "x", grade->array, number);
    CoreAtom inside = to_core_binary(t, CORE_MOD, k, width);
    CoreAtom own = to_core_binary(t, CORE_SUB, k, inside);
    CoreAtom pair = to_core_binary(t, CORE_MOD, k, to_core_binary(t, CORE_MUL, width, core_i64(2)));
    CoreAtom is_right = to_core_binary(t, CORE_GE, pair, width);
    CoreAtom right = to_core_convert(t, CORE_I64, is_right);
    CoreAtom turn = to_core_binary(t, CORE_SUB, one, to_core_binary(t, CORE_ADD, right, right));
    CoreAtom first = to_core_binary(t, CORE_ADD, own, to_core_binary(t, CORE_MUL, turn, width));
    Run other = {to_core_binary(t, CORE_MIN, first, grade->n),
                 to_core_binary(t, CORE_MIN, to_core_binary(t, CORE_ADD, first, width), grade->n),
                 is_right};
    CoreAtom before = count_before(t, grade, order, &other, x);
    CoreAtom start = to_core_binary(t, CORE_SUB, own, to_core_binary(t, CORE_MUL, right, width));
    return to_core_binary(t, CORE_ADD, to_core_binary(t, CORE_ADD, start, inside), before);
}

static CoreAtom grade_merging(ToCore *t, const Grade *grade, CoreAtom positions)
{
    CoreType type = core_atom_type(positions);
    CoreName *state[3] = {scalar_name(t, "more", CORE_BOOL),
                          core_name(t->c, "order", type, BUILDER(t)->span),
                          scalar_name(t, "width", CORE_I64)};
    CoreName *results[3] = {scalar_name(t, "more", CORE_BOOL),
                            core_name(t->c, "order", type, BUILDER(t)->span),
                            scalar_name(t, "width", CORE_I64)};
    CoreAtom start[3] = {to_core_binary(t, CORE_LT, core_i64(1), grade->n), positions, core_i64(1)};
    CoreAtom order = core_use(state[1]), width = core_use(state[2]), next[3];
    Scope *step = to_core_enter_scope(t);
    CoreName *parameters[2] = {scalar_name(t, "k", CORE_I64), scalar_name(t, "number", CORE_I64)};
    CoreAtom inputs[2] = {positions, order};
    Scope *scope = to_core_enter_scope(t);
    CoreAtom place =
        merged_place(t, grade, order, core_use(parameters[0]), core_use(parameters[1]), width);
    to_core_leave_scope(t);
    CoreAtom places = map_one(t, "places", 2, inputs, parameters, scope, place);
    next[1] = scattered(t, order, places);
    next[2] = to_core_binary(t, CORE_MUL, width, core_i64(2));
    next[0] = to_core_binary(t, CORE_LT, next[2], grade->n);
    to_core_leave_scope(t);
    core_bind(BUILDER(t), 3, results,
              core_exp_while(t->c, 3, state, start, state[0], to_core_scope_body(step, 3, next)));
    return core_use(results[1]);
}

/* ---- the builtins ---------------------------------------------------------------------------- */

/* if n <= MOST_PAIRS then pairs else merging; in a function that may run on the device the former. */
static CoreAtom grade_in_either_way(ToCore *t, const Grade *grade)
{
    CoreAtom positions = core_let_iota(BUILDER(t), "positions", grade->n);
    CoreAtom few = to_core_binary(t, CORE_LE, grade->n, core_i64(MOST_PAIRS));
    if (t->parallel > 0 || is_constant(few, 1))
        return grade_pairs(t, grade, positions);
    Scope *pairs_scope = to_core_enter_scope(t);
    CoreAtom pairs = grade_pairs(t, grade, positions);
    to_core_leave_scope(t);
    Scope *merging_scope = to_core_enter_scope(t);
    CoreAtom merged = grade_merging(t, grade, positions);
    to_core_leave_scope(t);
    const CoreExp *exp = core_exp_if(t->c, few, to_core_scope_body(pairs_scope, 1, &pairs),
                                     to_core_scope_body(merging_scope, 1, &merged));
    return core_let(BUILDER(t), "order", core_atom_type(positions), exp);
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
    CoreAtom order = grade_in_either_way(t, &grade);
    CoreName *number = scalar_name(t, "i", CORE_I64);
    Scope *scope = to_core_enter_scope(t);
    CoreAtom counted =
        to_core_convert(t, t->integer, to_core_binary(t, CORE_ADD, core_use(number), core_i64(1)));
    to_core_leave_scope(t);
    return to_core_value_atom(t, map_one(t, call->text, 1, &order, &number, scope, counted));
}
