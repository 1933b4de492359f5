/* The kernel program for people: `tailor emit --to=kernels`.

       alloc y_3 : f64[n_1]
       grid map_5 (i_4 < n_1) {
           y_3[i_4] = x_2[i_4] * 2.0
       }

   The names are [DPIA] 3's and 4's: commands in order, expressions without effects, and loops whose
   level says where an iteration runs. */
#include "backend/emit/emit.h"

static const char *level_text(KernelLevel level)
{
    switch (level) {
    case KERNEL_SEQ: return "for";
    case KERNEL_GRID: return "grid";
    case KERNEL_GROUP: return "group";
    case KERNEL_LOCAL_LOOP: return "local";
    }
    return "for";
}

/* "x_1, y_2": a list of values. */
static const char *list_text(Emit *e, size_t count, const KernelExp *const *items)
{
    Text list = text_create(e->c->arena);
    for (size_t i = 0; i < count; i++) {
        text_printf(&list, "%s%s", i ? ", " : "", emit_exp(e, items[i]));
    }
    return text_get(&list);
}

static void print_declare(Emit *e, const KernelCmd *command)
{
    const KernelVariable *variable = command->variable;
    const char *name = emit_name(e, variable), *prim = core_prim_text(variable->prim);
    if (variable->space != KERNEL_SCALAR) {
        emit_line(e, "%s %s : %s[%s]", variable->space == KERNEL_LOCAL ? "local" : "private", name,
                  prim, emit_exp(e, command->count));
    } else if (command->value) {
        const char *at_once = command->wide > 0 ? arena_printf(e->c->arena, "  -- %u of %u",
                                                               command->part + 1, command->wide)
                                                : "";
        emit_line(e, "var %s : %s = %s%s", name, prim, emit_exp(e, command->value), at_once);
    } else {
        emit_line(e, "var %s : %s", name, prim);
    }
}

static void print_check(Emit *e, const KernelCmd *command)
{
    const KernelFailure *failure = &e->program->failures[command->failure];
    const char *target = command->variable
                             ? arena_printf(e->c->arena, "%s = ", emit_name(e, command->variable))
                             : "";
    const char *place = failure->span.file ? emit_place_line(e->c, failure->span) : NULL;
    const char *number =
        command->index ? arena_printf(e->c->arena, " of row %s", emit_exp(e, command->index)) : "";
    const char *stage = command->variable && failure->stage > 0
                            ? arena_printf(e->c->arena, " in stage %u", failure->stage)
                            : "";
    emit_line(e, "%scheck %s%s%s else %s %s (%s)%s%s", target, emit_exp(e, command->value), number,
              stage, core_error_text(failure->error),
              emit_quoted(e->c, failure->message ? failure->message : ""),
              list_text(e, command->value_count, command->values), place ? " at " : "",
              place ? place : "");
}

/* n, m, a = read_csv f64 file[k] */
static void print_read(Emit *e, const KernelEffect *effect)
{
    static const char *const words[] = {"read", "read_csv", "read_npy"};
    Text extents = text_create(e->c->arena);
    for (int k = 0; k < effect->rank; k++) {
        text_printf(&extents, "%s, ", emit_name(e, effect->extents[k]));
    }
    emit_line(e, "%s%s = %s %s %s[%s]", text_get(&extents), emit_name(e, effect->variable),
              words[effect->format], core_prim_text(effect->variable->prim),
              emit_name(e, effect->source), emit_exp(e, effect->second));
}

/* Of PRINT, FORMAT and RESULT: the scalar, or where the array lies and its shape. */
static const char *shown_text(Emit *e, const KernelEffect *effect)
{
    if (!effect->source) {
        return emit_exp(e, effect->value);
    }
    const char *start =
        effect->start ? arena_printf(e->c->arena, " + %s", emit_exp(e, effect->start)) : "";
    return arena_printf(e->c->arena, "%s%s [%s]", emit_name(e, effect->source), start,
                        list_text(e, (size_t)effect->rank, effect->shape));
}

