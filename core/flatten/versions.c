/* Versions of a nest: no one choice is right for all sizes [PLDI 5.1, at the end].

   Where inner SOACs have few rows, one work-item goes through them as well, and nothing has to be
   stored on the way:

       if max of inner widths < 16 then (the nest as it was) else (the flattened one)

   (fewer than 9 where work-items read memory together, or than 4 if rows are scanned: neighbours have rows far from each
   other. On an H200, 10^8 integers or reals in rows of 4, 8, 12 and 15: `1009|⍵+⌽+\1⊖⍵` took 1.2, 1.4, 2.1 and 3.1 ms,
   flattened 0.5; softmax 1.1, 1.4, 1.9 and 2.8, flattened 2.1 of 8, 1.6 and 2.5; rows less their means 0.44, 1.0, 1.2 and 2.4,
   flattened 0.9)
   (with fewer than 32 elements a row, where its rows are rows themselves: 10 by 10 of 200,000 took a work-item ten times as
   long as one a column)
   or, where a group of work-items can do it (groups.c),

       if 256 <= inner width <= 2048 then (each row by a group) else (the choice above)

   A loop that has come out of its map costs launches in each iteration, so that it takes more rows to be worth it
   where the map around it has few iterations. (Measured on an H200: softmax of rows, 20 to 200 times, with 2^14 to
   2^25 reals in all; rows of 64 take as long or half as long, of 511 a seventh and less.) Between the nests whole arrays of rows
   are stored, where a work-item had a row of its own: where they would be very large, the nest
   stays as it was, too; and where there are rows enough to keep the device busy, which leave numbers and read nothing
   of memory that depends on the row, but for a number each, as in simulations. (On an H200, prices by random paths:
   10^6 rows of 100 took 2.5 ms so, 3.7 flattened; 20000 of 250 0.30 and 0.25.) So do that many rows that leave numbers, where
   arrays would be stored between the nests: a work-item scans its row and takes the sums in one loop. (There, `⌈/+\⍵` of
   200,000 rows of 250 took 0.19 ms so, 0.43 flattened; 33,000 of 100 0.038 and 0.085; 5000 of 10,000 1.6 and 0.42. Rows
   that are sorted are sorted beside each other, however many: a work-item alone took ten times as long.) */
#include "core/flatten/flatten.h"

enum {
    FEW_ROWS = 16,
    FEW_ROWS_TOGETHER = 9, /* where work-items read together */
    FEW_ROWS_SCANNED = 4,  /* and what is scanned would have to be stored */
    FEW_ELEMENTS = 32,     /* of a row's rows */
    FEW_ROWS_IN_LOOPS = 64,
    BUSY_ROWS = 1 << 15,
    MANY_ROWS = 1 << 16,
    MOST_ELEMENTS = 1 << 28,
    MOST_SORTED = 1 << 30 /* where the nest makes as many */
};

const CoreBody *flatten_copies(Compilation *c, size_t count, const CoreStm *const *stms,
                               const CoreStm *like)
{
    Renaming *renaming = core_renaming(c);
    CoreBuilder b = core_builder(c, like->span);
    for (size_t i = 0; i < count; i++) {
        core_add(&b, core_rename_stm(renaming, stms[i]));
    }
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, like->pattern_count + 1);
    for (size_t k = 0; k < like->pattern_count; k++) {
        results[k] = core_renamed(renaming, core_use(like->pattern[k]));
    }
    return core_body(&b, like->pattern_count, results);
}

/* The largest of the widths that are not constants, each once; false where there is none. */
static bool largest_width(const Flatten *f, CoreBuilder *b, CoreAtom *largest)
{
    bool found = false;
    for (size_t i = 0; i < f->widths.count; i++) {
        CoreAtom width = f->widths.items[i];
        bool known = false;
        for (size_t j = 0; j < i; j++) {
            known = known || core_atom_equal(f->widths.items[j], width);
        }
        if (!known) {
            *largest = found ? core_let_binary(b, "rows", CORE_MAX, *largest, width) : width;
            found = true;
        }
    }
    return found && largest->name;
}

