/* [L0 6.2] Common subexpressions. Two statements are equal where their expressions are, up to the
   names that their bodies bind, and the later one is guarded by no other certificates. Neither may
   be written in place.

       let (ys : [n]f64) = map n xs (\x -> { let (y : f64) = x * k in (y) })
       let (zs : [n]f64) = map n xs (\u -> { let (v : f64) = u * k in (v) })       ==>  zs is ys

   An expression is spelt as a list of atoms: its operands, numbers for all else, and for the names
   that it binds inside the numbers of their order. Equal lists are equal expressions. What is kept of
   a statement is a hash of what it is outside of its bodies, and of these at a glance: the kinds and
   constants of their first statements.
   Only where two have one hash are they spelt, and their spellings' hashes kept, too; where these are
   the same, the earlier expression is spelt again. Bodies that nest deeply are not spelt out: that
   would be quadratic. */
#include "core/simplify/simplify.h"

#include <stdint.h>

enum { DEEPEST_LOOK = 16 };

typedef struct CseEntry {
    const CoreStm *stm;
    uint64_t hash, spelt;  /* spelt: hash of the whole spelling; 0: it has not been wanted yet */
    struct CseEntry *next; /* in its bucket */
} CseEntry;

/* An expression as it is being spelt, or hashed. */
typedef struct CseKey {
    Simplify *s;
    uint64_t hash;
    Spelling *atoms; /* one of the simplifier's two: until the next expression is spelt there;
                        NULL: only the hash is wanted */
    size_t number;   /* of this spelling */
    int64_t bound_count;
    bool comparable;
} CseKey;

/* What an expression binds stands for its order, as a constant certificate, negative. A name is bound
   in one place only: in the spelling with that number. */
typedef struct SpeltName {
    size_t spelling;
    int64_t order;
} SpeltName;

/* ---- spelling -------------------------------------------------------------------------------- */

static CseKey begin_spelling(Simplify *s, int which)
{
    s->spellings[which].count = 0;
    return (CseKey){
        .s = s, .atoms = &s->spellings[which], .number = ++s->spelling_count, .comparable = true};
}

static void mix(CseKey *key, uint64_t value)
{
    key->hash = (key->hash ^ value) * 0x9E3779B97F4A7C15u;
    key->hash ^= key->hash >> 29;
}

static void add_atom(void *context, CoreAtom atom)
{
    CseKey *key = context;
    if (key->bound_count != 0 && atom.name) {
        const SpeltName *name = core_name_map_get(&key->s->spelt_names, atom.name);
        if (name && name->spelling == key->number) {
            atom = (CoreAtom){.prim = CORE_CERT, .as.integer = name->order};
        }
    }
    if (key->atoms) {
        vec_push(key->s->arena, key->atoms, atom);
    }
    if (atom.name) {
        mix(key, (uint64_t)(uintptr_t)atom.name);
    } else {
        mix(key, (uint64_t)atom.as.integer);
        mix(key, (uint64_t)atom.prim + 1);
    }
}

static void add_atoms(CseKey *key, size_t count, const CoreAtom *atoms)
{
    for (size_t i = 0; i < count; i++) {
        add_atom(key, atoms[i]);
    }
}

static void add_number(CseKey *key, int64_t value)
{
    add_atom(key, core_i64(value));
}

static void add_type(CseKey *key, CoreType type)
{
    add_number(key, type.prim);
    add_number(key, type.rank);
    add_number(key, type.unique);
    add_atoms(key, (size_t)type.rank, type.sizes);
}

static void add_binding(CseKey *key, CoreName *name)
{
    if (!key->atoms) {
        add_number(key, name->type.rank);
        return;
    }
    add_type(key, name->type);
    SpeltName *spelt = core_name_map_make(key->s->arena, &key->s->spelt_names, name, sizeof *spelt);
    *spelt = (SpeltName){key->number, --key->bound_count};
}

static void add_exp(CseKey *key, const CoreExp *exp);

/* Constants are the same in equal expressions; names may be bound by them. */
static void glance_at_atom(void *context, CoreAtom atom)
{
    CseKey *key = context;
    mix(key, atom.name ? 0 : (uint64_t)atom.as.integer);
}

static void glance_at(CseKey *key, const CoreBody *body)
{
    enum { MOST = 8 };
    for (size_t i = 0; i < body->stm_count && i < MOST; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        mix(key, (uint64_t)exp->kind);
        if (exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY) {
            mix(key, (uint64_t)exp->as.scalar.op);
        }
        core_each_operand(exp, glance_at_atom, key);
    }
}

static void add_body(CseKey *key, const CoreBody *body)
{
    add_number(key, (int64_t)body->stm_count);
    if (!key->atoms) {
        glance_at(key, body);
        return;
    }
    for (size_t i = 0; i < body->stm_count && key->comparable; i++) {
        const CoreStm *stm = body->stms[i];
        add_number(key, (int64_t)stm->certificate_count);
        add_atoms(key, stm->certificate_count, stm->certificates);
        add_exp(key, stm->exp);
        add_number(key, (int64_t)stm->pattern_count);
        for (size_t j = 0; j < stm->pattern_count; j++) {
            add_binding(key, stm->pattern[j]);
        }
    }
    add_number(key, (int64_t)body->result_count);
    add_atoms(key, body->result_count, body->results);
}

