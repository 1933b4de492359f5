/* [L0 7.4], [REDO 3.2] The data-flow graph of a body, and its reduction by fusion.

   Nodes are statements; SOACs that have become one are one node. There is an edge from each
   statement to those that use what it binds, and an edge of order between statements that must not
   pass each other: effects and what may fail, and uses of an array before it is consumed.

       let b = map n f a                         let (s, t) = redomap n
       let s = reduce n + 0 b           ==>          (\x -> f x + 0 ...) a      -- one node
       let t = reduce n max 0 b

   Two SOACs of one width become one (merge.c) where

   - each edge between them is a row-by-row input of a mapped result: not a whole array that the
     other reads at other places, not a reduction's or scan's result (the label of [L0 7.4.1]);
   - no other path leads from one to the other: what lies on it would have to run between them;
   - nothing on a path consumes what they read: such paths are there, by the edges of order;
   - their nests fit: both go through the same widths, or one is work at the other's outer level: cheap work before it,
     or work behind it with the numbers that it makes, or they differ in what each number is made of, a few rows.

   A producer and its consumer are one then (vertical fusion, the T2 reduction of [L0 7.4]), and so
   are SOACs that read a common array (horizontal fusion). Results that others use stay results. */
#include "core/fuse/graph.h"

/* A search that takes more steps finds a path: the two stay apart. Where searches have taken many
   steps together, as in long programs, each may take few. */
enum {
    MOST_STEPS = 20000,
    MOST_ALL_STEPS = 1000000,
    FEW_STEPS = 200,
    MOST_CANDIDATES = 16,
    MOST_MEMBERS = 8 /* of a stream */
};

static size_t find(FuseGraph *g, size_t node)
{
    while (g->nodes[node].parent != node) {
        g->nodes[node].parent = g->nodes[g->nodes[node].parent].parent;
        node = g->nodes[node].parent;
    }
    return node;
}

/* ---- legality ---------------------------------------------------------------------------- */

/* Whether a path leads from `node` back to `goal`. */
static bool reaches(FuseGraph *g, size_t node, size_t goal)
{
    size_t most = g->all_steps > MOST_ALL_STEPS ? FEW_STEPS : MOST_STEPS;
    g->stack.count = 0;
    vec_push(g->f->arena, &g->stack, node);
    while (g->stack.count > 0) {
        size_t at = find(g, g->stack.items[--g->stack.count]);
        g->all_steps++;
        if (at == goal || g->steps++ > most) {
            return true;
        }
        if (g->nodes[at].stamp == g->stamp) {
            continue;
        }
        g->nodes[at].stamp = g->stamp;
        for (size_t i = 0; i < g->nodes[at].before.count; i++) {
            vec_push(g->f->arena, &g->stack, g->nodes[at].before.items[i].to);
        }
    }
    return false;
}

/* Every path from the first to the second is one edge that hands over rows; else why not, and what
   stands between them. */
static CoreReason legality(FuseGraph *g, size_t first, size_t second, const CoreStm **between)
{
    g->stamp++;
    g->steps = 0;
    FuseNode *node = &g->nodes[second];
    for (size_t i = 0; i < node->before.count; i++) {
        size_t before = find(g, node->before.items[i].to);
        if (before == first) {
            if (!node->before.items[i].rows) {
                return node->before.items[i].why;
            }
        } else if (before != second && reaches(g, before, first)) {
            *between = g->nodes[before].stm;
            return core_is_view((*between)->exp->kind) ? CORE_REASON_VIEW : CORE_REASON_BETWEEN;
        }
    }
    return CORE_REASON_NONE;
}

static bool is_legal(FuseGraph *g, size_t first, size_t second)
{
    const CoreStm *between = NULL;
    return legality(g, first, second, &between) == CORE_REASON_NONE;
}

/* ---- fusion ------------------------------------------------------------------------------ */

/* Whether it takes something of the other. */
static bool takes_from(FuseGraph *g, size_t node, size_t other)
{
    const FuseNode *taker = &g->nodes[node];
    for (size_t i = 0; i < taker->before.count; i++) {
        if (find(g, taker->before.items[i].to) == other) {
            return true;
        }
    }
    return false;
}

