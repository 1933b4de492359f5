/* Rows of a fold that a bit takes out, in kernels.

       reduce (^) 0 (map2 (\d i -> d & neg (k >> i & 1)) ds (iota 30))

       for i < 30 {
           bit = k >> i & 1
           if (bit != 0) {
               d = ds[i]
               total = total ^ d
           }
       }

   Where each operand of a fold is a value under one mask, neg b of a b that is 0 or 1, and 0 changes
   no total, a row whose b is 0 need be neither read nor computed. On devices that run work-items in
   step that is fewer instructions, a test of a bit in place of what spreads it over a word, and never
   more reads; what computes a value is skipped where all neighbours skip it. Sequential programs,
   and kernels for processors, keep the mask, which processors have vectors for. */
#include "backend/lower/lower.h"

typedef struct Wanted {
    Arena *arena;
    PointerMap names;
} Wanted;

typedef struct Masked {
    const CoreStm *mask; /* let mask = neg b */
    CoreAtom bit;
    Wanted of_condition, of_values;
    const CoreBody *condition; /* the statements that b needs */
    const CoreBody *values;    /* the rest, without masks; its results are what is accumulated */
} Masked;

static const CoreStm *definition(const CoreBody *body, CoreAtom atom)
{
    for (size_t i = 0; i < body->stm_count && atom.name; i++) {
        for (size_t k = 0; k < body->stms[i]->pattern_count; k++) {
            if (body->stms[i]->pattern[k] == atom.name) {
                return body->stms[i];
            }
        }
    }
    return NULL;
}

/* let mask = neg b. */
static bool is_mask(const CoreBody *body, CoreAtom atom, const CoreStm **mask)
{
    *mask = definition(body, atom);
    return *mask && (*mask)->exp->kind == CORE_EXP_UNARY && (*mask)->certificate_count == 0 &&
           (*mask)->exp->as.scalar.op == CORE_NEG && (*mask)->exp->as.scalar.prim == CORE_I64;
}

/* x & 1, or a bool as a number. */
static bool is_bit(const CoreBody *body, CoreAtom atom)
{
    const CoreStm *stm = definition(body, atom);
    if (!stm || stm->certificate_count > 0) {
        return false;
    }
    if (stm->exp->kind == CORE_EXP_CONVERT) {
        return core_atom_type(stm->exp->as.convert.x).prim == CORE_BOOL;
    }
    CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
    return stm->exp->kind == CORE_EXP_BINARY && stm->exp->as.scalar.op == CORE_AND &&
           stm->exp->as.scalar.prim == CORE_I64 &&
           ((!x.name && x.as.integer == 1) || (!y.name && y.as.integer == 1));
}

/* \x y -> x op y, of which 0 is the neutral element. */
static bool is_unchanged_by_0(const CoreReduction *reduction)
{
    const CoreLambda *function = reduction->function;
    const CoreBody *body = function->body;
    if (function->parameter_count != 2 || body->stm_count != 1 || body->result_count != 1 ||
        body->stms[0]->exp->kind != CORE_EXP_BINARY ||
        body->results[0].name != body->stms[0]->pattern[0]) {
        return false;
    }
    const CoreExp *exp = body->stms[0]->exp;
    CoreOperator op = exp->as.scalar.op;
    return exp->as.scalar.prim == CORE_I64 && (op == CORE_ADD || op == CORE_XOR || op == CORE_OR) &&
           exp->as.scalar.x.name == function->parameters[0] &&
           exp->as.scalar.y.name == function->parameters[1];
}

/* result = value & mask, the same mask for each. */
static bool find_value(const CoreBody *body, CoreAtom result, const CoreStm **mask, CoreAtom *value)
{
    const CoreStm *stm = definition(body, result), *found;
    if (!stm || stm->exp->kind != CORE_EXP_BINARY || stm->exp->as.scalar.op != CORE_AND ||
        stm->certificate_count > 0) {
        return false;
    }
    CoreAtom x = stm->exp->as.scalar.x, y = stm->exp->as.scalar.y;
    bool right = is_mask(body, y, &found) && (!*mask || found == *mask);
    if (!right && !(is_mask(body, x, &found) && (!*mask || found == *mask))) {
        return false;
    }
    *mask = found;
    *value = right ? x : y;
    return true;
}

static bool may_skip(const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (stm->exp->kind == CORE_EXP_ASSERT || stm->certificate_count > 0 ||
            !lower_is_cheap(stm->exp)) {
            return false;
        }
    }
    return true;
}

