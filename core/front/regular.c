/* Regularity: all rows of a SOAC's result have the same sizes, which internal core wants known
   outside of the function ([L0] 4.2; [PLDI] 2.2). A size that the function computes is found by the
   backward slice of the function's statements that compute it.

       map (\x -> replicate (m + 1) x) xs
           the slice, m + 1, needs no parameter and cannot fail: it moves out of the function

       map (\x -> iota (f x)) xs
           let (k : i64) = if 0 < n then { ... f xs[0] ... } else { in (0) }
           ... in the function: assert k == f x "LENGTH ERROR", and the row is reshaped to [k]

   Row sizes are asserted not to be negative outside, where this is not known: an array without rows
   has them too.

   The slice ahead is a copy with fresh names, for the first row (or for all of a stream as one
   chunk). A copy of a SOAC has its own sizes computed already, so that nests of functions whose row
   sizes depend on rows grow by one copy a level. */
#include "core/front/elaborate.h"
#include "core/rewrite.h"

/* ---- slices ---------------------------------------------------------------------------------- */

typedef struct Regular {
    Elaborator *e;
    Frame *inside;
    const CoreName *chunk;
    size_t count;
    const Ahead *ahead;
    size_t name_count; /* by number: names made since the frame was opened */
    bool *needed, *outside;
    VEC(CoreAtom) sizes, replacements; /* of the result, bound inside */
} Regular;

static bool is_inside(const Regular *r, const CoreName *name)
{
    return name && name->number > r->inside->mark &&
           name->number - r->inside->mark <= r->name_count &&
           !r->outside[name->number - r->inside->mark - 1];
}

static void need_name(void *context, CoreName *name)
{
    Regular *r = context;
    if (is_inside(r, name)) {
        r->needed[name->number - r->inside->mark - 1] = true;
    }
}

static bool is_needed(const Regular *r, const CoreName *name)
{
    return is_inside(r, name) && r->needed[name->number - r->inside->mark - 1];
}

static bool binds_needed(const Regular *r, const CoreStm *stm)
{
    for (size_t i = 0; i < stm->pattern_count; i++) {
        if (is_needed(r, stm->pattern[i])) {
            return true;
        }
    }
    return false;
}

/* What a slice does. */
typedef struct SliceFacts {
    bool depends;  /* on the function's parameters */
    bool may_fail; /* or never end */
    bool has_arrays, may_consume;
} SliceFacts;

static void note_body(void *context, const CoreBody *body);

static void note_stm(SliceFacts *facts, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    bool is_while = exp->kind == CORE_EXP_LOOP && !exp->as.loop.index;
    facts->may_fail = facts->may_fail || stm->certificate_count > 0 || is_while ||
                      exp->kind == CORE_EXP_ASSERT || exp->kind == CORE_EXP_APPLY;
    facts->may_consume = facts->may_consume || exp->kind == CORE_EXP_UPDATE ||
                         exp->kind == CORE_EXP_SCATTER || exp->kind == CORE_EXP_HIST ||
                         exp->kind == CORE_EXP_APPLY || exp->kind == CORE_EXP_LOOP ||
                         exp->kind == CORE_EXP_STREAM_SEQ;
    core_each_body(exp, note_body, facts);
}

static void note_body(void *context, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        note_stm(context, body->stms[i]);
    }
}

/* Marks what the names needed so far need. */
static SliceFacts slice(Regular *r)
{
    SliceFacts facts = {0};
    const CoreBuilder *b = &r->inside->builder;
    for (size_t i = b->stms.count; i-- > 0;) {
        const CoreStm *stm = b->stms.items[i];
        if (!binds_needed(r, stm)) {
            continue;
        }
        core_each_free(stm, need_name, r);
        note_stm(&facts, stm);
        for (size_t j = 0; j < stm->pattern_count; j++) {
            facts.has_arrays = facts.has_arrays || stm->pattern[j]->type.rank > 0;
        }
    }
    for (size_t i = 0; i < r->count; i++) {
        facts.depends = facts.depends || is_needed(r, r->ahead[i].parameter);
    }
    return facts;
}

static bool mentions(const CoreName *name, CoreAtom size)
{
    for (int i = 0; i < name->type.rank; i++) {
        if (core_atom_equal(name->type.sizes[i], size)) {
            return true;
        }
    }
    return false;
}

/* The statement that first makes an array of that size, where certificates guard it; or NULL. */
static const CoreStm *guarded_maker(const Regular *r, CoreAtom size)
{
    const CoreBuilder *b = &r->inside->builder;
    for (size_t i = 0; i < b->stms.count; i++) {
        const CoreStm *stm = b->stms.items[i];
        for (size_t j = 0; j < stm->pattern_count; j++) {
            if (mentions(stm->pattern[j], size)) {
                return stm->certificate_count > 0 ? stm : NULL;
            }
        }
    }
    return NULL;
}

