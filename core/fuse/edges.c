/* [L0 7.4] The edges of a body's data-flow graph: from each statement to those that it needs before it.

   An edge hands over rows where a SOAC takes a mapped result of another as an input, row by row, and
   uses nothing else of it; else the edge has a label, the reason why the two are two ([L0 7.4.1]).
   Edges of order lead from a statement to the last that may fail or has an effect, where it may,
   too; to the last that may have written an array in place which it mentions; where it may
   write one itself, to all that mention the array before; to the assertion behind which it has a
   meaning (checks.c); and to the last that reads the clock, or, where it does so itself, to all since
   then: what is between two readings is what is timed (clock.c). */
#include "core/fuse/graph.h"

static void note_binders(FuseGraph *g)
{
    Arena *arena = g->f->arena;
    for (size_t i = 0; i < g->count; i++) {
        for (size_t k = 0; k < g->body->stms[i]->pattern_count; k++) {
            pointer_map_set(arena, &g->binders, g->body->stms[i]->pattern[k], &g->nodes[i]);
        }
    }
}

/* `why`: what is handed over are not rows; CORE_REASON_NONE where they are. */
static void add_edge(FuseGraph *g, size_t from, size_t to, CoreReason why)
{
    FuseNode *node = &g->nodes[from];
    for (size_t i = node->before.count; i-- > 0 && node->before.count - i < 8;) {
        if (node->before.items[i].to == to) {
            FuseEdge *edge = &node->before.items[i];
            edge->why = edge->rows ? why : edge->why;
            edge->rows = edge->rows && why == CORE_REASON_NONE;
            return;
        }
    }
    vec_push(g->f->arena, &node->before, ((FuseEdge){to, why == CORE_REASON_NONE, why}));
}

static bool is_one_of(size_t count, const CoreAtom *atoms, const CoreName *name)
{
    for (size_t i = 0; i < count; i++) {
        if (atoms[i].name == name) {
            return true;
        }
    }
    return false;
}

static bool is_row_input(const CoreStm *stm, const CoreName *name)
{
    const CoreExp *exp = stm->exp;
    if (fuse_is_scatter(stm)) {
        return exp->as.scatter.indices.name == name ||
               is_one_of(exp->as.scatter.count, exp->as.scatter.values, name);
    }
    if (exp->kind == CORE_EXP_FILTER || exp->kind == CORE_EXP_COMPACT) {
        return is_one_of(exp->as.filter.input_count, exp->as.filter.inputs, name);
    }
    size_t count = 0;
    const CoreAtom *inputs =
        exp->kind == CORE_EXP_SOAC || fuse_is_stream(stm) ? fuse_inputs_of(stm, &count) : NULL;
    return is_one_of(count, inputs, name);
}

