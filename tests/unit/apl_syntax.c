/* apl: tokens to raw trees, and raw trees to bound ones. The golden tests (tests/text/tree) show
   how APL reads; here stand spans, classes, error recovery, limits, and input that no person
   writes. */
#include "apl/syntax.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const SourceFile *source_of(Compilation *c, const char *text)
{
    return source_create(c->arena, "test", text, strlen(text));
}

/* a b v x: arrays; f g: functions; op, dot: operators; gone: poisoned; ⍺ ⍵ ⍺⍺ ∇ as in an operator.
 */
static AplClass class_of(void *context, const char *name)
{
    (void)context;
    static const struct {
        const char *name;
        AplClass class;
    } names[] = {
        {"a", APL_CLASS_ARRAY},
        {"b", APL_CLASS_ARRAY},
        {"v", APL_CLASS_ARRAY},
        {"x", APL_CLASS_ARRAY},
        {"f", APL_CLASS_FUNCTION},
        {"g", APL_CLASS_FUNCTION},
        {"⍺", APL_CLASS_ARRAY},
        {"⍵", APL_CLASS_ARRAY},
        {"⍺⍺", APL_CLASS_FUNCTION},
        {"∇", APL_CLASS_FUNCTION},
        {"op", APL_CLASS_MONADIC_OPERATOR},
        {"dot", APL_CLASS_DYADIC_OPERATOR},
        {"gone", APL_CLASS_ERROR},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, name) == 0)
            return names[i].class;
    }
    return apl_quad_class(name);
}

static const AplNode *bind_text(Compilation *c, const char *text)
{
    const AplProgram *program = apl_parse(c, source_of(c, text));
    assert_int_equal(program->count, 1);
    return apl_bind(c, program->statements[0], class_of, NULL, NULL);
}

static const char *printed(Compilation *c, const AplNode *node)
{
    Text text = text_create(c->arena);
    apl_print_tree(c, &text, node);
    return text_get(&text);
}

