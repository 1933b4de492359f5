/* Folds over bits of an index, for sequential programs.

   What bits.c says of strips is true of long ones, too: of 256 elements only the last 8 bits of their
   numbers differ, and what these select is the same in each strip. One processor has that in a table,
   and a loop of vectors over each strip:

       redomap n (iota n) (\i -> { let x = fold over bits of i + 1; G x }) op e

       ==>  let low = map 256 (iota 256) (\j -> fold over bits 0 .. 7 of j)
            let a = redomap h (iota h) (\i -> { ..; G x }) op e                   h = 255: up to the first strip
            let b = loop (b = a) for s < (n - h) / 256 do
                      let high = fold over the other bits of h + s * 256 + 1
                      in redomap 256 (iota 256) (\j -> G (low[j] op' high)) op b
            let c = redomap .. op b                                               what is left

   Operands come in the order that they had, and each accumulates what came before it, so that G may
   be of reals. Where n is small all of it is the first part, and the table is empty.

   For each row the table is read where the fold was made: so this is for folds over single bits, whose
   low part does not depend on the strip. For host statements: inside a function of a SOAC there may be
   few rows, many times. Kernels for processors have a loop over strips alone (core_strips_of_bits), of
   which the first and the last one may be shorter; each of their groups has a table of its own.

   Before: a fused program. After: the same values; not simplified, as that would
   compute elements of the table again. */
#include "core/locality/strips.h"

enum {
    STRIP = 256,
    FEWEST = 4 * STRIP, /* rows that are worth a table */
    MOST_STATEMENTS = 200
};

typedef struct Tables {
    Compilation *c;
    PointerMap views; /* CoreName -> CoreStm, of the host */
    Fuse fuse;
    bool changed;
} Tables;

/* One SOAC at work. */
typedef struct Sharing {
    Strips s;
    const CoreSoac *soac;
    CoreBuilder b;           /* of the host */
    PointerMap inside;       /* names that differ from row to row */
    const CoreAtom **tables; /* of each fold: one a reduction */
} Sharing;

/* ---- which SOACs ----------------------------------------------------------------------------- */

static void count_statements(void *context, const CoreBody *body)
{
    size_t *count = context;
    *count += body->stm_count;
    for (size_t i = 0; i < body->stm_count; i++) {
        core_each_body(body->stms[i]->exp, count_statements, count);
    }
}

typedef struct Mentioned {
    const PointerMap *inside;
    const CoreName *number; /* may be mentioned */
    bool other;             /* a name from inside is */
} Mentioned;

static void look_at(void *context, CoreName *name)
{
    Mentioned *mentioned = context;
    mentioned->other = mentioned->other || (name != mentioned->number &&
                                            pointer_map_get(mentioned->inside, name) != NULL);
}

static bool is_outer_view(const PointerMap *inside, const CoreStm *stm)
{
    Mentioned mentioned = {inside, NULL, false};
    core_each_free(stm, look_at, &mentioned);
    return !mentioned.other && core_is_view(stm->exp->kind) && stm->pattern[0]->type.rank > 0 &&
           stm->certificate_count == 0;
}

/* Names that the SOAC's function binds; but for views of what is outside, which go there. */
static PointerMap bound_inside(Compilation *c, const CoreLambda *function)
{
    PointerMap inside = {0};
    for (size_t k = 0; k < function->parameter_count; k++) {
        pointer_map_set(c->arena, &inside, function->parameters[k], c);
    }
    for (size_t i = 0; i < function->body->stm_count; i++) {
        const CoreStm *stm = function->body->stms[i];
        bool goes = is_outer_view(&inside, stm);
        for (size_t k = 0; k < stm->pattern_count && !goes; k++) {
            pointer_map_set(c->arena, &inside, stm->pattern[k], c);
        }
    }
    return inside;
}

/* What is folded once a strip stands outside of the function: of that it may use the number alone. */
static bool stands_alone(const Strips *s, const CoreLambda *function)
{
    PointerMap inside = bound_inside(s->c, function);
    bool alone = true;
    for (size_t f = 0; f < s->folds.count; f++) {
        Mentioned mentioned = {&inside, s->folds.items[f].number, false};
        core_each_free(s->folds.items[f].stm, look_at, &mentioned);
        alone = alone && !mentioned.other;
    }
    return alone;
}

