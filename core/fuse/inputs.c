/* Rows read at the SOAC's own position are its inputs again: what delay.c wrote as indexing, and
   what programs write so, takes part in fusion by rows (graph.c) and in sinking (sink.c).

       map n (\i -> { let x = a[i]; F }) (iota n)   ==>   map n (\(i, x) -> { F }) (iota n, a)

   a is from outside and has n rows; it is not written in place, and nothing guards the reading. So do rows of what
   another SOAC makes, of which the function reads elements, wherever it does so; what guards the element says
   something of the row alone:

       map n (\i -> map m (\j -> { let x = a[i, j]; F }) (iota m)) (iota n)
   ==> map n (\(i, row) -> map m (\j -> { let x = row[j]; F }) (iota m)) (iota n, a)

   Then the other may compute the row (graph.c). */
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
