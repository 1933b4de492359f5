/* The race prover's models: what they refute does not follow, and what follows they never refute. */
#include "backend/race/prove.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct Facts {
    Compilation *c;
    RaceProof proof;
    const RaceFact *list;
    RacePolynomial n, m, i; /* naturals */
} Facts;

static RacePolynomial natural(Facts *f)
{
    return race_alone(race_new_atom(&f->proof, (RaceAtom){.kind = RACE_PLAIN, .natural = true}));
}

static Facts begin(void)
{
    Facts f = {.c = compilation_create()};
    f.proof.arena = f.c->arena;
    race_plain_atom(&f.proof, RACE_ALL); /* number 0 is none */
    f.n = natural(&f);
    f.m = natural(&f);
    f.i = natural(&f);
    return f;
}

/* x >= y + least */
static void know(Facts *f, RacePolynomial x, RacePolynomial y, int64_t least)
{
    f->list = race_ordered(&f->proof, &x, &y, least, f->list);
}

/* What the models, and the search for a proof, say of x >= y + least. */
static void assert_verdict(Facts *f, RacePolynomial x, RacePolynomial y, int64_t least,
                           bool refuted, bool proven)
{
    RacePolynomial p, number = race_number(least);
    assert_true(race_add(&p, &x, -1, &y) && race_add(&p, &p, -1, &number));
    RaceKnowledge knowledge = race_knowledge(&f->proof, f->list, &p, NULL);
    assert_int_equal(race_is_refuted(&knowledge, &p), refuted);
    assert_int_equal(race_not_negative(&knowledge, &p), proven);
}

static RacePolynomial product(RacePolynomial x, RacePolynomial y)
{
    RacePolynomial r;
    assert_true(race_multiply(&r, &x, &y));
    return r;
}

static RacePolynomial quotient(Facts *f, RacePolynomial x, int64_t by)
{
    RacePolynomial y = race_number(by);
    return race_quotient_or_rest(&f->proof, RACE_QUOTIENT, x, y);
}

/* i < n:  n >= 1,  but not n >= 2, nor i >= 1, nor i < m */
static void bounds_of_indices(void **state)
{
    (void)state;
    Facts f = begin();
    RacePolynomial zero = race_number(0);
    know(&f, f.n, f.i, 1);
    assert_verdict(&f, f.n, zero, 1, false, true);
    assert_verdict(&f, f.n, zero, 2, true, false);
    assert_verdict(&f, f.i, zero, 1, true, false);
    assert_verdict(&f, f.m, f.i, 1, true, false);
    compilation_destroy(f.c);
}

/* i * m + m <= n * m where i < n; not where i <= n */
static void bounds_of_products(void **state)
{
    (void)state;
    for (int64_t least = 0; least < 2; least++) {
        Facts f = begin();
        know(&f, f.n, f.i, least);
        know(&f, f.m, race_number(0), 1);
        RacePolynomial row = product(f.i, f.m), end;
        assert_true(race_add(&end, &row, 1, &f.m));
        assert_verdict(&f, product(f.n, f.m), end, 0, least == 0, least == 1);
        compilation_destroy(f.c);
    }
}

/* n >= 3 or n >= 4, and n / 4 >= 1; the quotient is what n makes it */
static void quotients_are_made_of_their_operands(void **state)
{
    (void)state;
    for (int64_t least = 3; least < 5; least++) {
        Facts f = begin();
        know(&f, f.n, race_number(0), least);
        RacePolynomial q = quotient(&f, f.n, 4);
        f.list = race_join(&f.proof, f.proof.path, f.list);
        assert_verdict(&f, q, race_number(0), 1, least == 3, least == 4);
        assert_verdict(&f, f.n, product(q, race_number(4)), 0, false, true);
        compilation_destroy(f.c);
    }
}

/* i < n and n <= i have no model: nothing is refuted, and everything follows. */
static void contradictions_have_no_model(void **state)
{
    (void)state;
    Facts f = begin();
    know(&f, f.n, f.i, 1);
    know(&f, f.i, f.n, 0);
    assert_verdict(&f, f.n, race_number(0), 1, false, true);
    RacePolynomial p = race_number(-1);
    RaceKnowledge knowledge = race_knowledge(&f.proof, f.list, &p, NULL);
    assert_false(race_is_refuted(&knowledge, &p));
    compilation_destroy(f.c);
}

/* Facts of random numbers: what they refute does not follow by the search alone, either. */
static void random_facts(void **state)
{
    (void)state;
    uint64_t seed = 1;
    unsigned refuted = 0, proven = 0;
    for (int round = 0; round < 3000; round++) {
        Facts f = begin();
        RacePolynomial atoms[] = {f.n, f.m, f.i, race_number(1)}, sums[5];
        for (int s = 0; s < 5; s++) {
            sums[s].count = 0;
            for (int k = 0; k < 4; k++) {
                seed = seed * UINT64_C(6364136223846793005) + 1;
                int64_t factor = (int64_t)(seed >> 40) % 5 - 2;
                assert_true(race_add(&sums[s], &sums[s], factor, &atoms[k]));
            }
        }
        for (int s = 0; s < 4; s++) {
            know(&f, sums[s], race_number(0), 0);
        }
        RaceKnowledge knowledge = race_knowledge(&f.proof, f.list, &sums[4], NULL);
        bool is_refuted = race_is_refuted(&knowledge, &sums[4]);
        RaceAnswers none = {.proof = &f.proof, .models = {.are_made = true}};
        knowledge.answers = &none; /* without models */
        bool is_proven = race_not_negative(&knowledge, &sums[4]);
        assert_false(is_refuted && is_proven);
        refuted += is_refuted;
        proven += is_proven;
        compilation_destroy(f.c);
    }
    assert_true(refuted > 500 && proven > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_of_indices),
        cmocka_unit_test(bounds_of_products),
        cmocka_unit_test(quotients_are_made_of_their_operands),
        cmocka_unit_test(contradictions_have_no_model),
        cmocka_unit_test(random_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
