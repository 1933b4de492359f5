/* [L0 8] What goes over some rows of a scan, or over these and one more, goes over the scan's rows, in whose kernel or loop
   it can be done (pairs.c, streams.c). A first part of a scan that is wanted alone is the scan of that part:

       let s = scan n (+) 0 xs                          let ys = xs[0 :+ m]
       let r = s[0 :+ m]                         ==>    let r = scan m (+) 0 ys

   One row alone is a reduction of those up to it:

       let s = scan n (+) 0 xs                          let ys = xs[0 :+ i + 1]
       let r = s[i]                              ==>    let r = reduce (i + 1) (+) 0 ys

   Rows from the k-th on, or up to one, are chosen among all by their numbers; others of as many rows are padded:

       let s = scan n (+) 0 xs                          let s = scan n (+) 0 xs
       let r = s[k :+ m]                         ==>    let ys' = pad k (n - k - m) 0 ys
       let (t, z) = redomap m f op ne (r, ys)           let (t, z') = redomap n (\(i, x, y) ->
                                                          if k <= i & i < k + m then f(x, y) else (ne, 0))
                                                          op ne (iota n, s, ys')
                                                        let z = z'[k :+ m]

   Where rows beside each other are wanted, s[1 :+ m] and s[0 :+ m], those of the second are what comes before those of the
   first, and become a view of it that exclusive.c knows. A first or last row that is no row of the scan is by itself:

       let e = concat 0 [x] s                           let (r, z') = redomap n f op ne s
       let (t, z) = redomap (n + 1) f op ne e    ==>    let (x', y') = f x
                                                        let t = op x' r
                                                        let z = concat 0 [y'] z'

   In functions of SOACs, too, but for rows beside each other: a scan of wider rows would be one for all that go over these.

   Before and after: as fuse.c says. Only where nothing may fail or is written in place, and operators commute; arrays that
   are made so are of nearly as many rows as before. */
#include "core/fuse/fuse.h"

/* Rows that an array is made longer by. */
enum { MOST_MORE = 16 };

typedef struct SomeRows {
    Fuse *f;
    bool in_function; /* of a SOAC, whose rows others may go through: scans are not made wider */
    const CoreBody *body;
    PointerMap binders; /* of the body (fuse_note_binders) */
    PointerMap whole;   /* of the body (fuse_find_whole) */
    CoreBuilder b;      /* the statements before the one at work */
    const CoreName *name;
    size_t uses; /* of it */
} SomeRows;

static CoreAtom extent(CoreAtom array)
{
    return core_atom_type(array).sizes[0];
}

