/* Irregular nests: a map whose function has SOACs of widths that depend on the row, as SOACs over all elements of all
   rows, one behind the other.

       map n (\x -> {                         let ws = map n f xs
         let w = f x                          let sums = scan n (+) 0 ws
         let ys = a[x :+ w]           ==>     let total = sums[n - 1]
         let s = redomap w g op ne ys         let rows = map total (the first r with q < sums[r]) (iota total)
         in (s + x) }) xs                     let (_, ts) = scan total (op, begun anew where q is a row's first)
                                                (map (\r q -> g (a[xs[r] + q - (sums[r] - ws[r])])) rows (iota total))
                                              let ss = scatter (replicate n ne) (r where q is a row's last) ts
                                              in map n (+) ss xs

   That is how the elements of groups (⌸) and of ⍳ within rows are gone through: a row of a million does not wait for one
   work-item, and a row of one has a work-item, too. Views of a row are done again inside of what reads them, and what
   a SOAC stores for a row is a slice of what is stored for all. Numbers of rows that do not depend on such SOACs are computed
   first; so the host knows how many elements there are, and where the longest row is short, or the elements so many that to
   store them would take too much, the nest is as it was; so it is on processors, but where an array is stored for each row. (On an H200, sums and greatest elements of 10 groups
   of 10^6 took 2.2 ms with their sort, and 104 as it was; of 1000 of 10^4, 4.4 and 5.6; of 10^4 of 1000, 5.4 and 5.1.)

   Of a function in which more can fail than what is computed first, or one statement, the errors would not be those of row after row:
   it stays. So does one with other parallelism than this. */
#include "core/flatten/flatten.h"

enum {
    LONG_ROW =
        512, /* a work-item goes through so many elements in the time of what is started otherwise, */
    ELEMENTS_SHIFT = 12, /* and through one in that of so many, 2^12, otherwise */
    MOST_ELEMENTS = 1 << 28,
    MOST_WIDTH = 1 << 29 /* wider rows are as many elements: too many */
};

typedef enum RowKind {
    ROW_SCALAR, /* numbers: computed for all rows by a map */
    ROW_VIEW,   /* done again wherever it is read */
    ROW_SOAC
} RowKind;

/* The elements of all rows, where a row has as many as the width says. */
typedef struct Layout {
    CoreAtom width; /* in the row */
    CoreAtom sums;  /* of all rows: up to the row's end */
    CoreAtom total, longest;
    CoreAtom rows; /* of all elements: the row of each */
} Layout;

typedef struct Irregular {
    Compilation *c;
    MapContext m;
    CoreBuilder *b; /* where the host's statements go */
    CoreAtom n;     /* rows */
    RowKind *kinds;
    bool *later;      /* of each statement: it depends on a SOAC, or is one */
    Renaming *stored; /* number of a row -> the array of all rows */
    Renaming *flat;   /* array of a row -> that of all elements */
    VEC(size_t) pending;
    VEC(Layout) layouts;
} Irregular;

/* ---- what the function is -------------------------------------------------------------------- */

static bool is_number(const CoreStm *stm)
{
    bool numbers = stm->pattern_count > 0;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        numbers = numbers && stm->pattern[k]->type.rank == 0;
    }
    return numbers;
}

static bool has_invariant_neutrals(const MapContext *m, size_t count, const CoreReduction *folds)
{
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        const CoreLambda *function = folds[i].function;
        good = good && fuse_is_of_scalars(function);
        for (size_t k = 0; k < function->body->result_count; k++) {
            good = good && flatten_is_invariant(m, folds[i].neutral[k]);
        }
    }
    return good;
}

typedef struct Outside {
    const MapContext *m;
    bool found;
} Outside;

static void find_inside(void *context, CoreName *name)
{
    Outside *outside = context;
    outside->found = outside->found || !flatten_is_invariant(outside->m, core_use(name));
}

/* Operators have nothing of the row. */
static bool has_invariant_operators(const MapContext *m, const CoreSoac *soac)
{
    CoreSoac folds = *soac;
    CoreExp exp = {.kind = CORE_EXP_SOAC};
    CoreStm alone = {.exp = &exp};
    Outside outside = {m, false};
    folds.map = core_identity_lambda(m->f->c, 0, NULL);
    folds.input_count = 0;
    folds.width = core_i64(0);
    exp.as.soac = folds;
    core_each_free(&alone, find_inside, &outside);
    return !outside.found;
}

