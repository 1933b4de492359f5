/* [L0 7.4] What only one branch of an `if` uses is computed in that branch: not at all where the
   other one runs, and where it does, together with what uses it.

       let w = scan n (+) 0 xs                    let t = if c then {
       let t = if c then {                          let w = scan n (+) 0 xs
         let s = reduce n (+) 0 w          ==>      let s = reduce n (+) 0 w
         in (s) } else { in (0) }                   in (s) } else { in (0) }

   What both branches use, and nothing else does, is computed once in either case, so that it may be
   in both, and is where it becomes one with something there: a SOAC of one of the branches takes its
   rows. (Cheap maps are computed where they are read, wherever that is: delay.c. These are scans,
   filters and dear maps.)

       let w = scan n (+) 0 xs                    let t = if c then { let w = scan n (+) 0 xs
       let t = if c then {                                            let s = reduce n max 0 w
         let s = reduce n max 0 w          ==>                        in (s) }
         in (s) } else { in (w[k]) }              else { let w' = scan n (+) 0 xs  in (w'[k]) }

   Legal ([L0 7.4.1]) where nothing else uses it, nor the condition; where
   it cannot fail, so that errors keep their order; and where nothing that it reads is written in
   place, so that it may run later. The `if` stands in the same body: nothing moves into a loop, and
   nothing in the function of a SOAC moves, since an `if` with a SOAC in it would keep the nest from
   becoming a grid. Views and scalars move only with what they are of. It comes after SOACs have
   become one (graph.c): what shares a pass with others stays with them. */
#include "core/fuse/fuse.h"

enum { MOST_COPIED = 200 }; /* statements of what goes into both branches */

/* Where all uses of a statement stand, as far as they are known. */
typedef enum UseKind { USE_NONE, USE_BRANCH, USE_BOTH, USE_ANYWHERE } UseKind;

typedef struct Use {
    UseKind kind;
    size_t conditional; /* BRANCH, BOTH: number of the `if` in the body */
    bool in_else;       /* BRANCH */
} Use;

typedef struct Branches {
    Fuse *f;
    const CoreBody *body;
    PointerMap binders; /* CoreName -> 1 + number of the statement of the body that binds it */
    Use *uses;          /* of each statement: what users there are after the one at work */
    bool *moves;
    Use use; /* of the names that are being visited */
    size_t at;
    bool found;
} Branches;

/* ---- where statements are used --------------------------------------------------------------- */

size_t fuse_binder(const PointerMap *binders, const CoreName *name)
{
    return (size_t)(uintptr_t)pointer_map_get(binders, name) - 1;
}

void fuse_note_binders(Fuse *f, PointerMap *binders, size_t first, size_t end,
                       const CoreStm *const *stms)
{
    for (size_t i = first; i < end; i++) {
        for (size_t k = 0; k < stms[i]->pattern_count; k++) {
            pointer_map_set(f->c->arena, binders, stms[i]->pattern[k], (void *)(uintptr_t)(i + 1));
        }
    }
}

size_t fuse_length(size_t count, const CoreStm *const *stms)
{
    const CoreBody body = {.stm_count = count, .stms = stms};
    const CoreFunction function = {.body = &body};
    const CoreFunction *const functions[] = {&function};
    const CoreProgram program = {.function_count = 1, .functions = functions};
    return core_count(&program);
}

static bool is_in_branch(const Use *use)
{
    return use->kind == USE_BRANCH || use->kind == USE_BOTH;
}

static void note_use(void *context, CoreName *name)
{
    Branches *b = context;
    size_t binder = fuse_binder(&b->binders, name);
    if (binder == SIZE_MAX) {
        return;
    }
    Use *use = &b->uses[binder];
    if (use->kind == USE_NONE) {
        *use = b->use;
    } else if (!is_in_branch(use) || !is_in_branch(&b->use) ||
               use->conditional != b->use.conditional) {
        use->kind = USE_ANYWHERE;
    } else if (b->use.kind == USE_BOTH || use->in_else != b->use.in_else) {
        use->kind = USE_BOTH;
    }
}

/* The `if` with nothing but one of its branches. */
static void note_branch(Branches *b, const CoreStm *stm, size_t number, bool in_else)
{
    static const CoreBody nothing = {0};
    const CoreExp *exp = stm->exp;
    CoreExp *alone = core_exp_copy(b->f->c, exp);
    alone->as.conditional.condition = core_bool(true);
    alone->as.conditional.then_body =
        in_else ? exp->as.conditional.else_body : exp->as.conditional.then_body;
    alone->as.conditional.else_body = &nothing;
    const CoreStm branch = {.exp = alone, .span = stm->span};
    b->use = (Use){USE_BRANCH, number, in_else};
    core_each_free(&branch, note_use, b);
}

