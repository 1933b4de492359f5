/* [L0 5.3] Singleton extension that extends nothing. In APL an array of one element meets an array of any length, so
   that lengths which are not known to be equal are compared, and the result's length is computed:

       x + (x == 1) * (y - x)      is y where x is 1, else x

   Often one of them is the other one wherever it is not 1: 0,¯1↓v has x = max(n - 1, 0) + 1 elements, v has n; where
   n is 0, the extended array has none. A maximum is one of its operands, and so:

       x == 1 | x == n                      ==>  true
       (x == 1) * (n - x)                   ==>  n - x      which is 0 where x is not 1
       (n == 1) * (x - n)                   ==>  0          for x is 1 where n is

   so that the length is n, which is at most x: what has x elements is read with the stride 1 (views.c). All this is
   modulo 2^64, and holds where sums wrap, too. And where a position is one of n, which the array that is extended to n
   turns out to have itself:

       i * (1 - (n == 1))                   ==>  i          0 <= i < n: i is 0 where n is 1 */
#include "core/simplify/simplify.h"

/* What a form is: one of these two, which are the operands of a maximum or minimum in it, and the rest. */
typedef struct Either {
    CoreName *name;       /* of the maximum or minimum */
    CoreAtom operands[2]; /* one of which it is */
    Linear forms[2];
} Either;

static bool with_operand(Simplify *s, const Linear *form, CoreName *name, CoreAtom operand,
                         Linear *with)
{
    uint64_t factor = 0;
    Linear room, itself = {.count = 1, .terms = {{name, 1}}};
    for (int i = 0; i < form->count; i++) {
        factor += form->terms[i].name == name ? form->terms[i].factor : 0;
    }
    *with = *form;
    return factor == 0 || (simplify_add_linear(with, -factor, &itself) &&
                           simplify_add_linear(with, factor, simplify_linear(s, operand, &room)));
}

static bool find_either(Simplify *s, CoreAtom atom, Either *either)
{
    Linear room;
    const Linear *form = simplify_linear(s, atom, &room);
    for (int i = 0; i < form->count; i++) {
        CoreAtom term = core_use(form->terms[i].name);
        const CoreExp *exp = simplify_operation(s, term, CORE_MAX);
        exp = exp ? exp : simplify_operation(s, term, CORE_MIN);
        if (exp && exp->as.scalar.prim == CORE_I64) {
            either->name = term.name;
            either->operands[0] = exp->as.scalar.x;
            either->operands[1] = exp->as.scalar.y;
            return with_operand(s, form, term.name, exp->as.scalar.x, &either->forms[0]) &&
                   with_operand(s, form, term.name, exp->as.scalar.y, &either->forms[1]);
        }
    }
    return false;
}

static bool is_nothing(const Linear *form)
{
    return form->count == 0 && form->constant == 0;
}

static bool is_form(Simplify *s, const Linear *form, CoreAtom atom)
{
    Linear room, difference = *form;
    return simplify_add_linear(&difference, (uint64_t)-1, simplify_linear(s, atom, &room)) &&
           is_nothing(&difference);
}

/* ---- one or the other ------------------------------------------------------------------------ */

enum { MOST_PARTS = 8 };

/* x == y, of i64, among the parts of a disjunction; false where there are more than a few parts. */
static bool find_equations(Simplify *s, CoreAtom atom, const CoreExp **equations, size_t *count,
                           int fuel)
{
    const CoreExp *both = simplify_operation(s, atom, CORE_OR);
    const CoreExp *equation = simplify_operation(s, atom, CORE_EQ);
    if (both && both->as.scalar.prim == CORE_BOOL) {
        return fuel > 0 && find_equations(s, both->as.scalar.x, equations, count, fuel - 1) &&
               find_equations(s, both->as.scalar.y, equations, count, fuel - 1);
    }
    if (equation && equation->as.scalar.prim == CORE_I64) {
        if (*count == MOST_PARTS) {
            return false;
        }
        equations[(*count)++] = equation;
    }
    return true;
}

/* x == u | x == v, where x is one of u and v. */
static bool covers(Simplify *s, const CoreExp *one, const CoreExp *other)
{
    const CoreAtom a[2] = {one->as.scalar.x, one->as.scalar.y};
    const CoreAtom b[2] = {other->as.scalar.x, other->as.scalar.y};
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 2; k++) {
            Either either;
            if (!core_atom_equal(a[i], b[k]) || !a[i].name || !find_either(s, a[i], &either)) {
                continue;
            }
            CoreAtom u = a[1 - i], v = b[1 - k];
            if ((is_form(s, &either.forms[0], u) && is_form(s, &either.forms[1], v)) ||
                (is_form(s, &either.forms[0], v) && is_form(s, &either.forms[1], u))) {
                return true;
            }
        }
    }
    return false;
}

