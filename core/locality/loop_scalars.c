/* Scalar state of loops that the device makes, kept on the device.

       loop (s = s0) for i < n do {                       let c0 = map 1 (\j -> s0) (iota 1)
         let sum = redomap m (\x -> x / s) (+) 0 xs       let c = loop (d = c0) for i < n do {
         let t = s + sum                           ==>      let s = d[0]
         in t                                               let sum = redomap m (\x -> x / s) (+) 0 xs
       }                                                    let t = s + sum
                                                            in map 1 (\j -> t) (iota 1)
                                                          }
                                                          let r = c[0]

   Otherwise the host waits for the sum in each step. In an array of one element the state is memory of the
   device; the backend has the kernels read it, and what is computed of it, themselves (backend/device_scalars.c).
   Only in loops where the host needs to know nothing that the device makes: there is no print, no size, number
   of iterations, branch, assertion or position that depends on it, inside kernels neither; otherwise the host
   waits anyway. But the device may say whether the loop goes on (backend/ahead/): with what is handed
   to the next iteration, or by a branch that leaves the loop, which is done once, whatever is in it. Where a
   branch of the host has such a number, it is made an array in the branch.

   Before: flattened, a program for devices. After: the same values. */
#include "core/simplify/simplify.h"

typedef struct Keep {
    Compilation *c;
    size_t *counts;
    PointerMap device; /* CoreName -> itself: made on the device, in the loop at work */
    PointerMap joined; /* CoreName -> itself: of these, results of branches; kept in the arena */
} Keep;

/* ---- what depends on the device ---------------------------------------------------------------- */

static bool is_device(const Keep *k, CoreAtom atom)
{
    return atom.name && pointer_map_get(&k->device, atom.name);
}

static void mark(Keep *k, CoreName *name)
{
    pointer_map_set(k->c->scratch, &k->device, name, name);
}

static void mark_scalars(Keep *k, const CoreStm *stm)
{
    for (size_t i = 0; i < stm->pattern_count; i++) {
        if (stm->pattern[i]->type.rank == 0) {
            mark(k, stm->pattern[i]);
        }
    }
}

typedef struct Search {
    const Keep *k;
    bool found;
} Search;

static void look_at(void *context, CoreAtom atom)
{
    Search *search = context;
    search->found = search->found || is_device(search->k, atom);
}

static void look_at_name(void *context, CoreName *name)
{
    look_at(context, core_use(name));
}

/* The expression's operands, or sizes of what it makes, do. */
static bool mentions(const Keep *k, const CoreStm *stm)
{
    Search search = {k, false};
    core_each_operand(stm->exp, look_at, &search);
    for (size_t i = 0; i < stm->pattern_count; i++) {
        CoreType type = stm->pattern[i]->type;
        for (int axis = 0; axis < type.rank; axis++) {
            look_at(&search, type.sizes[axis]);
        }
    }
    return search.found;
}

/* Something in the statement does. */
static bool has_inside(const Keep *k, const CoreStm *stm)
{
    Search search = {k, false};
    core_each_free(stm, look_at_name, &search);
    return search.found;
}

static bool is_arithmetic(const CoreExp *exp)
{
    return exp->kind == CORE_EXP_ATOM || exp->kind == CORE_EXP_UNARY ||
           exp->kind == CORE_EXP_BINARY || exp->kind == CORE_EXP_CONVERT;
}

/* ---- inside of kernels ------------------------------------------------------------------------- */

static bool computes_in(Keep *k, const CoreBody *body);

static bool computes_function(Keep *k, const CoreLambda *function)
{
    for (size_t i = 0; i < function->parameter_count; i++) {
        if (function->parameters[i]->type.rank == 0) {
            mark(k, function->parameters[i]);
        }
    }
    return computes_in(k, function->body);
}

static bool computes_soac(Keep *k, const CoreSoac *soac)
{
    if (is_device(k, soac->width) || !computes_in(k, soac->map->body)) {
        return false;
    }
    for (size_t i = 0; i < soac->reduction_count + soac->scan_count; i++) {
        const CoreReduction *one = i < soac->reduction_count
                                       ? &soac->reductions[i]
                                       : &soac->scans[i - soac->reduction_count];
        if (!computes_function(k, one->function)) {
            return false;
        }
    }
    return true;
}

/* A statement of a kernel's that something on the device is used in: it says neither how often something is done
   nor where something is stored. */