/* The second becomes one SOAC or stream with the first, whichever of them hands rows to the other. */
static void merge(FuseGraph *g, size_t first, size_t second)
{
    FuseNode *kept = &g->nodes[second];
    bool turned = takes_from(g, first, second);
    const CoreStm *giver = g->nodes[turned ? second : first].stm;
    const CoreStm *taker = g->nodes[turned ? first : second].stm;
    if (fuse_is_stream(g->nodes[first].stm) || fuse_is_stream(kept->stm)) {
        kept->stm = fuse_merge_streams(g->f, giver, taker);
    } else {
        kept->stm = fuse_merge(g->f, giver, taker);
        kept->nest = fuse_nest(kept->stm);
        kept->is_scan = kept->stm->exp->as.soac.scan_count > 0;
    }
}

/* Both stand beside each other. */
static void put_beside(FuseGraph *g, size_t first, size_t second)
{
    FuseNode *kept = &g->nodes[second];
    for (size_t i = 0; i < g->nodes[first].members.count; i++) {
        vec_push(g->f->arena, &kept->members, g->nodes[first].members.items[i]);
    }
    kept->is_scan = true;
}

/* Both are the second node from now on. */
static void unite(FuseGraph *g, size_t first, size_t second)
{
    FuseNode *kept = &g->nodes[second];
    g->nodes[first].parent = second;
    for (size_t i = 0; i < g->nodes[first].before.count; i++) {
        vec_push(g->f->arena, &kept->before, g->nodes[first].before.items[i]);
    }
    size_t count = 0;
    for (size_t i = 0; i < kept->before.count; i++) {
        if (find(g, kept->before.items[i].to) != second) {
            kept->before.items[count++] = kept->before.items[i];
        }
    }
    kept->before.count = count;
    g->merged = true;
}

static void join(FuseGraph *g, size_t first, size_t second)
{
    if (g->f->in_order) {
        put_beside(g, first, second);
    } else {
        merge(g, first, second);
    }
    unite(g, first, second);
}

static bool fit_as_loop(Fuse *f, const FuseNode *first, const FuseNode *second)
{
    return first->is_scan && first->members.count + second->members.count <= MOST_MEMBERS &&
           fuse_fit(f, first, second);
}

static bool may_join(const FuseGraph *g, const FuseNode *first, const FuseNode *second)
{
    return g->f->in_pairs   ? fuse_fit_as_pair(g, first, second)
           : g->f->in_order ? fit_as_loop(g->f, first, second)
                            : fuse_fit(g->f, first, second);
}

static CoreRule rule_of(const Fuse *f, const FuseNode *first, const FuseNode *second)
{
    return f->in_pairs                                                 ? CORE_RULE_FUSE_PAIR
           : f->in_order                                               ? CORE_RULE_FUSE_STREAM
           : fuse_is_stream(first->stm) || fuse_is_stream(second->stm) ? CORE_RULE_FUSE_CHUNKS
                                                                       : CORE_RULE_FUSE_VERTICAL;
}

/* [L0 7.4] A producer whose rows it takes: T2. In streams only what has a scan: the others are one
   SOAC already. */
static bool fuse_vertically(FuseGraph *g, size_t node)
{
    for (size_t i = g->nodes[node].before.count; i-- > 0;) {
        size_t before = find(g, g->nodes[node].before.items[i].to);
        if (g->nodes[node].before.items[i].rows && before != node &&
            may_join(g, &g->nodes[before], &g->nodes[node]) && is_legal(g, before, node)) {
            CoreRule rule = rule_of(g->f, &g->nodes[before], &g->nodes[node]);
            fuse_log_done(g->f, rule, g->nodes[before].stm, g->nodes[node].stm, NULL);
            join(g, before, node);
            fuse_fired(g->f, rule);
            return true;
        }
    }
    return false;
}

const CoreName *fuse_origin(Fuse *f, CoreAtom atom)
{
    const CoreStm *stm;
    for (int i = 0; i < 64 && (stm = fuse_definition(f, atom)) != NULL; i++) {
        switch ((int)stm->exp->kind) { /* views of one array */
        case CORE_EXP_ATOM: atom = stm->exp->as.atom; continue;
        case CORE_EXP_INDEX: atom = stm->exp->as.index.array; continue;
        case CORE_EXP_REARRANGE: atom = stm->exp->as.rearrange.array; continue;
        case CORE_EXP_RESHAPE: atom = stm->exp->as.reshape.array; continue;
        case CORE_EXP_ROTATE: atom = stm->exp->as.rotate.array; continue;
        case CORE_EXP_REVERSE: atom = stm->exp->as.reverse.array; continue;
        case CORE_EXP_SLICE: atom = stm->exp->as.slice.array; continue;
        }
        break;
    }
    return atom.name;
}

