/* Rows by groups: a nest as it was, of which a group of work-items does each iteration. What the parts of a
   flattened nest hand each other by way of memory, whole arrays of rows, is in local memory then, and a row that
   several of them read is read once:

       map n (\row -> {                                       map @group n (\row -> {
         let m = reduce k max row                               the same
         let (s, es) = redomap k exp + row             ==>    }) rows
         let ys = map k (/ s) es
         in ys }) rows

   For rows of some hundred to some thousand elements: fewer leave work-items without work, and more have no room.
   On an H200, with 2^25 reals, the softmax takes 0.71 of the time of a flattened nest where rows have 512 elements, 0.95
   of 256, 1.1 of 200 and 1.6 of 128, a sum by which its row is divided 0.95 of 512 and 1.2 of 256; a scan of
   10^8 integers whose rows are reduced 0.47 ms for 1.0 of 900, 0.50 for 0.46 of 500, 0.58 for 0.39 of 400; of 200 rows alone
   the softmax takes a third, since that is one launch instead of three.

   A loop of SOACs is worth a group of fewer rows: a flattened nest goes through all of memory in each step, and a
   work-item alone has no room for a row. (On an H200, 200 steps of a stencil of 20,000 rows: of 12 elements 1.0 ms in
   either way, of 16 1.0 for 2.5, of 300 2.9 for 6.3, of 1,000 5.7 for 19; of 100,000 rows of 32 4.7 for 3.4, of 48 4.9
   for 5.1. Where a step is one scan, 20 of them took 3.7 ms for 2.5 of 200,000 rows of 100, 3.4 for 2.8 of 80,000 of 250.) What becomes of its rows does not matter then: a reduction of them is a kernel of its own.

   What a group can do: group_work.c. Lowering has a work-item a row where a group is no more than that, and groups of
   64 or 256 work-items for loops (backend/lower/group.c). */
#include "core/flatten/groups.h"

enum {
    FEW_ROWS = 64,     /* where there are few of them: a launch costs more */
    SOME_ROWS = 512,   /* where there are many: of two passes, */
    MEDIUM_ROWS = 256, /* and of more, or of scans whose rows are stored */
    FEW_PASSES = 2,
    FEW_GROUPS = 1024, /* "few" */
    FEW_ROWS_IN_LOOPS = 8,
    FEW_GROUPS_IN_LOOPS = 1 << 12,
    MEDIUM_ROWS_IN_LOOPS = 16,
    MEDIUM_GROUPS_IN_LOOPS = 1 << 15,
    SOME_ROWS_IN_LOOPS = 64,
    SCANNED_ROWS_IN_LOOPS = 256, /* where a step is one scan or two */
    ROWS_BESIDE_MATRICES = 128,
    MOST_ROWS = 4096,
    MOST_BYTES = 31 * 1024, /* of local memory, of which OpenCL guarantees 32 kB */
    MOST_BYTES_OF_ARRAYS = 16 * 1024,
    BYTES_OF_ACCUMULATOR = 8 * (256 + 2 * 16)
};

/* ---- memory --------------------------------------------------------------------------------- */

/* Of local memory: bytes in all, and those of an element of each array whose size is no constant, and of each such
   matrix. */
typedef struct Memory {
    int64_t bytes, of_accumulators, of_elements, of_matrices;
    bool has_loops;
} Memory;

static void add_array(Memory *memory, CoreType type, int64_t copies)
{
    int64_t bytes = copies * core_prim_bytes(type.prim);
    for (int axis = 0; axis < type.rank; axis++) {
        if (type.sizes[axis].name) {
            int64_t *of = type.rank > 1 ? &memory->of_matrices : &memory->of_elements;
            *of += copies * core_prim_bytes(type.prim);
            return;
        }
        int64_t size = type.sizes[axis].as.integer;
        size = axis > 0 && axis == type.rank - 1 ? size | 1 : size;
        bytes = size > MOST_BYTES ? MOST_BYTES + 1 : bytes * size;
        bytes = bytes > MOST_BYTES ? MOST_BYTES + 1 : bytes;
    }
    memory->bytes += bytes;
}

static size_t width_of(size_t count, const CoreReduction *folds)
{
    size_t width = 0;
    for (size_t k = 0; k < count; k++) {
        width += folds[k].function->body->result_count;
    }
    return width;
}

/* Of the memory that all devices have an accumulator takes an element for each work-item, and a few more. */
static void add_soac(Memory *memory, const CoreBody *body, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t folds =
        width_of(soac->reduction_count, soac->reductions) + width_of(soac->scan_count, soac->scans);
    memory->of_accumulators += (int64_t)folds * BYTES_OF_ACCUMULATOR;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (stm->pattern[k]->type.rank > 0 && !group_is_result(body, stm->pattern[k])) {
            add_array(memory, stm->pattern[k]->type, 1);
        }
    }
}

