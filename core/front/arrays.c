/* Array literals, indexing, slices, updates and concatenation in the front form. Every index and
   every end of a slice is asserted to lie inside ([L0] 4.2), and the statement that relies on it
   carries the certificate:

       xs[i]           c = assert (0 <= i & i < n) "INDEX ERROR" "{} of {}" (i, n);   <c> xs[i]
       xs[i:j]         0 <= i <= j <= n;    <c> xs[i :+ (j - i) * 1]
       xs[i:j:s]       from i towards j in steps of s, which may be negative */
#include "core/front/elaborate.h"

bool front_need_array(Elaborator *e, const Value *value, const char *what, Span span)
{
    if (value->kind != VALUE_DATA) {
        return false;
    }
    if (value->type->kind != TYPE_ARRAY) {
        front_mismatch(e, span, what, "an array", front_type_text(e, value->type));
        return false;
    }
    return true;
}

/* ---- literals -------------------------------------------------------------------------------- */

/* [] of a known type: row sizes that nobody knows are 0. */
static Value empty_array(Elaborator *e, const FrontExp *exp, Want want)
{
    if (!want.type || want.type->kind != TYPE_ARRAY) {
        front_error(e, exp->span, "TYPE ERROR",
                    "the type of [] is not known here; write it: let xs : [0]f64 = []");
        return ERROR_VALUE;
    }
    const Type *type = front_type_array(e, core_i64(0), want.type->row);
    const CoreType *types = front_type_leaves(e, type);
    CoreAtom *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, type->leaf_count);
    for (size_t i = 0; i < type->leaf_count; i++) {
        leaves[i] = core_let_scratch(BUILDER(e), want.text ? want.text : "empty", types[i].prim,
                                     (size_t)types[i].rank, types[i].sizes);
    }
    return front_value(type, leaves);
}

/* The items' values; the first that is more than literals says what these are. */
static bool elaborate_items(Elaborator *e, const FrontExp *exp, const Type *wanted, Value *items)
{
    size_t count = exp->as.items.count, first = 0;
    for (size_t i = 1; !wanted && i < count; i++) {
        if (front_is_weaker(exp->as.items.items[first], exp->as.items.items[i])) {
            first = i;
        }
    }
    items[first] = front_data(e, exp->as.items.items[first], (Want){wanted, NULL});
    bool known = items[first].kind == VALUE_DATA;
    if (!wanted && known) {
        wanted = items[first].type;
    }
    for (size_t i = 0; i < count; i++) {
        if (i != first) {
            items[i] = front_data(e, exp->as.items.items[i], (Want){wanted, NULL});
        }
        known = known && items[i].kind == VALUE_DATA;
    }
    for (size_t i = 0; i < count && known; i++) {
        if (!front_type_alike(items[0].type, items[i].type)) {
            front_mismatch(e, exp->as.items.items[i]->span, "an item of an array",
                           front_type_text(e, items[0].type), front_type_text(e, items[i].type));
            return false;
        }
    }
    return known;
}

Value front_array(Elaborator *e, const FrontExp *exp, Want want)
{
    size_t count = exp->as.items.count;
    if (count == 0) {
        return empty_array(e, exp, want);
    }
    Value *items = ARENA_ARRAY(e->c->arena, Value, count);
    bool is_array = want.type && want.type->kind == TYPE_ARRAY;
    if (!elaborate_items(e, exp, is_array ? want.type->row : NULL, items)) {
        return ERROR_VALUE;
    }
    const Type *row = items[0].type;
    if (row->leaf_count == 0) {
        return front_mismatch(e, exp->span, "an item of an array", "a value", "()");
    }
    for (size_t i = 1; i < count; i++) {
        items[i] = front_coerce(e, items[i], row);
    }
    CoreAtom *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, row->leaf_count);
    CoreAtom *column = ARENA_ARRAY(e->c->arena, CoreAtom, count);
    for (size_t leaf = 0; leaf < row->leaf_count; leaf++) {
        for (size_t i = 0; i < count; i++) {
            column[i] = items[i].leaves[leaf];
        }
        leaves[leaf] = core_let_literal(BUILDER(e), want.text ? want.text : "t", count, column);
    }
    return front_value(front_type_array(e, core_i64((int64_t)count), row), leaves);
}

