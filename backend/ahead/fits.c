/* Which loops the host can run ahead in: in a step it needs nothing of the device but whether it is the last and which
   branches it took, what it does can be done once more without harm, and the memory that it takes is as much in each, so
   that steps that are none do not fail. */
#include "backend/ahead/ahead.h"

bool ahead_loads(const KernelExp *exp)
{
    if (exp->kind == KERNEL_LOAD && !exp->as.load.buffer->is_word) {
        return true;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        if (ahead_loads(operands[k])) {
            return true;
        }
    }
    return false;
}

static bool fits_block(const Ahead *a, KernelBlock block, const PointerMap *varying,
                       PointerMap *leaving);

static bool fits(const Ahead *a, const KernelCmd *command, const PointerMap *varying,
                 PointerMap *leaving)
{
    bool loads = kernel_loads(command->value) + kernel_loads(command->count) > 0;
    switch ((int)command->kind) { /* the others have effects, or may fail */
    case KERNEL_DECLARE:
    case KERNEL_ASSIGN: return !loads;
    case KERNEL_ALIAS:
    case KERNEL_RELEASE:
    case KERNEL_COMMENT: return true;
    case KERNEL_ALLOCATE: return !loads && !kernel_mentions_any(varying, command->count);
    case KERNEL_EFFECT: return command->effect.kind == KERNEL_DEVICE;
    case KERNEL_AHEAD: ahead_put(a, leaving, command->variable); return !loads;
    case KERNEL_FOR:
        return !loads &&
               (kernel_is_parallel(command)
                    ? !command->on_processor || kernel_loads(command->on_processor->count) == 0
                    : fits_block(a, command->body, varying, leaving));
    case KERNEL_IF: /* it may ask which branch the device has taken */
        return !ahead_loads(command->value) &&
               (kernel_mentions_any(leaving, command->value) || /* done once, when it is known */
                fits_block(a, command->body, varying, leaving)) &&
               fits_block(a, command->otherwise, varying, leaving);
    }
    return false;
}

static bool fits_block(const Ahead *a, KernelBlock block, const PointerMap *varying,
                       PointerMap *leaving)
{
    for (size_t i = 0; i < block.count; i++) {
        if (!fits(a, block.commands[i], varying, leaving)) {
            return false;
        }
    }
    return true;
}

/* Scalars that differ from step to step: what is assigned, numbers of inner loops, and what is made of them. */
static void find_varying(const Ahead *a, KernelBlock block, PointerMap *varying)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_ASSIGN || command->kind == KERNEL_FOR ||
            (command->kind == KERNEL_DECLARE && command->value &&
             kernel_mentions_any(varying, command->value))) {
            ahead_put(a, varying, command->variable);
        }
        if (!kernel_is_parallel(command)) {
            find_varying(a, command->body, varying);
            find_varying(a, command->otherwise, varying);
        }
    }
}

/* Refuses loops that do not; returns whether it did. */
bool ahead_refuse(Ahead *a, KernelBlock block)
{
    bool some = false;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (kernel_is_parallel(command)) {
            continue;
        }
        if (command->kind == KERNEL_WHILE && command->ahead) {
            PointerMap varying = {0}, leaving = {0};
            find_varying(a, command->body, &varying);
            find_varying(a, command->body, &varying); /* what is assigned below */
            if (!fits_block(a, command->body, &varying, &leaving)) {
                ahead_put(a, &a->refused, command->variable);
                some = true;
            }
        }
        some = ahead_refuse(a, command->body) || some;
        some = ahead_refuse(a, command->otherwise) || some;
    }
    return some;
}
