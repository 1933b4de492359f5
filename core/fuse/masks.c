/* [L0 7.2] Filters that go by one array of flags become one filter, where the first of them stands: one
   scan says where the rows go, and what takes rows of several may take them as rows of one (filter.c).

       let (m, us) = filter n p (bs, xs)                let (m, us, vs) = filter n p (bs, xs, ys)
       let (k, vs) = filter n p (bs, ys)    ==>         -- k is m
       -- p b x = b

   How many flags are set is how many rows it keeps; if that is asked for before, and can be, it stands there:

       let s = redomap n (\b -> i64 b) (+) 0 bs         let (m, us) = filter n p (bs, xs)
       let (m, us) = filter n p (bs, xs)       ==>      let s = m

   Legal where what the later one reads is there already, or can be: a range of numbers, and its size, are made anew. It is not
   written in place before the later one, which still uses it. */
#include "core/fuse/filter.h"

typedef struct Masks {
    Fuse *f;
    const CoreBody *body;
    PointerMap binders; /* CoreName -> 1 + number of the statement of the body that binds it */
    size_t *leaders;    /* of each statement: the filter that it becomes part of, or itself */
    size_t *counts; /* of one that counts flags: the filter that does, too; SIZE_MAX: another one */
    size_t at;      /* where names have to be there */
    bool makes_anew; /* what can be made there is no hindrance */
    bool missing;
    size_t moves;     /* so many filters may yet be moved */
    size_t moved, to; /* a filter that is to stand before what counts its flags; SIZE_MAX: none */
    Renaming *ranges; /* of copies that stand before a filter */
    PointerMap kept;  /* CoreName that a member binds -> that of the filter of all */
    StmVec stms;
} Masks;

/* The flags of a filter that keeps its inputs where they are set; NULL: another filter, or none. */
static const CoreName *mask_of(const CoreStm *stm)
{
    if (!fuse_is_filter(stm)) {
        return NULL;
    }
    const CoreLambda *predicate = stm->exp->as.filter.predicate;
    if (predicate->body->stm_count > 0 || predicate->body->result_count != 1) {
        return NULL;
    }
    for (size_t i = 0; i < predicate->parameter_count; i++) {
        if (predicate->parameters[i] == predicate->body->results[0].name) {
            return stm->exp->as.filter.inputs[i].name;
        }
    }
    return NULL;
}

/* ---- which become one ------------------------------------------------------------------------ */

static size_t binder_of(const Masks *masks, const CoreName *name)
{
    return (size_t)(uintptr_t)pointer_map_get(&masks->binders, name) - 1;
}

/* It makes numbers of nothing but sizes: an iota, or a slice of one. No check that stands between guards it. */
static bool is_range(const Masks *masks, const CoreStm *stm)
{
    const CoreStm *of = stm->exp->kind == CORE_EXP_SLICE
                            ? fuse_definition(masks->f, stm->exp->as.slice.array)
                            : stm;
    return of && of->exp->kind == CORE_EXP_IOTA && of->exp->space == CORE_SPACE_AUTO &&
           stm->exp->space == CORE_SPACE_AUTO;
}

/* What is as well made before: a range, or a scalar of arithmetic, such as the size of one. */
static bool can_be_made_before(const Masks *masks, const CoreStm *stm)
{
    return is_range(masks, stm) || (stm->exp->kind != CORE_EXP_IF && fuse_is_total_stm(stm) &&
                                    fuse_are_scalars(stm->pattern_count, stm->pattern));
}

static void find_missing(void *context, CoreName *name)
{
    Masks *masks = context;
    size_t binder = binder_of(masks, name);
    if (binder == SIZE_MAX || binder < masks->at) {
        return;
    }
    const CoreStm *stm = masks->body->stms[binder];
    if (masks->makes_anew && can_be_made_before(masks, stm)) {
        core_each_free(stm, find_missing, masks);
    } else {
        masks->missing = true;
    }
}

