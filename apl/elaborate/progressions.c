/* Vectors of positions that go up by equal steps, and parts of an array along its axes: what is assigned there is one
   block of the array, not as many places, each for itself.

       m[1+⍳n;2×⍳k]←v      ==>  put([2,2],[n,k],[1,2],v,m)    axis by axis the first position, how many, and the step
       (1 1↓¯1 ¯1↓m)←v     ==>  put([2,2],shape(v),[1,1],v,m)

   A progression is what ⍳ gives, plus or times a number; a selection begins with the positions of all items (assign.c), of
   which ↑ and ↓ leave some. The first position is computed only where it is wanted. */
#include "apl/elaborate/internal.h"

enum { MOST_STEPS = 16 }; /* numbers added and so on, one after the other */

/* The first position is base, or what comes of the one before by a function with a number; by ↓, as many steps behind it. */
typedef struct First {
    const struct First *before; /* NULL: base */
    int64_t base;
    AplPrimitive primitive;
    Value *number;
    int64_t step; /* ↓ */
    int steps;
} First;

typedef struct PartAxis {
    const First *first;
    int64_t step;
    bool to_end;     /* the last position is the array's last one */
    bool may_exceed; /* more may be taken than there is: fill, which nothing is assigned to */
} PartAxis;

struct Part {
    bool is_selection; /* of an array's items, else a progression */
    PartAxis axes[];
};

static Part *part(Elaboration *e, int64_t rank, bool is_selection)
{
    Part *made = arena_allocate(e->c->arena, sizeof *made + (size_t)rank * sizeof made->axes[0]);
    made->is_selection = is_selection;
    for (int64_t i = 0; i < rank; i++) {
        First *first = ARENA_NEW(e->c->arena, First);
        *first = (First){.base = 1};
        made->axes[i] = (PartAxis){first, 1, is_selection, false};
    }
    return made;
}

void elab_note_progression(Elaboration *e, Value *iota)
{
    iota->part = part(e, 1, false);
}

void elab_note_all(Elaboration *e, Value *positions)
{
    positions->part = part(e, positions->rank, true);
}

static const First *after(Elaboration *e, const First *before, AplPrimitive primitive,
                          Value *number)
{
    if (before->steps == MOST_STEPS) {
        return NULL;
    }
    First *first = ARENA_NEW(e->c->arena, First);
    *first = (First){
        .before = before, .primitive = primitive, .number = number, .steps = before->steps + 1};
    return first;
}

/* A copy of the value's part, to change; NULL: it has none. */
static Part *copy_of(Elaboration *e, const Value *value)
{
    Part *copy = NULL;
    if (value->part != NULL) {
        copy = part(e, value->rank, value->part->is_selection);
        for (int64_t i = 0; i < value->rank; i++) {
            copy->axes[i] = value->part->axes[i];
        }
    }
    return copy;
}

static bool is_progression(const Value *value)
{
    return value->kind == VALUE_ARRAY && value->rank == 1 && value->part != NULL &&
           !value->part->is_selection && value->base == TAIL_INT;
}

static bool is_number(const Value *value)
{
    return value->kind == VALUE_ARRAY && value->rank == 0 && value->base <= TAIL_INT;
}

void elab_pass_progression(Elaboration *e, const Call *call, Value *result)
{
    bool right = call->left != NULL && is_number(call->left) && is_progression(call->right);
    bool left = call->left != NULL && is_progression(call->left) && is_number(call->right);
    bool passes = call->primitive == APL_PLUS || call->primitive == APL_TIMES ||
                  (call->primitive == APL_MINUS && left);
    int64_t factor = 1;
    Value *number = right ? call->left : call->right;
    if ((!right && !left) || !passes || result->base != TAIL_INT ||
        (call->primitive == APL_TIMES && (!elab_constant(number, &factor) || factor < 1))) {
        return;
    }
    Part *moved = copy_of(e, right ? call->right : call->left);
    PartAxis *axis = &moved->axes[0];
    axis->first = after(e, axis->first, call->primitive, number);
    if (axis->first != NULL && !__builtin_mul_overflow(axis->step, factor, &axis->step)) {
        result->part = moved;
    }
}

/* By a number that run time knows: what is dropped at the end, where it is negative, leaves the first position. */
static const First *after_dropped(Elaboration *e, const PartAxis *cut, Value *count)
{
    const First *first = after(e, cut->first, APL_DOWN, count);
    if (first != NULL) {
        First *stepped = arena_copy(e->c->arena, first, sizeof *first);
        stepped->step = cut->step;
        first = stepped;
    }
    return first;
}

void elab_pass_drop(Elaboration *e, int64_t axis, Value *count, const Value *value, Value *result)
{
    int64_t known = 0, skipped;
    bool is_known = elab_constant(count, &known);
    if (!is_number(count) || (is_known && (known >= LENGTH_LIMIT || known <= -LENGTH_LIMIT))) {
        return;
    }
    Part *left = copy_of(e, value);
    if (left == NULL) {
        return;
    }
    PartAxis *cut = &left->axes[axis];
    cut->to_end = cut->to_end && is_known && known >= 0;
    if (!is_known) {
        cut->first = after_dropped(e, cut, count);
    } else if (known > 0) {
        cut->first = __builtin_mul_overflow(known, cut->step, &skipped)
                         ? NULL
                         : after(e, cut->first, APL_PLUS, elab_int(e, skipped, count->span));
    }
    result->part = cut->first != NULL ? left : NULL;
}

