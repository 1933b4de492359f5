/* Scalar functions along axes: the axes in brackets are those of the argument of higher rank that
   the other one has; along the rest it is repeated.

       10 20+[1]2 3⍴⍳6   ==>   (2 1⍉3 2⍴10 20)+2 3⍴⍳6   ==>   11 12 13
                                                              24 25 26

   The reshape repeats the argument for every position along the axes that it lacks, which come
   first there, and the transpose puts them where they belong: both are index arithmetic. */
#include "apl/elaborate/internal.h"

/* The axes in brackets, from 0, ascending; how many there are. */
static int64_t axes_of(Elaboration *e, const Call *call, int64_t rank, int64_t *axes)
{
    const Value *given = call->axis;
    if (given->kind != VALUE_ARRAY || given->rank != 1) {
        axes[0] = elab_axis(e, call, rank, 0);
        return 1;
    }
    if (given->known == NULL) {
        elab_unknown_axis(e, given);
    }
    int64_t count = given->extents[0];
    for (int64_t i = 0; i < count; i++) {
        int64_t axis = given->known[i] - call->origin;
        bool wrong = axis < 0 || axis >= rank || i >= rank;
        for (int64_t k = 0; k < i && !wrong; k++) {
            wrong = axes[k] == axis;
        }
        if (wrong) {
            elab_fail(e, given->span, "AXIS ERROR", "axis %s of an array of rank %lld",
                      elab_digits(e, given->known[i]), (long long)rank);
        }
        if (i > 0 && axis < axes[i - 1]) {
            elab_nonce(e, given->span, "a list of axes that does not ascend is");
        }
        axes[i] = axis;
    }
    return count;
}

/* The argument of lower rank in the shape of the other one. */
static Value *repeated(Elaboration *e, Value *lower, const Value *higher, const int64_t *axes,
                       Span span)
{
    Value *extents[RANK_LIMIT + 1];
    int64_t permutation[RANK_LIMIT + 1];
    int64_t rank = 0;
    for (int64_t i = 0, k = 0; i < higher->rank; i++) {
        if (k < lower->rank && axes[k] == i) {
            k++;
        } else {
            permutation[rank] = i + 1;
            extents[rank++] = elab_extent(e, higher, i, span);
        }
    }
    for (int64_t k = 0; k < lower->rank; k++) {
        permutation[rank] = axes[k] + 1;
        extents[rank++] = elab_extent(e, lower, k, span);
    }
    Value *shape = elab_vector(e, (size_t)rank, extents, span);
    return elab_transpose(e, permutation, elab_reshape(e, shape, lower, span), span);
}

Value *elab_along(Elaboration *e, const Call *call)
{
    const char *glyph = apl_primitive_glyph(call->primitive);
    Call plain = *call;
    plain.axis = NULL;
    if (call->left == NULL) {
        elab_fail(e, call->axis->span, "SYNTAX ERROR", "%s with one argument takes no axis", glyph);
    }
    if (call->left->kind != VALUE_ARRAY || call->right->kind != VALUE_ARRAY) {
        elab_nonce(e, call->span, "%s of nested items with an axis is", glyph);
    }
    bool left_lower = call->left->rank < call->right->rank;
    Value *lower = left_lower ? call->left : call->right;
    Value *higher = left_lower ? call->right : call->left;
    if (higher->rank > RANK_LIMIT) {
        elab_fail(e, call->span, "LIMIT ERROR", "an array of rank %lld", (long long)higher->rank);
    }
    int64_t axes[RANK_LIMIT + 1];
    int64_t count = axes_of(e, call, higher->rank, axes);
    if (lower->rank == 0 || (lower->rank == 1 && lower->extents[0] == 1)) {
        return elab_scalar_function(e, &plain);
    }
    if (count != lower->rank) {
        elab_fail(e, call->span, "RANK ERROR", "%lld %s for an argument of rank %lld",
                  (long long)count, count == 1 ? "axis" : "axes", (long long)lower->rank);
    }
    if (lower->rank == higher->rank) {
        return elab_scalar_function(e, &plain);
    }
    for (int64_t k = 0; k < count; k++) {
        int64_t a = lower->extents[k], b = higher->extents[axes[k]];
        if (a >= 0 && b >= 0 && a != b) {
            elab_fail(e, call->span, "LENGTH ERROR", "%lld and %lld",
                      (long long)(left_lower ? a : b), (long long)(left_lower ? b : a));
        }
        Value *there = elab_extent(e, lower, k, call->span),
              *wanted = elab_extent(e, higher, axes[k], call->span);
        lower = elab_same(e, left_lower ? there : wanted, left_lower ? wanted : there, lower,
                          call->span);
    }
    lower = repeated(e, lower, higher, axes, call->span);
    plain.left = left_lower ? lower : higher;
    plain.right = left_lower ? higher : lower;
    return elab_scalar_function(e, &plain);
}
