/* Binding of statements, remembered. How a statement reads depends on the classes of its names; a
   dfn's statements are bound at their first call and again only where a later call gives a name
   another class (an operand that is an array here and a function there). */
#include "apl/elaborate/internal.h"

typedef struct Query {
    const char *name;
    AplClass class;
} Query;

typedef struct BoundEntry {
    const AplNode *statement, *bound;
    VEC(Query) queries;
    struct BoundEntry *next;
} BoundEntry;

struct BoundCache {
    BoundEntry *slots[4096];
};

typedef struct Asking {
    Elaboration *e;
    Frame *frame;
    BoundEntry *entry;
} Asking;

AplClass elab_class_of(const Elaboration *e, const Frame *frame, const char *name)
{
    if (strncmp(name, "⎕", 3) == 0) {
        return apl_quad_class(name);
    }
    bool own =
        name == e->alpha || name == e->omega || name == e->alpha_alpha || name == e->omega_omega;
    if (name == e->self) { /* only a file's frame has a table */
        return frame->table == NULL ? APL_CLASS_FUNCTION : APL_CLASS_UNKNOWN;
    }
    const Value *value = own ? elab_lookup_local(frame, name) : elab_lookup(frame, name);
    if (value == NULL) {
        return APL_CLASS_UNKNOWN;
    }
    switch (value->kind) {
    case VALUE_ARRAY:
    case VALUE_TUPLE: return APL_CLASS_ARRAY;
    case VALUE_FUNCTION: return APL_CLASS_FUNCTION;
    case VALUE_OPERATOR:
        if (value->function->dfn != NULL) {
            return value->function->dfn->as.dfn.uses_omega_omega ? APL_CLASS_DYADIC_OPERATOR
                                                                 : APL_CLASS_MONADIC_OPERATOR;
        }
        if (value->function->kind == FUNCTION_BENCH || value->function->kind == FUNCTION_ASSOC) {
            return APL_CLASS_DYADIC_OPERATOR;
        }
        return apl_primitive_class(value->function->primitive);
    case VALUE_POISON: break;
    }
    return APL_CLASS_ERROR;
}

static AplClass ask(void *context, const char *name)
{
    Asking *asking = context;
    Query query = {name, elab_class_of(asking->e, asking->frame, name)};
    vec_push(asking->e->c->arena, &asking->entry->queries, query);
    return query.class;
}

/* Every name that can be seen from the frame, but those of the prelude. */
static const char *suggest(void *context, const char *name)
{
    enum { MOST = 100 }; /* for a file full of unknown names */
    const Asking *asking = context;
    if (++asking->e->suggestions > MOST) {
        return NULL;
    }
    Spelling spelling = spelling_of(name);
    for (const Frame *frame = asking->frame; frame != NULL; frame = frame->outer) {
        if (frame != asking->e->prelude) {
            elab_consider_names(frame, &spelling);
        }
    }
    return spelling.best;
}

static bool still_right(const Elaboration *e, const Frame *frame, const BoundEntry *entry)
{
    for (size_t i = 0; i < entry->queries.count; i++) {
        if (elab_class_of(e, frame, entry->queries.items[i].name) !=
            entry->queries.items[i].class) {
            return false;
        }
    }
    return true;
}

const AplNode *elab_bound(Elaboration *e, Frame *frame, const AplNode *statement)
{
    if (e->cache == NULL) {
        e->cache = ARENA_NEW(e->c->arena, BoundCache);
    }
    BoundEntry **slot = &e->cache->slots[((uintptr_t)statement >> 4) % 4096];
    for (BoundEntry *entry = *slot; entry != NULL; entry = entry->next) {
        if (entry->statement == statement && still_right(e, frame, entry)) {
            return entry->bound;
        }
    }
    BoundEntry *entry = ARENA_NEW(e->c->arena, BoundEntry);
    Asking asking = {e, frame, entry};
    entry->statement = statement;
    entry->bound = apl_bind(e->c, statement, ask, suggest, &asking);
    if (entry->bound == NULL) {
        return NULL;
    }
    entry->next = *slot;
    *slot = entry;
    return entry->bound;
}
