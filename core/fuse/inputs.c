/* Rows read at the SOAC's own position are its inputs again: what delay.c wrote as indexing, and
   what programs write so, takes part in fusion by rows (graph.c) and in sinking (sink.c).

       map n (\i -> { let x = a[i]; F }) (iota n)   ==>   map n (\(i, x) -> { F }) (iota n, a)

   a is from outside and has n rows; it is not written in place, and nothing guards the reading. So do rows of what
   another SOAC makes, of which the function reads elements, wherever it does so; what guards the element says
   something of the row alone:

       map n (\i -> map m (\j -> { let x = a[i, j]; F }) (iota m)) (iota n)
   ==> map n (\(i, row) -> map m (\j -> { let x = row[j]; F }) (iota m)) (iota n, a)

   Then the other may compute the row (graph.c).

   Rows of a view that leaves them where they are, are views of rows, where the view is of what another SOAC scans in each
   row:

       let b = a[0 :+ n, 1 :+ m]
       let c = map n (\row -> F) b             ==>   let c = map n (\whole -> { let row = whole[1 :+ m]; F }) a

   So are those of other views, and of catenations of rows; flattening takes them out again where it does not keep the
   row together [PLDI G6]. */
#include "core/fuse/fuse.h"

typedef struct Rows {
    Fuse *f;
    const CoreStm *stm;
    int level; /* of the SOAC's function */
    const CoreName *position;
    VEC(CoreAtom) inputs;
    VEC(CoreName *) parameters;
    bool found;
} Rows;

static const CoreName *find_position(Fuse *f, const CoreSoac *soac)
{
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreStm *stm = fuse_definition(f, soac->inputs[i]);
        if (stm && stm->exp->kind == CORE_EXP_IOTA) {
            return soac->map->parameters[i];
        }
    }
    return NULL;
}

static bool is_row(const Rows *rows, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind != CORE_EXP_INDEX || stm->certificate_count > 0 ||
        exp->as.index.indices[0].name != rows->position || exp->as.index.count != 1) {
        return false;
    }
    CoreAtom array = exp->as.index.array;
    return fuse_name(rows->f, array.name)->level < rows->level &&
           core_atom_equal(array.name->type.sizes[0], rows->stm->exp->as.soac.width) &&
           !simplify_consumed(rows->f->s, array);
}

/* The parameter for the array's rows. */
static CoreName *row_of(Rows *rows, CoreAtom array)
{
    for (size_t i = 0; i < rows->inputs.count; i++) {
        if (core_atom_equal(rows->inputs.items[i], array)) {
            return rows->parameters.items[i];
        }
    }
    Compilation *c = rows->f->c;
    CoreName *row = core_name(c, "row", core_row(array.name->type), rows->stm->span);
    vec_push(c->arena, &rows->inputs, array);
    vec_push(c->arena, &rows->parameters, row);
    return row;
}

/* An element of a row of what a SOAC of the body around makes. */
static bool is_element(const Rows *rows, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind != CORE_EXP_INDEX || exp->as.index.count < 2 ||
        exp->as.index.indices[0].name != rows->position) {
        return false;
    }
    CoreAtom array = exp->as.index.array;
    const CoreStm *maker = fuse_definition(rows->f, array);
    return fuse_is_soac(maker) && fuse_name(rows->f, array.name)->level == rows->level - 1 &&
           core_atom_equal(array.name->type.sizes[0], rows->stm->exp->as.soac.width) &&
           !simplify_consumed(rows->f->s, array);
}

static const CoreBody *elements_in(void *context, const CoreBody *old)
{
    Rows *rows = context;
    Compilation *c = rows->f->c;
    const CoreStm **stms = ARENA_ARRAY(c->arena, const CoreStm *, old->stm_count + 1);
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        if (is_element(rows, stm)) {
            CoreStm *copy = arena_copy(c->arena, stm, sizeof *stm);
            CoreExp *exp = core_exp_copy(c, stm->exp);
            exp->as.index.array = core_use(row_of(rows, exp->as.index.array));
            exp->as.index.indices++;
            exp->as.index.count--;
            copy->exp = exp;
            stm = copy;
            rows->found = true;
        }
        stms[i] = core_has_bodies(stm->exp->kind) ? core_map_stm(c, stm, elements_in, rows) : stm;
    }
    return core_with_stms(c, old, old->stm_count, stms);
}