/* max(a, b) + c == a + c | max(a, b) + c == b + c  ==>  true, wherever in a disjunction */
static bool one_operand_or_the_other(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp, *equations[MOST_PARTS];
    size_t count = 0;
    if (exp->as.scalar.op != CORE_OR || exp->as.scalar.prim != CORE_BOOL ||
        !find_equations(s, exp->as.scalar.x, equations, &count, MOST_PARTS) ||
        !find_equations(s, exp->as.scalar.y, equations, &count, MOST_PARTS)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++) {
            if (covers(s, equations[i], equations[k])) {
                simplify_set_atom(s, work, core_bool(true));
                return true;
            }
        }
    }
    return false;
}

/* ---- what is added where there is one element ------------------------------------------------ */

/* The value of an i64 where x is e; false where that is not known. */
static bool value_where(Simplify *s, CoreAtom atom, CoreAtom x, CoreAtom e, int fuel,
                        CoreAtom *value)
{
    const CoreStm *stm = simplify_definition(s, atom, false);
    *value = core_atom_equal(atom, x) ? e : atom;
    if (!value->name || fuel == 0 || !stm || stm->exp->kind != CORE_EXP_BINARY ||
        stm->exp->as.scalar.prim != CORE_I64) {
        return !value->name;
    }
    CoreExp exp = *stm->exp;
    return value_where(s, stm->exp->as.scalar.x, x, e, fuel - 1, &exp.as.scalar.x) &&
           value_where(s, stm->exp->as.scalar.y, x, e, fuel - 1, &exp.as.scalar.y) &&
           simplify_constant(&exp, value);
}

/* The form is 0 where x is not e: x is e, or what makes the form 0. */
static bool is_nothing_unless(Simplify *s, const Linear *form, CoreAtom x, CoreAtom e)
{
    Either either;
    Linear left;
    if (!find_either(s, x, &either)) {
        return false;
    }
    for (size_t i = 0; i < 2; i++) {
        if (is_form(s, &either.forms[i], e) &&
            with_operand(s, form, either.name, either.operands[1 - i], &left) &&
            is_nothing(&left)) {
            return true;
        }
    }
    return false;
}

/* convert(x == e) * d  ==>  d, where d is 0 unless x is e;  0, where d is 0 if x is e */
static bool difference_where_equal(Simplify *s, Work *work)
{
    enum { FUEL = 6 };
    const CoreExp *exp = work->exp;
    if (exp->as.scalar.op != CORE_MUL || exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    const CoreAtom factors[2] = {exp->as.scalar.x, exp->as.scalar.y};
    for (size_t i = 0; i < 2; i++) {
        const CoreStm *bit = simplify_definition(s, factors[i], false);
        const CoreExp *equal = bit && bit->exp->kind == CORE_EXP_CONVERT
                                   ? simplify_operation(s, bit->exp->as.convert.x, CORE_EQ)
                                   : NULL;
        if (!equal || equal->as.scalar.prim != CORE_I64 || equal->as.scalar.y.name) {
            continue;
        }
        CoreAtom x = equal->as.scalar.x, e = equal->as.scalar.y, d = factors[1 - i], value;
        Linear room;
        if (is_nothing_unless(s, simplify_linear(s, d, &room), x, e)) {
            simplify_set_atom(s, work, d);
            return true;
        }
        if (x.name && value_where(s, d, x, e, FUEL, &value) && value.as.integer == 0) {
            simplify_set_atom(s, work, value);
            return true;
        }
    }
    return false;
}

/* i * (1 - convert(n == 1))  ==>  i, where 0 <= i < n */
static bool position_of_one(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    if (exp->as.scalar.op != CORE_MUL || exp->as.scalar.prim != CORE_I64) {
        return false;
    }
    const CoreAtom factors[2] = {exp->as.scalar.x, exp->as.scalar.y};
    for (size_t i = 0; i < 2; i++) {
        Linear room;
        const Linear *stride = simplify_linear(s, factors[i], &room);
        const CoreStm *bit =
            stride->constant == 1 && stride->count == 1 && stride->terms[0].factor == (uint64_t)-1
                ? simplify_definition(s, core_use(stride->terms[0].name), false)
                : NULL;
        const CoreExp *equal = bit && bit->exp->kind == CORE_EXP_CONVERT
                                   ? simplify_operation(s, bit->exp->as.convert.x, CORE_EQ)
                                   : NULL;
        CoreAtom position = factors[1 - i];
        bool below = false;
        if (equal && core_atom_equal(equal->as.scalar.y, core_i64(1)) &&
            simplify_is_not_negative(s, position, 0) &&
            simplify_decide(s, CORE_LT, position, equal->as.scalar.x, &below) && below) {
            simplify_set_atom(s, work, position);
            return true;
        }
    }
    return false;
}

bool simplify_extension(Simplify *s, Work *work)
{
    if (work->exp->kind != CORE_EXP_BINARY ||
        (!one_operand_or_the_other(s, work) && !difference_where_equal(s, work) &&
         !position_of_one(s, work))) {
        return false;
    }
    simplify_fired(s, CORE_RULE_EXTENSION);
    return true;
}