/* Everything that the statement uses is there before the other, or (makes_anew) can be. */
static bool may_stand_at(Masks *masks, const CoreStm *stm, size_t at, bool makes_anew)
{
    masks->at = at;
    masks->makes_anew = makes_anew;
    masks->missing = false;
    core_each_free(stm, find_missing, masks);
    return !masks->missing;
}

/* Whether any statement becomes part of another. */
static bool find_leaders(Masks *masks)
{
    bool any = false;
    for (size_t i = 0; i < masks->body->stm_count; i++) {
        const CoreStm *stm = masks->body->stms[i];
        const CoreName *mask = mask_of(stm);
        masks->leaders[i] = i;
        for (size_t k = 0; mask && k < i && masks->leaders[i] == i; k++) {
            const CoreStm *first = masks->body->stms[k];
            if (masks->leaders[k] == k && mask_of(first) == mask &&
                core_atom_equal(first->exp->as.filter.width, stm->exp->as.filter.width) &&
                may_stand_at(masks, stm, k, true)) {
                masks->leaders[i] = k;
                any = true;
            }
        }
        for (size_t k = 0; k < stm->pattern_count; k++) {
            pointer_map_set(masks->f->arena, &masks->binders, stm->pattern[k],
                            (void *)(uintptr_t)(i + 1));
        }
    }
    return any;
}

/* ---- what counts flags ----------------------------------------------------------------------- */

/* \b -> i64 b */
static bool is_number_of_flag(const CoreLambda *lambda)
{
    const CoreBody *body = lambda ? lambda->body : NULL;
    return body && lambda->parameter_count == 1 && body->stm_count == 1 &&
           body->result_count == 1 && body->stms[0]->exp->kind == CORE_EXP_CONVERT &&
           body->stms[0]->exp->as.convert.x.name == lambda->parameters[0] &&
           body->results[0].name == body->stms[0]->pattern[0] &&
           body->results[0].name->type.prim == CORE_I64 &&
           lambda->parameters[0]->type.prim == CORE_BOOL;
}

static bool takes_one_array(const CoreStm *stm)
{
    return stm && stm->exp->kind == CORE_EXP_SOAC && stm->certificate_count == 0 &&
           stm->pattern_count == 1 && stm->exp->as.soac.input_count == 1 &&
           stm->exp->as.soac.scan_count == 0;
}

/* The flags of which the statement finds how many are set; NULL: it does something else. */
static const CoreName *flags_counted(Masks *masks, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    CoreOperator op;
    if (!takes_one_array(stm) || soac->reduction_count != 1 ||
        !core_is_operator(soac->reductions[0].function, &op) || op != CORE_ADD ||
        !core_atom_equal(soac->reductions[0].neutral[0], core_i64(0))) {
        return NULL;
    }
    const CoreLambda *lambda = soac->map;
    bool is_identity = lambda->body->results[0].name == lambda->parameters[0];
    const CoreStm *map = is_identity ? fuse_definition(masks->f, soac->inputs[0]) : stm;
    bool counts = takes_one_array(map) && is_number_of_flag(map->exp->as.soac.map) &&
                  (map == stm || map->exp->as.soac.reduction_count == 0);
    return counts ? map->exp->as.soac.inputs[0].name : NULL;
}

static bool is_used_between(const CoreBody *body, const CoreName *name, size_t from, size_t to)
{
    bool found = false;
    for (size_t i = from; i < to && !found; i++) {
        found = core_stm_uses(body->stms[i], name);
    }
    return found;
}

/* Whether any statement only counts what a filter counts, too: one that is there, or can be, before the number is used. */
static bool find_counts(Masks *masks)
{
    const CoreBody *body = masks->body;
    bool any = false;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreName *flags = flags_counted(masks, body->stms[i]);
        masks->counts[i] = SIZE_MAX;
        for (size_t k = 0; flags && k < body->stm_count && masks->counts[i] == SIZE_MAX; k++) {
            if (mask_of(body->stms[k]) != flags) {
                continue;
            }
            bool is_late = is_used_between(body, body->stms[i]->pattern[0], i + 1, k + 1);
            if (!is_late || (masks->moves > 0 && may_stand_at(masks, body->stms[k], i, false))) {
                masks->counts[i] = k;
                masks->moved = is_late ? k : masks->moved;
                masks->to = is_late ? i : masks->to;
                any = true;
            }
        }
    }
    return any;
}

