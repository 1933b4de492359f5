/* The interpreter's scalar instructions: one C function for each operator and prim, made from the
   definitions in runtime/scalar.h that generated programs use too.

       let x = a + b     (i64)   run_add_i64: frame[x].whole = tl_add_i64(frame[a].whole,
                                                                          frame[b].whole) */
#include "core/interpret_machine.h"

#include "runtime/random.h"

/* How cells hold each type. */
#define FIELD_bool whole
#define FIELD_char whole
#define FIELD_i32 whole
#define FIELD_i64 whole
#define FIELD_f32 real
#define FIELD_f64 real

#define UNARY(name, T)                                                                             \
    static void run_##name##_##T(Machine *machine, const Instruction *in, Cell *frame)             \
    {                                                                                              \
        (void)machine;                                                                             \
        frame[in->result].FIELD_##T = tl_##name##_##T((tl_##T)frame[in->x].FIELD_##T);             \
    }
#define BINARY(name, T)                                                                            \
    static void run_##name##_##T(Machine *machine, const Instruction *in, Cell *frame)             \
    {                                                                                              \
        (void)machine;                                                                             \
        frame[in->result].FIELD_##T =                                                              \
            tl_##name##_##T((tl_##T)frame[in->x].FIELD_##T, (tl_##T)frame[in->y].FIELD_##T);       \
    }
#define TO_WHOLE(name, T)                                                                          \
    static void run_##name##_##T(Machine *machine, const Instruction *in, Cell *frame)             \
    {                                                                                              \
        (void)machine;                                                                             \
        frame[in->result].whole = tl_##name##_##T((tl_##T)frame[in->x].FIELD_##T);                 \
    }
#define COMPARISON(name, T)                                                                        \
    static void run_##name##_##T(Machine *machine, const Instruction *in, Cell *frame)             \
    {                                                                                              \
        (void)machine;                                                                             \
        frame[in->result].whole =                                                                  \
            tl_##name##_##T((tl_##T)frame[in->x].FIELD_##T, (tl_##T)frame[in->y].FIELD_##T);       \
    }

#define INTS(FORM, name) FORM(name, i32) FORM(name, i64)
#define REALS(FORM, name) FORM(name, f32) FORM(name, f64)
#define NUMBERS(FORM, name) INTS(FORM, name) REALS(FORM, name)
#define BITS(FORM, name) FORM(name, bool) INTS(FORM, name)
#define ALL(FORM, name) FORM(name, bool) FORM(name, char) NUMBERS(FORM, name)

NUMBERS(BINARY, add)
NUMBERS(BINARY, sub)
NUMBERS(BINARY, mul)
NUMBERS(BINARY, div)
NUMBERS(BINARY, mod)
REALS(BINARY, pow)
NUMBERS(BINARY, max)
NUMBERS(BINARY, min)
REALS(BINARY, unless_nan)
NUMBERS(BINARY, gcd)
NUMBERS(BINARY, lcm)
REALS(BINARY, binom)
REALS(BINARY, atan2)
REALS(BINARY, hypot)
BITS(BINARY, and)
BITS(BINARY, or)
BITS(BINARY, xor)
INTS(BINARY, shl)
INTS(BINARY, shr)
INTS(BINARY, sar)
ALL(COMPARISON, eq)
ALL(COMPARISON, ne)
ALL(COMPARISON, lt)
ALL(COMPARISON, le)
ALL(COMPARISON, gt)
ALL(COMPARISON, ge)
NUMBERS(UNARY, neg)
NUMBERS(UNARY, abs)
NUMBERS(UNARY, sign)
BITS(UNARY, not )
REALS(UNARY, floor)
REALS(UNARY, ceil)
REALS(UNARY, via_i64)
REALS(TO_WHOLE, bits)
REALS(UNARY, exp)
REALS(UNARY, log)
REALS(UNARY, sqrt)
REALS(UNARY, sin)
REALS(UNARY, cos)
REALS(UNARY, tan)
REALS(UNARY, asin)
REALS(UNARY, acos)
REALS(UNARY, atan)
REALS(UNARY, sinh)
REALS(UNARY, cosh)
REALS(UNARY, tanh)
REALS(UNARY, asinh)
REALS(UNARY, acosh)
REALS(UNARY, atanh)
REALS(UNARY, fact)

static void run_quot(Machine *machine, const Instruction *in, Cell *frame)
{
    (void)machine;
    frame[in->result].whole = tl_quot_i64(frame[in->x].whole, frame[in->y].whole);
}

static void run_random(Machine *machine, const Instruction *in, Cell *frame)
{
    int64_t seed = frame[in->x].whole, draw = frame[in->y].whole;
    frame[in->result].whole =
        machine->effects->random ? machine->effects->random(seed, draw) : tl_random_i64(seed, draw);
}

/* The functions of one operator, by prim: bool char i32 i64 f32 f64. */
#define ROW_INTS(name)                                                                             \
    {                                                                                              \
        NULL, NULL, run_##name##_i32, run_##name##_i64, NULL, NULL                                 \
    }
#define ROW_REALS(name)                                                                            \
    {                                                                                              \
        NULL, NULL, NULL, NULL, run_##name##_f32, run_##name##_f64                                 \
    }
#define ROW_NUMBERS(name)                                                                          \
    {                                                                                              \
        NULL, NULL, run_##name##_i32, run_##name##_i64, run_##name##_f32, run_##name##_f64         \
    }
