/* The race prover: each of its rules on a kernel built by hand, beside the same kernel with one
 * mistake, of which nothing may be proven. Others: backend_prove_rows.c; random kernels:
 * backend_prove_random.c. */
#include "tests/unit/backend_prove.h"

/* ---- digits ---------------------------------------------------------------------------------- */

/* b[g * m + j], j < m (or j <= m) */
static void rows_of_any_width(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        Built *k = begin(KERNEL_GRID);
        KernelBuilder inner, *outer = open_block(k, &inner);
        KernelVariable *j = scalar(k, "j");
        store(k, k->b, sum(k, times(k, k->row, use(k, k->m)), use(k, j)));
        close_for(k, outer, j, sum(k, use(k, k->m), number(k, wrong)));
        assert_either(k, !wrong);
    }
}

/* b[(g / m * m + g % m) * 3 + 2 - k], k < 3; without a factor; with one quotient left out */
static void quotients_and_remainders_are_digits(void **state)
{
    (void)state;
    enum { RIGHT, SMALL_FACTOR, NO_QUOTIENT, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GRID);
        const KernelExp *m = use(k, k->m);
        k->count = times(k, use(k, k->n), m);
        const KernelExp *i = declare(k, "i", kernel_divide(k->c, k->row, m)),
                        *j = declare(k, "j", kernel_modulo(k->c, k->row, m));
        KernelBuilder inner, *outer = open_block(k, &inner);
        KernelVariable *t = scalar(k, "k");
        const KernelExp *last = op(k, CORE_SUB, number(k, 2), use(k, t)),
                        *row = which == NO_QUOTIENT ? j : sum(k, times(k, i, m), j);
        store(k, k->b, sum(k, times(k, row, number(k, which == SMALL_FACTOR ? 2 : 3)), last));
        close_for(k, outer, t, number(k, 3));
        assert_either(k, which == RIGHT);
    }
}

/* b[g % m * n + g / m] of n * m rows: each element once, transposed; by itself g / m is not below n
 * unless rows are counted. */
static void a_transposition_writes_each_element_once(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        Built *k = begin(KERNEL_GRID);
        const KernelExp *m = use(k, k->m), *n = use(k, k->n);
        k->count = times(k, n, m);
        const KernelExp *i = kernel_divide(k->c, k->row, m), *j = kernel_modulo(k->c, k->row, m);
        store(k, k->b, sum(k, times(k, j, wrong ? number(k, 1) : n), i));
        Verdict v = verdict(k, NULL);
        compilation_destroy(k->c);
        if (v.race[0]) {
            assert_int_equal(v.is_proven, false);
        }
        assert_int_equal(v.race[0] != '\0', wrong);
    }
}

/* Three matrices of n * m tiles in pieces: b[((piece * 3 + place) * n + i) * m + j], by quotients of g and of what is
   left; or with two of them, or another row's width. */
static void quotients_of_one_number_by_products(void **state)
{
    (void)state;
    enum { RIGHT, FEWER_PLACES, OTHER_WIDTH, MORE_GROUPS, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GRID);
        const KernelExp *n = use(k, k->n), *m = use(k, k->m), *three = number(k, 3);
        const KernelExp *tiles = times(k, times(k, three, n), m),
                        *each =
                            which == MORE_GROUPS ? times(k, times(k, number(k, 4), n), m) : tiles;
        k->count = times(k, each, number(k, 5));
        const KernelExp *piece = declare(k, "piece", kernel_divide(k->c, k->row, each)),
                        *left = declare(k, "left", kernel_modulo(k->c, k->row, each)),
                        *row = declare(k, "row", kernel_divide(k->c, left, m)),
                        *j = declare(k, "j", kernel_modulo(k->c, left, m)),
                        *place = declare(k, "place", kernel_divide(k->c, row, n)),
                        *i = declare(k, "i", kernel_modulo(k->c, row, n));
        const KernelExp *matrix =
            sum(k, times(k, piece, which == FEWER_PLACES ? number(k, 2) : three), place);
        const KernelExp *at = sum(k, times(k, matrix, which == OTHER_WIDTH ? m : n), i);
        store(k, k->b, sum(k, times(k, at, m), j));
        if (which == OTHER_WIDTH) { /* a race where n is more than m */
            assert_open(k);
        } else {
            assert_either(k, which == RIGHT);
        }
    }
}

/* b[g * m + j], j < m - m / 2 (or j < m + m / 2): m is not negative where it is the extent of an array that is given. */
static void extents_of_parameters_are_not_negative(void **state)
{
    (void)state;
    enum { RIGHT, NO_EXTENT, TOO_MANY, CASES };
    static const CoreExtent extent = {.parameter = 0};
    static const CoreEntryParameter parameters[] = {
        {.name = "m", .type = "i64", .prim = CORE_I64},
        {.name = "xs", .type = "[m]i64", .prim = CORE_I64, .rank = 1, .extents = &extent}};
    static const CoreEntry interface = {
        .name = "main", .parameter_count = 2, .parameters = parameters};
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *j = scalar(k, "j");
        const KernelExp *m = use(k, k->m),
                        *half = on_host(k, "half", op(k, CORE_DIV, m, number(k, 2)));
        kernel_effect(&k->host,
                      (KernelEffect){.kind = KERNEL_PARAMETER, .number = 0, .result = k->m});
        k->interface = which == NO_EXTENT ? NULL : &interface;
        KernelBuilder inner, *outer = open_block(k, &inner);
        store(k, k->b, sum(k, times(k, k->row, m), use(k, j)));
        close_for(k, outer, j, op(k, which == TOO_MANY ? CORE_ADD : CORE_SUB, m, half));
        if (which == NO_EXTENT) {
            assert_open(k);
        } else {
            assert_either(k, which == RIGHT);
        }
    }
}

/* Lanes of four take a row in pieces, four elements at a time and what is left over; those beyond the last row nothing (or
   the first row). */
