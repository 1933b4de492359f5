/* [L0 7.4] What goes over what the branches of an `if` give is done in the branches, where it becomes one with
   what makes it there:

       let x = if c then {                           let s = if c then {
         let a = map n f xs                            let a = map n f xs
         in (a) } else { in (ys) }          ==>        let t = reduce n (+) 0 a
       let s = reduce n (+) 0 x                        in (t)
                                                     } else {
                                                       let u = reduce n (+) 0 ys
                                                       in (u) }

   Written twice, computed once. Views and scalars go with what they are for. It pays where a branch makes the array,
   or a view of one that is not a part of its memory, which would be stored for nothing else: an array that others use,
   too, has to be made by a SOAC that hands over its rows, and a view that others use keeps what goes over it outside.

   A view that is printed, given or what a loop begins with goes in as well, and then what goes over it: outside it would be
   stored, from an array that is stored for it alone; in the branches it is stored by what makes the rows.

       let x = if c then {                           let y = if c then {
         let a = map n f xs                            let a = map n f xs
         in (a) } else { in (ys) }          ==>        let b = reverse 0 a
       let y = reverse 0 x                             in (b)
       print y                                       } else {
                                                       let b = reverse 0 ys
                                                       in (b) }
                                                     print y

   Legal ([L0 7.4.1]) where what goes in cannot fail and writes nothing in place. The `if` comes to stand behind what
   that needs beside it: nothing of that may write in place, or fail where the `if` may, too, or what it passes. As in
   branches.c, the other direction, nothing within the function of a SOAC moves; rows are chosen there by their elements
   (choices.c). Looked at are so many statements behind the `if`, that programs of many branches take time in
   proportion. */
#include "core/fuse/fuse.h"

enum {
    MOST_GOING = 200, /* in statements, that are written twice */
    MOST_BEHIND = 64  /* statements that are looked at */
};

typedef enum Role {
    ROLE_FREE,  /* of the `if`; and all that stands before it */
    ROLE_STAYS, /* behind it */
    ROLE_MAY_GO,
    ROLE_GOES
} Role;

typedef struct Behind {
    Fuse *f;
    size_t count;
    const CoreStm **stms; /* NULL: there is none any more */
    size_t at, end;       /* the `if`; behind the last that is looked at */
    PointerMap binders;   /* CoreName -> 1 + number of the statement that binds it */
    PointerMap mentions;  /* CoreName -> size_t: how often the body does, at most */
    PointerMap here;      /* the same of what is looked at */
    PointerMap outside;   /* CoreName of these -> itself: what does not go in uses it */
    PointerMap whole;     /* CoreName -> itself: an array that is stored, whatever else reads it */
    Role *roles;
    bool *takes, *needed;
    bool with_views; /* such go in, too, that nothing goes over */
    /* of the statement that is looked at */
    bool depends, blocked, takes_some, is_barred;
    size_t user;
} Behind;

/* ---- what the branches make ------------------------------------------------------------------ */

const CoreStm *fuse_maker_in(const CoreBody *branch, CoreAtom result)
{
    for (size_t i = branch->stm_count; i-- > 0 && result.name != NULL;) {
        if (core_stm_binds(branch->stms[i], result.name)) {
            return branch->stms[i];
        }
    }
    return NULL;
}

bool fuse_is_part(const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind != CORE_EXP_SLICE) {
        return exp->kind == CORE_EXP_RESHAPE || exp->kind == CORE_EXP_INDEX;
    }
    CoreType type = core_atom_type(exp->as.slice.array);
    const CoreSlice *slices = exp->as.slice.slices;
    bool part = true;
    for (int axis = 0; axis < type.rank; axis++) {
        bool steps = !slices[axis].fixed && !core_atom_equal(slices[axis].stride, core_i64(1));
        bool less = axis > 0 &&
                    (slices[axis].fixed || !core_atom_equal(slices[axis].count, type.sizes[axis]));
        part = part && !steps && !less;
    }
    return part;
}

