/* Maps from pointers (names, interned texts, nodes) to pointers, in an arena.

       PointerMap levels = {0};
       int *level = pointer_map_make(arena, &levels, name, sizeof *level);  -- zero where it is new
       *level = 3;
       const int *found = pointer_map_get(&levels, name);                   -- NULL: never made
*/
#ifndef BASE_POINTER_MAP_H
#define BASE_POINTER_MAP_H

#include "base/arena.h"

/* Open addressing, doubled at half full; a map of zeros is empty. Slots without a key are empty. */
typedef struct PointerMap {
    struct PointerMapSlot {
        const void *key;
        void *value;
    } * slots;
    size_t count, capacity;
} PointerMap;

/* The value of the key; NULL where it has none. */
void *pointer_map_get(const PointerMap *map, const void *key);
/* Requires a key that is not NULL. */
void pointer_map_set(Arena *arena, PointerMap *map, const void *key, void *value);
/* The value of the key: `size` bytes that stay where they are, zero when they are made. */
void *pointer_map_make(Arena *arena, PointerMap *map, const void *key, size_t size);

#endif
