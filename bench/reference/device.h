/* An OpenCL device for hand-written kernels: an in-order queue, a program from
   bench/reference/NAME.cl, its kernels and buffers. What fails ends the program with a message. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Device Device;

/* The device whose number or part of whose name this is; NULL: the first GPU, else the first. */
Device *device_open(const char *wanted, bool profile);
void device_close(Device *device);
/* Prints every device and its driver: "0  NVIDIA H200 (driver 580.65)". */
void device_list(void);

void device_build(Device *device, const char *program_name); /* common.cl and NAME.cl */
cl_kernel device_kernel(Device *device, const char *name);
cl_mem device_buffer(Device *device, size_t size, const void *content); /* content may be NULL */
void device_set(cl_kernel kernel, unsigned index, size_t size, const void *value);
#define DEVICE_SET(kernel, index, value) device_set(kernel, index, sizeof(value), &(value))

void device_launch(Device *device, cl_kernel kernel, size_t items, size_t group);
void device_launch_2d(Device *device, cl_kernel kernel, const size_t items[2],
                      const size_t group[2]);
/* Waits for everything before. */
void device_read(Device *device, cl_mem buffer, size_t size, void *target);

/* How many groups keep the device busy: several a compute unit. */
size_t device_groups(const Device *device);
bool device_is_gpu(const Device *device);
/* Kernels launched since the last call, and their time where profiling (else -1). */
int64_t device_take_launches(Device *device);
double device_take_milliseconds(Device *device);

/* A reduction in one kernel: the group that finishes last combines what the groups have left. The
   kernel's last four arguments, from `index` on, are a buffer of one value a group, the number of
   groups that have finished, the result, and the groups' local memory. */
typedef struct Reduction {
    cl_kernel kernel;
    cl_mem result;
    size_t groups, size; /* launch: groups of so many work-items */
    size_t value_size;
} Reduction;

Reduction device_reduction(Device *device, const char *kernel, unsigned index, size_t value_size,
                           size_t groups, size_t group_size);
void device_reduce(Device *device, const Reduction *reduction, void *result);

#endif
