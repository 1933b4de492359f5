/* Building kernel programs: commands, collected by a builder in the order in which they run.

       kernel_declare(b, x, value)            var x : i64 = value
       kernel_store(b, xs, index, value)      xs[index] = value
       kernel_for(b, level, .., block)        for (i < count) { block }

   What a command asserts of its operands is that the types of what is written and of where it goes
   agree ([DPIA] section 3: an acceptor of data of one type). */
#include "backend/kernel.h"

KernelBuilder kernel_builder(Compilation *c, Span span)
{
    KernelBuilder b = {0};
    b.c = c;
    b.span = span;
    return b;
}

KernelBlock kernel_block(KernelBuilder *b)
{
    KernelBlock block = {.count = b->commands.count, .commands = b->commands.items};
    return block;
}

void kernel_add(KernelBuilder *b, const KernelCmd *command)
{
    vec_push(b->c->arena, &b->commands, command);
}

void kernel_add_block(KernelBuilder *b, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        kernel_add(b, block.commands[i]);
    }
}

static KernelCmd *add_command(KernelBuilder *b, KernelCmdKind kind, KernelVariable *variable)
{
    KernelCmd *command = ARENA_NEW(b->c->arena, KernelCmd);
    command->kind = kind;
    command->span = b->span;
    command->variable = variable;
    kernel_add(b, command);
    return command;
}

static KernelCmd *last_command(KernelBuilder *b)
{
    return (KernelCmd *)(uintptr_t)b->commands.items[b->commands.count - 1];
}

static void same_prim(KernelBuilder *b, const KernelVariable *variable, const KernelExp *value)
{
    if (value != NULL && variable->prim != value->prim) {
        internal_error(b->c, "%s of %s gets a value of %s", variable->text,
                       core_prim_text(variable->prim), core_prim_text(value->prim));
    }
}

void kernel_declare(KernelBuilder *b, KernelVariable *scalar, const KernelExp *value)
{
    same_prim(b, scalar, value);
    add_command(b, KERNEL_DECLARE, scalar)->value = value;
}

const KernelExp *kernel_declared(KernelBuilder *b, const char *text, const KernelExp *value)
{
    if (value->kind == KERNEL_CONSTANT) {
        return value;
    }
    KernelVariable *variable = kernel_variable(b->c, text, value->prim, KERNEL_SCALAR, b->span);
    kernel_declare(b, variable, value);
    return kernel_use(b->c, variable);
}

void kernel_declare_buffer(KernelBuilder *b, KernelVariable *local_or_private, int64_t count)
{
    add_command(b, KERNEL_DECLARE, local_or_private)->count = kernel_i64(b->c, count);
}

void kernel_declare_wide(KernelBuilder *b, size_t count, KernelVariable *const *scalars,
                         KernelVariable *buffer, const KernelExp *index)
{
    for (size_t k = 0; k < count; k++) {
        const KernelExp *at = kernel_binary(b->c, CORE_ADD, index, kernel_i64(b->c, (int64_t)k));
        KernelCmd *command = add_command(b, KERNEL_DECLARE, scalars[k]);
        command->value = kernel_load(b->c, buffer, at);
        command->wide = (unsigned)count;
        command->part = (unsigned)k;
    }
}

void kernel_allocate(KernelBuilder *b, KernelVariable *buffer, const KernelExp *count)
{
    add_command(b, KERNEL_ALLOCATE, buffer)->count = count;
}

void kernel_reserve(KernelBuilder *b, size_t value_count, const KernelExp *const *values)
{
    KernelCmd *command = add_command(b, KERNEL_RESERVE, NULL);
    command->value_count = value_count;
    command->values = values;
}

void kernel_alias(KernelBuilder *b, KernelVariable *buffer, KernelVariable *source)
{
    add_command(b, KERNEL_ALIAS, buffer)->source = source;
}

void kernel_release(KernelBuilder *b, KernelVariable *buffer)
{
    add_command(b, KERNEL_RELEASE, buffer);
}

