/* [REDO 3], [L0 8] A reduction whose operands are reductions of rows by its own operator is one reduction of all
   elements:

       let s = redomap n (\row -> { let t = redomap m F op e row; in t }) op e a

   ==> let s = redomap w (\p -> { let x = a[p / m, p % m]; F }) op e (iota w)                  -- w = n * m

   `+/+/m×m` is one pass over m and one kernel, where there were a segmented reduction, an array of the rows' sums and
   another kernel. op is associative, so that its operands may be grouped anew, and e is neutral: it is what no rows and
   empty rows give, as do no elements. Of three levels, `+/+/+/c`, all three become one. What is mapped beside the
   reduction is made element by element, too; the rows that others read are a view of it.

   Elements come in the order of memory: where op commutes, the columns of `⌊/⌊⌿m` are taken across, as all elements of m:

       let s = redomap m (\j -> { let t = reduce n op e a[0 :+ n * 1, j]; in t }) op e (iota m)

   ==> let s = redomap w (\p -> { let x = a[p / m, p % m]; in x }) op e (iota w)

   Then a position is not divided in the end, a[p / m, p % m] being the element at p. Where the quotients are needed for
   something else, as by `+/+/m×[1]v`, rows do without them, and stay, unless dividing by constants, or little beside the
   element's work. So do rows that several elements share while nothing is read at all positions, as those of a
   product of matrices: a nest can keep what it shares. Only where nothing else is left to do, since a nest is what maps of
   the same rows fuse with. */
#include "core/fuse/fuse.h"

enum {
    MOST_LEVELS = 4,
    MOST_ROW_COST = 24,    /* of what a row computes once, and each of its elements will */
    MANY_OPERATIONS = 100, /* of an element, beside which some quotients are little */
    MOST_AXES = 8
};

/* What an index says of the levels, if it is not one's own position. */
enum {
    SAME = -1,  /* the same for all elements */
    WHOLE = -2, /* no index yet */
    ALL = -3,   /* the position in all levels together */
    OTHER = -4  /* any other number */
};

/* An array, or the part of one that the function at work has a name for. */
typedef struct Part {
    CoreAtom array;
    int rank, axes[MOST_AXES]; /* of each: the level whose position it is, or one of the above */
} Part;

/* A number made of positions: the position among the elements of these levels; `times`: multiplied by the width of the
   level behind them. */
typedef struct Position {
    int first, last;
    bool times;
} Position;

typedef struct Levels {
    Fuse *f;
    int count;
    const CoreStm *stms[MOST_LEVELS]; /* the SOACs, outermost first */
    PointerMap parts;                 /* CoreName -> Part */
    PointerMap positions;             /* CoreName -> Position */
    int order[MOST_LEVELS];           /* of the levels in memory, outermost first */
    bool ordered;        /* something is read at all positions, which has said the order */
    bool reads;          /* something else is read, at some positions */
    bool counts;         /* the position in all levels is used, in the order of the levels */
    bool divides;        /* a level's own position is used */
    bool in_function;    /* of a SOAC */
    bool across, cyclic; /* what look_through has found */
    bool bad;
} Levels;

static const CoreSoac *soac_of(const Levels *levels, int level)
{
    return &levels->stms[level]->exp->as.soac;
}

/* ---- reductions of reductions -------------------------------------------------------------- */

/* Taken once or for every row, it is the same: a program may begin with what is not neutral, `reduce (+) 1`. */
static bool is_neutral(CoreOperator op, CoreAtom e)
{
    CoreAtom identity;
    return op == CORE_MAX || op == CORE_MIN || op == CORE_AND || op == CORE_OR ||
           (core_operator_identity(op, core_atom_type(e).prim, &identity) &&
            core_atom_equal(e, identity));
}

static bool is_same_operator(const CoreReduction *x, const CoreReduction *y)
{
    CoreOperator op, other;
    if (!core_is_operator(x->function, &op) || !core_is_operator(y->function, &other)) {
        return false;
    }
    const CoreAtom e = x->neutral[0];
    const CoreType type = core_atom_type(e);
    return op == other && type.rank == 0 && core_operator_associative(op, type.prim) &&
           type.prim == core_atom_type(y->neutral[0]).prim && core_atom_equal(e, y->neutral[0]) &&
           is_neutral(op, e);
}

