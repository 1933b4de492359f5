/* Few reductions of many rows, written out, so that they are one of as many numbers.

       let gs = map 3 (\k -> {                               let s = redomap n (\(i, r) -> a[i, 0] * r) (+) 0 (iota n, rs)
         let s = redomap n                                   let t = redomap n (\(i, r) -> a[i, 1] * r) (+) 0 (iota n, rs)
           (\(i, r) -> a[i, k] * r) (+) 0 (iota n, rs)  ==>  let u = redomap n (\(i, r) -> a[i, 2] * r) (+) 0 (iota n, rs)
         in s / m }) (iota 3)                                let gs = [s / m, t / m, u / m]

   These read one array, and become one (graph.c); what makes rs goes into it. As segments (backend/lower/segmented.c) each
   would read all of it. In loops the numbers are state of their own. Sums of columns, products of a long matrix with its
   transpose and the like are such maps.

   Only where they share what they read, and where nothing may fail; in functions of maps only few sums, and only where these
   read an array that the function makes, which need not be stored then, or have work in common, which is done once then:

       map n (\x -> let ws = map m g ys                          map n (\x -> let (s, t) = redomap m (\(y, i) ->
                    let rs = map 2 (\k ->             ==>                      let w = g y in (a[i, 0] * w, a[i, 1] * w))
                      redomap m (\(i, w) -> a[i, k] * w) ...) ...              let rs = [s, t] ...

   Operators are applied in the same order. */
#include "core/fuse/fuse.h"

/* Of all rows of the map together: numbers in the hands of a work-item, as many where the rows share no more than the
   memory around them, which neighbours read far apart, and statements. */
enum {
    MOST_ROWS = 16,
    MANY_ROWS = 1000,
    MOST_SUMS = 16,
    MOST_COLUMNS = 4,
    MOST_INSIDE = 4, /* sums, in functions */
    DEAR_WORK = 16,  /* operations an element that the sums have in common */
    MOST_STATEMENTS = 400
};

typedef struct Few {
    Fuse *f;
    size_t sums, statements; /* of all rows */
    bool shares, columns;    /* rows of the reductions, or only the memory around them */
    bool together;           /* an array that the body at work makes for them, or dear work */
    int functions;           /* of SOACs around the body at work */
    PointerMap differing;    /* CoreName -> itself: not the same for all rows of the map */
    bool differs;            /* of core_each_free */
    PointerMap items;        /* CoreName -> Items: of an array that is written out */
} Few;

typedef VEC(CoreAtom) Items;

/* ---- what is written out ------------------------------------------------------------------- */

static bool is_few(const CoreStm *stm)
{
    return fuse_is_map(stm) && stm->certificate_count == 0 && !stm->exp->as.soac.width.name &&
           stm->exp->as.soac.width.as.integer >= 2 &&
           stm->exp->as.soac.width.as.integer <= MOST_ROWS;
}

static bool is_outside(const Few *few, CoreAtom atom)
{
    return atom.name && fuse_name(few->f, atom.name)->level <= few->f->level;
}

static bool is_shared(const Few *few, CoreAtom array)
{
    const CoreStm *stm = fuse_definition(few->f, array);
    return is_outside(few, array) && !(stm && stm->exp->kind == CORE_EXP_IOTA);
}

static void mark(Few *few, CoreName *name)
{
    pointer_map_set(few->f->arena, &few->differing, name, name);
}

static void look_at(void *context, CoreName *name)
{
    Few *few = context;
    few->differs = few->differs || pointer_map_get(&few->differing, name);
}

/* Whether what the statement binds differs from row to row of the map. */
static bool differs(Few *few, const CoreStm *stm)
{
    few->differs = false;
    core_each_free(stm, look_at, few);
    for (size_t k = 0; few->differs && k < stm->pattern_count; k++) {
        mark(few, stm->pattern[k]);
    }
    return few->differs;
}

/* An array of scalars that a map of the body at work makes. */
static bool is_made_here(const Few *few, CoreAtom array)
{
    const CoreStm *stm = fuse_definition(few->f, array);
    return stm && fuse_is_map_of_scalars(stm) &&
           fuse_name(few->f, array.name)->level == few->f->level;
}

