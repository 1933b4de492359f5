/* Loops over a matrix that read another one turned, by blocks, in sequential programs.

       for (i < n) {                                  for each block of 32 rows { for each block of 32 columns {
           for (j < m) {                                  for (row < 32) { i = first row + row
               x = a[i*m + j]                                 for (lane < 32) { j = first column + lane
               y = a[j*n + i]                 ==>                 x = a[i*m + j]
               b[i*m + j] = x + y                                 y = a[j*n + i]
           }                                                      b[i*m + j] = x + y } }
       }                                              } }

   Elements of a column are far from each other in memory, and each brings its neighbours to the cache, which the next
   rows want. A whole column is more than the nearest cache and its table of pages have; 32 elements are not.

   The order of the iterations is another one. So what is assigned are accumulators whose operands may come in any order, and what
   is stored goes to elements of the row's and column's own, of memory that the loops do not read. Matrices of fewer than 512
   rows or columns stay as they are. */
#include "backend/sequential/products.h"

enum { BLOCK = 32, FEWEST = 512, MOST_SIZE = 300 };

typedef struct Blocks {
    Compilation *c;
    PointerMap aliased; /* buffers that may be the memory of others */
    /* of the loops at hand: */
    const KernelCmd *rows, *columns;
    Slices slices; /* of their declarations, by row, column, and accumulators */
    bool is_turned;
} Blocks;

enum { TOTAL = 4 /* and above: sets that have accumulators */ };

/* ---- which loops ------------------------------------------------------------------------------ */

static bool is_loop(const KernelCmd *command)
{
    return command->kind == KERNEL_FOR && command->level == KERNEL_SEQ && !command->hides_count &&
           (command->count->kind == KERNEL_VARIABLE ||
            (command->count->kind == KERNEL_CONSTANT &&
             command->count->as.constant.as.integer >= FEWEST));
}

/* What is chosen by row or column is left to backend/split/. */
static bool look_at(Blocks *k, const KernelExp *exp)
{
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    bool fits =
        exp->kind != KERNEL_SELECT || slices_depends_on(&k->slices, exp->as.select.condition) == 0;
    if (exp->kind == KERNEL_LOAD && exp->as.load.buffer->space == KERNEL_GLOBAL) {
        const KernelExp *index = exp->as.load.index;
        bool turned = slices_step(&k->slices, index, k->rows->variable) == STEP_ONE &&
                      slices_step(&k->slices, index, k->columns->variable) == STEP_FAR;
        k->is_turned = k->is_turned || turned;
    }
    for (size_t i = 0; i < count && fits; i++) {
        fits = look_at(k, operands[i]);
    }
    return fits;
}

/* The store is to an element of its own, which no other iteration reads or stores. */
static bool stores_apart(const Blocks *k, const KernelCmd *store)
{
    size_t stores = 0;
    for (size_t i = 0; i < k->columns->body.count; i++) {
        const KernelCmd *other = k->columns->body.commands[i];
        stores += other->kind == KERNEL_STORE && other->variable == store->variable;
    }
    return stores == 1 && store->variable->space == KERNEL_GLOBAL &&
           pointer_map_get(&k->aliased, store->variable) == NULL &&
           !kernel_reads((KernelBlock){1, &k->rows}, store->variable) &&
           slices_depends_on(&k->slices, store->value) < TOTAL &&
           products_is_own_place(&k->slices, k->columns, k->rows->variable, store->index);
}

static bool fits(Blocks *k, const KernelCmd *command)
{
    switch ((int)command->kind) {
    case KERNEL_DECLARE:
    case KERNEL_ASSIGN: return look_at(k, command->value);
    case KERNEL_STORE: return look_at(k, command->value) && stores_apart(k, command);
    case KERNEL_COMMENT: return true;
    }
    return false;
}

/* Declarations of both loops, and what they assign. */
static bool find_slices(Blocks *k)
{
    KernelBuilder b = kernel_builder(k->c, k->rows->span);
    KernelVariable *indices[2 + PRODUCTS_MOST_TOTALS] = {k->rows->variable, k->columns->variable};
    const KernelBlock blocks[] = {{k->rows->body.count - 1, k->rows->body.commands},
                                  k->columns->body};
    size_t count = 2;
    for (size_t l = 0; l < 2; l++) {
        for (size_t i = 0; i < blocks[l].count; i++) {
            const KernelCmd *command = blocks[l].commands[i];
            if (command->kind == KERNEL_DECLARE) {
                kernel_add(&b, command);
            } else if (l == 0) {
                return false;
            } else if (command->kind == KERNEL_ASSIGN) {
                if (count == 2 + PRODUCTS_MOST_TOTALS || !command->variable->is_total) {
                    return false;
                }
                indices[count++] = command->variable;
            }
        }
    }
    if (!slices_find(k->c, kernel_block(&b), count, indices, &k->slices)) {
        return false;
    }
    for (size_t i = 2; i < count; i++) { /* they are declared before the loops */
        if (slices_declaration(&k->slices, indices[i]) != NULL) {
            return false;
        }
    }
    return true;
}

static bool is_outside(const Blocks *k, const KernelExp *count)
{
    return count->kind == KERNEL_CONSTANT ||
           (slices_depends_on(&k->slices, count) == 0 &&
            slices_declaration(&k->slices, count->as.variable) == NULL);
}

