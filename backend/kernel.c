/* Building kernel programs: variables, expressions that simplify themselves, commands.

   Index arithmetic is made by machine and piece by piece, so that most of it is additions of 0 and
   multiplications by 1. The constructors of expressions fold what is constant and drop neutral
   operands, on integers and bools alone (reals keep every operation: x+0 is not x for -0):

       (i * 1 + 0) + (j - 0)      ==>   i + j
       (n + k) - n                ==>   k
       true && c                  ==>   c

   [DPIA] section 4.3 asks for short indices at its end; this file is where they become short. */
#include "backend/kernel.h"

/* ---- variables and expressions --------------------------------------------------------------- */

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

/* ---- commands -------------------------------------------------------------------------------- */

KernelBuilder kernel_builder(Compilation *c, Span span)
{
    KernelBuilder b = {0};
    b.c = c;
    b.span = span;
    return b;
}

KernelBlock kernel_block(KernelBuilder *b)
{
    KernelBlock block = {.count = b->commands.count, .commands = b->commands.items};
    return block;
}

void kernel_add(KernelBuilder *b, const KernelCmd *command)
{
    vec_push(b->c->arena, &b->commands, command);
}

static KernelCmd *add_command(KernelBuilder *b, KernelCmdKind kind, KernelVariable *variable)
{
    KernelCmd *command = ARENA_NEW(b->c->arena, KernelCmd);
    command->kind = kind;
    command->span = b->span;
    command->variable = variable;
    kernel_add(b, command);
    return command;
}

static void same_prim(KernelBuilder *b, const KernelVariable *variable, const KernelExp *value)
{
    if (value != NULL && variable->prim != value->prim) {
        internal_error(b->c, "%s of %s gets a value of %s", variable->text,
                       core_prim_text(variable->prim), core_prim_text(value->prim));
    }
}

void kernel_declare(KernelBuilder *b, KernelVariable *scalar, const KernelExp *value)
{
    same_prim(b, scalar, value);
    add_command(b, KERNEL_DECLARE, scalar)->value = value;
}

void kernel_declare_buffer(KernelBuilder *b, KernelVariable *local_or_private, int64_t count)
{
    add_command(b, KERNEL_DECLARE, local_or_private)->count = kernel_i64(b->c, count);
}

void kernel_declare_wide(KernelBuilder *b, size_t count, KernelVariable *const *scalars,
                         KernelVariable *buffer, const KernelExp *index)
{
    for (size_t k = 0; k < count; k++) {
        const KernelExp *at = kernel_binary(b->c, CORE_ADD, index, kernel_i64(b->c, (int64_t)k));
        KernelCmd *command = add_command(b, KERNEL_DECLARE, scalars[k]);
        command->value = kernel_load(b->c, buffer, at);
        command->wide = (unsigned)count;
        command->part = (unsigned)k;
    }
}

void kernel_allocate(KernelBuilder *b, KernelVariable *buffer, const KernelExp *count)
{
    add_command(b, KERNEL_ALLOCATE, buffer)->count = count;
}

void kernel_alias(KernelBuilder *b, KernelVariable *buffer, KernelVariable *source)
{
    add_command(b, KERNEL_ALIAS, buffer)->source = source;
}

void kernel_release(KernelBuilder *b, KernelVariable *buffer)
{
    add_command(b, KERNEL_RELEASE, buffer);
}

void kernel_assign(KernelBuilder *b, KernelVariable *scalar, const KernelExp *value)
{
    same_prim(b, scalar, value);
    add_command(b, KERNEL_ASSIGN, scalar)->value = value;
}

void kernel_store(KernelBuilder *b, KernelVariable *buffer, const KernelExp *index,
                  const KernelExp *value)
{
    same_prim(b, buffer, value);
    KernelCmd *command = add_command(b, KERNEL_STORE, buffer);
    command->index = index;
    command->value = value;
}

void kernel_atomic(KernelBuilder *b, CoreOperator op, KernelVariable *buffer,
                   const KernelExp *index, const KernelExp *value)
{
    same_prim(b, buffer, value);
    KernelCmd *command = add_command(b, KERNEL_ATOMIC, buffer);
    command->op = op;
    command->index = index;
    command->value = value;
}

void kernel_arrive(KernelBuilder *b, KernelVariable *last)
{
    add_command(b, KERNEL_ARRIVE, last);
}

void kernel_arrive_at(KernelBuilder *b, KernelVariable *last, const KernelExp *index,
                      const KernelExp *count)
{
    KernelCmd *command = add_command(b, KERNEL_ARRIVE, last);
    command->index = index;
    command->value = count;
}

void kernel_ticket(KernelBuilder *b, KernelVariable *ticket)
{
    add_command(b, KERNEL_TICKET, ticket);
}

void kernel_meet(KernelBuilder *b)
{
    add_command(b, KERNEL_MEET, NULL);
}

void kernel_swap(KernelBuilder *b, KernelVariable *x, KernelVariable *y)
{
    add_command(b, KERNEL_SWAP, x)->source = y;
}

void kernel_publish(KernelBuilder *b, const KernelExp *index, const KernelExp *whole, size_t count,
                    const KernelExp *const *values)
{
    KernelCmd *command = add_command(b, KERNEL_PUBLISH, NULL);
    command->index = index;
    command->value = whole;
    command->value_count = count;
    command->values = values;
}

void kernel_await(KernelBuilder *b, KernelVariable *whole, size_t count,
                  KernelVariable *const *payload, const KernelExp *index)
{
    KernelCmd *command = add_command(b, KERNEL_AWAIT, whole);
    command->index = index;
    command->payload_count = count;
    command->payload = payload;
}

