/* Functions of parts of an array: f⍤k applies f to the cells of rank k and puts the results
   together.

       (+/⍤1) m       ==>  cells(fn v:[int]1 => reduce(addi,0,v), m)
       v (+⍤1) m      ==>  cells(fn w:[int]1 => v+w, m)             one side is a single cell
       m (,⍤1) n      ==>  cells2(fn v w => cat(v,w), m, n)         frames of one shape */
#include "apl/elaborate/internal.h"

/* Cell ranks of k: (monadic left right), (left right), (all). A negative one counts from the whole.
 */
static int64_t cell_rank(Elaboration *e, const Value *k, int which, const Value *value)
{
    int64_t count = k->rank == 0 ? 1 : k->extents[0];
    int64_t place = count == 1 ? 0 : count == 2 ? (which == 1 ? 0 : 1) : which;
    if (k->kind != VALUE_ARRAY || k->rank > 1 || count == 0 || count > 3) {
        elab_fail(e, k->span, "LENGTH ERROR", "the right operand of ⍤ is one to three numbers");
    }
    if (k->known == NULL) {
        elab_fail(e, k->span, "RANK ERROR",
                  "the rank of the cells is not known: %s is known only at run time; write the"
                  " right operand of ⍤ as numbers",
                  elab_text(e, elab_place(e, k->span)));
    }
    int64_t rank = k->known[place];
    rank = rank < 0 ? value->rank + rank : rank;
    return rank < 0 ? 0 : rank > value->rank ? value->rank : rank;
}

typedef struct Side {
    Value *value;
    int64_t cell; /* rank of its cells */
    TailVariable *parameter;
} Side;

/* The lambda of the sides that are taken apart; the others stand in its body whole. NULL where it
   gives nested items. */
static const TailExp *cell_lambda(Elaboration *e, Function *function, Side *left, Side *right,
                                  Value **result, Span span)
{
    Side *sides[2] = {left, right};
    TailVariable **parameters = ARENA_ARRAY(e->c->arena, TailVariable *, 2);
    Value *arguments[2] = {NULL, NULL};
    size_t count = 0;
    Block *block = elab_open(e);
    for (size_t i = 0; i < 2; i++) {
        const Value *value = sides[i] == NULL ? NULL : sides[i]->value;
        if (value == NULL || sides[i]->cell == value->rank) {
            arguments[i] = sides[i] == NULL ? NULL : sides[i]->value;
            continue;
        }
        const TailType *type = tail_array_type(e->c, value->base, sides[i]->cell);
        parameters[count] = tail_variable(e->c, e->v, type, elab_place(e, span));
        arguments[i] = elab_parameter(e, parameters[count++], sides[i]->cell,
                                      value->extents + (value->rank - sides[i]->cell));
    }
    *result = elab_apply(e, function, arguments[0], arguments[1], span);
    if ((*result)->kind == VALUE_TUPLE) {
        elab_pop(e);
        return NULL;
    }
    elab_array_only(e, *result, span, "⍤ (rank)");
    elab_pop(e);
    return tail_lambda(e->c, count, parameters, elab_wrap(e, block, (*result)->exp),
                       elab_place(e, span));
}

static void check_frames(Elaboration *e, const Side *left, const Side *right, Span span)
{
    int64_t frame = left->value->rank - left->cell;
    if (frame != right->value->rank - right->cell) {
        elab_fail(e, span, "RANK ERROR", "a frame of rank %lld and one of rank %lld",
                  (long long)frame, (long long)(right->value->rank - right->cell));
    }
    for (int64_t i = 0; i < frame; i++) {
        int64_t a = left->value->extents[i], b = right->value->extents[i];
        if (a >= 0 && b >= 0 && a != b) {
            elab_fail(e, span, "LENGTH ERROR", "%lld and %lld", (long long)a, (long long)b);
        }
    }
}

