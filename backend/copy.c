/* Copies of commands, for passes that have one loop become several: each copy declares variables of
   its own.

       for (i < n) { var x = v[i]; s = s + x }   ==>   for (j < m) { var y = v[j]; s = s + y } */
#include "backend/copy.h"

/* ---- what is copied, and how much ------------------------------------------------------------ */

static void take(size_t *budget, size_t size)
{
    *budget = size < *budget ? *budget - size : 0;
}

static void take_exp(size_t *budget, const KernelExp *exp)
{
    take(budget, exp ? exp->nodes : 0);
}

static bool can_copy(const KernelCmd *command)
{
    switch (command->kind) {
    case KERNEL_DECLARE: return command->variable->space == KERNEL_SCALAR;
    case KERNEL_FOR: return command->level == KERNEL_SEQ && !command->product;
    case KERNEL_ASSIGN:
    case KERNEL_STORE:
    case KERNEL_WHILE:
    case KERNEL_IF:
    case KERNEL_CHECK:
    case KERNEL_COMMENT: return true;
    case KERNEL_ALLOCATE:
    case KERNEL_ALIAS:
    case KERNEL_RELEASE:
    case KERNEL_CONSTANTS:
    case KERNEL_ATOMIC:
    case KERNEL_EXCHANGE:
    case KERNEL_RETRY:
    case KERNEL_COPY:
    case KERNEL_BARRIER:
    case KERNEL_ARRIVE:
    case KERNEL_TICKET:
    case KERNEL_PUBLISH:
    case KERNEL_AWAIT:
    case KERNEL_MEET:
    case KERNEL_SWAP:
    case KERNEL_RESERVE:
    case KERNEL_CALL:
    case KERNEL_AHEAD:
    case KERNEL_EFFECT: return false;
    }
    return false;
}

bool kernel_can_duplicate(KernelBlock block, size_t *budget)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (!can_copy(command)) {
            return false;
        }
        take(budget, 1);
        take_exp(budget, command->value);
        take_exp(budget, command->index);
        take_exp(budget, command->count);
        for (size_t k = 0; k < command->value_count; k++) {
            take_exp(budget, command->values[k]);
        }
        if (*budget == 0 || !kernel_can_duplicate(command->body, budget) ||
            !kernel_can_duplicate(command->otherwise, budget)) {
            return false;
        }
    }
    return true;
}

/* ---- copies ---------------------------------------------------------------------------------- */

const KernelExp *kernel_replacement(const KernelCopier *copier, const KernelVariable *variable)
{
    return pointer_map_get(&copier->replacements, variable);
}

void kernel_replace(KernelCopier *copier, const KernelVariable *variable, const KernelExp *by)
{
    pointer_map_set(copier->c->arena, &copier->replacements, variable, (void *)(uintptr_t)by);
}

KernelVariable *kernel_rename(KernelCopier *copier, const KernelVariable *variable)
{
    KernelVariable *fresh =
        kernel_variable(copier->c, variable->text, variable->prim, variable->space, variable->span);
    fresh->is_row = variable->is_row;
    fresh->is_total = variable->is_total;
    kernel_replace(copier, variable, kernel_use(copier->c, fresh));
    return fresh;
}

static const KernelExp *copy_exp(KernelCopier *copier, const KernelExp *exp)
{
    Compilation *c = copier->c;
    switch (exp->kind) {
    case KERNEL_CONSTANT: return exp;
    case KERNEL_VARIABLE: {
        const KernelExp *replacement = kernel_replacement(copier, exp->as.variable);
        return replacement ? replacement : exp;
    }
    case KERNEL_UNARY:
        return kernel_unary(c, exp->as.scalar.op, kernel_duplicate_exp(copier, exp->as.scalar.x));
    case KERNEL_BINARY: {
        const KernelExp *x = kernel_duplicate_exp(copier, exp->as.scalar.x);
        return kernel_binary_like(c, exp, x, kernel_duplicate_exp(copier, exp->as.scalar.y));
    }
    case KERNEL_CONVERT:
        return kernel_convert(c, exp->prim, kernel_duplicate_exp(copier, exp->as.convert));
    case KERNEL_SELECT: {
        const KernelExp *condition = kernel_duplicate_exp(copier, exp->as.select.condition);
        return kernel_select(c, condition, kernel_duplicate_exp(copier, exp->as.select.x),
                             kernel_duplicate_exp(copier, exp->as.select.y));
    }
    case KERNEL_LOAD:
        return kernel_load(c, exp->as.load.buffer,
                           kernel_duplicate_exp(copier, exp->as.load.index));
    }
    return exp;
}

const KernelExp *kernel_duplicate_exp(KernelCopier *copier, const KernelExp *exp)
{
    if (!exp) {
        return NULL;
    }
    const KernelExp *copy = copy_exp(copier, exp);
    return copier->rebuild ? copier->rebuild(copier, exp, copy) : copy;
}

