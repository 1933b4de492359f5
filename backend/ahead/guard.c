/* Kernels that do nothing while a word of the device's is negative.

   A kernel has one such word at most. What chooses between branches always runs, so that the words of its kernels are
   those of this step: where it would do nothing, neither of them does anything. What the host would write in the device's
   memory is a kernel, too, and so is a check that fails: in a step that is none it may.

       grid choose { then[0] = c ? 0 : -1 }     ==>     grid choose {
       grid f, ahead then { ... }                           if word[0] >= 0 { then[0] = c ? 0 : -1 }
       grid g { ... }                                       else { then[0] = -1 }
                                                        }
                                                        grid f, ahead then { ... }
                                                        grid g, ahead word { ... } */
#include "backend/ahead/ahead.h"

const KernelExp *ahead_does(Compilation *c, KernelVariable *word)
{
    const KernelExp *zero = kernel_i64(c, 0);
    return kernel_binary(c, CORE_GE, kernel_load(c, word, zero), zero);
}

/* Stores that say no to all words that the block stores. */
static void say_no(Compilation *c, KernelBuilder *b, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_STORE) {
            kernel_store(b, command->variable, command->index, kernel_i64(c, -1));
        }
        say_no(c, b, command->body); /* both branches store the same */
    }
}

/* What chooses, which says no where the word does. Within a branch it asks that branch's word already, which says no
   where this one does. */
static const KernelCmd *choosing(Compilation *c, KernelVariable *word, const KernelCmd *kernel)
{
    if (kernel->body.commands[0]->kind == KERNEL_IF) {
        return kernel;
    }
    KernelBuilder b = kernel_builder(c, kernel->span), no = b;
    say_no(c, &no, kernel->body);
    kernel_if(&b, ahead_does(c, word), kernel->body, kernel_block(&no));
    KernelCmd *copy = arena_copy(c->arena, kernel, sizeof *copy);
    copy->body = kernel_block(&b);
    return copy;
}

/* As a kernel; a check fails as one, where the host finds that it does not hold. */
static const KernelCmd *done_by_device(Compilation *c, KernelVariable *word,
                                       const KernelCmd *command)
{
    KernelBuilder b = kernel_builder(c, command->span);
    ahead_as_kernel(c, &b, command);
    kernel_with_ahead(&b, word);
    if (command->kind == KERNEL_CHECK) {
        KernelBuilder outer = kernel_builder(c, command->span);
        kernel_if(&outer, kernel_unary(c, CORE_NOT, command->value), kernel_block(&b),
                  (KernelBlock){0});
        return outer.commands.items[0];
    }
    return b.commands.items[0];
}

const KernelCmd *ahead_guarded(Compilation *c, KernelVariable *word, const KernelCmd *command)
{
    if (ahead_can_be_left(command)) {
        return done_by_device(c, word, command);
    }
    if (command->body.count + command->otherwise.count == 0 ||
        (kernel_is_parallel(command) && command->ahead)) {
        return command;
    }
    if (command->chooses) {
        return choosing(c, word, command);
    }
    KernelCmd *copy = arena_copy(c->arena, command, sizeof *copy);
    if (kernel_is_parallel(command)) {
        copy->ahead = word;
        copy->on_processor =
            command->on_processor ? ahead_guarded(c, word, command->on_processor) : NULL;
        return copy;
    }
    copy->body = ahead_guarded_block(c, word, command->body);
    copy->otherwise = ahead_guarded_block(c, word, command->otherwise);
    return copy;
}

KernelBlock ahead_guarded_block(Compilation *c, KernelVariable *word, KernelBlock block)
{
    KernelBuilder b = kernel_builder(c, (Span){0});
    for (size_t i = 0; i < block.count; i++) {
        kernel_add(&b, ahead_guarded(c, word, block.commands[i]));
    }
    return kernel_block(&b);
}
