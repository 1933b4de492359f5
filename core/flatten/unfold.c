/* Branches of a row's function that have SOACs of widths that depend on the row, as statements behind each other: in a
   branch that is not taken such a SOAC has no elements.

       let r = if c then {                            let w2 = if c then { in (w) } else { in (0) }
         let a = f x                                  let a = if c then { let a = f x in (a) } else { in (0) }
         let ys = xs[a :+ w]                          let ys = xs[a :+ w2]
         let s = redomap w g op ne ys         ==>     let s = redomap w2 g op ne ys
         let t = s + a                                let t = if c then { let t = s + a in (t) } else { in (0) }
         in (t) } else { in (0) }                     let r = if c then { in (t) } else { in (0) }

   Numbers of a branch are computed, and what it checks is checked, where it is taken; they are 0 elsewhere, so that what
   they are the width of has no elements either. Views are not read there. For irregular.c, which finds all that is done for
   all elements in front of it then. */
#include "core/flatten/flatten.h"

typedef struct Unfold {
    Flatten *f;
    const MapContext *m;
    CoreBuilder b;
    Renaming *renaming;
    PointerMap hidden; /* certificates within branches that are there no more */
    bool failed;
} Unfold;

/* Statements of a branch with numbers alone, which become one. */
typedef struct Group {
    VEC(const CoreStm *) stms;
} Group;

/* ---- which ----------------------------------------------------------------------------------- */

static bool unfolds(const MapContext *m, const CoreStm *stm)
{
    return stm->exp->kind == CORE_EXP_IF &&
           (flatten_has_lengths(m, stm->exp->as.conditional.then_body) ||
            flatten_has_lengths(m, stm->exp->as.conditional.else_body));
}

