/* Filter and scatter, and what scatter shares with hist.

       filter p xs      in parallel flags and their running sum in one SOAC, then each kept row goes
                        to the place that its sum says; sequentially a loop with a counter
       scatter d is vs  each row of vs with an index inside d is stored there, in d's own memory;
                        where indices coincide any of the rows stays */
#include "backend/lower/lower.h"

/* One row of an array: a scalar or a reader. */
Value lower_row_value(Lower *L, const Reader *array, const KernelExp *index)
{
    Value value = {0};
    if (array->rank == 1) {
        value.scalar = lower_let(L, "x", lower_read(L, array, &index));
    } else {
        value.array = lower_row(L, array, 1, &index);
    }
    return value;
}

/* body(L, context, i) for every i < count: as a grid where that can be, else as a loop. */
void lower_for_each(Lower *L, const char *kind, const char *text, const KernelExp *count,
                    void (*body)(Lower *L, void *context, const KernelExp *index), void *context)
{
    if (!L->in_kernel && L->target == KERNEL_PARALLEL) {
        LowerKernel kernel;
        lower_kernel_begin(L, &kernel, false);
        body(L, context, kernel_use(L->c, kernel.index));
        if (lower_kernel_end(L, &kernel, kind, text, count)) {
            return;
        }
    }
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_MAP, "i", count);
    body(L, context, loop.index);
    lower_loop_end(L, &loop);
}

/* ---- filter ---------------------------------------------------------------------------------- */

static void bind_kept(Lower *L, const CoreStm *stm, const Reader *const *places)
{
    for (size_t k = 1; k < stm->pattern_count; k++) {
        Reader *kept = ARENA_NEW(L->c->arena, Reader);
        *kept = *places[k];
        kept->shape = lower_shape(L, stm->pattern[k]->type);
        lower_bind_array(L, stm->pattern[k], kept);
    }
}

/* The row of what is kept: what the predicate gave, or a row of the input. */
static Value kept_row(Lower *L, const CoreExp *exp, size_t k, const Value *computed,
                      const KernelExp *index)
{
    return exp->as.filter.predicate->body->result_count > 1
               ? computed[1 + k]
               : lower_row_value(L, lower_array(L, exp->as.filter.inputs[k]), index);
}

/* Memory for all rows, of which the first ones will be those kept. */
const Reader *lower_room_for_all(Lower *L, const CoreStm *filter, size_t k)
{
    const CoreExp *exp = filter->exp;
    CoreType row = core_filter_row(exp, k);
    const KernelExp **shape = ARENA_ARRAY(L->c->arena, const KernelExp *, row.rank + 1);
    shape[0] = lower_scalar(L, exp->as.filter.width);
    for (int axis = 0; axis < row.rank; axis++) {
        shape[axis + 1] = lower_scalar(L, row.sizes[axis]);
    }
    return lower_allocate(L, filter->pattern[1 + k]->text, row.prim, row.rank + 1, shape);
}

/* Room for every row: how many are kept is known only afterwards. */
static void filter_sequential(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    const CoreLambda *predicate = exp->as.filter.predicate;
    const KernelExp *width = lower_scalar(L, exp->as.filter.width);
    const Reader **places = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = 1; k < stm->pattern_count; k++) {
        places[k] = pointer_map_get(&L->wanted, stm->pattern[k]);
        if (places[k] == NULL) {
            places[k] = lower_room_for_all(L, stm, k - 1);
        }
    }
    KernelVariable *kept =
        kernel_variable(L->c, stm->pattern[0]->text, CORE_I64, KERNEL_SCALAR, L->b->span);
    kernel_declare(L->b, kept, lower_number(L, 0));
    LowerLoop loop, block;
    lower_loop_begin(L, &loop, FRAME_MAP, "i", width);
    kept->number = fresh_number(L->c);
    lower_bind_rows(L, predicate, 0, exp->as.filter.input_count, exp->as.filter.inputs, loop.index);
    Value *results = ARENA_ARRAY(L->c->arena, Value, predicate->body->result_count);
    lower_body(L, predicate->body, NULL, results);
    lower_block_begin(L, &block);
    const KernelExp *at = kernel_use(L->c, kept);
    for (size_t k = 1; k < stm->pattern_count; k++) {
        lower_assign(L, lower_row(L, places[k], 1, &at),
                     kept_row(L, exp, k - 1, results, loop.index), stm->pattern[k]->text);
    }
    kernel_assign(L->b, kept, kernel_binary(L->c, CORE_ADD, at, lower_number(L, 1)));
    KernelBlock keep_block = lower_block_end(L, &block);
    kernel_if(L->b, results[0].scalar, keep_block, (KernelBlock){0});
    lower_loop_end(L, &loop);
    pointer_map_set(L->c->arena, &L->bounds, kept, (void *)(uintptr_t)width);
    lower_bind_scalar(L, stm->pattern[0], kernel_use(L->c, kept));
    bind_kept(L, stm, places);
}

