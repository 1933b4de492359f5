/* Arena memory: everything a compilation allocates lives until the compilation ends; what a pass
   needs for itself lives in a second arena, between a mark and its release.

       ArenaMark mark = arena_mark(c->scratch);
       ... = ARENA_ARRAY(c->scratch, ...);
       arena_release(c->scratch, mark);             -- marks are released in the reverse order
*/
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <string.h>

typedef struct Arena Arena;

Arena *arena_create(void);
void arena_destroy(Arena *arena);

/* `size` bytes, zeroed, aligned for any type. Never returns NULL: out of memory ends the process
   with a message and exit code 70. */
void *arena_allocate(Arena *arena, size_t size);
typedef struct ArenaMark {
    struct ArenaBlock *block;
    size_t used;
} ArenaMark;

ArenaMark arena_mark(const Arena *arena);
/* What was allocated since the mark is no more; its memory is handed out again. */
void arena_release(Arena *arena, ArenaMark mark);

/* A copy of `size` bytes. */
void *arena_copy(Arena *arena, const void *bytes, size_t size);
/* A NUL-terminated copy of `length` bytes of text. */
char *arena_text(Arena *arena, const char *text, size_t length);
/* sprintf into the arena. */
char *arena_printf(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(arena, Type) ((Type *)arena_allocate((arena), sizeof(Type)))
#define ARENA_ARRAY(arena, Type, count)                                                            \
    ((Type *)arena_allocate((arena), sizeof(Type) * (size_t)(count)))

#endif
