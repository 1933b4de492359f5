/* One map of a nest: the statements of its function, by what becomes of them.

       map n (\x -> { let k = x * 2                    cheap: computed wherever it is needed
                      let s = loop ... (scalars)       sequential: a nest of its own, n work-items
                      let ys = map m (f k) as          parallel: a nest of its own, n * m
                      let r = reduce m op ys           parallel: a segmented reduction
                      in (r + s) })                    cheap: at the end of the last that it needs
 */
#include "core/flatten/flatten.h"

/* Fewer rows than these are gone through by one work-item, where it is known. */
enum { FEW_ROWS = 64 };

/* ---- names ------------------------------------------------------------------------------- */

static void note_inside(void *context, const CoreBody *body);

static void note_names(Renaming *inside, size_t count, CoreName *const *names)
{
    for (size_t i = 0; i < count; i++) {
        core_rename(inside, names[i], core_bool(true));
    }
}

static void note_lambda(Renaming *inside, const CoreLambda *lambda)
{
    if (lambda) {
        note_names(inside, lambda->parameter_count, lambda->parameters);
    }
}

static void note_parameters(Renaming *inside, const CoreExp *exp)
{
    switch ((int)exp->kind) { /* the kinds with parameters */
    case CORE_EXP_LOOP:
        note_names(inside, exp->as.loop.parameter_count, exp->as.loop.parameters);
        if (exp->as.loop.index) {
            note_names(inside, 1, (CoreName *const[]){exp->as.loop.index});
        }
        return;
    case CORE_EXP_SOAC:
        note_lambda(inside, exp->as.soac.map);
        for (size_t k = 0; k < exp->as.soac.reduction_count; k++) {
            note_lambda(inside, exp->as.soac.reductions[k].function);
        }
        for (size_t k = 0; k < exp->as.soac.scan_count; k++) {
            note_lambda(inside, exp->as.soac.scans[k].function);
        }
        return;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: note_lambda(inside, exp->as.filter.predicate); return;
    case CORE_EXP_HIST: note_lambda(inside, exp->as.scatter.op); return;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ:
        note_lambda(inside, exp->as.stream.fold);
        note_lambda(inside, exp->as.stream.reduce);
        return;
    }
}

static void note_inside(void *context, const CoreBody *body)
{
    Renaming *inside = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        note_names(inside, body->stms[i]->pattern_count, body->stms[i]->pattern);
        note_parameters(inside, body->stms[i]->exp);
        core_each_body(body->stms[i]->exp, note_inside, inside);
    }
}

MapContext flatten_context(Flatten *f, const MapContext *outer, const CoreStm *map,
                           const CoreBody *body)
{
    const CoreSoac *soac = &map->exp->as.soac;
    MapContext m = {.f = f, .outer = outer, .map = map, .soac = soac};
    m.count = body->stm_count;
    m.stms = body->stms;
    m.results = body->results;
    m.result_count = body->result_count;
    m.kinds = ARENA_ARRAY(f->c->arena, PartKind, m.count + 1);
    m.parts = ARENA_ARRAY(f->c->arena, size_t, m.count + 1);
    m.last = ARENA_ARRAY(f->c->arena, size_t, m.count + 1);
    m.places = core_renaming(f->c);
    m.inside = core_renaming(f->c);
    m.expanded = core_renaming(f->c);
    for (size_t i = 0; i < soac->map->parameter_count; i++) {
        core_rename(m.places, soac->map->parameters[i], core_i64(-1 - (int64_t)i));
    }
    for (size_t i = 0; i < m.count; i++) {
        for (size_t k = 0; k < m.stms[i]->pattern_count; k++) {
            core_rename(m.places, m.stms[i]->pattern[k], core_i64((int64_t)i));
        }
    }
    note_lambda(m.inside, soac->map);
    note_inside(m.inside, body);
    return m;
}

Binding flatten_binding(const MapContext *m, CoreAtom atom, size_t *number)
{
    CoreAtom place = core_renamed(m->places, atom);
    if (!atom.name || place.name) {
        return BOUND_OUTSIDE;
    }
    bool parameter = place.as.integer < 0;
    *number = (size_t)(parameter ? -1 - place.as.integer : place.as.integer);
    return parameter ? BOUND_PARAMETER : BOUND_STATEMENT;
}

bool flatten_is_invariant(const MapContext *m, CoreAtom atom)
{
    for (; atom.name && m; m = m->outer) {
        if (!core_renamed(m->inside, atom).name) {
            return false;
        }
    }
    return true;
}

bool flatten_is_certain(const MapContext *m, const CoreStm *stm)
{
    bool certain = true;
    for (size_t i = 0; i < stm->certificate_count; i++) {
        certain = certain && flatten_is_invariant(m, stm->certificates[i]);
    }
    return certain;
}

