/* An element of an array that is not stored (delay.c), computed where it is wanted. Views on the
   way become index arithmetic, as in the simplifier's index.c; where a view has parts, the element
   is chosen by its index. For a wanted index i:

       rotate 0 k a, extent n       s = i + k % n;  if s >= n then s - n else s;
                                    likewise with i - 1 < 0
       reverse 0 a                  n - 1 - i
       a[o :+ m * s]                o + i * s
       concat 0 (a, b), a : [n]     if i < n then a[i] else b[i - n]
       pad 0 k l v a, a : [n]       if k <= i & i < k + n then a[i - k] else v
       cycle m v a, a : [n]         if n > 0 then a[i % n] else v
       rearrange, reshape, replicate, rows: indices permuted, taken apart, dropped, joined
       map n f a                    f's statements with a[i] for its parameter

   Indices are in bounds of the view, so that they are in bounds of what it views; only parts that
   are chosen are read. What guards a view or a map guards what comes of it. */
#include "core/fuse/fuse.h"

static CoreAtom element(Fuse *f, CoreBuilder *b, CoreAtom array, size_t count,
                        const CoreAtom *indices, CoreType type);

/* Arithmetic needs no guard: it never fails, and what reads by its results has guards itself. */
static CoreAtom arithmetic(CoreBuilder *b, const char *text, CoreOperator op, CoreAtom x,
                           CoreAtom y)
{
    size_t guards = b->certificates.count;
    b->certificates.count = 0;
    CoreAtom result = core_let_binary(b, text, op, x, y);
    b->certificates.count = guards;
    return result;
}

static CoreAtom *with(Fuse *f, size_t count, const CoreAtom *indices, size_t axis, CoreAtom index)
{
    CoreAtom *copy = ARENA_ARRAY(f->c->arena, CoreAtom, count);
    for (size_t i = 0; i < count; i++) {
        copy[i] = i == axis ? index : indices[i];
    }
    return copy;
}

/* ---- choices ----------------------------------------------------------------------------- */

typedef struct Wanted {
    CoreAtom array; /* count 0: itself */
    size_t count;
    const CoreAtom *indices;
} Wanted;

static const CoreBody *branch(Fuse *f, CoreBuilder *outer, CoreType type, Wanted wanted,
                              const CoreBody *(*more)(Fuse *, CoreBuilder *, void *), void *context)
{
    CoreBuilder b = core_builder(f->c, outer->span);
    for (size_t i = 0; i < outer->certificates.count; i++) {
        vec_push(f->c->arena, &b.certificates, outer->certificates.items[i]);
    }
    if (more) {
        return more(f, &b, context);
    }
    CoreAtom result = wanted.count == 0
                          ? wanted.array
                          : element(f, &b, wanted.array, wanted.count, wanted.indices, type);
    return core_body(&b, 1, &result);
}

static CoreAtom choose(Fuse *f, CoreBuilder *b, CoreAtom condition, CoreType type,
                       const CoreBody *yes, const CoreBody *no)
{
    CoreName *name = core_name(f->c, "x", type, b->span);
    core_bind(b, 1, (CoreName *const[]){name}, core_exp_if(f->c, condition, yes, no));
    return core_use(name);
}

/* ---- views ------------------------------------------------------------------------------- */

/* By one place either way there is no remainder to take: the extent is at least 1. */
static CoreAtom rotation(CoreBuilder *b, CoreAtom amount, CoreAtom size)
{
    if (!amount.name && (amount.as.integer == 1 || amount.as.integer == -1)) {
        return core_i64(1);
    }
    bool back = !amount.name && amount.as.integer < 0 && amount.as.integer > INT64_MIN;
    return arithmetic(b, "k", CORE_MOD, back ? core_i64(-amount.as.integer) : amount, size);
}

static CoreAtom of_rotate(Fuse *f, CoreBuilder *b, const CoreExp *view, size_t count,
                          const CoreAtom *indices, CoreType type)
{
    CoreAtom array = view->as.rotate.array, amount = view->as.rotate.amount;
    size_t axis = (size_t)view->as.rotate.axis;
    CoreAtom size = core_atom_type(array).sizes[axis];
    bool back = !amount.name && amount.as.integer < 0 && amount.as.integer > INT64_MIN;
    CoreAtom moved = arithmetic(b, "moved", back ? CORE_SUB : CORE_ADD, indices[axis],
                                rotation(b, amount, size));
    CoreAtom round = arithmetic(b, "round", back ? CORE_ADD : CORE_SUB, moved, size);
    CoreAtom past =
        arithmetic(b, "past", back ? CORE_LT : CORE_GE, moved, back ? core_i64(0) : size);
    const CoreBody *beyond = branch(f, b, type, (Wanted){.array = round}, NULL, NULL);
    const CoreBody *within = branch(f, b, type, (Wanted){.array = moved}, NULL, NULL);
    CoreAtom index = choose(f, b, past, core_scalar(CORE_I64), beyond, within);
    return element(f, b, array, count, with(f, count, indices, axis, index), type);
}

