/* Elaboration as its callers see it: a TAIL program that passes the checker, or NULL and every
 * error. */
#include "apl/elaborate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>

typedef struct Elaborated {
    Compilation *c;
    const TailExp *program;
} Elaborated;

static Elaborated elaborate(const char *text)
{
    Elaborated result = {.c = compilation_create()};
    SourceFile *source = source_create(result.c->arena, "test.apl", text, strlen(text));
    result.program = apl_elaborate(result.c, source);
    return result;
}

static void expect_tail(const char *apl, const char *tail)
{
    Elaborated result = elaborate(apl);
    assert_non_null(result.program);
    assert_true(tail_check(result.c, result.program));
    Text text = text_create(result.c->arena);
    tail_print(result.c, &text, result.program, false);
    assert_string_equal(text_get(&text), tail);
    compilation_destroy(result.c);
}

static void known_numbers_leave_no_code(void **state)
{
    (void)state;
    expect_tail("n←3\nv←n×⍳n+1\nw←¯1↓⌽v\n", "0.0\n");
}

static void definitions_leave_no_code(void **state)
{
    (void)state;
    expect_tail("f←{⍺⍺ ⍺⍺ ⍵}\nmean←+/÷≢\n", "0.0\n");
}

static void statements_become_lets_in_order(void **state)
{
    (void)state;
    expect_tail("⎕←7\n⎕←'a'\n",
                "let v1:S(int,7) = prSclI(7) in\nlet v2:[char]0 = prSclC('a') in\n0.0\n");
}

static void every_error_is_reported(void **state)
{
    (void)state;
    Elaborated result = elaborate("a←1 2+3 4 5\nb←a\nc←⍳2.5\nd←nothing\n");
    assert_null(result.program);
    assert_int_equal(diagnostics_count(result.c->diagnostics),
                     3); /* a is unusable without a word */
    compilation_destroy(result.c);
}

static void an_error_does_not_outlive_its_statement(void **state)
{
    (void)state;
    Elaborated result = elaborate("f←{⍵+1 2 3}\nf 1 2\nf 1 2 3\nf 4\n");
    assert_null(result.program);
    assert_int_equal(diagnostics_count(result.c->diagnostics), 1);
    compilation_destroy(result.c);
}

static void a_file_without_statements_is_an_error(void **state)
{
    (void)state;
    Elaborated result = elaborate("⍝ nothing\n\n");
    assert_null(result.program);
    assert_int_equal(diagnostics_count(result.c->diagnostics), 1);
    compilation_destroy(result.c);
}

static void long_programs_are_chains(void **state)
{
    (void)state;
    enum { STATEMENTS = 20000 };
    Compilation *c = compilation_create();
    Text text = text_create(c->arena);
    text_string(&text, "n←⎕ArgInt 'n' 1\n");
    for (int i = 0; i < STATEMENTS; i++) {
        text_string(&text, "n←n+1\n");
    }
    SourceFile *source = source_create(c->arena, "long.apl", text_get(&text), text.length);
    const TailExp *program = apl_elaborate(c, source);
    assert_non_null(program);
    size_t lets = 0;
    for (; program->kind == TAIL_EXP_LET; program = program->as.let.body) {
        lets++;
    }
    assert_int_equal(lets, STATEMENTS + 1);
    assert_int_equal(program->kind, TAIL_EXP_DOUBLE);
    compilation_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers_leave_no_code),
        cmocka_unit_test(definitions_leave_no_code),
        cmocka_unit_test(statements_become_lets_in_order),
        cmocka_unit_test(every_error_is_reported),
        cmocka_unit_test(an_error_does_not_outlive_its_statement),
        cmocka_unit_test(a_file_without_statements_is_an_error),
        cmocka_unit_test(long_programs_are_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
