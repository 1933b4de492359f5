/* What a generated C file has around its commands: the opening comment, the table of failures with
   their places, the list of program arguments, and, where main would be too long, its parts.

       x_1 = ...;            static double x_1;
       ... 10,000 more       static void part_1(void) { x_1 = ...; ... }
                             int main(...) { ... part_1(); part_2(); ... }

   Compilers take more than linear time for one long function; in parts, outermost variables are the
   file's. */
#include "backend/emit/emit.h"

enum { MOST_COMMANDS = 2000, COMMANDS_OF_PART = 500 };

/* ---- tables --------------------------------------------------------------------------------- */

void emit_file_comment(Emit *e, const char *program_name, const char *kind, const char *command)
{
    emit_line(e, "/* %s: %s, made by tailor.", emit_comment(e->c, program_name), kind);
    emit_line(e, "   %s */", command);
}

static void emit_failure_row(Emit *e, const char *error, const char *message, Span span,
                             const char *values)
{
    Compilation *c = e->c;
    if (span.file) {
        Place place = source_place(c->arena, span);
        const char *where =
            arena_printf(c->arena, "%s:%u:%u", span.file->name, place.line, place.column);
        emit_line(e, "    {%s, %s, %s, %s, %s, %s},", emit_quoted(c, error),
                  emit_quoted(c, message), emit_quoted(c, where), emit_quoted(c, place.source_line),
                  emit_quoted(c, place.caret_line), values);
    } else {
        emit_line(e, "    {%s, %s, NULL, NULL, NULL, %s},", emit_quoted(c, error),
                  emit_quoted(c, message), values);
    }
}

void emit_failures(Emit *e)
{
    const KernelProgram *program = e->program;
    emit_blank(e);
    emit_line(e,
              "/* What its checks report: error, message, place, source line, caret, values. */");
    emit_line(e, "static const tl_failure failures[] = {");
    for (size_t i = 0; i < program->failure_count; i++) {
        const KernelFailure *failure = &program->failures[i];
        Text values = text_create(e->c->arena);
        text_printf(&values, "%zu, {", failure->value_count);
        for (size_t k = 0; k < failure->value_count; k++) {
            text_printf(&values, "%s%s", k ? ", " : "",
                        emit_type_constant(failure->value_prims[k]));
        }
        text_string(&values, failure->value_count ? "}" : "TL_BOOL}");
        emit_failure_row(e, core_error_text(failure->error),
                         failure->message ? failure->message : "", failure->span,
                         text_get(&values));
    }
    for (size_t i = 0; i < e->survey.places.count; i++) {
        emit_failure_row(e, "WS FULL", "", e->survey.places.items[i], "0, {TL_BOOL}");
    }
    emit_line(e, "    {NULL, NULL, NULL, NULL, NULL, 0, {TL_BOOL}},");
    emit_line(e, "};");
}

void emit_parameters(Emit *e)
{
    emit_blank(e);
    emit_line(e, "static const char *const parameters[] = {");
    for (size_t i = 0; i < e->survey.arguments.count; i++) {
        emit_line(e, "    %s,", emit_quoted(e->c, e->survey.arguments.items[i]));
    }
    emit_line(e, "    NULL,");
    emit_line(e, "};");
}

/* ---- entries -------------------------------------------------------------------------------- */

/* (const tl_extent[]){{0, 0}, {-1, 3}} */
static const char *extents_text(Emit *e, const CoreEntryParameter *parameter)
{
    if (parameter->rank == 0)
        return "NULL";
    Text text = text_create(e->c->arena);
    text_string(&text, "(const tl_extent[]){");
    for (int k = 0; k < parameter->rank; k++) {
        text_printf(&text, "%s{%d, %lld}", k ? ", " : "", parameter->extents[k].parameter,
                    (long long)parameter->extents[k].constant);
    }
    text_char(&text, '}');
    return text_get(&text);
}

static void emit_parameter_table(Emit *e, size_t number)
{
    const CoreEntry *entry = e->program->entries[number].interface;
    if (entry->parameter_count == 0)
        return;
    emit_line(e, "static const tl_parameter parameters_%zu[] = {", number + 1);
    for (size_t i = 0; i < entry->parameter_count; i++) {
        const CoreEntryParameter *parameter = &entry->parameters[i];
        emit_line(e, "    {%s, %s, %s, %d, %s},", emit_quoted(e->c, parameter->name),
                  emit_quoted(e->c, parameter->type), emit_type_constant(parameter->prim),
                  parameter->rank, extents_text(e, parameter));
    }
    emit_line(e, "};");
}

