/* Two accesses to one element: what must be equal then.

       b[i * n + 4 * a + k],  0 <= 4 * a + k < n,  k < 4    by P and by Q
           n * i + (4 * a + k) = n * i' + (4 * a' + k')
       ==> i = i',  4 * a + k = 4 * a' + k'
       ==> i = i',  a = a',  k = k'

   Each side of an equation is in terms of its own work-item's atoms; those that both share are the
   same, and others become so when an equation says it: they are settled. From i = g / n and
   a = g % n it follows that g = g', by g = n * (g / n) + g % n. When the number of the work-item
   (or group) is settled, P and Q are the same; when an equation cannot be, they never meet. Either
   proves that two different ones have no element in common. */
#include "backend/race/prove.h"

enum { MOST_EQUATIONS = 40 };

typedef struct Equation {
    RacePolynomial x, y; /* of a's and of b's atoms */
    bool is_used;
    unsigned tried; /* when so many atoms were settled, without success */
} Equation;

typedef struct Question {
    RaceProof *proof;
    const RaceAccess *a, *b;
    bool one_group, is_impossible;
    RaceAtomNumber goal, class; /* class: 0, or it is enough that both agree in it */
    size_t atoms;               /* how many there are */
    unsigned settlings;         /* so far, from 1 */
    bool *settled, *given; /* by atom: the same for both; of a quotient: its equation is there */
    size_t count;
    Equation equations[MOST_EQUATIONS];
} Question;

static bool is_shared(const Question *q, RaceAtomNumber number)
{
    RaceScope scope = q->proof->atoms.items[number].scope;
    return q->settled[number] || scope == RACE_ALL || (scope == RACE_OF_GROUP && q->one_group);
}

static bool is_shared_term(const Question *q, const RaceTerm *term)
{
    for (int k = 0; k < RACE_MOST_DEGREE && term->atoms[k] != 0; k++) {
        if (!is_shared(q, term->atoms[k])) {
            return false;
        }
    }
    return true;
}

static bool is_shared_sum(const Question *q, const RacePolynomial *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        if (!is_shared_term(q, &p->terms[i])) {
            return false;
        }
    }
    return true;
}

static RacePolynomial shared_sum(const Question *q, const RacePolynomial *p)
{
    RacePolynomial shared = {.count = 0};
    for (unsigned i = 0; i < p->count; i++) {
        if (is_shared_term(q, &p->terms[i])) {
            shared.terms[shared.count++] = p->terms[i];
        }
    }
    return shared;
}

static void add_equation(Question *q, const RacePolynomial *x, const RacePolynomial *y)
{
    if (q->count < MOST_EQUATIONS) {
        q->equations[q->count++] = (Equation){*x, *y, false, 0};
    }
}

/* ---- settled atoms --------------------------------------------------------------------------- */

static void settle(Question *q, RaceAtomNumber number)
{
    q->settled[number] = true;
    q->settlings++;
    if (q->proof->atoms.items[number].kind == RACE_TICKET) { /* no other group has it */
        q->settled[q->proof->group] = true;
    }
}

/* Other atoms by their operands; x by x / y and x % y. Says whether there was anything new. */
static bool settle_more(Question *q)
{
    bool more = false;
    for (size_t i = 1; i < q->proof->atoms.count; i++) {
        const RaceAtom *atom = &q->proof->atoms.items[i];
        if (!atom->x || atom->kind == RACE_CHOICE || atom->kind == RACE_TRUTH) {
            continue;
        }
        bool by = is_shared_sum(q, atom->y), of = is_shared_sum(q, atom->x);
        if (!q->settled[i] && by && of) {
            q->settled[i] = more = true;
            q->settlings++;
        }
        // x / y = x' / y,  x % y = x' % y   ==>  x = x'
        for (size_t k = 1; atom->kind == RACE_QUOTIENT && by && !of &&
                           is_shared(q, (RaceAtomNumber)i) && k < q->proof->atoms.count;
             k++) {
            const RaceAtom *rest = &q->proof->atoms.items[k];
            if (rest->kind == RACE_REST && is_shared(q, (RaceAtomNumber)k) &&
                race_is_same(rest->x, atom->x) && race_is_same(rest->y, atom->y)) {
                RacePolynomial x = race_copy(atom->x);
                if (!q->given[i]) {
                    q->given[i] = more = true;
                    add_equation(q, &x, &x);
                }
            }
        }
    }
    return more;
}