/* A redomap of scalars, some of which are folds over single bits; they are noted. */
static bool shares(Strips *s, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    if (stm->exp->kind != CORE_EXP_SOAC || stm->exp->level != CORE_LEVEL_AUTO ||
        soac->scan_count > 0 || soac->reduction_count == 0 ||
        (soac->width.name == NULL && soac->width.as.integer < FEWEST) ||
        !fuse_are_scalars(soac->map->parameter_count, soac->map->parameters)) {
        return false;
    }
    size_t results = 0, statements = 0;
    for (size_t r = 0; r < soac->reduction_count; r++) {
        results += soac->reductions[r].function->body->result_count;
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        results += stm->pattern[k]->type.rank > 0;
    }
    count_statements(&statements, soac->map->body);
    if (results != stm->pattern_count || statements > MOST_STATEMENTS) {
        return false;
    }
    for (size_t i = 0; i < soac->map->body->stm_count; i++) {
        const CoreStm *inner = soac->map->body->stms[i];
        if (inner->exp->kind == CORE_EXP_SOAC && strips_sees_single_bits(&inner->exp->as.soac)) {
            strips_note_fold(s, soac, inner);
        }
    }
    return s->folds.count > 0 && stands_alone(s, soac->map);
}

/* ---- writing --------------------------------------------------------------------------------- */

static CoreAtom let(CoreBuilder *b, const char *text, CoreOperator op, CoreAtom x, CoreAtom y)
{
    return core_let_binary(b, text, op, x, y);
}

/* let x = if condition then yes else no, integers. */
static CoreAtom let_either(CoreBuilder *b, const char *text, CoreAtom condition, CoreAtom yes,
                           CoreAtom no)
{
    CoreBuilder none = core_builder(b->c, b->span);
    const CoreBody *first = core_body(&none, 1, &yes), *second = core_body(&none, 1, &no);
    return core_let(b, text, core_scalar(CORE_I64), core_exp_if(b->c, condition, first, second));
}

/* Views of what is outside, out of the function. */
static void write_views(Sharing *sharing)
{
    const CoreLambda *function = sharing->soac->map;
    sharing->inside = bound_inside(sharing->s.c, function);
    for (size_t i = 0; i < function->body->stm_count; i++) {
        if (is_outer_view(&sharing->inside, function->body->stms[i])) {
            core_add(&sharing->b, core_rename_stm(sharing->s.renaming, function->body->stms[i]));
            fuse_note_stm(sharing->s.fuse, sharing->b.stms.items[sharing->b.stms.count - 1], 0);
        }
    }
}

/* The rows of a fold that the last bits of a number select. */
static const CoreAtom *write_low(Sharing *sharing, const BitFold *fold, CoreAtom number,
                                 CoreBuilder *b)
{
    Strips *s = &sharing->s;
    Compilation *c = s->c;
    const CoreSoac *old = &fold->stm->exp->as.soac;
    CoreStm *stm = arena_copy(c->arena, fold->stm, sizeof *stm);
    CoreExp *exp = core_exp_copy(c, stm->exp);
    CoreAtom *inputs = ARENA_ARRAY(c->arena, CoreAtom, old->input_count + 1);
    CoreAtom *rows = ARENA_ARRAY(c->arena, CoreAtom, old->reduction_count);
    CoreSlice low = {.offset = core_i64(0), .count = core_i64(8), .stride = core_i64(1)};
    _Static_assert(STRIP == 1 << 8, "as many low bits");
    for (size_t k = 0; k < old->input_count; k++) {
        CoreAtom input = core_renamed(s->renaming, old->inputs[k]);
        inputs[k] = core_let_slice(b, "low", input, &low);
    }
    exp->as.soac.width = low.count;
    exp->as.soac.inputs = inputs;
    stm->exp = exp;
    core_rename(s->renaming, fold->number, number);
    core_add(b, core_rename_stm(s->renaming, stm));
    for (size_t r = 0; r < old->reduction_count; r++) {
        rows[r] = core_renamed(s->renaming, core_use(fold->stm->pattern[r]));
    }
    return rows;
}

