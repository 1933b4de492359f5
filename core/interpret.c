/* The interpreter: the definition of what a core program means. Every other way to run a program is
   compared with it.

   A program is compiled to instructions over slots (interpret_compile.c, interpret_liveness.c) and
   run: scalars (interpret_scalar.c), arrays and views (interpret_arrays.c, interpret_views.c),
   SOACs (interpret_soac.c), control and effects (interpret_control.c). A failure adds a diagnostic
   at the statement that runs and leaves by longjmp; whatever arrays there are then is freed here.

       core_interpret(c, program, "main", 0, NULL, &effects, 0) */
#include "core/interpret_machine.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_DEPTH = 4 * NESTING_LIMIT };

struct Slab {
    struct Slab *next;
};

_Noreturn void interpret_machine_fail(Machine *machine, const char *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    diagnostics_add_list(machine->c->diagnostics, machine->stm ? machine->stm->span : NO_SPAN,
                         error, format, arguments);
    va_end(arguments);
    longjmp(machine->failure, 1);
}

/* ---- running ------------------------------------------------------------------------------- */

static void give_up(Machine *machine, Cell *frame, size_t count, const int *slots)
{
    for (size_t i = 0; i < count; i++) {
        interpret_array_drop(machine, frame[slots[i]].array);
        frame[slots[i]].array = NULL;
    }
}

void interpret_machine_run(Machine *machine, const Code *code, Cell *frame, Cell *out)
{
    const CoreStm *outer = machine->stm;
    if (++machine->depth > MOST_DEPTH) {
        interpret_machine_fail(machine, "LIMIT ERROR", "calls and bodies nested too deeply");
    }
    if (code->dead_count) {
        give_up(machine, frame, code->dead_count, code->dead);
    }
    for (size_t i = 0; i < code->count; i++) {
        const Instruction *in = &code->instructions[i];
        machine->stm = in->stm;
        in->run(machine, in, frame);
        if (in->kill_count) {
            give_up(machine, frame, in->kill_count, in->kills);
        }
    }
    for (size_t i = 0; i < code->result_count; i++) {
        Cell *from = &frame[code->results[i]];
        out[i] = *from;
        if (code->passing[i] == PASS_SHARED) {
            array_retain(from->array);
        } else if (code->passing[i] == PASS_MOVED) {
            from->array = NULL;
        }
    }
    machine->stm = outer;
    machine->depth--;
}

Frame *interpret_machine_frame(Machine *machine, Routine *routine)
{
    Frame *frame = routine->idle;
    if (frame) {
        routine->idle = frame->next_free;
        return frame;
    }
    frame = malloc(sizeof *frame + routine->slot_count * sizeof(Cell));
    if (!frame) {
        interpret_machine_fail(machine, "WS FULL", "%zu bytes", routine->slot_count * sizeof(Cell));
    }
    if (routine->slot_count) {
        memcpy(frame->cells, routine->image, routine->slot_count * sizeof(Cell));
    }
    frame->next_free = NULL;
    frame->next = machine->frames;
    machine->frames = frame;
    return frame;
}

/* ---- messages ------------------------------------------------------------------------------ */

const char *interpret_machine_number(Machine *machine, int64_t value)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    return arena_printf(machine->c->arena, "%s%llu", value < 0 ? "\xC2\xAF" : "",
                        (unsigned long long)magnitude);
}

/* A number as it is printed: by the caller's formatting, where there is one. */
static void append_number(Machine *machine, Text *out, CorePrim prim, Cell cell)
{
    if (!core_is_real(prim)) {
        text_string(out, interpret_machine_number(machine, cell.whole));
        return;
    }
    if (!machine->effects->format) {
        text_printf(out, "%.10g", cell.real);
        return;
    }
    int64_t scalar, count = 0, digits = 10;
    uint32_t *text = NULL;
    interpret_cell_store(prim, &scalar, cell);
    CoreValue value = {prim, 0, NULL, &scalar}, how = {CORE_I64, 0, NULL, &digits};
    machine->effects->format(machine->effects->context, how, value, false, &count, &text);
    for (int64_t i = 0; i < count; i++) {
        text_codepoint(out, text[i]);
    }
    free(text);
}

void interpret_machine_fill_message(Machine *machine, Text *out, const CoreExp *assertion,
                                    const Cell *values)
{
    const char *message = assertion->as.assertion.message;
    for (size_t i = 0; i < assertion->as.assertion.value_count; i++) {
        const char *hole = strstr(message, "{}");
        if (!hole) {
            break;
        }
        text_append(out, message, (size_t)(hole - message));
        append_number(machine, out, core_atom_type(assertion->as.assertion.values[i]).prim,
                      values[i]);
        message = hole + 2;
    }
    text_string(out, message);
}

/* ---- in and out ---------------------------------------------------------------------------- */

