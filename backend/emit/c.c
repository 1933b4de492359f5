/* Sequential C: a complete file with main(), to be linked with the runtime (libtailor.a, -lm).

       alloc y : f64[n]                   tl_block *y_3_block = tl_allocate(n_1, sizeof(double));
                                          double *y_3 = tl_data(y_3_block);
       for i < n { y[i] = x[i] * 2.0 }    loop_4(n_1, x_2, y_3);

   An outermost loop without allocations and effects becomes a function of its own, as it would be a
   kernel on a device: its buffers are restrict parameters, which lets the compiler vectorise, and
   main stays short. Parallel levels are plain loops: their iterations are independent, and loops in
   order are what a barrier asks for. What is too long for one main is split into parts that
   share variables of the file, since compilers take more than linear time for one long function.

   Loops are written in [DPIA 4]'s imperative language already; nothing is decided here but
   spelling. */
#include "backend/emit/emit.h"

typedef struct CEmit {
    Emit e; /* first: Emit * and CEmit * convert */
    Text functions, main;
    bool in_function; /* printing an outlined loop */
} CEmit;

/* ---- loops as functions --------------------------------------------------------------------- */

static const char *function_name(Emit *e, const KernelCmd *loop)
{
    if (loop->kind == KERNEL_FOR && loop->text)
        return emit_identifier(e->c, loop->text);
    return arena_printf(e->c->arena, "loop_%s", emit_name(e, loop->variable));
}

typedef struct Signature {
    Text parameters, arguments;
    const KernelVariable *result;     /* the one scalar that the loop leaves behind */
    VEC(const KernelVariable *) outs; /* or several */
} Signature;

static void add_parameter(Emit *e, Signature *signature, const KernelFreeVec *used,
                          const KernelFree *item)
{
    KernelVariable *variable = item->variable;
    const char *name = emit_name(e, variable), *comma = signature->parameters.length ? ", " : "";
    const char *type = variable->space == KERNEL_SCALAR ? emit_scalar_type(EMIT_C, variable->prim)
                                                        : emit_element_type(EMIT_C, variable->prim);
    text_string(&signature->arguments, comma);
    if (variable->space != KERNEL_SCALAR) {
        text_printf(&signature->parameters, "%s%s%s *%s%s", comma, item->written ? "" : "const ",
                    type, emit_is_alone(e, used, item) ? "restrict " : "", name);
        text_string(&signature->arguments, name);
    } else if (item->written && !signature->result) {
        text_printf(&signature->parameters, "%s%s *%s_out", comma, type, name);
        text_printf(&signature->arguments, "&%s", name);
        vec_push(e->c->arena, &signature->outs, variable);
    } else {
        text_printf(&signature->parameters, "%s%s%s %s", comma, item->written ? "" : "const ",
                    emit_variable_type(e, variable), name);
        text_string(&signature->arguments, name);
    }
}

static Signature signature_of(Emit *e, const KernelFreeVec *used)
{
    Signature signature = {.parameters = text_create(e->c->arena),
                           .arguments = text_create(e->c->arena)};
    size_t written = 0;
    for (size_t i = 0; i < used->count; i++) {
        if (used->items[i].variable->space != KERNEL_SCALAR || !used->items[i].written)
            continue;
        signature.result = written++ ? NULL : used->items[i].variable;
    }
    e->writes_alone = true;
    for (size_t i = 0; i < used->count; i++) {
        const KernelFree *item = &used->items[i];
        add_parameter(e, &signature, used, item);
        bool is_written = item->variable->space != KERNEL_SCALAR && item->written;
        e->writes_alone = e->writes_alone && (!is_written || emit_is_alone(e, used, item));
    }
    return signature;
}

