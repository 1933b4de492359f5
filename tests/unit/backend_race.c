/* The race check: kernels built by hand, each right and with one mistake. That the compiler's own
 * kernels pass is shown by every other test, which all run with --verify-each. */
#include "backend/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

/* A program of one kernel over n rows. */
typedef struct Built {
    Compilation *c;
    KernelBuilder host, body;
    KernelVariable *n, *g, *a, *b;
    const KernelExp *row; /* g */
    KernelLevel level;
} Built;

static KernelVariable *scalar(Built *k, const char *text)
{
    return kernel_variable(k->c, text, CORE_I64, KERNEL_SCALAR, NO_SPAN);
}

static KernelVariable *buffer(Built *k, const char *text, KernelSpace space)
{
    return kernel_variable(k->c, text, CORE_I64, space, NO_SPAN);
}

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

static const KernelExp *plus(Built *k, const KernelExp *x, int64_t y)
{
    return op(k, CORE_ADD, x, number(k, y));
}

static Built begin(KernelLevel level)
{
    Built k = {.c = compilation_create(), .level = level};
    k.c->pass = "test";
    k.host = kernel_builder(k.c, NO_SPAN);
    k.body = kernel_builder(k.c, NO_SPAN);
    k.n = scalar(&k, "n");
    k.g = scalar(&k, level == KERNEL_GRID ? "g" : "group");
    k.a = buffer(&k, "a", KERNEL_GLOBAL);
    k.b = buffer(&k, "b", KERNEL_GLOBAL);
    k.row = use(&k, k.g);
    kernel_allocate(&k.host, k.a, use(&k, k.n));
    kernel_allocate(&k.host, k.b, op(&k, CORE_MUL, use(&k, k.n), number(&k, 4096)));
    return k;
}

/* What the check says; the copy outlives the compilation. */
static const char *verdict(Built *k)
{
    static char text[1000];
    kernel_for(&k->host, k->level, "map_b_1", k->g, use(k, k->n), kernel_block(&k->body));
    KernelEntry entry = {.body = kernel_block(&k->host)};
    KernelProgram program = {.entry_count = 1,
                             .body_count = 1,
                             .entries = &entry,
                             .variable_count = k->c->last_number + 1};
    const char *race = kernel_find_race(k->c, &program, NULL);
    snprintf(text, sizeof text, "%s", race ? race : "");
    compilation_destroy(k->c);
    return text;
}

static void assert_accepted(Built *k)
{
    assert_string_equal(verdict(k), "");
}

/* The verdict has both of these texts. */
static void assert_rejected(Built *k, const char *first, const char *second)
{
    const char *race = verdict(k);
    if (!strstr(race, first) || !strstr(race, second)) {
        fail_msg("'%s' does not say '%s' and '%s'", race, first, second);
    }
}

/* local (l < 256) { store variable[index(l)] = value }, under a condition if there is one. */
typedef struct Local {
    KernelBuilder body;
    KernelVariable *l;
    const KernelExp *item;
} Local;

static Local begin_local(Built *k)
{
    Local local = {.body = kernel_builder(k->c, NO_SPAN), .l = scalar(k, "l")};
    local.item = use(k, local.l);
    return local;
}

static void end_local(Built *k, Local *local)
{
    kernel_for(&k->body, KERNEL_LOCAL_LOOP, NULL, local->l, number(k, 256),
               kernel_block(&local->body));
}

static void local_store(Built *k, KernelVariable *variable, int64_t factor, const KernelExp *value)
{
    Local local = begin_local(k);
    const KernelExp *at = op(k, CORE_MUL, local.item, number(k, factor));
    kernel_store(&local.body, variable, at, value);
    end_local(k, &local);
}

/* ---- grids ----------------------------------------------------------------------------------- */

