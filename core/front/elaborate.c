/* From the front form of core to internal core ([L0] 4.1, 4.2, 5.2; [PLDI] section 2.2, figure 1):
   every operand becomes an atom, tuples become several names, arrays of tuples tuples of arrays,
   names become unique, functions that are arguments are written out where they are applied, and
   every check that the form leaves implicit becomes an assertion.

       def norm (xs : [n]f64) : f64 = sqrt (reduce (+) 0 (map (\x -> x * x) xs))

           fun norm [n_1] (xs_2 : [n_1]f64) : (f64) =
             let (t_5 : [n_1]f64) = map n_1 (xs_2) (\(x_3 : f64) -> { let (t_4 : f64) = ... })
             let (t_9 : f64) = reduce n_1 (t_5) (\(...) -> ...) (0.0f64)
             let (t_10 : f64) = sqrt t_9
             in (t_10)

   Requires a tree from front_parse, whose nesting is bounded. The result passes core_check but for
   uniqueness, which is checked there. */
#include "core/front/elaborate.h"

#include <stdarg.h>

/* ---- diagnostics and limits ------------------------------------------------------------------ */

void front_error(Elaborator *e, Span span, const char *name, const char *format, ...)
{
    e->errors++;
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(e->c->diagnostics, span, name, format, arguments);
    va_end(arguments);
}

Value front_mismatch(Elaborator *e, Span span, const char *what, const char *expected,
                     const char *found)
{
    front_error(e, span, "TYPE ERROR", "%s%sexpected %s, found %s", what ? what : "",
                what ? ": " : "", expected, found);
    return ERROR_VALUE;
}

/* Functions are written out where they are applied, which could go on for ever so long. */
enum { MOST_NAMES = 300000, MOST_STEPS = 6000000 };
/* What is wrong in a function is found again wherever it is applied: after so many errors enough
   has been said. */
enum { MOST_ERRORS = 2000 };

bool front_enter(Elaborator *e, Span span)
{
    if (e->stopped || e->errors > MOST_ERRORS) {
        return false;
    }
    if (e->depth >= NESTING_LIMIT) {
        front_error(e, span, "LIMIT ERROR", "nesting is deeper than %d", NESTING_LIMIT);
        e->stopped = true;
        return false;
    }
    if (e->c->last_number - e->first_number > MOST_NAMES) {
        front_error(e, span, "LIMIT ERROR",
                    "with its functions written out the program has more than %d names",
                    MOST_NAMES);
        e->stopped = true;
        return false;
    }
    if (++e->steps > MOST_STEPS) {
        front_error(e, span, "LIMIT ERROR",
                    "with its functions written out the program has more than %d expressions",
                    MOST_STEPS);
        e->stopped = true;
        return false;
    }
    e->depth++;
    return true;
}

void front_leave(Elaborator *e)
{
    e->depth--;
}

/* ---- frames ---------------------------------------------------------------------------------- */

Frame *front_open(Elaborator *e, Span span)
{
    Frame *frame = ARENA_NEW(e->c->arena, Frame);
    frame->builder = core_builder(e->c, span);
    frame->parent = e->frame;
    frame->mark = e->c->last_number;
    frame->open = true;
    e->frame = frame;
    return frame;
}

void front_close(Elaborator *e)
{
    e->frame->open = false;
    e->frame = e->frame->parent;
}

