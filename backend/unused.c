/* What nobody uses is not computed.

   Lowering makes the numbers of a row before it knows who asks for them, and a test for what only some accesses need.
   What is not mentioned then would be left out by a compiler of C, but it stands before people who read the kernel, and
   takes time where it is compiled while the program runs; on the host even an element would be waited for:

       grid (g < size) {                               grid (g < size) {
           var i = g / m                        ==>
           var j = g % m
           y[g] = x[g] + 1                                 y[g] = x[g] + 1
       }                                               }

   From the last command to the first, so that what is only used by what goes goes, too.

   Before: a kernel program. After: the same without scalars that are declared and never used, with all that assigns
   them, and without branches and loops in which nothing is left. What a device reads side by side stays together, and so do
   numbers of rows, from which backend/traffic.c knows how many there are. */
#include "backend/copy.h"

typedef struct Unused {
    Compilation *c;
    /* By a variable's number: how often it is mentioned, and how often assigned. */
    size_t *uses, *assigned;
} Unused;

/* ---- what a command mentions, once more (1) or no longer (-1) -------------------------------- */

static void count_variable(Unused *u, const KernelVariable *variable, int more)
{
    if (variable) {
        u->uses[variable->number] += (size_t)more;
    }
}

static void count_exp(Unused *u, const KernelExp *exp, int more)
{
    if (!exp) {
        return;
    }
    if (exp->kind == KERNEL_VARIABLE) {
        count_variable(u, exp->as.variable, more);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        count_exp(u, operands[i], more);
    }
}

static void count_exps(Unused *u, size_t count, const KernelExp *const *exps, int more)
{
    for (size_t i = 0; i < count; i++) {
        count_exp(u, exps[i], more);
    }
}

static void count_effect(Unused *u, const KernelEffect *effect, int more)
{
    count_exp(u, effect->start, more);
    count_exp(u, effect->value, more);
    count_exp(u, effect->second, more);
    count_variable(u, effect->result, more);
    for (int k = 0; k < effect->rank; k++) {
        if (effect->shape) {
            count_exp(u, effect->shape[k], more);
        }
        if (effect->extents) {
            count_variable(u, effect->extents[k], more);
        }
    }
}

/* Without its blocks, and without what is assumed of places. */
static void count_command(Unused *u, const KernelCmd *command, int more)
{
    if (command->kind == KERNEL_ASSIGN) {
        u->assigned[command->variable->number] += (size_t)more;
    } else if (command->kind != KERNEL_DECLARE) {
        count_variable(u, command->variable, more);
    }
    if (command->variable) {
        count_exp(u, command->variable->row_of, more);
    }
    count_exp(u, command->value, more);
    count_exp(u, command->index, more);
    count_exp(u, command->source_index, more);
    count_exp(u, command->count, more);
    count_exp(u, command->rows, more);
    count_exp(u, command->per_row, more);
    count_exps(u, command->value_count, command->values, more);
    if (kernel_is_parallel(command)) {
        count_exps(u, command->assumed_count, command->assumed, more);
    }
    for (size_t k = 0; k < command->payload_count; k++) {
        count_variable(u, command->payload[k], more);
    }
    count_effect(u, &command->effect, more);
}

static void count_block(Unused *u, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        count_command(u, command, 1);
        if (command->on_processor) {
            count_block(u, (KernelBlock){1, &command->on_processor});
        }
        count_block(u, command->body);
        count_block(u, command->otherwise);
    }
}

/* ---- what goes ------------------------------------------------------------------------------- */

static bool is_empty(KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        if (block.commands[i]->kind != KERNEL_COMMENT) {
            return false;
        }
    }
    return true;
}

/* It does nothing but set a scalar that nobody uses. */
static bool is_unused(const Unused *u, const KernelCmd *command)
{
    const KernelVariable *variable = command->variable;
    if ((command->kind != KERNEL_DECLARE && command->kind != KERNEL_ASSIGN) ||
        variable->space != KERNEL_SCALAR || u->uses[variable->number] > 0) {
        return false;
    }
    return command->kind == KERNEL_ASSIGN ||
           (u->assigned[variable->number] == 0 && !command->wide && !variable->row_of);
}