/* What a reduction reads: the same for each row of the map, or each row other elements of an array. */
static void note_readings(Few *few, const CoreSoac *soac)
{
    const CoreStm **common =
        ARENA_ARRAY(few->f->arena, const CoreStm *, soac->map->body->stm_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < soac->input_count; i++) {
        few->shares = few->shares || is_shared(few, soac->inputs[i]);
        few->together = few->together || is_made_here(few, soac->inputs[i]);
        if (soac->inputs[i].name && pointer_map_get(&few->differing, soac->inputs[i].name)) {
            mark(few, soac->map->parameters[i]);
        }
    }
    for (size_t i = 0; i < soac->map->body->stm_count; i++) {
        const CoreStm *stm = soac->map->body->stms[i];
        bool own = differs(few, stm);
        if (stm->exp->kind == CORE_EXP_INDEX && is_shared(few, stm->exp->as.index.array)) {
            *(own ? &few->columns : &few->shares) = true;
        }
        if (!own) {
            common[count++] = stm;
        }
    }
    few->together = few->together || fuse_cost(core_with_stms(few->f->c, soac->map->body, count,
                                                              common)) >= DEAR_WORK;
}

/* Rows of such a view: copies of one, or columns. */
static bool has_rows_of(const Few *few, const CoreSoac *soac, CoreExpKind view)
{
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreStm *stm = fuse_definition(few->f, soac->inputs[i]);
        if (stm && stm->exp->kind == view) {
            return true;
        }
    }
    return false;
}

/* To scalars, of many rows, or of a number that nobody knows here. */
static bool is_long_reduction(const Few *few, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    return fuse_is_soac(stm) && soac->reduction_count > 0 && soac->scan_count == 0 &&
           (soac->width.name ? is_outside(few, soac->width)
                             : soac->width.as.integer >= MANY_ROWS) &&
           stm->pattern_count == fuse_total_width(soac->reduction_count, soac->reductions) &&
           fuse_are_scalars(stm->pattern_count, stm->pattern) &&
           fuse_cost(soac->map->body) < FUSE_DEAR;
}

static bool is_written(const CoreBody *body, CoreAtom result)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        if (is_few(body->stms[i]) && core_stm_binds(body->stms[i], result.name)) {
            return true;
        }
    }
    return false;
}

/* The map's function runs so often. */
static bool may_write(Few *few, const CoreStm *map, size_t times)
{
    const CoreBody *body = map->exp->as.soac.map->body;
    times *= (size_t)map->exp->as.soac.width.as.integer;
    few->statements += times * body->stm_count;
    few->shares = few->shares || has_rows_of(few, &map->exp->as.soac, CORE_EXP_REPLICATE);
    few->columns = few->columns || has_rows_of(few, &map->exp->as.soac, CORE_EXP_REARRANGE);
    for (size_t i = 0; i < map->exp->as.soac.map->parameter_count; i++) {
        mark(few, map->exp->as.soac.map->parameters[i]);
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        CoreExpKind kind = stm->exp->kind;
        differs(few, stm);
        bool plain = core_is_view(kind) || kind == CORE_EXP_INDEX || kind == CORE_EXP_ATOM ||
                     kind == CORE_EXP_UNARY || kind == CORE_EXP_BINARY || kind == CORE_EXP_CONVERT;
        if (is_long_reduction(few, stm)) {
            few->sums += times * stm->pattern_count;
            few->statements += times * stm->exp->as.soac.map->body->stm_count;
            note_readings(few, &stm->exp->as.soac);
        } else if (!plain && !(is_few(stm) && may_write(few, stm, times))) {
            return false;
        }
    }
    for (size_t k = 0; k < body->result_count; k++) {
        if (core_atom_type(body->results[k]).rank > 0 && !is_written(body, body->results[k])) {
            return false;
        }
    }
    return few->sums <= MOST_SUMS && few->statements <= MOST_STATEMENTS;
}

/* What is made of numbers that are written out is, too: an array of them would be memory for no more than that. In functions
   where these are the function's: of others, a work-item an element is as good. */
static bool takes_written(const Few *few, const CoreSoac *soac)
{
    for (size_t i = 0; i < soac->input_count; i++) {
        const CoreStm *stm = fuse_definition(few->f, soac->inputs[i]);
        if (stm && stm->exp->kind == CORE_EXP_RESHAPE) {
            stm = fuse_definition(few->f, stm->exp->as.reshape.array);
        }
        bool is_far =
            few->functions > 0 && stm && fuse_name(few->f, stm->pattern[0])->level < few->f->level;
        for (size_t k = 0;
             stm && stm->exp->kind == CORE_EXP_LITERAL && !is_far && k < stm->exp->as.items.count;
             k++) {
            if (stm->exp->as.items.items[k].name) {
                return true;
            }
        }
    }
    return false;
}

