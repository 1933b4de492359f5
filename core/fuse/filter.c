/* [L0 7.2.3] Filters whose rows are only reduced, counted or filtered again need not be made: how
   many rows they keep does not matter then, nor where they go. What reads the kept rows reads all
   of them, and takes the neutral element in place of those that are not kept:

       let (m, ys) = filter n p xs                 let s = redomap n (\x ->
       let s = redomap m f op ne ys      ==>                 if p x then f x else ne) op ne xs

       let (m, ys) = filter n p xs       ==>       let m = redomap n (\x -> i64 (p x)) (+) 0 xs
       -- ys is not used

       let (m, ys) = filter n p xs
       let (k, zs) = filter m q ys       ==>       let (k, zs) = filter n (\x -> p x & q x) xs

   No array of kept rows, no scan of flags, and one SOAC of n rows that the other steps fuse with
   its neighbours. A filter goes only where all that reads its rows can do without (legal by
   [L0 7.4.1]: nothing else reads them, nothing between writes what it reads, no reader stands in a
   loop of its own), so that the predicate is not computed beside the filter; several readers each
   compute it, up to a price. f is computed for all rows where that is a few operations that cannot
   go wrong, else in a branch, for kept rows only. */
#include "core/fuse/fuse.h"

enum {
    MOST_READERS = 4,      /* of one filter: each is a pass over all rows */
    MOST_EXTRA = 96,       /* operations a row for predicates that are computed again */
    MOST_UNCONDITIONAL = 8 /* operations for rows that are not kept */
};

/* A filter of the body at work, and who uses it. */
typedef struct Filter {
    const CoreStm *stm;
    struct Filter *reads; /* the filter whose rows this one takes, if it can do without */
    size_t readers;       /* that can do without */
    bool stays;           /* something else needs its rows */
    bool counted;         /* its size is used, by others than readers */
    bool goes;
} Filter;

typedef struct Filters {
    Fuse *f;
    PointerMap makers;   /* CoreName -> Filter of the body that binds it */
    const CoreStm *user; /* whose uses are being noted */
    const Filter *read;  /* that the user can do without */
    bool uses;
} Filters;

/* ---- what a reader is ---------------------------------------------------------------------- */

/* The one filter of the body that makes all of these arrays; NULL: there is none. */
static Filter *maker_of(Filters *fs, size_t count, const CoreAtom *arrays)
{
    Filter *filter = count > 0 ? pointer_map_get(&fs->makers, arrays[0].name) : NULL;
    for (size_t i = 1; i < count && filter; i++) {
        filter = pointer_map_get(&fs->makers, arrays[i].name) == filter ? filter : NULL;
    }
    return filter;
}

static void find_use(void *context, CoreName *name)
{
    Filters *fs = context;
    fs->uses = fs->uses || pointer_map_get(&fs->makers, name) == fs->read;
}

/* The functions of the statement, or its neutral elements, use what the filter makes: its size, or
   rows at other places. */
static bool uses_inside(Filters *fs, const CoreStm *stm, const Filter *filter)
{
    fs->read = filter;
    fs->uses = false;
    fuse_each_inside(fs->f, stm, find_use, fs);
    return fs->uses;
}

static bool only_reduces(const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t reduced = 0;
    for (size_t i = 0; i < soac->reduction_count; i++) {
        reduced += soac->reductions[i].function->body->result_count;
    }
    return soac->reduction_count > 0 && soac->scan_count == 0 && reduced == stm->pattern_count &&
           fuse_are_scalars(stm->pattern_count, stm->pattern) &&
           fuse_are_scalars(soac->map->parameter_count, soac->map->parameters) &&
           fuse_cost(soac->map->body) < FUSE_DEAR;
}

bool fuse_is_filter(const CoreStm *stm)
{
    return stm->exp->kind == CORE_EXP_FILTER && stm->exp->level == CORE_LEVEL_AUTO &&
           stm->exp->space == CORE_SPACE_AUTO && !fuse_may_fail(stm) &&
           fuse_are_scalars(stm->exp->as.filter.predicate->parameter_count,
                            stm->exp->as.filter.predicate->parameters);
}

/* The filter whose kept rows the statement takes one by one, and whose other results it does not
   use: it can do without. */
static Filter *filter_read_by(Filters *fs, const CoreStm *stm)
{
    Filter *filter = NULL;
    if (fuse_is_soac(stm) && only_reduces(stm) && !fuse_may_fail(stm)) {
        filter = maker_of(fs, stm->exp->as.soac.input_count, stm->exp->as.soac.inputs);
    } else if (fuse_is_filter(stm)) {
        filter = maker_of(fs, stm->exp->as.filter.input_count, stm->exp->as.filter.inputs);
    }
    return filter && !uses_inside(fs, stm, filter) ? filter : NULL;
}

