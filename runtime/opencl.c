/* The OpenCL runtime: one context and one in-order queue; launches, failures, the profile. Buffers
   are opencl_buffer.c's, the choice of a device opencl_device.c's, compiling opencl_program.c's.

       host:    grid 0, grid 1, groups 2, load x[0]
       queue:   [0] [1] [2] [read]          the host waits at the load alone

   A program whose kernels check has a failure word on the device. The host looks at it where it
   waits anyway, and before whatever can be seen from outside: then output and failures come in
   program order, though kernels run behind. */
#include "runtime/opencl.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct tl_kernel_state {
    tl_compiled compiled[2][TL_TURNS]; /* for all launches, for small ones */
    long launches;
    double milliseconds;
};

typedef struct PendingEvent {
    cl_event event;
    const tl_kernel *kernel;
} PendingEvent;

enum { GROUP = 256, MOST_EVENTS = 4096, LAUNCHES_A_FLUSH = 64 };

/* The program that the context runs. */
struct tl_cl_state {
    const tl_program *program;
    struct tl_kernel_state *kernels; /* one for each of the program's */
    tl_device device;
    cl_context context;
    cl_command_queue queue;
    cl_program built[2]; /* for all launches, for small ones; each when it is needed first */
    cl_mem failure, failure_values; /* where kernels check */
    int checking_launch;            /* the last launch of one that does; from 1 on */
    cl_mem arrived;                 /* all 0: groups that have come to an ARRIVE */
    cl_mem shares;                  /* who takes which, of kernels for processors */
    cl_mem statuses;                /* a counter, then status words of groups that look back */
    int64_t status_count;           /* of them */
    cl_uint status_launch;          /* the last launch with them: even */
    bool may_have_failed;           /* a kernel that checks was launched since the host looked */
    bool is_busy;                   /* something was enqueued since the host waited for the queue */
    unsigned launches;
    int64_t items;        /* work-items of all launches */
    PendingEvent *events; /* where a profile is asked for */
    size_t event_count;
    double milliseconds;     /* of events settled so far */
    unsigned noted_launches; /* before this run (--repeat) */
    double noted_milliseconds;
};

static struct tl_cl_state *cl(void)
{
    return tl_current->cl;
}

static struct tl_kernel_state *state_of(const tl_kernel *kernel)
{
    return &cl()->kernels[kernel - cl()->program->kernels];
}

/* ---- the beginning -------------------------------------------------------------------------- */

static cl_mem make_words(size_t size, void *words)
{
    cl_int error;
    cl_mem memory = clCreateBuffer(cl()->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size,
                                   words, &error);
    tl_cl_require(error, "clCreateBuffer");
    return memory;
}

/* Launch, lock, item, number: see tl_failed. */
static const int no_failure[] = {0, 0, INT32_MAX, 0};

static void make_failure_words(void)
{
    int none[4];
    memcpy(none, no_failure, sizeof none);
    int64_t values[TL_FAILURE_VALUES + 1] = {0}; /* and the row */
    cl()->failure = make_words(sizeof none, none);
    cl()->failure_values = make_words(sizeof values, values);
}

static void require_abilities(const tl_program *program)
{
    if (program->needs_f64 && !cl()->device.has_f64) {
        tl_fatal("DEVICE ERROR",
                 "%s has no 64-bit reals; compile with --real=32, or choose another device",
                 cl()->device.name);
    }
    if (program->needs_i64_atomics && !cl()->device.has_i64_atomics) {
        tl_fatal("DEVICE ERROR",
                 "%s has no 64-bit atomic operations; compile with --int=32 --real=32, or "
                 "choose another device",
                 cl()->device.name);
    }
}

