/* What the fuser knows of names: a map from names to FuseName, filled by one walk over the
   function that notes where each name is bound and how many loops and SOAC functions stand around
   its binding (its level). */
#include "core/fuse/fuse.h"

FuseName *fuse_name(Fuse *f, const CoreName *name)
{
    FuseName *found = core_name_map_make(f->arena, &f->names, name, sizeof *found);
    found->name = name;
    return found;
}

void fuse_forget_uses(Fuse *f)
{
    for (size_t i = 0; i < f->names.capacity; i++) {
        for (CoreNameEntry *e = f->names.buckets[i]; e; e = e->next) {
            FuseName *name = (FuseName *)(e + 1);
            name->uses = (FuseUses){0};
        }
    }
}

const CoreStm *fuse_definition(Fuse *f, CoreAtom atom)
{
    return atom.name ? fuse_name(f, atom.name)->stm : NULL;
}

bool fuse_is_result(const CoreBody *body, const CoreName *name)
{
    for (size_t i = 0; i < body->result_count; i++) {
        if (body->results[i].name == name) {
            return true;
        }
    }
    return false;
}

typedef struct Needed {
    Fuse *f;
    PointerMap *whole;
} Needed;

static void note_whole(void *context, CoreAtom atom)
{
    const Needed *needed = context;
    if (atom.name != NULL && atom.name->type.rank > 0) {
        pointer_map_set(needed->f->arena, needed->whole, atom.name, atom.name);
    }
}

void fuse_find_whole(Fuse *f, const CoreBody *body, PointerMap *whole)
{
    Needed needed = {f, whole};
    for (size_t k = 0; k < body->result_count; k++) {
        note_whole(&needed, body->results[k]);
    }
    for (size_t i = body->stm_count; i-- > 0;) {
        const CoreStm *stm = body->stms[i];
        const CoreExp *exp = stm->exp;
        bool part = exp->kind == CORE_EXP_ATOM || fuse_is_part(stm) ||
                    (stm->pattern_count == 1 && fuse_turning(f, core_use(stm->pattern[0])));
        if (core_is_effect(exp->kind) ||
            (part && pointer_map_get(whole, stm->pattern[0]) != NULL)) {
            core_each_operand(exp, note_whole, &needed);
        }
        for (size_t k = 0; exp->kind == CORE_EXP_LOOP && k < exp->as.loop.parameter_count; k++) {
            note_whole(&needed, exp->as.loop.initial[k]);
        }
    }
}

void fuse_fired(Fuse *f, CoreRule rule)
{
    f->changed = true;
    f->counts[rule]++;
}

static const CoreAtom *without_names(Compilation *c, size_t count)
{
    CoreAtom *atoms = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    for (size_t i = 0; i < count; i++) {
        atoms[i] = core_i64(0);
    }
    return atoms;
}

void fuse_each_inside(Fuse *f, const CoreStm *stm, void (*visit)(void *context, CoreName *name),
                      void *context)
{
    CoreExp *exp = core_exp_copy(f->c, stm->exp);
    switch ((int)exp->kind) { /* what takes rows */
    case CORE_EXP_SOAC:
        exp->as.soac.input_count = 0;
        exp->as.soac.width = core_i64(0);
        break;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER:
        exp->as.filter.input_count = 0;
        exp->as.filter.width = core_i64(0);
        break;
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST:
        exp->as.scatter.width = exp->as.scatter.indices = core_i64(0);
        exp->as.scatter.values = without_names(f->c, exp->as.scatter.count);
        break;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ:
        exp->as.stream.input_count = 0;
        exp->as.stream.width = core_i64(0);
        break;
    }
    CoreStm without = *stm;
    without.exp = exp;
    without.pattern_count = 0;
    core_each_free(&without, visit, context);
}

/* ---- the walk ---------------------------------------------------------------------------- */

static void note_body(Fuse *f, const CoreBody *body, int level)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        fuse_note_stm(f, body->stms[i], level);
    }
}

static void note_parameters(Fuse *f, size_t count, CoreName *const *parameters, int level)
{
    for (size_t i = 0; i < count; i++) {
        FuseName *name = fuse_name(f, parameters[i]);
        name->level = level;
        name->stm = NULL;
        name->row_of = NULL;
    }
}

static void note_lambda(Fuse *f, const CoreLambda *lambda, int level)
{
    note_parameters(f, lambda->parameter_count, lambda->parameters, level + 1);
    note_body(f, lambda->body, level + 1);
}

void fuse_note_stm(Fuse *f, const CoreStm *stm, int level)
{
    const CoreExp *exp = stm->exp;
    for (size_t i = 0; i < stm->pattern_count; i++) {
        FuseName *name = fuse_name(f, stm->pattern[i]);
        name->stm = stm;
        name->row_of = NULL;
        name->level = level;
    }
    switch ((int)exp->kind) { /* the kinds with bodies */
    case CORE_EXP_IF:
        note_body(f, exp->as.conditional.then_body, level);
        note_body(f, exp->as.conditional.else_body, level);
        return;
    case CORE_EXP_LOOP:
        note_parameters(f, exp->as.loop.parameter_count, exp->as.loop.parameters, level + 1);
        if (exp->as.loop.index) {
            note_parameters(f, 1, (CoreName *const[]){exp->as.loop.index}, level + 1);
        }
        note_body(f, exp->as.loop.body, level + 1);
        return;
    case CORE_EXP_SOAC:
        note_lambda(f, exp->as.soac.map, level);
        for (size_t i = 0; i < exp->as.soac.input_count; i++) {
            fuse_name(f, exp->as.soac.map->parameters[i])->row_of = exp->as.soac.inputs[i].name;
        }
        for (size_t i = 0; i < exp->as.soac.reduction_count; i++) {
            note_lambda(f, exp->as.soac.reductions[i].function, level);
        }
        for (size_t i = 0; i < exp->as.soac.scan_count; i++) {
            note_lambda(f, exp->as.soac.scans[i].function, level);
        }
        return;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: note_lambda(f, exp->as.filter.predicate, level); return;
    case CORE_EXP_HIST: note_lambda(f, exp->as.scatter.op, level); return;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ:
        note_lambda(f, exp->as.stream.fold, level);
        if (exp->as.stream.reduce) {
            note_lambda(f, exp->as.stream.reduce, level);
        }
        return;
    }
}

void fuse_note_function(Fuse *f, const CoreFunction *function)
{
    f->in_entry = function->is_entry;
    note_parameters(f, function->parameter_count, function->parameters, 0);
    note_body(f, function->body, 0);
}

/* ---- bodies ------------------------------------------------------------------------------ */

size_t fuse_place(const CoreBody *body, const CoreName *name)
{
    size_t i = 0;
    while (i < body->stm_count && !core_stm_binds(body->stms[i], name)) {
        i++;
    }
    return i;
}

bool fuse_is_known(const CoreBody *body, CoreAtom atom, size_t place)
{
    size_t known = atom.name ? fuse_place(body, atom.name) : body->stm_count;
    return known == body->stm_count || known < place;
}
