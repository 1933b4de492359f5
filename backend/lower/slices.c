/* Slices: which part of what an iteration does depends on which of its indices, seen in commands that
   have been lowered already, whatever views and functions they came from.

       x = a[i * n + k]         {i, k}
       y = b[k * m + j]         {j, k}
       t = x * y                {i, j, k}

   The slice of y is what has to be done for it alone: one command here. Tiles (segment_tiles.c) do
   it once for all i. */
#include "backend/lower/slices.h"

IndexSet lower_depends_on(const Slices *slices, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE) {
        return (IndexSet)(uintptr_t)pointer_map_get(&slices->sets, exp->as.variable);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    IndexSet set = 0;
    for (size_t k = 0; k < count; k++) {
        set |= lower_depends_on(slices, operands[k]);
    }
    return set;
}

bool lower_loads(const KernelExp *exp)
{
    if (exp->kind == KERNEL_LOAD && exp->as.load.buffer->space == KERNEL_GLOBAL) {
        return true;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        if (lower_loads(operands[k])) {
            return true;
        }
    }
    return false;
}

bool lower_find_slices(Lower *L, KernelBlock block, size_t count, KernelVariable *const *indices,
                       Slices *slices)
{
    *slices = (Slices){.block = block};
    for (size_t k = 0; k < count; k++) {
        pointer_map_set(L->c->arena, &slices->sets, indices[k], (void *)((uintptr_t)1 << k));
    }
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind != KERNEL_DECLARE || command->variable->space != KERNEL_SCALAR ||
            command->value == NULL) {
            return false;
        }
        IndexSet set = lower_depends_on(slices, command->value);
        pointer_map_set(L->c->arena, &slices->sets, command->variable, (void *)(uintptr_t)set);
        pointer_map_set(L->c->arena, &slices->numbers, command->variable,
                        (void *)(uintptr_t)(i + 1));
    }
    return true;
}

const KernelCmd *lower_declaration(const Slices *slices, const KernelVariable *variable)
{
    uintptr_t number = (uintptr_t)pointer_map_get(&slices->numbers, variable);
    return number == 0 ? NULL : slices->block.commands[number - 1];
}

/* What is being selected, from the last command to the first. */
typedef struct Needs {
    const Slices *slices;
    const KernelCopier *copier;
    bool *needed; /* one a command */
} Needs;

static void need_variable(Needs *needs, const KernelVariable *variable)
{
    uintptr_t number = (uintptr_t)pointer_map_get(&needs->slices->numbers, variable);
    bool is_there = needs->copier != NULL && kernel_replacement(needs->copier, variable) != NULL;
    if (number > 0 && !is_there) {
        needs->needed[number - 1] = true;
    }
}

static void need(Needs *needs, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE) {
        need_variable(needs, exp->as.variable);
        return;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        need(needs, operands[k]);
    }
}

KernelBlock lower_slice_of(Lower *L, const Slices *slices, const KernelCopier *copier, size_t count,
                           const KernelVariable *const *wanted)
{
    Needs needs = {slices, copier, ARENA_ARRAY(L->c->arena, bool, slices->block.count + 1)};
    KernelBuilder b = kernel_builder(L->c, L->b->span);
    for (size_t k = 0; k < count; k++) {
        need_variable(&needs, wanted[k]);
    }
    for (size_t i = slices->block.count; i-- > 0;) {
        if (needs.needed[i]) {
            need(&needs, slices->block.commands[i]->value);
        }
    }
    for (size_t i = 0; i < slices->block.count; i++) {
        if (needs.needed[i]) {
            kernel_add(&b, slices->block.commands[i]);
        }
    }
    return kernel_block(&b);
}
