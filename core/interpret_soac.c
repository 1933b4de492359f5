/* The interpreter's SOACs: row by row, in order.

       redomap (+) (\x -> x*x) 0 xs    for each row: run the map's body, then the reduction's on the
                                       accumulator (kept in the pattern's slot) and the result

   Streams take chunks of machine->chunk rows [PLDI 2.4]: any chunking must give the same result,
   which tests use to find streams that do not. */
#include "core/interpret_machine.h"

#include <stdlib.h>

/* Operand k (a constant, or a name used elsewhere too) as an owned cell. */
static Cell shared_operand(const Instruction *in, const Cell *frame, size_t k, bool is_array)
{
    Cell cell = frame[in->operands[k]];
    if (is_array) {
        array_retain(cell.array);
    }
    return cell;
}

static bool lambda_is_array(const CoreLambda *lambda, size_t parameter)
{
    return lambda->parameters[parameter]->type.rank > 0;
}

/* Row i of the inputs, operands `first` and following, becomes the lambda's parameters from `to`
 * on. */
static void feed_rows(Machine *machine, const Instruction *in, Cell *frame, size_t first,
                      size_t count, int64_t i, int to)
{
    for (size_t k = 0; k < count; k++) {
        frame[to + (int)k] = interpret_array_row(machine, operand_array(in, frame, first + k), i);
    }
}

static void check_width(Machine *machine, const Instruction *in, const Cell *frame, size_t first,
                        size_t count, int64_t width)
{
    for (size_t k = 0; k < count; k++) {
        int64_t rows = operand_array(in, frame, first + k)->extents[0];
        if (rows != width) {
            interpret_machine_fail(machine, "LENGTH ERROR", "%s and %s",
                                   interpret_machine_number(machine, width),
                                   interpret_machine_number(machine, rows));
        }
    }
}

/* Result `k` of the pattern, an array of rows: row i := cell (given up). Made at its first row. */
static void store_row(Machine *machine, const Instruction *in, Cell *frame, size_t k, int64_t width,
                      int64_t i, Cell cell)
{
    const CoreType *type = &in->stm->pattern[k]->type;
    Cell *result = &frame[in->result + (int)k];
    Array *row = type->rank > 1 ? cell.array : NULL;
    if (i == 0) {
        result->array = interpret_array_of_rows(machine, type, width, row, in->sizes[k], frame);
    }
    interpret_array_set_row(machine, result->array, i, cell);
    interpret_array_drop(machine, row);
}

/* An array result of no rows at all. */
static void store_none(Machine *machine, const Instruction *in, Cell *frame, size_t k)
{
    frame[in->result + (int)k].array =
        interpret_array_of_rows(machine, &in->stm->pattern[k]->type, 0, NULL, in->sizes[k], frame);
}

/* accumulators := function(accumulators, values), all owned; `scratch` has room for the results. */
static void accumulate(Machine *machine, const Code *function, Cell *frame, Cell *accumulators,
                       const Cell *values, Cell *scratch)
{
    size_t count = function->parameter_count / 2;
    Cell *parameters = frame + function->parameters;
    memcpy(parameters, accumulators, count * sizeof *parameters);
    memcpy(parameters + count, values, count * sizeof *parameters);
    interpret_machine_run(machine, function, frame, scratch);
    memcpy(accumulators, scratch, count * sizeof *scratch);
}

/* Initial accumulators: those of reductions in the pattern's first slots, those of scans in
 * `scans`. */
static void begin_accumulators(const Instruction *in, Cell *frame, const CoreSoac *soac,
                               Cell *scans)
{
    size_t operand = 1 + soac->input_count, result = 0, scan = 0;
    for (size_t i = 0; i < soac->reduction_count + soac->scan_count; i++) {
        bool reduces = i < soac->reduction_count;
        const CoreLambda *function = reduces ? soac->reductions[i].function
                                             : soac->scans[i - soac->reduction_count].function;
        for (size_t k = 0; k < function->parameter_count / 2; k++) {
            Cell cell = shared_operand(in, frame, operand++, lambda_is_array(function, k));
            if (reduces) {
                frame[in->result + (int)result++] = cell;
            } else {
                scans[scan++] = cell;
            }
        }
    }
}