static bool has_lengths_in_branches(const MapContext *m, const CoreBody *body)
{
    bool some = false;
    for (size_t i = 0; i < body->stm_count; i++) {
        some = some || unfolds(m, body->stms[i]);
    }
    return some;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static CoreAtom renamed(const Unfold *u, CoreAtom atom)
{
    return core_renamed(u->renaming, atom);
}

/* Without certificates that are there no more; NULL: it is one of these. */
static const CoreStm *certain(Unfold *u, const CoreStm *stm)
{
    Compilation *c = u->f->c;
    bool conjoins = stm->exp->kind == CORE_EXP_CONJOIN;
    for (size_t i = 0; conjoins && i < stm->exp->as.items.count; i++) {
        if (pointer_map_get(&u->hidden, stm->exp->as.items.items[i].name)) {
            pointer_map_set(c->arena, &u->hidden, stm->pattern[0], stm->pattern[0]);
            return NULL;
        }
    }
    CoreStm *copy = arena_copy(c->arena, stm, sizeof *stm);
    CoreAtom *kept = ARENA_ARRAY(c->arena, CoreAtom, stm->certificate_count + 1);
    copy->certificate_count = 0;
    copy->certificates = kept;
    for (size_t i = 0; i < stm->certificate_count; i++) {
        if (!pointer_map_get(&u->hidden, stm->certificates[i].name)) {
            kept[copy->certificate_count++] = stm->certificates[i];
        }
    }
    return copy;
}

static void add(Unfold *u, CoreBuilder *b, const CoreStm *stm)
{
    const CoreStm *same = certain(u, stm);
    if (same) {
        core_add(b, core_rename_stm(u->renaming, same));
    }
}

static bool is_wanted(const CoreBody *body, size_t from, const CoreName *name)
{
    const CoreBody rest = {body->stm_count - from, body->stms + from, 0, NULL};
    bool wanted = core_uses(&rest, name);
    for (size_t k = 0; k < body->result_count; k++) {
        wanted = wanted || body->results[k].name == name;
    }
    return wanted;
}

/* if guard then the group's statements else zeros, in front of statement `from` of the body. What comes behind is guarded by
   what the group asserts, too. */
static void flush(Unfold *u, Group *group, const CoreBody *body, size_t from, CoreAtom *guard)
{
    Compilation *c = u->f->c;
    VEC(CoreName *) names = {0};
    VEC(CoreName *) old = {0};
    VEC(CoreAtom) results = {0};
    VEC(CoreAtom) zeros = {0};
    CoreBuilder inner = core_builder(c, u->b.span), none = inner;
    CoreAtom holds = core_bool(true);
    bool asserts = false;
    if (group->stms.count == 0) {
        return;
    }
    for (size_t i = 0; i < group->stms.count; i++) {
        const CoreStm *stm = group->stms.items[i];
        add(u, &inner, stm);
        if (stm->exp->kind == CORE_EXP_ASSERT) {
            CoreAtom condition = renamed(u, stm->exp->as.assertion.condition);
            holds =
                asserts ? core_let_binary(&inner, "holds", CORE_AND, holds, condition) : condition;
            asserts = true;
        }
        for (size_t k = 0; k < stm->pattern_count; k++) {
            CoreName *name = stm->pattern[k];
            if (name->type.prim != CORE_CERT && is_wanted(body, from, name)) {
                vec_push(c->arena, &old, name);
                vec_push(c->arena, &names, core_name(c, name->text, name->type, name->span));
                vec_push(c->arena, &results, renamed(u, core_use(name)));
                vec_push(c->arena, &zeros, core_zero(name->type.prim));
            }
        }
    }
    for (size_t i = 0; i < group->stms.count; i++) {
        for (size_t k = 0; k < group->stms.items[i]->pattern_count; k++) {
            CoreName *name = group->stms.items[i]->pattern[k];
            if (name->type.prim == CORE_CERT) {
                pointer_map_set(c->arena, &u->hidden, name, name);
            }
        }
    }
    if (asserts) {
        vec_push(c->arena, &names, core_name(c, "holds", core_scalar(CORE_BOOL), u->b.span));
        vec_push(c->arena, &results, holds);
        vec_push(c->arena, &zeros, core_bool(false));
    }
    core_bind(&u->b, names.count, names.items,
              core_exp_if(c, *guard, core_body(&inner, results.count, results.items),
                          core_body(&none, zeros.count, zeros.items)));
    for (size_t i = 0; i < old.count; i++) {
        core_rename(u->renaming, old.items[i], core_use(names.items[i]));
    }
    if (asserts) {
        *guard = core_use(names.items[names.count - 1]);
    }
    group->stms.count = 0;
}

/* ---- sizes from outside of a branch ---------------------------------------------------------- */

typedef struct Outer {
    Unfold *u;
    CoreAtom guard;
    PointerMap bound;            /* CoreName -> itself: in the branch */
    PointerMap seen;             /* the same of what has been looked at */
    VEC(CoreAtom) names, before; /* what is something else in the branch, and what it is outside */
} Outer;

static void rename_inside(Outer *o, CoreName *name, CoreAtom to)
{
    CoreAtom atom = core_use(name);
    vec_push(o->u->f->c->arena, &o->names, atom);
    vec_push(o->u->f->c->arena, &o->before, renamed(o->u, atom));
    core_rename(o->u->renaming, name, to);
}

static bool is_outer(const Outer *o, CoreAtom atom)
{
    return atom.name && !flatten_is_invariant(o->u->m, atom) &&
           !pointer_map_get(&o->bound, atom.name);
}

/* The width of an array, 0 where the branch is not taken. */
static void guard_size(Outer *o, CoreAtom size)
{
    if (!is_outer(o, size) || pointer_map_get(&o->seen, size.name)) {
        return;
    }
    Unfold *u = o->u;
    Compilation *c = u->f->c;
    CoreBuilder there = core_builder(c, u->b.span), none = there;
    CoreAtom width = renamed(u, size), zero = core_i64(0);
    pointer_map_set(c->arena, &o->seen, size.name, size.name);
    rename_inside(o, size.name,
                  core_let(&u->b, "width", core_scalar(CORE_I64),
                           core_exp_if(c, o->guard, core_body(&there, 1, &width),
                                       core_body(&none, 1, &zero))));
}

static void guard_sizes(Outer *o, CoreType type)
{
    for (int axis = 0; axis < type.rank; axis++) {
        if (axis > 0) { /* inner extents are the same for all rows */
            o->u->failed = o->u->failed || is_outer(o, type.sizes[axis]);
        } else {
            guard_size(o, type.sizes[axis]);
        }
    }
}

/* An array of the row from outside: as many of its rows as the branch has. */
static void guard_array(void *context, CoreName *name)
{
    Outer *o = context;
    Unfold *u = o->u;
    CoreType type = name->type;
    if (type.rank == 0 || !is_outer(o, core_use(name)) || pointer_map_get(&o->seen, name)) {
        return;
    }
    pointer_map_set(u->f->c->arena, &o->seen, name, name);
    guard_sizes(o, type);
    if (u->failed || !is_outer(o, type.sizes[0])) {
        return;
    }
    CoreSlice *slices = ARENA_ARRAY(u->f->c->arena, CoreSlice, (size_t)type.rank);
    for (int axis = 0; axis < type.rank; axis++) {
        slices[axis] = (CoreSlice){
            .offset = core_i64(0), .count = renamed(u, type.sizes[axis]), .stride = core_i64(1)};
    }
    rename_inside(o, name, core_let_slice(&u->b, name->text, renamed(u, core_use(name)), slices));
}

static Outer guard_outside(Unfold *u, const CoreBody *body, CoreAtom guard)
{
    Outer o = {.u = u, .guard = guard};
    for (size_t i = 0; i < body->stm_count; i++) {
        for (size_t k = 0; k < body->stms[i]->pattern_count; k++) {
            CoreName *name = body->stms[i]->pattern[k];
            pointer_map_set(u->f->c->arena, &o.bound, name, name);
        }
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        for (size_t k = 0; k < stm->pattern_count; k++) {
            guard_sizes(&o, stm->pattern[k]->type);
        }
        if (stm->exp->kind == CORE_EXP_SOAC) {
            guard_size(&o, stm->exp->as.soac.width);
        }
        core_each_free(stm, guard_array, &o);
    }
    return o;
}

/* ---- branches -------------------------------------------------------------------------------- */

static CoreAtom *unfold_branch(Unfold *u, const CoreBody *body, CoreAtom guard);

static CoreAtom both(Unfold *u, const CoreAtom *guard, CoreAtom condition)
{
    return guard ? core_let_binary(&u->b, "taken", CORE_AND, *guard, condition) : condition;
}

/* `guard`: whether the branch around it is taken; NULL: there is none. */
static void unfold_if(Unfold *u, const CoreStm *stm, const CoreAtom *guard)
{
    Compilation *c = u->f->c;
    const CoreExp *exp = stm->exp;
    CoreAtom condition = renamed(u, exp->as.conditional.condition);
    CoreBuilder one = core_builder(c, stm->span), other = one;
    u->b.span = stm->span;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreType type = stm->pattern[k]->type;
        u->failed = u->failed || type.rank > 0 || type.prim == CORE_CERT;
    }
    if (u->failed) {
        return;
    }
    CoreAtom *these = unfold_branch(u, exp->as.conditional.then_body, both(u, guard, condition));
    CoreAtom opposite = core_let_unary(&u->b, "other", CORE_NOT, condition);
    CoreAtom *those =
        u->failed ? NULL
                  : unfold_branch(u, exp->as.conditional.else_body, both(u, guard, opposite));
    if (u->failed) {
        return;
    }
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, stm->pattern_count + 1);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreName *name = stm->pattern[k];
        pattern[k] = core_name(c, name->text, name->type, name->span);
        core_rename(u->renaming, name, core_use(pattern[k]));
    }
    core_bind(&u->b, stm->pattern_count, pattern,
              core_exp_if(c, condition, core_body(&one, stm->pattern_count, these),
                          core_body(&other, stm->pattern_count, those)));
}

