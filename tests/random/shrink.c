/* Makes a core program smaller: prints one candidate.

       shrink FILE CANDIDATE SIZE

   Statements are counted through all bodies, each before those inside it. Four candidates belong to
   the statements [k*SIZE, (k+1)*SIZE): number 4k is the program without them, 4k+1 gives their
   names constants and replicated constants instead, 4k+2 and 4k+3 have the first or the second
   branch of each if among them in its place. Constants and functions that nothing uses go. Exit
   code 1 when there are no more candidates. Who calls it keeps a candidate that core_check accepts
   and that still shows what is looked for. */
#include "driver/files.h"
#include "core/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Shrinker {
    Compilation *c;
    size_t from, to; /* the statements that go */
    size_t next;     /* number of the next statement */
    enum { REMOVE, REPLACE, FIRST_BRANCH, SECOND_BRANCH } action;
    bool *used; /* by name number */
} Shrinker;

static CoreAtom constant(CorePrim prim)
{
    CoreAtom atom = {.prim = prim, .as.integer = 1};
    if (core_is_real(prim)) {
        atom = core_real(prim, 1);
    } else if (prim == CORE_CHAR) {
        atom = core_char('x');
    }
    return atom;
}

static void add_constants(Shrinker *s, CoreBuilder *b, const CoreStm *stm)
{
    for (size_t i = 0; i < stm->pattern_count; i++) {
        CoreName *name = stm->pattern[i];
        CoreExp *exp = ARENA_NEW(s->c->arena, CoreExp);
        if (name->type.rank == 0) {
            exp->kind = name->type.prim == CORE_CERT ? CORE_EXP_CONJOIN : CORE_EXP_ATOM;
            if (exp->kind == CORE_EXP_ATOM) {
                exp->as.atom = constant(name->type.prim);
            }
        } else {
            exp->kind = CORE_EXP_REPLICATE;
            exp->as.replicate.count = (size_t)name->type.rank;
            exp->as.replicate.sizes = name->type.sizes;
            exp->as.replicate.value = constant(name->type.prim);
        }
        core_bind(b, 1, &name, exp);
    }
}

static void mark_used(void *context, CoreName *name)
{
    Shrinker *s = context;
    s->used[name->number] = true;
}

static void mark_atom(Shrinker *s, CoreAtom atom)
{
    if (atom.name) {
        mark_used(s, atom.name);
    }
}

/* Whether a statement can go when nothing uses what it binds, whatever is looked for. */
static bool is_trivial(const CoreExp *exp)
{
    return exp->kind == CORE_EXP_ATOM || exp->kind == CORE_EXP_CONJOIN ||
           exp->kind == CORE_EXP_REPLICATE || exp->kind == CORE_EXP_ARGUMENT ||
           exp->kind == CORE_EXP_IOTA;
}

/* The body without trivial statements that nothing uses, from its end on. */
static const CoreBody *without_unused(Shrinker *s, const CoreBody *body)
{
    const CoreStm **kept = ARENA_ARRAY(s->c->arena, const CoreStm *, body->stm_count);
    size_t count = 0;
    for (size_t i = 0; i < body->result_count; i++) {
        mark_atom(s, body->results[i]);
    }
    for (size_t i = body->stm_count; i-- > 0;) {
        const CoreStm *stm = body->stms[i];
        bool used = !is_trivial(stm->exp);
        for (size_t k = 0; k < stm->pattern_count; k++) {
            used = used || s->used[stm->pattern[k]->number];
        }
        if (used) {
            core_each_free(stm, mark_used, s);
            for (size_t k = 0; k < stm->pattern_count; k++) {
                for (int axis = 0; axis < stm->pattern[k]->type.rank; axis++) {
                    mark_atom(s, stm->pattern[k]->type.sizes[axis]);
                }
            }
            kept[count++] = stm;
        }
    }
    CoreBuilder b = core_builder(s->c, (Span){0});
    while (count > 0) {
        core_add(&b, kept[--count]);
    }
    return core_body(&b, body->result_count, body->results);
}

static const CoreExp *smaller_exp(Shrinker *s, const CoreExp *exp);

static const CoreBody *smaller_body(Shrinker *s, const CoreBody *body);

/* One branch of an if in its place, its results bound to the names of the pattern. */
static void add_branch(Shrinker *s, CoreBuilder *b, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    const CoreBody *body =
        smaller_body(s, s->action == FIRST_BRANCH ? exp->as.conditional.then_body
                                                  : exp->as.conditional.else_body);
    for (size_t i = 0; i < body->stm_count; i++) {
        core_add(b, body->stms[i]);
    }
    for (size_t i = 0; i < stm->pattern_count; i++) {
        CoreExp *same = ARENA_NEW(s->c->arena, CoreExp);
        same->kind = CORE_EXP_ATOM;
        same->as.atom = body->results[i];
        core_bind(b, 1, &stm->pattern[i], same);
    }
}

/* What the candidate has instead of a statement; false where that is the statement itself. */
static bool change(Shrinker *s, CoreBuilder *b, const CoreStm *stm)
{
    switch (s->action) {
    case REMOVE: return true;
    case REPLACE: add_constants(s, b, stm); return true;
    case FIRST_BRANCH:
    case SECOND_BRANCH:
        if (stm->exp->kind != CORE_EXP_IF) {
            return false;
        }
        add_branch(s, b, stm);
        return true;
    }
    return false;
}