static void lanes_without_a_row_do_nothing(void **state)
{
    (void)state;
    enum { RIGHT, ALL_HAVE_ROWS, LEFT_OVER_LATER, SHORT_PIECES, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *r = scalar(k, "r"), *s = scalar(k, "s"), *t = scalar(k, "t");
        const KernelExp *n = use(k, k->n), *m = use(k, k->m), *zero = number(k, 0),
                        *four = number(k, 4);
        k->count = times(k, n, number(k, 8));
        const KernelExp *lane = declare(k, "lane", kernel_modulo(k->c, k->row, four)),
                        *unit = declare(k, "unit", kernel_divide(k->c, k->row, four)),
                        *inside = declare(k, "inside", op(k, CORE_LT, unit, n)),
                        *own = declare(k, "own", kernel_select(k->c, inside, unit, zero)),
                        *left = declare(
                            k, "left",
                            which == ALL_HAVE_ROWS ? m : kernel_select(k->c, inside, m, zero));
        const KernelExp *padded = sum(k, left, number(k, which == SHORT_PIECES ? 1 : 3)),
                        *piece = declare(k, "piece", kernel_divide(k->c, padded, four)),
                        *skipped = declare(k, "skipped", times(k, lane, piece));
        const KernelExp *size = which == SHORT_PIECES ? sum(k, piece, number(k, 1)) : piece,
                        *count = declare(k, "count",
                                         op(k, CORE_MAX,
                                            op(k, CORE_MIN, size, op(k, CORE_SUB, left, skipped)),
                                            zero));
        const KernelExp *rounds = declare(k, "rounds", kernel_divide(k->c, count, four)),
                        *start = declare(k, "start", sum(k, times(k, own, m), skipped));
        KernelBuilder round, inner, rest, *outer = open_block(k, &round),
                                          *before = open_block(k, &inner);
        store(k, k->b, sum(k, start, sum(k, times(k, use(k, r), four), use(k, s))));
        close_for(k, before, s, four);
        close_for(k, outer, r, rounds);
        const KernelExp *done = declare(k, "done", times(k, rounds, four));
        outer = open_block(k, &rest);
        const KernelExp *at = sum(k, done, use(k, t));
        at = which == LEFT_OVER_LATER ? sum(k, at, number(k, 1)) : at;
        store(k, k->b, sum(k, start, at));
        close_for(k, outer, t, op(k, CORE_SUB, count, done));
        assert_either(k, which == RIGHT);
    }
}

/* 4 * s + 4 <= n: b[4 * s], ..., b[4 * s + 3]; else b[4 * s + k], k < n - 4 * s (or one more) */
static void strips_and_what_is_left_over(void **state)
{
    (void)state;
    for (int64_t extra = 0; extra < 2; extra++) {
        Built *k = begin(KERNEL_GRID);
        const KernelExp *n = use(k, k->n), *four = number(k, 4);
        k->count = kernel_divide(k->c, sum(k, n, number(k, 3 + 4 * extra)), four);
        const KernelExp *first = declare(k, "first", times(k, k->row, four));
        const KernelExp *whole = declare(k, "whole", op(k, CORE_LE, sum(k, first, four), n));
        KernelBuilder full, rest, inner, *outer = open_block(k, &full);
        for (int64_t i = 0; i < 4 + extra; i++) {
            store(k, k->b, sum(k, first, number(k, i)));
        }
        k->at = outer;
        open_block(k, &rest);
        KernelBuilder *before = open_block(k, &inner);
        KernelVariable *t = scalar(k, "k");
        store(k, k->b, sum(k, first, use(k, t)));
        close_for(k, before, t, op(k, CORE_SUB, n, first));
        k->at = outer;
        kernel_if(outer, whole, kernel_block(&full), kernel_block(&rest));
        assert_either(k, extra == 0);
    }
}

/* Rows of m that are written, and read turned: t = 3 % m is computed where m may still be 0. */
static void rows_are_turned_within_themselves(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        Built *k = begin(KERNEL_GRID);
        const KernelExp *m = use(k, k->m), *start = declare(k, "start", times(k, k->row, m));
        const KernelExp *turn = declare(k, "turn", op(k, CORE_MOD, number(k, 3), m));
        KernelVariable *i = scalar(k, "i");
        KernelBuilder inner, *outer = open_block(k, &inner);
        const KernelExp *at = declare(k, "at", sum(k, use(k, i), turn));
        const KernelExp *past = op(k, CORE_SUB, at, wrong ? number(k, 1) : m);
        at = declare(k, "at", kernel_select(k->c, op(k, CORE_GE, at, m), past, at));
        load(k, k->b, sum(k, start, at));
        store(k, k->b, sum(k, start, use(k, i)));
        close_for(k, outer, i, m);
        assert_either(k, !wrong);
    }
}

/* x, or x - n where that is not less than n */
static const KernelExp *turned(Built *k, const KernelExp *x, const KernelExp *n)
{
    const KernelExp *at = declare(k, "at", x), *past = op(k, CORE_SUB, at, n);
    return declare(k, "at", kernel_select(k->c, op(k, CORE_GE, at, n), past, at));
}

/* Rows of m that are written turned by t; rows of twice as many; rows that are turned in m + 1. */
static void rows_are_written_turned(void **state)
{
    (void)state;
    enum { RIGHT, TWICE, WIDER, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GRID);
        const KernelExp *m = use(k, k->m);
        KernelVariable *turn = scalar(k, "turn"), *i = scalar(k, "i");
        kernel_declare(&k->host, turn, op(k, CORE_MOD, number(k, 3), m));
        const KernelExp *start = declare(k, "start", times(k, k->row, m));
        KernelBuilder inner, *outer = open_block(k, &inner);
        const KernelExp *at =
            turned(k, sum(k, use(k, i), use(k, turn)), sum(k, m, number(k, which == WIDER)));
        store(k, k->b, sum(k, start, at));
        close_for(k, outer, i, times(k, m, number(k, which == TWICE ? 2 : 1)));
        assert_either(k, which == RIGHT);
    }
}

/* The grid's rows, each written to two places of 2 * n that are turned, by the same; or by another. */
static void places_are_turned_alike(void **state)
{
    (void)state;
    for (int64_t wrong = 0; wrong < 2; wrong++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *all = scalar(k, "all"), *turn = scalar(k, "turn");
        kernel_declare(&k->host, all, times(k, use(k, k->n), number(k, 2)));
        kernel_declare(&k->host, turn, op(k, CORE_MOD, use(k, k->m), use(k, all)));
        const KernelExp *twice = times(k, k->row, number(k, 2)), *by = use(k, turn);
        store(k, k->b, turned(k, sum(k, twice, by), use(k, all)));
        twice = sum(k, twice, number(k, 1 + wrong));
        if (wrong) {
            by = number(k, 0);
        }
        store(k, k->b, turned(k, sum(k, twice, by), use(k, all)));
        assert_either(k, !wrong);
    }
}

/* The elements of rows of m but for the first one, in rows of m - 1; or of m - 2. */
static void rows_are_written_without_the_first(void **state)
{
    (void)state;
    for (int64_t wrong = 0; wrong < 2; wrong++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *width = scalar(k, "width"), *i = scalar(k, "i");
        kernel_declare(&k->host, width, op(k, CORE_SUB, use(k, k->m), number(k, 1)));
        KernelBuilder inner, *outer = open_block(k, &inner);
        const KernelExp *at = declare(k, "at", op(k, CORE_SUB, use(k, i), number(k, 1)));
        const KernelExp *stride = op(k, CORE_SUB, use(k, width), number(k, wrong));
        KernelBuilder block, *around = open_block(k, &block);
        store(k, k->b, sum(k, times(k, k->row, stride), at));
        close_if(
            k, around,
            op(k, CORE_AND, op(k, CORE_GE, at, number(k, 0)), op(k, CORE_LT, at, use(k, width))));
        close_for(k, outer, i, use(k, k->m));
        assert_either(k, !wrong);
    }
}

