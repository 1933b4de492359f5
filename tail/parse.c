/* The TAIL reader: names, scopes and the actions of the grammar; and tail_parse itself.

       let v1:<int>3 = [1,2,3] in          v1 is a variable of number 1
       reduce(addi,0,v1)                   addi is an operator that stands for a function

   A lexeme is looked up in one hash table that knows the builtins from the start and the variables
   while they are in scope. A variable v12 keeps its number, so that a program that was printed
   reads back as it was; any other name gets a fresh number, and may be bound again, which hides the
   earlier one. [TAIL] fig. 1. */
#include "tail/parse.h"
#include "base/spelling.h"
#include "tail/grammar.h"

#include <stdarg.h>

void tail_parse_error(TailParser *p, Span span, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(p->c->diagnostics, span, name, format, arguments);
    va_end(arguments);
}

/* ---- the table of names ---------------------------------------------------------------------- */

/* What an interned lexeme means now; made where it is new. */
static Meaning *meaning_of(TailParser *p, const char *lexeme)
{
    Meaning *meaning = pointer_map_make(p->c->arena, &p->meanings, lexeme, sizeof *meaning);
    if (!meaning->lexeme) {
        *meaning = (Meaning){lexeme, NULL, -1, -1};
    }
    return meaning;
}

static void enter_builtins(TailParser *p)
{
    for (int builtin = 0; builtin < TAIL_OP_COUNT; builtin++)
        meaning_of(p, intern(p->c, tail_builtin_text((TailBuiltin)builtin)))->builtin = builtin;
}

size_t tail_parse_scope(const TailParser *p)
{
    return p->undo.count;
}

void tail_parse_close(TailParser *p, size_t mark)
{
    while (p->undo.count > mark) {
        Shadowed before = p->undo.items[--p->undo.count];
        meaning_of(p, before.lexeme)->variable = before.variable;
    }
}

/* ---- numbers of variables -------------------------------------------------------------------- */

/* Greater numbers than a file of this length can well have are not kept: they would cost memory. */
static unsigned greatest_kept(const TailParser *p)
{
    return 1000000 + (unsigned)p->source->length;
}

/* "v12" and "mv12" have the number 12. */
static bool split_number(const TailParser *p, const char *lexeme, unsigned *number)
{
    const char *digits = lexeme + (*lexeme == 'm');
    if (*digits++ != 'v' || *digits < '0' || *digits > '9' || (*digits == '0' && digits[1]))
        return false;
    uint64_t value = 0;
    for (; *digits; digits++) {
        if (*digits < '0' || *digits > '9' || value > greatest_kept(p))
            return false;
        value = 10 * value + (uint64_t)(*digits - '0');
    }
    *number = (unsigned)value;
    return value <= greatest_kept(p);
}

/* Fresh numbers must differ from all that are written: the greatest of them, found in one pass. */
static unsigned greatest_number(const TailParser *p)
{
    uint64_t greatest = 0;
    for (size_t i = 0; i + 1 < p->source->length; i++) {
        if (p->source->text[i] != 'v')
            continue;
        uint64_t value = 0;
        while (p->source->text[i + 1] >= '0' && p->source->text[i + 1] <= '9') {
            value = value > greatest_kept(p)
                        ? value
                        : 10 * value + (uint64_t)(p->source->text[i + 1] - '0');
            i++;
        }
        if (value <= greatest_kept(p) && value > greatest)
            greatest = value;
    }
    return (unsigned)greatest;
}

/* Whether a variable may have this number: the first that asks. */
static bool take_number(TailParser *p, unsigned number)
{
    if (number >= p->taken_count) {
        unsigned count = p->taken_count ? p->taken_count : 256;
        while (count <= number)
            count *= 2;
        bool *taken = ARENA_ARRAY(p->c->arena, bool, count);
        if (p->taken_count)
            memcpy(taken, p->taken, p->taken_count);
        p->taken = taken;
        p->taken_count = count;
    }
    bool is_free = !p->taken[number];
    p->taken[number] = true;
    return is_free;
}

/* ---- variables ------------------------------------------------------------------------------- */

RawVariable *tail_parse_bind(TailParser *p, const char *lexeme, const TailType *type, Span span)
{
    RawVariable *variable = ARENA_NEW(p->c->arena, RawVariable);
    *variable = (RawVariable){.lexeme = lexeme, .span = span, .annotation = type};
    Meaning *meaning = meaning_of(p, lexeme);
    if (meaning->builtin >= 0) {
        tail_parse_error(p, span, "SYNTAX ERROR", "%s is a builtin and cannot be a variable",
                         lexeme);
        return variable;
    }
    if (split_number(p, lexeme, &variable->number)) {
        variable->has_number = take_number(p, variable->number);
        if (meaning->variable) {
            Place place = source_place(p->c->arena, meaning->variable->span);
            tail_parse_error(p, span, "SYNTAX ERROR", "%s is bound twice, first in line %u", lexeme,
                             place.line);
        }
    }
    Shadowed before = {lexeme, meaning->variable};
    vec_push(p->c->arena, &p->undo, before);
    meaning->variable = variable;
    return variable;
}

