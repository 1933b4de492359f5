/* Forms: what a value that passes through a loop or an if is made of.

   A loop state must have one type from step to step, both branches of an if must have one too. The
   form of a value says which arrays it has (its leaves) and what is known of them; the join of two
   forms is what holds of both. A strand of scalars is as many scalar leaves, so that

       ({(x y)←⍵ ⋄ (y)(x+y)}⍣n) 0 1

   becomes a loop over two scalars, not over a vector. Joins only forget (elements become an array,
   known extents unknown, bool becomes int becomes double), so widening to a fixed point ends. Of no
   nested items the prototype is a leaf. */
#include "apl/elaborate/internal.h"

static Form *new_form(Elaboration *e, FormKind kind, const Value *value)
{
    Form *form = ARENA_NEW(e->c->arena, Form);
    form->kind = kind;
    form->base = value->base;
    form->rank = value->rank;
    form->extents = value->extents;
    return form;
}

const Form *elab_form(Elaboration *e, const Value *value, Span span)
{
    if (value->kind != VALUE_ARRAY && value->kind != VALUE_TUPLE) {
        elab_fail(e, span, "SYNTAX ERROR", "an array is wanted, not a function");
    }
    bool elements = elab_has_elements(value);
    if (value->kind == VALUE_ARRAY && !elements) {
        return new_form(e, FORM_ARRAY, value);
    }
    Form *form = new_form(e, elements ? FORM_ELEMENTS : FORM_TUPLE, value);
    form->count = elements ? (size_t)value->extents[0] : value->count + (value->count == 0);
    const Form **items = ARENA_ARRAY(e->c->arena, const Form *, form->count + 1);
    for (size_t i = 0; i < form->count; i++) {
        items[i] =
            elab_form(e, elements ? elab_element(e, value, (int64_t)i) : value->items[i], span);
    }
    form->items = items;
    return form;
}

static const Form *join_arrays(Elaboration *e, const Form *a, const Form *b)
{
    bool mixed = a->base != b->base && (!elab_numeric(a->base) || !elab_numeric(b->base));
    if (a->rank != b->rank || mixed) {
        return NULL;
    }
    Form *form = ARENA_NEW(e->c->arena, Form);
    int64_t *extents = elab_extents(e, a->rank);
    for (int64_t i = 0; i < a->rank; i++) {
        extents[i] = a->extents[i] == b->extents[i] ? a->extents[i] : -1;
    }
    *form = (Form){.kind = FORM_ARRAY, .rank = a->rank, .extents = extents};
    form->base = a->base > b->base ? a->base : b->base;
    return form;
}

const Form *elab_form_try_join(Elaboration *e, const Form *a, const Form *b)
{
    bool itemwise = a->kind != FORM_ARRAY && b->kind != FORM_ARRAY && a->count == b->count &&
                    a->rank == b->rank;
    for (int64_t i = 0; itemwise && i < a->rank; i++) {
        itemwise = a->extents[i] == b->extents[i];
    }
    if (!itemwise) {
        return a->kind == FORM_TUPLE || b->kind == FORM_TUPLE ? NULL : join_arrays(e, a, b);
    }
    Form *form = arena_copy(e->c->arena, a, sizeof *a);
    const Form **items = ARENA_ARRAY(e->c->arena, const Form *, a->count + 1);
    form->kind = a->kind == FORM_TUPLE || b->kind == FORM_TUPLE ? FORM_TUPLE : FORM_ELEMENTS;
    form->base = a->base > b->base ? a->base : b->base;
    for (size_t i = 0; i < a->count; i++) {
        items[i] = elab_form_try_join(e, a->items[i], b->items[i]);
        if (items[i] == NULL) {
            return form->kind == FORM_ELEMENTS ? join_arrays(e, a, b) : NULL;
        }
    }
    form->items = items;
    return form;
}

static const char *form_text(Elaboration *e, const Form *form)
{
    if (form->kind == FORM_TUPLE) {
        return arena_printf(e->c->arena, "%zu nested items", form->count);
    }
    return arena_printf(e->c->arena, "%s of rank %lld",
                        form->base == TAIL_CHAR ? "characters" : "numbers", (long long)form->rank);
}

/* Of two forms that do not join the first items that do not, where there are such. */
static void find_difference(Elaboration *e, const Form **a, const Form **b)
{
    const Form *x = *a, *y = *b;
    bool tuples = x->kind == FORM_TUPLE && y->kind == FORM_TUPLE && x->count == y->count;
    for (size_t i = 0; tuples && i < x->count; i++) {
        if (elab_form_try_join(e, x->items[i], y->items[i]) == NULL) {
            *a = x->items[i];
            *b = y->items[i];
            find_difference(e, a, b);
            return;
        }
    }
}

