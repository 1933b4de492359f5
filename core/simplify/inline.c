/* [L0 5.1] Inlining: calls become the callee's body with fresh names, its arguments in place of the
   parameters, and `let` of its results. Recursion is not allowed in core. It goes from the entries
   down, so that each statement of the result is made once, and a chain of calls, however long, is a
   list of frames, not a recursion.

       fun f (x_1 : i64) : (i64) = let (y_2 : i64) = x_1 + 1 in (y_2)
       ... let (z_3 : i64) = f(7)        ==>       let (y_4 : i64) = 7 + 1
                                                   let (z_3 : i64) = y_4

   What guarded the call guards each statement of the body.

   Every call is inlined, and functions that are not entries are gone, unless the program would
   become too large by that: where each of forty functions calls the next one twice it would double
   forty times. In large programs calls in branches that exclude each other become one
   (merge_calls.c). Where that does not help, functions that are large themselves and called from
   several places stay, and so do their calls, which the backends make calls of the host; in
   functions of SOACs, which are for the device, calls are inlined as long as they are not large. */
#include "core/simplify/simplify.h"

#include <stdint.h>

enum {
    MOST_STATEMENTS = 1 << 21, /* programs beyond this many statements are not worth compiling */
    MOST_UNMERGED = 2000,      /* of a program in which no calls are made one */
    MOST_INLINED = 20000,      /* of a program whose calls are all inlined */
    FEWEST_STAYING =
        12, /* of a function that stays, its own calls inlined where they do not stay */
    MOST_FOR_DEVICE = 2000 /* of a call in the function of a SOAC, which is inlined */
};

/* What is known of a function before calls are inlined. */
typedef struct Callee {
    const CoreFunction *function;
    size_t calls;  /* places that call it */
    int64_t whole; /* statements with all calls inlined */
    int64_t size;  /* the same with those that stay left out */
    bool stays;
} Callee;

typedef struct Inliner {
    Compilation *c;
    size_t *counts;
    PointerMap functions; /* interned text -> Callee */
    size_t size;          /* statements of the function at work, inner ones included */
    int depth;            /* of bodies */
    int lambdas;          /* functions of SOACs around */
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

static Callee *callee_of(const Inliner *in, const CoreExp *exp)
{
    return exp->kind == CORE_EXP_APPLY
               ? pointer_map_get(&in->functions, intern(in->c, exp->as.apply.function))
               : NULL;
}

/* ---- which functions stay -------------------------------------------------------------------- */

typedef struct Measure {
    const Inliner *in;
    Callee *caller;
} Measure;

static void grow(int64_t *size, int64_t by)
{
    *size =
        *size > MOST_STATEMENTS - by ? MOST_STATEMENTS : *size + by; /* that is too many anyway */
}

static void measure(void *context, const CoreBody *body)
{
    const Measure *m = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        Callee *callee = callee_of(m->in, exp);
        grow(&m->caller->whole, callee ? callee->whole : 1);
        grow(&m->caller->size, callee && !callee->stays ? callee->size : 1);
        callee ? callee->calls++ : 0;
        core_each_body(exp, measure, context);
    }
}

/* Consumes nothing of its caller's. */
static bool may_stay(const CoreFunction *function)
{
    bool may = !function->is_entry;
    for (size_t i = 0; i < function->parameter_count && may; i++) {
        may = !function->parameters[i]->type.unique;
    }
    for (size_t i = 0; i < function->result_count && may; i++) {
        may = function->result_types[i].prim != CORE_CERT;
    }
    return may;
}

static void measure_all(Inliner *in, const CoreProgram *program, Callee *callees, bool some_stay)
{
    for (size_t i = 0; i < program->function_count; i++) {
        Callee *callee = &callees[i];
        const size_t calls = callee->calls; /* its callers come later */
        callee->whole = callee->size = 1;
        measure(&(Measure){in, callee}, callee->function->body);
        bool pays = in->c->options.keep_calls || (calls > 1 && callee->size >= FEWEST_STAYING);
        callee->stays = some_stay && pays && may_stay(callee->function);
    }
}