/* A mapped result, or that of a scan where rows follow each other. */
static bool is_result_of_rows(const Fuse *f, const CoreStm *stm, const CoreName *name)
{
    size_t mapped = stm->pattern_count;
    while (mapped > 0 && stm->pattern[mapped - 1] != name) {
        mapped--;
    }
    if (fuse_is_stream(stm)) {
        return mapped > stm->exp->as.stream.accumulator_count;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t folded = fuse_total_width(soac->reduction_count, soac->reductions);
    folded += f->in_order ? 0 : fuse_total_width(soac->scan_count, soac->scans);
    return mapped > folded;
}

typedef struct FreeUse {
    const CoreName *name;
    bool found;
} FreeUse;

static void find_use(void *context, CoreName *name)
{
    FreeUse *use = context;
    use->found = use->found || name == use->name;
}

bool fuse_takes_rows_of(Fuse *f, const CoreStm *stm, const CoreName *array)
{
    FreeUse use = {array, false};
    if (is_row_input(stm, array)) {
        fuse_each_inside(f, stm, find_use, &use);
        return !use.found;
    }
    return false;
}

static void note_inside(void *context, CoreName *name)
{
    FuseGraph *g = context;
    core_name_map_make(g->f->arena, &g->inside, name, 1);
}

/* The same of the node at work; what it uses inside is found once for all of its arrays. */
static bool takes_rows_of(FuseGraph *g, const CoreStm *stm, const CoreName *array)
{
    if (!is_row_input(stm, array)) {
        return false;
    }
    if (g->inside_of != stm) {
        g->inside = (CoreNameMap){0};
        g->inside_of = stm;
        fuse_each_inside(g->f, stm, note_inside, g);
    }
    return core_name_map_get(&g->inside, array) == NULL;
}

static void look_inside(void *context, const CoreBody *body)
{
    bool *found = context;
    for (size_t i = 0; i < body->stm_count && !*found; i++) {
        *found = fuse_may_consume(body->stms[i]->exp);
    }
}

bool fuse_may_consume(const CoreExp *exp)
{
    bool found = exp->kind == CORE_EXP_UPDATE || exp->kind == CORE_EXP_SCATTER ||
                 exp->kind == CORE_EXP_HIST || exp->kind == CORE_EXP_APPLY ||
                 exp->kind == CORE_EXP_STREAM_SEQ;
    for (size_t k = 0; exp->kind == CORE_EXP_LOOP && k < exp->as.loop.parameter_count; k++) {
        found = found || exp->as.loop.parameters[k]->type.unique;
    }
    if (!found) {
        core_each_body(exp, look_inside, &found);
    }
    return found;
}

typedef struct Consumed {
    Fuse *f;
    bool found;
} Consumed;

static void find_consumed(void *context, CoreName *name)
{
    Consumed *consumed = context;
    consumed->found = consumed->found || simplify_consumed(consumed->f->s, core_use(name));
}

bool fuse_reads_consumed(Fuse *f, const CoreStm *stm)
{
    Consumed consumed = {f, false};
    core_each_free(stm, find_consumed, &consumed);
    return consumed.found;
}

static FuseOrder *order_of(FuseGraph *g, const Fact *class)
{
    for (size_t i = 0; i < g->orders.count; i++) {
        if (g->orders.items[i].class == class) {
            return &g->orders.items[i];
        }
    }
    vec_push(g->f->arena, &g->orders, ((FuseOrder){.class = class, .writer = SIZE_MAX}));
    return &g->orders.items[g->orders.count - 1];
}

/* What may write in place comes behind all that mentions the array before, and before what does so later. */
static void use_consumed(FuseGraph *g, CoreName *name)
{
    if (!simplify_consumed(g->f->s, core_use(name))) {
        return;
    }
    FuseOrder *order = order_of(g, simplify_class(simplify_fact(g->f->s, name)));
    if (order->writer == g->node) {
        return;
    }
    if (order->writer != SIZE_MAX) {
        add_edge(g, g->node, order->writer, CORE_REASON_CONSUMED);
    }
    if (!g->writes) {
        vec_push(g->f->arena, &order->readers, g->node);
        return;
    }
    for (size_t i = 0; i < order->readers.count; i++) {
        if (order->readers.items[i] != g->node) {
            add_edge(g, g->node, order->readers.items[i], CORE_REASON_CONSUMED);
        }
    }
    order->readers.count = 0;
    order->writer = g->node;
}

/* What the node at work reads of that name, which the other statement binds: rows, or why not. */
static CoreReason why_not_rows(FuseGraph *g, const CoreStm *maker, const CoreName *name)
{
    const CoreStm *stm = g->body->stms[g->node];
    if (!fuse_is_soac(maker) && !fuse_is_stream(maker)) {
        return CORE_REASON_PLACED;
    }
    if (!is_result_of_rows(g->f, maker, name)) {
        bool is_scan = fuse_is_soac(maker) && maker->exp->as.soac.scan_count > 0;
        return name->type.rank > 0 && is_scan ? CORE_REASON_SCAN : CORE_REASON_REDUCTION;
    }
    return g->nodes[g->node].is_soac && takes_rows_of(g, stm, name) ? CORE_REASON_NONE
                                                                    : CORE_REASON_ELSEWHERE;
}

static void use_name(void *context, CoreName *name)
{
    FuseGraph *g = context;
    FuseNode *node = pointer_map_get(&g->binders, name);
    if (node == NULL) {
        fuse_note_outer(g, name);
    }
    if (node && node != &g->nodes[g->node]) {
        node->users += node->last_user != g->node + 1;
        node->last_user = g->node + 1;
        add_edge(g, g->node, (size_t)(node - g->nodes), why_not_rows(g, node->stm, name));
    }
    use_consumed(g, name);
}

void fuse_graph_edges(FuseGraph *g)
{
    size_t last_failing = SIZE_MAX, clock = SIZE_MAX;
    note_binders(g);
    for (size_t i = 0; i < g->count; i++) {
        g->node = i;
        g->writes = fuse_may_consume(g->body->stms[i]->exp);
        core_each_free(g->body->stms[i], use_name, g);
        for (size_t k = 0; k < g->body->stms[i]->pattern_count; k++) {
            use_consumed(g, g->body->stms[i]->pattern[k]);
        }
        size_t check = fuse_check_before(g, i);
        if (check != SIZE_MAX) {
            add_edge(g, i, check, CORE_REASON_ORDER);
        }
        if (core_may_fail(g->body->stms[i])) {
            if (last_failing != SIZE_MAX) {
                bool by_rows = g->f->in_entry && g->f->functions == 0 &&
                               !g->f->c->options.sequential &&
                               fuse_keep_order(g->nodes[last_failing].stm, g->nodes[i].stm);
                add_edge(g, i, last_failing, by_rows ? CORE_REASON_NONE : CORE_REASON_ORDER);
            }
            last_failing = i;
        }
        if (clock != SIZE_MAX) {
            add_edge(g, i, clock, CORE_REASON_CLOCK);
        }
        if (g->body->stms[i]->exp->kind == CORE_EXP_NOW) {
            for (size_t k = clock == SIZE_MAX ? 0 : clock + 1; k < i; k++) {
                add_edge(g, i, k, CORE_REASON_CLOCK);
            }
            clock = i;
        }
    }
    for (size_t i = 0; i < g->body->result_count; i++) {
        FuseNode *node = pointer_map_get(&g->binders, g->body->results[i].name);
        if (node) {
            node->users++;
        }
    }
}
