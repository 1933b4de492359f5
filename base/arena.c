/* Arenas: blocks of memory that are handed out front to back and freed together. Blocks double in
   size up to 32 megabytes; a request that is larger gets a block of its own. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef struct Block {
    struct Block *previous;
    size_t used, size;
    _Alignas(16) char bytes[];
} Block;

struct Arena {
    Block *current;
    size_t next_size;
};

enum { FIRST_BLOCK = 16 * 1024, LARGEST_BLOCK = 32 * 1024 * 1024, ALIGNMENT = 16 };
enum { HUGE_PAGE = 2 * 1024 * 1024 };

static _Noreturn void out_of_memory(void)
{
    fputs("tailor: out of memory\n", stderr);
    exit(70);
}

/* Large blocks begin at the border of a huge page and ask for such pages, which cost the system a
   fraction of the time that as much memory in small pages does. */
static void *allocate(size_t size)
{
    if (size < LARGEST_BLOCK) {
        return malloc(size);
    }
    void *memory = aligned_alloc(HUGE_PAGE, size);
#ifdef MADV_HUGEPAGE
    if (memory) {
        madvise(memory, size, MADV_HUGEPAGE);
    }
#endif
    return memory;
}

static Block *block_create(size_t size, Block *previous)
{
    if (size > SIZE_MAX - sizeof(Block) - HUGE_PAGE)
        out_of_memory();
    size_t total = sizeof(Block) + size;
    if (total >= LARGEST_BLOCK)
        total = (total + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    Block *block = allocate(total);
    if (!block)
        out_of_memory();
    *block = (Block){previous, 0, total - sizeof(Block)};
    return block;
}

Arena *arena_create(void)
{
    Arena *arena = malloc(sizeof *arena);
    if (!arena)
        out_of_memory();
    *arena = (Arena){NULL, FIRST_BLOCK};
    return arena;
}

void arena_destroy(Arena *arena)
{
    for (Block *block = arena->current; block;) {
        Block *previous = block->previous;
        free(block);
        block = previous;
    }
    free(arena);
}

void *arena_allocate(Arena *arena, size_t size)
{
    if (size > SIZE_MAX - ALIGNMENT)
        out_of_memory();
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!arena->current || arena->current->size - arena->current->used < size) {
        size_t block_size = size > arena->next_size ? size : arena->next_size;
        arena->current = block_create(block_size, arena->current);
        if (arena->next_size < LARGEST_BLOCK)
            arena->next_size *= 2;
    }
    void *result = arena->current->bytes + arena->current->used;
    arena->current->used += size;
    return memset(result, 0, size);
}

void *arena_copy(Arena *arena, const void *bytes, size_t size)
{
    void *copy = arena_allocate(arena, size);
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

char *arena_text(Arena *arena, const char *text, size_t length)
{
    char *copy = arena_allocate(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_printf(Arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = arena_allocate(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}
