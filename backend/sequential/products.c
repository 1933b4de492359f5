/* Loops of reductions whose rows lie across, as in products of matrices, in sequential programs.

       for (i < n) {                                  for each strip of 64 columns j {
           for (j < m) {                                  for each block of 4 rows i {
               x = 0                                          xs0[64] = 0; ... xs3[64] = 0
               for (k < p) {                                  for (k < p) {
                   x = x + a[i*p + k] * b[k*m + j]   ==>          u = a[i*p + k]
               }                                                  for (l < 64) {
               c[i*m + j] = x                                         xs0[l] = xs0[l] + u * b[k*m + j + l] }
           }                                                      ... the same of the rows i + 1, i + 2, i + 3
       }                                                      }
                                                              for (l < 64) { c[i*m + j + l] = xs0[l] } ...
                                                          } }

   Elements of b are read as they lie in memory, by vectors, and those of a strip stay in a cache for
   all rows; sums are in registers or the nearest cache. Each sum takes its operands in the order that
   it took them, so that results are the same to the last bit. Rows and columns that are left over go
   one row at a time; a few columns alone stay as they are. Without the loop over rows, for sums of
   columns, there is one.

   Scans of columns are sums that are stored on the way, where each has a place of its own:

       for (j < m) {                                  for each strip of 64 columns j {
           x = 0                                          xs[64] = 0
           for (k < p) {                                  for (k < p) { for (l < 64) {
               x = x + b[k*m + j]                 ==>         xs[l] = xs[l] + b[k*m + j + l]
               c[k*m + j] = x                                 c[k*m + j + l] = xs[l]
           }                                              } } }
       }

   In kernels for processors (backend/lower/processor.c) work-items share the strips, and of products 32 rows of each.

   What is computed where is seen in what the commands depend on (backend/slices.c). The loops, which product_loops.c finds, have
   scalars alone, and what they store is not read. */
#include "backend/sequential/products.h"

enum {
    ROW = 1,
    COLUMN = 2,
    NUMBER = 4,
    TOTAL = 8, /* and above: sums */
    LANES = 64,
    SHARED_LANES =
        32, /* of products, where work-items share them: of these Clang makes vectors that stay in registers */
    ROWS = 4,
    SHARED_ROWS = 32 /* of a strip, where work-items share them */
};

static int64_t lanes_of(const Products *p)
{
    return p->is_shared && p->rows != NULL ? SHARED_LANES : LANES;
}

/* ---- a strip ----------------------------------------------------------------------------------- */

/* Rows first_row .. first_row + rows of the columns first .. first + lanes. */
typedef struct Strip {
    const KernelExp *first, *lanes;
    const KernelExp *row; /* of the first of these rows; NULL: there is no loop over them */
    size_t rows;
    KernelVariable *sums[ROWS][PRODUCTS_MOST_TOTALS];
} Strip;

/* A loop over lanes under construction. */
typedef struct Lane {
    KernelBuilder inner;
    KernelVariable *variable;
    KernelCopier copier;
} Lane;

/* `outer`: what stands for variables around it. */
static void begin_lanes(Products *p, const Strip *strip, const KernelCopier *outer, Lane *lane)
{
    lane->inner = kernel_builder(p->c, p->columns->span);
    lane->variable = kernel_variable(p->c, "lane", CORE_I64, KERNEL_SCALAR, p->columns->span);
    lane->copier = *outer;
    kernel_declare(&lane->inner, kernel_rename(&lane->copier, p->columns->variable),
                   kernel_exact_sum(p->c, strip->first, kernel_use(p->c, lane->variable)));
}

static void end_lanes(const Strip *strip, KernelBuilder *b, Lane *lane)
{
    kernel_for(b, KERNEL_SEQ, NULL, lane->variable, strip->lanes, kernel_block(&lane->inner));
}

static const KernelExp *sum_at(Products *p, const Strip *strip, size_t r, size_t k,
                               const Lane *lane)
{
    return kernel_load(p->c, strip->sums[r][k], kernel_use(p->c, lane->variable));
}

/* The copier for row r of these. */
static KernelCopier copier_of_row(Products *p, const Strip *strip, size_t r, KernelBuilder *b)
{
    KernelCopier copier = {.c = p->c};
    if (p->rows != NULL) {
        const KernelExp *row =
            r == 0 ? strip->row : kernel_exact_sum(p->c, strip->row, kernel_i64(p->c, (int64_t)r));
        kernel_declare(b, kernel_rename(&copier, p->rows->variable), row);
    }
    return copier;
}

