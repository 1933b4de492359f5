/* [L0 8] Rows of a scan that are taken one row late, an exclusive scan, come past the view:

       let s = scan n (+) 0 xs                          let s = scan n (+) 0 xs
       let e = concat 0 [0] (s[0 :+ n - 1])     ==>     let e = map n (-) (s, xs)
       let z = map n f (e, ys)                          let z = map n f (e, ys)

   where the operator can be undone: sums of integers (they wrap), exclusive or of bools. Any other operator, of a few
   operations, is scanned with what came before beside it:

       let (e, s) = scan n (\(e1, s1) (e2, s2) -> (op s1 e2, op s1 s2)) (0, 0) (map (\x -> (0, x)) xs)

   which is associative as op is, and has (0, 0) for its neutral element where it stands before the rows, as it does for
   a row that is a result: of row 0, e is op 0 0. The scan may be one of all rows but the last, too: then it is made one
   of all. A first row that is not the neutral element is chosen by its index.

   Row i of e then comes from row i of others, and what takes it is done in the kernel or loop of the scan (pairs.c,
   streams.c), where the view was a pass of its own. Only what can be done there is looked for. */
#include "core/fuse/fuse.h"

/* Operations: of the scan's function, which is done again; of the operator, which is done twice. */
enum { MOST_AGAIN = 32, MOST_TWICE = 8 };

typedef struct Exclusive {
    Fuse *f;
    const CoreBody *body;
    CoreBuilder b; /* the statements before the one at work */
    const CoreName *name;
    bool found;
} Exclusive;

/* What is behind one view. */
typedef struct Late {
    const CoreStm *scan;
    size_t fold, result; /* numbers of the scan among the SOAC's, and of its result */
    CoreAtom first;      /* row 0 */
    bool shorter;        /* it scans all rows but the last */
} Late;

/* ---- the view ------------------------------------------------------------------------------ */

/* x is n - 1, or that but at least 0. */
static bool is_all_but_one(Fuse *f, CoreAtom x, CoreAtom n)
{
    CoreAtom less;
    return fuse_is_less(f, x, n, &less) && core_atom_equal(less, core_i64(1));
}

static CoreAtom extent(CoreAtom array)
{
    return core_atom_type(array).sizes[0];
}

static bool is_vector(CoreAtom array)
{
    return array.name != NULL && array.name->type.rank == 1;
}

/* The statement, where it has the first rows of a vector; NULL. */
static const CoreStm *first_rows(const CoreStm *stm)
{
    const CoreSlice *part = fuse_part(stm);
    return part != NULL && core_atom_equal(part->offset, core_i64(0)) ? stm : NULL;
}

bool fuse_one_row(Fuse *f, CoreAtom array, CoreAtom *row)
{
    const CoreStm *stm = fuse_definition(f, array);
    if (stm == NULL || !is_vector(array) || !core_atom_equal(extent(array), core_i64(1)) ||
        stm->certificate_count > 0) {
        return false;
    }
    if (stm->exp->kind == CORE_EXP_LITERAL) {
        *row = stm->exp->as.items.items[0];
    } else if (stm->exp->kind == CORE_EXP_REPLICATE) {
        *row = stm->exp->as.replicate.value;
    }
    return stm->exp->kind == CORE_EXP_LITERAL || stm->exp->kind == CORE_EXP_REPLICATE;
}

static bool is_total(const CoreBody *body)
{
    return fuse_is_total(body) && fuse_cost(body) <= MOST_AGAIN;
}