static bool only_folds(const CoreStm *stm)
{
    return fuse_is_soac(stm) && stm->exp->as.soac.reduction_count > 0 &&
           stm->exp->as.soac.scan_count == 0;
}

/* The reduction, in the function of this one, whose results are its operands; it makes what this one maps, too. NULL:
   there is none. */
static const CoreStm *inner_reduction(const CoreStm *outer)
{
    const CoreSoac *soac = &outer->exp->as.soac;
    const CoreBody *body = soac->map->body;
    const CoreStm *inner = NULL;
    for (size_t i = 0; i < body->stm_count; i++) {
        inner = only_folds(body->stms[i]) ? body->stms[i] : inner;
    }
    if (!inner || inner->exp->as.soac.reduction_count != soac->reduction_count ||
        inner->pattern_count != outer->pattern_count) {
        return NULL;
    }
    for (size_t k = 0; k < inner->pattern_count; k++) {
        if (body->results[k].name != inner->pattern[k] || core_uses(body, inner->pattern[k]) ||
            (k < soac->reduction_count &&
             !is_same_operator(&soac->reductions[k], &inner->exp->as.soac.reductions[k]))) {
            return NULL;
        }
    }
    return inner;
}

static bool is_outside(const Levels *levels, CoreAtom atom)
{
    return !atom.name || fuse_name(levels->f, atom.name)->level <= levels->f->level;
}

static void find_levels(Levels *levels, const CoreStm *stm)
{
    while (stm && levels->count < MOST_LEVELS && is_outside(levels, stm->exp->as.soac.width)) {
        levels->stms[levels->count++] = stm;
        stm = inner_reduction(stm);
    }
}

/* ---- positions ----------------------------------------------------------------------------- */

static void note_position(Levels *levels, const CoreName *name, int first, int last, bool times)
{
    Position *position = ARENA_NEW(levels->f->arena, Position);
    *position = (Position){.first = first, .last = last, .times = times};
    pointer_map_set(levels->f->arena, &levels->positions, name, position);
}

static const Position *position_of(const Levels *levels, CoreAtom atom)
{
    return atom.name ? pointer_map_get(&levels->positions, atom.name) : NULL;
}

/* What the atom says as an index. */
static int index_of(const Levels *levels, CoreAtom atom)
{
    const Position *position = position_of(levels, atom);
    if (!position) {
        return is_outside(levels, atom) ? SAME : OTHER;
    }
    return position->times                                               ? OTHER
           : position->first == position->last                           ? position->first
           : position->first == 0 && position->last == levels->count - 1 ? ALL
                                                                         : OTHER;
}

/* A number is made of the atom. */
static void use_number(Levels *levels, CoreAtom atom)
{
    if (position_of(levels, atom)) {
        bool all = index_of(levels, atom) == ALL;
        levels->counts = levels->counts || all;
        levels->divides = levels->divides || !all;
    }
}

/* (i * m), of the level behind it; (i * m) + j. */
static bool makes_position(Levels *levels, const CoreStm *stm, CoreAtom x, CoreAtom y)
{
    const Position *a = position_of(levels, x), *b = position_of(levels, y);
    if (stm->exp->kind != CORE_EXP_BINARY || !a) {
        return false;
    }
    if (stm->exp->as.scalar.op == CORE_MUL && !a->times && a->last + 1 < levels->count &&
        core_atom_equal(y, soac_of(levels, a->last + 1)->width)) {
        note_position(levels, stm->pattern[0], a->first, a->last, true);
        return true;
    }
    if (stm->exp->as.scalar.op == CORE_ADD && a->times && b && !b->times &&
        b->first == a->last + 1 && b->last == b->first) {
        note_position(levels, stm->pattern[0], a->first, b->last, false);
        return true;
    }
    return false;
}

/* ---- readings ------------------------------------------------------------------------------ */

