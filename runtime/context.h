/* Where a running program keeps what it knows: its command line, its memory, the values of the
   entry that runs, its device. Private to the runtime.

       a program     one process, one context: tl_program_context, where tl_fail ends the process
       a library     a context each tl_library_open; tl_library_call makes it the thread's present
                     one for the time of the call, and tl_fail ends the call (library.c)

   Functions that generated code calls find the context in a variable of the thread, so generated
   code reads the same in programs and in libraries, and contexts of several threads run side by
   side. */
#ifndef RUNTIME_CONTEXT_H
#define RUNTIME_CONTEXT_H

#include "runtime/tailor_library.h"
#include "runtime/values.h"

#include <setjmp.h>
#include <time.h>

/* program.c: what the command line said, the clock's beginning, the random generator's state,
   how many digits are printed. */
typedef struct tl_program_state {
    const char *name;
    const char *const *parameters;
    const char **values;         /* as given, NULL where not; parallel to parameters */
    const char *device, *repeat; /* --device, --repeat */
    bool profile;
    int entry_count;
    const tl_entry *entries;
    const char *entry, *output; /* --entry, --output */
    int word_count;             /* values for the entry's parameters */
    char **words;
    struct timespec begin;
    int64_t seed, drawn, precision;
} tl_program_state;

/* memory.c: the blocks in use, and blocks that nobody holds: large ones, oldest first, and small ones by their size. */
enum { TL_MOST_SPARE = 8, TL_SMALL_SIZES = 11 };
typedef struct tl_memory_state {
    tl_block *in_use;
    size_t held;     /* bytes of blocks in use */
    size_t physical; /* bytes of memory that the machine has; 0: nobody has asked */
    tl_block *spare[TL_MOST_SPARE];
    int spare_count;
    tl_block *small[TL_SMALL_SIZES]; /* lists */
    int small_counts[TL_SMALL_SIZES];
} tl_memory_state;

/* repeat.c: one run for the clock. */
typedef struct tl_timed_run {
    int64_t nanoseconds, kernels;
    double device; /* milliseconds; below 0: not known */
} tl_timed_run;
/* All of them (--repeat=N). */
typedef struct tl_repeat_state {
    int64_t wanted, done;
    bool is_silent;  /* a timed run is under way */
    bool is_stopped; /* its clock */
    struct timespec begin;
    tl_timed_run now, *runs;
} tl_repeat_state;

/* entries.c: the values of the entry that runs. */
typedef struct tl_run_state {
    const tl_entry *entry;
    const tl_parameter **sources; /* for each size the array that told it */
    tl_array *values;             /* one a parameter */
    bool is_borrowed;             /* values other than sizes are the caller's */
    const char *output;           /* --output; NULL: standard output */
    const tl_failure *at;         /* tl_at; NULL before the first */
    const tl_taken *taken;        /* a library's: where results go; NULL in programs */
    int result_count;             /* given so far */
} tl_run_state;

/* library.c: how a failure gets out of a call. */
typedef struct tl_call_state {
    jmp_buf *out;     /* NULL in programs: the process ends */
    int status;       /* of the last call, or of opening */
    char *error;      /* its text, malloc'ed; NULL where memory ran out even for that */
    bool is_unusable; /* the device could not be opened */
} tl_call_state;

struct tl_context {
    tl_program_state program;
    tl_memory_state memory;
    tl_repeat_state repeat;
    tl_run_state run;
    tl_call_state call;
    /* A device's: opencl.c, opencl_buffer.c and opencl_ahead.c; NULL where there is none. */
    struct tl_cl_state *cl;
    struct tl_buffer_state *buffers;
    struct tl_ahead_state *ahead;
    const tl_device_functions *device; /* NULL as long as there is nothing to close */
};

extern tl_context tl_program_context;
extern _Thread_local tl_context *tl_current;

/* program.c: what a context begins with. */
void tl_program_start(tl_program_state *program, const char *name);
/* memory.c: what the present context holds, and what it keeps for later. */
void tl_free_blocks(void);
void tl_free_spare(void);
bool tl_fits_memory(size_t bytes);
/* entries.c: the entry that runs now; a parameter's value, checked against the ones before it. */
void tl_entry_begin(const tl_entry *entry, const char *output);
void tl_entry_set(int parameter, tl_array value);
void tl_entry_free(void);
/* library.c: ends the call with the error in words; requires tl_current->call.out. */
_Noreturn void tl_library_fail(const char *error, const char *text);

#endif