enum { MOST_READ = 24 };

/* Arrays that the SOAC, stream or filter reads: its inputs, and what its function reads at any place. */
static size_t arrays_read(Fuse *f, const CoreStm *stm, const CoreName *arrays[MOST_READ])
{
    bool is_filter = stm->exp->kind == CORE_EXP_FILTER;
    size_t input_count = is_filter ? stm->exp->as.filter.input_count : 0, count = 0;
    const CoreAtom *inputs =
        is_filter ? stm->exp->as.filter.inputs : fuse_inputs_of(stm, &input_count);
    const CoreBody *body =
        is_filter ? stm->exp->as.filter.predicate->body : fuse_function_body(stm);
    for (size_t i = 0; i < input_count && count < MOST_READ; i++) {
        arrays[count++] = fuse_origin(f, inputs[i]);
    }
    for (size_t i = 0; i < body->stm_count && count < MOST_READ; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        if (exp->kind == CORE_EXP_INDEX) {
            arrays[count++] = fuse_origin(f, exp->as.index.array);
        }
    }
    return count;
}

/* An array that both read; NULL: there is none. `stored`: one that is in memory. */
static const CoreName *shared_array(Fuse *f, const CoreStm *a, const CoreStm *b, bool stored)
{
    const CoreName *xs[MOST_READ], *ys[MOST_READ];
    size_t x_count = arrays_read(f, a, xs), y_count = arrays_read(f, b, ys);
    for (size_t i = 0; i < x_count; i++) {
        const CoreStm *stm =
            xs[i] ? fuse_definition(f, core_use((CoreName *)(uintptr_t)xs[i])) : NULL;
        bool is_view = stm && core_is_view(stm->exp->kind);
        for (size_t k = 0; k < y_count && !(stored && (is_view || !xs[i])); k++) {
            if (xs[i] == ys[k]) {
                return xs[i];
            }
        }
    }
    return NULL;
}

static bool share_array(Fuse *f, const CoreStm *a, const CoreStm *b)
{
    return shared_array(f, a, b, false) != NULL;
}

/* The SOAC goes over rows of that node, turned round where `turned`. */
static bool goes_over(FuseGraph *g, const CoreStm *stm, size_t other, bool turned)
{
    size_t count;
    const CoreAtom *inputs = fuse_inputs_of(stm, &count);
    for (size_t i = 0; i < count; i++) {
        const CoreStm *view = fuse_turning(g->f, inputs[i]);
        CoreAtom input = view != NULL ? fuse_turned_array(view) : inputs[i];
        const FuseNode *binder =
            input.name != NULL ? pointer_map_get(&g->binders, input.name) : NULL;
        if ((view != NULL) == turned && binder != NULL &&
            find(g, (size_t)(binder - g->nodes)) == other) {
            return true;
        }
    }
    return false;
}

enum { MOST_LOOKED = 64 /* SOACs behind those that may become one */ };

