/* An equation of two numbers as equations of their digits.

       n * i + a = n * i' + a',  0 <= a, a' < n    ==>  i = i',  a = a'

       n * i - a = n * i' - a',  0 <= a, a' < n    ==>  the same, as of rows that are written backwards

   The radix may be a product, of which it is enough that one part is above the low digit and the others
   are not 0; what of a factor the radix does not go into is part of the low digit. */
#include "backend/race/question.h"

bool race_is_shared(const RaceQuestion *q, RaceAtomNumber number)
{
    RaceScope scope = q->proof->atoms.items[number].scope;
    return q->settled[number] || scope == RACE_ALL || (scope == RACE_OF_GROUP && q->one_group);
}

bool race_is_shared_term(const RaceQuestion *q, const RaceTerm *term)
{
    for (int k = 0; k < RACE_MOST_DEGREE && term->atoms[k] != 0; k++) {
        if (!race_is_shared(q, term->atoms[k])) {
            return false;
        }
    }
    return true;
}

bool race_is_shared_sum(const RaceQuestion *q, const RacePolynomial *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        if (!race_is_shared_term(q, &p->terms[i])) {
            return false;
        }
    }
    return true;
}

void race_add_equation(RaceQuestion *q, const RacePolynomial *x, const RacePolynomial *y)
{
    if (q->count < RACE_MOST_EQUATIONS) {
        q->equations[q->count++] = (RaceEquation){*x, *y, false, 0};
    }
}

/* ---- digits ---------------------------------------------------------------------------------- */

static RaceTerm shared_part(const RaceQuestion *q, const RaceTerm *term)
{
    RaceTerm part = {.factor = term->factor < 0 ? -term->factor : term->factor};
    int count = 0;
    for (int k = 0; k < RACE_MOST_DEGREE && term->atoms[k] != 0; k++) {
        if (race_is_shared(q, term->atoms[k])) {
            part.atoms[count++] = term->atoms[k];
        }
    }
    return part;
}

// 29 * t = 9 * (3 * t) + 2 * t
static bool split_term(const RaceTerm *radix, const RaceTerm *term, RacePolynomial *high,
                       RacePolynomial *low)
{
    RaceTerm unit = *radix, whole, rest = *term;
    unit.factor = 1;
    if (!race_goes_into(&unit, term, &whole)) {
        RacePolynomial one = race_term(rest);
        return race_add(low, low, 1, &one);
    }
    whole.factor = term->factor / radix->factor;
    rest.factor = term->factor % radix->factor;
    RacePolynomial above = race_term(whole), below = race_term(rest);
    return (whole.factor == 0 || race_add(high, high, 1, &above)) &&
           (rest.factor == 0 || race_add(low, low, 1, &below));
}

/* p = radix * high + low; max(radix * x + y, z) has radix * x in it, too. */
static bool split(const RaceQuestion *q, const RaceTerm *radix, const RacePolynomial *p,
                  RacePolynomial *high, RacePolynomial *low)
{
    RacePolynomial r = race_term(*radix), rest;
    high->count = low->count = 0;
    for (unsigned i = 0; i < p->count; i++) {
        if (!split_term(radix, &p->terms[i], high, low)) {
            return false;
        }
        RacePolynomial one = race_term(p->terms[i]);
        const RaceAtom *most = &q->proof->atoms.items[race_only_atom(&one)];
        if (most->kind == RACE_MOST && !race_goes_into(radix, &p->terms[i], NULL) &&
            (!split(q, radix, most->x, &one, &rest) || !race_add(high, high, 1, &one) ||
             !race_multiply(&one, &one, &r) || !race_add(low, low, -1, &one))) {
            return false;
        }
    }
    return true;
}

// low < m, n >= 1   ==>  low < m * n
static bool is_below_product(const RaceKnowledge *knowledge, const RacePolynomial *low,
                             RaceTerm product)
{
    RacePolynomial p = race_term(product), zero = {.count = 0};
    if (race_at_least(knowledge, &p, low, 1)) {
        return true;
    }
    for (int k = 0; k < RACE_MOST_DEGREE && product.atoms[k] != 0; k++) {
        RaceTerm one = {1, {product.atoms[k]}}, rest;
        RacePolynomial factor = race_term(one);
        bool again = k > 0 && product.atoms[k] == product.atoms[k - 1];
        if (!again && race_goes_into(&one, &product, &rest) &&
            race_at_least(knowledge, &factor, &zero, 1) && is_below_product(knowledge, low, rest)) {
            return true;
        }
    }
    return false;
}

bool race_is_digit(const RaceKnowledge *knowledge, const RacePolynomial *low,
                   const RacePolynomial *radix)
{
    return race_not_negative(knowledge, low) &&
           (radix->count == 1 ? is_below_product(knowledge, low, radix->terms[0])
                              : race_at_least(knowledge, radix, low, 1));
}

