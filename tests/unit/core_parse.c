/* Reading core's text form: numbers of names, scopes, places, and inputs that are no programs at
 * all. */
#include "core/core.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char program_text[] =
    "fun id (x_1 : f64) : (f64) =\n"
    "  in (x_1)\n"
    "\n"
    "entry fun half [n_30, m_31] (xss_32 : [n_30][m_31]f64) : (?i64, [k_33][m_31]f64) =\n"
    "  let (k_33 : i64) = n_30 / 2i64\n"
    "  let (yss_34 : [k_33][m_31]f64) = xss_32[0 :+ k_33 * 1, 0 :+ m_31 * 1]\n"
    "  in (k_33, yss_34)\n"
    "\n"
    "entry fun main (n_2 : i64, xs_3 : *[n_2]f64, p_4 : bool) : (*[n_2]f64, i64) =\n"
    "  let (ys_5 : [n_2]f64) = map @grid n_2 (xs_3) (\\(x_6 : f64) -> {\n"
    "    let (a_7 : f64) = x_6 * 2.0f64\n"
    "    let (b_8 : f64) = id(a_7)\n"
    "    in (b_8)\n"
    "  })\n"
    "  let (s_9 : f64) = reduce n_2 (ys_5) (\\(x_10 : f64, y_11 : f64) -> { let (z_12 : f64) = "
    "x_10 + y_11 in (z_12) }) "
    "(0.0f64)\n"
    "  let (c_14 : cert) = assert p_4 \"LENGTH ERROR\" \"{} and {}\" (n_2, s_9)\n"
    "  let (k_15 : i64, zs_16 : [k_15]f64) = <c_14> filter n_2 (ys_5) (\\(x_17 : f64) -> { let "
    "(q_18 : bool) = x_17 > "
    "0.0f64 in (q_18) })\n"
    "  let (r_19 : [n_2]f64) = loop (us_20 : *[n_2]f64 = xs_3) for i_21 < 10 do { let (v_22 : "
    "[n_2]f64) = us_20 with "
    "[i_21] <- 1.0f64 in (v_22) }\n"
    "  in (r_19, k_15)\n";

static CoreProgram *parse(Compilation *c, const char *text, size_t length)
{
    return core_parse(c, source_create(c->arena, "test.core", text, length));
}

static const char *printed(Compilation *c, const CoreProgram *program)
{
    Text text = text_create(c->arena);
    core_print(c, &text, program);
    return text_get(&text);
}

static void what_is_printed_reads_back(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    CoreProgram *program = parse(c, program_text, strlen(program_text));
    assert_non_null(program);
    assert_true(core_check(c, program));
    assert_string_equal(printed(c, program), program_text);
    compilation_destroy(c);
}

/* Written numbers are kept where they are unique; others are fresh, beyond all that are written. */
static void names_keep_their_numbers(void **state)
{
    (void)state;
    static const char text[] = "entry fun main (a_7 : i64, b_7 : i64, c : i64) : () =\n  in ()\n";
    Compilation *c = compilation_create();
    CoreProgram *program = parse(c, text, strlen(text));
    assert_non_null(program);
    CoreName *const *names = program->functions[0]->parameters;
    assert_int_equal(names[0]->number, 7);
    assert_string_equal(names[1]->text, "b");
    assert_true(names[1]->number > 7);
    assert_string_equal(names[2]->text, "c");
    assert_true(names[2]->number > 7 && names[2]->number != names[1]->number);
    compilation_destroy(c);
}

static void a_name_without_number_may_hide_another(void **state)
{
    (void)state;
    static const char text[] = "entry fun main (x : i64) : (i64) =\n  let (x : i64) = x + 1\n"
                               "  let (x : i64) = x + 2\n  in (x)\n";
    Compilation *c = compilation_create();
    CoreProgram *program = parse(c, text, strlen(text));
    assert_non_null(program);
    assert_true(core_check(c, program));
    const CoreBody *body = program->functions[0]->body;
    assert_ptr_equal(body->stms[1]->exp->as.scalar.x.name, body->stms[0]->pattern[0]);
    assert_ptr_equal(body->stms[0]->exp->as.scalar.x.name, program->functions[0]->parameters[0]);
    compilation_destroy(c);
}

