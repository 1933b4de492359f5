/* Expressions of a kernel as polynomials over atoms, and its conditions as facts.

       i = g / n;  j = g % n;  if (4 * j + 4 <= n) { b[i * n + 4 * j + 1] }

   has the atoms g, n, q = g / n and r = g % n; the index is n*q + 4*r + 1, and there it is known
   that g = n*q + r, 0 <= r < n and 4*r + 4 <= n. A variable means what it is declared as, unless it
   is assigned again; of the host's only products are taken apart, so that a width n + 1 stays one
   atom, of which it is known that it is n + 1. What data say is an atom of which nothing is known.

   Two things are taken for granted, as the compilers of the printed program take them: index
   arithmetic does not wrap, since it counts elements of arrays in memory, and a division that is
   marked as natural has operands as the mark says. */
#include "backend/race/prove.h"

enum { MOST_DEPTH = 60 };

/* ---- operators ------------------------------------------------------------------------------- */

// m = min(x, y):    m <= x,  m <= y        m = max(x, y):    m >= x,  m >= y
static RacePolynomial least_or_most(RaceProof *proof, RaceAtomKind kind, const RacePolynomial *x,
                                    const RacePolynomial *y)
{
    int64_t a, b;
    if (race_is_number(x, &a) && race_is_number(y, &b)) {
        return race_number((a < b) == (kind == RACE_LEAST) ? a : b);
    }
    RaceAtomKind of = proof->atoms.items[race_only_atom(x)].kind;
    bool extreme = of == RACE_LEAST || of == RACE_MOST;
    if (kind == RACE_MOST && extreme && race_is_number(y, &b) && race_is_at_least(proof, x, b)) {
        return race_copy(x);
    }
    RaceAtomNumber number = race_atom_of(proof, kind, x, y);
    RacePolynomial m = race_alone(number);
    if (!proof->atoms.items[number].facts) {
        bool most = kind == RACE_MOST;
        const RaceFact *facts =
            race_ordered(proof, most ? &m : x, most ? x : &m, 0,
                         race_ordered(proof, most ? &m : y, most ? y : &m, 0, NULL));
        proof->atoms.items[number].facts = facts;
    }
    if (kind == RACE_LEAST && race_is_at_least(proof, x, 0) && race_is_at_least(proof, y, 0)) {
        RacePolynomial zero = race_number(0);
        proof->path = race_ordered(proof, &m, &zero, 0, proof->path);
    }
    return m;
}

// -x,    abs(x) = max(x, -x) >= 0
static RacePolynomial unary(RaceProof *proof, const KernelExp *exp)
{
    RacePolynomial x, minus, zero = race_number(0);
    CoreOperator op = exp->as.scalar.op;
    if (op != CORE_NEG && op != CORE_ABS) {
        return race_anything(proof);
    }
    x = race_integer(proof, exp->as.scalar.x);
    if (!race_add(&minus, &zero, -1, &x)) {
        return race_anything(proof);
    }
    if (op == CORE_NEG) {
        return minus;
    }
    RacePolynomial most = least_or_most(proof, RACE_MOST, &x, &minus);
    proof->path = race_ordered(proof, &most, &zero, 0, proof->path);
    return most;
}

static RacePolynomial binary(RaceProof *proof, const KernelExp *exp)
{
    RacePolynomial x = race_integer(proof, exp->as.scalar.x),
                   y = race_integer(proof, exp->as.scalar.y), r;
    switch ((int)exp->as.scalar.op) { /* those of indices */
    case CORE_ADD: return race_add(&r, &x, 1, &y) ? r : race_anything(proof);
    case CORE_SUB:
        return race_add(&r, &x, -1, &y) ? race_rest_of_quotient(proof, r) : race_anything(proof);
    case CORE_MUL: return race_multiply(&r, &x, &y) ? r : race_anything(proof);
    case CORE_MIN: return least_or_most(proof, RACE_LEAST, &x, &y);
    case CORE_MAX: return least_or_most(proof, RACE_MOST, &x, &y);
    case CORE_AND:
    case CORE_SHL:
    case CORE_SHR:
    case CORE_SAR: return race_bits(proof, exp->as.scalar.op, &x, &y);
    case CORE_DIV:
    case CORE_MOD:
        if (exp->natural) {
            RacePolynomial zero = race_number(0);
            proof->path = race_ordered(proof, &x, &zero, 0, proof->path);
            proof->path = race_ordered(proof, &y, &zero, 1, proof->path);
        }
        return race_quotient_or_rest(
            proof, exp->as.scalar.op == CORE_DIV ? RACE_QUOTIENT : RACE_REST, x, y);
    }
    return race_anything(proof);
}