/* In one of its branches the `if` makes this array: by rows, which are handed over where others use them, too; or, where
   not `by_rows`, as a view, too. */
static bool is_made(const Behind *b, const CoreName *name, bool by_rows)
{
    const CoreStm *stm = b->stms[b->at];
    size_t k = 0;
    while (stm->pattern[k] != name) {
        k++;
    }
    const CoreBody *branches[] = {stm->exp->as.conditional.then_body,
                                  stm->exp->as.conditional.else_body};
    for (size_t i = 0; i < 2 && name->type.rank > 0; i++) {
        const CoreStm *maker = fuse_maker_in(branches[i], branches[i]->results[k]);
        bool rows = maker != NULL && fuse_is_soac(maker) &&
                    fuse_handed_over(maker, branches[i]->results[k]) != SIZE_MAX;
        bool other = maker != NULL && (fuse_is_filter(maker) ||
                                       (core_is_view(maker->exp->kind) && !fuse_is_part(maker)));
        if (rows || (other && !by_rows)) {
            return true;
        }
    }
    return false;
}

/* ---- what may go in -------------------------------------------------------------------------- */

/* A view that is stored, which is a pass as a map is. */
static bool is_stored(const Behind *b, const CoreStm *stm)
{
    return b->with_views && core_is_view(stm->exp->kind) && stm->exp->kind != CORE_EXP_CYCLE &&
           !fuse_is_part(stm) && pointer_map_get(&b->whole, stm->pattern[0]) != NULL;
}

/* It goes in for its own sake. */
static bool is_pass(const Behind *b, const CoreStm *stm)
{
    return fuse_is_soac(stm) || fuse_is_filter(stm) || is_stored(b, stm);
}

static void look_at(void *context, CoreName *name)
{
    Behind *b = context;
    size_t binder = fuse_binder(&b->binders, name);
    if (binder == SIZE_MAX || binder < b->at) {
        return;
    }
    b->depends = b->depends || b->roles[binder] != ROLE_FREE;
    b->blocked = b->blocked || (binder != b->at && b->roles[binder] == ROLE_STAYS);
    b->takes_some = b->takes_some || (binder == b->at ? is_made(b, name, false) : b->takes[binder]);
}

static void find_roles(Behind *b)
{
    b->roles[b->at] = ROLE_STAYS;
    for (size_t i = b->at + 1; i < b->end; i++) {
        const CoreStm *stm = b->stms[i];
        b->depends = b->blocked = b->takes_some = false;
        core_each_free(stm, look_at, b);
        bool may_go = !b->blocked && (is_pass(b, stm) || fuse_is_companion(stm)) &&
                      fuse_may_move(b->f, stm) && !fuse_may_consume(stm->exp);
        b->takes[i] =
            b->takes_some && core_is_view(stm->exp->kind) && stm->pattern[0]->type.rank > 0;
        b->roles[i] = !b->depends                                  ? ROLE_FREE
                      : may_go && b->takes_some && is_pass(b, stm) ? ROLE_GOES
                      : may_go                                     ? ROLE_MAY_GO
                                                                   : ROLE_STAYS;
    }
}

static void note_needed(void *context, CoreName *name)
{
    Behind *b = context;
    size_t binder = fuse_binder(&b->binders, name);
    if (binder != SIZE_MAX) {
        b->needed[binder] = true;
    }
}

/* Views and scalars go with what needs them, and only then. */
static void find_companions(Behind *b)
{
    memset(b->needed + b->at, 0, (b->end - b->at) * sizeof *b->needed);
    for (size_t i = b->end; i-- > b->at + 1;) {
        bool may_go = b->roles[i] == ROLE_MAY_GO || b->roles[i] == ROLE_GOES;
        if (may_go && !is_pass(b, b->stms[i])) {
            b->roles[i] = b->needed[i] ? ROLE_GOES : ROLE_MAY_GO;
        }
        if (b->roles[i] == ROLE_GOES) {
            core_each_free(b->stms[i], note_needed, b);
        }
    }
}