/* The statement, of the body, that scans and makes this array, scanned or mapped beside it; NULL. */
static const CoreStm *made_with_scan(SomeRows *x, CoreAtom rows, bool *is_scanned)
{
    size_t at = rows.name != NULL ? fuse_binder(&x->binders, rows.name) : SIZE_MAX;
    const CoreStm *stm = at != SIZE_MAX ? x->body->stms[at] : NULL;
    if (stm == NULL || !fuse_is_soac(stm) || stm->exp->as.soac.scan_count == 0 ||
        rows.name->type.rank != 1) {
        return NULL;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t k = fuse_total_width(soac->reduction_count, soac->reductions);
    size_t end = k + fuse_total_width(soac->scan_count, soac->scans);
    while (k < stm->pattern_count && stm->pattern[k] != rows.name) {
        k++;
    }
    *is_scanned = k < end;
    return k < stm->pattern_count ? stm : NULL;
}

/* The scan, among the statements of the body, of which this is a result; NULL. */
static const CoreStm *scan_of(SomeRows *x, CoreAtom rows)
{
    bool is_scanned;
    const CoreStm *stm = made_with_scan(x, rows, &is_scanned);
    return stm != NULL && is_scanned ? stm : NULL;
}

const CoreSlice *fuse_part(const CoreStm *stm)
{
    bool is = stm != NULL && stm->exp->kind == CORE_EXP_SLICE && stm->exp->as.slice.count == 1 &&
              stm->certificate_count == 0;
    const CoreSlice *slice = is ? stm->exp->as.slice.slices : NULL;
    return is && !slice->fixed && core_atom_equal(slice->stride, core_i64(1)) ? slice : NULL;
}

bool fuse_is_less(Fuse *f, CoreAtom m, CoreAtom n, CoreAtom *k)
{
    if (core_atom_equal(m, n)) {
        *k = core_i64(0);
        return true;
    }
    if (m.name == NULL) {
        *k = core_i64(n.name == NULL ? n.as.integer - m.as.integer : 0);
        return n.name == NULL;
    }
    const CoreStm *stm = fuse_definition(f, m);
    if (stm != NULL && stm->exp->kind == CORE_EXP_BINARY && stm->exp->as.scalar.op == CORE_MAX &&
        core_atom_equal(stm->exp->as.scalar.y, core_i64(0))) {
        stm = fuse_definition(f, stm->exp->as.scalar.x);
    }
    bool is = stm != NULL && stm->exp->kind == CORE_EXP_BINARY &&
              stm->exp->as.scalar.op == CORE_SUB && core_atom_equal(stm->exp->as.scalar.x, n);
    *k = is ? stm->exp->as.scalar.y : core_i64(0);
    return is;
}

static bool is_nearly(CoreAtom less)
{
    return less.name == NULL && less.as.integer >= 0 && less.as.integer <= MOST_MORE;
}

bool fuse_is_nearly_all(Fuse *f, const CoreStm *stm)
{
    CoreAtom less;
    const CoreSlice *part = fuse_part(stm);
    return part != NULL && fuse_is_less(f, part->count, extent(stm->exp->as.slice.array), &less) &&
           is_nearly(less);
}

static void count_name(void *context, CoreName *name)
{
    SomeRows *x = context;
    x->uses += name == x->name;
}

/* In so many statements and results of the body. */
static size_t uses_of(SomeRows *x, const CoreName *name)
{
    size_t uses = 0;
    x->name = name;
    for (size_t i = 0; i < x->body->stm_count; i++) {
        x->uses = 0;
        core_each_free(x->body->stms[i], count_name, x);
        uses += x->uses > 0;
    }
    return uses + fuse_is_result(x->body, name);
}

/* ---- a scan of fewer rows ------------------------------------------------------------------ */

/* A scan of scalars, which makes nothing else, and of which nothing but one statement wants anything. */
static const CoreStm *scan_for_one(SomeRows *x, CoreAtom rows)
{
    const CoreStm *scan = scan_of(x, rows);
    return scan != NULL && scan->pattern_count == 1 && uses_of(x, scan->pattern[0]) == 1 &&
                   fuse_is_of_scalars(scan->exp->as.soac.map) && fuse_may_move(x->f, scan)
               ? scan
               : NULL;
}

/* The first `count` rows of what the scan goes over. */
static const CoreAtom *first_rows(SomeRows *x, const CoreSoac *soac, CoreAtom count)
{
    const CoreSlice part = {.offset = core_i64(0), .count = count, .stride = core_i64(1)};
    CoreAtom *inputs = ARENA_ARRAY(x->f->c->arena, CoreAtom, soac->input_count + 1);
    for (size_t i = 0; i < soac->input_count; i++) {
        inputs[i] = core_let_slice(&x->b, soac->inputs[i].name->text, soac->inputs[i], &part);
    }
    return inputs;
}

/* let r = s[0 :+ m]  ==>  let r = scan m (+) 0 (xs[0 :+ m]) */
static bool shorten(SomeRows *x, const CoreStm *stm)
{
    Compilation *c = x->f->c;
    const CoreSlice *part = fuse_part(stm);
    const CoreStm *scan = part != NULL && core_atom_equal(part->offset, core_i64(0))
                              ? scan_for_one(x, stm->exp->as.slice.array)
                              : NULL;
    if (scan == NULL) {
        return false;
    }
    x->b.span = scan->span;
    const CoreAtom *inputs = first_rows(x, &scan->exp->as.soac, part->count);
    CoreStm *shorter = arena_copy(c->arena, scan, sizeof *scan);
    const CoreStm *renamed = core_rename_stm(core_renaming(c), scan);
    const CoreSoac *fresh = &renamed->exp->as.soac;
    shorter->pattern = stm->pattern;
    shorter->exp = core_exp_soac(c, part->count, fresh->input_count, inputs, fresh->map, 0, NULL,
                                 fresh->scan_count, fresh->scans);
    core_add(&x->b, shorter);
    return true;
}

/* let r = <u> s[i]  ==>  let r = <u> reduce (i + 1) (+) 0 (xs[0 :+ i + 1]) */
static bool fold_to(SomeRows *x, const CoreStm *stm)
{
    Compilation *c = x->f->c;
    const CoreExp *exp = stm->exp;
    const CoreStm *scan = exp->kind == CORE_EXP_INDEX && stm->pattern[0]->type.rank == 0
                              ? scan_for_one(x, exp->as.index.array)
                              : NULL;
    if (scan == NULL) {
        return false;
    }
    x->b.span = scan->span;
    CoreAtom count =
        core_let_binary(&x->b, "count", CORE_ADD, exp->as.index.indices[0], core_i64(1));
    size_t mark = x->b.certificates.count;
    for (size_t i = 0; i < stm->certificate_count; i++) {
        vec_push(c->arena, &x->b.certificates, stm->certificates[i]);
    }
    const CoreAtom *inputs = first_rows(x, &scan->exp->as.soac, count);
    const CoreStm *renamed = core_rename_stm(core_renaming(c), scan);
    const CoreSoac *fresh = &renamed->exp->as.soac;
    for (size_t i = 0; i < scan->certificate_count; i++) {
        vec_push(c->arena, &x->b.certificates, scan->certificates[i]);
    }
    core_bind(&x->b, 1, stm->pattern,
              core_exp_soac(c, count, fresh->input_count, inputs, fresh->map, fresh->scan_count,
                            fresh->scans, 0, NULL));
    x->b.certificates.count = mark;
    return true;
}

/* ---- what goes over such rows --------------------------------------------------------------- */

/* It is no result, which a part of an array would be copied for; and where rows go, or whether they stay, is not said by it. */
static bool is_plain(SomeRows *x, const CoreName *name)
{
    if (fuse_is_result(x->body, name)) {
        return false;
    }
    x->name = name;
    for (size_t i = 0; i < x->body->stm_count; i++) {
        const CoreStm *stm = x->body->stms[i];
        CoreExpKind kind = stm->exp->kind;
        x->uses = 0;
        core_each_free(stm, count_name, x);
        if (x->uses > 0 && (kind == CORE_EXP_FILTER || kind == CORE_EXP_COMPACT ||
                            kind == CORE_EXP_SCATTER || kind == CORE_EXP_HIST)) {
            return false;
        }
    }
    return true;
}

static bool is_iota(Fuse *f, CoreAtom input)
{
    const CoreStm *maker = fuse_definition(f, input);
    return maker != NULL && maker->exp->kind == CORE_EXP_IOTA;
}

static bool may_go_over_all(const CoreStm *stm)
{
    return fuse_is_soac(stm) && stm->exp->as.soac.scan_count == 0 && !core_may_fail(stm) &&
           !fuse_may_consume(stm->exp) && fuse_is_of_scalars(stm->exp->as.soac.map) &&
           stm->exp->as.soac.input_count > 0;
}

/* ---- some of all --------------------------------------------------------------------------- */

/* Which rows of n the function is for: m from `base` on. */
typedef struct Among {
    CoreAtom n, m, base;
    bool from, to; /* not from the first, not to the last */
} Among;

/* The slice, of an array that is made with a scan that suits; NULL where the input is none. */
static const CoreSlice *part_beside_scan(SomeRows *x, const CoreStm *stm, CoreAtom input,
                                         const CoreStm **scan, bool *is_scanned)
{
    const CoreStm *view = fuse_definition(x->f, input);
    const CoreSlice *part = fuse_part(view);
    *scan = part != NULL ? made_with_scan(x, view->exp->as.slice.array, is_scanned) : NULL;
    return *scan != NULL && fuse_suits_scan(*scan, stm) ? part : NULL;
}

/* The atoms are numbers, and the first is one less. */
static bool is_one_before(CoreAtom a, CoreAtom b)
{
    return a.name == NULL && b.name == NULL && a.as.integer == b.as.integer - 1;
}

/* The scans are all of n rows, and the first rows wanted of them and of what is made with them are the base-th; of scans, the one
   before, too, where that can be had. */
static bool find_base(SomeRows *x, const CoreStm *stm, Among *among)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    bool any = false, any_scanned = false, is_scanned;
    const CoreStm *scan;
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreSlice *part = part_beside_scan(x, stm, soac->inputs[i], &scan, &is_scanned);
        if (part == NULL) {
            continue;
        }
        CoreAtom n = scan->exp->as.soac.width, base = part->offset;
        if (any && !core_atom_equal(n, among->n)) {
            return false;
        }
        bool later = any && base.name == NULL && among->base.name == NULL &&
                     base.as.integer > among->base.as.integer;
        among->base = !any || later ? base : among->base;
        among->n = n;
        any = true;
        any_scanned = any_scanned || is_scanned;
    }
    for (size_t i = 0; any_scanned && i < soac->input_count; i++) {
        const CoreSlice *part = part_beside_scan(x, stm, soac->inputs[i], &scan, &is_scanned);
        if (part == NULL || core_atom_equal(part->offset, among->base)) {
            continue;
        }
        CoreAtom all = fuse_definition(x->f, soac->inputs[i])->exp->as.slice.array;
        any_scanned = is_scanned && !x->in_function && is_one_before(part->offset, among->base) &&
                      fuse_has_rows_before(x->f, all) &&
                      (among->n.name != NULL || among->n.as.integer > 0);
    }
    return any_scanned;
}

