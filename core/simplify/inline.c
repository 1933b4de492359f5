/* [L0 5.1] Inlining: every call becomes the callee's body with fresh names, its arguments in place
   of the parameters, and `let` of its results. Recursion is not allowed in core, and callees stand
   before callers, so one walk suffices. Functions that are not entries are gone afterwards.

       fun f (x_1 : i64) : (i64) = let (y_2 : i64) = x_1 + 1 in (y_2)
       ... let (z_3 : i64) = f(7)        ==>       let (y_4 : i64) = 7 + 1
                                                   let (z_3 : i64) = y_4

   What guarded the call guards each statement of the body. */
#include "core/simplify/simplify.h"

/* Programs beyond this many statements are not worth compiling. */
enum { MOST_STATEMENTS = 1 << 21 };

typedef struct Inliner {
    Compilation *c;
    size_t *counts;
    CoreFunction *functions; /* those before, inlined */
    size_t function_count;
    size_t *sizes; /* statements of each, inner ones included */
    size_t size;   /* of the one at work */
    const CoreFunction *caller;
    bool too_large;
} Inliner;

static const CoreBody *inline_body(void *context, const CoreBody *body);

static size_t callee_of(const Inliner *inliner, const char *name)
{
    size_t i = 0;
    while (i < inliner->function_count && strcmp(inliner->functions[i].name, name) != 0) {
        i++;
    }
    return i;
}

static const CoreStm *guarded(Inliner *in, const CoreStm *old, const CoreStm *call)
{
    CoreStm *stm = arena_copy(in->c->arena, old, sizeof *stm);
    size_t count = old->certificate_count + call->certificate_count;
    CoreAtom *all = ARENA_ARRAY(in->c->arena, CoreAtom, count);
    for (size_t i = 0; i < count; i++) {
        all[i] = i < old->certificate_count ? old->certificates[i]
                                            : call->certificates[i - old->certificate_count];
    }
    stm->certificates = all;
    stm->certificate_count = count;
    return stm;
}

static void inline_call(Inliner *in, StmVec *stms, const CoreStm *call, size_t callee)
{
    const CoreFunction *function = &in->functions[callee];
    Renaming *renaming = simplify_renaming(in->c);
    for (size_t i = 0; i < function->parameter_count; i++) {
        simplify_rename(renaming, function->parameters[i], call->exp->as.apply.arguments[i]);
    }
    for (size_t i = 0; i < function->body->stm_count; i++) {
        const CoreStm *stm = simplify_rename_stm(renaming, function->body->stms[i]);
        vec_push(in->c->arena, stms, call->certificate_count > 0 ? guarded(in, stm, call) : stm);
    }
    for (size_t i = 0; i < call->pattern_count; i++) {
        CoreStm *stm = arena_copy(in->c->arena, call, sizeof *stm);
        CoreExp *exp = ARENA_NEW(in->c->arena, CoreExp);
        exp->kind = CORE_EXP_ATOM;
        exp->as.atom = simplify_renamed(renaming, function->body->results[i]);
        stm->pattern = call->pattern + i;
        stm->pattern_count = 1;
        stm->exp = exp;
        vec_push(in->c->arena, stms, stm);
    }
    in->size += in->sizes[callee] + call->pattern_count;
    in->counts[CORE_RULE_INLINE]++;
}

static void inline_stm(Inliner *in, StmVec *stms, const CoreStm *stm)
{
    size_t callee = in->function_count;
    if (stm->exp->kind == CORE_EXP_APPLY) {
        callee = callee_of(in, stm->exp->as.apply.function);
    }
    if (callee < in->function_count && in->size + in->sizes[callee] > MOST_STATEMENTS) {
        in->too_large = true;
    } else if (callee < in->function_count) {
        inline_call(in, stms, stm, callee);
        return;
    }
    in->size++;
    if (simplify_has_bodies(stm->exp->kind)) {
        CoreStm *copy = arena_copy(in->c->arena, stm, sizeof *copy);
        copy->exp = simplify_map_bodies(in->c, stm->exp, inline_body, in);
        stm = copy;
    }
    vec_push(in->c->arena, stms, stm);
}

static const CoreBody *inline_body(void *context, const CoreBody *old)
{
    Inliner *in = context;
    CoreBody *body = arena_copy(in->c->arena, old, sizeof *body);
    StmVec stms = {0};
    for (size_t i = 0; i < old->stm_count; i++) {
        inline_stm(in, &stms, old->stms[i]);
    }
    body->stms = stms.items;
    body->stm_count = stms.count;
    return body;
}

/* Sizes in result types may be names that the body binds: its results now. */
const CoreProgram *simplify_inline(Compilation *c, const CoreProgram *program, size_t *counts)
{
    Inliner in = {.c = c, .counts = counts};
    CoreProgram *inlined = ARENA_NEW(c->arena, CoreProgram);
    const CoreFunction **entries =
        ARENA_ARRAY(c->arena, const CoreFunction *, program->function_count);
    in.functions = ARENA_ARRAY(c->arena, CoreFunction, program->function_count);
    in.sizes = ARENA_ARRAY(c->arena, size_t, program->function_count);
    for (size_t i = 0; i < program->function_count; i++) {
        in.caller = program->functions[i];
        in.functions[i] = *in.caller;
        in.size = 0;
        in.functions[i].body = inline_body(&in, in.caller->body);
        in.sizes[i] = in.size;
        in.function_count = i + 1;
        if (in.too_large) {
            diagnostics_add(c->diagnostics, in.caller->span, "LIMIT ERROR",
                            "with its calls inlined, %s has more than %d statements",
                            in.caller->name, MOST_STATEMENTS);
            return NULL;
        }
        if (in.functions[i].is_entry) {
            entries[inlined->function_count++] = &in.functions[i];
        }
    }
    inlined->functions = entries;
    return inlined;
}
