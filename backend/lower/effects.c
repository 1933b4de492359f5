/* Effects: printing, reading and what else happens on the host in program order. An array that is
   printed, or that names a file, is stored row-major from the beginning of a buffer. */
#include "backend/lower/lower.h"

static KernelVariable *result_scalar(Lower *L, CoreName *name)
{
    KernelVariable *variable =
        kernel_variable(L->c, name->text, lower_prim(name->type.prim), KERNEL_SCALAR, L->b->span);
    kernel_declare(L->b, variable, NULL);
    lower_bind_scalar(L, name, kernel_use(L->c, variable));
    return variable;
}

/* pattern (n, xs : [n]prim): the effect makes xs and says how long it is. */
static void result_array(Lower *L, const CoreStm *stm, KernelEffect *effect)
{
    effect->result = result_scalar(L, stm->pattern[0]);
    effect->variable = kernel_variable(L->c, stm->pattern[1]->text, stm->pattern[1]->type.prim,
                                       KERNEL_GLOBAL, L->b->span);
    kernel_effect(L->b, *effect);
    lower_own(L, effect->variable);
    const KernelExp **shape = ARENA_ARRAY(L->c->arena, const KernelExp *, 1);
    shape[0] = kernel_use(L->c, effect->result);
    lower_bind_array(L, stm->pattern[1], lower_buffer_reader(L, effect->variable, 1, shape));
}

static void source_array(Lower *L, CoreAtom atom, KernelEffect *effect)
{
    const Reader *array = lower_array(L, atom);
    effect->source = lower_whole(L, atom);
    effect->rank = array->rank;
    effect->shape = array->shape;
}

static void lower_print(Lower *L, const CoreStm *stm)
{
    CoreAtom atom = stm->exp->as.atom;
    KernelEffect effect = {.kind = KERNEL_PRINT};
    Value value = lower_value(L, atom);
    if (value.array != NULL) {
        source_array(L, atom, &effect);
    } else {
        effect.value = value.scalar;
    }
    kernel_effect(L->b, effect);
}

void lower_effect(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (L->in_kernel) {
        internal_error(L->c, "an effect inside a kernel");
    }
    KernelEffect effect = {0};
    switch ((int)exp->kind) { /* exactly the effects */
    case CORE_EXP_PRINT: lower_print(L, stm); return;
    case CORE_EXP_READ:
        effect.kind = KERNEL_READ;
        source_array(L, exp->as.read.file, &effect);
        result_array(L, stm, &effect);
        return;
    case CORE_EXP_FORMAT:
        effect.kind = KERNEL_FORMAT;
        effect.value = lower_scalar(L, exp->as.atom);
        result_array(L, stm, &effect);
        return;
    case CORE_EXP_ARGUMENT:
        effect.kind = KERNEL_ARGUMENT;
        effect.name = exp->as.argument.name;
        effect.value = lower_scalar(L, exp->as.argument.fallback);
        break;
    case CORE_EXP_NOW: effect.kind = KERNEL_NOW; break;
    case CORE_EXP_SEED_NOW: effect.kind = KERNEL_SEED_NOW; break;
    case CORE_EXP_DRAWS:
        effect.kind = KERNEL_DRAWS;
        effect.value = lower_scalar(L, exp->as.atom);
        break;
    case CORE_EXP_SEED:
        effect.kind = KERNEL_SEED;
        effect.value = lower_scalar(L, exp->as.atom);
        break;
    case CORE_EXP_BENCH:
        effect.kind = KERNEL_BENCH;
        effect.value = lower_scalar(L, exp->as.bench.iterations);
        effect.second = lower_scalar(L, exp->as.bench.milliseconds);
        break;
    }
    if (stm->pattern_count > 0) {
        effect.result = result_scalar(L, stm->pattern[0]);
    }
    kernel_effect(L->b, effect);
}
