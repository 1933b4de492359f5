/* The race prover: each of its rules on a kernel built by hand, beside the same kernel with one
 * mistake, of which nothing may be proven; and random kernels, of which nothing may be proven that
 * the search by cases refutes. */
#include "backend/race/race.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

enum { ITEMS = 8 }; /* of a group */

/* A kernel over `count` rows or groups (n, where it is not said), of which b is written. */
typedef struct Built {
    Compilation *c;
    KernelBuilder host, *at; /* at: where commands go */
    KernelBuilder body;
    KernelVariable *n, *m, *g, *a, *b, *x, *l; /* x: of the group; l: of the present LOCAL loop */
    const KernelExp *count, *row, *item;
    KernelLevel level;
} Built;

static const KernelExp *number(Built *k, int64_t value)
{
    return kernel_i64(k->c, value);
}

static const KernelExp *use(Built *k, KernelVariable *variable)
{
    return kernel_use(k->c, variable);
}

static const KernelExp *op(Built *k, CoreOperator which, const KernelExp *x, const KernelExp *y)
{
    return kernel_binary(k->c, which, x, y);
}

static const KernelExp *sum(Built *k, const KernelExp *x, const KernelExp *y)
{
    return op(k, CORE_ADD, x, y);
}

static const KernelExp *times(Built *k, const KernelExp *x, const KernelExp *y)
{
    return op(k, CORE_MUL, x, y);
}

static KernelVariable *scalar(Built *k, const char *text)
{
    return kernel_variable(k->c, text, CORE_I64, KERNEL_SCALAR, NO_SPAN);
}

static KernelVariable *buffer(Built *k, const char *text, CorePrim prim, KernelSpace space)
{
    return kernel_variable(k->c, text, prim, space, NO_SPAN);
}

static const KernelExp *declare(Built *k, const char *text, const KernelExp *value)
{
    KernelVariable *variable = kernel_variable(k->c, text, value->prim, KERNEL_SCALAR, NO_SPAN);
    kernel_declare(k->at, variable, value);
    return use(k, variable);
}

static const KernelExp *load(Built *k, KernelVariable *from, const KernelExp *index)
{
    return declare(k, "x", kernel_load(k->c, from, index));
}

static void store(Built *k, KernelVariable *to, const KernelExp *index)
{
    kernel_store(k->at, to, index, number(k, 1));
}

/* Blocks are built from the inside: what goes into `inner` until it is closed. */
static KernelBuilder *open_block(Built *k, KernelBuilder *inner)
{
    KernelBuilder *outer = k->at;
    *inner = kernel_builder(k->c, NO_SPAN);
    k->at = inner;
    return outer;
}

static void close_if(Built *k, KernelBuilder *outer, const KernelExp *condition)
{
    KernelBlock block = kernel_block(k->at);
    k->at = outer;
    kernel_if(outer, condition, block, (KernelBlock){0});
}

static void close_for(Built *k, KernelBuilder *outer, KernelVariable *i, const KernelExp *count)
{
    KernelBlock block = kernel_block(k->at);
    k->at = outer;
    kernel_for(outer, KERNEL_SEQ, NULL, i, count, block);
}

static KernelBuilder *open_local(Built *k, KernelBuilder *inner)
{
    k->l = scalar(k, "l");
    k->item = use(k, k->l);
    return open_block(k, inner);
}

static void close_local(Built *k, KernelBuilder *outer)
{
    KernelBlock block = kernel_block(k->at);
    k->at = outer;
    kernel_for(outer, KERNEL_LOCAL_LOOP, NULL, k->l, number(k, ITEMS), block);
}

static Built *begin(KernelLevel level)
{
    Compilation *c = compilation_create();
    Built *k = ARENA_NEW(c->arena, Built);
    *k = (Built){.c = c, .level = level};
    c->pass = "test";
    k->host = kernel_builder(c, NO_SPAN);
    k->body = kernel_builder(c, NO_SPAN);
    k->at = &k->body;
    k->n = scalar(k, "n");
    k->m = scalar(k, "m");
    k->g = scalar(k, "g");
    k->a = buffer(k, "a", CORE_I64, KERNEL_GLOBAL);
    k->b = buffer(k, "b", CORE_I64, KERNEL_GLOBAL);
    k->x = buffer(k, "x", CORE_I64, KERNEL_LOCAL);
    k->row = use(k, k->g);
    k->count = use(k, k->n);
    if (level == KERNEL_GROUP) {
        kernel_declare_buffer(&k->body, k->x, 1 << 20);
    }
    return k;
}

