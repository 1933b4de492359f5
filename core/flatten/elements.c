/* What is done for all rows of an irregular nest at once (irregular.c), and for all their elements: maps of numbers of
   rows, where each row's elements are among all (its layout), and SOACs of these. */
#include "core/flatten/irregular.h"

enum { MOST_WIDTH = 1 << 29 /* wider rows are as many elements: too many */ };

/* ---- functions of all rows, or of all elements ------------------------------------------------ */

Inside irregular_inside(Irregular *g, Span span, CoreAtom row)
{
    return (Inside){g, core_builder(g->c, span), core_renaming(g->c), row};
}

static bool is_there(const Inside *in, const CoreName *name)
{
    return core_renamed(in->renaming, core_use((CoreName *)(uintptr_t)name)).name != name;
}

const Layout *irregular_layout(const Irregular *g, CoreAtom width)
{
    for (size_t i = 0; i < g->layouts.count; i++) {
        if (core_atom_equal(g->layouts.items[i].width, width)) {
            return &g->layouts.items[i];
        }
    }
    return NULL;
}

static void bring_name(void *context, CoreName *name)
{
    irregular_bring(context, core_use(name));
}

/* A statement of the row with what it needs. Assertions of other functions hold where this one is done. */
void irregular_put(Inside *in, const CoreStm *stm)
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
    return core_let_binary(&in->builder, "offset", CORE_SUB, sum,
                           irregular_bring(in, layout->width));
}

/* The row's part of what is stored for all. */
static CoreAtom part_of(Inside *in, const CoreStm *soac, CoreAtom all)
{
    const Layout *layout = irregular_layout(in->g, soac->exp->as.soac.width);
    CoreSlice slice = {.offset = offset_of(in, layout),
                       .count = irregular_bring(in, layout->width),
                       .stride = core_i64(1)};
    return core_let_slice(&in->builder, all.name->text, all, &slice);
}

CoreAtom irregular_bring(Inside *in, CoreAtom atom)
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
        irregular_put(in, g->m.stms[number]);
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
        wanted = !is_pending(g, i) && core_stm_uses(g->m.stms[i], name);
    }
    return wanted;
}

CoreName *irregular_row_name(Irregular *g, Span span)
{
    return core_name(g->c, "i", core_scalar(CORE_I64), span);
}

void irregular_flush(Irregular *g)
{
    if (g->pending.count == 0) {
        return;
    }
    Span span = g->m.map->span;
    CoreName *i = irregular_row_name(g, span);
    Inside in = irregular_inside(g, span, core_use(i));
    VEC(CoreName *) names = {0};
    VEC(CoreAtom) results = {0};
    for (size_t k = 0; k < g->pending.count; k++) {
        const CoreStm *stm = g->m.stms[g->pending.items[k]];
        irregular_put(&in, stm);
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
void irregular_add_layout(Irregular *g, CoreAtom width)
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

void irregular_find_rows(Irregular *g, Layout *layout)
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
    e.in = irregular_inside(g, stm->span, core_use(e.parameters[0]));
    CoreBuilder *b = &e.in.builder;
    CoreAtom offset = offset_of(&e.in, layout);
    e.place = core_let_binary(b, "place", CORE_SUB, core_use(e.parameters[1]), offset);
    for (size_t k = 0; k < soac->input_count; k++) {
        CoreAtom input = irregular_bring(&e.in, soac->inputs[k]);
        CoreName *parameter = soac->map->parameters[k];
        core_rename(e.in.renaming, parameter,
                    core_let_index(b, parameter->text, input, 1, &e.place));
    }
    const CoreBody *body = soac->map->body;
    for (size_t i = 0; i < body->stm_count; i++) {
        irregular_put(&e.in, body->stms[i]);
    }
    CoreAtom *results = ARENA_ARRAY(g->c->arena, CoreAtom, body->result_count + 1);
    for (size_t k = 0; k < body->result_count; k++) {
        results[k] = irregular_bring(&e.in, body->results[k]);
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
    CoreName **pattern = ARENA_ARRAY(g->c->arena, CoreName *, count + 1);
    for (size_t k = 0; k < count; k++) {
        CoreName *old = stm->pattern[first + k];
        CoreType element = core_scalar(old->type.prim);
        pattern[k] =
            core_name(g->c, old->text, core_array_of(g->c, layout->total, element), stm->span);
        core_rename(g->flat, old, core_use(pattern[k]));
    }
    core_bind(g->b, count, pattern,
              core_exp_map(g->c, layout->total, 2, inputs,
                           core_lambda(g->c, 2, e.parameters,
                                       core_body(&e.in.builder, count, e.results + first))));
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
        const CoreLambda *function = flatten_fold(soac, i)->function;
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
        const CoreReduction *one = flatten_fold(soac, i);
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

void irregular_spread(Irregular *g, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    const Layout *layout = irregular_layout(g, soac->width);
    size_t reduced = fuse_total_width(soac->reduction_count, soac->reductions);
    size_t width = reduced + fuse_total_width(soac->scan_count, soac->scans);
    g->b->span = stm->span;
    if (width > 0) {
        fold_all(g, stm, layout, reduced, width);
    }
    if (width < stm->pattern_count || width == 0) { /* or it only checks */
        map_all(g, stm, layout, width);
    }
}
