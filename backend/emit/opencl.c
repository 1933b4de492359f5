/* OpenCL: a C host program that carries its kernels (device.c) as text, to be linked with
   libtailor_opencl.a, libtailor.a, -lOpenCL, -lm.

       alloc y : f64[n]                  tl_cl_allocate(&y_3, n_1, sizeof(double));
       grid map_5 (i < n) { ... }        tl_cl_grid(&kernels[0], n_1, 2,
                                                    (const tl_argument[]){TL_READS(x_2),
                                                                          TL_WRITES(y_3)});
       print y [n]                       tl_cl_print(TL_F64, 1, (const int64_t[]){n_1}, y_3, 0);

   Launches return at once. The host waits where it needs a value: a load, a print, a reading of the
   clock; there a failure on the device is noticed too, so that failures and output come in program
   order. */
#include "backend/emit/emit.h"

/* ---- commands ------------------------------------------------------------------------------- */

/* The kernel's text, and its row in the table; gives its number. */
static size_t emit_kernel(EmitOpencl *ce, const KernelCmd *loop)
{
    Emit *e = &ce->e;
    const char *place = emit_place_line(e->c, loop->span);
    bool is_at_place = e->is_at_place;
    emit_kernel_text(ce, loop);
    e->is_at_place = is_at_place;
    size_t number = ce->kernel_count++;
    const char *name = emit_identifier(e->c, loop->text);
    text_printf(&ce->table, "    {\"%s\", \"%s\", %s, %s, %s, %zu, %zu},\n", name,
                emit_same_kernel(ce, name), emit_quoted(e->c, place),
                kernel_has(loop->body, KERNEL_CHECK) ? "true" : "false",
                emit_has_arrival(loop->body) ? "true" : "false", emit_group_words(loop->body),
                ce->word);
    return number;
}

static void emit_launch(EmitOpencl *ce, const KernelCmd *loop)
{
    Emit *e = &ce->e;
    const KernelCmd *other = loop->on_processor;
    const char *items = emit_exp(e, loop->count);
    if (other) {
        size_t number = emit_kernel(ce, other);
        const char *groups = emit_exp(e, other->count);
        emit_line(e, "if (tl_cl_on_processor(%s, %s)) {", groups, items);
        emit_line(e, "    tl_cl_shares(&kernels[%zu], %s, %s);", number, groups, ce->arguments);
        emit_line(e, "} else {");
        e->indent++;
    }
    size_t number = emit_kernel(ce, loop);
    if (loop->groups) {
        emit_line(e, "tl_cl_shares(&kernels[%zu], %s, %s);", number, items, ce->arguments);
    } else if (loop->level == KERNEL_GRID) {
        emit_line(e, "tl_cl_grid(&kernels[%zu], %s, %s);", number, items, ce->arguments);
    } else {
        emit_line(e, "tl_cl_groups(&kernels[%zu], %s, %zu, %s);", number, items, ce->group_size,
                  ce->arguments);
    }
    if (other) {
        e->indent--;
        emit_line(e, "}");
    }
}

static void emit_host_check(Emit *e, const KernelCmd *command)
{
    const char *condition = emit_exp(e, command->value);
    if (command->variable) {
        emit_line(e, "%s = %s;", emit_name(e, command->variable), condition);
        condition = emit_name(e, command->variable);
    }
    emit_line(e, "if (!(%s)) tl_cl_fail(&failures[%zu], %s);", condition, command->failure,
              emit_failure_values(e, command));
}

static void emit_upload(Emit *e, const KernelCmd *command)
{
    const char *type = emit_element_type(EMIT_HOST, command->variable->prim),
               *name = emit_name(e, command->variable);
    emit_line(e, "static const %s %s_values[] = %s;", type, name, emit_constants(e, command));
    emit_line(e, "tl_cl_upload(&%s, %zu, sizeof(%s), %s_values);", name, command->value_count, type,
              name);
}

/* The first element of what is shown. */
static const char *emit_start(Emit *e, const KernelEffect *effect)
{
    return effect->start ? emit_exp(e, effect->start) : "0";
}

