/* Lowering: the shape of what comes out. That programs also compute the right thing is shown by
 * tests/run on every backend; here it is which loops, which memory and which checks they have. */
#include "backend/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

typedef struct Counts {
    size_t commands[KERNEL_COMMENT + 1];
    size_t levels[KERNEL_LOCAL_LOOP + 1];
    size_t selects, loads, flagged_checks, private_buffers;
    bool well_nested; /* kernel.h's rules of levels and barriers */
} Counts;

static void count_exp(Counts *counts, const KernelExp *exp)
{
    if (exp == NULL) {
        return;
    }
    switch (exp->kind) {
    case KERNEL_CONSTANT:
    case KERNEL_VARIABLE: break;
    case KERNEL_UNARY: count_exp(counts, exp->as.scalar.x); break;
    case KERNEL_BINARY:
        count_exp(counts, exp->as.scalar.x);
        count_exp(counts, exp->as.scalar.y);
        break;
    case KERNEL_CONVERT: count_exp(counts, exp->as.convert); break;
    case KERNEL_SELECT:
        counts->selects++;
        count_exp(counts, exp->as.select.condition);
        count_exp(counts, exp->as.select.x);
        count_exp(counts, exp->as.select.y);
        break;
    case KERNEL_LOAD:
        counts->loads++;
        count_exp(counts, exp->as.load.index);
        break;
    }
}

static bool may_stand_in_kernel(KernelCmdKind kind)
{
    return kind != KERNEL_ALLOCATE && kind != KERNEL_ALIAS && kind != KERNEL_RELEASE &&
           kind != KERNEL_CONSTANTS && kind != KERNEL_COPY && kind != KERNEL_EFFECT;
}

/* `level`: of the kernel loop around; KERNEL_SEQ on the host. `direct`: right inside it. */
static void count_block(Counts *counts, KernelBlock block, KernelLevel level, bool direct)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        counts->commands[command->kind]++;
        count_exp(counts, command->value);
        count_exp(counts, command->index);
        count_exp(counts, command->count);
        bool good = level == KERNEL_SEQ || may_stand_in_kernel(command->kind);
        if (command->kind == KERNEL_BARRIER) {
            good = good && level == KERNEL_GROUP && direct;
        }
        if (command->kind == KERNEL_CHECK) {
            counts->flagged_checks += command->variable != NULL;
            good = good && (level == KERNEL_SEQ || command->variable != NULL);
        }
        if (command->kind == KERNEL_DECLARE) {
            counts->private_buffers += command->variable->space == KERNEL_PRIVATE;
        }
        KernelLevel inner = level;
        bool inner_direct = false;
        if (command->kind == KERNEL_FOR) {
            counts->levels[command->level]++;
            if (command->level == KERNEL_GRID || command->level == KERNEL_GROUP) {
                good = good && level == KERNEL_SEQ && command->text != NULL;
            } else if (command->level == KERNEL_LOCAL_LOOP) {
                good = good && level == KERNEL_GROUP && direct;
            }
            if (command->level != KERNEL_SEQ) {
                inner = command->level;
                inner_direct = true;
            }
        }
        counts->well_nested = counts->well_nested && good;
        count_block(counts, command->body, inner, inner_direct);
        count_block(counts, command->otherwise, inner, inner_direct);
    }
}

/* Lowers `main` with these statements. */
static Counts lowered(const char *statements, KernelTarget target)
{
    Compilation *c = compilation_create();
    const char *text =
        arena_printf(c->arena,
                     "entry fun main () : () =\n  let (n : i64) = argument i64 \"n\" 10\n"
                     "  let (m : i64) = argument i64 \"m\" 10\n%s\n  in ()\n",
                     statements);
    CoreProgram *program = core_parse(c, source_create(c->arena, "test.core", text, strlen(text)));
    if (program == NULL || !core_check(c, program)) {
        diagnostics_print(c->diagnostics, stderr);
        fail();
    }
    KernelProgram *kernels = kernel_lower(c, program, target);
    assert_non_null(kernels);
    Counts counts = {.well_nested = true};
    count_block(&counts, kernels->entries[0].body, KERNEL_SEQ, false);
    assert_true(counts.well_nested);
    if (target == KERNEL_SEQUENTIAL) {
        assert_int_equal(counts.levels[KERNEL_GRID] + counts.levels[KERNEL_GROUP], 0);
    }
    compilation_destroy(c);
    return counts;
}