/* A group writes its matrix of 3 rows of m, element i at (i / m) * m + i % m; groups have 3 * m elements each (or 2 * m). */
static void elements_of_matrices_are_put_together(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        Built *k = begin(KERNEL_GROUP);
        const KernelExp *m = use(k, k->m), *size = times(k, m, number(k, 3));
        const KernelExp *own = wrong ? times(k, m, number(k, 2)) : size;
        KernelBuilder local, inner, *outer = open_local(k, &local), *before;
        KernelVariable *t = scalar(k, "t");
        const KernelExp *left = op(k, CORE_SUB, sum(k, size, number(k, ITEMS - 1)), k->item);
        const KernelExp *rounds =
            declare(k, "rounds",
                    kernel_divide(k->c, op(k, CORE_MAX, left, number(k, 0)), number(k, ITEMS)));
        before = open_block(k, &inner);
        const KernelExp *i =
            declare(k, "i", sum(k, k->item, times(k, use(k, t), number(k, ITEMS))));
        const KernelExp *row = declare(k, "row", kernel_divide(k->c, i, m)),
                        *column = declare(k, "column", kernel_modulo(k->c, i, m));
        store(k, k->b, sum(k, times(k, k->row, own), sum(k, times(k, row, m), column)));
        close_for(k, before, t, rounds);
        close_local(k, outer);
        assert_either(k, !wrong);
    }
}

/* A row of 7 for each work-item, in which data choose: by a guard below 7, or 8. */
static void data_choose_within_what_a_guard_says(void **state)
{
    (void)state;
    for (int64_t wrong = 0; wrong < 2; wrong++) {
        Built *k = begin(KERNEL_GRID);
        const KernelExp *at = load(k, k->a, k->row);
        const KernelExp *low = op(k, CORE_GE, at, number(k, 0)),
                        *high = op(k, CORE_LT, at, number(k, 7 + wrong));
        const KernelExp *good = declare(k, "good", op(k, CORE_AND, low, high));
        KernelBuilder inner, *outer = open_block(k, &inner);
        store(k, k->b, sum(k, times(k, k->row, number(k, 7)), at));
        close_if(k, outer, good);
        Verdict v = verdict(k, NULL); /* cases do not look into guards on data */
        compilation_destroy(k->c);
        assert_int_equal(v.is_proven, !wrong);
    }
}

/* A chunk each: b[g * chunk + t], t < min(chunk, m - g * chunk), with chunk = m / n + 1. */
static void chunks_of_a_length_that_the_host_knows(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *chunk = scalar(k, "chunk"), *t = scalar(k, "t");
        const KernelExp *m = use(k, k->m);
        kernel_declare(&k->host, chunk, sum(k, kernel_divide(k->c, m, use(k, k->n)), number(k, 1)));
        const KernelExp *first = declare(k, "first", times(k, k->row, use(k, chunk)));
        KernelBuilder inner, *outer = open_block(k, &inner);
        store(k, k->b, sum(k, first, use(k, t)));
        close_for(k, outer, t,
                  wrong ? m : op(k, CORE_MIN, use(k, chunk), op(k, CORE_SUB, m, first)));
        assert_either(k, !wrong);
    }
}

/* Whole tiles of 4, b[4 * g + k] for g < m / 4; the rest, b[m / 4 * 4 + g], or from before there. */
static void two_parts_with_a_bound_between_them(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        Built *k = begin(KERNEL_GRID);
        const KernelExp *tiles = kernel_divide(k->c, use(k, k->m), number(k, 4));
        k->count = sum(k, tiles, number(k, 3));
        KernelBuilder inner, loop, *outer = open_block(k, &inner);
        KernelVariable *t = scalar(k, "k");
        KernelBuilder *before = open_block(k, &loop);
        store(k, k->b, sum(k, times(k, k->row, number(k, 4)), use(k, t)));
        close_for(k, before, t, number(k, 4));
        close_if(k, outer, op(k, CORE_LT, k->row, tiles));
        store(k, k->b,
              sum(k, times(k, tiles, number(k, 4)), op(k, CORE_SUB, k->row, number(k, wrong))));
        assert_either(k, !wrong);
    }
}

/* A width of the host's that is a sum stays one number, of which the sum is known. */
static void a_padded_width(void **state)
{
    (void)state;
    for (int64_t wrong = 0; wrong < 2; wrong++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *width = scalar(k, "width"), *j = scalar(k, "j");
        kernel_declare(&k->host, width, sum(k, use(k, k->m), number(k, 1)));
        KernelBuilder inner, *outer = open_block(k, &inner);
        store(k, k->b, sum(k, times(k, k->row, use(k, width)), use(k, j)));
        close_for(k, outer, j, sum(k, use(k, k->m), number(k, 1 + wrong)));
        assert_either(k, !wrong);
    }
}

/* One number more than one that the host has checked not to be negative, as a stride, and written out; without the check; where it
   has changed since. */
static void a_stride_that_was_checked(void **state)
{
    (void)state;
    enum { CHECKED, WRITTEN_OUT, UNCHECKED, CHANGED, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *less = scalar(k, "less"), *stride = scalar(k, "stride");
        KernelVariable *good = kernel_variable(k->c, "good", CORE_BOOL, KERNEL_SCALAR, NO_SPAN);
        kernel_declare(&k->host, less, op(k, CORE_SUB, use(k, k->m), number(k, 5)));
        kernel_declare(&k->host, good, op(k, CORE_GE, use(k, less), number(k, 0)));
        if (which != UNCHECKED) {
            kernel_check(&k->host, NULL, use(k, good), NULL, 0, 0, NULL);
        }
        if (which == CHANGED) {
            kernel_assign(&k->host, less, op(k, CORE_SUB, use(k, less), number(k, 1)));
        }
        kernel_declare(&k->host, stride, sum(k, use(k, less), number(k, 1)));
        store(k, k->b,
              which == WRITTEN_OUT ? sum(k, times(k, k->row, use(k, less)), k->row)
                                   : times(k, k->row, use(k, stride)));
        if (which == CHECKED || which == WRITTEN_OUT) {
            assert_proven(k);
        } else {
            assert_open(k);
        }
    }
}

