/* Which OpenCL devices there are, and which one to use.

       --device=1          the second of `tailor devices`
       --device=gpu        the first of that type (gpu, cpu, accelerator)
       --device=radeon     the first whose name, or whose platform's name, contains that
       (nothing)           the first GPU, else the first device */
#include "runtime/opencl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- errors --------------------------------------------------------------------------------- */

const char *tl_cl_error_name(cl_int error)
{
    static const struct {
        cl_int error;
        const char *name;
    } names[] = {
#define NAMED(error) {error, #error}
        NAMED(CL_SUCCESS),
        NAMED(CL_DEVICE_NOT_FOUND),
        NAMED(CL_DEVICE_NOT_AVAILABLE),
        NAMED(CL_COMPILER_NOT_AVAILABLE),
        NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE),
        NAMED(CL_OUT_OF_RESOURCES),
        NAMED(CL_OUT_OF_HOST_MEMORY),
        NAMED(CL_PROFILING_INFO_NOT_AVAILABLE),
        NAMED(CL_MEM_COPY_OVERLAP),
        NAMED(CL_BUILD_PROGRAM_FAILURE),
        NAMED(CL_MISALIGNED_SUB_BUFFER_OFFSET),
        NAMED(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        NAMED(CL_INVALID_VALUE),
        NAMED(CL_INVALID_DEVICE_TYPE),
        NAMED(CL_INVALID_PLATFORM),
        NAMED(CL_INVALID_DEVICE),
        NAMED(CL_INVALID_CONTEXT),
        NAMED(CL_INVALID_QUEUE_PROPERTIES),
        NAMED(CL_INVALID_COMMAND_QUEUE),
        NAMED(CL_INVALID_HOST_PTR),
        NAMED(CL_INVALID_MEM_OBJECT),
        NAMED(CL_INVALID_BINARY),
        NAMED(CL_INVALID_BUILD_OPTIONS),
        NAMED(CL_INVALID_PROGRAM),
        NAMED(CL_INVALID_PROGRAM_EXECUTABLE),
        NAMED(CL_INVALID_KERNEL_NAME),
        NAMED(CL_INVALID_KERNEL_DEFINITION),
        NAMED(CL_INVALID_KERNEL),
        NAMED(CL_INVALID_ARG_INDEX),
        NAMED(CL_INVALID_ARG_VALUE),
        NAMED(CL_INVALID_ARG_SIZE),
        NAMED(CL_INVALID_KERNEL_ARGS),
        NAMED(CL_INVALID_WORK_DIMENSION),
        NAMED(CL_INVALID_WORK_GROUP_SIZE),
        NAMED(CL_INVALID_WORK_ITEM_SIZE),
        NAMED(CL_INVALID_GLOBAL_OFFSET),
        NAMED(CL_INVALID_EVENT_WAIT_LIST),
        NAMED(CL_INVALID_EVENT),
        NAMED(CL_INVALID_OPERATION),
        NAMED(CL_INVALID_BUFFER_SIZE),
        NAMED(CL_INVALID_GLOBAL_WORK_SIZE),
        NAMED(CL_INVALID_PROPERTY),
#undef NAMED
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].error == error)
            return names[i].name;
    }
    return "an unknown error";
}

void tl_cl_require(cl_int error, const char *call)
{
    if (error == CL_SUCCESS)
        return;
    bool is_memory = error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_HOST_MEMORY;
    tl_fatal(is_memory ? "WS FULL" : "DEVICE ERROR", "%s: %s (%d)", call, tl_cl_error_name(error),
             (int)error);
}

/* ---- devices -------------------------------------------------------------------------------- */

typedef struct DeviceList {
    size_t count;
    tl_device *devices;
} DeviceList;

static void get_text(cl_device_id device, cl_device_info what, char *text, size_t size)
{
    text[0] = '\0';
    clGetDeviceInfo(device, what, size - 1, text, NULL);
    text[size - 1] = '\0';
}

static bool has_extension(cl_device_id device, const char *name)
{
    size_t size = 0;
    if (clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size) != CL_SUCCESS)
        return false;
    char *list = calloc(size + 1, 1);
    bool found = false;
    if (list && clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, list, NULL) == CL_SUCCESS) {
        size_t length = strlen(name);
        for (const char *at = strstr(list, name); at && !found; at = strstr(at + 1, name)) {
            found = (at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0');
        }
    }
    free(list);
    return found;
}