/* The array is the result of a scan of numbers by itself that can be done again. */
static bool is_scanned(Fuse *f, CoreAtom array, Late *late)
{
    const CoreStm *stm = fuse_definition(f, array);
    if (stm == NULL || !fuse_is_soac(stm) || stm->certificate_count > 0 ||
        !fuse_is_of_scalars(stm->exp->as.soac.map) || !is_total(stm->exp->as.soac.map->body)) {
        return false;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t at = fuse_total_width(soac->reduction_count, soac->reductions);
    for (size_t i = 0; i < soac->scan_count; i++) {
        size_t width = fuse_total_width(1, &soac->scans[i]);
        if (width == 1 && stm->pattern[at] == array.name) {
            *late = (Late){.scan = stm, .fold = i, .result = at};
            return fuse_is_of_scalars(soac->scans[i].function);
        }
        at += width;
    }
    return false;
}

/* The statement's rows are a first one, and those of a scan but its last. */
static bool is_late(Fuse *f, const CoreStm *stm, Late *late)
{
    if (stm->pattern_count != 1 || stm->pattern[0]->type.rank != 1 || stm->certificate_count > 0) {
        return false;
    }
    CoreAtom n = stm->pattern[0]->type.sizes[0], first;
    const CoreStm *slice = first_rows(stm);
    const CoreStm *both = slice ? fuse_definition(f, slice->exp->as.slice.array) : stm;
    if (both == NULL || both->exp->kind != CORE_EXP_CONCAT || both->certificate_count > 0 ||
        both->exp->as.concat.axis != 0 || both->exp->as.concat.count != 2 ||
        !fuse_one_row(f, both->exp->as.concat.arrays[0], &first)) {
        return false;
    }
    CoreAtom rest = both->exp->as.concat.arrays[1];
    bool is_all = slice != NULL && is_vector(rest) && core_atom_equal(extent(rest), n);
    if (!is_vector(rest) || (!is_all && !is_all_but_one(f, extent(rest), n))) {
        return false;
    }
    const CoreStm *part = is_all ? NULL : first_rows(fuse_definition(f, rest));
    CoreAtom all = part != NULL ? part->exp->as.slice.array : rest;
    bool good = is_scanned(f, all, late) && (part == NULL || core_atom_equal(extent(all), n));
    late->first = first;
    late->shorter = part == NULL && !is_all;
    return good;
}

/* ---- what takes it ------------------------------------------------------------------------- */

static bool takes(const CoreSoac *soac, const CoreName *name)
{
    for (size_t i = 0; i < soac->input_count; i++) {
        if (soac->inputs[i].name == name) {
            return true;
        }
    }
    return false;
}

/* A SOAC of the body that takes its rows may be done with the scan. */
static bool is_taken(const Exclusive *x, const CoreName *name)
{
    for (size_t i = 0; i < x->body->stm_count; i++) {
        const CoreStm *stm = x->body->stms[i];
        if (!fuse_is_soac(stm) || !takes(&stm->exp->as.soac, name) || core_may_fail(stm) ||
            !fuse_is_of_scalars(stm->exp->as.soac.map)) {
            continue;
        }
        const CoreSoac *soac = &stm->exp->as.soac;
        bool good = soac->scan_count == 0;
        for (size_t r = 0; r < soac->reduction_count; r++) {
            good = good && core_commutes(&soac->reductions[r]);
        }
        if (good) {
            return true;
        }
    }
    return false;
}

/* ---- a scan of all rows -------------------------------------------------------------------- */

/* The array of which the input is all rows but the last. */
static bool longer_input(Exclusive *x, CoreAtom input, CoreAtom n, CoreAtom *all)
{
    const CoreStm *stm = fuse_definition(x->f, input);
    const CoreStm *part = first_rows(stm);
    if (part != NULL && core_atom_equal(extent(part->exp->as.slice.array), n)) {
        *all = part->exp->as.slice.array;
        return true;
    }
    if (stm != NULL && stm->exp->kind == CORE_EXP_IOTA) {
        *all = core_let_iota(&x->b, "positions", n);
        return true;
    }
    return false;
}

/* The same scan of n rows, by itself; NULL where a row more is not there. */
static const CoreStm *longer(Exclusive *x, const Late *late, CoreAtom n)
{
    Compilation *c = x->f->c;
    const CoreSoac *soac = &late->scan->exp->as.soac;
    CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, soac->input_count + 1);
    for (size_t i = 0; i < soac->input_count; i++) {
        if (!longer_input(x, soac->inputs[i], n, &inputs[i])) {
            return NULL;
        }
    }
    const CoreLambda *map = core_rename_lambda(core_renaming(c), soac->map);
    const CoreReduction *old = &soac->scans[late->fold];
    CoreReduction scan = {core_rename_lambda(core_renaming(c), old->function), old->neutral,
                          old->commutative};
    CoreBody *body = arena_copy(c->arena, map->body, sizeof *body);
    body->results = &map->body->results[late->result];
    body->result_count = 1;
    CoreLambda *alone = arena_copy(c->arena, map, sizeof *alone);
    alone->body = body;
    alone->result_types = &map->result_types[late->result];
    const CoreName *result = late->scan->pattern[late->result];
    CoreType type = result->type;
    type.sizes = arena_copy(c->arena, &n, sizeof n);
    CoreStm *stm = arena_copy(c->arena, late->scan, sizeof *stm);
    CoreName *name = core_name(c, result->text, type, result->span);
    stm->pattern = arena_copy(c->arena, &name, sizeof(CoreName *));
    stm->pattern_count = 1;
    stm->exp = core_exp_soac(c, n, soac->input_count, inputs, alone, 0, NULL, 1, &scan);
    return stm;
}

/* ---- undone -------------------------------------------------------------------------------- */

