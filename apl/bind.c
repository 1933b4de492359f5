/* Binding: a raw sequence of items becomes applications, by the classes of names.

       a+f b←3   ==>   (dyadic a + (monadic f (assign b 3)))     where f is a function
                 ==>   an error at b: "several names are assigned as (a b)←"   where f is an array

   A statement is read right to left, since a name assigned in it is known to its left. It is cut at
   its arrows: the items right of the last arrow are bound (each to its class; parentheses and
   brackets first), grouped and applied (phrases.c); the value goes to the target at the arrow's
   left; the assignment is then the rightmost phrase of what remains, up to the arrow before. So
   long chains are loops here, and recursion is as deep as parentheses and brackets nest. */
#include "apl/bind.h"

#include <stdarg.h>

/* ---- reports --------------------------------------------------------------------------------- */

void binder_fault(Binder *binder, Span span, const char *format, ...)
{
    if (!binder->failed) {
        va_list arguments;
        va_start(arguments, format);
        diagnostics_add_list(binder->c->diagnostics, span, "SYNTAX ERROR", format, arguments);
        va_end(arguments);
    }
    binder->failed = true;
}

AplNode *binder_placeholder(Binder *binder, Span span)
{
    return apl_node(binder->c, APL_ZILDE, span);
}

const char *binder_excerpt(Binder *binder, Span span)
{
    enum { LONGEST = 24 };
    const char *text = span.file->text + span.start;
    size_t length = span.end - span.start, shown = 0;
    while (shown < length && shown < LONGEST && text[shown] != '\n' && text[shown] != '\r')
        shown++;
    bool whole = shown == length;
    while (!whole && shown > 0 && ((unsigned char)text[shown] & 0xC0) == 0x80)
        shown--;
    return arena_printf(binder->c->arena, "%.*s%s", (int)shown, text, whole ? "" : "…");
}

AplNode *binder_node(Binder *binder, AplKind kind, AplClass class, Span span, size_t count,
                     AplNode *const *items)
{
    enum { MOST_APPLICATIONS = 10 * NESTING_LIMIT };
    if (++binder->applications > MOST_APPLICATIONS) {
        if (!binder->failed) {
            diagnostics_add(
                binder->c->diagnostics, span, "LIMIT ERROR",
                "more than %d functions, operators and assignments in a statement; assign a "
                "part of it to a name first",
                MOST_APPLICATIONS);
        }
        binder->failed = true;
    }
    AplNode *node = apl_node_of(binder->c, kind, span, count, items);
    node->class = class;
    return node;
}

/* ---- names ----------------------------------------------------------------------------------- */

static AplClass class_of_name(Binder *binder, const char *name)
{
    AplClass assigned = name_classes_get(&binder->assigned, name);
    if (assigned != APL_CLASS_UNKNOWN)
        return assigned;
    return binder->class_of(binder->context, name);
}

/* The class of a raw item where it can be said without binding it. */
static AplClass known_class(Binder *binder, const AplNode *item)
{
    if (item->kind == APL_NAME || item->kind == APL_QUAD_NAME)
        return class_of_name(binder, item->as.text);
    if (item->kind == APL_SELF)
        return class_of_name(binder, intern(binder->c, "∇"));
    return item->class;
}

static bool is_name_of(Binder *binder, const AplNode *item, AplClass class)
{
    return item->kind == APL_NAME && known_class(binder, item) == class;
}

/* ⍺ ⍵ ⍺⍺ ⍵⍵: names that nobody assigns. */
static bool is_parameter(const AplNode *name)
{
    return strncmp(name->as.text, "⍺", strlen("⍺")) == 0 ||
           strncmp(name->as.text, "⍵", strlen("⍵")) == 0;
}

