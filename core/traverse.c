/* Walking over core programs: operands, inner bodies, free names, effects, and counts.

   Statement lists are walked by loops and nesting (at most NESTING_LIMIT deep) by recursion.

       let (ys_3 : [n_1]f64) = map n_1 (xs_2) (\(x_4 : f64) -> { ... y_5 = x_4 * k_9 ... })
           operands: n_1 xs_2       bodies: one       free: n_1 xs_2 k_9 */
#include "core/core.h"

#include <stdlib.h>

typedef void VisitAtom(void *context, CoreAtom atom);
typedef void VisitBody(void *context, const CoreBody *body);

static void each(size_t count, const CoreAtom *atoms, VisitAtom *visit, void *context)
{
    for (size_t i = 0; i < count; i++) {
        visit(context, atoms[i]);
    }
}

static void each_in_slices(size_t count, const CoreSlice *slices, VisitAtom *visit, void *context)
{
    for (size_t i = 0; i < count; i++) {
        visit(context, slices[i].offset);
        if (!slices[i].fixed) {
            visit(context, slices[i].count);
            visit(context, slices[i].stride);
        }
    }
}

static void each_neutral(size_t count, const CoreReduction *reductions, VisitAtom *visit,
                         void *context)
{
    for (size_t i = 0; i < count; i++) {
        const CoreReduction *r = &reductions[i];
        each(r->function->body->result_count, r->neutral, visit, context);
    }
}

void core_each_operand(const CoreExp *exp, VisitAtom *visit, void *context)
{
#define ONE(field) visit(context, exp->as.field);
#define MANY(count, field) each(exp->as.count, exp->as.field, visit, context);
#define SLICES(count, field) each_in_slices(exp->as.count, exp->as.field, visit, context);
#define NEUTRAL(count, field) each_neutral(exp->as.count, exp->as.field, visit, context);
#define WHERE(field, fields)                                                                       \
    if (exp->as.field) {                                                                           \
        fields                                                                                     \
    }
#define OPERANDS(kind, fields)                                                                     \
    case CORE_EXP_##kind: fields break;
    switch (exp->kind) {
#include "core/operands.def"
    }
}

/* ---- inner bodies ---------------------------------------------------------------------------- */

typedef void VisitLambda(void *context, const CoreLambda *lambda);

/* The anonymous functions of an expression: of SOACs, filter, hist and streams. */
static void each_lambda(const CoreExp *exp, VisitLambda *visit, void *context)
{
    switch (exp->kind) {
    case CORE_EXP_SOAC:
        visit(context, exp->as.soac.map);
        for (size_t i = 0; i < exp->as.soac.reduction_count; i++) {
            visit(context, exp->as.soac.reductions[i].function);
        }
        for (size_t i = 0; i < exp->as.soac.scan_count; i++) {
            visit(context, exp->as.soac.scans[i].function);
        }
        return;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: visit(context, exp->as.filter.predicate); return;
    case CORE_EXP_HIST: visit(context, exp->as.scatter.op); return;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ:
        visit(context, exp->as.stream.fold);
        if (exp->as.stream.reduce) {
            visit(context, exp->as.stream.reduce);
        }
        return;
    case CORE_EXP_ATOM:
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_IF:
    case CORE_EXP_LOOP:
    case CORE_EXP_APPLY:
    case CORE_EXP_ASSERT:
    case CORE_EXP_CONJOIN:
    case CORE_EXP_INDEX:
    case CORE_EXP_UPDATE:
    case CORE_EXP_LITERAL:
    case CORE_EXP_IOTA:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_SCRATCH:
    case CORE_EXP_COPY:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_SLICE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD:
    case CORE_EXP_SCATTER:
    case CORE_EXP_ORDER:
    case CORE_EXP_DIGIT_SORT:
    case CORE_EXP_PRINT:
    case CORE_EXP_PRINT_COMPLEX:
    case CORE_EXP_READ:
    case CORE_EXP_ARGUMENT:
    case CORE_EXP_NOW:
    case CORE_EXP_DRAWS:
    case CORE_EXP_SEED:
    case CORE_EXP_SEED_NOW:
    case CORE_EXP_PRECISION:
    case CORE_EXP_PRECISION_NOW:
    case CORE_EXP_DEVICE:
    case CORE_EXP_BENCH:
    case CORE_EXP_FORMAT: return;
    }
}

