/* [L0 7.2, PLDI 4] Nests as pairs (pairs.c): a nest whose rows are scanned, and one that maps what is scanned, element by
   element, are one nest, whose kernel has an element of the scan in a variable when it is finished.

       let ys = map n (\xs -> scan m (+) 0 xs) xss          let zs = map n (\xs ->
       let zs = map n (\ys -> map m g ys) ys         ==>      let ys = scan m (+) 0 xs
                                                              let zs = map m g ys
                                                              in zs) xss

   or that reduces what is mapped of it, with an operator that commutes, where no row of the scan is wanted:

       let zs = map n (\ys -> redomap_comm m g max e ys) ys

   Which nests backend/lower/segmented.c has kernels for is said here once more: of others, a work-item would have rows to
   store. Legality is that of pairs; the outer maps are one as any maps are ([PLDI T2], merge.c). */
#include "core/fuse/graph.h"

enum {
    MOST_COMPONENTS = 2,
    MOST_FOLDED = 2,
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

/* Operators of scalars that are the same in all rows. */
static bool are_same(const CoreStm *map, size_t count, const CoreReduction *operators)
{
    Inside inside = {map, false};
    bool scalars = true;
    for (size_t i = 0; i < count && scalars; i++) {
        const CoreLambda *function = operators[i].function;
        scalars = fuse_is_of_scalars(function);
        for (size_t k = 0; k < function->body->stm_count; k++) {
            core_each_free(function->body->stms[k], look_inside, &inside);
        }
    }
    return scalars && !inside.found;
}

/* A scan in the map's function that kernels do: of scalars, by operators that are the same in all rows. */
static bool is_kernel_scan(const CoreStm *map, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t width = fuse_total_width(soac->scan_count, soac->scans);
    return soac->scan_count > 0 && soac->reduction_count == 0 &&
           are_same(map, soac->scan_count, soac->scans) && width == stm->pattern_count &&
           width <= MOST_COMPONENTS && (soac->width.name || soac->width.as.integer > SHORT_ROW);
}

/* Elements are mapped, and reduced, if at all, in any order. */
static bool is_cheap_taker(const CoreStm *map, const CoreStm *stm)
{
    if (!fuse_is_soac(stm) || stm->certificate_count > 0 || core_may_fail(stm)) {
        return false;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t count = soac->reduction_count, width = fuse_total_width(count, soac->reductions);
    bool commute = true;
    for (size_t r = 0; r < count; r++) {
        commute = commute && core_commutes(&soac->reductions[r]);
    }
    return soac->scan_count == 0 && commute && are_same(map, count, soac->reductions) &&
           (count == 0 || (width == stm->pattern_count && width <= MOST_FOLDED)) &&
           fuse_is_of_scalars(soac->map) && fuse_cost(soac->map->body) <= MOST_MAPPED;
}

static bool gives_scalars(const CoreStm *map)
{
    const CoreLambda *function = map->exp->as.soac.map;
    bool scalars = true;
    for (size_t k = 0; k < function->body->result_count; k++) {
        scalars = scalars && function->result_types[k].rank == 0;
    }
    return scalars;
}

/* What is mapped, or scalars, which may be made of what is reduced. */
static bool gives_taken(const CoreStm *map, const CoreStm *taker)
{
    return taker->exp->as.soac.reduction_count == 0 ? gives_all(map, taker) : gives_scalars(map);
}

/* The SOAC that the nest is of; NULL: it is no nest of one. */
static const CoreStm *inner_of(const CoreStm *map)
{
    const CoreStm *stm = fuse_is_map(map) && is_free(map) ? only_soac(map) : NULL;
    return stm && is_free(stm) && !core_may_fail(map) ? stm : NULL;
}

static const CoreStm *scan_in(const CoreStm *map)
{
    const CoreStm *stm = inner_of(map);
    return stm && is_kernel_scan(map, stm) && gives_all(map, stm) ? stm : NULL;
}

static const CoreStm *taker_in(const CoreStm *map)
{
    const CoreStm *stm = inner_of(map);
    return stm && is_cheap_taker(map, stm) && gives_taken(map, stm) ? stm : NULL;
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
    const CoreStm *scan = scan_in(first), *map = scan ? taker_in(second) : NULL;
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
        !is_kernel_scan(stm, scan) || !is_cheap_taker(stm, taker) ||
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
    return takes && gives_taken(stm, taker);
}

bool fuse_may_be_nest_pair(const CoreStm *stm)
{
    return scan_in(stm) || taker_in(stm);
}