typedef enum Known { UNKNOWN, IS_TRUE, IS_FALSE } Known;

static Known said(const RaceFact *facts, const RaceCondition *condition)
{
    for (; facts; facts = facts->next) {
        if (facts->condition == condition) {
            return facts->kind == RACE_HOLDS ? IS_TRUE : IS_FALSE;
        }
    }
    return UNKNOWN;
}

/* What the path and the host say of it, or what follows. */
static Known known(RaceProof *proof, const RaceCondition *condition)
{
    Known known = said(proof->path, condition);
    known = known == UNKNOWN ? said(proof->host, condition) : known;
    bool proven = known == UNKNOWN && condition->exact;
    for (const RaceFact *fact = condition->yes; fact && proven; fact = fact->next) {
        proven = fact->kind != RACE_NOT_NEGATIVE || race_is_at_least(proof, fact->p, 0);
    }
    return proven ? IS_TRUE : known;
}

/* Of what is computed from two: more have different values of it. */
static RaceScope wider(RaceScope x, RaceScope y)
{
    return x > y ? x : y;
}

// 0 <= x - c < n,  0 <= c <= n    where c is the same for all
static bool is_turned_by(RaceProof *proof, const RacePolynomial *x, const RacePolynomial *n,
                         const RacePolynomial *c)
{
    RacePolynomial inner, rest, left, zero = race_number(0);
    if (race_scope_of(proof, c) != RACE_ALL || !race_add(&inner, x, -1, c) ||
        !race_add(&rest, n, -1, &inner) || !race_add(&left, n, -1, c) ||
        !race_is_at_least(proof, &inner, 0) || !race_is_at_least(proof, &rest, 1)) {
        return false;
    }
    proof->path = race_ordered(proof, n, &zero, 1, proof->path); /* then there is one */
    race_bound_rests(proof, c);
    return race_is_at_least(proof, c, 0) && race_is_at_least(proof, &left, 0);
}

/* Some part of x that is such a c, one term or all that is the same for all: how far it is turned. */
static bool find_turn(RaceProof *proof, const RacePolynomial *x, const RacePolynomial *n,
                      RacePolynomial *c)
{
    RacePolynomial all = {.count = 0};
    race_bound_rests(proof, x);
    for (unsigned i = 0; i < x->count; i++) {
        *c = race_term(x->terms[i]);
        if (is_turned_by(proof, x, n, c)) {
            return true;
        }
        if (race_scope_of(proof, c) == RACE_ALL && !race_add(&all, &all, 1, c)) {
            return false;
        }
    }
    *c = all;
    return is_turned_by(proof, x, n, c);
}

// x >= n ? x - n : x,  0 <= i < n and 0 <= c <= n for x = i + c    is in 0 .. n - 1, and of one i
static bool turned(RaceProof *proof, const KernelExp *exp, RacePolynomial *value)
{
    const KernelExp *wraps = exp->as.select.condition;
    if (wraps->kind != KERNEL_BINARY || wraps->as.scalar.op != CORE_GE ||
        wraps->as.scalar.x->prim != CORE_I64) {
        return false;
    }
    RacePolynomial x = race_integer(proof, wraps->as.scalar.x),
                   n = race_integer(proof, wraps->as.scalar.y),
                   behind = race_integer(proof, exp->as.select.x),
                   before = race_integer(proof, exp->as.select.y), less, by, zero = race_number(0);
    n = race_resolved(proof, n, proof->path);
    behind = race_resolved(proof, behind, proof->path);
    if (!race_is_same(&before, &x) || !race_add(&less, &x, -1, &n) ||
        !race_is_same(&behind, &less) || race_scope_of(proof, &n) != RACE_ALL ||
        !find_turn(proof, &x, &n, &by)) {
        return false;
    }
    RaceAtomNumber atom = race_atom_of(proof, RACE_TURNED, &x, &n);
    const RacePolynomial *old = proof->atoms.items[atom].by;
    if (old && !race_is_same(old, &by)) {
        return false;
    }
    proof->atoms.items[atom].by = race_keep(proof, by);
    *value = race_alone(atom);
    proof->path = race_ordered(proof, value, &zero, 0, proof->path);
    proof->path = race_ordered(proof, &n, value, 1, proof->path);
    return true;
}

