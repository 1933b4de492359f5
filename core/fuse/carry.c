/* [L0 8] What the state of a loop is a view of is its state instead, and the view stands where the next step begins:

       loop (a = a0, b = b0) for i < n {                loop (c = rotate 0 (-1) a0, b = b0) for i < n {
         let (x, y) = map m f (a, b)                      let a = rotate 0 1 c
         let a' = rotate 0 1 x                  ==>       let (x, y) = map m f (a, b)
         in (a', y)                                       in (x, y)
       }                                                }

   and behind the loop, of what it gives. Rotations by known numbers and reversals can be undone. A map is computed where
   views of it are read; where several views differ, as those by which the densities of a lattice move to its next points,
   it would be computed, or what its results have in common stored, for each of them. Now it reads the state through
   them.

   Before: any loop of the host's. Of its results some are views, two are different views of what has a SOAC in common, and
   nothing but SOACs and views uses that piece of the state. After: the same values. */
#include "core/fuse/fuse.h"

#include <string.h>

enum { MOST_STATES = 64, MOST_STATEMENTS = 4000, MOST_VIEWS = 8, SMALL_BITS = 48 };

typedef struct Turns {
    size_t count; /* the last one first */
    const CoreExp *views[MOST_VIEWS];
    CoreAtom base;
    bool moves;
} Turns;

typedef struct Carry {
    Fuse *f;
    const CoreStm *loop;
    const CoreBody *body;
    size_t states;
    Turns *turns;        /* of the loop's results */
    PointerMap places;   /* CoreName -> the number of the statement that binds it, and one */
    uint64_t *needed_by; /* of each statement, the results that need it */
} Carry;

/* ---- views that can be undone ---------------------------------------------------------------- */

static bool can_be_undone(const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    int64_t far = (int64_t)1 << SMALL_BITS;
    if (stm->certificate_count > 0 || stm->pattern[0]->type.unique) {
        return false;
    }
    return exp->kind == CORE_EXP_REVERSE ||
           (exp->kind == CORE_EXP_ROTATE && !exp->as.rotate.amount.name &&
            exp->as.rotate.amount.as.integer > -far && exp->as.rotate.amount.as.integer < far);
}

/* The statement of the loop's body that binds it; NULL: none does. */
static const CoreStm *maker_in_loop(const Carry *carry, CoreAtom atom)
{
    size_t place = atom.name ? (size_t)(uintptr_t)pointer_map_get(&carry->places, atom.name) : 0;
    return place > 0 ? carry->body->stms[place - 1] : NULL;
}

static Turns turns_of(const Carry *carry, CoreAtom result)
{
    Turns turns = {.base = result};
    const CoreStm *stm = maker_in_loop(carry, result);
    while (stm && turns.count < MOST_VIEWS && can_be_undone(stm)) {
        turns.views[turns.count++] = stm->exp;
        turns.base = fuse_turned_array(stm);
        stm = maker_in_loop(carry, turns.base);
    }
    return turns;
}

static bool same_turn(const CoreExp *x, const CoreExp *y)
{
    return x->kind != y->kind ? false
           : x->kind == CORE_EXP_REVERSE
               ? x->as.reverse.axis == y->as.reverse.axis
               : x->as.rotate.axis == y->as.rotate.axis &&
                     core_atom_equal(x->as.rotate.amount, y->as.rotate.amount);
}

static bool same_turns(const Turns *x, const Turns *y)
{
    bool same = x->count == y->count;
    for (size_t i = 0; i < x->count && same; i++) {
        same = same_turn(x->views[i], y->views[i]);
    }
    return same;
}

static CoreAtom turn(CoreBuilder *b, const CoreExp *view, CoreAtom array, bool back)
{
    const char *text = array.name->text;
    if (view->kind == CORE_EXP_REVERSE) {
        return core_let_reverse(b, text, array, view->as.reverse.axis);
    }
    int64_t amount = view->as.rotate.amount.as.integer;
    return core_let_rotate(b, text, array, view->as.rotate.axis, core_i64(back ? -amount : amount));
}

