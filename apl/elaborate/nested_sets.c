/* ∪ ∩ ~ ⌸ and ⍋ ⍒ of nested items. How many items a set has must be known here, so which of them
   agree must be, too: that is known of text and numbers as they are written, of different shapes,
   and of one and the same array.

       ∪'ab' 'cd' 'ab'     ==>  'ab' 'cd'
       ⍋'pear' 'apple'     ==>  2 1                  written in the program: the order is known
       ⍋v w                ==>  ⍋↑ of both           else rows are graded, with marks so that
                                                     what is shorter comes first
       ⍋(m 'b')(n 'a')     ==>  ⍋↑(m 98)(n 97)       items of one structure, by all their scalars */
#include "apl/elaborate/internal.h"

/* ---- what is known of items ------------------------------------------------------------------ */

typedef struct Datum {
    TailBaseKind base; /* INT for bools, too */
    int64_t whole;
    double real, imaginary;
    uint32_t character;
} Datum;

static bool datum_of_exp(const TailExp *exp, Datum *datum)
{
    *datum = (Datum){.base = TAIL_INT};
    switch ((int)exp->kind) {
    case TAIL_EXP_BOOL: datum->whole = exp->as.boolean; return true;
    case TAIL_EXP_INT: datum->whole = exp->as.integer; return true;
    case TAIL_EXP_DOUBLE: *datum = (Datum){.base = TAIL_DOUBLE, .real = exp->as.real}; return true;
    case TAIL_EXP_COMPLEX:
        *datum = (Datum){.base = TAIL_COMPLEX,
                         .real = exp->as.complex.real,
                         .imaginary = exp->as.complex.imaginary};
        return true;
    case TAIL_EXP_CHAR:
        *datum = (Datum){.base = TAIL_CHAR, .character = exp->as.character};
        return true;
    default: return false;
    }
}

/* The k-th item of an array, where it is known. */
static bool datum_of(const Value *value, int64_t k, Datum *datum)
{
    const int64_t *numbers = value->known != NULL ? value->known : value->contents;
    const TailExp *exp = value->literal != NULL ? value->literal : value->exp;
    if (numbers != NULL || value->uniform) {
        *datum =
            (Datum){.base = TAIL_INT, .whole = numbers != NULL ? numbers[k] : value->uniform_value};
        return true;
    }
    if (value->rank == 1 && exp->kind == TAIL_EXP_VECTOR) {
        return datum_of_exp(exp->as.items.items[k], datum);
    }
    return value->rank == 0 && datum_of_exp(exp, datum);
}

static double real_of(const Datum *datum)
{
    return datum->base == TAIL_INT ? (double)datum->whole : datum->real;
}

/* Negative, 0 or positive; of different complex numbers positive. */
static int compare_data(const Datum *a, const Datum *b)
{
    if (a->base == TAIL_CHAR) {
        return (a->character > b->character) - (a->character < b->character);
    }
    if (a->base == TAIL_INT && b->base == TAIL_INT) {
        return (a->whole > b->whole) - (a->whole < b->whole);
    }
    double x = real_of(a), y = real_of(b);
    return x < y ? -1 : x == y && a->imaginary == b->imaginary ? 0 : 1;
}

static Agreement agreement_of_arrays(const Value *a, const Value *b)
{
    if (elab_numeric(a->base) != elab_numeric(b->base)) {
        return DIFFERENT;
    }
    int64_t count = elab_count(a);
    Agreement agreement = count < 0 || elab_count(b) < 0 ? UNKNOWN : EQUAL;
    for (int64_t k = 0; agreement == EQUAL && k < count; k++) {
        Datum x, y;
        if (!datum_of(a, k, &x) || !datum_of(b, k, &y)) {
            agreement = UNKNOWN;
        } else if (compare_data(&x, &y) != 0) {
            return DIFFERENT;
        }
    }
    return agreement;
}