Value front_string(Elaborator *e, const FrontExp *exp, Want want)
{
    size_t count = exp->as.string.count;
    const char *text = want.text ? want.text : "text";
    CoreAtom *items = ARENA_ARRAY(e->c->arena, CoreAtom, count), size = core_i64((int64_t)count);
    if (count == 0) {
        return front_value_atom(e, core_let_scratch(BUILDER(e), text, CORE_CHAR, 1, &size));
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = core_char(exp->as.string.points[i]);
    }
    return front_value_atom(e, core_let_literal(BUILDER(e), text, count, items));
}

/* ---- parts of indices ------------------------------------------------------------------------ */

/* What an index selects, and the certificates that it needs. */
typedef struct Selection {
    size_t count;
    CoreSlice *slices;
    bool has_range;
    VEC(CoreAtom) certificates;
} Selection;

static void need(Elaborator *e, Selection *selection, CoreAtom certificate)
{
    if (certificate.name) {
        vec_push(e->c->arena, &selection->certificates, certificate);
    }
}

static CoreAtom both(Elaborator *e, CoreAtom x, CoreAtom y)
{
    return front_binary(e, NULL, CORE_AND, x, y);
}

static CoreAtom at_most(Elaborator *e, CoreAtom x, CoreAtom y)
{
    return front_binary(e, NULL, CORE_LE, x, y);
}

static void select_position(Elaborator *e, Selection *selection, CoreSlice *slice,
                            CoreAtom position, CoreAtom size)
{
    CoreAtom pair[2] = {position, size};
    CoreAtom low = at_most(e, core_i64(0), position);
    CoreAtom high = front_binary(e, NULL, CORE_LT, position, size);
    *slice = (CoreSlice){.fixed = true, .offset = position};
    need(e, selection, front_require(e, both(e, low, high), CORE_INDEX_ERROR, "{} of {}", 2, pair));
}

/* from:to, 0 <= from <= to <= size */
static void select_range(Elaborator *e, Selection *selection, CoreSlice *slice, CoreAtom from,
                         CoreAtom to, CoreAtom size)
{
    CoreAtom values[3] = {from, to, size};
    CoreAtom low = at_most(e, core_i64(0), from);
    CoreAtom forward = at_most(e, from, to), high = at_most(e, to, size);
    CoreAtom ordered = both(e, low, forward), inside = both(e, ordered, high);
    CoreAtom check = front_require(e, inside, CORE_INDEX_ERROR, "{} to {} of {}", 3, values);
    CoreAtom count = front_binary(e, NULL, CORE_SUB, to, from);
    if (!count.name && count.as.integer < 0) {
        count = core_let_atom(BUILDER(e), "n", count);
    }
    front_assume_nonnegative(e, count); /* where the check holds */
    *slice = (CoreSlice){.offset = from, .count = count, .stride = core_i64(1)};
    need(e, selection, check);
}

/* from:to:step. With b = 1 where the step is negative, else 0, and d the way to go:
       -b <= min(from, to),   max(from, to) <= size - b,   0 <= d = (to - from) * sign step
       count = (d - 1) / |step| + 1, which is 0 where d is */