static void sequences_are_kept_as_written(void **state)
{
    (void)state;
    static const char *cases[][2] = {
        {"a+/[1] v[;2]←(1 2)",
         "(seq a + / (brackets (seq 1)) v (brackets _ (seq 2)) ← (paren (seq 1 2)))"},
        {"{⍵>0:⍵ ⋄ ⍺←1\n\n ∇⍵}",
         "(seq (dfn (guard (seq ⍵ > 0) (seq ⍵)) (default (seq 1)) (seq ∇ ⍵)))"},
        {"{⍺⍺ ⍵}", "(seq (op1 (seq ⍺⍺ ⍵)))"},
        {"{⍺⍺ ⍵⍵ {⍵}⍵}", "(seq (op2 (seq ⍺⍺ ⍵⍵ (dfn (seq ⍵)) ⍵)))"},
        {"{{⍺⍺}⍵}", "(seq (dfn (seq (op1 (seq ⍺⍺)) ⍵)))"},
        {"v[]", "(seq v (brackets _))"},
        {"v[;;]", "(seq v (brackets _ _ _))"},
        {"{}", "(seq (dfn))"},
        {"{⋄⋄}", "(seq (dfn))"},
        {"(5+⍺←3)", "(seq (paren (seq 5 + ⍺ ← 3)))"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Compilation *c = compilation_create();
        const AplProgram *program = apl_parse(c, source_of(c, cases[i][0]));
        assert_int_equal(program->count, 1);
        assert_int_equal(diagnostics_count(c->diagnostics), 0);
        assert_string_equal(printed(c, program->statements[0]), cases[i][1]);
        compilation_destroy(c);
    }
}

static void dfns_know_what_they_use(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    const AplProgram *program = apl_parse(c, source_of(c, "{⍺←{⍵⍵}∇1 ⋄ '⍵'}"));
    const AplNode *dfn = program->statements[0]->items[0];
    assert_int_equal(dfn->kind, APL_DFN);
    assert_int_equal(dfn->class, APL_CLASS_FUNCTION);
    assert_true(dfn->as.dfn.uses_alpha);
    assert_true(dfn->as.dfn.uses_self);
    assert_false(dfn->as.dfn.uses_omega);
    assert_false(dfn->as.dfn.uses_alpha_alpha);
    assert_false(dfn->as.dfn.uses_omega_omega);
    compilation_destroy(c);
}

static void spans_cover_their_source(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    const AplNode *sum = bind_text(c, " (a+b)×f¨(v) ");
    assert_int_equal(sum->kind, APL_DYADIC);
    assert_int_equal(sum->span.start, 1); /* the parenthesis */
    assert_int_equal(sum->span.end, 14);
    assert_int_equal(sum->items[0]->span.start, 2); /* a+b without it */
    assert_int_equal(sum->items[0]->span.end, 5);
    assert_int_equal(sum->items[2]->span.start, 8); /* f¨(v), after the two bytes of × */
    assert_int_equal(sum->items[2]->span.end, 14);
    compilation_destroy(c);
}

static void nodes_know_their_class(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    const AplNode *bound = bind_text(c, "1 0/+/v");
    assert_int_equal(bound->class, APL_CLASS_ARRAY);
    assert_int_equal(bound->items[1]->class, APL_CLASS_FUNCTION); /* replicate */
    const AplNode *reduce = bound->items[2]->items[0];
    assert_int_equal(reduce->kind, APL_DERIVED);
    assert_int_equal(reduce->count, 3);
    assert_int_equal(reduce->class, APL_CLASS_FUNCTION);
    assert_int_equal(reduce->items[0]->class, APL_CLASS_MONADIC_OPERATOR);
    assert_null(reduce->items[2]);
    assert_int_equal(bind_text(c, "h←+/")->class, APL_CLASS_FUNCTION);
    assert_int_equal(bind_text(c, "h←∘")->class, APL_CLASS_DYADIC_OPERATOR);
    assert_int_equal(bind_text(c, "h←op")->class, APL_CLASS_MONADIC_OPERATOR);
    compilation_destroy(c);
}

static void names_assigned_in_a_statement_are_known_to_their_left(void **state)
{
    (void)state;
    static const char *cases[][2] = {
        {"n×n←3", "(dyadic n × (assign n 3))"},
        {"(h v)⊣(h←-)3", "(dyadic (monadic h v) ⊣ (monadic (assign-function h -) 3))"},
        {"n+n2←n←3", "(dyadic n + (assign n2 (assign n 3)))"},
        {"v[n;n←1]", "(index v n (assign n 1))"},
        {"v[n←1;n]", NULL},
        {"p+q-(p q)←v", "(dyadic p + (dyadic q - (assign (strand p q) v)))"},
        {"(n←1)+n", NULL},
        {"f+f←3", "(dyadic f + (assign f 3))"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Compilation *c = compilation_create();
        const AplNode *bound = bind_text(c, cases[i][0]);
        assert_int_equal(bound == NULL, cases[i][1] == NULL);
        if (bound)
            assert_string_equal(printed(c, bound), cases[i][1]);
        assert_int_equal(diagnostics_count(c->diagnostics), bound ? 0 : 1);
        compilation_destroy(c);
    }
}

static void guards_bind_their_condition_first(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    const AplProgram *program = apl_parse(c, source_of(c, "{0<n←⍵:n}"));
    const AplNode *guard =
        apl_bind(c, program->statements[0]->items[0]->items[0], class_of, NULL, NULL);
    assert_string_equal(printed(c, guard), "(guard (dyadic 0 < (assign n ⍵)) n)");
    compilation_destroy(c);
}

static void parameters_are_not_assigned(void **state)
{
    (void)state;
    static const char *cases[] = {"{⍵←3}",  "{1+⍺←3}",   "{⍺⍺←-}",   "{⍵[1]←2}",
                                  "{⍵+←1}", "{(⍵ x)←v}", "{⍵[1]+←2}"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Compilation *c = compilation_create();
        const AplProgram *program = apl_parse(c, source_of(c, cases[i]));
        assert_null(apl_bind(c, program->statements[0]->items[0]->items[0], class_of, NULL, NULL));
        assert_int_equal(diagnostics_count(c->diagnostics), 1);
        compilation_destroy(c);
    }
}

static void poisoned_names_fail_quietly(void **state)
{
    (void)state;
    static const char *cases[] = {"gone", "1+gone 2", "gone/v", "gone[1]←2", "gone+←1", "v←gone"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Compilation *c = compilation_create();
        assert_null(bind_text(c, cases[i]));
        assert_int_equal(diagnostics_count(c->diagnostics), 0);
        compilation_destroy(c);
    }
    Compilation *c = compilation_create();
    assert_string_equal(printed(c, bind_text(c, "1+gone←2")), "(dyadic 1 + (assign gone 2))");
    compilation_destroy(c);
}

static void collect(void *context, const char *name)
{
    Text *names = context;
    text_printf(names, "%s ", name);
}

static void statements_in_error_say_what_they_would_assign(void **state)
{
    (void)state;
    static const char *cases[][2] = {
        {"p←q←)", "p q "},          {"(p q)←1+r←2)", "p q r "}, {"p←{t←1}(q←2]", "p q "},
        {"p←q←1+r[s←2]", "p q s "}, /* not in error: the raw statement says the same */
        {"(p q)←v", "p q "},        {"p+←q←v", "p q "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Compilation *c = compilation_create();
        const AplProgram *program = apl_parse(c, source_of(c, cases[i][0]));
        assert_int_equal(program->count, 1);
        Text names = text_create(c->arena);
        apl_assigned_names(program->statements[0], collect, &names);
        assert_string_equal(text_get(&names), cases[i][1]);
        compilation_destroy(c);
    }
}

static void an_error_costs_only_its_statement(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    const AplProgram *program =
        apl_parse(c, source_of(c, "a←1\nb←)\nc←{1 ⋄ (2 ⋄ 3}\nd←{4\n} ]\ne←5"));
    assert_int_equal(program->count, 5);
    assert_string_equal(printed(c, program->statements[0]), "(seq a ← 1)");
    assert_string_equal(printed(c, program->statements[1]), "(error b)");
    assert_string_equal(printed(c, program->statements[2]),
                        "(seq c ← (dfn (seq 1) (error) (seq 3)))");
    assert_string_equal(printed(c, program->statements[3]), "(error d)");
    assert_string_equal(printed(c, program->statements[4]), "(seq e ← 5)");
    assert_int_equal(diagnostics_count(c->diagnostics), 3);
    assert_null(apl_bind(c, program->statements[1], class_of, NULL, NULL));
    compilation_destroy(c);
}

/* `head`, then `piece` many times, then `middle`, then `tail` as often. */
static const char *repeated(Compilation *c, const char *head, const char *piece, const char *middle,
                            const char *tail, size_t times)
{
    Text text = text_create(c->arena);
    text_string(&text, head);
    for (size_t i = 0; i < times; i++)
        text_string(&text, piece);
    text_string(&text, middle);
    for (size_t i = 0; i < times; i++)
        text_string(&text, tail);
    return text_get(&text);
}

static void deep_nesting_is_one_error(void **state)
{
    (void)state;
    static const char *cases[][4] = {
        {"", "(", "1", ")"},  {"", "{", "⍵", "}"}, {"", "v[", "1", "]"},  {"", "(", "", ""},
        {"", "{\n", "", "}"}, {"a←", "{", "", ""}, {"", "({", "1", "})"}, {"", "(v[{", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Compilation *c = compilation_create();
        const char *text = repeated(c, cases[i][0], cases[i][1], cases[i][2], cases[i][3], 100000);
        const AplProgram *program = apl_parse(c, source_of(c, text));
        for (size_t k = 0; k < program->count; k++)
            apl_bind(c, program->statements[k], class_of, NULL, NULL);
        assert_int_equal(diagnostics_count(c->diagnostics), 1);
        compilation_destroy(c);
    }
}

static void nesting_up_to_the_limit_is_fine(void **state)
{
    (void)state;
    static const char *cases[][2] = {{"(", ")"}, {"{", "}"}, {"v[", "]"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Compilation *c = compilation_create();
        const char *text = repeated(c, "", cases[i][0], "1", cases[i][1], NESTING_LIMIT);
        assert_non_null(bind_text(c, text));
        assert_int_equal(diagnostics_count(c->diagnostics), 0);
        compilation_destroy(c);
    }
}

static void long_statements_are_linear_and_limited(void **state)
{
    (void)state;
    static const struct {
        const char *piece, *last;
        bool fits;
    } cases[] = {
        {"1 ", "2", true},   {"1+", "2", false},  {"-", "2", false},  {"a←", "2", false},
        {"a+←", "2", false}, {"f", "", true},     {"-¨", "v", false}, {"-", "", false},
        {"a[1]", "", false}, {"{⍵}", "v", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Compilation *c = compilation_create();
        const char *text = repeated(c, "", cases[i].piece, cases[i].last, "", 100000);
        if (strcmp(cases[i].piece, "f") == 0)
            text = repeated(c, "q←'", "f", "'", "", 100000);
        const AplNode *bound = bind_text(c, text);
        assert_int_equal(bound != NULL, cases[i].fits);
        assert_int_equal(diagnostics_count(c->diagnostics), cases[i].fits ? 0 : 1);
        compilation_destroy(c);
    }
    Compilation *c = compilation_create();
    assert_non_null(bind_text(c, repeated(c, "", "1+", "1", "", 10 * NESTING_LIMIT)));
    compilation_destroy(c);
}

/* Any sequence of tokens and bytes gives trees or diagnostics. */
static void garbage_is_survived(void **state)
{
    (void)state;
    static const char *words[] = {
        "a", "v",  "f", "op", "dot", "⍺", "⍵",   "⍺⍺", "⍵⍵",   "∇", "←",   "←",
        "(", ")",  "[", "]",  "{",   "}", "(",   ")",  "{",    "}", ";",   ":",
        "⋄", "\n", "+", "-",  "/",   "⌿", "\\",  "¨",  "⍨",    ".", "∘.",  "∘",
        "⍣", "⍤",  "1", "2.", ".5",  "'", "'x'", "\"", "⍬",    "⎕", "⎕IO", "⎕BENCH",
        " ", "⍝",  "¯", "1E", "3J",  "⍞", "→",   "\r", "\xFF", "#", "é",   "∇∇",
    };
    enum { COUNT = sizeof words / sizeof *words };
    uint32_t random = 12345;
    for (size_t round = 0; round < 3000; round++) {
        Compilation *c = compilation_create();
        Text text = text_create(c->arena);
        for (size_t i = 0; i < 40; i++) {
            random = random * 1664525u + 1013904223u;
            if (round % 8 == 0) {
                text_char(&text, (char)(random >> 24));
            } else {
                text_string(&text, words[(random >> 16) % COUNT]);
            }
        }
        const SourceFile *source = source_create(c->arena, "test", text_get(&text), text.length);
        const AplProgram *program = apl_parse(c, source);
        bool complete = true;
        for (size_t i = 0; i < program->count; i++) {
            complete = complete && apl_bind(c, program->statements[i], class_of, NULL, NULL);
        }
        if (!complete)
            assert_true(diagnostics_count(c->diagnostics) > 0);
        Text out = text_create(c->arena);
        apl_print_program(c, &out, source);
        apl_print_tokens(c, &out, source);
        compilation_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_are_kept_as_written),
        cmocka_unit_test(dfns_know_what_they_use),
        cmocka_unit_test(spans_cover_their_source),
        cmocka_unit_test(nodes_know_their_class),
        cmocka_unit_test(names_assigned_in_a_statement_are_known_to_their_left),
        cmocka_unit_test(guards_bind_their_condition_first),
        cmocka_unit_test(parameters_are_not_assigned),
        cmocka_unit_test(poisoned_names_fail_quietly),
        cmocka_unit_test(statements_in_error_say_what_they_would_assign),
        cmocka_unit_test(an_error_costs_only_its_statement),
        cmocka_unit_test(deep_nesting_is_one_error),
        cmocka_unit_test(nesting_up_to_the_limit_is_fine),
        cmocka_unit_test(long_statements_are_linear_and_limited),
        cmocka_unit_test(garbage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