/* The scan that the node is, or that is the first to go over what it makes; SIZE_MAX: none is. */
static size_t scan_of(FuseGraph *g, size_t node)
{
    for (size_t i = node; i < g->count && i - node < MOST_LOOKED; i++) {
        if (g->nodes[i].is_scan && find(g, i) == i &&
            (i == node || goes_over(g, g->nodes[i].stm, node, false))) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* A scan, or what makes its rows, and a SOAC whose rows some other takes as they are beside those of the scan, turned
   round. With the scan it is a pair (turned.c, pairs.c), and does not read what that makes; of both in one it would read
   all. */
static bool are_opposite(FuseGraph *g, size_t a, size_t b)
{
    size_t first = (a > b ? a : b) + 1, x = scan_of(g, a), y = scan_of(g, b);
    bool any = x != SIZE_MAX || y != SIZE_MAX;
    for (size_t i = first; any && i < g->count && i - first < MOST_LOOKED; i++) {
        const CoreStm *stm = g->nodes[i].stm;
        if (g->nodes[i].is_soac && find(g, i) == i &&
            ((goes_over(g, stm, a, false) && goes_over(g, stm, y, true)) ||
             (goes_over(g, stm, b, false) && goes_over(g, stm, x, true)))) {
            return true;
        }
    }
    return false;
}

/* [REDO 3.2] One that reads an array which this one reads, too. */
static bool fuse_horizontally(FuseGraph *g, size_t node, const size_t *candidates, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t other = find(g, candidates[i]);
        if (other != node && fuse_fit_beside(g->f, &g->nodes[other], &g->nodes[node]) &&
            share_array(g->f, g->nodes[other].stm, g->nodes[node].stm) &&
            !are_opposite(g, other, node) && is_legal(g, other, node) && is_legal(g, node, other)) {
            fuse_log_done(g->f, CORE_RULE_FUSE_HORIZONTAL, g->nodes[other].stm, g->nodes[node].stm,
                          NULL);
            join(g, other, node);
            fuse_fired(g->f, CORE_RULE_FUSE_HORIZONTAL);
            return true;
        }
    }
    return false;
}

static void fuse_nodes(FuseGraph *g)
{
    size_t candidates[MOST_CANDIDATES], count = 0, next = 0;
    for (size_t i = 0; i < g->count; i++) {
        if (!g->nodes[i].is_soac) {
            continue;
        }
        while (fuse_vertically(g, i) ||
               (!g->f->in_order && fuse_horizontally(g, i, candidates, count))) {
        }
        candidates[next++ % MOST_CANDIDATES] = i;
        count = next < MOST_CANDIDATES ? next : MOST_CANDIDATES;
    }
}

enum { MOST_BETWEEN = 64 /* statements between two that are launched together */ };

/* One before it that goes over equally many rows (launches.c). */
static bool launch_together(FuseGraph *g, size_t node)
{
    for (size_t i = node; i > 0 && node - i < MOST_BETWEEN; i--) {
        size_t other = i - 1;
        if (find(g, other) == other && g->nodes[other].is_soac &&
            g->nodes[other].members.count == 1 &&
            fuse_fit_in_launch(g->nodes[other].stm, g->nodes[node].stm) &&
            is_legal(g, other, node) && is_legal(g, node, other)) {
            fuse_log_done(g->f, CORE_RULE_FUSE_LAUNCH, g->nodes[other].stm, g->nodes[node].stm,
                          NULL);
            merge(g, other, node);
            unite(g, other, node);
            fuse_fired(g->f, CORE_RULE_FUSE_LAUNCH);
            return true;
        }
        if (find(g, other) != node && !fuse_makes_no_array(g->body->stms[other])) {
            return false;
        }
    }
    return false;
}

static void launch_nodes(FuseGraph *g)
{
    for (size_t i = 0; i < g->count; i++) {
        while (find(g, i) == i && g->nodes[i].is_soac && g->nodes[i].members.count == 1 &&
               launch_together(g, i)) {
        }
    }
}

/* ---- what stays apart, for the log --------------------------------------------------------- */

/* The node that makes what `from` uses, through views and scalars of the body; each node once. */
static void log_producers(FuseGraph *g, size_t consumer, size_t from, unsigned char *seen)
{
    enum { MOST_LOOKED = 500 };
    VEC(size_t) stack = {0};
    VEC(size_t) looked = {0};
    vec_push(g->f->arena, &stack, from);
    while (stack.count > 0 && looked.count < MOST_LOOKED) {
        const FuseNode *node = &g->nodes[stack.items[--stack.count]];
        for (size_t i = 0; i < node->before.count; i++) {
            size_t before = find(g, node->before.items[i].to);
            if (before == consumer || seen[before]) {
                continue;
            }
            seen[before] = 1;
            vec_push(g->f->arena, &looked, before);
            if (!g->nodes[before].is_soac) {
                vec_push(g->f->arena, &stack, before);
                continue;
            }
            const CoreStm *between = NULL;
            CoreReason reason = fuse_fitness(g->f, &g->nodes[before], &g->nodes[consumer]);
            CoreReason path = legality(g, before, consumer, &between);
            fuse_log_apart(g->f, g->nodes[before].stm, g->nodes[consumer].stm,
                           path != CORE_REASON_NONE ? path : reason, between);
        }
    }
    for (size_t i = 0; i < looked.count; i++) {
        seen[looked.items[i]] = 0;
    }
}

/* Those that read one array and take nothing of each other, though it is read twice. */
static void log_beside(FuseGraph *g, size_t node, const size_t *others, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t other = others[i];
        const CoreStm *first = g->nodes[other].stm, *second = g->nodes[node].stm, *between = NULL;
        const CoreName *array = shared_array(g->f, first, second, true);
        if (array == NULL || takes_from(g, node, other) || takes_from(g, other, node)) {
            continue;
        }
        CoreReason reason = fuse_fitness(g->f, &g->nodes[other], &g->nodes[node]);
        reason =
            reason == CORE_REASON_NONE && !fuse_fit_beside(g->f, &g->nodes[other], &g->nodes[node])
                ? CORE_REASON_NESTS
                : reason;
        if (reason == CORE_REASON_NONE && legality(g, other, node, &between) != CORE_REASON_NONE) {
            continue; /* the one needs the other: that is told of what is between them */
        }
        if (reason != CORE_REASON_NONE) {
            fuse_log_beside(g->f, first, second, array, reason);
        }
    }
}

