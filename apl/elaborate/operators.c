/* Primitive operators applied: / \ ¨ ⍨ ∘. . ∘ ⍤ ⍥ ⍣. Outer and inner product are written in APL, in
   the prelude; on tuples they are unrolled here. */
#include "apl/elaborate/internal.h"

static Function *operand_function(Elaboration *e, const Function *derived, const Value *operand)
{
    if (operand == NULL || operand->kind != VALUE_FUNCTION) {
        elab_fail(e, derived->span, "SYNTAX ERROR", "%s needs a function",
                  apl_primitive_glyph(derived->primitive));
    }
    return operand->function;
}

/* ---- / ⌿ \ ⍀ --------------------------------------------------------------------------------- */

static Value *slash(Elaboration *e, Function *derived, Value *axis, Value *left, Value *right,
                    Span span)
{
    AplPrimitive primitive = derived->primitive;
    Call call = {.primitive = primitive,
                 .left = left,
                 .right = right,
                 .axis = axis,
                 .origin = derived->origin,
                 .span = span};
    if (derived->left != NULL && derived->left->kind != VALUE_FUNCTION) {
        call.left = derived->left; /* an array: replicate */
        return elab_apply_primitive(e, &call);
    }
    Function *function = operand_function(e, derived, derived->left);
    bool reduces = primitive == APL_SLASH || primitive == APL_SLASH_BAR;
    Value *folded =
        reduces && left == NULL && axis == NULL ? elab_group_fold(e, function, right, span) : NULL;
    if (folded != NULL) {
        return folded;
    }
    bool first = primitive == APL_SLASH_BAR || primitive == APL_BACKSLASH_BAR;
    int64_t rank = left == NULL ? elab_fold_rank(e, function, right, span) : right->rank;
    int64_t number = elab_axis(e, &call, rank, first || rank == 0 ? 0 : rank - 1);
    bool scan = primitive == APL_BACKSLASH || primitive == APL_BACKSLASH_BAR;
    if (left != NULL) {
        if (scan) {
            elab_fail(e, span, "SYNTAX ERROR", "a scan (%s) takes one argument",
                      apl_primitive_glyph(primitive));
        }
        return elab_windows(e, function, number, left, right, span);
    }
    return scan ? elab_scan(e, function, number, right, span)
                : elab_reduce(e, function, number, right, span);
}

/* ---- ¨ --------------------------------------------------------------------------------------- */

/* NULL where the function does not give scalars: a trial finds that out. */
static Value *items(Elaboration *e, Function *function, Value *left, Value *right, Span span)
{
    bool scalars = right->rank == 0 && (left == NULL || left->rank == 0);
    if (function->kind != FUNCTION_PRIMITIVE && !scalars && elab_begin_trial(e)) {
        bool none = elab_elementwise(e, elab_apply_item, function, left, right, span) == NULL;
        elab_end_trial(e);
        if (none) {
            return NULL;
        }
    }
    return elab_elementwise(e, elab_apply_item, function, left, right, span);
}

Value *elab_each(Elaboration *e, Function *function, Value *left, Value *right, Span span)
{
    bool tuple = right->kind == VALUE_TUPLE || (left != NULL && left->kind == VALUE_TUPLE);
    if (tuple) {
        return elab_itemwise(e, elab_apply_item, function, left, right, span);
    }
    Value *result = items(e, function, left, right, span);
    if (result != NULL) {
        bool scalars = right->rank == 0 && (left == NULL || left->rank == 0);
        return scalars ? elab_enclose(e, result, span) : result;
    }
    const Value *shape = right->rank > 0 ? right : left;
    int64_t count = elab_count(shape);
    if (count < 0 || count > EXPANSION_LIMIT) {
        elab_nonce(
            e, span,
            "¨ whose function gives an array for every item (nesting that only run time knows) is");
    }
    return elab_itemwise(e, elab_apply_item, function, left, right, span);
}

/* ---- ∘. and . -------------------------------------------------------------------------------- */

static Value *outer(Elaboration *e, Function *function, Value *left, Value *right, Span span)
{
    if (left == NULL) {
        elab_fail(e, span, "SYNTAX ERROR", "∘. needs two arguments");
    }
    if (left->kind == VALUE_TUPLE || right->kind == VALUE_TUPLE) {
        return elab_tuple_outer(e, function, left, right, span);
    }
    if (left->rank == 0 || right->rank == 0) {
        return elab_each(e, function, left, right, span);
    }
    return elab_apply_prelude_operator(e, "∆outer", elab_function(e, function), NULL, left, right,
                                       span);
}

