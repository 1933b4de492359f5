/* Strategies: the levels and spaces that a program asks for are kept, or refused with the place
   where they cannot be ([DPIA] 6: a primitive of one level stands only within its own).

       @seq      one after the other: a loop, in one work-item where it can be one
       @grid     over all work-items: not within @grid, @group or @thread. Of an IF: kernels of both
                 branches are started, and those of the one that is not taken do nothing
       @group    over work-groups: as @grid; its function is scalar work, views, copies, @thread
       @thread   over the work-items of a group: directly in the function of a @group
       @global   device memory: anywhere
       @local    memory of a work-group: constant sizes, in the function of a @group
       @private  memory of a work-item: constant sizes, in the function of a SOAC

   What stands between, without a level, is the compiler's: a SOAC around @grid or @group becomes a
   loop of the host. Here is what can be seen in the program as it is written, once its calls are
   inlined and before anything is simplified, for every target alike (sequential C then runs all
   levels in sequence); lower_refuse_level and lower_refuse_space report what only lowering finds
   out. */
#include "backend/lower/lower.h"

/* Where a statement stands. */
typedef struct Surroundings {
    Lower *L;
    const CoreStm *stm;
    CoreLevel inside; /* GRID, GROUP or THREAD: within a SOAC of that level; else AUTO */
    bool in_function; /* within some SOAC's function */
    bool directly; /* THREAD may stand here: the function of a GROUP, no loop or branch between */
} Surroundings;

static const char *level_text(CoreLevel level)
{
    switch (level) {
    case CORE_LEVEL_AUTO: return "";
    case CORE_SEQ: return "@seq";
    case CORE_THREAD: return "@thread";
    case CORE_GROUP: return "@group";
    case CORE_GRID: return "@grid";
    }
    return "";
}

static const char *space_text(CoreSpace space)
{
    switch (space) {
    case CORE_SPACE_AUTO: return "";
    case CORE_PRIVATE: return "@private";
    case CORE_LOCAL: return "@local";
    case CORE_GLOBAL: return "@global";
    case CORE_STORED: return "@stored";
    case CORE_UPDATED: return "@updated";
    }
    return "";
}

/* ---- reports --------------------------------------------------------------------------------- */

static void refuse(Lower *L, const CoreStm *stm, const char *what, const char *why)
{
    if (pointer_map_get(&L->refused, stm->exp) == NULL) {
        pointer_map_set(L->c->arena, &L->refused, stm->exp, L);
        diagnostics_add(L->c->diagnostics, stm->span, "STRATEGY ERROR", "%s %s", what, why);
    }
}

void lower_refuse_level(Lower *L, const CoreStm *stm, const char *why)
{
    CoreLevel level = stm->exp->level;
    if (L->target == KERNEL_PARALLEL && (level == CORE_GRID || level == CORE_GROUP)) {
        refuse(L, stm, level_text(level), why);
    }
}

void lower_refuse_space(Lower *L, const CoreStm *stm, const char *why)
{
    refuse(L, stm, space_text(stm->exp->space), why);
}

/* ---- levels ---------------------------------------------------------------------------------- */

static void check_level(const Surroundings *at, const CoreStm *stm)
{
    CoreLevel level = stm->exp->level;
    const char *text = level_text(level);
    switch (level) {
    case CORE_LEVEL_AUTO:
    case CORE_SEQ: return;
    case CORE_GRID:
    case CORE_GROUP:
        if (at->inside != CORE_LEVEL_AUTO) {
            refuse(at->L, stm, text,
                   arena_printf(at->L->c->arena, "cannot stand within %s", level_text(at->inside)));
        } else if (stm->exp->kind == CORE_EXP_STREAM_SEQ) {
            refuse(at->L, stm, text, "is parallel, and stream_seq is not");
        } else if (level == CORE_GROUP && !lower_is_map(stm->exp)) {
            refuse(at->L, stm, text, "is for map alone");
        }
        return;
    case CORE_THREAD:
        if (!at->directly) {
            refuse(at->L, stm, text, "has to stand directly in the function of a @group map");
        } else if (!lower_is_map(stm->exp) && !lower_is_scalar_reduce(stm->exp)) {
            refuse(at->L, stm, text, "is for map and for reductions to scalars");
        }
        return;
    }
}

/* ---- spaces ---------------------------------------------------------------------------------- */

bool lower_has_constant_sizes(CoreType type)
{
    for (int axis = 0; axis < type.rank; axis++) {
        if (type.sizes[axis].name != NULL) {
            return false;
        }
    }
    return true;
}