static void print_format(Emit *e, const KernelEffect *effect)
{
    const char *how = emit_exp(e, effect->second);
    if (effect->fields) {
        how = arena_printf(e->c->arena, "%s[%s]", emit_name(e, effect->fields), how);
    }
    emit_line(e, "%s, %s = format%s %s %s", emit_name(e, effect->result),
              emit_name(e, effect->variable), effect->is_complex ? "_complex" : "", how,
              shown_text(e, effect));
}

static void print_effect(Emit *e, const KernelEffect *effect)
{
    const char *result = effect->result ? emit_name(e, effect->result) : "";
    switch (effect->kind) {
    case KERNEL_PRINT:
        emit_line(e, "%s %s", effect->is_complex && effect->source ? "print_complex" : "print",
                  shown_text(e, effect));
        break;
    case KERNEL_READ: print_read(e, effect); break;
    case KERNEL_ARGUMENT:
        emit_line(e, "%s = argument %s default %s", result, emit_quoted(e->c, effect->name),
                  emit_exp(e, effect->value));
        break;
    case KERNEL_NOW: emit_line(e, "%s = now", result); break;
    case KERNEL_DRAWS: emit_line(e, "%s = draws %s", result, emit_exp(e, effect->value)); break;
    case KERNEL_SEED: emit_line(e, "seed %s", emit_exp(e, effect->value)); break;
    case KERNEL_SEED_NOW: emit_line(e, "%s = seed", result); break;
    case KERNEL_BENCH:
        emit_line(e, "bench %s, %s", emit_exp(e, effect->value), emit_exp(e, effect->second));
        break;
    case KERNEL_DEVICE: emit_line(e, "%s = device %s", result, effect->name); break;
    case KERNEL_PRECISION: emit_line(e, "precision %s", emit_exp(e, effect->value)); break;
    case KERNEL_PRECISION_NOW: emit_line(e, "%s = precision", result); break;
    case KERNEL_FORMAT: print_format(e, effect); break;
    case KERNEL_PARAMETER:
        if (effect->variable) {
            emit_line(e, "%s = parameter %zu %s[%s]", emit_name(e, effect->variable),
                      effect->number, core_prim_text(effect->variable->prim),
                      emit_exp(e, effect->value));
        } else {
            emit_line(e, "%s = parameter %zu", result, effect->number);
        }
        break;
    case KERNEL_RESULT: emit_line(e, "result %s", shown_text(e, effect)); break;
    }
}

static void print_body(Emit *e, KernelBlock block)
{
    e->indent++;
    emit_block(e, block);
    e->indent--;
}

static const char *ahead_text(Emit *e, const KernelCmd *command)
{
    return command->ahead ? arena_printf(e->c->arena, ", ahead %s", emit_name(e, command->ahead))
                          : "";
}

static void print_for(Emit *e, const KernelCmd *command)
{
    bool is_kernel = command->level == KERNEL_GRID || command->level == KERNEL_GROUP;
    const char *place = is_kernel ? emit_place_comment(e->c, command->span) : NULL;
    if (place)
        emit_line(e, "-- %s", place);
    if (command->product)
        emit_line(e, "-- %s += %s %s, by matrix units", emit_name(e, command->product->totals),
                  emit_name(e, command->product->tiles[0]),
                  emit_name(e, command->product->tiles[1]));
    emit_line(e, "%s %s%s(%s < %s%s%s)%s {", level_text(command->level),
              is_kernel && command->text ? command->text : "",
              is_kernel && command->text ? " " : "", emit_name(e, command->variable),
              command->groups ? emit_name(e, command->groups) : "", command->groups ? " <= " : "",
              emit_exp(e, command->count), ahead_text(e, command));
    print_body(e, command->body);
    emit_line(e, "}");
    if (command->on_processor) { /* which stands for it there */
        emit_line(e, "on a processor {");
        e->indent++;
        print_for(e, command->on_processor);
        e->indent--;
        emit_line(e, "}");
    }
}

static void print_if(Emit *e, const KernelCmd *command)
{
    emit_line(e, "if %s%s {", emit_exp(e, command->value),
              command->by_device ? ", by device"
              : command->by_size ? ", by size"
                                 : "");
    print_body(e, command->body);
    if (command->otherwise.count) {
        emit_line(e, "} else {");
        print_body(e, command->otherwise);
    }
    emit_line(e, "}");
}

