/* apl: characters to tokens. The golden tests (tests/text/tokens) show what each token is; here
   stand the cases that a text file shows badly: byte order marks, bytes that are no text, sizes. */
#include "apl/tokens.h"
#include "apl/grammar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>

typedef struct Lexed {
    Compilation *c;
    AplTokens tokens;
    size_t errors;
} Lexed;

static Lexed lex_bytes(const char *text, size_t length, int int_bits)
{
    Lexed lexed = {.c = compilation_create()};
    lexed.c->options.int_bits = int_bits;
    lexed.tokens = apl_tokenise(lexed.c, source_create(lexed.c->arena, "test", text, length));
    lexed.errors = diagnostics_count(lexed.c->diagnostics);
    return lexed;
}

static Lexed lex(const char *text)
{
    return lex_bytes(text, strlen(text), 64);
}

static const AplNode *leaf(Lexed lexed, size_t index)
{
    assert_true(index < lexed.tokens.count);
    assert_int_equal(lexed.tokens.items[index].kind, APL_TOKEN_LEAF);
    return lexed.tokens.items[index].leaf;
}

static void an_empty_file_has_only_an_end(void **state)
{
    (void)state;
    const char *texts[] = {
        "", " \t", "⍝ comment", "#!/usr/bin/tailor", "\xEF\xBB\xBF", "\xEF\xBB\xBF#!x"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Lexed lexed = lex(texts[i]);
        assert_int_equal(lexed.tokens.count, 1);
        assert_int_equal(lexed.tokens.items[0].kind, APL_TOKEN_END);
        size_t mark = texts[i][0] == '\xEF' ? 3 : 0; /* is no part of the source */
        assert_int_equal(lexed.tokens.items[0].start, strlen(texts[i]) - mark);
        assert_int_equal(lexed.errors, 0);
        compilation_destroy(lexed.c);
    }
}

static void the_first_line_may_belong_to_the_shell(void **state)
{
    (void)state;
    Lexed lexed = lex("\xEF\xBB\xBF#! 'no APL'\r\nx");
    assert_int_equal(lexed.errors, 0);
    assert_int_equal(lexed.tokens.items[0].kind, APL_TOKEN_SEPARATOR);
    assert_string_equal(leaf(lexed, 1)->as.text, "x");
    compilation_destroy(lexed.c);
    lexed = lex("x\n#! y"); /* only there */
    assert_int_equal(lexed.errors, 1);
    compilation_destroy(lexed.c);
}

static void spans_are_bytes(void **state)
{
    (void)state;
    Lexed lexed = lex("été←⍳12"); /* é is two bytes, ← and ⍳ three */
    assert_int_equal(leaf(lexed, 0)->span.end, 5);
    assert_int_equal(lexed.tokens.items[1].start, 5);
    assert_int_equal(lexed.tokens.items[1].end, 8);
    assert_int_equal(leaf(lexed, 3)->span.start, 11);
    assert_int_equal(leaf(lexed, 3)->span.end, 13);
    compilation_destroy(lexed.c);
}

static void equal_names_are_one_pointer(void **state)
{
    (void)state;
    Lexed lexed =
        lex("xé xe\xCC\x81 \xE2\x84\xAA K"); /* composed and decomposed; the Kelvin sign */
    assert_ptr_equal(leaf(lexed, 0)->as.text, leaf(lexed, 1)->as.text);
    assert_ptr_equal(leaf(lexed, 2)->as.text, leaf(lexed, 3)->as.text);
    compilation_destroy(lexed.c);
}

static void ints_too_large_for_the_program_are_doubles(void **state)
{
    (void)state;
    Lexed wide = lex("2147483648 ¯2147483648"),
          narrow = lex_bytes("2147483648 ¯2147483648", 23, 32);
    assert_int_equal(leaf(wide, 0)->kind, APL_INT);
    assert_int_equal(leaf(wide, 0)->as.integer, 2147483648);
    assert_int_equal(leaf(narrow, 0)->kind, APL_DOUBLE);
    assert_true(leaf(narrow, 0)->as.real == 2147483648.0);
    assert_int_equal(leaf(narrow, 1)->kind, APL_INT);
    compilation_destroy(wide.c);
    compilation_destroy(narrow.c);
}

