/* Updates of a few elements of an array as choices by position:

       let r = copy xs                        let r = map k (\i x -> if i = p then { in (v) } else { in (x) }) (iota k) xs
       let s = r with [p] <- v          ==>
       let t = scan k + 0 s                   let t = scan k + 0 r

   In place an update costs an element; but a copy for it costs a pass, and what is written in place in the function of a
   SOAC stays in the work-item of the row, with all of the row. So it is a choice, which becomes one with the SOACs that
   take the array, where this is a copy, or, in functions, where SOACs go over rows of that extent beside it. Loops whose
   states are written in no other way have states that are not written in place. For OpenCL alone: sequential C writes in
   place. Before: a simplified program. After: the same values. */
#include "core/flatten/flatten.h"

/* Updates of one array one after the other. */
enum { MOST_UPDATES = 8 };

typedef struct Updates {
    Compilation *c;
    size_t *counts;
    bool changed;
} Updates;

/* ---- which ----------------------------------------------------------------------------------- */

/* Elements, or a run of them, of a vector. */
static bool is_of_elements(const CoreStm *stm)
{
    if (stm->exp->kind != CORE_EXP_UPDATE || stm->pattern[0]->type.rank != 1) {
        return false;
    }
    CoreSlice slice = stm->exp->as.update.slices[0];
    return slice.fixed || (!slice.stride.name && slice.stride.as.integer == 1);
}

static bool has_soac_of(const CoreBody *body, CoreAtom width)
{
    bool found = false;
    for (size_t i = 0; i < body->stm_count && !found; i++) {
        found = fuse_is_soac(body->stms[i]) &&
                core_atom_equal(body->stms[i]->exp->as.soac.width, width);
    }
    return found;
}

/* How many updates, this one included, it is since the array was copied, or came in. */
static size_t updates_since(const CoreBody *body, const CoreStm *stm, bool *copied)
{
    size_t count = 0;
    while (stm && is_of_elements(stm)) {
        count++;
        stm = core_binder(body, stm->exp->as.update.array.name);
    }
    *copied = stm && stm->exp->kind == CORE_EXP_COPY && stm->exp->space == CORE_SPACE_AUTO;
    return count;
}

/* `host`: of the host's, where in place it costs an element, whatever is done beside it. */
static bool is_choice(const CoreBody *body, const CoreStm *stm, bool host)
{
    bool copied;
    return is_of_elements(stm) && updates_since(body, stm, &copied) <= MOST_UPDATES &&
           (copied || (!host && has_soac_of(body, stm->pattern[0]->type.sizes[0])));
}

/* ---- one update ------------------------------------------------------------------------------ */

/* What the element at i becomes: the value there, where it is written, else what it was. */
static CoreAtom element(CoreBuilder *b, const CoreExp *update, CoreAtom i, CoreAtom was)
{
    Compilation *c = b->c;
    CoreBuilder written = core_builder(c, b->span), left = written;
    CoreSlice slice = update->as.update.slices[0];
    CoreAtom value = update->as.update.value, is;
    if (slice.fixed) {
        is = core_let_binary(b, "is", CORE_EQ, i, slice.offset);
    } else {
        CoreAtom at = core_let_binary(b, "at", CORE_SUB, i, slice.offset);
        CoreAtom after = core_let_binary(b, "after", CORE_GE, at, core_i64(0));
        CoreAtom before = core_let_binary(b, "before", CORE_LT, at, slice.count);
        is = core_let_binary(b, "is", CORE_AND, after, before);
        value = core_let_index(&written, "value", value, 1, &at);
    }
    return core_let(b, "x", core_atom_type(was),
                    core_exp_if(c, is, core_body(&written, 1, &value), core_body(&left, 1, &was)));
}

static void add_choice(Updates *u, CoreBuilder *b, const CoreStm *stm)
{
    Compilation *c = u->c;
    const CoreExp *update = stm->exp;
    CoreAtom width = stm->pattern[0]->type.sizes[0];
    b->span = stm->span;
    CoreName *parameters[2] = {
        core_name(c, "i", core_scalar(CORE_I64), stm->span),
        core_name(c, "x", core_scalar(stm->pattern[0]->type.prim), stm->span)};
    CoreAtom inputs[2] = {core_let_iota(b, "positions", width), update->as.update.array};
    CoreBuilder inner = core_builder(c, stm->span);
    CoreAtom result = element(&inner, update, core_use(parameters[0]), core_use(parameters[1]));
    core_bind(b, 1, stm->pattern,
              core_exp_map(c, width, 2, inputs,
                           core_lambda(c, 2, parameters, core_body(&inner, 1, &result))));
    u->counts[CORE_RULE_FLATTEN_UPDATE]++;
    u->changed = true;
}

