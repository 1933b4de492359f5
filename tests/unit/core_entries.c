/* What entries look like from outside: names, types, extents, and which results are shown. */
#include "core/entries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

/* The program's last function, checked and perhaps simplified. */
static const CoreEntry *entry_of(const char *text, bool simplified)
{
    CoreProgram *program = core_parse(c, source_create(c->arena, "test.core", text, strlen(text)));
    if (program == NULL || !core_check(c, program)) {
        diagnostics_print(c->diagnostics, stderr);
        fail();
    }
    if (simplified) {
        program = core_simplify(c, program);
    }
    return core_entry(c, program->functions[program->function_count - 1]);
}

static void signatures_leave_out_what_nobody_gives(void **state)
{
    (void)state;
    const CoreEntry *entry = entry_of(
        "entry fun f [n_1, m_2] (k_3 : i64, a_4 : *[n_1][3][m_2]f32) : ([n_1][3][m_2]f32, bool) =\n"
        "  in (a_4, true)\n",
        false);
    assert_string_equal(entry->name, "f");
    assert_string_equal(entry->signature, "(k : i64, a : [n][3][m]f32) : ([n][3][m]f32, bool)");
    assert_int_equal(entry->size_count, 2);
    assert_int_equal(entry->parameter_count, 4);
    const CoreEntryParameter *a = &entry->parameters[3];
    assert_string_equal(a->name, "a");
    assert_string_equal(a->type, "[n][3][m]f32");
    assert_int_equal(a->prim, CORE_F32);
    assert_int_equal(a->rank, 3);
    assert_int_equal(a->extents[0].parameter, 0);
    assert_int_equal(a->extents[1].parameter, -1);
    assert_int_equal(a->extents[1].constant, 3);
    assert_int_equal(a->extents[2].parameter, 1);
}

static void names_of_one_text_keep_their_numbers(void **state)
{
    (void)state;
    const CoreEntry *entry =
        entry_of("entry fun f (x_1 : i64, x_2 : [x_1]i64, y_3 : [x_1]i64) : () =\n"
                 "  in ()\n",
                 false);
    assert_string_equal(entry->signature, "(x_1 : i64, x_2 : [x_1]i64, y : [x_1]i64) : ()");
}

static const char existential[] =
    "entry fun f [n_1] (xs_2 : [n_1]i64) : (i64, ?i64, [m_3]i64, i64, [k_5]i64) =\n"
    "  let (m_3 : i64, ys_4 : [m_3]i64) = if true then { in (n_1, xs_2) } else { in (n_1, xs_2) }\n"
    "  let (k_5 : i64, zs_6 : [k_5]i64) = filter n_1 (xs_2) (\\(x_7 : i64) -> "
    "{ let (p_8 : bool) = x_7 > 0 in (p_8) })\n"
    "  in (n_1, m_3, ys_4, k_5, zs_6)\n";

/* The second is marked, the fourth is named by the fifth's type; the first is a parameter. */
static void sizes_of_later_results_are_not_shown(void **state)
{
    (void)state;
    const CoreEntry *entry = entry_of(existential, false);
    assert_int_equal(entry->result_count, 3);
    assert_int_equal(entry->results[0], 0);
    assert_int_equal(entry->results[1], 2);
    assert_int_equal(entry->results[2], 4);
    assert_string_equal(entry->signature, "(xs : [n]i64) : (i64, []i64, []i64)");
}

static void they_stay_hidden_when_they_are_simplified(void **state)
{
    (void)state;
    const CoreEntry *entry = entry_of(existential, true);
    assert_int_equal(entry->result_count, 3);
    assert_int_equal(entry->results[1], 2);
    assert_int_equal(entry->results[2], 4);
}

/* What the printer marks, the reader takes as marked. */
static void marks_are_read_back(void **state)
{
    (void)state;
    CoreProgram *program =
        core_parse(c, source_create(c->arena, "test.core", existential, strlen(existential)));
    Text text = text_create(c->arena);
    core_print(c, &text, core_simplify(c, program));
    assert_non_null(strstr(text_get(&text), ": (i64, ?i64, [n_1]i64, ?i64, ["));
    assert_int_equal(entry_of(text_get(&text), false)->result_count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(signatures_leave_out_what_nobody_gives, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_of_one_text_keep_their_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sizes_of_later_results_are_not_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(they_stay_hidden_when_they_are_simplified, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(marks_are_read_back, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
