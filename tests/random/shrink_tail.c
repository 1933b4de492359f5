/* Makes a TAIL program smaller: prints one candidate.

       shrink-tail FILE CANDIDATE SIZE

   Lets are counted through all functions, each before those inside its value. Four candidates
   belong to the lets [k*SIZE, (k+1)*SIZE): number 4k is the program without them, 4k+1 binds them
   to constants of their types, 4k+2 and 4k+3 bind each that can be to the first or last argument of
   its call, or to that branch of its if. Exit code 1 when there are no more candidates. Who calls
   it keeps a candidate that tail_check accepts and that still shows what is looked for. */
#include "driver/files.h"
#include "tail/tail.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Shrinker {
    Compilation *c;
    size_t from, to; /* the lets that change */
    size_t next;     /* number of the next let */
    enum { REMOVE, REPLACE, FIRST_PART, LAST_PART } action;
} Shrinker;

static const TailExp *smaller(Shrinker *s, const TailExp *exp);

/* ---- constants ------------------------------------------------------------------------------- */

static const TailExp *scalar(Shrinker *s, TailBaseKind base, int64_t value)
{
    Span none = {0};
    switch (base) {
    case TAIL_BOOL: return tail_bool(s->c, value != 0, none);
    case TAIL_INT: return tail_int(s->c, value, none);
    case TAIL_DOUBLE: return tail_double(s->c, (double)value, none);
    case TAIL_CHAR: return tail_char(s->c, 'x', none);
    case TAIL_COMPLEX: return tail_complex(s->c, (double)value, 0, none);
    case TAIL_BASE_VARIABLE: break;
    }
    internal_error(s->c, "a constant of no base type");
}

/* reshape([count,1,...,1],[1]) */
static const TailExp *filled(Shrinker *s, TailBaseKind base, int64_t rank, int64_t count)
{
    enum { MOST_RANK = 16 };
    const TailExp *sizes[MOST_RANK], *one = scalar(s, base, 1), *arguments[2];
    if (rank > MOST_RANK) {
        return NULL;
    }
    for (int64_t i = 0; i < rank; i++) {
        sizes[i] = scalar(s, TAIL_INT, i == 0 ? count : 1);
    }
    arguments[0] = tail_vector(s->c, (size_t)rank, sizes, (Span){0});
    arguments[1] = tail_vector(s->c, 1, &one, (Span){0});
    return tail_call(s->c, TAIL_OP_RESHAPE, 2, arguments, (Span){0});
}

