/* Arenas: blocks of memory that are handed out front to back and freed together. Blocks double in
   size up to a megabyte; a request that is larger gets a block of its own. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Block {
    struct Block *previous;
    size_t used, size;
    _Alignas(16) char bytes[];
} Block;

struct Arena {
    Block *current;
    size_t next_size;
};

enum { FIRST_BLOCK = 16 * 1024, LARGEST_BLOCK = 1024 * 1024, ALIGNMENT = 16 };

static _Noreturn void out_of_memory(void)
{
    fputs("tailor: out of memory\n", stderr);
    exit(70);
}

static Block *block_create(size_t size, Block *previous)
{
    if (size > SIZE_MAX - sizeof(Block))
        out_of_memory();
    Block *block = malloc(sizeof(Block) + size);
    if (!block)
        out_of_memory();
    *block = (Block){previous, 0, size};
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