static bool study(Blocks *k, const KernelCmd *loop)
{
    size_t budget = MOST_SIZE;
    KernelBlock body = loop->body;
    if (!is_loop(loop) || body.count == 0 || !is_loop(body.commands[body.count - 1])) {
        return false;
    }
    k->rows = loop;
    k->columns = body.commands[body.count - 1];
    k->is_turned = false;
    if (!kernel_can_duplicate(body, &budget) || !find_slices(k) ||
        !is_outside(k, k->columns->count)) {
        return false;
    }
    for (size_t i = 0; i + 1 < body.count; i++) {
        if (!fits(k, body.commands[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < k->columns->body.count; i++) {
        if (!fits(k, k->columns->body.commands[i])) {
            return false;
        }
    }
    return k->is_turned;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

/* A loop over blocks of the old loop's iterations under construction, and that over one block's inside. */
typedef struct Loop {
    const KernelCmd *old;
    KernelBuilder block, inner;
    KernelVariable *number, *lane;
    const KernelExp *first, *lanes, *count;
} Loop;

static Loop begin_loop(Blocks *k, KernelBuilder *b, const KernelCmd *old)
{
    Compilation *c = k->c;
    const KernelExp *size = kernel_i64(c, BLOCK);
    Loop loop = {.old = old,
                 .block = kernel_builder(c, old->span),
                 .inner = kernel_builder(c, old->span),
                 .number = kernel_variable(c, "block", CORE_I64, KERNEL_SCALAR, old->span),
                 .lane = kernel_variable(c, "lane", CORE_I64, KERNEL_SCALAR, old->span)};
    loop.count = kernel_declared(
        b, "blocks",
        kernel_divide(c, kernel_exact_sum(c, old->count, kernel_i64(c, BLOCK - 1)), size));
    loop.first = kernel_declared(&loop.block, "first",
                                 kernel_binary(c, CORE_MUL, kernel_use(c, loop.number), size));
    loop.lanes = kernel_declared(
        &loop.block, "lanes",
        kernel_binary(c, CORE_MIN, kernel_binary(c, CORE_SUB, old->count, loop.first), size));
    return loop;
}

static void put_variable(Blocks *k, Loop *loop, KernelCopier *copier)
{
    kernel_declare(&loop->inner, kernel_rename(copier, loop->old->variable),
                   kernel_exact_sum(k->c, loop->first, kernel_use(k->c, loop->lane)));
}

static void end_lanes(KernelBuilder *b, Loop *loop)
{
    kernel_for(b, KERNEL_SEQ, NULL, loop->lane, loop->lanes, kernel_block(&loop->inner));
}

static KernelBlock blocks_of(Blocks *k)
{
    KernelBlock before = {k->rows->body.count - 1, k->rows->body.commands};
    KernelBuilder b = kernel_builder(k->c, k->rows->span);
    KernelCopier copier = {.c = k->c};
    Loop rows = begin_loop(k, &b, k->rows), columns = begin_loop(k, &b, k->columns);
    put_variable(k, &rows, &copier);
    kernel_duplicate(&copier, &rows.inner, before);
    put_variable(k, &columns, &copier);
    kernel_duplicate(&copier, &columns.inner, k->columns->body);
    end_lanes(&rows.inner, &columns);
    end_lanes(&columns.block, &rows);
    kernel_for(&rows.block, KERNEL_SEQ, NULL, columns.number, columns.count,
               kernel_block(&columns.block));
    kernel_for(&b, KERNEL_SEQ, NULL, rows.number, rows.count, kernel_block(&rows.block));
    return kernel_block(&b);
}

static const KernelExp *is_large(Blocks *k, const KernelCmd *loop)
{
    return kernel_binary(k->c, CORE_GE, loop->count, kernel_i64(k->c, FEWEST));
}

static bool put(void *context, KernelBuilder *b, const KernelCmd *command)
{
    Blocks *k = context;
    if (!study(k, command)) {
        return false;
    }
    b->span = command->span;
    KernelBuilder same = kernel_builder(k->c, b->span);
    KernelCopier copier = {.c = k->c};
    KernelBlock blocks = blocks_of(k);
    kernel_duplicate(&copier, &same, (KernelBlock){1, &command});
    const KernelExp *many = is_large(k, k->rows), *wide = is_large(k, k->columns);
    kernel_if(b, kernel_binary(k->c, CORE_AND, many, wide), blocks, kernel_block(&same));
    return true;
}

/* ---- the program ------------------------------------------------------------------------------ */

static void find_aliased(Blocks *k, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_ALIAS || command->kind == KERNEL_SWAP) {
            pointer_map_set(k->c->arena, &k->aliased, command->variable, k);
            pointer_map_set(k->c->arena, &k->aliased, command->source, k);
        }
        find_aliased(k, command->body);
        find_aliased(k, command->otherwise);
    }
}

KernelProgram *kernel_go_by_blocks(Compilation *c, const KernelProgram *program)
{
    Blocks k = {.c = c};
    KernelRewrite rewrite = {.c = c, .context = &k, .put = put};
    for (size_t i = 0; i < program->body_count; i++) {
        find_aliased(&k, program->entries[i].body);
    }
    return kernel_rewrite_program(&rewrite, program);
}
