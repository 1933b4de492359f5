/* The side of libFuzzer: a target that it calls, and what the target says at its end. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void report(void)
{
    FuzzSlowest slowest = fuzz_slowest();
    fprintf(stderr, "slowest input: %.3f s, %zu bytes\n", slowest.seconds, slowest.size);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    atexit(report);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_run(bytes, size);
    return 0;
}
