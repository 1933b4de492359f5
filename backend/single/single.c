/* Kernels of one work-item, where they can be spared: a launch takes as long as some hundred thousand elements.

   What decides whether a loop goes on (backend/ahead/) is computed by the work-item that has what it depends on:

       group sum { ... total[0] = z }                group sum {
       grid decide (g < 1) {                 ==>         ... total[0] = z
           ahead[0] = total[0] < 1 ? ... }               ahead[0] = z < 1 ? ... }

   Kernels that have begun must not find that the loop has ended: the element has to be stored by the last of all groups
   to arrive, or by the only one. What chooses between branches goes the same way, and so does whatever else one
   work-item does with the element:

       group find { ... at[0] = k }                  group find {
       grid store (g < 1) { y[at[0]] = 0 }   ==>         ... at[0] = k
                                                         y[k] = 0 }

   and what a few work-items do. Of two such kernels, one behind the other, the first does the work of both:

       grid check (g < 1) { check k <= m }           grid check (g < 1) {
       grid store (g < 1) { y[k] = 0 }       ==>         holds = check k <= m
                                                         if holds { y[k] = 0 }
                                                     }

   Before: a program for devices. After: the same values. */
#include "backend/single/single.h"

enum {
    MOST_NODES_BEHIND = 256, /* of what a work-item does besides */
    FEW_ITEMS = 16,          /* whose work one can do */
    MOST_STEPS = 64          /* of loops, with those */
};

/* A kernel that says whether the loop goes on, or which branch is taken. */
static bool decides(const KernelCmd *command)
{
    return command->chooses || (single_is(command) && command->ahead && command->body.count > 0 &&
                                single_is_of(command->body.commands[command->body.count - 1],
                                             KERNEL_STORE, command->ahead));
}

/* ---- the kernel before ------------------------------------------------------------------------ */

/* The kernel just before the decision, with it; NULL: something stands between, or it does not fit. */
static const KernelCmd *with_decision(Way *way, KernelBlock block, size_t at, Work work,
                                      size_t *place)
{
    const KernelCmd *decision = block.commands[at];
    for (size_t i = at; i-- > 0;) {
        const KernelCmd *command = block.commands[i];
        if (kernel_is_parallel(command) && command->ahead == decision->ahead) {
            *place = i;
            return single_behind(way->c, block, i, decision,
                                 work == WRITES && single_makes_all(way) ? FILLS : work);
        }
        if (!single_goes_past(way, block, i)) {
            return NULL;
        }
    }
    return NULL;
}

/* The block with the kernel in the place of that one, behind what has come along, and without the one at `at`. */
static KernelBlock merged(const Way *way, KernelBlock block, size_t place, size_t at,
                          const KernelCmd *kernel)
{
    KernelBuilder b = kernel_builder(way->c, kernel->span), later = b;
    for (size_t k = 0; k < block.count; k++) {
        const KernelCmd *command = k == place ? kernel : block.commands[k];
        bool waits = k >= place && k < at && !pointer_map_get(&way->moved, command);
        if (k != at) {
            kernel_add(waits ? &later : &b, command);
        } else {
            kernel_add_block(&b, kernel_block(&later));
        }
    }
    return kernel_block(&b);
}

/* Loops in it, and those around, take few steps. */
static bool is_short(KernelBlock block, int64_t steps)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool is_loop = command->kind == KERNEL_FOR;
        bool known = is_loop && command->count->kind == KERNEL_CONSTANT;
        int64_t inner = known ? steps * command->count->as.constant.as.integer : steps;
        if (command->kind == KERNEL_WHILE || (is_loop && !known) || inner > MOST_STEPS ||
            !is_short(command->body, inner) || !is_short(command->otherwise, inner)) {
            return false;
        }
    }
    return true;
}

/* The work of a few work-items, done by one. */
static const KernelCmd *as_single(Compilation *c, const KernelCmd *kernel)
{
    bool few = kernel->kind == KERNEL_FOR && kernel->level == KERNEL_GRID &&
               kernel->count->kind == KERNEL_CONSTANT &&
               kernel->count->as.constant.as.integer > 1 &&
               kernel->count->as.constant.as.integer <= FEW_ITEMS;
    if (!few || kernel_has(kernel->body, KERNEL_CHECK) ||
        !is_short(kernel->body, kernel->count->as.constant.as.integer)) {
        return kernel;
    }
    KernelBuilder b = kernel_builder(c, kernel->span);
    kernel_for(&b, KERNEL_SEQ, NULL, kernel->variable, kernel->count, kernel->body);
    KernelCmd *copy = arena_copy(c->arena, kernel, sizeof *copy);
    copy->variable = kernel_variable(c, "g", CORE_I64, KERNEL_SCALAR, kernel->span);
    copy->count = kernel_i64(c, 1);
    copy->body = kernel_block(&b);
    copy->on_processor = NULL;
    return copy;
}