static bool can_spread(const MapContext *m, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    bool numbers = true;
    for (size_t k = 0; k < soac->map->body->result_count; k++) {
        numbers = numbers && soac->map->result_types[k].rank == 0;
    }
    return fuse_is_soac(stm) && numbers && !flatten_has_unique(soac->map) &&
           has_invariant_neutrals(m, soac->reduction_count, soac->reductions) &&
           has_invariant_neutrals(m, soac->scan_count, soac->scans) &&
           has_invariant_operators(m, soac) && !flatten_operators_have_checks(soac);
}

static bool find_kind(const MapContext *m, const CoreStm *stm, RowKind *kind)
{
    const CoreExp *exp = stm->exp;
    bool soac = exp->kind == CORE_EXP_SOAC,
         few = soac && is_number(stm) && fuse_are_few(exp->as.soac.width);
    *kind = soac && !few ? ROW_SOAC : is_number(stm) ? ROW_SCALAR : ROW_VIEW;
    if (core_has_effect(exp) || fuse_may_consume(exp)) {
        return false;
    }
    return *kind == ROW_SOAC   ? can_spread(m, stm)
           : *kind == ROW_VIEW ? flatten_is_cheap(stm) || exp->kind == CORE_EXP_LITERAL
                               : true;
}

typedef struct LaterUse {
    const Irregular *g;
    bool found;
} LaterUse;

static void find_later(void *context, CoreName *name)
{
    LaterUse *use = context;
    size_t number;
    use->found =
        use->found || (flatten_binding(&use->g->m, core_use(name), &number) == BOUND_STATEMENT &&
                       use->g->later[number]);
}

static bool is_later(const Irregular *g, CoreAtom atom)
{
    LaterUse use = {g, false};
    if (atom.name) {
        find_later(&use, atom.name);
    }
    return use.found;
}

/* Kinds, and what depends on what; false where the function is none such. */
static bool classify(Irregular *g)
{
    const MapContext *m = &g->m;
    bool irregular = false, later_fails = false;
    size_t failing = 0;
    for (size_t i = 0; i < m->count; i++) {
        const CoreStm *stm = m->stms[i];
        PartKind part = m->kinds[i];
        if (part == PART_PARALLEL || part == PART_LOOP || part == PART_SCATTER ||
            !find_kind(m, stm, &g->kinds[i])) {
            return false;
        }
        LaterUse use = {g, false};
        core_each_free(stm, find_later, &use);
        g->later[i] = use.found || g->kinds[i] == ROW_SOAC;
        bool fails = flatten_may_fail(stm);
        failing += fails;
        later_fails = later_fails || (fails && g->later[i]);
        if (g->kinds[i] == ROW_SOAC) {
            CoreAtom width = stm->exp->as.soac.width;
            irregular = irregular || !flatten_is_invariant(m, width);
            if (is_later(g, width)) {
                return false;
            }
        }
    }
    return irregular && (!later_fails || failing == 1);
}

/* A work-item can go through a row: it has to store nothing for it. */
static bool stores_nothing(const Irregular *g)
{
    bool nothing = true;
    for (size_t i = 0; i < g->m.count; i++) {
        nothing = nothing && (g->kinds[i] != ROW_SOAC || is_number(g->m.stms[i]));
    }
    return nothing;
}

/* ---- functions of all rows, or of all elements ------------------------------------------------ */

typedef struct Inside {
    Irregular *g;
    CoreBuilder builder;
    Renaming *renaming;
    CoreAtom row; /* its number */
} Inside;

static Inside inside(Irregular *g, Span span, CoreAtom row)
{
    return (Inside){g, core_builder(g->c, span), core_renaming(g->c), row};
}

static bool is_there(const Inside *in, const CoreName *name)
{
    return core_renamed(in->renaming, core_use((CoreName *)(uintptr_t)name)).name != name;
}

static const Layout *layout_of(const Irregular *g, CoreAtom width)
{
    for (size_t i = 0; i < g->layouts.count; i++) {
        if (core_atom_equal(g->layouts.items[i].width, width)) {
            return &g->layouts.items[i];
        }
    }
    return NULL;
}

static CoreAtom bring(Inside *in, CoreAtom atom);

static void bring_name(void *context, CoreName *name)
{
    bring(context, core_use(name));
}