static void begin_sums(Products *p, Strip *strip, KernelBuilder *b)
{
    for (size_t r = 0; r < strip->rows; r++) {
        Lane lane;
        KernelCopier copier = copier_of_row(p, strip, r, b);
        for (size_t k = 0; k < p->total_count; k++) {
            const KernelVariable *total = p->totals[k];
            strip->sums[r][k] =
                kernel_variable(p->c, total->text, total->prim, KERNEL_PRIVATE, total->span);
            kernel_declare_buffer(b, strip->sums[r][k], lanes_of(p));
        }
        begin_lanes(p, strip, &copier, &lane);
        kernel_duplicate(&lane.copier, &lane.inner,
                         slices_of(p->c, &p->slices, &lane.copier, p->total_count, p->neutral));
        for (size_t k = 0; k < p->total_count; k++) {
            kernel_store(&lane.inner, strip->sums[r][k], kernel_use(p->c, lane.variable),
                         kernel_duplicate_exp(&lane.copier, p->neutral[k]));
        }
        end_lanes(strip, b, &lane);
    }
}

/* The commands that the sums' new values and what is stored on the way need: those that are the same for all columns, or the
   others with the assignments and stores, in their order. */
static KernelBlock work_of(const Products *p, bool same)
{
    KernelBuilder b = kernel_builder(p->c, p->columns->span);
    const KernelBlock body = p->numbers->body;
    const KernelExp **values = ARENA_ARRAY(p->c->arena, const KernelExp *, 2 * body.count + 1);
    PointerMap inside = {0}; /* commands of the body -> themselves, where they are needed */
    size_t count = 0;
    for (size_t i = 0; i < body.count; i++) {
        const KernelCmd *command = body.commands[i];
        if (command->kind == KERNEL_ASSIGN || command->kind == KERNEL_STORE) {
            values[count++] = command->value;
        }
        if (command->kind == KERNEL_STORE) {
            values[count++] = command->index;
        }
        pointer_map_set(p->c->arena, &inside, command, p->c);
    }
    KernelBlock needed = slices_of(p->c, &p->slices, NULL, count, values);
    PointerMap wanted = {0};
    for (size_t i = 0; i < needed.count; i++) {
        const KernelCmd *command = needed.commands[i];
        IndexSet set = slices_depends_on(&p->slices, kernel_use(p->c, command->variable));
        if ((!(set & COLUMN) && set < TOTAL) == same) {
            if (pointer_map_get(&inside, command) == NULL) {
                kernel_add(&b, command);
            }
            pointer_map_set(p->c->arena, &wanted, command, p->c);
        }
    }
    for (size_t i = 0; i < body.count; i++) {
        const KernelCmd *command = body.commands[i];
        if (command->kind == KERNEL_DECLARE ? pointer_map_get(&wanted, command) != NULL : !same) {
            kernel_add(&b, command);
        }
    }
    return kernel_block(&b);
}

/* Sums of the lane as scalars. */
static void fetch_sums(Products *p, const Strip *strip, size_t r, Lane *lane)
{
    for (size_t k = 0; k < p->total_count; k++) {
        KernelVariable *sum = kernel_variable(p->c, p->totals[k]->text, p->totals[k]->prim,
                                              KERNEL_SCALAR, p->totals[k]->span);
        kernel_declare(&lane->inner, sum, sum_at(p, strip, r, k, lane));
        kernel_replace(&lane->copier, p->totals[k], kernel_use(p->c, sum));
    }
}

/* The row with this number, for all sums of the strip's rows. */
static void take_numbers(Products *p, Strip *strip, KernelBuilder *b)
{
    KernelBuilder inner = kernel_builder(p->c, p->columns->span);
    KernelVariable *number = kernel_variable(p->c, p->numbers->variable->text, CORE_I64,
                                             KERNEL_SCALAR, p->numbers->span);
    for (size_t r = 0; r < strip->rows; r++) {
        Lane lane;
        KernelCopier copier = copier_of_row(p, strip, r, &inner);
        kernel_replace(&copier, p->numbers->variable, kernel_use(p->c, number));
        kernel_duplicate(&copier, &inner, work_of(p, true));
        begin_lanes(p, strip, &copier, &lane);
        fetch_sums(p, strip, r, &lane);
        kernel_duplicate(&lane.copier, &lane.inner, work_of(p, false));
        for (size_t k = 0; k < p->total_count; k++) {
            kernel_store(&lane.inner, strip->sums[r][k], kernel_use(p->c, lane.variable),
                         kernel_replacement(&lane.copier, p->totals[k]));
        }
        end_lanes(strip, &inner, &lane);
    }
    kernel_for(b, KERNEL_SEQ, NULL, number, p->numbers->count, kernel_block(&inner));
}