static void select_steps(Elaborator *e, Selection *selection, CoreSlice *slice, CoreAtom from,
                         CoreAtom to, CoreAtom step, CoreAtom size)
{
    CoreAtom zero = core_i64(0), one = core_i64(1), values[3] = {from, to, size};
    CoreAtom proper = front_binary(e, NULL, CORE_NE, step, zero);
    need(e, selection, front_require(e, proper, CORE_DOMAIN_ERROR, "{}", 1, &step));
    CoreAtom is_back = front_binary(e, NULL, CORE_LT, step, zero);
    CoreAtom back =
        is_back.name ? front_convert(e, NULL, CORE_I64, is_back) : core_i64(is_back.as.integer);
    CoreAtom sign =
        front_binary(e, NULL, CORE_SUB, one, front_binary(e, NULL, CORE_MUL, core_i64(2), back));
    CoreAtom least = front_binary(e, NULL, CORE_MIN, from, to);
    CoreAtom most = front_binary(e, NULL, CORE_MAX, from, to);
    CoreAtom low = at_most(e, front_binary(e, NULL, CORE_SUB, zero, back), least);
    CoreAtom high = at_most(e, most, front_binary(e, NULL, CORE_SUB, size, back));
    CoreAtom way = front_binary(e, NULL, CORE_MUL, front_binary(e, NULL, CORE_SUB, to, from), sign);
    CoreAtom ends = both(e, low, high), forward = at_most(e, zero, way);
    CoreAtom inside = both(e, ends, forward);
    need(e, selection, front_require(e, inside, CORE_INDEX_ERROR, "{} to {} of {}", 3, values));
    CoreAtom length = step.name
                          ? front_unary(e, NULL, CORE_ABS,
                                        front_binary(e, NULL, CORE_MAX, step, core_i64(-INT64_MAX)))
                          : core_i64(step.as.integer == INT64_MIN ? INT64_MAX
                                     : step.as.integer < 0        ? -step.as.integer
                                                                  : step.as.integer);
    CoreAtom count = front_binary(
        e, NULL, CORE_ADD,
        front_binary(e, NULL, CORE_DIV, front_binary(e, NULL, CORE_SUB, way, one), length), one);
    if (!count.name && count.as.integer < 0) {
        count = core_let_atom(BUILDER(e), "n", count);
    }
    front_assume_nonnegative(e, count);
    *slice = (CoreSlice){.offset = from, .count = count, .stride = step};
}

static bool index_scalar(Elaborator *e, const FrontExp *exp, const char *what, CoreAtom *atom)
{
    return front_scalar(e, exp, CORE_I64, what, NULL, atom);
}

/* One part of an index against an axis of that size. */
static bool select_part(Elaborator *e, Selection *selection, size_t i, const FrontIndex *part,
                        CoreAtom size)
{
    CoreAtom from = core_i64(0), to = size, step = core_i64(1);
    if (!part->is_range) {
        if (!index_scalar(e, part->position, "an index", &from)) {
            return false;
        }
        select_position(e, selection, &selection->slices[i], from, size);
        return true;
    }
    bool known = true;
    if (part->from) {
        known = index_scalar(e, part->from, "the begin of a slice", &from);
    }
    if (part->to) {
        known = index_scalar(e, part->to, "the end of a slice", &to) && known;
    }
    if (part->step) {
        known = index_scalar(e, part->step, "the step of a slice", &step) && known;
    }
    if (!known) {
        return false;
    }
    selection->has_range = true;
    if (front_is_constant(step, 1)) {
        select_range(e, selection, &selection->slices[i], from, to, size);
        return true;
    }
    if ((!part->from || !part->to) && (step.name || step.as.integer < 0)) {
        front_error(e, part->span, "TYPE ERROR",
                    "a slice whose step is negative or not known needs both ends");
        return false;
    }
    select_steps(e, selection, &selection->slices[i], from, to, step, size);
    return true;
}

static bool make_selection(Elaborator *e, const Type *type, size_t count, const FrontIndex *indices,
                           Selection *selection)
{
    size_t depth = front_type_depth(type);
    if (count > depth) {
        front_error(e, span_join(indices[0].span, indices[count - 1].span), "TYPE ERROR",
                    "%zu indices for %s", count, front_type_text(e, type));
        return false;
    }
    *selection = (Selection){.count = count};
    selection->slices = ARENA_ARRAY(e->c->arena, CoreSlice, count);
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        known = select_part(e, selection, i, &indices[i], type->size) && known;
        type = type->row;
    }
    return known;
}

/* The type of what is selected. */
static const Type *selected_type(Elaborator *e, const Type *type, const Selection *selection)
{
    CoreAtom *sizes = ARENA_ARRAY(e->c->arena, CoreAtom, selection->count);
    size_t left = 0;
    for (size_t i = 0; i < selection->count; i++) {
        if (!selection->slices[i].fixed) {
            sizes[left++] = selection->slices[i].count;
        }
    }
    return front_type_resized(e, type, selection->count, left, sizes);
}

