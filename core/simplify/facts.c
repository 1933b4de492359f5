/* What is known of names in one round: a map, filled by one walk over the old program.

   The walk puts arrays that may share elements into one class (union-find, coarser than the
   checker's alias sets): a view with its operand, results of if with the branches' results, a
   loop's parameters with what they start and go on with, rows with the input of the SOAC. A class
   is *consumed* where anything of it is written in place or declared unique: such arrays are
   neither merged, nor moved, nor copied lazily ([L0] 6.1.1, 6.2).

       let (b : [n]f64) = reverse 0 a              -- class {a, b}
       let (c : [n]f64) = b with [0] <- 1.0        -- {a, b} consumed; {c}

   For each class it also notes which body binds all of it; liveness.c finds where it is used for the last time. */
#include "core/simplify/simplify.h"

#include <limits.h>
#include <stdint.h>

Simplify *simplify_create(Compilation *c, Arena *arena, size_t *counts)
{
    Simplify *s = ARENA_NEW(arena, Simplify);
    s->c = c;
    s->arena = arena;
    s->counts = counts;
    return s;
}

Fact *simplify_fact(Simplify *s, const CoreName *name)
{
    Fact *fact = core_name_map_make(s->arena, &s->facts, name, sizeof *fact);
    if (!fact->name) {
        fact->name = name;
        fact->range = (Interval){INT64_MIN, INT64_MAX};
        fact->not_negative_depth = fact->positive_depth = fact->extent_depth = INT_MAX;
    }
    return fact;
}

void simplify_fired(Simplify *s, CoreRule rule)
{
    s->counts[rule]++;
    s->changed = true;
}

const CoreStm *simplify_definition(Simplify *s, CoreAtom atom, bool guarded)
{
    if (!atom.name) {
        return NULL;
    }
    const CoreStm *stm = simplify_fact(s, atom.name)->stm;
    return stm && (guarded || stm->certificate_count == 0) ? stm : NULL;
}

const CoreExp *simplify_operation(Simplify *s, CoreAtom atom, CoreOperator op)
{
    const CoreStm *stm = simplify_definition(s, atom, false);
    bool found = stm && stm->exp->kind == CORE_EXP_BINARY && stm->exp->as.scalar.op == op;
    return found ? stm->exp : NULL;
}

/* ---- classes --------------------------------------------------------------------------------- */

Fact *simplify_class(Fact *fact)
{
    while (fact->parent) {
        if (fact->parent->parent) {
            fact->parent = fact->parent->parent;
        }
        fact = fact->parent;
    }
    return fact;
}

static bool is_array(CoreAtom atom)
{
    return atom.name && atom.name->type.rank > 0;
}

bool simplify_consumed(Simplify *s, CoreAtom atom)
{
    return is_array(atom) && simplify_class(simplify_fact(s, atom.name))->consumed;
}

static bool is_inside(const Home *home, const Home *other)
{
    while (home && home->depth > other->depth) {
        home = home->outer;
    }
    return home == other;
}

/* Something of the class is bound there. The home is the outermost of these bodies, if it is around all others. */
static void add_home(Fact *class, const Home *home)
{
    if (!class->home || (home && is_inside(class->home, home))) {
        class->home = home ? home : class->home;
    } else if (home && !is_inside(home, class->home)) {
        class->many_homes = true;
    }
}

void simplify_same_class(Simplify *s, const CoreName *a, const CoreName *b)
{
    if (a->type.rank == 0 || b->type.rank == 0) {
        return;
    }
    Fact *x = simplify_class(simplify_fact(s, a)), *y = simplify_class(simplify_fact(s, b));
    if (x == y) {
        return;
    }
    x->parent = y;
    y->consumed = y->consumed || x->consumed;
    y->borrowed = y->borrowed || x->borrowed;
    y->many_homes = y->many_homes || x->many_homes;
    y->copied = y->copied || x->copied;
    y->whole = y->whole || x->whole;
    y->joined = s->analysed;
    add_home(y, x->home);
}

static void same(Simplify *s, const CoreName *name, CoreAtom atom)
{
    if (is_array(atom)) {
        simplify_same_class(s, name, atom.name);
    }
}

static void consume(Simplify *s, CoreAtom atom)
{
    if (is_array(atom)) {
        simplify_class(simplify_fact(s, atom.name))->consumed = true;
    }
}

/* ---- the walk -------------------------------------------------------------------------------- */

typedef struct Walk {
    Simplify *s;
    const Home *home; /* the innermost body that runs by itself */
} Walk;

static void need_whole(void *context, CoreAtom atom)
{
    const Walk *walk = context;
    if (is_array(atom)) {
        simplify_class(simplify_fact(walk->s, atom.name))->whole = true;
    }
}

static void use(void *context, CoreAtom atom)
{
    const Walk *walk = context;
    if (atom.name) {
        simplify_fact(walk->s, atom.name)->used = true;
    }
}