/* What stands after the sums. */
static void leave_sums(Products *p, Strip *strip, KernelBuilder *b)
{
    KernelBlock after = {p->columns->body.count - p->at - 1, p->columns->body.commands + p->at + 1};
    const KernelExp **values = ARENA_ARRAY(p->c->arena, const KernelExp *, 2 * after.count + 1);
    size_t count = 0;
    for (size_t i = 0; i < after.count; i++) {
        values[count++] = after.commands[i]->value;
        if (after.commands[i]->index != NULL) {
            values[count++] = after.commands[i]->index;
        }
    }
    for (size_t r = 0; r < strip->rows; r++) {
        Lane lane;
        KernelCopier copier = copier_of_row(p, strip, r, b);
        begin_lanes(p, strip, &copier, &lane);
        fetch_sums(p, strip, r, &lane);
        kernel_duplicate(&lane.copier, &lane.inner,
                         slices_of(p->c, &p->slices, &lane.copier, count, values));
        kernel_duplicate(&lane.copier, &lane.inner, after);
        end_lanes(strip, b, &lane);
    }
}

static KernelBlock strip_of(Products *p, const KernelExp *first, const KernelExp *lanes,
                            const KernelExp *row, size_t rows)
{
    KernelBuilder b = kernel_builder(p->c, p->columns->span);
    Strip strip = {.first = first, .lanes = lanes, .row = row, .rows = rows};
    begin_sums(p, &strip, &b);
    take_numbers(p, &strip, &b);
    leave_sums(p, &strip, &b);
    return kernel_block(&b);
}

/* ---- all strips --------------------------------------------------------------------------------- */

/* So many rows, from one on: blocks of them where the strip is whole, else one row after the other. */
static void rows_of_strip(Products *p, KernelBuilder *b, const KernelExp *first,
                          const KernelExp *lanes, const KernelExp *from, const KernelExp *rows)
{
    Compilation *c = p->c;
    if (p->rows == NULL) {
        KernelBlock one = strip_of(p, first, lanes, NULL, 1);
        kernel_add_block(b, one);
        return;
    }
    const KernelExp *height = kernel_i64(c, ROWS);
    const KernelExp *whole = kernel_binary(c, CORE_EQ, lanes, kernel_i64(c, lanes_of(p)));
    const KernelExp *blocks = kernel_divide(c, rows, height);
    blocks = kernel_declared(b, "blocks", kernel_select(c, whole, blocks, kernel_i64(c, 0)));
    KernelVariable *block = kernel_variable(c, "block", CORE_I64, KERNEL_SCALAR, b->span);
    KernelBuilder inner = kernel_builder(c, b->span);
    const KernelExp *at = kernel_binary(c, CORE_MUL, kernel_use(c, block), height);
    const KernelExp *row = kernel_declared(&inner, "row", kernel_exact_sum(c, at, from));
    KernelBlock four = strip_of(p, first, kernel_i64(c, lanes_of(p)), row, ROWS);
    kernel_add_block(&inner, four);
    kernel_for(b, KERNEL_SEQ, NULL, block, blocks, kernel_block(&inner));
    const KernelExp *done = kernel_declared(b, "done", kernel_binary(c, CORE_MUL, blocks, height));
    const KernelExp *rest = kernel_declared(b, "rest", kernel_binary(c, CORE_SUB, rows, done));
    KernelVariable *one = kernel_variable(c, "r", CORE_I64, KERNEL_SCALAR, b->span);
    KernelBuilder single = kernel_builder(c, b->span);
    at = kernel_exact_sum(c, done, kernel_use(c, one));
    row = kernel_declared(&single, "row", kernel_exact_sum(c, at, from));
    KernelBlock alone = strip_of(p, first, lanes, row, 1);
    kernel_add_block(&single, alone);
    kernel_for(b, KERNEL_SEQ, NULL, one, rest, kernel_block(&single));
}

