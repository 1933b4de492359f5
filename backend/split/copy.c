/* Copies of a loop's body in which comparisons are known. */
#include "backend/split/split.h"

/* ---- copies ---------------------------------------------------------------------------------- */

KernelVariable *split_rename(Split *s, const KernelVariable *variable)
{
    KernelVariable *fresh =
        kernel_variable(s->c, variable->text, variable->prim, variable->space, variable->span);
    fresh->is_row = variable->is_row;
    fresh->is_total = variable->is_total;
    bool assigned = split_known(s, variable)->assigned;
    split_known(s, fresh)->assigned = assigned;
    split_fact(s, variable)->replacement = kernel_use(s->c, fresh);
    return fresh;
}

static const KernelExp *copy_exp(Split *s, const KernelExp *exp)
{
    Compilation *c = s->c;
    if (!exp) {
        return NULL;
    }
    switch (exp->kind) {
    case KERNEL_CONSTANT: return exp;
    case KERNEL_VARIABLE: {
        const Fact *fact = split_fact(s, exp->as.variable);
        return fact ? fact->replacement : exp;
    }
    case KERNEL_UNARY: return kernel_unary(c, exp->as.scalar.op, copy_exp(s, exp->as.scalar.x));
    case KERNEL_BINARY: {
        int value = split_decided(s, exp);
        if (value >= 0) {
            return kernel_constant(c, (CoreAtom){.prim = CORE_BOOL, .as.integer = value});
        }
        const KernelExp *x = copy_exp(s, exp->as.scalar.x), *y = copy_exp(s, exp->as.scalar.y);
        return kernel_binary_like(c, exp, x, y);
    }
    case KERNEL_CONVERT: return kernel_convert(c, exp->prim, copy_exp(s, exp->as.convert));
    case KERNEL_SELECT: {
        const KernelExp *condition = copy_exp(s, exp->as.select.condition);
        return kernel_select(c, condition, copy_exp(s, exp->as.select.x),
                             copy_exp(s, exp->as.select.y));
    }
    case KERNEL_LOAD: return kernel_load(c, exp->as.load.buffer, copy_exp(s, exp->as.load.index));
    }
    return exp;
}

static KernelVariable *copy_variable(Split *s, KernelVariable *variable)
{
    if (!variable || variable->space != KERNEL_SCALAR) {
        return variable;
    }
    const Fact *fact = split_fact(s, variable);
    return fact ? fact->replacement->as.variable : variable;
}

/* A constant or another variable's value needs no variable of its own. */
static bool is_plain(Split *s, const KernelExp *value)
{
    return value->kind == KERNEL_CONSTANT ||
           (value->kind == KERNEL_VARIABLE && !split_known(s, value->as.variable)->assigned);
}

static void copy_command(Split *s, KernelBuilder *b, const KernelCmd *command)
{
    const KernelExp *value = copy_exp(s, command->value);
    b->span = command->span;
    if (command->kind == KERNEL_DECLARE) {
        split_note(s, command);
        if (value && !split_known(s, command->variable)->assigned && is_plain(s, value)) {
            split_fact(s, command->variable)->replacement = value;
        } else {
            kernel_declare(b, split_rename(s, command->variable), value);
        }
        return;
    }
    if (command->kind == KERNEL_IF) {
        bool is_known = value->kind == KERNEL_CONSTANT;
        bool truth = is_known && value->as.constant.as.integer != 0;
        KernelBlock none = {0};
        KernelBlock body = is_known && !truth ? none : split_copy(s, command->body);
        KernelBlock otherwise = is_known && truth ? none : split_copy(s, command->otherwise);
        kernel_if(b, value, body, otherwise);
        return;
    }
    KernelCmd *copy = ARENA_NEW(s->c->arena, KernelCmd);
    *copy = *command;
    copy->value = value;
    copy->index = copy_exp(s, command->index);
    copy->count = copy_exp(s, command->count);
    if (command->kind == KERNEL_FOR) {
        copy->variable = split_rename(s, command->variable);
        copy->text = NULL;
    } else {
        copy->variable = copy_variable(s, command->variable);
    }
    if (command->value_count > 0) {
        const KernelExp **values =
            ARENA_ARRAY(s->c->arena, const KernelExp *, command->value_count);
        for (size_t k = 0; k < command->value_count; k++) {
            values[k] = copy_exp(s, command->values[k]);
        }
        copy->values = values;
    }
    copy->body = split_copy(s, command->body);
    copy->otherwise = split_copy(s, command->otherwise);
    kernel_add(b, copy);
}

KernelBlock split_copy(Split *s, KernelBlock block)
{
    KernelBuilder b = kernel_builder(s->c, s->loop->span);
    for (size_t i = 0; i < block.count; i++) {
        copy_command(s, &b, block.commands[i]);
    }
    return kernel_block(&b);
}