/* What the array is a view of: where there is a transposition among the views, elements are not in order. */
static void look_through(void *context, CoreAtom atom)
{
    Levels *levels = context;
    const CoreStm *stm = fuse_definition(levels->f, atom);
    if (stm && core_is_view(stm->exp->kind) && !levels->across) {
        levels->across = stm->exp->kind == CORE_EXP_REARRANGE;
        levels->cyclic = levels->cyclic || stm->exp->kind == CORE_EXP_CYCLE;
        core_each_operand(stm->exp, look_through, levels);
    }
}

/* The axis at which those of all levels begin, in some order, each as long as its level; -1: there is none. */
static int axis_of_levels(const Levels *levels, const Part *part, int order[MOST_LEVELS])
{
    int first = 0, seen = 0;
    while (first < part->rank && part->axes[first] == SAME) {
        first++;
    }
    for (int i = first; i < part->rank; i++) {
        int level = part->axes[i];
        if (i >= first + levels->count) {
            if (level != SAME) {
                return -1;
            }
        } else if (level < 0 || (seen & 1 << level) ||
                   !core_atom_equal(core_atom_type(part->array).sizes[i],
                                    soac_of(levels, level)->width)) {
            return -1;
        } else {
            seen |= 1 << level;
            order[i - first] = level;
        }
    }
    return seen == (1 << levels->count) - 1 ? first : -1;
}

/* Elements are stored, or taken from what is stored, in the order of their positions. */
static bool is_in_order(Levels *levels, CoreAtom array)
{
    const CoreStm *stm = fuse_definition(levels->f, array);
    return !stm || !core_is_view(stm->exp->kind) || stm->exp->kind == CORE_EXP_RESHAPE;
}

/* All positions are read in one order, and everything that is has the same one. */
static void note_order(Levels *levels, const int order[MOST_LEVELS])
{
    for (int i = 0; i < levels->count; i++) {
        levels->bad = levels->bad || (levels->ordered && levels->order[i] != order[i]);
        levels->order[i] = order[i];
    }
    levels->ordered = true;
}

/* An element of an array is read. */
static void note_element(Levels *levels, Part part)
{
    int order[MOST_LEVELS] = {0, 1, 2, 3}, all = 0, other = 0;
    const CoreStm *view = fuse_definition(levels->f, part.array);
    while (view && view->exp->kind == CORE_EXP_REARRANGE) {
        Part of = {.array = view->exp->as.rearrange.array, .rank = part.rank};
        for (int i = 0; i < part.rank; i++) {
            of.axes[view->exp->as.rearrange.permutation[i]] = part.axes[i];
        }
        part = of;
        view = fuse_definition(levels->f, part.array);
    }
    levels->across = levels->cyclic = false;
    look_through(levels, part.array);
    for (int i = 0; i < part.rank; i++) {
        all += part.axes[i] == ALL;
        other += part.axes[i] != SAME;
    }
    if (other == 0) {
        return;
    }
    bool whole = (axis_of_levels(levels, &part, order) >= 0 || (all == 1 && other == 1)) &&
                 is_in_order(levels, part.array);
    levels->bad = levels->bad || levels->across ||
                  (levels->cyclic && (levels->in_function || !whole)); /* it would be stored */
    if (whole) {
        note_order(levels, order);
        return;
    }
    levels->reads = true;
    for (int i = 0; i < part.rank; i++) {
        levels->divides = levels->divides || part.axes[i] >= 0;
        levels->counts = levels->counts || part.axes[i] == ALL;
    }
}

/* The name is that part: an element, or a row of which elements will be read. */
static void bind_part(Levels *levels, const CoreName *name, const Part *part)
{
    if (name->type.rank == 0) {
        note_element(levels, *part);
        return;
    }
    pointer_map_set(levels->f->arena, &levels->parts, name,
                    arena_copy(levels->f->arena, part, sizeof *part));
}

static Part part_of(Levels *levels, CoreAtom array)
{
    const Part *known = pointer_map_get(&levels->parts, array.name);
    Part part = {.array = array, .rank = core_atom_type(array).rank};
    if (known) {
        return *known;
    }
    if (!is_outside(levels, array) || part.rank > MOST_AXES) {
        levels->bad = true;
        part.rank = 0;
    }
    for (int i = 0; i < part.rank; i++) {
        part.axes[i] = WHOLE;
    }
    return part;
}

