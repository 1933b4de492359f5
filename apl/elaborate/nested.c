/* Structure of nested items: which of them stand where is worked out here, nothing of it is left in
   TAIL.

       t ← 2 2⍴'ab' 'cd' 'ef' 'gh'
       ⍉t       ==>  2 2⍴'ab' 'ef' 'cd' 'gh'        t[2;]    ==>  'ef' 'gh'
       3↑'ab' 'c'  ==>  'ab' 'c' (2⍴' ')            fill is the first item's prototype

   ⌽ ⊖ ↑ ↓ / \ and indexing choose places along each axis, from 0; a place of -1 is fill. */
#include "apl/elaborate/internal.h"

typedef struct Places {
    int64_t count;
    int64_t *from;
    bool scalar; /* one place, and no axis in the result */
} Places;

static Places new_places(Elaboration *e, int64_t count, Span span)
{
    if (count > SIZE_LIMIT) {
        elab_fail(e, span, "LIMIT ERROR", "too many nested items");
    }
    elab_spend(e, span, count);
    return (Places){.count = count, .from = ARENA_ARRAY(e->c->arena, int64_t, count + 1)};
}

static Places whole_axis(Elaboration *e, int64_t extent, Span span)
{
    Places places = new_places(e, extent, span);
    for (int64_t k = 0; k < extent; k++) {
        places.from[k] = k;
    }
    return places;
}

static Value *choose(Elaboration *e, const Value *value, const Places *places, Span span)
{
    int64_t total = 1, rank = 0, *extents = elab_extents(e, value->rank);
    for (int64_t axis = 0; axis < value->rank; axis++) {
        total *= places[axis].count;
        if (total > SIZE_LIMIT) {
            elab_fail(e, span, "LIMIT ERROR", "too many nested items");
        }
        if (!places[axis].scalar) {
            extents[rank++] = places[axis].count;
        }
    }
    elab_spend(e, span, total);
    Value **items = ARENA_ARRAY(e->c->arena, Value *, total + 1), *fill = NULL;
    for (int64_t k = 0; k < total; k++) {
        int64_t rest = k, place = 0, stride = 1;
        bool inside = true;
        for (int64_t axis = value->rank; axis-- > 0;) {
            int64_t from = places[axis].from[rest % places[axis].count];
            rest /= places[axis].count;
            inside = inside && from >= 0;
            place += from * stride;
            stride *= value->extents[axis];
        }
        if (!inside && fill == NULL) {
            fill = elab_prototype(e, value->items[0], span);
        }
        items[k] = inside ? value->items[place] : fill;
    }
    if (total == 0) {
        items[0] = value->items[0];
    }
    return elab_tuple(e, rank, extents, (size_t)total, items, span);
}

static Places *all_places(Elaboration *e, const Value *value, Span span)
{
    Places *places = ARENA_ARRAY(e->c->arena, Places, value->rank + 1);
    for (int64_t axis = 0; axis < value->rank; axis++) {
        places[axis] = whole_axis(e, value->extents[axis], span);
    }
    return places;
}

/* Numbers that are known when the program is compiled, as a vector. */
static const Value *known_numbers(Elaboration *e, const Call *call, const char *what)
{
    Value *given = elab_as_int(e, call->left, call->left->span, what);
    if (given->rank > 1) {
        elab_fail(e, call->span, "RANK ERROR", "a left argument of rank %lld",
                  (long long)given->rank);
    }
    given = elab_ravel(e, given, call->span);
    if (given->known == NULL) {
        elab_nonce(e, call->span, "%s of nested items by what only run time knows is",
                   apl_primitive_glyph(call->primitive));
    }
    return given;
}

/* ---- ⌽ ⊖ ↑ ↓ / \ ---------------------------------------------------------------------- */

Value *elab_nested_reverse(Elaboration *e, const Call *call)
{
    const Value *value = call->right;
    int64_t fallback = call->primitive == APL_REVERSE && value->rank > 0 ? value->rank - 1 : 0;
    int64_t axis = elab_axis(e, call, value->rank, fallback), amount = 0;
    if (call->left != NULL) {
        const Value *amounts = known_numbers(e, call, "amounts of a rotation");
        if (amounts->extents[0] != 1) {
            elab_nonce(e, call->span, "a rotation of nested items by several amounts is");
        }
        amount = amounts->known[0];
    }
    if (value->rank == 0) {
        return call->right;
    }
    Places *places = all_places(e, value, call->span);
    int64_t length = value->extents[axis];
    for (int64_t k = 0; k < length; k++) {
        int64_t turned = (k + amount % length + length) % length;
        places[axis].from[k] = call->left == NULL ? length - 1 - k : turned;
    }
    return choose(e, value, places, call->span);
}

