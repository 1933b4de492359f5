/* The race prover: rows that are longer than what is written at once, written backwards or in blocks, and branches
 * that exclude each other; each beside the same kernel with one mistake. */
#include "tests/unit/backend_prove.h"

/* ---- columns beside a matrix ------------------------------------------------------------------ */

/* m is the last extent of a matrix that is read. */
static void read_matrix(Built *k, KernelVariable *const *extents)
{
    kernel_effect(&k->host, (KernelEffect){.kind = KERNEL_READ,
                                           .variable = k->a,
                                           .extents = extents,
                                           .rank = 2,
                                           .source = buffer(k, "name", CORE_CHAR, KERNEL_GLOBAL),
                                           .second = number(k, 1)});
}

/* b[g * stride + m], stride = m + 1: one column of as many rows as there are groups. m is not negative where it is
   the extent of an array that is read; where it may be -1, or rows are too short, one element is written by all. */
static void a_column_behind_rows_that_are_read(void **state)
{
    (void)state;
    enum { RIGHT, NOT_READ, SHORT_ROWS, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GRID);
        const KernelExp *m = use(k, k->m), *one = number(k, 1);
        KernelVariable *extents[] = {k->n, k->m};
        if (which != NOT_READ) {
            read_matrix(k, extents);
        }
        const KernelExp *stride = on_host(
            k, "stride", which == SHORT_ROWS ? op(k, CORE_DIV, m, number(k, 2)) : sum(k, m, one));
        store(k, k->b, sum(k, times(k, k->row, stride), m));
        if (which == NOT_READ) { /* no case has an extent of -1 */
            assert_open(k);
        } else {
            assert_either(k, which == RIGHT);
        }
    }
}

/* Row g of m + 1 elements: the first m, or all of them, of which the last is the next row's first. */
static void rows_and_the_column_behind_them(void **state)
{
    (void)state;
    enum { RIGHT, RIGHT_WITH_COLUMN, WIDE, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *extents[] = {k->n, k->m}, *j = scalar(k, "j");
        const KernelExp *m = use(k, k->m), *width = on_host(k, "width", sum(k, m, number(k, 1)));
        read_matrix(k, extents);
        KernelBuilder inner, *outer = open_block(k, &inner);
        store(k, k->b, sum(k, times(k, k->row, which == WIDE ? m : width), use(k, j)));
        close_for(k, outer, j, which == RIGHT ? m : width);
        assert_either(k, which != WIDE);
    }
}

/* ---- backwards -------------------------------------------------------------------------------- */

/* b[g * m - (t * n + l)], t * n + l < m and l < n: each row from its end, in pieces of n. Rows of m + 1 overlap, and so
   do rows that one group writes from its end and another from its beginning. */
static void pieces_of_rows_backwards(void **state)
{
    (void)state;
    enum { RIGHT, LONG_ROWS, BOTH_WAYS, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *t = scalar(k, "t"), *l = scalar(k, "l");
        const KernelExp *n = use(k, k->n), *m = use(k, k->m), *first = times(k, k->row, m);
        k->count = number(k, 7);
        KernelBuilder pieces, piece, inner, *outer = open_block(k, &pieces),
                                            *at = open_block(k, &piece);
        const KernelExp *place = declare(k, "place", sum(k, times(k, use(k, t), n), use(k, l))),
                        *end = which == LONG_ROWS ? sum(k, m, number(k, 1)) : m;
        KernelBuilder *before = open_block(k, &inner);
        store(k, k->b, less(k, first, place));
        if (which == BOTH_WAYS) {
            store(k, k->b, sum(k, first, place));
        }
        close_if(k, before, op(k, CORE_LT, place, end));
        close_for(k, at, l, n);
        close_for(k, outer, t, m);
        assert_either(k, which == RIGHT);
    }
}

/* ---- blocks of rows --------------------------------------------------------------------------- */

