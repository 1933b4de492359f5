/* blackscholes.apl: the mean price of options. */
#include "bench/reference/reference.h"
#include <math.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#pragma omp declare simd notinbranch
extern double exp(double x);
#endif

enum { GROUP = 256 };

static void *prepare(Job *job)
{
    Reduction *sum = make_memory(sizeof *sum);
    if (job->device)
        *sum = device_reduction(job->device, "blackscholes", 3, sizeof(double),
                                device_groups(job->device), GROUP);
    return sum;
}

static inline double normal(double x)
{
    const double size = fabs(x), k = 1.0 / (1.0 + 0.2316419 * size);
    const double p =
        k * (0.31938153 +
             k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    const double tail = p * (exp(-(size * (size / 2.0))) / sqrt(2.0 * M_PI));
    return x >= 0.0 ? 1.0 - tail : tail;
}

static void run_c(Job *job, Result *result)
{
    const int64_t n = job->sizes[0];
    const double moneyness = log(60.0 / 65.0), drift = 0.08 + 0.3 * (0.3 / 2.0);
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 1; i <= n; i++) {
        const double years = 10.0 * ((double)i / (double)n), deviation = 0.3 * sqrt(years);
        const double d1 = (moneyness + years * drift) / deviation, d2 = d1 - deviation;
        sum += 60.0 * normal(d1) - normal(d2) * (65.0 * exp(-(0.08 * years)));
    }
    give_real(result, sum / (double)n, '\n');
}

static void run_opencl(Job *job, Result *result)
{
    const Reduction *reduction = job->state;
    const cl_long n = job->sizes[0];
    const double moneyness = log(60.0 / 65.0), drift = 0.08 + 0.3 * (0.3 / 2.0);
    double sum;
    DEVICE_SET(reduction->kernel, 0, n);
    DEVICE_SET(reduction->kernel, 1, moneyness);
    DEVICE_SET(reduction->kernel, 2, drift);
    device_reduce(job->device, reduction, &sum);
    give_real(result, sum / (double)n, '\n');
}

const Reference reference_blackscholes = {
    "blackscholes", "blackscholes", {"n"}, {10000000}, prepare, run_c, run_opencl,
};
