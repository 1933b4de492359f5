/* Arrays in loops of the host, of which the device alone knows how many rows they have.

       loop (n = n0, v : [n] = v0) for i < k do          loop (m = n0, n = n0, v : [m] = v0) for i < k do
         let s = reduce (+) 0 v                            let s = redomap (\i x -> if i < n then x else 0) (+) 0
         let (p, w : [p]) = filter n (> s) v       ==>       (iota m) v
         let q = max (p - 1) 0                             let (p, w : [m]) = compact m (\i x -> i < n & x > s)
         let u = w[1 :+ q]                                   (iota m) v
         in (q, u)                                         let q = max (p - 1) 0
                                                           let l = max (m - 1) 0
                                                           let u = w[1 :+ l]
                                                           in (l, q, u)
                                                         ... v[0 :+ n]

   How many rows a filter keeps is what the host would wait for in each step, for it makes memory for them and starts
   kernels of as many work-items. It can do with a number that is not less: the capacity. Arrays have so many rows, of
   which the first are meant; SOACs leave out the others. The number itself is scalar state like other (loop_scalars.c).

   Of loops where no capacity grows from step to step, for it would grow whatever is kept, or by so many rows that the host
   knows how many there will be (room_growth.c); and where the device goes through idle rows more quickly than the host waits: else the loop is as it was. So it is where something has to be
   known to the host all the same, as for a print.

   Before: flattened, a program for devices. After: the same values; simplified. */
#include "core/locality/capacities.h"

enum {
    ROW_BYTES = 16 /* as many bytes are copied as quickly as a row is left out */
};

typedef struct Capacities {
    Compilation *c;
    size_t *counts;
    bool changed;
} Capacities;

/* ---- what the device makes ------------------------------------------------------------------- */

typedef struct Search {
    const Bounded *g;
    bool found, array;
} Search;

static void look_at(void *context, CoreName *name)
{
    Search *search = context;
    search->found = search->found || rooms_is_device(search->g, core_use(name));
    search->array = search->array || name->type.rank > 0;
}

static bool is_made_by_device(const Bounded *g, const CoreStm *stm)
{
    Search search = {g, false, false};
    core_each_free(stm, look_at, &search);
    switch ((int)stm->exp->kind) { /* the others' scalars are known from kernels alone */
    case CORE_EXP_ATOM:
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT: return search.found;
    case CORE_EXP_IF: return search.found || search.array;
    }
    return true;
}

static void mark(Bounded *g, CoreName *name)
{
    pointer_map_set(g->c->arena, &g->device, name, name);
}

/* What the statements of the body, and of branches in it, make. */
static void find_made(void *context, const CoreBody *body)
{
    Bounded *g = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (stm->exp->kind == CORE_EXP_IF) {
            core_each_body(stm->exp, find_made, g);
        }
        bool made = is_made_by_device(g, stm);
        for (size_t k = 0; k < stm->pattern_count; k++) {
            CoreName *name = stm->pattern[k];
            pointer_map_set(g->c->arena, &g->own, name, (void *)(uintptr_t)stm);
            if (made && name->type.rank == 0 && name->type.prim != CORE_CERT) {
                mark(g, name);
            }
        }
    }
}

/* Scalars of the body, and of the state, that depend on the device. */
static void find_device(Bounded *g)
{
    const CoreExp *loop = g->loop;
    const CoreBody *body = loop->as.loop.body;
    bool more = true;
    while (more) {
        more = false;
        find_made(g, body);
        for (size_t k = 0; k < loop->as.loop.parameter_count; k++) {
            CoreName *name = loop->as.loop.parameters[k];
            if (name->type.rank == 0 && !rooms_is_device(g, core_use(name)) &&
                rooms_is_device(g, body->results[k])) {
                mark(g, name);
                more = true;
            }
        }
    }
}

/* ---- loops ------------------------------------------------------------------------------------ */

static void find_filter(void *context, const CoreBody *body)
{
    bool *found = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        *found = *found || exp->kind == CORE_EXP_FILTER;
        if (exp->kind == CORE_EXP_IF) {
            core_each_body(exp, find_filter, found);
        }
    }
}

