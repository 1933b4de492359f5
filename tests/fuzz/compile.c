/* Fuzz target: an APL program through the whole compiler, to C and to OpenCL. The search for races
   takes as long as all the rest: it looks at the kernels of one input in 64. */
#include "tests/fuzz/fuzz.h"

/* The rest of the way from core. */
static bool continue_to(const Pipeline *core, Form goal, KernelTarget target, bool skip_races)
{
    Pipeline p = *core;
    p.goal = goal;
    p.target = target;
    p.skip_races = skip_races;
    return pipeline_run(&p);
}

void fuzz_input(const uint8_t *bytes, size_t size)
{
    Pipeline p = fuzz_begin("input.apl", bytes, size);
    p.goal = FORM_CORE;
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum += bytes[i];
    }
    if (pipeline_run(&p) && continue_to(&p, FORM_C, KERNEL_SEQUENTIAL, true)) {
        continue_to(&p, FORM_OPENCL, KERNEL_PARALLEL, sum % 64 != 0);
    }
    fuzz_end(&p);
}
