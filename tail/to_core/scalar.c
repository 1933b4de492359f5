/* Builtins on scalars: most are one core operator ([TAIL] fig. 5, binop and unop); the rest are two
   or three.

       resi(x,y)  ==>  y % x           the operands change places
       floor(x)   ==>  i64 (floor x)   saturates; 0 of nan
       nandb(x,y) ==>  !(x & y) */
#include "tail/to_core/to_core.h"

/* How a builtin is made of core operators. */
typedef enum Shape {
    OTHER,    /* no scalar builtin, or one with a rule of its own */
    UNARY,    /* op x */
    BINARY,   /* x op y */
    SWAPPED,  /* y op x */
    NEGATED,  /* !(x op y) */
    TO_INT,   /* int (op x) */
    CONVERTED /* int x, double x */
} Shape;

typedef struct Rule {
    Shape shape;
    CoreOperator op;
} Rule;

static const Rule RULES[TAIL_OP_COUNT] = {
    [TAIL_OP_ADDI] = {BINARY, CORE_ADD},   [TAIL_OP_SUBI] = {BINARY, CORE_SUB},
    [TAIL_OP_MULI] = {BINARY, CORE_MUL},   [TAIL_OP_DIVI] = {BINARY, CORE_DIV},
    [TAIL_OP_MOD] = {BINARY, CORE_MOD},    [TAIL_OP_RESI] = {SWAPPED, CORE_MOD},
    [TAIL_OP_MAXI] = {BINARY, CORE_MAX},   [TAIL_OP_MINI] = {BINARY, CORE_MIN},
    [TAIL_OP_NEGI] = {UNARY, CORE_NEG},    [TAIL_OP_ABSI] = {UNARY, CORE_ABS},
    [TAIL_OP_SIGNI] = {UNARY, CORE_SIGN},  [TAIL_OP_ANDI] = {BINARY, CORE_AND},
    [TAIL_OP_ORI] = {BINARY, CORE_OR},     [TAIL_OP_XORI] = {BINARY, CORE_XOR},
    [TAIL_OP_NOTI] = {UNARY, CORE_NOT},    [TAIL_OP_SHLI] = {BINARY, CORE_SHL},
    [TAIL_OP_SHRI] = {BINARY, CORE_SHR},   [TAIL_OP_SHARI] = {BINARY, CORE_SAR},
    [TAIL_OP_GCDI] = {BINARY, CORE_GCD},   [TAIL_OP_LCMI] = {BINARY, CORE_LCM},
    [TAIL_OP_LTI] = {BINARY, CORE_LT},     [TAIL_OP_LTEI] = {BINARY, CORE_LE},
    [TAIL_OP_GTI] = {BINARY, CORE_GT},     [TAIL_OP_GTEI] = {BINARY, CORE_GE},
    [TAIL_OP_EQI] = {BINARY, CORE_EQ},     [TAIL_OP_ADDD] = {BINARY, CORE_ADD},
    [TAIL_OP_SUBD] = {BINARY, CORE_SUB},   [TAIL_OP_MULD] = {BINARY, CORE_MUL},
    [TAIL_OP_DIVD] = {BINARY, CORE_DIV},   [TAIL_OP_POWD] = {BINARY, CORE_POW},
    [TAIL_OP_RESD] = {SWAPPED, CORE_MOD},  [TAIL_OP_MAXD] = {BINARY, CORE_MAX},
    [TAIL_OP_MIND] = {BINARY, CORE_MIN},   [TAIL_OP_GCDD] = {BINARY, CORE_GCD},
    [TAIL_OP_LCMD] = {BINARY, CORE_LCM},   [TAIL_OP_BINOMD] = {BINARY, CORE_BINOM},
    [TAIL_OP_NEGD] = {UNARY, CORE_NEG},    [TAIL_OP_ABSD] = {UNARY, CORE_ABS},
    [TAIL_OP_SIGND] = {TO_INT, CORE_SIGN}, [TAIL_OP_FLOOR] = {TO_INT, CORE_FLOOR},
    [TAIL_OP_CEIL] = {TO_INT, CORE_CEIL},  [TAIL_OP_EXPD] = {UNARY, CORE_EXP},
    [TAIL_OP_LN] = {UNARY, CORE_LOG},      [TAIL_OP_SQRTD] = {UNARY, CORE_SQRT},
    [TAIL_OP_SIN] = {UNARY, CORE_SIN},     [TAIL_OP_COS] = {UNARY, CORE_COS},
    [TAIL_OP_TAN] = {UNARY, CORE_TAN},     [TAIL_OP_ASIN] = {UNARY, CORE_ASIN},
    [TAIL_OP_ACOS] = {UNARY, CORE_ACOS},   [TAIL_OP_ATAN] = {UNARY, CORE_ATAN},
    [TAIL_OP_SINH] = {UNARY, CORE_SINH},   [TAIL_OP_COSH] = {UNARY, CORE_COSH},
    [TAIL_OP_TANH] = {UNARY, CORE_TANH},   [TAIL_OP_ASINH] = {UNARY, CORE_ASINH},
    [TAIL_OP_ACOSH] = {UNARY, CORE_ACOSH}, [TAIL_OP_ATANH] = {UNARY, CORE_ATANH},
    [TAIL_OP_FACTD] = {UNARY, CORE_FACT},  [TAIL_OP_LTD] = {BINARY, CORE_LT},
    [TAIL_OP_LTED] = {BINARY, CORE_LE},    [TAIL_OP_GTD] = {BINARY, CORE_GT},
    [TAIL_OP_GTED] = {BINARY, CORE_GE},    [TAIL_OP_EQD] = {BINARY, CORE_EQ},
    [TAIL_OP_ANDB] = {BINARY, CORE_AND},   [TAIL_OP_ORB] = {BINARY, CORE_OR},
    [TAIL_OP_XORB] = {BINARY, CORE_XOR},   [TAIL_OP_NANDB] = {NEGATED, CORE_AND},
    [TAIL_OP_NORB] = {NEGATED, CORE_OR},   [TAIL_OP_EQB] = {BINARY, CORE_EQ},
    [TAIL_OP_NOTB] = {UNARY, CORE_NOT},    [TAIL_OP_LTC] = {BINARY, CORE_LT},
    [TAIL_OP_LTEC] = {BINARY, CORE_LE},    [TAIL_OP_GTC] = {BINARY, CORE_GT},
    [TAIL_OP_GTEC] = {BINARY, CORE_GE},    [TAIL_OP_EQC] = {BINARY, CORE_EQ},
    [TAIL_OP_B2I] = {CONVERTED, CORE_ADD}, [TAIL_OP_B2IV] = {CONVERTED, CORE_ADD},
    [TAIL_OP_ORD] = {CONVERTED, CORE_ADD}, [TAIL_OP_I2D] = {CONVERTED, CORE_ADD},
};

