/* What follows of what stands in an index: bounds that sums of known inequalities do not give.

       i >= n ? i - n : i,  0 <= i < 2 * n                          lies between 0 and n - 1
       each * g + min(g, more) + t,  t < each + i64(g < more),      lies below count
           each = count / groups,  more = count % groups,  g < groups                            */
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

bool race_is_less(const RaceAtom *c, const RacePolynomial *x, const RacePolynomial *y)
{
    RacePolynomial p, one = race_number(1);
    bool good = c->kind == RACE_TRUTH && race_add(&p, y, -1, x) && race_add(&p, &p, -1, &one);
    for (const RaceFact *fact = good ? c->condition->yes : NULL; fact; fact = fact->next) {
        if (fact->kind == RACE_NOT_NEGATIVE && race_is_same(fact->p, &p)) {
            return true;
        }
    }
    return false;
}

// q = count / groups,  r = count % groups,  q >= 0,  g < groups
//     ==>  q * g + min(g, r) + q + i64(g < r)  <=  q * groups + r  =  count
void race_bound_shares(RaceProof *proof, const RacePolynomial *p)
{
    RacePolynomial g = race_alone(proof->group), sum;
    for (unsigned i = 0; i < p->count; i++) {
        RaceAtom least = proof->atoms.items[p->terms[i].atoms[0]];
        bool is_share = p->terms[i].atoms[0] != 0 && least.kind == RACE_LEAST &&
                        race_is_same(least.x, &g) && race_only_atom(least.y) != 0;
        RaceAtom rest = proof->atoms.items[is_share ? race_only_atom(least.y) : 0];
        if (!is_share || rest.kind != RACE_REST) {
            continue;
        }
        RacePolynomial each = race_alone(race_atom_of(proof, RACE_QUOTIENT, rest.x, rest.y));
        RacePolynomial share = race_alone(p->terms[i].atoms[0]);
        if (!race_multiply(&sum, &each, &g) || !race_add(&sum, &sum, 1, &each) ||
            !race_add(&sum, &sum, 1, &share) || !race_is_at_least(proof, &each, 0) ||
            !race_add(&g, rest.y, -1, &g) || !race_is_at_least(proof, &g, 1)) {
            return;
        }
        for (size_t t = 1; t < proof->atoms.count; t++) {
            RacePolynomial number = race_alone(proof->group), truth = race_alone((RaceAtomNumber)t);
            if (race_is_less(&proof->atoms.items[t], &number, least.y) &&
                race_add(&truth, &truth, 1, &sum)) {
                proof->path = race_ordered(proof, rest.x, &truth, 0, proof->path);
            }
        }
        return;
    }
}
