/* Lowering for devices: what updates, streams, histograms and strategies become, seen in the text
   of the kernel program. That they compute the right thing is shown by tests/run. */
#include "backend/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define ADD "(\\(p : i64, q : i64) -> { let (r : i64) = p + q in (r) })"
#define ARRAYS                                                                                     \
    "  let (n : i64) = argument i64 \"n\" 10\n"                                                    \
    "  let (k : i64) = argument i64 \"k\" 3\n"                                                     \
    "  let (is : [n]i64) = iota n\n"                                                               \
    "  let (xs : [n]i64) = copy is\n"                                                              \
    "  let (ks : [k]i64) = iota k\n"                                                               \
    "  let (zeros : [k]i64) = copy ks\n"                                                           \
    "  let (all : [64]i64) = iota 64\n"

static CoreProgram *program_of(Compilation *c, const char *statements)
{
    const char *text =
        arena_printf(c->arena, "entry fun main () : () =\n%s%s\n  in ()\n", ARRAYS, statements);
    CoreProgram *program = core_parse(c, source_create(c->arena, "test.core", text, strlen(text)));
    if (program == NULL || !core_check(c, program)) {
        diagnostics_print(c->diagnostics, stderr);
        fail();
    }
    return program;
}

/* The kernel program's text for these statements. */
static const char *lowered(Compilation *c, const char *statements, KernelTarget target)
{
    KernelProgram *kernels = kernel_lower(c, program_of(c, statements), target);
    if (kernels == NULL) {
        diagnostics_print(c->diagnostics, stderr);
        fail();
    }
    Text text = text_create(c->arena);
    kernel_print(c, &text, kernels);
    return text.bytes;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        count++;
    }
    return count;
}

/* From the first occurrence of `begin` to the line that closes its block. */
static const char *block_at(Compilation *c, const char *text, const char *begin)
{
    const char *at = strstr(text, begin);
    if (at == NULL) {
        fail_msg("no %s in:\n%s", begin, text);
    }
    const char *end = strstr(at, "\n}");
    return arena_text(c->arena, at, (size_t)((end == NULL ? at + strlen(at) : end) - at));
}

static const char update_loop[] =
    "  let (a : [n]i64) = copy is\n"
    "  let (b : [n]i64) = loop (x : *[n]i64 = a) for i < n do {\n"
    "    let (o : i64) = x[i]\n"
    "    let (p : bool) = o > 3\n"
    "    let (y : [n]i64) = if p then { let (z : [n]i64) = x with [i] <- k in (z) }\n"
    "                       else { in (x) }\n"
    "    in (y) }\n"
    "  let () = print b";

static void a_loop_of_updates_is_one_work_item_without_memory(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    const char *loop = block_at(c, lowered(c, update_loop, KERNEL_PARALLEL), "grid loop_b");
    assert_non_null(strstr(loop, "< 1) {"));
    assert_int_equal(count_of(loop, "for ("), 1); /* no copying of elements */
    assert_null(strstr(loop, "private"));
    compilation_destroy(c);
}

static void a_loop_of_updates_copies_nothing_in_c(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    const char *text = lowered(c, update_loop, KERNEL_SEQUENTIAL), *at = strstr(text, "var o_");
    assert_non_null(at);
    while (at > text && strncmp(at, "for (", strlen("for (")) != 0) {
        at--;
    }
    const char *body = block_at(c, at, "for (");
    assert_null(strstr(body, "alloc"));
    assert_null(strstr(body, "copy"));
    assert_null(strstr(body, "alias")); /* nor are there references to it */
    assert_int_equal(count_of(body, "for ("), 1);
    compilation_destroy(c);
}

static void an_update_in_a_work_item_needs_the_array_once(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    const char *text = lowered(c,
                               "  let (ys : [n]i64) = map n (xs) (\\(v : i64) -> {\n"
                               "    let (a : [k]i64) = copy ks\n"
                               "    let (b : [k]i64) = loop (x : *[k]i64 = a) for i < k do {\n"
                               "      let (p : bool) = v > i\n"
                               "      let (y : [k]i64) = if p then {\n"
                               "        let (z : [k]i64) = x with [i] <- v in (z) }\n"
                               "        else { in (x) }\n"
                               "      in (y) }\n"
                               "    let (e : i64) = b[0]\n"
                               "    in (e) })\n"
                               "  let () = print ys",
                               KERNEL_PARALLEL);
    const char *map = block_at(c, text, "grid map_ys");
    assert_int_equal(count_of(map, "for ("), 3); /* rounds, the copy, the loop */
    compilation_destroy(c);
}

static void a_while_loop_of_a_work_item_ends_with_a_failing_check(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    const char *text =
        lowered(c,
                "  let (j : i64, go : bool) = loop (j : i64 = 0, go : bool = true) while go do {\n"
                "    let (p : bool) = j < n\n"
                "    let (h : cert) = assert p \"INDEX ERROR\" \"\" ()\n"
                "    let (x : i64) = <h> xs[j]\n"
                "    let (q : bool) = x >= 0\n"
                "    let (l : i64) = j + 1\n"
                "    in (l, q) }\n"
                "  let () = print j",
                KERNEL_PARALLEL);
    const char *loop = block_at(c, text, "grid loop_j");
    assert_non_null(strstr(loop, "going"));
    compilation_destroy(c);
}