/* Filters that go over one array: where they keep the same rows they are one by now (filter.c). */
static void log_filters(Fuse *f, const CoreBody *body)
{
    const CoreStm *others[MOST_CANDIDATES];
    size_t count = 0, next = 0;
    for (size_t i = 0; f->log && i < body->stm_count; i++) {
        const CoreStm *filter = body->stms[i];
        if (filter->exp->kind != CORE_EXP_FILTER) {
            continue;
        }
        for (size_t k = 0; k < count; k++) {
            const CoreName *array = shared_array(f, others[k], filter, true);
            if (array != NULL) {
                fuse_log_beside(f, others[k], filter, array, CORE_REASON_FILTERS);
            }
        }
        others[next++ % MOST_CANDIDATES] = filter;
        count = next < MOST_CANDIDATES ? next : MOST_CANDIDATES;
    }
}

static void log_nodes(FuseGraph *g)
{
    size_t others[MOST_CANDIDATES], count = 0, next = 0;
    unsigned char *seen = ARENA_ARRAY(g->f->arena, unsigned char, g->count + 1);
    memset(seen, 0, g->count + 1);
    for (size_t i = 0; g->f->log && i < g->count; i++) {
        if (g->nodes[i].is_soac && find(g, i) == i) {
            log_producers(g, i, i, seen);
            log_beside(g, i, others, count);
            others[next++ % MOST_CANDIDATES] = i;
            count = next < MOST_CANDIDATES ? next : MOST_CANDIDATES;
        }
    }
}

/* ---- order of what is left --------------------------------------------------------------- */

/* What has become of the node's statements. */
static void emit(FuseGraph *g, const FuseNode *node, StmVec *stms)
{
    if (g->f->in_pairs && node->members.count == 1 && fuse_is_two(g->f, node->stm)) {
        fuse_pair(g->f, node->stm, NULL, stms);
        return;
    }
    if (node->members.count < 2) {
        vec_push(g->f->c->arena, stms, fuse_of_last(g->f, node->stm));
        return;
    }
    const CoreStm *members[MOST_MEMBERS];
    size_t *numbers = node->members.items, count = node->members.count;
    for (size_t i = 1; i < count; i++) { /* in their order */
        for (size_t k = i; k > 0 && numbers[k - 1] > numbers[k]; k--) {
            size_t number = numbers[k];
            numbers[k] = numbers[k - 1];
            numbers[k - 1] = number;
        }
    }
    for (size_t i = 0; i < count; i++) {
        members[i] = g->body->stms[numbers[i]];
    }
    if (g->f->in_pairs) {
        bool scan_first = count == 2 || members[0]->exp->as.soac.scan_count > 0;
        fuse_pair(g->f, members[!scan_first], members[scan_first], stms);
        if (count > 2) {
            vec_push(g->f->c->arena, stms, members[2]);
        }
        return;
    }
    fuse_stream(g->f, count, members, stms);
}

