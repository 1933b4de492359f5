/* [L0 5.3] Assertions and certificates.

   On the host a failing check ends the program, so that its certificate always holds afterwards. In a kernel the certificate is a
   bool, under which what relies on it is guarded: a work-item goes on, and of the rows whose checks fail the first is reported.

   Of assertions in several stages (core/fuse/stages.c) the least stage counts first. On the device the number of a row begins with
   the stage (emit/device.c). In a loop of the host one of a later stage is noted, with its values, and checked behind the
   loop, since one of a lesser stage may fail in a row to come:

       var fine : bool = true
       for (i < n) {
           check ..                                      -- of stage 0
           var holds : bool = ..                         -- of stage 1
           if !holds & fine { fine = false; x1 = x }
           if holds { .. }
       }
       check fine else INDEX ERROR .. (x1) */
#include "backend/lower/checks.h"

/* ---- certificates ---------------------------------------------------------------------------- */

const KernelExp *lower_both(Lower *L, const KernelExp *x, const KernelExp *y)
{
    return x == NULL   ? y
           : y == NULL ? x
                       : lower_let(L, "holds", kernel_binary(L->c, CORE_AND, x, y));
}

static const KernelExp *all(Lower *L, size_t count, const CoreAtom *certificates,
                            const KernelExp *guard)
{
    for (size_t i = 0; i < count; i++) {
        if (certificates[i].name != NULL) {
            guard = lower_both(L, guard, lower_value(L, certificates[i]).guard);
        }
    }
    return guard;
}

const KernelExp *lower_guard_of(Lower *L, const CoreStm *stm)
{
    return all(L, stm->certificate_count, stm->certificates, NULL);
}

void lower_conjoin(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    Value certificate = {
        .guard = all(L, exp->as.items.count, exp->as.items.items, lower_guard_of(L, stm))};
    lower_bind(L, stm->pattern[0], certificate);
}

/* ---- later stages, on the host --------------------------------------------------------------- */

/* What is noted of a stage: nothing of it has failed; which of its assertions has. */
typedef struct Stage {
    unsigned number;
    KernelVariable *fine, *which;
} Stage;

typedef struct Later {
    size_t failure;
    Stage stage;
    size_t value_count;
    KernelVariable **values; /* where it failed */
} Later;

/* Of a statement of the host, or two that are lowered together. */
struct LowerStages {
    KernelBuilder *before; /* what is put there now stands before the statement */
    VEC(Later) assertions;
};

static bool has_stages(const CoreStm *stm)
{
    return stm->exp->kind == CORE_EXP_SOAC && core_last_stage(stm->exp->as.soac.map->body) > 0;
}

void lower_begin_stages(Lower *L, const CoreBody *body, size_t i)
{
    if (has_stages(body->stms[i]) || (i + 1 < body->stm_count && has_stages(body->stms[i + 1]))) {
        L->stages = ARENA_NEW(L->c->arena, LowerStages);
        *L->stages = (LowerStages){.before = L->b};
    }
}

/* NULL: there is none of that number yet. */
static const Stage *stage_of(const LowerStages *stages, unsigned number)
{
    const Stage *found = NULL;
    for (size_t i = 0; i < stages->assertions.count && !found; i++) {
        const Stage *stage = &stages->assertions.items[i].stage;
        found = stage->number == number ? stage : NULL;
    }
    return found;
}

static KernelVariable *declared_before(Lower *L, const char *text, const KernelExp *value)
{
    KernelVariable *variable = kernel_variable(L->c, text, value->prim, KERNEL_SCALAR, L->b->span);
    kernel_declare(L->stages->before, variable, value);
    return variable;
}

/* What is noted of the assertion, declared before the statement of the host that is being lowered. */
static size_t later(Lower *L, const CoreExp *exp, size_t failure, size_t count,
                    const KernelExp *const *values)
{
    LowerStages *stages = L->stages;
    for (size_t i = 0; i < stages->assertions.count; i++) {
        if (stages->assertions.items[i].failure == failure) {
            return i;
        }
    }
    const Stage *known = stage_of(stages, exp->as.assertion.stage);
    Later assertion = {.failure = failure};
    if (known) {
        assertion.stage = *known;
    } else {
        assertion.stage.number = exp->as.assertion.stage;
        assertion.stage.fine = declared_before(L, "fine", kernel_constant(L->c, core_bool(true)));
        assertion.stage.which = declared_before(L, "which", kernel_i64(L->c, 0));
    }
    assertion.value_count = count;
    assertion.values = ARENA_ARRAY(L->c->arena, KernelVariable *, count + 1);
    for (size_t i = 0; i < count; i++) {
        assertion.values[i] =
            declared_before(L, "value", kernel_constant(L->c, core_zero(values[i]->prim)));
    }
    vec_push(L->c->arena, &stages->assertions, assertion);
    return stages->assertions.count - 1;
}

