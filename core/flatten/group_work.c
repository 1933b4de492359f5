/* What a group of work-items can do of a map's function: statements one by one.

       scalars, views         each work-item computes them
       SOACs                  are shared out: nests of maps, reductions and scans of scalars, of functions that are a
                              work-item's: scalars, and in loops rows of matrices and what is reduced of them
       loops around those     scalars of their state each work-item has; arrays have two places
       copies @local          are shared out

   Sizes are the same for all rows. Where SOACs are not in a loop, each row has to lie beside itself in memory. */
#include "core/flatten/groups.h"

/* ---- rows across memory -------------------------------------------------------------------- */

/* The array that the view is of, and whether its last axis is another one of that. */
static bool is_turned(const CoreExp *exp, CoreAtom *array)
{
    int rank;
    switch ((int)exp->kind) {
    case CORE_EXP_REARRANGE:
        *array = exp->as.rearrange.array;
        rank = core_atom_type(*array).rank;
        return exp->as.rearrange.permutation[rank - 1] != rank - 1;
    case CORE_EXP_SLICE:
        *array = exp->as.slice.array;
        return exp->as.slice.slices[exp->as.slice.count - 1].fixed;
    case CORE_EXP_ATOM: *array = exp->as.atom; return false;
    case CORE_EXP_INDEX: *array = exp->as.index.array; return false;
    case CORE_EXP_RESHAPE: *array = exp->as.reshape.array; return false;
    case CORE_EXP_CYCLE: *array = exp->as.cycle.array; return false;
    case CORE_EXP_ROTATE: *array = exp->as.rotate.array; return false;
    case CORE_EXP_REVERSE: *array = exp->as.reverse.array; return false;
    case CORE_EXP_PAD: *array = exp->as.pad.array; return false;
    case CORE_EXP_CONCAT: *array = exp->as.concat.arrays[0]; return false;
    }
    return false;
}

static bool lies_across(const Flatten *f, CoreAtom array)
{
    return array.name && core_name_map_get(f->across, array.name);
}

static bool is_across(const Flatten *f, const CoreStm *stm)
{
    CoreAtom array = core_i64(0);
    return is_turned(stm->exp, &array) || lies_across(f, array);
}

void flatten_note(Flatten *f, const CoreStm *stm)
{
    if (stm->exp->kind == CORE_EXP_IOTA) {
        core_name_map_make(f->c->arena, f->iotas, stm->pattern[0], sizeof(bool));
    }
    if (stm->pattern_count == 1 && stm->pattern[0]->type.rank > 0 && is_across(f, stm)) {
        core_name_map_make(f->c->arena, f->across, stm->pattern[0], sizeof(bool));
    }
}

/* ---- what a work-item can do ---------------------------------------------------------------- */

static bool is_free(const CoreStm *stm)
{
    return stm->exp->level == CORE_LEVEL_AUTO && stm->exp->space == CORE_SPACE_AUTO;
}

static bool makes_scalars(const CoreStm *stm)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (stm->pattern[k]->type.rank > 0) {
            return false;
        }
    }
    return true;
}

static bool is_item_body(const GroupWork *work, const CoreBody *body);
static bool is_item_function(const GroupWork *work, const CoreLambda *function);

/* Reductions to scalars, one row after the other. */
static bool is_item_fold(const GroupWork *work, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    bool good = fuse_is_soac(stm) && is_free(stm) && soac->scan_count == 0 && makes_scalars(stm) &&
                is_item_function(work, soac->map);
    for (size_t k = 0; good && k < soac->reduction_count; k++) {
        good = is_item_function(work, soac->reductions[k].function);
    }
    return good;
}