#define ROW_BITS(name)                                                                             \
    {                                                                                              \
        run_##name##_bool, NULL, run_##name##_i32, run_##name##_i64, NULL, NULL                    \
    }
#define ROW_ALL(name)                                                                              \
    {                                                                                              \
        run_##name##_bool, run_##name##_char, run_##name##_i32, run_##name##_i64,                  \
            run_##name##_f32, run_##name##_f64                                                     \
    }

static Run *const operator_runs[CORE_OPERATOR_COUNT][6] = {
    [CORE_ADD] = ROW_NUMBERS(add),
    [CORE_SUB] = ROW_NUMBERS(sub),
    [CORE_MUL] = ROW_NUMBERS(mul),
    [CORE_DIV] = ROW_NUMBERS(div),
    [CORE_MOD] = ROW_NUMBERS(mod),
    [CORE_POW] = ROW_REALS(pow),
    [CORE_MAX] = ROW_NUMBERS(max),
    [CORE_MIN] = ROW_NUMBERS(min),
    [CORE_UNLESS_NAN] = ROW_REALS(unless_nan),
    [CORE_GCD] = ROW_NUMBERS(gcd),
    [CORE_LCM] = ROW_NUMBERS(lcm),
    [CORE_BINOM] = ROW_REALS(binom),
    [CORE_ATAN2] = ROW_REALS(atan2),
    [CORE_HYPOT] = ROW_REALS(hypot),
    [CORE_AND] = ROW_BITS(and),
    [CORE_OR] = ROW_BITS(or),
    [CORE_XOR] = ROW_BITS(xor),
    [CORE_SHL] = ROW_INTS(shl),
    [CORE_SHR] = ROW_INTS(shr),
    [CORE_QUOT] = {NULL, NULL, NULL, run_quot, NULL, NULL},
    [CORE_SAR] = ROW_INTS(sar),
    [CORE_EQ] = ROW_ALL(eq),
    [CORE_NE] = ROW_ALL(ne),
    [CORE_LT] = ROW_ALL(lt),
    [CORE_LE] = ROW_ALL(le),
    [CORE_GT] = ROW_ALL(gt),
    [CORE_GE] = ROW_ALL(ge),
    [CORE_RANDOM] = {NULL, NULL, NULL, run_random, NULL, NULL},
    [CORE_NEG] = ROW_NUMBERS(neg),
    [CORE_ABS] = ROW_NUMBERS(abs),
    [CORE_SIGN] = ROW_NUMBERS(sign),
    [CORE_NOT] = ROW_BITS(not ),
    [CORE_FLOOR] = ROW_REALS(floor),
    [CORE_CEIL] = ROW_REALS(ceil),
    [CORE_VIA_I64] = ROW_REALS(via_i64),
    [CORE_BITS] = ROW_REALS(bits),
    [CORE_EXP] = ROW_REALS(exp),
    [CORE_LOG] = ROW_REALS(log),
    [CORE_SQRT] = ROW_REALS(sqrt),
    [CORE_SIN] = ROW_REALS(sin),
    [CORE_COS] = ROW_REALS(cos),
    [CORE_TAN] = ROW_REALS(tan),
    [CORE_ASIN] = ROW_REALS(asin),
    [CORE_ACOS] = ROW_REALS(acos),
    [CORE_ATAN] = ROW_REALS(atan),
    [CORE_SINH] = ROW_REALS(sinh),
    [CORE_COSH] = ROW_REALS(cosh),
    [CORE_TANH] = ROW_REALS(tanh),
    [CORE_ASINH] = ROW_REALS(asinh),
    [CORE_ACOSH] = ROW_REALS(acosh),
    [CORE_ATANH] = ROW_REALS(atanh),
    [CORE_FACT] = ROW_REALS(fact),
};

/* ---- conversions --------------------------------------------------------------------------- */

/* A cell tells only wholes from reals, and all prims of either kind convert alike: an i64 cell
   holds every smaller whole value exactly, an f64 every f32. */
#define CONVERSION(TO, FROM)                                                                       \
    static void run_##TO##_of_##FROM(Machine *machine, const Instruction *in, Cell *frame)         \
    {                                                                                              \
        (void)machine;                                                                             \
        frame[in->result].FIELD_##TO = tl_##TO##_of_##FROM(frame[in->x].FIELD_##FROM);             \
    }
#define CONVERSIONS(FROM)                                                                          \
    CONVERSION(bool, FROM)                                                                         \
    CONVERSION(char, FROM)                                                                         \
    CONVERSION(i32, FROM)                                                                          \
    CONVERSION(i64, FROM)                                                                          \
    CONVERSION(f32, FROM)                                                                          \
    CONVERSION(f64, FROM)

CONVERSIONS(i64)
CONVERSIONS(f64)

static Run *const conversion_runs[2][6] = {
    {run_bool_of_i64, run_char_of_i64, run_i32_of_i64, run_i64_of_i64, run_f32_of_i64,
     run_f64_of_i64},
    {run_bool_of_f64, run_char_of_f64, run_i32_of_f64, run_i64_of_f64, run_f32_of_f64,
     run_f64_of_f64},
};

Run *interpret_scalar_run(const CoreExp *exp)
{
    if (exp->kind == CORE_EXP_CONVERT) {
        CorePrim from = core_atom_type(exp->as.convert.x).prim;
        return conversion_runs[core_is_real(from)][exp->as.convert.to];
    }
    return operator_runs[exp->as.scalar.op][exp->as.scalar.prim];
}