const Form *elab_form_join(Elaboration *e, const Form *a, const Form *b, Span span,
                           const char *what)
{
    const Form *join = elab_form_try_join(e, a, b);
    if (join == NULL) {
        find_difference(e, &a, &b);
        bool ranks = a->kind != FORM_TUPLE && b->kind != FORM_TUPLE && a->rank != b->rank;
        elab_fail(e, span, ranks ? "RANK ERROR" : "DOMAIN ERROR", "%s: %s and %s", what,
                  form_text(e, a), form_text(e, b));
    }
    return join;
}

bool elab_form_equal(const Form *a, const Form *b)
{
    if (a->kind != b->kind || a->rank != b->rank || a->count != b->count) {
        return false;
    }
    if (a->kind == FORM_ARRAY && a->base != b->base) {
        return false;
    }
    for (int64_t i = 0; i < a->rank; i++) {
        if (a->extents[i] != b->extents[i]) {
            return false;
        }
    }
    for (size_t i = 0; i < a->count; i++) {
        if (!elab_form_equal(a->items[i], b->items[i])) {
            return false;
        }
    }
    return true;
}

void elab_form_types(Elaboration *e, const Form *form, TypeVec *types)
{
    if (form->kind == FORM_ARRAY) {
        vec_push(e->c->arena, types, tail_array_type(e->c, form->base, form->rank));
        return;
    }
    for (size_t i = 0; i < form->count; i++) {
        elab_form_types(e, form->items[i], types);
    }
}

void elab_form_pack(Elaboration *e, const Form *form, Value *value, Span span, ExpVec *leaves)
{
    if (form->kind == FORM_ARRAY) {
        vec_push(e->c->arena, leaves, elab_cast(e, value, form->base, span)->exp);
        return;
    }
    for (size_t i = 0; i < form->count; i++) {
        elab_form_pack(e, form->items[i], elab_item(e, value, (int64_t)i, span), span, leaves);
    }
}

Value *elab_form_unpack(Elaboration *e, const Form *form, const TailExp *const *leaves,
                        size_t *next, Span span)
{
    if (form->kind == FORM_ARRAY) {
        Value *value = elab_value(e, leaves[(*next)++], span);
        elab_set_extents(value, form->extents);
        return value;
    }
    Value **items = ARENA_ARRAY(e->c->arena, Value *, form->count + 1);
    for (size_t i = 0; i < form->count; i++) {
        items[i] = elab_form_unpack(e, form->items[i], leaves, next, span);
    }
    if (form->kind == FORM_ELEMENTS) {
        return elab_vector(e, form->count, items, span);
    }
    if (form->rank == 0) {
        return elab_enclose(e, items[0], span);
    }
    return elab_form_tuple(e, form, items, span);
}

Value *elab_form_tuple(Elaboration *e, const Form *form, Value *const *items, Span span)
{
    size_t count = form->count;
    for (int64_t i = 0; i < form->rank; i++) {
        count = form->extents[i] == 0 ? 0 : count;
    }
    return elab_record(e, form->rank, form->extents, count, items, span);
}

const TailType *elab_form_type(Elaboration *e, const Form *form)
{
    TypeVec types = {0};
    elab_form_types(e, form, &types);
    return types.count == 1 ? types.items[0] : tail_tuple_type(e->c, types.count, types.items);
}

const TailExp *elab_form_exp(Elaboration *e, const Form *form, Value *value, Span span)
{
    ExpVec leaves = {0};
    elab_form_pack(e, form, value, span, &leaves);
    return leaves.count == 1 ? leaves.items[0]
                             : tail_tuple(e->c, leaves.count, leaves.items, elab_place(e, span));
}

Value *elab_form_value(Elaboration *e, const Form *form, const TailExp *exp, Span span)
{
    size_t next = 0;
    TypeVec types = {0};
    elab_form_types(e, form, &types);
    exp = elab_let(e, exp);
    if (types.count == 1) {
        return elab_form_unpack(e, form, &exp, &next, span);
    }
    const TailExp **leaves = ARENA_ARRAY(e->c->arena, const TailExp *, types.count);
    for (size_t i = 0; i < types.count; i++) {
        leaves[i] = elab_let(e, tail_project(e->c, i, exp, elab_place(e, span)));
    }
    return elab_form_unpack(e, form, leaves, &next, span);
}

Value *elab_branches(Elaboration *e, Value *condition, Block *then_block, Value *then_value,
                     Block *else_block, Value *else_value, Span span)
{
    const Form *form =
        elab_form_join(e, elab_form(e, then_value, span), elab_form(e, else_value, span), span,
                       "both results of a guard");
    Block *blocks[] = {then_block, else_block};
    Value *values[] = {then_value, else_value};
    const TailExp *branches[2];
    Block *outer = e->block;
    for (size_t i = 0; i < 2; i++) {
        e->block = blocks[i];
        const TailExp *exp = elab_form_exp(e, form, values[i], span);
        e->block = outer;
        branches[i] = elab_wrap(e, blocks[i], exp);
    }
    const TailExp *choice =
        tail_if(e->c, condition->exp, branches[0], branches[1], elab_place(e, span));
    return elab_form_value(e, form, choice, span);
}
