/* Kernels of both branches between which the device chooses, as one.

       grid f (i < n), ahead then { y[i] = x[i] / t }            grid f (i < n) {
       grid g (j < n), ahead otherwise { y[j] = x[j] + 1 }           if then[0] >= 0 { y[i] = x[i] / t }
                                                         ==>         else if otherwise[0] >= 0 { y[i] = x[i] + 1 }
                                                                 }

   Only one of the two does anything, and a launch takes as long whether or not it does. So do kernels of the same
   number of work-items, one of each branch, in their order; all else that the host does for one branch is nothing to
   the other. */
#include "backend/ahead/ahead.h"

enum { MOST_NODES = 1024 /* of a kernel */ };

/* ---- two kernels ------------------------------------------------------------------------------- */

static bool assume_the_same(const KernelCmd *x, const KernelCmd *y)
{
    if (x->assumed_count != y->assumed_count) {
        return false;
    }
    for (size_t k = 0; k < x->assumed_count; k++) {
        if (!kernel_is_same(x->assumed[k], y->assumed[k])) {
            return false;
        }
    }
    return true;
}

static bool can_be_copied(const KernelCmd *kernel)
{
    size_t budget = MOST_NODES;
    return kernel_can_duplicate(kernel->body, &budget);
}

/* A kernel without tiles or strips. */
static bool is_plain(const KernelCmd *kernel)
{
    return kernel->kind == KERNEL_FOR && kernel->level == KERNEL_GRID && kernel->ahead &&
           !kernel->rows && can_be_copied(kernel);
}

/* The loops of a kernel for processors: its last command, of one work-item; NULL: it has another form. */
static const KernelCmd *loops_of(const KernelCmd *kernel)
{
    const KernelCmd *last = kernel->body.commands[kernel->body.count - 1];
    for (size_t i = 0; i + 1 < kernel->body.count; i++) {
        const KernelCmd *command = kernel->body.commands[i];
        if (command->kind != KERNEL_DECLARE || command->variable->space != KERNEL_SCALAR) {
            return NULL;
        }
    }
    bool is_one = last->kind == KERNEL_FOR && last->level == KERNEL_LOCAL_LOOP &&
                  kernel_is_i64(last->count, 1) && kernel->groups && can_be_copied(last);
    return is_one ? last : NULL;
}

/* One at least has a kernel for processors, if the other has one, and it can take both. */
static bool fit_processors(const KernelCmd *x, const KernelCmd *y)
{
    const KernelCmd *own = x->on_processor, *other = y->on_processor;
    return (!own || loops_of(own)) && (!other || loops_of(other)) &&
           (!own || !other || kernel_is_same(own->count, other->count));
}

static bool are_alike(const KernelCmd *x, const KernelCmd *y)
{
    return is_plain(x) && is_plain(y) && kernel_is_same(x->count, y->count) &&
           assume_the_same(x, y) && fit_processors(x, y);
}

/* if x's word { x's block } else { if y's word { a copy of y's block } } */
static KernelBlock either(Compilation *c, const KernelCmd *x, KernelBlock x_block,
                          const KernelCmd *y, KernelBlock y_block, KernelCopier *copier)
{
    KernelBuilder b = kernel_builder(c, x->span), second = b, copy = b;
    kernel_duplicate(copier, &copy, y_block);
    kernel_if(&second, ahead_does(c, y->ahead), kernel_block(&copy), (KernelBlock){0});
    kernel_if(&b, ahead_does(c, x->ahead), x_block, kernel_block(&second));
    return kernel_block(&b);
}

static KernelBlock with_declared(Compilation *c, const KernelCmd *kernel, const KernelCmd *loops)
{
    KernelBuilder b = kernel_builder(c, kernel->span);
    kernel_add_block(&b, (KernelBlock){kernel->body.count - 1, kernel->body.commands});
    kernel_add_block(&b, loops->body);
    return kernel_block(&b);
}

/* For processors: x has such a kernel; of y its rows, one after the other, where it has none. */
static const KernelCmd *processor_pair(Compilation *c, const KernelCmd *x, const KernelCmd *y)
{
    const KernelCmd *own = x->on_processor, *other = y->on_processor, *own_loops = loops_of(own);
    KernelCopier copier = {.c = c};
    KernelBuilder b = kernel_builder(c, x->span), rows = b;
    if (other) {
        kernel_replace(&copier, other->variable, kernel_use(c, own->variable));
        kernel_replace(&copier, other->groups, kernel_use(c, own->groups));
        kernel_replace(&copier, loops_of(other)->variable, kernel_use(c, own_loops->variable));
        kernel_add_block(&rows, with_declared(c, other, loops_of(other)));
    } else {
        kernel_for(&rows, KERNEL_SEQ, NULL, y->variable, y->count, y->body);
    }
    KernelCmd *loops = arena_copy(c->arena, own_loops, sizeof *loops);
    loops->body = either(c, x, with_declared(c, own, own_loops), y, kernel_block(&rows), &copier);
    kernel_add(&b, loops);
    KernelCmd *pair = arena_copy(c->arena, own, sizeof *pair);
    pair->body = kernel_block(&b);
    pair->ahead = NULL;
    return pair;
}

static const KernelCmd *pair_of(Compilation *c, const KernelCmd *x, const KernelCmd *y)
{
    if (!x->on_processor && y->on_processor) {
        return pair_of(c, y, x);
    }
    KernelCopier copier = {.c = c};
    kernel_replace(&copier, y->variable, kernel_use(c, x->variable));
    KernelCmd *pair = arena_copy(c->arena, x, sizeof *pair);
    pair->body = either(c, x, x->body, y, y->body, &copier);
    pair->ahead = NULL;
    pair->on_processor = x->on_processor ? processor_pair(c, x, y) : NULL;
    return pair;
}

/* ---- two branches ------------------------------------------------------------------------------ */

/* The place of the first kernel of the block, from `from` on, that is like this one; the block's count: there is
   none. */
static size_t find_like(KernelBlock block, size_t from, const KernelCmd *kernel)
{
    size_t at = from;
    while (at < block.count && !are_alike(kernel, block.commands[at])) {
        at++;
    }
    return at;
}

size_t ahead_pair(Compilation *c, KernelBuilder *b, KernelBlock x, KernelBlock y)
{
    size_t done = 0, pairs = 0;
    for (size_t i = 0; i < x.count; i++) {
        size_t like = find_like(y, done, x.commands[i]);
        if (like == y.count) {
            kernel_add(b, x.commands[i]);
            continue;
        }
        kernel_add_block(b, (KernelBlock){like - done, y.commands + done});
        kernel_add(b, pair_of(c, x.commands[i], y.commands[like]));
        done = like + 1;
        pairs++;
    }
    if (done < y.count) {
        kernel_add_block(b, (KernelBlock){y.count - done, y.commands + done});
    }
    return pairs;
}