/* "; did you mean 'addi'?", or nothing. Of variables that are only numbered none is nearer than
   another. */
static const char *suggestion(TailParser *p, const char *lexeme, bool with_variables)
{
    Spelling spelling = spelling_of(lexeme);
    bool is_numbered = *lexeme == 'v' && lexeme[1] >= '0' && lexeme[1] <= '9';
    for (size_t i = 0; with_variables && !is_numbered && i < p->meanings.capacity; i++) {
        const Meaning *meaning = p->meanings.slots[i].value;
        if (meaning && meaning->variable)
            spelling_consider(&spelling, meaning->lexeme);
    }
    for (int builtin = 0; builtin < TAIL_OP_COUNT; builtin++)
        spelling_consider(&spelling, tail_builtin_text((TailBuiltin)builtin));
    return spelling.best ? arena_printf(p->c->arena, "; did you mean '%s'?", spelling.best) : "";
}

/* ---- types ----------------------------------------------------------------------------------- */

enum { MOST_RANK = 60 };

static unsigned type_variable(TailParser *p, const char *lexeme)
{
    Meaning *meaning = meaning_of(p, lexeme);
    if (meaning->type_variable < 0)
        meaning->type_variable = (int)p->type_variable_count++;
    return (unsigned)meaning->type_variable;
}

/* What stands for the part of a type that was wrong: whatever the value says. */
static unsigned fresh_type_variable(TailParser *p)
{
    return (unsigned)p->type_variable_count++;
}

static TailShape fresh_shape(TailParser *p)
{
    unsigned variable = fresh_type_variable(p);
    return (TailShape){0, 1, arena_copy(p->c->arena, &variable, sizeof variable)};
}

TailBase tail_parse_base(TailParser *p, const char *name, Span span)
{
    for (int base = TAIL_BOOL; base <= TAIL_CHAR; base++) {
        if (strcmp(name, tail_base_text((TailBaseKind)base)) == 0)
            return (TailBase){.kind = (TailBaseKind)base};
    }
    tail_parse_error(p, span, "TYPE ERROR",
                     "no base type is called '%s'; they are bool, int, double, complex and char",
                     name);
    return (TailBase){TAIL_BASE_VARIABLE, fresh_type_variable(p)};
}

TailBase tail_parse_base_variable(TailParser *p, const char *lexeme)
{
    return (TailBase){TAIL_BASE_VARIABLE, type_variable(p, lexeme)};
}

TailShape tail_parse_number(TailParser *p, RawInteger number)
{
    return number.huge ? fresh_shape(p) : (TailShape){.constant = number.value};
}

TailShape tail_parse_shape_variable(TailParser *p, const char *lexeme)
{
    unsigned variable = type_variable(p, lexeme);
    return (TailShape){0, 1, arena_copy(p->c->arena, &variable, sizeof variable)};
}

static const TailType *make_type(TailParser *p, TailTypeKind kind, TailBase base, TailShape shape)
{
    TailType *type = ARENA_NEW(p->c->arena, TailType);
    type->kind = kind;
    type->base = base;
    type->shape = shape;
    return type;
}

const TailType *tail_parse_array_type(TailParser *p, TailTypeKind kind, TailBase base,
                                      TailShape shape, Span span)
{
    if (shape.constant < 0) {
        tail_parse_error(p, span, "TYPE ERROR", "a %s cannot be negative",
                         kind == TAIL_ARRAY ? "rank" : "length");
        return make_type(p, TAIL_ARRAY, base, fresh_shape(p));
    }
    if (kind == TAIL_ARRAY && shape.constant > MOST_RANK) {
        tail_parse_error(p, span, "LIMIT ERROR", "a rank of %lld", (long long)shape.constant);
        return make_type(p, TAIL_ARRAY, base, fresh_shape(p));
    }
    return make_type(p, kind, base, shape);
}