static CoreAtom of_reverse(Fuse *f, CoreBuilder *b, const CoreExp *view, size_t count,
                           const CoreAtom *indices, CoreType type)
{
    CoreAtom array = view->as.reverse.array;
    size_t axis = (size_t)view->as.reverse.axis;
    CoreAtom size = core_atom_type(array).sizes[axis];
    CoreAtom last = arithmetic(b, "last", CORE_SUB, size, core_i64(1));
    CoreAtom index = arithmetic(b, "i", CORE_SUB, last, indices[axis]);
    return element(f, b, array, count, with(f, count, indices, axis, index), type);
}

typedef struct Parts {
    const CoreExp *view;
    size_t part, count;
    const CoreAtom *indices;
    CoreType type;
} Parts;

static CoreAtom of_parts(Fuse *f, CoreBuilder *b, Parts parts);

static const CoreBody *other_parts(Fuse *f, CoreBuilder *b, void *context)
{
    Parts parts = *(const Parts *)context;
    size_t axis = (size_t)parts.view->as.concat.axis;
    CoreAtom size = core_atom_type(parts.view->as.concat.arrays[parts.part]).sizes[axis];
    CoreAtom index = arithmetic(b, "i", CORE_SUB, parts.indices[axis], size);
    parts.indices = with(f, parts.count, parts.indices, axis, index);
    parts.part++;
    CoreAtom result = of_parts(f, b, parts);
    return core_body(b, 1, &result);
}

static CoreAtom of_parts(Fuse *f, CoreBuilder *b, Parts parts)
{
    CoreAtom array = parts.view->as.concat.arrays[parts.part];
    if (parts.part + 1 == parts.view->as.concat.count) {
        return element(f, b, array, parts.count, parts.indices, parts.type);
    }
    size_t axis = (size_t)parts.view->as.concat.axis;
    CoreAtom inside =
        arithmetic(b, "here", CORE_LT, parts.indices[axis], core_atom_type(array).sizes[axis]);
    const CoreBody *yes =
        branch(f, b, parts.type, (Wanted){array, parts.count, parts.indices}, NULL, NULL);
    return choose(f, b, inside, parts.type, yes,
                  branch(f, b, parts.type, (Wanted){0}, other_parts, &parts));
}

static CoreAtom of_pad(Fuse *f, CoreBuilder *b, const CoreExp *view, size_t count,
                       const CoreAtom *indices, CoreType type)
{
    CoreAtom array = view->as.pad.array, before = view->as.pad.before;
    size_t axis = (size_t)view->as.pad.axis;
    CoreAtom end = arithmetic(b, "end", CORE_ADD, before, core_atom_type(array).sizes[axis]);
    CoreAtom from = arithmetic(b, "from", CORE_LE, before, indices[axis]);
    CoreAtom below = arithmetic(b, "below", CORE_LT, indices[axis], end);
    CoreAtom inside = arithmetic(b, "inside", CORE_AND, from, below);
    CoreAtom index = arithmetic(b, "i", CORE_SUB, indices[axis], before);
    Wanted wanted = {array, count, with(f, count, indices, axis, index)};
    const CoreBody *item = branch(f, b, type, wanted, NULL, NULL);
    const CoreBody *fill = branch(f, b, type, (Wanted){.array = view->as.pad.fill}, NULL, NULL);
    return choose(f, b, inside, type, item, fill);
}

static CoreAtom of_cycle(Fuse *f, CoreBuilder *b, const CoreExp *view, size_t count,
                         const CoreAtom *indices, CoreType type)
{
    CoreAtom array = view->as.cycle.array, size = core_atom_type(array).sizes[0];
    CoreAtom some = arithmetic(b, "some", CORE_GT, size, core_i64(0));
    CoreAtom index = arithmetic(b, "i", CORE_MOD, indices[0], size);
    Wanted wanted = {array, count, with(f, count, indices, 0, index)};
    const CoreBody *item = branch(f, b, type, wanted, NULL, NULL);
    const CoreBody *fill = branch(f, b, type, (Wanted){.array = view->as.cycle.fill}, NULL, NULL);
    return choose(f, b, some, type, item, fill);
}

