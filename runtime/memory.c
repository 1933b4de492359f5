/* Memory of sequential programs: blocks whose references are counted.

       tl_allocate 800,000 bytes, tl_release      the block is spare
       tl_allocate 790,000 bytes                  the same block again

   Blocks in use are linked, so that a library's call gives back what it holds when it fails. */
#include "runtime/context.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_ALIGNMENT = 64 };

struct tl_block {
    _Alignas(BLOCK_ALIGNMENT) int64_t references;
    size_t capacity;           /* bytes of data that it has room for */
    tl_block *previous, *next; /* among the blocks in use */
};

static tl_memory_state *memory(void)
{
    return &tl_current->memory;
}

/* ---- blocks in use -------------------------------------------------------------------------- */

static void link_block(tl_block *block)
{
    tl_memory_state *m = memory();
    block->previous = NULL;
    block->next = m->in_use;
    if (m->in_use) {
        m->in_use->previous = block;
    }
    m->in_use = block;
    m->held += block->capacity;
}

static void unlink_block(tl_block *block)
{
    memory()->held -= block->capacity;
    if (block->previous) {
        block->previous->next = block->next;
    } else {
        memory()->in_use = block->next;
    }
    if (block->next) {
        block->next->previous = block->previous;
    }
}

/* ---- spare blocks --------------------------------------------------------------------------- */

/* The memory of a dead array is taken for the next one of about its size, for fresh pages cost more
   than what is computed into them, and asking for it more than what is computed into a short row.
   Small blocks have room for a power of two. */
enum { SMALL_BYTES = BLOCK_ALIGNMENT << (TL_SMALL_SIZES - 1), MOST_SMALL = 8 /* of each size */ };

/* Which size a small block of so many bytes has. */
static int small_size(size_t bytes)
{
    int size = 0;
    while ((size_t)BLOCK_ALIGNMENT << size < bytes) {
        size++;
    }
    return size;
}

static tl_block *take_small(size_t bytes)
{
    tl_memory_state *m = memory();
    int size = small_size(bytes);
    tl_block *block = m->small[size];
    if (block) {
        m->small[size] = block->next;
        m->small_counts[size]--;
    }
    return block;
}

/* False: there are enough. */
static bool keep_small(tl_block *block)
{
    tl_memory_state *m = memory();
    int size = small_size(block->capacity);
    if (m->small_counts[size] == MOST_SMALL) {
        return false;
    }
    block->next = m->small[size];
    m->small[size] = block;
    m->small_counts[size]++;
    return true;
}

static void drop_spare(int at)
{
    tl_memory_state *m = memory();
    m->spare_count--;
    memmove(&m->spare[at], &m->spare[at + 1], sizeof m->spare[0] * (size_t)(m->spare_count - at));
}

/* The smallest spare block with room for so many bytes that wastes at most as many again; or NULL.
 */
static tl_block *take_spare(size_t bytes)
{
    tl_memory_state *m = memory();
    int best = -1;
    for (int i = 0; i < m->spare_count; i++) {
        size_t capacity = m->spare[i]->capacity;
        if (capacity >= bytes && capacity / 2 <= bytes &&
            (best < 0 || capacity < m->spare[best]->capacity)) {
            best = i;
        }
    }
    if (best < 0) {
        return NULL;
    }
    tl_block *block = m->spare[best];
    drop_spare(best);
    return block;
}

/* Asked for once: that is a call of the system. */
static size_t physical_memory(void)
{
    tl_memory_state *m = memory();
    if (m->physical == 0) {
        long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
        m->physical = pages <= 0 || page_size <= 0 ? SIZE_MAX : (size_t)pages * (size_t)page_size;
    }
    return m->physical;
}

/* All spare blocks together stay below a quarter of the machine's memory. */
static void keep_spare(tl_block *block)
{
    tl_memory_state *m = memory();
    size_t total = block->capacity;
    for (int i = 0; i < m->spare_count; i++) {
        total += m->spare[i]->capacity;
    }
    while (m->spare_count > 0 &&
           (m->spare_count == TL_MOST_SPARE || total > physical_memory() / 4)) {
        total -= m->spare[0]->capacity;
        free(m->spare[0]);
        drop_spare(0);
    }
    m->spare[m->spare_count++] = block;
}

void tl_free_spare(void)
{
    tl_memory_state *m = memory();
    while (m->spare_count > 0) {
        free(m->spare[--m->spare_count]);
    }
    for (int i = 0; i < TL_SMALL_SIZES; i++) {
        while (m->small[i]) {
            tl_block *block = m->small[i];
            m->small[i] = block->next;
            free(block);
        }
        m->small_counts[i] = 0;
    }
}

/* ---- making and releasing ------------------------------------------------------------------- */

/* What does not fit into the machine's memory beside what is held is refused at once, rather than
   when it is touched. Spare blocks give way. */
bool tl_fits_memory(size_t bytes)
{
    enum { SMALL = 1 << 20 };
    const tl_memory_state *m = memory();
    if (bytes < SMALL) {
        return true;
    }
    size_t most = physical_memory(), spare = 0;
    if (m->held > most || bytes > most - m->held) {
        return false;
    }
    for (int i = 0; i < m->spare_count; i++) {
        spare += m->spare[i]->capacity;
    }
    if (spare > most - m->held - bytes) {
        tl_free_spare();
    }
    return true;
}

_Noreturn static void refuse(int64_t count, size_t element_size)
{
    char number[64];
    tl_format_scalar(number, TL_I64, &count, 10);
    tl_fatal("LIMIT ERROR", "an array of %s elements of %zu bytes", number, element_size);
}

static tl_block *fresh_block(size_t bytes)
{
    size_t padded = bytes <= SMALL_BYTES
                        ? (size_t)BLOCK_ALIGNMENT << small_size(bytes)
                        : (bytes + sizeof(tl_block) - 1) / sizeof(tl_block) * sizeof(tl_block);
    tl_block *block = aligned_alloc(BLOCK_ALIGNMENT, sizeof(tl_block) + padded);
    if (block) {
        block->capacity = padded;
    }
    return block;
}

tl_block *tl_allocate(int64_t count, size_t element_size)
{
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, element_size, &bytes) ||
        bytes > (size_t)INT64_MAX - 2 * sizeof(tl_block)) {
        refuse(count, element_size);
    }
    tl_block *block = bytes <= SMALL_BYTES ? take_small(bytes) : take_spare(bytes);
    if (!block && tl_fits_memory(bytes)) {
        block = fresh_block(bytes);
        if (!block) {
            tl_free_spare();
            block = fresh_block(bytes);
        }
    }
    if (!block) {
        tl_fatal("WS FULL", "%zu bytes", bytes);
    }
    block->references = 1;
    link_block(block);
    return block;
}

tl_block *tl_block_of(const void *elements, int64_t count, size_t element_size)
{
    tl_block *block = tl_allocate(count, element_size);
    if (count > 0) {
        memcpy(tl_data(block), elements, (size_t)count * element_size);
    }
    return block;
}

void *tl_data(tl_block *block)
{
    return block + 1;
}

tl_block *tl_retain(tl_block *block)
{
    if (block) {
        block->references++;
    }
    return block;
}

static void drop_block(tl_block *block)
{
    unlink_block(block);
    if (block->capacity > SMALL_BYTES) {
        keep_spare(block);
    } else if (!keep_small(block)) {
        free(block);
    }
}

void tl_release(tl_block *block)
{
    if (block && --block->references == 0) {
        drop_block(block);
    }
}

void tl_free_blocks(void)
{
    while (memory()->in_use) {
        drop_block(memory()->in_use);
    }
}
