/* Loops of the front form. The state's leaves become loop parameters; they keep the sizes of their
   initial values, which is asserted of the next values, but for sizes written [], which are state
   themselves:

       loop (xs : []i64) = [1] for i < n do xs ++ xs

           loop (k : i64 = 1, xs : [k]i64 = xs0) for i < n do { ... in (k2, xs2) }

   The condition of a while loop is a parameter too: computed before the loop, and again from the
   next values. */
#include "core/front/elaborate.h"

/* A size that is state. */
typedef struct StateSize {
    CoreName *parameter;
    CoreAtom initial, next;
    CoreName *result;
} StateSize;

typedef struct Loop {
    Elaborator *e;
    const FrontExp *exp;
    size_t count;               /* of patterns */
    const Type **types;         /* sizes: of outside, or parameters of the loop */
    Value *initial;             /* of these types, with initial sizes */
    VEC(StateSize) sizes;       /* that are state */
    VEC(CoreName *) parameters; /* condition, sizes, leaves */
    VEC(CoreAtom) starts, nexts;
    CoreName *condition; /* WHILE */
    const Environment *environment;
    bool wrong;
} Loop;

/* ---- initial values -------------------------------------------------------------------------- */

/* The value of the names in a pattern: loop acc for ... */
static Value same_names(Elaborator *e, const FrontPattern *pattern)
{
    if (pattern->kind == FRONT_PATTERN_NAME) {
        const Value *value = front_lookup(e->environment, pattern->name);
        if (!value) {
            front_unknown(e, pattern->name, pattern->span);
            return ERROR_VALUE;
        }
        return front_force(e, *value, NO_WANT, pattern->span);
    }
    if (pattern->kind == FRONT_PATTERN_ANY) {
        front_error(e, pattern->span, "TYPE ERROR", "_ has no initial value");
        return ERROR_VALUE;
    }
    Value *items = ARENA_ARRAY(e->c->arena, Value, pattern->count);
    for (size_t i = 0; i < pattern->count; i++) {
        items[i] = same_names(e, pattern->items[i]);
    }
    return front_value_tuple(e, pattern->count, items);
}

static CoreAtom state_size(void *context, CoreAtom found)
{
    Loop *loop = context;
    CoreName *name = core_name(loop->e->c, "n", core_scalar(CORE_I64), BUILDER(loop->e)->span);
    StateSize size = {.parameter = name, .initial = found};
    front_note_extent(loop->e, core_use(name));
    vec_push(loop->e->c->arena, &loop->sizes, size);
    return core_use(name);
}

/* The type of what a pattern is bound to, its annotations applied. NULL after an error. */
static const Type *state_type(Loop *loop, const FrontPattern *pattern, const Type *found, Span span)
{
    Elaborator *e = loop->e;
    if (pattern->type) {
        return front_ascribed_type(e, found, pattern->type, "the loop's initial value", span,
                                   state_size, loop);
    }
    if (pattern->kind != FRONT_PATTERN_TUPLE || found->kind != TYPE_TUPLE ||
        pattern->count != found->count) {
        return found;
    }
    const Type **items = ARENA_ARRAY(e->c->arena, const Type *, found->count);
    for (size_t i = 0; i < found->count; i++) {
        items[i] = state_type(loop, pattern->items[i], found->items[i], span);
        if (!items[i]) {
            return NULL;
        }
    }
    return front_type_tuple(e, found->count, items);
}

static CoreAtom initial_size(void *context, CoreAtom size)
{
    const Loop *loop = context;
    for (size_t i = 0; i < loop->sizes.count; i++) {
        if (loop->sizes.items[i].parameter == size.name) {
            return loop->sizes.items[i].initial;
        }
    }
    return size;
}

static void begin_state(Loop *loop)
{
    Elaborator *e = loop->e;
    loop->types = ARENA_ARRAY(e->c->arena, const Type *, loop->count);
    loop->initial = ARENA_ARRAY(e->c->arena, Value, loop->count);
    for (size_t i = 0; i < loop->count; i++) {
        const FrontPattern *pattern = loop->exp->as.loop.parameters[i];
        const FrontExp *initial = loop->exp->as.loop.initial[i];
        Want want = {front_pattern_wanted(e, pattern), front_pattern_text(pattern)};
        loop->initial[i] = initial ? front_data(e, initial, want) : same_names(e, pattern);
    }
    for (size_t i = 0; i < loop->count; i++) { /* all are evaluated outside of all names */
        const FrontPattern *pattern = loop->exp->as.loop.parameters[i];
        Value *value = &loop->initial[i];
        Span span = front_value_span(value, pattern->span);
        loop->types[i] =
            value->kind == VALUE_DATA ? state_type(loop, pattern, value->type, span) : NULL;
        if (!loop->types[i]) {
            *value = ERROR_VALUE;
            loop->wrong = true;
            continue;
        }
        *value = front_coerce(e, *value, front_type_map(e, loop->types[i], initial_size, loop));
    }
}

/* ---- parameters ------------------------------------------------------------------------------ */