typedef struct KeptRows {
    const CoreStm *stm;
    const Reader *flags, *sums;
    const Reader **places;
} KeptRows;

static void write_kept(Lower *L, void *context, const KernelExp *index)
{
    const KeptRows *rows = context;
    LowerLoop block;
    const KernelExp *keep = lower_let(L, "keep", lower_read(L, rows->flags, &index));
    lower_block_begin(L, &block);
    const KernelExp *at = lower_let(
        L, "at",
        kernel_binary(L->c, CORE_SUB, lower_read(L, rows->sums, &index), lower_number(L, 1)));
    const CoreExp *exp = rows->stm->exp;
    const CoreLambda *predicate = exp->as.filter.predicate;
    Value *results = ARENA_ARRAY(L->c->arena, Value, predicate->body->result_count);
    if (predicate->body->result_count > 1) { /* once more, rather than stored */
        lower_bind_rows(L, predicate, 0, exp->as.filter.input_count, exp->as.filter.inputs, index);
        lower_body(L, predicate->body, NULL, results);
    }
    for (size_t k = 1; k < rows->stm->pattern_count; k++) {
        lower_assign(L, lower_row(L, rows->places[k], 1, &at),
                     kept_row(L, exp, k - 1, results, index), rows->stm->pattern[k]->text);
    }
    KernelBlock keep_block = lower_block_end(L, &block);
    for (size_t k = 1; k < rows->stm->pattern_count; k++) {
        kernel_mark_scattered(keep_block, rows->places[k]->buffer);
    }
    kernel_if(L->b, keep, keep_block, (KernelBlock){0});
}

static void find_more(void *context, const CoreBody *body)
{
    bool *plain = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        CoreExpKind kind = body->stms[i]->exp->kind;
        *plain = *plain && (kind <= CORE_EXP_IF || kind == CORE_EXP_INDEX);
        core_each_body(body->stms[i]->exp, find_more, context);
    }
}

/* Scalar work that nothing comes of but its results. */
static bool is_plain(const CoreStm *stm)
{
    bool plain = true;
    const CoreBody alone = {.stm_count = 1, .stms = &stm};
    find_more(&plain, &alone);
    return plain;
}

typedef struct Needed {
    Lower *L;
    PointerMap names;
} Needed;

static void need(void *context, CoreName *name)
{
    Needed *needed = context;
    pointer_map_set(needed->L->c->arena, &needed->names, name, needed);
}

static bool is_needed(const Needed *needed, const CoreStm *stm)
{
    bool found = !is_plain(stm);
    for (size_t i = 0; i < stm->pattern_count; i++) {
        found = found || pointer_map_get(&needed->names, stm->pattern[i]) != NULL;
    }
    return found;
}

/* The statements that say whether a row is kept, without those for what is kept. */
static void add_needed(Lower *L, CoreBuilder *b, const CoreBody *body)
{
    Needed needed = {.L = L};
    bool *keep = ARENA_ARRAY(L->c->arena, bool, body->stm_count + 1);
    if (body->results[0].name) {
        need(&needed, body->results[0].name);
    }
    for (size_t i = body->stm_count; i-- > 0;) {
        keep[i] = is_needed(&needed, body->stms[i]);
        if (keep[i]) {
            core_each_free(body->stms[i], need, &needed);
        }
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        if (keep[i]) {
            core_add(b, body->stms[i]);
        }
    }
}

