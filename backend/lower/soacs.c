/* SOACs as sequential loops, and the choice between a loop and kernels.

   One node is a map, some reductions and some scans over the same rows; one loop does them all
   ([REDO 4], [DPIA 4.2] mapl and reducel):

       (s, ys) = soac n xs map (\x -> let t = f x in (t, t)) reduce (+, 0)
       ==>  s = 0;  FOR i < n { t = f(xs[i]); ys[i] = t; s = s + t }

   For the target with kernels, a SOAC on the host becomes a flat grid (map), chunks and a tree
   (reductions), or three phases (scans); what cannot be a kernel is the loop here, whose body then
   runs on the host and has kernels of its own. */
#include "backend/lower/processor.h"

size_t lower_width(const CoreReduction *reduction)
{
    return reduction->function->body->result_count;
}

/* Scalars from scalars and elements, nothing that may fail. */
static bool is_cheap_branch(const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (stm->exp->kind == CORE_EXP_ASSERT || stm->pattern_count != 1 ||
            stm->pattern[0]->type.rank > 0 || !lower_is_cheap(stm->exp)) {
            return false;
        }
    }
    return body->stm_count <= 16;
}

/* Scalar operations, views, assertions: what may be done again for every element of a row. */
bool lower_is_cheap(const CoreExp *exp)
{
    if (exp->kind == CORE_EXP_IF) {
        return is_cheap_branch(exp->as.conditional.then_body) &&
               is_cheap_branch(exp->as.conditional.else_body);
    }
    return exp->kind == CORE_EXP_ATOM || exp->kind == CORE_EXP_UNARY ||
           exp->kind == CORE_EXP_BINARY || exp->kind == CORE_EXP_CONVERT ||
           exp->kind == CORE_EXP_ASSERT || exp->kind == CORE_EXP_CONJOIN ||
           exp->kind == CORE_EXP_INDEX || core_is_view(exp->kind);
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
        if (input->rank == 1) {
            lower_bind_scalar(L, parameter, lower_read(L, input, &index));
        } else {
            lower_bind_array(L, parameter, lower_row(L, input, 1, &index));
        }
    }
}

/* ---- accumulators ---------------------------------------------------------------------------- */

