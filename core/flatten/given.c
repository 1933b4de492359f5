/* What an `if` gives whose SOACs are in front of it (guarded.c): its scalars by an `if`, its arrays by their elements.

       let (s, ys) = if c then {                     let ys = map k (\x y -> if c then x else y) t zs
         let t = soac k ..                      ==>  let s = if c then { in (1) } else { in (2) }
         in (1, t) } else { in (2, zs) }

   Where the SOAC that makes the one array has the condition in its function, it gives the elements of the other where its
   branch is not taken, and nothing has to be chosen. */
#include "core/flatten/guarded.h"

/* ---- arrays that are there ------------------------------------------------------------------- */

/* if c then { xs } else { ys }, of rows of rows and so on, down to their elements. */
static CoreAtom choose(CoreBuilder *b, CoreAtom condition, CoreAtom x, CoreAtom y, const char *text)
{
    Compilation *c = b->c;
    CoreType type = core_atom_type(x);
    CoreBuilder inner = core_builder(c, b->span), none = inner;
    if (type.rank == 0) {
        return core_let(
            b, text, type,
            core_exp_if(c, condition, core_body(&inner, 1, &x), core_body(&none, 1, &y)));
    }
    CoreName *rows[2] = {core_name(c, text, core_row(type), b->span),
                         core_name(c, text, core_row(type), b->span)};
    CoreAtom inputs[2] = {x, y}, all;
    CoreAtom row = choose(&inner, condition, core_use(rows[0]), core_use(rows[1]), text);
    core_let_map(b, text, type.sizes[0], 2, inputs,
                 core_lambda(c, 2, rows, core_body(&inner, 1, &row)), &all);
    return all;
}

/* Arrays that branches give, both of which are there in front of the `if`. */
static bool are_there(const Guarded *g, CoreName *name, const CoreBody *then_body,
                      const CoreBody *else_body, size_t k)
{
    CoreAtom x = then_body->results[k], y = else_body->results[k];
    return !name->type.unique && flatten_is_regular(g->m, name->type) && x.name && y.name &&
           !core_binds(then_body, x.name) && !core_binds(else_body, y.name) &&
           !guarded_is_local(g, x) && !guarded_is_local(g, y) && !guarded_is_nothing(g, x) &&
           !guarded_is_nothing(g, y) && core_has_same_sizes(x.name->type, y.name->type) &&
           !simplify_consumed(g->f->s, core_use(name));
}

/* name = what the one branch gives, which is there in front of the `if`, where the other gives nothing. */
static bool take_other(const Guarded *g, CoreBuilder *b, CoreName *name, const CoreBody *body,
                       const CoreBody *other, size_t k)
{
    CoreAtom x = body->results[k];
    if (!guarded_is_nothing(g, other->results[k]) || name->type.unique || !x.name ||
        core_binds(body, x.name) || guarded_is_local(g, x) || guarded_is_nothing(g, x) ||
        simplify_consumed(g->f->s, core_use(name))) {
        return false;
    }
    core_bind(b, 1, &name, core_atom_exp(g->f->c, x));
    return true;
}

/* name = if c then { x } else { y }, where both are there. */
bool guarded_choose(const Guarded *g, CoreBuilder *b, CoreAtom condition, CoreName *name,
                    const CoreBody *then_body, const CoreBody *else_body, size_t k)
{
    if (take_other(g, b, name, then_body, else_body, k) ||
        take_other(g, b, name, else_body, then_body, k)) {
        return true;
    }
    if (!are_there(g, name, then_body, else_body, k)) {
        return false;
    }
    CoreAtom x = then_body->results[k], y = else_body->results[k];
    CoreAtom all = core_atom_equal(x, y) ? x : choose(b, condition, x, y, name->text);
    core_bind(b, 1, &name, core_atom_exp(g->f->c, all));
    return true;
}

/* ---- scalars --------------------------------------------------------------------------------- */

