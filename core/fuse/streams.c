/* [PLDI 4] Streams for programs that run on one processor: SOACs as one loop over their rows where
   one of them scans and another takes the scanned rows. As SOACs they are two, since in parallel an
   element of a scan needs all before it; in a loop it is there when the row is.

       let ys = scan n (+) 0 xs               let out0 = scratch [n]
       let m = reduce n max e ys              let (_, m, ys) = loop (a = 0, b = e, out = out0)
                                       ==>      for i < n do
                                                  let a' = a + xs[i]
                                                  let b' = max b a'
                                                  let out' = out with [i] <- a'
                                                  in (a', b', out')

   and ys with its state goes where nobody else reads it. This is [PLDI]'s stream_seq with chunks of
   one row, each SOAC made a stream by F2, F4 or F5, and the streams one by F7; which SOACs may
   become one, graph.c decides. The rules for chunks of any size are in chunks.c. The folds of
   parallel streams are sequential programs, too (folds.c).

   A loop with a scan in it goes at the speed of the scan's operator and is not vectorised, so that
   only what is cheap joins it. Before: a fused program. After: the same results; nothing that may
   fail is in such a loop, so that errors keep their order. */
#include "core/fuse/fuse.h"

enum { MOST_COST = 12 }; /* operations a row: more are better done several rows at once */

typedef struct Stream {
    Fuse *f;
    CoreBuilder before, body;
    CoreName *index;
    /* state of the loop, and what the statement binds to it in the end */
    VEC(CoreName *) parameters;
    VEC(CoreName *) pattern;
    VEC(CoreAtom) initial;
    VEC(CoreAtom) next;
    Renaming *rows; /* an array that the loop makes -> the row of this iteration */
} Stream;

static bool are_scalar(const CoreLambda *lambda, unsigned most)
{
    return fuse_is_of_scalars(lambda) && fuse_cost(lambda->body) <= most;
}

