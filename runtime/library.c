/* Contexts and calls of a library (tailor_library.h).

   A call makes its context the thread's present one, checks what it was given, and runs the entry's
   function. A failure anywhere below comes here by longjmp: the blocks that the entry held are
   known to the context (memory.c, opencl_buffer.c) and are given back, so a call that fails leaks
   nothing and leaves a context as good as new.

       status = stats_mean(context, v, shape, &mean);
         -> TL_LENGTH_ERROR, and stats_error(context) is
            "stats.apl:3:7: LENGTH ERROR: 3 and 4\n  a+b\n   ^" */
#include "runtime/context.h"

#include <stdlib.h>
#include <string.h>

/* ---- errors --------------------------------------------------------------------------------- */

static const char *const status_names[] = {
    [TL_OK] = "OK",
    [TL_LENGTH_ERROR] = "LENGTH ERROR",
    [TL_RANK_ERROR] = "RANK ERROR",
    [TL_INDEX_ERROR] = "INDEX ERROR",
    [TL_DOMAIN_ERROR] = "DOMAIN ERROR",
    [TL_LIMIT_ERROR] = "LIMIT ERROR",
    [TL_VALUE_ERROR] = "VALUE ERROR",
    [TL_WS_FULL] = "WS FULL",
    [TL_DEVICE_ERROR] = "DEVICE ERROR",
    [TL_OTHER_ERROR] = "ERROR",
};

static int status_of(const char *error)
{
    for (int i = TL_LENGTH_ERROR; i < TL_OTHER_ERROR; i++) {
        if (strcmp(status_names[i], error) == 0) {
            return i;
        }
    }
    return TL_OTHER_ERROR;
}

const char *tl_library_status_name(int status)
{
    return status >= TL_OK && status <= TL_OTHER_ERROR ? status_names[status] : "ERROR";
}

const char *tl_library_error(const tl_context *context)
{
    if (context && context->call.status == TL_OK) {
        return "";
    }
    if (context && context->call.error) {
        return context->call.error;
    }
    return tl_library_status_name(context ? context->call.status : TL_WS_FULL);
}

void tl_library_fail(const char *error, const char *text)
{
    tl_call_state *call = &tl_current->call;
    jmp_buf *out = call->out;
    free(call->error);
    call->error = strdup(text);
    call->status = status_of(error);
    longjmp(*out, 1);
}

/* ---- contexts ------------------------------------------------------------------------------- */

/* Runs `action` with failures caught; false after one, with what the context held given back. */
static bool guarded(tl_context *context, void (*action)(void *argument), void *argument)
{
    tl_context *outer = tl_current;
    jmp_buf out;
    tl_current = context;
    context->call.out = &out;
    volatile bool ok = false;
    if (setjmp(out) == 0) {
        action(argument);
        ok = true;
    }
    context->call.out = NULL;
    tl_current = outer;
    return ok;
}

typedef struct Opening {
    const tl_device_functions *device;
    const void *program;
} Opening;

static void open_device(void *argument)
{
    const Opening *opening = argument;
    opening->device->open(opening->program);
}

static void close_device(void *argument)
{
    tl_context *context = argument;
    context->device->close();
}

tl_context *tl_library_open(const tl_library_options *options, const tl_device_functions *device,
                            const void *program)
{
    tl_context *context = calloc(1, sizeof *context);
    if (!context) {
        return NULL;
    }
    tl_program_start(&context->program, "library");
    if (options && options->seed != 0) {
        context->program.seed = options->seed;
    }
    context->program.device = options ? options->device : NULL;
    context->program.profile = options && options->profile;
    if (!context->program.device) {
        context->program.device = getenv("TAILOR_DEVICE");
    }
    context->device = device;
    Opening opening = {device, program};
    if (device && !guarded(context, open_device, &opening)) {
        guarded(context, close_device, context);
        context->device = NULL;
        context->call.is_unusable = true;
    }
    return context;
}

void tl_library_close(tl_context *context)
{
    if (!context) {
        return;
    }
    if (context->device) {
        guarded(context, close_device, context);
    }
    tl_context *outer = tl_current;
    tl_current = context;
    tl_free_blocks();
    tl_free_spare();
    tl_current = outer == context ? &tl_program_context : outer;
    free(context->call.error);
    free(context);
}

/* ---- values --------------------------------------------------------------------------------- */

