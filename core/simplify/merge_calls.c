/* Calls of one function at the ends of both branches of an if, as one call behind it.

       let (r) = if c then { let (x) = a + 1            let (y) = if c then { let (x) = a + 1 in (x) }
                             let (s) = f(x) in (s) }             else { in (a) }
                 else { let (t) = f(a) in (t) }    ==>  let (r) = f(y)

   Before inlining, of programs that it would make large: in a chain of functions with guards each
   calls the next one twice, but only one of the calls is done. From the innermost ifs outwards, so
   that any number of branches comes to one call. */
#include "core/simplify/simplify.h"

typedef struct Merger {
    Compilation *c;
    PointerMap functions; /* interned text -> CoreFunction */
} Merger;

/* What a result of the if is. */
typedef enum ResultKind { RESULT_OF_CALL, RESULT_ARGUMENT, RESULT_SAME, RESULT_OTHER } ResultKind;
typedef struct Result {
    ResultKind kind;
    size_t number; /* among the call's results or arguments */
} Result;

static const CoreStm *last_call(const CoreBody *body)
{
    const CoreStm *last = body->stm_count > 0 ? body->stms[body->stm_count - 1] : NULL;
    return last && last->exp->kind == CORE_EXP_APPLY && last->certificate_count == 0 ? last : NULL;
}

static bool is_bound_in(const CoreBody *body, CoreAtom atom)
{
    for (size_t i = 0; atom.name && i < body->stm_count; i++) {
        for (size_t k = 0; k < body->stms[i]->pattern_count; k++) {
            if (body->stms[i]->pattern[k] == atom.name) {
                return true;
            }
        }
    }
    return false;
}

/* The same atom, visible before the if. */
static bool is_common(const CoreExp *exp, CoreAtom x, CoreAtom y)
{
    return core_atom_equal(x, y) && !is_bound_in(exp->as.conditional.then_body, x);
}

static Result result_of(const CoreExp *exp, const CoreStm *yes, const CoreStm *no, size_t i)
{
    CoreAtom x = exp->as.conditional.then_body->results[i],
             y = exp->as.conditional.else_body->results[i];
    for (size_t k = 0; k < yes->pattern_count; k++) {
        if (x.name == yes->pattern[k] && y.name == no->pattern[k]) {
            return (Result){RESULT_OF_CALL, k};
        }
    }
    for (size_t k = 0; k < yes->exp->as.apply.count; k++) {
        if (core_atom_equal(x, yes->exp->as.apply.arguments[k]) &&
            core_atom_equal(y, no->exp->as.apply.arguments[k]) && !is_common(exp, x, y)) {
            return (Result){RESULT_ARGUMENT, k};
        }
    }
    return (Result){is_common(exp, x, y) ? RESULT_SAME : RESULT_OTHER, 0};
}

/* Another result before is the same one, or it is an extent of one behind. */
static bool is_needed_apart(const CoreStm *stm, const Result *results, size_t i)
{
    bool apart = false;
    for (size_t k = 0; k < i; k++) {
        apart = apart || (results[i].kind != RESULT_SAME && results[k].kind == results[i].kind &&
                          results[k].number == results[i].number);
    }
    for (size_t k = i + 1; results[i].kind == RESULT_SAME && k < stm->pattern_count; k++) {
        CoreType type = stm->pattern[k]->type;
        for (int axis = 0; axis < type.rank; axis++) {
            apart = apart || type.sizes[axis].name == stm->pattern[i];
        }
    }
    return apart;
}

/* The function that both branches end with a call of, and what the results are; NULL: there is none. */
static const CoreFunction *common_callee(Merger *m, const CoreStm *stm, Result *results)
{
    const CoreExp *exp = stm->exp;
    const CoreStm *yes = last_call(exp->as.conditional.then_body),
                  *no = last_call(exp->as.conditional.else_body);
    if (!yes || !no || strcmp(yes->exp->as.apply.function, no->exp->as.apply.function) != 0) {
        return NULL;
    }
    for (size_t i = 0; i < stm->pattern_count; i++) {
        results[i] = result_of(exp, yes, no, i);
        if (results[i].kind == RESULT_OTHER || is_needed_apart(stm, results, i)) {
            return NULL;
        }
    }
    const CoreFunction *callee =
        pointer_map_get(&m->functions, intern(m->c, yes->exp->as.apply.function));
    for (size_t i = 0; callee && i < callee->parameter_count; i++) {
        if (callee->parameters[i]->type.unique) {
            return NULL;
        }
    }
    return callee;
}

/* ---- the two statements ---------------------------------------------------------------------- */

/* A type of the callee's at the call with these arguments. */
static CoreType type_here(Merger *m, const CoreFunction *callee, const CoreAtom *arguments,
                          CoreType type)
{
    CoreAtom *sizes = ARENA_ARRAY(m->c->arena, CoreAtom, type.rank + 1);
    for (int axis = 0; axis < type.rank; axis++) {
        sizes[axis] = type.sizes[axis];
        for (size_t i = 0; i < callee->parameter_count; i++) {
            if (sizes[axis].name == callee->parameters[i]) {
                sizes[axis] = arguments[i];
                break;
            }
        }
    }
    return type.rank == 0 ? core_scalar(type.prim) : core_array(m->c, type.prim, type.rank, sizes);
}

