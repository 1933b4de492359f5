/* [L0 7.2] What a filter goes by is computed in it from what it reads anyway, where it is cheap, rather than stored by
   another SOAC and read again:

       let (bs, cs) = map n (\x -> (x > 3, x <= 3)) xs
       let (m, us) = filter n (\b x -> (b, x)) (bs, xs)
       let (k, vs) = filter n (\c x -> (c, x)) (cs, xs)

   ==> let (m, us) = filter n (\x -> let b = x > 3 in (b, x)) xs
       let (k, vs) = filter n (\x -> let c = x <= 3 in (c, x)) xs

   The flags of several filters, and of a scan, `+\v>3`, have become one map, or part of the scan, since all are made of
   one array; so no filter is the only reader of that (keep.c). Each does its own part again: scalar operations of rows that
   it reads anyway, of what else the same SOAC makes and the filter reads, of positions and of what is the same for all rows.
   What nobody reads any more the simplifier leaves out. */
#include "core/fuse/filter.h"

enum { MOST_AGAIN = 16 }; /* operations a row */

typedef struct Condition {
    Fuse *f;
    const CoreStm *filter, *maker;
    size_t input;       /* of the filter: a result that the maker maps */
    Renaming *renaming; /* of the maker's function: what it is in the filter */
    PointerMap
        known; /* CoreName of the maker's function -> anything: it is there in the filter, or will be */
    CoreAtom positions;   /* an iota that the filter will read, too; none: no name */
    CoreName *position;   /* its element */
    const CoreStm **stms; /* of the maker's function, to be done again; NULL: not that one */
    unsigned cost;
} Condition;

static bool is_input(const CoreExp *filter, size_t except, CoreAtom array, size_t *place)
{
    for (size_t i = 0; i < filter->as.filter.input_count; i++) {
        if (i != except && core_atom_equal(filter->as.filter.inputs[i], array)) {
            *place = i;
            return true;
        }
    }
    return false;
}

static void note_known(Condition *made, const CoreName *name, CoreName *parameter)
{
    core_rename(made->renaming, name, core_use(parameter));
    pointer_map_set(made->f->arena, &made->known, name, made);
}

/* Rows of the maker's inputs and results that the filter reads beside the one at work. */
static void note_rows(Condition *made)
{
    const CoreExp *filter = made->filter->exp;
    const CoreSoac *soac = &made->maker->exp->as.soac;
    size_t folded = fuse_total_width(soac->reduction_count, soac->reductions) +
                    fuse_total_width(soac->scan_count, soac->scans);
    size_t place;
    for (size_t i = 0; i < soac->input_count; i++) {
        if (is_input(filter, made->input, soac->inputs[i], &place)) {
            note_known(made, soac->map->parameters[i],
                       filter->as.filter.predicate->parameters[place]);
        }
    }
    for (size_t k = folded; k < made->maker->pattern_count; k++) {
        const CoreName *row = soac->map->body->results[k].name;
        if (row && is_input(filter, made->input, core_use(made->maker->pattern[k]), &place)) {
            note_known(made, row, filter->as.filter.predicate->parameters[place]);
        }
    }
}

static bool is_scalar_work(const CoreStm *stm)
{
    CoreExpKind kind = stm->exp->kind;
    return stm->certificate_count == 0 && stm->pattern[0]->type.rank == 0 &&
           (kind == CORE_EXP_ATOM || kind == CORE_EXP_UNARY || kind == CORE_EXP_BINARY ||
            kind == CORE_EXP_CONVERT);
}

/* A position of the maker's, which costs the filter nothing. */
static bool is_position(Condition *made, const CoreName *name)
{
    const CoreSoac *soac = &made->maker->exp->as.soac;
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreStm *stm = fuse_definition(made->f, soac->inputs[i]);
        if (soac->map->parameters[i] == name && stm && stm->exp->kind == CORE_EXP_IOTA &&
            stm->exp->space == CORE_SPACE_AUTO && !made->positions.name) {
            made->positions = soac->inputs[i];
            made->position = core_name(made->f->c, name->text, name->type, name->span);
            note_known(made, name, made->position);
            return true;
        }
    }
    return false;
}

