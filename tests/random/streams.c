/* Random streams: whatever the chunks are, the results are the same [PLDI 2.4].

       stream_map   maps over the chunk, perhaps several one after the other
       stream_red   a redomap of the chunk, whose result is combined with the accumulators
       stream_seq   likewise, and the chunk's prefixes combined with the accumulators before it

   A counting stream is [PLDI figure 4]: the accumulator is an array that a loop over the chunk
   changes in place. */
#include "tests/random/random.h"

enum { MAX_INPUTS = 2 };

typedef struct Chunks {
    CoreAtom width, m;
    int64_t extent;
    size_t count;
    CoreAtom inputs[MAX_INPUTS];
    CoreName *parameters[MAX_INPUTS];
    Value rows[MAX_INPUTS];
} Chunks;

static Chunks some_chunks(Generator *g, CoreBuilder *b)
{
    Chunks s = {.m = core_use(fresh(g, core_scalar(CORE_I64)))};
    Value v = some_array(g, b);
    s.width = core_atom_type(v.atom).sizes[0];
    s.extent = v.extent[0];
    for (int64_t attempt = 1 + below(g, MAX_INPUTS); attempt > 0; attempt--) {
        CoreType type = core_atom_type(v.atom);
        if (s.count == 0 || core_atom_equal(type.sizes[0], s.width)) {
            CoreType row = core_row(type);
            s.inputs[s.count] = v.atom;
            s.parameters[s.count] = fresh(g, core_array_of(g->c, s.m, row));
            s.rows[s.count].rank = v.rank - 1;
            for (int i = 1; i < v.rank; i++) {
                s.rows[s.count].extent[i - 1] = v.extent[i];
            }
            s.count++;
        }
        if (!pick(g, -1, -1, &v)) {
            break;
        }
    }
    return s;
}

/* map over the chunks: scalars of these prims, and one more of any; the last may be mapped again.
 */
static size_t map_chunks(Generator *g, CoreBuilder *b, const Chunks *s, size_t wanted,
                         CorePrim prim, CoreAtom *results)
{
    CoreName *rows[MAX_INPUTS];
    CoreAtom chunks[MAX_INPUTS], elements[MAX_PARTS + 1];
    CoreBuilder inner = core_builder(g->c, b->span);
    Mark mark = enter(g, s->extent);
    for (size_t i = 0; i < s->count; i++) {
        rows[i] = fresh(g, core_row(s->parameters[i]->type));
        chunks[i] = core_use(s->parameters[i]);
        keep_borrowed(g, core_use(rows[i]), s->rows[i]);
    }
    some_statements(g, &inner);
    for (size_t i = 0; i < wanted; i++) {
        elements[i] = tame(&inner, some_scalar(g, &inner, prim));
    }
    size_t count = wanted;
    if (wanted == 0 || chance(g, 2)) {
        elements[count++] = some_scalar(g, &inner, some_prim(g));
    }
    leave(g, mark);
    const CoreLambda *f = core_lambda(g->c, s->count, rows, core_body(&inner, count, elements));
    core_let_map(b, "ys", s->m, s->count, chunks, f, results);
    return count;
}

/* results := op(accumulators, more), as a reduction of two since a lambda cannot be called. */
static void combine_two(Generator *g, CoreBuilder *b, const Operator *op,
                        const CoreAtom *accumulators, const CoreAtom *more, CoreAtom *results)
{
    CoreAtom two[MAX_PARTS];
    CoreName *pattern[MAX_PARTS];
    for (size_t k = 0; k < op->parts; k++) {
        CoreAtom items[2] = {accumulators[k], more[k]};
        two[k] = core_let_literal(b, "two", 2, items);
        pattern[k] = fresh(g, core_scalar(op->prim));
        results[k] = core_use(pattern[k]);
    }
    core_bind(b, op->parts, pattern,
              core_exp_reduce(g->c, core_i64(2), op->parts, two, operator_lambda(g, op),
                              op->neutral, false));
}

