/* Slices: which part of what an iteration does depends on which of its indices, seen in commands that
   have been lowered already, whatever views and functions they came from.

       x = a[i * n + k]         {i, k}
       y = b[k * m + j]         {j, k}
       t = x * y                {i, j, k}

   The slice of y is what has to be done for it alone, one command here, and the same for all i: tiles of
   local memory (lower/segment_tiles.c) and blocks of rows (sequential/products.c) do it once. */
#include "backend/slices.h"

IndexSet slices_depends_on(const Slices *slices, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE) {
        return (IndexSet)(uintptr_t)pointer_map_get(&slices->sets, exp->as.variable);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    IndexSet set = 0;
    for (size_t k = 0; k < count; k++) {
        set |= slices_depends_on(slices, operands[k]);
    }
    return set;
}

bool slices_loads(const KernelExp *exp)
{
    if (exp == NULL) {
        return false;
    }
    if (exp->kind == KERNEL_LOAD && exp->as.load.buffer->space == KERNEL_GLOBAL) {
        return true;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        if (slices_loads(operands[k])) {
            return true;
        }
    }
    return false;
}

bool slices_find(Compilation *c, KernelBlock block, size_t count, KernelVariable *const *indices,
                 Slices *slices)
{
    *slices = (Slices){.block = block};
    for (size_t k = 0; k < count; k++) {
        pointer_map_set(c->arena, &slices->sets, indices[k], (void *)((uintptr_t)1 << k));
    }
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind != KERNEL_DECLARE || command->variable->space != KERNEL_SCALAR ||
            command->value == NULL) {
            return false;
        }
        IndexSet set = slices_depends_on(slices, command->value);
        pointer_map_set(c->arena, &slices->sets, command->variable, (void *)(uintptr_t)set);
        pointer_map_set(c->arena, &slices->numbers, command->variable, (void *)(uintptr_t)(i + 1));
    }
    return true;
}

const KernelCmd *slices_declaration(const Slices *slices, const KernelVariable *variable)
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

static void need(Needs *needs, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE) {
        const KernelVariable *variable = exp->as.variable;
        uintptr_t number = (uintptr_t)pointer_map_get(&needs->slices->numbers, variable);
        bool is_there =
            needs->copier != NULL && kernel_replacement(needs->copier, variable) != NULL;
        if (number > 0 && !is_there) {
            needs->needed[number - 1] = true;
        }
        return;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        need(needs, operands[k]);
    }
}

KernelBlock slices_of(Compilation *c, const Slices *slices, const KernelCopier *copier,
                      size_t count, const KernelExp *const *values)
{
    Needs needs = {slices, copier, ARENA_ARRAY(c->arena, bool, slices->block.count + 1)};
    KernelBuilder b = kernel_builder(c, (Span){0});
    for (size_t k = 0; k < count; k++) {
        need(&needs, values[k]);
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

SlicesStep slices_step(const Slices *slices, const KernelExp *exp, const KernelVariable *variable)
{
    if (exp->kind == KERNEL_VARIABLE) {
        const KernelCmd *declaration = slices_declaration(slices, exp->as.variable);
        return exp->as.variable == variable ? STEP_ONE
               : declaration == NULL        ? STEP_NONE
                                            : slices_step(slices, declaration->value, variable);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    SlicesStep steps[KERNEL_MOST_OPERANDS] = {STEP_NONE}, most = STEP_NONE;
    for (size_t k = 0; k < count; k++) {
        steps[k] = slices_step(slices, operands[k], variable);
        most = steps[k] > most ? steps[k] : most;
    }
    bool adds = exp->kind == KERNEL_BINARY && exp->as.scalar.op == CORE_ADD;
    bool subtracts = exp->kind == KERNEL_BINARY && exp->as.scalar.op == CORE_SUB;
    if (exp->kind == KERNEL_SELECT) { /* neighbours, but at a border */
        return steps[1] > steps[2] ? steps[1] : steps[2];
    }
    bool keeps = (adds && (steps[0] == STEP_NONE || steps[1] == STEP_NONE)) ||
                 (subtracts && steps[1] == STEP_NONE);
    return most == STEP_NONE || keeps ? most : STEP_FAR;
}
