/* Maps from the names of a core program to records, as passes keep of each name what they know.

       CoreNameMap levels = {0};
       int *level = core_name_map_make(arena, &levels, name, sizeof *level);   -- zero where it is new
       *level = 3;
       const int *found = core_name_map_get(&levels, name);                    -- NULL: never made

   Numbers of names are nearly unique and count up, so that the number is the hash: names that
   stand beside each other in the program have neighbouring buckets, and a walk over the program
   goes through the table from its beginning to its end. A name and its copies with other types
   have one number, and are in one bucket. Records stay where they are, each behind its entry. */
#ifndef CORE_NAME_MAP_H
#define CORE_NAME_MAP_H

#include "core/core.h"

typedef struct CoreNameEntry {
    _Alignas(16) const CoreName *name;
    struct CoreNameEntry *next; /* in its bucket; the record follows */
} CoreNameEntry;

/* A map of zeros is empty. */
typedef struct CoreNameMap {
    CoreNameEntry **buckets;
    size_t count, capacity; /* capacity: a power of two */
} CoreNameMap;

/* The record of the name; NULL where it has none. */
static inline void *core_name_map_get(const CoreNameMap *map, const CoreName *name)
{
    if (map->capacity == 0) {
        return NULL;
    }
    for (CoreNameEntry *e = map->buckets[name->number & (map->capacity - 1)]; e; e = e->next) {
        if (e->name == name) {
            return e + 1;
        }
    }
    return NULL;
}

/* A record of `size` zero bytes for a name that has none. */
void *core_name_map_add(Arena *arena, CoreNameMap *map, const CoreName *name, size_t size);

/* The record of the name: `size` bytes, zero when they are made. */
static inline void *core_name_map_make(Arena *arena, CoreNameMap *map, const CoreName *name,
                                       size_t size)
{
    void *found = core_name_map_get(map, name);
    return found ? found : core_name_map_add(arena, map, name, size);
}

#endif
