/* Who reads which arrays, how often, and what needs them whole: a walk backwards over a function, for
   delay.c's choice.

   A loop of a known width of a few counts as that many places that read an element: the nine readings of
   a window of 3 by 3 are nine, whether they are written out or in a loop. The other loops are *long*, and
   so are the axes of arrays whose extents are not known to be short: an array is read again and again
   where more long loops stand around a reading than it has long axes. */
#include "core/fuse/fuse.h"
#include <math.h>

enum {
    MOST_SITES = 10000,
    MOST_TIMES = 8,  /* that an element is read by known numbers of rows, and not again and again */
    MOST_FACTORS = 6 /* of an extent, one in another */
};

/* ---- places ------------------------------------------------------------------------------ */

/* Of an array, or of a loop. */
typedef struct Shape {
    int axes;    /* long ones */
    size_t rows; /* of all the short ones together */
} Shape;

/* The extent where that is a constant, or what it is at most: of min(n, 3), 3. */
static CoreAtom bound_of(Fuse *f, CoreAtom extent)
{
    const CoreStm *stm = fuse_definition(f, extent);
    if (!stm || stm->exp->kind != CORE_EXP_BINARY || stm->exp->as.scalar.op != CORE_MIN) {
        return extent;
    }
    return stm->exp->as.scalar.x.name ? stm->exp->as.scalar.y : stm->exp->as.scalar.x;
}

static const CoreExp *product(Fuse *f, CoreAtom extent)
{
    const CoreStm *stm = fuse_definition(f, extent);
    return stm && stm->exp->kind == CORE_EXP_BINARY && stm->exp->as.scalar.op == CORE_MUL ? stm->exp
                                                                                          : NULL;
}

/* One more axis; of extent n * m it is two that lie flat. */
static void add_axis(Fuse *f, Shape *shape, CoreAtom extent, int depth)
{
    const CoreExp *flat = depth < MOST_FACTORS ? product(f, extent) : NULL;
    extent = bound_of(f, extent);
    if (flat) {
        add_axis(f, shape, flat->as.scalar.x, depth + 1);
        add_axis(f, shape, flat->as.scalar.y, depth + 1);
    } else if (!fuse_are_few(extent)) {
        shape->axes++;
    } else if (extent.as.integer > 1 && shape->rows < MOST_SITES) {
        shape->rows *= (size_t)extent.as.integer;
    }
}

static Shape shape_of(Fuse *f, CoreType type)
{
    Shape shape = {.rows = 1};
    for (int i = 0; i < type.rank; i++) {
        add_axis(f, &shape, type.sizes[i], 0);
    }
    return shape;
}

static int long_axes(Fuse *f, CoreAtom extent)
{
    Shape shape = {.rows = 1};
    add_axis(f, &shape, extent, 0);
    return shape.axes;
}

static FusePlace around(Fuse *f, FusePlace place, CoreAtom width)
{
    FuseLoop *loop = ARENA_NEW(f->arena, FuseLoop);
    *loop = (FuseLoop){width, place.around};
    place.around = loop;
    return place;
}

/* In a loop or function that runs so often. */
static FusePlace inside(Fuse *f, FusePlace place, CoreAtom width)
{
    Shape loop = {.rows = 1};
    add_axis(f, &loop, width, 0);
    place.loops += loop.axes;
    place.beside = 0;
    place.times = place.times < MOST_SITES ? place.times * loop.rows : place.times;
    return loop.axes > 0 ? around(f, place, width) : place;
}

static FusePlace in_loop(Fuse *f, FusePlace place)
{
    place.loops++;
    place.beside = 0;
    return around(f, place, core_i64(0));
}

static size_t ratio(size_t x, size_t y)
{
    return (x + y - 1) / y;
}

/* ---- uses -------------------------------------------------------------------------------- */

static void escape(void *context, CoreAtom atom)
{
    Fuse *f = context;
    if (atom.name && atom.name->type.rank > 0) {
        FuseName *name = fuse_name(f, atom.name);
        name->uses.why = name->uses.escapes ? name->uses.why : f->why;
        name->uses.escapes = true;
    }
}

