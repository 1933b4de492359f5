/* [L0 5.1] Inlining: every call becomes the callee's body with fresh names, its arguments in place
   of the parameters, and `let` of its results. Recursion is not allowed in core. It goes from the
   entries down, so that each statement of the result is made once, and a chain of calls, however
   long, is a list of frames, not a recursion. Functions that are not entries are gone afterwards.

       fun f (x_1 : i64) : (i64) = let (y_2 : i64) = x_1 + 1 in (y_2)
       ... let (z_3 : i64) = f(7)        ==>       let (y_4 : i64) = 7 + 1
                                                   let (z_3 : i64) = y_4

   What guarded the call guards each statement of the body. */
#include "core/simplify/simplify.h"

#include <stdint.h>

/* Programs beyond this many statements are not worth compiling. */
enum { MOST_STATEMENTS = 1 << 21 };

typedef struct Inliner {
    Compilation *c;
    size_t *counts;
    PointerMap functions; /* interned text -> CoreFunction */
    size_t size;          /* statements of the entry at work, inner ones included */
    int depth;            /* of bodies */
    bool too_large, too_deep;
} Inliner;

/* A body whose statements are being added: the caller's own, or a callee's. */
typedef struct Frame {
    const CoreBody *body;
    size_t next;
    Renaming *renaming;  /* NULL in the body that it began with */
    const CoreStm *call; /* likewise */
    struct Frame *caller;
} Frame;

static const CoreFunction *function_of(const Inliner *in, const char *name)
{
    return pointer_map_get(&in->functions, intern(in->c, name));
}

static void index_functions(Inliner *in, const CoreProgram *program)
{
    for (size_t i = 0; i < program->function_count; i++) {
        const CoreFunction *function = program->functions[i];
        pointer_map_set(in->c->arena, &in->functions, intern(in->c, function->name),
                        (void *)function);
    }
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

static Frame *enter(Inliner *in, Frame *caller, const CoreStm *call, const CoreFunction *function)
{
    Frame *frame = ARENA_NEW(in->c->arena, Frame);
    *frame = (Frame){.body = function->body,
                     .renaming = simplify_renaming(in->c),
                     .call = call,
                     .caller = caller};
    for (size_t i = 0; i < function->parameter_count; i++) {
        simplify_rename(frame->renaming, function->parameters[i], call->exp->as.apply.arguments[i]);
    }
    in->counts[CORE_RULE_INLINE]++;
    return frame;
}

/* let z = ... for the results of the call that the frame is of */
static void leave(Inliner *in, StmVec *stms, const Frame *frame)
{
    for (size_t i = 0; i < frame->call->pattern_count; i++) {
        CoreStm *stm = arena_copy(in->c->arena, frame->call, sizeof *stm);
        CoreAtom result = simplify_renamed(frame->renaming, frame->body->results[i]);
        stm->pattern = frame->call->pattern + i;
        stm->pattern_count = 1;
        stm->exp = core_atom_exp(in->c, result);
        vec_push(in->c->scratch, stms, stm);
        in->size++;
    }
}

static const CoreBody *inline_body(void *context, const CoreBody *body);

static const CoreStm *inline_inside(Inliner *in, const CoreStm *stm)
{
    if (!simplify_has_bodies(stm->exp->kind)) {
        return stm;
    }
    return simplify_map_stm(in->c, stm, inline_body, in);
}

static void inline_statements(Inliner *in, StmVec *stms, const CoreBody *body)
{
    Frame first = {.body = body};
    for (Frame *frame = &first; frame && !in->too_large && !in->too_deep;) {
        if (frame->next == frame->body->stm_count) {
            if (frame->call) {
                leave(in, stms, frame);
            }
            frame = frame->caller;
            continue;
        }
        const CoreStm *stm = frame->body->stms[frame->next++];
        if (frame->call) {
            stm = simplify_rename_stm(frame->renaming, stm);
            stm = frame->call->certificate_count > 0 ? guarded(in, stm, frame->call) : stm;
        }
        const CoreFunction *callee =
            stm->exp->kind == CORE_EXP_APPLY ? function_of(in, stm->exp->as.apply.function) : NULL;
        if (callee) {
            frame = enter(in, frame, stm, callee);
        } else {
            vec_push(in->c->scratch, stms, inline_inside(in, stm));
            in->size++;
        }
        in->too_large = in->too_large || in->size > MOST_STATEMENTS;
    }
}

static const CoreBody *inline_body(void *context, const CoreBody *old)
{
    Inliner *in = context;
    StmVec stms = {0};
    if (in->depth == NESTING_LIMIT) {
        in->too_deep = true;
        return old;
    }
    in->depth++;
    inline_statements(in, &stms, old);
    in->depth--;
    return simplify_with_stms(in->c, old, stms.count, stms.items);
}

static bool is_reported(Inliner *in, const CoreFunction *entry)
{
    if (in->too_large) {
        diagnostics_add(in->c->diagnostics, entry->span, "LIMIT ERROR",
                        "with its calls inlined, %s has more than %d statements", entry->name,
                        MOST_STATEMENTS);
    } else if (in->too_deep) {
        diagnostics_add(in->c->diagnostics, entry->span, "LIMIT ERROR",
                        "with its calls inlined, %s nests deeper than %d", entry->name,
                        NESTING_LIMIT);
    }
    return in->too_large || in->too_deep;
}

/* Sizes in result types may be names that the body binds: its results now. */
const CoreProgram *simplify_inline(Compilation *c, const CoreProgram *program, size_t *counts)
{
    Inliner in = {.c = c, .counts = counts};
    CoreProgram *inlined = ARENA_NEW(c->arena, CoreProgram);
    const CoreFunction **entries =
        ARENA_ARRAY(c->arena, const CoreFunction *, program->function_count);
    index_functions(&in, program);
    for (size_t i = 0; i < program->function_count; i++) {
        if (!program->functions[i]->is_entry) {
            continue;
        }
        ArenaMark mark = arena_mark(c->scratch);
        in.size = 0;
        const CoreFunction *entry = simplify_with_body(
            c, program->functions[i], inline_body(&in, program->functions[i]->body));
        arena_release(c->scratch, mark);
        if (is_reported(&in, entry)) {
            return NULL;
        }
        entries[inlined->function_count++] = entry;
    }
    inlined->functions = entries;
    return inlined;
}
