/* Whether what a SOAC reads is written in place before the last reader of what it makes has run.

   delay.c has elements computed where they are read. What they are made of must be there until then as it was where the
   SOAC stands; what is written later is no obstacle, as where a reader's result is what is written:

       let v = map k (\x -> x * 2) L[0 :+ k]            let s = redomap (k + 1) (\i -> if i < 1 then 0 else L[i - 1] * 2)
       let w = concat [0] v                      ==>              max 0 (iota (k + 1))
       let s = reduce (k + 1) max 0 w                   let M = L with [k] <- s
       let M = L with [k] <- s

   A reader that is a view, or a SOAC whose rows may be computed where they are read, too, has readers of its own. All stand
   in the SOAC's body, or inside of its statements. A statement that reads and writes does so in any order. */
#include "core/fuse/fuse.h"

/* At statements after the SOAC; where there are more, one of them may be such a reader. */
enum { MOST_LOOKED = 500 };

typedef struct Overwritten {
    Fuse *f;
    PointerMap read; /* Fact -> itself: classes of what the SOAC reads that something writes */
    PointerMap made; /* CoreName -> itself: what may be computed where it is read */
    bool any_read;
    bool uses_read, uses_made; /* of the statement at work */
} Overwritten;

static Fact *class_of(Overwritten *o, CoreName *name)
{
    return simplify_class(simplify_fact(o->f->s, name));
}

static void note_read(void *context, CoreName *name)
{
    Overwritten *o = context;
    if (simplify_consumed(o->f->s, core_use(name))) {
        Fact *class = class_of(o, name);
        pointer_map_set(o->f->arena, &o->read, class, class);
        o->any_read = true;
    }
}

static void note_use(void *context, CoreName *name)
{
    Overwritten *o = context;
    o->uses_made = o->uses_made || pointer_map_get(&o->made, name) != NULL;
    o->uses_read = o->uses_read || (simplify_consumed(o->f->s, core_use(name)) &&
                                    pointer_map_get(&o->read, class_of(o, name)) != NULL);
}

/* Results that are not stored for certain: who reads them may be who computes them. */
static void note_made(Overwritten *o, const CoreStm *stm)
{
    bool hands_on = stm->exp->kind == CORE_EXP_SOAC || stm->exp->kind == CORE_EXP_ATOM ||
                    core_is_view(stm->exp->kind);
    for (size_t k = 0; hands_on && k < stm->pattern_count; k++) {
        if (stm->pattern[k]->type.rank > 0 && !fuse_name(o->f, stm->pattern[k])->uses.escapes) {
            pointer_map_set(o->f->arena, &o->made, stm->pattern[k], stm->pattern[k]);
        }
    }
}

bool fuse_is_overwritten(Fuse *f, const CoreBody *body, size_t at)
{
    Overwritten o = {.f = f};
    bool written = false;
    core_each_free(body->stms[at], note_read, &o);
    note_made(&o, body->stms[at]);
    for (size_t i = at + 1; o.any_read && i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        if (i - at > MOST_LOOKED) {
            return true;
        }
        o.uses_read = o.uses_made = false;
        core_each_free(stm, note_use, &o);
        written = written || (o.uses_read && fuse_may_consume(stm->exp));
        if (o.uses_made) {
            if (written) {
                return true;
            }
            note_made(&o, stm);
        }
    }
    return false;
}