static void report_unknown(Binder *binder, const AplNode *name)
{
    const char *text = name->kind == APL_SELF ? "∇" : name->as.text;
    const char *why = "has no value", *near = NULL;
    if (name->kind == APL_SELF) {
        why = "has no meaning outside a dfn; a function is written f←{⍵+1}";
    } else if (name->kind == APL_QUAD_NAME) {
        why = "is not a system name";
        near = apl_quad_suggestion(text);
    } else if (is_parameter(name)) {
        why = strcmp(text, "⍺") == 0   ? "has no value: there is no left argument"
              : strcmp(text, "⍵") == 0 ? "has no value outside a dfn"
                                       : "has no value outside an operator";
    } else if (binder->suggest != NULL) {
        near = binder->suggest(binder->context, text);
    }
    if (near == NULL && name == binder->before_assigned && name->kind != APL_SELF) {
        why = "has no value; several names are assigned as (a b)←";
    }
    if (near != NULL) {
        diagnostics_add(binder->c->diagnostics, name->span, "VALUE ERROR",
                        "'%s' %s; did you mean '%s'?", text, why, near);
    } else {
        diagnostics_add(binder->c->diagnostics, name->span, "VALUE ERROR", "'%s' %s", text, why);
    }
    binder->failed = true;
}

static AplNode *bind_name(Binder *binder, const AplNode *name)
{
    AplClass class = known_class(binder, name);
    if (class == APL_CLASS_UNKNOWN)
        report_unknown(binder, name);
    if (class == APL_CLASS_ERROR)
        binder->failed = true;
    if (class == APL_CLASS_UNKNOWN || class == APL_CLASS_ERROR)
        return binder_placeholder(binder, name->span);
    AplNode *bound = arena_copy(binder->c->arena, name, sizeof *name);
    bound->class = class;
    return bound;
}

/* ---- items ----------------------------------------------------------------------------------- */

static Phrase bind_sequence(Binder *binder, const AplNode *sequence);

static AplNode *bind_array(Binder *binder, const AplNode *sequence, const char *role)
{
    Phrase value = bind_sequence(binder, sequence);
    if (value.node->class != APL_CLASS_ARRAY) {
        binder_fault(binder, value.span, "%s is an array, not a function", role);
    }
    return value.node;
}

static AplNode *bind_brackets(Binder *binder, const AplNode *brackets)
{
    AplNode **slots = ARENA_ARRAY(binder->c->arena, AplNode *, brackets->count);
    for (size_t i = brackets->count; i-- > 0;) {
        if (brackets->items[i])
            slots[i] = bind_array(binder, brackets->items[i], "an index or axis");
    }
    AplNode *bound = apl_node(binder->c, APL_BRACKETS, brackets->span);
    bound->count = brackets->count;
    bound->items = slots;
    return bound;
}

static Phrase bind_item(Binder *binder, AplNode *item)
{
    switch (item->kind) {
    case APL_NAME:
    case APL_QUAD_NAME:
    case APL_SELF: return (Phrase){bind_name(binder, item), item->span};
    case APL_PAREN: return (Phrase){bind_sequence(binder, item->items[0]).node, item->span};
    case APL_BRACKETS: return (Phrase){bind_brackets(binder, item), item->span};
    case APL_QUAD:
        binder_fault(binder, item->span, "input from ⎕ is not supported");
        return (Phrase){binder_placeholder(binder, item->span), item->span};
    case APL_BOOL:
    case APL_INT:
    case APL_DOUBLE:
    case APL_COMPLEX:
    case APL_CHAR:
    case APL_STRING:
    case APL_ZILDE:
    case APL_GLYPH:
    case APL_DFN: return (Phrase){item, item->span};
    case APL_SEQUENCE:
    case APL_ASSIGN_ARROW:
    case APL_STRAND:
    case APL_MONADIC:
    case APL_DYADIC:
    case APL_INDEX:
    case APL_ASSIGN:
    case APL_MODIFY:
    case APL_DERIVED:
    case APL_AXIS:
    case APL_FORK:
    case APL_ATOP:
    case APL_GUARD:
    case APL_DEFAULT:
    case APL_ERROR: break;
    }
    internal_error(binder->c, "node kind %d is no item of a raw sequence", (int)item->kind);
}

/* Binds items without arrows, right to left, and appends the phrases that they make. */
static void bind_items(Binder *binder, AplNode *const *items, size_t count, PhraseVec *phrases)
{
    Phrase *bound = ARENA_ARRAY(binder->c->arena, Phrase, count);
    for (size_t i = count; i-- > 0;)
        bound[i] = bind_item(binder, items[i]);
    binder_group(binder, bound, count, phrases);
}

/* ---- assignment ------------------------------------------------------------------------------ */

