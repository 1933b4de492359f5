/* Inside the pass that spares kernels of one work-item (private to backend/single). See single.c for what it does.

   single.c  the pass: which kernels do the work of others
   copies.c  copies of an element that nobody else wants
   way.c     what such a kernel may go past, on the way up to another
   behind.c  its work in the kernel that makes what it needs */
#ifndef BACKEND_SINGLE_SINGLE_H
#define BACKEND_SINGLE_SINGLE_H

#include "backend/copy.h"

static inline bool single_is_number(const KernelExp *exp, int64_t value)
{
    return exp && kernel_is_i64(exp, value);
}

static inline bool single_is_of(const KernelCmd *command, KernelCmdKind kind,
                                const KernelVariable *variable)
{
    return command->kind == kind && command->variable == variable;
}

/* A kernel of one work-item. */
static inline bool single_is(const KernelCmd *command)
{
    return command->kind == KERNEL_FOR && command->level == KERNEL_GRID &&
           single_is_number(command->count, 1);
}

/* copies.c: the block without such copies. */
KernelBlock single_without_copies(Compilation *c, KernelBlock block);

/* way.c */
/* On the way from a kernel of one work-item up to the one that may do its work. */
typedef struct Way {
    Compilation *c;
    PointerMap needed; /* what the kernel has from outside, or what that is made of */
    PointerMap moved;  /* declarations that come along -> themselves */
    VEC(const KernelVariable *) written; /* memory, not only words */
} Way;

Way single_way(Compilation *c, const KernelCmd *kernel);
/* All that the kernel writes to is made behind this place. */
bool single_makes_all(const Way *way);
/* The kernel may go past the command at that place, which changes nothing that the kernel needs, and reads nothing that
   it may write; or the command comes along. */
bool single_goes_past(Way *way, KernelBlock block, size_t at);
/* The place of the first command of the kind for the variable, from `from` on; the block's count: there is none. */
size_t single_find(KernelBlock block, size_t from, KernelCmdKind kind,
                   const KernelVariable *variable);
/* Made in the block before that place, and nobody else's memory. */
bool single_is_new(KernelBlock block, size_t at, const KernelVariable *buffer);

/* behind.c */
/* What one work-item does: it says what is done, fills memory that is made for it, or writes anywhere. */
typedef enum Work { DECIDES, FILLS, WRITES } Work;

/* The kernel at that place, with the command, which depends on few elements that it makes, behind them; NULL: it does
   not fit there. */
const KernelCmd *single_behind(Compilation *c, KernelBlock block, size_t at,
                               const KernelCmd *command, Work work);

#endif
