/* A table from interned names to classes. */
#ifndef APL_CLASSES_H
#define APL_CLASSES_H

#include "apl/syntax.h"

typedef struct NameClass {
    const char *name;
    AplClass class;
} NameClass;

typedef struct NameClasses {
    NameClass *places; /* open hashing; `capacity` is zero or a power of two */
    size_t count, capacity;
} NameClasses;

void name_classes_set(Arena *arena, NameClasses *classes, const char *name, AplClass class);
/* APL_CLASS_UNKNOWN where the name is not in the table. */
AplClass name_classes_get(const NameClasses *classes, const char *name);

#endif