static const TailExp *constant(Shrinker *s, const TailType *type)
{
    switch (type->kind) {
    case TAIL_ARRAY:
        return tail_rank(type) == 0 ? scalar(s, type->base.kind, 1)
                                    : filled(s, type->base.kind, tail_rank(type), 1);
    case TAIL_SINGLE: return scalar(s, type->base.kind, type->shape.constant);
    case TAIL_SINGLE_VECTOR: {
        const TailExp *item = scalar(s, type->base.kind, type->shape.constant);
        return tail_vector(s->c, 1, &item, (Span){0});
    }
    case TAIL_VECTOR: {
        int64_t count = type->shape.constant;
        const TailExp **items = ARENA_ARRAY(s->c->arena, const TailExp *, count + 1);
        for (int64_t i = 0; i < count; i++) {
            items[i] = scalar(s, type->base.kind, 1);
        }
        return count == 0 ? tail_zilde(s->c, type->base.kind, (Span){0})
                          : tail_vector(s->c, (size_t)count, items, (Span){0});
    }
    case TAIL_TUPLE: {
        const TailExp **items = ARENA_ARRAY(s->c->arena, const TailExp *, type->count + 1);
        for (size_t i = 0; i < type->count; i++) {
            items[i] = constant(s, type->items[i]);
            if (!items[i]) {
                return NULL;
            }
        }
        return tail_tuple(s->c, type->count, items, (Span){0});
    }
    case TAIL_FUNCTION: break;
    }
    return NULL;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static const TailExp *part(Shrinker *s, const TailExp *value, const TailType *wanted)
{
    const TailExp *found = NULL;
    if (value->kind == TAIL_EXP_IF) {
        return s->action == FIRST_PART ? value->as.conditional.then_case
                                       : value->as.conditional.else_case;
    }
    if (value->kind == TAIL_EXP_CALL) {
        for (size_t i = 0; i < value->as.call.count; i++) {
            const TailExp *argument = value->as.call.arguments[i];
            if (argument->type->kind != TAIL_FUNCTION && tail_subtype(argument->type, wanted) &&
                (s->action == LAST_PART || !found)) {
                found = argument;
            }
        }
    }
    return found;
}

/* What the let's variable is bound to instead; NULL where it stays. */
static const TailExp *changed(Shrinker *s, const TailExp *let)
{
    const TailType *type = let->as.let.variable->type;
    switch (s->action) {
    case REMOVE: break;
    case REPLACE: return constant(s, type);
    case FIRST_PART:
    case LAST_PART: return part(s, let->as.let.value, type);
    }
    return NULL;
}

/* ---- the program ----------------------------------------------------------------------------- */

static TailExp *copied(Shrinker *s, const TailExp *exp)
{
    return arena_copy(s->c->arena, exp, sizeof *exp);
}

static const TailExp *const *smaller_items(Shrinker *s, size_t count, const TailExp *const *items)
{
    const TailExp **copy = ARENA_ARRAY(s->c->arena, const TailExp *, count + 1);
    for (size_t i = 0; i < count; i++) {
        copy[i] = smaller(s, items[i]);
    }
    return copy;
}

/* A chain of lets, by a loop. */
static const TailExp *smaller_chain(Shrinker *s, const TailExp *exp)
{
    VEC(TailExp *) lets = {0};
    for (; exp->kind == TAIL_EXP_LET; exp = exp->as.let.body) {
        size_t number = s->next++;
        bool within = number >= s->from && number < s->to;
        const TailExp *value = within && s->action != REMOVE ? changed(s, exp) : NULL;
        if (within && s->action == REMOVE) {
            continue;
        }
        TailExp *let = copied(s, exp);
        let->as.let.value = smaller(s, value ? value : exp->as.let.value);
        vec_push(s->c->arena, &lets, let);
    }
    const TailExp *result = smaller(s, exp);
    while (lets.count > 0) {
        TailExp *let = lets.items[--lets.count];
        let->as.let.body = result;
        result = let;
    }
    return result;
}

static const TailExp *smaller(Shrinker *s, const TailExp *exp)
{
    TailExp *e = copied(s, exp);
    switch (e->kind) {
    case TAIL_EXP_BOOL:
    case TAIL_EXP_INT:
    case TAIL_EXP_DOUBLE:
    case TAIL_EXP_CHAR:
    case TAIL_EXP_COMPLEX:
    case TAIL_EXP_VARIABLE: break;
    case TAIL_EXP_LET: return smaller_chain(s, exp);
    case TAIL_EXP_VECTOR:
    case TAIL_EXP_TUPLE:
        e->as.items.items = smaller_items(s, e->as.items.count, e->as.items.items);
        break;
    case TAIL_EXP_PROJECT: e->as.project.tuple = smaller(s, e->as.project.tuple); break;
    case TAIL_EXP_LAMBDA: e->as.lambda.body = smaller(s, e->as.lambda.body); break;
    case TAIL_EXP_CALL:
        e->as.call.arguments = smaller_items(s, e->as.call.count, e->as.call.arguments);
        break;
    case TAIL_EXP_APPLY:
        e->as.apply.arguments = smaller_items(s, e->as.apply.count, e->as.apply.arguments);
        break;
    case TAIL_EXP_IF:
        e->as.conditional.condition = smaller(s, e->as.conditional.condition);
        e->as.conditional.then_case = smaller(s, e->as.conditional.then_case);
        e->as.conditional.else_case = smaller(s, e->as.conditional.else_case);
        break;
    }
    return e;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: shrink-tail FILE CANDIDATE SIZE\n");
        return 2;
    }
    Compilation *c = compilation_create();
    Shrinker s = {.c = c};
    size_t candidate = strtoull(argv[2], NULL, 10), size = strtoull(argv[3], NULL, 10);
    const SourceFile *source = files_read_source(c, argv[1]);
    const TailExp *program = source ? tail_parse(c, source) : NULL;
    s.from = candidate / 4 * size;
    s.to = s.from + size;
    s.action = candidate % 4;
    const TailExp *result = program ? smaller_chain(&s, program) : NULL;
    bool more = program && s.from < s.next;
    if (more) {
        Text out = text_create(c->arena);
        tail_print(c, &out, result, false);
        fwrite(text_get(&out), 1, out.length, stdout);
    }
    compilation_destroy(c);
    return !more;
}
