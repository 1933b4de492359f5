/* Rows by groups: a nest as it was, of which a group of work-items does each iteration. What the parts of a
   flattened nest hand each other by way of memory, whole arrays of rows, is in local memory then, and a row that
   several of them read is read once:

       map n (\row -> {                                       map @group n (\row -> {
         let m = reduce k max row                               the same
         let (s, es) = redomap k exp + row             ==>    }) rows
         let ys = map k (/ s) es
         in ys }) rows

   For rows of some hundred to some thousand elements: fewer leave work-items without work, and more have no room.
   On an H200, with 2^25 reals, the softmax of rows of 2,000 takes 0.62 of the time of a flattened nest, of 1,000
   0.78, of 512 0.95, and of 256 1.5; of 200 rows alone a third, since that is one launch instead of three.
   The statements of the function are one by one: SOACs of scalars, of one width, which the group's work-items
   share, and scalars and views, which all of them compute. Neighbours have to lie beside each other in memory.
   Lowering has a work-item a row where a group is no more than that (backend/lower/group.c). */
#include "core/flatten/flatten.h"

enum {
    FEW_ROWS = 64,     /* where there are few of them: a launch costs more */
    SOME_ROWS = 512,   /* where there are many */
    FEW_GROUPS = 1024, /* "few" */
    MOST_ROWS = 4096,
    MOST_BYTES = 31 * 1024, /* of local memory, of which OpenCL guarantees 32 kB */
    MOST_BYTES_OF_ARRAYS = 16 * 1024,
    BYTES_OF_ACCUMULATOR = 8 * 257
};

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

void flatten_note_across(Flatten *f, const CoreStm *stm)
{
    if (stm->pattern_count == 1 && stm->pattern[0]->type.rank > 0 && is_across(f, stm)) {
        core_name_map_make(f->c->arena, f->across, stm->pattern[0], sizeof(bool));
    }
}

/* ---- what a group can do ------------------------------------------------------------------- */

static bool is_scalar_body(const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        for (size_t k = 0; k < stm->pattern_count; k++) {
            if (stm->pattern[k]->type.rank > 0) {
                return false;
            }
        }
        switch ((int)stm->exp->kind) { /* the others are not */
        case CORE_EXP_ATOM:
        case CORE_EXP_UNARY:
        case CORE_EXP_BINARY:
        case CORE_EXP_CONVERT: continue;
        case CORE_EXP_INDEX:
            if (stm->exp->as.index.count == 1) {
                continue;
            }
            break;
        case CORE_EXP_IF:
            if (is_scalar_body(stm->exp->as.conditional.then_body) &&
                is_scalar_body(stm->exp->as.conditional.else_body)) {
                continue;
            }
        }
        return false;
    }
    return true;
}

static bool is_scalar_function(const CoreLambda *function)
{
    for (size_t i = 0; i < function->parameter_count; i++) {
        if (function->parameters[i]->type.rank > 0) {
            return false;
        }
    }
    for (size_t i = 0; i < function->body->result_count; i++) {
        if (function->result_types[i].rank > 0) {
            return false;
        }
    }
    return is_scalar_body(function->body);
}

/* A SOAC that the work-items of a group share. */
static bool is_shared(const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    if (!fuse_is_soac(stm) || stm->exp->level != CORE_LEVEL_AUTO ||
        stm->exp->space != CORE_SPACE_AUTO || soac->scan_count > 0 ||
        !is_scalar_function(soac->map)) {
        return false;
    }
    for (size_t k = 0; k < soac->reduction_count; k++) {
        if (!is_scalar_function(soac->reductions[k].function)) {
            return false;
        }
    }
    return true;
}

/* What each of them computes. */
static bool is_uniform(const Flatten *f, const CoreStm *stm)
{
    CoreBody alone = {.stm_count = 1, .stms = &stm};
    bool is_view = core_is_view(stm->exp->kind) || stm->exp->kind == CORE_EXP_INDEX;
    bool is_scalar = stm->pattern_count == 1 && stm->pattern[0]->type.rank == 0;
    return is_scalar_body(&alone) ||
           (is_view && stm->exp->space == CORE_SPACE_AUTO && (is_scalar || !is_across(f, stm)));
}

