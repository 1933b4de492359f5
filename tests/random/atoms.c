/* Random scalars, sizes, and the arrays that a program begins with: vectors computed from iota. */
#include "tests/random/random.h"

#include <float.h>
#include <math.h>

CorePrim some_int(Generator *g)
{
    return chance(g, 3) ? CORE_I32 : CORE_I64;
}

CorePrim some_prim(Generator *g)
{
    static const CorePrim prims[] = {CORE_I64,  CORE_I64,  CORE_I64, CORE_I32, CORE_I32, CORE_BOOL,
                                     CORE_BOOL, CORE_CHAR, CORE_F64, CORE_F64, CORE_F32};
    return prims[below(g, (int64_t)(sizeof prims / sizeof *prims))];
}

/* Small numbers, and sometimes those at the edges. */
static double some_real(Generator *g)
{
    static const double plain[] = {0, 1, -1, 0.5, 2.25, -3.75, 1024, 0.1};
    static const double edges[] = {NAN,     INFINITY, -INFINITY,    -0.0,   5e-324,
                                   DBL_MAX, -DBL_MAX, FLT_MIN,      1e-45,  0x1p63,
                                   -0x1p63, 0x1p31,   2147483647.5, 0x1p53, 1e300};
    return chance(g, 4) ? edges[below(g, sizeof edges / sizeof *edges)] : plain[below(g, 8)];
}

CoreAtom some_constant(Generator *g, CorePrim prim)
{
    static const int64_t ints[] = {
        0,   1,   2,         3,         -1,         5,         7,
        100, -13, INT32_MAX, INT32_MIN, INT64_MAX,  INT64_MIN, INT64_MIN + 1,
        63,  64,  31,        32,        0x100000000};
    static const uint32_t chars[] = {' ', 0x2373, 0x1F600, '~', '\''};
    switch (prim) {
    case CORE_BOOL: return core_bool(chance(g, 2));
    case CORE_CHAR:
        return core_char(chance(g, 8) ? chars[below(g, 5)] : (uint32_t)('a' + below(g, 26)));
    case CORE_I32:
    case CORE_I64: return core_int(prim, ints[below(g, chance(g, 4) ? 19 : 9)]);
    case CORE_F32:
    case CORE_F64: return core_real(prim, some_real(g));
    case CORE_CERT: break;
    }
    internal_error(g->c, "a constant certificate");
}

/* A scalar of that prim made from one of another. */
static CoreAtom derived(Generator *g, CoreBuilder *b, CorePrim prim, CoreAtom x)
{
    if (prim == CORE_BOOL && !chance(g, 3)) {
        return core_let_binary(b, "p", chance(g, 2) ? CORE_GT : CORE_NE, x,
                               some_constant(g, x.prim));
    }
    if (prim == CORE_CHAR) {
        x = x.prim == CORE_I64 ? x : core_let_convert(b, "c", CORE_I64, x);
        x = core_let_binary(b, "c", CORE_MOD, x, core_i64(26));
        x = core_let_binary(b, "c", CORE_ADD, x, core_i64('a'));
    }
    return core_let_convert(b, "c", prim, x);
}

CoreAtom some_scalar(Generator *g, CoreBuilder *b, CorePrim prim)
{
    Value v;
    if (!chance(g, 8) && pick(g, (int)prim, 0, &v)) {
        return v.atom;
    }
    if (!chance(g, 4) && pick(g, -1, 0, &v) && v.atom.prim != prim) {
        return derived(g, b, prim, v.atom);
    }
    return some_constant(g, prim);
}

int64_t some_extent(Generator *g)
{
    static const int64_t extents[] = {0, 1, 2, 3, 3, 7, 7, 257};
    int64_t e = extents[below(g, g->runs > 20 ? 7 : 8)];
    if (g->runs == 1 && chance(g, 12)) {
        e = chance(g, 2) ? 600 : 1000; /* more than one work-group has */
    }
    return g->runs > 3000 && e > 3 ? 3 : e;
}