static void begin_accumulators(Lower *L, const CoreReduction *reduction, Accumulator *accumulators)
{
    for (size_t k = 0; k < lower_width(reduction); k++) {
        Accumulator *a = &accumulators[k];
        Value neutral = lower_value(L, reduction->neutral[k]);
        a->type = reduction->function->result_types[k];
        if (a->type.rank == 0) {
            const char *text = reduction->function->parameters[k]->text;
            a->scalar =
                kernel_variable(L->c, text, lower_prim(a->type.prim), KERNEL_SCALAR, L->b->span);
            a->scalar->is_total = reduction->commutative;
            kernel_declare(L->b, a->scalar, neutral.scalar);
        } else {
            KernelExps shape = neutral.array->shape;
            a->store = lower_allocate(L, "total", a->type.prim, a->type.rank, shape);
            a->fresh = lower_allocate(L, "next", a->type.prim, a->type.rank, shape);
            lower_assign(L, a->store, neutral, "total");
        }
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

void lower_accumulate(Lower *L, const CoreReduction *reduction, Accumulator *accumulators,
                      const Value *operands)
{
    size_t width = lower_width(reduction);
    Value *arguments = ARENA_ARRAY(L->c->arena, Value, 2 * width + 1);
    Value *next = ARENA_ARRAY(L->c->arena, Value, width + 1);
    const Reader **wanted = ARENA_ARRAY(L->c->arena, const Reader *, width + 1);
    for (size_t k = 0; k < width; k++) {
        arguments[k] = lower_accumulated(L, &accumulators[k]);
        arguments[width + k] = operands[k];
        wanted[k] = accumulators[k].fresh;
    }
    lower_apply(L, reduction->function, arguments, wanted, next);
    for (size_t k = 0; k < width && width > 1; k++) {
        /* A result that is an accumulator itself may be overwritten before it is used. */
        if (next[k].scalar != NULL && next[k].scalar->kind == KERNEL_VARIABLE) {
            KernelVariable *saved =
                kernel_variable(L->c, "next", next[k].scalar->prim, KERNEL_SCALAR, L->b->span);
            kernel_declare(L->b, saved, next[k].scalar);
            next[k].scalar = kernel_use(L->c, saved);
        }
    }
    for (size_t k = 0; k < width; k++) {
        if (accumulators[k].scalar != NULL) {
            kernel_assign(L->b, accumulators[k].scalar, next[k].scalar);
        } else {
            Value fresh = {.array = accumulators[k].fresh};
            lower_assign(L, accumulators[k].store, fresh, "total");
        }
    }
}

static size_t total_width(size_t count, const CoreReduction *reductions)
{
    size_t total = 0;
    for (size_t r = 0; r < count; r++) {
        total += lower_width(&reductions[r]);
    }
    return total;
}

Accumulator *lower_all_accumulators(Lower *L, size_t count, const CoreReduction *reductions)
{
    Accumulator *all = ARENA_ARRAY(L->c->arena, Accumulator, total_width(count, reductions) + 1);
    for (size_t r = 0, at = 0; r < count; r++) {
        begin_accumulators(L, &reductions[r], all + at);
        at += lower_width(&reductions[r]);
    }
    return all;
}

void lower_accumulate_all(Lower *L, size_t count, const CoreReduction *reductions,
                          Accumulator *accumulators, const Value *operands)
{
    for (size_t r = 0, at = 0; r < count; r++) {
        lower_accumulate(L, &reductions[r], accumulators + at, operands + at);
        at += lower_width(&reductions[r]);
    }
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Accumulators change in the loop: no size that depends on one may move out of it. */
static void belong_inside(Lower *L, size_t count, Accumulator *accumulators)
{
    for (size_t k = 0; k < count; k++) {
        if (accumulators[k].scalar != NULL) {
            accumulators[k].scalar->number = fresh_number(L->c);
        }
    }
}

void lower_soac_loop(Lower *L, const CoreStm *stm, const CoreSoac *soac, Value *values)
{
    size_t reduced = total_width(soac->reduction_count, soac->reductions);
    size_t scanned = total_width(soac->scan_count, soac->scans);
    const Reader **outs = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = reduced; k < stm->pattern_count; k++) {
        outs[k] = lower_place(L, stm->pattern[k]);
    }
    Accumulator *totals = lower_all_accumulators(L, soac->reduction_count, soac->reductions);
    Accumulator *running = lower_all_accumulators(L, soac->scan_count, soac->scans);
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_MAP, "i", lower_scalar(L, soac->width));
    belong_inside(L, reduced, totals);
    belong_inside(L, scanned, running);
    if (!lower_masked_row(L, soac, loop.index, totals)) {
        lower_bind_rows(L, soac->map, 0, soac->input_count, soac->inputs, loop.index);
        Value *results = ARENA_ARRAY(L->c->arena, Value, stm->pattern_count + 1);
        const Reader **wanted = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
        for (size_t k = reduced + scanned; k < stm->pattern_count; k++) {
            wanted[k] = lower_row(L, outs[k], 1, &loop.index);
        }
        if (L->on_processor && L->number == NULL) {
            lower_body_of_row(L, loop.index, soac->map->body, wanted, results);
        } else {
            lower_body(L, soac->map->body, wanted, results);
        }
        lower_accumulate_all(L, soac->reduction_count, soac->reductions, totals, results);
        lower_accumulate_all(L, soac->scan_count, soac->scans, running, results + reduced);
    }
    for (size_t k = 0; k < scanned; k++) {
        lower_assign(L, lower_row(L, outs[reduced + k], 1, &loop.index),
                     lower_accumulated(L, &running[k]), "scan");
    }
    lower_loop_end(L, &loop);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        values[k] = k < reduced ? lower_accumulated(L, &totals[k]) : (Value){.array = outs[k]};
    }
}

void lower_soac_sequential(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    Value *values = ARENA_ARRAY(L->c->arena, Value, stm->pattern_count + 1);
    lower_soac_loop(L, stm, soac, values);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        lower_bind(L, stm->pattern[k], values[k]);
    }
}

/* ---- reductions of rows ---------------------------------------------------------------------- */

/* Elements of an accumulator from which on one step of a reduction is worth kernels of its own. */
enum { MANY_ELEMENTS = 4096 };