/* ---- moving out ------------------------------------------------------------------------------ */

static void move_out(Regular *r)
{
    CoreBuilder *b = &r->inside->builder;
    size_t kept = 0;
    const CoreStm **stms = ARENA_ARRAY(r->e->c->arena, const CoreStm *, b->stms.count);
    for (size_t i = 0; i < b->stms.count; i++) {
        const CoreStm *stm = b->stms.items[i];
        if (!binds_needed(r, stm)) {
            stms[kept++] = stm;
            continue;
        }
        core_add(BUILDER(r->e), stm);
        for (size_t j = 0; j < stm->pattern_count; j++) {
            r->outside[stm->pattern[j]->number - r->inside->mark - 1] = true;
        }
    }
    b->stms.items = stms;
    b->stms.capacity = b->stms.count;
    b->stms.count = kept;
}

static void forget_needed(Regular *r)
{
    memset(r->needed, 0, r->name_count * sizeof *r->needed);
}

/* Sizes that can, move out; the others stay in the list. */
static void move_sizes(Regular *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->sizes.count; i++) {
        CoreAtom size = r->sizes.items[i];
        if (!is_inside(r, size.name)) {
            continue;
        }
        forget_needed(r);
        need_name(r, size.name);
        SliceFacts facts = slice(r);
        if (!facts.depends && !facts.may_fail && !facts.has_arrays) {
            move_out(r);
        } else {
            r->sizes.items[kept++] = size;
        }
    }
    r->sizes.count = kept;
}

/* ---- computing ahead ------------------------------------------------------------------------- */

/* What a parameter is ahead; where the slice may consume it, a copy. */
static CoreAtom parameter_ahead(Regular *r, const Ahead *ahead, bool copied)
{
    CoreBuilder *b = BUILDER(r->e);
    CoreAtom atom = ahead->atom, zero = core_i64(0);
    if (ahead->is_row) {
        atom = core_let_index(b, ahead->parameter->text, atom, 1, &zero);
    }
    if (copied && core_atom_type(atom).rank > 0) {
        atom = core_let_copy(b, ahead->parameter->text, atom);
    }
    return atom;
}

/* A copy of the slice in the present frame; the sizes there. */
static CoreAtom *copy_slice(Regular *r, const SliceFacts *facts)
{
    Renaming *renaming = core_renaming(r->e->c);
    const CoreBuilder *b = &r->inside->builder;
    for (size_t i = 0; i < r->count; i++) {
        if (is_needed(r, r->ahead[i].parameter)) {
            core_rename(renaming, r->ahead[i].parameter,
                        parameter_ahead(r, &r->ahead[i], facts->may_consume));
        }
    }
    for (size_t i = 0; i < b->stms.count; i++) {
        if (binds_needed(r, b->stms.items[i])) {
            core_add(BUILDER(r->e), core_rename_stm(renaming, b->stms.items[i]));
        }
    }
    CoreAtom *sizes = ARENA_ARRAY(r->e->c->arena, CoreAtom, r->sizes.count);
    for (size_t i = 0; i < r->sizes.count; i++) {
        sizes[i] = core_renamed(renaming, r->sizes.items[i]);
    }
    return sizes;
}

/* if 0 < width then { slice } else { 0 } */
static void compute_ahead(Regular *r, CoreAtom width)
{
    Elaborator *e = r->e;
    size_t count = r->sizes.count;
    forget_needed(r);
    for (size_t i = 0; i < count; i++) {
        const CoreStm *maker = guarded_maker(r, r->sizes.items[i]);
        need_name(r, r->sizes.items[i].name);
        for (size_t j = 0; maker && j < maker->certificate_count; j++) {
            need_name(r, maker->certificates[j].name); /* what the size has to be asserted for */
        }
    }
    SliceFacts facts = slice(r);
    CoreAtom some = front_binary(e, NULL, CORE_LT, core_i64(0), width);
    CoreAtom *zeros = ARENA_ARRAY(e->c->arena, CoreAtom, count), *sizes;
    CoreName **names = ARENA_ARRAY(e->c->arena, CoreName *, count);
    for (size_t i = 0; i < count; i++) {
        zeros[i] = core_i64(0);
    }
    if (front_is_constant(some, 0)) {
        sizes = zeros;
    } else if (front_is_constant(some, 1) || (!facts.depends && !facts.may_fail)) {
        sizes = copy_slice(r, &facts);
    } else {
        Frame *frame = front_open(e, BUILDER(e)->span);
        const CoreAtom *results = copy_slice(r, &facts);
        front_close(e);
        CoreBuilder none = core_builder(e->c, BUILDER(e)->span);
        sizes = ARENA_ARRAY(e->c->arena, CoreAtom, count);
        for (size_t i = 0; i < count; i++) {
            names[i] = core_name(e->c, r->sizes.items[i].name->text, core_scalar(CORE_I64),
                                 BUILDER(e)->span);
            sizes[i] = core_use(names[i]);
        }
        core_bind(BUILDER(e), count, names,
                  core_exp_if(e->c, some, front_body(frame, count, results),
                              core_body(&none, count, zeros)));
    }
    for (size_t i = 0; i < count; i++) {
        if (front_is_extent(e, r->sizes.items[i])) {
            front_note_extent(e, sizes[i]);
        }
        vec_push(e->c->arena, &r->replacements, sizes[i]);
    }
}