/* What the `if` uses beside its branches. */
static void note_condition(Branches *b, const CoreStm *stm)
{
    static const CoreBody nothing = {0};
    CoreExp *alone = core_exp_copy(b->f->c, stm->exp);
    alone->as.conditional.then_body = alone->as.conditional.else_body = &nothing;
    CoreStm condition = *stm;
    condition.exp = alone;
    b->use = (Use){.kind = USE_ANYWHERE};
    core_each_free(&condition, note_use, b);
}

/* ---- what may move --------------------------------------------------------------------------- */

/* A pass over memory, or more. */
static bool is_dear(const CoreStm *stm)
{
    switch ((int)stm->exp->kind) { /* the others are views, scalars, or stay */
    case CORE_EXP_SOAC:
    case CORE_EXP_FILTER:
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ:
    case CORE_EXP_LOOP:
    case CORE_EXP_COPY: return true;
    }
    return false;
}

bool fuse_is_companion(const CoreStm *stm)
{
    switch ((int)stm->exp->kind) { /* views and scalars */
    case CORE_EXP_ATOM:
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_INDEX: return true;
    }
    return core_is_view(stm->exp->kind);
}

bool fuse_may_move(Fuse *f, const CoreStm *stm)
{
    return (is_dear(stm) || fuse_is_companion(stm)) && stm->exp->level == CORE_LEVEL_AUTO &&
           stm->exp->space == CORE_SPACE_AUTO && !core_may_fail(stm) &&
           !fuse_reads_consumed(f, stm);
}

static bool makes_rows(const CoreStm *stm, CoreAtom input)
{
    for (size_t k = 0; input.name && k < stm->pattern_count; k++) {
        if (stm->pattern[k] == input.name) {
            return true;
        }
    }
    return false;
}

/* A SOAC or filter of the branch goes over rows of what the statement makes. */
static bool is_taken_in(const CoreStm *stm, const CoreBody *branch)
{
    for (size_t i = 0; i < branch->stm_count; i++) {
        const CoreExp *exp = branch->stms[i]->exp;
        bool soac = fuse_is_soac(branch->stms[i]), filter = exp->kind == CORE_EXP_FILTER;
        size_t count = soac ? exp->as.soac.input_count : filter ? exp->as.filter.input_count : 0;
        const CoreAtom *inputs = soac ? exp->as.soac.inputs : exp->as.filter.inputs;
        for (size_t k = 0; k < count; k++) {
            if (makes_rows(stm, inputs[k])) {
                return true;
            }
        }
    }
    return false;
}

/* It becomes one with something in a branch, and is not too long to be written twice. */
static bool is_worth_both(const Branches *b, const CoreStm *stm, const Use *use)
{
    const CoreExp *conditional = b->body->stms[use->conditional]->exp;
    return (fuse_is_soac(stm) || stm->exp->kind == CORE_EXP_FILTER) &&
           fuse_length(1, &stm) <= MOST_COPIED &&
           (is_taken_in(stm, conditional->as.conditional.then_body) ||
            is_taken_in(stm, conditional->as.conditional.else_body));
}

static bool moves_into(Branches *b, const CoreStm *stm, const Use *use)
{
    return is_in_branch(use) && fuse_may_move(b->f, stm) &&
           (use->kind == USE_BRANCH || fuse_is_companion(stm) || is_worth_both(b, stm, use));
}

static void find_moving(void *context, CoreName *name)
{
    Branches *b = context;
    size_t binder = fuse_binder(&b->binders, name);
    b->found = b->found || (binder != SIZE_MAX && b->moves[binder]);
}

/* From the last statement to the first: a statement that may move uses things where it will be.
   Then forwards: what is dear moves, and what is of something that does. Whether any. */
static bool choose(Branches *b)
{
    b->use = (Use){.kind = USE_ANYWHERE};
    for (size_t i = 0; i < b->body->result_count; i++) {
        if (b->body->results[i].name) {
            note_use(b, b->body->results[i].name);
        }
    }
    for (size_t i = b->body->stm_count; i-- > 0;) {
        const CoreStm *stm = b->body->stms[i];
        if (stm->exp->kind == CORE_EXP_IF) {
            note_branch(b, stm, i, false);
            note_branch(b, stm, i, true);
            note_condition(b, stm);
            continue;
        }
        b->moves[i] = moves_into(b, stm, &b->uses[i]);
        b->use = b->moves[i] ? b->uses[i] : (Use){.kind = USE_ANYWHERE};
        core_each_free(stm, note_use, b);
    }
    bool any = false;
    for (size_t i = 0; i < b->body->stm_count; i++) {
        b->found = false;
        if (b->moves[i] && !is_dear(b->body->stms[i])) {
            core_each_free(b->body->stms[i], find_moving, b);
            b->moves[i] = b->found;
        }
        any = any || b->moves[i];
    }
    return any;
}

