/* Functions that make nested items of simple arrays, as far as their number is known: ⊂ with a left
   argument, ⍳ of several numbers, ⍸ of tables; and indexing by nested positions.

       1 0 1 0⊂'abcd'         ==>  'ab' 'cd'          a part begins where there is a 1
       ⍳2 2                   ==>  2 2⍴(1 1)(1 2)(2 1)(2 2)
       ⍸2 2⍴0 1 1 0           ==>  (1 2)(2 1)
       m[(1 2)(2 1)]          ==>  m[1;2],m[2;1] */
#include "apl/elaborate/internal.h"

/* The most items made of a simple array. */
enum { MOST = 1000 };

/* The position k of an array in row-major order, as a vector that counts from ⎕IO. */
static Value *position_of(Elaboration *e, int64_t k, int64_t rank, const int64_t *extents,
                          const Call *call)
{
    int64_t *index = elab_extents(e, rank);
    for (int64_t i = rank; i-- > 0;) {
        index[i] = k % extents[i] + call->origin;
        k /= extents[i];
    }
    return elab_known(e, TAIL_INT, rank, index, call->span);
}

Value *elab_iota_positions(Elaboration *e, const Call *call)
{
    Value *lengths = elab_as_int(e, call->right, call->right->span, "arguments of ⍳");
    int64_t rank = lengths->extents[0], total = 1;
    if (rank == 0) { /* the one position in a scalar */
        return elab_enclose(e, elab_empty(e, TAIL_INT, call->span), call->span);
    }
    const int64_t *numbers = elab_whole_numbers(e, call->right);
    numbers = numbers != NULL ? numbers : lengths->known;
    if (numbers == NULL) {
        elab_nonce(
            e, call->span,
            "⍳ of several numbers that only run time knows (an array of index vectors; (⍳m)∘.f⍳n"
            " goes through all pairs) is");
    }
    for (int64_t i = 0; i < rank; i++) {
        int64_t length = numbers[i];
        if (length < 0) {
            elab_fail(e, call->right->span, "DOMAIN ERROR", "⍳%s", elab_digits(e, length));
        }
        total = length > MOST ? MOST + 1 : total * length;
        if (total > MOST) {
            elab_nonce(e, call->span, "⍳ that gives more than %d index vectors is", MOST);
        }
    }
    Value **items = ARENA_ARRAY(e->c->arena, Value *, total + 1);
    for (int64_t k = 0; k < total; k++) {
        items[k] = position_of(e, k, rank, numbers, call);
    }
    if (total == 0) {
        items[0] =
            elab_known(e, TAIL_INT, rank, ARENA_ARRAY(e->c->arena, int64_t, rank), call->span);
    }
    return elab_tuple(e, rank, numbers, (size_t)total, items, call->span);
}

Value *elab_where_positions(Elaboration *e, const Call *call)
{
    const Value *counts = call->right;
    const int64_t *numbers = counts->contents;
    int64_t count = elab_count(counts), total = 0, filled = 0;
    Value *like = elab_known(e, TAIL_INT, counts->rank,
                             ARENA_ARRAY(e->c->arena, int64_t, counts->rank + 1), call->span);
    if (count == 0) {
        return elab_tuple(e, 1, &total, 0, &like, call->span);
    }
    if (numbers == NULL || counts->base > TAIL_INT) {
        const char *text = elab_text(e, elab_place(e, counts->span));
        elab_fail(e, call->span, counts->base == TAIL_CHAR ? "DOMAIN ERROR" : "RANK ERROR",
                  "⍸ of rank %lld would give a vector of index vectors, whose number only run time"
                  " knows; ⍸,%s gives the positions in the ravel, and %s(⍴%s)⊤%s⍸,%s those along"
                  " each axis",
                  (long long)counts->rank, text, call->origin == 1 ? "1+" : "", text,
                  call->origin == 1 ? "¯1+" : "", text);
    }
    for (int64_t k = 0; k < count; k++) {
        if (numbers[k] < 0) {
            elab_fail(e, call->span, "DOMAIN ERROR", "⍸ of a negative number");
        }
        total += numbers[k] > MOST ? MOST + 1 : numbers[k];
    }
    if (total > MOST) {
        elab_nonce(e, call->span, "⍸ that gives more than %d index vectors is", MOST);
    }
    Value **items = ARENA_ARRAY(e->c->arena, Value *, total + 1);
    for (int64_t k = 0; k < count; k++) {
        for (int64_t n = 0; n < numbers[k]; n++) {
            items[filled++] = position_of(e, k, counts->rank, counts->extents, call);
        }
    }
    items[0] = total == 0 ? like : items[0];
    return elab_tuple(e, 1, &total, (size_t)total, items, call->span);
}

/* ---- m[(1 2)(3 4)] ------------------------------------------------------------------------ */

