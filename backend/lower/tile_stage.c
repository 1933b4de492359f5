/* Tiles of segments (segment_tiles.c): how they are filled. The work-items of a group share out the
   elements of a tile so that neighbours read neighbours in memory, be that by the segments or by the
   number of the row:

       for (s < 4) { element = s * 256 + l
                     number = element % 16;  at = element / 16
                     as[number * 65 + at] = a[(top + at) * p + round * 16 + number] }

   In local memory segments are neighbours, which is how they are read. Behind the last segment, and
   the last row, are those once more. */
#include "backend/lower/tiling.h"

/* ---- pieces of the kernel -------------------------------------------------------------------- */

void tile_side_by_side(Lower *L, Tiling *t, TileItemWork *work)
{
    LowerLoop local;
    lower_local_begin(L, &t->kernel, &local);
    work(L, t, local.index);
    lower_local_end(L, &t->kernel, &local);
}

void tile_written_out(Lower *L, LowerLoop *loop, const char *text, int64_t count)
{
    lower_loop_begin(L, loop, FRAME_MAP, text, lower_number(L, count));
    loop->written_out = KERNEL_WRITE_OUT;
}

const KernelExp *tile_sum(Lower *L, const KernelExp *x, const KernelExp *y)
{
    return lower_op(L, CORE_ADD, x, y);
}

const KernelExp *tile_times(Lower *L, const KernelExp *x, int64_t factor)
{
    return lower_op(L, CORE_MUL, x, lower_number(L, factor));
}

/* A name for the number of a row; the last one instead of those behind it. */
static const KernelExp *row_or_last(Lower *L, const char *text, const KernelExp *number,
                                    const KernelExp *width)
{
    const KernelExp *last = lower_op(L, CORE_SUB, width, lower_number(L, 1));
    const KernelExp *row = lower_let(L, text, lower_op(L, CORE_MIN, number, last));
    lower_is_row(row, width);
    return row;
}

const KernelExp *tile_segments(const Tiling *t, int axis)
{
    return t->s->extents[t->s->depth - 2 + axis];
}

const KernelExp *tile_item(Lower *L, const Tiling *t, const KernelExp *l, int axis)
{
    const KernelExp *across = lower_number(L, t->shape.across[1]);
    return lower_let(L, axis == 0 ? "down" : "along",
                     axis == 0 ? kernel_divide(L->c, l, across) : kernel_modulo(L->c, l, across));
}

const KernelExp *tile_place(Lower *L, const Tiling *t, const KernelExp *place,
                            const KernelExp *each, int axis)
{
    const KernelExp *beside = lower_number(L, t->shape.beside);
    const KernelExp *turn = kernel_divide(L->c, each, beside);
    const KernelExp *inside =
        tile_sum(L, tile_times(L, place, t->shape.beside), kernel_modulo(L->c, each, beside));
    return tile_sum(L, inside, tile_times(L, turn, t->shape.across[axis] * t->shape.beside));
}

KernelCopier tile_copier(Lower *L, const Tiling *t)
{
    KernelCopier copier = {.c = L->c};
    for (int v = 0; v < t->s->depth - 2; v++) {
        kernel_replace(&copier, t->outer[v], t->places[v]);
    }
    return copier;
}

/* ---- staging --------------------------------------------------------------------------------- */

/* This and those after it that are kept alike: they are computed together. */
static size_t find_alike(const Tiling *t, size_t first, size_t *alike)
{
    const Staged *one = &t->staged[first];
    size_t count = 0;
    for (size_t k = 0; k < t->staged_count; k++) {
        const Staged *other = &t->staged[k];
        if (other->set == one->set && other->by_number == one->by_number) {
            if (k < first) {
                return 0; /* done with that one */
            }
            alike[count++] = k;
        }
    }
    return count;
}

/* Computes them with the copier's indices, and keeps them at `at`. */
static void keep_alike(Lower *L, const Tiling *t, KernelCopier *copier, size_t count,
                       const size_t *alike, const KernelExp *at)
{
    const KernelExp *wanted[TILE_MOST_STAGED] = {0};
    for (size_t k = 0; k < count; k++) {
        wanted[k] = kernel_use(L->c, t->staged[alike[k]].variable);
    }
    kernel_duplicate(copier, L->b, slices_of(L->c, &t->slices, copier, count, wanted));
    for (size_t k = 0; k < count; k++) {
        kernel_store(L->b, t->staged[alike[k]].kept, at, kernel_duplicate_exp(copier, wanted[k]));
    }
}

/* How often each row reads, where so many share the width; of a short one still once. */
static const KernelExp *share_of_width(Lower *L, const Tiling *t, int64_t rows)
{
    const KernelExp *share = kernel_divide(L->c, t->s->width, lower_number(L, rows));
    return kernel_is_i64(share, 0) ? lower_number(L, 1) : share;
}

/* kept[number * pitch + place] := the value there, for all places of the tile and the round's numbers,
   shared out so that neighbours read neighbours. */