static Cell cell_of_value(Machine *machine, CoreValue value)
{
    if (value.rank == 0) {
        return interpret_cell_load(value.prim, value.data);
    }
    Array *array = interpret_array_new(machine, value.prim, value.rank, value.shape);
    int64_t count = interpret_array_count(machine, array);
    if (count > 0) {
        memcpy(array_at(array, 0), value.data,
               (size_t)count * interpret_array_element_size(value.prim));
    }
    return (Cell){.array = array};
}

static CoreValue value_of_cell(Machine *machine, CoreType type, Cell cell)
{
    Arena *arena = machine->c->arena;
    if (type.rank == 0) {
        int64_t *scalar = ARENA_NEW(arena, int64_t);
        interpret_cell_store(type.prim, scalar, cell);
        return (CoreValue){type.prim, 0, NULL, scalar};
    }
    Array *hold;
    CoreValue value = interpret_array_value(machine, cell.array, &hold);
    size_t bytes =
        (size_t)interpret_array_count(machine, hold) * interpret_array_element_size(value.prim);
    value.shape = arena_copy(arena, value.shape, (size_t)value.rank * sizeof *value.shape);
    value.data = bytes ? arena_copy(arena, value.data, bytes) : arena_allocate(arena, 1);
    interpret_array_drop(machine, hold);
    interpret_array_drop(machine, cell.array);
    return value;
}

static void call_entry(Machine *machine, Routine *routine, const CoreValue *arguments,
                       CoreInterpretation *interpretation)
{
    const CoreFunction *function = routine->source;
    Frame *frame = interpret_machine_frame(machine, routine);
    for (size_t i = 0; i < function->parameter_count; i++) {
        frame->cells[routine->code->parameters + (int)i] = cell_of_value(machine, arguments[i]);
    }
    size_t count = function->result_count;
    Cell *results = ARENA_ARRAY(machine->c->arena, Cell, count + 1);
    interpret_machine_run(machine, routine->code, frame->cells, results);
    CoreValue *values = ARENA_ARRAY(machine->c->arena, CoreValue, count + 1);
    for (size_t i = 0; i < count; i++) {
        values[i] = value_of_cell(machine, function->result_types[i], results[i]);
    }
    interpretation->ok = true;
    interpretation->result_count = count;
    interpretation->results = values;
}

/* ---- the machine --------------------------------------------------------------------------- */

static size_t memory_size(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_size > 0 ? (size_t)pages * (size_t)page_size : SIZE_MAX / 2;
}

static void machine_destroy(Machine *machine)
{
    for (Block *block = machine->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    for (Frame *frame = machine->frames, *next; frame; frame = next) {
        next = frame->next;
        free(frame);
    }
    for (struct Slab *slab = machine->slabs, *next; slab; slab = next) {
        next = slab->next;
        free(slab);
    }
}

static Routine *find_entry(Compilation *c, const CoreProgram *program, Routine *routines,
                           const char *function, size_t argument_count)
{
    for (size_t i = 0; i < program->function_count; i++) {
        if (strcmp(program->functions[i]->name, function) != 0) {
            continue;
        }
        size_t wanted = program->functions[i]->parameter_count;
        if (wanted != argument_count) {
            diagnostics_add(c->diagnostics, program->functions[i]->span, "ERROR",
                            "%s takes %zu arguments, not %zu", function, wanted, argument_count);
            return NULL;
        }
        return &routines[i];
    }
    diagnostics_add(c->diagnostics, NO_SPAN, "ERROR", "there is no function %s", function);
    return NULL;
}

CoreInterpretation core_interpret(Compilation *c, const CoreProgram *program, const char *function,
                                  size_t argument_count, const CoreValue *arguments,
                                  const CoreEffects *effects, int64_t chunk)
{
    static const CoreEffects no_effects = {0};
    CoreInterpretation *interpretation = ARENA_NEW(c->arena, CoreInterpretation);
    int most_rank = 0;
    Routine *routines = interpret_compile(c, program, &most_rank);
    Routine *entry = routines ? find_entry(c, program, routines, function, argument_count) : NULL;
    if (!entry) {
        return *interpretation;
    }
    Machine *machine = ARENA_NEW(c->arena, Machine);
    machine->c = c;
    machine->effects = effects ? effects : &no_effects;
    machine->chunk = chunk;
    machine->most_bytes = memory_size();
    machine->most_rank = most_rank;
    machine->idle_arrays = ARENA_ARRAY(c->arena, Array *, most_rank + 1);
    machine->extents = ARENA_ARRAY(c->arena, int64_t, most_rank + 1);
    if (setjmp(machine->failure) == 0) {
        call_entry(machine, entry, arguments, interpretation);
    }
    machine_destroy(machine);
    return *interpretation;
}