/* Which of the state are numbers of rows that the device makes. */
static bool *find_rooms(const Bounded *g)
{
    const CoreExp *loop = g->loop;
    size_t count = loop->as.loop.parameter_count;
    bool *rooms = ARENA_ARRAY(g->c->arena, bool, count + 1);
    for (size_t k = 0; k < count; k++) {
        rooms[k] = false;
        for (size_t j = 0; j < count; j++) {
            CoreType type = loop->as.loop.parameters[j]->type;
            for (int axis = 0; axis < type.rank; axis++) {
                rooms[k] = rooms[k] || (type.sizes[axis].name == loop->as.loop.parameters[k] &&
                                        rooms_is_device(g, type.sizes[axis]));
            }
        }
    }
    return rooms;
}

typedef struct State {
    size_t rooms; /* capacities, in front of the others */
    const bool *is_room;
    CoreName **parameters;
    CoreAtom *initial;
} State;

/* How many rows are added to each number of rows in each step. */
static void find_growths(Bounded *g, const bool *is_room)
{
    const CoreExp *loop = g->loop;
    size_t count = loop->as.loop.parameter_count;
    g->growths = ARENA_ARRAY(g->c->arena, Growth, count + 1);
    for (size_t k = 0; k < count; k++) {
        CoreAtom size = loop->as.loop.body->results[k];
        bool found = is_room[k] && g->may_grow &&
                     rooms_find_growth(g, size, loop->as.loop.parameters[k], &g->growths[k]);
        g->growths[k].count = found ? g->growths[k].count : 0;
    }
}

/* Room for what all steps add to the arrays with so many rows. */
static CoreAtom room_to_grow(Bounded *g, size_t k, CoreName *room, CoreAtom *initial,
                             CoreBuilder *b)
{
    const CoreExp *loop = g->loop;
    const CoreName *rows = loop->as.loop.parameters[k], *size = loop->as.loop.body->results[k].name;
    CoreAtom added = rooms_added(g, &g->growths[k], b);
    CoreAtom all = core_let_binary(b, "room", CORE_ADD, loop->as.loop.initial[k], added);
    for (size_t j = 0; j < loop->as.loop.parameter_count; j++) {
        const CoreName *array = loop->as.loop.parameters[j];
        if (array->type.rank > 0 && array->type.sizes[0].name == rows) {
            g->failed = g->failed || array->type.rank > 1;
            initial[j] = g->failed ? initial[j]
                                   : core_let_pad(b, array->text, initial[j], 0, all, core_i64(0),
                                                  added, core_zero(array->type.prim));
        }
    }
    *(CoreAtom *)pointer_map_make(g->c->arena, &g->rooms, size, sizeof(CoreAtom)) = core_use(room);
    return all;
}

static State state_of(Bounded *g, CoreBuilder *b)
{
    const CoreExp *loop = g->loop;
    size_t count = loop->as.loop.parameter_count;
    State s = {.is_room = find_rooms(g)};
    s.parameters = ARENA_ARRAY(g->c->arena, CoreName *, 2 * count + 1);
    s.initial = ARENA_ARRAY(g->c->arena, CoreAtom, 2 * count + 1);
    CoreAtom *initial = ARENA_ARRAY(g->c->arena, CoreAtom, count + 1);
    for (size_t k = 0; k < count; k++) {
        initial[k] = loop->as.loop.initial[k];
    }
    find_growths(g, s.is_room);
    for (size_t k = 0; k < count; k++) {
        CoreName *old = loop->as.loop.parameters[k];
        if (s.is_room[k]) {
            CoreName *room = core_name(g->c, "room", core_scalar(CORE_I64), old->span);
            *(CoreAtom *)pointer_map_make(g->c->arena, &g->rooms, old, sizeof(CoreAtom)) =
                core_use(room);
            s.initial[s.rooms] = g->growths[k].count > 0 ? room_to_grow(g, k, room, initial, b)
                                                         : loop->as.loop.initial[k];
            s.parameters[s.rooms++] = room;
        }
    }
    for (size_t k = 0; k < count; k++) {
        s.parameters[s.rooms + k] = rooms_name(g, loop->as.loop.parameters[k]);
        s.initial[s.rooms + k] = initial[k];
    }
    return s;
}

