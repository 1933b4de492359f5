/* Item by item: scalar extension of a function of scalars over arrays.

       x+1      ==>  each(fn v => addi(v,1), x)
       x+y      ==>  zipWith(addi, x, y)                         ranks equal; one-element arrays
                                                                 extend at run time
       m+v      ==>  each(fn x => addi(x, singleR(2,1,v)), m)    ranks differ: the lower must have
                                                                 one element

   Also f¨x, which is the same thing for any function from scalars to scalars. */
#include "apl/elaborate/internal.h"

/* A function of the program's own that ¨ or a reduction applies may print, make text or draw random
   numbers: then it is applied on the host, to one item after the other (tail/to_core/steps.c). */
static int device(ScalarBody body)
{
    return body == elab_apply_item ? 0 : 1;
}

/* fn of one or two scalar parameters; `left` and `right` are NULL or a closed-over scalar where the
   lambda has no parameter. Returns NULL where the body does not give a scalar. */
static const TailExp *item_lambda(Elaboration *e, ScalarBody body, void *context, Value *left,
                                  bool left_varies, Value *right, bool right_varies, Span span)
{
    Span place = elab_place(e, span);
    TailVariable *parameters[2];
    size_t count = 0;
    Block *block = elab_open(e);
    e->parallel += device(body);
    if (left_varies) {
        parameters[count++] = tail_variable(e->c, e->v, tail_scalar_type(e->c, left->base), place);
        left = elab_parameter(e, parameters[count - 1], 0, NULL);
    }
    if (right_varies) {
        parameters[count++] = tail_variable(e->c, e->v, tail_scalar_type(e->c, right->base), place);
        right = elab_parameter(e, parameters[count - 1], 0, NULL);
    }
    Value *result = body(e, context, left, right, span);
    e->parallel -= device(body);
    elab_pop(e);
    if (!elab_is_scalar(result)) {
        return NULL;
    }
    TailVariable **kept = arena_copy(e->c->arena, parameters, sizeof parameters);
    return tail_lambda(e->c, count, kept, elab_wrap(e, block, result->exp), place);
}

static Value *each_item(Elaboration *e, ScalarBody body, void *context, Value *left, Value *right,
                        bool over_left, Span span)
{
    const Value *array = over_left ? left : right;
    const TailExp *lambda = item_lambda(e, body, context, left, over_left, right, !over_left, span);
    if (lambda == NULL) {
        return NULL;
    }
    Value *result = ELAB_VALUE(e, TAIL_OP_EACH, span, lambda, array->exp);
    elab_set_extents(result, array->extents);
    return result;
}

/* "2 3 4" */
static const char *shape_text(Elaboration *e, const Value *value)
{
    Text text = text_create(e->c->arena);
    for (int64_t i = 0; i < value->rank; i++) {
        text_printf(&text, "%s%lld", i == 0 ? "" : " ", (long long)value->extents[i]);
    }
    return text_get(&text);
}

/* Arrays are named by their shapes, "2 3 and 3 2", as at run time (tail/to_core/maps.c). */
_Noreturn static void lengths_differ(Elaboration *e, const Value *left, const Value *right,
                                     int64_t axis, Span span)
{
    if (elab_count(left) >= 0 && elab_count(right) >= 0) {
        elab_fail(e, span, "LENGTH ERROR", "%s and %s", shape_text(e, left), shape_text(e, right));
    }
    elab_fail(e, span, "LENGTH ERROR", "%lld and %lld", (long long)left->extents[axis],
              (long long)right->extents[axis]);
}

/* Extents of the result of two arrays of one rank, or the LENGTH ERROR. */
static int64_t *common_extents(Elaboration *e, const Value *left, const Value *right, Span span)
{
    int64_t *extents = elab_extents(e, left->rank);
    bool left_one = elab_one_element(left), right_one = elab_one_element(right);
    for (int64_t i = 0; i < left->rank; i++) {
        int64_t a = left->extents[i], b = right->extents[i];
        if (left_one || right_one) {
            extents[i] = left_one && right_one ? 1 : left_one ? b : a;
        } else if (a >= 0 && b >= 0 && a != b && a != 1 && b != 1) {
            lengths_differ(e, left, right, i, span);
        } else if (a >= 0 && b >= 0 && a != b) {
            /* One axis of length 1 extends only where the whole array has one element. */
            const Value *one = a == 1 ? left : right;
            if (elab_count(one) >= 0) {
                lengths_differ(e, left, right, i, span);
            }
            extents[i] = a == 1 ? b : a;
        } else {
            extents[i] = a >= 0 && a != 1 ? a : b >= 0 && b != 1 ? b : a == b ? a : -1;
        }
    }
    return extents;
}

static Value *zip_items(Elaboration *e, ScalarBody body, void *context, Value *left, Value *right,
                        Span span)
{
    int64_t *extents = common_extents(e, left, right, span);
    const TailExp *lambda = item_lambda(e, body, context, left, true, right, true, span);
    if (lambda == NULL) {
        return NULL;
    }
    Value *result = ELAB_VALUE(e, TAIL_OP_ZIPWITH, span, lambda, left->exp, right->exp);
    elab_set_extents(result, extents);
    return result;
}

