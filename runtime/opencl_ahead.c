/* Loops that decide on the device whether they go on, in which the host runs ahead.

       step       0     1     2     3     4     5     6     7     8
       host       looks looks looks looks       looks             looks: step 6 was the last; names are set back
       device     goes on ...                         ends  does nothing

   How far the host runs grows with the number of steps done, so that of all steps that it starts a third at most
   are none, and it looks less and less often. Where a step takes long anyway, or memory is scarce, it looks in each.

   What a step had is noted without references: memory goes round through the pool as it always does. Steps that are
   none write nothing, so that it still has its contents when it is wanted again. */
#include "runtime/context.h"
#include "runtime/opencl.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_AHEAD = 32,      /* steps */
    MOST_ITEMS = 1 << 22, /* work-items of a step: beyond that waiting does not matter */
    STEPS_A_STEP = 2      /* so many were done for each that the host runs ahead */
};

/* What a step had at a place. */
typedef struct Step {
    int buffer_count;
    tl_held *buffers;
    uint64_t *scalars;
} Step;

struct tl_ahead_state {
    tl_buffer *word;
    int places;    /* of a step; what follows counts each of them */
    int64_t done;  /* where the device is known to have gone on */
    int count;     /* after these: */
    int64_t items; /* launched up to the one before */
    bool is_over;  /* one of them ended the loop */
    Step steps[MOST_AHEAD];
};

static struct tl_ahead_state *ahead(void)
{
    return tl_current->ahead;
}

static void forget_steps(void)
{
    for (int i = 0; i < ahead()->count; i++) {
        Step *step = &ahead()->steps[i];
        for (int k = 0; k < step->buffer_count; k++)
            tl_forget_buffer(step->buffers[k]);
        free(step->buffers);
        free(step->scalars);
        *step = (Step){0};
    }
    ahead()->count = 0;
}

void tl_stop_ahead(void)
{
    if (!ahead())
        return;
    forget_steps();
    ahead()->word = NULL;
}

void tl_close_ahead(void)
{
    tl_stop_ahead();
    free(tl_current->ahead);
    tl_current->ahead = NULL;
}

void tl_cl_begin_ahead(tl_buffer **word, int places)
{
    if (!ahead()) {
        tl_current->ahead = calloc(1, sizeof *tl_current->ahead);
        if (!ahead())
            tl_cl_fatal("WS FULL", "for a loop");
    }
    tl_stop_ahead();
    tl_cl_allocate(word, 1, sizeof(int64_t));
    tl_cl_store_i64(*word, 0, 0);
    *ahead() =
        (struct tl_ahead_state){.word = *word, .places = places, .items = tl_items_launched()};
}

static void *make(int count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    if (!memory)
        tl_cl_fatal("WS FULL", "for a loop");
    return memory;
}

static void note_step(int buffer_count, tl_buffer **const *buffers, int scalar_count,
                      const tl_scalar *scalars)
{
    Step *step = &ahead()->steps[ahead()->count++];
    step->buffers = make(buffer_count, sizeof *step->buffers);
    step->scalars = make(scalar_count, sizeof *step->scalars);
    step->buffer_count = buffer_count;
    for (int k = 0; k < buffer_count; k++)
        step->buffers[k] = tl_hold_buffer(*buffers[k]);
    for (int k = 0; k < scalar_count; k++)
        memcpy(&step->scalars[k], scalars[k].variable, scalars[k].size);
}

static void set_back(const Step *step, tl_buffer **const *buffers, int scalar_count,
                     const tl_scalar *scalars)
{
    for (int k = 0; k < step->buffer_count; k++) {
        tl_buffer *now = *buffers[k];
        *buffers[k] = tl_take_again(step->buffers[k]);
        tl_cl_release(&now);
    }
    for (int k = 0; k < scalar_count; k++)
        memcpy(scalars[k].variable, &step->scalars[k], scalars[k].size);
}

/* How many steps the host starts before it looks. */
static int most_steps(void)
{
    int64_t items = tl_items_launched() - ahead()->items;
    if (items > MOST_ITEMS || !tl_memory_is_plenty())
        return 1;
    int64_t most = ahead()->done / STEPS_A_STEP;
    return most < 1 ? 1 : most > MOST_AHEAD ? MOST_AHEAD : (int)most;
}

bool tl_cl_was_last(void)
{
    int64_t decided = tl_cl_load_i64(ahead()->word, 0);
    ahead()->is_over = decided < 0;
    if (ahead()->is_over)
        return true;
    ahead()->done += ahead()->count;
    forget_steps();
    return false;
}

bool tl_cl_is_last(int place, int buffer_count, tl_buffer **const *buffers, int scalar_count,
                   const tl_scalar *scalars)
{
    if (!ahead()->is_over) {
        note_step(buffer_count, buffers, scalar_count, scalars);
        int most = most_steps();
        ahead()->items = tl_items_launched();
        if (ahead()->count < most || !tl_cl_was_last())
            return false;
    }
    int64_t last = -1 - tl_cl_load_i64(ahead()->word, 0);
    if (last % ahead()->places != place)
        return false;
    set_back(&ahead()->steps[last - ahead()->done], buffers, scalar_count, scalars);
    forget_steps();
    ahead()->is_over = false;
    return true;
}