static CoreAtom either(CoreBuilder *b, bool *found, CoreAtom before, CoreAtom other)
{
    CoreAtom both = *found ? core_let_binary(b, "small", CORE_OR, before, other) : other;
    *found = true;
    return both;
}

/* ---- rows that are computed from little ------------------------------------------------------ */

/* A row's function, gone through from the first statement on. */
typedef struct RowWork {
    Arena *arena;
    PointerMap own;    /* CoreName -> itself: bound in the function */
    PointerMap varies; /* the same of what depends on the row */
    bool reads;        /* memory that depends on the row; or it is not known */
} RowWork;

static void put(RowWork *work, PointerMap *set, CoreName *name)
{
    pointer_map_set(work->arena, set, name, name);
}

typedef struct Uses {
    const RowWork *work;
    bool vary, outside; /* some name; an array */
} Uses;

static void look_at(void *context, CoreName *name)
{
    Uses *uses = context;
    uses->vary = uses->vary || pointer_map_get(&uses->work->varies, name);
    uses->outside =
        uses->outside || (name->type.rank > 0 && !pointer_map_get(&uses->work->own, name));
}

static void go_through(void *context, const CoreBody *body);

static void go_into_soac(RowWork *work, const CoreSoac *soac)
{
    for (size_t i = 0; i < soac->input_count; i++) {
        CoreName *parameter = soac->map->parameters[i];
        put(work, &work->own, parameter);
        if (pointer_map_get(&work->varies, soac->inputs[i].name)) {
            put(work, &work->varies, parameter);
        }
    }
    go_through(work, soac->map->body);
}

static void go_through(void *context, const CoreBody *body)
{
    RowWork *work = context;
    for (size_t i = 0; i < body->stm_count && !work->reads; i++) {
        const CoreStm *stm = body->stms[i];
        const CoreExp *exp = stm->exp;
        Uses uses = {.work = work};
        core_each_free(stm, look_at, &uses);
        if (exp->kind == CORE_EXP_SOAC) {
            go_into_soac(work, &exp->as.soac);
        } else if (exp->kind == CORE_EXP_IF) {
            core_each_body(exp, go_through, work);
        } else {
            work->reads = core_has_bodies(exp->kind) || (uses.vary && uses.outside);
        }
        for (size_t k = 0; k < stm->pattern_count; k++) {
            put(work, &work->own, stm->pattern[k]);
            if (uses.vary) {
                put(work, &work->varies, stm->pattern[k]);
            }
        }
    }
}

bool flatten_leaves_numbers(const CoreStm *nest)
{
    bool numbers = true;
    for (size_t k = 0; k < nest->pattern_count; k++) {
        numbers = numbers && nest->pattern[k]->type.rank <= 1;
    }
    return numbers;
}

/* But for a number for each row, memory is read at places that are the same for all of them; and a row leaves numbers. */
static bool is_of_little(const Flatten *f, const CoreStm *nest)
{
    const CoreSoac *soac = &nest->exp->as.soac;
    RowWork work = {.arena = f->c->arena, .reads = !flatten_leaves_numbers(nest)};
    for (size_t i = 0; i < soac->input_count; i++) {
        CoreName *parameter = soac->map->parameters[i];
        work.reads = work.reads || parameter->type.rank > 0;
        put(&work, &work.own, parameter);
        put(&work, &work.varies, parameter);
    }
    go_through(&work, soac->map->body);
    return !work.reads;
}

/* ---- which version --------------------------------------------------------------------------- */

/* A scan stands in it. */
static void look_for_scans(void *context, const CoreBody *body)
{
    bool *scans = context;
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreExp *exp = body->stms[i]->exp;
        *scans = *scans || (exp->kind == CORE_EXP_SOAC && exp->as.soac.scan_count > 0);
        core_each_body(exp, look_for_scans, scans);
    }
}

