/* integral.apl: the midpoint rule. */
#include "bench/reference/reference.h"

enum { GROUP = 256 };

static void *prepare(Job *job)
{
    Reduction *sum = make_memory(sizeof *sum);
    if (job->device)
        *sum = device_reduction(job->device, "integral", 2, sizeof(double),
                                device_groups(job->device), GROUP);
    return sum;
}

static void run_c(Job *job, Result *result)
{
    const int64_t n = job->sizes[0];
    const double width = 10.0 / (double)n;
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 1; i <= n; i++)
        sum += 2.0 / (width * ((double)i + -0.5) + 2.0);
    give_real(result, width * sum, '\n');
}

static void run_opencl(Job *job, Result *result)
{
    const Reduction *reduction = job->state;
    const cl_long n = job->sizes[0];
    const double width = 10.0 / (double)n;
    double sum;
    DEVICE_SET(reduction->kernel, 0, n);
    DEVICE_SET(reduction->kernel, 1, width);
    device_reduce(job->device, reduction, &sum);
    give_real(result, width * sum, '\n');
}

const Reference reference_integral = {
    "integral", "integral", {"n"}, {10000000}, prepare, run_c, run_opencl,
};