/* A statement of the row with what it needs. Assertions of other functions hold where this one is done. */
static void put(Inside *in, const CoreStm *stm)
{
    Compilation *c = in->g->c;
    CoreStm *copy = arena_copy(c->arena, stm, sizeof *copy);
    CoreAtom *kept = ARENA_ARRAY(c->arena, CoreAtom, stm->certificate_count + 1);
    copy->certificate_count = 0;
    for (size_t i = 0; i < stm->certificate_count; i++) {
        CoreAtom certificate = stm->certificates[i];
        if (flatten_is_invariant(&in->g->m, certificate) || is_there(in, certificate.name)) {
            kept[copy->certificate_count++] = certificate;
        }
    }
    copy->certificates = kept;
    core_each_free(copy, bring_name, in);
    core_add(&in->builder, core_rename_stm(in->renaming, copy));
}

/* The number of the row's first element. */
static CoreAtom offset_of(Inside *in, const Layout *layout)
{
    CoreAtom sum = core_let_index(&in->builder, "sum", layout->sums, 1, &in->row);
    return core_let_binary(&in->builder, "offset", CORE_SUB, sum, bring(in, layout->width));
}

/* The row's part of what is stored for all. */
static CoreAtom part_of(Inside *in, const CoreStm *soac, CoreAtom all)
{
    const Layout *layout = layout_of(in->g, soac->exp->as.soac.width);
    CoreSlice slice = {
        .offset = offset_of(in, layout), .count = bring(in, layout->width), .stride = core_i64(1)};
    return core_let_slice(&in->builder, all.name->text, all, &slice);
}

/* The atom of a row as one in this function. */
static CoreAtom bring(Inside *in, CoreAtom atom)
{
    Irregular *g = in->g;
    size_t number = 0;
    Binding binding = flatten_binding(&g->m, atom, &number);
    if (binding == BOUND_OUTSIDE || is_there(in, atom.name)) {
        return core_renamed(in->renaming, atom);
    }
    const char *text = atom.name->text;
    CoreAtom found;
    if (binding == BOUND_PARAMETER) {
        found = core_let_index(&in->builder, text, g->m.soac->inputs[number], 1, &in->row);
    } else if (g->kinds[number] == ROW_VIEW) {
        put(in, g->m.stms[number]);
        return core_renamed(in->renaming, atom);
    } else {
        CoreAtom all = core_renamed(g->stored, atom);
        found = all.name != atom.name ? core_let_index(&in->builder, text, all, 1, &in->row)
                                      : part_of(in, g->m.stms[number], core_renamed(g->flat, atom));
    }
    core_rename(in->renaming, atom.name, found);
    return found;
}

/* ---- numbers of all rows ----------------------------------------------------------------------- */

static bool is_pending(const Irregular *g, size_t number)
{
    bool found = false;
    for (size_t i = 0; i < g->pending.count; i++) {
        found = found || g->pending.items[i] == number;
    }
    return found;
}

static bool is_wanted(const Irregular *g, const CoreName *name)
{
    bool wanted = false;
    for (size_t k = 0; k < g->m.result_count; k++) {
        wanted = wanted || g->m.results[k].name == name;
    }
    for (size_t i = 0; i < g->m.count && !wanted; i++) {
        const CoreBody alone = {1, &g->m.stms[i], 0, NULL};
        wanted = !is_pending(g, i) && core_uses(&alone, name);
    }
    return wanted;
}

static CoreName *row_name(Irregular *g, Span span)
{
    return core_name(g->c, "i", core_scalar(CORE_I64), span);
}

/* All pending statements, of all rows. */
static void flush(Irregular *g)
{
    if (g->pending.count == 0) {
        return;
    }
    Span span = g->m.map->span;
    CoreName *i = row_name(g, span);
    Inside in = inside(g, span, core_use(i));
    VEC(CoreName *) names = {0};
    VEC(CoreAtom) results = {0};
    for (size_t k = 0; k < g->pending.count; k++) {
        const CoreStm *stm = g->m.stms[g->pending.items[k]];
        put(&in, stm);
        for (size_t p = 0; p < stm->pattern_count; p++) {
            CoreName *name = stm->pattern[p];
            if (name->type.prim != CORE_CERT && is_wanted(g, name)) {
                vec_push(g->c->arena, &names,
                         core_name(g->c, name->text, core_array_of(g->c, g->n, name->type), span));
                vec_push(g->c->arena, &results, core_renamed(in.renaming, core_use(name)));
                core_rename(g->stored, name, core_use(names.items[names.count - 1]));
            }
        }
    }
    CoreAtom rows = core_let_iota(g->b, "rows", g->n);
    core_bind(g->b, names.count, names.items,
              core_exp_map(
                  g->c, g->n, 1, &rows,
                  core_lambda(g->c, 1, &i, core_body(&in.builder, results.count, results.items))));
    g->pending.count = 0;
}

