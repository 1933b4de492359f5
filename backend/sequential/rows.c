/* Loops over all elements of a matrix, row by row.

   A reduction of a matrix is one loop over its elements (`+/,m`), and where these are computed there
   (core/fuse/delay.c), it takes each position apart:

       for (i < n) {                            rows = n / k, where that is worth it
           var row = i / k                      for (row < rows) {
           var column = i % k                       start = row * k
           s = s + f(row, column)       ==>         for (column < k) { s = s + f(row, column) }
       }                                        }
                                                for (j < n - rows * k) { as it was, for i = rows * k + j }

   The order of the iterations is what it was. So the inner loop has neighbours that stand side by side in
   memory, and what it asks of row and column is split from its interior (backend/split/). What is the
   same in a whole row is computed before it. Short rows, or few of them, stay one loop: quotients.c has
   vectors of these. */
#include "backend/copy.h"

enum { MOST_SIZE = 3000, FEW_ROWS = 64, FEW_COLUMNS = 64 };

typedef struct Rows {
    Compilation *c;
    /* of the loop at work: */
    KernelCopier copier; /* first of those: see rebuild */
    const KernelCmd *loop;
    const KernelExp *columns;      /* a constant, or a variable from outside */
    const KernelExp *row, *column; /* of the nest that it becomes */
    PointerMap changing;           /* KernelVariable -> anything: may differ within a row */
} Rows;

/* ---- what is taken apart --------------------------------------------------------------------- */

static bool is_part_of(const KernelExp *exp, const KernelVariable *i)
{
    return exp->kind == KERNEL_BINARY && exp->prim == CORE_I64 &&
           (exp->as.scalar.op == CORE_DIV || exp->as.scalar.op == CORE_MOD) &&
           exp->as.scalar.x->kind == KERNEL_VARIABLE && exp->as.scalar.x->as.variable == i;
}

static void note_change(Rows *r, const KernelVariable *variable)
{
    pointer_map_set(r->c->arena, &r->changing, variable, r);
}

/* What is assigned in the block, and what is declared so many blocks deep or deeper. */
static void note_changes(Rows *r, KernelBlock block, int depth)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->variable && (command->kind != KERNEL_DECLARE || depth <= 0)) {
            note_change(r, command->variable);
        }
        note_changes(r, command->body, depth - 1);
        note_changes(r, command->otherwise, depth - 1);
    }
}

static bool is_extent(const Rows *r, const KernelExp *exp)
{
    return exp->kind == KERNEL_CONSTANT
               ? exp->as.constant.as.integer >= FEW_COLUMNS
               : exp->kind == KERNEL_VARIABLE && !pointer_map_get(&r->changing, exp->as.variable);
}

/* The number of columns of the first remainder of the loop's variable that each iteration needs, as
   `columns`: what is chosen between may be there for few iterations only (split/ knows which). */
static void find_columns(Rows *r, const KernelExp *exp)
{
    if (!exp || r->columns) {
        return;
    }
    if (is_part_of(exp, r->loop->variable) && exp->as.scalar.op == CORE_MOD &&
        is_extent(r, exp->as.scalar.y)) {
        r->columns = exp->as.scalar.y;
        return;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = exp->kind == KERNEL_SELECT ? 0 : kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        find_columns(r, operands[i]);
    }
}

static bool is_short(const KernelExp *count)
{
    return count->kind == KERNEL_CONSTANT && count->as.constant.as.integer < FEW_ROWS * FEW_COLUMNS;
}

/* Whether it is a loop to be taken apart, without loops inside; then all about it is in `r`. */
static bool study(Rows *r, const KernelCmd *loop)
{
    size_t budget = MOST_SIZE;
    if (loop->kind != KERNEL_FOR || loop->level != KERNEL_SEQ || loop->hides_count ||
        is_short(loop->count) || kernel_has(loop->body, KERNEL_FOR) ||
        kernel_has(loop->body, KERNEL_WHILE) || !kernel_can_duplicate(loop->body, &budget)) {
        return false;
    }
    *r = (Rows){.c = r->c, .loop = loop};
    note_changes(r, loop->body, 0);
    for (size_t i = 0; i < loop->body.count && !r->columns; i++) {
        const KernelCmd *command = loop->body.commands[i];
        if (command->kind != KERNEL_DECLARE || kernel_reads(loop->body, command->variable)) {
            find_columns(r, command->value);
            find_columns(r, command->index);
        }
    }
    return r->columns != NULL;
}

/* ---- the nest -------------------------------------------------------------------------------- */

static const KernelExp *rebuild(KernelCopier *copier, const KernelExp *old, const KernelExp *copy)
{
    const Rows *r = (const Rows *)((char *)copier - offsetof(Rows, copier));
    if (!is_part_of(old, r->loop->variable) || !kernel_is_same(old->as.scalar.y, r->columns)) {
        return copy;
    }
    return old->as.scalar.op == CORE_DIV ? r->row : r->column;
}

static bool has_load(const KernelExp *exp)
{
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    bool found = exp->kind == KERNEL_LOAD;
    for (size_t i = 0; i < count && !found; i++) {
        found = has_load(operands[i]);
    }
    return found;
}