static void reduce_or_scan(Generator *g, CoreBuilder *b, const Operator *op, const Chunks *s,
                           bool scan, const CoreAtom *inputs, CoreAtom *results)
{
    CoreName *pattern[MAX_PARTS];
    CoreType type = core_scalar(op->prim);
    for (size_t k = 0; k < op->parts; k++) {
        pattern[k] = fresh(g, scan ? core_array_of(g->c, s->m, type) : type);
        results[k] = core_use(pattern[k]);
    }
    const CoreLambda *f = operator_lambda(g, op);
    core_bind(b, op->parts, pattern,
              scan ? core_exp_scan(g->c, s->m, op->parts, inputs, f, op->neutral)
                   : core_exp_reduce(g->c, s->m, op->parts, inputs, f, op->neutral, false));
}

/* The prefixes of the chunk with what came before. */
static void continue_prefixes(Generator *g, CoreBuilder *b, const Operator *op, const Chunks *s,
                              const CoreAtom *accumulators, const CoreAtom *prefixes,
                              CoreAtom *results)
{
    CoreName *p[MAX_PARTS];
    CoreAtom row[MAX_PARTS], sums[MAX_PARTS];
    for (size_t k = 0; k < op->parts; k++) {
        p[k] = fresh(g, core_scalar(op->prim));
        row[k] = core_use(p[k]);
    }
    CoreBuilder inner = core_builder(g->c, b->span);
    combine_two(g, &inner, op, accumulators, row, sums);
    core_let_map(b, "ys", s->m, op->parts, prefixes,
                 core_lambda(g->c, op->parts, p, core_body(&inner, op->parts, sums)), results);
}

/* The fold's results: accumulators, then mapped chunks. */
static size_t fold_chunks(Generator *g, CoreBuilder *b, CoreExpKind kind, const Operator *op,
                          const Chunks *s, const CoreAtom *accumulators, CoreAtom *results)
{
    CoreAtom mapped[MAX_PARTS + 1], totals[MAX_PARTS];
    size_t parts = kind == CORE_EXP_STREAM_MAP ? 0 : op->parts;
    size_t count = map_chunks(g, b, s, parts, op->prim, mapped), given = parts;
    if (parts > 0) {
        reduce_or_scan(g, b, op, s, false, mapped, totals);
        combine_two(g, b, op, accumulators, totals, results);
    }
    for (size_t i = parts; i < count; i++) {
        results[given++] = mapped[i];
    }
    if (kind == CORE_EXP_STREAM_SEQ) {
        CoreAtom prefixes[MAX_PARTS];
        reduce_or_scan(g, b, op, s, true, mapped, prefixes);
        continue_prefixes(g, b, op, s, accumulators, prefixes, results + given);
        given += op->parts;
    }
    return given;
}

void make_stream(Generator *g, CoreBuilder *b)
{
    static const CoreExpKind kinds[] = {CORE_EXP_STREAM_MAP, CORE_EXP_STREAM_RED,
                                        CORE_EXP_STREAM_SEQ};
    CoreExpKind kind = kinds[below(g, 3)];
    Operator op = some_operator(g);
    Chunks s = some_chunks(g, b);
    CoreName *parameters[1 + MAX_PARTS + MAX_INPUTS] = {s.m.name};
    CoreAtom accumulators[MAX_PARTS], results[2 * MAX_PARTS + 1];
    size_t k = kind == CORE_EXP_STREAM_MAP ? 0 : op.parts;
    for (size_t i = 0; i < k; i++) {
        parameters[1 + i] = fresh(g, core_scalar(op.prim));
        accumulators[i] = core_use(parameters[1 + i]);
    }
    for (size_t i = 0; i < s.count; i++) {
        parameters[1 + k + i] = s.parameters[i];
    }
    CoreBuilder inner = core_builder(g->c, b->span);
    Mark mark = enter(g, 1);
    g->pure = true;
    size_t count = fold_chunks(g, &inner, kind, &op, &s, accumulators, results);
    leave(g, mark);
    const CoreLambda *fold =
        core_lambda(g->c, 1 + k + s.count, parameters, core_body(&inner, count, results));
    CoreName *pattern[2 * MAX_PARTS + 1];
    for (size_t i = 0; i < count; i++) {
        CorePrim prim = core_atom_type(results[i]).prim;
        pattern[i] = fresh(g, i < k ? core_scalar(prim) : core_array(g->c, prim, 1, &s.width));
    }
    bool red = kind == CORE_EXP_STREAM_RED;
    core_bind(b, count, pattern,
              core_exp_stream(g->c, kind, s.width, s.count, s.inputs, fold,
                              red ? operator_lambda(g, &op) : NULL, k, op.neutral,
                              red && op.commutative));
    for (size_t i = 0; i < count; i++) {
        keep(g, core_use(pattern[i]), i >= k, &s.extent);
    }
}

