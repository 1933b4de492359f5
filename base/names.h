/* Interned strings: equal texts are the same pointer. */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include "base/arena.h"

typedef struct NameTable NameTable;

NameTable *names_create(Arena *arena);
/* The one NUL-terminated copy of this text. */
const char *names_intern(NameTable *names, const char *text, size_t length);

#endif
