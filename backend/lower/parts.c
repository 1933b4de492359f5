/* Parts of a concatenation, made where they belong.

       let (sums : [n]f64, rests : [n]f64) =          allocate both[2 * n]
         map n ... (\... -> { ... in (x, y) })   ==>  grid (g < n) { both[g] = x; both[n + g] = y }
       let (both : [m]f64) = concat 0 (sums, rests)
       in (both)

   What a body results in has to be an array of its own. A concatenation is a view, and to store it is to read all
   parts once more. Where maps make the parts, and nothing else uses these, they are given acceptors in memory of the
   whole: the acceptor of an operand of rearrange, reshape, reverse and concat is that of the result, seen through the
   view the other way round ([DPIA 4.1]: acceptors are paths into memory, too). One part may be something else; it is
   copied.

   Scans of columns are scans of rows of what is turned, and the result is turned back. Where nothing else reads what a
   nest with scans makes, that is stored as the turned view has it, in whose order it was in the program: work-items of
   columns that are beside each other write beside each other [PLDI 5.2]. */
#include "backend/lower/lower.h"
#include "core/rewrite.h"

/* Of a part that is nothing beside a pass over the others; such parts, each a copy. */
enum { FEW_ELEMENTS = 64, MOST_FEW = 4 };

/* One array of several that are behind each other. */
typedef struct Part {
    CoreName *name;
    bool is_made; /* by a map, which may store it there */
} Part;

/* A result of a body that is one array of several parts. */
typedef struct Whole {
    CoreName *name;
    bool is_result;       /* of the body; or a view of what one nest makes */
    const Reader *wanted; /* where it is wanted; NULL: anywhere, as memory of its own */
    bool has_concat, has_scan;
    bool has_twice;     /* one of the parts at two places */
    bool is_large;      /* a part that is made is not of few elements */
    size_t others, few; /* parts that no map makes; those of few elements */
    size_t first;       /* the statement that makes the first part */
    VEC(CoreName *) views;
    VEC(Part) parts;
    PointerMap
        places; /* CoreName -> Reader: where views and parts belong; none before the first is made */
} Whole;

struct Wholes {
    const CoreBody *body;
    PointerMap numbers; /* CoreName -> 1 + the statement that binds it */
    PointerMap uses;    /* CoreName -> size_t: how often */
    VEC(Whole) items;
};

/* ---- which results --------------------------------------------------------------------------- */

typedef struct UseCount {
    Arena *arena;
    PointerMap *uses;
} UseCount;

static void count_use(void *context, CoreName *name)
{
    const UseCount *count = context;
    ++*(size_t *)pointer_map_make(count->arena, count->uses, name, sizeof(size_t));
}

static void learn(Lower *L, Wholes *wholes)
{
    const CoreBody *body = wholes->body;
    UseCount count = {L->c->arena, &wholes->uses};
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        core_each_free(stm, count_use, &count);
        for (size_t k = 0; k < stm->pattern_count; k++) {
            pointer_map_set(L->c->arena, &wholes->numbers, stm->pattern[k],
                            (void *)(uintptr_t)(i + 1));
        }
    }
    for (size_t k = 0; k < body->result_count; k++) {
        if (body->results[k].name != NULL) {
            count_use(&count, body->results[k].name);
        }
    }
}

/* The number of the statement that binds it; SIZE_MAX: none of the body does. */
static size_t binder(const Wholes *wholes, const CoreName *name)
{
    size_t number = (size_t)(uintptr_t)pointer_map_get(&wholes->numbers, name);
    return number > 0 ? number - 1 : SIZE_MAX;
}

static int next_but_one(CoreType type, int axis)
{
    while (axis < type.rank && type.sizes[axis].name == NULL && type.sizes[axis].as.integer == 1) {
        axis++;
    }
    return axis;
}