#define ADD "(\\(a : i64, b : i64) -> { let (s : i64) = a + b in (s) }) (0)"
#define DOUBLE "(\\(x : i64) -> { let (y : i64) = x * 2 in (y) })"

static void views_are_no_code(void **state)
{
    (void)state;
    static const char text[] = "let (a : [n]i64) = iota n\n"
                               "let (b : [n]i64) = reverse 0 a\n"
                               "let (t : [n][m]i64) = replicate [n, m] 3\n"
                               "let (u : [m][n]i64) = rearrange (1, 0) t\n"
                               "let (r : [m][n]i64) = rotate 1 2 u\n";
    Counts counts = lowered(text, KERNEL_PARALLEL);
    assert_int_equal(counts.commands[KERNEL_FOR], 0);
    assert_int_equal(counts.commands[KERNEL_ALLOCATE], 0);
}

static void a_view_is_read_inside_the_kernel_that_needs_it(void **state)
{
    (void)state;
    static const char text[] = "let (a : [n]i64) = iota n\n"
                               "let (b : [n]i64) = map n (a) " DOUBLE "\n"
                               "let (r : [n]i64) = rotate 0 3 b\n"
                               "let (d : [n]i64) = map n (r) " DOUBLE "\n"
                               "let () = print d\n";
    Counts counts = lowered(text, KERNEL_PARALLEL);
    assert_int_equal(counts.levels[KERNEL_GRID], 2);
    assert_int_equal(counts.commands[KERNEL_ALLOCATE], 2);
    assert_int_equal(counts.commands[KERNEL_RELEASE], 2);
    assert_int_equal(counts.selects, 1);
    counts = lowered(text, KERNEL_SEQUENTIAL);
    assert_int_equal(counts.levels[KERNEL_SEQ], 2);
}

static void a_perfect_map_nest_is_one_grid(void **state)
{
    (void)state;
    static const char text[] = "let (a : [n][m]i64) = replicate [n, m] 3\n"
                               "let (b : [n][m]i64) = map n (a) (\\(r : [m]i64) -> {\n"
                               "  let (q : [m]i64) = reverse 0 r\n"
                               "  let (s : [m]i64) = map m (q) " DOUBLE " in (s) })\n"
                               "let () = print b\n";
    Counts counts = lowered(text, KERNEL_PARALLEL);
    assert_int_equal(counts.levels[KERNEL_GRID], 1);
    assert_int_equal(counts.levels[KERNEL_SEQ], 0);
}

static void rows_that_are_views_are_flattened_too(void **state)
{
    (void)state;
    static const char text[] = "let (a : [n][m]i64) = replicate [n, m] 3\n"
                               "let (b : [n][m]i64) = map n (a) (\\(r : [m]i64) -> {\n"
                               "  let (q : [m]i64) = rotate 0 1 r in (q) })\n"
                               "let () = print b\n";
    Counts counts = lowered(text, KERNEL_PARALLEL);
    assert_int_equal(counts.levels[KERNEL_GRID], 1);
    assert_int_equal(counts.levels[KERNEL_SEQ], 0);
}

static void a_reduction_is_one_kernel_with_barriers_at_its_top(void **state)
{
    (void)state;
    static const char text[] = "let (a : [n]i64) = iota n\n"
                               "let (t : i64) = reduce_comm n (a) " ADD "\n"
                               "let () = print t\n";
    Counts counts = lowered(text, KERNEL_PARALLEL);
    assert_int_equal(counts.levels[KERNEL_GROUP], 1);
    assert_int_equal(counts.commands[KERNEL_BARRIER], 4);
    assert_int_equal(counts.commands[KERNEL_ARRIVE], 1);
    assert_int_equal(counts.commands[KERNEL_ALLOCATE], counts.commands[KERNEL_RELEASE]);
    counts = lowered(text, KERNEL_SEQUENTIAL);
    assert_int_equal(counts.levels[KERNEL_SEQ], 1);
    assert_int_equal(counts.commands[KERNEL_ALLOCATE], 0);
}