/* The part's first axis without an index. */
static int next_axis(const Part *part, int axis)
{
    while (axis < part->rank && part->axes[axis] != WHOLE) {
        axis++;
    }
    return axis;
}

static void read_index(Levels *levels, const CoreStm *stm)
{
    Part part = part_of(levels, stm->exp->as.index.array);
    int axis = 0;
    for (size_t i = 0; i < stm->exp->as.index.count; i++) {
        axis = next_axis(&part, axis);
        if (axis < part.rank) {
            part.axes[axis] = index_of(levels, stm->exp->as.index.indices[i]);
        }
    }
    bind_part(levels, stm->pattern[0], &part);
}

/* Whole rows or columns: axes that stay begin at 0. */
static void read_slice(Levels *levels, const CoreStm *stm)
{
    Part part = part_of(levels, stm->exp->as.slice.array);
    int axis = -1;
    for (size_t i = 0; i < stm->exp->as.slice.count; i++) {
        const CoreSlice *slice = &stm->exp->as.slice.slices[i];
        axis = next_axis(&part, axis + 1);
        if (axis >= part.rank) {
            return;
        }
        if (slice->fixed) {
            part.axes[axis] = index_of(levels, slice->offset);
        } else if (!core_atom_equal(slice->offset, core_i64(0)) ||
                   !core_atom_equal(slice->stride, core_i64(1)) ||
                   !core_atom_equal(slice->count, core_atom_type(part.array).sizes[axis])) {
            levels->bad = true;
        }
    }
    bind_part(levels, stm->pattern[0], &part);
}

static void read_inputs(Levels *levels, int level)
{
    const CoreSoac *soac = soac_of(levels, level);
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreStm *stm = fuse_definition(levels->f, soac->inputs[i]);
        if (stm && stm->exp->kind == CORE_EXP_IOTA) {
            note_position(levels, soac->map->parameters[i], level, level, false);
            continue;
        }
        Part part = part_of(levels, soac->inputs[i]);
        int axis = next_axis(&part, 0);
        if (axis < part.rank) {
            part.axes[axis] = level;
        }
        bind_part(levels, soac->map->parameters[i], &part);
    }
}

/* ---- what elements are made of --------------------------------------------------------------- */

static void look_at_free(void *context, CoreName *name)
{
    Levels *levels = context;
    levels->bad = levels->bad || name->type.rank > 0;
    use_number(levels, core_use(name));
}

static void look_at_operand(void *context, CoreAtom atom)
{
    use_number(context, atom);
}

/* One of the statements of a level. */
static void look_at(Levels *levels, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    switch ((int)exp->kind) { /* all others stay with their rows */
    case CORE_EXP_INDEX: read_index(levels, stm); return;
    case CORE_EXP_SLICE: read_slice(levels, stm); return;
    case CORE_EXP_BINARY:
        if (!makes_position(levels, stm, exp->as.scalar.x, exp->as.scalar.y) &&
            !makes_position(levels, stm, exp->as.scalar.y, exp->as.scalar.x)) {
            core_each_operand(exp, look_at_operand, levels);
        }
        return;
    case CORE_EXP_ATOM:
    case CORE_EXP_UNARY:
    case CORE_EXP_CONVERT:
        levels->bad = levels->bad || stm->pattern[0]->type.rank > 0;
        core_each_operand(exp, look_at_operand, levels);
        return;
    case CORE_EXP_IF:
    case CORE_EXP_LOOP:
        levels->bad = levels->bad || !fuse_are_scalars(stm->pattern_count, stm->pattern);
        core_each_free(stm, look_at_free, levels);
        return;
    }
    levels->bad = true;
}

