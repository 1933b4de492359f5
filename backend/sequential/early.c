/* Loops that end as soon as no row to come can change what they find, in sequential programs.

   The first place of a 1 is the least of numbers that grow with the row, of which a row without a 1
   has the greatest. Of rows from `start` on none is below `start`, so that what is not above it stays:

       for (i < n) {                        var start = 0
           v = b[i] ? i : n                 var goes_on = n > 0
           x = min(x, v)         ==>        while (goes_on) {
       }                                        var own = min(n - start, min(start + 256, 65536))
                                                for (t < own) { i = start + t; ... as it was ... }
                                                start = start + own
                                                found = x <= min(start, n)
                                                goes_on = start < n & !found
                                            }

   Of `or` a true one stays, of `and` a false one. It is looked at between chunks of rows, which remain
   loops that vectors compute; the first chunks are short, and each is as long as all before it, so
   that at most as many rows are done in vain as are of use.

   For that a loop may do nothing else: what it assigns are variables of its own and such
   accumulators, all of which have to stay, and it stores and checks nothing, for of checks all rows' have
   to be made. What a `min` takes, no row to come has less of than its `floor` at `start`: an expression
   of the row's number, numbers from outside the loop and constants that does not decrease with the
   row. Sums are there only of what is known to be below 2^56 in magnitude, at most 64 of them, which do
   not wrap; of numbers from outside that is asked before the loop (`near`), and where one is not, all
   rows are done.

   It comes after the passes that look for loops, and in kernels for processors when each group has its
   share of them, which it leaves by itself. */
#include "backend/copy.h"

#define FAR (INT64_C(1) << 56)
enum { MOST_SIZE = 1000, MOST_TERMS = 64, MOST_TOTALS = 16, MOST_BOUNDS = 8 };
/* Rows of the first chunk, also where each has loops of its own, and of the longest; fewer are not worth it. */
enum { FIRST_ROWS = 256, FIRST_DEAR_ROWS = 8, MOST_ROWS = 65536, FEW_ROWS = 1024 };

/* What the loop leaves behind; floor, of a `min`: what no row from the loop's variable on is below. */
typedef struct Total {
    KernelVariable *variable;
    CoreOperator op;
    const KernelExp *floor;
} Total;

typedef struct Early {
    Compilation *c;
    KernelRewrite *rewrite;
    /* of the loop at work: */
    const KernelCmd *loop;
    PointerMap values;   /* KernelVariable declared in it -> KernelExp; what has none -> itself */
    PointerMap assigned; /* KernelVariable -> anything */
    size_t total_count, bound_count, terms;
    Total totals[MOST_TOTALS];
    const KernelVariable *bounds[MOST_BOUNDS]; /* from outside, that have to be near */
    bool is_dear;
} Early;

/* ---- what is declared and assigned ------------------------------------------------------------- */

/* Commands that rows which are not done may have; notes what they declare and assign. */
static bool note_block(Early *e, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        KernelVariable *variable = command->variable;
        switch (command->kind) {
        case KERNEL_DECLARE:
        case KERNEL_FOR: {
            bool steady = command->kind == KERNEL_DECLARE && command->value;
            e->is_dear = e->is_dear || command->kind == KERNEL_FOR;
            pointer_map_set(e->c->arena, &e->values, variable,
                            steady ? (void *)(uintptr_t)command->value : variable);
            if (!steady) {
                pointer_map_set(e->c->arena, &e->assigned, variable, variable);
            }
            break;
        }
        case KERNEL_WHILE: e->is_dear = true; break;
        case KERNEL_ASSIGN: pointer_map_set(e->c->arena, &e->assigned, variable, variable); break;
        case KERNEL_STORE:
        case KERNEL_CHECK: return false;
        default: break; /* the rest cannot be copied (kernel_can_duplicate), or does nothing */
        }
        if (!note_block(e, command->body) || !note_block(e, command->otherwise)) {
            return false;
        }
    }
    return true;
}

