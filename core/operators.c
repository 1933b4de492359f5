/* What is known of core's scalar operators: texts, domains, result types, and the algebra that
   reductions need. Everything regular comes from the rows of operators.def; what is here by hand is
   which operators are associative and what their identity elements are.

       core_operator_text(CORE_ADD)                     "+"
       core_operator_result(CORE_LT, CORE_F64)          CORE_BOOL
       core_operator_identity(CORE_MAX, CORE_F64, &e)   e = -inf */
#include "core/core.h"

#include <assert.h>
#include <math.h>

typedef enum ResultRule { SAME, BOOL, INT } ResultRule;

typedef struct OperatorRow {
    const char *text;
    int arity;
    const char *domain; /* letters b c i f, as in operators.def */
    ResultRule result;
} OperatorRow;

static const OperatorRow operator_rows[CORE_OPERATOR_COUNT] = {
#define CORE_OPERATOR(enumerator, text, arity, domain, result, meaning)                            \
    {text, arity, domain, result},
#include "core/operators.def"
#undef CORE_OPERATOR
};

const char *core_prim_text(CorePrim prim)
{
    switch (prim) {
    case CORE_BOOL: return "bool";
    case CORE_CHAR: return "char";
    case CORE_I32: return "i32";
    case CORE_I64: return "i64";
    case CORE_F32: return "f32";
    case CORE_F64: return "f64";
    case CORE_CERT: return "cert";
    }
    return "?";
}

bool core_is_int(CorePrim prim)
{
    return prim == CORE_I32 || prim == CORE_I64;
}

bool core_is_real(CorePrim prim)
{
    return prim == CORE_F32 || prim == CORE_F64;
}

unsigned core_prim_bytes(CorePrim prim)
{
    return prim == CORE_I64 || prim == CORE_F64 ? 8 : prim == CORE_BOOL ? 1 : 4;
}

const char *core_operator_text(CoreOperator op)
{
    assert(op < CORE_OPERATOR_COUNT);
    return operator_rows[op].text;
}

int core_operator_arity(CoreOperator op)
{
    assert(op < CORE_OPERATOR_COUNT);
    return operator_rows[op].arity;
}

/* The letter that stands for a prim in a domain; 0 for certificates, which have no operators. */
static char domain_letter(CorePrim prim)
{
    switch (prim) {
    case CORE_BOOL: return 'b';
    case CORE_CHAR: return 'c';
    case CORE_I32:
    case CORE_I64: return 'i';
    case CORE_F32:
    case CORE_F64: return 'f';
    case CORE_CERT: return 0;
    }
    return 0;
}

bool core_operator_accepts(CoreOperator op, CorePrim prim)
{
    assert(op < CORE_OPERATOR_COUNT);
    char letter = domain_letter(prim);
    if (letter == 0 || ((op == CORE_RANDOM || op == CORE_QUOT) && prim != CORE_I64)) {
        return false;
    }
    return strchr(operator_rows[op].domain, letter) != NULL;
}

CorePrim core_operator_result(CoreOperator op, CorePrim prim)
{
    assert(op < CORE_OPERATOR_COUNT);
    switch (operator_rows[op].result) {
    case SAME: return prim;
    case BOOL: return CORE_BOOL;
    case INT: return prim == CORE_F32 || prim == CORE_I32 ? CORE_I32 : CORE_I64;
    }
    return prim;
}

bool core_operator_associative(CoreOperator op, CorePrim prim)
{
    if (!core_operator_accepts(op, prim)) {
        return false;
    }
    switch (op) {
    case CORE_ADD:
    case CORE_MUL:
    case CORE_MAX:
    case CORE_MIN:
    case CORE_AND:
    case CORE_OR:
    case CORE_XOR: return true;
    case CORE_GCD:
    case CORE_LCM: return core_is_int(prim);
    case CORE_EQ:
    case CORE_NE: return prim == CORE_BOOL;
    case CORE_SUB:
    case CORE_UNLESS_NAN:
    case CORE_DIV:
    case CORE_MOD:
    case CORE_QUOT:
    case CORE_POW:
    case CORE_BINOM:
    case CORE_ATAN2:
    case CORE_HYPOT:
    case CORE_SHL:
    case CORE_SHR:
    case CORE_SAR:
    case CORE_LT:
    case CORE_LE:
    case CORE_GT:
    case CORE_GE:
    case CORE_RANDOM:
    case CORE_NEG:
    case CORE_ABS:
    case CORE_SIGN:
    case CORE_NOT:
    case CORE_FLOOR:
    case CORE_CEIL:
    case CORE_VIA_I64:
    case CORE_BITS:
    case CORE_EXP:
    case CORE_LOG:
    case CORE_SQRT:
    case CORE_SIN:
    case CORE_COS:
    case CORE_TAN:
    case CORE_ASIN:
    case CORE_ACOS:
    case CORE_ATAN:
    case CORE_SINH:
    case CORE_COSH:
    case CORE_TANH:
    case CORE_ASINH:
    case CORE_ACOSH:
    case CORE_ATANH:
    case CORE_FACT:
    case CORE_OPERATOR_COUNT: return false;
    }
    return false;
}

