/* [L0 8] A view that turns round what a map makes moves before the map:

       let y = map m f (x, u)                    let x' = reverse 0 x
       let z = reverse 0 y               ==>     let u' = reverse 0 u
                                                 let z = map m f (x', u')

   Where x are rows of a scan, or of maps of such, and other SOACs take z row by row, so that the map becomes one with these,
   and all that goes over the scan may go in its order (turned.c). And in a nest that is not taken apart
   (core/flatten/flatten.c): what takes it apart writes y where the view has it, but a work-item, or a group of them, would
   store it, and the view of it again.

   Where nothing else uses what the map makes, and how far it turns is known there. After: the same values. */
#include "core/fuse/fuse.h"

#include <string.h>

typedef struct Before {
    Compilation *c;
    Fuse *f; /* NULL: all such views move */
} Before;

/* SOACs take the array row by row, and that is all. */
static bool is_taken_by_rows(Fuse *f, const CoreBody *body, const CoreName *array)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        if (core_stm_uses(body->stms[i], array) &&
            (!fuse_is_soac(body->stms[i]) || !fuse_takes_rows_of(f, body->stms[i], array))) {
            return false;
        }
    }
    return !fuse_is_result(body, array);
}

static const CoreName *turned_array(const CoreStm *view)
{
    const CoreExp *exp = view->exp;
    bool turns = (exp->kind == CORE_EXP_ROTATE && exp->as.rotate.axis == 0) ||
                 (exp->kind == CORE_EXP_REVERSE && exp->as.reverse.axis == 0);
    return turns && view->certificate_count == 0 ? fuse_turned_array(view).name : NULL;
}

/* The number of the map before which the view may stand; as many as the body has statements: there is none. */
static size_t map_before(const Before *t, const CoreBody *body, const CoreStm *view)
{
    const CoreName *array = turned_array(view);
    size_t none = body->stm_count, place = array ? fuse_place(body, array) : none;
    const CoreStm *map = place < none ? body->stms[place] : NULL;
    if (!map || !fuse_is_map_of_scalars(map) || map->pattern_count > 1 ||
        map->exp->level != CORE_LEVEL_AUTO || map->exp->space != CORE_SPACE_AUTO ||
        core_count_uses(body, array) > 1) {
        return none;
    }
    bool wanted = !t->f || (fuse_maps_scan(t->f, core_use(map->pattern[0]), 0) &&
                            is_taken_by_rows(t->f, body, view->pattern[0]));
    return wanted && (view->exp->kind == CORE_EXP_REVERSE ||
                      fuse_is_known(body, view->exp->as.rotate.amount, place))
               ? place
               : none;
}

static void turn(Compilation *c, CoreBuilder *b, const CoreStm *map, const CoreStm *view)
{
    const CoreExp *seen = view->exp;
    CoreExp *exp = core_exp_copy(c, map->exp);
    CoreStm *stm = arena_copy(c->arena, map, sizeof *stm);
    size_t count = exp->as.soac.input_count;
    CoreAtom *inputs = arena_copy(c->arena, exp->as.soac.inputs, sizeof *inputs * count);
    b->span = view->span;
    for (size_t k = 0; k < count; k++) {
        const char *text = inputs[k].name->text;
        inputs[k] = seen->kind == CORE_EXP_REVERSE
                        ? core_let_reverse(b, text, inputs[k], 0)
                        : core_let_rotate(b, text, inputs[k], 0, seen->as.rotate.amount);
    }
    exp->as.soac.inputs = inputs;
    stm->exp = exp;
    stm->pattern = view->pattern;
    core_add(b, stm);
}

static const CoreBody *turn_body(void *context, const CoreBody *old)
{
    const Before *t = context;
    CoreBuilder b = core_builder(t->c, (Span){0});
    size_t count = old->stm_count;
    const CoreStm **views = ARENA_ARRAY(t->c->arena, const CoreStm *, count + 1); /* of the maps */
    bool *gone = ARENA_ARRAY(t->c->arena, bool, count + 1);
    memset(views, 0, sizeof *views * (count + 1));
    for (size_t i = 0; i < count; i++) {
        size_t map = map_before(t, old, old->stms[i]);
        views[map] = old->stms[i];
        gone[i] = map < count;
    }
    for (size_t i = 0; i < count; i++) {
        if (views[i]) {
            turn(t->c, &b, old->stms[i], views[i]);
            if (t->f) {
                fuse_fired(t->f, CORE_RULE_FUSE_TURNED);
            }
        } else if (!gone[i]) {
            core_add(&b, core_map_stm(t->c, old->stms[i], turn_body, context));
        }
    }
    return core_with_stms(t->c, old, b.stms.count, b.stms.items);
}

const CoreFunction *fuse_before(Fuse *f, const CoreFunction *function)
{
    Before t = {.c = f->c, .f = f};
    return core_with_body(f->c, function, turn_body(&t, function->body));
}

const CoreStm *fuse_turn_before(Compilation *c, const CoreStm *nest)
{
    Before t = {.c = c};
    return core_map_stm(c, nest, turn_body, &t);
}