typedef struct BodyVisit {
    VisitBody *visit;
    void *context;
} BodyVisit;

static void visit_lambda_body(void *context, const CoreLambda *lambda)
{
    const BodyVisit *v = context;
    v->visit(v->context, lambda->body);
}

void core_each_body(const CoreExp *exp, VisitBody *visit, void *context)
{
    if (exp->kind == CORE_EXP_IF) {
        visit(context, exp->as.conditional.then_body);
        visit(context, exp->as.conditional.else_body);
    } else if (exp->kind == CORE_EXP_LOOP) {
        visit(context, exp->as.loop.body);
    } else {
        BodyVisit v = {visit, context};
        each_lambda(exp, visit_lambda_body, &v);
    }
}

/* ---- consumption ----------------------------------------------------------------------------- */

typedef struct Consumption {
    VisitAtom *visit;
    void *context;
} Consumption;

static void consumed_in(void *context, const CoreBody *body)
{
    const Consumption *c = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        core_each_consumed(body->stms[i], c->visit, c->context);
    }
}

void core_each_consumed(const CoreStm *stm, VisitAtom *visit, void *context)
{
    const CoreExp *exp = stm->exp;
    Consumption consumption = {visit, context};
    switch ((int)exp->kind) { /* what consumes */
    case CORE_EXP_UPDATE: visit(context, exp->as.update.array); return;
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST:
        each(exp->as.scatter.count, exp->as.scatter.destinations, visit, context);
        return;
    case CORE_EXP_LOOP:
        for (size_t k = 0; k < exp->as.loop.parameter_count; k++) {
            if (exp->as.loop.parameters[k]->type.unique) {
                visit(context, exp->as.loop.initial[k]);
            }
        }
        return;
    case CORE_EXP_APPLY: each(exp->as.apply.count, exp->as.apply.arguments, visit, context); return;
    case CORE_EXP_IF: core_each_body(exp, consumed_in, &consumption); return;
    }
}

/* ---- free names ------------------------------------------------------------------------------ */

/* Names are unique, so a name is free in a statement exactly when nothing inside binds it: one walk
   collects what is bound (a hash set of pointers), a second visits the rest. */
typedef struct FreeWalk {
    CoreName **slots; /* power-of-two table; NULL is empty */
    size_t capacity, count;
    CoreName *few[16];
    void (*visit)(void *context, CoreName *name);
    void *context;
    bool collecting;
} FreeWalk;

static size_t name_slot(CoreName *const *slots, size_t capacity, const CoreName *name)
{
    size_t slot = ((uintptr_t)name >> 4) * 0x9E3779B97F4A7C15u >> 32 & (capacity - 1);
    while (slots[slot] && slots[slot] != name) {
        slot = (slot + 1) & (capacity - 1);
    }
    return slot;
}

static void bind_name(FreeWalk *walk, CoreName *name)
{
    if (2 * (walk->count + 1) > walk->capacity) {
        size_t capacity = 2 * walk->capacity;
        CoreName **slots = calloc(capacity, sizeof *slots);
        if (!slots) {
            fputs("tailor: out of memory\n", stderr);
            exit(70);
        }
        for (size_t i = 0; i < walk->capacity; i++) {
            if (walk->slots[i]) {
                slots[name_slot(slots, capacity, walk->slots[i])] = walk->slots[i];
            }
        }
        if (walk->slots != walk->few) {
            free(walk->slots);
        }
        walk->slots = slots;
        walk->capacity = capacity;
    }
    size_t slot = name_slot(walk->slots, walk->capacity, name);
    walk->count += walk->slots[slot] == NULL;
    walk->slots[slot] = name;
}

