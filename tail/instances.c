/* Instance lists of calls: which operators carry one, and what it holds (docs/tail.md).

       reshape{[int],[1,2]}([2,3],v)      element; rank in, rank out
       eachV{[int,double],[7]}(i2d,v)     element in, element out; length

   Operators that are not in the table have none. */
#include "tail/instances.h"

enum { MOST_TYPES = 4 };

static TailBaseKind element(const TailType *type)
{
    return tail_is_array(type) ? type->base.kind : TAIL_INT;
}

static void set_instance(Compilation *c, TailInstance *instance, size_t base_count,
                         const TailBaseKind *bases, size_t rank_count, const int64_t *ranks)
{
    *instance = (TailInstance){base_count, rank_count, NULL, NULL};
    if (base_count)
        instance->bases = arena_copy(c->arena, bases, base_count * sizeof *bases);
    if (rank_count)
        instance->ranks = arena_copy(c->arena, ranks, rank_count * sizeof *ranks);
}

/* {[a],[rank]} */
static void set_one(Compilation *c, TailInstance *instance, const TailType *type, int64_t rank)
{
    TailBaseKind base = element(type);
    set_instance(c, instance, 1, &base, 1, &rank);
}

/* {[a],[first,second]} */
static void set_two(Compilation *c, TailInstance *instance, const TailType *type, int64_t first,
                    int64_t second)
{
    TailBaseKind base = element(type);
    int64_t ranks[2] = {first, second};
    set_instance(c, instance, 1, &base, 2, ranks);
}

static int64_t length_of(const TailType *type)
{
    return type->kind == TAIL_VECTOR ? type->shape.constant : 1;
}

/* One base type per component of the state, and one rank where `with_ranks`. */
static void set_state(Compilation *c, TailInstance *instance, const TailType *type, bool with_ranks)
{
    size_t count = type->kind == TAIL_TUPLE ? type->count : 1;
    TailBaseKind *bases = ARENA_ARRAY(c->arena, TailBaseKind, count + 1);
    int64_t *ranks = ARENA_ARRAY(c->arena, int64_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        const TailType *item = type->kind == TAIL_TUPLE ? type->items[i] : type;
        bases[i] = element(item);
        ranks[i] = tail_rank(item);
    }
    *instance = (TailInstance){count, with_ranks ? count : 0, bases, ranks};
}

/* Function types carry their base types in order: {[a,b],[rank]}. */
static void set_from_function(Compilation *c, TailInstance *instance, const TailType *function,
                              int64_t rank)
{
    TailBaseKind bases[MOST_TYPES] = {0};
    for (size_t i = 0; i < function->count; i++)
        bases[i] = element(function->items[i]);
    set_instance(c, instance, function->count, bases, 1, &rank);
}

static void set_cells(Compilation *c, TailInstance *instance, const TailType *function,
                      const TailType *result)
{
    TailBaseKind bases[MOST_TYPES] = {0};
    int64_t ranks[MOST_TYPES + 1];
    for (size_t i = 0; i < function->count; i++) {
        bases[i] = element(function->items[i]);
        ranks[i] = tail_rank(function->items[i]);
    }
    ranks[function->count] = tail_rank(result);
    set_instance(c, instance, function->count, bases, function->count + 1, ranks);
}

/* What the instance list of a builtin holds; docs/tail.md. */
typedef enum InstanceKind {
    INSTANCE_NONE,
    INSTANCE_FUNCTION,  /* base types of the function; rank, or length where the result is sized */
    INSTANCE_RESULT,    /* element; rank of the result, or its length where it is sized */
    INSTANCE_SCAN,      /* element; rank of the result, whether sized or not */
    INSTANCE_ARGUMENT,  /* element; rank of the argument, or the known value */
    INSTANCE_RANK,      /* element; rank of the argument */
    INSTANCE_SECOND,    /* element of the second argument; its rank */
    INSTANCE_THIRD,     /* element of the third argument; its rank */
    INSTANCE_TRANSPOSE, /* element; rank of the second argument */
    INSTANCE_CAT,       /* element; rank, or both lengths */
    INSTANCE_CONS,      /* element; rank of the item, or length of the vector */
    INSTANCE_SNOC,
    INSTANCE_RESHAPE, /* element; rank in, rank out */
    INSTANCE_IDXA,    /* element; rank of the indices, rank of the array */
    INSTANCE_CELLS,   /* element and rank of the function's items, rank of the result */
    INSTANCE_UPDATE,  /* element; rank of the values, rank of the array */
    INSTANCE_GRADE,   /* element of the argument */
    INSTANCE_POWER,   /* element and rank of each component */
    INSTANCE_STATE,   /* element of each component */
    INSTANCE_FOLD     /* element of each component; their rank */
} InstanceKind;

