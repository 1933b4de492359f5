/* ⍕ of nested items: side by side in one line, or, where an item is a table, in as many lines as
   the longest has. Numbers stand one blank apart, what is not a scalar has a blank on either side.

       ⍕'total' 5 6     ==>  ' total  5 6'
       ⍕(1 2)'ab'       ==>  ' 1 2  ab ' */
#include "apl/elaborate/internal.h"

static Value *blanks(Elaboration *e, int64_t count, Span span)
{
    return elab_reshape(e, elab_int(e, count, span), elab_fill(e, TAIL_CHAR, span), span);
}

/* An item's text: a vector, or a matrix of an array of rank 2. */
static Value *text_of_item(Elaboration *e, Value *item, Span span)
{
    if (item->rank > 2) {
        elab_nonce(e, span, "⍕ of nested items of rank %lld is", (long long)item->rank);
    }
    Call format = {.primitive = APL_FORMAT, .right = item, .span = span};
    Value *text = item->kind == VALUE_TUPLE ? elab_nested_format(e, item, span)
                                            : elab_rule_format(e, &format);
    return text->rank == 0 ? elab_ravel(e, text, span) : text;
}

/* A text as a matrix of so many rows. */
static Value *in_rows(Elaboration *e, Value *text, Value *rows, Span span)
{
    if (text->rank == 1) {
        Value *extents[] = {elab_int(e, 1, span), elab_extent(e, text, 0, span)};
        text = elab_reshape(e, elab_vector(e, 2, extents, span), text, span);
    }
    return elab_take(e, 0, rows, text, span);
}

/* Texts below one another: the most rows that one has; NULL where all are vectors. */
static Value *most_rows(Elaboration *e, Value *const *texts, size_t count, Span span)
{
    Value *most = NULL;
    for (size_t i = 0; i < count; i++) {
        if (texts[i]->rank == 2) {
            Call maximum = {.primitive = APL_CEILING,
                            .left = most == NULL ? elab_int(e, 1, span) : most,
                            .right = elab_extent(e, texts[i], 0, span),
                            .span = span};
            most = elab_scalar_function(e, &maximum);
        }
    }
    return most;
}

static int64_t blanks_between(const Value *left, const Value *right)
{
    if (left->rank > 0 || right->rank > 0 || left->kind == VALUE_TUPLE ||
        right->kind == VALUE_TUPLE) {
        return 2;
    }
    return left->base != TAIL_CHAR || right->base != TAIL_CHAR;
}

Value *elab_nested_format(Elaboration *e, const Value *value, Span span)
{
    if (value->rank > 1) {
        elab_nonce(e, span, "⍕ of nested items in %lld axes is", (long long)value->rank);
    }
    if (value->count == 0) {
        return elab_empty(e, TAIL_CHAR, span);
    }
    elab_deeper(e, span);
    elab_spend(e, span, (int64_t)value->count * 4);
    Value **pieces = ARENA_ARRAY(e->c->arena, Value *, 2 * value->count + 1);
    const Value *first = value->items[0], *last = value->items[value->count - 1];
    size_t filled = 0;
    bool wide = first->rank > 0 || first->kind == VALUE_TUPLE;
    pieces[filled++] = blanks(e, wide, span);
    for (size_t i = 0; i < value->count; i++) {
        Value *item = value->items[i];
        pieces[filled++] = text_of_item(e, item, span);
        int64_t gap = i + 1 < value->count ? blanks_between(item, value->items[i + 1])
                                           : last->rank > 0 || last->kind == VALUE_TUPLE;
        pieces[filled++] = blanks(e, gap, span);
    }
    Value *rows = most_rows(e, pieces, filled, span), *text = NULL;
    for (size_t i = 0; i < filled; i++) {
        Value *piece = rows == NULL ? pieces[i] : in_rows(e, pieces[i], rows, span);
        text = text == NULL ? piece : elab_catenate(e, rows == NULL ? 0 : 1, text, piece, span);
    }
    e->depth--;
    return text;
}
