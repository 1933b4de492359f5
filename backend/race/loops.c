/* What is known in the body of a loop, by the number of its iterations.

       for (t < (inside ? max(min(chunk, n - first), 0) : 0) / lanes) { ... a[first + t * lanes] ... }

   There is an iteration only where `inside` is true; then t + 1 <= x / lanes says that lanes * (t + 1) <= x, so that x
   is positive, and is min(chunk, n - first). */
#include "backend/race/prove.h"

/* A choice that is open in it, also in what is divided, or in max(x, 0) and min(x, y). */
static RaceAtomNumber open_choice(const RaceProof *proof, const RacePolynomial *p, int depth)
{
    for (unsigned i = 0; i < p->count; i++) {
        for (int k = 0; k < RACE_MOST_DEGREE && p->terms[i].atoms[k] != 0; k++) {
            RaceAtomNumber number = p->terms[i].atoms[k];
            const RaceAtom *atom = &proof->atoms.items[number];
            if (atom->kind == RACE_CHOICE) {
                return number;
            }
            bool least = atom->kind == RACE_LEAST;
            bool within = atom->kind == RACE_QUOTIENT || atom->kind == RACE_REST ||
                          atom->kind == RACE_MOST || least;
            number = within && depth > 0 ? open_choice(proof, atom->x, depth - 1) : 0;
            number =
                number == 0 && least && depth > 0 ? open_choice(proof, atom->y, depth - 1) : number;
            if (number != 0) {
                return number;
            }
        }
    }
    return 0;
}

// (c ? x : 0) / n > 0   ==>  c,      max(c ? x : 0, 0) > 0   ==>  c
// what the path says cannot be without it   ==>  c;  not of what is the same for all, which is one thing in the kernel
static const RaceCondition *needed_condition(RaceProof *proof, const RacePolynomial *number)
{
    enum { MOST_OPERATORS = 3 };
    RaceAtomNumber choice = open_choice(proof, number, MOST_OPERATORS);
    if (choice == 0) {
        return NULL;
    }
    const RaceCondition *condition = proof->atoms.items[choice].condition;
    const RaceFact *path = proof->path;
    proof->path = race_join(proof, condition->no, path);
    RacePolynomial without = race_deeply_resolved(proof, race_copy(number), proof->path),
                   minus = race_number(0), never = race_number(-1);
    bool needed = race_add(&minus, &minus, -1, &without) && race_is_at_least(proof, &minus, 0);
    needed = needed || (condition->scope != RACE_ALL && race_is_at_least(proof, &never, 0));
    proof->path = path;
    return needed ? condition : NULL;
}

static void unfold(RaceProof *proof, const RacePolynomial *count, const RacePolynomial *least,
                   int depth);

// x / y >= e,  y >= 1   ==>  x >= y * e
// x % y >= e            ==>  x >= y * (x / y) + e
// max(x, 0) >= e >= 1   ==>  x >= max(x, 0),  x >= e
// min(x, y) >= e        ==>  x >= e,  y >= e
static void unfold_atom(RaceProof *proof, RaceAtomNumber number, const RacePolynomial *least,
                        int depth)
{
    RaceAtom atom = proof->atoms.items[number];
    RacePolynomial p, whole = race_alone(number);
    int64_t zero;
    if (atom.kind == RACE_QUOTIENT && race_is_at_least(proof, atom.y, 1) &&
        race_multiply(&p, atom.y, least)) {
        proof->path = race_ordered(proof, atom.x, &p, 0, proof->path);
        unfold(proof, atom.x, &p, depth - 1);
    } else if (atom.kind == RACE_REST) {
        RacePolynomial quotient = race_alone(race_atom_of(proof, RACE_QUOTIENT, atom.x, atom.y));
        if (race_multiply(&p, atom.y, &quotient) && race_add(&p, &p, 1, least)) {
            proof->path = race_ordered(proof, atom.x, &p, 0, proof->path);
            unfold(proof, atom.x, &p, depth - 1);
        }
    } else if (atom.kind == RACE_MOST && race_is_number(atom.y, &zero) && zero == 0 &&
               race_is_at_least(proof, &whole, 1)) {
        proof->path = race_ordered(proof, atom.x, &whole, 0, proof->path);
        proof->path = race_ordered(proof, atom.x, least, 0, proof->path);
        unfold(proof, atom.x, least, depth - 1);
    } else if (atom.kind == RACE_LEAST) {
        proof->path = race_ordered(proof, atom.x, least, 0, proof->path);
        proof->path = race_ordered(proof, atom.y, least, 0, proof->path);
        unfold(proof, atom.x, least, depth - 1);
        unfold(proof, atom.y, least, depth - 1);
    }
}

