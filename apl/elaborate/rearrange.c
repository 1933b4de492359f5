/* Rearranging: ⌽ ⊖ ⍉, along any axis. TAIL's builtins work along the first or the last axis; for
   one in between, the axis is brought to the end and back, which costs nothing (transposes are
   views):

       ⌽[2]c   ==>  transp2([1,3,2], reverse(transp2([1,3,2],c))) */
#include "apl/elaborate/internal.h"
#include <math.h>

void elab_unknown_axis(Elaboration *e, const Value *axis)
{
    if (axis->kind != VALUE_ARRAY || axis->rank > 1 || elab_count(axis) == 0 ||
        axis->base > TAIL_DOUBLE) {
        elab_fail(e, axis->span, "AXIS ERROR", "an axis is a number");
    }
    const char *text = elab_text(e, elab_place(e, axis->span));
    elab_fail(e, axis->span, "AXIS ERROR",
              "which axis is meant is not known: %s is known only at run time; write a number, or a"
              " guard that chooses, as in {%s=1:⊖⍵ ⋄ ⌽⍵}",
              text, text);
}

int64_t elab_axis(Elaboration *e, const Call *call, int64_t rank, int64_t fallback)
{
    if (call->axis == NULL) {
        return fallback;
    }
    int64_t axis;
    const Value *given = call->axis;
    if (given->kind == VALUE_ARRAY && given->exp->kind == TAIL_EXP_DOUBLE) {
        double real = given->exp->as.real;
        if (real != floor(real)) {
            elab_fail(e, given->span, "AXIS ERROR", "an axis is a whole number here");
        }
        if (fabs(real) > RANK_LIMIT + 1) {
            elab_fail(e, given->span, "AXIS ERROR", "axis %s of an array of rank %lld",
                      elab_text(e, elab_place(e, given->span)), (long long)rank);
        }
        axis = (int64_t)real;
    } else if (!elab_constant(given, &axis)) {
        elab_unknown_axis(e, given);
    }
    if (axis < call->origin || axis >= rank + call->origin) {
        elab_fail(e, given->span, "AXIS ERROR", "axis %s of an array of rank %lld",
                  elab_digits(e, axis), (long long)rank);
    }
    return axis - call->origin;
}

void elab_axes(Elaboration *e, const Call *call, int64_t count, int64_t rank, int64_t *axes)
{
    const Value *given = call->axis;
    if (count == 1 || given->kind != VALUE_ARRAY || given->rank != 1 || given->known == NULL) {
        axes[0] = elab_axis(e, call, rank, 0);
        if (count != 1) {
            elab_fail(e, call->span, "LENGTH ERROR", "%lld numbers for one axis", (long long)count);
        }
        return;
    }
    if (given->extents[0] != count) {
        elab_fail(e, call->span, "LENGTH ERROR", "%lld numbers for %lld axes", (long long)count,
                  (long long)given->extents[0]);
    }
    for (int64_t i = 0; i < count; i++) {
        axes[i] = given->known[i] - call->origin;
        bool wrong = axes[i] < 0 || axes[i] >= rank;
        for (int64_t k = 0; k < i; k++) {
            wrong = wrong || axes[k] == axes[i];
        }
        if (wrong) {
            elab_fail(e, given->span, "AXIS ERROR", "axis %s, of an array of rank %lld",
                      elab_digits(e, given->known[i]), (long long)rank);
        }
    }
}

