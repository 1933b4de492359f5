/* [PLDI 3] Where an array is used for the last time, for the removal of copies (copies.c).

   One walk backwards over a body, with the arrays that are in use after each statement; of a class of facts.c only
   their number. Names that a statement binds are not in use in front of it, so that these are of what is bound before.
   Each branch of an IF begins with what is in use after the IF.

       loop (p = a) for i < n do                                            in use
         let m = reduce max p                                               p
         let q = if m > i then {
           let c = copy p in                     the last use of p          -
           let d = c with [i] <- m in d                                     c
         } else { in p }                                                    p
         in q                                                               q

   A copy that is the last use of its class may be the array itself, where all of the class is bound in the very body
   that the copy runs in: nobody outside waits for it, and no other iteration. State of a loop would do, if it were
   the loop's own: it may be where its next value is nobody else's, and such a copy is in the loop. Where only rows of
   the array are in use afterwards (or columns, or such turned or written backwards), they are copied in its place:

       let t = a[k]                                  let t' = a[k]
       let b = copy a                 ==>            let t = copy t'
       let c = b with [k] <- a[j]                    ... */
#include "core/simplify/simplify.h"

typedef struct Live {
    Simplify *s;
    const Home *home;  /* of the body at work */
    VEC(Fact *) added; /* all that are in use, and some that were */
    /* not NULL: its state is looked at, before it is known what that is outside */
    const CoreExp *loop;
} Live;

static void add(Live *l, Fact *fact)
{
    if (!fact->in_use) {
        fact->in_use = true;
        simplify_class(fact)->in_use_count++;
        vec_push(l->s->arena, &l->added, fact);
    }
}

static void drop(Fact *fact)
{
    if (fact->in_use) {
        fact->in_use = false;
        simplify_class(fact)->in_use_count--;
    }
}

static void use(void *context, CoreAtom atom)
{
    Live *l = context;
    if (atom.name && atom.name->type.rank > 0) {
        add(l, simplify_fact(l->s, atom.name));
    }
}

/* Those that were added since, but for those bound in that body, which are dropped. */
static void drop_since(Live *l, size_t since, const Home *bound)
{
    size_t kept = since;
    for (size_t i = since; i < l->added.count; i++) {
        Fact *fact = l->added.items[i];
        if (fact->bound == bound) {
            drop(fact);
        }
        if (fact->in_use) {
            l->added.items[kept++] = fact;
        }
    }
    l->added.count = kept;
}

/* All that is in use of the class are rows of this body. */
static bool are_rows(const Live *l, const Fact *class)
{
    for (size_t i = 0; i < l->added.count; i++) {
        Fact *fact = l->added.items[i];
        if (fact->in_use && simplify_class(fact) == class &&
            (!fact->row || fact->bound != l->home)) {
            return false;
        }
    }
    return true;
}

static void store_rows(const Live *l, const Fact *class)
{
    for (size_t i = 0; i < l->added.count; i++) {
        Fact *fact = l->added.items[i];
        if (fact->in_use && simplify_class(fact) == class) {
            fact->apart = true;
        }
    }
}

/* Next value i is the loop's own, and no other of its state shares with it, or with the value before. */
static bool is_alone(Simplify *s, const CoreExp *loop, size_t i)
{
    const CoreBody *body = loop->as.loop.body;
    const CoreName *next = body->results[i].name;
    const Fact *before = simplify_class(simplify_fact(s, loop->as.loop.parameters[i])),
               *after = next ? simplify_class(simplify_fact(s, next)) : NULL;
    if (loop->as.loop.parameters[i]->type.unique || !after || after->borrowed ||
        after->many_homes || after->home != pointer_map_get(&s->homes, body)) {
        return false;
    }
    for (size_t j = 0; j < loop->as.loop.parameter_count; j++) {
        const CoreName *names[] = {loop->as.loop.parameters[j], body->results[j].name};
        for (int k = 0; j != i && k < 2; k++) {
            if (names[k] && names[k]->type.rank > 0) {
                const Fact *other = simplify_class(simplify_fact(s, names[k]));
                if (other == before || other == after) {
                    return false;
                }
            }
        }
    }
    return true;
}