bool to_core_scalar_operator(TailBuiltin builtin, CoreOperator *op)
{
    *op = RULES[builtin].op;
    return RULES[builtin].shape == UNARY || RULES[builtin].shape == BINARY;
}

static bool is_scalar_builtin(TailBuiltin builtin)
{
    return RULES[builtin].shape != OTHER || builtin == TAIL_OP_PI;
}

/* At most `*budget` nodes, all of them scalar builtins, variables and constants. */
static bool is_simple(const TailExp *exp, int *budget)
{
    if (--*budget < 0)
        return false;
    switch (exp->kind) {
    case TAIL_EXP_BOOL:
    case TAIL_EXP_INT:
    case TAIL_EXP_DOUBLE:
    case TAIL_EXP_CHAR:
    case TAIL_EXP_VARIABLE:
        return tail_is_array(exp->type) && tail_rank(exp->type) == 0 &&
               exp->type->base.kind != TAIL_COMPLEX;
    case TAIL_EXP_CALL:
        if (!is_scalar_builtin(exp->as.call.builtin))
            return false;
        for (size_t i = 0; i < exp->as.call.count; i++) {
            if (!is_simple(exp->as.call.arguments[i], budget))
                return false;
        }
        return true;
    case TAIL_EXP_LET:
        return is_simple(exp->as.let.value, budget) && is_simple(exp->as.let.body, budget);
    case TAIL_EXP_COMPLEX:
    case TAIL_EXP_VECTOR:
    case TAIL_EXP_TUPLE:
    case TAIL_EXP_PROJECT:
    case TAIL_EXP_LAMBDA:
    case TAIL_EXP_APPLY:
    case TAIL_EXP_IF: return false;
    }
    return false;
}

bool to_core_is_simple_function(const TailExp *lambda)
{
    int budget = 16;
    return lambda->kind == TAIL_EXP_LAMBDA && is_simple(lambda->as.lambda.body, &budget);
}

CoreAtom to_core_apply_scalar(ToCore *t, const TailExp *lambda, size_t count,
                              const CoreAtom *arguments)
{
    Value *values[2];
    for (size_t i = 0; i < count; i++)
        values[i] = to_core_value_atom(t, arguments[i]);
    return to_core_store(t, to_core_apply(t, lambda, count, values));
}

