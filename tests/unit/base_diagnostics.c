/* base: places in source files, carets, and the order of diagnostics. */
#include "base/compilation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

static Place place_of(Compilation *c, const char *text, const char *part)
{
    SourceFile *source = source_create(c->arena, "test.apl", text, strlen(text));
    uint32_t start = (uint32_t)(strstr(text, part) - text);
    return source_place(c->arena, (Span){source, start, start + (uint32_t)strlen(part)});
}

static void a_span_is_underlined_in_its_line(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    Place place = place_of(c, "x←1\n⎕←x+yy×2\nz", "yy");
    assert_int_equal(place.line, 2);
    assert_int_equal(place.column, 5);
    assert_string_equal(place.source_line, "⎕←x+yy×2");
    assert_string_equal(place.caret_line, "    ^^");
    compilation_destroy(c);
}

static void carets_stand_under_wide_and_combining_characters(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    Place wide = place_of(c, "'漢字'+bad", "bad"); /* two columns each */
    assert_int_equal(wide.column, 6);
    assert_string_equal(wide.caret_line, "       ^^^");
    Place combining = place_of(c, "'e\xCC\x81'+bad", "bad"); /* e and an accent: one column */
    assert_int_equal(combining.column, 6);
    assert_string_equal(combining.caret_line, "    ^^^");
    Place on_wide = place_of(c, "a漢b", "漢");
    assert_string_equal(on_wide.caret_line, " ^^");
    compilation_destroy(c);
}

static void ends_of_lines_and_files_have_places(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    SourceFile *source = source_create(c->arena, "t", "ab\r\ncd", 6);
    Place end = source_place(c->arena, (Span){source, 6, 6});
    assert_int_equal(end.line, 2);
    assert_int_equal(end.column, 3);
    assert_string_equal(end.caret_line, "  ^");
    Place first = source_place(c->arena, (Span){source, 0, 2});
    assert_string_equal(first.source_line, "ab");
    Place many_lines = source_place(c->arena, (Span){source, 1, 5});
    assert_string_equal(many_lines.caret_line, " ^");
    SourceFile *empty = source_create(c->arena, "t", "", 0);
    assert_string_equal(source_place(c->arena, (Span){empty, 0, 0}).caret_line, "^");
    compilation_destroy(c);
}

static void long_lines_are_shown_in_part(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    char *text = arena_allocate(c->arena, 100001);
    memset(text, 'x', 100000);
    SourceFile *source = source_create(c->arena, "t", text, 100000);
    Place place = source_place(c->arena, (Span){source, 50000, 50003});
    assert_int_equal(place.column, 50001);
    assert_true(strlen(place.source_line) < 400);
    assert_true(strlen(place.caret_line) < 400);
    compilation_destroy(c);
}

static void diagnostics_come_in_order_of_place_and_once(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    SourceFile *source = source_create(c->arena, "t.apl", "one\ntwo\n", 8);
    diagnostics_add(c->diagnostics, (Span){source, 4, 7}, "RANK ERROR", "second");
    diagnostics_add(c->diagnostics, (Span){source, 0, 3}, "LENGTH ERROR", "%d and %d", 3, 4);
    diagnostics_add(c->diagnostics, (Span){source, 4, 7}, "RANK ERROR", "second");
    assert_int_equal(diagnostics_count(c->diagnostics), 2);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    diagnostics_print(c->diagnostics, out);
    fclose(out);
    assert_string_equal(text, "t.apl:1:1: LENGTH ERROR: 3 and 4\n  one\n  ^^^\n"
                              "t.apl:2:1: RANK ERROR: second\n  two\n  ^^^\n");
    free(text);
    compilation_destroy(c);
}

static void long_words_are_shown_without_their_middle(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    Text name = text_create(c->arena);
    for (int i = 0; i < 100000; i++)
        text_string(&name, "⍺");
    diagnostics_add(c->diagnostics, NO_SPAN, "VALUE ERROR", "'%s' has no  value", text_get(&name));
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    diagnostics_print(c->diagnostics, out);
    fclose(out);
    assert_true(length < 300);
    assert_non_null(strstr(text, "tailor: VALUE ERROR: '⍺⍺"));
    assert_non_null(strstr(text, "⍺...⍺"));
    assert_non_null(strstr(text, "⍺' has no  value\n"));
    free(text);
    compilation_destroy(c);
}

static void a_flood_of_errors_is_cut(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    for (int i = 0; i < 1000; i++)
        diagnostics_add(c->diagnostics, NO_SPAN, "ERROR", "%d", i);
    assert_int_equal(diagnostics_count(c->diagnostics), 1000);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    diagnostics_print(c->diagnostics, out);
    fclose(out);
    assert_non_null(strstr(text, "tailor: 950 more errors\n"));
    free(text);
    compilation_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_span_is_underlined_in_its_line),
        cmocka_unit_test(carets_stand_under_wide_and_combining_characters),
        cmocka_unit_test(ends_of_lines_and_files_have_places),
        cmocka_unit_test(long_lines_are_shown_in_part),
        cmocka_unit_test(diagnostics_come_in_order_of_place_and_once),
        cmocka_unit_test(long_words_are_shown_without_their_middle),
        cmocka_unit_test(a_flood_of_errors_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
