/* Which results are wholes of several parts, for parts.c, which says what that is for; and that all they rest on is computed,
   and checked, before the first part is made. */
#include "backend/lower/wholes.h"
#include "core/rewrite.h"

/* Of a part that is nothing beside a pass over the others; such parts, each a copy. */
enum { FEW_ELEMENTS = 64, MOST_FEW = 4 };

/* ---- which results --------------------------------------------------------------------------- */

static void learn(Lower *L, Wholes *wholes)
{
    const CoreBody *body = wholes->body;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        for (size_t k = 0; k < stm->pattern_count; k++) {
            pointer_map_set(L->c->arena, &wholes->numbers, stm->pattern[k],
                            (void *)(uintptr_t)(i + 1));
        }
    }
    core_count_all_uses(L->c->arena, body, &wholes->uses);
}

size_t whole_binder(const Wholes *wholes, const CoreName *name)
{
    size_t number = (size_t)(uintptr_t)pointer_map_get(&wholes->numbers, name);
    return number > 0 ? number - 1 : SIZE_MAX;
}

int whole_next_axis(CoreType type, int axis)
{
    while (axis < type.rank && type.sizes[axis].name == NULL && type.sizes[axis].as.integer == 1) {
        axis++;
    }
    return axis;
}

/* Both have the same extents in the same order, apart from those that are 1. */
static bool same_but_ones(CoreType x, CoreType y)
{
    int i = whole_next_axis(x, 0), j = whole_next_axis(y, 0);
    while (i < x.rank && j < y.rank && core_atom_equal(x.sizes[i], y.sizes[j])) {
        i = whole_next_axis(x, i + 1);
        j = whole_next_axis(y, j + 1);
    }
    return i == x.rank && j == y.rank;
}

CoreName *whole_operand(const CoreStm *stm, Layout *layout)
{
    const CoreExp *exp = stm->exp;
    Layout outer = *layout;
    CoreName *array = NULL;
    switch ((int)exp->kind) { /* others are no such views */
    case CORE_EXP_RESHAPE:
        array = exp->as.reshape.array.name;
        return outer != LAYOUT_STRIDES || same_but_ones(stm->pattern[0]->type, array->type) ? array
                                                                                            : NULL;
    case CORE_EXP_REARRANGE: array = exp->as.rearrange.array.name; break;
    case CORE_EXP_REVERSE: array = exp->as.reverse.array.name; break;
    case CORE_EXP_ROTATE: array = exp->as.rotate.array.name; break;
    case CORE_EXP_PAD: array = exp->as.pad.array.name; break;
    case CORE_EXP_SLICE: array = core_is_stretch(exp) ? exp->as.slice.array.name : NULL; break;
    }
    bool places = exp->kind == CORE_EXP_ROTATE || exp->kind == CORE_EXP_SLICE;
    *layout = places || outer == LAYOUT_PLACES ? LAYOUT_PLACES : LAYOUT_STRIDES;
    return array;
}

