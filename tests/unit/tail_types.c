/* TAIL's types, schemes, printer and checker: small programs built through tail.h. */
#include "tail/tail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

typedef const TailExp *Exp;

static int open_compilation(void **state)
{
    *state = compilation_create();
    return 0;
}

static int close_compilation(void **state)
{
    compilation_destroy(*state);
    return 0;
}

static Exp number(Compilation *c, int64_t value)
{
    return tail_int(c, value, NO_SPAN);
}

static Exp ints(Compilation *c, size_t count, const int64_t *values)
{
    Exp items[8];
    for (size_t i = 0; i < count; i++)
        items[i] = number(c, values[i]);
    return tail_vector(c, count, items, NO_SPAN);
}

static Exp call(Compilation *c, TailBuiltin builtin, size_t count, const Exp *arguments)
{
    return tail_call(c, builtin, count, arguments, NO_SPAN);
}

static Exp call1(Compilation *c, TailBuiltin builtin, Exp x)
{
    return call(c, builtin, 1, &x);
}

static Exp call2(Compilation *c, TailBuiltin builtin, Exp x, Exp y)
{
    Exp arguments[2] = {x, y};
    return call(c, builtin, 2, arguments);
}

static Exp call3(Compilation *c, TailBuiltin builtin, Exp x, Exp y, Exp z)
{
    Exp arguments[3] = {x, y, z};
    return call(c, builtin, 3, arguments);
}

static Exp operator2(Compilation *c, TailBuiltin builtin, TailBaseKind base)
{
    TailVariable *parameters[2];
    Exp uses[2];
    for (int i = 0; i < 2; i++) {
        parameters[i] = tail_variable(c, "x", tail_scalar_type(c, base), NO_SPAN);
        uses[i] = tail_use(c, parameters[i], NO_SPAN);
    }
    return tail_lambda(c, 2, parameters, call(c, builtin, 2, uses), NO_SPAN);
}

static Exp operator1(Compilation *c, TailBuiltin builtin, TailBaseKind base)
{
    TailVariable *parameter = tail_variable(c, "x", tail_scalar_type(c, base), NO_SPAN);
    Exp use = tail_use(c, parameter, NO_SPAN);
    return tail_lambda(c, 1, &parameter, call(c, builtin, 1, &use), NO_SPAN);
}

static void assert_type(Compilation *c, Exp exp, const char *text)
{
    assert_string_equal(tail_type_text(c, exp->type), text);
}

static const char *printed(Compilation *c, Exp exp, bool with_instances)
{
    Text out = text_create(c->arena);
    tail_print(c, &out, exp, with_instances);
    return text_get(&out);
}

static const char *problem_of(Compilation *c, TailBuiltin builtin, size_t count,
                              const Exp *arguments)
{
    TailInstance instance;
    const char *problem = NULL;
    const TailType *type = tail_infer_call(c, builtin, count, arguments, &instance, &problem);
    assert_null(type);
    return problem;
}

/* ---- types --------------------------------------------------------------------------------- */

static void types_print_as_in_files(void **state)
{
    Compilation *c = *state;
    assert_string_equal(tail_type_text(c, tail_array_type(c, TAIL_INT, 2)), "[int]2");
    assert_string_equal(tail_type_text(c, tail_vector_type(c, TAIL_DOUBLE, 30)), "<double>30");
    assert_string_equal(tail_type_text(c, tail_single_type(c, TAIL_INT, -7)), "S(int,~7)");
    assert_string_equal(tail_type_text(c, tail_single_vector_type(c, TAIL_BOOL, 1)), "SV(bool,1)");
    assert_string_equal(tail_type_text(c, tail_single_type(c, TAIL_INT, INT64_MIN)),
                        "S(int,~9223372036854775808)");
    const TailType *items[2] = {tail_array_type(c, TAIL_CHAR, 1), tail_scalar_type(c, TAIL_BOOL)};
    assert_string_equal(tail_type_text(c, tail_tuple_type(c, 2, items)), "([char]1 * [bool]0)");
    assert_string_equal(tail_type_text(c, tail_function_type(c, 2, items)), "([char]1)->[bool]0");
}

