/* What a branch has for itself, of an `if` whose SOACs come in front of it (guarded.c): scalars and views are computed again
   behind the condition, in the functions that need them.

       let i = u - 1            soac m (\x -> let y = if c then { let i = u - 1  let k = row[i]  in (x * k) } else .. )
       let k = row[i]     ==>
       let s = soac m (\x -> x * k) */
#include "core/flatten/guarded.h"

/* Scalars and views that are computed for one body. */
enum { MOST_AGAIN = 32 };

/* ---- what a branch has for itself ------------------------------------------------------------ */

static bool is_again_body(const CoreBody *body);

bool guarded_is_again(const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind != CORE_EXP_IF) {
        return fuse_is_companion(stm) && exp->space == CORE_SPACE_AUTO;
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (stm->pattern[k]->type.rank > 0) {
            return false;
        }
    }
    return is_again_body(exp->as.conditional.then_body) &&
           is_again_body(exp->as.conditional.else_body);
}

static bool is_again_body(const CoreBody *body)
{
    bool good = true;
    for (size_t i = 0; i < body->stm_count && good; i++) {
        good = guarded_is_again(body->stms[i]);
    }
    return good;
}

static const CoreStm *local_maker(const Guarded *g, const CoreName *name)
{
    for (size_t i = g->local.count; i-- > 0;) {
        if (core_stm_binds(g->local.items[i], name)) {
            return g->local.items[i];
        }
    }
    return NULL;
}

bool guarded_is_local(const Guarded *g, CoreAtom atom)
{
    return atom.name && local_maker(g, atom.name);
}

bool guarded_is_nothing(const Guarded *g, CoreAtom atom)
{
    bool found = false;
    for (size_t i = 0; i < g->nothing.count; i++) {
        found = found || g->nothing.items[i] == atom.name;
    }
    return found;
}

typedef struct Mentions {
    const Guarded *g;
    bool local;
} Mentions;

static void find_local(void *context, CoreName *name)
{
    Mentions *mentions = context;
    mentions->local = mentions->local || local_maker(mentions->g, name);
}

bool guarded_mentions_local(const Guarded *g, const CoreStm *stm)
{
    Mentions mentions = {g, false};
    core_each_free(stm, find_local, &mentions);
    return mentions.local;
}

/* ---- computed again --------------------------------------------------------------------------- */

void guarded_need_name(void *context, CoreName *name)
{
    GuardedAgain *again = context;
    for (size_t i = 0; i < again->at; i++) {
        again->needed[i] = again->needed[i] || core_stm_binds(again->g->local.items[i], name);
    }
}

GuardedAgain guarded_again(const Guarded *g)
{
    return (GuardedAgain){g, ARENA_ARRAY(g->f->c->arena, bool, g->local.count + 1), g->local.count};
}

void guarded_need(GuardedAgain *a, CoreAtom atom)
{
    if (atom.name) {
        guarded_need_name(a, atom.name);
    }
}

void guarded_need_more(GuardedAgain *a)
{
    for (size_t i = a->g->local.count; i-- > 0;) {
        if (a->needed[i]) {
            a->at = i;
            core_each_free(a->g->local.items[i], guarded_need_name, a);
        }
    }
}

bool guarded_compute(GuardedAgain *a, CoreBuilder *b, Renaming *renaming)
{
    size_t count = 0;
    guarded_need_more(a);
    for (size_t i = 0; i < a->g->local.count; i++) {
        const CoreStm *stm = a->g->local.items[i];
        if (a->needed[i] && (!guarded_is_again(stm) || ++count > MOST_AGAIN)) {
            return false;
        }
        if (a->needed[i]) {
            core_add(b, core_rename_stm(renaming, stm));
        }
    }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void add_input(Guarded *g, GuardedRows *rows, CoreAtom input, CoreName *parameter)
{
    vec_push(g->f->c->arena, &rows->inputs, input);
    vec_push(g->f->c->arena, &rows->parameters, parameter);
}

bool guarded_is_extent(const Guarded *g, CoreAtom size)
{
    return !guarded_is_local(g, size) && flatten_is_invariant(g->m, size) &&
           (flatten_is_extent(g->f, size) || (g->f->some_row && g->depth == 0));
}

bool guarded_add_positions(Guarded *g, GuardedRows *rows, CoreAtom width)
{
    if (rows->position.name) {
        return true;
    }
    if (!guarded_is_extent(g, width)) {
        return false;
    }
    CoreName *i = core_name(g->f->c, "i", core_scalar(CORE_I64), g->lifted->span);
    rows->position = core_use(i);
    add_input(g, rows, core_let_iota(g->lifted, "positions", width), i);
    return true;
}

bool guarded_add_row(Guarded *g, GuardedRows *rows, CoreAtom width, CoreAtom array,
                     CoreName *parameter, CoreBuilder *b, Renaming *renaming)
{
    if (!guarded_is_local(g, array)) {
        CoreName *own = core_name(g->f->c, parameter->text, parameter->type, parameter->span);
        add_input(g, rows, array, own);
        core_rename(renaming, parameter, core_use(own));
        return true;
    }
    if (!guarded_add_positions(g, rows, width)) {
        return false;
    }
    core_rename(
        renaming, parameter,
        core_let_index(b, parameter->text, core_renamed(renaming, array), 1, &rows->position));
    return true;
}

CoreName **guarded_names(Compilation *c, const char *text, size_t count, const CoreType *types,
                         Span span)
{
    CoreName **names = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    for (size_t k = 0; k < count; k++) {
        names[k] = core_name(c, text, types[k], span);
    }
    return names;
}

bool guarded_scalar(Guarded *g, const char *text, CoreAtom condition, CoreAtom scalar,
                    CoreAtom other, CoreAtom *lifted)
{
    Compilation *c = g->f->c;
    Renaming *renaming = core_renaming(c);
    CoreBuilder b = core_builder(c, g->lifted->span), none = b;
    GuardedAgain a = guarded_again(g);
    if (!guarded_is_local(g, scalar)) {
        *lifted = scalar;
        return true;
    }
    guarded_need_name(&a, scalar.name);
    if (!guarded_compute(&a, &b, renaming)) {
        return false;
    }
    CoreAtom value = core_renamed(renaming, scalar);
    *lifted =
        core_let(g->lifted, text, core_atom_type(scalar),
                 core_exp_if(c, condition, core_body(&b, 1, &value), core_body(&none, 1, &other)));
    return true;
}

const CoreLambda *guarded_function(const Guarded *g, const GuardedRows *rows, size_t count,
                                   const CoreType *types, const CoreExp *choice, Span span)
{
    Compilation *c = g->f->c;
    CoreBuilder b = core_builder(c, span);
    CoreName **chosen = guarded_names(c, "kept", count, types, span);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    core_bind(&b, count, chosen, choice);
    for (size_t k = 0; k < count; k++) {
        results[k] = core_use(chosen[k]);
    }
    return core_lambda(c, rows->parameters.count, rows->parameters.items,
                       core_body(&b, count, results));
}