/* ---- which filters go ---------------------------------------------------------------------- */

static void note_use(void *context, CoreName *name)
{
    Filters *fs = context;
    Filter *filter = pointer_map_get(&fs->makers, name);
    if (filter && filter != fs->read) {
        filter->stays = filter->stays || name->type.rank > 0;
        filter->counted = true;
    }
}

static void note_consumed(void *context, CoreName *name)
{
    Filters *fs = context;
    fs->uses = fs->uses || simplify_consumed(fs->f->s, core_use(name));
}

/* What it reads, or makes, is written in place somewhere. */
static bool touches_consumed(Filters *fs, const CoreStm *stm)
{
    fs->uses = false;
    core_each_free(stm, note_consumed, fs);
    for (size_t i = 0; i < stm->pattern_count; i++) {
        note_consumed(fs, stm->pattern[i]);
    }
    return fs->uses;
}

static bool is_worthwhile(const Filter *filter)
{
    size_t times = filter->readers + filter->counted;
    unsigned cost = fuse_cost(filter->stm->exp->as.filter.predicate->body);
    return times == 1 || (filter->readers <= MOST_READERS && (times - 1) * cost <= MOST_EXTRA);
}

/* Finds the body's filters and decides; whether any goes. */
static bool choose(Filters *fs, const CoreBody *body)
{
    VEC(Filter *) all = {0};
    for (size_t i = 0; i < body->stm_count; i++) {
        fs->user = body->stms[i];
        Filter *read = filter_read_by(fs, fs->user);
        fs->read = read;
        core_each_free(fs->user, note_use, fs);
        if (read) {
            read->readers++;
        }
        if (fuse_is_filter(fs->user)) {
            Filter *filter = ARENA_NEW(fs->f->c->arena, Filter);
            *filter = (Filter){.stm = fs->user, .reads = read};
            vec_push(fs->f->c->arena, &all, filter);
            for (size_t k = 0; k < fs->user->pattern_count; k++) {
                pointer_map_set(fs->f->c->arena, &fs->makers, fs->user->pattern[k], filter);
            }
        }
    }
    fs->read = NULL;
    for (size_t i = 0; i < body->result_count; i++) {
        if (body->results[i].name) {
            note_use(fs, body->results[i].name);
        }
    }
    bool any = false;
    for (size_t i = all.count; i-- > 0;) {
        Filter *filter = all.items[i];
        filter->goes = !filter->stays && filter->readers + filter->counted > 0 &&
                       is_worthwhile(filter) && !touches_consumed(fs, filter->stm);
        if (filter->goes && filter->reads) { /* in the next round: its readers read it then */
            filter->reads->stays = true;
        }
        any = any || filter->goes;
    }
    return any;
}

/* ---- readers of all rows ------------------------------------------------------------------- */

/* A copy of a predicate, as the beginning of a reader's function. */
typedef struct Copy {
    Renaming *renaming;
    CoreName **parameters;
    CoreAtom keep, *kept; /* whether, and what: an atom for each array of the filter */
} Copy;

static Copy copy_predicate(Fuse *f, CoreBuilder *b, const CoreLambda *predicate)
{
    Copy copy = {.renaming = core_renaming(f->c)};
    copy.parameters = ARENA_ARRAY(f->c->arena, CoreName *, predicate->parameter_count + 1);
    for (size_t i = 0; i < predicate->parameter_count; i++) {
        const CoreName *old = predicate->parameters[i];
        copy.parameters[i] = core_name(f->c, old->text, old->type, old->span);
        core_rename(copy.renaming, old, core_use(copy.parameters[i]));
    }
    for (size_t i = 0; i < predicate->body->stm_count; i++) {
        core_add(b, core_rename_stm(copy.renaming, predicate->body->stms[i]));
    }
    size_t results = predicate->body->result_count;
    copy.keep = core_renamed(copy.renaming, predicate->body->results[0]);
    copy.kept = ARENA_ARRAY(f->c->arena, CoreAtom, predicate->parameter_count + results);
    for (size_t i = 0; i < predicate->parameter_count && results == 1; i++) {
        copy.kept[i] = core_use(copy.parameters[i]);
    }
    for (size_t i = 1; i < results; i++) {
        copy.kept[i - 1] = core_renamed(copy.renaming, predicate->body->results[i]);
    }
    return copy;
}

/* Which of the filter's arrays it is. */
static size_t place_of(const CoreStm *filter, CoreAtom kept)
{
    size_t place = 0;
    while (filter->pattern[1 + place] != kept.name) {
        place++;
    }
    return place;
}

