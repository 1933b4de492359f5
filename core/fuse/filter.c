/* [L0 7.2.3] Filters whose rows are only reduced, counted or filtered again need not be made: how
   many rows they keep does not matter then, nor where they go. What reads the kept rows reads all
   of them, and takes the neutral element in place of those that are not kept:

       let (m, ys) = filter n p xs                 let s = redomap n (\x ->
       let s = redomap m f op ne ys      ==>                 if p x then f x else ne) op ne xs

       let (m, ys) = filter n p xs       ==>       let m = redomap n (\x -> i64 (p x)) (+) 0 xs
       -- ys is not used

       let (m, ys) = filter n p xs
       let (k, zs) = filter m q ys       ==>       let (k, zs) = filter n (\x -> p x & q x) xs

       let (m, is) = filter n p xs       ==>       let js = map n (\x -> if p x then f x else -1) xs
       let js = map m f is                         let ys' = scatter n ys js (replicate [n] 0)
       let ys' = scatter m ys js (replicate [m] 0)

   No array of kept rows, no scan of flags, and one SOAC of n rows that the other steps fuse with
   its neighbours. Where each row that is kept goes to its own place, there is not even a scatter:

       let (m, is) = filter n p (xs, iota n)              let ys' = map n (\x y ->
       let ys' = scatter m ys is (replicate [m] 0)  ==>     if p x then 0 else y) (xs, ys)

   A filter goes only where all that reads its rows can do without (legal by [L0 7.4.1]: nothing else
   reads them, nothing between writes what it reads, no reader stands in a loop of its own), so that
   the predicate is not computed beside the filter; several readers each compute it, up to a price.
   Its rows are also what maps make of them, and what is repeated for each, where a scatter takes
   these. all_rows.c builds the readers. */
#include "core/fuse/filter.h"

enum {
    MOST_READERS = 4, /* of one filter: each is a pass over all rows */
    MOST_EXTRA = 96   /* operations a row for predicates that are computed again */
};

/* A filter of the body at work, and who uses it. */
typedef struct Filter {
    const CoreStm *stm;
    size_t at;            /* its place in the body */
    struct Filter *reads; /* the filter whose rows this one takes, if it can do without */
    size_t readers; /* that can do without, but for those that make rows: these fuse with them */
    size_t last;    /* place of the last statement that reads its rows */
    bool scattered; /* a scatter or histogram has as many rows */
    bool stays;     /* something else needs its rows */
    bool counted;   /* its size is used, by others than readers */
    bool goes;
} Filter;

typedef struct Filters {
    Fuse *f;
    const CoreBody *body;
    PointerMap makers;   /* CoreName -> Filter of the body whose rows it has, or whose size it is */
    PointerMap widths;   /* of scatters and histograms of the body */
    PointerMap moved;    /* name of an array of kept rows -> name of the same of all rows */
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

/* What rows do is little; at most an assertion fails. The first row that fails is the same among kept rows and among
   all, where those that are not kept assert nothing. */
static bool does_little(const CoreStm *stm)
{
    return fuse_is_of_scalars(stm->exp->as.soac.map) &&
           fuse_cost_but_checks(stm->exp->as.soac.map->body) < FUSE_DEAR;
}

static bool only_reduces(const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    size_t reduced = 0;
    for (size_t i = 0; i < soac->reduction_count; i++) {
        const CoreBody *operator= soac->reductions[i].function->body;
        reduced += operator->result_count;
        if (core_may_fail_in(operator)) {
            return false;
        }
    }
    return soac->reduction_count > 0 && soac->scan_count == 0 && reduced == stm->pattern_count &&
           fuse_are_scalars(stm->pattern_count, stm->pattern) && does_little(stm);
}

bool fuse_is_filter(const CoreStm *stm)
{
    return stm->exp->kind == CORE_EXP_FILTER && stm->exp->level == CORE_LEVEL_AUTO &&
           stm->exp->space == CORE_SPACE_AUTO && !core_may_fail(stm) &&
           fuse_are_scalars(stm->exp->as.filter.predicate->parameter_count,
                            stm->exp->as.filter.predicate->parameters);
}

/* A scalar that is repeated as often as a filter keeps rows. */
static Filter *filter_counted_by(Filters *fs, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind != CORE_EXP_REPLICATE || exp->space != CORE_SPACE_AUTO ||
        stm->pattern[0]->type.rank != 1 || !exp->as.replicate.sizes[0].name) {
        return NULL;
    }
    Filter *filter = pointer_map_get(&fs->makers, exp->as.replicate.sizes[0].name);
    return filter && filter->scattered ? filter : NULL;
}

