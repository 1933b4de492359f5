/* Filter, scatter, histograms and streams.

   filter   sequentially a loop with a counter; on the device the flags are scanned to positions,
   and the rows that stay are written to theirs scatter  one work-item a row; rows whose index is
   out of bounds are left out hist     atomic updates where the operator is one of integers that
   OpenCL has as atomic; else a loop, on the device in one work-item streams  [PLDI 2.4] any
   partition gives the same result: one chunk, whose body is lowered as part of the code around it,
   so that what is parallel in it stays parallel */
#include "backend/lower/lower.h"

static bool on_device(const Lower *L, const CoreStm *stm)
{
    return L->target == KERNEL_PARALLEL && !L->in_kernel && stm->exp->level != CORE_SEQ;
}

/* ---- filter
 * --------------------------------------------------------------------------------------- */

/* places[k][at] := row `index` of input k */
static void keep_rows(Lower *L, const CoreStm *stm, const Reader *const *places,
                      const KernelExp *index, const KernelExp *at)
{
    for (size_t k = 0; k < stm->exp->as.filter.input_count; k++) {
        const Reader *input = lower_array(L, stm->exp->as.filter.inputs[k]);
        Value row = {0};
        if (input->rank == 1) {
            row.scalar = lower_let(L, "x", lower_read(L, input, &index));
        } else {
            row.array = lower_row(L, input, 1, &index);
        }
        lower_assign(L, lower_row(L, places[k], 1, &at), row, stm->pattern[k + 1]->text);
    }
}

/* Memory for `rows` rows of each input. */
static const Reader **filter_places(Lower *L, const CoreStm *stm, const KernelExp *rows)
{
    size_t count = stm->exp->as.filter.input_count;
    const Reader **places = ARENA_ARRAY(L->c->arena, const Reader *, count + 1);
    for (size_t k = 0; k < count; k++) {
        const Reader *input = lower_array(L, stm->exp->as.filter.inputs[k]);
        const KernelExp **shape = ARENA_ARRAY(L->c->arena, const KernelExp *, input->rank);
        memcpy(shape, input->shape, sizeof *shape * (size_t)input->rank);
        shape[0] = rows;
        places[k] = lower_allocate(L, stm->pattern[k + 1]->text, input->prim, input->rank, shape);
    }
    return places;
}

static void bind_filtered(Lower *L, const CoreStm *stm, const Reader *const *places,
                          const KernelExp *rows)
{
    lower_bind_scalar(L, stm->pattern[0], rows);
    for (size_t k = 0; k < stm->exp->as.filter.input_count; k++) {
        const KernelExp **shape = ARENA_ARRAY(L->c->arena, const KernelExp *, places[k]->rank);
        memcpy(shape, places[k]->shape, sizeof *shape * (size_t)places[k]->rank);
        shape[0] = rows;
        Reader *reader = ARENA_NEW(L->c->arena, Reader);
        *reader = *places[k];
        reader->shape = shape;
        lower_bind_array(L, stm->pattern[k + 1], reader);
    }
}

static void filter_sequential(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    const KernelExp *width = lower_scalar(L, exp->as.filter.width);
    const Reader **places = filter_places(L, stm, width);
    KernelVariable *kept =
        kernel_variable(L->c, stm->pattern[0]->text, CORE_I64, KERNEL_SCALAR, L->b->span);
    kernel_declare(L->b, kept, kernel_i64(L->c, 0));
    const KernelExp *rows = kernel_use(L->c, kept);
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_MAP, "i", width);
    lower_bind_rows(L, exp->as.filter.predicate, 0, exp->as.filter.input_count,
                    exp->as.filter.inputs, loop.index);
    Value keep;
    lower_body(L, exp->as.filter.predicate->body, NULL, &keep);
    LowerLoop block;
    lower_block_begin(L, &block);
    keep_rows(L, stm, places, loop.index, rows);
    kernel_assign(L->b, kept, kernel_binary(L->c, CORE_ADD, rows, kernel_i64(L->c, 1)));
    KernelBlock kept_block = lower_block_end(L, &block);
    kernel_if(L->b, keep.scalar, kept_block, (KernelBlock){0});
    lower_loop_end(L, &loop);
    bind_filtered(L, stm, places, rows);
}