static bool is_unconditional(const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        CoreExpKind kind = body->stms[i]->exp->kind;
        if ((kind != CORE_EXP_UNARY && kind != CORE_EXP_BINARY && kind != CORE_EXP_CONVERT &&
             kind != CORE_EXP_ATOM) ||
            body->stms[i]->certificate_count > 0) {
            return false;
        }
    }
    return fuse_cost(body) <= MOST_UNCONDITIONAL;
}

static CoreAtom zero_of(CorePrim prim)
{
    return prim == CORE_BOOL    ? core_bool(false)
           : prim == CORE_CHAR  ? core_char(0)
           : core_is_real(prim) ? core_real(prim, 0)
                                : core_int(prim, 0);
}

/* let (z, ..) = if keep then body else (others); the names. NULL: whatever else. */
const CoreAtom *fuse_where_kept(Fuse *f, CoreBuilder *b, CoreAtom keep, const CoreBody *body,
                                const CoreAtom *others)
{
    CoreBuilder inner = core_builder(f->c, b->span), none = core_builder(f->c, b->span);
    bool unconditional = is_unconditional(body);
    CoreBuilder *work = unconditional ? b : &inner;
    CoreName **names = ARENA_ARRAY(f->c->arena, CoreName *, body->result_count + 1);
    CoreAtom *results = ARENA_ARRAY(f->c->arena, CoreAtom, body->result_count + 1);
    CoreAtom *zeros = ARENA_ARRAY(f->c->arena, CoreAtom, body->result_count + 1);
    for (size_t i = 0; i < body->stm_count; i++) {
        core_add(work, body->stms[i]);
    }
    if (unconditional && !others) {
        return body->results;
    }
    for (size_t k = 0; k < body->result_count; k++) {
        CoreType type = core_atom_type(body->results[k]);
        type.unique = false;
        zeros[k] = zero_of(type.prim);
        names[k] = core_name(f->c, "kept", type, b->span);
        results[k] = core_use(names[k]);
    }
    core_bind(b, body->result_count, names,
              core_exp_if(f->c, keep, core_body(&inner, body->result_count, body->results),
                          core_body(&none, body->result_count, others ? others : zeros)));
    return results;
}

static void bind_kept(Fuse *f, CoreBuilder *b, const Copy *copy, const CoreStm *filter,
                      CoreName *const *parameters, size_t count, const CoreAtom *arrays)
{
    for (size_t i = 0; i < count; i++) {
        CoreAtom row = copy->kept[place_of(filter, arrays[i])];
        core_bind(b, 1, &parameters[i], core_atom_exp(f->c, row));
    }
}

/* redomap f op ne (filter p xs)  ==>  redomap (\x -> if p x then f x else ne) op ne xs */
static const CoreStm *reduce_all(Fuse *f, const CoreStm *filter, const CoreStm *reader)
{
    const CoreSoac *old = &reader->exp->as.soac;
    CoreBuilder b = core_builder(f->c, reader->span);
    Copy copy = copy_predicate(f, &b, filter->exp->as.filter.predicate);
    bind_kept(f, &b, &copy, filter, old->map->parameters, old->input_count, old->inputs);
    CoreAtom *neutral = ARENA_ARRAY(f->c->arena, CoreAtom, reader->pattern_count + 1);
    for (size_t i = 0, k = 0; i < old->reduction_count; i++) {
        for (size_t j = 0; j < old->reductions[i].function->body->result_count; j++) {
            neutral[k++] = old->reductions[i].neutral[j];
        }
    }
    const CoreAtom *results = fuse_where_kept(f, &b, copy.keep, old->map->body, neutral);
    CoreLambda *map = arena_copy(f->c->arena, old->map, sizeof *map);
    map->parameters = copy.parameters;
    map->parameter_count = filter->exp->as.filter.input_count;
    map->body = core_body(&b, old->map->body->result_count, results);
    CoreStm *stm = fuse_with_certificates(f, reader, filter);
    CoreExp *exp = core_exp_copy(f->c, reader->exp);
    exp->as.soac.map = map;
    exp->as.soac.width = filter->exp->as.filter.width;
    exp->as.soac.input_count = filter->exp->as.filter.input_count;
    exp->as.soac.inputs = filter->exp->as.filter.inputs;
    stm->exp = exp;
    return stm;
}