static bool find_among(SomeRows *x, const CoreStm *stm, Among *among)
{
    CoreAtom k;
    const CoreSoac *soac = &stm->exp->as.soac;
    if (!may_go_over_all(stm) || !find_base(x, stm, among)) {
        return false;
    }
    among->m = soac->width;
    bool nearly = fuse_is_less(x->f, among->m, among->n, &k);
    among->from = !core_atom_equal(among->base, core_i64(0));
    among->to = !nearly || !core_atom_equal(k, among->base);
    nearly = nearly && is_nearly(k);
    size_t folded = fuse_total_width(soac->reduction_count, soac->reductions);
    for (size_t i = folded; i < stm->pattern_count; i++) {
        if (!nearly || !is_plain(x, stm->pattern[i])) {
            return false;
        }
    }
    return among->from || among->to;
}

/* Row i is row i - 1 of the scan's result. */
static CoreAtom rows_before(SomeRows *x, CoreAtom all)
{
    const CoreStm *stm = fuse_definition(x->f, all);
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t at = fuse_total_width(soac->reduction_count, soac->reductions);
    CoreAtom n = extent(all), parts[2], most, size = n;
    for (size_t i = 0; i < soac->scan_count; i++) {
        if (stm->pattern[at] == all.name) {
            parts[0] = core_let_literal(&x->b, "first", 1, soac->scans[i].neutral);
        }
        at += fuse_total_width(1, &soac->scans[i]);
    }
    if (n.name == NULL) {
        most = core_i64(n.as.integer - 1);
    } else {
        most = core_let_binary(&x->b, "most", CORE_SUB, n, core_i64(1));
        most = core_let_binary(&x->b, "most", CORE_MAX, most, core_i64(0));
        size = core_let_binary(&x->b, "size", CORE_ADD, most, core_i64(1));
    }
    const CoreSlice part = {.offset = core_i64(0), .count = most, .stride = core_i64(1)};
    const CoreSlice whole = {.offset = core_i64(0), .count = n, .stride = core_i64(1)};
    parts[1] = core_let_slice(&x->b, all.name->text, all, &part);
    CoreAtom both = core_let_concat(&x->b, "before", 0, size, 2, parts);
    return n.name != NULL ? core_let_slice(&x->b, "before", both, &whole) : both;
}

