/* [L0 8] Maps of all elements of what scans of columns make go over columns, too:

       let ys = map c (scan r (+) 0) (rearrange (1, 0) xs)            let ys = map c (scan r (+) 0) (rearrange (1, 0) xs)
       let zs = map r (map c f) (rearrange (1, 0) ys, us)      ==>    let vs = map c (map r f) (ys, rearrange (1, 0) us)
                                                                      let zs = rearrange (1, 0) vs

   so that the two are one nest, whose kernel has each element of the scan when it is finished (nest_pairs.c), and writes what
   the map makes of it where it belongs. Of arrays of two axes. (Of 4096 x 4096 integers 20 steps of 1⊖1009|⍵++⍀⍵ took 6.0
   ms on an H200, and take 2.2.) What a sequential program reads besides, it reads by rows: there only maps of columns alone.

   Before: a body whose maps are as they were written. After: the same values. */
#include "core/fuse/graph.h"

typedef struct Transpose {
    Fuse *f;
    PointerMap
        turned; /* CoreName -> CoreName: what a map makes, and the array of which it is the columns now */
} Transpose;

/* The array of which the rows are the columns; no name: they are not. */
static CoreAtom columns_of(const Transpose *t, CoreAtom rows)
{
    CoreName *turned = rows.name ? pointer_map_get(&t->turned, rows.name) : NULL;
    if (turned) {
        return core_use(turned);
    }
    const CoreStm *stm = fuse_definition(t->f, rows);
    bool turns = stm && stm->exp->kind == CORE_EXP_REARRANGE && stm->certificate_count == 0 &&
                 rows.name->type.rank == 2 && stm->exp->as.rearrange.permutation[0] == 1;
    return turns ? stm->exp->as.rearrange.array : core_i64(0);
}

static size_t parameter_number(const CoreLambda *function, CoreAtom row)
{
    size_t k = 0;
    while (k < function->parameter_count && function->parameters[k] != row.name) {
        k++;
    }
    return k;
}

/* The map of the elements of a row, which is all that the function does; NULL: it is another. */
static const CoreStm *map_of_elements(const CoreStm *map)
{
    const CoreBody *body = map->exp->as.soac.map->body;
    const CoreStm *inner = body->stm_count == 1 ? body->stms[0] : NULL;
    if (!inner || !fuse_is_map_of_scalars(inner) || inner->certificate_count > 0 ||
        inner->exp->level != CORE_LEVEL_AUTO || inner->exp->space != CORE_SPACE_AUTO ||
        body->result_count != inner->pattern_count) {
        return NULL;
    }
    const CoreSoac *soac = &inner->exp->as.soac;
    for (size_t k = 0; k < soac->input_count; k++) {
        size_t number = parameter_number(map->exp->as.soac.map, soac->inputs[k]);
        if (number == map->exp->as.soac.input_count ||
            core_atom_type(map->exp->as.soac.inputs[number]).rank != 2) {
            return NULL;
        }
    }
    for (size_t k = 0; k < body->result_count; k++) {
        if (body->results[k].name != inner->pattern[k]) {
            return NULL;
        }
    }
    return fuse_takes_elements(map, inner) ? inner : NULL;
}

static bool takes_columns_alone(const Transpose *t, const CoreSoac *soac)
{
    bool alone = true;
    for (size_t k = 0; k < soac->input_count; k++) {
        alone = alone && columns_of(t, soac->inputs[k]).name;
    }
    return alone;
}

static bool goes_over_columns(const Transpose *t, const CoreStm *stm)
{
    bool any = false;
    if (!fuse_is_map(stm) || stm->exp->level != CORE_LEVEL_AUTO ||
        stm->exp->space != CORE_SPACE_AUTO || !map_of_elements(stm)) {
        return false;
    }
    for (size_t k = 0; k < stm->exp->as.soac.input_count && !any; k++) {
        CoreAtom rows = stm->exp->as.soac.inputs[k], columns = columns_of(t, rows);
        any = columns.name &&
              (!t->f->c->options.sequential || takes_columns_alone(t, &stm->exp->as.soac)) &&
              (pointer_map_get(&t->turned, rows.name) || fuse_is_of_scan(t->f, columns, 1));
    }
    return any;
}

static CoreAtom transposed(CoreBuilder *b, const char *text, CoreAtom array)
{
    static const int turned[] = {1, 0};
    return core_let_rearrange(b, text, array, turned);
}

/* The map goes over columns: what it makes, turned. */
static CoreAtom *map_columns(const Transpose *t, CoreBuilder *b, const CoreStm *old)
{
    Compilation *c = t->f->c;
    const CoreStm *inner = map_of_elements(old);
    const CoreSoac *rows = &old->exp->as.soac, *elements = &inner->exp->as.soac;
    size_t count = elements->input_count, made = inner->pattern_count;
    CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreAtom *columns = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, made + 1);
    CoreBuilder column = core_builder(c, inner->span);
    b->span = old->span;
    for (size_t k = 0; k < count; k++) {
        CoreAtom array = rows->inputs[parameter_number(rows->map, elements->inputs[k])];
        CoreAtom known = columns_of(t, array);
        inputs[k] = known.name ? known : transposed(b, array.name->text, array);
        CoreType type = core_row(core_atom_type(inputs[k]));
        parameters[k] = core_name(c, elements->inputs[k].name->text, type, inner->span);
        columns[k] = core_use(parameters[k]);
    }
    core_let_map(&column, inner->pattern[0]->text, rows->width, count, columns, elements->map,
                 results);
    const CoreLambda *function =
        core_lambda(c, count, parameters, core_body(&column, made, results));
    for (size_t i = 0; i < old->certificate_count; i++) {
        vec_push(c->arena, &b->certificates, old->certificates[i]);
    }
    core_let_map(b, old->pattern[0]->text, elements->width, count, inputs, function, results);
    b->certificates.count = 0;
    return results;
}

static void transpose(Transpose *t, CoreBuilder *b, const CoreStm *old)
{
    Compilation *c = t->f->c;
    const CoreAtom *results = map_columns(t, b, old);
    for (size_t k = 0; k < old->pattern_count; k++) {
        CoreAtom back = transposed(b, old->pattern[k]->text, results[k]);
        core_bind(b, 1, &old->pattern[k], core_atom_exp(c, back));
        pointer_map_set(c->arena, &t->turned, old->pattern[k], results[k].name);
    }
    fuse_fired(t->f, CORE_RULE_FUSE_TURNED);
}

bool fuse_is_map_of_columns(Fuse *f, const CoreStm *stm)
{
    const Transpose t = {.f = f};
    return stm->exp->as.soac.input_count > 0 && map_of_elements(stm) &&
           takes_columns_alone(&t, &stm->exp->as.soac);
}

CoreAtom fuse_map_columns(Fuse *f, CoreBuilder *b, const CoreStm *map)
{
    const Transpose t = {.f = f};
    return map_columns(&t, b, map)[0];
}

static const CoreBody *transpose_in_body(void *context, const CoreBody *old)
{
    Transpose *t = context;
    CoreBuilder b = core_builder(t->f->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        if (goes_over_columns(t, stm)) {
            transpose(t, &b, stm);
            continue;
        }
        core_add(&b, core_map_stm(t->f->c, stm, transpose_in_body, t));
    }
    return core_with_stms(t->f->c, old, b.stms.count, b.stms.items);
}

const CoreFunction *fuse_transposed(Fuse *f, const CoreFunction *function)
{
    Transpose t = {.f = f};
    return core_with_body(f->c, function, transpose_in_body(&t, function->body));
}