/* Arithmetic of what is the same in a whole row. */
static bool is_steady(const Rows *r, const KernelCmd *command)
{
    return command->kind == KERNEL_DECLARE && command->value &&
           !pointer_map_get(&r->changing, command->variable) &&
           !kernel_mentions_any(&r->changing, command->value) && !has_load(command->value);
}

/* One row: what is the same in all of it, and a loop of the rest. What stands behind a check stays there:
   by that a divisor may be known. */
static KernelBlock row_of(Rows *r, KernelVariable *row)
{
    Compilation *c = r->c;
    Span span = r->loop->span;
    KernelVariable *column = kernel_variable(c, "column", CORE_I64, KERNEL_SCALAR, span);
    KernelBuilder outer = kernel_builder(c, span), inner = outer, all = outer;
    r->row = kernel_use(c, row);
    r->column = kernel_use(c, column);
    const KernelExp *start =
        kernel_declared(&outer, "start", kernel_binary(c, CORE_MUL, r->row, r->columns));
    r->copier = (KernelCopier){.c = c, .rebuild = rebuild};
    KernelVariable *i = kernel_rename(&r->copier, r->loop->variable);
    kernel_declare(&inner, i, kernel_exact_sum(c, start, r->column));
    kernel_duplicate(&r->copier, &all, r->loop->body);
    KernelBlock body = kernel_block(&all);
    note_changes(r, body, 1);
    note_change(r, column);
    note_change(r, i);
    bool checked = false;
    for (size_t k = 0; k < body.count; k++) {
        bool steady = !checked && is_steady(r, body.commands[k]);
        checked = checked || kernel_has((KernelBlock){1, &body.commands[k]}, KERNEL_CHECK);
        kernel_add(steady ? &outer : &inner, body.commands[k]);
        if (!steady && body.commands[k]->variable) {
            note_change(r, body.commands[k]->variable);
        }
    }
    kernel_for(&outer, KERNEL_SEQ, NULL, column, r->columns, kernel_block(&inner));
    return kernel_block(&outer);
}

/* How many rows there are, if they are long and many; else 0. */
static const KernelExp *rows_of(Rows *r, KernelBuilder *b, const KernelExp *count)
{
    Compilation *c = r->c;
    const KernelExp *none = kernel_i64(c, 0);
    const KernelExp *long_rows = kernel_binary(c, CORE_GE, r->columns, kernel_i64(c, FEW_COLUMNS));
    const KernelExp *rows = kernel_declared(
        b, "rows", kernel_select(c, long_rows, kernel_divide(c, count, r->columns), none));
    const KernelExp *many = kernel_binary(c, CORE_GE, rows, kernel_i64(c, FEW_ROWS));
    return kernel_declared(b, "rows", kernel_select(c, many, rows, none));
}

/* The elements behind the rows: the loop as it was. */
static void put_rest(Rows *r, KernelBuilder *b, const KernelExp *count, const KernelExp *rows)
{
    Compilation *c = r->c;
    const KernelExp *first =
        kernel_declared(b, "first", kernel_binary(c, CORE_MUL, rows, r->columns));
    const KernelExp *rest = kernel_declared(b, "rest", kernel_binary(c, CORE_SUB, count, first));
    if (kernel_is_i64(rest, 0)) {
        return;
    }
    KernelVariable *j = kernel_variable(c, "j", CORE_I64, KERNEL_SCALAR, r->loop->span);
    KernelBuilder body = kernel_builder(c, r->loop->span);
    r->copier = (KernelCopier){.c = c};
    kernel_declare(&body, kernel_rename(&r->copier, r->loop->variable),
                   kernel_exact_sum(c, first, kernel_use(c, j)));
    kernel_duplicate(&r->copier, &body, r->loop->body);
    kernel_for(b, KERNEL_SEQ, NULL, j, rest, kernel_block(&body));
}

static bool put(void *context, KernelBuilder *b, const KernelCmd *command)
{
    Rows *r = context;
    if (!study(r, command)) {
        return false;
    }
    Compilation *c = r->c;
    b->span = command->span;
    const KernelExp *count = command->count;
    if (count->kind != KERNEL_CONSTANT) {
        count = kernel_declared(b, "count", kernel_binary(c, CORE_MAX, count, kernel_i64(c, 0)));
    }
    const KernelExp *rows = rows_of(r, b, count);
    if (kernel_is_i64(rows, 0)) {
        return false;
    }
    KernelVariable *row = kernel_variable(c, "row", CORE_I64, KERNEL_SCALAR, command->span);
    kernel_for(b, KERNEL_SEQ, NULL, row, rows, row_of(r, row));
    put_rest(r, b, count, rows);
    return true;
}

/* ---- the program ----------------------------------------------------------------------------- */

KernelProgram *kernel_go_by_rows(Compilation *c, const KernelProgram *program)
{
    Rows r = {.c = c};
    KernelRewrite rewrite = {.c = c, .context = &r, .put = put};
    return kernel_rewrite_program(&rewrite, program);
}
