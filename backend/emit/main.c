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
    for (size_t i = 0; i < e->survey.reads.count; i++) {
        emit_failure_row(e, core_error_text(CORE_DOMAIN_ERROR), "", e->survey.reads.items[i],
                         "0, {TL_BOOL}");
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

/* ---- long programs -------------------------------------------------------------------------- */

bool emit_is_long(const KernelProgram *program)
{
    return program->body.count > MOST_COMMANDS;
}

void emit_file_scalars(Emit *e)
{
    memset(e->survey.in_place, 0, e->program->variable_count);
    emit_blank(e);
    for (size_t i = 0; i < e->program->body.count; i++) {
        const KernelCmd *command = e->program->body.commands[i];
        if (command->kind != KERNEL_DECLARE)
            continue;
        const KernelVariable *variable = command->variable;
        const char *type = emit_scalar_type(e->dialect, variable->prim),
                   *name = emit_name(e, variable);
        e->file_scope[variable->number] = true;
        if (variable->space == KERNEL_SCALAR) {
            emit_line(e, "static %s %s;", type, name);
        } else {
            long long count = (long long)command->count->as.constant.as.integer;
            emit_line(e, "static %s %s[%lld];", type, name, count > 0 ? count : 1);
        }
    }
}

size_t emit_parts(Emit *e, Text *functions)
{
    KernelBlock body = e->program->body;
    Text *outside = e->out;
    size_t parts = 0;
    for (size_t start = 0; start < body.count; start += COMMANDS_OF_PART) {
        size_t end = start + COMMANDS_OF_PART < body.count ? start + COMMANDS_OF_PART : body.count;
        Text part = text_create(e->c->arena);
        e->out = &part;
        emit_blank(e);
        emit_line(e, "static void part_%zu(void)", ++parts);
        emit_line(e, "{");
        e->indent = 1;
        for (size_t i = start; i < end; i++)
            emit_command(e, body.commands[i]);
        e->indent = 0;
        emit_line(e, "}");
        text_append(functions, text_get(&part), part.length);
    }
    e->out = outside;
    return parts;
}