/* A work-item would not have many elements: of results that are rows of rows, too. */
static CoreAtom few_elements(CoreBuilder *b, const CoreStm *old, CoreAtom largest)
{
    bool scans = false;
    core_each_body(old->exp, look_for_scans, &scans);
    int64_t least = scans ? FEW_ROWS_SCANNED : FEW_ROWS_TOGETHER;
    CoreAtom few = core_let_binary(b, "small", CORE_LT, largest, core_i64(FEW_ROWS));
    CoreAtom fewer = core_let_binary(b, "small", CORE_LT, largest, core_i64(least));
    CoreAtom lanes = core_let_device(b, CORE_DEVICE_LANES);
    CoreAtom alone = core_let_binary(b, "alone", CORE_EQ, lanes, core_i64(1));
    CoreAtom suits = core_let_binary(b, "small", CORE_OR, fewer, alone);
    few = core_let_binary(b, "small", CORE_AND, few, suits);
    for (size_t k = 0; k < old->pattern_count; k++) {
        CoreType type = old->pattern[k]->type;
        if (type.rank > 2) {
            CoreAtom elements = type.sizes[1];
            for (int axis = 2; axis < type.rank; axis++) {
                elements = core_let_binary(b, "elements", CORE_MUL, elements, type.sizes[axis]);
            }
            CoreAtom other = core_let_binary(b, "few", CORE_LT, elements, core_i64(FEW_ELEMENTS));
            few = core_let_binary(b, "small", CORE_AND, few, other);
        }
    }
    return few;
}

/* Whether the nest should be as it was; false where nothing has to be asked. */
static bool asks(Flatten *f, CoreBuilder *b, const CoreStm *old, CoreAtom *stays)
{
    CoreAtom largest;
    bool found = false;
    if (largest_width(f, b, &largest)) {
        CoreAtom small = few_elements(b, old, largest);
        *stays = either(b, &found, *stays, small);
        if (f->interchanged) {
            CoreAtom width = old->exp->as.soac.width;
            CoreAtom few = core_let_binary(b, "few", CORE_LT, width, core_i64(MANY_ROWS));
            small = core_let_binary(b, "small", CORE_LT, largest, core_i64(FEW_ROWS_IN_LOOPS));
            small = core_let_binary(b, "small", CORE_AND, small, few);
            *stays = either(b, &found, *stays, small);
        }
    }
    if (f->parted.count > 0) { /* work-items enough, or little that each goes through */
        CoreAtom rows = f->parted.items[0];
        for (size_t i = 1; i + 1 < f->parted.count; i++) {
            rows = core_let_binary(b, "rows", CORE_MUL, rows, f->parted.items[i]);
        }
        CoreAtom last = f->parted.items[f->parted.count - 1];
        *stays = either(b, &found, *stays,
                        core_let_binary(b, "busy", CORE_GE, rows, core_i64(BUSY_ROWS)));
        *stays = either(b, &found, *stays,
                        core_let_binary(b, "small", CORE_LT, last, core_i64(FEW_ROWS)));
    }
    bool little = (f->stored.count > 0 || f->lifted) && is_of_little(f, old);
    bool folds = f->stored.count > 0 && !f->interchanged && !f->sorts && f->parted.count == 0 &&
                 flatten_leaves_numbers(old);
    if (little || folds) {
        CoreAtom width = old->exp->as.soac.width;
        CoreAtom busy = core_let_binary(b, "busy", CORE_GE, width, core_i64(BUSY_ROWS));
        *stays = either(b, &found, *stays, busy);
    }
    int64_t most = f->sorts && !flatten_leaves_numbers(old) ? MOST_SORTED : MOST_ELEMENTS;
    for (size_t i = 0; i < f->stored.count; i++) {
        CoreType type = f->stored.items[i];
        CoreAtom elements = type.sizes[0];
        for (int axis = 1; axis < type.rank; axis++) {
            elements = core_let_binary(b, "elements", CORE_MUL, elements, type.sizes[axis]);
        }
        CoreAtom large = core_let_binary(b, "large", CORE_GE, elements, core_i64(most));
        *stays = either(b, &found, *stays, large);
    }
    return found;
}

