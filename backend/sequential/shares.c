/* Kernels for processors (backend/lower/processor.c): each group takes a contiguous share of every
   outermost loop.

       for (i < n) { y[i] = f(x[i]) }

   becomes

       each = n / groups;  more = n - each * groups
       first = each * group + min(group, more)
       for (t < each + (group < more)) { i = first + t; y[i] = f(x[i]) }

   The loop was one when it was lowered; by now it may be the first rows, the interior and the last
   ones, strips and what is left over, or versions under an `if`. Their iterations are independent,
   or fold rows by an operator that commutes, so that it does not matter which group has which share
   of which loop. A loop that fills a table of the group's own is not shared out: all of its rows read
   that. (One that reads it, too, folds its rows there.) */
#include "backend/copy.h"

typedef struct Shares {
    Compilation *c;
    const KernelExp *group, *groups;
} Shares;

static void share_loop(Shares *s, KernelBuilder *b, const KernelCmd *loop)
{
    Compilation *c = s->c;
    b->span = loop->span;
    const KernelExp *count =
        kernel_declared(b, "count", kernel_binary(c, CORE_MAX, loop->count, kernel_i64(c, 0)));
    const KernelExp *each = kernel_declared(b, "each", kernel_divide(c, count, s->groups));
    const KernelExp *more = kernel_declared(
        b, "more", kernel_binary(c, CORE_SUB, count, kernel_binary(c, CORE_MUL, each, s->groups)));
    const KernelExp *first =
        kernel_declared(b, "first",
                        kernel_binary(c, CORE_ADD, kernel_binary(c, CORE_MUL, each, s->group),
                                      kernel_binary(c, CORE_MIN, s->group, more)));
    const KernelExp *has_more = kernel_binary(c, CORE_LT, s->group, more);
    const KernelExp *own = kernel_declared(
        b, "own", kernel_binary(c, CORE_ADD, each, kernel_convert(c, CORE_I64, has_more)));
    KernelVariable *t = kernel_variable(c, "t", CORE_I64, KERNEL_SCALAR, loop->span);
    KernelBuilder body = kernel_builder(c, loop->span);
    kernel_declare(&body, loop->variable, kernel_exact_sum(c, first, kernel_use(c, t)));
    kernel_add_block(&body, loop->body);
    KernelCmd *shared = arena_copy(c->arena, loop, sizeof *loop);
    shared->variable = t;
    shared->count = own;
    shared->body = kernel_block(&body);
    kernel_add(b, shared);
}

static bool declares(KernelBlock block, const KernelVariable *variable)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if ((command->kind == KERNEL_DECLARE && command->variable == variable) ||
            declares(command->body, variable) || declares(command->otherwise, variable)) {
            return true;
        }
    }
    return false;
}

/* It writes to memory of the group or the work-item that is there before the loop, and reads nothing of it. */
static bool fills_table(const KernelCmd *loop, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool fills = command->kind == KERNEL_STORE && command->variable->space != KERNEL_GLOBAL &&
                     !declares(loop->body, command->variable) &&
                     !kernel_reads(loop->body, command->variable);
        if (fills || fills_table(loop, command->body) || fills_table(loop, command->otherwise)) {
            return true;
        }
    }
    return false;
}

static KernelBlock share_block(Shares *s, KernelBlock block)
{
    KernelBuilder b = kernel_builder(s->c, (Span){0});
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_FOR && !fills_table(command, command->body)) {
            share_loop(s, &b, command);
        } else if (command->kind == KERNEL_IF) {
            KernelCmd *branch = arena_copy(s->c->arena, command, sizeof *command);
            branch->body = share_block(s, command->body);
            branch->otherwise = share_block(s, command->otherwise);
            kernel_add(&b, branch);
        } else {
            kernel_add(&b, command);
        }
    }
    return kernel_block(&b);
}

/* Its rows are in the first LOCAL loop. */
static const KernelCmd *share_kernel(Compilation *c, const KernelCmd *kernel)
{
    Shares s = {c, kernel_use(c, kernel->variable), kernel_use(c, kernel->groups)};
    const KernelCmd **commands = ARENA_ARRAY(c->arena, const KernelCmd *, kernel->body.count);
    memcpy(commands, kernel->body.commands, kernel->body.count * sizeof *commands);
    size_t first = 0;
    while (commands[first]->kind != KERNEL_FOR) { /* scalars of the group */
        first++;
    }
    KernelCmd *rows = arena_copy(c->arena, commands[first], sizeof *rows);
    rows->body = share_block(&s, rows->body);
    commands[first] = rows;
    KernelCmd *shared = arena_copy(c->arena, kernel, sizeof *kernel);
    shared->body.commands = commands;
    return shared;
}

static bool put(void *context, KernelBuilder *b, const KernelCmd *command)
{
    if (command->kind != KERNEL_FOR || command->on_processor == NULL) {
        return false;
    }
    Compilation *c = context;
    KernelCmd *copy = arena_copy(c->arena, command, sizeof *command);
    copy->on_processor = share_kernel(c, command->on_processor);
    kernel_add(b, copy);
    return true;
}

KernelProgram *kernel_share_loops(Compilation *c, const KernelProgram *program)
{
    KernelRewrite rewrite = {.c = c, .context = c, .put = put};
    return kernel_rewrite_program(&rewrite, program);
}