/* What follows for its atoms from count >= least, where that is already on the path. */
static void unfold(RaceProof *proof, const RacePolynomial *count, const RacePolynomial *least,
                   int depth)
{
    for (unsigned i = 0; i < count->count && depth > 0; i++) {
        RaceTerm term = count->terms[i];
        RacePolynomial atom = race_term(term), rest;
        if (term.factor == 1 && term.atoms[0] != 0 && term.atoms[1] == 0 &&
            race_add(&rest, least, -1, count) && race_add(&rest, &rest, 1, &atom)) {
            unfold_atom(proof, term.atoms[0], &rest, depth);
        }
    }
}

/* The first of p's terms with an atom that is in all of them as well, and is positive: p = atom * quotient. */
static bool divide_fact(RaceProof *proof, const RacePolynomial *p, RacePolynomial *quotient)
{
    for (int k = 0; p->count > 1 && k < RACE_MOST_DEGREE && p->terms[0].atoms[k] != 0; k++) {
        RaceTerm by = {1, {p->terms[0].atoms[k]}}, rest;
        RacePolynomial positive = race_term(by);
        bool divides = true;
        quotient->count = 0;
        for (unsigned i = 0; i < p->count && divides; i++) {
            RacePolynomial one;
            divides = race_goes_into(&by, &p->terms[i], &rest);
            one = race_term(divides ? rest : by);
            divides = divides && race_add(quotient, quotient, 1, &one);
        }
        if (divides && race_is_at_least(proof, &positive, 1)) {
            return true;
        }
    }
    return false;
}

// y * x - y * e >= 0,  y >= 1   ==>  x - e >= 0        of what has come to the path since
static void divide_facts(RaceProof *proof, const RaceFact *since)
{
    RacePolynomial quotient;
    for (const RaceFact *fact = proof->path; fact && fact != since; fact = fact->next) {
        if (fact->kind == RACE_NOT_NEGATIVE && divide_fact(proof, fact->p, &quotient)) {
            proof->path = race_fact(proof, quotient, proof->path);
        }
    }
}

// i < count
static void bound_index(RaceProof *proof, const RacePolynomial *count, const RacePolynomial *index)
{
    enum { MOST_DEPTH = 5 };
    RacePolynomial after, one = race_number(1);
    const RaceFact *path = proof->path;
    proof->path = race_ordered(proof, count, index, 1, proof->path);
    if (race_add(&after, index, 1, &one)) {
        unfold(proof, count, &after, MOST_DEPTH);
    }
    race_bound_extremes(proof, count, MOST_DEPTH);
    divide_facts(proof, path);
}

// (c ? x : n) > 0,  n <= 0   ==>  c, and x > 0;     i64(c) > 0   ==>  c
static void take_choices(RaceProof *proof, RacePolynomial *count)
{
    int64_t no;
    for (;;) {
        RaceAtomNumber number = race_only_atom(count);
        RaceAtom atom = proof->atoms.items[number];
        if (number == 0 || !atom.condition ||
            (atom.kind == RACE_CHOICE && (!race_is_number(atom.y, &no) || no > 0))) {
            return;
        }
        proof->path = race_join(proof, atom.condition->yes, proof->path);
        *count = atom.kind == RACE_CHOICE ? race_copy(atom.x) : race_number(1);
    }
}

// for (i < c ? n : 0)  ==>  in its body c is true, and i < n
void race_enter_loop(RaceProof *proof, RacePolynomial count, RaceAtomNumber i)
{
    enum { MOST_ROUNDS = 3 };
    RacePolynomial index = race_alone(i);
    take_choices(proof, &count);
    bound_index(proof, &count, &index);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const RaceCondition *needed = needed_condition(proof, &count);
        if (!needed) {
            break;
        }
        proof->path = race_join(proof, needed->yes, proof->path);
        count = race_deeply_resolved(proof, count, proof->path);
        take_choices(proof, &count);
        bound_index(proof, &count, &index);
    }
}
