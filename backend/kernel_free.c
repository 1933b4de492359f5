/* Names that are free in a block of kernel commands: what a kernel has as parameters, and what a
   loop has that becomes a function of its own.

       for i < n { y[i] = x[i] * f }      ==>  x (read), f (read), y (written); n is the count's

   One walk in program order: a name that is met before its declaration, or behind the block that has it, is free, and keeps
   the place of its first use. A map makes that linear. */
#include "backend/kernel.h"

/* What is known of a variable that was met. */
typedef struct SeenVariable {
    bool free, declared;
    size_t place; /* in the result, if free */
} SeenVariable;

typedef struct FreeWalk {
    Compilation *c;
    KernelFreeVec found;
    PointerMap seen; /* KernelVariable -> SeenVariable */
    /* in the present block and those around it, but for memory of the host's, which branches and loops leave behind */
    VEC(SeenVariable *) declared;
} FreeWalk;

static SeenVariable *seen(FreeWalk *walk, const KernelVariable *variable)
{
    return pointer_map_make(walk->c->arena, &walk->seen, variable, sizeof(SeenVariable));
}

static void free_declare(FreeWalk *walk, KernelVariable *variable)
{
    SeenVariable *known = seen(walk, variable);
    if (!known->free && !known->declared) {
        known->declared = true;
        if (variable->space != KERNEL_GLOBAL) {
            vec_push(walk->c->arena, &walk->declared, known);
        }
    }
}

static void free_use(FreeWalk *walk, KernelVariable *variable, bool written)
{
    if (variable == NULL) {
        return;
    }
    SeenVariable *known = seen(walk, variable);
    if (known->free) {
        walk->found.items[known->place].written |= written;
    } else if (!known->declared) {
        known->free = true;
        known->place = walk->found.count;
        KernelFree item = {.variable = variable, .written = written};
        vec_push(walk->c->arena, &walk->found, item);
    }
}

static void free_exp(FreeWalk *walk, const KernelExp *exp)
{
    if (exp == NULL) {
        return;
    }
    if (exp->kind == KERNEL_VARIABLE) {
        free_use(walk, exp->as.variable, false);
    } else if (exp->kind == KERNEL_LOAD) {
        free_use(walk, exp->as.load.buffer, false);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        free_exp(walk, operands[k]);
    }
}

static void free_effect(FreeWalk *walk, const KernelEffect *effect)
{
    free_exp(walk, effect->value);
    free_exp(walk, effect->second);
    free_exp(walk, effect->start);
    for (int k = 0; effect->shape != NULL && k < effect->rank; k++) {
        free_exp(walk, effect->shape[k]);
    }
    for (int k = 0; effect->extents != NULL && k < effect->rank; k++) {
        free_use(walk, effect->extents[k], true);
    }
    free_use(walk, effect->source, false);
    free_use(walk, effect->fields, false);
    free_use(walk, effect->result, true);
    if (effect->variable != NULL) {
        free_declare(walk, effect->variable);
    }
}

static void free_block(FreeWalk *walk, KernelBlock block);

/* What a block declares ends with it. */
static void free_inner(FreeWalk *walk, KernelBlock block)
{
    size_t around = walk->declared.count;
    free_block(walk, block);
    for (size_t i = around; i < walk->declared.count; i++) {
        walk->declared.items[i]->declared = false;
    }
    walk->declared.count = around;
}

