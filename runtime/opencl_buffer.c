/* Arrays on the device: counted references, a pool of memory to use again, and a window on the
   host.

   Pool. A buffer's size is rounded up to one of four classes an octave; memory of a buffer that
   nobody refers to any more waits in its class's list for the next one. The queue is in order, so
   memory may be given away while kernels that use it still run. A loop's memory is put there before
   the loop.

   Window. Single elements that the host loads or stores travel as a window of up to 64 KiB:

       store x[0]; store x[1]; store x[2]      no transfer
       launch a kernel that reads x            one transfer of three elements
       load y[0]; load y[1]                    one transfer, when y[0] is loaded

   so a loop on the host over a small array costs one round trip, not one an element.

   Landing. What the host asks for in small pieces lands in memory that the driver has made for
   transfers, in which devices write without the driver copying it once more. */
#include "runtime/context.h"
#include "runtime/opencl.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 65536, SMALLEST = 256, CLASSES = 256, LANDING = 4096 };
#define MOST_IN_FLIGHT ((size_t)16 << 20)

struct tl_buffer {
    long references;
    long holds; /* see tl_hold_buffer */
    cl_mem memory;
    size_t capacity;            /* bytes of memory */
    size_t size;                /* bytes in use */
    tl_buffer *previous, *next; /* among those in use; next also in the pool */
    /* The window: bytes [start, start + WINDOW) of the buffer, of which [valid, valid_end) are
       known and [dirty, dirty_end), a part of these, are newer than the device's; all counted from
       start. */
    char *window;
    size_t window_capacity, start, valid, valid_end, dirty, dirty_end;
};

/* Host memory that a transfer under way still reads. */
typedef struct InFlight {
    struct InFlight *next;
    char *memory;
} InFlight;

struct tl_buffer_state {
    cl_context context;
    cl_command_queue queue;
    const tl_device *device;
    tl_buffer *pool[CLASSES];
    tl_buffer *first;      /* of those in use */
    size_t pooled, in_use; /* bytes */
    cl_mem landing;        /* LANDING bytes, mapped for good: no kernel has it */
    char *landed;          /* NULL: not tried yet, or there is none */
    InFlight *in_flight;
    size_t in_flight_bytes;
    unsigned generation; /* counts releases of device memory */
    size_t uploads, uploaded, downloads, downloaded;
    size_t created, most; /* pieces of device memory; bytes, at most at one time */
    tl_buffer **kept;     /* parameters, for runs to come */
    int kept_count;
};

static struct tl_buffer_state *buffers(void)
{
    return tl_current->buffers;
}

/* ---- the pool ------------------------------------------------------------------------------- */

/* Rounds up to a class: 4 an octave. */
static size_t round_size(size_t size, unsigned *class)
{
    if (size <= SMALLEST) {
        *class = 0;
        return SMALLEST;
    }
    unsigned octave = 63 - (unsigned)__builtin_clzll((unsigned long long)(size - 1));
    size_t step = (size_t)1 << (octave - 2);
    size_t steps = (size + step - 1) / step; /* 5..8 of the octave's quarters */
    *class = (octave - 7) * 4 + (unsigned)(steps - 4);
    return steps * step;
}

static void drop_memory(tl_buffer *buffer)
{
    clReleaseMemObject(buffer->memory);
    free(buffer->window);
    free(buffer);
    buffers()->generation++;
}

/* But for what is held. */
static void empty_pool(void)
{
    for (size_t i = 0; i < CLASSES; i++) {
        tl_buffer **link = &buffers()->pool[i];
        while (*link) {
            tl_buffer *buffer = *link;
            if (buffer->holds > 0) {
                link = &buffer->next;
                continue;
            }
            *link = buffer->next;
            buffers()->pooled -= buffer->capacity;
            drop_memory(buffer);
        }
    }
}