/* An arrow of a sequence, the value at its right, and what the assignment leaves to be done: the
   phrases at the right end of what remains, the items before `remaining`. */
typedef struct Assignment {
    AplNode *const *items;
    size_t arrow;
    Phrase value;
    PhraseVec pending;
    size_t remaining;
} Assignment;

static void finish_assignment(Binder *binder, Assignment *assignment, AplNode *target,
                              size_t first_item)
{
    AplNode *parts[] = {target, assignment->value.node};
    AplClass class = assignment->value.node->class;
    if (target->kind != APL_NAME && class != APL_CLASS_ARRAY) {
        binder_fault(binder, assignment->value.span,
                     "a function or operator is assigned to one name");
    }
    Span span = span_join(assignment->items[first_item]->span, assignment->value.span);
    Phrase phrase = {binder_node(binder, APL_ASSIGN, class, span, 2, parts), span};
    vec_push(binder->c->arena, &assignment->pending, phrase);
    assignment->remaining = first_item;
}

/* A NAME as a target; `class` is what it is from now on. */
static AplNode *bind_target(Binder *binder, const AplNode *name, AplClass class)
{
    if (is_parameter(name)) {
        binder_fault(binder, name->span, "'%s' cannot be assigned", name->as.text);
    } else {
        name_classes_set(binder->c->arena, &binder->assigned, name->as.text, class);
    }
    AplNode *target = arena_copy(binder->c->arena, name, sizeof *name);
    target->class = class;
    return target;
}

/* The names of (a (b c)), with a strand for each list of them; `class` is what a single one gets.
 */
static AplNode *bind_targets(Binder *binder, const AplNode *item, AplClass class)
{
    while (item->kind == APL_PAREN && item->items[0]->count == 1)
        item = item->items[0]->items[0];
    if (item->kind == APL_NAME)
        return bind_target(binder, item, class);
    const AplNode *names = item->items[0];
    AplNode **targets = ARENA_ARRAY(binder->c->arena, AplNode *, names->count);
    for (size_t i = names->count; i-- > 0;) {
        targets[i] = bind_targets(binder, names->items[i], APL_CLASS_ARRAY);
    }
    AplNode *strand = apl_node(binder->c, APL_STRAND, item->span);
    strand->class = APL_CLASS_ARRAY;
    strand->count = names->count;
    strand->items = targets;
    return strand;
}

/* (a b c)←t, (a (b c))←t */
static void assign_strand(Binder *binder, Assignment *assignment)
{
    size_t place = assignment->arrow - 1;
    AplClass class = assignment->value.node->class;
    finish_assignment(binder, assignment, bind_targets(binder, assignment->items[place], class),
                      place);
}

/* ⎕←e, ⎕IO←e */
static void assign_quad(Binder *binder, Assignment *assignment)
{
    AplNode *quad = assignment->items[assignment->arrow - 1];
    AplNode *target = arena_copy(binder->c->arena, quad, sizeof *quad);
    if (quad->kind == APL_QUAD_NAME) {
        target = bind_name(binder, quad);
        if (target->class != APL_CLASS_ARRAY) {
            binder_fault(binder, quad->span, "'%s' cannot be assigned", quad->as.text);
        }
    }
    target->class = APL_CLASS_ARRAY;
    finish_assignment(binder, assignment, target, assignment->arrow - 1);
}

/* a[i;j]←e */
static void assign_indexed(Binder *binder, Assignment *assignment)
{
    PhraseVec phrases = {0};
    size_t place = assignment->arrow - 2;
    bind_items(binder, assignment->items + place, 2, &phrases);
    AplNode *target = phrases.items[0].node;
    if (!binder->failed && apl_target_name(target) == NULL) {
        binder_fault(binder, target->span, "a function cannot be changed by index");
    } else if (is_parameter(assignment->items[place])) {
        binder_fault(binder, target->span, "'%s' cannot be assigned",
                     assignment->items[place]->as.text);
    }
    finish_assignment(binder, assignment, target, place);
}

/* The functions that may stand between the name of a selection and the arrow. */
static const char selecting_one[] = ", ⍪ ⌽ ⊖ ⍉ ↑ ∊ ⊃ ⌷ ⊢";
static const char selecting_two[] = "↑ ↓ / ⌿ ⌽ ⊖ ⍉ ⍴ ⊃ ⌷ ⊢";

