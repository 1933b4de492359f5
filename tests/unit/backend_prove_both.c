/* The race prover: two accesses of which one is below the other by what is known of both together, and bounds by products of
 * sizes; each beside the same kernel with one mistake. */
#include "tests/unit/backend_prove.h"

enum { LANES = 3 };

/* b[first + 3 * strip + lane], all lanes of a strip (or one more). */
static void store_strip(Built *k, const KernelExp *first, const KernelExp *strip, int more)
{
    KernelVariable *lane = scalar(k, "lane");
    KernelBuilder inner, *outer = open_block(k, &inner);
    const KernelExp *at = sum(k, times(k, strip, number(k, LANES)), use(k, lane));
    store(k, k->b, sum(k, first, at));
    close_for(k, outer, lane, number(k, LANES + more));
}

/* The first rows, not more than m of them, and the others: of each, strips of three lanes are shared out, and then what is left
   over. What is left over of the others is behind all strips of the first, whose bound nobody knows but who is there. */
static void strips_of_rows_in_two_parts(void **state)
{
    (void)state;
    enum { RIGHT, FOUR_LANES, OTHERS_EARLIER, LEFT_OVER_EARLIER, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin_shares();
        const KernelExp *m = use(k, k->m), *zero = number(k, 0), *one = number(k, 1),
                        *lanes = number(k, LANES);
        k->count = sum(k, use(k, k->n), m);
        KernelBuilder local, *outer = open_block(k, &local);
        const KernelExp *rows = declare(k, "rows", most(k, k->count, zero)),
                        *few = declare(k, "few", most(k, least(k, rows, m), zero));
        for (int part = 0; part < 2; part++) {
            const KernelExp *count =
                declare(k, "count", part == 0 ? few : most(k, less(k, rows, few), zero));
            const KernelExp *strips = declare(k, "strips", kernel_divide(k->c, count, lanes)),
                            *start = declare(k, "start", times(k, strips, lanes)),
                            *first = part == 0                 ? zero
                                     : which == OTHERS_EARLIER ? less(k, few, one)
                                                               : few;
            Share s, t;
            open_share(k, &s, strips, SHARED);
            store_strip(k, first, s.row, which == FOUR_LANES);
            close_share(k, &s);
            const KernelExp *left = less(k, count, start);
            open_share(k, &t, declare(k, "left", most(k, left, zero)), SHARED);
            const KernelExp *at = sum(k, start, t.row);
            at = which == LEFT_OVER_EARLIER && part == 1 ? less(k, at, one) : at;
            store(k, k->b, sum(k, first, at));
            close_share(k, &t);
        }
        close_single(k, outer);
        assert_either(k, which == RIGHT);
    }
}

/* Group 0 writes strips below a bound, group 1 what is from the bound on: where that is another for each, they meet. */
static void bounds_that_each_has_for_itself(void **state)
{
    (void)state;
    enum { RIGHT, OWN_BOUND, EARLIER, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *strip = scalar(k, "strip"), *j = scalar(k, "j");
        const KernelExp *m = use(k, k->m), *zero = number(k, 0), *one = number(k, 1),
                        *bound = which == OWN_BOUND ? less(k, m, k->row) : m;
        bound = declare(k, "bound", most(k, bound, zero));
        KernelBuilder first, second, inner, *outer = open_block(k, &first), *at;
        at = open_block(k, &inner);
        store_strip(k, zero, use(k, strip), 0);
        close_for(k, at, strip, kernel_divide(k->c, bound, number(k, LANES)));
        close_if(k, outer, op(k, CORE_EQ, k->row, zero));
        open_block(k, &second);
        at = open_block(k, &inner);
        store(k, k->b, sum(k, which == EARLIER ? less(k, bound, one) : bound, use(k, j)));
        close_for(k, at, j, number(k, 3));
        close_if(k, outer, op(k, CORE_EQ, k->row, one));
        assert_either(k, which == RIGHT);
    }
}

/* Whole rows of n * m elements, and the elements behind the last of them: row * (n * m) + column is below rows * (n * m), though
   of neither n nor m it is known that it is not negative. */
static void rows_as_long_as_a_product(void **state)
{
    (void)state;
    enum { RIGHT, WIDE, EARLIER, MORE_ROWS, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin_shares();
        KernelVariable *column = scalar(k, "column"), *size = scalar(k, "size");
        const KernelExp *zero = number(k, 0), *one = number(k, 1),
                        *width = times(k, use(k, k->n), use(k, k->m));
        k->count = times(k, use(k, size), number(k, 9));
        KernelBuilder local, inner, *outer = open_block(k, &local), *at;
        const KernelExp *count = declare(k, "count", most(k, k->count, zero));
        const KernelExp *rows = kernel_select(k->c, op(k, CORE_GE, width, number(k, 2)),
                                              kernel_divide(k->c, count, width), zero);
        rows = declare(k, "rows", most(k, rows, zero));
        Share s, t;
        open_share(k, &s, which == MORE_ROWS ? sum(k, rows, one) : rows, SHARED);
        at = open_block(k, &inner);
        store(k, k->b, sum(k, times(k, s.row, width), use(k, column)));
        close_for(k, at, column, which == WIDE ? sum(k, width, one) : width);
        close_share(k, &s);
        const KernelExp *first = declare(k, "first", times(k, rows, width));
        open_share(k, &t, declare(k, "rest", most(k, less(k, count, first), zero)), SHARED);
        store(k, k->b, sum(k, which == EARLIER ? less(k, first, one) : first, t.row));
        close_share(k, &t);
        close_single(k, outer);
        assert_either(k, which == RIGHT);
    }
}

/* Of each row of m elements the first n, not more than there are: strips, and what is left over, less than a strip. */
static void what_strips_leave_of_a_row(void **state)
{
    (void)state;
    enum { RIGHT, ONE_TOO_MANY, SHORT_ROWS, CASES };
    for (int which = 0; which < CASES; which++) {
        Built *k = begin(KERNEL_GRID);
        KernelVariable *strip = scalar(k, "strip"), *i = scalar(k, "i");
        const KernelExp *m = use(k, k->m), *zero = number(k, 0), *one = number(k, 1),
                        *lanes = number(k, LANES);
        k->count = number(k, 7);
        const KernelExp *row =
            declare(k, "row", times(k, k->row, which == SHORT_ROWS ? less(k, m, one) : m));
        const KernelExp *count = declare(k, "count", most(k, zero, least(k, use(k, k->n), m))),
                        *strips = declare(k, "strips", kernel_divide(k->c, count, lanes));
        KernelBuilder inner, *outer = open_block(k, &inner);
        store_strip(k, row, use(k, strip), 0);
        close_for(k, outer, strip, strips);
        const KernelExp *start = declare(k, "start", times(k, strips, lanes)),
                        *left = less(k, count, start);
        outer = open_block(k, &inner);
        store(k, k->b, sum(k, row, sum(k, start, use(k, i))));
        close_for(k, outer, i, which == ONE_TOO_MANY ? sum(k, left, one) : left);
        assert_either(k, which == RIGHT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strips_of_rows_in_two_parts),
        cmocka_unit_test(bounds_that_each_has_for_itself),
        cmocka_unit_test(rows_as_long_as_a_product),
        cmocka_unit_test(what_strips_leave_of_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
