/* The taker of a segmented scan: a map of what is scanned, element by element (core/fuse/nest_pairs.c), or what that
   reduces (segment_fold.c). It has each element where that is finished:

       map n (\row -> { let ys = scan m (+) 0 row            sum = carry op operand
                        let zs = map m g ys           ==>    zs[segment, i] = g(sum)
                        in zs }) rows

   Where the taker reads more than what is scanned, there is a version as two nests, the second of which has a work-item an
   element. Where segments are few, few work-items would do that reading, and wait for it; and where they lie across, what
   is read does, too. */
#include "backend/lower/segments.h"

/* ---- which map it is --------------------------------------------------------------------------- */

/* Rows of the scan are inputs, and nothing else of it is read. */
static bool takes_rows(const Segments *s, const CoreSoac *soac)
{
    bool takes = false, others = false;
    for (size_t k = 0; k < soac->input_count; k++) {
        takes = takes || segment_binds(s->stm, soac->inputs[k]);
    }
    for (size_t i = 0; i < soac->map->body->stm_count; i++) {
        others = others || segment_uses(soac->map->body->stms[i], s->stm);
    }
    return takes && !others;
}

/* All is mapped, or all is reduced to scalars, in any order. */
static bool may_take(const CoreSoac *soac, const CoreStm *stm)
{
    size_t reduced = 0;
    bool commute = true;
    for (size_t r = 0; r < soac->reduction_count; r++) {
        reduced += lower_width(&soac->reductions[r]);
        commute = commute && core_commutes(&soac->reductions[r]) &&
                  lower_scalar_operator(&soac->reductions[r]);
    }
    return commute && (reduced == 0 || reduced == stm->pattern_count);
}

void segment_find_taker(Segments *s)
{
    size_t i = s->at + 1;
    while (i < s->body->stm_count && s->body->stms[i]->exp->kind != CORE_EXP_SOAC) {
        i++;
    }
    const CoreStm *stm = i < s->body->stm_count ? s->body->stms[i] : NULL;
    const CoreSoac *soac = stm != NULL ? &stm->exp->as.soac : NULL;
    bool scalars = soac != NULL;
    for (size_t k = 0; scalars && k < soac->map->body->result_count; k++) {
        scalars = soac->map->result_types[k].rank == 0;
    }
    if (scalars && s->scanned > 0 && s->scanned == s->stm->pattern_count && may_take(soac, stm) &&
        soac->scan_count == 0 && stm->exp->level == CORE_LEVEL_AUTO &&
        stm->exp->space == CORE_SPACE_AUTO && core_atom_equal(soac->width, s->soac->width) &&
        !lower_checks(stm) && stm->certificate_count == 0 && takes_rows(s, soac)) {
        s->taker = stm;
        s->taken = i;
    }
}

/* ---- its rows ---------------------------------------------------------------------------------- */

void segment_begin_taker(Lower *L, Segments *s)
{
    segment_begin_fold(L, s);
    for (size_t i = s->at + 1; s->taker != NULL && i < s->taken; i++) {
        lower_statement(L, s->body->stms[i]);
    }
}

static void take_row(Lower *L, const Segments *s, const SegmentEntry *entry, const KernelExp *row,
                     const Value *scanned)
{
    const CoreSoac *soac = &s->taker->exp->as.soac;
    size_t count = s->taker->pattern_count;
    const Reader **wanted = ARENA_ARRAY(L->c->arena, const Reader *, count + 1);
    Value *values = ARENA_ARRAY(L->c->arena, Value, count + 1);
    for (size_t k = 0; k < soac->input_count; k++) {
        size_t result = 0;
        while (result < s->scanned && s->stm->pattern[result] != soac->inputs[k].name) {
            result++;
        }
        if (result < s->scanned) {
            lower_bind_scalar(L, soac->map->parameters[k], scanned[result].scalar);
        } else {
            lower_bind_rows(L, soac->map, k, 1, soac->inputs + k, row);
        }
    }
    for (size_t k = 0; s->fold == NULL && k < count; k++) {
        wanted[k] = lower_row(L, segment_place(L, s, entry, s->taker->pattern[k]), 1, &row);
    }
    lower_body_of_row(L, segment_number(L, s, entry, row), soac->map->body, wanted, values);
    if (s->fold != NULL) {
        segment_fold_row(L, s, values);
    }
}

void segment_take(Lower *L, const Segments *s, const SegmentEntry *entry, const KernelExp *row,
                  const Value *scanned)
{
    for (size_t k = 0; k < s->scanned; k++) {
        const Reader *out = segment_place(L, s, entry, s->stm->pattern[s->reduced + k]);
        if (out != NULL) {
            lower_store_scalar(L, lower_row(L, out, 1, &row), scanned[k].scalar);
        }
    }
    if (s->taker != NULL) {
        take_row(L, s, entry, row, scanned);
    }
}

/* ---- two nests --------------------------------------------------------------------------------- */

bool segment_takes_others(const Segments *s)
{
    bool others = false;
    for (size_t k = 0; s->taker != NULL && k < s->taker->exp->as.soac.input_count; k++) {
        others = others || !segment_binds(s->stm, s->taker->exp->as.soac.inputs[k]);
    }
    return (others || s->fold != NULL) && s->depth == 1 && s->width->kind != KERNEL_CONSTANT;
}

KernelBlock segment_apart(Lower *L, const Segments *s)
{
    Compilation *c = L->c;
    const CoreSoac *outer = &s->outer->exp->as.soac;
    size_t scanned = s->scanned, count = outer->input_count, all = s->outer->pattern_count;
    CoreBuilder b = core_builder(c, s->outer->span), scans = b, maps = b;
    CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, count + scanned + 1);
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, count + scanned + 1);
    CoreAtom *rows = ARENA_ARRAY(c->arena, CoreAtom, scanned + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, all + 1);
    Value *values = ARENA_ARRAY(c->arena, Value, all + 1);
    LowerLoop version;
    for (size_t k = 0; k < count + scanned; k++) {
        inputs[k] = k < count ? outer->inputs[k] : core_i64(0);
        parameters[k] = k < count ? outer->map->parameters[k] : s->stm->pattern[k - count];
    }
    for (size_t i = 0; i < s->body->stm_count; i++) {
        if (i <= s->at) {
            core_add(&scans, s->body->stms[i]);
        }
        if (i != s->at) {
            core_add(&maps, s->body->stms[i]);
        }
    }
    for (size_t k = 0; k < scanned; k++) {
        rows[k] = core_use(s->stm->pattern[k]);
    }
    core_let_map(&b, s->text, outer->width, count, inputs,
                 core_lambda(c, count, parameters, core_body(&scans, scanned, rows)),
                 inputs + count);
    const CoreLambda *map = core_lambda(c, count + scanned, parameters,
                                        core_body(&maps, s->body->result_count, s->body->results));
    core_bind(&b, all, s->outer->pattern,
              core_exp_soac(c, outer->width, count + scanned, inputs, map, 0, NULL, 0, NULL));
    for (size_t k = 0; k < all; k++) {
        results[k] = core_use(s->outer->pattern[k]);
    }
    lower_block_begin(L, &version);
    lower_body(L, core_body(&b, all, results), s->nest->outs, values);
    return lower_block_end(L, &version);
}
