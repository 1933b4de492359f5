/* Assignments that are choices by position: to nearly all of an array, as to all of a grid but its border, and to elements of
   what a map makes for nothing else:

       let v = map m g xs                               let r = map n (\i x -> if i >= 1 and i < m + 1 then { v[i - 1] }
       let r = u with [1 :+ m * 1] <- v      ==>                               else { x }) (iota n) u
       where m = n - 2                                  and then with g (xs[i - 1]) for v[i - 1]

   In place the block would be written alone; but what it is written with often reads the array, as the next step of a grid
   does, and is stored first then, and written once more. Of all elements but a constant number of rows nothing is lost: they are
   read, or computed, and written once, and what takes the array takes the choice. Where the block is made by other than maps, a
   scan, say, it is written in place.

       let r = map n f xs                               let s = map n (\i x -> if i == 0 then 7 else f x) (iota n) xs
       let s = r with [0] <- 7                    ==>

   Here the map need not be stored for the element. On the host: what a work-item writes for itself is flatten/updates.c's. */
#include "core/fuse/fuse.h"

enum {
    MOST_LEFT = 64,   /* rows of an axis that are not assigned */
    MOST_ELEMENTS = 4 /* assignments to elements, or rows, one after the other */
};

typedef struct Axis {
    CoreAtom first, end; /* of the block: from where on, and where no longer */
    bool whole, fixed;
} Axis;

typedef struct Blocks {
    Fuse *f;
    PointerMap uses; /* in the body at work */
} Blocks;

/* ---- which ----------------------------------------------------------------------------------- */

static bool is_nearly_all(Fuse *f, const CoreSlice *slice, CoreAtom extent)
{
    CoreAtom less;
    return !slice->fixed && core_atom_equal(slice->stride, core_i64(1)) &&
           fuse_is_less(f, slice->count, extent, &less) && less.name == NULL &&
           less.as.integer >= 0 && less.as.integer <= MOST_LEFT &&
           (extent.name != NULL || less.as.integer <= extent.as.integer / 2);
}

/* It can be read element by element: it is there, or maps make it. */
static bool has_elements(Fuse *f, CoreAtom value)
{
    const CoreName *origin = fuse_origin(f, value);
    const CoreStm *stm =
        origin ? fuse_definition(f, core_use((CoreName *)(uintptr_t)origin)) : NULL;
    return stm == NULL || fuse_is_map(stm) || core_is_view(stm->exp->kind) ||
           stm->exp->kind == CORE_EXP_LITERAL || stm->exp->kind == CORE_EXP_COPY;
}

/* Where the copy lies is said by hand. */
static bool is_placed(const CoreStm *copy)
{
    return copy != NULL && copy->exp->kind == CORE_EXP_COPY && copy->exp->space != CORE_SPACE_AUTO;
}

/* A map of scalars, or of rows that such a map makes, and nothing besides. */
static bool is_of_elements(const CoreStm *stm, int rank)
{
    if (rank == 1 || !fuse_is_map(stm) || core_may_fail(stm) || stm->pattern_count != 1) {
        return rank == 1 && fuse_is_map_of_scalars(stm);
    }
    const CoreBody *body = stm->exp->as.soac.map->body;
    bool good = false;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *inner = body->stms[i];
        bool makes = inner->pattern_count == 1 && inner->pattern[0] == body->results[0].name;
        if (makes ? !is_of_elements(inner, rank - 1) : !fuse_is_total_stm(inner)) {
            return false;
        }
        good = good || makes;
    }
    return good;
}

/* Elements, rows and the like of what a map makes, which nothing else takes. */
static bool is_of_map(const Blocks *blocks, const CoreStm *stm)
{
    if (stm->exp->kind != CORE_EXP_UPDATE) {
        return false;
    }
    int rank = stm->pattern[0]->type.rank;
    for (int i = 0; i < MOST_ELEMENTS && stm && stm->exp->kind == CORE_EXP_UPDATE; i++) {
        CoreAtom array = stm->exp->as.update.array;
        bool steps = true; /* by one */
        for (int axis = 0; axis < rank; axis++) {
            const CoreSlice *slice = &stm->exp->as.update.slices[axis];
            steps = steps && (slice->fixed || core_atom_equal(slice->stride, core_i64(1)));
        }
        if (!steps || core_uses_of(&blocks->uses, array.name) != 1 ||
            !has_elements(blocks->f, stm->exp->as.update.value)) {
            return false;
        }
        stm = fuse_definition(blocks->f, array);
    }
    return stm != NULL && fuse_is_soac(stm) && is_of_elements(stm, rank);
}

static bool is_block(Fuse *f, const CoreStm *stm)
{
    if (stm->exp->kind != CORE_EXP_UPDATE ||
        is_placed(fuse_definition(f, stm->exp->as.update.array))) {
        return false;
    }
    CoreType type = stm->pattern[0]->type;
    bool nearly = true, whole = true;
    for (int axis = 0; axis < type.rank; axis++) {
        const CoreSlice *slice = &stm->exp->as.update.slices[axis];
        nearly = nearly && is_nearly_all(f, slice, type.sizes[axis]);
        whole = whole && nearly && core_atom_equal(slice->count, type.sizes[axis]);
    }
    return nearly && !whole && has_elements(f, stm->exp->as.update.value);
}

/* ---- the choice ------------------------------------------------------------------------------ */

typedef struct Block {
    Fuse *f;
    const CoreStm *stm;
    Axis *axes;
    CoreAtom *indices; /* in the block, of the axes so far that it has */
    size_t count;      /* of those */
    CoreAtom inside;   /* of the block along these, */
    bool is_all;       /* which are whole */
} Block;