/* n rows, of which those from the base-th on are the input's. */
static CoreAtom among_all(SomeRows *x, const Among *among, CoreAtom input)
{
    const CoreStm *view = fuse_definition(x->f, input);
    const CoreSlice *part = fuse_part(view);
    if (part != NULL && core_atom_equal(extent(view->exp->as.slice.array), among->n)) {
        CoreAtom all = view->exp->as.slice.array;
        if (core_atom_equal(part->offset, among->base)) {
            return all;
        }
        if (scan_of(x, all) != NULL && is_one_before(part->offset, among->base) &&
            fuse_has_rows_before(x->f, all)) {
            return rows_before(x, all);
        }
    }
    /* Where no row is wanted, base may be more than n. */
    CoreAtom others = core_let_binary(&x->b, "others", CORE_SUB, among->n, among->m);
    CoreAtom before = core_let_binary(&x->b, "before", CORE_MIN, among->base, among->n);
    CoreAtom after = core_let_binary(&x->b, "after", CORE_SUB, others, before);
    return core_let_pad(&x->b, "rows", input, 0, among->n, before, after,
                        core_zero(core_atom_type(input).prim));
}

/* base <= i & i < base + m */
static CoreAtom is_among(CoreBuilder *b, const Among *among, CoreAtom i, CoreAtom end)
{
    CoreAtom from = core_bool(true), to = from;
    if (among->from) {
        from = core_let_binary(b, "from", CORE_LE, among->base, i);
    }
    if (among->to) {
        to = core_let_binary(b, "to", CORE_LT, i, end);
    }
    return !among->to ? from : !among->from ? to : core_let_binary(b, "among", CORE_AND, from, to);
}

