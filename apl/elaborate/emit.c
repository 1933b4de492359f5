/* Emission: errors with their place, blocks of lets, calls of TAIL builtins.

   Every array that is computed becomes a let of the innermost block; a block becomes a chain of
   lets around its result when it is wrapped:

       x+2×y   ==>   let v1 = muli(2,y) in let v2 = addi(x,v1) in v2

   Where the result is the last let itself, the let goes: `fn x => addi(x,1)`, not
   `fn x => let v = addi(x,1) in v`, which also is how TAIL knows an operator used as a function. */
#include "apl/elaborate/internal.h"
#include <stdarg.h>
#include <stdio.h>

Span elab_place(const Elaboration *e, Span span)
{
    if ((span.file == NULL || span.file->is_prelude) && e->user_span.file != NULL) {
        return e->user_span;
    }
    return span;
}

void elab_fail(Elaboration *e, Span span, const char *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(e->c->diagnostics, elab_place(e, span), error, format, arguments);
    va_end(arguments);
    elab_abandon(e);
}

void elab_nonce(Elaboration *e, Span span, const char *format, ...)
{
    char construct[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(construct, sizeof construct, format, arguments);
    va_end(arguments);
    elab_fail(e, span, "NONCE ERROR", "%s not supported yet", construct);
}

void elab_spend(Elaboration *e, Span span, int64_t amount)
{
    e->budget -= amount;
    e->statement_budget -= amount;
    elab_weigh(e, amount);
    if (!e->shares && STATEMENT_LIMIT - e->statement_budget > e->most_written_out) {
        e->crowded = e->stopped = true;
        elab_abandon(e);
    }
    if (e->statement_budget < 0) {
        enum { SHORT = 40 };
        Span call = e->outermost_call;
        bool user = call.file != NULL && !call.file->is_prelude;
        bool named = user && call.end - call.start <= SHORT;
        const char *what = named  ? arena_printf(e->c->arena, "the call of %s", elab_text(e, call))
                           : user ? "this call"
                                  : "this statement";
        e->stopped = true;
        elab_fail(e, user ? call : span, "LIMIT ERROR",
                  "%s grows beyond %d operations when the functions in it are specialised", what,
                  STATEMENT_LIMIT);
    }
    if (e->budget < 0) {
        e->budget = SIZE_LIMIT / 100; /* the statements after this one have a chance */
        e->stopped = true;
        elab_fail(e, span, "LIMIT ERROR",
                  "the program grows beyond %d operations when its functions are"
                  " specialised",
                  SIZE_LIMIT);
    }
}

void elab_recursion(Elaboration *e, const Function *function, Span span)
{
    enum { SHORT = 20 };
    bool itself = e->active.items[e->active.count - 1].function->dfn == function->dfn;
    const char *name =
        span.end - span.start <= SHORT ? elab_text(e, elab_place(e, span)) : "this function";
    elab_fail(e, span, "NONCE ERROR",
              "%s calls itself%s: recursion is not supported except as the last thing that a"
              " function does, where ∇ is a loop, as in {⍵≤1:⍺ ⋄ (⍺×⍵)∇⍵-1}",
              name, itself ? "" : " by way of another function");
}

void elab_too_deep(Elaboration *e, Span span, const char *what)
{
    enum { MANY = 20 };
    size_t same = 0, count = e->active.count;
    const Function *last = count > 0 ? e->active.items[count - 1].function : NULL;
    e->stopped = true;
    for (size_t i = 0; i < count; i++) { /* an operator whose operands differ from call to call */
        same += e->active.items[i].function->dfn == last->dfn;
    }
    if (same > MANY) {
        elab_recursion(e, last, last->span);
    }
    if (e->active.count > MANY) {
        elab_fail(e, span, "LIMIT ERROR", "functions call each other more than %zu deep",
                  e->active.count);
    }
    elab_fail(e, span, "LIMIT ERROR", "%s are nested too deeply", what);
}

Block *elab_open(Elaboration *e)
{
    Block *block = ARENA_NEW(e->c->arena, Block);
    block->outer = e->block;
    e->block = block;
    return block;
}

Block *elab_pop(Elaboration *e)
{
    Block *block = e->block;
    e->block = block->outer;
    return block;
}

const TailExp *elab_wrap(Elaboration *e, Block *block, const TailExp *result)
{
    size_t count = block->lets.count;
    if (count > 0 && result->kind == TAIL_EXP_VARIABLE &&
        result->as.variable == block->lets.items[count - 1].variable) {
        result = block->lets.items[--count].value;
    }
    while (count > 0) {
        const LetBinding *let = &block->lets.items[--count];
        result = tail_let(e->c, let->variable, let->value, result, let->value->span);
    }
    return result;
}

/* Conversions of an atom are as good as atoms: i2d(x). */
static bool is_atom(const TailExp *exp)
{
    switch (exp->kind) {
    case TAIL_EXP_BOOL:
    case TAIL_EXP_INT:
    case TAIL_EXP_DOUBLE:
    case TAIL_EXP_CHAR:
    case TAIL_EXP_COMPLEX:
    case TAIL_EXP_VARIABLE: return true;
    case TAIL_EXP_VECTOR: return exp->as.items.count <= KNOWN_LIMIT;
    case TAIL_EXP_CALL:
        return exp->as.call.count == 0 ||
               ((exp->as.call.builtin == TAIL_OP_B2I || exp->as.call.builtin == TAIL_OP_I2D ||
                 exp->as.call.builtin == TAIL_OP_D2X) &&
                is_atom(exp->as.call.arguments[0]));
    case TAIL_EXP_TUPLE:
    case TAIL_EXP_PROJECT:
    case TAIL_EXP_LAMBDA:
    case TAIL_EXP_LET:
    case TAIL_EXP_APPLY:
    case TAIL_EXP_IF: return false;
    }
    return false;
}

const TailExp *elab_let(Elaboration *e, const TailExp *value)
{
    if (is_atom(value)) {
        return value;
    }
    elab_spend(e, value->span, 1);
    TailVariable *sorted = elab_same_sort(e, value);
    if (sorted != NULL) {
        return tail_use(e->c, sorted, value->span);
    }
    TailVariable *variable = tail_variable(e->c, e->v, value->type, value->span);
    LetBinding let = {variable, value};
    vec_push(e->c->arena, &e->block->lets, let);
    elab_note_let(e, variable, value);
    return tail_use(e->c, variable, value->span);
}

const TailExp *elab_call(Elaboration *e, TailBuiltin builtin, Span span, size_t count,
                         const TailExp *const *arguments)
{
    const TailExp **copy = ARENA_ARRAY(e->c->arena, const TailExp *, count + 1);
    for (size_t i = 0; i < count; i++) {
        copy[i] = arguments[i];
    }
    return tail_call(e->c, builtin, count, copy, elab_place(e, span));
}

void elab_rename(Elaboration *e, const Value *value, const char *name)
{
    if (value->kind == VALUE_ARRAY && value->exp->kind == TAIL_EXP_VARIABLE &&
        value->exp->as.variable->name == e->v) {
        value->exp->as.variable->name = name;
    }
}