static const char *names_text(Emit *e, size_t count, KernelVariable *const *variables)
{
    Text text = text_create(e->c->arena);
    for (size_t i = 0; i < count; i++) {
        text_printf(&text, "%s%s", i ? ", " : "", emit_name(e, variables[i]));
    }
    return text_get(&text);
}

static void print_call(Emit *e, const KernelCmd *command)
{
    bool both = command->value_count > 0 && command->source_count > 0;
    emit_line(e, "%s%s%s%s(%s%s%s)", command->payload_count ? "var " : "",
              names_text(e, command->payload_count, command->payload),
              command->payload_count ? " = " : "", e->program->entries[command->number].name,
              list_text(e, command->value_count, command->values), both ? ", " : "",
              names_text(e, command->source_count, command->sources));
}

/* var last : bool = is last of (us, vs, k)       var last : bool = is last where k > 100 */
static void print_ahead(Emit *e, const KernelCmd *command)
{
    const char *name = emit_name(e, command->variable);
    bool both = command->source_count > 0 && command->payload_count > 0;
    if (command->value) {
        emit_line(e, "var %s : bool = is last where %s", name, emit_exp(e, command->value));
    } else {
        emit_line(e, "var %s : bool = is last%s of (%s%s%s)", name,
                  command->number > 0 ? arena_printf(e->c->arena, " at place %zu", command->number)
                                      : "",
                  names_text(e, command->source_count, command->sources), both ? ", " : "",
                  names_text(e, command->payload_count, command->payload));
    }
}

/* "2 of n_1 x 8 bytes, 1 of 256 x 1 bytes" */
static const char *pieces_text(Emit *e, const KernelCmd *command)
{
    Text list = text_create(e->c->arena);
    for (size_t i = 0; i < command->value_count; i += 3) {
        text_printf(&list, "%s%s of %s x %s bytes", i ? ", " : "", emit_exp(e, command->values[i]),
                    emit_exp(e, command->values[i + 1]), emit_exp(e, command->values[i + 2]));
    }
    return text_get(&list);
}

static bool print_command(Emit *e, const KernelCmd *command)
{
    const char *name = command->variable ? emit_name(e, command->variable) : "";
    switch (command->kind) {
    case KERNEL_DECLARE: print_declare(e, command); break;
    case KERNEL_ALLOCATE:
        emit_line(e, "alloc %s : %s[%s]", name, core_prim_text(command->variable->prim),
                  emit_exp(e, command->count));
        break;
    case KERNEL_RESERVE: emit_line(e, "reserve %s", pieces_text(e, command)); break;
    case KERNEL_ALIAS: emit_line(e, "alias %s = %s", name, emit_name(e, command->source)); break;
    case KERNEL_RELEASE: emit_line(e, "release %s", name); break;
    case KERNEL_CONSTANTS:
        emit_line(e, "constants %s : %s[%zu] = [%s]", name, core_prim_text(command->variable->prim),
                  command->value_count, list_text(e, command->value_count, command->values));
        break;
    case KERNEL_ASSIGN: emit_line(e, "%s = %s", name, emit_exp(e, command->value)); break;
    case KERNEL_STORE:
        emit_line(e, "%s[%s] = %s", name, emit_index(e, command->index),
                  emit_exp(e, command->value));
        break;
    case KERNEL_ATOMIC:
        emit_line(e, "atomic %s[%s] %s= %s", name, emit_index(e, command->index),
                  core_operator_text(command->op), emit_exp(e, command->value));
        break;
    case KERNEL_EXCHANGE:
        emit_line(e, "%s = exchange %s[%s], %s", name, emit_name(e, command->source),
                  emit_index(e, command->index), emit_exp(e, command->value));
        break;
    case KERNEL_RETRY:
        emit_line(e, "retry %s = %s[%s] {", name, emit_name(e, command->source),
                  emit_index(e, command->index));
        print_body(e, command->body);
        emit_line(e, "} %s[%s] = %s", emit_name(e, command->source), emit_index(e, command->index),
                  emit_exp(e, command->value));
        break;
    case KERNEL_COPY:
        emit_line(e, "copy %s[%s :+ %s] = %s[%s]", name, emit_index(e, command->index),
                  emit_exp(e, command->count), emit_name(e, command->source),
                  emit_index(e, command->source_index));
        break;
    case KERNEL_FOR: print_for(e, command); break;
    case KERNEL_WHILE:
        emit_line(e, "while %s%s {", name, ahead_text(e, command));
        print_body(e, command->body);
        emit_line(e, "}");
        break;
    case KERNEL_IF: print_if(e, command); break;
    case KERNEL_BARRIER: emit_line(e, "barrier"); break;
    case KERNEL_ARRIVE:
        if (command->index) {
            emit_line(e, "arrive %s at %s of %s", name, emit_index(e, command->index),
                      emit_exp(e, command->value));
        } else {
            emit_line(e, "arrive %s", name);
        }
        break;
    case KERNEL_TICKET: emit_line(e, "ticket %s", name); break;
    case KERNEL_MEET: emit_line(e, "meet"); break;
    case KERNEL_SWAP: emit_line(e, "swap %s, %s", name, emit_name(e, command->source)); break;
    case KERNEL_PUBLISH:
        emit_line(e, "publish %s = %s, %s", emit_index(e, command->index),
                  emit_exp(e, command->value), list_text(e, command->value_count, command->values));
        break;
    case KERNEL_AWAIT: {
        Text payload = text_create(e->c->arena);
        for (size_t k = 0; k < command->payload_count; k++) {
            text_printf(&payload, ", %s", emit_name(e, command->payload[k]));
        }
        emit_line(e, "var %s%s = await %s", name, text_get(&payload),
                  emit_index(e, command->index));
        break;
    }
    case KERNEL_CHECK: print_check(e, command); break;
    case KERNEL_EFFECT: print_effect(e, &command->effect); break;
    case KERNEL_CALL: print_call(e, command); break;
    case KERNEL_AHEAD: print_ahead(e, command); break;
    case KERNEL_COMMENT: emit_line(e, "-- %s", command->text); break;
    }
    return true;
}