static const CoreBody *smaller_body(Shrinker *s, const CoreBody *body)
{
    CoreBuilder b = core_builder(s->c, (Span){0});
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        size_t number = s->next++;
        if (number >= s->from && number < s->to && change(s, &b, stm)) {
            continue;
        }
        CoreStm *copy = arena_copy(s->c->arena, stm, sizeof *stm);
        copy->exp = smaller_exp(s, stm->exp);
        core_add(&b, copy);
    }
    return without_unused(s, core_body(&b, body->result_count, body->results));
}

static const CoreLambda *smaller_lambda(Shrinker *s, const CoreLambda *lambda)
{
    if (!lambda) {
        return NULL;
    }
    CoreLambda *copy = arena_copy(s->c->arena, lambda, sizeof *lambda);
    copy->body = smaller_body(s, lambda->body);
    return copy;
}

static const CoreReduction *smaller_operators(Shrinker *s, size_t count, const CoreReduction *given)
{
    CoreReduction *copy = arena_copy(s->c->arena, given, count * sizeof *given);
    for (size_t i = 0; i < count; i++) {
        copy[i].function = smaller_lambda(s, given[i].function);
    }
    return copy;
}

/* The same expression with smaller bodies. */
static const CoreExp *smaller_exp(Shrinker *s, const CoreExp *exp)
{
    CoreExp *e = arena_copy(s->c->arena, exp, sizeof *exp);
    if (e->kind == CORE_EXP_IF) {
        e->as.conditional.then_body = smaller_body(s, e->as.conditional.then_body);
        e->as.conditional.else_body = smaller_body(s, e->as.conditional.else_body);
    } else if (e->kind == CORE_EXP_LOOP) {
        e->as.loop.body = smaller_body(s, e->as.loop.body);
    } else if (e->kind == CORE_EXP_SOAC) {
        CoreSoac *soac = &e->as.soac;
        soac->map = smaller_lambda(s, soac->map);
        soac->reductions = smaller_operators(s, soac->reduction_count, soac->reductions);
        soac->scans = smaller_operators(s, soac->scan_count, soac->scans);
    } else if (e->kind == CORE_EXP_FILTER) {
        e->as.filter.predicate = smaller_lambda(s, e->as.filter.predicate);
    } else if (e->kind == CORE_EXP_HIST) {
        e->as.scatter.op = smaller_lambda(s, e->as.scatter.op);
    } else if (e->kind == CORE_EXP_STREAM_MAP || e->kind == CORE_EXP_STREAM_RED ||
               e->kind == CORE_EXP_STREAM_SEQ) {
        e->as.stream.fold = smaller_lambda(s, e->as.stream.fold);
        e->as.stream.reduce = smaller_lambda(s, e->as.stream.reduce);
    }
    return e;
}

typedef struct Calls {
    const char *name;
    bool found;
} Calls;

static void find_calls(void *context, const CoreBody *body)
{
    Calls *calls = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        if (exp->kind == CORE_EXP_APPLY && strcmp(exp->as.apply.function, calls->name) == 0) {
            calls->found = true;
        }
        core_each_body(exp, find_calls, context);
    }
}

static bool is_called(const char *name, const CoreFunction *const *functions, size_t count)
{
    Calls calls = {.name = name};
    for (size_t i = 0; i < count; i++) {
        find_calls(&calls, functions[i]->body);
    }
    return calls.found;
}

static void print_smaller(Shrinker *s, const CoreProgram *program)
{
    size_t count = program->function_count, first = count;
    const CoreFunction **functions = ARENA_ARRAY(s->c->arena, const CoreFunction *, count);
    for (size_t i = 0; i < count; i++) {
        CoreFunction *f = arena_copy(s->c->arena, program->functions[i], sizeof *f);
        f->body = smaller_body(s, f->body);
        functions[i] = f;
    }
    while (first > 0) { /* callers stand after what they call */
        const CoreFunction *f = functions[--first];
        if (!f->is_entry && !is_called(f->name, functions + first + 1, count - first - 1)) {
            memmove(functions + first, functions + first + 1,
                    (--count - first) * sizeof *functions);
        }
    }
    CoreProgram smaller = {.function_count = count, .functions = functions};
    Text out = text_create(s->c->arena);
    core_print(s->c, &out, &smaller);
    fwrite(text_get(&out), 1, out.length, stdout);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: shrink FILE CANDIDATE SIZE\n");
        return 2;
    }
    Compilation *c = compilation_create();
    Shrinker s = {.c = c};
    size_t candidate = strtoull(argv[2], NULL, 10), size = strtoull(argv[3], NULL, 10);
    const SourceFile *source = files_read_source(c, argv[1]);
    const CoreProgram *program = source ? core_parse(c, source) : NULL;
    s.from = candidate / 4 * size;
    s.to = s.from + size;
    s.action = candidate % 4;
    s.used = ARENA_ARRAY(c->arena, bool, c->last_number + 1);
    bool more = program && s.from < core_count(program);
    if (more) {
        print_smaller(&s, program);
    }
    compilation_destroy(c);
    return !more;
}