/* Both have the same extents in the same order, apart from those that are 1. */
static bool same_but_ones(CoreType x, CoreType y)
{
    int i = next_but_one(x, 0), j = next_but_one(y, 0);
    while (i < x.rank && j < y.rank && core_atom_equal(x.sizes[i], y.sizes[j])) {
        i = next_but_one(x, i + 1);
        j = next_but_one(y, j + 1);
    }
    return i == x.rank && j == y.rank;
}

/* The operand of a view of one array whose acceptor follows from the result's; NULL: there is none. `dense`: the
   result's elements lie one after the other. */
static CoreName *operand_of(const CoreStm *stm, bool dense)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind == CORE_EXP_RESHAPE) {
        CoreName *array = exp->as.reshape.array.name;
        return dense || same_but_ones(stm->pattern[0]->type, array->type) ? array : NULL;
    }
    return exp->kind == CORE_EXP_REARRANGE ? exp->as.rearrange.array.name
           : exp->kind == CORE_EXP_REVERSE ? exp->as.reverse.array.name
                                           : NULL;
}

/* A map, or a scan. */
static bool makes_rows(const CoreStm *stm)
{
    return stm->exp->kind == CORE_EXP_SOAC && stm->exp->as.soac.reduction_count == 0;
}

static void find_scan(void *context, const CoreBody *body)
{
    bool *found = context;
    for (size_t i = 0; i < body->stm_count && !*found; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        *found = exp->kind == CORE_EXP_SOAC && exp->as.soac.scan_count > 0;
        core_each_body(exp, find_scan, context);
    }
}

/* Rows of a scan, or of scans within the rows of a nest: not made element by element, so that no map stores the view. */
static bool is_scanned(const CoreStm *maker)
{
    bool found = maker->exp->as.soac.scan_count > 0;
    core_each_body(maker->exp, find_scan, &found);
    return found;
}

/* The scan whose rows the map takes; SIZE_MAX: it takes none. */
static size_t scan_before(const Wholes *wholes, const CoreStm *stm)
{
    for (size_t i = 0; i < stm->exp->as.soac.input_count; i++) {
        CoreAtom input = stm->exp->as.soac.inputs[i];
        size_t number = input.name != NULL ? binder(wholes, input.name) : SIZE_MAX;
        const CoreExp *exp = number != SIZE_MAX ? wholes->body->stms[number]->exp : NULL;
        if (exp != NULL && exp->kind == CORE_EXP_SOAC && exp->as.soac.scan_count > 0) {
            return number;
        }
    }
    return SIZE_MAX;
}

/* So few elements that to copy them is nothing beside a pass over the whole. */
static bool is_few(CoreType type)
{
    int64_t count = 1;
    for (int axis = 0; axis < type.rank; axis++) {
        CoreAtom size = type.sizes[axis];
        if (size.name != NULL || size.as.integer > FEW_ELEMENTS) {
            return false;
        }
        count *= size.as.integer;
    }
    return count <= FEW_ELEMENTS;
}

static void add_part(Lower *L, const Wholes *wholes, Whole *whole, CoreName *name,
                     const CoreStm *maker)
{
    for (size_t i = 0; i < whole->parts.count; i++) {
        whole->has_twice = whole->has_twice || whole->parts.items[i].name == name;
    }
    Part part = {.name = name, .is_made = maker != NULL && makes_rows(maker)};
    vec_push(L->c->arena, &whole->parts, part);
    bool is_small = is_few(name->type);
    whole->others += !part.is_made && !is_small;
    whole->few += !part.is_made && is_small;
    whole->is_large = whole->is_large || (part.is_made && !is_small);
    if (part.is_made) {
        /* The kernel of the scan may make the map's rows, too (epilogue.c). */
        size_t scan = scan_before(wholes, maker), number = binder(wholes, name);
        number = scan < number ? scan : number;
        whole->has_scan = whole->has_scan || is_scanned(maker) || scan != SIZE_MAX;
        whole->first = number < whole->first ? number : whole->first;
    }
}