/* The scans' step for row i: accumulators move on, and a copy of them is stored. */
static size_t scan_row(Machine *machine, const Instruction *in, Cell *frame, const CoreSoac *soac,
                       size_t result, int64_t width, int64_t i, Cell *values, Cell *scans,
                       Cell *scratch)
{
    size_t start = result;
    for (size_t s = 0; s < soac->scan_count; s++) {
        const Code *code = in->bodies[1 + soac->reduction_count + s];
        size_t count = code->parameter_count / 2;
        accumulate(machine, code, frame, scans, values + (result - start), scratch);
        for (size_t k = 0; k < count; k++, result++) {
            Cell cell = scans[k];
            if (in->stm->pattern[result]->type.rank > 1) {
                array_retain(cell.array);
            }
            store_row(machine, in, frame, result, width, i, cell);
        }
        scans += count;
    }
    return result;
}

static void finish_soac(Machine *machine, const Instruction *in, Cell *frame, const CoreSoac *soac,
                        size_t reduced, int64_t width, const Cell *scans)
{
    for (size_t k = reduced; k < in->stm->pattern_count && width == 0; k++) {
        store_none(machine, in, frame, k);
    }
    for (size_t s = 0; s < soac->scan_count; s++) {
        const CoreLambda *function = soac->scans[s].function;
        for (size_t k = 0; k < function->parameter_count / 2; k++, scans++) {
            if (lambda_is_array(function, k)) {
                interpret_array_drop(machine, scans->array);
            }
        }
    }
}

/* ---- stages of assertions ---------------------------------------------------------------------- */

void interpret_machine_end_row(Machine *machine, const char *message)
{
    RowInStages *row = machine->row;
    if (row) {
        if (!row->failed ||
            machine->stm->exp->as.assertion.stage < row->failed->exp->as.assertion.stage) {
            row->failed = machine->stm;
            row->message = message;
        }
        longjmp(row->end, 1);
    }
}

/* Whether the function has run to its end for a row. The arrays of one that has not are freed with the machine. */
static bool run_in_stages(Machine *machine, const Code *map, Cell *frame, Cell *values)
{
    const CoreStm *stm = machine->stm;
    const int depth = machine->depth;
    if (setjmp(machine->row->end) == 0) {
        interpret_machine_run(machine, map, frame, values);
        return true;
    }
    machine->stm = stm;
    machine->depth = depth;
    return false;
}

/* Values of row i by the map's function. A row whose assertion of a later stage fails has none, nor have those behind it: they
   are asked only whether one of a lesser stage fails in them, and then the SOAC fails. */
static void run_map(Machine *machine, const Instruction *in, Cell *frame, int64_t i, int64_t width,
                    Cell *values)
{
    const Code *map = in->bodies[0];
    if (machine->row == NULL) {
        interpret_machine_run(machine, map, frame, values);
        return;
    }
    bool whole = run_in_stages(machine, map, frame, values);
    if (whole) {
        return;
    }
    while (++i < width) {
        feed_rows(machine, in, frame, 1, in->stm->exp->as.soac.input_count, i, map->parameters);
        run_in_stages(machine, map, frame, values);
    }
    machine->stm = machine->row->failed;
    interpret_machine_fail(machine, core_error_text(machine->row->failed->exp->as.assertion.error),
                           "%s", machine->row->message);
}

static void run_soac(Machine *machine, const Instruction *in, Cell *frame)
{
    const CoreSoac *soac = &in->stm->exp->as.soac;
    const Code *map = in->bodies[0];
    Cell *values = frame + in->temporaries, *scans = values + map->result_count;
    int64_t width = frame[in->x].whole < 0 ? 0 : frame[in->x].whole;
    size_t reduced = 0, scanned = 0;
    for (size_t i = 0; i < soac->reduction_count + soac->scan_count; i++) {
        size_t count = in->bodies[1 + i]->parameter_count / 2;
        reduced += i < soac->reduction_count ? count : 0;
        scanned += i < soac->reduction_count ? 0 : count;
    }
    check_width(machine, in, frame, 1, soac->input_count, width);
    begin_accumulators(in, frame, soac, scans);
    RowInStages row = {.failed = NULL}, *outer = machine->row;
    machine->row = in->in_stages ? &row : NULL;
    for (int64_t i = 0; i < width; i++) {
        feed_rows(machine, in, frame, 1, soac->input_count, i, map->parameters);
        run_map(machine, in, frame, i, width, values);
        size_t result = 0;
        for (size_t r = 0; r < soac->reduction_count; r++) {
            accumulate(machine, in->bodies[1 + r], frame, frame + in->result + result,
                       values + result, scans + scanned);
            result += in->bodies[1 + r]->parameter_count / 2;
        }
        result = scan_row(machine, in, frame, soac, result, width, i, values + result, scans,
                          scans + scanned);
        for (; result < map->result_count; result++) {
            store_row(machine, in, frame, result, width, i, values[result]);
        }
    }
    machine->row = outer;
    finish_soac(machine, in, frame, soac, reduced, width, scans);
}