static const InstanceKind INSTANCES[TAIL_OP_COUNT] = {
    [TAIL_OP_EACH] = INSTANCE_FUNCTION,     [TAIL_OP_EACHV] = INSTANCE_FUNCTION,
    [TAIL_OP_ZIPWITH] = INSTANCE_FUNCTION,  [TAIL_OP_REDUCE] = INSTANCE_SCAN,
    [TAIL_OP_REDUCE1] = INSTANCE_SCAN,      [TAIL_OP_SCAN] = INSTANCE_SCAN,
    [TAIL_OP_SCAN1] = INSTANCE_SCAN,        [TAIL_OP_ZILDE] = INSTANCE_SCAN,
    [TAIL_OP_IDXS] = INSTANCE_SCAN,         [TAIL_OP_COMPRESS] = INSTANCE_SCAN,
    [TAIL_OP_REPLICATE] = INSTANCE_SCAN,    [TAIL_OP_RAV] = INSTANCE_ARGUMENT,
    [TAIL_OP_TRANSP] = INSTANCE_RANK,       [TAIL_OP_SHAPE] = INSTANCE_ARGUMENT,
    [TAIL_OP_FIRST] = INSTANCE_ARGUMENT,    [TAIL_OP_SINGLE] = INSTANCE_ARGUMENT,
    [TAIL_OP_REQUIREI] = INSTANCE_SCAN,     [TAIL_OP_REQUIRE] = INSTANCE_SCAN,
    [TAIL_OP_REQUIRED] = INSTANCE_SCAN,     [TAIL_OP_SAME] = INSTANCE_SCAN,
    [TAIL_OP_SHAPEV] = INSTANCE_ARGUMENT,   [TAIL_OP_FIRSTV] = INSTANCE_ARGUMENT,
    [TAIL_OP_TRANSP2] = INSTANCE_TRANSPOSE, [TAIL_OP_TAKE] = INSTANCE_RESULT,
    [TAIL_OP_TAKEV] = INSTANCE_RESULT,      [TAIL_OP_DROP] = INSTANCE_RESULT,
    [TAIL_OP_DROPV] = INSTANCE_RESULT,      [TAIL_OP_VREVERSE] = INSTANCE_RESULT,
    [TAIL_OP_VREVERSEV] = INSTANCE_RESULT,  [TAIL_OP_REVERSE] = INSTANCE_RESULT,
    [TAIL_OP_REVERSEV] = INSTANCE_RESULT,   [TAIL_OP_VROTATE] = INSTANCE_RESULT,
    [TAIL_OP_VROTATEV] = INSTANCE_RESULT,   [TAIL_OP_ROTATE] = INSTANCE_RESULT,
    [TAIL_OP_ROTATEV] = INSTANCE_RESULT,    [TAIL_OP_CAT] = INSTANCE_CAT,
    [TAIL_OP_CATV] = INSTANCE_CAT,          [TAIL_OP_CONS] = INSTANCE_CONS,
    [TAIL_OP_CONSV] = INSTANCE_CONS,        [TAIL_OP_SNOC] = INSTANCE_SNOC,
    [TAIL_OP_SNOCV] = INSTANCE_SNOC,        [TAIL_OP_RESHAPE] = INSTANCE_RESHAPE,
    [TAIL_OP_IDXA] = INSTANCE_IDXA,         [TAIL_OP_GRADEUP] = INSTANCE_GRADE,
    [TAIL_OP_GRADEDOWN] = INSTANCE_GRADE,   [TAIL_OP_POWER] = INSTANCE_POWER,
    [TAIL_OP_POWERSCL] = INSTANCE_STATE,    [TAIL_OP_CONDSCL] = INSTANCE_STATE,
    [TAIL_OP_BENCH] = INSTANCE_STATE,       [TAIL_OP_UPDATE] = INSTANCE_UPDATE,
    [TAIL_OP_WHILE] = INSTANCE_POWER,       [TAIL_OP_CELLS] = INSTANCE_CELLS,
    [TAIL_OP_CELLS2] = INSTANCE_CELLS,      [TAIL_OP_ASSIGN] = INSTANCE_SCAN,
    [TAIL_OP_FORMAT] = INSTANCE_ARGUMENT,   [TAIL_OP_FORMATBY] = INSTANCE_SECOND,
    [TAIL_OP_REDUCEASSOC] = INSTANCE_FOLD,  [TAIL_OP_SCANASSOC] = INSTANCE_FOLD,
    [TAIL_OP_SINGLER] = INSTANCE_THIRD,     [TAIL_OP_ASSIGNS] = INSTANCE_SCAN,
    [TAIL_OP_ACCUM] = INSTANCE_FUNCTION,    [TAIL_OP_PUT] = INSTANCE_SCAN,
    [TAIL_OP_IDXP] = INSTANCE_SCAN,
};

