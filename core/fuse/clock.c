/* What is timed: ⎕BENCH reads the clock before and behind it.

       let begin = now                              let begin = now
       let s = loop (s = s0) for i < n do ..        let s = loop (s = s0) for i < n do ..
       let b = map n f s                  =/=>      let end = now
       let end = now                                let x = redomap n (\x -> .. f x ..) s
       let x = reduce n + 0 b

   No statement passes a reading of the clock to become one with another (edges.c), and an array that is made behind one
   and used behind a later one is made whole in between: else its readers would compute it when the time is up. */
#include "core/fuse/fuse.h"

typedef struct Timed {
    Fuse *f;
    PointerMap last;  /* CoreName -> so many readings behind its last use, and one more */
    uintptr_t behind; /* so many behind the statement at work */
} Timed;

static void note_use(void *context, CoreName *name)
{
    Timed *timed = context;
    if (pointer_map_get(&timed->last, name) == NULL) {
        pointer_map_set(timed->f->arena, &timed->last, name, (void *)(timed->behind + 1)); // NOLINT
    }
}

void fuse_each_timed(Fuse *f, const CoreBody *body, void (*visit)(void *context, CoreAtom made),
                     void *context)
{
    size_t readings = 0;
    for (size_t i = 0; i < body->stm_count; i++) {
        readings += body->stms[i]->exp->kind == CORE_EXP_NOW;
    }
    Timed timed = {.f = f};
    for (size_t i = body->stm_count; readings > 1 && i-- > 0 && timed.behind < readings;) {
        const CoreStm *stm = body->stms[i];
        timed.behind += stm->exp->kind == CORE_EXP_NOW;
        for (size_t k = 0; k < stm->pattern_count && timed.behind > 0; k++) {
            uintptr_t last = (uintptr_t)pointer_map_get(&timed.last, stm->pattern[k]);
            if (last > 0 && last <= timed.behind) {
                visit(context, core_use(stm->pattern[k]));
            }
        }
        core_each_free(stm, note_use, &timed);
    }
}
