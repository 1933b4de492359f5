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
        cmocka_unit_test(rows_as_long_as_a_product),
        cmocka_unit_test(what_strips_leave_of_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