/* The rows of filter p xs counted: redomap (\x -> i64 (p x)) (+) 0 xs */
static const CoreStm *count_all(Fuse *f, const CoreStm *filter)
{
    CoreBuilder b = core_builder(f->c, filter->span);
    Copy copy = copy_predicate(f, &b, filter->exp->as.filter.predicate);
    CoreAtom one = core_let_convert(&b, "one", CORE_I64, copy.keep);
    const CoreLambda *map = core_lambda(f->c, filter->exp->as.filter.input_count, copy.parameters,
                                        core_body(&b, 1, &one));
    CoreAtom *zero = ARENA_NEW(f->c->arena, CoreAtom);
    *zero = core_i64(0);
    const CoreReduction sum = {core_operator_lambda(f->c, CORE_ADD, CORE_I64, filter->span), zero,
                               true};
    CoreStm *stm = arena_copy(f->c->arena, filter, sizeof *filter);
    stm->pattern_count = 1;
    stm->exp = core_exp_soac(f->c, filter->exp->as.filter.width, filter->exp->as.filter.input_count,
                             filter->exp->as.filter.inputs, map, 1, &sum, 0, NULL);
    return stm;
}

/* filter q (filter p xs)  ==>  filter (\x -> (p x & q x, x)) xs */
static const CoreStm *filter_all(Fuse *f, const CoreStm *filter, const CoreStm *reader)
{
    const CoreExp *first = filter->exp, *second = reader->exp;
    const CoreLambda *old = second->as.filter.predicate;
    size_t count = core_filter_count(second), results = old->body->result_count;
    CoreBuilder b = core_builder(f->c, reader->span);
    CoreAtom *others = ARENA_ARRAY(f->c->arena, CoreAtom, results);
    CoreAtom *kept = ARENA_ARRAY(f->c->arena, CoreAtom, count + 1);
    Copy copy = copy_predicate(f, &b, first->as.filter.predicate);
    bind_kept(f, &b, &copy, filter, old->parameters, old->parameter_count,
              second->as.filter.inputs);
    for (size_t i = 0; i < results; i++) {
        others[i] = zero_of(core_atom_type(old->body->results[i]).prim);
    }
    const CoreAtom *both = fuse_where_kept(f, &b, copy.keep, old->body, others);
    kept[0] = both[0];
    for (size_t i = 0; i < count; i++) {
        kept[1 + i] = results > 1 ? both[1 + i] : core_use(old->parameters[i]);
    }
    CoreStm *stm = fuse_with_certificates(f, reader, filter);
    stm->exp = core_exp_filter(f->c, first->as.filter.width, first->as.filter.input_count,
                               first->as.filter.inputs,
                               core_lambda(f->c, first->as.filter.input_count, copy.parameters,
                                           core_body(&b, count + 1, kept)));
    return stm;
}

/* ---- the step ------------------------------------------------------------------------------ */

static void look_inside(void *context, const CoreBody *body)
{
    bool *found = context;
    *found = *found || fuse_has_filter(body);
}

bool fuse_has_filter(const CoreBody *body)
{
    bool found = false;
    for (size_t i = 0; i < body->stm_count && !found; i++) {
        found = body->stms[i]->exp->kind == CORE_EXP_FILTER;
        core_each_body(body->stms[i]->exp, look_inside, &found);
    }
    return found;
}

/* The statement in place of the old one; NULL: none. */
static const CoreStm *replacement(Filters *fs, const CoreStm *old)
{
    Filter *made = old->pattern_count > 0 ? pointer_map_get(&fs->makers, old->pattern[0]) : NULL;
    if (made && made->stm == old && made->goes) {
        fuse_fired(fs->f, CORE_RULE_FUSE_FILTER);
        return made->counted ? count_all(fs->f, old) : NULL;
    }
    Filter *read = filter_read_by(fs, old);
    if (!read || !read->goes) {
        return old;
    }
    fuse_log_done(fs->f, CORE_RULE_FUSE_FILTER, read->stm, old, NULL);
    return old->exp->kind == CORE_EXP_FILTER ? filter_all(fs->f, read->stm, old)
                                             : reduce_all(fs->f, read->stm, old);
}

static const CoreBody *filter_body(void *context, const CoreBody *old)
{
    Fuse *f = context;
    Filters fs = {.f = f};
    bool any = choose(&fs, old);
    const CoreStm **stms = ARENA_ARRAY(f->arena, const CoreStm *, old->stm_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = any ? replacement(&fs, old->stms[i]) : old->stms[i];
        if (stm) {
            stms[count++] = core_map_stm(f->c, stm, filter_body, f);
        }
    }
    return core_with_stms(f->c, old, count, stms);
}

const CoreFunction *fuse_filter(Fuse *f, const CoreFunction *function)
{
    if (!fuse_has_filter(function->body)) {
        return function;
    }
    return core_with_body(f->c, function, filter_body(f, function->body));
}