static bool should_write(Few *few, const CoreStm *stm)
{
    few->sums = few->statements = 0;
    few->shares = few->columns = few->together = false;
    few->differing = (PointerMap){0};
    return is_few(stm) && !core_may_fail(stm) && may_write(few, stm, 1) &&
           (few->sums == 0       ? takes_written(few, &stm->exp->as.soac)
            : few->functions > 0 ? few->together && few->sums <= MOST_INSIDE
                                 : few->shares || (few->columns && few->sums <= MOST_COLUMNS));
}

/* ---- writing ------------------------------------------------------------------------------- */

static void add_items(Few *few, Items *items, CoreAtom result)
{
    const Items *inner = result.name ? pointer_map_get(&few->items, result.name) : NULL;
    for (size_t i = 0; inner && i < inner->count; i++) {
        vec_push(few->f->c->arena, items, inner->items[i]);
    }
    if (!inner) {
        vec_push(few->f->c->arena, items, result);
    }
}

static void bind_items(Few *few, CoreBuilder *b, CoreName *name, Items *items)
{
    pointer_map_set(few->f->c->arena, &few->items, name, items);
    CoreAtom all = core_let_literal(b, name->text, items->count, items->items);
    if (name->type.rank > 1) {
        all = core_let_reshape(b, name->text, all, (size_t)name->type.rank, name->type.sizes);
    }
    core_bind(b, 1, &name, core_atom_exp(few->f->c, all));
}

static void write_map(Few *few, CoreBuilder *b, const CoreStm *stm);

/* The function's statements for one row; its results are added to the items of each. */
static void write_row(Few *few, CoreBuilder *b, const CoreSoac *soac, int64_t row, Items *items)
{
    Renaming *renaming = core_renaming(few->f->c);
    const CoreAtom at = core_i64(row);
    for (size_t i = 0; i < soac->input_count; i++) {
        CoreAtom x = core_let_index(b, soac->map->parameters[i]->text, soac->inputs[i], 1, &at);
        core_rename(renaming, soac->map->parameters[i], x);
    }
    for (size_t i = 0; i < soac->map->body->stm_count; i++) {
        const CoreStm *stm = core_rename_stm(renaming, soac->map->body->stms[i]);
        if (is_few(stm)) {
            write_map(few, b, stm);
        } else {
            core_add(b, stm);
        }
    }
    for (size_t k = 0; k < soac->map->body->result_count; k++) {
        add_items(few, &items[k], core_renamed(renaming, soac->map->body->results[k]));
    }
}

static void write_map(Few *few, CoreBuilder *b, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    Items *items = ARENA_ARRAY(few->f->c->arena, Items, stm->pattern_count);
    b->span = stm->span;
    for (int64_t row = 0; row < soac->width.as.integer; row++) {
        write_row(few, b, soac, row, items);
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        bind_items(few, b, stm->pattern[k], &items[k]);
    }
}

/* ---- the step ------------------------------------------------------------------------------ */

static const CoreBody *few_body(void *context, const CoreBody *old)
{
    Few *few = context;
    CoreBuilder b = core_builder(few->f->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        CoreExpKind kind = stm->exp->kind;
        if (should_write(few, stm)) {
            write_map(few, &b, stm);
            fuse_fired(few->f, CORE_RULE_FUSE_FEW);
        } else if (kind == CORE_EXP_LOOP || kind == CORE_EXP_IF || fuse_is_map(stm)) {
            few->f->level += kind != CORE_EXP_IF;
            few->functions += kind == CORE_EXP_SOAC;
            core_add(&b, core_map_stm(few->f->c, stm, few_body, few));
            few->functions -= kind == CORE_EXP_SOAC;
            few->f->level -= kind != CORE_EXP_IF;
        } else {
            core_add(&b, stm);
        }
    }
    return core_with_stms(few->f->c, old, b.stms.count, b.stms.items);
}

const CoreFunction *fuse_few(Fuse *f, const CoreFunction *function)
{
    Few few = {.f = f};
    return core_with_body(f->c, function, few_body(&few, function->body));
}
