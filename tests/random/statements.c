/* Random statements: indexing, updates, effects; and which statement comes next.

   Each maker binds one or more names with constructors of core, and keeps them in scope. Indices
   and slices are made to lie within bounds; arrays whose extents only run time knows are indexed
   where a test says that they are not empty, or an assertion. */
#include "tests/random/random.h"

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
    if (v.rank > count) {
        keep_view(g, x, v.rank - count, v.extent + count, &v);
    } else {
        keep_scalar(g, x);
    }
}

/* Count positions of an axis from an offset with a stride, all within it. */
CoreSlice some_slice(Generator *g, CoreBuilder *b, int64_t extent, int64_t *count)
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

/* scratch, filled by one update: with a value, or another array. */
static void make_scratch(Generator *g, CoreBuilder *b)
{
    Value v = some_array(g, b);
    CoreType type = core_atom_type(v.atom);
    CoreSlice all[MAX_RANK];
    for (int i = 0; i < v.rank; i++) {
        all[i] = (CoreSlice){.offset = core_i64(0), .count = type.sizes[i], .stride = core_i64(1)};
    }
    CoreAtom given = v.atom;
    if (chance(g, 2)) {
        given = core_let_replicate(b, "filler", (size_t)v.rank, type.sizes,
                                   some_scalar(g, b, type.prim));
    }
    CoreAtom empty = core_let_scratch(b, "room", type.prim, (size_t)v.rank, type.sizes);
    keep_like(g, core_let_update(b, "filled", empty, (size_t)v.rank, all, given), v);
}

/* An element of an array that may be empty: if 0 < n then xs[i mod n] else x */
static void make_tested_index(Generator *g, CoreBuilder *b)
{
    Value v;
    if (!pick(g, -1, 1, &v)) {
        return;
    }
    CoreAtom n = core_atom_type(v.atom).sizes[0], i = some_scalar(g, b, CORE_I64);
    CoreAtom none = some_scalar(g, b, v.atom.prim);
    CoreAtom some = core_let_binary(b, "some", CORE_LT, core_i64(0), n);
    CoreBuilder first = core_builder(g->c, b->span), second = core_builder(g->c, b->span);
    i = core_let_binary(&first, "i", CORE_MOD, i, n);
    CoreAtom x = core_let_index(&first, "x", v.atom, 1, &i);
    CoreName *result = fresh(g, core_scalar(v.atom.prim));
    core_bind(b, 1, &result,
              core_exp_if(g->c, some, core_body(&first, 1, &x), core_body(&second, 1, &none)));
    keep_scalar(g, core_use(result));
}

/* A part of another array with the same type as what is replaced, where there is one. */
static bool part_of_another(Generator *g, CoreBuilder *b, const Value *v, size_t rank,
                            const CoreAtom *sizes, const int64_t *counts, CoreAtom *part)
{
    Value w;
    if (!chance(g, 2) || !pick(g, (int)v->atom.prim, (int)rank, &w) || may_share(g, v, &w)) {
        return false;
    }
    for (size_t i = 0; i < rank; i++) {
        if (w.extent[i] != counts[i]) {
            return false;
        }
    }
    *part = with_sizes(b, w.atom, (int)rank, sizes);
    return true;
}

/* A copy, or an array that nobody uses any more, changed in one place or part. */
static void make_update(Generator *g, CoreBuilder *b)
{
    Value v = some_array(g, b);
    CoreSlice slices[MAX_RANK];
    CoreAtom sizes[MAX_RANK];
    int64_t counts[MAX_RANK];
    size_t rank = 0;
    bool part = chance(g, 2);
    for (int i = 0; i < v.rank; i++) {
        if (v.extent[i] <= 0) {
            return;
        }
        if (part && (i == v.rank - 1 || chance(g, 2))) {
            do {
                slices[i] = some_slice(g, b, v.extent[i], &counts[rank]);
            } while (core_atom_equal(slices[i].stride, core_i64(0)));
            sizes[rank++] = slices[i].count;
        } else {
            slices[i] = (CoreSlice){.fixed = true, .offset = index_in(g, b, &v, i)};
        }
    }
    CoreAtom x = some_scalar(g, b, v.atom.prim);
    if (rank > 0 && !part_of_another(g, b, &v, rank, sizes, counts, &x)) {
        x = core_let_replicate(b, "filler", rank, sizes, x);
    }
    CoreAtom own = v.atom;
    if (may_consume(g, &v) && !chance(g, 3)) {
        consume(g, &v);
    } else {
        own = core_let_copy(b, "copy", v.atom);
    }
    keep_like(g, core_let_update(b, "changed", own, (size_t)v.rank, slices, x), v);
}

/* print, the text of a number, random draws: on the host only. */
static void make_effect(Generator *g, CoreBuilder *b)
{
    Value v;
    if (g->pure || g->runs > 60) {
        return;
    }
    int64_t extent = UNKNOWN;
    switch (below(g, 5)) {
    case 0: {
        CoreAtom n, text = core_let_format(b, "text", core_i64(10), some_scalar(g, b, some_prim(g)),
                                           false, &n);
        keep_scalar(g, n);
        keep_size(g, n, UNKNOWN);
        keep(g, text, 1, &extent);
        return;
    }
    case 1: keep_scalar(g, core_let_draws(b, "draw", core_i64(below(g, 5)))); break;
    case 2: keep_scalar(g, core_let_seed_now(b, "seed")); break;
    default:
        if (pick(g, -1, (int)below(g, 3), &v) && elements(&v) <= 100) {
            core_do_print(b, v.atom);
        }
    }
    g->has_effect = true;
}

void some_statements(Generator *g, CoreBuilder *b)
{
    for (int64_t n = below(g, g->depth > 1 ? 3 : 4); n > 0; n--) {
        some_statement(g, b);
    }
}

void some_statement(Generator *g, CoreBuilder *b)
{
    bool small = g->depth < 4 && g->runs < 20000;
    switch (below(g, small ? 44 : 13)) {
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
    case 10: make_tested_index(g, b); break;
    case 11: make_effect(g, b); break;
    case 12:
    case 13: make_call(g, b); break;
    case 14:
    case 15: make_view(g, b); break;
    case 16: make_replicate(g, b); break;
    case 17:
    case 18: make_update(g, b); break;
    case 19: make_if(g, b); break;
    case 20:
    case 21: make_loop(g, b); break;
    case 22: make_varying(g, b); break;
    case 23: make_filter(g, b); break;
    case 24: make_scatter(g, b); break;
    case 25: make_hist(g, b); break;
    case 26: make_stream(g, b); break;
    case 27: make_reduction_of_rows(g, b); break;
    case 28: make_row_update(g, b); break;
    case 29: make_hist_of_rows(g, b); break;
    case 30: make_counting_stream(g, b); break;
    case 31:
    case 32:
    case 33: make_soac(g, b); break;
    case 34: make_scratch(g, b); break;
    case 35:
    case 36:
    case 37: make_chain(g, b); break;
    case 38:
    case 39: make_nest(g, b); break;
    case 40:
    case 41: make_kept_scatter(g, b); break;
    case 42: make_digit_sort(g, b); break;
    case 43: make_order(g, b); break;
    }
}
