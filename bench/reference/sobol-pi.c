/* sobol-pi.apl: each point by itself from the bits of its number, as there (not from the point
   before). */
#include "bench/reference/reference.h"
#include <stdio.h>
#include <stdlib.h>

enum { GROUP = 256, BITS = 30 };

typedef struct Sobol {
    int64_t directions[2 * BITS];
    Reduction inside;
} Sobol;

static void *prepare(Job *job)
{
    Sobol *sobol = make_memory(sizeof *sobol);
    double *numbers = read_reals("apl-examples/data/sobol-directions.txt", 2 * BITS);
    for (int i = 0; i < 2 * BITS; i++)
        sobol->directions[i] = (int64_t)numbers[i];
    free(numbers);
    if (job->device) {
        cl_uint narrow[2 * BITS];
        for (int i = 0; i < 2 * BITS; i++)
            narrow[i] = (cl_uint)sobol->directions[i];
        cl_mem directions = device_buffer(job->device, sizeof narrow, narrow);
        sobol->inside = device_reduction(job->device, "inside", 2, sizeof(cl_long),
                                         device_groups(job->device), GROUP);
        DEVICE_SET(sobol->inside.kernel, 1, directions);
    }
    return sobol;
}

static void run_c(Job *job, Result *result)
{
    const Sobol *sobol = job->state;
    const int64_t n = job->sizes[0], *restrict directions = sobol->directions;
    int64_t count = 0;
#pragma omp simd reduction(+ : count)
    for (int64_t i = 1; i <= n; i++) {
        int64_t x = 0, y = 0;
#pragma GCC unroll 30
        for (int bit = 0; bit < BITS; bit++) {
            const int64_t select = -(i >> bit & 1);
            x ^= directions[bit] & select;
            y ^= directions[BITS + bit] & select;
        }
        const double a = (double)x / 1073741824.0, b = (double)y / 1073741824.0;
        count += 1.0 >= a * a + b * b;
    }
    give_real(result, 4.0 * ((double)count / (double)n), '\n');
}

static void run_opencl(Job *job, Result *result)
{
    const Sobol *sobol = job->state;
    const cl_long n = job->sizes[0];
    cl_long count;
    DEVICE_SET(sobol->inside.kernel, 0, n);
    device_reduce(job->device, &sobol->inside, &count);
    give_real(result, 4.0 * ((double)count / (double)n), '\n');
}

const Reference reference_sobol_pi = {
    "sobol-pi", "sobol-pi", {"n"}, {10000000}, prepare, run_c, run_opencl,
};
