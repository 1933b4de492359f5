/* Tiles of segments (segment_tiles.c): how they are filled. The work-items of a group share out the
   elements of a tile so that neighbours read neighbours in memory, be that by the segments or by the
   number of the row:

       for (s < 4) { element = s * 256 + l
                     number = element % 16;  at = element / 16
                     ahead[s] = a[(top + at) * p + round * 16 + number] }

   and, a round later,

       for (s < 4) { ...;  as[number * 65 + at] = ahead[s] }

   so that the elements are on their way from device memory while others are computed with. In local memory segments are
   neighbours, which is how they are read; matrix units read several numbers of each. Behind the last segment, and the
   last row, are those once more. */
#include "backend/lower/tiling.h"

/* ---- pieces of the kernel -------------------------------------------------------------------- */

void tile_side_by_side(Lower *L, Tiling *t, TileItemWork *work)
{
    LowerLoop local;
    lower_local_begin(L, &t->kernel, &local);
    work(L, t, local.index);
    lower_local_end(L, &t->kernel, &local);
}

void tile_in_round(Lower *L, Tiling *t, TileRoundWork *work, const KernelExp *round)
{
    LowerLoop local;
    lower_local_begin(L, &t->kernel, &local);
    work(L, t, local.index, round);
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

/* Neighbours who work together share each[0] * 8 rows and each[1] * 4 columns; of a unit's 8 by 8 segments four of them
   have a row, two segments each. */
static const KernelExp *unit_item(Lower *L, const Tiling *t, const KernelExp *l, int axis)
{
    const KernelExp *lanes = lower_number(L, KERNEL_UNIT_LANES),
                    *of_row = lower_number(L, TILE_UNIT_ITEMS);
    const KernelExp *among = lower_number(L, t->shape.across[1] / TILE_UNIT_ITEMS);
    const KernelExp *all = kernel_divide(L->c, l, lanes), *lane = kernel_modulo(L->c, l, lanes);
    const KernelExp *first, *own;
    if (axis == 0) {
        first = tile_times(L, kernel_divide(L->c, all, among), TILE_UNIT * t->shape.each[0]);
        own = kernel_divide(L->c, lane, of_row);
    } else {
        first = tile_times(L, kernel_modulo(L->c, all, among), t->shape.each[1] * 2);
        own = kernel_modulo(L->c, lane, of_row);
    }
    return lower_let(L, axis == 0 ? "down" : "along", tile_sum(L, first, own));
}

const KernelExp *tile_item(Lower *L, const Tiling *t, const KernelExp *l, int axis)
{
    const KernelExp *across = lower_number(L, t->shape.across[1]);
    if (t->shape.by_units) {
        return unit_item(L, t, l, axis);
    }
    return lower_let(L, axis == 0 ? "down" : "along",
                     axis == 0 ? kernel_divide(L->c, l, across) : kernel_modulo(L->c, l, across));
}

const KernelExp *tile_place(Lower *L, const Tiling *t, const KernelExp *place,
                            const KernelExp *each, int axis)
{
    int64_t neighbours = t->shape.beside[axis];
    const KernelExp *beside = lower_number(L, neighbours);
    const KernelExp *turn = kernel_divide(L->c, each, beside);
    const KernelExp *inside =
        tile_sum(L, tile_times(L, place, neighbours), kernel_modulo(L->c, each, beside));
    int64_t step = t->shape.by_units ? TILE_UNIT : t->shape.across[axis] * neighbours;
    return tile_sum(L, inside, tile_times(L, turn, step));
}

const KernelExp *tile_kept_at(Lower *L, const Tiling *t, const Staged *staged,
                              const KernelExp *deep, const KernelExp *at)
{
    return tile_sum(L, tile_times(L, deep, tile_deep_step(&t->shape, staged)),
                    tile_times(L, at, tile_place_step(&t->shape, staged)));
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

/* Computes them with the copier's indices, and puts them at `at` of what each has ahead, or keeps. */
static void put_alike(Lower *L, const Tiling *t, KernelCopier *copier, size_t count,
                      const size_t *alike, const KernelExp *at)
{
    const KernelExp *wanted[TILE_MOST_STAGED] = {0};
    for (size_t k = 0; k < count; k++) {
        wanted[k] = kernel_use(L->c, t->staged[alike[k]].variable);
    }
    kernel_duplicate(copier, L->b, slices_of(L->c, &t->slices, copier, count, wanted));
    for (size_t k = 0; k < count; k++) {
        const Staged *staged = &t->staged[alike[k]];
        kernel_store(L->b, staged->set & TILE_NUMBER ? staged->ahead : staged->kept, at,
                     kernel_duplicate_exp(copier, wanted[k]));
    }
}

/* How often each row reads, where so many share the width; of a short one still once. The first round counts with
   those that are fetched in the others. */
static const KernelExp *share_of_width(Lower *L, const Tiling *t, int64_t rows)
{
    if (t->is_first) {
        return lower_number(L, 0);
    }
    const KernelExp *share = kernel_divide(L->c, t->s->width, lower_number(L, rows));
    return kernel_is_i64(share, 0) ? lower_number(L, 1) : share;
}

/* From begin to end: for each element of a tile that the work-item computes, which are shared out so that neighbours read
   neighbours. */
typedef struct Elements {
    LowerLoop loop;
    const KernelExp *deep, *at; /* its number in the round, and its place in the tile */
} Elements;

static void begin_elements(Lower *L, const Tiling *t, const Staged *staged, const KernelExp *l,
                           Elements *elements)
{
    int64_t places = tile_extent(&t->shape, staged->set & TILE_ROW ? 0 : 1);
    tile_written_out(L, &elements->loop, "s", tile_elements_of_item(&t->shape, staged));
    const KernelExp *element = lower_let(
        L, "element", tile_sum(L, tile_times(L, elements->loop.index, KERNEL_GROUP_SIZE), l));
    const KernelExp *inner = lower_number(L, staged->by_number ? t->shape.depth : places);
    const KernelExp *low =
        lower_let(L, staged->by_number ? "deep" : "at", kernel_modulo(L->c, element, inner));
    const KernelExp *high =
        lower_let(L, staged->by_number ? "at" : "deep", kernel_divide(L->c, element, inner));
    elements->deep = staged->by_number ? low : high;
    elements->at = staged->by_number ? high : low;
}

/* The number of the row, of which a whole round has all. */
static const KernelExp *number_of_row(Lower *L, const Tiling *t, const KernelExp *round,
                                      const KernelExp *deep, bool whole)
{
    const KernelExp *number = tile_sum(L, tile_times(L, round, t->shape.depth), deep);
    if (!whole) {
        return row_or_last(L, "k", number, t->s->width);
    }
    number = lower_let(L, "k", number);
    lower_is_row(number, t->s->width);
    return number;
}

/* ahead[s] := the values at the work-item's elements of the tile. */
static void fetch_tile(Lower *L, Tiling *t, const KernelExp *l, const KernelExp *round,
                       size_t count, const size_t *alike, bool whole)
{
    Elements elements;
    const Staged *staged = &t->staged[alike[0]];
    int axis = staged->set & TILE_ROW ? 0 : 1;
    begin_elements(L, t, staged, l, &elements);
    KernelCopier copier = tile_copier(L, t);
    const KernelExp *place = tile_sum(L, t->first[axis], elements.at);
    kernel_replace(&copier, t->symbols[axis],
                   row_or_last(L, axis == 0 ? "row" : "column", place, tile_segments(t, axis)));
    kernel_replace(&copier, t->symbols[2], number_of_row(L, t, round, elements.deep, whole));
    put_alike(L, t, &copier, count, alike, elements.loop.index);
    lower_loop_end(L, &elements.loop);
    kernel_per_row(L->b, share_of_width(L, t, tile_extent(&t->shape, 1 - axis)));
}

/* if (l < depth) { work } */
static void add_line(Lower *L, const Tiling *t, const KernelExp *l, KernelBlock work)
{
    kernel_if(L->b, lower_op(L, CORE_LT, l, lower_number(L, t->shape.depth)), work,
              (KernelBlock){0});
}

/* ahead[0] := the values at number l of the round. */
static void fetch_line(Lower *L, Tiling *t, const KernelExp *l, const KernelExp *round,
                       size_t count, const size_t *alike, bool whole)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    KernelCopier copier = tile_copier(L, t);
    kernel_replace(&copier, t->symbols[2], number_of_row(L, t, round, l, whole));
    put_alike(L, t, &copier, count, alike, lower_number(L, 0));
    add_line(L, t, l, lower_block_end(L, &block));
    int64_t tile = tile_extent(&t->shape, 0) * tile_extent(&t->shape, 1);
    kernel_per_row(L->b, share_of_width(L, t, tile));
}

static KernelBlock fetch(Lower *L, Tiling *t, const KernelExp *l, const KernelExp *round,
                         bool whole)
{
    LowerLoop block;
    size_t alike[TILE_MOST_STAGED];
    lower_block_begin(L, &block);
    for (size_t k = 0; k < t->staged_count; k++) {
        size_t count = t->staged[k].set & TILE_NUMBER ? find_alike(t, k, alike) : 0;
        if (count > 0 && t->staged[k].set == TILE_NUMBER) {
            fetch_line(L, t, l, round, count, alike, whole);
        } else if (count > 0) {
            fetch_tile(L, t, l, round, count, alike, whole);
        }
    }
    return lower_block_end(L, &block);
}

const KernelExp *tile_rows_left(Lower *L, const Tiling *t, const KernelExp *round)
{
    const KernelExp *depth = lower_number(L, t->shape.depth);
    const KernelExp *left = lower_op(L, CORE_SUB, t->s->width, lower_op(L, CORE_MUL, round, depth));
    left = lower_let(L, "left", lower_op(L, CORE_MIN, left, depth));
    lower_is_row(left, t->s->width);
    return left;
}

void tile_fetch(Lower *L, Tiling *t, const KernelExp *l, const KernelExp *round)
{
    LowerLoop block;
    const KernelExp *left = tile_rows_left(L, t, round);
    KernelBlock whole = fetch(L, t, l, round, true), part = fetch(L, t, l, round, false);
    lower_block_begin(L, &block);
    kernel_if(L->b, lower_op(L, CORE_GT, left, lower_number(L, 0)), part, (KernelBlock){0});
    KernelBlock rest = lower_block_end(L, &block);
    kernel_if(L->b, lower_op(L, CORE_EQ, left, lower_number(L, t->shape.depth)), whole, rest);
}

/* kept[number l] := ahead[0]. */
static void bring_line(Lower *L, const Tiling *t, const Staged *staged, const KernelExp *l)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    kernel_store(L->b, staged->kept, l, kernel_load(L->c, staged->ahead, lower_number(L, 0)));
    add_line(L, t, l, lower_block_end(L, &block));
}

