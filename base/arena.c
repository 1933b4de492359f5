/* Arenas: blocks of memory that are handed out front to back and freed together. Blocks double in
   size up to 32 megabytes; a request that is larger gets a block of its own. Blocks behind the
   current one are empty: a release has left them, and they are used before new ones are made.

   Under AddressSanitizer what is not handed out is poisoned, and a gap lies behind each piece, so
   that an access beyond one is reported as it would be with malloc. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef SANITIZED
#include <sanitizer/asan_interface.h>
enum { GAP = 16, LARGEST_BLOCK = 64 * 1024 }; /* larger ones it asks the system for, each time */
#define HUGE_BLOCK SIZE_MAX                   /* it looks for leaks in what it hands out itself */
#else
enum { GAP = 0, LARGEST_BLOCK = 32 * 1024 * 1024 };
#define HUGE_BLOCK ((size_t)2 * 1024 * 1024) /* blocks from this size on are made of huge pages */
#define ASAN_POISON_MEMORY_REGION(bytes, size) ((void)(bytes), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(bytes, size) ((void)(bytes), (void)(size))
#endif

typedef struct ArenaBlock Block;
struct ArenaBlock {
    struct ArenaBlock *previous, *next;
    size_t used, size;
    size_t touched; /* bytes that have been handed out at some time; those behind are zero still */
    _Alignas(16) char bytes[];
};

struct Arena {
    Block *current; /* NULL: nothing is in use */
    Block *first;
    size_t next_size;
};

enum { FIRST_BLOCK = 16 * 1024, ALIGNMENT = 16, HUGE_PAGE = 2 * 1024 * 1024 };

static _Noreturn void out_of_memory(void)
{
    fputs("tailor: out of memory\n", stderr);
    exit(70);
}

/* Zeros. Large blocks begin at the border of a huge page and ask for such pages, which cost the system a
   fraction of the time that as much memory in small pages does. */
static void *allocate(size_t size)
{
    if (size < HUGE_BLOCK) {
        return calloc(1, size);
    }
    char *memory =
        mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    size_t before = -(uintptr_t)memory % HUGE_PAGE;
    if (before > 0) {
        munmap(memory, before);
    }
    munmap(memory + before + size, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
    madvise(memory + before, size, MADV_HUGEPAGE);
#endif
    return memory + before;
}

static void release(Block *block)
{
    size_t total = sizeof *block + block->size;
    if (total < HUGE_BLOCK) {
        free(block);
    } else {
        munmap(block, total);
    }
}

static Block *block_create(size_t size)
{
    if (size > SIZE_MAX - sizeof(Block) - 2 * HUGE_PAGE)
        out_of_memory();
    size_t total = sizeof(Block) + size;
    if (total >= HUGE_BLOCK)
        total = (total + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    Block *block = allocate(total);
    if (!block)
        out_of_memory();
    *block = (Block){.size = total - sizeof(Block)};
    ASAN_POISON_MEMORY_REGION(block->bytes, block->size);
    return block;
}

Arena *arena_create(void)
{
    Arena *arena = malloc(sizeof *arena);
    if (!arena)
        out_of_memory();
    *arena = (Arena){.next_size = FIRST_BLOCK};
    return arena;
}

void arena_destroy(Arena *arena)
{
    for (Block *block = arena->first; block;) {
        Block *next = block->next;
        ASAN_UNPOISON_MEMORY_REGION(block->bytes, block->size);
        release(block);
        block = next;
    }
    free(arena);
}

/* The next block that has room, put behind the current one: an empty one, or a new one. */
static void next_block(Arena *arena, size_t room)
{
    Block *before = arena->current, *block = before ? before->next : arena->first;
    if (!block || block->size < room) {
        Block *fresh = block_create(room > arena->next_size ? room : arena->next_size);
        if (arena->next_size < LARGEST_BLOCK)
            arena->next_size *= 2;
        fresh->previous = before;
        fresh->next = block;
        if (block)
            block->previous = fresh;
        if (before)
            before->next = fresh;
        else
            arena->first = fresh;
        block = fresh;
    }
    arena->current = block;
}

ArenaMark arena_mark(const Arena *arena)
{
    return (ArenaMark){arena->current, arena->current ? arena->current->used : 0};
}

void arena_release(Arena *arena, ArenaMark mark)
{
    while (arena->current != mark.block) {
        ASAN_POISON_MEMORY_REGION(arena->current->bytes, arena->current->size);
        arena->current->used = 0;
        arena->current = arena->current->previous;
    }
    if (mark.block) {
        ASAN_POISON_MEMORY_REGION(mark.block->bytes + mark.used, mark.block->size - mark.used);
        mark.block->used = mark.used;
    }
}

void *arena_allocate(Arena *arena, size_t size)
{
    if (size > SIZE_MAX - ALIGNMENT - GAP)
        out_of_memory();
    size_t taken = (size + GAP + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!arena->current || arena->current->size - arena->current->used < taken) {
        next_block(arena, taken);
    }
    Block *block = arena->current;
    void *result = block->bytes + block->used;
    size_t touched = block->touched > block->used ? block->touched - block->used : 0;
    block->used += taken;
    if (block->touched < block->used)
        block->touched = block->used;
    ASAN_UNPOISON_MEMORY_REGION(result, size);
    return memset(result, 0, touched < size ? touched : size);
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
