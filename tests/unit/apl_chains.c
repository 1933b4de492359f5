/* Chains of calls, forty deep, in every form where a body is looked at more than once: were the
   cost of a call twice that of the one before, none of these would end. */
#include "apl/elaborate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>

enum { DEPTH = 40 };

/* What `template` is with the previous function's name for each @. */
static void add_step(Text *text, const char *template, int number)
{
    text_printf(text, "f%d←", number);
    for (const char *at = template; *at != '\0'; at++) {
        if (*at == '@') {
            text_printf(text, "f%d", number - 1);
        } else {
            text_char(text, *at);
        }
    }
    text_char(text, '\n');
}

typedef struct Elaborated {
    Compilation *c;
    const TailExp *program;
} Elaborated;

static Elaborated elaborate_chain(const char *first, const char *step, const char *call)
{
    Elaborated result = {.c = compilation_create()};
    Text text = text_create(result.c->arena);
    text_printf(&text, "n←⎕ArgInt 'n' 3\nf0←%s\n", first);
    for (int i = 1; i <= DEPTH; i++) {
        add_step(&text, step, i);
    }
    text_printf(&text, call, DEPTH);
    text_char(&text, '\n');
    SourceFile *source =
        source_create(result.c->arena, "test.apl", text_get(&text), strlen(text_get(&text)));
    result.program = apl_elaborate(result.c, source);
    return result;
}

static void expect_chain(const char *first, const char *step, const char *call)
{
    Elaborated result = elaborate_chain(first, step, call);
    if (result.program == NULL) {
        diagnostics_print(result.c->diagnostics, stderr);
    }
    assert_non_null(result.program);
    assert_true(tail_check(result.c, result.program));
    compilation_destroy(result.c);
}

static void calls_of_calls(void **state)
{
    (void)state;
    expect_chain("{⍵+1}", "{@ ⍵}", "f%d n");
    expect_chain("{⍺←1 ⋄ ⍺+⍵}", "{⍺←1 ⋄ ⍺ @ ⍵}", "f%d n");
    expect_chain("{⍺+⍵}", "{⍺ @⍥- ⍵}", "1 f%d n");
    expect_chain("{⍺+⍵}", "{@⍨⍵+⍺}", "1 f%d n");
    expect_chain("{⍵+1}", "(@+⊢)", "f%d n");
}

static void each(void **state)
{
    (void)state;
    expect_chain("{⍵+1}", "{@¨⍵}", "f%d n⍴1");
    expect_chain("{⍵ ⍵}", "{@¨,⍵}", "⎕←≢f%d ,1");
    expect_chain("{⍵+1}", "{+/@¨⍵ 1}", "f%d n");
}

static void loops(void **state)
{
    (void)state;
    expect_chain("{⍵+1}", "{(@⍣2)⍵}", "f%d n");
    expect_chain("{⍵+0.5}", "{(@⍣n)⍵}", "f%d n");
    expect_chain("{⍵+0.5}", "{(@⍣(n>1))⍵}", "f%d n");
    expect_chain("{⍵+0.5}", "{(@⍣{⍺>3})⍵}", "f%d n");
    expect_chain("{,⍵}", "{(@⍣2)⍵}", "f%d n");
    expect_chain("{(a b)←⍵ ⋄ b(a+b÷2)}", "{(@⍣n)⍵}", "(p q)←f%d 0 1");
    expect_chain("{⍵>9:⍵ ⋄ ∇⍵+1}", "{⍵>9:⍵ ⋄ ∇ 1+@ ⍵}", "f%d n");
    expect_chain("{⍵>9:⍵ ⋄ ∇⍵+0.5}", "{⍵>9:⍵ ⋄ ∇ 1+@ ⍵}", "f%d n");
}

static void folds(void **state)
{
    (void)state;
    expect_chain("{⍺+0.5×⍵}", "{@/⍺,⍵}", "2 f%d n");
    expect_chain("{⍺+0.5×⍵}", "{@/n⍴⍺+⍵}", "2 f%d n");
    expect_chain("{⍺+0.5×⍵}", "{+/@\\⍺,⍵}", "2 f%d n");
    expect_chain("{⍺+0.5×⍵}", "{+/@\\n⍴⍺+⍵}", "2 f%d n");
    expect_chain("{⍺+0.5×⍵}", "{+/2 @/n⍴⍺,⍵}", "2 f%d n");
    expect_chain("{⍺+0.5×⍵}", "{+/n @/(2×n)⍴⍺,⍵}", "2 f%d n");
}