/* ---- the result ------------------------------------------------------------------------------ */

static void collect_size(void *context, CoreAtom size)
{
    Regular *r = context;
    bool known = !is_inside(r, size.name) || size.name == r->chunk;
    for (size_t i = 0; i < r->sizes.count && !known; i++) {
        known = r->sizes.items[i].name == size.name;
    }
    if (!known) {
        vec_push(r->e->c->arena, &r->sizes, size);
    }
}

static CoreAtom replaced_size(void *context, CoreAtom size)
{
    const Regular *r = context;
    for (size_t i = 0; i < r->sizes.count; i++) {
        if (size.name && r->sizes.items[i].name == size.name) {
            return r->replacements.items[i];
        }
    }
    return size;
}

/* The assertion inside that would fail if the size were negative, where outside can say the same.
 */
static const CoreStm *assertion_of(const Regular *r, CoreAtom size)
{
    const CoreStm *maker = guarded_maker(r, size);
    const CoreBuilder *b = &r->inside->builder;
    for (size_t i = 0; maker && i < b->stms.count; i++) {
        const CoreStm *stm = b->stms.items[i];
        if (stm->exp->kind != CORE_EXP_ASSERT ||
            stm->pattern[0] != maker->certificates[maker->certificate_count - 1].name) {
            continue;
        }
        bool outside = true;
        for (size_t j = 0; j < stm->exp->as.assertion.value_count; j++) {
            outside = outside && !is_inside(r, stm->exp->as.assertion.values[j].name);
        }
        return outside ? stm : NULL;
    }
    return NULL;
}

/* An array has its row sizes even where it has no rows. */
static void require_extent(void *context, CoreAtom size)
{
    const Regular *r = context;
    Elaborator *e = r->e;
    if (!size.name || size.name == r->chunk || front_known_nonnegative(e, size)) {
        return;
    }
    const CoreStm *inner = assertion_of(r, size);
    if (!inner) {
        front_guard(e, front_require_nonnegative(e, &size));
        return;
    }
    Span span = BUILDER(e)->span;
    BUILDER(e)->span = inner->span;
    CoreAtom fits = front_binary(e, NULL, CORE_LE, core_i64(0), size);
    front_guard(
        e, front_require(e, fits, inner->exp->as.assertion.error, inner->exp->as.assertion.message,
                         inner->exp->as.assertion.value_count, inner->exp->as.assertion.values));
    front_assume_nonnegative(e, size);
    BUILDER(e)->span = span;
}

Value front_regular(Elaborator *e, Frame *inside, Value result, CoreAtom width,
                    const CoreName *chunk, size_t count, const Ahead *ahead)
{
    Regular r = {.e = e, .inside = inside, .chunk = chunk, .count = count, .ahead = ahead};
    r.name_count = e->c->last_number - inside->mark;
    r.outside = ARENA_ARRAY(e->c->arena, bool, r.name_count);
    front_type_each_size(result.type, collect_size, &r);
    if (r.sizes.count == 0) {
        front_type_each_size(result.type, require_extent, &r);
        return result;
    }
    r.needed = ARENA_ARRAY(e->c->arena, bool, r.name_count);
    move_sizes(&r);
    if (r.sizes.count == 0) {
        front_type_each_size(result.type, require_extent, &r);
        return result;
    }
    compute_ahead(&r, width);
    const Type *type = front_type_map(e, result.type, replaced_size, &r);
    Frame *outer = e->frame;
    e->frame = inside;
    inside->open = true;
    result = front_coerce(e, result, type);
    front_close(e);
    e->frame = outer;
    front_type_each_size(type, require_extent, &r);
    return result;
}