/* x op y op y is x, and the first row is that of none. */
static bool can_undo(const CoreReduction *scan, CoreAtom first, CoreOperator *undo)
{
    CoreOperator op;
    CorePrim prim = scan->function->result_types[0].prim;
    bool is = core_is_operator(scan->function, &op) && core_atom_equal(first, scan->neutral[0]);
    *undo = op == CORE_ADD ? CORE_SUB : CORE_NE;
    return is && !first.name &&
           ((op == CORE_ADD && core_is_int(prim) && first.as.integer == 0) ||
            (op == CORE_NE && prim == CORE_BOOL && first.as.integer == 0));
}

/* let e = map n (\s x .. -> s undo f x) (s, xs ..) */
static void undone(Exclusive *x, const CoreStm *stm, const Late *late, CoreOperator undo)
{
    Compilation *c = x->f->c;
    const CoreSoac *soac = &late->scan->exp->as.soac;
    const CoreName *scanned = late->scan->pattern[late->result];
    const CoreLambda *map = core_rename_lambda(core_renaming(c), soac->map);
    CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, soac->input_count + 2);
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, soac->input_count + 2);
    for (size_t i = 0; i < soac->input_count; i++) {
        inputs[i] = soac->inputs[i];
        parameters[i] = map->parameters[i];
    }
    inputs[soac->input_count] = core_use((CoreName *)(uintptr_t)scanned);
    CoreType type = core_scalar(scanned->type.prim);
    CoreName *row = core_name(c, scanned->text, type, scanned->span);
    parameters[soac->input_count] = row;
    CoreBuilder inner = core_builder(c, stm->span);
    core_add_all(&inner, map->body);
    CoreAtom result = core_let_binary(&inner, stm->pattern[0]->text, undo, core_use(row),
                                      map->body->results[late->result]);
    const CoreLambda *lambda =
        core_lambda(c, soac->input_count + 1, parameters, core_body(&inner, 1, &result));
    x->b.span = stm->span;
    core_bind(&x->b, 1, stm->pattern,
              core_exp_map(c, soac->width, soac->input_count + 1, inputs, lambda));
}

/* ---- beside it ----------------------------------------------------------------------------- */

/* op x y, with fresh names. */
static CoreAtom applied(CoreBuilder *b, const CoreLambda *op, CoreAtom x, CoreAtom y)
{
    Renaming *renaming = core_renaming(b->c);
    core_rename(renaming, op->parameters[0], x);
    core_rename(renaming, op->parameters[1], y);
    const CoreBody *body = core_rename_body(renaming, op->body);
    core_add_all(b, body);
    return body->results[0];
}

/* \(e1, s1) (e2, s2) -> (op s1 e2, op s1 s2) */
static const CoreLambda *both(Compilation *c, const CoreLambda *op, Span span)
{
    static const char *const texts[] = {"before", "upto", "before", "upto"};
    CoreName *parameters[4];
    CoreAtom results[2];
    CoreBuilder b = core_builder(c, span);
    for (size_t k = 0; k < 4; k++) {
        parameters[k] = core_name(c, texts[k], op->result_types[0], span);
    }
    for (size_t k = 0; k < 2; k++) {
        results[k] = applied(&b, op, core_use(parameters[1]), core_use(parameters[2 + k]));
    }
    return core_lambda(c, 4, parameters, core_body(&b, 2, results));
}

/* The list with one more item at that place. */
static const CoreAtom *with_atom(Compilation *c, size_t count, const CoreAtom *old, size_t at,
                                 CoreAtom item)
{
    CoreAtom *items = ARENA_ARRAY(c->arena, CoreAtom, count + 2);
    for (size_t i = 0; i <= count; i++) {
        items[i] = i < at ? old[i] : i == at ? item : old[i - 1];
    }
    return items;
}

/* The SOAC, whose scan gives `before`, too, in front of its own result. */
static const CoreStm *with_both(Compilation *c, const Late *late, CoreName *before)
{
    const CoreSoac *soac = &late->scan->exp->as.soac;
    const CoreReduction *old = &soac->scans[late->fold];
    size_t count = late->scan->pattern_count;
    CoreStm *stm = arena_copy(c->arena, late->scan, sizeof *stm);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, count + 2);
    CoreBody *body = arena_copy(c->arena, soac->map->body, sizeof *body);
    body->results = with_atom(c, body->result_count, body->results, late->result, old->neutral[0]);
    body->result_count++;
    for (size_t k = 0; k <= count; k++) {
        pattern[k] = k < late->result    ? stm->pattern[k]
                     : k == late->result ? before
                                         : stm->pattern[k - 1];
    }
    CoreReduction *scans = ARENA_ARRAY(c->arena, CoreReduction, soac->scan_count + 1);
    for (size_t i = 0; i < soac->scan_count; i++) {
        scans[i] = soac->scans[i];
    }
    scans[late->fold] = (CoreReduction){both(c, old->function, stm->span),
                                        with_atom(c, 1, old->neutral, 0, old->neutral[0]), false};
    stm->pattern = pattern;
    stm->pattern_count++;
    stm->exp =
        core_exp_soac(c, soac->width, soac->input_count, soac->inputs,
                      core_lambda(c, soac->map->parameter_count, soac->map->parameters, body),
                      soac->reduction_count, soac->reductions, soac->scan_count, scans);
    return stm;
}