/* A scalar or one-element vector goes with every item of the other side's common axis. */
static Value *extend_to(Elaboration *e, Value *value, const Value *other, int64_t axis, Span span)
{
    bool one = value->rank == 0 || (value->rank == 1 && value->extents[0] == 1);
    return one ? elab_spread_along(e, value, other, axis, span) : value;
}

static Value *scalar2(Elaboration *e, AplPrimitive primitive, Value *left, Value *right, Span span)
{
    Call call = {.primitive = primitive, .left = left, .right = right, .span = span};
    return elab_scalar_function(e, &call);
}

/* The length m of an axis, or n where m is 1 and the other axes of the other side, but for that
   one, have one item together. */
static Value *extended_length(Elaboration *e, Value *m, Value *n, const Value *other, int64_t axis,
                              Span span)
{
    Value *items = elab_int(e, 1, span);
    for (int64_t i = 0; i < other->rank; i++) {
        items =
            i == axis ? items : scalar2(e, APL_TIMES, items, elab_extent(e, other, i, span), span);
    }
    Value *single = scalar2(e, APL_EQUAL, items, elab_int(e, 1, span), span);
    Value *longer = elab_apply_prelude(e, "∆extended", n, m, span);
    Value *more = scalar2(e, APL_TIMES, single, scalar2(e, APL_MINUS, longer, m, span), span);
    return scalar2(e, APL_PLUS, m, more, span);
}

/* The left argument of an inner product, after a LENGTH ERROR with the lengths of the axes that
   meet; one item of a vector goes with a vector of any length. */
static Value *same_lengths(Elaboration *e, Value *left, Value *right, Span span)
{
    int64_t last = left->rank - 1;
    Value *m = elab_extent(e, left, last, span), *n = elab_extent(e, right, 0, span);
    Value *wanted = right->rank > 1 ? n : extended_length(e, n, m, left, last, span);
    Value *there = left->rank > 1 ? m : extended_length(e, m, n, right, 0, span);
    return elab_same(e, there, wanted, left, span);
}

static Value *inner(Elaboration *e, const Function *derived, Value *left, Value *right, Span span)
{
    Function *f = operand_function(e, derived, derived->left),
             *g = operand_function(e, derived, derived->right);
    if (left == NULL) {
        elab_fail(e, span, "SYNTAX ERROR", "%s needs two arguments",
                  apl_primitive_glyph(derived->primitive));
    }
    if (left->kind == VALUE_TUPLE || right->kind == VALUE_TUPLE) {
        if (left->rank > 1 || right->rank > 1) {
            elab_nonce(e, span, "an inner product of nested matrices is");
        }
        Value *items = elab_itemwise(e, elab_apply_item, g, left, right, span);
        return elab_reduce(e, f, 0, items, span);
    }
    Value *extended_left = extend_to(e, left, right, 0, span);
    right = extend_to(e, right, extended_left, extended_left->rank - 1, span);
    left = extended_left;
    int64_t a = left->extents[left->rank - 1], b = right->extents[0];
    if (a >= 0 && b >= 0 && a != b) {
        elab_fail(e, span, "LENGTH ERROR", "%lld and %lld", (long long)a, (long long)b);
    }
    if ((a < 0 || b < 0) && left->rank + right->rank > 2) {
        left = same_lengths(e, left, right, span);
    }
    return elab_apply_prelude_operator(e, "∆inner", elab_function(e, f), elab_function(e, g), left,
                                       right, span);
}

/* ---- ⍨ ∘ ⍤ ⍥ --------------------------------------------------------------------------------- */

static Value *commute(Elaboration *e, const Function *derived, Value *left, Value *right, Span span)
{
    if (derived->left->kind != VALUE_FUNCTION) {
        return derived->left;
    }
    return elab_apply(e, derived->left->function, right, left == NULL ? right : left, span);
}

static Value *compose(Elaboration *e, const Function *derived, Value *left, Value *right, Span span)
{
    const Value *f = derived->left, *g = derived->right;
    bool f_function = f->kind == VALUE_FUNCTION, g_function = g->kind == VALUE_FUNCTION;
    if (f_function && g_function) {
        return elab_apply(e, f->function, left, elab_apply(e, g->function, NULL, right, span),
                          span);
    }
    if (left != NULL || (!f_function && !g_function)) {
        elab_fail(e, span, "SYNTAX ERROR", "a function bound by ∘ to an array takes one argument");
    }
    if (g_function) {
        return elab_apply(e, g->function, derived->left, right, span);
    }
    return elab_apply(e, f->function, right, derived->right, span);
}

