/* Tiles of segments (segment_tiles.c): what is done for each of them. A work-item brings its parts of
   the tiles at one number to registers, and takes that row for each pair:

       for (d < 16) { for (r < 4) { x[r] = as[d * 65 + ..] }  for (c < 4) { y[c] = bs[d * 65 + ..] }
                      for (r < 4) { for (c < 4) { total[r, c] = total[r, c] op f(x[r], y[c]) } } }

   Sums of products of reals are rounded once where that is quick: their operands may come in any order,
   so that their last digits are free already. */
#include "backend/lower/tiling.h"

/* ---- the work -------------------------------------------------------------------------------- */

/* Where x = x1 * x2 is declared among the commands from `begin` on; SIZE_MAX: nowhere. */
static size_t find_product(const KernelBuilder *b, size_t begin, const KernelExp *x)
{
    for (size_t k = begin; x->kind == KERNEL_VARIABLE && k < b->commands.count; k++) {
        const KernelCmd *command = b->commands.items[k];
        if (command->kind == KERNEL_DECLARE && command->variable == x->as.variable) {
            bool is_product = command->value != NULL && command->value->kind == KERNEL_BINARY &&
                              command->value->as.scalar.op == CORE_MUL;
            return is_product ? k : SIZE_MAX;
        }
    }
    return SIZE_MAX;
}

static bool is_total(const KernelExp *exp)
{
    return exp->kind == KERNEL_VARIABLE && exp->as.variable->is_total;
}

/* total + x * y of reals is rounded once where the order of the operands is free anyway, and the device
   is quick at that: z = total + t with t = x * y, which nobody may use any more (backend/unused.c). */
static void fuse_products(Lower *L, size_t begin)
{
    KernelBuilder *b = L->b;
    for (size_t i = begin; i < b->commands.count; i++) {
        const KernelCmd *command = b->commands.items[i];
        const KernelExp *sum = command->value;
        if (command->kind != KERNEL_DECLARE || sum == NULL || sum->kind != KERNEL_BINARY ||
            sum->as.scalar.op != CORE_ADD || !core_is_real(sum->prim)) {
            continue;
        }
        const KernelExp *x = sum->as.scalar.x, *y = sum->as.scalar.y;
        const KernelExp *total = is_total(x) ? x : y;
        size_t product = is_total(total) ? find_product(b, begin, total == x ? y : x) : SIZE_MAX;
        if (product < i) {
            KernelCmd *fused = arena_copy(L->c->arena, command, sizeof *command);
            fused->value = kernel_fused_sum(L->c, total, b->commands.items[product]->value);
            b->commands.items[i] = fused;
        }
    }
}

/* Segment (r, c) of the work-item takes the row; what is staged is at hand. */
static void take_row(Lower *L, Tiling *t, const KernelCopier *staged, const KernelExp *r,
                     const KernelExp *c)
{
    const Segments *s = t->s;
    KernelCopier copier = tile_copier(L, t);
    Accumulator *accumulators = ARENA_ARRAY(L->c->arena, Accumulator, s->reduced + 1);
    Value *operands = ARENA_ARRAY(L->c->arena, Value, s->reduced + 1);
    const KernelExp **wanted = ARENA_ARRAY(L->c->arena, const KernelExp *, s->reduced + 1);
    size_t begin = L->b->commands.count;
    for (int k = 0; k < TILE_INDICES; k++) {
        const KernelExp *index = kernel_replacement(staged, t->symbols[k]);
        if (index != NULL) {
            kernel_replace(&copier, t->symbols[k], index);
        }
    }
    for (size_t k = 0; k < t->staged_count; k++) {
        const Staged *one = &t->staged[k];
        const KernelExp *at = one->set & TILE_ROW      ? r
                              : one->set & TILE_COLUMN ? c
                                                       : lower_number(L, 0);
        kernel_replace(&copier, one->variable,
                       kernel_load(L->c, one->set & TILE_NUMBER ? one->own : one->kept, at));
    }
    for (size_t k = 0; k < s->reduced; k++) {
        wanted[k] = t->values[k].scalar;
    }
    kernel_duplicate(&copier, L->b, slices_of(L->c, &t->slices, &copier, s->reduced, wanted));
    const KernelExp *at = tile_total(L, t, r, c);
    for (size_t k = 0; k < s->reduced; k++) {
        accumulators[k].scalar = segment_buffer(L, s, k, KERNEL_SCALAR);
        kernel_declare(L->b, accumulators[k].scalar, kernel_load(L->c, t->totals[k], at));
        operands[k].scalar = lower_let(L, accumulators[k].scalar->text,
                                       kernel_duplicate_exp(&copier, t->values[k].scalar));
    }
    for (size_t k = 0, i = 0; i < s->soac->reduction_count; i++) {
        for (size_t j = 0; j < lower_width(&s->soac->reductions[i]); j++, k++) {
            accumulators[k].scalar->is_total = s->soac->reductions[i].commutative;
        }
    }
    segment_accumulate(L, s, accumulators, operands);
    for (size_t k = 0; k < s->reduced; k++) {
        kernel_store(L->b, t->totals[k], at, kernel_use(L->c, accumulators[k].scalar));
    }
    fuse_products(L, begin);
}