static void emit_print(Emit *e, const KernelEffect *effect)
{
    if (effect->source) {
        emit_line(e, "%s(%s, %d, %s, %s, %s);",
                  effect->is_complex ? "tl_cl_print_complex" : "tl_cl_print",
                  emit_type_constant(effect->source->prim), effect->rank, emit_shape(e, effect),
                  emit_name(e, effect->source), emit_start(e, effect));
        return;
    }
    emit_line(e, "tl_cl_check();");
    emit_line(e, "tl_print(stdout, %s, 0, NULL, &(const %s){%s});",
              emit_type_constant(effect->value->prim),
              emit_scalar_type(EMIT_HOST, effect->value->prim), emit_exp(e, effect->value));
}

/* Declares NAME_PART, a copy of the buffer on the host, and gives its name. */
static const char *emit_download(Emit *e, const char *name, const char *part,
                                 const KernelVariable *buffer, const char *start, const char *count)
{
    const char *type = emit_element_type(EMIT_HOST, buffer->prim);
    emit_line(e, "%s *%s_%s = tl_cl_download(%s, %s, %s, sizeof(%s));", type, name, part,
              emit_name(e, buffer), start, count, type);
    return arena_printf(e->c->arena, "%s_%s", name, part);
}

static void emit_read(Emit *e, const KernelEffect *effect)
{
    const char *name = emit_name(e, effect->variable), *known = emit_file_name(e, effect);
    const char *file =
        known ? known
              : emit_download(e, name, "file", effect->source, "0", emit_exp(e, effect->second));
    const char *call = emit_read_call(e, effect, file);
    emit_line(e, "void *%s_elements = %s;", name, call);
    if (!known) {
        emit_line(e, "free(%s);", file);
    }
}

static void emit_format(Emit *e, const KernelEffect *effect)
{
    const char *name = emit_name(e, effect->variable), *fields = NULL, *source = NULL;
    emit_line(e, "int64_t %s_count;", name);
    emit_line(e, "tl_cl_check();");
    if (effect->fields) {
        fields = emit_download(e, name, "fields", effect->fields, "0", emit_exp(e, effect->second));
    }
    if (effect->source) {
        Text count = text_create(e->c->arena);
        for (int k = 0; k < effect->rank; k++) {
            text_printf(&count, "%s(%s)", k ? " * " : "", emit_exp(e, effect->shape[k]));
        }
        source = emit_download(e, name, "source", effect->source, emit_start(e, effect),
                               text_get(&count));
    }
    emit_line(e, "void *%s_elements = %s;", name, emit_format_call(e, effect, fields, source));
    if (fields) {
        emit_line(e, "free(%s);", fields);
    }
    if (source) {
        emit_line(e, "free(%s);", source);
    }
}

/* READ and FORMAT: the runtime gives malloc'ed elements and extents. */
static void emit_made_by_runtime(Emit *e, const KernelEffect *effect)
{
    const char *name = emit_name(e, effect->variable),
               *type = emit_element_type(EMIT_HOST, effect->variable->prim);
    if (effect->kind == KERNEL_READ) {
        emit_read(e, effect);
    } else {
        emit_format(e, effect);
    }
    emit_line(e, "tl_cl_upload(&%s, %s, sizeof(%s), %s_elements);", name,
              emit_made_count(e, effect), type, name);
    emit_line(e, "free(%s_elements);", name);
    emit_made_extents(e, effect);
}

/* A parameter that is an array: what the runtime has read, on the device. */
static void emit_parameter(Emit *e, const KernelEffect *effect)
{
    emit_line(e, "tl_cl_parameter(&%s, %s, sizeof(%s), %zu, %s);", emit_name(e, effect->variable),
              emit_exp(e, effect->value), emit_element_type(EMIT_HOST, effect->variable->prim),
              effect->number, emit_is_changed(&e->survey, effect->variable) ? "true" : "false");
}

/* A result, fetched from the device where it is an array. */
static void emit_result(Emit *e, const KernelEffect *effect)
{
    if (!effect->source) {
        emit_line(e, "tl_cl_check();");
        emit_scalar_effect(e, effect);
        return;
    }
    emit_line(e, "tl_cl_result(%s, %d, %s, %s, %s);", emit_type_constant(effect->source->prim),
              effect->rank, emit_shape(e, effect), emit_name(e, effect->source),
              emit_start(e, effect));
}

