/* Values of the front form: trees whose leaves are core atoms; patterns that take them apart; types
   that are written for them.

       let (a, (b, _)) : (i64, ([n]f64, bool)) = ...     a: leaf 0, b: leaf 1 of three */
#include "core/front/elaborate.h"

/* ---- making ---------------------------------------------------------------------------------- */

Value front_value(const Type *type, const CoreAtom *leaves)
{
    return (Value){.kind = VALUE_DATA, .type = type, .leaves = leaves};
}

/* Sizes of arrays are not negative. */
static void note_size(void *context, CoreAtom size)
{
    front_assume_nonnegative(context, size);
}

Value front_value_atom(Elaborator *e, CoreAtom atom)
{
    CoreType core = core_atom_type(atom);
    const Type *type = front_type_scalar(e, core.prim);
    for (int i = core.rank; i-- > 0;) {
        type = front_type_array(e, core.sizes[i], type);
    }
    front_type_each_size(type, note_size, e);
    return front_value(type, arena_copy(e->c->arena, &atom, sizeof atom));
}

Value front_value_tuple(Elaborator *e, size_t count, const Value *items)
{
    const Type **types = ARENA_ARRAY(e->c->arena, const Type *, count);
    for (size_t i = 0; i < count; i++) {
        if (items[i].kind != VALUE_DATA) {
            return ERROR_VALUE;
        }
        types[i] = items[i].type;
    }
    CoreAtom *leaves;
    front_all_leaves(e, count, items, &leaves);
    return front_value(front_type_tuple(e, count, types), leaves);
}

size_t front_all_leaves(Elaborator *e, size_t count, const Value *values, CoreAtom **leaves)
{
    size_t total = 0, next = 0;
    for (size_t i = 0; i < count; i++) {
        total += values[i].type->leaf_count;
    }
    *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, total);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < values[i].type->leaf_count; j++) {
            (*leaves)[next++] = values[i].leaves[j];
        }
    }
    return total;
}

Value front_value_item(const Value *tuple, size_t i)
{
    const CoreAtom *leaves = tuple->leaves;
    for (size_t j = 0; j < i; j++) {
        leaves += tuple->type->items[j]->leaf_count;
    }
    return front_value(tuple->type->items[i], leaves);
}

Span front_value_span(const Value *value, Span otherwise)
{
    return value->span.file ? value->span : otherwise;
}

Value front_force(Elaborator *e, Value value, Want want, Span span)
{
    if (value.kind == VALUE_FUNCTION && value.function->given_count > 0) {
        front_arity_error(e, value.function, value.function->given_count, span);
        return ERROR_VALUE;
    }
    if (value.kind == VALUE_LITERAL) {
        return front_data(e, value.literal, want);
    }
    if (value.kind == VALUE_FUNCTION) {
        front_error(e, span, "TYPE ERROR", "%s is a function where a value is needed",
                    value.function->name);
        return ERROR_VALUE;
    }
    return value;
}

const char *front_value_text(Elaborator *e, const Value *value)
{
    return value->kind == VALUE_DATA ? front_type_text(e, value->type) : "a function";
}

/* ---- names for leaves ------------------------------------------------------------------------ */

const char *front_pattern_text(const FrontPattern *pattern)
{
    return pattern && pattern->kind == FRONT_PATTERN_NAME ? pattern->name : NULL;
}

const Type *front_pattern_wanted(Elaborator *e, const FrontPattern *pattern)
{
    if (pattern->type || pattern->kind != FRONT_PATTERN_TUPLE) {
        return front_type_wanted(e, pattern->type);
    }
    const Type **items = ARENA_ARRAY(e->c->arena, const Type *, pattern->count);
    for (size_t i = 0; i < pattern->count; i++) {
        items[i] = front_pattern_wanted(e, pattern->items[i]);
        if (!items[i]) {
            return NULL;
        }
    }
    return front_type_tuple(e, pattern->count, items);
}

void front_pattern_unique(const FrontPattern *pattern, const Type *type, bool **next)
{
    bool fits = pattern && !pattern->type && pattern->kind == FRONT_PATTERN_TUPLE &&
                type->kind == TYPE_TUPLE && pattern->count == type->count;
    if (!fits) {
        front_type_unique(pattern ? pattern->type : NULL, type, false, next);
        return;
    }
    for (size_t i = 0; i < type->count; i++) {
        front_pattern_unique(pattern->items[i], type->items[i], next);
    }
}

static void name_leaves(Elaborator *e, const Type *type, const FrontPattern *pattern,
                        const char *text, const CoreType **types, CoreName ***next)
{
    if (pattern && pattern->kind == FRONT_PATTERN_TUPLE && type->kind == TYPE_TUPLE &&
        pattern->count == type->count) {
        for (size_t i = 0; i < type->count; i++) {
            name_leaves(e, type->items[i], pattern->items[i], text, types, next);
        }
        return;
    }
    Span span = pattern ? pattern->span : BUILDER(e)->span;
    const char *own = front_pattern_text(pattern);
    for (size_t i = 0; i < type->leaf_count; i++) {
        *(*next)++ = core_name(e->c, own ? own : text, *(*types)++, span);
    }
}

CoreName **front_name_leaves(Elaborator *e, const Type *type, const FrontPattern *pattern,
                             const char *text)
{
    CoreName **names = ARENA_ARRAY(e->c->arena, CoreName *, type->leaf_count), **next = names;
    const CoreType *types = front_type_leaves(e, type);
    name_leaves(e, type, pattern, text ? text : "t", &types, &next);
    return names;
}

