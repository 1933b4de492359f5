/* The front form: what says that a file is in it, its trees by way of their text, its limits. */
#include "core/front/syntax.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static const FrontProgram *parse(Compilation *c, const char *text)
{
    return front_parse(c, source_create(c->arena, "test.core", text, strlen(text)));
}

static const char *printed(Compilation *c, const FrontProgram *program)
{
    Text text = text_create(c->arena);
    front_print(c, &text, program);
    return text_get(&text);
}

/* The text of an expression's tree; "" where it has errors. */
static const char *expression(Compilation *c, const char *text)
{
    static const char head[] = "def f (x : i64) : i64 = ";
    const FrontProgram *program = parse(c, arena_printf(c->arena, "%s%s", head, text));
    if (!program) {
        return "";
    }
    const char *whole = printed(c, program);
    assert_memory_equal(whole, head, strlen(head) - 1);
    whole += strlen(head) - 1;
    const char *again =
        printed(c, parse(c, arena_printf(c->arena, "%.*s%s", (int)strlen(head) - 1, head, whole)));
    assert_string_equal(again + strlen(head) - 1, whole);
    Text text_of = text_create(c->arena);
    bool is_indented = whole[0] == '\n';
    for (whole += is_indented ? 3 : 1; whole[1]; whole++) {
        text_char(&text_of, *whole);
        whole += is_indented && *whole == '\n' ? 2 : 0;
    }
    return text_get(&text_of);
}

static void the_first_words_say_the_form(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_front;
    } files[] = {
        {"def f (x : i64) = x", true},
        {"-- a comment\n  \n def", true},
        {"entry main (x : i64) = x", true},
        {"entry -- a comment\n main", true},
        {"entry fun main () : () = in ()", false},
        {"entry\nfun main", false},
        {"entry function = 1", true},
        {"fun f () : () = in ()", false},
        {"define f", false},
        {"", false},
        {"entry", true},
        {"-- def", false},
        {"{", false},
        {"entry (", true},
    };
    Compilation *c = compilation_create();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const SourceFile *source =
            source_create(c->arena, "test.core", files[i].text, strlen(files[i].text));
        assert_int_equal(front_is(source), files[i].is_front);
    }
    compilation_destroy(c);
}