/* A size of the host's that is assigned again is not what its neighbours were computed from. */
static void a_size_that_changes_is_not_what_it_was(void **state)
{
    (void)state;
    Built *k = begin(KERNEL_GRID);
    KernelVariable *now = scalar(k, "now"), *width = scalar(k, "width"), *j = scalar(k, "j");
    kernel_declare(&k->host, now, use(k, k->m));
    kernel_declare(&k->host, width, sum(k, use(k, now), number(k, 1)));
    kernel_assign(&k->host, now, times(k, use(k, now), number(k, 2)));
    KernelBuilder inner, *outer = open_block(k, &inner);
    store(k, k->b, sum(k, times(k, k->row, use(k, width)), use(k, j)));
    close_for(k, outer, j, use(k, now));
    Verdict v = verdict(k, NULL);
    compilation_destroy(k->c);
    assert_int_equal(v.is_proven, false);
}

/* In a loop of the host it is what it was in the same iteration, but not what it was before the loop. */
static void a_size_of_the_same_iteration(void **state)
{
    (void)state;
    for (int before = 0; before < 2; before++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *width = scalar(k, "width"), *j = scalar(k, "j");
        k->loop = kernel_builder(k->c, NO_SPAN);
        k->changes = scalar(k, "now");
        kernel_declare(&k->host, k->changes, use(k, k->m));
        kernel_declare(before ? &k->host : &k->loop, width,
                       sum(k, use(k, k->changes), number(k, 1)));
        KernelBuilder inner, *outer = open_block(k, &inner);
        store(k, k->b, sum(k, times(k, k->row, use(k, width)), use(k, j)));
        close_for(k, outer, j, use(k, k->changes));
        Verdict v = verdict(k, NULL);
        compilation_destroy(k->c);
        assert_int_equal(v.is_proven, !before);
    }
}

/* A scalar has the value it was given last, and none that a loop or branch may have changed. */
static void scalars_that_are_assigned_are_followed(void **state)
{
    (void)state;
    enum { STRAIGHT, LOOP, BRANCH, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *at = scalar(k, "at"), *t = scalar(k, "t");
        kernel_declare(k->at, at, k->row);
        KernelBuilder inner, *outer = open_block(k, &inner);
        kernel_assign(k->at, at, sum(k, use(k, at), number(k, 1)));
        if (which == STRAIGHT) {
            k->at = outer;
            kernel_assign(k->at, at, sum(k, use(k, at), number(k, 1)));
        } else if (which == LOOP) {
            close_for(k, outer, t, number(k, 2));
        } else {
            close_if(k, outer, op(k, CORE_GT, kernel_load(k->c, k->a, k->row), number(k, 0)));
        }
        store(k, k->b, use(k, at));
        Verdict v = verdict(k, NULL);
        compilation_destroy(k->c);
        assert_int_equal(v.is_proven, which == STRAIGHT);
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* i = group * 8 + l; for (t ...) b[i + t * n * 8], or with a stride of n * 8 - 1 */
static void strides_of_all_work_items(void **state)
{
    (void)state;
    for (int64_t wrong = 0; wrong < 2; wrong++) {
        Built *k = begin(KERNEL_GROUP);
        KernelVariable *items = scalar(k, "items"), *t = scalar(k, "t");
        kernel_declare(&k->host, items, times(k, use(k, k->n), number(k, ITEMS)));
        KernelBuilder local, inner, *outer = open_local(k, &local);
        const KernelExp *i = declare(k, "i", sum(k, times(k, k->row, number(k, ITEMS)), k->item));
        KernelBuilder *before = open_block(k, &inner);
        const KernelExp *stride = op(k, CORE_SUB, use(k, items), number(k, wrong));
        store(k, k->b, sum(k, i, times(k, use(k, t), stride)));
        close_for(k, before, t, use(k, k->m));
        close_local(k, outer);
        assert_either(k, !wrong);
    }
}

/* b[m - 3 * g + k], k < 3: backwards; with strides of 2 the last of one is the first of another */
static void strides_backwards(void **state)
{
    (void)state;
    for (int64_t stride = 1; stride <= 3; stride++) {
        for (int64_t count = 1; count <= 3; count++) {
            Built *k = begin(KERNEL_GRID);
            KernelVariable *t = scalar(k, "t");
            KernelBuilder inner, *before = open_block(k, &inner);
            const KernelExp *place = sum(k, use(k, k->m), times(k, k->row, number(k, -stride)));
            store(k, k->b, sum(k, place, use(k, t)));
            close_for(k, before, t, number(k, count));
            assert_either(k, count <= stride);
        }
    }
}

/* x[l + l / 4 + 10 * t] of 8 work-items, t < 3: rows of 4 with a gap; 9 is the least that is right */
static void padding_against_bank_conflicts(void **state)
{
    (void)state;
    for (int64_t stride = 8; stride <= 10; stride++) {
        Built *k = begin(KERNEL_GROUP);
        KernelBuilder local, inner, *outer = open_local(k, &local);
        KernelVariable *t = scalar(k, "t");
        const KernelExp *quarter = kernel_divide(k->c, k->item, number(k, 4));
        const KernelExp *place = declare(k, "place", sum(k, k->item, quarter));
        KernelBuilder *before = open_block(k, &inner);
        store(k, k->x, sum(k, place, times(k, use(k, t), number(k, stride))));
        close_for(k, before, t, number(k, 3));
        close_local(k, outer);
        assert_either(k, stride >= 9);
    }
}

/* Rows r = l + 8 * t, t < 3, of which 4 have a place of `stride` together */
static void store_by_quarters(Built *k, int64_t stride)
{
    KernelBuilder inner, *before = open_block(k, &inner);
    KernelVariable *t = scalar(k, "t");
    const KernelExp *four = number(k, 4);
    const KernelExp *row = sum(k, k->item, times(k, use(k, t), number(k, ITEMS)));
    row = declare(k, "row", row);
    const KernelExp *quarter = times(k, kernel_divide(k->c, row, four), number(k, stride));
    store(k, k->x, sum(k, quarter, kernel_modulo(k->c, row, four)));
    close_for(k, before, t, number(k, 3));
}

/* if l < m { x[r / 4 * 5 + r % 4] } else { the same }: rows of two loops are the same where both digits are */
static void padding_in_two_loops(void **state)
{
    (void)state;
    for (int64_t stride = 3; stride <= 5; stride++) {
        Built *k = begin(KERNEL_GROUP);
        KernelBuilder local, inner, *outer = open_local(k, &local), *before = open_block(k, &inner);
        const KernelExp *few = op(k, CORE_LT, k->item, use(k, k->m));
        store_by_quarters(k, stride);
        close_if(k, before, few);
        before = open_block(k, &inner);
        store_by_quarters(k, stride);
        close_if(k, before, kernel_unary(k->c, CORE_NOT, few));
        close_local(k, outer);
        assert_either(k, stride >= 4);
    }
}

/* if l == 0 (l < 1, l <= 1) { b[group] }; if i == n * 8 - 1 (i >= ...) { b[0] } */
static void one_work_item_writes(void **state)
{
    (void)state;
    enum { FIRST, BELOW_1, BELOW_2, LAST_ROW, LAST_ROWS, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GROUP);
        bool rows = which == LAST_ROW || which == LAST_ROWS;
        KernelBuilder local, inner, *outer = open_local(k, &local), *before;
        const KernelExp *i = sum(k, times(k, k->row, number(k, ITEMS)), k->item);
        const KernelExp *last =
            op(k, CORE_SUB, times(k, use(k, k->n), number(k, ITEMS)), number(k, 2));
        before = open_block(k, &inner);
        store(k, k->b, rows ? number(k, 0) : k->row);
        close_if(k, before,
                 which == FIRST      ? op(k, CORE_EQ, k->item, number(k, 0))
                 : which == BELOW_1  ? op(k, CORE_LT, k->item, number(k, 1))
                 : which == BELOW_2  ? op(k, CORE_LT, k->item, number(k, 2))
                 : which == LAST_ROW ? op(k, CORE_EQ, i, last)
                                     : op(k, CORE_GE, i, last));
        close_local(k, outer);
        assert_either(k, which != BELOW_2 && which != LAST_ROWS);
    }
}

/* x[l] = ...; barrier; x[7 - l]: without the barrier; in a loop, where one barrier is too few */
static void barriers_separate(void **state)
{
    (void)state;
    enum { BARRIER, NO_BARRIER, LOOP, HALF_LOOP, MAYBE, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GROUP);
        KernelVariable *t = scalar(k, "t"), *u = scalar(k, "u");
        KernelBuilder loop, inner, maybe, *outer = open_block(k, &loop), *before;
        before = open_local(k, &inner);
        store(k, k->x, k->item);
        close_local(k, before);
        if (which == MAYBE) { /* as often as data of the host say, perhaps never */
            before = open_block(k, &maybe);
            kernel_barrier(k->at);
            close_for(k, before, u, op(k, CORE_SUB, use(k, k->m), number(k, 1)));
        } else if (which != NO_BARRIER) {
            kernel_barrier(k->at);
        }
        before = open_local(k, &inner);
        load(k, k->x, op(k, CORE_SUB, number(k, ITEMS - 1), k->item));
        close_local(k, before);
        if (which == LOOP) {
            kernel_barrier(k->at);
        }
        bool once = which != LOOP && which != HALF_LOOP;
        close_for(k, outer, t, number(k, once ? 1 : 3));
        Verdict v = verdict(k, NULL);
        compilation_destroy(k->c);
        assert_int_equal(v.is_proven, which == LOOP || which == BARRIER);
        assert_int_equal(v.race[0] == '\0', which == LOOP || which == BARRIER);
    }
}

