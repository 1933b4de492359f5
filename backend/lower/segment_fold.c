/* Takers that reduce what is scanned (core/fuse/nest_pairs.c): no row of the scan is stored.

       map n (\row -> { let ys = scan m (+) 0 row              sum = carry op operand
                        let z = redomap m g op e ys       ==>  fold = fold op' g(sum)             in each work-item
                        in z }) rows                           part[piece * n + segment] = fold   behind its rows

   A work-item a segment has the result at once. Elsewhere a segment's parts are rows of a segmented reduction of their own,
   behind the kernel, and what stands after the taker is done there. Operators commute: work-items have rows that are no
   neighbours. */
#include "backend/lower/segments.h"

/* What stands beside scan and taker without views of what is scanned; the place of the taker in it. */
static const CoreBody *beside(Lower *L, const Segments *s, size_t *at)
{
    Compilation *c = L->c;
    CoreBuilder b = core_builder(c, s->outer->span);
    VEC(const CoreStm *) scanned = {0};
    for (size_t i = 0; i < s->body->stm_count; i++) {
        const CoreStm *stm = s->body->stms[i];
        bool of_scanned = i == s->at;
        for (size_t k = 0; k < scanned.count && stm != s->taker && !of_scanned; k++) {
            of_scanned = segment_uses(stm, scanned.items[k]);
        }
        if (stm == s->taker) {
            *at = b.stms.count;
        }
        if (of_scanned) {
            vec_push(c->arena, &scanned, stm);
        } else {
            core_add(&b, stm);
        }
    }
    return core_body(&b, s->body->result_count, s->body->results);
}

void segment_find_fold(Lower *L, Segments *s)
{
    const CoreSoac *soac = s->taker != NULL ? &s->taker->exp->as.soac : NULL;
    if (soac == NULL || soac->reduction_count == 0) {
        return;
    }
    Segments *fold = s->fold = arena_copy(L->c->arena, s, sizeof *s);
    fold->body = beside(L, s, &fold->at);
    fold->stm = s->taker;
    fold->soac = soac;
    fold->taker = NULL;
    fold->fold = NULL;
    fold->heavy = false;
    fold->scanned = 0;
    for (size_t r = 0; r < soac->reduction_count; r++) {
        fold->reduced += lower_width(&soac->reductions[r]);
    }
}

/* ---- in a work-item ------------------------------------------------------------------------------ */

void segment_begin_fold(Lower *L, Segments *s)
{
    if (s->fold != NULL) {
        s->folds = segment_accumulators(L, s->fold);
    }
}

void segment_fold_row(Lower *L, const Segments *s, const Value *values)
{
    segment_accumulate(L, s->fold, s->folds, values);
}

void segment_bind_fold(Lower *L, const Segments *s)
{
    for (size_t k = 0; s->fold != NULL && k < s->fold->reduced; k++) {
        lower_bind_scalar(L, s->taker->pattern[k], lower_accumulated(L, &s->folds[k]).scalar);
    }
}

void segment_load_fold(Lower *L, const Segments *s, KernelVariable *const *sums,
                       const KernelExp *at)
{
    for (size_t k = 0; s->fold != NULL && k < s->fold->reduced; k++) {
        kernel_assign(L->b, s->folds[k].scalar, kernel_load(L->c, sums[k], at));
    }
}

void segment_store_fold(Lower *L, const Segments *s, KernelVariable *const *sums,
                        const KernelExp *at)
{
    for (size_t k = 0; s->fold != NULL && k < s->fold->reduced; k++) {
        kernel_store(L->b, sums[k], at, lower_accumulated(L, &s->folds[k]).scalar);
    }
}

/* ---- parts --------------------------------------------------------------------------------------- */

void segment_begin_parts(Lower *L, Segments *s, const KernelExp *pieces)
{
    if (s->fold != NULL) {
        s->fold->width = s->width;
        s->fold->count = s->count;
        s->parts = segment_partial(L, s->fold, pieces);
    }
}

const KernelExp *segment_part(Lower *L, const Segments *s, const KernelExp *piece,
                              const KernelExp *segment)
{
    return lower_let(L, "part",
                     lower_op(L, CORE_ADD, lower_op(L, CORE_MUL, piece, s->count), segment));
}

/* The same number, at least one, for kernels that need not know what it is made of. */
static const KernelExp *some_pieces(Lower *L, const KernelExp *pieces)
{
    KernelVariable *count = kernel_variable(L->c, "pieces", CORE_I64, KERNEL_SCALAR, L->b->span);
    kernel_declare(L->b, count, lower_number(L, 1));
    kernel_assign(L->b, count, pieces);
    return lower_let(L, "pieces",
                     lower_op(L, CORE_MAX, kernel_use(L->c, count), lower_number(L, 1)));
}

bool segment_join_parts(Lower *L, const Segments *s, const KernelExp *pieces)
{
    if (s->fold == NULL) {
        return true;
    }
    const KernelExp *work_items = lower_device(L, "work_items", CORE_I64);
    bool good = segment_join_pieces(L, s->fold, s->parts, some_pieces(L, pieces), work_items);
    segment_release(L, s->fold, s->parts);
    return good;
}

bool segment_join_lanes(Lower *L, const Segments *s, const KernelExp *lanes)
{
    if (s->fold == NULL) {
        return true;
    }
    bool good = segment_join_few(L, s->fold, s->parts, lanes);
    segment_release(L, s->fold, s->parts);
    return good;
}