// c ? x : y    is one atom, which is x where c is known to be true, and y where it is false
static RacePolynomial choice(RaceProof *proof, const KernelExp *exp)
{
    RacePolynomial place;
    if (turned(proof, exp, &place)) {
        return place;
    }
    const RaceFact *path = proof->path;
    const RaceCondition *condition = race_condition(proof, exp->as.select.condition);
    Known is = known(proof, condition);
    if (is != UNKNOWN) {
        return race_integer(proof, is == IS_TRUE ? exp->as.select.x : exp->as.select.y);
    }
    proof->path = race_join(proof, condition->yes, path);
    RacePolynomial x = race_integer(proof, exp->as.select.x);
    proof->path = race_join(proof, condition->no, path);
    RacePolynomial y = race_integer(proof, exp->as.select.y);
    proof->path = path;
    RaceScope scope =
        wider(condition->scope, wider(race_scope_of(proof, &x), race_scope_of(proof, &y)));
    return race_alone(race_new_atom(proof, (RaceAtom){.kind = RACE_CHOICE,
                                                      .scope = scope,
                                                      .x = race_keep(proof, x),
                                                      .y = race_keep(proof, y),
                                                      .condition = condition}));
}

// i64(c)    is 0 or 1
static RacePolynomial truth(RaceProof *proof, const KernelExp *exp)
{
    RaceAtom atom = {.kind = RACE_TRUTH, .natural = true};
    atom.x = race_keep(proof, race_number(1));
    atom.y = race_keep(proof, race_number(0));
    atom.condition = race_condition(proof, exp);
    atom.scope = atom.condition->scope;
    RaceAtomNumber number = race_new_atom(proof, atom);
    RacePolynomial p = race_alone(number), one = race_number(1);
    const RaceFact *facts = race_ordered(proof, &one, &p, 0, NULL);
    proof->atoms.items[number].facts = facts;
    return p;
}

/* ---- variables ------------------------------------------------------------------------------- */

RaceMeaning *race_meaning(const RaceProof *proof, const KernelVariable *variable)
{
    RaceMeaning *meaning = &proof->race->meanings[variable->number];
    if (meaning->proof != proof->race->last_proof) {
        *meaning = (RaceMeaning){.proof = proof->race->last_proof};
    }
    return meaning;
}

static bool is_host_definition(const RaceProof *proof, const KernelVariable *variable)
{
    const RaceDefinition *definition = &proof->race->definitions[variable->number];
    return definition->value && definition->declarations == 1 && !definition->assigned &&
           proof->depth < MOST_DEPTH;
}

typedef struct Outside {
    const RaceFact *path;
    bool on_host;
    unsigned time;
} Outside;

/* The host has computed it before the kernel begins: what that rests on holds in all of it. */
static Outside enter_host(RaceProof *proof, const KernelVariable *variable)
{
    Outside outside = {proof->path, proof->on_host, proof->time};
    proof->path = proof->on_host ? proof->path : proof->host;
    proof->on_host = true;
    proof->time = proof->race->definitions[variable->number].time;
    proof->depth++;
    return outside;
}

static void leave_host(RaceProof *proof, Outside outside)
{
    if (!outside.on_host) {
        proof->host = proof->path;
        proof->path = outside.path;
    }
    proof->on_host = outside.on_host;
    proof->time = outside.time;
    proof->depth--;
}

