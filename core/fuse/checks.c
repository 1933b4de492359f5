/* [L0 5.3, 7.4.1] Behind which assertion a statement has a meaning. What an assertion says the simplifier takes as known
   from there on: it leaves out checks, and writes k for max k 0, and no certificate tells. So a statement may pass an
   assertion upwards only where that says nothing of

   - extents of arrays that the statement makes, unless there was an array of that extent before;
   - the places where it reads or writes, and how often its loops run.

       let c = assert (k >= 0) ...
       let b = a[0 :+ k * 1]                      -- was max k 0
       let s = scan k (+) 0 b                     -- not beside what goes over a before the assertion

   Scalar operators, views that change no extent and SOACs of extents that are there are total, and pass. An assertion
   says something of a statement where it compares numbers, and each side is a constant or takes part in the statement's
   numbers; one of anything else may always do so. What is at the same place in each iteration, as a[0], is there because
   an array is long enough: that may be said by the way, as 1 <= i and i <= n do. Then it is enough that one side takes
   part, and the other does so from then on. */
#include "core/fuse/graph.h"

enum {
    MOST_CHECKS =
        64, /* that are looked at, from the last: it relies on the next, whatever that says */
    MOST_NAMES =
        1000, /* of the body, that take part in a statement's numbers: else it relies on all */
    MOST_PARTS = 16 /* of a condition, and of a sum that it compares */
};

/* ---- what may rely on checks ----------------------------------------------------------------- */

/* How many of the body's assertions, from the first, the statement may rely on. */
static void may_rely(FuseGraph *g, size_t checks)
{
    g->reliance = checks > g->reliance ? checks : g->reliance;
}

static FuseExtent *extent_of(FuseGraph *g, const CoreName *name, size_t checks)
{
    FuseExtent *extent = core_name_map_make(g->f->arena, &g->extents, name, sizeof *extent);
    if (extent->name == NULL) {
        *extent = (FuseExtent){name, checks};
    }
    return extent;
}

void fuse_note_outer(FuseGraph *g, const CoreName *name)
{
    for (int d = 0; d < name->type.rank; d++) {
        if (name->type.sizes[d].name != NULL) {
            extent_of(g, name->type.sizes[d].name, 0)->checks = 0;
        }
    }
}

static void rely_on_extents(FuseGraph *g, CoreType type, const CoreStm *binder)
{
    for (int d = 0; d < type.rank; d++) {
        const CoreAtom size = type.sizes[d];
        if (size.name == NULL) {
            may_rely(g, size.as.integer < 0 ? g->checks.count : 0);
        } else if (core_stm_binds(binder, size.name)) {
            extent_of(g, size.name, 0); /* it tells how many there are */
        } else {
            may_rely(g, extent_of(g, size.name, g->checks.count)->checks);
        }
    }
}

/* Of a constant, or one that is computed once in the body: the same in each iteration of what is in its functions. */
static bool is_fixed(const FuseGraph *g, CoreAtom place)
{
    return place.name == NULL || pointer_map_get(&g->binders, place.name) != NULL;
}

/* Some axis is read or written at one such place alone. */
static bool has_fixed_place(const FuseGraph *g, const CoreExp *exp)
{
    bool found = false;
    if (exp->kind == CORE_EXP_INDEX) {
        for (size_t k = 0; k < exp->as.index.count; k++) {
            found = found || is_fixed(g, exp->as.index.indices[k]);
        }
    } else if (exp->kind == CORE_EXP_UPDATE || exp->kind == CORE_EXP_SLICE) {
        bool update = exp->kind == CORE_EXP_UPDATE;
        size_t count = update ? exp->as.update.count : exp->as.slice.count;
        const CoreSlice *slices = update ? exp->as.update.slices : exp->as.slice.slices;
        for (size_t k = 0; k < count; k++) {
            found = found || (slices[k].fixed && is_fixed(g, slices[k].offset));
        }
    }
    return found;
}

static void rely_inside(void *context, const CoreBody *body);

static void rely(FuseGraph *g, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        rely_on_extents(g, stm->pattern[k]->type, stm);
    }
    switch ((int)exp->kind) { /* the others have a meaning for all operands */
    case CORE_EXP_INDEX:
    case CORE_EXP_SLICE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_UPDATE:
        g->by_the_way = g->by_the_way || has_fixed_place(g, exp);
        may_rely(g, g->checks.count);
        break;
    case CORE_EXP_LOOP: may_rely(g, exp->as.loop.bound.name != NULL ? g->checks.count : 0);
    }
    core_each_body(exp, rely_inside, g);
}

static void rely_inside(void *context, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        rely(context, body->stms[i]);
    }
}

/* ---- what takes part in its numbers ---------------------------------------------------------- */

typedef struct Numbers {
    FuseGraph *g;
    CoreNameMap names;
    VEC(const CoreName *) waiting;
    size_t count;
} Numbers;

static void take(Numbers *numbers, const CoreName *name)
{
    char *found = core_name_map_make(numbers->g->f->arena, &numbers->names, name, 1);
    if (!*found && numbers->count < MOST_NAMES) {
        *found = 1;
        numbers->count++;
        vec_push(numbers->g->f->arena, &numbers->waiting, name);
    }
}