static bool is_item_statement(const GroupWork *work, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (!flatten_is_certain(work->context, stm)) {
        return false;
    }
    if (work->deep && core_is_view(exp->kind) && is_free(stm)) {
        return true;
    }
    if (!makes_scalars(stm)) {
        return false;
    }
    switch ((int)exp->kind) { /* the others are not */
    case CORE_EXP_ATOM:
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT: return true;
    case CORE_EXP_INDEX: return exp->as.index.count == 1;
    case CORE_EXP_IF:
        return is_item_body(work, exp->as.conditional.then_body) &&
               is_item_body(work, exp->as.conditional.else_body);
    case CORE_EXP_SOAC: return work->deep && is_item_fold(work, stm);
    }
    return false;
}

static bool is_item_body(const GroupWork *work, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        if (!is_item_statement(work, body->stms[i])) {
            return false;
        }
    }
    return true;
}

/* Gives scalars; takes them, too, where that is all a group does with a row. */
static bool is_item_function(const GroupWork *work, const CoreLambda *function)
{
    for (size_t i = 0; i < function->parameter_count; i++) {
        CoreType type = function->parameters[i]->type;
        if (type.unique || (type.rank > 0 && !work->deep)) {
            return false;
        }
    }
    for (size_t i = 0; i < function->body->result_count; i++) {
        if (function->result_types[i].rank > 0) {
            return false;
        }
    }
    return is_item_body(work, function->body);
}

/* ---- what a group can do ------------------------------------------------------------------- */

bool group_is_result(const CoreBody *body, const CoreName *name)
{
    for (size_t i = 0; i < body->result_count; i++) {
        if (body->results[i].name == name) {
            return true;
        }
    }
    return false;
}

/* The map at the end of the function, beside which is nothing that takes time, and whose results are the function's,
   each once; NULL where there is none. */
static const CoreStm *map_inside(const GroupWork *work, const CoreLambda *function)
{
    const CoreBody *body = function->body;
    if (body->stm_count == 0) {
        return NULL;
    }
    CoreBody before = *body;
    before.stm_count--;
    const CoreStm *last = body->stms[body->stm_count - 1];
    bool good = fuse_is_map(last) && is_free(last) && flatten_is_certain(work->context, last) &&
                last->pattern_count == body->result_count && is_item_body(work, &before);
    for (size_t i = 0; good && i < before.stm_count; i++) {
        good = before.stms[i]->exp->kind != CORE_EXP_SOAC;
    }
    for (size_t k = 0; good && k < last->pattern_count; k++) {
        good = group_is_result(body, last->pattern[k]);
    }
    return good ? last : NULL;
}

/* Maps in each other, whose innermost function is a work-item's. */
static bool is_nest(const GroupWork *work, const CoreStm *map)
{
    for (; map && flatten_is_invariant(work->context, map->exp->as.soac.width);
         map = map_inside(work, map->exp->as.soac.map)) {
        if (is_item_function(work, map->exp->as.soac.map)) {
            return true;
        }
        for (size_t k = 0; k < map->exp->as.soac.map->parameter_count; k++) {
            if (map->exp->as.soac.map->parameters[k]->type.unique) {
                return false;
            }
        }
        if (!work->deep) {
            return false;
        }
    }
    return false;
}

static void note_array(GroupWork *work, CoreType type)
{
    bool known = true;
    for (int axis = 0; axis < type.rank; axis++) {
        known = known && !type.sizes[axis].name;
    }
    if (!known) {
        vec_push(work->f->c->arena, &work->in_local, type);
    }
}

