/* [TAIL section 3] Elaboration: APL statements, one by one, to a chain of typed lets.

       n←3                       (nothing: 3 is known)
       v←n×⍳n+1            ==>   let v1:<int>4 = ... in
       +/v                       let v2:[int]0 = prSclI(reduce(addi,0,v1)) in
                                 0.0

   A statement in error is reported and the next one is looked at (recover.c): a file's errors are all
   found in one run. */
#include "apl/elaborate/internal.h"

/* Some dfns give a value by an assignment in one case, and not in another. */
static void print_result(Elaboration *e, Value *value, Span span)
{
    if (value->shy_if == NULL) {
        elab_print(e, value, span);
        return;
    }
    Value *shy = elab_value(e, value->shy_if, span);
    Block *nothing = elab_open(e);
    elab_pop(e);
    Block *block = elab_open(e);
    elab_print(e, value, span);
    elab_pop(e);
    elab_branches(e, shy, nothing, elab_bool(e, false, span), block, elab_bool(e, true, span),
                  span);
}

static Value *run_statement(Elaboration *e, Frame *frame, const AplNode *node)
{
    if (node->kind == APL_GUARD || node->kind == APL_DEFAULT) {
        elab_fail(e, node->span, "SYNTAX ERROR", "%s stands only in a dfn",
                  node->kind == APL_GUARD ? "a guard" : "⍺←");
    }
    Value *value = elab_evaluate(e, frame, node);
    bool array = value->kind == VALUE_ARRAY || value->kind == VALUE_TUPLE;
    if (node->kind != APL_ASSIGN && node->kind != APL_MODIFY && array && !value->shy) {
        print_result(e, value, node->span);
    }
    return value;
}

/* Gives up what a statement has written so far, and what is remembered of it. */
static void take_back(Elaboration *e, size_t lets, int64_t budget)
{
    e->block->lets.count = lets;
    e->budget = budget;
    elab_forget(e);
}

/* False where the statement is too large for every call to be written out. */
static bool try_statement(Elaboration *e, Frame *frame, const AplNode *statement, bool shares)
{
    Value *value;
    e->statement_budget = STATEMENT_LIMIT;
    e->outermost_call = NO_SPAN;
    e->recoveries = 0;
    e->stopped = e->crowded = false;
    e->shares = shares;
    const AplNode *node = elab_try_bound(e, frame, statement);
    if (node != NULL) {
        elab_try(e, frame, statement, node, run_statement, &value);
    }
    return !e->crowded;
}

/* Errors that are found twice are reported once. */
static void run_program(Elaboration *e, Frame *frame, const SourceFile *source)
{
    const AplProgram *program = apl_parse(e->c, source);
    if (program->count == 0) {
        diagnostics_add(e->c->diagnostics, (Span){source, 0, 0}, "SYNTAX ERROR",
                        "the file has no statements");
    }
    for (size_t i = 0; i < program->count; i++) {
        const size_t lets = e->block->lets.count;
        const int64_t budget = e->budget;
        e->first_statement = i == 0;
        if (!try_statement(e, frame, program->statements[i], false)) {
            take_back(e, lets, budget);
            try_statement(e, frame, program->statements[i], true);
        }
    }
}

const TailExp *apl_elaborate(Compilation *c, const SourceFile *source)
{
    Elaboration *e = ARENA_NEW(c->arena, Elaboration);
    *e = (Elaboration){.c = c, .budget = SIZE_LIMIT, .origin = 1};
    c->index_origin = 1;
    e->alpha = intern(c, "⍺");
    e->omega = intern(c, "⍵");
    e->alpha_alpha = intern(c, "⍺⍺");
    e->omega_omega = intern(c, "⍵⍵");
    e->self = intern(c, "∇");
    e->v = intern(c, "v");
    e->prelude = elab_prelude_frame(e);
    e->program = elab_frame(c, e->prelude, true);
    Block *block = elab_open(e);
    size_t errors_before = diagnostics_count(c->diagnostics);
    run_program(e, e->program, source);
    if (diagnostics_count(c->diagnostics) != errors_before) {
        return NULL;
    }
    const TailExp *exp = elab_wrap(e, block, tail_double(c, 0.0, NO_SPAN));
    return elab_wrap(
        e, &(Block){.lets.count = e->functions.count, .lets.items = e->functions.items}, exp);
}