static void add_lambda(CseKey *key, const CoreLambda *lambda)
{
    add_number(key, (int64_t)lambda->parameter_count);
    for (size_t i = 0; i < lambda->parameter_count; i++) {
        add_binding(key, lambda->parameters[i]);
    }
    add_body(key, lambda->body);
}

static void add_reductions(CseKey *key, size_t count, const CoreReduction *reductions)
{
    add_number(key, (int64_t)count);
    for (size_t i = 0; i < count; i++) {
        add_number(key, reductions[i].commutative);
        add_lambda(key, reductions[i].function);
    }
}

static void add_slices(CseKey *key, size_t count, const CoreSlice *slices)
{
    for (size_t i = 0; i < count; i++) {
        add_number(key, slices[i].fixed);
    }
}

static void add_loop(CseKey *key, const CoreExp *exp)
{
    add_number(key, (int64_t)exp->as.loop.parameter_count);
    for (size_t i = 0; i < exp->as.loop.parameter_count; i++) {
        add_binding(key, exp->as.loop.parameters[i]);
    }
    add_number(key, exp->as.loop.index != NULL);
    if (exp->as.loop.index) {
        add_binding(key, exp->as.loop.index);
    } else if (key->atoms) {
        add_atom(key, core_use(exp->as.loop.condition));
    }
    add_body(key, exp->as.loop.body);
}

static void add_stream(CseKey *key, const CoreExp *exp)
{
    add_number(key, exp->as.stream.commutative);
    add_number(key, (int64_t)exp->as.stream.accumulator_count);
    add_lambda(key, exp->as.stream.fold);
    if (exp->as.stream.reduce) {
        add_lambda(key, exp->as.stream.reduce);
    }
}

/* What is not an operand. */
static void add_rest(CseKey *key, const CoreExp *exp)
{
    switch (exp->kind) {
    case CORE_EXP_ATOM:
    case CORE_EXP_CONJOIN:
    case CORE_EXP_IOTA:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_SCATTER:
    case CORE_EXP_ORDER:
    case CORE_EXP_DIGIT_SORT: return;
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY: add_number(key, exp->as.scalar.op); return;
    case CORE_EXP_CONVERT: add_number(key, exp->as.convert.to); return;
    case CORE_EXP_ASSERT:
        add_number(key, exp->as.assertion.error);
        add_number(key, (int64_t)(intptr_t)exp->as.assertion.message);
        return;
    case CORE_EXP_INDEX: add_number(key, (int64_t)exp->as.index.count); return;
    case CORE_EXP_LITERAL: add_number(key, (int64_t)exp->as.items.count); return;
    case CORE_EXP_UPDATE: add_slices(key, exp->as.update.count, exp->as.update.slices); return;
    case CORE_EXP_REARRANGE:
        for (int i = 0; i < core_atom_type(exp->as.rearrange.array).rank; i++) {
            add_number(key, exp->as.rearrange.permutation[i]);
        }
        return;
    case CORE_EXP_ROTATE: add_number(key, exp->as.rotate.axis); return;
    case CORE_EXP_REVERSE: add_number(key, exp->as.reverse.axis); return;
    case CORE_EXP_CONCAT: add_number(key, exp->as.concat.axis); return;
    case CORE_EXP_PAD: add_number(key, exp->as.pad.axis); return;
    case CORE_EXP_SLICE: add_slices(key, exp->as.slice.count, exp->as.slice.slices); return;
    case CORE_EXP_IF:
        add_body(key, exp->as.conditional.then_body);
        add_body(key, exp->as.conditional.else_body);
        return;
    case CORE_EXP_LOOP: add_loop(key, exp); return;
    case CORE_EXP_SOAC:
        add_lambda(key, exp->as.soac.map);
        add_reductions(key, exp->as.soac.reduction_count, exp->as.soac.reductions);
        add_reductions(key, exp->as.soac.scan_count, exp->as.soac.scans);
        return;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: add_lambda(key, exp->as.filter.predicate); return;
    case CORE_EXP_HIST: add_lambda(key, exp->as.scatter.op); return;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: add_stream(key, exp); return;
    case CORE_EXP_COPY:
    case CORE_EXP_SCRATCH:
    case CORE_EXP_APPLY:
    case CORE_EXP_PRINT:
    case CORE_EXP_PRINT_COMPLEX:
    case CORE_EXP_READ:
    case CORE_EXP_ARGUMENT:
    case CORE_EXP_NOW:
    case CORE_EXP_DRAWS:
    case CORE_EXP_SEED:
    case CORE_EXP_SEED_NOW:
    case CORE_EXP_PRECISION:
    case CORE_EXP_PRECISION_NOW:
    case CORE_EXP_DEVICE:
    case CORE_EXP_BENCH:
    case CORE_EXP_FORMAT: key->comparable = exp->kind == CORE_EXP_COPY; return;
    }
}