static const CoreLambda *with_rows(Rows *rows)
{
    Compilation *c = rows->f->c;
    const CoreSoac *soac = &rows->stm->exp->as.soac;
    const CoreBody *old = soac->map->body;
    const CoreStm **stms = ARENA_ARRAY(c->arena, const CoreStm *, old->stm_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < soac->input_count; i++) {
        vec_push(c->arena, &rows->inputs, soac->inputs[i]);
        vec_push(c->arena, &rows->parameters, soac->map->parameters[i]);
    }
    for (size_t i = 0; i < old->stm_count; i++) {
        if (is_row(rows, old->stms[i])) {
            vec_push(c->arena, &rows->inputs, old->stms[i]->exp->as.index.array);
            vec_push(c->arena, &rows->parameters, old->stms[i]->pattern[0]);
            rows->found = true;
        } else {
            stms[count++] = old->stms[i];
        }
    }
    const CoreBody *body = elements_in(rows, core_with_stms(c, old, count, stms));
    CoreLambda *lambda = arena_copy(c->arena, soac->map, sizeof *lambda);
    lambda->parameters = rows->parameters.items;
    lambda->parameter_count = rows->parameters.count;
    lambda->body = body;
    return lambda;
}

/* ---- views of rows --------------------------------------------------------------------------- */

enum { MOST_VIEWS_OF_ROWS = 32, MOST_PARTS = 8 };

/* Each row of the statement's array is a view of the same row of others: how many these are; 0 where it is not so. */
static size_t arrays_of_rows(const CoreStm *stm, const CoreAtom **arrays)
{
    const CoreExp *exp = stm->exp;
    const CoreSlice *slices = exp->as.slice.slices;
    if (stm->certificate_count > 0 || stm->pattern[0]->type.rank < 2) {
        return 0;
    }
    switch ((int)exp->kind) { /* the views that keep axes apart */
    case CORE_EXP_REARRANGE:
        *arrays = &exp->as.rearrange.array;
        return exp->as.rearrange.permutation[0] == 0;
    case CORE_EXP_REVERSE: *arrays = &exp->as.reverse.array; return exp->as.reverse.axis > 0;
    case CORE_EXP_ROTATE: *arrays = &exp->as.rotate.array; return exp->as.rotate.axis > 0;
    case CORE_EXP_PAD: *arrays = &exp->as.pad.array; return exp->as.pad.axis > 0;
    case CORE_EXP_CONCAT:
        *arrays = exp->as.concat.arrays;
        return exp->as.concat.axis > 0 && exp->as.concat.count <= MOST_PARTS ? exp->as.concat.count
                                                                             : 0;
    case CORE_EXP_SLICE:
        *arrays = &exp->as.slice.array;
        for (size_t k = 0; k < exp->as.slice.count; k++) {
            if (slices[k].fixed) {
                return 0;
            }
        }
        return core_atom_equal(slices[0].offset, core_i64(0)) &&
               core_atom_equal(slices[0].stride, core_i64(1)) &&
               core_atom_equal(slices[0].count, core_atom_type(exp->as.slice.array).sizes[0]);
    }
    return 0;
}

bool fuse_scans_rows(Fuse *f, const CoreStm *maker, CoreAtom array)
{
    if (!fuse_is_soac(maker) || array.name == NULL || array.name->type.rank < 2) {
        return false;
    }
    const CoreSoac *soac = &maker->exp->as.soac;
    size_t k = fuse_total_width(soac->reduction_count, soac->reductions) +
               fuse_total_width(soac->scan_count, soac->scans);
    while (k < maker->pattern_count && maker->pattern[k] != array.name) {
        k++;
    }
    const CoreStm *row =
        k < maker->pattern_count ? fuse_definition(f, soac->map->body->results[k]) : NULL;
    return row != NULL && row->exp->kind == CORE_EXP_SOAC && row->exp->as.soac.scan_count > 0;
}

