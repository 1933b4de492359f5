/* A table from interned names to classes: a hash table on the pointers. */
#include "apl/classes.h"

/* Where a name is, or would be. */
static NameClass *find_place(const NameClasses *classes, const char *name)
{
    size_t mask = classes->capacity - 1;
    size_t place = (size_t)(((uint64_t)(uintptr_t)name * 0x9E3779B97F4A7C15u) >> 20) & mask;
    while (classes->places[place].name && classes->places[place].name != name)
        place = (place + 1) & mask;
    return &classes->places[place];
}

static void grow(Arena *arena, NameClasses *classes)
{
    NameClasses larger = {.capacity = classes->capacity ? 2 * classes->capacity : 16};
    larger.places = ARENA_ARRAY(arena, NameClass, larger.capacity);
    larger.count = classes->count;
    for (size_t i = 0; i < classes->capacity; i++) {
        if (classes->places[i].name)
            *find_place(&larger, classes->places[i].name) = classes->places[i];
    }
    *classes = larger;
}

void name_classes_set(Arena *arena, NameClasses *classes, const char *name, AplClass class)
{
    if (2 * classes->count >= classes->capacity)
        grow(arena, classes);
    NameClass *place = find_place(classes, name);
    if (!place->name)
        classes->count++;
    *place = (NameClass){name, class};
}

AplClass name_classes_get(const NameClasses *classes, const char *name)
{
    return classes->capacity ? find_place(classes, name)->class : APL_CLASS_UNKNOWN;
}
