/* Small arrays that a kernel reads at the same places in all its work-items are in constant memory,
   where such a read costs no load on GPUs:

       kernel void reduce_v_5(..., constant long *directions_3, ...)
           for (int bit_7 = 0; bit_7 < 30; bit_7++) {
               ... directions_3[30 + bit_7] ...            the same place at the same time

   An index is uniform where it is made of constants, arguments of the kernel, the group's number,
   and the variables of loops of uniform count. */
#include "backend/emit/emit.h"

/* Devices have 64 KiB of constant memory and 8 such arguments at least. */
enum { MOST_ELEMENTS = 1024, MOST_ARGUMENTS = 4 };

typedef struct Walk {
    const Emit *e;
    PointerMap varying; /* KernelVariable -> itself: differs between work-items */
    const KernelVariable *buffer;
    bool uniform; /* all reads of the buffer so far */
} Walk;

static void vary(Walk *walk, KernelVariable *variable)
{
    pointer_map_set(walk->e->c->arena, &walk->varying, variable, variable);
}

static bool is_uniform(const Walk *walk, const KernelExp *exp)
{
    if (exp->kind == KERNEL_LOAD ||
        (exp->kind == KERNEL_VARIABLE && pointer_map_get(&walk->varying, exp->as.variable))) {
        return false;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        if (!is_uniform(walk, operands[k])) {
            return false;
        }
    }
    return true;
}

static void look(Walk *walk, const KernelExp *exp)
{
    if (!exp) {
        return;
    }
    if (exp->kind == KERNEL_LOAD && exp->as.load.buffer == walk->buffer) {
        walk->uniform = walk->uniform && is_uniform(walk, exp->as.load.index);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        look(walk, operands[k]);
    }
}

/* In program order: a variable is used after its declaration. */
static void look_inside(Walk *walk, KernelBlock block)
{
    for (size_t i = 0; walk->uniform && i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        look(walk, command->value);
        look(walk, command->index);
        look(walk, command->source_index);
        look(walk, command->count);
        for (size_t k = 0; k < command->value_count; k++) {
            look(walk, command->values[k]);
        }
        for (size_t k = 0; k < command->payload_count; k++) {
            vary(walk, command->payload[k]);
        }
        KernelVariable *variable = command->variable;
        bool loops = command->kind == KERNEL_FOR;
        bool is_steady =
            (command->kind == KERNEL_DECLARE && command->value &&
             !walk->e->survey.assigned[variable->number] && is_uniform(walk, command->value)) ||
            (loops && command->level == KERNEL_SEQ && is_uniform(walk, command->count));
        if (variable && variable->space == KERNEL_SCALAR && !is_steady) {
            vary(walk, variable);
        }
        look_inside(walk, command->body);
        look_inside(walk, command->otherwise);
    }
}

static bool is_constant(const Emit *e, const KernelCmd *kernel, const KernelFreeVec *used,
                        const KernelFree *item)
{
    const KernelVariable *buffer = item->variable;
    int64_t count = e->survey.fixed_count[buffer->number];
    if (buffer->space != KERNEL_GLOBAL || item->written || count <= 0 || count > MOST_ELEMENTS ||
        !emit_is_alone(e, used, item)) {
        return false;
    }
    Walk walk = {.e = e, .buffer = buffer, .uniform = true};
    if (kernel->level == KERNEL_GRID) {
        vary(&walk, kernel->variable);
    }
    look_inside(&walk, kernel->body);
    return walk.uniform;
}

bool *emit_constant_buffers(const Emit *e, const KernelCmd *kernel, const KernelFreeVec *used)
{
    bool *constant = ARENA_ARRAY(e->c->arena, bool, used->count + 1);
    int arguments = 0;
    for (size_t i = 0; i < used->count && arguments < MOST_ARGUMENTS; i++) {
        constant[i] = is_constant(e, kernel, used, &used->items[i]);
        arguments += constant[i];
    }
    return constant;
}