/* By cl_nv_device_attribute_query. */
static cl_uint capability_of(cl_device_id device)
{
    enum { COMPUTE_CAPABILITY_MAJOR = 0x4000, COMPUTE_CAPABILITY_MINOR };
    cl_uint major = 0, minor = 0;
    bool known =
        has_extension(device, "cl_nv_device_attribute_query") &&
        clGetDeviceInfo(device, COMPUTE_CAPABILITY_MAJOR, sizeof major, &major, NULL) ==
            CL_SUCCESS &&
        clGetDeviceInfo(device, COMPUTE_CAPABILITY_MINOR, sizeof minor, &minor, NULL) == CL_SUCCESS;
    return known ? major * 10 + minor : 0;
}

static tl_device describe(cl_platform_id platform, cl_device_id id)
{
    tl_device device = {.platform = platform, .device = id};
    cl_device_fp_config config = 0;
    clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof device.type, &device.type, NULL);
    get_text(id, CL_DEVICE_NAME, device.name, sizeof device.name);
    get_text(id, CL_DRIVER_VERSION, device.driver, sizeof device.driver);
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof device.platform_name - 1,
                      device.platform_name, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof device.platform_version - 1,
                      device.platform_version, NULL);
    clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof device.memory, &device.memory, NULL);
    clGetDeviceInfo(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof device.largest_buffer,
                    &device.largest_buffer, NULL);
    clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof device.group_size, &device.group_size,
                    NULL);
    clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof device.compute_units,
                    &device.compute_units, NULL);
    clGetDeviceInfo(id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL);
    device.divides_f32_correctly = (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    device.has_f64 = has_extension(id, "cl_khr_fp64");
    clGetDeviceInfo(id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof device.local_memory, &device.local_memory,
                    NULL);
    clGetDeviceInfo(id, CL_DEVICE_VENDOR_ID, sizeof device.vendor, &device.vendor, NULL);
    device.has_i64_atomics = has_extension(id, "cl_khr_int64_base_atomics");
    device.capability = capability_of(id);
    const char *kernels = getenv("TAILOR_KERNELS");
    device.is_processor =
        kernels && *kernels ? strcmp(kernels, "cpu") == 0 : (device.type & CL_DEVICE_TYPE_CPU) != 0;
    return device;
}

/* All devices of all platforms, in the loader's order. */
static DeviceList list_devices(void)
{
    DeviceList list = {0, NULL};
    cl_uint platform_count = 0;
    if (clGetPlatformIDs(0, NULL, &platform_count) != CL_SUCCESS || platform_count == 0)
        return list;
    cl_platform_id *platforms = calloc(platform_count, sizeof *platforms);
    if (!platforms)
        tl_fatal("WS FULL", "while looking for devices");
    tl_cl_require(clGetPlatformIDs(platform_count, platforms, NULL), "clGetPlatformIDs");
    for (cl_uint p = 0; p < platform_count; p++) {
        cl_uint count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 0, NULL, &count) != CL_SUCCESS ||
            count == 0)
            continue;
        cl_device_id *ids = calloc(count, sizeof *ids);
        tl_device *grown = realloc(list.devices, (list.count + count) * sizeof *grown);
        if (!ids || !grown)
            tl_fatal("WS FULL", "while looking for devices");
        list.devices = grown;
        tl_cl_require(clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, count, ids, NULL),
                      "clGetDeviceIDs");
        for (cl_uint d = 0; d < count; d++)
            list.devices[list.count++] = describe(platforms[p], ids[d]);
        free(ids);
    }
    free(platforms);
    return list;
}

static bool contains(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++) {
        if (strncasecmp(text, part, length) == 0)
            return true;
    }
    return false;
}

static bool all_digits(const char *text)
{
    for (; *text; text++) {
        if (!isdigit((unsigned char)*text))
            return false;
    }
    return true;
}

static const tl_device *first_of_type(const DeviceList *list, cl_device_type type)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->devices[i].type & type)
            return &list->devices[i];
    }
    return NULL;
}

