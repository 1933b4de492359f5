/* Strips: kernels whose work-items have several neighbouring elements each.

   core/locality/strips.c writes the function of several elements out, with what they share shared,
   and says where that pays. Here it becomes a kernel's body; what is left at the end of a row, and
   rows that are shorter, are computed one element after the other:

       grid map_b (g < n * strips) {                 strips = (m + 3) / 4
           s = g % strips; i = g / strips; first = s * 4
           if first + 4 <= m { ...; b[i, first] = x0; b[i, first + 1] = x1; ... }
           else { for (l < m - first) { the function at first + l } }
       }

   Where it matters at which indices strips begin, for bits that they have in common, the first strip
   is the rest of one, too: `shift` of its elements are missing.

           start = s * 16 - shift; first = max(start, 0)
           if start >= 0 & first + 16 <= m { ... }
           else { for (l < min(start + 16, m) - first) { the function at first + l } }

   Elements of a byte alone are stored so: work-items side by side then write side by side, and for
   wider ones they would not; a fold that is shared is worth more than that. A reduction stores
   nothing, and may have wider strips. */
#include "backend/lower/lower.h"

enum { ELEMENTS_OF_MAP = 4, ELEMENTS_OF_REDUCTION = 16 };

void lower_note_view(Lower *L, const CoreStm *stm)
{
    if (!L->in_kernel && L->target == KERNEL_PARALLEL && lower_guard_of(L, stm) == NULL) {
        pointer_map_set(L->c->arena, &L->views, stm->pattern[0], (void *)(uintptr_t)stm);
    }
}

static void lower_part(Lower *L, const CoreBody *part)
{
    for (size_t i = 0; i < part->stm_count; i++) {
        lower_statement(L, part->stms[i]);
    }
}

/* How many of the body's statements the results of the first `count` elements need. */
static size_t needed_for(const CoreStrip *strip, size_t count)
{
    size_t each = strip->body->result_count / strip->width, needed = 0;
    for (size_t i = 0; i < strip->body->stm_count; i++) {
        for (size_t k = 0; k < count * each; k++) {
            const CoreName *name = strip->body->results[k].name;
            needed = name != NULL && name == strip->body->stms[i]->pattern[0] ? i + 1 : needed;
        }
    }
    return needed;
}

/* The elements in their order, each used as soon as it is there. */
static void lower_elements(Lower *L, const CoreStrip *strip, const KernelExp *first,
                           const StripUse *use)
{
    size_t each = strip->body->result_count / strip->width, at = 0;
    Value *results = ARENA_ARRAY(L->c->arena, Value, each + 1);
    for (size_t number = 0; number < strip->width; number++) {
        for (size_t end = needed_for(strip, number + 1); at < end; at++) {
            lower_statement(L, strip->body->stms[at]);
        }
        for (size_t k = 0; k < each; k++) {
            results[k] = lower_value(L, strip->body->results[number * each + k]);
        }
        use->element(L, use->context, first, number, results);
    }
}

/* So many elements of the first strip are missing. */
static const KernelExp *missing(Lower *L, const CoreStrip *strip)
{
    const CoreAtom *offsets = strip->offsets;
    int64_t last = strip->width - 1;
    if (!offsets[0].name && !offsets[1].name) {
        uint64_t offset = (uint64_t)offsets[0].as.integer + (uint64_t)offsets[1].as.integer;
        return lower_number(L, (int64_t)(offset & (uint64_t)last));
    }
    const KernelExp *offset =
        lower_op(L, CORE_ADD, lower_scalar(L, offsets[0]), lower_scalar(L, offsets[1]));
    return lower_let(L, "shift", lower_op(L, CORE_AND, offset, lower_number(L, last)));
}

const KernelExp *lower_strip_count(Lower *L, const CoreStrip *strip, const KernelExp *extent)
{
    const KernelExp *all = lower_op(L, CORE_ADD, extent, missing(L, strip));
    return lower_let(L, "strips", lower_ceiling(L, all, lower_number(L, (int64_t)strip->width)));
}

/* Strip `number` of a row of `extent` elements, or what there is of it one element after the other. */
static void lower_strip(Lower *L, const CoreStrip *strip, const KernelExp *number,
                        const KernelExp *extent, size_t row_count, KernelExps rows,
                        const StripUse *use)
{
    const KernelExp *width = lower_number(L, (int64_t)strip->width), *shift = missing(L, strip);
    const KernelExp *start = lower_op(L, CORE_MUL, number, width), *first, *end = extent;
    bool shifted = !kernel_is_i64(shift, 0);
    if (shifted) {
        start = lower_let(L, "start", lower_op(L, CORE_SUB, start, shift));
        end = lower_op(L, CORE_MIN, lower_op(L, CORE_ADD, start, width), extent);
    }
    first = shifted ? lower_op(L, CORE_MAX, start, lower_number(L, 0)) : start;
    first = lower_let(L, "first", first);
    if (row_count == 0) {
        lower_is_row(first, extent);
    }
    for (size_t k = 0; k < row_count; k++) {
        lower_bind_scalar(L, strip->rows[k], rows[k]);
    }
    for (size_t k = 0; k < strip->parameter_count; k++) {
        lower_bind(L, strip->parameters[k], lower_value(L, core_use(strip->outside[k])));
    }
    lower_bind_scalar(L, strip->first, first);
    lower_part(L, strip->before);
    lower_part(L, strip->test);
    const KernelExp *is_whole = lower_scalar(L, strip->test->results[0]);
    if (shifted) {
        is_whole = lower_op(L, CORE_AND, is_whole, lower_op(L, CORE_GE, start, lower_number(L, 0)));
    }
    LowerLoop block, rest, loop;
    lower_block_begin(L, &block);
    lower_elements(L, strip, first, use);
    KernelBlock whole = lower_block_end(L, &block);
    lower_block_begin(L, &rest);
    lower_loop_begin(L, &loop, FRAME_MAP, "l",
                     lower_let(L, "left", lower_op(L, CORE_SUB, end, first)));
    use->single(L, use->context, lower_let(L, "i", lower_op(L, CORE_ADD, first, loop.index)));
    lower_loop_end(L, &loop);
    KernelBlock one_by_one = lower_block_end(L, &rest);
    kernel_if(L->b, is_whole, whole, one_by_one);
    kernel_strip(L->b, strip->width);
}