void tl_cl_begin(const tl_program *program)
{
    cl_int error;
    tl_current->cl = calloc(1, sizeof *tl_current->cl);
    if (!tl_current->cl)
        tl_fatal("WS FULL", "for the device");
    cl()->program = program;
    tl_current->device = &tl_cl_functions;
    cl()->kernels = calloc((size_t)program->kernel_count + 1, sizeof *cl()->kernels);
    if (!cl()->kernels)
        tl_fatal("WS FULL", "for %d kernels", program->kernel_count);
    cl()->device = tl_choose_device(tl_device_option());
    require_abilities(program);
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                          (cl_context_properties)cl()->device.platform, 0};
    cl()->context = clCreateContext(properties, 1, &cl()->device.device, NULL, NULL, &error);
    tl_cl_require(error, "clCreateContext");
    cl_command_queue_properties queue_properties = 0;
    if (tl_profile_option()) {
        queue_properties |= CL_QUEUE_PROFILING_ENABLE;
        cl()->events = calloc(MOST_EVENTS, sizeof *cl()->events);
        if (!cl()->events)
            tl_fatal("WS FULL", "for the profile");
    }
    cl()->queue =
        clCreateCommandQueue(cl()->context, cl()->device.device, queue_properties, &error);
    tl_cl_require(error, "clCreateCommandQueue");
    tl_open_buffers(cl()->context, cl()->queue, &cl()->device);
    if (program->checks)
        make_failure_words();
    if (program->kernel_count > 0) {
        bool small = !cl()->device.is_processor; /* whose kernels have 64-bit indices */
        cl()->built[small] = tl_build_program(cl()->context, &cl()->device, program, small);
    }
}

/* ---- failures ------------------------------------------------------------------------------- */

/* Kernels leave 64 bits a value: an integer, a double's bits, or a float's. */
static tl_value decode(tl_type type, int64_t bits)
{
    tl_value value = {.integer = bits};
    if (type == TL_F64) {
        memcpy(&value.real, &bits, sizeof value.real);
    } else if (type == TL_F32) {
        int32_t half = (int32_t)bits;
        float real;
        memcpy(&real, &half, sizeof real);
        value.real = (double)real;
    }
    return value;
}

void tl_cl_check(void)
{
    if (!cl()->may_have_failed)
        return;
    int words[4];
    tl_read_memory(cl()->failure, 0, sizeof words, words);
    cl()->may_have_failed = false;
    if (words[0] == 0)
        return;
    const tl_failure *failure = &cl()->program->failures[words[3] - 1];
    int64_t bits[TL_FAILURE_VALUES];
    tl_value values[TL_FAILURE_VALUES];
    tl_read_memory(cl()->failure_values, 0, sizeof bits, bits);
    for (int i = 0; i < failure->value_count && i < TL_FAILURE_VALUES; i++) {
        values[i] = decode(failure->value_types[i], bits[i]);
    }
    tl_fail(failure, values);
}

int64_t tl_items_launched(void)
{
    return cl()->items;
}

void tl_queue_is_idle(bool is_idle)
{
    cl()->is_busy = !is_idle;
}

void tl_cl_finish(void)
{
    if (cl()->is_busy)
        tl_cl_require(clFinish(cl()->queue), "clFinish");
    cl()->is_busy = false;
}

void tl_cl_wait(void)
{
    tl_cl_check();
    tl_cl_finish();
}

void tl_cl_fail(const tl_failure *failure, const tl_value *values)
{
    tl_cl_check();
    tl_fail(failure, values);
}

void tl_cl_fatal(const char *error, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    tl_cl_wait();
    tl_fatal(error, "%s", message);
}

/* ---- the profile ---------------------------------------------------------------------------- */

static void settle_events(void)
{
    tl_cl_finish();
    for (size_t i = 0; i < cl()->event_count; i++) {
        cl_ulong start = 0, end = 0;
        clGetEventProfilingInfo(cl()->events[i].event, CL_PROFILING_COMMAND_START, sizeof start,
                                &start, NULL);
        clGetEventProfilingInfo(cl()->events[i].event, CL_PROFILING_COMMAND_END, sizeof end, &end,
                                NULL);
        if (end > start) {
            double milliseconds = (double)(end - start) * 1e-6;
            cl()->milliseconds += milliseconds;
            state_of(cl()->events[i].kernel)->milliseconds += milliseconds;
        }
        clReleaseEvent(cl()->events[i].event);
    }
    cl()->event_count = 0;
}