/* [positions, flags] = scan (+) 0 over (\x -> (i64 (p x), p x)) xs, as a core statement. */
static CoreStm *flags_statement(Lower *L, const CoreStm *stm)
{
    Compilation *c = L->c;
    const CoreExp *exp = stm->exp;
    const CoreLambda *predicate = exp->as.filter.predicate;
    CoreBuilder b = core_builder(c, stm->span);
    for (size_t i = 0; i < predicate->body->stm_count; i++) {
        core_add(&b, predicate->body->stms[i]);
    }
    CoreAtom flag = predicate->body->results[0];
    CoreAtom results[2] = {core_let_convert(&b, "kept", CORE_I64, flag), flag};
    const CoreLambda *map = core_lambda(c, predicate->parameter_count, predicate->parameters,
                                        core_body(&b, 2, results));
    CoreReduction *sum = ARENA_NEW(c->arena, CoreReduction);
    CoreAtom *zero = ARENA_NEW(c->arena, CoreAtom);
    *zero = core_i64(0);
    *sum = (CoreReduction){core_operator_lambda(c, CORE_ADD, CORE_I64, stm->span), zero, true};
    CoreExp *scan = ARENA_NEW(c->arena, CoreExp);
    scan->kind = CORE_EXP_SOAC;
    scan->as.soac = (CoreSoac){.width = exp->as.filter.width,
                               .input_count = exp->as.filter.input_count,
                               .inputs = exp->as.filter.inputs,
                               .map = map,
                               .scan_count = 1,
                               .scans = sum};
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, 2);
    CoreType flags = core_array(c, CORE_BOOL, 1, &exp->as.filter.width);
    CoreType positions = core_array(c, CORE_I64, 1, &exp->as.filter.width);
    pattern[0] = core_name(c, "positions", positions, stm->span);
    pattern[1] = core_name(c, "flags", flags, stm->span);
    CoreStm *made = ARENA_NEW(c->arena, CoreStm);
    *made = (CoreStm){.pattern_count = 2, .pattern = pattern, .exp = scan, .span = stm->span};
    return made;
}

/* The last position, 0 where there is none. */
static const KernelExp *count_kept(Lower *L, const Reader *positions, const KernelExp *width)
{
    KernelVariable *rows = kernel_variable(L->c, "rows", CORE_I64, KERNEL_SCALAR, L->b->span);
    kernel_declare(L->b, rows, kernel_i64(L->c, 0));
    LowerLoop block;
    lower_block_begin(L, &block);
    const KernelExp *last =
        lower_let(L, "last", kernel_binary(L->c, CORE_SUB, width, kernel_i64(L->c, 1)));
    kernel_assign(L->b, rows, lower_read(L, positions, &last));
    KernelBlock some = lower_block_end(L, &block);
    kernel_if(L->b, kernel_binary(L->c, CORE_GT, width, kernel_i64(L->c, 0)), some,
              (KernelBlock){0});
    return kernel_use(L->c, rows);
}

static bool filter_on_device(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    const KernelExp *width = lower_scalar(L, exp->as.filter.width);
    CoreStm *scan = flags_statement(L, stm);
    lower_soac(L, scan);
    const Reader *positions = lower_array(L, core_use(scan->pattern[0]));
    const Reader *flags = lower_array(L, core_use(scan->pattern[1]));
    const KernelExp *rows = count_kept(L, positions, width);
    const Reader **places = filter_places(L, stm, rows);
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    const KernelExp *index = kernel_use(L->c, kernel.index);
    const KernelExp *keep = lower_let(L, "keep", lower_read(L, flags, &index));
    LowerLoop block;
    lower_block_begin(L, &block);
    const KernelExp *at = lower_let(
        L, "at",
        kernel_binary(L->c, CORE_SUB, lower_read(L, positions, &index), kernel_i64(L->c, 1)));
    keep_rows(L, stm, places, index, at);
    KernelBlock kept = lower_block_end(L, &block);
    kernel_if(L->b, keep, kept, (KernelBlock){0});
    bool made = lower_kernel_end(L, &kernel, "filter", stm->pattern[0]->text, width);
    lower_forget(L, scan->pattern[0]);
    lower_forget(L, scan->pattern[1]);
    if (made) {
        bind_filtered(L, stm, places, rows);
    }
    return made;
}

void lower_filter(Lower *L, const CoreStm *stm)
{
    if (!on_device(L, stm) || !filter_on_device(L, stm)) {
        filter_sequential(L, stm);
    }
}

/* ---- scatter
 * --------------------------------------------------------------------------------------- */

/* The memory that an in-place operation works in: the destination's own where it is stored. */
static const Reader *destination(Lower *L, CoreName *result, CoreAtom atom)
{
    const Reader *target = lower_array(L, atom);
    if (target->kind != READER_STORED) {
        const Reader *place = lower_place(L, result);
        Value old = {.array = target};
        lower_assign(L, place, old, result->text);
        target = place;
    }
    Reader *memory = ARENA_NEW(L->c->arena, Reader);
    *memory = *target;
    memory->items = NULL;
    return memory;
}

