/* Expressions with their operands mapped, and copies of statements with fresh names.

       core_map_operands(c, a[i, j], map, context)     map(a)[map(i), map(j)]

   What does not change is shared with the old expression. Bodies inside are left alone, except by
   core_rename_stm, which gives every name bound in them a fresh one ([L0] 5.1 needs that, for
   names are unique in a program). */
#include "core/rewrite.h"

#include <stdint.h>

/* ---- operands -------------------------------------------------------------------------------- */

const CoreAtom *core_map_atoms(Compilation *c, size_t count, const CoreAtom *atoms, AtomMap *map,
                               void *context)
{
    CoreAtom *mapped = NULL;
    for (size_t i = 0; i < count; i++) {
        CoreAtom atom = map(context, atoms[i]);
        if (!mapped && !core_atom_equal(atom, atoms[i])) {
            mapped = arena_copy(c->arena, atoms, count * sizeof *atoms);
        }
        if (mapped) {
            mapped[i] = atom;
        }
    }
    return mapped ? mapped : atoms;
}

CoreType core_map_type(Compilation *c, CoreType type, AtomMap *map, void *context)
{
    type.sizes = core_map_atoms(c, (size_t)type.rank, type.sizes, map, context);
    return type;
}

typedef struct Mapping {
    Compilation *c;
    AtomMap *map;
    void *context;
    bool changed;
} Mapping;

static void map_atom(Mapping *m, CoreAtom *atom)
{
    CoreAtom mapped = m->map(m->context, *atom);
    if (!core_atom_equal(mapped, *atom)) {
        *atom = mapped;
        m->changed = true;
    }
}

static const CoreAtom *map_atoms(Mapping *m, size_t count, const CoreAtom *atoms)
{
    const CoreAtom *mapped = core_map_atoms(m->c, count, atoms, m->map, m->context);
    m->changed = m->changed || mapped != atoms;
    return mapped;
}

static const CoreSlice *map_slices(Mapping *m, size_t count, const CoreSlice *slices)
{
    CoreSlice *mapped = NULL;
    for (size_t i = 0; i < count; i++) {
        CoreSlice slice = slices[i];
        Mapping inner = {m->c, m->map, m->context, false};
        map_atom(&inner, &slice.offset);
        if (!slice.fixed) {
            map_atom(&inner, &slice.count);
            map_atom(&inner, &slice.stride);
        }
        if (inner.changed) {
            mapped = mapped ? mapped : arena_copy(m->c->arena, slices, count * sizeof *slices);
            mapped[i] = slice;
            m->changed = true;
        }
    }
    return mapped ? mapped : slices;
}

static const CoreReduction *map_reductions(Mapping *m, size_t count, const CoreReduction *old)
{
    CoreReduction *mapped = NULL;
    for (size_t i = 0; i < count; i++) {
        const CoreAtom *neutral = map_atoms(m, old[i].function->body->result_count, old[i].neutral);
        if (neutral != old[i].neutral) {
            mapped = mapped ? mapped : arena_copy(m->c->arena, old, count * sizeof *old);
            mapped[i].neutral = neutral;
        }
    }
    return mapped ? mapped : old;
}

CoreExp *core_exp_copy(Compilation *c, const CoreExp *exp)
{
    return arena_copy(c->arena, exp, sizeof *exp);
}

