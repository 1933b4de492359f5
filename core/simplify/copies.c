/* [PLDI 3] Copies that value semantics asked for and nothing needs.

       let (b : [n]f64) = copy a       -- neither is ever written in place   ==>  b is a
       let (b : [n]f64) = copy a       -- a is this body's own, and not used again:
       let (c : [n]f64) = b with [i] <- v                                    ==>  a with [i] <- v

   The second needs all that may share elements with a: bound in this very body, no parameter that
   is borrowed, no use after the copy. A copy with a space of its own is the writer's strategy, and
   stays. A copy of a view stores it, and stays where it is written to. */
#include "core/simplify/simplify.h"

static bool is_stored(Simplify *s, CoreAtom atom)
{
    const CoreStm *stm = simplify_definition(s, atom, true);
    return !stm || !core_is_view(stm->exp->kind);
}

static bool is_dead_after(Simplify *s, const Fact *class, const CoreStm *original)
{
    return !class->borrowed && !class->many_homes && class->home == s->body &&
           class->last_use == s->position && s->body->stms[s->position - 1] == original;
}

bool simplify_copies(Simplify *s, Work *work, const CoreStm *original)
{
    const CoreExp *exp = work->exp;
    if (exp->kind != CORE_EXP_COPY || exp->space != CORE_SPACE_AUTO) {
        return false;
    }
    CoreAtom array = exp->as.array, copy = core_use(work->pattern[0]);
    Fact *class = simplify_class(simplify_fact(s, array.name));
    bool lazy = !simplify_consumed(s, array) && !simplify_consumed(s, copy);
    if (!lazy && !(is_stored(s, array) && is_dead_after(s, class, original))) {
        return false;
    }
    simplify_same_class(s, copy.name, array.name);
    simplify_set_atom(s, work, array);
    simplify_fired(s, CORE_RULE_COPY);
    return true;
}