/* Gives how many statements the program has with all calls inlined. */
static int64_t index_functions(Inliner *in, const CoreProgram *program)
{
    Callee *callees = ARENA_ARRAY(in->c->arena, Callee, program->function_count + 1);
    int64_t all = 0;
    in->functions = (PointerMap){0};
    for (size_t i = 0; i < program->function_count; i++) {
        callees[i].function = program->functions[i];
        pointer_map_set(in->c->arena, &in->functions, intern(in->c, program->functions[i]->name),
                        &callees[i]);
    }
    measure_all(in, program, callees, false);
    for (size_t i = 0; i < program->function_count; i++) {
        grow(&all, program->functions[i]->is_entry ? callees[i].whole : 0);
    }
    if (in->c->options.keep_calls) {
        all = MOST_STATEMENTS;
    }
    if (all > MOST_INLINED) {
        measure_all(in, program, callees, true);
    }
    return all;
}

static bool is_inlined(const Inliner *in, const Callee *callee)
{
    return !callee->stays ||
           (in->lambdas > 0 && callee->whole <= MOST_FOR_DEVICE && !in->c->options.keep_calls);
}

/* ---- inlining -------------------------------------------------------------------------------- */

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
    *frame = (Frame){
        .body = function->body, .renaming = core_renaming(in->c), .call = call, .caller = caller};
    for (size_t i = 0; i < function->parameter_count; i++) {
        core_rename(frame->renaming, function->parameters[i], call->exp->as.apply.arguments[i]);
    }
    in->counts[CORE_RULE_INLINE]++;
    return frame;
}

/* let z = ... for the results of the call that the frame is of */
static void leave(Inliner *in, StmVec *stms, const Frame *frame)
{
    for (size_t i = 0; i < frame->call->pattern_count; i++) {
        CoreStm *stm = arena_copy(in->c->arena, frame->call, sizeof *stm);
        CoreAtom result = core_renamed(frame->renaming, frame->body->results[i]);
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
    const CoreExpKind kind = stm->exp->kind;
    if (!core_has_bodies(kind)) {
        return stm;
    }
    const bool is_lambda = kind != CORE_EXP_IF && kind != CORE_EXP_LOOP;
    in->lambdas += is_lambda;
    const CoreStm *inlined = core_map_stm(in->c, stm, inline_body, in);
    in->lambdas -= is_lambda;
    return inlined;
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
            stm = core_rename_stm(frame->renaming, stm);
            stm = frame->call->certificate_count > 0 ? guarded(in, stm, frame->call) : stm;
        }
        const Callee *callee = callee_of(in, stm->exp);
        if (callee && is_inlined(in, callee)) {
            frame = enter(in, frame, stm, callee->function);
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
    return core_with_stms(in->c, old, stms.count, stms.items);
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
    const CoreFunction **functions =
        ARENA_ARRAY(c->arena, const CoreFunction *, program->function_count);
    if (index_functions(&in, program) > MOST_UNMERGED) {
        program = simplify_merge_calls(c, program);
        index_functions(&in, program);
    }
    for (size_t i = 0; i < program->function_count; i++) {
        const CoreFunction *function = program->functions[i];
        const Callee *callee = pointer_map_get(&in.functions, intern(c, function->name));
        if (!function->is_entry && !callee->stays) {
            continue;
        }
        ArenaMark mark = arena_mark(c->scratch);
        in.size = 0;
        function = core_with_body(c, function, inline_body(&in, function->body));
        arena_release(c->scratch, mark);
        if (is_reported(&in, function)) {
            return NULL;
        }
        functions[inlined->function_count++] = function;
    }
    inlined->functions = functions;
    return inlined;
}