Value **elab_position_parts(Elaboration *e, const Value *array, Value *position, Span span)
{
    int64_t count = position->kind == VALUE_ARRAY && position->rank == 0 ? 1
                    : position->rank == 1                                ? position->extents[0]
                                                                         : -1;
    if (count != array->rank) {
        elab_fail(e, position->span, "RANK ERROR",
                  "a nested position in an array of rank %lld is a list of %lld numbers",
                  (long long)array->rank, (long long)array->rank);
    }
    Value **parts = ARENA_ARRAY(e->c->arena, Value *, count + 1);
    for (int64_t i = 0; i < count; i++) {
        parts[i] = elab_array_only(e, elab_item(e, position, i, span), span, "an index");
        if (parts[i]->rank > 0) {
            elab_fail(e, position->span, "RANK ERROR", "a nested position holds numbers");
        }
    }
    return parts;
}

Value *elab_index_positions(Elaboration *e, Value *array, const Value *positions, int64_t origin,
                            Span span)
{
    Value **items = ARENA_ARRAY(e->c->arena, Value *, positions->count + 1);
    elab_spend(e, span, (int64_t)positions->count);
    for (size_t k = 0; k < positions->count; k++) {
        Value **parts = elab_position_parts(e, array, positions->items[k], span);
        items[k] = elab_index(e, array, (size_t)array->rank, parts, origin, span);
    }
    if (positions->rank == 0) {
        return items[0];
    }
    if (positions->count == 0) {
        items[0] = elab_item_or_prototype(e, array, span);
    }
    return elab_tuple(e, positions->rank, positions->extents, positions->count, items, span);
}

/* ---- ⊂ with a left argument ------------------------------------------------------------------ */

/* How many parts begin at each item along the axis. */
static const int64_t *dividers(Elaboration *e, const Call *call, int64_t length)
{
    Value *given = elab_array_only(e, call->left, call->left->span, "the left argument of ⊂");
    if (given->rank > 1) {
        elab_fail(e, given->span, "RANK ERROR", "the left argument of ⊂ is a list of numbers");
    }
    if (given->base > TAIL_INT && elab_count(given) != 0) {
        elab_fail(e, given->span, "DOMAIN ERROR", "the left argument of ⊂ must be whole numbers");
    }
    const int64_t *numbers = elab_whole_numbers(e, given);
    if (numbers == NULL || (given->rank == 0 && length < 0)) {
        elab_nonce(
            e, call->span,
            "⊂ with a number of parts that only run time knows ((+\\b){f ⍵}⌸v gives f of each"
            " part that begins where b is 1) is");
    }
    if (given->rank == 1) {
        return numbers;
    }
    int64_t *all = elab_extents(e, length);
    for (int64_t k = 0; k < length; k++) {
        all[k] = numbers[0];
    }
    return all;
}

/* Items `from` to `to`, without the latter, along an axis. */
static Value *slice(Elaboration *e, Value *value, int64_t axis, int64_t from, int64_t to, Span span)
{
    Value *rest = elab_drop(e, axis, elab_int(e, from, span), value, span);
    return elab_take(e, axis, elab_int(e, to - from, span), rest, span);
}

static Value *slice_items(Elaboration *e, const Value *value, int64_t from, int64_t to, Span span)
{
    int64_t count = to - from;
    return elab_tuple(e, 1, &count, (size_t)count, value->items + (count > 0 ? from : 0), span);
}

Value *elab_partition(Elaboration *e, const Call *call)
{
    Value *value = call->right;
    bool nested = value->kind == VALUE_TUPLE;
    if (value->rank == 0 || (nested && value->rank > 1)) {
        elab_fail(e, call->span, "RANK ERROR", "⊂ with two arguments takes a list%s",
                  nested ? " of nested items" : " or a table");
    }
    int64_t axis = elab_axis(e, call, value->rank, value->rank - 1), length = value->extents[axis];
    const int64_t *starts = dividers(e, call, length);
    if (call->left->rank == 1) {
        int64_t given = call->left->extents[0];
        value = nested ? value
                       : elab_same(e, elab_int(e, given, call->span),
                                   elab_extent(e, value, axis, call->span), value, call->span);
        if (nested && given != length) {
            elab_fail(e, call->span, "LENGTH ERROR", "%lld and %lld", (long long)given,
                      (long long)length);
        }
        length = given;
    }
    int64_t total = 0, filled = 0;
    for (int64_t k = 0; k < length; k++) {
        if (starts[k] < 0) {
            elab_fail(e, call->left->span, "DOMAIN ERROR", "%s parts begin at an item",
                      elab_digits(e, starts[k]));
        }
        total += starts[k] > MOST ? MOST + 1 : starts[k];
        if (total > MOST) {
            elab_nonce(e, call->span, "⊂ that makes more than %d parts is", MOST);
        }
    }
    Value **items = ARENA_ARRAY(e->c->arena, Value *, total + 1);
    for (int64_t k = 0; k < length; k++) {
        int64_t end = k + 1;
        while (end < length && starts[end] == 0) {
            end++;
        }
        for (int64_t n = starts[k]; n > 0; n--) { /* all but the last are empty */
            int64_t to = n == 1 ? end : k;
            items[filled++] = nested ? slice_items(e, value, k, to, call->span)
                                     : slice(e, value, axis, k, to, call->span);
        }
    }
    if (total == 0) {
        items[0] = nested ? slice_items(e, value, 0, 0, call->span)
                          : slice(e, value, axis, 0, 0, call->span);
    }
    return elab_tuple(e, 1, &total, (size_t)total, items, call->span);
}