/* Each node after those that it needs, else in the old order: a walk with a stack of its own. */
static void place(FuseGraph *g, size_t start, unsigned char *state, StmVec *stms)
{
    VEC(size_t) stack = {0};
    vec_push(g->f->arena, &stack, start);
    while (stack.count > 0) {
        size_t at = find(g, stack.items[stack.count - 1]);
        if (state[at] == 2) {
            stack.count--;
            continue;
        }
        bool ready = true;
        for (size_t i = 0; state[at] == 0 && i < g->nodes[at].before.count; i++) {
            size_t before = find(g, g->nodes[at].before.items[i].to);
            if (state[before] == 0) {
                vec_push(g->f->arena, &stack, before);
                ready = false;
            }
        }
        if (state[at] == 1 || ready) {
            state[at] = 2;
            stack.count--;
            emit(g, &g->nodes[at], stms);
        } else {
            state[at] = 1;
        }
    }
}

static const CoreBody *ordered(FuseGraph *g)
{
    StmVec stms = {0};
    unsigned char *state = ARENA_ARRAY(g->f->arena, unsigned char, g->count + 1);
    memset(state, 0, g->count + 1);
    for (size_t i = 0; i < g->count; i++) {
        place(g, i, state, &stms);
    }
    CoreBody *body = arena_copy(g->f->c->arena, g->body, sizeof *g->body);
    body->stm_count = stms.count;
    body->stms = stms.items;
    return body;
}

static const CoreBody *inner(void *context, const CoreBody *body)
{
    return fuse_graph(context, body);
}

static const CoreBody *fuse_inside(Fuse *f, const CoreBody *old)
{
    const CoreStm **stms = ARENA_ARRAY(f->arena, const CoreStm *, old->stm_count);
    for (size_t i = 0; i < old->stm_count; i++) {
        stms[i] = old->stms[i];
        CoreExpKind kind = old->stms[i]->exp->kind;
        bool on_host = kind == CORE_EXP_IF || kind == CORE_EXP_LOOP;
        if (core_has_bodies(kind) && (on_host || !f->in_pairs)) {
            f->functions += !on_host;
            stms[i] = core_map_stm(f->c, old->stms[i], inner, f);
            f->functions -= !on_host;
        }
    }
    return core_with_stms(f->c, old, old->stm_count, stms);
}

static void split_nodes(FuseGraph *g)
{
    for (size_t i = 0; i < g->count; i++) {
        if (g->nodes[i].members.count == 1 && find(g, i) == i &&
            fuse_is_two(g->f, g->nodes[i].stm)) {
            fuse_fired(g->f, CORE_RULE_FUSE_PAIR);
            g->merged = true;
        }
    }
}

static bool is_candidate(const Fuse *f, const CoreStm *stm)
{
    return f->in_pairs   ? fuse_may_pair(stm)
           : f->in_order ? fuse_is_streamable(f, stm)
                         : fuse_is_soac(stm) || fuse_is_stream(stm);
}

const CoreBody *fuse_graph(Fuse *f, const CoreBody *body)
{
    FuseGraph g = {.f = f, .body = body, .count = body->stm_count};
    size_t soacs = 0;
    for (size_t i = 0; i < g.count; i++) {
        soacs += fuse_is_soac(body->stms[i]) || is_candidate(f, body->stms[i]);
    }
    if (!f->in_pairs && !f->in_order) {
        log_filters(f, body);
    }
    if (soacs < (f->in_pairs ? 1 : 2)) {
        return fuse_inside(f, body);
    }
    g.nodes = ARENA_ARRAY(f->arena, FuseNode, g.count);
    memset(g.nodes, 0, g.count * sizeof *g.nodes);
    for (size_t i = 0; i < g.count; i++) {
        g.nodes[i].stm = body->stms[i];
        g.nodes[i].parent = i;
        g.nodes[i].is_soac = is_candidate(f, body->stms[i]);
        if (g.nodes[i].is_soac) {
            vec_push(f->arena, &g.nodes[i].members, i);
        }
        if (g.nodes[i].is_soac && !f->in_pairs && !fuse_is_stream(body->stms[i])) {
            g.nodes[i].nest = fuse_nest(body->stms[i]);
            g.nodes[i].is_scan = body->stms[i]->exp->as.soac.scan_count > 0;
        }
    }
    fuse_graph_edges(&g);
    fuse_nodes(&g);
    if (f->in_pairs) {
        if (f->for_kernels) {
            launch_nodes(&g);
        }
        split_nodes(&g);
    } else {
        log_nodes(&g);
    }
    return fuse_inside(f, g.merged ? ordered(&g) : body);
}
