/* Timed runs of a program, for measurements: --repeat=N.

       $ integral --repeat=3
       3.583518938
       run 1 of 3: 0.061203 ms, 1 kernel           (on standard error; with --profile also
       run 2 of 3: 0.047118 ms, 1 kernel            ", 0.040132 ms on the device")
       run 3 of 3: 0.046927 ms, 1 kernel

   The program's entry runs once as it always does, then N times for the clock. These print nothing
   and write nothing. Each begins in the same state: random numbers begin anew, parameters have
   their values again. What the clock does not count: starting, choosing a device, compiling kernels
   (all in the run before), reading files, transfers of whole arrays to the device, and output.

       main:  do { entry_1_main(); } while (tl_again());
*/
#include "runtime/context.h"
#include "runtime/entries.h"
#include <stdlib.h>

static tl_repeat_state *repeat(void)
{
    return &tl_current->repeat;
}

void tl_repeat(int64_t count)
{
    free(repeat()->runs);
    repeat()->runs = calloc((size_t)count, sizeof *repeat()->runs);
    if (!repeat()->runs) {
        tl_fatal("WS FULL", "%lld runs", (long long)count);
    }
    repeat()->wanted = count;
    repeat()->done = 0;
    repeat()->is_silent = false;
}

bool tl_repeats(void)
{
    return repeat()->wanted > 0;
}

bool tl_is_silent(void)
{
    return repeat()->is_silent;
}

void tl_stop_clock(void)
{
    struct timespec end;
    if (!repeat()->is_silent || repeat()->is_stopped) {
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    repeat()->now.nanoseconds += (int64_t)(end.tv_sec - repeat()->begin.tv_sec) * 1000000000 +
                                 (end.tv_nsec - repeat()->begin.tv_nsec);
    repeat()->is_stopped = true;
}

void tl_start_clock(void)
{
    if (!repeat()->is_silent) {
        return; /* a library's calls may be here in several threads: nothing is written */
    }
    repeat()->is_stopped = false;
    clock_gettime(CLOCK_MONOTONIC, &repeat()->begin);
}

void tl_note_kernels(int64_t kernels, double milliseconds)
{
    repeat()->now.kernels = kernels;
    repeat()->now.device = milliseconds;
}

static void print_runs(void)
{
    fflush(stdout);
    for (int64_t i = 0; i < repeat()->wanted; i++) {
        const tl_timed_run *run = &repeat()->runs[i];
        fprintf(stderr, "run %lld of %lld: %.6f ms", (long long)i + 1, (long long)repeat()->wanted,
                (double)run->nanoseconds * 1e-6);
        if (run->kernels >= 0) {
            fprintf(stderr, ", %lld kernel%s", (long long)run->kernels,
                    run->kernels == 1 ? "" : "s");
        }
        if (run->device >= 0) {
            fprintf(stderr, ", %.6f ms on the device", run->device);
        }
        fputc('\n', stderr);
    }
}

bool tl_again(void)
{
    if (!tl_repeats()) {
        return false;
    }
    tl_stop_clock();
    if (repeat()->is_silent) {
        repeat()->runs[repeat()->done++] = repeat()->now;
    }
    if (repeat()->done == repeat()->wanted) {
        print_runs();
        free(repeat()->runs);
        repeat()->runs = NULL;
        repeat()->wanted = 0;
        repeat()->is_silent = false;
        return false;
    }
    tl_start_over();
    repeat()->now = (tl_timed_run){.kernels = -1, .device = -1};
    repeat()->is_silent = true;
    tl_start_clock();
    return true;
}