Agreement elab_agreement(Elaboration *e, Value *a, Value *b, Span span)
{
    if (a->rank != b->rank) {
        return DIFFERENT;
    }
    for (int64_t i = 0; i < a->rank; i++) {
        if (a->extents[i] >= 0 && b->extents[i] >= 0 && a->extents[i] != b->extents[i]) {
            return DIFFERENT;
        }
    }
    if (a->kind == VALUE_ARRAY && b->kind == VALUE_ARRAY) {
        return agreement_of_arrays(a, b);
    }
    Agreement agreement = EQUAL;
    int64_t count = (int64_t)(a->kind == VALUE_TUPLE ? a->count : b->count);
    if (count == 0 && elab_count(a) == 0 && elab_count(b) == 0) {
        Value *item = elab_item_or_prototype(e, a, span);
        return elab_agreement(e, item, elab_item_or_prototype(e, b, span), span);
    }
    agreement = count == 0 ? UNKNOWN : EQUAL;
    elab_deeper(e, span);
    elab_spend(e, span, count);
    for (int64_t k = 0; k < count && agreement != DIFFERENT; k++) {
        Value *item = elab_item(e, a, k, span);
        Agreement items = elab_agreement(e, item, elab_item(e, b, k, span), span);
        agreement = items == EQUAL ? agreement : items;
    }
    e->depth--;
    return agreement;
}

/* ---- ∪ ∩ ~ ------------------------------------------------------------------------------- */

typedef struct Items {
    size_t count;
    Value **items;
} Items;

/* Item k of a list; of a text that is written in the program, the character itself. */
static Value *item_of(Elaboration *e, Value *value, int64_t k, Span span)
{
    Datum datum;
    if (value->kind == VALUE_ARRAY && value->rank == 1 && value->base == TAIL_CHAR &&
        datum_of(value, k, &datum)) {
        return elab_value(e, tail_char(e->c, datum.character, elab_place(e, span)), span);
    }
    if (value->kind == VALUE_ARRAY && value->uniform && k < elab_count(value)) {
        return value->base == TAIL_BOOL ? elab_bool(e, value->uniform_value != 0, span)
                                        : elab_int(e, value->uniform_value, span);
    }
    return elab_item(e, value, k, span);
}

static Items items_of(Elaboration *e, Value *value, const Call *call)
{
    if (value->rank > 1) {
        elab_fail(e, call->span, "RANK ERROR", "an argument of rank %lld; %s (%s) takes vectors",
                  (long long)value->rank, apl_primitive_glyph(call->primitive),
                  apl_primitive_name(call->primitive));
    }
    int64_t count = elab_known_count(e, value, call->span);
    Items items = {(size_t)count, ARENA_ARRAY(e->c->arena, Value *, count + 1)};
    elab_spend(e, call->span, count);
    for (int64_t k = 0; k < count; k++) {
        items.items[k] = item_of(e, value, k, call->span);
    }
    if (count == 0) {
        items.items[0] = elab_item_or_prototype(e, value, call->span);
    }
    return items;
}

static bool is_among(Elaboration *e, const Items *items, Value *item, const Call *call)
{
    bool unknown = false;
    elab_spend(e, call->span, (int64_t)items->count);
    for (size_t k = 0; k < items->count; k++) {
        Agreement agreement = elab_agreement(e, items->items[k], item, call->span);
        if (agreement == EQUAL) {
            return true;
        }
        unknown = unknown || agreement == UNKNOWN;
    }
    if (unknown) {
        elab_fail(e, call->span, "NONCE ERROR",
                  "%s of nested items of which only run time knows whether they agree is not"
                  " supported; ⍳ and ∊ compare such items",
                  apl_primitive_glyph(call->primitive));
    }
    return false;
}