/* The number, or width, of all rows. */
static CoreAtom all_rows(Irregular *g, CoreAtom atom)
{
    size_t number;
    switch (flatten_binding(&g->m, atom, &number)) {
    case BOUND_PARAMETER: return g->m.soac->inputs[number];
    case BOUND_OUTSIDE: return core_let_replicate(g->b, "widths", 1, &g->n, atom);
    case BOUND_STATEMENT: break;
    }
    return core_renamed(g->stored, atom);
}

/* ---- layouts ----------------------------------------------------------------------------------- */

static CoreAtom select_of(CoreBuilder *b, const char *text, CoreAtom condition, CoreAtom x,
                          CoreAtom y)
{
    CoreBuilder one = core_builder(b->c, b->span), other = one;
    return core_let(b, text, core_atom_type(x),
                    core_exp_if(b->c, condition, core_body(&one, 1, &x), core_body(&other, 1, &y)));
}

/* Of widths, as far as they matter (what is wider is too wide): sums, the last of these, and the largest. */
static void add_layout(Irregular *g, CoreAtom width)
{
    Compilation *c = g->c;
    Span span = g->b->span;
    CoreType integer = core_scalar(CORE_I64);
    Layout layout = {.width = width};
    CoreAtom widths = all_rows(g, width), *zero = ARENA_NEW(c->arena, CoreAtom);
    CoreName *w = core_name(c, "w", integer, span);
    CoreName *pattern[3] = {core_name(c, "total", integer, span),
                            core_name(c, "longest", integer, span),
                            core_name(c, "sums", core_array_of(c, g->n, integer), span)};
    CoreBuilder inner = core_builder(c, span);
    CoreAtom bounded =
        core_let_binary(&inner, "width", CORE_MIN, core_use(w), core_i64(MOST_WIDTH));
    bounded = core_let_binary(&inner, "width", CORE_MAX, bounded, core_i64(0));
    CoreAtom results[3] = {bounded, bounded, bounded};
    CoreReduction *folds = ARENA_ARRAY(c->arena, CoreReduction, 3);
    *zero = core_i64(0);
    for (size_t k = 0; k < 3; k++) {
        CoreOperator op = k == 1 ? CORE_MAX : CORE_ADD;
        folds[k] = (CoreReduction){core_operator_lambda(c, op, CORE_I64, span), zero, k < 2};
    }
    core_bind(g->b, 3, pattern,
              core_exp_soac(c, g->n, 1, &widths,
                            core_lambda(c, 1, &w, core_body(&inner, 3, results)), 2, folds, 1,
                            folds + 2));
    layout.total = core_use(pattern[0]);
    layout.longest = core_use(pattern[1]);
    layout.sums = core_use(pattern[2]);
    vec_push(c->arena, &g->layouts, layout);
}

/* (going, lo, hi) -> the same where half of the rows are left: those up to and with the first whose sum is above q. */
static const CoreBody *halve(Irregular *g, const Layout *layout, CoreName *const *state, CoreAtom q)
{
    CoreBuilder b = core_builder(g->c, g->b->span);
    CoreAtom lo = core_use(state[1]), hi = core_use(state[2]);
    CoreAtom both = core_let_binary(&b, "both", CORE_ADD, lo, hi);
    CoreAtom middle = core_let_binary(&b, "middle", CORE_SHR, both, core_i64(1));
    CoreAtom sum = core_let_index(&b, "sum", layout->sums, 1, &middle);
    CoreAtom above = core_let_binary(&b, "above", CORE_LT, q, sum);
    CoreAtom next = core_let_binary(&b, "next", CORE_ADD, middle, core_i64(1));
    CoreAtom results[3];
    results[1] = select_of(&b, "lo", above, lo, next);
    results[2] = select_of(&b, "hi", above, middle, hi);
    results[0] = core_let_binary(&b, "going", CORE_LT, results[1], results[2]);
    return core_body(&b, 3, results);
}

