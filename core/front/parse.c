/* The front form's parser actions: one a rule, each building the node as it is written.

       f x (y + 1)      ==>   (apply f x (binary + y 1))
       xs |> map g      ==>   (apply map g xs)
       let a = 1        ==>   (block (let a 1) (let b a) (apply f b))
       let b = a
       in f b

   Every node knows how deep it is; deeper than NESTING_LIMIT ends the reading with a LIMIT ERROR,
   so that whoever walks a tree may recur. */
#include "core/front/parse.h"
#include "core/front/grammar.h"
#include "core/text_form.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

void front_parse_error(FrontParser *p, Span span, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(p->c->diagnostics, span, name, format, arguments);
    va_end(arguments);
    p->errors++;
}

void front_parse_too_deep(FrontParser *p, Span span)
{
    if (!p->stopped) {
        front_parse_error(p, span, "LIMIT ERROR", "nesting is deeper than %d", NESTING_LIMIT);
        p->stopped = true;
    }
}

/* ---- types ----------------------------------------------------------------------------------- */

FrontSize front_parse_size(FrontParser *p, FrontLiteral literal, Span span)
{
    FrontSize size = {.kind = FRONT_SIZE_CONSTANT, .constant = literal.atom.as.integer};
    if (literal.atom.prim != CORE_I64) {
        front_parse_error(p, span, "SYNTAX ERROR", "a size is a name or an integer");
        size.constant = 0;
    }
    return size;
}

FrontDeepType front_parse_scalar_type(FrontParser *p, CorePrim prim, Span span)
{
    FrontType *type = ARENA_NEW(p->c->arena, FrontType);
    type->kind = FRONT_TYPE_SCALAR;
    type->prim = prim;
    type->span = span;
    return (FrontDeepType){type, 1};
}

FrontDeepType front_parse_tuple_type(FrontParser *p, const FrontTypeList *items, Span span)
{
    if (items->count == 1) {
        return items->items[0];
    }
    FrontType *type = ARENA_NEW(p->c->arena, FrontType);
    const FrontType **types = ARENA_ARRAY(p->c->arena, const FrontType *, items->count);
    unsigned depth = 0;
    for (size_t i = 0; i < items->count; i++) {
        types[i] = items->items[i].type;
        depth = items->items[i].depth > depth ? items->items[i].depth : depth;
    }
    type->kind = FRONT_TYPE_TUPLE;
    type->span = span;
    type->count = items->count;
    type->items = types;
    return (FrontDeepType){type, depth + 1};
}

/* [n][m]row, outermost first; the row itself where there are no sizes. */
FrontDeepType front_parse_array_type(FrontParser *p, bool unique, const FrontSizeList *sizes,
                                     FrontDeepType row, Span span)
{
    FrontDeepType deep = row;
    for (size_t i = sizes->count; i > 0; i--) {
        FrontType *type = ARENA_NEW(p->c->arena, FrontType);
        type->kind = FRONT_TYPE_ARRAY;
        type->size = sizes->items[i - 1];
        type->span = span_join(type->size.span, span);
        type->row = deep.type;
        deep = (FrontDeepType){type, deep.depth + 1};
    }
    if (deep.depth > NESTING_LIMIT) {
        front_parse_too_deep(p, span);
    }
    if (unique) {
        FrontType *type = arena_copy(p->c->arena, deep.type, sizeof *type);
        type->unique = true;
        type->span = span;
        deep.type = type;
    }
    return deep;
}

/* ---- patterns -------------------------------------------------------------------------------- */

const FrontPattern *front_parse_name_pattern(FrontParser *p, const char *name, Span span)
{
    FrontPattern *pattern = ARENA_NEW(p->c->arena, FrontPattern);
    pattern->kind = name ? FRONT_PATTERN_NAME : FRONT_PATTERN_ANY;
    pattern->name = name;
    pattern->span = span;
    return pattern;
}

const FrontPattern *front_parse_tuple_pattern(FrontParser *p, const FrontPatternList *items,
                                              Span span)
{
    if (items->count == 1) {
        return items->items[0];
    }
    FrontPattern *pattern = ARENA_NEW(p->c->arena, FrontPattern);
    pattern->kind = FRONT_PATTERN_TUPLE;
    pattern->span = span;
    pattern->count = items->count;
    pattern->items = items->items;
    return pattern;
}