/* The views of the array. */
static CoreAtom turned(CoreBuilder *b, const Turns *turns, CoreAtom array)
{
    for (size_t i = turns->count; i-- > 0;) {
        array = turn(b, turns->views[i], array, false);
    }
    return array;
}

/* What the array would be the views of. */
static CoreAtom turned_back(CoreBuilder *b, const Turns *turns, CoreAtom array)
{
    for (size_t i = 0; i < turns->count; i++) {
        array = turn(b, turns->views[i], array, true);
    }
    return array;
}

/* ---- which loops ------------------------------------------------------------------------------ */

/* SOACs and views alone use the array: nothing in the loop needs it in memory as it is. */
static bool is_for_views(const Carry *carry, const CoreName *parameter)
{
    for (size_t i = 0; i < carry->body->stm_count; i++) {
        const CoreStm *stm = carry->body->stms[i];
        if (core_stm_uses(stm, parameter) && !fuse_is_soac(stm) && !core_is_view(stm->exp->kind)) {
            return false;
        }
    }
    return !fuse_is_result(carry->body, parameter);
}

typedef struct Marking {
    Carry *carry;
    uint64_t results; /* that need what is used */
} Marking;

static void mark_maker(void *context, CoreName *name)
{
    Marking *marking = context;
    size_t place = (size_t)(uintptr_t)pointer_map_get(&marking->carry->places, name);
    if (place > 0) {
        marking->carry->needed_by[place - 1] |= marking->results;
    }
}

/* Which results need which statements. */
static void mark_needs(Carry *carry)
{
    for (size_t k = 0; k < carry->states; k++) {
        Marking marking = {carry, (uint64_t)1 << k};
        if (carry->turns[k].base.name) {
            mark_maker(&marking, carry->turns[k].base.name);
        }
    }
    for (size_t i = carry->body->stm_count; i-- > 0;) {
        Marking marking = {carry, carry->needed_by[i]};
        if (marking.results != 0) {
            core_each_free(carry->body->stms[i], mark_maker, &marking);
        }
    }
}

static bool can_move(const Carry *carry, size_t k)
{
    const CoreExp *loop = carry->loop->exp;
    const Turns *turns = &carry->turns[k];
    const CoreStm *maker = maker_in_loop(carry, turns->base);
    const CoreName *parameter = loop->as.loop.parameters[k];
    return turns->count > 0 && maker && fuse_is_map(maker) &&
           !core_is_existential(carry->loop, carry->loop->pattern[k]->type) &&
           !parameter->type.unique && is_for_views(carry, parameter);
}

/* Of the results that need what a SOAC makes, those that move, where there are two whose views differ. */
static uint64_t moved_for(const Carry *carry, uint64_t needed_by)
{
    uint64_t moved = 0;
    bool differ = false;
    size_t first = MOST_STATES;
    for (size_t k = 0; k < carry->states; k++) {
        if (!(needed_by >> k & 1) || carry->loop->pattern[k]->type.rank == 0) {
            continue;
        }
        differ =
            differ || (first < MOST_STATES && !same_turns(&carry->turns[k], &carry->turns[first]));
        first = first < MOST_STATES ? first : k;
        moved |= carry->turns[k].moves ? (uint64_t)1 << k : 0;
    }
    return differ ? moved : 0;
}

