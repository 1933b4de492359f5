/* Reductions of a few rows known by their numbers, written out: the window of a stencil.

       map n (\i -> {                                    map n (\i -> {
         let s = redomap 3 (\k -> a[i + k]) (+) 0   ==>    let s = ((0 + a[i]) + a[i + 1]) + a[i + 2]
         in s                                              in s
       }) is                                             }) is

   Each row's place in the window then is a number: borders are tested against known distances, so that the
   interior is free of tests (backend/split), neighbours share what they read (backend/sequential), and the
   factors of a kernel are constants; so are the weights that digits are quotients by, and the exponents of powers, of which
   small ones are products. Only what stands in a map or loop of others, takes nothing but positions and constants as rows, and
   reads an array with them, chooses by them, divides by them or takes powers by them, as where the array's elements are computed
   in the window; rows that are in memory already are read in better ways, unless
   what stands in the inner of two maps reads them again and again, or they go with powers, as a polynomial's coefficients do.
   The operator is applied in the same order.

   A map over a few numbers whose rows are rows of another array, each asked for by its place alone, is so many copies, as in
   a[i j;]←a[j i;], where each row can be copied for the update that takes it (core/locality/):

       let rows = map 2 (\k -> a[k]) [j, i]              let x = copy a[j]
       let x = rows[0]                            ==>   let y = copy a[i]
       let y = rows[1]

   So are columns, as in a[;i j]←a[;j i] (unroll_copies.c).

   Before: fused. After: the same values, simplified. */
#include "core/flatten/unroll.h"
#include "core/simplify/simplify.h"

enum {
    MOST_ROWS = 25,            /* a window of 5 by 5 */
    MOST_SEQUENTIAL_ROWS = 49, /* of 7 by 7, where kernels of GPUs would only be longer */
    MOST_DIGITS = 64,
    MOST_STATEMENTS = 600, /* of all rows together */
    MANY_STATEMENTS = 1500 /* of digits, for sequential C and processors */
};

/* ---- what is written out ------------------------------------------------------------------- */

static bool is_numbers(const Unroll *u, const CoreExp *exp);

const CoreStm *unroll_definition(const Unroll *u, CoreAtom array)
{
    const CoreStm *inside = array.name ? pointer_map_get(&u->definitions, array.name) : NULL;
    const CoreStm *view =
        u->views && array.name && !inside ? pointer_map_get(u->views, array.name) : NULL;
    return view && view->certificate_count == 0 && is_numbers(u, view->exp) ? view : inside;
}

static bool is_numbers(const Unroll *u, const CoreExp *exp)
{
    switch ((int)exp->kind) {
    case CORE_EXP_IOTA: return true;
    case CORE_EXP_LITERAL: return true;
    case CORE_EXP_REPLICATE: return exp->as.replicate.value.name == NULL;
    case CORE_EXP_SLICE: return unroll_definition(u, exp->as.slice.array) != NULL;
    }
    return false;
}

/* Scalar statements only; their number is added to, and what is read of arrays in memory or chosen. */
static bool is_plain(const Unroll *u, const CoreBody *body, size_t *statements, size_t *wanted)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        const CoreExp *exp = stm->exp;
        for (size_t k = 0; k < stm->pattern_count; k++) {
            if (stm->pattern[k]->type.rank > 0 || stm->pattern[k]->type.prim == CORE_CERT) {
                return false;
            }
        }
        ++*statements;
        switch ((int)exp->kind) { /* the others are not plain */
        case CORE_EXP_ATOM:
        case CORE_EXP_UNARY:
        case CORE_EXP_BINARY:
        case CORE_EXP_CONVERT: continue;
        case CORE_EXP_INDEX: *wanted += unroll_definition(u, exp->as.index.array) == NULL; continue;
        case CORE_EXP_IF:
            ++*wanted;
            if (is_plain(u, exp->as.conditional.then_body, statements, wanted) &&
                is_plain(u, exp->as.conditional.else_body, statements, wanted)) {
                continue;
            }
        }
        return false;
    }
    return true;
}

static bool is_by_row(const PointerMap *rows, CoreAtom atom)
{
    return atom.name == NULL || pointer_map_get(rows, atom.name) != NULL;
}

