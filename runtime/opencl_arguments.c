/* Arguments of kernels: which are set already, and kernel objects that take turns.

       loop { step reads a, writes b; step reads b, writes a }

   A kernel object remembers its arguments, so that only those that change are set. One that would
   have other buffers in each launch of a loop is several objects, each with arguments of its own:
   then none changes, and a launch is one call of the driver. */
#include "runtime/opencl.h"

#include <string.h>

bool tl_is_small(int64_t iterations, int64_t limit, int count, const tl_argument *arguments)
{
    bool small = iterations < limit;
    for (int i = 0; i < count; i++) {
        const tl_argument *argument = &arguments[i];
        small = small && (argument->buffer ? tl_buffer_size(argument->buffer) <= INT32_MAX
                                           : !argument->is_index || (argument->as.i64 > -TL_SMALL &&
                                                                     argument->as.i64 < TL_SMALL));
    }
    return small;
}

void tl_set_argument(tl_compiled *compiled, int index, size_t size, const void *value)
{
    tl_set *last = &compiled->arguments[index];
    if (last->size == size && memcmp(last->value, value, size) == 0)
        return;
    tl_cl_require(clSetKernelArg(compiled->kernel, (cl_uint)index, size, value), "clSetKernelArg");
    last->size = size;
    memcpy(last->value, value, size);
}

void tl_set_index(tl_compiled *compiled, int index, bool small, int64_t value)
{
    int32_t half = (int32_t)value;
    if (small) {
        tl_set_argument(compiled, index, sizeof half, &half);
    } else {
        tl_set_argument(compiled, index, sizeof value, &value);
    }
}

static bool has_buffers(const tl_set *set, int count, const tl_argument *arguments)
{
    for (int i = 0; i < count; i++) {
        if (arguments[i].buffer) {
            cl_mem memory = tl_buffer_for_kernel(arguments[i].buffer, arguments[i].written);
            if (set[i].size != sizeof memory || memcmp(set[i].value, &memory, sizeof memory) != 0)
                return false;
        }
    }
    return true;
}

tl_compiled *tl_whose_turn(tl_compiled turns[TL_TURNS], long launch, int first, int count,
                           const tl_argument *arguments)
{
    enum { LAUNCHES_BEFORE_TURNS = 8 }; /* kernel objects are not made for a few */
    tl_compiled *chosen = &turns[0];
    for (int turn = 0; turn < TL_TURNS && launch > LAUNCHES_BEFORE_TURNS; turn++) {
        tl_compiled *compiled = &turns[turn];
        if (compiled->kernel && compiled->generation == tl_buffer_generation() &&
            has_buffers(compiled->arguments + first, count, arguments)) {
            chosen = compiled;
            break;
        }
        chosen = compiled->last_launch < chosen->last_launch ? compiled : chosen;
    }
    chosen->last_launch = launch;
    return chosen;
}