// p = radix * high + low,  0 <= low < radix;  n * i + n - 1 - j  as  n * i + (n - 1 - j), too
static bool split_digit(const RaceQuestion *q, const RaceKnowledge *knowledge,
                        const RaceTerm *radix, const RacePolynomial *p, RacePolynomial *high,
                        RacePolynomial *low)
{
    RacePolynomial r = race_term(*radix), one = race_number(1);
    return split(q, radix, p, high, low) &&
           (race_is_digit(knowledge, low, &r) ||
            (low->count > 0 && race_add(high, high, -1, &one) && race_add(low, low, 1, &r) &&
             race_is_digit(knowledge, low, &r)));
}

typedef struct Digits {
    RacePolynomial high, low;
} Digits;

static bool has_negative_term(const RacePolynomial *p)
{
    bool has = false;
    for (unsigned i = 0; i < p->count; i++) {
        has = has || p->terms[i].factor < 0;
    }
    return has;
}

// -radix < low <= 0
static bool is_digit_below(const RaceKnowledge *knowledge, const RaceTerm *radix,
                           const RacePolynomial *low)
{
    RacePolynomial minus, zero = {.count = 0}, r = race_term(*radix);
    return has_negative_term(low) && race_add(&minus, &zero, -1, low) &&
           race_is_digit(knowledge, &minus, &r);
}

// r * x + s = r * x' + s',  0 <= s < r,  0 <= s' < r   ==>  x = x',  s = s'
// r * x - s = r * x' - s',  the same                   ==>  x = x',  s = s':  they differ by less than r, too
static bool by_radix(RaceQuestion *q, const RaceTerm *radix, const RaceEquation *e)
{
    const RaceKnowledge *a = &q->a->knowledge, *b = &q->b->knowledge;
    Digits x, y;
    if (!split(q, radix, &e->x, &x.high, &x.low) || !split(q, radix, &e->y, &y.high, &y.low) ||
        x.high.count + y.high.count == 0 ||
        (x.low.count + y.low.count == 0 && radix->factor == 1 && radix->atoms[0] == 0)) {
        return false;
    }
    bool same = q->a == q->b && race_is_same(&e->x, &e->y);
    bool below = is_digit_below(a, radix, &x.low) && (same || is_digit_below(b, radix, &y.low));
    if (!below && (!split_digit(q, a, radix, &e->x, &x.high, &x.low) ||
                   (!same && !split_digit(q, b, radix, &e->y, &y.high, &y.low)))) {
        return false;
    }
    y = same ? x : y;
    race_add_equation(q, &x.high, &y.high);
    race_add_equation(q, &x.low, &y.low);
    return true;
}

static int factors(const RaceTerm *term)
{
    int count = 0;
    while (count < RACE_MOST_DEGREE && term->atoms[count] != 0) {
        count++;
    }
    return count;
}

/* By one of so many factors. */
static bool by_radix_of(RaceQuestion *q, const RacePolynomial *p, const RaceEquation *e, int count)
{
    for (unsigned i = 0; i < p->count; i++) {
        RaceTerm radix = shared_part(q, &p->terms[i]);
        RacePolynomial one = race_term(p->terms[i]);
        const RaceAtom *most = &q->proof->atoms.items[race_only_atom(&one)];
        if ((!race_is_shared_term(q, &p->terms[i]) && factors(&radix) == count &&
             by_radix(q, &radix, e)) ||
            (most->kind == RACE_MOST && by_radix_of(q, most->x, e, count))) {
            return true;
        }
    }
    return false;
}

// n * m * g + n * i + j:    by n * m first, as it may be known of n * i + j alone that it is below;
// n * m * g + n * i - n + j:    of n * i - n + j, though n is the same for both
bool race_by_largest_radix(RaceQuestion *q, const RaceEquation *const *forms, size_t form_count)
{
    bool found = false;
    for (int count = RACE_MOST_DEGREE; count >= 0 && !found; count--) {
        for (size_t i = 0; i < form_count && !found; i++) {
            const RaceEquation *e = forms[i];
            found = by_radix_of(q, &e->x, e, count) ||
                    (!race_is_same(&e->x, &e->y) && by_radix_of(q, &e->y, e, count));
        }
    }
    return found;
}

bool race_by_some_radix(RaceQuestion *q, const RaceEquation *e)
{
    return race_by_largest_radix(q, &e, 1);
}

// g + a * n * m = g' + n * m,  g < m, and all else shared:    by m;    4 * k + g = 4 * p + g',  g < 4:    by 4
bool race_by_shared_radix(RaceQuestion *q, const RacePolynomial *p, const RaceEquation *e)
{
    for (unsigned i = 0; i < p->count; i++) {
        const RaceTerm *term = &p->terms[i];
        if (!race_is_shared_term(q, term)) {
            continue;
        }
        RaceTerm number = {term->factor < 0 ? -term->factor : term->factor, {0}};
        if (number.factor > 1 && term->atoms[0] != 0 && by_radix(q, &number, e)) {
            return true;
        }
        for (int k = 0; k < RACE_MOST_DEGREE && term->atoms[k] != 0; k++) {
            RaceTerm radix = {1, {term->atoms[k]}};
            if (by_radix(q, &radix, e)) {
                return true;
            }
        }
    }
    return false;
}
