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
   one row at a time; a few columns alone stay as they are, or are written out (below). Without the loop over rows, for sums of
   columns, there is one.

   Elements of b that are far from each other in memory, by k as above or by j, as those of a transposed b are, cost more
   than what is done with them, and all rows want the same; so do elements that are computed by several operations where they are read.
   So, where there are rows enough, 64 of a strip's numbers k at a
   time, or what is made of them for all rows, are copied to a tile, where lanes are neighbours and numbers follow each other;
   256 rows keep their sums meanwhile:

       for each 256 rows i { for each strip of 64 columns j {
           kept[256 * 64] = 0
           for each block of 64 numbers k {
               for (k2 < 64) { for (l < 64) { tile[k2*64 + l] = b[(j + l)*p + k + k2] } }
               for each block of 4 rows { xs0[64] = kept[..] ...
                   for (k2 < 64) { ... xs0[l] = xs0[l] + u * tile[k2*64 + l] ... }
                   kept[..] = xs0[l] ... }
           }
           ... c[i*m + j + l] = kept[..] ...
       } }

   A few columns that are known, which read several elements of each row, are written out, so that rows are read once:

       for (j < 3) {                                  x0 = x1 = x2 = 0
           x = 0                                      for (k < p) {
           for (k < p) {                                  x0 = x0 + a[k*2] * v[0] + a[k*2 + 1] * v[3]
               x = x + a[k*2] * v[j]         ==>          x1 = x1 + a[k*2] * v[1] + a[k*2 + 1] * v[4]
                     + a[k*2 + 1] * v[3 + j]              x2 = x2 + a[k*2] * v[2] + a[k*2 + 1] * v[5]
           }                                          }
           c[j] = x                                   c[0] = x0;  c[1] = x1;  c[2] = x2
       }

   Where lanes take nothing but what is in tiles, a last strip of fewer columns has zeros there, and blocks of rows, too; 48 columns
   are enough then.

   Scans of columns are sums that are stored on the way, where each has a place of its own:

       for (j < m) {                                  for each strip of 64 columns j {
           x = 0                                          xs[64] = 0
           for (k < p) {                                  for (k < p) { for (l < 64) {
               x = x + b[k*m + j]                 ==>         xs[l] = xs[l] + b[k*m + j + l]
               c[k*m + j] = x                                 c[k*m + j + l] = xs[l]
           }                                              } } }
       }

   In kernels for processors (backend/lower/processor.c) work-items share the strips, and of products 32 rows of each, or 64
   with tiles.

   What is computed where is seen in what the commands depend on (backend/slices.c). The loops, which product_loops.c finds, have
   scalars alone, and what they store is not read. */
#include "backend/sequential/products.h"

enum {
    LANES = 64,
    SHARED_LANES =
        32, /* of products, where work-items share them: of these Clang makes vectors that stay in registers */
    ROWS = 4,
    SHARED_ROWS = 32, /* of a strip, where work-items share them */
    TILE_ROWS = 256,  /* that have a tile together; and how many make it worth while */
    FEWEST_TILE_ROWS = 16,
    SHARED_TILE_ROWS = 64,
    TILE_NUMBERS = 64
};

static int64_t lanes_of(const Products *p)
{
    return p->is_shared && p->rows != NULL ? SHARED_LANES : LANES;
}

/* ---- a strip ----------------------------------------------------------------------------------- */

/* Sums of the lanes of one row, from that place on in their buffers. */
typedef struct Sums {
    KernelVariable *buffers[PRODUCTS_MOST_TOTALS];
    const KernelExp *start;
} Sums;

/* Numbers from `base` on, so many, of which what the lanes load is in tiles. */
typedef struct Tile {
    KernelVariable *buffers[PRODUCTS_MOST_TILED];
    const KernelExp *base, *numbers;
} Tile;