/* A map, or a scan, perhaps beside a reduction, and the array is one of its rows. */
static bool makes_rows(const CoreStm *stm, const CoreName *name)
{
    if (stm->exp->kind != CORE_EXP_SOAC) {
        return false;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t k = 0;
    for (size_t r = 0; r < soac->reduction_count; r++) {
        k += lower_width(&soac->reductions[r]);
    }
    while (k < stm->pattern_count && stm->pattern[k] != name) {
        k++;
    }
    return k < stm->pattern_count;
}

/* A scan with what takes its rows, as one loop (fuse/streams.c). */
static bool updates_array(const CoreStm *loop)
{
    const CoreBody *body = loop->exp->as.loop.body;
    for (size_t k = 0; k < body->result_count; k++) {
        const CoreName *parameter = loop->exp->as.loop.parameters[k];
        if (parameter->type.rank > 0 && core_root_in(body, body->results[k]) == parameter) {
            return true;
        }
    }
    return false;
}

static void find_scan(void *context, const CoreBody *body)
{
    bool *found = context;
    for (size_t i = 0; i < body->stm_count && !*found; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        bool scans = exp->kind == CORE_EXP_SOAC && exp->as.soac.scan_count > 0;
        bool updates = exp->kind == CORE_EXP_LOOP && updates_array(body->stms[i]);
        *found = scans || updates;
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
        size_t number = input.name != NULL ? whole_binder(wholes, input.name) : SIZE_MAX;
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
    Part part = {.name = name, .is_made = maker != NULL && makes_rows(maker, name)};
    vec_push(L->c->arena, &whole->parts, part);
    bool is_small = is_few(name->type);
    whole->others += !part.is_made && !is_small;
    whole->few += !part.is_made && is_small;
    whole->is_large = whole->is_large || (part.is_made && !is_small);
    if (part.is_made) {
        /* The kernel of the scan may make the map's rows, too (epilogue.c). */
        size_t scan = scan_before(wholes, maker), number = whole_binder(wholes, name);
        number = scan < number ? scan : number;
        whole->has_scan = whole->has_scan || is_scanned(maker) || scan != SIZE_MAX;
        whole->first = number < whole->first ? number : whole->first;
    }
}

/* The array that the runtime is given by an effect; NULL: none. */
static CoreName *shown(const CoreExp *exp)
{
    return exp->kind == CORE_EXP_PRINT || exp->kind == CORE_EXP_PRINT_COMPLEX ? exp->as.atom.name
           : exp->kind == CORE_EXP_FORMAT ? exp->as.format.array.name
                                          : NULL;
}

/* How many statements of the body give the array to the runtime, or are SOACs that take its rows. */
static size_t count_takers(const CoreBody *body, const CoreName *name, bool by_runtime)
{
    size_t count = 0;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        bool takes = by_runtime && shown(exp) == name;
        for (size_t k = 0;
             !by_runtime && exp->kind == CORE_EXP_SOAC && k < exp->as.soac.input_count; k++) {
            takes = takes || exp->as.soac.inputs[k].name == name;
        }
        count += takes;
    }
    return count;
}

/* Rows of a scan that SOACs take beside one view: they are there for these when they are in the whole. */
static bool is_shared(const Wholes *wholes, const CoreName *name)
{
    const CoreStm *stm = wholes->body->stms[whole_binder(wholes, name)];
    return name->type.rank == 1 && makes_rows(stm, name) && stm->exp->as.soac.scan_count > 0 &&
           core_uses_of(&wholes->uses, name) == 1 + count_takers(wholes->body, name, false);
}

/* Nothing writes to it: it is only given to the runtime. */
static bool is_only_shown(const Wholes *wholes, const CoreName *name)
{
    return core_uses_of(&wholes->uses, name) == count_takers(wholes->body, name, true);
}

/* A statement of the body that nothing but one view takes, or a scan whose rows SOACs take, too; NULL: there is none. */
static const CoreStm *own_binder(const Wholes *wholes, const CoreName *name)
{
    size_t number = name != NULL ? whole_binder(wholes, name) : SIZE_MAX;
    bool is_own =
        number != SIZE_MAX && (core_uses_of(&wholes->uses, name) == 1 || is_shared(wholes, name));
    return is_own ? wholes->body->stms[number] : NULL;
}

/* It is made row by row by a scan's kernel, through whatever views. Maps make what a view shows themselves (fuse/delay.c). */
static bool leads_to_scan(const Wholes *wholes, const CoreName *name)
{
    const CoreStm *stm = own_binder(wholes, name);
    if (stm == NULL) {
        return false;
    }
    Layout layout = LAYOUT_DENSE;
    const CoreName *operand = whole_operand(stm, &layout);
    if (operand != NULL) {
        return leads_to_scan(wholes, operand);
    }
    if (stm->exp->kind == CORE_EXP_CONCAT) {
        bool any = false;
        for (size_t k = 0; k < stm->exp->as.concat.count; k++) {
            any = any || leads_to_scan(wholes, stm->exp->as.concat.arrays[k].name);
        }
        return any;
    }
    return makes_rows(stm, name) && (is_scanned(stm) || scan_before(wholes, stm) != SIZE_MAX);
}

/* The views whose operands are not at equal distances, or not all of what is there, take a test an element: not to make
   what can be had without. */
static bool is_worth_it(const Wholes *wholes, const CoreStm *stm, const CoreName *operand)
{
    CoreExpKind kind = stm->exp->kind;
    bool is_plain =
        kind == CORE_EXP_RESHAPE || kind == CORE_EXP_REARRANGE || kind == CORE_EXP_REVERSE;
    return is_plain || leads_to_scan(wholes, operand);
}

static void find_parts(Lower *L, const Wholes *wholes, Whole *whole, CoreName *name, Layout layout)
{
    const CoreStm *stm = name == whole->name ? wholes->body->stms[whole_binder(wholes, name)]
                                             : own_binder(wholes, name);
    Layout inner = layout;
    CoreName *operand = stm != NULL ? whole_operand(stm, &inner) : NULL;
    vec_push(L->c->arena, &whole->views, name);
    if (operand != NULL && is_worth_it(wholes, stm, operand)) {
        find_parts(L, wholes, whole, operand, inner);
    } else if (stm != NULL && stm->exp->kind == CORE_EXP_CONCAT) {
        whole->has_concat = true;
        bool is_dense = layout == LAYOUT_DENSE && stm->exp->as.concat.axis == 0;
        for (size_t k = 0; k < stm->exp->as.concat.count; k++) {
            find_parts(L, wholes, whole, stm->exp->as.concat.arrays[k].name,
                       is_dense || layout == LAYOUT_PLACES ? layout : LAYOUT_STRIDES);
        }
    } else {
        bool is_own =
            core_uses_of(&wholes->uses, name) == 1 ||
            (layout != LAYOUT_PLACES && !L->in_kernel && is_only_shown(wholes, whole->name));
        add_part(L, wholes, whole, name, is_own ? stm : NULL);
    }
}

const Part *whole_part(const Whole *whole, const CoreName *name)
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
    size_t number = atom.name != NULL ? whole_binder(wholes, atom.name) : SIZE_MAX;
    return number != SIZE_MAX && number >= whole->first;
}