static void a_scan_is_one_kernel_that_looks_back_or_three(void **state)
{
    (void)state;
    static const char text[] = "let (a : [n]i64) = iota n\n"
                               "let (t : [n]i64) = scan n (a) " ADD "\n"
                               "let () = print t\n";
    Counts counts = lowered(text, KERNEL_PARALLEL);
    assert_int_equal(counts.levels[KERNEL_GROUP], 1 + 2);
    assert_int_equal(counts.levels[KERNEL_GRID], 1);
    assert_int_equal(counts.commands[KERNEL_TICKET], 1);
    assert_int_equal(counts.commands[KERNEL_AWAIT], 2);   /* in the window, and before it */
    assert_int_equal(counts.commands[KERNEL_PUBLISH], 2); /* its own sum, the whole */
    assert_int_equal(counts.commands[KERNEL_ALLOCATE], counts.commands[KERNEL_RELEASE]);
}

static void what_takes_a_scans_rows_is_in_its_kernels(void **state)
{
    (void)state;
    static const char scan[] = "let (a : [n]i64) = iota n\n"
                               "let (t : [n]i64) = scan n (a) " ADD "\n";
    static const char taker[] = "let (u : [n]i64) = map n (t) " DOUBLE "\n"
                                "let () = print u\n";
    static const char later[] = "let () = print t\n";
    char text[1000];
    snprintf(text, sizeof text, "%s%s", scan, taker);
    Counts counts = lowered(text, KERNEL_PARALLEL);
    assert_int_equal(counts.levels[KERNEL_GROUP], 1 + 3);
    assert_int_equal(counts.levels[KERNEL_GRID], 0);
    assert_int_equal(counts.commands[KERNEL_ALLOCATE], 1 + 2); /* u; sums of the phases */
    assert_int_equal(counts.commands[KERNEL_RELEASE], 1 + 2);
    snprintf(text, sizeof text, "%s%s%s", scan, taker, later);
    counts = lowered(text, KERNEL_PARALLEL);
    assert_int_equal(counts.commands[KERNEL_ALLOCATE], 2 + 2); /* and t */
    assert_int_equal(counts.levels[KERNEL_GRID], 0);
    snprintf(text, sizeof text, "%s%s%s", scan, later, taker);
    counts = lowered(text, KERNEL_PARALLEL);
    assert_int_equal(counts.levels[KERNEL_GRID], 1 + 1); /* a map, and the last phase */
}

static void a_filter_writes_rows_where_it_scans(void **state)
{
    (void)state;
    static const char text[] = "let (a : [n]i64) = iota n\n"
                               "let (k : i64, t : [k]i64) = filter n (a) (\\(x : i64) -> {\n"
                               "  let (p : bool) = 3 < x in (p) })\n"
                               "let () = print t\n";
    Counts counts = lowered(text, KERNEL_PARALLEL);
    assert_int_equal(counts.levels[KERNEL_GROUP], 1 + 3);
    assert_int_equal(counts.levels[KERNEL_GRID], 0);
    assert_int_equal(counts.commands[KERNEL_ALLOCATE], 2 + 2); /* t, its count; sums */
    assert_int_equal(counts.commands[KERNEL_ALLOCATE], counts.commands[KERNEL_RELEASE]);
}

static void a_scatter_computes_the_rows_that_it_takes(void **state)
{
    (void)state;
    static const char text[] = "let (a : [n]i64) = iota n\n"
                               "let (d : [n]i64) = copy a\n"
                               "let (s : [n]i64) = map n (%c) " DOUBLE "\n"
                               "let (r : [n]i64) = scatter n (d) s (a)\n"
                               "let () = print r\n";
    char program[1000];
    snprintf(program, sizeof program, text, 'a');
    Counts counts = lowered(program, KERNEL_PARALLEL);
    assert_int_equal(counts.levels[KERNEL_GRID], 1 + 1); /* the copy */
    assert_int_equal(counts.commands[KERNEL_ALLOCATE], 1);
    counts = lowered(program, KERNEL_SEQUENTIAL);
    assert_int_equal(counts.levels[KERNEL_SEQ], 1 + 1);
    snprintf(program, sizeof program, text, 'd'); /* it would read what is written */
    counts = lowered(program, KERNEL_PARALLEL);
    assert_int_equal(counts.levels[KERNEL_GRID], 1 + 2);
    assert_int_equal(counts.commands[KERNEL_ALLOCATE], 2);
}

