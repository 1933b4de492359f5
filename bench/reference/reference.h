/* Hand-written versions of the measured programs, for comparison: sequential C and OpenCL.

   Each FILE.c has a Reference: what runs for the clock, in C and on an OpenCL device. They do the
   work of apl-examples/FILE.apl with the same algorithm, on doubles and integers, and print the
   same results. What is tuned is how, not what: vectors, registers, loop order, the number of
   kernels and of passes over memory, integers in fewer bits where they are known to fit. No step is
   left out (a point of Mandelbrot's set that has left takes all its steps; a Sobol point is not
   computed from the one before). Results that are not sums are the program's bit for bit:
   operations have its operands in its order, divisions are divisions. Sums may add in any order,
   and sin, exp and the like are those of the platform's library. */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bench/reference/device.h"

enum { MOST_SIZES = 2, MOST_VALUES = 16 };

/* What a run gives, as text: numbers in rows, as the APL program prints them. */
typedef struct Result {
    char text[1024];
    size_t length;
} Result;

void give_int(Result *result, int64_t value, char end); /* end: ' ' in a row, or '\n' */
void give_real(Result *result, double value, char end);

typedef struct Job {
    int64_t sizes[MOST_SIZES];
    Device *device; /* NULL for C */
    void *state;    /* what prepare made */
} Job;

typedef struct Reference {
    const char *name, *kernels;         /* of the APL program; of the .cl file */
    const char *size_names[MOST_SIZES]; /* program arguments; NULL: fewer */
    int64_t sizes[MOST_SIZES];          /* as in the APL program */
    /* Before the clock: reads files, allocates, makes kernels and buffers. */
    void *(*prepare)(Job *job);
    void (*run_c)(Job *job, Result *result);
    void (*run_opencl)(Job *job, Result *result);
} Reference;

extern const Reference reference_integral, reference_signal, reference_life, reference_easter,
    reference_blackscholes, reference_sobol_pi, reference_hotspot, reference_mandelbrot_outside,
    reference_mandelbrot_inside;

/* ---- for the files of programs --------------------------------------------------------------- */

void *
make_memory(size_t size); /* zeros, at a multiple of 64; ends the program where there is none */
/* All numbers of a text file, `count` of them; ends the program where there are others. */
double *read_reals(const char *file, int64_t count);

#endif
