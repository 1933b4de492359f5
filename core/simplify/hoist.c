/* [L0 6] Common subexpressions and hoisting, in one walk over one order of dependencies.

       map n xs (\x -> { let (k : i64) = y + z        let (k : i64) = y + z
                         let (r : i64) = x + k   ==>  map n xs (\x -> { let (r : i64) = x + k
                         in (r) })                                      in (r) })

   A statement goes to the outermost scope that has its operands, as long as each scope that it
   leaves lets it go ([L0] 6.1.1):
   - what is total and cheap (scalar operators, views that are always defined) may leave loops and
     functions of SOACs, whether or not these run;
   - what could fail or costs more (elements, slices, whole SOACs, what a certificate guards) only
     leaves a body that surely runs, and where no assertion, effect or endless loop stands before
   it;
   - what is written in place stays, and so do effects; nothing leaves a branch of an if.
   Assertions: checks.c.

   A statement is equal to an earlier one in scope where its expression and operands are the same
   and it is guarded by no other certificates; neither may be written in place ([L0] 6.2). */
#include "core/simplify/simplify.h"

#include <stdint.h>

/* ---- common subexpressions ----------------------------------------------------------------------
 */

typedef struct CseEntry {
    const CoreStm *stm;
    uint64_t hash;
    struct CseEntry *next; /* in its bucket */
} CseEntry;

typedef struct Key { /* what an expression consists of, in a fixed order */
    uint64_t hash;
    VEC(CoreAtom) atoms;
    Arena *arena;
} Key;

static void mix(Key *key, uint64_t value)
{
    key->hash = (key->hash ^ value) * 0x9E3779B97F4A7C15u;
    key->hash ^= key->hash >> 29;
}

static void add_atom(void *context, CoreAtom atom)
{
    Key *key = context;
    vec_push(key->arena, &key->atoms, atom);
    if (atom.name) {
        mix(key, (uint64_t)(uintptr_t)atom.name);
    } else {
        mix(key, (uint64_t)atom.as.integer);
        mix(key, (uint64_t)atom.prim + 1);
    }
}

static void add_number(Key *key, int64_t value)
{
    add_atom(key, core_i64(value));
}

static bool is_comparable(CoreExpKind kind)
{
    switch ((int)kind) { /* no bodies, no effects, nothing written in place */
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_ASSERT:
    case CORE_EXP_CONJOIN:
    case CORE_EXP_INDEX:
    case CORE_EXP_LITERAL:
    case CORE_EXP_IOTA:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_SLICE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD: return true;
    }
    return false;
}

static Key key_of(Simplify *s, const CoreExp *exp)
{
    Key key = {.arena = s->c->arena, .hash = (uint64_t)exp->kind};
    if (exp->kind == CORE_EXP_ASSERT) { /* the message does not matter: the second cannot fail */
        add_atom(&key, exp->as.assertion.condition);
        return key;
    }
    core_each_operand(exp, add_atom, &key);
    add_number(&key, exp->space);
    switch ((int)exp->kind) { /* what is not an operand */
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY: add_number(&key, exp->as.scalar.op); break;
    case CORE_EXP_CONVERT: add_number(&key, exp->as.convert.to); break;
    case CORE_EXP_REARRANGE:
        for (int i = 0; i < core_atom_type(exp->as.rearrange.array).rank; i++) {
            add_number(&key, exp->as.rearrange.permutation[i]);
        }
        break;
    case CORE_EXP_ROTATE: add_number(&key, exp->as.rotate.axis); break;
    case CORE_EXP_REVERSE: add_number(&key, exp->as.reverse.axis); break;
    case CORE_EXP_CONCAT: add_number(&key, exp->as.concat.axis); break;
    case CORE_EXP_PAD: add_number(&key, exp->as.pad.axis); break;
    case CORE_EXP_SLICE:
        for (size_t i = 0; i < exp->as.slice.count; i++) {
            add_number(&key, exp->as.slice.slices[i].fixed);
        }
        break;
    }
    return key;
}

