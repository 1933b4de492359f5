/* [PLDI 3] Copies that value semantics asked for and nothing needs.

       let (b : [n]f64) = copy a       -- neither is ever written in place   ==>  b is a
       let (b : [n]f64) = copy a       -- a is this body's own, and not used again:
       let (c : [n]f64) = b with [i] <- v                                    ==>  a with [i] <- v

       loop (p = a) ... do { c = copy p; d = c with [i] <- v in d }
   ==> b = copy a; loop (*p = b) ... do { c = copy p; ... in d }         and then, as above,
       b = copy a; loop (*p = b) ... do { d = p with [i] <- v in d }      O(1) an iteration

   Which copies are the last use of what they copy, and which state may be the loop's own, liveness.c says. A copy
   with a space of its own is the writer's strategy, and stays; one that is to be stored (CORE_STORED) stays until fusion is done. A copy of a view stores it, and stays where it is
   written to. */
#include "core/simplify/simplify.h"

static bool is_stored(Simplify *s, CoreAtom atom)
{
    const CoreStm *stm = simplify_definition(s, atom, true);
    return !stm || !core_is_view(stm->exp->kind);
}

/* What is known of its class stands for the program as it was. */
static bool is_last_use(Simplify *s, const Fact *class, const CoreStm *original)
{
    return !class->joined && !class->many_homes && pointer_map_get(&s->last_copies, original);
}

/* A row that is used after its array has changed: stored, so that the array need not be copied (liveness.c). */
void simplify_store_row(Simplify *s, Work *work)
{
    bool shares = core_is_view(work->exp->kind) || work->exp->kind == CORE_EXP_ATOM;
    if (shares && simplify_fact(s, work->pattern[0])->apart) {
        CoreExp *copy = ARENA_NEW(s->c->arena, CoreExp);
        CoreType type = core_map_type(s->c, work->pattern[0]->type, simplify_now, s);
        copy->kind = CORE_EXP_COPY;
        Work view = *work;
        CoreName **pattern = ARENA_ARRAY(s->c->arena, CoreName *, 1);
        pattern[0] = core_name(s->c, work->pattern[0]->text, type, work->span);
        view.pattern = pattern;
        simplify_emit(s, &view);
        copy->as.array = simplify_now(s, core_use(pattern[0]));
        work->exp = copy;
        simplify_fired(s, CORE_RULE_OWN_STATE);
    }
}

static bool in_lambda(const Simplify *s)
{
    bool found = false;
    for (int depth = s->depth; depth > 0 && !found; depth--) {
        found = s->scopes[depth]->kind == SCOPE_LAMBDA;
    }
    return found;
}

/* In the end what is to be stored is stored, or has to be as a view. */
static bool has_done_its_work(Simplify *s, const CoreExp *copy)
{
    CoreAtom array = copy->as.array;
    const CoreStm *stm = simplify_definition(s, array, true);
    if (stm && stm->exp->kind == CORE_EXP_RESHAPE) {
        array = stm->exp->as.reshape.array;
    }
    return in_lambda(s) || (s->last && is_stored(s, array));
}

bool simplify_copies(Simplify *s, Work *work, const CoreStm *original)
{
    const CoreExp *exp = work->exp;
    if (exp->kind != CORE_EXP_COPY || (exp->space != CORE_SPACE_AUTO &&
                                       !(exp->space == CORE_STORED && has_done_its_work(s, exp)))) {
        return false;
    }
    CoreAtom array = exp->as.array, copy = core_use(work->pattern[0]);
    Fact *class = simplify_class(simplify_fact(s, array.name));
    bool lazy = !simplify_consumed(s, array) && !simplify_consumed(s, copy);
    if (!lazy && !(is_stored(s, array) && is_last_use(s, class, original))) {
        return false;
    }
    simplify_same_class(s, copy.name, array.name);
    simplify_set_atom(s, work, array);
    simplify_fired(s, CORE_RULE_COPY);
    return true;
}

/* ---- loop state that is copied and updated in each iteration --------------------------------- */

/* [PLDI 3]  loop (p = a) ...  ==>  let b = copy a in loop (*p = b) ... */
void simplify_own_state(Simplify *s, Work *work)
{
    if (work->exp->kind != CORE_EXP_LOOP || work->certificate_count > 0) {
        return;
    }
    for (size_t i = 0; i < work->exp->as.loop.parameter_count; i++) {
        Fact *fact = simplify_fact(s, work->exp->as.loop.parameters[i]);
        if (!fact->own) {
            continue;
        }
        size_t count = work->exp->as.loop.parameter_count;
        CoreExp *exp = core_exp_copy(s->c, work->exp);
        CoreName *old = exp->as.loop.parameters[i],
                 *own = arena_copy(s->c->arena, old, sizeof *old);
        CoreName **parameters =
            arena_copy(s->c->arena, exp->as.loop.parameters, count * sizeof *parameters);
        CoreAtom *initial = arena_copy(s->c->arena, exp->as.loop.initial, count * sizeof *initial);
        CoreExp *copy = ARENA_NEW(s->c->arena, CoreExp);
        copy->kind = CORE_EXP_COPY;
        copy->as.array = initial[i];
        own->type.unique = true;
        CoreType type = core_atom_type(initial[i]);
        type.unique = false;
        initial[i] = simplify_let(s, work, "own", type, copy);
        simplify_class(simplify_fact(s, initial[i].name))->consumed = true;
        simplify_class(fact)->consumed = true;
        simplify_replace(s, old, core_use(own));
        parameters[i] = own;
        exp->as.loop.parameters = parameters;
        exp->as.loop.initial = initial;
        work->exp = exp;
        simplify_fired(s, CORE_RULE_OWN_STATE);
    }
}