static void numbers_keep_all_their_digits(void **state)
{
    (void)state;
    Lexed lexed =
        lex("0.1 3.141592653589793 1E¯400 ¯0.0 1.7976931348623157e308 0000000000000000000000007");
    assert_true(leaf(lexed, 0)->as.real == 0.1);
    assert_true(leaf(lexed, 1)->as.real == 3.141592653589793);
    assert_true(leaf(lexed, 2)->as.real == 0.0);
    assert_true(signbit(leaf(lexed, 3)->as.real));
    assert_true(leaf(lexed, 4)->as.real == 1.7976931348623157e308);
    assert_int_equal(leaf(lexed, 5)->as.integer, 7);
    compilation_destroy(lexed.c);
}

static void bytes_that_are_no_text_are_reported_where_they_stand(void **state)
{
    (void)state;
    struct {
        const char *text;
        size_t length, errors;
    } cases[] = {
        {"a\0b", 3, 1},
        {"a\0\0\0b", 5, 1},
        {"\xFF", 1, 1},
        {"'\xE9'", 3, 1},
        {"⍝ \xE9", 5, 1},
        {"\xE2\x8D", 2, 1}, /* cut short */
        {"\xC0\xAF", 2, 1},
        {"\xED\xA0\x80", 3, 1},
        {"a\xFF b\0 c\xFE", 8, 3},
        {"\x01 \x7F \x1B", 5, 3},
        {"\xE2\x80\x8B", 3, 1},             /* zero-width space */
        {"1\xC2\xA0+\xE3\x80\x80 1", 9, 0}, /* no-break and ideographic space are spaces */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Lexed lexed = lex_bytes(cases[i].text, cases[i].length, 64);
        assert_int_equal(lexed.errors, cases[i].errors);
        compilation_destroy(lexed.c);
    }
}

static void a_binary_file_is_one_error(void **state)
{
    (void)state;
    char bytes[4096];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 37);
    Lexed lexed = lex_bytes(bytes, sizeof bytes, 64);
    assert_int_equal(lexed.errors, 1);
    assert_int_equal(lexed.tokens.count, 1);
    compilation_destroy(lexed.c);
}

static void strings_decode_their_text(void **state)
{
    (void)state;
    Lexed lexed = lex("'⍳''😀' \"\"\"\"");
    const AplNode *first = leaf(lexed, 0);
    assert_int_equal(first->as.string.length, 3);
    assert_int_equal(first->as.string.codepoints[0], 0x2373);
    assert_int_equal(first->as.string.codepoints[1], '\'');
    assert_int_equal(first->as.string.codepoints[2], 0x1F600);
    assert_int_equal(leaf(lexed, 1)->kind, APL_STRING);
    assert_int_equal(leaf(lexed, 1)->as.string.length, 1);
    compilation_destroy(lexed.c);
}

static void unclosed_strings_do_not_swallow_later_lines(void **state)
{
    (void)state;
    struct {
        const char *text;
        size_t errors;
    } cases[] = {
        {"x←'abc", 1},
        {"x←'abc\ny←1", 1},
        {"x←'abc\ny←'def'", 1}, /* the next line is whole without the first */
        {"x←'abc\ny←'def", 2},  /* the quote there opens a string */
        {"x←'abc\ndef'", 0},    /* goes on in the next line */
        {"x←'abc\n\n\ndef' ⋄ y←'z'", 0},
        {"x←'abc\n⍝ don't\n", 1}, /* a quote in a comment closes nothing */
        {"x←\"abc\ny←'\"'", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Lexed lexed = lex(cases[i].text);
        assert_int_equal(lexed.errors, cases[i].errors);
        compilation_destroy(lexed.c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_file_has_only_an_end),
        cmocka_unit_test(the_first_line_may_belong_to_the_shell),
        cmocka_unit_test(spans_are_bytes),
        cmocka_unit_test(equal_names_are_one_pointer),
        cmocka_unit_test(ints_too_large_for_the_program_are_doubles),
        cmocka_unit_test(numbers_keep_all_their_digits),
        cmocka_unit_test(bytes_that_are_no_text_are_reported_where_they_stand),
        cmocka_unit_test(a_binary_file_is_one_error),
        cmocka_unit_test(strings_decode_their_text),
        cmocka_unit_test(unclosed_strings_do_not_swallow_later_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