static KernelBlock with_command(Compilation *c, KernelBlock block, size_t at,
                                const KernelCmd *command)
{
    const KernelCmd **commands =
        arena_copy(c->arena, block.commands, sizeof *commands * block.count);
    commands[at] = command;
    return (KernelBlock){block.count, commands};
}

/* Decisions only, or whatever one work-item does, or a few. */
static KernelBlock with_decisions(Compilation *c, KernelBlock block, Work work)
{
    for (size_t i = 0; i < block.count; i++) {
        size_t place, budget = MOST_NODES_BEHIND;
        const KernelCmd *command =
            work == DECIDES ? block.commands[i] : as_single(c, block.commands[i]);
        if (work == DECIDES ? !decides(command)
                            : !single_is(command) || command->on_processor ||
                                  !kernel_can_duplicate(command->body, &budget)) {
            continue;
        }
        Way way = single_way(c, command);
        KernelBlock with = with_command(c, block, i, command);
        const KernelCmd *kernel = with_decision(&way, with, i, work, &place);
        if (kernel) {
            block = merged(&way, with, place, i--, kernel);
        }
    }
    return block;
}

/* ---- one behind the other -------------------------------------------------------------------- */

/* That no check of the block has failed; NULL: there are none. `good` is false where some are not at its top. */
static const KernelExp *all_hold(Compilation *c, KernelBlock block, bool *good)
{
    const KernelExp *all = NULL;
    *good = true;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_CHECK) {
            const KernelExp *holds = kernel_use(c, command->variable);
            all = all ? kernel_binary(c, CORE_AND, all, holds) : holds;
        }
        *good = *good && !kernel_has(command->body, KERNEL_CHECK) &&
                !kernel_has(command->otherwise, KERNEL_CHECK);
    }
    return all;
}

/* The first kernel, with the second's work behind its own; NULL: they cannot be one. */
static const KernelCmd *one_of_both(Compilation *c, const KernelCmd *first, const KernelCmd *second)
{
    size_t budget = MOST_NODES_BEHIND;
    bool good, ends_loop = first->ahead && decides(first);
    const KernelExp *holds = all_hold(c, first->body, &good);
    if (!good || ends_loop || first->ahead != second->ahead || first->on_processor ||
        second->on_processor || !kernel_can_duplicate(second->body, &budget)) {
        return NULL;
    }
    KernelCopier copier = {.c = c};
    KernelBuilder behind = kernel_builder(c, second->span), b = behind;
    kernel_replace(&copier, second->variable, kernel_i64(c, 0));
    kernel_duplicate(&copier, &behind, second->body);
    kernel_add_block(&b, first->body);
    if (holds) {
        kernel_if(&b, holds, kernel_block(&behind), (KernelBlock){0});
    } else {
        kernel_add_block(&b, kernel_block(&behind));
    }
    KernelCmd *copy = arena_copy(c->arena, first, sizeof *copy);
    copy->body = kernel_block(&b);
    return copy;
}

/* The kernel of one work-item that the one at this place may follow at once, with its work; NULL: there is none. */
static const KernelCmd *with_single(Way *way, KernelBlock block, size_t at, size_t *place)
{
    for (size_t i = at; i-- > 0;) {
        const KernelCmd *command = block.commands[i];
        if (single_is(command)) {
            *place = i;
            return one_of_both(way->c, command, block.commands[at]);
        }
        if (!single_goes_past(way, block, i)) {
            break;
        }
    }
    return NULL;
}

static KernelBlock with_singles(Compilation *c, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        size_t place;
        if (!single_is(block.commands[i])) {
            continue;
        }
        Way way = single_way(c, block.commands[i]);
        const KernelCmd *both = with_single(&way, block, i, &place);
        if (both) {
            block = merged(&way, block, place, i--, both);
        }
    }
    return block;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static KernelBlock spared(Compilation *c, KernelBlock block)
{
    KernelBuilder b = kernel_builder(c, (Span){0});
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (!kernel_is_parallel(command) && command->body.count + command->otherwise.count > 0) {
            KernelCmd *copy = arena_copy(c->arena, command, sizeof *copy);
            copy->body = spared(c, command->body);
            copy->otherwise = spared(c, command->otherwise);
            command = copy;
        }
        kernel_add(&b, command);
    }
    block = with_decisions(c, single_without_copies(c, kernel_block(&b)), DECIDES);
    return with_decisions(c, with_singles(c, block), WRITES);
}

KernelProgram *kernel_spare_items(Compilation *c, const KernelProgram *program)
{
    KernelBlock *bodies = ARENA_ARRAY(c->arena, KernelBlock, program->body_count);
    for (size_t i = 0; i < program->body_count; i++) {
        bodies[i] = spared(c, program->entries[i].body);
    }
    return kernel_with_bodies(c, program, bodies);
}
