/* Random TAIL: structural builtins, indexing and indexed assignment, with extents that fit (or,
   where programs may fail, sometimes do not). */
#include "tests/random/tail_random.h"

enum { MOST_ELEMENTS = 2000 };

static Exp use(TailGenerator *g, const TailValue *v)
{
    return tail_use_of(g, v->variable);
}

static bool too_large(const TailValue *v)
{
    return tail_elements(v) > MOST_ELEMENTS;
}

static void keep_like(TailGenerator *g, Block *block, Exp exp, const TailValue *like)
{
    tail_keep(g, block, exp, like->rank, like->extent);
}

static TailBuiltin either(TailGenerator *g, TailBuiltin a, TailBuiltin b)
{
    return tail_chance(g, 2) ? a : b;
}

/* A vector of ints: literal, of known values or not. */
static Exp int_vector(TailGenerator *g, int count, const int64_t *values, bool known)
{
    Exp items[TAIL_MAX_RANK];
    for (int i = 0; i < count; i++) {
        items[i] = tail_number(g, values[i]);
        if (!known && tail_chance(g, 3)) {
            Exp zero = CALL(RESI, tail_number(g, 1), tail_some_scalar(g, TAIL_INT));
            items[i] = CALL(ADDI, zero, items[i]);
        }
    }
    return tail_vector(g->c, (size_t)count, items, (Span){0});
}

/* ---- order ----------------------------------------------------------------------------------- */

/* take and drop along the first axis, by a known count or one that only run time knows. */
static void take_or_drop(TailGenerator *g, Block *block, TailValue v)
{
    int64_t k = tail_below(g, 9) - 4, size = k < 0 ? -k : k;
    Exp count = int_vector(g, 1, &k, false);
    count = count->as.items.items[0];
    if (tail_chance(g, 2)) {
        TailBuiltin take = either(g, TAIL_OP_TAKE, TAIL_OP_TAKEV);
        Exp arguments[2] = {count, use(g, &v)};
        v.extent[0] = size;
        keep_like(g, block, tail_try(g, take, 2, arguments), &v);
    } else {
        TailBuiltin drop = either(g, TAIL_OP_DROP, TAIL_OP_DROPV);
        Exp arguments[2] = {count, use(g, &v)};
        if (v.extent[0] != TAIL_UNKNOWN) {
            v.extent[0] = v.extent[0] > size ? v.extent[0] - size : 0;
        }
        keep_like(g, block, tail_try(g, drop, 2, arguments), &v);
    }
}

/* transp2 with a permutation, or with two axes made one, whose extents are equal. */
static void transpose_by(TailGenerator *g, Block *block, TailValue v)
{
    int64_t axes[TAIL_MAX_RANK];
    int64_t extents[TAIL_MAX_RANK];
    int rank = v.rank;
    for (int i = 0; i < v.rank; i++) {
        axes[i] = i + 1;
    }
    for (int i = v.rank - 1; i > 0; i--) {
        int64_t k = tail_below(g, i + 1), axis = axes[i];
        axes[i] = axes[k];
        axes[k] = axis;
    }
    if (rank > 1 && tail_chance(g, 3)) { /* the axis of the greatest number goes into another */
        int last = 0, other = 0;
        for (int i = 0; i < v.rank; i++) {
            last = axes[i] == rank ? i : last;
            other = axes[i] == 1 ? i : other;
        }
        if (v.extent[last] == TAIL_UNKNOWN || v.extent[other] == TAIL_UNKNOWN) {
            return;
        }
        axes[last] = 1;
        rank--;
        if (v.extent[last] < v.extent[other]) {
            v.extent[other] = v.extent[last];
        }
        v.extent[last] = v.extent[other];
    }
    for (int i = 0; i < v.rank; i++) {
        extents[axes[i] - 1] = v.extent[i];
    }
    Exp shape = int_vector(g, v.rank, axes, true);
    tail_keep(g, block, CALL(TRANSP2, shape, use(g, &v)), rank, extents);
}