const TailType *tail_parse_known_type(TailParser *p, const char *name, Span name_span,
                                      TailBase base, TailShape shape, Span span)
{
    bool is_vector = strcmp(name, "SV") == 0, is_bool = base.kind == TAIL_BOOL;
    if (!is_vector && strcmp(name, "S") != 0) {
        tail_parse_error(p, name_span, "TYPE ERROR", "no type is written %s(..); S and SV are",
                         name);
    } else if (!is_bool && base.kind != TAIL_INT && base.kind != TAIL_BASE_VARIABLE) {
        tail_parse_error(p, span, "TYPE ERROR", "only int and bool have known values, not %s",
                         tail_base_text(base.kind));
        base = (TailBase){TAIL_BASE_VARIABLE, fresh_type_variable(p)};
    } else if (is_bool && shape.constant != 0 && shape.constant != 1) {
        tail_parse_error(p, span, "TYPE ERROR", "a known bool is 0 or 1");
    } else {
        return make_type(p, is_vector ? TAIL_SINGLE_VECTOR : TAIL_SINGLE, base, shape);
    }
    return make_type(p, TAIL_ARRAY, base, fresh_shape(p));
}

const TailType *tail_parse_tuple_type(TailParser *p, const TypeList *items)
{
    return tail_tuple_type(p->c, items->count, items->items);
}

/* (T)->(U)->R is a function of two parameters. What has a great many is an error all the same. */
const TailType *tail_parse_function_type(TailParser *p, const TailType *parameter,
                                         const TailType *result)
{
    TypeList items = {0};
    vec_push(p->c->arena, &items, parameter);
    if (result->kind == TAIL_FUNCTION && result->count < MOST_RANK) {
        for (size_t i = 0; i < result->count; i++)
            vec_push(p->c->arena, &items, result->items[i]);
    } else {
        vec_push(p->c->arena, &items, result);
    }
    return tail_function_type(p->c, items.count, items.items);
}

/* ---- expressions ----------------------------------------------------------------------------- */

static RawExp *make(TailParser *p, RawKind kind, Span span)
{
    RawExp *exp = ARENA_NEW(p->c->arena, RawExp);
    exp->kind = kind;
    exp->depth = 1;
    exp->span = span;
    return exp;
}

/* The part stands inside the expression; what is nested too deeply is reported once. */
static void contain(TailParser *p, RawExp *exp, const RawExp *part)
{
    if (part && part->depth >= exp->depth)
        exp->depth = part->depth + 1;
    if (exp->depth > NESTING_LIMIT && !p->stopped) {
        tail_parse_error(p, exp->span, "LIMIT ERROR", "expressions are nested more than %d deep",
                         NESTING_LIMIT);
        p->stopped = true;
    }
}

RawExp *tail_parse_value(TailParser *p, const TailExp *value, Span span)
{
    RawExp *exp = make(p, value ? RAW_VALUE : RAW_BAD, span);
    if (value)
        exp->as.value = value;
    return exp;
}

RawExp *tail_parse_int(TailParser *p, RawInteger integer, Span span)
{
    int64_t value = integer.value;
    if (integer.huge)
        return make(p, RAW_BAD, span);
    if (p->c->options.int_bits == 32 && (value < INT32_MIN || value > INT32_MAX)) {
        tail_parse_error(p, span, "LIMIT ERROR", "%lld is too large for an int of 32 bits",
                         (long long)value);
        return make(p, RAW_BAD, span);
    }
    return tail_parse_value(p, tail_int(p->c, value, span), span);
}

RawExp *tail_parse_name(TailParser *p, const char *lexeme, Span span)
{
    const Meaning *meaning = meaning_of(p, lexeme);
    if (meaning->variable) {
        RawExp *exp = make(p, RAW_VARIABLE, span);
        exp->as.variable = meaning->variable;
        return exp;
    }
    if (meaning->builtin >= 0) {
        RawExp *exp = make(p, RAW_OPERATOR, span);
        exp->depth = 3; /* a function around a call around variables */
        exp->as.call.builtin = (TailBuiltin)meaning->builtin;
        return exp;
    }
    if (pointer_map_get(&p->foreign, lexeme) == NULL) {
        tail_parse_error(p, span, "VALUE ERROR", "'%s' is not bound here%s", lexeme,
                         suggestion(p, lexeme, true));
    }
    return make(p, RAW_BAD, span);
}

static const char *not_a_builtin(TailParser *p, const char *lexeme)
{
    if (meaning_of(p, lexeme)->variable)
        return arena_printf(p->c->arena,
                            "'%s' is a variable, and only builtins have instance lists", lexeme);
    return arena_printf(p->c->arena, "no builtin is called '%s'%s", lexeme,
                        suggestion(p, lexeme, false));
}

