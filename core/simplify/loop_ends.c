/* [L0 5.3] What the results of a loop are, by the branches that end it.

       loop (on = true, p = a, r = b) while on do {        loop (on = true, p = a, r = b) while on do {
         let c = p > n                                       ...
         let (p', r') = if c then { in (p, p) }              in (not_c, p', r')
                        else { ... in (q, r) }       ==>   }
         let not_c = p <= n                                  in e(p)
         in (not_c, p', r')
       } in e(r)

   Tail calls come like this: what is given in the end has a place in the state, which is of no use before. Where each
   branch that ends the loop gives it the value that another piece of the state has, or one from outside, it is
   that one; then nobody uses the place. The loop surely runs once, as its condition begins as true. Where such a
   branch gives a new version of a piece that nobody asks for afterwards, the piece is that, too:

       let q = p with [i] <- x                                let q = p with [i] <- x
       let (p', r') = if c then { in (p, q) } ...      ==>    let (p', r') = if c then { in (q, q) } ... */
#include "core/simplify/simplify.h"

/* What the state is, piece by piece, wherever the loop ends. */
typedef struct Ends {
    Arena *arena;
    size_t width;
    VEC(const CoreAtom *) items;
} Ends;

static CoreAtom in_branch(const CoreStm *stm, const CoreBody *branch, CoreAtom atom)
{
    for (size_t j = 0; j < stm->pattern_count && atom.name; j++) {
        if (stm->pattern[j] == atom.name) {
            return branch->results[j];
        }
    }
    return atom;
}

/* Whether the loop goes on, in a branch: known, one of its results, or something else. */
static CoreAtom on_in(const CoreBody *body, const CoreStm *stm, bool then, CoreAtom on)
{
    const CoreExp *exp = stm->exp;
    CoreAtom condition = exp->as.conditional.condition;
    const CoreBody *branch = then ? exp->as.conditional.then_body : exp->as.conditional.else_body;
    return core_atom_equal(on, condition)          ? core_bool(then)
           : core_is_opposite(body, on, condition) ? core_bool(!then)
                                                   : in_branch(stm, branch, on);
}

/* The IF of the body that says whether the loop goes on; NULL: there is none. */
static const CoreStm *deciding_if(const CoreBody *body, CoreAtom on)
{
    for (size_t i = body->stm_count; i-- > 0;) {
        const CoreStm *stm = body->stms[i];
        if (stm->exp->kind == CORE_EXP_IF && !(core_atom_equal(on_in(body, stm, true, on), on) &&
                                               core_atom_equal(on_in(body, stm, false, on), on))) {
            return stm;
        }
    }
    return NULL;
}

/* Of a loop's body, or a branch in it, with that state at its end; false: it is not known where it ends. */
static bool find_ends(Ends *ends, const CoreBody *body, CoreAtom on, const CoreAtom *state)
{
    if (!on.name) {
        if (!on.as.integer) {
            vec_push(ends->arena, &ends->items, state);
        }
        return true;
    }
    const CoreStm *stm = deciding_if(body, on);
    for (int b = 0; stm && b < 2; b++) {
        const CoreBody *branch =
            b == 0 ? stm->exp->as.conditional.then_body : stm->exp->as.conditional.else_body;
        CoreAtom *inner = ARENA_ARRAY(ends->arena, CoreAtom, ends->width);
        for (size_t k = 0; k < ends->width; k++) {
            inner[k] = in_branch(stm, branch, state[k]);
        }
        if (!find_ends(ends, branch, on_in(body, stm, b == 0, on), inner)) {
            return false;
        }
    }
    return stm != NULL;
}

static bool are_equal(const Ends *ends, size_t k, size_t j)
{
    for (size_t i = 0; i < ends->items.count; i++) {
        if (!core_atom_equal(ends->items.items[i][k], ends->items.items[i][j])) {
            return false;
        }
    }
    return true;
}

/* Piece k is the same everywhere, and known outside of the loop, where we are. */
static bool is_from_outside(Simplify *s, const Ends *ends, size_t k)
{
    CoreAtom first = ends->items.items[0][k];
    for (size_t i = 1; i < ends->items.count; i++) {
        if (!core_atom_equal(ends->items.items[i][k], first)) {
            return false;
        }
    }
    return !first.name || simplify_fact(s, first.name)->depth <= s->depth;
}

typedef struct Known {
    bool found, kept;
    CoreAtom equal; /* found: what the result is */
} Known;

typedef struct Search {
    Simplify *s;
    const Work *work;
    const Ends *ends;
    Known *known; /* of the pattern's names, one each */
} Search;

static const Known *known_of(const Search *search, const CoreName *name)
{
    for (size_t k = 0; k < search->work->pattern_count && name; k++) {
        if (search->work->pattern[k] == name) {
            return &search->known[k];
        }
    }
    return NULL;
}

