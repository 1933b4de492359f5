/* Errors, and what is still looked at after them.

       f←{a←⍵+y ⋄ b←a×2 ⋄ c←1 2+1 2 3 ⋄ b+c}
       z←(f 1),g 2

       y has no value: reported. b←a×2 is not, for a is what an error has left out. 1 2+1 2 3 is
       reported. What f gives is an error then, z too; and g 2 was looked at all the same.

   An error leaves the innermost statement or guard that is being elaborated, whether of the program
   or of a dfn. The names that it would have assigned become unusable without a further word. Of the
   arguments in it those that are calls are evaluated once more, one by one, since only the first
   error has been seen. A dfn goes on behind a statement that is not its result, and then leaves
   the statement that has called it; a call that has failed is remembered as such, and fails again
   without being looked at (memo.c).

   Too much is an end: a LIMIT ERROR of size or depth, or a great many errors, leave the program's
   statement. So do errors within the prelude, whose functions are not to be taken apart. */
#include "apl/elaborate/internal.h"

#include <setjmp.h>

/* Statements left by errors while one statement of the program is elaborated, and errors in all: more
   are not shown, and would be counted as often as they are met. */
enum { MOST_RECOVERIES = 1000, MOST_ERRORS = 50 };

/* Where an error leads, and what elaboration was doing there. */
struct Handler {
    jmp_buf place;
    Handler *outer;
    Block *block;
    Span user_span;
    int64_t weight;
    size_t active;
    int parallel, depth;
    bool trying;
    Group *group;
};

void elab_abandon(Elaboration *e)
{
    if (e->handler == NULL) {
        internal_error(e->c, "an error outside of any statement");
    }
    while (e->stopped && e->handler->outer != NULL) {
        e->handler = e->handler->outer;
    }
    longjmp(e->handler->place, 1);
}

/* A function that is an operand may be active twice. */
static void leave_calls(Elaboration *e, size_t count)
{
    for (size_t i = count; i < e->active.count; i++) {
        e->active.items[i].function->active = false;
        if (!e->stopped) {
            elab_remember_failure(e, &e->active.items[i]);
        }
    }
    e->active.count = count;
    for (size_t i = 0; i < count; i++) {
        e->active.items[i].function->active = true;
    }
}

static void take_back(Elaboration *e, const Handler *handler)
{
    leave_calls(e, handler->active);
    e->handler = handler->outer;
    e->block = handler->block;
    e->user_span = handler->user_span;
    e->weight = handler->weight;
    e->parallel = handler->parallel;
    e->depth = handler->depth;
    e->trying = handler->trying;
    e->group = handler->group;
}

static void count_recovery(Elaboration *e)
{
    e->stopped = e->stopped || ++e->recoveries > MOST_RECOVERIES ||
                 diagnostics_count(e->c->diagnostics) > MOST_ERRORS;
    if (e->stopped && e->handler != NULL) {
        elab_abandon(e);
    }
}

static bool attempt(Elaboration *e, Frame *frame, const AplNode *node, Evaluation *evaluation,
                    Value **value)
{
    Handler handler = {.outer = e->handler,
                       .block = e->block,
                       .user_span = e->user_span,
                       .weight = e->weight,
                       .active = e->active.count,
                       .parallel = e->parallel,
                       .depth = e->depth,
                       .trying = e->trying,
                       .group = e->group};
    e->handler = &handler;
    if (setjmp(handler.place) == 0) {
        *value = evaluation(e, frame, node);
        e->handler = handler.outer;
        return true;
    }
    take_back(e, &handler);
    count_recovery(e);
    return false;
}

/* ---- names ----------------------------------------------------------------------------------- */

typedef struct Poisoning {
    Elaboration *e;
    Frame *frame;
} Poisoning;

static void poison(void *context, const char *name)
{
    Poisoning *poisoning = context;
    Value *value = ARENA_NEW(poisoning->e->c->arena, Value);
    value->kind = VALUE_POISON;
    elab_bind_name(poisoning->e->c, poisoning->frame, name, value);
}

static void poison_names(Elaboration *e, Frame *frame, const AplNode *statement)
{
    Poisoning poisoning = {e, frame};
    apl_assigned_names(statement, poison, &poisoning);
    if (statement->kind == APL_DEFAULT && elab_lookup_local(frame, e->alpha) == NULL) {
        poison(&poisoning, e->alpha);
    }
}

/* ---- arguments ------------------------------------------------------------------------------- */

static void look_at_arguments(Elaboration *e, Frame *frame, const AplNode *node);

static void look_at(Elaboration *e, Frame *frame, const AplNode *argument)
{
    Value *value;
    bool calls = argument->kind == APL_MONADIC || argument->kind == APL_DYADIC ||
                 argument->kind == APL_INDEX || argument->kind == APL_STRAND;
    if (calls && argument->class == APL_CLASS_ARRAY && !e->stopped &&
        !attempt(e, frame, argument, elab_evaluate, &value)) {
        look_at_arguments(e, frame, argument);
    }
}

/* Along the chain of applications, which nest to the right. */
static void look_at_arguments(Elaboration *e, Frame *frame, const AplNode *node)
{
    for (;;) {
        switch ((int)node->kind) {
        case APL_DYADIC:
            look_at(e, frame, node->items[0]);
            node = node->items[2];
            break;
        case APL_MODIFY: node = node->items[2]; break;
        case APL_MONADIC:
        case APL_ASSIGN: node = node->items[1]; break;
        case APL_STRAND:
        case APL_INDEX:
            for (size_t i = 0; i < node->count; i++) {
                if (node->items[i] != NULL) {
                    look_at(e, frame, node->items[i]);
                }
            }
            return;
        default: return;
        }
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool is_prelude(const Frame *frame)
{
    return frame->dfn != NULL && frame->dfn->span.file->is_prelude;
}

bool elab_try(Elaboration *e, Frame *frame, const AplNode *statement, const AplNode *node,
              Evaluation *evaluation, Value **value)
{
    if (is_prelude(frame)) {
        *value = evaluation(e, frame, node);
        return true;
    }
    if (attempt(e, frame, node, evaluation, value)) {
        return true;
    }
    frame->failed = true;
    poison_names(e, frame, statement);
    if (!e->stopped) {
        look_at_arguments(e, frame, node);
        poison_names(e, frame, statement);
    }
    return false;
}

const AplNode *elab_try_bound(Elaboration *e, Frame *frame, const AplNode *statement)
{
    const AplNode *node = elab_bound(e, frame, statement);
    if (node == NULL) {
        frame->failed = true;
        poison_names(e, frame, statement);
        count_recovery(e);
    }
    return node;
}