static const CoreBody *body_of(Bounded *g, const State *s)
{
    const CoreBody *old = g->loop->as.loop.body;
    CoreBuilder b = core_builder(g->c, (Span){0});
    CoreAtom *results = ARENA_ARRAY(g->c->arena, CoreAtom, s->rooms + old->result_count + 1);
    g->b = &b;
    for (size_t i = 0; i < old->stm_count && !g->failed; i++) {
        rooms_statement(g, old->stms[i]);
    }
    for (size_t k = 0; k < old->result_count && !g->failed; k++) {
        rooms_store(g, old->results[k]);
    }
    for (size_t k = 0, room = 0; k < old->result_count && !g->failed; k++) {
        if (s->is_room[k]) {
            g->failed = g->growths[k].count == 0 &&
                        !rooms_stay_bounded(g, old->results[k], g->loop->as.loop.parameters[k]);
            results[room++] = rooms_capacity(g, old->results[k]);
        }
        results[s->rooms + k] = rooms_renamed(g, old->results[k]);
    }
    return core_body(&b, s->rooms + old->result_count, results);
}

/* The part of an array that is meant. */
CoreAtom rooms_rows_there(CoreBuilder *b, CoreAtom array, CoreAtom count)
{
    CoreType type = core_atom_type(array);
    CoreSlice *slices = ARENA_ARRAY(b->c->arena, CoreSlice, (size_t)type.rank);
    for (int axis = 0; axis < type.rank; axis++) {
        slices[axis] = (CoreSlice){.offset = core_i64(0),
                                   .count = axis == 0 ? count : type.sizes[axis],
                                   .stride = core_i64(1)};
    }
    return core_let_slice(b, array.name->text, array, slices);
}

/* The new loop, and what the old one gave of it. */
static const CoreBody *bounded_loop(Bounded *g, const CoreStm *stm)
{
    Compilation *c = g->c;
    const CoreExp *loop = g->loop;
    size_t count = loop->as.loop.parameter_count;
    CoreBuilder b = core_builder(c, stm->span);
    find_device(g);
    State s = state_of(g, &b);
    CoreName *index = loop->as.loop.index;
    if (index) {
        CoreName *fresh = core_name(c, index->text, index->type, index->span);
        core_rename(g->renaming, index, core_use(fresh));
        index = fresh;
    }
    const CoreBody *body = body_of(g, &s);
    if (g->failed) {
        return NULL;
    }
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, s.rooms + count + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    Renaming *after = core_renaming(c);
    for (size_t k = 0; k < s.rooms + count; k++) {
        const CoreName *parameter = s.parameters[k];
        CoreType type = core_map_type(c, parameter->type, core_renamed, after);
        type.unique = false;
        pattern[k] = core_name(c, parameter->text, type, stm->span);
        core_rename(after, parameter, core_use(pattern[k]));
    }
    CoreName *condition =
        loop->as.loop.condition ? rooms_renamed(g, core_use(loop->as.loop.condition)).name : NULL;
    const CoreExp *exp =
        index ? core_exp_for(c, s.rooms + count, s.parameters, s.initial, index,
                             loop->as.loop.bound, body)
              : core_exp_while(c, s.rooms + count, s.parameters, s.initial, condition, body);
    for (size_t i = 0; i < stm->certificate_count; i++) {
        vec_push(c->arena, &b.certificates, stm->certificates[i]);
    }
    core_bind(&b, s.rooms + count, pattern, exp);
    for (size_t k = 0; k < count; k++) {
        CoreType type = loop->as.loop.parameters[k]->type;
        results[k] = core_use(pattern[s.rooms + k]);
        for (size_t j = 0; j < count && type.rank > 0; j++) {
            if (s.is_room[j] && type.sizes[0].name == loop->as.loop.parameters[j]) {
                results[k] = rooms_rows_there(&b, results[k], core_use(pattern[s.rooms + j]));
            }
        }
    }
    return core_body(&b, count, results);
}