static void known_values_and_lengths_are_subtypes(void **state)
{
    Compilation *c = *state;
    const TailType *three = tail_single_type(c, TAIL_INT, 3),
                   *four = tail_single_type(c, TAIL_INT, 4);
    const TailType *scalar = tail_scalar_type(c, TAIL_INT),
                   *vector = tail_array_type(c, TAIL_INT, 1);
    const TailType *single = tail_single_vector_type(c, TAIL_INT, 3);
    const TailType *one = tail_vector_type(c, TAIL_INT, 1), *two = tail_vector_type(c, TAIL_INT, 2);
    assert_true(tail_subtype(three, scalar));
    assert_false(tail_subtype(scalar, three));
    assert_false(tail_subtype(three, four));
    assert_true(tail_subtype(single, one) && tail_subtype(single, vector) &&
                tail_subtype(one, vector));
    assert_false(tail_subtype(single, two));
    assert_false(tail_subtype(three, tail_scalar_type(c, TAIL_DOUBLE)));
    assert_true(tail_type_equal(tail_join(c, three, four), scalar));
    assert_true(tail_type_equal(tail_join(c, one, two), vector));
    assert_true(
        tail_type_equal(tail_join(c, single, tail_single_vector_type(c, TAIL_INT, 4)), one));
    assert_true(tail_type_equal(tail_join(c, three, three), three));
    assert_null(tail_join(c, scalar, vector));
    assert_int_equal(tail_rank(single), 1);
}

/* ---- schemes ------------------------------------------------------------------------------- */

static void literals_have_precise_types(void **state)
{
    Compilation *c = *state;
    int64_t values[3] = {3, 1, 2};
    assert_type(c, ints(c, 3, values), "<int>3");
    assert_type(c, ints(c, 1, values), "SV(int,3)");
    Exp real = tail_double(c, 2.5, NO_SPAN);
    assert_type(c, tail_vector(c, 1, &real, NO_SPAN), "[double]1");
    assert_type(c, tail_zilde(c, TAIL_CHAR, NO_SPAN), "<char>0");
    assert_type(c, tail_bool(c, true, NO_SPAN), "S(bool,1)");
}

static void schemes_do_rank_arithmetic(void **state)
{
    Compilation *c = *state;
    int64_t values[3] = {3, 1, 2};
    Exp v = ints(c, 3, values), m = call2(c, TAIL_OP_RESHAPE, ints(c, 2, values), v);
    assert_type(c, m, "[int]2");
    assert_type(c, call1(c, TAIL_OP_IOTA, number(c, 30)), "<int>30");
    assert_type(c, call1(c, TAIL_OP_IOTA, number(c, -1)), "[int]1");
    assert_type(c, call1(c, TAIL_OP_SHAPE, v), "SV(int,3)");
    assert_type(c, call1(c, TAIL_OP_SHAPE, m), "<int>2");
    assert_type(c, call1(c, TAIL_OP_FIRST, call1(c, TAIL_OP_SHAPE, v)), "S(int,3)");
    assert_type(c, call2(c, TAIL_OP_TAKE, number(c, -2), v), "<int>2");
    assert_type(c, call2(c, TAIL_OP_DROP, number(c, -2), v), "<int>1");
    assert_type(c, call2(c, TAIL_OP_DROP, number(c, 7), v), "<int>0");
    assert_type(c, call2(c, TAIL_OP_CAT, v, v), "<int>6");
    assert_type(c, call2(c, TAIL_OP_CAT, m, m), "[int]2");
    assert_type(c, call2(c, TAIL_OP_CONS, number(c, 1), v), "<int>4");
    assert_type(c, call2(c, TAIL_OP_SNOC, m, v), "[int]2");
    assert_type(c, call1(c, TAIL_OP_NEGI, number(c, 5)), "S(int,~5)");
    assert_type(c, call1(c, TAIL_OP_B2I, tail_bool(c, true, NO_SPAN)), "S(int,1)");
    Exp plus = operator2(c, TAIL_OP_ADDI, TAIL_INT);
    assert_type(c, call3(c, TAIL_OP_REDUCE, plus, number(c, 0), m), "[int]1");
    assert_type(c, call3(c, TAIL_OP_SCAN, plus, number(c, 0), v), "<int>3");
    assert_type(c, call2(c, TAIL_OP_EACH, operator1(c, TAIL_OP_I2D, TAIL_INT), v), "<double>3");
    assert_type(c, call3(c, TAIL_OP_IDXS, number(c, 2), number(c, 1), m), "[int]1");
    assert_type(c, call3(c, TAIL_OP_IDXA, number(c, 1), m, m), "[int]3");
    assert_type(c, call2(c, TAIL_OP_TRANSP2, ints(c, 2, (int64_t[]){1, 1}), m), "[int]1");
    assert_type(c, call2(c, TAIL_OP_RESHAPE, tail_zilde(c, TAIL_INT, NO_SPAN), m), "[int]0");
}

