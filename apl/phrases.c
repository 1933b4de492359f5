/* The second half of the binder: how items whose classes are known read as APL.

       a b+.×/c[2]   ==>   phrases [a b] [(+.×)/] [c[2]]   ==>   (dyadic (strand a b) ((+.×)/) c[2])

   From tightest to loosest: brackets bind to what stands left of them; arrays side by side are a
   strand; an operator takes the longest function expression at its left, or a strand, and a dyadic
   one a single function or a strand at its right; then functions apply right to left, each with the
   array at its left, if there is one, as left argument. Functions without an array at the right end
   are a train. / ⌿ \ ⍀ are operators where a function stands left of them, otherwise functions. */
#include "apl/bind.h"

/* ---- grouping -------------------------------------------------------------------------------- */

typedef struct Grouper {
    Binder *binder;
    const Phrase *items;
    size_t count, next;
    Phrase current; /* the phrase being read; node NULL before the first item */
    PhraseVec *phrases;
} Grouper;

static bool at_class(const Grouper *grouper, AplClass class)
{
    return grouper->next < grouper->count && grouper->items[grouper->next].node->class == class;
}

static bool at_brackets(const Grouper *grouper)
{
    return grouper->next < grouper->count &&
           grouper->items[grouper->next].node->kind == APL_BRACKETS;
}

static void finish_phrase(Grouper *grouper)
{
    if (grouper->current.node)
        vec_push(grouper->binder->c->arena, grouper->phrases, grouper->current);
    grouper->current.node = NULL;
}

/* An array item with the brackets that follow it: a[i;j][k]. */
static Phrase read_indexed(Grouper *grouper)
{
    Phrase array = grouper->items[grouper->next++];
    while (at_brackets(grouper)) {
        Phrase brackets = grouper->items[grouper->next++];
        AplNodeVec parts = {0};
        vec_push(grouper->binder->c->arena, &parts, array.node);
        for (size_t i = 0; i < brackets.node->count; i++) {
            vec_push(grouper->binder->c->arena, &parts, brackets.node->items[i]);
        }
        array.span = span_join(array.span, brackets.span);
        array.node = binder_node(grouper->binder, APL_INDEX, APL_CLASS_ARRAY, array.span,
                                 parts.count, parts.items);
    }
    return array;
}

/* Arrays side by side. */
static Phrase read_strand(Grouper *grouper)
{
    Phrase strand = read_indexed(grouper);
    if (!at_class(grouper, APL_CLASS_ARRAY))
        return strand;
    AplNodeVec parts = {0};
    vec_push(grouper->binder->c->arena, &parts, strand.node);
    while (at_class(grouper, APL_CLASS_ARRAY)) {
        Phrase item = read_indexed(grouper);
        vec_push(grouper->binder->c->arena, &parts, item.node);
        strand.span = span_join(strand.span, item.span);
    }
    AplNode *node = apl_node(grouper->binder->c, APL_STRAND, strand.span);
    node->class = APL_CLASS_ARRAY;
    node->count = parts.count;
    node->items = parts.items;
    strand.node = node;
    return strand;
}

/* The axes that follow a function: f[k]. */
static Phrase read_axes(Grouper *grouper, Phrase function)
{
    while (at_brackets(grouper)) {
        Phrase brackets = grouper->items[grouper->next++];
        function.span = span_join(function.span, brackets.span);
        if (brackets.node->count != 1 || !brackets.node->items[0]) {
            binder_fault(grouper->binder, brackets.span, "the axis of a function is one value");
            continue;
        }
        AplNode *parts[] = {function.node, brackets.node->items[0]};
        function.node =
            binder_node(grouper->binder, APL_AXIS, APL_CLASS_FUNCTION, function.span, 2, parts);
    }
    return function;
}

/* / ⌿ \ ⍀, now that it is known which they are. */
static Phrase hybrid_as(Grouper *grouper, Phrase hybrid, AplClass class)
{
    AplNode *node = arena_copy(grouper->binder->c->arena, hybrid.node, sizeof *hybrid.node);
    node->class = class;
    return (Phrase){node, hybrid.span};
}

static Phrase read_function(Grouper *grouper)
{
    Phrase function = grouper->items[grouper->next++];
    if (function.node->class == APL_CLASS_HYBRID) {
        function = hybrid_as(grouper, function, APL_CLASS_FUNCTION);
    }
    return read_axes(grouper, function);
}