/* These, for each place in a strip; there are `places`. */
static const CoreAtom *write_tables(Sharing *sharing, const BitFold *fold, CoreAtom places)
{
    Compilation *c = sharing->s.c;
    size_t count = fold->stm->exp->as.soac.reduction_count;
    CoreName *place = core_name(c, "j", core_scalar(CORE_I64), fold->stm->span);
    CoreAtom *arrays = ARENA_ARRAY(c->arena, CoreAtom, count);
    CoreBuilder b = core_builder(c, fold->stm->span);
    const CoreAtom *rows = write_low(sharing, fold, core_use(place), &b);
    const CoreLambda *function = core_lambda(c, 1, &place, core_body(&b, count, rows));
    CoreAtom positions = core_let_iota(&sharing->b, "places", places);
    core_let_map(&sharing->b, "low", places, 1, &positions, function, arrays);
    return arrays;
}

/* The SOAC's function at `index`; where `place` is given, with folds looked up and joined with what
   the strip has in common. */
static void write_function(Sharing *sharing, CoreAtom index, const CoreAtom *place, CoreBuilder *b)
{
    Strips *s = &sharing->s;
    const CoreLambda *function = sharing->soac->map;
    for (size_t k = 0; k < function->parameter_count; k++) {
        CoreName *parameter = function->parameters[k];
        core_rename(s->renaming, parameter,
                    fuse_demand(s->fuse, b, sharing->soac->inputs[k], 1, &index, parameter->type));
    }
    for (size_t i = 0; i < function->body->stm_count; i++) {
        const CoreStm *stm = function->body->stms[i];
        if (is_outer_view(&sharing->inside, stm)) {
            continue;
        }
        const BitFold *fold = NULL;
        size_t number = 0;
        for (size_t f = 0; place && f < s->folds.count; f++) {
            if (s->folds.items[f].stm == stm) {
                fold = &s->folds.items[f];
                number = f;
            }
        }
        if (!fold) {
            core_add(b, core_rename_stm(s->renaming, stm));
            continue;
        }
        for (size_t r = 0; r < stm->pattern_count; r++) {
            CoreAtom low = core_let_index(b, "low", sharing->tables[number][r], 1, place);
            CoreOperator op = strips_operator(&stm->exp->as.soac.reductions[r]);
            core_rename(s->renaming, stm->pattern[r],
                        let(b, stm->pattern[r]->text, op, low, fold->high[r]));
        }
    }
}

/* let totals = redomap count (iota count) (\p -> function at first + p) op totals
   `skipped`: in a strip, places before its first row; NULL: it is none. */