/* The same, and why. */
static void escape_for(Fuse *f, CoreAtom atom, CoreReason why)
{
    f->why = why;
    escape(f, atom);
}

/* More readings of elements of the array. */
static void want(Fuse *f, CoreAtom array, FuseReadings more)
{
    if (!array.name || more.sites == 0) {
        return;
    }
    FuseReadings *all = &fuse_name(f, array.name)->uses.readings;
    if (f->branches > 0) {
        vec_push(f->arena, &f->wanted, ((FuseWanted){array.name, all->times, 0}));
    }
    if (all->sites == 0) {
        *all = more;
        return;
    }
    all->chosen = all->chosen || more.chosen;
    all->fixed = all->fixed < more.fixed ? all->fixed : more.fixed;
    all->sites = all->sites + more.sites < MOST_SITES ? all->sites + more.sites : MOST_SITES;
    all->times = all->times + more.times < MOST_SITES ? all->times + more.times : MOST_SITES;
    all->loops = all->loops > more.loops ? all->loops : more.loops;
}

static void read_elsewhere(Fuse *f, CoreAtom array, bool is)
{
    if (array.name && is) {
        fuse_name(f, array.name)->uses.elsewhere = true;
    }
}

static FuseReadings one_reading(FusePlace place, CoreAtom array)
{
    return (FuseReadings){.sites = 1,
                          .times = place.times,
                          .loops = place.loops + place.beside,
                          .around = place.around,
                          .chosen = place.chosen,
                          .seen = core_atom_type(array)};
}

/* Long axes at which a view stays at one place: no loop goes along them. */
static int constant_axes(Fuse *f, const CoreExp *exp)
{
    int count = 0;
    for (size_t i = 0; exp->kind == CORE_EXP_INDEX && i < exp->as.index.count; i++) {
        count += exp->as.index.indices[i].name
                     ? 0
                     : long_axes(f, core_atom_type(exp->as.index.array).sizes[i]);
    }
    for (size_t i = 0; exp->kind == CORE_EXP_SLICE && i < exp->as.slice.count; i++) {
        count += exp->as.slice.slices[i].fixed && exp->as.slice.slices[i].offset.name == NULL
                     ? long_axes(f, core_atom_type(exp->as.slice.array).sizes[i])
                     : 0;
    }
    return count;
}

/* Long loops beyond the long axes. */
static int more_loops(Fuse *f, const FuseName *name)
{
    return name->uses.readings.loops - name->uses.place.loops - shape_of(f, name->name->type).axes;
}

/* How many rows long loops of known widths between the array and the first place that reads go through for each of
   the array's elements: a loop over 1000 * 20 rows, where both are numbers, is one that reads 20 again and again.
   0 where a number is not known, and where there are fewer rows than elements. */
static size_t rows_an_element(const FuseName *name)
{
    const FuseLoop *end = name->uses.place.around;
    double rows = 1, elements = 1;
    for (const FuseLoop *loop = name->uses.readings.around; loop && loop != end;
         loop = loop->around) {
        rows *= loop->width.name ? 0 : (double)loop->width.as.integer;
    }
    for (int i = 0; i < name->name->type.rank; i++) {
        CoreAtom size = name->name->type.sizes[i];
        elements *= size.name || size.as.integer < 1 ? HUGE_VAL : (double)size.as.integer;
    }
    double times = rows < elements ? 0 : ceil(rows / elements);
    return times < MOST_SITES ? (size_t)times : MOST_SITES;
}

size_t fuse_times(Fuse *f, const FuseName *name)
{
    const FuseReadings *readings = &name->uses.readings;
    int more = more_loops(f, name);
    size_t rows = more > 0 ? 0 : rows_an_element(name);
    size_t few = name->uses.place.times * shape_of(f, name->name->type).rows;
    return more < 0 && rows == 0 ? readings->sites
                                 : ratio(readings->times, few) * (rows > 0 ? rows : 1);
}

bool fuse_is_repeated(Fuse *f, const FuseName *name)
{
    return more_loops(f, name) > 0 || rows_an_element(name) > MOST_TIMES;
}

/* Each long loop between the array and the place that reads goes along an axis of its own of what is read
   there. */
