/* The walk forwards: each statement with what its operands are now, then the rules on it, then to
   where it may stand. Substitution, folding, common subexpressions and hoisting are one walk
   because each makes work for the others ([L0] 5.3 and 6.3, the rebinder).

       let (x : i64) = 2 + 3                       x is 5 from here on
       let (y : i64) = x * n                       let (y : i64) = 5 * n
       let (z : i64) = n * x                       z is y from here on */
#include "core/simplify/simplify.h"

CoreAtom simplify_now(void *simplify, CoreAtom atom)
{
    while (atom.name) { /* what stands for it may have been replaced since */
        const Fact *fact = simplify_fact(simplify, atom.name);
        if (!fact->replaced || core_atom_equal(fact->replacement, atom)) {
            break;
        }
        atom = fact->replacement;
    }
    return atom;
}

void simplify_replace(Simplify *s, const CoreName *name, CoreAtom atom)
{
    Fact *fact = simplify_fact(s, name);
    fact->replaced = true;
    fact->replacement = atom;
    if (atom.name) {
        simplify_same_class(s, name, atom.name);
    }
}

CoreName *simplify_retyped(Simplify *s, CoreName *name)
{
    CoreType type = core_map_type(s->c, name->type, simplify_now, s);
    if (type.sizes == name->type.sizes) {
        return name;
    }
    CoreName *retyped = arena_copy(s->c->arena, name, sizeof *name);
    retyped->type = type;
    simplify_same_class(s, name, retyped);
    if (!simplify_fact(s, name)->replaced) { /* by a rule on a statement with several results */
        simplify_replace(s, name, core_use(retyped));
    }
    return retyped;
}

/* ---- statements that rules add --------------------------------------------------------------- */

CoreAtom simplify_let(Simplify *s, const Work *work, const char *text, CoreType type,
                      const CoreExp *exp)
{
    CoreName **pattern = ARENA_ARRAY(s->c->arena, CoreName *, 1);
    pattern[0] = core_name(s->c, text, type, work->span);
    Work added = {.pattern_count = 1, .pattern = pattern, .exp = exp, .span = work->span};
    simplify_emit(s, &added);
    return simplify_now(s, core_use(pattern[0]));
}

CoreAtom simplify_binary(Simplify *s, const Work *work, const char *text, CoreOperator op,
                         CoreAtom x, CoreAtom y)
{
    CoreExp *exp = ARENA_NEW(s->c->arena, CoreExp);
    CorePrim prim = core_atom_type(x).prim;
    exp->kind = CORE_EXP_BINARY;
    exp->as.scalar.op = op;
    exp->as.scalar.prim = prim;
    exp->as.scalar.x = x;
    exp->as.scalar.y = y;
    Work trial = {.exp = exp, .span = work->span};
    for (int fuel = 4; fuel > 0; fuel--) {
        if (!simplify_fold(s, &trial) && !simplify_algebra(s, &trial)) {
            break;
        }
        if (trial.exp->kind == CORE_EXP_ATOM) {
            return trial.exp->as.atom;
        }
    }
    return simplify_let(s, work, text, core_scalar(core_operator_result(op, prim)), trial.exp);
}

CoreAtom simplify_unary(Simplify *s, const Work *work, const char *text, CoreOperator op,
                        CoreAtom x)
{
    CoreExp *exp = ARENA_NEW(s->c->arena, CoreExp);
    CorePrim prim = core_atom_type(x).prim;
    exp->kind = CORE_EXP_UNARY;
    exp->as.scalar.op = op;
    exp->as.scalar.prim = prim;
    exp->as.scalar.x = exp->as.scalar.y = x;
    Work trial = {.exp = exp, .span = work->span};
    if (simplify_fold(s, &trial)) {
        return trial.exp->as.atom;
    }
    return simplify_let(s, work, text, core_scalar(core_operator_result(op, prim)), exp);
}

void simplify_set_atom(Simplify *s, Work *work, CoreAtom atom)
{
    work->exp = core_atom_exp(s->c, atom);
}

