/* Segmented reductions in tiles [PLDI 5.2; REDO 4]: where what the rows of segments are made of is the
   same in a whole row or column of segments, as in products of matrices.

       map n (\a -> map m (\b -> redomap p f op e (a, b)) bs) as

   A work-item a segment reads 2*p elements for p steps, each of which n or m others read as well. Here
   a group has a tile of 64 by 64 segments, say, and each of its 256 work-items 4 by 4 of them in
   registers, so that it reads half an element of local memory for each of them and step, and the group
   each element of device memory once:

       GROUP g < tiles {
           LOCAL as[16 * 65], bs[16 * 65];  PRIVATE total[16]
           LOCAL { total[..] = e }
           LOCAL { ahead[..] = the work-item's share of the tile's a, b }
           SEQ t < rounds {                                   16 rows of the segments at a time
               LOCAL { as[..], bs[..] = ahead[..] }
               BARRIER
               LOCAL { ahead[..] = its share of those of round t + 1 }  on their way in the meantime
               LOCAL { SEQ k < 16 { x[0 .. 3] = as[..];  y[0 .. 3] = bs[..]
                                    total[r, c] = total[r, c] op f(x[r], y[c]) } }
               BARRIER
           }
           LOCAL { what comes after; results, where there is such a segment }
       }

   What is kept where is found in the commands that a row is lowered to (tile_rows.c, backend/slices.c): what depends on the
   segment's row and the row's number goes into the one tile, what depends on its column and that into
   the other; what depends on the number alone has a tile of a line; what does not depend on the number
   is in registers; the rest, which depends on row and column, is done for each segment. So whatever
   views and functions are applied to an argument alone are applied once for a tile, not for each
   product. Every segment takes its rows in their order, whatever the operator.

   Some devices have units that multiply small matrices of doubles and add them up, as sums of products x[row, k] *
   y[column, k] need it, 32 neighbours of a group together. For these there are tiles in which work-items have the segments
   that the units give them, so that the commands are the same but for a mark on the innermost loop: it is a product, which
   is printed for the units (backend/emit/product.c).

   Segments beyond the edge are computed from the last ones' elements and not stored, rows beyond the
   end are not taken, or are 0 for units, so that all work-items meet all barriers. */
#include "backend/lower/tiling.h"

/* Where so many work-items keep a device busy, it is so with a large tile, or a small one, for them. */
enum {
    WORK_ITEMS_OF_TILE = 4096,
    WORK_ITEMS_OF_PIECE = 1024,
    ROUNDS_OF_PIECE = 16 /* at least */
};

/* ---- the kernel ------------------------------------------------------------------------------ */

/* At piece * count + segment. */
static void store_piece(Lower *L, const Tiling *t, KernelExps indices,
                        const KernelExp *const *totals)
{
    const Segments *s = t->s;
    const KernelExp *at = t->piece;
    for (int v = 0; v < s->depth; v++) {
        at = tile_sum(L, lower_op(L, CORE_MUL, at, s->extents[v]), indices[v]);
    }
    for (size_t k = 0; k < s->reduced; k++) {
        kernel_store(L->b, t->partial[k], at, totals[k]);
    }
}

/* The results of the segments that there are. */
static void leave_tile(Lower *L, Tiling *t, const KernelExp *l)
{
    LowerLoop rows, columns, block;
    const Segments *s = t->s;
    const KernelExp *places[] = {tile_item(L, t, l, 0), tile_item(L, t, l, 1)};
    const KernelExp **indices = ARENA_ARRAY(L->c->arena, const KernelExp *, s->depth + 1);
    const KernelExp **totals = ARENA_ARRAY(L->c->arena, const KernelExp *, s->reduced + 1);
    memcpy(indices, t->places, sizeof *indices * (size_t)(s->depth - 2));
    tile_written_out(L, &rows, "r", t->shape.each[0]);
    tile_written_out(L, &columns, "c", t->shape.each[1]);
    const KernelExp *each[] = {rows.index, columns.index};
    const KernelExp *inside = kernel_constant(L->c, core_bool(true));
    for (int axis = 0; axis < 2; axis++) {
        const KernelExp *at = tile_place(L, t, places[axis], each[axis], axis);
        const KernelExp *index =
            lower_let(L, axis == 0 ? "row" : "column", tile_sum(L, t->first[axis], at));
        indices[s->depth - 2 + axis] = index;
        inside = lower_op(L, CORE_AND, inside, lower_op(L, CORE_LT, index, tile_segments(t, axis)));
    }
    lower_block_begin(L, &block);
    for (size_t k = 0; k < s->reduced; k++) {
        totals[k] = kernel_load(L->c, t->totals[k], tile_total(L, t, each[0], each[1]));
    }
    if (t->pieces != NULL) {
        store_piece(L, t, indices, totals);
    } else {
        SegmentEntry entry = segment_enter_at(L, s, indices);
        segment_leave(L, s, &entry, totals);
    }
    KernelBlock store = lower_block_end(L, &block);
    kernel_if(L->b, inside, store, (KernelBlock){0});
    lower_loop_end(L, &columns);
    kernel_per_row(L->b, t->pieces != NULL ? t->pieces : lower_number(L, 1));
    lower_loop_end(L, &rows);
}

