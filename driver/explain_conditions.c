/* What the host asks before it takes a branch, for `tailor explain`, in the words of the source.

       v_28 : bool = n_27 > 0             where n > 0:        the comparison, if its names are the author's
       v_31 : bool = 8 < v_30             where 8<+/⍵:        else the guard as it stands in the source

   Names that the compiler gave are replaced by what they stand for: "v" is what the translation of APL calls
   an array or number without a name, also where an author has a v. */
#include "driver/explain.h"

enum { MOST_WRITTEN_OUT = 12 };

typedef struct Condition {
    Compilation *c;
    const KernelEntry *entry;
    int left;      /* names that may still be written out */
    bool is_known; /* no name of the compiler's is left in it */
    bool is_own;   /* the compiler's: it asks about the device, or for what has words of its own */
} Condition;

typedef struct Definition {
    const KernelVariable *variable;
    const KernelExp *value;
    unsigned count; /* of the places where it gets a value */
    bool is_device; /* a number of the device */
} Definition;

static void find_definition(Definition *definition, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool gives = command->kind == KERNEL_DECLARE || command->kind == KERNEL_ASSIGN ||
                     command->kind == KERNEL_EXCHANGE;
        if (gives && command->variable == definition->variable) {
            definition->value = command->kind == KERNEL_DECLARE ? command->value : NULL;
            definition->count++;
        }
        definition->is_device =
            definition->is_device ||
            (command->kind == KERNEL_EFFECT && command->effect.kind == KERNEL_DEVICE &&
             command->effect.result == definition->variable);
        find_definition(definition, command->body);
        find_definition(definition, command->otherwise);
    }
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || (byte & 0x80);
}

/* The author knows this number: it has a name of the source's, and that is not what any number is called. */
static bool is_of_author(const KernelVariable *variable)
{
    const SourceFile *file = variable->span.file;
    size_t length = strlen(variable->text);
    if (!file || length == 0 || strcmp(variable->text, "v") == 0) {
        return false;
    }
    char quote = 0; /* that a string which is not ended yet has begun with */
    for (const char *at = file->text; *at != '\0'; at++) {
        if (*at == '\n' || (quote && *at == quote)) {
            quote = 0;
        } else if (!quote && (*at == '\'' || *at == '"')) {
            quote = *at;
        } else if (!quote && strncmp(at, variable->text, length) == 0 &&
                   (at == file->text || !is_letter(at[-1])) && !is_letter(at[length])) {
            return true;
        }
    }
    return false;
}

/* The expression with the compiler's names replaced by what defines them. */
static const KernelExp *written_out(Condition *condition, const KernelExp *exp)
{
    KernelExp *copy = ARENA_NEW(condition->c->arena, KernelExp);
    *copy = *exp;
    switch (exp->kind) {
    case KERNEL_VARIABLE: {
        Definition definition = {.variable = exp->as.variable};
        if (exp->as.variable->meaning) {
            condition->is_own = true;
            return exp;
        }
        if (is_of_author(exp->as.variable)) {
            return exp;
        }
        find_definition(&definition, condition->entry->body);
        condition->is_own = condition->is_own || definition.is_device;
        if (definition.count == 0) { /* an argument, a size of a file: shown as such */
            return exp;
        }
        bool is_plain =
            definition.count == 1 && definition.value && definition.value->kind != KERNEL_LOAD;
        if (!is_plain || condition->left-- <= 0) {
            condition->is_known = false;
            return exp;
        }
        return written_out(condition, definition.value);
    }
    case KERNEL_UNARY: copy->as.scalar.x = written_out(condition, exp->as.scalar.x); return copy;
    case KERNEL_BINARY:
        copy->as.scalar.x = written_out(condition, exp->as.scalar.x);
        copy->as.scalar.y = written_out(condition, exp->as.scalar.y);
        return copy;
    case KERNEL_CONVERT: copy->as.convert = written_out(condition, exp->as.convert); return copy;
    case KERNEL_SELECT:
        copy->as.select.condition = written_out(condition, exp->as.select.condition);
        copy->as.select.x = written_out(condition, exp->as.select.x);
        copy->as.select.y = written_out(condition, exp->as.select.y);
        return copy;
    case KERNEL_CONSTANT:
    case KERNEL_LOAD: return exp;
    }
    return exp;
}

/* The span is all that stands before the colon of a guard. */
static bool is_guard(Span span)
{
    if (!span.file || span.file->is_prelude || span.end <= span.start) {
        return false;
    }
    const char *at = span.file->text + span.end;
    return at[strspn(at, " \t)")] == ':';
}

/* A remainder would be shown as a call: APL's own text is better. */
static bool is_plain_text(const char *text)
{
    return strpbrk(text, "?%") == NULL;
}

const char *explain_condition(Compilation *c, const KernelProgram *program,
                              const KernelEntry *entry, const KernelCmd *command)
{
    Condition condition = {.c = c, .entry = entry, .left = MOST_WRITTEN_OUT, .is_known = true};
    const KernelExp *value = written_out(&condition, command->value);
    const char *text = kernel_size_text(c, program, entry, value);
    if (!(is_plain_text(text) && condition.is_known) && !condition.is_own &&
        is_guard(command->span)) {
        return explain_fragment(c, command->span, EXPLAIN_LINE);
    }
    return strchr(text, '?') ? "a condition holds" : text;
}