void flatten_push_certificates(CoreBuilder *b, const CoreStm *stm)
{
    for (size_t i = 0; i < stm->certificate_count; i++) {
        vec_push(b->c->arena, &b->certificates, stm->certificates[i]);
    }
}

bool flatten_is_regular(const MapContext *m, CoreType type)
{
    for (int axis = 0; axis < type.rank; axis++) {
        if (!flatten_is_invariant(m, type.sizes[axis])) {
            return false;
        }
    }
    return true;
}

/* ---- extents ----------------------------------------------------------------------------- */

/* Any i64, and an extent of an array: limits.c allows no larger ones. */
enum { ALL_BITS = 63, EXTENT_BITS = 57 };

static void note_extent(Flatten *f, CoreAtom atom, unsigned bits)
{
    if (atom.name) {
        unsigned *known =
            core_name_map_make(f->c->arena, &f->extents->known, atom.name, sizeof *known);
        if (*known == 0 || bits < *known) {
            Learnt learnt = {known, *known};
            vec_push(f->c->arena, &f->extents->order, learnt);
            *known = bits;
        }
    }
}

/* 0 <= it < 2^b, with b not 0; 0: that is not known. */
static unsigned bits_of(const Flatten *f, CoreAtom atom)
{
    if (atom.name) {
        const unsigned *known = core_name_map_get(&f->extents->known, atom.name);
        return known ? *known : 0;
    }
    unsigned bits = 1;
    while (bits < ALL_BITS && atom.as.integer >> bits > 0) {
        bits++;
    }
    return atom.as.integer >= 0 ? bits : 0;
}

void flatten_note_sizes(Flatten *f, CoreType type)
{
    for (int axis = 0; axis < type.rank; axis++) {
        note_extent(f, type.sizes[axis], EXTENT_BITS);
    }
}

bool flatten_is_extent(const Flatten *f, CoreAtom atom)
{
    return bits_of(f, atom) > 0;
}

static void note_operation(Flatten *f, CoreName *name, CoreOperator op, CoreAtom x, CoreAtom y)
{
    unsigned a = bits_of(f, x), b = bits_of(f, y), most = a > b ? a : b, least = a + b - most,
             bits = 0;
    if (op == CORE_GE && core_atom_equal(y, core_i64(0))) {
        CoreAtom *tested =
            core_name_map_make(f->c->arena, &f->extents->tests, name, sizeof *tested);
        *tested = x;
    }
    if (op == CORE_MAX && most > 0) {
        bits = least > 0 ? most : ALL_BITS;
    } else if (op == CORE_MIN && least > 0) {
        bits = least;
    } else if (op == CORE_ADD && least > 0 && most < ALL_BITS) {
        bits = most + 1;
    } else if (op == CORE_MUL && least > 0 && most + least <= ALL_BITS) {
        bits = most + least;
    } else if (op == CORE_DIV && least > 0 && !y.name && y.as.integer > 0) {
        bits = a >= b ? a - b + 1 : 1; /* y >= 2^(b - 1) */
    }
    if (bits > 0) {
        note_extent(f, core_use(name), bits);
    }
}

void flatten_note_extents(Flatten *f, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        flatten_note_sizes(f, stm->pattern[k]->type);
    }
    if (exp->kind == CORE_EXP_BINARY && exp->as.scalar.prim == CORE_I64) {
        note_operation(f, stm->pattern[0], exp->as.scalar.op, exp->as.scalar.x, exp->as.scalar.y);
    }
    if (exp->kind == CORE_EXP_ASSERT && exp->as.assertion.condition.name) {
        const CoreAtom *tested =
            core_name_map_get(&f->extents->tests, exp->as.assertion.condition.name);
        if (tested) {
            note_extent(f, *tested, ALL_BITS);
        }
    }
}

/* ---- kinds ------------------------------------------------------------------------------- */

/* What the backend lets stand beside the maps of a nest. */
static bool is_cheap_branch(const CoreBody *body);

bool flatten_is_cheap(const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind == CORE_EXP_IF) {
        return stm->pattern_count == 1 && stm->pattern[0]->type.rank == 0 &&
               is_cheap_branch(exp->as.conditional.then_body) &&
               is_cheap_branch(exp->as.conditional.else_body);
    }
    if (exp->kind == CORE_EXP_REPLICATE && exp->space != CORE_SPACE_AUTO) {
        return false;
    }
    return exp->kind == CORE_EXP_ATOM || exp->kind == CORE_EXP_UNARY ||
           exp->kind == CORE_EXP_BINARY || exp->kind == CORE_EXP_CONVERT ||
           exp->kind == CORE_EXP_INDEX || core_is_view(exp->kind);
}

