/* SOACs as sequential loops, and the choice between those and kernels.

       let (s, ys) = redomap ...      ==>    s = neutral
                                             FOR i < n { x = xs[i]; ...; s = op(s, t); ys[i] = u }

   [DPIA 4.2] mapI and reduceI as for-loops, all parts of one SOAC node in the same loop. On the
   host of a parallel program such a loop's body is lowered as host code again, so that what is
   parallel inside it still becomes kernels. */
#include "backend/lower/lower.h"

bool lower_is_cheap(const CoreExp *exp)
{
    if (core_is_view(exp->kind)) {
        return true;
    }
    return exp->kind == CORE_EXP_ATOM || exp->kind == CORE_EXP_UNARY ||
           exp->kind == CORE_EXP_BINARY || exp->kind == CORE_EXP_CONVERT;
}

size_t lower_width(const CoreReduction *reduction)
{
    return reduction->function->body->result_count;
}

void lower_apply(Lower *L, const CoreLambda *lambda, const Value *arguments,
                 const Reader *const *wanted, Value *results)
{
    for (size_t k = 0; k < lambda->parameter_count; k++) {
        lower_bind(L, lambda->parameters[k], arguments[k]);
    }
    lower_body(L, lambda->body, wanted, results);
}

void lower_bind_rows(Lower *L, const CoreLambda *lambda, size_t first, size_t count,
                     const CoreAtom *inputs, const KernelExp *index)
{
    for (size_t k = 0; k < count; k++) {
        CoreName *parameter = lambda->parameters[first + k];
        const Reader *input = lower_array(L, inputs[k]);
        if (parameter->type.rank == 0) {
            lower_bind_scalar(L, parameter, lower_read(L, input, &index));
        } else {
            lower_bind_array(L, parameter, lower_row(L, input, 1, &index));
        }
    }
}

/* ---- accumulators -----------------------------------------------------------------------------
 */

bool lower_scalar_operator(const CoreReduction *reduction)
{
    for (size_t k = 0; k < reduction->function->parameter_count; k++) {
        if (reduction->function->parameters[k]->type.rank > 0) {
            return false;
        }
    }
    return true;
}

void lower_accumulators(Lower *L, const CoreReduction *reduction, Accumulator *accumulators)
{
    for (size_t k = 0; k < lower_width(reduction); k++) {
        const CoreName *parameter = reduction->function->parameters[k];
        CoreType type = parameter->type;
        Accumulator accumulator = {.type = type};
        if (type.rank == 0) {
            accumulator.scalar =
                kernel_variable(L->c, "total", lower_prim(type.prim), KERNEL_SCALAR, L->b->span);
            kernel_declare(L->b, accumulator.scalar, lower_scalar(L, reduction->neutral[k]));
        } else {
            KernelExps shape = lower_array(L, reduction->neutral[k])->shape;
            accumulator.store = lower_allocate(L, "total", type.prim, type.rank, shape);
            accumulator.fresh = lower_allocate(L, "next", type.prim, type.rank, shape);
            lower_assign(L, accumulator.store, lower_value(L, reduction->neutral[k]), "total");
        }
        accumulators[k] = accumulator;
    }
}

Value lower_accumulated(Lower *L, const Accumulator *accumulator)
{
    Value value = {0};
    if (accumulator->scalar != NULL) {
        value.scalar = kernel_use(L->c, accumulator->scalar);
    } else {
        value.array = accumulator->store;
    }
    return value;
}

static bool is_another(const Accumulator *accumulators, size_t count, size_t but,
                       const KernelExp *value)
{
    for (size_t k = 0; k < count; k++) {
        if (k != but && value->kind == KERNEL_VARIABLE &&
            accumulators[k].scalar == value->as.variable) {
            return true;
        }
    }
    return false;
}

/* All new values are there before any accumulator changes. */
static void set_accumulators(Lower *L, size_t count, const Accumulator *accumulators, Value *values)
{
    for (size_t k = 0; k < count; k++) {
        if (accumulators[k].scalar != NULL &&
            is_another(accumulators, count, k, values[k].scalar)) {
            KernelVariable *saved =
                kernel_variable(L->c, "next", values[k].scalar->prim, KERNEL_SCALAR, L->b->span);
            kernel_declare(L->b, saved, values[k].scalar);
            values[k].scalar = kernel_use(L->c, saved);
        }
    }
    for (size_t k = 0; k < count; k++) {
        if (accumulators[k].scalar != NULL) {
            kernel_assign(L->b, accumulators[k].scalar, values[k].scalar);
        } else {
            Value fresh = {.array = accumulators[k].fresh};
            lower_assign(L, accumulators[k].store, fresh, "total");
        }
    }
}

