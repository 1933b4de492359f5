/* Filters: which rows are kept, and where they go.

       let (m, ys) = filter n xs p

   and likewise `compact`, of whose rows the first are those kept. Sequentially a loop with a counter: each row is stored behind those kept, and counted or not, so
   that no branch depends on it. In parallel the sum of what is kept up to a row is its place,
   so that a filter is a scan, and the scan's kernel writes the rows (scan.h, ScanEpilogue):

       sums = scan + 0 (map (i64 . p) xs);   for each row i: if p(xs[i]) { ys[sums[i] - 1] = xs[i] }
       m = sums[n - 1], which its row leaves in a place of its own

   Neither sums nor flags are stored; p is done again, and ys has room for all rows. Where p is more
   than a few scalar operations, or rows are arrays, so that room for all of them may be far too
   much, its bits and the sums are stored, and another kernel writes the rows. */
#include "backend/lower/scan.h"

enum { MOST_STORED = 4 /* arrays of which a row that is not kept is stored all the same */ };

/* ---- sequentially ----------------------------------------------------------------------------- */

static void bind_kept(Lower *L, const CoreStm *stm, const Reader *const *places)
{
    for (size_t k = 1; k < stm->pattern_count; k++) {
        Reader *kept = ARENA_NEW(L->c->arena, Reader);
        *kept = *places[k];
        kept->shape = lower_shape(L, stm->pattern[k]->type);
        lower_bind_array(L, stm->pattern[k], kept);
    }
}

/* The row of what is kept: what there is of it already, or (NULL) a row of the input. */
static Value kept_row(Lower *L, const CoreExp *exp, size_t k, const Value *computed,
                      const KernelExp *index)
{
    return computed != NULL ? computed[1 + k]
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

/* Scalars in memory with room for all rows: to store one more behind those kept costs less than a
   branch that the processor cannot foresee. What comes next takes its place. */
static bool is_stored_first(const Lower *L, const CoreStm *stm)
{
    bool good = L->target == KERNEL_SEQUENTIAL && stm->pattern_count <= 1 + MOST_STORED;
    for (size_t k = 1; k < stm->pattern_count; k++) {
        good = good && stm->pattern[k]->type.rank == 1 &&
               pointer_map_get(&L->wanted, stm->pattern[k]) == NULL;
    }
    return good;
}

/* Room for every row: how many are kept is known only afterwards. */
static void filter_sequential(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    const CoreLambda *predicate = exp->as.filter.predicate;
    const KernelExp *width = lower_scalar(L, exp->as.filter.width);
    bool computes = predicate->body->result_count > 1, first = is_stored_first(L, stm);
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
        const Reader *place = lower_row(L, places[k], 1, &at);
        Value row = kept_row(L, exp, k - 1, computes ? results : NULL, loop.index);
        lower_assign(L, place, row, stm->pattern[k]->text);
    }
    const KernelExp *counted =
        first ? kernel_convert(L->c, CORE_I64, results[0].scalar) : lower_number(L, 1);
    kernel_assign(L->b, kept, kernel_binary(L->c, CORE_ADD, at, counted));
    KernelBlock keep_block = lower_block_end(L, &block);
    if (first) {
        kernel_add_block(L->b, keep_block);
    } else {
        kernel_if(L->b, results[0].scalar, keep_block, (KernelBlock){0});
    }
    lower_loop_end(L, &loop);
    pointer_map_set(L->c->arena, &L->bounds, kept, (void *)(uintptr_t)width);
    lower_bind_scalar(L, stm->pattern[0], kernel_use(L->c, kept));
    bind_kept(L, stm, places);
}

/* ---- bits and sums, then rows ----------------------------------------------------------------- */

typedef struct KeptRows {
    const CoreStm *stm;
    const Reader *flags, *sums;
    const Reader **places;
} KeptRows;

/* if keep { what the block has begun with; the row goes to its place } */
static void end_kept(Lower *L, LowerLoop *block, const KernelExp *keep, const CoreStm *stm,
                     const Reader *const *places, const KernelExp *sum, const Value *computed,
                     const KernelExp *index)
{
    const KernelExp *at =
        lower_let(L, "at", kernel_binary(L->c, CORE_SUB, sum, lower_number(L, 1)));
    for (size_t k = 1; k < stm->pattern_count; k++) {
        const Reader *place = lower_row(L, places[k], 1, &at);
        Value row = kept_row(L, stm->exp, k - 1, computed, index);
        lower_assign(L, place, row, stm->pattern[k]->text);
    }
    KernelBlock stored = lower_block_end(L, block);
    for (size_t k = 1; k < stm->pattern_count; k++) {
        kernel_mark_scattered(stored, places[k]->buffer);
    }
    kernel_if(L->b, keep, stored, (KernelBlock){0});
}

