/* Rows of a map's function that are views of another map's array, element by element: so the other map can be
   computed where the elements are wanted, as delay.c does.

       let a = map n f x                           let a = map n f x
       let b = map m (\i -> {               ==>    let b = map m (\i -> {
         let row : [k]f64 = a[i]                     let row : [k]f64 = a[i]
         in row                                      let all = map k (\j -> row[j]) (iota k)
       }) is                                         in all
                                                   }) is

   The windows of a stencil are such rows of rows. Not where the map goes over a scan, in whose order it is done (uses.c).
   Where the other map is stored after all, the row stays a
   view: delay.c tries again without. */
#include "core/fuse/fuse.h"

enum { MOST_VISITS = 256 }; /* of views on the way to the map */

typedef struct Rows {
    Fuse *f;
    FuseNames *views;
} Rows;

typedef struct Source {
    Fuse *f;
    unsigned visits;
    bool is_map;
} Source;

/* Whether it is a view of a map's array, or that. */
static void find_map(void *context, CoreAtom atom)
{
    Source *source = context;
    const CoreStm *stm = fuse_definition(source->f, atom);
    if (!stm || atom.name->type.rank == 0 || source->is_map || source->visits == MOST_VISITS) {
        return;
    }
    source->visits++;
    if (core_is_view(stm->exp->kind)) {
        core_each_operand(stm->exp, find_map, source);
    } else {
        source->is_map = fuse_is_map(stm) && !core_may_fail(stm);
    }
}

static bool is_row_of_map(Fuse *f, const CoreBody *body, CoreAtom row)
{
    if (!row.name || row.name->type.rank == 0 || fuse_name(f, row.name)->whole) {
        return false;
    }
    const CoreStm *stm = core_binder(body, row.name);
    Source source = {.f = f};
    if (stm && core_is_view(stm->exp->kind) && !fuse_is_view_of_scan(f, stm)) {
        find_map(&source, row);
    }
    return source.is_map;
}

/* view[indices, ...] for all that follow the first `count` indices, as maps in each other. */
static CoreAtom elements(Fuse *f, CoreBuilder *b, CoreAtom view, size_t count, CoreAtom *indices)
{
    CoreType type = view.name->type;
    if (count == (size_t)type.rank) {
        return core_let_index(b, "x", view, count, indices);
    }
    CoreBuilder inner = core_builder(f->c, b->span);
    CoreName *index = core_name(f->c, "i", core_scalar(CORE_I64), b->span);
    indices[count] = core_use(index);
    CoreAtom row = elements(f, &inner, view, count + 1, indices), positions, all;
    const CoreLambda *function = core_lambda(f->c, 1, &index, core_body(&inner, 1, &row));
    positions = core_let_iota(b, "positions", type.sizes[count]);
    core_let_map(b, view.name->text, type.sizes[count], 1, &positions, function, &all);
    return all;
}

static const CoreBody *rows_in_body(void *context, const CoreBody *body);

static const CoreBody *with_elements(Rows *rows, const CoreBody *body)
{
    Fuse *f = rows->f;
    CoreBuilder b = core_builder(f->c, (Span){0});
    CoreAtom *results =
        arena_copy(f->c->arena, body->results, body->result_count * sizeof *results);
    for (size_t i = 0; i < body->stm_count; i++) {
        core_add(&b, body->stms[i]);
    }
    size_t before = rows->views->count;
    for (size_t k = 0; k < body->result_count; k++) {
        if (is_row_of_map(f, body, results[k])) {
            vec_push(f->arena, rows->views, results[k].name);
            CoreAtom *indices = ARENA_ARRAY(f->c->arena, CoreAtom, results[k].name->type.rank);
            b.span = results[k].name->span;
            results[k] = elements(f, &b, results[k], 0, indices);
        }
    }
    return rows->views->count > before ? core_body(&b, body->result_count, results) : body;
}

static const CoreBody *rows_in_map(void *context, const CoreBody *body)
{
    return with_elements(context, rows_in_body(context, body));
}

static const CoreBody *rows_in_body(void *context, const CoreBody *body)
{
    Rows *rows = context;
    const CoreStm **stms = ARENA_ARRAY(rows->f->c->scratch, const CoreStm *, body->stm_count + 1);
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        stms[i] =
            core_map_stm(rows->f->c, stm, fuse_is_map(stm) ? rows_in_map : rows_in_body, rows);
    }
    return core_with_stms(rows->f->c, body, body->stm_count, stms);
}

const CoreFunction *fuse_rows(Fuse *f, const CoreFunction *function, FuseNames *views)
{
    Rows rows = {.f = f, .views = views};
    return core_with_body(f->c, function, rows_in_body(&rows, function->body));
}