/* The body with a filter before what counts its flags; then that is not needed. */
static const CoreBody *with_filter_moved(const Masks *masks)
{
    const CoreBody *body = masks->body;
    const CoreStm **stms = ARENA_ARRAY(masks->f->c->arena, const CoreStm *, body->stm_count);
    size_t count = 0;
    for (size_t i = 0; i < body->stm_count; i++) {
        if (i == masks->to) {
            stms[count++] = body->stms[masks->moved];
        }
        if (i != masks->moved) {
            stms[count++] = body->stms[i];
        }
    }
    return core_with_stms(masks->f->c, body, count, stms);
}

/* ---- the filter of all ----------------------------------------------------------------------- */

/* Appends copies of what the name needs, ranges and their sizes, and that stands behind. */
static void make_range(void *context, CoreName *name)
{
    Masks *masks = context;
    size_t binder = binder_of(masks, name);
    bool made = core_renamed(masks->ranges, core_use(name)).name != name;
    if (binder != SIZE_MAX && binder >= masks->at && !made) {
        const CoreStm *stm = masks->body->stms[binder];
        core_each_free(stm, make_range, masks);
        vec_push(masks->f->c->arena, &masks->stms, core_rename_stm(masks->ranges, stm));
    }
}

/* What the filter keeps for the member: each array beside that of its first. */
static void add_member(Masks *masks, const CoreStm *member, CoreStm *stm, CoreExp *filter,
                       CoreLambda *predicate)
{
    Compilation *c = masks->f->c;
    size_t old = filter->as.filter.input_count, count = member->exp->as.filter.input_count;
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, 1 + old + count);
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, old + count);
    CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, old + count),
             kept = core_use(stm->pattern[0]);
    memcpy(pattern, stm->pattern, (1 + old) * sizeof *pattern);
    memcpy(parameters, predicate->parameters, old * sizeof *parameters);
    memcpy(inputs, filter->as.filter.inputs, old * sizeof *inputs);
    for (size_t i = 0; i < count; i++) {
        const CoreName *name = member->pattern[1 + i];
        const CoreName *parameter = member->exp->as.filter.predicate->parameters[i];
        pattern[1 + old + i] =
            core_name(c, name->text, core_array(c, name->type.prim, 1, &kept), name->span);
        parameters[old + i] = core_name(c, parameter->text, parameter->type, parameter->span);
        inputs[old + i] = core_renamed(masks->ranges, member->exp->as.filter.inputs[i]);
        pointer_map_set(masks->f->arena, &masks->kept, name, pattern[1 + old + i]);
    }
    pointer_map_set(masks->f->arena, &masks->kept, member->pattern[0], stm->pattern[0]);
    stm->certificates = fuse_certificates(c, stm, member, &stm->certificate_count);
    stm->pattern = pattern;
    stm->pattern_count = 1 + old + count;
    predicate->parameters = parameters;
    predicate->parameter_count = old + count;
    filter->as.filter.inputs = inputs;
    filter->as.filter.input_count = old + count;
}

static void add_filter_of_all(Masks *masks, size_t at)
{
    Compilation *c = masks->f->c;
    const CoreStm *first = masks->body->stms[at];
    CoreStm *stm = arena_copy(c->arena, first, sizeof *stm);
    CoreExp *exp = core_exp_copy(c, first->exp);
    CoreLambda *predicate =
        arena_copy(c->arena, exp->as.filter.predicate, sizeof *exp->as.filter.predicate);
    masks->at = at;
    for (size_t i = at + 1; i < masks->body->stm_count; i++) {
        if (masks->leaders[i] == at) {
            core_each_free(masks->body->stms[i], make_range, masks);
            add_member(masks, masks->body->stms[i], stm, exp, predicate);
            fuse_log_done(masks->f, CORE_RULE_FUSE_MASK, first, masks->body->stms[i], NULL);
            fuse_fired(masks->f, CORE_RULE_FUSE_MASK);
        }
    }
    exp->as.filter.predicate = predicate;
    stm->exp = exp;
    vec_push(c->arena, &masks->stms, stm);
}

