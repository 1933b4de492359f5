/* signal.apl: relative changes of a sampled sine. In C the samples of a block are computed first,
   by the vector version of the library's sine, then their changes. */
#include "bench/reference/reference.h"
#include <math.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#pragma omp declare simd notinbranch
extern double sin(double x);
#endif

enum { GROUP = 256, BLOCK = 1024 };

static void *prepare(Job *job)
{
    Reduction *both = make_memory(sizeof *both);
    if (job->device)
        *both = device_reduction(job->device, "signal", 1, 2 * sizeof(double),
                                 device_groups(job->device), GROUP);
    return both;
}

static void run_c(Job *job, Result *result)
{
    const int64_t n = job->sizes[0];
    double greatest = -INFINITY, sum = 0.0;
    double samples[BLOCK + 1] = {0.0}; /* the last of the block before is in front */
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int count = n - first < BLOCK ? (int)(n - first) : BLOCK;
#pragma omp simd
        for (int i = 1; i <= count; i++)
            samples[i] = sin(0.02 * (double)(first + i));
#pragma omp simd reduction(max : greatest) reduction(+ : sum)
        for (int i = 1; i <= count; i++) {
            double change = 50.0 * ((samples[i] - samples[i - 1]) / (0.01 + fabs(samples[i])));
            change = change > 50.0 ? 50.0 : change;
            change = change < -50.0 ? -50.0 : change;
            greatest = change > greatest ? change : greatest;
            sum += fabs(change);
        }
        samples[0] = samples[count];
    }
    give_real(result, greatest, '\n');
    give_real(result, sum / (double)n, '\n');
}

static void run_opencl(Job *job, Result *result)
{
    const Reduction *reduction = job->state;
    const cl_long n = job->sizes[0];
    double both[2];
    DEVICE_SET(reduction->kernel, 0, n);
    device_reduce(job->device, reduction, both);
    give_real(result, both[0], '\n');
    give_real(result, both[1] / (double)n, '\n');
}

const Reference reference_signal = {
    "signal", "signal", {"n"}, {50000000}, prepare, run_c, run_opencl,
};