static CoreStm *statement_of(Lower *L, const CoreStm *like, CoreName *const *pattern,
                             const CoreExp *exp)
{
    CoreStm *stm = ARENA_NEW(L->c->arena, CoreStm);
    *stm = *like;
    stm->certificate_count = 0;
    stm->pattern = pattern;
    stm->exp = exp;
    return stm;
}

static CoreName **fresh_pattern(Lower *L, const CoreStm *stm, size_t mapped, CoreAtom rows)
{
    CoreName **pattern = ARENA_ARRAY(L->c->arena, CoreName *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreType type = stm->pattern[k]->type;
        type.unique = false;
        if (k >= mapped) {
            type = core_array_of(L->c, rows, core_row(type));
        }
        pattern[k] = core_name(L->c, stm->pattern[k]->text, type, stm->span);
    }
    return pattern;
}

static CoreAtom *uses_of(Lower *L, size_t count, CoreName *const *names)
{
    CoreAtom *uses = ARENA_ARRAY(L->c->arena, CoreAtom, count + 1);
    for (size_t k = 0; k < count; k++) {
        uses[k] = core_use(names[k]);
    }
    return uses;
}

/* A body of this one statement that gives its results. */
static const CoreBody *body_of(Lower *L, const CoreStm *stm)
{
    CoreBuilder b = core_builder(L->c, stm->span);
    core_add(&b, stm);
    return core_body(&b, stm->pattern_count, uses_of(L, stm->pattern_count, stm->pattern));
}

/* The SOAC as a plain loop; lower_soac does not choose again. */
static CoreExp *as_loop(Lower *L, const CoreExp *exp)
{
    CoreExp *loop = ARENA_NEW(L->c->arena, CoreExp);
    *loop = *exp;
    pointer_map_set(L->c->arena, &L->loops, loop, L);
    return loop;
}

/* soac n xs f reduce op (e)
   ==>  stream_red n xs op (\m acc chunk -> soac m chunk f reduce op (acc)) (e) */
static const CoreExp *stream_of_rows(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    Compilation *c = L->c;
    const CoreReduction *reduction = &soac->reductions[0];
    size_t width = lower_width(reduction), inputs = soac->input_count;
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, 1 + width + inputs);
    parameters[0] = core_name(c, "m", core_scalar(CORE_I64), stm->span);
    for (size_t k = 0; k < width; k++) {
        CoreType type = reduction->function->result_types[k];
        parameters[1 + k] = core_name(c, "acc", type, stm->span);
    }
    for (size_t k = 0; k < inputs; k++) {
        CoreType type =
            core_array_of(c, core_use(parameters[0]), core_row(core_atom_type(soac->inputs[k])));
        type.unique = false;
        parameters[1 + width + k] = core_name(c, "chunk", type, stm->span);
    }
    CoreReduction *inner = ARENA_NEW(c->arena, CoreReduction);
    *inner = *reduction;
    inner->neutral = uses_of(L, width, parameters + 1);
    CoreExp *fold = as_loop(L, stm->exp);
    fold->level = CORE_LEVEL_AUTO;
    fold->as.soac.width = core_use(parameters[0]);
    fold->as.soac.inputs = uses_of(L, inputs, parameters + 1 + width);
    fold->as.soac.reductions = inner;
    CoreName **pattern = fresh_pattern(L, stm, width, core_use(parameters[0]));
    const CoreBody *body = body_of(L, statement_of(L, stm, pattern, fold));
    const CoreLambda *function = core_lambda(c, 1 + width + inputs, parameters, body);
    const CoreExp *stream =
        core_exp_stream(c, CORE_EXP_STREAM_RED, soac->width, inputs, soac->inputs, function,
                        reduction->function, width, reduction->neutral, reduction->commutative);
    return core_exp_placed(c, stream, stm->exp->level, CORE_SPACE_AUTO);
}

/* A reduction whose accumulators are arrays: many short rows are folded by many work-items, and few
   long ones by kernels over their elements, one row after the other. */
