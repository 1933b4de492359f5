/* [L0 7.4.1] Two SOACs that both may fail, as one that fails with what fails first.

       let v = map n is (\i -> { k = assert (i < m) ..    a[i] })            let w = map n (is, js) (\i j -> {
       let w = map n (js, v) (\j x -> {                                ==>     k = assert (i < m) ..
                 l = assert (j < m) ..    x * a[j] })                          x = <k> a[i]
                                                                               l = assert (j < m) .. stage 1
                                                                               x * <l> a[j] })

   All rows of the first come before those of the second: its assertions are of a lesser stage. Row by row goes through both; of
   assertions that fail, that of the least stage is the SOAC's failure, and of its the one of the first row.

   The functions have nothing in them but numbers: what is done with the SOACs of a function knows of no stages. Nor are there any in
   such functions, or in what they may call, whose rows are a work-item's.

   For devices. A loop that reads two arrays here and there is no faster than two that read one each, which fits the caches
   sooner: 10^6 reals added at such places took 12 ms in place of 9, 20,000 of them 0.038 in place of 0.044. */
#include "core/fuse/graph.h"

static bool may_be_in_stages(const CoreBody *body);

static void look_inside(void *context, const CoreBody *body)
{
    bool *may = context;
    *may = *may && may_be_in_stages(body);
}

/* Numbers from numbers, elements, and branches and counted loops of such. */
static bool may_be_in_stages(const CoreBody *body)
{
    bool may = true;
    for (size_t i = 0; i < body->stm_count && may; i++) {
        const CoreStm *stm = body->stms[i];
        const CoreExpKind kind = stm->exp->kind;
        bool is_control = kind == CORE_EXP_IF || (kind == CORE_EXP_LOOP && stm->exp->as.loop.index);
        may = fuse_are_scalars(stm->pattern_count, stm->pattern) &&
              (is_control ||
               !(core_has_bodies(kind) || core_is_effect(kind) || kind == CORE_EXP_APPLY));
        if (may) {
            core_each_body(stm->exp, look_inside, &may);
        }
    }
    return may;
}

static bool fails_in_its_map(const CoreSoac *soac)
{
    bool others = false;
    for (size_t i = 0; i < soac->reduction_count; i++) {
        others = others || core_may_fail_in(soac->reductions[i].function->body);
    }
    for (size_t i = 0; i < soac->scan_count; i++) {
        others = others || core_may_fail_in(soac->scans[i].function->body);
    }
    return !others && fuse_is_of_scalars(soac->map) && may_be_in_stages(soac->map->body);
}

bool fuse_keep_order(const CoreStm *a, const CoreStm *b)
{
    if (!fuse_is_soac(a) || !fuse_is_soac(b)) {
        return !core_may_fail(a) || !core_may_fail(b);
    }
    const CoreSoac *x = &a->exp->as.soac, *y = &b->exp->as.soac;
    unsigned last = core_last_stage(x->map->body) + core_last_stage(y->map->body);
    bool both = core_may_fail(a) && core_may_fail(b);
    return (last == 0 && !both) ||
           (last < CORE_MOST_STAGE && fails_in_its_map(x) && fails_in_its_map(y));
}

typedef struct Later {
    Compilation *c;
    unsigned by;
} Later;

static const CoreBody *later(void *context, const CoreBody *body)
{
    const Later *all = context;
    StmVec stms = {0};
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = core_map_stm(all->c, body->stms[i], later, context);
        if (stm->exp->kind == CORE_EXP_ASSERT) {
            CoreStm *copy = arena_copy(all->c->arena, stm, sizeof *stm);
            CoreExp *exp = core_exp_copy(all->c, stm->exp);
            exp->as.assertion.stage += all->by;
            copy->exp = exp;
            stm = copy;
        }
        vec_push(all->c->arena, &stms, stm);
    }
    return core_with_stms(all->c, body, stms.count, stms.items);
}

const CoreBody *fuse_in_later_stages(Compilation *c, const CoreBody *first, const CoreBody *second)
{
    Later all = {c, core_last_stage(first) + 1};
    return core_may_fail_in(first) && core_may_fail_in(second) ? later(&all, second) : second;
}
