/* Sizes of the host in terms of the names that a program's author gave (private to backend). */
#ifndef BACKEND_SIZES_H
#define BACKEND_SIZES_H

#include "backend/kernel.h"

typedef struct KernelDefinition {
    const KernelExp *value; /* NULL: none, or not the only one */
    const char *text; /* of what an effect gives: an extent of a file, what a device is; or NULL */
    bool assigned;
} KernelDefinition;

typedef struct KernelNaming {
    Compilation *c;
    KernelDefinition *definitions;         /* by number of the variable */
    VEC(const KernelVariable *) mentioned; /* shown so far by their text alone */
} KernelNaming;

enum {
    KERNEL_PRECEDENCE_OR = 1,
    KERNEL_PRECEDENCE_AND,
    KERNEL_PRECEDENCE_COMPARE,
    KERNEL_PRECEDENCE_SUM,
    KERNEL_PRECEDENCE_PRODUCT
};
enum { KERNEL_LONGEST_SIZE = 16 };

KernelNaming kernel_naming(Compilation *c, const KernelProgram *program, const KernelEntry *entry);
/* The text of an integer or condition, in parentheses where an operator of that precedence needs
   them; at most `budget` operators and names long: below 0 where that was not enough. */
const char *kernel_named_size(KernelNaming *naming, const KernelExp *exp, int precedence,
                              int *budget);

#endif
