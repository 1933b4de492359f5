/* Maps that are stored in place of what they are made of.

   delay.c stores what is dear where it is read more than once, and computes again what is made of that. So what stands in
   memory between two passes over the rows, of which the second needs the first one's sum, is whichever array is dear. It
   should be the fewest bytes, a least cut of what flows from the one to the other:

       let p = map n f x                                  let t = map n (\x -> h (f x) (g x)) x
       let q = map n g x                                  let s = reduce n + 0 t
       let t = map n h p q                       ==>      let r = redomap n (\t -> t > s) .. t
       let s = reduce n + 0 t
       let r = redomap n (\t -> t > s) .. t

   A map that would be computed more than once is stored itself where it has fewer bytes than what is stored for it alone, which
   is then computed where the map reads it: the work is what it was, less what was done again. What comes of it is seen
   when delay.c has chosen anew; where that stores no fewer bytes, as where the map reads a dear array at many places,
   which is stored all the same, the choice stays as it was. One map at a time is tried, the one that may save most; of those
   that may save the same the last, which leaves least to be done again.

   The early choice, too: it would put such a map into its readers, and what it is made of would be stored beside the first
   sum, also where that is not dear alone. */
#include "core/fuse/fuse.h"

enum {
    MOST_CUTS = 4,  /* that are tried in one choice */
    MOST_AWAY = 256 /* statements from the map */
};

/* How often statements of the body mention a name, and how often those do that the map at work is made of. */
typedef struct Mentions {
    size_t all, taken;
    const CoreStm *by; /* the map that `taken` is of */
} Mentions;

typedef struct Search {
    Fuse *f;
    FuseCut *cut;
    CoreNameMap mentions; /* of the body at work */
    const CoreStm *map;   /* at work */
    size_t gain;          /* bytes an element that the best map so far may save */
} Search;

static void mention(void *context, CoreName *name)
{
    Search *search = context;
    Mentions *known =
        core_name_map_make(search->f->arena, &search->mentions, name, sizeof(Mentions));
    known->all++;
}

static void take(void *context, CoreName *name)
{
    Search *search = context;
    Mentions *known =
        core_name_map_make(search->f->arena, &search->mentions, name, sizeof(Mentions));
    known->taken = known->by == search->map ? known->taken + 1 : 1;
    known->by = search->map;
}

static void count_mentions(Search *search, const CoreBody *body)
{
    search->mentions = (CoreNameMap){0};
    for (size_t i = 0; i < body->stm_count; i++) {
        core_each_free(body->stms[i], mention, search);
    }
    for (size_t i = 0; i < body->result_count; i++) {
        if (body->results[i].name != NULL) {
            mention(search, body->results[i].name);
        }
    }
}

/* The map that is at work reads it, itself or through what is computed where it reads that, and nothing else does. */
static bool is_for_map_alone(const Search *search, const CoreName *name)
{
    const Mentions *known = core_name_map_get(&search->mentions, name);
    return known != NULL && known->by == search->map && known->taken == known->all;
}

static bool are_for_map_alone(const Search *search, const CoreStm *stm)
{
    bool are = stm->pattern_count > 0;
    for (size_t k = 0; k < stm->pattern_count && are; k++) {
        are = is_for_map_alone(search, stm->pattern[k]);
    }
    return are;
}

/* All that the map makes is computed where it is read, or may be after the early choice. */
static bool is_computed_map(Fuse *f, const CoreStm *stm)
{
    bool is = fuse_is_map(stm);
    for (size_t k = 0; k < stm->pattern_count && is; k++) {
        is = fuse_name(f, stm->pattern[k])->uses.why == CORE_REASON_NONE;
    }
    return is;
}

/* Bytes an element of those sources that are stored for what it would take to compute them again, or will be beside a sum. */
static size_t dear_bytes(Fuse *f, const FuseCut *cut)
{
    size_t bytes = 0;
    for (size_t i = 0; i < cut->sources.count; i++) {
        const FuseName *name = fuse_name(f, cut->sources.items[i]);
        bool dear =
            name->uses.why == CORE_REASON_DEAR || (cut->is_between && fuse_is_left(f, name));
        bytes += dear ? core_prim_bytes(name->name->type.prim) : 0;
    }
    return bytes;
}

static bool hands_on(Fuse *f, const CoreStm *stm)
{
    return core_is_view(stm->exp->kind) || stm->exp->kind == CORE_EXP_ATOM ||
           is_computed_map(f, stm);
}

/* Results of the statement, as large as the map's, that are there for the map alone. */
static void add_results(Search *search, FuseCut *cut, const CoreStm *stm)
{
    for (size_t k = 0; k < stm->pattern_count && fuse_is_map(stm); k++) {
        const FuseName *name = fuse_name(search->f, stm->pattern[k]);
        if (name->stays == CORE_REASON_NONE && is_for_map_alone(search, name->name) &&
            core_has_same_sizes(name->name->type, search->map->pattern[0]->type)) {
            vec_push(search->f->arena, &cut->sources, stm->pattern[k]);
        }
    }
}

