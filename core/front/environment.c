/* What names mean in the front form. Function values keep the environment in which they were
   written, so environments are persistent: binding a name gives a new environment and leaves the
   old one as it was.

       let x = 1 let f y = x + y let x = 2 in f x        -- f's x is 1

   An environment is a tree of 4-fold nodes along the bits of a name's hashed address: looking up
   and binding take as many steps as the tree is deep, eight for 50,000 names. */
#include "core/front/elaborate.h"
#include "base/spelling.h"

#include <stdint.h>

enum { BRANCH_BITS = 2, BRANCHES = 1 << BRANCH_BITS };

struct Environment {
    const char *name; /* of a leaf; NULL: a node */
};

typedef struct Leaf {
    Environment base;
    Value value;
} Leaf;

typedef struct Node {
    Environment base;
    const Environment *branches[BRANCHES];
} Node;

/* Both begin with their base. */
static const Node *node_at(const Environment *at)
{
    return (const Node *)at;
}

/* Multiplying by an odd number loses nothing: different names differ in some bit. */
static uint64_t hashed(const char *name)
{
    uint64_t hash = (uint64_t)(uintptr_t)name;
    hash = (hash ^ (hash >> 32)) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
}

static size_t branch_of(const char *name, unsigned level)
{
    return (size_t)(hashed(name) >> (level * BRANCH_BITS)) & (BRANCHES - 1);
}

static const Environment *node_of(Elaborator *e, const Environment *old, size_t branch,
                                  const Environment *child)
{
    Node *node = ARENA_NEW(e->c->arena, Node);
    if (old) {
        *node = *node_at(old);
    }
    node->branches[branch] = child;
    return &node->base;
}

static const Environment *insert(Elaborator *e, const Environment *at, const Environment *leaf,
                                 unsigned level)
{
    if (!at || at->name == leaf->name) {
        return leaf;
    }
    size_t branch = branch_of(leaf->name, level);
    if (at->name) { /* a leaf becomes a node with two leaves */
        const Environment *node = node_of(e, NULL, branch_of(at->name, level), at);
        return insert(e, node, leaf, level);
    }
    return node_of(e, at, branch, insert(e, node_at(at)->branches[branch], leaf, level + 1));
}

const Environment *front_bind(Elaborator *e, const Environment *environment, const char *name,
                              Value value)
{
    Leaf *leaf = ARENA_NEW(e->c->arena, Leaf);
    leaf->base.name = name;
    leaf->value = value;
    return insert(e, environment, &leaf->base, 0);
}

const Value *front_lookup(const Environment *environment, const char *name)
{
    unsigned level = 0;
    while (environment && !environment->name) {
        environment = node_at(environment)->branches[branch_of(name, level++)];
    }
    return environment && environment->name == name ? &((const Leaf *)environment)->value : NULL;
}

/* ---- names that mean nothing ----------------------------------------------------------------- */

static void suggest_bound(Spelling *spelling, const Environment *environment)
{
    if (environment && environment->name) {
        spelling_consider(spelling, environment->name);
    }
    for (size_t i = 0; environment && !environment->name && i < BRANCHES; i++) {
        suggest_bound(spelling, node_at(environment)->branches[i]);
    }
}

static const char *suggestion(Elaborator *e, const char *name)
{
    Spelling spelling = spelling_of(name);
    suggest_bound(&spelling, e->environment);
    for (int builtin = 0; builtin < BUILTIN_COUNT; builtin++) {
        spelling_consider(&spelling, front_builtin_text((Builtin)builtin));
    }
    for (int op = 0; op < CORE_OPERATOR_COUNT; op++) {
        spelling_consider(&spelling, core_operator_text((CoreOperator)op));
    }
    return spelling.best;
}

void front_unknown(Elaborator *e, const char *name, Span span)
{
    for (size_t i = e->definition_count; i < e->program->count; i++) {
        if (e->program->definitions[i]->name == name) {
            bool itself = i == e->definition_count;
            front_error(e, span, "NAME ERROR",
                        itself ? "%s calls itself: there is no recursion, write a loop"
                               : "%s is defined further down: definitions see those above them",
                        name);
            return;
        }
    }
    const char *near = suggestion(e, name);
    if (near) {
        front_error(e, span, "NAME ERROR", "%s is not bound here; is it %s?", name, near);
    } else {
        front_error(e, span, "NAME ERROR", "%s is not bound here", name);
    }
}
