/* Alias sets, [PLDI figure 5]: which arrays may share elements.

   A set names the *roots* of an array: the fresh arrays and parameters whose storage it may lie in.
   Two arrays may share elements exactly when their sets meet. A view has its operand's roots; an
   array that is computed is a root of its own.

       let (a : [n]f64) = copy x          -- roots {a}           ALIAS-MAP, fresh
       let (b : [n]f64) = reverse 0 a     -- roots {a}           ALIAS-SLICEARRAY
       let (s : f64) = b[0]               -- none                ALIAS-INDEXARRAY
       let (c : [n]f64) = if p then { in (b) } else { in (y) }   -- roots {a, y}     ALIAS-IF

   ALIAS-VAR and ALIAS-CONST are core_alias_roots; ALIAS-IF, ALIAS-DOLOOP and ALIAS-APPLY-* are with
   the statements that have bodies, in uniqueness.c; ALIAS-LETPAT is core_alias_set, whose sets
   never hold names that go out of scope. Literals are stored anew each time, so that they are
   fresh, where [L0 3.2] lets a compiler share constant ones.

   An update's result is a root of its own: what its operand shared with is consumed, so that
   nothing else of it can be used again (ALIAS-UPDATE). Sets are lists that share tails, so that a
   long chain of views takes constant space a name. */
#include "core/check/check.h"

Root *core_alias_new_root(Check *k, const CoreName *name, bool borrowed)
{
    Root *root = ARENA_NEW(k->c->arena, Root);
    root->name = name;
    root->level = k->level;
    root->borrowed = borrowed;
    root->number = ++k->root_count;
    return root;
}

bool core_alias_has(const Roots *roots, const Root *root)
{
    for (; roots && roots->newest >= root->number; roots = roots->rest) {
        if (roots->root == root) {
            return true;
        }
    }
    return false;
}

Roots *core_alias_add(Check *k, Root *root, Roots *roots)
{
    if (core_alias_has(roots, root)) {
        return roots;
    }
    Roots *longer = ARENA_NEW(k->c->arena, Roots);
    *longer = (Roots){.root = root, .rest = roots, .count = 1, .newest = root->number};
    if (roots) {
        longer->count += roots->count;
        longer->newest = roots->newest > root->number ? roots->newest : root->number;
    }
    return longer;
}

Root *core_alias_consumed(Check *k, Roots *roots)
{
    for (Roots *r = roots; r && r->alive != k->epoch; r = r->rest) {
        if (r->root->consumer) {
            return r->root;
        }
    }
    for (; roots && roots->alive != k->epoch; roots = roots->rest) {
        roots->alive = k->epoch;
    }
    return NULL;
}

Roots *core_alias_union(Check *k, Roots *a, Roots *b)
{
    if (a == b || !b) {
        return a;
    }
    if (!a || a->count < b->count) {
        Roots *shorter = a;
        a = b;
        b = shorter;
    }
    for (; b; b = b->rest) {
        a = core_alias_add(k, b->root, a);
    }
    return a;
}

Roots *core_alias_roots(Check *k, CoreAtom atom)
{
    return atom.name && atom.name->type.rank > 0 ? core_check_name(k, atom.name)->roots : NULL;
}

void core_alias_set(Check *k, const CoreName *name, Roots *roots)
{
    if (name->type.rank > 0) {
        core_check_name(k, name)->roots = roots;
    }
}

Root *core_alias_fresh(Check *k, const CoreName *name, bool borrowed)
{
    Root *root = core_alias_new_root(k, name, borrowed);
    core_alias_set(k, name, core_alias_add(k, root, NULL));
    return root;
}

Roots *core_alias_of_exp(Check *k, const CoreExp *exp)
{
    Roots *roots = NULL;
    switch (exp->kind) {
    case CORE_EXP_ATOM: return core_alias_roots(k, exp->as.atom);
    case CORE_EXP_INDEX: return core_alias_roots(k, exp->as.index.array);
    case CORE_EXP_REPLICATE: return core_alias_roots(k, exp->as.replicate.value);
    case CORE_EXP_REARRANGE: return core_alias_roots(k, exp->as.rearrange.array);
    case CORE_EXP_RESHAPE: return core_alias_roots(k, exp->as.reshape.array);
    case CORE_EXP_CYCLE: return core_alias_roots(k, exp->as.cycle.array);
    case CORE_EXP_ROTATE: return core_alias_roots(k, exp->as.rotate.array);
    case CORE_EXP_REVERSE: return core_alias_roots(k, exp->as.reverse.array);
    case CORE_EXP_SLICE: return core_alias_roots(k, exp->as.slice.array);
    case CORE_EXP_PAD: return core_alias_roots(k, exp->as.pad.array);
    case CORE_EXP_CONCAT:
        for (size_t i = 0; i < exp->as.concat.count; i++) {
            roots = core_alias_union(k, roots, core_alias_roots(k, exp->as.concat.arrays[i]));
        }
        return roots;
    case CORE_EXP_UNARY:
    case CORE_EXP_BINARY:
    case CORE_EXP_CONVERT:
    case CORE_EXP_IF:
    case CORE_EXP_LOOP:
    case CORE_EXP_APPLY:
    case CORE_EXP_ASSERT:
    case CORE_EXP_CONJOIN:
    case CORE_EXP_UPDATE:
    case CORE_EXP_LITERAL:
    case CORE_EXP_IOTA:
    case CORE_EXP_SCRATCH:
    case CORE_EXP_COPY:
    case CORE_EXP_SOAC:
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER:
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST:
    case CORE_EXP_ORDER:
    case CORE_EXP_DIGIT_SORT:
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ:
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
    case CORE_EXP_FORMAT: return NULL; /* fresh, or no arrays at all */
    }
    return NULL;
}