static void calls_that_do_not_fit_are_refused(void **state)
{
    Compilation *c = *state;
    Exp two = number(c, 2), v = ints(c, 3, (int64_t[]){3, 1, 2}), yes = tail_bool(c, true, NO_SPAN);
    assert_string_equal(
        problem_of(c, TAIL_OP_ADDI, 2, (Exp[]){two, yes}),
        "addi has type int -> int -> int, but its arguments are S(int,2), S(bool,1)");
    assert_string_equal(problem_of(c, TAIL_OP_ADDI, 1, &two),
                        "addi takes 2 arguments, but here is 1");
    assert_non_null(problem_of(c, TAIL_OP_TAKE, 2, (Exp[]){two, two}));
    assert_non_null(problem_of(c, TAIL_OP_IDXS, 3, (Exp[]){two, two, v}));
    assert_non_null(problem_of(c, TAIL_OP_PRARRD, 1, &v));
    assert_non_null(problem_of(c, TAIL_OP_TRANSP2, 2, (Exp[]){v, v}));
    Exp plus = operator2(c, TAIL_OP_ADDI, TAIL_INT);
    assert_non_null(problem_of(c, TAIL_OP_REDUCE, 3, (Exp[]){plus, yes, v}));
    assert_non_null(problem_of(c, TAIL_OP_REDUCE, 3, (Exp[]){plus, two, two}));
    assert_non_null(problem_of(c, TAIL_OP_EACH, 2, (Exp[]){plus, v}));
}

static void every_scheme_can_be_read(void **state)
{
    Compilation *c = *state;
    Exp arguments[5];
    for (int i = 0; i < 5; i++)
        arguments[i] = tail_char(c, 'x', NO_SPAN);
    for (int builtin = 0; builtin < TAIL_OP_COUNT; builtin++) {
        const char *problem = NULL;
        TailInstance instance;
        for (size_t count = 0; count < 5; count++) {
            tail_infer_call(c, (TailBuiltin)builtin, count, arguments, &instance, &problem);
        }
        assert_non_null(problem);
    }
}

/* ---- printing ------------------------------------------------------------------------------ */

static void values_print_in_the_reference_syntax(void **state)
{
    Compilation *c = *state;
    assert_string_equal(printed(c, number(c, -7), false), "-7\n");
    assert_string_equal(printed(c, tail_double(c, 3, NO_SPAN), false), "3.0\n");
    assert_string_equal(printed(c, tail_double(c, 0.1, NO_SPAN), false), "0.1\n");
    assert_string_equal(printed(c, tail_double(c, -1 / 0.0, NO_SPAN), false), "-inf\n");
    assert_string_equal(printed(c, tail_bool(c, false, NO_SPAN), false), "ff\n");
    assert_string_equal(printed(c, tail_complex(c, 3, -2, NO_SPAN), false), "3.0j-2.0\n");
    static const struct {
        uint32_t codepoint;
        const char *text;
    } CHARS[] = {
        {'a', "'a'\n"},          {'\n', "'\\n'\n"},
        {'\\', "'\\\\'\n"},      {1, "'\\^A'\n"},
        {127, "'\\127'\n"},      {'\'', "'\\''\n"},
        {0x2373, "'\\u2373'\n"}, {0x1F600, "'\\U0001F600'\n"},
    };
    for (size_t i = 0; i < sizeof CHARS / sizeof *CHARS; i++) {
        assert_string_equal(printed(c, tail_char(c, CHARS[i].codepoint, NO_SPAN), false),
                            CHARS[i].text);
    }
}

