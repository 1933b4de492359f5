/* What the files of the constructors share (private to core/build*.c and the parser). */
#ifndef CORE_BUILD_H
#define CORE_BUILD_H

#include "core/core.h"

/* An invariant of a constructor: a message that says what was wrong, and exit code 70. */
#define REQUIRE(c, condition, ...)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            internal_error((c), __VA_ARGS__);                                                      \
        }                                                                                          \
    } while (0)

const CoreAtom *core_build_copy_atoms(Compilation *c, size_t count, const CoreAtom *atoms);
CoreName *const *core_build_copy_names(Compilation *c, size_t count, CoreName *const *names);
void core_build_require_scalar(Compilation *c, CoreAtom atom, CorePrim prim, const char *what);
/* The array's type, not unique. */
CoreType core_build_require_array(Compilation *c, CoreAtom atom, const char *what);
CoreExp *core_build_exp(Compilation *c, CoreExpKind kind);
/* Binds a fresh name of that type (never unique) to the expression. */
CoreAtom core_build_let(CoreBuilder *b, const char *text, CoreType type, const CoreExp *exp);

#endif
