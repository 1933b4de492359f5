/* Which arrays of a function may be in one memory, for those who come after core: names of one class
   of facts.c, which are views of each other, results and state of ifs and loops, and what became of
   an array that was written in place. */
#include "core/simplify/simplify.h"

struct CoreAliases {
    Simplify *s;
};

CoreAliases *core_aliases(Compilation *c, const CoreFunction *function)
{
    CoreAliases *aliases = ARENA_NEW(c->arena, CoreAliases);
    aliases->s = simplify_create(c, c->arena, NULL);
    simplify_analyse(aliases->s, function);
    return aliases;
}

bool core_may_share(CoreAliases *aliases, CoreAtom x, CoreAtom y)
{
    return x.name && y.name && x.name->type.rank > 0 && y.name->type.rank > 0 &&
           simplify_class(simplify_fact(aliases->s, x.name)) ==
               simplify_class(simplify_fact(aliases->s, y.name));
}