/* An extent as it is behind the loop. */
static CoreAtom extent_now(void *context, CoreAtom atom)
{
    Search *search = context;
    const Known *known = known_of(search, atom.name);
    return known && known->found ? known->equal : simplify_now(search->s, atom);
}

static bool may_be_equal(Search *search, size_t k, CoreAtom atom)
{
    Simplify *s = search->s;
    CoreType type = core_map_type(s->c, search->work->pattern[k]->type, extent_now, search);
    return core_same_type(type, core_map_type(s->c, core_atom_type(atom), simplify_now, s)) &&
           !simplify_consumed(s, atom);
}

/* What the pattern's name k is equal to: something outside, or another of the names, which stays. */
static void find_equal(Search *search, size_t k)
{
    Known *known = &search->known[k];
    const CoreName *name = search->work->pattern[k];
    const Fact *fact = simplify_fact(search->s, name);
    if (known->kept || !fact->used || fact->replaced ||
        simplify_consumed(search->s, core_use((CoreName *)name))) {
        return;
    }
    if (is_from_outside(search->s, search->ends, k)) {
        known->equal = search->ends->items.items[0][k];
        known->found = may_be_equal(search, k, known->equal);
        return;
    }
    for (size_t j = 0; j < search->work->pattern_count && !known->found; j++) {
        if (j != k && !search->known[j].found && are_equal(search->ends, k, j) &&
            !simplify_fact(search->s, search->work->pattern[j])->replaced) {
            known->equal = core_use(search->work->pattern[j]);
            known->found = may_be_equal(search, k, known->equal);
            search->known[j].kept = known->found;
        }
    }
}

/* An extent is replaced with all arrays that have it, or stays, and so do they. True: something changed. */
static bool keep_extents(const Search *search)
{
    bool changed = false;
    for (size_t k = 0; k < search->work->pattern_count; k++) {
        CoreType type = search->work->pattern[k]->type;
        for (int axis = 0; axis < type.rank; axis++) {
            Known *extent = (Known *)known_of(search, type.sizes[axis].name);
            if (extent && extent->found != search->known[k].found) {
                extent->found = search->known[k].found = false;
                changed = true;
            }
        }
    }
    return changed;
}

/* The loop with other names for these results, which nobody uses; false: there are none. */
static bool replace_found(const Search *search, Work *work)
{
    Simplify *s = search->s;
    bool some = false;
    CoreName **pattern = ARENA_ARRAY(s->c->arena, CoreName *, work->pattern_count);
    Renaming *renaming = core_renaming(s->c);
    for (size_t k = 0; k < work->pattern_count; k++) {
        CoreName *name = work->pattern[k];
        pattern[k] = name;
        if (search->known[k].found) {
            some = true;
            CoreType type = core_map_type(s->c, name->type, core_renamed, renaming);
            pattern[k] = core_name(s->c, name->text, type, name->span);
            core_rename(renaming, name, core_use(pattern[k]));
            simplify_replace(s, name, search->known[k].equal);
            simplify_fired(s, CORE_RULE_LEAVING_STATE);
        }
    }
    work->pattern = pattern;
    return some;
}

/* ---- new versions ---------------------------------------------------------------------------- */

/* The array that was copied and updated, or the atom itself. */
static CoreAtom version_of(Simplify *s, CoreAtom atom)
{
    enum { MOST_STEPS = 64 };
    for (int step = 0; step < MOST_STEPS && atom.name; step++) {
        const CoreStm *stm = simplify_fact(s, atom.name)->stm;
        if (!stm || (stm->exp->kind != CORE_EXP_UPDATE && stm->exp->kind != CORE_EXP_COPY)) {
            break;
        }
        atom = stm->exp->kind == CORE_EXP_COPY ? stm->exp->as.array : stm->exp->as.update.array;
    }
    return atom;
}

static bool is_other_result(const CoreBody *body, size_t k)
{
    for (size_t i = 0; i < body->result_count; i++) {
        if (i != k && core_atom_equal(body->results[i], body->results[k])) {
            return true;
        }
    }
    return false;
}