/* A source that does not read what is written. */
static const Reader *apart(Lower *L, const Reader *source, const Reader *const *targets,
                           size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (lower_reaches(source, targets[k]->buffer)) {
            const Reader *saved =
                lower_allocate(L, "saved", source->prim, source->rank, source->shape);
            Value value = {.array = source};
            lower_assign(L, saved, value, "saved");
            return saved;
        }
    }
    return source;
}

typedef struct Targets {
    size_t count;
    const Reader **memory;
    const Reader *indices;
    const Reader **values;
} Targets;

static Targets *targets_of(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    Targets *t = ARENA_NEW(L->c->arena, Targets);
    t->count = exp->as.scatter.count;
    t->memory = ARENA_ARRAY(L->c->arena, const Reader *, t->count + 1);
    t->values = ARENA_ARRAY(L->c->arena, const Reader *, t->count + 1);
    for (size_t k = 0; k < t->count; k++) {
        t->memory[k] = destination(L, stm->pattern[k], exp->as.scatter.destinations[k]);
    }
    t->indices = apart(L, lower_array(L, exp->as.scatter.indices), t->memory, t->count);
    for (size_t k = 0; k < t->count; k++) {
        t->values[k] = apart(L, lower_array(L, exp->as.scatter.values[k]), t->memory, t->count);
    }
    return t;
}

static const KernelExp *in_bounds(Lower *L, const KernelExp *at, const KernelExp *extent)
{
    return kernel_binary(L->c, CORE_AND, kernel_binary(L->c, CORE_GE, at, kernel_i64(L->c, 0)),
                         kernel_binary(L->c, CORE_LT, at, extent));
}

static Value value_row(Lower *L, const Reader *values, const KernelExp *index)
{
    Value row = {0};
    if (values->rank == 1) {
        row.scalar = lower_let(L, "v", lower_read(L, values, &index));
    } else {
        row.array = lower_row(L, values, 1, &index);
    }
    return row;
}

static void scatter_row(Lower *L, const CoreStm *stm, const Targets *t, const KernelExp *index)
{
    const KernelExp *at = lower_let(L, "at", lower_read(L, t->indices, &index));
    LowerLoop block;
    lower_block_begin(L, &block);
    for (size_t k = 0; k < t->count; k++) {
        lower_assign(L, lower_row(L, t->memory[k], 1, &at), value_row(L, t->values[k], index),
                     stm->pattern[k]->text);
    }
    KernelBlock stores = lower_block_end(L, &block);
    kernel_if(L->b, in_bounds(L, at, t->memory[0]->shape[0]), stores, (KernelBlock){0});
}

static void bind_targets(Lower *L, const CoreStm *stm, const Targets *t)
{
    for (size_t k = 0; k < t->count; k++) {
        lower_bind_array(L, stm->pattern[k], t->memory[k]);
    }
}

void lower_scatter(Lower *L, const CoreStm *stm)
{
    Targets *t = targets_of(L, stm);
    const KernelExp *width = lower_scalar(L, stm->exp->as.scatter.width);
    bool done = false;
    if (on_device(L, stm)) {
        LowerKernel kernel;
        lower_kernel_begin(L, &kernel, false);
        scatter_row(L, stm, t, kernel_use(L->c, kernel.index));
        done = lower_kernel_end(L, &kernel, "scatter", stm->pattern[0]->text, width);
    }
    if (!done) {
        LowerLoop loop;
        lower_loop_begin(L, &loop, FRAME_MAP, "i", width);
        scatter_row(L, stm, t, loop.index);
        lower_loop_end(L, &loop);
    }
    bind_targets(L, stm, t);
}

/* ---- histograms
 * --------------------------------------------------------------------------------------- */

/* Whether op is \x y -> x + y or another one that devices update atomically; which. */
static bool is_atomic(const CoreExp *exp, CoreOperator *found)
{
    const CoreLambda *op = exp->as.scatter.op;
    if (exp->as.scatter.count != 1 || op->body->stm_count != 1 || op->body->result_count != 1) {
        return false;
    }
    const CoreStm *stm = op->body->stms[0];
    if (stm->exp->kind != CORE_EXP_BINARY || op->body->results[0].name != stm->pattern[0]) {
        return false;
    }
    CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
    bool both = (x.name == op->parameters[0] && y.name == op->parameters[1]) ||
                (x.name == op->parameters[1] && y.name == op->parameters[0]);
    CoreOperator operator= stm->exp->as.scalar.op;
    bool known = operator== CORE_ADD || operator== CORE_MIN || operator== CORE_MAX || operator==
        CORE_AND ||
        operator== CORE_OR ||
        operator== CORE_XOR;
    *found = operator;
    return both && known && core_is_int(stm->exp->as.scalar.prim);
}

