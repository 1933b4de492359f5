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
   Only in loops where the host needs to know nothing that the device makes: there is no print, no size and no number
   of iterations that depends on it, inside kernels neither; otherwise the host waits anyway. But the device may say
   whether the loop goes on (backend/ahead/): with what is handed to the next iteration, or by a branch that leaves the
   loop, which is done once, whatever is in it. It also chooses between branches (branches.c), checks, and stores
   (backend/ahead/left.c). Where a branch of the host has such a number, it is made an array in the branch, which
   the rest of the step reads: versions of a nest by sizes (core/flatten/versions.c) are such branches.

   Before: flattened, a program for devices. After: the same values. */
#include "core/locality/device.h"

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

/* It says how many there are of something. */
static bool changes_size(const Keep *k, const CoreStm *stm)
{
    for (size_t i = 0; i < stm->pattern_count; i++) {
        CoreType type = stm->pattern[i]->type;
        for (int axis = 0; axis < type.rank; axis++) {
            if (is_device(k, type.sizes[axis])) {
                return true;
            }
        }
    }
    return false;
}

/* It says how much is updated. */
static bool updates_more(const Keep *k, const CoreExp *update)
{
    for (size_t i = 0; i < update->as.update.count; i++) {
        const CoreSlice *slice = &update->as.update.slices[i];
        if (!slice->fixed && is_device(k, slice->count)) {
            return true;
        }
    }
    return false;
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

/* A statement of a kernel's that something on the device is used in: it does not say how often something is
   done. */
static bool computes_with(Keep *k, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    mark_scalars(k, stm);
    switch ((int)exp->kind) { /* the others do, or it is not known */
    case CORE_EXP_ATOM:
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_ASSERT:
    case CORE_EXP_INDEX:
    case CORE_EXP_REARRANGE: /* of views only elements are read, or rows as many as the host knows */
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_SLICE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD: return true;
    case CORE_EXP_UPDATE: return !updates_more(k, exp);
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

/* ---- what the host does ------------------------------------------------------------------------ */

static bool waits_for_nothing(Keep *k, const CoreBody *body, const CoreAtom *on);

/* An IF of the host's, in the body: a number of the device that comes out of it is an array later on. */
static bool chooses(Keep *k, const CoreBody *body, const CoreStm *stm, const CoreAtom *on)
{
    const CoreExp *exp = stm->exp;
    const CoreBody *branches[] = {exp->as.conditional.then_body, exp->as.conditional.else_body};
    CoreAtom inner;
    bool has_inner;
    Leaving leaving = device_leaving(body, stm, on, &inner, &has_inner);
    bool on_device = leaving == LEAVES_NOT && is_device(k, exp->as.conditional.condition);
    if ((on_device && !device_may_choose(k->c, body, stm)) || changes_size(k, stm)) {
        return false;
    }
    for (int b = 0; b < 2; b++) {
        bool leaves = leaving == (b == 0 ? LEAVES_THEN : LEAVES_ELSE);
        if (!leaves && !waits_for_nothing(k, branches[b], has_inner ? &inner : NULL)) {
            return false;
        }
        for (size_t i = 0; !leaves && !on_device && i < stm->pattern_count; i++) {
            if (stm->pattern[i]->type.rank > 0 || !is_device(k, branches[b]->results[i])) {
                continue;
            }
            mark(k, stm->pattern[i]);
            if (leaving != LEAVES_NOT || !core_is_selection(stm)) {
                pointer_map_set(k->c->arena, &k->joined, stm->pattern[i], stm->pattern[i]);
            }
        }
    }
    if (on_device) {
        mark_scalars(k, stm);
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
    bool is_soac = exp->kind == CORE_EXP_SOAC,
         fits = exp->level != CORE_SEQ && !changes_size(k, stm) &&
                (!has_inside(k, stm) || (is_soac && computes_soac(k, &exp->as.soac)) ||
                 (exp->kind == CORE_EXP_COMPACT && !is_device(k, exp->as.filter.width) &&
                  computes_in(k, exp->as.filter.predicate->body)));
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
        mark_scalars(k, stm);
        return true;
    case CORE_EXP_ASSERT:
    case CORE_EXP_LITERAL: return true;
    case CORE_EXP_REPLICATE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_SLICE: return !changes_size(k, stm);
    case CORE_EXP_UPDATE: return !updates_more(k, exp);
    case CORE_EXP_IF: return chooses(k, body, stm, on);
    case CORE_EXP_LOOP:
        return !mentions(k, stm) && waits_for_nothing(k, exp->as.loop.body, NULL) &&
               !has_device_result(k, exp->as.loop.body);
    case CORE_EXP_SOAC:
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST:
    case CORE_EXP_COMPACT:
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

/* Which scalars of the loop's state the device makes, one flag each, `found` of them; false where the host would wait
   all the same. */
static bool find_state(Keep *k, const CoreExp *loop, bool *moves, size_t *found)
{
    size_t count = loop->as.loop.parameter_count, before;
    const CoreAtom *on = NULL;
    for (size_t i = 0; i < count; i++) {
        if (loop->as.loop.parameters[i] == loop->as.loop.condition) {
            on = &loop->as.loop.body->results[i];
        }
    }
    do {
        before = *found;
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
                ++*found;
            }
        }
    } while (*found > before);
    for (size_t i = 0; i < count; i++) { /* extents as state */
        CoreType type = loop->as.loop.parameters[i]->type;
        for (int axis = 0; axis < type.rank; axis++) {
            if (is_device(k, type.sizes[axis])) {
                return false;
            }
        }
    }
    return true;
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
        pattern[i] = moves[i] ? device_array(k->c, pattern[i]) : pattern[i];
    }
    copy->exp = exp;
    copy->pattern = pattern;
    return copy;
}

static bool moves_to(const CoreBody *body, const bool *moves, const CoreName *name)
{
    for (size_t n = 0; n < body->result_count; n++) {
        if (moves[n] && body->results[n].name == name) {
            return true;
        }
    }
    return false;
}

/* An IF of the body, with arrays of its numbers that are used there, where they are read, or that become the body's
   results (`rest`: of these, those that are still to be done). */
static void add_choice(Keep *k, CoreBuilder *b, const CoreBody *body, const CoreStm *stm,
                       bool *rest, CoreAtom *results)
{
    bool *arrays = ARENA_ARRAY(k->c->arena, bool, stm->pattern_count + 1);
    for (size_t j = 0; j < stm->pattern_count; j++) {
        const CoreName *name = stm->pattern[j];
        arrays[j] = pointer_map_get(&k->joined, name) &&
                    (core_uses(body, name) || moves_to(body, rest, name));
    }
    const CoreStm *same = choice_of_arrays(k, stm, arrays);
    core_add(b, same);
    for (size_t j = 0; j < stm->pattern_count; j++) {
        bool read = arrays[j] && core_uses(body, stm->pattern[j]);
        for (size_t n = 0; arrays[j] && n < body->result_count; n++) {
            if (body->results[n].name == stm->pattern[j]) {
                read = read || !rest[n];
                results[n] = rest[n] ? core_use(same->pattern[j]) : results[n];
                rest[n] = false;
            }
        }
        if (read) {
            device_load(b, stm->pattern[j], same->pattern[j]);
        }
    }
}

/* The body, after what the builder has, with arrays of one element for these of its results. */
static const CoreBody *with_arrays(Keep *k, const CoreBody *body, const bool *moves, CoreBuilder *b)
{
    size_t count = body->result_count;
    CoreAtom *results = arena_copy(k->c->arena, body->results, sizeof *results * count);
    bool *rest = arena_copy(k->c->arena, moves, sizeof *rest * count);
    for (size_t i = 0; i < body->stm_count; i++) {
        if (body->stms[i]->exp->kind == CORE_EXP_IF) {
            add_choice(k, b, body, body->stms[i], rest, results);
        } else {
            core_add(b, body->stms[i]);
        }
    }
    device_store(b, count, rest, results);
    return core_body(b, count, results);
}

static const CoreBody *body_with_state(Keep *k, const CoreExp *loop, const bool *moves,
                                       CoreName *const *parameters)
{
    const CoreBody *old =
        device_keep_overwritten(k->c, loop->as.loop.body, &k->counts[CORE_RULE_OVERWRITTEN]);
    size_t count = loop->as.loop.parameter_count;
    CoreBuilder b = core_builder(k->c, loop->as.loop.parameters[0]->span);
    for (size_t i = 0; i < count; i++) {
        if (moves[i]) {
            device_load(&b, loop->as.loop.parameters[i], parameters[i]);
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
    device_store(b, count, moves, initial);
    for (size_t i = 0; i < count; i++) {
        if (moves[i]) {
            parameters[i] = device_array(k->c, parameters[i]);
            pattern[i] = device_array(k->c, pattern[i]);
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
            device_load(b, stm->pattern[i], pattern[i]);
        }
    }
    k->counts[CORE_RULE_LOOP_SCALARS]++;
}

/* The loop, of the state of which nothing is the device's, with arrays in its body. */
static const CoreStm *keep_inside(Keep *k, const CoreStm *stm)
{
    CoreStm *copy = arena_copy(k->c->arena, stm, sizeof *stm);
    CoreExp *exp = core_exp_copy(k->c, stm->exp);
    exp->as.loop.body =
        device_keep_overwritten(k->c, exp->as.loop.body, &k->counts[CORE_RULE_OVERWRITTEN]);
    if (k->joined.count > 0) {
        CoreBuilder b = core_builder(k->c, stm->span);
        bool *none = ARENA_ARRAY(k->c->arena, bool, exp->as.loop.body->result_count + 1);
        exp->as.loop.body = with_arrays(k, exp->as.loop.body, none, &b);
    }
    copy->exp = exp;
    return copy;
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
            size_t found = 0;
            bool goes = find_state(k, stm->exp, moves, &found);
            moves = arena_copy(k->c->arena, moves, stm->exp->as.loop.parameter_count + 1);
            arena_release(k->c->scratch, before);
            if (goes && found > 0) {
                keep_state(k, &b, stm, moves);
                continue;
            }
            stm = goes ? keep_inside(k, stm) : stm;
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
