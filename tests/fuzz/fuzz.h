/* What a fuzz target is made of.

   A target is a file of this folder that defines fuzz_input. Two programs are made of it: with
   libFuzzer, which invents inputs (`make fuzz`), and with replay.c, which runs the files that it is
   given (the tests). An input is a finding where the target aborts, exits, leaks, or does what a
   sanitizer reports, and for libFuzzer where it takes too long; that a program is in error is none.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "driver/pipeline.h"

/* One input: a file's bytes. */
void fuzz_input(const uint8_t *bytes, size_t size);

/* Ends the process: what must hold does not. */
_Noreturn void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The bytes as a program in a file of that name, at the beginning of its way; the passes' results
   are checked. fuzz_end shows the diagnostics to nobody and frees all that the program took. */
Pipeline fuzz_begin(const char *name, const void *bytes, size_t size);
void fuzz_end(Pipeline *p);

/* The seconds of processor time that the slowest input so far took, and its size. */
typedef struct FuzzSlowest {
    double seconds;
    size_t size;
} FuzzSlowest;
FuzzSlowest fuzz_slowest(void);
/* Runs one input, timed. */
void fuzz_run(const uint8_t *bytes, size_t size);

#endif