static void note_copy(Live *l, const CoreStm *copy)
{
    CoreAtom array = copy->exp->as.array;
    Fact *class = simplify_class(simplify_fact(l->s, array.name));
    bool stays = l->loop == NULL;
    if (class->borrowed || class->many_homes || class->home != l->home ||
        (class->in_use_count > 0 && !are_rows(l, class))) {
        return;
    }
    for (size_t i = 0; l->loop && i < l->loop->as.loop.parameter_count; i++) {
        Fact *state = simplify_fact(l->s, l->loop->as.loop.parameters[i]);
        if (simplify_class(state) == class && is_alone(l->s, l->loop, i)) {
            state->own = stays = true;
        }
    }
    if (stays && class->in_use_count > 0) {
        if (simplify_consumed(l->s, core_use(copy->pattern[0]))) {
            store_rows(l, class);
            class->consumed = true; /* soon: rows that are stored stay so */
        }
    } else if (!l->loop) {
        pointer_map_set(l->s->arena, &l->s->last_copies, copy, (void *)(uintptr_t)copy);
        class->consumed = class->consumed || simplify_consumed(l->s, core_use(copy->pattern[0]));
    }
}

static void live_body(Live *l, const CoreBody *body);

static void live_if(Live *l, const CoreExp *exp)
{
    size_t since = l->added.count, count = 0;
    live_body(l, exp->as.conditional.then_body);
    Fact **then = ARENA_ARRAY(l->s->arena, Fact *, l->added.count - since + 1);
    for (size_t i = since; i < l->added.count; i++) {
        if (l->added.items[i]->in_use) {
            then[count++] = l->added.items[i];
            drop(l->added.items[i]);
        }
    }
    l->added.count = since;
    live_body(l, exp->as.conditional.else_body);
    for (size_t i = 0; i < count; i++) {
        add(l, then[i]);
    }
}

/* A body that runs by itself. */
static void live_inside(void *context, const CoreBody *body)
{
    Live *l = context;
    const Home *outer = l->home, *home = pointer_map_get(&l->s->homes, body);
    size_t since = l->added.count;
    l->home = home;
    live_body(l, body);
    drop_since(l, since, home);
    l->home = outer;
}

static void live_stm(Live *l, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    for (size_t i = 0; i < stm->pattern_count; i++) {
        if (stm->pattern[i]->type.rank > 0) {
            drop(simplify_fact(l->s, stm->pattern[i]));
        }
    }
    if (exp->kind == CORE_EXP_COPY && exp->space == CORE_SPACE_AUTO) {
        note_copy(l, stm);
    }
    if (exp->kind == CORE_EXP_IF) {
        live_if(l, exp);
    } else {
        core_each_body(exp, live_inside, l);
    }
    core_each_operand(exp, use, l);
}

static void live_body(Live *l, const CoreBody *body)
{
    for (size_t i = 0; i < body->result_count; i++) {
        use(l, body->results[i]);
    }
    for (size_t i = body->stm_count; i-- > 0;) {
        live_stm(l, body->stms[i]);
    }
}

void simplify_find_last_copies(Simplify *s, const CoreBody *function_body)
{
    Live l = {.s = s};
    live_inside(&l, function_body);
}

void simplify_find_own_state(Simplify *s, const CoreStm *stm)
{
    const CoreExp *loop = stm->exp;
    bool wanted = false;
    for (size_t i = 0; i < loop->as.loop.parameter_count; i++) {
        const CoreName *parameter = loop->as.loop.parameters[i];
        wanted = wanted || (parameter->type.rank > 0 && !parameter->type.unique &&
                            simplify_class(simplify_fact(s, parameter))->copied);
    }
    if (!wanted || stm->certificate_count > 0) {
        return;
    }
    Live l = {.s = s, .loop = loop};
    live_inside(&l, loop->as.loop.body);
    while (l.added.count > 0) {
        drop(l.added.items[--l.added.count]);
    }
}