static void find_parts(Lower *L, const Wholes *wholes, Whole *whole, CoreName *name, bool dense)
{
    size_t number = binder(wholes, name);
    const size_t *uses = pointer_map_get(&wholes->uses, name);
    bool is_own = number != SIZE_MAX && (name == whole->name || (uses != NULL && *uses == 1));
    const CoreStm *stm = is_own ? wholes->body->stms[number] : NULL;
    CoreName *operand = is_own ? operand_of(stm, dense) : NULL;
    vec_push(L->c->arena, &whole->views, name);
    if (operand != NULL) {
        find_parts(L, wholes, whole, operand, dense && stm->exp->kind == CORE_EXP_RESHAPE);
    } else if (is_own && stm->exp->kind == CORE_EXP_CONCAT) {
        whole->has_concat = true;
        for (size_t k = 0; k < stm->exp->as.concat.count; k++) {
            find_parts(L, wholes, whole, stm->exp->as.concat.arrays[k].name,
                       dense && stm->exp->as.concat.axis == 0);
        }
    } else {
        add_part(L, wholes, whole, name, stm);
    }
}

static const Part *part_of(const Whole *whole, const CoreName *name)
{
    for (size_t i = 0; i < whole->parts.count; i++) {
        if (whole->parts.items[i].name == name) {
            return &whole->parts.items[i];
        }
    }
    return NULL;
}

static bool is_late(const Wholes *wholes, const Whole *whole, CoreAtom atom)
{
    size_t number = atom.name != NULL ? binder(wholes, atom.name) : SIZE_MAX;
    return number != SIZE_MAX && number >= whole->first;
}

/* The sizes of all views and parts are known, and what they rely on has been checked, before the first part is made. A
   check in a work-item ends nothing. */
static bool is_known(const Lower *L, const Wholes *wholes, const Whole *whole)
{
    for (size_t i = 0; i < whole->views.count; i++) {
        const CoreName *name = whole->views.items[i];
        size_t number = binder(wholes, name);
        const CoreStm *stm = number != SIZE_MAX ? wholes->body->stms[number] : NULL;
        for (int axis = 0; axis < name->type.rank; axis++) {
            if (is_late(wholes, whole, name->type.sizes[axis])) {
                return false;
            }
        }
        for (size_t k = 0; stm != NULL && k < stm->certificate_count; k++) {
            if (L->in_kernel || is_late(wholes, whole, stm->certificates[k])) {
                return false;
            }
        }
    }
    return true;
}

/* ---- sizes that could be known ---------------------------------------------------------------- */

/* Statements behind the first part that compute sizes from what is known before it. */
typedef struct Sizes {
    const Wholes *wholes;
    const Whole *whole;
    bool *moves; /* a statement */
    bool any, good;
} Sizes;

static void move_size(void *context, CoreAtom atom)
{
    Sizes *sizes = context;
    const CoreBody *body = sizes->wholes->body;
    if (!is_late(sizes->wholes, sizes->whole, atom)) {
        return;
    }
    size_t number = binder(sizes->wholes, atom.name);
    const CoreStm *stm = body->stms[number];
    if (sizes->moves[number]) {
        return;
    }
    bool is_scalar = (stm->exp->kind == CORE_EXP_UNARY || stm->exp->kind == CORE_EXP_BINARY ||
                      stm->exp->kind == CORE_EXP_CONVERT) &&
                     stm->certificate_count == 0;
    sizes->moves[number] = sizes->any = true;
    sizes->good = sizes->good && is_scalar;
    if (is_scalar) {
        core_each_operand(stm->exp, move_size, sizes);
    }
}