static bool is_bound_in(const CoreBody *body, CoreAtom atom)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        for (size_t k = 0; k < body->stms[i]->pattern_count; k++) {
            if (body->stms[i]->pattern[k] == atom.name) {
                return true;
            }
        }
    }
    return false;
}

/* The width of all SOACs, of which there are several; false where a group cannot do this. */
static bool width_of(const Flatten *f, const CoreStm *map, CoreAtom *width)
{
    const CoreBody *body = map->exp->as.soac.map->body;
    size_t count = 0;
    for (size_t i = 0; i < map->exp->as.soac.input_count; i++) {
        if (lies_across(f, map->exp->as.soac.inputs[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (stm->certificate_count > 0) {
            return false;
        }
        if (is_uniform(f, stm)) {
            continue;
        }
        if (!is_shared(stm) || (count > 0 && !core_atom_equal(*width, stm->exp->as.soac.width))) {
            return false;
        }
        *width = stm->exp->as.soac.width;
        count++;
    }
    return count > 1 && !is_bound_in(body, *width);
}

static bool is_result(const CoreBody *body, const CoreName *name)
{
    for (size_t i = 0; i < body->result_count; i++) {
        if (body->results[i].name == name) {
            return true;
        }
    }
    return false;
}

/* Of the memory that all devices have an accumulator takes an element for each work-item, and one more. */
int64_t core_group_capacity(const CoreBody *body)
{
    int64_t bytes = 0, room = MOST_BYTES;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        for (size_t k = 0; k < stm->pattern_count && stm->exp->kind == CORE_EXP_SOAC; k++) {
            CoreType type = stm->pattern[k]->type;
            if (type.rank == 0) {
                room -= BYTES_OF_ACCUMULATOR;
            } else if (!is_result(body, stm->pattern[k])) {
                bytes += core_prim_bytes(type.prim);
            }
        }
    }
    room = room < MOST_BYTES_OF_ARRAYS ? room : MOST_BYTES_OF_ARRAYS;
    int64_t most = room <= 0 ? 0 : bytes > 0 ? room / bytes : MOST_ROWS;
    return most < MOST_ROWS ? most : MOST_ROWS;
}

/* ---- the version --------------------------------------------------------------------------- */

/* Rows have elements for all work-items, and room. */
static CoreAtom suits_groups(const Flatten *f, CoreBuilder *b, const CoreSoac *soac, CoreAtom width,
                             int64_t capacity)
{
    CoreAtom fits = core_let_binary(b, "fits", CORE_LE, width, core_i64(capacity));
    if (f->c->options.group_all) {
        return fits;
    }
    CoreAtom some = core_let_binary(b, "some", CORE_GE, width, core_i64(SOME_ROWS));
    CoreAtom enough = core_let_binary(b, "enough", CORE_GE, width, core_i64(FEW_ROWS));
    CoreAtom few = core_let_binary(b, "few", CORE_LE, soac->width, core_i64(FEW_GROUPS));
    enough = core_let_binary(b, "enough", CORE_AND, enough, few);
    enough = core_let_binary(b, "enough", CORE_OR, enough, some);
    return core_let_binary(b, "suits", CORE_AND, enough, fits);
}

bool flatten_groups(const Flatten *f, const CoreStm *old, CoreBuilder *b, CoreAtom *suits,
                    const CoreStm **grouped)
{
    CoreAtom width;
    if (!fuse_is_map(old) || old->certificate_count > 0 || !width_of(f, old, &width)) {
        return false;
    }
    int64_t capacity = core_group_capacity(old->exp->as.soac.map->body);
    if (capacity < FEW_ROWS) {
        return false;
    }
    *suits = suits_groups(f, b, &old->exp->as.soac, width, capacity);
    CoreStm *stm = arena_copy(f->c->arena, old, sizeof *stm);
    stm->exp = core_exp_placed(f->c, old->exp, CORE_GROUP, old->exp->space);
    *grouped = stm;
    return true;
}