CoreAtom some_size(Generator *g, CoreBuilder *b, int64_t extent)
{
    for (size_t i = g->size_count; extent >= 0 && i-- > 0;) {
        if (g->sizes[i].extent == extent && !chance(g, 4)) {
            return g->sizes[i].atom;
        }
    }
    if (!g->inside && !chance(g, 3)) {
        char *name = arena_printf(g->c->arena, "s%d", ++g->arguments);
        CoreAtom n = core_let_argument(b, "n", CORE_I64, name, core_i64(extent));
        keep_size(g, n, extent);
        keep_scalar(g, n);
        return n;
    }
    return core_i64(extent);
}

CoreAtom with_sizes(CoreBuilder *b, CoreAtom array, int rank, const CoreAtom *sizes)
{
    CoreType type = core_atom_type(array);
    bool same = type.rank == rank;
    for (int i = 0; same && i < rank; i++) {
        same = core_atom_equal(type.sizes[i], sizes[i]);
    }
    return same ? array : core_let_reshape(b, "r", array, (size_t)rank, sizes);
}

/* The element for position i: a linear function of i, some of them at the edges. */
static CoreAtom element(Generator *g, CoreBuilder *b, CorePrim prim, CoreAtom i)
{
    CoreAtom factor = core_i64(below(g, 9) - 4), shift = core_i64(below(g, 7) - 3);
    CoreAtom x = core_let_binary(b, "x", CORE_MUL, i, factor);
    x = core_let_binary(b, "x", CORE_ADD, x, shift);
    if (prim == CORE_CHAR) {
        x = core_let_binary(b, "x", CORE_MOD, x, core_i64(26));
        x = core_let_binary(b, "x", CORE_ADD, x, core_i64('a'));
    }
    if (prim != CORE_I64) {
        x = core_let_convert(b, "x", prim, x);
    }
    if (core_is_real(prim) && chance(g, 4)) {
        x = core_let_binary(b, "x", chance(g, 2) ? CORE_DIV : CORE_MUL, x, some_constant(g, prim));
    }
    return x;
}

Value some_vector(Generator *g, CoreBuilder *b, CorePrim prim, int64_t extent)
{
    Value v;
    if (!chance(g, 3) && pick(g, (int)prim, 1, &v) &&
        (extent == UNKNOWN || v.extent[0] == extent)) {
        return v;
    }
    extent = extent == UNKNOWN ? some_extent(g) : extent;
    CoreAtom n = some_size(g, b, extent), is = core_let_iota(b, "is", n);
    Mark mark = enter(g, extent);
    CoreName *i = core_name(g->c, "i", core_scalar(CORE_I64), b->span);
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom x = element(g, &inner, prim, core_use(i));
    const CoreLambda *f = core_lambda(g->c, 1, &i, core_body(&inner, 1, &x));
    leave(g, mark);
    CoreAtom xs;
    core_let_map(b, "xs", n, 1, &is, f, &xs);
    keep(g, xs, 1, &extent);
    return g->scope[g->count - 1];
}

Value some_array(Generator *g, CoreBuilder *b)
{
    Value v;
    if (chance(g, 3) && pick(g, -1, 2 + (int)below(g, MAX_RANK - 1), &v)) {
        return v; /* most arrays are vectors */
    }
    if (!chance(g, 6) && pick(g, -1, -1, &v)) {
        return v;
    }
    return some_vector(g, b, some_prim(g), UNKNOWN);
}

/* An index within bounds of an axis whose extent is known and not 0. */
CoreAtom index_in(Generator *g, CoreBuilder *b, const Value *v, int axis)
{
    if (chance(g, 3)) {
        return core_i64(below(g, v->extent[axis]));
    }
    CoreAtom x = some_scalar(g, b, CORE_I64);
    CoreAtom n = chance(g, 2) ? core_i64(v->extent[axis]) : core_atom_type(v->atom).sizes[axis];
    return core_let_binary(b, "i", CORE_MOD, x, n);
}