static void bind(const Walk *walk, const CoreName *name)
{
    if (name->type.rank > 0) {
        Fact *fact = simplify_fact(walk->s, name);
        fact->bound = walk->home;
        add_home(simplify_class(fact), walk->home);
    }
}

static void walk_body(const Walk *walk, const CoreBody *body);

/* A body of its own: a function's, or one that may run many times. */
static void walk_home(const Walk *outer, Simplify *s, const CoreBody *body, size_t count,
                      CoreName *const *parameters)
{
    Home *home = pointer_map_make(s->arena, &s->homes, body, sizeof *home);
    *home =
        (Home){.outer = outer ? outer->home : NULL, .depth = outer ? outer->home->depth + 1 : 0};
    Walk walk = {s, home};
    for (size_t i = 0; i < count; i++) {
        bind(&walk, parameters[i]);
    }
    walk_body(&walk, body);
}

/* Parameters without inputs are whoever calls it's. */
static void walk_lambda(const Walk *walk, const CoreLambda *lambda, size_t count,
                        const CoreAtom *inputs)
{
    Simplify *s = walk->s;
    size_t own = lambda->parameter_count - count;
    walk_home(walk, s, lambda->body, lambda->parameter_count, lambda->parameters);
    for (size_t i = 0; i < own; i++) {
        simplify_class(simplify_fact(s, lambda->parameters[i]))->borrowed = true;
    }
    for (size_t i = 0; i < count; i++) {
        same(s, lambda->parameters[own + i], inputs[i]);
    }
    for (size_t i = 0; i < lambda->parameter_count; i++) {
        if (lambda->parameters[i]->type.unique) {
            consume(s, core_use(lambda->parameters[i]));
        }
    }
}

static void walk_loop(const Walk *walk, const CoreStm *stm)
{
    Simplify *s = walk->s;
    const CoreExp *exp = stm->exp;
    walk_home(walk, s, exp->as.loop.body, exp->as.loop.parameter_count, exp->as.loop.parameters);
    simplify_find_own_state(s, stm);
    for (size_t i = 0; i < exp->as.loop.parameter_count; i++) {
        CoreName *parameter = exp->as.loop.parameters[i];
        need_whole((void *)walk, exp->as.loop.initial[i]);
        if (parameter->type.unique) {
            consume(s, exp->as.loop.initial[i]);
            consume(s, exp->as.loop.body->results[i]);
        } else {
            same(s, parameter, exp->as.loop.initial[i]);
            same(s, parameter, exp->as.loop.body->results[i]);
            simplify_same_class(s, parameter, stm->pattern[i]);
        }
    }
}

static void walk_soac(const Walk *walk, const CoreSoac *soac)
{
    walk_lambda(walk, soac->map, soac->input_count, soac->inputs);
    for (size_t i = 0; i < soac->reduction_count; i++) {
        walk_lambda(walk, soac->reductions[i].function, 0, NULL);
    }
    for (size_t i = 0; i < soac->scan_count; i++) {
        walk_lambda(walk, soac->scans[i].function, 0, NULL);
    }
}

/* The callee is not known here: it may consume its arguments, and give what shares elements with them. */
static void walk_apply(Simplify *s, const CoreStm *stm)
{
    for (size_t k = 0; k < stm->exp->as.apply.count; k++) {
        consume(s, stm->exp->as.apply.arguments[k]);
        for (size_t i = 0; i < stm->pattern_count; i++) {
            if (stm->pattern[i]->type.rank > 0) {
                same(s, stm->pattern[i], stm->exp->as.apply.arguments[k]);
            }
        }
    }
}

/* A row, a column or the like of an array, or such elements in another order: few beside the array's. */
static bool is_row(Simplify *s, const CoreExp *exp)
{
    CoreAtom array = {0};
    switch ((int)exp->kind) {
    case CORE_EXP_INDEX: return true;
    case CORE_EXP_SLICE:
        array = exp->as.slice.array;
        for (int axis = 0; axis < core_atom_type(array).rank; axis++) {
            if (exp->as.slice.slices[axis].fixed)
                return true;
        }
        break;
    case CORE_EXP_ATOM: array = exp->as.atom; break;
    case CORE_EXP_REARRANGE: array = exp->as.rearrange.array; break;
    case CORE_EXP_ROTATE: array = exp->as.rotate.array; break;
    case CORE_EXP_REVERSE: array = exp->as.reverse.array; break;
    }
    return array.name && array.name->type.rank > 0 && simplify_fact(s, array.name)->row;
}

