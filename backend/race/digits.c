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
#include "backend/race/question.h"

static RacePolynomial shared_sum(const RaceQuestion *q, const RacePolynomial *p)
{
    RacePolynomial shared = {.count = 0};
    for (unsigned i = 0; i < p->count; i++) {
        if (race_is_shared_term(q, &p->terms[i])) {
            shared.terms[shared.count++] = p->terms[i];
        }
    }
    return shared;
}

/* ---- settled atoms --------------------------------------------------------------------------- */

static void settle(RaceQuestion *q, RaceAtomNumber number)
{
    q->settled[number] = true;
    q->settlings++;
    RaceAtomKind kind = q->proof->atoms.items[number].kind;
    if (kind == RACE_TICKET || kind == RACE_ROW) { /* no other group has it */
        q->settled[q->proof->group] = true;
    }
}

/* Other atoms by their operands; x by x / y and x % y. Says whether there was anything new. */
static bool settle_more(RaceQuestion *q)
{
    bool more = false;
    for (size_t i = 1; i < q->proof->atoms.count; i++) {
        const RaceAtom *atom = &q->proof->atoms.items[i];
        if (!atom->x || atom->kind == RACE_CHOICE || atom->kind == RACE_TRUTH ||
            atom->kind == RACE_ROW) {
            continue;
        }
        bool by = race_is_shared_sum(q, atom->y), of = race_is_shared_sum(q, atom->x);
        if (!q->settled[i] && by && of) {
            q->settled[i] = more = true;
            q->settlings++;
        }
        // x, turned within y, is the same   ==>  x = x'
        if (atom->kind == RACE_TURNED && !of && !q->given[i] &&
            race_is_shared(q, (RaceAtomNumber)i)) {
            RacePolynomial x = race_copy(atom->x);
            q->given[i] = more = true;
            race_add_equation(q, &x, &x);
        }
        // x / y = x' / y,  x % y = x' % y   ==>  x = x'
        for (size_t k = 1; atom->kind == RACE_QUOTIENT && by && !of &&
                           race_is_shared(q, (RaceAtomNumber)i) && k < q->proof->atoms.count;
             k++) {
            const RaceAtom *rest = &q->proof->atoms.items[k];
            if (rest->kind == RACE_REST && race_is_shared(q, (RaceAtomNumber)k) &&
                race_is_same(rest->x, atom->x) && race_is_same(rest->y, atom->y)) {
                RacePolynomial x = race_copy(atom->x);
                if (!q->given[i]) {
                    q->given[i] = more = true;
                    race_add_equation(q, &x, &x);
                }
            }
        }
    }
    return more;
}

/* ---- one equation ---------------------------------------------------------------------------- */