static void an_iteration_may_write_its_own_places(void **state)
{
    (void)state;
    Built k = begin(KERNEL_GRID);
    const KernelExp *twice = op(&k, CORE_MUL, k.row, number(&k, 2));
    kernel_store(&k.body, k.b, twice, kernel_load(k.c, k.a, plus(&k, k.row, -1)));
    kernel_store(&k.body, k.b, plus(&k, twice, 1), kernel_load(k.c, k.b, twice));
    assert_accepted(&k);
}

static void two_iterations_may_not_write_one_place(void **state)
{
    (void)state;
    Built k = begin(KERNEL_GRID);
    kernel_store(&k.body, k.b, kernel_divide(k.c, k.row, number(&k, 2)), number(&k, 1));
    assert_rejected(&k, "kernel map_b_1: iteration 0 (`b_", "iteration 1 (`b_");
    k = begin(KERNEL_GRID);
    kernel_store(&k.body, k.b, number(&k, 0), number(&k, 1));
    assert_rejected(&k, "iteration 0", "touch b_");
}

static void blocks_may_not_overlap(void **state)
{
    (void)state;
    for (int64_t width = 4; width <= 5; width++) { /* rows of 5, of which so many are written */
        Built k = begin(KERNEL_GRID);
        KernelBuilder inner = kernel_builder(k.c, NO_SPAN);
        KernelVariable *j = scalar(&k, "j");
        const KernelExp *start = op(&k, CORE_MUL, k.row, number(&k, 5));
        kernel_store(&inner, k.b, op(&k, CORE_ADD, start, use(&k, j)), number(&k, 0));
        kernel_for(&k.body, KERNEL_SEQ, NULL, j, number(&k, width + 1), kernel_block(&inner));
        if (width < 5) {
            assert_accepted(&k);
        } else {
            assert_rejected(&k, "iteration 0", "b_");
        }
    }
}

static void nobody_reads_what_another_writes(void **state)
{
    (void)state;
    Built k = begin(KERNEL_GRID);
    kernel_store(&k.body, k.a, k.row, kernel_load(k.c, k.a, k.row));
    assert_accepted(&k);
    k = begin(KERNEL_GRID);
    kernel_store(&k.body, k.a, k.row, kernel_load(k.c, k.a, plus(&k, k.row, 1)));
    assert_rejected(&k, "iteration 0", "iteration 1");
}

static void arrays_of_the_same_memory_are_one(void **state)
{
    (void)state;
    for (int fresh = 0; fresh < 2; fresh++) {
        Built k = begin(KERNEL_GRID);
        KernelVariable *c = buffer(&k, "c", KERNEL_GLOBAL);
        kernel_alias(&k.host, c, k.a);
        if (fresh) {
            kernel_allocate(&k.host, c, use(&k, k.n));
        }
        kernel_store(&k.body, c, k.row, kernel_load(k.c, k.a, plus(&k, k.row, 1)));
        if (fresh) {
            assert_accepted(&k);
        } else {
            assert_rejected(&k, "c_", "a_");
        }
    }
}

/* loop { alloc t; t := f a; alias a = t }: right; with t allocated once outside, a becomes t. */
static void loops_are_followed_until_nothing_new_comes(void **state)
{
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        Built k = begin(KERNEL_GRID);
        KernelVariable *t = buffer(&k, "t", KERNEL_GLOBAL), *i = scalar(&k, "i");
        KernelBuilder loop = kernel_builder(k.c, NO_SPAN), kernel = kernel_builder(k.c, NO_SPAN);
        KernelVariable *h = scalar(&k, "h");
        kernel_allocate(inside ? &loop : &k.host, t, use(&k, k.n));
        kernel_store(&kernel, t, use(&k, h), kernel_load(k.c, k.a, plus(&k, use(&k, h), 1)));
        kernel_for(&loop, KERNEL_GRID, "map_t_1", h, use(&k, k.n), kernel_block(&kernel));
        kernel_alias(&loop, k.a, t);
        kernel_for(&k.host, KERNEL_SEQ, NULL, i, number(&k, 3), kernel_block(&loop));
        if (inside) {
            assert_accepted(&k);
        } else {
            assert_rejected(&k, "kernel map_t_1", "t_");
        }
    }
}