static void emit_effect(Emit *e, const KernelEffect *effect)
{
    switch (effect->kind) {
    case KERNEL_PRINT: emit_print(e, effect); break;
    case KERNEL_READ:
    case KERNEL_FORMAT: emit_made_by_runtime(e, effect); break;
    case KERNEL_NOW:
        emit_line(e, "tl_cl_wait();");
        emit_scalar_effect(e, effect);
        break;
    case KERNEL_BENCH:
        emit_line(e, "tl_cl_check();");
        emit_scalar_effect(e, effect);
        break;
    case KERNEL_ARGUMENT:
    case KERNEL_DRAWS:
    case KERNEL_SEED:
    case KERNEL_SEED_NOW:
    case KERNEL_PRECISION:
    case KERNEL_PRECISION_NOW:
    case KERNEL_DEVICE: emit_scalar_effect(e, effect); break;
    case KERNEL_PARAMETER:
        if (effect->variable) {
            emit_parameter(e, effect);
        } else {
            emit_scalar_effect(e, effect);
        }
        break;
    case KERNEL_RESULT: emit_result(e, effect); break;
    }
}

static void give_buffer(Emit *e, const KernelVariable *to, const KernelVariable *from)
{
    emit_line(e, "%s = %s;", emit_name(e, to), emit_name(e, from));
}

static void take_buffer(Emit *e, const KernelVariable *to, const KernelVariable *from)
{
    emit_line(e, "tl_cl_release(&%s);", emit_name(e, to));
    give_buffer(e, to, from);
    emit_line(e, "%s = NULL;", emit_name(e, from));
}

/* Whether the step is the last; names that a step changes are handed over, to be set back. */
static void emit_ahead(Emit *e, const KernelCmd *command)
{
    const char *name = emit_name(e, command->variable);
    const char *declared = e->file_scope[command->variable->number] ? "" : "const bool ";
    Text buffers = text_create(e->c->arena), scalars = text_create(e->c->arena);
    if (command->value) {
        emit_line(e, "%s%s = %s && !tl_cl_was_last();", declared, name,
                  emit_operand(e, command->value));
        return;
    }
    for (size_t i = 0; i < command->source_count; i++) {
        text_printf(&buffers, "%s&%s", i ? ", " : "(tl_buffer **const[]){",
                    emit_name(e, command->sources[i]));
    }
    for (size_t i = 0; i < command->payload_count; i++) {
        const char *scalar = emit_name(e, command->payload[i]);
        text_printf(&scalars, "%s{&%s, sizeof %s}", i ? ", " : "(const tl_scalar[]){", scalar,
                    scalar);
    }
    emit_line(e, "%s%s = tl_cl_is_last(%zu, %zu, %s%s, %zu, %s%s);", declared, name,
              command->number, command->source_count,
              command->source_count ? text_get(&buffers) : "NULL", command->source_count ? "}" : "",
              command->payload_count, command->payload_count ? text_get(&scalars) : "NULL",
              command->payload_count ? "}" : "");
}

/* A loop that the host runs ahead in. */
static void emit_while_ahead(Emit *e, const KernelCmd *command)
{
    const char *ahead = emit_name(e, command->ahead);
    emit_line(e, "tl_cl_begin_ahead(&%s, %zu);", ahead, command->number);
    emit_line(e, "while (%s) {", emit_name(e, command->variable));
    e->indent++;
    emit_block(e, command->body);
    e->indent--;
    emit_line(e, "}");
    emit_line(e, "tl_cl_release(&%s);", ahead);
}

static void emit_reserve(Emit *e, const KernelCmd *command)
{
    Text list = text_create(e->c->arena);
    for (size_t i = 0; i < command->value_count; i += 3) {
        text_printf(&list, "%s{%s, %s, %s}", i ? ", " : "", emit_exp(e, command->values[i]),
                    emit_exp(e, command->values[i + 1]), emit_exp(e, command->values[i + 2]));
    }
    emit_line(e, "tl_cl_reserve(%zu, (const tl_pieces[]){%s});", command->value_count / 3,
              text_get(&list));
}

