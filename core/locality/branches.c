/* Branches in loops of the host, between which the device chooses.

       loop (s = a) for i < n do                      loop (s = a) for i < n do
         let m = reduce max s                           let m = reduce max s
         let c = m > 10                                 let c = m > 10
         let (t, d) =                            ==>    let (t, d1) =
           if c then {                                    if @grid c then {
             let t = map (\x -> x / m) s                    let t = map (\x -> x / m) s
                                                            let d1 = map 1 (\j -> m) (iota 1)
             in (t, m)                                      in (t, d1)
           } else {                                       } else {
             let t = map (\x -> x + 1) s                    ...
             in (t, 0)                                      in (t, d2)
           }                                              }
                                                        let d = d1[0]

   Otherwise the host waits for the condition in each iteration. Of an IF of level @grid the kernels of both branches
   are started, and those of the branch that is not taken do nothing; results have places that both write to
   (backend/lower/control.c, backend/ahead/choose.c). Numbers that a branch computes are arrays of one element there,
   for where it is not taken they are not computed.

   Only where that harms nobody: neither branch has effects, takes memory that is not known to be there, or takes many
   statements; a branch that ends the loop is another matter (leaving.c). Where one of them gives an array that is there
   already, and not both give the same, the host only changes a name: lowering leaves large ones, which take longer to
   copy than the host waits, to the host (backend/lower/control.c).

   Before: flattened, a program for devices, with the state of loops where it stays. After: the same values. */
#include "core/locality/device.h"

enum {
    MOST_STATEMENTS = 64, /* of both branches, not inside functions of SOACs */
    FEW_ELEMENTS = 4096,  /* of memory of constant size, that is surely there */
    MOST_LOOKED = 64      /* names of which a condition is made */
};

/* ---- what results have places ------------------------------------------------------------------ */

static bool has_places(const CoreStm *stm)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        CoreType type = stm->pattern[k]->type;
        if (type.prim == CORE_CERT || core_is_existential(stm, type)) {
            return false;
        }
    }
    return true;
}

/* ---- what both branches may do ----------------------------------------------------------------- */

typedef struct Branches {
    Compilation *c;
    VEC(CoreType) known; /* of arrays that are there whichever branch is taken */
    size_t statements;
    bool has_own_width; /* a kernel of as many rows as nothing else has */
} Branches;

static void note_type(Branches *b, CoreType type)
{
    if (type.rank > 0) {
        vec_push(b->c->arena, &b->known, type);
    }
}

static void note_free(void *context, CoreName *name)
{
    note_type(context, name->type);
}

/* An extent of an array that is not 0 where this one has elements. */
static bool is_some(CoreAtom extent, CoreType type)
{
    bool found = !extent.name && extent.as.integer > 0;
    for (int axis = 0; axis < type.rank; axis++) {
        found = found || core_atom_equal(extent, type.sizes[axis]);
    }
    return found;
}

/* Each extent is one of the other array's, whose others are not 0, or a constant: there are not more elements. */
static bool is_within(Arena *arena, CoreType type, CoreType other)
{
    bool *used = ARENA_ARRAY(arena, bool, other.rank + 1);
    int64_t constant = 1;
    for (int axis = 0; axis < type.rank; axis++) {
        CoreAtom size = type.sizes[axis];
        int at = 0;
        while (at < other.rank && (used[at] || !core_atom_equal(size, other.sizes[at]))) {
            at++;
        }
        if (at < other.rank) {
            used[at] = true;
        } else if (size.name || size.as.integer > FEW_ELEMENTS) {
            return false;
        } else {
            constant *= size.as.integer;
        }
        if (constant > FEW_ELEMENTS) {
            return false;
        }
    }
    for (int at = 0; at < other.rank; at++) {
        if (!used[at] && !is_some(other.sizes[at], type)) {
            return false;
        }
    }
    return true;
}

/* There is memory for such an array: it has no more elements than what is there anyway. */
static bool is_memory_for(const Branches *b, CoreType type)
{
    bool found = type.rank == 0 || is_within(b->c->arena, type, core_scalar(type.prim));
    for (size_t i = 0; i < b->known.count && !found; i++) {
        found = is_within(b->c->arena, type, b->known.items[i]);
    }
    return found;
}

static bool has_memory(const Branches *b, const CoreStm *stm)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (!is_memory_for(b, stm->pattern[k]->type)) {
            return false;
        }
    }
    return true;
}

