/* Parts of a concatenation, made where they belong.

       let (sums : [n]f64, rests : [n]f64) =          allocate both[2 * n]
         map n ... (\... -> { ... in (x, y) })   ==>  grid (g < n) { both[g] = x; both[n + g] = y }
       let (both : [m]f64) = concat 0 (sums, rests)
       in (both)

   What a body results in has to be an array of its own. A concatenation is a view, and to store it is to read all
   parts once more. Where maps make the parts, and nothing else uses these, they are given acceptors in memory of the
   whole: the acceptor of an operand of rearrange, reshape, reverse and concat is that of the result, seen through the
   view the other way round ([DPIA 4.1]: acceptors are paths into memory, too). One part may be something else; it is
   copied. Rows of a scan may also be taken by SOACs, which find them in the whole, if nothing writes to that.

   Rows of scans cannot be made element by element, as a view wants them: what is wanted as a rotation, a slice or a pad has
   them, and in no other way, has acceptors seen through these, too (views.c, lower_through), and a pad's fill is written
   by itself.

   Scans of columns are scans of rows of what is turned, and the result is turned back. Where nothing else reads what a
   nest with scans makes, that is stored as the turned view has it, in whose order it was in the program: work-items of
   columns that are beside each other write beside each other [PLDI 5.2]. */
#include "backend/lower/wholes.h"

/* ---- acceptors of parts ---------------------------------------------------------------------- */

/* Extents of 1 apart, the axes are the same. */
static const Reader *through_ones(Lower *L, const Reader *acceptor, CoreType result,
                                  CoreType operand)
{
    Reader *reader = arena_copy(L->c->arena, acceptor, sizeof *acceptor);
    const KernelExp **strides = ARENA_ARRAY(L->c->arena, const KernelExp *, operand.rank + 1);
    int from = whole_next_axis(result, 0);
    for (int axis = 0; axis < operand.rank; axis++) {
        bool is_one = whole_next_axis(operand, axis) != axis;
        strides[axis] = is_one ? lower_number(L, 0) : acceptor->strides[from];
        from = is_one ? from : whole_next_axis(result, from + 1);
    }
    reader->rank = operand.rank;
    reader->shape = lower_shape(L, operand);
    reader->strides = strides;
    return reader;
}

static const Reader *through(Lower *L, const Reader *acceptor, const CoreStm *view,
                             CoreType operand)
{
    bool is_strided = acceptor->kind == READER_STORED && acceptor->unit == NULL;
    return view->exp->kind == CORE_EXP_RESHAPE && is_strided
               ? through_ones(L, acceptor, view->pattern[0]->type, operand)
               : lower_through(L, acceptor, view->exp, operand);
}

static void place(Lower *L, Whole *whole, CoreName *name, const Reader *acceptor)
{
    const Wholes *wholes = L->wholes;
    const Part *part = whole_part(whole, name);
    pointer_map_set(L->c->arena, &whole->places, name, (void *)(uintptr_t)acceptor);
    if (part != NULL) {
        if (part->is_made) {
            pointer_map_set(L->c->arena, &L->wanted, name, (void *)(uintptr_t)acceptor);
        }
        return;
    }
    const CoreStm *stm = wholes->body->stms[whole_binder(wholes, name)];
    const CoreExp *exp = stm->exp;
    if (exp->kind != CORE_EXP_CONCAT) {
        Layout layout = LAYOUT_DENSE;
        CoreName *operand = whole_operand(stm, &layout);
        place(L, whole, operand, through(L, acceptor, stm, operand->type));
        return;
    }
    const KernelExp *start = lower_number(L, 0);
    const int axis = exp->as.concat.axis;
    for (size_t k = 0; k < exp->as.concat.count; k++) {
        CoreName *operand = exp->as.concat.arrays[k].name;
        KernelExps shape = lower_shape(L, operand->type);
        place(L, whole, operand, lower_stretch(L, acceptor, axis, start, shape));
        if (k + 1 < exp->as.concat.count) {
            start = lower_let(L, "start", lower_op(L, CORE_ADD, start, shape[axis]));
        }
    }
}