static void statements_have_spans(void **state)
{
    (void)state;
    static const char text[] = "entry fun main () : () =\n  let (x_1 : i64) = 1 + 2\n  in ()\n";
    Compilation *c = compilation_create();
    CoreProgram *program = parse(c, text, strlen(text));
    Span span = program->functions[0]->body->stms[0]->span;
    assert_memory_equal(text + span.start, "let (x_1 : i64) = 1 + 2", span.end - span.start);
    assert_int_equal(source_place(c->arena, span).line, 2);
    compilation_destroy(c);
}

static void deep_nesting_is_a_diagnostic(void **state)
{
    (void)state;
    static const char head[] = "entry fun main (p : bool) : () =\n",
                      piece[] = "let () = if p then { ";
    Compilation *c = compilation_create();
    Text text = text_create(c->arena);
    text_string(&text, head);
    for (int i = 0; i < 100000; i++) {
        text_string(&text, piece);
    }
    assert_null(parse(c, text_get(&text), text.length));
    assert_int_equal(diagnostics_count(c->diagnostics), 1);
    compilation_destroy(c);
}

/* ---- inputs that are no programs ---- */

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

/* Whatever the bytes: a program, or at least one diagnostic. A program that checks prints and reads
 * back. */
static void try_bytes(const char *bytes, size_t length)
{
    Compilation *c = compilation_create();
    CoreProgram *program = parse(c, bytes, length);
    assert_true((program == NULL) == (diagnostics_count(c->diagnostics) > 0));
    if (program && core_check(c, program)) {
        const char *once = printed(c, program);
        Compilation *again = compilation_create();
        CoreProgram *second = parse(again, once, strlen(once));
        assert_non_null(second);
        assert_true(core_check(again, second));
        assert_string_equal(printed(again, second), once);
        compilation_destroy(again);
    }
    compilation_destroy(c);
}

static void random_bytes_never_crash(void **state)
{
    (void)state;
    uint32_t seed = 2463534242u;
    for (int round = 0; round < 300; round++) {
        char bytes[200];
        size_t length = next_random(&seed) % sizeof bytes;
        for (size_t i = 0; i < length; i++) {
            bytes[i] = (char)(round % 2 ? next_random(&seed) : 32 + next_random(&seed) % 95);
        }
        try_bytes(bytes, length);
    }
}

/* Words of the language in any order, and a program with pieces lost, doubled and moved. */
static void random_programs_never_crash(void **state)
{
    (void)state;
    static const char *const words[] = {
        "let",   "(",     ")",     "in",      "x_1",  ":",     "i64",    "=",      "[",
        "]",     "1",     "{",     "}",       "map",  "\\",    "->",     "n_2",    "fun",
        "f",     "entry", "loop",  "if",      "then", "else",  "<",      ">",      "c_3",
        "*",     ",",     "+",     "with",    "<-",   ":+",    "for",    "reduce", "print",
        "2.0",   "'a'",   "\"s\"", "@seq",    "copy", "iota",  "concat", "0",      "do",
        "while", "read",  "char",  "scratch", "f64",  "filter"};
    uint32_t seed = 88172645u;
    size_t length = strlen(program_text);
    for (int round = 0; round < 1500; round++) {
        char bytes[4096];
        size_t count = 0;
        if (round % 3 == 0) {
            for (int i = 0; i < 60; i++) {
                const char *word = words[next_random(&seed) % (sizeof words / sizeof words[0])];
                memcpy(bytes + count, word, strlen(word));
                count += strlen(word);
                bytes[count++] = ' ';
            }
        } else {
            memcpy(bytes, program_text, length);
            count = length;
            for (uint32_t i = 0; i <= next_random(&seed) % 3; i++) {
                size_t from = next_random(&seed) % count, to = next_random(&seed) % count;
                size_t size = 1 + next_random(&seed) % 12;
                size = from + size > count ? count - from : size;
                size = to + size > count ? count - to : size;
                if (next_random(&seed) % 2 && count > size + 1) {
                    memmove(bytes + from, bytes + from + size, count - from - size);
                    count -= size;
                } else {
                    memmove(bytes + to, bytes + from, size);
                }
            }
        }
        try_bytes(bytes, count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_reads_back),
        cmocka_unit_test(names_keep_their_numbers),
        cmocka_unit_test(a_name_without_number_may_hide_another),
        cmocka_unit_test(statements_have_spans),
        cmocka_unit_test(deep_nesting_is_a_diagnostic),
        cmocka_unit_test(random_bytes_never_crash),
        cmocka_unit_test(random_programs_never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