static bool is_cheap_branch(const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        if (body->stms[i]->pattern_count != 1 || body->stms[i]->pattern[0]->type.rank > 0 ||
            !flatten_is_cheap(body->stms[i])) {
            return false;
        }
    }
    return body->stm_count <= 16;
}

const CoreReduction *flatten_fold(const CoreSoac *soac, size_t number)
{
    return number < soac->reduction_count ? &soac->reductions[number]
                                          : &soac->scans[number - soac->reduction_count];
}

static bool has_scalar_operators(const CoreSoac *soac)
{
    for (size_t k = 0; k < soac->reduction_count + soac->scan_count; k++) {
        const CoreLambda *function = flatten_fold(soac, k)->function;
        for (size_t i = 0; i < function->body->result_count; i++) {
            if (function->result_types[i].rank > 0) {
                return false;
            }
        }
    }
    return true;
}

bool flatten_is_long(const MapContext *m, CoreAtom width)
{
    return flatten_is_invariant(m, width) &&
           (width.name || width.as.integer >= FEW_ROWS || m->f->c->options.flatten_all);
}

/* A map of few rows, each of which is long: together they are many. */
static bool has_long_rows(const MapContext *m, const CoreStm *stm)
{
    const CoreBody *body = stm->exp->as.soac.map->body;
    bool found = false;
    for (size_t i = 0; i < body->stm_count && !found && fuse_is_map(stm); i++) {
        const CoreStm *inner = body->stms[i];
        found = fuse_is_soac(inner) &&
                (flatten_is_long(m, inner->exp->as.soac.width) || has_long_rows(m, inner));
    }
    return found;
}

bool flatten_is_parallel(const MapContext *m, const CoreStm *stm)
{
    if (!fuse_is_soac(stm)) {
        return false;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    bool both = soac->reduction_count > 0 && soac->scan_count > 0;
    if (both || !has_scalar_operators(soac) || !flatten_is_invariant(m, soac->width) ||
        !(flatten_is_long(m, soac->width) || has_long_rows(m, stm))) {
        return false;
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (!flatten_is_regular(m, stm->pattern[k]->type)) {
            return false;
        }
    }
    for (size_t k = 0; k < soac->map->parameter_count; k++) {
        if (soac->map->parameters[k]->type.unique) {
            return false;
        }
    }
    return true;
}

typedef struct LastWalk {
    const MapContext *m;
    size_t found;
} LastWalk;

static void find_last(void *context, CoreName *name)
{
    LastWalk *walk = context;
    const MapContext *m = walk->m;
    size_t number;
    if (flatten_binding(m, core_use(name), &number) == BOUND_STATEMENT) {
        size_t part = m->parts[number] ? m->parts[number] : m->last[number];
        walk->found = part > walk->found ? part : walk->found;
    }
}

bool flatten_is_check(const CoreStm *stm)
{
    return stm->exp->kind == CORE_EXP_ASSERT || stm->exp->kind == CORE_EXP_CONJOIN;
}

static void note_widths(void *context, const CoreBody *body)
{
    const MapContext *m = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (fuse_is_soac(stm) && flatten_is_invariant(m, stm->exp->as.soac.width)) {
            vec_push(m->f->c->arena, &m->f->widths, stm->exp->as.soac.width);
            core_each_body(stm->exp, note_widths, context);
        }
    }
}

bool flatten_is_reduction(const CoreStm *stm)
{
    return stm->exp->kind == CORE_EXP_SOAC && stm->exp->as.soac.reduction_count > 0;
}

bool flatten_takes_scalars(const MapContext *m, size_t part)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->parts[i] == part) {
            return m->kinds[i] == PART_SEQUENTIAL ||
                   (m->kinds[i] == PART_PARALLEL && flatten_is_reduction(m->stms[i]));
        }
    }
    return false;
}

/* A row of a few numbers, made of what the part before it reduces, that is nothing but a result: the part's nest ends with it. */
static bool ends_part(const MapContext *m, size_t number)
{
    const CoreStm *stm = m->stms[number];
    if (stm->exp->kind != CORE_EXP_LITERAL || stm->pattern[0]->type.rank != 1 ||
        !fuse_are_few(core_i64((int64_t)stm->exp->as.items.count)) || m->last[number] == 0 ||
        !flatten_takes_scalars(m, m->last[number])) {
        return false;
    }
    bool only = false;
    for (size_t k = 0; k < m->result_count; k++) {
        only = only || m->results[k].name == stm->pattern[0];
    }
    for (size_t i = number + 1; i < m->count && only; i++) {
        only = !core_stm_uses(m->stms[i], stm->pattern[0]);
    }
    return only;
}