static void stage_tile(Lower *L, Tiling *t, const KernelExp *l, const KernelExp *round,
                       size_t count, const size_t *alike)
{
    LowerLoop loop;
    const Staged *staged = &t->staged[alike[0]];
    int axis = staged->set & TILE_ROW ? 0 : 1;
    int64_t places = tile_extent(&t->shape, axis), depth = t->shape.depth;
    tile_written_out(L, &loop, "s", places * depth / KERNEL_GROUP_SIZE);
    const KernelExp *element =
        lower_let(L, "element", tile_sum(L, tile_times(L, loop.index, KERNEL_GROUP_SIZE), l));
    const KernelExp *inner = lower_number(L, staged->by_number ? depth : places);
    const KernelExp *low =
        lower_let(L, staged->by_number ? "deep" : "at", kernel_modulo(L->c, element, inner));
    const KernelExp *high =
        lower_let(L, staged->by_number ? "at" : "deep", kernel_divide(L->c, element, inner));
    const KernelExp *deep = staged->by_number ? low : high, *at = staged->by_number ? high : low;
    KernelCopier copier = tile_copier(L, t);
    const KernelExp *place = tile_sum(L, t->first[axis], at);
    kernel_replace(&copier, t->symbols[axis],
                   row_or_last(L, axis == 0 ? "row" : "column", place, tile_segments(t, axis)));
    const KernelExp *number = tile_sum(L, tile_times(L, round, depth), deep);
    kernel_replace(&copier, t->symbols[2], row_or_last(L, "k", number, t->s->width));
    keep_alike(L, t, &copier, count, alike,
               tile_sum(L, tile_times(L, deep, tile_pitch(&t->shape, staged->set)), at));
    lower_loop_end(L, &loop);
    kernel_per_row(L->b, share_of_width(L, t, tile_extent(&t->shape, 1 - axis)));
}

/* kept[number] := the value there. */
static void stage_line(Lower *L, Tiling *t, const KernelExp *l, const KernelExp *round,
                       size_t count, const size_t *alike)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    KernelCopier copier = tile_copier(L, t);
    const KernelExp *number = tile_sum(L, tile_times(L, round, t->shape.depth), l);
    kernel_replace(&copier, t->symbols[2], row_or_last(L, "k", number, t->s->width));
    keep_alike(L, t, &copier, count, alike, l);
    KernelBlock store = lower_block_end(L, &block);
    kernel_if(L->b, lower_op(L, CORE_LT, l, lower_number(L, t->shape.depth)), store,
              (KernelBlock){0});
    int64_t tile = tile_extent(&t->shape, 0) * tile_extent(&t->shape, 1);
    kernel_per_row(L->b, share_of_width(L, t, tile));
}

void tile_stage(Lower *L, Tiling *t, const KernelExp *round)
{
    LowerLoop local;
    size_t alike[TILE_MOST_STAGED];
    lower_local_begin(L, &t->kernel, &local);
    for (size_t k = 0; k < t->staged_count; k++) {
        size_t count = t->staged[k].set & TILE_NUMBER ? find_alike(t, k, alike) : 0;
        if (count > 0 && t->staged[k].set == TILE_NUMBER) {
            stage_line(L, t, local.index, round, count, alike);
        } else if (count > 0) {
            stage_tile(L, t, local.index, round, count, alike);
        }
    }
    lower_local_end(L, &t->kernel, &local);
}

/* What does not depend on the row's number, for each of the work-item's rows and columns. */
static void keep_fixed(Lower *L, Tiling *t, const KernelExp *l)
{
    for (size_t k = 0; k < t->staged_count; k++) {
        LowerLoop loop;
        const Staged *staged = &t->staged[k];
        if (staged->set & TILE_NUMBER) {
            continue;
        }
        int axis = staged->set & TILE_ROW ? 0 : 1;
        const KernelExp *place = tile_item(L, t, l, axis);
        tile_written_out(L, &loop, "s", t->shape.each[axis]);
        KernelCopier copier = tile_copier(L, t);
        const KernelExp *at = tile_place(L, t, place, loop.index, axis);
        kernel_replace(&copier, t->symbols[axis],
                       row_or_last(L, axis == 0 ? "row" : "column", tile_sum(L, t->first[axis], at),
                                   tile_segments(t, axis)));
        keep_alike(L, t, &copier, 1, &k, loop.index);
        lower_loop_end(L, &loop);
    }
}

const KernelExp *tile_total(Lower *L, const Tiling *t, const KernelExp *r, const KernelExp *c)
{
    return tile_sum(L, tile_times(L, r, t->shape.each[1]), c);
}

void tile_begin(Lower *L, Tiling *t, const KernelExp *l)
{
    LowerLoop loop;
    const Segments *s = t->s;
    tile_written_out(L, &loop, "s", t->shape.each[0] * t->shape.each[1]);
    for (size_t r = 0, at = 0; r < s->soac->reduction_count; r++) {
        const CoreReduction *one = &s->soac->reductions[r];
        for (size_t k = 0; k < lower_width(one); k++, at++) {
            kernel_store(L->b, t->totals[at], loop.index, lower_scalar(L, one->neutral[k]));
        }
    }
    lower_loop_end(L, &loop);
    keep_fixed(L, t, l);
}
