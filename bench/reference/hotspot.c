/* hotspot.apl. In C a row has a margin of one cell on either side, and the rows beyond the border
   are the border's, so that the inner loop knows no borders. On a device two kernels with their
   arguments set once take turns. */
#include "bench/reference/reference.h"
#include <math.h>
#include <string.h>

enum { MARGIN = 8, GROUP = 256, COLUMNS_OF_GROUP = 128, ROWS_OF_GROUP = 2 };

typedef struct Chip {
    double along, across, to_air, factor; /* factor: time÷capacity */
} Chip;

typedef struct Hotspot {
    Chip chip;
    int64_t pitch; /* cells from row to row */
    double *temperature, *power, *chips[2];
    cl_mem power_buffer, buffers[2], start;
    cl_kernel steps[2], first;
    Reduction summaries[3]; /* of each buffer; of the start */
    size_t items[2];
} Hotspot;

static Chip chip_of(int64_t n)
{
    const double side = 0.016, thickness = 0.0005, conductivity = 100, heat = 1.75E6, factor = 0.5;
    const double cell = side / (double)n;
    const double capacity = factor * (heat * (thickness * (cell * cell)));
    const double across = cell / (2.0 * (conductivity * (thickness * cell)));
    const double to_air = thickness / (conductivity * (cell * cell));
    const double slope = 3.0E6 / (factor * (thickness * heat)), time = 0.001 / slope;
    return (Chip){across, across, to_air, time / capacity};
}

static cl_kernel step_kernel(Device *device, const Hotspot *hotspot, int64_t n, cl_mem from,
                             cl_mem to)
{
    const cl_int count = (cl_int)n;
    cl_kernel kernel = device_kernel(device, "hotspot_step");
    DEVICE_SET(kernel, 0, count);
    DEVICE_SET(kernel, 1, hotspot->chip.along);
    DEVICE_SET(kernel, 2, hotspot->chip.across);
    DEVICE_SET(kernel, 3, hotspot->chip.to_air);
    DEVICE_SET(kernel, 4, hotspot->chip.factor);
    DEVICE_SET(kernel, 5, hotspot->power_buffer);
    DEVICE_SET(kernel, 6, from);
    DEVICE_SET(kernel, 7, to);
    return kernel;
}

static Reduction summary_kernel(Device *device, int64_t cells, cl_mem buffer)
{
    Reduction summary = device_reduction(device, "summary", 2, 4 * sizeof(double),
                                         device_groups(device) / 4, GROUP);
    DEVICE_SET(summary.kernel, 0, cells);
    DEVICE_SET(summary.kernel, 1, buffer);
    return summary;
}

static void prepare_opencl(Hotspot *hotspot, Device *device, int64_t n)
{
    const int64_t cells = n * n;
    const size_t size = (size_t)cells * sizeof(double);
    hotspot->power_buffer = device_buffer(device, size, hotspot->power);
    hotspot->start = device_buffer(device, size, hotspot->temperature);
    for (int i = 0; i < 2; i++)
        hotspot->buffers[i] = device_buffer(device, size, NULL);
    hotspot->first = step_kernel(device, hotspot, n, hotspot->start, hotspot->buffers[0]);
    for (int i = 0; i < 2; i++) {
        hotspot->steps[i] =
            step_kernel(device, hotspot, n, hotspot->buffers[i], hotspot->buffers[1 - i]);
        hotspot->summaries[i] = summary_kernel(device, cells, hotspot->buffers[i]);
    }
    hotspot->summaries[2] = summary_kernel(device, cells, hotspot->start);
    hotspot->items[0] = (size_t)(n + COLUMNS_OF_GROUP - 1) / COLUMNS_OF_GROUP * COLUMNS_OF_GROUP;
    hotspot->items[1] = (size_t)(n + ROWS_OF_GROUP - 1) / ROWS_OF_GROUP * ROWS_OF_GROUP;
}

static void *prepare(Job *job)
{
    Hotspot *hotspot = make_memory(sizeof *hotspot);
    const int64_t n = job->sizes[0];
    hotspot->chip = chip_of(n);
    hotspot->temperature = read_reals("apl-examples/data/hotspot-temperature.txt", n * n);
    hotspot->power = read_reals("apl-examples/data/hotspot-power.txt", n * n);
    if (job->device) {
        prepare_opencl(hotspot, job->device, n);
        return hotspot;
    }
    hotspot->pitch = MARGIN + (n + 1 + 7) / 8 * 8;
    for (int i = 0; i < 2; i++)
        hotspot->chips[i] = make_memory((size_t)(hotspot->pitch * n + MARGIN) * sizeof(double));
    return hotspot;
}

static void step_row(int64_t n, Chip chip, const double *restrict north,
                     const double *restrict here, const double *restrict south,
                     const double *restrict power, double *restrict next)
{
    for (int64_t j = 0; j < n; j++) {
        const double twice = 2.0 * here[j];
        const double vertical = (north[j] + (south[j] - twice)) / chip.along;
        const double horizontal = (here[j - 1] + (here[j + 1] - twice)) / chip.across;
        const double air = (80.0 - here[j]) / chip.to_air;
        next[j] = here[j] + chip.factor * (power[j] + (vertical + (horizontal + air)));
    }
    next[-1] = next[0];
    next[n] = next[n - 1];
}

static void run_c(Job *job, Result *result)
{
    const Hotspot *hotspot = job->state;
    const int64_t n = job->sizes[0], pitch = hotspot->pitch;
    double *now = hotspot->chips[0] + MARGIN, *next = hotspot->chips[1] + MARGIN;
    for (int64_t i = 0; i < n; i++) {
        double *row = now + i * pitch;
        memcpy(row, hotspot->temperature + i * n, (size_t)n * sizeof *row);
        row[-1] = row[0];
        row[n] = row[n - 1];
    }
    for (int64_t s = 0; s < job->sizes[1]; s++) {
        for (int64_t i = 0; i < n; i++) {
            const double *here = now + i * pitch;
            step_row(n, hotspot->chip, i == 0 ? here : here - pitch, here,
                     i == n - 1 ? here : here + pitch, hotspot->power + i * n, next + i * pitch);
        }
        double *spare = now;
        now = next;
        next = spare;
    }
    double greatest = -INFINITY, least = INFINITY, sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        const double *row = now + i * pitch;
#pragma omp simd reduction(max : greatest) reduction(min : least) reduction(+ : sum)
        for (int64_t j = 0; j < n; j++) {
            greatest = row[j] > greatest ? row[j] : greatest;
            least = row[j] < least ? row[j] : least;
            sum += row[j];
        }
    }
    give_real(result, greatest, '\n');
    give_real(result, least, '\n');
    give_real(result, sum / (double)(n * n), '\n');
}

static void run_opencl(Job *job, Result *result)
{
    const Hotspot *hotspot = job->state;
    const int64_t steps = job->sizes[1];
    const size_t group[2] = {COLUMNS_OF_GROUP, ROWS_OF_GROUP};
    double all[4];
    for (int64_t s = 0; s < steps; s++)
        device_launch_2d(job->device, s == 0 ? hotspot->first : hotspot->steps[(s - 1) % 2],
                         hotspot->items, group);
    device_reduce(job->device, &hotspot->summaries[steps == 0 ? 2 : (steps - 1) % 2], all);
    give_real(result, all[0], '\n');
    give_real(result, all[1], '\n');
    give_real(result, all[2] / (double)(job->sizes[0] * job->sizes[0]), '\n');
}

const Reference reference_hotspot = {
    "hotspot", "hotspot", {"n", "steps"}, {512, 360}, prepare, run_c, run_opencl,
};