static CoreAtom of_slice(Fuse *f, CoreBuilder *b, const CoreExp *view, size_t count,
                         const CoreAtom *indices, CoreType type)
{
    size_t rank = view->as.slice.count, given = 0;
    CoreAtom *all = ARENA_ARRAY(f->c->arena, CoreAtom, rank + 1);
    for (size_t i = 0; i < rank; i++) {
        const CoreSlice *slice = &view->as.slice.slices[i];
        if (slice->fixed) {
            all[i] = slice->offset;
        } else {
            CoreAtom step = arithmetic(b, "step", CORE_MUL, indices[given++], slice->stride);
            all[i] = arithmetic(b, "i", CORE_ADD, slice->offset, step);
        }
    }
    (void)count;
    return element(f, b, view->as.slice.array, rank, all, type);
}

/* Axes that both shapes end in keep their indices; the others make one position, taken apart. */
static CoreAtom of_reshape(Fuse *f, CoreBuilder *b, const CoreExp *view, size_t count,
                           const CoreAtom *indices, CoreType type)
{
    CoreType from = core_atom_type(view->as.reshape.array);
    int to_rank = (int)view->as.reshape.count, from_rank = from.rank;
    while (to_rank > 0 && from_rank > 0 &&
           core_atom_equal(view->as.reshape.sizes[to_rank - 1], from.sizes[from_rank - 1])) {
        to_rank--, from_rank--;
    }
    int different = 0;
    for (int i = 0; i < to_rank && to_rank == from_rank; i++) {
        different += !core_atom_equal(view->as.reshape.sizes[i], from.sizes[i]);
    }
    if (to_rank == from_rank && different <= 1) { /* another name for the same extent */
        return element(f, b, view->as.reshape.array, count, indices, type);
    }
    CoreAtom *all = ARENA_ARRAY(f->c->arena, CoreAtom, from.rank + 1);
    CoreAtom position = core_i64(0);
    for (int i = 0; i < to_rank; i++) {
        position = arithmetic(b, "row", CORE_MUL, position, view->as.reshape.sizes[i]);
        position = arithmetic(b, "i", CORE_ADD, position, indices[i]);
    }
    for (int i = from_rank - 1; i > 0; i--) {
        all[i] = arithmetic(b, "j", CORE_MOD, position, from.sizes[i]);
        position = arithmetic(b, "i", CORE_DIV, position, from.sizes[i]);
    }
    if (from_rank > 0) {
        all[0] = position;
    }
    for (int i = from_rank; i < from.rank; i++) {
        all[i] = indices[to_rank + i - from_rank];
    }
    return element(f, b, view->as.reshape.array, (size_t)from.rank, all, type);
}

static CoreAtom of_rearrange(Fuse *f, CoreBuilder *b, const CoreExp *view, size_t count,
                             const CoreAtom *indices, CoreType type)
{
    CoreAtom *all = ARENA_ARRAY(f->c->arena, CoreAtom, count + 1);
    for (size_t i = 0; i < count; i++) {
        all[view->as.rearrange.permutation[i]] = indices[i];
    }
    return element(f, b, view->as.rearrange.array, count, all, type);
}

static CoreAtom of_row(Fuse *f, CoreBuilder *b, const CoreExp *view, size_t count,
                       const CoreAtom *indices, CoreType type)
{
    size_t outer = view->as.index.count;
    CoreAtom *all = ARENA_ARRAY(f->c->arena, CoreAtom, outer + count);
    for (size_t i = 0; i < outer + count; i++) {
        all[i] = i < outer ? view->as.index.indices[i] : indices[i - outer];
    }
    return element(f, b, view->as.index.array, outer + count, all, type);
}

static CoreAtom of_replicate(Fuse *f, CoreBuilder *b, const CoreExp *view, size_t count,
                             const CoreAtom *indices, CoreType type)
{
    size_t outer = view->as.replicate.count;
    return count == outer
               ? view->as.replicate.value
               : element(f, b, view->as.replicate.value, count - outer, indices + outer, type);
}

static CoreAtom read_stored(Fuse *f, CoreBuilder *b, CoreAtom array, size_t count,
                            const CoreAtom *indices)
{
    CoreAtom read = core_let_index(b, count < (size_t)core_atom_type(array).rank ? "row" : "x",
                                   array, count, indices);
    fuse_note_stm(f, b->stms.items[b->stms.count - 1], f->level);
    if (read.name->type.rank > 0 && array.name) {
        fuse_name(f, read.name)->uses.reaches = fuse_name(f, array.name)->uses.reaches;
    }
    return read;
}

/* ---- maps -------------------------------------------------------------------------------- */

typedef struct Needs {
    Fuse *f;
    Renaming *needed; /* names that are needed: to themselves */
} Needs;