/* What is known of the arrays that a SOAC takes rows of, and what takes their place. */
typedef struct RowViews {
    Fuse *f;
    CoreAtom width;
    PointerMap seen;  /* CoreName -> itself: it has been looked at; */
    PointerMap views; /* and the same of views, row by row, of what is scanned in each row */
    PointerMap rows;  /* CoreName -> CoreName: the row of the array, in the function */
    unsigned visits;
    CoreBuilder b; /* in front of the function's body */
    VEC(CoreAtom) inputs;
    VEC(CoreName *) parameters;
} RowViews;

static bool is_made_beside(const RowViews *rows, const CoreStm *maker, CoreAtom array)
{
    return fuse_scans_rows(rows->f, maker, array) &&
           core_atom_equal(maker->exp->as.soac.width, rows->width) &&
           fuse_name(rows->f, array.name)->level == rows->f->level;
}

/* The array is a view, row by row, of what a SOAC of the same body, as wide, scans in each row. */
static bool is_view_of_scanned(RowViews *rows, CoreAtom array)
{
    Arena *arena = rows->f->arena;
    const CoreStm *stm = fuse_definition(rows->f, array);
    const CoreAtom *arrays;
    if (stm == NULL || !core_is_view(stm->exp->kind) || rows->visits >= MOST_VIEWS_OF_ROWS ||
        pointer_map_get(&rows->seen, array.name)) {
        return array.name != NULL && pointer_map_get(&rows->views, array.name) != NULL;
    }
    rows->visits++;
    pointer_map_set(arena, &rows->seen, array.name, array.name);
    size_t count = arrays_of_rows(stm, &arrays);
    bool is = false;
    for (size_t i = 0; i < count; i++) {
        const CoreStm *maker = fuse_definition(rows->f, arrays[i]);
        bool one = is_view_of_scanned(rows, arrays[i]);
        is = is || one || is_made_beside(rows, maker, arrays[i]);
    }
    if (is) {
        pointer_map_set(arena, &rows->views, array.name, array.name);
    }
    return is;
}

static CoreAtom row_of_array(RowViews *rows, CoreAtom array);

/* The row of a view, as a view of rows. */
static CoreAtom view_of_rows(RowViews *rows, const CoreStm *stm)
{
    Compilation *c = rows->f->c;
    const CoreExp *exp = stm->exp;
    const char *text = stm->pattern[0]->text;
    const CoreAtom *arrays;
    CoreAtom parts[MOST_PARTS];
    CoreType type = stm->pattern[0]->type;
    size_t count = arrays_of_rows(stm, &arrays);
    int *permutation = ARENA_ARRAY(c->arena, int, type.rank);
    for (size_t i = 0; i < count; i++) {
        parts[i] = row_of_array(rows, arrays[i]);
    }
    switch ((int)exp->kind) { /* as arrays_of_rows */
    case CORE_EXP_REARRANGE:
        for (int k = 1; k < type.rank; k++) {
            permutation[k - 1] = exp->as.rearrange.permutation[k] - 1;
        }
        return core_let_rearrange(&rows->b, text, parts[0], permutation);
    case CORE_EXP_REVERSE:
        return core_let_reverse(&rows->b, text, parts[0], exp->as.reverse.axis - 1);
    case CORE_EXP_ROTATE:
        return core_let_rotate(&rows->b, text, parts[0], exp->as.rotate.axis - 1,
                               exp->as.rotate.amount);
    case CORE_EXP_PAD:
        return core_let_pad(&rows->b, text, parts[0], exp->as.pad.axis - 1,
                            type.sizes[exp->as.pad.axis], exp->as.pad.before, exp->as.pad.after,
                            exp->as.pad.fill);
    case CORE_EXP_CONCAT:
        return core_let_concat(&rows->b, text, exp->as.concat.axis - 1,
                               type.sizes[exp->as.concat.axis], count, parts);
    default: return core_let_slice(&rows->b, text, parts[0], exp->as.slice.slices + 1);
    }
}

