/* What follows of what stands in an index, or in a number of iterations: bounds that sums of known
   inequalities do not give.

       i >= n ? i - n : i,  0 <= i < 2 * n        lies between 0 and n - 1
       high = max(low, y),  low < high            is y
       low = min(5, n),  low < n                  is 5
       n < 9 ? max(k, 1) : 1,  at most 1          is 1                                           */
#include "backend/race/prove.h"

/* Both branches are at least, or at most, the bound: so is the choice. */
static bool both_are(RaceProof *proof, const RaceAtom *choice, const RacePolynomial *bound,
                     int sign)
{
    const RaceFact *path = proof->path;
    RacePolynomial x, y;
    bool good = race_add(&x, choice->x, -1, bound) && race_add(&y, choice->y, -1, bound);
    if (sign < 0) {
        RacePolynomial zero = {.count = 0};
        good = good && race_add(&x, &zero, -1, &x) && race_add(&y, &zero, -1, &y);
    }
    proof->path = race_join(proof, choice->condition->yes, path);
    good = good && race_is_at_least(proof, &x, 0);
    proof->path = race_join(proof, choice->condition->no, path);
    good = good && race_is_at_least(proof, &y, 0);
    proof->path = path;
    return good;
}

// i >= n ? i - n : i,  0 <= i < 2 * n:    not negative, and below n as i is where it is chosen
void race_bound_choices(RaceProof *proof, const RacePolynomial *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        RaceAtomNumber number = p->terms[i].atoms[0];
        RaceAtom atom = proof->atoms.items[number];
        RacePolynomial choice = race_alone(number), bound = {.count = 0};
        if (number == 0 || p->terms[i].atoms[1] != 0 || atom.kind != RACE_CHOICE) {
            continue;
        }
        race_bound_rests(proof, atom.x);
        race_bound_rests(proof, atom.y);
        if (both_are(proof, &atom, &bound, 1)) {
            proof->path = race_ordered(proof, &choice, &bound, 0, proof->path);
        }
        for (const RaceFact *fact = atom.condition->no; fact; fact = fact->next) {
            if (fact->kind == RACE_NOT_NEGATIVE && race_add(&bound, fact->p, 1, atom.y) &&
                both_are(proof, &atom, &bound, -1)) {
                proof->path = race_ordered(proof, &bound, &choice, 0, proof->path);
            }
        }
    }
}

static bool is_atom_at_least(RaceProof *proof, RaceAtomNumber number, int64_t least)
{
    const RaceAtom atom = proof->atoms.items[number];
    RacePolynomial p = race_alone(number), bound = race_number(least);
    return race_is_at_least(proof, &p, least) ||
           (atom.kind == RACE_CHOICE && both_are(proof, &atom, &bound, 1));
}

// (b ? x : n) >= c,  n < c   ==>  b
static void choose(RaceProof *proof, const RaceAtom *choice, int64_t least)
{
    int64_t other;
    if (choice->kind == RACE_CHOICE && race_is_number(choice->y, &other) && other < least) {
        proof->path = race_join(proof, choice->condition->yes, proof->path);
    }
}

// a <= c,  a >= c   ==>  a = c
void race_pin(RaceProof *proof, const RaceFact *facts)
{
    for (; facts; facts = facts->next) {
        RacePolynomial a;
        if (facts->kind != RACE_NOT_NEGATIVE || facts->p->count != 2 ||
            facts->p->terms[1].atoms[0] != 0) {
            continue;
        }
        int64_t constant = facts->p->terms[1].factor; /* the last one, if it is there */
        RacePolynomial least = race_number(constant), zero = race_number(0);
        bool good = race_add(&a, &zero, -1, facts->p) && race_add(&a, &a, 1, &least);
        RaceAtomNumber most = good ? race_only_atom(&a) : 0; /* constant - a >= 0 */
        good = race_add(&a, facts->p, -1, &least);
        RaceAtomNumber more = good ? race_only_atom(&a) : 0; /* a + constant >= 0 */
        if (more != 0) {
            choose(proof, &proof->atoms.items[more], -constant);
        } else if (most != 0 && is_atom_at_least(proof, most, constant)) {
            proof->pinned = most;
            proof->pinned_to = constant;
        }
    }
}

/* x < m, which is one of x and y */
static bool is_other(RaceProof *proof, const RacePolynomial *x, const RacePolynomial *m, bool most)
{
    RacePolynomial more;
    return race_add(&more, most ? m : x, -1, most ? x : m) && race_is_at_least(proof, &more, 1);
}

// m = max(x, y):    m > x  ==>  m <= y,   m > y  ==>  m <= x
// m = min(x, y):    m < x  ==>  m >= y,   m < y  ==>  m >= x
static void bound_extreme(RaceProof *proof, RaceAtomNumber number)
{
    const RaceAtom atom = proof->atoms.items[number];
    RacePolynomial m = race_alone(number);
    bool most = atom.kind == RACE_MOST;
    const RacePolynomial *is = is_other(proof, atom.x, &m, most)   ? atom.y
                               : is_other(proof, atom.y, &m, most) ? atom.x
                                                                   : NULL;
    if (is) {
        proof->path = race_ordered(proof, most ? is : &m, most ? &m : is, 0, proof->path);
    }
}

void race_bound_extremes(RaceProof *proof, const RacePolynomial *p, int depth)
{
    for (unsigned i = 0; i < p->count; i++) {
        for (int k = 0; k < RACE_MOST_DEGREE && p->terms[i].atoms[k] != 0; k++) {
            const RaceAtom atom = proof->atoms.items[p->terms[i].atoms[k]];
            bool is_extreme = atom.kind == RACE_LEAST || atom.kind == RACE_MOST;
            if (is_extreme) {
                bound_extreme(proof, p->terms[i].atoms[k]);
            }
            bool is_divided = atom.kind == RACE_QUOTIENT || atom.kind == RACE_REST;
            if (depth > 0 && (is_extreme || is_divided)) {
                race_bound_extremes(proof, atom.x, depth - 1);
            }
            if (depth > 0 && is_extreme) {
                race_bound_extremes(proof, atom.y, depth - 1);
            }
        }
    }
}
