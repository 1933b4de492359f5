/* Rows that change places, as of a[i j;]←a[j i;].

       let x = copy a[j]
       let y = copy a[i]                          let c = assert ...
       let b = a with [i] <- x                    let (x, y) = map @updated n (\p q -> (p, q)) (a[j], a[i])
       let c = assert ...                  ==>    let b = a with [i] <- x
       let d = <c> b with [j] <- y                let d = <c> b with [j] <- y

   Each was a copy; now nothing is stored on the way: an element of each row is read before any of them is written, and of a
   row no element needs another one. For that what is read and what is written is, of each block that is written,
   all of it in that order, or lies beside it (regions.c); other arrays may be read as they are.

   Before, after: as in_place.c. */
#include "core/locality/in_place.h"

enum { MOST_ROWS = 8 };

/* Updates of one array, each of what the one before made. */
typedef struct Chain {
    size_t count;
    const CoreStm *updates[MOST_ROWS], *copies[MOST_ROWS];
} Chain;

static const CoreStm *used_once(const InPlace *p, const CoreBody *body, CoreAtom atom,
                                CoreExpKind kind)
{
    const CoreStm *stm = in_place_binder(p, atom);
    return stm && stm->exp->kind == kind && core_uses_of(&p->uses, atom.name) == 1 &&
                   core_binder(body, atom.name) == stm
               ? stm
               : NULL;
}

/* That ends with the update. */
static Chain find_chain(const InPlace *p, const CoreBody *body, const CoreStm *last)
{
    Chain chain = {0};
    for (const CoreStm *stm = last; stm && chain.count < MOST_ROWS;
         stm = used_once(p, body, stm->exp->as.update.array, CORE_EXP_UPDATE)) {
        const CoreStm *copy = used_once(p, body, stm->exp->as.update.value, CORE_EXP_COPY);
        if (!copy || !in_place_is_bare(copy) ||
            !core_same_type(copy->pattern[0]->type, last->exp->as.update.value.name->type)) {
            break;
        }
        memmove(chain.updates + 1, chain.updates, chain.count * sizeof *chain.updates);
        memmove(chain.copies + 1, chain.copies, chain.count * sizeof *chain.copies);
        chain.updates[0] = stm;
        chain.copies[0] = copy;
        chain.count++;
    }
    return chain;
}

/* Of each block that is written it has all elements in that order, or none. */
static bool is_apart(const InPlace *p, const Chain *chain, const Region *region)
{
    const CoreType *type = &chain->updates[0]->exp->as.update.array.name->type;
    bool apart = true;
    for (size_t k = 0; k < chain->count && apart; k++) {
        const CoreExp *update = chain->updates[k]->exp;
        apart = region_is_beside(p, region, update) || region_is_alike(region, update, type);
    }
    return apart;
}

static bool may_be_read(InPlace *p, const Chain *chain, const CoreStm *copy)
{
    const CoreAtom view = copy->exp->as.array;
    const CoreAtom array = chain->updates[0]->exp->as.update.array;
    Region region;
    return !in_place_may_share(p, view, array) ||
           (region_find(p, view, array, &region) && is_apart(p, chain, &region));
}

static bool may_be_written(const InPlace *p, const Chain *chain, const CoreExp *update)
{
    const CoreType *type = &chain->updates[0]->exp->as.update.array.name->type;
    if (type->rank > REGION_MOST_AXES) {
        return false;
    }
    const Region region = region_of_block(update, type);
    return is_apart(p, chain, &region);
}

static bool is_of(const CoreStm *const *stms, size_t count, const CoreStm *stm)
{
    bool found = false;
    for (size_t k = 0; k < count; k++) {
        found = found || stms[k] == stm;
    }
    return found;
}

/* Where its last update stands, all can be done: what stands between is in the way of none of the copies. */
static bool can_wait(InPlace *p, const CoreBody *body, const Chain *chain, size_t last)
{
    size_t left = chain->count;
    for (size_t i = last; left > 0; i--) {
        const CoreStm *stm = body->stms[i];
        bool is_copy = is_of(chain->copies, chain->count, stm);
        left -= is_copy;
        if (is_copy || is_of(chain->updates, chain->count, stm)) {
            continue;
        }
        for (size_t k = 0; k < chain->count; k++) {
            if (in_place_gets_in_the_way(p, stm, chain->copies[k])) {
                return false;
            }
        }
    }
    return true;
}