/* Whether the statement's value is known once the row's number is; `rows` has the names of which it is. */
static bool is_known_by_row(const Unroll *u, const PointerMap *rows, const CoreExp *exp)
{
    switch ((int)exp->kind) {
    case CORE_EXP_ATOM: return is_by_row(rows, exp->as.atom);
    case CORE_EXP_UNARY: return is_by_row(rows, exp->as.scalar.x);
    case CORE_EXP_CONVERT: return is_by_row(rows, exp->as.convert.x);
    case CORE_EXP_BINARY:
        return is_by_row(rows, exp->as.scalar.x) && is_by_row(rows, exp->as.scalar.y);
    case CORE_EXP_INDEX:
        return unroll_definition(u, exp->as.index.array) != NULL && exp->as.index.count == 1 &&
               is_by_row(rows, exp->as.index.indices[0]);
    }
    return false;
}

/* What constants in place of the rows' numbers make cheaper. */
typedef struct Gains {
    size_t quotients; /* and rests, of integers by what differs from row to row */
    size_t powers;    /* of reals, whose exponents are known by the row's number */
} Gains;

static Gains gains_of(const Unroll *u, const CoreSoac *soac)
{
    const CoreLambda *map = soac->map;
    PointerMap rows = {0}, own = {0};
    Gains gains = {0};
    for (size_t k = 0; k < map->parameter_count; k++) {
        pointer_map_set(u->c->scratch, &own, map->parameters[k], (void *)(uintptr_t)map);
        if (unroll_definition(u, soac->inputs[k]) != NULL) {
            pointer_map_set(u->c->scratch, &rows, map->parameters[k], (void *)(uintptr_t)map);
        }
    }
    for (size_t i = 0; i < map->body->stm_count; i++) {
        const CoreStm *stm = map->body->stms[i];
        const CoreExp *exp = stm->exp;
        if (exp->kind == CORE_EXP_BINARY && exp->as.scalar.y.name) {
            CoreOperator op = exp->as.scalar.op;
            const CoreName *by = exp->as.scalar.y.name;
            if (core_is_real(exp->as.scalar.prim)) {
                gains.powers += op == CORE_POW && pointer_map_get(&rows, by) != NULL;
            } else {
                bool divides = op == CORE_DIV || op == CORE_MOD;
                gains.quotients += divides && pointer_map_get(&own, by) != NULL;
            }
        }
        for (size_t k = 0; k < stm->pattern_count; k++) {
            pointer_map_set(u->c->scratch, &own, stm->pattern[k], (void *)(uintptr_t)map);
            if (is_known_by_row(u, &rows, exp)) {
                pointer_map_set(u->c->scratch, &rows, stm->pattern[k], (void *)(uintptr_t)map);
            }
        }
    }
    return gains;
}

/* Digits become short, whatever checks of theirs are constants then. Of what is left in a kernel, lowering writes out what is
   too large for other devices: the rest stayed as it was because it is better so. */
static bool is_few(const Unroll *u, Gains gains, int64_t rows, size_t statements)
{
    bool are_digits = gains.quotients > 0, is_lowered = u->views != NULL;
    int64_t most = are_digits ? MOST_DIGITS : u->is_sequential ? MOST_SEQUENTIAL_ROWS : MOST_ROWS;
    size_t all = statements * (size_t)rows;
    return rows <= most &&
           all <= (are_digits || u->is_sequential ? MANY_STATEMENTS : MOST_STATEMENTS) &&
           (!is_lowered || rows > MOST_ROWS || all > MOST_STATEMENTS);
}

static bool is_window(const Unroll *u, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    if (u->depth == 0 || stm->exp->kind != CORE_EXP_SOAC || stm->exp->level != CORE_LEVEL_AUTO ||
        soac->scan_count > 0 || soac->reduction_count == 0 || soac->width.name ||
        soac->width.as.integer < 2 || soac->width.as.integer > MOST_DIGITS) {
        return false;
    }
    bool by_number = false, in_memory = false;
    for (size_t i = 0; i < soac->input_count; i++) {
        bool is_number = unroll_definition(u, soac->inputs[i]) != NULL;
        by_number = by_number || is_number;
        in_memory = in_memory || !is_number;
    }
    size_t statements = 0, wanted = 0, operands = 0;
    for (size_t i = 0; i < soac->reduction_count; i++) {
        operands += soac->reductions[i].function->body->result_count;
        if (!is_plain(u, soac->reductions[i].function->body, &statements, &wanted)) {
            return false;
        }
    }
    wanted = 0; /* not by the operators, which do not get positions */
    if (!by_number || operands != soac->map->body->result_count ||
        !is_plain(u, soac->map->body, &statements, &wanted)) {
        return false;
    }
    Gains gains = gains_of(u, soac);
    wanted += gains.quotients + gains.powers;
    return wanted > 0 && (!in_memory || u->depth > 1 || gains.powers > 0) &&
           is_few(u, gains, soac->width.as.integer, statements);
}

