/* Interned strings: an open-addressing hash table that doubles at three quarters full. */
#include "base/names.h"

#include <stdint.h>

struct NameTable {
    Arena *arena;
    const char **slots;
    size_t count, size; /* size is a power of two */
};

static size_t hash(const char *text, size_t length)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 1099511628211u;
    return (size_t)(h ^ (h >> 32));
}

NameTable *names_create(Arena *arena)
{
    NameTable *names = ARENA_NEW(arena, NameTable);
    names->arena = arena;
    names->size = 256;
    names->slots = ARENA_ARRAY(arena, const char *, names->size);
    return names;
}

static const char **find(const NameTable *names, const char *text, size_t length)
{
    size_t i = hash(text, length) & (names->size - 1);
    while (names->slots[i] &&
           (strncmp(names->slots[i], text, length) != 0 || names->slots[i][length] != '\0')) {
        i = (i + 1) & (names->size - 1);
    }
    return &names->slots[i];
}

static void grow(NameTable *names)
{
    const char **old = names->slots;
    size_t old_size = names->size;
    names->size *= 2;
    names->slots = ARENA_ARRAY(names->arena, const char *, names->size);
    for (size_t i = 0; i < old_size; i++) {
        if (old[i])
            *find(names, old[i], strlen(old[i])) = old[i];
    }
}

const char *names_intern(NameTable *names, const char *text, size_t length)
{
    const char **slot = find(names, text, length);
    if (*slot)
        return *slot;
    if (names->count * 4 >= names->size * 3) {
        grow(names);
        slot = find(names, text, length);
    }
    names->count++;
    *slot = arena_text(names->arena, text, length);
    return *slot;
}
