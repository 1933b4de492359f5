/* [L0 8] A reshape past its consumer: what takes all elements of a matrix, one after the other, takes them row by row, where
   the matrix is made row by row.

       let y = map n (\row -> scan m (+) 0 row) a
       let v = reshape [w] y                                              -- w = n * m
       let s = redomap w (\x -> F) op ne v
   ==> let y = map n (\row -> scan m (+) 0 row) a
       let ts = map n (\row -> { let t = redomap m (\x -> F) op ne row; in t }) y
       let s = reduce n op ne ts

   and graph.c makes one of the two maps: no y is stored for the reduction, which would go over it once more. So are maps of
   all elements, whose results are then such reshapes themselves. op is associative, and elements keep their order.

   Where elements of y could be computed alone, and cheaply, its reader does that instead (delay.c); where something else
   needs y, it is stored, and read at once where it lies. What else is taken beside it is a vector, and a view of it has
   rows, too. Before anything else, as long as such views are views, and not positions in functions. */
#include "core/fuse/fuse.h"

enum { MOST_LOOKS = 64 }; /* at maps that make rows of each other */

/* A vector as an array of rows. */
typedef struct Ravel {
    CoreAtom rows;
    const CoreStm *
        view; /* that binds the vector; NULL: what is guarded in it is so where the rows are made */
    bool taken; /* it is made row by row, and nothing but this vector is of it */
} Ravel;

typedef struct Ravels {
    Fuse *f;
    const CoreBody *body;
    PointerMap known; /* CoreName of a vector -> Ravel */
    PointerMap uses;  /* of what is bound in the body, when somebody has asked */
    bool is_counted;
} Ravels;

/* ---- what is made row by row ----------------------------------------------------------------- */

