/* Places in matrices that are taken apart and put together again.

   A kernel over the elements of a matrix has one index, of which lowering makes a row and a column; where these are
   only used for the place that they have in memory, row by row, that is the index itself, and there is no need for
   a quotient:

       grid (g < size) {                               grid (g < size) {
           var j = g % m                        ==>
           var i = g / m
           y[i * m + j] = x[start + i * m + j]             y[g] = x[start + g]
       }                                               }

   In integers x / n * n + x % n is x for all x and n, also modulo 2^64, and where n is 0: then the quotient is 0 and the
   rest is x. With more axes it is done again, of (x / n) * s + (x % n) * t, where s is n * t. Nothing of that may change
   between the quotient and its use: variables that are assigned are left alone.

   Before: a kernel program as lowering makes it, whose kernels have been chosen. After: the same, with shorter indices
   in kernels of level GRID; quotients that nobody uses any more are still there (backend/unused.c). */
#include "backend/copy.h"

enum { MOST_TERMS = 8 };

typedef struct Places {
    Compilation *c;
    PointerMap definitions; /* KernelVariable -> KernelExp, of i64 that are never assigned */
    PointerMap assigned;    /* KernelVariable -> itself */
    PointerMap aliases;     /* KernelVariable -> KernelExp that it is, in a kernel */
} Places;

/* ---- what is known --------------------------------------------------------------------------- */

static void assign(Places *p, KernelVariable *variable)
{
    pointer_map_set(p->c->arena, &p->assigned, variable, variable);
}

static void define(Places *p, KernelVariable *variable, const KernelExp *value)
{
    pointer_map_set(p->c->arena, &p->definitions, variable, (void *)(uintptr_t)value);
}

static void find_definitions(Places *p, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        KernelVariable *variable = command->variable;
        bool is_scalar = variable && variable->space == KERNEL_SCALAR;
        if (command->kind == KERNEL_DECLARE && is_scalar && variable->prim == CORE_I64 &&
            command->value) {
            const KernelExp *other = pointer_map_get(&p->definitions, variable);
            if (other && other != command->value) { /* declared in two blocks */
                assign(p, variable);
            }
            define(p, variable, command->value);
        } else if (is_scalar && command->kind != KERNEL_DECLARE && command->kind != KERNEL_FOR) {
            assign(p, variable);
        }
        for (size_t k = 0; k < command->payload_count; k++) {
            assign(p, command->payload[k]);
        }
        find_definitions(p, command->body);
        find_definitions(p, command->otherwise);
    }
}

static const KernelExp *definition_of(const Places *p, const KernelExp *exp)
{
    if (exp->kind != KERNEL_VARIABLE || pointer_map_get(&p->assigned, exp->as.variable)) {
        return exp;
    }
    const KernelExp *definition = pointer_map_get(&p->definitions, exp->as.variable);
    return definition ? definition : exp;
}

/* The operation that makes it, of i64; NULL where that is another one. */
static const KernelExp *operation(const Places *p, const KernelExp *exp, CoreOperator op)
{
    const KernelExp *made = definition_of(p, exp);
    bool found = made->kind == KERNEL_BINARY && made->as.scalar.op == op && made->prim == CORE_I64;
    return found ? made : NULL;
}