/* All rows of each strip; where work-items share them, some of the rows of each, so that there are enough shares. */
static void put_strips(Products *p, KernelBuilder *b)
{
    Compilation *c = p->c;
    bool in_parts = p->is_shared && p->rows != NULL;
    const KernelExp *columns = p->columns->count, *lanes = kernel_i64(c, lanes_of(p));
    const KernelExp *all = kernel_exact_sum(c, columns, kernel_i64(c, lanes_of(p) - 1));
    const KernelExp *count = kernel_declared(b, "strips", kernel_divide(c, all, lanes));
    const KernelExp *from = kernel_i64(c, 0), *rows = p->rows != NULL ? p->rows->count : NULL;
    const KernelExp *height = kernel_i64(c, SHARED_ROWS), *shares = count;
    KernelBuilder inner = kernel_builder(c, b->span);
    KernelVariable *loop =
        kernel_variable(c, in_parts ? "share" : "strip", CORE_I64, KERNEL_SCALAR, b->span);
    const KernelExp *strip = kernel_use(c, loop);
    if (in_parts) {
        const KernelExp *parts =
            kernel_divide(c, kernel_exact_sum(c, rows, kernel_i64(c, SHARED_ROWS - 1)), height);
        shares = kernel_declared(b, "shares", kernel_binary(c, CORE_MUL, count, parts));
        const KernelExp *part = kernel_declared(&inner, "part", kernel_divide(c, strip, count));
        from = kernel_declared(&inner, "from", kernel_binary(c, CORE_MUL, part, height));
        strip = kernel_declared(
            &inner, "strip",
            kernel_binary(c, CORE_SUB, strip, kernel_binary(c, CORE_MUL, part, count)));
        rows = kernel_declared(
            &inner, "rows",
            kernel_binary(c, CORE_MIN, kernel_binary(c, CORE_SUB, rows, from), height));
    }
    const KernelExp *first =
        kernel_declared(&inner, "first", kernel_binary(c, CORE_MUL, strip, lanes));
    const KernelExp *left = kernel_binary(c, CORE_SUB, columns, first);
    rows_of_strip(p, &inner, first,
                  kernel_declared(&inner, "lanes", kernel_binary(c, CORE_MIN, left, lanes)), from,
                  rows);
    kernel_for(b, KERNEL_SEQ, NULL, loop, shares, kernel_block(&inner));
}

static void forget_aliases(Products *p, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_ALIAS || command->kind == KERNEL_SWAP) {
            pointer_map_set(p->c->arena, &p->fresh, command->variable, NULL);
            pointer_map_set(p->c->arena, &p->fresh, command->source, NULL);
        }
        forget_aliases(p, command->body);
        forget_aliases(p, command->otherwise);
    }
}

/* What is fresh after the command, and in the first iteration of a loop as in the others. */
static void note_fresh(Products *p, const KernelCmd *command)
{
    if (command->kind == KERNEL_ALLOCATE) {
        pointer_map_set(p->c->arena, &p->fresh, command->variable, p);
    } else if (command->kind == KERNEL_CALL) { /* which may give back what it gets */
        p->fresh = (PointerMap){0};
    } else if (command->kind != KERNEL_IF) {
        forget_aliases(p, (KernelBlock){1, &command});
    }
}

static bool put(void *context, KernelBuilder *b, const KernelCmd *command)
{
    Products *p = context;
    Compilation *c = p->c;
    note_fresh(p, command);
    if (!products_study(p, command)) {
        return false;
    }
    b->span = command->span;
    KernelBuilder strips = kernel_builder(c, b->span);
    put_strips(p, &strips);
    kernel_hide_count(
        &strips); /* or GCC 12 makes sums of a few lanes, and these wrong (TL_SETTLE) */
    KernelCopier copier = {.c = c};
    KernelBuilder same = kernel_builder(c, b->span);
    kernel_duplicate(&copier, &same, (KernelBlock){1, &command});
    kernel_if(
        b, kernel_binary(c, CORE_GE, p->columns->count, kernel_i64(c, products_fewest_columns(p))),
        kernel_block(&strips), kernel_block(&same));
    return true;
}

static void find_aliased(Products *p, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_ALIAS) {
            pointer_map_set(p->c->arena, &p->aliased, command->variable, p);
            pointer_map_set(p->c->arena, &p->aliased, command->source, p);
        }
        find_aliased(p, command->body);
        find_aliased(p, command->otherwise);
    }
}

KernelProgram *kernel_block_products(Compilation *c, const KernelProgram *program, bool is_shared)
{
    KernelBlock *bodies = ARENA_ARRAY(c->arena, KernelBlock, program->body_count);
    for (size_t i = 0; i < program->body_count; i++) {
        Products p = {.c = c, .is_shared = is_shared};
        KernelRewrite rewrite = {.c = c, .context = &p, .put = put};
        find_aliased(&p, program->entries[i].body);
        bodies[i] = kernel_rewrite(&rewrite, program->entries[i].body);
    }
    return kernel_with_bodies(c, program, bodies);
}