void kernel_assign(KernelBuilder *b, KernelVariable *scalar, const KernelExp *value)
{
    same_prim(b, scalar, value);
    add_command(b, KERNEL_ASSIGN, scalar)->value = value;
}

void kernel_store(KernelBuilder *b, KernelVariable *buffer, const KernelExp *index,
                  const KernelExp *value)
{
    same_prim(b, buffer, value);
    KernelCmd *command = add_command(b, KERNEL_STORE, buffer);
    command->index = index;
    command->value = value;
}

void kernel_atomic(KernelBuilder *b, CoreOperator op, KernelVariable *buffer,
                   const KernelExp *index, const KernelExp *value)
{
    same_prim(b, buffer, value);
    KernelCmd *command = add_command(b, KERNEL_ATOMIC, buffer);
    command->op = op;
    command->index = index;
    command->value = value;
}

void kernel_arrive(KernelBuilder *b, KernelVariable *last)
{
    add_command(b, KERNEL_ARRIVE, last);
}

void kernel_arrive_at(KernelBuilder *b, KernelVariable *last, const KernelExp *index,
                      const KernelExp *count)
{
    KernelCmd *command = add_command(b, KERNEL_ARRIVE, last);
    command->index = index;
    command->value = count;
}

void kernel_ticket(KernelBuilder *b, KernelVariable *ticket, unsigned statuses)
{
    add_command(b, KERNEL_TICKET, ticket)->statuses = statuses;
}

void kernel_meet(KernelBuilder *b)
{
    add_command(b, KERNEL_MEET, NULL);
}

void kernel_swap(KernelBuilder *b, KernelVariable *x, KernelVariable *y)
{
    add_command(b, KERNEL_SWAP, x)->source = y;
}

void kernel_publish(KernelBuilder *b, const KernelExp *index, const KernelExp *whole, size_t count,
                    const KernelExp *const *values)
{
    KernelCmd *command = add_command(b, KERNEL_PUBLISH, NULL);
    command->index = index;
    command->value = whole;
    command->value_count = count;
    command->values = values;
}

void kernel_await(KernelBuilder *b, KernelVariable *whole, size_t count,
                  KernelVariable *const *payload, const KernelExp *index)
{
    KernelCmd *command = add_command(b, KERNEL_AWAIT, whole);
    command->index = index;
    command->payload_count = count;
    command->payload = payload;
}

void kernel_exchange(KernelBuilder *b, KernelVariable *old, KernelVariable *buffer,
                     const KernelExp *index, const KernelExp *value)
{
    same_prim(b, buffer, value);
    KernelCmd *command = add_command(b, KERNEL_EXCHANGE, old);
    command->source = buffer;
    command->index = index;
    command->value = value;
}

void kernel_retry(KernelBuilder *b, KernelVariable *old, KernelVariable *buffer,
                  const KernelExp *index, KernelBlock body, const KernelExp *value)
{
    same_prim(b, buffer, value);
    KernelCmd *command = add_command(b, KERNEL_RETRY, old);
    command->source = buffer;
    command->index = index;
    command->body = body;
    command->value = value;
}

void kernel_copy(KernelBuilder *b, KernelVariable *buffer, const KernelExp *index,
                 KernelVariable *source, const KernelExp *source_index, const KernelExp *count)
{
    KernelCmd *command = add_command(b, KERNEL_COPY, buffer);
    command->index = index;
    command->source = source;
    command->source_index = source_index;
    command->count = count;
}

void kernel_constants(KernelBuilder *b, KernelVariable *buffer, size_t count,
                      const KernelExp *const *values)
{
    KernelCmd *command = add_command(b, KERNEL_CONSTANTS, buffer);
    command->value_count = count;
    command->values = values;
    command->count = kernel_i64(b->c, (int64_t)count);
}

void kernel_assume(KernelBuilder *b, size_t count, const KernelExp *const *conditions)
{
    KernelCmd *command = last_command(b);
    command->assumed = conditions;
    command->assumed_count = count;
}