/* The body, in which result `piece` is what result `version` is, wherever the loop ends; NULL: it cannot be. */
static const CoreBody *with_versions(Simplify *s, const CoreBody *body, CoreAtom on, size_t piece,
                                     size_t version, CoreType type)
{
    if (!on.name) {
        CoreBody *copy = arena_copy(s->c->arena, body, sizeof *body);
        CoreAtom *results =
            arena_copy(s->c->arena, body->results, body->result_count * sizeof *results);
        CoreType other = core_map_type(s->c, core_atom_type(results[version]), simplify_now, s);
        results[piece] = results[version];
        copy->results = results;
        return on.as.integer ? body : core_same_type(type, other) ? copy : NULL;
    }
    const CoreStm *stm = deciding_if(body, on);
    size_t p = 0, v = 0;
    while (stm && p < stm->pattern_count && stm->pattern[p] != body->results[piece].name) {
        p++;
    }
    while (stm && v < stm->pattern_count && stm->pattern[v] != body->results[version].name) {
        v++;
    }
    if (!stm || p == stm->pattern_count || v == stm->pattern_count ||
        core_uses(body, stm->pattern[p]) || is_other_result(body, piece)) {
        return NULL;
    }
    const CoreBody *yes = with_versions(s, stm->exp->as.conditional.then_body,
                                        on_in(body, stm, true, on), p, v, type),
                   *no = with_versions(s, stm->exp->as.conditional.else_body,
                                       on_in(body, stm, false, on), p, v, type);
    if (!yes || !no) {
        return NULL;
    }
    CoreStm *changed = arena_copy(s->c->arena, stm, sizeof *stm);
    CoreExp *exp = core_exp_copy(s->c, stm->exp);
    const CoreStm **stms = arena_copy(s->c->arena, body->stms, body->stm_count * sizeof *stms);
    exp->as.conditional.then_body = yes;
    exp->as.conditional.else_body = no;
    changed->exp = exp;
    for (size_t i = 0; i < body->stm_count; i++) {
        stms[i] = stms[i] == stm ? changed : stms[i];
    }
    return core_with_stms(s->c, body, body->stm_count, stms);
}

/* What binds the names of the IFs that decide is known to those who come after. */
static void learn_versions(Simplify *s, const CoreBody *body, CoreAtom on)
{
    const CoreStm *stm = on.name ? deciding_if(body, on) : NULL;
    for (size_t k = 0; stm && k < stm->pattern_count; k++) {
        simplify_fact(s, stm->pattern[k])->stm = stm;
    }
    if (stm) {
        learn_versions(s, stm->exp->as.conditional.then_body, on_in(body, stm, true, on));
        learn_versions(s, stm->exp->as.conditional.else_body, on_in(body, stm, false, on));
    }
}

/* Result k is, where the loop ends, the next version of piece j, which nobody uses behind the loop. */
static bool is_version(Simplify *s, const Work *work, const Ends *ends, size_t k, size_t j)
{
    bool some = false;
    for (size_t i = 0; i < ends->items.count; i++) {
        CoreAtom now = ends->items.items[i][k], before = ends->items.items[i][j];
        if (!core_atom_equal(now, before)) {
            some = true;
            if (!core_atom_equal(version_of(s, now), before)) {
                return false;
            }
        }
    }
    return some && j != k && work->pattern[j]->type.rank > 0 &&
           !work->exp->as.loop.parameters[j]->type.unique &&
           !work->exp->as.loop.parameters[k]->type.unique &&
           simplify_fact(s, work->pattern[k])->used && !simplify_fact(s, work->pattern[j])->used;
}

static void take_versions(Simplify *s, Work *work, const Ends *ends, CoreAtom on)
{
    for (size_t k = 0; k < work->pattern_count; k++) {
        for (size_t j = 0; work->pattern[k]->type.rank > 0 && j < work->pattern_count; j++) {
            const CoreBody *body = work->exp->as.loop.body;
            CoreType type = core_map_type(s->c, work->pattern[j]->type, simplify_now, s);
            const CoreBody *changed =
                is_version(s, work, ends, k, j) ? with_versions(s, body, on, j, k, type) : NULL;
            if (changed) {
                CoreExp *exp = core_exp_copy(s->c, work->exp);
                exp->as.loop.body = changed;
                work->exp = exp;
                learn_versions(s, changed, on);
                simplify_fired(s, CORE_RULE_LEAVING_STATE);
                return; /* the next round finds them equal */
            }
        }
    }
}

void simplify_loop_ends(Simplify *s, Work *work)
{
    const CoreExp *loop = work->exp;
    if (loop->kind != CORE_EXP_LOOP || !loop->as.loop.condition || work->certificate_count > 0) {
        return;
    }
    const CoreBody *body = loop->as.loop.body;
    Ends ends = {.arena = s->arena, .width = body->result_count};
    CoreAtom on = core_bool(true);
    for (size_t i = 0; i < loop->as.loop.parameter_count; i++) {
        CoreAtom first = loop->as.loop.initial[i];
        if (loop->as.loop.parameters[i] == loop->as.loop.condition && !first.name &&
            first.as.integer) {
            on = body->results[i];
        }
    }
    if (!find_ends(&ends, body, on, body->results) || ends.items.count == 0) {
        return;
    }
    Search search = {s, work, &ends, ARENA_ARRAY(s->arena, Known, work->pattern_count)};
    for (size_t k = 0; k < work->pattern_count; k++) {
        find_equal(&search, k);
    }
    while (keep_extents(&search)) {
    }
    if (!replace_found(&search, work)) { /* else others are in use from now on */
        take_versions(s, work, &ends, on);
    }
}