/* if condition then (these) else (those) */
static const CoreStm *choose(Flatten *f, const CoreStm *like, CoreAtom condition,
                             const CoreBody *these, const CoreBody *those)
{
    CoreStm *choice = arena_copy(f->c->arena, like, sizeof *like);
    choice->certificate_count = 0;
    choice->exp = core_exp_if(f->c, condition, these, those);
    f->counts[CORE_RULE_FLATTEN_VERSIONS]++;
    return choice;
}

void flatten_choose(Flatten *f, const CoreStm *old, CoreAtom stays, const CoreBuilder *fresh,
                    CoreBuilder *b)
{
    const CoreBody *before = flatten_copies(f->c, 1, &old, old);
    const CoreBody *after = flatten_copies(f->c, fresh->stms.count, fresh->stms.items, old);
    core_add(b, choose(f, old, stays, before, after));
}

/* The nest as it was where that is better, else the flattened one. */
static void as_it_was(Flatten *f, const CoreStm *old, const CoreBuilder *fresh, CoreBuilder *b)
{
    CoreAtom stays = core_bool(false);
    if (!asks(f, b, old, &stays)) {
        flatten_add_all(b, fresh);
        return;
    }
    flatten_choose(f, old, stays, fresh, b);
}

/* The SOAC by groups where that suits, else the other statements; false where groups cannot do it. What takes a nest's
   rows is done by itself. */
static bool by_groups(Flatten *f, const CoreStm *old, const CoreBuilder *others, CoreBuilder *b)
{
    CoreAtom suits;
    CoreBuilder parts = core_builder(f->c, old->span), these = parts;
    if (f->grouped || !flatten_can_group(f, old)) {
        return false;
    }
    if (fuse_is_map(old)) {
        core_add(&parts, old);
    } else {
        flatten_apart(f, old, &parts);
    }
    const CoreStm *nest = flatten_groups(f, parts.stms.items[0], b, &suits);
    if (!nest) {
        return false;
    }
    if (!f->c->options.group_all && is_of_little(f, old)) {
        CoreAtom width = old->exp->as.soac.width;
        CoreAtom idle = core_let_binary(b, "idle", CORE_LT, width, core_i64(BUSY_ROWS));
        suits = core_let_binary(b, "suits", CORE_AND, suits, idle);
    }
    core_add(&these, nest);
    for (size_t i = 1; i < parts.stms.count; i++) {
        core_add(&these, parts.stms.items[i]);
    }
    const CoreBody *grouped = flatten_copies(f->c, these.stms.count, these.stms.items, old);
    const CoreBody *not_grouped = flatten_copies(f->c, others->stms.count, others->stms.items, old);
    core_add(b, choose(f, old, suits, grouped, not_grouped));
    return true;
}

void flatten_guard(Flatten *f, const CoreStm *old, CoreBuilder *fresh, CoreBuilder *b)
{
    CoreBuilder others = core_builder(f->c, old->span);
    if (f->c->options.flatten_all) {
        flatten_add_all(b, fresh);
        return;
    }
    old = fuse_turn_before(f->c, old);
    as_it_was(f, old, fresh, &others);
    if (!by_groups(f, old, &others, b)) {
        flatten_add_all(b, &others);
    }
}

bool flatten_by_groups(Flatten *f, const CoreStm *old, CoreBuilder *b)
{
    CoreBuilder others = core_builder(f->c, old->span);
    old = fuse_turn_before(f->c, old);
    core_add(&others, old);
    return !f->c->options.flatten_all && by_groups(f, old, &others, b);
}
