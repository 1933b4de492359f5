/* Diagnostics are kept as found and ordered by place when they are shown. */
#include "base/diagnostics.h"

#include "base/text.h"
#include "base/vec.h"
#include <stdlib.h>

typedef struct Diagnostic {
    Span span;
    size_t order;
    const char *text; /* "NAME: message" */
} Diagnostic;

struct Diagnostics {
    Arena *arena;
    VEC(Diagnostic) list;
    size_t dropped;
};

enum { MOST_SHOWN = 50 };

Diagnostics *diagnostics_create(Arena *arena)
{
    Diagnostics *diagnostics = ARENA_NEW(arena, Diagnostics);
    diagnostics->arena = arena;
    return diagnostics;
}

/* Whether a byte is inside of a character's UTF-8. */
static bool is_inside(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* A message whose words are of a length that a person reads: a name may be as long as a file, and is
   shown without its middle. */
static const char *shorten_words(Arena *arena, const char *message)
{
    enum { LONGEST = 240, SHOWN = 100 };
    Text text = text_create(arena);
    while (*message) {
        size_t length = strcspn(message, " \n"), first = length, last = length;
        if (length > LONGEST) {
            first = SHOWN;
            last = length - SHOWN;
            while (first > 0 && is_inside(message[first]))
                first--;
            while (last < length && is_inside(message[last]))
                last++;
        }
        text_append(&text, message, first);
        text_string(&text, last > first ? "..." : "");
        length += strspn(message + length, " \n");
        text_append(&text, message + last, length - last);
        message += length;
    }
    return text_get(&text);
}

void diagnostics_add_list(Diagnostics *diagnostics, Span span, const char *name, const char *format,
                          va_list arguments)
{
    if (diagnostics->list.count >= MOST_SHOWN) {
        diagnostics->dropped++;
        return;
    }
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *message = arena_allocate(diagnostics->arena, (size_t)length + 1);
    vsnprintf(message, (size_t)length + 1, format, arguments);
    char *text = length ? arena_printf(diagnostics->arena, "%s: %s", name,
                                       shorten_words(diagnostics->arena, message))
                        : arena_printf(diagnostics->arena, "%s", name);
    for (size_t i = 0; i < diagnostics->list.count; i++) {
        const Diagnostic *other = &diagnostics->list.items[i];
        if (other->span.file == span.file && other->span.start == span.start &&
            strcmp(other->text, text) == 0) {
            return;
        }
    }
    Diagnostic diagnostic = {span, diagnostics->list.count, text};
    vec_push(diagnostics->arena, &diagnostics->list, diagnostic);
}

void diagnostics_add(Diagnostics *diagnostics, Span span, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(diagnostics, span, name, format, arguments);
    va_end(arguments);
}

size_t diagnostics_count(const Diagnostics *diagnostics)
{
    return diagnostics->list.count + diagnostics->dropped;
}

bool diagnostics_all_are(const Diagnostics *diagnostics, const char *name)
{
    bool all = diagnostics->list.count > 0;
    for (size_t i = 0; i < diagnostics->list.count; i++) {
        const char *text = diagnostics->list.items[i].text;
        all = all && strncmp(text, name, strlen(name)) == 0 && text[strlen(name)] == ':';
    }
    return all;
}

static int by_place(const void *left, const void *right)
{
    const Diagnostic *a = left, *b = right;
    if (a->span.file == b->span.file && a->span.file && a->span.start != b->span.start) {
        return a->span.start < b->span.start ? -1 : 1;
    }
    return a->order < b->order ? -1 : a->order > b->order;
}

void diagnostics_print(const Diagnostics *diagnostics, FILE *out)
{
    size_t count = diagnostics->list.count;
    Diagnostic *sorted =
        arena_copy(diagnostics->arena, diagnostics->list.items, count * sizeof *sorted);
    if (count)
        qsort(sorted, count, sizeof *sorted, by_place);
    for (size_t i = 0; i < count; i++) {
        if (!sorted[i].span.file) {
            fprintf(out, "tailor: %s\n", sorted[i].text);
            continue;
        }
        Place place = source_place(diagnostics->arena, sorted[i].span);
        fprintf(out, "%s:%u:%u: %s\n  %s\n  %s\n", sorted[i].span.file->name, place.line,
                place.column, sorted[i].text, place.source_line, place.caret_line);
    }
    if (diagnostics->dropped)
        fprintf(out, "tailor: %zu more errors\n", diagnostics->dropped);
}