/* ---- writing ------------------------------------------------------------------------------- */

/* The statement with the certificates of the reduction that it stands in, too: scalar operations soon lose them. */
static const CoreStm *certified(const CoreBuilder *b, const CoreStm *stm)
{
    size_t own = stm->certificate_count, more = b->certificates.count;
    if (more == 0) {
        return stm;
    }
    CoreAtom *all = ARENA_ARRAY(b->c->arena, CoreAtom, own + more);
    for (size_t i = 0; i < own + more; i++) {
        all[i] = i < own ? stm->certificates[i] : b->certificates.items[i - own];
    }
    CoreStm *copy = arena_copy(b->c->arena, stm, sizeof *copy);
    copy->certificate_count = own + more;
    copy->certificates = all;
    return copy;
}

/* The function's statements with these arguments; its results. */
static void apply(Unroll *u, CoreBuilder *b, const CoreLambda *function, const CoreAtom *arguments,
                  CoreAtom *results)
{
    Renaming *renaming = core_renaming(u->c);
    for (size_t i = 0; i < function->parameter_count; i++) {
        core_rename(renaming, function->parameters[i], arguments[i]);
    }
    for (size_t i = 0; i < function->body->stm_count; i++) {
        core_add(b, certified(b, core_rename_stm(renaming, function->body->stms[i])));
    }
    for (size_t i = 0; i < function->body->result_count; i++) {
        results[i] = core_renamed(renaming, function->body->results[i]);
    }
}

void unroll_row(Unroll *u, CoreBuilder *b, const CoreSoac *soac, int64_t row, CoreAtom *results)
{
    CoreAtom *inputs = ARENA_ARRAY(u->c->scratch, CoreAtom, soac->input_count + 1);
    const CoreAtom at = core_i64(row);
    for (size_t i = 0; i < soac->input_count; i++) {
        inputs[i] = core_let_index(b, "x", soac->inputs[i], 1, &at);
    }
    apply(u, b, soac->map, inputs, results);
}

static void write_row(Unroll *u, CoreBuilder *b, const CoreSoac *soac, int64_t row, CoreAtom *sums)
{
    CoreAtom *operands = ARENA_ARRAY(u->c->scratch, CoreAtom, soac->map->body->result_count + 1);
    unroll_row(u, b, soac, row, operands);
    for (size_t i = 0, first = 0; i < soac->reduction_count; i++) {
        const CoreLambda *function = soac->reductions[i].function;
        size_t count = function->body->result_count;
        CoreAtom *both = ARENA_ARRAY(u->c->scratch, CoreAtom, 2 * count);
        memcpy(both, sums + first, count * sizeof *both);
        memcpy(both + count, operands + first, count * sizeof *both);
        apply(u, b, function, both, sums + first);
        first += count;
    }
}

/* The array's definition, and what it is a slice of, where it is the host's. */
static void note_outer(Unroll *u, CoreAtom array)
{
    const CoreStm *stm = unroll_definition(u, array);
    if (!u->views || !stm || pointer_map_get(&u->definitions, array.name)) {
        return;
    }
    if (stm->exp->kind == CORE_EXP_SLICE) {
        note_outer(u, stm->exp->as.slice.array);
    }
    pointer_map_set(u->c->arena, &u->definitions, array.name, (void *)(uintptr_t)stm);
    vec_push(u->c->arena, &u->outer, stm);
}

static void write_out(Unroll *u, CoreBuilder *b, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    CoreAtom *sums = ARENA_ARRAY(u->c->scratch, CoreAtom, stm->pattern_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < soac->reduction_count; i++) {
        for (size_t k = 0; k < soac->reductions[i].function->body->result_count; k++) {
            sums[count++] = soac->reductions[i].neutral[k];
        }
    }
    b->span = stm->span;
    for (size_t i = 0; i < soac->input_count; i++) {
        note_outer(u, soac->inputs[i]);
    }
    for (size_t i = 0; i < stm->certificate_count; i++) {
        vec_push(u->c->arena, &b->certificates, stm->certificates[i]);
    }
    for (int64_t row = 0; row < soac->width.as.integer; row++) {
        write_row(u, b, soac, row, sums);
    }
    b->certificates.count = 0;
    for (size_t i = 0; i < count; i++) {
        core_bind(b, 1, &stm->pattern[i], core_atom_exp(u->c, sums[i]));
    }
    u->counts[CORE_RULE_UNROLL]++;
    u->changed = true;
}