static void use_atom(void *context, CoreAtom atom)
{
    FreeWalk *walk = context;
    if (atom.name && !walk->slots[name_slot(walk->slots, walk->capacity, atom.name)]) {
        walk->visit(walk->context, atom.name);
    }
}

static void use_type(FreeWalk *walk, const CoreType *type)
{
    each((size_t)type->rank, type->sizes, use_atom, walk);
}

/* A binding: collected on the first walk; on the second its type's sizes are uses. */
static void walk_binding(FreeWalk *walk, CoreName *name)
{
    if (walk->collecting) {
        bind_name(walk, name);
    } else {
        use_type(walk, &name->type);
    }
}

static void walk_stm(FreeWalk *walk, const CoreStm *stm);

static void walk_body(void *context, const CoreBody *body)
{
    FreeWalk *walk = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        walk_stm(walk, body->stms[i]);
    }
    if (!walk->collecting) {
        each(body->result_count, body->results, use_atom, walk);
    }
}

static void walk_lambda(void *context, const CoreLambda *lambda)
{
    FreeWalk *walk = context;
    for (size_t i = 0; i < lambda->parameter_count; i++) {
        walk_binding(walk, lambda->parameters[i]);
    }
    walk_body(walk, lambda->body);
    for (size_t i = 0; !walk->collecting && i < lambda->body->result_count; i++) {
        use_type(walk, &lambda->result_types[i]);
    }
}

static void walk_stm(FreeWalk *walk, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (!walk->collecting) {
        each(stm->certificate_count, stm->certificates, use_atom, walk);
        core_each_operand(exp, use_atom, walk);
    }
    if (exp->kind == CORE_EXP_IF) {
        walk_body(walk, exp->as.conditional.then_body);
        walk_body(walk, exp->as.conditional.else_body);
    } else if (exp->kind == CORE_EXP_LOOP) {
        for (size_t i = 0; i < exp->as.loop.parameter_count; i++) {
            walk_binding(walk, exp->as.loop.parameters[i]);
        }
        if (exp->as.loop.index) {
            walk_binding(walk, exp->as.loop.index);
        }
        walk_body(walk, exp->as.loop.body);
    } else {
        each_lambda(exp, walk_lambda, walk);
    }
    for (size_t i = 0; i < stm->pattern_count; i++) {
        walk_binding(walk, stm->pattern[i]);
    }
}

void core_each_free(const CoreStm *stm, void (*visit)(void *context, CoreName *name), void *context)
{
    FreeWalk walk = {.visit = visit, .context = context, .collecting = true};
    walk.slots = walk.few;
    walk.capacity = sizeof walk.few / sizeof walk.few[0];
    walk_stm(&walk, stm);
    walk.collecting = false;
    walk_stm(&walk, stm);
    if (walk.slots != walk.few) {
        free(walk.slots);
    }
}

/* ---- kinds ----------------------------------------------------------------------------------- */

bool core_is_view(CoreExpKind kind)
{
    return kind == CORE_EXP_INDEX || kind == CORE_EXP_IOTA || kind == CORE_EXP_REPLICATE ||
           (kind >= CORE_EXP_REARRANGE && kind <= CORE_EXP_PAD);
}

int64_t core_device_least(const char *name)
{
    return strcmp(name, CORE_DEVICE_LANES) == 0          ? 1
           : strcmp(name, CORE_DEVICE_COPIED_BYTES) == 0 ? 0
                                                         : -1;
}

bool core_is_stretch(const CoreExp *slice)
{
    const CoreSlice *slices = slice->as.slice.slices;
    for (int axis = 0; axis < core_atom_type(slice->as.slice.array).rank; axis++) {
        if (slices[axis].fixed || !core_atom_equal(slices[axis].stride, core_i64(1))) {
            return false;
        }
    }
    return true;
}

