/* Branches in the function of a SOAC that are the same for all its rows (loop unswitching):

       let t = map n (\xs -> {                 let t = if c then {
         let r = if c then { ... } else          let u = map n (\xs -> { let r = if c ... })  in (u)
                   { ... }             ==>     } else {
         in (r) })                               let v = map n (\xs -> { let r = if c ... })  in (v)
                                               }

   Each copy is in a branch that tells its condition, and simplification leaves the half of it that is not taken. Such are
   conditions of sizes, as what a function does with rows that are too short: in a branch of the nest SOACs would belong to
   one work-item. Done where SOACs stand in the branches and the host has the condition without waiting for a kernel;
   others go with their SOACs (guarded.c). */
#include "core/flatten/flatten.h"

/* Conditions in each other; statements of a SOAC that is copied. */
enum { MOST_ROUNDS = 3, MOST_STATEMENTS = 300 };

typedef struct Unswitch {
    Compilation *c;
    size_t *counts;
    CoreNameMap known; /* scalars that the host has: CoreName -> bool */
} Unswitch;

/* ---- what the host has ----------------------------------------------------------------------- */

static void note_known(Unswitch *u, const CoreName *name)
{
    core_name_map_make(u->c->arena, &u->known, name, sizeof(bool));
}

typedef struct Operands {
    const Unswitch *u;
    bool known;
} Operands;

static void look_at_operand(void *context, CoreAtom atom)
{
    Operands *operands = context;
    operands->known =
        operands->known && (!atom.name || core_name_map_get(&operands->u->known, atom.name));
}

/* A scalar that is computed of such as the host has. */
static bool is_computed(const Unswitch *u, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    Operands operands = {u, exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY ||
                                exp->kind == CORE_EXP_CONVERT || exp->kind == CORE_EXP_ATOM};
    if (operands.known) {
        core_each_operand(exp, look_at_operand, &operands);
    }
    return operands.known && stm->pattern[0]->type.rank == 0 && stm->certificate_count == 0;
}

/* Arguments of the program, extents, and what is computed of them. */
static void note_statement(Unswitch *u, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    bool computed = is_computed(u, stm);
    if (exp->kind == CORE_EXP_LOOP && exp->as.loop.index) {
        note_known(u, exp->as.loop.index);
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreType type = stm->pattern[k]->type;
        if (type.rank == 0 && (computed || exp->kind == CORE_EXP_ARGUMENT)) {
            note_known(u, stm->pattern[k]);
        }
        for (int axis = 0; axis < type.rank; axis++) {
            if (type.sizes[axis].name) {
                note_known(u, type.sizes[axis].name);
            }
        }
    }
}

/* ---- conditions ------------------------------------------------------------------------------ */

typedef struct Search {
    Unswitch *u;
    CoreAtom condition;            /* without a name: none is found so far */
    size_t count;                  /* of statements */
    VEC(const CoreStm *) computed; /* in the function, of what the host has */
} Search;

static void search(void *context, const CoreBody *body)
{
    Search *s = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        const CoreExp *exp = stm->exp;
        s->count++;
        if (is_computed(s->u, stm)) {
            note_known(s->u, stm->pattern[0]);
            vec_push(s->u->c->arena, &s->computed, stm);
        }
        if (!s->condition.name && exp->kind == CORE_EXP_IF && exp->as.conditional.condition.name &&
            core_name_map_get(&s->u->known, exp->as.conditional.condition.name) &&
            flatten_has_soacs(exp)) {
            s->condition = exp->as.conditional.condition;
        }
        core_each_body(exp, search, s);
    }
}

/* ---- the walk -------------------------------------------------------------------------------- */

typedef struct Needed {
    const Search *s;
    bool *needed; /* of s->computed */
} Needed;

static void need(void *context, CoreAtom atom)
{
    const Needed *n = context;
    for (size_t i = 0; atom.name && i < n->s->computed.count; i++) {
        n->needed[i] = n->needed[i] || n->s->computed.items[i]->pattern[0] == atom.name;
    }
}

/* The condition in front of the SOAC, where it is computed in its function, with what it needs. */
static CoreAtom in_front(const Search *s, CoreBuilder *b)
{
    size_t count = s->computed.count;
    Renaming *renaming = core_renaming(s->u->c);
    Needed n = {s, ARENA_ARRAY(s->u->c->arena, bool, count + 1)};
    memset(n.needed, 0, count * sizeof *n.needed);
    need(&n, s->condition);
    for (size_t i = count; i-- > 0;) {
        if (n.needed[i]) {
            core_each_operand(s->computed.items[i]->exp, need, &n);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (n.needed[i]) {
            core_add(b, core_rename_stm(renaming, s->computed.items[i]));
        }
    }
    return core_renamed(renaming, s->condition);
}

static void unswitch(Unswitch *u, const CoreStm *stm, CoreBuilder *b)
{
    Search s = {.u = u, .condition = core_bool(true)};
    if (!fuse_is_soac(stm)) {
        core_add(b, stm);
        return;
    }
    core_each_body(stm->exp, search, &s);
    if (!s.condition.name || s.count > MOST_STATEMENTS) {
        core_add(b, stm);
        return;
    }
    CoreAtom condition = in_front(&s, b);
    CoreStm *choice = arena_copy(u->c->arena, stm, sizeof *stm);
    choice->certificate_count = 0;
    const CoreBody *then_body = flatten_copies(u->c, 1, &stm, stm);
    choice->exp = core_exp_if(u->c, condition, then_body, flatten_copies(u->c, 1, &stm, stm));
    u->counts[CORE_RULE_FLATTEN_UNSWITCH]++;
    core_add(b, choice);
}

/* Statements of the host. */
static const CoreBody *unswitch_body(void *context, const CoreBody *old)
{
    Unswitch *u = context;
    CoreBuilder b = core_builder(u->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        bool host = stm->exp->kind == CORE_EXP_IF || stm->exp->kind == CORE_EXP_LOOP;
        note_statement(u, stm);
        if (host) {
            core_add(&b, core_map_stm(u->c, stm, unswitch_body, u));
        } else {
            unswitch(u, stm, &b);
        }
    }
    return core_with_stms(u->c, old, b.stms.count, b.stms.items);
}

/* Each SOAC by one condition; the program itself where there is none. */
static const CoreProgram *unswitch_once(Compilation *c, const CoreProgram *program, size_t *counts)
{
    bool changed = false;
    CoreProgram *fresh = arena_copy(c->arena, program, sizeof *program);
    const CoreFunction **functions =
        ARENA_ARRAY(c->arena, const CoreFunction *, program->function_count + 1);
    for (size_t i = 0; i < program->function_count; i++) {
        const CoreFunction *function = program->functions[i];
        Unswitch u = {.c = c, .counts = counts};
        for (size_t k = 0; k < function->parameter_count; k++) {
            if (function->parameters[k]->type.rank == 0) {
                note_known(&u, function->parameters[k]);
            }
        }
        functions[i] = core_with_body(c, function, unswitch_body(&u, function->body));
        changed = changed || functions[i] != function;
    }
    fresh->functions = functions;
    return changed ? core_simplify_counted(c, fresh, counts) : program;
}

const CoreProgram *flatten_unswitch(Compilation *c, const CoreProgram *program, size_t *counts)
{
    const CoreProgram *before = NULL;
    for (int round = 0; round < MOST_ROUNDS && program != before; round++) {
        before = program;
        program = unswitch_once(c, program, counts);
    }
    return program;
}
