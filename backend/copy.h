/* Copies of commands under other names (backend/copy.c). */
#ifndef BACKEND_COPY_H
#define BACKEND_COPY_H

#include "backend/kernel.h"

typedef struct KernelCopier {
    Compilation *c;
    PointerMap replacements; /* KernelVariable -> the KernelExp that it is in the copy */
    /* May put something else in place of an expression that was copied; NULL: nothing does. */
    const KernelExp *(*rebuild)(struct KernelCopier *copier, const KernelExp *old,
                                const KernelExp *copy);
} KernelCopier;

/* Whether the block has only commands that can be copied: scalars, elements, checks, branches and
   loops; and not more than the budget, from which commands and nodes of expressions are taken. */
bool kernel_can_duplicate(KernelBlock block, size_t *budget);
/* What stands for the variable in the copy; NULL: itself. */
const KernelExp *kernel_replacement(const KernelCopier *copier, const KernelVariable *variable);
void kernel_replace(KernelCopier *copier, const KernelVariable *variable, const KernelExp *by);
/* A variable of its own for the copy's declaration. */
KernelVariable *kernel_rename(KernelCopier *copier, const KernelVariable *variable);
const KernelExp *kernel_duplicate_exp(KernelCopier *copier, const KernelExp *exp);
/* Adds copies of the commands, with names of their own for all that they declare. */
void kernel_duplicate(KernelCopier *copier, KernelBuilder *b, KernelBlock block);

/* Goes through the commands of a program from the first to the last. */
typedef struct KernelRewrite {
    Compilation *c;
    void *context;
    /* Adds what stands in place of the command; false: nothing was added, and its blocks are
       gone through. */
    bool (*put)(void *context, KernelBuilder *b, const KernelCmd *command);
    void (*after)(void *context, const KernelCmd *command); /* whose blocks were; or NULL */
} KernelRewrite;

/* A loop that is a kernel. */
bool kernel_is_parallel(const KernelCmd *command);
/* The kernel with this body of the one for processors; itself where that is the old one. */
const KernelCmd *kernel_with_processor(Compilation *c, const KernelCmd *command, KernelBlock body);
/* The same block where nothing was put. Into kernels it goes where they are for processors. */
KernelBlock kernel_rewrite(const KernelRewrite *rewrite, KernelBlock block);
KernelProgram *kernel_rewrite_program(const KernelRewrite *rewrite, const KernelProgram *program);
/* The program with other bodies, one an entry. */
KernelProgram *kernel_with_bodies(Compilation *c, const KernelProgram *program,
                                  const KernelBlock *bodies);

#endif