/* The filter whose kept rows, and nothing else, a scatter takes. */
static Filter *filter_scattered_by(Filters *fs, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    Filter *filter = maker_of(fs, 1, &exp->as.scatter.indices);
    return exp->as.scatter.width.name && filter &&
                   maker_of(fs, exp->as.scatter.count, exp->as.scatter.values) == filter &&
                   exp->as.scatter.width.name == filter->stm->pattern[0]
               ? filter
               : NULL;
}

/* The filter whose kept rows the statement takes one by one, and whose other results it does not
   use: it can do without. */
static Filter *filter_read_by(Filters *fs, const CoreStm *stm)
{
    Filter *filter = NULL;
    if (fuse_is_soac(stm) && only_reduces(stm)) {
        filter = maker_of(fs, stm->exp->as.soac.input_count, stm->exp->as.soac.inputs);
    } else if (fuse_is_filter(stm)) {
        filter = maker_of(fs, stm->exp->as.filter.input_count, stm->exp->as.filter.inputs);
    } else if (fuse_is_map(stm) && does_little(stm)) {
        filter = maker_of(fs, stm->exp->as.soac.input_count, stm->exp->as.soac.inputs);
        filter = filter && filter->scattered ? filter : NULL;
    } else if (fuse_is_scatter(stm)) {
        filter = filter_scattered_by(fs, stm);
    } else {
        return filter_counted_by(fs, stm);
    }
    return filter && !uses_inside(fs, stm, filter) ? filter : NULL;
}

/* What it repeats for each row that the filter keeps is how many these are. */
static bool repeats_count(const Filters *fs, const CoreStm *reader, const Filter *filter)
{
    const CoreExp *exp = reader->exp;
    return exp->kind == CORE_EXP_REPLICATE && exp->as.replicate.value.name &&
           pointer_map_get(&fs->makers, exp->as.replicate.value.name) == filter;
}

