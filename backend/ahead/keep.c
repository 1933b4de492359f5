/* What a step of a loop that the host runs ahead in has, at a place where the device decides: all names that are set
   back when the step was the last.

       var k2 = k + 1                        is last of (state, next, k2, k)
       alloc next
       grid f, ahead { ... }
       decide; is last
       ... k2 ... next ...

   Buffers that hold nothing there need not be kept, nor scalars that nobody uses any more. */
#include "backend/ahead/ahead.h"

typedef VEC(KernelVariable *) Variables;

static void add_once(const Ahead *a, Variables *found, PointerMap *seen, KernelVariable *variable)
{
    if (!pointer_map_get(seen, variable)) {
        ahead_put(a, seen, variable);
        vec_push(a->c->arena, found, variable);
    }
}

/* Buffers that the block makes other memory, and scalars that it assigns. */
static void find_changes(const Ahead *a, KernelBlock block, Variables *buffers, Variables *scalars,
                         PointerMap *seen)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        switch ((int)command->kind) { /* no others are in such loops */
        case KERNEL_ALLOCATE:
        case KERNEL_ALIAS: add_once(a, buffers, seen, command->variable); break;
        case KERNEL_ASSIGN: add_once(a, scalars, seen, command->variable); break;
        }
        if (!kernel_is_parallel(command)) {
            find_changes(a, command->body, buffers, scalars, seen);
            find_changes(a, command->otherwise, buffers, scalars, seen);
        }
    }
}

/* Scalars that the block declares, and buffers that it releases. */
static void find_ends(const Ahead *a, KernelBlock block, PointerMap *declared, PointerMap *released)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_DECLARE || command->kind == KERNEL_RELEASE) {
            ahead_put(a, command->kind == KERNEL_DECLARE ? declared : released, command->variable);
        }
        if (!kernel_is_parallel(command)) {
            find_ends(a, command->body, declared, released);
            find_ends(a, command->otherwise, declared, released);
        }
    }
}

/* Scalars that were declared on the way here, and are used from here on. */
static void find_used(const Ahead *a, Variables *scalars, PointerMap *seen)
{
    for (size_t i = 0; i < a->levels.count; i++) {
        const Level *level = &a->levels.items[i];
        KernelBlock rest = {level->block.count - level->at, level->block.commands + level->at};
        KernelFreeVec used = kernel_free(a->c, rest);
        for (size_t k = 0; k < used.count; k++) {
            KernelVariable *variable = used.items[k].variable;
            if (pointer_map_get(&a->declared, variable) && !pointer_map_get(&a->device, variable)) {
                add_once(a, scalars, seen, variable);
            }
        }
    }
}

/* Buffers that hold something here: the loop's state, which no step releases, and what was made on the way
   here. */
static Variables held_here(const Ahead *a, const Variables *buffers, const PointerMap *released)
{
    Variables held = {0}, before = {0}, ignored = {0};
    PointerMap seen = {0}, made = {0}, gone = {0}, declared = {0};
    for (size_t i = 0; i < a->levels.count; i++) {
        KernelBlock way = {a->levels.items[i].at, a->levels.items[i].block.commands};
        find_changes(a, way, &before, &ignored, &seen);
        find_ends(a, way, &declared, &gone);
    }
    for (size_t i = 0; i < before.count; i++) {
        if (!pointer_map_get(&gone, before.items[i]) ||
            pointer_map_get(&a->later, before.items[i])) {
            ahead_put(a, &made, before.items[i]);
        }
    }
    for (size_t i = 0; i < buffers->count; i++) {
        if (!pointer_map_get(released, buffers->items[i]) ||
            pointer_map_get(&made, buffers->items[i])) {
            vec_push(a->c->arena, &held, buffers->items[i]);
        }
    }
    return held;
}

static bool is_in_scope(const Ahead *a, const KernelVariable *scalar, const PointerMap *inside)
{
    for (size_t i = 0; i < a->levels.count; i++) {
        const Level *level = &a->levels.items[i];
        for (size_t k = 0; k < level->at; k++) {
            const KernelCmd *command = level->block.commands[k];
            if (command->kind == KERNEL_DECLARE && command->variable == scalar) {
                return true;
            }
        }
    }
    return !pointer_map_get(inside, scalar);
}

void ahead_keep_step(const Ahead *a, KernelBuilder *b, size_t place, KernelVariable *last)
{
    Variables buffers = {0}, scalars = {0}, in_scope = {0};
    PointerMap seen = {0}, inside = {0}, released = {0};
    find_used(a, &scalars, &seen);
    find_changes(a, a->loop->body, &buffers, &scalars, &seen);
    find_ends(a, a->loop->body, &inside, &released);
    for (size_t i = 0; i < scalars.count; i++) {
        KernelVariable *scalar = scalars.items[i];
        if (scalar != a->loop->variable && is_in_scope(a, scalar, &inside)) {
            vec_push(a->c->arena, &in_scope, scalar);
        }
    }
    Variables held = held_here(a, &buffers, &released);
    kernel_ahead(b, last, place, held.count, held.items, in_scope.count, in_scope.items);
}