/* There is room for all rows behind the operation, too. */
static bool compacts(const Instruction *in)
{
    return in->stm->exp->kind == CORE_EXP_COMPACT;
}

/* (m, ys ...) = filter p xs ..., where the predicate gives what is kept of a row. The arrays have room for all rows: it is computed
   row by row, and how many are kept shows in the end. */
static void run_computing_filter(Machine *machine, const Instruction *in, Cell *frame)
{
    const Code *predicate = in->bodies[0];
    int64_t width = frame[in->x].whole < 0 ? 0 : frame[in->x].whole, kept = 0;
    size_t inputs = in->operand_count - 1, count = predicate->result_count - 1;
    const Cell *values = frame + in->temporaries;
    check_width(machine, in, frame, 1, inputs, width);
    for (size_t k = 0; k < count; k++) {
        frame[in->result + 1 + (int)k].array =
            interpret_array_new(machine, in->stm->pattern[1 + k]->type.prim, 1, &width);
    }
    for (int64_t i = 0; i < width; i++) {
        feed_rows(machine, in, frame, 1, inputs, i, predicate->parameters);
        interpret_machine_run(machine, predicate, frame, frame + in->temporaries);
        for (size_t k = 0; k < count && values[0].whole; k++) {
            interpret_array_set_row(machine, frame[in->result + 1 + (int)k].array, kept,
                                    values[1 + k]);
        }
        kept += values[0].whole != 0;
    }
    frame[in->result].whole = kept;
    for (size_t k = 0; k < count && !compacts(in); k++) {
        frame[in->result + 1 + (int)k].array->extents[0] = kept;
    }
}

/* (m, ys ...) = filter p xs ...: first the chosen rows' numbers, then the rows. */
static void run_filter(Machine *machine, const Instruction *in, Cell *frame)
{
    const Code *predicate = in->bodies[0];
    if (predicate->result_count > 1) {
        run_computing_filter(machine, in, frame);
        return;
    }
    int64_t width = frame[in->x].whole < 0 ? 0 : frame[in->x].whole, kept = 0;
    size_t inputs = in->operand_count - 1;
    check_width(machine, in, frame, 1, inputs, width);
    Array *chosen = interpret_array_new(machine, CORE_I64, 1, &width);
    int64_t *rows = array_at(chosen, 0);
    for (int64_t i = 0; i < width; i++) {
        feed_rows(machine, in, frame, 1, inputs, i, predicate->parameters);
        interpret_machine_run(machine, predicate, frame, frame + in->temporaries);
        if (frame[in->temporaries].whole) {
            rows[kept++] = i;
        }
    }
    frame[in->result].whole = kept;
    for (size_t k = 0; k < inputs; k++) {
        const Array *input = operand_array(in, frame, 1 + k);
        memcpy(machine->extents, input->extents, (size_t)input->rank * sizeof(int64_t));
        machine->extents[0] = compacts(in) ? width : kept;
        Array *result = interpret_array_new(machine, input->prim, input->rank, machine->extents);
        for (int64_t i = 0; i < kept; i++) {
            Cell row = interpret_array_row(machine, input, rows[i]);
            interpret_array_set_row(machine, result, i, row);
            if (input->rank > 1) {
                interpret_array_drop(machine, row.array);
            }
        }
        frame[in->result + 1 + (int)k].array = result;
    }
    interpret_array_drop(machine, chosen);
}

/* Row `at` of the destinations becomes the first parameters of a histogram's operator: copies,
   since the results may be any of them while the rows are written. */
static void feed_old_rows(Machine *machine, Cell *frame, int to, size_t count, const Cell *arrays,
                          int64_t at)
{
    for (size_t k = 0; k < count; k++) {
        Cell row = interpret_array_row(machine, arrays[k].array, at);
        if (arrays[k].array->rank > 1) {
            row.array = interpret_array_owned(machine, row.array);
        }
        frame[to + (int)k] = row;
    }
}

/* dest[is[i]] := vs[i], in order; indices outside are ignored. HIST: dest[is[i]] := op(dest[is[i]],
   vs[i]). */
