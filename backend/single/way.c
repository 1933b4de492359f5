/* What a kernel of one work-item may go past, on the way from where it stands up to the one that may do its work: what
   changes nothing that it needs, and reads nothing that it writes. Scalars and memory of its own come along. */
#include "backend/single/single.h"

size_t single_find(KernelBlock block, size_t from, KernelCmdKind kind,
                   const KernelVariable *variable)
{
    size_t at = from;
    while (at < block.count && !single_is_of(block.commands[at], kind, variable)) {
        at++;
    }
    return at;
}

bool single_is_new(KernelBlock block, size_t at, const KernelVariable *buffer)
{
    for (size_t i = single_find(block, 0, KERNEL_ALLOCATE, buffer); i < at; i++) {
        const KernelCmd *command = block.commands[i];
        bool shares = command->kind == KERNEL_ALIAS &&
                      (command->source == buffer || command->variable == buffer);
        if (shares || (!kernel_is_parallel(command) && command->body.count > 0)) {
            return false;
        }
    }
    return single_find(block, 0, KERNEL_ALLOCATE, buffer) < at;
}

static void need_scalars(Way *way, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE) {
        pointer_map_set(way->c->arena, &way->needed, exp->as.variable, exp->as.variable);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        need_scalars(way, operands[k]);
    }
}

Way single_way(Compilation *c, const KernelCmd *kernel)
{
    Way way = {.c = c};
    KernelFreeVec names = kernel_free(c, (KernelBlock){1, &kernel});
    for (size_t i = 0; i < names.count; i++) {
        KernelVariable *name = names.items[i].variable;
        pointer_map_set(c->arena, &way.needed, name, name);
        if (names.items[i].written && !name->is_word) {
            vec_push(c->arena, &way.written, name);
        }
    }
    return way;
}

bool single_makes_all(const Way *way)
{
    for (size_t i = 0; i < way->written.count; i++) {
        bool made = false;
        for (size_t k = 0; k < way->moved.capacity && !made; k++) {
            const KernelCmd *command = way->moved.slots[k].key;
            made = command && single_is_of(command, KERNEL_ALLOCATE, way->written.items[i]);
        }
        if (!made) {
            return false;
        }
    }
    return true;
}

/* A kernel that writes only to memory made just before it, tells no fault, and has no word that the one on the way
   stores. */
static bool keeps_to_itself(const Way *way, KernelBlock block, size_t at)
{
    const KernelCmd *kernel = block.commands[at];
    KernelFreeVec names = kernel_free(way->c, (KernelBlock){1, &kernel});
    for (size_t k = 0; k < names.count; k++) {
        const KernelVariable *name = names.items[k].variable;
        if (pointer_map_get(&way->needed, name) && name->is_word) {
            return false;
        }
        if (names.items[k].written && name->space == KERNEL_GLOBAL && !name->is_word &&
            !single_is_new(block, at, name)) {
            return false;
        }
    }
    return !kernel_has(kernel->body, KERNEL_CHECK) &&
           !(kernel->ahead && pointer_map_get(&way->needed, kernel->ahead));
}

/* Commands of a branch of the host's change nothing that the kernel needs, and do the same when it has run. */
static bool leaves_needed(Way *way, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        switch ((int)command->kind) { /* others may do more */
        case KERNEL_COMMENT: break;
        case KERNEL_DECLARE:
        case KERNEL_ASSIGN:
        case KERNEL_ALLOCATE:
        case KERNEL_ALIAS:
        case KERNEL_RELEASE:
            if (pointer_map_get(&way->needed, command->variable)) {
                return false;
            }
            break;
        case KERNEL_FOR:
            if (!kernel_is_parallel(command) || !keeps_to_itself(way, block, i)) {
                return false;
            }
            break;
        case KERNEL_IF:
            if (!leaves_needed(way, command->body) || !leaves_needed(way, command->otherwise)) {
                return false;
            }
            break;
        default: return false;
        }
    }
    return true;
}

bool single_goes_past(Way *way, KernelBlock block, size_t at)
{
    const KernelCmd *command = block.commands[at];
    size_t loads = kernel_loads(command->value) + kernel_loads(command->count);
    if (way->written.count > 0 && (loads > 0 || command->kind == KERNEL_COPY)) {
        return false;
    }
    switch ((int)command->kind) { /* others may do more */
    case KERNEL_COMMENT: return true;
    case KERNEL_DECLARE:
        if (!pointer_map_get(&way->needed, command->variable)) {
            return true;
        }
        if (!command->value || kernel_loads(command->value) > 0) {
            return false;
        }
        need_scalars(way, command->value);
        pointer_map_set(way->c->arena, &way->moved, command, (void *)(uintptr_t)command);
        return true;
    case KERNEL_ALLOCATE:
        if (pointer_map_get(&way->needed, command->variable)) {
            if (kernel_loads(command->count) > 0) {
                return false;
            }
            need_scalars(way, command->count);
            pointer_map_set(way->c->arena, &way->moved, command, (void *)(uintptr_t)command);
        }
        return true;
    case KERNEL_COPY:
        return !pointer_map_get(&way->needed, command->variable) &&
               single_is_new(block, at, command->variable);
    case KERNEL_ASSIGN:
    case KERNEL_ALIAS:
    case KERNEL_RELEASE: return !pointer_map_get(&way->needed, command->variable);
    case KERNEL_EFFECT:
        return command->effect.kind == KERNEL_DEVICE &&
               !pointer_map_get(&way->needed, command->effect.result);
    case KERNEL_IF:
        return single_makes_all(way) && leaves_needed(way, command->body) &&
               leaves_needed(way, command->otherwise);
    }
    return false;
}