static bool computes_with(Keep *k, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    mark_scalars(k, stm);
    switch ((int)exp->kind) { /* the others do not, or it is not known */
    case CORE_EXP_ATOM:
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_INDEX: return true;
    case CORE_EXP_IF:
        return computes_in(k, exp->as.conditional.then_body) &&
               computes_in(k, exp->as.conditional.else_body);
    case CORE_EXP_LOOP:
        if (exp->as.loop.condition || is_device(k, exp->as.loop.bound)) {
            return false;
        }
        for (size_t i = 0; i < exp->as.loop.parameter_count; i++) {
            if (exp->as.loop.parameters[i]->type.rank == 0) {
                mark(k, exp->as.loop.parameters[i]);
            }
        }
        return computes_in(k, exp->as.loop.body);
    case CORE_EXP_SOAC: return computes_soac(k, &exp->as.soac);
    }
    return false;
}

static bool computes_in(Keep *k, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        if (has_inside(k, body->stms[i]) && !computes_with(k, body->stms[i])) {
            return false;
        }
    }
    return true;
}

/* ---- branches that leave the loop -------------------------------------------------------------- */

typedef enum Leaving { LEAVES_NOT, LEAVES_THEN, LEAVES_ELSE } Leaving;

static const CoreExp *definition(const CoreBody *body, CoreAtom atom)
{
    for (size_t i = 0; i < body->stm_count && atom.name; i++) {
        if (body->stms[i]->pattern_count == 1 && body->stms[i]->pattern[0] == atom.name) {
            return body->stms[i]->exp;
        }
    }
    return NULL;
}

static bool is_false(CoreAtom atom)
{
    return !atom.name && atom.prim == CORE_BOOL && atom.as.integer == 0;
}

/* x is not y: as `not y`, or as the opposite comparison. */
static bool is_opposite(const CoreBody *body, CoreAtom x, CoreAtom y)
{
    const CoreExp *u = definition(body, x), *v = definition(body, y);
    CoreOperator opposite;
    if (u && u->kind == CORE_EXP_UNARY && u->as.scalar.op == CORE_NOT) {
        return core_atom_equal(u->as.scalar.x, y);
    }
    return u && v && u->kind == CORE_EXP_BINARY && v->kind == CORE_EXP_BINARY &&
           core_operator_opposite(u->as.scalar.op, u->as.scalar.prim, &opposite) &&
           opposite == v->as.scalar.op && core_atom_equal(u->as.scalar.x, v->as.scalar.x) &&
           core_atom_equal(u->as.scalar.y, v->as.scalar.y);
}

/* Which branch of the body's IF ends the loop, where `on` (NULL: nothing) says whether it goes on; `inner`: what
   says so in the other branch, or nothing. */
static Leaving leaving_branch(const CoreBody *body, const CoreStm *stm, const CoreAtom *on,
                              CoreAtom *inner, bool *has_inner)
{
    const CoreExp *exp = stm->exp;
    CoreAtom condition = exp->as.conditional.condition;
    *has_inner = false;
    if (!on || !on->name) {
        return LEAVES_NOT;
    }
    for (size_t j = 0; j < stm->pattern_count; j++) {
        CoreAtom then_result = exp->as.conditional.then_body->results[j],
                 else_result = exp->as.conditional.else_body->results[j];
        if (stm->pattern[j] == on->name && is_false(then_result) != is_false(else_result)) {
            *has_inner = true;
            *inner = is_false(then_result) ? else_result : then_result;
            return is_false(then_result) ? LEAVES_THEN : LEAVES_ELSE;
        }
    }
    return core_atom_equal(*on, condition)     ? LEAVES_ELSE
           : is_opposite(body, *on, condition) ? LEAVES_THEN
                                               : LEAVES_NOT;
}

/* ---- what the host does ------------------------------------------------------------------------ */

static bool waits_for_nothing(Keep *k, const CoreBody *body, const CoreAtom *on);

typedef struct Uses {
    const CoreName *name;
    bool found;
} Uses;

static void find_use(void *context, CoreName *name)
{
    Uses *uses = context;
    uses->found = uses->found || uses->name == name;
}

/* In a statement of the body, not only as a result. */
static bool is_used(const CoreBody *body, const CoreName *name)
{
    Uses uses = {name, false};
    for (size_t i = 0; i < body->stm_count && !uses.found; i++) {
        core_each_free(body->stms[i], find_use, &uses);
    }
    return uses.found;
}

/* An IF of the host's, in the body: a number of the device that comes out of it is an array later on, and has to be
   one of the body's results alone. */
