/* Random views: of rank 1 to 4, in composition, of known and of unknown extents. */
#include "tests/random/random.h"

/* The most elements that a new array may have. */
enum { MOST_ELEMENTS = 3000 };

static bool small_enough(const Generator *g, int rank, const int64_t *extents)
{
    Value v = {.rank = rank};
    for (int i = 0; i < rank; i++) {
        v.extent[i] = extents[i];
    }
    int64_t n = elements(&v);
    return n <= (g->runs > 100 ? 64 : MOST_ELEMENTS);
}

/* Parts of an axis that only run time knows: all of it, backwards, or at most two. */
static CoreSlice unknown_slice(Generator *g, CoreBuilder *b, CoreAtom n)
{
    CoreSlice all = {.offset = core_i64(0), .count = n, .stride = core_i64(1)};
    switch (below(g, 4)) {
    case 0: {
        CoreAtom last = core_let_binary(b, "last", CORE_SUB, n, core_i64(1));
        all.offset = core_let_binary(b, "last", CORE_MAX, last, core_i64(0));
        all.stride = core_i64(-1);
        return all;
    }
    case 1: all.count = core_let_binary(b, "m", CORE_MIN, n, core_i64(2)); return all;
    case 2: /* every second */
        all.count = core_let_binary(b, "m", CORE_ADD, n, core_i64(1));
        all.count = core_let_binary(b, "m", CORE_DIV, all.count, core_i64(2));
        all.stride = core_i64(2);
        return all;
    default: return all;
    }
}

static void make_slice(Generator *g, CoreBuilder *b, Value v)
{
    CoreSlice slices[MAX_RANK];
    int64_t extents[MAX_RANK];
    int rank = 0, fixed = v.rank > 1 && chance(g, 3) ? (int)below(g, v.rank) : -1;
    for (int i = 0; i < v.rank; i++) {
        if (i == fixed && v.extent[i] > 0) {
            slices[i] = (CoreSlice){.fixed = true, .offset = index_in(g, b, &v, i)};
        } else if (v.extent[i] == UNKNOWN) {
            slices[i] = unknown_slice(g, b, core_atom_type(v.atom).sizes[i]);
            extents[rank++] = UNKNOWN;
        } else {
            slices[i] = some_slice(g, b, v.extent[i], &extents[rank]);
            rank++;
        }
    }
    keep_view(g, core_let_slice(b, "part", v.atom, slices), rank, extents, &v);
}

/* n elements as an array of any rank, where their number is known. */
static void make_reshape(Generator *g, CoreBuilder *b, Value v)
{
    static const int64_t factors[] = {2, 3, 7, 1, 5};
    int64_t n = elements(&v), extents[MAX_RANK];
    CoreAtom sizes[MAX_RANK];
    int rank = 0, most = 1 + (int)below(g, MAX_RANK);
    if (n == UNKNOWN) {
        if (v.rank > 1) {
            return;
        }
        /* n as n x 1 or 1 x n */
        int at = (int)below(g, 2);
        extents[at] = UNKNOWN;
        extents[1 - at] = 1;
        sizes[at] = core_atom_type(v.atom).sizes[0];
        sizes[1 - at] = core_i64(1);
        keep_view(g, core_let_reshape(b, "shaped", v.atom, 2, sizes), 2, extents, &v);
        return;
    }
    while (rank < most - 1) {
        int64_t factor = n == 0 ? below(g, 3) : factors[below(g, 5)];
        if (n == 0 || n % factor == 0) {
            extents[rank++] = factor;
            n = n == 0 ? 0 : n / factor;
        } else if (chance(g, 2)) {
            most--;
        }
    }
    extents[rank++] = n;
    if (chance(g, 2)) { /* the large extent in front */
        int64_t last = extents[rank - 1];
        extents[rank - 1] = extents[0];
        extents[0] = last;
    }
    for (int i = 0; i < rank; i++) {
        sizes[i] = some_size(g, b, extents[i]);
    }
    keep_view(g, core_let_reshape(b, "shaped", v.atom, (size_t)rank, sizes), rank, extents, &v);
}

/* v and two more like it, or v itself again. */
static void make_concat(Generator *g, CoreBuilder *b, Value v)
{
    int axis = (int)below(g, v.rank);
    CoreType type = core_atom_type(v.atom);
    CoreAtom arrays[3] = {v.atom}, n = type.sizes[axis];
    Value like = v;
    int count = 1 + (int)below(g, 3);
    for (int part = 1; part < count; part++) {
        Value w = v;
        pick(g, (int)v.atom.prim, v.rank, &w);
        CoreType other = core_atom_type(w.atom);
        CoreAtom sizes[MAX_RANK];
        for (int i = 0; i < v.rank; i++) {
            sizes[i] = i == axis ? other.sizes[i] : type.sizes[i];
            if (i != axis && (v.extent[i] != w.extent[i] || v.extent[i] == UNKNOWN) &&
                w.atom.name != v.atom.name) {
                return;
            }
        }
        bool known = like.extent[axis] != UNKNOWN && w.extent[axis] != UNKNOWN;
        like.extent[axis] = known ? like.extent[axis] + w.extent[axis] : UNKNOWN;
        if (!small_enough(g, like.rank, like.extent)) {
            return;
        }
        arrays[part] = with_sizes(b, w.atom, v.rank, sizes);
        n = core_let_binary(b, "n", CORE_ADD, n, other.sizes[axis]);
        share(g, &v, &w);
    }
    keep_view_like(g, core_let_concat(b, "both", axis, n, (size_t)count, arrays), like, &v);
}

