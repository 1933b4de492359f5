/* How many rows arrays have room for, in loops whose numbers of rows the device makes (capacities.c). */
#include "core/locality/capacities.h"

enum {
    NO_MORE = INT32_MIN, /* than any number that is added to it */
    MOST_STEPS = 1000    /* of arithmetic that a number of rows is followed through */
};

bool rooms_is_device(const Bounded *g, CoreAtom atom)
{
    return atom.name && pointer_map_get(&g->device, atom.name);
}

bool rooms_has_device_size(const Bounded *g, CoreType type)
{
    bool found = false;
    for (int axis = 0; axis < type.rank; axis++) {
        found = found || rooms_is_device(g, type.sizes[axis]);
    }
    return found;
}

const CoreStm *rooms_maker(const Bounded *g, CoreAtom atom)
{
    return atom.name ? pointer_map_get(&g->own, atom.name) : NULL;
}

static bool is_filter_count(const CoreStm *stm, CoreAtom atom)
{
    return stm->exp->kind == CORE_EXP_FILTER && stm->pattern[0] == atom.name;
}

CoreAtom rooms_renamed(const Bounded *g, CoreAtom atom)
{
    return core_renamed(g->renaming, atom);
}

static CoreAtom fail(Bounded *g)
{
    g->failed = true;
    return core_i64(0);
}

/* x + (y - x & -b): one of the two, as APL's scalar extension has it. */
static bool is_either(const Bounded *g, const CoreStm *stm, CoreAtom *x, CoreAtom *y)
{
    if (stm->exp->kind != CORE_EXP_BINARY || stm->exp->as.scalar.op != CORE_ADD) {
        return false;
    }
    *x = stm->exp->as.scalar.x;
    const CoreStm *masked = rooms_maker(g, stm->exp->as.scalar.y);
    if (!masked || masked->exp->kind != CORE_EXP_BINARY || masked->exp->as.scalar.op != CORE_AND) {
        return false;
    }
    const CoreStm *less = rooms_maker(g, masked->exp->as.scalar.x);
    const CoreStm *mask = rooms_maker(g, masked->exp->as.scalar.y);
    const CoreStm *bit =
        mask && mask->exp->kind == CORE_EXP_UNARY && mask->exp->as.scalar.op == CORE_NEG
            ? rooms_maker(g, mask->exp->as.scalar.x)
            : NULL;
    if (!less || less->exp->kind != CORE_EXP_BINARY || less->exp->as.scalar.op != CORE_SUB ||
        !core_atom_equal(less->exp->as.scalar.y, *x) || !bit ||
        bit->exp->kind != CORE_EXP_CONVERT ||
        core_atom_type(bit->exp->as.convert.x).prim != CORE_BOOL) {
        return false;
    }
    *y = less->exp->as.scalar.x;
    return true;
}

/* The sum of what two filters keep that split an array: how many rows that has; else no name. */
static CoreAtom split_of(const Bounded *g, const CoreStm *stm)
{
    CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
    const CoreStm *first = rooms_maker(g, x), *second = rooms_maker(g, y);
    bool splits = stm->exp->as.scalar.op == CORE_ADD && first && second &&
                  is_filter_count(first, x) && is_filter_count(second, y) &&
                  rooms_are_split(g, first, second);
    return splits ? first->exp->as.filter.width : core_i64(0);
}

/* The smaller of both capacities, or the one that is known. */
static CoreAtom smaller_capacity(Bounded *g, const char *text, CoreAtom x, CoreAtom y)
{
    CoreAtom left = rooms_capacity(g, x);
    bool no_left = g->failed;
    g->failed = false;
    CoreAtom right = rooms_capacity(g, y);
    bool no_right = g->failed;
    g->failed = no_left && no_right;
    return no_left ? right
           : no_right || core_atom_equal(left, right)
               ? left
               : core_let_binary(g->b, text, CORE_MIN, left, right);
}

/* Of arithmetic that does not fall where a number of rows grows. Where a check fails that it is not negative, the device
   knows it first. */
static CoreAtom computed_capacity(Bounded *g, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    CoreAtom x = exp->as.scalar.x, y = exp->as.scalar.y, capacity;
    CoreOperator op = exp->as.scalar.op;
    const char *text = stm->pattern[0]->text;
    bool either = is_either(g, stm, &x, &y);
    CoreAtom split = split_of(g, stm);
    if (split.name) {
        return rooms_capacity(g, split);
    }
    op = either ? CORE_MAX : op;
    bool adds = op == CORE_ADD || op == CORE_MAX || (op == CORE_SUB && !rooms_is_device(g, y)) ||
                (op == CORE_DIV && !y.name && y.as.integer > 0);
    if (g->failed ||
        (!adds && op != CORE_MIN)) { /* others are not bounded by what their operands are */
        return fail(g);
    }
    if (op == CORE_MIN) {
        capacity = smaller_capacity(g, text, x, y);
    } else {
        CoreAtom left = rooms_capacity(g, x), right = g->failed ? left : rooms_capacity(g, y);
        if (g->failed || (either && core_atom_equal(left, right))) {
            return left;
        }
        capacity = core_let_binary(g->b, text, op, left, right);
    }
    return g->failed ? capacity : core_let_binary(g->b, text, CORE_MAX, capacity, core_i64(0));
}