/* A map whose rows the scatter after it takes, and nobody else: neighbours that are one kernel, and have no memory
   between them. Where they are not one after all, lowering leaves the branches to the host. */
static bool is_taken(const CoreBody *body, size_t at)
{
    const CoreStm *map = body->stms[at],
                  *taker = at + 1 < body->stm_count ? body->stms[at + 1] : NULL;
    if (!taker || map->exp->kind != CORE_EXP_SOAC ||
        (taker->exp->kind != CORE_EXP_SCATTER && taker->exp->kind != CORE_EXP_HIST) ||
        !core_stm_binds(map, taker->exp->as.scatter.indices.name)) {
        return false;
    }
    CoreBody rest = {.stm_count = body->stm_count - at - 2, .stms = body->stms + at + 2};
    bool others = false;
    for (size_t k = 0; k < map->pattern_count; k++) {
        others = others || core_uses(&rest, map->pattern[k]);
    }
    for (size_t k = 0; k < body->result_count; k++) {
        others = others || core_stm_binds(map, body->results[k].name);
    }
    return !others;
}

static bool fits_body(Branches *b, const CoreBody *body);

static bool fits(Branches *b, const CoreBody *body, size_t at)
{
    const CoreStm *stm = body->stms[at];
    const CoreExp *exp = stm->exp;
    if (++b->statements > MOST_STATEMENTS) {
        return false;
    }
    switch ((int)exp->kind) { /* others have effects, or are steps of the host's */
    case CORE_EXP_ATOM:
    case CORE_EXP_ASSERT: /* the device checks */
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_CONJOIN:
    case CORE_EXP_LITERAL: return true;
    case CORE_EXP_COPY:
    case CORE_EXP_SCRATCH:
    case CORE_EXP_UPDATE: return has_memory(b, stm);
    case CORE_EXP_IF:
        return core_is_selection(stm) || (has_memory(b, stm) && has_places(stm) &&
                                          fits_body(b, exp->as.conditional.then_body) &&
                                          fits_body(b, exp->as.conditional.else_body));
    case CORE_EXP_SOAC:
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST:
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
        if (exp->level == CORE_SEQ || has_memory(b, stm)) {
            return exp->level != CORE_SEQ;
        }
        b->has_own_width = true;
        return is_taken(body, at);
    }
    return core_is_view(exp->kind) || exp->kind == CORE_EXP_INDEX;
}

static bool fits_body(Branches *b, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        if (!fits(b, body, i)) {
            return false;
        }
    }
    return true;
}

static Branches branches_of(Compilation *c, const CoreStm *stm)
{
    Branches b = {.c = c};
    core_each_free(stm, note_free, &b);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        note_type(&b, stm->pattern[k]->type);
    }
    return b;
}

bool core_is_memory_for(Compilation *c, const CoreStm *branches, CoreType type)
{
    Branches b = branches_of(c, branches);
    return is_memory_for(&b, type);
}

/* ---- what the host has anyway ------------------------------------------------------------------ */

static bool is_idle(const CoreBody *branch)
{
    for (size_t i = 0; i < branch->stm_count; i++) {
        const CoreExp *exp = branch->stms[i]->exp;
        if (exp->kind != CORE_EXP_ATOM && exp->kind != CORE_EXP_UNARY &&
            exp->kind != CORE_EXP_BINARY && exp->kind != CORE_EXP_CONVERT) {
            return false;
        }
    }
    return true;
}

typedef struct Idle {
    const CoreBody *body; /* with the IF */
    const CoreStm *stm;
    const CoreBody *branch; /* of it, in which nothing happens */
    size_t looked;          /* names looked for */
    bool found;             /* something that the host does not have when the branch was taken */
} Idle;

static const CoreStm *binding(const CoreBody *body, const CoreName *name)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        if (core_stm_binds(body->stms[i], name)) {
            return body->stms[i];
        }
    }
    return NULL;
}

/* The array is the same in the next iteration. */
static bool stays(const Idle *idle, const CoreName *array)
{
    for (size_t k = 0; k < idle->stm->pattern_count; k++) {
        bool given = idle->branch->results[k].name == array;
        for (size_t i = 0; given && i < idle->body->result_count; i++) {
            if (idle->body->results[i].name == idle->stm->pattern[k]) {
                return true;
            }
        }
    }
    return false;
}