static bool emit_host_command(Emit *e, const KernelCmd *command)
{
    const char *name = command->variable ? emit_name(e, command->variable) : "";
    const char *size =
        command->variable ? emit_element_type(EMIT_HOST, command->variable->prim) : "";
    emit_at(e, command);
    if (emit_names_file(e, command))
        return true;
    switch (command->kind) {
    case KERNEL_ALLOCATE:
        emit_line(e, "tl_cl_allocate(&%s, %s, sizeof(%s));", name, emit_exp(e, command->count),
                  size);
        return true;
    case KERNEL_RESERVE: emit_reserve(e, command); return true;
    case KERNEL_ALIAS:
        emit_line(e, "tl_cl_alias(&%s, %s);", name, emit_name(e, command->source));
        return true;
    case KERNEL_RELEASE: emit_line(e, "tl_cl_release(&%s);", name); return true;
    case KERNEL_CONSTANTS: emit_upload(e, command); return true;
    case KERNEL_COPY:
        emit_line(e, "tl_cl_copy(%s, %s, %s, %s, %s, sizeof(%s));", name,
                  emit_index(e, command->index), emit_name(e, command->source),
                  emit_index(e, command->source_index), emit_exp(e, command->count), size);
        return true;
    case KERNEL_CHECK: emit_host_check(e, command); return true;
    case KERNEL_EFFECT: emit_effect(e, &command->effect); return true;
    case KERNEL_CALL: emit_call(e, command, give_buffer, take_buffer); return true;
    case KERNEL_AHEAD: emit_ahead(e, command); return true;
    case KERNEL_WHILE:
        if (!command->ahead)
            return false;
        emit_while_ahead(e, command);
        return true;
    case KERNEL_FOR:
        if (command->level != KERNEL_GRID && command->level != KERNEL_GROUP)
            return false;
        emit_launch((EmitOpencl *)e, command);
        return true;
    case KERNEL_DECLARE:
    case KERNEL_ASSIGN:
    case KERNEL_STORE:
    case KERNEL_ATOMIC:
    case KERNEL_EXCHANGE:
    case KERNEL_RETRY:
    case KERNEL_IF:
    case KERNEL_BARRIER:
    case KERNEL_ARRIVE:
    case KERNEL_TICKET:
    case KERNEL_PUBLISH:
    case KERNEL_AWAIT:
    case KERNEL_MEET:
    case KERNEL_SWAP:
    case KERNEL_COMMENT: return false;
    }
    return false;
}

/* ---- the file ------------------------------------------------------------------------------- */

static void declare_buffer(Emit *e, const KernelVariable *buffer, const char *storage)
{
    emit_line(e, "%stl_buffer *%s = NULL;", storage, emit_name(e, buffer));
}

static void emit_buffer_declarations(Emit *e, size_t entry, const char *storage)
{
    const EmitSurvey *survey = &e->survey;
    for (size_t i = survey->first_buffers[entry]; i < survey->first_buffers[entry + 1]; i++) {
        declare_buffer(e, survey->host_buffers.items[i], storage);
    }
}

/* The kernels' text as a C string, a line of it a line. */
static void emit_source(Emit *e, const char *text)
{
    emit_blank(e);
    emit_line(e, "static const char source[] =");
    while (*text) {
        size_t length = strcspn(text, "\n");
        const char *line = arena_text(e->c->arena, text, length);
        text += length + (text[length] == '\n');
        const char *quoted = emit_quoted(e->c, line);
        emit_line(e, "    %.*s\\n\"", (int)(strlen(quoted) - 1), quoted);
    }
    emit_line(e, "    \"\";");
}

