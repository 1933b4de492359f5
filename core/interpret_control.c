/* The interpreter's control: if, loops, calls, assertions, and the effects, which are the caller's.

       loop (a = a0, i = 0) while go do { ... }    parameters in consecutive slots; the body's
                                                   results go to temporaries first, then become
                                                   the parameters */
#include "core/interpret_machine.h"

#include <stdlib.h>

/* let b = a: another reference to the same array. A copy is the same, for arrays are copied when
   they are written and shared. */
static void run_array_atom(Machine *machine, const Instruction *in, Cell *frame)
{
    (void)machine;
    frame[in->result].array = take_operand(in, frame, 0);
}

static void run_atom(Machine *machine, const Instruction *in, Cell *frame)
{
    (void)machine;
    frame[in->result] = frame[in->x];
}

static void run_if(Machine *machine, const Instruction *in, Cell *frame)
{
    const Code *branch = in->bodies[frame[in->x].whole ? 0 : 1];
    interpret_machine_run(machine, branch, frame, frame + in->result);
}

static void run_loop(Machine *machine, const Instruction *in, Cell *frame)
{
    const CoreExp *exp = in->stm->exp;
    const Code *body = in->bodies[0];
    Cell *parameters = frame + body->parameters, *next = frame + in->temporaries;
    size_t count = body->parameter_count;
    for (size_t i = 0; i < count; i++) {
        if (exp->as.loop.parameters[i]->type.rank > 0) {
            parameters[i].array = take_operand(in, frame, i);
        } else {
            parameters[i] = frame[in->operands[i]];
        }
    }
    if (exp->as.loop.index) {
        int64_t bound = frame[in->x].whole;
        for (int64_t i = 0; i < bound; i++) {
            frame[in->y].whole = i;
            interpret_machine_run(machine, body, frame, next);
            memcpy(parameters, next, count * sizeof *next);
        }
    } else {
        while (frame[in->x].whole) {
            interpret_machine_run(machine, body, frame, next);
            memcpy(parameters, next, count * sizeof *next);
        }
    }
    memcpy(frame + in->result, parameters, count * sizeof *parameters);
}

static void run_apply(Machine *machine, const Instruction *in, Cell *frame)
{
    Routine *routine = in->routine;
    Frame *callee = interpret_machine_frame(machine, routine);
    Cell *parameters = callee->cells + routine->code->parameters;
    for (size_t i = 0; i < in->operand_count; i++) {
        if (routine->source->parameters[i]->type.rank > 0) {
            parameters[i].array = take_operand(in, frame, i);
        } else {
            parameters[i] = frame[in->operands[i]];
        }
    }
    interpret_machine_run(machine, routine->code, callee->cells, frame + in->result);
    callee->next_free = routine->idle;
    routine->idle = callee;
}

static void run_assert(Machine *machine, const Instruction *in, Cell *frame)
{
    if (frame[in->x].whole) {
        return;
    }
    const CoreExp *exp = in->stm->exp;
    Cell values[CORE_MOST_VALUES] = {{.whole = 0}};
    for (size_t i = 0; i < exp->as.assertion.value_count && i < CORE_MOST_VALUES; i++) {
        values[i] = frame[in->operands[i + 1]];
    }
    Text message = text_create(machine->c->arena);
    interpret_machine_fill_message(machine, &message, exp, values);
    if (exp->as.assertion.stage > 0) {
        interpret_machine_end_row(machine, text_get(&message));
    }
    interpret_machine_fail(machine, core_error_text(exp->as.assertion.error), "%s",
                           text_get(&message));
}

static void run_nothing(Machine *machine, const Instruction *in, Cell *frame)
{
    (void)machine, (void)in, (void)frame;
}

/* ---- effects ------------------------------------------------------------------------------- */

_Noreturn static void no_effect(Machine *machine, const char *what)
{
    interpret_machine_fail(machine, "DOMAIN ERROR", "%s is not possible here", what);
}

/* An operand as the caller sees it; a scalar is put into *scalar. The caller drops *hold. */
static CoreValue operand_value(Machine *machine, CoreAtom atom, Cell cell, int64_t *scalar,
                               Array **hold)
{
    CoreType type = core_atom_type(atom);
    *hold = NULL;
    if (type.rank > 0) {
        return interpret_array_value(machine, cell.array, hold);
    }
    interpret_cell_store(type.prim, scalar, cell);
    return (CoreValue){type.prim, 0, NULL, scalar};
}

