/* Models of what is known: numbers for the atoms with which no fact is negative.

       n - 1 - i >= 0,  i >= 0        i = 0, n = 1        n - 2 is negative there: n - 2 >= 0 does not follow

   Most of what is asked for does not follow, and a few models show that of nearly all of it, without a search for a
   proof. One starts from some small numbers, and is mended where a fact is negative: an atom of it becomes larger, or
   smaller, by what is missing. Quotients, remainders and extremes are what their operands make them. All that need not
   lead to a model; then nothing is refuted. */
#include "backend/race/prove.h"

enum { MOST_ROUNDS = 16, MOST_DEPTH = 4 };

typedef struct Making {
    const RaceKnowledge *knowledge;
    RaceProof *proof;
    VEC(RaceAtomNumber) made; /* of operands, in their order: those have smaller numbers */
    int64_t *values;          /* by atom */
} Making;

/* Of atoms; and of their operands and what is added to these, so that nothing here overflows. */
static const int64_t most = INT64_C(1) << 40, most_operand = INT64_C(1) << 60;

/* factor * atoms, but not the one at `without` (-1: all); false: it is too large. */
static bool product(const int64_t *values, size_t atoms, const RaceTerm *term, int without,
                    int64_t *result)
{
    int64_t value = term->factor;
    for (int k = 0; k < RACE_MOST_DEGREE && term->atoms[k] != 0; k++) {
        int64_t atom = term->atoms[k] < atoms ? values[term->atoms[k]] : 0;
        if (k != without && __builtin_mul_overflow(value, atom, &value)) {
            return false;
        }
    }
    *result = value;
    return true;
}

static bool value_of(const int64_t *values, size_t atoms, const RacePolynomial *p, int64_t *result)
{
    int64_t sum = 0, value;
    for (unsigned i = 0; i < p->count; i++) {
        if (!product(values, atoms, &p->terms[i], -1, &value) ||
            __builtin_add_overflow(sum, value, &sum)) {
            return false;
        }
    }
    *result = sum;
    return true;
}

/* ---- what operands make of an atom ------------------------------------------------------------ */

static bool is_made(const RaceAtom *atom)
{
    return atom->kind == RACE_QUOTIENT || atom->kind == RACE_REST || atom->kind == RACE_LEAST ||
           atom->kind == RACE_MOST;
}

static bool operand(const Making *m, const RacePolynomial *p, int64_t *value)
{
    return value_of(m->values, m->knowledge->atoms, p, value) && *value <= most_operand &&
           *value >= -most_operand;
}

static bool make_value(const Making *m, RaceAtomNumber number)
{
    const RaceAtom *atom = &m->proof->atoms.items[number];
    int64_t x, y, quotient;
    if (!operand(m, atom->x, &x) || !operand(m, atom->y, &y)) {
        return false;
    }
    quotient = y == 0 ? 0 : x / y - (x % y != 0 && (x < 0) != (y < 0));
    m->values[number] = atom->kind == RACE_QUOTIENT ? quotient
                        : atom->kind == RACE_REST   ? x - y * quotient
                        : atom->kind == RACE_LEAST  ? (x < y ? x : y)
                                                    : (x > y ? x : y);
    return m->values[number] <= most && m->values[number] >= -most;
}

static bool make_values(const Making *m)
{
    for (size_t i = 0; i < m->made.count; i++) {
        if (!make_value(m, m->made.items[i])) {
            return false;
        }
    }
    return true;
}

/* ---- mending ---------------------------------------------------------------------------------- */

static bool move_sum(const Making *m, const RacePolynomial *p, int64_t by, int depth);

/* The atom becomes larger by so much at least; where `by` is negative, smaller. */
static bool move(const Making *m, RaceAtomNumber number, int64_t by, int depth)
{
    const RaceAtom *atom = &m->proof->atoms.items[number];
    int64_t value = m->values[number], wanted = value + by, x, y;
    if ((wanted < 0 && m->knowledge->natural[number]) || wanted > most || wanted < -most) {
        return false;
    }
    if (!is_made(atom)) {
        m->values[number] = wanted;
        return true;
    }
    if (depth == 0 || !operand(m, atom->x, &x) || !operand(m, atom->y, &y)) {
        return false;
    }
    if (atom->kind == RACE_QUOTIENT) {
        int64_t to;
        return y > 0 && !__builtin_mul_overflow(wanted, y, &to) && to <= most_operand &&
               to >= -most_operand &&
               move_sum(m, atom->x, (by < 0 ? to + y - 1 : to) - x, depth - 1);
    }
    if (atom->kind == RACE_REST) {
        return wanted < y ? move_sum(m, atom->x, by, depth - 1)
                          : move_sum(m, atom->y, wanted + 1 - y, depth - 1);
    }
    // min(x, y) grows where both do, and shrinks where one does; max(x, y) the other way round
    bool both = (atom->kind == RACE_LEAST) == (by > 0), first = by > 0 ? x < wanted : x > wanted,
         second = by > 0 ? y < wanted : y > wanted;
    if (!both) {
        return move_sum(m, atom->x, wanted - x, depth - 1) ||
               move_sum(m, atom->y, wanted - y, depth - 1);
    }
    return (!first || move_sum(m, atom->x, wanted - x, depth - 1)) &&
           (!second || move_sum(m, atom->y, wanted - y, depth - 1));
}