/* Of a sum of numbers and of ones for what is true: how large it can be. */
static bool most_of_truths(const RaceProof *proof, const RacePolynomial *p, RacePolynomial *most)
{
    for (unsigned i = 0; i < p->count; i++) {
        const RaceTerm *term = &p->terms[i];
        bool truth = proof->atoms.items[term->atoms[0]].kind == RACE_TRUTH && term->factor > 0 &&
                     term->atoms[1] == 0;
        RacePolynomial one = race_number(term->factor);
        if ((term->atoms[0] != 0 && !truth) || !race_add(most, most, 1, &one)) {
            return false;
        }
    }
    return true;
}

static RacePolynomial host_integer(RaceProof *proof, const KernelVariable *variable)
{
    const RaceDefinition *of = &proof->race->definitions[variable->number];
    bool natural = of->is_extent && !of->assigned;
    RacePolynomial value = race_alone(race_new_atom(
        proof, (RaceAtom){.kind = RACE_PLAIN, .natural = natural, .scope = RACE_ALL}));
    if (is_host_definition(proof, variable)) {
        Outside outside = enter_host(proof, variable);
        RacePolynomial is = race_integer(proof, proof->race->definitions[variable->number].value);
        is = race_resolved(proof, is, proof->path);
        RaceAtomNumber only = race_only_atom(&is);
        if (only != 0 && proof->atoms.items[only].kind == RACE_TRUTH) {
            vec_push(proof->race->c->arena, &proof->bools, (KernelVariable *)(uintptr_t)variable);
        }
        leave_host(proof, outside);
        if (is.count <= 1) {
            value = is;
        } else {
            const RaceFact *facts = race_ordered(proof, &is, &value, 0, NULL);
            RacePolynomial most = race_number(0);
            if (most_of_truths(proof, &is, &most)) {
                facts = race_ordered(proof, &most, &value, 0, facts);
            }
            proof->atoms.items[race_only_atom(&value)].facts =
                race_ordered(proof, &value, &is, 0, facts);
        }
    }
    race_meaning(proof, variable)->value = race_keep(proof, value);
    return value;
}

static const RacePolynomial *chosen(const RaceAtom *atom, const RaceFact *facts);

/* A choice of the host's, by what holds in all of the kernel: the same wherever it is used. */
static RacePolynomial as_chosen(const RaceProof *proof, const RacePolynomial *value)
{
    RaceAtomNumber only = race_only_atom(value);
    const RaceAtom *atom = &proof->atoms.items[only];
    const RacePolynomial *is =
        only != 0 && atom->kind == RACE_CHOICE ? chosen(atom, proof->host) : NULL;
    return race_copy(is ? is : value);
}

static RacePolynomial variable_integer(RaceProof *proof, const KernelVariable *variable)
{
    RaceMeaning *meaning = race_meaning(proof, variable);
    bool as_it_was = proof->on_host && !meaning->is_inside &&
                     proof->race->definitions[variable->number].assigned &&
                     !race_is_unchanged(proof->race, variable, proof->time, proof->kernel);
    if (meaning->value && !as_it_was) {
        return as_chosen(proof, meaning->value);
    }
    if (!meaning->is_inside && !as_it_was) {
        return host_integer(proof, variable);
    }
    RacePolynomial value = race_alone(race_plain_atom(proof, as_it_was ? RACE_ALL : RACE_OF_ITEM));
    if (!as_it_was) {
        meaning->value = race_keep(proof, value);
    }
    return value;
}

/* A word that the kernel does not write is the same to all. */
static RacePolynomial word_integer(RaceProof *proof, const KernelVariable *word)
{
    RaceMeaning *meaning = race_meaning(proof, word);
    if (proof->trial->written[proof->trial->representative[word->number]]) {
        return race_anything(proof);
    }
    if (!meaning->value) {
        meaning->value = race_keep(proof, race_alone(race_plain_atom(proof, RACE_ALL)));
    }
    return race_copy(meaning->value);
}