static void free_block(FreeWalk *walk, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool in_place = command->kind == KERNEL_EXCHANGE || command->kind == KERNEL_RETRY ||
                        command->kind == KERNEL_SWAP;
        if (command->kind == KERNEL_RETRY) {
            free_declare(walk, command->variable);
            free_block(walk, command->body); /* declares what the value mentions */
        }
        free_exp(walk, command->value);
        free_exp(walk, command->index);
        free_exp(walk, command->source_index);
        free_exp(walk, command->count);
        for (size_t k = 0; k < command->value_count; k++) {
            free_exp(walk, command->values[k]);
        }
        for (size_t k = 0; k < command->payload_count; k++) {
            if (command->kind == KERNEL_AHEAD) {
                free_use(walk, command->payload[k], true);
            } else {
                free_declare(walk, command->payload[k]);
            }
        }
        for (size_t k = 0; k < command->source_count; k++) {
            free_use(walk, command->sources[k], false);
        }
        free_use(walk, command->source, in_place);
        if (command->kind == KERNEL_WHILE && command->ahead) {
            free_declare(walk, command->ahead);
        }
        free_use(walk, command->ahead, false);
        switch (command->kind) {
        case KERNEL_DECLARE:
        case KERNEL_ALLOCATE:
        case KERNEL_ALIAS:
        case KERNEL_CONSTANTS:
        case KERNEL_AWAIT:
        case KERNEL_AHEAD:
        case KERNEL_FOR: free_declare(walk, command->variable); break;
        case KERNEL_ASSIGN:
        case KERNEL_STORE:
        case KERNEL_ATOMIC:
        case KERNEL_EXCHANGE:
        case KERNEL_COPY:
        case KERNEL_ARRIVE:
        case KERNEL_TICKET:
        case KERNEL_SWAP:
        case KERNEL_CHECK: free_use(walk, command->variable, true); break;
        case KERNEL_WHILE:
        case KERNEL_RELEASE: free_use(walk, command->variable, false); break;
        case KERNEL_EFFECT: free_effect(walk, &command->effect); break;
        case KERNEL_RETRY:
        case KERNEL_IF:
        case KERNEL_BARRIER:
        case KERNEL_MEET:
        case KERNEL_PUBLISH:
        case KERNEL_CALL:
        case KERNEL_RESERVE:
        case KERNEL_COMMENT: break;
        }
        if (command->kind != KERNEL_RETRY) {
            free_inner(walk, command->body);
        }
        free_inner(walk, command->otherwise);
    }
}

/* ---- what there is in a block ---------------------------------------------------------------- */

bool kernel_has(KernelBlock block, KernelCmdKind kind)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == kind || kernel_has(command->body, kind) ||
            kernel_has(command->otherwise, kind)) {
            return true;
        }
    }
    return false;
}

bool kernel_reads(KernelBlock block, const KernelVariable *variable)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool reads = kernel_mentions(command->value, variable) ||
                     kernel_mentions(command->index, variable) ||
                     kernel_mentions(command->source_index, variable) ||
                     kernel_mentions(command->count, variable);
        for (size_t k = 0; k < command->value_count && !reads; k++) {
            reads = kernel_mentions(command->values[k], variable);
        }
        if (reads || kernel_reads(command->body, variable) ||
            kernel_reads(command->otherwise, variable)) {
            return true;
        }
    }
    return false;
}

bool kernel_swaps(KernelBlock block, const KernelVariable *buffer)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if ((command->kind == KERNEL_SWAP &&
             (command->variable == buffer || command->source == buffer)) ||
            kernel_swaps(command->body, buffer) || kernel_swaps(command->otherwise, buffer)) {
            return true;
        }
    }
    return false;
}

KernelFreeVec kernel_free(Compilation *c, KernelBlock block)
{
    FreeWalk walk = {0};
    walk.c = c;
    free_block(&walk, block);
    return walk.found;
}

void kernel_check_scopes(Compilation *c, const KernelProgram *program)
{
    for (size_t i = 0; i < program->body_count; i++) {
        const KernelEntry *entry = &program->entries[i];
        KernelFreeVec free = kernel_free(c, entry->body);
        for (size_t k = 0; k < free.count; k++) {
            const KernelVariable *variable = free.items[k].variable;
            bool known = false;
            for (size_t j = 0; j < entry->parameter_count && !known; j++) {
                known = entry->parameters[j] == variable;
            }
            for (size_t j = 0; j < entry->result_count && !known; j++) {
                known = entry->results[j] == variable;
            }
            if (!known) {
                internal_error(c, "%s is used in %s where it is not declared", variable->text,
                               entry->name);
            }
        }
    }
}