/* A SOAC that the work-items of a group share. */
static bool take_shared(GroupWork *work, const CoreBody *body, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    if (!fuse_is_soac(stm) || !is_free(stm) || !flatten_is_certain(work->context, stm) ||
        !flatten_is_invariant(work->context, soac->width) ||
        (soac->scan_count > 0 && soac->reduction_count > 0)) {
        return false;
    }
    if (fuse_is_map(stm) ? !is_nest(work, stm) : !is_item_function(work, soac->map)) {
        return false;
    }
    for (size_t k = 0; k < soac->reduction_count + soac->scan_count; k++) {
        const CoreReduction *fold = k < soac->reduction_count
                                        ? &soac->reductions[k]
                                        : &soac->scans[k - soac->reduction_count];
        if (!is_item_function(work, fold->function)) {
            return false;
        }
    }
    CoreType extents = {.rank = 1, .sizes = &soac->width};
    if (fuse_is_map(stm) && stm->pattern_count > 0) {
        extents = stm->pattern[0]->type;
    }
    vec_push(work->f->c->arena, &work->extents, extents);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (stm->pattern[k]->type.rank > 0 && !group_is_result(body, stm->pattern[k])) {
            note_array(work, stm->pattern[k]->type);
        }
    }
    work->count++;
    work->scans = work->scans || soac->scan_count > 0;
    return true;
}

/* What each of them computes. */
static bool is_uniform(const GroupWork *work, const CoreStm *stm)
{
    if (stm->exp->kind == CORE_EXP_SOAC) {
        return false;
    }
    return is_item_statement(work, stm) || (core_is_view(stm->exp->kind) && is_free(stm) &&
                                            flatten_is_certain(work->context, stm) &&
                                            (makes_scalars(stm) || !is_across(work->f, stm)));
}

static bool take_body(GroupWork *work, const CoreBody *body);

/* A loop of those: its state is scalars that each work-item has, and arrays of two places each. */
static bool take_loop(GroupWork *work, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind != CORE_EXP_LOOP || !flatten_is_certain(work->context, stm)) {
        return false;
    }
    for (size_t k = 0; k < exp->as.loop.parameter_count; k++) {
        CoreType type = exp->as.loop.parameters[k]->type;
        if (type.unique || type.prim == CORE_CERT || !flatten_is_regular(work->context, type) ||
            !flatten_is_regular(work->context, stm->pattern[k]->type)) {
            return false;
        }
        if (type.rank > 0) {
            note_array(work, type);
        }
    }
    return take_body(work, exp->as.loop.body);
}

/* A row that is kept in local memory. */
static bool take_copy(GroupWork *work, const CoreStm *stm)
{
    if (stm->exp->kind != CORE_EXP_COPY || stm->exp->space != CORE_LOCAL ||
        !flatten_is_certain(work->context, stm) ||
        !flatten_is_regular(work->context, stm->pattern[0]->type)) {
        return false;
    }
    note_array(work, stm->pattern[0]->type);
    return true;
}

static bool take_body(GroupWork *work, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (!is_uniform(work, stm) && !take_shared(work, body, stm) && !take_loop(work, stm) &&
            !take_copy(work, stm)) {
            return false;
        }
    }
    return true;
}

static bool has_loop_of_soacs(const CoreBody *body, bool inside)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if ((inside && fuse_is_soac(stm)) ||
            (stm->exp->kind == CORE_EXP_LOOP && has_loop_of_soacs(stm->exp->as.loop.body, true))) {
            return true;
        }
    }
    return false;
}

/* SOACs of rows alone are worth a group where there are several. */
static bool are_rows_alone(const GroupWork *work, const CoreSoac *soac)
{
    for (size_t i = 0; i < soac->input_count; i++) {
        if (lies_across(work->f, soac->inputs[i])) {
            return false;
        }
    }
    return work->count > 1;
}

bool group_takes(GroupWork *work, const CoreSoac *soac)
{
    const CoreBody *body = soac->map->body;
    for (size_t k = 0; k < soac->map->parameter_count; k++) {
        if (soac->map->parameters[k]->type.unique) {
            return false;
        }
    }
    for (size_t k = 0; k < body->result_count; k++) {
        if (!flatten_is_regular(work->context, soac->map->result_types[k])) {
            return false;
        }
    }
    work->deep = has_loop_of_soacs(body, false);
    return take_body(work, body) && (work->deep || are_rows_alone(work, soac));
}
