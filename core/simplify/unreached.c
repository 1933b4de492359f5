/* [L0 5.3] What stands behind an assertion that fails wherever it is made.

       let k = assert false "LENGTH ERROR" ..            let k = assert false "LENGTH ERROR" ..
       let a = map n f xs                         ==>    let a = scratch [n]
       let s = reduce n (+) 0 a                          in (0, a)
       in (s, a)

   On the host nothing behind it in its body is reached: what that binds may be anything of its type. So the version of a program
   for lengths that do not fit (lengths.c) ends where it says so. In a function of a SOAC, and in one that may be called there,
   the device goes on under guards. */
#include "core/simplify/simplify.h"

bool simplify_ends(const Simplify *s)
{
    const Scope *scope = s->scopes[s->depth];
    if (!s->in_entry || s->lambdas > 0 || scope->stms.count == 0) {
        return false;
    }
    const CoreStm *last = scope->stms.items[scope->stms.count - 1];
    return last->exp->kind == CORE_EXP_ASSERT && last->certificate_count == 0 &&
           core_atom_equal(last->exp->as.assertion.condition, core_bool(false));
}

static void leave_out_array(Simplify *s, CoreName *name, Span span)
{
    CoreExp *exp = ARENA_NEW(s->c->arena, CoreExp);
    CoreName **pattern = ARENA_ARRAY(s->c->arena, CoreName *, 1);
    pattern[0] = simplify_retyped(s, name);
    exp->kind = CORE_EXP_SCRATCH;
    exp->as.scratch.prim = name->type.prim;
    exp->as.scratch.count = (size_t)name->type.rank;
    exp->as.scratch.sizes = pattern[0]->type.sizes;
    Work work = {.pattern_count = 1, .pattern = pattern, .exp = exp, .span = span};
    simplify_emit(s, &work);
}

void simplify_leave_out(Simplify *s, const CoreStm *assertion, const CoreStm *stm)
{
    if (stm->exp->kind == CORE_EXP_SCRATCH) {
        simplify_statement(s, stm);
        return;
    }
    for (size_t i = 0; i < stm->pattern_count; i++) {
        CoreName *name = stm->pattern[i];
        if (name->type.rank > 0) {
            leave_out_array(s, name, stm->span);
        } else if (name->type.prim == CORE_CERT) {
            simplify_replace(s, name, core_use(assertion->pattern[0]));
        } else {
            simplify_replace(s, name, core_zero(name->type.prim));
        }
    }
    simplify_fired(s, CORE_RULE_UNREACHED);
}
