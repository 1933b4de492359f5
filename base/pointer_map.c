/* Hash tables of pointer_map.h. Lookups never insert, so that a table has empty slots always. */
#include "base/pointer_map.h"

#include <stdint.h>

static struct PointerMapSlot *slot_of(const PointerMap *map, const void *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = (size_t)(hash >> 32) & (map->capacity - 1);
    while (map->slots[at].key && map->slots[at].key != key) {
        at = (at + 1) & (map->capacity - 1);
    }
    return &map->slots[at];
}

void *pointer_map_get(const PointerMap *map, const void *key)
{
    return map->capacity > 0 ? slot_of(map, key)->value : NULL;
}

/* A slot with the key, in a table with room for more. */
static struct PointerMapSlot *own_slot(Arena *arena, PointerMap *map, const void *key)
{
    if (2 * (map->count + 1) > map->capacity) {
        PointerMap grown = {.count = map->count,
                            .capacity = map->capacity ? 2 * map->capacity : 16};
        grown.slots = arena_allocate(arena, grown.capacity * sizeof *grown.slots);
        for (size_t i = 0; i < map->capacity; i++) {
            if (map->slots[i].key) {
                *slot_of(&grown, map->slots[i].key) = map->slots[i];
            }
        }
        *map = grown;
    }
    struct PointerMapSlot *slot = slot_of(map, key);
    map->count += slot->key == NULL;
    slot->key = key;
    return slot;
}

void pointer_map_set(Arena *arena, PointerMap *map, const void *key, void *value)
{
    own_slot(arena, map, key)->value = value;
}

void *pointer_map_make(Arena *arena, PointerMap *map, const void *key, size_t size)
{
    struct PointerMapSlot *slot = own_slot(arena, map, key);
    if (!slot->value) {
        slot->value = arena_allocate(arena, size);
    }
    return slot->value;
}
