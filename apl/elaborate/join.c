/* Catenation along any axis, of arrays whose ranks are equal or differ by one, and of scalars with
   anything.

       n,m     ==>  [n,m]
       v,5     ==>  snocV(v,5)
       m⍪n     ==>  transp(cat(transp(m),transp(n)))
       0,m     ==>  cons(reshape(drop(-1,shape(m)),0), m) */
#include "apl/elaborate/internal.h"

/* Scalars and short vectors with known items stay a strand. */
static Value *join_elements(Elaboration *e, const Value *left, const Value *right, Span span)
{
    const Value *both[] = {left, right};
    Value *items[2 * KNOWN_LIMIT];
    int64_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        if (both[i]->rank == 0) {
            items[count++] = (Value *)(uintptr_t)both[i];
        } else if (elab_has_elements(both[i])) {
            for (int64_t k = 0; k < both[i]->extents[0]; k++) {
                items[count++] = elab_element(e, both[i], k);
            }
        } else {
            return NULL;
        }
    }
    return count <= KNOWN_LIMIT ? elab_vector(e, (size_t)count, items, span) : NULL;
}

/* The extents beside `axis` must agree; `higher` has that axis, `lower` may be without it. */
static int64_t *joined_extents(Elaboration *e, int64_t axis, const Value *left, const Value *right,
                               Span span)
{
    const Value *higher = left->rank >= right->rank ? left : right;
    const Value *other = higher == left ? right : left;
    int64_t *extents = elab_extents(e, higher->rank);
    for (int64_t i = 0, j = 0; i < higher->rank; i++) {
        bool both = other->rank == higher->rank;
        if (i == axis) {
            int64_t added = both ? other->extents[i] : 1;
            bool known =
                higher->extents[i] >= 0 && added >= 0 && higher->extents[i] + added < LENGTH_LIMIT;
            extents[i] = known ? higher->extents[i] + added : -1;
            j += both;
            continue;
        }
        int64_t a = higher->extents[i], b = other->extents[j++];
        if (a >= 0 && b >= 0 && a != b) {
            elab_fail(e, span, "LENGTH ERROR", "%lld and %lld", (long long)(higher == left ? a : b),
                      (long long)(higher == left ? b : a));
        }
        extents[i] = a >= 0 ? a : b;
    }
    return extents;
}

static Value *expand_scalar(Elaboration *e, int64_t axis, const Value *array, Value *scalar,
                            Span span)
{
    if (array->rank == 1) {
        return scalar;
    }
    Value *items[64];
    size_t count = 0;
    for (int64_t i = 0; i < array->rank && count < 60; i++) {
        if (i != axis) {
            items[count++] = elab_extent(e, array, i, span);
        }
    }
    return elab_reshape(e, elab_vector(e, count, items, span), scalar, span);
}

Value *elab_catenate(Elaboration *e, int64_t axis, Value *left, Value *right, Span span)
{
    if (left->rank <= 1 && right->rank <= 1 && left->rank + right->rank > 0) {
        if (elab_known_empty(left)) {
            return elab_ravel(e, right, span);
        }
        if (elab_known_empty(right)) {
            return elab_ravel(e, left, span);
        }
    }
    TailBaseKind base = elab_join_bases(e, left->base, right->base, span, "a catenation");
    if (left->rank <= 1 && right->rank <= 1) {
        Value *strand = join_elements(e, left, right, span);
        if (strand != NULL) {
            return strand;
        }
    }
    left = elab_cast(e, left, base, span);
    right = elab_cast(e, right, base, span);
    if (left->rank == 0 && right->rank > 1) {
        left = expand_scalar(e, axis, right, left, span);
    } else if (right->rank == 0 && left->rank > 1) {
        right = expand_scalar(e, axis, left, right, span);
    }
    int64_t difference = left->rank - right->rank;
    if (difference > 1 || difference < -1) {
        elab_fail(e, span, "RANK ERROR", "%lld and %lld", (long long)left->rank,
                  (long long)right->rank);
    }
    int64_t *extents = joined_extents(e, axis, left, right, span);
    if (difference >= 0) {
        left = elab_axis_to_last(e, axis, left, span);
    }
    if (difference <= 0) {
        right = elab_axis_to_last(e, axis, right, span);
    }
    TailBuiltin builtin = difference == 0  ? TAIL_OP_CAT
                          : difference < 0 ? TAIL_OP_CONS
                                           : TAIL_OP_SNOC;
    Value *joined = ELAB_VALUE(e, builtin, span, left->exp, right->exp);
    Value *result = elab_axis_from_last(e, axis, joined, span);
    elab_set_extents(result, extents);
    return result;
}
