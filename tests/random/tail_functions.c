/* Random TAIL: each, zipWith, reductions and scans, selection and sorting, loops, conditionals.

   A function of a reduction or scan is associative with its neutral element, or is not known to be
   associative and then runs from right to left. */
#include "tests/random/tail_random.h"

static Exp use(TailGenerator *g, const TailValue *v)
{
    return tail_use_of(g, v->variable);
}

typedef struct TailMark {
    size_t count, functions;
    bool pure;
    int depth;
    int64_t runs;
} TailMark;

static TailMark enter(TailGenerator *g, int64_t times)
{
    TailMark mark = {g->count, g->functions.count, g->pure, g->depth, g->runs};
    g->depth++;
    g->runs *= times == TAIL_UNKNOWN ? 16 : times > 1 ? times : 1;
    return mark;
}

static void leave(TailGenerator *g, TailMark mark)
{
    g->count = mark.count;
    g->functions.count = mark.functions;
    g->pure = mark.pure;
    g->depth = mark.depth;
    g->runs = mark.runs;
}

/* fn x => ... or fn x => fn y => ..., from scalars to a scalar; some are bare builtins. */
static Exp some_function(TailGenerator *g, size_t count, const TailBaseKind *bases,
                         TailBaseKind result, int64_t times)
{
    TailVariable *parameters[2];
    Block block = {0};
    TailMark mark = enter(g, times);
    g->pure = true;
    for (size_t i = 0; i < count; i++) {
        parameters[i] = tail_fresh(g, tail_scalar_type(g->c, bases[i]));
        tail_keep_parameter(g, parameters[i], NULL);
    }
    tail_some_statements(g, &block);
    Exp x = tail_some_operation(g, result);
    leave(g, mark);
    return tail_lambda(g->c, count, parameters, tail_finish(g, &block, x), (Span){0});
}

static Exp bare(TailGenerator *g, TailBuiltin builtin, TailBaseKind base)
{
    TailVariable *p[2] = {tail_fresh(g, tail_scalar_type(g->c, base)),
                          tail_fresh(g, tail_scalar_type(g->c, base))};
    Exp arguments[2] = {tail_use_of(g, p[0]), tail_use_of(g, p[1])};
    Exp body = tail_try(g, builtin, 2, arguments);
    return body ? tail_lambda(g->c, 2, p, body, (Span){0}) : NULL;
}

void tail_make_each(TailGenerator *g, Block *block)
{
    TailValue v = tail_some_array(g, block, -1, -1);
    TailBaseKind result = tail_some_base(g);
    Exp arguments[2] = {some_function(g, 1, &v.base, result, tail_elements(&v)), use(g, &v)};
    TailBuiltin each = tail_chance(g, 4) ? TAIL_OP_EACHV : TAIL_OP_EACH;
    tail_keep(g, block, tail_try(g, each, 2, arguments), v.rank, v.extent);
}

