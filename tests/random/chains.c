/* Random chains, as fusion works on them: arrays of one shape, each a view of one before, or a nest
   of maps over two of them, which may read a third at other places.

       let m0 = map n (\(x, y) -> x - y) (v, v)
       let m1 = rotate 0 k m0
       let m2 = map n (\(x, y) -> max x m0[y % n]) (m1, m0)

   Any of them may be what later statements use. */
#include "tests/random/random.h"

enum { MOST_LINKS = 7 };

static CoreAtom element_of(CoreBuilder *b, CoreAtom array, CoreAtom at)
{
    CoreAtom i = core_let_binary(b, "at", CORE_MOD, at, core_atom_type(array).sizes[0]);
    return core_let_index(b, "x", array, 1, &i);
}

static CoreAtom operation(Generator *g, CoreBuilder *b, CoreAtom x, CoreAtom y, const Value *third)
{
    static const CoreOperator operators[] = {CORE_ADD, CORE_SUB, CORE_MUL, CORE_MAX, CORE_MIN};
    if (third->rank == 1 && third->extent[0] > 0 && chance(g, 3)) {
        y = element_of(b, third->atom, y);
    }
    return core_let_binary(b, "z", operators[below(g, 5)], x, y);
}

/* The same operation on all elements of x and y, from this axis on. */
static CoreAtom map_of(Generator *g, CoreBuilder *b, CoreAtom x, CoreAtom y, const Value *third)
{
    CoreType type = core_atom_type(x), row = core_row(type);
    CoreName *parameters[2] = {fresh(g, row), fresh(g, row)};
    CoreAtom rows[2] = {core_use(parameters[0]), core_use(parameters[1])}, arrays[2] = {x, y};
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom z = row.rank > 0 ? map_of(g, &inner, rows[0], rows[1], third)
                              : operation(g, &inner, rows[0], rows[1], third);
    CoreAtom result;
    core_let_map(b, "link", type.sizes[0], 2, arrays,
                 core_lambda(g->c, 2, parameters, core_body(&inner, 1, &z)), &result);
    return result;
}

static Value view_of(Generator *g, CoreBuilder *b, Value v)
{
    static const int64_t amounts[] = {1, -1, 2, -7, 0, 1000000007, INT64_MIN, INT64_MAX};
    int axis = (int)below(g, v.rank);
    CoreAtom by = chance(g, 3) ? some_scalar(g, b, CORE_I64) : core_i64(amounts[below(g, 8)]);
    CoreAtom view = chance(g, 3) ? core_let_reverse(b, "back", v.atom, axis)
                                 : core_let_rotate(b, "rolled", v.atom, axis, by);
    keep_view_like(g, view, v, &v);
    return g->scope[g->count - 1];
}

void make_chain(Generator *g, CoreBuilder *b)
{
    Value links[MOST_LINKS + 1];
    if (!pick(g, (int)CORE_I64, 1 + (int)below(g, 3), &links[0])) {
        links[0] = some_vector(g, b, CORE_I64, UNKNOWN);
    }
    int64_t count = 2 + below(g, MOST_LINKS - 1);
    for (int64_t i = 1; i <= count; i++) {
        Value v = links[chance(g, 3) ? below(g, i) : i - 1];
        if (chance(g, 2)) {
            links[i] = view_of(g, b, v);
            continue;
        }
        Value w = links[below(g, i)], third = links[below(g, i)];
        keep_like(g, map_of(g, b, v.atom, w.atom, &third), v);
        links[i] = g->scope[g->count - 1];
    }
}