static bool is_repeated(const RaceTerm *term, int k)
{
    return (k > 0 && term->atoms[k - 1] == term->atoms[k]) ||
           (k + 1 < RACE_MOST_DEGREE && term->atoms[k + 1] == term->atoms[k]);
}

/* The same of a sum, by one of its atoms. Those are tried first that become larger: most are sizes, or numbers of
   something that are less than a size. */
static bool move_sum(const Making *m, const RacePolynomial *p, int64_t by, int depth)
{
    for (int larger = 1; larger >= 0; larger--) {
        for (unsigned i = 0; i < p->count; i++) {
            const RaceTerm *term = &p->terms[i];
            for (int k = 0; k < RACE_MOST_DEGREE && term->atoms[k] != 0; k++) {
                int64_t one;
                if (term->atoms[k] >= m->knowledge->atoms || is_repeated(term, k) ||
                    !product(m->values, m->knowledge->atoms, term, k, &one) || one == 0 ||
                    ((one > 0) == (by > 0)) != larger || one < -most || one > most) {
                    continue;
                }
                int64_t step = by / one;
                step += by % one == 0 ? 0 : larger ? 1 : -1;
                if (move(m, term->atoms[k], step, depth)) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Whether no fact is negative, nor what is not negative by itself. */
static bool holds(const Making *m)
{
    const RaceKnowledge *knowledge = m->knowledge;
    for (size_t i = 0; i < knowledge->count; i++) {
        int64_t value;
        if (!value_of(m->values, knowledge->atoms, knowledge->items[i], &value) || value < 0) {
            return false;
        }
    }
    for (size_t i = 1; i < knowledge->atoms; i++) {
        if (knowledge->natural[i] && m->values[i] < 0) {
            return false;
        }
    }
    return true;
}

static bool find_model(const Making *m)
{
    const RaceKnowledge *knowledge = m->knowledge;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        bool changed = false;
        for (size_t i = 0; i < knowledge->count; i++) {
            int64_t value;
            if (!value_of(m->values, knowledge->atoms, knowledge->items[i], &value) ||
                value < -most) {
                return false;
            }
            if (value < 0) {
                changed = true;
                if (!move_sum(m, knowledge->items[i], -value, MOST_DEPTH) || !make_values(m)) {
                    return false;
                }
            }
        }
        if (!changed) {
            return holds(m);
        }
    }
    return false;
}

/* What the numbers of the model's atoms are at first. */
static int64_t start(int model, size_t atom)
{
    return model == 0 ? 0 : model == 1 ? (int64_t)(1 + atom % 3) : (int64_t)(20 + 7 * (atom % 11));
}

static void find_models(const RaceKnowledge *knowledge)
{
    RaceModels *models = &knowledge->answers->models;
    models->are_made = true;
    Making m = {.knowledge = knowledge, .proof = knowledge->answers->proof};
    for (size_t i = 1; i < knowledge->atoms; i++) {
        if (knowledge->seen[i] && is_made(&m.proof->atoms.items[i])) {
            vec_push(m.proof->arena, &m.made, (RaceAtomNumber)i);
        }
    }
    for (int i = 0; i < RACE_MOST_MODELS; i++) {
        m.values = ARENA_ARRAY(m.proof->arena, int64_t, knowledge->atoms);
        for (size_t k = 1; k < knowledge->atoms; k++) {
            m.values[k] = start(i, k);
        }
        if (make_values(&m) && find_model(&m)) {
            models->values[models->count++] = m.values;
        }
    }
}

bool race_is_refuted(const RaceKnowledge *knowledge, const RacePolynomial *p)
{
    const RaceModels *models = &knowledge->answers->models;
    if (!models->are_made) {
        find_models(knowledge);
    }
    bool refuted = false;
    for (unsigned i = 0; i < models->count && !refuted; i++) {
        int64_t value;
        refuted = value_of(models->values[i], knowledge->atoms, p, &value) && value < 0;
    }
    return refuted;
}