static bool is_exchange(InPlace *p, const CoreBody *body, const Chain *chain, size_t last)
{
    if (chain->count < 2) {
        return false;
    }
    const CoreAtom array = chain->updates[0]->exp->as.update.array;
    bool good = can_wait(p, body, chain, last);
    for (size_t k = 0; k < chain->count && good; k++) {
        const CoreExp *update = chain->updates[k]->exp;
        good = may_be_read(p, chain, chain->copies[k]) && may_be_written(p, chain, update) &&
               !in_place_is_waited_for(p, update, array);
    }
    return good;
}

/* map n (\row .. row -> map m (\x .. x -> (x, .., x)) row .. row) (views) */
static const CoreExp *elements_of(Compilation *c, size_t count, const CoreAtom *views, Span span)
{
    const CoreType type = core_atom_type(views[0]);
    CoreType row = type;
    row.rank--;
    row.sizes = type.sizes + 1;
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, count);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count);
    for (size_t k = 0; k < count; k++) {
        parameters[k] = core_name(c, "x", row, span);
        results[k] = core_use(parameters[k]);
    }
    CoreBuilder b = core_builder(c, span);
    if (row.rank > 0) {
        CoreName **rows = ARENA_ARRAY(c->arena, CoreName *, count);
        const CoreExp *inner = elements_of(c, count, results, span);
        for (size_t k = 0; k < count; k++) {
            rows[k] = core_name(c, "row", row, span);
            results[k] = core_use(rows[k]);
        }
        core_bind(&b, count, rows, inner);
    }
    const CoreLambda *map = core_lambda(c, count, parameters, core_body(&b, count, results));
    return core_exp_soac(c, type.sizes[0], count, views, map, 0, NULL, 0, NULL);
}

static void put(InPlace *p, CoreBuilder *b, const Chain *chain)
{
    CoreAtom *views = ARENA_ARRAY(p->c->arena, CoreAtom, chain->count);
    CoreName **pattern = ARENA_ARRAY(p->c->arena, CoreName *, chain->count);
    for (size_t k = 0; k < chain->count; k++) {
        views[k] = chain->copies[k]->exp->as.array;
        pattern[k] = chain->copies[k]->pattern[0];
    }
    b->span = chain->updates[chain->count - 1]->span;
    const CoreExp *elements = elements_of(p->c, chain->count, views, b->span);
    core_bind(b, chain->count, pattern,
              core_exp_placed(p->c, elements, CORE_LEVEL_AUTO, CORE_UPDATED));
    for (size_t k = 0; k < chain->count; k++) {
        core_add(b, chain->updates[k]);
    }
}

const CoreBody *in_place_exchange(InPlace *p, const CoreBody *body)
{
    CoreBuilder b = core_builder(p->c, (Span){0});
    Chain *chains = ARENA_ARRAY(p->c->scratch, Chain, body->stm_count + 1);
    PointerMap taken = {0};
    for (size_t i = body->stm_count; i-- > 0;) {
        const CoreStm *stm = body->stms[i];
        if (stm->exp->kind != CORE_EXP_UPDATE || pointer_map_get(&taken, stm)) {
            continue;
        }
        Chain chain = find_chain(p, body, stm);
        if (is_exchange(p, body, &chain, i)) {
            chains[i] = chain;
            for (size_t k = 0; k < chain.count; k++) {
                pointer_map_set(p->c->scratch, &taken, chain.updates[k], p);
                pointer_map_set(p->c->scratch, &taken, chain.copies[k], p);
            }
        }
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        if (chains[i].count > 0) {
            put(p, &b, &chains[i]);
            if (p->counts) {
                p->counts[CORE_RULE_IN_PLACE]++;
            }
        } else if (!pointer_map_get(&taken, body->stms[i])) {
            core_add(&b, body->stms[i]);
        }
    }
    return core_with_stms(p->c, body, b.stms.count, b.stms.items);
}