static void check_space(const Surroundings *at, const CoreStm *stm)
{
    CoreSpace space = stm->exp->space;
    const char *text = space_text(space);
    bool arrays = false, constant = true;
    if (space == CORE_SPACE_AUTO || (space == CORE_STORED && stm->exp->kind == CORE_EXP_COPY)) {
        return;
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        arrays = arrays || stm->pattern[k]->type.rank > 0;
        constant = constant && lower_has_constant_sizes(stm->pattern[k]->type);
    }
    if (space == CORE_UPDATED) {
        refuse(at->L, stm, text, "is the compiler's own");
    } else if (space == CORE_STORED) {
        refuse(at->L, stm, text, "is for copies alone");
    } else if (stm->exp->kind == CORE_EXP_IF) {
        refuse(at->L, stm, text, "is for what makes arrays, not for branches");
    } else if (!arrays) {
        refuse(at->L, stm, text, "is for arrays, and here are none");
    } else if (space != CORE_GLOBAL && !constant) {
        refuse(at->L, stm, text, "memory needs sizes that are constants");
    } else if (space == CORE_LOCAL && !at->directly) {
        refuse(
            at->L, stm, text,
            "memory is of a work-group: it has to stand directly in the function of a @group map");
    } else if (space == CORE_PRIVATE && (!at->in_function || at->directly)) {
        refuse(
            at->L, stm, text,
            "memory is of a work-item: it has to stand in the function of a SOAC, not of @group");
    }
}

/* ---- functions of @group --------------------------------------------------------------------- */

typedef struct UniformWalk {
    bool good;
} UniformWalk;

static void walk_uniform(void *context, const CoreBody *body)
{
    UniformWalk *walk = context;
    for (size_t i = 0; i < body->stm_count && walk->good; i++) {
        walk->good = lower_is_uniform(body->stms[i]);
    }
}

bool lower_is_uniform(const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (lower_is_cheap(exp)) {
        return exp->kind != CORE_EXP_REPLICATE || exp->space == CORE_SPACE_AUTO;
    }
    if (exp->kind != CORE_EXP_IF && exp->kind != CORE_EXP_LOOP) {
        return false;
    }
    UniformWalk walk = {true};
    for (size_t k = 0; k < stm->pattern_count; k++) {
        walk.good = walk.good && stm->pattern[k]->type.rank == 0;
    }
    core_each_body(exp, walk_uniform, &walk);
    return walk.good;
}

static void check_group(const Surroundings *at, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    bool shared =
        exp->kind == CORE_EXP_COPY || (exp->kind == CORE_EXP_SOAC && exp->level == CORE_THREAD);
    if (shared && stm->certificate_count > 0) {
        refuse(at->L, stm, "a statement under a certificate",
               "cannot be shared out in the function of a @group map");
    } else if (!shared && !lower_is_uniform(stm)) {
        refuse(at->L, stm, "the function of a @group map",
               "has scalar work, views, copies and @thread SOACs, and nothing like this");
    }
}

/* ---- the walk -------------------------------------------------------------------------------- */

static bool is_soac(CoreExpKind kind)
{
    return kind == CORE_EXP_SOAC || kind == CORE_EXP_FILTER || kind == CORE_EXP_COMPACT ||
           kind == CORE_EXP_SCATTER || kind == CORE_EXP_HIST || kind == CORE_EXP_DIGIT_SORT ||
           kind == CORE_EXP_STREAM_MAP || kind == CORE_EXP_STREAM_RED ||
           kind == CORE_EXP_STREAM_SEQ;
}

static void check_body(void *context, const CoreBody *body)
{
    const Surroundings *at = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        check_level(at, stm);
        check_space(at, stm);
        if (at->directly) {
            check_group(at, stm);
        }
        Surroundings inner = *at;
        inner.stm = stm;
        inner.directly = false;
        if (is_soac(stm->exp->kind)) {
            CoreLevel level = stm->exp->level;
            inner.in_function = true;
            inner.directly = level == CORE_GROUP;
            inner.inside = level == CORE_LEVEL_AUTO || level == CORE_SEQ ? at->inside : level;
        }
        core_each_body(stm->exp, check_body, &inner);
    }
}

bool kernel_check_strategy(Compilation *c, const CoreProgram *program)
{
    Lower L = {.c = c};
    Surroundings top = {.L = &L};
    for (size_t i = 0; i < program->function_count; i++) {
        check_body(&top, program->functions[i]->body);
    }
    return L.refused.count == 0;
}

/* ---- questions ------------------------------------------------------------------------------- */

bool lower_is_map(const CoreExp *exp)
{
    return exp->kind == CORE_EXP_SOAC && exp->as.soac.reduction_count == 0 &&
           exp->as.soac.scan_count == 0;
}

bool lower_is_scalar_reduce(const CoreExp *exp)
{
    if (exp->kind != CORE_EXP_SOAC || exp->as.soac.scan_count > 0) {
        return false;
    }
    for (size_t r = 0; r < exp->as.soac.reduction_count; r++) {
        if (!lower_scalar_operator(&exp->as.soac.reductions[r])) {
            return false;
        }
    }
    return true;
}

typedef struct LevelWalk {
    bool found;
} LevelWalk;

static void find_kernels(void *context, const CoreBody *body)
{
    LevelWalk *walk = context;
    for (size_t i = 0; i < body->stm_count && !walk->found; i++) {
        CoreLevel level = body->stms[i]->exp->level;
        walk->found = level == CORE_GRID || level == CORE_GROUP;
        core_each_body(body->stms[i]->exp, find_kernels, walk);
    }
}

bool lower_has_kernels(const CoreExp *exp)
{
    LevelWalk walk = {false};
    core_each_body(exp, find_kernels, &walk);
    return walk.found;
}