/* ---- what data say --------------------------------------------------------------------------- */

static void data_choose_only_within_an_own_row(void **state)
{
    (void)state;
    for (int64_t width = 0; width < 8; width += 7) { /* b[at], b[g * 7 + at] */
        Built k = begin(KERNEL_GRID);
        const KernelExp *at = kernel_load(k.c, k.a, k.row);
        const KernelExp *start = op(&k, CORE_MUL, k.row, number(&k, width));
        kernel_store(&k.body, k.b, op(&k, CORE_ADD, start, at), number(&k, 1));
        if (width > 0) {
            assert_accepted(&k);
        } else {
            assert_rejected(&k, "what data say", "iteration 1");
        }
    }
    Built k = begin(KERNEL_GRID);
    kernel_store(&k.body, k.b, op(&k, CORE_ADD, k.row, kernel_load(k.c, k.a, k.row)), k.row);
    assert_rejected(&k, "iteration 0", "what data say");
}

static void a_scatter_may_meet_itself_and_nothing_else(void **state)
{
    (void)state;
    for (int reads = 0; reads < 2; reads++) {
        Built k = begin(KERNEL_GRID);
        const KernelExp *value = reads ? kernel_load(k.c, k.b, k.row) : k.row;
        kernel_store(&k.body, k.b, kernel_load(k.c, k.a, k.row), value);
        kernel_mark_scattered(kernel_block(&k.body), k.b);
        if (reads) {
            assert_rejected(&k, "iteration", "b_");
        } else {
            assert_accepted(&k);
        }
    }
}

static void atomic_updates_may_meet(void **state)
{
    (void)state;
    Built k = begin(KERNEL_GRID);
    kernel_atomic(&k.body, CORE_ADD, k.b, kernel_load(k.c, k.a, k.row), number(&k, 1));
    assert_accepted(&k);
    k = begin(KERNEL_GRID);
    kernel_atomic(&k.body, CORE_ADD, k.b, kernel_load(k.c, k.a, k.row), number(&k, 1));
    kernel_store(&k.body, k.a, k.row, kernel_load(k.c, k.b, k.row));
    assert_rejected(&k, "atomic b_", "iteration 1");
}

/* Where a condition is data's, both branches may run. */
static void both_branches_count(void **state)
{
    (void)state;
    Built k = begin(KERNEL_GRID);
    KernelBuilder other = kernel_builder(k.c, NO_SPAN);
    kernel_store(&other, k.b, number(&k, 3), number(&k, 1));
    const KernelExp *condition = op(&k, CORE_EQ, kernel_load(k.c, k.a, k.row), number(&k, 0));
    kernel_if(&k.body, condition, (KernelBlock){0}, kernel_block(&other));
    assert_rejected(&k, "iteration 0", "[3]");
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void barriers_stand_between_work_items(void **state)
{
    (void)state;
    for (int barrier = 0; barrier < 2; barrier++) {
        Built k = begin(KERNEL_GROUP);
        KernelVariable *x = buffer(&k, "x", KERNEL_LOCAL);
        kernel_declare_buffer(&k.body, x, 256);
        local_store(&k, x, 1, number(&k, 1));
        if (barrier) {
            kernel_barrier(&k.body);
        }
        Local local = begin_local(&k);
        const KernelExp *item =
            op(&k, CORE_ADD, op(&k, CORE_MUL, k.row, number(&k, 256)), local.item);
        const KernelExp *neighbour = op(&k, CORE_SUB, number(&k, 255), local.item);
        kernel_store(&local.body, k.b, item, kernel_load(k.c, x, neighbour));
        end_local(&k, &local);
        if (barrier) {
            assert_accepted(&k);
        } else {
            assert_rejected(&k, "work-item 255 of group 0 (`x_", "work-item 0 of group 0 (`b_");
        }
    }
}

/* for (k < 3) { read x[l + 1]; barrier; x[l] = ... }: the next iteration reads what this one wrote.
 */
static void iterations_around_barriers_follow_each_other(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        Built k = begin(KERNEL_GROUP);
        KernelVariable *x = buffer(&k, "x", KERNEL_LOCAL), *y = buffer(&k, "y", KERNEL_LOCAL);
        kernel_declare_buffer(&k.body, x, 257);
        kernel_declare_buffer(&k.body, y, 256);
        Built loop = k;
        loop.body = kernel_builder(k.c, NO_SPAN);
        Local local = begin_local(&loop);
        kernel_store(&local.body, y, local.item, kernel_load(k.c, x, plus(&k, local.item, 1)));
        end_local(&loop, &local);
        kernel_barrier(&loop.body);
        local_store(&loop, x, 1, number(&k, 1));
        if (both) {
            kernel_barrier(&loop.body);
        }
        kernel_for(&k.body, KERNEL_SEQ, NULL, scalar(&k, "k"), number(&k, 3),
                   kernel_block(&loop.body));
        if (both) {
            assert_accepted(&k);
        } else {
            assert_rejected(&k, "x_", "y_");
        }
    }
}