void kernel_with_copied(KernelBuilder *b, KernelCopied copied)
{
    last_command(b)->copied = copied;
}

void kernel_with_ahead(KernelBuilder *b, KernelVariable *ahead)
{
    last_command(b)->ahead = ahead;
}

void kernel_places(KernelBuilder *b, size_t places)
{
    last_command(b)->number = places;
}

static void assume_at(KernelBlock block, const KernelVariable *buffer, bool loads, size_t count,
                      const KernelExp *const *conditions)
{
    for (size_t i = 0; i < block.count; i++) {
        KernelCmd *command = (KernelCmd *)(uintptr_t)block.commands[i];
        bool stores = command->kind == KERNEL_STORE && command->variable == buffer;
        if (stores ||
            (loads && command->kind == KERNEL_DECLARE && kernel_mentions(command->value, buffer))) {
            command->assumed = conditions;
            command->assumed_count = count;
        }
        assume_at(command->body, buffer, loads, count, conditions);
        assume_at(command->otherwise, buffer, loads, count, conditions);
        if (command->on_processor) {
            assume_at(command->on_processor->body, buffer, loads, count, conditions);
        }
    }
}

void kernel_assume_stores(KernelBuilder *b, size_t first, const KernelVariable *buffer,
                          size_t count, const KernelExp *const *conditions)
{
    KernelBlock block = {b->commands.count - first, b->commands.items + first};
    assume_at(block, buffer, false, count, conditions);
}

void kernel_assume_accesses(KernelBuilder *b, size_t first, const KernelVariable *buffer,
                            size_t count, const KernelExp *const *conditions)
{
    KernelBlock block = {b->commands.count - first, b->commands.items + first};
    assume_at(block, buffer, true, count, conditions);
}

void kernel_strip(KernelBuilder *b, unsigned rows)
{
    last_command(b)->strip = rows;
}

void kernel_tiles(KernelBuilder *b, const KernelExp *rows, unsigned down, unsigned along)
{
    KernelCmd *command = last_command(b);
    command->rows = rows;
    command->tile[0] = down;
    command->tile[1] = along;
}

void kernel_per_row(KernelBuilder *b, const KernelExp *times)
{
    last_command(b)->per_row = times;
}

void kernel_is_product(KernelBuilder *b, const KernelProduct *product,
                       const KernelExp *const first[2])
{
    KernelCmd *command = last_command(b);
    command->product = product;
    command->value_count = 2;
    command->values = arena_copy(b->c->arena, first, 2 * sizeof *first);
}

const KernelCmd *kernel_find_product(KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i], *found = NULL;
        if (command->product) {
            return command;
        }
        found = kernel_find_product(command->body);
        found = found ? found : kernel_find_product(command->otherwise);
        if (found) {
            return found;
        }
    }
    return NULL;
}

void kernel_rows(KernelBuilder *b, const KernelExp *rows)
{
    last_command(b)->rows = rows;
}

void kernel_mark_scattered(KernelBlock block, const KernelVariable *buffer)
{
    for (size_t i = 0; i < block.count; i++) {
        /* Just built, and nobody else's yet. */
        KernelCmd *command = (KernelCmd *)(uintptr_t)block.commands[i];
        if (command->kind == KERNEL_STORE && command->variable == buffer) {
            command->scattered = true;
        }
        kernel_mark_scattered(command->body, buffer);
        kernel_mark_scattered(command->otherwise, buffer);
    }
}

void kernel_for(KernelBuilder *b, KernelLevel level, const char *kernel_name, KernelVariable *index,
                const KernelExp *count, KernelBlock body)
{
    KernelCmd *command = add_command(b, KERNEL_FOR, index);
    command->level = level;
    command->count = count;
    command->body = body;
    command->text = kernel_name;
}

