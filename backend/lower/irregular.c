/* Scatter, and what it shares with hist: each row of vs with an index inside d is stored there, in
   d's own memory; where indices coincide any of the rows stays. A map that makes indices or values,
   and that nothing else needs, is computed in the scatter's loop or kernel:

       let (is, vs) = map n (\x -> (x + 3, x * x)) xs      for each i: at = xs[i] + 3
       let r = scatter d is vs                        ==>              if at is inside d:
                                                                         d[at] = xs[i] * xs[i] */
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

/* ---- scatter ------------------------------------------------------------------------ */

/* What is read while destinations are written must not be their memory. */
static const Reader *apart_from(Lower *L, const Targets *targets, CoreAtom array)
{
    const Reader *reader = lower_array(L, array);
    for (size_t k = 0; k < targets->count; k++) {
        if (lower_reaches(reader, targets->targets[k]->buffer)) {
            lower_note_memory(L, core_atom_type(array));
            const Reader *place =
                lower_allocate(L, "saved", reader->prim, reader->rank, reader->shape);
            Value value = {.array = reader};
            lower_assign(L, place, value, "saved");
            return place;
        }
    }
    return reader;
}

/* Which of the statement's results this is; SIZE_MAX: none. */
static size_t made_as(const CoreStm *maker, CoreAtom array)
{
    for (size_t k = 0; maker != NULL && k < maker->pattern_count; k++) {
        if (maker->pattern[k] == array.name) {
            return k;
        }
    }
    return SIZE_MAX;
}

/* What the maker gives for the row at work, or the scan has finished; NULL: it is in memory. */
static const Value *made_value(const Targets *targets, CoreAtom array)
{
    size_t made = made_as(targets->maker, array), scanned = made_as(targets->scan, array);
    return made != SIZE_MAX      ? &targets->made[made]
           : scanned != SIZE_MAX ? &targets->scanned[scanned]
                                 : NULL;
}

static bool is_stored(const Targets *targets, CoreAtom array)
{
    return made_as(targets->maker, array) == SIZE_MAX && made_as(targets->scan, array) == SIZE_MAX;
}

Targets lower_targets(Lower *L, const CoreStm *stm, const CoreStm *maker, const CoreStm *scan)
{
    const CoreExp *exp = stm->exp;
    Targets targets = {.exp = exp, .count = exp->as.scatter.count, .maker = maker, .scan = scan};
    targets.made = ARENA_ARRAY(L->c->arena, Value, maker != NULL ? maker->pattern_count + 1 : 1);
    targets.targets = ARENA_ARRAY(L->c->arena, const Reader *, targets.count + 1);
    targets.values = ARENA_ARRAY(L->c->arena, const Reader *, targets.count + 1);
    for (size_t k = 0; k < targets.count; k++) {
        const Reader *target = lower_target(L, stm->pattern[k], exp->as.scatter.destinations[k]);
        Reader *plain = ARENA_NEW(L->c->arena, Reader);
        *plain = *target;
        plain->items = NULL;
        targets.targets[k] = plain;
    }
    for (size_t k = 0; k < targets.count; k++) {
        CoreAtom values = exp->as.scatter.values[k];
        targets.values[k] = is_stored(&targets, values) ? apart_from(L, &targets, values) : NULL;
    }
    if (is_stored(&targets, exp->as.scatter.indices)) {
        targets.indices = apart_from(L, &targets, exp->as.scatter.indices);
    }
    return targets;
}

const KernelExp *lower_target_row(Lower *L, const Targets *targets, const KernelExp *index)
{
    if (targets->maker != NULL) {
        const CoreSoac *soac = &targets->maker->exp->as.soac;
        for (size_t i = 0; i < soac->input_count; i++) {
            size_t scanned = made_as(targets->scan, soac->inputs[i]);
            if (scanned != SIZE_MAX) {
                lower_bind_scalar(L, soac->map->parameters[i], targets->scanned[scanned].scalar);
            } else {
                lower_bind_rows(L, soac->map, i, 1, soac->inputs + i, index);
            }
        }
        lower_body_of_row(L, index, soac->map->body, NULL, targets->made);
    }
    const KernelExp *at = targets->indices != NULL
                              ? lower_read(L, targets->indices, &index)
                              : made_value(targets, targets->exp->as.scatter.indices)->scalar;
    return lower_let(L, "at", kernel_convert(L->c, CORE_I64, at));
}

Value lower_target_value(Lower *L, const Targets *targets, size_t k, const KernelExp *index)
{
    return targets->values[k] != NULL ? lower_row_value(L, targets->values[k], index)
                                      : *made_value(targets, targets->exp->as.scatter.values[k]);
}

/* Whether the index is inside destination 0; all have the same number of rows. */
const KernelExp *lower_is_inside(Lower *L, const Targets *targets, const KernelExp *at)
{
    const KernelExp *extent = targets->targets[0]->shape[0];
    return kernel_binary(L->c, CORE_AND, kernel_binary(L->c, CORE_GE, at, lower_number(L, 0)),
                         kernel_binary(L->c, CORE_LT, at, extent));
}