void kernel_exchange(KernelBuilder *b, KernelVariable *old, KernelVariable *buffer,
                     const KernelExp *index, const KernelExp *value)
{
    same_prim(b, buffer, value);
    KernelCmd *command = add_command(b, KERNEL_EXCHANGE, old);
    command->source = buffer;
    command->index = index;
    command->value = value;
}

void kernel_retry(KernelBuilder *b, KernelVariable *old, KernelVariable *buffer,
                  const KernelExp *index, KernelBlock body, const KernelExp *value)
{
    same_prim(b, buffer, value);
    KernelCmd *command = add_command(b, KERNEL_RETRY, old);
    command->source = buffer;
    command->index = index;
    command->body = body;
    command->value = value;
}

void kernel_copy(KernelBuilder *b, KernelVariable *buffer, const KernelExp *index,
                 KernelVariable *source, const KernelExp *source_index, const KernelExp *count)
{
    KernelCmd *command = add_command(b, KERNEL_COPY, buffer);
    command->index = index;
    command->source = source;
    command->source_index = source_index;
    command->count = count;
}

void kernel_constants(KernelBuilder *b, KernelVariable *buffer, size_t count,
                      const KernelExp *const *values)
{
    KernelCmd *command = add_command(b, KERNEL_CONSTANTS, buffer);
    command->value_count = count;
    command->values = values;
    command->count = kernel_i64(b->c, (int64_t)count);
}

void kernel_assume(KernelBuilder *b, size_t count, const KernelExp *const *conditions)
{
    KernelCmd *command = (KernelCmd *)(uintptr_t)b->commands.items[b->commands.count - 1];
    command->assumed = conditions;
    command->assumed_count = count;
}

static KernelCmd *last_command(KernelBuilder *b)
{
    return (KernelCmd *)(uintptr_t)b->commands.items[b->commands.count - 1];
}

void kernel_strip(KernelBuilder *b, unsigned rows)
{
    last_command(b)->strip = rows;
}

void kernel_tiles(KernelBuilder *b, const KernelExp *rows, unsigned down, unsigned along)
{
    KernelCmd *command = last_command(b);
    command->rows = rows;
    command->tile[0] = down;
    command->tile[1] = along;
}

void kernel_per_row(KernelBuilder *b, const KernelExp *times)
{
    last_command(b)->per_row = times;
}

void kernel_rows(KernelBuilder *b, const KernelExp *rows)
{
    last_command(b)->rows = rows;
}

void kernel_mark_scattered(KernelBlock block, const KernelVariable *buffer)
{
    for (size_t i = 0; i < block.count; i++) {
        /* Just built, and nobody else's yet. */
        KernelCmd *command = (KernelCmd *)(uintptr_t)block.commands[i];
        if (command->kind == KERNEL_STORE && command->variable == buffer) {
            command->scattered = true;
        }
        kernel_mark_scattered(command->body, buffer);
        kernel_mark_scattered(command->otherwise, buffer);
    }
}

void kernel_for(KernelBuilder *b, KernelLevel level, const char *kernel_name, KernelVariable *index,
                const KernelExp *count, KernelBlock body)
{
    KernelCmd *command = add_command(b, KERNEL_FOR, index);
    command->level = level;
    command->count = count;
    command->body = body;
    command->text = kernel_name;
}

void kernel_for_unrolled(KernelBuilder *b, KernelVariable *index, const KernelExp *count,
                         unsigned at_a_time, KernelBlock body)
{
    KernelCmd *command = add_command(b, KERNEL_FOR, index);
    command->level = KERNEL_SEQ;
    command->count = count;
    command->body = body;
    command->unrolled = at_a_time;
}

void kernel_while(KernelBuilder *b, KernelVariable *condition, KernelBlock body)
{
    add_command(b, KERNEL_WHILE, condition)->body = body;
}

void kernel_if(KernelBuilder *b, const KernelExp *condition, KernelBlock then_block,
               KernelBlock else_block)
{
    if (condition->kind == KERNEL_CONSTANT) {
        KernelBlock chosen = condition->as.constant.as.integer != 0 ? then_block : else_block;
        for (size_t i = 0; i < chosen.count; i++) {
            kernel_add(b, chosen.commands[i]);
        }
        return;
    }
    KernelCmd *command = add_command(b, KERNEL_IF, NULL);
    command->value = condition;
    command->body = then_block;
    command->otherwise = else_block;
}

void kernel_barrier(KernelBuilder *b)
{
    add_command(b, KERNEL_BARRIER, NULL);
}

void kernel_comment(KernelBuilder *b, const char *text)
{
    add_command(b, KERNEL_COMMENT, NULL)->text = text;
}

void kernel_check(KernelBuilder *b, KernelVariable *flag, const KernelExp *condition,
                  size_t failure, size_t value_count, const KernelExp *const *values)
{
    KernelCmd *command = add_command(b, KERNEL_CHECK, flag);
    command->value = condition;
    command->failure = failure;
    command->value_count = value_count;
    command->values = values;
}

void kernel_effect(KernelBuilder *b, KernelEffect effect)
{
    add_command(b, KERNEL_EFFECT, NULL)->effect = effect;
}

/* ---- counting -------------------------------------------------------------------------------- */

static size_t count_block(KernelBlock block)
{
    size_t total = block.count;
    for (size_t i = 0; i < block.count; i++) {
        total += count_block(block.commands[i]->body) + count_block(block.commands[i]->otherwise);
    }
    return total;
}

size_t kernel_count(const KernelProgram *program)
{
    size_t count = 0;
    for (size_t i = 0; i < program->entry_count; i++) {
        count += count_block(program->entries[i].body);
    }
    return count;
}