static bool goes_along_axes(const FuseName *name)
{
    enum { MOST_AXES = 16 };
    bool taken[MOST_AXES] = {false};
    const FuseReadings *readings = &name->uses.readings;
    const FuseLoop *end = name->uses.place.around;
    for (const FuseLoop *loop = readings->around; loop && loop != end; loop = loop->around) {
        int axis = 0, rank = readings->seen.rank < MOST_AXES ? readings->seen.rank : MOST_AXES;
        while (axis < rank &&
               (taken[axis] || !core_atom_equal(loop->width, readings->seen.sizes[axis]))) {
            axis++;
        }
        if (axis == rank) {
            return false;
        }
        taken[axis] = true;
    }
    return true;
}

bool fuse_reads_part(Fuse *f, const FuseName *name)
{
    return name->uses.readings.sites == 1 && more_loops(f, name) - name->uses.readings.fixed < 0 &&
           goes_along_axes(name);
}

/* A view whose every reading divides, and that is read at more than one place, or more often than it has
   elements, as it is where it lies flat and is read by rows: it is stored once, or a slice of the
   array where that is long enough. */
bool fuse_is_dear_view(Fuse *f, const CoreStm *stm, const FuseName *name)
{
    const FuseReadings *readings = &name->uses.readings;
    bool again = readings->sites > 1 && readings->loops > name->uses.place.loops;
    return stm->exp->kind == CORE_EXP_CYCLE && name->level == 0 && readings->sites > 0 &&
           (again || more_loops(f, name) > 0);
}

/* The readings of a view as readings of an array that it is a view of: all of the view's elements are all of
   the array's, or of this part of a catenation's; so are those of a cyclic reshape of n * m items, as a rule. */
static FuseReadings through_view(Fuse *f, const CoreStm *stm, CoreAtom array, FuseReadings readings)
{
    CoreExpKind kind = stm->exp->kind;
    int fixed = constant_axes(f, stm->exp);
    readings.loops += fixed;
    readings.fixed += fixed;
    readings.chosen = readings.chosen || kind == CORE_EXP_CONCAT || kind == CORE_EXP_PAD;
    Shape from = shape_of(f, array.name->type), to = shape_of(f, stm->pattern[0]->type);
    if (kind == CORE_EXP_RESHAPE || kind == CORE_EXP_CONCAT || kind == CORE_EXP_PAD ||
        (kind == CORE_EXP_CYCLE && from.axes > 1)) {
        readings.loops += from.axes - to.axes;
        readings.times = ratio(readings.times * from.rows, to.rows);
    }
    return readings;
}

static bool maps_scan(Fuse *f, CoreAtom array, int depth, bool mapped, int *looks);

/* They are a scan's, and one row more before or behind these (some_rows.c). */
static bool are_scan_and_one_more(Fuse *f, const CoreStm *stm, int *looks)
{
    bool found = false;
    CoreAtom row;
    if (stm->exp->kind == CORE_EXP_CONCAT && stm->exp->as.concat.axis == 0 &&
        stm->exp->as.concat.count == 2 && stm->certificate_count == 0) {
        const CoreAtom *parts = stm->exp->as.concat.arrays;
        for (size_t k = 0; k < 2; k++) {
            found = found || (fuse_one_row(f, parts[k], &row) &&
                              maps_scan(f, parts[1 - k], 0, false, looks));
        }
    }
    return found;
}

/* Rows of the array, so many axes deep, are maps of rows of a scan, or of what such maps make of them; or (!mapped) they are
   that scan's themselves, perhaps with one more. What is a row of another array, is one axis further in. */
