/* What is in scope of the random program that is made, and which arrays may share elements.

   The generator knows the extents of most arrays, so that it can index and slice within bounds,
   while the compiler sees names: `let (n : i64) = argument i64 "s1" 7` is 7 when the program runs
   without arguments. Arrays that may share elements have one root (a set that only grows): an
   update consumes all of them, where no body that runs many times stands between. */
#include "tests/random/random.h"

static uint64_t next(Generator *g)
{
    g->state += 0x9E3779B97F4A7C15u;
    uint64_t z = g->state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

int64_t below(Generator *g, int64_t limit)
{
    return (int64_t)(next(g) % (uint64_t)limit);
}

bool chance(Generator *g, int in)
{
    return below(g, in) == 0;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

Mark enter_branch(Generator *g)
{
    Mark mark = {g->count, g->size_count, g->certificate_count, g->inside, g->pure, g->level,
                 g->depth, g->runs};
    g->inside = true;
    g->depth++;
    return mark;
}

Mark enter(Generator *g, int64_t width)
{
    Mark mark = enter_branch(g);
    g->level++;
    g->runs *= width == UNKNOWN ? 16 : width > 1 ? width : 1;
    return mark;
}

void leave(Generator *g, Mark mark)
{
    g->count = mark.count;
    g->size_count = mark.size_count;
    g->certificate_count = mark.certificate_count;
    g->inside = mark.inside;
    g->pure = mark.pure;
    g->level = mark.level;
    g->depth = mark.depth;
    g->runs = mark.runs;
}

CoreName *fresh(Generator *g, CoreType type)
{
    type.unique = false;
    return core_name(g->c, "v", type, (Span){0});
}

/* ---- sharing --------------------------------------------------------------------------------- */

/* The last root stands for all that are too many: never consumed. */
static int new_root(Generator *g, bool borrowed)
{
    int root = g->root_count < MAX_ROOTS - 1 ? g->root_count++ : MAX_ROOTS - 1;
    g->roots[root].parent = root;
    g->roots[root].level = g->level;
    g->roots[root].borrowed = borrowed || root == MAX_ROOTS - 1;
    return root;
}

static int find_root(Generator *g, int root)
{
    while (g->roots[root].parent != root) {
        root = g->roots[root].parent;
    }
    return root;
}

void share(Generator *g, const Value *a, const Value *b)
{
    int x = find_root(g, a->root), y = find_root(g, b->root);
    int low = x < y ? x : y, high = x < y ? y : x;
    if (low != high) {
        g->roots[low].parent = high; /* the last root stays one */
        g->roots[high].borrowed |= g->roots[low].borrowed;
        if (g->roots[low].level < g->roots[high].level) {
            g->roots[high].level = g->roots[low].level;
        }
    }
}

bool may_consume(Generator *g, const Value *v)
{
    int root = find_root(g, v->root);
    return v->atom.name && v->rank > 0 && !g->roots[root].borrowed &&
           g->roots[root].level == g->level;
}

bool may_share(Generator *g, const Value *a, const Value *b)
{
    return a->rank > 0 && b->rank > 0 && find_root(g, a->root) == find_root(g, b->root);
}

void consume(Generator *g, const Value *v)
{
    int root = find_root(g, v->root);
    for (size_t i = 0; i < g->count; i++) {
        if (g->scope[i].rank > 0 && find_root(g, g->scope[i].root) == root) {
            g->scope[i].consumed = true;
        }
    }
}

void lend(Generator *g, const Value *v)
{
    g->roots[find_root(g, v->root)].borrowed = true;
}

/* ---- the scope ------------------------------------------------------------------------------- */

static void add(Generator *g, CoreAtom atom, int rank, const int64_t *extent, int root)
{
    if (g->count == MAX_SCOPE) {
        return;
    }
    Value *v = &g->scope[g->count++];
    *v = (Value){.atom = atom, .rank = rank, .root = root};
    for (int i = 0; i < rank; i++) {
        v->extent[i] = extent[i];
    }
}

void keep(Generator *g, CoreAtom atom, int rank, const int64_t *extent)
{
    add(g, atom, rank, extent, rank > 0 ? new_root(g, false) : 0);
}

void keep_like(Generator *g, CoreAtom atom, Value like)
{
    keep(g, atom, like.rank, like.extent);
}

void keep_scalar(Generator *g, CoreAtom atom)
{
    keep(g, atom, 0, NULL);
}

void keep_view(Generator *g, CoreAtom atom, int rank, const int64_t *extent, const Value *of)
{
    add(g, atom, rank, extent, of->root);
}

void keep_view_like(Generator *g, CoreAtom atom, Value like, const Value *of)
{
    keep_view(g, atom, like.rank, like.extent, of);
}

void keep_borrowed(Generator *g, CoreAtom atom, Value like)
{
    add(g, atom, like.rank, like.extent, like.rank > 0 ? new_root(g, true) : 0);
}

void keep_size(Generator *g, CoreAtom atom, int64_t extent)
{
    if (g->size_count < MAX_SCOPE && atom.name) {
        g->sizes[g->size_count].atom = atom;
        g->sizes[g->size_count++].extent = extent;
    }
}

int64_t elements(const Value *v)
{
    int64_t product = 1;
    for (int i = 0; i < v->rank; i++) {
        if (v->extent[i] == UNKNOWN) {
            return UNKNOWN;
        }
        product *= v->extent[i];
    }
    return product;
}

bool pick(Generator *g, int prim, int rank, Value *found)
{
    size_t candidates = 0;
    for (size_t i = 0; i < g->count; i++) {
        const Value *v = &g->scope[i];
        bool fits = !v->consumed && (prim < 0 || (int)v->atom.prim == prim) &&
                    (rank < 0 ? v->rank > 0 : v->rank == rank);
        /* Later names are chosen more often. */
        if (fits && (candidates == 0 || below(g, 3) == 0)) {
            *found = *v;
            candidates++;
        }
    }
    return candidates > 0;
}