void lower_accumulate(Lower *L, const CoreReduction *reduction, Accumulator *accumulators,
                      const Value *operands)
{
    Arena *arena = L->c->arena;
    size_t count = lower_width(reduction);
    Value *arguments = ARENA_ARRAY(arena, Value, 2 * count + 1);
    Value *results = ARENA_ARRAY(arena, Value, count + 1);
    const Reader **wanted = ARENA_ARRAY(arena, const Reader *, count + 1);
    for (size_t k = 0; k < count; k++) {
        arguments[k] = lower_accumulated(L, &accumulators[k]);
        arguments[count + k] = operands[k];
        wanted[k] = accumulators[k].fresh;
    }
    lower_apply(L, reduction->function, arguments, wanted, results);
    set_accumulators(L, count, accumulators, results);
}

/* ---- one loop ---------------------------------------------------------------------------------
 */

static Accumulator **all_accumulators(Lower *L, size_t count, const CoreReduction *reductions)
{
    Accumulator **all = ARENA_ARRAY(L->c->arena, Accumulator *, count + 1);
    for (size_t i = 0; i < count; i++) {
        all[i] = ARENA_ARRAY(L->c->arena, Accumulator, lower_width(&reductions[i]) + 1);
        lower_accumulators(L, &reductions[i], all[i]);
    }
    return all;
}

static size_t total_width(size_t count, const CoreReduction *reductions)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += lower_width(&reductions[i]);
    }
    return total;
}

void lower_soac_sequential(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    Arena *arena = L->c->arena;
    size_t reduced = total_width(soac->reduction_count, soac->reductions);
    size_t scanned = total_width(soac->scan_count, soac->scans);
    Accumulator **totals = all_accumulators(L, soac->reduction_count, soac->reductions);
    Accumulator **running = all_accumulators(L, soac->scan_count, soac->scans);
    const Reader **places = ARENA_ARRAY(arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = reduced; k < stm->pattern_count; k++) {
        places[k] = lower_place(L, stm->pattern[k]);
    }
    const KernelExp *width = lower_scalar(L, soac->width);
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_MAP, "i", width);
    const Reader **rows = ARENA_ARRAY(arena, const Reader *, stm->pattern_count + 1);
    const Reader **wanted = ARENA_ARRAY(arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = reduced; k < stm->pattern_count; k++) {
        rows[k] = lower_row(L, places[k], 1, &loop.index);
        wanted[k] = k >= reduced + scanned ? rows[k] : NULL;
    }
    lower_bind_rows(L, soac->map, 0, soac->input_count, soac->inputs, loop.index);
    Value *operands = ARENA_ARRAY(arena, Value, stm->pattern_count + 1);
    lower_body(L, soac->map->body, wanted, operands);
    size_t at = 0;
    for (size_t i = 0; i < soac->reduction_count; at += lower_width(&soac->reductions[i]), i++) {
        lower_accumulate(L, &soac->reductions[i], totals[i], operands + at);
    }
    for (size_t i = 0; i < soac->scan_count; i++) {
        lower_accumulate(L, &soac->scans[i], running[i], operands + at);
        for (size_t k = 0; k < lower_width(&soac->scans[i]); k++, at++) {
            lower_assign(L, rows[at], lower_accumulated(L, &running[i][k]), stm->pattern[at]->text);
        }
    }
    lower_loop_end(L, &loop);
    at = 0;
    for (size_t i = 0; i < soac->reduction_count; i++) {
        for (size_t k = 0; k < lower_width(&soac->reductions[i]); k++, at++) {
            lower_bind(L, stm->pattern[at], lower_accumulated(L, &totals[i][k]));
        }
    }
    for (size_t k = reduced; k < stm->pattern_count; k++) {
        lower_bind_array(L, stm->pattern[k], places[k]);
    }
}

/* ---- the choice --------------------------------------------------------------------------------
 */

static bool all_scalar_operators(size_t count, const CoreReduction *reductions)
{
    for (size_t i = 0; i < count; i++) {
        if (!lower_scalar_operator(&reductions[i])) {
            return false;
        }
    }
    return true;
}

void lower_soac(Lower *L, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    bool parallel = L->target == KERNEL_PARALLEL && !L->in_kernel && stm->exp->level != CORE_SEQ;
    if (parallel && soac->reduction_count == 0 && soac->scan_count == 0) {
        if (lower_map_grid(L, stm, soac)) {
            return;
        }
    } else if (parallel && soac->scan_count == 0 &&
               all_scalar_operators(soac->reduction_count, soac->reductions)) {
        if (lower_reduce_groups(L, stm, soac)) {
            return;
        }
    } else if (parallel && soac->reduction_count == 0 &&
               all_scalar_operators(soac->scan_count, soac->scans)) {
        if (lower_scan_groups(L, stm, soac)) {
            return;
        }
    }
    lower_soac_sequential(L, stm, soac);
}
