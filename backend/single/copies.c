/* The copy of an element that nobody else wants is the element:

       alloc state                                   group sum { ... total[0] = z }
       group sum { ... total[0] = z }        ==>     alias state = total
       grid map (g < 1) { state[g] = total[0] }      release total
       release total */
#include "backend/single/single.h"

static bool mentions(Compilation *c, const KernelCmd *command, const KernelVariable *variable)
{
    if (command->variable == variable || command->source == variable) {
        return true;
    }
    KernelFreeVec names = kernel_free(c, (KernelBlock){1, &command});
    for (size_t i = 0; i < names.count; i++) {
        if (names.items[i].variable == variable) {
            return true;
        }
    }
    return false;
}

/* Nothing between the two places mentions the variable. */
static bool is_unused(Compilation *c, KernelBlock block, size_t from, size_t to,
                      const KernelVariable *variable)
{
    for (size_t i = from; i < to; i++) {
        if (mentions(c, block.commands[i], variable)) {
            return false;
        }
    }
    return true;
}

/* { var t = from[0]; to[g] = t } */
static bool is_copy(const KernelCmd *command, KernelVariable **to, KernelVariable **from)
{
    if (!single_is(command) || command->body.count != 2) {
        return false;
    }
    const KernelCmd *load = command->body.commands[0], *store = command->body.commands[1];
    if (load->kind != KERNEL_DECLARE || !load->value || load->value->kind != KERNEL_LOAD ||
        !single_is_number(load->value->as.load.index, 0) || store->kind != KERNEL_STORE ||
        store->value->kind != KERNEL_VARIABLE || store->value->as.variable != load->variable) {
        return false;
    }
    bool at_item =
        store->index->kind == KERNEL_VARIABLE && store->index->as.variable == command->variable;
    *to = store->variable;
    *from = load->value->as.load.buffer;
    return (at_item || single_is_number(store->index, 0)) && (*to)->prim == (*from)->prim;
}

/* A kernel or a scalar of the host's that at most reads the two, or another command without them. */
static bool only_reads(Compilation *c, const KernelCmd *command, const KernelVariable *to,
                       const KernelVariable *from)
{
    if (!mentions(c, command, to) && !mentions(c, command, from)) {
        return true;
    }
    KernelFreeVec names = kernel_free(c, (KernelBlock){1, &command});
    for (size_t i = 0; i < names.count; i++) {
        const KernelVariable *name = names.items[i].variable;
        if (names.items[i].written && (name == to || name == from)) {
            return false;
        }
    }
    return kernel_is_parallel(command) || command->kind == KERNEL_DECLARE;
}

/* Both are made in the block, of one element; after the copy `from` is only read, as long as it is there. */
static bool is_only_copy(Compilation *c, KernelBlock block, size_t at, const KernelVariable *to,
                         const KernelVariable *from)
{
    size_t made = single_find(block, 0, KERNEL_ALLOCATE, from),
           place = single_find(block, 0, KERNEL_ALLOCATE, to),
           released = single_find(block, at, KERNEL_RELEASE, from);
    for (size_t i = at + 1; i < released && i < block.count; i++) {
        if (!only_reads(c, block.commands[i], to, from)) {
            return false;
        }
    }
    return made < at && single_is_number(block.commands[made]->count, 1) && place < at &&
           single_is_number(block.commands[place]->count, 1) &&
           is_unused(c, block, place + 1, at, to) && released < block.count &&
           is_unused(c, block, released + 1, block.count, from);
}

KernelBlock single_without_copies(Compilation *c, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        KernelVariable *to, *from;
        if (!is_copy(block.commands[i], &to, &from) || !is_only_copy(c, block, i, to, from)) {
            continue;
        }
        size_t place = single_find(block, 0, KERNEL_ALLOCATE, to);
        KernelBuilder b = kernel_builder(c, block.commands[i]->span);
        for (size_t k = 0; k < block.count; k++) {
            if (k == i) {
                kernel_alias(&b, to, from);
            } else if (k != place) {
                kernel_add(&b, block.commands[k]);
            }
        }
        block = kernel_block(&b);
        i--;
    }
    return block;
}