/* The device that an option names; NULL where there is none. */
static const tl_device *find_device(const DeviceList *list, const char *option)
{
    if (list->count == 0)
        return NULL;
    if (!option || !*option) {
        const tl_device *gpu = first_of_type(list, CL_DEVICE_TYPE_GPU);
        return gpu ? gpu : &list->devices[0];
    }
    if (all_digits(option)) {
        unsigned long number = strtoul(option, NULL, 10);
        return number < list->count ? &list->devices[number] : NULL;
    }
    if (strcasecmp(option, "gpu") == 0)
        return first_of_type(list, CL_DEVICE_TYPE_GPU);
    if (strcasecmp(option, "cpu") == 0)
        return first_of_type(list, CL_DEVICE_TYPE_CPU);
    if (strcasecmp(option, "accelerator") == 0)
        return first_of_type(list, CL_DEVICE_TYPE_ACCELERATOR);
    for (size_t i = 0; i < list->count; i++) {
        const tl_device *device = &list->devices[i];
        if (contains(device->name, option) || contains(device->platform_name, option))
            return device;
    }
    return NULL;
}

tl_device tl_choose_device(const char *option)
{
    DeviceList list = list_devices();
    if (list.count == 0) {
        tl_fatal("DEVICE ERROR", "no OpenCL device; install pocl-opencl-icd or use -b c");
    }
    const tl_device *found = find_device(&list, option);
    if (!found) {
        free(list.devices);
        tl_fatal("DEVICE ERROR", "no OpenCL device '%s' among the %zu that `tailor devices` lists",
                 option, list.count);
    }
    tl_device device = *found;
    free(list.devices);
    return device;
}

/* Kernels that look back or multiply in matrix units take up to so much (LOWER_MORE_LOCAL_BYTES of backend/lower/lower.h). */
enum { MORE_LOCAL_MEMORY = 48 << 10 };

/* Work-groups that wait need others to run on, as these vendors' GPUs are known to let them. */
bool tl_device_looks_back(const tl_device *device)
{
    enum { NVIDIA = 0x10de, AMD = 0x1002 };
    const char *form = getenv("TAILOR_SCAN");
    bool known =
        (device->type & CL_DEVICE_TYPE_GPU) && (device->vendor == NVIDIA || device->vendor == AMD);
    if (form && strcmp(form, "look-back") == 0)
        known = true;
    if (form && strcmp(form, "phases") == 0)
        known = false;
    return known && device->has_i64_atomics && device->local_memory >= MORE_LOCAL_MEMORY;
}

/* Those of 8.0 and 9.0 have units for doubles that are quicker than all else of them; of others that know the
   instructions too (8.6, 8.9, 12.0) they are slow. */
cl_uint tl_device_matrix_units(const tl_device *device)
{
    const char *form = getenv("TAILOR_MATRIX_UNITS");
    cl_uint known = device->capability == 80 || device->capability == 90 ? device->capability : 0;
    if (form && strcmp(form, "1") == 0 && known == 0)
        known = 1;
    if (form && strcmp(form, "0") == 0)
        known = 0;
    return device->has_f64 && device->local_memory >= MORE_LOCAL_MEMORY ? known : 0;
}

int64_t tl_from_environment(const char *name, int64_t least, int64_t otherwise)
{
    const char *text = getenv(name);
    char *end;
    long long value = text ? strtoll(text, &end, 10) : 0;
    return text && *text && !*end && value >= least ? value : otherwise;
}

int64_t tl_device_resident_groups(const tl_device *device)
{
    enum { SIZE = 1024 };
    int64_t known = tl_device_looks_back(device) ? device->compute_units : 0;
    return device->group_size < SIZE ? 0 : tl_from_environment("TAILOR_RESIDENT", 0, known);
}

int tl_list_devices(FILE *out)
{
    DeviceList list = list_devices();
    const tl_device *chosen = find_device(&list, getenv("TAILOR_DEVICE"));
    for (size_t i = 0; i < list.count; i++) {
        const tl_device *device = &list.devices[i];
        const char *type = device->type & CL_DEVICE_TYPE_GPU   ? "gpu"
                           : device->type & CL_DEVICE_TYPE_CPU ? "cpu"
                                                               : "accelerator";
        fprintf(out, "%c %zu  %s  %s  (%s, %llu MiB%s)\n", device == chosen ? '*' : ' ', i, type,
                device->name, device->platform_name, (unsigned long long)(device->memory >> 20),
                device->has_f64 ? "" : ", no 64-bit reals");
    }
    int count = (int)list.count;
    free(list.devices);
    return count;
}