/* Left: as written; right: the tree with the parentheses that it needs; NULL: as written. */
static const struct {
    const char *written, *tree;
} expressions[] = {
    /* precedences */
    {"a + b * c ** d ** e", NULL},
    {"(a + b) * c", NULL},
    {"((a * b)) + (c)", "a * b + c"},
    {"a - b - c", NULL},
    {"a - (b - c)", NULL},
    {"(a ** b) ** c", NULL},
    {"a || b && c == d | e ^ f & g << h + i * j", NULL},
    {"((((a || b) && c) | d) & e) >>> f", NULL},
    {"(a == b) == c", NULL},
    {"a ++ b ++ c + d", NULL},
    {"a / b % c", NULL},
    {"x |> f |> g 1 |> (\\y -> y)", "(\\y -> y) (g 1 (f x))"},
    {"f x + g y z", NULL},
    {"f (g x) (-1) (x + 1)", NULL},
    {"-x ** 2", "-x ** 2"},
    {"-(x ** 2)", NULL},
    {"2 ** -x", NULL},
    {"- f x", "-f x"},
    {"-(-x)", NULL},
    {"- - -x", "-(-(-x))"},
    {"!a && !(!b)", "!a && !!b"},
    {"a - -3", NULL},
    {"a -3", "a - 3"},
    {"-0", NULL},
    {"-(3)", "-3"},
    {"-9223372036854775808 + -2147483648i32", NULL},
    /* open expressions */
    {"if a then b else c + d", NULL},
    {"(if a then b else c) + d", NULL},
    {"a + if b then c else d + e", NULL},
    {"a * (b + if c then d else e) * f", NULL},
    {"if if a then b else c then d else e", NULL},
    {"f (if a then b else c)", NULL},
    {"a + let b = 1 in b", "a + let b = 1\nin b"},
    {"a + \\x -> x", NULL},
    {"\\x (y, z) (w : i64) _ : f64 -> x", NULL},
    {"\\(a : i64, b) -> a", NULL},
    {"\\() -> 1", NULL},
    {"xs with [i] = a + b with [j, k] <- c", "xs with [i] = a + b with [j, k] = c"},
    {"a + xs with [i] = 1", NULL},
    {"a + (xs with [i] = 1)", NULL},
    {"xs with [i] = (ys with [j] = 1)", NULL},
    {"xs with [:] = if a then b else c with [i] = 1", NULL},
    {"(if a then b else c) with [i] = 1", NULL},
    /* bindings */
    {"let a = 1 let b = 2 in a", "let a = 1\nlet b = 2\nin a"},
    {"let a = 1 in let b = 2 in a", "let a = 1\nlet b = 2\nin a"},
    {"let a = (let b = 1 in b) let c = 2 in c", "let a =\n  let b = 1\n  in b\nlet c = 2\nin c"},
    {"let a = let b = 1 in b let c = 2 in c", "let a =\n  let b = 1\n  in b\nlet c = 2\nin c"},
    {"let a = 1 in (let b = 2 in b)", "let a = 1\nin (let b = 2\n in b)"},
    {"let (a, (_, b)) : (i64, ([n]f64, bool)) = e in a",
     "let (a, (_, b)) : (i64, ([n]f64, bool)) = e\nin a"},
    {"let (a : i64, b) = e in a", "let (a : i64, b) = e\nin a"},
    {"let f x (y : *[][3]f32) () _ : [n]i32 = x in f",
     "let f x (y : *[][3]f32) () _ : [n]i32 = x\nin f"},
    {"let xs[i, 1:2] = 3 in xs", "let xs[i, 1:2] = 3\nin xs"},
    {"let xs [i] = 3 in xs", "let xs[i] = 3\nin xs"},
    /* loops */
    {"loop a = 1 for i < n do a + i", NULL},
    {"loop a for i < n do a", NULL},
    {"loop (a = 1, b = xs, c) for i < n + 1 do (a, b, c)", NULL},
    {"loop (a, b) = e for i < n do (a, b)", NULL},
    {"loop (a, b) for x in xs do (a, b)", NULL},
    {"loop (a = 1) for (x, y) in zip xs ys do a", "loop a = 1 for (x, y) in zip xs ys do a"},
    {"loop (a : []f64 = xs) while length a < n do a ++ a", NULL},
    {"loop a : f64 = 0 while a < 1 do a + 1", "loop (a : f64 = 0) while a < 1 do a + 1"},
    {"loop (((a, b) : (i64, i64))) = e for (x : i64) in xs do a",
     "loop ((a, b) : (i64, i64) = e) for (x : i64) in xs do a"},
    {"loop (_ = 1) for i < n do 1", NULL},
    /* atoms */
    {"xs[i]", NULL},
    {"f xs [i]", NULL},
    {"f xs[i][j] [k]", NULL},
    {"xs[i, :, a:b, a:, :b, a:b:c, ::c, i + 1]", NULL},
    {"xs[i+1 : n-1]", "xs[i + 1:n - 1]"},
    {"(f x)[i].0.1[j]", NULL},
    {"t.0.1", NULL},
    {"f t.1", NULL},
    {"[1, 2][0]", NULL},
    {"\"abc\"[0]", NULL},
    {"[[1, 2], []]", NULL},
    {"(a, (), (b, c))", NULL},
    {"(a)", "a"},
    {"map@group@local f xs", NULL},
    {"map @seq f xs", "map@seq f xs"},
    {"i64 x + f32 (i32 y)", NULL},
    {"map i64 xs", NULL},
    {"assert (n > 0) xs[0]", NULL},
    {"assert p f x + 1", "assert p f x + 1"},
    {"assert p (assert q x)", NULL},
    /* sections */
    {"reduce (+) 0 (map (* 2) xs)", NULL},
    {"map (2 **) (map (x - ) xs)", "map (2 **) (map (x -) xs)"},
    {"map (-) (map (- 1) xs)", "map (-) (map (-1) xs)"},
    {"map (&& p) (map (++ xs) ys)", NULL},
    {"map (< 3) (map (a * b +) ys)", NULL},
    {"map (+ a * b) ys", NULL},
    {"map (a * (b + c) *) ys", NULL},
    {"(|| if a then b else c)", NULL},
    /* constants */
    {"3i32 + 3i64 + 0xff + 0xffi32 + 0xffffffffffffffff", "3i32 + 3i64 + 255 + 255i32 + -1"},
    {"2.5 + 1e9 + 2.5f32 + 3f64 + 1e-3", "2.5 + 1000000000.0 + 2.5f32 + 3.0f64 + 0.001"},
    {"f64.inf - f32.inf + f64.nan", NULL},
    {"true && false", NULL},
    {"('a', '\\'', '\\\\', '\\n', '\\u{1f600}', 'é')",
     "('a', '\\u{27}', '\\u{5c}', '\\u{a}', '\\u{1f600}', '\\u{e9}')"},
    {"\"a\\\"b\\\\ é\\u{1f600}\\n\"", "\"a\\\"b\\\\ é😀\\n\""},
    {"-f64.inf + -2.5", NULL},
    {"-0.0 + f (-0.0)", NULL},
    {"x --y\n+ 1", "x + 1"},
};

