/* The checker on programs that the text form cannot say, on accepted programs, and on long ones. */
#include "core/core.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static Compilation *c;

static int set_up(void **state)
{
    (void)state;
    c = compilation_create();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    compilation_destroy(c);
    return 0;
}

/* A program of one function without parameters, and whether the checker accepts it. */
static bool accepts(CoreBuilder *b, size_t result_count, const CoreAtom *results)
{
    CoreType *types = ARENA_ARRAY(c->arena, CoreType, result_count);
    for (size_t i = 0; i < result_count; i++) {
        types[i] = core_atom_type(results[i]);
    }
    CoreFunction function = {
        .name = "main", .result_count = result_count, .result_types = types, .is_entry = true};
    function.body = core_body(b, result_count, results);
    const CoreFunction *functions[1] = {&function};
    CoreProgram program = {1, functions};
    bool good = core_check(c, &program);
    assert_int_equal(diagnostics_count(c->diagnostics) == 0, good);
    return good;
}

/* What the diagnostics say, as one text. */
static const char *said(void)
{
    char *text;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    diagnostics_print(c->diagnostics, file);
    fclose(file);
    const char *copy = arena_text(c->arena, text, length);
    free(text);
    return copy;
}

static void assert_said(const char *part)
{
    if (!strstr(said(), part)) {
        fail_msg("no \"%s\" in: %s", part, said());
    }
}

static bool parsed_is_accepted(const char *text)
{
    CoreProgram *program = core_parse(c, source_create(c->arena, "test.core", text, strlen(text)));
    assert_non_null(program);
    return core_check(c, program);
}

static void a_name_bound_twice(void **state)
{
    (void)state;
    CoreBuilder b = core_builder(c, NO_SPAN);
    core_let_iota(&b, "is", core_i64(3));
    core_add(&b, b.stms.items[0]);
    assert_false(accepts(&b, 0, NULL));
    assert_said("is_1 is bound twice, in let (is_1 : [3]i64) = iota 3");
}

static void a_name_used_before_it_is_bound(void **state)
{
    (void)state;
    CoreBuilder b = core_builder(c, NO_SPAN), other = core_builder(c, NO_SPAN);
    CoreAtom x = core_let_binary(&other, "x", CORE_ADD, core_i64(1), core_i64(1));
    core_let_binary(&b, "y", CORE_ADD, x, x);
    core_add(&b, other.stms.items[0]);
    assert_false(accepts(&b, 0, NULL));
    assert_said("x_1 is used before it is bound");
}

static void a_name_used_outside_its_scope(void **state)
{
    (void)state;
    CoreBuilder yes = core_builder(c, NO_SPAN), no = core_builder(c, NO_SPAN),
                b = core_builder(c, NO_SPAN);
    CoreAtom inside = core_let_binary(&yes, "x", CORE_ADD, core_i64(1), core_i64(1)),
             one = core_i64(1);
    const CoreExp *choice =
        core_exp_if(c, core_bool(true), core_body(&yes, 1, &inside), core_body(&no, 1, &one));
    core_let(&b, "r", core_scalar(CORE_I64), choice);
    core_let_binary(&b, "y", CORE_ADD, inside, inside);
    assert_false(accepts(&b, 0, NULL));
    assert_said("x_1 is used outside its scope");
}