static void print_profile(void)
{
    double total = 0;
    settle_events();
    fprintf(stderr, "%-32s %8s %12s %10s  %s\n", "kernel", "runs", "ms", "ms a run", "line");
    for (int i = 0; i < cl()->program->kernel_count; i++) {
        const tl_kernel *kernel = &cl()->program->kernels[i];
        const struct tl_kernel_state *state = state_of(kernel);
        if (state->launches == 0)
            continue;
        total += state->milliseconds;
        fprintf(stderr, "%-32s %8ld %12.3f %10.3f  %s\n", kernel->name, state->launches,
                state->milliseconds,
                state->launches ? state->milliseconds / (double)state->launches : 0.0,
                kernel->place ? kernel->place : "");
    }
    fprintf(stderr, "%-32s %8s %12.3f %10s  %s\n", "all kernels", "", total, "", cl()->device.name);
    tl_print_transfers(stderr);
}

/* ---- launches ------------------------------------------------------------------------------- */

/* The kernel object, at its first launch. */
static void create(const tl_kernel *kernel, bool small, tl_compiled *compiled, int argument_count)
{
    if (compiled->kernel)
        return;
    if (!cl()->built[small])
        cl()->built[small] = tl_build_program(cl()->context, &cl()->device, cl()->program, small);
    if (!compiled->arguments)
        compiled->arguments = calloc((size_t)argument_count + 1, sizeof *compiled->arguments);
    if (!compiled->arguments)
        tl_fatal("WS FULL", "for kernel %s", kernel->name);
    cl_int error;
    cl_kernel made = clCreateKernel(cl()->built[small], kernel->function, &error);
    tl_cl_require(error, "clCreateKernel");
    tl_cl_require(clGetKernelWorkGroupInfo(made, cl()->device.device, CL_KERNEL_WORK_GROUP_SIZE,
                                           sizeof compiled->group_size, &compiled->group_size,
                                           NULL),
                  "clGetKernelWorkGroupInfo");
    size_t declared[3] = {
        0}; /* NVIDIA's driver says 256 of kernels that declare more, and runs them */
    clGetKernelWorkGroupInfo(made, cl()->device.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                             sizeof declared, declared, NULL);
    if (declared[0] > compiled->group_size && declared[0] <= cl()->device.group_size)
        compiled->group_size = declared[0];
    compiled->kernel = made;
}

/* So many status words, and a number of the launch that no word has. */
static void prepare_statuses(int64_t words)
{
    struct tl_cl_state *state = cl();
    state->status_launch += 2;
    if (words <= state->status_count && state->status_launch != 0)
        return;
    int64_t count = state->status_count > 0 ? state->status_count : 1024;
    while (count < words)
        count *= 2;
    uint64_t *none = calloc((size_t)count + 1, sizeof *none);
    if (!none)
        tl_fatal("WS FULL", "for %lld words of groups' states", (long long)count);
    if (state->statuses)
        clReleaseMemObject(state->statuses);
    state->statuses = NULL;
    state->statuses = make_words(((size_t)count + 1) * sizeof *none, none);
    state->status_count = count;
    state->status_launch = 2;
    free(none);
}

/* The words' memory may be new at the address of what is gone: never taken for set. */
static void set_statuses(tl_compiled *compiled, int index)
{
    compiled->arguments[index].size = 0;
    tl_set_argument(compiled, index, sizeof cl()->statuses, &cl()->statuses);
    tl_set_argument(compiled, index + 1, sizeof cl()->status_launch, &cl()->status_launch);
}

/* For tl_take_share: how many threads there are, and how many groups of the kernel have a share; then, for each thread in a
   cache line of its own, who that is, and how many shares of its part are taken. */
static cl_mem make_shares(void)
{
    enum { LINE = 16 };
    size_t threads = cl()->device.compute_units;
    int *words = calloc((threads + 1) * LINE, sizeof *words);
    tl_cl_require(words ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "calloc");
    words[0] = (int)threads;
    cl_mem shares = make_words((threads + 1) * LINE * sizeof *words, words);
    free(words);
    return shares;
}