static void run_scatter(Machine *machine, const Instruction *in, Cell *frame)
{
    size_t count = in->stm->exp->as.scatter.count;
    const Code *op = in->body_count ? in->bodies[0] : NULL;
    int64_t width = frame[in->x].whole;
    const Array *indices = operand_array(in, frame, 1);
    check_width(machine, in, frame, 1, 1, width);
    check_width(machine, in, frame, 2 + count, count, width);
    Cell *results = frame + in->result, *values = frame + in->temporaries;
    for (size_t k = 0; k < count; k++) {
        results[k].array = interpret_array_owned(machine, take_operand(in, frame, 2 + k));
    }
    for (int64_t i = 0; i < width; i++) {
        int64_t at = interpret_array_row(machine, indices, i).whole;
        if (at < 0 || at >= results[0].array->extents[0]) {
            continue;
        }
        if (op) {
            feed_old_rows(machine, frame, op->parameters, count, results, at);
            feed_rows(machine, in, frame, 2 + count, count, i, op->parameters + (int)count);
            interpret_machine_run(machine, op, frame, values);
        }
        for (size_t k = 0; k < count; k++) {
            Cell row =
                op ? values[k]
                   : interpret_array_row(machine, operand_array(in, frame, 2 + count + k), i);
            interpret_array_set_row(machine, results[k].array, at, row);
            if (results[k].array->rank > 1) {
                interpret_array_drop(machine, row.array);
            }
        }
    }
}

/* ---- sorts --------------------------------------------------------------------------------- */

typedef void SortRow(Machine *machine, const int64_t *keys, int64_t width, int64_t *sorted,
                     int64_t how);

/* Each row of operand 0. */
static void sort_rows(Machine *machine, const Instruction *in, Cell *frame, SortRow *sort,
                      int64_t how)
{
    Array *keys = interpret_array_packed(machine, take_operand(in, frame, 0));
    Array *sorted = interpret_array_new(machine, CORE_I64, keys->rank, keys->extents);
    int64_t width = keys->extents[keys->rank - 1], count = interpret_array_count(machine, keys);
    for (int64_t at = 0; at < count; at += width) {
        sort(machine, array_at(keys, at), width, array_at(sorted, at), how);
    }
    interpret_array_drop(machine, keys);
    frame[in->result].array = sorted;
}

/* Counting sort: where the next key of each digit goes. */
static void sort_by_digit(Machine *machine, const int64_t *keys, int64_t width, int64_t *sorted,
                          int64_t digit)
{
    int64_t next[CORE_DIGITS + 1] = {0};
    int64_t shift = (digit & (CORE_I64_DIGITS - 1)) * CORE_DIGIT_BITS;
    (void)machine;
    for (int64_t i = 0; i < width; i++) {
        next[((uint64_t)keys[i] >> shift) % CORE_DIGITS + 1]++;
    }
    for (size_t d = 1; d < CORE_DIGITS; d++) {
        next[d] += next[d - 1];
    }
    for (int64_t i = 0; i < width; i++) {
        sorted[next[((uint64_t)keys[i] >> shift) % CORE_DIGITS]++] = keys[i];
    }
}

typedef struct NumberedKey {
    int64_t key, number;
} NumberedKey;

static int by_key_and_number(const void *a, const void *b)
{
    const NumberedKey *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : (x->number > y->number) * 2 - 1;
}

static void order_of_row(Machine *machine, const int64_t *keys, int64_t width, int64_t *order,
                         int64_t how)
{
    int64_t size = 2 * width;
    Array *room = interpret_array_new(machine, CORE_I64, 1, &size);
    NumberedKey *numbered = array_at(room, 0);
    (void)how;
    for (int64_t i = 0; i < width; i++) {
        numbered[i] = (NumberedKey){keys[i], i};
    }
    qsort(numbered, (size_t)width, sizeof *numbered, by_key_and_number);
    for (int64_t i = 0; i < width; i++) {
        order[i] = numbered[i].number;
    }
    interpret_array_drop(machine, room);
}

static void run_digit_sort(Machine *machine, const Instruction *in, Cell *frame)
{
    sort_rows(machine, in, frame, sort_by_digit, frame[in->operands[1]].whole);
}

static void run_order(Machine *machine, const Instruction *in, Cell *frame)
{
    sort_rows(machine, in, frame, order_of_row, 0);
}

/* ---- streams ------------------------------------------------------------------------------- */