/* An axis of this length, from which so many items are taken or dropped. */
static Places cut(Elaboration *e, int64_t length, int64_t number, bool take, const Call *call)
{
    elab_check_length(e, number, call->left->span);
    int64_t size = number < 0 ? -number : number;
    int64_t left = size > length ? 0 : length - size;
    Places places = new_places(e, take ? size : left, call->span);
    for (int64_t k = 0; k < places.count; k++) {
        int64_t from = take ? (number < 0 ? length - size + k : k) : (number < 0 ? k : size + k);
        places.from[k] = from >= 0 && from < length ? from : -1;
    }
    return places;
}

Value *elab_nested_cut(Elaboration *e, const Call *call)
{
    Value *value = call->right;
    const Value *counts = known_numbers(e, call, "arguments of ↑ and ↓");
    int64_t count = counts->extents[0], axes[RANK_LIMIT];
    if (value->rank == 0) {
        int64_t *ones = elab_extents(e, count);
        for (int64_t i = 0; i < count; i++) {
            ones[i] = 1;
        }
        value = count == 0 ? value : elab_record(e, count, ones, 1, value->items, call->span);
    }
    if (call->axis != NULL) {
        elab_axes(e, call, count, value->rank, axes);
    } else if (count != value->rank) {
        elab_fail(e, call->span, "LENGTH ERROR",
                  "%lld number%s for %lld ax%s; write one number an axis", (long long)count,
                  count == 1 ? "" : "s", (long long)value->rank, value->rank == 1 ? "is" : "es");
    }
    Places *places = all_places(e, value, call->span);
    for (int64_t i = 0; i < count; i++) {
        int64_t axis = call->axis != NULL ? axes[i] : i;
        places[axis] =
            cut(e, value->extents[axis], counts->known[i], call->primitive == APL_UP, call);
    }
    return value->rank == 0 ? value : choose(e, value, places, call->span);
}

/* Places along an axis of this length: a count n is n times the next item, or fill. Each count of
   a replication has an item of its own, of an expansion only positive ones have. */
static Places repeat(Elaboration *e, const Value *counts, int64_t length, bool expand, Span span)
{
    int64_t given = counts->extents[0], total = 0, wanted = 0;
    int64_t steps = !expand && given == 1 ? length : given;
    for (int64_t i = 0; i < steps; i++) {
        int64_t number = counts->known[given == 1 ? 0 : i];
        elab_check_length(e, number, span);
        total += expand && number == 0 ? 1 : number < 0 ? -number : number;
        wanted += !expand || number > 0;
        if (total > SIZE_LIMIT) {
            elab_fail(e, span, "LIMIT ERROR", "too many nested items");
        }
    }
    if (wanted != length && length != 1) {
        elab_fail(e, span, "LENGTH ERROR", "%lld and %lld", (long long)wanted, (long long)length);
    }
    Places places = new_places(e, total, span);
    for (int64_t i = 0, next = 0, filled = 0; i < steps; i++) {
        int64_t number = counts->known[given == 1 ? 0 : i];
        int64_t times = expand && number == 0 ? 1 : number < 0 ? -number : number;
        for (int64_t k = 0; k < times; k++) {
            places.from[filled++] = number <= 0 ? -1 : length == 1 ? 0 : next;
        }
        next += !expand || number > 0;
    }
    return places;
}

Value *elab_nested_replicate(Elaboration *e, const Call *call)
{
    Value *value = call->right;
    bool expand = call->primitive == APL_BACKSLASH || call->primitive == APL_BACKSLASH_BAR;
    bool first = call->primitive == APL_SLASH_BAR || call->primitive == APL_BACKSLASH_BAR;
    const Value *counts = known_numbers(e, call, "counts");
    if (value->rank == 0) {
        value = elab_record(e, 1, (int64_t[]){1}, 1, value->items, call->span);
    }
    int64_t axis = elab_axis(e, call, value->rank, first ? 0 : value->rank - 1);
    Places *places = all_places(e, value, call->span);
    places[axis] = repeat(e, counts, value->extents[axis], expand, call->span);
    return choose(e, value, places, call->span);
}