/* Prints the loop as a function before main, and its call here. */
static void emit_function(CEmit *ce, const KernelCmd *loop)
{
    Emit *e = &ce->e;
    KernelFreeVec used = kernel_free(e->c, (KernelBlock){1, &loop});
    emit_narrow_sums(e, loop);
    Signature signature = signature_of(e, &used);
    const char *name = function_name(e, loop), *place = emit_place_comment(e->c, loop->span);
    const char *result = signature.result ? emit_name(e, signature.result) : NULL;
    Text *outside = e->out;
    int indent = e->indent;
    bool is_at_place = e->is_at_place;
    e->out = &ce->functions;
    e->indent = 0;
    ce->in_function = true;
    emit_blank(e);
    if (place)
        emit_line(e, "/* %s */", place);
    emit_line(e, "static %s %s(%s)",
              signature.result ? emit_scalar_type(EMIT_C, signature.result->prim) : "void", name,
              signature.parameters.length ? text_get(&signature.parameters) : "void");
    emit_line(e, "{");
    e->indent = 1;
    for (size_t i = 0; i < signature.outs.count; i++) {
        const char *out = emit_name(e, signature.outs.items[i]);
        emit_line(e, "%s %s = *%s_out;", emit_variable_type(e, signature.outs.items[i]), out, out);
    }
    emit_command(e, loop);
    for (size_t i = 0; i < signature.outs.count; i++) {
        const char *out = emit_name(e, signature.outs.items[i]);
        emit_line(e, "*%s_out = %s;", out, out);
    }
    if (result)
        emit_line(e, "return %s;", result);
    e->indent = 0;
    emit_line(e, "}");
    ce->in_function = e->writes_alone = false;
    e->out = outside;
    e->indent = indent;
    e->is_at_place = is_at_place;
    emit_line(e, "%s%s%s(%s);", result ? result : "", result ? " = " : "", name,
              text_get(&signature.arguments));
}

/* ---- buffers -------------------------------------------------------------------------------- */

/* y = block: at its declaration, or instead of what it held. */
static void emit_make(Emit *e, const KernelVariable *buffer, const char *block)
{
    const char *name = emit_name(e, buffer);
    bool declares = e->survey.in_place[buffer->number];
    e->survey.in_place[buffer->number] = false;
    if (!declares)
        emit_line(e, "tl_release(%s_block);", name);
    emit_line(e, "%s%s_block = %s;", declares ? "tl_block *" : "", name, block);
    if (declares) {
        emit_line(e, "%s *%s = tl_data(%s_block);", emit_element_type(EMIT_C, buffer->prim), name,
                  name);
    } else {
        emit_line(e, "%s = tl_data(%s_block);", name, name);
    }
}

static void emit_alias(Emit *e, const KernelCmd *command)
{
    const char *name = emit_name(e, command->variable), *source = emit_name(e, command->source);
    if (e->survey.in_place[command->variable->number]) {
        emit_make(e, command->variable, arena_printf(e->c->arena, "tl_retain(%s_block)", source));
        return;
    }
    emit_line(e, "tl_retain(%s_block);", source);
    emit_line(e, "tl_release(%s_block);", name);
    emit_line(e, "%s_block = %s_block;", name, source);
    emit_line(e, "%s = %s;", name, source);
}

static void emit_constants_block(Emit *e, const KernelCmd *command)
{
    const char *type = emit_element_type(EMIT_C, command->variable->prim),
               *name = emit_name(e, command->variable);
    emit_line(e, "static const %s %s_values[] = %s;", type, name, emit_constants(e, command));
    emit_make(e, command->variable,
              arena_printf(e->c->arena, "tl_block_of(%s_values, %zu, sizeof(%s))", name,
                           command->value_count, type));
}

static void emit_copy(Emit *e, const KernelCmd *command)
{
    emit_line(e, "memmove(&%s[%s], &%s[%s], (size_t)(%s) * sizeof(%s));",
              emit_name(e, command->variable), emit_index(e, command->index),
              emit_name(e, command->source), emit_index(e, command->source_index),
              emit_exp(e, command->count), emit_element_type(EMIT_C, command->variable->prim));
}

static void give_buffer(Emit *e, const KernelVariable *to, const KernelVariable *from)
{
    emit_line(e, "%s_block = %s_block;", emit_name(e, to), emit_name(e, from));
    emit_line(e, "%s = %s;", emit_name(e, to), emit_name(e, from));
}

static void take_buffer(Emit *e, const KernelVariable *to, const KernelVariable *from)
{
    emit_line(e, "tl_release(%s_block);", emit_name(e, to));
    give_buffer(e, to, from);
    emit_line(e, "%s_block = NULL;", emit_name(e, from));
}

/* ---- checks and effects --------------------------------------------------------------------- */