bool fuse_is_streamable(const Fuse *f, const CoreStm *stm)
{
    if (!fuse_is_soac(stm) || core_may_fail(stm)) {
        return false;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    bool is_loop = soac->scan_count > 0 || f->in_item; /* so far */
    unsigned most = is_loop ? FUSE_DEAR - 1 : MOST_COST;
    bool good = are_scalar(soac->map, most);
    for (size_t i = 0; i < soac->reduction_count; i++) {
        good = good && are_scalar(soac->reductions[i].function, most);
    }
    for (size_t i = 0; i < soac->scan_count; i++) {
        good = good && are_scalar(soac->scans[i].function, most);
    }
    return good;
}

/* ---- state --------------------------------------------------------------------------------- */

static CoreName *add_state(Stream *s, const CoreName *result, CoreType type, CoreAtom initial)
{
    CoreName *parameter = core_name(s->f->c, result->text, type, result->span);
    vec_push(s->f->c->arena, &s->parameters, parameter);
    vec_push(s->f->c->arena, &s->initial, initial);
    return parameter;
}

static void end_state(Stream *s, CoreName *result, CoreAtom next)
{
    vec_push(s->f->c->arena, &s->pattern, result);
    vec_push(s->f->c->arena, &s->next, next);
}

/* An array, of which each iteration makes one row. */
static void add_array(Stream *s, CoreName *result, CoreAtom row)
{
    CoreAtom scratch =
        core_let_scratch(&s->before, result->text, result->type.prim, 1, result->type.sizes);
    CoreType type = result->type;
    type.unique = true;
    CoreName *parameter = add_state(s, result, type, scratch);
    const CoreSlice here = {.fixed = true, .offset = core_use(s->index)};
    end_state(s, result,
              core_let_update(&s->body, result->text, core_use(parameter), 1, &here, row));
    core_rename(s->rows, result, row);
}

/* ---- SOACs as streams ---------------------------------------------------------------------- */

static void bind(Stream *s, CoreName *name, CoreAtom value)
{
    core_bind(&s->body, 1, &name, core_atom_exp(s->f->c, value));
}

/* The next accumulators: op (a, ..) (x, ..). */
static const CoreAtom *accumulate(Stream *s, const CoreReduction *r, CoreName *const *results,
                                  const CoreAtom *operands)
{
    size_t count = r->function->body->result_count;
    for (size_t k = 0; k < count; k++) {
        CoreType type = core_atom_type(r->neutral[k]);
        type.unique = false;
        CoreName *parameter = add_state(s, results[k], type, r->neutral[k]);
        bind(s, r->function->parameters[k], core_use(parameter));
        bind(s, r->function->parameters[count + k], operands[k]);
    }
    core_add_all(&s->body, r->function->body);
    return r->function->body->results;
}

/* [PLDI F2]  map f b  ==>  stream_seq (\(a, bc) -> (0, map f bc)) (0) b
   The function on one row; the operands and rows that it gives. */
static const CoreAtom *map_step(Stream *s, const CoreSoac *soac)
{
    for (size_t i = 0; i < soac->input_count; i++) {
        CoreAtom row = core_renamed(s->rows, soac->inputs[i]);
        if (row.name == soac->inputs[i].name) { /* from outside */
            const CoreAtom index = core_use(s->index);
            row = core_let_index(&s->body, "x", row, 1, &index);
        }
        bind(s, soac->map->parameters[i], row);
    }
    core_add_all(&s->body, soac->map->body);
    return soac->map->body->results;
}

/* [PLDI F4]  reduce + e b  ==>  stream_seq (\(a, bc) -> a + reduce + e bc) (e) b */
static size_t reduce_step(Stream *s, const CoreReduction *r, CoreName *const *results,
                          const CoreAtom *operands)
{
    const CoreAtom *next = accumulate(s, r, results, operands);
    for (size_t k = 0; k < r->function->body->result_count; k++) {
        end_state(s, results[k], next[k]);
    }
    return r->function->body->result_count;
}

/* [PLDI F5]  scan + e b  ==>  stream_seq (\(a, bc) -> let x = scan + e bc
                                                      let y = map (a +) x
                                                      in (last y, y)) (e) b */
static size_t scan_step(Stream *s, const CoreReduction *r, CoreName *const *results,
                        const CoreAtom *operands)
{
    const CoreAtom *next = accumulate(s, r, results, operands);
    for (size_t k = 0; k < r->function->body->result_count; k++) {
        CoreType type = core_atom_type(r->neutral[k]);
        CoreName *last = core_name(s->f->c, "last", type, results[k]->span);
        end_state(s, last, next[k]);
        pointer_map_set(s->f->c->arena, &s->f->lasts, results[k], last);
    }
    for (size_t k = 0; k < r->function->body->result_count; k++) {
        add_array(s, results[k], next[k]);
    }
    return r->function->body->result_count;
}

static void add_soac(Stream *s, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t at = 0;
    s->body.span = s->before.span = stm->span;
    const CoreAtom *operands = map_step(s, soac);
    for (size_t i = 0; i < soac->reduction_count; i++) {
        at += reduce_step(s, &soac->reductions[i], stm->pattern + at, operands + at);
    }
    for (size_t i = 0; i < soac->scan_count; i++) {
        at += scan_step(s, &soac->scans[i], stm->pattern + at, operands + at);
    }
    for (; at < stm->pattern_count; at++) {
        add_array(s, stm->pattern[at], operands[at]);
    }
}

/* ---- the loop ------------------------------------------------------------------------------ */

/* [PLDI F7]  let (r1, x, y) = stream_seq f (e1) b        stream_seq (\(a1, a2, bc, dc) ->
              let (r2, z) = stream_seq g (e2) x d    ==>    let (r1, xc, yc) = f a1 bc
                                                            let (r2, zc) = g a2 xc dc
                                                            in (r1, r2, xc, yc, zc)) (e1, e2) b d */
void fuse_stream(Fuse *f, size_t count, const CoreStm *const *soacs, StmVec *stms)
{
    const CoreStm *last = soacs[count - 1];
    Stream s = {.f = f, .rows = core_renaming(f->c)};
    s.before = s.body = core_builder(f->c, last->span);
    s.index = core_name(f->c, "i", core_scalar(CORE_I64), last->span);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < soacs[i]->certificate_count; k++) {
            vec_push(f->c->arena, &s.before.certificates, soacs[i]->certificates[k]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        add_soac(&s, soacs[i]);
    }
    const CoreBody *body = core_body(&s.body, s.next.count, s.next.items);
    core_bind(&s.before, s.pattern.count, s.pattern.items,
              core_exp_for(f->c, s.parameters.count, s.parameters.items, s.initial.items, s.index,
                           last->exp->as.soac.width, body));
    for (size_t i = 0; i < s.before.stms.count; i++) {
        vec_push(f->c->arena, stms, s.before.stms.items[i]);
    }
}

/* x is n - 1. */
static bool is_one_less(Fuse *f, CoreAtom x, CoreAtom n)
{
    const CoreStm *stm = fuse_definition(f, x);
    return stm && stm->exp->kind == CORE_EXP_BINARY && stm->exp->as.scalar.op == CORE_SUB &&
           core_atom_equal(stm->exp->as.scalar.x, n) &&
           core_atom_equal(stm->exp->as.scalar.y, core_i64(1));
}

const CoreStm *fuse_of_last(Fuse *f, const CoreStm *stm)
{
    if (stm->exp->kind != CORE_EXP_INDEX || stm->exp->as.index.count != 1 ||
        stm->pattern[0]->type.rank > 0) {
        return stm;
    }
    const CoreName *array = stm->exp->as.index.array.name;
    CoreName *last = pointer_map_get(&f->lasts, array);
    if (!last || !is_one_less(f, stm->exp->as.index.indices[0], array->type.sizes[0])) {
        return stm;
    }
    CoreStm *copy = arena_copy(f->c->arena, stm, sizeof *stm);
    copy->exp = core_atom_exp(f->c, core_use(last));
    return copy;
}