static CoreAtom chosen(Block *block, CoreBuilder *b, CoreAtom was)
{
    Compilation *c = b->c;
    CoreBuilder written = core_builder(c, b->span), left = written;
    CoreBuilder *values = block->is_all ? b : &written;
    CoreAtom value = block->stm->exp->as.update.value;
    if (block->count > 0) {
        value = core_let_index(values, "value", value, block->count, block->indices);
    }
    return block->is_all ? value
                         : core_let(b, "x", core_atom_type(was),
                                    core_exp_if(c, block->inside, core_body(&written, 1, &value),
                                                core_body(&left, 1, &was)));
}

/* Along this axis the position is inside of the block. */
static void note_position(Block *block, CoreBuilder *b, int axis, CoreAtom i)
{
    const Axis *at = &block->axes[axis];
    CoreAtom both;
    if (at->whole) {
        block->indices[block->count++] = i;
        return;
    }
    if (at->fixed) {
        both = core_let_binary(b, "is", CORE_EQ, i, at->first);
    } else {
        CoreAtom after = core_let_binary(b, "after", CORE_GE, i, at->first);
        CoreAtom before = core_let_binary(b, "before", CORE_LT, i, at->end);
        both = core_let_binary(b, "within", CORE_AND, after, before);
        block->indices[block->count++] = core_let_binary(b, "at", CORE_SUB, i, at->first);
    }
    bool first = block->is_all;
    block->is_all = false;
    block->inside = first ? both : core_let_binary(b, "inside", CORE_AND, block->inside, both);
}

/* map n (\i row -> ...) (iota n) rows, of the rows at that axis. */
static const CoreExp *rows_of(Block *block, CoreBuilder *b, int axis, CoreAtom rows)
{
    Compilation *c = b->c;
    CoreAtom n = core_atom_type(rows).sizes[0];
    CoreType row = core_row(core_atom_type(rows));
    CoreName *parameters[2] = {core_name(c, "i", core_scalar(CORE_I64), b->span),
                               core_name(c, row.rank > 0 ? "row" : "x", row, b->span)};
    CoreAtom inputs[2] = {core_let_iota(b, "positions", n), rows}, result;
    CoreBuilder inner = core_builder(c, b->span);
    note_position(block, &inner, axis, core_use(parameters[0]));
    result = row.rank == 0 ? chosen(block, &inner, core_use(parameters[1]))
                           : core_let(&inner, "row", row,
                                      rows_of(block, &inner, axis + 1, core_use(parameters[1])));
    return core_exp_map(c, n, 2, inputs,
                        core_lambda(c, 2, parameters, core_body(&inner, 1, &result)));
}

/* Behind the last row. Of max (n - k) 0 rows as of n - k: where that is negative, no row is both behind the first and
   before this one. */
static CoreAtom end_of(Fuse *f, CoreBuilder *b, const CoreSlice *slice, CoreAtom extent)
{
    CoreAtom less, count = slice->count;
    if (fuse_is_less(f, count, extent, &less)) {
        count = core_let_binary(b, "rows", CORE_SUB, extent, less);
    }
    return core_let_binary(b, "end", CORE_ADD, slice->offset, count);
}

static void add_choice(Fuse *f, CoreBuilder *b, const CoreStm *stm)
{
    CoreType type = stm->pattern[0]->type;
    const CoreSlice *slices = stm->exp->as.update.slices;
    Block block = {.f = f, .stm = stm, .is_all = true};
    block.axes = ARENA_ARRAY(f->arena, Axis, type.rank);
    block.indices = ARENA_ARRAY(f->arena, CoreAtom, type.rank);
    b->span = stm->span;
    for (int axis = 0; axis < type.rank; axis++) {
        Axis *at = &block.axes[axis];
        *at = (Axis){.first = slices[axis].offset, .fixed = slices[axis].fixed};
        if (!at->fixed) {
            at->end = end_of(f, b, &slices[axis], type.sizes[axis]);
            at->whole = core_atom_equal(slices[axis].count, type.sizes[axis]);
        }
    }
    const CoreExp *rows = rows_of(&block, b, 0, stm->exp->as.update.array);
    size_t guards = b->certificates.count;
    for (size_t i = 0; i < stm->certificate_count; i++) {
        vec_push(f->c->arena, &b->certificates, stm->certificates[i]);
    }
    core_bind(b, 1, stm->pattern, rows);
    b->certificates.count = guards;
    fuse_fired(f, CORE_RULE_FUSE_BLOCK);
}

static const CoreBody *in_body(void *context, const CoreBody *old)
{
    Fuse *f = context;
    Blocks blocks = {.f = f};
    CoreBuilder b = core_builder(f->c, (Span){0});
    core_count_all_uses(f->arena, old, &blocks.uses);
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        bool inside = stm->exp->kind == CORE_EXP_LOOP || stm->exp->kind == CORE_EXP_IF;
        if (is_block(f, stm) || is_of_map(&blocks, stm)) {
            add_choice(f, &b, stm);
        } else {
            core_add(&b, inside ? core_map_stm(f->c, stm, in_body, f) : stm);
        }
    }
    return core_with_stms(f->c, old, b.stms.count, b.stms.items);
}

const CoreFunction *fuse_blocks(Fuse *f, const CoreFunction *function)
{
    return f->in_entry ? core_with_body(f->c, function, in_body(f, function->body)) : function;
}