/* What a variable of the loop is, wherever it is read; NULL: it is none, or not always the same. */
static const KernelExp *value_of(const Early *e, const KernelVariable *variable)
{
    return pointer_map_get(&e->assigned, variable) ? NULL : pointer_map_get(&e->values, variable);
}

/* The expression behind names of the loop. */
static const KernelExp *resolve(const Early *e, const KernelExp *exp)
{
    while (exp->kind == KERNEL_VARIABLE) {
        const KernelExp *value = value_of(e, exp->as.variable);
        if (!value) {
            break;
        }
        exp = value;
    }
    return exp;
}

static bool is_binary(const KernelExp *exp, CoreOperator op)
{
    return exp->kind == KERNEL_BINARY && exp->as.scalar.op == op;
}

/* 0 or -1. */
static bool is_mask(const Early *e, const KernelExp *exp)
{
    exp = resolve(e, exp);
    if (exp->kind != KERNEL_UNARY || exp->as.scalar.op != CORE_NEG) {
        return false;
    }
    const KernelExp *x = resolve(e, exp->as.scalar.x);
    return x->kind == KERNEL_CONVERT && x->as.convert->prim == CORE_BOOL;
}

/* y of `y & mask`, which is y or 0; else NULL. */
static const KernelExp *masked(const Early *e, const KernelExp *exp)
{
    return !is_binary(exp, CORE_AND)      ? NULL
           : is_mask(e, exp->as.scalar.y) ? exp->as.scalar.x
           : is_mask(e, exp->as.scalar.x) ? exp->as.scalar.y
                                          : NULL;
}

/* ---- what numbers are near ------------------------------------------------------------------------ */

/* A number from outside the loop, or that of the row; from now on it has to be near. */
static bool is_term(Early *e, const KernelVariable *variable)
{
    if (variable->prim != CORE_I64 || variable->space != KERNEL_SCALAR ||
        pointer_map_get(&e->values, variable) || pointer_map_get(&e->assigned, variable) ||
        e->terms++ >= MOST_TERMS) {
        return false;
    }
    bool known = variable == e->loop->variable;
    for (size_t k = 0; k < e->bound_count && !known; k++) {
        known = e->bounds[k] == variable;
    }
    if (!known && e->bound_count < MOST_BOUNDS) {
        e->bounds[e->bound_count++] = variable;
        known = true;
    }
    return known;
}

static bool is_near_constant(Early *e, const KernelExp *exp)
{
    int64_t value = exp->as.constant.as.integer;
    return value >= -FAR && value <= FAR && e->terms++ < MOST_TERMS;
}

/* It is the sum of so many near numbers that it does not wrap. */
static bool is_near(Early *e, const KernelExp *exp)
{
    exp = resolve(e, exp);
    if (exp->prim != CORE_I64) {
        return false;
    }
    switch (exp->kind) {
    case KERNEL_CONSTANT: return is_near_constant(e, exp);
    case KERNEL_VARIABLE: return is_term(e, exp->as.variable);
    case KERNEL_CONVERT: return exp->as.convert->prim == CORE_BOOL && e->terms++ < MOST_TERMS;
    case KERNEL_SELECT: return is_near(e, exp->as.select.x) && is_near(e, exp->as.select.y);
    case KERNEL_BINARY:
        if (masked(e, exp)) {
            return is_near(e, masked(e, exp));
        }
        return (is_binary(exp, CORE_ADD) || is_binary(exp, CORE_SUB) || is_binary(exp, CORE_MIN) ||
                is_binary(exp, CORE_MAX)) &&
               is_near(e, exp->as.scalar.x) && is_near(e, exp->as.scalar.y);
    case KERNEL_UNARY:
    case KERNEL_LOAD: break;
    }
    return false;
}

/* ---- floors -------------------------------------------------------------------------------------- */

