/* Maps whose elements are not computed where they are read, for what a row of them takes: more than scalar work for a
   whole row, which each element would do again, or reductions and scans of many rows, for which work-items are found beside
   each other as long as the map stays one. */
#include "core/fuse/fuse.h"

enum {
    MOST_WINDOW = 64 /* rows of a loop that a work-item does for an element */
};

/* An element of what the map makes is more than scalar work. */
static bool has_dear_elements(const CoreSoac *soac)
{
    bool dear = false;
    for (size_t i = 0; i < soac->map->body->stm_count && !dear; i++) {
        const CoreStm *stm = soac->map->body->stms[i];
        const CoreBody alone = {.stm_count = 1, .stms = &soac->map->body->stms[i]};
        dear = fuse_is_map(stm) ? has_dear_elements(&stm->exp->as.soac)
                                : fuse_cost(&alone) >= FUSE_DEAR;
    }
    return dear;
}

typedef struct Mention {
    const PointerMap *names;
    bool found;
} Mention;

static void find_mention(void *context, CoreName *name)
{
    Mention *mention = context;
    mention->found = mention->found || pointer_map_get(mention->names, name) != NULL;
}

static void find_mention_in(void *context, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        core_each_free(body->stms[i], find_mention, context);
    }
}

static bool is_turned(const CoreExp *exp)
{
    return exp->kind == CORE_EXP_ATOM || exp->kind == CORE_EXP_REARRANGE ||
           exp->kind == CORE_EXP_RESHAPE || exp->kind == CORE_EXP_REVERSE ||
           exp->kind == CORE_EXP_ROTATE;
}

static bool takes_again(Fuse *f, const CoreBody *body, size_t count, CoreName *const *names);

/* The same of a map whose inputs are some of these arrays. */
static bool map_takes_again(Fuse *f, const CoreSoac *soac, const PointerMap *names, bool *takes)
{
    bool again = false;
    for (size_t k = 0; k < soac->input_count && !again; k++) {
        CoreName *row = soac->map->parameters[k];
        if (pointer_map_get(names, soac->inputs[k].name) != NULL) {
            *takes = true;
            again = row->type.rank > 0 && takes_again(f, soac->map->body, 1, &row);
        }
    }
    return again;
}

/* The body takes elements of these arrays, or of what maps and views make of them, in another way than each once, for a
   result's element: in the function of a SOAC that goes through others, or by an index. */
static bool takes_again(Fuse *f, const CoreBody *body, size_t count, CoreName *const *names)
{
    PointerMap taken = {0};
    bool again = false;
    for (size_t k = 0; k < count; k++) {
        pointer_map_set(f->arena, &taken, names[k], names[k]);
    }
    for (size_t i = 0; i < body->stm_count && !again; i++) {
        const CoreStm *stm = body->stms[i];
        Mention inside = {&taken, false}, outside = inside;
        core_each_body(stm->exp, find_mention_in, &inside);
        again = inside.found;
        if (fuse_is_map(stm)) {
            again = again || map_takes_again(f, &stm->exp->as.soac, &taken, &outside.found);
        } else {
            core_each_free(stm, find_mention, &outside);
            again = again || (outside.found && !is_turned(stm->exp));
        }
        for (size_t k = 0; k < stm->pattern_count && outside.found; k++) {
            pointer_map_set(f->arena, &taken, stm->pattern[k], stm->pattern[k]);
        }
    }
    return again;
}

bool fuse_has_dear_rows(Fuse *f, const CoreSoac *soac)
{
    const CoreBody *body = soac->map->body;
    bool rows = false, taken = false, again = false;
    for (size_t k = 0; k < body->result_count; k++) {
        rows = rows || soac->map->result_types[k].rank > 0;
    }
    for (size_t i = 0; rows && i < body->stm_count && !again; i++) {
        const CoreStm *stm = body->stms[i];
        const CoreBody alone = {.stm_count = 1, .stms = &body->stms[i]};
        if (!fuse_is_map(stm)) {
            again = fuse_cost(&alone) >= FUSE_DEAR;
        } else if (fuse_has_dear_rows(f, &stm->exp->as.soac)) {
            again = true;
        } else if (has_dear_elements(&stm->exp->as.soac)) {
            again = taken || stm->pattern_count > 1 ||
                    takes_again(f, body, stm->pattern_count, stm->pattern);
            taken = true;
        }
    }
    return again;
}