const CoreBody *front_body(Frame *frame, size_t count, const CoreAtom *results)
{
    return core_body(&frame->builder, count, results);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static Value elaborate_name(Elaborator *e, const FrontExp *exp)
{
    const Value *value = front_lookup(e->environment, exp->as.name.text);
    bool placed = exp->as.name.level != CORE_LEVEL_AUTO || exp->as.name.space != CORE_SPACE_AUTO;
    Function function = {0};
    if (value && placed) {
        front_error(e, exp->span, "TYPE ERROR", "a strategy is for built-in words, not for %s",
                    exp->as.name.text);
    }
    if (value) {
        Value used = *value;
        used.span = NO_SPAN;
        return used;
    }
    if (!front_builtin(e, exp->as.name.text, &function)) {
        front_unknown(e, exp->as.name.text, exp->span);
        return ERROR_VALUE;
    }
    function.level = exp->as.name.level;
    function.space = exp->as.name.space;
    return front_function_value(e, function);
}

static Value elaborate_tuple(Elaborator *e, const FrontExp *exp, Want want)
{
    size_t count = exp->as.items.count;
    bool known = want.type && want.type->kind == TYPE_TUPLE && want.type->count == count;
    Value *items = ARENA_ARRAY(e->c->arena, Value, count);
    for (size_t i = 0; i < count; i++) {
        Want item = {known ? want.type->items[i] : NULL, want.text};
        items[i] = front_data(e, exp->as.items.items[i], item);
    }
    return front_value_tuple(e, count, items);
}

static Value elaborate_component(Elaborator *e, const FrontExp *exp)
{
    Value tuple = front_data(e, exp->as.component.tuple, NO_WANT);
    size_t position = exp->as.component.position;
    if (tuple.kind != VALUE_DATA) {
        return ERROR_VALUE;
    }
    if (tuple.type->kind != TYPE_TUPLE || position >= tuple.type->count) {
        front_error(e, exp->span, "TYPE ERROR", "%s has no component %zu",
                    front_type_text(e, tuple.type), position);
        return ERROR_VALUE;
    }
    return front_value_item(&tuple, position);
}

static Value elaborate_lambda(Elaborator *e, const FrontExp *exp)
{
    return front_function_value(e, (Function){.kind = FUNCTION_CLOSURE,
                                              .name = "a lambda",
                                              .syntax = exp->as.lambda,
                                              .environment = e->environment});
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void elaborate_binding(Elaborator *e, const FrontBinding *binding)
{
    BUILDER(e)->span = binding->span;
    if (binding->kind == FRONT_LET_FUNCTION) {
        Value function = front_function_value(e, (Function){.kind = FUNCTION_CLOSURE,
                                                            .name = binding->function->name,
                                                            .syntax = binding->function,
                                                            .environment = e->environment});
        e->environment = front_bind(e, e->environment, binding->function->name, function);
        return;
    }
    if (binding->kind == FRONT_LET_UPDATE) {
        const Value *array = front_lookup(e->environment, binding->name);
        Value updated = ERROR_VALUE;
        if (!array) {
            front_unknown(e, binding->name, binding->name_span);
        } else {
            updated = front_update_value(e, *array, binding->name_span, binding->index_count,
                                         binding->indices, binding->value, binding->name);
        }
        e->environment = front_bind(e, e->environment, binding->name, updated);
        return;
    }
    const FrontPattern *pattern = binding->pattern;
    Want want = {front_pattern_wanted(e, pattern), front_pattern_text(pattern)};
    Value value = front_elaborate_exp(e, binding->value, want);
    BUILDER(e)->span = binding->span;
    if (value.kind == VALUE_FUNCTION && pattern->kind != FRONT_PATTERN_NAME) {
        value = front_force(e, value, NO_WANT, binding->value->span);
    }
    value.span = binding->value->span;
    front_bind_pattern(e, pattern, value);
}

static Value elaborate_block(Elaborator *e, const FrontExp *exp, Want want)
{
    const Environment *outer = e->environment;
    for (size_t i = 0; i < exp->as.block.count && !e->stopped; i++) {
        elaborate_binding(e, exp->as.block.bindings[i]);
    }
    Value result = front_elaborate_exp(e, exp->as.block.result, want);
    result.span = front_value_span(&result, exp->as.block.result->span);
    e->environment = outer;
    return result;
}

/* ---- by kind --------------------------------------------------------------------------------- */

static Value by_kind(Elaborator *e, const FrontExp *exp, Want want)
{
    switch (exp->kind) {
    case FRONT_NAME: return elaborate_name(e, exp);
    case FRONT_PRIM:
        return front_function_value(e, (Function){.kind = FUNCTION_CONVERSION,
                                                  .name = core_prim_text(exp->as.prim),
                                                  .prim = exp->as.prim});
    case FRONT_CONSTANT: return front_constant(e, exp, want);
    case FRONT_STRING: return front_string(e, exp, want);
    case FRONT_TUPLE: return elaborate_tuple(e, exp, want);
    case FRONT_ARRAY: return front_array(e, exp, want);
    case FRONT_INDEX: return front_index(e, exp, want);
    case FRONT_COMPONENT: return elaborate_component(e, exp);
    case FRONT_APPLY: return front_apply_exp(e, exp, want);
    case FRONT_UNARY: return front_unary_exp(e, exp, want);
    case FRONT_BINARY: return front_binary_exp(e, exp, want);
    case FRONT_AND: return front_lazy(e, exp, false, want);
    case FRONT_OR: return front_lazy(e, exp, true, want);
    case FRONT_APPEND: return front_append_exp(e, exp, want);
    case FRONT_SECTION: return front_section(e, exp);
    case FRONT_LAMBDA: return elaborate_lambda(e, exp);
    case FRONT_BLOCK: return elaborate_block(e, exp, want);
    case FRONT_UPDATE: return front_update(e, exp, want);
    case FRONT_IF: return front_if(e, exp, want);
    case FRONT_LOOP: return front_loop(e, exp, want);
    case FRONT_ASSERT: return front_assert(e, exp, want);
    }
    internal_error(e->c, "front expression kind %d", (int)exp->kind);
}

Value front_elaborate_exp(Elaborator *e, const FrontExp *exp, Want want)
{
    if (!front_enter(e, exp->span)) {
        return ERROR_VALUE;
    }
    CoreBuilder *b = BUILDER(e);
    Span span = b->span;
    b->span = exp->span;
    Value value = by_kind(e, exp, want);
    b->span = span;
    front_leave(e);
    return value;
}

Value front_data(Elaborator *e, const FrontExp *exp, Want want)
{
    Value value = front_elaborate_exp(e, exp, want);
    Span span = front_value_span(&value, exp->span);
    value = front_force(e, value, want, span);
    value.span = value.span.file ? value.span : span;
    return value;
}

bool front_scalar(Elaborator *e, const FrontExp *exp, CorePrim prim, const char *what,
                  const char *text, CoreAtom *atom)
{
    Want want = {front_type_scalar(e, prim), text};
    Value value = front_data(e, exp, want);
    if (value.kind != VALUE_DATA) {
        return false;
    }
    if (!front_type_is(value.type, prim)) {
        front_mismatch(e, exp->span, what, core_prim_text(prim), front_type_text(e, value.type));
        return false;
    }
    *atom = value.leaves[0];
    return true;
}

Value front_operand(Elaborator *e, const FrontExp *exp)
{
    if (front_is_literal(exp)) {
        return (Value){.kind = VALUE_LITERAL, .literal = exp};
    }
    return front_elaborate_exp(e, exp, NO_WANT);
}

/* ---- programs -------------------------------------------------------------------------------- */

CoreProgram *front_elaborate(Compilation *c, const FrontProgram *program)
{
    Elaborator e = {.c = c, .program = program};
    e.first_number = c->last_number;
    e.numbering = front_numbering(&e);
    e.definitions = ARENA_ARRAY(c->arena, Definition, program->count);
    for (size_t i = 0; i < program->count && !e.stopped; i++) {
        front_define(&e, program->definitions[i]);
    }
    if (e.errors > 0) {
        return NULL;
    }
    const CoreFunction **functions = ARENA_ARRAY(c->arena, const CoreFunction *, program->count);
    for (size_t i = 0; i < program->count; i++) {
        functions[i] = e.definitions[i].function;
    }
    CoreProgram *core = ARENA_NEW(c->arena, CoreProgram);
    core->function_count = program->count;
    core->functions = functions;
    return core;
}
