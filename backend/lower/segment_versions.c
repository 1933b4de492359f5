/* Which kernels a segmented scan may be: size tests choose between them when the program runs.

   - segments that lie across: groups that look back, where segments are long (segment_lookback.c); work-items of a group
     some neighbouring segments, where these are many (segment_scan.c); else as rows, which are turned afterwards;
   - segments whose rows lie beside each other: groups that look back, where segments are long; groups with several of them in
     local memory, where they are short (segment_short.c); else work-items of a group a segment; and, where the device does
     not look back, one segment after the other, each by all work-items, where few are very long (scan.c).

   There is a version as two nests, too, where a taker reads more than what is scanned (segment_taker.c). A work-item a
   segment stands before these (segmented.c). */
#include "backend/lower/segments.h"

/* Rows for each segment from which on a scan of one segment after the other is better: each of them
   is shared out among all work-items. */
enum { LONG_SCAN = 1 << 14 };

/* Rows from which on groups that look back are better: of segments whose rows lie beside each other, a part of a tile; of
   those that lie across, a tile or two. */
enum { LONG_TILE = 1 << 10, LONG_ACROSS = 1 << 8 };

static bool may_have(const Segments *s, int64_t rows)
{
    return s->width->kind != KERNEL_CONSTANT || s->width->as.constant.as.integer >= rows;
}

static int64_t long_rows(const Segments *s)
{
    return segment_lies_across(s) ? LONG_ACROSS : LONG_TILE;
}

/* Devices that look back need no other version of long segments. */
static bool may_look_back(const Segments *s)
{
    return may_have(s, long_rows(s)) && segment_has_tiles(s);
}

/* Where segments lie across, a work-item for each is as good if these keep the device busy. */
KernelBlock segment_looking_back(Lower *L, Segments *s, const KernelExp *work_items,
                                 KernelBlock otherwise)
{
    LowerLoop version, choice;
    bool across = segment_lies_across(s);
    if (L->without_look_back || !may_look_back(s)) {
        return otherwise;
    }
    lower_block_begin(L, &choice);
    const KernelExp *suits = lower_op(L, CORE_GE, s->width, lower_number(L, long_rows(s)));
    if (across) {
        suits = lower_op(L, CORE_AND, suits, lower_op(L, CORE_LT, s->count, work_items));
    }
    suits = lower_op(L, CORE_AND, suits, lower_device(L, "looks_back", CORE_BOOL));
    lower_block_begin(L, &version);
    bool good = segment_look_back(L, s, across);
    KernelBlock block = lower_block_end(L, &version);
    if (good) {
        kernel_if(L->b, suits, block, otherwise);
    } else {
        kernel_add_block(L->b, otherwise);
    }
    return lower_block_end(L, &choice);
}

/* What is lowered from here on is for devices that do not look back; gives what was before. */
static bool without_look_back(Lower *L, const Segments *s)
{
    bool around = L->without_look_back;
    L->without_look_back = around || may_look_back(s);
    return around;
}

static KernelBlock apart(Lower *L, const Segments *s)
{
    bool around = without_look_back(L, s);
    KernelBlock block = segment_apart(L, s);
    L->without_look_back = around;
    return block;
}

/* The nest as loops of the host around a scan that is kernels of its own. */
static KernelBlock one_by_one(Lower *L, const Segments *s, KernelBlock otherwise)
{
    LowerLoop version, choice;
    lower_block_begin(L, &choice);
    const KernelExp *share =
        kernel_divide(L->c, s->width, lower_op(L, CORE_MAX, s->count, lower_number(L, 1)));
    const KernelExp *lengthy = lower_op(L, CORE_GE, share, lower_number(L, LONG_SCAN));
    lower_block_begin(L, &version);
    bool around = without_look_back(L, s);
    lower_soac_sequential(L, s->outer, &s->outer->exp->as.soac);
    L->without_look_back = around;
    KernelBlock block = lower_block_end(L, &version);
    kernel_if(L->b, lengthy, block, otherwise);
    return lower_block_end(L, &choice);
}

