/* [L0 8] A view that turns round the rows of a scan moves past what goes over them:

       let s = scan n (+) 0 xs                          let s = scan n (+) 0 xs
       let r = reverse 0 s                              let b = reverse 0 ys
       let z = map n f (ys, r)                 ==>      let z' = map n f (b, s)
                                                        let z = reverse 0 z'

   Rows of a map, and of a reduction by commutative operators, may come in any order; those of a scan have theirs. In the
   scan's order the two are done in one kernel or loop (pairs.c, streams.c), and nothing is stored between them. The view
   is of other arrays then: of some that it was of already, where both go; of arrays that are computed where they are
   read; of arrays in memory, which are read from their ends. What the map makes is read through the view by other
   SOACs, or is the result of the body, which is written where it belongs (backend/lower/parts.c). */
#include "core/fuse/fuse.h"

typedef struct Turned {
    Fuse *f;
    const CoreBody *body;
    const CoreName *name; /* whose uses are looked for */
    bool found;           /* in the statement at work */
} Turned;

static bool has_scan(const CoreStm *stm)
{
    return stm != NULL && stm->exp->kind == CORE_EXP_SOAC && stm->exp->as.soac.scan_count > 0;
}

bool fuse_goes_over_scan(Fuse *f, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    bool any = false;
    for (size_t i = 0; i < soac->input_count; i++) {
        any = any || has_scan(fuse_definition(f, soac->inputs[i]));
    }
    return any;
}

const CoreStm *fuse_reversal(Fuse *f, CoreAtom rows)
{
    const CoreStm *stm = fuse_definition(f, rows);
    bool is_one = stm != NULL && stm->exp->kind == CORE_EXP_REVERSE &&
                  stm->exp->as.reverse.axis == 0 && stm->certificate_count == 0;
    return is_one ? stm : NULL;
}

/* Rows of a scan come from the last to the first, and no others are bound to their order: of a scan, filter, loop or
   stream. */
static bool has_turned_inputs(const Turned *t, const CoreSoac *soac)
{
    bool any = false, bound = false;
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreStm *view = fuse_reversal(t->f, soac->inputs[i]);
        const CoreStm *maker =
            fuse_definition(t->f, view ? view->exp->as.reverse.array : soac->inputs[i]);
        bool is_made_here =
            maker != NULL && fuse_name(t->f, maker->pattern[0])->level == t->f->level;
        any = any || (view != NULL && has_scan(maker) && is_made_here);
        bound = bound || (view == NULL && maker != NULL && !core_is_view(maker->exp->kind) &&
                          !fuse_is_map(maker));
    }
    return any && !bound;
}

static void find_name(void *context, CoreName *name)
{
    Turned *t = context;
    t->found = t->found || name == t->name;
}

/* All uses are in SOACs and views of these, or the body gives it. */
static bool is_read_by_rows(Turned *t, const CoreName *name)
{
    t->name = name;
    bool good = true;
    for (size_t i = 0; i < t->body->stm_count && good; i++) {
        const CoreStm *stm = t->body->stms[i];
        t->found = false;
        core_each_free(stm, find_name, t);
        good = !t->found || fuse_is_soac(stm) || stm->exp->kind == CORE_EXP_REVERSE ||
               stm->exp->kind == CORE_EXP_INDEX;
    }
    return good;
}

static bool may_turn(Turned *t, const CoreStm *stm)
{
    if (!fuse_is_soac(stm) || fuse_may_fail(stm) || fuse_may_consume(stm->exp)) {
        return false;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    bool may = soac->scan_count == 0 && has_turned_inputs(t, soac);
    for (size_t i = 0; i < soac->reduction_count; i++) {
        may = may && soac->reductions[i].commutative;
    }
    size_t folded = fuse_total_width(soac->reduction_count, soac->reductions);
    for (size_t k = folded; may && k < stm->pattern_count; k++) {
        may = is_read_by_rows(t, stm->pattern[k]);
    }
    return may;
}

static void turn(const Turned *t, CoreBuilder *b, const CoreStm *old)
{
    Compilation *c = t->f->c;
    const CoreSoac *soac = &old->exp->as.soac;
    size_t folded = fuse_total_width(soac->reduction_count, soac->reductions);
    CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, soac->input_count + 1);
    CoreName **names = ARENA_ARRAY(c->arena, CoreName *, old->pattern_count + 1);
    CoreStm *stm = arena_copy(c->arena, old, sizeof *stm);
    CoreExp *exp = core_exp_copy(c, old->exp);
    b->span = old->span;
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreStm *view = fuse_reversal(t->f, soac->inputs[i]);
        inputs[i] =
            view ? view->exp->as.reverse.array : core_let_reverse(b, "back", soac->inputs[i], 0);
    }
    for (size_t k = 0; k < old->pattern_count; k++) {
        const CoreName *name = old->pattern[k];
        names[k] = k < folded ? old->pattern[k] : core_name(c, name->text, name->type, name->span);
    }
    exp->as.soac.inputs = inputs;
    stm->exp = exp;
    stm->pattern = names;
    core_add(b, stm);
    for (size_t k = folded; k < old->pattern_count; k++) {
        CoreName *name = old->pattern[k];
        CoreAtom turned = core_let_reverse(b, name->text, core_use(names[k]), 0);
        core_bind(b, 1, &name, core_atom_exp(c, turned));
    }
    fuse_fired(t->f, CORE_RULE_FUSE_TURNED);
}

static const CoreBody *turn_body(void *context, const CoreBody *old)
{
    Turned t = {.f = context, .body = old};
    CoreBuilder b = core_builder(t.f->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        bool deeper = stm->exp->kind == CORE_EXP_LOOP;
        if (may_turn(&t, stm)) {
            turn(&t, &b, stm);
            continue;
        }
        t.f->level += deeper;
        core_add(&b, deeper || stm->exp->kind == CORE_EXP_IF
                         ? core_map_stm(t.f->c, stm, turn_body, t.f)
                         : stm);
        t.f->level -= deeper;
    }
    return core_with_stms(t.f->c, old, b.stms.count, b.stms.items);
}

const CoreFunction *fuse_turned(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, turn_body(f, function->body));
}
