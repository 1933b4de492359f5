/* Elements that are used when their array has been written to.

       let k = w[i]                               let e = w[i]
       let v = w with [i] <- 0            ==>     let d = map 1 (\j -> e) (iota 1)
       let x = map (\y -> y + k) v                let k = d[0]
                                                  let v = w with [i] <- 0
                                                  ...

   Kernels read an element where they use it (backend/device_scalars.c), and the host need not wait for it, as long as
   it is there; where it is not, it has a place of its own. Of a body of a loop in which the host waits for
   nothing (loop_scalars.c). What is made of an element by arithmetic is used where the element is. */
#include "core/locality/device.h"

typedef struct Uses {
    PointerMap
        made; /* CoreName -> itself: the element, scalars that are made of it, and what repeats these */
    bool found;
} Uses;

static void look_at(void *context, CoreName *name)
{
    Uses *uses = context;
    uses->found = uses->found || pointer_map_get(&uses->made, name);
}

typedef struct Consuming {
    const CoreName *array;
    bool found;
} Consuming;

static void look_for_array(void *context, CoreAtom array)
{
    Consuming *consuming = context;
    consuming->found = consuming->found || array.name == consuming->array;
}

/* It writes to the array, or hands it to what may. */
static bool consumes(const CoreStm *stm, const CoreName *array)
{
    Consuming consuming = {array, false};
    core_each_consumed(stm, look_for_array, &consuming);
    return consuming.found;
}

/* The statement, and a scatter that writes to the array, stand beside each other, at most one statement between: they
   may be one kernel (core/fuse/pairs.c). */
static bool is_overtaken(const CoreBody *body, size_t at, const CoreName *array)
{
    const CoreStm *stm = body->stms[at];
    for (size_t i = at + 1; i < body->stm_count && i <= at + 2; i++) {
        CoreExpKind kind = body->stms[i]->exp->kind;
        if ((kind == CORE_EXP_SCATTER || kind == CORE_EXP_HIST) &&
            stm->exp->kind == CORE_EXP_SOAC && consumes(body->stms[i], array)) {
            return true;
        }
    }
    return false;
}

/* The element that statement `at` reads is used when its array is, or may be, another. */
static bool is_used_late(Compilation *c, const CoreBody *body, size_t at)
{
    const CoreStm *element = body->stms[at];
    Uses uses = {.found = false};
    bool consumed = false;
    pointer_map_set(c->scratch, &uses.made, element->pattern[0], element->pattern[0]);
    for (size_t i = at + 1; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        consumed = consumed || consumes(stm, element->exp->as.index.array.name);
        uses.found = false;
        core_each_free(stm, look_at, &uses);
        if (uses.found && (consumed || is_overtaken(body, i, element->exp->as.index.array.name))) {
            return true;
        }
        for (size_t k = 0; uses.found && k < stm->pattern_count; k++) {
            if (stm->pattern[k]->type.rank == 0 || stm->exp->kind == CORE_EXP_REPLICATE) {
                pointer_map_set(c->scratch, &uses.made, stm->pattern[k], stm->pattern[k]);
            }
        }
    }
    for (size_t k = 0; k < body->result_count; k++) {
        if (consumed && body->results[k].name &&
            pointer_map_get(&uses.made, body->results[k].name)) {
            return true;
        }
    }
    return false;
}

static void keep(CoreBuilder *b, const CoreStm *stm)
{
    bool moves = true;
    CoreStm *read = arena_copy(b->c->arena, stm, sizeof *stm);
    CoreName **pattern = ARENA_ARRAY(b->c->arena, CoreName *, 1);
    CoreName *name = stm->pattern[0];
    pattern[0] = core_name(b->c, name->text, name->type, name->span);
    read->pattern = pattern;
    b->span = stm->span;
    core_add(b, read);
    CoreAtom kept = core_use(pattern[0]);
    device_store(b, 1, &moves, &kept);
    device_load(b, name, kept.name);
}

const CoreBody *device_keep_overwritten(Compilation *c, const CoreBody *body, size_t *count)
{
    CoreBuilder b = core_builder(c, (Span){0});
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        ArenaMark mark = arena_mark(c->scratch);
        bool is_element = stm->exp->kind == CORE_EXP_INDEX && stm->pattern[0]->type.rank == 0,
             late = is_element && is_used_late(c, body, i);
        arena_release(c->scratch, mark);
        if (late) {
            keep(&b, stm);
            ++*count;
        } else if (stm->exp->kind == CORE_EXP_IF) {
            CoreStm *copy = arena_copy(c->arena, stm, sizeof *stm);
            CoreExp *exp = core_exp_copy(c, stm->exp);
            exp->as.conditional.then_body =
                device_keep_overwritten(c, exp->as.conditional.then_body, count);
            exp->as.conditional.else_body =
                device_keep_overwritten(c, exp->as.conditional.else_body, count);
            copy->exp = exp;
            core_add(&b, copy);
        } else {
            core_add(&b, stm);
        }
    }
    return core_with_stms(c, body, b.stms.count, b.stms.items);
}