/* Short strands whose items are computed one by one: (a b)+1 2 ==> [addi(a,1),addi(b,2)]. */
static Value *unrolled(Elaboration *e, ScalarBody body, void *context, Value *left, Value *right,
                       Span span)
{
    const Value *shape = right->rank == 1 ? right : left;
    Value *items[UNROLL_LIMIT];
    int64_t count = shape != NULL && shape->rank == 1 ? shape->extents[0] : -1;
    const Value *both[] = {left, right};
    bool any = false;
    for (size_t i = 0; i < 2; i++) {
        if (both[i] == NULL || both[i]->rank == 0) {
            continue;
        }
        if (!elab_has_elements(both[i]) || both[i]->extents[0] != count || count > UNROLL_LIMIT) {
            return NULL;
        }
        any = any || both[i]->elements != NULL;
    }
    if (!any) {
        return NULL;
    }
    if (body == elab_apply_item && count > 0) {
        Value *l = left == NULL || left->rank == 0 ? left : elab_element(e, left, 0);
        Value *r = right->rank == 0 ? right : elab_element(e, right, 0), *first;
        int64_t weight = elab_weight_of_call(e, context, l, r, span, &first);
        if (!elab_is_scalar(first) || weight * count > UNROLL_WEIGHT) {
            return NULL;
        }
    }
    for (int64_t k = 0; k < count; k++) {
        Value *l = left == NULL || left->rank == 0 ? left : elab_element(e, left, k);
        Value *r = right->rank == 0 ? right : elab_element(e, right, k);
        items[k] = body(e, context, l, r, span); /* without effects, which weigh too much */
        if (!elab_is_scalar(items[k]) ||
            (k > 0 && elab_numeric(items[k]->base) != elab_numeric(items[0]->base))) {
            return NULL;
        }
    }
    return elab_vector(e, (size_t)count, items, span);
}

static Value *different_ranks(Elaboration *e, ScalarBody body, void *context, Value *left,
                              Value *right, Span span)
{
    Value *lower = left->rank < right->rank ? left : right;
    Value *higher = lower == left ? right : left;
    int64_t lower_count = elab_count(lower);
    if (lower_count < 0 && !elab_one_element(higher)) {
        lower = ELAB_VALUE(e, TAIL_OP_SINGLER, span, elab_int(e, left->rank, span)->exp,
                           elab_int(e, right->rank, span)->exp, lower->exp);
    } else if (lower_count == 1) {
        lower = elab_as_scalar(e, lower, span);
    } else if (elab_one_element(higher)) {
        higher = elab_as_scalar(e, higher, span);
    } else {
        elab_fail(e, span, "RANK ERROR", "%lld and %lld", (long long)left->rank,
                  (long long)right->rank);
    }
    return left->rank < right->rank ? elab_elementwise(e, body, context, lower, higher, span)
                                    : elab_elementwise(e, body, context, higher, lower, span);
}

Value *elab_elementwise(Elaboration *e, ScalarBody body, void *context, Value *left, Value *right,
                        Span span)
{
    bool left_scalar = left == NULL || left->rank == 0;
    if (left_scalar && right->rank == 0) {
        return body(e, context, left, right, span);
    }
    Value *short_result = unrolled(e, body, context, left, right, span);
    if (short_result != NULL) {
        return short_result;
    }
    if (left_scalar) {
        return each_item(e, body, context, left, right, false, span);
    }
    if (right->rank == 0) {
        return each_item(e, body, context, left, right, true, span);
    }
    if (left->rank == right->rank) {
        return zip_items(e, body, context, left, right, span);
    }
    return different_ranks(e, body, context, left, right, span);
}

/* The function on scalars of these bases; its result is of the left one's, or of `join`, which holds both. */
static const TailExp *fold_lambda(Elaboration *e, Function *function, const char *where,
                                  TailBaseKind left, TailBaseKind right, TailBaseKind *join,
                                  Span span)
{
    Span place = elab_place(e, span);
    const TailBaseKind bases[2] = {left, right};
    TailVariable **parameters = ARENA_ARRAY(e->c->arena, TailVariable *, 2);
    Value *values[2];
    Block *block = elab_open(e);
    for (size_t i = 0; i < 2; i++) {
        parameters[i] = tail_variable(e->c, e->v, tail_scalar_type(e->c, bases[i]), place);
        values[i] = elab_parameter(e, parameters[i], 0, NULL);
    }
    Value *result = elab_apply(e, function, values[0], values[1], span);
    if (!elab_is_scalar(result)) {
        elab_nonce(e, span, "%s whose function gives %s of scalars is", where,
                   result->kind == VALUE_ARRAY ? "arrays" : "nested items");
    }
    *join = elab_join_bases(e, result->base, left, span, where);
    if (*join == left) {
        result = elab_cast(e, result, left, span);
    }
    elab_pop(e);
    return tail_lambda(e->c, 2, parameters, elab_wrap(e, block, result->exp), place);
}

const TailExp *elab_fold_lambda(Elaboration *e, Function *function, const char *where,
                                TailBaseKind *base, const TailBaseKind *item, Span span)
{
    if (function->kind != FUNCTION_PRIMITIVE && elab_begin_trial(e)) {
        elab_fold_lambda(e, function, where, base, item, span);
        elab_end_trial(e);
    }
    for (;;) {
        TailBaseKind before = *base, right = item != NULL ? *item : before;
        const TailExp *lambda = fold_lambda(e, function, where, before, right, base, span);
        if (*base == before) {
            return lambda;
        }
    }
}