void tail_make_structure(TailGenerator *g, Block *block)
{
    TailValue v = tail_some_array(g, block, -1, -1);
    Exp x = use(g, &v);
    switch (tail_below(g, 9)) {
    case 0:
    case 1: take_or_drop(g, block, v); break;
    case 2: {
        TailBuiltin rotate = either(g, TAIL_OP_ROTATE, TAIL_OP_VROTATE);
        if (tail_chance(g, 3)) {
            rotate = either(g, TAIL_OP_ROTATEV, TAIL_OP_VROTATEV);
        }
        Exp arguments[2] = {tail_some_scalar(g, TAIL_INT), x};
        keep_like(g, block, tail_try(g, rotate, 2, arguments), &v);
        break;
    }
    case 3:
    case 4: {
        TailBuiltin reverse = either(g, TAIL_OP_REVERSE, TAIL_OP_VREVERSE);
        if (tail_chance(g, 3)) {
            reverse = either(g, TAIL_OP_REVERSEV, TAIL_OP_VREVERSEV);
        }
        keep_like(g, block, tail_try(g, reverse, 1, &x), &v);
        break;
    }
    case 5:
    case 6: {
        TailValue w = v;
        for (int i = 0; i < v.rank; i++) {
            w.extent[i] = v.extent[v.rank - 1 - i];
        }
        keep_like(g, block, CALL(TRANSP, x), &w);
        break;
    }
    case 7: transpose_by(g, block, v); break;
    case 8: keep_like(g, block, CALL(MEM, x), &v); break;
    }
}

/* ---- shape ----------------------------------------------------------------------------------- */

static void reshape(TailGenerator *g, Block *block, const TailValue *v)
{
    TailValue like = {.rank = 1 + (int)tail_below(g, TAIL_MAX_RANK)};
    Exp shape;
    TailValue w;
    if (tail_chance(g, 4) && tail_pick(g, -1, -1, &w)) { /* the shape of another */
        like = w;
        shape = CALL(SHAPE, use(g, &w));
    } else {
        for (int i = 0; i < like.rank; i++) {
            like.extent[i] = like.rank == 1 ? tail_some_extent(g) : tail_below(g, 5);
        }
        if (g->may_fail && tail_chance(g, 10)) {
            like.extent[0] = -1;
        }
        shape = int_vector(g, like.rank, like.extent, false);
    }
    if (!too_large(&like)) {
        keep_like(g, block, CALL(RESHAPE, shape, use(g, v)), &like);
    }
}

void tail_make_shape(TailGenerator *g, Block *block)
{
    TailValue v = tail_some_array(g, block, -1, -1);
    if (tail_chance(g, 8) && tail_pick(g, -1, 0, &v)) {
        v.rank = 0;
    }
    Exp x = use(g, &v);
    int64_t n = tail_elements(&v);
    switch (tail_below(g, 8)) {
    case 0: {
        int64_t rank = v.rank;
        if (rank > 0) {
            Exp arguments[1] = {x};
            Exp shape = tail_try(g, either(g, TAIL_OP_SHAPE, TAIL_OP_SHAPEV), 1, arguments);
            tail_keep(g, block, shape, 1, &rank);
        }
        break;
    }
    case 1: tail_keep(g, block, CALL(RAV, x), 1, &n); break;
    case 2: tail_keep(g, block, CALL(FIRST, x), 0, NULL); break;
    case 3: {
        Exp sizes = v.rank > 0 ? CALL(SHAPE, x) : NULL;
        tail_keep(g, block, CALL(FIRSTV, sizes), 0, NULL);
        break;
    }
    case 4:
        if (n == 1 || (g->may_fail && tail_chance(g, 5))) {
            tail_keep(g, block, CALL(SINGLE, x), 0, NULL);
        }
        break;
    default: reshape(g, block, &v); break;
    }
}

/* ---- joining --------------------------------------------------------------------------------- */