static void a_stream_gives_each_work_item_a_chunk(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    const char *text = lowered(c,
                               "  let (t : i64, c : [k]i64) = stream_red n (xs)\n"
                               "    (\\(a : i64, x : [k]i64, b : i64, y : [k]i64) -> {\n"
                               "      let (s : i64) = a + b\n"
                               "      let (z : [k]i64) = map k (x, y) " ADD "\n"
                               "      in (s, z) })\n"
                               "    (\\(m : i64, a : i64, acc : *[k]i64, chunk : [m]i64) -> {\n"
                               "      let (z : [k]i64) = loop (x : *[k]i64 = acc) for i < m do {\n"
                               "        let (v : i64) = chunk[i]\n"
                               "        let (w : i64) = v % k\n"
                               "        let (y : [k]i64) = x with [w] <- v\n"
                               "        in (y) }\n"
                               "      let (b : i64) = a + m\n"
                               "      in (b, z) }) (0, zeros)\n"
                               "  let () = print t\n  let () = print c",
                               KERNEL_PARALLEL);
    const char *fold = block_at(c, text, "grid stream_t");
    assert_int_equal(count_of(fold, "for ("), 2); /* the neutral element, the rows */
    assert_non_null(strstr(text, "grid combine_t"));
    compilation_destroy(c);
}

static void histograms_use_what_their_operator_allows(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    const char *native = lowered(c,
                                 "  let (h : [k]i64) = hist n (zeros) is (xs) " ADD " (0)\n"
                                 "  let () = print h",
                                 KERNEL_PARALLEL);
    assert_int_equal(count_of(native, "grid hist_"), 1);
    assert_non_null(strstr(native, "atomic"));
    const char *scalar = lowered(c,
                                 "  let (h : [k]i64) = hist n (zeros) is (xs)\n"
                                 "    (\\(p : i64, q : i64) -> { let (r : i64) = p + q\n"
                                 "      let (s : i64) = r % 7 in (s) }) (0)\n"
                                 "  let () = print h",
                                 KERNEL_PARALLEL);
    assert_non_null(strstr(scalar, "retry"));
    assert_non_null(strstr(scalar, "grid hist_join_h"));
    const char *both =
        lowered(c,
                "  let (other : [k]i64) = copy ks\n"
                "  let (h : [k]i64, g : [k]i64) = hist n (zeros, other) is (xs, is)\n"
                "    (\\(p : i64, a : i64, q : i64, b : i64) -> { let (r : i64) = p + q\n"
                "      let (s : i64) = max a b in (r, s) }) (0, 0)\n"
                "  let () = print h\n  let () = print g",
                KERNEL_PARALLEL);
    assert_int_equal(count_of(both, "grid hist_"), 1);
    assert_null(strstr(both, "exchange"));
    const char *pairs = /* the numbers p + a e, where e * e is 0, multiplied */
        lowered(c,
                "  let (other : [k]i64) = copy ks\n"
                "  let (h : [k]i64, g : [k]i64) = hist n (zeros, other) is (xs, is)\n"
                "    (\\(p : i64, a : i64, q : i64, b : i64) -> { let (r : i64) = p * q\n"
                "      let (s : i64) = p * b\n      let (t : i64) = a * q\n"
                "      let (u : i64) = s + t in (r, u) }) (1, 0)\n"
                "  let () = print h\n  let () = print g",
                KERNEL_PARALLEL);
    assert_non_null(strstr(pairs, "exchange"));
    assert_non_null(strstr(pairs, "grid hist_join_h"));
    compilation_destroy(c);
}

static void levels_are_kept(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    const char *sequential = lowered(c,
                                     "  let (ys : [n]i64) = map @seq n (xs) (\\(x : i64) -> {\n"
                                     "    let (y : i64) = x * x in (y) })\n"
                                     "  let () = print ys",
                                     KERNEL_PARALLEL);
    assert_non_null(strstr(block_at(c, sequential, "grid seq_ys"), "< 1) {"));
    const char *grouped =
        lowered(c,
                "  let (ys : [n]i64) = map @group n (xs) (\\(x : i64) -> {\n"
                "    let (ts : [64]i64) = map @thread 64 (all) (\\(t : i64) -> {\n"
                "      let (u : i64) = t * x in (u) })\n"
                "    let (s : i64) = reduce @thread 64 (ts) " ADD " (0)\n"
                "    in (s) })\n"
                "  let () = print ys",
                KERNEL_PARALLEL);
    const char *group = block_at(c, grouped, "group group_ys");
    assert_non_null(strstr(group, "local ts_"));
    assert_non_null(strstr(group, "barrier"));
    compilation_destroy(c);
}

