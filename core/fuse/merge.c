/* [PLDI 4], [REDO 3.1, 3.2] Two SOACs of one width as one: the first's function runs before the
   second's on each row, and the second takes from it the rows that were its inputs.

       let (s, b) = soac n (\x -> { F in (r, y) }) a           -- r reduced to s, y mapped to b
       let (t, d) = soac n (\(y', z) -> { G in (q, w) }) (b, e)

   ==> let (s, t, b, d) = soac n (\(x, z) -> { F; let y' = y; G in (r, q, y, w) }) (a, e)

   Reductions come first, then scans, then mapped results, the first's before the second's. What
   nobody uses any more the simplifier removes: the result b where the second was its last user. */
#include "core/fuse/fuse.h"

typedef struct Parts {
    size_t reduced, scanned, mapped;
} Parts;

static Parts parts_of(const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    Parts parts = {.reduced = fuse_total_width(soac->reduction_count, soac->reductions),
                   .scanned = fuse_total_width(soac->scan_count, soac->scans)};
    parts.mapped = stm->pattern_count - parts.reduced - parts.scanned;
    return parts;
}

/* The mapped result of the first that is this input of the second; SIZE_MAX: none. */
static size_t mapped_result(const CoreStm *first, CoreAtom input)
{
    Parts parts = parts_of(first);
    for (size_t i = parts.reduced + parts.scanned; i < first->pattern_count; i++) {
        if (first->pattern[i] == input.name) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* The items of two lists, part by part: reductions, scans, mapped. */
#define INTERLEAVE(Type, out, x, px, y, py)                                                        \
    do {                                                                                           \
        Type *to = (out);                                                                          \
        const size_t xs[] = {(px).reduced, (px).scanned, (px).mapped};                             \
        const size_t ys[] = {(py).reduced, (py).scanned, (py).mapped};                             \
        size_t xi = 0, yi = 0;                                                                     \
        for (int part = 0; part < 3; part++) {                                                     \
            for (size_t k = 0; k < xs[part]; k++) {                                                \
                *to++ = (x)[xi++];                                                                 \
            }                                                                                      \
            for (size_t k = 0; k < ys[part]; k++) {                                                \
                *to++ = (y)[yi++];                                                                 \
            }                                                                                      \
        }                                                                                          \
    } while (0)

static const CoreReduction *both(Compilation *c, size_t count, const CoreReduction *x,
                                 size_t others, const CoreReduction *y)
{
    CoreReduction *all = ARENA_ARRAY(c->arena, CoreReduction, count + others);
    for (size_t i = 0; i < count + others; i++) {
        all[i] = i < count ? x[i] : y[i - count];
    }
    return all;
}

static const CoreLambda *merged_map(Fuse *f, const CoreStm *first, const CoreStm *second,
                                    size_t *input_count, CoreAtom *inputs)
{
    const CoreSoac *x = &first->exp->as.soac, *y = &second->exp->as.soac;
    CoreName **parameters =
        ARENA_ARRAY(f->c->arena, CoreName *, x->input_count + y->input_count + 1);
    CoreBuilder b = core_builder(f->c, second->span);
    size_t count = 0;
    for (size_t i = 0; i < x->input_count; i++) {
        inputs[count] = x->inputs[i];
        parameters[count++] = x->map->parameters[i];
    }
    core_add_all(&b, x->map->body);
    for (size_t i = 0; i < y->input_count; i++) {
        size_t result = mapped_result(first, y->inputs[i]);
        if (result == SIZE_MAX) {
            inputs[count] = y->inputs[i];
            parameters[count++] = y->map->parameters[i];
        } else {
            core_bind(&b, 1, &y->map->parameters[i],
                      core_atom_exp(f->c, x->map->body->results[result]));
        }
    }
    core_add_all(&b, fuse_in_later_stages(f->c, x->map->body, y->map->body));
    *input_count = count;
    size_t result_count = first->pattern_count + second->pattern_count;
    CoreAtom *results = ARENA_ARRAY(f->c->arena, CoreAtom, result_count + 1);
    CoreType *types = ARENA_ARRAY(f->c->arena, CoreType, result_count + 1);
    Parts px = parts_of(first), py = parts_of(second);
    INTERLEAVE(CoreAtom, results, x->map->body->results, px, y->map->body->results, py);
    INTERLEAVE(CoreType, types, x->map->result_types, px, y->map->result_types, py);
    CoreLambda *lambda = arena_copy(
        f->c->arena, core_lambda(f->c, count, parameters, core_body(&b, result_count, results)),
        sizeof *lambda);
    lambda->result_types = types;
    return lambda;
}

const CoreAtom *fuse_certificates(Compilation *c, const CoreStm *x, const CoreStm *y, size_t *count)
{
    CoreAtom *all =
        ARENA_ARRAY(c->arena, CoreAtom, x->certificate_count + y->certificate_count + 1);
    *count = 0;
    for (size_t i = 0; i < x->certificate_count; i++) {
        all[(*count)++] = x->certificates[i];
    }
    for (size_t i = 0; i < y->certificate_count; i++) {
        bool known = false;
        for (size_t k = 0; k < x->certificate_count; k++) {
            known = known || core_atom_equal(x->certificates[k], y->certificates[i]);
        }
        if (!known) {
            all[(*count)++] = y->certificates[i];
        }
    }
    return all;
}

CoreStm *fuse_with_certificates(Fuse *f, const CoreStm *stm, const CoreStm *other)
{
    CoreStm *with = arena_copy(f->c->arena, stm, sizeof *stm);
    with->certificates = fuse_certificates(f->c, other, stm, &with->certificate_count);
    return with;
}

const CoreStm *fuse_merge(Fuse *f, const CoreStm *first, const CoreStm *second)
{
    const CoreSoac *x = &first->exp->as.soac, *y = &second->exp->as.soac;
    CoreStm *stm = arena_copy(f->c->arena, second, sizeof *second);
    CoreExp *exp = core_exp_copy(f->c, second->exp);
    CoreSoac *soac = &exp->as.soac;
    CoreAtom *inputs = ARENA_ARRAY(f->c->arena, CoreAtom, x->input_count + y->input_count + 1);
    soac->map = merged_map(f, first, second, &soac->input_count, inputs);
    soac->inputs = inputs;
    soac->reductions =
        both(f->c, x->reduction_count, x->reductions, y->reduction_count, y->reductions);
    soac->reduction_count = x->reduction_count + y->reduction_count;
    soac->scans = both(f->c, x->scan_count, x->scans, y->scan_count, y->scans);
    soac->scan_count = x->scan_count + y->scan_count;
    CoreName **pattern =
        ARENA_ARRAY(f->c->arena, CoreName *, first->pattern_count + second->pattern_count + 1);
    Parts px = parts_of(first), py = parts_of(second);
    INTERLEAVE(CoreName *, pattern, first->pattern, px, second->pattern, py);
    stm->exp = exp;
    stm->pattern = pattern;
    stm->pattern_count = first->pattern_count + second->pattern_count;
    stm->certificates = fuse_certificates(f->c, first, second, &stm->certificate_count);
    return stm;
}