static void want(void *context, CoreName *name)
{
    Wanted *wanted = context;
    pointer_map_set(wanted->arena, &wanted->names, name, wanted);
}

static void want_atom(Wanted *wanted, CoreAtom atom)
{
    if (atom.name) {
        want(wanted, atom.name);
    }
}

/* The statements that define what is wanted, directly or not, but for those that define what `had`
   has: their operands come to what is wanted. */
static const CoreBody *slice(const CoreBody *body, Wanted *wanted, const Wanted *had)
{
    CoreBody *part = arena_copy(wanted->arena, body, sizeof *body);
    const CoreStm **stms = ARENA_ARRAY(wanted->arena, const CoreStm *, body->stm_count + 1);
    size_t first = body->stm_count;
    for (size_t i = body->stm_count; i-- > 0;) {
        const CoreName *name = body->stms[i]->pattern[0];
        if (pointer_map_get(&wanted->names, name) != NULL &&
            (had == NULL || pointer_map_get(&had->names, name) == NULL)) {
            stms[--first] = body->stms[i];
            core_each_free(body->stms[i], want, wanted);
        }
    }
    part->stms = stms + first;
    part->stm_count = body->stm_count - first;
    part->result_count = 0;
    return part;
}

static bool find(Lower *L, const CoreSoac *soac, Masked *masked)
{
    const CoreBody *body = soac->map->body;
    if (!L->in_kernel || L->target != KERNEL_PARALLEL || L->on_processor || soac->scan_count > 0 ||
        soac->reduction_count == 0 || body->result_count != soac->reduction_count ||
        !may_skip(body)) {
        return false;
    }
    CoreAtom *values = ARENA_ARRAY(L->c->arena, CoreAtom, body->result_count);
    *masked = (Masked){.of_condition.arena = L->c->arena, .of_values.arena = L->c->arena};
    for (size_t r = 0; r < soac->reduction_count; r++) {
        if (!is_unchanged_by_0(&soac->reductions[r]) ||
            !find_value(body, body->results[r], &masked->mask, &values[r])) {
            return false;
        }
        want_atom(&masked->of_values, values[r]);
    }
    masked->bit = masked->mask->exp->as.scalar.x;
    if (!is_bit(body, masked->bit)) {
        return false;
    }
    want_atom(&masked->of_condition, masked->bit);
    masked->condition = slice(body, &masked->of_condition, NULL);
    CoreBody *rest = (CoreBody *)slice(body, &masked->of_values, &masked->of_condition);
    rest->result_count = body->result_count;
    rest->results = values;
    masked->values = rest;
    return true;
}

/* Rows of the inputs that are wanted, and not there yet. */
static void bind(Lower *L, const CoreSoac *soac, const KernelExp *index, const Wanted *wanted,
                 const Wanted *had)
{
    for (size_t k = 0; k < soac->input_count; k++) {
        const CoreName *parameter = soac->map->parameters[k];
        if (pointer_map_get(&wanted->names, parameter) != NULL &&
            (had == NULL || pointer_map_get(&had->names, parameter) == NULL)) {
            lower_bind_rows(L, soac->map, k, 1, soac->inputs + k, index);
        }
    }
}

bool lower_masked_row(Lower *L, const CoreSoac *soac, const KernelExp *index,
                      Accumulator *accumulators)
{
    Masked masked;
    LowerLoop row;
    if (!find(L, soac, &masked)) {
        return false;
    }
    bind(L, soac, index, &masked.of_condition, NULL);
    lower_body(L, masked.condition, NULL, NULL);
    const KernelExp *bit = lower_scalar(L, masked.bit);
    lower_block_begin(L, &row);
    bind(L, soac, index, &masked.of_values, &masked.of_condition);
    lower_bind_scalar(L, masked.mask->pattern[0], lower_number(L, -1));
    Value *operands = ARENA_ARRAY(L->c->arena, Value, soac->reduction_count + 1);
    lower_body(L, masked.values, NULL, operands);
    for (size_t r = 0; r < soac->reduction_count; r++) {
        lower_accumulate(L, &soac->reductions[r], &accumulators[r], &operands[r]);
    }
    kernel_if(row.outer, lower_op(L, CORE_NE, bit, lower_number(L, 0)), lower_block_end(L, &row),
              (KernelBlock){0});
    return true;
}
