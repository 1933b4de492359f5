/* The shape of SOACs: how deep their nests are, and what the work inside costs.

       map n (\row -> { let s = map m (\x -> x + 1) row in (s) }) a        -- a nest of widths n, m

   Costs are in scalar operations, roughly as a GPU counts them: only their order of magnitude
   matters, since they decide between computing something twice and storing it. */
#include "core/fuse/fuse.h"

bool fuse_is_soac(const CoreStm *stm)
{
    return stm && stm->exp->kind == CORE_EXP_SOAC && stm->exp->level == CORE_LEVEL_AUTO &&
           stm->exp->space == CORE_SPACE_AUTO;
}

bool fuse_is_map(const CoreStm *stm)
{
    return fuse_is_soac(stm) && stm->exp->as.soac.reduction_count == 0 &&
           stm->exp->as.soac.scan_count == 0;
}

bool fuse_is_map_of_scalars(const CoreStm *stm)
{
    return fuse_is_map(stm) && !core_may_fail(stm) && fuse_is_of_scalars(stm->exp->as.soac.map);
}

bool fuse_is_scatter(const CoreStm *stm)
{
    return (stm->exp->kind == CORE_EXP_SCATTER || stm->exp->kind == CORE_EXP_HIST) &&
           stm->exp->level == CORE_LEVEL_AUTO && stm->exp->space == CORE_SPACE_AUTO;
}

size_t fuse_total_width(size_t count, const CoreReduction *operators)
{
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        width += operators[i].function->body->result_count;
    }
    return width;
}

bool fuse_are_scalars(size_t count, CoreName *const *names)
{
    for (size_t i = 0; i < count; i++) {
        if (names[i]->type.rank > 0) {
            return false;
        }
    }
    return true;
}

bool fuse_is_of_scalars(const CoreLambda *lambda)
{
    for (size_t i = 0; i < lambda->body->result_count; i++) {
        if (core_atom_type(lambda->body->results[i]).rank > 0) {
            return false;
        }
    }
    return fuse_are_scalars(lambda->parameter_count, lambda->parameters);
}

bool fuse_is_total_stm(const CoreStm *stm)
{
    switch ((int)stm->exp->kind) { /* the others cost, fail or do something */
    case CORE_EXP_ATOM:
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_ROTATE: return stm->certificate_count == 0;
    case CORE_EXP_IF:
        return stm->certificate_count == 0 && fuse_is_total(stm->exp->as.conditional.then_body) &&
               fuse_is_total(stm->exp->as.conditional.else_body);
    }
    return false;
}

bool fuse_is_total(const CoreBody *body)
{
    bool total = true;
    for (size_t i = 0; i < body->stm_count && total; i++) {
        total = fuse_is_total_stm(body->stms[i]);
    }
    return total;
}

/* ---- nests ------------------------------------------------------------------------------- */

static bool is_compound(const CoreExp *exp)
{
    return exp->kind == CORE_EXP_LOOP || exp->kind == CORE_EXP_FILTER ||
           exp->kind == CORE_EXP_COMPACT || exp->kind == CORE_EXP_SCATTER ||
           exp->kind == CORE_EXP_HIST || exp->kind == CORE_EXP_ORDER ||
           exp->kind == CORE_EXP_DIGIT_SORT || exp->kind == CORE_EXP_STREAM_MAP ||
           exp->kind == CORE_EXP_STREAM_RED || exp->kind == CORE_EXP_STREAM_SEQ ||
           exp->kind == CORE_EXP_IF;
}

static bool binds(const CoreLambda *lambda, CoreAtom atom)
{
    for (size_t i = 0; i < lambda->parameter_count; i++) {
        if (lambda->parameters[i] == atom.name) {
            return true;
        }
    }
    for (size_t i = 0; i < lambda->body->stm_count; i++) {
        for (size_t k = 0; k < lambda->body->stms[i]->pattern_count; k++) {
            if (lambda->body->stms[i]->pattern[k] == atom.name) {
                return true;
            }
        }
    }
    return false;
}

/* An if of scalar work is scalar work; any other is a loop as far as nests go. */
static bool is_scalar_if(const CoreExp *exp)
{
    return exp->kind == CORE_EXP_IF && fuse_cost(exp->as.conditional.then_body) < FUSE_DEAR &&
           fuse_cost(exp->as.conditional.else_body) < FUSE_DEAR;
}

enum { MOST_WORK = 100 };

/* A few rows, of little work: a work-item goes through them, as through other work. */
static bool is_small(const CoreSoac *soac)
{
    unsigned readings = FUSE_READ * (unsigned)soac->input_count;
    return fuse_cost_of_rows(soac, readings + fuse_cost(soac->map->body)) <= MOST_WORK;
}