/* The row of each element. */
static void find_rows(Irregular *g, Layout *layout)
{
    CoreType integer = core_scalar(CORE_I64);
    Span span = g->b->span;
    CoreName *q = core_name(g->c, "q", integer, span);
    CoreName *state[3] = {core_name(g->c, "going", core_scalar(CORE_BOOL), span),
                          core_name(g->c, "lo", integer, span),
                          core_name(g->c, "hi", integer, span)};
    CoreName *found[3];
    CoreBuilder inner = core_builder(g->c, span);
    for (size_t k = 0; k < 3; k++) {
        found[k] = core_name(g->c, state[k]->text, state[k]->type, span);
    }
    CoreAtom last = core_let_binary(g->b, "last", CORE_SUB, g->n, core_i64(1));
    CoreAtom some = core_let_binary(g->b, "some", CORE_LT, core_i64(0), last);
    CoreAtom initial[3] = {some, core_i64(0), last};
    core_bind(
        &inner, 3, found,
        core_exp_while(g->c, 3, state, initial, state[0], halve(g, layout, state, core_use(q))));
    CoreAtom numbers = core_let_iota(g->b, "numbers", layout->total), row = core_use(found[1]);
    core_let_map(g->b, "rows", layout->total, 1, &numbers,
                 core_lambda(g->c, 1, &q, core_body(&inner, 1, &row)), &layout->rows);
}

/* ---- SOACs of all elements ----------------------------------------------------------------------- */

/* The function of a SOAC for one element; what it is of: the number of the row, and that of the element. */
typedef struct Element {
    Inside in;
    CoreName *parameters[2];
    CoreAtom place; /* in the row */
    const CoreAtom *results;
} Element;

static Element element_of(Irregular *g, const CoreStm *stm, const Layout *layout)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    CoreType integer = core_scalar(CORE_I64);
    Element e = {.parameters = {core_name(g->c, "row", integer, stm->span),
                                core_name(g->c, "q", integer, stm->span)}};
    e.in = inside(g, stm->span, core_use(e.parameters[0]));
    CoreBuilder *b = &e.in.builder;
    CoreAtom offset = offset_of(&e.in, layout);
    e.place = core_let_binary(b, "place", CORE_SUB, core_use(e.parameters[1]), offset);
    for (size_t k = 0; k < soac->input_count; k++) {
        CoreAtom input = bring(&e.in, soac->inputs[k]);
        CoreName *parameter = soac->map->parameters[k];
        core_rename(e.in.renaming, parameter,
                    core_let_index(b, parameter->text, input, 1, &e.place));
    }
    const CoreBody *body = soac->map->body;
    for (size_t i = 0; i < body->stm_count; i++) {
        put(&e.in, body->stms[i]);
    }
    CoreAtom *results = ARENA_ARRAY(g->c->arena, CoreAtom, body->result_count + 1);
    for (size_t k = 0; k < body->result_count; k++) {
        results[k] = bring(&e.in, body->results[k]);
    }
    e.results = results;
    return e;
}

static CoreAtom numbers_of(Irregular *g, const Layout *layout)
{
    return core_let_iota(g->b, "numbers", layout->total);
}

/* What the SOAC maps, of all elements. */
static void map_all(Irregular *g, const CoreStm *stm, const Layout *layout, size_t first)
{
    size_t count = stm->pattern_count - first;
    Element e = element_of(g, stm, layout);
    CoreAtom inputs[2] = {layout->rows, numbers_of(g, layout)};
    CoreAtom *results = ARENA_ARRAY(g->c->arena, CoreAtom, count + 1);
    core_let_map(
        g->b, stm->pattern[first]->text, layout->total, 2, inputs,
        core_lambda(g->c, 2, e.parameters, core_body(&e.in.builder, count, e.results + first)),
        results);
    for (size_t k = 0; k < count; k++) {
        core_rename(g->flat, stm->pattern[first + k], results[k]);
    }
}

/* The number of the fold that has operand k, and which of its operands that is. */
static const CoreReduction *fold_of(const CoreSoac *soac, size_t number)
{
    return number < soac->reduction_count ? &soac->reductions[number]
                                          : &soac->scans[number - soac->reduction_count];
}