static bool maps_scan(Fuse *f, CoreAtom array, int depth, bool mapped, int *looks)
{
    while (array.name != NULL && fuse_name(f, array.name)->row_of != NULL) {
        array = core_use(fuse_name(f, array.name)->row_of);
        depth++;
    }
    const CoreStm *stm = fuse_definition(f, array);
    if (stm == NULL || --*looks < 0) {
        return false;
    }
    if (!fuse_is_soac(stm)) {
        return depth == 0 && !mapped && are_scan_and_one_more(f, stm, looks);
    }
    if (!fuse_is_map(stm)) {
        return depth == 0 && !mapped && stm->exp->as.soac.scan_count > 0;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    if (depth > 0) {
        size_t k = 0;
        while (stm->pattern[k] != array.name) {
            k++;
        }
        return maps_scan(f, soac->map->body->results[k], depth - 1, mapped, looks);
    }
    bool any = false;
    for (size_t i = 0; i < soac->input_count && !any; i++) {
        any = maps_scan(f, soac->inputs[i], 0, false, looks);
    }
    return any;
}

enum { MOST_LOOKS = 32 }; /* at maps on the way */

bool fuse_maps_scan(Fuse *f, CoreAtom array, int depth)
{
    int looks = MOST_LOOKS;
    return maps_scan(f, array, depth, true, &looks);
}

bool fuse_is_of_scan(Fuse *f, CoreAtom array, int depth)
{
    int looks = MOST_LOOKS;
    return maps_scan(f, array, depth, false, &looks);
}

static bool shows_maps_of_scan(Fuse *f, const CoreStm *view, int *looks);

/* Rows of the array are, however deep, or of what it is a view of, or of a part of it, where it is a catenation. */
static bool has_maps_of_scan(Fuse *f, CoreAtom array, int *looks)
{
    const CoreStm *stm = fuse_definition(f, array);
    bool found = stm != NULL && core_is_view(stm->exp->kind) && shows_maps_of_scan(f, stm, looks);
    for (int depth = 0; array.name != NULL && depth < array.name->type.rank && !found; depth++) {
        found = fuse_maps_scan(f, array, depth);
    }
    return found;
}

static bool shows_maps_of_scan(Fuse *f, const CoreStm *view, int *looks)
{
    const CoreStm *stm = view;
    CoreAtom array = core_i64(0);
    bool turns = true;
    while (stm != NULL && turns && --*looks >= 0) { /* through views that turn all of it */
        const CoreExp *exp = stm->exp;
        turns = stm->certificate_count == 0;
        switch ((int)exp->kind) { /* others are no such views */
        case CORE_EXP_ROTATE: array = exp->as.rotate.array; break;
        case CORE_EXP_REVERSE: array = exp->as.reverse.array; break;
        case CORE_EXP_REARRANGE: array = exp->as.rearrange.array; break;
        case CORE_EXP_PAD:
            turns = stm == view && exp->as.pad.axis == 0;
            array = turns ? exp->as.pad.array : array;
            break;
        case CORE_EXP_SLICE:
            turns = stm == view && fuse_is_nearly_all(f, view);
            array = turns ? exp->as.slice.array : array;
            break;
        case CORE_EXP_CONCAT:
            turns = false;
            for (size_t k = 0; stm == view && k < exp->as.concat.count; k++) {
                if (has_maps_of_scan(f, exp->as.concat.arrays[k], looks)) {
                    return true;
                }
            }
            break;
        default: turns = false;
        }
        stm = turns ? fuse_definition(f, array) : stm;
    }
    return array.name != NULL && stm != NULL && has_maps_of_scan(f, array, looks);
}

bool fuse_is_view_of_scan(Fuse *f, const CoreStm *view)
{
    int looks = MOST_LOOKS;
    return shows_maps_of_scan(f, view, &looks);
}

bool fuse_is_stored_view(Fuse *f, const CoreStm *stm, const FuseName *name)
{
    switch ((int)stm->exp->kind) { /* the others are no copies, or choose in their own way */
    case CORE_EXP_INDEX:
    case CORE_EXP_REPLICATE:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_SLICE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD:
        return name->uses.escapes && name->name->type.rank > 0 && !fuse_is_view_of_scan(f, stm);
    case CORE_EXP_CYCLE:
        return name->uses.escapes && !name->uses.kept && !fuse_is_dear_view(f, stm, name);
    }
    return false;
}

/* All of it, once. */
static FuseReadings whole_reading(Fuse *f, const FuseName *name)
{
    Shape shape = shape_of(f, name->name->type);
    FusePlace place = name->uses.place;
    return (FuseReadings){.sites = 1,
                          .times = place.times * shape.rows,
                          .loops = place.loops + shape.axes,
                          .around = place.around,
                          .seen = name->name->type};
}

/* What is wanted of a view is wanted of the array. A view that is needed whole reads it once: where the
   array is computed, what is stored is the view. */
static void hand_on(Fuse *f, const CoreStm *stm, CoreAtom array)
{
    const FuseName *view = fuse_name(f, stm->pattern[0]);
    if (!array.name || array.name->type.rank == 0) {
        return;
    }
    read_elsewhere(f, array, true);
    if (fuse_is_stored_view(f, stm, view)) {
        want(f, array, through_view(f, stm, array, whole_reading(f, view)));
        return;
    }
    if (fuse_is_dear_view(f, stm, view)) { /* it will be stored, from an array that is */
        escape_for(f, array, CORE_REASON_STORED);
        return;
    }
    want(f, array, through_view(f, stm, array, view->uses.readings));
    FuseName *name = fuse_name(f, array.name);
    name->uses.views =
        name->uses.views > view->uses.views ? name->uses.views : view->uses.views + 1;
    if (view->uses.escapes || name->uses.views > FUSE_MOST_VIEWS) {
        escape_for(f, array, view->uses.escapes ? view->uses.why : CORE_REASON_HEIGHT);
    }
}

static void use_body(Fuse *f, const CoreBody *body, FusePlace place, CoreReason results);

static void use_lambda(Fuse *f, const CoreLambda *lambda, FusePlace inner)
{
    use_body(f, lambda->body, inner, CORE_REASON_ROW);
}

/* What the map reads, where the map itself is read: elsewhere, and as a part of what else a view has there. */
typedef struct ReadOfMap {
    bool elsewhere, chosen;
} ReadOfMap;

static ReadOfMap read_of_map(Fuse *f, const CoreStm *stm)
{
    ReadOfMap read = {0};
    for (size_t i = 0; i < stm->pattern_count && fuse_is_map(stm); i++) {
        const FuseName *name = fuse_name(f, stm->pattern[i]);
        bool is_stored = name->uses.escapes || name->stays != CORE_REASON_NONE;
        read.elsewhere = read.elsewhere || (name->uses.elsewhere && !is_stored);
        read.chosen = read.chosen || (name->uses.readings.chosen && !is_stored);
    }
    return read;
}

/* A row of each input is what the parameter is. */
static void use_rows(Fuse *f, const CoreStm *stm, FusePlace inner)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    const CoreAtom *inputs = soac->inputs;
    ReadOfMap read = read_of_map(f, stm);
    for (size_t i = 0; i < soac->input_count; i++) {
        const FuseName *parameter = fuse_name(f, soac->map->parameters[i]);
        read_elsewhere(f, inputs[i], read.elsewhere || parameter->uses.elsewhere);
        if (parameter->name->type.unique) {
            escape_for(f, inputs[i], CORE_REASON_CONSUMED);
        } else if (parameter->name->type.rank == 0) {
            FuseReadings one = one_reading(inner, inputs[i]);
            one.chosen = one.chosen || read.chosen;
            want(f, inputs[i], one);
        } else {
            want(f, inputs[i], parameter->uses.readings);
            if (parameter->uses.escapes) {
                escape_for(f, inputs[i], parameter->uses.why);
            }
        }
    }
}