static void note_outside(void *context, CoreName *name)
{
    Behind *b = context;
    size_t binder = fuse_binder(&b->binders, name);
    if (binder != SIZE_MAX && binder >= b->at) {
        pointer_map_set(b->f->arena, &b->outside, name, name);
    }
}

static void mention(Behind *b, PointerMap *mentions, const CoreName *name)
{
    ++*(size_t *)pointer_map_make(b->f->arena, mentions, name, sizeof(size_t));
}

static void note_here(void *context, CoreName *name)
{
    Behind *b = context;
    mention(b, &b->here, name);
}

static void note_anywhere(void *context, CoreName *name)
{
    Behind *b = context;
    mention(b, &b->mentions, name);
}

static void find_mentions_here(Behind *b)
{
    b->here = (PointerMap){0};
    for (size_t i = b->at + 1; i < b->end; i++) {
        core_each_free(b->stms[i], note_here, b);
    }
}

/* What stands further behind, or is the result of the body, may mention it. */
static bool is_mentioned_later(const Behind *b, const CoreName *name)
{
    const size_t *all = pointer_map_get(&b->mentions, name),
                 *here = pointer_map_get(&b->here, name);
    return all != NULL && *all > (here != NULL ? *here : 0);
}

static void find_outside(Behind *b)
{
    b->outside = (PointerMap){0};
    for (size_t i = b->at; i < b->end; i++) {
        if (i > b->at && b->roles[i] != ROLE_GOES) {
            core_each_free(b->stms[i], note_outside, b);
        }
        for (size_t k = 0; k < b->stms[i]->pattern_count; k++) {
            if (is_mentioned_later(b, b->stms[i]->pattern[k])) {
                note_outside(b, b->stms[i]->pattern[k]);
            }
        }
    }
}

/* What goes in cannot use this where it will be, or would have it stored all the same. */
static void find_bar(void *context, CoreName *name)
{
    Behind *b = context;
    size_t binder = fuse_binder(&b->binders, name);
    if (binder == SIZE_MAX || binder < b->at || b->roles[binder] == ROLE_FREE) {
        return;
    }
    if (binder != b->at && b->roles[binder] != ROLE_GOES) {
        b->is_barred = true;
    } else if (name->type.rank > 0 && pointer_map_get(&b->outside, name) != NULL) {
        bool is_handed = fuse_takes_rows_of(b->f, b->stms[b->user], name) &&
                         (binder == b->at ? is_made(b, name, true) : fuse_is_soac(b->stms[binder]));
        b->is_barred = b->is_barred || !is_handed;
    }
}

/* Whether anything goes in. */
static bool choose(Behind *b)
{
    bool any = false, again = true;
    find_roles(b);
    find_mentions_here(b);
    while (again) {
        again = any = false;
        find_companions(b);
        find_outside(b);
        for (b->user = b->at + 1; b->user < b->end; b->user++) {
            b->is_barred = false;
            if (b->roles[b->user] == ROLE_GOES) {
                core_each_free(b->stms[b->user], find_bar, b);
                again = again || b->is_barred;
                any = any || is_pass(b, b->stms[b->user]);
            }
            if (b->is_barred) {
                b->roles[b->user] = ROLE_STAYS;
            }
        }
    }
    return any;
}

/* ---- moving ---------------------------------------------------------------------------------- */

/* All that goes in is not too long to be written twice. */
static bool is_short(const Behind *b)
{
    StmVec going = {0};
    for (size_t i = b->at + 1; i < b->end; i++) {
        if (b->roles[i] == ROLE_GOES) {
            vec_push(b->f->arena, &going, b->stms[i]);
        }
    }
    return fuse_length(going.count, going.items) <= MOST_GOING;
}

/* What stands between the `if` and the last that goes in, and is needed there, comes before it: marked as needed, and
   nothing else is. */
