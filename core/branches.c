/* What branches and loops leave behind.

   An in-place update leaves the memory of its array [PLDI 3], and so does what both branches of an IF leave there,
   or a loop that consumes its state. */
#include "core/core.h"

/* ---- memory ---------------------------------------------------------------------------------- */

static const CoreName *root_in(const CoreBody *body, CoreAtom result, bool kept);

/* The array whose memory result k of this statement is, one step back; NULL where it has its own. `kept`: a loop leaves it
   in that memory in each step, too. */
static const CoreName *step_back(const CoreStm *stm, size_t k, bool kept)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind == CORE_EXP_ATOM) {
        return exp->as.atom.name;
    }
    if (exp->kind == CORE_EXP_UPDATE) {
        return exp->as.update.array.name;
    }
    if (exp->kind == CORE_EXP_SCATTER || exp->kind == CORE_EXP_HIST) {
        return exp->as.scatter.destinations[k].name;
    }
    if (exp->kind == CORE_EXP_LOOP) {
        const CoreName *parameter = exp->as.loop.parameters[k];
        const CoreBody *body = exp->as.loop.body;
        return parameter->type.unique &&
                       (!kept || root_in(body, body->results[k], true) == parameter)
                   ? exp->as.loop.initial[k].name
                   : NULL;
    }
    if (exp->kind == CORE_EXP_IF) {
        const CoreBody *yes = exp->as.conditional.then_body, *no = exp->as.conditional.else_body;
        const CoreName *root = root_in(yes, yes->results[k], kept);
        return root == root_in(no, no->results[k], kept) ? root : NULL;
    }
    return NULL;
}

static bool finds_result(const CoreStm *stm, const CoreName *name, size_t *k)
{
    for (*k = 0; *k < stm->pattern_count; ++*k) {
        if (stm->pattern[*k] == name) {
            return true;
        }
    }
    return false;
}

static const CoreName *root_in(const CoreBody *body, CoreAtom result, bool kept)
{
    const CoreName *name = result.name;
    for (size_t i = body->stm_count; i-- > 0 && name != NULL;) {
        size_t k;
        if (finds_result(body->stms[i], name, &k)) {
            name = step_back(body->stms[i], k, kept);
        }
    }
    return name;
}

const CoreName *core_root_in(const CoreBody *body, CoreAtom result)
{
    return root_in(body, result, false);
}

/* [PLDI 3]  if p then a with [i] <- v else a: both branches leave a's memory, and so does the if.
 */
const CoreName *core_root(const CoreStm *stm, size_t k)
{
    bool follows = stm->exp->kind == CORE_EXP_IF || stm->exp->kind == CORE_EXP_LOOP;
    return follows && stm->pattern[k]->type.rank > 0 ? step_back(stm, k, false) : NULL;
}

const CoreName *core_kept_root(const CoreStm *stm, size_t k)
{
    bool follows = stm->exp->kind == CORE_EXP_IF || stm->exp->kind == CORE_EXP_LOOP;
    return follows && stm->pattern[k]->type.rank > 0 ? step_back(stm, k, true) : NULL;
}

bool core_is_existential(const CoreStm *stm, CoreType type)
{
    for (int axis = 0; axis < type.rank; axis++) {
        for (size_t k = 0; k < stm->pattern_count; k++) {
            if (type.sizes[axis].name == stm->pattern[k]) {
                return true;
            }
        }
    }
    return false;
}

bool core_stm_binds(const CoreStm *stm, const CoreName *name)
{
    size_t k;
    return finds_result(stm, name, &k);
}

const CoreStm *core_binder(const CoreBody *body, const CoreName *name)
{
    for (size_t i = body->stm_count; name && i-- > 0;) {
        if (core_stm_binds(body->stms[i], name)) {
            return body->stms[i];
        }
    }
    return NULL;
}

bool core_binds(const CoreBody *body, const CoreName *name)
{
    return core_binder(body, name) != NULL;
}

typedef struct Uses {
    const CoreName *name;
    bool found;
} Uses;

static void find_use(void *context, CoreName *name)
{
    Uses *uses = context;
    uses->found = uses->found || uses->name == name;
}

bool core_stm_uses(const CoreStm *stm, const CoreName *name)
{
    Uses uses = {name, false};
    core_each_free(stm, find_use, &uses);
    return uses.found;
}

