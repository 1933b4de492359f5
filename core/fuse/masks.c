/* [L0 7.2] Filters that go by one array of flags become one filter, where the first of them stands: one
   scan says where the rows go, and what takes rows of several may take them as rows of one (filter.c).

       let (m, us) = filter n p (bs, xs)                let (m, us, vs) = filter n p (bs, xs, ys)
       let (k, vs) = filter n p (bs, ys)    ==>         -- k is m
       -- p b x = b

   Legal where what the later one reads is there already, or can be: a range of numbers, and its size, are made anew. It is not
   written in place before the later one, which still uses it. */
#include "core/fuse/filter.h"

typedef struct Masks {
    Fuse *f;
    const CoreBody *body;
    PointerMap binders; /* CoreName -> 1 + number of the statement of the body that binds it */
    size_t *leaders;    /* of each statement: the filter that it becomes part of, or itself */
    size_t at;          /* where names have to be there */
    bool missing;
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
    if (can_be_made_before(masks, stm)) {
        core_each_free(stm, find_missing, masks);
    } else {
        masks->missing = true;
    }
}

/* Everything that the statement uses is there before the other, or can be. */
static bool may_stand_at(Masks *masks, const CoreStm *stm, size_t at)
{
    masks->at = at;
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
                may_stand_at(masks, stm, k)) {
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

const CoreBody *fuse_merge_filters(Fuse *f, const CoreBody *body)
{
    Masks masks = {.f = f, .body = body};
    masks.leaders = ARENA_ARRAY(f->arena, size_t, body->stm_count + 1);
    if (!find_leaders(&masks)) {
        return body;
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
        } else {
            vec_push(f->c->arena, &masks.stms, body->stms[i]);
        }
    }
    return core_with_stms(f->c, body, masks.stms.count, masks.stms.items);
}