static void emit_check(Emit *e, const KernelCmd *command)
{
    const char *condition = emit_exp(e, command->value);
    if (command->variable) {
        emit_line(e, "%s = %s;", emit_name(e, command->variable), condition);
        condition = emit_name(e, command->variable);
    }
    emit_line(e, "if (!(%s)) tl_fail(&failures[%zu], %s);", condition, command->failure,
              emit_failure_values(e, command));
}

/* Where what is shown begins. */
static const char *emit_shown(Emit *e, const KernelEffect *effect)
{
    const char *source = emit_name(e, effect->source);
    return effect->start
               ? arena_printf(e->c->arena, "%s + (%s)", source, emit_exp(e, effect->start))
               : source;
}

static void emit_print(Emit *e, const KernelEffect *effect)
{
    if (effect->source) {
        emit_line(e, "%s(stdout, %s, %d, %s, %s);",
                  effect->is_complex ? "tl_print_complex" : "tl_print",
                  emit_type_constant(effect->source->prim), effect->rank, emit_shape(e, effect),
                  emit_shown(e, effect));
    } else {
        emit_line(e, "tl_print(stdout, %s, 0, NULL, &(const %s){%s});",
                  emit_type_constant(effect->value->prim),
                  emit_scalar_type(EMIT_C, effect->value->prim), emit_exp(e, effect->value));
    }
}

/* READ and FORMAT: the runtime gives malloc'ed elements and extents. */
static void emit_made_by_runtime(Emit *e, const KernelEffect *effect)
{
    const char *name = emit_name(e, effect->variable),
               *type = emit_element_type(EMIT_C, effect->variable->prim), *call;
    if (effect->kind == KERNEL_READ) {
        const char *file = emit_file_name(e, effect);
        call = emit_read_call(e, effect, file ? file : emit_name(e, effect->source));
    } else {
        emit_line(e, "int64_t %s_count;", name);
        call = emit_format_call(e, effect, effect->fields ? emit_name(e, effect->fields) : "",
                                effect->source ? emit_shown(e, effect) : "");
    }
    emit_line(e, "void *%s_elements = %s;", name, call);
    emit_make(e, effect->variable,
              arena_printf(e->c->arena, "tl_block_of(%s_elements, %s, sizeof(%s))", name,
                           emit_made_count(e, effect), type));
    emit_line(e, "free(%s_elements);", name);
    emit_made_extents(e, effect);
}

/* A parameter that is an array: a block with what the runtime has read. */
static void emit_parameter(Emit *e, const KernelEffect *effect)
{
    emit_make(e, effect->variable,
              arena_printf(e->c->arena, "tl_block_of(tl_parameter_data(%zu), %s, sizeof(%s))",
                           effect->number, emit_exp(e, effect->value),
                           emit_element_type(EMIT_C, effect->variable->prim)));
    emit_line(e, "tl_parameter_done(%zu);", effect->number);
}

static void emit_effect(Emit *e, const KernelEffect *effect)
{
    if (effect->kind == KERNEL_PARAMETER && effect->variable) {
        emit_parameter(e, effect);
        return;
    }
    if (effect->kind == KERNEL_RESULT && effect->source) {
        emit_line(e, "tl_result(%s, %d, %s, %s);", emit_type_constant(effect->source->prim),
                  effect->rank, emit_shape(e, effect), emit_shown(e, effect));
        return;
    }
    switch (effect->kind) {
    case KERNEL_PRINT: emit_print(e, effect); break;
    case KERNEL_READ:
    case KERNEL_FORMAT: emit_made_by_runtime(e, effect); break;
    case KERNEL_ARGUMENT:
    case KERNEL_NOW:
    case KERNEL_DRAWS:
    case KERNEL_SEED:
    case KERNEL_SEED_NOW:
    case KERNEL_PRECISION:
    case KERNEL_PRECISION_NOW:
    case KERNEL_DEVICE:
    case KERNEL_BENCH:
    case KERNEL_PARAMETER:
    case KERNEL_RESULT: emit_scalar_effect(e, effect); break;
    }
}

/* ---- commands ------------------------------------------------------------------------------- */

