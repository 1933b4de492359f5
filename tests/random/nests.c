/* Random nests, as flattening works on them: a map over the rows of a matrix (or over matrices)
   whose function has maps, reductions, scans, loops and scalars that hand each other their results.

       let (r, s) = map n (\row -> { let t = reduce m (+) row
                                     let u = map m (\x -> x - t) row
                                     let v = loop (w = u) for i < 2 do scan m max w
                                     in (v, t) }) a */
#include "tests/random/random.h"

enum { MOST_LOCALS = 12 };

/* What a row's function has: arrays of the row's type, and scalars; all i64. */
typedef struct Locals {
    CoreType type; /* of the rows */
    CoreAtom rows[MOST_LOCALS], scalars[MOST_LOCALS];
    size_t row_count, scalar_count;
} Locals;

static CoreAtom some_row(Generator *g, const Locals *l)
{
    return l->rows[chance(g, 3) ? (size_t)below(g, (int64_t)l->row_count) : l->row_count - 1];
}

static CoreAtom some_local(Generator *g, const Locals *l)
{
    return l->scalar_count > 0 && !chance(g, 4) ? l->scalars[below(g, (int64_t)l->scalar_count)]
                                                : core_i64(below(g, 9) - 4);
}

static CoreAtom operation(Generator *g, CoreBuilder *b, CoreAtom x, CoreAtom y)
{
    static const CoreOperator operators[] = {CORE_ADD, CORE_SUB, CORE_MUL, CORE_MAX, CORE_MIN};
    return core_let_binary(b, "z", operators[below(g, 5)], x, y);
}

/* \x y -> the same on all their elements */
static CoreAtom elementwise(Generator *g, CoreBuilder *b, CoreAtom x, CoreAtom y, CoreAtom scalar)
{
    CoreType type = core_atom_type(x);
    if (type.rank == 0) {
        return operation(g, b, operation(g, b, x, scalar), y);
    }
    CoreType row = core_row(type);
    CoreName *parameters[2] = {fresh(g, row), fresh(g, row)};
    CoreAtom arrays[2] = {x, y}, result;
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom z = elementwise(g, &inner, core_use(parameters[0]), core_use(parameters[1]), scalar);
    core_let_map(b, "mapped", type.sizes[0], 2, arrays,
                 core_lambda(g->c, 2, parameters, core_body(&inner, 1, &z)), &result);
    return result;
}

static CoreReduction some_reduction(Generator *g, CoreBuilder *b)
{
    bool adds = chance(g, 2);
    CoreAtom *neutral = ARENA_NEW(g->c->arena, CoreAtom);
    *neutral = adds ? core_i64(0) : core_i64(INT64_MIN);
    return (CoreReduction){
        core_operator_lambda(g->c, adds ? CORE_ADD : CORE_MAX, CORE_I64, b->span), neutral,
        chance(g, 2)};
}

/* One SOAC over a vector: what it reduces, scans and maps out. */
static void soac_of(Generator *g, CoreBuilder *b, Locals *l, int kinds)
{
    CoreAtom x = some_row(g, l), scalar = some_local(g, l);
    CoreType type = core_atom_type(x);
    CoreName *parameter = fresh(g, core_scalar(CORE_I64)), *pattern[3];
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreReduction reduction = some_reduction(g, b), scan = some_reduction(g, b);
    CoreAtom results[3];
    size_t count = 0, reduced = (kinds & 1) != 0, scanned = (kinds & 2) != 0;
    for (int kind = 1; kind <= 4; kind *= 2) {
        if (kinds & kind) {
            results[count] = operation(g, &inner, core_use(parameter), scalar);
            pattern[count] = fresh(g, kind == 1 ? core_scalar(CORE_I64) : type);
            count++;
        }
    }
    const CoreLambda *map = core_lambda(g->c, 1, &parameter, core_body(&inner, count, results));
    core_bind(b, count, pattern,
              core_exp_soac(g->c, type.sizes[0], 1, &x, map, reduced, &reduction, scanned, &scan));
    for (size_t k = 0; k < count; k++) {
        if (pattern[k]->type.rank == 0 && l->scalar_count < MOST_LOCALS) {
            l->scalars[l->scalar_count++] = core_use(pattern[k]);
        } else if (pattern[k]->type.rank > 0 && l->row_count < MOST_LOCALS) {
            l->rows[l->row_count++] = core_use(pattern[k]);
        }
    }
}

static void some_steps(Generator *g, CoreBuilder *b, Locals *l, int64_t count, bool loops);

enum { MOST_ROW_STATES = 3, MOST_STATES = MOST_ROW_STATES + 3 };

