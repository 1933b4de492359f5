/* The runtime that generated programs link with. It knows nothing of the compiler.

   Two static libraries are built from this folder: libtailor.a (no OpenCL; needs libm) and
   libtailor_opencl.a (opencl*.c on top; needs libOpenCL). The `tailor` command itself links
   libtailor.a, so the interpreter prints and reads as generated programs do.
 */
#ifndef RUNTIME_TAILOR_H
#define RUNTIME_TAILOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum tl_type {
    TL_BOOL,
    TL_CHAR,
    TL_I32,
    TL_I64,
    TL_F32,
    TL_F64
} tl_type; /* order of CorePrim */

size_t tl_type_size(tl_type type); /* bytes: 1 4 4 8 4 8 */

/* ---- failures (program.c) ------------------------------------------------------------------ */

/* Values that a failure may name. As core's CORE_MOST_VALUES. */
enum { TL_FAILURE_VALUES = 8 };
/* One row of a generated program's table of what its checks report. */
typedef struct tl_failure {
    const char *error;       /* "LENGTH ERROR" */
    const char *message;     /* "{} and {}", filled from the values; may be "" */
    const char *place;       /* "life.apl:3:7"; NULL where there is none */
    const char *source_line; /* NULL where there is none */
    const char *caret_line;
    int value_count;
    tl_type value_types[TL_FAILURE_VALUES];
} tl_failure;

/* A failing value: an int64 or a double, by the table's type. */
typedef union tl_value {
    int64_t integer;
    double real;
} tl_value;

/* Flushes standard output, writes `place: ERROR: message`, the source line and the caret to
   standard error (the very text that the compiler's diagnostics have), ends with exit code 1. */
_Noreturn void tl_fail(const tl_failure *failure, const tl_value *values);
/* What follows computes the APL at this place, for errors that the runtime finds itself. */
void tl_at(const tl_failure *place);
/* The same for an error that is in no table, at the place of the last tl_at, if any:
   tl_fatal("WS FULL", "%zu bytes", n). */