typedef struct Verdict {
    bool is_proven;
    char open[300], race[1000]; /* what is not proven; a race by cases, or "" */
} Verdict;

static Verdict verdict(Built *k, Text *text)
{
    Verdict v = {.is_proven = true};
    kernel_for(&k->host, k->level, "map_b_1", k->g, k->count, kernel_block(&k->body));
    static const CoreEntry interface = {.name = "main"};
    KernelEntry entry = {.interface = &interface, .body = kernel_block(&k->host)};
    KernelProgram program = {
        .entry_count = 1, .entries = &entry, .variable_count = k->c->last_number + 1};
    KernelProofVec proofs = kernel_prove_order(k->c, &program);
    assert_int_equal(proofs.count, 1);
    const char *race = race_find(k->c, &program, RACE_BY_CASES);
    v.is_proven = !proofs.items[0].open;
    snprintf(v.open, sizeof v.open, "%s", v.is_proven ? "" : proofs.items[0].open);
    snprintf(v.race, sizeof v.race, "%s", race ? race : "");
    if (text) {
        kernel_print(k->c, text, &program);
    }
    return v;
}

static void assert_proven(Built *k)
{
    Verdict v = verdict(k, NULL);
    compilation_destroy(k->c);
    if (!v.is_proven || v.race[0]) {
        fail_msg("not proven: '%s'; by cases: '%s'", v.open, v.race);
    }
}

/* There is a race. */
static void assert_refused(Built *k)
{
    Verdict v = verdict(k, NULL);
    compilation_destroy(k->c);
    if (v.is_proven || !v.race[0]) {
        fail_msg("proven: %d; by cases: '%s'", v.is_proven, v.race);
    }
}

static void assert_either(Built *k, bool right)
{
    if (right) {
        assert_proven(k);
    } else {
        assert_refused(k);
    }
}

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
        /* a loop of one iteration is one of several for the prover */
        Verdict v = verdict(k, NULL);
        compilation_destroy(k->c);
        assert_int_equal(v.is_proven, which == LOOP);
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
        kernel_ticket(k->at, ticket);
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

/* ---- random kernels -------------------------------------------------------------------------- */

static unsigned next(uint64_t *seed, unsigned below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33) % below;
}

typedef struct Scope {
    const KernelExp *names[12]; /* not negative */
    unsigned count;
} Scope;

static const KernelExp *random_factor(Built *k, uint64_t *seed)
{
    static const int64_t few[] = {1, 1, 2, 3, 4, 5, 8, 12, 16};
    const KernelExp *factor = number(k, few[next(seed, 9)]);
    return next(seed, 5) == 0 ? times(k, factor, use(k, next(seed, 2) ? k->m : k->n)) : factor;
}

static const KernelExp *random_sum(Built *k, uint64_t *seed, const Scope *scope)
{
    const KernelExp *total = number(k, next(seed, 3) / 2);
    unsigned terms = 1 + next(seed, 3);
    for (unsigned i = 0; i < terms; i++) {
        unsigned which = next(seed, scope->count + 1);
        which = which == scope->count ? 0 : which;
        total = sum(k, total, times(k, scope->names[which], random_factor(k, seed)));
    }
    return total;
}

static const KernelExp *random_condition(Built *k, uint64_t *seed, const Scope *scope)
{
    static const CoreOperator compare[] = {CORE_LT, CORE_LE, CORE_GT, CORE_GE, CORE_EQ, CORE_NE};
    const KernelExp *x = scope->names[next(seed, scope->count)];
    const KernelExp *y = next(seed, 3) ? number(k, next(seed, 6)) : random_sum(k, seed, scope);
    const KernelExp *one = op(k, compare[next(seed, 6)], x, y);
    return next(seed, 4)
               ? one
               : op(k, next(seed, 2) ? CORE_AND : CORE_OR, one, random_condition(k, seed, scope));
}