static void write_part(Sharing *sharing, CoreAtom first, CoreAtom count, const CoreAtom *skipped,
                       CoreBuilder *b, CoreAtom *totals)
{
    Strips *s = &sharing->s;
    Compilation *c = s->c;
    const CoreSoac *soac = sharing->soac;
    size_t results = soac->map->body->result_count, at = 0;
    CoreBuilder inner = core_builder(c, b->span);
    CoreName *place = core_name(c, skipped ? "j" : "i", core_scalar(CORE_I64), b->span);
    bool at_start = !first.name && first.as.integer == 0;
    CoreAtom here = core_use(place);
    CoreAtom index = at_start ? here : let(&inner, "i", CORE_ADD, here, first);
    bool is_moved = skipped && (skipped->name || skipped->as.integer != 0);
    CoreAtom at_place = is_moved ? let(&inner, "place", CORE_ADD, here, *skipped) : here;
    write_function(sharing, index, skipped ? &at_place : NULL, &inner);
    const CoreBody *body =
        core_body(&inner, results,
                  core_map_atoms(c, results, soac->map->body->results, core_renamed, s->renaming));
    CoreExp *exp = ARENA_NEW(c->arena, CoreExp);
    *exp = *core_exp_soac(c, count, 1, (CoreAtom[]){core_let_iota(b, "rows", count)},
                          core_lambda(c, 1, &place, body), soac->reduction_count, soac->reductions,
                          0, NULL);
    CoreReduction *reductions =
        arena_copy(c->arena, soac->reductions, soac->reduction_count * sizeof *reductions);
    for (size_t r = 0; r < soac->reduction_count; r++) {
        size_t width = soac->reductions[r].function->body->result_count;
        reductions[r].neutral = arena_copy(c->arena, totals + at, width * sizeof *totals);
        at += width;
    }
    exp->as.soac.reductions = reductions;
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, at + 1);
    at = 0;
    for (size_t r = 0; r < soac->reduction_count; r++) {
        for (size_t k = 0; k < soac->reductions[r].function->body->result_count; k++, at++) {
            pattern[at] =
                core_name(c, "total", soac->reductions[r].function->result_types[k], b->span);
            totals[at] = core_use(pattern[at]);
        }
    }
    /* fresh names for what the operators bind */
    CoreStm part = {.pattern_count = at, .pattern = pattern, .exp = exp, .span = b->span};
    Renaming *fresh = core_renaming(c);
    CoreStm *stm = arena_copy(c->arena, core_rename_stm(fresh, &part), sizeof *stm);
    stm->pattern = pattern;
    stm->certificates = b->certificates.items;
    stm->certificate_count = b->certificates.count;
    core_add(b, stm);
}

/* loop (totals) for s < strips do { the high parts; the strip that begins at first + s * STRIP } */
static void write_strips(Sharing *sharing, CoreAtom first, CoreAtom offset, CoreAtom strips,
                         size_t count, CoreAtom *totals)
{
    Strips *s = &sharing->s;
    Compilation *c = s->c;
    CoreBuilder b = core_builder(c, sharing->b.span);
    CoreName *number = core_name(c, "s", core_scalar(CORE_I64), b.span);
    CoreName **parameters = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    const CoreAtom *initial = arena_copy(c->arena, totals, count * sizeof *totals);
    for (size_t k = 0; k < count; k++) {
        parameters[k] = core_name(c, "total", core_atom_type(totals[k]), b.span);
        pattern[k] = core_name(c, "total", core_atom_type(totals[k]), b.span);
        totals[k] = core_use(parameters[k]);
    }
    CoreAtom distance = let(&b, "distance", CORE_MUL, core_use(number), core_i64(STRIP));
    CoreAtom begin = let(&b, "begin", CORE_ADD, first, distance);
    CoreAtom base = let(&b, "number", CORE_ADD, begin, offset);
    for (size_t f = 0; f < s->folds.count; f++) {
        core_rename(s->renaming, s->folds.items[f].number, base);
        s->folds.items[f].high = strips_write_high(s, s->folds.items[f].stm, &b);
    }
    const CoreAtom none = core_i64(0);
    write_part(sharing, begin, core_i64(STRIP), &none, &b, totals);
    const CoreBody *body = core_body(&b, count, totals);
    core_bind(&sharing->b, count, pattern,
              core_exp_for(c, count, parameters, initial, number, strips, body));
    for (size_t k = 0; k < count; k++) {
        totals[k] = core_use(pattern[k]);
    }
}