Value front_value_names(Elaborator *e, const Type *type, CoreName *const *names)
{
    CoreAtom *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, type->leaf_count);
    for (size_t i = 0; i < type->leaf_count; i++) {
        leaves[i] = core_use(names[i]);
    }
    front_type_each_size(type, note_size, e);
    return front_value(type, leaves);
}

Value front_let(Elaborator *e, const char *text, const Type *type, const CoreExp *exp)
{
    CoreName **names = front_name_leaves(e, type, NULL, text);
    core_bind(BUILDER(e), type->leaf_count, names, exp);
    return front_value_names(e, type, names);
}

/* ---- patterns -------------------------------------------------------------------------------- */

static void bind(Elaborator *e, const char *name, Value value)
{
    e->environment = front_bind(e, e->environment, name, value);
}

void front_bind_pattern(Elaborator *e, const FrontPattern *pattern, Value value)
{
    if (pattern->type) {
        value = front_ascribe(e, value, pattern->type, NULL);
    }
    if (pattern->kind == FRONT_PATTERN_NAME) {
        bind(e, pattern->name, value);
        return;
    }
    if (pattern->kind == FRONT_PATTERN_ANY) {
        return;
    }
    Span span = front_value_span(&value, pattern->span);
    value = front_force(e, value, NO_WANT, span);
    bool fits = value.kind == VALUE_DATA && value.type->kind == TYPE_TUPLE &&
                value.type->count == pattern->count;
    if (value.kind == VALUE_DATA && !fits) {
        const char *expected = pattern->count == 0
                                   ? "()"
                                   : arena_printf(e->c->arena, "a tuple of %zu", pattern->count);
        front_mismatch(e, pattern->span, NULL, expected, front_type_text(e, value.type));
    }
    for (size_t i = 0; i < pattern->count; i++) {
        front_bind_pattern(e, pattern->items[i], fits ? front_value_item(&value, i) : ERROR_VALUE);
    }
}

/* ---- written types --------------------------------------------------------------------------- */

/* [n]: n's value where it has one, else n is a name for the found size from here on. */
static CoreAtom named_size(Elaborator *e, const FrontSize *size, CoreAtom found)
{
    const Value *known = front_lookup(e->environment, size->name);
    if (known && known->kind == VALUE_LITERAL) {
        Value forced = front_force(e, *known, NO_WANT, size->span);
        return forced.kind == VALUE_DATA && front_type_is(forced.type, CORE_I64) ? forced.leaves[0]
                                                                                 : found;
    }
    if (!known || known->kind == VALUE_FUNCTION) {
        bind(e, size->name, front_value_atom(e, found));
        return found;
    }
    if (known->kind == VALUE_ERROR) {
        return found;
    }
    if (!front_type_is(known->type, CORE_I64)) {
        front_error(e, size->span, "TYPE ERROR", "a size must be i64, %s is %s", size->name,
                    front_type_text(e, known->type));
        return found;
    }
    return known->leaves[0];
}

static const Type *ascribed(Elaborator *e, const Type *found, const FrontType *written,
                            OpenSize *open, void *context)
{
    if (written->kind == FRONT_TYPE_ARRAY) {
        CoreAtom size = found->size;
        if (written->size.kind == FRONT_SIZE_CONSTANT) {
            size = core_i64(written->size.constant);
        } else if (written->size.kind == FRONT_SIZE_NAME) {
            size = named_size(e, &written->size, size);
        } else if (open) {
            size = open(context, size);
        }
        return front_type_array(e, size, ascribed(e, found->row, written->row, open, context));
    }
    if (written->kind == FRONT_TYPE_SCALAR) {
        return found;
    }
    const Type **items = ARENA_ARRAY(e->c->arena, const Type *, found->count);
    for (size_t i = 0; i < found->count; i++) {
        items[i] = ascribed(e, found->items[i], written->items[i], open, context);
    }
    return front_type_tuple(e, found->count, items);
}

const Type *front_ascribed_type(Elaborator *e, const Type *found, const FrontType *written,
                                const char *what, Span span, OpenSize *open, void *context)
{
    if (!front_type_alike(found, front_type_wanted(e, written))) {
        front_mismatch(e, span, what, front_written_text(e, written), front_type_text(e, found));
        return NULL;
    }
    return ascribed(e, found, written, open, context);
}

/* After an error, what the type's size names name is unknown. */
static void bind_unknown_sizes(Elaborator *e, const FrontType *written)
{
    for (; written->kind == FRONT_TYPE_ARRAY; written = written->row) {
        if (written->size.kind == FRONT_SIZE_NAME &&
            !front_lookup(e->environment, written->size.name)) {
            bind(e, written->size.name, ERROR_VALUE);
        }
    }
    for (size_t i = 0; written->kind == FRONT_TYPE_TUPLE && i < written->count; i++) {
        bind_unknown_sizes(e, written->items[i]);
    }
}

Value front_ascribe(Elaborator *e, Value value, const FrontType *written, const char *what)
{
    Want want = {front_type_wanted(e, written), NULL};
    Span span = front_value_span(&value, written->span);
    const Type *type = NULL;
    value = front_force(e, value, want, span);
    if (value.kind == VALUE_DATA) {
        type = front_ascribed_type(e, value.type, written, what, span, NULL, NULL);
    }
    if (!type) {
        bind_unknown_sizes(e, written);
        return ERROR_VALUE;
    }
    return front_coerce(e, value, type);
}
