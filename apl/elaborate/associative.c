/* f⎕ASSOC n: a function with the programmer's word that it is associative and n its identity
   element.

       (f⎕ASSOC 0)/v        ==>  reduceAssoc(f,0,v)            items are scalars
       (f⎕ASSOC 0 1)/v w    ==>  reduceAssoc(f,(0,1),(v,w))    items are pairs, one of v, one of w
       (f⎕ASSOC 0 1)\v w    ==>  scanAssoc(f,(0,1),(v,w))

   An array of tuples is spelled as a tuple of arrays of one shape: item i of v w is the pair
   (v[i] w[i]), which is what f gets as ⍺ and ⍵ and has to give. Scalars widen (bool, int, double)
   until f keeps their types, each component by itself.   [TAIL fig. 5] */
#include "apl/elaborate/internal.h"

bool elab_takes_tuples(const Function *function)
{
    return function->kind == FUNCTION_ASSOC && function->right->rank > 0;
}

/* ---- arguments ------------------------------------------------------------------------ */

/* How many scalars the identity element has. */
static size_t identity_count(Elaboration *e, const Value *neutral)
{
    int64_t count = neutral->rank == 0 ? 1 : neutral->extents[0];
    if (neutral->rank > 1 || (neutral->kind == VALUE_TUPLE && neutral->rank == 0)) {
        elab_fail(e, neutral->span, "RANK ERROR",
                  "the identity element of ⎕ASSOC is a scalar or a list of scalars");
    }
    if (neutral->rank == 1 && (count < 2 || count > EXPANSION_LIMIT)) {
        elab_fail(e, neutral->span, count > EXPANSION_LIMIT ? "LIMIT ERROR" : "LENGTH ERROR",
                  "the identity element of ⎕ASSOC is a scalar, or a list of 2 to %d scalars whose"
                  " number is known at compile time",
                  EXPANSION_LIMIT);
    }
    for (size_t i = 0; neutral->kind == VALUE_TUPLE && i < neutral->count; i++) {
        if (!elab_is_scalar(neutral->items[i])) {
            elab_nonce(e, neutral->span,
                       "⎕ASSOC over tuples of arrays (its identity element holds one) is");
        }
    }
    return (size_t)count;
}

/* The arrays that hold the components. */
static Value **components(Elaboration *e, Value *neutral, Value *value, size_t count, Span span)
{
    Value **arrays = ARENA_ARRAY(e->c->arena, Value *, count);
    if (neutral->rank == 0) {
        arrays[0] = value;
        return arrays;
    }
    if (value->kind != VALUE_TUPLE || value->rank != 1) {
        elab_fail(e, span, "RANK ERROR",
                  "the identity element of ⎕ASSOC has %zu items, so the argument must be a list of"
                  " %zu arrays: (a b ..)",
                  count, count);
    }
    if (value->count != count) {
        elab_fail(e, span, "LENGTH ERROR",
                  "the identity element of ⎕ASSOC has %zu items, the argument has %zu", count,
                  value->count);
    }
    for (size_t i = 0; i < count; i++) {
        arrays[i] = elab_array_only(e, value->items[i], span, "⎕ASSOC");
        if (arrays[i]->rank != arrays[0]->rank || arrays[i]->rank == 0) {
            elab_fail(e, span, "RANK ERROR",
                      arrays[i]->rank == 0 ? "component %zu of ⎕ASSOC's argument is a scalar"
                                           : "component %zu of ⎕ASSOC's argument has another rank"
                                             " than the first",
                      i + 1);
        }
        for (int64_t axis = 0; axis < arrays[0]->rank; axis++) {
            int64_t a = arrays[0]->extents[axis], b = arrays[i]->extents[axis];
            if (a >= 0 && b >= 0 && a != b) {
                elab_fail(e, span, "LENGTH ERROR", "%lld and %lld", (long long)a, (long long)b);
            }
        }
    }
    return arrays;
}

int64_t elab_fold_rank(Elaboration *e, const Function *function, Value *value, Span span)
{
    if (!elab_takes_tuples(function)) {
        return value->rank;
    }
    size_t count = identity_count(e, function->right);
    return components(e, function->right, value, count, span)[0]->rank;
}

/* ---- the function of items ------------------------------------------------------------ */

static const Form *scalar_form(Elaboration *e, TailBaseKind base)
{
    Form *form = ARENA_NEW(e->c->arena, Form);
    *form = (Form){.kind = FORM_ARRAY, .base = base};
    return form;
}