/* function f(n : i64, xs : f64[]) gives ys : f64[] { ... } */
static const char *interface_text(Emit *e, size_t count, KernelVariable *const *variables)
{
    Text text = text_create(e->c->arena);
    for (size_t i = 0; i < count; i++) {
        text_printf(&text, "%s%s : %s%s", i ? ", " : "", emit_name(e, variables[i]),
                    core_prim_text(variables[i]->prim),
                    variables[i]->space == KERNEL_SCALAR ? "" : "[]");
    }
    return text_get(&text);
}

static void print_function(Emit *e, const KernelEntry *function)
{
    emit_line(e, "function %s(%s) gives %s {", function->name,
              interface_text(e, function->parameter_count, function->parameters),
              function->result_count ? interface_text(e, function->result_count, function->results)
                                     : "nothing");
    print_body(e, function->body);
    emit_line(e, "}");
}

void kernel_print(Compilation *c, Text *out, const KernelProgram *program)
{
    Emit e = {0};
    emit_begin(&e, c, program, EMIT_KERNELS);
    e.special = print_command;
    e.out = out;
    for (size_t i = program->entry_count; i < program->body_count; i++) {
        print_function(&e, &program->entries[i]);
    }
    for (size_t i = 0; i < program->entry_count; i++) {
        const KernelEntry *entry = &program->entries[i];
        bool is_alone = program->entry_count == 1 && entry->interface->parameter_count == 0;
        if (is_alone) {
            emit_block(&e, entry->body);
            continue;
        }
        emit_line(&e, "entry %s %s {", entry->interface->name, entry->interface->signature);
        print_body(&e, entry->body);
        emit_line(&e, "}");
    }
}

const char *kernel_command_text(Compilation *c, const KernelProgram *program,
                                const KernelCmd *command)
{
    Emit e = {0};
    Text text = text_create(c->arena);
    emit_begin(&e, c, program, EMIT_KERNELS);
    e.special = print_command;
    e.out = &text;
    print_command(&e, command);
    const char *line = text_get(&text);
    while (strncmp(line, "--", 2) == 0 && strchr(line, '\n')) { /* the place of a kernel */
        line = strchr(line, '\n') + 1;
    }
    return arena_text(c->arena, line, strcspn(line, "\n"));
}