static void random_commands(Built *k, uint64_t *seed, Scope scope, int depth)
{
    unsigned commands = 1 + next(seed, 3);
    KernelVariable *to = k->level == KERNEL_GROUP && next(seed, 2) ? k->x : k->b;
    for (unsigned i = 0; i < commands; i++) {
        KernelBuilder inner, *outer;
        KernelVariable *t = scalar(k, "t");
        const KernelExp *x = scope.names[next(seed, scope.count)], *y;
        switch (next(seed, depth > 0 ? 7 : 4)) {
        case 0: load(k, to, random_sum(k, seed, &scope)); break;
        case 1:
        case 2: store(k, to, random_sum(k, seed, &scope)); break;
        case 3:
            if (scope.count + 2 <= 12) {
                y = next(seed, 3) ? number(k, 2 + next(seed, 4)) : use(k, k->m);
                scope.names[scope.count++] = declare(k, "q", kernel_divide(k->c, x, y));
                scope.names[scope.count++] = declare(k, "r", kernel_modulo(k->c, x, y));
            }
            break;
        case 4:
            y = random_condition(k, seed, &scope);
            outer = open_block(k, &inner);
            random_commands(k, seed, scope, depth - 1);
            close_if(k, outer, y);
            break;
        case 5:
        case 6:
            y = next(seed, 3) ? number(k, 1 + next(seed, 5))
                              : op(k, CORE_MIN, use(k, k->m), number(k, 3));
            outer = open_block(k, &inner);
            if (scope.count < 12) {
                Scope within = scope;
                within.names[within.count++] = use(k, t);
                random_commands(k, seed, within, depth - 1);
            }
            close_for(k, outer, t, y);
            break;
        }
    }
}

static void random_group(Built *k, uint64_t *seed, Scope scope, int depth)
{
    unsigned commands = 1 + next(seed, 3);
    for (unsigned i = 0; i < commands; i++) {
        KernelBuilder inner, *outer;
        KernelVariable *t = scalar(k, "t");
        Scope within = scope;
        switch (next(seed, depth > 0 ? 5 : 4)) {
        case 0:
        case 1:
        case 2:
            outer = open_local(k, &inner);
            within.names[0] = k->item;
            within.names[within.count++] = k->row;
            random_commands(k, seed, within, 1);
            close_local(k, outer);
            break;
        case 3: kernel_barrier(k->at); break;
        case 4:
            outer = open_block(k, &inner);
            within.names[within.count++] = use(k, t);
            random_group(k, seed, within, depth - 1);
            close_for(k, outer, t, number(k, 1 + next(seed, 3)));
            break;
        }
    }
}

/* What is proven has no race at any sizes that are tried. Of the kernels without one a good part is
 * proven, so that the proofs are put to the test. */
static void nothing_is_proven_that_cases_refute(void **state)
{
    (void)state;
    int proven = 0, right = 0;
    const char *wanted = getenv("SEEDS");
    uint64_t seeds = wanted ? (uint64_t)atoll(wanted) : 600;
    for (uint64_t first = 1; first <= seeds; first++) {
        uint64_t seed = first * 7919;
        Built *k = begin(next(&seed, 2) ? KERNEL_GRID : KERNEL_GROUP);
        Scope scope = {.names = {k->row}, .count = 1};
        next(&seed, 2);
        if (k->level == KERNEL_GRID) {
            k->count = next(&seed, 2) ? k->count : times(k, k->count, use(k, k->m));
            random_commands(k, &seed, scope, 2);
        } else {
            random_group(k, &seed, scope, 1);
        }
        Text text = text_create(k->c->arena);
        Verdict v = verdict(k, &text);
        if (v.is_proven && v.race[0]) {
            print_error("%s\n", text_get(&text));
            fail_msg("seed %u: proven, but %s", (unsigned)first, v.race);
        }
        proven += v.is_proven;
        right += v.race[0] == '\0';
        compilation_destroy(k->c);
    }
    if (wanted) {
        print_message("%d of %d\n", proven, right);
    }
    assert_true(3 * proven > right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_any_width),
        cmocka_unit_test(quotients_and_remainders_are_digits),
        cmocka_unit_test(a_transposition_writes_each_element_once),
        cmocka_unit_test(strips_and_what_is_left_over),
        cmocka_unit_test(data_choose_within_what_a_guard_says),
        cmocka_unit_test(chunks_of_a_length_that_the_host_knows),
        cmocka_unit_test(two_parts_with_a_bound_between_them),
        cmocka_unit_test(a_padded_width),
        cmocka_unit_test(a_size_that_changes_is_not_what_it_was),
        cmocka_unit_test(scalars_that_are_assigned_are_followed),
        cmocka_unit_test(strides_of_all_work_items),
        cmocka_unit_test(padding_against_bank_conflicts),
        cmocka_unit_test(one_work_item_writes),
        cmocka_unit_test(barriers_separate),
        cmocka_unit_test(iterations_without_a_barrier_are_mixed),
        cmocka_unit_test(the_last_group_comes_after_all),
        cmocka_unit_test(no_two_groups_have_one_ticket),
        cmocka_unit_test(groups_that_meet_exchange_buffers),
        cmocka_unit_test(nothing_is_proven_that_cases_refute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