/* The state of a loop: rows, a scalar, and of a while loop how often it has been gone through, and whether it goes on. */
typedef struct States {
    size_t rows, count;
    CoreName *parameters[MOST_STATES], *pattern[MOST_STATES];
    CoreAtom initial[MOST_STATES], next[MOST_STATES];
} States;

static void add_state(Generator *g, States *s, CoreType type, CoreAtom initial)
{
    s->parameters[s->count] = fresh(g, type);
    s->pattern[s->count] = fresh(g, type);
    s->initial[s->count++] = initial;
}

/* A few steps: so many in each loop, or as many as the row says. */
static CoreAtom some_times(Generator *g, CoreBuilder *b, const Locals *l)
{
    return chance(g, 3) ? core_let_binary(b, "times", CORE_AND, some_local(g, l), core_i64(3))
                        : core_i64(below(g, 4));
}

static const CoreExp *while_exp(Generator *g, CoreBuilder *inner, States *s, CoreAtom times)
{
    const size_t step = s->count - 2;
    CoreAtom more =
        core_let_binary(inner, "more", CORE_ADD, core_use(s->parameters[step]), core_i64(1));
    s->next[step] = more;
    s->next[step + 1] = core_let_binary(inner, "go", CORE_LT, more, times);
    return core_exp_while(g->c, s->count, s->parameters, s->initial, s->parameters[step + 1],
                          core_body(inner, s->count, s->next));
}

/* loop (w = row, .., t = scalar) for i < k do { steps }, or as long as there are some left; rows may change places */
static void loop_of(Generator *g, CoreBuilder *b, Locals *l, bool loops)
{
    States s = {.rows = 1 + (chance(g, 3) ? (size_t)below(g, MOST_ROW_STATES) : 0)};
    CoreAtom times = some_times(g, b, l);
    for (size_t k = 0; k < s.rows; k++) {
        add_state(g, &s, l->type, some_row(g, l));
    }
    add_state(g, &s, core_scalar(CORE_I64), some_local(g, l));
    bool is_while = chance(g, 3);
    if (is_while) {
        add_state(g, &s, core_scalar(CORE_I64), core_i64(0));
        add_state(g, &s, core_scalar(CORE_BOOL),
                  core_let_binary(b, "go", CORE_GT, times, core_i64(0)));
    }
    CoreName *index = fresh(g, core_scalar(CORE_I64));
    Locals inside = *l;
    inside.row_count = inside.scalar_count = 0;
    if (chance(g, 3)) {
        inside.rows[inside.row_count++] = some_row(g, l);
    }
    for (size_t k = 0; k < s.rows; k++) {
        inside.rows[inside.row_count++] = core_use(s.parameters[k]);
    }
    inside.scalars[inside.scalar_count++] = core_use(s.parameters[s.rows]);
    inside.scalars[inside.scalar_count++] =
        !is_while && chance(g, 2) ? core_use(index) : some_local(g, l);
    CoreBuilder inner = core_builder(g->c, b->span);
    some_steps(g, &inner, &inside, 1 + below(g, 3), loops);
    for (size_t k = 0; k < s.rows; k++) {
        s.next[k] = k == 0 ? inside.rows[inside.row_count - 1] : some_row(g, &inside);
    }
    s.next[s.rows] = inside.scalars[inside.scalar_count - 1];
    const CoreExp *loop = is_while ? while_exp(g, &inner, &s, times)
                                   : core_exp_for(g->c, s.count, s.parameters, s.initial, index,
                                                  times, core_body(&inner, s.count, s.next));
    core_bind(b, s.count, s.pattern, loop);
    l->rows[l->row_count++] = core_use(s.pattern[below(g, (int64_t)s.rows)]);
    l->scalars[l->scalar_count++] = core_use(s.pattern[s.rows]);
}

/* reduce n (\x y -> map op x y) (row) of the rows of a matrix, added to each of them again */
static void reduce_rows(Generator *g, CoreBuilder *b, Locals *l)
{
    CoreAtom x = some_row(g, l), neutral;
    CoreType type = core_atom_type(x), row = core_row(type);
    CoreName *parameters[2] = {fresh(g, row), fresh(g, row)}, *added[1] = {fresh(g, row)};
    CoreAtom arrays[2] = {core_use(parameters[0]), core_use(parameters[1])}, sum, total, all;
    CoreBuilder inner = core_builder(g->c, b->span), outer = core_builder(g->c, b->span);
    core_let_map(&inner, "sum", row.sizes[0], 2, arrays,
                 core_operator_lambda(g->c, CORE_ADD, CORE_I64, b->span), &sum);
    neutral = core_let_replicate(b, "zeros", 1, row.sizes, core_i64(0));
    total = core_let(b, "total", row,
                     core_exp_reduce(g->c, type.sizes[0], 1, &x,
                                     core_lambda(g->c, 2, parameters, core_body(&inner, 1, &sum)),
                                     &neutral, chance(g, 2)));
    CoreAtom next = elementwise(g, &outer, core_use(added[0]), total, some_local(g, l));
    core_let_map(b, "all", type.sizes[0], 1, &x,
                 core_lambda(g->c, 1, added, core_body(&outer, 1, &next)), &all);
    l->rows[l->row_count++] = all;
}