static void take_name(void *context, CoreName *name)
{
    take(context, name);
}

static void take_atom(void *context, CoreAtom atom)
{
    if (atom.name != NULL) {
        take(context, atom.name);
    }
}

static void take_extents(Numbers *numbers, CoreType type)
{
    for (int d = 0; d < type.rank; d++) {
        take_atom(numbers, type.sizes[d]);
    }
}

/* What the statement mentions, extents, and what scalars of the body these are computed from. */
static void take_all(Numbers *numbers, const CoreStm *stm)
{
    core_each_free(stm, take_name, numbers);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        take_extents(numbers, stm->pattern[k]->type);
    }
    while (numbers->waiting.count > 0) {
        const CoreName *name = numbers->waiting.items[--numbers->waiting.count];
        const FuseNode *node = pointer_map_get(&numbers->g->binders, name);
        take_extents(numbers, name->type);
        if (node != NULL && name->type.rank == 0) {
            core_each_operand(node->stm->exp, take_atom, numbers);
        }
    }
}

/* ---- what an assertion says ------------------------------------------------------------------ */

static const CoreStm *definition(const FuseGraph *g, CoreAtom atom)
{
    const FuseNode *node = atom.name != NULL ? pointer_map_get(&g->binders, atom.name) : NULL;
    return node != NULL ? node->stm : NULL;
}

/* The number, or one that it is a sum or multiple of; `all`: all of these do from now on. */
static bool takes_part(Numbers *numbers, CoreAtom number, bool all)
{
    bool found = false;
    CoreAtom waiting[MOST_PARTS] = {number};
    for (size_t count = 1; count > 0;) {
        const CoreAtom atom = waiting[--count];
        const CoreStm *stm = definition(numbers->g, atom);
        found =
            found || (atom.name != NULL && core_name_map_get(&numbers->names, atom.name) != NULL);
        if (all) {
            take_atom(numbers, atom);
        }
        if (stm == NULL || stm->exp->kind != CORE_EXP_BINARY) {
            continue;
        }
        CoreOperator op = stm->exp->as.scalar.op;
        if (op != CORE_ADD && op != CORE_SUB && op != CORE_MUL) {
            continue;
        }
        if (count + 2 > MOST_PARTS) {
            return true;
        }
        waiting[count++] = stm->exp->as.scalar.x;
        waiting[count++] = stm->exp->as.scalar.y;
    }
    return found;
}

/* The comparison says something of them. */
static bool is_of_numbers(Numbers *numbers, CoreAtom x, CoreAtom y)
{
    bool of_x = takes_part(numbers, x, false), of_y = takes_part(numbers, y, false);
    if (!numbers->g->by_the_way) {
        return (of_x || x.name == NULL) && (of_y || y.name == NULL);
    }
    if (of_x || of_y) {
        takes_part(numbers, x, true);
        takes_part(numbers, y, true);
    }
    return of_x || of_y;
}

static bool says_something(Numbers *numbers, CoreAtom condition)
{
    bool found = false;
    CoreAtom waiting[MOST_PARTS] = {condition};
    for (size_t count = 1; count > 0;) {
        const CoreStm *stm = definition(numbers->g, waiting[--count]);
        const CoreExp *exp = stm != NULL ? stm->exp : NULL;
        bool is_unary = exp != NULL && exp->kind == CORE_EXP_UNARY;
        if (exp == NULL || (!is_unary && exp->kind != CORE_EXP_BINARY)) {
            return true;
        }
        if (!is_unary && exp->as.scalar.prim == CORE_I64) {
            found = is_of_numbers(numbers, exp->as.scalar.x, exp->as.scalar.y) || found;
            continue;
        }
        if (exp->as.scalar.prim != CORE_BOOL || count + 2 > MOST_PARTS) {
            return true;
        }
        waiting[count++] = exp->as.scalar.x;
        if (!is_unary) {
            waiting[count++] = exp->as.scalar.y;
        }
    }
    return found;
}

/* The last of the assertions before that says something of the numbers, also by what others say; SIZE_MAX: none does. */
static size_t last_that_says(FuseGraph *g, Numbers *numbers)
{
    size_t last = SIZE_MAX, before = 0;
    size_t first = g->reliance > MOST_CHECKS ? g->reliance - MOST_CHECKS : 0;
    do {
        before = numbers->count;
        for (size_t i = g->reliance; i-- > first;) {
            size_t check = g->checks.items[i];
            bool says = numbers->count == MOST_NAMES ||
                        says_something(numbers, g->body->stms[check]->exp->as.assertion.condition);
            last = says && (last == SIZE_MAX || check > last) ? check : last;
        }
    } while (numbers->count > before);
    return last == SIZE_MAX && first > 0 ? g->checks.items[first - 1] : last;
}

size_t fuse_check_before(FuseGraph *g, size_t node)
{
    const CoreStm *stm = g->body->stms[node];
    g->reliance = 0;
    g->by_the_way = false;
    rely(g, stm);
    if (stm->exp->kind == CORE_EXP_ASSERT) {
        vec_push(g->f->arena, &g->checks, node);
    }
    if (g->reliance == 0) {
        return SIZE_MAX;
    }
    Numbers numbers = {.g = g};
    take_all(&numbers, stm);
    return last_that_says(g, &numbers);
}
