/* Fuzz target: an APL program through lexer, parser, binder and elaborator, and TAIL's checker. */
#include "tests/fuzz/fuzz.h"

void fuzz_input(const uint8_t *bytes, size_t size)
{
    Pipeline p = fuzz_begin("input.apl", bytes, size);
    p.goal = FORM_TAIL;
    pipeline_run(&p);
    fuzz_end(&p);
}
