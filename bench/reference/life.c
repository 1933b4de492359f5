/* life.apl: a byte a cell. In C a row of the board has a margin of one cell on either side, so that
   the inner loops know no borders; the sums of three cells beside each other are computed once a
   row and kept for three rows. On a device, four cells are a word, and two kernels with their
   arguments set once take turns. */
#include "bench/reference/reference.h"
#include <string.h>

/* The space before a row, so that cells begin at a multiple of 64. */
enum { MARGIN = 64, GROUP = 256, COLUMNS_OF_GROUP = 32, ROWS_OF_GROUP = 8, ROWS_OF_ITEM = 4 };

typedef struct Life {
    int64_t pitch; /* bytes from row to row */
    uint8_t *boards[2], *sums;
    cl_kernel fill, generations[2];
    Reduction alive[2];
    size_t items[2];
} Life;

static void *prepare(Job *job)
{
    Life *life = make_memory(sizeof *life);
    const int64_t n = job->sizes[0], cells = n * n;
    if (!job->device) {
        life->pitch = MARGIN + (n + 1 + 63) / 64 * 64;
        for (int i = 0; i < 2; i++)
            life->boards[i] = make_memory((size_t)(life->pitch * n + MARGIN));
        life->sums = make_memory((size_t)(life->pitch * 3));
        return life;
    }
    Device *device = job->device;
    const bool in_words = n % 4 == 0;
    const cl_uint rows = (cl_uint)n, columns = (cl_uint)(in_words ? n / 4 : n);
    const size_t rows_of_item = in_words ? ROWS_OF_ITEM : 1;
    cl_mem boards[2];
    for (int i = 0; i < 2; i++)
        boards[i] = device_buffer(device, (size_t)cells + 16, NULL);
    life->fill = device_kernel(device, "fill");
    DEVICE_SET(life->fill, 0, cells);
    DEVICE_SET(life->fill, 1, boards[0]);
    for (int i = 0; i < 2; i++) {
        cl_kernel kernel =
            device_kernel(device, in_words ? "generation_words" : "generation_cells");
        DEVICE_SET(kernel, 0, rows);
        DEVICE_SET(kernel, 1, columns);
        DEVICE_SET(kernel, 2, boards[i]);
        DEVICE_SET(kernel, 3, boards[1 - i]);
        life->generations[i] = kernel;
        life->alive[i] =
            device_reduction(device, "alive", 2, sizeof(cl_long), device_groups(device) / 2, GROUP);
        DEVICE_SET(life->alive[i].kernel, 0, cells);
        DEVICE_SET(life->alive[i].kernel, 1, boards[i]);
    }
    life->items[0] = (columns + COLUMNS_OF_GROUP - 1) / COLUMNS_OF_GROUP * COLUMNS_OF_GROUP;
    life->items[1] =
        (rows + rows_of_item * ROWS_OF_GROUP - 1) / (rows_of_item * ROWS_OF_GROUP) * ROWS_OF_GROUP;
    return life;
}

/* The sums of three cells beside each other. The margins of the row become its other end. */
static void sum_row(int64_t n, uint8_t *restrict row, uint8_t *restrict sums)
{
    row[-1] = row[n - 1];
    row[n] = row[0];
    for (int64_t j = 0; j < n; j++)
        sums[j] = (uint8_t)(row[j - 1] + row[j] + row[j + 1]);
}

static void next_row(int64_t n, const uint8_t *restrict above, const uint8_t *restrict here,
                     const uint8_t *restrict below, const uint8_t *restrict row,
                     uint8_t *restrict next)
{
    for (int64_t j = 0; j < n; j++) {
        const uint8_t area = (uint8_t)(above[j] + here[j] + below[j]);
        next[j] = (uint8_t)((area == 3) | (row[j] & (area == 4)));
    }
}

static void generation(const Life *life, int64_t n, uint8_t *board, uint8_t *next)
{
    uint8_t *above = life->sums, *here = above + life->pitch, *below = here + life->pitch;
    sum_row(n, board + (n - 1) * life->pitch, above);
    sum_row(n, board, here);
    for (int64_t i = 0; i < n; i++) {
        sum_row(n, board + (i == n - 1 ? 0 : i + 1) * life->pitch, below);
        next_row(n, above, here, below, board + i * life->pitch, next + i * life->pitch);
        uint8_t *spare = above;
        above = here;
        here = below;
        below = spare;
    }
}

static void run_c(Job *job, Result *result)
{
    const int64_t n = job->sizes[0];
    const Life *life = job->state;
    uint8_t *board = life->boards[0] + MARGIN, *next = life->boards[1] + MARGIN;
    for (int64_t row = 0, i = 1; row < n; row++) {
        for (int64_t j = 0; j < n; j++, i++)
            board[row * life->pitch + j] = (i * (5 + i * i)) % 1009 < 300;
    }
    for (int64_t g = 0; g < job->sizes[1]; g++) {
        generation(life, n, board, next);
        uint8_t *spare = board;
        board = next;
        next = spare;
    }
    int64_t alive = 0;
    for (int64_t row = 0; row < n; row++) {
        for (int64_t j = 0; j < n; j++)
            alive += board[row * life->pitch + j];
    }
    give_int(result, alive, '\n');
}

static void run_opencl(Job *job, Result *result)
{
    const Life *life = job->state;
    const size_t cells = (size_t)(job->sizes[0] * job->sizes[0]);
    const size_t group[2] = {COLUMNS_OF_GROUP, ROWS_OF_GROUP};
    cl_long alive;
    device_launch(job->device, life->fill, (cells + GROUP - 1) / GROUP * GROUP, GROUP);
    for (int64_t g = 0; g < job->sizes[1]; g++)
        device_launch_2d(job->device, life->generations[g % 2], life->items, group);
    device_reduce(job->device, &life->alive[job->sizes[1] % 2], &alive);
    give_int(result, alive, '\n');
}

const Reference reference_life = {
    "life", "life", {"n", "generations"}, {1200, 100}, prepare, run_c, run_opencl,
};