static const FrontPattern *with_type(FrontParser *p, const FrontPattern *pattern,
                                     const FrontType *type)
{
    FrontPattern *typed = arena_copy(p->c->arena, pattern, sizeof *typed);
    typed->type = type;
    return typed;
}

const FrontPattern *front_parse_typed(FrontParser *p, const FrontPattern *pattern,
                                      const FrontType *type, Span span)
{
    if (type && pattern->type) {
        front_parse_error(p, span, "SYNTAX ERROR", "this pattern has two types");
    }
    return type ? with_type(p, pattern, type) : pattern;
}

/* (x : t, y : u) has the type (t, u): the types move outwards. NULL after reporting a part that has
   none. */
static const FrontPattern *wholly_typed(FrontParser *p, const FrontPattern *pattern)
{
    if (pattern->type) {
        return pattern;
    }
    if (pattern->kind != FRONT_PATTERN_TUPLE) {
        const char *name = pattern->name ? pattern->name : "_";
        front_parse_error(p, pattern->span, "SYNTAX ERROR",
                          "a parameter of a definition needs its type: (%s : t)", name);
        return NULL;
    }
    FrontTypeList types = {0};
    FrontPatternList items = {0};
    for (size_t i = 0; i < pattern->count; i++) {
        const FrontPattern *item = wholly_typed(p, pattern->items[i]);
        if (!item) {
            return NULL;
        }
        vec_push(p->c->arena, &types, ((FrontDeepType){item->type, 0}));
        vec_push(p->c->arena, &items, with_type(p, item, NULL));
    }
    FrontPattern *tuple = arena_copy(p->c->arena, pattern, sizeof *tuple);
    tuple->items = items.items;
    return with_type(p, tuple, front_parse_tuple_type(p, &types, pattern->span).type);
}

/* ---- names bound together ------------------------------------------------------------------- */

typedef VEC(const FrontPattern *) NamePatterns;

static void collect_names(FrontParser *p, const FrontPattern *pattern, NamePatterns *names)
{
    if (pattern->kind == FRONT_PATTERN_NAME) {
        vec_push(p->c->arena, names, pattern);
    }
    for (size_t i = 0; i < pattern->count; i++) {
        collect_names(p, pattern->items[i], names);
    }
}

static int by_name_and_place(const void *a, const void *b)
{
    const FrontPattern *x = *(const FrontPattern *const *)a, *y = *(const FrontPattern *const *)b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->span.start > y->span.start) - (x->span.start < y->span.start);
}

/* Patterns that take effect together bind a name once. */
static void names_differ(FrontParser *p, size_t count, const FrontPattern *const *patterns)
{
    NamePatterns names = {0};
    for (size_t i = 0; i < count; i++) {
        collect_names(p, patterns[i], &names);
    }
    if (names.count > 1) {
        qsort(names.items, names.count, sizeof *names.items, by_name_and_place);
    }
    for (size_t i = 1; i < names.count; i++) {
        if (names.items[i]->name == names.items[i - 1]->name) {
            front_parse_error(p, names.items[i]->span, "NAME ERROR", "%s is bound twice here",
                              names.items[i]->name);
        }
    }
}

/* ---- functions and bindings ------------------------------------------------------------------ */

const FrontFunction *front_parse_function(FrontParser *p, const char *name, Span name_span,
                                          const FrontPatternList *parameters,
                                          const FrontType *result, const FrontExp *body, Span span)
{
    FrontFunction *function = ARENA_NEW(p->c->arena, FrontFunction);
    names_differ(p, parameters->count, parameters->items);
    function->span = span;
    function->name = name;
    function->name_span = name_span;
    function->parameter_count = parameters->count;
    function->parameters = parameters->items;
    function->result = result;
    function->body = body;
    return function;
}

void front_parse_definition(FrontParser *p, const FrontFunction *function)
{
    FrontPatternList parameters = {0};
    for (size_t i = 0; i < function->parameter_count; i++) {
        const FrontPattern *parameter = wholly_typed(p, function->parameters[i]);
        if (parameter) {
            vec_push(p->c->arena, &parameters, parameter);
        }
    }
    FrontFunction *definition = arena_copy(p->c->arena, function, sizeof *definition);
    definition->parameter_count = parameters.count;
    definition->parameters = parameters.items;
    vec_push(p->c->arena, &p->definitions, definition);
}