/* A map that need not be stored: all its results are read by their elements, and not again and again. */
static bool may_be_read(Fuse *f, const CoreStm *stm)
{
    bool good = fuse_is_map(stm);
    for (size_t i = 0; good && i < stm->pattern_count; i++) {
        const FuseName *name = fuse_name(f, stm->pattern[i]);
        good = !name->uses.escapes && name->stays == CORE_REASON_NONE && !fuse_is_repeated(f, name);
    }
    return good;
}

size_t fuse_times_of_map(Fuse *f, const CoreStm *stm)
{
    size_t times = 0, count = may_be_read(f, stm) ? stm->pattern_count : 0;
    for (size_t i = 0; i < count; i++) {
        times += fuse_times(f, fuse_name(f, stm->pattern[i]));
    }
    return times > 0 ? times : 1;
}

/* Long axes of its rows, whose elements are then computed one by one. */
static int axes_of_rows(Fuse *f, const CoreStm *stm)
{
    int axes = 0;
    size_t count = may_be_read(f, stm) ? stm->pattern_count : 0;
    for (size_t i = 0; i < count; i++) {
        int more = shape_of(f, core_row(stm->pattern[i]->type)).axes;
        axes = more > axes ? more : axes;
    }
    return axes;
}

static void use_soac(Fuse *f, const CoreStm *stm, FusePlace place)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t times = fuse_times_of_map(f, stm);
    FusePlace inner = inside(f, place, soac->width);
    inner.times = inner.times < MOST_SITES ? inner.times * times : inner.times;
    FusePlace rows = inner;
    rows.beside = axes_of_rows(f, stm);
    use_lambda(f, soac->map, rows);
    for (size_t i = 0; i < soac->reduction_count; i++) {
        use_lambda(f, soac->reductions[i].function, inner);
        for (size_t k = 0; k < soac->reductions[i].function->body->result_count; k++) {
            escape_for(f, soac->reductions[i].neutral[k], CORE_REASON_NEUTRAL);
        }
    }
    for (size_t i = 0; i < soac->scan_count; i++) {
        use_lambda(f, soac->scans[i].function, inner);
        for (size_t k = 0; k < soac->scans[i].function->body->result_count; k++) {
            escape_for(f, soac->scans[i].neutral[k], CORE_REASON_NEUTRAL);
        }
    }
    if (stm->exp->level == CORE_LEVEL_AUTO) {
        use_rows(f, stm, rows);
    } else {
        f->why = CORE_REASON_PLACED;
        core_each_operand(stm->exp, escape, f);
    }
}

