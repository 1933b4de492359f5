/* Rows that a nest computes, and leaves several times each, as a nest of the copies: nothing is stored only to be copied.

       map n (\p -> { let t = map m f xs                let zs = map (2 * n) (\i -> { let p = ps[i / 2]
                      in (replicate [2] t) }) ps   ==>                                let t = map m f xs
                                                                                      in (t) }) (iota (2 * n))
                                                        reshape [n, 2, m] zs

   Each copy computes its row again, where that is cheap. The map may stand in others that do nothing else. */
#include "core/flatten/flatten.h"

enum {
    MOST_TIMES = 64, /* as often an extent is no more than an i64 */
    MOST_AGAIN = 96, /* operations an element that are done again, for all copies together */
    MOST_ANYWAY = 8  /* no more than to read it from memory */
};

typedef struct Repeats {
    Flatten *f;
    int64_t times;
    int depth;             /* of the map whose rows are left so often, in others */
    const CoreStm *copies; /* the replicate there */
    const CoreAtom *sizes; /* of what the nest gives instead */
    CoreBuilder *before;
} Repeats;

/* ---- which --------------------------------------------------------------------------------- */

/* Of one element of what the map gives, whose rows may be made by maps again. */
static unsigned cost_of_element(const CoreStm *map)
{
    const CoreSoac *soac = &map->exp->as.soac;
    unsigned cost = FUSE_READ * (unsigned)soac->input_count;
    for (size_t i = 0; i < soac->map->body->stm_count && cost < FUSE_DEAR; i++) {
        const CoreStm *stm = soac->map->body->stms[i];
        const CoreBody alone = {.stm_count = 1, .stms = &stm};
        cost += fuse_is_map(stm) ? cost_of_element(stm) : fuse_cost(&alone);
    }
    return cost < FUSE_DEAR ? cost : FUSE_DEAR;
}

/* All but this one and that one are scalar work and views. */
static bool is_little_else(const CoreBody *body, const CoreStm *this, const CoreStm *that)
{
    bool little = true;
    for (size_t i = 0; i < body->stm_count && little; i++) {
        const CoreStm *stm = body->stms[i];
        little = stm == this || stm == that || flatten_is_cheap(stm);
    }
    return little;
}

/* The statement leaves so many copies of the rows of a map, which are for nothing else and cheap. */
static bool is_repeat(Repeats *r, const CoreBody *body, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind != CORE_EXP_REPLICATE || exp->space != CORE_SPACE_AUTO ||
        stm->certificate_count > 0 || exp->as.replicate.count != 1 ||
        exp->as.replicate.sizes[0].name != NULL) {
        return false;
    }
    const CoreStm *maker = fuse_maker_in(body, exp->as.replicate.value);
    r->times = exp->as.replicate.sizes[0].as.integer;
    if (maker == NULL || !fuse_is_map(maker) || maker->pattern_count != 1 || r->times < 2 ||
        r->times > MOST_TIMES || flatten_has_unique(maker->exp->as.soac.map) ||
        core_count_uses(body, maker->pattern[0]) != 1) {
        return false;
    }
    unsigned cost = cost_of_element(maker);
    return is_little_else(body, maker, stm) &&
           (cost <= MOST_ANYWAY || cost * (unsigned)(r->times - 1) <= MOST_AGAIN);
}

static bool finds_repeat(Repeats *r, const CoreStm *map)
{
    const CoreBody *body = map->exp->as.soac.map->body;
    if (map->pattern_count != 1 || body->result_count != 1 ||
        flatten_has_unique(map->exp->as.soac.map)) {
        return false;
    }
    const CoreStm *maker = fuse_maker_in(body, body->results[0]);
    if (maker == NULL) {
        return false;
    }
    if (is_repeat(r, body, maker)) {
        r->copies = maker;
        return true;
    }
    if (!fuse_is_map(maker) || core_count_uses(body, body->results[0].name) != 1 ||
        !is_little_else(body, maker, NULL)) {
        return false;
    }
    r->depth++;
    return finds_repeat(r, maker);
}

/* ---- the nest of the copies ------------------------------------------------------------------ */

/* let (name) = exp in place of the statement, of these sizes from the level's on. */
static const CoreStm *in_its_place(Repeats *r, const CoreStm *old, int level, const CoreExp *exp)
{
    CoreStm *stm = arena_copy(r->f->c->arena, old, sizeof *stm);
    CoreName **pattern = ARENA_ARRAY(r->f->c->arena, CoreName *, 1);
    CoreType type = old->pattern[0]->type;
    type.unique = false;
    type.rank--;
    type.sizes = r->sizes + level;
    pattern[0] = core_name(r->f->c, old->pattern[0]->text, type, old->pattern[0]->span);
    stm->pattern = pattern;
    stm->exp = exp;
    return stm;
}