void kernel_for_unrolled(KernelBuilder *b, KernelVariable *index, const KernelExp *count,
                         unsigned at_a_time, KernelBlock body)
{
    KernelCmd *command = add_command(b, KERNEL_FOR, index);
    command->level = KERNEL_SEQ;
    command->count = count;
    command->body = body;
    command->unrolled = at_a_time;
}

void kernel_while(KernelBuilder *b, KernelVariable *condition, KernelBlock body)
{
    add_command(b, KERNEL_WHILE, condition)->body = body;
}

void kernel_if(KernelBuilder *b, const KernelExp *condition, KernelBlock then_block,
               KernelBlock else_block)
{
    if (condition->kind == KERNEL_CONSTANT) {
        KernelBlock chosen = condition->as.constant.as.integer != 0 ? then_block : else_block;
        kernel_add_block(b, chosen);
        return;
    }
    KernelCmd *command = add_command(b, KERNEL_IF, NULL);
    command->value = condition;
    command->body = then_block;
    command->otherwise = else_block;
}

void kernel_hide_count(KernelBuilder *b)
{
    last_command(b)->hides_count = true;
}

void kernel_by_device(KernelBuilder *b)
{
    last_command(b)->by_device = true;
}

void kernel_by_processor(KernelBuilder *b)
{
    KernelCmd *kernel = last_command(b);
    kernel->groups = kernel_variable(b->c, "groups", CORE_I64, KERNEL_SCALAR, kernel->span);
}

void kernel_by_size(KernelBuilder *b)
{
    last_command(b)->by_size = true;
}

void kernel_that_chooses(KernelBuilder *b)
{
    last_command(b)->chooses = true;
}

void kernel_barrier(KernelBuilder *b)
{
    add_command(b, KERNEL_BARRIER, NULL);
}

void kernel_comment(KernelBuilder *b, const char *text)
{
    add_command(b, KERNEL_COMMENT, NULL)->text = text;
}

void kernel_check(KernelBuilder *b, KernelVariable *flag, const KernelExp *condition,
                  const KernelExp *number, size_t failure, size_t value_count,
                  const KernelExp *const *values)
{
    KernelCmd *command = add_command(b, KERNEL_CHECK, flag);
    command->value = condition;
    command->index = number;
    command->failure = failure;
    command->value_count = value_count;
    command->values = values;
}

void kernel_effect(KernelBuilder *b, KernelEffect effect)
{
    add_command(b, KERNEL_EFFECT, NULL)->effect = effect;
}

void kernel_call(KernelBuilder *b, size_t number, size_t value_count,
                 const KernelExp *const *values, size_t source_count,
                 KernelVariable *const *sources, size_t result_count,
                 KernelVariable *const *results)
{
    KernelCmd *command = add_command(b, KERNEL_CALL, NULL);
    command->number = number;
    command->value_count = value_count;
    command->values = values;
    command->source_count = source_count;
    command->sources = sources;
    command->payload_count = result_count;
    command->payload = results;
}

void kernel_ahead(KernelBuilder *b, KernelVariable *last, size_t place, size_t source_count,
                  KernelVariable *const *sources, size_t payload_count,
                  KernelVariable *const *payload)
{
    KernelCmd *command = add_command(b, KERNEL_AHEAD, last);
    command->number = place;
    command->source_count = source_count;
    command->sources = sources;
    command->payload_count = payload_count;
    command->payload = payload;
}

void kernel_none_was_last(KernelBuilder *b, KernelVariable *last, const KernelExp *value)
{
    add_command(b, KERNEL_AHEAD, last)->value = value;
}

/* ---- counting -------------------------------------------------------------------------------- */

static size_t count_block(KernelBlock block)
{
    size_t total = block.count;
    for (size_t i = 0; i < block.count; i++) {
        total += count_block(block.commands[i]->body) + count_block(block.commands[i]->otherwise);
    }
    return total;
}

size_t kernel_count(const KernelProgram *program)
{
    size_t count = 0;
    for (size_t i = 0; i < program->body_count; i++) {
        count += count_block(program->entries[i].body);
    }
    return count;
}