/* ---- the pass ------------------------------------------------------------------------------ */

static const CoreBody *unroll_body(void *context, const CoreBody *body)
{
    Unroll *u = context;
    CoreBuilder b = core_builder(u->c, (Span){0});
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (is_window(u, stm)) {
            write_out(u, &b, stm);
            continue;
        }
        if (!u->views && unroll_copies(u, &b, body, stm)) {
            continue;
        }
        stm = unroll_of_copy(u, stm);
        if (is_numbers(u, stm->exp)) {
            pointer_map_set(u->c->arena, &u->definitions, stm->pattern[0], (void *)(uintptr_t)stm);
        }
        int deeper = stm->exp->kind == CORE_EXP_SOAC;
        u->depth += deeper;
        core_add(&b, core_map_stm(u->c, stm, unroll_body, u));
        u->depth -= deeper;
    }
    return core_with_stms(u->c, body, b.stms.count, b.stms.items);
}

CoreProgram *core_unroll(Compilation *c, const CoreProgram *program, bool is_sequential,
                         size_t *counts)
{
    size_t ignored[CORE_RULE_COUNT] = {0};
    Unroll u = {.c = c, .is_sequential = is_sequential, .counts = counts ? counts : ignored};
    const CoreProgram *unrolled = core_map_functions(c, program, unroll_body, &u);
    return u.changed ? core_simplify_last(c, unrolled, u.counts)
                     : arena_copy(c->arena, program, sizeof *program);
}

/* Whether the last statement of the body binds its results, and none of the others anything that the host has. */
static bool is_in_place_of(const CoreBody *body, const CoreStm *stm, const Unroll *u)
{
    const CoreStm *last = body->stm_count > 0 ? body->stms[body->stm_count - 1] : NULL;
    bool is_same = last && last->exp->kind == CORE_EXP_SOAC &&
                   last->pattern_count == stm->pattern_count &&
                   body->result_count == stm->pattern_count;
    for (size_t k = 0; is_same && k < stm->pattern_count; k++) {
        is_same = last->pattern[k] == stm->pattern[k] && body->results[k].name == stm->pattern[k];
    }
    for (size_t i = 0; is_same && i + 1 < body->stm_count; i++) {
        for (size_t k = 0; k < u->outer.count; k++) {
            is_same = is_same && !core_stm_binds(body->stms[i], u->outer.items[k]->pattern[0]);
        }
    }
    return is_same;
}

const CoreBody *core_write_out_windows(Compilation *c, const CoreStm *stm, const PointerMap *views)
{
    size_t ignored[CORE_RULE_COUNT] = {0};
    Unroll u = {.c = c, .is_sequential = true, .views = views, .counts = ignored, .depth = 1};
    const CoreStm *written = core_map_stm(c, stm, unroll_body, &u);
    if (!u.changed) {
        return NULL;
    }
    CoreBuilder b = core_builder(c, stm->span);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, stm->pattern_count + 1);
    CoreType *types = ARENA_ARRAY(c->arena, CoreType, stm->pattern_count + 1);
    for (size_t i = 0; i < u.outer.count; i++) {
        core_add(&b, u.outer.items[i]);
    }
    core_add(&b, written);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        results[k] = core_use(stm->pattern[k]);
        types[k] = stm->pattern[k]->type;
    }
    const CoreFunction function = {.name = intern(c, "windows"),
                                   .result_count = stm->pattern_count,
                                   .result_types = types,
                                   .size_results = ARENA_ARRAY(c->arena, bool, stm->pattern_count),
                                   .body = core_body(&b, stm->pattern_count, results),
                                   .is_entry = true,
                                   .span = stm->span};
    const CoreFunction *functions[] = {arena_copy(c->arena, &function, sizeof function)};
    const CoreProgram *program =
        core_simplify_last(c, &(CoreProgram){.function_count = 1, .functions = functions}, ignored);
    const CoreBody *body = program ? program->functions[0]->body : NULL;
    return body && is_in_place_of(body, stm, &u) ? body : NULL;
}