static void an_update_works_in_place(void **state)
{
    (void)state;
    static const char text[] = "let (a : [n]i64) = iota n\n"
                               "let (c : [n]i64) = copy a\n"
                               "let (u : [n]i64) = c with [0] <- 7\n"
                               "let () = print u\n";
    Counts counts = lowered(text, KERNEL_SEQUENTIAL);
    assert_int_equal(counts.commands[KERNEL_ALLOCATE], 1);
    assert_int_equal(counts.commands[KERNEL_STORE], 2);
    assert_int_equal(counts.commands[KERNEL_COPY], 0);
}

static void state_of_a_host_loop_is_never_copied(void **state)
{
    (void)state;
    static const char text[] = "let (a : [n]i64) = iota n\n"
                               "let (c : [n]i64) = map n (a) " DOUBLE "\n"
                               "let (r : [n]i64) = loop (p : [n]i64 = c) for i < m do {\n"
                               "  let (q : [n]i64) = map n (p) " DOUBLE " in (q) }\n"
                               "let () = print r\n";
    Counts counts = lowered(text, KERNEL_PARALLEL);
    assert_int_equal(counts.commands[KERNEL_COPY], 0);
    assert_int_equal(counts.commands[KERNEL_ALIAS], 2);
    assert_int_equal(counts.levels[KERNEL_GRID], 2);
}

static void arrays_of_work_items_are_private_or_allocated_by_the_host(void **state)
{
    (void)state;
    static const char small[] = "let (a : [n]i64) = iota n\n"
                                "let (b : [n]i64) = map n (a) (\\(x : i64) -> {\n"
                                "  let (v : [3]i64) = replicate [3] x\n"
                                "  let (c : [3]i64) = copy v\n"
                                "  let (u : [3]i64) = c with [1] <- 5\n"
                                "  let (t : i64) = reduce 3 (u) " ADD " in (t) })\n"
                                "let () = print b\n";
    Counts counts = lowered(small, KERNEL_PARALLEL);
    assert_int_equal(counts.private_buffers, 1);
    assert_int_equal(counts.commands[KERNEL_ALLOCATE], 1);
    static const char large[] = "let (a : [n]i64) = iota n\n"
                                "let (b : [n]i64) = map n (a) (\\(x : i64) -> {\n"
                                "  let (v : [m]i64) = replicate [m] x\n"
                                "  let (c : [m]i64) = copy v\n"
                                "  let (u : [m]i64) = c with [1] <- 5\n"
                                "  let (t : i64) = reduce m (u) " ADD " in (t) })\n"
                                "let () = print b\n";
    counts = lowered(large, KERNEL_PARALLEL);
    assert_int_equal(counts.private_buffers, 0);
    assert_int_equal(counts.commands[KERNEL_ALLOCATE], 2);
    assert_int_equal(counts.levels[KERNEL_GRID], 1);
}

/* The size of the inner array differs from row to row: the outer map is a loop of the host, whose
   body has kernels. */
static void a_map_that_cannot_be_a_kernel_is_a_loop_of_the_host(void **state)
{
    (void)state;
    static const char text[] = "let (a : [n]i64) = iota n\n"
                               "let (b : [n]i64) = map n (a) (\\(x : i64) -> {\n"
                               "  let (v : [x]i64) = iota x\n"
                               "  let (c : [x]i64) = scan x (v) " ADD "\n"
                               "  let (t : i64) = reduce x (c) " ADD " in (t) })\n"
                               "let () = print b\n";
    Counts counts = lowered(text, KERNEL_PARALLEL);
    assert_int_equal(counts.levels[KERNEL_SEQ] > 0, true);
    assert_int_equal(counts.levels[KERNEL_GROUP], 4); /* a scan has one or two, a reduction one */
}

