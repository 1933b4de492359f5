/* ⍕ of nested items: side by side in one line, or, where an item is a table, in as many lines as
   the longest has. Numbers stand one blank apart, what is not a scalar has a blank on either side.
   Those of a matrix stand in columns: text at the left, numbers at the right.

       ⍕'total' 5 6              ==>  ' total  5 6'
       ⍕(1 2)'ab'                ==>  ' 1 2  ab '
       ⍕2 2⍴'one' 1 'three' 30   ==>  ' one     1'
                                      ' three  30' */
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

static bool is_wide(const Value *item)
{
    return item->rank > 0 || item->kind == VALUE_TUPLE;
}

static int64_t blanks_between(const Value *left, const Value *right)
{
    if (is_wide(left) || is_wide(right)) {
        return 2;
    }
    return left->base != TAIL_CHAR || right->base != TAIL_CHAR;
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* The greatest extent along an axis of `count` texts, the first and every `step`-th after it. */
static Value *greatest(Elaboration *e, Value *const *texts, size_t count, size_t step, int64_t axis,
                       Span span)
{
    Value *most = elab_extent(e, texts[0], axis, span);
    for (size_t i = 1; i < count; i++) {
        Call maximum = {.primitive = APL_CEILING,
                        .left = most,
                        .right = elab_extent(e, texts[i * step], axis, span),
                        .span = span};
        most = elab_scalar_function(e, &maximum);
    }
    return most;
}

/* The blanks in front of column j, or behind the last one. */
static int64_t blanks_before(const Value *value, int64_t j)
{
    int64_t rows = value->extents[0], columns = value->extents[1], most = 0;
    for (int64_t i = 0; i < rows; i++) {
        Value *const *row = value->items + i * columns;
        for (int64_t k = 0; k < rows && j > 0 && j < columns; k++) {
            int64_t between = blanks_between(row[j - 1], value->items[k * columns + j]);
            most = between > most ? between : most;
        }
        if (j == 0 || j == columns) {
            most = most || is_wide(row[j == 0 ? 0 : columns - 1]);
        }
    }
    return most;
}

/* A column of texts of one width, below one another, each in as many lines as its row has. */
static Value *text_of_column(Elaboration *e, const Value *value, Value **texts, int64_t j,
                             Value *const *heights, Span span)
{
    int64_t rows = value->extents[0], columns = value->extents[1];
    Value *width = greatest(e, texts + j, (size_t)rows, (size_t)columns, 1, span), *column = NULL;
    Call minus = {.primitive = APL_MINUS, .right = width, .span = span};
    Value *from_right = elab_scalar_function(e, &minus);
    for (int64_t i = 0; i < rows; i++) {
        const Value *item = value->items[i * columns + j];
        bool number = item->kind == VALUE_ARRAY && item->base != TAIL_CHAR;
        Value *text = elab_take(e, 0, heights[i], texts[i * columns + j], span);
        text = elab_take(e, 1, number ? from_right : width, text, span);
        column = column == NULL ? text : elab_catenate(e, 0, column, text, span);
    }
    return column;
}

static Value *format_matrix(Elaboration *e, const Value *value, Span span)
{
    int64_t rows = value->extents[0], columns = value->extents[1];
    Value **texts = ARENA_ARRAY(e->c->arena, Value *, rows * columns);
    Value **heights = ARENA_ARRAY(e->c->arena, Value *, rows);
    Value *one = elab_int(e, 1, span);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = i * columns; k < (i + 1) * columns; k++) {
            Value *text = text_of_item(e, value->items[k], span);
            texts[k] = text->rank == 1 ? in_rows(e, text, one, span) : text;
        }
        heights[i] = greatest(e, texts + i * columns, (size_t)columns, 1, 0, span);
    }
    Value *blank = elab_fill(e, TAIL_CHAR, span), *text = NULL;
    for (int64_t j = 0; j < columns; j++) {
        Value *column = text_of_column(e, value, texts, j, heights, span);
        text = text == NULL ? column : elab_catenate(e, 1, text, column, span);
        int64_t before = j == 0 ? blanks_before(value, 0) : 0;
        for (int64_t k = 0; k < before; k++) {
            text = elab_catenate(e, 1, blank, text, span);
        }
        for (int64_t k = blanks_before(value, j + 1); k > 0; k--) {
            text = elab_catenate(e, 1, text, blank, span);
        }
    }
    return text;
}

/* ---- lists ----------------------------------------------------------------------------------- */

Value *elab_nested_format(Elaboration *e, const Value *value, Span span)
{
    if (value->rank > 2) {
        elab_nonce(e, span, "⍕ of nested items in %lld axes is", (long long)value->rank);
    }
    if (value->count == 0) {
        return value->rank < 2 ? elab_empty(e, TAIL_CHAR, span)
                               : elab_reshape(e, elab_known(e, TAIL_INT, 2, value->extents, span),
                                              elab_empty(e, TAIL_CHAR, span), span);
    }
    elab_deeper(e, span);
    elab_spend(e, span, (int64_t)value->count * 4);
    if (value->rank == 2) {
        Value *matrix = format_matrix(e, value, span);
        e->depth--;
        return matrix;
    }
    Value **pieces = ARENA_ARRAY(e->c->arena, Value *, 2 * value->count + 1);
    size_t filled = 0;
    pieces[filled++] = blanks(e, is_wide(value->items[0]), span);
    for (size_t i = 0; i < value->count; i++) {
        Value *item = value->items[i];
        pieces[filled++] = text_of_item(e, item, span);
        int64_t gap =
            i + 1 < value->count ? blanks_between(item, value->items[i + 1]) : is_wide(item);
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