/* Makes the derived function the current phrase. `left` and `right` may lack (node NULL). */
static void derive(Grouper *grouper, Phrase operator, Phrase left, Phrase right)
{
    AplNode *parts[] = {operator.node, left.node, right.node};
    Span span = operator.span;
    if (left.node)
        span = span_join(left.span, span);
    if (right.node)
        span = span_join(span, right.span);
    AplNode *node = binder_node(grouper->binder, APL_DERIVED, APL_CLASS_FUNCTION, span, 3, parts);
    grouper->current = read_axes(grouper, (Phrase){node, span});
}

/* The operand at the right of a dyadic operator: one function, or a strand. */
static Phrase read_right_operand(Grouper *grouper, Phrase operator)
{
    if (at_class(grouper, APL_CLASS_ARRAY))
        return read_strand(grouper);
    if (at_class(grouper, APL_CLASS_FUNCTION) || at_class(grouper, APL_CLASS_HYBRID)) {
        return read_function(grouper);
    }
    binder_fault(grouper->binder, operator.span, "operator '%s' has no right operand",
                 binder_excerpt(grouper->binder, operator.span));
    return (Phrase){binder_placeholder(grouper->binder, operator.span), operator.span };
}

static bool is_glyph(const AplNode *node, AplPrimitive primitive)
{
    return node->kind == APL_GLYPH && node->as.primitive == primitive;
}

/* ∘.f: the one operator that stands before its operand. */
static void read_outer(Grouper *grouper)
{
    finish_phrase(grouper);
    Phrase operator= grouper->items[grouper->next++];
    if (!at_class(grouper, APL_CLASS_FUNCTION) && !at_class(grouper, APL_CLASS_HYBRID)) {
        binder_fault(grouper->binder, operator.span, "operator '∘.' has no function at its right");
        return;
    }
    Phrase function = read_function(grouper);
    AplNode *parts[] = {operator.node, function.node, NULL};
    Span span = span_join(operator.span, function.span);
    AplNode *node = binder_node(grouper->binder, APL_DERIVED, APL_CLASS_FUNCTION, span, 3, parts);
    grouper->current = read_axes(grouper, (Phrase){node, span});
}

/* A count of repetitions is one number: f⍣2 x reads as f⍣(2 x), in every APL. */
static void check_count(Grouper *grouper, Phrase operator, Phrase right)
{
    bool counts =
        is_glyph(operator.node, APL_POWER_OPERATOR) ||
        (operator.node->kind == APL_QUAD_NAME && strcmp(operator.node->as.text, "⎕BENCH") == 0);
    if (!counts || right.node->kind != APL_STRAND)
        return;
    const char *glyph = binder_excerpt(grouper->binder, operator.span);
    binder_fault(grouper->binder, right.span,
                 "the right operand of '%s' is the whole of '%s'; write (f%s%sn) x", glyph,
                 binder_excerpt(grouper->binder, right.span),
                 glyph, operator.node->kind == APL_GLYPH ? "" : " ");
}

static void read_operator(Grouper *grouper, bool dyadic)
{
    Phrase operator= grouper->items[grouper->next++], left = grouper->current, right = {0};
    if (operator.node->class == APL_CLASS_HYBRID) {
        operator= hybrid_as(grouper, operator, APL_CLASS_MONADIC_OPERATOR);
    }
    if (!left.node) {
        binder_fault(grouper->binder, operator.span, "operator '%s' has no left operand",
                     binder_excerpt(grouper->binder, operator.span));
        left = (Phrase){binder_placeholder(grouper->binder, operator.span), operator.span };
    }
    if (dyadic) {
        right = read_right_operand(grouper, operator);
        check_count(grouper, operator, right);
    }
    derive(grouper, operator, left, right);
}

static void read_item(Grouper *grouper)
{
    const AplNode *item = grouper->items[grouper->next].node;
    if (item->kind == APL_BRACKETS) {
        binder_fault(grouper->binder, grouper->items[grouper->next].span,
                     "there is nothing to index");
        grouper->next++;
        return;
    }
    switch (item->class) {
    case APL_CLASS_ARRAY:
        finish_phrase(grouper);
        grouper->current = read_strand(grouper);
        break;
    case APL_CLASS_FUNCTION:
        finish_phrase(grouper);
        grouper->current = read_function(grouper);
        break;
    case APL_CLASS_HYBRID:
        if (grouper->current.node && grouper->current.node->class == APL_CLASS_FUNCTION) {
            read_operator(grouper, false);
        } else {
            finish_phrase(grouper);
            grouper->current = read_function(grouper);
        }
        break;
    case APL_CLASS_MONADIC_OPERATOR:
        if (is_glyph(item, APL_OUTER)) {
            read_outer(grouper);
        } else {
            read_operator(grouper, false);
        }
        break;
    case APL_CLASS_DYADIC_OPERATOR: read_operator(grouper, true); break;
    case APL_CLASS_UNKNOWN:
    case APL_CLASS_ERROR:
        internal_error(grouper->binder->c, "an item without a class reached binder_group");
    }
}

