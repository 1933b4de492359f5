/* Fuzz target: a core file, in either form, through reader and checker. What is printed of it has
   to be read again and print the same. */
#include "tests/fuzz/fuzz.h"

static Text printed(Pipeline *p)
{
    Text text = text_create(p->c->arena);
    core_print(p->c, &text, p->core);
    return text;
}

void fuzz_input(const uint8_t *bytes, size_t size)
{
    Pipeline p = fuzz_begin("input.core", bytes, size);
    p.goal = FORM_CORE;
    if (pipeline_run(&p)) {
        Text first = printed(&p);
        Pipeline again = fuzz_begin("printed.core", text_get(&first), first.length);
        again.goal = FORM_CORE;
        if (!pipeline_run(&again)) {
            diagnostics_print(again.c->diagnostics, stderr);
            fuzz_fail("what was printed is not read");
        }
        Text second = printed(&again);
        if (strcmp(text_get(&first), text_get(&second)) != 0) {
            fuzz_fail("read again it prints otherwise:\n%s\n%s", text_get(&first),
                      text_get(&second));
        }
        fuzz_end(&again);
    }
    fuzz_end(&p);
}
