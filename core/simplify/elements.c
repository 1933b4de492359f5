/* [L0 6.1] Bounds of the elements of arrays of i64, for the parameters of functions that run over
   them.

       is = iota n                                           0 <= elements <= n - 1
       js = map n is (\i -> { j = i * 2 in (j) })            0 <= elements <= 2n - 2
       ks = reverse 0 js                                     as js
       map n ks (\k -> { c = k < 2 * n ... })                proven

   Bounds are linear forms of names outside the array's statement. An array that is written in place
   has another name afterwards, without bounds. */
#include "core/simplify/simplify.h"

static Linear linear_of(CoreAtom atom)
{
    return atom.name ? (Linear){.count = 1, .terms = {{atom.name, 1}}}
                     : (Linear){.constant = (uint64_t)atom.as.integer};
}

static void set_bounds(Simplify *s, const CoreName *name, const Linear *lower, const Linear *upper)
{
    Fact *fact = simplify_fact(s, name);
    fact->lower = lower;
    fact->upper = upper;
}

static void take_bounds(Simplify *s, const CoreName *name, CoreAtom from)
{
    if (from.name && core_atom_type(from).rank > 0) {
        const Fact *fact = simplify_fact(s, from.name);
        set_bounds(s, name, fact->lower, fact->upper);
    } else { /* a scalar that is repeated */
        Linear *form = ARENA_NEW(s->arena, Linear);
        *form = linear_of(from);
        set_bounds(s, name, form, form);
    }
}

/* 0 <= elements <= n - 1 */
static void iota_bounds(Simplify *s, const CoreName *name, CoreAtom count)
{
    Linear *upper = ARENA_NEW(s->arena, Linear);
    *upper = linear_of(count);
    upper->constant--;
    set_bounds(s, name, ARENA_NEW(s->arena, Linear), upper);
}

/* Constants: the least and the greatest. */
static void literal_bounds(Simplify *s, const CoreName *name, const CoreExp *exp)
{
    Interval range = {INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < exp->as.items.count; i++) {
        CoreAtom item = exp->as.items.items[i];
        if (item.name) {
            return;
        }
        range.low = item.as.integer < range.low ? item.as.integer : range.low;
        range.high = item.as.integer > range.high ? item.as.integer : range.high;
    }
    if (exp->as.items.count > 0) {
        Linear *lower = ARENA_NEW(s->arena, Linear), *upper = ARENA_NEW(s->arena, Linear);
        lower->constant = (uint64_t)range.low;
        upper->constant = (uint64_t)range.high;
        set_bounds(s, name, lower, upper);
    }
}

/* (iota m)[o :+ n * 1] is o .. o + n - 1, which is closer than 0 .. m - 1. */
static void slice_bounds(Simplify *s, const CoreName *name, const CoreExp *exp)
{
    const CoreStm *stm = simplify_definition(s, exp->as.slice.array, true);
    const CoreSlice *slice = &exp->as.slice.slices[0];
    bool run = stm && stm->exp->kind == CORE_EXP_IOTA && !slice->fixed && !slice->stride.name &&
               slice->stride.as.integer == 1 && !slice->offset.name &&
               slice->offset.as.integer >= 0 && (slice->count.name || slice->count.as.integer > 0);
    if (!run) {
        take_bounds(s, name, exp->as.slice.array);
        return;
    }
    Linear *lower = ARENA_NEW(s->arena, Linear), *upper = ARENA_NEW(s->arena, Linear);
    lower->constant = (uint64_t)slice->offset.as.integer;
    *upper = linear_of(slice->count);
    upper->constant += lower->constant - 1;
    set_bounds(s, name, lower, upper);
}

/* What the function's results were found to be when its scope closed. */
static void map_bounds(Simplify *s, const CoreStm *stm)
{
    const CoreSoac *soac = &stm->exp->as.soac;
    const CoreBody *body = soac->map->body;
    size_t mapped = body->result_count;
    if (soac->reduction_count > 0 || soac->scan_count > 0 || mapped != stm->pattern_count) {
        return;
    }
    for (size_t i = 0; i < mapped; i++) {
        CoreAtom result = body->results[i];
        if (core_atom_type(result).prim != CORE_I64) {
            continue;
        }
        bool outside = !result.name || simplify_fact(s, result.name)->depth <= s->depth;
        if (outside) {
            take_bounds(s, stm->pattern[i], result);
        } else {
            const Fact *fact = simplify_fact(s, result.name);
            set_bounds(s, stm->pattern[i], fact->outer_lower, fact->outer_upper);
        }
    }
}

/* What is kept of an array is within its bounds. */
static void filter_bounds(Simplify *s, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->as.filter.predicate->body->result_count != 1) {
        return;
    }
    for (size_t i = 1; i < stm->pattern_count; i++) {
        if (stm->pattern[i]->type.prim == CORE_I64) {
            take_bounds(s, stm->pattern[i], exp->as.filter.inputs[i - 1]);
        }
    }
}

void simplify_learn_elements(Simplify *s, const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    const CoreName *name = stm->pattern_count > 0 ? stm->pattern[0] : NULL;
    if (exp->kind == CORE_EXP_SOAC) {
        map_bounds(s, stm);
        return;
    }
    if (exp->kind == CORE_EXP_FILTER) {
        filter_bounds(s, stm);
        return;
    }
    if (stm->pattern_count != 1 || name->type.prim != CORE_I64) {
        return;
    }
    switch ((int)exp->kind) { /* what is known of */
    case CORE_EXP_ATOM:
        if (name->type.rank > 0) {
            take_bounds(s, name, exp->as.atom);
        }
        return;
    case CORE_EXP_INDEX: take_bounds(s, name, exp->as.index.array); return;
    case CORE_EXP_IOTA: iota_bounds(s, name, exp->as.count); return;
    case CORE_EXP_LITERAL: literal_bounds(s, name, exp); return;
    case CORE_EXP_COPY: take_bounds(s, name, exp->as.array); return;
    case CORE_EXP_REPLICATE: take_bounds(s, name, exp->as.replicate.value); return;
    case CORE_EXP_REARRANGE: take_bounds(s, name, exp->as.rearrange.array); return;
    case CORE_EXP_RESHAPE: take_bounds(s, name, exp->as.reshape.array); return;
    case CORE_EXP_ROTATE: take_bounds(s, name, exp->as.rotate.array); return;
    case CORE_EXP_REVERSE: take_bounds(s, name, exp->as.reverse.array); return;
    case CORE_EXP_SLICE: slice_bounds(s, name, exp); return;
    }
}