static void look_for(void *context, CoreAtom atom)
{
    Idle *idle = context;
    const CoreStm *stm = atom.name ? binding(idle->body, atom.name) : NULL;
    if (++idle->looked > MOST_LOOKED) {
        idle->found = true;
    } else if (atom.name && atom.name->type.rank > 0) {
        idle->found = idle->found || stm || !stays(idle, atom.name);
    } else if (stm && !idle->found) {
        CoreExpKind kind = stm->exp->kind;
        bool looks = kind == CORE_EXP_ATOM || kind == CORE_EXP_UNARY || kind == CORE_EXP_BINARY ||
                     kind == CORE_EXP_CONVERT || kind == CORE_EXP_INDEX;
        idle->found = idle->found || !looks;
        if (looks) {
            core_each_operand(stm->exp, look_for, idle);
        }
    }
}

/* Elements decide that a branch leaves as they are in which nothing happens. Where that one was taken the host has read
   them: it waits only where there was something to do. */
static bool waits_rarely(const CoreBody *body, const CoreStm *stm)
{
    const CoreBody *branches[] = {stm->exp->as.conditional.then_body,
                                  stm->exp->as.conditional.else_body};
    for (int k = 0; k < 2; k++) {
        Idle idle = {body, stm, branches[k], 0, !is_idle(branches[k])};
        look_for(&idle, stm->exp->as.conditional.condition);
        if (!idle.found) {
            return true;
        }
    }
    return false;
}

bool device_may_choose(Compilation *c, const CoreBody *body, const CoreStm *stm)
{
    Branches b = branches_of(c, stm);
    return has_places(stm) && fits_body(&b, stm->exp->as.conditional.then_body) &&
           fits_body(&b, stm->exp->as.conditional.else_body) &&
           !(b.has_own_width && waits_rarely(body, stm));
}

/* ---- the branches anew ------------------------------------------------------------------------- */

typedef struct Choose {
    Compilation *c;
    size_t *counts;
    PointerMap device; /* CoreName -> itself: a scalar made on the device */
    int loops;         /* of the host's, around */
} Choose;

static const CoreBody *with_arrays(Compilation *c, const CoreBody *body, const bool *moves)
{
    CoreBuilder b = core_builder(c, (Span){0});
    CoreAtom *results = arena_copy(c->arena, body->results, sizeof *results * body->result_count);
    for (size_t i = 0; i < body->stm_count; i++) {
        b.span = body->stms[i]->span;
        core_add(&b, body->stms[i]);
    }
    device_store(&b, body->result_count, moves, results);
    return core_body(&b, body->result_count, results);
}

/* The IF at level @grid, what its branches compute arrays. */
static void let_device_choose(Choose *s, CoreBuilder *b, const CoreStm *stm)
{
    size_t count = stm->pattern_count;
    CoreStm *copy = arena_copy(s->c->arena, stm, sizeof *stm);
    CoreExp *exp = core_exp_copy(s->c, stm->exp);
    CoreName **pattern = arena_copy(s->c->arena, stm->pattern, sizeof(CoreName *) * count);
    bool *moves = ARENA_ARRAY(s->c->arena, bool, count + 1);
    const CoreBody **branches[] = {&exp->as.conditional.then_body, &exp->as.conditional.else_body};
    for (size_t k = 0; k < count; k++) {
        moves[k] = pattern[k]->type.rank == 0 &&
                   (core_binds(*branches[0], (*branches[0])->results[k].name) ||
                    core_binds(*branches[1], (*branches[1])->results[k].name));
        pattern[k] = moves[k] ? device_array(s->c, pattern[k]) : pattern[k];
    }
    *branches[0] = with_arrays(s->c, *branches[0], moves);
    *branches[1] = with_arrays(s->c, *branches[1], moves);
    exp->level = CORE_GRID;
    copy->exp = exp;
    copy->pattern = pattern;
    core_add(b, copy);
    b->span = stm->span;
    for (size_t k = 0; k < count; k++) {
        if (moves[k]) {
            device_load(b, stm->pattern[k], pattern[k]);
        }
    }
    s->counts[CORE_RULE_DEVICE_BRANCHES]++;
}

/* ---- the pass ---------------------------------------------------------------------------------- */

typedef struct Search {
    const Choose *s;
    bool found;
} Search;

static void look_at(void *context, CoreAtom atom)
{
    Search *search = context;
    search->found =
        search->found || (atom.name && pointer_map_get(&search->s->device, atom.name) != NULL);
}