static const KernelExp *floor_of(Early *e, const KernelExp *exp);

static const KernelExp *lesser_floor(Early *e, const KernelExp *x, const KernelExp *y)
{
    const KernelExp *low = floor_of(e, x), *other = low ? floor_of(e, y) : NULL;
    return other ? kernel_binary(e->c, CORE_MIN, low, other) : NULL;
}

/* q of x + (q - x & mask), which is x or q, whatever wraps; else NULL. */
static const KernelExp *other_choice(const Early *e, const KernelExp *x, const KernelExp *y)
{
    const KernelExp *difference = masked(e, resolve(e, y));
    difference = difference ? resolve(e, difference) : NULL;
    return difference && is_binary(difference, CORE_SUB) &&
                   kernel_is_same(resolve(e, difference->as.scalar.y), resolve(e, x))
               ? difference->as.scalar.x
               : NULL;
}

static const KernelExp *floor_of_sum(Early *e, const KernelExp *exp)
{
    const KernelExp *x = exp->as.scalar.x, *y = exp->as.scalar.y;
    const KernelExp *choice = other_choice(e, x, y), *opposite = other_choice(e, y, x);
    if (choice || opposite) {
        return lesser_floor(e, choice ? x : y, choice ? choice : opposite);
    }
    if (!is_near(e, x) || !is_near(e, y)) {
        return NULL;
    }
    const KernelExp *low = floor_of(e, x), *other = low ? floor_of(e, y) : NULL;
    return other ? kernel_binary(e->c, CORE_ADD, low, other) : NULL;
}

static const KernelExp *floor_of_binary(Early *e, const KernelExp *exp)
{
    const KernelExp *x = exp->as.scalar.x, *y = exp->as.scalar.y;
    if (masked(e, exp)) {
        return lesser_floor(e, masked(e, exp), kernel_i64(e->c, 0));
    }
    if (is_binary(exp, CORE_ADD)) {
        return floor_of_sum(e, exp);
    }
    if (is_binary(exp, CORE_MIN)) {
        return lesser_floor(e, x, y);
    }
    y = resolve(e, y);
    bool is_steady = y->kind == KERNEL_CONSTANT ||
                     (y->kind == KERNEL_VARIABLE && y->as.variable != e->loop->variable);
    if (is_binary(exp, CORE_SUB) && is_steady && is_near(e, x) && is_near(e, y)) {
        const KernelExp *low = floor_of(e, x);
        return low ? kernel_binary(e->c, CORE_SUB, low, y) : NULL;
    }
    return NULL;
}

/* Not above the i64 in this row and all to come, and itself near; NULL: nothing is known. */
static const KernelExp *floor_of(Early *e, const KernelExp *exp)
{
    exp = resolve(e, exp);
    if (exp->prim != CORE_I64) {
        return NULL;
    }
    switch (exp->kind) {
    case KERNEL_CONSTANT:
        if (exp->as.constant.as.integer > FAR) {
            return e->terms++ < MOST_TERMS ? kernel_i64(e->c, FAR) : NULL;
        }
        return is_near_constant(e, exp) ? exp : NULL;
    case KERNEL_VARIABLE: return is_term(e, exp->as.variable) ? exp : NULL;
    case KERNEL_CONVERT: return exp->as.convert->prim == CORE_BOOL ? kernel_i64(e->c, 0) : NULL;
    case KERNEL_SELECT: return lesser_floor(e, exp->as.select.x, exp->as.select.y);
    case KERNEL_BINARY: return floor_of_binary(e, exp);
    case KERNEL_UNARY:
    case KERNEL_LOAD: break;
    }
    return NULL;
}

/* ---- what the loop leaves behind ------------------------------------------------------------------ */

static bool is_use(const KernelExp *exp, const KernelVariable *variable)
{
    return exp->kind == KERNEL_VARIABLE && exp->as.variable == variable;
}

