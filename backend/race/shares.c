/* Loops over a group's share of rows (backend/sequential/shares.c).

       each = count / groups;  more = count % groups
       first = each * g + min(g, more)
       for (t < each + i64(g < more)) { row = first + t; b[row] = ... }

   With f(g) = each * g + min(g, more) it is f(g + 1) = f(g) + each + i64(g < more), f(0) = 0 and f(groups) = count: the
   shares [f(g), f(g + 1)) lie side by side, and each of the rows below count is one group's alone. So the row is
   taken as the unknown, an atom of which it is known that it lies between 0 and count and that it says which group
   has it, and the iteration t as row - first; then first + t is the row again. Where count is negative, no group
   has an iteration: each is rounded down. */
#include "backend/race/prove.h"

/* i64(x < y) */
static bool is_less(const RaceAtom *c, const RacePolynomial *x, const RacePolynomial *y)
{
    RacePolynomial p, one = race_number(1);
    bool good = c->kind == RACE_TRUTH && race_add(&p, y, -1, x) && race_add(&p, &p, -1, &one);
    for (const RaceFact *fact = good ? c->condition->yes : NULL; fact && c->condition->exact;
         fact = fact->next) {
        if (fact->kind == RACE_NOT_NEGATIVE && race_is_same(fact->p, &p)) {
            return true;
        }
    }
    return false;
}

// count = x / y + i64(g < x % y)
static bool find_share(const RaceProof *proof, const RacePolynomial *count, RaceAtom *each,
                       RacePolynomial *more)
{
    RacePolynomial g = race_alone(proof->group), terms[2];
    for (unsigned i = 0; count->count == 2 && i < 2; i++) {
        terms[0] = race_term(count->terms[i]);
        terms[1] = race_term(count->terms[1 - i]);
        *each = proof->atoms.items[race_only_atom(&terms[0])];
        const RaceAtom *has_more = &proof->atoms.items[race_only_atom(&terms[1])];
        if (each->kind != RACE_QUOTIENT || has_more->kind != RACE_TRUTH) {
            continue;
        }
        for (size_t k = 1; k < proof->atoms.count; k++) {
            const RaceAtom *rest = &proof->atoms.items[k];
            *more = race_alone((RaceAtomNumber)k);
            if (rest->kind == RACE_REST && race_is_same(rest->x, each->x) &&
                race_is_same(rest->y, each->y) && is_less(has_more, &g, more)) {
                return true;
            }
        }
    }
    return false;
}

bool race_enter_share(RaceProof *proof, const RacePolynomial *count, RaceScope scope,
                      RacePolynomial *iteration)
{
    RaceAtom each;
    RacePolynomial more, g = race_alone(proof->group), least, first, after;
    if (scope == RACE_ALL || !find_share(proof, count, &each, &more) ||
        race_scope_of(proof, each.x) != RACE_ALL || race_scope_of(proof, each.y) != RACE_ALL ||
        !race_add(&after, each.y, -1, &g) || !race_is_at_least(proof, &after, 1)) {
        return false;
    }
    first = race_alone(race_atom_of(proof, RACE_QUOTIENT, each.x, each.y));
    least = race_alone(race_atom_of(proof, RACE_LEAST, &g, &more));
    RaceAtomNumber row = race_new_atom(
        proof,
        (RaceAtom){.kind = RACE_ROW, .natural = true, .scope = scope, .x = each.x, .y = each.y});
    *iteration = race_alone(row);
    if (!race_multiply(&first, &first, &g) || !race_add(&first, &first, 1, &least) ||
        !race_add(iteration, iteration, -1, &first)) {
        return false;
    }
    race_enter_loop(proof, race_copy(each.x), row);
    return true;
}