/* What items are: of the base types of the arrays and of the identity element. */
static const Form *item_form(Elaboration *e, Value *neutral, Value *const *arrays, size_t count,
                             Span span)
{
    const Form **items = ARENA_ARRAY(e->c->arena, const Form *, count);
    bool numbers = true, characters = true;
    for (size_t i = 0; i < count; i++) {
        Value *scalar = elab_item(e, neutral, (int64_t)i, span);
        items[i] = scalar_form(e, elab_join_bases(e, arrays[i]->base, scalar->base, span,
                                                  "items and an identity element"));
        numbers = numbers && elab_numeric(items[i]->base);
        characters = characters && items[i]->base == TAIL_CHAR;
    }
    if (neutral->rank == 0) {
        return items[0];
    }
    int64_t length = (int64_t)count;
    Form *form = ARENA_NEW(e->c->arena, Form);
    *form = (Form){.kind = numbers || characters ? FORM_ELEMENTS : FORM_TUPLE,
                   .base = items[0]->base,
                   .rank = 1,
                   .extents = arena_copy(e->c->arena, &length, sizeof length),
                   .count = count,
                   .items = items};
    return form;
}

/* What f gives, as its scalars. */
static Value *result_item(Elaboration *e, const Form *form, Value *result, Span span)
{
    if (form->rank == 0) {
        if (!elab_is_scalar(result)) {
            elab_fail(e, span, "RANK ERROR",
                      "the identity element of ⎕ASSOC is a scalar, but the function gives %s",
                      result->kind == VALUE_ARRAY ? "an array" : "nested items");
        }
        return result;
    }
    bool fits = (result->kind == VALUE_ARRAY || result->kind == VALUE_TUPLE) && result->rank == 1 &&
                result->extents[0] == (int64_t)form->count;
    Value **items = ARENA_ARRAY(e->c->arena, Value *, form->count);
    for (size_t i = 0; fits && i < form->count; i++) {
        items[i] = elab_item(e, result, (int64_t)i, span);
        fits = elab_is_scalar(items[i]);
    }
    if (!fits) {
        elab_fail(e, span, "LENGTH ERROR",
                  "the identity element of ⎕ASSOC has %zu items, so the function must give a list"
                  " of %zu scalars",
                  form->count, form->count);
    }
    return elab_strand(e, form->count, items, span);
}

/* fn of two items, once their form is one that f keeps. */
static const TailExp *item_lambda(Elaboration *e, Function *function, const Form **form, Span span)
{
    Span place = elab_place(e, span);
    if (elab_begin_trial(e)) {
        item_lambda(e, function, form, span);
        elab_end_trial(e);
    }
    for (;;) {
        TailVariable **parameters = ARENA_ARRAY(e->c->arena, TailVariable *, 2);
        Value *pair[2];
        Block *block = elab_open(e);
        e->parallel++;
        for (size_t i = 0; i < 2; i++) {
            parameters[i] = tail_variable(e->c, e->v, elab_form_type(e, *form), place);
            pair[i] = elab_form_value(e, *form, tail_use(e->c, parameters[i], place), span);
        }
        Value *result = elab_apply(e, function, pair[0], pair[1], span);
        result = result_item(e, *form, result, span);
        const Form *join =
            elab_form_join(e, *form, elab_form(e, result, span), span, "an item of ⎕ASSOC");
        bool kept = elab_form_equal(join, *form);
        const TailExp *exp = kept ? elab_form_exp(e, *form, result, span) : NULL;
        e->parallel--;
        elab_pop(e);
        if (kept) {
            return tail_lambda(e->c, 2, parameters, elab_wrap(e, block, exp), place);
        }
        *form = join;
    }
}

/* ---- reduce and scan ------------------------------------------------------------------ */

Value *elab_associative(Elaboration *e, Function *function, bool scan, int64_t axis, Value *value,
                        Span span)
{
    Value *neutral = function->right;
    size_t count = identity_count(e, neutral);
    Value **arrays = components(e, neutral, value, count, span);
    const Form *form = item_form(e, neutral, arrays, count, span);
    const TailExp *lambda = item_lambda(e, function->left->function, &form, span);
    bool tuple = form->rank > 0;
    const TailExp **given = ARENA_ARRAY(e->c->arena, const TailExp *, count);
    for (size_t i = 0; i < count; i++) {
        TailBaseKind base = tuple ? form->items[i]->base : form->base;
        arrays[i] = elab_axis_to_last(e, axis, elab_cast(e, arrays[i], base, span), span);
        given[i] = arrays[i]->exp;
    }
    const TailExp *all = tuple ? tail_tuple(e->c, count, given, elab_place(e, span)) : given[0];
    const TailExp *folded =
        elab_let(e, ELAB_CALL(e, scan ? TAIL_OP_SCANASSOC : TAIL_OP_REDUCEASSOC, span, lambda,
                              elab_form_exp(e, form, neutral, span), all));
    Value **results = ARENA_ARRAY(e->c->arena, Value *, count);
    for (size_t i = 0; i < count; i++) {
        const TailExp *part = tuple ? tail_project(e->c, i, folded, elab_place(e, span)) : folded;
        results[i] = elab_value(e, part, span);
        elab_set_extents(results[i], arrays[i]->extents);
        results[i] = scan ? elab_axis_from_last(e, axis, results[i], span) : results[i];
    }
    return tuple ? elab_strand(e, count, results, span) : results[0];
}
