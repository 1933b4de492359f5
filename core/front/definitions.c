/* Definitions of the front form and calls of them. Sizes that parameters' types name become
   parameters in front; sizes of the result that the parameters do not determine are results in
   front of the arrays that have them ([PLDI] 2.2).

       def evens (xs : [n]i64) : []i64 = filter (\x -> x % 2 == 0) xs

           fun evens [n_1] (xs_2 : [n_1]i64) : (?i64, [m_5]i64) = ... in (m_5, t_6)

       evens ys        let (n : i64, t : [n]i64) = evens(k, ys)          ys : [k]i64 */
#include "core/front/elaborate.h"

/* ---- parameters ------------------------------------------------------------------------------ */

typedef struct Head {
    Elaborator *e;
    VEC(CoreName *) sizes, leaves;
} Head;

static CoreAtom new_size(Head *head, const char *text, Span span)
{
    CoreName *name = core_name(head->e->c, text, core_scalar(CORE_I64), span);
    vec_push(head->e->c->arena, &head->sizes, name);
    front_note_extent(head->e, core_use(name));
    return core_use(name);
}

/* [n]: an i64 parameter or size before it, else a new size. */
static CoreAtom size_of(Head *head, const FrontSize *size)
{
    Elaborator *e = head->e;
    if (size->kind == FRONT_SIZE_CONSTANT) {
        return core_i64(size->constant);
    }
    if (size->kind == FRONT_SIZE_ANY) {
        return new_size(head, "n", size->span);
    }
    const Value *known = front_lookup(e->environment, size->name);
    if (known && known->kind == VALUE_DATA) {
        if (front_type_is(known->type, CORE_I64)) {
            return known->leaves[0];
        }
        front_error(e, size->span, "TYPE ERROR", "a size must be i64, %s is %s", size->name,
                    front_type_text(e, known->type));
    }
    CoreAtom atom = new_size(head, size->name, size->span);
    e->environment = front_bind(e, e->environment, size->name, front_value_atom(e, atom));
    return atom;
}

static const Type *parameter_type(Head *head, const FrontType *written)
{
    Elaborator *e = head->e;
    if (written->kind == FRONT_TYPE_SCALAR) {
        return front_type_scalar(e, written->prim);
    }
    if (written->kind == FRONT_TYPE_ARRAY) {
        CoreAtom size = size_of(head, &written->size);
        return front_type_array(e, size, parameter_type(head, written->row));
    }
    const Type **items = ARENA_ARRAY(e->c->arena, const Type *, written->count);
    for (size_t i = 0; i < written->count; i++) {
        items[i] = parameter_type(head, written->items[i]);
    }
    return front_type_tuple(e, written->count, items);
}

/* (x : t), or (x : t, y : u) whose items have the types; the parser sees to that. */
static const Type *pattern_type(Head *head, const FrontPattern *pattern)
{
    Elaborator *e = head->e;
    if (pattern->type) {
        return parameter_type(head, pattern->type);
    }
    if (pattern->kind != FRONT_PATTERN_TUPLE) {
        internal_error(e->c, "a definition's parameter without a type");
    }
    const Type **items = ARENA_ARRAY(e->c->arena, const Type *, pattern->count);
    for (size_t i = 0; i < pattern->count; i++) {
        items[i] = pattern_type(head, pattern->items[i]);
    }
    return front_type_tuple(e, pattern->count, items);
}

static const Type *bind_parameter(Head *head, const FrontPattern *pattern)
{
    Elaborator *e = head->e;
    const Type *type = pattern_type(head, pattern);
    CoreName **names = front_name_leaves(e, type, pattern, "x");
    bool *unique = ARENA_ARRAY(e->c->arena, bool, type->leaf_count), *next = unique;
    front_pattern_unique(pattern, type, &next);
    for (size_t i = 0; i < type->leaf_count; i++) {
        names[i]->type.unique = unique[i] && names[i]->type.rank > 0;
        vec_push(e->c->arena, &head->leaves, names[i]);
    }
    front_bind_pattern(e, pattern, front_value_names(e, type, names));
    return type;
}

/* ---- results --------------------------------------------------------------------------------- */

typedef struct Existentials {
    Elaborator *e;
    const Head *head;
    VEC(CoreAtom) sizes;
} Existentials;