static Exp let(Compilation *c, TailVariable **variable, Exp value)
{
    *variable = tail_variable(c, "v", value->type, NO_SPAN);
    return value;
}

static void programs_print_in_the_reference_syntax(void **state)
{
    Compilation *c = *state;
    TailVariable *v, *w, *s;
    Exp iota = let(c, &v, call1(c, TAIL_OP_IOTA, number(c, 30)));
    TailVariable *x = tail_variable(c, "x", tail_scalar_type(c, TAIL_INT), NO_SPAN);
    Exp square = call2(c, TAIL_OP_MULI, tail_use(c, x, NO_SPAN), tail_use(c, x, NO_SPAN));
    Exp squares =
        call2(c, TAIL_OP_EACH, tail_lambda(c, 1, &x, square, NO_SPAN), tail_use(c, v, NO_SPAN));
    squares = let(c, &w, squares);
    Exp sum = call3(c, TAIL_OP_REDUCE, operator2(c, TAIL_OP_ADDI, TAIL_INT), number(c, 0),
                    tail_use(c, w, NO_SPAN));
    sum = let(c, &s, call1(c, TAIL_OP_PRSCLI, sum));
    Exp program = tail_let(c, s, sum, tail_double(c, 0, NO_SPAN), NO_SPAN);
    program = tail_let(c, v, iota, tail_let(c, w, squares, program, NO_SPAN), NO_SPAN);
    assert_true(tail_check(c, program));
    assert_string_equal(printed(c, program, false),
                        "let v1:<int>30 = iotaV(30) in\n"
                        "let v3:<int>30 = eachV(fn v2:[int]0 => muli(v2,v2),v1) in\n"
                        "let v6:[int]0 = prSclI(reduce(addi,0,v3)) in\n"
                        "0.0\n");
    assert_string_equal(
        printed(c, program, true),
        "let v1:<int>30 = iotaV(30) in\n"
        "let v3:<int>30 = eachV{[int,int],[30]}(fn v2:[int]0 => muli(v2,v2),v1) in\n"
        "let v6:[int]0 = prSclI(reduce{[int],[0]}(addi,0,v3)) in\n"
        "0.0\n");
    assert_int_equal(tail_count(program), 20);
}

static void instance_lists_are_those_of_the_reference(void **state)
{
    Compilation *c = *state;
    Exp v = ints(c, 3, (int64_t[]){3, 1, 2}),
        m = call2(c, TAIL_OP_RESHAPE, ints(c, 2, (int64_t[]){2, 2}), v);
    assert_string_equal(printed(c, m, true), "reshape{[int],[1,2]}([2,2],[3,1,2])\n");
    assert_string_equal(printed(c, call2(c, TAIL_OP_ROTATE, number(c, 3), v), true),
                        "rotateV{[int],[3]}(3,[3,1,2])\n");
    assert_string_equal(printed(c, call2(c, TAIL_OP_CAT, v, v), true),
                        "catV{[int],[3,3]}([3,1,2],[3,1,2])\n");
    assert_string_equal(printed(c, call2(c, TAIL_OP_TAKE, number(c, 5), v), true),
                        "takeV{[int],[5]}(5,[3,1,2])\n");
    assert_string_equal(printed(c, call1(c, TAIL_OP_SHAPE, v), true),
                        "shapeV{[int],[3]}([3,1,2])\n");
    assert_string_equal(printed(c, tail_zilde(c, TAIL_INT, NO_SPAN), true), "zilde{[int],[1]}()\n");
    assert_string_equal(printed(c, call1(c, TAIL_OP_GRADEUP, v), true),
                        "gradeUp{[int],[]}([3,1,2])\n");
    assert_string_equal(printed(c, call1(c, TAIL_OP_SHAPE, m), false),
                        "shape(reshape([2,2],[3,1,2]))\n");
}