/* The selection's slices, and all of the axes behind. */
static const CoreSlice *leaf_slices(Elaborator *e, const Selection *selection, CoreType leaf)
{
    CoreSlice *slices = ARENA_ARRAY(e->c->arena, CoreSlice, leaf.rank);
    for (int i = 0; i < leaf.rank; i++) {
        if ((size_t)i < selection->count) {
            slices[i] = selection->slices[i];
        } else {
            slices[i] =
                (CoreSlice){.offset = core_i64(0), .count = leaf.sizes[i], .stride = core_i64(1)};
        }
    }
    return slices;
}

static CoreAtom select_leaf(Elaborator *e, const Selection *selection, CoreAtom leaf,
                            const char *text)
{
    if (selection->has_range) {
        const CoreSlice *slices = leaf_slices(e, selection, core_atom_type(leaf));
        return core_let_slice(BUILDER(e), text, leaf, slices);
    }
    CoreAtom *indices = ARENA_ARRAY(e->c->arena, CoreAtom, selection->count);
    for (size_t i = 0; i < selection->count; i++) {
        indices[i] = selection->slices[i].offset;
    }
    return core_let_index(BUILDER(e), text, leaf, selection->count, indices);
}

static Value select_from(Elaborator *e, const Value *array, const Selection *selection,
                         const char *text)
{
    const Type *type = selected_type(e, array->type, selection);
    CoreAtom *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, type->leaf_count);
    size_t mark = BUILDER(e)->certificates.count;
    for (size_t i = 0; i < selection->certificates.count; i++) {
        front_guard(e, selection->certificates.items[i]);
    }
    for (size_t i = 0; i < type->leaf_count; i++) {
        leaves[i] = select_leaf(e, selection, array->leaves[i], text ? text : "t");
    }
    front_unguard(e, mark);
    return front_value(type, leaves);
}

Value front_index(Elaborator *e, const FrontExp *exp, Want want)
{
    Value array = front_data(e, exp->as.index.array, NO_WANT);
    Selection selection;
    if (!front_need_array(e, &array, "what is indexed", exp->as.index.array->span) ||
        !make_selection(e, array.type, exp->as.index.count, exp->as.index.indices, &selection)) {
        return ERROR_VALUE;
    }
    return select_from(e, &array, &selection, want.text);
}

Value front_row(Elaborator *e, Value array, CoreAtom i, const char *text)
{
    CoreSlice slice = {.fixed = true, .offset = i};
    Selection selection = {.count = 1, .slices = &slice};
    return select_from(e, &array, &selection, text);
}

Value front_rows(Elaborator *e, Value array, CoreAtom from, CoreAtom count, const char *text)
{
    CoreSlice slice = {.offset = from, .count = count, .stride = core_i64(1)};
    Selection selection = {.count = 1, .slices = &slice, .has_range = true};
    return select_from(e, &array, &selection, text);
}

/* ---- updates --------------------------------------------------------------------------------- */

Value front_update_value(Elaborator *e, Value array, Span array_span, size_t count,
                         const FrontIndex *indices, const FrontExp *exp, const char *text)
{
    Selection selection;
    array = front_force(e, array, NO_WANT, array_span);
    if (!front_need_array(e, &array, "what is updated", array_span) ||
        !make_selection(e, array.type, count, indices, &selection)) {
        front_data(e, exp, NO_WANT);
        return ERROR_VALUE;
    }
    const Type *part = selected_type(e, array.type, &selection);
    Value value = front_data(e, exp, (Want){part, NULL});
    if (value.kind != VALUE_DATA) {
        return ERROR_VALUE;
    }
    if (!front_type_alike(part, value.type)) {
        return front_mismatch(e, exp->span, "the value written", front_type_text(e, part),
                              front_type_text(e, value.type));
    }
    value = front_coerce(e, value, part);
    CoreAtom *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, array.type->leaf_count);
    size_t mark = BUILDER(e)->certificates.count;
    for (size_t i = 0; i < selection.certificates.count; i++) {
        front_guard(e, selection.certificates.items[i]);
    }
    for (size_t i = 0; i < array.type->leaf_count; i++) {
        CoreType leaf = core_atom_type(array.leaves[i]);
        leaves[i] =
            core_let_update(BUILDER(e), text ? text : array.leaves[i].name->text, array.leaves[i],
                            (size_t)leaf.rank, leaf_slices(e, &selection, leaf), value.leaves[i]);
    }
    front_unguard(e, mark);
    return front_value(array.type, leaves);
}

