/* The host's side of hand-written OpenCL: see device.h. */
#include "bench/reference/device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 64, MOST_EVENTS = 4096, GROUPS_A_GPU_UNIT = 8, GROUPS_A_CPU_UNIT = 4 };

struct Device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_uint units;
    bool is_gpu, profile;
    int64_t launches;
    cl_event events[MOST_EVENTS];
    int event_count;
    double milliseconds;
};

static void require(cl_int error, const char *call)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "reference: %s: error %d\n", call, (int)error);
        exit(1);
    }
}

/* ---- devices -------------------------------------------------------------------------------- */

static int all_devices(cl_device_id *devices)
{
    cl_platform_id platforms[MOST_DEVICES];
    cl_uint platform_count = 0;
    int count = 0;
    if (clGetPlatformIDs(MOST_DEVICES, platforms, &platform_count) != CL_SUCCESS)
        return 0;
    for (cl_uint i = 0; i < platform_count && i < MOST_DEVICES; i++) {
        cl_uint more = 0, room = (cl_uint)(MOST_DEVICES - count);
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, room, devices + count, &more) ==
            CL_SUCCESS)
            count += (int)(more < room ? more : room);
    }
    return count;
}

static void device_text(cl_device_id device, cl_device_info what, char *text, size_t size)
{
    text[0] = '\0';
    clGetDeviceInfo(device, what, size, text, NULL);
}

static bool is_gpu(cl_device_id device)
{
    cl_device_type type = 0;
    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    return type & CL_DEVICE_TYPE_GPU;
}

void device_list(void)
{
    cl_device_id devices[MOST_DEVICES];
    int count = all_devices(devices);
    for (int i = 0; i < count; i++) {
        char name[256], driver[256];
        device_text(devices[i], CL_DEVICE_NAME, name, sizeof name);
        device_text(devices[i], CL_DRIVER_VERSION, driver, sizeof driver);
        printf("%d  %s (driver %s)\n", i, name, driver);
    }
}

static cl_device_id choose(const char *wanted)
{
    cl_device_id devices[MOST_DEVICES];
    int count = all_devices(devices);
    for (int i = 0; i < count; i++) {
        char name[256], number[16];
        device_text(devices[i], CL_DEVICE_NAME, name, sizeof name);
        snprintf(number, sizeof number, "%d", i);
        if (wanted ? strcmp(wanted, number) == 0 || strcasestr(name, wanted) : is_gpu(devices[i]))
            return devices[i];
    }
    if (count == 0 || wanted) {
        fprintf(stderr, "reference: no OpenCL device%s%s\n", wanted ? " " : "",
                wanted ? wanted : "");
        exit(1);
    }
    return devices[0];
}

Device *device_open(const char *wanted, bool profile)
{
    cl_int error;
    Device *device = calloc(1, sizeof *device);
    if (!device)
        require(CL_OUT_OF_HOST_MEMORY, "calloc");
    device->id = choose(wanted);
    device->is_gpu = is_gpu(device->id);
    device->profile = profile;
    clGetDeviceInfo(device->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof device->units, &device->units,
                    NULL);
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
    require(error, "clCreateContext");
    device->queue = clCreateCommandQueue(device->context, device->id,
                                         profile ? CL_QUEUE_PROFILING_ENABLE : 0, &error);
    require(error, "clCreateCommandQueue");
    return device;
}

void device_close(Device *device)
{
    if (device->program)
        clReleaseProgram(device->program);
    clReleaseCommandQueue(device->queue);
    clReleaseContext(device->context);
    free(device);
}

size_t device_groups(const Device *device)
{
    return (size_t)device->units * (device->is_gpu ? GROUPS_A_GPU_UNIT : GROUPS_A_CPU_UNIT);
}

bool device_is_gpu(const Device *device)
{
    return device->is_gpu;
}

/* ---- programs ------------------------------------------------------------------------------- */

static char *read_source(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "bench/reference/%s.cl", name);
    FILE *in = fopen(path, "rb");
    char *text = calloc(1, 1 << 16);
    if (!in || !text || fread(text, 1, (1 << 16) - 1, in) == 0) {
        fprintf(stderr, "reference: %s cannot be read (run this in the repository's root)\n", path);
        exit(1);
    }
    fclose(in);
    return text;
}

static void build_failed(Device *device, const char *name)
{
    static char log[1 << 16];
    clGetProgramBuildInfo(device->program, device->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log,
                          NULL);
    fprintf(stderr, "reference: %s.cl:\n%s\n", name, log);
    exit(1);
}

