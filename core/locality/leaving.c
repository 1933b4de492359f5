/* Branches that end the loop around.

       loop (s = a, on = true) while on do {
         let t = f s
         let c = t > 1
         let (s', on') = if c then { in (t, false) } else { ... in (u, d) }
         in (s', on')
       }

   Such a branch is done once, whatever is in it. */
#include "core/locality/device.h"

static bool is_false(CoreAtom atom)
{
    return !atom.name && atom.prim == CORE_BOOL && atom.as.integer == 0;
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
    return core_atom_equal(*on, condition)          ? LEAVES_ELSE
           : core_is_opposite(body, *on, condition) ? LEAVES_THEN
                                                    : LEAVES_NOT;
}