static void need(void *context, CoreName *name)
{
    Needs *needs = context;
    core_rename(needs->needed, name, core_bool(true));
}

static bool is_needed(const Needs *needs, const CoreStm *stm)
{
    for (size_t i = 0; i < stm->pattern_count; i++) {
        if (!core_renamed(needs->needed, core_use(stm->pattern[i])).name) {
            return true;
        }
    }
    return false;
}

static size_t binder_of(const CoreBody *body, CoreAtom atom)
{
    for (size_t i = 0; atom.name && i < body->stm_count; i++) {
        for (size_t k = 0; k < body->stms[i]->pattern_count; k++) {
            if (body->stms[i]->pattern[k] == atom.name) {
                return i;
            }
        }
    }
    return SIZE_MAX;
}

/* The statements that the result needs; the one that makes an inner map is only noted where its
   elements are wanted: copying that too would double the work with every map. */
static CoreAtom add_body(Fuse *f, CoreBuilder *b, Renaming *renaming, const CoreStm *stm,
                         size_t result, CoreAtom index, bool inner)
{
    Needs needs = {f, core_renaming(f->c)};
    const CoreBody *body = stm->exp->as.soac.map->body;
    CoreAtom wanted = body->results[result];
    size_t maker = inner ? binder_of(body, wanted) : SIZE_MAX;
    bool *keep = ARENA_ARRAY(f->c->arena, bool, body->stm_count + 1);
    if (wanted.name && maker == SIZE_MAX) {
        need(&needs, wanted.name);
    }
    for (size_t i = body->stm_count; i-- > 0;) {
        keep[i] = is_needed(&needs, body->stms[i]);
        const CoreName *stored = keep[i] ? fuse_read_beside(f, stm, body->stms[i], result) : NULL;
        if (stored) {
            CoreAtom array = core_use((CoreName *)(uintptr_t)stored);
            core_rename(renaming, body->stms[i]->pattern[0], read_stored(f, b, array, 1, &index));
            keep[i] = false;
        }
        if (keep[i] || i == maker) {
            core_each_free(body->stms[i], need, &needs);
        }
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        if (!keep[i] && i != maker) {
            continue;
        }
        CoreStm *copy =
            arena_copy(f->c->arena, core_rename_stm(renaming, body->stms[i]), sizeof *copy);
        fuse_note_stm(f, copy, f->level);
        for (size_t k = 0; k < copy->pattern_count; k++) {
            FuseName *fresh = fuse_name(f, copy->pattern[k]);
            const FuseName *old = fuse_name(f, body->stms[i]->pattern[k]);
            fresh->uses.reaches = old->uses.reaches;
            fresh->uses.delayed = old->uses.delayed;
            fresh->uses.stored = old->uses.stored;
        }
        if (keep[i]) {
            fuse_rewrite(f, b, copy);
        }
    }
    return core_renamed(renaming, wanted);
}

static CoreAtom of_map(Fuse *f, CoreBuilder *b, const CoreStm *stm, CoreAtom array, size_t count,
                       const CoreAtom *indices, CoreType type)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    Renaming *renaming = core_renaming(f->c);
    size_t result = 0;
    while (stm->pattern[result] != array.name) {
        result++;
    }
    if (f->consumer && fuse_name(f, array.name)->level <= f->consumer_level) {
        fuse_log_done(f, CORE_RULE_FUSE_VIEW, stm, f->consumer, array.name);
    }
    for (size_t i = 0; i < soac->input_count; i++) {
        CoreName *parameter = soac->map->parameters[i];
        CoreType row = core_row(core_atom_type(soac->inputs[i]));
        core_rename(renaming, parameter, element(f, b, soac->inputs[i], 1, indices, row));
    }
    bool inner = count > 1;
    CoreAtom row = add_body(f, b, renaming, stm, result, indices[0], inner);
    if (!inner) {
        return row;
    }
    FuseUses *uses = &fuse_name(f, row.name)->uses; /* of a map or a view that is not there */
    uses->delayed = fuse_is_map(fuse_definition(f, row));
    uses->reaches = true;
    return element(f, b, row, count - 1, indices + 1, type);
}

/* ---- all kinds --------------------------------------------------------------------------- */

bool fuse_is_progression(const CoreExp *exp, int64_t *first, int64_t *step)
{
    if (exp->kind != CORE_EXP_LITERAL || exp->as.items.count < 2) {
        return false;
    }
    const CoreAtom *items = exp->as.items.items;
    for (size_t i = 0; i < exp->as.items.count; i++) {
        if (items[i].name || items[i].prim != CORE_I64 ||
            (i > 0 && __builtin_sub_overflow(items[i].as.integer, items[i - 1].as.integer, step)) ||
            (i > 1 && *step != items[1].as.integer - items[0].as.integer)) {
            return false;
        }
    }
    *first = items[0].as.integer;
    return true;
}