/* Which results' views move. */
static uint64_t study(Carry *carry)
{
    uint64_t moved = 0;
    bool any = false;
    Arena *arena = carry->f->arena;
    carry->turns = ARENA_ARRAY(arena, Turns, carry->states + 1);
    carry->needed_by = ARENA_ARRAY(arena, uint64_t, carry->body->stm_count + 1);
    for (size_t i = 0; i < carry->body->stm_count; i++) {
        for (size_t j = 0; j < carry->body->stms[i]->pattern_count; j++) {
            pointer_map_set(arena, &carry->places, carry->body->stms[i]->pattern[j],
                            (void *)(uintptr_t)(i + 1));
        }
    }
    for (size_t k = 0; k < carry->states; k++) {
        carry->turns[k] = turns_of(carry, carry->body->results[k]);
    }
    for (size_t k = 0; k < carry->states; k++) {
        carry->turns[k].moves = can_move(carry, k);
        any = any || carry->turns[k].moves;
    }
    if (!any) {
        return 0;
    }
    memset(carry->needed_by, 0, (carry->body->stm_count + 1) * sizeof *carry->needed_by);
    mark_needs(carry);
    for (size_t i = 0; i < carry->body->stm_count; i++) {
        moved |= fuse_is_map(carry->body->stms[i]) ? moved_for(carry, carry->needed_by[i]) : 0;
    }
    return moved;
}

/* ---- the loop ---------------------------------------------------------------------------------- */

/* Puts the loop, between what it is begun with and the views of what it gives. */
static void put_loop(const Carry *carry, CoreBuilder *b, uint64_t moved)
{
    Compilation *c = carry->f->c;
    const CoreExp *old = carry->loop->exp;
    size_t count = carry->states;
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    CoreAtom *initial = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreBuilder inner = core_builder(c, carry->loop->span);
    b->span = carry->loop->span;
    for (size_t k = 0; k < count; k++) {
        CoreName *name = old->as.loop.parameters[k], *given = carry->loop->pattern[k];
        bool moves = moved >> k & 1;
        parameters[k] = moves ? core_name(c, name->text, name->type, name->span) : name;
        pattern[k] = moves ? core_name(c, given->text, given->type, given->span) : given;
        results[k] = moves ? carry->turns[k].base : carry->body->results[k];
        initial[k] = moves ? turned_back(b, &carry->turns[k], old->as.loop.initial[k])
                           : old->as.loop.initial[k];
        if (moves) {
            CoreAtom view = turned(&inner, &carry->turns[k], core_use(parameters[k]));
            core_bind(&inner, 1, &name, core_atom_exp(c, view));
        }
    }
    for (size_t i = 0; i < carry->body->stm_count; i++) {
        core_add(&inner, carry->body->stms[i]);
    }
    CoreStm *stm = arena_copy(c->arena, carry->loop, sizeof *stm);
    CoreExp *exp = core_exp_copy(c, old);
    exp->as.loop.parameters = parameters;
    exp->as.loop.initial = initial;
    exp->as.loop.body = core_body(&inner, count, results);
    stm->pattern = pattern;
    stm->exp = exp;
    core_add(b, stm);
    for (size_t k = 0; k < count; k++) {
        if (moved >> k & 1) {
            CoreAtom view = turned(b, &carry->turns[k], core_use(pattern[k]));
            core_bind(b, 1, &carry->loop->pattern[k], core_atom_exp(c, view));
        }
    }
    fuse_fired(carry->f, CORE_RULE_FUSE_CARRY);
}

static const CoreBody *host_body(void *context, const CoreBody *old)
{
    Fuse *f = context;
    CoreBuilder b = core_builder(f->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        CoreExpKind kind = stm->exp->kind;
        if (kind != CORE_EXP_LOOP && kind != CORE_EXP_IF) {
            core_add(&b, stm);
            continue;
        }
        stm = core_map_stm(f->c, stm, host_body, f);
        uint64_t moved = 0;
        Carry carry = {.f = f, .loop = stm};
        if (kind == CORE_EXP_LOOP && stm->pattern_count <= MOST_STATES &&
            stm->exp->as.loop.body->stm_count <= MOST_STATEMENTS) {
            carry.body = stm->exp->as.loop.body;
            carry.states = stm->pattern_count;
            moved = study(&carry);
        }
        if (moved != 0) {
            put_loop(&carry, &b, moved);
        } else {
            core_add(&b, stm);
        }
    }
    return core_with_stms(f->c, old, b.stms.count, b.stms.items);
}

const CoreFunction *fuse_carry(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, host_body(f, function->body));
}