static void write_all(Sharing *sharing, const CoreStm *stm)
{
    Strips *s = &sharing->s;
    CoreBuilder *b = &sharing->b;
    const CoreSoac *soac = sharing->soac;
    size_t count = stm->pattern_count, at = 0;
    CoreAtom *totals = ARENA_ARRAY(s->c->arena, CoreAtom, count + 1), n = soac->width;
    for (size_t r = 0; r < soac->reduction_count; r++) {
        for (size_t k = 0; k < soac->reductions[r].function->body->result_count; k++) {
            totals[at++] = soac->reductions[r].neutral[k];
        }
    }
    write_views(sharing);
    CoreAtom offset = let(b, "offset", CORE_ADD, s->offsets[0], s->offsets[1]);
    CoreAtom back = let(b, "back", CORE_SUB, core_i64(0), offset);
    CoreAtom missing = let(b, "missing", CORE_AND, back, core_i64(STRIP - 1));
    CoreAtom many = let(b, "many", CORE_GE, n, core_i64(FEWEST));
    CoreAtom head = let_either(b, "head", many, missing, n);
    CoreAtom places = let_either(b, "places", many, core_i64(STRIP), core_i64(0));
    CoreAtom left = let(b, "left", CORE_SUB, n, head);
    CoreAtom strips = let(b, "strips", CORE_DIV, left, core_i64(STRIP));
    CoreAtom done =
        let(b, "done", CORE_ADD, head, let(b, "all", CORE_MUL, strips, core_i64(STRIP)));
    sharing->tables = ARENA_ARRAY(s->c->arena, const CoreAtom *, s->folds.count);
    for (size_t f = 0; f < s->folds.count; f++) {
        sharing->tables[f] = write_tables(sharing, &s->folds.items[f], places);
    }
    write_part(sharing, core_i64(0), head, NULL, b, totals);
    write_strips(sharing, head, offset, strips, count, totals);
    write_part(sharing, done, let(b, "rest", CORE_SUB, n, done), NULL, b, totals);
    for (size_t k = 0; k < count; k++) {
        core_bind(b, 1, &stm->pattern[k], core_atom_exp(s->c, totals[k]));
    }
}

/* ---- strips alone ---------------------------------------------------------------------------- */

/* The high parts of strip `number`, then what there is of it; gives its totals. */
static const CoreLambda *strip_function(Sharing *sharing, CoreAtom missing, CoreAtom offset,
                                        size_t count, const CoreAtom *neutral)
{
    Strips *s = &sharing->s;
    Compilation *c = s->c;
    CoreAtom n = sharing->soac->width, zero = core_i64(0), strip = core_i64(STRIP);
    CoreBuilder b = core_builder(c, sharing->b.span);
    CoreName *number = core_name(c, "s", core_scalar(CORE_I64), b.span);
    CoreAtom *totals = arena_copy(c->arena, neutral, count * sizeof *neutral);
    CoreAtom distance = let(&b, "distance", CORE_MUL, core_use(number), strip);
    CoreAtom start = let(&b, "start", CORE_SUB, distance, missing);
    CoreAtom low = let(&b, "low", CORE_MAX, let(&b, "back", CORE_SUB, zero, start), zero);
    CoreAtom high = let(&b, "high", CORE_MIN, let(&b, "left", CORE_SUB, n, start), strip);
    CoreAtom rows = let(&b, "count", CORE_SUB, high, low);
    CoreAtom first = let(&b, "first", CORE_ADD, start, low);
    CoreAtom base = let(&b, "number", CORE_ADD, start, offset);
    for (size_t f = 0; f < s->folds.count; f++) {
        core_rename(s->renaming, s->folds.items[f].number, base);
        s->folds.items[f].high = strips_write_high(s, s->folds.items[f].stm, &b);
    }
    write_part(sharing, first, rows, &low, &b, totals);
    return core_lambda(c, 1, &number, core_body(&b, count, totals));
}