const CoreExp *core_map_operands(Compilation *c, const CoreExp *old, AtomMap *map, void *context)
{
    CoreExp mapped = *old, *exp = &mapped;
    Mapping m = {c, map, context, false};
#define ONE(field) map_atom(&m, &exp->as.field);
#define MANY(count, field) exp->as.field = map_atoms(&m, exp->as.count, exp->as.field);
#define SLICES(count, field) exp->as.field = map_slices(&m, exp->as.count, exp->as.field);
#define NEUTRAL(count, field) exp->as.field = map_reductions(&m, exp->as.count, exp->as.field);
#define WHERE(field, fields)                                                                       \
    if (exp->as.field) {                                                                           \
        fields                                                                                     \
    }
#define OPERANDS(kind, fields)                                                                     \
    case CORE_EXP_##kind: fields break;
    switch (exp->kind) {
#include "core/operands.def"
    }
    return m.changed ? core_exp_copy(c, exp) : old;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

bool core_same_type(CoreType a, CoreType b)
{
    bool same = a.prim == b.prim && a.rank == b.rank;
    for (int i = 0; same && i < a.rank; i++) {
        same = core_atom_equal(a.sizes[i], b.sizes[i]);
    }
    return same;
}

bool core_has_bodies(CoreExpKind kind)
{
    return kind == CORE_EXP_IF || kind == CORE_EXP_LOOP || kind == CORE_EXP_SOAC ||
           kind == CORE_EXP_FILTER || kind == CORE_EXP_COMPACT || kind == CORE_EXP_HIST ||
           (kind >= CORE_EXP_STREAM_MAP && kind <= CORE_EXP_STREAM_SEQ);
}

bool core_has_same_bodies(const CoreExp *a, const CoreExp *b)
{
    switch ((int)a->kind) { /* the kinds with bodies */
    case CORE_EXP_IF:
        return a->as.conditional.then_body == b->as.conditional.then_body &&
               a->as.conditional.else_body == b->as.conditional.else_body;
    case CORE_EXP_LOOP:
        return a->as.loop.body == b->as.loop.body &&
               a->as.loop.parameters == b->as.loop.parameters &&
               a->as.loop.index == b->as.loop.index && a->as.loop.condition == b->as.loop.condition;
    case CORE_EXP_SOAC:
        return a->as.soac.map == b->as.soac.map && a->as.soac.reductions == b->as.soac.reductions &&
               a->as.soac.scans == b->as.soac.scans;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: return a->as.filter.predicate == b->as.filter.predicate;
    case CORE_EXP_HIST: return a->as.scatter.op == b->as.scatter.op;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ:
        return a->as.stream.fold == b->as.stream.fold && a->as.stream.reduce == b->as.stream.reduce;
    }
    return true;
}

static const CoreLambda *map_lambda(Compilation *c, const CoreLambda *old, BodyMap *map,
                                    void *context)
{
    const CoreBody *body = map(context, old->body);
    if (body == old->body) {
        return old;
    }
    CoreLambda *lambda = arena_copy(c->arena, old, sizeof *old);
    lambda->body = body;
    return lambda;
}

static const CoreReduction *map_functions(Compilation *c, size_t count, const CoreReduction *old,
                                          BodyMap *map, void *context)
{
    CoreReduction *mapped = NULL;
    for (size_t i = 0; i < count; i++) {
        const CoreLambda *function = map_lambda(c, old[i].function, map, context);
        if (function != old[i].function) {
            mapped = mapped ? mapped : arena_copy(c->arena, old, count * sizeof *old);
            mapped[i].function = function;
        }
    }
    return mapped ? mapped : old;
}

const CoreExp *core_map_bodies(Compilation *c, const CoreExp *old, BodyMap *map, void *context)
{
    if (!core_has_bodies(old->kind)) {
        return old;
    }
    CoreExp mapped = *old, *exp = &mapped;
#define LAMBDA(field) exp->as.field = map_lambda(c, exp->as.field, map, context)
    switch ((int)exp->kind) { /* the kinds with bodies */
    case CORE_EXP_IF:
        exp->as.conditional.then_body = map(context, exp->as.conditional.then_body);
        exp->as.conditional.else_body = map(context, exp->as.conditional.else_body);
        break;
    case CORE_EXP_LOOP: exp->as.loop.body = map(context, exp->as.loop.body); break;
    case CORE_EXP_SOAC:
        LAMBDA(soac.map);
        exp->as.soac.reductions =
            map_functions(c, exp->as.soac.reduction_count, exp->as.soac.reductions, map, context);
        exp->as.soac.scans =
            map_functions(c, exp->as.soac.scan_count, exp->as.soac.scans, map, context);
        break;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: LAMBDA(filter.predicate); break;
    case CORE_EXP_HIST: LAMBDA(scatter.op); break;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ:
        LAMBDA(stream.fold);
        if (exp->as.stream.reduce) {
            LAMBDA(stream.reduce);
        }
        break;
    }
#undef LAMBDA
    return core_has_same_bodies(exp, old) ? old : core_exp_copy(c, exp);
}

const CoreStm *core_map_stm(Compilation *c, const CoreStm *old, BodyMap *map, void *context)
{
    const CoreExp *exp = core_map_bodies(c, old->exp, map, context);
    if (exp == old->exp) {
        return old;
    }
    CoreStm *stm = arena_copy(c->arena, old, sizeof *old);
    stm->exp = exp;
    return stm;
}

const CoreBody *core_with_stms(Compilation *c, const CoreBody *old, size_t count,
                               const CoreStm *const *stms)
{
    if (count == old->stm_count &&
        (count == 0 || memcmp(stms, old->stms, count * sizeof *stms) == 0)) {
        return old;
    }
    CoreBody *body = arena_copy(c->arena, old, sizeof *old);
    body->stms = arena_copy(c->arena, stms, count * sizeof *stms);
    body->stm_count = count;
    return body;
}

const CoreFunction *core_with_body(Compilation *c, const CoreFunction *old, const CoreBody *body)
{
    if (body == old->body) {
        return old;
    }
    CoreFunction *function = arena_copy(c->arena, old, sizeof *old);
    function->body = body;
    return function;
}

const CoreProgram *core_map_functions(Compilation *c, const CoreProgram *program, BodyMap *map,
                                      void *context)
{
    CoreProgram *mapped = arena_copy(c->arena, program, sizeof *program);
    const CoreFunction **functions =
        ARENA_ARRAY(c->arena, const CoreFunction *, program->function_count + 1);
    for (size_t i = 0; i < program->function_count; i++) {
        functions[i] =
            core_with_body(c, program->functions[i], map(context, program->functions[i]->body));
    }
    mapped->functions = functions;
    return mapped;
}

/* ---- copies with fresh names ----------------------------------------------------------------- */

struct Renaming {
    Compilation *c;
    PointerMap atoms; /* CoreName -> CoreAtom */
};

Renaming *core_renaming(Compilation *c)
{
    Renaming *r = ARENA_NEW(c->arena, Renaming);
    r->c = c;
    return r;
}

void core_rename(Renaming *r, const CoreName *from, CoreAtom to)
{
    CoreAtom *atom = pointer_map_make(r->c->arena, &r->atoms, from, sizeof *atom);
    *atom = to;
}

CoreAtom core_renamed(void *renaming, CoreAtom atom)
{
    const Renaming *r = renaming;
    const CoreAtom *renamed = atom.name ? pointer_map_get(&r->atoms, atom.name) : NULL;
    return renamed ? *renamed : atom;
}

static CoreName *fresh_name(Renaming *r, const CoreName *old)
{
    CoreType type = core_map_type(r->c, old->type, core_renamed, r);
    CoreName *name = core_name(r->c, old->text, type, old->span);
    core_rename(r, old, core_use(name));
    return name;
}

static CoreName *const *fresh_names(Renaming *r, size_t count, CoreName *const *names)
{
    CoreName **fresh = ARENA_ARRAY(r->c->arena, CoreName *, count);
    for (size_t i = 0; i < count; i++) {
        fresh[i] = fresh_name(r, names[i]);
    }
    return fresh;
}

const CoreBody *core_rename_body(Renaming *r, const CoreBody *old)
{
    CoreBody *body = ARENA_NEW(r->c->arena, CoreBody);
    const CoreStm **stms = ARENA_ARRAY(r->c->arena, const CoreStm *, old->stm_count);
    for (size_t i = 0; i < old->stm_count; i++) {
        stms[i] = core_rename_stm(r, old->stms[i]);
    }
    *body = (CoreBody){old->stm_count, stms, old->result_count,
                       core_map_atoms(r->c, old->result_count, old->results, core_renamed, r)};
    return body;
}

const CoreLambda *core_rename_lambda(Renaming *r, const CoreLambda *old)
{
    CoreLambda *lambda = ARENA_NEW(r->c->arena, CoreLambda);
    lambda->parameter_count = old->parameter_count;
    lambda->parameters = fresh_names(r, old->parameter_count, old->parameters);
    lambda->body = core_rename_body(r, old->body);
    CoreType *types = ARENA_ARRAY(r->c->arena, CoreType, old->body->result_count);
    for (size_t i = 0; i < old->body->result_count; i++) {
        types[i] = core_map_type(r->c, old->result_types[i], core_renamed, r);
    }
    lambda->result_types = types;
    return lambda;
}

static const CoreReduction *rename_reductions(Renaming *r, size_t count, const CoreReduction *old)
{
    CoreReduction *renamed = arena_copy(r->c->arena, old, count * sizeof *old);
    for (size_t i = 0; i < count; i++) {
        renamed[i].function = core_rename_lambda(r, old[i].function);
    }
    return renamed;
}

/* Fresh names for what the bodies inside bind. Operands are mapped already. */
static void rename_bodies(Renaming *r, CoreExp *exp)
{
    switch ((int)exp->kind) { /* the kinds with bodies */
    case CORE_EXP_IF:
        exp->as.conditional.then_body = core_rename_body(r, exp->as.conditional.then_body);
        exp->as.conditional.else_body = core_rename_body(r, exp->as.conditional.else_body);
        return;
    case CORE_EXP_LOOP:
        exp->as.loop.parameters =
            fresh_names(r, exp->as.loop.parameter_count, exp->as.loop.parameters);
        if (exp->as.loop.index) {
            exp->as.loop.index = fresh_name(r, exp->as.loop.index);
        } else {
            exp->as.loop.condition = core_renamed(r, core_use(exp->as.loop.condition)).name;
        }
        exp->as.loop.body = core_rename_body(r, exp->as.loop.body);
        return;
    case CORE_EXP_SOAC:
        exp->as.soac.map = core_rename_lambda(r, exp->as.soac.map);
        exp->as.soac.reductions =
            rename_reductions(r, exp->as.soac.reduction_count, exp->as.soac.reductions);
        exp->as.soac.scans = rename_reductions(r, exp->as.soac.scan_count, exp->as.soac.scans);
        return;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER:
        exp->as.filter.predicate = core_rename_lambda(r, exp->as.filter.predicate);
        return;
    case CORE_EXP_HIST: exp->as.scatter.op = core_rename_lambda(r, exp->as.scatter.op); return;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ:
        exp->as.stream.fold = core_rename_lambda(r, exp->as.stream.fold);
        if (exp->as.stream.reduce) {
            exp->as.stream.reduce = core_rename_lambda(r, exp->as.stream.reduce);
        }
        return;
    }
}

const CoreStm *core_rename_stm(Renaming *r, const CoreStm *old)
{
    CoreStm *stm = ARENA_NEW(r->c->arena, CoreStm);
    *stm = *old;
    CoreExp *exp = core_exp_copy(r->c, core_map_operands(r->c, old->exp, core_renamed, r));
    rename_bodies(r, exp);
    stm->exp = exp;
    stm->certificates =
        core_map_atoms(r->c, old->certificate_count, old->certificates, core_renamed, r);
    stm->pattern = fresh_names(r, old->pattern_count, old->pattern);
    return stm;
}