/* The same constant or variable, which keeps its value. */
static bool is_steady_same(const Places *p, const KernelExp *x, const KernelExp *y)
{
    bool is_constant = x->kind == KERNEL_CONSTANT;
    bool is_steady = x->kind == KERNEL_VARIABLE && !pointer_map_get(&p->assigned, x->as.variable);
    return (is_constant || is_steady) && kernel_is_same(x, y);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* index * step; the step is NULL for 1. */
typedef struct Term {
    const KernelExp *whole, *index, *step;
} Term;

static bool is_step(const Places *p, const KernelExp *outer, const KernelExp *extent,
                    const KernelExp *inner)
{
    if (!inner) {
        return is_steady_same(p, extent, outer);
    }
    const KernelExp *product = operation(p, outer, CORE_MUL);
    return product && ((is_steady_same(p, extent, product->as.scalar.x) &&
                        is_steady_same(p, inner, product->as.scalar.y)) ||
                       (is_steady_same(p, extent, product->as.scalar.y) &&
                        is_steady_same(p, inner, product->as.scalar.x)));
}

/* x / n * s and x % n * t, s = n * t: x * t. */
static bool join(Places *p, const Term *outer, const Term *inner, const KernelExp **sum)
{
    const KernelExp *quotient = operation(p, outer->index, CORE_DIV);
    const KernelExp *rest = operation(p, inner->index, CORE_MOD);
    if (!quotient || !rest || !outer->step ||
        !is_steady_same(p, quotient->as.scalar.x, rest->as.scalar.x) ||
        !is_steady_same(p, quotient->as.scalar.y, rest->as.scalar.y) ||
        !is_step(p, outer->step, rest->as.scalar.y, inner->step)) {
        return false;
    }
    *sum = inner->step ? kernel_binary(p->c, CORE_MUL, rest->as.scalar.x, inner->step)
                       : rest->as.scalar.x;
    return true;
}

/* The ways to read a term as index * step. */
static size_t readings(const Places *p, const KernelExp *whole, Term ways[3])
{
    const KernelExp *product = operation(p, whole, CORE_MUL);
    ways[0] = (Term){whole, whole, NULL};
    if (!product) {
        return 1;
    }
    ways[1] = (Term){whole, product->as.scalar.x, product->as.scalar.y};
    ways[2] = (Term){whole, product->as.scalar.y, product->as.scalar.x};
    return 3;
}

static bool join_terms(Places *p, const KernelExp *a, const KernelExp *b, const KernelExp **sum)
{
    Term of_a[3], of_b[3];
    size_t a_count = readings(p, a, of_a), b_count = readings(p, b, of_b);
    for (size_t i = 0; i < a_count; i++) {
        for (size_t k = 0; k < b_count; k++) {
            if (join(p, &of_a[i], &of_b[k], sum)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_sum(const KernelExp *exp)
{
    return exp->kind == KERNEL_BINARY && exp->as.scalar.op == CORE_ADD && exp->prim == CORE_I64;
}

/* False where there are too many. */
static bool find_terms(const KernelExp *exp, const KernelExp **terms, size_t *count)
{
    if (is_sum(exp)) {
        return find_terms(exp->as.scalar.x, terms, count) &&
               find_terms(exp->as.scalar.y, terms, count);
    }
    if (*count == MOST_TERMS) {
        return false;
    }
    terms[(*count)++] = exp;
    return true;
}

static bool join_one_pair(Places *p, const KernelExp **terms, size_t *count)
{
    for (size_t i = 0; i < *count; i++) {
        for (size_t k = 0; k < *count; k++) {
            const KernelExp *sum;
            if (i == k || !join_terms(p, terms[i], terms[k], &sum)) {
                continue;
            }
            size_t first = i < k ? i : k, last = i < k ? k : i;
            terms[first] = sum;
            for (size_t j = last; j + 1 < *count; j++) {
                terms[j] = terms[j + 1];
            }
            --*count;
            return true;
        }
    }
    return false;
}

static const KernelExp *shorter_sum(Places *p, const KernelExp *exp)
{
    const KernelExp *terms[MOST_TERMS];
    size_t count = 0;
    bool changed = false;
    if (!is_sum(exp) || !find_terms(exp, terms, &count)) {
        return exp;
    }
    while (join_one_pair(p, terms, &count)) {
        changed = true;
    }
    const KernelExp *sum = terms[0];
    for (size_t i = 1; changed && i < count; i++) {
        sum = kernel_binary(p->c, CORE_ADD, sum, terms[i]);
    }
    return changed ? sum : exp;
}

/* ---- expressions and commands ---------------------------------------------------------------- */

static const KernelExp *shorter(Places *p, const KernelExp *exp);

static const KernelExp *of_operands(Places *p, const KernelExp *exp)
{
    switch (exp->kind) {
    case KERNEL_CONSTANT: return exp;
    case KERNEL_VARIABLE: {
        const KernelExp *alias = pointer_map_get(&p->aliases, exp->as.variable);
        return alias ? alias : exp;
    }
    case KERNEL_UNARY: {
        const KernelExp *x = shorter(p, exp->as.scalar.x);
        return x == exp->as.scalar.x ? exp : kernel_unary(p->c, exp->as.scalar.op, x);
    }
    case KERNEL_BINARY: {
        const KernelExp *x = shorter(p, exp->as.scalar.x), *y = shorter(p, exp->as.scalar.y);
        bool same = x == exp->as.scalar.x && y == exp->as.scalar.y;
        return same ? exp : kernel_binary_like(p->c, exp, x, y);
    }
    case KERNEL_CONVERT: {
        const KernelExp *x = shorter(p, exp->as.convert);
        return x == exp->as.convert ? exp : kernel_convert(p->c, exp->prim, x);
    }
    case KERNEL_SELECT: {
        const KernelExp *condition = shorter(p, exp->as.select.condition);
        const KernelExp *x = shorter(p, exp->as.select.x), *y = shorter(p, exp->as.select.y);
        bool same =
            condition == exp->as.select.condition && x == exp->as.select.x && y == exp->as.select.y;
        return same ? exp : kernel_select(p->c, condition, x, y);
    }
    case KERNEL_LOAD: {
        const KernelExp *index = shorter(p, exp->as.load.index);
        return index == exp->as.load.index ? exp : kernel_load(p->c, exp->as.load.buffer, index);
    }
    }
    return exp;
}

static const KernelExp *shorter(Places *p, const KernelExp *exp)
{
    return exp ? shorter_sum(p, of_operands(p, exp)) : NULL;
}

static KernelBlock shorter_block(Places *p, KernelBlock block);

static const KernelExp *const *shorter_all(Places *p, size_t count, const KernelExp *const *exps)
{
    const KernelExp **all = ARENA_ARRAY(p->c->arena, const KernelExp *, count + 1);
    for (size_t i = 0; i < count; i++) {
        all[i] = shorter(p, exps[i]);
    }
    return all;
}

static const KernelCmd *shorter_command(Places *p, const KernelCmd *command)
{
    KernelCmd *copy = arena_copy(p->c->arena, command, sizeof *command);
    copy->value = shorter(p, command->value);
    copy->index = shorter(p, command->index);
    copy->source_index = shorter(p, command->source_index);
    copy->count = shorter(p, command->count);
    copy->values = shorter_all(p, command->value_count, command->values);
    copy->assumed = shorter_all(p, command->assumed_count, command->assumed);
    copy->body = shorter_block(p, command->body);
    copy->otherwise = shorter_block(p, command->otherwise);
    return copy;
}

/* What is now another variable, or a constant, is used as that. */
static bool is_alias(Places *p, const KernelCmd *old, const KernelCmd *command)
{
    bool is_leaf = command->value && (command->value->kind == KERNEL_VARIABLE ||
                                      command->value->kind == KERNEL_CONSTANT);
    bool is_steady = is_leaf && is_steady_same(p, command->value, command->value) &&
                     !pointer_map_get(&p->assigned, command->variable);
    if (command->kind != KERNEL_DECLARE || command->value == old->value || !is_steady ||
        command->variable->space != KERNEL_SCALAR) {
        return false;
    }
    pointer_map_set(p->c->arena, &p->aliases, command->variable, (void *)(uintptr_t)command->value);
    return true;
}

static KernelBlock shorter_block(Places *p, KernelBlock block)
{
    KernelBuilder b = kernel_builder(p->c, (Span){0});
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *old = block.commands[i], *command = shorter_command(p, old);
        if (command->kind == KERNEL_DECLARE && command->value &&
            pointer_map_get(&p->definitions, command->variable)) {
            define(p, command->variable, command->value);
        }
        if (!is_alias(p, old, command)) {
            kernel_add(&b, command);
        }
    }
    return kernel_block(&b);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static bool put_kernel(void *context, KernelBuilder *b, const KernelCmd *command)
{
    Places *p = context;
    if (command->kind != KERNEL_FOR || command->level != KERNEL_GRID) {
        return false;
    }
    p->aliases = (PointerMap){0};
    KernelCmd *copy = arena_copy(p->c->arena, command, sizeof *command);
    copy->body = shorter_block(p, command->body);
    kernel_add(b, copy);
    return true;
}

KernelProgram *kernel_join_places(Compilation *c, const KernelProgram *program)
{
    Places places = {.c = c};
    for (size_t i = 0; i < program->body_count; i++) {
        find_definitions(&places, program->entries[i].body);
    }
    KernelRewrite rewrite = {.c = c, .context = &places, .put = put_kernel};
    return kernel_rewrite_program(&rewrite, program);
}