static tl_compiled *with_arguments(const tl_kernel *kernel, bool small, bool shares,
                                   const int64_t *items, int count, const tl_argument *arguments)
{
    struct tl_kernel_state *state = state_of(kernel);
    int total = count + (items ? 1 : 0) + (kernel->arrives ? 1 : 0) + (shares ? 1 : 0) +
                (kernel->status_words > 0 ? 2 : 0) + (cl()->program->checks ? 3 : 0),
        index = 0;
    tl_compiled *compiled =
        tl_whose_turn(state->compiled[small], state->launches + 1, items ? 1 : 0, count, arguments);
    create(kernel, small, compiled, total);
    if (compiled->generation != tl_buffer_generation()) {
        memset(compiled->arguments, 0, (size_t)total * sizeof *compiled->arguments);
        compiled->generation = tl_buffer_generation();
    }
    if (items)
        tl_set_index(compiled, index++, small, *items);
    for (int i = 0; i < count; i++) {
        if (arguments[i].buffer) {
            cl_mem memory = tl_buffer_for_kernel(arguments[i].buffer, arguments[i].written);
            tl_set_argument(compiled, index++, sizeof memory, &memory);
        } else if (arguments[i].is_index) {
            tl_set_index(compiled, index++, small, arguments[i].as.i64);
        } else {
            tl_set_argument(compiled, index++, arguments[i].size, &arguments[i].as);
        }
    }
    if (kernel->arrives) {
        int none[TL_ARRIVALS] = {0};
        if (!cl()->arrived)
            cl()->arrived = make_words(sizeof none, none);
        tl_set_argument(compiled, index++, sizeof cl()->arrived, &cl()->arrived);
    }
    if (shares) {
        if (!cl()->shares)
            cl()->shares = make_shares();
        tl_set_argument(compiled, index++, sizeof cl()->shares, &cl()->shares);
    }
    if (kernel->status_words > 0) {
        set_statuses(compiled, index);
        index += 2;
    }
    if (!cl()->program->checks)
        return compiled;
    tl_set_argument(compiled, index++, sizeof cl()->failure, &cl()->failure);
    if (!kernel->checks)
        return compiled;
    cl()->checking_launch = cl()->checking_launch % INT32_MAX + 1;
    tl_set_argument(compiled, index++, sizeof cl()->failure_values, &cl()->failure_values);
    tl_set_argument(compiled, index, sizeof cl()->checking_launch, &cl()->checking_launch);
    return compiled;
}

static void launch(const tl_kernel *kernel, const tl_compiled *compiled, size_t items, size_t group)
{
    struct tl_kernel_state *state = state_of(kernel);
    cl_event event;
    cl_int error = clEnqueueNDRangeKernel(cl()->queue, compiled->kernel, 1, NULL, &items, &group, 0,
                                          NULL, cl()->events ? &event : NULL);
    tl_cl_require(error, "clEnqueueNDRangeKernel");
    tl_queue_is_idle(false);
    state->launches++;
    cl()->items += (int64_t)items;
    cl()->may_have_failed |= kernel->checks;
    if (cl()->events) {
        cl()->events[cl()->event_count++] = (PendingEvent){event, kernel};
        if (cl()->event_count == MOST_EVENTS)
            settle_events();
    }
    if (++cl()->launches % LAUNCHES_A_FLUSH == 0)
        tl_cl_require(clFlush(cl()->queue), "clFlush");
}

/* Processors compute with 64 bits as quickly, and have one program to compile instead of two. */
static bool is_small(int64_t iterations, int64_t limit, int count, const tl_argument *arguments)
{
    return !cl()->device.is_processor && tl_is_small(iterations, limit, count, arguments);
}

/* So many work-items for a grid that may have nothing to do: as many as the device has at once, some times over. On
   processors work-items do not stride, and the host looks first where they are many; 0: there is nothing to do. */