static CoreName *name_of(const CoreStm *stm, const Result *results, ResultKind kind, size_t number)
{
    for (size_t i = 0; i < stm->pattern_count; i++) {
        if (results[i].kind == kind && results[i].number == number) {
            return stm->pattern[i];
        }
    }
    return NULL;
}

static const CoreBody *without_call(Merger *m, const CoreBody *old, size_t count,
                                    const CoreAtom *results)
{
    CoreBody *body = arena_copy(m->c->arena, old, sizeof *old);
    body->stm_count--;
    body->result_count = count;
    body->results = arena_copy(m->c->arena, results, count * sizeof *results);
    return body;
}

static CoreStm *statement_of(Merger *m, const CoreStm *stm, size_t count, CoreName *const *pattern,
                             const CoreExp *exp)
{
    CoreStm *other = arena_copy(m->c->arena, stm, sizeof *stm);
    other->pattern_count = count;
    other->pattern = arena_copy(m->c->arena, pattern, count * sizeof *pattern);
    other->exp = exp;
    return other;
}

/* let (arguments that differ) = if c then ... else ... */
static void choose_arguments(Merger *m, const CoreStm *stm, const CoreFunction *callee,
                             const Result *results, CoreAtom *arguments, StmVec *stms)
{
    const CoreExp *exp = stm->exp;
    const CoreBody *yes = exp->as.conditional.then_body, *no = exp->as.conditional.else_body;
    const CoreAtom *x = last_call(yes)->exp->as.apply.arguments,
                   *y = last_call(no)->exp->as.apply.arguments;
    size_t count = 0, most = callee->parameter_count + 1;
    CoreName **pattern = ARENA_ARRAY(m->c->arena, CoreName *, most);
    CoreAtom *then_results = ARENA_ARRAY(m->c->arena, CoreAtom, most),
             *else_results = ARENA_ARRAY(m->c->arena, CoreAtom, most);
    for (size_t i = 0; i < callee->parameter_count; i++) {
        arguments[i] = x[i];
        if (is_common(exp, x[i], y[i])) {
            continue;
        }
        CoreName *name = name_of(stm, results, RESULT_ARGUMENT, i);
        if (!name) {
            CoreType type = type_here(m, callee, arguments, callee->parameters[i]->type);
            name = core_name(m->c, callee->parameters[i]->text, type, stm->span);
        }
        pattern[count] = name;
        then_results[count] = x[i];
        else_results[count++] = y[i];
        arguments[i] = core_use(name);
    }
    const CoreExp *choice =
        core_exp_if(m->c, exp->as.conditional.condition, without_call(m, yes, count, then_results),
                    without_call(m, no, count, else_results));
    vec_push(m->c->scratch, stms, statement_of(m, stm, count, pattern, choice));
}

static void merge(Merger *m, const CoreStm *stm, const CoreFunction *callee, const Result *results,
                  StmVec *stms)
{
    CoreAtom *arguments = ARENA_ARRAY(m->c->arena, CoreAtom, callee->parameter_count + 1);
    const CoreStm *old = last_call(stm->exp->as.conditional.then_body);
    CoreName **pattern = ARENA_ARRAY(m->c->arena, CoreName *, old->pattern_count + 1);
    choose_arguments(m, stm, callee, results, arguments, stms);
    for (size_t k = 0; k < old->pattern_count; k++) {
        pattern[k] = name_of(stm, results, RESULT_OF_CALL, k);
        if (!pattern[k]) { /* a size that nothing behind the if needs */
            CoreType type = type_here(m, callee, arguments, callee->result_types[k]);
            pattern[k] = core_name(m->c, old->pattern[k]->text, type, stm->span);
        }
    }
    const CoreExp *call = core_exp_apply(m->c, callee->name, callee->parameter_count, arguments);
    vec_push(m->c->scratch, stms, statement_of(m, stm, old->pattern_count, pattern, call));
    for (size_t i = 0; i < stm->pattern_count; i++) {
        if (results[i].kind == RESULT_SAME) {
            CoreAtom same = stm->exp->as.conditional.then_body->results[i];
            vec_push(m->c->scratch, stms,
                     statement_of(m, stm, 1, stm->pattern + i, core_atom_exp(m->c, same)));
        }
    }
}

static const CoreBody *merge_body(void *context, const CoreBody *body)
{
    Merger *m = context;
    StmVec stms = {0};
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        stm = core_has_bodies(stm->exp->kind) ? core_map_stm(m->c, stm, merge_body, m) : stm;
        Result *results = ARENA_ARRAY(m->c->arena, Result, stm->pattern_count + 1);
        const CoreFunction *callee =
            stm->exp->kind == CORE_EXP_IF ? common_callee(m, stm, results) : NULL;
        if (callee) {
            merge(m, stm, callee, results, &stms);
        } else {
            vec_push(m->c->scratch, &stms, stm);
        }
    }
    return core_with_stms(m->c, body, stms.count, stms.items);
}

const CoreProgram *simplify_merge_calls(Compilation *c, const CoreProgram *program)
{
    Merger m = {.c = c};
    for (size_t i = 0; i < program->function_count; i++) {
        pointer_map_set(c->arena, &m.functions, intern(c, program->functions[i]->name),
                        (void *)(uintptr_t)program->functions[i]);
    }
    ArenaMark mark = arena_mark(c->scratch);
    const CoreProgram *merged = core_map_functions(c, program, merge_body, &m);
    arena_release(c->scratch, mark);
    return merged;
}