/* The scalars of an `if` alone, with those bodies. */
const CoreStm *guarded_scalars(const Guarded *g, const CoreStm *stm, const CoreBody *then_body,
                               const CoreBody *else_body)
{
    Compilation *c = g->f->c;
    size_t count = 0;
    CoreBody *bodies[2] = {arena_copy(c->arena, then_body, sizeof *then_body),
                           arena_copy(c->arena, else_body, sizeof *else_body)};
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, stm->pattern_count + 1);
    CoreAtom *results[2] = {ARENA_ARRAY(c->arena, CoreAtom, stm->pattern_count + 1),
                            ARENA_ARRAY(c->arena, CoreAtom, stm->pattern_count + 1)};
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (stm->pattern[k]->type.rank == 0) {
            pattern[count] = stm->pattern[k];
            results[0][count] = then_body->results[k];
            results[1][count++] = else_body->results[k];
        }
    }
    for (int side = 0; side < 2; side++) {
        bodies[side]->result_count = count;
        bodies[side]->results = results[side];
    }
    CoreStm *rest = arena_copy(c->arena, stm, sizeof *stm);
    rest->pattern_count = count;
    rest->pattern = pattern;
    rest->exp = core_exp_if(c, stm->exp->as.conditional.condition, bodies[0], bodies[1]);
    return rest;
}

/* ---- rows that branches give ----------------------------------------------------------------- */

/* The result with that number, as a body that reads an element of it. */
static bool element_of(Guarded *g, GuardedRows *rows, CoreAtom width, const CoreBody *branch,
                       size_t k, CoreName *like, const CoreBody **element)
{
    Compilation *c = g->f->c;
    size_t before = g->local.count;
    if (guarded_is_nothing(g, branch->results[k])) {
        CoreBuilder none = core_builder(c, like->span);
        CoreAtom zero = core_zero(like->type.prim);
        *element = core_body(&none, 1, &zero);
        return true;
    }
    for (size_t i = 0; i < branch->stm_count; i++) {
        vec_push(c->arena, &g->local, branch->stms[i]);
    }
    GuardedAgain a = guarded_again(g);
    Renaming *renaming = core_renaming(c);
    CoreBuilder b = core_builder(c, like->span);
    CoreName *parameter = core_name(c, like->text, core_row(like->type), like->span);
    guarded_need(&a, branch->results[k]);
    bool good = guarded_compute(&a, &b, renaming) &&
                guarded_add_row(g, rows, width, branch->results[k], parameter, &b, renaming);
    g->local.count = before;
    CoreAtom result = core_renamed(renaming, core_use(parameter));
    *element = core_body(&b, 1, &result);
    return good;
}

/* A vector that an `if` gives:  map k (\x y -> if c then x else y) xs ys */
static bool choose_elements(Guarded *g, CoreBuilder *b, const CoreStm *stm,
                            const CoreBody *then_body, const CoreBody *else_body, size_t k)
{
    CoreName *name = stm->pattern[k];
    if (name->type.rank != 1 || name->type.unique || !flatten_is_regular(g->m, name->type) ||
        simplify_consumed(g->f->s, core_use(name))) {
        return false;
    }
    CoreAtom width = name->type.sizes[0];
    CoreType type = core_row(name->type);
    const CoreBody *then_element, *else_element;
    GuardedRows rows = {.position = core_i64(0)};
    if (!element_of(g, &rows, width, then_body, k, name, &then_element) ||
        !element_of(g, &rows, width, else_body, k, name, &else_element)) {
        return false;
    }
    const CoreExp *choice =
        core_exp_if(g->f->c, stm->exp->as.conditional.condition, then_element, else_element);
    core_bind(b, 1, &name,
              core_exp_map(g->f->c, width, rows.inputs.count, rows.inputs.items,
                           guarded_function(g, &rows, 1, &type, choice, stm->span)));
    return true;
}