static void trees_print_as_they_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++) {
        Compilation *c = compilation_create();
        const char *written = expressions[i].written, *tree = expressions[i].tree;
        assert_string_equal(expression(c, written), tree ? tree : written);
        compilation_destroy(c);
    }
}

/* What is no expression. */
static void these_are_errors(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "a < b < c",
        "a == b != c",
        "(a + b *)",
        "(+ a",
        "let a = 1",
        "let in a",
        "f \\x -> x",
        "xs[]",
        "a..b",
        "f (,)",
        "loop (a = 1, b = 2) = 3 for i < n do a",
        "loop a = 1 for (i, j) < n do a",
        "9223372036854775808",
        "-9223372036854775809",
        "a - 9223372036854775808",
        "-2147483649i32",
        "1e999",
        "1e39f32",
        "0x1ffffffffi32",
        "0x10000000000000000",
        "3x",
        "_a",
        "map@moon f xs",
        "\"\\u{d800}\"",
        "'ab'",
        "xs[a:b:]",
        "\\(x : i64 : i64) -> x",
        "\\((x : i64) : i64) -> x",
        "fun x",
        "xs[0 :+ n * 1]",
        "{ a }",
        "if a then b",
        "assert p",
        "x |> let a = 1 in a",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        Compilation *c = compilation_create();
        assert_string_equal(expression(c, wrong[i]), "");
        assert_true(diagnostics_count(c->diagnostics) > 0);
        compilation_destroy(c);
    }
}

static const char definitions[] =
    "def dot (xs : [n]f64) (ys : [n]f64) : f64 = reduce (+) 0 (map (*) xs ys)\n"
    "\n"
    "def swap ((a, b) : (i64, (i64, bool))) : ((i64, bool), i64) = (b, a)\n"
    "\n"
    "entry main (n : i64) () (xs : *[n][3](i32, [n]char)) : *[][n]f64 =\n"
    "  let a = 1\n"
    "  let f x =\n"
    "    let y = x\n"
    "    in y\n"
    "  in f a\n";

static void definitions_print_as_they_are_read(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    const FrontProgram *program = parse(c, definitions);
    assert_non_null(program);
    assert_string_equal(printed(c, program), definitions);
    assert_int_equal(program->count, 3);
    assert_true(program->definitions[2]->is_entry && !program->definitions[0]->is_entry);
    assert_string_equal(program->definitions[1]->name, "swap");
    compilation_destroy(c);
}

/* (a : t, b : u) and (a : t) are one parameter each; a parameter without a type is an error. */
static void parameters_of_definitions_have_types(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    const FrontProgram *program = parse(c, "def f (a : i64, (b : bool, _ : f64)) = a");
    assert_string_equal(printed(c, program), "def f ((a, (b, _)) : (i64, (bool, f64))) = a\n");
    assert_null(parse(c, "def f a = a"));
    assert_null(parse(c, "def f (a : i64, b) = a"));
    assert_int_equal(diagnostics_count(c->diagnostics), 2);
    compilation_destroy(c);
}

