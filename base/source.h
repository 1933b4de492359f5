/* Source files and spans of them. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct SourceFile {
    const char *name; /* as the user wrote it; "-" for standard input */
    const char *text; /* NUL-terminated; may hold NULs before */
    size_t length;    /* bytes, without the final NUL; below 2^31 */
    bool is_prelude;  /* the prelude of the compiler itself: errors inside it point at the call */
    const uint32_t *line_starts; /* byte offsets of line beginnings */
    size_t line_count;
} SourceFile;

/* Bytes [start, end) of a file. A zero span (file NULL) means "no place". */
typedef struct Span {
    const SourceFile *file;
    uint32_t start, end;
} Span;

#define NO_SPAN ((Span){0})

typedef struct Place {
    unsigned line;   /* from 1 */
    unsigned column; /* from 1, counted in code points */
    const char
        *source_line;       /* the line's text without its end, NUL-terminated, tabs as one space */
    const char *caret_line; /* spaces and carets that underline the span within that line */
} Place;

/* A byte order mark before the text (some editors write one) is no part of it. */
SourceFile *source_create(Arena *arena, const char *name, const char *text, size_t length);
/* Where a span begins, with the two lines that show it. Requires a span with a file. */
Place source_place(Arena *arena, Span span);
/* The line that a span begins in, from 1. Requires a span with a file. */
unsigned source_line(Span span);
/* From the beginning of the first to the end of the last; either may be NO_SPAN. */
Span span_join(Span first, Span last);
bool span_is_same(Span a, Span b);

#endif