/* The array is one of elements of a function with the condition: number k of what the SOAC makes. */
static bool is_mapped(const CoreStm *stm, const CoreName *made, size_t *k)
{
    if (!fuse_is_soac(stm)) {
        return false;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    const CoreBody *body = soac->map->body;
    for (*k = 0; stm->pattern[*k] != made; ++*k) {
    }
    return body->stm_count == 1 && body->stms[0]->exp->kind == CORE_EXP_IF &&
           *k >= fuse_total_width(soac->reduction_count, soac->reductions) +
                     fuse_total_width(soac->scan_count, soac->scans);
}

/* The SOAC in front of all whose elements the array is; NULL. */
static const CoreStm *map_of(const Guarded *g, CoreAtom made, size_t *at, size_t *k)
{
    for (*at = g->lifted->stms.count; made.name && (*at)-- > 0;) {
        const CoreStm *stm = g->lifted->stms.items[*at];
        if (core_stm_binds(stm, made.name)) {
            return is_mapped(stm, made.name, k) ? stm : NULL;
        }
    }
    return NULL;
}

/* What the SOAC's function gives for the array where the branch is not taken: a constant, until it is another branch's. */
static CoreAtom given(const CoreStm *stm, size_t k)
{
    const CoreExp *choice = stm->exp->as.soac.map->body->stms[0]->exp;
    return choice->as.conditional.else_body->results[k];
}

/* map k (\x -> if c then f x else 0) xs  ==>  map k (\x y -> if c then f x else y) xs ys:  what the `if` gives, where its
   other branch gives ys; false where that cannot be. */
static bool give_other(Guarded *g, CoreAtom made, const CoreBody *other, size_t result)
{
    Compilation *c = g->f->c;
    size_t at, k;
    CoreAtom row = other->results[result];
    const CoreStm *stm = map_of(g, made, &at, &k);
    bool there = stm && row.name && !core_binds(other, row.name) && !given(stm, k).name;
    for (size_t i = at; there && i < g->lifted->stms.count; i++) {
        there = !core_stm_binds(g->lifted->stms.items[i], row.name);
    }
    if (!there || made.name->type.rank != 1) {
        return false;
    }
    CoreExp *exp = core_exp_copy(c, stm->exp);
    CoreSoac *soac = &exp->as.soac;
    CoreLambda *function = arena_copy(c->arena, soac->map, sizeof *function);
    CoreStm *choice = arena_copy(c->arena, function->body->stms[0], sizeof *choice);
    CoreExp *either = core_exp_copy(c, choice->exp);
    CoreBody *none = arena_copy(c->arena, either->as.conditional.else_body, sizeof *none);
    CoreName *element = core_name(c, row.name->text, core_row(row.name->type), stm->span);
    CoreAtom *results = arena_copy(c->arena, none->results, none->result_count * sizeof *results);
    CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, soac->input_count + 1);
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, soac->input_count + 1);
    for (size_t i = 0; i < soac->input_count; i++) {
        inputs[i] = soac->inputs[i];
        parameters[i] = function->parameters[i];
    }
    inputs[soac->input_count] = row;
    parameters[soac->input_count++] = element;
    results[k] = core_use(element);
    none->results = results;
    either->as.conditional.else_body = none;
    choice->exp = either;
    CoreBuilder b = core_builder(c, stm->span);
    core_add(&b, choice);
    function->body = core_body(&b, function->body->result_count, function->body->results);
    function->parameters = parameters;
    function->parameter_count = soac->input_count;
    soac->inputs = inputs;
    soac->map = function;
    CoreStm *with = arena_copy(c->arena, stm, sizeof *with);
    with->exp = exp;
    g->lifted->stms.items[at] = with;
    return true;
}

/* An array that an `if` gives: what a SOAC of one branch makes, with the other's elements where that is taken, or chosen. */
static bool give_row(Guarded *g, CoreBuilder *b, const CoreStm *stm, const CoreBody *then_body,
                     const CoreBody *else_body, size_t k)
{
    CoreAtom made = then_body->results[k], other = else_body->results[k];
    if (take_other(g, b, stm->pattern[k], then_body, else_body, k) ||
        take_other(g, b, stm->pattern[k], else_body, then_body, k)) {
        return true;
    }
    if (give_other(g, made, else_body, k)) {
        core_bind(b, 1, &stm->pattern[k], core_atom_exp(g->f->c, made));
        return true;
    }
    if (give_other(g, other, then_body, k)) {
        core_bind(b, 1, &stm->pattern[k], core_atom_exp(g->f->c, other));
        return true;
    }
    CoreName *name = stm->pattern[k];
    return name->type.rank > 1 ? guarded_choose(g, b, stm->exp->as.conditional.condition, name,
                                                then_body, else_body, k)
                               : choose_elements(g, b, stm, then_body, else_body, k);
}

/* The `if` for its scalars, and maps for its arrays. */
bool guarded_choose_results(Guarded *g, const CoreStm *stm, const CoreBody *then_body,
                            const CoreBody *else_body, CoreBuilder *stays)
{
    CoreBuilder maps = core_builder(g->f->c, stm->span);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (stm->pattern[k]->type.rank > 0 && !give_row(g, &maps, stm, then_body, else_body, k)) {
            return false;
        }
    }
    const CoreStm *scalars = guarded_scalars(g, stm, then_body, else_body);
    if (scalars->pattern_count > 0) {
        core_add(stays, scalars);
    }
    flatten_add_all(stays, &maps);
    return true;
}