/* What the atom is a view of, that has each element once, as a rule. */
static CoreAtom seen_once(Fuse *f, CoreAtom atom)
{
    enum { MOST_STEPS = 16 };
    const CoreStm *stm = fuse_definition(f, atom);
    for (int i = 0; stm && i < MOST_STEPS; i++, stm = fuse_definition(f, atom)) {
        switch ((int)stm->exp->kind) { /* views of one array */
        case CORE_EXP_ATOM: atom = stm->exp->as.atom; break;
        case CORE_EXP_REARRANGE: atom = stm->exp->as.rearrange.array; break;
        case CORE_EXP_RESHAPE: atom = stm->exp->as.reshape.array; break;
        case CORE_EXP_CYCLE: atom = stm->exp->as.cycle.array; break;
        case CORE_EXP_REVERSE: atom = stm->exp->as.reverse.array; break;
        default: return atom;
        }
    }
    return atom;
}

/* A view of a row that the function is given. */
static bool is_own_row(Fuse *f, const CoreLambda *lambda, CoreAtom atom)
{
    const CoreName *name = seen_once(f, atom).name;
    bool own = false;
    for (size_t i = 0; i < lambda->parameter_count; i++) {
        own = own || lambda->parameters[i] == name;
    }
    return own;
}

/* No input repeats what it is a view of, and none of what maps compute it from. */
static bool repeats_nothing(Fuse *f, const CoreSoac *soac, int depth)
{
    enum { MOST_MAPS = 6 };
    bool repeats = depth > MOST_MAPS;
    for (size_t i = 0; !repeats && i < soac->input_count; i++) {
        const CoreStm *stm = fuse_definition(f, seen_once(f, soac->inputs[i]));
        repeats = stm && (core_is_view(stm->exp->kind) ||
                          (fuse_is_map(stm) && !repeats_nothing(f, &stm->exp->as.soac, depth + 1)));
    }
    return !repeats;
}

/* All that the SOAC reads are rows that the function around it is given. */
static bool has_own_rows(Fuse *f, const CoreLambda *around, const CoreSoac *soac)
{
    bool own = soac->input_count > 0;
    for (size_t i = 0; own && i < soac->input_count; i++) {
        own = is_own_row(f, around, soac->inputs[i]);
    }
    for (size_t i = 0; own && i < soac->map->body->stm_count; i++) {
        own = soac->map->body->stms[i]->exp->kind != CORE_EXP_INDEX;
    }
    return own;
}

/* Rows for which work-items are found beside each other where reductions or scans of them stay whole: their number is not
   known, or known to be more than a window's. */
static bool are_many(CoreAtom rows)
{
    return rows.name || rows.as.integer > MOST_WINDOW;
}

/* In two maps or more reductions of many rows, which have rows in common, as in products of matrices. `own`: each of the
   maps around has rows of its own. */
static bool sums_rows(Fuse *f, const CoreSoac *map, int depth, bool own)
{
    for (size_t i = 0; i < map->map->body->stm_count; i++) {
        const CoreStm *stm = map->map->body->stms[i];
        if (stm->exp->kind != CORE_EXP_SOAC) {
            continue;
        }
        const CoreSoac *inner = &stm->exp->as.soac;
        bool inner_own = own && has_own_rows(f, map->map, inner);
        bool shares =
            depth >= 2 && !inner_own && inner->reduction_count > 0 && are_many(inner->width);
        if (fuse_is_map(stm) ? sums_rows(f, inner, depth + 1, inner_own) : shares) {
            return true;
        }
    }
    return false;
}

bool fuse_sums_rows(Fuse *f, const CoreSoac *map)
{
    return sums_rows(f, map, 1, repeats_nothing(f, map, 0));
}

bool fuse_folds_rows(const CoreSoac *map)
{
    for (size_t i = 0; i < map->map->body->stm_count; i++) {
        const CoreStm *stm = map->map->body->stms[i];
        const CoreSoac *inner = &stm->exp->as.soac;
        if (stm->exp->kind == CORE_EXP_SOAC &&
            (fuse_is_map(stm) ? fuse_folds_rows(inner) : are_many(inner->width))) {
            return true;
        }
    }
    return false;
}