/* The name of an array that the variable is an element of, else its own. */
static const char *text_of(Lower *L, const Tiling *t, KernelVariable *variable)
{
    KernelBlock slice = tile_slice(L, t, variable);
    for (size_t i = slice.count; i-- > 0;) {
        const KernelExp *value = slice.commands[i]->value;
        if (value->kind == KERNEL_LOAD && value->as.load.buffer->space == KERNEL_GLOBAL) {
            return value->as.load.buffer->text;
        }
    }
    return variable->text;
}

static void declare_buffers(Lower *L, Tiling *t)
{
    t->totals = ARENA_ARRAY(L->c->arena, KernelVariable *, t->s->reduced + 1);
    for (size_t k = 0; k < t->staged_count; k++) {
        Staged *one = &t->staged[k];
        bool is_local = (one->set & TILE_NUMBER) != 0;
        const char *text = one->variable->text;
        one->kept = kernel_variable(L->c, is_local ? text_of(L, t, one->variable) : text,
                                    one->variable->prim, is_local ? KERNEL_LOCAL : KERNEL_PRIVATE,
                                    L->b->span);
        kernel_declare_buffer(L->b, one->kept,
                              is_local ? tile_elements(&t->shape, one)
                                       : t->shape.each[one->set & TILE_ROW ? 0 : 1]);
        one->own =
            is_local ? kernel_variable(L->c, text, one->variable->prim, KERNEL_PRIVATE, L->b->span)
                     : NULL;
    }
    for (size_t k = 0; k < t->staged_count; k++) {
        Staged *one = &t->staged[k];
        if (one->set & TILE_NUMBER) {
            one->ahead =
                kernel_variable(L->c, one->kept->text, one->kept->prim, KERNEL_PRIVATE, L->b->span);
            kernel_declare_buffer(L->b, one->ahead, tile_elements_of_item(&t->shape, one));
        }
    }
    for (size_t k = 0; k < t->s->reduced; k++) {
        t->totals[k] = segment_buffer(L, t->s, k, KERNEL_PRIVATE);
        kernel_declare_buffer(L->b, t->totals[k], t->shape.each[0] * t->shape.each[1]);
    }
}

/* Which tile is the group's. */
static void find_tile(Lower *L, Tiling *t)
{
    const KernelExp *group = kernel_use(L->c, t->kernel.index);
    if (t->pieces != NULL) {
        t->piece = lower_let(L, "piece", kernel_divide(L->c, group, t->groups));
        group = lower_let(L, "group", kernel_modulo(L->c, group, t->groups));
    }
    const KernelExp *along = kernel_modulo(L->c, group, t->tiles[1]);
    const KernelExp *rest = lower_let(L, "tile", kernel_divide(L->c, group, t->tiles[1]));
    const KernelExp *down = t->s->depth > 2 ? kernel_modulo(L->c, rest, t->tiles[0]) : rest;
    t->first[0] = lower_let(L, "top", tile_times(L, down, tile_extent(&t->shape, 0)));
    t->first[1] = lower_let(L, "side", tile_times(L, along, tile_extent(&t->shape, 1)));
    if (t->s->depth > 2) {
        rest = lower_let(L, "place", kernel_divide(L->c, rest, t->tiles[0]));
    }
    t->places = lower_unflatten(L, rest, t->s->depth - 2, t->s->extents);
}

static void make_kernel(Lower *L, Tiling *t)
{
    LowerLoop rounds;
    declare_buffers(L, t);
    find_tile(L, t);
    tile_side_by_side(L, t, tile_begin);
    const KernelExp *first = NULL, *count = t->rounds;
    if (t->pieces != NULL) {
        first = lower_let(L, "first", lower_op(L, CORE_MUL, t->piece, t->own_rounds));
        count = lower_op(L, CORE_SUB, t->rounds, first);
        count = lower_let(L, "count", lower_op(L, CORE_MIN, count, t->own_rounds));
    }
    t->is_first = true;
    tile_in_round(L, t, tile_fetch, first != NULL ? first : lower_number(L, 0));
    t->is_first = false;
    lower_loop_begin(L, &rounds, FRAME_MAP, "round", count);
    const KernelExp *round =
        first != NULL ? lower_let(L, "round", tile_sum(L, first, rounds.index)) : rounds.index;
    tile_in_round(L, t, tile_bring, round);
    kernel_barrier(L->b);
    tile_in_round(L, t, tile_fetch, tile_sum(L, round, lower_number(L, 1)));
    tile_in_round(L, t, tile_take, round);
    kernel_barrier(L->b);
    lower_loop_end(L, &rounds);
    tile_side_by_side(L, t, leave_tile);
}