static void look_at_level(Levels *levels, int level)
{
    const CoreBody *body = soac_of(levels, level)->map->body;
    const CoreStm *inner = level + 1 < levels->count ? levels->stms[level + 1] : NULL;
    unsigned cost = 0;
    read_inputs(levels, level);
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreBody alone = {.stm_count = 1, .stms = &body->stms[i]};
        if (body->stms[i] != inner) {
            look_at(levels, body->stms[i]);
            cost += inner ? fuse_cost(&alone) : 0;
        }
    }
    for (size_t k = 0; !inner && k < body->result_count; k++) {
        levels->bad = levels->bad || core_atom_type(body->results[k]).rank > 0;
        use_number(levels, body->results[k]);
    }
    levels->bad = levels->bad || cost > MOST_ROW_COST;
}

/* ---- which become one ------------------------------------------------------------------------ */

static bool is_turned(const Levels *levels)
{
    for (int i = 0; i < levels->count; i++) {
        if (levels->order[i] != i) {
            return true;
        }
    }
    return false;
}

/* Operands may come in any order, and nothing is made in theirs. */
static bool may_turn(const Levels *levels)
{
    for (int i = 0; i < levels->count; i++) {
        const CoreSoac *soac = soac_of(levels, i);
        for (size_t k = 0; k < soac->reduction_count; k++) {
            if (!core_commutes(&soac->reductions[k])) {
                return false;
            }
        }
    }
    return levels->stms[0]->pattern_count == soac_of(levels, 0)->reduction_count;
}

/* By constants, or beside much other work. */
static bool may_divide(const Levels *levels)
{
    bool known = true;
    for (int i = 1; i < levels->count; i++) {
        known = known && !soac_of(levels, levels->order[i])->width.name;
    }
    return known || fuse_cost(soac_of(levels, levels->count - 1)->map->body) >= MANY_OPERATIONS;
}

static bool become_one(Levels *levels)
{
    if (levels->count < 2 || core_may_fail(levels->stms[0])) {
        return false;
    }
    for (int i = 0; i < MOST_LEVELS; i++) {
        levels->order[i] = i;
    }
    for (int i = 0; i < levels->count; i++) {
        look_at_level(levels, i);
    }
    bool divides = levels->divides || (levels->counts && is_turned(levels));
    bool maps = levels->stms[0]->pattern_count > soac_of(levels, 0)->reduction_count;
    return !levels->bad && (levels->ordered || !levels->reads) &&
           (!divides || (!levels->in_function && may_divide(levels))) &&
           (!is_turned(levels) || may_turn(levels)) && !(maps && levels->in_function);
}

/* ---- making them one ------------------------------------------------------------------------- */

/* The position at each level, of the position at all. */
static void make_positions(const Levels *levels, CoreBuilder *b, CoreAtom all,
                           CoreAtom positions[MOST_LEVELS])
{
    for (int i = levels->count - 1; i > 0; i--) {
        CoreAtom width = soac_of(levels, levels->order[i])->width;
        positions[levels->order[i]] = core_let_binary(b, "column", CORE_MOD, all, width);
        all = core_let_binary(b, "row", CORE_DIV, all, width);
    }
    positions[levels->order[0]] = all;
}

static const CoreLambda *function_of_all(const Levels *levels)
{
    Compilation *c = levels->f->c;
    const CoreLambda *last = soac_of(levels, levels->count - 1)->map;
    CoreBuilder b = core_builder(c, levels->stms[0]->span);
    CoreName *position = core_name(c, "i", core_scalar(CORE_I64), b.span);
    CoreAtom positions[MOST_LEVELS];
    make_positions(levels, &b, core_use(position), positions);
    for (int i = 0; i < levels->count; i++) {
        const CoreSoac *soac = soac_of(levels, i);
        for (size_t k = 0; k < soac->input_count; k++) {
            CoreName *parameter = soac->map->parameters[k];
            CoreAtom row = core_let_index(&b, parameter->text, soac->inputs[k], 1, &positions[i]);
            core_bind(&b, 1, &parameter, core_atom_exp(c, row));
        }
        for (size_t k = 0; k < soac->map->body->stm_count; k++) {
            const CoreStm *stm = soac->map->body->stms[k];
            if (i + 1 == levels->count || stm != levels->stms[i + 1]) {
                core_add(&b, stm);
            }
        }
    }
    return core_lambda(c, 1, &position,
                       core_body(&b, last->body->result_count, last->body->results));
}