/* f(x, ...), of a variable */
static RawExp *parse_apply(TailParser *p, RawVariable *function, const RawList *arguments,
                           Span span)
{
    RawExp *exp = make(p, RAW_APPLY, span);
    exp->as.apply.function = function;
    exp->as.apply.arguments = *arguments;
    for (size_t i = 0; i < arguments->count; i++)
        contain(p, exp, arguments->items[i]);
    return exp;
}

RawExp *tail_parse_call(TailParser *p, const char *lexeme, Span name_span,
                        const RawInstance *instance, const RawList *arguments, Span span)
{
    int builtin = meaning_of(p, lexeme)->builtin;
    RawVariable *variable = meaning_of(p, lexeme)->variable;
    if (builtin < 0 && variable && !instance->given)
        return parse_apply(p, variable, arguments, span);
    RawExp *exp = make(p, builtin < 0 ? RAW_BAD : RAW_CALL, span);
    bool reported = pointer_map_get(&p->foreign, lexeme) != NULL;
    if (builtin < 0 && !reported)
        tail_parse_error(p, name_span, "VALUE ERROR", "%s", not_a_builtin(p, lexeme));
    if (builtin < 0) {
        exp->as.items = *arguments;
    } else {
        exp->as.call.builtin = (TailBuiltin)builtin;
        exp->as.call.arguments = *arguments;
        exp->as.call.has_instance = instance->given;
        exp->as.call.instance_span = instance->span;
    }
    if (builtin >= 0 && instance->given) {
        exp->as.call.instance = (TailInstance){instance->bases->count, instance->ranks->count,
                                               instance->bases->items, instance->ranks->items};
    }
    for (size_t i = 0; i < arguments->count; i++)
        contain(p, exp, arguments->items[i]);
    return exp;
}

RawExp *tail_parse_project(TailParser *p, RawInteger index, RawExp *tuple, Span span)
{
    RawExp *exp = make(p, index.huge ? RAW_BAD : RAW_PROJECT, span);
    if (index.huge) {
        vec_push(p->c->arena, &exp->as.items, tuple);
    } else {
        exp->as.project.index = index.value;
        exp->as.project.tuple = tuple;
    }
    contain(p, exp, tuple);
    return exp;
}

RawExp *tail_parse_items(TailParser *p, RawKind kind, const RawList *items, Span span)
{
    RawExp *exp = make(p, kind, span);
    if (items->count == 0) {
        tail_parse_error(p, span, "SYNTAX ERROR", "a vector literal has items; zilde() is empty");
        exp->kind = RAW_BAD;
    }
    exp->as.items = *items;
    for (size_t i = 0; i < items->count; i++)
        contain(p, exp, items->items[i]);
    return exp;
}

RawExp *tail_parse_lambda(TailParser *p, RawVariable *parameter, RawExp *body, Span span)
{
    RawExp *exp = make(p, RAW_LAMBDA, span);
    exp->as.lambda.parameter = parameter;
    exp->as.lambda.body = body;
    contain(p, exp, body);
    return exp;
}

RawExp *tail_parse_chain(TailParser *p, const RawLetList *lets, RawExp *body, Span span)
{
    RawExp *exp = make(p, RAW_LETS, span);
    for (size_t i = 0; i < lets->count; i++) {
        if (lets->items[i].variable)
            vec_push(p->c->arena, &exp->as.chain.lets, lets->items[i]);
        contain(p, exp, lets->items[i].value);
    }
    exp->as.chain.body = body;
    contain(p, exp, body);
    return exp;
}

RawExp *tail_parse_if(TailParser *p, RawExp *condition, RawExp *then_case, RawExp *else_case,
                      Span span)
{
    RawExp *exp = make(p, RAW_IF, span);
    exp->as.conditional.condition = condition;
    exp->as.conditional.then_case = then_case;
    exp->as.conditional.else_case = else_case;
    contain(p, exp, condition);
    contain(p, exp, then_case);
    contain(p, exp, else_case);
    return exp;
}

/* ---- the reader ------------------------------------------------------------------------------ */

const TailExp *tail_parse(Compilation *c, const SourceFile *source)
{
    TailParser p = {.c = c, .source = source};
    c->index_origin = 1;
    size_t errors = diagnostics_count(c->diagnostics);
    p.cursor = p.line = source->text;
    p.limit = source->text + source->length;
    unsigned greatest = greatest_number(&p);
    c->last_number = c->last_number > greatest ? c->last_number : greatest;
    enter_builtins(&p);
    int failed = tail_yyparse(&p);
    if (failed || p.stopped || !p.program)
        return NULL;
    const Bases *bases = tail_infer_bases(&p, p.program);
    const TailExp *program = tail_type_program(&p, bases, p.program);
    return p.syntax_errors > 0 || diagnostics_count(c->diagnostics) > errors ? NULL : program;
}