/* A number of this prim: bools take 0 and 1. */
static CoreAtom number(CorePrim prim, int value)
{
    if (core_is_real(prim)) {
        return core_real(prim, value);
    }
    return prim == CORE_BOOL ? core_bool(value != 0) : core_int(prim, value);
}

/* The identity of max, the least value; of min, the greatest (negated = false). */
static CoreAtom extreme(CorePrim prim, bool least)
{
    if (core_is_real(prim)) {
        return core_real(prim, least ? -(double)INFINITY : (double)INFINITY);
    }
    if (prim == CORE_I32) {
        return core_int(prim, least ? INT32_MIN : INT32_MAX);
    }
    return core_int(prim, least ? INT64_MIN : INT64_MAX);
}

bool core_operator_identity(CoreOperator op, CorePrim prim, CoreAtom *identity)
{
    if (!core_operator_associative(op, prim)) {
        return false;
    }
    switch ((int)op) { /* exactly the associative operators */
    case CORE_ADD:
    case CORE_OR:
    case CORE_XOR:
    case CORE_NE:
    case CORE_GCD: *identity = number(prim, 0); return true;
    case CORE_MUL:
    case CORE_LCM:
    case CORE_EQ: *identity = number(prim, 1); return true;
    case CORE_AND: *identity = number(prim, prim == CORE_BOOL ? 1 : -1); return true;
    case CORE_MAX: *identity = extreme(prim, true); return true;
    case CORE_MIN: *identity = extreme(prim, false); return true;
    }
    return false;
}

const char *core_error_text(CoreErrorKind kind)
{
    switch (kind) {
    case CORE_LENGTH_ERROR: return "LENGTH ERROR";
    case CORE_RANK_ERROR: return "RANK ERROR";
    case CORE_INDEX_ERROR: return "INDEX ERROR";
    case CORE_DOMAIN_ERROR: return "DOMAIN ERROR";
    case CORE_LIMIT_ERROR: return "LIMIT ERROR";
    case CORE_ERROR_KIND_COUNT: break;
    }
    return "ERROR";
}

bool core_is_dear(CoreOperator op)
{
    switch ((int)op) {
    case CORE_POW:
    case CORE_GCD:
    case CORE_LCM:
    case CORE_BINOM:
    case CORE_ATAN2:
    case CORE_HYPOT:
    case CORE_RANDOM:
    case CORE_EXP:
    case CORE_LOG:
    case CORE_SIN:
    case CORE_COS:
    case CORE_TAN:
    case CORE_ASIN:
    case CORE_ACOS:
    case CORE_ATAN:
    case CORE_SINH:
    case CORE_COSH:
    case CORE_TANH:
    case CORE_ASINH:
    case CORE_ACOSH:
    case CORE_ATANH:
    case CORE_FACT: return true;
    }
    return false;
}

bool core_operator_opposite(CoreOperator op, CorePrim prim, CoreOperator *other)
{
    switch ((int)op) {
    case CORE_EQ: *other = CORE_NE; return true;
    case CORE_NE: *other = CORE_EQ; return true;
    case CORE_LT: *other = CORE_GE; return !core_is_real(prim);
    case CORE_LE: *other = CORE_GT; return !core_is_real(prim);
    case CORE_GT: *other = CORE_LE; return !core_is_real(prim);
    case CORE_GE: *other = CORE_LT; return !core_is_real(prim);
    }
    return false;
}