/* (f, xs ...) (g, ys ...) -> (f | g, g ? ys ... : xs op ys ...): begun anew where a row begins. */
static const CoreLambda *begun_anew(Irregular *g, const CoreStm *stm, size_t width)
{
    Compilation *c = g->c;
    const CoreSoac *soac = &stm->exp->as.soac;
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, 2 * width + 2);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, width + 1);
    CoreAtom *later = ARENA_ARRAY(c->arena, CoreAtom, width + 1);
    CoreAtom *folded = ARENA_ARRAY(c->arena, CoreAtom, width + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, width + 2);
    CoreBuilder b = core_builder(c, stm->span), one = b, other = b;
    parameters[0] = core_name(c, "begun", core_scalar(CORE_BOOL), stm->span);
    parameters[width + 1] = core_name(c, "begins", core_scalar(CORE_BOOL), stm->span);
    size_t at = 0;
    for (size_t i = 0; i < soac->reduction_count + soac->scan_count; i++) {
        const CoreLambda *function = fold_of(soac, i)->function;
        size_t count = function->body->result_count;
        Renaming *renaming = core_renaming(c);
        for (size_t k = 0; k < count; k++) {
            CoreName *x = function->parameters[k], *y = function->parameters[count + k];
            parameters[1 + at + k] = core_name(c, x->text, x->type, stm->span);
            parameters[width + 2 + at + k] = core_name(c, y->text, y->type, stm->span);
            core_rename(renaming, x, core_use(parameters[1 + at + k]));
            core_rename(renaming, y, core_use(parameters[width + 2 + at + k]));
            later[at + k] = core_use(parameters[width + 2 + at + k]);
        }
        for (size_t s = 0; s < function->body->stm_count; s++) {
            core_add(&other, core_rename_stm(renaming, function->body->stms[s]));
        }
        for (size_t k = 0; k < count; k++) {
            folded[at + k] = core_renamed(renaming, function->body->results[k]);
            CoreType type = function->result_types[k];
            type.unique = false;
            pattern[at + k] = core_name(c, function->parameters[k]->text, type, stm->span);
            results[1 + at + k] = core_use(pattern[at + k]);
        }
        at += count;
    }
    results[0] = core_let_binary(&b, "begun", CORE_OR, core_use(parameters[0]),
                                 core_use(parameters[width + 1]));
    core_bind(&b, width, pattern,
              core_exp_if(c, core_use(parameters[width + 1]), core_body(&one, width, later),
                          core_body(&other, width, folded)));
    return core_lambda(c, 2 * width + 2, parameters, core_body(&b, width + 1, results));
}

/* Where the last element of each row goes: to its row's number. */
static CoreAtom places_of_last(Irregular *g, const Layout *layout)
{
    CoreType integer = core_scalar(CORE_I64);
    CoreName *parameters[2] = {core_name(g->c, "row", integer, g->b->span),
                               core_name(g->c, "q", integer, g->b->span)};
    CoreAtom inputs[2] = {layout->rows, numbers_of(g, layout)}, row = core_use(parameters[0]),
             places;
    CoreBuilder b = core_builder(g->c, g->b->span);
    CoreAtom sum = core_let_index(&b, "sum", layout->sums, 1, &row);
    CoreAtom next = core_let_binary(&b, "next", CORE_ADD, core_use(parameters[1]), core_i64(1));
    CoreAtom last = core_let_binary(&b, "last", CORE_EQ, next, sum);
    CoreAtom place = select_of(&b, "place", last, row, core_i64(-1));
    core_let_map(g->b, "places", layout->total, 2, inputs,
                 core_lambda(g->c, 2, parameters, core_body(&b, 1, &place)), &places);
    return places;
}

/* What is folded of rows, as a scan of all elements; of reductions the last of each row, or the neutral element. */
static void fold_all(Irregular *g, const CoreStm *stm, const Layout *layout, size_t reduced,
                     size_t width)
{
    Compilation *c = g->c;
    const CoreSoac *soac = &stm->exp->as.soac;
    Element e = element_of(g, stm, layout);
    CoreAtom *operands = ARENA_ARRAY(c->arena, CoreAtom, width + 1);
    CoreAtom *neutral = ARENA_ARRAY(c->arena, CoreAtom, width + 1);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, width + 1);
    operands[0] = core_let_binary(&e.in.builder, "begins", CORE_EQ, e.place, core_i64(0));
    neutral[0] = core_bool(false);
    pattern[0] =
        core_name(c, "begun", core_array_of(c, layout->total, core_scalar(CORE_BOOL)), stm->span);
    size_t at = 0;
    for (size_t i = 0; i < soac->reduction_count + soac->scan_count; i++) {
        const CoreReduction *one = fold_of(soac, i);
        for (size_t k = 0; k < one->function->body->result_count; k++, at++) {
            CoreType type = one->function->result_types[k];
            type.unique = false;
            operands[1 + at] = e.results[at];
            neutral[1 + at] = one->neutral[k];
            pattern[1 + at] = core_name(c, stm->pattern[at]->text,
                                        core_array_of(c, layout->total, type), stm->span);
        }
    }
    CoreReduction *scan = ARENA_NEW(c->arena, CoreReduction);
    *scan = (CoreReduction){begun_anew(g, stm, width), neutral, false};
    CoreAtom inputs[2] = {layout->rows, numbers_of(g, layout)};
    core_bind(g->b, width + 1, pattern,
              core_exp_soac(
                  c, layout->total, 2, inputs,
                  core_lambda(c, 2, e.parameters, core_body(&e.in.builder, width + 1, operands)), 0,
                  NULL, 1, scan));
    for (size_t k = reduced; k < width; k++) {
        core_rename(g->flat, stm->pattern[k], core_use(pattern[1 + k]));
    }
    if (reduced == 0) {
        return;
    }
    CoreAtom places = places_of_last(g, layout);
    CoreAtom *values = ARENA_ARRAY(c->arena, CoreAtom, reduced);
    CoreAtom *rooms = ARENA_ARRAY(c->arena, CoreAtom, reduced);
    CoreName **names = ARENA_ARRAY(c->arena, CoreName *, reduced);
    for (size_t k = 0; k < reduced; k++) {
        CoreAtom none = core_let_replicate(g->b, "none", 1, &g->n, neutral[1 + k]);
        rooms[k] = core_let_copy(g->b, "room", none);
        values[k] = core_use(pattern[1 + k]);
        names[k] = core_name(c, stm->pattern[k]->text,
                             core_array_of(c, g->n, stm->pattern[k]->type), stm->span);
        core_rename(g->stored, stm->pattern[k], core_use(names[k]));
    }
    core_bind(g->b, reduced, names,
              core_exp_scatter(c, layout->total, reduced, rooms, places, values));
}

