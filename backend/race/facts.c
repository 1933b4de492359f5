/* Atoms, and facts of them: polynomials that are not negative, conditions that hold. */
#include "backend/race/prove.h"

#include <stdlib.h>

RaceAtomNumber race_new_atom(RaceProof *proof, RaceAtom atom)
{
    if (proof->atoms.count >= RACE_MOST_ATOMS) {
        race_give_up(proof, "it has too many scalars");
        return 1;
    }
    vec_push(proof->arena, &proof->atoms, atom);
    return (RaceAtomNumber)(proof->atoms.count - 1);
}

RaceAtomNumber race_plain_atom(RaceProof *proof, RaceScope scope)
{
    return race_new_atom(proof, (RaceAtom){.kind = RACE_PLAIN, .scope = scope});
}

/* In a loop of the group's without a barrier its work-items are in different iterations. */
RaceScope race_scope(const RaceProof *proof)
{
    return proof->on_host                                     ? RACE_ALL
           : proof->here == RACE_OF_GROUP && proof->loose > 0 ? RACE_OF_ITEM
                                                              : proof->here;
}

RacePolynomial race_anything(RaceProof *proof)
{
    return race_alone(race_plain_atom(proof, race_scope(proof)));
}

const RacePolynomial *race_keep(RaceProof *proof, RacePolynomial p)
{
    size_t size = offsetof(RacePolynomial, terms) + p.count * sizeof *p.terms;
    RacePolynomial *kept = arena_allocate(proof->arena, size);
    memcpy(kept, &p, size);
    return kept;
}

const RaceFact *race_add_fact(RaceProof *proof, RaceFact fact, const RaceFact *next)
{
    fact.next = next;
    return arena_copy(proof->arena, &fact, sizeof fact);
}

/* k * x + c >= 0   ==>  x + c / k >= 0, rounded down */
static void make_small(RacePolynomial *p)
{
    int64_t common = 0;
    for (unsigned i = 0; i < p->count; i++) {
        int64_t x = p->terms[i].atoms[0] == 0 ? 0 : llabs(p->terms[i].factor);
        while (x != 0) { /* the greatest common divisor */
            int64_t rest = common % x;
            common = x;
            x = rest;
        }
    }
    RacePolynomial small = {.count = 0};
    for (unsigned i = 0; common > 1 && i < p->count; i++) {
        RaceTerm term = p->terms[i];
        bool rounds = term.factor < 0 && term.factor % common != 0;
        term.factor = term.factor / common - rounds;
        if (term.factor != 0) {
            small.terms[small.count++] = term;
        }
    }
    *p = common > 1 ? small : *p;
}

const RaceFact *race_fact(RaceProof *proof, RacePolynomial p, const RaceFact *next)
{
    int64_t value;
    make_small(&p);
    if (race_is_number(&p, &value) && value >= 0) {
        return next;
    }
    for (const RaceFact *fact = next; fact; fact = fact->next) {
        if (fact->kind == RACE_NOT_NEGATIVE && race_is_same(fact->p, &p)) {
            return next;
        }
    }
    return race_add_fact(proof, (RaceFact){.p = race_keep(proof, p)}, next);
}

const RaceFact *race_ordered(RaceProof *proof, const RacePolynomial *x, const RacePolynomial *y,
                             int64_t least, const RaceFact *next)
{
    RacePolynomial p, number = race_number(least);
    bool good = race_add(&p, x, -1, y) && race_add(&p, &p, -1, &number);
    return good ? race_fact(proof, p, next) : next;
}

const RaceFact *race_join(RaceProof *proof, const RaceFact *x, const RaceFact *y)
{
    for (; x; x = x->next) {
        y = race_add_fact(proof, *x, y);
    }
    return y;
}

bool race_is_last(const RaceFact *facts, unsigned *arrival)
{
    for (; facts; facts = facts->next) {
        if (facts->kind == RACE_IS_LAST) {
            *arrival = facts->arrival;
            return true;
        }
    }
    return false;
}

RaceScope race_scope_of(const RaceProof *proof, const RacePolynomial *p)
{
    RaceScope scope = RACE_ALL;
    for (unsigned i = 0; i < p->count; i++) {
        for (int k = 0; k < RACE_MOST_DEGREE && p->terms[i].atoms[k] != 0; k++) {
            RaceScope own = proof->atoms.items[p->terms[i].atoms[k]].scope;
            scope = own > scope ? own : scope;
        }
    }
    return scope;
}

RaceAtomNumber race_atom_of(RaceProof *proof, RaceAtomKind kind, const RacePolynomial *x,
                            const RacePolynomial *y)
{
    for (size_t i = 1; i < proof->atoms.count; i++) {
        const RaceAtom *atom = &proof->atoms.items[i];
        if (atom->kind == kind && race_is_same(atom->x, x) && race_is_same(atom->y, y)) {
            return (RaceAtomNumber)i;
        }
    }
    RaceScope scope = race_scope_of(proof, x), other = race_scope_of(proof, y);
    return race_new_atom(proof, (RaceAtom){.kind = kind,
                                           .scope = scope > other ? scope : other,
                                           .x = race_keep(proof, *x),
                                           .y = race_keep(proof, *y)});
}

bool race_is_at_least(RaceProof *proof, const RacePolynomial *p, int64_t least)
{
    RaceKnowledge knowledge = race_knowledge(proof, proof->path, p, NULL);
    RacePolynomial number = race_number(least);
    return race_at_least(&knowledge, p, &number, 0);
}

bool race_is_always_at_least(RaceProof *proof, const RacePolynomial *p, int64_t least)
{
    RaceKnowledge knowledge = race_knowledge(proof, NULL, p, NULL);
    RacePolynomial number = race_number(least);
    return race_at_least(&knowledge, p, &number, 0);
}

bool race_largest(const RaceProof *proof, const RacePolynomial *x, int64_t *most)
{
    RacePolynomial p;
    for (const RaceFact *fact = proof->path; fact; fact = fact->next) {
        if (fact->kind == RACE_NOT_NEGATIVE && race_add(&p, x, 1, fact->p) &&
            race_is_number(&p, most) && *most >= 0) {
            return true;
        }
    }
    return false;
}
