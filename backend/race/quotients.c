/* Quotients and remainders: atoms of which it is known how they go together, and how large they are.

       q = x / y,  r = x % y          x = y * q + r,  and 0 <= r < y where y is positive
       q = g % (n * m) / m            lies below n                                           */
#include "backend/race/prove.h"

/* ---- how large they are ---------------------------------------------------------------------- */

/* p = y * quotient, where y is one term, positive, and goes into each of p's */
static bool divides(const RacePolynomial *y, const RacePolynomial *p, RacePolynomial *quotient)
{
    quotient->count = 0;
    bool single = y->count == 1 && y->terms[0].factor > 0;
    for (unsigned i = 0; single && i < p->count; i++) {
        RaceTerm rest, unit = y->terms[0];
        unit.factor = 1;
        if (p->terms[i].factor % y->terms[0].factor != 0 ||
            !race_goes_into(&unit, &p->terms[i], &rest)) {
            return false;
        }
        rest.factor = p->terms[i].factor / y->terms[0].factor;
        RacePolynomial one = race_term(rest);
        if (!race_add(quotient, quotient, 1, &one)) {
            return false;
        }
    }
    return quotient->count > 0;
}

// q = x / y:    x < y * c, y > 0   ==>  q < c
static void bound_quotient(RaceProof *proof, const RacePolynomial *x, const RacePolynomial *y,
                           const RacePolynomial *quotient)
{
    RacePolynomial one = race_number(1), product, c;
    for (const RaceFact *fact = proof->path; fact; fact = fact->next) {
        if (fact->kind == RACE_NOT_NEGATIVE && race_add(&product, fact->p, 1, x) &&
            race_add(&product, &product, 1, &one) && divides(y, &product, &c)) {
            proof->path = race_ordered(proof, &c, quotient, 1, proof->path);
        }
    }
}

// q = x / y, r = x % y:    y > 0   ==>  0 <= r < y
//                          x >= 0, y > 0   ==>  q >= 0
//                          x <= c, y > 0 and both numbers   ==>  q <= c / y
//                          x < y * c, y > 0   ==>  q < c
static void bound_division(RaceProof *proof, const RacePolynomial *x, const RacePolynomial *y)
{
    RacePolynomial quotient = race_alone(race_atom_of(proof, RACE_QUOTIENT, x, y)),
                   rest = race_alone(race_atom_of(proof, RACE_REST, x, y)), zero = race_number(0);
    int64_t by = 0, most;
    bool is_number = race_is_number(y, &by) && by > 0;
    if (!is_number && !race_is_at_least(proof, y, 1)) {
        return;
    }
    if (!is_number) {
        proof->path = race_ordered(proof, &rest, &zero, 0, proof->path);
        proof->path = race_ordered(proof, y, &rest, 1, proof->path);
    }
    if (race_is_at_least(proof, x, 0)) {
        proof->path = race_ordered(proof, &quotient, &zero, 0, proof->path);
    }
    if (is_number && race_largest(proof, x, &most)) {
        RacePolynomial limit = race_number(most / by);
        proof->path = race_ordered(proof, &limit, &quotient, 0, proof->path);
    }
    bound_quotient(proof, x, y, &quotient);
}

void race_bound_rests(RaceProof *proof, const RacePolynomial *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        const RaceAtom atom = proof->atoms.items[p->terms[i].atoms[0]];
        if (p->terms[i].atoms[0] != 0 && atom.kind == RACE_REST) {
            bound_division(proof, atom.x, atom.y);
        }
    }
}

/* ---- division -------------------------------------------------------------------------------- */

// q = x / y, r = x % y:    x = y * q + r
//                          and bounds, as above
static RaceAtomNumber divide(RaceProof *proof, const RacePolynomial *x, const RacePolynomial *y,
                             RaceAtomKind kind)
{
    RaceAtomNumber q = race_atom_of(proof, RACE_QUOTIENT, x, y),
                   r = race_atom_of(proof, RACE_REST, x, y);
    RacePolynomial quotient = race_alone(q), rest = race_alone(r), sum;
    int64_t by = 0;
    bool is_number = race_is_number(y, &by) && by > 0;
    if (!proof->atoms.items[q].facts && race_multiply(&sum, y, &quotient) &&
        race_add(&sum, &sum, 1, &rest)) {
        const RaceFact *facts = race_ordered(proof, x, &sum, 0, NULL);
        facts = race_ordered(proof, &sum, x, 0, facts);
        bool always = is_number || race_is_always_at_least(proof, y, 1);
        if (always) {
            facts = race_ordered(proof, y, &rest, 1, facts);
        }
        proof->atoms.items[q].facts = proof->atoms.items[r].facts = facts;
        proof->atoms.items[r].natural = always;
    }
    bound_division(proof, x, y);
    return kind == RACE_QUOTIENT ? q : r;
}

static bool is_more(RaceProof *proof, const RacePolynomial *x, const RacePolynomial *y)
{
    RacePolynomial more;
    return race_add(&more, x, -1, y) && race_is_at_least(proof, &more, 1);
}