static void spread(Irregular *g, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    const Layout *layout = layout_of(g, soac->width);
    size_t reduced = fuse_total_width(soac->reduction_count, soac->reductions);
    size_t width = reduced + fuse_total_width(soac->scan_count, soac->scans);
    g->b->span = stm->span;
    if (width > 0) {
        fold_all(g, stm, layout, reduced, width);
    }
    if (width < stm->pattern_count) {
        map_all(g, stm, layout, width);
    }
}

/* ---- the nest ---------------------------------------------------------------------------------- */

/* Each result is stored already, for itself: what a map gives is nobody else's memory. */
static bool are_stored(const Irregular *g)
{
    bool stored = g->pending.count == 0;
    for (size_t k = 0; k < g->m.result_count && stored; k++) {
        size_t number;
        stored = flatten_binding(&g->m, g->m.results[k], &number) == BOUND_STATEMENT &&
                 core_renamed(g->stored, g->m.results[k]).name != g->m.results[k].name;
        for (size_t j = 0; j < k; j++) {
            stored = stored && g->m.results[j].name != g->m.results[k].name;
        }
    }
    return stored;
}

/* What the map gives, of all rows. */
static void finish(Irregular *g)
{
    const CoreStm *map = g->m.map;
    if (are_stored(g)) {
        for (size_t k = 0; k < g->m.result_count; k++) {
            core_bind(g->b, 1, &map->pattern[k],
                      core_atom_exp(g->c, core_renamed(g->stored, g->m.results[k])));
        }
        return;
    }
    CoreName *i = row_name(g, map->span);
    Inside in = inside(g, map->span, core_use(i));
    CoreAtom *results = ARENA_ARRAY(g->c->arena, CoreAtom, g->m.result_count + 1);
    for (size_t k = 0; k < g->pending.count; k++) {
        put(&in, g->m.stms[g->pending.items[k]]);
    }
    for (size_t k = 0; k < g->m.result_count; k++) {
        results[k] = bring(&in, g->m.results[k]);
    }
    CoreAtom rows = core_let_iota(g->b, "rows", g->n);
    core_bind(
        g->b, map->pattern_count, map->pattern,
        core_exp_map(g->c, g->n, 1, &rows,
                     core_lambda(g->c, 1, &i, core_body(&in.builder, g->m.result_count, results))));
}

/* All numbers that do not depend on SOACs, and how many elements there are of each width. */
static void begin(Irregular *g)
{
    for (size_t i = 0; i < g->m.count; i++) {
        if (g->kinds[i] == ROW_SCALAR && !g->later[i]) {
            vec_push(g->c->arena, &g->pending, i);
        }
    }
    flush(g);
    for (size_t i = 0; i < g->m.count; i++) {
        if (g->kinds[i] == ROW_SOAC && !layout_of(g, g->m.stms[i]->exp->as.soac.width)) {
            add_layout(g, g->m.stms[i]->exp->as.soac.width);
        }
    }
}