/* What it binds has a row for each that the filter keeps. */
static bool makes_rows(const CoreStm *reader)
{
    return reader->exp->kind == CORE_EXP_REPLICATE || fuse_is_map(reader);
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

typedef struct Touched {
    Simplify *s;
    PointerMap classes; /* of arrays that the filter reads and some statement writes in place */
    Arena *arena;
    bool any, again;
} Touched;

static void note_touched(void *context, CoreName *name)
{
    Touched *touched = context;
    Fact *class = simplify_class(simplify_fact(touched->s, name));
    if (class->consumed) {
        pointer_map_set(touched->arena, &touched->classes, class, class);
        touched->any = true;
    }
}

static void find_touched(void *context, CoreName *name)
{
    Touched *touched = context;
    const Fact *class = simplify_class(simplify_fact(touched->s, name));
    touched->again = touched->again || pointer_map_get(&touched->classes, class);
}

/* What the filter reads may be written in place before its last reader. */
static bool is_written_before_end(Filters *fs, const Filter *filter)
{
    Touched touched = {.s = fs->f->s, .arena = fs->f->arena};
    core_each_free(filter->stm, note_touched, &touched);
    for (size_t i = filter->at + 1; touched.any && !touched.again && i < filter->last; i++) {
        if (fuse_may_consume(fs->body->stms[i]->exp)) {
            core_each_free(fs->body->stms[i], find_touched, &touched);
        }
    }
    return touched.again;
}

static bool is_worthwhile(const Filter *filter)
{
    size_t times = filter->readers + filter->counted;
    unsigned cost = fuse_cost(filter->stm->exp->as.filter.predicate->body);
    return times == 1 || (filter->readers <= MOST_READERS && (times - 1) * cost <= MOST_EXTRA);
}

static void note_widths(Filters *fs)
{
    for (size_t i = 0; i < fs->body->stm_count; i++) {
        CoreName *width = fuse_is_scatter(fs->body->stms[i])
                              ? fs->body->stms[i]->exp->as.scatter.width.name
                              : NULL;
        if (width) {
            pointer_map_set(fs->f->arena, &fs->widths, width, width);
        }
    }
}

/* Finds the body's filters and decides; whether any goes. */
static bool choose(Filters *fs)
{
    const CoreBody *body = fs->body;
    VEC(Filter *) all = {0};
    note_widths(fs);
    for (size_t i = 0; i < body->stm_count; i++) {
        fs->user = body->stms[i];
        Filter *read = filter_read_by(fs, fs->user);
        fs->read = read;
        core_each_free(fs->user, note_use, fs);
        if (read) {
            read->readers += !makes_rows(fs->user);
            read->counted = read->counted || repeats_count(fs, fs->user, read);
            read->last = i;
        }
        for (size_t k = 0; read && makes_rows(fs->user) && k < fs->user->pattern_count; k++) {
            pointer_map_set(fs->f->arena, &fs->makers, fs->user->pattern[k], read);
        }
        if (fuse_is_filter(fs->user)) {
            Filter *filter = ARENA_NEW(fs->f->c->arena, Filter);
            *filter = (Filter){.stm = fs->user, .at = i, .reads = read};
            filter->scattered = pointer_map_get(&fs->widths, fs->user->pattern[0]) != NULL;
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
                       is_worthwhile(filter) && !is_written_before_end(fs, filter);
        if (filter->goes && filter->reads) { /* in the next round: its readers read it then */
            filter->reads->stays = true;
        }
        any = any || filter->goes;
    }
    return any;
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

/* What stands in place of the old statement. */
static void replace(Filters *fs, const CoreStm *old, StmVec *stms)
{
    Filter *made = old->pattern_count > 0 ? pointer_map_get(&fs->makers, old->pattern[0]) : NULL;
    FuseRows rows = {.f = fs->f, .filter = old, .moved = &fs->moved};
    if (made && made->stm == old && made->goes) {
        fuse_fired(fs->f, CORE_RULE_FUSE_FILTER);
        if (made->counted) {
            vec_push(fs->f->c->arena, stms, fuse_count_all(&rows));
        }
        return;
    }
    const Filter *read = filter_read_by(fs, old);
    if (!read || !read->goes) {
        vec_push(fs->f->c->arena, stms, old);
        return;
    }
    fuse_log_done(fs->f, CORE_RULE_FUSE_FILTER, read->stm, old, NULL);
    rows.filter = read->stm;
    fuse_take_all(&rows, old, stms);
}

static const CoreBody *filter_body(void *context, const CoreBody *old)
{
    Fuse *f = context;
    Filters fs = {.f = f, .body = old};
    bool any = choose(&fs);
    const CoreBody *merged = any ? old : fuse_merge_filters(f, old);
    if (merged != old) { /* nothing is known of its names yet */
        return merged;
    }
    StmVec stms = {0};
    for (size_t i = 0; i < old->stm_count; i++) {
        if (any) {
            replace(&fs, old->stms[i], &stms);
        } else {
            vec_push(f->c->arena, &stms, old->stms[i]);
        }
    }
    for (size_t i = 0; i < stms.count; i++) {
        stms.items[i] = core_map_stm(f->c, stms.items[i], filter_body, f);
    }
    return core_with_stms(f->c, old, stms.count, stms.items);
}

const CoreFunction *fuse_filter(Fuse *f, const CoreFunction *function)
{
    if (!fuse_has_filter(function->body)) {
        return function;
    }
    return core_with_body(f->c, function, filter_body(f, function->body));
}