/* let k = m      let vs = reshape [k] vs' */
static void add_names(Masks *masks, const CoreStm *member)
{
    Compilation *c = masks->f->c;
    CoreBuilder b = core_builder(c, member->span);
    core_bind(&b, 1, &member->pattern[0],
              core_atom_exp(c, core_use(pointer_map_get(&masks->kept, member->pattern[0]))));
    for (size_t i = 1; i < member->pattern_count; i++) {
        const CoreName *name = member->pattern[i];
        CoreAtom rows = core_use(pointer_map_get(&masks->kept, name));
        rows = core_let_reshape(&b, name->text, rows, 1, name->type.sizes);
        core_bind(&b, 1, &member->pattern[i], core_atom_exp(c, rows));
    }
    for (size_t i = 0; i < b.stms.count; i++) {
        vec_push(c->arena, &masks->stms, b.stms.items[i]);
    }
}

/* let s = m, of a statement that counts what a filter does */
static void add_count(Masks *masks, size_t at)
{
    Compilation *c = masks->f->c;
    const CoreStm *count = masks->body->stms[at], *filter = masks->body->stms[masks->counts[at]];
    CoreBuilder b = core_builder(c, count->span);
    core_bind(&b, 1, &count->pattern[0], core_atom_exp(c, core_use(filter->pattern[0])));
    vec_push(c->arena, &masks->stms, b.stms.items[0]);
    fuse_log_done(masks->f, CORE_RULE_FUSE_MASK, filter, count, NULL);
    fuse_fired(masks->f, CORE_RULE_FUSE_MASK);
}

/* Those that the statement is the later one for: it counts, or it is the filter. */
static void add_counts(Masks *masks, size_t at)
{
    if (masks->counts[at] < at) {
        add_count(masks, at);
    }
    bool is_filter = mask_of(masks->body->stms[at]) != NULL;
    for (size_t i = 0; i < at && is_filter; i++) {
        if (masks->counts[i] == at) {
            add_count(masks, i);
        }
    }
}

enum { MOST_MOVED = 16 }; /* each is one more walk over the body */

static const CoreBody *merge_filters(Fuse *f, const CoreBody *body, size_t moves)
{
    Masks masks = {.f = f, .body = body, .moves = moves, .moved = SIZE_MAX};
    masks.leaders = ARENA_ARRAY(f->arena, size_t, body->stm_count + 1);
    masks.counts = ARENA_ARRAY(f->arena, size_t, body->stm_count + 1);
    bool merges = find_leaders(&masks), counts = find_counts(&masks);
    if (!merges && !counts) {
        return body;
    }
    if (masks.moved != SIZE_MAX) {
        return merge_filters(f, with_filter_moved(&masks), moves - 1);
    }
    bool *leads = ARENA_ARRAY(f->arena, bool, body->stm_count + 1);
    for (size_t i = 0; i < body->stm_count; i++) {
        leads[masks.leaders[i]] = leads[masks.leaders[i]] || masks.leaders[i] != i;
    }
    masks.ranges = core_renaming(f->c);
    for (size_t i = 0; i < body->stm_count; i++) {
        if (leads[i]) {
            add_filter_of_all(&masks, i);
        } else if (masks.leaders[i] != i) {
            add_names(&masks, body->stms[i]);
        } else if (masks.counts[i] == SIZE_MAX) {
            vec_push(f->c->arena, &masks.stms, body->stms[i]);
        }
        if (counts) {
            add_counts(&masks, i);
        }
    }
    return core_with_stms(f->c, body, masks.stms.count, masks.stms.items);
}

const CoreBody *fuse_merge_filters(Fuse *f, const CoreBody *body)
{
    return merge_filters(f, body, MOST_MOVED);
}
