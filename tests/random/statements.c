/* Random statements: scalars, indexing, views, updates, branches, loops and assertions.

   Each maker binds one or more names with constructors of core, and keeps them in scope. Indices
   and slices are made to lie within bounds; arrays whose extents only run time knows are not
   indexed. */
#include "tests/random/random.h"

static void make_scalar(Generator *g, CoreBuilder *b)
{
    CorePrim prim = some_prim(g);
    if (chance(g, 4)) {
        static const CoreOperator ops[] = {CORE_NEG, CORE_ABS, CORE_SIGN};
        CorePrim number = some_int(g);
        keep_scalar(g, core_let_unary(b, "u", ops[below(g, 3)], some_scalar(g, b, number)));
    } else if (chance(g, 4)) {
        CoreAtom x = some_scalar(g, b, some_prim(g));
        if (prim != CORE_CHAR && x.prim != prim) {
            keep_scalar(g, core_let_convert(b, "c", prim, x));
        }
    } else {
        combine(g, b, prim);
    }
}

static void make_index(Generator *g, CoreBuilder *b)
{
    Value v = some_array(g, b);
    CoreAtom indices[MAX_RANK];
    int count = 1 + (int)below(g, v.rank);
    for (int i = 0; i < count; i++) {
        if (v.extent[i] <= 0) {
            return;
        }
        indices[i] = index_in(g, b, &v, i);
    }
    CoreAtom x = core_let_index(b, "x", v.atom, (size_t)count, indices);
    keep(g, x, v.rank - count, v.extent + count);
}

/* Count positions of an axis from an offset with a stride, all within it. */
static CoreSlice some_slice(Generator *g, CoreBuilder *b, int64_t extent, int64_t *count)
{
    if (extent <= 0 || chance(g, 6)) {
        *count = 0;
        return (CoreSlice){.offset = core_i64(0), .count = core_i64(0), .stride = core_i64(1)};
    }
    int64_t stride = below(g, 5) - 2, offset = below(g, extent);
    int64_t most = stride == 0  ? 4
                   : stride > 0 ? (extent - 1 - offset) / stride + 1
                                : offset / -stride + 1;
    *count = chance(g, 2) ? most : 1 + below(g, most);
    return (CoreSlice){
        .offset = core_i64(offset), .count = some_size(g, b, *count), .stride = core_i64(stride)};
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
            slices[i] = (CoreSlice){.offset = core_i64(0),
                                    .count = core_atom_type(v.atom).sizes[i],
                                    .stride = core_i64(1)};
            extents[rank++] = UNKNOWN;
        } else {
            slices[i] = some_slice(g, b, v.extent[i], &extents[rank]);
            rank++;
        }
    }
    keep(g, core_let_slice(b, "part", v.atom, slices), rank, extents);
}

static void make_reshape(Generator *g, CoreBuilder *b, Value v)
{
    int64_t n = elements(&v);
    if (n == UNKNOWN) {
        return;
    }
    int64_t extents[MAX_RANK] = {n};
    int rank = 1;
    static const int64_t factors[] = {2, 3, 7, 1};
    int64_t factor = factors[below(g, 4)];
    if (!chance(g, 3) && n % factor == 0) {
        extents[0] = n / factor;
        extents[1] = factor;
        rank = 2;
    }
    CoreAtom sizes[MAX_RANK];
    for (int i = 0; i < rank; i++) {
        sizes[i] = some_size(g, b, extents[i]);
    }
    keep(g, core_let_reshape(b, "shaped", v.atom, (size_t)rank, sizes), rank, extents);
}

static void make_concat(Generator *g, CoreBuilder *b, Value v)
{
    int axis = (int)below(g, v.rank);
    Value w = v;
    pick(g, (int)v.atom.prim, v.rank, &w);
    CoreType type = core_atom_type(v.atom), other = core_atom_type(w.atom);
    CoreAtom sizes[MAX_RANK];
    for (int i = 0; i < v.rank; i++) {
        sizes[i] = i == axis ? other.sizes[i] : type.sizes[i];
        if (i != axis && (v.extent[i] != w.extent[i] || v.extent[i] == UNKNOWN) &&
            w.atom.name != v.atom.name) {
            return;
        }
    }
    CoreAtom arrays[2] = {v.atom, with_sizes(b, w.atom, v.rank, sizes)};
    CoreAtom n = core_let_binary(b, "n", CORE_ADD, type.sizes[axis], other.sizes[axis]);
    int64_t extent = v.extent[axis] == UNKNOWN || w.extent[axis] == UNKNOWN
                         ? UNKNOWN
                         : v.extent[axis] + w.extent[axis];
    CoreAtom result = core_let_concat(b, "both", axis, n, 2, arrays);
    v.extent[axis] = extent;
    keep_like(g, result, v);
}