static int64_t strided(const tl_kernel *kernel, int64_t items, const tl_argument *arguments)
{
    enum { WAVES = 4, MANY = 1 << 22 };
    if (cl()->device.is_processor) {
        bool rests = items > MANY && tl_cl_load_i64(arguments[kernel->word - 1].buffer, 0) < 0;
        return rests ? 0 : items;
    }
    int64_t most = WAVES * tl_cl_work_items();
    return items < most ? items : most;
}

void tl_cl_grid(const tl_kernel *kernel, int64_t items, int count, const tl_argument *arguments)
{
    int64_t work_items = items > 0 && kernel->word ? strided(kernel, items, arguments) : items;
    if (work_items <= 0)
        return;
    bool small = is_small(items, TL_SMALL, count, arguments);
    const tl_compiled *compiled = with_arguments(kernel, small, false, &items, count, arguments);
    size_t group = compiled->group_size < GROUP ? compiled->group_size : GROUP;
    launch(kernel, compiled, ((size_t)work_items + group - 1) / group * group, group);
}

void tl_cl_groups(const tl_kernel *kernel, int64_t groups, size_t size, int count,
                  const tl_argument *arguments)
{
    if (groups <= 0)
        return;
    bool small = is_small(groups, TL_SMALL_GROUPS, count, arguments);
    if (kernel->status_words > 0)
        prepare_statuses(groups * kernel->status_words);
    const tl_compiled *compiled = with_arguments(kernel, small, false, NULL, count, arguments);
    if (compiled->group_size < size) {
        tl_fatal("DEVICE ERROR",
                 "%s runs at most %zu work-items a group of kernel %s, which has %zu",
                 cl()->device.name, compiled->group_size, kernel->name, size);
    }
    launch(kernel, compiled, (size_t)groups * size, size);
}

/* Several shares a core, since cores have other work, too; and of many, PoCL gives a thread half. */
int64_t tl_cl_processor_groups(void)
{
    enum { SHARES_OF_UNIT = 16 };
    return cl()->device.is_processor ? SHARES_OF_UNIT * (int64_t)cl()->device.compute_units : 0;
}

void tl_cl_shares(const tl_kernel *kernel, int64_t most, int count, const tl_argument *arguments)
{
    int64_t groups = tl_cl_processor_groups();
    if (most <= 0)
        return;
    const tl_compiled *compiled = with_arguments(kernel, false, true, NULL, count, arguments);
    launch(kernel, compiled, (size_t)(most < groups ? most : groups), 1);
}

/* ---- versions ------------------------------------------------------------------------------- */

/* A compute unit of a GPU has some 2048 work-items at once, and a CPU's takes a group of 256 one
   after the other. */
int64_t tl_cl_work_items(void)
{
    int64_t of_unit = cl()->device.type & CL_DEVICE_TYPE_CPU ? 256 : 2048;
    return tl_from_environment("TAILOR_WORK_ITEMS", 1, of_unit * cl()->device.compute_units);
}

int64_t tl_cl_lanes(void)
{
    return tl_from_environment("TAILOR_LANES", 1, cl()->device.type & CL_DEVICE_TYPE_CPU ? 1 : 32);
}

int64_t tl_cl_copied_bytes(void)
{
    int64_t of_unit = cl()->device.type & CL_DEVICE_TYPE_CPU ? 1 << 18 : 1 << 17;
    return tl_from_environment("TAILOR_COPIED_BYTES", 0, of_unit * cl()->device.compute_units);
}

bool tl_cl_matrix_units(void)
{
    return tl_device_matrix_units(&cl()->device) > 0;
}

bool tl_cl_is_processor(void)
{
    return cl()->device.is_processor;
}

int64_t tl_cl_resident_groups(void)
{
    return tl_device_resident_groups(&cl()->device);
}

bool tl_cl_on_processor(int64_t most_groups, int64_t items)
{
    enum { LITTLE = 1 << 16 };
    return cl()->device.is_processor &&
           (most_groups >= (int64_t)cl()->device.compute_units || items < LITTLE);
}

bool tl_cl_looks_back(void)
{
    return tl_device_looks_back(&cl()->device);
}

/* ---- output and the end --------------------------------------------------------------------- */