/* x[i / m]: each element of a vector is read m times, whatever is known of the loop over i. */
static int quotient_axes(Fuse *f, const CoreExp *index)
{
    const CoreStm *stm = fuse_definition(f, index->as.index.indices[0]);
    return index->as.index.count == 1 && stm && stm->exp->kind == CORE_EXP_BINARY &&
                   stm->exp->as.scalar.op == CORE_DIV
               ? long_axes(f, stm->exp->as.scalar.y)
               : 0;
}

static void use_view(Fuse *f, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    switch ((int)exp->kind) { /* views */
    case CORE_EXP_ATOM: hand_on(f, stm, exp->as.atom); return;
    case CORE_EXP_INDEX: hand_on(f, stm, exp->as.index.array); return;
    case CORE_EXP_REPLICATE: hand_on(f, stm, exp->as.replicate.value); return;
    case CORE_EXP_REARRANGE: hand_on(f, stm, exp->as.rearrange.array); return;
    case CORE_EXP_RESHAPE: hand_on(f, stm, exp->as.reshape.array); return;
    case CORE_EXP_CYCLE: hand_on(f, stm, exp->as.cycle.array); return;
    case CORE_EXP_ROTATE: hand_on(f, stm, exp->as.rotate.array); return;
    case CORE_EXP_REVERSE: hand_on(f, stm, exp->as.reverse.array); return;
    case CORE_EXP_SLICE: hand_on(f, stm, exp->as.slice.array); return;
    case CORE_EXP_PAD: hand_on(f, stm, exp->as.pad.array); return;
    case CORE_EXP_CONCAT:
        for (size_t i = 0; i < exp->as.concat.count; i++) {
            hand_on(f, stm, exp->as.concat.arrays[i]);
        }
        return;
    }
}

/* Why an expression that is neither view nor SOAC needs its operands whole. */
static CoreReason why_whole(const CoreExp *exp)
{
    switch ((int)exp->kind) { /* the others just do */
    case CORE_EXP_UPDATE: return CORE_REASON_UPDATED;
    case CORE_EXP_LOOP: return CORE_REASON_STATE;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: return CORE_REASON_KEPT;
    case CORE_EXP_SCATTER:
    case CORE_EXP_HIST: return CORE_REASON_SCATTER;
    case CORE_EXP_ORDER:
    case CORE_EXP_DIGIT_SORT: return CORE_REASON_SORTED;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ: return CORE_REASON_STREAM;
    case CORE_EXP_FORMAT: return CORE_REASON_EFFECT;
    }
    return core_is_effect(exp->kind) ? CORE_REASON_EFFECT : CORE_REASON_OPERAND;
}

