/* [L0 5.3] Assertions and certificates.

       let (k : cert) = assert true "..."          let (k : cert) = conjoin ()
       let (x : f64) = <k> a[0]               ==>  let (x : f64) = a[0]

   A certificate that always holds is a conjunction of nothing. It leaves a statement, unless it is
   the last one and the statement's sizes agree only because of it: with certificates the checker
   lets sizes differ, and lowering may rely on them. (Hoisting of assertions: hoist.c.)

   Another name of an array, under a certificate from outside of the function of a SOAC that binds both, would keep a
   nest of two parts there, of which the second copies: the certificate goes to what makes the array.

       map n (\x -> { let (t : [m]f64) = map m ..           map n (\x -> { let (t : [m]f64) = <k> map m ..
                      let (y : [m]f64) = <k> t      ==>                    in (t) })
                      in (y) }) */
#include "core/simplify/simplify.h"

static void conjunction(Simplify *s, Work *work, size_t count, const CoreAtom *items)
{
    CoreExp *exp = ARENA_NEW(s->c->arena, CoreExp);
    exp->kind = CORE_EXP_CONJOIN;
    exp->as.items.count = count;
    exp->as.items.items = items;
    work->exp = exp;
}

/* assert(true)  ==>  what guards the assertion itself */
static bool true_assertion(Simplify *s, Work *work)
{
    CoreAtom condition = work->exp->as.assertion.condition;
    if (condition.name || !condition.as.integer) {
        return false;
    }
    conjunction(s, work, work->certificate_count, work->certificates);
    work->certificate_count = 0;
    simplify_fired(s, CORE_RULE_ASSERT_TRUE);
    return true;
}

/* Among those before it; long lists have a map of these. */
static bool is_there(Simplify *s, PointerMap *seen, size_t count, const CoreAtom *atoms,
                     CoreAtom atom)
{
    enum { SHORT = 16 };
    bool found = false;
    for (size_t i = 0; i < count && i < SHORT && !found; i++) {
        found = core_atom_equal(atoms[i], atom);
    }
    if (found || count < SHORT) {
        return found;
    }
    found = pointer_map_get(seen, atom.name) != NULL;
    pointer_map_set(s->arena, seen, atom.name, atom.name);
    return found;
}

/* The certificates that a list stands for: conjunctions taken apart, each once. */
static const CoreAtom *flat(Simplify *s, size_t count, const CoreAtom *atoms, size_t *flat_count)
{
    VEC(CoreAtom) all = {0};
    PointerMap seen = {0};
    for (size_t i = 0; i < count; i++) {
        const CoreStm *stm = simplify_definition(s, atoms[i], false);
        bool apart = stm && stm->exp->kind == CORE_EXP_CONJOIN && stm->exp->as.items.count < 2;
        size_t parts = apart ? stm->exp->as.items.count : 1;
        const CoreAtom *items = apart ? stm->exp->as.items.items : &atoms[i];
        for (size_t p = 0; p < parts; p++) {
            if (!is_there(s, &seen, all.count, all.items, items[p])) {
                vec_push(s->arena, &all, items[p]);
            }
        }
    }
    *flat_count = all.count;
    bool same = all.count == count;
    for (size_t i = 0; same && i < count; i++) {
        same = core_atom_equal(all.items[i], atoms[i]);
    }
    return same ? atoms : arena_copy(s->c->arena, all.items, all.count * sizeof *all.items);
}

static bool simpler_conjunction(Simplify *s, Work *work)
{
    size_t count;
    if (work->exp->as.items.count == 0) {
        return false;
    }
    const CoreAtom *items = flat(s, work->exp->as.items.count, work->exp->as.items.items, &count);
    if (count == 1 && work->certificate_count == 0) {
        simplify_set_atom(s, work, items[0]);
    } else if (count < work->exp->as.items.count) {
        conjunction(s, work, count, items);
    } else {
        return false;
    }
    simplify_fired(s, CORE_RULE_CERTIFICATE);
    return true;
}

bool simplify_checks(Simplify *s, Work *work)
{
    return work->exp->kind == CORE_EXP_ASSERT    ? true_assertion(s, work)
           : work->exp->kind == CORE_EXP_CONJOIN ? simpler_conjunction(s, work)
                                                 : false;
}

/* ---- certificates of statements -------------------------------------------------------------- */

static CoreType rows_of(Simplify *s, CoreType type, CoreAtom size)
{
    return core_array_of(s->c, size, type);
}

/* The type of a one-result expression from its operands, where this follows simply. */
static bool plain_type(Simplify *s, const CoreExp *exp, CoreType *type)
{
    switch ((int)exp->kind) { /* the others: not simply */
    case CORE_EXP_ATOM: *type = core_atom_type(exp->as.atom); return true;
    case CORE_EXP_INDEX:
        *type = core_atom_type(exp->as.index.array);
        for (size_t i = 0; i < exp->as.index.count; i++) {
            *type = core_row(*type);
        }
        return true;
    case CORE_EXP_IOTA: *type = rows_of(s, core_scalar(CORE_I64), exp->as.count); return true;
    case CORE_EXP_REPLICATE:
        *type = core_atom_type(exp->as.replicate.value);
        for (size_t i = exp->as.replicate.count; i-- > 0;) {
            *type = rows_of(s, *type, exp->as.replicate.sizes[i]);
        }
        return true;
    case CORE_EXP_COPY: *type = core_atom_type(exp->as.array); return true;
    case CORE_EXP_ROTATE: *type = core_atom_type(exp->as.rotate.array); return true;
    case CORE_EXP_REVERSE: *type = core_atom_type(exp->as.reverse.array); return true;
    case CORE_EXP_CYCLE:
        *type =
            rows_of(s, core_scalar(core_atom_type(exp->as.cycle.array).prim), exp->as.cycle.count);
        return true;
    case CORE_EXP_SLICE: {
        CoreType from = core_atom_type(exp->as.slice.array);
        *type = core_scalar(from.prim);
        for (size_t i = exp->as.slice.count; i-- > 0;) {
            if (!exp->as.slice.slices[i].fixed) {
                *type = rows_of(s, *type, exp->as.slice.slices[i].count);
            }
        }
        return true;
    }
    }
    return false;
}