void device_build(Device *device, const char *program_name)
{
    cl_int error;
    char *parts[] = {read_source("common"), read_source(program_name)};
    device->program =
        clCreateProgramWithSource(device->context, 2, (const char **)parts, NULL, &error);
    require(error, "clCreateProgramWithSource");
    if (clBuildProgram(device->program, 1, &device->id, "-cl-std=CL1.2", NULL, NULL) != CL_SUCCESS)
        build_failed(device, program_name);
    free(parts[0]);
    free(parts[1]);
}

cl_kernel device_kernel(Device *device, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(device->program, name, &error);
    require(error, name);
    return kernel;
}

cl_mem device_buffer(Device *device, size_t size, const void *content)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(device->context, CL_MEM_READ_WRITE, size, NULL, &error);
    require(error, "clCreateBuffer");
    if (content)
        require(
            clEnqueueWriteBuffer(device->queue, buffer, CL_TRUE, 0, size, content, 0, NULL, NULL),
            "clEnqueueWriteBuffer");
    return buffer;
}

void device_set(cl_kernel kernel, unsigned index, size_t size, const void *value)
{
    require(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

/* ---- launches ------------------------------------------------------------------------------- */

static void settle_events(Device *device)
{
    require(clFinish(device->queue), "clFinish");
    for (int i = 0; i < device->event_count; i++) {
        cl_ulong begin = 0, end = 0;
        clGetEventProfilingInfo(device->events[i], CL_PROFILING_COMMAND_START, sizeof begin, &begin,
                                NULL);
        clGetEventProfilingInfo(device->events[i], CL_PROFILING_COMMAND_END, sizeof end, &end,
                                NULL);
        device->milliseconds += (double)(end - begin) * 1e-6;
        clReleaseEvent(device->events[i]);
    }
    device->event_count = 0;
}

static void launch(Device *device, cl_kernel kernel, cl_uint rank, const size_t *items,
                   const size_t *group)
{
    if (device->event_count == MOST_EVENTS)
        settle_events(device);
    require(clEnqueueNDRangeKernel(device->queue, kernel, rank, NULL, items, group, 0, NULL,
                                   device->profile ? &device->events[device->event_count++] : NULL),
            "clEnqueueNDRangeKernel");
    device->launches++;
}

void device_launch(Device *device, cl_kernel kernel, size_t items, size_t group)
{
    launch(device, kernel, 1, &items, &group);
}

void device_launch_2d(Device *device, cl_kernel kernel, const size_t items[2],
                      const size_t group[2])
{
    launch(device, kernel, 2, items, group);
}

void device_read(Device *device, cl_mem buffer, size_t size, void *target)
{
    cl_int error;
    void *data = clEnqueueMapBuffer(device->queue, buffer, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL,
                                    NULL, &error);
    require(error, "clEnqueueMapBuffer");
    memcpy(target, data, size);
    require(clEnqueueUnmapMemObject(device->queue, buffer, data, 0, NULL, NULL),
            "clEnqueueUnmapMemObject");
}

int64_t device_take_launches(Device *device)
{
    int64_t launches = device->launches;
    device->launches = 0;
    return launches;
}

double device_take_milliseconds(Device *device)
{
    if (!device->profile)
        return -1;
    settle_events(device);
    double milliseconds = device->milliseconds;
    device->milliseconds = 0;
    return milliseconds;
}

/* ---- reductions ----------------------------------------------------------------------------- */

Reduction device_reduction(Device *device, const char *kernel, unsigned index, size_t value_size,
                           size_t groups, size_t group_size)
{
    const cl_uint zero = 0;
    cl_int error;
    cl_mem result = clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                   value_size, NULL, &error);
    require(error, "clCreateBuffer");
    Reduction reduction = {device_kernel(device, kernel), result, groups, group_size, value_size};
    cl_mem partials = device_buffer(device, groups * value_size, NULL);
    cl_mem finished = device_buffer(device, sizeof zero, &zero);
    DEVICE_SET(reduction.kernel, index, partials);
    DEVICE_SET(reduction.kernel, index + 1, finished);
    DEVICE_SET(reduction.kernel, index + 2, reduction.result);
    device_set(reduction.kernel, index + 3, group_size * value_size, NULL);
    return reduction;
}

void device_reduce(Device *device, const Reduction *reduction, void *result)
{
    device_launch(device, reduction->kernel, reduction->groups * reduction->size, reduction->size);
    device_read(device, reduction->result, reduction->value_size, result);
}
