/* Rows of a scan that are wanted as a view has them, and in no other way, go there as they are finished:

       let s = scan n (+) 0 xs                          let s = scan n (+) 0 xs
       let r = rotate 0 k s                   ==>       let r = scatter (scratch [n]) (rotate 0 (-k) (iota n)) s
       in (r)                                           in (r)

   What is printed, given back or handed to a loop is stored in its order: the view would be a pass of its own. A scatter
   of scanned rows is done in the scan's kernel (pairs.c). So do rows of a slice, whose first is row k: those that are
   outside of it have places outside of r; and of a pad, the other elements of which are written before. Views that keep
   equal distances, as reverse and transposition, have their places in memory without that (backend/lower/parts.c). For
   kernels alone. */
#include "core/fuse/fuse.h"

typedef struct Ends {
    Fuse *f;
    const CoreBody *body;
    bool in_loop;    /* slices that it gives stay where they are (backend/lower/loops.c) */
    PointerMap uses; /* CoreName -> size_t: in how many statements, and how often as a result */
} Ends;

static void count_use(void *context, CoreName *name)
{
    Ends *ends = context;
    ++*(size_t *)pointer_map_make(ends->f->arena, &ends->uses, name, sizeof(size_t));
}

static void count_uses(Ends *ends)
{
    const CoreBody *body = ends->body;
    for (size_t i = 0; i < body->stm_count; i++) {
        core_each_free(body->stms[i], count_use, ends);
    }
    for (size_t k = 0; k < body->result_count; k++) {
        if (body->results[k].name) {
            count_use(ends, body->results[k].name);
        }
    }
}

static size_t uses_of(const Ends *ends, const CoreName *name)
{
    const size_t *count = pointer_map_get(&ends->uses, name);
    return count ? *count : 0;
}

/* ---- which views ------------------------------------------------------------------------------- */

/* The vector that it is a rotation, a slice without gaps, or a pad of; without a name: none. */
static CoreAtom viewed(const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    CoreAtom none = {.name = NULL};
    if (stm->pattern[0]->type.rank != 1) {
        return none;
    }
    switch ((int)exp->kind) { /* others are no such views */
    case CORE_EXP_ROTATE: return exp->as.rotate.array;
    case CORE_EXP_PAD: return exp->as.pad.array;
    case CORE_EXP_SLICE:
        return core_atom_type(exp->as.slice.array).rank == 1 &&
                       core_atom_equal(exp->as.slice.slices[0].stride, core_i64(1))
                   ? exp->as.slice.array
                   : none;
    }
    return none;
}

/* A statement that has an array as a whole. */
static bool takes_whole(const CoreStm *stm, const CoreName *name)
{
    switch ((int)stm->exp->kind) { /* others read elements */
    case CORE_EXP_PRINT:
    case CORE_EXP_FORMAT: return true;
    case CORE_EXP_LOOP: return !core_uses(stm->exp->as.loop.body, name);
    }
    return false;
}

typedef struct Mention {
    const CoreName *name;
    bool found;
} Mention;

static void find_mention(void *context, CoreName *name)
{
    Mention *mention = context;
    mention->found = mention->found || name == mention->name;
}

/* It is only used as a whole, and used. */
static bool is_wanted_whole(const Ends *ends, const CoreName *name)
{
    bool whole = true, used = false;
    for (size_t k = 0; k < ends->body->result_count; k++) {
        used = used || ends->body->results[k].name == name;
    }
    for (size_t i = 0; i < ends->body->stm_count && whole; i++) {
        Mention mention = {name, false};
        core_each_free(ends->body->stms[i], find_mention, &mention);
        whole = !mention.found || takes_whole(ends->body->stms[i], name);
        used = used || mention.found;
    }
    return used && whole;
}

/* A SOAC of this body that scans, and does nothing else. */
static bool is_scan_here(const Ends *ends, CoreAtom rows)
{
    const CoreStm *stm = rows.name ? core_binder(ends->body, rows.name) : NULL;
    if (!stm || !fuse_is_soac(stm) || fuse_may_fail(stm)) {
        return false;
    }
    const CoreSoac *soac = &stm->exp->as.soac;
    return fuse_total_width(soac->scan_count, soac->scans) == stm->pattern_count &&
           stm->exp->level == CORE_LEVEL_AUTO && stm->exp->space == CORE_SPACE_AUTO;
}

