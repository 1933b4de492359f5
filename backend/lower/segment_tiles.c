/* Segmented reductions in tiles [PLDI 5.2; REDO 4]: where what the rows of segments are made of is the
   same in a whole row or column of segments, as in products of matrices.

       map n (\a -> map m (\b -> redomap p f op e (a, b)) bs) as

   A work-item a segment reads 2*p elements for p steps, each of which n or m others read as well. Here
   a group has a tile of 64 by 64 segments, say, and each of its 256 work-items 4 by 4 of them in
   registers, so that it reads half an element of local memory for each of them and step, and the group
   each element of device memory once:

       GROUP g < tiles {
           LOCAL as[16 * 65], bs[16 * 65];  PRIVATE total[16]
           LOCAL { total[..] = e }
           SEQ t < rounds {                                   16 rows of the segments at a time
               LOCAL { as[..], bs[..] = the tile's of a, b }  neighbours read neighbours
               BARRIER
               LOCAL { SEQ k < 16 { x[0 .. 3] = as[..];  y[0 .. 3] = bs[..]
                                    total[r, c] = total[r, c] op f(x[r], y[c]) } }
               BARRIER
           }
           LOCAL { what comes after; results, where there is such a segment }
       }

   What is kept where is found in the commands that a row is lowered to (slices.c): what depends on the
   segment's row and the row's number goes into the one tile, what depends on its column and that into
   the other; what depends on the number alone has a tile of a line; what does not depend on the number
   is in registers; the rest, which depends on row and column, is done for each segment. So whatever
   views and functions are applied to an argument alone are applied once for a tile, not for each
   product. Every segment takes its rows in their order, whatever the operator.

   Segments beyond the edge are computed from the last ones' elements and not stored, rows beyond the
   end are not taken, so that all work-items meet all barriers. */
#include "backend/lower/segments.h"
#include "backend/slices.h"

enum {
    ROW = 1, /* of the segment's place: the index of the last but one map */
    COLUMN = 2,
    NUMBER = 4,
    INDICES = 3,
    LOCAL_BYTES = 32768, /* what OpenCL guarantees */
    REGISTER_BYTES = 384,
    MOST_STAGED = 8,
    WORK_ITEMS_OF_TILE =
        4096 /* where so many keep a device busy, it is so with a large tile for them */
};

/* A tile is `across[0]` by `across[1]` work-items, of which each has `each[0]` by `each[1]` segments:
   so many neighbours as one access of local memory reads, and others further on. */
typedef struct Shape {
    int64_t across[2], each[2];
    int64_t depth; /* rows of the segments at a time */
    int64_t beside;
} Shape;

/* A scalar of the row that is computed once for several segments. */
typedef struct Staged {
    KernelVariable *variable; /* in the slices */
    IndexSet set;
    KernelVariable *kept; /* LOCAL where it depends on the row's number, else PRIVATE */
    KernelVariable *own;  /* PRIVATE: a work-item's part of `kept` at one number */
    bool by_number;       /* neighbours in memory are neighbours by the row's number */
} Staged;

typedef struct Tiling {
    Segments *s;
    Shape shape;
    Slices slices;
    KernelVariable *symbols[INDICES]; /* row, column, number */
    KernelVariable **outer;           /* the other indices */
    size_t value_count;
    Value *values; /* operands of the reductions, in terms of the symbols */
    Staged staged[MOST_STAGED];
    size_t staged_count;
    LowerKernel kernel;
    const KernelExp *tiles[2], *rounds, *groups; /* scalars of the host */
    KernelExps places;                           /* the group's outer indices */
    const KernelExp *first[2];                   /* row and column of the tile's first segment */
    KernelVariable **totals;                     /* PRIVATE, one an accumulator */
} Tiling;

/* ---- what a row is made of ------------------------------------------------------------------- */

/* The row with symbols for indices, in a kernel that is thrown away. */
static bool lower_symbolically(Lower *L, Tiling *t)
{
    static const char *const texts[INDICES] = {"row", "column", "k"};
    Segments *s = t->s;
    LowerKernel kernel;
    const KernelExp **indices = ARENA_ARRAY(L->c->arena, const KernelExp *, s->depth + 1);
    t->outer = ARENA_ARRAY(L->c->arena, KernelVariable *, s->depth + 1);
    t->values = ARENA_ARRAY(L->c->arena, Value, s->stm->pattern_count + 1);
    lower_kernel_begin(L, &kernel, true);
    for (int k = 0; k < INDICES; k++) {
        t->symbols[k] = kernel_variable(L->c, texts[k], CORE_I64, KERNEL_SCALAR, L->b->span);
    }
    for (int v = 0; v < s->depth; v++) {
        KernelVariable *index =
            v == s->depth - 2   ? t->symbols[0]
            : v == s->depth - 1 ? t->symbols[1]
                                : kernel_variable(L->c, "i", CORE_I64, KERNEL_SCALAR, L->b->span);
        t->outer[v] = index;
        indices[v] = kernel_use(L->c, index);
    }
    SegmentEntry entry = segment_enter_at(L, s, indices);
    segment_row(L, s, &entry, kernel_use(L->c, t->symbols[2]), t->values);
    bool good = !L->failed && entry.guard == NULL && kernel.frame.scratch.count == 0 &&
                slices_find(L->c, kernel_block(L->b), INDICES, t->symbols, &t->slices);
    L->failed = true;
    lower_kernel_end(L, &kernel, "tiles", s->text, lower_number(L, 1));
    return good;
}