/* What is there for the map alone, the body's statement of that number: what it reads, and what is read for that. */
static void find_sources(Search *search, FuseCut *cut, const CoreBody *body, size_t number)
{
    core_each_free(search->map, take, search);
    for (size_t i = number; i-- > 0 && number - i <= MOST_AWAY;) {
        const CoreStm *stm = body->stms[i];
        add_results(search, cut, stm);
        if (hands_on(search->f, stm) && are_for_map_alone(search, stm)) {
            core_each_free(stm, take, search);
        }
    }
}

/* What a statement has of the map: elements, or what others have made of these. */
typedef enum Flow { FLOW_ELEMENTS = 1, FLOW_SUMS = 2 } Flow;

typedef struct Flows {
    CoreNameMap names; /* unsigned, of Flow: what binds the name has it */
    unsigned found;    /* in the statement at work */
} Flows;

static void find_flow(void *context, CoreName *name)
{
    Flows *flows = context;
    const unsigned *known = core_name_map_get(&flows->names, name);
    flows->found |= known != NULL ? *known : 0;
}

static void set_flow(Fuse *f, Flows *flows, const CoreStm *stm, unsigned flow)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        *(unsigned *)core_name_map_make(f->arena, &flows->names, stm->pattern[k],
                                        sizeof(unsigned)) = flow;
    }
}

/* Something that needs elements of the map, the body's statement of that number, needs what others make of all of these,
   too: they are read in two passes. */
static bool is_between_passes(Fuse *f, const CoreBody *body, size_t number)
{
    Flows flows = {0};
    bool both = false;
    set_flow(f, &flows, body->stms[number], FLOW_ELEMENTS);
    for (size_t i = number + 1; i < body->stm_count && i - number <= MOST_AWAY && !both; i++) {
        const CoreStm *stm = body->stms[i];
        flows.found = 0;
        core_each_free(stm, find_flow, &flows);
        both = flows.found == (FLOW_ELEMENTS | FLOW_SUMS);
        set_flow(f, &flows, stm,
                 flows.found == FLOW_ELEMENTS && hands_on(f, stm) ? FLOW_ELEMENTS
                 : flows.found != 0                               ? FLOW_SUMS
                                                                  : 0);
    }
    return both;
}

static size_t bytes_of_results(const CoreStm *map)
{
    size_t bytes = 0;
    for (size_t k = 0; k < map->pattern_count; k++) {
        bytes += core_prim_bytes(map->pattern[k]->type.prim);
    }
    return bytes;
}

static void consider(Search *search, const CoreBody *body, size_t number)
{
    FuseCut cut = {.map = body->stms[number], .tried = search->cut->tried};
    search->map = cut.map;
    cut.is_between = search->f->is_early && is_between_passes(search->f, body, number);
    find_sources(search, &cut, body, number);
    cut.dear = dear_bytes(search->f, &cut);
    size_t own = bytes_of_results(cut.map);
    if (cut.dear > own && cut.dear - own > search->gain) {
        search->gain = cut.dear - own;
        *search->cut = cut;
    }
}

static void search_body(void *context, const CoreBody *body)
{
    Search *search = context;
    bool counted = false;
    for (size_t i = body->stm_count; i-- > 0;) {
        const CoreStm *stm = body->stms[i];
        if (is_computed_map(search->f, stm) && fuse_times_of_map(search->f, stm) > 1 &&
            pointer_map_get(&search->cut->tried, stm->pattern[0]) == NULL) {
            if (!counted) {
                count_mentions(search, body);
                counted = true;
            }
            consider(search, body, i);
        }
    }
    for (size_t i = body->stm_count; i-- > 0;) {
        core_each_body(body->stms[i]->exp, search_body, search);
    }
}

static void set_stays(Fuse *f, const CoreStm *map, CoreReason why)
{
    for (size_t k = 0; k < map->pattern_count; k++) {
        fuse_name(f, map->pattern[k])->stays = why;
    }
}

bool fuse_find_cut(Fuse *f, const CoreBody *body, FuseCut *cut)
{
    bool pays = cut->map == NULL || dear_bytes(f, cut) + bytes_of_results(cut->map) < cut->dear;
    if (!pays) {
        set_stays(f, cut->map, CORE_REASON_NONE);
    }
    cut->map = NULL;
    if (!pays || cut->tried.count == MOST_CUTS) {
        return !pays;
    }
    Search search = {.f = f, .cut = cut};
    search_body(&search, body);
    if (cut->map != NULL) {
        set_stays(f, cut->map, CORE_REASON_DEAR);
        pointer_map_set(f->arena, &cut->tried, cut->map->pattern[0], cut->map->pattern[0]);
    }
    return cut->map != NULL;
}
