/* Growable arrays in an arena.

       typedef VEC(CoreName *) NameVec;
       NameVec names = {0};
       vec_push(arena, &names, name);
       for (size_t i = 0; i < names.count; i++) use(names.items[i]);
*/
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/arena.h"

#define VEC(Type)                                                                                  \
    struct {                                                                                       \
        Type *items;                                                                               \
        size_t count, capacity;                                                                    \
    }

#define vec_push(arena, vec, item)                                                                 \
    do {                                                                                           \
        if ((vec)->count == (vec)->capacity) {                                                     \
            (vec)->items =                                                                         \
                vec_grow((arena), (vec)->items, sizeof *(vec)->items, &(vec)->capacity);           \
        }                                                                                          \
        (vec)->items[(vec)->count++] = (item);                                                     \
    } while (0)

/* Moves `items` to a block twice as large and updates `*capacity`. Used by vec_push alone. */
void *vec_grow(Arena *arena, void *items, size_t item_size, size_t *capacity);

#endif