static void add_existential(void *context, CoreAtom size)
{
    Existentials *x = context;
    bool known = size.name == NULL;
    for (size_t i = 0; i < x->head->sizes.count && !known; i++) {
        known = x->head->sizes.items[i] == size.name;
    }
    for (size_t i = 0; i < x->head->leaves.count && !known; i++) {
        known = x->head->leaves.items[i] == size.name;
    }
    for (size_t i = 0; i < x->sizes.count && !known; i++) {
        known = x->sizes.items[i].name == size.name;
    }
    if (!known) {
        vec_push(x->e->c->arena, &x->sizes, size);
    }
}

static const CoreFunction *make_function(Elaborator *e, const Head *head, Definition *definition,
                                         const Value *result, Frame *frame)
{
    const FrontFunction *syntax = definition->syntax;
    Existentials x = {.e = e, .head = head};
    Arena *arena = e->c->arena;
    front_type_each_size(result->type, add_existential, &x);
    size_t sizes = x.sizes.count, count = sizes + result->type->leaf_count;
    CoreAtom *results = ARENA_ARRAY(arena, CoreAtom, count);
    CoreType *types = ARENA_ARRAY(arena, CoreType, count);
    bool *only_sizes = ARENA_ARRAY(arena, bool, count);
    bool *unique = ARENA_ARRAY(arena, bool, result->type->leaf_count), *next = unique;
    const CoreType *leaves = front_type_leaves(e, result->type);
    front_type_unique(syntax->result, result->type, false, &next);
    for (size_t i = 0; i < count; i++) {
        only_sizes[i] = i < sizes;
        results[i] = i < sizes ? x.sizes.items[i] : result->leaves[i - sizes];
        types[i] = i < sizes ? core_scalar(CORE_I64) : leaves[i - sizes];
        types[i].unique = i >= sizes && unique[i - sizes] && types[i].rank > 0;
    }
    CoreFunction *function = ARENA_NEW(arena, CoreFunction);
    function->name = syntax->name;
    function->size_count = head->sizes.count;
    function->parameter_count = head->sizes.count + head->leaves.count;
    CoreName **parameters = ARENA_ARRAY(arena, CoreName *, function->parameter_count);
    for (size_t i = 0; i < function->parameter_count; i++) {
        bool is_size = i < head->sizes.count;
        parameters[i] = is_size ? head->sizes.items[i] : head->leaves.items[i - head->sizes.count];
    }
    function->parameters = parameters;
    function->result_count = count;
    function->result_types = types;
    function->body = front_body(frame, count, results);
    function->is_entry = syntax->is_entry;
    function->span = syntax->span;
    definition->existential_count = sizes;
    function->size_results = sizes > 0 ? only_sizes : NULL;
    return function;
}

static void elaborate_definition(Elaborator *e, Definition *definition)
{
    const FrontFunction *syntax = definition->syntax;
    Head head = {.e = e};
    const Type **types = ARENA_ARRAY(e->c->arena, const Type *, syntax->parameter_count);
    Frame *frame = front_open(e, syntax->span);
    for (size_t i = 0; i < syntax->parameter_count; i++) {
        types[i] = bind_parameter(&head, syntax->parameters[i]);
    }
    Value result = front_data(e, syntax->body, (Want){front_type_wanted(e, syntax->result), NULL});
    if (syntax->result) {
        BUILDER(e)->span = syntax->result->span;
        result = front_ascribe(e, result, syntax->result, "the result");
    }
    front_close(e);
    if (result.kind != VALUE_DATA) {
        definition->is_wrong = true;
        return;
    }
    definition->parameters = types;
    definition->result = result.type;
    definition->function = make_function(e, &head, definition, &result, frame);
}

void front_define(Elaborator *e, const FrontFunction *syntax)
{
    const Environment *globals = e->environment;
    Definition *definition = &e->definitions[e->definition_count];
    definition->syntax = syntax;
    if (front_lookup(globals, syntax->name)) {
        front_error(e, syntax->name_span, "NAME ERROR", "%s is defined twice", syntax->name);
    }
    elaborate_definition(e, definition);
    e->definition_count++;
    Value function = front_function_value(
        e, (Function){.kind = FUNCTION_DEFINITION, .name = syntax->name, .definition = definition});
    e->environment = front_bind(e, globals, syntax->name, function);
}

/* ---- calls ----------------------------------------------------------------------------------- */

typedef struct Meaning {
    const CoreName *name; /* in the callee */
    CoreAtom atom;
} Meaning;

typedef struct Calling {
    Elaborator *e;
    VEC(Meaning) meanings;
    VEC(CoreAtom) found; /* sizes of an argument */
    size_t at;
} Calling;

