/* What the files of the OpenCL runtime share. Private to runtime/opencl*.c. */
#ifndef RUNTIME_OPENCL_H
#define RUNTIME_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "runtime/context.h"
#include "runtime/tailor_opencl.h"
#include <CL/cl.h>

/* ---- opencl_device.c ------------------------------------------------------------------------ */

typedef struct tl_device {
    cl_platform_id platform;
    cl_device_id device;
    cl_device_type type;
    char name[256], platform_name[256], platform_version[256], driver[256];
    cl_ulong memory, largest_buffer; /* bytes */
    cl_ulong local_memory;           /* bytes, of a work-group */
    size_t group_size;               /* most work-items of a group */
    cl_uint compute_units;
    cl_uint vendor;     /* a PCI number, of most */
    cl_uint capability; /* NVIDIA's compute capability, 90 for 9.0; 0: another one's */
    bool is_processor;  /* kernels for processors suit it */
    bool has_f64, has_i64_atomics, divides_f32_correctly;
} tl_device;

/* "CL_OUT_OF_RESOURCES"; a number in words where the name is not known. */
const char *tl_cl_error_name(cl_int error);
/* Ends the program where a call did not succeed: WS FULL where memory ran out, else DEVICE ERROR
   with the call's and the error's name. */
void tl_cl_require(cl_int error, const char *call);
/* The device that the option names (see tailor_opencl.h); ends the program where there is none. */
tl_device tl_choose_device(const char *option);

/* See tl_cl_looks_back. */
bool tl_device_looks_back(const tl_device *device);
/* See tl_cl_matrix_units: the compute capability whose instructions there are, 1 where there are none and it is said
   that there be; 0: no. */
cl_uint tl_device_matrix_units(const tl_device *device);
/* See tl_cl_resident_groups. */
int64_t tl_device_resident_groups(const tl_device *device);
/* The variable's number, where it is one and at least `least`. */
int64_t tl_from_environment(const char *name, int64_t least, int64_t otherwise);

/* ---- opencl_near.c -------------------------------------------------------------------------- */

/* The OpenCL C text of tl_exp_near, tl_log_near, tl_sin_near, tl_cos_near and tl_pow_near. */
extern const char tl_near_text[];

/* ---- opencl_program.c ----------------------------------------------------------------------- */

/* Compiles the program for the device, with tl_index for small launches or for all, or takes what
   was compiled before from the cache on disk. */
cl_program tl_build_program(cl_context context, const tl_device *device, const tl_program *program,
                            bool small);

/* ---- opencl_arguments.c --------------------------------------------------------------------- */

/* What a kernel's argument was last set to. */
typedef struct tl_set {
    size_t size; /* 0: not set */
    char value[8];
} tl_set;

/* A kernel object. */
typedef struct tl_compiled {
    cl_kernel kernel;
    size_t group_size; /* most work-items of a group of this kernel */
    tl_set *arguments;
    unsigned generation; /* of buffers, when the arguments were set */
    long last_launch;
} tl_compiled;

/* Objects of one kernel: two for a loop that reads one buffer and writes the other, one for where
   it begins. */
enum { TL_TURNS = 3 };

/* See TL_SMALL. */
bool tl_is_small(int64_t iterations, int64_t limit, int count, const tl_argument *arguments);
/* Sets an argument, unless it is what it was; an index is 32 bits wide in small launches. */
void tl_set_argument(tl_compiled *compiled, int index, size_t size, const void *value);
void tl_set_index(tl_compiled *compiled, int index, bool small, int64_t value);
/* Which object launch number `launch` is of: that whose arguments from `first` on are these buffers,
   else the one that was not launched for the longest time. */
tl_compiled *tl_whose_turn(tl_compiled turns[TL_TURNS], long launch, int first, int count,
                           const tl_argument *arguments);

/* ---- opencl.c ------------------------------------------------------------------------------- */

/* tl_fatal after the kernels launched so far: a failure of theirs came first and wins. */
_Noreturn void tl_cl_fatal(const char *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* After each call that enqueues: whether the queue is empty then, as it is after blocking ones. */
void tl_queue_is_idle(bool is_idle);
/* Waits for the queue, where there may be something in it. */
void tl_cl_finish(void);
/* Work-items of all launches so far. */
int64_t tl_items_launched(void);

/* ---- opencl_buffer.c ------------------------------------------------------------------------ */

void tl_open_buffers(cl_context context, cl_command_queue queue, const tl_device *device);
/* Requires that the queue is empty. */
void tl_close_buffers(void);
/* Releases every buffer that is still in use. */
void tl_release_buffers(void);
/* Waits for the queue and reads. */
void tl_read_memory(cl_mem memory, size_t offset, size_t size, void *data);
/* The memory, up to date, for a kernel that reads it or also writes it. */
cl_mem tl_buffer_for_kernel(tl_buffer *buffer, bool written);
/* Counts releases of device memory: arguments set before the last one may name memory that is gone.
 */
unsigned tl_buffer_generation(void);
/* Lines of the profile: transfers, and pieces of device memory, with their bytes. */
void tl_print_transfers(FILE *out);
/* Bytes that the program asked for. */
size_t tl_buffer_size(const tl_buffer *buffer);
/* Less than half of the device's memory is taken. */
bool tl_memory_is_plenty(void);

/* What a variable held, and may hold again, though the memory may have gone to the pool, and to
   others, meanwhile. */
typedef struct tl_held {
    tl_buffer *buffer; /* may be NULL */
    size_t size;
} tl_held;
/* Until it is forgotten, the memory does not go back to the device. */
tl_held tl_hold_buffer(tl_buffer *buffer);
void tl_forget_buffer(tl_held held);
/* A new reference to it; requires that nobody has it who is going to keep it for something else. */
tl_buffer *tl_take_again(tl_held held);

/* ---- opencl_ahead.c ------------------------------------------------------------------------- */

/* A loop that did not come to its end leaves nothing behind; before buffers are released. */
void tl_stop_ahead(void);
/* The end; nothing is held any more. */
void tl_close_ahead(void);

#endif