static void products(void **state)
{
    (void)state;
    expect_chain("{⍺+0.5×⍵}", "{+/⍺∘.@ ⍵ 3}", "2 3 f%d n");
    expect_chain("{⍺+0.5×⍵}", "{+/,(n⍴⍺)∘.@ n⍴⍵}", "2 f%d n");
    expect_chain("{⍺+0.5×⍵}", "{(n⍴⍺)+.@ n⍴⍵}", "2 f%d n");
    expect_chain("{⍺+0.5×⍵}", "{(n⍴⍺)@.+ n⍴⍵}", "2 f%d n");
}

static void parts_of_arrays(void **state)
{
    (void)state;
    expect_chain("{⍵+0.5}", "{(@⍤0)⍵}", "f%d n⍴1");
    expect_chain("{⌽⍵}", "{(@⍤1)⍵}", "f%d n 2⍴1");
    expect_chain("{+/,⍵}", "{+/,{@ ⍵}⌺3⊢,⍵}", "f%d n⍴1");
    expect_chain("{+/⍵}", "{+/⍵{@ ⍵}⌸⍵}", "f%d n⍴1");
}

static void guards(void **state)
{
    (void)state;
    expect_chain("{⍵+0.5}", "{⍵>3:⍵ ⋄ @ ⍵+1}", "f%d n");
    expect_chain("{⍵+0.5}", "{⍵>3:@ ⍵ ⋄ ⍵+1}", "f%d n");
    expect_chain("{⍵+0.5}", "{3<@ ⍵:⍵ ⋄ ⍵+1}", "f%d n");
}

/* Functions written inside of functions: there are new ones at every call. */
static void expect_nest(const char *innermost, const char *before, const char *after)
{
    Compilation *c = compilation_create();
    Text text = text_create(c->arena);
    text_string(&text, "n←⎕ArgInt 'n' 3\n{");
    for (int i = 0; i < DEPTH; i++) {
        text_string(&text, before);
    }
    text_string(&text, innermost);
    for (int i = 0; i < DEPTH; i++) {
        text_string(&text, after);
    }
    text_string(&text, "}n\n");
    SourceFile *source =
        source_create(c->arena, "test.apl", text_get(&text), strlen(text_get(&text)));
    assert_non_null(apl_elaborate(c, source));
    compilation_destroy(c);
}

static void functions_in_functions(void **state)
{
    (void)state;
    expect_nest("⍵+0.5", "({", "}⍣n)⍵");
    expect_nest("⍵+0.5", "x←⍵ ⋄ ({x+", "}⍣n)⍵");
    expect_nest("⍵+0.5", "⍵>9:⍵ ⋄ ∇ 1+{", "}⍵");
    expect_nest("+/⍵", "+/{", "}¨n⍴⍵");
}

/* Where the program itself has 2*40 calls, they stay calls. */
static void calls_that_double_stay(void **state)
{
    (void)state;
    const char *steps[] = {"{(@ ⍵×2)+@ ⍵+1}", "{(@∘@)⍵}", "{⍵>1: @ ⍵ ⋄ @ ⍵+1}"};
    for (size_t i = 0; i < 3; i++) {
        Elaborated result = elaborate_chain("{⍵+1}", steps[i], "f%d n");
        assert_non_null(result.program);
        assert_true(tail_count(result.program) < 20000);
        compilation_destroy(result.c);
    }
}

/* Where what is known of the arguments doubles, too: an error, not a machine without memory. */
static void facts_that_double_are_limited(void **state)
{
    (void)state;
    Elaborated result = elaborate_chain("{⍵}", "{@ ⍵ ⍵}", "f%d n");
    assert_null(result.program);
    assert_int_equal(diagnostics_count(result.c->diagnostics), 1);
    compilation_destroy(result.c);
}

/* What a trial has found holds only as long as the names that it read keep their values. */
static void names_change_between_calls(void **state)
{
    (void)state;
    const char *text = "n←⎕ArgInt 'n' 3\nf←{x+⍵}\ng←{(f⍣n)⍵}\nx←1\n⎕←g 1\nx←0.5\n⎕←g 1\n"
                       "{y←1 ⋄ h←{y+⍵} ⋄ a←(h⍣n)1 ⋄ y←0.5 ⋄ a+(h⍣n)1}0\n";
    Compilation *c = compilation_create();
    SourceFile *source = source_create(c->arena, "test.apl", text, strlen(text));
    const TailExp *program = apl_elaborate(c, source);
    assert_non_null(program);
    assert_true(tail_check(c, program));
    compilation_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_calls),
        cmocka_unit_test(each),
        cmocka_unit_test(loops),
        cmocka_unit_test(folds),
        cmocka_unit_test(products),
        cmocka_unit_test(parts_of_arrays),
        cmocka_unit_test(guards),
        cmocka_unit_test(functions_in_functions),
        cmocka_unit_test(calls_that_double_stay),
        cmocka_unit_test(facts_that_double_are_limited),
        cmocka_unit_test(names_change_between_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