/* Device memory of a class; the pool gives way first. */
static cl_mem create_memory(size_t bytes)
{
    cl_int error;
    if (buffers()->in_use + buffers()->pooled + bytes > buffers()->device->memory)
        empty_pool();
    if (buffers()->in_use + bytes > buffers()->device->memory) {
        tl_cl_fatal("WS FULL", "%zu bytes beside %zu in use; %s has %llu", bytes, buffers()->in_use,
                    buffers()->device->name, (unsigned long long)buffers()->device->memory);
    }
    cl_mem memory = clCreateBuffer(buffers()->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (error != CL_SUCCESS && buffers()->pooled > 0) {
        tl_cl_finish();
        empty_pool();
        memory = clCreateBuffer(buffers()->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    }
    if (error != CL_SUCCESS) {
        tl_cl_fatal("WS FULL", "%zu bytes (clCreateBuffer: %s)", bytes, tl_cl_error_name(error));
    }
    return memory;
}

static size_t checked_size(int64_t count, size_t element_size)
{
    size_t bytes = 0;
    if (count < 0 || __builtin_mul_overflow((size_t)count, element_size, &bytes) ||
        bytes > (size_t)INT64_MAX / 2) {
        char number[64];
        tl_format_scalar(number, TL_I64, &count, 10);
        tl_cl_fatal("LIMIT ERROR", "an array of %s elements of %zu bytes", number, element_size);
    }
    if (bytes > buffers()->device->largest_buffer) {
        tl_cl_fatal("WS FULL", "%zu bytes in one array; %s allows %llu", bytes,
                    buffers()->device->name, (unsigned long long)buffers()->device->largest_buffer);
    }
    return bytes;
}

/* Among those in use, with one reference. */
static void begin_use(tl_buffer *buffer, size_t size)
{
    buffer->references = 1;
    buffer->size = size;
    buffer->previous = NULL;
    buffer->next = buffers()->first;
    if (buffer->next)
        buffer->next->previous = buffer;
    buffers()->first = buffer;
    buffer->valid = buffer->valid_end = buffer->dirty = buffer->dirty_end = 0;
    buffers()->in_use += buffer->capacity;
}

/* The device's memory as a buffer that is in no list yet. */
static tl_buffer *made_of(cl_mem memory, size_t size, size_t capacity)
{
    tl_buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        tl_cl_fatal("WS FULL", "for a buffer of %zu bytes", size);
    buffer->memory = memory;
    buffer->size = size;
    buffer->capacity = capacity;
    buffers()->created++;
    size_t held = buffers()->in_use + buffers()->pooled + capacity;
    buffers()->most = held > buffers()->most ? held : buffers()->most;
    return buffer;
}

static size_t capacity_of(size_t size, unsigned *class)
{
    size_t capacity = round_size(size, class);
    return capacity > buffers()->device->largest_buffer ? (size + 255) / 256 * 256 : capacity;
}

static tl_buffer *new_buffer(int64_t count, size_t element_size)
{
    unsigned class;
    size_t size = checked_size(count, element_size), capacity = capacity_of(size, &class);
    tl_buffer *buffer = buffers()->pool[class];
    if (buffer && buffer->capacity >= size) {
        buffers()->pool[class] = buffer->next;
        buffers()->pooled -= buffer->capacity;
    } else {
        buffer = made_of(create_memory(capacity), size, capacity);
    }
    begin_use(buffer, size);
    return buffer;
}

/* So many bytes more are at most half of the device's memory. */
static bool has_room(size_t bytes)
{
    return buffers()->in_use + buffers()->pooled + bytes < buffers()->device->memory / 2;
}

static void put_into_pool(tl_buffer *buffer, unsigned class)
{
    buffer->next = buffers()->pool[class];
    buffers()->pool[class] = buffer;
    buffers()->pooled += buffer->capacity;
}

/* Nobody refers to it any more: it goes to the pool. */
static void give_back(tl_buffer *buffer)
{
    unsigned class;
    if (buffer->previous) {
        buffer->previous->next = buffer->next;
    } else {
        buffers()->first = buffer->next;
    }
    if (buffer->next)
        buffer->next->previous = buffer->previous;
    round_size(buffer->size, &class);
    buffers()->in_use -= buffer->capacity;
    if (buffer->holds == 0 &&
        buffers()->pooled + buffer->capacity > buffers()->device->memory / 2) {
        drop_memory(buffer);
        return;
    }
    put_into_pool(buffer, class);
}

void tl_cl_release(tl_buffer **variable)
{
    tl_buffer *buffer = *variable;
    *variable = NULL;
    if (buffer && --buffer->references == 0)
        give_back(buffer);
}

void tl_release_buffers(void)
{
    tl_stop_ahead();
    while (buffers() && buffers()->first)
        give_back(buffers()->first);
}

void tl_cl_allocate(tl_buffer **variable, int64_t count, size_t element_size)
{
    tl_cl_release(variable);
    *variable = new_buffer(count, element_size);
}

/* So many pieces of the class are in the pool, or as many as there is room for. */
static void fill_pool(int64_t pieces, size_t size, size_t capacity, unsigned class)
{
    for (const tl_buffer *spare = buffers()->pool[class]; spare; spare = spare->next)
        pieces -= spare->capacity >= size;
    for (; pieces > 0 && has_room(capacity); pieces--) {
        cl_int error;
        cl_mem memory =
            clCreateBuffer(buffers()->context, CL_MEM_READ_WRITE, capacity, NULL, &error);
        if (error != CL_SUCCESS)
            return; /* whoever needs it asks again, and is told */
        put_into_pool(made_of(memory, size, capacity), class);
    }
}

void tl_cl_reserve(int size_count, const tl_pieces *sizes)
{
    int64_t wanted[CLASSES] = {0};
    for (int i = 0; i < size_count; i++) {
        unsigned class;
        size_t size;
        if (sizes[i].pieces <= 0 || sizes[i].count <= 0 ||
            __builtin_mul_overflow((size_t)sizes[i].count, sizes[i].element_size, &size) ||
            size > buffers()->device->largest_buffer)
            continue;
        size_t capacity = capacity_of(size, &class);
        wanted[class] += sizes[i].pieces;
        fill_pool(wanted[class], size, capacity, class);
    }
}

void tl_cl_alias(tl_buffer **variable, tl_buffer *source)
{
    if (source)
        source->references++;
    tl_cl_release(variable);
    *variable = source;
}

/* ---- what may be needed again ---------------------------------------------------------------- */

bool tl_memory_is_plenty(void)
{
    return has_room(0);
}

void tl_forget_buffer(tl_held held)
{
    if (held.buffer)
        held.buffer->holds--;
}

tl_buffer *tl_take_again(tl_held held)
{
    tl_buffer *buffer = held.buffer;
    unsigned class;
    if (!buffer)
        return NULL;
    if (buffer->references > 0) {
        buffer->references++;
        buffer->size = held.size;
        return buffer;
    }
    round_size(buffer->size, &class);
    tl_buffer **link = &buffers()->pool[class];
    while (*link != buffer)
        link = &(*link)->next;
    *link = buffer->next;
    buffers()->pooled -= buffer->capacity;
    begin_use(buffer, held.size);
    return buffer;
}

unsigned tl_buffer_generation(void)
{
    return buffers()->generation;
}

/* ---- transfers ------------------------------------------------------------------------------ */

/* Everything sent so far has arrived. */
static void land(void)
{
    while (buffers()->in_flight) {
        InFlight *first = buffers()->in_flight;
        buffers()->in_flight = first->next;
        free(first->memory);
        free(first);
    }
    buffers()->in_flight_bytes = 0;
}

static void open_landing(void)
{
    cl_int error;
    if (buffers()->landing)
        return;
    buffers()->landing = clCreateBuffer(
        buffers()->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, LANDING, NULL, &error);
    if (error != CL_SUCCESS)
        return;
    char *landed =
        clEnqueueMapBuffer(buffers()->queue, buffers()->landing, CL_TRUE,
                           CL_MAP_READ | CL_MAP_WRITE, 0, LANDING, 0, NULL, NULL, &error);
    buffers()->landed = error == CL_SUCCESS ? landed : NULL;
}

static void close_landing(void)
{
    if (buffers()->landed)
        clEnqueueUnmapMemObject(buffers()->queue, buffers()->landing, buffers()->landed, 0, NULL,
                                NULL);
    if (buffers()->landing)
        clReleaseMemObject(buffers()->landing);
}

void tl_read_memory(cl_mem memory, size_t offset, size_t size, void *data)
{
    if (size <= LANDING)
        open_landing();
    bool lands = size <= LANDING && buffers()->landed;
    tl_cl_require(clEnqueueReadBuffer(buffers()->queue, memory, lands ? CL_FALSE : CL_TRUE, offset,
                                      size, lands ? buffers()->landed : data, 0, NULL, NULL),
                  "clEnqueueReadBuffer");
    tl_queue_is_idle(!lands);
    tl_cl_finish();
    if (lands)
        memcpy(data, buffers()->landed, size);
}

static void write_device(tl_buffer *buffer, size_t offset, size_t size, const void *data,
                         cl_bool blocking)
{
    tl_cl_require(clEnqueueWriteBuffer(buffers()->queue, buffer->memory, blocking, offset, size,
                                       data, 0, NULL, NULL),
                  "clEnqueueWriteBuffer");
    tl_queue_is_idle(blocking);
    buffers()->uploads++;
    buffers()->uploaded += size;
}

static void read_device(tl_buffer *buffer, size_t offset, size_t size, void *data)
{
    tl_read_memory(buffer->memory, offset, size, data);
    buffers()->downloads++;
    buffers()->downloaded += size;
    land();
}

/* Sends what the host has stored. The window's memory goes with the transfer, which the host does
   not wait for. */
static void flush_window(tl_buffer *buffer)
{
    size_t size = buffer->dirty_end - buffer->dirty;
    if (size == 0)
        return;
    InFlight *sent = malloc(sizeof *sent);
    if (!sent)
        tl_cl_fatal("WS FULL", "for a transfer");
    write_device(buffer, buffer->start + buffer->dirty, size, buffer->window + buffer->dirty,
                 CL_FALSE);
    *sent = (InFlight){buffers()->in_flight, buffer->window};
    buffers()->in_flight = sent;
    buffers()->in_flight_bytes += buffer->window_capacity;
    buffer->window = NULL;
    buffer->window_capacity = 0;
    buffer->valid = buffer->valid_end = buffer->dirty = buffer->dirty_end = 0;
    if (buffers()->in_flight_bytes > MOST_IN_FLIGHT) {
        tl_cl_finish();
        land();
    }
}

static void forget_window(tl_buffer *buffer)
{
    buffer->valid = buffer->valid_end = buffer->dirty = buffer->dirty_end = 0;
}

/* An empty window whose bytes begin at a multiple of WINDOW and hold `offset`. */
static void open_window(tl_buffer *buffer, size_t offset)
{
    flush_window(buffer);
    forget_window(buffer);
    buffer->start = offset / WINDOW * WINDOW;
    size_t size = buffer->size - buffer->start;
    if (size > WINDOW)
        size = WINDOW;
    if (buffer->window_capacity >= size)
        return;
    free(buffer->window);
    buffer->window = malloc(size);
    if (!buffer->window)
        tl_cl_fatal("WS FULL", "for a transfer");
    buffer->window_capacity = size;
}

tl_held tl_hold_buffer(tl_buffer *buffer)
{
    if (!buffer)
        return (tl_held){0};
    flush_window(buffer); /* which a new use would forget */
    buffer->holds++;
    return (tl_held){buffer, buffer->size};
}

size_t tl_buffer_size(const tl_buffer *buffer)
{
    return buffer->size;
}

cl_mem tl_buffer_for_kernel(tl_buffer *buffer, bool written)
{
    flush_window(buffer);
    if (written)
        forget_window(buffer);
    return buffer->memory;
}

static bool in_range(const tl_buffer *buffer, int64_t index, size_t element_size)
{
    return buffer && index >= 0 && (uint64_t)index < buffer->size / element_size;
}

void tl_cl_load(tl_buffer *buffer, int64_t index, size_t element_size, void *element)
{
    if (!in_range(buffer, index, element_size))
        tl_cl_fatal("INDEX ERROR", "element %lld", (long long)index);
    size_t offset = (size_t)index * element_size;
    bool known = offset >= buffer->start && offset - buffer->start >= buffer->valid &&
                 offset - buffer->start + element_size <= buffer->valid_end;
    if (!known) {
        tl_cl_check();
        open_window(buffer, offset);
        size_t size = buffer->size - buffer->start < WINDOW ? buffer->size - buffer->start : WINDOW;
        read_device(buffer, buffer->start, size, buffer->window);
        buffer->valid_end = size;
    }
    memcpy(element, buffer->window + (offset - buffer->start), element_size);
}

void tl_cl_store(tl_buffer *buffer, int64_t index, size_t element_size, const void *element)
{
    if (!in_range(buffer, index, element_size))
        tl_cl_fatal("INDEX ERROR", "element %lld", (long long)index);
    size_t offset = (size_t)index * element_size;
    bool has_window = buffer->valid < buffer->valid_end;
    bool near = has_window && offset >= buffer->start && offset - buffer->start < WINDOW &&
                offset - buffer->start <= buffer->valid_end &&
                offset - buffer->start + element_size >= buffer->valid;
    if (!near)
        open_window(buffer, offset);
    size_t at = offset - buffer->start, end = at + element_size;
    memcpy(buffer->window + at, element, element_size);
    if (!near) {
        buffer->valid = buffer->dirty = at;
        buffer->valid_end = buffer->dirty_end = end;
        return;
    }
    bool clean = buffer->dirty == buffer->dirty_end;
    if (at < buffer->valid)
        buffer->valid = at;
    if (end > buffer->valid_end)
        buffer->valid_end = end;
    if (clean || at < buffer->dirty)
        buffer->dirty = at;
    if (clean || end > buffer->dirty_end)
        buffer->dirty_end = end;
}

/* With --repeat, kernels launched before are waited for, so that the clock counts them. */
void tl_cl_upload(tl_buffer **variable, int64_t count, size_t element_size, const void *elements)
{
    tl_buffer *buffer = new_buffer(count, element_size);
    if (buffer->size > 0) {
        if (tl_is_silent())
            tl_cl_finish();
        tl_stop_clock();
        write_device(buffer, 0, buffer->size, elements, CL_TRUE);
        land();
        tl_start_clock();
    }
    tl_cl_release(variable);
    *variable = buffer;
}

/* With --repeat: where a parameter is kept on the device, as it was at first. */
static tl_buffer **kept_parameter(int parameter)
{
    if (parameter >= buffers()->kept_count) {
        size_t count = (size_t)parameter + 1;
        tl_buffer **kept = realloc(buffers()->kept, count * sizeof *kept);
        if (!kept)
            tl_cl_fatal("WS FULL", "%zu parameters", count);
        for (size_t i = (size_t)buffers()->kept_count; i < count; i++)
            kept[i] = NULL;
        buffers()->kept = kept;
        buffers()->kept_count = parameter + 1;
    }
    return &buffers()->kept[parameter];
}

void tl_cl_parameter(tl_buffer **variable, int64_t count, size_t element_size, int parameter,
                     bool is_changed)
{
    if (!tl_repeats()) {
        tl_cl_upload(variable, count, element_size, tl_parameter_data(parameter));
        tl_parameter_done(parameter);
        return;
    }
    tl_stop_clock();
    tl_buffer **kept = kept_parameter(parameter);
    if (!*kept)
        tl_cl_upload(kept, count, element_size, tl_parameter_data(parameter));
    if (is_changed) {
        tl_cl_allocate(variable, count, element_size);
        tl_cl_copy(*variable, 0, *kept, 0, count, element_size);
        tl_cl_finish();
    } else { /* a copy would leave the device's caches full of what has to be written yet */
        forget_window(*kept);
        tl_cl_alias(variable, *kept);
    }
    tl_start_clock();
}

void *tl_cl_download(tl_buffer *buffer, int64_t start, int64_t count, size_t element_size)
{
    size_t size = checked_size(count, element_size);
    void *data = tl_fits_memory(size) ? malloc(size ? size : 1) : NULL;
    if (!data)
        tl_cl_fatal("WS FULL", "%zu bytes", size);
    tl_cl_check();
    if (size > 0 && buffer) {
        size_t first = (size_t)start * element_size, rest = buffer->size - first;
        flush_window(buffer);
        read_device(buffer, first, size < rest ? size : rest, data);
    }
    return data;
}

void tl_cl_copy(tl_buffer *target, int64_t target_index, tl_buffer *source, int64_t source_index,
                int64_t count, size_t element_size)
{
    if (count <= 0)
        return;
    size_t to = (size_t)target_index * element_size, from = (size_t)source_index * element_size;
    size_t size = (size_t)count * element_size;
    flush_window(source);
    flush_window(target);
    forget_window(target);
    if (source == target && (to < from ? from - to : to - from) < size) {
        tl_buffer *between = new_buffer(count, element_size);
        tl_cl_copy(between, 0, source, source_index, count, element_size);
        tl_cl_copy(target, target_index, between, 0, count, element_size);
        tl_cl_release(&between);
        return;
    }
    tl_cl_require(clEnqueueCopyBuffer(buffers()->queue, source->memory, target->memory, from, to,
                                      size, 0, NULL, NULL),
                  "clEnqueueCopyBuffer");
    tl_queue_is_idle(false);
}

/* ---- the beginning and the end -------------------------------------------------------------- */

void tl_open_buffers(cl_context context, cl_command_queue queue, const tl_device *device)
{
    tl_current->buffers = calloc(1, sizeof *tl_current->buffers);
    if (!tl_current->buffers)
        tl_fatal("WS FULL", "for the device");
    buffers()->context = context;
    buffers()->queue = queue;
    buffers()->device = device;
}

void tl_close_buffers(void)
{
    if (!buffers())
        return;
    land();
    tl_close_ahead();
    for (int i = 0; i < buffers()->kept_count; i++)
        tl_cl_release(&buffers()->kept[i]);
    free(buffers()->kept);
    empty_pool();
    close_landing();
    free(tl_current->buffers);
    tl_current->buffers = NULL;
}

void tl_print_transfers(FILE *out)
{
    fprintf(out, "%-32s %8zu %12.3f MB\n", "to the device", buffers()->uploads,
            (double)buffers()->uploaded * 1e-6);
    fprintf(out, "%-32s %8zu %12.3f MB\n", "from the device", buffers()->downloads,
            (double)buffers()->downloaded * 1e-6);
    fprintf(out, "%-32s %8zu %12.3f MB\n", "memory of the device", buffers()->created,
            (double)buffers()->most * 1e-6);
}
