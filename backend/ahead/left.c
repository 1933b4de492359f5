/* What the host would do with what the device makes, in loops: it is left to the device, as kernels.

       for (i < n) {                                    for (i < n) {
           group find { ... at[0] = k }                     group find { ... at[0] = k }
           var k = at[0]                                    grid check (g < 1) {
           check k <= m else INDEX ERROR         ==>            var k = at[0]
           y[k] = 0                                             check k <= m else INDEX ERROR
                                                            }
                                                            grid store (g < 1) { var k = at[0]; y[k] = 0 }

   To load it is to wait. Kernels after one in which a check failed do nothing, and the host finds out when it looks
   next (runtime/opencl.c). In branches between which the device chooses all such commands are left to it, for the
   host does not know whether they are to be done; a check that the host knows to hold is none. */
#include "backend/ahead/ahead.h"

static bool is_made(const Ahead *a, const KernelExp *exp)
{
    return kernel_loads(exp) > 0 || kernel_mentions_any(&a->made, exp);
}

static void find_made(Ahead *a, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if ((command->kind == KERNEL_DECLARE || command->kind == KERNEL_ASSIGN) &&
            is_made(a, command->value)) {
            ahead_put(a, &a->made, command->variable);
        }
        if (!kernel_is_parallel(command)) {
            find_made(a, command->body);
            find_made(a, command->otherwise);
        }
    }
}

void ahead_find_made(Ahead *a, KernelBlock block)
{
    a->made = (PointerMap){0};
    find_made(a, block);
}

bool ahead_can_be_left(const KernelCmd *command)
{
    return command->kind == KERNEL_CHECK || command->kind == KERNEL_STORE ||
           (command->kind == KERNEL_COPY && command->variable != command->source);
}

bool ahead_is_left(const Ahead *a, const KernelCmd *command)
{
    return ahead_can_be_left(command) && !pointer_map_get(&a->refused, command) &&
           (is_made(a, command->value) || is_made(a, command->index) ||
            is_made(a, command->source_index));
}

bool ahead_is_known(const Ahead *a, const KernelCmd *command)
{
    return command->kind == KERNEL_CHECK && !is_made(a, command->value);
}

static const KernelExp *plus(Compilation *c, const KernelExp *x, const KernelExp *y)
{
    return kernel_binary(c, CORE_ADD, x, y);
}

const KernelVariable *ahead_as_kernel(Compilation *c, KernelBuilder *b, const KernelCmd *command)
{
    b->span = command->span;
    KernelVariable *item = kernel_variable(c, "g", CORE_I64, KERNEL_SCALAR, b->span);
    KernelBuilder body = kernel_builder(c, b->span);
    const KernelExp *count = kernel_i64(c, 1);
    const char *kind = "store";
    if (command->kind == KERNEL_CHECK) {
        KernelVariable *holds = kernel_variable(c, "holds", CORE_BOOL, KERNEL_SCALAR, b->span);
        kernel_declare(&body, holds, NULL);
        kernel_check(&body, holds, command->value, command->index, command->failure,
                     command->value_count, command->values);
        kind = "check";
    } else if (command->kind == KERNEL_STORE) {
        kernel_add(&body, command);
    } else {
        const KernelExp *i = kernel_use(c, item);
        kernel_store(&body, command->variable, plus(c, command->index, i),
                     kernel_load(c, command->source, plus(c, command->source_index, i)));
        count = command->count;
        kind = "copy";
    }
    kernel_for(b, KERNEL_GRID, arena_printf(c->arena, "%s_%u", kind, item->number), item, count,
               kernel_block(&body));
    return item;
}

void ahead_leave(Ahead *a, KernelBuilder *b, const KernelCmd *command, const KernelCmd *key)
{
    ahead_key(a, ahead_as_kernel(a->c, b, command), key);
}

KernelBlock ahead_leave_all(Ahead *a, KernelBlock block, const KernelCmd *key)
{
    KernelBuilder b = kernel_builder(a->c, (Span){0});
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (ahead_is_known(a, command)) {
            KernelBuilder fails = kernel_builder(a->c, command->span);
            ahead_leave(a, &fails, command, key);
            b.span = command->span;
            kernel_if(&b, kernel_unary(a->c, CORE_NOT, command->value), kernel_block(&fails),
                      (KernelBlock){0});
        } else if (ahead_can_be_left(command)) {
            ahead_leave(a, &b, command, key);
        } else if (kernel_is_parallel(command) ||
                   command->body.count + command->otherwise.count == 0) {
            kernel_add(&b, command);
        } else {
            KernelCmd *copy = arena_copy(a->c->arena, command, sizeof *copy);
            copy->body = ahead_leave_all(a, command->body, key);
            copy->otherwise = ahead_leave_all(a, command->otherwise, key);
            kernel_add(&b, copy);
        }
    }
    return kernel_block(&b);
}