/* for (t < 3) x[8 * t + l], then x[8 * t + 7 - l] in the same loop: nothing between iterations, but
 * each has places of its own. */
static void iterations_without_a_barrier_are_mixed(void **state)
{
    (void)state;
    for (int64_t wrong = 0; wrong < 2; wrong++) {
        Built *k = begin(KERNEL_GROUP);
        KernelVariable *t = scalar(k, "t");
        KernelBuilder loop, inner, *outer = open_block(k, &loop), *before;
        before = open_local(k, &inner);
        store(k, k->x, sum(k, times(k, use(k, t), number(k, ITEMS - wrong)), k->item));
        close_local(k, before);
        close_for(k, outer, t, number(k, 3));
        assert_either(k, !wrong);
    }
}

/* b[group] by all groups; the last of them (or any) writes b[n + 1 + l] = b[...] of all. */
static void the_last_group_comes_after_all(void **state)
{
    (void)state;
    enum { RIGHT, RIGHT_BY_COUNT, NOT_ASKED, TOO_LATE, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GROUP);
        KernelVariable *last = buffer(k, "last", CORE_BOOL, KERNEL_LOCAL), *t = scalar(k, "t");
        KernelBuilder local, inner, *outer = open_local(k, &local), *before;
        KernelVariable *other = buffer(k, "other", CORE_I64, KERNEL_GLOBAL);
        kernel_allocate(&k->host, other, number(k, ITEMS));
        const KernelExp *is_last = kernel_load(k->c, last, number(k, 0));
        const KernelExp *first = op(k, CORE_EQ, k->item, number(k, 0));
        if (which == TOO_LATE) { /* arrives before it writes */
            k->at = outer;
            kernel_declare_buffer(k->at, last, 1);
            kernel_arrive(k->at, last);
            k->at = &local;
        }
        before = open_block(k, &inner);
        store(k, k->b, k->row);
        close_if(k, before, first);
        close_local(k, outer);
        if (which != TOO_LATE) {
            kernel_declare_buffer(k->at, last, 1);
            kernel_arrive(k->at, last);
        } else {
            kernel_barrier(k->at);
        }
        outer = open_local(k, &local);
        before = open_block(k, &inner);
        load(k, k->b, use(k, t));
        store(k, other, k->item);
        const KernelExp *n = use(k, k->n);
        if (which == RIGHT_BY_COUNT) {
            close_for(k, before, t, kernel_select(k->c, is_last, n, number(k, 0)));
        } else {
            kernel_declare(k->at, t, number(k, 0));
            k->at = before;
            KernelBuilder again;
            open_block(k, &again);
            load(k, k->b, number(k, 0));
            store(k, other, k->item);
            close_if(k, before,
                     which == NOT_ASKED ? op(k, CORE_GE, k->item, number(k, 0)) : is_last);
        }
        close_local(k, outer);
        assert_either(k, which == RIGHT || which == RIGHT_BY_COUNT);
    }
}

/* tile = ticket; b[tile * 8 + l], or b[tile * 7 + l] */
static void no_two_groups_have_one_ticket(void **state)
{
    (void)state;
    for (int64_t wrong = 0; wrong < 2; wrong++) {
        Built *k = begin(KERNEL_GROUP);
        KernelVariable *ticket = buffer(k, "ticket", CORE_I64, KERNEL_LOCAL);
        kernel_declare_buffer(k->at, ticket, 1);
        kernel_ticket(k->at, ticket, 1);
        const KernelExp *tile = load(k, ticket, number(k, 0));
        KernelBuilder local, *outer = open_local(k, &local);
        store(k, k->b, sum(k, times(k, tile, number(k, ITEMS - wrong)), k->item));
        close_local(k, outer);
        assert_either(k, !wrong);
    }
}