static Value *atop(Elaboration *e, const Function *derived, Value *left, Value *right, Span span)
{
    Function *f = operand_function(e, derived, derived->left);
    if (derived->right->kind != VALUE_FUNCTION) {
        return elab_rank(e, f, derived->right, left, right, span);
    }
    return elab_apply(e, f, NULL, elab_apply(e, derived->right->function, left, right, span), span);
}

static Value *over(Elaboration *e, const Function *derived, Value *left, Value *right, Span span)
{
    Function *f = operand_function(e, derived, derived->left),
             *g = operand_function(e, derived, derived->right);
    right = elab_apply(e, g, NULL, right, span);
    return elab_apply(e, f, left == NULL ? NULL : elab_apply(e, g, NULL, left, span), right, span);
}

static Value *power(Elaboration *e, const Function *derived, Value *left, Value *right, Span span)
{
    if (derived->right->kind == VALUE_FUNCTION) {
        return elab_until(e, operand_function(e, derived, derived->left), derived->right->function,
                          left, right, span);
    }
    return elab_power(e, operand_function(e, derived, derived->left), derived->right, left, right,
                      false, span);
}

static Value *stencil(Elaboration *e, const Function *derived, const Value *left, Value *right,
                      Span span)
{
    if (left != NULL) {
        elab_fail(e, span, "SYNTAX ERROR", "⌺ takes one argument");
    }
    if (derived->right->kind == VALUE_FUNCTION) {
        elab_fail(e, span, "SYNTAX ERROR", "window sizes stand to the right of ⌺");
    }
    return elab_stencil(e, operand_function(e, derived, derived->left), derived->right, right,
                        span);
}

/* x[positions;..] */
static Value *major_cells(Elaboration *e, Value *value, Value *positions, Span span)
{
    Value **all = ARENA_ARRAY(e->c->arena, Value *, value->rank);
    all[0] = positions;
    return elab_index(e, value, (size_t)value->rank, all, 1, span);
}

static bool is_function_glyph(const AplNode *node)
{
    return node->kind == APL_GLYPH && apl_primitive_class(node->as.primitive) == APL_CLASS_FUNCTION;
}

/* What the sequence does to its last item, as far as one sees: ≢, or a fold such as +/, without a left argument. */
static bool counts_or_folds(const AplNode *node, bool *folds)
{
    size_t last = node->count - 1, first = last;
    const AplNode *before = last > 0 ? node->items[last - 1] : NULL;
    if (node->kind != APL_SEQUENCE || before == NULL || before->kind != APL_GLYPH) {
        return false;
    }
    bool slash = before->as.primitive == APL_SLASH || before->as.primitive == APL_SLASH_BAR;
    if (slash && last > 1 && is_function_glyph(node->items[last - 2]) &&
        elab_folds_groups(node->items[last - 2]->as.primitive)) {
        *folds = true;
        first = last - 2;
    } else if (before->as.primitive == APL_TALLY) {
        first = last - 1;
    }
    const AplNode *left = first > 0 ? node->items[first - 1] : NULL;
    return first < last &&
           (left == NULL || left->kind == APL_ASSIGN_ARROW || is_function_glyph(left));
}

/* Whether ⍵ is there only as in ≢⍵ and +/⍵, as far as one sees. */
static bool only_counts_or_folds(const AplNode *node, bool *folds)
{
    bool only = true;
    for (size_t i = 0; only && i < node->count; i++) {
        const AplNode *item = node->items[i];
        if (item == NULL || item->kind == APL_DFN) {
            continue;
        }
        only = item->kind == APL_NAME && strcmp(item->as.text, "⍵") == 0
                   ? i + 1 == node->count && counts_or_folds(node, folds)
                   : only_counts_or_folds(item, folds);
    }
    return only;
}

/* f⌸ of a function that asks of its groups only folds of them: these are found for all groups, which are not brought together. */
static Value *key_folds(Elaboration *e, Value *function, Value *keys, Value *sorted, Value *values,
                        Span span)
{
    Value *found = elab_apply_prelude(e, "∆keyNumbers", NULL, sorted, span);
    Value *firsts = found->items[0], *numbers = found->items[1], *counts = found->items[2];
    return elab_key_folds(e, function, major_cells(e, keys, firsts, span), values, numbers, counts,
                          span);
}