static void make_pad(Generator *g, CoreBuilder *b, Value v)
{
    int axis = (int)below(g, v.rank);
    int64_t before = below(g, 3), after = below(g, 3);
    Value like = v;
    like.extent[axis] = v.extent[axis] == UNKNOWN ? UNKNOWN : v.extent[axis] + before + after;
    if (!small_enough(g, like.rank, like.extent)) {
        return;
    }
    CoreAtom x = some_scalar(g, b, v.atom.prim), added = core_i64(before + after);
    CoreAtom n = core_let_binary(b, "n", CORE_ADD, core_atom_type(v.atom).sizes[axis], added);
    CoreAtom result =
        core_let_pad(b, "padded", v.atom, axis, n, core_i64(before), core_i64(after), x);
    keep_view_like(g, result, like, &v);
}

void make_replicate(Generator *g, CoreBuilder *b)
{
    Value v;
    if (!pick(g, -1, (int)below(g, MAX_RANK), &v) || v.rank == MAX_RANK) {
        v = (Value){.atom = some_scalar(g, b, some_prim(g))};
    }
    int64_t extents[MAX_RANK];
    CoreAtom sizes[MAX_RANK];
    int more = 1 + (chance(g, 3) ? (int)below(g, MAX_RANK - v.rank) : 0);
    for (int i = 0; i < more; i++) {
        extents[i] = v.rank > 0 || more > 1 ? below(g, 4) : some_extent(g);
        sizes[i] = some_size(g, b, extents[i]);
    }
    for (int i = 0; i < v.rank; i++) {
        extents[more + i] = v.extent[i];
    }
    if (!small_enough(g, more + v.rank, extents)) {
        return;
    }
    CoreAtom all = core_let_replicate(b, "all", (size_t)more, sizes, v.atom);
    if (v.rank > 0) {
        keep_view(g, all, more + v.rank, extents, &v);
    } else {
        keep(g, all, more, extents);
    }
}

/* Scalars, or arrays of one shape. */
void make_literal(Generator *g, CoreBuilder *b)
{
    CorePrim prim = some_prim(g);
    CoreAtom items[4];
    int64_t extents[MAX_RANK] = {1 + below(g, 4)};
    Value v = {.rank = 0};
    if (chance(g, 3) && pick(g, -1, -1, &v) && v.rank < MAX_RANK) {
        CoreType type = core_atom_type(v.atom);
        for (int i = 0; i < v.rank; i++) {
            extents[1 + i] = v.extent[i];
        }
        for (int64_t i = 0; i < extents[0]; i++) {
            Value w = v;
            pick(g, (int)v.atom.prim, v.rank, &w);
            bool same = true;
            for (int k = 0; k < v.rank; k++) {
                same = same && w.extent[k] == v.extent[k] && w.extent[k] != UNKNOWN;
            }
            items[i] = with_sizes(b, same ? w.atom : v.atom, v.rank, type.sizes);
        }
    } else {
        v.rank = 0;
        for (int64_t i = 0; i < extents[0]; i++) {
            items[i] = some_scalar(g, b, prim);
        }
    }
    if (small_enough(g, 1 + v.rank, extents)) {
        keep(g, core_let_literal(b, "list", (size_t)extents[0], items), 1 + v.rank, extents);
    }
}

static void make_rearrange(Generator *g, CoreBuilder *b, Value v)
{
    int permutation[MAX_RANK];
    Value like = v;
    for (int i = 0; i < v.rank; i++) {
        permutation[i] = i;
    }
    for (int i = v.rank - 1; i > 0; i--) {
        int k = (int)below(g, i + 1), axis = permutation[i];
        permutation[i] = permutation[k];
        permutation[k] = axis;
    }
    for (int i = 0; i < v.rank; i++) {
        like.extent[i] = v.extent[permutation[i]];
    }
    keep_view_like(g, core_let_rearrange(b, "turned", v.atom, permutation), like, &v);
}

static void make_cycle(Generator *g, CoreBuilder *b)
{
    Value v = some_vector(g, b, some_prim(g), UNKNOWN);
    int64_t extent = some_extent(g);
    CoreAtom n = some_size(g, b, extent), fill = some_scalar(g, b, v.atom.prim);
    keep_view(g, core_let_cycle(b, "cycled", v.atom, n, fill), 1, &extent, &v);
}

static void one_view(Generator *g, CoreBuilder *b, Value v)
{
    int axis = (int)below(g, v.rank);
    switch (below(g, 9)) {
    case 0: make_rearrange(g, b, v); break;
    case 1: make_reshape(g, b, v); break;
    case 2: make_cycle(g, b); break;
    case 3: {
        CoreAtom by = some_scalar(g, b, CORE_I64);
        keep_view_like(g, core_let_rotate(b, "rolled", v.atom, axis, by), v, &v);
        break;
    }
    case 4: keep_view_like(g, core_let_reverse(b, "back", v.atom, axis), v, &v); break;
    case 5: make_slice(g, b, v); break;
    case 6: make_concat(g, b, v); break;
    case 7: make_pad(g, b, v); break;
    case 8: keep_view_like(g, core_let_atom(b, "same", v.atom), v, &v); break;
    }
}

/* One view, or several of each other. */
void make_view(Generator *g, CoreBuilder *b)
{
    Value v = some_array(g, b);
    if (v.rank == 1 && chance(g, 2)) {
        make_reshape(g, b, v);
        v = g->scope[g->count - 1].rank > 0 ? g->scope[g->count - 1] : v;
    }
    int64_t count = chance(g, 3) ? 1 + below(g, 5) : 1;
    for (int64_t i = 0; i < count; i++) {
        size_t before = g->count;
        one_view(g, b, v);
        if (g->count > before && g->scope[g->count - 1].rank > 0) {
            v = g->scope[g->count - 1];
        }
    }
}
