/* Matrices that a loop of a group reads, in local memory:

       map @group n (\q -> {                                map @group n (\q -> {
         loop (v = v0) for i < k do                            let m = copy @local q
           map (\r -> reduce (+) 0 (map (*) r v)) q    ==>      loop (v = v0) for i < k do
       }) qs                                                     map (\r -> reduce (+) 0 (map (*) r v)) m
                                                             }) qs

   and the same of elements qs[i, j, k] of a matrix qs[i] where i is the row's. The group reads it once, side by side;
   in each step a work-item reads a row of it, or a column, which in device memory lie across. (Measured on an H200: 50
   products of each of 20,000 matrices of 48 by 48 reals take 2.1 ms, from device memory 9.9, and flattened 22.8.) */
#include "core/flatten/groups.h"

/* A matrix of the row's own, as an array of which it is the row, or a parameter that it is (index: none). */
typedef struct Kept {
    const CoreName *array, *index;
    CoreAtom copy;
} Kept;

typedef struct Keep {
    const GroupWork *work;
    const CoreStm *nest;
    CoreBuilder *b;
    VEC(Kept) kept;
    bool in_loop;
} Keep;

static CoreAtom let_copy(CoreBuilder *b, CoreAtom row)
{
    CoreAtom copy = core_let_copy(b, row.name->text, row);
    const CoreStm **last = &b->stms.items[b->stms.count - 1];
    CoreStm *stm = arena_copy(b->c->arena, *last, sizeof *stm);
    stm->exp = core_exp_placed(b->c, stm->exp, CORE_LEVEL_AUTO, CORE_LOCAL);
    *last = stm;
    return copy;
}

/* The copy, made where there is none yet. */
static CoreAtom keep(Keep *k, CoreAtom array, CoreAtom index, const CoreStm *stm)
{
    for (size_t i = 0; i < k->kept.count; i++) {
        if (k->kept.items[i].array == array.name && k->kept.items[i].index == index.name) {
            return k->kept.items[i].copy;
        }
    }
    size_t before = k->b->certificates.count;
    flatten_push_certificates(k->b, stm);
    CoreAtom row = index.name ? core_let_index(k->b, array.name->text, array, 1, &index) : array;
    CoreAtom copy = let_copy(k->b, row);
    k->b->certificates.count = before;
    vec_push(k->b->c->arena, &k->kept, ((Kept){array.name, index.name, copy}));
    return copy;
}

/* The parameter is the number of the row, and there is such a row of the array: an element of it may be read under a
   condition, or in a loop of no steps. */
static bool is_position(const Keep *k, CoreAtom index, CoreAtom array)
{
    const CoreSoac *soac = &k->nest->exp->as.soac;
    for (size_t i = 0; i < soac->input_count; i++) {
        CoreAtom input = soac->inputs[i];
        if (index.name && soac->map->parameters[i] == index.name) {
            return input.name && core_name_map_get(k->work->f->iotas, input.name) &&
                   core_atom_equal(soac->width, array.name->type.sizes[0]);
        }
    }
    return false;
}

/* An element a[i, j, k] of the matrix a[i], which is this row's. */
static bool is_element_of_row(const Keep *k, const CoreStm *stm)
{
    if (stm->exp->kind != CORE_EXP_INDEX || !flatten_is_certain(k->work->context, stm)) {
        return false;
    }
    CoreAtom array = stm->exp->as.index.array;
    const CoreAtom *indices = stm->exp->as.index.indices;
    bool good = flatten_is_invariant(k->work->context, array) &&
                stm->exp->as.index.count == (size_t)array.name->type.rank &&
                array.name->type.rank > 2 && is_position(k, indices[0], array);
    for (int axis = 1; good && axis < array.name->type.rank; axis++) {
        size_t number;
        good = !flatten_is_invariant(k->work->context, indices[axis]) &&
               flatten_binding(k->work->context, indices[axis], &number) == BOUND_OUTSIDE;
    }
    return good;
}

static const CoreBody *keep_in_body(void *context, const CoreBody *body);

static const CoreStm *keep_in_statement(Keep *k, const CoreStm *stm)
{
    Compilation *c = k->b->c;
    CoreStm *changed = arena_copy(c->arena, stm, sizeof *changed);
    bool loop = stm->exp->kind == CORE_EXP_LOOP, outer = k->in_loop;
    if (k->in_loop && is_element_of_row(k, stm)) {
        CoreExp *exp = core_exp_copy(c, stm->exp);
        exp->as.index.array = keep(k, stm->exp->as.index.array, stm->exp->as.index.indices[0], stm);
        exp->as.index.indices++;
        exp->as.index.count--;
        changed->exp = exp;
        return changed;
    }
    k->in_loop = outer || loop;
    changed->exp = core_map_bodies(c, stm->exp, keep_in_body, k);
    k->in_loop = outer;
    return changed;
}

static const CoreBody *keep_in_body(void *context, const CoreBody *body)
{
    Keep *k = context;
    CoreBody *changed = arena_copy(k->b->c->arena, body, sizeof *changed);
    const CoreStm **stms = ARENA_ARRAY(k->b->c->arena, const CoreStm *, body->stm_count + 1);
    for (size_t i = 0; i < body->stm_count; i++) {
        stms[i] = keep_in_statement(k, body->stms[i]);
    }
    changed->stms = stms;
    return changed;
}

/* A matrix that a loop reads again and again. */
static bool is_kept(const CoreBody *body, const CoreName *parameter)
{
    bool kept = false;
    for (size_t i = 0; i < body->stm_count && parameter->type.rank > 1; i++) {
        const CoreStm *stm = body->stms[i];
        kept = kept || (stm->exp->kind == CORE_EXP_LOOP && core_stm_uses(stm, parameter));
    }
    return kept;
}

const CoreStm *group_keep_matrices(const GroupWork *work, const CoreStm *nest)
{
    Compilation *c = work->f->c;
    const CoreLambda *function = nest->exp->as.soac.map;
    CoreBuilder b = core_builder(c, nest->span);
    Keep k = {.work = work, .nest = nest, .b = &b};
    Renaming *renaming = core_renaming(c);
    for (size_t i = 0; i < function->parameter_count; i++) {
        CoreName *parameter = function->parameters[i];
        if (is_kept(function->body, parameter)) {
            core_rename(renaming, parameter, keep(&k, core_use(parameter), core_i64(0), nest));
        }
    }
    const CoreBody *body = keep_in_body(&k, function->body);
    if (k.kept.count == 0) {
        return nest;
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        core_add(&b, core_rename_stm(renaming, body->stms[i]));
    }
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, body->result_count + 1);
    for (size_t i = 0; i < body->result_count; i++) {
        results[i] = core_renamed(renaming, body->results[i]);
    }
    CoreStm *stm = arena_copy(c->arena, nest, sizeof *stm);
    CoreExp *exp = core_exp_copy(c, nest->exp);
    exp->as.soac.map = core_lambda(c, function->parameter_count, function->parameters,
                                   core_body(&b, body->result_count, results));
    stm->exp = exp;
    return stm;
}
