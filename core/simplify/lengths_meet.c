/* Which lengths meet each other (part of lengths.c): those that the host knows from the beginning on, of arrays between which
   singleton extension chooses, or that an assertion compares. */
#include "core/simplify/lengths.h"

enum { MOST_PARTS = 16 /* of a condition, one in another */ };

/* ---- lengths that the host knows ---------------------------------------------------------------- */

size_t lengths_place_of(const Lengths *l, const CoreName *name)
{
    return (size_t)(uintptr_t)pointer_map_get(&l->places, name);
}

static bool is_known(const Lengths *l, CoreAtom atom)
{
    return !atom.name || pointer_map_get(&l->known, atom.name);
}

static bool is_chosen(const Lengths *l, CoreAtom atom)
{
    return atom.name && pointer_map_get(&l->chosen, atom.name);
}

void lengths_note_known(Lengths *l, CoreName *name)
{
    if (name->type.rank == 0) {
        pointer_map_set(l->c->scratch, &l->known, name, name);
    }
}

bool lengths_is_scalar_work(const CoreExp *exp)
{
    return exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY ||
           exp->kind == CORE_EXP_CONVERT || exp->kind == CORE_EXP_ATOM;
}

typedef struct Operands {
    const Lengths *l;
    bool known, chosen;
} Operands;

static void check_operand(void *context, CoreAtom atom)
{
    Operands *operands = context;
    operands->known = operands->known && is_known(operands->l, atom);
    operands->chosen = operands->chosen || is_chosen(operands->l, atom);
}

void lengths_learn(Lengths *l)
{
    for (size_t i = 0; i < l->body->stm_count; i++) {
        const CoreStm *stm = l->body->stms[i];
        Operands operands = {.l = l, .known = lengths_is_scalar_work(stm->exp)};
        core_each_operand(stm->exp, check_operand, &operands);
        for (size_t k = 0; k < stm->pattern_count; k++) {
            pointer_map_set(l->c->scratch, &l->binders, stm->pattern[k], (void *)(uintptr_t)stm);
            pointer_map_set(l->c->scratch, &l->places, stm->pattern[k], (void *)(uintptr_t)(i + 1));
            bool chosen = operands.chosen || stm->exp->kind == CORE_EXP_ARGUMENT;
            if (operands.known || stm->exp->kind == CORE_EXP_READ ||
                stm->exp->kind == CORE_EXP_ARGUMENT) {
                lengths_note_known(l, stm->pattern[k]);
                pointer_map_set(l->c->scratch, &l->chosen, stm->pattern[k],
                                chosen ? stm->pattern[k] : NULL);
            }
        }
    }
}

/* ---- assertions of lengths that extension makes --------------------------------------------------- */

static const CoreExp *operation(const Lengths *l, CoreAtom atom)
{
    const CoreStm *stm = atom.name ? pointer_map_get(&l->binders, atom.name) : NULL;
    return stm ? stm->exp : NULL;
}

typedef struct Condition {
    bool extends;  /* one part says that something has one element */
    CoreAtom x, y; /* another one, that these are equal; no names: none does */
} Condition;

/* The parts of a disjunction. */
static void look_at(const Lengths *l, CoreAtom condition, Condition *found, int depth)
{
    const CoreExp *exp = operation(l, condition);
    if (!exp || exp->kind != CORE_EXP_BINARY || depth > MOST_PARTS) {
        return;
    }
    CoreAtom x = exp->as.scalar.x, y = exp->as.scalar.y, one = core_i64(1);
    if (exp->as.scalar.op == CORE_OR) {
        look_at(l, x, found, depth + 1);
        look_at(l, y, found, depth + 1);
    } else if (exp->as.scalar.op == CORE_EQ && exp->as.scalar.prim == CORE_I64) {
        if (core_atom_equal(x, one) || core_atom_equal(y, one)) {
            found->extends = true;
        } else {
            found->x = x;
            found->y = y;
        }
    }
}

/* The host knows both. A number that somebody chooses is not likely to be a length that the program says. */
static bool are_lengths(const Lengths *l, const Pair *pair)
{
    return is_known(l, pair->x) && is_known(l, pair->y) &&
           !(is_chosen(l, pair->x) && !pair->y.name) && !(is_chosen(l, pair->y) && !pair->x.name);
}

/* It compares two lengths that the host knows. One that says no more than that they are equal, and could be made as soon as they
   are known, is in the way of nothing, unless what may fail first stands before it (`behind`). */
static bool compares(const Lengths *l, const CoreStm *stm, bool behind, Pair *pair)
{
    Condition found = {.x = core_i64(0), .y = core_i64(0)};
    if (stm->exp->kind != CORE_EXP_ASSERT || stm->exp->as.assertion.error != CORE_LENGTH_ERROR) {
        return false;
    }
    look_at(l, stm->exp->as.assertion.condition, &found, 0);
    *pair = (Pair){found.x, found.y};
    return (found.extends || behind) && are_lengths(l, pair);
}