static const CoreBody *choices(void *context, const CoreBody *old)
{
    Updates *u = context;
    CoreBuilder b = core_builder(u->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        if (is_choice(old, stm, false)) {
            add_choice(u, &b, stm);
        } else {
            core_add(&b, core_map_stm(u->c, stm, choices, u));
        }
    }
    return core_with_stms(u->c, old, b.stms.count, b.stms.items);
}

/* ---- what is written no more ----------------------------------------------------------------- */

static bool has_unique_states(const CoreExp *loop)
{
    bool found = false;
    for (size_t k = 0; k < loop->as.loop.parameter_count; k++) {
        found = found || loop->as.loop.parameters[k]->type.unique;
    }
    return found;
}

/* Something is written in place, other than by loops whose states are said to be. */
static void find_writing(void *context, const CoreBody *body)
{
    bool *found = context;
    for (size_t i = 0; i < body->stm_count && !*found; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        *found = exp->kind == CORE_EXP_UPDATE || exp->kind == CORE_EXP_APPLY ||
                 fuse_is_scatter(body->stms[i]);
        core_each_body(exp, find_writing, found);
    }
}

static const CoreBody *pure(void *context, const CoreBody *old);

/* The loop with states that are not written in place. */
static const CoreExp *pure_loop(Compilation *c, const CoreExp *old)
{
    CoreExp *loop = core_exp_copy(c, old);
    Renaming *renaming = core_renaming(c);
    size_t count = old->as.loop.parameter_count;
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    for (size_t k = 0; k < count; k++) {
        CoreName *parameter = old->as.loop.parameters[k];
        CoreType type = parameter->type;
        type.unique = false;
        parameters[k] = parameter->type.unique
                            ? core_name(c, parameter->text, type, parameter->span)
                            : parameter;
        core_rename(renaming, parameter, core_use(parameters[k]));
    }
    loop->as.loop.parameters = parameters;
    loop->as.loop.body = core_rename_body(renaming, old->as.loop.body);
    return loop;
}

static const CoreBody *pure(void *context, const CoreBody *old)
{
    Compilation *c = context;
    CoreBuilder b = core_builder(c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = core_map_stm(c, old->stms[i], pure, c);
        if (stm->exp->kind == CORE_EXP_LOOP && has_unique_states(stm->exp)) {
            CoreStm *loop = arena_copy(c->arena, stm, sizeof *stm);
            loop->exp = pure_loop(c, stm->exp);
            stm = loop;
        }
        if (stm->exp->kind == CORE_EXP_COPY && stm->exp->space == CORE_SPACE_AUTO) {
            CoreStm *same = arena_copy(c->arena, stm, sizeof *stm);
            same->exp = core_atom_exp(c, stm->exp->as.array);
            stm = same;
        }
        core_add(&b, stm);
    }
    return core_with_stms(c, old, b.stms.count, b.stms.items);
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* A SOAC of the host's. */
static const CoreStm *in_function(Updates *u, const CoreStm *old)
{
    Updates inner = {.c = u->c, .counts = u->counts};
    const CoreStm *stm = core_map_stm(u->c, old, choices, &inner);
    bool writes = false;
    if (!inner.changed) {
        return old;
    }
    u->changed = true;
    core_each_body(stm->exp, find_writing, &writes);
    return writes || flatten_has_unique(stm->exp->as.soac.map)
               ? stm
               : core_map_stm(u->c, stm, pure, u->c);
}

static const CoreBody *host_body(void *context, const CoreBody *old)
{
    Updates *u = context;
    CoreBuilder b = core_builder(u->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        CoreExpKind kind = stm->exp->kind;
        if (is_choice(old, stm, true)) {
            add_choice(u, &b, stm);
        } else if (kind == CORE_EXP_IF || kind == CORE_EXP_LOOP) {
            core_add(&b, core_map_stm(u->c, stm, host_body, u));
        } else {
            bool rows = fuse_is_soac(stm) && !flatten_is_placed(stm);
            core_add(&b, rows ? in_function(u, stm) : stm);
        }
    }
    return core_with_stms(u->c, old, b.stms.count, b.stms.items);
}

CoreProgram *core_choose_updates(Compilation *c, const CoreProgram *program, size_t *counts)
{
    size_t ignored[CORE_RULE_COUNT] = {0};
    Updates u = {.c = c, .counts = counts ? counts : ignored};
    const CoreProgram *chosen = core_map_functions(c, program, host_body, &u);
    return u.changed ? core_simplify_counted(c, chosen, u.counts)
                     : arena_copy(c->arena, program, sizeof *program);
}
