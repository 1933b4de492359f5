/* The interpreter: the definition of what a core program means. */
#ifndef CORE_INTERPRET_H
#define CORE_INTERPRET_H

#include "core/core.h"

/* A value: row-major elements in memory as backends store them (bool 1 byte, char 4, ...). A scalar
   has rank 0 and one element. */
typedef struct CoreValue {
    CorePrim prim;
    int rank;
    const int64_t *shape;
    const void *data;
} CoreValue;

/* Effects are the caller's. READ and ARGUMENT return false after having said what is wrong in
   `*problem`, one line that stays the caller's: it is reported as a DOMAIN ERROR. Elements and
   texts are allocated with malloc and freed by the interpreter. A NULL member makes the effect an
   error (but RANDOM is then computed here). */
typedef struct CoreEffects {
    void *context;
    /* complex: value.shape[0] is 2, real and imaginary parts */
    void (*print)(void *context, CoreValue value, bool complex);
    bool (*read)(void *context, CoreFileFormat format, CorePrim prim, int rank, const char *file,
                 int64_t *shape, void **data, const char **error, const char **problem);
    bool (*argument)(void *context, CorePrim prim, const char *name, CoreValue fallback,
                     void *result, const char **problem);
    int64_t (*now)(void *context);
    int64_t (*draws)(void *context, int64_t count);
    void (*seed)(void *context, int64_t seed);
    int64_t (*seed_now)(void *context);
    void (*bench)(void *context, int64_t iterations, int64_t milliseconds);
    void (*precision)(void *context, int64_t digits);
    int64_t (*precision_now)(void *context);
    /* The last extent, and the code points row by row. */
    void (*format)(void *context, CoreValue how, CoreValue value, bool is_complex, int64_t *columns,
                   uint32_t **text);
    int64_t (*random)(int64_t seed, int64_t draw); /* CORE_RANDOM */
} CoreEffects;

typedef struct CoreInterpretation {
    bool ok;
    size_t result_count;
    const CoreValue *results; /* in the compilation's arena */
} CoreInterpretation;

/* Runs a function (usually "main") on these arguments. A failing assertion is reported as a
   diagnostic with the statement's span and the error's name and message, e.g. "LENGTH ERROR: 3 and
   4"; so is memory running out (WS FULL). Chunks of streams have `chunk` rows (0: all in one). */
CoreInterpretation core_interpret(Compilation *c, const CoreProgram *program, const char *function,
                                  size_t argument_count, const CoreValue *arguments,
                                  const CoreEffects *effects, int64_t chunk);

#endif