static void add_exp(CseKey *key, const CoreExp *exp)
{
    add_number(key, exp->kind);
    add_number(key, exp->space);
    add_number(key, exp->level);
    core_each_operand(exp, add_atom, key);
    add_rest(key, exp);
}

bool simplify_is_comparable(CoreExpKind kind)
{
    switch ((int)kind) { /* no effects, nothing written in place */
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
    case CORE_EXP_PAD:
    case CORE_EXP_IF:
    case CORE_EXP_LOOP:
    case CORE_EXP_SOAC:
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER:
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: return true;
    }
    return false;
}

static bool same_spelling(const CseKey *a, const CseKey *b)
{
    bool same =
        a->comparable && b->comparable && a->hash == b->hash && a->atoms->count == b->atoms->count;
    for (size_t i = 0; same && i < a->atoms->count; i++) {
        same = core_atom_equal(a->atoms->items[i], b->atoms->items[i]);
    }
    return same;
}

/* The bodies of an if, spelt, so that equal ones can be found. */
bool simplify_equal_bodies(Simplify *s, const CoreBody *a, const CoreBody *b)
{
    CseKey x = begin_spelling(s, 0), y = begin_spelling(s, 1);
    if (a->stm_count != b->stm_count || a->result_count != b->result_count ||
        s->depth > DEEPEST_LOOK) {
        return false;
    }
    add_body(&x, a);
    add_body(&y, b);
    return same_spelling(&x, &y);
}

static void add_stm(CseKey *key, const CoreStm *stm)
{
    if (stm->exp->kind == CORE_EXP_ASSERT) { /* whatever it says: the second cannot fail */
        add_number(key, stm->exp->kind);
        add_atom(key, stm->exp->as.assertion.condition);
        return;
    }
    add_exp(key, stm->exp);
    for (size_t i = 0; i < stm->pattern_count; i++) { /* a size may be one of the results */
        if (stm->pattern_count > 1) {
            add_binding(key, stm->pattern[i]);
        } else {
            add_type(key, stm->pattern[i]->type);
        }
    }
}

static CseKey spell(Simplify *s, const CoreStm *stm, int which)
{
    CseKey key = begin_spelling(s, which);
    add_stm(&key, stm);
    return key;
}

uint64_t simplify_hash(Simplify *s, const CoreStm *stm)
{
    bool bodies = core_has_bodies(stm->exp->kind);
    if (!simplify_is_comparable(stm->exp->kind) || (bodies && s->depth > DEEPEST_LOOK)) {
        return 0;
    }
    for (size_t i = 0; i < stm->pattern_count; i++) {
        if (simplify_consumed(s, core_use(stm->pattern[i]))) {
            return 0;
        }
    }
    CseKey key = {.s = s, .comparable = true};
    add_stm(&key, stm);
    return !key.comparable ? 0 : key.hash ? key.hash : 1;
}

/* ---- the table ------------------------------------------------------------------------------- */

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

static bool is_consumed(Simplify *s, const CoreStm *stm)
{
    for (size_t i = 0; i < stm->pattern_count; i++) {
        if (simplify_consumed(s, core_use(stm->pattern[i]))) {
            return true;
        }
    }
    return false;
}

const CoreStm *simplify_find_equal(Simplify *s, const CoreStm *stm, uint64_t hash)
{
    if (hash == 0 || s->cse_capacity == 0) {
        return NULL;
    }
    CseKey later = {.s = s};
    for (CseEntry *e = s->cse[hash & (s->cse_capacity - 1)]; e; e = e->next) {
        if (e->hash != hash || e->stm->pattern_count != stm->pattern_count) {
            continue;
        }
        later = later.atoms ? later : spell(s, stm, 0);
        if ((e->spelt != 0 && e->spelt != later.hash) ||
            (stm->exp->kind != CORE_EXP_ASSERT && !guarded_alike(stm, e->stm)) ||
            is_consumed(s, e->stm)) {
            continue;
        }
        CseKey earlier = spell(s, e->stm, 1);
        e->spelt = earlier.hash;
        if (same_spelling(&later, &earlier)) {
            return e->stm;
        }
    }
    return NULL;
}

void simplify_remember(Simplify *s, const CoreStm *stm, uint64_t hash, int depth)
{
    if (hash == 0) {
        return;
    }
    if (s->cse_count >= s->cse_capacity) {
        size_t capacity = s->cse_capacity ? 2 * s->cse_capacity : 256;
        CseEntry **table = ARENA_ARRAY(s->arena, CseEntry *, capacity);
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
    CseEntry *entry = ARENA_NEW(s->arena, CseEntry);
    CseEntry **bucket = &s->cse[hash & (s->cse_capacity - 1)];
    *entry = (CseEntry){.stm = stm, .hash = hash, .next = *bucket};
    *bucket = entry;
    s->cse_count++;
    vec_push(s->arena, &s->scopes[depth]->entries, entry);
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