static bool same_key(Simplify *s, const Key *key, const CoreExp *exp, const CoreExp *other)
{
    Key found = {0};
    if (exp->kind != other->kind) {
        return false;
    }
    found = key_of(s, other);
    bool same = found.hash == key->hash && found.atoms.count == key->atoms.count;
    for (size_t i = 0; same && i < key->atoms.count; i++) {
        same = core_atom_equal(found.atoms.items[i], key->atoms.items[i]);
    }
    return same;
}

/* Every certificate of the earlier statement guards the later one too. */
static bool guarded_alike(const CoreStm *later, const CoreStm *earlier)
{
    for (size_t i = 0; i < later->certificate_count; i++) {
        bool found = false;
        for (size_t j = 0; j < earlier->certificate_count && !found; j++) {
            found = core_atom_equal(later->certificates[i], earlier->certificates[j]);
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

static CseEntry *find_equal(Simplify *s, const CoreStm *stm, const Key *key)
{
    if (s->cse_capacity == 0) {
        return NULL;
    }
    for (CseEntry *e = s->cse[key->hash & (s->cse_capacity - 1)]; e; e = e->next) {
        if (e->hash == key->hash && same_key(s, key, stm->exp, e->stm->exp) &&
            simplify_same_type(e->stm->pattern[0]->type, stm->pattern[0]->type) &&
            (stm->exp->kind == CORE_EXP_ASSERT || guarded_alike(stm, e->stm)) &&
            !simplify_consumed(s, core_use(e->stm->pattern[0]))) {
            return e;
        }
    }
    return NULL;
}

static void remember(Simplify *s, const CoreStm *stm, uint64_t hash, int depth)
{
    if (s->cse_count >= s->cse_capacity) {
        size_t capacity = s->cse_capacity ? 2 * s->cse_capacity : 256;
        CseEntry **table = ARENA_ARRAY(s->c->arena, CseEntry *, capacity);
        for (size_t i = 0; i < s->cse_capacity; i++) {
            for (CseEntry *e = s->cse[i], *next; e; e = next) {
                next = e->next;
                e->next = table[e->hash & (capacity - 1)];
                table[e->hash & (capacity - 1)] = e;
            }
        }
        s->cse = table;
        s->cse_capacity = capacity;
    }
    CseEntry *entry = ARENA_NEW(s->c->arena, CseEntry);
    CseEntry **bucket = &s->cse[hash & (s->cse_capacity - 1)];
    *entry = (CseEntry){stm, hash, *bucket};
    *bucket = entry;
    s->cse_count++;
    vec_push(s->c->arena, &s->scopes[depth]->entries, entry);
}

void simplify_forget_entries(Simplify *s, Scope *scope)
{
    for (size_t i = scope->entries.count; i-- > 0;) {
        CseEntry *entry = scope->entries.items[i];
        CseEntry **at = &s->cse[entry->hash & (s->cse_capacity - 1)];
        while (*at != entry) {
            at = &(*at)->next;
        }
        *at = entry->next;
        s->cse_count--;
    }
}

/* ---- where a statement may stand
 * ----------------------------------------------------------------- */

typedef struct Reach {
    Simplify *s;
    int depth;
} Reach;

static void reach_name(void *context, CoreName *name)
{
    Reach *reach = context;
    int depth = simplify_fact(reach->s, name)->depth;
    reach->depth = depth > reach->depth ? depth : reach->depth;
}

static void reach_atom(void *context, CoreAtom atom)
{
    if (atom.name) {
        reach_name(context, atom.name);
    }
}

/* The depth of the innermost scope that binds something the statement mentions. */
static int depth_needed(Simplify *s, const CoreStm *stm)
{
    Reach reach = {s, 1};
    if (simplify_has_bodies(stm->exp->kind)) {
        core_each_free(stm, reach_name, &reach);
        return reach.depth;
    }
    core_each_operand(stm->exp, reach_atom, &reach);
    for (size_t i = 0; i < stm->certificate_count; i++) {
        reach_atom(&reach, stm->certificates[i]);
    }
    for (size_t i = 0; i < stm->pattern_count; i++) {
        for (int d = 0; d < stm->pattern[i]->type.rank; d++) {
            CoreAtom size = stm->pattern[i]->type.sizes[d];
            if (size.name != stm->pattern[0]) {
                reach_atom(&reach, size);
            }
        }
    }
    return reach.depth;
}

bool simplify_is_total(Simplify *s, const CoreExp *exp, int depth)
{
    switch ((int)exp->kind) { /* the others cost, fail or do something */
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_CONJOIN:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_ROTATE: return true;
    case CORE_EXP_IOTA: return simplify_is_not_negative(s, exp->as.count, depth);
    case CORE_EXP_REPLICATE:
        for (size_t i = 0; i < exp->as.replicate.count; i++) {
            if (!simplify_is_not_negative(s, exp->as.replicate.sizes[i], depth)) {
                return false;
            }
        }
        return true;
    }
    return false;
}

static bool is_movable(Simplify *s, const CoreStm *stm)
{
    for (size_t i = 0; i < stm->pattern_count; i++) {
        if (simplify_consumed(s, core_use(stm->pattern[i]))) {
            return false;
        }
    }
    if (stm->exp->kind == CORE_EXP_SOAC) {
        for (size_t i = 0; i < stm->exp->as.soac.input_count; i++) {
            if (simplify_consumed(s, stm->exp->as.soac.inputs[i])) {
                return false;
            }
        }
        return true;
    }
    return is_comparable(stm->exp->kind) && stm->exp->kind != CORE_EXP_ASSERT;
}

/* Bodies nest deeply, and looking into each statement of each would be quadratic. */
enum { DEEPEST_LOOK = 16 };

static int outermost(Simplify *s, const CoreStm *stm)
{
    int depth = s->depth;
    if (!s->scopes[depth]->may_hoist || !is_movable(s, stm) ||
        (simplify_has_bodies(stm->exp->kind) &&
         (depth > DEEPEST_LOOK || !s->scopes[depth]->runs || s->scopes[depth]->barrier))) {
        return depth;
    }
    int needed = depth_needed(s, stm);
    while (depth > needed && s->scopes[depth]->may_hoist) {
        const Scope *scope = s->scopes[depth];
        bool total = stm->certificate_count == 0 && simplify_is_total(s, stm->exp, depth - 1);
        if (!total && (!scope->runs || scope->barrier)) {
            break;
        }
        depth--;
    }
    return depth;
}

/* ---- assertions
 * ------------------------------------------------------------------------------------ */

/* [L0 6.1]  for i < n do { assert c ... }  ==>  assert (n <= 0 | c) ... for i < n do { ... }
             c invariant, and nothing before it in the body that could fail. */
static void weaken(Simplify *s, Work *work, const Scope *scope)
{
    CoreExp *exp = simplify_exp(s->c, work->exp);
    CoreAtom unreached = scope->unreached_is_not
                             ? simplify_unary(s, work, "never", CORE_NOT, scope->unreached_left)
                             : simplify_binary(s, work, "never", CORE_LE, scope->unreached_left,
                                               scope->unreached_right);
    exp->as.assertion.condition =
        simplify_binary(s, work, "ok", CORE_OR, unreached, exp->as.assertion.condition);
    work->exp = exp;
}

static int hoist_assertion(Simplify *s, Work *work)
{
    Reach reach = {s, 1};
    int depth = s->depth;
    if (work->certificate_count > 0) {
        return depth;
    }
    core_each_operand(work->exp, reach_atom, &reach);
    while (depth > reach.depth && s->scopes[depth]->may_hoist && !s->scopes[depth]->barrier &&
           (s->scopes[depth]->runs || s->scopes[depth]->can_weaken)) {
        const Scope *scope = s->scopes[depth];
        if (!scope->runs) {
            int before = s->depth;
            Reach left = {s, 1};
            reach_atom(&left, scope->unreached_left);
            s->depth = depth - 1; /* what is added goes there */
            weaken(s, work, scope);
            s->depth = before;
            reach.depth = left.depth > reach.depth ? left.depth : reach.depth;
        }
        depth--;
        simplify_fired(s, CORE_RULE_ASSERT_HOIST);
    }
    return depth;
}

/* ---- emission
 * -------------------------------------------------------------------------------------- */

static CoreStm *finished(Simplify *s, const Work *work)
{
    CoreStm *stm = ARENA_NEW(s->c->arena, CoreStm);
    CoreName **pattern = ARENA_ARRAY(s->c->arena, CoreName *, work->pattern_count);
    for (size_t i = 0; i < work->pattern_count; i++) {
        pattern[i] = simplify_retyped(s, work->pattern[i]);
    }
    *stm = (CoreStm){.pattern_count = work->pattern_count,
                     .pattern = pattern,
                     .certificate_count = work->certificate_count,
                     .certificates = work->certificates,
                     .exp = work->exp,
                     .span = work->span};
    return stm;
}

static void join_classes(Simplify *s, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    CoreAtom of = core_i64(0);
    switch ((int)exp->kind) { /* views that rules make */
    case CORE_EXP_ATOM: of = exp->as.atom; break;
    case CORE_EXP_INDEX: of = exp->as.index.array; break;
    case CORE_EXP_REPLICATE: of = exp->as.replicate.value; break;
    case CORE_EXP_REARRANGE: of = exp->as.rearrange.array; break;
    case CORE_EXP_RESHAPE: of = exp->as.reshape.array; break;
    case CORE_EXP_ROTATE: of = exp->as.rotate.array; break;
    case CORE_EXP_REVERSE: of = exp->as.reverse.array; break;
    case CORE_EXP_SLICE: of = exp->as.slice.array; break;
    }
    if (of.name) {
        simplify_same_class(s, stm->pattern[0], of.name);
    }
}

static void place(Simplify *s, const CoreStm *stm, int depth)
{
    Scope *scope = s->scopes[depth];
    vec_push(s->c->arena, &scope->stms, stm);
    join_classes(s, stm);
    for (size_t i = 0; i < stm->pattern_count; i++) {
        Fact *fact = simplify_fact(s, stm->pattern[i]);
        if (depth < s->depth) { /* not its old body's any more */
            simplify_class(fact)->many_homes = true;
        }
        fact->stm = stm;
        fact->depth = depth;
        if (stm->certificate_count == 0 || s->lambdas == 0) {
            simplify_learn_sizes(s, stm->pattern[i]->type, depth);
        }
    }
    if (stm->pattern_count == 1 && stm->certificate_count == 0) {
        Fact *fact = simplify_fact(s, stm->pattern[0]);
        fact->linear = simplify_linear_exp(s, stm->exp);
    }
    bool moved = depth < s->depth; /* what holds of a function's results might only hold here */
    if (stm->certificate_count == 0 && (!moved || stm->exp->kind != CORE_EXP_SOAC)) {
        simplify_learn_elements(s, stm);
    }
    if (stm->exp->kind == CORE_EXP_ASSERT && s->lambdas == 0 && stm->certificate_count == 0) {
        /* on the host, where a failure ends the program at once */
        simplify_learn_condition(s, stm->exp->as.assertion.condition, true, depth);
    }
    if (stm->exp->kind == CORE_EXP_ASSERT || core_is_effect(stm->exp->kind)) {
        scope->barrier = true;
    }
}

void simplify_emit(Simplify *s, Work *work)
{
    int depth = s->depth;
    bool is_assertion = work->exp->kind == CORE_EXP_ASSERT;
    if (is_assertion) {
        depth = hoist_assertion(s, work);
    }
    const CoreStm *stm = finished(s, work);
    bool comparable = is_comparable(stm->exp->kind) && stm->pattern_count == 1 &&
                      !simplify_consumed(s, core_use(stm->pattern[0]));
    Key key = {0};
    if (comparable) {
        key = key_of(s, stm->exp);
        const CseEntry *equal = find_equal(s, stm, &key);
        if (equal) {
            simplify_replace(s, work->pattern[0], core_use(equal->stm->pattern[0]));
            simplify_replace(s, stm->pattern[0], core_use(equal->stm->pattern[0]));
            simplify_fired(s, CORE_RULE_CSE);
            return;
        }
    }
    if (!is_assertion) {
        depth = outermost(s, stm);
        if (depth < s->depth) {
            simplify_fired(s, CORE_RULE_HOIST);
        }
    }
    place(s, stm, depth);
    if (comparable) {
        remember(s, stm, key.hash, depth);
    }
}
