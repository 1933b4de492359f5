/* Random TAIL: what is in scope, chains of lets, constants, and arrays to begin with. */
#include "tests/random/tail_random.h"

#include <float.h>
#include <math.h>

int64_t tail_below(TailGenerator *g, int64_t limit)
{
    g->state += 0x9E3779B97F4A7C15u;
    uint64_t z = g->state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (int64_t)((z ^ (z >> 31)) % (uint64_t)limit);
}

bool tail_chance(TailGenerator *g, int in)
{
    return tail_below(g, in) == 0;
}

/* ---- expressions ----------------------------------------------------------------------------- */

TailVariable *tail_fresh(TailGenerator *g, const TailType *type)
{
    return tail_variable(g->c, "v", type, (Span){0});
}

Exp tail_use_of(TailGenerator *g, TailVariable *variable)
{
    return tail_use(g->c, variable, (Span){0});
}

Exp tail_try(TailGenerator *g, TailBuiltin builtin, size_t count, const Exp *arguments)
{
    TailInstance instance;
    const char *problem;
    for (size_t i = 0; i < count; i++) {
        if (!arguments[i]) {
            return NULL;
        }
    }
    return tail_infer_call(g->c, builtin, count, arguments, &instance, &problem)
               ? tail_call(g->c, builtin, count, arguments, (Span){0})
               : NULL;
}

Exp tail_number(TailGenerator *g, int64_t value)
{
    return tail_int(g->c, value, (Span){0});
}

/* ---- scope ----------------------------------------------------------------------------------- */

static void add(TailGenerator *g, TailVariable *variable, int rank, const int64_t *extent)
{
    if (g->count == TAIL_MAX_SCOPE) {
        return;
    }
    TailValue *v = &g->scope[g->count++];
    *v = (TailValue){.variable = variable, .base = variable->type->base.kind, .rank = rank};
    for (int i = 0; i < rank; i++) {
        v->extent[i] = extent[i];
    }
}

void tail_keep_parameter(TailGenerator *g, TailVariable *variable, const int64_t *extent)
{
    add(g, variable, (int)tail_rank(variable->type), extent);
}

void tail_keep(TailGenerator *g, Block *block, Exp exp, int rank, const int64_t *extent)
{
    if (!exp || rank > TAIL_MAX_RANK) {
        return;
    }
    /* A variable may have a supertype of its value's type. */
    const TailType *type = exp->type;
    if (tail_chance(g, 5)) {
        type = tail_array_type(g->c, type->base.kind, tail_rank(type));
    }
    TailVariable *variable = tail_fresh(g, type);
    vec_push(g->c->arena, &block->lets, ((Let){variable, exp}));
    add(g, variable, rank, extent);
}

Exp tail_finish(TailGenerator *g, const Block *block, Exp result)
{
    for (size_t i = block->lets.count; i-- > 0;) {
        result = tail_let(g->c, block->lets.items[i].variable, block->lets.items[i].value, result,
                          (Span){0});
    }
    return result;
}

int64_t tail_elements(const TailValue *v)
{
    int64_t product = 1;
    for (int i = 0; i < v->rank; i++) {
        if (v->extent[i] == TAIL_UNKNOWN) {
            return TAIL_UNKNOWN;
        }
        product *= v->extent[i];
    }
    return product;
}

bool tail_pick(TailGenerator *g, int base, int rank, TailValue *found)
{
    size_t candidates = 0;
    for (size_t i = 0; i < g->count; i++) {
        const TailValue *v = &g->scope[i];
        bool fits =
            (base < 0 || (int)v->base == base) && (rank < 0 ? v->rank > 0 : v->rank == rank);
        if (fits && (candidates == 0 || tail_below(g, 3) == 0)) {
            *found = *v;
            candidates++;
        }
    }
    return candidates > 0;
}

/* ---- values to begin with -------------------------------------------------------------------- */

TailBaseKind tail_some_base(TailGenerator *g)
{
    static const TailBaseKind bases[] = {TAIL_INT,    TAIL_INT,    TAIL_INT,  TAIL_BOOL,
                                         TAIL_DOUBLE, TAIL_DOUBLE, TAIL_CHAR, TAIL_COMPLEX};
    return bases[tail_below(g, 8)];
}

Exp tail_some_constant(TailGenerator *g, TailBaseKind base)
{
    static const int64_t ints[] = {0, 1,   2,         3,         -1,        -2,   5,
                                   7, 100, INT32_MAX, INT32_MIN, INT32_MAX, 12345};
    static const double reals[] = {0, 1, -1, 0.5, 2.25, -3.75, 1024, 0.1, 3, 7};
    static const double edges[] = {NAN, INFINITY, -INFINITY, -0.0, 1e10, -1e300, 5e-324};
    static const uint32_t chars[] = {' ', 'z', 0x2373, 0x1F600, '\'', '\\', '"', '\n'};
    Span none = {0};
    switch (base) {
    case TAIL_BOOL: return tail_bool(g->c, tail_chance(g, 2), none);
    case TAIL_INT: return tail_number(g, ints[tail_below(g, tail_chance(g, 5) ? 13 : 8)]);
    case TAIL_DOUBLE:
        return tail_double(
            g->c, tail_chance(g, 6) ? edges[tail_below(g, 7)] : reals[tail_below(g, 10)], none);
    case TAIL_CHAR:
        return tail_char(
            g->c, tail_chance(g, 6) ? chars[tail_below(g, 8)] : (uint32_t)('a' + tail_below(g, 26)),
            none);
    case TAIL_COMPLEX: {
        double re = reals[tail_below(g, 10)];
        return tail_complex(
            g->c, re, tail_chance(g, 8) ? edges[tail_below(g, 7)] : reals[tail_below(g, 10)], none);
    }
    case TAIL_BASE_VARIABLE: break;
    }
    internal_error(g->c, "a constant of no base type");
}