static void add_body(Memory *memory, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (stm->exp->kind == CORE_EXP_SOAC) {
            add_soac(memory, body, stm);
        }
        for (size_t k = 0; k < stm->pattern_count && stm->exp->kind == CORE_EXP_LOOP; k++) {
            if (stm->pattern[k]->type.rank > 0) {
                add_array(memory, stm->exp->as.loop.parameters[k]->type, 2);
            }
        }
        if (stm->exp->kind == CORE_EXP_COPY) {
            add_array(memory, stm->pattern[0]->type, 1);
        }
        if (stm->exp->kind == CORE_EXP_LOOP) {
            memory->has_loops = true;
            add_body(memory, stm->exp->as.loop.body);
        }
    }
}

int64_t core_group_capacity(const CoreBody *body, int rank)
{
    Memory memory = {0};
    add_body(&memory, body);
    int64_t room = MOST_BYTES - memory.of_accumulators;
    if (room > MOST_BYTES_OF_ARRAYS && !memory.has_loops) {
        room = MOST_BYTES_OF_ARRAYS;
    }
    room -= memory.bytes;
    if (memory.of_matrices > 0) {
        room -= ROWS_BESIDE_MATRICES * memory.of_elements;
    }
    int64_t each = memory.of_matrices > 0 ? memory.of_matrices : memory.of_elements;
    int64_t most = room < 0 ? 0 : each == 0 ? MOST_ROWS : room / each;
    most = most < MOST_ROWS ? most : MOST_ROWS;
    bool beside = memory.of_matrices > 0 && rank == 1;
    return beside && most > ROWS_BESIDE_MATRICES ? ROWS_BESIDE_MATRICES : most;
}

/* ---- the version --------------------------------------------------------------------------- */

/* The number of elements of arrays of this type; `apart`: with those between rows in local memory, one at most. */
static CoreAtom elements_of(CoreBuilder *b, CoreType type, bool apart)
{
    CoreAtom elements = type.sizes[0];
    for (int axis = 1; axis < type.rank; axis++) {
        CoreAtom size = type.sizes[axis];
        if (apart && axis == type.rank - 1) {
            size = core_let_binary(b, "apart", CORE_ADD, size, core_i64(1));
        }
        elements = core_let_binary(b, "elements", CORE_MUL, elements, size);
    }
    return elements;
}

static bool has(size_t count, const CoreType *types, CoreType type)
{
    for (size_t k = 0; k < count; k++) {
        if (core_has_same_sizes(types[k], type)) {
            return true;
        }
    }
    return false;
}

static CoreAtom both(CoreBuilder *b, CoreAtom x, CoreAtom y)
{
    return x.name || x.as.integer == 0 ? core_let_binary(b, "fits", CORE_AND, x, y) : y;
}

/* Arrays have room, and work-items not too many rows each; `most`: elements of the largest nest. */
static CoreAtom fits_in_group(const GroupWork *work, CoreBuilder *b, const CoreBody *body,
                              CoreAtom *most)
{
    CoreAtom fits = core_bool(true);
    const CoreType *arrays = work->in_local.items, *nests = work->extents.items;
    for (size_t i = 0; i < work->in_local.count; i++) {
        if (!has(i, arrays, arrays[i])) {
            CoreAtom elements = elements_of(b, arrays[i], true);
            CoreAtom capacity = core_i64(core_group_capacity(body, arrays[i].rank));
            fits = both(b, fits, core_let_binary(b, "fits", CORE_LE, elements, capacity));
        }
    }
    for (size_t i = 0; i < work->extents.count; i++) {
        if (has(i, nests, nests[i])) {
            continue;
        }
        CoreAtom elements = elements_of(b, nests[i], false);
        *most = i == 0 ? elements : core_let_binary(b, "most", CORE_MAX, *most, elements);
        if (!has(work->in_local.count, arrays, nests[i])) {
            fits =
                both(b, fits, core_let_binary(b, "fits", CORE_LE, elements, core_i64(MOST_ROWS)));
        }
    }
    return fits;
}

/* There are so many rows at least, and so few groups. */
static CoreAtom rows_and_groups(CoreBuilder *b, const CoreSoac *soac, CoreAtom most, int64_t rows,
                                int64_t groups)
{
    CoreAtom enough = core_let_binary(b, "enough", CORE_GE, most, core_i64(rows));
    CoreAtom few = core_let_binary(b, "few", CORE_LE, soac->width, core_i64(groups));
    return core_let_binary(b, "enough", CORE_AND, enough, few);
}

