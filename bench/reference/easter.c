/* easter.apl: none of its numbers is negative, so that rounding towards 0 is APL's ⌊. */
#include "bench/reference/reference.h"

enum { GROUP = 256 };
static const int64_t shown[] = {1818, 1943, 2000, 2024, 2025, 2026};
enum { SHOWN = sizeof shown / sizeof *shown };

static void *prepare(Job *job)
{
    Reduction *both = make_memory(sizeof *both);
    if (job->device)
        *both = device_reduction(job->device, "dates", 1, 2 * sizeof(cl_long),
                                 device_groups(job->device), GROUP);
    return both;
}

/* x÷by rounded down, for 0≤x<2*50: x+0.5 is at least 0.5÷by away from multiples of by, far more
   than the product's rounding. Vectors have no integer division, but these operations. */
static inline int64_t quotient(int64_t x, int64_t by)
{
    return (int64_t)(((double)x + 0.5) * (1.0 / (double)by));
}

static inline int64_t rest(int64_t x, int64_t by)
{
    return x - by * quotient(x, by);
}

static inline int64_t easter(int64_t year)
{
    const int64_t golden = rest(year, 19), century = quotient(year, 100);
    const int64_t leaps = century >> 2, lunar = quotient(century + 8, 25);
    const int64_t drift = quotient(1 + century - lunar, 3);
    const int64_t epact = rest(15 + 19 * golden + century - leaps - drift, 30);
    const int64_t in_century = year - 100 * century;
    const int64_t weekday =
        rest(32 + 2 * (century & 3) + 2 * (in_century >> 2) - epact - (in_century & 3), 7);
    const int64_t late = quotient(golden + 11 * epact + 22 * weekday, 451);
    const int64_t days = 114 + epact + weekday - 7 * late, month = quotient(days, 31);
    return 1 + (days - 31 * month) + 100 * month + 10000 * year;
}

static void give_shown(Result *result)
{
    for (int i = 0; i < SHOWN; i++)
        give_int(result, easter(shown[i]), i + 1 < SHOWN ? ' ' : '\n');
}

static void run_c(Job *job, Result *result)
{
    int64_t greatest = INT64_MIN, sum = 0;
#pragma omp simd reduction(max : greatest) reduction(+ : sum)
    for (int64_t year = 1; year <= job->sizes[0]; year++) {
        const int64_t date = easter(year);
        greatest = date > greatest ? date : greatest;
        sum += date - 10000 * year;
    }
    give_shown(result);
    give_int(result, greatest, '\n');
    give_int(result, sum, '\n');
}

static void run_opencl(Job *job, Result *result)
{
    const Reduction *reduction = job->state;
    const cl_long n = job->sizes[0];
    cl_long both[2];
    DEVICE_SET(reduction->kernel, 0, n);
    device_reduce(job->device, reduction, both);
    give_shown(result);
    give_int(result, both[0], '\n');
    give_int(result, both[1], '\n');
}

const Reference reference_easter = {
    "easter", "easter", {"n"}, {10000000}, prepare, run_c, run_opencl,
};
