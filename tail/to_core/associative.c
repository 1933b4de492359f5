/* reduceAssoc and scanAssoc: folds by functions whose writer says that they are associative, over
   scalars or tuples of scalars.

       reduceAssoc(f,n,v)            ==>  reduce [f] n v                         rank 1
       reduceAssoc(f,(m,n),(v,w))    ==>  reduce (\a b x y -> [f] (a,b) (x,y)) (m, n) (v, w)
       reduceAssoc(f,n,a)            ==>  map (\row -> reduceAssoc(f,n,row)) a   rank r+1
       scanAssoc                     ==>  the same with scan

   A tuple of arrays is an array of tuples: its arrays have the same extents, which is asserted
   where it is not known. [TAIL fig. 5], with arrays of tuples as tuples of arrays. */
#include "tail/to_core/to_core.h"

typedef struct Fold {
    const TailExp *lambda;
    const TailType *item; /* what the function takes and gives */
    bool scan;
    size_t count; /* scalars of an item */
    const CoreAtom *neutral;
    const char *text;
} Fold;

/* \a1 .. ak x1 .. xk -> [f] (a1 .. ak) (x1 .. xk) */
static const CoreLambda *item_lambda(ToCore *t, const Fold *fold)
{
    CoreName **parameters = ARENA_ARRAY(t->c->arena, CoreName *, 2 * fold->count);
    CoreAtom *uses = ARENA_ARRAY(t->c->arena, CoreAtom, 2 * fold->count);
    for (size_t i = 0; i < 2 * fold->count; i++) {
        CoreType type = core_scalar(core_atom_type(fold->neutral[i % fold->count]).prim);
        parameters[i] = core_name(t->c, i < fold->count ? "x" : "y", type, BUILDER(t)->span);
        uses[i] = core_use(parameters[i]);
    }
    Scope *scope = to_core_enter_scope(t);
    t->parallel++;
    size_t next = 0, count;
    Value *pair[2];
    for (size_t i = 0; i < 2; i++)
        pair[i] = to_core_rebuild(t, fold->item, uses, &next);
    Value *value = to_core_apply(t, fold->lambda, 2, pair);
    const CoreAtom *results = to_core_leaves(t, fold->item, value, &count);
    t->parallel--;
    to_core_leave_scope(t);
    return core_lambda(t->c, 2 * fold->count, parameters,
                       to_core_scope_body(scope, fold->count, results));
}

static void fold_row(ToCore *t, const Fold *fold, const CoreAtom *rows, CoreAtom *results)
{
    CoreAtom width = core_atom_type(rows[0]).sizes[0];
    const CoreLambda *lambda = item_lambda(t, fold);
    const CoreExp *exp =
        fold->scan ? core_exp_scan(t->c, width, fold->count, rows, lambda, fold->neutral)
                   : core_exp_reduce(t->c, width, fold->count, rows, lambda, fold->neutral, false);
    CoreName **pattern = ARENA_ARRAY(t->c->arena, CoreName *, fold->count);
    for (size_t i = 0; i < fold->count; i++) {
        CoreType type = core_atom_type(rows[i]);
        pattern[i] = core_name(t->c, fold->text, fold->scan ? type : core_scalar(type.prim),
                               BUILDER(t)->span);
        results[i] = core_use(pattern[i]);
    }
    core_bind(BUILDER(t), fold->count, pattern, exp);
}

/* A nest of maps over `depth` outer axes. */
static void fold_nest(ToCore *t, const Fold *fold, int depth, const CoreAtom *arrays,
                      CoreAtom *results)
{
    if (depth == 0) {
        fold_row(t, fold, arrays, results);
        return;
    }
    CoreName **parameters = ARENA_ARRAY(t->c->arena, CoreName *, fold->count);
    CoreAtom *rows = ARENA_ARRAY(t->c->arena, CoreAtom, fold->count);
    CoreAtom *inner = ARENA_ARRAY(t->c->arena, CoreAtom, fold->count);
    for (size_t i = 0; i < fold->count; i++) {
        parameters[i] =
            core_name(t->c, "row", core_row(core_atom_type(arrays[i])), BUILDER(t)->span);
        rows[i] = core_use(parameters[i]);
    }
    Scope *scope = to_core_enter_scope(t);
    t->parallel++;
    fold_nest(t, fold, depth - 1, rows, inner);
    t->parallel--;
    to_core_leave_scope(t);
    const CoreLambda *lambda =
        core_lambda(t->c, fold->count, parameters, to_core_scope_body(scope, fold->count, inner));
    CoreAtom width = core_atom_type(arrays[0]).sizes[0];
    core_let_map(BUILDER(t), fold->text, width, fold->count, arrays, lambda, results);
}

/* The arrays with the extents of the first: LENGTH ERROR where they differ. Gives the mark for
   unguard. */
static size_t same_extents(ToCore *t, size_t count, CoreAtom *arrays)
{
    size_t mark = BUILDER(t)->certificates.count;
    CoreType first = core_atom_type(arrays[0]);
    for (size_t i = 1; i < count; i++) {
        CoreType other = core_atom_type(arrays[i]);
        for (int axis = 0; axis < first.rank; axis++) {
            CoreAtom both[2] = {first.sizes[axis], other.sizes[axis]};
            CoreAtom equal = to_core_binary(t, CORE_EQ, both[0], both[1]);
            to_core_guard(t, to_core_require(t, equal, CORE_LENGTH_ERROR, "{} and {}", 2, both));
        }
    }
    for (size_t i = 1; i < count; i++)
        arrays[i] = to_core_coerce(t, arrays[i], first.sizes);
    return mark;
}

/* The same type without known lengths and values. */
static const TailType *plain_type(ToCore *t, const TailType *type)
{
    if (type->kind != TAIL_TUPLE)
        return tail_array_type(t->c, type->base.kind, tail_rank(type));
    const TailType **items = ARENA_ARRAY(t->c->arena, const TailType *, type->count + 1);
    for (size_t i = 0; i < type->count; i++)
        items[i] = plain_type(t, type->items[i]);
    return tail_tuple_type(t->c, type->count, items);
}

Value *to_core_translate_associative(ToCore *t, const Call *call)
{
    if (call->builtin != TAIL_OP_REDUCEASSOC && call->builtin != TAIL_OP_SCANASSOC)
        return NULL; /* another file's */
    Fold fold = {.lambda = call->arguments[0],
                 .scan = call->builtin == TAIL_OP_SCANASSOC,
                 .text = call->text};
    fold.item = fold.lambda->type->items[0];
    fold.neutral = to_core_leaves(t, fold.item, to_core_argument(t, call, 1), &fold.count);
    size_t count, next = 0;
    const TailType *type = plain_type(t, call->arguments[2]->type);
    const CoreAtom *given = to_core_leaves(t, type, to_core_argument(t, call, 2), &count);
    CoreAtom *arrays = arena_copy(t->c->arena, given, count * sizeof *given);
    CoreAtom *results = ARENA_ARRAY(t->c->arena, CoreAtom, count);
    to_core_prepare_function(t, fold.lambda);
    size_t mark = same_extents(t, count, arrays);
    t->text = call->text;
    fold_nest(t, &fold, core_atom_type(arrays[0]).rank - 1, arrays, results);
    to_core_unguard(t, mark);
    return to_core_rebuild(t, call->exp->type, results, &next);
}
