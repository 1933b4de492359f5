/* Building kernel programs: variables, and expressions that simplify themselves (commands: kernel_commands.c).

   Index arithmetic is made by machine and piece by piece, so that most of it is additions of 0 and
   multiplications by 1. The constructors of expressions fold what is constant and drop neutral
   operands, on integers and bools alone (reals keep every operation: x+0 is not x for -0):

       (i * 1 + 0) + (j - 0)      ==>   i + j
       (n + k) - n                ==>   k
       true && c                  ==>   c

   [DPIA] section 4.3 asks for short indices at its end; this file is where they become short. */
#include "backend/kernel.h"

KernelVariable *kernel_variable(Compilation *c, const char *text, CorePrim prim, KernelSpace space,
                                Span span)
{
    KernelVariable *variable = ARENA_NEW(c->arena, KernelVariable);
    variable->text = text;
    variable->number = fresh_number(c);
    variable->prim = prim;
    variable->space = space;
    variable->span = span;
    return variable;
}

static KernelExp *new_exp(Compilation *c, KernelExpKind kind, CorePrim prim, unsigned nodes)
{
    KernelExp *exp = ARENA_NEW(c->arena, KernelExp);
    exp->kind = kind;
    exp->prim = prim;
    exp->nodes = nodes;
    return exp;
}

const KernelExp *kernel_constant(Compilation *c, CoreAtom constant)
{
    KernelExp *exp = new_exp(c, KERNEL_CONSTANT, constant.prim, 1);
    exp->as.constant = constant;
    return exp;
}

static const KernelExp *integer_constant(Compilation *c, CorePrim prim, int64_t value)
{
    CoreAtom atom = {0};
    atom.prim = prim;
    atom.as.integer = prim == CORE_I32 ? (int64_t)(int32_t)(uint32_t)(uint64_t)value : value;
    return kernel_constant(c, atom);
}

const KernelExp *kernel_i64(Compilation *c, int64_t value)
{
    return integer_constant(c, CORE_I64, value);
}

const KernelExp *kernel_use(Compilation *c, KernelVariable *scalar)
{
    KernelExp *exp = new_exp(c, KERNEL_VARIABLE, scalar->prim, 1);
    exp->as.variable = scalar;
    return exp;
}

static bool is_integer(const KernelExp *exp, int64_t value)
{
    return exp->kind == KERNEL_CONSTANT && exp->prim != CORE_F32 && exp->prim != CORE_F64 &&
           exp->as.constant.as.integer == value;
}

bool kernel_is_i64(const KernelExp *exp, int64_t value)
{
    return exp->prim == CORE_I64 && is_integer(exp, value);
}

static bool same_atom(CoreAtom a, CoreAtom b)
{
    if (a.prim != b.prim) {
        return false;
    }
    if (a.prim == CORE_F32 || a.prim == CORE_F64) {
        return memcmp(&a.as.real, &b.as.real, sizeof a.as.real) == 0;
    }
    return a.as.integer == b.as.integer;
}

/* The same variable or constant. Deeper equality is not worth its time here. */
static bool same_leaf(const KernelExp *x, const KernelExp *y)
{
    if (x == y) {
        return true;
    }
    if (x->kind != y->kind) {
        return false;
    }
    if (x->kind == KERNEL_VARIABLE) {
        return x->as.variable == y->as.variable;
    }
    return x->kind == KERNEL_CONSTANT && same_atom(x->as.constant, y->as.constant);
}

static bool is_binary(const KernelExp *exp, CoreOperator op)
{
    return exp->kind == KERNEL_BINARY && exp->as.scalar.op == op;
}

const KernelExp *kernel_unary(Compilation *c, CoreOperator op, const KernelExp *x)
{
    if (op == CORE_NOT && x->prim == CORE_BOOL) {
        if (x->kind == KERNEL_CONSTANT) {
            return integer_constant(c, CORE_BOOL, !x->as.constant.as.integer);
        }
        if (x->kind == KERNEL_UNARY && x->as.scalar.op == CORE_NOT) {
            return x->as.scalar.x;
        }
    }
    if (op == CORE_NEG && core_is_int(x->prim) && x->kind == KERNEL_CONSTANT) {
        return integer_constant(c, x->prim, (int64_t)(0 - (uint64_t)x->as.constant.as.integer));
    }
    KernelExp *exp = new_exp(c, KERNEL_UNARY, core_operator_result(op, x->prim), x->nodes + 1);
    exp->as.scalar.op = op;
    exp->as.scalar.prim = x->prim;
    exp->as.scalar.x = x;
    return exp;
}