/* A map makes whole rows of the array, or of what it makes them of. */
static bool is_made_by_rows(Fuse *f, CoreAtom array, int *looks)
{
    const CoreStm *stm = fuse_definition(f, array);
    if (!stm || --*looks < 0 || !fuse_is_map(stm) || core_atom_type(array).rank < 2) {
        return false;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t k = 0;
    while (stm->pattern[k] != array.name) {
        k++;
    }
    bool rows = !fuse_has_elements(soac->map, k) || fuse_has_dear_rows(f, soac);
    for (size_t i = 0; i < soac->input_count && !rows; i++) {
        rows = is_made_by_rows(f, soac->inputs[i], looks);
    }
    return rows;
}

static void add_ravel(Ravels *r, const CoreName *vector, CoreAtom rows, const CoreStm *view,
                      bool taken)
{
    Ravel *ravel = ARENA_NEW(r->f->arena, Ravel);
    *ravel = (Ravel){rows, view, taken};
    pointer_map_set(r->f->arena, &r->known, vector, ravel);
}

/* There is one use of it. */
static bool is_used_once(Ravels *r, const CoreName *name)
{
    if (!r->is_counted) {
        core_count_all_uses(r->f->arena, r->body, &r->uses);
        r->is_counted = true;
    }
    return core_uses_of(&r->uses, name) == 1;
}

static void note_ravel(Ravels *r, const CoreStm *stm)
{
    CoreAtom array = stm->exp->as.reshape.array;
    int looks = MOST_LOOKS;
    if (stm->exp->as.reshape.count == 1 && core_atom_type(array).rank > 1) {
        add_ravel(r, stm->pattern[0], array, stm,
                  is_made_by_rows(r->f, array, &looks) && is_used_once(r, array.name) &&
                      is_used_once(r, stm->pattern[0]));
    }
}

/* ---- what takes them ------------------------------------------------------------------------- */

/* The first of its inputs that is such a vector; NULL: it takes none, or is no map or reduction of scalars. */
static const Ravel *taken_by(const Ravels *r, const CoreStm *stm)
{
    if (!fuse_is_soac(stm) || core_may_fail(stm) || stm->exp->as.soac.scan_count > 0 ||
        !fuse_is_of_scalars(stm->exp->as.soac.map)) {
        return NULL;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    for (size_t i = 0; i < soac->input_count; i++) {
        const Ravel *ravel = pointer_map_get(&r->known, soac->inputs[i].name);
        if (ravel && ravel->taken) {
            return ravel;
        }
    }
    return NULL;
}

static bool has_shape(CoreType type, CoreType shape)
{
    type.prim = shape.prim;
    return core_same_type(type, shape);
}

/* What is built from now on is guarded as this is. */
static void guard_with(CoreBuilder *b, const CoreStm *stm)
{
    for (size_t i = 0; i < stm->certificate_count; i++) {
        vec_push(b->c->arena, &b->certificates, stm->certificates[i]);
    }
}

/* The input as rows of that shape. */
static CoreAtom rows_of_input(const Ravels *r, CoreBuilder *b, CoreAtom input, CoreType shape)
{
    const Ravel *ravel = pointer_map_get(&r->known, input.name);
    if (!ravel || !has_shape(core_atom_type(ravel->rows), shape)) {
        return core_let_reshape(b, input.name->text, input, (size_t)shape.rank, shape.sizes);
    }
    if (ravel->view) {
        guard_with(b, ravel->view);
    }
    return ravel->rows;
}

/* The same operators for another reduction. */
static const CoreReduction *again(Compilation *c, size_t count, const CoreReduction *old)
{
    CoreReduction *copies = arena_copy(c->arena, old, count * sizeof *old);
    for (size_t i = 0; i < count; i++) {
        copies[i].function = core_rename_lambda(core_renaming(c), old[i].function);
    }
    return copies;
}

/* What a SOAC binds where its reductions are done, and as many rows as that are mapped; none: its elements. */
static CoreName **names_like(Compilation *c, const CoreStm *stm, size_t first, CoreType row)
{
    CoreName **names = ARENA_ARRAY(c->arena, CoreName *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreType type = k < first ? core_scalar(row.prim) : row;
        type.prim = stm->pattern[k]->type.prim;
        names[k] = core_name(c, stm->pattern[k]->text, type, stm->span);
    }
    return names;
}

/* The SOAC of all elements of arrays of that shape, by rows, and rows of these: its results. */
static void take(CoreBuilder *b, const CoreStm *stm, CoreType shape, const CoreAtom *inputs,
                 CoreAtom *results)
{
    Compilation *c = b->c;
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t reduced = fuse_total_width(soac->reduction_count, soac->reductions);
    size_t count = stm->pattern_count;
    const CoreAtom n = shape.sizes[0];
    CoreName **pattern = names_like(c, stm, shape.rank == 1 ? reduced : 0, shape);
    if (shape.rank == 1) {
        core_bind(b, count, pattern,
                  core_exp_soac(c, n, soac->input_count, inputs, soac->map, soac->reduction_count,
                                soac->reductions, 0, NULL));
    } else {
        const CoreType row = core_row(shape);
        CoreBuilder inside = core_builder(c, stm->span);
        CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, soac->input_count + 1);
        CoreAtom *rows = ARENA_ARRAY(c->arena, CoreAtom, soac->input_count + 1);
        for (size_t i = 0; i < soac->input_count; i++) {
            parameters[i] = core_name(c, "row", core_row(core_atom_type(inputs[i])), stm->span);
            rows[i] = core_use(parameters[i]);
        }
        take(&inside, stm, row, rows, results);
        for (size_t k = 0; k < reduced; k++) {
            pattern[k]->type = core_array_of(c, n, core_atom_type(results[k]));
        }
        core_bind(b, count, pattern,
                  core_exp_map(c, n, soac->input_count, inputs,
                               core_lambda(c, soac->input_count, parameters,
                                           core_body(&inside, count, results))));
    }
    for (size_t k = 0; k < count; k++) {
        results[k] = core_use(pattern[k]);
    }
    if (shape.rank > 1 && reduced > 0) {
        CoreName **totals = names_like(c, stm, reduced, shape);
        core_bind(b, reduced, totals,
                  core_exp_soac(c, n, reduced, results, NULL, soac->reduction_count,
                                again(c, soac->reduction_count, soac->reductions), 0, NULL));
        for (size_t k = 0; k < reduced; k++) {
            results[k] = core_use(totals[k]);
        }
    }
}

static void take_by_rows(Ravels *r, CoreBuilder *b, const CoreStm *stm, const Ravel *taken)
{
    Compilation *c = r->f->c;
    const CoreSoac *soac = &stm->exp->as.soac;
    const CoreType shape = core_atom_type(taken->rows);
    size_t reduced = fuse_total_width(soac->reduction_count, soac->reductions);
    CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, soac->input_count + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, stm->pattern_count + 1);
    b->span = stm->span;
    guard_with(b, stm);
    for (size_t i = 0; i < soac->input_count; i++) {
        inputs[i] = rows_of_input(r, b, soac->inputs[i], shape);
    }
    take(b, stm, shape, inputs, results);
    for (size_t k = reduced; k < stm->pattern_count; k++) {
        const CoreName *vector = stm->pattern[k];
        add_ravel(r, vector, results[k], NULL, is_used_once(r, vector));
        results[k] = core_let_reshape(b, vector->text, results[k], 1, &soac->width);
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        core_bind(b, 1, &stm->pattern[k], core_atom_exp(c, results[k]));
    }
    b->certificates.count = 0;
    fuse_fired(r->f, CORE_RULE_FUSE_RAVEL);
}

/* ---- the step ---------------------------------------------------------------------------------- */

static const CoreBody *ravels_body(void *context, const CoreBody *old)
{
    Fuse *f = context;
    Ravels r = {.f = f, .body = old};
    CoreBuilder b = core_builder(f->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        bool placed = stm->exp->level != CORE_LEVEL_AUTO || stm->exp->space != CORE_SPACE_AUTO;
        const Ravel *taken = placed ? NULL : taken_by(&r, stm);
        if (stm->exp->kind == CORE_EXP_RESHAPE) {
            note_ravel(&r, stm);
        }
        if (taken) {
            take_by_rows(&r, &b, stm, taken);
        } else {
            core_add(&b, core_has_bodies(stm->exp->kind) && !placed
                             ? core_map_stm(f->c, stm, ravels_body, f)
                             : stm);
        }
    }
    return core_with_stms(f->c, old, b.stms.count, b.stms.items);
}

const CoreFunction *fuse_ravels(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, ravels_body(f, function->body));
}