static bool emit_c_command(Emit *e, const KernelCmd *command)
{
    CEmit *ce = (CEmit *)e;
    emit_at(e, command);
    if (emit_names_file(e, command))
        return true;
    switch (command->kind) {
    case KERNEL_ALLOCATE:
        emit_make(e, command->variable,
                  arena_printf(e->c->arena, "tl_allocate(%s, sizeof(%s))",
                               emit_exp(e, command->count),
                               emit_element_type(EMIT_C, command->variable->prim)));
        return true;
    case KERNEL_ALIAS: emit_alias(e, command); return true;
    case KERNEL_RELEASE:
        emit_line(e, "tl_release(%s_block);", emit_name(e, command->variable));
        emit_line(e, "%s_block = NULL;", emit_name(e, command->variable));
        return true;
    case KERNEL_RESERVE: return true; /* programs for devices have it */
    case KERNEL_CONSTANTS: emit_constants_block(e, command); return true;
    case KERNEL_COPY: emit_copy(e, command); return true;
    case KERNEL_CHECK: emit_check(e, command); return true;
    case KERNEL_EFFECT: emit_effect(e, &command->effect); return true;
    case KERNEL_CALL: emit_call(e, command, give_buffer, take_buffer); return true;
    case KERNEL_FOR:
    case KERNEL_WHILE:
        if (ce->in_function || emit_is_host_only(command))
            return false;
        emit_function(ce, command);
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
    case KERNEL_AHEAD:
    case KERNEL_COMMENT: return false;
    }
    return false;
}

/* ---- entries and main ----------------------------------------------------------------------- */

static void declare_buffer(Emit *e, const KernelVariable *buffer, const char *storage)
{
    const char *name = emit_name(e, buffer);
    emit_line(e, "%stl_block *%s_block = NULL;", storage, name);
    emit_line(e, "%s%s *%s = NULL;", storage, emit_element_type(EMIT_C, buffer->prim), name);
}

/* An entry's buffers that are not declared where they are made start as empty references. */
static void emit_buffer_declarations(Emit *e, size_t entry, const char *storage)
{
    const EmitSurvey *survey = &e->survey;
    for (size_t i = survey->first_buffers[entry]; i < survey->first_buffers[entry + 1]; i++) {
        const KernelVariable *buffer = survey->host_buffers.items[i];
        if (survey->in_place[buffer->number])
            continue;
        declare_buffer(e, buffer, storage);
    }
}

static void emit_entry(CEmit *ce, size_t entry)
{
    Emit *e = &ce->e;
    emit_entry_head(e, entry);
    emit_line(e, "{");
    e->indent = 1;
    emit_forget_buffers(e, entry, "_block");
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
    const char *command =
        e->library
            ? "cc -std=c11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fopenmp-simd "
              "-fPIC "
              "-shared FILE.c -I DIR -L DIR -ltailor -lm"
            : "cc -std=c11 -O3 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math "
              "-fopenmp-simd FILE.c -I DIR -L DIR -ltailor -lm";
    emit_file_comment(e, program_name, e->library ? "a library in sequential C" : "sequential C",
                      command);
    if (e->library)
        emit_library_declarations(e);
    emit_line(e, "#include \"tailor.h\"");
    emit_line(e, "#include \"vector.h\"");
    emit_line(e, "#include \"scalar.h\"");
    emit_line(e, "#include \"random.h\"");
    emit_line(e, "#include <stdlib.h>");
    emit_line(e, "#include <string.h>");
    if (e->library)
        emit_line(e, "#include \"tailor_library.h\"");
    emit_failures(e);
    if (!e->library)
        emit_parameters(e);
    emit_entries(e);
}

static void emit_file(Compilation *c, Text *out, const KernelProgram *program,
                      const char *program_name, const KernelLibrary *library)
{
    CEmit ce = {.functions = text_create(c->arena), .main = text_create(c->arena)};
    Emit *e = &ce.e;
    emit_begin(e, c, program, EMIT_C);
    e->special = emit_c_command;
    e->library = library;
    e->out = out;
    emit_head(e, program_name);
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
        emit_library_functions(e, "NULL, NULL");
    } else {
        emit_main_function(e, program_name, NULL, "tl_again", NULL);
    }
    text_append(out, text_get(&ce.functions), ce.functions.length);
    text_append(out, text_get(&ce.main), ce.main.length);
}

void emit_c(Compilation *c, Text *out, const KernelProgram *program, const char *program_name)
{
    emit_file(c, out, program, program_name, NULL);
}

void emit_c_library(Compilation *c, Text *out, const KernelProgram *program,
                    const KernelLibrary *library)
{
    emit_file(c, out, program, library->name, library);
}