/* first + i * step */
static CoreAtom of_literal(CoreBuilder *b, const CoreExp *exp, CoreAtom index)
{
    int64_t first = 0, step = 0;
    fuse_is_progression(exp, &first, &step);
    CoreAtom x = step == 1 ? index : core_let_binary(b, "x", CORE_MUL, index, core_i64(step));
    return first == 0 ? x : core_let_binary(b, "x", CORE_ADD, x, core_i64(first));
}

static CoreAtom through(Fuse *f, CoreBuilder *b, const CoreStm *stm, CoreAtom array, size_t count,
                        const CoreAtom *indices, CoreType type)
{
    const CoreExp *exp = stm->exp;
    switch ((int)exp->kind) { /* views, and maps that are delayed */
    case CORE_EXP_ATOM: return element(f, b, exp->as.atom, count, indices, type);
    case CORE_EXP_INDEX: return of_row(f, b, exp, count, indices, type);
    case CORE_EXP_IOTA: return indices[0];
    case CORE_EXP_LITERAL: return of_literal(b, exp, indices[0]);
    case CORE_EXP_REPLICATE: return of_replicate(f, b, exp, count, indices, type);
    case CORE_EXP_REARRANGE: return of_rearrange(f, b, exp, count, indices, type);
    case CORE_EXP_RESHAPE: return of_reshape(f, b, exp, count, indices, type);
    case CORE_EXP_CYCLE: return of_cycle(f, b, exp, count, indices, type);
    case CORE_EXP_ROTATE: return of_rotate(f, b, exp, count, indices, type);
    case CORE_EXP_REVERSE: return of_reverse(f, b, exp, count, indices, type);
    case CORE_EXP_SLICE: return of_slice(f, b, exp, count, indices, type);
    case CORE_EXP_CONCAT: return of_parts(f, b, (Parts){exp, 0, count, indices, type});
    case CORE_EXP_PAD: return of_pad(f, b, exp, count, indices, type);
    case CORE_EXP_SOAC: return of_map(f, b, stm, array, count, indices, type);
    }
    return read_stored(f, b, array, count, indices);
}

/* Views of one array without a choice, of anything: an index is all that they cost, and a
   rotation's is better here than the simplifier's, which must not choose. A few at most, one after
   the other. */
enum { MOST_PLAIN_VIEWS = 16 };

static bool is_plain_view(const Fuse *f, CoreExpKind kind)
{
    return f->plain_views < MOST_PLAIN_VIEWS &&
           (kind == CORE_EXP_ROTATE || kind == CORE_EXP_REVERSE || kind == CORE_EXP_SLICE ||
            kind == CORE_EXP_REARRANGE || kind == CORE_EXP_INDEX || kind == CORE_EXP_ATOM);
}

/* What else reaches nothing that is delayed is read as it stands: the simplifier sees to its views.
 */
static bool is_computed(Fuse *f, const CoreStm *stm, CoreAtom array)
{
    if (is_plain_view(f, stm->exp->kind)) {
        return true;
    }
    switch ((int)stm->exp->kind) { /* the others may be views of what is delayed */
    case CORE_EXP_IOTA:
    case CORE_EXP_REPLICATE: return true;
    case CORE_EXP_SOAC: return fuse_name(f, array.name)->uses.delayed;
    }
    return fuse_name(f, array.name)->uses.reaches;
}

static CoreAtom element(Fuse *f, CoreBuilder *b, CoreAtom array, size_t count,
                        const CoreAtom *indices, CoreType type)
{
    if (count == 0) {
        return array;
    }
    const CoreStm *stm = fuse_definition(f, array);
    bool whole = count == (size_t)core_atom_type(array).rank;
    if (!stm || !whole || !is_computed(f, stm, array)) {
        return read_stored(f, b, array, count, indices);
    }
    size_t guards = b->certificates.count;
    for (size_t i = 0; i < stm->certificate_count; i++) {
        vec_push(f->c->arena, &b->certificates, stm->certificates[i]);
    }
    f->plain_views++;
    CoreAtom result = through(f, b, stm, array, count, indices, type);
    f->plain_views--;
    b->certificates.count = guards;
    return result;
}

CoreAtom fuse_demand(Fuse *f, CoreBuilder *b, CoreAtom array, size_t count, const CoreAtom *indices,
                     CoreType type)
{
    return element(f, b, array, count, indices, type);
}