/* So is an element that all ask for, of memory that the kernel does not write: whenever it is loaded, it is one. */
static RacePolynomial loaded_integer(RaceProof *proof, const KernelExp *exp)
{
    const KernelVariable *buffer = exp->as.load.buffer;
    RaceAtomNumber ticket = race_meaning(proof, buffer)->ticket;
    if (buffer->is_word) {
        return word_integer(proof, buffer);
    }
    if (ticket != 0) {
        return race_alone(ticket);
    }
    unsigned memory = proof->trial->representative[buffer->number];
    if (proof->on_host || buffer->space != KERNEL_GLOBAL || proof->trial->written[memory]) {
        return race_anything(proof);
    }
    RacePolynomial index = race_integer(proof, exp->as.load.index), number = race_number(memory);
    return race_scope_of(proof, &index) == RACE_ALL
               ? race_alone(race_atom_of(proof, RACE_LOADED, &index, &number))
               : race_anything(proof);
}

RacePolynomial race_integer(RaceProof *proof, const KernelExp *exp)
{
    if (exp->prim != CORE_I64) {
        return race_anything(proof);
    }
    switch (exp->kind) {
    case KERNEL_CONSTANT: return race_number(exp->as.constant.as.integer);
    case KERNEL_VARIABLE: return variable_integer(proof, exp->as.variable);
    case KERNEL_UNARY: return unary(proof, exp);
    case KERNEL_BINARY: return binary(proof, exp);
    case KERNEL_CONVERT:
        return exp->as.convert->prim == CORE_BOOL  ? truth(proof, exp->as.convert)
               : exp->as.convert->prim == CORE_I64 ? race_integer(proof, exp->as.convert)
                                                   : race_anything(proof);
    case KERNEL_SELECT: return choice(proof, exp);
    case KERNEL_LOAD: return loaded_integer(proof, exp);
    }
    return race_anything(proof);
}

/* ---- conditions ------------------------------------------------------------------------------ */

static RaceCondition *make_condition(RaceProof *proof, RaceScope scope, const RaceFact *yes,
                                     const RaceFact *no)
{
    RaceCondition *condition = ARENA_NEW(proof->arena, RaceCondition);
    condition->scope = scope;
    condition->yes =
        race_add_fact(proof, (RaceFact){.kind = RACE_HOLDS, .condition = condition}, yes);
    condition->no =
        race_add_fact(proof, (RaceFact){.kind = RACE_FAILS, .condition = condition}, no);
    return condition;
}

/* x + least <= y */
static const RaceCondition *order(RaceProof *proof, const RacePolynomial *x,
                                  const RacePolynomial *y, int64_t least)
{
    RaceScope scope = wider(race_scope_of(proof, x), race_scope_of(proof, y));
    RaceCondition *condition = make_condition(proof, scope, race_ordered(proof, y, x, least, NULL),
                                              race_ordered(proof, x, y, 1 - least, NULL));
    condition->exact = true;
    return condition;
}

/* Of which nothing is known. */
static const RaceCondition *any_condition(RaceProof *proof)
{
    return make_condition(proof, race_scope(proof), NULL, NULL);
}

static const RaceCondition *comparison(RaceProof *proof, const KernelExp *exp)
{
    if (exp->as.scalar.prim != CORE_I64) {
        return any_condition(proof);
    }
    RacePolynomial x = race_integer(proof, exp->as.scalar.x),
                   y = race_integer(proof, exp->as.scalar.y);
    RaceAtomNumber only = race_only_atom(&x);
    const RaceCondition *truth = proof->atoms.items[only].condition;
    bool is_truth = only != 0 && proof->atoms.items[only].kind == RACE_TRUTH &&
                    race_is_same(&y, proof->atoms.items[only].y);
    RaceScope scope = wider(race_scope_of(proof, &x), race_scope_of(proof, &y));
    const RaceFact *equal = race_ordered(proof, &x, &y, 0, race_ordered(proof, &y, &x, 0, NULL));
    switch ((int)exp->as.scalar.op) {
    case CORE_EQ:
        return is_truth ? make_condition(proof, scope, truth->no, truth->yes)
                        : make_condition(proof, scope, equal, NULL);
    case CORE_NE: return is_truth ? truth : make_condition(proof, scope, NULL, equal);
    case CORE_LT: return order(proof, &x, &y, 1);
    case CORE_LE: return order(proof, &x, &y, 0);
    case CORE_GT: return order(proof, &y, &x, 1);
    case CORE_GE: return order(proof, &y, &x, 0);
    }
    return any_condition(proof);
}