/* The body with the sizes of the whole's views before its first part; itself: they are there, or cannot be. */
static const CoreBody *with_sizes_first(Lower *L, const Wholes *wholes, const Whole *whole)
{
    Arena *arena = L->c->arena;
    const CoreBody *body = wholes->body;
    Sizes sizes = {wholes, whole, ARENA_ARRAY(arena, bool, body->stm_count + 1), false, true};
    memset(sizes.moves, 0, body->stm_count * sizeof *sizes.moves);
    for (size_t i = 0; i < whole->views.count; i++) {
        const CoreType *type = &whole->views.items[i]->type;
        for (int axis = 0; axis < type->rank; axis++) {
            move_size(&sizes, type->sizes[axis]);
        }
    }
    if (!sizes.any || !sizes.good) {
        return body;
    }
    const CoreStm **stms = ARENA_ARRAY(arena, const CoreStm *, body->stm_count + 1);
    size_t count = whole->first;
    memcpy(stms, body->stms, whole->first * sizeof *stms);
    for (int moved = 1; moved >= 0; moved--) {
        for (size_t i = whole->first; i < body->stm_count; i++) {
            if (sizes.moves[i] == (moved == 1)) {
                stms[count++] = body->stms[i];
            }
        }
    }
    return core_with_stms(L->c, body, count, stms);
}

/* ---- which results are wholes ------------------------------------------------------------------ */

static bool is_view_of_some(const CoreBody *body, const CoreName *name)
{
    const CoreStm *stm = core_binder(body, name);
    return stm != NULL && stm->pattern_count == 1 &&
           (stm->exp->kind == CORE_EXP_CONCAT || operand_of(stm, true) != NULL);
}

static Wholes *begin_wholes(Lower *L, const CoreBody *body)
{
    Wholes *wholes = ARENA_NEW(L->c->arena, Wholes);
    wholes->body = body;
    learn(L, wholes);
    return wholes;
}

/* The result is one, if its parts are made by the body. */
static bool find_whole(Lower *L, const Wholes *wholes, CoreName *name, const Reader *place,
                       Whole *whole)
{
    *whole = (Whole){.name = name, .wanted = place, .first = SIZE_MAX};
    find_parts(L, wholes, whole, name, place == NULL || place->unit != NULL);
    bool few = whole->is_large ? whole->others <= 1 && whole->few <= MOST_FEW
                               : whole->others + whole->few <= 1;
    return (whole->has_concat || whole->has_scan) && !whole->has_twice && few &&
           whole->first != SIZE_MAX;
}

static bool is_viewed(const Wholes *wholes, const CoreName *name)
{
    for (size_t i = 0; i < wholes->items.count; i++) {
        const Whole *whole = &wholes->items.items[i];
        for (size_t k = 0; k < whole->views.count; k++) {
            if (whole->views.items[k] == name) {
                return true;
            }
        }
    }
    return false;
}

/* Turned views of what one nest with scans makes, and nothing else reads. */
static Wholes *add_turned(Lower *L, Wholes *wholes, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count && !L->in_kernel; i++) {
        const CoreStm *stm = body->stms[i];
        if (stm->exp->kind != CORE_EXP_REARRANGE) {
            continue;
        }
        wholes = wholes != NULL ? wholes : begin_wholes(L, body);
        const CoreName *operand = stm->exp->as.rearrange.array.name;
        size_t number = binder(wholes, operand);
        const CoreStm *maker = number != SIZE_MAX ? body->stms[number] : NULL;
        const size_t *uses = pointer_map_get(&wholes->uses, operand);
        if (maker == NULL || maker->exp->kind != CORE_EXP_SOAC ||
            maker->exp->as.soac.scan_count > 0 || !makes_rows(maker) || !is_scanned(maker) ||
            uses == NULL || *uses != 1 || scan_before(wholes, maker) != SIZE_MAX ||
            is_viewed(wholes, operand)) {
            continue;
        }
        Whole whole = {.name = stm->pattern[0], .first = SIZE_MAX};
        find_parts(L, wholes, &whole, whole.name, true);
        if (is_known(L, wholes, &whole)) {
            vec_push(L->c->arena, &wholes->items, whole);
        }
    }
    return wholes;
}