/* ---- moving ---------------------------------------------------------------------------------- */

static const CoreBody *with_fresh_names(Compilation *c, const CoreBody *old)
{
    Renaming *renaming = core_renaming(c);
    CoreBody *body = arena_copy(c->arena, old, sizeof *body);
    const CoreStm **stms = ARENA_ARRAY(c->arena, const CoreStm *, old->stm_count + 1);
    for (size_t i = 0; i < old->stm_count; i++) {
        stms[i] = core_rename_stm(renaming, old->stms[i]);
    }
    body->stms = stms;
    body->results = core_map_atoms(c, old->result_count, old->results, core_renamed, renaming);
    return body;
}

/* The branch with what moves into it before its own statements. */
static const CoreBody *with_moved(Branches *b, const CoreStm *stm, bool in_else,
                                  const CoreBody *branch)
{
    CoreBuilder builder = core_builder(b->f->c, stm->span);
    bool twice = false;
    for (size_t i = 0; i < b->at; i++) {
        bool both = b->uses[i].kind == USE_BOTH;
        if (b->moves[i] && b->uses[i].conditional == b->at &&
            (both || b->uses[i].in_else == in_else)) {
            core_add(&builder, b->body->stms[i]);
            twice = twice || both;
            if (is_dear(b->body->stms[i])) {
                fuse_log_done(b->f, CORE_RULE_FUSE_BRANCH, b->body->stms[i], stm, NULL);
                fuse_fired(b->f, CORE_RULE_FUSE_BRANCH);
            }
        }
    }
    for (size_t i = 0; i < branch->stm_count; i++) {
        core_add(&builder, branch->stms[i]);
    }
    const CoreBody *body = core_body(&builder, branch->result_count, branch->results);
    return twice && in_else ? with_fresh_names(b->f->c, body) : body;
}

static const CoreStm *with_all_moved(Branches *b, const CoreStm *stm)
{
    CoreStm *moved = arena_copy(b->f->c->arena, stm, sizeof *stm);
    CoreExp *exp = core_exp_copy(b->f->c, stm->exp);
    exp->as.conditional.then_body = with_moved(b, stm, false, exp->as.conditional.then_body);
    exp->as.conditional.else_body = with_moved(b, stm, true, exp->as.conditional.else_body);
    moved->exp = exp;
    return moved;
}

static const CoreBody *move_in(Fuse *f, const CoreBody *old)
{
    Branches b = {.f = f, .body = old};
    size_t count = 0;
    b.uses = ARENA_ARRAY(f->c->arena, Use, old->stm_count + 1);
    b.moves = ARENA_ARRAY(f->c->arena, bool, old->stm_count + 1);
    memset(b.uses, 0, old->stm_count * sizeof *b.uses);
    memset(b.moves, 0, old->stm_count * sizeof *b.moves);
    fuse_note_binders(f, &b.binders, 0, old->stm_count, old->stms);
    if (!choose(&b)) {
        return old;
    }
    const CoreStm **stms = ARENA_ARRAY(f->c->arena, const CoreStm *, old->stm_count + 1);
    for (b.at = 0; b.at < old->stm_count; b.at++) {
        const CoreStm *stm = old->stms[b.at];
        if (!b.moves[b.at]) {
            stms[count++] = stm->exp->kind == CORE_EXP_IF ? with_all_moved(&b, stm) : stm;
        }
    }
    CoreBody *body = arena_copy(f->c->arena, old, sizeof *old);
    body->stms = stms;
    body->stm_count = count;
    return body;
}

static bool has_conditional(const CoreBody *body)
{
    bool found = false;
    for (size_t i = 0; i < body->stm_count && !found; i++) {
        found = body->stms[i]->exp->kind == CORE_EXP_IF;
    }
    return found;
}

/* Bodies of loops and branches, too, but none in the function of a SOAC. */
static const CoreBody *branches_body(void *context, const CoreBody *old)
{
    Fuse *f = context;
    const CoreStm **stms = ARENA_ARRAY(f->arena, const CoreStm *, old->stm_count + 1);
    for (size_t i = 0; i < old->stm_count; i++) {
        stms[i] = old->stms[i];
        if (old->stms[i]->exp->kind == CORE_EXP_IF || old->stms[i]->exp->kind == CORE_EXP_LOOP) {
            stms[i] = core_map_stm(f->c, old->stms[i], branches_body, f);
        }
    }
    const CoreBody *body = core_with_stms(f->c, old, old->stm_count, stms);
    const CoreBody *moved = has_conditional(body) ? move_in(f, body) : body;
    return moved == body && has_conditional(body) ? fuse_behind(f, body) : moved;
}

const CoreFunction *fuse_branches(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, branches_body(f, function->body));
}