/* b[(g * n + row) * m + column] for all rows there are in n * m elements, at least 64 in each: the count of rows is
   a quotient, n again. One more row, or one more column, is the next one's. */
static void rows_counted_by_a_quotient(void **state)
{
    (void)state;
    enum { RIGHT, ONE_ROW_MORE, ONE_COLUMN_MORE, ROWS_OF_ANOTHER, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *row = scalar(k, "row"), *column = scalar(k, "column");
        const KernelExp *n = use(k, k->n), *m = use(k, k->m), *zero = number(k, 0),
                        *one = number(k, 1);
        k->count = number(k, 7);
        const KernelExp *size = times(k, n, m), *count = declare(k, "count", most(k, size, zero));
        const KernelExp *rows = declare(k, "rows",
                                        kernel_select(k->c, op(k, CORE_GE, m, number(k, 2)),
                                                      kernel_divide(k->c, count, m), zero));
        rows = which == ONE_ROW_MORE ? sum(k, rows, one) : rows;
        KernelBuilder inner, innermost, *outer = open_block(k, &inner), *at;
        at = open_block(k, &innermost);
        const KernelExp *first =
            times(k, k->row, which == ROWS_OF_ANOTHER ? less(k, size, one) : size);
        store(k, k->b, sum(k, sum(k, first, times(k, use(k, row), m)), use(k, column)));
        close_for(k, at, column, which == ONE_COLUMN_MORE ? sum(k, m, one) : m);
        close_for(k, outer, row, rows);
        assert_either(k, which == RIGHT);
    }
}

/* ---- branches --------------------------------------------------------------------------------- */

enum {
    ONE_ELEMENT,
    ELEMENT_OF_A_GROUP,
    OF_WHAT_IS_WRITTEN,
    OF_THE_SAME_MEMORY,
    OF_OWN_MEMORY,
    BRANCHES_CASES
};

/* What the branches go by: an element that is the same for all is right, and no other. */
static const KernelExp *flag(Built *k, int which)
{
    KernelVariable *own = buffer(k, "own", CORE_I64, KERNEL_PRIVATE);
    switch (which) {
    case ELEMENT_OF_A_GROUP: return kernel_load(k->c, k->a, k->row);
    case OF_WHAT_IS_WRITTEN: return kernel_load(k->c, k->b, number(k, 0));
    case OF_THE_SAME_MEMORY: kernel_alias(&k->host, k->a, k->b); break;
    case OF_OWN_MEMORY:
        kernel_declare_buffer(k->at, own, 1);
        kernel_store(k->at, own, number(k, 0), k->row);
        return kernel_load(k->c, own, number(k, 0));
    }
    return kernel_load(k->c, k->a, number(k, 0));
}

static void assert_proven_if(Built *k, bool right)
{
    Verdict v = verdict(k, NULL);
    compilation_destroy(k->c);
    if (v.is_proven != right) {
        fail_msg("proven: %d; '%s'", v.is_proven, v.open);
    }
}

/* if a[0] >= 0 { b[row of n] } else { b[row of n + m] }: shares of different numbers of rows, of which a group has
   only those of the one or of the other. */
static void branches_of_one_condition(void **state)
{
    (void)state;
    for (int which = 0; which < BRANCHES_CASES; which++) {
        Built *k = begin_shares();
        const KernelExp *n = use(k, k->n);
        KernelBuilder local, first, second, *outer = open_block(k, &local);
        const KernelExp *chosen = op(k, CORE_EQ, flag(k, which), number(k, 5));
        KernelBuilder *at = open_block(k, &first);
        Share s, t;
        open_share(k, &s, n, SHARED);
        store(k, k->b, s.row);
        close_share(k, &s);
        k->at = at;
        open_block(k, &second);
        open_share(k, &t, sum(k, n, use(k, k->m)), SHARED);
        store(k, k->b, t.row);
        close_share(k, &t);
        k->at = at;
        kernel_if(at, chosen, kernel_block(&first), kernel_block(&second));
        close_single(k, outer);
        assert_proven_if(k, which == ONE_ELEMENT);
    }
}