// both of x & y where it is true; neither of x | y where it is false
static const RaceCondition *junction(RaceProof *proof, const KernelExp *exp)
{
    const RaceCondition *x = race_condition(proof, exp->as.scalar.x),
                        *y = race_condition(proof, exp->as.scalar.y);
    RaceScope scope = wider(x->scope, y->scope);
    return exp->as.scalar.op == CORE_AND
               ? make_condition(proof, scope, race_join(proof, x->yes, y->yes), NULL)
               : make_condition(proof, scope, NULL, race_join(proof, x->no, y->no));
}

static bool is_bool(const KernelExp *exp, bool value)
{
    return exp->kind == KERNEL_CONSTANT && exp->prim == CORE_BOOL &&
           (exp->as.constant.as.integer != 0) == value;
}

// c ? x : false  =  c & x,    c ? true : y  =  c | y,    c ? x : true,    c ? false : y
static const RaceCondition *chosen_condition(RaceProof *proof, const KernelExp *exp)
{
    const RaceFact *path = proof->path;
    const RaceCondition *c = race_condition(proof, exp->as.select.condition);
    Known is = known(proof, c);
    if (is != UNKNOWN) {
        return race_condition(proof, is == IS_TRUE ? exp->as.select.x : exp->as.select.y);
    }
    proof->path = race_join(proof, c->yes, path);
    const RaceCondition *x = race_condition(proof, exp->as.select.x);
    proof->path = race_join(proof, c->no, path);
    const RaceCondition *y = race_condition(proof, exp->as.select.y);
    proof->path = path;
    const RaceFact *yes = is_bool(exp->as.select.y, false)   ? race_join(proof, c->yes, x->yes)
                          : is_bool(exp->as.select.x, false) ? race_join(proof, c->no, y->yes)
                                                             : NULL;
    const RaceFact *no = is_bool(exp->as.select.y, true)   ? race_join(proof, c->yes, x->no)
                         : is_bool(exp->as.select.x, true) ? race_join(proof, c->no, y->no)
                                                           : NULL;
    return make_condition(proof, wider(c->scope, wider(x->scope, y->scope)), yes, no);
}

static const RaceCondition *variable_condition(RaceProof *proof, const KernelVariable *variable)
{
    RaceMeaning *meaning = race_meaning(proof, variable);
    if (meaning->condition) {
        return meaning->condition;
    }
    const RaceCondition *condition = NULL;
    if (!meaning->is_inside && is_host_definition(proof, variable)) {
        Outside outside = enter_host(proof, variable);
        condition = race_condition(proof, proof->race->definitions[variable->number].value);
        leave_host(proof, outside);
        meaning->condition = condition;
    }
    RaceScope scope = meaning->is_inside ? RACE_OF_ITEM : RACE_ALL;
    return condition ? condition : make_condition(proof, scope, NULL, NULL);
}

const RaceCondition *race_condition(RaceProof *proof, const KernelExp *exp)
{
    switch (exp->kind) {
    case KERNEL_VARIABLE: return variable_condition(proof, exp->as.variable);
    case KERNEL_UNARY:
        if (exp->as.scalar.op == CORE_NOT && exp->prim == CORE_BOOL) {
            const RaceCondition *x = race_condition(proof, exp->as.scalar.x);
            return make_condition(proof, x->scope, x->no, x->yes);
        }
        break;
    case KERNEL_BINARY:
        if (exp->as.scalar.prim == CORE_BOOL &&
            (exp->as.scalar.op == CORE_AND || exp->as.scalar.op == CORE_OR)) {
            return junction(proof, exp);
        }
        return comparison(proof, exp);
    case KERNEL_SELECT: return chosen_condition(proof, exp);
    case KERNEL_LOAD: {
        unsigned arrival = race_meaning(proof, exp->as.load.buffer)->last;
        arrival = arrival > proof->stale ? arrival : 0;
        RaceFact is_last = {.kind = RACE_IS_LAST, .arrival = arrival};
        const RaceFact *yes = arrival != 0 ? race_add_fact(proof, is_last, NULL) : NULL;
        return make_condition(proof, race_scope(proof), yes, NULL);
    }
    case KERNEL_CONVERT:
    case KERNEL_CONSTANT: break;
    }
    return any_condition(proof);
}