static int64_t floor_divide(int64_t x, int64_t y)
{
    if (y == 0) {
        return 0;
    }
    if (y == -1) {
        return (int64_t)(0 - (uint64_t)x);
    }
    int64_t quotient = x / y;
    return x % y != 0 && (x % y < 0) != (y < 0) ? quotient - 1 : quotient;
}

/* x op y for integers where that is worth folding; false for the other operators. */
static bool fold_integers(CoreOperator op, int64_t x, int64_t y, int64_t *value)
{
    uint64_t a = (uint64_t)x, b = (uint64_t)y;
    if (op == CORE_ADD) {
        *value = (int64_t)(a + b);
    } else if (op == CORE_SUB) {
        *value = (int64_t)(a - b);
    } else if (op == CORE_MUL) {
        *value = (int64_t)(a * b);
    } else if (op == CORE_DIV) {
        *value = floor_divide(x, y);
    } else if (op == CORE_MOD) {
        *value = (int64_t)(a - b * (uint64_t)floor_divide(x, y));
    } else if (op == CORE_MIN) {
        *value = x < y ? x : y;
    } else if (op == CORE_MAX) {
        *value = x > y ? x : y;
    } else {
        return false;
    }
    return true;
}

static bool fold_comparison(CoreOperator op, int64_t x, int64_t y, bool *value)
{
    if (op == CORE_EQ) {
        *value = x == y;
    } else if (op == CORE_NE) {
        *value = x != y;
    } else if (op == CORE_LT) {
        *value = x < y;
    } else if (op == CORE_LE) {
        *value = x <= y;
    } else if (op == CORE_GT) {
        *value = x > y;
    } else if (op == CORE_GE) {
        *value = x >= y;
    } else {
        return false;
    }
    return true;
}

/* x op y with a neutral or absorbing operand, or cancelling ones; NULL where nothing applies.
   Requires an integer prim. */
static const KernelExp *simplify_integers(Compilation *c, CoreOperator op, const KernelExp *x,
                                          const KernelExp *y)
{
    if (op == CORE_ADD) {
        if (is_integer(x, 0)) {
            return y;
        }
        if (is_integer(y, 0)) {
            return x;
        }
        if (is_binary(x, CORE_SUB) && same_leaf(x->as.scalar.y, y)) {
            return x->as.scalar.x;
        }
        if (y->kind == KERNEL_CONSTANT && is_binary(x, CORE_ADD) &&
            x->as.scalar.y->kind == KERNEL_CONSTANT) {
            return kernel_binary(c, CORE_ADD, x->as.scalar.x,
                                 kernel_binary(c, CORE_ADD, x->as.scalar.y, y));
        }
    } else if (op == CORE_SUB) {
        if (is_integer(y, 0)) {
            return x;
        }
        if (same_leaf(x, y)) {
            return integer_constant(c, x->prim, 0);
        }
        if (is_binary(x, CORE_ADD) && same_leaf(x->as.scalar.y, y)) {
            return x->as.scalar.x;
        }
        if (is_binary(x, CORE_ADD) && same_leaf(x->as.scalar.x, y)) {
            return x->as.scalar.y;
        }
    } else if (op == CORE_MUL) {
        if (is_integer(x, 0) || is_integer(y, 1)) {
            return x;
        }
        if (is_integer(y, 0) || is_integer(x, 1)) {
            return y;
        }
    } else if (op == CORE_DIV && (is_integer(y, 1) || is_integer(x, 0))) {
        return x;
    } else if (op == CORE_MOD && is_integer(y, 1)) {
        return integer_constant(c, x->prim, 0);
    } else if (op == CORE_MOD && is_integer(x, 0)) {
        return x;
    } else if ((op == CORE_MIN || op == CORE_MAX) && same_leaf(x, y)) {
        return x;
    } else if (op == CORE_AND && is_integer(y, -1)) {
        return x;
    } else if (op == CORE_AND && is_integer(x, -1)) {
        return y;
    }
    return NULL;
}

static const KernelExp *simplify_bools(Compilation *c, CoreOperator op, const KernelExp *x,
                                       const KernelExp *y)
{
    (void)c;
    if (op == CORE_AND) {
        if (is_integer(x, 1) || is_integer(y, 0)) {
            return y;
        }
        if (is_integer(y, 1) || is_integer(x, 0) || same_leaf(x, y)) {
            return x;
        }
    } else if (op == CORE_OR) {
        if (is_integer(x, 0) || is_integer(y, 1)) {
            return y;
        }
        if (is_integer(y, 0) || is_integer(x, 1) || same_leaf(x, y)) {
            return x;
        }
    }
    return NULL;
}