/* ---- indexing, ⍉ ------------------------------------------------------------------------ */

Value *elab_nested_index(Elaboration *e, Value *value, Value *const *positions, int64_t origin,
                         Span span)
{
    Places *places = all_places(e, value, span);
    for (int64_t axis = 0; axis < value->rank; axis++) {
        const Value *given = positions[axis];
        if (given == NULL) {
            continue;
        }
        if (given->kind != VALUE_ARRAY || given->known == NULL || given->rank > 1) {
            elab_unknown_item(e, given);
        }
        int64_t count = elab_count(given);
        places[axis] = new_places(e, count, span);
        places[axis].scalar = given->rank == 0;
        for (int64_t k = 0; k < count; k++) {
            places[axis].from[k] = given->known[k] - origin;
        }
    }
    return choose(e, value, places, span);
}

Value *elab_nested_transpose(Elaboration *e, const int64_t *permutation, const Value *value,
                             Span span)
{
    int64_t rank = 0, total = 1, *extents = elab_extents(e, value->rank);
    for (int64_t i = 0; i < value->rank; i++) {
        int64_t *extent = &extents[permutation[i] - 1];
        rank = permutation[i] > rank ? permutation[i] : rank;
        *extent = *extent < 0 || value->extents[i] < *extent ? value->extents[i] : *extent;
    }
    for (int64_t i = 0; i < rank; i++) {
        total *= extents[i];
    }
    elab_spend(e, span, total);
    Value **items = ARENA_ARRAY(e->c->arena, Value *, total + 1);
    int64_t *index = elab_extents(e, rank);
    for (int64_t k = 0; k < total; k++) {
        int64_t rest = k, place = 0;
        for (int64_t i = rank; i-- > 0;) {
            index[i] = rest % extents[i];
            rest /= extents[i];
        }
        for (int64_t i = 0; i < value->rank; i++) {
            place = place * value->extents[i] + index[permutation[i] - 1];
        }
        items[k] = value->items[place];
    }
    if (total == 0) {
        items[0] = value->items[0];
    }
    return elab_tuple(e, rank, extents, (size_t)total, items, span);
}

/* ---- , and ⍪ ---------------------------------------------------------------------------- */

/* The length of one side along the axis; the other axes are those of `extents`. */
static int64_t side_length(Elaboration *e, const Value *side, int64_t rank, int64_t axis,
                           int64_t *extents, const Call *call)
{
    if (side->rank == 0) {
        return 1;
    }
    if (side->rank < rank - 1) {
        elab_fail(e, call->span, "RANK ERROR", "%lld and %lld", (long long)call->left->rank,
                  (long long)call->right->rank);
    }
    elab_known_count(e, side, call->span);
    for (int64_t i = 0, j = 0; i < rank; i++) {
        if (i == axis) {
            j += side->rank == rank;
            continue;
        }
        int64_t extent = side->extents[j++];
        if (extents[i] >= 0 && extents[i] != extent) {
            elab_fail(e, call->span, "LENGTH ERROR", "%lld and %lld", (long long)extents[i],
                      (long long)extent);
        }
        extents[i] = extent;
    }
    return side->rank == rank ? side->extents[axis] : 1;
}

Value *elab_nested_catenate(Elaboration *e, const Call *call)
{
    Value *sides[] = {call->left, call->right};
    int64_t rank = call->left->rank > call->right->rank ? call->left->rank : call->right->rank;
    rank = rank > 0 ? rank : 1;
    int64_t axis = elab_axis(e, call, rank, call->primitive == APL_COMMA ? rank - 1 : 0);
    int64_t *extents = elab_extents(e, rank), lengths[2], outer = 1, inner = 1, filled = 0;
    for (size_t s = 0; s < 2; s++) { /* nothing before or after a list of any length */
        Value *other = sides[1 - s];
        if (rank == 1 && sides[s]->kind == VALUE_TUPLE && sides[s]->count == 0 &&
            sides[s]->rank == 1 && other->kind == VALUE_ARRAY && other->extents != NULL &&
            elab_count(other) < 0) {
            return other;
        }
    }
    for (size_t s = 0; s < 2; s++) {
        lengths[s] = side_length(e, sides[s], rank, axis, extents, call);
    }
    extents[axis] = lengths[0] + lengths[1];
    for (int64_t i = 0; i < rank; i++) {
        outer *= i < axis ? extents[i] : 1;
        inner *= i > axis ? extents[i] : 1;
    }
    elab_spend(e, call->span, outer * inner * extents[axis]);
    Value **items = ARENA_ARRAY(e->c->arena, Value *, outer * inner * extents[axis] + 1);
    for (int64_t o = 0; o < outer; o++) {
        for (size_t s = 0; s < 2; s++) {
            for (int64_t k = 0; k < lengths[s] * inner; k++) {
                int64_t place = sides[s]->rank == 0 ? 0 : o * lengths[s] * inner + k;
                items[filled++] = elab_item(e, sides[s], place, call->span);
            }
        }
    }
    if (filled == 0) {
        items[0] = elab_item_or_prototype(e, sides[sides[0]->rank == 0], call->span);
    }
    return elab_tuple(e, rank, extents, (size_t)filled, items, call->span);
}