/* ---- checking ------------------------------------------------------------------------------ */

static void checker_finds_what_constructors_would_not_build(void **state)
{
    Compilation *c = *state;
    TailVariable *v = tail_variable(c, "v", tail_scalar_type(c, TAIL_INT), NO_SPAN);
    assert_false(tail_check(c, tail_use(c, v, NO_SPAN)));
    Exp sum = call2(c, TAIL_OP_ADDI, number(c, 1), number(c, 2));
    TailExp wrong = *sum;
    wrong.type = tail_scalar_type(c, TAIL_DOUBLE);
    assert_false(tail_check(c, &wrong));
    wrong = *sum;
    wrong.as.call.builtin = TAIL_OP_ADDD;
    assert_false(tail_check(c, &wrong));
    Exp let_it = tail_let(c, v, sum, tail_use(c, v, NO_SPAN), NO_SPAN);
    assert_true(tail_check(c, let_it));
    wrong = *let_it;
    wrong.as.let.value = tail_double(c, 1, NO_SPAN);
    assert_false(tail_check(c, &wrong));
    Exp twice = tail_let(c, v, sum, let_it, NO_SPAN);
    assert_false(tail_check(c, twice));
    Exp reshaped =
        call2(c, TAIL_OP_RESHAPE, ints(c, 1, (int64_t[]){2}), ints(c, 1, (int64_t[]){7}));
    wrong = *reshaped;
    wrong.as.call.instance.rank_count = 1;
    assert_false(tail_check(c, &wrong));
}

static void long_chains_and_deep_nests_do_not_crash(void **state)
{
    Compilation *c = *state;
    enum { COUNT = 100000 };
    TailVariable *v = tail_variable(c, "v", tail_scalar_type(c, TAIL_INT), NO_SPAN);
    Exp program = tail_double(c, 0, NO_SPAN);
    for (int i = 0; i < COUNT; i++) {
        TailVariable *next = tail_variable(c, "v", tail_scalar_type(c, TAIL_INT), NO_SPAN);
        Exp value = call2(c, TAIL_OP_ADDI, tail_use(c, v, NO_SPAN), number(c, 1));
        program = tail_let(c, next, value, program, NO_SPAN);
    }
    program = tail_let(c, v, number(c, 1), program, NO_SPAN);
    assert_true(tail_check(c, program));
    assert_int_equal(tail_count(program), 4 * COUNT + 3);
    Exp deep = number(c, 1);
    for (int i = 0; i < 5000; i++)
        deep = call1(c, TAIL_OP_ABSI, deep);
    assert_false(tail_check(c, deep));
}

/* ---- documentation ------------------------------------------------------------------------- */

static void every_builtin_is_documented(void **state)
{
    Compilation *c = *state;
    FILE *file = fopen("docs/tail.md", "r");
    if (!file)
        skip();
    Text text = text_create(c->arena);
    char buffer[4096];
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        text_append(&text, buffer, got);
    fclose(file);
    for (int builtin = 0; builtin < TAIL_OP_COUNT; builtin++) {
        const char *row =
            arena_printf(c->arena, "| `%s` |", tail_builtin_text((TailBuiltin)builtin));
        if (!strstr(text_get(&text), row))
            fail_msg("docs/tail.md has no row for %s", row);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_compilation, close_compilation)
    const struct CMUnitTest tests[] = {
        TEST(types_print_as_in_files),
        TEST(known_values_and_lengths_are_subtypes),
        TEST(literals_have_precise_types),
        TEST(schemes_do_rank_arithmetic),
        TEST(calls_that_do_not_fit_are_refused),
        TEST(every_scheme_can_be_read),
        TEST(values_print_in_the_reference_syntax),
        TEST(programs_print_in_the_reference_syntax),
        TEST(instance_lists_are_those_of_the_reference),
        TEST(checker_finds_what_constructors_would_not_build),
        TEST(long_chains_and_deep_nests_do_not_crash),
        TEST(every_builtin_is_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
