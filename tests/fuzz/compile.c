/* Fuzz target: an APL program through the whole compiler, to C and to OpenCL. */
#include "tests/fuzz/fuzz.h"

static bool compile(const uint8_t *bytes, size_t size, Form goal, KernelTarget target)
{
    Pipeline p = fuzz_begin("input.apl", bytes, size);
    p.goal = goal;
    p.target = target;
    bool ok = pipeline_run(&p);
    fuzz_end(&p);
    return ok;
}

void fuzz_input(const uint8_t *bytes, size_t size)
{
    if (compile(bytes, size, FORM_C, KERNEL_SEQUENTIAL)) {
        compile(bytes, size, FORM_OPENCL, KERNEL_PARALLEL);
    }
}