/* ---- one equation ---------------------------------------------------------------------------- */

/* Takes away what is the same on both sides: sums that are shared, or numbers. */
static void cancel(const Question *q, RacePolynomial *x, RacePolynomial *y, bool numbers)
{
    for (unsigned i = 0; i < x->count; i++) {
        for (unsigned k = 0; k < y->count; k++) {
            RaceTerm s = x->terms[i], t = y->terms[k];
            bool constant = s.atoms[0] == 0;
            if (race_compare_atoms(&s, &t) != 0 || constant != numbers ||
                (s.factor != t.factor && !constant) || !is_shared_term(q, &s)) {
                continue;
            }
            s.factor = s.factor < t.factor ? s.factor : t.factor;
            RacePolynomial common = race_term(s), u, v;
            if (race_add(&u, x, -1, &common) && race_add(&v, y, -1, &common)) {
                *x = u;
                *y = v;
                i = (unsigned)-1;
                break;
            }
        }
    }
}

static RaceTerm shared_part(const Question *q, const RaceTerm *term)
{
    RaceTerm part = {.factor = term->factor < 0 ? -term->factor : term->factor};
    int count = 0;
    for (int k = 0; k < RACE_MOST_DEGREE && term->atoms[k] != 0; k++) {
        if (is_shared(q, term->atoms[k])) {
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
static bool split(const Question *q, const RaceTerm *radix, const RacePolynomial *p,
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

static bool is_digit(const RaceKnowledge *knowledge, const RacePolynomial *low,
                     const RacePolynomial *radix)
{
    return race_not_negative(knowledge, low) &&
           (radix->count == 1 ? is_below_product(knowledge, low, radix->terms[0])
                              : race_at_least(knowledge, radix, low, 1));
}

// p = radix * high + low,  0 <= low < radix;  n * i + n - 1 - j  as  n * i + (n - 1 - j), too
static bool split_digit(const Question *q, const RaceKnowledge *knowledge, const RaceTerm *radix,
                        const RacePolynomial *p, RacePolynomial *high, RacePolynomial *low)
{
    RacePolynomial r = race_term(*radix), one = race_number(1);
    return split(q, radix, p, high, low) &&
           (is_digit(knowledge, low, &r) ||
            (low->count > 0 && race_add(high, high, -1, &one) && race_add(low, low, 1, &r) &&
             is_digit(knowledge, low, &r)));
}

// r * x + s = r * x' + s',  0 <= s < r,  0 <= s' < r   ==>  x = x',  s = s'
static bool by_radix(Question *q, const RaceTerm *radix, const Equation *e)
{
    RacePolynomial high[2], low[2];
    if (!split(q, radix, &e->x, &high[0], &low[0]) || !split(q, radix, &e->y, &high[1], &low[1]) ||
        high[0].count + high[1].count == 0 ||
        (low[0].count + low[1].count == 0 && radix->factor == 1 && radix->atoms[0] == 0) ||
        !split_digit(q, &q->a->knowledge, radix, &e->x, &high[0], &low[0])) {
        return false;
    }
    if (q->a == q->b && race_is_same(&e->x, &e->y)) {
        high[1] = high[0];
        low[1] = low[0];
    } else if (!split_digit(q, &q->b->knowledge, radix, &e->y, &high[1], &low[1])) {
        return false;
    }
    add_equation(q, &high[0], &high[1]);
    add_equation(q, &low[0], &low[1]);
    return true;
}

static bool by_radix_of(Question *q, const RacePolynomial *p, const Equation *e)
{
    for (unsigned i = 0; i < p->count; i++) {
        RaceTerm radix = shared_part(q, &p->terms[i]);
        RacePolynomial one = race_term(p->terms[i]);
        const RaceAtom *most = &q->proof->atoms.items[race_only_atom(&one)];
        if ((!is_shared_term(q, &p->terms[i]) && by_radix(q, &radix, e)) ||
            (most->kind == RACE_MOST && by_radix_of(q, most->x, e))) {
            return true;
        }
    }
    return false;
}

static bool by_some_radix(Question *q, const Equation *e)
{
    return by_radix_of(q, &e->x, e) || (!race_is_same(&e->x, &e->y) && by_radix_of(q, &e->y, e));
}

// g + a * n * m = g' + n * m,  g < m, and all else shared:    by m
static bool by_shared_radix(Question *q, const RacePolynomial *p, const Equation *e)
{
    for (unsigned i = 0; i < p->count; i++) {
        const RaceTerm *term = &p->terms[i];
        for (int k = 0; k < RACE_MOST_DEGREE && term->atoms[k] != 0; k++) {
            RaceTerm radix = {1, {term->atoms[k]}};
            if (is_shared_term(q, term) && by_radix(q, &radix, e)) {
                return true;
            }
        }
    }
    return false;
}

/* x = each * g + min(g, more) + low, with the number g of the group */
static bool find_share(const Question *q, const RacePolynomial *x, RacePolynomial *each,
                       const RacePolynomial **more, RacePolynomial *low)
{
    RaceTerm group = {1, {q->proof->group}}, rest;
    each->count = low->count = 0;
    *more = NULL;
    for (unsigned i = 0; i < x->count; i++) {
        RacePolynomial one = race_term(x->terms[i]);
        RaceAtomNumber least = race_only_atom(&one);
        const RaceAtom *atom = &q->proof->atoms.items[least];
        bool is_least = least != 0 && !*more && atom->kind == RACE_LEAST;
        bool goes = race_goes_into(&group, &x->terms[i], &rest);
        if (is_least && race_only_atom(atom->x) == q->proof->group && is_shared_sum(q, atom->y)) {
            *more = atom->y;
            continue;
        }
        one = goes ? race_term(rest) : one;
        if ((goes && !is_shared_term(q, &rest)) ||
            !race_add(goes ? each : low, goes ? each : low, 1, &one)) {
            return false;
        }
    }
    return *more != NULL;
}

// f(g) = each * g + min(g, more),  so that f(g + 1) = f(g) + each + i64(g < more),  each >= 0:
//     f(g) + t = f(g') + t',  0 <= t < each + i64(g < more),  and so t'   ==>  g = g'
static bool by_shares(Question *q, const Equation *e)
{
    RacePolynomial each, low, own, group = race_alone(q->proof->group);
    const RacePolynomial *more;
    if (q->one_group || !race_is_same(&e->x, &e->y) || !find_share(q, &e->x, &each, &more, &low) ||
        !race_not_negative(&q->a->knowledge, &each)) {
        return false;
    }
    for (size_t i = 1; i < q->proof->atoms.count; i++) {
        RacePolynomial truth = race_alone((RaceAtomNumber)i);
        if (race_is_less(&q->proof->atoms.items[i], &group, more) &&
            race_add(&own, &each, 1, &truth) && is_digit(&q->a->knowledge, &low, &own) &&
            is_digit(&q->b->knowledge, &low, &own)) {
            settle(q, q->proof->group);
            return true;
        }
    }
    return false;
}

// x + c = x' + c, c - x = c - x'  ==>  x = x'        k * x = k * x'  by the radix k
static bool by_itself(Question *q, const Equation *e)
{
    RacePolynomial zero = {.count = 0}, minus[2];
    RaceAtomNumber x = race_only_atom(&e->x), y = race_only_atom(&e->y);
    if (race_add(&minus[0], &zero, -1, &e->x) && race_add(&minus[1], &zero, -1, &e->y)) {
        x = x != 0 ? x : race_only_atom(&minus[0]);
        y = x == race_only_atom(&e->x) ? y : race_only_atom(&minus[1]);
    }
    if (x != 0 && x == y) {
        settle(q, x);
        return true;
    }
    return false;
}

/* x <= c in the one, c < y in the other, with c shared by both */
static bool is_below(const Question *q, const RaceAccess *a, const RacePolynomial *x,
                     const RaceAccess *b, const RacePolynomial *y)
{
    RacePolynomial c;
    bool x_shared = is_shared_sum(q, x), y_shared = is_shared_sum(q, y);
    for (size_t i = 0; !x_shared && i < a->knowledge.count; i++) {
        if (race_add(&c, a->knowledge.items[i], 1, x) && is_shared_sum(q, &c) &&
            race_at_least(&b->knowledge, y, &c, 1)) {
            return true;
        }
    }
    for (size_t i = 0; !y_shared && i < b->knowledge.count; i++) { /* c + 1 <= y */
        c.count = 0;
        if (race_add(&c, y, -1, b->knowledge.items[i]) && is_shared_sum(q, &c) &&
            race_at_least(&a->knowledge, &c, x, 1)) {
            return true;
        }
    }
    c = shared_sum(q, y); /* c <= y */
    return (race_at_least(&b->knowledge, y, &c, 0) && race_at_least(&a->knowledge, &c, x, 1)) ||
           (x_shared && race_at_least(&b->knowledge, y, x, 1));
}

// x <= c < x'   ==>  never x = x'
static bool is_impossible(const Question *q, const Equation *e)
{
    int64_t x, y;
    if (race_is_number(&e->x, &x) && race_is_number(&e->y, &y)) {
        return x != y;
    }
    return is_below(q, q->a, &e->x, q->b, &e->y) || is_below(q, q->b, &e->y, q->a, &e->x);
}

static RaceAtomNumber rest_beside(const RaceProof *proof, const RaceAtom *quotient)
{
    for (size_t r = 1; r < proof->atoms.count; r++) {
        const RaceAtom *rest = &proof->atoms.items[r];
        if (rest->kind == RACE_REST && race_is_same(rest->x, quotient->x) &&
            race_is_same(rest->y, quotient->y)) {
            return (RaceAtomNumber)r;
        }
    }
    return 0;
}

/* p has x as a factor of a term, and the quotient is x / y:  x  ==>  y * (x / y) + x % y there. */
static bool take_apart(const Question *q, RacePolynomial *p, RaceAtomNumber quotient)
{
    const RaceAtom *atom = &q->proof->atoms.items[quotient];
    RaceTerm alone = {1, {race_only_atom(atom->x)}}, rest;
    RaceAtomNumber remainder = alone.atoms[0] != 0 ? rest_beside(q->proof, atom) : 0;
    for (unsigned k = 0; remainder != 0 && k < p->count; k++) {
        if (race_goes_into(&alone, &p->terms[k], &rest)) {
            RacePolynomial value = race_alone(quotient), old = race_term(p->terms[k]),
                           factor = race_term(rest), low = race_alone(remainder), sum;
            return race_multiply(&value, &value, atom->y) && race_add(&value, &value, 1, &low) &&
                   race_multiply(&value, &value, &factor) && race_add(&sum, p, -1, &old) &&
                   race_add(p, &sum, 1, &value);
        }
    }
    return false;
}

/* x  ==>  y * (x / y) + x % y, where the equation has x / y, too (padding, l + l / 32) */
static bool expand(const Question *q, RacePolynomial *p, const RacePolynomial *quotients)
{
    for (unsigned i = 0; i < quotients->count; i++) {
        for (int k = 0; k < RACE_MOST_DEGREE && quotients->terms[i].atoms[k] != 0; k++) {
            RaceAtomNumber number = quotients->terms[i].atoms[k];
            if (q->proof->atoms.items[number].kind == RACE_QUOTIENT && take_apart(q, p, number)) {
                return true;
            }
        }
    }
    return false;
}

/* The same where x % y is the same for both (`if (l & mask) == 0`) */
static bool expand_known(const Question *q, RacePolynomial *p)
{
    for (size_t i = 1; i < q->atoms; i++) {
        const RaceAtom *atom = &q->proof->atoms.items[i];
        RaceAtomNumber rest = atom->kind == RACE_QUOTIENT ? rest_beside(q->proof, atom) : 0;
        if (rest != 0 && is_shared(q, rest) && is_shared_sum(q, atom->y) &&
            take_apart(q, p, (RaceAtomNumber)i)) {
            return true;
        }
    }
    return false;
}

/* Some way to take both sides apart, and then by a radix. */
static bool by_parts(Question *q, const Equation *e)
{
    for (int way = 0; way < 3; way++) {
        Equation wide = *e;
        bool x = way == 0   ? expand(q, &wide.x, &e->x)
                 : way == 1 ? expand(q, &wide.x, &e->y)
                            : expand_known(q, &wide.x);
        bool y = way == 0   ? expand(q, &wide.y, &e->y)
                 : way == 1 ? expand(q, &wide.y, &e->x)
                            : expand_known(q, &wide.y);
        const RaceAccess *a = q->a, *b = q->b;
        RaceAccess wide_a = *a, wide_b = *b;
        if (x || y) { /* quotients and rests are new in it */
            wide_a.knowledge = race_knowledge(q->proof, a->facts, &wide.x, NULL);
            wide_b.knowledge = race_knowledge(q->proof, b->facts, &wide.y, NULL);
            q->a = &wide_a;
            q->b = a == b ? q->a : &wide_b;
            bool solved = by_some_radix(q, &wide);
            q->a = a;
            q->b = b;
            if (solved) {
                return true;
            }
        }
    }
    return false;
}

/* A factor of the equation's that both share, and that is 0 or 1: x % 2, or i64(c). */
static RaceAtomNumber find_bit(const Question *q, const Equation *e)
{
    int64_t by;
    const RacePolynomial *sides[] = {&e->x, &e->y};
    for (unsigned side = 0; side < 2; side++) {
        for (unsigned i = 0; i < sides[side]->count; i++) {
            for (int k = 0; k < RACE_MOST_DEGREE && sides[side]->terms[i].atoms[k] != 0; k++) {
                RaceAtomNumber number = sides[side]->terms[i].atoms[k];
                const RaceAtom *atom = &q->proof->atoms.items[number];
                bool is_parity = atom->kind == RACE_REST && race_is_number(atom->y, &by) && by == 2;
                if ((is_parity || atom->kind == RACE_TRUTH) && is_shared(q, number)) {
                    return number;
                }
            }
        }
    }
    return 0;
}

/* p with the atom a number */
static bool put_number(RacePolynomial *p, RaceAtomNumber atom, int64_t value)
{
    RacePolynomial sum = {.count = 0};
    for (unsigned i = 0; i < p->count; i++) {
        RaceTerm alone = {1, {atom}}, rest;
        bool goes = race_goes_into(&alone, &p->terms[i], &rest);
        RacePolynomial one = race_term(goes ? rest : p->terms[i]);
        if (!race_add(&sum, &sum, goes ? value : 1, &one)) {
            return false;
        }
    }
    *p = sum;
    return true;
}

// 256 * (k % 2) + l = 256 * (1 - k % 2) + l',  0 <= l, l' < 256:    neither with 0 nor with 1 for k % 2
static bool by_cases(const Question *q, const Equation *e)
{
    RaceAtomNumber bit = find_bit(q, e);
    for (int64_t value = 0; bit != 0 && value < 2; value++) {
        Equation one = *e;
        if (!put_number(&one.x, bit, value) || !put_number(&one.y, bit, value)) {
            return false;
        }
        cancel(q, &one.x, &one.y, true);
        if (!is_impossible(q, &one)) {
            return false;
        }
    }
    return bit != 0;
}

static const RaceAtom *find_most(const Question *q, const Equation *e)
{
    const RacePolynomial *sides[] = {&e->x, &e->y};
    for (unsigned side = 0; side < 2; side++) {
        for (unsigned i = 0; i < sides[side]->count; i++) {
            RacePolynomial one = race_term(sides[side]->terms[i]);
            const RaceAtom *atom = &q->proof->atoms.items[race_only_atom(&one)];
            if (atom->kind == RACE_MOST) {
                return atom;
            }
        }
    }
    return NULL;
}

static bool add_negative(const Question *q, RacePolynomial *shift, const RacePolynomial *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        RacePolynomial one = race_term(p->terms[i]);
        if (p->terms[i].factor < 0 && is_shared_sum(q, &one) && !race_add(shift, shift, -1, &one)) {
            return false;
        }
    }
    return true;
}

// 4 * g - s = 4 * g' + k,   max(4 * g - s, 0) + k = max(4 * g' - s, 0) + k',  s shared:  s added to both sides
static bool move_shift(const Question *q, Equation *e)
{
    RacePolynomial shift = {.count = 0};
    const RaceAtom *most = find_most(q, e);
    bool good = most ? add_negative(q, &shift, most->x)
                     : add_negative(q, &shift, &e->x) && add_negative(q, &shift, &e->y);
    return good && shift.count > 0 && race_add(&e->x, &e->x, 1, &shift) &&
           race_add(&e->y, &e->y, 1, &shift);
}

static bool is_all_negative(const RacePolynomial *p)
{
    bool negative = p->count > 0;
    for (unsigned i = 0; i < p->count; i++) {
        negative = negative && p->terms[i].factor < 0;
    }
    return negative;
}

// -11 * i - 2 * j = -11 * i' - 2 * j'   ==>   11 * i + 2 * j = 11 * i' + 2 * j'
static bool by_negation(Question *q, const Equation *e)
{
    Equation other = *e;
    RacePolynomial zero = {.count = 0};
    return is_all_negative(&e->x) && is_all_negative(&e->y) &&
           race_add(&other.x, &zero, -1, &e->x) && race_add(&other.y, &zero, -1, &e->y) &&
           by_some_radix(q, &other);
}

/* A shared sum that the atom is at most: from bound - a >= 0. */
static bool find_bound(const Question *q, const RaceKnowledge *knowledge, RaceAtomNumber a,
                       RacePolynomial *bound)
{
    RacePolynomial alone = race_alone(a);
    for (size_t i = 0; i < knowledge->count; i++) {
        if (race_add(bound, knowledge->items[i], 1, &alone) && is_shared_sum(q, bound)) {
            return true;
        }
    }
    return false;
}

// n * i - j = n * i' - j',  j, j' <= m:    n * i + (m - j) = n * i' + (m - j')
static bool by_complement(Question *q, const Equation *e)
{
    Equation other = *e;
    RacePolynomial bound;
    bool shifted = false;
    for (unsigned i = 0; i < e->x.count; i++) {
        RaceTerm term = e->x.terms[i];
        const int64_t factor = -term.factor;
        term.factor = 1;
        RacePolynomial one = race_term(term);
        RaceAtomNumber atom = race_only_atom(&one);
        if (factor > 0 && atom != 0 && !is_shared(q, atom)) {
            if (!find_bound(q, &q->a->knowledge, atom, &bound) ||
                !race_add(&other.x, &other.x, factor, &bound) ||
                !race_add(&other.y, &other.y, factor, &bound)) {
                return false;
            }
            shifted = true;
        }
    }
    return shifted && by_some_radix(q, &other);
}

static bool solve_one(Question *q, Equation *e)
{
    cancel(q, &e->x, &e->y, false);
    Equation bare = *e;
    cancel(q, &bare.x, &bare.y, true);
    if (bare.x.count + bare.y.count == 0 || by_itself(q, &bare) || by_some_radix(q, e) ||
        by_some_radix(q, &bare) || by_shared_radix(q, &bare.x, &bare) || by_negation(q, &bare) ||
        by_complement(q, &bare) || by_shares(q, &bare)) {
        return true;
    }
    Equation moved = bare;
    if (by_parts(q, &bare) || (move_shift(q, &moved) && by_some_radix(q, &moved))) {
        return true;
    }
    q->is_impossible = is_impossible(q, &bare) || by_cases(q, &bare);
    return q->is_impossible;
}

/* ---- what is known besides ------------------------------------------------------------------- */

/* Whether it is known there that the fact is 0, and not only that it is not negative. */
static bool is_zero(const RaceKnowledge *knowledge, const RacePolynomial *fact)
{
    RacePolynomial minus = {.count = 0};
    bool found = false;
    if (race_add(&minus, &minus, -1, fact)) {
        for (size_t i = 0; i < knowledge->here && !found; i++) {
            found = race_is_same(knowledge->items[i], &minus);
        }
    }
    return found;
}

// x = c and x' = c, as by `if l == 0`, `if i == n - 1`   ==>  x = x'
static void add_equalities(Question *q)
{
    const RaceKnowledge *a = &q->a->knowledge, *b = &q->b->knowledge;
    for (size_t i = 0; i < a->here; i++) {
        for (size_t k = 0; is_zero(a, a->items[i]) && k < b->here; k++) {
            RacePolynomial c = shared_sum(q, a->items[i]), d = shared_sum(q, b->items[k]),
                           x = {.count = 0}, y = x;
            if (race_is_same(&c, &d) && c.count < a->items[i]->count && is_zero(b, b->items[k]) &&
                race_add(&x, a->items[i], -1, &c) && race_add(&y, b->items[k], -1, &d)) {
                add_equation(q, &x, &y);
            }
        }
    }
}

// x >= c,  x <= c,  x' >= c,  x' <= c, as by `if l < 1`   ==>  x = x'
static bool has_only_number(Question *q, RaceAtomNumber atom)
{
    RacePolynomial x = race_alone(atom), c = race_number(0);
    const RaceKnowledge *a = &q->a->knowledge, *b = &q->b->knowledge;
    for (size_t i = 0; i <= a->here; i++) {
        if (is_shared_sum(q, &c) && race_at_least(a, &c, &x, 0) && race_at_least(a, &x, &c, 0) &&
            race_at_least(b, &x, &c, 0) && race_at_least(b, &c, &x, 0)) {
            return true;
        }
        if (i < a->here && !race_add(&c, a->items[i], 1, &x)) {
            c = x;
        }
    }
    return false;
}

static void settle_only_numbers(Question *q)
{
    for (size_t e = 0; e < q->count; e++) {
        const RacePolynomial *x = &q->equations[e].x;
        for (unsigned i = 0; i < x->count; i++) {
            for (int k = 0; k < RACE_MOST_DEGREE && x->terms[i].atoms[k] != 0; k++) {
                RaceAtomNumber atom = x->terms[i].atoms[k];
                if (!is_shared(q, atom) && has_only_number(q, atom)) {
                    settle(q, atom);
                }
            }
        }
    }
}

static bool is_answered(const Question *q)
{
    return q->is_impossible || q->settled[q->goal] || (q->class != 0 && q->settled[q->class]);
}

static void solve(Question *q)
{
    bool more = true;
    while (more && !is_answered(q)) {
        more = false;
        for (size_t i = 0; i < q->count && !is_answered(q); i++) {
            Equation *equation = &q->equations[i];
            if (!equation->is_used && equation->tried != q->settlings) {
                equation->tried = q->settlings;
                equation->is_used = solve_one(q, equation);
                more = more || equation->is_used;
            }
        }
        more = settle_more(q) || more;
    }
}

bool race_are_apart(RaceProof *proof, const RaceAccess *a, const RaceAccess *b, bool one_group,
                    RaceAtomNumber class, bool resolved)
{
    Question question, *q = &question;
    q->proof = proof;
    q->a = a;
    q->b = b;
    q->one_group = one_group;
    q->is_impossible = false;
    q->goal = one_group ? proof->item : proof->group;
    q->class = class;
    q->count = 0;
    q->settlings = 1;
    q->atoms = proof->atoms.count;
    q->settled = ARENA_ARRAY(proof->arena, bool, 2 * proof->atoms.count);
    q->given = q->settled + proof->atoms.count;
    add_equation(q, resolved ? &a->resolved : &a->index, resolved ? &b->resolved : &b->index);
    for (int round = 0; round < 3 && !is_answered(q); round++) {
        if (round == 1) {
            add_equalities(q);
            if (has_only_number(q, q->goal)) {
                settle(q, q->goal);
            }
        } else if (round == 2) {
            settle_only_numbers(q);
        }
        solve(q);
    }
    return is_answered(q);
}