typedef struct Late {
    const Wholes *wholes;
    const Whole *whole;
    bool found;
} Late;

static void find_late(void *context, CoreAtom atom)
{
    Late *late = context;
    late->found =
        late->found || (core_atom_type(atom).rank == 0 && is_late(late->wholes, late->whole, atom));
}

/* The view's numbers, as how far it is turned. Parts are no views. */
static bool has_late_numbers(const Wholes *wholes, const Whole *whole, const CoreStm *stm)
{
    Late late = {wholes, whole, false};
    if (core_is_view(stm->exp->kind)) {
        core_each_operand(stm->exp, find_late, &late);
    }
    return late.found;
}

/* The sizes and numbers of all views and parts are known, and what they rely on has been checked, before the first part
   is made. A check in a work-item ends nothing. */
static bool is_known(const Lower *L, const Wholes *wholes, const Whole *whole)
{
    for (size_t i = 0; i < whole->views.count; i++) {
        const CoreName *name = whole->views.items[i];
        size_t number = whole_binder(wholes, name);
        const CoreStm *stm = number != SIZE_MAX ? wholes->body->stms[number] : NULL;
        for (int axis = 0; axis < name->type.rank; axis++) {
            if (is_late(wholes, whole, name->type.sizes[axis])) {
                return false;
            }
        }
        if (stm != NULL && has_late_numbers(wholes, whole, stm)) {
            return false;
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

/* Statements behind the first part that compute sizes, and check them, from what is known before it. */
typedef struct Sizes {
    const Wholes *wholes;
    const Whole *whole;
    bool *moves; /* a statement */
    bool any, good;
} Sizes;

/* Numbers, and checks of numbers. */
static bool is_small(CoreExpKind kind)
{
    return kind == CORE_EXP_UNARY || kind == CORE_EXP_BINARY || kind == CORE_EXP_CONVERT ||
           kind == CORE_EXP_ASSERT || kind == CORE_EXP_CONJOIN;
}

static void move_stm(Sizes *sizes, size_t number);

static void move_size(void *context, CoreAtom atom)
{
    Sizes *sizes = context;
    if (core_atom_type(atom).rank == 0 && is_late(sizes->wholes, sizes->whole, atom)) {
        move_stm(sizes, whole_binder(sizes->wholes, atom.name));
    }
}

static void move_operands(Sizes *sizes, const CoreStm *stm)
{
    core_each_operand(stm->exp, move_size, sizes);
    for (size_t k = 0; k < stm->certificate_count; k++) {
        move_size(sizes, stm->certificates[k]);
    }
}

static void move_stm(Sizes *sizes, size_t number)
{
    if (!sizes->moves[number]) {
        move_operands(sizes, sizes->wholes->body->stms[number]);
        sizes->good = sizes->good && is_small(sizes->wholes->body->stms[number]->exp->kind);
        sizes->moves[number] = sizes->any = true;
    }
}

/* What stays can fail or do something before what moves can fail: another error would be told. */
static bool changes_errors(const Sizes *sizes)
{
    const CoreBody *body = sizes->wholes->body;
    bool fails = false, changes = false;
    for (size_t i = sizes->whole->first; i < body->stm_count; i++) {
        bool may = core_may_fail(body->stms[i]);
        changes = changes || (fails && may && sizes->moves[i]);
        fails = fails || (may && !sizes->moves[i]);
    }
    return changes;
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
        const CoreStm *stm = core_binder(body, whole->views.items[i]);
        if (stm != NULL && core_is_view(stm->exp->kind)) {
            move_operands(&sizes, stm);
        }
    }
    if (!sizes.any || !sizes.good || changes_errors(&sizes)) {
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
    Layout layout = LAYOUT_DENSE;
    return stm != NULL && stm->pattern_count == 1 &&
           (stm->exp->kind == CORE_EXP_CONCAT || whole_operand(stm, &layout) != NULL);
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
    find_parts(L, wholes, whole, name,
               place == NULL || place->unit != NULL ? LAYOUT_DENSE : LAYOUT_STRIDES);
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
        size_t number = whole_binder(wholes, operand);
        const CoreStm *maker = number != SIZE_MAX ? body->stms[number] : NULL;
        if (maker == NULL || maker->exp->kind != CORE_EXP_SOAC ||
            maker->exp->as.soac.scan_count > 0 || !makes_rows(maker, operand) ||
            !is_scanned(maker) || core_uses_of(&wholes->uses, operand) != 1 ||
            scan_before(wholes, maker) != SIZE_MAX || is_viewed(wholes, operand)) {
            continue;
        }
        Whole whole = {.name = stm->pattern[0], .first = SIZE_MAX};
        find_parts(L, wholes, &whole, whole.name, LAYOUT_DENSE);
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