static void make_pad(Generator *g, CoreBuilder *b, Value v)
{
    int axis = (int)below(g, v.rank);
    int64_t before = below(g, 3), after = below(g, 3);
    CoreAtom x = some_scalar(g, b, v.atom.prim), added = core_i64(before + after);
    CoreAtom n = core_let_binary(b, "n", CORE_ADD, core_atom_type(v.atom).sizes[axis], added);
    CoreAtom result =
        core_let_pad(b, "padded", v.atom, axis, n, core_i64(before), core_i64(after), x);
    v.extent[axis] = v.extent[axis] == UNKNOWN ? UNKNOWN : v.extent[axis] + before + after;
    keep_like(g, result, v);
}

static void make_replicate(Generator *g, CoreBuilder *b)
{
    Value v;
    if (!pick(g, -1, (int)below(g, 3), &v) || (v.rank > 0 && elements(&v) > 300)) {
        v.rank = 0;
        v.atom = some_scalar(g, b, some_prim(g));
    }
    int64_t extents[MAX_RANK] = {v.rank > 0 ? below(g, 4) : some_extent(g)};
    CoreAtom n = some_size(g, b, extents[0]);
    for (int i = 0; i < v.rank; i++) {
        extents[i + 1] = v.extent[i];
    }
    keep(g, core_let_replicate(b, "all", 1, &n, v.atom), v.rank + 1, extents);
}

static void make_literal(Generator *g, CoreBuilder *b)
{
    CorePrim prim = some_prim(g);
    CoreAtom items[4];
    int64_t count = 1 + below(g, 4);
    for (int64_t i = 0; i < count; i++) {
        items[i] = some_scalar(g, b, prim);
    }
    keep(g, core_let_literal(b, "list", (size_t)count, items), 1, &count);
}

static void make_view(Generator *g, CoreBuilder *b)
{
    static const int swaps[2][3] = {{1, 0, 2}, {1, 2, 0}};
    Value v = some_array(g, b);
    if (v.rank == 1 && chance(g, 2)) {
        make_reshape(g, b, v);
        v = g->scope[g->count - 1].rank > 0 ? g->scope[g->count - 1] : v;
    }
    int axis = (int)below(g, v.rank);
    switch (below(g, 8)) {
    case 0:
        if (v.rank > 1) {
            const int *permutation = swaps[v.rank == 3 && chance(g, 2)];
            Value w = v;
            for (int i = 0; i < v.rank; i++) {
                w.extent[i] = v.extent[permutation[i]];
            }
            keep_like(g, core_let_rearrange(b, "turned", v.atom, permutation), w);
        }
        break;
    case 1: make_reshape(g, b, v); break;
    case 2: {
        Value w = some_vector(g, b, some_prim(g), UNKNOWN);
        int64_t extent = some_extent(g);
        CoreAtom n = some_size(g, b, extent), fill = some_scalar(g, b, w.atom.prim);
        keep(g, core_let_cycle(b, "cycled", w.atom, n, fill), 1, &extent);
        break;
    }
    case 3:
        keep_like(g, core_let_rotate(b, "rolled", v.atom, axis, some_scalar(g, b, CORE_I64)), v);
        break;
    case 4: keep_like(g, core_let_reverse(b, "back", v.atom, axis), v); break;
    case 5: make_slice(g, b, v); break;
    case 6: make_concat(g, b, v); break;
    case 7: make_pad(g, b, v); break;
    }
}

/* A copy, changed in one place or part. */
static void make_update(Generator *g, CoreBuilder *b)
{
    Value v = some_array(g, b);
    CoreSlice slices[MAX_RANK];
    CoreAtom sizes[MAX_RANK];
    size_t rank = 0;
    bool part = chance(g, 2);
    for (int i = 0; i < v.rank; i++) {
        if (v.extent[i] <= 0) {
            return;
        }
        if (part && (i == v.rank - 1 || chance(g, 2))) {
            int64_t count;
            do {
                slices[i] = some_slice(g, b, v.extent[i], &count);
            } while (core_atom_equal(slices[i].stride, core_i64(0)));
            sizes[rank++] = slices[i].count;
        } else {
            slices[i] = (CoreSlice){.fixed = true, .offset = index_in(g, b, &v, i)};
        }
    }
    CoreAtom x = some_scalar(g, b, v.atom.prim);
    if (rank > 0) {
        x = core_let_replicate(b, "filler", rank, sizes, x);
    }
    CoreAtom copy = core_let_copy(b, "copy", v.atom);
    keep_like(g, core_let_update(b, "changed", copy, (size_t)v.rank, slices, x), v);
}