static void bind_patterns(Loop *loop, const Value *values)
{
    for (size_t i = 0; i < loop->count; i++) {
        front_bind_pattern(loop->e, loop->exp->as.loop.parameters[i],
                           loop->wrong ? ERROR_VALUE : values[i]);
    }
}

/* Names for the state, in the frame of the body. */
static void make_parameters(Loop *loop)
{
    Elaborator *e = loop->e;
    Arena *arena = e->c->arena;
    Value *values = ARENA_ARRAY(arena, Value, loop->count);
    for (size_t i = 0; i < loop->sizes.count && !loop->wrong; i++) {
        vec_push(arena, &loop->parameters, loop->sizes.items[i].parameter);
        vec_push(arena, &loop->starts, loop->sizes.items[i].initial);
    }
    for (size_t i = 0; i < loop->count && !loop->wrong; i++) {
        const FrontPattern *pattern = loop->exp->as.loop.parameters[i];
        const Type *type = loop->types[i];
        CoreName **names = front_name_leaves(e, type, pattern, "x");
        bool *unique = ARENA_ARRAY(arena, bool, type->leaf_count), *next = unique;
        front_pattern_unique(pattern, type, &next);
        for (size_t j = 0; j < type->leaf_count; j++) {
            names[j]->type.unique = unique[j] && names[j]->type.rank > 0;
            vec_push(arena, &loop->parameters, names[j]);
            vec_push(arena, &loop->starts, loop->initial[i].leaves[j]);
        }
        values[i] = front_value_names(e, type, names);
    }
    bind_patterns(loop, values);
}

/* ---- next values ----------------------------------------------------------------------------- */

/* Walks the type of the state and that of the next value together. */
typedef struct NextSizes {
    Loop *loop;
    VEC(CoreAtom) found;
    size_t at;
} NextSizes;

static void list_found(void *context, CoreAtom size)
{
    NextSizes *next = context;
    vec_push(next->loop->e->c->arena, &next->found, size);
}

static CoreAtom next_size(void *context, CoreAtom size)
{
    NextSizes *next = context;
    CoreAtom found = next->found.items[next->at++];
    for (size_t i = 0; i < next->loop->sizes.count; i++) {
        StateSize *state = &next->loop->sizes.items[i];
        if (state->parameter == size.name) {
            state->next = found;
            return found;
        }
    }
    return size;
}

/* The body's value as next values of the parameters. */
static void end_body(Loop *loop, const Type *wanted)
{
    Elaborator *e = loop->e;
    const FrontExp *body = loop->exp->as.loop.body;
    Value value = front_data(e, body, (Want){wanted, NULL});
    if (loop->wrong || value.kind != VALUE_DATA) {
        loop->wrong = true;
        return;
    }
    if (!front_type_alike(value.type, wanted)) {
        front_mismatch(e, body->span, "the loop's next value", front_type_text(e, wanted),
                       front_type_text(e, value.type));
        loop->wrong = true;
        return;
    }
    NextSizes next = {.loop = loop};
    Span span = BUILDER(e)->span;
    BUILDER(e)->span = body->span;
    front_type_each_size(value.type, list_found, &next);
    value = front_coerce(e, value, front_type_map(e, wanted, next_size, &next));
    BUILDER(e)->span = span;
    Value *values = ARENA_ARRAY(e->c->arena, Value, loop->count);
    for (size_t i = 0; i < loop->count; i++) {
        values[i] = loop->count > 1 ? front_value_item(&value, i) : value;
    }
    if (loop->condition) {
        CoreAtom condition;
        e->environment = loop->environment;
        bind_patterns(loop, values);
        if (!front_scalar(e, loop->exp->as.loop.limit, CORE_BOOL, "the condition of while", NULL,
                          &condition)) {
            loop->wrong = true;
            return;
        }
        vec_push(e->c->arena, &loop->nexts, condition);
    }
    for (size_t i = 0; i < loop->sizes.count; i++) {
        vec_push(e->c->arena, &loop->nexts, loop->sizes.items[i].next);
    }
    for (size_t i = 0; i < value.type->leaf_count; i++) {
        vec_push(e->c->arena, &loop->nexts, value.leaves[i]);
    }
}

/* ---- results --------------------------------------------------------------------------------- */

static CoreAtom result_size(void *context, CoreAtom size)
{
    const Loop *loop = context;
    for (size_t i = 0; i < loop->sizes.count; i++) {
        if (loop->sizes.items[i].parameter == size.name) {
            return core_use(loop->sizes.items[i].result);
        }
    }
    return size;
}

