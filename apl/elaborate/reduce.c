/* Reduce and scan.

       +/v      ==>  reduce(addi,0,v)
       +/b      ==>  reduce(addi,0,each(b2i,b))    the items widen until the function keeps their
                                                   type
       {⍺×⍵}/v  ==>  reduce1(muli,v)               no identity element: an empty vector is a
                                                   DOMAIN ERROR
       +⌿m      ==>  reduce(addi,0,transp(m))

   Whether a reduction runs in parallel is decided where TAIL becomes core, by the function. */
#include "apl/elaborate/internal.h"
#include <float.h>
#include <math.h>

/* empty: what an empty axis gives. */
static Value *identity(Elaboration *e, const Function *function, TailBaseKind base, bool empty,
                       Span span)
{
    static const struct {
        AplPrimitive primitive;
        int number;
    } identities[] = {
        {APL_PLUS, 0},       {APL_MINUS, 0},         {APL_TIMES, 1},    {APL_DIVIDE, 1},
        {APL_POWER, 1},      {APL_STILE, 0},         {APL_AND, 1},      {APL_OR, 0},
        {APL_SHRIEK, 1},     {APL_LESS, 0},          {APL_EQUAL, 1},    {APL_GREATER, 0},
        {APL_LESS_EQUAL, 1}, {APL_GREATER_EQUAL, 1}, {APL_NOT_EQUAL, 0}};
    if (function->kind != FUNCTION_PRIMITIVE || base == TAIL_CHAR) {
        return NULL;
    }
    AplPrimitive primitive = function->primitive;
    if (primitive == APL_OR && base != TAIL_BOOL && !empty) {
        return NULL; /* 0∨¯5 is 5, but ∨/,¯5 is ¯5 */
    }
    if (primitive == APL_CEILING || primitive == APL_FLOOR) {
        double sign = primitive == APL_CEILING ? -1 : 1;
        if (empty) {
            return elab_number(e, sign * DBL_MAX, span);
        }
        if (base == TAIL_DOUBLE) {
            return elab_number(e, sign * (double)INFINITY, span);
        }
        bool narrow = e->c->options.int_bits == 32;
        return elab_int(
            e, sign < 0 ? (narrow ? INT32_MIN : INT64_MIN) : (narrow ? INT32_MAX : INT64_MAX),
            span);
    }
    for (size_t i = 0; i < sizeof identities / sizeof *identities; i++) {
        if (identities[i].primitive == primitive) {
            return elab_cast(e, elab_bool(e, identities[i].number != 0, span), base, span);
        }
    }
    return NULL;
}

Value *elab_identity(Elaboration *e, const Function *function, TailBaseKind base, Span span)
{
    return identity(e, function, base, false, span);
}

static bool light(Elaboration *e, Function *function, const Value *value, Span span)
{
    int64_t count = value->extents[0];
    if (function->kind == FUNCTION_PRIMITIVE || count < 2) {
        return true;
    }
    Value *result;
    int64_t weight = elab_weight_of_call(e, function, elab_element(e, value, count - 2),
                                         elab_element(e, value, count - 1), span, &result);
    return weight * (count - 1) <= UNROLL_WEIGHT;
}

/* Short strands, and known numbers under a function that folds, are reduced here and now. */
static bool computed_here(Elaboration *e, Function *function, const Value *value, Span span)
{
    int64_t ignored, count = value->kind == VALUE_ARRAY && value->rank == 1 ? value->extents[0] : 0;
    if (!elab_has_elements(value)) {
        return false;
    }
    if (value->elements != NULL) {
        return count <= UNROLL_LIMIT && light(e, function, value, span);
    }
    return function->kind == FUNCTION_PRIMITIVE &&
           elab_fold_dyadic(function->primitive, 1, 1, &ignored);
}