/* Steps in which each group writes its part of b and reads the next part of what was b. */
static void groups_that_meet_exchange_buffers(void **state)
{
    (void)state;
    enum { RIGHT, NO_MEETING, NO_EXCHANGE, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GROUP);
        KernelVariable *other = buffer(k, "other", CORE_I64, KERNEL_GLOBAL), *s = scalar(k, "s");
        kernel_allocate(&k->host, other, number(k, 1 << 20));
        kernel_allocate(&k->host, k->b, number(k, 1 << 20));
        KernelBuilder loop, local, *outer = open_block(k, &loop), *before;
        before = open_local(k, &local);
        const KernelExp *own =
            declare(k, "own", sum(k, times(k, k->row, number(k, ITEMS)), k->item));
        load(k, which == NO_EXCHANGE ? k->b : other, sum(k, own, number(k, ITEMS)));
        store(k, k->b, own);
        close_local(k, before);
        if (which != NO_MEETING) {
            kernel_meet(k->at);
        }
        if (which != NO_EXCHANGE) {
            kernel_swap(k->at, k->b, other);
        }
        close_for(k, outer, s, use(k, k->m));
        assert_either(k, which == RIGHT);
    }
}

/* Steps in which work-items read what their neighbours have made in the step before: two arrays of the group change
   places. */
static void work_items_exchange_local_buffers(void **state)
{
    (void)state;
    enum { RIGHT, IN_A_LOOP, NO_BARRIER, READS_NEXT, READS_LATER, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GROUP);
        KernelVariable *next = buffer(k, "next", CORE_I64, KERNEL_LOCAL), *s = scalar(k, "s"),
                       *again = scalar(k, "again");
        kernel_declare_buffer(k->at, next, ITEMS);
        KernelBuilder loops, loop, local, *top = open_block(k, &loops), *outer, *before;
        outer = open_block(k, &loop);
        before = open_local(k, &local);
        const KernelExp *beside =
            kernel_modulo(k->c, sum(k, k->item, number(k, 1)), number(k, ITEMS));
        load(k, which == READS_NEXT ? next : k->x, beside);
        store(k, next, k->item);
        close_local(k, before);
        if (which != NO_BARRIER) {
            kernel_barrier(k->at);
        }
        if (which == READS_LATER) {
            load(k, k->x, number(k, 3));
        }
        kernel_swap(k->at, k->x, next);
        close_for(k, outer, s, use(k, k->m));
        close_for(k, top, again, number(k, which == IN_A_LOOP ? 3 : 1));
        if (which == IN_A_LOOP || which == RIGHT) {
            assert_proven(k);
        } else {
            assert_open(k);
        }
    }
}

/* ---- powers of 2, cases ----------------------------------------------------------------------- */

/* levels = 1 + i64(n > 3) + i64(n > 9),  lanes = 1 << levels,  several = i64(m > 1) */
static Built *begin_lanes(void)
{
    Built *k = begin(KERNEL_GROUP);
    k->levels = on_host(k, "levels",
                        sum(k, sum(k, number(k, 1), is_more(k, k->n, 3)), is_more(k, k->n, 9)));
    k->lanes = on_host(k, "lanes", op(k, CORE_SHL, number(k, 1), k->levels));
    k->several = on_host(k, "several", is_more(k, k->m, 1));
    return k;
}

/* Step t of a tree: if (l & (2 << t) - 1) == 0 { x[l] = x[l] + x[l + (1 << t)] } */
static void trees_of_any_height(void **state)
{
    (void)state;
    enum { RIGHT, HALF_THE_MASK, TWICE_AS_FAR, NO_BARRIER, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin_lanes();
        KernelVariable *t = scalar(k, "t");
        KernelBuilder loop, local, inner, *outer = open_block(k, &loop), *before;
        if (which != NO_BARRIER) {
            kernel_barrier(k->at);
        }
        before = open_local(k, &local);
        const KernelExp *far = op(k, CORE_SHL, number(k, 1), use(k, t));
        const KernelExp *mask = op(k, CORE_SUB, sum(k, far, far), number(k, 1));
        if (which == HALF_THE_MASK) {
            mask = op(k, CORE_SUB, far, number(k, 1));
        }
        KernelBuilder *at = open_block(k, &inner);
        load(k, k->x, sum(k, k->item, which == TWICE_AS_FAR ? sum(k, far, far) : far));
        store(k, k->x, k->item);
        close_if(k, at, op(k, CORE_EQ, op(k, CORE_AND, k->item, mask), number(k, 0)));
        close_local(k, before);
        close_for(k, outer, t, k->levels);
        assert_either(k, which == RIGHT);
    }
}

/* if (l & lanes - 1) == 0 { b[g * (8 / lanes) + (l >>> levels)] } */
static void lanes_and_slots(void **state)
{
    (void)state;
    enum { RIGHT, ALL_LANES, FEWER_SLOTS, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin_lanes();
        const KernelExp *slots =
            kernel_divide(k->c, number(k, which == FEWER_SLOTS ? ITEMS / 2 : ITEMS), k->lanes);
        slots = on_host(k, "slots", slots);
        KernelBuilder local, inner, *outer = open_local(k, &local), *at = open_block(k, &inner);
        store(k, k->b, sum(k, times(k, k->row, slots), op(k, CORE_SHR, k->item, k->levels)));
        const KernelExp *lane = op(k, CORE_AND, k->item, op(k, CORE_SUB, k->lanes, number(k, 1)));
        close_if(k, at, op(k, which == ALL_LANES ? CORE_GE : CORE_EQ, lane, number(k, 0)));
        close_local(k, outer);
        assert_either(k, which == RIGHT);
    }
}

/* Step t reads the half t % 2 of x, neighbours' elements too, and writes the other. */
static void halves_in_turn(void **state)
{
    (void)state;
    enum { RIGHT, ONE_HALF, SHORT_HALF, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GROUP);
        KernelVariable *t = scalar(k, "t");
        KernelBuilder loop, local, inner, *outer = open_block(k, &loop), *before, *at;
        kernel_barrier(k->at);
        before = open_local(k, &local);
        const KernelExp *half = number(k, which == SHORT_HALF ? ITEMS - 2 : ITEMS);
        const KernelExp *one = number(k, 1), *step = use(k, t);
        const KernelExp *here = sum(k, times(k, op(k, CORE_AND, step, one), half), k->item);
        const KernelExp *next = which == ONE_HALF ? step : sum(k, step, one);
        load(k, k->x, here);
        at = open_block(k, &inner);
        load(k, k->x, op(k, CORE_SUB, here, one));
        close_if(k, at, op(k, CORE_GT, k->item, number(k, 0)));
        store(k, k->x, sum(k, times(k, op(k, CORE_AND, next, one), half), k->item));
        close_local(k, before);
        close_for(k, outer, t, use(k, k->m));
        assert_either(k, which == RIGHT);
    }
}

