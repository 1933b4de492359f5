/* Sizes of the host as text, in terms of the names that the program's author gave.

       var t_5 : i64 = n_1 * m_2;  var size_6 : i64 = max(t_5 - 1, 0)
       size_6      ->      max(n × m - 1, 0)

   A scalar whose name is a word of the source is shown by it, and by its number too where another
   one was shown by the same; what was read from a file has extents such as ≢v; the others are
   replaced by what defines them, as long as the text stays short. */
#include "backend/sizes.h"

#include <ctype.h>

/* n, v = read file: the author knows n as ≢v. */
static void note_extents(KernelNaming *naming, const KernelEffect *effect)
{
    for (int k = 0; effect->extents && k < effect->rank; k++) {
        const char *array = effect->variable->text;
        naming->definitions[effect->extents[k]->number].text =
            k == 0 ? arena_printf(naming->c->arena, "≢%s", array)
                   : arena_printf(naming->c->arena, "(⍴%s)[%d]", array, k + 1);
    }
}

static void note_definitions(KernelNaming *naming, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        const KernelVariable *variable = command->variable;
        if (command->kind == KERNEL_DECLARE && variable->space == KERNEL_SCALAR) {
            naming->definitions[variable->number].value = command->value;
        } else if (command->kind == KERNEL_ASSIGN || command->kind == KERNEL_EXCHANGE) {
            naming->definitions[variable->number].assigned = true;
        }
        note_extents(naming, &command->effect);
        if (command->kind == KERNEL_EFFECT && command->effect.kind == KERNEL_DEVICE) {
            const char *name = command->effect.name;
            naming->definitions[command->effect.result->number].text =
                strcmp(name, "looks_back") == 0        ? "the device looks back"
                : strcmp(name, "work_items") == 0      ? "work-items that keep the device busy"
                : strcmp(name, "lanes") == 0           ? "lanes of the device"
                : strcmp(name, "resident_groups") == 0 ? "groups that run at once"
                : strcmp(name, "copied_bytes") == 0
                    ? "bytes that are copied as quickly as the host waits"
                : strcmp(name, "matrix_units") == 0     ? "the device has matrix units"
                : strcmp(name, "is_processor") == 0     ? "the device is a processor"
                : strcmp(name, "processor_groups") == 0 ? "groups of a processor"
                                                        : name;
        }
        note_definitions(naming, command->body);
        note_definitions(naming, command->otherwise);
    }
}

KernelNaming kernel_naming(Compilation *c, const KernelProgram *program, const KernelEntry *entry)
{
    KernelNaming naming = {.c = c};
    naming.definitions = ARENA_ARRAY(c->arena, KernelDefinition, program->variable_count + 1);
    note_definitions(&naming, entry->body);
    return naming;
}

static bool is_letter(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || (byte & 0x80);
}

/* Whether the source has this word: then its author knows it. */
static bool is_word_of_source(const KernelVariable *variable)
{
    const SourceFile *file = variable->span.file;
    size_t length = strlen(variable->text);
    if (!file || length == 0) {
        return false;
    }
    for (const char *at = file->text; (at = strstr(at, variable->text)) != NULL; at += length) {
        if ((at == file->text || !is_letter(at[-1])) && !is_letter(at[length])) {
            return true;
        }
    }
    return false;
}

static const char *variable_text(KernelNaming *naming, const KernelVariable *variable)
{
    if (naming->definitions[variable->number].text) {
        return naming->definitions[variable->number].text;
    }
    if (variable->meaning) {
        return variable->meaning;
    }
    for (size_t i = 0; i < naming->mentioned.count; i++) {
        const KernelVariable *other = naming->mentioned.items[i];
        if (other != variable && strcmp(other->text, variable->text) == 0) {
            return arena_printf(naming->c->arena, "%s_%u", variable->text, variable->number);
        }
    }
    vec_push(naming->c->arena, &naming->mentioned, variable);
    return variable->text;
}

/* What the expression is, where a name stands for it. */
static const KernelExp *named(const KernelNaming *naming, const KernelExp *exp)
{
    const KernelDefinition *definition =
        exp->kind == KERNEL_VARIABLE ? &naming->definitions[exp->as.variable->number] : NULL;
    return definition && definition->value && !definition->assigned ? definition->value : exp;
}

static bool is_binary(const KernelExp *exp, CoreOperator op)
{
    return exp->kind == KERNEL_BINARY && exp->as.scalar.op == op;
}

/* y of x + (y - x & mask), which is x or y; NULL: the sum is none such. */
static const KernelExp *other_choice(const KernelNaming *naming, const KernelExp *sum)
{
    const KernelExp *x = sum->as.scalar.x, *masked = named(naming, sum->as.scalar.y);
    if (!is_binary(sum, CORE_ADD) || x->kind != KERNEL_VARIABLE || !is_binary(masked, CORE_AND))
        return NULL;
    const KernelExp *difference = named(naming, masked->as.scalar.x);
    bool is_choice = is_binary(difference, CORE_SUB) &&
                     difference->as.scalar.y->kind == KERNEL_VARIABLE &&
                     difference->as.scalar.y->as.variable == x->as.variable;
    return is_choice ? difference->as.scalar.x : NULL;
}

static const char *either_text(KernelNaming *naming, const KernelExp *x, const KernelExp *y,
                               int precedence, int *budget)
{
    const char *first = kernel_named_size(naming, x, KERNEL_PRECEDENCE_OR, budget);
    const char *second = kernel_named_size(naming, y, KERNEL_PRECEDENCE_OR, budget);
    return arena_printf(naming->c->arena,
                        precedence > KERNEL_PRECEDENCE_OR ? "(%s or %s)" : "%s or %s", first,
                        second);
}

