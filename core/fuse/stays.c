/* Maps that stay, though nothing needs them whole.

   uses.c takes each such map for one that is computed where it is read, so that what it reads is read as often as it is.
   Where that is too dear, and the map is stored after all (delay.c), what it reads is read once for each of its elements:

       let a = map n f x                                     let b = map n (\y -> g (f y)) x
       let b = map n g a                              ==>    let c = map m (\i -> redomap n .. b ..)
       let c = map m (\i -> redomap n .. b ..)

   b costs little, but is read again and again, and a is not read more often than b has elements. So delay.c chooses anew
   when it is known what stays. Of maps that read each other one is found at a time, the last one first: how often what it
   reads is read is known only then. */
#include "core/fuse/fuse.h"

typedef struct Stays {
    Fuse *f;
    PointerMap
        open; /* CoreName -> itself: read by a map that is found to be stored now, or not before others are */
    bool found, is_open; /* some map; some of those stand in the bodies at work */
} Stays;

/* Stored, though what it reads was taken to be read as often as it is itself. */
static bool may_stay(Fuse *f, const CoreStm *stm)
{
    if (!fuse_is_map(stm) || fuse_times_of_map(f, stm) <= 1) {
        return false;
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        const FuseName *name = fuse_name(f, stm->pattern[k]);
        if (name->uses.delayed || name->uses.why == CORE_REASON_NONE) {
            return false;
        }
    }
    return true;
}

static void note_open(void *context, CoreName *name)
{
    Stays *stays = context;
    pointer_map_set(stays->f->arena, &stays->open, name, name);
}

/* Its readers are those of what it is made of. */
static bool hands_on(Fuse *f, const CoreStm *stm)
{
    bool hands = core_is_view(stm->exp->kind) || stm->exp->kind == CORE_EXP_ATOM;
    for (size_t k = 0; k < stm->pattern_count && !hands; k++) {
        hands = fuse_name(f, stm->pattern[k])->uses.delayed;
    }
    return hands;
}

static void find_in_body(void *context, const CoreBody *body)
{
    Stays *stays = context;
    for (size_t i = body->stm_count; i-- > 0;) {
        const CoreStm *stm = body->stms[i];
        bool outer = stays->is_open, is_read_open = false, may;
        stays->is_open = false;
        core_each_body(stm->exp, find_in_body, stays);
        for (size_t k = 0; k < stm->pattern_count; k++) {
            is_read_open = is_read_open || pointer_map_get(&stays->open, stm->pattern[k]);
        }
        may = may_stay(stays->f, stm);
        if (may && !is_read_open && !stays->is_open) {
            for (size_t k = 0; k < stm->pattern_count; k++) {
                FuseName *name = fuse_name(stays->f, stm->pattern[k]);
                name->stays = name->uses.why;
            }
            stays->found = true;
        }
        if (may || stays->is_open || (is_read_open && hands_on(stays->f, stm))) {
            core_each_free(stm, note_open, stays);
        }
        stays->is_open = stays->is_open || outer || may;
    }
}

bool fuse_find_stays(Fuse *f, const CoreBody *body)
{
    Stays stays = {.f = f};
    find_in_body(&stays, body);
    return stays.found;
}