static Value *reduce_elements(Elaboration *e, Function *function, const Value *value, int64_t count,
                              Span span)
{
    Value *result = elab_element(e, value, count - 1);
    for (int64_t k = count - 1; k-- > 0;) {
        result = elab_apply(e, function, elab_element(e, value, k), result, span);
    }
    return result;
}

/* The function's lambda at a base that it keeps; the array is cast to that base. */
static const TailExp *stable_lambda(Elaboration *e, Function *function, Value **value, Span span)
{
    TailBaseKind base = (*value)->base;
    const TailExp *lambda = elab_fold_lambda(e, function, "a reduction or scan", &base, NULL, span);
    *value = elab_cast(e, *value, base, span);
    return lambda;
}

static void check_not_empty(Elaboration *e, const Value *value, int64_t axis, Span span)
{
    bool result_has_items = value->extents[axis] == 0;
    for (int64_t i = 0; i < value->rank; i++) {
        result_has_items = result_has_items && (i == axis || value->extents[i] > 0);
    }
    if (result_has_items) {
        elab_fail(e, span, "DOMAIN ERROR",
                  "a reduction of nothing by a function without identity element");
    }
}

static Value *shape_without(Elaboration *e, const Value *value, int64_t axis, Span span)
{
    Value *items[RANK_LIMIT];
    size_t count = 0;
    for (int64_t i = 0; i < value->rank; i++) {
        if (i != axis) {
            items[count++] = elab_extent(e, value, i, span);
        }
    }
    return count == 0 ? elab_empty(e, TAIL_INT, span) : elab_vector(e, count, items, span);
}

/* Whether a function gives scalars for two items; scalar primitives do, whatever they are given. */
static bool gives_scalars(Elaboration *e, Function *function, const Value *value, Span span)
{
    if (function->kind == FUNCTION_ASSOC || (function->kind == FUNCTION_PRIMITIVE &&
                                             elab_is_scalar_function(function->primitive, true))) {
        return true;
    }
    Value *items[2];
    bool begun = elab_begin_trial(e);
    elab_open(e);
    for (size_t i = 0; i < 2; i++) {
        const TailType *type = tail_scalar_type(e->c, value->base);
        TailVariable *parameter = tail_variable(e->c, e->v, type, elab_place(e, span));
        items[i] = elab_parameter(e, parameter, 0, NULL);
    }
    bool scalar = elab_is_scalar(elab_apply(e, function, items[0], items[1], span));
    elab_pop(e);
    if (begun) {
        elab_end_trial(e);
    }
    return scalar;
}

/* The items of a short array as nested items, for functions that make arrays of them: ,/1 2 3. */
static Value *as_items(Elaboration *e, Value *value, Span span)
{
    int64_t count = elab_count(value);
    if (count < 0 || count > EXPANSION_LIMIT) {
        elab_nonce(e, span,
                   "a reduction or scan whose function gives arrays, of more than %d items or of a"
                   " number that only run time knows, is",
                   EXPANSION_LIMIT);
    }
    Value **items = ARENA_ARRAY(e->c->arena, Value *, count + 1);
    for (int64_t k = 0; k < count; k++) {
        items[k] = elab_item(e, value, k, span);
    }
    return elab_record(e, value->rank, value->extents, (size_t)count, items, span);
}

/* f/ where f gives arrays of two scalars. */
static Value *reduce_to_arrays(Elaboration *e, Function *function, int64_t axis, Value *value,
                               Span span)
{
    check_not_empty(e, value, axis, span);
    if (value->rank == 1 && function->kind == FUNCTION_PRIMITIVE &&
        function->primitive == APL_COMMA && elab_count(value) != 1) {
        return elab_enclose(e, value, span); /* of any length */
    }
    if (elab_count(value) == 0) {
        return elab_tuple_reduce(e, function, value, axis, span);
    }
    return elab_tuple_reduce(e, function, as_items(e, value, span), axis, span);
}