/* Tiles are for segments that fill most of them, and several rounds; large ones where there are many of
   them. */
static const KernelExp *suits(Lower *L, const Tiling *t, const KernelExp *work_items, bool is_large)
{
    int64_t tile = tile_extent(&t->shape, 0) * tile_extent(&t->shape, 1);
    const KernelExp *filled = lower_op(L, CORE_MUL, t->s->count, lower_number(L, 2));
    const KernelExp *fits = lower_op(L, CORE_LE, tile_times(L, t->groups, tile), filled);
    const KernelExp *least = lower_number(L, is_large ? 2 * t->shape.depth : t->shape.depth);
    fits = lower_op(L, CORE_AND, fits, lower_op(L, CORE_GE, t->s->width, least));
    fits = lower_op(L, CORE_AND, t->suits, fits);
    if (is_large) {
        const KernelExp *busy =
            lower_op(L, CORE_GE, tile_times(L, t->groups, WORK_ITEMS_OF_TILE), work_items);
        fits = lower_op(L, CORE_AND, fits, busy);
    }
    return fits;
}

static void share_out(Lower *L, Tiling *t)
{
    t->groups = lower_product(L, t->s->depth - 2, t->s->extents);
    for (int axis = 0; axis < 2; axis++) {
        t->tiles[axis] = lower_let(L, "tiles",
                                   lower_ceiling(L, tile_segments(t, axis),
                                                 lower_number(L, tile_extent(&t->shape, axis))));
        t->groups = lower_op(L, CORE_MUL, t->groups, t->tiles[axis]);
    }
    t->groups = lower_let(L, "groups", t->groups);
    t->rounds =
        lower_let(L, "rounds", lower_ceiling(L, t->s->width, lower_number(L, t->shape.depth)));
}

/* The kernel of tiles of that shape, for so many groups. */
static bool add_kernel(Lower *L, Tiling *t, const KernelExp *groups)
{
    lower_kernel_begin(L, &t->kernel, true);
    make_kernel(L, t);
    L->failed = L->failed || t->kernel.frame.scratch.count > 0;
    bool good = lower_kernel_end(L, &t->kernel, "tiles", t->s->text, groups);
    if (good) {
        kernel_tiles(L->b, t->s->count, (unsigned)tile_extent(&t->shape, 0),
                     (unsigned)tile_extent(&t->shape, 1));
    }
    return good;
}

/* The same, by matrix units where the device has some and they can do it. */
static bool add_kernels(Lower *L, Tiling *t, const KernelExp *groups)
{
    LowerLoop block;
    if (t->units == NULL) {
        return add_kernel(L, t, groups);
    }
    Tiling by_units = *t;
    by_units.shape = *tile_shape_of_units(TILE_SHAPES_OF_UNITS - 1);
    lower_block_begin(L, &block);
    bool good = add_kernel(L, &by_units, groups);
    KernelBlock first = lower_block_end(L, &block);
    lower_block_begin(L, &block);
    good = add_kernel(L, t, groups) && good;
    KernelBlock second = lower_block_end(L, &block);
    kernel_if(L->b, t->units, first, second);
    return good;
}

/* if (condition) { block } else { otherwise }, with what the condition is made of: a choice. */
typedef struct Version {
    LowerLoop choice, block;
} Version;

static void begin_version(Lower *L, Tiling *t, const TileShape *shape, Version *version)
{
    t->shape = *shape;
    lower_block_begin(L, &version->choice);
    share_out(L, t);
}

/* Where the kernels in the block could not be, otherwise stays as it is. */
static void end_version(Lower *L, Version *version, const KernelExp *condition, bool good,
                        KernelBlock *otherwise)
{
    KernelBlock tiles = lower_block_end(L, &version->block);
    kernel_if(L->b, condition, tiles, *otherwise);
    KernelBlock whole = lower_block_end(L, &version->choice);
    *otherwise = good ? whole : *otherwise;
}