const CoreBody *core_strips_of_bits(Compilation *c, const CoreStm *stm, const PointerMap *views)
{
    Fuse fuse = {.c = c, .arena = c->arena};
    Sharing sharing = {.s = {.c = c, .views = views, .width = STRIP, .fuse = &fuse},
                       .soac = &stm->exp->as.soac,
                       .b = core_builder(c, stm->span)};
    if (!shares(&sharing.s, stm)) {
        return NULL;
    }
    CoreBuilder *b = &sharing.b;
    const CoreSoac *soac = sharing.soac;
    size_t count = 0;
    CoreAtom *neutral = ARENA_ARRAY(c->arena, CoreAtom, stm->pattern_count + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, stm->pattern_count + 1);
    for (size_t r = 0; r < soac->reduction_count; r++) {
        for (size_t k = 0; k < soac->reductions[r].function->body->result_count; k++, count++) {
            neutral[count] = soac->reductions[r].neutral[k];
            results[count] = core_use(stm->pattern[count]);
        }
    }
    sharing.s.renaming = core_renaming(c);
    write_views(&sharing);
    CoreAtom offset = let(b, "offset", CORE_ADD, sharing.s.offsets[0], sharing.s.offsets[1]);
    CoreAtom missing = let(b, "missing", CORE_AND, offset, core_i64(STRIP - 1));
    CoreAtom all = let(b, "all", CORE_ADD, soac->width, missing);
    all = let(b, "all", CORE_ADD, all, core_i64(STRIP - 1));
    CoreAtom strips = let(b, "strips", CORE_DIV, all, core_i64(STRIP));
    sharing.tables = ARENA_ARRAY(c->arena, const CoreAtom *, sharing.s.folds.count);
    for (size_t f = 0; f < sharing.s.folds.count; f++) {
        sharing.tables[f] = write_tables(&sharing, &sharing.s.folds.items[f], core_i64(STRIP));
    }
    CoreAtom numbers = core_let_iota(b, "numbers", strips);
    const CoreLambda *function = strip_function(&sharing, missing, offset, count, neutral);
    CoreStm *whole = arena_copy(c->arena, stm, sizeof *stm);
    whole->certificate_count = 0;
    whole->exp = core_exp_soac(c, strips, 1, &numbers, function, soac->reduction_count,
                               soac->reductions, 0, NULL);
    core_add(b, whole);
    return core_body(b, count, results);
}

/* ---- the pass -------------------------------------------------------------------------------- */

static const CoreBody *share_body(void *context, const CoreBody *body);

/* False: it stays as it is. */
static bool share(Tables *t, const CoreStm *stm, StmVec *stms)
{
    Sharing sharing = {.s = {.c = t->c, .views = &t->views, .width = STRIP, .fuse = &t->fuse},
                       .soac = &stm->exp->as.soac,
                       .b = core_builder(t->c, stm->span)};
    if (!shares(&sharing.s, stm)) {
        return false;
    }
    sharing.s.renaming = core_renaming(t->c);
    for (size_t k = 0; k < stm->certificate_count; k++) {
        vec_push(t->c->arena, &sharing.b.certificates, stm->certificates[k]);
    }
    write_all(&sharing, stm);
    for (size_t i = 0; i < sharing.b.stms.count; i++) {
        vec_push(t->c->arena, stms, sharing.b.stms.items[i]);
    }
    return true;
}

static const CoreBody *share_body(void *context, const CoreBody *old)
{
    Tables *t = context;
    StmVec stms = {0};
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        if (core_is_view(stm->exp->kind) && stm->pattern[0]->type.rank > 0) {
            pointer_map_set(t->c->arena, &t->views, stm->pattern[0], (void *)(uintptr_t)stm);
        }
        if (share(t, stm, &stms)) {
            t->changed = true;
            continue;
        }
        if (stm->exp->kind == CORE_EXP_LOOP || stm->exp->kind == CORE_EXP_IF) {
            CoreStm *copy = arena_copy(t->c->arena, stm, sizeof *stm);
            copy->exp = core_map_bodies(t->c, stm->exp, share_body, t);
            stm = copy;
        }
        vec_push(t->c->arena, &stms, stm);
    }
    CoreBody *body = arena_copy(t->c->arena, old, sizeof *old);
    body->stms = stms.items;
    body->stm_count = stms.count;
    return body;
}

CoreProgram *core_tabulate_bits(Compilation *c, const CoreProgram *program)
{
    CoreProgram *done = arena_copy(c->arena, program, sizeof *program);
    const CoreFunction **functions =
        ARENA_ARRAY(c->arena, const CoreFunction *, program->function_count + 1);
    for (size_t i = 0; i < program->function_count; i++) {
        Tables t = {.c = c, .fuse = {.c = c, .arena = c->arena}};
        CoreFunction *function = arena_copy(c->arena, program->functions[i], sizeof *function);
        fuse_note_function(&t.fuse, function);
        const CoreBody *body = share_body(&t, function->body);
        function->body = t.changed ? body : function->body;
        functions[i] = function;
    }
    done->functions = functions;
    return done;
}