Value *elab_reduce(Elaboration *e, Function *function, int64_t axis, Value *value, Span span)
{
    if (elab_takes_tuples(function)) {
        return elab_associative(e, function, false, axis, value, span);
    }
    if (value->rank == 0) {
        return value;
    }
    if (value->kind == VALUE_TUPLE) {
        return elab_tuple_reduce(e, function, value, axis, span);
    }
    if (computed_here(e, function, value, span)) {
        Value *result = reduce_elements(e, function, value, value->extents[0], span);
        if (!elab_is_scalar(result)) {
            return elab_enclose(e, result, span);
        }
        return result;
    }
    if (value->extents[axis] == 0 && function->kind == FUNCTION_PRIMITIVE) {
        TailBaseKind base = value->base == TAIL_CHAR ? TAIL_BOOL : value->base;
        Value *element = identity(e, function, base, true, span);
        if (element != NULL) {
            return elab_reshape(e, shape_without(e, value, axis, span), element, span);
        }
    }
    if (function->kind == FUNCTION_ASSOC) {
        return elab_associative(e, function, false, axis, value, span);
    }
    if (!gives_scalars(e, function, value, span)) {
        return reduce_to_arrays(e, function, axis, value, span);
    }
    const Value *before = value;
    value = elab_axis_to_last(e, axis, value, span);
    const TailExp *lambda = stable_lambda(e, function, &value, span);
    bool may_be_empty = value->extents[value->rank - 1] <= 0;
    Value *neutral = identity(e, function, value->base, false, span);
    if (neutral == NULL && may_be_empty && function->kind == FUNCTION_PRIMITIVE &&
        function->primitive == APL_OR) {
        neutral = elab_cast(e, elab_bool(e, false, span), value->base, span);
    }
    Value *result;
    if (neutral != NULL) {
        result = ELAB_VALUE(e, TAIL_OP_REDUCE, span, lambda, neutral->exp, value->exp);
    } else {
        check_not_empty(e, before, axis, span);
        result = ELAB_VALUE(e, TAIL_OP_REDUCE1, span, lambda, value->exp);
    }
    elab_set_extents(result, value->extents);
    return result;
}

static Value *scan_elements(Elaboration *e, Function *function, const Value *value, Span span)
{
    Value *items[KNOWN_LIMIT];
    int64_t count = value->extents[0];
    for (int64_t k = 0; k < count; k++) {
        items[k] = reduce_elements(e, function, value, k + 1, span);
        if (!elab_is_scalar(items[k])) {
            return NULL;
        }
    }
    return elab_vector(e, (size_t)count, items, span);
}

Value *elab_scan(Elaboration *e, Function *function, int64_t axis, Value *value, Span span)
{
    if (elab_takes_tuples(function)) {
        return elab_associative(e, function, true, axis, value, span);
    }
    if (value->kind == VALUE_TUPLE && value->rank > 0) {
        return elab_tuple_scan(e, function, value, span);
    }
    if (value->rank == 0 || elab_known_empty(value)) {
        return value;
    }
    if (computed_here(e, function, value, span)) {
        Value *strand = scan_elements(e, function, value, span);
        if (strand != NULL) {
            return strand;
        }
    }
    if (function->kind == FUNCTION_ASSOC) {
        return elab_associative(e, function, true, axis, value, span);
    }
    if (!gives_scalars(e, function, value, span)) {
        return elab_tuple_scan(e, function, as_items(e, value, span), span);
    }
    value = elab_axis_to_last(e, axis, value, span);
    const TailExp *lambda = stable_lambda(e, function, &value, span);
    Value *neutral = identity(e, function, value->base, false, span);
    Value *result = neutral != NULL
                        ? ELAB_VALUE(e, TAIL_OP_SCAN, span, lambda, neutral->exp, value->exp)
                        : ELAB_VALUE(e, TAIL_OP_SCAN1, span, lambda, value->exp);
    elab_set_extents(result, value->extents);
    return elab_axis_from_last(e, axis, result, span);
}