const FrontBinding *front_parse_binding(FrontParser *p, FrontBinding binding)
{
    if (binding.pattern) {
        names_differ(p, 1, &binding.pattern);
    }
    return arena_copy(p->c->arena, &binding, sizeof binding);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static FrontExp *node(FrontParser *p, FrontExpKind kind, Span span)
{
    FrontExp *exp = ARENA_NEW(p->c->arena, FrontExp);
    exp->kind = kind;
    exp->span = span;
    exp->depth = 1;
    return exp;
}

/* A part of a node; NULL is none. */
static void part(FrontParser *p, FrontExp *exp, const FrontExp *child)
{
    if (child && child->depth >= exp->depth) {
        exp->depth = child->depth + 1;
        if (exp->depth > NESTING_LIMIT) {
            front_parse_too_deep(p, child->span);
        }
    }
}

static void parts(FrontParser *p, FrontExp *exp, size_t count, const FrontExp *const *children)
{
    for (size_t i = 0; i < count; i++) {
        part(p, exp, children[i]);
    }
}

static void index_parts(FrontParser *p, FrontExp *exp, size_t count, const FrontIndex *indices)
{
    for (size_t i = 0; i < count; i++) {
        part(p, exp, indices[i].position);
        part(p, exp, indices[i].from);
        part(p, exp, indices[i].to);
        part(p, exp, indices[i].step);
    }
}

/* ---- names and constants --------------------------------------------------------------------- */

const FrontExp *front_parse_name(FrontParser *p, const char *name, Span span)
{
    return front_parse_placed(p, (FrontPlace){.text = name}, span);
}

FrontPlace front_parse_place(FrontParser *p, FrontPlace place, const char *word, Span span)
{
    if (!core_place_named(word, &place.level, &place.space)) {
        front_parse_error(p, span, "NAME ERROR", "@%s is neither a level nor a space", word);
    }
    return place;
}

const FrontExp *front_parse_placed(FrontParser *p, FrontPlace place, Span span)
{
    FrontExp *exp = node(p, FRONT_NAME, span);
    exp->as.name.text = place.text;
    exp->as.name.level = place.level;
    exp->as.name.space = place.space;
    return exp;
}

const FrontExp *front_parse_prim(FrontParser *p, CorePrim prim, Span span)
{
    FrontExp *exp = node(p, FRONT_PRIM, span);
    exp->as.prim = prim;
    return exp;
}

const FrontExp *front_parse_literal(FrontParser *p, FrontLiteral literal, Span span)
{
    FrontExp *exp = node(p, FRONT_CONSTANT, span);
    exp->as.constant.atom = literal.atom;
    exp->as.constant.is_adaptive = literal.is_adaptive;
    return exp;
}

/* text is UTF-8. */
const FrontExp *front_parse_string(FrontParser *p, const char *text, Span span)
{
    FrontExp *exp = node(p, FRONT_STRING, span);
    size_t length = strlen(text), count = 0;
    uint32_t *points = ARENA_ARRAY(p->c->arena, uint32_t, length);
    for (size_t i = 0; i < length; count++) {
        size_t bytes = utf8_decode(text + i, length - i, &points[count]);
        if (bytes == 0) {
            front_parse_error(p, span, "SYNTAX ERROR", "this string is not UTF-8");
            break;
        }
        i += bytes;
    }
    exp->as.string.count = count;
    exp->as.string.points = points;
    return exp;
}

const FrontExp *front_parse_items(FrontParser *p, FrontExpKind kind, const FrontExpList *items,
                                  Span span)
{
    FrontExp *exp = node(p, kind, span);
    exp->as.items.count = items->count;
    exp->as.items.items = items->items;
    parts(p, exp, items->count, items->items);
    return exp;
}

const FrontExp *front_parse_tuple(FrontParser *p, const FrontExp *first, const FrontExpList *others,
                                  Span span)
{
    FrontExpList items = {0};
    vec_push(p->c->arena, &items, first);
    for (size_t i = 0; i < others->count; i++) {
        vec_push(p->c->arena, &items, others->items[i]);
    }
    return front_parse_items(p, FRONT_TUPLE, &items, span);
}

/* ---- operations ------------------------------------------------------------------------------ */

const FrontExp *front_parse_index(FrontParser *p, const FrontExp *array,
                                  const FrontIndexList *indices, const FrontExp *value, Span span)
{
    FrontExp *exp = node(p, value ? FRONT_UPDATE : FRONT_INDEX, span);
    exp->as.index.array = array;
    exp->as.index.count = indices->count;
    exp->as.index.indices = indices->items;
    exp->as.index.value = value;
    part(p, exp, array);
    index_parts(p, exp, indices->count, indices->items);
    part(p, exp, value);
    return exp;
}

const FrontExp *front_parse_component(FrontParser *p, const FrontExp *tuple, int64_t position,
                                      Span span)
{
    FrontExp *exp = node(p, FRONT_COMPONENT, span);
    exp->as.component.tuple = tuple;
    exp->as.component.position = (size_t)position;
    part(p, exp, tuple);
    return exp;
}

const FrontExp *front_parse_apply(FrontParser *p, const FrontExpList *items, Span span)
{
    FrontExp *exp = node(p, FRONT_APPLY, span);
    exp->as.apply.function = items->items[0];
    exp->as.apply.count = items->count - 1;
    exp->as.apply.arguments = items->items + 1;
    parts(p, exp, items->count, items->items);
    return exp;
}

const FrontExp *front_parse_pipe(FrontParser *p, const FrontExp *x, const FrontExp *f, Span span)
{
    FrontExpList items = {0};
    bool is_apply = f->kind == FRONT_APPLY;
    vec_push(p->c->arena, &items, is_apply ? f->as.apply.function : f);
    for (size_t i = 0; is_apply && i < f->as.apply.count; i++) {
        vec_push(p->c->arena, &items, f->as.apply.arguments[i]);
    }
    vec_push(p->c->arena, &items, x);
    return front_parse_apply(p, &items, span);
}

/* -3 is a constant. (-0 is not: as a real it would lose its sign.) */
static const FrontExp *negative_constant(FrontParser *p, const FrontExp *x, Span span)
{
    if (x->kind != FRONT_CONSTANT) {
        return NULL;
    }
    CoreAtom atom = x->as.constant.atom;
    if (core_is_int(atom.prim) && atom.as.integer > 0) {
        atom.as.integer = -atom.as.integer;
    } else if (core_is_real(atom.prim) && !signbit(atom.as.real) && !isnan(atom.as.real)) {
        atom.as.real = -atom.as.real;
    } else {
        return NULL;
    }
    return front_parse_literal(p, (FrontLiteral){atom, x->as.constant.is_adaptive}, span);
}

const FrontExp *front_parse_unary(FrontParser *p, CoreOperator op, const FrontExp *x, Span span)
{
    const FrontExp *constant = op == CORE_NEG ? negative_constant(p, x, span) : NULL;
    if (constant) {
        return constant;
    }
    FrontExp *exp = node(p, FRONT_UNARY, span);
    exp->as.operation.op = op;
    exp->as.operation.x = x;
    part(p, exp, x);
    return exp;
}

static FrontExpKind kind_of_infix(FrontInfix infix)
{
    switch (infix) {
    case FRONT_INFIX_OPERATOR: return FRONT_BINARY;
    case FRONT_INFIX_AND: return FRONT_AND;
    case FRONT_INFIX_OR: return FRONT_OR;
    case FRONT_INFIX_APPEND: return FRONT_APPEND;
    }
    return FRONT_BINARY;
}

static const FrontExp *operation(FrontParser *p, FrontExpKind kind, FrontOperator infix,
                                 const FrontExp *x, const FrontExp *y, Span span)
{
    FrontExp *exp = node(p, kind, span);
    exp->as.operation.infix = infix.infix;
    exp->as.operation.op = infix.op;
    exp->as.operation.x = x;
    exp->as.operation.y = y;
    part(p, exp, x);
    part(p, exp, y);
    return exp;
}

const FrontExp *front_parse_binary(FrontParser *p, FrontOperator infix, const FrontExp *x,
                                   const FrontExp *y, Span span)
{
    return operation(p, kind_of_infix(infix.infix), infix, x, y, span);
}

const FrontExp *front_parse_section(FrontParser *p, FrontOperator infix, const FrontExp *x,
                                    const FrontExp *y, Span span)
{
    return operation(p, FRONT_SECTION, infix, x, y, span);
}

/* ---- functions, bindings and control --------------------------------------------------------- */

const FrontExp *front_parse_lambda(FrontParser *p, const FrontPatternList *parameters,
                                   const FrontType *result, const FrontExp *body, Span head,
                                   Span span)
{
    FrontExp *exp = node(p, FRONT_LAMBDA, span);
    exp->as.lambda = front_parse_function(p, NULL, NO_SPAN, parameters, result, body, head);
    part(p, exp, body);
    return exp;
}

const FrontExp *front_parse_block(FrontParser *p, const FrontBindingList *bindings,
                                  const FrontExp *result, Span span)
{
    FrontExp *exp = node(p, FRONT_BLOCK, span);
    exp->as.block.count = bindings->count;
    exp->as.block.bindings = bindings->items;
    exp->as.block.result = result;
    for (size_t i = 0; i < bindings->count; i++) {
        const FrontBinding *binding = bindings->items[i];
        part(p, exp, binding->value);
        index_parts(p, exp, binding->index_count, binding->indices);
        part(p, exp, binding->function ? binding->function->body : NULL);
    }
    part(p, exp, result);
    return exp;
}

const FrontExp *front_parse_if(FrontParser *p, const FrontExp *condition, const FrontExp *yes,
                               const FrontExp *no, Span span)
{
    FrontExp *exp = node(p, FRONT_IF, span);
    exp->as.conditional.condition = condition;
    exp->as.conditional.then_exp = yes;
    exp->as.conditional.else_exp = no;
    part(p, exp, condition);
    part(p, exp, yes);
    part(p, exp, no);
    return exp;
}

FrontLoopItemList *front_parse_loop_head(FrontParser *p, const FrontLoopItemList *items,
                                         const FrontExp *initial, Span span)
{
    FrontLoopItemList *head = ARENA_NEW(p->c->arena, FrontLoopItemList);
    FrontPatternList patterns = {0};
    bool has_own = false;
    for (size_t i = 0; i < items->count; i++) {
        has_own = has_own || items->items[i].initial;
        vec_push(p->c->arena, &patterns, items->items[i].pattern);
    }
    if (has_own && initial) {
        front_parse_error(p, initial->span, "SYNTAX ERROR",
                          "these loop parameters have initial values of their own");
    }
    if (has_own) {
        *head = *items;
        return head;
    }
    FrontLoopItem item = {front_parse_tuple_pattern(p, &patterns, span), initial};
    vec_push(p->c->arena, head, item);
    return head;
}

const FrontExp *front_parse_loop(FrontParser *p, FrontLoopKind kind,
                                 const FrontLoopItemList *parameters, const FrontPattern *element,
                                 const FrontExp *limit, const FrontExp *body, Span span)
{
    size_t count = parameters->count;
    const FrontPattern **patterns = ARENA_ARRAY(p->c->arena, const FrontPattern *, count);
    const FrontExp **initial = ARENA_ARRAY(p->c->arena, const FrontExp *, count);
    for (size_t i = 0; i < count; i++) {
        patterns[i] = parameters->items[i].pattern;
        initial[i] = parameters->items[i].initial;
    }
    names_differ(p, count, patterns);
    if (element) {
        names_differ(p, 1, &element);
    }
    FrontExp *exp = node(p, FRONT_LOOP, span);
    exp->as.loop.kind = kind;
    exp->as.loop.parameter_count = count;
    exp->as.loop.parameters = patterns;
    exp->as.loop.initial = initial;
    exp->as.loop.element = element;
    exp->as.loop.limit = limit;
    exp->as.loop.body = body;
    parts(p, exp, count, initial);
    part(p, exp, limit);
    part(p, exp, body);
    return exp;
}

const FrontExp *front_parse_assert(FrontParser *p, const FrontExp *condition, const FrontExp *value,
                                   Span span)
{
    FrontExp *exp = node(p, FRONT_ASSERT, span);
    exp->as.assertion.condition = condition;
    exp->as.assertion.value = value;
    part(p, exp, condition);
    part(p, exp, value);
    return exp;
}

/* ---- entry ----------------------------------------------------------------------------------- */

const FrontProgram *front_parse(Compilation *c, const SourceFile *source)
{
    FrontParser p = {.c = c, .source = source};
    p.cursor = source->text;
    p.limit = source->text + source->length;
    int failed = front_yyparse(&p);
    if (failed || p.errors > 0) {
        return NULL;
    }
    FrontProgram *program = ARENA_NEW(c->arena, FrontProgram);
    program->count = p.definitions.count;
    program->definitions = p.definitions.items;
    return program;
}
