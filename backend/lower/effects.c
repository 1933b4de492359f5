/* Effects: what a program does besides computing. They stay in program order on the host.

       print a        the array stored, one element after the other, then PRINT of its buffer and shape
       (n, xs) = read the runtime makes the buffer; n is a scalar of the host

   An effect inside what would be a kernel makes that a loop of the host instead. */
#include "backend/lower/lower.h"

static KernelVariable *result_scalar(Lower *L, CoreName *name)
{
    KernelVariable *result =
        kernel_variable(L->c, name->text, name->type.prim, KERNEL_SCALAR, L->b->span);
    kernel_declare(L->b, result, NULL);
    return result;
}

void lower_show(KernelEffect *effect, const Reader *array, KernelVariable *copy)
{
    bool is_there = copy == NULL && !kernel_is_i64(array->offset, 0);
    effect->source = copy != NULL ? copy : array->buffer;
    effect->start = is_there ? array->offset : NULL;
    effect->rank = array->rank;
    effect->shape = array->shape;
}

/* What is printed or formatted. */
static void put_operand(Lower *L, CoreAtom atom, KernelEffect *effect)
{
    Value value = lower_value(L, atom);
    if (value.array == NULL) {
        effect->value = value.scalar;
    } else {
        bool is_run = lower_is_run(value.array);
        lower_show(effect, value.array, is_run ? NULL : lower_whole(L, atom, CORE_REASON_EFFECT));
    }
}

static void print_value(Lower *L, CoreAtom atom, bool is_complex)
{
    KernelEffect effect = {.kind = KERNEL_PRINT, .is_complex = is_complex};
    put_operand(L, atom, &effect);
    kernel_effect(L->b, effect);
}

/* READ and FORMAT: the runtime makes the array that the pattern ends with. */
static void made_by_runtime(Lower *L, CoreName *array, KernelEffect effect)
{
    effect.variable =
        kernel_variable(L->c, array->text, array->type.prim, KERNEL_GLOBAL, L->b->span);
    kernel_effect(L->b, effect);
    lower_own(L, effect.variable);
    lower_bind_array(
        L, array,
        lower_buffer_reader(L, effect.variable, array->type.rank, lower_shape(L, array->type)));
}

static void read_file(Lower *L, const CoreStm *stm)
{
    CoreAtom file = stm->exp->as.read.file;
    int rank = stm->exp->as.read.rank;
    KernelVariable **extents = ARENA_ARRAY(L->c->arena, KernelVariable *, rank);
    for (int k = 0; k < rank; k++) {
        extents[k] = result_scalar(L, stm->pattern[k]);
        lower_bind_scalar(L, stm->pattern[k], kernel_use(L->c, extents[k]));
    }
    KernelEffect effect = {.kind = KERNEL_READ,
                           .rank = rank,
                           .extents = extents,
                           .format = stm->exp->as.read.format,
                           .second = lower_array(L, file)->shape[0]};
    effect.source = lower_whole(L, file, CORE_REASON_EFFECT);
    made_by_runtime(L, stm->pattern[rank], effect);
}

static void format(Lower *L, const CoreStm *stm)
{
    CoreAtom how = stm->exp->as.format.how;
    KernelEffect effect = {.kind = KERNEL_FORMAT, .is_complex = stm->exp->as.format.is_complex};
    if (core_atom_type(how).rank == 0) {
        effect.second = lower_scalar(L, how);
    } else {
        effect.second = lower_array(L, how)->shape[0];
        effect.fields = lower_whole(L, how, CORE_REASON_EFFECT);
    }
    put_operand(L, stm->exp->as.format.array, &effect);
    effect.result = result_scalar(L, stm->pattern[0]);
    lower_bind_scalar(L, stm->pattern[0], kernel_use(L->c, effect.result));
    made_by_runtime(L, stm->pattern[1], effect);
}

static void scalar_effect(Lower *L, const CoreStm *stm, KernelEffect effect)
{
    effect.result = result_scalar(L, stm->pattern[0]);
    kernel_effect(L->b, effect);
    lower_bind_scalar(L, stm->pattern[0], kernel_use(L->c, effect.result));
}

void lower_effect(Lower *L, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (L->in_kernel) {
        L->failed = true;
        for (size_t k = 0; k < stm->pattern_count; k++) {
            CoreName *name = stm->pattern[k];
            if (name->type.rank == 0) {
                lower_bind_scalar(L, name, lower_zero(L, lower_prim(name->type.prim)));
            } else {
                lower_bind_array(L, name,
                                 lower_allocate(L, name->text, name->type.prim, name->type.rank,
                                                lower_shape(L, name->type)));
            }
        }
        return;
    }
    KernelEffect effect = {0};
    if (exp->kind == CORE_EXP_PRINT || exp->kind == CORE_EXP_PRINT_COMPLEX) {
        print_value(L, exp->as.atom, exp->kind == CORE_EXP_PRINT_COMPLEX);
    } else if (exp->kind == CORE_EXP_READ) {
        read_file(L, stm);
    } else if (exp->kind == CORE_EXP_ARGUMENT) {
        effect.kind = KERNEL_ARGUMENT;
        effect.name = exp->as.argument.name;
        effect.value = lower_scalar(L, exp->as.argument.fallback);
        scalar_effect(L, stm, effect);
    } else if (exp->kind == CORE_EXP_NOW) {
        effect.kind = KERNEL_NOW;
        scalar_effect(L, stm, effect);
    } else if (exp->kind == CORE_EXP_DRAWS) {
        effect.kind = KERNEL_DRAWS;
        effect.value = lower_scalar(L, exp->as.atom);
        scalar_effect(L, stm, effect);
    } else if (exp->kind == CORE_EXP_SEED) {
        effect.kind = KERNEL_SEED;
        effect.value = lower_scalar(L, exp->as.atom);
        kernel_effect(L->b, effect);
    } else if (exp->kind == CORE_EXP_SEED_NOW) {
        effect.kind = KERNEL_SEED_NOW;
        scalar_effect(L, stm, effect);
    } else if (exp->kind == CORE_EXP_PRECISION) {
        effect.kind = KERNEL_PRECISION;
        effect.value = lower_scalar(L, exp->as.atom);
        kernel_effect(L->b, effect);
    } else if (exp->kind == CORE_EXP_PRECISION_NOW) {
        effect.kind = KERNEL_PRECISION_NOW;
        scalar_effect(L, stm, effect);
    } else if (exp->kind == CORE_EXP_DEVICE) {
        lower_bind_scalar(L, stm->pattern[0],
                          L->target == KERNEL_SEQUENTIAL
                              ? lower_number(L, core_device_least(exp->as.device))
                              : lower_device(L, exp->as.device, CORE_I64));
    } else if (exp->kind == CORE_EXP_BENCH) {
        effect.kind = KERNEL_BENCH;
        effect.value = lower_scalar(L, exp->as.bench.iterations);
        effect.second = lower_scalar(L, exp->as.bench.milliseconds);
        kernel_effect(L->b, effect);
    } else if (exp->kind == CORE_EXP_FORMAT) {
        format(L, stm);
    }
}
