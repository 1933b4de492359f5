/* What a row of a reduction costs, and what follows for how rows are shared out: an estimate from the
   statements of the function that makes it.

       +/v          a read, no more: read several at once (lower_reads_ahead)
       +/f¨v        f has a loop: no more work-items than rows; all rows alike: as many as run at once
       +/g¨v        g has a loop whose length depends on the row: more groups, so that shares even out */
#include "backend/lower/reduce.h"

enum {
    DEAR_ROW = 8, /* operations of finding a row's elements that are not worth being written out */
    LIGHT_STATEMENTS = 24 /* of a row that is worth being written out several times */
};

static bool is_of_row(const RowWork *work, CoreAtom count)
{
    return count.name != NULL &&
           (work->L == NULL || pointer_map_get(&work->L->values, count.name) == NULL);
}

static void add_work(void *context, const CoreBody *body)
{
    RowWork *work = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        bool is_loop = exp->kind == CORE_EXP_LOOP, is_soac = exp->kind == CORE_EXP_SOAC;
        work->heavy |= is_loop || is_soac;
        work->uneven |=
            (is_loop && (exp->as.loop.index == NULL || is_of_row(work, exp->as.loop.bound))) ||
            (is_soac && is_of_row(work, exp->as.soac.width));
        work->odd |=
            exp->kind == CORE_EXP_ASSERT || (exp->kind != CORE_EXP_IF && !lower_is_cheap(exp));
        work->statements++;
        work->reads += exp->kind == CORE_EXP_INDEX;
        core_each_body(exp, add_work, work);
    }
}

bool lower_is_light(const CoreLambda *lambda)
{
    RowWork work = lower_row_work(NULL, lambda);
    return !work.heavy && !work.odd && work.statements <= LIGHT_STATEMENTS;
}

/* Elements of memory that a row is made of; `cost`: about the operations of finding them. */
static size_t reads_of_row(Lower *L, const CoreSoac *soac, size_t *cost)
{
    RowWork work = lower_row_work(L, soac->map);
    *cost = 2 * work.reads;
    for (size_t k = 0; k < soac->input_count; k++) {
        const Reader *input = lower_array(L, soac->inputs[k]);
        work.reads += input->kind != READER_IOTA && input->kind != READER_REPLICATE;
        *cost += input->cost;
    }
    return work.reads;
}

bool lower_reads_ahead(Lower *L, const CoreSoac *soac)
{
    for (size_t k = 0; k < soac->input_count; k++) {
        if (lower_array(L, soac->inputs[k])->rank > 1) {
            return false;
        }
    }
    for (size_t r = 0; r < soac->reduction_count; r++) {
        if (!lower_is_light(soac->reductions[r].function)) {
            return false;
        }
    }
    size_t cost;
    return reads_of_row(L, soac, &cost) > 0 && lower_is_light(soac->map);
}

int64_t lower_steps_at_once(Lower *L, const CoreSoac *soac)
{
    size_t cost, reads = reads_of_row(L, soac, &cost);
    return reads > 2 || cost > DEAR_ROW ? 4 : reads == 2 ? 8 : 16;
}

RowWork lower_row_work(const Lower *L, const CoreLambda *lambda)
{
    RowWork work = {.L = L};
    add_work(&work, lambda->body);
    return work;
}