static void run_print(Machine *machine, const Instruction *in, Cell *frame)
{
    int64_t scalar;
    Array *hold;
    if (!machine->effects->print) {
        no_effect(machine, "printing");
    }
    CoreValue value = operand_value(machine, in->stm->exp->as.atom, frame[in->x], &scalar, &hold);
    machine->effects->print(machine->effects->context, value,
                            in->stm->exp->kind == CORE_EXP_PRINT_COMPLEX);
    interpret_array_drop(machine, hold);
}

/* Takes over malloc'ed elements as the array of a pattern (its last `told` extents, array). */
static void bind_made(Machine *machine, const Instruction *in, Cell *frame, CorePrim prim, int rank,
                      const int64_t *shape, int told, void *data)
{
    Array *array = interpret_array_new(machine, prim, rank, shape);
    size_t count = 1;
    for (int k = 0; k < rank; k++) {
        count *= (size_t)shape[k];
    }
    if (count > 0) {
        memcpy(array_at(array, 0), data, count * interpret_array_element_size(prim));
    }
    free(data);
    for (int k = 0; k < told; k++) {
        frame[in->result + (size_t)k].whole = shape[rank - told + k];
    }
    frame[in->result + (size_t)told].array = array;
}

static int64_t *new_shape(Machine *machine, int rank)
{
    int64_t *shape = calloc((size_t)rank, sizeof *shape);
    if (!shape) {
        interpret_machine_fail(machine, "WS FULL", "%d extents", rank);
    }
    return shape;
}

static void run_read(Machine *machine, const Instruction *in, Cell *frame)
{
    if (!machine->effects->read) {
        no_effect(machine, "reading a file");
    }
    Array *hold;
    CoreValue file = interpret_array_value(machine, frame[in->x].array, &hold);
    Text name = text_create(machine->c->arena);
    for (int64_t i = 0; i < file.shape[0]; i++) {
        text_codepoint(&name, ((const uint32_t *)file.data)[i]);
    }
    interpret_array_drop(machine, hold);
    const CoreExp *exp = in->stm->exp;
    int64_t *shape = new_shape(machine, exp->as.read.rank);
    void *data = NULL;
    const char *error = "DOMAIN ERROR", *problem = "";
    if (!machine->effects->read(machine->effects->context, exp->as.read.format, exp->as.read.prim,
                                exp->as.read.rank, text_get(&name), shape, &data, &error,
                                &problem)) {
        free(shape);
        interpret_machine_fail(machine, error, "%s", problem);
    }
    bind_made(machine, in, frame, exp->as.read.prim, exp->as.read.rank, shape, exp->as.read.rank,
              data);
    free(shape);
}

static void run_argument(Machine *machine, const Instruction *in, Cell *frame)
{
    const CoreExp *exp = in->stm->exp;
    int64_t fallback = 0, result = 0;
    const char *problem = "";
    if (!machine->effects->argument) {
        no_effect(machine, "a program argument");
    }
    interpret_cell_store(exp->as.argument.prim, &fallback, frame[in->x]);
    CoreValue value = {exp->as.argument.prim, 0, NULL, &fallback};
    if (!machine->effects->argument(machine->effects->context, exp->as.argument.prim,
                                    exp->as.argument.name, value, &result, &problem)) {
        interpret_machine_fail(machine, "DOMAIN ERROR", "%s", problem);
    }
    frame[in->result] = interpret_cell_load(exp->as.argument.prim, &result);
}

static void run_now(Machine *machine, const Instruction *in, Cell *frame)
{
    if (!machine->effects->now) {
        no_effect(machine, "the clock");
    }
    frame[in->result].whole = machine->effects->now(machine->effects->context);
}

static void run_draws(Machine *machine, const Instruction *in, Cell *frame)
{
    if (!machine->effects->draws) {
        no_effect(machine, "a random draw");
    }
    frame[in->result].whole =
        machine->effects->draws(machine->effects->context, frame[in->x].whole);
}

static void run_seed(Machine *machine, const Instruction *in, Cell *frame)
{
    if (!machine->effects->seed) {
        no_effect(machine, "setting the seed");
    }
    machine->effects->seed(machine->effects->context, frame[in->x].whole);
}