static bool is_view(const CoreStm *stm)
{
    return flatten_is_cheap(stm) || stm->exp->kind == CORE_EXP_LITERAL;
}

static CoreAtom *unfold_branch(Unfold *u, const CoreBody *body, CoreAtom guard)
{
    CoreAtom *results = ARENA_ARRAY(u->f->c->arena, CoreAtom, body->result_count + 1);
    Group group = {0};
    Outer outer = guard_outside(u, body, guard);
    for (size_t i = 0; i < body->stm_count && !u->failed; i++) {
        const CoreStm *stm = body->stms[i];
        bool soac = stm->exp->kind == CORE_EXP_SOAC,
             few = soac && flatten_is_number(stm) && fuse_are_few(stm->exp->as.soac.width);
        u->b.span = stm->span;
        if (unfolds(u->m, stm)) {
            flush(u, &group, body, i, &guard);
            unfold_if(u, stm, &guard);
        } else if (flatten_is_number(stm) && (!soac || few)) {
            vec_push(u->f->c->arena, &group.stms, stm);
        } else if (soac ? !flatten_is_invariant(u->m, stm->exp->as.soac.width) : is_view(stm)) {
            flush(u, &group, body, i, &guard);
            add(u, &u->b, stm);
        } else {
            u->failed = true;
        }
    }
    if (!u->failed) {
        flush(u, &group, body, body->stm_count, &guard);
    }
    for (size_t k = 0; k < body->result_count; k++) {
        results[k] = renamed(u, body->results[k]);
    }
    for (size_t i = 0; i < outer.names.count; i++) {
        core_rename(u->renaming, outer.names.items[i].name, outer.before.items[i]);
    }
    return results;
}

const CoreStm *flatten_unfold(Flatten *f, const CoreStm *map)
{
    const CoreLambda *function = map->exp->as.soac.map;
    const CoreBody *body = function->body;
    MapContext m = flatten_context(f, NULL, map, body);
    Unfold u = {
        .f = f, .m = &m, .b = core_builder(f->c, map->span), .renaming = core_renaming(f->c)};
    if (!has_lengths_in_branches(&m, body)) {
        return map;
    }
    for (size_t i = 0; i < body->stm_count && !u.failed; i++) {
        if (unfolds(&m, body->stms[i])) {
            unfold_if(&u, body->stms[i], NULL);
        } else {
            core_add(&u.b, core_rename_stm(u.renaming, body->stms[i]));
        }
    }
    if (u.failed) {
        return map;
    }
    CoreAtom *results = ARENA_ARRAY(f->c->arena, CoreAtom, body->result_count + 1);
    for (size_t k = 0; k < body->result_count; k++) {
        results[k] = renamed(&u, body->results[k]);
    }
    CoreStm *copy = arena_copy(f->c->arena, map, sizeof *map);
    CoreExp *exp = core_exp_copy(f->c, map->exp);
    exp->as.soac.map = core_lambda(f->c, function->parameter_count, function->parameters,
                                   core_body(&u.b, body->result_count, results));
    copy->exp = exp;
    return copy;
}
