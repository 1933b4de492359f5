/* Two filters that split an array (capacities.c): one keeps what the other leaves out, so that both together keep as many rows
   as there are, and APL's (p/v),(~p)/v has a capacity that does not grow.

       let (q, us) = filter n (\x -> x % 2 != 0) v
       let (r, ws) = filter n (\x -> x % 2 == 0) v
       let m = q + r                                      -- n

   What they go by is the opposite in the predicates, or in a map that makes flags for both. */
#include "core/fuse/fuse.h"
#include "core/locality/capacities.h"

typedef struct Pair {
    const CoreExp *filters[2];
    unsigned steps; /* left, of what is compared */
} Pair;

enum { MOST_STEPS = 200 };

static const CoreBody *body_of(const Pair *pair, int which)
{
    return pair->filters[which]->as.filter.predicate->body;
}

/* The array of which the name is a row; no name: it is none. */
static CoreAtom input_of(const Pair *pair, int which, const CoreName *name)
{
    const CoreExp *filter = pair->filters[which];
    for (size_t k = 0; k < filter->as.filter.input_count; k++) {
        if (filter->as.filter.predicate->parameters[k] == name) {
            return filter->as.filter.inputs[k];
        }
    }
    return core_i64(0);
}

static const CoreExp *definition(const Pair *pair, int which, CoreAtom atom)
{
    const CoreStm *stm = atom.name ? core_binder(body_of(pair, which), atom.name) : NULL;
    return stm && stm->pattern_count == 1 && stm->certificate_count == 0 ? stm->exp : NULL;
}

static bool same(Pair *pair, CoreAtom x, CoreAtom y);

static bool same_operation(Pair *pair, const CoreExp *x, const CoreExp *y)
{
    if (x->kind != y->kind) {
        return false;
    }
    switch ((int)x->kind) { /* others are not looked into */
    case CORE_EXP_ATOM: return same(pair, x->as.atom, y->as.atom);
    case CORE_EXP_UNARY:
        return x->as.scalar.op == y->as.scalar.op && x->as.scalar.prim == y->as.scalar.prim &&
               same(pair, x->as.scalar.x, y->as.scalar.x);
    case CORE_EXP_BINARY:
        return x->as.scalar.op == y->as.scalar.op && x->as.scalar.prim == y->as.scalar.prim &&
               same(pair, x->as.scalar.x, y->as.scalar.x) &&
               same(pair, x->as.scalar.y, y->as.scalar.y);
    case CORE_EXP_CONVERT:
        return x->as.convert.to == y->as.convert.to && same(pair, x->as.convert.x, y->as.convert.x);
    }
    return false;
}

/* x of the first predicate has the value of y of the second. */
static bool same(Pair *pair, CoreAtom x, CoreAtom y)
{
    if (pair->steps == 0) {
        return false;
    }
    pair->steps--;
    CoreAtom row = x.name ? input_of(pair, 0, x.name) : x;
    if (x.name && row.name) {
        CoreAtom other = y.name ? input_of(pair, 1, y.name) : y;
        return other.name && core_atom_equal(row, other);
    }
    const CoreExp *first = definition(pair, 0, x), *second = definition(pair, 1, y);
    if (first || second) {
        return first && second && same_operation(pair, first, second);
    }
    return core_atom_equal(x, y); /* from outside, or a constant */
}

static bool are_opposite(Pair *pair)
{
    CoreAtom x = body_of(pair, 0)->results[0], y = body_of(pair, 1)->results[0];
    const CoreExp *first = definition(pair, 0, x), *second = definition(pair, 1, y);
    CoreOperator opposite;
    if (first && first->kind == CORE_EXP_UNARY && first->as.scalar.op == CORE_NOT) {
        return same(pair, first->as.scalar.x, y);
    }
    if (second && second->kind == CORE_EXP_UNARY && second->as.scalar.op == CORE_NOT) {
        return same(pair, x, second->as.scalar.x);
    }
    return first && second && first->kind == CORE_EXP_BINARY && second->kind == CORE_EXP_BINARY &&
           first->as.scalar.prim == second->as.scalar.prim &&
           core_operator_opposite(first->as.scalar.op, first->as.scalar.prim, &opposite) &&
           opposite == second->as.scalar.op &&
           same(pair, first->as.scalar.x, second->as.scalar.x) &&
           same(pair, first->as.scalar.y, second->as.scalar.y);
}

/* One map makes both flags that the filters go by, one the opposite of the other. */
static bool are_opposite_flags(const Bounded *g, const Pair *pair)
{
    CoreAtom results[2] = {core_i64(0), core_i64(0)};
    const CoreStm *map = NULL;
    for (int i = 0; i < 2; i++) {
        CoreAtom keep = body_of(pair, i)->results[0];
        CoreAtom flags = keep.name ? input_of(pair, i, keep.name) : keep;
        const CoreStm *stm = flags.name ? pointer_map_get(&g->own, flags.name) : NULL;
        if (!stm || !fuse_is_map(stm) || (map && map != stm)) {
            return false;
        }
        map = stm;
        for (size_t k = 0; k < stm->pattern_count; k++) {
            results[i] = stm->pattern[k] == flags.name ? stm->exp->as.soac.map->body->results[k]
                                                       : results[i];
        }
    }
    const CoreBody *body = map->exp->as.soac.map->body;
    return core_is_opposite(body, results[0], results[1]) ||
           core_is_opposite(body, results[1], results[0]);
}

bool rooms_are_split(const Bounded *g, const CoreStm *first, const CoreStm *second)
{
    if (first->exp->kind != CORE_EXP_FILTER || second->exp->kind != CORE_EXP_FILTER ||
        !core_atom_equal(first->exp->as.filter.width, second->exp->as.filter.width)) {
        return false;
    }
    Pair pair = {{first->exp, second->exp}, MOST_STEPS};
    return are_opposite(&pair) || are_opposite_flags(g, &pair);
}
