/* The state of one compilation. */
#include "base/compilation.h"

#include <stdarg.h>
#include <stdlib.h>

Compilation *compilation_create(void)
{
    Arena *arena = arena_create();
    Compilation *c = ARENA_NEW(arena, Compilation);
    c->arena = arena;
    c->scratch = arena_create();
    c->names = names_create(arena);
    c->diagnostics = diagnostics_create(arena);
    c->options = (Options){.int_bits = 64, .real_bits = 64};
    c->index_origin = 1;
    c->pass = "start";
    return c;
}

void compilation_destroy(Compilation *compilation)
{
    arena_destroy(compilation->scratch);
    arena_destroy(compilation->arena); /* the compilation is in it */
}

void internal_error(const Compilation *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "tailor: internal fault in pass %s: ", c->pass);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(70);
}