/* Where the condition does not hold, and nothing of the stage has failed in a row before, it is noted. */
static void note_failure(Lower *L, const CoreExp *exp, const KernelExp *holds, size_t failure,
                         size_t count, const KernelExp *const *values)
{
    const size_t number = later(L, exp, failure, count, values);
    const Later *assertion = &L->stages->assertions.items[number];
    KernelBuilder *outer = L->b;
    KernelBuilder b = kernel_builder(L->c, outer->span);
    kernel_assign(&b, assertion->stage.fine, kernel_constant(L->c, core_bool(false)));
    kernel_assign(&b, assertion->stage.which, kernel_i64(L->c, (int64_t)number));
    for (size_t i = 0; i < count; i++) {
        kernel_assign(&b, assertion->values[i], values[i]);
    }
    const KernelExp *first = kernel_binary(L->c, CORE_AND, kernel_use(L->c, assertion->stage.fine),
                                           kernel_unary(L->c, CORE_NOT, holds));
    kernel_if(outer, first, kernel_block(&b), (KernelBlock){0});
}

void lower_end_stages(Lower *L, LowerStages *outer)
{
    const LowerStages *stages = L->stages;
    if (stages == outer) {
        return;
    }
    for (unsigned number = 1, left = (unsigned)stages->assertions.count; left > 0; number++) {
        for (size_t i = 0; i < stages->assertions.count; i++) {
            const Later *assertion = &stages->assertions.items[i];
            if (assertion->stage.number != number) {
                continue;
            }
            const KernelExp **values =
                ARENA_ARRAY(L->c->arena, const KernelExp *, assertion->value_count + 1);
            for (size_t k = 0; k < assertion->value_count; k++) {
                values[k] = kernel_use(L->c, assertion->values[k]);
            }
            const KernelExp *other =
                kernel_binary(L->c, CORE_NE, kernel_use(L->c, assertion->stage.which),
                              kernel_i64(L->c, (int64_t)i));
            kernel_check(
                L->b, NULL,
                kernel_binary(L->c, CORE_OR, kernel_use(L->c, assertion->stage.fine), other), NULL,
                assertion->failure, assertion->value_count, values);
            left--;
        }
    }
    L->stages = outer;
}

/* ---- assertions ------------------------------------------------------------------------------ */

/* One row of the failure table an assertion, however often it is lowered. */
static size_t failure_of(Lower *L, const CoreStm *stm, const KernelExp *const *values)
{
    const CoreExp *exp = stm->exp;
    uintptr_t known = (uintptr_t)pointer_map_get(&L->checks, exp);
    if (known != 0) {
        return known - 1;
    }
    size_t count = exp->as.assertion.value_count;
    CorePrim *prims = ARENA_ARRAY(L->c->arena, CorePrim, count + 1);
    for (size_t i = 0; i < count; i++) {
        prims[i] = values[i]->prim;
    }
    KernelFailure failure = {exp->as.assertion.error,
                             exp->as.assertion.message,
                             count,
                             prims,
                             exp->as.assertion.stage,
                             stm->span};
    vec_push(L->c->arena, &L->failures, failure);
    pointer_map_set(L->c->arena, &L->checks, exp, (void *)(uintptr_t)L->failures.count);
    return L->failures.count - 1;
}

/* Under a certificate that fails, the check says nothing. */
void lower_assert(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    size_t count = exp->as.assertion.value_count;
    const KernelExp **values = ARENA_ARRAY(L->c->arena, const KernelExp *, count + 1);
    for (size_t i = 0; i < count; i++) {
        values[i] = lower_scalar(L, exp->as.assertion.values[i]);
    }
    const KernelExp *condition = lower_scalar(L, exp->as.assertion.condition);
    const KernelExp *guard = lower_guard_of(L, stm);
    size_t failure = failure_of(L, stm, values);
    Value certificate = {0};
    if (guard != NULL) {
        condition = kernel_select(L->c, guard, condition, kernel_constant(L->c, core_bool(true)));
    }
    if (L->in_kernel) {
        KernelVariable *flag = kernel_variable(L->c, "holds", CORE_BOOL, KERNEL_SCALAR, L->b->span);
        kernel_declare(L->b, flag, NULL);
        kernel_check(L->b, flag, condition, L->number, failure, count, values);
        certificate.guard = kernel_use(L->c, flag);
        lower_while_fails(L, certificate.guard);
    } else if (exp->as.assertion.stage > 0 && L->stages != NULL) {
        certificate.guard = lower_let(L, "holds", condition);
        note_failure(L, exp, certificate.guard, failure, count, values);
    } else {
        kernel_check(L->b, NULL, condition, NULL, failure, count, values);
    }
    certificate.guard = lower_both(L, guard, certificate.guard);
    lower_bind(L, stm->pattern[0], certificate);
}