/* let (sums, flags) = soac n xs map (\x -> let p = ... in (i64 p, p)) scan (+, 0) */
static CoreStm *flags_and_sums(Lower *L, const CoreStm *stm)
{
    Compilation *c = L->c;
    const CoreExp *exp = stm->exp;
    const CoreLambda *predicate = exp->as.filter.predicate;
    CoreBuilder b = core_builder(c, stm->span);
    add_needed(L, &b, predicate->body);
    CoreAtom results[2];
    results[1] = predicate->body->results[0];
    results[0] = core_let_convert(&b, "kept", CORE_I64, results[1]);
    const CoreBody *body = core_body(&b, 2, results);
    const CoreLambda *map = core_lambda(c, predicate->parameter_count, predicate->parameters, body);
    CoreReduction *sum = ARENA_NEW(c->arena, CoreReduction);
    CoreAtom *zero = ARENA_NEW(c->arena, CoreAtom);
    *zero = core_i64(0);
    sum->function = core_operator_lambda(c, CORE_ADD, CORE_I64, stm->span);
    sum->neutral = zero;
    sum->commutative = true;
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, 2);
    CoreAtom width = exp->as.filter.width;
    pattern[0] = core_name(c, "sums", core_array_of(c, width, core_scalar(CORE_I64)), stm->span);
    pattern[1] = core_name(c, "flags", core_array_of(c, width, core_scalar(CORE_BOOL)), stm->span);
    CoreStm *made = ARENA_NEW(c->arena, CoreStm);
    *made = *stm;
    made->certificate_count = 0;
    made->pattern_count = 2;
    made->pattern = pattern;
    made->exp = core_exp_placed(c,
                                core_exp_soac(c, width, exp->as.filter.input_count,
                                              exp->as.filter.inputs, map, 0, NULL, 1, sum),
                                exp->level, CORE_SPACE_AUTO);
    return made;
}

void lower_filter(Lower *L, const CoreStm *stm)
{
    if (L->in_kernel || L->target == KERNEL_SEQUENTIAL) {
        filter_sequential(L, stm);
        return;
    }
    if (stm->exp->level == CORE_SEQ && lower_on_device(L, stm, "seq")) {
        return;
    }
    CoreStm *scan = flags_and_sums(L, stm);
    lower_soac(L, scan);
    KeptRows rows = {.stm = stm,
                     .sums = lower_array(L, core_use(scan->pattern[0])),
                     .flags = lower_array(L, core_use(scan->pattern[1]))};
    const KernelExp *width = lower_scalar(L, stm->exp->as.filter.width);
    const KernelExp *last =
        lower_let(L, "last", kernel_binary(L->c, CORE_SUB, width, lower_number(L, 1)));
    const KernelExp *kept =
        kernel_select(L->c, kernel_binary(L->c, CORE_GT, width, lower_number(L, 0)),
                      lower_read(L, rows.sums, &last), lower_number(L, 0));
    lower_bind_scalar(L, stm->pattern[0], kept);
    rows.places = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = 1; k < stm->pattern_count; k++) {
        rows.places[k] = lower_place(L, stm->pattern[k]);
    }
    lower_for_each(L, "filter", stm->pattern[0]->text, width, write_kept, &rows);
    bind_kept(L, stm, rows.places);
    lower_forget(L, scan->pattern[0]);
    lower_forget(L, scan->pattern[1]);
}

/* ---- scatter ------------------------------------------------------------------------ */

/* What is read while destinations are written must not be their memory. */
static const Reader *apart_from(Lower *L, const Targets *targets, const Reader *reader)
{
    for (size_t k = 0; k < targets->count; k++) {
        if (lower_reaches(reader, targets->targets[k]->buffer)) {
            const Reader *place =
                lower_allocate(L, "saved", reader->prim, reader->rank, reader->shape);
            Value value = {.array = reader};
            lower_assign(L, place, value, "saved");
            return place;
        }
    }
    return reader;
}