static void strategies_that_cannot_be_kept_are_refused(void **state)
{
    (void)state;
    static const char *const refused[] = {
        "let (ys : [n]i64) = map @thread n (xs) (\\(x : i64) -> { in (x) })",
        "let (ys : [n]i64) = map @private n (xs) (\\(x : i64) -> { in (x) })",
        "let (ys : [n]i64) = map @grid n (xs) (\\(x : i64) -> {\n"
        "  let (s : i64) = reduce @grid n (xs) " ADD " (x) in (s) })",
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        Compilation *c = compilation_create();
        assert_false(kernel_check_strategy(c, program_of(c, refused[i])));
        assert_int_equal(diagnostics_count(c->diagnostics), 1);
        compilation_destroy(c);
    }
    Compilation *c = compilation_create();
    assert_true(kernel_check_strategy(c, program_of(c, update_loop)));
    compilation_destroy(c);
}

/* Rows of a fold under a mask, by an operator: of an operator that 0 leaves alone they are read only
   where their bit is 1. */
static const char *masked_fold(Compilation *c, const char *op, KernelTarget target)
{
    return lowered(c,
                   arena_printf(c->arena,
                                "let (rs : [n]i64) = map n (is) (\\(k : i64) -> {\n"
                                "  let (r : i64) = redomap_comm @seq n (xs) (\\(d : i64) -> {\n"
                                "    let (b : i64) = k & 1\n"
                                "    let (mask : i64) = neg b\n"
                                "    let (v : i64) = d & mask\n"
                                "    in (v)\n"
                                "  }) (\\(p : i64, q : i64) -> { let (o : i64) = %s in (o) }) (0)\n"
                                "  in (r) })",
                                op),
                   target);
}

static void a_bit_takes_rows_out_of_a_fold(void **state)
{
    static const char *const skipping[] = {"p ^ q", "p + q", "p | q"};
    static const char *const keeping[] = {"p & q", "max p q", "p * q"};
    (void)state;
    Compilation *c = compilation_create();
    for (size_t i = 0; i < sizeof skipping / sizeof *skipping; i++) {
        const char *text = masked_fold(c, skipping[i], KERNEL_PARALLEL);
        const char *branch = strstr(text, " != 0 {");
        assert_non_null(branch);
        assert_non_null(strstr(branch, "= xs_")); /* the row is read under the `if` */
        assert_null(strstr(text, "neg("));
        assert_non_null(strstr(masked_fold(c, skipping[i], KERNEL_SEQUENTIAL), "neg("));
        assert_non_null(strstr(masked_fold(c, keeping[i], KERNEL_PARALLEL), "neg("));
    }
    compilation_destroy(c);
}

/* What the OpenCL program has of a map's function over doubles. */
static const char *kernels_of(Compilation *c, const char *body)
{
    const char *statements = arena_printf(c->arena,
                                          "let (rs : [n]f64) = map n (is) (\\(i : i64) -> {\n"
                                          "  let (x : f64) = convert f64 i\n%s  in (r) })",
                                          body);
    KernelProgram *kernels = kernel_lower(c, program_of(c, statements), KERNEL_PARALLEL);
    Text text = text_create(c->arena);
    assert_non_null(kernels);
    emit_opencl(c, &text, kernels, "test");
    return text.bytes;
}

static void doubles_are_computed_as_devices_do_best(void **state)
{
    static const char loop[] = "  let (r : f64) = loop (z : f64 = x) for j < n do {\n"
                               "    let (p : f64) = z * x\n    let (t : f64) = p * 2.0\n"
                               "    let (w : f64) = %s + t\n    in (w) }\n";
    (void)state;
    Compilation *c = compilation_create();
    assert_non_null(strstr(kernels_of(c, "let (r : f64) = x / 100.0\n"), "tl_divide_by("));
    assert_non_null(strstr(kernels_of(c, "let (r : f64) = x / 3.0\n"), "tl_divide_by_two("));
    assert_null(strstr(kernels_of(c, "let (r : f64) = x / 4.0\n"), "tl_divide_by"));
    assert_null(strstr(kernels_of(c, "let (r : f64) = 3.0 / x\n"), "tl_divide_by"));
    const char *outside = kernels_of(c, arena_printf(c->arena, loop, "x"));
    const char *inside = kernels_of(c, arena_printf(c->arena, loop, "z"));
    assert_non_null(strstr(outside, "if (tl_is_moderate("));
    assert_non_null(strstr(outside, "tl_twice_plus("));
    assert_null(strstr(inside, "tl_twice_plus("));
    compilation_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_of_updates_is_one_work_item_without_memory),
        cmocka_unit_test(a_loop_of_updates_copies_nothing_in_c),
        cmocka_unit_test(an_update_in_a_work_item_needs_the_array_once),
        cmocka_unit_test(a_while_loop_of_a_work_item_ends_with_a_failing_check),
        cmocka_unit_test(a_stream_gives_each_work_item_a_chunk),
        cmocka_unit_test(histograms_use_what_their_operator_allows),
        cmocka_unit_test(a_bit_takes_rows_out_of_a_fold),
        cmocka_unit_test(doubles_are_computed_as_devices_do_best),
        cmocka_unit_test(levels_are_kept),
        cmocka_unit_test(strategies_that_cannot_be_kept_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