static void work_items_of_a_group_have_places_of_their_own(void **state)
{
    (void)state;
    Built k = begin(KERNEL_GROUP);
    KernelVariable *x = buffer(&k, "x", KERNEL_LOCAL);
    kernel_declare_buffer(&k.body, x, 256);
    local_store(&k, x, 0, number(&k, 1));
    assert_rejected(&k, "work-item 0 of group 0", "work-item 1 of group 0");
    k = begin(KERNEL_GROUP);
    local_store(&k, k.b, 1, number(&k, 1)); /* b[l], by all groups */
    assert_rejected(&k, "of group 0", "of group 1");
    k = begin(KERNEL_GROUP);
    kernel_store(&k.body, k.b, k.row, number(&k, 1)); /* b[group], by all its work-items */
    assert_rejected(&k, "each work-item of group 0", "b_");
}

/* if l == 0 { b[group] = ... } */
static void one_work_item_may_write_for_its_group(void **state)
{
    (void)state;
    for (int64_t least = 0; least < 2; least++) {
        Built k = begin(KERNEL_GROUP);
        Local local = begin_local(&k);
        KernelBuilder store = kernel_builder(k.c, NO_SPAN);
        kernel_store(&store, k.b, k.row, number(&k, 1));
        kernel_if(&local.body, op(&k, CORE_LE, local.item, number(&k, least)), kernel_block(&store),
                  (KernelBlock){0});
        end_local(&k, &local);
        if (least == 0) {
            assert_accepted(&k);
        } else {
            assert_rejected(&k, "work-item 0 of group 0", "work-item 1 of group 0");
        }
    }
}

/* Steps in which each group writes its part of b, and reads a's next part; then both are exchanged. */
static Built steps(bool meets, bool swaps)
{
    Built k = begin(KERNEL_GROUP), once = k;
    KernelVariable *s = scalar(&k, "s");
    once.body = kernel_builder(k.c, NO_SPAN);
    KernelVariable *other = buffer(&k, "other", KERNEL_GLOBAL);
    kernel_allocate(&k.host, other, op(&k, CORE_MUL, use(&k, k.n), number(&k, 4096)));
    Local local = begin_local(&k);
    const KernelExp *own = op(&k, CORE_ADD, op(&k, CORE_MUL, k.row, number(&k, 256)), local.item);
    kernel_store(&local.body, k.b, own, kernel_load(k.c, other, plus(&k, own, 256)));
    end_local(&once, &local);
    if (meets) {
        kernel_meet(&once.body);
    }
    if (swaps) {
        kernel_swap(&once.body, k.b, other);
    }
    kernel_for(&k.body, KERNEL_SEQ, NULL, s, number(&k, 3), kernel_block(&once.body));
    return k;
}