/* `variable = value` is `variable = variable op operand`, so that the loop may find enough of it. */
static bool note_total(Early *e, KernelVariable *variable, const KernelExp *value)
{
    value = resolve(e, value);
    bool is_min = variable->prim == CORE_I64 && is_binary(value, CORE_MIN);
    bool is_bool =
        variable->prim == CORE_BOOL && (is_binary(value, CORE_OR) || is_binary(value, CORE_AND));
    if ((!is_min && !is_bool) || e->total_count == MOST_TOTALS) {
        return false;
    }
    const KernelExp *x = value->as.scalar.x, *operand = value->as.scalar.y;
    if (!is_use(x, variable)) {
        operand = x;
        x = value->as.scalar.y;
    }
    const KernelExp *floor = is_min && is_use(x, variable) ? floor_of(e, operand) : NULL;
    if (!is_use(x, variable) || (is_min && !floor)) {
        return false;
    }
    e->totals[e->total_count++] = (Total){variable, value->as.scalar.op, floor};
    return true;
}

static bool note_totals(Early *e, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool is_outside =
            command->kind == KERNEL_ASSIGN && !pointer_map_get(&e->values, command->variable);
        if ((is_outside && !note_total(e, command->variable, command->value)) ||
            !note_totals(e, command->body) || !note_totals(e, command->otherwise)) {
            return false;
        }
    }
    return true;
}

static bool has_few_rows(const KernelExp *count)
{
    int64_t most = count->kind == KERNEL_CONSTANT   ? count->as.constant.as.integer
                   : count->kind == KERNEL_VARIABLE ? count->as.variable->most
                                                    : 0;
    return most < FEW_ROWS && (most != 0 || count->kind == KERNEL_CONSTANT);
}

static bool study(Early *e, const KernelCmd *loop)
{
    size_t budget = MOST_SIZE;
    if (loop->kind != KERNEL_FOR || loop->level != KERNEL_SEQ || loop->product ||
        has_few_rows(loop->count) || !kernel_can_duplicate(loop->body, &budget)) {
        return false;
    }
    *e = (Early){.c = e->c, .rewrite = e->rewrite, .loop = loop};
    return note_block(e, loop->body) && note_totals(e, loop->body) && e->total_count > 0 &&
           !kernel_mentions_any(&e->assigned, loop->count);
}

/* ---- the chunks ---------------------------------------------------------------------------------- */

/* Whether the numbers of which floors are made are near; NULL: it does not matter. */
static const KernelExp *declare_near(Early *e, KernelBuilder *b, const KernelExp *count)
{
    Compilation *c = e->c;
    const KernelExp *far = kernel_i64(c, FAR), *near = NULL;
    for (size_t k = 0; k < e->total_count && !near; k++) {
        near = e->totals[k].floor ? kernel_binary(c, CORE_LE, count, far) : NULL;
    }
    for (size_t k = 0; k < e->bound_count; k++) {
        KernelVariable *bound = (KernelVariable *)(uintptr_t)e->bounds[k];
        if (is_use(count, bound)) {
            continue; /* where there are rows, it is positive */
        }
        const KernelExp *y = kernel_use(c, bound);
        const KernelExp *is_low = kernel_binary(c, CORE_GE, y, kernel_i64(c, -FAR));
        const KernelExp *is_high = kernel_binary(c, CORE_LE, y, far);
        near = kernel_binary(c, CORE_AND, near, kernel_binary(c, CORE_AND, is_low, is_high));
    }
    return near ? kernel_declared(b, "near", near) : NULL;
}