/* own[..] := this work-item's part of what is staged at one number of the round. */
static void fetch_own(Lower *L, const Tiling *t, const KernelExp *const *places,
                      const KernelExp *deep)
{
    for (size_t k = 0; k < t->staged_count; k++) {
        LowerLoop loop;
        const Staged *one = &t->staged[k];
        if (!(one->set & TILE_NUMBER)) {
            continue;
        }
        int axis = one->set & TILE_ROW ? 0 : 1;
        bool is_line = one->set == TILE_NUMBER;
        kernel_declare_buffer(L->b, one->own, is_line ? 1 : t->shape.each[axis]);
        tile_written_out(L, &loop, axis == 0 ? "r" : "c", is_line ? 1 : t->shape.each[axis]);
        const KernelExp *place =
            is_line ? lower_number(L, 0) : tile_place(L, t, places[axis], loop.index, axis);
        const KernelExp *at = tile_kept_at(L, t, one, deep, place);
        kernel_store(L->b, one->own, loop.index, kernel_load(L->c, one->kept, at));
        lower_loop_end(L, &loop);
    }
}

/* The row with this number in the round, for all of the work-item's segments. */
static void take_number(Lower *L, Tiling *t, const KernelExp *const *places, const KernelExp *round,
                        const KernelExp *deep)
{
    LowerLoop rows, columns;
    KernelCopier staged = tile_copier(L, t);
    fetch_own(L, t, places, deep);
    kernel_replace(&staged, t->symbols[2], tile_sum(L, tile_times(L, round, t->shape.depth), deep));
    tile_written_out(L, &rows, "r", t->shape.each[0]);
    tile_written_out(L, &columns, "c", t->shape.each[1]);
    const KernelExp *each[] = {rows.index, columns.index};
    for (int axis = 0; axis < 2; axis++) {
        kernel_replace(
            &staged, t->symbols[axis],
            tile_sum(L, t->first[axis], tile_place(L, t, places[axis], each[axis], axis)));
    }
    take_row(L, t, &staged, rows.index, columns.index);
    lower_loop_end(L, &columns);
    lower_loop_end(L, &rows);
}

/* A round by matrix units: rows beyond the last are 0. */
static void take_product(Lower *L, Tiling *t, const KernelExp *const *places,
                         const KernelExp *round)
{
    LowerLoop loop;
    const KernelExp *first[2];
    KernelProduct *product = ARENA_NEW(L->c->arena, KernelProduct);
    *product = (KernelProduct){.totals = t->totals[0], .depth = t->shape.depth};
    for (int axis = 0; axis < 2; axis++) {
        const Staged *staged = &t->staged[axis];
        product->tiles[axis] = staged->kept;
        first[axis] = lower_let(L, axis == 0 ? "row" : "column",
                                tile_place(L, t, places[axis], lower_number(L, 0), axis));
        product->place_step[axis] = tile_place_step(&t->shape, staged);
        product->deep_step[axis] = tile_deep_step(&t->shape, staged);
        product->each[axis] = t->shape.each[axis];
    }
    tile_written_out(L, &loop, "d", t->shape.depth);
    take_number(L, t, places, round, loop.index);
    lower_loop_end(L, &loop);
    kernel_is_product(L->b, product, first);
}

/* A whole round is written out; the last one may have fewer rows. */
void tile_take(Lower *L, Tiling *t, const KernelExp *l, const KernelExp *round)
{
    LowerLoop whole, part, loop;
    const KernelExp *places[] = {tile_item(L, t, l, 0), tile_item(L, t, l, 1)};
    if (t->shape.by_units) {
        take_product(L, t, places, round);
        return;
    }
    const KernelExp *depth = lower_number(L, t->shape.depth), *left = tile_rows_left(L, t, round);
    lower_block_begin(L, &whole);
    tile_written_out(L, &loop, "d", t->shape.depth);
    take_number(L, t, places, round, loop.index);
    lower_loop_end(L, &loop);
    KernelBlock all = lower_block_end(L, &whole);
    for (size_t k = 0; k < t->staged_count; k++) { /* buffers of the other block */
        Staged *one = &t->staged[k];
        one->own = one->own == NULL ? NULL
                                    : kernel_variable(L->c, one->own->text, one->own->prim,
                                                      KERNEL_PRIVATE, L->b->span);
    }
    lower_block_begin(L, &part);
    lower_loop_begin(L, &loop, FRAME_MAP, "d", left);
    take_number(L, t, places, round, loop.index);
    lower_loop_end(L, &loop);
    KernelBlock some = lower_block_end(L, &part);
    kernel_if(L->b, lower_op(L, CORE_EQ, left, depth), all, some);
}
