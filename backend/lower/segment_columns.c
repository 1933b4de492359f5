/* Segmented reductions of segments that lie across: neighbouring segments are neighbours in memory,
   and there are too few of them for a work-item each. The work-items first reduce pieces of
   segments, neighbours pieces of neighbouring ones, and then each segment's pieces:

       GRID g < pieces * segments { piece = g / segments;  segment = g % segments
                                    SEQ over the rows of this piece { total = total op x }
                                    partial[g] = total }
       then the pieces' totals, as rows of the segments: by a work-item a segment, or
       segment_group.c */
#include "backend/lower/segments.h"

/* FEW_PIECES: of a segment, so that a work-item joins them well. */
enum { ROWS_OF_PIECE = 32, FEW_PIECES = 256 };

static const KernelExp **totals_of(Lower *L, const Segments *s, const Accumulator *accumulators)
{
    const KernelExp **totals = ARENA_ARRAY(L->c->arena, const KernelExp *, s->reduced + 1);
    for (size_t k = 0; k < s->reduced; k++) {
        totals[k] = lower_accumulated(L, &accumulators[k]).scalar;
    }
    return totals;
}

static bool reduce_pieces(Lower *L, Segments *s, KernelVariable *const *partial,
                          const KernelExp *chunk, const KernelExp *count)
{
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    const KernelExp *g = kernel_use(L->c, kernel.index);
    const KernelExp *piece = lower_let(L, "piece", kernel_divide(L->c, g, s->count));
    const KernelExp *segment = lower_let(L, "segment", kernel_modulo(L->c, g, s->count));
    lower_is_row(segment, s->count);
    SegmentEntry entry = segment_enter(L, s, segment);
    Accumulator *accumulators = segment_accumulators(L, s);
    const KernelExp *first = lower_let(L, "first", lower_op(L, CORE_MUL, piece, chunk));
    const KernelExp *rows = lower_op(L, CORE_MIN, chunk, lower_op(L, CORE_SUB, s->width, first));
    segment_rows(L, s, &entry, accumulators, first, rows, lower_number(L, 1));
    const KernelExp **totals = totals_of(L, s, accumulators);
    for (size_t k = 0; k < s->reduced; k++) {
        kernel_store(L->b, partial[k], g, totals[k]);
    }
    return lower_kernel_end(L, &kernel, "pieces", s->text, count);
}

/* A work-item a segment goes through its pieces, neighbours by neighbours. */
static bool join_by_items(Lower *L, Segments *s, const KernelExp *pieces)
{
    LowerKernel kernel;
    lower_kernel_begin(L, &kernel, false);
    const KernelExp *segment = kernel_use(L->c, kernel.index);
    SegmentEntry entry = segment_enter(L, s, segment);
    entry.guard = NULL; /* the totals are there in any case */
    Accumulator *accumulators = segment_accumulators(L, s);
    segment_rows(L, s, &entry, accumulators, lower_number(L, 0), pieces, lower_number(L, 1));
    segment_leave(L, s, &entry, totals_of(L, s, accumulators));
    return lower_kernel_end(L, &kernel, "segments", s->text, s->count);
}

KernelVariable **segment_partial(Lower *L, const Segments *s, const KernelExp *pieces)
{
    const KernelExp *count = lower_let(L, "count", lower_op(L, CORE_MUL, pieces, s->count));
    KernelVariable **partial = ARENA_ARRAY(L->c->arena, KernelVariable *, s->reduced + 1);
    for (size_t k = 0; k < s->reduced; k++) {
        partial[k] = segment_buffer(L, s, k, KERNEL_GLOBAL);
        kernel_allocate(L->b, partial[k], count);
    }
    return partial;
}

void segment_release(Lower *L, const Segments *s, KernelVariable *const *partial)
{
    for (size_t k = 0; k < s->reduced; k++) {
        kernel_release(L->b, partial[k]);
    }
}

bool segment_join_few(Lower *L, const Segments *s, KernelVariable *const *partial,
                      const KernelExp *pieces)
{
    Segments joined = *s;
    joined.pieces = partial;
    joined.width = pieces;
    return join_by_items(L, &joined, pieces);
}

bool segment_join_pieces(Lower *L, const Segments *s, KernelVariable *const *partial,
                         const KernelExp *pieces, const KernelExp *work_items)
{
    Segments joined = *s;
    joined.pieces = partial;
    joined.width = pieces;
    joined.heavy = false;
    LowerLoop version;
    lower_block_begin(L, &version);
    bool good = join_by_items(L, &joined, pieces);
    KernelBlock few = lower_block_end(L, &version);
    lower_block_begin(L, &version);
    good = good && segment_by_groups(L, &joined, work_items);
    KernelBlock many = lower_block_end(L, &version);
    kernel_if(L->b, lower_op(L, CORE_LE, pieces, lower_number(L, FEW_PIECES)), few, many);
    return good;
}

bool segment_by_columns(Lower *L, Segments *s, const KernelExp *work_items)
{
    const KernelExp *one = lower_number(L, 1);
    const KernelExp *wanted = kernel_divide(L->c, work_items, lower_op(L, CORE_MAX, s->count, one));
    wanted = kernel_divide(L->c, lower_let(L, "wanted", wanted), lower_number(L, 2));
    const KernelExp *rows = lower_number(L, s->heavy ? 1 : ROWS_OF_PIECE);
    const KernelExp *most = kernel_divide(L->c, s->width, rows);
    const KernelExp *pieces = lower_op(L, CORE_MIN, lower_let(L, "wanted", wanted), most);
    pieces = lower_let(L, "pieces", lower_op(L, CORE_MAX, lower_let(L, "pieces", pieces), one));
    const KernelExp *sum = lower_op(L, CORE_ADD, s->width, lower_op(L, CORE_SUB, pieces, one));
    const KernelExp *chunk = lower_let(L, "chunk", kernel_divide(L->c, sum, pieces));
    const KernelExp *count = lower_let(L, "count", lower_op(L, CORE_MUL, pieces, s->count));
    KernelVariable **partial = segment_partial(L, s, pieces);
    bool good = reduce_pieces(L, s, partial, chunk, count) &&
                segment_join_pieces(L, s, partial, pieces, work_items);
    segment_release(L, s, partial);
    return good;
}