/* What the reader never builds: each is refused, not trusted. */
static void nodes_that_no_text_can_say(void **state)
{
    (void)state;
    CoreBuilder b = core_builder(c, NO_SPAN);
    CoreAtom xs = core_let_copy(&b, "xs", core_let_iota(&b, "is", core_i64(3)));
    CoreExp *exps[5];
    for (int i = 0; i < 5; i++) {
        exps[i] = ARENA_NEW(c->arena, CoreExp);
    }
    CoreSlice *fixed = ARENA_NEW(c->arena, CoreSlice);
    *fixed = (CoreSlice){.fixed = true, .offset = core_i64(0)};
    exps[0]->kind = CORE_EXP_SLICE;
    exps[0]->as.slice.array = xs;
    exps[0]->as.slice.count = 1;
    exps[0]->as.slice.slices = fixed;
    exps[1]->kind = CORE_EXP_LITERAL;
    exps[2]->kind = CORE_EXP_CONCAT;
    exps[3]->kind = CORE_EXP_UNARY;
    exps[3]->as.scalar.op = CORE_ADD;
    exps[3]->as.scalar.prim = CORE_I64;
    exps[3]->as.scalar.x = core_i64(1);
    CoreBuilder body = core_builder(c, NO_SPAN);
    exps[4] =
        arena_copy(c->arena,
                   core_exp_for(c, 0, NULL, NULL, core_name(c, "i", core_scalar(CORE_I64), NO_SPAN),
                                core_i64(3), core_body(&body, 0, NULL)),
                   sizeof *exps[4]);
    exps[4]->as.loop.index->type.prim = CORE_F64;
    for (int i = 0; i < 4; i++) {
        core_let(&b, "y", core_scalar(CORE_I64), exps[i]);
    }
    core_bind(&b, 0, NULL, exps[4]);
    assert_false(accepts(&b, 0, NULL));
    assert_said("a slice with every axis fixed is an index");
    assert_said("an array literal needs an item");
    assert_said("concat of nothing");
    assert_said("operator + takes 2 operands");
    assert_said("the index of a loop must be i64, not f64");
}

/* Sizes in brackets come from callers of an entry, so that the checker looks at them again. */
static void a_size_in_brackets_that_is_no_i64(void **state)
{
    (void)state;
    CoreBuilder b = core_builder(c, NO_SPAN);
    CoreName *const parameters[1] = {core_name(c, "x", core_scalar(CORE_F64), NO_SPAN)};
    CoreFunction function = {.name = "main",
                             .parameter_count = 1,
                             .parameters = parameters,
                             .size_count = 1,
                             .is_entry = true};
    function.body = core_body(&b, 0, NULL);
    const CoreFunction *functions[1] = {&function};
    CoreProgram program = {1, functions};
    assert_false(core_check(c, &program));
    assert_said("a size in brackets must be i64, not f64");
    assert_said("x_1 stands in brackets, but is no parameter's size");
}

static void nesting_has_a_limit(void **state)
{
    (void)state;
    CoreBuilder inner = core_builder(c, NO_SPAN);
    const CoreBody *nothing = core_body(&inner, 0, NULL), *body = nothing;
    for (int i = 0; i < 2 * NESTING_LIMIT; i++) {
        CoreBuilder outer = core_builder(c, NO_SPAN);
        core_bind(&outer, 0, NULL, core_exp_if(c, core_bool(true), body, nothing));
        body = core_body(&outer, 0, NULL);
    }
    CoreFunction function = {.name = "main", .body = body, .is_entry = true};
    const CoreFunction *functions[1] = {&function};
    CoreProgram program = {1, functions};
    assert_false(core_check(c, &program));
    assert_said("nesting is deeper than 1000");
}

static void a_loop_that_grows_its_array(void **state)
{
    (void)state;
    assert_true(parsed_is_accepted(
        "entry fun main (n : i64) : (i64) =\n"
        "  let (xs : [n]i64) = iota n\n"
        "  let (k : i64, r : [k]i64) = loop (m : i64 = n, ys : [m]i64 = xs) for i < 3 do {\n"
        "    let (m2 : i64) = m + m\n"
        "    let (zs : [m2]i64) = concat 0 (ys, ys)\n"
        "    in (m2, zs)\n"
        "  }\n"
        "  let (s : i64) = r[0]\n"
        "  in (s)\n"));
}