/* In the function: a parameter for the array's rows, or a view of others; once for each array. */
static CoreAtom row_of_array(RowViews *rows, CoreAtom array)
{
    Compilation *c = rows->f->c;
    CoreName *known = pointer_map_get(&rows->rows, array.name);
    if (known != NULL) {
        return core_use(known);
    }
    CoreAtom row;
    if (is_view_of_scanned(rows, array)) {
        row = view_of_rows(rows, fuse_definition(rows->f, array));
    } else {
        row = core_use(
            core_name(c, array.name->text, core_row(core_atom_type(array)), array.name->span));
        vec_push(c->arena, &rows->inputs, array);
        vec_push(c->arena, &rows->parameters, row.name);
    }
    pointer_map_set(rows->f->arena, &rows->rows, array.name, row.name);
    return row;
}

/* The SOAC takes rows of what such views are of. */
static const CoreStm *with_views_inside(Fuse *f, const CoreStm *old)
{
    Compilation *c = f->c;
    const CoreSoac *soac = &old->exp->as.soac;
    RowViews rows = {.f = f, .width = soac->width, .b = core_builder(c, old->span)};
    bool any = false;
    for (size_t i = 0; i < soac->input_count; i++) {
        CoreName *parameter = soac->map->parameters[i];
        CoreAtom input = soac->inputs[i];
        if (parameter->type.rank == 0 || parameter->type.unique ||
            !is_view_of_scanned(&rows, input)) {
            vec_push(c->arena, &rows.inputs, input);
            vec_push(c->arena, &rows.parameters, parameter);
            continue;
        }
        CoreAtom row = row_of_array(&rows, input);
        core_bind(&rows.b, 1, &parameter, core_atom_exp(c, row));
        any = true;
    }
    if (!any) {
        return old;
    }
    core_add_all(&rows.b, soac->map->body);
    CoreStm *stm = arena_copy(c->arena, old, sizeof *stm);
    CoreExp *exp = core_exp_copy(c, old->exp);
    CoreLambda *lambda = arena_copy(c->arena, soac->map, sizeof *lambda);
    lambda->parameters = rows.parameters.items;
    lambda->parameter_count = rows.parameters.count;
    lambda->body = core_with_stms(c, soac->map->body, rows.b.stms.count, rows.b.stms.items);
    exp->as.soac.map = lambda;
    exp->as.soac.inputs = rows.inputs.items;
    exp->as.soac.input_count = rows.inputs.count;
    stm->exp = exp;
    fuse_fired(f, CORE_RULE_FUSE_ROWS);
    return stm;
}

/* ---- all of a body --------------------------------------------------------------------------- */

static const CoreBody *inputs_body(void *context, const CoreBody *old);

static const CoreStm *inputs_stm(Fuse *f, const CoreStm *old)
{
    int deeper = old->exp->kind != CORE_EXP_IF;
    f->level += deeper;
    const CoreStm *stm = core_map_stm(f->c, old, inputs_body, f);
    f->level -= deeper;
    if (!fuse_is_soac(stm)) {
        return stm;
    }
    stm = with_views_inside(f, stm);
    Rows rows = {.f = f, .stm = stm, .level = f->level + 1};
    rows.position = find_position(f, &stm->exp->as.soac);
    if (!rows.position) {
        return stm;
    }
    CoreExp *exp = core_exp_copy(f->c, stm->exp);
    exp->as.soac.map = with_rows(&rows);
    exp->as.soac.inputs = rows.inputs.items;
    exp->as.soac.input_count = rows.inputs.count;
    if (rows.found) {
        fuse_fired(f, CORE_RULE_FUSE_ROWS);
    }
    CoreStm *with = arena_copy(f->c->arena, stm, sizeof *stm);
    with->exp = exp;
    return with;
}

static const CoreBody *inputs_body(void *context, const CoreBody *old)
{
    Fuse *f = context;
    const CoreStm **stms = ARENA_ARRAY(f->arena, const CoreStm *, old->stm_count + 1);
    for (size_t i = 0; i < old->stm_count; i++) {
        stms[i] =
            core_has_bodies(old->stms[i]->exp->kind) ? inputs_stm(f, old->stms[i]) : old->stms[i];
    }
    return core_with_stms(f->c, old, old->stm_count, stms);
}

const CoreFunction *fuse_inputs(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, inputs_body(f, function->body));
}
