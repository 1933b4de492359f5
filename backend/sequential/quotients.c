/* Quotients and remainders of integers by way of doubles, in sequential programs.

   Processors have no vectors of integer quotients, and those of single integers are slow; doubles
   have both. For |x| < 2^51 and 1 <= y <= 2^49, floor((x + 0.5) * (1 / y)) is the floor of x / y:
   x + 0.5 is exact, (x + 0.5) / y is at least 0.5 / y away from the next whole number, and the
   roundings of 1 / y and of the product change it by a little more than |x + 0.5| * 2^-52 / y at
   most. (runtime/vector.h: tl_quotient, where vectors of integers become vectors of doubles and
   back.)

   So the first 2^32 iterations of a loop with quotients are a loop of their own, in which ranges
   are known to be small:

       for (i < n) {                        few = min(n, 2^32)
           var year = i + 1                 for (i < few) {
           var golden = year % 19               var year = i + 1
           v[i] = golden          ==>           var golden = year % 19, by reals: 1 <= year <= 2^32
       }                                        v[i] = golden
                                            }
                                            for (j < n - few) { as it was, for i = j + few }

   A constant that is a multiple of y makes x positive where it may not be. Divisors are constants,
   or invariants of the loop, which are looked at before it (few = 0 where one is not positive).
   Where y is a power of 2, masks and shifts do, whatever x is. A loop in which something stays
   that vectors cannot compute stays as it is. */
#include "backend/copy.h"
#include "backend/ranges.h"

#define FAR (INT64_C(1) << 49) /* of x and y; `lifted` makes at most three times that of x */
#define MANY_ROWS (INT64_C(1) << 32)
enum { MOST_SIZE = 600, MOST_DIVISORS = 4, FEW_ROWS = 64 };

typedef struct Quotients {
    Compilation *c;
    /* of the loop at work: */
    KernelCopier copier; /* first of those: see rebuild */
    PointerMap ranges;   /* KernelVariable -> KernelRange, of those declared in it */
    PointerMap assigned;
    size_t divisor_count, found;
    KernelVariable *divisors[MOST_DIVISORS];
    bool fails;
} Quotients;

const KernelExp *kernel_by_reals(Compilation *c, CoreOperator op, const KernelExp *x,
                                 const KernelExp *y, bool natural)
{
    const KernelExp *exp = kernel_binary(c, op, x, y);
    if (exp->kind != KERNEL_BINARY || exp->as.scalar.op != op) {
        return exp;
    }
    KernelExp *marked = ARENA_NEW(c->arena, KernelExp);
    *marked = *exp;
    marked->natural = natural;
    marked->by_reals = true;
    return marked;
}

/* ---- ranges --------------------------------------------------------------------------------- */

static KernelRange range_of(const Quotients *q, const KernelExp *exp)
{
    if (exp->prim == CORE_BOOL) {
        return kernel_range(0, 1);
    }
    if (exp->prim != CORE_I64) {
        return kernel_everything;
    }
    switch (exp->kind) {
    case KERNEL_CONSTANT:
        return kernel_range(exp->as.constant.as.integer, exp->as.constant.as.integer);
    case KERNEL_VARIABLE: {
        const KernelRange *known = pointer_map_get(&q->ranges, exp->as.variable);
        return known ? *known : kernel_everything;
    }
    case KERNEL_UNARY:
        return kernel_range_of_unary(exp->as.scalar.op, range_of(q, exp->as.scalar.x));
    case KERNEL_BINARY:
        return kernel_range_of_binary(exp->as.scalar.op, range_of(q, exp->as.scalar.x),
                                      range_of(q, exp->as.scalar.y), exp->natural);
    case KERNEL_CONVERT:
        return exp->as.convert->prim == CORE_BOOL ? kernel_range(0, 1) : kernel_everything;
    case KERNEL_SELECT:
        return kernel_range_either(range_of(q, exp->as.select.x), range_of(q, exp->as.select.y));
    case KERNEL_LOAD: break;
    }
    return kernel_everything;
}

static void set_range(Quotients *q, const KernelVariable *variable, KernelRange range)
{
    KernelRange *known = pointer_map_make(q->c->arena, &q->ranges, variable, sizeof(KernelRange));
    *known = range;
}

/* ---- the loop at work ----------------------------------------------------------------------- */