static void run_seed_now(Machine *machine, const Instruction *in, Cell *frame)
{
    if (!machine->effects->seed_now) {
        no_effect(machine, "the seed");
    }
    frame[in->result].whole = machine->effects->seed_now(machine->effects->context);
}

static void run_bench(Machine *machine, const Instruction *in, Cell *frame)
{
    if (!machine->effects->bench) {
        no_effect(machine, "a benchmark");
    }
    machine->effects->bench(machine->effects->context, frame[in->x].whole, frame[in->y].whole);
}

static void run_precision(Machine *machine, const Instruction *in, Cell *frame)
{
    if (!machine->effects->precision) {
        no_effect(machine, "setting the precision");
    }
    machine->effects->precision(machine->effects->context, frame[in->x].whole);
}

static void run_precision_now(Machine *machine, const Instruction *in, Cell *frame)
{
    if (!machine->effects->precision_now) {
        no_effect(machine, "the precision");
    }
    frame[in->result].whole = machine->effects->precision_now(machine->effects->context);
}

/* As a large device would say, so that what is made for such can be tried. */
static void run_device(Machine *machine, const Instruction *in, Cell *frame)
{
    (void)machine;
    bool lanes = strcmp(in->stm->exp->as.device, CORE_DEVICE_LANES) == 0;
    frame[in->result].whole = lanes ? 32 : 1 << 30;
}

static void run_format(Machine *machine, const Instruction *in, Cell *frame)
{
    const CoreExp *exp = in->stm->exp;
    int64_t scalars[2];
    Array *holds[2];
    uint32_t *text = NULL;
    if (!machine->effects->format) {
        no_effect(machine, "formatting");
    }
    CoreValue how =
        operand_value(machine, exp->as.format.how, frame[in->x], &scalars[0], &holds[0]);
    CoreValue value =
        operand_value(machine, exp->as.format.array, frame[in->y], &scalars[1], &holds[1]);
    int64_t columns = 0;
    bool is_complex = exp->as.format.is_complex;
    int first = is_complex ? 1 : 0, rank = value.rank - first > 1 ? value.rank - first : 1;
    int64_t *shape = new_shape(machine, rank);
    machine->effects->format(machine->effects->context, how, value, is_complex, &columns, &text);
    for (int k = 0; k + 1 < rank; k++) {
        shape[k] = value.shape[first + k];
    }
    shape[rank - 1] = columns;
    bind_made(machine, in, frame, CORE_CHAR, rank, shape, 1, text);
    free(shape);
    interpret_array_drop(machine, holds[0]);
    interpret_array_drop(machine, holds[1]);
}

Run *interpret_control_run(const CoreExp *exp)
{
    switch (exp->kind) {
    case CORE_EXP_ATOM: return core_atom_type(exp->as.atom).rank > 0 ? run_array_atom : run_atom;
    case CORE_EXP_COPY: return run_array_atom;
    case CORE_EXP_IF: return run_if;
    case CORE_EXP_LOOP: return run_loop;
    case CORE_EXP_APPLY: return run_apply;
    case CORE_EXP_ASSERT: return run_assert;
    case CORE_EXP_CONJOIN: return run_nothing;
    case CORE_EXP_PRINT:
    case CORE_EXP_PRINT_COMPLEX: return run_print;
    case CORE_EXP_READ: return run_read;
    case CORE_EXP_ARGUMENT: return run_argument;
    case CORE_EXP_NOW: return run_now;
    case CORE_EXP_DRAWS: return run_draws;
    case CORE_EXP_SEED: return run_seed;
    case CORE_EXP_SEED_NOW: return run_seed_now;
    case CORE_EXP_BENCH: return run_bench;
    case CORE_EXP_PRECISION: return run_precision;
    case CORE_EXP_PRECISION_NOW: return run_precision_now;
    case CORE_EXP_DEVICE: return run_device;
    case CORE_EXP_FORMAT: return run_format;
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_INDEX:
    case CORE_EXP_UPDATE:
    case CORE_EXP_LITERAL:
    case CORE_EXP_IOTA:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_SCRATCH:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_SLICE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD:
    case CORE_EXP_SOAC:
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER:
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST:
    case CORE_EXP_ORDER:
    case CORE_EXP_DIGIT_SORT:
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: break;
    }
    return NULL;
}