/* What a statement takes over from a guarded definition stays guarded by the same certificates. */
void simplify_add_certificates(Simplify *s, Work *work, const CoreStm *from)
{
    CoreAtom *all =
        ARENA_ARRAY(s->c->arena, CoreAtom, work->certificate_count + from->certificate_count);
    size_t count = 0;
    for (size_t i = 0; i < work->certificate_count; i++) {
        all[count++] = work->certificates[i];
    }
    for (size_t i = 0; i < from->certificate_count; i++) {
        bool known = false;
        for (size_t j = 0; j < count; j++) {
            known = known || core_atom_equal(all[j], from->certificates[i]);
        }
        if (!known) {
            all[count++] = from->certificates[i];
        }
    }
    work->certificates = all;
    work->certificate_count = count;
}

/* ---- one statement --------------------------------------------------------------------------- */

/* [L0 5.3]  let x = y in e  ==>  e[y/x]: of the same type, and unguarded, or with what guards it at y (checks.c). */
static bool propagate(Simplify *s, Work *work)
{
    if (work->exp->kind != CORE_EXP_ATOM || work->pattern_count != 1) {
        return false;
    }
    CoreType type = core_map_type(s->c, work->pattern[0]->type, simplify_now, s);
    if (!core_same_type(type, core_atom_type(work->exp->as.atom)) ||
        !simplify_guard_maker(s, work)) {
        return false;
    }
    work->results = &work->exp->as.atom;
    simplify_fired(s, CORE_RULE_COPY_PROPAGATION);
    return true;
}

static bool apply_rules(Simplify *s, Work *work, const CoreStm *original)
{
    return simplify_fold(s, work) || simplify_algebra(s, work) || simplify_prove(s, work) ||
           simplify_divide(s, work) || simplify_extension(s, work) || simplify_power(s, work) ||
           simplify_checks(s, work) || simplify_views(s, work) ||
           simplify_copies(s, work, original);
}

void simplify_statement(Simplify *s, const CoreStm *stm)
{
    enum {
        FUEL = 32
    }; /* rules shrink or shorten chains of views; the rest waits for the next round */
    Work work = {
        .pattern_count = stm->pattern_count,
        .pattern = stm->pattern,
        .certificate_count = stm->certificate_count,
        .exp = core_map_operands(s->c, stm->exp, simplify_now, s),
        .span = stm->span,
        .old = stm,
    };
    work.certificates =
        core_map_atoms(s->c, stm->certificate_count, stm->certificates, simplify_now, s);
    simplify_certificates(s, &work);
    if (!simplify_control(s, &work)) {
        simplify_known_state(s, &work);
        simplify_own_state(s, &work);
        simplify_soac_inputs(s, &work);
        simplify_bodies(s, &work);
        simplify_loop_ends(s, &work);
        if (work.exp->kind == CORE_EXP_IF) {
            simplify_equal_branches(s, &work);
        }
        simplify_soacs(s, &work);
    }
    for (int fuel = FUEL; fuel > 0 && !work.results && apply_rules(s, &work, stm); fuel--) {
    }
    if (!work.results && !propagate(s, &work)) {
        simplify_store_row(s, &work);
        simplify_emit(s, &work);
        return;
    }
    for (size_t i = 0; i < work.pattern_count; i++) {
        simplify_replace(s, work.pattern[i], work.results[i]);
    }
}

void simplify_statements(Simplify *s, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        simplify_statement(s, body->stms[i]);
        if (simplify_ends(s)) {
            const Scope *scope = s->scopes[s->depth];
            const CoreStm *assertion = scope->stms.items[scope->stms.count - 1];
            while (++i < body->stm_count) {
                simplify_leave_out(s, assertion, body->stms[i]);
            }
        }
    }
}

/* ---- functions ------------------------------------------------------------------------------- */

const CoreFunction *simplify_rebuild(Simplify *s, const CoreFunction *old)
{
    s->in_entry = old->is_entry;
    simplify_open(s, SCOPE_FUNCTION);
    for (size_t i = 0; i < old->parameter_count; i++) {
        simplify_bind_parameter(s, old->parameters[i]);
    }
    simplify_statements(s, old->body);
    const CoreType *types = simplify_types_now(s, old->result_count, old->result_types);
    const CoreBody *body = simplify_close(
        s, old->result_count,
        core_map_atoms(s->c, old->result_count, old->body->results, simplify_now, s), old->body);
    if (types == old->result_types && body == old->body) {
        return old;
    }
    CoreFunction *function = arena_copy(s->c->arena, old, sizeof *old);
    function->result_types = types;
    function->body = body;
    return function;
}