/* What a one-result expression without bodies shares elements with. */
static void walk_plain(Simplify *s, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (stm->pattern_count == 1)
        simplify_fact(s, stm->pattern[0])->row = is_row(s, exp);
    switch ((int)exp->kind) { /* views; all others are fresh */
    case CORE_EXP_ATOM: same(s, stm->pattern[0], exp->as.atom); return;
    case CORE_EXP_INDEX: same(s, stm->pattern[0], exp->as.index.array); return;
    case CORE_EXP_REPLICATE: same(s, stm->pattern[0], exp->as.replicate.value); return;
    case CORE_EXP_REARRANGE: same(s, stm->pattern[0], exp->as.rearrange.array); return;
    case CORE_EXP_RESHAPE: same(s, stm->pattern[0], exp->as.reshape.array); return;
    case CORE_EXP_CYCLE: same(s, stm->pattern[0], exp->as.cycle.array); return;
    case CORE_EXP_ROTATE: same(s, stm->pattern[0], exp->as.rotate.array); return;
    case CORE_EXP_REVERSE: same(s, stm->pattern[0], exp->as.reverse.array); return;
    case CORE_EXP_SLICE: same(s, stm->pattern[0], exp->as.slice.array); return;
    case CORE_EXP_PAD: same(s, stm->pattern[0], exp->as.pad.array); return;
    case CORE_EXP_CONCAT:
        for (size_t i = 0; i < exp->as.concat.count; i++) {
            same(s, stm->pattern[0], exp->as.concat.arrays[i]);
        }
        return;
    case CORE_EXP_UPDATE: consume(s, exp->as.update.array); return;
    case CORE_EXP_COPY: simplify_class(simplify_fact(s, exp->as.array.name))->copied = true; return;
    }
}

static void walk_stream(const Walk *walk, const CoreExp *exp)
{
    const CoreLambda *fold = exp->as.stream.fold;
    walk_lambda(walk, fold, exp->as.stream.input_count, exp->as.stream.inputs);
    if (exp->as.stream.reduce) {
        walk_lambda(walk, exp->as.stream.reduce, 0, NULL);
    }
    bool hands_on = exp->kind == CORE_EXP_STREAM_SEQ; /* else each chunk has one of its own */
    for (size_t i = 0; i < exp->as.stream.accumulator_count && hands_on; i++) {
        if (fold->parameters[1 + i]->type.unique) {
            consume(walk->s, exp->as.stream.neutral[i]);
            consume(walk->s, fold->body->results[i]);
        }
    }
}

static void walk_stm(const Walk *walk, const CoreStm *stm)
{
    Simplify *s = walk->s;
    const CoreExp *exp = stm->exp;
    core_each_operand(exp, use, (void *)walk);
    if (core_is_effect(exp->kind)) {
        core_each_operand(exp, need_whole, (void *)walk);
    }
    for (size_t i = 0; i < stm->pattern_count; i++) {
        bind(walk, stm->pattern[i]);
    }
    switch ((int)exp->kind) { /* the kinds with bodies, and those that consume */
    case CORE_EXP_IF:
        walk_body(walk, exp->as.conditional.then_body);
        walk_body(walk, exp->as.conditional.else_body);
        for (size_t i = 0; i < stm->pattern_count; i++) {
            same(s, stm->pattern[i], exp->as.conditional.then_body->results[i]);
            same(s, stm->pattern[i], exp->as.conditional.else_body->results[i]);
        }
        return;
    case CORE_EXP_LOOP: walk_loop(walk, stm); return;
    case CORE_EXP_APPLY: walk_apply(s, stm); return;
    case CORE_EXP_SOAC: walk_soac(walk, &exp->as.soac); return;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: walk_lambda(walk, exp->as.filter.predicate, 0, NULL); return;
    case CORE_EXP_HIST: walk_lambda(walk, exp->as.scatter.op, 0, NULL); /* fall through */
    case CORE_EXP_SCATTER:
        for (size_t i = 0; i < exp->as.scatter.count; i++) {
            consume(s, exp->as.scatter.destinations[i]);
        }
        return;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: walk_stream(walk, exp); return;
    default: walk_plain(s, stm); return;
    }
}

static void walk_body(const Walk *walk, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        walk_stm(walk, body->stms[i]);
    }
    for (size_t i = 0; i < body->result_count; i++) {
        use((void *)walk, body->results[i]);
        need_whole((void *)walk, body->results[i]);
    }
}

void simplify_analyse(Simplify *s, const CoreFunction *function)
{
    walk_home(NULL, s, function->body, function->parameter_count, function->parameters);
    for (size_t i = 0; i < function->parameter_count; i++) {
        const CoreName *parameter = function->parameters[i];
        if (parameter->type.rank > 0 && !parameter->type.unique) {
            simplify_class(simplify_fact(s, parameter))->borrowed = true;
        }
    }
    for (size_t i = 0; i < function->result_count; i++) {
        if (function->result_types[i].unique) {
            consume(s, function->body->results[i]);
        }
    }
    simplify_find_last_copies(s, function->body);
    s->analysed = true;
}

void simplify_analyse_more(Simplify *s, const CoreStm *stm)
{
    Home *home = pointer_map_make(s->arena, &s->homes, stm, sizeof *home);
    Walk walk = {s, home};
    walk_stm(&walk, stm);
}