static bool is_quotient(const KernelExp *exp)
{
    return exp->kind == KERNEL_BINARY && exp->as.scalar.prim == CORE_I64 &&
           (exp->as.scalar.op == CORE_DIV || exp->as.scalar.op == CORE_MOD);
}

/* Declared outside of the loop and not assigned in it; noted as one that has to be looked at. */
static bool is_good_divisor(Quotients *q, const KernelExp *y)
{
    if (y->kind == KERNEL_CONSTANT) {
        return y->as.constant.as.integer >= 1 && y->as.constant.as.integer <= FAR;
    }
    if (y->kind != KERNEL_VARIABLE || pointer_map_get(&q->ranges, y->as.variable) ||
        pointer_map_get(&q->assigned, y->as.variable)) {
        return false;
    }
    for (size_t i = 0; i < q->divisor_count; i++) {
        if (q->divisors[i] == y->as.variable) {
            return true;
        }
    }
    if (q->divisor_count == MOST_DIVISORS) {
        return false;
    }
    q->divisors[q->divisor_count++] = y->as.variable;
    return true;
}

static void look_exp(Quotients *q, const KernelExp *exp)
{
    if (!exp) {
        return;
    }
    if (is_quotient(exp)) {
        const KernelExp *x = exp->as.scalar.x, *y = exp->as.scalar.y;
        q->found++;
        q->fails = q->fails || !(kernel_is_power_of_2(y) ||
                                 (kernel_is_within(range_of(q, x), FAR) && is_good_divisor(q, y)));
    } else if (exp->kind == KERNEL_UNARY || exp->kind == KERNEL_BINARY) {
        q->fails = q->fails || !kernel_is_vector_operator(exp);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        look_exp(q, operands[i]);
    }
}

static void find_assigned(Quotients *q, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_ASSIGN || command->kind == KERNEL_WHILE) {
            pointer_map_set(q->c->arena, &q->assigned, command->variable, q);
        }
        find_assigned(q, command->body);
        find_assigned(q, command->otherwise);
    }
}

static void look_block(Quotients *q, KernelBlock block)
{
    for (size_t i = 0; i < block.count && !q->fails; i++) {
        const KernelCmd *command = block.commands[i];
        look_exp(q, command->value);
        look_exp(q, command->index);
        look_exp(q, command->count);
        if (command->kind == KERNEL_DECLARE || command->kind == KERNEL_FOR) {
            bool steady = command->kind == KERNEL_DECLARE && command->value &&
                          !pointer_map_get(&q->assigned, command->variable);
            set_range(q, command->variable,
                      steady ? range_of(q, command->value) : kernel_everything);
        }
        q->fails = q->fails || command->kind == KERNEL_CHECK;
        look_block(q, command->body);
        look_block(q, command->otherwise);
    }
}