/* if a[0] < 0 { b[g] }  if a[0] >= 0 { b[g + 1] }: never both; with a[0] >= -1 there are both at -1. */
static void conditions_that_contradict_each_other(void **state)
{
    (void)state;
    for (int64_t wrong = 0; wrong < 2; wrong++) {
        for (int which = 0; which < BRANCHES_CASES; which++) {
            Built *k = begin(KERNEL_GRID);
            const KernelExp *x = flag(k, which), *y = flag(k, which);
            KernelBuilder first, second, *at = open_block(k, &first);
            store(k, k->b, k->row);
            close_if(k, at, op(k, CORE_LT, x, number(k, 0)));
            at = open_block(k, &second);
            store(k, k->b, sum(k, k->row, number(k, 1)));
            close_if(k, at, op(k, CORE_GE, y, number(k, -wrong)));
            assert_proven_if(k, which == ONE_ELEMENT && !wrong);
        }
    }
}

/* In a loop of the group's: local (l < 8) { if c { x[l] } else { x[7 - l] } }. What the group has loaded and, with a
   barrier in the loop, the number of the iteration are the same for its work-items. */
static void branches_within_a_group(void **state)
{
    (void)state;
    enum { OF_GROUP, ITERATIONS, MIXED_ITERATIONS, OF_ITEM, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GROUP);
        const KernelExp *loaded = load(k, k->a, k->row);
        KernelVariable *t = scalar(k, "t");
        KernelBuilder loop, local, first, second, *outer = open_block(k, &loop);
        if (which != MIXED_ITERATIONS) {
            kernel_barrier(k->at);
        }
        KernelBuilder *before = open_local(k, &local);
        const KernelExp *chooses = which == OF_GROUP  ? loaded
                                   : which == OF_ITEM ? k->item
                                                      : use(k, t);
        open_block(k, &first);
        store(k, k->x, k->item);
        open_block(k, &second);
        store(k, k->x, less(k, number(k, ITEMS - 1), k->item));
        k->at = &local;
        kernel_if(&local, op(k, CORE_LT, chooses, number(k, 1)), kernel_block(&first),
                  kernel_block(&second));
        close_local(k, before);
        close_for(k, outer, t, number(k, 2));
        assert_proven_if(k, which == OF_GROUP || which == ITERATIONS);
    }
}

/* A scalar that each iteration changes is not one for all: if c == 0 { b[g] } else { b[g + 1] }, c = 1 - c. */
static void what_chooses_changes_in_a_loop(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *c = scalar(k, "c"), *t = scalar(k, "t");
        kernel_declare(k->at, c, kernel_load(k->c, k->a, number(k, 0)));
        KernelBuilder loop, first, second, *outer = open_block(k, &loop);
        open_block(k, &first);
        store(k, k->b, k->row);
        open_block(k, &second);
        store(k, k->b, sum(k, k->row, number(k, 1)));
        k->at = &loop;
        kernel_if(&loop, op(k, CORE_EQ, use(k, c), number(k, 0)), kernel_block(&first),
                  kernel_block(&second));
        if (wrong) {
            kernel_assign(&loop, c, less(k, number(k, 1), use(k, c)));
        }
        close_for(k, outer, t, number(k, 2));
        assert_proven_if(k, !wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_behind_rows_that_are_read),
        cmocka_unit_test(rows_and_the_column_behind_them),
        cmocka_unit_test(pieces_of_rows_backwards),
        cmocka_unit_test(rows_counted_by_a_quotient),
        cmocka_unit_test(branches_of_one_condition),
        cmocka_unit_test(conditions_that_contradict_each_other),
        cmocka_unit_test(branches_within_a_group),
        cmocka_unit_test(what_chooses_changes_in_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