static bool chooses(Keep *k, const CoreBody *body, const CoreStm *stm, const CoreAtom *on)
{
    const CoreExp *exp = stm->exp;
    const CoreBody *branches[] = {exp->as.conditional.then_body, exp->as.conditional.else_body};
    CoreAtom inner;
    bool has_inner;
    Leaving leaving = leaving_branch(body, stm, on, &inner, &has_inner);
    if (leaving == LEAVES_NOT && is_device(k, exp->as.conditional.condition)) {
        return false;
    }
    for (size_t i = 0; i < stm->pattern_count; i++) {
        CoreType type = stm->pattern[i]->type;
        for (int axis = 0; axis < type.rank; axis++) {
            if (is_device(k, type.sizes[axis])) {
                return false;
            }
        }
    }
    for (int b = 0; b < 2; b++) {
        bool leaves = leaving == (b == 0 ? LEAVES_THEN : LEAVES_ELSE);
        if (!leaves && !waits_for_nothing(k, branches[b], has_inner ? &inner : NULL)) {
            return false;
        }
        for (size_t i = 0; !leaves && i < stm->pattern_count; i++) {
            if (stm->pattern[i]->type.rank > 0 || !is_device(k, branches[b]->results[i])) {
                continue;
            }
            if (is_used(body, stm->pattern[i])) {
                return false;
            }
            mark(k, stm->pattern[i]);
            pointer_map_set(k->c->arena, &k->joined, stm->pattern[i], stm->pattern[i]);
        }
    }
    return true;
}

static bool has_device_result(const Keep *k, const CoreBody *body)
{
    for (size_t i = 0; i < body->result_count; i++) {
        if (is_device(k, body->results[i])) {
            return true;
        }
    }
    return false;
}

/* What the functions of a SOAC take from outside. */
static bool is_kernel(Keep *k, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->level == CORE_SEQ || mentions(k, stm)) {
        return false;
    }
    bool fits =
        !has_inside(k, stm) || (exp->kind == CORE_EXP_SOAC && computes_soac(k, &exp->as.soac));
    mark_scalars(k, stm);
    return fits;
}

/* The host can do the statement of the body without waiting; what the device makes is marked. */
static bool goes_on(Keep *k, const CoreBody *body, const CoreStm *stm, const CoreAtom *on)
{
    const CoreExp *exp = stm->exp;
    if (is_arithmetic(exp) && stm->pattern[0]->type.rank == 0) {
        if (mentions(k, stm)) {
            mark_scalars(k, stm);
        }
        return true;
    }
    switch ((int)exp->kind) { /* the others do not wait where they need nothing of the device */
    case CORE_EXP_INDEX:
        if (stm->pattern[0]->type.rank > 0) {
            break;
        }
        if (mentions(k, stm)) {
            return false;
        }
        mark_scalars(k, stm);
        return true;
    case CORE_EXP_REPLICATE:
        for (size_t i = 0; i < exp->as.replicate.count; i++) {
            if (is_device(k, exp->as.replicate.sizes[i])) {
                return false;
            }
        }
        return true;
    case CORE_EXP_IF: return chooses(k, body, stm, on);
    case CORE_EXP_LOOP:
        return !mentions(k, stm) && waits_for_nothing(k, exp->as.loop.body, NULL) &&
               !has_device_result(k, exp->as.loop.body);
    case CORE_EXP_SOAC:
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST:
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED: return is_kernel(k, stm);
    case CORE_EXP_STREAM_SEQ:
    case CORE_EXP_FILTER:
    case CORE_EXP_APPLY:
    case CORE_EXP_FORMAT: return false;
    }
    return !core_is_effect(exp->kind) && !mentions(k, stm);
}

/* `on`: its result that says whether the loop around goes on; NULL: there is none. */
static bool waits_for_nothing(Keep *k, const CoreBody *body, const CoreAtom *on)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        if (!goes_on(k, body, body->stms[i], on)) {
            return false;
        }
    }
    return true;
}

/* ---- loops ------------------------------------------------------------------------------------- */

/* Which scalars of the loop's state the device makes, one flag each; false where there are none, or the host
   would wait all the same. */