static bool is_application(const AplNode *node)
{
    return node->kind == APL_MONADIC || node->kind == APL_DYADIC;
}

/* What is assigned is a variable of the program's own, or items of one that such functions select. */
static void check_target(Binder *binder, const AplNode *target)
{
    const AplNode *name = apl_target_name(target);
    if (is_parameter(name)) {
        binder_fault(binder, name->span, "'%s' cannot be assigned", name->as.text);
    }
    for (; is_application(target); target = target->items[target->count - 1]) {
        const AplNode *function = target->items[target->count - 2], *glyph = function;
        const char *selecting = target->kind == APL_MONADIC ? selecting_one : selecting_two;
        while (glyph->kind == APL_AXIS)
            glyph = glyph->items[0];
        if (glyph->kind != APL_GLYPH ||
            strstr(selecting, apl_primitive_glyph(glyph->as.primitive)) == NULL) {
            binder_fault(binder, function->span,
                         "'%s' does not select items that could be assigned; with %s those are %s",
                         binder_excerpt(binder, function->span),
                         target->kind == APL_MONADIC ? "one argument" : "two arguments", selecting);
        }
    }
}

static void assign_modified(Binder *binder, Assignment *assignment);

/* (2↑v)←e; or v(+⍣k)←e, which ends in the name of an array, too. */
static void assign_selection(Binder *binder, Assignment *assignment)
{
    size_t place = assignment->arrow - 1;
    const AplNode *paren = assignment->items[place];
    Phrase target = bind_item(binder, assignment->items[place]);
    if (!binder->failed && target.node->class == APL_CLASS_FUNCTION) {
        assign_modified(binder, assignment);
        return;
    }
    if (!binder->failed &&
        (target.node->class != APL_CLASS_ARRAY || !apl_target_name(target.node))) {
        binder_fault(binder, paren->span, "'%s' cannot be assigned",
                     binder_excerpt(binder, paren->span));
    } else if (!binder->failed) {
        check_target(binder, target.node);
    }
    finish_assignment(binder, assignment, target.node, place);
}

/* a f←e, a[i] f←e, (2↑a) f←e: all items back to the arrow before are grouped, and the last two phrases taken.
 */
static void assign_modified(Binder *binder, Assignment *assignment)
{
    size_t first = assignment->arrow;
    while (first > 0 && assignment->items[first - 1]->kind != APL_ASSIGN_ARROW)
        first--;
    PhraseVec *phrases = &assignment->pending;
    bind_items(binder, assignment->items + first, assignment->arrow - first, phrases);
    assignment->remaining = first;
    if (binder->failed || phrases->count == 0)
        return;
    Phrase function = phrases->items[phrases->count - 1];
    Phrase target = phrases->count > 1 ? phrases->items[phrases->count - 2] : (Phrase){0};
    bool assignable = target.node && function.node->class == APL_CLASS_FUNCTION &&
                      target.node->class == APL_CLASS_ARRAY && apl_target_name(target.node) != NULL;
    if (!assignable) {
        bool is_target = !target.node || function.node->class != APL_CLASS_FUNCTION;
        Span span = is_target ? function.span : target.span;
        binder_fault(binder, span, "'%s' cannot be assigned", binder_excerpt(binder, span));
        return;
    }
    check_target(binder, target.node);
    if (assignment->value.node->class != APL_CLASS_ARRAY) {
        binder_fault(binder, assignment->value.span,
                     "a function or operator is assigned to one name");
    }
    AplNode *parts[] = {target.node, function.node, assignment->value.node};
    Span span = span_join(target.span, assignment->value.span);
    phrases->count -= 2;
    Phrase phrase = {binder_node(binder, APL_MODIFY, APL_CLASS_ARRAY, span, 3, parts), span};
    vec_push(binder->c->arena, phrases, phrase);
}

/* (2↑v), of an array v. */
static bool is_selection(Binder *binder, const AplNode *item)
{
    while (item->kind == APL_PAREN && item->items[0]->count == 1)
        item = item->items[0]->items[0];
    const AplNode *name = item->kind == APL_PAREN ? apl_selected_name(item->items[0]) : NULL;
    return name && is_name_of(binder, name, APL_CLASS_ARRAY);
}

