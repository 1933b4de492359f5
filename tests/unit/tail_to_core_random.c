/* Random TAIL programs, translated and run: what is known at compile time and what only run time
   knows give the same. */
#include "tests/unit/tail_to_core.h"

enum { RANDOM_PROGRAMS = 1000 };

/* A program is a function of its seed. Its leaves are constants, or the same values from run time.
 */
typedef struct Random {
    uint64_t state;
    bool known;
} Random;

static unsigned pick(Random *r, unsigned count)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(r->state >> 33) % count;
}

static Exp random_scalar(Random *r, int depth);
static Exp random_vector(Random *r, int depth);
static Exp random_matrix(Random *r, int depth);

static Exp random_number(Random *r)
{
    int64_t value = (int64_t)pick(r, 9) - 4;
    return r->known ? I(value) : run_time(value);
}

static Exp random_function(Random *r)
{
    static const TailBuiltin FUNCTIONS[] = {TAIL_OP_ADDI, TAIL_OP_SUBI, TAIL_OP_MAXI, TAIL_OP_GCDI,
                                            TAIL_OP_RESI};
    return op2(FUNCTIONS[pick(r, 5)], TAIL_INT);
}

static Exp random_scalar(Random *r, int depth)
{
    Exp x, y;
    if (depth == 0)
        return random_number(r);
    switch (pick(r, 6)) {
    case 0:
        x = random_scalar(r, depth - 1);
        y = random_scalar(r, depth - 1);
        return CALL(SUBI, x, y);
    case 1: return CALL(FIRST, random_vector(r, depth - 1));
    case 2: return CALL(FIRST, CALL(SHAPE, random_vector(r, depth - 1)));
    case 3: x = random_function(r); return CALL(REDUCE, x, I(0), random_vector(r, depth - 1));
    case 4: x = random_number(r); return CALL(IDXS, I(1), x, random_vector(r, depth - 1));
    default: return CALL(FIRST, CALL(SHAPE, random_matrix(r, depth - 1)));
    }
}

static Exp random_vector(Random *r, int depth)
{
    Exp f, x;
    if (depth == 0) {
        unsigned count = 1 + pick(r, 4);
        return r->known ? int_vector(count, (int64_t[]){1, 2, 3, 4}) : vec((int)count);
    }
    switch (pick(r, 15)) {
    case 0: x = random_number(r); return CALL(TAKE, x, random_vector(r, depth - 1));
    case 1: x = random_number(r); return CALL(DROP, x, random_vector(r, depth - 1));
    case 2: x = random_vector(r, depth - 1); return CALL(CAT, x, random_vector(r, depth - 1));
    case 3: x = random_scalar(r, depth - 1); return CALL(CONS, x, random_vector(r, depth - 1));
    case 4: x = random_vector(r, depth - 1); return CALL(SNOC, x, random_scalar(r, depth - 1));
    case 5: return CALL(REVERSE, random_vector(r, depth - 1));
    case 6: x = random_number(r); return CALL(ROTATE, x, random_vector(r, depth - 1));
    case 7: return CALL(EACH, op1(TAIL_OP_NEGI, TAIL_INT), random_vector(r, depth - 1));
    case 8:
        f = random_function(r);
        x = random_vector(r, depth - 1);
        return CALL(ZIPWITH, f, x, random_vector(r, depth - 1));
    case 9: f = random_function(r); return CALL(SCAN, f, I(0), random_vector(r, depth - 1));
    case 10: return CALL(RESHAPE, V(1 + (int64_t)pick(r, 4)), random_vector(r, depth - 1));
    case 11: f = random_function(r); return CALL(REDUCE, f, I(0), random_matrix(r, depth - 1));
    case 12: return CALL(RAV, random_matrix(r, depth - 1));
    case 13:
        x = random_vector(r, depth - 1);
        return CALL(IDXA, I(1), x, random_vector(r, depth - 1));
    default:
        x = random_vector(r, depth - 1);
        return CALL(REPLICATE, I(7), x, random_vector(r, depth - 1));
    }
}

static Exp random_matrix(Random *r, int depth)
{
    Exp f, x;
    int64_t rows = 1 + pick(r, 3);
    if (depth == 0)
        return CALL(RESHAPE, V(rows, 2), random_vector(r, 0));
    switch (pick(r, 10)) {
    case 0: return CALL(TRANSP, random_matrix(r, depth - 1));
    case 1: x = random_number(r); return CALL(VROTATE, x, random_matrix(r, depth - 1));
    case 2: x = random_number(r); return CALL(TAKE, x, random_matrix(r, depth - 1));
    case 3: x = random_number(r); return CALL(DROP, x, random_matrix(r, depth - 1));
    case 4: x = random_matrix(r, depth - 1); return CALL(CAT, x, random_matrix(r, depth - 1));
    case 5: x = random_matrix(r, depth - 1); return CALL(SNOC, x, random_vector(r, depth - 1));
    case 6:
        f = random_function(r);
        x = random_matrix(r, depth - 1);
        return CALL(ZIPWITH, f, x, random_matrix(r, depth - 1));
    case 7: f = random_function(r); return CALL(SCAN, f, I(0), random_matrix(r, depth - 1));
    case 8:
        x = random_vector(r, depth - 1);
        return CALL(IDXA, I(2), x, random_matrix(r, depth - 1));
    default:
        x = random_vector(r, depth - 1);
        return CALL(RESHAPE, CALL(CONS, I(rows), CALL(SHAPE, x)), x);
    }
}

/* What the program of a seed prints, or "error". */
static char *run_random(unsigned seed, bool known)
{
    Compilation *outer = c;
    c = compilation_create();
    Random r = {seed * 7919u + 1, known};
    int depth = 1 + (int)(seed % 4);
    const char *text = run(print(seed % 3 ? random_vector(&r, depth) : random_matrix(&r, depth)));
    char *copy = strdup(strstr(text, "ERROR") ? "error" : text);
    compilation_destroy(c);
    c = outer;
    return copy;
}

static void constants_and_run_time_values_agree(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < RANDOM_PROGRAMS; seed++) {
        char *known = run_random(seed, true), *late = run_random(seed, false);
        if (strcmp(known, late) != 0)
            fail_msg("seed %u: '%s' and '%s'", seed, known, late);
        free(known);
        free(late);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(constants_and_run_time_values_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