static bool find_state(Keep *k, const CoreExp *loop, bool *moves)
{
    size_t count = loop->as.loop.parameter_count, found = 0, before;
    const CoreAtom *on = NULL;
    for (size_t i = 0; i < count; i++) {
        if (loop->as.loop.parameters[i] == loop->as.loop.condition) {
            on = &loop->as.loop.body->results[i];
        }
    }
    do {
        before = found;
        k->device = k->joined = (PointerMap){0};
        for (size_t i = 0; i < count; i++) {
            if (moves[i]) {
                mark(k, loop->as.loop.parameters[i]);
            }
        }
        if (!waits_for_nothing(k, loop->as.loop.body, on)) {
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            const CoreName *parameter = loop->as.loop.parameters[i];
            if (!moves[i] && parameter->type.rank == 0 && parameter != loop->as.loop.condition &&
                is_device(k, loop->as.loop.body->results[i])) {
                if (parameter->type.prim == CORE_CERT) {
                    return false;
                }
                moves[i] = true;
                found++;
            }
        }
    } while (found > before);
    for (size_t i = 0; i < count; i++) { /* extents as state */
        CoreType type = loop->as.loop.parameters[i]->type;
        for (int axis = 0; axis < type.rank; axis++) {
            if (is_device(k, type.sizes[axis])) {
                return false;
            }
        }
    }
    return found > 0;
}

/* Arrays of one element with these of the scalars, in place of them. */
static void store(Keep *k, CoreBuilder *b, size_t count, const bool *moves, CoreAtom *atoms)
{
    CoreAtom *scalars = ARENA_ARRAY(k->c->arena, CoreAtom, count);
    CoreAtom *arrays = ARENA_ARRAY(k->c->arena, CoreAtom, count);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (moves[i]) {
            scalars[found++] = atoms[i];
        }
    }
    if (found == 0) {
        return;
    }
    CoreAtom row = core_let_iota(b, "row", core_i64(1));
    CoreName *index = core_name(k->c, "j", core_scalar(CORE_I64), b->span);
    CoreBuilder inner = core_builder(k->c, b->span);
    core_let_map(b, "state", core_i64(1), 1, &row,
                 core_lambda(k->c, 1, &index, core_body(&inner, found, scalars)), arrays);
    found = 0;
    for (size_t i = 0; i < count; i++) {
        if (moves[i]) {
            atoms[i] = arrays[found++];
        }
    }
}

static CoreName *array_name(Keep *k, const CoreName *scalar)
{
    CoreType type = core_array_of(k->c, core_i64(1), scalar->type);
    return core_name(k->c, scalar->text, type, scalar->span);
}

/* let x = array[0] */
static void load(CoreBuilder *b, CoreName *x, CoreName *array)
{
    CoreAtom *zero = ARENA_NEW(b->c->arena, CoreAtom);
    CoreExp *exp = ARENA_NEW(b->c->arena, CoreExp);
    *zero = core_i64(0);
    *exp = (CoreExp){.kind = CORE_EXP_INDEX,
                     .as.index = {.array = core_use(array), .count = 1, .indices = zero}};
    core_bind(b, 1, &x, exp);
}

static const CoreBody *with_arrays(Keep *k, const CoreBody *body, const bool *moves,
                                   CoreBuilder *b);

/* Of the IF these results as arrays of one element, made in the branches. */
static CoreStm *choice_of_arrays(Keep *k, const CoreStm *stm, const bool *moves)
{
    CoreStm *copy = arena_copy(k->c->arena, stm, sizeof *stm);
    CoreExp *exp = core_exp_copy(k->c, stm->exp);
    const CoreBody **branches[] = {&exp->as.conditional.then_body, &exp->as.conditional.else_body};
    for (int b = 0; b < 2; b++) {
        CoreBuilder inner = core_builder(k->c, stm->span);
        *branches[b] = with_arrays(k, *branches[b], moves, &inner);
    }
    CoreName **pattern =
        arena_copy(k->c->arena, stm->pattern, sizeof(CoreName *) * stm->pattern_count);
    for (size_t i = 0; i < stm->pattern_count; i++) {
        pattern[i] = moves[i] ? array_name(k, pattern[i]) : pattern[i];
    }
    copy->exp = exp;
    copy->pattern = pattern;
    return copy;
}

