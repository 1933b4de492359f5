/* The simplifier: rounds of one walk forwards (rebuild.c) and one backwards (dead.c) over each
   function, until a round changes nothing. A walk takes time in proportion to the program; rules
   that shrink what is under them leave few rounds to do, and a bound on their number keeps the
   whole linear. The last round's program is right whether or not the bound was reached. What a
   round leaves as it was is not copied, so that a function that has become what it was is known
   as settled, and comes back at once the next time.

       entry fun main (n_1 : i64) : (i64) =               entry fun main (n_1 : i64) : (i64) =
         let (a_2 : i64) = n_1 + 0                          in (5)
         let (b_3 : i64) = a_2 - n_1            ==>
         let (c_4 : i64) = b_3 + 5
         in (c_4)

   [L0] chapters 5, 6 and 9. The rules are listed in rules.def and explained in their files. */
#include "core/simplify/simplify.h"

enum { MOST_ROUNDS = 24 };

static const char *const rule_texts[CORE_RULE_COUNT] = {
#define CORE_RULE(enumerator, name, source) name,
#include "core/simplify/rules.def"
#undef CORE_RULE
};

static const char *const rule_sources[CORE_RULE_COUNT] = {
#define CORE_RULE(enumerator, name, source) source,
#include "core/simplify/rules.def"
#undef CORE_RULE
};

const char *core_rule_text(CoreRule rule)
{
    return rule_texts[rule];
}

const char *core_rule_source(CoreRule rule)
{
    return rule_sources[rule];
}

static const CoreFunction *simplify_function(Compilation *c, const CoreFunction *function,
                                             size_t *counts, bool last)
{
    bool changed = last || !pointer_map_get(&c->settled, function);
    for (int round = 0; changed && round < MOST_ROUNDS; round++) {
        const CoreFunction *before = function;
        ArenaMark mark = arena_mark(c->scratch);
        Simplify *s = simplify_create(c, c->scratch, counts);
        s->last = last;
        simplify_analyse(s, function);
        function = simplify_dead(s, simplify_rebuild(s, function));
        changed = s->changed;
        arena_release(c->scratch, mark);
        if (function == before && !changed && !last) {
            pointer_map_set(c->arena, &c->settled, function, (void *)function);
        }
    }
    return function;
}

CoreProgram *core_inline(Compilation *c, const CoreProgram *program, size_t *counts)
{
    size_t ignored[CORE_RULE_COUNT] = {0};
    const CoreProgram *inlined = simplify_inline(c, program, counts ? counts : ignored);
    return inlined ? arena_copy(c->arena, inlined, sizeof *inlined) : NULL;
}

static CoreProgram *simplify_program(Compilation *c, const CoreProgram *program, size_t *counts,
                                     bool last)
{
    CoreProgram *simple = core_inline(c, program, counts);
    size_t ignored[CORE_RULE_COUNT] = {0};
    if (!simple) {
        return NULL;
    }
    const CoreFunction **functions =
        ARENA_ARRAY(c->arena, const CoreFunction *, simple->function_count);
    for (size_t i = 0; i < simple->function_count; i++) {
        functions[i] = simplify_function(c, simple->functions[i], counts ? counts : ignored, last);
    }
    simple->functions = functions;
    return simple;
}

CoreProgram *core_simplify_counted(Compilation *c, const CoreProgram *program, size_t *counts)
{
    return simplify_program(c, program, counts, false);
}

CoreProgram *core_simplify_last(Compilation *c, const CoreProgram *program, size_t *counts)
{
    return simplify_program(c, program, counts, true);
}

CoreProgram *core_simplify(Compilation *c, const CoreProgram *program)
{
    return core_simplify_counted(c, program, NULL);
}