/* Map alone: rows, parameters and results fit. */
static bool is_strict_map(Simplify *s, const Work *work)
{
    const CoreSoac *soac = &work->exp->as.soac;
    bool strict = soac->reduction_count == 0 && soac->scan_count == 0;
    for (size_t i = 0; strict && i < soac->input_count; i++) {
        CoreType type = core_atom_type(soac->inputs[i]);
        CoreType row = core_map_type(s->c, soac->map->parameters[i]->type, simplify_now, s);
        strict = core_atom_equal(type.sizes[0], soac->width) && core_same_type(core_row(type), row);
    }
    for (size_t i = 0; strict && i < work->pattern_count; i++) {
        CoreType type = core_map_type(s->c, work->pattern[i]->type, simplify_now, s);
        CoreType row = core_map_type(s->c, soac->map->result_types[i], simplify_now, s);
        strict = type.rank > 0 && core_atom_equal(type.sizes[0], soac->width) &&
                 core_same_type(core_row(type), row);
    }
    return strict;
}

/* An update: the array's type, and a value of the size of the part. */
static bool is_strict_update(Simplify *s, const Work *work)
{
    const CoreExp *exp = work->exp;
    CoreType array = core_atom_type(exp->as.update.array), part = core_scalar(array.prim);
    CoreType type = core_map_type(s->c, work->pattern[0]->type, simplify_now, s);
    for (size_t i = exp->as.update.count; i-- > 0;) {
        if (!exp->as.update.slices[i].fixed) {
            part = rows_of(s, part, exp->as.update.slices[i].count);
        }
    }
    return exp->as.update.count == (size_t)array.rank && core_same_type(type, array) &&
           core_same_type(part, core_atom_type(exp->as.update.value));
}

/* The statement passes the checker without any certificate. */
static bool is_strict(Simplify *s, const Work *work)
{
    CoreType type;
    switch ((int)work->exp->kind) {
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_ASSERT:
    case CORE_EXP_CONJOIN: return true;
    case CORE_EXP_SOAC: return is_strict_map(s, work);
    case CORE_EXP_UPDATE: return is_strict_update(s, work);
    }
    return work->pattern_count == 1 && plain_type(s, work->exp, &type) &&
           core_same_type(type, core_map_type(s->c, work->pattern[0]->type, simplify_now, s));
}

/* Scalar operators are total: what they compute from values that a failed check has left is not
   read by anything that the check does not guard itself. */
static bool needs_no_guard(const Work *work)
{
    switch ((int)work->exp->kind) { /* scalars from scalars */
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT: return true;
    case CORE_EXP_ATOM: return work->pattern[0]->type.rank == 0;
    }
    return false;
}

void simplify_certificates(Simplify *s, Work *work)
{
    size_t count;
    if (work->certificate_count == 0) {
        return;
    }
    if (needs_no_guard(work)) {
        work->certificate_count = 0;
        simplify_fired(s, CORE_RULE_CERTIFICATE);
        return;
    }
    const CoreAtom *items = flat(s, work->certificate_count, work->certificates, &count);
    if (count == 0 && !is_strict(s, work)) {
        items = work->certificates;
        count = 1;
    }
    if (count < work->certificate_count) {
        simplify_fired(s, CORE_RULE_CERTIFICATE);
    }
    work->certificates = items;
    work->certificate_count = count;
}

/* The place in the innermost scope, where it is near its end, of what makes the array; NULL: none is. */
static const CoreStm **maker_here(Simplify *s, CoreAtom array)
{
    enum { MOST_BACK = 64 };
    Scope *scope = s->scopes[s->depth];
    for (size_t i = scope->stms.count, left = MOST_BACK; i-- > 0 && left-- > 0;) {
        if (core_stm_binds(scope->stms.items[i], array.name)) {
            return &scope->stms.items[i];
        }
    }
    return NULL;
}

/* Certificates of scopes around this one are there before all that this one has. */
bool simplify_guard_maker(Simplify *s, const Work *work)
{
    CoreAtom array = work->exp->as.atom;
    if (work->certificate_count == 0) {
        return true;
    }
    if (s->lambdas == 0 || array.name == NULL || array.name->type.rank == 0) {
        return false;
    }
    for (size_t i = 0; i < work->certificate_count; i++) {
        CoreName *name = work->certificates[i].name;
        if (name == NULL || simplify_fact(s, name)->depth >= s->depth) {
            return false;
        }
    }
    const CoreStm **maker = maker_here(s, array);
    if (maker == NULL) {
        return false;
    }
    Work guarded = {.certificate_count = (*maker)->certificate_count,
                    .certificates = (*maker)->certificates};
    const CoreStm guards = {.certificate_count = work->certificate_count,
                            .certificates = work->certificates};
    simplify_add_certificates(s, &guarded, &guards);
    CoreStm *stm = arena_copy(s->c->arena, *maker, sizeof *stm);
    stm->certificate_count = guarded.certificate_count;
    stm->certificates = guarded.certificates;
    *maker = stm;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        simplify_fact(s, stm->pattern[k])->stm = stm;
    }
    simplify_fired(s, CORE_RULE_CERTIFICATE);
    return true;
}
