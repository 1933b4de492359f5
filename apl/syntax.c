/* What the APL stages share: the tables of primitives and quad names, and node helpers. */
#include "base/spelling.h"
#include "apl/tokens.h"

#include <strings.h>

/* ---- tables ---------------------------------------------------------------------------------- */

typedef struct PrimitiveRow {
    const char *glyph, *name;
    AplClass class;
} PrimitiveRow;

static const PrimitiveRow primitive_rows[] = {
#define APL_PRIMITIVE(enumerator, glyph, name, class, one, two) {glyph, name, class},
#include "apl/primitives.def"
#undef APL_PRIMITIVE
};

const char *apl_primitive_glyph(AplPrimitive primitive)
{
    return primitive_rows[primitive].glyph;
}

const char *apl_primitive_name(AplPrimitive primitive)
{
    return primitive_rows[primitive].name;
}

AplClass apl_primitive_class(AplPrimitive primitive)
{
    return primitive_rows[primitive].class;
}

typedef struct QuadRow {
    const char *name;
    AplClass class;
} QuadRow;

static const QuadRow quad_rows[] = {
    {"⎕IO", APL_CLASS_ARRAY},
    {"⎕PP", APL_CLASS_ARRAY},
    {"⎕RL", APL_CLASS_ARRAY},
    {"⎕A", APL_CLASS_ARRAY},
    {"⎕D", APL_CLASS_ARRAY},
    {"⎕UCS", APL_CLASS_FUNCTION},
    {"⎕NOW", APL_CLASS_FUNCTION},
    {"⎕ReadFile", APL_CLASS_FUNCTION},
    {"⎕ReadIntVecFile", APL_CLASS_FUNCTION},
    {"⎕ReadDoubleVecFile", APL_CLASS_FUNCTION},
    {"⎕ReadCSVInt", APL_CLASS_FUNCTION},
    {"⎕ReadCSVDouble", APL_CLASS_FUNCTION},
    {"⎕ReadNpyBool", APL_CLASS_FUNCTION},
    {"⎕ReadNpyInt", APL_CLASS_FUNCTION},
    {"⎕ReadNpyDouble", APL_CLASS_FUNCTION},
    {"⎕ReadNpyChar", APL_CLASS_FUNCTION},
    {"⎕ArgInt", APL_CLASS_FUNCTION},
    {"⎕ArgDouble", APL_CLASS_FUNCTION},
    {"⎕INT32AND", APL_CLASS_FUNCTION},
    {"⎕INT32OR", APL_CLASS_FUNCTION},
    {"⎕INT32XOR", APL_CLASS_FUNCTION},
    {"⎕INT32NOT", APL_CLASS_FUNCTION},
    {"⎕INT32SHL", APL_CLASS_FUNCTION},
    {"⎕INT32SHR", APL_CLASS_FUNCTION},
    {"⎕INT32SHAR", APL_CLASS_FUNCTION},
    {"⎕INT64AND", APL_CLASS_FUNCTION},
    {"⎕INT64OR", APL_CLASS_FUNCTION},
    {"⎕INT64XOR", APL_CLASS_FUNCTION},
    {"⎕INT64NOT", APL_CLASS_FUNCTION},
    {"⎕INT64SHL", APL_CLASS_FUNCTION},
    {"⎕INT64SHR", APL_CLASS_FUNCTION},
    {"⎕INT64SHAR", APL_CLASS_FUNCTION},
    {"⎕INT64DIV", APL_CLASS_FUNCTION},
    {"⎕BENCH", APL_CLASS_DYADIC_OPERATOR},
    {"⎕ASSOC", APL_CLASS_DYADIC_OPERATOR},
};

AplClass apl_quad_class(const char *name)
{
    for (size_t i = 0; i < sizeof quad_rows / sizeof *quad_rows; i++) {
        if (strcmp(quad_rows[i].name, name) == 0)
            return quad_rows[i].class;
    }
    return APL_CLASS_UNKNOWN;
}