static void bring_tile(Lower *L, const Tiling *t, const Staged *staged, const KernelExp *l,
                       const KernelExp *left)
{
    Elements elements;
    begin_elements(L, t, staged, l, &elements);
    const KernelExp *value = kernel_load(L->c, staged->ahead, elements.loop.index);
    if (t->shape.by_units) {
        const KernelExp *none = kernel_constant(L->c, core_real(CORE_F64, 0));
        value = kernel_select(L->c, lower_op(L, CORE_LT, elements.deep, left), value, none);
    }
    kernel_store(L->b, staged->kept, tile_kept_at(L, t, staged, elements.deep, elements.at), value);
    lower_loop_end(L, &elements.loop);
}

void tile_bring(Lower *L, Tiling *t, const KernelExp *l, const KernelExp *round)
{
    const KernelExp *left = t->shape.by_units ? tile_rows_left(L, t, round) : NULL;
    for (size_t k = 0; k < t->staged_count; k++) {
        const Staged *staged = &t->staged[k];
        if (staged->set == TILE_NUMBER) {
            bring_line(L, t, staged, l);
        } else if (staged->set & TILE_NUMBER) {
            bring_tile(L, t, staged, l, left);
        }
    }
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
        put_alike(L, t, &copier, 1, &k, loop.index);
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
