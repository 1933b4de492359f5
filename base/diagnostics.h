/* Diagnostics: `file:line:col: NAME: message`, the source line and a caret. They are collected and
   shown in the order of their places, so that one run reports every error of a file. */
#ifndef BASE_DIAGNOSTICS_H
#define BASE_DIAGNOSTICS_H

#include "base/source.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct Diagnostics Diagnostics;

Diagnostics *diagnostics_create(Arena *arena);

/* Adds an error. `name` is an APL error name ("SYNTAX ERROR", "RANK ERROR"; "ERROR" where APL has
   none). The message is one line without a final full stop. Exact repetitions are dropped. */
void diagnostics_add(Diagnostics *diagnostics, Span span, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void diagnostics_add_list(Diagnostics *diagnostics, Span span, const char *name, const char *format,
                          va_list arguments);
size_t diagnostics_count(const Diagnostics *diagnostics);
/* There are some, and all have this name. */
bool diagnostics_all_are(const Diagnostics *diagnostics, const char *name);
/* Writes all of them, ordered by place. Says so when more than 50 were dropped. */
void diagnostics_print(const Diagnostics *diagnostics, FILE *out);

#endif
