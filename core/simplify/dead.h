/* What the files of the walk backwards share (private to core/simplify).

   dead.c        statements, if, loops
   dead_soacs.c  SOACs and streams */
#ifndef CORE_SIMPLIFY_DEAD_H
#define CORE_SIMPLIFY_DEAD_H

#include "core/simplify/simplify.h"

const CoreBody *simplify_dead_body(Simplify *s, const CoreBody *body, int depth);
void simplify_thin_soac(Simplify *s, CoreStm *stm, CoreExp *exp, int depth);

bool simplify_is_live(Simplify *s, const CoreName *name);
void simplify_live_type(Simplify *s, CoreType type);
/* It has an effect, asserts, or may not end, by itself or inside. */
bool simplify_must_stay(const CoreExp *exp);

bool simplify_are_all_kept(size_t count, const bool *keep);
/* Which of `count` things stay. */
const CoreAtom *simplify_kept_atoms(Simplify *s, size_t count, const CoreAtom *atoms,
                                    const bool *keep);
CoreName *const *simplify_kept_names(Simplify *s, size_t count, CoreName *const *names,
                                     const bool *keep);
const CoreBody *simplify_kept_results(Simplify *s, const CoreBody *old, const bool *keep);
/* Which names of the pattern are live: a size that a live one mentions is. */
bool *simplify_live_pattern(Simplify *s, const CoreStm *stm, size_t *count);
void simplify_keep_pattern(Simplify *s, CoreStm *stm, const bool *keep, size_t count);

/* The names of one body that something in it depends on: those with the present stamp. */
typedef struct Demand {
    Simplify *s;
    int depth; /* of the body */
    NameVec waiting;
} Demand;

void simplify_demand(Demand *d, CoreAtom atom);
void simplify_demand_staying(Demand *d, const CoreBody *body);
void simplify_demand_operands(Demand *d, const Fact *fact);

#endif