static void groups_that_meet_read_what_others_left(void **state)
{
    (void)state;
    Built k = steps(true, true);
    assert_accepted(&k);
    k = steps(false, true);
    assert_rejected(&k, "race in kernel map_b_1", "b_");
    k = steps(false, false); /* nobody reads what is written */
    assert_accepted(&k);
}

/* Each group leaves a value; one of them reads all: the last to arrive, or (wrongly) any. */
static void the_last_group_may_read_what_all_left(void **state)
{
    (void)state;
    enum { RIGHT, NO_ARRIVAL, NOT_ASKED, CASES };
    for (int which = 0; which < CASES; which++) {
        Built k = begin(KERNEL_GROUP);
        KernelVariable *last = kernel_variable(k.c, "last", CORE_BOOL, KERNEL_LOCAL, NO_SPAN);
        KernelVariable *total = buffer(&k, "total", KERNEL_GLOBAL);
        kernel_allocate(&k.host, total, number(&k, 1));
        Local local = begin_local(&k);
        KernelBuilder leave = kernel_builder(k.c, NO_SPAN), sum = kernel_builder(k.c, NO_SPAN);
        kernel_store(&leave, k.b, k.row, number(&k, 1));
        kernel_if(&local.body, op(&k, CORE_EQ, local.item, number(&k, 0)), kernel_block(&leave),
                  (KernelBlock){0});
        end_local(&k, &local);
        kernel_declare_buffer(&k.body, last, 1);
        if (which != NO_ARRIVAL) {
            kernel_arrive(&k.body, last);
        }
        local = begin_local(&k);
        const KernelExp *is_last = kernel_load(k.c, last, number(&k, 0));
        const KernelExp *first = op(&k, CORE_EQ, local.item, number(&k, 0));
        kernel_store(&sum, total, number(&k, 0), kernel_load(k.c, k.b, number(&k, 1)));
        kernel_if(&local.body, which == RIGHT ? op(&k, CORE_AND, first, is_last) : first,
                  kernel_block(&sum), (KernelBlock){0});
        end_local(&k, &local);
        if (which == RIGHT) {
            assert_accepted(&k);
        } else {
            assert_rejected(&k, "of group 0", "of group 1");
        }
    }
}

/* publish tile = true, x; await tile - 1: what was published is known then, and nothing else: not
   what the other group has stored before. */
static void awaiting_orders_no_other_memory(void **state)
{
    (void)state;
    enum { PUBLISHED, STORED, CASES };
    for (int which = 0; which < CASES; which++) {
        Built k = begin(KERNEL_GROUP);
        KernelVariable *ticket = buffer(&k, "ticket", KERNEL_LOCAL), *tile = scalar(&k, "tile");
        KernelVariable *whole = kernel_variable(k.c, "whole", CORE_BOOL, KERNEL_SCALAR, NO_SPAN);
        KernelVariable *payload[] = {scalar(&k, "payload")};
        const KernelExp *values[] = {number(&k, 1)};
        kernel_declare_buffer(&k.body, ticket, 1);
        kernel_ticket(&k.body, ticket, 1);
        kernel_declare(&k.body, tile, kernel_load(k.c, ticket, number(&k, 0)));
        Local local = begin_local(&k);
        KernelBuilder one = kernel_builder(k.c, NO_SPAN), later = kernel_builder(k.c, NO_SPAN);
        const KernelExp *before = plus(&k, use(&k, tile), -1);
        kernel_store(&one, k.b, use(&k, tile), number(&k, 1));
        kernel_publish(&one, use(&k, tile), kernel_constant(k.c, core_bool(true)), 1, values);
        kernel_await(&later, whole, 1, payload, before);
        kernel_store(&later, k.a, use(&k, tile),
                     which == STORED ? kernel_load(k.c, k.b, before) : use(&k, payload[0]));
        kernel_if(&one, op(&k, CORE_GT, use(&k, tile), number(&k, 0)), kernel_block(&later),
                  (KernelBlock){0});
        kernel_if(&local.body, op(&k, CORE_EQ, local.item, number(&k, 0)), kernel_block(&one),
                  (KernelBlock){0});
        end_local(&k, &local);
        if (which == PUBLISHED) {
            assert_accepted(&k);
        } else {
            assert_rejected(&k, "work-item 0 of group 0 (`b_", "of group 1");
        }
    }
}