Value *elab_nested_set(Elaboration *e, const Call *call)
{
    Items right = items_of(e, call->right, call), kept = {0}, left = {0};
    kept.items = ARENA_ARRAY(e->c->arena, Value *, right.count + 1);
    if (call->left != NULL) {
        left = items_of(e, call->left, call);
        kept.items = ARENA_ARRAY(e->c->arena, Value *, left.count + right.count + 1);
    }
    bool unite = call->primitive == APL_UNION && call->left != NULL;
    const Items *from = call->left != NULL && !unite ? &left : &right;
    for (size_t k = 0; unite && k < left.count; k++) {
        kept.items[kept.count++] = left.items[k];
    }
    for (size_t k = 0; k < from->count; k++) {
        const Items *others = call->left == NULL ? &kept : unite ? &left : &right;
        bool there = is_among(e, others, from->items[k], call);
        if (there == (call->primitive == APL_INTERSECTION)) {
            kept.items[kept.count++] = from->items[k];
        }
    }
    int64_t count = (int64_t)kept.count;
    if (count == 0) {
        kept.items[0] = (call->left != NULL ? left : right).items[0];
    }
    return elab_tuple(e, 1, &count, kept.count, kept.items, call->span);
}

/* ---- ⌸ --------------------------------------------------------------------------------- */

/* The positions of the items that agree with the k-th, where that is the first of them, from 0. */
static int64_t places_of(Elaboration *e, const Items *keys, size_t k, int64_t *places,
                         const Call *call)
{
    Items before = {k, keys->items};
    int64_t count = 0;
    if (is_among(e, &before, keys->items[k], call)) {
        return 0;
    }
    for (size_t i = k; i < keys->count; i++) {
        Items one = {1, &keys->items[i]};
        if (is_among(e, &one, keys->items[k], call)) {
            places[count++] = (int64_t)i;
        }
    }
    return count;
}

/* f's right argument for the k-th key: positions, or the values there; NULL where the key stands
   further in front, too. */
static Value *part_of(Elaboration *e, const Items *keys, size_t k, Value *values, int64_t origin,
                      const Call *call)
{
    int64_t *places = elab_extents(e, (int64_t)keys->count);
    int64_t count = places_of(e, keys, k, places, call);
    for (int64_t i = 0; i < count; i++) {
        places[i] += origin;
    }
    Value *positions = count == 0 ? NULL : elab_known(e, TAIL_INT, count, places, call->span);
    if (count == 0 || values == NULL) {
        return positions;
    }
    Value **axes = ARENA_ARRAY(e->c->arena, Value *, values->rank);
    axes[0] = positions;
    return elab_index(e, values, (size_t)values->rank, axes, origin, call->span);
}

/* Keys written in the program, whose number is known and which of them agree. */
static bool are_known(const Value *keys)
{
    enum { MOST = 100 };
    int64_t count = keys->kind == VALUE_ARRAY && keys->rank == 1 ? keys->extents[0] : -1;
    bool known = count > 0 && count <= MOST;
    for (int64_t k = 0; known && k < count; k++) {
        Datum ignored;
        known = datum_of(keys, k, &ignored);
    }
    return known;
}

/* Whether two results are known to be arrays of different shapes. */
static bool shapes_differ(const Value *a, const Value *b)
{
    bool differ = a->rank != b->rank;
    for (int64_t i = 0; !differ && i < a->rank; i++) {
        differ = a->extents[i] >= 0 && b->extents[i] >= 0 && a->extents[i] != b->extents[i];
    }
    return differ;
}

bool elab_keys_apart(Elaboration *e, Function *function, Value *keys, Value *values, int64_t origin,
                     Span span)
{
    enum { FEW = 16 };
    if (!are_known(keys)) {
        return false;
    }
    bool arrays = values == NULL || values->kind == VALUE_ARRAY || values->kind == VALUE_TUPLE;
    bool list = arrays && (values == NULL || values->rank > 0);
    if (!list || (values != NULL && values->extents[0] != keys->extents[0])) {
        return false;
    }
    Call call = {.primitive = APL_KEY, .right = keys, .span = span};
    bool begun = elab_begin_trial(e), apart = false, same = true;
    Items items = items_of(e, keys, &call);
    const Value *first = NULL;
    size_t groups = 0;
    for (size_t k = 0; k < items.count && same && !apart; k++) {
        Value *part = part_of(e, &items, k, values, origin, &call);
        groups += part != NULL;
        const Value *result =
            part == NULL ? first : elab_apply(e, function, items.items[k], part, span);
        first = first == NULL ? result : first;
        apart = result->kind == VALUE_TUPLE ||
                (result->kind == VALUE_ARRAY && shapes_differ(first, result));
        same = result->kind == VALUE_ARRAY && result->rank > 0; /* scalars have one shape */
    }
    apart = apart || (same && groups <= FEW); /* shapes that only agree here are not refused */
    if (begun) {
        elab_end_trial(e);
    }
    return apart;
}