void lower_scatter_row(Lower *L, void *context, const KernelExp *index)
{
    const Targets *targets = context;
    LowerLoop block;
    const KernelExp *at = lower_target_row(L, targets, index);
    lower_block_begin(L, &block);
    for (size_t k = 0; k < targets->count; k++) {
        const Reader *place = lower_row(L, targets->targets[k], 1, &at);
        lower_assign(L, place, lower_target_value(L, targets, k, index), "scatter");
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
    lower_scatter_row(L, scatter->targets, loop.index);
    lower_loop_end(L, &loop);
}

void lower_scatter(Lower *L, const CoreStm *stm, const CoreStm *maker)
{
    Targets targets = lower_targets(L, stm, maker, NULL);
    ScatterLoop scatter = {&targets, lower_scalar(L, stm->exp->as.scatter.width)};
    bool on_host = !L->in_kernel && L->target == KERNEL_PARALLEL;
    if (on_host && stm->exp->level == CORE_SEQ &&
        lower_single_item(L, "scatter", stm->pattern[0]->text, scatter_loop, &scatter)) {
        lower_bind_targets(L, stm, &targets);
        return;
    }
    lower_for_each(L, "scatter", stm->pattern[0]->text, lower_scalar(L, stm->exp->as.scatter.width),
                   lower_scatter_row, &targets);
    lower_bind_targets(L, stm, &targets);
}

/* ---- a map and what takes its rows ----------------------------------------------------------- */

/* Scalars from scalars and elements, in branches, too, which may check something. */
static bool is_simple(const CoreBody *body)
{
    bool good = true;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        good = good && (lower_is_cheap(exp) ||
                        (exp->kind == CORE_EXP_IF && is_simple(exp->as.conditional.then_body) &&
                         is_simple(exp->as.conditional.else_body)));
    }
    return good;
}

bool lower_is_maker(const CoreStm *stm)
{
    if (!lower_is_map(stm->exp) || stm->exp->level != CORE_LEVEL_AUTO ||
        stm->exp->space != CORE_SPACE_AUTO) {
        return false;
    }
    const CoreLambda *map = stm->exp->as.soac.map;
    bool good = true;
    for (size_t k = 0; k < map->parameter_count; k++) {
        good = good && map->parameters[k]->type.rank == 0;
    }
    for (size_t k = 0; k < map->body->result_count; k++) {
        good = good && map->result_types[k].rank == 0;
    }
    return good && is_simple(map->body);
}

typedef struct MakerUse {
    Lower *L;
    const CoreStm *maker;
    const CoreExp *scatter;
    bool found;
} MakerUse;

/* Something that the scatter uses in another way than row by row. */
static void find_made(void *context, CoreName *name)
{
    MakerUse *use = context;
    use->found = use->found || made_as(use->maker, core_use(name)) != SIZE_MAX;
}

/* Something in memory that the scatter writes. */
static void find_target(void *context, CoreName *name)
{
    MakerUse *use = context;
    for (size_t k = 0; name->type.rank > 0 && k < use->scatter->as.scatter.count; k++) {
        use->found = use->found || core_may_share(use->L->aliases, core_use(name),
                                                  use->scatter->as.scatter.destinations[k]);
    }
}

bool lower_takes_rows(const CoreStm *maker, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    bool takes = made_as(maker, exp->as.scatter.indices) != SIZE_MAX;
    for (size_t k = 0; k < exp->as.scatter.count; k++) {
        takes = takes || made_as(maker, exp->as.scatter.values[k]) != SIZE_MAX;
    }
    return takes;
}

bool lower_is_apart(Lower *L, const CoreStm *maker, const CoreStm *stm)
{
    MakerUse use = {L, maker, stm->exp, false};
    CoreExp exp = *stm->exp;
    CoreStm without = *stm;
    CoreAtom *values = ARENA_ARRAY(L->c->arena, CoreAtom, exp.as.scatter.count + 1);
    for (size_t k = 0; k < exp.as.scatter.count; k++) {
        values[k] = core_i64(0);
    }
    exp.as.scatter.values = values;
    exp.as.scatter.indices = core_i64(0);
    without.exp = &exp;
    core_each_free(&without, find_made, &use);
    if (L->aliases == NULL) {
        L->aliases = core_aliases(L->c, L->entry);
    }
    core_each_free(maker, find_target, &use);
    return !use.found;
}

bool lower_scatter_pair(Lower *L, const CoreStm *first, const CoreStm *second, const bool *needed)
{
    const CoreExp *exp = second->exp;
    bool scatter = exp->kind == CORE_EXP_SCATTER;
    if (L->in_kernel || L->entry == NULL || (!scatter && exp->kind != CORE_EXP_HIST) ||
        (exp->level != CORE_LEVEL_AUTO &&
         (exp->level != CORE_SEQ || L->target == KERNEL_PARALLEL)) ||
        !lower_is_maker(first) ||
        !lower_is_short(first->exp->as.soac.map, LOWER_MOST_TAKEN, scatter ? LOWER_MOST_DEAR : 1) ||
        !core_atom_equal(first->exp->as.soac.width, exp->as.scatter.width)) {
        return false;
    }
    for (size_t k = 0; k < first->pattern_count; k++) {
        if (needed[k]) {
            return false;
        }
    }
    if (!lower_takes_rows(first, second) || !lower_is_apart(L, first, second)) {
        return false;
    }
    if (scatter) {
        lower_scatter(L, second, first);
    } else {
        lower_hist(L, second, first);
    }
    return true;
}