/* An item of v without its last axis: a scalar, or an array of these extents. */
static Exp some_item(TailGenerator *g, const TailValue *v)
{
    if (v->rank == 1) {
        return tail_some_scalar(g, v->base);
    }
    TailValue w;
    for (int attempt = 0; attempt < 3; attempt++) {
        bool same = tail_pick(g, (int)v->base, v->rank - 1, &w);
        for (int i = 0; same && i < v->rank - 1; i++) {
            same = w.extent[i] == v->extent[i] && w.extent[i] != TAIL_UNKNOWN;
        }
        if (same || (g->may_fail && tail_chance(g, 8) && w.rank == v->rank - 1)) {
            return use(g, &w);
        }
    }
    Exp shape = int_vector(g, v->rank - 1, v->extent, false);
    for (int i = 0; i < v->rank - 1; i++) {
        if (v->extent[i] == TAIL_UNKNOWN) {
            return NULL;
        }
    }
    Exp one = tail_some_scalar(g, v->base);
    return CALL(RESHAPE, shape, tail_vector(g->c, 1, &one, (Span){0}));
}

void tail_make_join(TailGenerator *g, Block *block)
{
    TailValue v = tail_some_array(g, block, -1, -1), w;
    int last = v.rank - 1;
    bool named = tail_chance(g, 4);
    if (too_large(&v)) {
        return;
    }
    if (tail_chance(g, 2)) {
        TailBuiltin cons = named ? TAIL_OP_CONSV : TAIL_OP_CONS;
        Exp first[2] = {some_item(g, &v), use(g, &v)};
        Exp second[2] = {first[1], first[0]};
        bool front = tail_chance(g, 2);
        Exp joined = front ? tail_try(g, cons, 2, first)
                           : tail_try(g, named ? TAIL_OP_SNOCV : TAIL_OP_SNOC, 2, second);
        v.extent[last] += v.extent[last] != TAIL_UNKNOWN;
        keep_like(g, block, joined, &v);
        return;
    }
    w = v;
    tail_pick(g, (int)v.base, v.rank, &w);
    for (int i = 0; i < last; i++) {
        if (w.variable != v.variable &&
            (w.extent[i] != v.extent[i] || w.extent[i] == TAIL_UNKNOWN) &&
            !(g->may_fail && tail_chance(g, 8))) {
            return;
        }
    }
    Exp arguments[2] = {use(g, &v), use(g, &w)};
    bool known = v.extent[last] != TAIL_UNKNOWN && w.extent[last] != TAIL_UNKNOWN;
    v.extent[last] = known ? v.extent[last] + w.extent[last] : TAIL_UNKNOWN;
    keep_like(g, block, tail_try(g, named ? TAIL_OP_CATV : TAIL_OP_CAT, 2, arguments), &v);
}

/* ---- indexing -------------------------------------------------------------------------------- */

/* A vector or matrix of positions 1..n. */
static Exp some_positions(TailGenerator *g, Block *block, int64_t n, TailValue *positions)
{
    *positions = tail_some_array(g, block, TAIL_INT, 1 + (int)tail_below(g, 2));
    if (g->may_fail && tail_chance(g, 8)) {
        return use(g, positions);
    }
    if (n <= 0 && tail_elements(positions) != 0) {
        return NULL;
    }
    TailVariable *i = tail_fresh(g, tail_scalar_type(g->c, TAIL_INT));
    Exp place = CALL(RESI, tail_number(g, n > 0 ? n : 1), tail_use_of(g, i));
    Exp f = tail_lambda(g->c, 1, &i, CALL(ADDI, tail_number(g, 1), place), (Span){0});
    return CALL(EACH, f, use(g, positions));
}