/* Memory of the whole: it stays until the whole has a name, and of a result up to the end of the body. */
static const Reader *own_place(Lower *L, const Whole *whole)
{
    const CoreName *name = whole->name;
    lower_note_memory(L, name->type);
    const Reader *own =
        lower_allocate(L, name->text, name->type.prim, name->type.rank, lower_shape(L, name->type));
    OwnedBuffer *owned = pointer_map_get(&L->owned, own->buffer);
    if (owned != NULL) {
        owned->holders++;
    }
    return own;
}

void lower_begin_wholes(Lower *L, const CoreBody *body, size_t stm)
{
    const Wholes *wholes = L->wholes;
    for (size_t i = 0; wholes != NULL && wholes->body == body && i < wholes->items.count; i++) {
        Whole *whole = &wholes->items.items[i];
        if (whole->first == stm) {
            Span outer = L->b->span;
            L->b->span = body->stms[stm]->span;
            place(L, whole, whole->name,
                  whole->wanted != NULL ? whole->wanted : own_place(L, whole));
            L->b->span = outer;
        }
    }
}

typedef struct Operands {
    Lower *L;
    const Whole *whole;
} Operands;

/* What a view sees has to be in its place. */
static void settle(void *context, CoreAtom atom)
{
    const Operands *operands = context;
    const Reader *acceptor =
        atom.name != NULL ? pointer_map_get(&operands->whole->places, atom.name) : NULL;
    if (acceptor != NULL) {
        lower_because(operands->L, atom, CORE_REASON_BESIDE);
        lower_assign(operands->L, acceptor, lower_value(operands->L, atom), atom.name->text);
    }
}

/* What a pad has before and behind its operand. */
static void settle_fill(Lower *L, const Reader *acceptor, const CoreExp *pad,
                        const KernelExp *first, CoreAtom count)
{
    if (core_atom_equal(count, core_i64(0))) {
        return;
    }
    int axis = pad->as.pad.axis;
    const KernelExp **shape = ARENA_ARRAY(L->c->arena, const KernelExp *, acceptor->rank + 1);
    memcpy(shape, acceptor->shape, sizeof *shape * (size_t)acceptor->rank);
    shape[axis] = lower_scalar(L, count);
    const Reader *part = lower_stretch(L, acceptor, axis, first, shape);
    Value fill = {.array = lower_repeated(L, lower_scalar(L, pad->as.pad.fill), part)};
    if (!L->in_kernel) { /* by the kernel that writes the fill */
        vec_push(L->c->arena, &L->assumed, lower_op(L, CORE_GE, first, lower_number(L, 0)));
    }
    lower_assign(L, part, fill, "fill");
    L->assumed.count = 0;
}

static void settle_fills(Lower *L, const Reader *acceptor, const CoreExp *pad)
{
    int axis = pad->as.pad.axis;
    const KernelExp *after = lower_scalar(L, pad->as.pad.after);
    settle_fill(L, acceptor, pad, lower_number(L, 0), pad->as.pad.before);
    settle_fill(L, acceptor, pad,
                lower_let(L, "start", lower_op(L, CORE_SUB, acceptor->shape[axis], after)),
                pad->as.pad.after);
}

bool lower_part_of_whole(Lower *L, const CoreStm *stm)
{
    CoreName *name = stm->pattern[0];
    for (size_t i = 0; L->wholes != NULL && i < L->wholes->items.count; i++) {
        const Whole *whole = &L->wholes->items.items[i];
        const Reader *acceptor = pointer_map_get(&whole->places, name);
        if (acceptor != NULL && whole_part(whole, name) == NULL) {
            Operands operands = {L, whole};
            core_each_operand(stm->exp, settle, &operands);
            if (stm->exp->kind == CORE_EXP_PAD) {
                settle_fills(L, acceptor, stm->exp);
            }
            lower_bind_array(L, name, acceptor);
            OwnedBuffer *owned = pointer_map_get(&L->owned, acceptor->buffer);
            if (name == whole->name && !whole->is_result && owned != NULL) {
                owned->holders--; /* the name has it now */
            }
            return true;
        }
    }
    return false;
}

void lower_end_wholes(Lower *L)
{
    for (size_t i = 0; L->wholes != NULL && i < L->wholes->items.count; i++) {
        const Whole *whole = &L->wholes->items.items[i];
        for (size_t k = 0; k < whole->parts.count; k++) {
            if (whole->parts.items[k].is_made) {
                pointer_map_set(L->c->arena, &L->wanted, whole->parts.items[k].name, NULL);
            }
        }
    }
}
