/* [PLDI 4] Which two SOACs of the data-flow graph fit each other, so that they may become one (graph.c):

       let b = map n (\x -> f x) a                  -- both go over n rows, and nothing else
       let c = map n (\y -> g y) b

   Both nests go through the same widths; or one is work at the other's outer level: cheap work before it, or work behind it with
   the numbers, or the few numbers, that its rows end in; or they differ in what each number is made of, a few rows.

   What has become one is copied with each that joins it, and is one kernel in the end: it has a largest size. */
#include "core/fuse/graph.h"

enum {
    MOST_ARRAYS = 96, /* inputs and results */
    MOST_STATEMENTS = 2000,
    MOST_SCANNED = 16 /* bytes of a row's sums in scans */
};

static bool fits_as_outer(const FuseNode *outer, const FuseNode *nest)
{
    return outer->nest.depth == 1 && !outer->nest.mixed && !outer->nest.serial &&
           nest->nest.depth > 1 && !nest->nest.mixed && !nest->nest.serial &&
           outer->stm->exp->as.soac.reduction_count == 0 && !outer->is_scan &&
           fuse_cost(outer->stm->exp->as.soac.map->body) <= 16;
}

/* How deep the nest is where a few rows, a constant number, are no level. */
static int depth_without_few(const FuseNode *node)
{
    int depth = node->nest.depth;
    while (depth > 1 && fuse_are_few(node->nest.widths[depth - 1])) {
        depth--;
    }
    return depth;
}

/* The map gives that array, and each of its rows is a few numbers, written one by one. */
static bool gives_few_numbers(const CoreStm *map, const CoreName *array)
{
    const CoreLambda *function = map->exp->as.soac.map;
    for (size_t k = 0; fuse_is_map(map) && k < map->pattern_count; k++) {
        const CoreName *row = function->body->results[k].name;
        size_t place = row && map->pattern[k] == array ? fuse_place(function->body, row)
                                                       : function->body->stm_count;
        if (place < function->body->stm_count) {
            const CoreExp *exp = function->body->stms[place]->exp;
            return exp->kind == CORE_EXP_LITERAL && row->type.rank == 1 &&
                   fuse_are_few(row->type.sizes[0]);
        }
    }
    return false;
}

/* What the nest gives the map is a number a row, or a few: what is made of it is computed where the row ends. */
static bool fits_behind(const FuseNode *nest, const FuseNode *map)
{
    const CoreSoac *soac = &map->stm->exp->as.soac;
    if (nest->nest.depth == 1 || nest->nest.mixed || nest->nest.serial ||
        depth_without_few(map) > 1 || map->nest.mixed || map->nest.serial ||
        soac->reduction_count > 0 || map->is_scan || fuse_cost(soac->map->body) >= FUSE_DEAR) {
        return false;
    }
    bool takes = false;
    for (size_t i = 0; i < soac->input_count; i++) {
        CoreName *name = soac->inputs[i].name;
        if (name && core_stm_binds(nest->stm, name)) {
            takes = true;
            if (name->type.rank > 1 && !gives_few_numbers(nest->stm, name)) {
                return false;
            }
        }
    }
    return takes;
}

/* The same, where what it gives is numbers at that depth, each of which comes from a few rows; 0 where it is not. */
static int depth_of_numbers(const FuseNode *node)
{
    int depth = depth_without_few(node);
    bool numbers = !node->nest.mixed && !node->nest.serial && !node->is_scan &&
                   node->stm->exp->as.soac.reduction_count == 0;
    for (size_t i = 0; numbers && i < node->stm->pattern_count; i++) {
        numbers = node->stm->pattern[i]->type.rank == depth;
    }
    return numbers ? depth : 0;
}

static bool fit_as_numbers(const FuseNode *a, const FuseNode *b)
{
    FuseNest outer_a = a->nest, outer_b = b->nest;
    outer_a.depth = depth_of_numbers(a);
    outer_b.depth = depth_of_numbers(b);
    return outer_a.depth > 0 && fuse_same_inside(&outer_a, &outer_b);
}

/* It takes arrays of the other's that are of more axes than that. */
static bool takes_rows(const FuseNode *taker, const FuseNode *maker, int axes)
{
    const CoreSoac *soac = &taker->stm->exp->as.soac;
    for (size_t i = 0; i < soac->input_count; i++) {
        CoreAtom input = soac->inputs[i];
        if (input.name && core_atom_type(input).rank > axes &&
            core_stm_binds(maker->stm, input.name)) {
            return true;
        }
    }
    return false;
}