static void bind_part(SomeRows *x, CoreName *part, CoreAtom all, const Among *among)
{
    const CoreSlice slice = {.offset = among->base, .count = among->m, .stride = core_i64(1)};
    core_bind(&x->b, 1, &part,
              core_atom_exp(x->f->c, core_let_slice(&x->b, part->text, all, &slice)));
}

/* A name for an array of n rows. */
static CoreName *of_rows(Compilation *c, const CoreName *old, CoreAtom n)
{
    CoreType type = old->type;
    type.sizes = arena_copy(c->arena, &n, sizeof n);
    return core_name(c, old->text, type, old->span);
}

/* What goes over all rows instead: its rows, and their numbers, from which the function's `inner` statements make others. */
typedef struct Taken {
    CoreAtom *inputs;
    CoreName **parameters;
    size_t count;
    CoreBuilder inner;
} Taken;

static Taken take_all(SomeRows *x, const CoreStm *old, const Among *among)
{
    Compilation *c = x->f->c;
    const CoreSoac *soac = &old->exp->as.soac;
    Taken taken = {.inputs = ARENA_ARRAY(c->arena, CoreAtom, soac->input_count + 1),
                   .parameters = ARENA_ARRAY(c->arena, CoreName *, soac->input_count + 1),
                   .count = 1,
                   .inner = core_builder(c, old->span)};
    taken.inputs[0] = core_let_iota(&x->b, "positions", among->n);
    taken.parameters[0] = core_name(c, "i", core_scalar(CORE_I64), old->span);
    for (size_t i = 0; i < soac->input_count; i++) {
        CoreName *parameter = soac->map->parameters[i];
        if (is_iota(x->f, soac->inputs[i])) {
            CoreAtom number = core_let_binary(&taken.inner, parameter->text, CORE_SUB,
                                              core_use(taken.parameters[0]), among->base);
            core_bind(&taken.inner, 1, &parameter, core_atom_exp(c, number));
            continue;
        }
        taken.inputs[taken.count] = among_all(x, among, soac->inputs[i]);
        taken.parameters[taken.count++] = parameter;
    }
    return taken;
}

static void go_over_all(SomeRows *x, const CoreStm *old, const Among *among)
{
    Compilation *c = x->f->c;
    const CoreSoac *soac = &old->exp->as.soac;
    size_t results = old->pattern_count, k = 0;
    CoreAtom *others = ARENA_ARRAY(c->arena, CoreAtom, results + 1);
    CoreName **names = ARENA_ARRAY(c->arena, CoreName *, results + 1);
    x->b.span = old->span;
    CoreAtom end = core_let_binary(&x->b, "end", CORE_ADD, among->base, among->m);
    Taken taken = take_all(x, old, among);
    for (size_t r = 0; r < soac->reduction_count; r++) {
        size_t width = fuse_total_width(1, &soac->reductions[r]);
        for (size_t j = 0; j < width; j++, k++) {
            others[k] = soac->reductions[r].neutral[j];
            names[k] = old->pattern[k];
        }
    }
    bool no_reductions = k == 0;
    for (; k < results; k++) {
        others[k] = core_zero(old->pattern[k]->type.prim);
        names[k] = of_rows(c, old->pattern[k], among->n);
    }
    CoreAtom keep = is_among(&taken.inner, among, core_use(taken.parameters[0]), end);
    const CoreAtom *kept =
        fuse_where_kept(x->f, &taken.inner, keep, soac->map->body, no_reductions ? NULL : others);
    const CoreLambda *map =
        core_lambda(c, taken.count, taken.parameters, core_body(&taken.inner, results, kept));
    CoreStm *stm = arena_copy(c->arena, old, sizeof *stm);
    stm->pattern = names;
    stm->exp = core_exp_soac(c, among->n, taken.count, taken.inputs, map, soac->reduction_count,
                             soac->reductions, 0, NULL);
    core_add(&x->b, stm);
    for (k = 0; k < results; k++) {
        if (names[k] != old->pattern[k]) {
            bind_part(x, old->pattern[k], core_use(names[k]), among);
        }
    }
}

