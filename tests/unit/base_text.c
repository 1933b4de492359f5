/* base: arenas, interned names, growing arrays and text, UTF-8. */
#include "base/compilation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>

static void arenas_give_zeroed_and_aligned_memory(void **state)
{
    (void)state;
    Arena *arena = arena_create();
    for (size_t size = 0; size < 5000000; size = size * 3 + 1) {
        char *bytes = arena_allocate(arena, size);
        assert_int_equal((uintptr_t)bytes % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(bytes[i], 0);
        memset(bytes, 0xAB, size);
    }
    assert_string_equal(arena_printf(arena, "%s-%d", "x", 42), "x-42");
    arena_destroy(arena);
}

static void released_memory_is_zeroed_when_it_is_handed_out_again(void **state)
{
    (void)state;
    enum { PIECES = 40, MOST = 3000000 };
    Arena *arena = arena_create();
    for (int round = 0; round < 3; round++) {
        ArenaMark mark = arena_mark(arena);
        size_t size = 1;
        for (int i = 0; i < PIECES; i++, size = (size * 7 + (size_t)round) % MOST) {
            char *bytes = arena_allocate(arena, size);
            for (size_t k = 0; k < size; k++)
                assert_int_equal(bytes[k], 0);
            memset(bytes, 0xAB, size);
        }
        arena_release(arena, mark);
    }
    arena_destroy(arena);
}

static void equal_texts_are_one_name(void **state)
{
    (void)state;
    Compilation *c = compilation_create();
    const char *first = intern(c, "⍺rea");
    for (int i = 0; i < 10000; i++)
        intern(c, arena_printf(c->arena, "name%d", i));
    assert_ptr_equal(first, intern(c, "⍺rea"));
    assert_ptr_not_equal(first, intern(c, "⍺re"));
    assert_ptr_equal(intern(c, "name77"), names_intern(c->names, "name7777", 6));
    compilation_destroy(c);
}

static void vectors_keep_their_items_when_they_grow(void **state)
{
    (void)state;
    Arena *arena = arena_create();
    VEC(int) numbers = {0};
    for (int i = 0; i < 1000; i++)
        vec_push(arena, &numbers, i * i);
    assert_int_equal(numbers.count, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers.items[i], i * i);
    arena_destroy(arena);
}

static void utf8_is_decoded_strictly(void **state)
{
    (void)state;
    uint32_t codepoint = 0;
    assert_int_equal(utf8_decode("⍺", 3, &codepoint), 3);
    assert_int_equal(codepoint, 0x237A);
    assert_int_equal(utf8_decode("\xF0\x9F\x98\x80", 4, &codepoint), 4);
    assert_int_equal(codepoint, 0x1F600);
    assert_int_equal(utf8_decode("⍺", 2, &codepoint), 0);            /* cut off */
    assert_int_equal(utf8_decode("\xC0\x80", 2, &codepoint), 0);     /* overlong */
    assert_int_equal(utf8_decode("\xED\xA0\x80", 3, &codepoint), 0); /* surrogate */
    assert_int_equal(utf8_decode("\xFF", 1, &codepoint), 0);
    assert_int_equal(utf8_decode("\x80", 1, &codepoint), 0);
}

static void doubles_print_shortest_and_read_back(void **state)
{
    (void)state;
    Arena *arena = arena_create();
    assert_string_equal(text_of_double(arena, 2), "2.0");
    assert_string_equal(text_of_double(arena, 50), "50.0");
    assert_string_equal(text_of_double(arena, -120000), "-120000.0");
    assert_string_equal(text_of_double(arena, 1234567.5), "1234567.5");
    assert_string_equal(text_of_double(arena, 0.1), "0.1");
    assert_string_equal(text_of_double(arena, -0.0), "-0.0");
    assert_string_equal(text_of_double(arena, 1.0 / 3), "0.3333333333333333");
    assert_string_equal(text_of_double(arena, 1e300), "1e+300");
    assert_string_equal(text_of_double(arena, HUGE_VAL), "inf");
    assert_string_equal(text_of_double(arena, -HUGE_VAL), "-inf");
    assert_string_equal(text_of_double(arena, (double)NAN), "nan");
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arenas_give_zeroed_and_aligned_memory),
        cmocka_unit_test(released_memory_is_zeroed_when_it_is_handed_out_again),
        cmocka_unit_test(equal_texts_are_one_name),
        cmocka_unit_test(vectors_keep_their_items_when_they_grow),
        cmocka_unit_test(utf8_is_decoded_strictly),
        cmocka_unit_test(doubles_print_shortest_and_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
