/* Growth of the arrays of vec.h: the old block stays in the arena, unused. */
#include "base/vec.h"

void *vec_grow(Arena *arena, void *items, size_t item_size, size_t *capacity)
{
    size_t old = *capacity;
    *capacity = old ? old * 2 : 8;
    void *grown = arena_allocate(arena, *capacity * item_size);
    if (old)
        memcpy(grown, items, old * item_size);
    return grown;
}