/* A check belongs to an earlier part with checks where it can: what stands between does not fail. */
void flatten_classify(MapContext *m)
{
    bool in_sequence = false;
    size_t checks = 0;
    for (size_t i = 0; i < m->count; i++) {
        const CoreStm *stm = m->stms[i];
        LastWalk walk = {m, 0};
        core_each_free(stm, find_last, &walk);
        m->last[i] = walk.found;
        bool is_destination = flatten_is_destination(m, stm);
        bool is_cheap = flatten_is_cheap(stm) || is_destination || ends_part(m, i);
        m->kinds[i] = is_cheap                      ? PART_CHEAP
                      : flatten_is_parallel(m, stm) ? PART_PARALLEL
                      : flatten_is_loop(m, stm)     ? PART_LOOP
                      : flatten_is_scatter(m, stm)  ? PART_SCATTER
                      : flatten_is_order(m, stm)    ? PART_ORDER
                                                    : PART_SEQUENTIAL;
        if (m->kinds[i] == PART_PARALLEL) {
            vec_push(m->f->c->arena, &m->f->widths, stm->exp->as.soac.width);
            if (!fuse_is_map(stm)) { /* what it goes through one by one */
                core_each_body(stm->exp, note_widths, m);
            }
        } else if (m->kinds[i] == PART_SCATTER) {
            vec_push(m->f->c->arena, &m->f->widths, stm->exp->as.scatter.width);
        } else if (m->kinds[i] == PART_ORDER) {
            CoreType keys = core_atom_type(stm->exp->as.array);
            vec_push(m->f->c->arena, &m->f->widths, keys.sizes[keys.rank - 1]);
        }
        if (flatten_is_check(stm) && checks > 0 && m->last[i] <= checks) {
            m->parts[i] = checks;
        } else if (m->kinds[i] != PART_CHEAP) {
            bool sequential = m->kinds[i] == PART_SEQUENTIAL;
            m->part_count += !(sequential && in_sequence);
            m->parts[i] = m->part_count;
            in_sequence = sequential;
            checks = flatten_is_check(stm) && checks == 0 ? m->part_count : checks;
        }
    }
}

/* ---- what is inside ---------------------------------------------------------------------- */

bool flatten_is_number(const CoreStm *stm)
{
    bool numbers = stm->pattern_count > 0;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        numbers = numbers && stm->pattern[k]->type.rank == 0;
    }
    return numbers;
}

static void find_soac(void *context, const CoreBody *body)
{
    bool *found = context;
    for (size_t i = 0; i < body->stm_count && !*found; i++) {
        *found = fuse_is_soac(body->stms[i]);
        core_each_body(body->stms[i]->exp, find_soac, found);
    }
}

bool flatten_has_soacs(const CoreExp *exp)
{
    bool found = false;
    core_each_body(exp, find_soac, &found);
    return found;
}

bool flatten_has_lengths(const MapContext *m, const CoreBody *body)
{
    bool found = false;
    for (size_t i = 0; i < body->stm_count && !found; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        if (exp->kind == CORE_EXP_SOAC) {
            found = !flatten_is_invariant(m, exp->as.soac.width);
        } else if (exp->kind == CORE_EXP_IF) {
            found = flatten_has_lengths(m, exp->as.conditional.then_body) ||
                    flatten_has_lengths(m, exp->as.conditional.else_body);
        }
    }
    return found;
}

static void find_check(void *context, const CoreBody *body)
{
    bool *found = context;
    for (size_t i = 0; i < body->stm_count && !*found; i++) {
        *found = body->stms[i]->exp->kind == CORE_EXP_ASSERT;
        core_each_body(body->stms[i]->exp, find_check, found);
    }
}

bool flatten_may_fail(const CoreStm *stm)
{
    bool found = stm->exp->kind == CORE_EXP_ASSERT;
    core_each_body(stm->exp, find_check, &found);
    return found;
}

bool flatten_operators_have_checks(const CoreSoac *soac)
{
    bool found = false;
    for (size_t k = 0; k < soac->reduction_count; k++) {
        find_check(&found, soac->reductions[k].function->body);
    }
    for (size_t k = 0; k < soac->scan_count; k++) {
        find_check(&found, soac->scans[k].function->body);
    }
    return found;
}

bool flatten_keeps_errors(const MapContext *m)
{
    size_t failing = 0;
    bool keeps = true;
    for (size_t i = 0; i < m->count && keeps; i++) {
        const CoreExp *exp = m->stms[i]->exp;
        bool fails = flatten_may_fail(m->stms[i]);
        keeps = !core_has_effect(exp) && (!fails || failing == 0 || failing == m->parts[i]) &&
                !(fails && m->kinds[i] == PART_LOOP) &&
                !(m->kinds[i] == PART_PARALLEL && flatten_operators_have_checks(&exp->as.soac));
        failing = fails ? m->parts[i] : failing;
    }
    return keeps;
}