int64_t tail_some_extent(TailGenerator *g)
{
    static const int64_t extents[] = {0, 1, 2, 3, 3, 5, 7, 300};
    return extents[tail_below(g, g->runs > 20 ? 5 : 8)];
}

Exp tail_some_scalar(TailGenerator *g, TailBaseKind base)
{
    TailValue v;
    if (!tail_chance(g, 4) && tail_pick(g, (int)base, 0, &v)) {
        return tail_use_of(g, v.variable);
    }
    return tail_chance(g, 2) ? tail_some_operation(g, base) : tail_some_constant(g, base);
}

/* iota of a known or unknown length, with a linear function of each item; or a vector of constants.
 */
static void begin_vector(TailGenerator *g, Block *block, TailBaseKind base)
{
    int64_t n = tail_some_extent(g);
    if (n > 0 && n < 8 && tail_chance(g, 3)) {
        Exp items[8];
        for (int64_t i = 0; i < n; i++) {
            items[i] = tail_some_constant(g, base);
        }
        tail_keep(g, block, tail_vector(g->c, (size_t)n, items, (Span){0}), 1, &n);
        return;
    }
    if (n == 0 && tail_chance(g, 2)) {
        tail_keep(g, block, tail_zilde(g->c, base, (Span){0}), 1, &n);
        return;
    }
    Exp count = tail_number(g, n);
    if (g->depth == 0 && tail_chance(g, 2)) {
        char *name = arena_printf(g->c->arena, "s%d", ++g->arguments);
        Exp letters[8];
        size_t length = strlen(name);
        for (size_t i = 0; i < length; i++) {
            letters[i] = tail_char(g->c, (uint32_t)name[i], (Span){0});
        }
        count = CALL(ARGINT, tail_vector(g->c, length, letters, (Span){0}), count);
    }
    Exp iota = CALL(IOTA, count);
    TailVariable *i = tail_fresh(g, tail_scalar_type(g->c, TAIL_INT));
    Exp x = CALL(MULI, tail_use_of(g, i), tail_number(g, tail_below(g, 9) - 4));
    x = CALL(ADDI, x, tail_number(g, tail_below(g, 7) - 3));
    if (base == TAIL_DOUBLE) {
        x = CALL(I2D, x);
        x = tail_chance(g, 3) ? CALL(DIVD, x, tail_some_constant(g, TAIL_DOUBLE)) : x;
    } else if (base == TAIL_COMPLEX) {
        x = CALL(INJX, CALL(I2D, x), tail_some_constant(g, TAIL_DOUBLE));
    } else if (base == TAIL_BOOL) {
        x = CALL(LTI, x, tail_number(g, 3));
    } else if (base == TAIL_CHAR) {
        /* TAIL has no chars from numbers: one of two */
        x = tail_if(g->c, CALL(LTI, x, tail_number(g, 3)), tail_some_constant(g, TAIL_CHAR),
                    tail_some_constant(g, TAIL_CHAR), (Span){0});
    }
    Exp f = tail_lambda(g->c, 1, &i, x, (Span){0});
    tail_keep(g, block, CALL(EACH, f, iota), 1, &n);
}

/* base, rank: -1 any. A value of that rank where there is one; else one that is made, whose rank is
   1 where any was asked for. */
TailValue tail_some_array(TailGenerator *g, Block *block, int base, int rank)
{
    TailValue v;
    if (!tail_chance(g, 6)) {
        if (rank < 0 && tail_chance(g, 2) &&
            tail_pick(g, base, 2 + (int)tail_below(g, TAIL_MAX_RANK - 1), &v)) {
            return v;
        }
        if (tail_pick(g, base, rank, &v)) {
            return v;
        }
    }
    begin_vector(g, block, base < 0 ? tail_some_base(g) : (TailBaseKind)base);
    v = g->scope[g->count - 1];
    if (rank > 1) {
        int64_t extents[TAIL_MAX_RANK];
        Exp sizes[TAIL_MAX_RANK];
        for (int i = 0; i < rank; i++) {
            extents[i] = tail_below(g, 4);
            sizes[i] = tail_number(g, extents[i]);
        }
        Exp shape = tail_vector(g->c, (size_t)rank, sizes, (Span){0});
        tail_keep(g, block, CALL(RESHAPE, shape, tail_use_of(g, v.variable)), rank, extents);
        v = g->scope[g->count - 1];
    }
    return v;
}