/* f⌸ of a function that asks of its groups only how many there are: nothing is brought together. */
static Value *key_counts(Elaboration *e, Value *function, Value *keys, Value *sorted, Span span)
{
    Value *found;
    if (elab_may_be_close(e, sorted)) {
        const char *far = e->c->options.sequential ? "∆keyCountsFound" : "∆keyCounts";
        found = elab_apply_prelude_operator(e, "∆keyCountsClose", elab_prelude(e, far), NULL, NULL,
                                            sorted, span);
    } else {
        found = elab_apply_prelude(e, "∆keyCounts", NULL, sorted, span);
    }
    Value *firsts = found->items[0], *counts = found->items[1];
    Function *counted = elab_prelude_operator(e, "∆keyCounted", function, counts);
    return elab_apply(e, counted, major_cells(e, keys, firsts, span), keys, span);
}

/* keys f⌸ values; f⌸ keys has the positions of each key for values. Keys are the items of a vector,
   the rows (major cells) of other arrays. Equal ones are brought together, so that the values of a key are a slice, in the
   order of the first of each. */
static Value *key(Elaboration *e, const Function *derived, Value *left, Value *right, Span span)
{
    Value *keys = left == NULL ? right : left;
    Value *f = elab_function(e, operand_function(e, derived, derived->left));
    Value *given = left == NULL ? NULL : right;
    if (keys->kind == VALUE_TUPLE ||
        elab_keys_apart(e, f->function, keys, given, derived->origin, span)) {
        return elab_nested_key(e, f->function, keys, given, derived->origin, span);
    }
    elab_array_only(e, keys, span, "⌸ (key)");
    elab_array_only(e, right, span, "⌸ (key)");
    if (keys->rank == 0 || right->rank == 0) {
        elab_fail(e, span, "RANK ERROR", "⌸ takes a list of keys, and a value for each");
    }
    Value *count = elab_extent(e, keys, 0, span), *values = right;
    if (left != NULL) {
        keys = elab_same(e, count, elab_extent(e, right, 0, span), keys, span);
    } else {
        Call positions = {
            .primitive = APL_IOTA, .right = count, .origin = derived->origin, .span = span};
        values = elab_rule_iota(e, &positions);
    }
    const char *order_of = keys->rank > 1               ? "∆keyOrderRows"
                           : keys->base == TAIL_COMPLEX ? "∆keyOrderParts"
                                                        : "∆keyOrder";
    bool codes = keys->base == TAIL_CHAR && e->group == NULL;
    Value *sorted = codes ? elab_codes(e, keys, span) : keys;
    bool folds = false;
    if (f->function->kind == FUNCTION_CLOSURE && only_counts_or_folds(f->function->dfn, &folds) &&
        !f->function->dfn->as.dfn.uses_self && keys->rank == 1 && keys->base != TAIL_COMPLEX) {
        if (!folds) {
            return key_counts(e, f, keys, sorted, span);
        }
        if (elab_may_be_close(e, sorted) && values->rank == 1 &&
            (values->base == TAIL_INT || values->base == TAIL_DOUBLE)) {
            return key_folds(e, f, keys, sorted, values, span);
        }
    }
    Value *found = elab_apply_prelude(e, order_of, NULL, sorted, span);
    Value *order = found->items[0], *starts = found->items[1], *firsts = found->items[2];
    values = major_cells(e, values, order, span);
    keys = major_cells(e, keys, firsts, span);
    return elab_key_groups(e, f, keys, values, starts, span);
}

Value *elab_derived(Elaboration *e, Function *function, Value *axis, Value *left, Value *right,
                    Span span)
{
    AplPrimitive primitive = function->primitive;
    switch ((int)primitive) {
    case APL_SLASH:
    case APL_SLASH_BAR:
    case APL_BACKSLASH:
    case APL_BACKSLASH_BAR: return slash(e, function, axis, left, right, span);
    default: break;
    }
    if (axis != NULL) {
        elab_nonce(e, axis->span, "%s with an axis is", apl_primitive_glyph(primitive));
    }
    switch ((int)primitive) {
    case APL_EACH:
        return elab_each(e, operand_function(e, function, function->left), left, right, span);
    case APL_COMMUTE: return commute(e, function, left, right, span);
    case APL_OUTER:
        return outer(e, operand_function(e, function, function->left), left, right, span);
    case APL_INNER: return inner(e, function, left, right, span);
    case APL_JOT: return compose(e, function, left, right, span);
    case APL_RANK: return atop(e, function, left, right, span);
    case APL_OVER: return over(e, function, left, right, span);
    case APL_POWER_OPERATOR: return power(e, function, left, right, span);
    case APL_AT:
        return elab_at_places(e, function->left, function->right, left, right, function->origin,
                              span);
    case APL_STENCIL: return stencil(e, function, left, right, span);
    case APL_KEY: return key(e, function, left, right, span);
    default:
        elab_nonce(e, function->span, "%s (%s) is", apl_primitive_glyph(primitive),
                   apl_primitive_name(primitive));
    }
}