static const char *operator_text(KernelNaming *naming, const KernelExp *exp, int precedence,
                                 int *budget)
{
    static const struct {
        CoreOperator op;
        const char *text;
        int precedence, right; /* of the right operand */
    } infix[] = {{CORE_ADD, "+", KERNEL_PRECEDENCE_SUM, KERNEL_PRECEDENCE_SUM},
                 {CORE_SUB, "-", KERNEL_PRECEDENCE_SUM, KERNEL_PRECEDENCE_PRODUCT},
                 {CORE_MUL, "×", KERNEL_PRECEDENCE_PRODUCT, KERNEL_PRECEDENCE_PRODUCT},
                 {CORE_DIV, "÷", KERNEL_PRECEDENCE_PRODUCT, KERNEL_PRECEDENCE_PRODUCT + 1},
                 {CORE_EQ, "=", KERNEL_PRECEDENCE_COMPARE, KERNEL_PRECEDENCE_SUM},
                 {CORE_NE, "≠", KERNEL_PRECEDENCE_COMPARE, KERNEL_PRECEDENCE_SUM},
                 {CORE_LT, "<", KERNEL_PRECEDENCE_COMPARE, KERNEL_PRECEDENCE_SUM},
                 {CORE_LE, "≤", KERNEL_PRECEDENCE_COMPARE, KERNEL_PRECEDENCE_SUM},
                 {CORE_GT, ">", KERNEL_PRECEDENCE_COMPARE, KERNEL_PRECEDENCE_SUM},
                 {CORE_GE, "≥", KERNEL_PRECEDENCE_COMPARE, KERNEL_PRECEDENCE_SUM},
                 {CORE_AND, "and", KERNEL_PRECEDENCE_AND, KERNEL_PRECEDENCE_AND},
                 {CORE_OR, "or", KERNEL_PRECEDENCE_OR, KERNEL_PRECEDENCE_OR}};
    Arena *arena = naming->c->arena;
    const KernelExp *other = other_choice(naming, exp);
    if (other)
        return either_text(naming, exp->as.scalar.x, other, precedence, budget);
    bool is_mask = exp->prim != CORE_BOOL && exp->as.scalar.op >= CORE_AND;
    for (size_t i = 0; i < sizeof infix / sizeof *infix && !is_mask; i++) {
        if (exp->as.scalar.op == infix[i].op) {
            const char *x =
                kernel_named_size(naming, exp->as.scalar.x, infix[i].precedence, budget);
            const char *y = kernel_named_size(naming, exp->as.scalar.y, infix[i].right, budget);
            return arena_printf(arena, precedence > infix[i].precedence ? "(%s %s %s)" : "%s %s %s",
                                x, infix[i].text, y);
        }
    }
    const char *x = kernel_named_size(naming, exp->as.scalar.x, KERNEL_PRECEDENCE_OR, budget);
    const char *y = kernel_named_size(naming, exp->as.scalar.y, KERNEL_PRECEDENCE_OR, budget);
    return arena_printf(arena, "%s(%s, %s)", core_operator_text(exp->as.scalar.op), x, y);
}

const char *kernel_named_size(KernelNaming *naming, const KernelExp *exp, int precedence,
                              int *budget)
{
    bool is_whole = core_is_int(exp->prim) || exp->prim == CORE_BOOL;
    (*budget)--;
    if (exp->kind == KERNEL_CONSTANT && is_whole) {
        return exp->prim == CORE_BOOL
                   ? (exp->as.constant.as.integer ? "true" : "false")
                   : arena_printf(naming->c->arena, "%lld", (long long)exp->as.constant.as.integer);
    }
    if (exp->kind == KERNEL_BINARY && is_whole && !core_is_real(exp->as.scalar.prim)) {
        return operator_text(naming, exp, precedence, budget);
    }
    if (exp->kind == KERNEL_UNARY && exp->as.scalar.op == CORE_NOT && exp->prim == CORE_BOOL) {
        const char *x =
            kernel_named_size(naming, exp->as.scalar.x, KERNEL_PRECEDENCE_PRODUCT + 1, budget);
        return arena_printf(naming->c->arena, "not %s", x);
    }
    if (exp->kind == KERNEL_SELECT && is_whole)
        return either_text(naming, exp->as.select.x, exp->as.select.y, precedence, budget);
    if (exp->kind != KERNEL_VARIABLE) {
        *budget = -1;
        return "?";
    }
    const KernelVariable *variable = exp->as.variable;
    const KernelDefinition *definition = &naming->definitions[variable->number];
    if (definition->value && !definition->assigned && *budget > 0 && !variable->meaning &&
        !is_word_of_source(variable)) {
        int rest = *budget;
        const char *text = kernel_named_size(naming, definition->value, precedence, &rest);
        if (rest >= 0) {
            *budget = rest;
            return text;
        }
    }
    return variable_text(naming, variable);
}

const char *kernel_size_text(Compilation *c, const KernelProgram *program, const KernelEntry *entry,
                             const KernelExp *size)
{
    KernelNaming naming = kernel_naming(c, program, entry);
    int budget = KERNEL_LONGEST_SIZE;
    return kernel_named_size(&naming, size, KERNEL_PRECEDENCE_OR, &budget);
}
