/* Rows of a scan that are wanted as a view has them, and in no other way, go there as they are finished:

       let s = scan n (+) 0 xs                          let s = scan n (+) 0 xs
       let r = rotate 0 k s                   ==>       let r = scatter (scratch [n]) (rotate 0 (-k) (iota n)) s
       in (r)                                           in (r)

   What is printed, given back or handed to a loop is stored in its order: the view would be a pass of its own. A scatter
   of scanned rows is done in the scan's kernel (pairs.c). So do rows of a slice, whose first is row k: those that are
   outside of it have places outside of r. Views that keep equal distances, as reverse and transposition, have their
   places in memory without that (backend/lower/parts.c). For kernels alone. */
#include "core/fuse/fuse.h"

typedef struct Ends {
    Fuse *f;
    const CoreBody *body;
    bool
        in_loop; /* a slice that it gives is the loop's state, with the rest behind it (backend/lower/loops.c) */
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

/* Of a vector, the rows from one on, or all of them from there on round; *first: that row. */
static CoreAtom rows_from(const CoreStm *stm, CoreAtom *first)
{
    const CoreExp *exp = stm->exp;
    CoreAtom none = {.name = NULL};
    if (stm->pattern[0]->type.rank != 1) {
        return none;
    }
    if (exp->kind == CORE_EXP_ROTATE) {
        *first = exp->as.rotate.amount;
        return exp->as.rotate.array;
    }
    if (exp->kind != CORE_EXP_SLICE || core_atom_type(exp->as.slice.array).rank != 1 ||
        !core_atom_equal(exp->as.slice.slices[0].stride, core_i64(1))) {
        return none;
    }
    *first = exp->as.slice.slices[0].offset;
    return exp->as.slice.array;
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
    CoreAtom first, rows = rows_from(stm, &first);
    bool is_state = ends->in_loop && stm->exp->kind == CORE_EXP_SLICE;
    return rows.name && !is_state && is_scan_here(ends, rows) && uses_of(ends, rows.name) == 1 &&
           !stm->pattern[0]->type.unique && is_wanted_whole(ends, stm->pattern[0]);
}

/* ---- the step ---------------------------------------------------------------------------------- */

static void add_scatter(Ends *ends, CoreBuilder *b, const CoreStm *stm)
{
    Compilation *c = ends->f->c;
    CoreAtom first, rows = rows_from(stm, &first);
    CoreType type = core_atom_type(rows);
    b->span = stm->span;
    CoreAtom back = core_let_unary(b, "back", CORE_NEG, first);
    CoreAtom numbers = core_let_iota(b, "numbers", type.sizes[0]);
    CoreAtom places = core_let_rotate(b, "places", numbers, 0, back);
    CoreAtom room = core_let_scratch(b, "room", type.prim, 1, stm->pattern[0]->type.sizes);
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