/* n * m groups store b[g]; the last of those with one g / m takes b[g / m * m + t], t < m, and stores other[g / m] */
static void the_last_group_of_a_class(void **state)
{
    (void)state;
    enum { RIGHT, OTHER_CLASS, ONE_MORE, NOT_ASKED, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GROUP);
        KernelVariable *last = buffer(k, "last", CORE_BOOL, KERNEL_LOCAL), *t = scalar(k, "t");
        KernelVariable *other = buffer(k, "other", CORE_I64, KERNEL_GLOBAL);
        kernel_allocate(&k->host, other, use(k, k->n));
        kernel_allocate(&k->host, k->b, times(k, use(k, k->n), use(k, k->m)));
        k->count = times(k, k->count, use(k, k->m));
        const KernelExp *parts = on_host(k, "parts", op(k, CORE_MAX, use(k, k->m), number(k, 1)));
        kernel_declare_buffer(k->at, last, 1);
        KernelBuilder local, inner, loop, *outer = open_local(k, &local), *at, *before;
        at = open_block(k, &inner);
        store(k, k->b, k->row);
        close_if(k, at, op(k, CORE_EQ, k->item, number(k, 0)));
        close_local(k, outer);
        const KernelExp *come = which == OTHER_CLASS ? op(k, CORE_ADD, parts, number(k, 1)) : parts;
        kernel_arrive_at(k->at, last, kernel_divide(k->c, k->row, come), come);
        outer = open_local(k, &local);
        at = open_block(k, &inner);
        const KernelExp *class = declare(k, "class", kernel_divide(k->c, k->row, parts));
        before = open_block(k, &loop);
        load(k, k->b, sum(k, times(k, class, parts), use(k, t)));
        close_for(k, before, t, which == ONE_MORE ? op(k, CORE_ADD, parts, number(k, 1)) : parts);
        store(k, other, class);
        const KernelExp *first = op(k, CORE_EQ, k->item, number(k, 0));
        const KernelExp *is_last = kernel_load(k->c, last, number(k, 0));
        close_if(k, at, which == NOT_ASKED ? first : op(k, CORE_AND, first, is_last));
        close_local(k, outer);
        if (which == OTHER_CLASS) { /* who is the last then, no case tells */
            assert_open(k);
        } else {
            assert_either(k, which == RIGHT);
        }
    }
}

/* b[several ? g / m * m + g % m : g]: two cases of the host's; or with m + 1 for m in the one */
static void cases_that_the_host_knows(void **state)
{
    (void)state;
    for (int64_t more = 0; more < 2; more++) {
        Built *k = begin_lanes();
        k->count = times(k, number(k, 3), sum(k, use(k, k->n), use(k, k->m)));
        const KernelExp *m = use(k, k->m), *parts = op(k, CORE_ADD, m, number(k, more));
        const KernelExp *is = op(k, CORE_NE, k->several, number(k, 0));
        KernelBuilder local, inner, *outer = open_local(k, &local), *at = open_block(k, &inner);
        const KernelExp *high =
            declare(k, "high", kernel_select(k->c, is, kernel_divide(k->c, k->row, parts), k->row));
        const KernelExp *low = declare(
            k, "low", kernel_select(k->c, is, kernel_modulo(k->c, k->row, parts), number(k, 0)));
        const KernelExp *step = declare(k, "step", kernel_select(k->c, is, m, number(k, 1)));
        store(k, k->b, sum(k, times(k, high, step), low));
        close_if(k, at, op(k, CORE_EQ, k->item, number(k, 0)));
        close_local(k, outer);
        assert_either(k, more == 0);
    }
}

/* ---- shares of rows --------------------------------------------------------------------------- */

/* b[row * m + j], j < m, for the group's share of n rows; or shares that are not side by side, or rows that overlap */
static void groups_share_rows(void **state)
{
    (void)state;
    for (int which = 0; which <= SHARES_CASES; which++) {
        Built *k = begin_shares();
        KernelVariable *j = scalar(k, "j");
        const KernelExp *m = use(k, k->m);
        KernelBuilder local, inner, *outer = open_block(k, &local), *at;
        Share s;
        open_share(k, &s, most(k, use(k, k->n), number(k, 0)), which);
        at = open_block(k, &inner);
        store(k, k->b, sum(k, times(k, s.row, m), use(k, j)));
        close_for(k, at, j, which == SHARES_CASES ? sum(k, m, number(k, 1)) : m);
        close_share(k, &s);
        close_single(k, outer);
        assert_either(k, which == SHARED);
    }
}

/* How many rows there are depends on the group: then a share says nothing of it. */
static void shares_of_different_rows(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        Built *k = begin_shares();
        const KernelExp *n = use(k, k->n);
        KernelBuilder local, *outer = open_block(k, &local);
        const KernelExp *rows =
            kernel_select(k->c, op(k, CORE_GE, wrong ? k->row : n, number(k, 1)), n, sum(k, n, n));
        Share s;
        open_share(k, &s, declare(k, "rows", rows), SHARED);
        store(k, k->b, s.row);
        close_share(k, &s);
        close_single(k, outer);
        assert_either(k, !wrong);
    }
}

/* Two loops over rows: the same group has one row in both, unless there are more rows in one of them, or they lie
   elsewhere. */
static void loops_that_are_shared_out_alike(void **state)
{
    (void)state;
    enum { RIGHT, MORE_ROWS, ELSEWHERE, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin_shares();
        const KernelExp *n = use(k, k->n), *one = number(k, 1);
        KernelBuilder local, *outer = open_block(k, &local);
        Share s, t;
        open_share(k, &s, n, SHARED);
        store(k, k->b, s.row);
        close_share(k, &s);
        open_share(k, &t, which == MORE_ROWS ? sum(k, n, one) : n, SHARED);
        store(k, k->b, which == ELSEWHERE ? sum(k, t.row, one) : t.row);
        close_share(k, &t);
        close_single(k, outer);
        assert_either(k, which == RIGHT);
    }
}

/* low = min(4, n), high = max(low, min(n - 1, n)): rows below low, from low to high, from high on, each shared out by
   itself. */