/* Where the result is sized, the list is that of the name with V, under which the call is printed.
 */
void tail_find_instance(Compilation *c, TailBuiltin builtin, const TailExp *const *arguments,
                        const TailType *result, TailInstance *instance)
{
    *instance = (TailInstance){0};
    bool sized = result->kind == TAIL_VECTOR;
    bool single = result->kind == TAIL_SINGLE || result->kind == TAIL_SINGLE_VECTOR;
    int64_t extent = sized ? length_of(result) : tail_rank(result);
#define ARGUMENT(i) arguments[i]->type
    switch (INSTANCES[builtin]) {
    case INSTANCE_NONE: return;
    case INSTANCE_FUNCTION: set_from_function(c, instance, ARGUMENT(0), extent); return;
    case INSTANCE_RESULT: set_one(c, instance, result, extent); return;
    case INSTANCE_SCAN: set_one(c, instance, result, tail_rank(result)); return;
    case INSTANCE_ARGUMENT:
        extent = single ? result->shape.constant : tail_rank(ARGUMENT(0));
        set_one(c, instance, ARGUMENT(0), extent);
        return;
    case INSTANCE_RANK: set_one(c, instance, result, tail_rank(ARGUMENT(0))); return;
    case INSTANCE_SECOND: set_one(c, instance, ARGUMENT(1), tail_rank(ARGUMENT(1))); return;
    case INSTANCE_THIRD: set_one(c, instance, ARGUMENT(2), tail_rank(ARGUMENT(2))); return;
    case INSTANCE_TRANSPOSE: set_one(c, instance, result, tail_rank(ARGUMENT(1))); return;
    case INSTANCE_CAT:
        set_one(c, instance, result, extent);
        if (sized)
            set_two(c, instance, result, length_of(ARGUMENT(0)), length_of(ARGUMENT(1)));
        return;
    case INSTANCE_CONS:
        set_one(c, instance, result, sized ? length_of(ARGUMENT(1)) : tail_rank(ARGUMENT(0)));
        return;
    case INSTANCE_SNOC:
        set_one(c, instance, result, sized ? length_of(ARGUMENT(0)) : tail_rank(ARGUMENT(1)));
        return;
    case INSTANCE_RESHAPE:
        set_two(c, instance, result, tail_rank(ARGUMENT(1)), tail_rank(result));
        return;
    case INSTANCE_IDXA:
        set_two(c, instance, result, tail_rank(ARGUMENT(1)), tail_rank(ARGUMENT(2)));
        return;
    case INSTANCE_CELLS: set_cells(c, instance, ARGUMENT(0), result); return;
    case INSTANCE_UPDATE:
        set_two(c, instance, result, tail_rank(ARGUMENT(2)), tail_rank(result));
        return;
    case INSTANCE_GRADE:
        set_one(c, instance, ARGUMENT(0), 1);
        instance->rank_count = 0;
        return;
    case INSTANCE_POWER: set_state(c, instance, result, true); return;
    case INSTANCE_STATE: set_state(c, instance, result, false); return;
    case INSTANCE_FOLD:
        set_state(c, instance, result, true);
        instance->rank_count = 1;
        return;
    }
#undef ARGUMENT
}