Value *elab_nested_table(Elaboration *e, const Value *value, Span span)
{
    int64_t extents[] = {value->rank == 0 ? 1 : value->extents[0], 1};
    for (int64_t i = 1; i < value->rank; i++) {
        extents[1] *= value->extents[i];
    }
    return elab_tuple(e, 2, extents, value->count, value->items, span);
}

/* ---- ↑ of nested items -------------------------------------------------------------------- */

/* An item as nested items in so many axes: those that it lacks come first. */
static Value *raised(Elaboration *e, Value *item, int64_t rank, Span span)
{
    int64_t *extents = elab_extents(e, rank), count = elab_known_count(e, item, span);
    Value **items = ARENA_ARRAY(e->c->arena, Value *, count + 1);
    for (int64_t i = 0; i < rank; i++) {
        extents[i] = i < rank - item->rank ? 1 : item->extents[i - (rank - item->rank)];
    }
    elab_spend(e, span, count);
    for (int64_t k = 0; k < count; k++) {
        items[k] = elab_item(e, item, k, span);
    }
    if (count == 0) {
        items[0] = elab_item_or_prototype(e, item, span);
    }
    return elab_record(e, rank, extents, (size_t)count, items, span);
}

Value *elab_nested_mix(Elaboration *e, const Value *value, Span span)
{
    int64_t rank = 0, total = (int64_t)value->count, filled = 0;
    for (size_t i = 0; i < value->count; i++) {
        rank = value->items[i]->rank > rank ? value->items[i]->rank : rank;
    }
    if (value->rank + rank > RANK_LIMIT) {
        elab_fail(e, span, "LIMIT ERROR", "↑ (mix) of items of rank %lld", (long long)rank);
    }
    int64_t *extents = elab_extents(e, value->rank + rank), *most = extents + value->rank;
    memcpy(extents, value->extents, sizeof(int64_t) * (size_t)value->rank);
    Value **sides = ARENA_ARRAY(e->c->arena, Value *, value->count);
    for (size_t i = 0; i < value->count; i++) {
        sides[i] = raised(e, value->items[i], rank, span);
        for (int64_t axis = 0; axis < rank; axis++) {
            most[axis] =
                sides[i]->extents[axis] > most[axis] ? sides[i]->extents[axis] : most[axis];
        }
    }
    for (int64_t axis = 0; axis < rank; axis++) {
        total *= most[axis];
        if (total > SIZE_LIMIT) {
            elab_fail(e, span, "LIMIT ERROR", "too many nested items");
        }
    }
    elab_spend(e, span, total);
    Value **items = ARENA_ARRAY(e->c->arena, Value *, total + 1);
    for (size_t i = 0; i < value->count; i++) {
        Value *fill = NULL;
        for (int64_t k = 0; k < total / (int64_t)value->count; k++) {
            int64_t rest = k, place = 0, stride = 1;
            bool inside = true;
            for (int64_t axis = rank; axis-- > 0;) {
                int64_t at = rest % most[axis];
                rest /= most[axis];
                inside = inside && at < sides[i]->extents[axis];
                place += at * stride;
                stride *= sides[i]->extents[axis];
            }
            if (!inside && fill == NULL) {
                fill = elab_prototype(e, sides[i]->items[0], span);
            }
            items[filled++] = inside ? sides[i]->items[place] : fill;
        }
    }
    if (filled == 0) {
        items[0] = sides[0]->items[0];
    }
    return elab_tuple(e, value->rank + rank, extents, (size_t)filled, items, span);
}