/* The device makes the scalars that the statement binds. */
static bool is_made_there(const Choose *s, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    Search search = {s, false};
    switch ((int)exp->kind) { /* of others the host knows them, or the device makes none */
    case CORE_EXP_INDEX:
    case CORE_EXP_SOAC:
    case CORE_EXP_COMPACT:
    case CORE_EXP_STREAM_RED: return exp->level != CORE_SEQ;
    case CORE_EXP_ATOM:
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT: core_each_operand(exp, look_at, &search); return search.found;
    case CORE_EXP_IF:
        look_at(&search, exp->as.conditional.condition);
        for (size_t k = 0; k < stm->pattern_count; k++) {
            look_at(&search, exp->as.conditional.then_body->results[k]);
            look_at(&search, exp->as.conditional.else_body->results[k]);
        }
        return search.found;
    }
    return false;
}

static void mark(Choose *s, const CoreStm *stm)
{
    for (size_t k = 0; is_made_there(s, stm) && k < stm->pattern_count; k++) {
        if (stm->pattern[k]->type.rank == 0) {
            pointer_map_set(s->c->arena, &s->device, stm->pattern[k], stm->pattern[k]);
        }
    }
}

/* Whether the loop goes on, of a body's results; NULL: the body is not that of such a loop. */
static const CoreAtom *goes_on(const CoreExp *loop)
{
    for (size_t i = 0; loop->as.loop.condition && i < loop->as.loop.parameter_count; i++) {
        if (loop->as.loop.parameters[i] == loop->as.loop.condition) {
            return &loop->as.loop.body->results[i];
        }
    }
    return NULL;
}

static const CoreBody *choose_in(Choose *s, const CoreBody *body, const CoreAtom *on);

/* Not in a branch that leaves. */
static const CoreStm *choose_inside(Choose *s, const CoreStm *stm, Leaving leaving,
                                    const CoreAtom *inner)
{
    CoreStm *copy = arena_copy(s->c->arena, stm, sizeof *stm);
    CoreExp *exp = core_exp_copy(s->c, stm->exp);
    copy->exp = exp;
    if (exp->kind == CORE_EXP_LOOP) {
        s->loops++;
        exp->as.loop.body = choose_in(s, exp->as.loop.body, goes_on(exp));
        s->loops--;
        return copy;
    }
    if (leaving != LEAVES_THEN) {
        exp->as.conditional.then_body = choose_in(s, exp->as.conditional.then_body, inner);
    }
    if (leaving != LEAVES_ELSE) {
        exp->as.conditional.else_body = choose_in(s, exp->as.conditional.else_body, inner);
    }
    return copy;
}

/* `on`: its result that says whether the loop around goes on; NULL: there is none. */
static const CoreBody *choose_in(Choose *s, const CoreBody *body, const CoreAtom *on)
{
    CoreBuilder b = core_builder(s->c, (Span){0});
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (stm->exp->kind != CORE_EXP_LOOP && stm->exp->kind != CORE_EXP_IF) {
            core_add(&b, stm); /* functions of SOACs are kernels */
            mark(s, stm);
            continue;
        }
        CoreAtom inner;
        bool has_inner = false, is_if = stm->exp->kind == CORE_EXP_IF;
        Leaving leaving = is_if ? device_leaving(body, stm, on, &inner, &has_inner) : LEAVES_NOT;
        const CoreStm *fresh = choose_inside(s, stm, leaving, has_inner ? &inner : NULL);
        Search search = {s, false};
        if (is_if) {
            look_at(&search, stm->exp->as.conditional.condition);
        }
        if (search.found && s->loops > 0 && leaving == LEAVES_NOT && !core_is_selection(fresh) &&
            device_may_choose(s->c, body, fresh)) {
            let_device_choose(s, &b, fresh);
        } else {
            core_add(&b, fresh);
        }
        mark(s, fresh);
    }
    return core_with_stms(s->c, body, b.stms.count, b.stms.items);
}

static const CoreBody *choose_anywhere(void *context, const CoreBody *body)
{
    return choose_in(context, body, NULL);
}

CoreProgram *core_choose_on_device(Compilation *c, const CoreProgram *program, size_t *counts)
{
    size_t ignored[CORE_RULE_COUNT] = {0};
    Choose s = {.c = c, .counts = counts ? counts : ignored};
    const CoreProgram *chosen = core_map_functions(c, program, choose_anywhere, &s);
    return arena_copy(c->arena, chosen, sizeof *chosen);
}