static bool has_quotient(const KernelExp *exp)
{
    if (!exp) {
        return false;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    bool found = is_quotient(exp);
    for (size_t i = 0; i < count && !found; i++) {
        found = has_quotient(operands[i]);
    }
    return found;
}

/* Whether the loop has quotients, beside what vectors compute; then all about it is in `q`. */
static bool study(Quotients *q, const KernelCmd *loop)
{
    bool found = false;
    for (size_t i = 0; i < loop->body.count && !found; i++) {
        const KernelCmd *command = loop->body.commands[i];
        found = has_quotient(command->value) || has_quotient(command->index);
    }
    size_t budget = MOST_SIZE;
    if (!found || loop->kind != KERNEL_FOR || loop->level != KERNEL_SEQ ||
        (loop->count->kind == KERNEL_CONSTANT && loop->count->as.constant.as.integer < FEW_ROWS) ||
        !kernel_can_duplicate(loop->body, &budget)) {
        return false;
    }
    *q = (Quotients){.c = q->c};
    find_assigned(q, loop->body);
    set_range(q, loop->variable, kernel_range(0, MANY_ROWS - 1));
    look_block(q, loop->body);
    return !q->fails;
}

/* ---- the two loops -------------------------------------------------------------------------- */

/* x div y = (x + b * y) div y - b, where no x + b * y is negative; x mod y = (x + b * y) mod y. */
static const KernelExp *lifted(Compilation *c, const KernelExp *exp, int64_t low)
{
    int64_t y = exp->as.scalar.y->as.constant.as.integer, b = (-low + y - 1) / y;
    const KernelExp *x = kernel_binary(c, CORE_ADD, exp->as.scalar.x, kernel_i64(c, b * y));
    const KernelExp *high = kernel_by_reals(c, exp->as.scalar.op, x, exp->as.scalar.y, true);
    return exp->as.scalar.op == CORE_DIV ? kernel_binary(c, CORE_SUB, high, kernel_i64(c, b))
                                         : high;
}

/* In the first loop, the old expression's ranges hold. */
static const KernelExp *rebuild(KernelCopier *copier, const KernelExp *old, const KernelExp *copy)
{
    const Quotients *q = (const Quotients *)((char *)copier - offsetof(Quotients, copier));
    Compilation *c = q->c;
    if (!is_quotient(old) || !is_quotient(copy)) {
        return copy;
    }
    const KernelExp *x = copy->as.scalar.x, *y = copy->as.scalar.y;
    bool divides = copy->as.scalar.op == CORE_DIV;
    if (!kernel_is_power_of_2(y)) {
        int64_t low = copy->natural ? 0 : range_of(q, old->as.scalar.x).low;
        return low >= 0                     ? kernel_by_reals(c, copy->as.scalar.op, x, y, true)
               : y->kind == KERNEL_CONSTANT ? lifted(c, copy, low)
                                            : kernel_by_reals(c, copy->as.scalar.op, x, y, false);
    }
    int64_t power = y->as.constant.as.integer;
    return divides ? kernel_binary(c, CORE_SAR, x, kernel_i64(c, __builtin_ctzll((uint64_t)power)))
                   : kernel_binary(c, CORE_AND, x, kernel_i64(c, power - 1));
}

static const KernelExp *few_of(Quotients *q, KernelBuilder *b, const KernelExp *count)
{
    Compilation *c = q->c;
    const KernelExp *few = kernel_binary(c, CORE_MIN, count, kernel_i64(c, MANY_ROWS));
    for (size_t i = 0; i < q->divisor_count; i++) {
        const KernelExp *y = kernel_use(c, q->divisors[i]);
        const KernelExp *good =
            kernel_binary(c, CORE_AND, kernel_binary(c, CORE_GE, y, kernel_i64(c, 1)),
                          kernel_binary(c, CORE_LE, y, kernel_i64(c, FAR)));
        few = kernel_select(c, good, few, kernel_i64(c, 0));
    }
    return kernel_declared(b, "few", few);
}

static void put_loops(Quotients *q, KernelBuilder *b, const KernelCmd *loop)
{
    Compilation *c = q->c;
    b->span = loop->span;
    const KernelExp *count = loop->count;
    if (count->kind != KERNEL_CONSTANT) {
        count = kernel_declared(b, "count", kernel_binary(c, CORE_MAX, count, kernel_i64(c, 0)));
    }
    const KernelExp *few = few_of(q, b, count);
    KernelBuilder body = kernel_builder(c, loop->span);
    q->copier = (KernelCopier){.c = c, .rebuild = rebuild};
    KernelVariable *i = kernel_rename(&q->copier, loop->variable);
    kernel_duplicate(&q->copier, &body, loop->body);
    kernel_for(b, KERNEL_SEQ, NULL, i, few, kernel_block(&body));
    const KernelExp *rest = kernel_declared(b, "rest", kernel_binary(c, CORE_SUB, count, few));
    if (kernel_is_i64(rest, 0)) {
        return;
    }
    body = kernel_builder(c, loop->span);
    q->copier = (KernelCopier){.c = c};
    KernelVariable *j =
        kernel_variable(c, loop->variable->text, CORE_I64, KERNEL_SCALAR, loop->span);
    i = kernel_rename(&q->copier, loop->variable);
    kernel_declare(&body, i, kernel_exact_sum(c, kernel_use(c, j), few));
    kernel_duplicate(&q->copier, &body, loop->body);
    kernel_for(b, KERNEL_SEQ, NULL, j, rest, kernel_block(&body));
}

/* ---- the program ---------------------------------------------------------------------------- */

static bool put(void *context, KernelBuilder *b, const KernelCmd *command)
{
    Quotients *q = context;
    bool found = study(q, command);
    if (found) {
        put_loops(q, b, command);
    }
    return found;
}

KernelProgram *kernel_shorten_quotients(Compilation *c, const KernelProgram *program)
{
    Quotients q = {.c = c};
    KernelRewrite rewrite = {.c = c, .context = &q, .put = put};
    return kernel_rewrite_program(&rewrite, program);
}