/* Rows start .. start+count of mapped result k := chunk (given up). */
static void store_chunk(Machine *machine, const Instruction *in, Cell *frame, size_t k,
                        int64_t width, int64_t start, int64_t count, Array *chunk)
{
    const CoreType *type = &in->stm->pattern[k]->type;
    Cell *result = &frame[in->result + (int)k];
    if (chunk->extents[0] != count) {
        interpret_machine_fail(machine, "LENGTH ERROR", "a chunk of %s rows gave %s",
                               interpret_machine_number(machine, count),
                               interpret_machine_number(machine, chunk->extents[0]));
    }
    if (start == 0) {
        memcpy(machine->extents, chunk->extents, (size_t)type->rank * sizeof(int64_t));
        machine->extents[0] = width;
        result->array = interpret_array_new(machine, type->prim, type->rank, machine->extents);
    }
    Array *rows = interpret_array_rows(machine, result->array, start, count);
    interpret_array_copy(machine, rows, chunk);
    interpret_array_drop(machine, rows);
    interpret_array_drop(machine, chunk);
}

/* Runs the fold on rows start .. start+count: accumulators come from the pattern's slots (SEQ,
   moved) or are the neutral ones (RED); results go to the temporaries. */
static void fold_chunk(Machine *machine, const Instruction *in, Cell *frame, int64_t start,
                       int64_t count)
{
    const CoreExp *exp = in->stm->exp;
    const CoreLambda *lambda = exp->as.stream.fold;
    size_t inputs = exp->as.stream.input_count, accumulators = exp->as.stream.accumulator_count;
    Cell *parameters = frame + in->bodies[0]->parameters;
    parameters[0].whole = count;
    for (size_t k = 0; k < accumulators; k++) {
        parameters[1 + k] =
            exp->kind == CORE_EXP_STREAM_SEQ
                ? frame[in->result + (int)k]
                : shared_operand(in, frame, 1 + inputs + k, lambda_is_array(lambda, 1 + k));
    }
    for (size_t k = 0; k < inputs; k++) {
        parameters[1 + accumulators + k].array =
            interpret_array_rows(machine, operand_array(in, frame, 1 + k), start, count);
    }
    interpret_machine_run(machine, in->bodies[0], frame, frame + in->temporaries);
}

static void run_stream(Machine *machine, const Instruction *in, Cell *frame)
{
    const CoreExp *exp = in->stm->exp;
    size_t inputs = exp->as.stream.input_count, accumulators = exp->as.stream.accumulator_count;
    int64_t width = frame[in->x].whole < 0 ? 0 : frame[in->x].whole;
    int64_t chunk = machine->chunk > 0 ? machine->chunk : width;
    Cell *results = frame + in->temporaries;
    check_width(machine, in, frame, 1, inputs, width);
    for (size_t k = 0; k < accumulators; k++) {
        frame[in->result + (int)k] =
            shared_operand(in, frame, 1 + inputs + k, lambda_is_array(exp->as.stream.fold, 1 + k));
    }
    for (int64_t start = 0; start < width; start += chunk) {
        int64_t count = width - start < chunk ? width - start : chunk;
        fold_chunk(machine, in, frame, start, count);
        for (size_t k = accumulators; k < in->stm->pattern_count; k++) {
            store_chunk(machine, in, frame, k, width, start, count, results[k].array);
        }
        if (exp->kind == CORE_EXP_STREAM_RED) {
            Cell *parameters = frame + in->bodies[1]->parameters;
            memcpy(parameters, frame + in->result, accumulators * sizeof *parameters);
            memcpy(parameters + accumulators, results, accumulators * sizeof *parameters);
            interpret_machine_run(machine, in->bodies[1], frame, frame + in->result);
        } else {
            memcpy(frame + in->result, results, accumulators * sizeof *results);
        }
    }
    for (size_t k = accumulators; k < in->stm->pattern_count && width == 0; k++) {
        store_none(machine, in, frame, k);
    }
}

Run *interpret_soac_run(CoreExpKind kind)
{
    static Run *const runs[CORE_EXP_FORMAT + 1] = {
        [CORE_EXP_SOAC] = run_soac,
        [CORE_EXP_FILTER] = run_filter,
        [CORE_EXP_COMPACT] = run_filter,
        [CORE_EXP_SCATTER] = run_scatter,
        [CORE_EXP_HIST] = run_scatter,
        [CORE_EXP_ORDER] = run_order,
        [CORE_EXP_DIGIT_SORT] = run_digit_sort,
        [CORE_EXP_STREAM_MAP] = run_stream,
        [CORE_EXP_STREAM_RED] = run_stream,
        [CORE_EXP_STREAM_SEQ] = run_stream,
    };
    return runs[kind];
}