/* Where nothing is wrong with it, the parameter's value, borrowed from the caller. */
static tl_array value_given(const tl_parameter *parameter, const tl_given *given)
{
    tl_array array = {.data = (void *)given->data, .count = 1};
    if (parameter->rank > 0 && !given->shape) {
        tl_fatal("VALUE ERROR", "%s : %s has no shape", parameter->name, parameter->type_text);
    }
    for (int k = 0; k < parameter->rank; k++) {
        int64_t extent = given->shape[k];
        if (extent < 0) {
            tl_fatal("LENGTH ERROR", "%s : %s has extent %lld along axis %d", parameter->name,
                     parameter->type_text, (long long)extent, k);
        }
        if (__builtin_mul_overflow(array.count, extent, &array.count) ||
            array.count > INT64_MAX / 8) {
            tl_fatal("LIMIT ERROR", "%s : %s has too many elements", parameter->name,
                     parameter->type_text);
        }
    }
    if (!given->data && array.count > 0) {
        tl_fatal("VALUE ERROR", "%s : %s has no data", parameter->name, parameter->type_text);
    }
    if (parameter->type == TL_BOOL) {
        const uint8_t *bytes = given->data;
        for (int64_t i = 0; i < array.count; i++) {
            if (bytes[i] > 1) {
                tl_fatal("DOMAIN ERROR", "%s : %s has a bool of value %d", parameter->name,
                         parameter->type_text, bytes[i]);
            }
        }
    }
    array.shape = (int64_t *)given->shape;
    return array;
}

/* As a call begins, and as it fails: whatever happens, nobody frees what is not there. */
static void clear_results(const tl_entry *entry, const tl_taken *taken)
{
    for (int i = 0; i < entry->result_count; i++) {
        const tl_result_type *type = &entry->results[i];
        if (taken[i].place) {
            size_t size = type->rank == 0 ? tl_type_size(type->type) : sizeof(void *);
            memset(taken[i].place, 0, size);
        }
        for (int k = 0; taken[i].shape && k < type->rank; k++) {
            taken[i].shape[k] = 0;
        }
    }
}

static void free_results(const tl_entry *entry, const tl_taken *taken)
{
    for (int i = 0; i < entry->result_count; i++) {
        void *memory = NULL;
        if (entry->results[i].rank > 0 && taken[i].place) {
            memcpy(&memory, taken[i].place, sizeof memory);
        }
        free(memory);
    }
    clear_results(entry, taken);
}

/* ---- calls ---------------------------------------------------------------------------------- */

typedef struct Calling {
    const tl_entry *entry;
    void (*run)(void);
    const tl_given *given;
    const tl_taken *taken;
} Calling;

static void call(void *argument)
{
    const Calling *calling = argument;
    const tl_entry *entry = calling->entry;
    tl_entry_begin(entry, NULL);
    tl_current->run.is_borrowed = true;
    tl_current->run.taken = calling->taken;
    for (int i = 0; i < entry->result_count; i++) {
        bool is_array = entry->results[i].rank > 0;
        if (!calling->taken[i].place || (is_array && !calling->taken[i].shape)) {
            tl_fatal("VALUE ERROR", "there is no place for result %d", i + 1);
        }
    }
    for (int i = entry->size_count; i < entry->parameter_count; i++) {
        tl_entry_set(i, value_given(&entry->parameters[i], &calling->given[i - entry->size_count]));
    }
    calling->run();
    if (tl_current->device) {
        tl_current->device->wait();
    }
}

static void recover(void *argument)
{
    (void)argument;
    tl_current->device->recover();
}

int tl_library_call(tl_context *context, const tl_entry *entry, void (*run)(void),
                    const tl_given *given, const tl_taken *taken)
{
    clear_results(entry, taken);
    if (!context) {
        return TL_WS_FULL;
    }
    if (context->call.is_unusable) {
        return context->call.status;
    }
    Calling calling = {entry, run, given, taken};
    context->call.status = TL_OK;
    context->program.name = entry->name;
    int64_t precision = context->program.precision; /* what one call sets, the next does not see */
    bool ok = guarded(context, call, &calling);
    context->program.precision = precision;
    int status = context->call.status;
    if (!ok) {
        free_results(entry, taken);
        if (context->device) {
            char *error = context->call.error;
            context->call.error = NULL;
            guarded(context, recover, NULL);
            free(context->call.error);
            context->call.error = error;
            context->call.status = status;
        }
    }
    tl_context *outer = tl_current;
    tl_current = context;
    tl_entry_free();
    tl_free_blocks();
    tl_current = outer;
    return status;
}