/* Where more is taken than there is, 0 fills: such positions are wrong, and so are those of a part that goes on to the
   array's end. */
void elab_pass_take(Elaboration *e, int64_t axis, Value *count, const Value *value, Value *result)
{
    int64_t known = 0, extent = value->extents[axis];
    Part *taken = elab_constant(count, &known) && known >= 0 ? copy_of(e, value) : NULL;
    if (taken != NULL && (taken->axes[axis].to_end || (extent >= 0 && known <= extent))) {
        PartAxis *cut = &taken->axes[axis];
        cut->may_exceed = cut->may_exceed || extent < 0 || known > extent;
        cut->to_end = cut->to_end && extent == known;
        result->part = taken;
    }
}

/* ---- what is assigned there ------------------------------------------------------------------ */

static Value *scalar(Elaboration *e, AplPrimitive primitive, Value *left, Value *right, Span span)
{
    Call call = {.primitive = primitive, .left = left, .right = right, .span = span};
    return elab_scalar_function(e, &call);
}

static Value *first_position(Elaboration *e, const First *first, Span span)
{
    if (first->before == NULL) {
        return elab_int(e, first->base, span);
    }
    Value *before = first_position(e, first->before, span);
    if (first->primitive == APL_DOWN) {
        Value *dropped = scalar(e, APL_CEILING, elab_int(e, 0, span), first->number, span);
        Value *step = elab_int(e, first->step, span);
        return scalar(e, APL_PLUS, before, scalar(e, APL_TIMES, step, dropped, span), span);
    }
    return scalar(e, first->primitive, before, first->number, span);
}

/* Known numbers that go up by equal steps. */
static bool steps_up(const Value *position, int64_t *step)
{
    int64_t count = position->known != NULL && position->rank == 1 ? position->extents[0] : 0;
    bool equal = count > 1 && !__builtin_sub_overflow(position->known[1], position->known[0], step);
    for (int64_t k = 1; equal && k < count; k++) {
        int64_t next;
        equal = !__builtin_sub_overflow(position->known[k], position->known[k - 1], &next) &&
                next == *step;
    }
    return equal && *step > 0;
}

static bool has_equal_steps(const Value *position)
{
    int64_t step;
    return position == NULL || position->rank == 0 || steps_up(position, &step) ||
           is_progression(position);
}

/* The axis of a block that the position, of equal steps, is, and how long. */
static void axis_of_block(Elaboration *e, const Value *array, int64_t axis, Value *position,
                          BlockAxis *block, Span span)
{
    *block = (BlockAxis){.step = 1};
    if (position == NULL) {
        block->first = elab_int(e, 1, span);
        block->count = elab_extent(e, array, axis, span);
    } else if (position->rank == 0) {
        block->first = position;
        block->count = elab_int(e, 1, span);
    } else if (steps_up(position, &block->step)) {
        block->first = elab_int(e, position->known[0], span);
        block->count = elab_int(e, position->extents[0], span);
    } else {
        block->first = first_position(e, position->part->axes[0].first, span);
        block->step = position->part->axes[0].step;
        block->count = elab_extent(e, position, 0, span);
    }
}

bool elab_is_progression(Elaboration *e, const Value *array, int64_t axis, Value *position,
                         BlockAxis *block, Span span)
{
    bool is_so = is_progression(position);
    if (is_so) {
        axis_of_block(e, array, axis, position, block, span);
    }
    return is_so;
}

bool elab_is_block(Elaboration *e, const Value *array, Value *const *positions, BlockAxis *axes,
                   Span span)
{
    bool block = array->rank > 0;
    for (int64_t i = 0; block && i < array->rank; i++) {
        block = has_equal_steps(positions[i]);
    }
    for (int64_t i = 0; block && i < array->rank; i++) {
        axis_of_block(e, array, i, positions[i], &axes[i], span);
    }
    return block;
}

/* Where an axis has no positions, none of the others counts: nothing is assigned, whatever is taken beyond the array. */
static void count_only_items(Elaboration *e, BlockAxis *axes, int64_t rank, Span span)
{
    Value *some = elab_int(e, 1, span);
    for (int64_t i = 0; i < rank; i++) {
        some = scalar(e, APL_FLOOR, some, axes[i].count, span);
    }
    for (int64_t i = 0; i < rank; i++) {
        axes[i].count = scalar(e, APL_TIMES, some, axes[i].count, span);
    }
}

bool elab_is_selected_block(Elaboration *e, const Value *array, const Value *places,
                            BlockAxis *axes, Span span)
{
    bool may_exceed = false;
    if (places->kind != VALUE_ARRAY || places->part == NULL || !places->part->is_selection ||
        places->rank != array->rank) {
        return false;
    }
    for (int64_t i = 0; i < array->rank; i++) {
        const PartAxis *axis = &places->part->axes[i];
        axes[i] = (BlockAxis){first_position(e, axis->first, span), elab_extent(e, places, i, span),
                              axis->step};
        may_exceed = may_exceed || axis->may_exceed;
    }
    if (may_exceed && array->rank > 1) {
        count_only_items(e, axes, array->rank, span);
    }
    return true;
}