/* ---- all of them and one more ---------------------------------------------------------------- */

typedef struct OneMore {
    CoreAtom n; /* of the others */
    bool first; /* the row stands before the others */
} OneMore;

/* A row by itself and rows of a scan that suits, or some of these; which, in a statement that catenates them. */
static bool is_one_more(SomeRows *x, const CoreStm *stm, CoreAtom input, OneMore *more,
                        CoreAtom *row, CoreAtom *rest)
{
    const CoreStm *view = fuse_definition(x->f, input);
    if (view == NULL || view->exp->kind != CORE_EXP_CONCAT || view->certificate_count > 0 ||
        view->exp->as.concat.axis != 0 || view->exp->as.concat.count != 2) {
        return false;
    }
    const CoreAtom *arrays = view->exp->as.concat.arrays;
    for (size_t k = 0; k < 2; k++) {
        const CoreStm *scan = scan_of(x, arrays[1 - k]);
        bool is_scanned = true;
        bool good = (scan != NULL && fuse_suits_scan(scan, stm)) ||
                    (part_beside_scan(x, stm, arrays[1 - k], &scan, &is_scanned) && is_scanned);
        if (good && fuse_one_row(x->f, arrays[k], row)) {
            *rest = arrays[1 - k];
            *more = (OneMore){extent(*rest), k == 0};
            return true;
        }
    }
    return false;
}

/* All inputs are such, with the row at one end, or arrays that may be read in any order. */
static bool find_one_more(SomeRows *x, const CoreStm *stm, OneMore *more)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    bool any = false;
    if (!may_go_over_all(stm)) {
        return false;
    }
    for (size_t i = 0; i < soac->input_count; i++) {
        CoreAtom row, rest;
        OneMore one;
        if (!is_one_more(x, stm, soac->inputs[i], &one, &row, &rest)) {
            if (fuse_is_in_order(x->f, soac->inputs[i])) {
                return false;
            }
            continue;
        }
        if (any && (one.first != more->first || !core_atom_equal(one.n, more->n))) {
            return false;
        }
        *more = one;
        any = true;
    }
    size_t folded = fuse_total_width(soac->reduction_count, soac->reductions);
    for (size_t k = folded; any && k < stm->pattern_count; k++) {
        any =
            pointer_map_get(&x->whole, stm->pattern[k]) != NULL && uses_of(x, stm->pattern[k]) == 1;
    }
    return any;
}

/* The function's results for the row. */
static const CoreAtom *apply_once(SomeRows *x, const CoreLambda *map, const CoreAtom *row)
{
    Renaming *renaming = core_renaming(x->f->c);
    for (size_t i = 0; i < map->parameter_count; i++) {
        core_rename(renaming, map->parameters[i], row[i]);
    }
    const CoreBody *body = core_rename_body(renaming, map->body);
    core_add_all(&x->b, body);
    return body->results;
}

/* The operators' results are those of the rows, and the row. */
static void fold_in(SomeRows *x, const CoreStm *old, CoreName *const *names, const CoreAtom *row,
                    bool first)
{
    Compilation *c = x->f->c;
    const CoreSoac *soac = &old->exp->as.soac;
    size_t at = 0;
    for (size_t r = 0; r < soac->reduction_count; r++) {
        const CoreLambda *op = soac->reductions[r].function;
        size_t width = op->body->result_count;
        CoreAtom *operands = ARENA_ARRAY(c->arena, CoreAtom, 2 * width + 1);
        for (size_t j = 0; j < width; j++) {
            CoreAtom rows = core_use(names[at + j]);
            operands[j] = first ? row[at + j] : rows;
            operands[width + j] = first ? rows : row[at + j];
        }
        const CoreAtom *results = apply_once(x, op, operands);
        for (size_t j = 0; j < width; j++, at++) {
            CoreName *name = old->pattern[at];
            core_bind(&x->b, 1, &name, core_atom_exp(c, results[j]));
        }
    }
    for (; at < old->pattern_count; at++) {
        CoreName *name = old->pattern[at];
        CoreAtom one = core_let_literal(&x->b, name->text, 1, &row[at]);
        CoreAtom rows = core_use(names[at]);
        CoreAtom parts[] = {first ? one : rows, first ? rows : one};
        CoreAtom both = core_let_concat(&x->b, name->text, 0, soac->width, 2, parts);
        core_bind(&x->b, 1, &name, core_atom_exp(c, both));
    }
}