static const CoreBody *branch(Generator *g, Span span, CorePrim prim, CorePrim of_array, bool array)
{
    Mark mark = enter(g, 1);
    CoreBuilder inner = core_builder(g->c, span);
    for (int64_t n = below(g, 3); n > 0; n--) {
        some_statement(g, &inner);
    }
    CoreAtom results[3] = {some_scalar(g, &inner, prim)};
    if (array) {
        Value v = some_vector(g, &inner, of_array, UNKNOWN);
        results[1] = core_atom_type(v.atom).sizes[0];
        results[2] = v.atom;
    }
    leave(g, mark);
    return core_body(&inner, array ? 3 : 1, results);
}

static void make_if(Generator *g, CoreBuilder *b)
{
    CoreAtom condition = some_scalar(g, b, CORE_BOOL);
    CorePrim prim = some_prim(g), of_array = some_prim(g);
    bool array = chance(g, 2);
    const CoreBody *yes = branch(g, b->span, prim, of_array, array);
    const CoreBody *no = branch(g, b->span, prim, of_array, array);
    CoreName *pattern[3] = {fresh(g, core_scalar(prim)), fresh(g, core_scalar(CORE_I64))};
    CoreAtom m = core_use(pattern[1]);
    pattern[2] = fresh(g, core_array(g->c, of_array, 1, &m));
    core_bind(b, array ? 3 : 1, pattern, core_exp_if(g->c, condition, yes, no));
    keep_scalar(g, core_use(pattern[0]));
    if (array) {
        int64_t extent = UNKNOWN;
        keep_scalar(g, m);
        keep(g, core_use(pattern[2]), 1, &extent);
    }
}

/* A loop with a scalar, an array that grows, or one that is changed in place. */
static void make_loop(Generator *g, CoreBuilder *b)
{
    bool with_array = chance(g, 2), grows = chance(g, 2), with_while = chance(g, 3);
    CorePrim prim = some_int(g);
    Value v = some_vector(g, b, some_prim(g), UNKNOWN);
    int64_t bound = below(g, 5);
    CoreName *p[5] = {fresh(g, core_scalar(CORE_BOOL)), fresh(g, core_scalar(CORE_I64)),
                      fresh(g, core_scalar(prim)), fresh(g, core_scalar(CORE_I64))};
    CoreAtom n = grows ? core_use(p[3]) : core_atom_type(v.atom).sizes[0];
    CoreType type = core_array(g->c, v.atom.prim, 1, &n);
    p[4] = fresh(g, type);
    p[4]->type.unique = !grows;
    size_t count = with_array ? 5 : 3;
    CoreAtom initial[5] = {core_bool(bound > 0), core_i64(1), some_scalar(g, b, prim),
                           core_atom_type(v.atom).sizes[0], v.atom};
    if (with_array && !grows) {
        initial[4] = core_let_copy(b, "state", v.atom);
    }
    Mark mark = enter(g, bound);
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreName *index = with_while ? NULL : fresh(g, core_scalar(CORE_I64));
    keep_scalar(g, core_use(index ? index : p[1]));
    keep_scalar(g, core_use(p[2]));
    for (int64_t i = below(g, 3); i > 0; i--) {
        some_statement(g, &inner);
    }
    CoreAtom next[5];
    next[0] = core_let_binary(&inner, "more", CORE_LT, core_use(p[1]), core_i64(bound));
    next[1] = core_let_binary(&inner, "step", CORE_ADD, core_use(p[1]), core_i64(1));
    next[2] = some_scalar(g, &inner, prim);
    next[3] = core_use(p[3]);
    next[4] = core_use(p[4]);
    CoreAtom x = some_scalar(g, &inner, v.atom.prim);
    if (with_array && grows) {
        CoreAtom one = core_let_literal(&inner, "one", 1, &x);
        next[3] = core_let_binary(&inner, "n", CORE_ADD, core_use(p[3]), core_i64(1));
        next[4] =
            core_let_concat(&inner, "grown", 0, next[3], 2, (CoreAtom[]){core_use(p[4]), one});
    } else if (with_array && v.extent[0] > 0) {
        CoreSlice place = {.fixed = true,
                           .offset = core_let_binary(&inner, "at", CORE_MOD, core_use(p[1]), n)};
        next[4] = core_let_update(&inner, "changed", core_use(p[4]), 1, &place, x);
    }
    leave(g, mark);
    const CoreBody *body = core_body(&inner, count, next);
    CoreName *pattern[5];
    for (size_t i = 0; i < count; i++) {
        CoreType of = p[i]->type;
        CoreAtom m = i == 4 && grows ? core_use(pattern[3]) : n;
        pattern[i] = fresh(g, i == 4 ? core_array(g->c, of.prim, 1, &m) : of);
    }
    core_bind(b, count, pattern,
              with_while
                  ? core_exp_while(g->c, count, p, initial, p[0], body)
                  : core_exp_for(g->c, count, p, initial, index, some_size(g, b, bound), body));
    keep_scalar(g, core_use(pattern[2]));
    if (with_array) {
        int64_t extent = !grows                   ? v.extent[0]
                         : v.extent[0] == UNKNOWN ? UNKNOWN
                                                  : v.extent[0] + bound;
        keep(g, core_use(pattern[4]), 1, &extent);
    }
}