static void go_through(Irregular *g)
{
    for (size_t i = 0; i < g->layouts.count; i++) {
        find_rows(g, &g->layouts.items[i]);
    }
    for (size_t i = 0; i < g->m.count; i++) {
        if (g->kinds[i] == ROW_SOAC) {
            flush(g);
            spread(g, g->m.stms[i]);
        } else if (g->kinds[i] == ROW_SCALAR && g->later[i]) {
            vec_push(g->c->arena, &g->pending, i);
        }
    }
    finish(g);
}

/* Whether it is better as it was. */
static CoreAtom stays_as_it_was(Irregular *g, bool simple)
{
    CoreAtom stays = core_bool(false), longest = core_i64(0), total = core_i64(0);
    for (size_t i = 0; i < g->layouts.count; i++) {
        const Layout *layout = &g->layouts.items[i];
        CoreAtom large =
            core_let_binary(g->b, "large", CORE_GE, layout->total, core_i64(MOST_ELEMENTS));
        stays = i == 0 ? large : core_let_binary(g->b, "large", CORE_OR, stays, large);
        if (simple) {
            longest = core_let_binary(g->b, "longest", CORE_MAX, longest, layout->longest);
            total = core_let_binary(g->b, "total", CORE_ADD, total, layout->total);
        }
    }
    if (simple) {
        CoreAtom lanes = core_let_device(g->b, CORE_DEVICE_LANES);
        CoreAtom alone = core_let_binary(g->b, "alone", CORE_LE, lanes, core_i64(1));
        CoreAtom most = core_let_binary(g->b, "most", CORE_SHR, total, core_i64(ELEMENTS_SHIFT));
        most = core_let_binary(g->b, "most", CORE_ADD, most, core_i64(LONG_ROW));
        CoreAtom brief = core_let_binary(g->b, "short", CORE_LE, longest, most);
        stays = core_let_binary(g->b, "stays", CORE_OR, stays,
                                core_let_binary(g->b, "stays", CORE_OR, alone, brief));
    }
    return stays;
}

typedef struct Lengths {
    const CoreLambda *function;
    bool found;
} Lengths;

static void find_length(void *context, const CoreBody *body)
{
    Lengths *lengths = context;
    for (size_t i = 0; i < body->stm_count && !lengths->found; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        const CoreName *width = exp->kind == CORE_EXP_SOAC ? exp->as.soac.width.name : NULL;
        lengths->found = core_binds(lengths->function->body, width) || core_binds(body, width);
        for (size_t k = 0; k < lengths->function->parameter_count && width; k++) {
            lengths->found = lengths->found || lengths->function->parameters[k] == width;
        }
        if (exp->kind == CORE_EXP_IF) {
            core_each_body(exp, find_length, lengths);
        }
    }
}

bool flatten_has_lengths(const CoreStm *stm)
{
    Lengths lengths = {stm->exp->as.soac.map, false};
    find_length(&lengths, lengths.function->body);
    return lengths.found;
}

bool flatten_irregular(Flatten *f, const CoreStm *map, CoreBuilder *b)
{
    const CoreStm *unfolded = flatten_unfold(f, map);
    Irregular g = {.c = f->c,
                   .b = b,
                   .m = flatten_context(f, NULL, unfolded, unfolded->exp->as.soac.map->body),
                   .n = map->exp->as.soac.width,
                   .stored = core_renaming(f->c),
                   .flat = core_renaming(f->c)};
    flatten_classify(&g.m);
    g.kinds = ARENA_ARRAY(f->c->arena, RowKind, g.m.count + 1);
    g.later = ARENA_ARRAY(f->c->arena, bool, g.m.count + 1);
    memset(g.later, 0, g.m.count + 1);
    if (flatten_has_unique(map->exp->as.soac.map) || !classify(&g)) {
        return false;
    }
    bool simple = stores_nothing(&g);
    if (simple && f->in_loop) { /* the host would wait for how many elements there are */
        return false;
    }
    CoreBuilder fresh = core_builder(f->c, map->span);
    flatten_push_certificates(b, map);
    begin(&g);
    CoreAtom stays = stays_as_it_was(&g, simple && !f->c->options.flatten_all);
    b->certificates.count -= map->certificate_count;
    g.b = &fresh;
    flatten_push_certificates(&fresh, map);
    go_through(&g);
    fresh.certificates.count = 0;
    flatten_choose(f, map, stays, &fresh, b);
    f->counts[CORE_RULE_FLATTEN_IRREGULAR]++;
    return true;
}
