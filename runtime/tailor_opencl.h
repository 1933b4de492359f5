/* Devices, for generated OpenCL programs: buffers, transfers, kernels, failures that happen there.

   One queue in program order: a launch returns at once, and the host waits only where it needs a
   value. The kernels' text is compiled once for a device and kept on disk ($TAILOR_CACHE, else
   $XDG_CACHE_HOME/tailor/kernels, else ~/.cache/tailor/kernels).

       tl_cl_begin(&program);
       tl_cl_allocate(&y, n, sizeof(double));
       tl_cl_grid(&kernels[0], n, 3, (const tl_argument[]){TL_I64(n), TL_READS(x), TL_WRITES(y)});
       tl_cl_print(TL_F64, 1, (const int64_t[]){n}, y, 0);
       tl_cl_end(); */
#ifndef RUNTIME_TAILOR_OPENCL_H
#define RUNTIME_TAILOR_OPENCL_H

#include "tailor.h"

/* ---- programs and kernels -------------------------------------------------------------------- */

typedef struct tl_kernel {
    const char *name;     /* for --profile */
    const char *function; /* in the source: kernels that are the same share one */
    const char *place;    /* the APL that it computes, for --profile: "life.apl:3"; may be NULL */
    bool checks;          /* it may fail */
    bool arrives;     /* its groups count themselves: a parameter `volatile global int *arrived`,
                          TL_ARRIVALS counters, 0 before and after, comes after its own */
    int status_words; /* its groups wait for earlier ones, which publish so many words each; 0: they
                         do not. Two parameters more, `volatile global ulong *statuses`, a counter
                         that is 0 before and after, then the words, and `const uint launch`, an
                         even number that no word has in its upper half */
    int word; /* 1 + the number of the argument that is negative where the kernel has nothing to do: a
                 grid strides then (TL_ITEMS); 0: it always has */
} tl_kernel;

enum { TL_ARRIVALS = 4096 };

typedef struct tl_program {
    const char *source; /* OpenCL C, without runtime/scalar.h, which goes before it */
    const tl_kernel *kernels;
    int kernel_count;
    const tl_failure *failures;
    bool needs_f64, needs_f32, needs_i64_atomics;
    /* Whether any kernel checks. Then every kernel has a last parameter `const global int *failure`,
       not 0 after a failure; one that checks has `global int *failure` and two more, `global long
       *failure_values, const int own`, to be handed to tl_failed(failure, failure_values, own, item,
       1 + number, (long4)(a, b, c, d), (long4)(e, f, g, h)), and goes on while
       tl_goes_on(*failure, own). */
    bool checks;
} tl_program;

/* Chooses the device and builds the program. Requires tl_begin. Never returns without a usable
   device: says what is missing and exits 1. */
void tl_cl_begin(const tl_program *program);
/* Waits for everything, reports a failure if there was one, prints the profile if it was asked for.
 */
void tl_cl_end(void);
/* Which version of a computation suits the device: about how many work-items keep it busy, and how
   many of a group's work-items read memory together (1: each reads for itself, as on CPUs).
   TAILOR_WORK_ITEMS and TAILOR_LANES say otherwise. */
int64_t tl_cl_work_items(void);
int64_t tl_cl_lanes(void);
/* About how many bytes the device copies in the time in which the host waits for it once. TAILOR_COPIED_BYTES says
   otherwise. */
int64_t tl_cl_copied_bytes(void);
/* Whether products of matrices of doubles are made by units for them, 32 work-items together, in tiles of up to 48 KiB.
   TAILOR_MATRIX_UNITS says otherwise: 0 or 1; where there are none, 1 has loops do the same. */
bool tl_cl_matrix_units(void);
/* Whether kernels for processors run, where there are such. TAILOR_KERNELS says otherwise: cpu or gpu. */
bool tl_cl_is_processor(void);
/* How many groups such kernels have at most; 0: they do not run. */
int64_t tl_cl_processor_groups(void);
/* One line a device, numbered as --device takes it; the line of the default one is marked by *.
   Returns how many there are. */
int tl_list_devices(FILE *out);
/* What a library does with its device (tailor_library.h); the program is a tl_program. */
extern const struct tl_device_functions tl_cl_functions;

typedef struct tl_buffer tl_buffer;

typedef struct tl_argument {
    tl_buffer *buffer; /* NULL: a scalar */
    bool written;
    bool is_index; /* a tl_index of the kernel's: 32 bits in small launches */
    size_t size;
    union {
        uint8_t boolean;
        uint32_t character;
        int32_t i32;
        int64_t i64;
        float f32;
        double f64;
    } as;
} tl_argument;