static void checks_have_a_flag_in_kernels_only(void **state)
{
    (void)state;
    static const char text[] = "let (a : [n]i64) = iota n\n"
                               "let (p : bool) = n > 0\n"
                               "let (k : cert) = assert p \"LENGTH ERROR\" \"{}\" (n)\n"
                               "let (b : [n]i64) = <k> map n (a) (\\(x : i64) -> {\n"
                               "  let (q : bool) = x < n\n"
                               "  let (c : cert) = assert q \"INDEX ERROR\" \"\" ()\n"
                               "  let (y : i64) = <c> a[x] in (y) })\n"
                               "let () = print b\n";
    Counts counts = lowered(text, KERNEL_PARALLEL);
    assert_int_equal(counts.commands[KERNEL_CHECK], 2);
    assert_int_equal(counts.flagged_checks, 1);
    assert_int_equal(counts.selects, 1);
    counts = lowered(text, KERNEL_SEQUENTIAL);
    assert_int_equal(counts.flagged_checks, 0);
    assert_int_equal(counts.selects, 0);
}

static void a_dear_view_is_stored(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    Text text = text_create(c->arena);
    text_string(&text, "let (a : [n]i64) = iota n\nlet (b : [n]i64) = map n (a) " DOUBLE "\n");
    for (int i = 0; i < 400; i++) {
        text_printf(&text, "let (b : [n]i64) = rotate 0 %d b\n", i + 1);
    }
    text_string(&text, "let () = print b\n");
    Counts counts = lowered(text_get(&text), KERNEL_PARALLEL);
    assert_in_range(counts.commands[KERNEL_ALLOCATE], 5, 20);
    assert_int_equal(counts.commands[KERNEL_ALLOCATE], counts.commands[KERNEL_RELEASE]);
    compilation_destroy(c);
}

/* n + k - n, x * 1, 0 + x: what index arithmetic is full of. */
static void index_arithmetic_is_simplified(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    KernelVariable *n = kernel_variable(c, "n", CORE_I64, KERNEL_SCALAR, NO_SPAN);
    KernelVariable *k = kernel_variable(c, "k", CORE_I64, KERNEL_SCALAR, NO_SPAN);
    const KernelExp *x = kernel_use(c, n), *y = kernel_use(c, k);
    const KernelExp *zero = kernel_i64(c, 0), *one = kernel_i64(c, 1);
    const KernelExp *sum = kernel_binary(c, CORE_ADD, x, y);
    assert_ptr_equal(kernel_binary(c, CORE_SUB, sum, x), y);
    assert_ptr_equal(kernel_binary(c, CORE_MUL, x, one), x);
    assert_ptr_equal(kernel_binary(c, CORE_ADD, zero, x), x);
    assert_true(kernel_is_i64(kernel_binary(c, CORE_MUL, zero, x), 0));
    assert_true(kernel_is_i64(kernel_binary(c, CORE_DIV, kernel_i64(c, -7), kernel_i64(c, 2)), -4));
    assert_true(kernel_is_i64(kernel_binary(c, CORE_MOD, kernel_i64(c, -7), kernel_i64(c, 0)), -7));
    /* x + 0 is not x for reals: -0 + 0 is 0. */
    KernelVariable *f = kernel_variable(c, "f", CORE_F64, KERNEL_SCALAR, NO_SPAN);
    const KernelExp *real = kernel_use(c, f);
    const KernelExp *nought = kernel_constant(c, core_real(CORE_F64, 0));
    assert_ptr_not_equal(kernel_binary(c, CORE_ADD, real, nought), real);
    compilation_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_are_no_code),
        cmocka_unit_test(a_view_is_read_inside_the_kernel_that_needs_it),
        cmocka_unit_test(a_perfect_map_nest_is_one_grid),
        cmocka_unit_test(rows_that_are_views_are_flattened_too),
        cmocka_unit_test(a_reduction_is_one_kernel_with_barriers_at_its_top),
        cmocka_unit_test(a_scan_is_one_kernel_that_looks_back_or_three),
        cmocka_unit_test(what_takes_a_scans_rows_is_in_its_kernels),
        cmocka_unit_test(a_filter_writes_rows_where_it_scans),
        cmocka_unit_test(a_scatter_computes_the_rows_that_it_takes),
        cmocka_unit_test(an_update_works_in_place),
        cmocka_unit_test(state_of_a_host_loop_is_never_copied),
        cmocka_unit_test(arrays_of_work_items_are_private_or_allocated_by_the_host),
        cmocka_unit_test(a_map_that_cannot_be_a_kernel_is_a_loop_of_the_host),
        cmocka_unit_test(checks_have_a_flag_in_kernels_only),
        cmocka_unit_test(a_dear_view_is_stored),
        cmocka_unit_test(index_arithmetic_is_simplified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