Value *elab_nested_key(Elaboration *e, Function *function, Value *keys, Value *values,
                       int64_t origin, Span span)
{
    Call call = {.primitive = APL_KEY, .right = keys, .span = span};
    Items items = items_of(e, keys, &call);
    if (values != NULL && values->rank == 0) {
        elab_fail(e, span, "RANK ERROR", "⌸ takes a list of keys, and a value for each");
    }
    if (values != NULL) {
        Value *count = elab_int(e, (int64_t)items.count, span);
        Value *there = values->kind == VALUE_TUPLE ? elab_int(e, values->extents[0], span)
                                                   : elab_extent(e, values, 0, span);
        values = values->kind == VALUE_TUPLE && elab_same(e, count, there, count, span) != NULL
                     ? values
                     : elab_same(e, count, there, values, span);
    }
    Value **results = ARENA_ARRAY(e->c->arena, Value *, items.count + 1);
    int64_t filled = 0;
    if (items.count == 0) {
        results[0] =
            elab_result_of_none(e, elab_apply_item, function, items.items[0],
                                values == NULL ? elab_empty(e, TAIL_INT, span) : values, span);
    }
    for (size_t k = 0; k < items.count; k++) {
        Value *part = part_of(e, &items, k, values, origin, &call);
        if (part == NULL) {
            continue;
        }
        Value *key = items.items[k];
        results[filled++] = elab_apply(e, function, key, part, span);
    }
    return elab_mix(e, elab_tuple(e, 1, &filled, (size_t)filled, results, span), span);
}

/* ---- ⍋ ⍒ ----------------------------------------------------------------------------------- */

/* Numbers come before characters. False where one is not known, or complex. */
static bool compare_scalars(const Value *a, int64_t i, const Value *b, int64_t j, int *order)
{
    Datum x, y;
    if (!datum_of(a, i, &x) || !datum_of(b, j, &y) || x.base == TAIL_COMPLEX ||
        y.base == TAIL_COMPLEX) {
        return false;
    }
    bool same = (x.base == TAIL_CHAR) == (y.base == TAIL_CHAR);
    *order = same ? compare_data(&x, &y) : x.base == TAIL_CHAR ? 1 : -1;
    return true;
}

/* Lexicographic, item by item; what is shorter comes before what it begins. False where it is not
   known, and of arrays with several axes. */
static bool compare_items(Elaboration *e, Value *a, Value *b, Span span, int *order)
{
    int64_t count = elab_count(a), others = elab_count(b);
    *order = 0;
    if (count < 0 || others < 0 || a->rank > 1 || b->rank > 1) {
        return false;
    }
    bool simple = a->kind == VALUE_ARRAY && b->kind == VALUE_ARRAY, known = true;
    elab_deeper(e, span);
    for (int64_t k = 0; known && k < count && k < others && *order == 0; k++) {
        if (simple) {
            known = compare_scalars(a, k, b, k, order);
        } else {
            Value *item = elab_item(e, a, k, span);
            known = compare_items(e, item, elab_item(e, b, k, span), span, order);
        }
    }
    e->depth--;
    *order = *order != 0 ? *order : (count > others) - (count < others);
    return known;
}