/* One makes few rows, and the other's work on these is so little that they are no level of it; or the other way round. */
static bool fit_as_few(const FuseNode *a, const FuseNode *b)
{
    FuseNest outer_a = a->nest, outer_b = b->nest;
    outer_a.depth = depth_without_few(a);
    outer_b.depth = depth_without_few(b);
    bool one_is = (outer_a.depth < a->nest.depth) != (outer_b.depth < b->nest.depth);
    return one_is && !outer_a.mixed && !outer_b.mixed && !outer_a.serial && !outer_b.serial &&
           fuse_same_inside(&outer_a, &outer_b) &&
           (takes_rows(a, b, outer_a.depth) || takes_rows(b, a, outer_a.depth));
}

/* One scans in rows, and the other goes over part of each, or more: inputs.c has put the views into its function. */
static bool fit_as_scanned(Fuse *f, const FuseNode *maker, const FuseNode *taker)
{
    const CoreSoac *soac = &taker->stm->exp->as.soac;
    bool rows = taker->nest.depth == 2 || taker->nest.mixed;
    if (maker->nest.depth != 2 || maker->is_scan || maker->nest.mixed || maker->nest.serial ||
        !rows || taker->nest.serial) {
        return false;
    }
    for (size_t i = 0; i < soac->input_count; i++) {
        if (fuse_scans_rows(f, maker->stm, soac->inputs[i])) {
            return true;
        }
    }
    return false;
}

static CoreAtom width_of(const CoreStm *stm)
{
    return fuse_is_stream(stm) ? stm->exp->as.stream.width : stm->exp->as.soac.width;
}

const CoreBody *fuse_function_body(const CoreStm *stm)
{
    return fuse_is_stream(stm) ? stm->exp->as.stream.fold->body : stm->exp->as.soac.map->body;
}

/* Bytes of a row's sums in scans. */
static size_t scanned(const CoreStm *stm)
{
    size_t bytes = 0;
    for (size_t i = 0; fuse_is_soac(stm) && i < stm->exp->as.soac.scan_count; i++) {
        const CoreLambda *function = stm->exp->as.soac.scans[i].function;
        for (size_t k = 0; k < function->body->result_count; k++) {
            CoreType type = function->result_types[k];
            bytes += type.rank == 0 ? core_prim_bytes(type.prim) : 0;
        }
    }
    return bytes;
}

/* A work-group has the sums of all its rows in local memory: the more of a row, the fewer rows it has, and the more often it waits
   for what other groups have scanned. */
static bool scan_together(const Fuse *f, const CoreStm *a, const CoreStm *b)
{
    size_t xs = scanned(a), ys = scanned(b);
    return f->functions > 0 || xs == 0 || ys == 0 || xs + ys <= MOST_SCANNED;
}

static bool is_small_enough(const CoreStm *a, const CoreStm *b)
{
    size_t xs, ys;
    fuse_inputs_of(a, &xs);
    fuse_inputs_of(b, &ys);
    return xs + ys + a->pattern_count + b->pattern_count <= MOST_ARRAYS &&
           fuse_function_body(a)->stm_count + fuse_function_body(b)->stm_count <= MOST_STATEMENTS;
}

/* Both nests go through the same widths, or one is work at the other's outer level. */
CoreReason fuse_fitness(Fuse *f, const FuseNode *a, const FuseNode *b)
{
    if (!core_atom_equal(width_of(a->stm), width_of(b->stm))) {
        return CORE_REASON_WIDTHS;
    }
    if (!is_small_enough(a->stm, b->stm)) {
        return CORE_REASON_SIZE;
    }
    if (!scan_together(f, a->stm, b->stm)) {
        return CORE_REASON_SCANS;
    }
    if (!fuse_keep_order(a->stm, b->stm)) {
        return CORE_REASON_ORDER;
    }
    if (fuse_is_stream(a->stm) || fuse_is_stream(b->stm)) {
        return fuse_fit_as_streams(f, a->stm, b->stm);
    }
    return fuse_same_inside(&a->nest, &b->nest) || fits_as_outer(a, b) || fits_behind(a, b) ||
                   fit_as_numbers(a, b) || fit_as_few(a, b) || fit_as_scanned(f, a, b)
               ? CORE_REASON_NONE
               : CORE_REASON_NESTS;
}

bool fuse_fit(Fuse *f, const FuseNode *a, const FuseNode *b)
{
    return a->is_soac && b->is_soac && fuse_fitness(f, a, b) == CORE_REASON_NONE;
}

/* Where neither takes rows of the other, nothing is won at another level than the array that both read. */
bool fuse_fit_beside(Fuse *f, const FuseNode *a, const FuseNode *b)
{
    return fuse_fit(f, a, b) && (fuse_is_stream(a->stm) || fuse_is_stream(b->stm) ||
                                 fuse_same_inside(&a->nest, &b->nest));
}