CoreAtom rooms_capacity(Bounded *g, CoreAtom size)
{
    if (!rooms_is_device(g, size)) {
        return rooms_renamed(g, size);
    }
    const CoreAtom *known = pointer_map_get(&g->rooms, size.name);
    if (known) {
        return *known;
    }
    const CoreStm *stm = rooms_maker(g, size);
    CoreAtom capacity;
    if (!stm || pointer_map_get(&g->unbounded, size.name)) {
        return fail(g);
    }
    if (is_filter_count(stm, size)) {
        capacity = rooms_capacity(g, stm->exp->as.filter.width);
    } else if (stm->exp->kind == CORE_EXP_ATOM) {
        capacity = rooms_capacity(g, stm->exp->as.atom);
    } else if (stm->exp->kind == CORE_EXP_BINARY) {
        capacity = computed_capacity(g, stm);
    } else {
        capacity = fail(g);
    }
    if (g->failed) {
        pointer_map_set(g->c->arena, &g->unbounded, size.name, size.name);
        return capacity;
    }
    *(CoreAtom *)pointer_map_make(g->c->arena, &g->rooms, size.name, sizeof capacity) = capacity;
    return capacity;
}

/* So many rows and `more`, which may be negative; `steps`: how far it is looked for. */
static bool stay_bounded(const Bounded *g, CoreAtom size, int64_t more, const CoreName *state,
                         unsigned *steps)
{
    if (*steps == 0) {
        return false;
    }
    (*steps)--;
    const CoreStm *stm = rooms_maker(g, size);
    const CoreAtom *whole = size.name ? pointer_map_get(&g->wholes, size.name) : NULL;
    if (size.name == state) {
        return more <= 0;
    }
    if (!rooms_is_device(g, size)) {
        return true;
    }
    if (whole) {
        return stay_bounded(g, *whole, more, state, steps);
    }
    if (!stm) {
        return false;
    }
    if (is_filter_count(stm, size)) {
        return stay_bounded(g, stm->exp->as.filter.width, more, state, steps);
    }
    if (stm->exp->kind == CORE_EXP_ATOM) {
        return stay_bounded(g, stm->exp->as.atom, more, state, steps);
    }
    if (stm->exp->kind == CORE_EXP_IF) {
        size_t k = 0;
        while (stm->pattern[k] != size.name) {
            k++;
        }
        CoreAtom x = stm->exp->as.conditional.then_body->results[k],
                 y = stm->exp->as.conditional.else_body->results[k];
        return stay_bounded(g, x, more, state, steps) && stay_bounded(g, y, more, state, steps);
    }
    if (stm->exp->kind != CORE_EXP_BINARY) {
        return false;
    }
    CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
    bool either = is_either(g, stm, &x, &y);
    CoreAtom split = split_of(g, stm);
    int64_t sum;
    if (split.name) {
        return stay_bounded(g, split, more, state, steps);
    }
    switch ((int)(either ? CORE_MAX : stm->exp->as.scalar.op)) { /* others grow */
    case CORE_ADD:
        return !y.name && !__builtin_add_overflow(more, y.as.integer, &sum) &&
               stay_bounded(g, x, sum, state, steps);
    case CORE_SUB:
        return !y.name && !__builtin_sub_overflow(more, y.as.integer, &sum) &&
               stay_bounded(g, x, sum, state, steps);
    case CORE_DIV: /* half of it, and some more, is no more than it, from some number on */
        return !y.name && y.as.integer > 1 && stay_bounded(g, x, NO_MORE, state, steps);
    case CORE_MAX:
        return stay_bounded(g, x, more, state, steps) && stay_bounded(g, y, more, state, steps);
    case CORE_MIN:
        return stay_bounded(g, x, more, state, steps) || stay_bounded(g, y, more, state, steps);
    }
    return false;
}

bool rooms_stay_bounded(const Bounded *g, CoreAtom size, const CoreName *state)
{
    unsigned steps = MOST_STEPS;
    return stay_bounded(g, size, 0, state, &steps);
}

CoreType rooms_type(Bounded *g, CoreType type)
{
    CoreAtom *sizes = ARENA_ARRAY(g->c->arena, CoreAtom, (size_t)type.rank + 1);
    for (int axis = 0; axis < type.rank; axis++) {
        g->failed = g->failed || (axis > 0 && rooms_is_device(g, type.sizes[axis]));
        sizes[axis] = rooms_capacity(g, type.sizes[axis]);
    }
    type.sizes = sizes;
    return type;
}

CoreName *rooms_name(Bounded *g, CoreName *old)
{
    CoreName *name = core_name(g->c, old->text, rooms_type(g, old->type), old->span);
    core_rename(g->renaming, old, core_use(name));
    return name;
}