const KernelExp *kernel_binary(Compilation *c, CoreOperator op, const KernelExp *x,
                               const KernelExp *y)
{
    if (x->prim != y->prim) {
        internal_error(c, "operands of %s are %s and %s", core_operator_text(op),
                       core_prim_text(x->prim), core_prim_text(y->prim));
    }
    if (!core_is_real(x->prim)) {
        const KernelExp *simple = NULL;
        bool constants = x->kind == KERNEL_CONSTANT && y->kind == KERNEL_CONSTANT;
        int64_t value;
        bool truth;
        if (constants && core_is_int(x->prim) &&
            fold_integers(op, x->as.constant.as.integer, y->as.constant.as.integer, &value)) {
            return integer_constant(c, x->prim, value);
        }
        if (constants &&
            fold_comparison(op, x->as.constant.as.integer, y->as.constant.as.integer, &truth)) {
            return integer_constant(c, CORE_BOOL, truth);
        }
        if (same_leaf(x, y) && fold_comparison(op, 0, 0, &truth)) {
            return integer_constant(c, CORE_BOOL, truth);
        }
        simple = x->prim == CORE_BOOL   ? simplify_bools(c, op, x, y)
                 : core_is_int(x->prim) ? simplify_integers(c, op, x, y)
                                        : NULL;
        if (simple != NULL) {
            return simple;
        }
    }
    KernelExp *exp =
        new_exp(c, KERNEL_BINARY, core_operator_result(op, x->prim), x->nodes + y->nodes + 1);
    exp->as.scalar.op = op;
    exp->as.scalar.prim = x->prim;
    exp->as.scalar.x = x;
    exp->as.scalar.y = y;
    return exp;
}

static const KernelExp *natural(Compilation *c, CoreOperator op, const KernelExp *x,
                                const KernelExp *y)
{
    const KernelExp *exp = kernel_binary(c, op, x, y);
    if (!is_binary(exp, op) || exp->as.scalar.x != x || exp->as.scalar.y != y) {
        return exp;
    }
    KernelExp *plain = ARENA_NEW(c->arena, KernelExp);
    *plain = *exp;
    plain->natural = true;
    return plain;
}

const KernelExp *kernel_divide(Compilation *c, const KernelExp *x, const KernelExp *y)
{
    return natural(c, CORE_DIV, x, y);
}

const KernelExp *kernel_modulo(Compilation *c, const KernelExp *x, const KernelExp *y)
{
    return natural(c, CORE_MOD, x, y);
}

const KernelExp *kernel_exact_sum(Compilation *c, const KernelExp *x, const KernelExp *y)
{
    return natural(c, CORE_ADD, x, y);
}

const KernelExp *kernel_fused_sum(Compilation *c, const KernelExp *x, const KernelExp *product)
{
    const KernelExp *exp = kernel_binary(c, CORE_ADD, x, product);
    if (!is_binary(exp, CORE_ADD) || exp->as.scalar.y != product || !is_binary(product, CORE_MUL)) {
        return exp;
    }
    KernelExp *fused = ARENA_NEW(c->arena, KernelExp);
    *fused = *exp;
    fused->fused = true;
    return fused;
}

const KernelExp *kernel_binary_like(Compilation *c, const KernelExp *binary, const KernelExp *x,
                                    const KernelExp *y)
{
    CoreOperator op = binary->as.scalar.op;
    if (binary->by_reals) {
        return kernel_by_reals(c, op, x, y, binary->natural);
    }
    if (binary->fused) {
        return kernel_fused_sum(c, x, y);
    }
    return !binary->natural ? kernel_binary(c, op, x, y)
           : op == CORE_ADD ? kernel_exact_sum(c, x, y)
           : op == CORE_DIV ? kernel_divide(c, x, y)
                            : kernel_modulo(c, x, y);
}

const KernelExp *kernel_convert(Compilation *c, CorePrim to, const KernelExp *x)
{
    if (x->prim == to) {
        return x;
    }
    if (x->kind == KERNEL_CONSTANT && !core_is_real(x->prim) && core_is_int(to)) {
        return integer_constant(c, to, x->as.constant.as.integer);
    }
    KernelExp *exp = new_exp(c, KERNEL_CONVERT, to, x->nodes + 1);
    exp->as.convert = x;
    return exp;
}