static bool is_end(const Ends *ends, const CoreStm *stm)
{
    CoreAtom rows = viewed(stm);
    bool is_state = ends->in_loop && stm->exp->kind == CORE_EXP_SLICE;
    return rows.name && !is_state && is_scan_here(ends, rows) && uses_of(ends, rows.name) == 1 &&
           !stm->pattern[0]->type.unique && is_wanted_whole(ends, stm->pattern[0]);
}

/* ---- the step ---------------------------------------------------------------------------------- */

/* The array with `count` elements from `first` on that are the fill; itself, where there are none. */
static CoreAtom filled(CoreBuilder *b, CoreAtom array, CoreAtom first, CoreAtom count,
                       CoreAtom fill)
{
    if (core_atom_equal(count, core_i64(0))) {
        return array;
    }
    const CoreSlice slice = {.offset = first, .count = count, .stride = core_i64(1)};
    CoreAtom fills = core_let_replicate(b, "fill", 1, &count, fill);
    return core_let_update(b, "room", array, 1, &slice, fills);
}

/* Where the rows are to go, in the memory that is to be the view's, which is added to b: the places. */
static CoreAtom places_in(CoreBuilder *b, const CoreStm *stm, CoreAtom rows, CoreAtom *room)
{
    const CoreExp *exp = stm->exp;
    CoreAtom count = core_atom_type(rows).sizes[0];
    if (exp->kind == CORE_EXP_PAD) {
        CoreAtom total = stm->pattern[0]->type.sizes[0], before = exp->as.pad.before;
        CoreAtom end = core_let_binary(b, "end", CORE_ADD, before, count);
        const CoreSlice slice = {.offset = before, .count = count, .stride = core_i64(1)};
        *room = filled(b, *room, core_i64(0), before, exp->as.pad.fill);
        *room = filled(b, *room, end, exp->as.pad.after, exp->as.pad.fill);
        return core_let_slice(b, "places", core_let_iota(b, "numbers", total), &slice);
    }
    CoreAtom first =
        exp->kind == CORE_EXP_ROTATE ? exp->as.rotate.amount : exp->as.slice.slices[0].offset;
    CoreAtom back = core_let_unary(b, "back", CORE_NEG, first);
    return core_let_rotate(b, "places", core_let_iota(b, "numbers", count), 0, back);
}

static void add_scatter(Ends *ends, CoreBuilder *b, const CoreStm *stm)
{
    Compilation *c = ends->f->c;
    CoreAtom rows = viewed(stm);
    CoreType type = core_atom_type(rows);
    b->span = stm->span;
    CoreAtom room = core_let_scratch(b, "room", type.prim, 1, stm->pattern[0]->type.sizes);
    CoreAtom places = places_in(b, stm, rows, &room);
    CoreStm *scatter = arena_copy(c->arena, stm, sizeof *stm);
    scatter->exp = core_exp_scatter(c, type.sizes[0], 1, &room, places, &rows);
    core_add(b, scatter);
    fuse_fired(ends->f, CORE_RULE_FUSE_ENDS);
}

static const CoreBody *in_loop(void *context, const CoreBody *old);
static const CoreBody *outside(void *context, const CoreBody *old);

/* A body of the host's. */
static const CoreBody *with_ends(Fuse *f, const CoreBody *old, bool loop)
{
    Ends ends = {.f = f, .body = old, .in_loop = loop};
    CoreBuilder b = core_builder(f->c, (Span){0});
    count_uses(&ends);
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        CoreExpKind kind = stm->exp->kind;
        if (stm->pattern_count == 1 && is_end(&ends, stm)) {
            add_scatter(&ends, &b, stm);
        } else if (kind == CORE_EXP_IF || kind == CORE_EXP_LOOP) {
            bool inside = loop || kind == CORE_EXP_LOOP;
            core_add(&b, core_map_stm(f->c, stm, inside ? in_loop : outside, f));
        } else {
            core_add(&b, stm);
        }
    }
    return core_with_stms(f->c, old, b.stms.count, b.stms.items);
}

static const CoreBody *in_loop(void *context, const CoreBody *old)
{
    return with_ends(context, old, true);
}

static const CoreBody *outside(void *context, const CoreBody *old)
{
    return with_ends(context, old, false);
}

const CoreFunction *fuse_ends(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, outside(f, function->body));
}