/* The device goes through all rows that there may be, in each step, as quickly as the host waits. */
static CoreAtom is_quick(Bounded *g, const CoreStm *stm, CoreBuilder *b)
{
    const CoreExp *loop = g->loop;
    CoreAtom bytes = core_let_device(b, CORE_DEVICE_COPIED_BYTES), rows = core_i64(0);
    const bool *rooms = find_rooms(g);
    b->span = stm->span;
    for (size_t k = 0; k < loop->as.loop.parameter_count; k++) {
        if (rooms[k]) {
            rows = core_let_binary(b, "rows", CORE_MAX, rows, loop->as.loop.initial[k]);
        }
    }
    for (size_t i = 0; i < loop->as.loop.body->stm_count; i++) {
        const CoreExp *exp = loop->as.loop.body->stms[i]->exp;
        CoreAtom width = exp->kind == CORE_EXP_FILTER ? exp->as.filter.width : core_i64(0);
        if (width.name && !rooms_is_device(g, width) && core_stm_uses(stm, width.name)) {
            rows = core_let_binary(b, "rows", CORE_MAX, rows, width);
        }
    }
    CoreAtom most = core_let_binary(b, "most", CORE_DIV, bytes, core_i64(ROW_BYTES));
    CoreAtom quick = core_let_binary(b, "quick", CORE_LE, rows, most);
    for (size_t k = 0; k < loop->as.loop.parameter_count; k++) {
        if (g->growths[k].count > 0) {
            CoreAtom few = rooms_adds_few(g, &g->growths[k], most, b);
            quick = core_let_binary(b, "quick", CORE_AND, quick, few);
        }
    }
    return quick;
}

static const CoreBody *copy_of(Compilation *c, const CoreStm *stm)
{
    Renaming *renaming = core_renaming(c);
    CoreBuilder b = core_builder(c, stm->span);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, stm->pattern_count + 1);
    core_add(&b, core_rename_stm(renaming, stm));
    for (size_t k = 0; k < stm->pattern_count; k++) {
        results[k] = core_renamed(renaming, core_use(stm->pattern[k]));
    }
    return core_body(&b, stm->pattern_count, results);
}

static bool bound_loop(Capacities *p, const CoreStm *stm, CoreBuilder *b)
{
    bool filters = false;
    const Bounded start = {.c = p->c, .loop = stm->exp, .renaming = core_renaming(p->c)};
    Bounded g = start;
    find_filter(&filters, stm->exp->as.loop.body);
    filters = filters && !core_has_effect(stm->exp);
    const CoreBody *fresh = filters ? bounded_loop(&g, stm) : NULL;
    if (filters && !fresh) {
        g = start;
        g.renaming = core_renaming(p->c);
        g.may_grow = true;
        fresh = bounded_loop(&g, stm);
    }
    if (!fresh) {
        return false;
    }
    CoreAtom quick = is_quick(&g, stm, b);
    CoreStm *choice = arena_copy(p->c->arena, stm, sizeof *choice);
    choice->certificate_count = 0;
    choice->exp = core_exp_if(p->c, quick, fresh, copy_of(p->c, stm));
    core_add(b, choice);
    p->counts[CORE_RULE_CAPACITIES]++;
    p->changed = true;
    return true;
}

/* ---- the pass --------------------------------------------------------------------------------- */

static const CoreBody *bound_body(void *context, const CoreBody *body)
{
    Capacities *p = context;
    CoreBuilder b = core_builder(p->c, (Span){0});
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (stm->exp->kind != CORE_EXP_LOOP && stm->exp->kind != CORE_EXP_IF) {
            core_add(&b, stm); /* functions of SOACs are kernels */
            continue;
        }
        if (stm->exp->kind == CORE_EXP_LOOP && bound_loop(p, stm, &b)) {
            continue;
        }
        core_add(&b, core_map_stm(p->c, stm, bound_body, p));
    }
    return core_with_stms(p->c, body, b.stms.count, b.stms.items);
}

CoreProgram *core_bound_sizes(Compilation *c, const CoreProgram *program, size_t *counts)
{
    size_t ignored[CORE_RULE_COUNT] = {0};
    Capacities p = {.c = c, .counts = counts ? counts : ignored};
    CoreProgram *bounded = arena_copy(c->arena, program, sizeof *bounded);
    const CoreFunction **functions =
        ARENA_ARRAY(c->arena, const CoreFunction *, program->function_count + 1);
    const bool *are_of_elements = core_are_of_elements(c, program);
    for (size_t i = 0; i < program->function_count; i++) {
        const CoreFunction *function = program->functions[i];
        functions[i] = are_of_elements[i]
                           ? function
                           : core_with_body(c, function, bound_body(&p, function->body));
    }
    bounded->functions = functions;
    return p.changed ? core_simplify_last(c, bounded, p.counts) : bounded;
}