_Noreturn void tl_fatal(const char *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The message with each {} filled by the next value, numbers as they are printed; cut off at `size`
   bytes with the NUL. */
void tl_fill_message(char *text, size_t size, const char *message, int count, const tl_type *types,
                     const tl_value *values);

/* ---- program (program.c) ------------------------------------------------------------------- */

/* Call first in main. Understands --NAME=VALUE and --NAME VALUE for program arguments, --help,
   --device=D (OpenCL programs), --profile, --repeat=N; a usage error exits 2. `parameters` is a
   NULL-terminated list of the names of program arguments that the program asks for, used by --help
   and to refuse others; NULL entries end it. */
void tl_begin(int argc, char **argv, const char *program_name, const char *const *parameters);
/* Call last: flushes; returns main's exit code (1 where standard output could not be written). */
int tl_end(void);
/* The same for a program whose entries take values and give results: also understands --entry=NAME,
   --output=FILE, and values in the order of the entry's parameters. Reads them all, and says which
   entry to run. A value that is wrong ends the program with exit code 1. */
struct tl_entry;
int tl_begin_entries(int argc, char **argv, const char *program_name, const char *const *parameters,
                     int entry_count, const struct tl_entry *entries);
/* Options of the command line, for opencl.c: NULL where not given. TAILOR_DEVICE is the default. */
const char *tl_device_option(void);
bool tl_profile_option(void);

/* A number that the type has no room for ends the program, as one that is misspelled does. */
int64_t tl_argument_int(const char *name, int64_t fallback);
int32_t tl_argument_int32(const char *name, int32_t fallback);
double tl_argument_real(const char *name, double fallback);
float tl_argument_real32(const char *name, float fallback);
int64_t tl_now(void);            /* milliseconds since tl_begin */
int64_t tl_draws(int64_t count); /* reserves random draws, returns the first */
void tl_seed(int64_t seed);      /* and draws begin at 0 again; 16807 at first */
int64_t tl_seed_now(void);
enum { TL_MOST_PRECISION = 17 };
void tl_precision(int64_t digits); /* significant digits of reals, ⎕PP: 1 to 17; 10 at first */
int64_t tl_precision_now(void);
int64_t tl_random(int64_t seed, int64_t draw); /* CORE_RANDOM: Philox4x32-10 */
void tl_bench(int64_t iterations,
              int64_t milliseconds); /* ITERATIONS:, TIMING:, AVGTIMING: on standard error */

/* ---- timed runs (repeat.c) ------------------------------------------------------------------ */

/* After each run of the entry: whether to run it again, for the clock (--repeat=N). The last call
   prints the times. */
bool tl_again(void);
void tl_repeat(int64_t count); /* that many timed runs; called by tl_begin */
bool tl_repeats(void);         /* whether --repeat was given */
bool tl_is_silent(void);       /* whether a timed run is under way: nothing is printed or written */
/* Around what the clock is not to count. */
void tl_stop_clock(void);
void tl_start_clock(void);
/* What this run launched, and how long that took on the device (below 0: not known). */
void tl_note_kernels(int64_t kernels, double milliseconds);

/* ---- entries (entries.c; values.c, put_values.c and npy.c read and write the values) --------- */

/* An extent of a parameter: the value of another one, or a constant. */
typedef struct tl_extent {
    int parameter; /* its position; -1: the constant */
    int64_t constant;
} tl_extent;

typedef struct tl_parameter {
    const char *name;      /* "xs" */
    const char *type_text; /* "[n]f64" */
    tl_type type;
    int rank;
    const tl_extent *extents; /* rank of them */
} tl_parameter;

typedef struct tl_result_type {
    const char *type_text;
    tl_type type;
    int rank;
} tl_result_type;

typedef struct tl_entry {
    const char *name;
    const char *signature; /* "(xs : [n]f64) : (f64)" */
    int size_count;        /* the first parameters, i64: nobody gives them, the shapes tell them */
    int parameter_count;
    const tl_parameter *parameters;
    int result_count;
    const tl_result_type *results;
} tl_entry;

/* The value of the chosen entry's parameter: row-major elements, and its extents. They stay until
   tl_parameter_done. */
const void *tl_parameter_data(int parameter);
const int64_t *tl_parameter_shape(int parameter);
void tl_parameter_done(int parameter);
/* The next result: printed on a line as it would be given, or written to the file of --output. */
void tl_result(tl_type type, int rank, const int64_t *shape, const void *data);

/* ---- printing and ⍕ (spell.c, format.c, format_fields.c) ------------------------------------ */

/* Prints as an APL session shows: vectors as one line, matrices with
   right-aligned columns, higher ranks as planes with an empty line between, chars as text;
   tl_precision_now() significant digits; ¯ for minus, ∞. An empty vector is an empty line; an empty
   matrix prints nothing. */
void tl_print(FILE *out, tl_type type, int rank, const int64_t *shape, const void *data);
/* The same of complex numbers: shape[0] is 2, first all real parts, then all imaginary parts. A
   number whose imaginary part is 0 is printed as its real part. */
void tl_print_complex(FILE *out, tl_type type, int rank, const int64_t *shape, const void *data);
/* One scalar as printed with that many digits; at most 64 bytes with the NUL. UTF-8. */
void tl_format_scalar(char *text, tl_type type, const void *value, int digits);
/* The characters that printing with that many digits shows (⍕x), as code points, malloc'ed: as many
   rows as x has, of `*columns` characters each. Scalars and vectors have one row. */
uint32_t *tl_format(int64_t digits, tl_type type, int rank, const int64_t *shape, const void *data,
                    int64_t *columns);
/* The same of complex numbers, as tl_print_complex takes them. */
uint32_t *tl_format_complex(int64_t digits, tl_type type, int rank, const int64_t *shape,
                            const void *data, int64_t *columns);
/* The same of real numbers in fields (p⍕x): column j of x has width fields[2j] and fields[2j+1]
   decimals, negative: that many digits in scaled form. The pairs repeat; one number alone is
   decimals for width 0, which is as wide as needed after a blank. Numbers beyond TL_FIELD_LIMIT
   count as that. */
enum { TL_FIELD_LIMIT = 1000 };
uint32_t *tl_format_fields(int64_t count, const int64_t *fields, tl_type type, int rank,
                           const int64_t *shape, const void *data, int64_t *columns);

/* ---- reading (read.c) ---------------------------------------------------------------------- */

/* Numbers separated by white space or commas (type TL_I32 .. TL_F64; "-" and "¯" both negate; whole
   numbers only for ints), or the characters of a UTF-8 text file (TL_CHAR). The file name is given
   in code points. malloc'ed. On failure returns NULL with *problem set to one line that names the
   file ("data.txt: No such file or directory", "data.txt:3: 'abc' is not a number"). */
/* *problem stays valid until the thread's next tl_read. */
void *tl_read(tl_type type, const char *file, int64_t *count, const char **problem);
/* What a file holds, and the ranks that it may have. */
typedef enum tl_file_format {
    TL_TEXT, /* what tl_read reads: 1 */
    TL_CSV,  /* rows of as many numbers each, separated by blanks, commas or semicolons: 2 */
    TL_NPY   /* NumPy's arrays, of the same kind of elements: 1 and more */
} tl_file_format;
/* An array of this rank from a file; else as tl_read. */
void *tl_read_array(tl_file_format format, tl_type type, int rank, const char *file, int64_t *shape,
                    const char **problem);
/* The name of the error behind the thread's last *problem: DOMAIN ERROR, or WS FULL. */
const char *tl_read_error(void);
/* The same for generated programs: fails with that error and this place. */
void *tl_read_or_fail(const tl_failure *place, tl_file_format format, tl_type type, int rank,
                      const uint32_t *file, int64_t length, int64_t *shape);
/* One number, spelled as in files; false with *problem set to what is wrong with it ("is not a
 * number"). */
bool tl_parse_number(tl_type type, const char *text, void *value, const char **problem);
/* UTF-8 from code points, malloc'ed. */
char *tl_utf8(const uint32_t *text, int64_t length);

/* ---- memory of sequential programs (memory.c) ---------------------------------------------- */

/* Reference-counted blocks; tl_allocate never returns NULL (WS FULL). Negative or overflowing
   sizes are a LIMIT ERROR. */
typedef struct tl_block tl_block;
tl_block *tl_allocate(int64_t count, size_t element_size);
/* A block that holds these elements. Here rather than in generated programs since GCC 12 mistakes a
   constant whose upper half is 0, such as {3, 3, 0, 0}, for {3, 3, 3, 3} where it can see into the
   copy. */
tl_block *tl_block_of(const void *elements, int64_t count, size_t element_size);
void *tl_data(tl_block *block);
tl_block *tl_retain(tl_block *block);
void tl_release(tl_block *block); /* NULL is allowed */

#endif
