/* What follows from facts: whether a polynomial is surely not negative.

       l < n - 4*a,  n < 4*a + 4          3 - l >= 0:      3 - l
                                                      =    (n - 4*a - 1 - l)  +  (4 - n + 4*a)
                                                      =    (n - 4*a - 1 - l)  +  (4*a + 3 - n)  +  1

   A fact is a polynomial that is not negative. What is asked for is written as a sum of multiples of
   facts, by terms that are not negative, and of what obviously is not: for the first of its terms
   that are negative each fact is tried that has such a term too, and so on, a few times. What is not negative may be a
   product of sizes of which that is not known one by one:

       r < q,  n * m > 0                  n * m * q - n * m * r - n * m >= 0:      n * m * (q - 1 - r)              */
#include "backend/race/prove.h"

enum { MOST_STEPS = 5, MOST_TRIES = 60 };

/* ---- what is known --------------------------------------------------------------------------- */

typedef struct Gathering {
    RaceProof *proof;
    VEC(const RacePolynomial *) items;
    VEC(RaceTerm) products;
    bool *seen, *natural; /* by atom */
    RaceKnowledge known;  /* so far */
} Gathering;

static void gather_facts(Gathering *g, const RaceFact *facts)
{
    for (; facts; facts = facts->next) {
        if (facts->kind == RACE_NOT_NEGATIVE) {
            vec_push(g->proof->arena, &g->items, facts->p);
        }
    }
}

/* A quotient and its remainder have the same facts. */
static bool has_facts(const Gathering *g, const RaceFact *facts)
{
    bool has = false;
    for (size_t i = 0; facts && i < g->items.count && !has; i++) {
        has = g->items.items[i] == facts->p;
    }
    return has;
}

/* What is always so of the atoms in it. */
static void gather_atoms(Gathering *g, const RacePolynomial *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        for (int k = 0; k < RACE_MOST_DEGREE && p->terms[i].atoms[k] != 0; k++) {
            RaceAtomNumber number = p->terms[i].atoms[k];
            if (g->seen[number]) {
                continue;
            }
            g->seen[number] = true;
            const RaceAtom *atom = &g->proof->atoms.items[number];
            if (!has_facts(g, atom->facts)) {
                gather_facts(g, atom->facts);
            }
            if (atom->x) {
                gather_atoms(g, atom->x);
                gather_atoms(g, atom->y);
            }
        }
    }
}

/* The term without its factor is not negative: it is a product of what is known not to be. */
static bool is_natural_product(const RaceKnowledge *known, const RaceTerm *term)
{
    RaceTerm product = *term, rest;
    bool is_natural = true;
    product.factor = 1;
    for (int k = 0; k < RACE_MOST_DEGREE && term->atoms[k] != 0; k++) {
        is_natural = is_natural && term->atoms[k] < known->atoms && known->natural[term->atoms[k]];
    }
    for (size_t i = 0; i < known->product_count && !is_natural; i++) {
        is_natural = race_goes_into(&known->products[i], &product, &rest) &&
                     is_natural_product(known, &rest);
    }
    return is_natural;
}

static bool is_obvious(const RaceKnowledge *known, const RacePolynomial *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        if (p->terms[i].factor < 0 || !is_natural_product(known, &p->terms[i])) {
            return false;
        }
    }
    return true;
}

// x >= 0, y >= 0   ==>  x / y >= 0,  x % y >= 0,  min(x, y) >= 0,  (c ? x : y) >= 0
// x >= 0  or  y >= 0   ==>  max(x, y) >= 0        x >= 0   ==>  (x >= y ? x - y : x) >= 0
static bool is_natural(const RaceKnowledge *known, const RaceAtom *atom)
{
    switch (atom->kind) {
    case RACE_QUOTIENT:
    case RACE_REST:
    case RACE_LEAST:
    case RACE_CHOICE: return is_obvious(known, atom->x) && is_obvious(known, atom->y);
    case RACE_MOST: return is_obvious(known, atom->x) || is_obvious(known, atom->y);
    case RACE_TURNED: return is_obvious(known, atom->x);
    case RACE_PLAIN:
    case RACE_TICKET:
    case RACE_TRUTH:
    case RACE_POWER:
    case RACE_ROW:
    case RACE_LOADED: break;
    }
    return false;
}

/* f >= 0 with f = k * x - c - y * z ...,  c, y * z ... >= 0   ==>  x >= 0, an atom or a product of some; NULL: it says
   nothing of that kind */
static const RaceTerm *bounded_product(const RaceKnowledge *known, const RacePolynomial *f)
{
    const RaceTerm *bounded = NULL;
    for (unsigned i = 0; i < f->count; i++) {
        const RaceTerm *term = &f->terms[i];
        if (term->factor > 0 && !bounded && term->atoms[0] != 0) {
            bounded = term;
        } else if (term->factor > 0 || !is_natural_product(known, term)) {
            return NULL;
        }
    }
    return bounded;
}

/* Says whether that was not known. */
static bool add_natural(Gathering *g, const RaceTerm *product)
{
    if (is_natural_product(&g->known, product)) {
        return false;
    }
    if (product->atoms[1] == 0) {
        g->natural[product->atoms[0]] = true;
        return true;
    }
    RaceTerm one = *product;
    one.factor = 1;
    vec_push(g->proof->arena, &g->products, one);
    g->known.products = g->products.items;
    g->known.product_count = g->products.count;
    return true;
}