/* Of the branches one runs: what both read is read as often as by the one that reads it more often. */
static void use_branches(Fuse *f, const CoreExp *exp, FusePlace place)
{
    size_t first = f->wanted.count, end;
    place.chosen = place.around != NULL;
    f->branches++;
    use_body(f, exp->as.conditional.then_body, place, CORE_REASON_BRANCH);
    end = f->wanted.count;
    for (size_t i = first; i < end; i++) {
        f->wanted.items[i].after = fuse_name(f, f->wanted.items[i].name)->uses.readings.times;
    }
    for (size_t i = end; i-- > first;) {
        fuse_name(f, f->wanted.items[i].name)->uses.readings.times = f->wanted.items[i].before;
    }
    use_body(f, exp->as.conditional.else_body, place, CORE_REASON_BRANCH);
    for (size_t i = first; i < end; i++) {
        size_t *times = &fuse_name(f, f->wanted.items[i].name)->uses.readings.times;
        *times = *times > f->wanted.items[i].after ? *times : f->wanted.items[i].after;
    }
    if (--f->branches == 0) { /* else those around it want to know */
        f->wanted.count = 0;
    }
}

static void use_stm(Fuse *f, const CoreStm *stm, FusePlace place)
{
    const CoreExp *exp = stm->exp;
    for (size_t i = 0; i < stm->pattern_count; i++) {
        fuse_name(f, stm->pattern[i])->uses.place = place;
    }
    switch ((int)exp->kind) { /* the others need all of their operands */
    case CORE_EXP_INDEX:
        if (stm->pattern[0]->type.rank == 0) {
            place.beside += quotient_axes(f, exp);
            want(f, exp->as.index.array, one_reading(place, exp->as.index.array));
            read_elsewhere(f, exp->as.index.array, true);
            return;
        } /* fall through */
    case CORE_EXP_REPLICATE:
    case CORE_EXP_REARRANGE:
    case CORE_EXP_RESHAPE:
    case CORE_EXP_CYCLE:
    case CORE_EXP_ROTATE:
    case CORE_EXP_REVERSE:
    case CORE_EXP_SLICE:
    case CORE_EXP_CONCAT:
    case CORE_EXP_PAD:
    case CORE_EXP_ATOM: use_view(f, stm); return;
    case CORE_EXP_COPY:
        fuse_name(f, exp->as.array.name)->uses.kept =
            fuse_name(f, exp->as.array.name)->uses.kept || exp->space != CORE_SPACE_AUTO;
        break;
    case CORE_EXP_SOAC: use_soac(f, stm, place); return;
    case CORE_EXP_IF: use_branches(f, exp, place); return;
    case CORE_EXP_LOOP: use_body(f, exp->as.loop.body, in_loop(f, place), CORE_REASON_STATE); break;
    case CORE_EXP_COMPACT:
    case CORE_EXP_FILTER: use_lambda(f, exp->as.filter.predicate, in_loop(f, place)); break;
    case CORE_EXP_HIST: use_lambda(f, exp->as.scatter.op, in_loop(f, place)); break;
    case CORE_EXP_STREAM_MAP:
    case CORE_EXP_STREAM_RED:
    case CORE_EXP_STREAM_SEQ:
        use_lambda(f, exp->as.stream.fold, in_loop(f, place));
        if (exp->as.stream.reduce) {
            use_lambda(f, exp->as.stream.reduce, in_loop(f, place));
        }
        break;
    }
    f->why = why_whole(exp);
    core_each_operand(exp, escape, f);
}

/* Results that are rows of a map are stored with it: whoever wants them wants them whole, unless
   they are a map's themselves, which demand.c enters. */
static void use_body(Fuse *f, const CoreBody *body, FusePlace place, CoreReason results)
{
    for (size_t i = 0; i < body->result_count; i++) {
        escape_for(f, body->results[i], results);
    }
    f->why = CORE_REASON_CLOCK;
    fuse_each_timed(f, body, escape, f);
    for (size_t i = body->stm_count; i-- > 0;) {
        use_stm(f, body->stms[i], place);
    }
}

void fuse_find_uses(Fuse *f, const CoreFunction *function)
{
    use_body(f, function->body, (FusePlace){.times = 1}, CORE_REASON_RESULT);
}