/* let e = map n (\i b -> if i == 0 then first else b) (iota n, before) */
static void choose_first(Exclusive *x, const CoreStm *stm, CoreAtom first, CoreName *before)
{
    Compilation *c = x->f->c;
    CoreAtom n = before->type.sizes[0], inputs[2];
    CoreType row = core_scalar(before->type.prim);
    CoreName *parameters[] = {core_name(c, "i", core_scalar(CORE_I64), stm->span),
                              core_name(c, before->text, row, stm->span)};
    CoreBuilder inner = core_builder(c, stm->span), branch = inner, other = inner;
    CoreAtom is_first =
        core_let_binary(&inner, "first", CORE_EQ, core_use(parameters[0]), core_i64(0));
    CoreAtom rest = core_use(parameters[1]);
    CoreAtom chosen = core_let(
        &inner, stm->pattern[0]->text, row,
        core_exp_if(c, is_first, core_body(&branch, 1, &first), core_body(&other, 1, &rest)));
    x->b.span = stm->span;
    inputs[0] = core_let_iota(&x->b, "positions", n);
    inputs[1] = core_use(before);
    core_bind(&x->b, 1, stm->pattern,
              core_exp_map(c, n, 2, inputs,
                           core_lambda(c, 2, parameters, core_body(&inner, 1, &chosen))));
}

/* The scan, among the statements before this one, gives what comes before each row, too; false where it is none of them. */
static bool beside(Exclusive *x, const CoreStm *stm, const Late *late)
{
    Compilation *c = x->f->c;
    CoreName *result = late->scan->pattern[late->result];
    bool neutral =
        core_atom_equal(late->first, late->scan->exp->as.soac.scans[late->fold].neutral[0]);
    CoreName *before =
        neutral ? stm->pattern[0] : core_name(c, "before", result->type, result->span);
    size_t at = 0;
    while (at < x->b.stms.count && x->b.stms.items[at] != late->scan) {
        at++;
    }
    if (at == x->b.stms.count) {
        return false;
    }
    x->b.stms.items[at] = with_both(c, late, before);
    if (!neutral) {
        choose_first(x, stm, late->first, before);
    }
    return true;
}

/* ---- all of a body ------------------------------------------------------------------------- */

static bool is_cheap(const CoreReduction *scan)
{
    return fuse_is_total(scan->function->body) && fuse_cost(scan->function->body) <= MOST_TWICE;
}

bool fuse_has_rows_before(Fuse *f, CoreAtom array)
{
    Late late;
    CoreOperator undo;
    if (!is_scanned(f, array, &late)) {
        return false;
    }
    const CoreReduction *scan = &late.scan->exp->as.soac.scans[late.fold];
    return is_cheap(scan) || can_undo(scan, scan->neutral[0], &undo);
}

static bool pass(Exclusive *x, const CoreStm *stm)
{
    Late late;
    CoreOperator undo;
    if (!is_late(x->f, stm, &late) || !is_taken(x, stm->pattern[0])) {
        return false;
    }
    const CoreReduction *scan = &late.scan->exp->as.soac.scans[late.fold];
    bool undoes = can_undo(scan, late.first, &undo);
    if (!undoes && !is_cheap(scan)) {
        return false;
    }
    if (late.shorter) {
        const CoreStm *all = longer(x, &late, stm->pattern[0]->type.sizes[0]);
        if (all == NULL) {
            return false;
        }
        core_add(&x->b, all);
        late = (Late){.scan = all, .first = late.first};
    }
    if (undoes) {
        undone(x, stm, &late, undo);
    } else if (!beside(x, stm, &late)) {
        return false;
    }
    fuse_fired(x->f, CORE_RULE_FUSE_EXCLUSIVE);
    return true;
}

static const CoreBody *in_body(void *context, const CoreBody *old)
{
    Exclusive x = {.f = context, .body = old, .b = core_builder(((Fuse *)context)->c, (Span){0})};
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        bool inside = stm->exp->kind == CORE_EXP_LOOP || stm->exp->kind == CORE_EXP_IF;
        if (!pass(&x, stm)) {
            core_add(&x.b, inside ? core_map_stm(x.f->c, stm, in_body, x.f) : stm);
        }
    }
    return core_with_stms(x.f->c, old, x.b.stms.count, x.b.stms.items);
}

const CoreFunction *fuse_exclusive(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, in_body(f, function->body));
}