static void emit_result_table(Emit *e, size_t number)
{
    const CoreEntry *entry = e->program->entries[number].interface;
    if (entry->result_count == 0)
        return;
    emit_line(e, "static const tl_result_type results_%zu[] = {", number + 1);
    for (size_t i = 0; i < entry->result_count; i++) {
        const CoreEntryResult *result = &entry->result_types[i];
        emit_line(e, "    {%s, %s, %d},", emit_quoted(e->c, result->type),
                  emit_type_constant(result->prim), result->rank);
    }
    emit_line(e, "};");
}

void emit_entries(Emit *e)
{
    emit_blank(e);
    for (size_t i = 0; i < e->program->entry_count; i++) {
        emit_parameter_table(e, i);
        emit_result_table(e, i);
    }
    emit_line(e, "/* Entries: name, type, sizes among the parameters, parameters, results. */");
    emit_line(e, "static const tl_entry entries[] = {");
    for (size_t i = 0; i < e->program->entry_count; i++) {
        const CoreEntry *entry = e->program->entries[i].interface;
        const char *parameters =
            entry->parameter_count ? arena_printf(e->c->arena, "parameters_%zu", i + 1) : "NULL";
        const char *results =
            entry->result_count ? arena_printf(e->c->arena, "results_%zu", i + 1) : "NULL";
        emit_line(e, "    {%s, %s, %zu, %zu, %s, %zu, %s},", emit_quoted(e->c, entry->name),
                  emit_quoted(e->c, entry->signature), entry->size_count, entry->parameter_count,
                  parameters, entry->result_count, results);
    }
    emit_line(e, "    {NULL, NULL, 0, 0, NULL, 0, NULL},");
    emit_line(e, "};");
}

const char *emit_entry_name(Emit *e, size_t entry)
{
    if (entry >= e->program->entry_count)
        return arena_printf(e->c->arena, "function_%zu_%s", entry - e->program->entry_count + 1,
                            emit_identifier(e->c, e->program->entries[entry].name));
    return arena_printf(e->c->arena, "entry_%zu_%s", entry + 1,
                        emit_identifier(e->c, e->program->entries[entry].interface->name));
}

void emit_entry_head(Emit *e, size_t entry)
{
    const CoreEntry *interface = e->program->entries[entry].interface;
    emit_blank(e);
    if (interface && (interface->parameter_count > 0 || e->program->entry_count > 1)) {
        emit_line(e, "/* %s */",
                  emit_comment(e->c, arena_printf(e->c->arena, "%s %s", interface->name,
                                                  interface->signature)));
    }
    emit_line(e, "static void %s(void)", emit_entry_name(e, entry));
}

void emit_main_function(Emit *e, const char *program_name, const char *begin, const char *again,
                        const char *end)
{
    size_t count = e->program->entry_count;
    emit_blank(e);
    emit_line(e, "int main(int argc, char **argv)");
    emit_line(e, "{");
    e->indent = 1;
    emit_line(e, "%stl_begin_entries(argc, argv, %s, parameters, %zu, entries);",
              count > 1 ? "int entry = " : "", emit_quoted(e->c, program_name), count);
    if (begin)
        emit_line(e, "%s", begin);
    emit_line(e, "do {");
    e->indent = 2;
    if (count == 1)
        emit_line(e, "%s();", emit_entry_name(e, 0));
    if (count > 1)
        emit_line(e, "switch (entry) {");
    for (size_t i = 0; i < count && count > 1; i++)
        emit_line(e, "case %zu: %s(); break;", i, emit_entry_name(e, i));
    if (count > 1)
        emit_line(e, "}");
    e->indent = 1;
    emit_line(e, "} while (%s());", again);
    if (end)
        emit_line(e, "%s", end);
    emit_line(e, "return tl_end();");
    e->indent = 0;
    emit_line(e, "}");
}

/* ---- long programs -------------------------------------------------------------------------- */

bool emit_is_long(const KernelEntry *entry)
{
    return entry->body.count > MOST_COMMANDS;
}

/* Threads may call a library's function side by side. */
const char *emit_file_storage(const Emit *e)
{
    return e->library ? "static _Thread_local " : "static ";
}