Value *elab_transpose(Elaboration *e, const int64_t *permutation, Value *value, Span span)
{
    int64_t rank = value->rank, result_rank = 0;
    bool identity = true, reversal = true;
    for (int64_t i = 0; i < rank; i++) {
        identity = identity && permutation[i] == i + 1;
        reversal = reversal && permutation[i] == rank - i;
        result_rank = permutation[i] > result_rank ? permutation[i] : result_rank;
    }
    if (identity) {
        return value;
    }
    if (value->kind == VALUE_TUPLE) {
        return elab_nested_transpose(e, permutation, value, span);
    }
    int64_t *extents = elab_extents(e, result_rank);
    for (int64_t i = 0; i < rank; i++) {
        int64_t *extent = &extents[permutation[i] - 1];
        bool shared = false;
        for (int64_t j = 0; j < rank; j++) {
            shared = shared || (j != i && permutation[j] == permutation[i]);
        }
        if (!shared) {
            *extent = value->extents[i];
        } else if (value->extents[i] < 0) {
            *extent = -2; /* the least of several, one of which is unknown */
        } else if (*extent != -2) {
            *extent = *extent < 0 || value->extents[i] < *extent ? value->extents[i] : *extent;
        }
    }
    Value *result;
    if (reversal) {
        result = ELAB_VALUE(e, TAIL_OP_TRANSP, span, value->exp);
    } else {
        const TailExp **axes = ARENA_ARRAY(e->c->arena, const TailExp *, rank);
        for (int64_t i = 0; i < rank; i++) {
            axes[i] = tail_int(e->c, permutation[i], elab_place(e, span));
        }
        const TailExp *literal = tail_vector(e->c, (size_t)rank, axes, elab_place(e, span));
        result = ELAB_VALUE(e, TAIL_OP_TRANSP2, span, literal, value->exp);
    }
    elab_set_extents(result, extents);
    result->uniform = value->uniform;
    result->uniform_value = value->uniform_value;
    return result;
}

Value *elab_axis_to_last(Elaboration *e, int64_t axis, Value *value, Span span)
{
    int64_t *permutation = elab_extents(e, value->rank);
    for (int64_t i = 0; i < value->rank; i++) {
        permutation[i] = i < axis ? i + 1 : i == axis ? value->rank : i;
    }
    return elab_transpose(e, permutation, value, span);
}

Value *elab_axis_from_last(Elaboration *e, int64_t axis, Value *value, Span span)
{
    int64_t *permutation = elab_extents(e, value->rank);
    for (int64_t i = 0; i < value->rank; i++) {
        permutation[i] = i < axis ? i + 1 : i == value->rank - 1 ? axis + 1 : i + 2;
    }
    return elab_transpose(e, permutation, value, span);
}

/* ---- ⌽ and ⊖ ------------------------------------------------------------------------- */

static Value *reverse_known(Elaboration *e, const Value *value, int64_t amount, bool reverse,
                            Span span)
{
    int64_t count = value->extents[0];
    Value *items[KNOWN_LIMIT];
    for (int64_t k = 0; k < count; k++) {
        int64_t from = reverse ? count - 1 - k : ((k + amount % count) % count + count) % count;
        items[k] = elab_element(e, value, from);
    }
    return elab_vector(e, (size_t)count, items, span);
}

static Value *same_shape(Value *result, const Value *value)
{
    elab_set_extents(result, value->extents);
    result->uniform = value->uniform;
    result->uniform_value = value->uniform_value;
    return result;
}

static Value *reverse(Elaboration *e, int64_t axis, Value *value, Span span)
{
    if (elab_has_elements(value)) {
        return reverse_known(e, value, 0, true, span);
    }
    if (axis == value->rank - 1) {
        return same_shape(ELAB_VALUE(e, TAIL_OP_REVERSE, span, value->exp), value);
    }
    if (axis == 0) {
        return same_shape(ELAB_VALUE(e, TAIL_OP_VREVERSE, span, value->exp), value);
    }
    Value *moved = elab_axis_to_last(e, axis, value, span);
    return elab_axis_from_last(e, axis, reverse(e, moved->rank - 1, moved, span), span);
}

static Value *rotate(Elaboration *e, int64_t axis, Value *amount, Value *value, Span span)
{
    int64_t known;
    if (elab_has_elements(value) && elab_constant(amount, &known)) {
        return reverse_known(e, value, known, false, span);
    }
    if (axis == value->rank - 1) {
        return same_shape(ELAB_VALUE(e, TAIL_OP_ROTATE, span, amount->exp, value->exp), value);
    }
    if (axis == 0) {
        return same_shape(ELAB_VALUE(e, TAIL_OP_VROTATE, span, amount->exp, value->exp), value);
    }
    Value *moved = elab_axis_to_last(e, axis, value, span);
    return elab_axis_from_last(e, axis, rotate(e, moved->rank - 1, amount, moved, span), span);
}