static KernelBlock copy_block(KernelCopier *copier, KernelBlock block)
{
    KernelBuilder b = kernel_builder(copier->c, (Span){0});
    kernel_duplicate(copier, &b, block);
    return kernel_block(&b);
}

static const KernelExp *const *copy_exps(KernelCopier *copier, size_t count,
                                         const KernelExp *const *exps)
{
    const KernelExp **copies = ARENA_ARRAY(copier->c->arena, const KernelExp *, count + 1);
    for (size_t k = 0; k < count; k++) {
        copies[k] = kernel_duplicate_exp(copier, exps[k]);
    }
    return copies;
}

static void copy_command(KernelCopier *copier, KernelBuilder *b, const KernelCmd *command)
{
    KernelCmd *copy = ARENA_NEW(copier->c->arena, KernelCmd);
    *copy = *command;
    copy->value = kernel_duplicate_exp(copier, command->value);
    copy->index = kernel_duplicate_exp(copier, command->index);
    copy->count = kernel_duplicate_exp(copier, command->count);
    if (command->kind == KERNEL_DECLARE || command->kind == KERNEL_FOR) {
        copy->variable = kernel_rename(copier, command->variable);
    } else if (command->variable) {
        const KernelExp *replacement = kernel_replacement(copier, command->variable);
        copy->variable = replacement ? replacement->as.variable : command->variable;
    }
    copy->values = copy_exps(copier, command->value_count, command->values);
    copy->assumed = copy_exps(copier, command->assumed_count, command->assumed);
    copy->body = copy_block(copier, command->body);
    copy->otherwise = copy_block(copier, command->otherwise);
    kernel_add(b, copy);
}

void kernel_duplicate(KernelCopier *copier, KernelBuilder *b, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        copy_command(copier, b, block.commands[i]);
    }
}

const KernelCmd *kernel_with_processor(Compilation *c, const KernelCmd *command, KernelBlock body)
{
    if (command->on_processor == NULL || body.commands == command->on_processor->body.commands) {
        return command;
    }
    KernelCmd *copy = arena_copy(c->arena, command, sizeof *command);
    KernelCmd *other = arena_copy(c->arena, command->on_processor, sizeof *other);
    other->body = body;
    copy->on_processor = other;
    return copy;
}

bool kernel_is_parallel(const KernelCmd *command)
{
    return command->kind == KERNEL_FOR &&
           (command->level == KERNEL_GRID || command->level == KERNEL_GROUP);
}

/* Of kernels those for processors are what sequential programs are. */
static const KernelCmd *rewrite_kernel(const KernelRewrite *rewrite, const KernelCmd *command)
{
    return command->on_processor == NULL
               ? command
               : kernel_with_processor(rewrite->c, command,
                                       kernel_rewrite(rewrite, command->on_processor->body));
}

KernelBlock kernel_rewrite(const KernelRewrite *rewrite, KernelBlock block)
{
    KernelBuilder b = kernel_builder(rewrite->c, (Span){0});
    bool changed = false;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (rewrite->put(rewrite->context, &b, command)) {
            changed = true;
            continue;
        }
        if (kernel_is_parallel(command)) {
            const KernelCmd *same = command;
            command = rewrite_kernel(rewrite, command);
            changed = changed || command != same;
            kernel_add(&b, command);
            continue;
        }
        KernelBlock body = kernel_rewrite(rewrite, command->body),
                    otherwise = kernel_rewrite(rewrite, command->otherwise);
        if (rewrite->after) {
            rewrite->after(rewrite->context, command);
        }
        if (body.commands != command->body.commands ||
            otherwise.commands != command->otherwise.commands) {
            KernelCmd *copy = arena_copy(rewrite->c->arena, command, sizeof *command);
            copy->body = body;
            copy->otherwise = otherwise;
            command = copy;
            changed = true;
        }
        kernel_add(&b, command);
    }
    return changed ? kernel_block(&b) : block;
}

KernelProgram *kernel_with_bodies(Compilation *c, const KernelProgram *program,
                                  const KernelBlock *bodies)
{
    KernelProgram *other = arena_copy(c->arena, program, sizeof *program);
    KernelEntry *entries =
        arena_copy(c->arena, program->entries, program->body_count * sizeof *entries);
    for (size_t i = 0; i < program->body_count; i++) {
        entries[i].body = bodies[i];
    }
    other->entries = entries;
    other->variable_count = c->last_number + 1;
    return other;
}

KernelProgram *kernel_rewrite_program(const KernelRewrite *rewrite, const KernelProgram *program)
{
    KernelBlock *bodies = ARENA_ARRAY(rewrite->c->arena, KernelBlock, program->body_count);
    for (size_t i = 0; i < program->body_count; i++) {
        bodies[i] = kernel_rewrite(rewrite, program->entries[i].body);
    }
    return kernel_with_bodies(rewrite->c, program, bodies);
}