#define TL_READS(b)                                                                                \
    {                                                                                              \
        .buffer = (b)                                                                              \
    }
#define TL_WRITES(b)                                                                               \
    {                                                                                              \
        .buffer = (b), .written = true                                                             \
    }
#define TL_BOOLEAN(x)                                                                              \
    {                                                                                              \
        .size = 1, .as.boolean = (uint8_t)(x)                                                      \
    }
#define TL_CHARACTER(x)                                                                            \
    {                                                                                              \
        .size = 4, .as.character = (x)                                                             \
    }
#define TL_INT32(x)                                                                                \
    {                                                                                              \
        .size = 4, .as.i32 = (x)                                                                   \
    }
#define TL_INDEX(x)                                                                                \
    {                                                                                              \
        .size = 8, .is_index = true, .as.i64 = (x)                                                 \
    }
#define TL_FLOAT32(x)                                                                              \
    {                                                                                              \
        .size = 4, .as.f32 = (x)                                                                   \
    }
#define TL_FLOAT64(x)                                                                              \
    {                                                                                              \
        .size = 8, .as.f64 = (x)                                                                   \
    }

/* What kernels of small launches multiply by to divide by x. */
#define TL_INVERSE(x)                                                                              \
    {                                                                                              \
        .size = 8, .as.i64 = tl_cl_inverse(x)                                                      \
    }

/* The same for doubles, in two words. */
#define TL_RECIPROCAL(x)                                                                           \
    {                                                                                              \
        .size = 8, .as.f64 = tl_cl_reciprocal(x)                                                   \
    }
#define TL_RECIPROCAL_LOW(x)                                                                       \
    {                                                                                              \
        .size = 8, .as.f64 = tl_cl_reciprocal_low(x)                                               \
    }

/* Kernels are compiled with int for tl_index, and with long where a launch is not small: where it
   has TL_SMALL iterations or TL_SMALL_GROUPS groups, an index argument of that magnitude, or a
   buffer of 2^31 bytes. */
enum { TL_SMALL = 1 << 29, TL_SMALL_GROUPS = 1 << 20 };
/* In the lower half a multiplier m, in the upper half a shift s, so that i / x is i * m >> s for i
   from 0 to below 2^31 and x below 2^31; 0 where x is 0 (Granlund and Montgomery 1994). */
int64_t tl_cl_inverse(int64_t x);
/* 1/x, rounded, and what is missing to 1/x, rounded; both 0 where x or its reciprocal is beyond
   2^200, x is 0 or no number. */
double tl_cl_reciprocal(double x);
double tl_cl_reciprocal_low(double x);

/* At least `items` work-items without cooperation; the kernel's first parameter is `items`
   (tl_index), then come the arguments. Nothing happens where items is not positive. */
void tl_cl_grid(const tl_kernel *kernel, int64_t items, int count, const tl_argument *arguments);
/* `groups` work-groups of `size` work-items. */
void tl_cl_groups(const tl_kernel *kernel, int64_t groups, size_t size, int count,
                  const tl_argument *arguments);
/* How many groups of 1024 work-items surely run at the same time, so that all may wait for each
   other: one a compute unit where groups may wait (tl_cl_looks_back), else 0; $TAILOR_RESIDENT says
   it of any device. */
int64_t tl_cl_resident_groups(void);
/* Whether a kernel for processors suits the launch better than one with so many work-items: the
   device is a processor, and there are groups for all its cores, or little to do. TAILOR_KERNELS
   (`cpu`, `gpu`) says what devices are. */
bool tl_cl_on_processor(int64_t most_groups, int64_t items);
/* Such a kernel, whose groups, of one work-item, share its work; there are `most` at most. After its parameters, and
   `arrived`, it has `volatile global int *shares`, with which tl_take_share gives each group its share. */
void tl_cl_shares(const tl_kernel *kernel, int64_t most, int count, const tl_argument *arguments);
/* Whether groups may wait for others that have started. That is known of some vendors' GPUs;
   $TAILOR_SCAN says it of any device with 64-bit atomic operations: `look-back`, or not: `phases`.
 */
bool tl_cl_looks_back(void);

/* ---- buffers ------------------------------------------------------------------------------- */

/* References are counted; a variable that holds one starts as NULL. Each of these drops what the
   variable held. Sizes as tl_allocate: negative or overflowing is a LIMIT ERROR, too much WS FULL.
 */