/* ---- choices --------------------------------------------------------------------------------- */

static const RacePolynomial *chosen(const RaceAtom *atom, const RaceFact *facts)
{
    for (; facts && (atom->kind == RACE_CHOICE || atom->kind == RACE_TRUTH); facts = facts->next) {
        if (facts->condition == atom->condition) {
            return facts->kind == RACE_HOLDS ? atom->x : atom->y;
        }
    }
    return NULL;
}

/* For facts that have the one or the other. */
static void make_equal(RaceProof *proof, const RacePolynomial *x, const RacePolynomial *y)
{
    proof->path = race_ordered(proof, x, y, 0, proof->path);
    proof->path = race_ordered(proof, y, x, 0, proof->path);
}

/* What the atom is by the facts; false: itself. */
static bool resolve(RaceProof *proof, RaceAtomNumber number, const RaceFact *facts, bool deeply,
                    RacePolynomial *value)
{
    if (number == proof->pinned) {
        *value = race_number(proof->pinned_to);
        return true;
    }
    RaceAtom atom = proof->atoms.items[number];
    const RacePolynomial *is = chosen(&atom, facts);
    is = is ? is : chosen(&atom, proof->host);
    RacePolynomial old = race_alone(number);
    if (is) {
        *value = race_copy(is);
        make_equal(proof, &old, value);
        return true;
    }
    bool divides = atom.kind == RACE_QUOTIENT || atom.kind == RACE_REST;
    int64_t limit;
    // (c ? x : n) > n   ==>  c
    if (deeply && atom.kind == RACE_CHOICE && race_is_number(atom.y, &limit) &&
        race_is_at_least(proof, &old, limit + 1)) {
        proof->path = race_join(proof, atom.condition->yes, proof->path);
        *value = race_copy(atom.x);
        make_equal(proof, &old, value);
        return true;
    }
    if (deeply && atom.kind == RACE_MOST && race_is_number(atom.y, &limit) &&
        race_is_at_least(proof, atom.x, limit)) {
        *value = race_copy(atom.x);
        return true;
    }
    if (!deeply || (!divides && atom.kind != RACE_LEAST && atom.kind != RACE_MOST)) {
        return false;
    }
    RacePolynomial x = race_deeply_resolved(proof, race_copy(atom.x), facts),
                   y = race_deeply_resolved(proof, race_copy(atom.y), facts);
    if (race_is_same(&x, atom.x) && race_is_same(&y, atom.y)) {
        return false;
    }
    *value = divides ? race_quotient_or_rest(proof, atom.kind, x, y)
                     : least_or_most(proof, atom.kind, &x, &y);
    make_equal(proof, &old, value);
    return true;
}

static bool substitute(RaceProof *proof, RacePolynomial *p, const RaceFact *facts, bool deeply)
{
    for (unsigned i = 0; i < p->count; i++) {
        for (int k = 0; k < RACE_MOST_DEGREE && p->terms[i].atoms[k] != 0; k++) {
            RaceTerm alone = {1, {p->terms[i].atoms[k]}}, rest;
            RacePolynomial value;
            if (resolve(proof, alone.atoms[0], facts, deeply, &value) &&
                race_goes_into(&alone, &p->terms[i], &rest)) {
                RacePolynomial old = race_term(p->terms[i]), r = race_term(rest);
                return race_multiply(&r, &r, &value) && race_add(&r, &r, -1, &old) &&
                       race_add(p, p, 1, &r);
            }
        }
    }
    return false;
}

enum { MOST_ROUNDS = 8 };

RacePolynomial race_resolved(RaceProof *proof, RacePolynomial p, const RaceFact *facts)
{
    for (int round = 0; round < MOST_ROUNDS && substitute(proof, &p, facts, false); round++) {
    }
    return p;
}

RacePolynomial race_deeply_resolved(RaceProof *proof, RacePolynomial p, const RaceFact *facts)
{
    for (int round = 0; round < MOST_ROUNDS && substitute(proof, &p, facts, true); round++) {
    }
    return p;
}
