/* Growth of the maps of name_map.h: twice the buckets where there are as many names. */
#include "core/name_map.h"

static void grow(Arena *arena, CoreNameMap *map)
{
    enum { FIRST_CAPACITY = 64 };
    size_t capacity = map->capacity ? 2 * map->capacity : FIRST_CAPACITY;
    CoreNameEntry **buckets = ARENA_ARRAY(arena, CoreNameEntry *, capacity);
    for (size_t i = 0; i < map->capacity; i++) {
        for (CoreNameEntry *e = map->buckets[i], *next; e; e = next) {
            CoreNameEntry **bucket = &buckets[e->name->number & (capacity - 1)];
            next = e->next;
            e->next = *bucket;
            *bucket = e;
        }
    }
    map->buckets = buckets;
    map->capacity = capacity;
}

void *core_name_map_add(Arena *arena, CoreNameMap *map, const CoreName *name, size_t size)
{
    if (map->count >= map->capacity) {
        grow(arena, map);
    }
    CoreNameEntry **bucket = &map->buckets[name->number & (map->capacity - 1)];
    CoreNameEntry *entry = arena_allocate(arena, sizeof *entry + size);
    *entry = (CoreNameEntry){name, *bucket};
    *bucket = entry;
    map->count++;
    return entry + 1;
}