Value front_update(Elaborator *e, const FrontExp *exp, Want want)
{
    const FrontExp *array = exp->as.index.array;
    Value value = front_data(e, array, (Want){want.type, NULL});
    return front_update_value(e, value, array->span, exp->as.index.count, exp->as.index.indices,
                              exp->as.index.value, want.text);
}

/* ---- concatenation --------------------------------------------------------------------------- */

static bool concat_fits(Elaborator *e, size_t axis, size_t count, const Value *arrays, Span span)
{
    const Type *first = arrays[0].type;
    for (size_t i = 0; i < count; i++) {
        if (arrays[i].kind != VALUE_DATA ||
            !front_need_array(e, &arrays[i], "an operand of concatenation", span)) {
            return false;
        }
        if (!front_type_alike(first, arrays[i].type)) {
            front_mismatch(e, span, "an operand of concatenation", front_type_text(e, first),
                           front_type_text(e, arrays[i].type));
            return false;
        }
    }
    if (axis >= front_type_depth(first)) {
        front_error(e, span, "TYPE ERROR", "%s has no axis %zu", front_type_text(e, first), axis);
        return false;
    }
    return true;
}

/* With the sizes of the first but along the axis. */
static const Type *concat_type(Elaborator *e, const Type *first, size_t axis, CoreAtom size)
{
    size_t depth = front_type_depth(first);
    CoreAtom *sizes = ARENA_ARRAY(e->c->arena, CoreAtom, depth);
    for (size_t i = 0; i < depth; i++) {
        sizes[i] = i == axis ? size : front_type_below(first, i)->size;
    }
    return front_type_resized(e, first, depth, depth, sizes);
}

Value front_concat(Elaborator *e, size_t axis, size_t count, Value *arrays, const char *text,
                   Span span)
{
    const Type *wanted = NULL;
    for (size_t i = 0; i < count; i++) {
        wanted = arrays[i].kind == VALUE_DATA ? arrays[i].type : wanted;
    }
    for (size_t i = 0; i < count; i++) {
        arrays[i] = front_force(e, arrays[i], (Want){wanted, NULL}, span);
        if (arrays[i].kind != VALUE_DATA) {
            return ERROR_VALUE;
        }
        wanted = wanted ? wanted : arrays[i].type;
    }
    if (!concat_fits(e, axis, count, arrays, span)) {
        return ERROR_VALUE;
    }
    CoreAtom size = core_i64(0);
    for (size_t i = 0; i < count; i++) {
        CoreAtom extent = front_type_below(arrays[i].type, axis)->size;
        size = front_binary(e, NULL, CORE_ADD, size, extent);
        arrays[i] = front_coerce(e, arrays[i], concat_type(e, arrays[0].type, axis, extent));
    }
    front_assume_nonnegative(e, size);
    const Type *type = concat_type(e, arrays[0].type, axis, size);
    CoreAtom *leaves = ARENA_ARRAY(e->c->arena, CoreAtom, type->leaf_count);
    CoreAtom *parts = ARENA_ARRAY(e->c->arena, CoreAtom, count);
    for (size_t leaf = 0; leaf < type->leaf_count; leaf++) {
        for (size_t i = 0; i < count; i++) {
            parts[i] = arrays[i].leaves[leaf];
        }
        leaves[leaf] =
            core_let_concat(BUILDER(e), text ? text : "t", (int)axis, size, count, parts);
    }
    return front_value(type, leaves);
}

Value front_append_exp(Elaborator *e, const FrontExp *exp, Want want)
{
    const FrontExp *operands[2] = {exp->as.operation.x, exp->as.operation.y};
    int first = front_is_weaker(operands[0], operands[1]);
    Value values[2];
    Want wanted = {want.type, NULL};
    values[first] = front_data(e, operands[first], wanted);
    if (values[first].kind == VALUE_DATA) {
        wanted.type = values[first].type;
    }
    values[!first] = front_data(e, operands[!first], wanted);
    return front_concat(e, 0, 2, values, want.text, exp->span);
}