/* [PLDI figure 4c]: the accumulator of a stream is updated in place. */
static void a_stream_updates_its_accumulator(void **state)
{
    (void)state;
    assert_true(
        parsed_is_accepted("entry fun main (n : i64, membership : [n]i64) : ([5]i64) =\n"
                           "  let (zeros : [5]i64) = replicate [5] 0\n"
                           "  let (counts : [5]i64) = stream_red n (membership)\n"
                           "    (\\(x : [5]i64, y : [5]i64) -> {\n"
                           "      let (z : [5]i64) = map 5 (x, y) (\\(a : i64, b : i64) -> { let "
                           "(s : i64) = a + b in (s) }) in (z) })\n"
                           "    (\\(m : i64, acc : *[5]i64, chunk : [m]i64) -> {\n"
                           "      let (r : [5]i64) = loop (counts : *[5]i64 = acc) for i < m do {\n"
                           "        let (cluster : i64) = chunk[i]\n"
                           "        let (old : i64) = counts[cluster]\n"
                           "        let (new : i64) = old + 1\n"
                           "        let (next : [5]i64) = counts with [cluster] <- new\n"
                           "        in (next) }\n"
                           "      in (r) }) (zeros)\n"
                           "  in (counts)\n"));
}

/* [PLDI figure 7]: rows of the input may be updated, an outer array not. */
static void rows_may_be_updated_in_a_map(void **state)
{
    (void)state;
    assert_true(parsed_is_accepted("entry fun main (n : i64, as : *[n][3]i64) : ([n][3]i64) =\n"
                                   "  let (bs : [n][3]i64) = map n (as) (\\(a : [3]i64) -> {\n"
                                   "    let (b : [3]i64) = a with [0] <- 2 in (b) })\n"
                                   "  in (bs)\n"));
    assert_false(parsed_is_accepted("entry fun main (n : i64, is : [n]i64) : () =\n"
                                    "  let (d : [n]i64) = iota n\n"
                                    "  let (cs : [n][n]i64) = map n (is) (\\(i : i64) -> {\n"
                                    "    let (b : [n]i64) = d with [i] <- 2 in (b) })\n"
                                    "  in ()\n"));
    assert_said("cannot be consumed: it is bound outside of a body that runs many times");
}

static void an_input_read_while_its_rows_are_consumed(void **state)
{
    (void)state;
    assert_false(parsed_is_accepted("entry fun main (n : i64, as : *[n][3]i64) : ([n][3]i64) =\n"
                                    "  let (bs : [n][3]i64) = map n (as) (\\(a : [3]i64) -> {\n"
                                    "    let (x : i64) = as[0, 0]\n"
                                    "    let (b : [3]i64) = a with [0] <- x in (b) })\n"
                                    "  in (bs)\n"));
    assert_said("also read by its function");
}

/* Consumption in one branch does not concern the other. */
static void branches_consume_independently(void **state)
{
    (void)state;
    assert_true(parsed_is_accepted("entry fun main (p : bool, xs : *[4]i64) : ([4]i64, i64) =\n"
                                   "  let (ys : [4]i64, y : i64) = if p then {\n"
                                   "    let (a : [4]i64) = xs with [0] <- 1\n"
                                   "    let (a0 : i64) = a[0]\n"
                                   "    in (a, a0)\n"
                                   "  } else {\n"
                                   "    let (b : i64) = xs[0]\n"
                                   "    in (xs, b)\n"
                                   "  }\n"
                                   "  let (zs : [4]i64) = ys with [1] <- y\n"
                                   "  in (zs, y)\n"));
}

/* 50,000 statements of views and updates take time in proportion: this ends at once, or the test
 * hangs. */
static void long_programs_take_linear_time(void **state)
{
    (void)state;
    CoreBuilder b = core_builder(c, NO_SPAN);
    CoreAtom x = core_let_copy(&b, "x", core_let_iota(&b, "is", core_i64(8)));
    CoreSlice first = {.fixed = true, .offset = core_i64(0)};
    for (int i = 0; i < 25000; i++) {
        x = core_let_rotate(&b, "x", x, 0, core_i64(i));
        x = i % 100 ? core_let_reverse(&b, "x", x, 0)
                    : core_let_update(&b, "x", x, 1, &first, core_i64(i));
    }
    assert_true(accepts(&b, 1, &x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_name_bound_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_name_used_before_it_is_bound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_name_used_outside_its_scope, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nodes_that_no_text_can_say, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_size_in_brackets_that_is_no_i64, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nesting_has_a_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_loop_that_grows_its_array, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_stream_updates_its_accumulator, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_may_be_updated_in_a_map, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_input_read_while_its_rows_are_consumed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(branches_consume_independently, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_programs_take_linear_time, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