/* Whether this is done for each segment. */
static bool is_work(IndexSet set)
{
    return (set & ROW) && (set & COLUMN);
}

static KernelBlock slice_of(Lower *L, const Tiling *t, KernelVariable *variable)
{
    const KernelExp *value = kernel_use(L->c, variable);
    return slices_of(L->c, &t->slices, NULL, 1, &value);
}

static bool stage(Lower *L, Tiling *t, KernelVariable *variable, IndexSet set)
{
    for (size_t k = 0; k < t->staged_count; k++) {
        if (t->staged[k].variable == variable) {
            return true;
        }
    }
    if (t->staged_count == MOST_STAGED) {
        return false;
    }
    Staged *staged = &t->staged[t->staged_count++];
    KernelBlock slice = slice_of(L, t, variable);
    const KernelExp *number = kernel_use(L->c, t->symbols[2]);
    const KernelExp *place = kernel_use(L->c, t->symbols[set & ROW ? 0 : 1]);
    *staged = (Staged){.variable = variable, .set = set};
    staged->by_number = lower_far_accesses(L, slice, number) <= lower_far_accesses(L, slice, place);
    return true;
}

/* Stages what the expression, which is done for each segment, is computed from. `seen`: of the
   commands. */
static bool stage_operands(Lower *L, Tiling *t, const KernelExp *exp, bool *seen)
{
    if (exp->kind == KERNEL_VARIABLE) {
        KernelVariable *variable = exp->as.variable;
        IndexSet set = slices_depends_on(&t->slices, exp);
        const KernelCmd *declaration = slices_declaration(&t->slices, variable);
        if (declaration == NULL || set == 0) {
            return true;
        }
        if (!is_work(set)) {
            return stage(L, t, variable, set);
        }
        size_t number = (size_t)(uintptr_t)pointer_map_get(&t->slices.numbers, variable) - 1;
        if (seen[number]) {
            return true;
        }
        seen[number] = true;
        return !slices_loads(declaration->value) && stage_operands(L, t, declaration->value, seen);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        if (!stage_operands(L, t, operands[k], seen)) {
            return false;
        }
    }
    return true;
}

static bool slice_loads(Lower *L, const Tiling *t, KernelVariable *variable)
{
    KernelBlock slice = slice_of(L, t, variable);
    for (size_t i = 0; i < slice.count; i++) {
        if (slices_loads(slice.commands[i]->value)) {
            return true;
        }
    }
    return false;
}

