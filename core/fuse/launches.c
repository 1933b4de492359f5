/* [REDO 3.2] Launches: SOACs that have nothing to do with each other, but go over equally many rows, are one kernel: it is
   launched once, and what several reductions have to do behind their rows is done together.

       let x = reduce_comm n (+) 0 a
       let y = reduce_comm n max 0 b        ==>    let (x, y) = redomap_comm n (\p q -> (p, q)) (+, max) (0, 0) (a, b)

   Each reads and writes what it did, so that nothing is won but the launch, which takes as long as some 10^4 rows. What is
   the same for large arrays is only so for little work a row, and few arrays. And memory is not to be held for longer:
   between the two may stand what makes no array.

   Where both read one array, fusion has made one of them before (graph.c); for one processor, loops of their own are as good. */
#include "core/fuse/graph.h"

enum {
    MOST_OPERATIONS = 100, /* a row; fewer than FUSE_DEAR: no loops, no checks */
    MOST_ARRAYS = 12,      /* inputs and mapped results */
    MOST_FOLDED = 6        /* numbers: groups have local memory for so many, and stay large */
};

static size_t folded(const CoreSoac *soac)
{
    return fuse_total_width(soac->reduction_count, soac->reductions);
}

static bool are_plain(const CoreSoac *soac)
{
    bool plain = soac->scan_count == 0 && fuse_is_of_scalars(soac->map);
    for (size_t i = 0; i < soac->reduction_count && plain; i++) {
        plain =
            fuse_is_of_scalars(soac->reductions[i].function) && core_commutes(&soac->reductions[i]);
    }
    return plain;
}

bool fuse_fit_in_launch(const CoreStm *a, const CoreStm *b)
{
    if (!fuse_is_soac(a) || !fuse_is_soac(b) || core_may_fail(a) || core_may_fail(b)) {
        return false;
    }
    const CoreSoac *x = &a->exp->as.soac, *y = &b->exp->as.soac;
    size_t arrays = x->input_count + y->input_count + a->pattern_count + b->pattern_count -
                    folded(x) - folded(y);
    return core_atom_equal(x->width, y->width) && are_plain(x) && are_plain(y) &&
           arrays <= MOST_ARRAYS && folded(x) + folded(y) <= MOST_FOLDED &&
           fuse_cost(x->map->body) + fuse_cost(y->map->body) <= MOST_OPERATIONS;
}

bool fuse_makes_no_array(const CoreStm *stm)
{
    if (fuse_is_soac(stm) && stm->exp->as.soac.scan_count == 0) {
        return folded(&stm->exp->as.soac) == stm->pattern_count &&
               fuse_are_scalars(stm->pattern_count, stm->pattern);
    }
    switch ((int)stm->exp->kind) { /* others make arrays, or do something */
    case CORE_EXP_ASSERT:
    case CORE_EXP_CONJOIN:
    case CORE_EXP_INDEX: return true;
    }
    return core_is_view(stm->exp->kind) || fuse_is_total_stm(stm);
}