/* Elements that are beside each other along the last axis are not so in memory. */
static bool is_turned(const Reader *out)
{
    int axis = out->rank - 1;
    for (; out->kind != READER_STORED && out->rank > 0; out = out->child) {
        if (out->kind == READER_RESHAPE || out->kind == READER_SLICE) {
            return false;
        }
        axis = out->kind == READER_REARRANGE ? out->permutation[axis] : axis;
    }
    return out->rank > 1 && !kernel_is_i64(out->strides[axis], 1) &&
           !kernel_is_i64(out->strides[axis], -1);
}

static void write_to(Lower *L, const Segments *s, size_t k, const Reader *place)
{
    s->nest->outs[k] = place;
    pointer_map_set(L->c->arena, &L->wanted, s->outer->pattern[k], (void *)(uintptr_t)place);
}

/* Work-items a segment from which on few of them go together in a group: all groups have something to do. */
enum { WORK_ITEMS_ACROSS = 256 };

/* Many segments the one way, few the other way. */
static KernelBlock by_number(Lower *L, const Segments *s, const KernelExp *work_items,
                             KernelBlock many, KernelBlock few)
{
    LowerLoop version;
    lower_block_begin(L, &version);
    const KernelExp *each = lower_op(L, CORE_MUL, s->count, lower_number(L, WORK_ITEMS_ACROSS));
    kernel_if(L->b, lower_op(L, CORE_GE, each, work_items), many, few);
    return lower_block_end(L, &version);
}

/* Scans of segments whose rows lie beside each other; results that are wanted turned are turned when they are done. */
static bool scan_rows(Lower *L, Segments *s, const KernelExp *work_items, KernelBlock *block)
{
    Scope scope;
    LowerLoop version, all;
    const Reader **places = ARENA_ARRAY(L->c->arena, const Reader *, s->outer->pattern_count + 1);
    lower_block_begin(L, &all);
    lower_scope_begin(L, &scope);
    for (size_t k = 0; k < s->outer->pattern_count; k++) {
        const Reader *out = places[k] = s->nest->outs[k];
        if (is_turned(out)) {
            const CoreName *name = s->outer->pattern[k];
            lower_note_memory(L, name->type);
            write_to(L, s, k, lower_allocate(L, name->text, out->prim, out->rank, out->shape));
        }
    }
    lower_block_begin(L, &version);
    bool good = segment_scan(L, s, false);
    KernelBlock shared = lower_block_end(L, &version);
    if (good && !segment_lies_across(s)) {
        shared = segment_scan_short(L, s, shared);
    }
    if (good && s->fold == NULL && may_have(s, LONG_SCAN)) {
        shared = one_by_one(L, s, shared);
    }
    if (good && !segment_lies_across(s)) {
        if (segment_takes_others(s)) {
            shared = by_number(L, s, work_items, shared, apart(L, s));
        }
        shared = segment_looking_back(L, s, work_items, shared);
    }
    kernel_add_block(L->b, shared);
    for (size_t k = 0; k < s->outer->pattern_count; k++) {
        const Reader *made = s->nest->outs[k];
        if (made != places[k]) {
            lower_assign(L, places[k], (Value){.array = made}, s->outer->pattern[k]->text);
            write_to(L, s, k, places[k]);
        }
    }
    lower_scope_end(L);
    *block = lower_block_end(L, &all);
    return good;
}

bool segment_scans(Lower *L, Segments *s, const KernelExp *work_items, KernelBlock *shared)
{
    LowerLoop version;
    bool good = scan_rows(L, s, work_items, shared);
    if (good && segment_lies_across(s)) {
        lower_block_begin(L, &version);
        good = segment_scan(L, s, true);
        KernelBlock across = lower_block_end(L, &version);
        KernelBlock few = segment_takes_others(s) ? apart(L, s) : *shared;
        *shared = by_number(L, s, work_items, across, few);
    }
    return good;
}
