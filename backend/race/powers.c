/* Shifts and masks: the bits of a number as quotients and rests by powers of 2.

       lanes = 1 << k;  lane = l & (lanes - 1);  slot = l >>> k;  slots = 256 / lanes

   are, with the atom p = 2^k:  lanes = p,  lane = l % p,  slot = l / p,  and slots = 2^(8 - k), of which it is known
   that p * slots = 256, so that from l < 256 follows slot < slots. */
#include "backend/race/prove.h"

enum { MOST_SHIFT = 40, MOST_BOUND = 10 /* 2^10: work-items of a group */ };

/* 2^k; anything where k may be negative or large. */
static RacePolynomial power_of(RaceProof *proof, const RacePolynomial *k)
{
    int64_t number;
    if (race_is_number(k, &number)) {
        return number >= 0 && number < MOST_SHIFT ? race_number(INT64_C(1) << number)
                                                  : race_anything(proof);
    }
    RacePolynomial zero = race_number(0), room = race_number(MOST_SHIFT);
    if (!race_add(&room, &room, -1, k) || !race_is_at_least(proof, &room, 0) ||
        !race_is_at_least(proof, k, 0)) {
        return race_anything(proof);
    }
    RaceAtomNumber power = race_atom_of(proof, RACE_POWER, k, &zero);
    if (!proof->atoms.items[power].facts) {
        RacePolynomial p = race_alone(power);
        const RaceFact *facts = race_ordered(proof, &p, &zero, 1, NULL);
        for (int64_t c = 0; c <= MOST_BOUND; c++) { // k <= c   ==>  2^k <= 2^c
            RacePolynomial most = race_number(INT64_C(1) << c);
            room = race_number(c);
            if (race_add(&room, &room, -1, k) && race_is_at_least(proof, &room, 0)) {
                facts = race_ordered(proof, &most, &p, 0, facts);
                break;
            }
        }
        proof->atoms.items[power].facts = facts;
        proof->atoms.items[power].natural = true;
    }
    return race_alone(power);
}

/* A product of powers of 2. */
static bool is_power(const RaceProof *proof, const RacePolynomial *p)
{
    if (p->count != 1 || p->terms[0].factor <= 0 ||
        (p->terms[0].factor & (p->terms[0].factor - 1)) != 0) {
        return false;
    }
    for (int k = 0; k < RACE_MOST_DEGREE && p->terms[0].atoms[k] != 0; k++) {
        if (proof->atoms.items[p->terms[0].atoms[k]].kind != RACE_POWER) {
            return false;
        }
    }
    return true;
}

static int log_2(int64_t power)
{
    int k = 0;
    while (power > 1) {
        power >>= 1;
        k++;
    }
    return k;
}

bool race_divide_power(RaceProof *proof, const RacePolynomial *x, const RacePolynomial *y,
                       RacePolynomial *quotient)
{
    // 0 <= x < 2^k   ==>  x / 2^k  =  0
    RacePolynomial room;
    if (is_power(proof, y) && y->terms[0].atoms[0] != 0 && race_add(&room, y, -1, x) &&
        race_is_at_least(proof, &room, 1) && race_is_at_least(proof, x, 0)) {
        *quotient = race_number(0);
        return true;
    }
    // 0 <= k <= c   ==>  2^c / 2^k  =  2^(c - k),  2^k * 2^(c - k) = 2^c
    int64_t number;
    RaceAtomNumber only = race_only_atom(y);
    const RaceAtom *atom = &proof->atoms.items[only];
    if (only == 0 || atom->kind != RACE_POWER || !race_is_number(x, &number) ||
        !is_power(proof, x)) {
        return false;
    }
    RacePolynomial rest = race_number(log_2(number)), product;
    const RacePolynomial *k = atom->x;
    if (!race_add(&rest, &rest, -1, k) || !race_is_at_least(proof, &rest, 0) ||
        !race_is_at_least(proof, k, 0)) {
        return false;
    }
    *quotient = power_of(proof, &rest);
    if (race_multiply(&product, quotient, y)) {
        proof->path = race_ordered(proof, &product, x, 0, proof->path);
        proof->path = race_ordered(proof, x, &product, 0, proof->path);
    }
    return true;
}

// x < 2^c, q = x / 2^k   ==>  q < 2^(c - k)
static void bound_quotient(RaceProof *proof, const RacePolynomial *x, const RacePolynomial *k,
                           const RacePolynomial *q)
{
    int64_t most, c;
    for (size_t i = 1; race_largest(proof, x, &most) && i < proof->atoms.count; i++) {
        RacePolynomial sum, rest = race_alone((RaceAtomNumber)i);
        if (proof->atoms.items[i].kind == RACE_POWER &&
            race_add(&sum, proof->atoms.items[i].x, 1, k) && race_is_number(&sum, &c) && c >= 0 &&
            c < MOST_SHIFT && most < INT64_C(1) << c) {
            proof->path = race_ordered(proof, &rest, q, 1, proof->path);
        }
    }
}

RacePolynomial race_bits(RaceProof *proof, CoreOperator op, const RacePolynomial *x,
                         const RacePolynomial *y)
{
    RacePolynomial r, power, one = race_number(1);
    switch ((int)op) { /* x op y */
    case CORE_AND:     // x & (2^k - 1)  =  x % 2^k
        if (race_add(&power, y, 1, &one) && is_power(proof, &power)) {
            return race_quotient_or_rest(proof, RACE_REST, *x, power);
        }
        break;
    case CORE_SHL: // x << k  =  x * 2^k
        power = power_of(proof, y);
        if (is_power(proof, &power) && race_multiply(&r, x, &power)) {
            return r;
        }
        break;
    case CORE_SHR: // x >= 0   ==>  x >>> k  =  x / 2^k
    case CORE_SAR: // x >> k  =  x / 2^k
        power = power_of(proof, y);
        if (is_power(proof, &power) && (op == CORE_SAR || race_is_at_least(proof, x, 0))) {
            r = race_quotient_or_rest(proof, RACE_QUOTIENT, *x, power);
            bound_quotient(proof, x, y, &r);
            return r;
        }
        break;
    }
    return race_anything(proof);
}