static bool reduce_arrays(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    if (soac->reduction_count != 1 || soac->scan_count > 0) {
        return false;
    }
    size_t width = lower_width(&soac->reductions[0]);
    CoreBuilder b = core_builder(L->c, stm->span);
    CoreAtom elements = core_i64(0);
    for (size_t k = 0; k < width; k++) {
        CoreType type = stm->pattern[k]->type;
        CoreAtom product = core_i64(1);
        for (int axis = 0; axis < type.rank; axis++) {
            product = core_let_binary(&b, "elements", CORE_MUL, product, type.sizes[axis]);
        }
        elements = core_let_binary(&b, "elements", CORE_ADD, elements, product);
    }
    CoreAtom many = core_let_binary(&b, "many", CORE_GE, elements, core_i64(MANY_ELEMENTS));
    for (size_t i = 0; i < b.stms.count; i++) {
        lower_statement(L, b.stms.items[i]);
    }
    const CoreExp *stream = stream_of_rows(L, stm, soac);
    if (stm->exp->level == CORE_GRID) {
        lower_statement(L, statement_of(L, stm, stm->pattern, stream));
        return true;
    }
    CoreName **first = fresh_pattern(L, stm, width, soac->width);
    CoreName **second = fresh_pattern(L, stm, width, soac->width);
    const CoreBody *loop = body_of(L, statement_of(L, stm, first, as_loop(L, stm->exp)));
    const CoreBody *chunks = body_of(L, statement_of(L, stm, second, stream));
    lower_statement(L, statement_of(L, stm, stm->pattern, core_exp_if(L->c, many, loop, chunks)));
    return true;
}

/* ---- the choice ------------------------------------------------------------------------------ */

bool lower_map_items(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    size_t first = L->b->commands.count;
    bool is_kernel = lower_map_grid(L, stm, soac);
    if (is_kernel) {
        lower_map_on_processor(L, stm, soac, first);
    }
    return is_kernel;
}

static bool of_scalars(size_t count, const CoreReduction *operators)
{
    for (size_t r = 0; r < count; r++) {
        if (!lower_scalar_operator(&operators[r])) {
            return false;
        }
    }
    return true;
}

/* Scalars that local memory has no room for, of all work-items of a group: one work-item goes over all rows. */
static bool in_one_item(Lower *L, const CoreStm *stm, const char *kind)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    return of_scalars(soac->reduction_count, soac->reductions) &&
           of_scalars(soac->scan_count, soac->scans) && !lower_has_kernels(stm->exp) &&
           lower_on_device(L, stm, kind);
}

static bool as_kernels(Lower *L, const CoreStm *stm, const CoreSoac *soac)
{
    if (core_has_effect(stm->exp)) {
        return false;
    }
    if (stm->exp->level == CORE_GROUP) {
        return lower_map_group(L, stm, soac);
    }
    if (soac->scan_count > 0) {
        return lower_scan_groups(L, stm, soac) || in_one_item(L, stm, "scan");
    }
    if (soac->reduction_count > 0) {
        return lower_reduce_groups(L, stm, soac) ||
               (!lower_reduces_in_groups(soac) && in_one_item(L, stm, "reduce")) ||
               reduce_arrays(L, stm, soac);
    }
    return lower_map_turned(L, stm, soac) || lower_map_items(L, stm, soac);
}

/* Array results get their places before the choice, so that whoever makes them writes there. */
void lower_soac(Lower *L, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    if (L->in_kernel || L->target == KERNEL_SEQUENTIAL ||
        pointer_map_get(&L->loops, stm->exp) != NULL) {
        lower_soac_sequential(L, stm, soac);
        return;
    }
    if (stm->exp->level == CORE_SEQ) {
        if (lower_has_kernels(stm->exp) || !lower_on_device(L, stm, "seq")) {
            lower_soac_sequential(L, stm, soac);
        }
        return;
    }
    size_t reduced = total_width(soac->reduction_count, soac->reductions);
    for (size_t k = reduced; k < stm->pattern_count; k++) {
        const Reader *place = lower_place(L, stm->pattern[k]);
        pointer_map_set(L->c->arena, &L->wanted, stm->pattern[k], (void *)(uintptr_t)place);
    }
    if (!as_kernels(L, stm, soac)) {
        lower_refuse_level(L, stm, "cannot be kept: this does not make one kernel");
        lower_soac_sequential(L, stm, soac);
    }
    for (size_t k = reduced; k < stm->pattern_count; k++) {
        pointer_map_set(L->c->arena, &L->wanted, stm->pattern[k], NULL);
    }
}
