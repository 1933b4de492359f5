/* [L0 8] A view that turns round rows of a nest moves into the nest, where they are maps of rows of a scan:

       let ys = map n f xs                               let zs = map n (\x -> {
       let zs = rotate 1 k ys                    ==>       let y = f x
                                                           in rotate 0 k y }) xs

   What its function does with the view, it does as any body does: the map stays beside the scan, in the order of its
   rows, and what it makes is written where the view has it (uses.c, turned.c, backend/lower/wholes.c). Outside, the view
   would be of elements that each reader, or the copy of the view, computes from a scan that is stored.

   Where nothing else uses the array. Before: nothing is known of the rows but their makers. After: the same values. */
#include "core/fuse/fuse.h"

/* The number of the map that the view moves into; as many as the body has statements: there is none. */
static size_t map_of(Fuse *f, const CoreBody *body, const CoreStm *view)
{
    size_t none = body->stm_count;
    const CoreExp *exp = view->exp;
    bool rotates = exp->kind == CORE_EXP_ROTATE;
    if ((!rotates && exp->kind != CORE_EXP_REVERSE) || view->certificate_count > 0) {
        return none;
    }
    CoreAtom array = fuse_turned_array(view);
    int axis = rotates ? exp->as.rotate.axis : exp->as.reverse.axis;
    size_t map = axis > 0 ? fuse_place(body, array.name) : none;
    if (map == none || !fuse_is_map(body->stms[map]) || !fuse_maps_scan(f, array, axis) ||
        core_count_uses(body, array.name) > 1) {
        return none;
    }
    return !rotates || fuse_is_known(body, exp->as.rotate.amount, map) ? map : none;
}

/* The map, which binds what the view bound. */
static const CoreStm *with_view(Fuse *f, const CoreStm *map, const CoreStm *view)
{
    Compilation *c = f->c;
    const CoreExp *seen = view->exp;
    CoreAtom array = fuse_turned_array(view);
    CoreStm *stm = arena_copy(c->arena, map, sizeof *stm);
    CoreExp *exp = core_exp_copy(c, map->exp);
    const CoreLambda *old = exp->as.soac.map;
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, map->pattern_count + 1);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, map->pattern_count + 1);
    CoreBuilder b = core_builder(c, view->span);
    core_add_all(&b, old->body);
    for (size_t k = 0; k < map->pattern_count; k++) {
        bool turns = map->pattern[k] == array.name;
        CoreAtom rows = old->body->results[k];
        pattern[k] = turns ? view->pattern[0] : map->pattern[k];
        results[k] = !turns ? rows
                     : seen->kind == CORE_EXP_REVERSE
                         ? core_let_reverse(&b, array.name->text, rows, seen->as.reverse.axis - 1)
                         : core_let_rotate(&b, array.name->text, rows, seen->as.rotate.axis - 1,
                                           seen->as.rotate.amount);
    }
    exp->as.soac.map = core_lambda(c, old->parameter_count, old->parameters,
                                   core_body(&b, map->pattern_count, results));
    stm->exp = exp;
    stm->pattern = pattern;
    fuse_fired(f, CORE_RULE_FUSE_TURNED);
    return stm;
}

static const CoreBody *move_in_body(void *context, const CoreBody *old)
{
    Fuse *f = context;
    const CoreStm **stms = ARENA_ARRAY(f->c->arena, const CoreStm *, old->stm_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < old->stm_count; i++) {
        stms[i] = core_map_stm(f->c, old->stms[i], move_in_body, f);
    }
    for (size_t i = 0; i < old->stm_count; i++) {
        size_t map = map_of(f, old, old->stms[i]);
        if (map < old->stm_count && stms[map] == old->stms[map]) {
            stms[map] = with_view(f, old->stms[map], old->stms[i]);
            stms[i] = NULL;
        }
    }
    for (size_t i = 0; i < old->stm_count; i++) {
        if (stms[i] != NULL) {
            stms[count++] = stms[i];
        }
    }
    return core_with_stms(f->c, old, count, stms);
}

const CoreFunction *fuse_inwards(Fuse *f, const CoreFunction *function)
{
    return core_with_body(f->c, function, move_in_body(f, function->body));
}