/* A tree in local memory: half as many work-items in each step. */
static void a_tree_needs_each_of_its_barriers(void **state)
{
    (void)state;
    for (int left_out = 0; left_out <= 3; left_out++) {
        Built k = begin(KERNEL_GROUP);
        KernelVariable *x = buffer(&k, "x", KERNEL_LOCAL);
        kernel_declare_buffer(&k.body, x, 256);
        local_store(&k, x, 1, number(&k, 1));
        for (int step = 0; step < 3; step++) {
            int64_t active = 128 >> step;
            if (step != left_out) {
                kernel_barrier(&k.body);
            }
            Local local = begin_local(&k);
            KernelBuilder combine = kernel_builder(k.c, NO_SPAN);
            const KernelExp *other = kernel_load(k.c, x, plus(&k, local.item, active));
            kernel_store(&combine, x, local.item,
                         op(&k, CORE_ADD, kernel_load(k.c, x, local.item), other));
            kernel_if(&local.body, op(&k, CORE_LT, local.item, number(&k, active)),
                      kernel_block(&combine), (KernelBlock){0});
            end_local(&k, &local);
        }
        if (left_out == 3) {
            assert_accepted(&k);
        } else {
            assert_rejected(&k, "x_", "group 0");
        }
    }
}

/* Sizes with which a store is out of bounds are not the program's: n rows of m in n * m. */
static void sizes_out_of_bounds_do_not_count(void **state)
{
    (void)state;
    Built k = begin(KERNEL_GRID);
    KernelVariable *m = scalar(&k, "m"), *c = buffer(&k, "c", KERNEL_GLOBAL);
    kernel_allocate(&k.host, c, number(&k, 1)); /* so that n can only be 1 */
    kernel_store(&k.body, c, op(&k, CORE_MUL, k.row, use(&k, m)), number(&k, 1));
    kernel_store(&k.body, c, k.row, number(&k, 1));
    assert_accepted(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_iteration_may_write_its_own_places),
        cmocka_unit_test(two_iterations_may_not_write_one_place),
        cmocka_unit_test(blocks_may_not_overlap),
        cmocka_unit_test(nobody_reads_what_another_writes),
        cmocka_unit_test(arrays_of_the_same_memory_are_one),
        cmocka_unit_test(loops_are_followed_until_nothing_new_comes),
        cmocka_unit_test(data_choose_only_within_an_own_row),
        cmocka_unit_test(a_scatter_may_meet_itself_and_nothing_else),
        cmocka_unit_test(atomic_updates_may_meet),
        cmocka_unit_test(both_branches_count),
        cmocka_unit_test(barriers_stand_between_work_items),
        cmocka_unit_test(iterations_around_barriers_follow_each_other),
        cmocka_unit_test(work_items_of_a_group_have_places_of_their_own),
        cmocka_unit_test(one_work_item_may_write_for_its_group),
        cmocka_unit_test(the_last_group_may_read_what_all_left),
        cmocka_unit_test(groups_that_meet_read_what_others_left),
        cmocka_unit_test(awaiting_orders_no_other_memory),
        cmocka_unit_test(a_tree_needs_each_of_its_barriers),
        cmocka_unit_test(sizes_out_of_bounds_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
