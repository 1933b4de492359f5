/* A statement of the program, in one of three ways.

   Every call is written out, as long as that comes to few lets. Where it does not, calls of dfns stay
   calls (shared.c): first to learn which of them are repeated, and then once more, all of these as
   calls. But calls with equal arguments are one where they are written out, and two where they
   are not:

       f0←{⍵+1} ⋄ f1←{(f0 ⍵×2)+f0 ⍵} ⋄ f2←{(f1 ⍵×2)+f1 ⍵} ⋄ ... ⋄ f40 n

   are 2*40 calls, of which 861 are different. So what is done is counted, and where that is too much
   they are written out after all, if it can be.

   What was found in error is reported once, whatever the number of ways. */
#include "apl/elaborate/internal.h"

enum {
    FEW_LETS = 2000,   /* of a statement in which every call is written out */
    MANY_LETS = 20000, /* the same where calls that stay are too many */
    MOST_DONE = 20000  /* lets that are done where calls stay */
};

/* ---- a statement ----------------------------------------------------------------------------- */

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
    if (node->kind == APL_ASSIGN || node->kind == APL_MODIFY) {
        return value;
    }
    if (!array) {
        elab_fail(e, node->span, "SYNTAX ERROR", "%s stands here without arguments",
                  value->kind == VALUE_FUNCTION ? "a function" : "an operator");
    }
    if (!value->shy) {
        print_result(e, value, node->span);
    }
    return value;
}

/* ---- once more ------------------------------------------------------------------------------- */

/* What there was before a statement. */
typedef struct Before {
    Frame *frame;
    size_t lets, functions, errors;
    int64_t budget;
} Before;

static Before before_statement(const Elaboration *e, Frame *frame)
{
    return (Before){frame, e->block->lets.count, e->functions.count,
                    diagnostics_count(e->c->diagnostics), e->budget};
}

/* Gives up what a statement has written and assigned so far, and what is remembered of it. */
static void take_back(Elaboration *e, const Before *before)
{
    e->block->lets.count = before->lets;
    e->functions.count = before->functions;
    e->budget = before->budget;
    before->frame->failed = false;
    elab_restore_names(before->frame, 0);
    elab_forget(e);
}

/* ---- what is done ---------------------------------------------------------------------------- */

enum { MOST_WORK = 1 << 30 };

typedef struct Work {
    const PointerMap *functions; /* TailVariable -> int64_t, what a call of it does */
    int64_t done;
} Work;

static void add_work(void *context, const TailExp *exp);

static int64_t work_of(const PointerMap *functions, const TailExp *exp)
{
    Work w = {functions, 0};
    add_work(&w, exp);
    return w.done;
}

/* How many lets are done, calls and branches followed, functions of builtins once. */
static void add_work(void *context, const TailExp *exp)
{
    Work *w = context;
    for (; exp->kind == TAIL_EXP_LET; exp = exp->as.let.body) {
        w->done++;
        add_work(w, exp->as.let.value);
    }
    if (exp->kind == TAIL_EXP_IF) {
        int64_t yes = work_of(w->functions, exp->as.conditional.then_case);
        int64_t no = work_of(w->functions, exp->as.conditional.else_case);
        add_work(w, exp->as.conditional.condition);
        w->done += yes > no ? yes : no;
    } else {
        const int64_t *call = exp->kind == TAIL_EXP_APPLY
                                  ? pointer_map_get(w->functions, exp->as.apply.function)
                                  : NULL;
        w->done += call == NULL ? 0 : *call;
        tail_each_part(exp, add_work, w);
    }
    w->done = w->done < MOST_WORK ? w->done : MOST_WORK;
}

/* What the lets of the statement do. */
static int64_t work_since(Elaboration *e, const Before *before)
{
    PointerMap functions = {0};
    int64_t done = 0;
    for (size_t i = 0; i < e->functions.count; i++) {
        const LetBinding *function = &e->functions.items[i];
        int64_t *call = pointer_map_make(e->c->arena, &functions, function->variable, sizeof *call);
        *call = work_of(&functions, function->value);
    }
    for (size_t i = before->lets; i < e->block->lets.count && done <= MOST_DONE; i++) {
        done += 1 + work_of(&functions, e->block->lets.items[i].value);
    }
    return done;
}

/* ---- the ways -------------------------------------------------------------------------------- */

/* False where calls would have to be written out that come to more lets than these; 0: calls stay. */
static bool try_statement(Elaboration *e, Frame *frame, const AplNode *statement, int64_t lets)
{
    Value *value;
    e->statement_budget = STATEMENT_LIMIT;
    e->outermost_call = NO_SPAN;
    e->recoveries = 0;
    e->stopped = e->crowded = false;
    e->shares = lets == 0;
    e->most_written_out = lets;
    const AplNode *node = elab_try_bound(e, frame, statement);
    if (node != NULL) {
        elab_try(e, frame, statement, node, run_statement, &value);
    }
    return !e->crowded;
}

/* False where it has an error. */
static bool share_calls(Elaboration *e, Frame *frame, const AplNode *statement,
                        const Before *before)
{
    for (int i = 0; i < 2; i++) {
        take_back(e, before);
        try_statement(e, frame, statement, 0);
        if (diagnostics_count(e->c->diagnostics) != before->errors) {
            return false;
        }
    }
    return true;
}

static void try_ways(Elaboration *e, Frame *frame, const AplNode *statement)
{
    const Before before = before_statement(e, frame);
    const int64_t few = e->c->options.keep_calls ? 1 : FEW_LETS;
    if (try_statement(e, frame, statement, few) || !share_calls(e, frame, statement, &before) ||
        work_since(e, &before) <= MOST_DONE) {
        return;
    }
    take_back(e, &before);
    if (!try_statement(e, frame, statement, MANY_LETS)) {
        share_calls(e, frame, statement, &before);
    }
}

void elab_statement(Elaboration *e, Frame *frame, const AplNode *statement)
{
    Changes changes = {0};
    frame->changes = &changes;
    try_ways(e, frame, statement);
    frame->changes = NULL;
}