/* One level deeper where all SOACs of the body have one width that is known outside. */
static const CoreStm *inner_soac(const CoreLambda *lambda, FuseNest *nest)
{
    const CoreStm *inner = NULL;
    for (size_t i = 0; i < lambda->body->stm_count; i++) {
        const CoreStm *stm = lambda->body->stms[i];
        if (stm->exp->kind == CORE_EXP_SOAC && !is_small(&stm->exp->as.soac)) {
            CoreAtom width = stm->exp->as.soac.width;
            nest->mixed = nest->mixed || binds(lambda, width) ||
                          (inner && !core_atom_equal(inner->exp->as.soac.width, width));
            inner = stm;
        } else if (is_compound(stm->exp) && !is_scalar_if(stm->exp)) {
            nest->serial = true;
        }
    }
    return nest->serial || nest->mixed ? NULL : inner;
}

bool fuse_same_inside(const FuseNest *a, const FuseNest *b)
{
    for (int i = 1; i < a->depth && i < b->depth; i++) {
        if (!core_atom_equal(a->widths[i], b->widths[i])) {
            return false;
        }
    }
    return a->depth == b->depth && (a->depth == 1 || (!a->mixed && !b->mixed));
}

FuseNest fuse_nest(const CoreStm *stm)
{
    FuseNest nest = {0};
    while (stm && nest.depth < FUSE_DEEPEST) {
        nest.widths[nest.depth++] = stm->exp->as.soac.width;
        stm = inner_soac(stm->exp->as.soac.map, &nest);
    }
    return nest;
}

/* ---- costs ------------------------------------------------------------------------------- */

enum { MOST_ROWS = 16 }; /* of a loop that is no more than so many operations */

static unsigned operator_cost(CoreOperator op, CorePrim prim)
{
    if (op == CORE_DIV || op == CORE_MOD || op == CORE_SQRT) {
        return 8;
    }
    if (op == CORE_RANDOM || op == CORE_GCD ||
        op == CORE_LCM) { /* rounds of multiplications or divisions */
        return 40;
    }
    return core_is_real(prim) && (op == CORE_POW || op == CORE_BINOM || op >= CORE_EXP) ? 20 : 1;
}

bool fuse_are_few(CoreAtom rows)
{
    return !rows.name && rows.as.integer <= MOST_ROWS;
}

unsigned fuse_cost_of_rows(const CoreSoac *soac, unsigned row)
{
    if (!fuse_are_few(soac->width)) {
        return FUSE_DEAR;
    }
    for (size_t i = 0; i < soac->reduction_count; i++) {
        row += fuse_cost(soac->reductions[i].function->body);
    }
    for (size_t i = 0; i < soac->scan_count; i++) {
        row += fuse_cost(soac->scans[i].function->body);
    }
    uint64_t cost = (uint64_t)row * (uint64_t)soac->width.as.integer;
    return cost < FUSE_DEAR ? (unsigned)cost : FUSE_DEAR;
}

static unsigned soac_cost(const CoreSoac *soac)
{
    unsigned readings = FUSE_READ * (unsigned)soac->input_count;
    return fuse_cost_of_rows(soac, readings + fuse_cost(soac->map->body));
}

static unsigned stm_cost(const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    switch ((int)exp->kind) { /* the others are loops over arrays */
    case CORE_EXP_ATOM:
    case CORE_EXP_IOTA:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_SLICE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD:
    case CORE_EXP_CYCLE: return 0;
    case CORE_EXP_CONVERT: return 1;
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY: return operator_cost(exp->as.scalar.op, exp->as.scalar.prim);
    case CORE_EXP_INDEX: return stm->pattern[0]->type.rank == 0 ? FUSE_READ : 0;
    case CORE_EXP_SOAC: return soac_cost(&exp->as.soac);
    case CORE_EXP_IF: {
        unsigned cost =
            1 + fuse_cost(exp->as.conditional.then_body) + fuse_cost(exp->as.conditional.else_body);
        return cost < FUSE_DEAR ? cost : FUSE_DEAR;
    }
    }
    return FUSE_DEAR;
}

unsigned fuse_cost(const CoreBody *body)
{
    unsigned cost = 0;
    for (size_t i = 0; i < body->stm_count && cost < FUSE_DEAR; i++) {
        cost += stm_cost(body->stms[i]);
    }
    return cost < FUSE_DEAR ? cost : FUSE_DEAR;
}

unsigned fuse_cost_but_checks(const CoreBody *body)
{
    unsigned cost = 0;
    for (size_t i = 0; i < body->stm_count && cost < FUSE_DEAR; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        if (exp->kind == CORE_EXP_IF) {
            cost += 1 + fuse_cost_but_checks(exp->as.conditional.then_body) +
                    fuse_cost_but_checks(exp->as.conditional.else_body);
        } else if (exp->kind != CORE_EXP_ASSERT && exp->kind != CORE_EXP_CONJOIN) {
            cost += stm_cost(body->stms[i]);
        }
    }
    return cost < FUSE_DEAR ? cost : FUSE_DEAR;
}