/* The body, after what the builder has, with arrays of one element for these of its results. */
static const CoreBody *with_arrays(Keep *k, const CoreBody *body, const bool *moves, CoreBuilder *b)
{
    size_t count = body->result_count;
    CoreAtom *results = arena_copy(k->c->arena, body->results, sizeof *results * count);
    bool *rest = arena_copy(k->c->arena, moves, sizeof *rest * count);
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        bool *inner = ARENA_ARRAY(k->c->arena, bool, stm->pattern_count + 1), some = false;
        for (size_t j = 0; stm->exp->kind == CORE_EXP_IF && j < stm->pattern_count; j++) {
            for (size_t n = 0; n < count; n++) {
                inner[j] = inner[j] || (moves[n] && body->results[n].name == stm->pattern[j] &&
                                        pointer_map_get(&k->joined, stm->pattern[j]));
            }
            some = some || inner[j];
        }
        const CoreStm *same = some ? choice_of_arrays(k, stm, inner) : stm;
        for (size_t n = 0; some && n < count; n++) {
            for (size_t j = 0; rest[n] && j < stm->pattern_count; j++) {
                if (inner[j] && body->results[n].name == stm->pattern[j]) {
                    results[n] = core_use(same->pattern[j]);
                    rest[n] = false;
                    break;
                }
            }
        }
        core_add(b, same);
    }
    store(k, b, count, rest, results);
    return core_body(b, count, results);
}

static const CoreBody *body_with_state(Keep *k, const CoreExp *loop, const bool *moves,
                                       CoreName *const *parameters)
{
    const CoreBody *old = loop->as.loop.body;
    size_t count = loop->as.loop.parameter_count;
    CoreBuilder b = core_builder(k->c, loop->as.loop.parameters[0]->span);
    for (size_t i = 0; i < count; i++) {
        if (moves[i]) {
            load(&b, loop->as.loop.parameters[i], parameters[i]);
        }
    }
    return with_arrays(k, old, moves, &b);
}

static void keep_state(Keep *k, CoreBuilder *b, const CoreStm *stm, const bool *moves)
{
    const CoreExp *loop = stm->exp;
    size_t count = loop->as.loop.parameter_count;
    CoreExp *fresh = arena_copy(k->c->arena, loop, sizeof *loop);
    CoreStm *copy = arena_copy(k->c->arena, stm, sizeof *stm);
    CoreAtom *initial = arena_copy(k->c->arena, loop->as.loop.initial, sizeof *initial * count);
    CoreName **parameters =
        arena_copy(k->c->arena, loop->as.loop.parameters, sizeof(CoreName *) * count);
    CoreName **pattern = arena_copy(k->c->arena, stm->pattern, sizeof(CoreName *) * count);
    b->span = stm->span;
    store(k, b, count, moves, initial);
    for (size_t i = 0; i < count; i++) {
        if (moves[i]) {
            parameters[i] = array_name(k, parameters[i]);
            pattern[i] = array_name(k, pattern[i]);
        }
    }
    fresh->as.loop.initial = initial;
    fresh->as.loop.parameters = parameters;
    fresh->as.loop.body = body_with_state(k, loop, moves, parameters);
    copy->exp = fresh;
    copy->pattern = pattern;
    core_add(b, copy);
    for (size_t i = 0; i < count; i++) {
        if (moves[i]) {
            load(b, stm->pattern[i], pattern[i]);
        }
    }
    k->counts[CORE_RULE_LOOP_SCALARS]++;
}

/* ---- the pass ---------------------------------------------------------------------------------- */

static const CoreBody *keep_body(void *context, const CoreBody *body)
{
    Keep *k = context;
    CoreBuilder b = core_builder(k->c, (Span){0});
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (stm->exp->kind != CORE_EXP_LOOP && stm->exp->kind != CORE_EXP_IF) {
            core_add(&b, stm); /* functions of SOACs are kernels */
            continue;
        }
        stm = core_map_stm(k->c, stm, keep_body, k);
        if (stm->exp->kind == CORE_EXP_LOOP) {
            ArenaMark before = arena_mark(k->c->scratch);
            bool *moves = ARENA_ARRAY(k->c->scratch, bool, stm->exp->as.loop.parameter_count + 1);
            bool found = find_state(k, stm->exp, moves);
            moves = arena_copy(k->c->arena, moves, stm->exp->as.loop.parameter_count + 1);
            arena_release(k->c->scratch, before);
            if (found) {
                keep_state(k, &b, stm, moves);
                continue;
            }
        }
        core_add(&b, stm);
    }
    return core_with_stms(k->c, body, b.stms.count, b.stms.items);
}

CoreProgram *core_keep_loop_scalars(Compilation *c, const CoreProgram *program, size_t *counts)
{
    size_t ignored[CORE_RULE_COUNT] = {0};
    Keep k = {.c = c, .counts = counts ? counts : ignored};
    const CoreProgram *kept = core_map_functions(c, program, keep_body, &k);
    return arena_copy(c->arena, kept, sizeof *kept);
}