void tail_make_index(TailGenerator *g, Block *block)
{
    TailValue v = tail_some_array(g, block, -1, -1), positions;
    int axis = (int)tail_below(g, v.rank);
    int64_t n = v.extent[axis], extents[2 * TAIL_MAX_RANK];
    Exp d = tail_number(g, axis + 1);
    if (n == TAIL_UNKNOWN) {
        return;
    }
    if (tail_chance(g, 2)) {
        if (n == 0 && !g->may_fail) {
            return;
        }
        Exp i = g->may_fail && tail_chance(g, 6) ? tail_some_scalar(g, TAIL_INT)
                                                 : tail_whole_in(g, 1, n > 0 ? n : 1);
        for (int k = 0, at = 0; k < v.rank; k++) {
            if (k != axis) {
                extents[at++] = v.extent[k];
            }
        }
        tail_keep(g, block, CALL(IDXS, d, i, use(g, &v)), v.rank - 1, extents);
        return;
    }
    if (tail_chance(g, 4)) {
        int64_t first = 1 + (int64_t)tail_below(g, (int)n + 1),
                step = 1 + (int64_t)tail_below(g, 3);
        int64_t most = first <= n ? (n - first) / step + 1 : 0;
        TailValue like = v;
        like.extent[axis] = (int64_t)tail_below(g, (int)most + 1);
        keep_like(g, block,
                  CALL(IDXP, d, tail_whole_in(g, first, first), tail_number(g, like.extent[axis]),
                       tail_number(g, step), use(g, &v)),
                  &like);
        return;
    }
    Exp is = some_positions(g, block, n, &positions);
    int rank = 0;
    for (int k = 0; k < v.rank; k++) {
        if (k != axis) {
            extents[rank++] = v.extent[k];
            continue;
        }
        for (int j = 0; j < positions.rank; j++) {
            extents[rank++] = positions.extent[j];
        }
    }
    if (rank <= TAIL_MAX_RANK) {
        TailValue like = {.rank = rank};
        memcpy(like.extent, extents, sizeof like.extent);
        if (!too_large(&like)) {
            keep_like(g, block, CALL(IDXA, d, is, use(g, &v)), &like);
        }
    }
}

/* update: some axes at one position each, the others whole; assign: several elements of a vector.
 */
void tail_make_update(TailGenerator *g, Block *block)
{
    TailValue v = tail_some_array(g, block, -1, -1), positions, w;
    if (v.rank == 1 && tail_chance(g, 2) && v.extent[0] != TAIL_UNKNOWN) {
        Exp is = some_positions(g, block, v.extent[0], &positions);
        if (positions.rank != 1 || positions.extent[0] == TAIL_UNKNOWN) {
            return;
        }
        w = tail_some_array(g, block, (int)v.base, 1);
        Exp values = use(g, &w);
        if (w.extent[0] != positions.extent[0] && !(g->may_fail && tail_chance(g, 8))) {
            values = CALL(RESHAPE, int_vector(g, 1, positions.extent, false), values);
        }
        keep_like(g, block, CALL(ASSIGN, is, values, use(g, &v)), &v);
        return;
    }
    int64_t bits = 0, extents[TAIL_MAX_RANK];
    Exp places[TAIL_MAX_RANK];
    size_t fixed = 0;
    int left = 0;
    for (int i = 0; i < v.rank; i++) {
        if (v.extent[i] <= 0) {
            return;
        }
        if (tail_chance(g, 2) || (fixed == 0 && i == v.rank - 1)) {
            bits |= (int64_t)1 << i;
            places[fixed++] = g->may_fail && tail_chance(g, 10) ? tail_some_scalar(g, TAIL_INT)
                                                                : tail_whole_in(g, 1, v.extent[i]);
        } else {
            extents[left++] = v.extent[i];
        }
    }
    Exp x = tail_some_scalar(g, v.base);
    if (left > 0) {
        Exp shape = int_vector(g, left, extents, false);
        x = CALL(RESHAPE, shape, tail_vector(g->c, 1, &x, (Span){0}));
    }
    Exp at = tail_vector(g->c, fixed, places, (Span){0});
    keep_like(g, block, CALL(UPDATE, tail_number(g, bits), at, x, use(g, &v)), &v);
}