static size_t result_of(const CoreStm *stm, CoreAtom input)
{
    size_t k = 0;
    while (stm != NULL && k < stm->pattern_count && stm->pattern[k] != input.name) {
        k++;
    }
    return stm != NULL && k < stm->pattern_count ? k : SIZE_MAX;
}

/* The predicate's result for this row, and what is kept of it. scan: whose scanned values for the
   row are inputs; or NULL. */
static const Value *predicate_of(Lower *L, const CoreExp *exp, const KernelExp *index,
                                 const CoreStm *scan, const Value *scanned)
{
    const CoreLambda *predicate = exp->as.filter.predicate;
    size_t count = exp->as.filter.input_count, results = predicate->body->result_count;
    Value *computed = ARENA_ARRAY(L->c->arena, Value, count + results);
    for (size_t k = 0; k < count; k++) {
        size_t place = result_of(scan, exp->as.filter.inputs[k]);
        if (place != SIZE_MAX) {
            lower_bind_scalar(L, predicate->parameters[k], scanned[place].scalar);
        } else {
            lower_bind_rows(L, predicate, k, 1, exp->as.filter.inputs + k, index);
        }
    }
    lower_body(L, predicate->body, NULL, computed);
    for (size_t k = 0; results == 1 && k < count; k++) {
        computed[1 + k] = lower_value(L, core_use(predicate->parameters[k]));
    }
    return computed;
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
    for (size_t i = 0; i < stm->pattern_count; i++) {
        if (pointer_map_get(&needed->names, stm->pattern[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Or it is done for more than its results. */
static bool is_done(const Needed *needed, const CoreStm *stm)
{
    return is_needed(needed, stm) || !is_plain(stm);
}

/* Adds the statements that `count` results from number `first` on are computed by, as `stays` says; what these and the
   results use. */
static Needed add_needed(Lower *L, CoreBuilder *b, const CoreBody *body, size_t first, size_t count,
                         bool (*stays)(const Needed *needed, const CoreStm *stm))
{
    Needed needed = {.L = L};
    bool *keep = ARENA_ARRAY(L->c->arena, bool, body->stm_count + 1);
    for (size_t k = first; k < first + count; k++) {
        if (body->results[k].name) {
            need(&needed, body->results[k].name);
        }
    }
    for (size_t i = body->stm_count; i-- > 0;) {
        keep[i] = stays(&needed, body->stms[i]);
        if (keep[i]) {
            core_each_free(body->stms[i], need, &needed);
        }
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        if (keep[i]) {
            core_add(b, body->stms[i]);
        }
    }
    return needed;
}

/* let (sums, flags) = soac n xs map (\x -> let p = ... in (i64 p, p)) scan (+, 0), or sums alone. */
static CoreStm *flags_and_sums(Lower *L, const CoreStm *stm, bool flags)
{
    Compilation *c = L->c;
    const CoreExp *exp = stm->exp;
    const CoreLambda *predicate = exp->as.filter.predicate;
    CoreBuilder b = core_builder(c, stm->span);
    add_needed(L, &b, predicate->body, 0, 1, is_done);
    CoreAtom results[2];
    results[1] = predicate->body->results[0];
    results[0] = core_let_convert(&b, "kept", CORE_I64, results[1]);
    const CoreBody *body = core_body(&b, flags ? 2 : 1, results);
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
    made->pattern_count = flags ? 2 : 1;
    made->pattern = pattern;
    made->exp = core_exp_placed(c,
                                core_exp_soac(c, width, exp->as.filter.input_count,
                                              exp->as.filter.inputs, map, 0, NULL, 1, sum),
                                exp->level, CORE_SPACE_AUTO);
    return made;
}

/* What is kept of the row, computed once more rather than stored, without what only says whether it is; NULL: rows of the
   inputs. */
static const Value *kept_again(Lower *L, const CoreExp *exp, const KernelExp *index)
{
    const CoreLambda *predicate = exp->as.filter.predicate;
    size_t kept = predicate->body->result_count - 1;
    if (kept == 0) {
        return NULL;
    }
    Value *computed = ARENA_ARRAY(L->c->arena, Value, 1 + kept);
    CoreBuilder b = core_builder(L->c, L->b->span);
    Needed needed = add_needed(L, &b, predicate->body, 1, kept, is_needed);
    for (size_t k = 0; k < exp->as.filter.input_count; k++) {
        if (pointer_map_get(&needed.names, predicate->parameters[k]) != NULL) {
            lower_bind_rows(L, predicate, k, 1, exp->as.filter.inputs + k, index);
        }
    }
    lower_body(L, core_body(&b, kept, predicate->body->results + 1), NULL, computed + 1);
    return computed;
}

static void write_kept(Lower *L, void *context, const KernelExp *index)
{
    const KeptRows *rows = context;
    const CoreExp *exp = rows->stm->exp;
    LowerLoop block;
    const KernelExp *keep = lower_let(L, "keep", lower_read(L, rows->flags, &index));
    lower_block_begin(L, &block);
    const KernelExp *sum = lower_let(L, "sum", lower_read(L, rows->sums, &index));
    end_kept(L, &block, keep, rows->stm, rows->places, sum, kept_again(L, exp, index), index);
}

static void filter_by_sums(Lower *L, const CoreStm *stm)
{
    CoreStm *scan = flags_and_sums(L, stm, true);
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

/* ---- in the kernel of the scan ---------------------------------------------------------------- */

typedef struct Keeper {
    const CoreStm *stm, *scan; /* scan: of a pair */
    size_t sum;                /* which of the scanned values it is */
    const Reader **places;
    KernelVariable *total; /* one i64: what the last row's sum is */
    const KernelExp *width;
} Keeper;

static void keep_row(Lower *L, void *context, const KernelExp *row, const Value *scanned)
{
    const Keeper *keeper = context;
    LowerLoop block;
    const KernelExp *sum = scanned[keeper->sum].scalar;
    const Value *results = predicate_of(L, keeper->stm->exp, row, keeper->scan, scanned);
    lower_block_begin(L, &block);
    end_kept(L, &block, results[0].scalar, keeper->stm, keeper->places, sum, results, row);
    lower_block_begin(L, &block);
    kernel_store(L->b, keeper->total, lower_number(L, 0), sum);
    const KernelExp *next = kernel_binary(L->c, CORE_ADD, row, lower_number(L, 1));
    kernel_if(block.outer, kernel_binary(L->c, CORE_EQ, next, keeper->width),
              lower_block_end(L, &block), (KernelBlock){0});
}

/* `scans`: its last result is the sum of what is kept; others belong to the statement `before`. */
static bool filter_in_scan(Lower *L, const CoreStm *stm, const CoreStm *scans,
                           const CoreStm *before, const bool *stored)
{
    Keeper keeper = {.stm = stm,
                     .scan = before,
                     .sum = scans->pattern_count - 1,
                     .width = lower_scalar(L, stm->exp->as.filter.width)};
    ScanEpilogue epilogue = {.light = true, .row = keep_row, .context = &keeper};
    keeper.places = ARENA_ARRAY(L->c->arena, const Reader *, stm->pattern_count + 1);
    for (size_t k = 1; k < stm->pattern_count; k++) {
        keeper.places[k] = lower_room_for_all(L, stm, k - 1);
    }
    keeper.total = kernel_variable(L->c, "total", CORE_I64, KERNEL_GLOBAL, L->b->span);
    kernel_allocate(L->b, keeper.total, lower_number(L, 1));
    bool good = lower_scan_then(L, scans, &scans->exp->as.soac, stored, &epilogue);
    if (good) {
        const KernelExp *kept =
            kernel_select(L->c, lower_op(L, CORE_GT, keeper.width, lower_number(L, 0)),
                          kernel_load(L->c, keeper.total, lower_number(L, 0)), lower_number(L, 0));
        lower_bind_scalar(L, stm->pattern[0], kept);
        bind_kept(L, stm, keeper.places);
    }
    kernel_release(L->b, keeper.total);
    return good;
}

/* ---- after a scan ----------------------------------------------------------------------------- */

/* soac n (xs, us) map (\x u -> (f x, i64 (p u))) scan op e scan (+, 0), for a scan of f and a filter by
   p; NULL where p wants the scanned rows. */
static const CoreStm *both_scans(Lower *L, const CoreStm *first, const CoreStm *sums)
{
    Compilation *c = L->c;
    const CoreSoac *x = &first->exp->as.soac, *y = &sums->exp->as.soac;
    size_t count = x->input_count + y->input_count, width = first->pattern_count;
    CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, width + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, width + 1);
    CoreReduction *scans = ARENA_ARRAY(c->arena, CoreReduction, x->scan_count + 1);
    CoreBuilder b = core_builder(c, first->span);
    Needed needed = {.L = L};
    size_t taken = 0;
    for (size_t i = 0; i < y->map->body->stm_count; i++) {
        core_each_free(y->map->body->stms[i], need, &needed);
    }
    for (size_t i = 0; i < count; i++) {
        bool own = i < x->input_count;
        const CoreSoac *soac = own ? x : y;
        size_t k = own ? i : i - x->input_count;
        if (own || result_of(first, y->inputs[k]) == SIZE_MAX) {
            inputs[taken] = soac->inputs[k];
            parameters[taken++] = soac->map->parameters[k];
        } else if (pointer_map_get(&needed.names, y->map->parameters[k]) != NULL) {
            return NULL;
        }
    }
    for (size_t i = 0; i < x->map->body->stm_count; i++) {
        core_add(&b, x->map->body->stms[i]);
    }
    for (size_t i = 0; i < y->map->body->stm_count; i++) {
        core_add(&b, y->map->body->stms[i]);
    }
    for (size_t k = 0; k <= width; k++) {
        pattern[k] = k < width ? first->pattern[k] : sums->pattern[0];
        results[k] = k < width ? x->map->body->results[k] : y->map->body->results[0];
    }
    for (size_t k = 0; k <= x->scan_count; k++) {
        scans[k] = k < x->scan_count ? x->scans[k] : y->scans[0];
    }
    CoreStm *both = arena_copy(c->arena, first, sizeof *first);
    const CoreLambda *map = core_lambda(c, taken, parameters, core_body(&b, width + 1, results));
    both->pattern = pattern;
    both->pattern_count = width + 1;
    both->exp = core_exp_soac(c, x->width, taken, inputs, map, 0, NULL, x->scan_count + 1, scans);
    return both;
}

/* Few operations say what is kept, and that is scalars. */
static bool is_written_in_scan(const CoreStm *stm)
{
    for (size_t k = 1; k < stm->pattern_count; k++) {
        if (stm->pattern[k]->type.rank > 1) {
            return false;
        }
    }
    const CoreLambda *predicate = stm->exp->as.filter.predicate;
    return stm->exp->level == CORE_LEVEL_AUTO && lower_is_light(predicate) &&
           lower_is_short(predicate, LOWER_MOST_AGAIN, 1);
}

bool lower_is_filter(const CoreStm *stm)
{
    return stm->exp->kind == CORE_EXP_FILTER || stm->exp->kind == CORE_EXP_COMPACT;
}

bool lower_filter_pair(Lower *L, const CoreStm *first, const CoreStm *second, const bool *needed)
{
    if (L->in_kernel || L->target == KERNEL_SEQUENTIAL || !lower_is_filter(second) ||
        !lower_is_only_scans(first) || !is_written_in_scan(second) ||
        !lower_is_short(first->exp->as.soac.map, LOWER_MOST_AGAIN, 1) ||
        !core_atom_equal(first->exp->as.soac.width, second->exp->as.filter.width)) {
        return false;
    }
    bool takes = false;
    for (size_t k = 0; k < second->exp->as.filter.input_count; k++) {
        takes = takes || result_of(first, second->exp->as.filter.inputs[k]) != SIZE_MAX;
    }
    const CoreStm *scans = takes ? both_scans(L, first, flags_and_sums(L, second, false)) : NULL;
    if (scans == NULL) {
        return false;
    }
    bool *stored = ARENA_ARRAY(L->c->arena, bool, scans->pattern_count);
    for (size_t k = 0; k < scans->pattern_count; k++) {
        stored[k] = k < first->pattern_count && needed[k];
    }
    lower_place_results(L, 0, first, stored);
    bool good = filter_in_scan(L, second, scans, first, stored);
    lower_forget_places(L, first, good);
    return good;
}

/* ---- the choice ------------------------------------------------------------------------------- */

void lower_filter(Lower *L, const CoreStm *stm)
{
    if (L->in_kernel || L->target == KERNEL_SEQUENTIAL) {
        filter_sequential(L, stm);
        return;
    }
    if (stm->exp->level == CORE_SEQ && lower_on_device(L, stm, "seq")) {
        return;
    }
    const bool stored = false;
    if (!is_written_in_scan(stm) ||
        !filter_in_scan(L, stm, flags_and_sums(L, stm, false), NULL, &stored)) {
        filter_by_sums(L, stm);
    }
}