/* A call before may have failed and left its references, whose memory is gone. */
void emit_forget_buffers(Emit *e, size_t entry, const char *suffix)
{
    const KernelEntry *body = &e->program->entries[entry];
    if (!e->library)
        return;
    for (size_t i = 0; i < body->result_count; i++) {
        if (body->results[i]->space != KERNEL_SCALAR)
            emit_line(e, "%s%s = NULL;", emit_name(e, body->results[i]), suffix);
    }
    if (!emit_is_long(body))
        return;
    for (size_t i = e->survey.first_buffers[entry]; i < e->survey.first_buffers[entry + 1]; i++)
        emit_line(e, "%s%s = NULL;", emit_name(e, e->survey.host_buffers.items[i]), suffix);
}

static void emit_file_scalar(Emit *e, const KernelVariable *variable)
{
    e->file_scope[variable->number] = true;
    emit_line(e, "%s%s %s;", emit_file_storage(e), emit_scalar_type(e->dialect, variable->prim),
              emit_name(e, variable));
}

static void emit_interface(Emit *e, size_t count, KernelVariable *const *variables,
                           void (*declare)(Emit *e, const KernelVariable *buffer,
                                           const char *storage))
{
    for (size_t i = 0; i < count; i++) {
        if (variables[i]->space == KERNEL_SCALAR) {
            emit_file_scalar(e, variables[i]);
        } else {
            declare(e, variables[i], emit_file_storage(e));
        }
    }
}

void emit_functions(Emit *e,
                    void (*declare)(Emit *e, const KernelVariable *buffer, const char *storage))
{
    for (size_t i = e->program->entry_count; i < e->program->body_count; i++) {
        const KernelEntry *function = &e->program->entries[i];
        emit_blank(e);
        emit_line(e, "/* %s: parameters, then results. */", emit_comment(e->c, function->name));
        emit_interface(e, function->parameter_count, function->parameters, declare);
        emit_interface(e, function->result_count, function->results, declare);
        emit_line(e, "static void %s(void);", emit_entry_name(e, i));
    }
}

static void emit_entry_scalars(Emit *e, size_t entry)
{
    KernelBlock body = e->program->entries[entry].body;
    for (size_t i = e->survey.first_buffers[entry]; i < e->survey.first_buffers[entry + 1]; i++)
        e->survey.in_place[e->survey.host_buffers.items[i]->number] = false;
    for (size_t i = 0; i < body.count; i++) {
        const KernelCmd *command = body.commands[i];
        const KernelVariable *variable = command->variable;
        for (size_t k = 0; command->kind == KERNEL_CALL && k < command->payload_count; k++) {
            if (command->payload[k]->space == KERNEL_SCALAR)
                emit_file_scalar(e, command->payload[k]);
        }
        if (command->kind == KERNEL_DECLARE && variable->space == KERNEL_SCALAR) {
            emit_file_scalar(e, variable);
        } else if (command->kind == KERNEL_DECLARE) {
            long long count = (long long)command->count->as.constant.as.integer;
            e->file_scope[variable->number] = true;
            emit_line(e, "%s%s %s[%lld];", emit_file_storage(e),
                      emit_scalar_type(e->dialect, variable->prim), emit_name(e, variable),
                      count > 0 ? count : 1);
        }
    }
}

void emit_file_scalars(Emit *e)
{
    for (size_t i = 0; i < e->program->body_count; i++) {
        if (emit_is_long(&e->program->entries[i])) {
            emit_blank(e);
            emit_entry_scalars(e, i);
        }
    }
}

void emit_parts(Emit *e, Text *functions, size_t entry)
{
    KernelBlock body = e->program->entries[entry].body;
    Text *outside = e->out;
    int indent = e->indent;
    for (size_t start = 0; start < body.count; start += COMMANDS_OF_PART) {
        size_t end = start + COMMANDS_OF_PART < body.count ? start + COMMANDS_OF_PART : body.count;
        Text part = text_create(e->c->arena);
        e->out = &part;
        e->indent = 0;
        emit_blank(e);
        emit_line(e, "static void part_%zu(void)", ++e->part_count);
        emit_line(e, "{");
        e->indent = 1;
        for (size_t i = start; i < end; i++)
            emit_command(e, body.commands[i]);
        e->indent = 0;
        emit_line(e, "}");
        text_append(functions, text_get(&part), part.length);
        e->out = outside;
        e->indent = indent;
        emit_line(e, "part_%zu();", e->part_count);
    }
}