Targets lower_targets(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    Targets targets = {.exp = exp, .count = exp->as.scatter.count};
    targets.targets = ARENA_ARRAY(L->c->arena, const Reader *, targets.count + 1);
    targets.values = ARENA_ARRAY(L->c->arena, const Reader *, targets.count + 1);
    for (size_t k = 0; k < targets.count; k++) {
        const Reader *target = lower_array(L, exp->as.scatter.destinations[k]);
        if (!lower_is_writable(target)) {
            const Reader *place = lower_place(L, stm->pattern[k]);
            Value old = {.array = target};
            lower_assign(L, place, old, stm->pattern[k]->text);
            target = place;
        }
        Reader *plain = ARENA_NEW(L->c->arena, Reader);
        *plain = *target;
        plain->items = NULL;
        targets.targets[k] = plain;
    }
    for (size_t k = 0; k < targets.count; k++) {
        targets.values[k] = apart_from(L, &targets, lower_array(L, exp->as.scatter.values[k]));
    }
    targets.indices = apart_from(L, &targets, lower_array(L, exp->as.scatter.indices));
    return targets;
}

/* Whether the index is inside destination 0; all have the same number of rows. */
const KernelExp *lower_is_inside(Lower *L, const Targets *targets, const KernelExp *at)
{
    const KernelExp *extent = targets->targets[0]->shape[0];
    return kernel_binary(L->c, CORE_AND, kernel_binary(L->c, CORE_GE, at, lower_number(L, 0)),
                         kernel_binary(L->c, CORE_LT, at, extent));
}

static void scatter_row(Lower *L, void *context, const KernelExp *index)
{
    const Targets *targets = context;
    LowerLoop block;
    const KernelExp *at =
        lower_let(L, "at", kernel_convert(L->c, CORE_I64, lower_read(L, targets->indices, &index)));
    lower_block_begin(L, &block);
    for (size_t k = 0; k < targets->count; k++) {
        lower_assign(L, lower_row(L, targets->targets[k], 1, &at),
                     lower_row_value(L, targets->values[k], index), "scatter");
    }
    KernelBlock store = lower_block_end(L, &block);
    for (size_t k = 0; k < targets->count; k++) {
        kernel_mark_scattered(store, targets->targets[k]->buffer);
    }
    kernel_if(L->b, lower_is_inside(L, targets, at), store, (KernelBlock){0});
}

void lower_bind_targets(Lower *L, const CoreStm *stm, const Targets *targets)
{
    for (size_t k = 0; k < targets->count; k++) {
        lower_bind_array(L, stm->pattern[k], targets->targets[k]);
    }
}

typedef struct ScatterLoop {
    Targets *targets;
    const KernelExp *width;
} ScatterLoop;

static void scatter_loop(Lower *L, void *context)
{
    ScatterLoop *scatter = context;
    LowerLoop loop;
    lower_loop_begin(L, &loop, FRAME_MAP, "i", scatter->width);
    scatter_row(L, scatter->targets, loop.index);
    lower_loop_end(L, &loop);
}

void lower_scatter(Lower *L, const CoreStm *stm)
{
    Targets targets = lower_targets(L, stm);
    ScatterLoop scatter = {&targets, lower_scalar(L, stm->exp->as.scatter.width)};
    bool on_host = !L->in_kernel && L->target == KERNEL_PARALLEL;
    if (on_host && stm->exp->level == CORE_SEQ &&
        lower_single_item(L, "scatter", stm->pattern[0]->text, scatter_loop, &scatter)) {
        lower_bind_targets(L, stm, &targets);
        return;
    }
    lower_for_each(L, "scatter", stm->pattern[0]->text, lower_scalar(L, stm->exp->as.scatter.width),
                   scatter_row, &targets);
    lower_bind_targets(L, stm, &targets);
}