void binder_group(Binder *binder, const Phrase *items, size_t count, PhraseVec *phrases)
{
    bool is_operator = count == 1 && (items->node->class == APL_CLASS_MONADIC_OPERATOR ||
                                      items->node->class == APL_CLASS_DYADIC_OPERATOR);
    if (is_operator && !is_glyph(items->node, APL_OUTER)) { /* (¨), each←¨ */
        vec_push(binder->c->arena, phrases, *items);
        return;
    }
    Grouper grouper = {.binder = binder, .items = items, .count = count, .phrases = phrases};
    while (grouper.next < count)
        read_item(&grouper);
    finish_phrase(&grouper);
}

/* ---- application ----------------------------------------------------------------------------- */

/* The hybrid that a function is, if it is one, maybe with an axis. */
static bool is_replicate(const AplNode *function)
{
    while (function->kind == APL_AXIS)
        function = function->items[0];
    return function->kind == APL_GLYPH &&
           apl_primitive_class(function->as.primitive) == APL_CLASS_HYBRID;
}

static Phrase apply_monadic(Binder *binder, Phrase function, Phrase right)
{
    if (is_replicate(function.node)) {
        binder_fault(binder, function.span, "'%s' has no left operand",
                     binder_excerpt(binder, function.span));
    }
    AplNode *parts[] = {function.node, right.node};
    Span span = span_join(function.span, right.span);
    return (Phrase){binder_node(binder, APL_MONADIC, APL_CLASS_ARRAY, span, 2, parts), span};
}

static Phrase apply_dyadic(Binder *binder, Phrase left, Phrase function, Phrase right)
{
    AplNode *parts[] = {left.node, function.node, right.node};
    Span span = span_join(left.span, right.span);
    return (Phrase){binder_node(binder, APL_DYADIC, APL_CLASS_ARRAY, span, 3, parts), span};
}

/* ... f g h  ==>  ... (fork f g h);  a left tine may be an array;  g h  ==>  (atop g h) */
static Phrase make_train(Binder *binder, const PhraseVec *phrases)
{
    size_t rest = phrases->count - 1;
    Phrase train = phrases->items[rest];
    while (rest > 0) {
        Phrase middle = phrases->items[rest - 1];
        if (middle.node->class != APL_CLASS_FUNCTION) {
            Span span = phrases->items[rest].span;
            binder_fault(binder, span, "function '%s' has no right argument",
                         binder_excerpt(binder, span));
            break;
        }
        if (rest == 1) {
            AplNode *parts[] = {middle.node, train.node};
            train.span = span_join(middle.span, train.span);
            train.node = binder_node(binder, APL_ATOP, APL_CLASS_FUNCTION, train.span, 2, parts);
            break;
        }
        Phrase left = phrases->items[rest - 2];
        AplNode *parts[] = {left.node, middle.node, train.node};
        train.span = span_join(left.span, train.span);
        train.node = binder_node(binder, APL_FORK, APL_CLASS_FUNCTION, train.span, 3, parts);
        rest -= 2;
    }
    return train;
}

Phrase binder_apply(Binder *binder, const PhraseVec *phrases)
{
    size_t rest = phrases->count - 1;
    Phrase right = phrases->items[rest];
    if (right.node->class == APL_CLASS_FUNCTION)
        return make_train(binder, phrases);
    if (right.node->class != APL_CLASS_ARRAY) {
        if (rest > 0)
            binder_fault(binder, right.span, "an operator is assigned in a statement of its own");
        return right;
    }
    while (rest > 0) {
        Phrase function = phrases->items[--rest];
        if (function.node->class != APL_CLASS_FUNCTION) {
            binder_fault(binder, function.span,
                         "an array stands directly before an assignment; several names are "
                         "assigned as (a b)←");
            break;
        }
        if (rest > 0 && phrases->items[rest - 1].node->class == APL_CLASS_ARRAY) {
            right = apply_dyadic(binder, phrases->items[--rest], function, right);
        } else {
            right = apply_monadic(binder, function, right);
        }
    }
    return right;
}