static void find_naturals(Gathering *g)
{
    bool more = true;
    for (size_t i = 1; i < g->known.atoms; i++) {
        g->natural[i] = g->proof->atoms.items[i].natural;
    }
    for (int round = 0; more && round < 4; round++) {
        more = false;
        for (size_t i = 0; i < g->items.count; i++) {
            const RaceTerm *bounded = bounded_product(&g->known, g->items.items[i]);
            more = (bounded && add_natural(g, bounded)) || more;
        }
        for (size_t i = 1; i < g->known.atoms; i++) {
            if (g->seen[i] && !g->natural[i] && is_natural(&g->known, &g->proof->atoms.items[i])) {
                g->natural[i] = more = true;
            }
        }
    }
}

RaceKnowledge race_knowledge(RaceProof *proof, const RaceFact *facts, const RacePolynomial *about,
                             const RacePolynomial *also)
{
    Gathering g = {.proof = proof};
    size_t atoms = proof->atoms.count;
    g.seen = ARENA_ARRAY(proof->arena, bool, 2 * atoms);
    g.natural = g.seen + atoms;
    g.known = (RaceKnowledge){.natural = g.natural, .seen = g.seen, .atoms = atoms};
    gather_facts(&g, facts);
    gather_facts(&g, proof->host);
    g.known.here = g.items.count;
    gather_atoms(&g, about);
    if (also) {
        gather_atoms(&g, also);
    }
    for (size_t i = 0; i < g.items.count; i++) {
        gather_atoms(&g, g.items.items[i]);
    }
    find_naturals(&g);
    g.known.count = g.items.count;
    g.known.items = g.items.items;
    g.known.answers = ARENA_NEW(proof->arena, RaceAnswers);
    g.known.answers->proof = proof;
    return g.known;
}

/* ---- what follows ---------------------------------------------------------------------------- */

/* Its first term that is negative, else the first that may be; NULL: none. */
static const RaceTerm *negative_term(const RaceKnowledge *knowledge, const RacePolynomial *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        if (p->terms[i].factor < 0) {
            return &p->terms[i];
        }
    }
    for (unsigned i = 0; i < p->count; i++) {
        if (!is_natural_product(knowledge, &p->terms[i])) {
            return &p->terms[i];
        }
    }
    return NULL;
}

// p = -a*m*u + ...,  f = -b*m + ... >= 0,  u >= 0,  a, b > 0:
//     b*p - a*u*f + b - 1 >= 0   ==>  b*p > -b  ==>  p >= 0      (and with a*m, b*m for -a*m, -b*m)
static bool without(const RaceKnowledge *knowledge, RacePolynomial *r, const RacePolynomial *p,
                    const RaceTerm *term, const RacePolynomial *f, const RaceTerm *other)
{
    RaceTerm by = *other, rest = *term;
    by.factor = rest.factor = 1;
    if ((other->atoms[0] == 0 && term->atoms[0] != 0) || !race_goes_into(&by, &rest, &rest)) {
        return false;
    }
    int64_t a = term->factor < 0 ? -term->factor : term->factor,
            b = other->factor < 0 ? -other->factor : other->factor;
    if (a % b == 0) {
        a /= b;
        b = 1;
    }
    if (!is_natural_product(knowledge, &rest)) {
        return false;
    }
    RacePolynomial u = race_term(rest), scaled = race_number(b - 1);
    return race_multiply(&u, &u, f) && race_add(&scaled, &scaled, b, p) &&
           race_add(r, &scaled, -a, &u);
}

static bool follows(const RaceKnowledge *knowledge, const RacePolynomial *p, int steps, int *tries)
{
    const RaceTerm *term = negative_term(knowledge, p);
    if (!term) {
        return true;
    }
    if (steps == 0) {
        return false;
    }
    for (size_t i = 0; i<knowledge->count && * tries> 0; i++) {
        const RacePolynomial *f = knowledge->items[i];
        for (unsigned k = 0; k < f->count; k++) {
            RacePolynomial r;
            if ((f->terms[k].factor < 0) == (term->factor < 0) &&
                without(knowledge, &r, p, term, f, &f->terms[k])) {
                --*tries;
                if (follows(knowledge, &r, steps - 1, tries)) {
                    return true;
                }
            }
        }
    }
    return false;
}

bool race_not_negative(const RaceKnowledge *knowledge, const RacePolynomial *p)
{
    bool is_so = false;
    RaceAnswers *answers = knowledge->answers;
    for (size_t i = 0; i < answers->given.count; i++) {
        if (race_is_same(answers->given.items[i].p, p)) {
            return answers->given.items[i].is_so;
        }
    }
    bool may_be = !race_is_refuted(knowledge, p);
    for (int steps = 0; steps <= MOST_STEPS && may_be && !is_so; steps++) { /* short proofs first */
        int tries = MOST_TRIES;
        is_so = follows(knowledge, p, steps, &tries);
    }
    RaceAnswer answer = {race_keep(answers->proof, *p), is_so};
    vec_push(answers->proof->arena, &answers->given, answer);
    return is_so;
}

bool race_at_least(const RaceKnowledge *knowledge, const RacePolynomial *x, const RacePolynomial *y,
                   int64_t least)
{
    RacePolynomial p, number = race_number(least);
    return race_add(&p, x, -1, y) && race_add(&p, &p, -1, &number) &&
           race_not_negative(knowledge, &p);
}
