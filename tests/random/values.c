/* Random values of the generator: what is in scope, sizes, scalars, arrays.

   The generator knows the extents of most arrays, so that it can index and slice within bounds,
   while the compiler sees names: `let (n : i64) = argument i64 "s1" 7` is 7 when the program runs
   without arguments. */
#include "tests/random/random.h"

static uint64_t next(Generator *g)
{
    g->state += 0x9E3779B97F4A7C15u;
    uint64_t z = g->state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

int64_t below(Generator *g, int64_t limit)
{
    return (int64_t)(next(g) % (uint64_t)limit);
}

bool chance(Generator *g, int in)
{
    return below(g, in) == 0;
}

Mark enter(Generator *g, int64_t width)
{
    Mark mark = {g->count, g->size_count, g->inside, g->depth, g->runs};
    g->inside = true;
    g->depth++;
    g->runs *= width == UNKNOWN ? 16 : width > 1 ? width : 1;
    return mark;
}

void leave(Generator *g, Mark mark)
{
    g->count = mark.count;
    g->size_count = mark.size_count;
    g->inside = mark.inside;
    g->depth = mark.depth;
    g->runs = mark.runs;
}

void keep(Generator *g, CoreAtom atom, int rank, const int64_t *extent)
{
    if (g->count == MAX_SCOPE) {
        return;
    }
    Value *v = &g->scope[g->count++];
    v->atom = atom;
    v->rank = rank;
    for (int i = 0; i < rank; i++) {
        v->extent[i] = extent[i];
    }
}

void keep_like(Generator *g, CoreAtom atom, Value like)
{
    keep(g, atom, like.rank, like.extent);
}

void keep_scalar(Generator *g, CoreAtom atom)
{
    keep(g, atom, 0, NULL);
}

void keep_size(Generator *g, CoreAtom atom, int64_t extent)
{
    if (g->size_count < MAX_SCOPE && atom.name) {
        g->sizes[g->size_count].atom = atom;
        g->sizes[g->size_count++].extent = extent;
    }
}

int64_t elements(const Value *v)
{
    int64_t product = 1;
    for (int i = 0; i < v->rank; i++) {
        if (v->extent[i] == UNKNOWN) {
            return UNKNOWN;
        }
        product *= v->extent[i];
    }
    return product;
}

bool pick(Generator *g, int prim, int rank, Value *found)
{
    size_t candidates = 0;
    for (size_t i = 0; i < g->count; i++) {
        const Value *v = &g->scope[i];
        bool fits =
            (prim < 0 || (int)v->atom.prim == prim) && (rank < 0 ? v->rank > 0 : v->rank == rank);
        /* Later names are chosen more often. */
        if (fits && (candidates == 0 || below(g, 3) == 0)) {
            *found = *v;
            candidates++;
        }
    }
    return candidates > 0;
}

CorePrim some_int(Generator *g)
{
    return chance(g, 3) ? CORE_I32 : CORE_I64;
}

CorePrim some_prim(Generator *g)
{
    static const CorePrim prims[] = {CORE_I64,  CORE_I64,  CORE_I64, CORE_I32, CORE_I32,
                                     CORE_BOOL, CORE_CHAR, CORE_F64, CORE_F32};
    return prims[below(g, (int64_t)(sizeof prims / sizeof *prims))];
}

CoreAtom some_constant(Generator *g, CorePrim prim)
{
    static const int64_t ints[] = {0,   1,   2,         3,         -1,        5,        7,
                                   100, -13, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    static const double reals[] = {0, 1, -1, 0.5, 2.25, -3.75, 1024, 0.1};
    switch (prim) {
    case CORE_BOOL: return core_bool(chance(g, 2));
    case CORE_CHAR: return core_char((uint32_t)('a' + below(g, 26)));
    case CORE_I32:
    case CORE_I64: return core_int(prim, ints[below(g, chance(g, 4) ? 13 : 9)]);
    case CORE_F32:
    case CORE_F64: return core_real(prim, reals[below(g, 8)]);
    case CORE_CERT: break;
    }
    internal_error(g->c, "a constant certificate");
}

/* A scalar of that prim made from one of another. */
static CoreAtom derived(Generator *g, CoreBuilder *b, CorePrim prim, CoreAtom x)
{
    if (prim == CORE_BOOL) {
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
    for (size_t i = g->size_count; i-- > 0;) {
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

/* A vector that is computed from iota. */
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
    CoreAtom factor = core_i64(below(g, 9) - 4), shift = core_i64(below(g, 7) - 3);
    CoreAtom x = core_let_binary(&inner, "x", CORE_MUL, core_use(i), factor);
    x = core_let_binary(&inner, "x", CORE_ADD, x, shift);
    if (prim == CORE_CHAR) {
        x = core_let_binary(&inner, "x", CORE_MOD, x, core_i64(26));
        x = core_let_binary(&inner, "x", CORE_ADD, x, core_i64('a'));
    }
    if (prim != CORE_I64) {
        x = core_let_convert(&inner, "x", prim, x);
    }
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
    if (chance(g, 3) && (pick(g, -1, 2, &v) || pick(g, -1, 3, &v))) {
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

/* An operator with two operands of a prim, whose result is bound and kept. */
CoreAtom combine(Generator *g, CoreBuilder *b, CorePrim prim)
{
    static const CoreOperator ints[] = {CORE_ADD, CORE_SUB, CORE_MUL, CORE_DIV, CORE_MOD, CORE_MAX,
                                        CORE_MIN, CORE_GCD, CORE_LCM, CORE_AND, CORE_OR,  CORE_XOR,
                                        CORE_SHL, CORE_SHR, CORE_SAR, CORE_EQ,  CORE_LT,  CORE_GE};
    static const CoreOperator bools[] = {CORE_AND, CORE_OR, CORE_XOR, CORE_EQ,
                                         CORE_NE,  CORE_LT, CORE_GE};
    static const CoreOperator chars[] = {CORE_EQ, CORE_NE, CORE_LT, CORE_LE, CORE_GT};
    /* Those whose results are exact on every device. */
    static const CoreOperator reals[] = {CORE_ADD, CORE_SUB, CORE_MUL, CORE_MAX,
                                         CORE_MIN, CORE_LT,  CORE_EQ};
    CoreOperator op = CORE_ADD;
    switch (prim) {
    case CORE_BOOL: op = bools[below(g, 7)]; break;
    case CORE_CHAR: op = chars[below(g, 5)]; break;
    case CORE_I32:
    case CORE_I64: op = ints[below(g, chance(g, 2) ? 3 : 18)]; break;
    case CORE_F32:
    case CORE_F64: op = reals[below(g, 7)]; break;
    case CORE_CERT: internal_error(g->c, "an operator of certificates");
    }
    CoreAtom x = some_scalar(g, b, prim), y = some_scalar(g, b, prim);
    CoreAtom z = core_let_binary(b, "z", op, x, y);
    keep_scalar(g, z);
    return z;
}