static void find_needed(Behind *b)
{
    memset(b->needed + b->at, 0, (b->end - b->at) * sizeof *b->needed);
    for (size_t i = b->end; i-- > b->at + 1;) {
        if (b->roles[i] == ROLE_GOES || (b->roles[i] == ROLE_FREE && b->needed[i])) {
            core_each_free(b->stms[i], note_needed, b);
        }
        b->needed[i] = b->needed[i] && b->roles[i] == ROLE_FREE;
    }
}

/* Whether that may pass the `if`, and what stands between: errors and effects keep their order. */
static bool may_pass(Behind *b)
{
    bool may = true, fails = core_may_fail(b->stms[b->at]);
    find_needed(b);
    for (size_t i = b->at + 1; i < b->end && may; i++) {
        bool may_fail = core_may_fail(b->stms[i]);
        may = !b->needed[i] || (!(fails && may_fail) && !fuse_may_consume(b->stms[i]->exp));
        fails = fails || (may_fail && !b->needed[i]);
    }
    return may;
}

static bool can_go(Behind *b)
{
    return choose(b) && is_short(b) && may_pass(b);
}

/* Names that the `if` gives from now on: all that it gave, and what goes in and is used elsewhere. */
static size_t find_results(const Behind *b, CoreName **names)
{
    const CoreStm *stm = b->stms[b->at];
    size_t count = 0;
    memcpy(names, stm->pattern, stm->pattern_count * sizeof *names);
    count += stm->pattern_count;
    for (size_t i = b->at + 1; i < b->end; i++) {
        for (size_t k = 0; b->roles[i] == ROLE_GOES && k < b->stms[i]->pattern_count; k++) {
            if (pointer_map_get(&b->outside, b->stms[i]->pattern[k]) != NULL) {
                names[count++] = b->stms[i]->pattern[k];
            }
        }
    }
    return count;
}

/* Sizes of what is used elsewhere are used there, too. */
static void note_sizes(Behind *b)
{
    for (size_t i = b->end; i-- > b->at + 1;) {
        for (size_t k = 0; b->roles[i] == ROLE_GOES && k < b->stms[i]->pattern_count; k++) {
            const CoreName *name = b->stms[i]->pattern[k];
            bool used = pointer_map_get(&b->outside, name) != NULL;
            for (int axis = 0; used && axis < name->type.rank; axis++) {
                if (name->type.sizes[axis].name != NULL) {
                    note_outside(b, name->type.sizes[axis].name);
                }
            }
        }
    }
}

static const CoreBody *with_going(const Behind *b, const CoreBody *branch, size_t count,
                                  CoreName *const *names)
{
    Compilation *c = b->f->c;
    const CoreStm *stm = b->stms[b->at];
    CoreBuilder builder = core_builder(c, stm->span);
    Renaming *renaming = core_renaming(c);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    for (size_t i = 0; i < branch->stm_count; i++) {
        core_add(&builder, branch->stms[i]);
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        core_rename(renaming, stm->pattern[k], branch->results[k]);
    }
    for (size_t i = b->at + 1; i < b->end; i++) {
        if (b->roles[i] == ROLE_GOES) {
            core_add(&builder, core_rename_stm(renaming, b->stms[i]));
        }
    }
    for (size_t k = 0; k < count; k++) {
        results[k] = core_renamed(renaming, core_use(names[k]));
    }
    return core_body(&builder, count, results);
}

static const CoreStm *with_all_going(Behind *b)
{
    Compilation *c = b->f->c;
    size_t most = b->stms[b->at]->pattern_count;
    for (size_t i = b->at + 1; i < b->end; i++) {
        most += b->roles[i] == ROLE_GOES ? b->stms[i]->pattern_count : 0;
    }
    CoreName **names = ARENA_ARRAY(c->arena, CoreName *, most + 1);
    note_sizes(b);
    CoreStm *stm = arena_copy(c->arena, b->stms[b->at], sizeof *stm);
    CoreExp *exp = core_exp_copy(c, stm->exp);
    size_t count = find_results(b, names);
    exp->as.conditional.then_body = with_going(b, stm->exp->as.conditional.then_body, count, names);
    exp->as.conditional.else_body = with_going(b, stm->exp->as.conditional.else_body, count, names);
    stm->exp = exp;
    stm->pattern = names;
    stm->pattern_count = count;
    return stm;
}