/* Adds it if it is one. A body with the whole's sizes in front, where that is another one; NULL: none is needed. */
static const CoreBody *add_whole(Lower *L, Wholes *wholes, CoreName *name, const Reader *place,
                                 bool is_result)
{
    Whole whole;
    if (is_viewed(wholes, name) || !find_whole(L, wholes, name, place, &whole)) {
        return NULL;
    }
    whole.is_result = is_result;
    const CoreBody *ordered = with_sizes_first(L, wholes, &whole);
    if (ordered != wholes->body) {
        return ordered;
    }
    if (is_known(L, wholes, &whole)) {
        vec_push(L->c->arena, &wholes->items, whole);
    }
    return NULL;
}

/* The array that the runtime is given by an effect; NULL: none. */
static CoreName *shown(const CoreExp *exp)
{
    return exp->kind == CORE_EXP_PRINT || exp->kind == CORE_EXP_PRINT_COMPLEX ? exp->as.atom.name
           : exp->kind == CORE_EXP_FORMAT ? exp->as.format.array.name
                                          : NULL;
}

Wholes *lower_find_wholes(Lower *L, const CoreBody **body, const Reader *const *wanted)
{
    Wholes *wholes = NULL;
    size_t results = (*body)->result_count;
    for (size_t k = 0; k < results + (*body)->stm_count; k++) {
        bool is_result = k < results;
        CoreName *name =
            is_result ? (*body)->results[k].name : shown((*body)->stms[k - results]->exp);
        const Reader *place = is_result && wanted != NULL ? wanted[k] : NULL;
        if (name == NULL || name->type.rank == 0 || (place == NULL && L->in_kernel) ||
            !is_view_of_some(*body, name)) {
            continue;
        }
        wholes = wholes != NULL ? wholes : begin_wholes(L, *body);
        const CoreBody *ordered = add_whole(L, wholes, name, place, is_result);
        if (ordered != NULL) {
            *body = ordered;
            return lower_find_wholes(L, body, wanted);
        }
    }
    return add_turned(L, wholes, *body);
}

/* ---- acceptors of parts ---------------------------------------------------------------------- */

static Reader *seen_as(Lower *L, const Reader *acceptor, CoreType type)
{
    Reader *reader = arena_copy(L->c->arena, acceptor, sizeof *acceptor);
    reader->rank = type.rank;
    reader->shape = lower_shape(L, type);
    reader->unit = NULL;
    return reader;
}

static const Reader *through_reshape(Lower *L, const Reader *acceptor, CoreType result,
                                     CoreType operand)
{
    Reader *reader = seen_as(L, acceptor, operand);
    if (acceptor->unit != NULL) {
        reader->unit = acceptor->unit;
        reader->strides = lower_row_major(L, operand.rank, reader->shape, reader->unit);
        return reader;
    }
    const KernelExp **strides = ARENA_ARRAY(L->c->arena, const KernelExp *, operand.rank + 1);
    int from = next_but_one(result, 0);
    for (int axis = 0; axis < operand.rank; axis++) {
        bool is_one = next_but_one(operand, axis) != axis;
        strides[axis] = is_one ? lower_number(L, 0) : acceptor->strides[from];
        from = is_one ? from : next_but_one(result, from + 1);
    }
    reader->strides = strides;
    return reader;
}

static const Reader *through_rearrange(Lower *L, const Reader *acceptor, const int *permutation,
                                       CoreType operand)
{
    Reader *reader = seen_as(L, acceptor, operand);
    const KernelExp **strides = ARENA_ARRAY(L->c->arena, const KernelExp *, operand.rank + 1);
    for (int axis = 0; axis < operand.rank; axis++) {
        strides[permutation[axis]] = acceptor->strides[axis];
    }
    reader->strides = strides;
    return reader;
}