/* ---- counting -------------------------------------------------------------------------------- */

/* loop (a = accumulator) for i < m { a with [x mod k] <- a[x mod k] + 1 } */
static CoreAtom count_chunk(Generator *g, CoreBuilder *b, CoreAtom m, CoreName *accumulator,
                            CoreAtom chunk, CoreAtom buckets)
{
    CoreType type = accumulator->type;
    CoreName *a = fresh(g, type), *i = fresh(g, core_scalar(CORE_I64));
    a->type.unique = true;
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom at = core_use(i);
    CoreAtom x = core_let_index(&inner, "x", chunk, 1, &at);
    x = x.prim == CORE_I64 ? x : core_let_convert(&inner, "x", CORE_I64, x);
    x = core_let_binary(&inner, "x", CORE_MOD, x, buckets);
    CoreAtom old = core_let_index(&inner, "old", core_use(a), 1, &x);
    CoreAtom more = core_let_binary(&inner, "more", CORE_ADD, old, core_int(type.prim, 1));
    CoreSlice place = {.fixed = true, .offset = x};
    CoreAtom next = core_let_update(&inner, "counts", core_use(a), 1, &place, more);
    CoreAtom initial = core_use(accumulator);
    CoreName *result = fresh(g, type);
    core_bind(b, 1, &result,
              core_exp_for(g->c, 1, &a, &initial, i, m, core_body(&inner, 1, &next)));
    return core_use(result);
}

/* \a b -> map (+) a b */
static const CoreLambda *add_rows(Generator *g, CoreType type, Span span)
{
    CoreName *p[2] = {fresh(g, type), fresh(g, type)};
    CoreAtom operands[2] = {core_use(p[0]), core_use(p[1])}, sum;
    CoreBuilder inner = core_builder(g->c, span);
    core_let_map(&inner, "sum", type.sizes[0], 2, operands,
                 core_operator_lambda(g->c, CORE_ADD, type.prim, span), &sum);
    return core_lambda(g->c, 2, p, core_body(&inner, 1, &sum));
}

void make_counting_stream(Generator *g, CoreBuilder *b)
{
    Value v = some_vector(g, b, some_prim(g), UNKNOWN);
    bool red = chance(g, 2);
    CorePrim prim = some_int(g);
    int64_t extent = 1 + below(g, 4);
    CoreAtom buckets = some_size(g, b, extent), width = core_atom_type(v.atom).sizes[0];
    CoreType type = core_array(g->c, prim, 1, &buckets);
    CoreAtom zeros = core_let_replicate(b, "zeros", 1, &buckets, core_int(prim, 0));
    if (!red) {
        zeros = core_let_copy(b, "zeros", zeros);
    }
    CoreName *p[3] = {fresh(g, core_scalar(CORE_I64)), fresh(g, type)};
    CoreAtom m = core_use(p[0]);
    p[1]->type.unique = true;
    p[2] = fresh(g, core_array(g->c, v.atom.prim, 1, &m));
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreAtom counts = count_chunk(g, &inner, m, p[1], core_use(p[2]), buckets);
    const CoreLambda *fold = core_lambda(g->c, 3, p, core_body(&inner, 1, &counts));
    CoreName *result = fresh(g, type);
    core_bind(b, 1, &result,
              core_exp_stream(g->c, red ? CORE_EXP_STREAM_RED : CORE_EXP_STREAM_SEQ, width, 1,
                              &v.atom, fold, red ? add_rows(g, type, b->span) : NULL, 1, &zeros,
                              red && chance(g, 2)));
    keep(g, core_use(result), 1, &extent);
}
