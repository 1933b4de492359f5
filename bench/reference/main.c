/* Runs a hand-written version of a program, as a generated program runs: prints its results, then,
   with --repeat=N, runs it N times for the clock.

       $ reference integral c --repeat=3
       3.583518938
       run 1 of 3: 5.921213 ms
       run 2 of 3: 5.898741 ms
       run 3 of 3: 5.903345 ms
       $ reference life opencl --n=1200 --device=H200 --profile --repeat=100 */
#include "bench/reference/reference.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const Reference *const references[] = {&reference_integral,
                                              &reference_signal,
                                              &reference_life,
                                              &reference_easter,
                                              &reference_blackscholes,
                                              &reference_sobol_pi,
                                              &reference_hotspot,
                                              &reference_mandelbrot_outside,
                                              &reference_mandelbrot_inside};
enum { REFERENCES = sizeof references / sizeof *references };

/* ---- for the files of programs --------------------------------------------------------------- */

void give_int(Result *result, int64_t value, char end)
{
    result->length +=
        (size_t)snprintf(result->text + result->length, sizeof result->text - result->length,
                         "%lld%c", (long long)value, end);
}

void give_real(Result *result, double value, char end)
{
    result->length += (size_t)snprintf(result->text + result->length,
                                       sizeof result->text - result->length, "%.10g%c", value, end);
}

void *make_memory(size_t size)
{
    size_t padded = (size + 63) / 64 * 64;
    void *memory = aligned_alloc(64, padded);
    if (!memory) {
        fprintf(stderr, "reference: no memory for %zu bytes\n", size);
        exit(1);
    }
    return memset(memory, 0, padded);
}

double *read_reals(const char *file, int64_t count)
{
    double *values = make_memory((size_t)count * sizeof *values);
    FILE *in = fopen(file, "r");
    int64_t i = 0;
    while (in && i < count && fscanf(in, "%lf", &values[i]) == 1)
        i++;
    if (i < count) {
        fprintf(stderr, "reference: %s: %lld numbers wanted\n", file, (long long)count);
        exit(1);
    }
    fclose(in);
    return values;
}

/* ---- the command line ----------------------------------------------------------------------- */

typedef struct Options {
    const Reference *reference;
    bool opencl, profile;
    const char *device;
    int64_t repeats;
    Job job;
} Options;

static void usage(FILE *out)
{
    fprintf(out, "usage: reference PROGRAM c|opencl [--SIZE=N...] [--repeat=N] [--device=D] "
                 "[--profile]\n       reference --devices\nPROGRAM is one of");
    for (int i = 0; i < REFERENCES; i++)
        fprintf(out, " %s", references[i]->name);
    fputc('\n', out);
}

static bool take_number(const char *argument, const char *name, int64_t *number)
{
    size_t length = strlen(name);
    char *end;
    if (strncmp(argument, "--", 2) != 0 || strncmp(argument + 2, name, length) != 0 ||
        argument[2 + length] != '=')
        return false;
    *number = strtoll(argument + length + 3, &end, 10);
    return end > argument + length + 3 && *end == '\0' && *number >= 0;
}

static bool take_option(Options *options, const char *argument)
{
    if (strcmp(argument, "--profile") == 0)
        return options->profile = true;
    if (strncmp(argument, "--device=", 9) == 0)
        return (options->device = argument + 9) != NULL;
    if (take_number(argument, "repeat", &options->repeats))
        return true;
    for (int i = 0; i < MOST_SIZES && options->reference->size_names[i]; i++) {
        if (take_number(argument, options->reference->size_names[i], &options->job.sizes[i]))
            return true;
    }
    return false;
}

static bool take_command_line(Options *options, int argc, char **argv)
{
    for (int i = 0; argc > 2 && i < REFERENCES; i++) {
        if (strcmp(argv[1], references[i]->name) == 0)
            options->reference = references[i];
    }
    if (!options->reference || (strcmp(argv[2], "c") != 0 && strcmp(argv[2], "opencl") != 0))
        return false;
    options->opencl = strcmp(argv[2], "opencl") == 0;
    memcpy(options->job.sizes, options->reference->sizes, sizeof options->job.sizes);
    for (int i = 3; i < argc; i++) {
        if (!take_option(options, argv[i])) {
            fprintf(stderr, "reference: unknown option '%s'\n", argv[i]);
            return false;
        }
    }
    return true;
}

/* ---- runs ----------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static Result run(Options *options)
{
    Result result = {.length = 0};
    if (options->opencl)
        options->reference->run_opencl(&options->job, &result);
    else
        options->reference->run_c(&options->job, &result);
    return result;
}

typedef struct Times {
    double wall, device;
    int64_t kernels;
} Times;

static Times timed(Options *options, Result *result)
{
    Device *device = options->job.device;
    Times times = {.device = -1};
    double begin = now();
    *result = run(options);
    times.wall = now() - begin;
    if (device) {
        times.kernels = device_take_launches(device);
        times.device = device_take_milliseconds(device);
    }
    return times;
}

static void print_times(const Options *options, const Times *times)
{
    for (int64_t i = 0; i < options->repeats; i++) {
        fprintf(stderr, "run %lld of %lld: %.6f ms", (long long)i + 1, (long long)options->repeats,
                times[i].wall);
        if (options->opencl)
            fprintf(stderr, ", %lld kernel%s", (long long)times[i].kernels,
                    times[i].kernels == 1 ? "" : "s");
        if (times[i].device >= 0)
            fprintf(stderr, ", %.6f ms on the device", times[i].device);
        fputc('\n', stderr);
    }
}

int main(int argc, char **argv)
{
    Options options = {.reference = NULL};
    if (argc == 2 && strcmp(argv[1], "--devices") == 0) {
        device_list();
        return 0;
    }
    if (!take_command_line(&options, argc, argv)) {
        usage(stderr);
        return 2;
    }
    if (options.opencl) {
        options.job.device = device_open(options.device, options.profile);
        device_build(options.job.device, options.reference->kernels);
    }
    options.job.state = options.reference->prepare(&options.job);
    Result first, last;
    timed(&options, &first);
    fputs(first.text, stdout);
    fflush(stdout);
    Times *times = make_memory((size_t)(options.repeats + 1) * sizeof *times);
    for (int64_t i = 0; i < options.repeats; i++) {
        times[i] = timed(&options, &last);
        if (strcmp(first.text, last.text) != 0) {
            fprintf(stderr, "reference: run %lld differs:\n%s", (long long)i + 1, last.text);
            return 1;
        }
    }
    print_times(&options, times);
    free(times);
    if (options.job.device)
        device_close(options.job.device);
    return 0;
}
