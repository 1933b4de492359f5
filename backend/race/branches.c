/* Accesses of which only one is made, since what is known where they are contradicts itself.

       if then[0] >= 0 { b[i] } else { b[n - i] }           `then` is only read: all take one of the branches
       if n < 5 { b[i] }  if n >= 5 { b[n - i] }

   This is so only of what has one value for all that are asked about: of two work-items one may be where `l < 5` holds,
   and the other where it does not. */
#include "backend/race/prove.h"

/* Whether all that are asked about have one value of it. */
static bool is_one(RaceScope scope, bool one_group)
{
    return scope == RACE_ALL || (scope == RACE_OF_GROUP && one_group);
}

/* x >= 0,  y >= 0,  x + y < 0 */
static bool contradict(const RaceProof *proof, const RaceFact *x, const RaceFact *y, bool one_group)
{
    RacePolynomial both;
    int64_t number;
    return x->kind == RACE_NOT_NEGATIVE && y->kind == RACE_NOT_NEGATIVE &&
           race_add(&both, x->p, 1, y->p) && race_is_number(&both, &number) && number < 0 &&
           is_one(race_scope_of(proof, x->p), one_group);
}

// if c { a } else { b },  c the same for both   ==>  only one of them is made
bool race_exclude_each_other(const RaceProof *proof, const RaceAccess *a, const RaceAccess *b,
                             bool one_group)
{
    for (const RaceFact *x = a->facts; x; x = x->next) {
        for (const RaceFact *y = b->facts; y; y = y->next) {
            bool holds_and_fails = x->condition && x->condition == y->condition &&
                                   x->kind != y->kind && is_one(x->condition->scope, one_group);
            if (holds_and_fails || contradict(proof, x, y, one_group)) {
                return true;
            }
        }
    }
    return false;
}
