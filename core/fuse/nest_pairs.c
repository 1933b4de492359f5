/* [L0 7.2, PLDI 4] Nests as pairs (pairs.c): a nest whose rows are scanned, and one that maps what is scanned, element by
   element, are one nest, whose kernel has an element of the scan in a variable when it is finished.

       let ys = map n (\xs -> scan m (+) 0 xs) xss          let zs = map n (\xs ->
       let zs = map n (\ys -> map m g ys) ys         ==>      let ys = scan m (+) 0 xs
                                                              let zs = map m g ys
                                                              in zs) xss

   Which nests backend/lower/segmented.c has kernels for is said here once more: of others, a work-item would have rows to
   store. Legality is that of pairs; the outer maps are one as any maps are ([PLDI T2], merge.c). */
#include "core/fuse/graph.h"

enum {
    MOST_COMPONENTS = 2,
    MOST_MAPPED = 300, /* operations an element */
    SHORT_ROW = 8      /* rows of so few elements are a work-item's anyway */
};

/* ---- functions that do one SOAC -------------------------------------------------------------- */

/* Scalars, and views, which cost nothing: what may stand beside. */
static bool is_beside(const CoreStm *stm)
{
    switch ((int)stm->exp->kind) { /* others are no scalars, or dear */
    case CORE_EXP_ATOM:
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_INDEX: return stm->pattern[0]->type.rank == 0;
    }
    return core_is_view(stm->exp->kind);
}

/* The one SOAC of a map's function, beside such statements; NULL: there are more, or others. */
static const CoreStm *only_soac(const CoreStm *map)
{
    const CoreBody *body = map->exp->as.soac.map->body;
    const CoreStm *found = NULL;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (is_beside(stm)) {
            continue;
        }
        if (found || stm->exp->kind != CORE_EXP_SOAC) {
            return NULL;
        }
        found = stm;
    }
    return found;
}

/* The results are what the SOAC binds, each once. */
static bool gives_all(const CoreStm *map, const CoreStm *soac)
{
    const CoreBody *body = map->exp->as.soac.map->body;
    bool all = body->result_count == soac->pattern_count;
    for (size_t k = 0; k < soac->pattern_count && all; k++) {
        size_t times = 0;
        for (size_t i = 0; i < body->result_count; i++) {
            times += body->results[i].name == soac->pattern[k];
        }
        all = times == 1;
    }
    return all;
}

typedef struct Inside {
    const CoreStm *map;
    bool found; /* something that the map's function binds, or takes */
} Inside;

static void look_inside(void *context, CoreName *name)
{
    Inside *inside = context;
    const CoreLambda *function = inside->map->exp->as.soac.map;
    inside->found = inside->found || core_binds(function->body, name);
    for (size_t k = 0; k < function->parameter_count; k++) {
        inside->found = inside->found || function->parameters[k] == name;
    }
}

static bool is_free(const CoreStm *stm)
{
    return stm->exp->level == CORE_LEVEL_AUTO && stm->exp->space == CORE_SPACE_AUTO;
}

/* A scan in the map's function that kernels do: of scalars, by operators that are the same in all rows. */
static bool is_kernel_scan(const CoreStm *map, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    Inside inside = {map, false};
    bool scalars = soac->scan_count > 0 && soac->reduction_count == 0;
    for (size_t i = 0; i < soac->scan_count && scalars; i++) {
        const CoreLambda *function = soac->scans[i].function;
        scalars = fuse_is_of_scalars(function);
        for (size_t k = 0; k < function->body->stm_count; k++) {
            core_each_free(function->body->stms[k], look_inside, &inside);
        }
    }
    size_t width = fuse_total_width(soac->scan_count, soac->scans);
    return scalars && !inside.found && width == stm->pattern_count && width <= MOST_COMPONENTS &&
           (soac->width.name || soac->width.as.integer > SHORT_ROW);
}