/* The buffer's elements from `start` on, on the host. NULL in a silent run: nobody is going to see them, and
   transfers of results are not timed. */
static void *fetch(tl_type type, int rank, const int64_t *shape, tl_buffer *buffer, int64_t start)
{
    int64_t count = 1;
    for (int i = 0; i < rank; i++)
        count *= shape[i];
    tl_cl_check();
    return tl_is_silent() ? NULL : tl_cl_download(buffer, start, count, tl_type_size(type));
}

void tl_cl_print(tl_type type, int rank, const int64_t *shape, tl_buffer *buffer, int64_t start)
{
    void *data = fetch(type, rank, shape, buffer, start);
    tl_print(stdout, type, rank, shape, data);
    free(data);
}

void tl_cl_print_complex(tl_type type, int rank, const int64_t *shape, tl_buffer *buffer,
                         int64_t start)
{
    void *data = fetch(type, rank, shape, buffer, start);
    tl_print_complex(stdout, type, rank, shape, data);
    free(data);
}

void tl_cl_result(tl_type type, int rank, const int64_t *shape, tl_buffer *buffer, int64_t start)
{
    void *data = fetch(type, rank, shape, buffer, start);
    tl_result(type, rank, shape, data);
    free(data);
}

bool tl_cl_again(void)
{
    if (!tl_repeats())
        return false;
    tl_cl_wait();
    tl_stop_clock();
    if (cl()->events)
        settle_events();
    tl_note_kernels(cl()->launches - cl()->noted_launches,
                    cl()->events ? cl()->milliseconds - cl()->noted_milliseconds : -1);
    cl()->noted_launches = cl()->launches;
    cl()->noted_milliseconds = cl()->milliseconds;
    return tl_again();
}

/* Whatever there is of it: opening may have failed. */
static void close_device(void)
{
    struct tl_cl_state *state = cl();
    if (!state)
        return;
    /* Some drivers' threads do not outlive the end of the process well. */
    if (state->queue)
        clFinish(state->queue);
    for (int i = 0; state->kernels && i < state->program->kernel_count; i++) {
        for (int k = 0; k < 2 * TL_TURNS; k++) {
            tl_compiled *compiled = &state->kernels[i].compiled[k / TL_TURNS][k % TL_TURNS];
            if (compiled->kernel)
                clReleaseKernel(compiled->kernel);
            free(compiled->arguments);
        }
    }
    tl_close_buffers();
    cl_mem words[] = {state->failure, state->failure_values, state->arrived, state->statuses,
                      state->shares};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i])
            clReleaseMemObject(words[i]);
    }
    for (int small = 0; small < 2; small++) {
        if (state->built[small])
            clReleaseProgram(state->built[small]);
    }
    if (state->queue)
        clReleaseCommandQueue(state->queue);
    if (state->context)
        clReleaseContext(state->context);
    free(state->events);
    free(state->kernels);
    free(state);
    tl_current->cl = NULL;
}

void tl_cl_end(void)
{
    tl_cl_wait();
    if (cl()->events)
        print_profile();
    close_device();
}

/* ---- libraries ------------------------------------------------------------------------------ */

static void library_open(const void *program)
{
    tl_cl_begin(program);
}

/* What the call left behind goes; the device has nothing more to do. */
static void library_wait(void)
{
    tl_cl_wait();
    tl_release_buffers();
}

static void write_words(cl_mem memory, size_t size, const void *words)
{
    tl_cl_require(clEnqueueWriteBuffer(cl()->queue, memory, CL_TRUE, 0, size, words, 0, NULL, NULL),
                  "clEnqueueWriteBuffer");
}

static void library_recover(void)
{
    clFinish(cl()->queue);
    tl_release_buffers();
    cl()->may_have_failed = false;
    if (!cl()->failure)
        return;
    write_words(cl()->failure, sizeof no_failure, no_failure);
}

static void library_close(void)
{
    if (cl() && cl()->queue && cl()->events)
        print_profile();
    close_device();
}

const tl_device_functions tl_cl_functions = {library_open, library_wait, library_recover,
                                             library_close};
