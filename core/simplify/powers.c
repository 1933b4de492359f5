/* Powers of reals whose exponent is a small constant, as products, quotients and roots: devices and
   processors have units for these, and a call of pow costs a hundred operations.

       x ** 2     ==>  x * x              x ** -1    ==>  1 / x
       x ** 3     ==>  x * x * x          x ** -2    ==>  (1 / x) * (1 / x)
       x ** 4     ==>  (x*x) * (x*x)      x ** -0.5  ==>  1 / sqrt x
       x ** 0.5   ==>  sqrt x             x ** -1.5  ==>  (1 / x) / sqrt x
       x ** 1.5   ==>  x * sqrt x         x ** 0, x ** 1  ==>  1, x

   At most three roundings, 1.5 units in the last place, none of which happens where results are
   exact; and what lies between overflows or vanishes only where the power does. Those with halves
   are what pow says at the ends, too: -0 counts as 0, and -inf as inf. Higher powers would round
   more often than pow does. */
#include "core/simplify/simplify.h"

#include <math.h>
#include <stdlib.h>

typedef struct Power {
    Simplify *s;
    const Work *work;
    CorePrim prim;
    CoreAtom x;
} Power;

static CoreAtom times(const Power *p, CoreAtom x, CoreAtom y)
{
    return simplify_binary(p->s, p->work, "power", CORE_MUL, x, y);
}

static CoreAtom divided(const Power *p, CoreAtom x, CoreAtom y)
{
    return simplify_binary(p->s, p->work, "power", CORE_DIV, x, y);
}

static CoreAtom reciprocal(const Power *p, CoreAtom x)
{
    return divided(p, core_real(p->prim, 1), x);
}

static CoreAtom root(const Power *p, CoreAtom x)
{
    return simplify_unary(p->s, p->work, "root", CORE_SQRT, x);
}

static CoreAtom without_negative_zero(const Power *p)
{
    return simplify_binary(p->s, p->work, "x", CORE_ADD, p->x, core_real(p->prim, 0));
}

/* if x == -inf then at_end else power */
static CoreAtom with_end(const Power *p, CoreAtom power, double at_end)
{
    CoreAtom end = core_real(p->prim, at_end);
    CoreExp *equal = core_exp_copy(p->s->c, p->work->exp);
    equal->as.scalar.op = CORE_EQ;
    equal->as.scalar.y = core_real(p->prim, -INFINITY);
    CoreAtom is_end = simplify_let(p->s, p->work, "end", core_scalar(CORE_BOOL), equal);
    CoreBuilder yes = core_builder(p->s->c, p->work->span), no = yes;
    return simplify_let(
        p->s, p->work, "power", core_scalar(p->prim),
        core_exp_if(p->s->c, is_end, core_body(&yes, 1, &end), core_body(&no, 1, &power)));
}

static bool power(const Power *p, double exponent, CoreAtom *result)
{
    int twice = (int)(2 * exponent);
    if (twice % 2 != 0 && abs(twice) > 3) {
        return false;
    }
    CoreAtom x = twice % 2 == 0 ? p->x : without_negative_zero(p);
    switch (twice) {
    case 0: *result = core_real(p->prim, 1); return true;
    case 2: *result = x; return true;
    case 4: *result = times(p, x, x); return true;
    case 6: *result = times(p, times(p, x, x), x); return true;
    case 8: x = times(p, x, x), *result = times(p, x, x); return true;
    case -2: *result = reciprocal(p, x); return true;
    case -4: x = reciprocal(p, x), *result = times(p, x, x); return true;
    case 1: *result = with_end(p, root(p, x), INFINITY); return true;
    case 3: *result = with_end(p, times(p, x, root(p, x)), INFINITY); return true;
    case -1: *result = with_end(p, reciprocal(p, root(p, x)), 0); return true;
    case -3:
        *result = reciprocal(p, x);
        *result = with_end(p, divided(p, *result, root(p, x)), 0);
        return true;
    }
    return false;
}

bool simplify_power(Simplify *s, Work *work)
{
    const CoreExp *exp = work->exp;
    CoreAtom y = exp->as.scalar.y, result;
    if (exp->kind != CORE_EXP_BINARY || exp->as.scalar.op != CORE_POW || y.name ||
        !(fabs(y.as.real) <= 4) || 2 * y.as.real != trunc(2 * y.as.real)) {
        return false;
    }
    Power p = {s, work, exp->as.scalar.prim, exp->as.scalar.x};
    if (!power(&p, y.as.real, &result)) {
        return false;
    }
    simplify_set_atom(s, work, result);
    simplify_fired(s, CORE_RULE_ALGEBRA);
    return true;
}
