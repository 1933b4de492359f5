/* What is known where two accesses are made, taken together: one index is below the other.

       b[32 * s + l]           by P, where  s < m / 32,  l < 32              below  m - m % 32,  and so below  m
       b[m + 32 * t + i]       by Q, where  t = (n - m) / 32,  i >= 0        at least  m

   Neither P nor Q alone knows of both sides, and a bound that the one is below and the other is not would have to be
   guessed. But both accesses are made, if they are to meet: so all that is said where the one is and all that is said
   where the other is holds at once. What P and Q share is one atom in both; what they do not is another atom in each,
   so those of Q get names of their own here. Then one inequality is asked for. */
#include "backend/race/question.h"

typedef struct Renaming {
    const RaceQuestion *q;
    RaceAtomNumber *names; /* of b's atoms: those that are not shared are new ones */
} Renaming;

/* No two atoms get one name: there are as many terms as before, in another order. */
static RacePolynomial renamed(const Renaming *r, const RacePolynomial *p)
{
    RacePolynomial sum = {.count = 0};
    for (unsigned i = 0; i < p->count; i++) {
        RacePolynomial product = race_number(p->terms[i].factor);
        for (int k = 0; k < RACE_MOST_DEGREE && p->terms[i].atoms[k] != 0; k++) {
            RacePolynomial atom = race_alone(r->names[p->terms[i].atoms[k]]);
            race_multiply(&product, &product, &atom);
        }
        race_add(&sum, &sum, 1, &product);
    }
    return sum;
}

/* Operands come before what is made of them. */
static void rename_atoms(Renaming *r)
{
    RaceProof *proof = r->q->proof;
    const RaceKnowledge *b = &r->q->b->knowledge;
    r->names = ARENA_ARRAY(proof->arena, RaceAtomNumber, r->q->atoms);
    for (size_t i = 1; i < r->q->atoms; i++) {
        RaceAtomNumber number = (RaceAtomNumber)i;
        r->names[i] = number;
        if (race_is_shared(r->q, number) || i >= b->atoms || !b->seen[i]) {
            continue;
        }
        RaceAtom atom = proof->atoms.items[i];
        atom.natural = b->natural[i];
        atom.facts = NULL; /* they are among what b knows */
        if (atom.x) {
            atom.x = race_keep(proof, renamed(r, atom.x));
            atom.y = race_keep(proof, renamed(r, atom.y));
        }
        r->names[i] = race_new_atom(proof, atom);
    }
}

static const RaceFact *facts_of_both(RaceProof *proof, const Renaming *r)
{
    const RaceFact *facts = NULL;
    const RaceKnowledge *a = &r->q->a->knowledge, *b = &r->q->b->knowledge;
    for (size_t i = b->count; i-- > 0;) {
        facts = race_fact(proof, renamed(r, b->items[i]), facts);
    }
    for (size_t i = a->count; i-- > 0;) {
        facts = race_fact(proof, race_copy(a->items[i]), facts);
    }
    return facts;
}

// x < y  or  y < x    by all that is known of both
static bool differ(RaceProof *proof, const RaceFact *facts, const RacePolynomial *x,
                   const RacePolynomial *y)
{
    RaceKnowledge knowledge = race_knowledge(proof, facts, x, y);
    return race_at_least(&knowledge, y, x, 1) || race_at_least(&knowledge, x, y, 1);
}

bool race_refuted_together(const RaceQuestion *q)
{
    RaceProof *proof = q->proof;
    const RaceFact *host = proof->host;
    size_t atoms = proof->atoms.count;
    bool found = false;
    if (2 * atoms > RACE_MOST_ATOMS) {
        return false;
    }
    Renaming r = {.q = q};
    rename_atoms(&r);
    const RaceFact *facts = facts_of_both(proof, &r);
    proof->host = NULL; /* it is among what each knows */
    for (size_t i = 0; i < q->count && !found; i++) {
        RacePolynomial y = renamed(&r, &q->equations[i].y);
        found = differ(proof, facts, &q->equations[i].x, &y);
    }
    proof->host = host;
    proof->atoms.count = atoms;
    return found;
}