/* An assertion and what it guards: an index that may be out of bounds where assertions may fail. */
static void make_assertion(Generator *g, CoreBuilder *b)
{
    Value v = some_array(g, b);
    CoreAtom n = core_atom_type(v.atom).sizes[0];
    CoreAtom i = some_scalar(g, b, CORE_I64);
    if (v.extent[0] <= 0) {
        return;
    }
    if (!g->may_fail || !chance(g, 4)) {
        i = core_let_binary(b, "i", CORE_MOD, i, n);
    }
    CoreAtom low = core_let_binary(b, "low", CORE_LE, core_i64(0), i);
    CoreAtom high = core_let_binary(b, "high", CORE_LT, i, n);
    CoreAtom certificate;
    CoreAtom values[2] = {i, n};
    if (chance(g, 2)) {
        CoreAtom within = core_let_binary(b, "within", CORE_AND, low, high);
        certificate = core_let_assert(b, within, CORE_INDEX_ERROR, "{} of {}", 2, values);
    } else {
        CoreAtom two[2] = {core_let_assert(b, low, CORE_INDEX_ERROR, "{} is negative", 1, values),
                           core_let_assert(b, high, CORE_LENGTH_ERROR, "{} and {}", 2, values)};
        certificate = core_let_conjoin(b, 2, two);
    }
    size_t outer = b->certificates.count;
    vec_push(g->c->arena, &b->certificates, certificate);
    CoreAtom x = core_let_index(b, "x", v.atom, 1, &i);
    b->certificates.count = outer;
    keep(g, x, v.rank - 1, v.extent + 1);
}

/* iota and SOACs of a width that differs from row to row. */
static void make_varying(Generator *g, CoreBuilder *b)
{
    CoreAtom x = some_scalar(g, b, CORE_I64);
    CoreAtom n = core_let_binary(b, "n", CORE_MOD, x, core_i64(5));
    int64_t extent = UNKNOWN;
    keep(g, core_let_iota(b, "is", n), 1, &extent);
    keep_scalar(g, n);
    make_soac(g, b);
}

void some_statement(Generator *g, CoreBuilder *b)
{
    bool small = g->depth < 4 && g->runs < 20000;
    switch (below(g, small ? 26 : 10)) {
    case 0:
    case 1:
    case 2:
    case 3: make_scalar(g, b); break;
    case 4:
    case 5: make_index(g, b); break;
    case 6:
    case 7: make_view(g, b); break;
    case 8: make_literal(g, b); break;
    case 9: make_assertion(g, b); break;
    case 10:
    case 11: make_view(g, b); break;
    case 12: make_replicate(g, b); break;
    case 13: make_update(g, b); break;
    case 14: make_if(g, b); break;
    case 15:
    case 16: make_loop(g, b); break;
    case 17: make_varying(g, b); break;
    case 18: make_filter(g, b); break;
    case 19: make_scatter(g, b); break;
    case 20: make_hist(g, b); break;
    case 21: make_stream(g, b); break;
    case 22: make_reduction_of_rows(g, b); break;
    case 23:
    case 24:
    case 25: make_soac(g, b); break;
    }
}