static Value bind_results(Loop *loop, const CoreExp *exp, const char *text)
{
    Elaborator *e = loop->e;
    Arena *arena = e->c->arena;
    VEC(CoreName *) pattern = {0};
    Value *results = ARENA_ARRAY(arena, Value, loop->count);
    if (loop->condition) {
        vec_push(arena, &pattern,
                 core_name(e->c, "going", core_scalar(CORE_BOOL), BUILDER(e)->span));
    }
    for (size_t i = 0; i < loop->sizes.count; i++) {
        CoreName *size = core_name(e->c, "n", core_scalar(CORE_I64), BUILDER(e)->span);
        loop->sizes.items[i].result = size;
        front_note_extent(e, core_use(size));
        vec_push(arena, &pattern, size);
    }
    for (size_t i = 0; i < loop->count; i++) {
        const Type *type = front_type_map(e, loop->types[i], result_size, loop);
        const FrontPattern *names_from = text ? NULL : loop->exp->as.loop.parameters[i];
        CoreName **names = front_name_leaves(e, type, names_from, text);
        for (size_t j = 0; j < type->leaf_count; j++) {
            vec_push(arena, &pattern, names[j]);
        }
        results[i] = front_value_names(e, type, names);
    }
    core_bind(BUILDER(e), pattern.count, pattern.items, exp);
    return loop->count == 1 ? results[0] : front_value_tuple(e, loop->count, results);
}

/* Parameters that the body consumes are unique, though nobody wrote so. */
static void infer_unique(Loop *loop, const CoreBody *body)
{
    size_t count = loop->parameters.count;
    bool *consumed = ARENA_ARRAY(loop->e->c->arena, bool, count);
    front_consumed(loop->e, body, count, loop->parameters.items, consumed);
    for (size_t i = 0; i < count; i++) {
        loop->parameters.items[i]->type.unique |= consumed[i];
    }
}

/* ---- the three kinds ------------------------------------------------------------------------- */

/* What stands before the body: the bound, the array, the first condition. */
typedef struct Head {
    CoreAtom bound;
    Value array;
} Head;

static void begin_head(Loop *loop, Head *head)
{
    Elaborator *e = loop->e;
    const FrontExp *limit = loop->exp->as.loop.limit;
    CoreAtom condition;
    switch (loop->exp->as.loop.kind) {
    case FRONT_FOR_LESS:
        loop->wrong |=
            !front_scalar(e, limit, CORE_I64, "the bound of the loop", NULL, &head->bound);
        return;
    case FRONT_FOR_IN:
        head->array = front_data(e, limit, NO_WANT);
        if (!front_need_array(e, &head->array, "the loop's array", limit->span)) {
            loop->wrong = true;
            return;
        }
        head->bound = head->array.type->size;
        return;
    case FRONT_WHILE:
        bind_patterns(loop, loop->initial);
        if (!front_scalar(e, limit, CORE_BOOL, "the condition of while", NULL, &condition)) {
            loop->wrong = true;
            return;
        }
        vec_push(e->c->arena, &loop->starts, condition);
        return;
    }
}

/* The index or condition, and the element, in the frame of the body. */
static CoreName *begin_body(Loop *loop, const Head *head)
{
    Elaborator *e = loop->e;
    const FrontPattern *element = loop->exp->as.loop.element;
    if (loop->exp->as.loop.kind == FRONT_WHILE) {
        loop->condition = core_name(e->c, "going", core_scalar(CORE_BOOL), BUILDER(e)->span);
        vec_push(e->c->arena, &loop->parameters, loop->condition);
        make_parameters(loop);
        loop->environment = e->environment;
        return NULL;
    }
    make_parameters(loop);
    bool is_less = loop->exp->as.loop.kind == FRONT_FOR_LESS;
    const char *text = is_less ? front_pattern_text(element) : NULL;
    CoreName *index = core_name(e->c, text ? text : "i", core_scalar(CORE_I64), element->span);
    front_note_extent(e, core_use(index));
    Value value = ERROR_VALUE;
    if (is_less) {
        value = front_value_atom(e, core_use(index));
    } else if (head->array.kind == VALUE_DATA && head->array.type->kind == TYPE_ARRAY) {
        value = front_row(e, head->array, core_use(index), front_pattern_text(element));
    }
    front_bind_pattern(e, element, value);
    return index;
}

Value front_loop(Elaborator *e, const FrontExp *exp, Want want)
{
    Loop loop = {.e = e, .exp = exp, .count = exp->as.loop.parameter_count};
    Head head = {.array = ERROR_VALUE};
    const Environment *outer = e->environment;
    begin_state(&loop);
    const Environment *sized = e->environment;
    if (exp->as.loop.kind != FRONT_WHILE) {
        e->environment = outer;
    }
    begin_head(&loop, &head);
    e->environment = sized;
    Frame *frame = front_open(e, exp->span);
    CoreName *index = begin_body(&loop, &head);
    const Type *wanted = NULL;
    if (!loop.wrong) {
        wanted = loop.count == 1 ? loop.types[0] : front_type_tuple(e, loop.count, loop.types);
    }
    end_body(&loop, wanted);
    front_close(e);
    e->environment = outer;
    if (loop.wrong) {
        return ERROR_VALUE;
    }
    const CoreBody *body = front_body(frame, loop.nexts.count, loop.nexts.items);
    infer_unique(&loop, body);
    size_t count = loop.parameters.count;
    CoreName *const *names = loop.parameters.items;
    const CoreExp *core =
        index ? core_exp_for(e->c, count, names, loop.starts.items, index, head.bound, body)
              : core_exp_while(e->c, count, names, loop.starts.items, loop.condition, body);
    return bind_results(&loop, core, want.text);
}