/* An amount for every vector along the axis: a map of rotations by numbers, written in the prelude. */
static Value *rotate_by_array(Elaboration *e, int64_t axis, const Call *call)
{
    Value *amounts = elab_as_int(e, call->left, call->left->span, "amounts of a rotation");
    if (amounts->rank != call->right->rank - 1) {
        elab_fail(e, call->span, "RANK ERROR", "amounts of rank %lld for a rotation of rank %lld",
                  (long long)amounts->rank, (long long)call->right->rank);
    }
    Value *moved = elab_axis_to_last(e, axis, call->right, call->span);
    for (int64_t i = 0; i < amounts->rank; i++) {
        int64_t a = amounts->extents[i], b = moved->extents[i];
        if (a >= 0 && b >= 0 && a != b) {
            elab_fail(e, call->span, "LENGTH ERROR", "%lld and %lld", (long long)a, (long long)b);
        }
        Value *extent = elab_extent(e, amounts, i, call->span);
        amounts = elab_same(e, extent, elab_extent(e, moved, i, call->span), amounts, call->span);
    }
    Value *rotated = elab_apply_prelude(e, "∆rotate", amounts, moved, call->span);
    elab_set_extents(rotated, moved->extents);
    return elab_axis_from_last(e, axis, rotated, call->span);
}

Value *elab_rule_reverse(Elaboration *e, const Call *call)
{
    Value *value = call->right;
    int64_t fallback = call->primitive == APL_REVERSE && value->rank > 0 ? value->rank - 1 : 0;
    int64_t axis = elab_axis(e, call, value->rank, fallback);
    if (call->left == NULL) {
        return value->rank == 0 ? value : reverse(e, axis, value, call->span);
    }
    elab_array_only(e, call->left, call->span, "a rotation by amounts");
    if (call->left->rank > 0 && elab_count(call->left) != 1) {
        if (value->rank > 1) {
            return rotate_by_array(e, axis, call);
        }
        if (value->rank == 0 || call->left->rank > 1) {
            elab_fail(e, call->span, "RANK ERROR", "%lld and %lld", (long long)call->left->rank,
                      (long long)value->rank);
        }
    }
    Value *scalar = elab_as_scalar(e, call->left, call->span);
    Value *amount = elab_as_int(e, scalar, call->left->span, "amounts of a rotation");
    return value->rank == 0 ? value : rotate(e, axis, amount, value, call->span);
}

/* ---- ⍉ ------------------------------------------------------------------------------- */

Value *elab_rule_transpose(Elaboration *e, const Call *call)
{
    Value *value = call->right;
    int64_t *permutation = elab_extents(e, value->rank);
    if (call->axis != NULL) {
        elab_nonce(e, call->span, "⍉ with an axis is");
    }
    if (call->left == NULL) {
        for (int64_t i = 0; i < value->rank; i++) {
            permutation[i] = value->rank - i;
        }
        return elab_transpose(e, permutation, value, call->span);
    }
    Value *axes = elab_as_int(e, call->left, call->left->span, "axes");
    axes = axes->rank > 1 ? axes : elab_ravel(e, axes, call->span);
    if (axes->rank > 1) {
        elab_fail(e, call->span, "RANK ERROR", "the left argument of ⍉ is a vector of axes");
    }
    if (axes->extents[0] >= 0 && axes->extents[0] != value->rank) {
        elab_fail(e, call->span, "LENGTH ERROR", "%lld axes named for an array of rank %lld",
                  (long long)axes->extents[0], (long long)value->rank);
    }
    if (axes->known == NULL) {
        elab_fail(e, call->left->span, "RANK ERROR",
                  "the rank of this transpose is not known: the axes %s are known only at run"
                  " time; write them as numbers, as in 2 1⍉x",
                  elab_text(e, elab_place(e, call->left->span)));
    }
    int64_t highest = 0;
    for (int64_t i = 0; i < value->rank; i++) {
        permutation[i] = axes->known[i] - call->origin + 1;
        highest = permutation[i] > highest ? permutation[i] : highest;
        if (permutation[i] < 1 || permutation[i] > value->rank) {
            elab_fail(e, call->left->span, "DOMAIN ERROR", "axis %s of an array of rank %lld",
                      elab_digits(e, axes->known[i]), (long long)value->rank);
        }
    }
    for (int64_t axis = 1; axis < highest; axis++) {
        bool found = false;
        for (int64_t i = 0; i < value->rank; i++) {
            found = found || permutation[i] == axis;
        }
        if (!found) {
            elab_fail(e, call->left->span, "DOMAIN ERROR",
                      "no axis of the argument becomes axis %lld of the result",
                      (long long)(axis + call->origin - 1));
        }
    }
    return elab_transpose(e, permutation, value, call->span);
}