/* All that the loop leaves behind stays as it is in the rows from `start` on. */
static const KernelExp *is_found(Early *e, KernelVariable *start, const KernelExp *near)
{
    Compilation *c = e->c;
    KernelCopier copier = {.c = c};
    kernel_replace(&copier, e->loop->variable, kernel_use(c, start));
    const KernelExp *found = near;
    for (size_t k = 0; k < e->total_count; k++) {
        const Total *total = &e->totals[k];
        const KernelExp *x = kernel_use(c, total->variable), *stays = x;
        if (total->floor) {
            stays = kernel_binary(c, CORE_LE, x, kernel_duplicate_exp(&copier, total->floor));
        } else if (total->op == CORE_AND) {
            stays = kernel_unary(c, CORE_NOT, x);
        }
        found = found ? kernel_binary(c, CORE_AND, found, stays) : stays;
    }
    return found;
}

/* One chunk: its rows, and how many there are. */
static const KernelExp *put_rows(Early *e, KernelBuilder *b, const KernelExp *start,
                                 const KernelExp *count)
{
    Compilation *c = e->c;
    const KernelCmd *loop = e->loop;
    int64_t first = e->is_dear ? FIRST_DEAR_ROWS : FIRST_ROWS;
    const KernelExp *left = kernel_binary(c, CORE_SUB, count, start);
    const KernelExp *rows = kernel_binary(c, CORE_ADD, start, kernel_i64(c, first));
    rows = kernel_binary(c, CORE_MIN, rows, kernel_i64(c, MOST_ROWS));
    const KernelExp *own = kernel_declared(b, "own", kernel_binary(c, CORE_MIN, left, rows));
    KernelVariable *t = kernel_variable(c, "t", CORE_I64, KERNEL_SCALAR, loop->span);
    KernelBuilder body = kernel_builder(c, loop->span);
    kernel_declare(&body, loop->variable, kernel_exact_sum(c, start, kernel_use(c, t)));
    kernel_add_block(&body, kernel_rewrite(e->rewrite, loop->body));
    KernelCmd *chunk = arena_copy(c->arena, loop, sizeof *loop);
    chunk->variable = t;
    chunk->count = own;
    chunk->body = kernel_block(&body);
    kernel_add(b, chunk);
    return own;
}

static void put_chunks(Early *e, KernelBuilder *b)
{
    Compilation *c = e->c;
    Span span = e->loop->span;
    b->span = span;
    const KernelExp *count = e->loop->count;
    if (count->kind != KERNEL_VARIABLE) {
        count = kernel_declared(b, "count", count);
    }
    const KernelExp *near = declare_near(e, b, count);
    KernelVariable *start = kernel_variable(c, "start", CORE_I64, KERNEL_SCALAR, span);
    kernel_declare(b, start, kernel_i64(c, 0));
    KernelVariable *goes_on = kernel_variable(c, "goes_on", CORE_BOOL, KERNEL_SCALAR, span);
    kernel_declare(b, goes_on, kernel_binary(c, CORE_GT, count, kernel_i64(c, 0)));
    KernelBuilder body = kernel_builder(c, span);
    const KernelExp *from = kernel_use(c, start);
    const KernelExp *own = put_rows(e, &body, from, count);
    kernel_assign(&body, start, kernel_exact_sum(c, from, own));
    const KernelExp *found = kernel_declared(&body, "found", is_found(e, start, near));
    kernel_assign(&body, goes_on,
                  kernel_binary(c, CORE_AND, kernel_binary(c, CORE_LT, from, count),
                                kernel_unary(c, CORE_NOT, found)));
    kernel_while(b, goes_on, kernel_block(&body));
}

/* ---- the program ---------------------------------------------------------------------------------- */

static bool put(void *context, KernelBuilder *b, const KernelCmd *command)
{
    Early *outer = context;
    Early e = {.c = outer->c, .rewrite = outer->rewrite};
    bool found = study(&e, command);
    if (found) {
        put_chunks(&e, b);
    }
    return found;
}

KernelProgram *kernel_leave_early(Compilation *c, const KernelProgram *program)
{
    Early early = {.c = c};
    KernelRewrite rewrite = {.c = c, .context = &early, .put = put};
    early.rewrite = &rewrite;
    return kernel_rewrite_program(&rewrite, program);
}