/* \i -> the row that copy i is of. */
static const CoreLambda *function_of_copies(const Repeats *r, const CoreStm *map)
{
    Compilation *c = r->f->c;
    const CoreSoac *soac = &map->exp->as.soac;
    CoreBuilder b = core_builder(c, map->span);
    Renaming *renaming = core_renaming(c);
    CoreName *i = core_name(c, "i", core_scalar(CORE_I64), map->span);
    CoreName *const parameters[] = {i};
    CoreAtom row = core_let_binary(&b, "row", CORE_DIV, core_use(i), core_i64(r->times));
    for (size_t k = 0; k < soac->input_count; k++) {
        CoreName *parameter = soac->map->parameters[k];
        core_rename(renaming, parameter,
                    core_let_index(&b, parameter->text, soac->inputs[k], 1, &row));
    }
    for (size_t k = 0; k < soac->map->body->stm_count; k++) {
        if (soac->map->body->stms[k] != r->copies) {
            core_add(&b, core_rename_stm(renaming, soac->map->body->stms[k]));
        }
    }
    CoreAtom result = core_renamed(renaming, r->copies->exp->as.replicate.value);
    return core_lambda(c, 1, parameters, core_body(&b, 1, &result));
}

static const CoreStm *of_copies(Repeats *r, const CoreStm *map, int level)
{
    Compilation *c = r->f->c;
    if (level == r->depth) {
        CoreAtom positions = core_let_iota(r->before, "positions", r->sizes[level]);
        return in_its_place(
            r, map, level,
            core_exp_map(c, r->sizes[level], 1, &positions, function_of_copies(r, map)));
    }
    const CoreSoac *soac = &map->exp->as.soac;
    CoreBuilder b = core_builder(c, map->span);
    CoreAtom result = soac->map->body->results[0];
    for (size_t k = 0; k < soac->map->body->stm_count; k++) {
        const CoreStm *stm = soac->map->body->stms[k];
        if (core_stm_binds(stm, result.name)) {
            stm = of_copies(r, stm, level + 1);
            result = core_use(stm->pattern[0]);
        }
        core_add(&b, stm);
    }
    const CoreLambda *function = core_lambda(c, soac->map->parameter_count, soac->map->parameters,
                                             core_body(&b, 1, &result));
    return in_its_place(r, map, level,
                        core_exp_map(c, soac->width, soac->input_count, soac->inputs, function));
}

/* The sizes with those of rows and copies multiplied. */
static const CoreAtom *sizes_of_copies(Repeats *r, CoreType type)
{
    CoreAtom *sizes = ARENA_ARRAY(r->f->c->arena, CoreAtom, (size_t)type.rank);
    for (int axis = 0, to = 0; axis < type.rank; axis++) {
        if (axis != r->depth + 1) {
            sizes[to++] = type.sizes[axis];
        }
    }
    sizes[r->depth] =
        core_let_binary(r->before, "rows", CORE_MUL, sizes[r->depth], core_i64(r->times));
    return sizes;
}

const CoreStm *flatten_repeats(Flatten *f, const CoreStm *map, CoreBuilder *before,
                               CoreBuilder *after)
{
    Repeats r = {.f = f, .before = before};
    if (!fuse_is_map(map) || map->exp->as.soac.input_count == 0 || core_may_fail(map) ||
        !finds_repeat(&r, map) || simplify_consumed(f->s, core_use(map->pattern[0]))) {
        return NULL;
    }
    CoreType type = map->pattern[0]->type;
    r.sizes = sizes_of_copies(&r, type);
    const CoreStm *all = of_copies(&r, map, 0);
    CoreExp *exp = ARENA_NEW(f->c->arena, CoreExp);
    exp->kind = CORE_EXP_RESHAPE;
    exp->as.reshape.array = core_use(all->pattern[0]);
    exp->as.reshape.count = (size_t)type.rank;
    exp->as.reshape.sizes = type.sizes;
    flatten_push_certificates(after, map);
    core_bind(after, 1, map->pattern, exp);
    after->certificates.count -= map->certificate_count;
    f->counts[CORE_RULE_REPLICATE_MAP]++;
    return all;
}