/* It did something, and that is gone. */
static bool is_left_empty(const KernelCmd *before, const KernelCmd *command)
{
    bool is_plain = command->kind == KERNEL_IF ? !command->by_device && !command->by_size
                                               : command->kind == KERNEL_FOR &&
                                                     (command->level == KERNEL_SEQ ||
                                                      command->level == KERNEL_LOCAL_LOOP) &&
                                                     !command->product;
    return is_plain && before != command && is_empty(command->body) && is_empty(command->otherwise);
}

static bool uses_unused(const Unused *u, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE) {
        return u->uses[exp->as.variable->number] == 0;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = uses_unused(u, operands[i]);
    }
    return found;
}

/* What is assumed only of numbers that others use, too; these are used now. The same command where that is all. */
static const KernelCmd *assuming_less(Unused *u, const KernelCmd *command)
{
    size_t count = 0;
    const KernelExp **kept =
        ARENA_ARRAY(u->c->arena, const KernelExp *, command->assumed_count + 1);
    for (size_t i = 0; i < command->assumed_count; i++) {
        if (!uses_unused(u, command->assumed[i])) {
            kept[count++] = command->assumed[i];
            count_exp(u, command->assumed[i], 1);
        }
    }
    if (count == command->assumed_count) {
        return command;
    }
    KernelCmd *copy = arena_copy(u->c->arena, command, sizeof *command);
    copy->assumed_count = count;
    copy->assumed = kept;
    return copy;
}

static KernelBlock without_unused(Unused *u, KernelBlock block);

static const KernelCmd *with_less(Unused *u, const KernelCmd *command)
{
    const KernelCmd *processor = command->on_processor ? with_less(u, command->on_processor) : NULL;
    if (command->assumed_count > 0 && !kernel_is_parallel(command)) {
        command = assuming_less(u, command);
    }
    KernelBlock otherwise = without_unused(u, command->otherwise),
                body = without_unused(u, command->body);
    if (processor == command->on_processor && otherwise.count == command->otherwise.count &&
        otherwise.commands == command->otherwise.commands &&
        body.commands == command->body.commands) {
        return command;
    }
    KernelCmd *copy = arena_copy(u->c->arena, command, sizeof *command);
    copy->on_processor = processor;
    copy->otherwise = otherwise;
    copy->body = body;
    return copy;
}

/* The same block where nothing goes. */
static KernelBlock without_unused(Unused *u, KernelBlock block)
{
    const KernelCmd **kept = ARENA_ARRAY(u->c->arena, const KernelCmd *, block.count + 1);
    size_t first = block.count;
    bool changed = false;
    for (size_t i = block.count; i-- > 0;) {
        const KernelCmd *before = block.commands[i];
        const KernelCmd *command = is_unused(u, before) ? NULL : with_less(u, before);
        if (!command || is_left_empty(before, command)) {
            count_command(u, before, -1);
            changed = true;
            continue;
        }
        changed = changed || command != before;
        kept[--first] = command;
    }
    return changed ? (KernelBlock){block.count - first, kept + first} : block;
}

KernelProgram *kernel_drop_unused(Compilation *c, const KernelProgram *program)
{
    ArenaMark mark = arena_mark(c->scratch);
    size_t numbers = (size_t)c->last_number + 1;
    Unused unused = {.c = c,
                     .uses = ARENA_ARRAY(c->scratch, size_t, numbers),
                     .assigned = ARENA_ARRAY(c->scratch, size_t, numbers)};
    KernelBlock *bodies = ARENA_ARRAY(c->arena, KernelBlock, program->body_count);
    for (size_t i = 0; i < program->body_count; i++) {
        const KernelEntry *entry = &program->entries[i];
        for (size_t k = 0; k < entry->result_count; k++) {
            count_variable(&unused, entry->results[k], 1);
        }
        count_block(&unused, entry->body);
    }
    for (size_t i = 0; i < program->body_count; i++) {
        bodies[i] = without_unused(&unused, program->entries[i].body);
    }
    arena_release(c->scratch, mark);
    return kernel_with_bodies(c, program, bodies);
}