size_t to_core_apply_parts(ToCore *t, const TailExp *lambda, const CoreAtom *arguments,
                           CoreAtom *results)
{
    Value *values[2];
    for (size_t i = 0; i < lambda->as.lambda.count; i++) {
        bool is_complex = lambda->as.lambda.parameters[i]->type->base.kind == TAIL_COMPLEX;
        size_t count = is_complex ? MOST_PARTS : 1;
        values[i] = to_core_value_parts(t, count, arguments);
        arguments += count;
    }
    return to_core_store_parts(t, to_core_apply(t, lambda, lambda->as.lambda.count, values),
                               results);
}

static CoreAtom translate_rule(ToCore *t, const Rule *rule, const CoreAtom *x, CorePrim result)
{
    switch (rule->shape) {
    case UNARY: return to_core_unary(t, rule->op, x[0]);
    case BINARY: return to_core_binary(t, rule->op, x[0], x[1]);
    case SWAPPED: return to_core_binary(t, rule->op, x[1], x[0]);
    case NEGATED: return to_core_unary(t, CORE_NOT, to_core_binary(t, rule->op, x[0], x[1]));
    case TO_INT: return to_core_convert(t, t->integer, to_core_unary(t, rule->op, x[0]));
    case CONVERTED: return to_core_convert(t, result, x[0]);
    case OTHER: break;
    }
    internal_error(t->c, "a scalar builtin without rule");
}

/* chr(x): 0 to 0x10FFFF, without the surrogates. */
static CoreAtom translate_chr(ToCore *t, CoreAtom x)
{
    CorePrim prim = core_atom_type(x).prim;
    enum { SURROGATES = 0xD800, AFTER_SURROGATES = 0xE000, LAST = 0x10FFFF };
    CoreAtom from = to_core_binary(t, CORE_GE, x, core_int(prim, 0));
    CoreAtom before = to_core_binary(t, CORE_LT, x, core_int(prim, SURROGATES));
    CoreAtom lower = to_core_binary(t, CORE_AND, from, before);
    CoreAtom after = to_core_binary(t, CORE_GE, x, core_int(prim, AFTER_SURROGATES));
    CoreAtom to = to_core_binary(t, CORE_LE, x, core_int(prim, LAST));
    CoreAtom upper = to_core_binary(t, CORE_AND, after, to);
    CoreAtom valid = to_core_binary(t, CORE_OR, lower, upper);
    size_t mark = to_core_guard(
        t, to_core_require(t, valid, CORE_DOMAIN_ERROR, "{} is no character's code", 1, &x));
    CoreAtom result = core_let_convert(BUILDER(t), t->text, CORE_CHAR, x);
    to_core_unguard(t, mark);
    return result;
}

/* i2b(x): 0 or 1. */
static CoreAtom translate_truth(ToCore *t, CoreAtom x)
{
    CorePrim prim = core_atom_type(x).prim;
    CoreAtom zero = to_core_binary(t, CORE_EQ, x, core_int(prim, 0));
    CoreAtom one = to_core_binary(t, CORE_EQ, x, core_int(prim, 1));
    CoreAtom valid = to_core_binary(t, CORE_OR, zero, one);
    size_t mark = to_core_guard(
        t, to_core_require(t, valid, CORE_DOMAIN_ERROR, "a condition is 0 or 1, not {}", 1, &x));
    CoreAtom result = core_let_binary(BUILDER(t), t->text, CORE_EQ, x, core_int(prim, 1));
    to_core_unguard(t, mark);
    return result;
}

Value *to_core_translate_scalar(ToCore *t, const Call *call)
{
    const Rule *rule = &RULES[call->builtin];
    CoreAtom arguments[2];
    if (call->builtin == TAIL_OP_PI) {
        return to_core_value_atom(t, core_real(t->real, 3.14159265358979323846));
    }
    if (call->builtin == TAIL_OP_CHR) {
        CoreAtom code = to_core_argument_atom(t, call, 0);
        t->text = call->text;
        return to_core_value_atom(t, translate_chr(t, code));
    }
    if (call->builtin == TAIL_OP_I2B) {
        CoreAtom number = to_core_argument_atom(t, call, 0);
        t->text = call->text;
        return to_core_value_atom(t, translate_truth(t, number));
    }
    if (rule->shape == OTHER)
        return NULL;
    for (size_t i = 0; i < call->exp->as.call.count; i++)
        arguments[i] = to_core_argument_atom(t, call, i);
    t->text = call->text;
    CorePrim result = to_core_prim_of(t, call->exp->type->base.kind);
    return to_core_value_atom(t, translate_rule(t, rule, arguments, result));
}