static CoreAtom function_of_rows(Generator *g, CoreBuilder *b, CoreAtom x, CoreAtom scalar,
                                 CoreAtom *second);

static void one_step(Generator *g, CoreBuilder *b, Locals *l, bool loops)
{
    CoreAtom second, row = some_row(g, l), scalar = some_local(g, l);
    switch (below(g, l->type.rank > 1 ? 6 : 8)) {
    case 0:
        row = elementwise(g, b, row, some_row(g, l), scalar);
        l->rows[l->row_count++] = row;
        return;
    case 1: l->rows[l->row_count++] = core_let_reverse(b, "back", row, 0); return;
    case 2:
        scalar = operation(g, b, scalar, some_local(g, l));
        l->scalars[l->scalar_count++] = scalar;
        return;
    case 3:
        if (loops) {
            loop_of(g, b, l, chance(g, 4));
        }
        return;
    case 4:
    case 5:
        if (l->type.rank == 2 && chance(g, 3)) {
            reduce_rows(g, b, l);
        } else if (l->type.rank > 1) {
            row = function_of_rows(g, b, row, scalar, &second);
            l->rows[l->row_count++] = row;
        } else {
            soac_of(g, b, l, 1);
        }
        return;
    case 6: soac_of(g, b, l, 2); return;
    case 7: soac_of(g, b, l, 1 + (int)below(g, 7)); return;
    }
}

static void some_steps(Generator *g, CoreBuilder *b, Locals *l, int64_t count, bool loops)
{
    for (int64_t i = 0; i < count; i++) {
        if (l->row_count + 2 < MOST_LOCALS && l->scalar_count + 2 < MOST_LOCALS) {
            one_step(g, b, l, loops);
        }
    }
}

/* map (\row -> steps) x: an array like x; and a scalar a row. */
static CoreAtom function_of_rows(Generator *g, CoreBuilder *b, CoreAtom x, CoreAtom scalar,
                                 CoreAtom *second)
{
    CoreType type = core_atom_type(x);
    CoreName *parameter = fresh(g, core_row(type));
    Locals l = {.type = core_row(type)};
    CoreBuilder inner = core_builder(g->c, b->span);
    l.rows[l.row_count++] = core_use(parameter);
    l.scalars[l.scalar_count++] = scalar;
    some_steps(g, &inner, &l, 2 + below(g, 4), true);
    CoreAtom results[2] = {l.rows[l.row_count - 1], l.scalars[l.scalar_count - 1]}, both[2];
    core_let_map(b, "nest", type.sizes[0], 1, &x,
                 core_lambda(g->c, 1, &parameter, core_body(&inner, 2, results)), both);
    *second = both[1];
    return both[0];
}

/* A row for each element of a vector. */
static Value some_matrix(Generator *g, CoreBuilder *b)
{
    Value v = some_vector(g, b, CORE_I64, UNKNOWN);
    int64_t columns = below(g, 9);
    CoreAtom width = some_size(g, b, columns), positions = core_let_iota(b, "positions", width);
    CoreName *parameter = fresh(g, core_scalar(CORE_I64));
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom row = elementwise(g, &inner, positions, positions, core_use(parameter)), matrix;
    core_let_map(b, "matrix", core_atom_type(v.atom).sizes[0], 1, &v.atom,
                 core_lambda(g->c, 1, &parameter, core_body(&inner, 1, &row)), &matrix);
    int64_t extents[2] = {v.extent[0], columns};
    keep(g, matrix, 2, extents);
    return g->scope[g->count - 1];
}

void make_nest(Generator *g, CoreBuilder *b)
{
    Value v;
    int rank = chance(g, 4) ? 3 : 2;
    if (!pick(g, (int)CORE_I64, rank, &v) && !pick(g, (int)CORE_I64, 2, &v)) {
        v = some_matrix(g, b);
    }
    CoreAtom second;
    keep_like(g, function_of_rows(g, b, v.atom, some_scalar(g, b, CORE_I64), &second), v);
    Value scalars = {.rank = 1, .extent = {v.extent[0]}};
    keep(g, second, 1, scalars.extent);
}