const char *apl_quad_suggestion(const char *name)
{
    const size_t quad = strlen("⎕");
    Spelling spelling = spelling_of(name + quad);
    for (size_t i = 0; i < sizeof quad_rows / sizeof *quad_rows; i++) {
        if (strcasecmp(name, quad_rows[i].name) == 0) {
            return quad_rows[i].name;
        }
        spelling_consider(&spelling, quad_rows[i].name + quad);
    }
    return spelling.best == NULL ? NULL : spelling.best - quad;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

AplNode *apl_node(Compilation *c, AplKind kind, Span span)
{
    AplNode *node = ARENA_NEW(c->arena, AplNode);
    node->kind = kind;
    node->span = span;
    if (kind == APL_ZILDE)
        node->class = APL_CLASS_ARRAY;
    return node;
}

AplNode *apl_node_of(Compilation *c, AplKind kind, Span span, size_t count, AplNode *const *items)
{
    AplNode *node = apl_node(c, kind, span);
    node->count = count;
    if (count)
        node->items = arena_copy(c->arena, items, count * sizeof *items);
    return node;
}

const AplNode *apl_target_name(const AplNode *target)
{
    while (target->kind == APL_MONADIC || target->kind == APL_DYADIC)
        target = target->items[target->count - 1];
    if (target->kind == APL_INDEX)
        target = target->items[0];
    return target->kind == APL_NAME ? target : NULL;
}

bool apl_all_names(const AplNode *sequence)
{
    for (size_t i = 0; i < sequence->count; i++) {
        const AplNode *item = sequence->items[i];
        if (item->kind != APL_NAME && !(item->kind == APL_PAREN && apl_all_names(item->items[0])))
            return false;
    }
    return sequence->count > 0;
}

const AplNode *apl_selected_name(const AplNode *sequence)
{
    size_t last = sequence->count - 1;
    const AplNode *item = sequence->items[last];
    if (item->kind == APL_BRACKETS && last > 0)
        item = sequence->items[last - 1];
    if (item->kind == APL_PAREN)
        return apl_selected_name(item->items[0]);
    return item->kind == APL_NAME ? item : NULL;
}

typedef struct NameVisitor {
    void (*visit)(void *context, const char *name);
    void *context;
} NameVisitor;

static void visit_targets(const AplNode *node, const NameVisitor *visitor);

/* The names of (a (b c))←. */
static void visit_names(const AplNode *paren, const NameVisitor *visitor)
{
    const AplNode *sequence = paren->items[0];
    for (size_t i = 0; i < sequence->count; i++) {
        const AplNode *item = sequence->items[i];
        if (item->kind == APL_NAME)
            visitor->visit(visitor->context, item->as.text);
        else if (item->kind == APL_PAREN)
            visit_names(item, visitor);
    }
}

static void visit_sequence(const AplNode *sequence, const NameVisitor *visitor)
{
    for (size_t i = 0; i < sequence->count; i++) {
        const AplNode *item = sequence->items[i];
        bool assigned = i + 1 < sequence->count && sequence->items[i + 1]->kind == APL_ASSIGN_ARROW;
        bool modified = i == 0 && sequence->count > 2 && sequence->items[1]->kind == APL_GLYPH &&
                        sequence->items[2]->kind == APL_ASSIGN_ARROW;
        if ((assigned || modified) && item->kind == APL_NAME) {
            visitor->visit(visitor->context, item->as.text);
        } else if (assigned && item->kind == APL_PAREN && apl_all_names(item->items[0])) {
            visit_names(item, visitor);
        } else {
            visit_targets(item, visitor);
        }
    }
}

static void visit_targets(const AplNode *node, const NameVisitor *visitor)
{
    if (node->kind == APL_SEQUENCE) {
        visit_sequence(node, visitor);
    } else if (node->kind == APL_ERROR) {
        for (size_t i = 0; i < node->count; i++)
            visitor->visit(visitor->context, node->items[i]->as.text);
    } else if (node->kind == APL_PAREN || node->kind == APL_BRACKETS || node->kind == APL_GUARD ||
               node->kind == APL_DEFAULT) {
        for (size_t i = 0; i < node->count; i++) {
            if (node->items[i])
                visit_targets(node->items[i], visitor);
        }
    }
}

void apl_assigned_names(const AplNode *statement, void (*visit)(void *context, const char *name),
                        void *context)
{
    NameVisitor visitor = {visit, context};
    visit_targets(statement, &visitor);
}
