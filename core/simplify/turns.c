/* [L0 5.3] Chains of rotations, reversals and rearrangements: whatever their order, each axis of what they view is
   turned once and reversed once at most, and the axes are rearranged once.

       b = reverse 0 a;  c = rotate 0 k b                       is    reverse 0 (rotate 0 (-k) a)
       b = rearrange (1, 0) a;  c = rotate 1 k b                is    rearrange (1, 0) (rotate 0 k a)

       b = rotate 0 3 a;  c = reverse 0 b;  d = rotate 0 2 c    ==>   reverse 0 (rotate 0 1 a)

   A chain is written anew only where that makes it shorter. Amounts count modulo the size of their axis: one that is
   not small is taken modulo that first, so that their sum does not wrap. Where the size is 0 there is no element, and
   any amount will do. */
#include "core/simplify/simplify.h"

enum { MOST_TURNS = 16, SMALL_BITS = 48 };

typedef struct Chain {
    size_t count; /* of views, the last one first */
    const CoreExp *views[MOST_TURNS];
    CoreAtom base;   /* what the first of them views */
    int rank;        /* of all of them */
    int *axes;       /* of the base, in the order that they have at last */
    bool *turned;    /* an axis of the base is rotated */
    bool *reversed;  /* and then it is reversed */
    CoreAtom *turns; /* how much it is rotated */
} Chain;

static bool is_turn(const CoreExp *exp)
{
    return exp->kind == CORE_EXP_ROTATE || exp->kind == CORE_EXP_REVERSE ||
           exp->kind == CORE_EXP_REARRANGE;
}

static CoreAtom turned_array(const CoreExp *exp)
{
    return exp->kind == CORE_EXP_ROTATE    ? exp->as.rotate.array
           : exp->kind == CORE_EXP_REVERSE ? exp->as.reverse.array
                                           : exp->as.rearrange.array;
}

/* The views, and what guards them. */
static void find_chain(Simplify *s, Work *guarded, Chain *chain)
{
    const CoreExp *exp = guarded->exp;
    const CoreStm *stm = NULL;
    do {
        chain->views[chain->count++] = exp;
        chain->base = turned_array(exp);
        if (stm) {
            simplify_add_certificates(s, guarded, stm);
        }
        stm = simplify_definition(s, chain->base, true);
        exp = stm ? stm->exp : NULL;
    } while (stm && is_turn(exp) && chain->count < MOST_TURNS);
}

/* Nothing is turned yet. */
static void start(Simplify *s, Chain *chain)
{
    chain->rank = core_atom_type(chain->base).rank;
    chain->axes = ARENA_ARRAY(s->arena, int, chain->rank);
    chain->turned = ARENA_ARRAY(s->arena, bool, chain->rank);
    chain->reversed = ARENA_ARRAY(s->arena, bool, chain->rank);
    chain->turns = ARENA_ARRAY(s->arena, CoreAtom, chain->rank);
    for (int i = 0; i < chain->rank; i++) {
        chain->axes[i] = i;
        chain->turned[i] = chain->reversed[i] = false;
        chain->turns[i] = core_i64(0);
    }
}

static void rearrange_axes(Simplify *s, Chain *chain, const int *permutation)
{
    int *axes = ARENA_ARRAY(s->arena, int, chain->rank);
    for (int i = 0; i < chain->rank; i++) {
        axes[i] = chain->axes[permutation[i]];
    }
    chain->axes = axes;
}

/* Its magnitude is below 2^48 and one, or it counts modulo a size of at most that, or there is no element. */
static CoreAtom small_amount(Simplify *s, const Work *work, CoreAtom amount, CoreAtom size)
{
    const int64_t most = (int64_t)1 << SMALL_BITS;
    Interval range = simplify_interval(s, amount, 0);
    return range.low >= -most && range.high <= most
               ? amount
               : simplify_binary(s, work, "k", CORE_MOD, amount, size);
}

/* Element i of the axis is the base's (i + k) mod n, or, reversed, its (n - 1 - i + k) mod n; with a rotation by l on
   top of that, (i + l + k) mod n, and (n - 1 - i - l + k) mod n. */
static void add_rotation(Simplify *s, const Work *work, Chain *chain, int axis, CoreAtom amount)
{
    CoreAtom size = core_atom_type(chain->base).sizes[axis];
    CoreAtom small = small_amount(s, work, amount, size);
    bool back = chain->reversed[axis];
    chain->turns[axis] =
        simplify_binary(s, work, "k", back ? CORE_SUB : CORE_ADD, chain->turns[axis], small);
}