static void part_with_one(SomeRows *x, const CoreStm *old, const OneMore *more)
{
    Compilation *c = x->f->c;
    const CoreSoac *soac = &old->exp->as.soac;
    size_t count = soac->input_count;
    CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreAtom *row = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreName **names = ARENA_ARRAY(c->arena, CoreName *, old->pattern_count + 1);
    const CoreSlice rest = {
        .offset = core_i64(more->first ? 1 : 0), .count = more->n, .stride = core_i64(1)};
    size_t folded = fuse_total_width(soac->reduction_count, soac->reductions);
    x->b.span = old->span;
    for (size_t i = 0; i < count; i++) {
        OneMore one;
        if (!is_one_more(x, old, soac->inputs[i], &one, &row[i], &inputs[i])) {
            CoreAtom place = more->first ? core_i64(0) : more->n;
            const char *text = soac->map->parameters[i]->text;
            row[i] = core_let_index(&x->b, text, soac->inputs[i], 1, &place);
            inputs[i] = core_let_slice(&x->b, text, soac->inputs[i], &rest);
        }
    }
    for (size_t k = 0; k < old->pattern_count; k++) {
        const CoreName *name = old->pattern[k];
        names[k] = k < folded ? core_name(c, name->text, name->type, name->span)
                              : of_rows(c, name, more->n);
    }
    CoreStm *stm = arena_copy(c->arena, old, sizeof *stm);
    stm->pattern = names;
    stm->exp = core_exp_soac(c, more->n, count, inputs, soac->map, soac->reduction_count,
                             soac->reductions, 0, NULL);
    core_add(&x->b, stm);
    fold_in(x, old, names, apply_once(x, soac->map, row), more->first);
}

/* ---- all of a body ------------------------------------------------------------------------- */

static bool rewrite(SomeRows *x, const CoreStm *stm)
{
    Among among;
    OneMore more;
    if (shorten(x, stm) || fold_to(x, stm)) {
        return true;
    }
    if (find_among(x, stm, &among)) {
        go_over_all(x, stm, &among);
        return true;
    }
    if (find_one_more(x, stm, &more)) {
        part_with_one(x, stm, &more);
        return true;
    }
    return false;
}

static bool has_scan(const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        if (exp->kind == CORE_EXP_SOAC && exp->as.soac.scan_count > 0) {
            return true;
        }
    }
    return false;
}

static const CoreBody *in_body(void *context, const CoreBody *old)
{
    const SomeRows *around = context;
    Fuse *f = around->f;
    SomeRows x = {.f = f,
                  .in_function = around->in_function,
                  .body = old,
                  .b = core_builder(f->c, (Span){0})};
    bool may = has_scan(old);
    if (may) {
        fuse_note_binders(f, &x.binders, 0, old->stm_count, old->stms);
        fuse_find_whole(f, old, &x.whole);
    }
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        SomeRows inner = {.f = f, .in_function = x.in_function || fuse_is_soac(stm)};
        if (may && rewrite(&x, stm)) {
            fuse_fired(f, CORE_RULE_FUSE_SOME_ROWS);
        } else {
            bool inside = stm->exp->kind == CORE_EXP_LOOP || stm->exp->kind == CORE_EXP_IF ||
                          fuse_is_soac(stm);
            core_add(&x.b, inside ? core_map_stm(f->c, stm, in_body, &inner) : stm);
        }
    }
    return core_with_stms(f->c, old, x.b.stms.count, x.b.stms.items);
}

const CoreFunction *fuse_some_rows(Fuse *f, const CoreFunction *function)
{
    SomeRows around = {.f = f};
    return core_with_body(f->c, function, in_body(&around, function->body));
}