const KernelExp *kernel_select(Compilation *c, const KernelExp *condition, const KernelExp *x,
                               const KernelExp *y)
{
    if (x->prim != y->prim) {
        internal_error(c, "branches of a selection are %s and %s", core_prim_text(x->prim),
                       core_prim_text(y->prim));
    }
    if (condition->kind == KERNEL_CONSTANT) {
        return condition->as.constant.as.integer != 0 ? x : y;
    }
    if (same_leaf(x, y)) {
        return x;
    }
    KernelExp *exp = new_exp(c, KERNEL_SELECT, x->prim, condition->nodes + x->nodes + y->nodes + 1);
    exp->as.select.condition = condition;
    exp->as.select.x = x;
    exp->as.select.y = y;
    return exp;
}

const KernelExp *kernel_load(Compilation *c, KernelVariable *buffer, const KernelExp *index)
{
    if (buffer->space == KERNEL_SCALAR) {
        internal_error(c, "load from the scalar %s", buffer->text);
    }
    KernelExp *exp = new_exp(c, KERNEL_LOAD, buffer->prim, index->nodes + 1);
    exp->as.load.buffer = buffer;
    exp->as.load.index = index;
    return exp;
}

size_t kernel_operands(const KernelExp *exp, const KernelExp *operands[KERNEL_MOST_OPERANDS])
{
    switch (exp->kind) {
    case KERNEL_CONSTANT:
    case KERNEL_VARIABLE: return 0;
    case KERNEL_UNARY: operands[0] = exp->as.scalar.x; return 1;
    case KERNEL_BINARY:
        operands[0] = exp->as.scalar.x;
        operands[1] = exp->as.scalar.y;
        return 2;
    case KERNEL_CONVERT: operands[0] = exp->as.convert; return 1;
    case KERNEL_SELECT:
        operands[0] = exp->as.select.condition;
        operands[1] = exp->as.select.x;
        operands[2] = exp->as.select.y;
        return 3;
    case KERNEL_LOAD: operands[0] = exp->as.load.index; return 1;
    }
    return 0;
}

bool kernel_mentions(const KernelExp *exp, const KernelVariable *variable)
{
    if (exp == NULL) {
        return false;
    }
    if ((exp->kind == KERNEL_LOAD && exp->as.load.buffer == variable) ||
        (exp->kind == KERNEL_VARIABLE && exp->as.variable == variable)) {
        return true;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        if (kernel_mentions(operands[k], variable)) {
            return true;
        }
    }
    return false;
}

bool kernel_mentions_any(const PointerMap *set, const KernelExp *exp)
{
    if (exp == NULL) {
        return false;
    }
    if (exp->kind == KERNEL_VARIABLE && pointer_map_get(set, exp->as.variable)) {
        return true;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        if (kernel_mentions_any(set, operands[k])) {
            return true;
        }
    }
    return false;
}

unsigned kernel_loads(const KernelExp *exp)
{
    if (exp == NULL) {
        return 0;
    }
    unsigned loads = exp->kind == KERNEL_LOAD && exp->as.load.buffer->space == KERNEL_GLOBAL;
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        loads += kernel_loads(operands[k]);
    }
    return loads;
}

bool kernel_is_same(const KernelExp *x, const KernelExp *y)
{
    if (x == y) {
        return true;
    }
    if (x->kind != y->kind || x->prim != y->prim || x->nodes != y->nodes) {
        return false;
    }
    switch (x->kind) {
    case KERNEL_CONSTANT: return core_atom_equal(x->as.constant, y->as.constant);
    case KERNEL_VARIABLE: return x->as.variable == y->as.variable;
    case KERNEL_CONVERT: return kernel_is_same(x->as.convert, y->as.convert);
    case KERNEL_SELECT: return false;
    case KERNEL_LOAD:
        return x->as.load.buffer == y->as.load.buffer &&
               kernel_is_same(x->as.load.index, y->as.load.index);
    case KERNEL_UNARY:
    case KERNEL_BINARY:
        return x->as.scalar.op == y->as.scalar.op &&
               kernel_is_same(x->as.scalar.x, y->as.scalar.x) &&
               (x->kind == KERNEL_UNARY || kernel_is_same(x->as.scalar.y, y->as.scalar.y));
    }
    return false;
}

bool kernel_are_opposite(const KernelExp *x, const KernelExp *y)
{
    CoreOperator opposite;
    return x->kind == KERNEL_BINARY && y->kind == KERNEL_BINARY &&
           core_operator_opposite(x->as.scalar.op, x->as.scalar.prim, &opposite) &&
           opposite == y->as.scalar.op && kernel_is_same(x->as.scalar.x, y->as.scalar.x) &&
           kernel_is_same(x->as.scalar.y, y->as.scalar.y);
}
