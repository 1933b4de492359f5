/* mandelbrot-outside.apl and mandelbrot-inside.apl: the loop is inside, so that a point's state
   stays in registers. In C, LANES points at a time take a step, more than a vector holds: the
   processor works on one vector while another waits for its operands. */
#include "bench/reference/reference.h"
#include <string.h>

enum { GROUP = 256, LANES = 32 };

static void *prepare(Job *job)
{
    Reduction *sum = make_memory(sizeof *sum);
    if (job->device) {
        const size_t points = (size_t)(job->sizes[0] * job->sizes[0]);
        const size_t groups =
            device_is_gpu(job->device) ? (points + GROUP - 1) / GROUP : device_groups(job->device);
        const cl_int n = (cl_int)job->sizes[0], steps = (cl_int)job->sizes[1];
        *sum = device_reduction(job->device, "mandelbrot", 2, sizeof(cl_long), groups ? groups : 1,
                                GROUP);
        DEVICE_SET(sum->kernel, 0, n);
        DEVICE_SET(sum->kernel, 1, steps);
    }
    return sum;
}

/* One vector's worth of points; compilers make several instructions of it where vectors are
 * shorter. */
typedef double Reals __attribute__((vector_size(64)));
typedef int64_t Ints __attribute__((vector_size(64)));
enum { VECTOR = 8, VECTORS = LANES / VECTOR };

/* The counts of LANES points, added up. */
static int64_t count_steps(int64_t steps, const Reals cr[VECTORS], const Reals ci[VECTORS])
{
    Reals zr[VECTORS] = {{0.0}}, zi[VECTORS] = {{0.0}};
    Ints counts = {0};
    int64_t sum = 0;
    for (int64_t step = 0; step < steps; step++) {
#pragma GCC unroll 8
        for (int k = 0; k < VECTORS; k++) {
            const Reals r = zr[k] * zr[k], i = zi[k] * zi[k], product = zr[k] * zi[k];
            counts -= r + i < 4.0; /* true is -1 */
            zr[k] = cr[k] + (r - i);
            zi[k] = ci[k] + 2.0 * product;
        }
    }
    for (int lane = 0; lane < VECTOR; lane++)
        sum += counts[lane];
    return sum;
}

static void run_c(Job *job, Result *result)
{
    const int64_t n = job->sizes[0], steps = job->sizes[1];
    int64_t sum = 0;
    for (int64_t point = 0; point < n * n; point += LANES) {
        Reals cr[VECTORS], ci[VECTORS];
        for (int lane = 0; lane < LANES; lane++) {
            /* Beyond the last point, one that leaves at once and counts one step, taken off below.
             */
            const bool is_point = point + lane < n * n;
            const int64_t x = (point + lane) % n, y = (point + lane) / n;
            cr[lane / VECTOR][lane % VECTOR] =
                is_point ? -2.0 + 3.0 * ((double)x / (double)n) : 8.0;
            ci[lane / VECTOR][lane % VECTOR] =
                is_point ? -1.5 + 3.0 * ((double)y / (double)n) : 8.0;
            sum -= !is_point && steps > 0;
        }
        sum += count_steps(steps, cr, ci);
    }
    give_int(result, sum, '\n');
}

static void run_opencl(Job *job, Result *result)
{
    const Reduction *reduction = job->state;
    cl_long sum;
    device_reduce(job->device, reduction, &sum);
    give_int(result, sum, '\n');
}

const Reference reference_mandelbrot_outside = {
    "mandelbrot-outside", "mandelbrot", {"n", "steps"}, {1000, 255}, prepare, run_c, run_opencl,
};
const Reference reference_mandelbrot_inside = {
    "mandelbrot-inside", "mandelbrot", {"n", "steps"}, {1000, 255}, prepare, run_c, run_opencl,
};
