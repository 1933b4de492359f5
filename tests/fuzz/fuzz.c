/* What fuzz targets share: a compilation for each input, its time, and failing. libFuzzer calls
   LLVMFuzzerTestOneInput. */
#include "tests/fuzz/fuzz.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>

#ifdef SANITIZED
enum { MOST_SECONDS = 10 };
#else
enum { MOST_SECONDS = 2 };
#endif

/* Larger inputs may take longer. */
enum { SMALL = 4096 };

static FuzzSlowest slowest; /* of all inputs of the process: nothing else outlives an input */

void fuzz_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("fuzz: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

Pipeline fuzz_begin(const char *name, const void *bytes, size_t size)
{
    Compilation *c = compilation_create();
    c->options.verify_each = true;
    return pipeline_create(c, source_create(c->arena, name, bytes, size),
                           pipeline_language_of(name));
}

void fuzz_end(Pipeline *p)
{
    char *shown = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&shown, &length);
    if (!out) {
        fuzz_fail("no memory for diagnostics");
    }
    diagnostics_print(p->c->diagnostics, out);
    fclose(out);
    free(shown);
    compilation_destroy(p->c);
}

/* Of this program itself: what the system takes for its memory depends on what else runs. */
static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
}

FuzzSlowest fuzz_slowest(void)
{
    return slowest;
}

void fuzz_run(const uint8_t *bytes, size_t size)
{
    double start = processor_seconds();
    fuzz_input(bytes, size);
    double seconds = processor_seconds() - start;
    if (seconds > slowest.seconds) {
        slowest = (FuzzSlowest){seconds, size};
    }
    if (seconds > MOST_SECONDS && size <= SMALL) {
        fuzz_fail("%zu bytes take %.1f s", size, seconds);
    }
}
