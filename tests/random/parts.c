/* An array of the same type, made in three parts along some axis, which views turn, reverse and put together again:

       let t = rearrange (1, 0) a            let l = t[0 :+ k, :]       let m = t[k :+ k, :]    ...
       let (ls, ms) = map ... (l, m)         let rs = map ... (reverse 0 r)
       let c = concat 0 (ls, ms, rs)         in rearrange (1, 0) c

   Each element is dear enough to be stored, so that the concatenation is a view of arrays. */
#include "tests/random/random.h"

/* A loop of a few steps. */
static CoreAtom dear(Generator *g, CoreBuilder *b, CoreAtom x)
{
    const bool is_int = core_is_int(x.prim);
    CoreType type = core_scalar(x.prim);
    CoreName *parameter = fresh(g, type), *index = fresh(g, core_scalar(CORE_I64)),
             *result = fresh(g, type);
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom y = core_use(parameter);
    y = core_let_binary(&inner, "y", CORE_MUL, y,
                        is_int ? core_int(x.prim, 5) : core_real(x.prim, 0.5));
    y = core_let_binary(&inner, "y", CORE_ADD, y,
                        is_int ? core_int(x.prim, 77) : core_real(x.prim, 1.25));
    if (is_int) {
        y = core_let_binary(&inner, "y", CORE_MOD, y, core_int(x.prim, 1009));
    }
    core_bind(b, 1, &result,
              core_exp_for(g->c, 1, &parameter, &x, index, core_i64(2 + below(g, 4)),
                           core_body(&inner, 1, &y)));
    return core_use(result);
}

/* Of all elements of arrays of one shape. */
static void on_elements(Generator *g, CoreBuilder *b, size_t count, const CoreAtom *arrays,
                        CoreAtom *results)
{
    const CoreType type = core_atom_type(arrays[0]);
    if (type.rank == 0) {
        for (size_t k = 0; k < count; k++) {
            results[k] = dear(g, b, arrays[k]);
        }
        return;
    }
    CoreName *parameters[2];
    CoreAtom rows[2], made[2];
    CoreBuilder inner = core_builder(g->c, b->span);
    for (size_t k = 0; k < count; k++) {
        parameters[k] = fresh(g, core_row(type));
        rows[k] = core_use(parameters[k]);
    }
    on_elements(g, &inner, count, rows, made);
    core_let_map(b, "part", type.sizes[0], count, arrays,
                 core_lambda(g->c, count, parameters, core_body(&inner, count, made)), results);
}

static CoreAtom part_of(CoreBuilder *b, CoreAtom x, int axis, CoreAtom first, CoreAtom count)
{
    const CoreType type = core_atom_type(x);
    CoreSlice slices[MAX_RANK];
    for (int i = 0; i < type.rank; i++) {
        slices[i] = (CoreSlice){.offset = i == axis ? first : core_i64(0),
                                .count = i == axis ? count : type.sizes[i],
                                .stride = core_i64(1)};
    }
    return core_let_slice(b, "half", x, slices);
}

/* Some view and its inverse, or none. */
static CoreAtom there_and_back(Generator *g, CoreBuilder *b, CoreAtom x)
{
    const CoreType type = core_atom_type(x);
    CoreAtom sizes[MAX_RANK + 1];
    int at = (int)below(g, type.rank + 1);
    switch (below(g, 4)) {
    case 0:
        for (int i = 0; i <= type.rank; i++) {
            sizes[i] = i == at ? core_i64(1) : type.sizes[i - (i > at)];
        }
        x = core_let_reshape(b, "more", x, (size_t)type.rank + 1, sizes);
        return core_let_reshape(b, "less", x, (size_t)type.rank, type.sizes);
    case 1: return core_let_reverse(b, "back", x, at % type.rank);
    default: return x;
    }
}

/* Any order of the axes, and the one that undoes it. */
static void shuffle(Generator *g, int rank, int *turn, int *back)
{
    for (int i = 0; i < rank; i++) {
        int other = (int)below(g, i + 1);
        turn[i] = turn[other];
        turn[other] = i;
    }
    for (int i = 0; i < rank; i++) {
        back[turn[i]] = i;
    }
}

CoreAtom made_of_parts(Generator *g, CoreBuilder *b, CoreAtom x)
{
    const CoreType type = core_atom_type(x);
    int turn[MAX_RANK], back[MAX_RANK], axis = (int)below(g, type.rank);
    shuffle(g, type.rank, turn, back);
    CoreAtom turned = core_let_rearrange(b, "turned", x, turn), given[3], parts[3];
    CoreAtom n = core_atom_type(turned).sizes[axis];
    CoreAtom k = core_let_binary(b, "k", CORE_DIV, n, core_i64(3));
    CoreAtom both = core_let_binary(b, "both", CORE_ADD, k, k);
    CoreAtom rest = core_let_binary(b, "rest", CORE_SUB, n, both);
    given[0] = part_of(b, turned, axis, core_i64(0), k);
    given[1] = part_of(b, turned, axis, k, k);
    given[2] = part_of(b, turned, axis, both, rest);
    bool is_left = chance(g, 4), is_used_twice = chance(g, 4);
    parts[2] = given[2];
    on_elements(g, b, 2, given, parts);
    if (!is_left) {
        on_elements(g, b, 1, &given[2], &parts[2]);
    }
    for (int i = 0; i < 3; i++) {
        parts[i] = there_and_back(g, b, parts[i]);
    }
    if (is_used_twice) {
        parts[1] = parts[0];
    }
    CoreAtom whole =
        core_let_concat(b, "whole", axis, core_let_binary(b, "n", CORE_ADD, both, rest), 3, parts);
    whole = core_let_rearrange(b, "whole", whole, back);
    return with_sizes(b, whole, type.rank, type.sizes);
}