/* The outermost one's reductions, which may take their operands as all of them may. */
static const CoreReduction *reductions_of_all(const Levels *levels)
{
    const CoreSoac *first = soac_of(levels, 0);
    CoreReduction *all =
        ARENA_ARRAY(levels->f->c->arena, CoreReduction, first->reduction_count + 1);
    for (size_t k = 0; k < first->reduction_count; k++) {
        all[k] = first->reductions[k];
        for (int i = 1; i < levels->count; i++) {
            all[k].commutative =
                all[k].commutative && core_commutes(&soac_of(levels, i)->reductions[k]);
        }
    }
    return all;
}

/* let y = reshape [n, m] z;  the new statement binds z. */
static CoreName *const *names_of_all(const Levels *levels, CoreAtom all)
{
    Compilation *c = levels->f->c;
    const CoreStm *old = levels->stms[0];
    size_t folded = soac_of(levels, 0)->reduction_count;
    CoreName **names = ARENA_ARRAY(c->arena, CoreName *, old->pattern_count + 1);
    for (size_t k = 0; k < old->pattern_count; k++) {
        const CoreName *y = old->pattern[k];
        names[k] = k < folded
                       ? old->pattern[k]
                       : core_name(c, y->text, core_array(c, y->type.prim, 1, &all), y->span);
    }
    return names;
}

static void make_one(const Levels *levels, CoreBuilder *b)
{
    Compilation *c = levels->f->c;
    const CoreStm *old = levels->stms[0];
    const CoreSoac *first = soac_of(levels, 0);
    CoreStm with = *old;
    b->span = old->span;
    CoreAtom all = first->width;
    for (int i = 1; i < levels->count; i++) {
        with.certificates = fuse_certificates(c, &with, levels->stms[i], &with.certificate_count);
        all = core_let_binary(b, "all", CORE_MUL, all, soac_of(levels, i)->width);
    }
    CoreAtom is = core_let_iota(b, "positions", all);
    CoreName *const *names = names_of_all(levels, all);
    with.pattern = names;
    with.exp = core_exp_soac(c, all, 1, &is, function_of_all(levels), first->reduction_count,
                             reductions_of_all(levels), 0, NULL);
    core_add(b, arena_copy(c->arena, &with, sizeof with));
    for (size_t k = first->reduction_count; k < old->pattern_count; k++) {
        CoreName *y = old->pattern[k];
        CoreAtom rows =
            core_let_reshape(b, y->text, core_use(names[k]), (size_t)y->type.rank, y->type.sizes);
        core_bind(b, 1, &y, core_atom_exp(c, rows));
    }
    fuse_fired(levels->f, CORE_RULE_FUSE_LEVELS);
}

/* ---- the step ------------------------------------------------------------------------------ */

static const CoreBody *levels_in_function(void *context, const CoreBody *old);

static const CoreBody *levels_of(Fuse *f, const CoreBody *old, bool in_function, BodyMap *again)
{
    CoreBuilder b = core_builder(f->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        Levels levels = {.f = f, .in_function = in_function};
        if (only_folds(stm)) {
            find_levels(&levels, stm);
        }
        if (become_one(&levels)) {
            make_one(&levels, &b);
            continue;
        }
        bool deeper = stm->exp->kind == CORE_EXP_LOOP || stm->exp->kind == CORE_EXP_SOAC;
        f->level += deeper;
        if (deeper || stm->exp->kind == CORE_EXP_IF) {
            stm = core_map_stm(f->c, stm,
                               stm->exp->kind == CORE_EXP_SOAC ? levels_in_function : again, f);
        }
        f->level -= deeper;
        core_add(&b, stm);
    }
    return core_with_stms(f->c, old, b.stms.count, b.stms.items);
}

static const CoreBody *levels_in_function(void *context, const CoreBody *old)
{
    return levels_of(context, old, true, levels_in_function);
}

static const CoreBody *levels_on_host(void *context, const CoreBody *old)
{
    return levels_of(context, old, false, levels_on_host);
}

const CoreFunction *fuse_levels(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, levels_on_host(f, function->body));
}