/* Rows have elements for all work-items, and room. */
static CoreAtom suits_groups(const GroupWork *work, CoreBuilder *b, const CoreStm *nest)
{
    const CoreSoac *soac = &nest->exp->as.soac;
    CoreAtom most;
    CoreAtom fits = fits_in_group(work, b, soac->map->body, &most);
    if (work->f->c->options.group_all) {
        return fits;
    }
    bool few_passes = work->count <= FEW_PASSES, numbers = flatten_leaves_numbers(nest);
    if (work->deep) {
        CoreAtom few = rows_and_groups(b, soac, most, FEW_ROWS_IN_LOOPS, FEW_GROUPS_IN_LOOPS);
        CoreAtom medium =
            rows_and_groups(b, soac, most, MEDIUM_ROWS_IN_LOOPS, MEDIUM_GROUPS_IN_LOOPS);
        int64_t rows = few_passes && work->scans ? SCANNED_ROWS_IN_LOOPS : SOME_ROWS_IN_LOOPS;
        CoreAtom enough = core_let_binary(b, "enough", CORE_GE, most, core_i64(rows));
        enough = core_let_binary(b, "enough", CORE_OR, enough, medium);
        enough = core_let_binary(b, "enough", CORE_OR, enough, few);
        return core_let_binary(b, "suits", CORE_AND, enough, fits);
    }
    int64_t rows = few_passes && (!work->scans || numbers) ? SOME_ROWS : MEDIUM_ROWS;
    CoreAtom some = core_let_binary(b, "some", CORE_GE, most, core_i64(rows));
    CoreAtom enough = rows_and_groups(b, soac, most, FEW_ROWS, FEW_GROUPS);
    enough = core_let_binary(b, "enough", CORE_OR, enough, some);
    return core_let_binary(b, "suits", CORE_AND, enough, fits);
}

/* All sizes are known, and small. */
static bool has_few_rows(const GroupWork *work)
{
    const int64_t few = work->deep ? FEW_ROWS_IN_LOOPS : FEW_ROWS;
    int64_t most = 0;
    for (size_t i = 0; i < work->extents.count; i++) {
        int64_t rows = 1;
        for (int axis = 0; axis < work->extents.items[i].rank && rows < few; axis++) {
            CoreAtom size = work->extents.items[i].sizes[axis];
            rows = size.name || size.as.integer >= few ? few : rows * size.as.integer;
        }
        most = rows > most ? rows : most;
    }
    return most < few && !work->f->c->options.group_all;
}

/* What a group would do of the SOAC's function; false where it cannot. */
static bool look_at(const Flatten *f, const CoreStm *stm, MapContext *context, GroupWork *work)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    Flatten *alone = ARENA_NEW(f->c->arena, Flatten);
    *alone = flatten_nest(f);
    *context = flatten_context(alone, NULL, stm, soac->map->body);
    *work = (GroupWork){.f = f, .context = context};
    return group_takes(work, soac) && !has_few_rows(work) &&
           core_group_capacity(soac->map->body, 1) >= (work->deep ? FEW_ROWS_IN_LOOPS : FEW_ROWS);
}

typedef struct Parting {
    Flatten *f;
    MapContext context;
    bool found;
} Parting;

static const CoreBody *part_body(void *context, const CoreBody *old)
{
    Parting *parting = context;
    CoreBuilder b = core_builder(parting->f->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        bool both = fuse_is_soac(stm) && stm->exp->as.soac.reduction_count > 0 &&
                    stm->exp->as.soac.scan_count > 0;
        if (both && flatten_split(parting->f, &parting->context, stm, &b)) {
            parting->found = true;
        } else {
            core_add(&b, stm->exp->kind == CORE_EXP_LOOP
                             ? core_map_stm(parting->f->c, stm, part_body, parting)
                             : stm);
        }
    }
    return core_with_stms(parting->f->c, old, b.stms.count, b.stms.items);
}

/* The SOAC with reductions and scans in its function parted, which a group does one after the other. */
static const CoreStm *parted(const Flatten *f, const CoreStm *old)
{
    if (!fuse_is_soac(old)) {
        return old;
    }
    Flatten *alone = ARENA_NEW(f->c->arena, Flatten);
    *alone = flatten_nest(f);
    alone->counts = ARENA_ARRAY(f->c->arena, size_t, CORE_RULE_COUNT);
    memset(alone->counts, 0, CORE_RULE_COUNT * sizeof *alone->counts);
    const CoreBody *body = old->exp->as.soac.map->body;
    Parting parting = {.f = alone, .context = flatten_context(alone, NULL, old, body)};
    body = part_body(&parting, body);
    if (!parting.found) {
        return old;
    }
    CoreStm *stm = arena_copy(f->c->arena, old, sizeof *stm);
    CoreExp *exp = core_exp_copy(f->c, old->exp);
    CoreLambda *map = arena_copy(f->c->arena, exp->as.soac.map, sizeof *map);
    map->body = body;
    exp->as.soac.map = map;
    stm->exp = exp;
    return stm;
}

bool flatten_can_group(const Flatten *f, const CoreStm *stm)
{
    MapContext context;
    GroupWork work;
    return fuse_is_soac(stm) && look_at(f, parted(f, stm), &context, &work);
}

const CoreStm *flatten_groups(const Flatten *f, const CoreStm *old, CoreBuilder *b, CoreAtom *suits)
{
    MapContext context;
    GroupWork work;
    old = parted(f, old);
    if (!fuse_is_map(old) || !look_at(f, old, &context, &work)) {
        return NULL;
    }
    const CoreStm *nest = work.deep ? group_keep_matrices(&work, old) : old;
    if (nest != old && !look_at(f, nest, &context, &work)) {
        return NULL;
    }
    *suits = suits_groups(&work, b, nest);
    CoreStm *stm = arena_copy(f->c->arena, nest, sizeof *stm);
    stm->exp = core_exp_placed(f->c, nest->exp, CORE_GROUP, nest->exp->space);
    return stm;
}