/* The cell at a place of the frame, in row-major order. */
static Value *cell_at(Elaboration *e, const Side *side, int64_t place, Span span)
{
    Value *value = side->value;
    int64_t frame = value->rank - side->cell;
    Value **positions = ARENA_ARRAY(e->c->arena, Value *, value->rank + 1);
    for (int64_t axis = frame; axis-- > 0;) {
        positions[axis] = elab_int(e, place % value->extents[axis] + 1, span);
        place /= value->extents[axis];
    }
    return frame == 0 ? value : elab_index(e, value, (size_t)value->rank, positions, 1, span);
}

/* Cells of a known frame one by one: (⊂⍤1) m. */
static Value *unrolled(Elaboration *e, Function *function, const Side *left, const Side *right,
                       const Value *cell, Span span)
{
    enum { MOST = 1000 };
    const Side *split = right->cell < right->value->rank ? right : left;
    int64_t frame = split->value->rank - split->cell, count = 1;
    for (int64_t i = 0; i < frame && count <= MOST; i++) {
        int64_t extent = split->value->extents[i];
        count = extent < 0 || extent > MOST ? MOST + 1 : count * extent;
    }
    if (count > MOST) {
        elab_nonce(e, span,
                   "a function that gives nested items for every cell (⍤, ⌸, ⌺), of more than %d"
                   " cells or of a number that only run time knows, is",
                   MOST);
    }
    Value **items = ARENA_ARRAY(e->c->arena, Value *, count + 1);
    int64_t enclosed = 0, lists = 0;
    for (int64_t k = 0; k < count; k++) {
        Value *argument = left->value == NULL ? NULL : cell_at(e, left, k, span);
        items[k] = elab_apply(e, function, argument, cell_at(e, right, k, span), span);
        lists += items[k]->rank > 0;
        if (items[k]->kind == VALUE_TUPLE && items[k]->rank == 0) { /* f gives enclosed items */
            items[k] = items[k]->items[0];
            enclosed++;
        }
    }
    if (enclosed > 0 && lists > 0) {
        elab_nonce(e, span,
                   "a function that gives an enclosed item for one cell, a list for another is");
    }
    if (count == 0) { /* what was found out about f's results */
        items[0] = cell->rank == 0 && elab_extents_known(cell) ? cell->items[0] : NULL;
    }
    Value *all = elab_tuple(e, frame, split->value->extents, (size_t)count, items, span);
    return lists > 0 ? elab_mix(e, all, span) : all;
}

Value *elab_rank(Elaboration *e, Function *function, Value *k, Value *left, Value *right, Span span)
{
    k = elab_as_int(e, elab_array_only(e, k, k->span, "a rank"), k->span, "ranks");
    right = elab_array_only(e, right, span, "⍤ (rank)");
    Side sides[2] = {{left, 0, NULL}, {right, cell_rank(e, k, left == NULL ? 0 : 2, right), NULL}};
    bool left_split = false, right_split = sides[1].cell < right->rank;
    if (left != NULL) {
        sides[0].value = elab_array_only(e, left, span, "⍤ (rank)");
        sides[0].cell = cell_rank(e, k, 1, left);
        left_split = sides[0].cell < left->rank;
    }
    if (!left_split && !right_split) {
        return elab_apply(e, function, left, right, span);
    }
    if (left_split && right_split) {
        check_frames(e, &sides[0], &sides[1], span);
    }
    Value *cell;
    const TailExp *lambda =
        cell_lambda(e, function, left == NULL ? NULL : &sides[0], &sides[1], &cell, span);
    if (lambda == NULL) {
        return unrolled(e, function, &sides[0], &sides[1], cell, span);
    }
    Value *result;
    if (left_split && right_split) {
        result = ELAB_VALUE(e, TAIL_OP_CELLS2, span, lambda, left->exp, right->exp);
    } else {
        result = ELAB_VALUE(e, TAIL_OP_CELLS, span, lambda, left_split ? left->exp : right->exp);
    }
    const Side *split = right_split ? &sides[1] : &sides[0];
    int64_t frame = split->value->rank - split->cell, *extents = elab_extents(e, result->rank);
    memcpy(extents, split->value->extents, sizeof(int64_t) * (size_t)frame);
    if (cell->rank > 0) {
        memcpy(extents + frame, cell->extents, sizeof(int64_t) * (size_t)cell->rank);
    }
    elab_set_extents(result, extents);
    return result;
}