// (x + 2 * y) % 2 = x % 2,    (x + 1) % 2 = 1 - x % 2
static RacePolynomial parity(RaceProof *proof, const RacePolynomial *x)
{
    RacePolynomial odd = {.count = 0}, two = race_number(2), one = race_number(0);
    for (unsigned i = 0; i < x->count; i++) {
        if (x->terms[i].factor % 2 != 0) {
            bool constant = x->terms[i].atoms[0] == 0;
            RaceTerm term = x->terms[i];
            term.factor = 1;
            if (constant) {
                one = race_number(1);
            } else {
                odd.terms[odd.count++] = term;
            }
        }
    }
    if (odd.count == 0) {
        return one;
    }
    int64_t most;
    bool small = race_largest(proof, &odd, &most) && most < 2 && race_is_at_least(proof, &odd, 0);
    RacePolynomial rest = small ? odd : race_alone(divide(proof, &odd, &two, RACE_REST)), r;
    return one.count > 0 && race_add(&r, &one, -1, &rest) ? r : rest;
}

// (x + 2 * y) / 2 = x / 2 + y    where x and all of it are not negative: as parity leaves x alone
static bool half(RaceProof *proof, const RacePolynomial *x, RacePolynomial *quotient)
{
    RacePolynomial odd = {.count = 0}, even = odd, two = race_number(2);
    for (unsigned i = 0; i < x->count; i++) {
        RacePolynomial *part = x->terms[i].factor % 2 != 0 ? &odd : &even;
        part->terms[part->count] = x->terms[i];
        part->terms[part->count++].factor /= part == &even ? 2 : 1;
    }
    if (odd.count == 0 || even.count == 0 || !race_is_at_least(proof, &odd, 0) ||
        !race_is_at_least(proof, x, 0)) {
        return false;
    }
    RacePolynomial of_odd = race_quotient_or_rest(proof, RACE_QUOTIENT, odd, two);
    return race_add(quotient, &even, 1, &of_odd);
}

RacePolynomial race_quotient_or_rest(RaceProof *proof, RaceAtomKind kind, RacePolynomial x,
                                     RacePolynomial y)
{
    int64_t by, most;
    bool is_number = race_is_number(&y, &by) && by > 0, exact = is_number;
    RacePolynomial power;
    if (kind == RACE_QUOTIENT && race_divide_power(proof, &x, &y, &power)) {
        return power;
    }
    // 0 <= x < y   ==>  x / y = 0,  x % y = x
    bool small = is_number ? race_largest(proof, &x, &most) && most < by
                           : race_only_atom(&x) == proof->group && is_more(proof, &y, &x);
    if (small && race_is_at_least(proof, &x, 0)) {
        return kind == RACE_QUOTIENT ? race_number(0) : x;
    }
    if (is_number && by == 2 && kind == RACE_REST) {
        return parity(proof, &x);
    }
    if (is_number && by == 2 && half(proof, &x, &power)) {
        return power;
    }
    for (unsigned i = 0; i < x.count && exact; i++) {
        exact = x.terms[i].factor % by == 0;
    }
    if (exact && kind == RACE_REST) {
        return race_number(0);
    }
    for (unsigned i = 0; i < x.count && exact; i++) {
        x.terms[i].factor /= by;
    }
    return exact ? x : race_alone(divide(proof, &x, &y, kind));
}

/* ---- what goes together ---------------------------------------------------------------------- */

// x - y * (x / y)  =  x % y
RacePolynomial race_rest_of_quotient(RaceProof *proof, RacePolynomial p)
{
    for (unsigned i = 0; i < p.count; i++) {
        for (int k = 0; k < RACE_MOST_DEGREE && p.terms[i].atoms[k] != 0; k++) {
            const RaceAtom *atom = &proof->atoms.items[p.terms[i].atoms[k]];
            RacePolynomial q = race_alone(p.terms[i].atoms[k]), rest;
            if (atom->kind == RACE_QUOTIENT && race_multiply(&rest, &q, atom->y) &&
                race_add(&rest, atom->x, -1, &rest) && race_is_same(&rest, &p)) {
                return race_alone(race_atom_of(proof, RACE_REST, atom->x, atom->y));
            }
        }
    }
    return p;
}

// y * (x / y) + x % y  =  x
RacePolynomial race_put_together(RaceProof *proof, RacePolynomial p)
{
    for (unsigned i = 0; i < p.count; i++) {
        RacePolynomial term = race_term(p.terms[i]), factor = race_number(term.terms[0].factor);
        const RaceAtom rest = proof->atoms.items[p.terms[i].atoms[0]];
        if (p.terms[i].atoms[0] == 0 || p.terms[i].atoms[1] != 0 || rest.kind != RACE_REST) {
            continue;
        }
        RacePolynomial whole = race_alone(race_atom_of(proof, RACE_QUOTIENT, rest.x, rest.y)), left,
                       x;
        bool good = race_multiply(&whole, &whole, rest.y) &&
                    race_multiply(&whole, &whole, &factor) && race_multiply(&x, rest.x, &factor) &&
                    race_add(&left, &p, -1, &term) && race_add(&left, &left, -1, &whole);
        if (good && left.count + 1 + whole.count == p.count && race_add(&left, &left, 1, &x)) {
            return race_put_together(proof, left);
        }
    }
    return p;
}