static void emit_program(EmitOpencl *ce)
{
    Emit *e = &ce->e;
    const EmitSurvey *survey = &e->survey;
    emit_blank(e);
    emit_line(
        e,
        "/* The kernels: name, function in the source, the APL line, whether they check, whether "
        "their groups count, and look back, and which argument is their word. */");
    emit_line(e, "static const tl_kernel kernels[] = {");
    text_append(e->out, text_get(&ce->table), ce->table.length);
    emit_line(e, "    {NULL, NULL, NULL, false, false, 0, 0},");
    emit_line(e, "};");
    emit_blank(e);
    emit_line(e, "static const tl_program program = {");
    emit_line(e, "    .source = source,");
    emit_line(e, "    .kernels = kernels,");
    emit_line(e, "    .kernel_count = %zu,", ce->kernel_count);
    emit_line(e, "    .failures = failures,");
    emit_line(e, "    .needs_f64 = %s,", survey->device_f64 ? "true" : "false");
    emit_line(e, "    .needs_f32 = %s,", survey->device_f32 ? "true" : "false");
    emit_line(e, "    .needs_i64_atomics = %s,", survey->device_i64_atomics ? "true" : "false");
    emit_line(e, "    .checks = %s,", survey->device_checks ? "true" : "false");
    emit_line(e, "};");
}

static void emit_entry(EmitOpencl *ce, size_t entry)
{
    Emit *e = &ce->e;
    emit_entry_head(e, entry);
    emit_line(e, "{");
    e->indent = 1;
    emit_forget_buffers(e, entry, "");
    if (emit_is_long(&e->program->entries[entry])) {
        emit_parts(e, &ce->functions, entry);
    } else {
        emit_buffer_declarations(e, entry, "");
        emit_block(e, e->program->entries[entry].body);
    }
    e->indent = 0;
    emit_line(e, "}");
}

static void emit_head(Emit *e, const char *program_name)
{
    emit_file_comment(
        e, program_name, e->library ? "a library with OpenCL kernels" : "C host and OpenCL kernels",
        e->library ? "cc -std=c11 -O2 -ffp-contract=off -fPIC -shared FILE.c -I DIR -L DIR "
                     "-ltailor_opencl -ltailor -lOpenCL -lm"
                   : "cc -std=c11 -O2 -ffp-contract=off FILE.c -I DIR -L DIR -ltailor_opencl "
                     "-ltailor -lOpenCL -lm");
    if (e->library)
        emit_library_declarations(e);
    emit_line(e, "#include \"tailor.h\"");
    emit_line(e, "#include \"scalar.h\"");
    emit_line(e, "#include \"random.h\"");
    emit_line(e, "#include \"tailor_opencl.h\"");
    if (e->library)
        emit_line(e, "#include \"tailor_library.h\"");
    emit_line(e, "#include <stdlib.h>");
}

static void emit_file(Compilation *c, Text *out, const KernelProgram *program,
                      const char *program_name, const KernelLibrary *library)
{
    EmitOpencl ce = {.kernels = text_create(c->arena),
                     .functions = text_create(c->arena),
                     .main = text_create(c->arena),
                     .table = text_create(c->arena)};
    Emit *e = &ce.e;
    Text variables = text_create(c->arena);
    emit_begin(e, c, program, EMIT_HOST);
    e->special = emit_host_command;
    e->library = library;
    e->out = &variables;
    emit_functions(e, declare_buffer);
    emit_file_scalars(e);
    for (size_t i = 0; i < program->body_count; i++) {
        if (emit_is_long(&program->entries[i]))
            emit_buffer_declarations(e, i, emit_file_storage(e));
    }
    e->out = &ce.main;
    for (size_t i = 0; i < program->body_count; i++)
        emit_entry(&ce, i);
    if (library) {
        emit_library_functions(e, "&tl_cl_functions, &program");
    } else {
        emit_main_function(e, program_name, "tl_cl_begin(&program);", "tl_cl_again",
                           "tl_cl_end();");
    }
    e->out = out;
    emit_head(e, program_name);
    emit_source(e, text_get(&ce.kernels));
    emit_failures(e);
    if (!library)
        emit_parameters(e);
    emit_entries(e);
    emit_program(&ce);
    text_append(out, text_get(&variables), variables.length);
    text_append(out, text_get(&ce.functions), ce.functions.length);
    text_append(out, text_get(&ce.main), ce.main.length);
}

void emit_opencl(Compilation *c, Text *out, const KernelProgram *program, const char *program_name)
{
    emit_file(c, out, program, program_name, NULL);
}

void emit_opencl_library(Compilation *c, Text *out, const KernelProgram *program,
                         const KernelLibrary *library)
{
    emit_file(c, out, program, library->name, library);
}