/* Stable, by insertion; NULL where the order of some items is not known. */
static Value *known_order(Elaboration *e, const Items *items, const Call *call)
{
    int64_t *places = elab_extents(e, (int64_t)items->count);
    for (size_t i = 0; i < items->count; i++) {
        size_t hole = i;
        for (; hole > 0; hole--) {
            int order;
            elab_spend(e, call->span, 1);
            if (!compare_items(e, items->items[places[hole - 1]], items->items[i], call->span,
                               &order)) {
                return NULL;
            }
            if (call->primitive == APL_GRADE_UP ? order <= 0 : order >= 0) {
                break;
            }
            places[hole] = places[hole - 1];
        }
        places[hole] = (int64_t)i;
    }
    for (size_t i = 0; i < items->count; i++) {
        places[i] += call->origin;
    }
    return elab_known(e, TAIL_INT, (int64_t)items->count, places, call->span);
}

/* Lists of real numbers, or of characters. */
static bool are_lists(const Items *items)
{
    bool lists = true;
    for (size_t k = 0; lists && k < items->count; k++) {
        const Value *item = items->items[k];
        lists = item->kind == VALUE_ARRAY && item->rank <= 1 && item->base != TAIL_COMPLEX &&
                (item->base == TAIL_CHAR) == (items->items[0]->base == TAIL_CHAR);
    }
    return lists;
}

/* Whether scalars stand at the same places of both, and can be compared there. */
static bool same_structure(Elaboration *e, const Value *a, const Value *b, Span span)
{
    bool same = a->kind == b->kind && a->rank == b->rank &&
                (a->kind == VALUE_TUPLE || ((a->base == TAIL_CHAR) == (b->base == TAIL_CHAR) &&
                                            a->base != TAIL_COMPLEX && b->base != TAIL_COMPLEX));
    for (int64_t i = 0; same && i < a->rank; i++) {
        same = a->extents[i] >= 0 && a->extents[i] == b->extents[i];
    }
    elab_deeper(e, span);
    for (size_t k = 0; same && a->kind == VALUE_TUPLE && k < a->count; k++) {
        same = same_structure(e, a->items[k], b->items[k], span);
    }
    e->depth--;
    return same;
}

/* All scalars as numbers in one list. */
static Value *numbers_of(Elaboration *e, Value *item, Span span)
{
    if (item->kind == VALUE_ARRAY) {
        item = elab_ravel(e, item, span);
        return item->base == TAIL_CHAR ? elab_codes(e, item, span) : item;
    }
    Value *all = elab_empty(e, TAIL_INT, span);
    elab_deeper(e, span);
    for (size_t k = 0; k < item->count; k++) {
        all = elab_catenate(e, 0, all, numbers_of(e, item->items[k], span), span);
    }
    e->depth--;
    return all;
}

Value *elab_nested_grade(Elaboration *e, const Call *call)
{
    const char *glyph = apl_primitive_glyph(call->primitive);
    if (call->left != NULL) {
        elab_nonce(e, call->span, "%s of nested items with a collating sequence is", glyph);
    }
    Items items = items_of(e, call->right, call);
    Value *known = known_order(e, &items, call);
    if (known != NULL) {
        return known;
    }
    bool lists = are_lists(&items);
    for (size_t k = 0; k < items.count; k++) {
        if (!lists && !same_structure(e, items.items[0], items.items[k], call->span)) {
            elab_nonce(e, call->span,
                       "%s of nested items other than lists of real numbers, or of characters, or"
                       " items of one structure is",
                       glyph);
        }
    }
    for (size_t k = 0; k < items.count; k++) {
        Value *numbers = numbers_of(e, items.items[k], call->span);
        items.items[k] =
            lists ? elab_apply_prelude(e, "∆marked", NULL, numbers, call->span) : numbers;
    }
    int64_t count = (int64_t)items.count;
    Call grade = *call;
    grade.right =
        elab_mix(e, elab_record(e, 1, &count, items.count, items.items, call->span), call->span);
    Value *order = elab_rule_grade(e, &grade);
    elab_set_extents(order, &count);
    return order;
}