static CoreAtom meaning_of(void *context, CoreAtom size)
{
    const Calling *call = context;
    for (size_t i = 0; i < call->meanings.count; i++) {
        if (call->meanings.items[i].name == size.name) {
            return size.name ? call->meanings.items[i].atom : size;
        }
    }
    return size;
}

static void add_meaning(Calling *call, const CoreName *name, CoreAtom atom)
{
    Meaning meaning = {name, atom};
    vec_push(call->e->c->arena, &call->meanings, meaning);
}

static void list_found(void *context, CoreAtom size)
{
    Calling *call = context;
    vec_push(call->e->c->arena, &call->found, size);
}

/* The size that an argument should have; the first use of an implicit size says what it is. */
static CoreAtom wanted_size(void *context, CoreAtom size)
{
    Calling *call = context;
    CoreAtom found = call->found.items[call->at++];
    CoreAtom meant = meaning_of(call, size);
    if (size.name && meant.name == size.name) {
        add_meaning(call, size.name, found);
        return found;
    }
    return meant;
}

static bool pass_argument(Calling *call, const Definition *definition, size_t i, Value value,
                          size_t *next, CoreAtom *arguments, Span span)
{
    Elaborator *e = call->e;
    const Type *type = definition->parameters[i];
    const CoreFunction *function = definition->function;
    value = front_force(e, value, (Want){front_type_unsized(e, type), NULL}, span);
    if (value.kind != VALUE_DATA) {
        return false;
    }
    if (!front_type_alike(type, value.type)) {
        const char *what = arena_printf(e->c->arena, "argument %zu of %s", i + 1, function->name);
        front_mismatch(e, span, what, front_type_text(e, type), front_type_text(e, value.type));
        return false;
    }
    call->found.count = call->at = 0;
    front_type_each_size(value.type, list_found, call);
    value = front_coerce(e, value, front_type_map(e, type, wanted_size, call));
    for (size_t j = 0; j < type->leaf_count; j++) {
        const CoreName *parameter = function->parameters[*next];
        if (parameter->type.rank == 0 && parameter->type.prim == CORE_I64) {
            add_meaning(call, parameter, value.leaves[j]);
        }
        arguments[(*next)++] = value.leaves[j];
    }
    return true;
}

static Value bind_call(Calling *call, const Definition *definition, const CoreExp *exp,
                       const char *text)
{
    Elaborator *e = call->e;
    const CoreFunction *function = definition->function;
    CoreName **pattern = ARENA_ARRAY(e->c->arena, CoreName *, function->result_count);
    size_t sizes = definition->existential_count;
    for (size_t i = 0; i < sizes; i++) {
        const CoreName *inner = function->body->results[i].name;
        pattern[i] = core_name(e->c, inner->text, core_scalar(CORE_I64), BUILDER(e)->span);
        front_note_extent(e, core_use(pattern[i]));
        add_meaning(call, inner, core_use(pattern[i]));
    }
    const Type *type = front_type_map(e, definition->result, meaning_of, call);
    CoreName **names = front_name_leaves(e, type, NULL, text);
    for (size_t i = 0; i < type->leaf_count; i++) {
        pattern[sizes + i] = names[i];
    }
    core_bind(BUILDER(e), function->result_count, pattern, exp);
    return front_value_names(e, type, names);
}

Value front_call(Elaborator *e, const Definition *definition, const Value *arguments, Want want,
                 Span span)
{
    const CoreFunction *function = definition->function;
    Calling call = {.e = e};
    if (definition->is_wrong || !function) {
        return ERROR_VALUE;
    }
    CoreAtom *atoms = ARENA_ARRAY(e->c->arena, CoreAtom, function->parameter_count);
    size_t next = function->size_count;
    bool fits = true;
    for (size_t i = 0; i < definition->syntax->parameter_count; i++) {
        Span place = front_value_span(&arguments[i], span);
        fits = pass_argument(&call, definition, i, arguments[i], &next, atoms, place) && fits;
        if (!fits) {
            next = function->size_count; /* nothing is called */
        }
    }
    if (!fits) {
        return ERROR_VALUE;
    }
    for (size_t i = 0; i < function->size_count; i++) {
        atoms[i] = meaning_of(&call, core_use(function->parameters[i]));
    }
    const CoreExp *exp = core_exp_apply(e->c, function->name, function->parameter_count, atoms);
    return bind_call(&call, definition, exp, want.text);
}