static void spans_are_of_the_source(void **state)
{
    (void)state;
    static const char text[] = "def f (x : i64) : i64 =\n  let y = (x + 1)[2]\n  in y * 2\n";
    Compilation *c = compilation_create();
    const FrontFunction *f = parse(c, text)->definitions[0];
    const FrontExp *block = f->body, *value = block->as.block.bindings[0]->value;
    assert_memory_equal(text + value->span.start, "(x + 1)[2]", 10);
    assert_int_equal(value->span.end - value->span.start, 10);
    assert_int_equal(block->span.end, strlen(text) - 1);
    assert_int_equal(block->depth, 4);
    assert_memory_equal(text + f->span.start, "def f (x : i64) : i64", f->span.end - f->span.start);
    assert_int_equal(f->name_span.start, 4);
    compilation_destroy(c);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static const char *repeated(Compilation *c, const char *before, const char *text, size_t count,
                            const char *after)
{
    Text all = text_create(c->arena);
    text_string(&all, before);
    for (size_t i = 0; i < count; i++) {
        text_string(&all, text);
    }
    text_string(&all, after);
    return text_get(&all);
}

static void chains_of_bindings_may_be_long(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    static const char head[] = "def f (x : i64) : i64 = ";
    const FrontProgram *without = parse(c, repeated(c, head, "let x = x + 1\n", 50000, "in x"));
    const FrontProgram *with = parse(c, repeated(c, head, "let x = x + 1 in ", 50000, "x"));
    assert_int_equal(without->definitions[0]->body->as.block.count, 50000);
    assert_int_equal(with->definitions[0]->body->as.block.count, 50000);
    assert_int_equal(with->definitions[0]->body->depth, 3);
    assert_string_equal(printed(c, with), printed(c, without));
    compilation_destroy(c);
}

static void deep_nesting_is_a_limit_error(void **state)
{
    (void)state;
    static const struct {
        const char *before, *repeated, *after;
    } nests[] = {
        {"", "(", "x"},
        {"", "(", ""},
        {"", "[", "x"},
        {"", "f (", "x"},
        {"", "xs[", "x"},
        {"", "- ", "x"},
        {"", "!", "x"},
        {"", "x + ", "x"},
        {"", "x ** ", "x"},
        {"", "x |> ", "f"},
        {"", "if x then x else ", "x"},
        {"", "if ", "x"},
        {"", "\\x -> ", "x"},
        {"", "loop a = 1 for i < n do ", "a"},
        {"", "loop a = ", "a"},
        {"", "let x = ", "x"},
        {"", "let f x = ", "x"},
        {"", "let xs[i] = ", "x"},
        {"", "assert p (", "x"},
        {"", "x with [i] = ", "x"},
        {"let x : ", "(", "i64"},
        {"let x : ", "[]", "i64 = 1 in x"},
        {"xs", ".0", ""},
        {"xs", "[0]", ""},
        {"let ", "(", "a"},
    };
#ifdef SANITIZED /* it takes its time */
    const size_t most = 100000;
#else
    const size_t most = 2000000;
#endif
    for (size_t i = 0; i < sizeof nests / sizeof nests[0]; i++) {
        for (size_t count = 1001; count < most; count *= 20) {
            Compilation *c = compilation_create();
            const char *head =
                arena_printf(c->arena, "def f (x : i64) : i64 = %s", nests[i].before);
            const char *text = repeated(c, head, nests[i].repeated, count, nests[i].after);
            assert_null(parse(c, text));
            assert_int_equal(diagnostics_count(c->diagnostics), 1);
            compilation_destroy(c);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_words_say_the_form),
        cmocka_unit_test(trees_print_as_they_are_read),
        cmocka_unit_test(these_are_errors),
        cmocka_unit_test(definitions_print_as_they_are_read),
        cmocka_unit_test(parameters_of_definitions_have_types),
        cmocka_unit_test(spans_are_of_the_source),
        cmocka_unit_test(chains_of_bindings_may_be_long),
        cmocka_unit_test(deep_nesting_is_a_limit_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