/* The filter can have the number; marks the statements that make it. */
static bool can_have(Condition *made, CoreAtom atom)
{
    const CoreLambda *map = made->maker->exp->as.soac.map;
    if (!atom.name || pointer_map_get(&made->known, atom.name)) {
        return true;
    }
    for (size_t i = 0; i < map->body->stm_count; i++) {
        const CoreStm *stm = map->body->stms[i];
        if (!core_stm_binds(stm, atom.name)) {
            continue;
        }
        const CoreBody alone = {.stm_count = 1, .stms = &map->body->stms[i]};
        made->cost += fuse_cost(&alone);
        made->stms[i] = stm;
        pointer_map_set(made->f->arena, &made->known, atom.name, made);
        if (!is_scalar_work(stm) || made->cost > MOST_AGAIN) {
            return false;
        }
        const CoreExp *exp = stm->exp;
        return exp->kind == CORE_EXP_ATOM ? can_have(made, exp->as.atom)
               : exp->kind == CORE_EXP_CONVERT
                   ? can_have(made, exp->as.convert.x)
                   : can_have(made, exp->as.scalar.x) &&
                         (exp->kind == CORE_EXP_UNARY || can_have(made, exp->as.scalar.y));
    }
    for (size_t i = 0; i < map->parameter_count; i++) {
        if (map->parameters[i] == atom.name) {
            return is_position(made, atom.name);
        }
    }
    return atom.name->type.rank == 0; /* from outside */
}

/* The filter's input is what a SOAC maps, and the filter can have its rows. */
static bool can_make(Condition *made)
{
    CoreAtom input = made->filter->exp->as.filter.inputs[made->input];
    made->maker = fuse_definition(made->f, input);
    if (!fuse_is_soac(made->maker)) {
        return false;
    }
    const CoreSoac *soac = &made->maker->exp->as.soac;
    size_t result = fuse_handed_over(made->maker, input);
    if (result < fuse_total_width(soac->reduction_count, soac->reductions) +
                     fuse_total_width(soac->scan_count, soac->scans) ||
        result == SIZE_MAX || made->maker->pattern[result]->type.rank != 1 ||
        !core_atom_equal(soac->width, made->filter->exp->as.filter.width)) {
        return false;
    }
    made->renaming = core_renaming(made->f->c);
    made->stms = ARENA_ARRAY(made->f->arena, const CoreStm *, soac->map->body->stm_count + 1);
    memset(made->stms, 0, (soac->map->body->stm_count + 1) * sizeof *made->stms);
    note_rows(made);
    CoreAtom row = soac->map->body->results[result];
    return row.name && !pointer_map_get(&made->known, row.name) && can_have(made, row) &&
           made->cost > 0;
}

/* The filter without that input. */
static const CoreStm *make(const Condition *made)
{
    Fuse *f = made->f;
    const CoreExp *old = made->filter->exp;
    const CoreLambda *predicate = old->as.filter.predicate;
    const CoreSoac *soac = &made->maker->exp->as.soac;
    size_t count = 0, results = 0, all = old->as.filter.input_count;
    CoreName **parameters = ARENA_ARRAY(f->c->arena, CoreName *, all + 1);
    CoreAtom *inputs = ARENA_ARRAY(f->c->arena, CoreAtom, all + 1);
    CoreBuilder b = core_builder(f->c, made->filter->span);
    for (size_t i = 0; i < all; i++) {
        if (i != made->input) {
            inputs[count] = old->as.filter.inputs[i];
            parameters[count++] = predicate->parameters[i];
        }
    }
    if (made->positions.name) {
        inputs[count] = made->positions;
        parameters[count++] = made->position;
    }
    for (size_t i = 0; i < soac->map->body->stm_count; i++) {
        if (made->stms[i]) {
            core_add(&b, core_rename_stm(made->renaming, made->stms[i]));
        }
    }
    CoreAtom row =
        soac->map->body->results[fuse_handed_over(made->maker, old->as.filter.inputs[made->input])];
    core_bind(&b, 1, &predicate->parameters[made->input],
              core_atom_exp(f->c, core_renamed(made->renaming, row)));
    core_add_all(&b, predicate->body);
    const CoreAtom *kept = fuse_filter_results(f, old, &results);
    CoreStm *stm = fuse_with_certificates(f, made->filter, made->maker);
    stm->exp = core_exp_filter(f->c, old->as.filter.width, count, inputs,
                               core_lambda(f->c, count, parameters, core_body(&b, results, kept)));
    return stm;
}

const CoreStm *fuse_filter_alone(Fuse *f, const CoreStm *filter)
{
    for (size_t i = 0; i < filter->exp->as.filter.input_count; i++) {
        Condition made = {.f = f, .filter = filter, .input = i};
        if (filter->exp->as.filter.input_count > 1 && can_make(&made)) {
            fuse_log_done(f, CORE_RULE_FUSE_VIEW, made.maker, filter,
                          filter->exp->as.filter.inputs[i].name);
            fuse_fired(f, CORE_RULE_FUSE_CONDITION);
            return make(&made);
        }
    }
    return NULL;
}