/* Arrays of equal extents, or one of one element. */
void tail_make_zip(TailGenerator *g, Block *block)
{
    TailValue v = tail_some_array(g, block, -1, -1), w = v, like = v;
    for (int attempt = 0; attempt < 4; attempt++) {
        TailValue other;
        if (!tail_pick(g, -1, v.rank, &other)) {
            break;
        }
        bool same = true;
        for (int i = 0; i < v.rank; i++) {
            same = same && other.extent[i] == v.extent[i] && v.extent[i] != TAIL_UNKNOWN;
        }
        if (same || tail_elements(&other) == 1 || (g->may_fail && tail_chance(g, 10))) {
            w = other;
            break;
        }
    }
    if (tail_elements(&v) == 1) {
        like = w;
    }
    bool swap = tail_chance(g, 2);
    TailBaseKind bases[2] = {swap ? w.base : v.base, swap ? v.base : w.base};
    Exp f = some_function(g, 2, bases, tail_some_base(g), tail_elements(&like));
    Exp x = use(g, &v), y = use(g, &w);
    tail_keep(g, block, swap ? CALL(ZIPWITH, f, y, x) : CALL(ZIPWITH, f, x, y), like.rank,
              like.extent);
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* A parameter for the cells of rank q of v. */
static TailVariable *cell_parameter(TailGenerator *g, const TailValue *v, int q)
{
    TailVariable *x = tail_fresh(g, tail_array_type(g->c, v->base, q));
    tail_keep_parameter(g, x, v->extent + (v->rank - q));
    return x;
}

/* What a function of cells gives: an array that it knows, or the cell itself changed. */
static Exp cell_result(TailGenerator *g, Block *block, int64_t *extents, int *rank)
{
    TailValue v;
    if (tail_chance(g, 3) || !tail_pick(g, -1, 1 + (int)tail_below(g, 2), &v) ||
        tail_elements(&v) == TAIL_UNKNOWN) {
        *rank = 0;
        return tail_some_operation(g, tail_some_base(g));
    }
    (void)block;
    *rank = v.rank;
    memcpy(extents, v.extent, sizeof v.extent);
    return tail_chance(g, 2) ? CALL(REVERSE, use(g, &v)) : use(g, &v);
}

/* A function on every cell of one array, or on the cells of two with one frame. */
void tail_make_cells(TailGenerator *g, Block *block)
{
    TailValue v = tail_some_array(g, block, -1, 1 + (int)tail_below(g, 3)), w = v;
    int q = (int)tail_below(g, v.rank + 1), frame = v.rank - q, rank = 0;
    int64_t extents[2 * TAIL_MAX_RANK] = {0}, times = 1;
    bool two = tail_chance(g, 2);
    for (int i = 0; i < frame; i++) {
        if (v.extent[i] == TAIL_UNKNOWN) {
            return;
        }
        times *= v.extent[i];
        extents[i] = v.extent[i];
    }
    TailMark mark = enter(g, times);
    g->pure = true;
    Block inner = {0};
    TailVariable *p[2] = {cell_parameter(g, &v, q), NULL};
    p[1] = two ? cell_parameter(g, &w, q) : NULL;
    tail_some_statements(g, &inner);
    Exp result = cell_result(g, &inner, extents + frame, &rank);
    leave(g, mark);
    if (!result) {
        return;
    }
    /* the function's types are those of arrays, whatever is known of its result */
    TailVariable *given = tail_fresh(g, tail_array_type(g->c, result->type->base.kind, rank));
    vec_push(g->c->arena, &inner.lets, ((Let){given, result}));
    Exp f =
        tail_lambda(g->c, two ? 2 : 1, p, tail_finish(g, &inner, tail_use_of(g, given)), (Span){0});
    Exp cells = two ? CALL(CELLS2, f, use(g, &v), use(g, &w)) : CALL(CELLS, f, use(g, &v));
    if (frame + rank <= TAIL_MAX_RANK) {
        tail_keep(g, block, cells, frame + rank, extents);
    }
}

/* ---- reductions and scans -------------------------------------------------------------------- */

typedef struct Fold {
    TailBuiltin builtin;
    TailBaseKind base;
    double neutral;
} Fold;

static Exp neutral_of(TailGenerator *g, const Fold *fold)
{
    switch (fold->base) {
    case TAIL_BOOL: return tail_bool(g->c, fold->neutral != 0, (Span){0});
    case TAIL_DOUBLE: return tail_double(g->c, fold->neutral, (Span){0});
    case TAIL_COMPLEX: return tail_complex(g->c, fold->neutral, 0, (Span){0});
    default: return tail_number(g, (int64_t)fold->neutral);
    }
}

/* An associative builtin with its neutral element, by base. */
static const Fold *some_fold(TailGenerator *g, TailBaseKind base)
{
    static const Fold ints[] = {{TAIL_OP_ADDI, TAIL_INT, 0},      {TAIL_OP_MULI, TAIL_INT, 1},
                                {TAIL_OP_ANDI, TAIL_INT, -1},     {TAIL_OP_ORI, TAIL_INT, 0},
                                {TAIL_OP_XORI, TAIL_INT, 0},      {TAIL_OP_GCDI, TAIL_INT, 0},
                                {TAIL_OP_MAXI, TAIL_INT, -0x1p63}};
    static const Fold bools[] = {{TAIL_OP_ANDB, TAIL_BOOL, 1},
                                 {TAIL_OP_ORB, TAIL_BOOL, 0},
                                 {TAIL_OP_XORB, TAIL_BOOL, 0},
                                 {TAIL_OP_EQB, TAIL_BOOL, 1}};
    static const Fold doubles[] = {{TAIL_OP_ADDD, TAIL_DOUBLE, 0},
                                   {TAIL_OP_MAXD, TAIL_DOUBLE, -__builtin_inf()},
                                   {TAIL_OP_MIND, TAIL_DOUBLE, __builtin_inf()}};
    static const Fold complex = {TAIL_OP_ADDX, TAIL_COMPLEX, 0};
    return base == TAIL_BOOL      ? &bools[tail_below(g, 4)]
           : base == TAIL_COMPLEX ? &complex
           : base == TAIL_DOUBLE  ? &doubles[tail_below(g, 3)]
                                  : &ints[tail_below(g, 7)];
}

/* Doubles as small whole numbers, whose sums are exact. */
static Exp tame_all(TailGenerator *g, Exp xs)
{
    TailBaseKind base = xs->type->base.kind;
    if (base != TAIL_DOUBLE && base != TAIL_COMPLEX) {
        return xs;
    }
    TailVariable *x = tail_fresh(g, tail_scalar_type(g->c, base));
    Exp f = tail_lambda(g->c, 1, &x, tail_tame(g, tail_use_of(g, x)), (Span){0});
    return CALL(EACH, f, xs);
}

void tail_make_fold(TailGenerator *g, Block *block)
{
    static const TailBaseKind bases[] = {TAIL_INT,    TAIL_INT,  TAIL_BOOL,
                                         TAIL_DOUBLE, TAIL_CHAR, TAIL_COMPLEX};
    TailBaseKind base = bases[tail_below(g, 6)];
    TailValue v = tail_some_array(g, block, (int)base, tail_chance(g, 2) ? 1 : -1);
    int64_t last = v.extent[v.rank - 1];
    Exp f, e, xs = use(g, &v);
    if (base == TAIL_CHAR || tail_chance(g, 3)) {
        /* of any function, from right to left: short ones */
        if (last > 20) {
            return;
        }
        TailBaseKind both[2] = {base, base};
        f = some_function(g, 2, both, base, tail_elements(&v));
        e = tail_some_constant(g, base);
    } else {
        const Fold *fold = some_fold(g, base);
        f = bare(g, fold->builtin, base);
        e = neutral_of(g, fold);
        xs = tame_all(g, xs);
    }
    bool known = last > 0 || (g->may_fail && tail_chance(g, 4));
    switch (tail_below(g, 4)) {
    case 0: tail_keep(g, block, CALL(REDUCE, f, e, xs), v.rank - 1, v.extent); break;
    case 1:
        if (known) {
            tail_keep(g, block, CALL(REDUCE1, f, xs), v.rank - 1, v.extent);
        }
        break;
    case 2: tail_keep(g, block, CALL(SCAN, f, e, xs), v.rank, v.extent); break;
    case 3: tail_keep(g, block, CALL(SCAN1, f, xs), v.rank, v.extent); break;
    }
}

/* Several values for a place, or one, or none. */
void tail_make_accum(TailGenerator *g, Block *block)
{
    static const TailBaseKind bases[] = {TAIL_INT,    TAIL_INT,  TAIL_BOOL,
                                         TAIL_DOUBLE, TAIL_CHAR, TAIL_COMPLEX};
    TailBaseKind base = bases[tail_below(g, 6)];
    TailValue v = tail_some_array(g, block, (int)base, 1), w;
    Exp f, xs = use(g, &v), values;
    if (v.extent[0] < 1) {
        return;
    }
    if (base == TAIL_CHAR || tail_chance(g, 2)) {
        w = tail_some_array(g, block, -1, 1);
        TailBaseKind both[2] = {base, w.base};
        f = some_function(g, 2, both, base, tail_elements(&w));
        values = use(g, &w);
    } else {
        w = tail_some_array(g, block, (int)base, 1);
        static const TailBuiltin inverses[] = {
            [TAIL_INT] = TAIL_OP_SUBI, [TAIL_DOUBLE] = TAIL_OP_SUBD, [TAIL_COMPLEX] = TAIL_OP_SUBX};
        bool inverse = base != TAIL_BOOL && tail_chance(g, 4);
        f = bare(g, inverse ? inverses[base] : some_fold(g, base)->builtin, base);
        xs = tame_all(g, xs);
        values = tame_all(g, use(g, &w));
    }
    TailVariable *x = tail_fresh(g, tail_scalar_type(g->c, w.base));
    TailMark mark = enter(g, w.extent[0]);
    g->pure = true;
    tail_keep_parameter(g, x, NULL);
    int64_t past = g->may_fail && tail_chance(g, 10);
    Exp place = tail_whole_in(g, 1, v.extent[0] + past);
    leave(g, mark);
    Exp is = CALL(EACH, tail_lambda(g->c, 1, &x, place, (Span){0}), use(g, &w));
    tail_keep(g, block, CALL(ACCUM, f, is, values, xs), 1, v.extent);
}

/* ---- selection ------------------------------------------------------------------------------- */

void tail_make_selection(TailGenerator *g, Block *block)
{
    TailValue v = tail_some_array(g, block, -1, 1);
    int64_t n = v.extent[0], unknown = TAIL_UNKNOWN;
    bool mask = tail_chance(g, 3);
    TailBaseKind wanted = mask ? TAIL_BOOL : TAIL_INT;
    Exp counts, xs = use(g, &v);
    switch (tail_below(g, 3)) {
    case 0:
        if (n <= 300 && v.base != TAIL_COMPLEX) {
            tail_keep(g, block, tail_chance(g, 2) ? CALL(GRADEUP, xs) : CALL(GRADEDOWN, xs), 1, &n);
        }
        return;
    case 1: wanted = TAIL_BOOL; break;
    default: wanted = TAIL_INT;
    }
    /* a mask or counts from the items themselves */
    TailVariable *x = tail_fresh(g, tail_scalar_type(g->c, v.base));
    TailMark mark = enter(g, n);
    g->pure = true;
    tail_keep_parameter(g, x, NULL);
    Exp y = wanted == TAIL_BOOL ? tail_some_operation(g, TAIL_BOOL) : tail_whole_in(g, -1, 5);
    leave(g, mark);
    counts = CALL(EACH, tail_lambda(g->c, 1, &x, y, (Span){0}), xs);
    if (wanted == TAIL_BOOL && tail_chance(g, 5)) {
        Exp one = tail_some_scalar(g, TAIL_BOOL);
        counts = tail_vector(g->c, 1, &one, (Span){0});
    }
    if (wanted == TAIL_BOOL) {
        tail_keep(g, block, CALL(COMPRESS, counts, xs), 1, &unknown);
    } else if (n <= 50) {
        Exp fill = tail_some_constant(g, v.base);
        tail_keep(g, block, CALL(REPLICATE, fill, counts, xs), 1, &unknown);
    }
}

/* ---- loops and conditionals ------------------------------------------------------------------ */

/* An expression of that base and rank: one in scope, or of these extents where they are known. */
static Exp some_of_rank(TailGenerator *g, Block *block, TailBaseKind base, int rank,
                        int64_t *extents)
{
    if (rank == 0) {
        return tail_some_scalar(g, base);
    }
    TailValue v = tail_some_array(g, block, (int)base, rank);
    memcpy(extents, v.extent, sizeof v.extent);
    return use(g, &v);
}

static void power_of_scalar(TailGenerator *g, Block *block, Exp times)
{
    TailBaseKind base = tail_some_base(g);
    Exp initial = tail_some_scalar(g, base);
    bool once = tail_chance(g, 3);
    TailVariable *x = tail_fresh(g, tail_scalar_type(g->c, base));
    TailMark mark = enter(g, 4);
    Block inner = {0};
    tail_keep_parameter(g, x, NULL);
    tail_some_statements(g, &inner);
    Exp body = tail_finish(g, &inner, tail_some_operation(g, base));
    leave(g, mark);
    Exp f = tail_lambda(g->c, 1, &x, body, (Span){0});
    Exp condition = tail_some_scalar(g, TAIL_BOOL);
    tail_keep(g, block,
              once ? CALL(CONDSCL, f, condition, initial) : CALL(POWERSCL, f, times, initial), 0,
              NULL);
}

/* State of one array whose extents may change, or a tuple of an array and a scalar. */
void tail_make_power(TailGenerator *g, Block *block)
{
    int64_t count = tail_below(g, 5) - 1;
    Exp times = tail_chance(g, 2) ? tail_number(g, count) : tail_whole_in(g, 0, 4);
    if (tail_chance(g, 3)) {
        power_of_scalar(g, block, times);
        return;
    }
    int64_t unknown[TAIL_MAX_RANK] = {TAIL_UNKNOWN, TAIL_UNKNOWN, TAIL_UNKNOWN, TAIL_UNKNOWN};
    TailValue v = tail_some_array(g, block, -1, 1 + (int)tail_below(g, 3));
    if (tail_elements(&v) > 100) {
        return;
    }
    const TailType *types[2] = {tail_array_type(g->c, v.base, v.rank),
                                tail_scalar_type(g->c, TAIL_INT)};
    bool tuple = tail_chance(g, 2);
    TailVariable *s = tail_fresh(g, tuple ? tail_tuple_type(g->c, 2, types) : types[0]);
    Exp initial[2] = {use(g, &v), tail_some_scalar(g, TAIL_INT)}, next[2],
        state = tail_use_of(g, s);
    TailMark mark = enter(g, 4);
    Block inner = {0};
    TailVariable *a = s;
    if (tuple) {
        a = tail_fresh(g, types[0]);
        TailVariable *i = tail_fresh(g, types[1]);
        vec_push(g->c->arena, &inner.lets, ((Let){a, tail_project(g->c, 0, state, (Span){0})}));
        vec_push(g->c->arena, &inner.lets, ((Let){i, tail_project(g->c, 1, state, (Span){0})}));
        tail_keep_parameter(g, i, NULL);
    }
    tail_keep_parameter(g, a, unknown);
    tail_some_statements(g, &inner);
    next[0] = some_of_rank(g, &inner, v.base, v.rank, unknown);
    next[1] = tail_some_operation(g, TAIL_INT);
    Exp result = tuple ? tail_tuple(g->c, 2, next, (Span){0}) : next[0];
    Exp f = tail_lambda(g->c, 1, &s, tail_finish(g, &inner, result), (Span){0});
    leave(g, mark);
    Exp start = tuple ? tail_tuple(g->c, 2, initial, (Span){0}) : initial[0];
    for (int i = 0; i < TAIL_MAX_RANK; i++) {
        unknown[i] = TAIL_UNKNOWN;
    }
    Exp power = CALL(POWER, f, times, start);
    if (!tuple || !power) {
        tail_keep(g, block, power, v.rank, unknown);
        return;
    }
    TailVariable *both = tail_fresh(g, power->type);
    vec_push(g->c->arena, &block->lets, ((Let){both, power}));
    Exp pair = tail_use_of(g, both);
    tail_keep(g, block, tail_project(g->c, 0, pair, (Span){0}), v.rank, unknown);
    tail_keep(g, block, tail_project(g->c, 1, pair, (Span){0}), 0, NULL);
}

/* while over (still to go, counter, array). */
void tail_make_while(TailGenerator *g, Block *block)
{
    int64_t unknown[TAIL_MAX_RANK] = {TAIL_UNKNOWN, TAIL_UNKNOWN, TAIL_UNKNOWN, TAIL_UNKNOWN};
    TailValue v = tail_some_array(g, block, -1, 1 + (int)tail_below(g, 2));
    if (tail_elements(&v) > 100) {
        return;
    }
    const TailType *types[3] = {tail_scalar_type(g->c, TAIL_BOOL), tail_scalar_type(g->c, TAIL_INT),
                                tail_array_type(g->c, v.base, v.rank)};
    TailVariable *s = tail_fresh(g, tail_tuple_type(g->c, 3, types)), *parts[3];
    int64_t limit = tail_below(g, 4);
    Exp state = tail_use_of(g, s), next[3];
    Exp initial[3] = {tail_bool(g->c, tail_chance(g, 5) ? false : true, (Span){0}),
                      tail_number(g, 0), use(g, &v)};
    TailMark mark = enter(g, 4);
    Block inner = {0};
    for (size_t i = 0; i < 3; i++) {
        parts[i] = tail_fresh(g, types[i]);
        vec_push(g->c->arena, &inner.lets,
                 ((Let){parts[i], tail_project(g->c, i, state, (Span){0})}));
        tail_keep_parameter(g, parts[i], unknown);
    }
    tail_some_statements(g, &inner);
    next[1] = CALL(ADDI, tail_use_of(g, parts[1]), tail_number(g, 1));
    next[0] = CALL(LTI, tail_use_of(g, parts[1]), tail_number(g, limit));
    next[2] = some_of_rank(g, &inner, v.base, v.rank, unknown);
    Exp body = tail_finish(g, &inner, tail_tuple(g->c, 3, next, (Span){0}));
    leave(g, mark);
    Exp loop = CALL(WHILE, tail_lambda(g->c, 1, &s, body, (Span){0}),
                    tail_tuple(g->c, 3, initial, (Span){0}));
    if (!loop) {
        return;
    }
    for (int i = 0; i < TAIL_MAX_RANK; i++) {
        unknown[i] = TAIL_UNKNOWN;
    }
    TailVariable *last = tail_fresh(g, loop->type);
    vec_push(g->c->arena, &block->lets, ((Let){last, loop}));
    Exp all = tail_use_of(g, last);
    tail_keep(g, block, tail_project(g->c, 1, all, (Span){0}), 0, NULL);
    tail_keep(g, block, tail_project(g->c, 2, all, (Span){0}), v.rank, unknown);
}

void tail_make_if(TailGenerator *g, Block *block)
{
    TailBaseKind base = tail_some_base(g);
    int rank = (int)tail_below(g, 3);
    int64_t extents[2][TAIL_MAX_RANK] = {{0}};
    Exp condition = tail_some_scalar(g, TAIL_BOOL), cases[2];
    for (int i = 0; i < 2; i++) {
        Block inner = {0};
        TailMark mark = enter(g, 1);
        tail_some_statements(g, &inner);
        cases[i] = tail_finish(g, &inner, some_of_rank(g, &inner, base, rank, extents[i]));
        leave(g, mark);
    }
    for (int i = 0; i < rank; i++) {
        extents[0][i] = extents[0][i] == extents[1][i] ? extents[0][i] : TAIL_UNKNOWN;
    }
    tail_keep(g, block, tail_if(g->c, condition, cases[0], cases[1], (Span){0}), rank, extents[0]);
}