void tl_cl_allocate(tl_buffer **variable, int64_t count, size_t element_size);
/* Pieces of memory, each of `count` elements. */
typedef struct tl_pieces {
    int64_t pieces, count;
    size_t element_size;
} tl_pieces;
/* All of them are there for arrays to come, or as many as there is room for. */
void tl_cl_reserve(int size_count, const tl_pieces *sizes);
void tl_cl_alias(tl_buffer **variable, tl_buffer *source);
void tl_cl_release(tl_buffer **variable);
/* A buffer with these elements. */
void tl_cl_upload(tl_buffer **variable, int64_t count, size_t element_size, const void *elements);
/* A buffer with the elements of the entry's parameter. is_changed: the program stores into it. */
void tl_cl_parameter(tl_buffer **variable, int64_t count, size_t element_size, int parameter,
                     bool is_changed);
/* The elements, malloc'ed; waits. */
void *tl_cl_download(tl_buffer *buffer, int64_t start, int64_t count, size_t element_size);
/* count elements from source[source_index] to target[target_index]; they may be the same buffer. */
void tl_cl_copy(tl_buffer *target, int64_t target_index, tl_buffer *source, int64_t source_index,
                int64_t count, size_t element_size);

/* Single elements on the host. Neighbouring ones travel together. */
void tl_cl_load(tl_buffer *buffer, int64_t index, size_t element_size, void *element);
void tl_cl_store(tl_buffer *buffer, int64_t index, size_t element_size, const void *element);

#define TL_CL_ELEMENT(name, type)                                                                  \
    static inline type tl_cl_load_##name(tl_buffer *buffer, int64_t index)                         \
    {                                                                                              \
        type element;                                                                              \
        tl_cl_load(buffer, index, sizeof element, &element);                                       \
        return element;                                                                            \
    }                                                                                              \
    static inline void tl_cl_store_##name(tl_buffer *buffer, int64_t index, type element)          \
    {                                                                                              \
        tl_cl_store(buffer, index, sizeof element, &element);                                      \
    }
TL_CL_ELEMENT(bool, bool)
TL_CL_ELEMENT(char, uint32_t)
TL_CL_ELEMENT(i32, int32_t)
TL_CL_ELEMENT(i64, int64_t)
TL_CL_ELEMENT(f32, float)
TL_CL_ELEMENT(f64, double)
#undef TL_CL_ELEMENT

/* ---- loops that the host runs ahead in -------------------------------------------------------- */

/* A loop's device decides whether it goes on, at one place or several in each step, while the host starts
   further steps. The loop has a word, `ahead` in backend/kernel.h, which its kernels read before they do anything.
   Such loops do not nest. */

/* A scalar of the host's. */
typedef struct tl_scalar {
    void *variable;
    size_t size; /* 8 bytes at most */
} tl_scalar;

/* Before the loop: makes the word, an i64, 0. */
void tl_cl_begin_ahead(tl_buffer **word, int places);
/* In each step, at each place, after the kernel that decides: whether the loop ends here. It may say
   no, without looking, where it does, and in what comes after it, which is no step. In the end it looks,
   and when it is asked at that place, the buffers and scalars have what they had there in that step. */
bool tl_cl_is_last(int place, int buffer_count, tl_buffer **const *buffers, int scalar_count,
                   const tl_scalar *scalars);
/* Waits; whether a step before was the last. Then tl_cl_is_last says so at its place. */
bool tl_cl_was_last(void);

/* ---- order of failures and effects ----------------------------------------------------------- */

/* Waits for kernels that may have failed, and reports if one did. Before each effect. */
void tl_cl_check(void);
/* Waits for everything, then as tl_cl_check. Before the clock is read. */
void tl_cl_wait(void);
/* A check on the host failed; a failure on the device that came before it wins. */
_Noreturn void tl_cl_fail(const tl_failure *failure, const tl_value *values);
/* After each run of the entry, as tl_again: waits for everything first. */
bool tl_cl_again(void);
/* tl_result of a buffer. */
void tl_cl_result(tl_type type, int rank, const int64_t *shape, tl_buffer *buffer, int64_t start);
/* tl_print of a buffer. */
void tl_cl_print(tl_type type, int rank, const int64_t *shape, tl_buffer *buffer, int64_t start);
void tl_cl_print_complex(tl_type type, int rank, const int64_t *shape, tl_buffer *buffer,
                         int64_t start);

#endif