bool core_uses(const CoreBody *body, const CoreName *name)
{
    bool found = false;
    for (size_t i = 0; i < body->stm_count && !found; i++) {
        found = core_stm_uses(body->stms[i], name);
    }
    return found;
}

typedef struct UseCount {
    const CoreName *name;
    size_t count;
} UseCount;

static void count_use(void *context, CoreName *name)
{
    UseCount *uses = context;
    uses->count += name == uses->name;
}

size_t core_count_uses(const CoreBody *body, const CoreName *name)
{
    UseCount uses = {name, 0};
    for (size_t i = 0; i < body->stm_count; i++) {
        core_each_free(body->stms[i], count_use, &uses);
    }
    for (size_t k = 0; k < body->result_count; k++) {
        uses.count += body->results[k].name == name;
    }
    return uses.count;
}

typedef struct AllUses {
    Arena *arena;
    PointerMap *uses;
} AllUses;

static void add_use(void *context, CoreName *name)
{
    const AllUses *all = context;
    ++*(size_t *)pointer_map_make(all->arena, all->uses, name, sizeof(size_t));
}

void core_count_all_uses(Arena *arena, const CoreBody *body, PointerMap *uses)
{
    AllUses all = {arena, uses};
    for (size_t i = 0; i < body->stm_count; i++) {
        core_each_free(body->stms[i], add_use, &all);
    }
    for (size_t k = 0; k < body->result_count; k++) {
        if (body->results[k].name) {
            add_use(&all, body->results[k].name);
        }
    }
}

size_t core_uses_of(const PointerMap *uses, const CoreName *name)
{
    const size_t *count = pointer_map_get(uses, name);
    return count ? *count : 0;
}

/* ---- scalars --------------------------------------------------------------------------------- */

static bool is_quick(const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind == CORE_EXP_ATOM || exp->kind == CORE_EXP_CONVERT) {
        return stm->pattern[0]->type.rank == 0;
    }
    if (exp->kind == CORE_EXP_UNARY) {
        return exp->as.scalar.op >= CORE_NEG && exp->as.scalar.op <= CORE_BITS;
    }
    if (exp->kind == CORE_EXP_BINARY) {
        CoreOperator op = exp->as.scalar.op;
        return op != CORE_POW && op != CORE_GCD && op != CORE_LCM && op != CORE_BINOM &&
               op != CORE_ATAN2 && op != CORE_HYPOT && op != CORE_RANDOM;
    }
    return false;
}

/* A branch that may be computed whether or not it is taken. */
static bool is_selectable(const CoreBody *body)
{
    if (body->stm_count > 4) {
        return false;
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        if (!is_quick(body->stms[i])) {
            return false;
        }
    }
    return true;
}

static const CoreExp *definition(const CoreBody *body, CoreAtom atom)
{
    for (size_t i = 0; i < body->stm_count && atom.name; i++) {
        if (body->stms[i]->pattern_count == 1 && body->stms[i]->pattern[0] == atom.name) {
            return body->stms[i]->exp;
        }
    }
    return NULL;
}

bool core_is_opposite(const CoreBody *body, CoreAtom x, CoreAtom y)
{
    const CoreExp *u = definition(body, x), *v = definition(body, y);
    CoreOperator opposite;
    if (u && u->kind == CORE_EXP_UNARY && u->as.scalar.op == CORE_NOT) {
        return core_atom_equal(u->as.scalar.x, y);
    }
    return u && v && u->kind == CORE_EXP_BINARY && v->kind == CORE_EXP_BINARY &&
           core_operator_opposite(u->as.scalar.op, u->as.scalar.prim, &opposite) &&
           opposite == v->as.scalar.op && core_atom_equal(u->as.scalar.x, v->as.scalar.x) &&
           core_atom_equal(u->as.scalar.y, v->as.scalar.y);
}

static bool all_scalars(const CoreStm *stm)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (stm->pattern[k]->type.rank > 0 || stm->pattern[k]->type.prim == CORE_CERT) {
            return false;
        }
    }
    return true;
}

bool core_is_selection(const CoreStm *stm)
{
    return all_scalars(stm) && is_selectable(stm->exp->as.conditional.then_body) &&
           is_selectable(stm->exp->as.conditional.else_body);
}
