/* Branches that end the loop around.

       loop (s = a, on = true) while on do {
         let t = f s
         let c = t > 1
         let (s', on') = if c then { in (t, false) } else { ... in (u, d) }
         in (s', on')
       }

   Such a branch is done once, whatever is in it. */
#include "core/locality/device.h"

static const CoreExp *definition(const CoreBody *body, CoreAtom atom)
{
    for (size_t i = 0; i < body->stm_count && atom.name; i++) {
        if (body->stms[i]->pattern_count == 1 && body->stms[i]->pattern[0] == atom.name) {
            return body->stms[i]->exp;
        }
    }
    return NULL;
}

static bool is_false(CoreAtom atom)
{
    return !atom.name && atom.prim == CORE_BOOL && atom.as.integer == 0;
}

/* x is not y: as `not y`, or as the opposite comparison. */
static bool is_opposite(const CoreBody *body, CoreAtom x, CoreAtom y)
{
    const CoreExp *u = definition(body, x), *v = definition(body, y);
    CoreOperator opposite;
    if (u && u->kind == CORE_EXP_UNARY && u->as.scalar.op == CORE_NOT) {
        return core_atom_equal(u->as.scalar.x, y);
    }
    return u && v && u->kind == CORE_EXP_BINARY && v->kind == CORE_EXP_BINARY &&
           core_operator_opposite(u->as.scalar.op, u->as.scalar.prim, &opposite) &&
           opposite == v->as.scalar.op && core_atom_equal(u->as.scalar.x, v->as.scalar.x) &&
           core_atom_equal(u->as.scalar.y, v->as.scalar.y);
}

Leaving device_leaving(const CoreBody *body, const CoreStm *stm, const CoreAtom *on,
                       CoreAtom *inner, bool *has_inner)
{
    const CoreExp *exp = stm->exp;
    CoreAtom condition = exp->as.conditional.condition;
    *has_inner = false;
    if (!on || !on->name) {
        return LEAVES_NOT;
    }
    for (size_t j = 0; j < stm->pattern_count; j++) {
        CoreAtom then_result = exp->as.conditional.then_body->results[j],
                 else_result = exp->as.conditional.else_body->results[j];
        if (stm->pattern[j] == on->name && is_false(then_result) != is_false(else_result)) {
            *has_inner = true;
            *inner = is_false(then_result) ? else_result : then_result;
            return is_false(then_result) ? LEAVES_THEN : LEAVES_ELSE;
        }
    }
    return core_atom_equal(*on, condition)     ? LEAVES_ELSE
           : is_opposite(body, *on, condition) ? LEAVES_THEN
                                               : LEAVES_NOT;
}