static bool hist_atomic(Lower *L, const CoreStm *stm, const Targets *t, CoreOperator op)
{
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    const KernelExp *index = kernel_use(L->c, kernel.index);
    const KernelExp *at = lower_let(L, "at", lower_read(L, t->indices, &index));
    LowerLoop block;
    lower_block_begin(L, &block);
    const Reader *slot = lower_row(L, t->memory[0], 1, &at);
    const KernelExp *value = lower_let(L, "v", lower_read(L, t->values[0], &index));
    kernel_atomic(L->b, op, slot->buffer, slot->offset, value);
    KernelBlock update = lower_block_end(L, &block);
    kernel_if(L->b, in_bounds(L, at, t->memory[0]->shape[0]), update, (KernelBlock){0});
    return lower_kernel_end(L, &kernel, "hist", stm->pattern[0]->text,
                            lower_scalar(L, stm->exp->as.scatter.width));
}

typedef struct HistLoop {
    const CoreStm *stm;
    const Targets *targets;
} HistLoop;

/* dest[at] = op(dest[at], v), in order. */
static void hist_row(Lower *L, const HistLoop *h, const KernelExp *at, const KernelExp *index)
{
    Arena *arena = L->c->arena;
    const Targets *t = h->targets;
    const CoreLambda *op = h->stm->exp->as.scatter.op;
    Value *arguments = ARENA_ARRAY(arena, Value, 2 * t->count + 1);
    Value *results = ARENA_ARRAY(arena, Value, t->count + 1);
    const Reader **slots = ARENA_ARRAY(arena, const Reader *, t->count + 1);
    const Reader **fresh = ARENA_ARRAY(arena, const Reader *, t->count + 1);
    for (size_t k = 0; k < t->count; k++) {
        slots[k] = lower_row(L, t->memory[k], 1, &at);
        arguments[k] = value_row(L, t->memory[k], at);
        arguments[t->count + k] = value_row(L, t->values[k], index);
        if (slots[k]->rank > 0) {
            fresh[k] = lower_allocate(L, "next", slots[k]->prim, slots[k]->rank, slots[k]->shape);
        }
    }
    lower_apply(L, op, arguments, fresh, results);
    for (size_t k = 0; k < t->count; k++) {
        if (fresh[k] != NULL) {
            results[k] = (Value){.array = fresh[k]};
        }
        lower_assign(L, slots[k], results[k], h->stm->pattern[k]->text);
    }
}

static void hist_loop(Lower *L, void *context)
{
    const HistLoop *h = context;
    const Targets *t = h->targets;
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_MAP, "i", lower_scalar(L, h->stm->exp->as.scatter.width));
    const KernelExp *at = lower_let(L, "at", lower_read(L, t->indices, &loop.index));
    LowerLoop block;
    lower_block_begin(L, &block);
    hist_row(L, h, at, loop.index);
    KernelBlock update = lower_block_end(L, &block);
    kernel_if(L->b, in_bounds(L, at, t->memory[0]->shape[0]), update, (KernelBlock){0});
    lower_loop_end(L, &loop);
}

void lower_hist(Lower *L, const CoreStm *stm)
{
    HistLoop h = {stm, targets_of(L, stm)};
    CoreOperator op;
    bool done = false;
    if (on_device(L, stm)) {
        done = is_atomic(stm->exp, &op)
                   ? hist_atomic(L, stm, h.targets, op)
                   : lower_single_item(L, "hist", stm->pattern[0]->text, hist_loop, &h);
    }
    if (!done) {
        hist_loop(L, &h);
    }
    bind_targets(L, stm, h.targets);
}

/* ---- streams
 * -------------------------------------------------------------------------------------------- */

void lower_stream(Lower *L, const CoreStm *stm)
{
    Arena *arena = L->c->arena;
    const CoreExp *exp = stm->exp;
    const CoreLambda *fold = exp->as.stream.fold;
    size_t accumulators = exp->kind == CORE_EXP_STREAM_MAP ? 0 : exp->as.stream.accumulator_count;
    lower_bind(L, fold->parameters[0], lower_value(L, exp->as.stream.width));
    for (size_t k = 0; k < accumulators; k++) {
        lower_bind(L, fold->parameters[1 + k], lower_value(L, exp->as.stream.neutral[k]));
    }
    for (size_t k = 0; k < exp->as.stream.input_count; k++) {
        lower_bind(L, fold->parameters[1 + accumulators + k],
                   lower_value(L, exp->as.stream.inputs[k]));
    }
    Value *results = ARENA_ARRAY(arena, Value, stm->pattern_count + 1);
    const Reader **wanted = ARENA_ARRAY(arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        wanted[k] = lower_map_get(&L->wanted, stm->pattern[k]);
    }
    lower_body(L, fold->body, wanted, results);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (wanted[k] != NULL) {
            results[k].array = wanted[k];
        }
        lower_bind(L, stm->pattern[k], results[k]);
    }
}
