/* Fuzz target: a TAIL file through reader and checker, the translation to core and core's checker.
   What is printed of it has to be read again and print the same. */
#include "tests/fuzz/fuzz.h"

static Text printed(Pipeline *p, const TailExp *program, bool with_instances)
{
    Text text = text_create(p->c->arena);
    tail_print(p->c, &text, program, with_instances);
    return text;
}

static void check_round_trip(Pipeline *p, bool with_instances)
{
    Text first = printed(p, p->tail, with_instances);
    Pipeline again = fuzz_begin("printed.tail", text_get(&first), first.length);
    again.goal = FORM_TAIL;
    if (!pipeline_run(&again)) {
        diagnostics_print(again.c->diagnostics, stderr);
        fuzz_fail("what was printed is not read");
    }
    Text second = printed(&again, again.tail, with_instances);
    if (strcmp(text_get(&first), text_get(&second)) != 0) {
        fuzz_fail("read again it prints otherwise:\n%s\n%s", text_get(&first), text_get(&second));
    }
    fuzz_end(&again);
}

void fuzz_input(const uint8_t *bytes, size_t size)
{
    Pipeline p = fuzz_begin("input.tail", bytes, size);
    p.goal = FORM_TAIL;
    if (pipeline_run(&p)) {
        check_round_trip(&p, true);
        check_round_trip(&p, false);
        p.goal = FORM_CORE;
        pipeline_run(&p);
    }
    fuzz_end(&p);
}
