/* Scalar functions of complex numbers. What TAIL has no builtin for is in the prelude, in APL, in
   terms of parts, magnitude and angle:

       z×w     ==>  mulx(z,w)
       |z      ==>  magnx(z)
       ⍟z      ==>  ∆ln z      {(⍟|⍵)∆J 12○⍵}
       9○z     ==>  rex(z)

   Real arguments are promoted beside complex ones: x÷z ==> divx(d2x(x),z). Comparison by order,
   ⌈ and ⌊ of two, ∧ ∨ ~ and the like do not take complex numbers (ISO 13751, section 7.2). */
#include "apl/elaborate/internal.h"

static Value *value1(Elaboration *e, TailBuiltin builtin, Value *z, Span span)
{
    return ELAB_VALUE(e, builtin, span, z->exp);
}

static Value *value2(Elaboration *e, TailBuiltin builtin, Value *z, Value *w, Span span)
{
    return ELAB_VALUE(e, builtin, span, z->exp, w->exp);
}

Value *elab_complex(Elaboration *e, Value *real, Value *imaginary, Span span)
{
    return value2(e, TAIL_OP_INJX, real, imaginary, span);
}

static Value *constant(Elaboration *e, double real, Span span)
{
    return elab_value(e, tail_complex(e->c, real, 0, elab_place(e, span)), span);
}

/* 0J1×z, by exchange of the parts. */
static Value *turn(Elaboration *e, Value *z, Span span)
{
    Value *real = value1(e, TAIL_OP_NEGD, value1(e, TAIL_OP_IMX, z, span), span);
    return elab_complex(e, real, value1(e, TAIL_OP_REX, z, span), span);
}

Value *elab_complex_circular(Elaboration *e, int64_t which, Value *z, Span span)
{
    static const char *const names[] = {"∆arctanh", "∆arccosh", "∆arcsinh", "∆inverseRoot",
                                        "∆arctan",  "∆arccos",  "∆arcsin",  "∆rootBelow",
                                        "∆sin",     "∆cos",     "∆tan",     "∆rootAbove",
                                        "∆sinh",    "∆cosh",    "∆tanh",    "∆rootBeyond"};
    switch ((int)which) {
    case 9: return value1(e, TAIL_OP_REX, z, span);
    case 10: return value1(e, TAIL_OP_MAGNX, z, span);
    case 11: return value1(e, TAIL_OP_IMX, z, span);
    case 12: return value1(e, TAIL_OP_ARGX, z, span);
    case -8: return value1(e, TAIL_OP_NEGX, elab_complex_circular(e, 8, z, span), span);
    case -9: return z;
    case -10: return value1(e, TAIL_OP_CONJX, z, span);
    case -11: return turn(e, z, span);
    case -12: return value1(e, TAIL_OP_EXPX, turn(e, z, span), span);
    default: return elab_apply_prelude(e, names[which + 7], NULL, z, span);
    }
}

Value *elab_complex_monadic(Elaboration *e, const Call *call, Value *z)
{
    Span span = call->span;
    switch ((int)call->primitive) {
    case APL_PLUS: return value1(e, TAIL_OP_CONJX, z, span);
    case APL_MINUS: return value1(e, TAIL_OP_NEGX, z, span);
    case APL_TIMES: return elab_apply_prelude(e, "∆direction", NULL, z, span);
    case APL_DIVIDE: return value2(e, TAIL_OP_DIVX, constant(e, 1, span), z, span);
    case APL_POWER: return value1(e, TAIL_OP_EXPX, z, span);
    case APL_LOG: return elab_apply_prelude(e, "∆ln", NULL, z, span);
    case APL_STILE: return value1(e, TAIL_OP_MAGNX, z, span);
    case APL_FLOOR: return elab_apply_prelude(e, "∆floor", NULL, z, span);
    case APL_CEILING:
        z = elab_apply_prelude(e, "∆floor", NULL, value1(e, TAIL_OP_NEGX, z, span), span);
        return value1(e, TAIL_OP_NEGX, z, span);
    case APL_CIRCLE: {
        const TailExp *pi = elab_call(e, TAIL_OP_PI, span, 0, NULL);
        return ELAB_VALUE(e, TAIL_OP_MULX, span, ELAB_CALL(e, TAIL_OP_D2X, span, pi), z->exp);
    }
    case APL_SHRIEK: return elab_apply_prelude(e, "∆factorial", NULL, z, span);
    default: return NULL;
    }
}

/* A whole power is a product, a half a root. */
static Value *power(Elaboration *e, Value *z, Value *w, Span span)
{
    z = elab_cast(e, z, TAIL_COMPLEX, span);
    if (w->base <= TAIL_INT) {
        return value2(e, TAIL_OP_POWIX, z, elab_cast(e, w, TAIL_INT, span), span);
    }
    if (w->exp->kind == TAIL_EXP_DOUBLE && w->exp->as.real == 0.5) {
        return elab_apply_prelude(e, "∆root", NULL, z, span);
    }
    return elab_apply_prelude(e, "∆power", z, elab_cast(e, w, TAIL_COMPLEX, span), span);
}

Value *elab_complex_dyadic(Elaboration *e, const Call *call, Value *z, Value *w)
{
    Span span = call->span;
    if (call->primitive == APL_POWER) {
        return power(e, z, w, span);
    }
    z = elab_cast(e, z, TAIL_COMPLEX, span);
    w = elab_cast(e, w, TAIL_COMPLEX, span);
    switch ((int)call->primitive) {
    case APL_PLUS: return value2(e, TAIL_OP_ADDX, z, w, span);
    case APL_MINUS: return value2(e, TAIL_OP_SUBX, z, w, span);
    case APL_TIMES: return value2(e, TAIL_OP_MULX, z, w, span);
    case APL_DIVIDE: return value2(e, TAIL_OP_DIVX, z, w, span);
    case APL_LOG: return elab_apply_prelude(e, "∆log", z, w, span);
    case APL_STILE: return elab_apply_prelude(e, "∆residue", z, w, span);
    case APL_EQUAL: return value2(e, TAIL_OP_EQX, z, w, span);
    case APL_NOT_EQUAL: return value1(e, TAIL_OP_NOTB, value2(e, TAIL_OP_EQX, z, w, span), span);
    case APL_SHRIEK: return elab_apply_prelude(e, "∆binomial", z, w, span);
    default: return NULL;
    }
}