/* What is needed, the `if` with what goes in, where b->at is from now on, and the others; places that are left are empty. */
static void move(Behind *b)
{
    const CoreStm *stms[MOST_BEHIND + 1] = {NULL};
    size_t count = 0, at;
    for (size_t i = b->at + 1; i < b->end; i++) {
        if (b->needed[i]) {
            stms[count++] = b->stms[i];
        }
    }
    at = count;
    stms[count++] = with_all_going(b);
    for (size_t i = b->at + 1; i < b->end; i++) {
        if (b->roles[i] == ROLE_GOES && is_pass(b, b->stms[i])) {
            fuse_log_done(b->f, CORE_RULE_FUSE_BEHIND, b->stms[b->at], b->stms[i], NULL);
            fuse_fired(b->f, CORE_RULE_FUSE_BEHIND);
        }
        if (b->roles[i] != ROLE_GOES && !b->needed[i]) {
            stms[count++] = b->stms[i];
        }
    }
    memcpy(b->stms + b->at, stms, (b->end - b->at) * sizeof *stms);
    fuse_note_binders(b->f, &b->binders, b->at, b->at + count, b->stms);
    b->at += at;
}

/* ---- the step ------------------------------------------------------------------------------ */

static bool gives_made(const Behind *b)
{
    const CoreStm *stm = b->stms[b->at];
    for (size_t k = 0; k < stm->pattern_count; k++) {
        if (is_made(b, stm->pattern[k], false)) {
            return true;
        }
    }
    return false;
}

/* The statements that follow each other behind the `if`, some of them. */
static size_t end_of(const Behind *b)
{
    size_t end = b->at + 1;
    while (end < b->count && end - b->at <= MOST_BEHIND && b->stms[end] != NULL) {
        end++;
    }
    return end;
}

const CoreBody *fuse_behind(Fuse *f, const CoreBody *old)
{
    Behind b = {.f = f,
                .count = old->stm_count,
                .stms = ARENA_ARRAY(f->c->arena, const CoreStm *, old->stm_count + 1),
                .roles = ARENA_ARRAY(f->arena, Role, old->stm_count + 1),
                .takes = ARENA_ARRAY(f->arena, bool, old->stm_count + 1),
                .needed = ARENA_ARRAY(f->arena, bool, old->stm_count + 1)};
    size_t count = 0;
    memcpy(b.stms, old->stms, old->stm_count * sizeof *b.stms);
    fuse_note_binders(f, &b.binders, 0, b.count, b.stms);
    for (size_t i = 0; i < b.count; i++) {
        core_each_free(b.stms[i], note_anywhere, &b);
    }
    for (size_t k = 0; k < old->result_count; k++) {
        if (old->results[k].name != NULL) {
            mention(&b, &b.mentions, old->results[k].name);
        }
    }
    fuse_find_whole(f, old, &b.whole);
    for (b.at = 0; b.at < b.count; b.at++) {
        const CoreStm *stm = b.stms[b.at];
        if (stm == NULL || stm->exp->kind != CORE_EXP_IF || !gives_made(&b)) {
            continue;
        }
        b.end = end_of(&b);
        b.with_views = true;
        bool goes = can_go(&b);
        if (!goes) {
            b.with_views = false;
            goes = can_go(&b);
        }
        if (goes) {
            move(&b);
        }
    }
    for (size_t i = 0; i < b.count; i++) {
        if (b.stms[i] != NULL) {
            b.stms[count++] = b.stms[i];
        }
    }
    return core_with_stms(f->c, old, count, b.stms);
}