CoreAtom lengths_stand_in(const Lengths *l, CoreAtom length)
{
    for (size_t k = l->pairs.count; length.name && k-- > 0;) {
        if (l->pairs.items[k].y.name == length.name) {
            length = l->pairs.items[k].x;
            k = l->pairs.count; /* that may be replaced, too */
        }
    }
    return length;
}

static bool is_before(const Lengths *l, CoreAtom length, size_t first)
{
    return !length.name || lengths_place_of(l, length.name) <= first;
}

/* It is computed of one that another will stand for: what of these is equal shows in the version. */
static bool is_of_replaced(const Lengths *l, CoreAtom length, int depth)
{
    const CoreExp *exp = operation(l, length);
    bool found = depth > MOST_PARTS;
    for (size_t k = 0; k < l->pairs.count && length.name && !found; k++) {
        found = depth > 0 && l->pairs.items[k].y.name == length.name;
    }
    if (found || !exp) {
        return found;
    }
    switch ((int)exp->kind) {
    case CORE_EXP_BINARY:
        return is_of_replaced(l, exp->as.scalar.x, depth + 1) ||
               is_of_replaced(l, exp->as.scalar.y, depth + 1);
    case CORE_EXP_UNARY: return is_of_replaced(l, exp->as.scalar.x, depth + 1);
    case CORE_EXP_CONVERT: return is_of_replaced(l, exp->as.convert.x, depth + 1);
    }
    return false;
}

static void add_pair(Lengths *l, CoreAtom x, CoreAtom y)
{
    if (is_of_replaced(l, x, 0) || is_of_replaced(l, y, 0)) {
        return;
    }
    x = lengths_stand_in(l, x);
    y = lengths_stand_in(l, y);
    bool swapped = !y.name || (x.name && lengths_place_of(l, x.name) > lengths_place_of(l, y.name));
    Pair pair = swapped ? (Pair){y, x} : (Pair){x, y};
    if (pair.y.name && !core_atom_equal(x, y)) {
        vec_push(l->c->scratch, &l->pairs, pair);
    }
}

/* The first of the SOACs in front of statement i that may fail, and know both lengths: where they are equal, one may go into what
   is made of both, which fails later (core/fuse/stages.c). */
static size_t begin_of(const Lengths *l, Pair pair, size_t i)
{
    const size_t last = i > LENGTHS_MOST_STATEMENTS ? i - LENGTHS_MOST_STATEMENTS : 0;
    size_t begin = i;
    while (i > last && is_before(l, pair.x, i - 1) && is_before(l, pair.y, i - 1) &&
           !core_is_effect(l->body->stms[i - 1]->exp->kind)) {
        i--;
        bool fails =
            l->body->stms[i]->exp->kind == CORE_EXP_SOAC && core_may_fail(l->body->stms[i]);
        begin = fails ? i : begin;
    }
    return begin;
}

/* For devices: statement i compares them when a SOAC in front of it may have failed. */
static bool is_behind(const Lengths *l, size_t i, Pair *pair)
{
    return !l->c->options.sequential && compares(l, l->body->stms[i], true, pair) &&
           begin_of(l, *pair, i) < i;
}

static void note_pair(Lengths *l, Pair pair, size_t i, size_t *first)
{
    const size_t begin = l->c->options.sequential ? i : begin_of(l, pair, i);
    *first = begin < *first ? begin : *first;
    if (is_before(l, pair.x, *first) && is_before(l, pair.y, *first)) {
        add_pair(l, pair.x, pair.y);
    }
}

/* A loop of the host, and what of it stands in which statement of the body. */
typedef struct Inside {
    Lengths *l;
    size_t at, *first;
} Inside;

/* In a loop, one that could be made before it has been put there (hoist.c). */
static void find_inside(void *context, const CoreBody *body)
{
    const Inside *inside = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        Pair pair;
        if (compares(inside->l, body->stms[i], true, &pair)) {
            note_pair(inside->l, pair, inside->at, inside->first);
        } else if (exp->kind == CORE_EXP_LOOP || exp->kind == CORE_EXP_IF) {
            core_each_body(exp, find_inside, context);
        }
    }
}

size_t lengths_find_pairs(Lengths *l)
{
    size_t first = l->body->stm_count;
    for (size_t i = 0; i < l->body->stm_count; i++) {
        const CoreExp *exp = l->body->stms[i]->exp;
        Pair pair;
        if (compares(l, l->body->stms[i], false, &pair) || is_behind(l, i, &pair)) {
            note_pair(l, pair, i, &first);
        } else if (exp->kind == CORE_EXP_LOOP) {
            Inside inside = {l, i, &first};
            core_each_body(exp, find_inside, &inside);
        }
    }
    return first;
}