static void borders_and_what_is_between(void **state)
{
    (void)state;
    enum { RIGHT, HIGH_BELOW_LOW, LOW_ABOVE, EARLIER, BEYOND_HIGH, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin_shares();
        const KernelExp *n = use(k, k->n), *one = number(k, 1), *four = number(k, 4);
        KernelBuilder local, *outer = open_block(k, &local);
        const KernelExp *low = declare(k, "low", which == LOW_ABOVE ? four : least(k, four, n)),
                        *end = least(k, less(k, n, one), n),
                        *high =
                            declare(k, "high", which == HIGH_BELOW_LOW ? end : most(k, low, end)),
                        *zero = number(k, 0), *inner = most(k, less(k, high, low), zero);
        Share s, t, u;
        open_share(k, &s, most(k, low, zero), SHARED);
        store(k, k->b, s.row);
        close_share(k, &s);
        open_share(k, &t, which == BEYOND_HIGH ? sum(k, inner, one) : inner, SHARED);
        store(k, k->b, sum(k, t.row, which == EARLIER ? number(k, 3) : four));
        close_share(k, &t);
        open_share(k, &u, most(k, less(k, n, high), zero), SHARED);
        store(k, k->b, sum(k, u.row, high));
        close_share(k, &u);
        close_single(k, outer);
        assert_either(k, which == RIGHT || which == LOW_ABOVE);
    }
}

/* Rows of m that a work-item has in parts: columns below high = max(0, min(n, m)), and the rest of them. */
static void borders_within_rows(void **state)
{
    (void)state;
    enum { RIGHT, NOT_WITHIN, ONE_MORE, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *i = scalar(k, "i"), *j = scalar(k, "j");
        const KernelExp *m = use(k, k->m), *zero = number(k, 0), *one = number(k, 1),
                        *start = declare(k, "start", times(k, k->row, m)),
                        *bound = sum(k, use(k, k->n), one),
                        *high = declare(
                            k, "high",
                            most(k, zero, which == NOT_WITHIN ? bound : least(k, bound, m)));
        KernelBuilder first, last, *outer = open_block(k, &first);
        store(k, k->b, sum(k, start, use(k, i)));
        close_for(k, outer, i, high);
        outer = open_block(k, &last);
        const KernelExp *at = declare(k, "at", sum(k, use(k, j), high));
        store(k, k->b, sum(k, start, which == ONE_MORE ? sum(k, at, one) : at));
        close_for(k, outer, j, less(k, m, high));
        assert_either(k, which == RIGHT);
    }
}

/* few = m >= 2 ? min(n, 5) : 0: the first few rows, and the others behind them. */
static void a_few_rows_and_the_others(void **state)
{
    (void)state;
    enum { RIGHT, BEHIND_OTHERS, ALL_AGAIN, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin_shares();
        const KernelExp *n = use(k, k->n), *zero = number(k, 0);
        KernelBuilder local, *outer = open_block(k, &local);
        const KernelExp *has_few = op(k, CORE_GE, use(k, k->m), number(k, 2)),
                        *all = declare(k, "all", most(k, n, zero)),
                        *few = declare(
                            k, "few",
                            kernel_select(k->c, has_few, least(k, all, number(k, 5)), zero)),
                        *first = which == BEHIND_OTHERS ? number(k, 4) : few;
        Share s, t;
        open_share(k, &s, most(k, few, zero), SHARED);
        store(k, k->b, s.row);
        close_share(k, &s);
        open_share(k, &t, most(k, which == ALL_AGAIN ? all : less(k, all, few), zero), SHARED);
        store(k, k->b, sum(k, t.row, which == ALL_AGAIN ? zero : first));
        close_share(k, &t);
        close_single(k, outer);
        assert_either(k, which == RIGHT);
    }
}

/* p[0] = g; b[p[0]]: it is not known what comes out of a work-item's own memory, so that it is no race that is seen */
static void own_memory_is_not_looked_into(void **state)
{
    (void)state;
    Built *k = begin(KERNEL_GRID);
    KernelVariable *own = buffer(k, "own", CORE_I64, KERNEL_PRIVATE);
    kernel_declare_buffer(k->at, own, 2);
    kernel_store(k->at, own, number(k, 0), k->row);
    store(k, k->b, sum(k, load(k, own, number(k, 0)), number(k, 1)));
    Verdict v = verdict(k, NULL);
    compilation_destroy(k->c);
    assert_false(v.is_proven);
    assert_string_equal(v.race, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_any_width),
        cmocka_unit_test(quotients_and_remainders_are_digits),
        cmocka_unit_test(a_transposition_writes_each_element_once),
        cmocka_unit_test(quotients_of_one_number_by_products),
        cmocka_unit_test(extents_of_parameters_are_not_negative),
        cmocka_unit_test(lanes_without_a_row_do_nothing),
        cmocka_unit_test(strips_and_what_is_left_over),
        cmocka_unit_test(rows_are_turned_within_themselves),
        cmocka_unit_test(rows_are_written_turned),
        cmocka_unit_test(places_are_turned_alike),
        cmocka_unit_test(rows_are_written_without_the_first),
        cmocka_unit_test(elements_of_matrices_are_put_together),
        cmocka_unit_test(data_choose_within_what_a_guard_says),
        cmocka_unit_test(chunks_of_a_length_that_the_host_knows),
        cmocka_unit_test(two_parts_with_a_bound_between_them),
        cmocka_unit_test(a_padded_width),
        cmocka_unit_test(a_stride_that_was_checked),
        cmocka_unit_test(a_size_that_changes_is_not_what_it_was),
        cmocka_unit_test(a_size_of_the_same_iteration),
        cmocka_unit_test(scalars_that_are_assigned_are_followed),
        cmocka_unit_test(strides_of_all_work_items),
        cmocka_unit_test(strides_backwards),
        cmocka_unit_test(padding_against_bank_conflicts),
        cmocka_unit_test(padding_in_two_loops),
        cmocka_unit_test(one_work_item_writes),
        cmocka_unit_test(barriers_separate),
        cmocka_unit_test(iterations_without_a_barrier_are_mixed),
        cmocka_unit_test(the_last_group_comes_after_all),
        cmocka_unit_test(no_two_groups_have_one_ticket),
        cmocka_unit_test(groups_that_meet_exchange_buffers),
        cmocka_unit_test(work_items_exchange_local_buffers),
        cmocka_unit_test(trees_of_any_height),
        cmocka_unit_test(lanes_and_slots),
        cmocka_unit_test(halves_in_turn),
        cmocka_unit_test(the_last_group_of_a_class),
        cmocka_unit_test(cases_that_the_host_knows),
        cmocka_unit_test(groups_share_rows),
        cmocka_unit_test(shares_of_different_rows),
        cmocka_unit_test(loops_that_are_shared_out_alike),
        cmocka_unit_test(borders_and_what_is_between),
        cmocka_unit_test(borders_within_rows),
        cmocka_unit_test(a_few_rows_and_the_others),
        cmocka_unit_test(own_memory_is_not_looked_into),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