static bool is_cheap_map(const CoreStm *stm)
{
    return fuse_is_map_of_scalars(stm) && stm->certificate_count == 0 &&
           fuse_cost(stm->exp->as.soac.map->body) <= MOST_MAPPED;
}

/* The SOAC that the nest is of; NULL: it is no nest of one. */
static const CoreStm *inner_of(const CoreStm *map)
{
    const CoreStm *stm = fuse_is_map(map) && is_free(map) ? only_soac(map) : NULL;
    return stm && is_free(stm) && !core_may_fail(map) && gives_all(map, stm) ? stm : NULL;
}

static const CoreStm *scan_in(const CoreStm *map)
{
    const CoreStm *stm = inner_of(map);
    return stm && is_kernel_scan(map, stm) ? stm : NULL;
}

static const CoreStm *map_in(const CoreStm *map)
{
    const CoreStm *stm = inner_of(map);
    return stm && is_cheap_map(stm) ? stm : NULL;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* All that the function does with the row is to map its elements, if it takes it at all. */
static bool takes_elements(const CoreStm *map, const CoreStm *inner, const CoreName *row)
{
    const CoreBody *body = map->exp->as.soac.map->body;
    bool taken = core_uses(inner->exp->as.soac.map->body, row);
    for (size_t i = 0; i < body->stm_count && !taken; i++) {
        taken = body->stms[i] != inner && core_stm_uses(body->stms[i], row);
    }
    return !taken;
}

bool fuse_takes_elements(const CoreStm *map, const CoreStm *inner)
{
    const CoreLambda *function = map->exp->as.soac.map;
    bool takes = true;
    for (size_t k = 0; k < function->parameter_count; k++) {
        takes = takes && takes_elements(map, inner, function->parameters[k]);
    }
    return takes;
}

bool fuse_is_nest_pair(const CoreStm *first, const CoreStm *second)
{
    const CoreStm *scan = scan_in(first), *map = scan ? map_in(second) : NULL;
    if (!map || !core_atom_equal(first->exp->as.soac.width, second->exp->as.soac.width) ||
        !core_atom_equal(scan->exp->as.soac.width, map->exp->as.soac.width)) {
        return false;
    }
    const CoreSoac *outer = &second->exp->as.soac;
    bool takes = false;
    for (size_t k = 0; k < outer->input_count; k++) {
        if (core_stm_binds(first, outer->inputs[k].name)) {
            takes = true;
            if (!takes_elements(second, map, outer->map->parameters[k])) {
                return false;
            }
        }
    }
    return takes;
}

/* Beside scalars, the function of the map has a scan and, after it, a map: which. */
static bool has_two(const CoreStm *map, const CoreStm **scan, const CoreStm **taker)
{
    const CoreBody *body = map->exp->as.soac.map->body;
    *scan = *taker = NULL;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (is_beside(stm)) {
            continue;
        }
        if (stm->exp->kind != CORE_EXP_SOAC || *taker || !is_free(stm)) {
            return false;
        }
        *(*scan ? taker : scan) = stm;
    }
    return *taker != NULL;
}

bool fuse_is_paired_nest(const CoreStm *stm)
{
    const CoreStm *scan, *taker;
    if (!fuse_is_map(stm) || !is_free(stm) || core_may_fail(stm) || !has_two(stm, &scan, &taker) ||
        !is_kernel_scan(stm, scan) || !is_cheap_map(taker) ||
        !core_atom_equal(scan->exp->as.soac.width, taker->exp->as.soac.width)) {
        return false;
    }
    bool takes = false;
    for (size_t k = 0; k < scan->pattern_count; k++) {
        if (!takes_elements(stm, taker, scan->pattern[k])) {
            return false;
        }
        for (size_t i = 0; i < taker->exp->as.soac.input_count; i++) {
            takes = takes || taker->exp->as.soac.inputs[i].name == scan->pattern[k];
        }
    }
    return takes && gives_all(stm, taker);
}

bool fuse_may_be_nest_pair(const CoreStm *stm)
{
    return scan_in(stm) || map_in(stm);
}