bool core_is_effect(CoreExpKind kind)
{
    return kind >= CORE_EXP_PRINT && kind <= CORE_EXP_BENCH;
}

typedef struct ElementCalls {
    Compilation *c;
    PointerMap called; /* interned name -> itself */
    bool inside;       /* a SOAC's function, or one that is called there */
} ElementCalls;

static void find_element_calls(void *context, const CoreBody *body)
{
    ElementCalls *calls = context;
    bool outer = calls->inside;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        if (exp->kind == CORE_EXP_APPLY && outer) {
            const char *name = intern(calls->c, exp->as.apply.function);
            pointer_map_set(calls->c->arena, &calls->called, name, (void *)(uintptr_t)name);
        }
        calls->inside = outer || (exp->kind != CORE_EXP_IF && exp->kind != CORE_EXP_LOOP);
        core_each_body(exp, find_element_calls, calls);
    }
    calls->inside = outer;
}

const bool *core_are_of_elements(Compilation *c, const CoreProgram *program)
{
    bool *are = ARENA_ARRAY(c->arena, bool, program->function_count + 1);
    ElementCalls calls = {.c = c};
    for (size_t i = program->function_count; i-- > 0;) { /* callers before those they call */
        const CoreFunction *function = program->functions[i];
        calls.inside = are[i] = pointer_map_get(&calls.called, intern(c, function->name)) != NULL;
        find_element_calls(&calls, function->body);
    }
    return are;
}

static void find_effect(void *context, const CoreBody *body)
{
    bool *found = context;
    for (size_t i = 0; i < body->stm_count && !*found; i++) {
        *found = core_has_effect(body->stms[i]->exp);
    }
}

bool core_has_effect(const CoreExp *exp)
{
    bool found = core_is_effect(exp->kind) || exp->kind == CORE_EXP_APPLY;
    if (!found) {
        core_each_body(exp, find_effect, &found);
    }
    return found;
}

bool core_may_fail_in(const CoreBody *body)
{
    bool found = false;
    for (size_t i = 0; i < body->stm_count && !found; i++) {
        found = core_may_fail(body->stms[i]);
    }
    return found;
}

static void find_failing(void *context, const CoreBody *body)
{
    bool *found = context;
    *found = *found || core_may_fail_in(body);
}

bool core_may_fail(const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    bool found = core_is_effect(exp->kind) || exp->kind == CORE_EXP_ASSERT ||
                 exp->kind == CORE_EXP_APPLY || (exp->kind == CORE_EXP_LOOP && !exp->as.loop.index);
    if (!found) {
        core_each_body(exp, find_failing, &found);
    }
    return found;
}

static void find_stage(void *context, const CoreBody *body)
{
    unsigned *last = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        if (exp->kind == CORE_EXP_ASSERT && exp->as.assertion.stage > *last) {
            *last = exp->as.assertion.stage;
        } else if (exp->kind == CORE_EXP_IF || exp->kind == CORE_EXP_LOOP) {
            core_each_body(exp, find_stage, last);
        }
    }
}

unsigned core_last_stage(const CoreBody *body)
{
    unsigned last = 0;
    find_stage(&last, body);
    return last;
}

static void count_body(void *context, const CoreBody *body)
{
    size_t *count = context;
    *count += body->stm_count;
    for (size_t i = 0; i < body->stm_count; i++) {
        core_each_body(body->stms[i]->exp, count_body, count);
    }
}

size_t core_count_in(const CoreBody *body)
{
    size_t count = 0;
    count_body(&count, body);
    return count;
}

size_t core_count(const CoreProgram *program)
{
    size_t count = 0;
    for (size_t i = 0; i < program->function_count; i++) {
        count += core_count_in(program->functions[i]->body);
    }
    return count;
}
