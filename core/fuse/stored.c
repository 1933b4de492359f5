/* [REDO 3.2] What is to be stored can be taken row by row as it is made:

       let a = map n f xs                         let a = map n f xs
       let b = copy @stored a              ==>    let b = copy @stored a
       let s = reduce n + 0 b                     let s = reduce n + 0 a

   so that the two become one, which makes a as well. Other readers read b. In the end the copy is a (simplify/copies.c). */
#include "core/fuse/fuse.h"

/* What the copy is of, which a SOAC of the body makes; else the atom itself. */
static CoreAtom as_made(Fuse *f, const CoreBody *body, CoreAtom input)
{
    const CoreStm *copy = fuse_definition(f, input);
    if (copy == NULL || copy->exp->kind != CORE_EXP_COPY || copy->exp->space != CORE_STORED ||
        copy->certificate_count > 0) {
        return input;
    }
    CoreAtom array = copy->exp->as.array;
    const CoreStm *maker = fuse_definition(f, array);
    bool made = maker != NULL && fuse_is_soac(maker) &&
                fuse_place(body, array.name) < body->stm_count && array.name->type.rank > 0;
    return made && !simplify_consumed(f->s, input) && !simplify_consumed(f->s, array) ? array
                                                                                      : input;
}

static const CoreStm *with_rows_as_made(Fuse *f, const CoreBody *body, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    CoreAtom *inputs = ARENA_ARRAY(f->c->arena, CoreAtom, soac->input_count + 1);
    bool changed = false;
    for (size_t i = 0; i < soac->input_count; i++) {
        inputs[i] = as_made(f, body, soac->inputs[i]);
        changed = changed || inputs[i].name != soac->inputs[i].name;
    }
    if (!changed) {
        return stm;
    }
    CoreStm *taker = arena_copy(f->c->arena, stm, sizeof *taker);
    CoreExp *exp = core_exp_copy(f->c, stm->exp);
    exp->as.soac.inputs = inputs;
    taker->exp = exp;
    fuse_fired(f, CORE_RULE_FUSE_STORED);
    return taker;
}

static const CoreBody *in_body(void *context, const CoreBody *old)
{
    Fuse *f = context;
    const CoreStm **stms = ARENA_ARRAY(f->c->arena, const CoreStm *, old->stm_count + 1);
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        bool inside = stm->exp->kind == CORE_EXP_LOOP || stm->exp->kind == CORE_EXP_IF;
        stms[i] = fuse_is_soac(stm) ? with_rows_as_made(f, old, stm)
                  : inside          ? core_map_stm(f->c, stm, in_body, f)
                                    : stm;
    }
    return core_with_stms(f->c, old, old->stm_count, stms);
}

const CoreFunction *fuse_stored(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, in_body(f, function->body));
}
