/* What core's printer prints for nodes that are built by hand. */
#include "core/core.h"

#include <math.h>
#include <setjmp.h>
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

/* The last statement of a builder. */
static const char *last(const CoreBuilder *b)
{
    Text text = text_create(c->arena);
    core_print_stm(c, &text, b->stms.items[b->stms.count - 1], 2);
    return text_get(&text);
}

static void constants_carry_their_prim(void **state)
{
    (void)state;
    assert_string_equal(core_atom_text(c, core_i64(-3)), "-3i64");
    assert_string_equal(core_atom_text(c, core_int(CORE_I32, 3)), "3i32");
    assert_string_equal(core_atom_text(c, core_bool(true)), "true");
    assert_string_equal(core_atom_text(c, core_real(CORE_F64, 2)), "2.0f64");
    assert_string_equal(core_atom_text(c, core_real(CORE_F32, -(double)INFINITY)), "-f32.inf");
    assert_string_equal(core_atom_text(c, core_real(CORE_F64, (double)NAN)), "f64.nan");
    assert_string_equal(core_atom_text(c, core_char('a')), "'a'");
    assert_string_equal(core_atom_text(c, core_char(0x1F600)), "'\\u{1f600}'");
    assert_string_equal(core_atom_text(c, core_char('\'')), "'\\u{27}'");
}

static void symbols_stand_between_and_words_before(void **state)
{
    (void)state;
    CoreBuilder b = core_builder(c, NO_SPAN);
    core_let_binary(&b, "x", CORE_ADD, core_i64(1), core_i64(2));
    assert_string_equal(last(&b), "  let (x_1 : i64) = 1i64 + 2i64\n");
    core_let_binary(&b, "x", CORE_MAX, core_i64(1), core_i64(2));
    assert_string_equal(last(&b), "  let (x_2 : i64) = max 1i64 2i64\n");
    core_let_unary(&b, "x", CORE_NOT, core_bool(true));
    assert_string_equal(last(&b), "  let (x_3 : bool) = ! true\n");
}

/* The one SOAC node prints as the familiar name where it has that shape. */
static void soacs_have_familiar_names(void **state)
{
    (void)state;
    CoreBuilder b = core_builder(c, NO_SPAN);
    CoreAtom n = core_i64(4), zero = core_i64(0);
    CoreAtom is = core_let_iota(&b, "is", n);
    const CoreLambda *plus = core_operator_lambda(c, CORE_ADD, CORE_I64, NO_SPAN);
    core_let(&b, "s", core_scalar(CORE_I64), core_exp_reduce(c, n, 1, &is, plus, &zero, true));
    assert_string_equal(last(&b),
                        "  let (s_6 : i64) = reduce_comm 4 (is_1) (\\(x_2 : i64, y_3 : i64) -> "
                        "{ let (z_4 : i64) = x_2 + y_3 in (z_4) }) (0i64)\n");
    const CoreLambda *times = core_operator_lambda(c, CORE_MUL, CORE_I64, NO_SPAN);
    const CoreExp *scan = core_exp_scan(c, n, 1, &is, times, &zero);
    core_let(&b, "t", core_atom_type(is), core_exp_placed(c, scan, CORE_GROUP, CORE_LOCAL));
    assert_string_equal(
        last(&b),
        "  let (t_11 : [4]i64) = scan @group @local 4 (is_1) (\\(x_7 : i64, y_8 : i64) -> "
        "{ let (z_9 : i64) = x_7 * y_8 in (z_9) }) (0i64)\n");
}

static void strings_are_escaped(void **state)
{
    (void)state;
    CoreBuilder b = core_builder(c, NO_SPAN);
    core_let_assert(&b, core_bool(false), CORE_RANK_ERROR, "a \"b\"\\\n\t⍴", 0, NULL);
    assert_string_equal(
        last(&b),
        "  let (c_1 : cert) = assert false \"RANK ERROR\" \"a \\\"b\\\"\\\\\\n\\u{9}⍴\" ()\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(constants_carry_their_prim, set_up, tear_down),
        cmocka_unit_test_setup_teardown(symbols_stand_between_and_words_before, set_up, tear_down),
        cmocka_unit_test_setup_teardown(soacs_have_familiar_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(strings_are_escaped, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