/* Takes away what is the same on both sides: sums that are shared, or numbers. */
static void cancel(const RaceQuestion *q, RacePolynomial *x, RacePolynomial *y, bool numbers)
{
    for (unsigned i = 0; i < x->count; i++) {
        for (unsigned k = 0; k < y->count; k++) {
            RaceTerm s = x->terms[i], t = y->terms[k];
            bool constant = s.atoms[0] == 0;
            if (race_compare_atoms(&s, &t) != 0 || constant != numbers ||
                (s.factor != t.factor && !constant) || !race_is_shared_term(q, &s)) {
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

/* Two that are turned by the same, within the same: they are the same where what is turned is. */
static bool are_turned_alike(RaceQuestion *q, RaceAtomNumber x, RaceAtomNumber y)
{
    const RaceAtom *a = &q->proof->atoms.items[x], *b = &q->proof->atoms.items[y];
    bool alike = a->kind == RACE_TURNED && b->kind == RACE_TURNED && race_is_same(a->y, b->y) &&
                 race_is_same(a->by, b->by);
    if (alike) {
        RacePolynomial here = race_copy(a->x), there = race_copy(b->x);
        race_add_equation(q, &here, &there);
    }
    return alike;
}

/* Rows of two loops that are shared out alike: they are one group's where they are the same. */
static bool are_shared_alike(const RaceQuestion *q, RaceAtomNumber x, RaceAtomNumber y)
{
    const RaceAtom *a = &q->proof->atoms.items[x], *b = &q->proof->atoms.items[y];
    return a->kind == RACE_ROW && b->kind == RACE_ROW && race_is_same(a->x, b->x) &&
           race_is_same(a->y, b->y);
}

// x + c = x' + c, c - x = c - x'  ==>  x = x'        k * x = k * x'  by the radix k
static bool by_itself(RaceQuestion *q, const RaceEquation *e)
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
    if (are_shared_alike(q, x, y)) {
        settle(q, q->proof->group);
        return true;
    }
    return are_turned_alike(q, x, y);
}

/* x <= c in the one, c < y in the other, with c shared by both */
static bool is_below(const RaceQuestion *q, const RaceAccess *a, const RacePolynomial *x,
                     const RaceAccess *b, const RacePolynomial *y)
{
    RacePolynomial c;
    bool x_shared = race_is_shared_sum(q, x), y_shared = race_is_shared_sum(q, y);
    for (size_t i = 0; !x_shared && i < a->knowledge.count; i++) {
        if (race_add(&c, a->knowledge.items[i], 1, x) && race_is_shared_sum(q, &c) &&
            race_at_least(&b->knowledge, y, &c, 1)) {
            return true;
        }
    }
    for (size_t i = 0; !y_shared && i < b->knowledge.count; i++) { /* c + 1 <= y */
        c.count = 0;
        if (race_add(&c, y, -1, b->knowledge.items[i]) && race_is_shared_sum(q, &c) &&
            race_at_least(&a->knowledge, &c, x, 1)) {
            return true;
        }
    }
    c = shared_sum(q, y); /* c <= y */
    return (race_at_least(&b->knowledge, y, &c, 0) && race_at_least(&a->knowledge, &c, x, 1)) ||
           (x_shared && race_at_least(&b->knowledge, y, x, 1));
}

// x <= c < x'   ==>  never x = x'
static bool is_impossible(const RaceQuestion *q, const RaceEquation *e)
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
static bool take_apart(const RaceQuestion *q, RacePolynomial *p, RaceAtomNumber quotient)
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
static bool expand(const RaceQuestion *q, RacePolynomial *p, const RacePolynomial *quotients)
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
static bool expand_known(const RaceQuestion *q, RacePolynomial *p)
{
    for (size_t i = 1; i < q->atoms; i++) {
        const RaceAtom *atom = &q->proof->atoms.items[i];
        RaceAtomNumber rest = atom->kind == RACE_QUOTIENT ? rest_beside(q->proof, atom) : 0;
        if (rest != 0 && race_is_shared(q, rest) && race_is_shared_sum(q, atom->y) &&
            take_apart(q, p, (RaceAtomNumber)i)) {
            return true;
        }
    }
    return false;
}

/* Some way to take both sides apart, and then by a radix. */
static bool by_parts(RaceQuestion *q, const RaceEquation *e)
{
    for (int way = 0; way < 3; way++) {
        RaceEquation wide = *e;
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
            bool solved = race_by_some_radix(q, &wide);
            q->a = a;
            q->b = b;
            if (solved) {
                return true;
            }
        }
    }
    return false;
}

/* x % 2, i64(c), or what is known to be 0 or 1 */
static bool is_bit(const RaceQuestion *q, RaceAtomNumber number)
{
    int64_t by;
    const RaceAtom *atom = &q->proof->atoms.items[number];
    RacePolynomial x = race_alone(number), zero = race_number(0), one = race_number(1);
    return (atom->kind == RACE_REST && race_is_number(atom->y, &by) && by == 2) ||
           atom->kind == RACE_TRUTH ||
           (atom->kind == RACE_PLAIN && race_at_least(&q->a->knowledge, &one, &x, 0) &&
            race_at_least(&q->a->knowledge, &x, &zero, 0));
}

/* A factor of the equation's that both share, and that is 0 or 1. */
static RaceAtomNumber find_bit(const RaceQuestion *q, const RaceEquation *e)
{
    const RacePolynomial *sides[] = {&e->x, &e->y};
    for (unsigned side = 0; side < 2; side++) {
        for (unsigned i = 0; i < sides[side]->count; i++) {
            for (int k = 0; k < RACE_MOST_DEGREE && sides[side]->terms[i].atoms[k] != 0; k++) {
                RaceAtomNumber number = sides[side]->terms[i].atoms[k];
                if (race_is_shared(q, number) && is_bit(q, number)) {
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
static bool by_cases(const RaceQuestion *q, const RaceEquation *e)
{
    RaceAtomNumber bit = find_bit(q, e);
    for (int64_t value = 0; bit != 0 && value < 2; value++) {
        RaceEquation one = *e;
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

static const RaceAtom *find_most(const RaceQuestion *q, const RaceEquation *e)
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

static bool add_negative(const RaceQuestion *q, RacePolynomial *shift, const RacePolynomial *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        RacePolynomial one = race_term(p->terms[i]);
        if (p->terms[i].factor < 0 && race_is_shared_sum(q, &one) &&
            !race_add(shift, shift, -1, &one)) {
            return false;
        }
    }
    return true;
}

// 4 * g - s = 4 * g' + k,   max(4 * g - s, 0) + k = max(4 * g' - s, 0) + k',  s shared:  s added to both sides
static bool move_shift(const RaceQuestion *q, RaceEquation *e)
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
static bool by_negation(RaceQuestion *q, const RaceEquation *e)
{
    RaceEquation other = *e;
    RacePolynomial zero = {.count = 0};
    return is_all_negative(&e->x) && is_all_negative(&e->y) &&
           race_add(&other.x, &zero, -1, &e->x) && race_add(&other.y, &zero, -1, &e->y) &&
           race_by_some_radix(q, &other);
}

/* A shared sum that the atom is at most: from bound - a >= 0. */
static bool find_bound(const RaceQuestion *q, const RaceKnowledge *knowledge, RaceAtomNumber a,
                       RacePolynomial *bound)
{
    RacePolynomial alone = race_alone(a);
    for (size_t i = 0; i < knowledge->count; i++) {
        if (race_add(bound, knowledge->items[i], 1, &alone) && race_is_shared_sum(q, bound)) {
            return true;
        }
    }
    return false;
}

// n * i - j = n * i' - j',  j, j' <= m:    n * i + (m - j) = n * i' + (m - j')
static bool by_complement(RaceQuestion *q, const RaceEquation *e)
{
    RaceEquation other = *e;
    RacePolynomial bound;
    bool shifted = false;
    for (unsigned i = 0; i < e->x.count; i++) {
        RaceTerm term = e->x.terms[i];
        const int64_t factor = -term.factor;
        term.factor = 1;
        RacePolynomial one = race_term(term);
        RaceAtomNumber atom = race_only_atom(&one);
        if (factor > 0 && atom != 0 && !race_is_shared(q, atom)) {
            if (!find_bound(q, &q->a->knowledge, atom, &bound) ||
                !race_add(&other.x, &other.x, factor, &bound) ||
                !race_add(&other.y, &other.y, factor, &bound)) {
                return false;
            }
            shifted = true;
        }
    }
    return shifted && race_by_some_radix(q, &other);
}

static bool is_nothing(const RaceKnowledge *knowledge, RaceTerm term)
{
    term.factor = 1;
    RacePolynomial p = race_term(term), zero = {.count = 0};
    return term.atoms[0] != 0 && race_not_negative(knowledge, &p) &&
           race_at_least(knowledge, &zero, &p, 0);
}

/* Without terms that are known to be 0; says whether there were any. */
static bool leave_out(const RaceKnowledge *knowledge, RacePolynomial *p)
{
    unsigned count = 0, before = p->count;
    for (unsigned i = 0; i < before; i++) {
        if (!is_nothing(knowledge, p->terms[i])) {
            p->terms[count++] = p->terms[i];
        }
    }
    p->count = count;
    return count < before;
}

// g = g' + 3 * t,  t <= (325 - l) / 256 - 1:    g = g'
static bool by_nothing(RaceQuestion *q, const RaceEquation *e)
{
    RaceEquation other = *e;
    bool x = leave_out(&q->a->knowledge, &other.x), y = leave_out(&q->b->knowledge, &other.y);
    return (x || y) && (by_itself(q, &other) || race_by_some_radix(q, &other));
}

/* p = shared * own, where all terms have the same part that is not shared */
static bool find_factor(const RaceQuestion *q, const RacePolynomial *p, RacePolynomial *shared,
                        RacePolynomial *own)
{
    RaceTerm first = {1, {0}};
    shared->count = 0;
    for (unsigned i = 0; i < p->count; i++) {
        RaceTerm known = {p->terms[i].factor, {0}}, rest = {1, {0}};
        int known_count = 0, rest_count = 0;
        for (int k = 0; k < RACE_MOST_DEGREE && p->terms[i].atoms[k] != 0; k++) {
            if (race_is_shared(q, p->terms[i].atoms[k])) {
                known.atoms[known_count++] = p->terms[i].atoms[k];
            } else {
                rest.atoms[rest_count++] = p->terms[i].atoms[k];
            }
        }
        RacePolynomial one = race_term(known);
        if (rest_count == 0 || (i > 0 && race_compare_atoms(&rest, &first) != 0) ||
            !race_add(shared, shared, 1, &one)) {
            return false;
        }
        first = rest;
    }
    *own = race_term(first);
    return p->count > 1;
}

// g * n + g = g' * n + g',  n + 1 >= 1   ==>  g = g'
static bool by_factor(RaceQuestion *q, const RaceEquation *e)
{
    RacePolynomial x, y, own, other, zero = {.count = 0};
    if (!find_factor(q, &e->x, &x, &own) || !find_factor(q, &e->y, &y, &other) ||
        !race_is_same(&x, &y) || !race_at_least(&q->a->knowledge, &x, &zero, 1)) {
        return false;
    }
    race_add_equation(q, &own, &other);
    return true;
}

/* Whether the equations have that the rests of these are the same. */
static bool has_rests(const RaceQuestion *q, RaceAtomNumber x, RaceAtomNumber y)
{
    bool has = false;
    for (size_t i = 0; i < q->count && !has && x != 0 && y != 0; i++) {
        RaceEquation e = q->equations[i];
        cancel(q, &e.x, &e.y, true);
        has = race_only_atom(&e.x) == x && race_only_atom(&e.y) == y;
    }
    return has;
}

// x / k = y / k,  x % k = y % k   ==>  x = y
static bool by_rests(RaceQuestion *q, const RaceEquation *e)
{
    RaceAtomNumber x = race_only_atom(&e->x), y = race_only_atom(&e->y);
    const RaceAtom *a = &q->proof->atoms.items[x], *b = &q->proof->atoms.items[y];
    if (x == 0 || y == 0 || a->kind != RACE_QUOTIENT || b->kind != RACE_QUOTIENT ||
        !race_is_same(a->y, b->y) || !race_is_shared_sum(q, a->y) ||
        !has_rests(q, rest_beside(q->proof, a), rest_beside(q->proof, b))) {
        return false;
    }
    RacePolynomial here = race_copy(a->x), there = race_copy(b->x);
    race_add_equation(q, &here, &there);
    return true;
}

static bool solve_one(RaceQuestion *q, RaceEquation *e)
{
    RaceEquation whole = *e;
    cancel(q, &e->x, &e->y, false);
    RaceEquation bare = *e;
    cancel(q, &bare.x, &bare.y, true);
    if (bare.x.count + bare.y.count == 0 || by_itself(q, &bare) || by_rests(q, &bare) ||
        by_factor(q, &bare) ||
        race_by_largest_radix(q, (const RaceEquation *[]){e, &bare, &whole}, 3) ||
        race_by_shared_radix(q, &bare.x, &bare) || race_by_shared_radix(q, &bare.y, &bare) ||
        by_negation(q, &bare) || by_complement(q, &bare) || by_nothing(q, &bare)) {
        return true;
    }
    RaceEquation moved = bare;
    if (by_parts(q, &bare) || (move_shift(q, &moved) && race_by_some_radix(q, &moved))) {
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
static void add_equalities(RaceQuestion *q)
{
    const RaceKnowledge *a = &q->a->knowledge, *b = &q->b->knowledge;
    for (size_t i = 0; i < a->here; i++) {
        for (size_t k = 0; is_zero(a, a->items[i]) && k < b->here; k++) {
            RacePolynomial c = shared_sum(q, a->items[i]), d = shared_sum(q, b->items[k]),
                           x = {.count = 0}, y = x;
            if (race_is_same(&c, &d) && c.count < a->items[i]->count && is_zero(b, b->items[k]) &&
                race_add(&x, a->items[i], -1, &c) && race_add(&y, b->items[k], -1, &d)) {
                race_add_equation(q, &x, &y);
            }
        }
    }
}

// x >= c,  x <= c,  x' >= c,  x' <= c, as by `if l < 1`   ==>  x = x'
static bool has_only_number(RaceQuestion *q, RaceAtomNumber atom)
{
    RacePolynomial x = race_alone(atom), c = race_number(0);
    const RaceKnowledge *a = &q->a->knowledge, *b = &q->b->knowledge;
    for (size_t i = 0; i <= a->here; i++) {
        if (race_is_shared_sum(q, &c) && race_at_least(a, &c, &x, 0) &&
            race_at_least(a, &x, &c, 0) && race_at_least(b, &x, &c, 0) &&
            race_at_least(b, &c, &x, 0)) {
            return true;
        }
        if (i < a->here && !race_add(&c, a->items[i], 1, &x)) {
            c = x;
        }
    }
    return false;
}

static void settle_only_numbers(RaceQuestion *q)
{
    for (size_t e = 0; e < q->count; e++) {
        const RacePolynomial *x = &q->equations[e].x;
        for (unsigned i = 0; i < x->count; i++) {
            for (int k = 0; k < RACE_MOST_DEGREE && x->terms[i].atoms[k] != 0; k++) {
                RaceAtomNumber atom = x->terms[i].atoms[k];
                if (!race_is_shared(q, atom) && has_only_number(q, atom)) {
                    settle(q, atom);
                }
            }
        }
    }
}

static bool is_answered(const RaceQuestion *q)
{
    return q->is_impossible || q->settled[q->goal] || (q->class != 0 && q->settled[q->class]);
}

static void solve(RaceQuestion *q)
{
    bool more = true;
    while (more && !is_answered(q)) {
        more = false;
        for (size_t i = 0; i < q->count && !is_answered(q); i++) {
            RaceEquation *equation = &q->equations[i];
            if (!equation->is_used && equation->tried != q->settlings) {
                equation->tried = q->settlings;
                equation->is_used = solve_one(q, equation);
                more = more || equation->is_used;
            }
        }
        more = settle_more(q) || more;
    }
}

/* atom - x, where that is 0 by what is known: how a variable was defined. */
static const RacePolynomial *definition_of(const RaceKnowledge *knowledge, RaceAtomNumber atom)
{
    RaceTerm alone = {1, {atom}};
    for (size_t i = 0; i < knowledge->count; i++) {
        const RacePolynomial *fact = knowledge->items[i];
        RacePolynomial minus = {.count = 0};
        bool defines = false;
        for (unsigned k = 0; k < fact->count; k++) {
            bool is_atom = race_compare_atoms(&fact->terms[k], &alone) == 0;
            defines = defines || (is_atom && fact->terms[k].factor == 1);
        }
        if (!defines || !race_add(&minus, &minus, -1, fact)) {
            continue;
        }
        for (size_t k = 0; k < knowledge->count; k++) {
            if (race_is_same(knowledge->items[k], &minus)) {
                return fact;
            }
        }
    }
    return NULL;
}

/* start + i  ==>  n * k + k + i, where start was defined as n * k + k, the same for all; says whether there was any such */
static bool put_definitions(const RaceQuestion *q, const RaceKnowledge *knowledge,
                            RacePolynomial *p)
{
    bool any = false;
    const RacePolynomial was = *p;
    for (unsigned i = 0; i < was.count; i++) {
        RacePolynomial one = race_term(was.terms[i]);
        RaceTerm bare = was.terms[i];
        bare.factor = 1;
        RacePolynomial alone = race_term(bare);
        RaceAtomNumber atom = race_only_atom(&alone);
        const RacePolynomial *definition = atom != 0 && race_is_shared_sum(q, &one) &&
                                                   q->proof->atoms.items[atom].kind == RACE_PLAIN
                                               ? definition_of(knowledge, atom)
                                               : NULL;
        any = (definition != NULL && race_add(p, p, -was.terms[i].factor, definition)) || any;
    }
    return any;
}

/* Equations of which something else followed may be impossible all the same. */
static bool has_impossible(const RaceQuestion *q)
{
    bool found = false;
    for (size_t i = 0; i < q->count && !found; i++) {
        RaceEquation e = q->equations[i];
        cancel(q, &e.x, &e.y, false);
        cancel(q, &e.x, &e.y, true);
        found = is_impossible(q, &e);
    }
    return found || race_refuted_together(q);
}

static void ask(RaceQuestion *q, RacePolynomial x, RacePolynomial y)
{
    q->count = 0;
    race_add_equation(q, &x, &y);
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
    q->is_impossible = q->is_impossible || (!is_answered(q) && has_impossible(q));
}

bool race_are_apart(RaceProof *proof, const RaceAccess *a, const RaceAccess *b, bool one_group,
                    RaceAtomNumber class, bool resolved)
{
    RaceQuestion question, *q = &question;
    q->proof = proof;
    q->a = a;
    q->b = b;
    q->one_group = one_group;
    q->is_impossible = false;
    q->goal = one_group ? proof->item : proof->group;
    q->class = class;
    q->settlings = 1;
    q->atoms = proof->atoms.count;
    q->settled = ARENA_ARRAY(proof->arena, bool, 2 * proof->atoms.count);
    q->given = q->settled + proof->atoms.count;
    RacePolynomial x = resolved ? a->resolved : a->index, y = resolved ? b->resolved : b->index;
    ask(q, x, y);
    bool defined = !is_answered(q) && put_definitions(q, &a->knowledge, &x);
    defined = !is_answered(q) && (put_definitions(q, &b->knowledge, &y) || defined);
    if (defined) {
        ask(q, x, y);
    }
    return is_answered(q);
}