static const Reader *through_reverse(Lower *L, const Reader *acceptor, int axis, CoreType operand)
{
    Reader *reader = seen_as(L, acceptor, operand);
    const KernelExp **strides = ARENA_ARRAY(L->c->arena, const KernelExp *, operand.rank + 1);
    memcpy(strides, acceptor->strides, sizeof *strides * (size_t)operand.rank);
    const KernelExp *last = lower_op(L, CORE_SUB, reader->shape[axis], lower_number(L, 1));
    reader->offset = lower_let(
        L, "start",
        lower_op(L, CORE_ADD, reader->offset, lower_op(L, CORE_MUL, last, strides[axis])));
    strides[axis] = lower_let(L, "stride", kernel_unary(L->c, CORE_NEG, acceptor->strides[axis]));
    reader->strides = strides;
    return reader;
}

/* The part of a concatenation that begins at that row of the axis. */
static const Reader *through_concat(Lower *L, const Reader *acceptor, int axis,
                                    const KernelExp *start, CoreType operand)
{
    Reader *reader = seen_as(L, acceptor, operand);
    reader->unit = axis == 0 ? acceptor->unit : NULL;
    reader->offset = lower_let(
        L, "start",
        lower_op(L, CORE_ADD, reader->offset, lower_op(L, CORE_MUL, start, reader->strides[axis])));
    return reader;
}

static void place(Lower *L, Whole *whole, CoreName *name, const Reader *acceptor)
{
    const Wholes *wholes = L->wholes;
    const Part *part = part_of(whole, name);
    pointer_map_set(L->c->arena, &whole->places, name, (void *)(uintptr_t)acceptor);
    if (part != NULL) {
        if (part->is_made) {
            pointer_map_set(L->c->arena, &L->wanted, name, (void *)(uintptr_t)acceptor);
        }
        return;
    }
    const CoreExp *exp = wholes->body->stms[binder(wholes, name)]->exp;
    if (exp->kind == CORE_EXP_CONCAT) {
        const KernelExp *start = lower_number(L, 0);
        const int axis = exp->as.concat.axis;
        for (size_t k = 0; k < exp->as.concat.count; k++) {
            CoreName *operand = exp->as.concat.arrays[k].name;
            const Reader *inner = through_concat(L, acceptor, axis, start, operand->type);
            place(L, whole, operand, inner);
            if (k + 1 < exp->as.concat.count) {
                start = lower_let(L, "start", lower_op(L, CORE_ADD, start, inner->shape[axis]));
            }
        }
    } else if (exp->kind == CORE_EXP_RESHAPE) {
        CoreName *operand = exp->as.reshape.array.name;
        place(L, whole, operand, through_reshape(L, acceptor, name->type, operand->type));
    } else if (exp->kind == CORE_EXP_REARRANGE) {
        CoreName *operand = exp->as.rearrange.array.name;
        const int *permutation = exp->as.rearrange.permutation;
        place(L, whole, operand, through_rearrange(L, acceptor, permutation, operand->type));
    } else {
        CoreName *operand = exp->as.reverse.array.name;
        place(L, whole, operand, through_reverse(L, acceptor, exp->as.reverse.axis, operand->type));
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
            place(L, whole, whole->name,
                  whole->wanted != NULL ? whole->wanted : own_place(L, whole));
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

bool lower_part_of_whole(Lower *L, const CoreStm *stm)
{
    CoreName *name = stm->pattern[0];
    for (size_t i = 0; L->wholes != NULL && i < L->wholes->items.count; i++) {
        const Whole *whole = &L->wholes->items.items[i];
        const Reader *acceptor = pointer_map_get(&whole->places, name);
        if (acceptor != NULL && part_of(whole, name) == NULL) {
            Operands operands = {L, whole};
            core_each_operand(stm->exp, settle, &operands);
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