/* Both tiles have something that is worth being kept. */
static bool find_staged(Lower *L, Tiling *t)
{
    bool *seen = ARENA_ARRAY(L->c->arena, bool, t->slices.block.count + 1);
    IndexSet loaded = 0;
    for (size_t k = 0; k < t->s->reduced; k++) {
        if (t->values[k].scalar == NULL || !stage_operands(L, t, t->values[k].scalar, seen)) {
            return false;
        }
    }
    for (size_t k = 0; k < t->staged_count; k++) {
        IndexSet set = t->staged[k].set;
        if ((set & NUMBER) && slice_loads(L, t, t->staged[k].variable)) {
            loaded |= set;
        }
    }
    return (loaded & ROW) && (loaded & COLUMN);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static int64_t extent_of(const Shape *shape, int axis)
{
    return shape->across[axis] * shape->each[axis];
}

/* Elements between neighbours by the row's number: more than a line, against bank conflicts. */
static int64_t pitch_of(const Shape *shape, IndexSet set)
{
    return set & ROW      ? extent_of(shape, 0) + shape->beside
           : set & COLUMN ? extent_of(shape, 1) + shape->beside
                          : 1;
}

static bool shape_fits(Lower *L, const Tiling *t, const Shape *shape)
{
    int64_t local = 0, own = 0;
    for (size_t k = 0; k < t->staged_count; k++) {
        const Staged *staged = &t->staged[k];
        int64_t bytes = kernel_bytes(staged->variable->prim);
        local += staged->set & NUMBER ? bytes * shape->depth * pitch_of(shape, staged->set) : 0;
        own += bytes * (staged->set & ROW      ? shape->each[0]
                        : staged->set & COLUMN ? shape->each[1]
                                               : 1);
    }
    for (size_t k = 0; k < t->s->reduced; k++) {
        const KernelVariable *total = segment_buffer(L, t->s, k, KERNEL_PRIVATE);
        own += (int64_t)kernel_bytes(total->prim) * shape->each[0] * shape->each[1];
    }
    return local <= LOCAL_BYTES && own <= REGISTER_BYTES;
}

/* On a large GPU a product of matrices of 4096 by 4096 f64 took 53 ms by a work-item each, 8.2 ms by tiles
   of 64 by 64, 7.4 ms by those of 128 by 64; f32 45 ms, 5.6 ms, and 3.8 ms by tiles of 128 by 128. Of
   512 by 512, f64: 0.094 ms, 0.051 ms, 0.071 ms, and 0.039 ms by tiles of 64 by 32. */
static const Shape shapes[] = {{{16, 16}, {8, 8}, 8, 4},
                               {{16, 16}, {8, 4}, 8, 2},
                               {{16, 16}, {4, 4}, 16, 1},
                               {{16, 16}, {4, 2}, 16, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* The largest that fits; SHAPES: none does. */
static size_t largest_shape(Lower *L, const Tiling *t)
{
    size_t k = 0;
    while (k < SHAPES && !shape_fits(L, t, &shapes[k])) {
        k++;
    }
    return k;
}

/* ---- pieces of the kernel -------------------------------------------------------------------- */

typedef void ItemWork(Lower *L, Tiling *t, const KernelExp *l);

static void side_by_side(Lower *L, Tiling *t, ItemWork *work)
{
    LowerLoop local;
    lower_local_begin(L, &t->kernel, &local);
    work(L, t, local.index);
    lower_local_end(L, &t->kernel, &local);
}

static void written_out_begin(Lower *L, LowerLoop *loop, const char *text, int64_t count)
{
    lower_loop_begin(L, loop, FRAME_MAP, text, lower_number(L, count));
    loop->written_out = KERNEL_WRITE_OUT;
}

static const KernelExp *sum_of(Lower *L, const KernelExp *x, const KernelExp *y)
{
    return lower_op(L, CORE_ADD, x, y);
}

static const KernelExp *times(Lower *L, const KernelExp *x, int64_t factor)
{
    return lower_op(L, CORE_MUL, x, lower_number(L, factor));
}

/* A name for the number of a row; the last one instead of those behind it. */
static const KernelExp *row_or_last(Lower *L, const char *text, const KernelExp *number,
                                    const KernelExp *width)
{
    const KernelExp *last = lower_op(L, CORE_SUB, width, lower_number(L, 1));
    const KernelExp *row = lower_let(L, text, lower_op(L, CORE_MIN, number, last));
    lower_is_row(row, width);
    return row;
}

static const KernelExp *extent(const Tiling *t, int axis)
{
    return t->s->extents[t->s->depth - 2 + axis];
}

/* A work-item's place among those across. */
static const KernelExp *place_of_item(Lower *L, const Tiling *t, const KernelExp *l, int axis)
{
    const KernelExp *across = lower_number(L, t->shape.across[1]);
    return lower_let(L, axis == 0 ? "down" : "along",
                     axis == 0 ? kernel_divide(L->c, l, across) : kernel_modulo(L->c, l, across));
}

/* Where in the tile segment number `each` of the work-item is: work-items take turns, some neighbours
   each. */
static const KernelExp *place_in_tile(Lower *L, const Tiling *t, const KernelExp *place,
                                      const KernelExp *each, int axis)
{
    const KernelExp *beside = lower_number(L, t->shape.beside);
    const KernelExp *turn = kernel_divide(L->c, each, beside);
    const KernelExp *inside =
        sum_of(L, times(L, place, t->shape.beside), kernel_modulo(L->c, each, beside));
    return sum_of(L, inside, times(L, turn, t->shape.across[axis] * t->shape.beside));
}

/* Copies with the group's outer indices. */
static KernelCopier copier_of(Lower *L, const Tiling *t)
{
    KernelCopier copier = {.c = L->c};
    for (int v = 0; v < t->s->depth - 2; v++) {
        kernel_replace(&copier, t->outer[v], t->places[v]);
    }
    return copier;
}

/* ---- staging --------------------------------------------------------------------------------- */

/* This and those after it that are kept alike: they are computed together. */
static size_t find_alike(const Tiling *t, size_t first, size_t *alike)
{
    const Staged *one = &t->staged[first];
    size_t count = 0;
    for (size_t k = 0; k < t->staged_count; k++) {
        const Staged *other = &t->staged[k];
        if (other->set == one->set && other->by_number == one->by_number) {
            if (k < first) {
                return 0; /* done with that one */
            }
            alike[count++] = k;
        }
    }
    return count;
}

/* Computes them with the copier's indices, and keeps them at `at`. */
static void keep_alike(Lower *L, const Tiling *t, KernelCopier *copier, size_t count,
                       const size_t *alike, const KernelExp *at)
{
    const KernelExp *wanted[MOST_STAGED] = {0};
    for (size_t k = 0; k < count; k++) {
        wanted[k] = kernel_use(L->c, t->staged[alike[k]].variable);
    }
    kernel_duplicate(copier, L->b, slices_of(L->c, &t->slices, copier, count, wanted));
    for (size_t k = 0; k < count; k++) {
        kernel_store(L->b, t->staged[alike[k]].kept, at, kernel_duplicate_exp(copier, wanted[k]));
    }
}

/* kept[number * pitch + place] := the value there, for all places of the tile and the round's numbers,
   shared out so that neighbours read neighbours. */
static void stage_tile(Lower *L, Tiling *t, const KernelExp *l, const KernelExp *round,
                       size_t count, const size_t *alike)
{
    LowerLoop loop;
    const Staged *staged = &t->staged[alike[0]];
    int axis = staged->set & ROW ? 0 : 1;
    int64_t places = extent_of(&t->shape, axis), depth = t->shape.depth;
    written_out_begin(L, &loop, "s", places * depth / KERNEL_GROUP_SIZE);
    const KernelExp *element =
        lower_let(L, "element", sum_of(L, times(L, loop.index, KERNEL_GROUP_SIZE), l));
    const KernelExp *inner = lower_number(L, staged->by_number ? depth : places);
    const KernelExp *low =
        lower_let(L, staged->by_number ? "deep" : "at", kernel_modulo(L->c, element, inner));
    const KernelExp *high =
        lower_let(L, staged->by_number ? "at" : "deep", kernel_divide(L->c, element, inner));
    const KernelExp *deep = staged->by_number ? low : high, *at = staged->by_number ? high : low;
    KernelCopier copier = copier_of(L, t);
    const KernelExp *place = sum_of(L, t->first[axis], at);
    kernel_replace(&copier, t->symbols[axis],
                   row_or_last(L, axis == 0 ? "row" : "column", place, extent(t, axis)));
    const KernelExp *number = sum_of(L, times(L, round, depth), deep);
    kernel_replace(&copier, t->symbols[2], row_or_last(L, "k", number, t->s->width));
    keep_alike(L, t, &copier, count, alike,
               sum_of(L, times(L, deep, pitch_of(&t->shape, staged->set)), at));
    lower_loop_end(L, &loop);
    kernel_per_row(
        L->b, kernel_divide(L->c, t->s->width, lower_number(L, extent_of(&t->shape, 1 - axis))));
}

/* kept[number] := the value there. */
static void stage_line(Lower *L, Tiling *t, const KernelExp *l, const KernelExp *round,
                       size_t count, const size_t *alike)
{
    LowerLoop block;
    lower_block_begin(L, &block);
    KernelCopier copier = copier_of(L, t);
    const KernelExp *number = sum_of(L, times(L, round, t->shape.depth), l);
    kernel_replace(&copier, t->symbols[2], row_or_last(L, "k", number, t->s->width));
    keep_alike(L, t, &copier, count, alike, l);
    KernelBlock store = lower_block_end(L, &block);
    kernel_if(L->b, lower_op(L, CORE_LT, l, lower_number(L, t->shape.depth)), store,
              (KernelBlock){0});
}

static void stage_round(Lower *L, Tiling *t, const KernelExp *round)
{
    LowerLoop local;
    size_t alike[MOST_STAGED];
    lower_local_begin(L, &t->kernel, &local);
    for (size_t k = 0; k < t->staged_count; k++) {
        size_t count = t->staged[k].set & NUMBER ? find_alike(t, k, alike) : 0;
        if (count > 0 && t->staged[k].set == NUMBER) {
            stage_line(L, t, local.index, round, count, alike);
        } else if (count > 0) {
            stage_tile(L, t, local.index, round, count, alike);
        }
    }
    lower_local_end(L, &t->kernel, &local);
}

/* What does not depend on the row's number, for each of the work-item's rows and columns. */
static void keep_fixed(Lower *L, Tiling *t, const KernelExp *l)
{
    for (size_t k = 0; k < t->staged_count; k++) {
        LowerLoop loop;
        const Staged *staged = &t->staged[k];
        if (staged->set & NUMBER) {
            continue;
        }
        int axis = staged->set & ROW ? 0 : 1;
        const KernelExp *place = place_of_item(L, t, l, axis);
        written_out_begin(L, &loop, "s", t->shape.each[axis]);
        KernelCopier copier = copier_of(L, t);
        const KernelExp *at = place_in_tile(L, t, place, loop.index, axis);
        kernel_replace(&copier, t->symbols[axis],
                       row_or_last(L, axis == 0 ? "row" : "column", sum_of(L, t->first[axis], at),
                                   extent(t, axis)));
        keep_alike(L, t, &copier, 1, &k, loop.index);
        lower_loop_end(L, &loop);
    }
}

static const KernelExp *total_at(Lower *L, const Tiling *t, const KernelExp *r, const KernelExp *c)
{
    return sum_of(L, times(L, r, t->shape.each[1]), c);
}

static void begin_totals(Lower *L, Tiling *t, const KernelExp *l)
{
    LowerLoop loop;
    const Segments *s = t->s;
    written_out_begin(L, &loop, "s", t->shape.each[0] * t->shape.each[1]);
    for (size_t r = 0, at = 0; r < s->soac->reduction_count; r++) {
        const CoreReduction *one = &s->soac->reductions[r];
        for (size_t k = 0; k < lower_width(one); k++, at++) {
            kernel_store(L->b, t->totals[at], loop.index, lower_scalar(L, one->neutral[k]));
        }
    }
    lower_loop_end(L, &loop);
    keep_fixed(L, t, l);
}

/* ---- the work -------------------------------------------------------------------------------- */

/* Where x = x1 * x2 is declared among the commands from `begin` on; SIZE_MAX: nowhere. */
static size_t find_product(const KernelBuilder *b, size_t begin, const KernelExp *x)
{
    for (size_t k = begin; x->kind == KERNEL_VARIABLE && k < b->commands.count; k++) {
        const KernelCmd *command = b->commands.items[k];
        if (command->kind == KERNEL_DECLARE && command->variable == x->as.variable) {
            bool is_product = command->value != NULL && command->value->kind == KERNEL_BINARY &&
                              command->value->as.scalar.op == CORE_MUL;
            return is_product ? k : SIZE_MAX;
        }
    }
    return SIZE_MAX;
}

static bool uses(const KernelExp *exp, const KernelVariable *variable)
{
    if (exp == NULL) {
        return false;
    }
    if (exp->kind == KERNEL_VARIABLE) {
        return exp->as.variable == variable;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        if (uses(operands[k], variable)) {
            return true;
        }
    }
    return false;
}

/* Takes the declaration away where nothing uses it any more. */
static void drop_unused(KernelBuilder *b, size_t begin, size_t number)
{
    const KernelVariable *variable = b->commands.items[number]->variable;
    for (size_t k = begin; k < b->commands.count; k++) {
        const KernelCmd *command = b->commands.items[k];
        if (uses(command->value, variable) || uses(command->index, variable)) {
            return;
        }
    }
    b->commands.count--;
    for (size_t k = number; k < b->commands.count; k++) {
        b->commands.items[k] = b->commands.items[k + 1];
    }
}

static bool is_total(const KernelExp *exp)
{
    return exp->kind == KERNEL_VARIABLE && exp->as.variable->is_total;
}

/* total + x * y of reals is rounded once where the order of the operands is free anyway, and the device
   is quick at that: z = total + t with t = x * y. */
static void fuse_products(Lower *L, size_t begin)
{
    KernelBuilder *b = L->b;
    for (size_t i = begin; i < b->commands.count; i++) {
        const KernelCmd *command = b->commands.items[i];
        const KernelExp *sum = command->value;
        if (command->kind != KERNEL_DECLARE || sum == NULL || sum->kind != KERNEL_BINARY ||
            sum->as.scalar.op != CORE_ADD || !core_is_real(sum->prim)) {
            continue;
        }
        const KernelExp *x = sum->as.scalar.x, *y = sum->as.scalar.y;
        const KernelExp *total = is_total(x) ? x : y;
        size_t product = is_total(total) ? find_product(b, begin, total == x ? y : x) : SIZE_MAX;
        if (product < i) {
            KernelCmd *fused = arena_copy(L->c->arena, command, sizeof *command);
            fused->value = kernel_fused_sum(L->c, total, b->commands.items[product]->value);
            b->commands.items[i] = fused;
            size_t count = b->commands.count;
            drop_unused(b, begin, product);
            i -= count - b->commands.count;
        }
    }
}

/* Segment (r, c) of the work-item takes the row; what is staged is at hand. */
static void take_row(Lower *L, Tiling *t, const KernelCopier *staged, const KernelExp *r,
                     const KernelExp *c)
{
    const Segments *s = t->s;
    KernelCopier copier = copier_of(L, t);
    Accumulator *accumulators = ARENA_ARRAY(L->c->arena, Accumulator, s->reduced + 1);
    Value *operands = ARENA_ARRAY(L->c->arena, Value, s->reduced + 1);
    const KernelExp **wanted = ARENA_ARRAY(L->c->arena, const KernelExp *, s->reduced + 1);
    size_t begin = L->b->commands.count;
    for (int k = 0; k < INDICES; k++) {
        const KernelExp *index = kernel_replacement(staged, t->symbols[k]);
        if (index != NULL) {
            kernel_replace(&copier, t->symbols[k], index);
        }
    }
    for (size_t k = 0; k < t->staged_count; k++) {
        const Staged *one = &t->staged[k];
        const KernelExp *at = one->set & ROW ? r : one->set & COLUMN ? c : lower_number(L, 0);
        kernel_replace(&copier, one->variable,
                       kernel_load(L->c, one->set & NUMBER ? one->own : one->kept, at));
    }
    for (size_t k = 0; k < s->reduced; k++) {
        wanted[k] = t->values[k].scalar;
    }
    kernel_duplicate(&copier, L->b, slices_of(L->c, &t->slices, &copier, s->reduced, wanted));
    const KernelExp *at = total_at(L, t, r, c);
    for (size_t k = 0; k < s->reduced; k++) {
        accumulators[k].scalar = segment_buffer(L, s, k, KERNEL_SCALAR);
        kernel_declare(L->b, accumulators[k].scalar, kernel_load(L->c, t->totals[k], at));
        operands[k].scalar = lower_let(L, accumulators[k].scalar->text,
                                       kernel_duplicate_exp(&copier, t->values[k].scalar));
    }
    for (size_t k = 0, i = 0; i < s->soac->reduction_count; i++) {
        for (size_t j = 0; j < lower_width(&s->soac->reductions[i]); j++, k++) {
            accumulators[k].scalar->is_total = s->soac->reductions[i].commutative;
        }
    }
    segment_accumulate(L, s, accumulators, operands);
    for (size_t k = 0; k < s->reduced; k++) {
        kernel_store(L->b, t->totals[k], at, kernel_use(L->c, accumulators[k].scalar));
    }
    fuse_products(L, begin);
}

/* own[..] := this work-item's part of what is staged at one number of the round. */
static void fetch_own(Lower *L, const Tiling *t, const KernelExp *const *places,
                      const KernelExp *deep)
{
    for (size_t k = 0; k < t->staged_count; k++) {
        LowerLoop loop;
        const Staged *one = &t->staged[k];
        if (!(one->set & NUMBER)) {
            continue;
        }
        int axis = one->set & ROW ? 0 : 1;
        bool is_line = one->set == NUMBER;
        kernel_declare_buffer(L->b, one->own, is_line ? 1 : t->shape.each[axis]);
        written_out_begin(L, &loop, axis == 0 ? "r" : "c", is_line ? 1 : t->shape.each[axis]);
        const KernelExp *line = times(L, deep, pitch_of(&t->shape, one->set));
        const KernelExp *at =
            is_line ? line : sum_of(L, line, place_in_tile(L, t, places[axis], loop.index, axis));
        kernel_store(L->b, one->own, loop.index, kernel_load(L->c, one->kept, at));
        lower_loop_end(L, &loop);
    }
}

/* The row with this number in the round, for all of the work-item's segments. */
static void take_number(Lower *L, Tiling *t, const KernelExp *const *places, const KernelExp *round,
                        const KernelExp *deep)
{
    LowerLoop rows, columns;
    KernelCopier staged = copier_of(L, t);
    fetch_own(L, t, places, deep);
    kernel_replace(&staged, t->symbols[2], sum_of(L, times(L, round, t->shape.depth), deep));
    written_out_begin(L, &rows, "r", t->shape.each[0]);
    written_out_begin(L, &columns, "c", t->shape.each[1]);
    const KernelExp *each[] = {rows.index, columns.index};
    for (int axis = 0; axis < 2; axis++) {
        kernel_replace(
            &staged, t->symbols[axis],
            sum_of(L, t->first[axis], place_in_tile(L, t, places[axis], each[axis], axis)));
    }
    take_row(L, t, &staged, rows.index, columns.index);
    lower_loop_end(L, &columns);
    lower_loop_end(L, &rows);
}

/* A whole round is written out; the last one may have fewer rows. */
static void take_round(Lower *L, Tiling *t, const KernelExp *round)
{
    LowerLoop local, whole, part, loop;
    lower_local_begin(L, &t->kernel, &local);
    const KernelExp *places[] = {place_of_item(L, t, local.index, 0),
                                 place_of_item(L, t, local.index, 1)};
    const KernelExp *depth = lower_number(L, t->shape.depth);
    const KernelExp *left = lower_op(L, CORE_SUB, t->s->width, lower_op(L, CORE_MUL, round, depth));
    left = lower_let(L, "left", lower_op(L, CORE_MIN, left, depth));
    lower_is_row(left, t->s->width);
    lower_block_begin(L, &whole);
    written_out_begin(L, &loop, "d", t->shape.depth);
    take_number(L, t, places, round, loop.index);
    lower_loop_end(L, &loop);
    KernelBlock all = lower_block_end(L, &whole);
    for (size_t k = 0; k < t->staged_count; k++) { /* buffers of the other block */
        Staged *one = &t->staged[k];
        one->own = one->own == NULL ? NULL
                                    : kernel_variable(L->c, one->own->text, one->own->prim,
                                                      KERNEL_PRIVATE, L->b->span);
    }
    lower_block_begin(L, &part);
    lower_loop_begin(L, &loop, FRAME_MAP, "d", left);
    take_number(L, t, places, round, loop.index);
    lower_loop_end(L, &loop);
    KernelBlock some = lower_block_end(L, &part);
    kernel_if(L->b, lower_op(L, CORE_EQ, left, depth), all, some);
    lower_local_end(L, &t->kernel, &local);
}

/* The results of the segments that there are. */
static void leave_tile(Lower *L, Tiling *t, const KernelExp *l)
{
    LowerLoop rows, columns, block;
    const Segments *s = t->s;
    const KernelExp *places[] = {place_of_item(L, t, l, 0), place_of_item(L, t, l, 1)};
    const KernelExp **indices = ARENA_ARRAY(L->c->arena, const KernelExp *, s->depth + 1);
    const KernelExp **totals = ARENA_ARRAY(L->c->arena, const KernelExp *, s->reduced + 1);
    memcpy(indices, t->places, sizeof *indices * (size_t)(s->depth - 2));
    written_out_begin(L, &rows, "r", t->shape.each[0]);
    written_out_begin(L, &columns, "c", t->shape.each[1]);
    const KernelExp *each[] = {rows.index, columns.index};
    const KernelExp *inside = kernel_constant(L->c, core_bool(true));
    for (int axis = 0; axis < 2; axis++) {
        const KernelExp *at = place_in_tile(L, t, places[axis], each[axis], axis);
        const KernelExp *index =
            lower_let(L, axis == 0 ? "row" : "column", sum_of(L, t->first[axis], at));
        indices[s->depth - 2 + axis] = index;
        inside = lower_op(L, CORE_AND, inside, lower_op(L, CORE_LT, index, extent(t, axis)));
    }
    lower_block_begin(L, &block);
    SegmentEntry entry = segment_enter_at(L, s, indices);
    for (size_t k = 0; k < s->reduced; k++) {
        totals[k] = kernel_load(L->c, t->totals[k], total_at(L, t, each[0], each[1]));
    }
    segment_leave(L, s, &entry, totals);
    KernelBlock store = lower_block_end(L, &block);
    kernel_if(L->b, inside, store, (KernelBlock){0});
    lower_loop_end(L, &columns);
    kernel_per_row(L->b, lower_number(L, 1));
    lower_loop_end(L, &rows);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* The name of an array that the variable is an element of, else its own. */
static const char *text_of(Lower *L, const Tiling *t, KernelVariable *variable)
{
    KernelBlock slice = slice_of(L, t, variable);
    for (size_t i = slice.count; i-- > 0;) {
        const KernelExp *value = slice.commands[i]->value;
        if (value->kind == KERNEL_LOAD && value->as.load.buffer->space == KERNEL_GLOBAL) {
            return value->as.load.buffer->text;
        }
    }
    return variable->text;
}

static void declare_buffers(Lower *L, Tiling *t)
{
    t->totals = ARENA_ARRAY(L->c->arena, KernelVariable *, t->s->reduced + 1);
    for (size_t k = 0; k < t->staged_count; k++) {
        Staged *one = &t->staged[k];
        bool is_local = (one->set & NUMBER) != 0;
        const char *text = one->variable->text;
        one->kept = kernel_variable(L->c, is_local ? text_of(L, t, one->variable) : text,
                                    one->variable->prim, is_local ? KERNEL_LOCAL : KERNEL_PRIVATE,
                                    L->b->span);
        kernel_declare_buffer(L->b, one->kept,
                              is_local ? t->shape.depth * pitch_of(&t->shape, one->set)
                                       : t->shape.each[one->set & ROW ? 0 : 1]);
        one->own =
            is_local ? kernel_variable(L->c, text, one->variable->prim, KERNEL_PRIVATE, L->b->span)
                     : NULL;
    }
    for (size_t k = 0; k < t->s->reduced; k++) {
        t->totals[k] = segment_buffer(L, t->s, k, KERNEL_PRIVATE);
        kernel_declare_buffer(L->b, t->totals[k], t->shape.each[0] * t->shape.each[1]);
    }
}

/* Which tile is the group's. */
static void find_tile(Lower *L, Tiling *t)
{
    const KernelExp *group = kernel_use(L->c, t->kernel.index);
    const KernelExp *along = kernel_modulo(L->c, group, t->tiles[1]);
    const KernelExp *rest = lower_let(L, "tile", kernel_divide(L->c, group, t->tiles[1]));
    const KernelExp *down = t->s->depth > 2 ? kernel_modulo(L->c, rest, t->tiles[0]) : rest;
    t->first[0] = lower_let(L, "top", times(L, down, extent_of(&t->shape, 0)));
    t->first[1] = lower_let(L, "side", times(L, along, extent_of(&t->shape, 1)));
    if (t->s->depth > 2) {
        rest = lower_let(L, "place", kernel_divide(L->c, rest, t->tiles[0]));
    }
    t->places = lower_unflatten(L, rest, t->s->depth - 2, t->s->extents);
}

static void make_kernel(Lower *L, Tiling *t)
{
    LowerLoop rounds;
    declare_buffers(L, t);
    find_tile(L, t);
    side_by_side(L, t, begin_totals);
    lower_loop_begin(L, &rounds, FRAME_MAP, "round", t->rounds);
    stage_round(L, t, rounds.index);
    kernel_barrier(L->b);
    take_round(L, t, rounds.index);
    kernel_barrier(L->b);
    lower_loop_end(L, &rounds);
    side_by_side(L, t, leave_tile);
}

/* Tiles are for segments that fill most of them, and several rounds; large ones where there are many of
   them. */
static const KernelExp *suits(Lower *L, const Tiling *t, const KernelExp *work_items, bool is_large)
{
    int64_t tile = extent_of(&t->shape, 0) * extent_of(&t->shape, 1);
    const KernelExp *filled = lower_op(L, CORE_MUL, t->s->count, lower_number(L, 2));
    const KernelExp *fits = lower_op(L, CORE_LE, times(L, t->groups, tile), filled);
    const KernelExp *least = lower_number(L, is_large ? 2 * t->shape.depth : t->shape.depth);
    fits = lower_op(L, CORE_AND, fits, lower_op(L, CORE_GE, t->s->width, least));
    if (is_large) {
        const KernelExp *busy =
            lower_op(L, CORE_GE, times(L, t->groups, WORK_ITEMS_OF_TILE), work_items);
        fits = lower_op(L, CORE_AND, fits, busy);
    }
    return fits;
}

static void share_out(Lower *L, Tiling *t)
{
    t->groups = lower_product(L, t->s->depth - 2, t->s->extents);
    for (int axis = 0; axis < 2; axis++) {
        t->tiles[axis] = lower_let(
            L, "tiles",
            lower_ceiling(L, extent(t, axis), lower_number(L, extent_of(&t->shape, axis))));
        t->groups = lower_op(L, CORE_MUL, t->groups, t->tiles[axis]);
    }
    t->groups = lower_let(L, "groups", t->groups);
    t->rounds =
        lower_let(L, "rounds", lower_ceiling(L, t->s->width, lower_number(L, t->shape.depth)));
}

/* if (it suits) { tiles of that shape } else { otherwise } */
static bool add_version(Lower *L, const Tiling *tiling, const Shape *shape, bool is_large,
                        const KernelExp *work_items, KernelBlock *otherwise)
{
    Tiling t = *tiling;
    LowerLoop choice, block;
    t.shape = *shape;
    lower_block_begin(L, &choice);
    share_out(L, &t);
    const KernelExp *condition = lower_let(L, "tiled", suits(L, &t, work_items, is_large));
    if (condition->kind == KERNEL_VARIABLE) {
        condition->as.variable->meaning =
            is_large ? "there are enough large tiles" : "tiles are filled";
    }
    lower_block_begin(L, &block);
    lower_kernel_begin(L, &t.kernel, true);
    make_kernel(L, &t);
    L->failed = L->failed || t.kernel.frame.scratch.count > 0;
    bool good = lower_kernel_end(L, &t.kernel, "tiles", t.s->text, t.groups);
    if (good) {
        kernel_tiles(L->b, t.s->count, (unsigned)extent_of(shape, 0),
                     (unsigned)extent_of(shape, 1));
    }
    KernelBlock tiles = lower_block_end(L, &block);
    kernel_if(L->b, condition, tiles, *otherwise);
    KernelBlock whole = lower_block_end(L, &choice);
    *otherwise = good ? whole : *otherwise;
    return good;
}

/* Neutral elements are the same for all segments. */
static bool begins_alike(const Segments *s)
{
    for (size_t r = 0; r < s->soac->reduction_count; r++) {
        const CoreReduction *one = &s->soac->reductions[r];
        for (size_t k = 0; k < lower_width(one); k++) {
            if (!lower_is_outside(s->nest, one->neutral[k])) {
                return false;
            }
        }
    }
    return true;
}

void segment_by_tiles(Lower *L, Segments *s, const KernelExp *work_items, KernelBlock *otherwise)
{
    Tiling t = {.s = s};
    if (s->depth < 2 || s->scanned > 0 || s->stm->pattern_count > s->reduced || s->heavy ||
        !begins_alike(s) || !lower_symbolically(L, &t) || !find_staged(L, &t)) {
        return;
    }
    size_t large = largest_shape(L, &t);
    bool good =
        large == SHAPES || add_version(L, &t, &shapes[SHAPES - 1], false, work_items, otherwise);
    if (good && large < SHAPES - 1) {
        add_version(L, &t, &shapes[large], true, work_items, otherwise);
    }
}
