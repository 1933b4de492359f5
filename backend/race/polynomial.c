/* Sums of products of atoms: what index arithmetic is made of.

       (i * n + j) * 4 + 3    ==>    4*i*n + 4*j + 3

   They are plain values of a fixed size, for there are many of them and none lives long. Integers
   here do not wrap: a sum or product that has too many terms, atoms or digits is none. */
#include "backend/race/prove.h"

RacePolynomial race_term(RaceTerm term)
{
    RacePolynomial p;
    p.count = term.factor != 0;
    p.terms[0] = term;
    return p;
}

RacePolynomial race_number(int64_t value)
{
    return race_term((RaceTerm){.factor = value});
}

RacePolynomial race_alone(RaceAtomNumber atom)
{
    return race_term((RaceTerm){1, {atom}});
}

/* Only the terms that there are: most polynomials have few, and one that is kept has no room for more. */
static void copy_to(RacePolynomial *r, const RacePolynomial *p)
{
    r->count = p->count;
    memcpy(r->terms, p->terms, p->count * sizeof *p->terms);
}

RacePolynomial race_copy(const RacePolynomial *p)
{
    RacePolynomial copy;
    copy_to(&copy, p);
    return copy;
}

int race_compare_atoms(const RaceTerm *x, const RaceTerm *y)
{
    for (int i = 0; i < RACE_MOST_DEGREE; i++) {
        if (x->atoms[i] != y->atoms[i]) {
            return x->atoms[i] < y->atoms[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool append(RacePolynomial *r, RaceTerm term)
{
    if (term.factor == 0) {
        return true;
    }
    if (r->count == RACE_MOST_TERMS || term.factor == INT64_MIN) {
        return false;
    }
    r->terms[r->count++] = term;
    return true;
}

bool race_add(RacePolynomial *r, const RacePolynomial *x, int64_t factor, const RacePolynomial *y)
{
    RacePolynomial sum;
    unsigned i = 0, k = 0;
    sum.count = 0;
    while (i < x->count || k < y->count) {
        int order = i == x->count   ? -1
                    : k == y->count ? 1
                                    : race_compare_atoms(&x->terms[i], &y->terms[k]);
        RaceTerm term = order >= 0 ? x->terms[i] : y->terms[k];
        int64_t more = 0;
        if (order <= 0 && __builtin_mul_overflow(y->terms[k].factor, factor, &more)) {
            return false;
        }
        if (__builtin_add_overflow(order >= 0 ? term.factor : 0, more, &term.factor) ||
            !append(&sum, term)) {
            return false;
        }
        i += order >= 0;
        k += order <= 0;
    }
    copy_to(r, &sum);
    return true;
}

static bool multiply_terms(RaceTerm *r, const RaceTerm *x, const RaceTerm *y)
{
    int i = 0, k = 0, count = 0;
    RaceTerm product = {0};
    if (__builtin_mul_overflow(x->factor, y->factor, &product.factor)) {
        return false;
    }
    for (;;) {
        RaceAtomNumber a = i < RACE_MOST_DEGREE ? x->atoms[i] : 0,
                       b = k < RACE_MOST_DEGREE ? y->atoms[k] : 0;
        if (a == 0 && b == 0) {
            *r = product;
            return true;
        }
        if (count == RACE_MOST_DEGREE) {
            return false;
        }
        product.atoms[count++] = a >= b ? a : b;
        i += a >= b;
        k += a < b;
    }
}

// (x1 + x2 + ...) * y: a product with one term keeps the order of the terms
bool race_multiply(RacePolynomial *r, const RacePolynomial *x, const RacePolynomial *y)
{
    RacePolynomial sum, part;
    sum.count = 0;
    if (y->count < x->count) {
        const RacePolynomial *other = x;
        x = y;
        y = other;
    }
    for (unsigned i = 0; i < x->count; i++) {
        part.count = y->count;
        for (unsigned k = 0; k < y->count; k++) {
            if (!multiply_terms(&part.terms[k], &x->terms[i], &y->terms[k])) {
                return false;
            }
        }
        if (!race_add(&sum, &sum, 1, &part)) {
            return false;
        }
    }
    copy_to(r, &sum);
    return true;
}

bool race_is_same(const RacePolynomial *x, const RacePolynomial *y)
{
    for (unsigned i = 0; x->count == y->count && i < x->count; i++) {
        if (x->terms[i].factor != y->terms[i].factor ||
            race_compare_atoms(&x->terms[i], &y->terms[i]) != 0) {
            return false;
        }
    }
    return x->count == y->count;
}

bool race_is_number(const RacePolynomial *x, int64_t *value)
{
    if (x->count > 1 || (x->count == 1 && x->terms[0].atoms[0] != 0)) {
        return false;
    }
    *value = x->count == 0 ? 0 : x->terms[0].factor;
    return true;
}

RaceAtomNumber race_only_atom(const RacePolynomial *x)
{
    bool alone = x->count == 1 && x->terms[0].factor == 1 && x->terms[0].atoms[1] == 0;
    return alone ? x->terms[0].atoms[0] : 0;
}

bool race_mentions(const RaceTerm *term, RaceAtomNumber atom)
{
    for (int i = 0; i < RACE_MOST_DEGREE; i++) {
        if (term->atoms[i] == atom) {
            return true;
        }
    }
    return false;
}

bool race_goes_into(const RaceTerm *by, const RaceTerm *term, RaceTerm *rest)
{
    RaceTerm left = {0};
    int k = 0, count = 0;
    if (by->factor == 0 || term->factor % by->factor != 0) {
        return false;
    }
    left.factor = term->factor / by->factor;
    for (int i = 0; i < RACE_MOST_DEGREE && term->atoms[i] != 0; i++) {
        if (k < RACE_MOST_DEGREE && by->atoms[k] == term->atoms[i]) {
            k++;
        } else {
            left.atoms[count++] = term->atoms[i];
        }
    }
    if (k < RACE_MOST_DEGREE && by->atoms[k] != 0) {
        return false;
    }
    if (rest) {
        *rest = left;
    }
    return true;
}