/* Rows row .. row + rows of the columns first .. first + lanes. */
typedef struct Strip {
    const KernelExp *first, *lanes;
    const KernelExp *row; /* the first of these rows; NULL: there is no loop over them */
    size_t rows;
    const Tile *tile; /* NULL: all numbers, from where they lie */
    Sums sums[ROWS];
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

static const KernelExp *place_of(Products *p, const Sums *sums, const Lane *lane)
{
    return kernel_exact_sum(p->c, sums->start, kernel_use(p->c, lane->variable));
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

/* Memory for the sums of so many rows. */
static Sums declare_sums(Products *p, KernelBuilder *b, int64_t rows)
{
    Sums sums = {.start = kernel_i64(p->c, 0)};
    for (size_t k = 0; k < p->total_count; k++) {
        const KernelVariable *total = p->totals[k];
        sums.buffers[k] =
            kernel_variable(p->c, total->text, total->prim, KERNEL_PRIVATE, total->span);
        kernel_declare_buffer(b, sums.buffers[k], rows * lanes_of(p));
    }
    return sums;
}

static void begin_sums(Products *p, const Strip *strip, size_t r, KernelBuilder *b)
{
    Lane lane;
    KernelCopier copier = copier_of_row(p, strip, r, b);
    begin_lanes(p, strip, &copier, &lane);
    kernel_duplicate(&lane.copier, &lane.inner,
                     slices_of(p->c, &p->slices, &lane.copier, p->total_count, p->neutral));
    for (size_t k = 0; k < p->total_count; k++) {
        kernel_store(&lane.inner, strip->sums[r].buffers[k], place_of(p, &strip->sums[r], &lane),
                     kernel_duplicate_exp(&lane.copier, p->neutral[k]));
    }
    end_lanes(strip, b, &lane);
}

static void copy_sums(Products *p, const Strip *strip, const Sums *to, const Sums *from,
                      KernelBuilder *b)
{
    Lane lane = {.inner = kernel_builder(p->c, p->columns->span)};
    lane.variable = kernel_variable(p->c, "lane", CORE_I64, KERNEL_SCALAR, p->columns->span);
    for (size_t k = 0; k < p->total_count; k++) {
        kernel_store(&lane.inner, to->buffers[k], place_of(p, to, &lane),
                     kernel_load(p->c, from->buffers[k], place_of(p, from, &lane)));
    }
    end_lanes(strip, b, &lane);
}

/* Of a lane's inner commands: the value of a variable is what was loaded. */
static void fetch(Products *p, const KernelVariable *variable, const KernelExp *load, Lane *lane)
{
    KernelVariable *value =
        kernel_variable(p->c, variable->text, variable->prim, KERNEL_SCALAR, variable->span);
    kernel_declare(&lane->inner, value, load);
    kernel_replace(&lane->copier, variable, kernel_use(p->c, value));
}

/* Sums of the lane as scalars. */
static void fetch_sums(Products *p, const Strip *strip, size_t r, Lane *lane)
{
    const Sums *sums = &strip->sums[r];
    for (size_t k = 0; k < p->total_count; k++) {
        fetch(p, p->totals[k], kernel_load(p->c, sums->buffers[k], place_of(p, sums, lane)), lane);
    }
}

static const KernelExp *place_in_tile(Products *p, const KernelExp *start, const Lane *lane)
{
    return kernel_exact_sum(p->c, start, kernel_use(p->c, lane->variable));
}

/* The number in the tile, or of all, for the copier. */
static void set_number(Products *p, const Strip *strip, KernelVariable *number, KernelBuilder *b,
                       KernelCopier *copier)
{
    const KernelExp *exp = kernel_use(p->c, number);
    if (strip->tile == NULL) {
        kernel_replace(copier, p->numbers->variable, exp);
    } else {
        kernel_declare(b, kernel_rename(copier, p->numbers->variable),
                       kernel_exact_sum(p->c, strip->tile->base, exp));
    }
}

/* The row with this number, for all sums of the strip's rows. */
static void take_numbers(Products *p, Strip *strip, KernelBuilder *b)
{
    KernelBuilder inner = kernel_builder(p->c, p->columns->span);
    KernelVariable *number = kernel_variable(p->c, p->numbers->variable->text, CORE_I64,
                                             KERNEL_SCALAR, p->numbers->span);
    const Tile *tile = strip->tile;
    bool is_tiled = tile != NULL;
    const KernelExp *start =
        kernel_binary(p->c, CORE_MUL, kernel_use(p->c, number), kernel_i64(p->c, lanes_of(p)));
    start = is_tiled ? kernel_declared(&inner, "start", start) : NULL;
    for (size_t r = 0; r < strip->rows; r++) {
        Lane lane;
        KernelCopier copier = copier_of_row(p, strip, r, &inner);
        set_number(p, strip, number, &inner, &copier);
        kernel_duplicate(&copier, &inner, products_work(p, true, is_tiled));
        begin_lanes(p, strip, &copier, &lane);
        fetch_sums(p, strip, r, &lane);
        for (size_t k = 0; is_tiled && k < p->tiled_count; k++) {
            fetch(p, p->tiled[k],
                  kernel_load(p->c, tile->buffers[k], place_in_tile(p, start, &lane)), &lane);
        }
        kernel_duplicate(&lane.copier, &lane.inner, products_work(p, false, is_tiled));
        for (size_t k = 0; k < p->total_count; k++) {
            kernel_store(&lane.inner, strip->sums[r].buffers[k],
                         place_of(p, &strip->sums[r], &lane),
                         kernel_replacement(&lane.copier, p->totals[k]));
        }
        end_lanes(strip, &inner, &lane);
    }
    kernel_for(b, KERNEL_SEQ, NULL, number, is_tiled ? tile->numbers : p->numbers->count,
               kernel_block(&inner));
}

/* What stands after the sums. */
static void leave_sums(Products *p, const Strip *strip, KernelBuilder *b)
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

/* `kept`: where the first row's sums are between tiles; NULL: these are all numbers. */
static KernelBlock strip_of(Products *p, const Strip *like, const KernelExp *row, size_t rows,
                            const Sums *kept)
{
    KernelBuilder b = kernel_builder(p->c, p->columns->span);
    Strip strip = *like;
    Sums places[ROWS];
    strip.row = row;
    strip.rows = rows;
    for (size_t r = 0; r < rows; r++) {
        strip.sums[r] = declare_sums(p, &b, 1);
        if (kept == NULL) {
            begin_sums(p, &strip, r, &b);
            continue;
        }
        places[r] = *kept;
        places[r].start =
            kernel_exact_sum(p->c, kept->start, kernel_i64(p->c, (int64_t)r * lanes_of(p)));
        copy_sums(p, &strip, &strip.sums[r], &places[r], &b);
    }
    take_numbers(p, &strip, &b);
    for (size_t r = 0; kept != NULL && r < rows; r++) {
        copy_sums(p, &strip, &places[r], &strip.sums[r], &b);
    }
    if (kept == NULL) {
        leave_sums(p, &strip, &b);
    }
    return kernel_block(&b);
}

/* ---- all strips --------------------------------------------------------------------------------- */

/* Rows of a strip that are taken together: so many, from one on. */
typedef struct Part {
    const KernelExp *from, *rows;
    Sums kept; /* of all of them, with tiles */
} Part;

/* As many rows from that one of the part on. */
static KernelBlock some_rows(Products *p, const Strip *like, const Part *part, const KernelExp *at,
                             size_t rows)
{
    KernelBuilder b = kernel_builder(p->c, p->columns->span);
    const KernelExp *row = kernel_declared(&b, "row", kernel_exact_sum(p->c, at, part->from));
    Sums kept = part->kept;
    if (like->tile != NULL) {
        kept.start = kernel_declared(
            &b, "kept", kernel_binary(p->c, CORE_MUL, at, kernel_i64(p->c, lanes_of(p))));
    }
    KernelBlock block = strip_of(p, like, row, rows, like->tile != NULL ? &kept : NULL);
    kernel_add_block(&b, block);
    return kernel_block(&b);
}

/* Blocks of rows where the strip is whole, else one row after the other. */
static void rows_of_strip(Products *p, KernelBuilder *b, const Strip *strip, const Part *part)
{
    Compilation *c = p->c;
    const KernelExp *height = kernel_i64(c, ROWS), *lanes = kernel_i64(c, lanes_of(p));
    const KernelExp *whole = kernel_binary(c, CORE_EQ, strip->lanes, lanes);
    const KernelExp *blocks = kernel_divide(c, part->rows, height);
    blocks = kernel_declared(b, "blocks", kernel_select(c, whole, blocks, kernel_i64(c, 0)));
    KernelVariable *block = kernel_variable(c, "block", CORE_I64, KERNEL_SCALAR, b->span);
    const KernelExp *at = kernel_binary(c, CORE_MUL, kernel_use(c, block), height);
    Strip all = *strip;
    all.lanes = lanes;
    kernel_for(b, KERNEL_SEQ, NULL, block, blocks, some_rows(p, &all, part, at, ROWS));
    const KernelExp *done = kernel_declared(b, "done", kernel_binary(c, CORE_MUL, blocks, height));
    const KernelExp *rest =
        kernel_declared(b, "rest", kernel_binary(c, CORE_SUB, part->rows, done));
    KernelVariable *one = kernel_variable(c, "r", CORE_I64, KERNEL_SCALAR, b->span);
    at = kernel_exact_sum(c, done, kernel_use(c, one));
    kernel_for(b, KERNEL_SEQ, NULL, one, rest, some_rows(p, strip, part, at, 1));
}

/* ---- tiles -------------------------------------------------------------------------------------- */

/* What the strip's columns load of the tile's numbers; zeros for lanes that the last strip has not. */
static void fill_tile(Products *p, KernelBuilder *b, const Strip *strip, const KernelExp *columns)
{
    Compilation *c = p->c;
    KernelBuilder inner = kernel_builder(c, b->span), blank = kernel_builder(c, b->span);
    KernelVariable *number =
        kernel_variable(c, p->numbers->variable->text, CORE_I64, KERNEL_SCALAR, p->numbers->span);
    const KernelExp *wanted[PRODUCTS_MOST_TILED], *lanes = kernel_i64(c, lanes_of(p));
    KernelCopier copier = {.c = c};
    Strip own = *strip;
    Lane lane;
    own.lanes = columns;
    const KernelExp *start =
        kernel_declared(&inner, "start", kernel_binary(c, CORE_MUL, kernel_use(c, number), lanes));
    set_number(p, strip, number, &inner, &copier);
    for (size_t k = 0; k < p->tiled_count; k++) {
        wanted[k] = kernel_use(c, p->tiled[k]);
    }
    begin_lanes(p, &own, &copier, &lane);
    kernel_duplicate(&lane.copier, &lane.inner,
                     slices_of(c, &p->slices, &lane.copier, p->tiled_count, wanted));
    for (size_t k = 0; k < p->tiled_count; k++) {
        kernel_store(&lane.inner, strip->tile->buffers[k], place_in_tile(p, start, &lane),
                     kernel_duplicate_exp(&lane.copier, wanted[k]));
    }
    end_lanes(&own, &inner, &lane);
    KernelVariable *past = kernel_variable(c, "lane", CORE_I64, KERNEL_SCALAR, b->span);
    const KernelExp *place =
        kernel_exact_sum(c, start, kernel_exact_sum(c, columns, kernel_use(c, past)));
    for (size_t k = 0; k < p->tiled_count; k++) {
        kernel_store(&blank, strip->tile->buffers[k], place,
                     kernel_constant(c, core_zero(p->tiled[k]->prim)));
    }
    if (p->pads) {
        kernel_for(&inner, KERNEL_SEQ, NULL, past, kernel_binary(c, CORE_SUB, lanes, columns),
                   kernel_block(&blank));
    }
    kernel_for(b, KERNEL_SEQ, NULL, number, strip->tile->numbers, kernel_block(&inner));
}

/* What all rows of the part do before their first tile, or behind their last one. */
static void each_row(Products *p, KernelBuilder *b, const Strip *like, const Part *part, bool ends)
{
    Compilation *c = p->c;
    KernelBuilder inner = kernel_builder(c, b->span);
    KernelVariable *r = kernel_variable(c, "r", CORE_I64, KERNEL_SCALAR, b->span);
    const KernelExp *at = kernel_use(c, r);
    Strip strip = *like;
    strip.rows = 1;
    strip.row = kernel_declared(&inner, "row", kernel_exact_sum(c, at, part->from));
    strip.sums[0] = part->kept;
    strip.sums[0].start =
        kernel_declared(&inner, "kept", kernel_binary(c, CORE_MUL, at, kernel_i64(c, lanes_of(p))));
    if (ends) {
        leave_sums(p, &strip, &inner);
    } else {
        begin_sums(p, &strip, 0, &inner);
    }
    kernel_for(b, KERNEL_SEQ, NULL, r, part->rows, kernel_block(&inner));
}

static void tiles_of_strip(Products *p, KernelBuilder *b, const Strip *like, Part *part,
                           int64_t most_rows)
{
    Compilation *c = p->c;
    Strip strip = *like;
    const KernelExp *columns = strip.lanes, *all = p->numbers->count;
    const KernelExp *depth = kernel_i64(c, TILE_NUMBERS);
    strip.lanes = p->pads ? kernel_i64(c, lanes_of(p)) : columns;
    part->kept = declare_sums(p, b, most_rows);
    each_row(p, b, &strip, part, false);
    const KernelExp *tiles =
        kernel_divide(c, kernel_exact_sum(c, all, kernel_i64(c, TILE_NUMBERS - 1)), depth);
    KernelVariable *t = kernel_variable(c, "t", CORE_I64, KERNEL_SCALAR, b->span);
    KernelBuilder inner = kernel_builder(c, b->span);
    Tile tile;
    tile.base =
        kernel_declared(&inner, "base", kernel_binary(c, CORE_MUL, kernel_use(c, t), depth));
    tile.numbers = kernel_declared(
        &inner, "numbers",
        kernel_binary(c, CORE_MIN, kernel_binary(c, CORE_SUB, all, tile.base), depth));
    for (size_t k = 0; k < p->tiled_count; k++) {
        tile.buffers[k] =
            kernel_variable(c, "tile", p->tiled[k]->prim, KERNEL_PRIVATE, p->tiled[k]->span);
        kernel_declare_buffer(&inner, tile.buffers[k], TILE_NUMBERS * lanes_of(p));
    }
    strip.tile = &tile;
    fill_tile(p, &inner, &strip, columns);
    rows_of_strip(p, &inner, &strip, part);
    kernel_for(b, KERNEL_SEQ, NULL, t, tiles, kernel_block(&inner));
    strip.tile = NULL;
    strip.lanes = columns;
    each_row(p, b, &strip, part, true);
}

/* All rows of each strip; with tiles, or where work-items share them, some of the rows of each, so that there are enough
   shares. */
static void put_strips(Products *p, KernelBuilder *b, bool is_tiled)
{
    Compilation *c = p->c;
    bool in_parts = (is_tiled || p->is_shared) && p->rows != NULL;
    int64_t most_rows = !is_tiled ? SHARED_ROWS : p->is_shared ? SHARED_TILE_ROWS : TILE_ROWS;
    const KernelExp *columns = p->columns->count, *lanes = kernel_i64(c, lanes_of(p));
    const KernelExp *all = kernel_exact_sum(c, columns, kernel_i64(c, lanes_of(p) - 1));
    const KernelExp *count = kernel_declared(b, "strips", kernel_divide(c, all, lanes));
    const KernelExp *height = kernel_i64(c, most_rows), *shares = count;
    Part part = {.from = kernel_i64(c, 0), .rows = p->rows != NULL ? p->rows->count : NULL};
    KernelBuilder inner = kernel_builder(c, b->span);
    KernelVariable *loop =
        kernel_variable(c, in_parts ? "share" : "strip", CORE_I64, KERNEL_SCALAR, b->span);
    const KernelExp *number = kernel_use(c, loop);
    if (in_parts) {
        const KernelExp *parts =
            kernel_divide(c, kernel_exact_sum(c, part.rows, kernel_i64(c, most_rows - 1)), height);
        shares = kernel_declared(b, "shares", kernel_binary(c, CORE_MUL, count, parts));
        const KernelExp *row = kernel_declared(&inner, "part", kernel_divide(c, number, count));
        part.from = kernel_declared(&inner, "from", kernel_binary(c, CORE_MUL, row, height));
        number = kernel_declared(
            &inner, "strip",
            kernel_binary(c, CORE_SUB, number, kernel_binary(c, CORE_MUL, row, count)));
        part.rows = kernel_declared(
            &inner, "rows",
            kernel_binary(c, CORE_MIN, kernel_binary(c, CORE_SUB, part.rows, part.from), height));
    }
    Strip strip = {.first =
                       kernel_declared(&inner, "first", kernel_binary(c, CORE_MUL, number, lanes))};
    const KernelExp *left = kernel_binary(c, CORE_SUB, columns, strip.first);
    strip.lanes = kernel_declared(&inner, "lanes", kernel_binary(c, CORE_MIN, left, lanes));
    if (is_tiled) {
        tiles_of_strip(p, &inner, &strip, &part, most_rows);
    } else if (p->rows != NULL) {
        rows_of_strip(p, &inner, &strip, &part);
    } else {
        KernelBlock one = strip_of(p, &strip, NULL, 1, NULL);
        kernel_add_block(&inner, one);
    }
    kernel_for(b, KERNEL_SEQ, NULL, loop, shares, kernel_block(&inner));
    kernel_hide_count(b); /* or GCC 12 makes sums of a few lanes, and these wrong (TL_SETTLE) */
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

static KernelBlock strips_of(Products *p, bool is_tiled)
{
    KernelBuilder b = kernel_builder(p->c, p->columns->span);
    put_strips(p, &b, is_tiled);
    return kernel_block(&b);
}

/* All columns written out, in one loop over the numbers. */
static void put_few(Products *p, KernelBuilder *b)
{
    KernelBlock body = p->columns->body;
    int64_t count = p->columns->count->as.constant.as.integer;
    KernelCopier *copiers = ARENA_ARRAY(p->c->arena, KernelCopier, (size_t)count);
    KernelBuilder inner = kernel_builder(p->c, b->span);
    KernelVariable *number = kernel_variable(p->c, p->numbers->variable->text, CORE_I64,
                                             KERNEL_SCALAR, p->numbers->span);
    for (int64_t j = 0; j < count; j++) {
        copiers[j] = (KernelCopier){.c = p->c};
        kernel_replace(&copiers[j], p->columns->variable, kernel_i64(p->c, j));
        kernel_replace(&copiers[j], p->numbers->variable, kernel_use(p->c, number));
        kernel_duplicate(&copiers[j], b, (KernelBlock){p->at, body.commands});
        kernel_duplicate(&copiers[j], &inner, p->numbers->body);
    }
    kernel_for(b, KERNEL_SEQ, NULL, number, p->numbers->count, kernel_block(&inner));
    for (int64_t j = 0; j < count; j++) {
        kernel_duplicate(&copiers[j], b,
                         (KernelBlock){body.count - p->at - 1, body.commands + p->at + 1});
    }
}

static KernelBlock either(Products *p, const KernelExp *holds, KernelBlock block, KernelBlock other)
{
    KernelBuilder b = kernel_builder(p->c, p->columns->span);
    kernel_if(&b, holds, block, other);
    return kernel_block(&b);
}

static const KernelExp *at_least(Products *p, const KernelExp *count, int64_t least)
{
    return kernel_binary(p->c, CORE_GE, count, kernel_i64(p->c, least));
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
    if (products_is_few(p)) {
        put_few(p, b);
        return true;
    }
    KernelBlock tiles = p->tiled_count > 0 ? strips_of(p, true) : (KernelBlock){0};
    KernelBlock strips = p->in_strips ? strips_of(p, false) : (KernelBlock){0};
    KernelBuilder same = kernel_builder(c, b->span);
    KernelCopier copier = {.c = c};
    kernel_duplicate(&copier, &same, (KernelBlock){1, &command});
    KernelBlock block = kernel_block(&same);
    if (p->in_strips) {
        const KernelExp *wide = at_least(p, p->columns->count, products_fewest_columns(p));
        block = either(p, wide, strips, block);
    }
    if (p->tiled_count > 0) {
        int64_t fewest = lanes_of(p) * (p->pads ? 3 : 4) / 4; /* of fewer, zeros cost more */
        const KernelExp *wide = at_least(p, p->columns->count, fewest);
        const KernelExp *high = at_least(p, p->rows->count, FEWEST_TILE_ROWS);
        block = either(p, kernel_binary(c, CORE_AND, wide, high), tiles, block);
    }
    kernel_add_block(b, block);
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