/* if (it suits) { tiles of that shape } else { otherwise } */
static bool add_version(Lower *L, const Tiling *tiling, const TileShape *shape, bool is_large,
                        const KernelExp *work_items, KernelBlock *otherwise)
{
    Tiling t = *tiling;
    Version version;
    begin_version(L, &t, shape, &version);
    const KernelExp *condition = suits(L, &t, work_items, is_large);
    if (is_large && t.units != NULL) {
        const KernelExp *units = t.units;
        units = shape->by_units ? units : kernel_unary(L->c, CORE_NOT, units);
        condition = lower_op(L, CORE_AND, units, condition);
    }
    condition = lower_let(L, "tiled", condition);
    if (condition->kind == KERNEL_VARIABLE) {
        condition->as.variable->meaning =
            shape->by_units
                ? arena_printf(L->c->arena, "there are matrix units, and enough tiles of %d × %d",
                               (int)tile_extent(shape, 0), (int)tile_extent(shape, 1))
            : is_large ? "there are enough large tiles"
                       : "tiles are filled";
    }
    lower_block_begin(L, &version.block);
    bool good = is_large ? add_kernel(L, &t, t.groups) : add_kernels(L, &t, t.groups);
    end_version(L, &version, condition, good, otherwise);
    return good;
}

/* Few segments, of many rows, leave most of the device idle, unless each of them is cut into pieces: the totals of these are
   rows of the segments then. */
static bool add_pieces(Lower *L, const Tiling *tiling, const TileShape *shape,
                       const KernelExp *work_items, KernelBlock *otherwise)
{
    Tiling t = *tiling;
    Version version;
    begin_version(L, &t, shape, &version);
    const KernelExp *one = lower_number(L, 1);
    const KernelExp *busy = kernel_divide(L->c, work_items, lower_number(L, WORK_ITEMS_OF_PIECE));
    busy = kernel_divide(L->c, busy, lower_op(L, CORE_MAX, t.groups, one));
    const KernelExp *most = kernel_divide(L->c, t.rounds, lower_number(L, ROUNDS_OF_PIECE));
    t.pieces = lower_let(L, "pieces", lower_op(L, CORE_MIN, lower_let(L, "busy", busy), most));
    if (t.pieces->kind == KERNEL_VARIABLE) {
        t.pieces->as.variable->meaning = "pieces";
    }
    const KernelExp *fits = lower_op(L, CORE_GE, t.pieces, lower_number(L, 2));
    const KernelExp *condition =
        lower_let(L, "tiled", lower_op(L, CORE_AND, fits, suits(L, &t, work_items, false)));
    if (condition->kind == KERNEL_VARIABLE) {
        condition->as.variable->meaning = "there are few tiles, of many rows";
    }
    lower_block_begin(L, &version.block);
    t.own_rounds = lower_let(L, "rounds", lower_ceiling(L, t.rounds, t.pieces));
    KernelVariable **partial = segment_partial(L, t.s, t.pieces);
    t.partial = partial;
    bool good =
        add_kernels(L, &t, lower_let(L, "groups", lower_op(L, CORE_MUL, t.groups, t.pieces))) &&
        segment_join_pieces(L, t.s, partial, t.pieces, work_items);
    segment_release(L, t.s, partial);
    end_version(L, &version, condition, good, otherwise);
    return good;
}

/* Neutral elements are the same for all segments. */
static bool begins_alike(const Segments *s)
{
    for (size_t r = 0; r < s->soac->reduction_count; r++) {
        const CoreReduction *one = &s->soac->reductions[r];
        for (size_t k = 0; k < lower_width(one); k++) {
            if (!lower_is_outside(s->nest, one->neutral[k])) {
                return false;
            }
        }
    }
    return true;
}

void segment_by_tiles(Lower *L, Segments *s, const KernelExp *work_items, KernelBlock *otherwise)
{
    Tiling t = {.s = s};
    if (s->depth < 2 || s->scanned > 0 || s->stm->pattern_count > s->reduced || s->heavy ||
        !begins_alike(s) || !tile_study(L, &t)) {
        return;
    }
    t.suits = kernel_unary(L->c, CORE_NOT, lower_device(L, "is_processor", CORE_BOOL));
    if (tile_is_product(&t)) {
        t.units = lower_device(L, "matrix_units", CORE_BOOL);
    }
    size_t large = tile_largest_shape(L, &t);
    bool good = large == TILE_SHAPES ||
                add_version(L, &t, tile_shape(TILE_SHAPES - 1), false, work_items, otherwise);
    if (good && large < TILE_SHAPES - 1) {
        add_version(L, &t, tile_shape(large), true, work_items, otherwise);
    }
    for (size_t k = TILE_SHAPES_OF_UNITS - 1; good && t.units != NULL && k-- > 0;) {
        add_version(L, &t, tile_shape_of_units(k), true, work_items, otherwise);
    }
    if (good) {
        add_pieces(L, &t, tile_shape(TILE_SHAPES - 1), work_items, otherwise);
    }
}