/* ---- maps ------------------------------------------------------------------------------------ */

typedef struct MapStrip {
    const Nest *nest;
    const CoreStrip *strip;
    KernelExps indices; /* the last of them: the strip's */
} MapStrip;

static KernelExps with_last(Lower *L, const MapStrip *map, const KernelExp *last)
{
    size_t depth = map->nest->levels.count;
    const KernelExp **indices = ARENA_ARRAY(L->c->arena, const KernelExp *, depth);
    memcpy(indices, map->indices, depth * sizeof *indices);
    indices[depth - 1] = last;
    return indices;
}

static void store_element(Lower *L, void *context, const KernelExp *first, size_t number,
                          const Value *results)
{
    const MapStrip *map = context;
    size_t depth = map->nest->levels.count;
    const NestLevel *level = &map->nest->levels.items[depth - 1];
    const KernelExp *at = lower_op(L, CORE_ADD, first, lower_number(L, (int64_t)number));
    KernelExps indices = with_last(L, map, at);
    for (size_t k = 0; k < level->soac->map->body->result_count; k++) {
        if (level->outs[k] != SIZE_MAX) {
            const Reader *place = map->nest->outs[level->outs[k]];
            lower_store_scalar(L, lower_row(L, place, depth, indices), results[k].scalar);
        }
    }
}

static void store_single(Lower *L, void *context, const KernelExp *index)
{
    const MapStrip *map = context;
    lower_nest_element(L, map->nest, with_last(L, map, index));
}

static bool has_fold(const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        if (body->stms[i]->exp->kind == CORE_EXP_SOAC) {
            return true;
        }
    }
    return false;
}

/* Where the nest's kernel stores bytes alone; scalars, where it is for a fold that strips are wanted. */
static const CoreStrip *map_strip(Lower *L, const Nest *nest, bool of_folds)
{
    size_t depth = nest->levels.count;
    const CoreSoac **soacs = ARENA_ARRAY(L->c->arena, const CoreSoac *, depth);
    for (size_t v = 0; v < depth; v++) {
        const NestLevel *level = &nest->levels.items[v];
        soacs[v] = level->soac;
        if (level->soac->reduction_count > 0 || level->soac->scan_count > 0) {
            return NULL;
        }
    }
    const CoreLambda *innermost = soacs[depth - 1]->map;
    bool fit = nest->view_rank == 0 && innermost->body->result_count > 0 &&
               has_fold(innermost->body) == of_folds;
    for (size_t k = 0; fit && k < innermost->body->result_count; k++) {
        CoreType type = innermost->result_types[k];
        fit = type.rank == 0 && (type.prim == CORE_BOOL || of_folds);
    }
    return fit ? core_strip(L->c, depth, soacs, &L->views, ELEMENTS_OF_MAP) : NULL;
}

bool lower_nest_strips(Lower *L, const Nest *nest, KernelExps extents, const char *text,
                       bool of_folds)
{
    const CoreStrip *strip = map_strip(L, nest, of_folds);
    if (strip == NULL) {
        return false;
    }
    size_t depth = nest->levels.count;
    const KernelExp **counts = ARENA_ARRAY(L->c->arena, const KernelExp *, depth);
    memcpy(counts, extents, depth * sizeof *counts);
    counts[depth - 1] = lower_strip_count(L, strip, extents[depth - 1]);
    const KernelExp *count = lower_product(L, (int)depth, counts), *rows = extents[0];
    for (size_t v = 1; v < depth; v++) {
        rows = lower_op(L, CORE_MUL, rows, extents[v]);
    }
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    KernelExps indices = lower_unflatten(L, kernel_use(L->c, kernel.index), (int)depth, counts);
    MapStrip map = {nest, strip, indices};
    StripUse use = {store_element, store_single, &map};
    lower_strip(L, strip, indices[depth - 1], extents[depth - 1], depth - 1, indices, &use);
    if (!lower_kernel_end(L, &kernel, "map", text, count)) {
        return false;
    }
    kernel_rows(L->b, rows);
    return true;
}

/* ---- reductions ------------------------------------------------------------------------------ */

const CoreStrip *lower_reduction_strip(Lower *L, const CoreStm *stm, const CoreSoac *soac,
                                       size_t reduced)
{
    bool alone = stm->pattern_count == reduced && soac->scan_count == 0;
    return alone ? core_strip(L->c, 1, &soac, &L->views, ELEMENTS_OF_REDUCTION) : NULL;
}

void lower_strip_of_rows(Lower *L, const CoreStrip *strip, const KernelExp *number,
                         const KernelExp *width, const StripUse *use)
{
    lower_strip(L, strip, number, width, 0, NULL, use);
}