/* Whether the items before `place` end in an array that a modified assignment may change. */
static bool variable_before(Binder *binder, AplNode *const *items, size_t place)
{
    if (place > 1 && items[place - 1]->kind == APL_BRACKETS)
        place--;
    return place > 0 && (is_name_of(binder, items[place - 1], APL_CLASS_ARRAY) ||
                         is_selection(binder, items[place - 1]));
}

/* What stands left of an arrow decides the form of the assignment. A function there, with a
   variable before it, modifies the variable; a name of a function with anything else before it is
   redefined. */
static void assign(Binder *binder, Assignment *assignment)
{
    AplNode *const *items = assignment->items;
    size_t arrow = assignment->arrow;
    AplNode *before = items[arrow - 1]; /* never an arrow */
    bool names = before->kind == APL_PAREN && apl_all_names(before->items[0]);
    const AplNode *function = names ? before->items[0]->items[0] : before;
    if (known_class(binder, function) == APL_CLASS_FUNCTION &&
        variable_before(binder, items, arrow - 1)) {
        assign_modified(binder, assignment);
    } else if (before->kind == APL_NAME) {
        AplNode *target = bind_target(binder, before, assignment->value.node->class);
        finish_assignment(binder, assignment, target, arrow - 1);
    } else if (before->kind == APL_QUAD || before->kind == APL_QUAD_NAME) {
        assign_quad(binder, assignment);
    } else if (names) {
        assign_strand(binder, assignment);
    } else if (before->kind == APL_BRACKETS && arrow > 1 && items[arrow - 2]->kind == APL_NAME &&
               known_class(binder, items[arrow - 2]) != APL_CLASS_FUNCTION) {
        assign_indexed(binder, assignment);
    } else if (is_selection(binder, before)) {
        assign_selection(binder, assignment);
    } else {
        assign_modified(binder, assignment);
    }
}

/* ---- sequences and statements ---------------------------------------------------------------- */

static Phrase bind_sequence(Binder *binder, const AplNode *sequence)
{
    AplNode *const *items = sequence->items;
    size_t end = sequence->count;
    PhraseVec pending = {0};
    for (;;) {
        size_t start = end;
        while (start > 0 && items[start - 1]->kind != APL_ASSIGN_ARROW)
            start--;
        PhraseVec phrases = {0};
        binder->before_assigned = pending.count > 0 && end > start ? items[end - 1] : NULL;
        bind_items(binder, items + start, end - start, &phrases);
        for (size_t i = 0; i < pending.count; i++)
            vec_push(binder->c->arena, &phrases, pending.items[i]);
        if (phrases.count == 0) { /* brackets alone: reported */
            Phrase nothing = {binder_placeholder(binder, items[start]->span), items[start]->span};
            vec_push(binder->c->arena, &phrases, nothing);
        }
        Phrase value = binder_apply(binder, &phrases);
        if (start == 0)
            return value;
        Assignment assignment = {.items = items, .arrow = start - 1, .value = value};
        assign(binder, &assignment);
        pending = assignment.pending;
        end = assignment.remaining;
    }
}

AplNode *apl_bind(Compilation *c, const AplNode *statement, AplClassOf class_of, AplSuggest suggest,
                  void *context)
{
    if (statement->kind == APL_ERROR)
        return NULL;
    Binder binder = {.c = c, .class_of = class_of, .suggest = suggest, .context = context};
    AplNode *bound;
    if (statement->kind == APL_GUARD) {
        AplNode *parts[2];
        parts[0] = bind_array(&binder, statement->items[0], "the condition of a guard");
        parts[1] = bind_sequence(&binder, statement->items[1]).node;
        bound = apl_node_of(c, APL_GUARD, statement->span, 2, parts);
        bound->class = parts[1]->class;
    } else if (statement->kind == APL_DEFAULT) {
        AplNode *value = bind_sequence(&binder, statement->items[0]).node;
        bound = apl_node_of(c, APL_DEFAULT, statement->span, 1, &value);
        bound->class = value->class;
    } else {
        bound = bind_sequence(&binder, statement).node;
    }
    return binder.failed ? NULL : bound;
}