/* What all views of the chain do together; `work`: amounts are added up, too. */
static void run_chain(Simplify *s, const Work *work, Chain *chain)
{
    for (size_t i = chain->count; i-- > 0;) {
        const CoreExp *view = chain->views[i];
        if (view->kind == CORE_EXP_REARRANGE) {
            rearrange_axes(s, chain, view->as.rearrange.permutation);
        } else if (view->kind == CORE_EXP_REVERSE) {
            int axis = chain->axes[view->as.reverse.axis];
            chain->reversed[axis] = !chain->reversed[axis];
        } else {
            int axis = chain->axes[view->as.rotate.axis];
            chain->turned[axis] = true;
            if (work) {
                add_rotation(s, work, chain, axis, view->as.rotate.amount);
            }
        }
    }
}

/* How many views there are at most when the chain is written anew. */
static size_t needed(const Chain *chain)
{
    size_t count = 0;
    bool rearranged = false;
    for (int i = 0; i < chain->rank; i++) {
        count += (size_t)chain->turned[i] + chain->reversed[i];
        rearranged = rearranged || chain->axes[i] != i;
    }
    return count + rearranged;
}

/* ---- the chain anew -------------------------------------------------------------------------- */

static CoreExp *turn_exp(Simplify *s, CoreExpKind kind, CoreAtom array, int axis)
{
    CoreExp *exp = ARENA_NEW(s->c->arena, CoreExp);
    exp->kind = kind;
    if (kind == CORE_EXP_ROTATE) {
        exp->as.rotate.array = array;
        exp->as.rotate.axis = axis;
    } else {
        exp->as.reverse.array = array;
        exp->as.reverse.axis = axis;
    }
    return exp;
}

/* One more view; the one before it, if any, becomes a statement, guarded as all of them are. */
static CoreExp *one_more(Simplify *s, const Work *guarded, const CoreExp *before, CoreExpKind kind,
                         CoreAtom base, int axis)
{
    if (!before) {
        return turn_exp(s, kind, base, axis);
    }
    CoreType type = core_atom_type(base);
    CoreName **pattern = ARENA_ARRAY(s->c->arena, CoreName *, 1);
    type.unique = false;
    pattern[0] = core_name(s->c, "turned", type, guarded->span);
    Work added = *guarded;
    added.old = NULL;
    added.results = NULL;
    added.pattern_count = 1;
    added.pattern = pattern;
    added.exp = before;
    simplify_emit(s, &added);
    return turn_exp(s, kind, simplify_now(s, core_use(pattern[0])), axis);
}

static const CoreExp *written_anew(Simplify *s, const Work *guarded, const Chain *chain)
{
    CoreExp *exp = NULL;
    bool rearranged = false;
    for (int i = 0; i < chain->rank; i++) {
        CoreAtom amount = chain->turns[i];
        if (chain->turned[i] && (amount.name || amount.as.integer != 0)) {
            exp = one_more(s, guarded, exp, CORE_EXP_ROTATE, chain->base, i);
            exp->as.rotate.amount = amount;
        }
        rearranged = rearranged || chain->axes[i] != i;
    }
    for (int i = 0; i < chain->rank; i++) {
        if (chain->reversed[i]) {
            exp = one_more(s, guarded, exp, CORE_EXP_REVERSE, chain->base, i);
        }
    }
    if (rearranged) {
        /* the axis is only there to name the kind */
        exp = one_more(s, guarded, exp, CORE_EXP_REVERSE, chain->base, 0);
        CoreAtom array = exp->as.reverse.array;
        exp->kind = CORE_EXP_REARRANGE;
        exp->as.rearrange.array = array;
        exp->as.rearrange.permutation =
            arena_copy(s->c->arena, chain->axes, (size_t)chain->rank * sizeof *chain->axes);
    }
    return exp;
}

bool simplify_turns(Simplify *s, Work *work)
{
    Chain chain = {0};
    Work guarded = *work;
    if (!is_turn(work->exp)) {
        return false;
    }
    find_chain(s, &guarded, &chain);
    start(s, &chain);
    run_chain(s, NULL, &chain);
    if (needed(&chain) >= chain.count) {
        return false;
    }
    start(s, &chain);
    run_chain(s, work, &chain);
    const CoreExp *anew = written_anew(s, &guarded, &chain);
    if (!anew && !simplify_fits(s, work, chain.base, 0)) {
        return false;
    }
    work->certificates = guarded.certificates;
    work->certificate_count = guarded.certificate_count;
    work->exp = anew ? anew : core_atom_exp(s->c, chain.base);
    simplify_fired(s, CORE_RULE_VIEW);
    return true;
}
