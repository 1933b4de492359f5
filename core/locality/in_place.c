/* Maps that are made where an update puts them.

       let v = map n (\x -> x * k) (a[f :+ n * 1])               let c = assert ...
       let c = assert ...                               ==>      let v = map @updated n ...
       let b = a with [f :+ n * 1] <- v                          let b = a with [f :+ n * 1] <- v

   [DPIA 4] has a result written where it is wanted: here that is the block of the array. The array is written while the map
   goes over it, so that of the block each element may read its own alone, as one that is modified does, and whatever
   lies beside the block: of a[r;r]-←a[r;k]∘.×a[k;r], where r begins behind k, row k and column k. Otherwise, and where
   something else needs the map's result, it is stored, and copied into the block.

   So is a copy for an update: of what is another array's, of what lies beside the block, and of other rows of the same array, as of
   a[k;]←a[p;], which are the block itself or have no element in common with it.

   What has fewer axes than the block, as a column of it, is copied before (aside.c). Rows that change places are exchanged at
   once (exchange.c).

   On the host, for maps that cannot fail, with one result; for devices, where no number that says where the block is has to be
   read from the array itself, since the host would wait for it. Before: a program that goes to lowering next, which wants the
   map and the update beside each other (lower_update_with). After: the same values. */
#include "core/locality/in_place.h"

enum { MOST_MADE = 32 };

const CoreStm *in_place_binder(const InPlace *p, CoreAtom atom)
{
    return atom.name ? pointer_map_get(&p->binders, atom.name) : NULL;
}

bool in_place_may_share(InPlace *p, CoreAtom x, CoreAtom y)
{
    p->aliases = p->aliases ? p->aliases : core_aliases(p->c, p->function);
    return core_may_share(p->aliases, x, y);
}

/* ---- an element's own place ------------------------------------------------------------------ */

/* A row of the result is made of that row, element by element: it is a scalar, or goes to the map that makes it. */
static bool goes_by_elements(const CoreLambda *lambda, size_t parameter)
{
    const CoreName *row = lambda->parameters[parameter];
    const CoreBody *body = lambda->body;
    if (row->type.rank == 0) {
        return true;
    }
    for (size_t i = 0; i < body->stm_count; i++) {
        const CoreStm *stm = body->stms[i];
        bool makes = stm->exp->kind == CORE_EXP_SOAC && stm->pattern_count == 1 &&
                     stm->pattern[0] == body->results[0].name;
        const CoreSoac *soac = makes ? &stm->exp->as.soac : NULL;
        if (core_stm_uses(stm, row) && (!makes || soac->reduction_count + soac->scan_count > 0 ||
                                        core_count_uses(soac->map->body, row) > 0)) {
            return false;
        }
        for (size_t k = 0; makes && k < soac->input_count; k++) {
            if (soac->inputs[k].name == row && !goes_by_elements(soac->map, k)) {
                return false;
            }
        }
    }
    return body->results[0].name != row;
}

/* The input is the block that is written. */
static bool is_block(const InPlace *p, CoreAtom input, const CoreExp *update)
{
    const CoreStm *stm = in_place_binder(p, input);
    bool same = stm && stm->exp->kind == CORE_EXP_SLICE &&
                core_atom_equal(stm->exp->as.slice.array, update->as.update.array);
    for (size_t axis = 0; same && axis < update->as.update.count; axis++) {
        same = core_is_same_part(&stm->exp->as.slice.slices[axis], &update->as.update.slices[axis]);
    }
    return same;
}

/* ---- which maps ------------------------------------------------------------------------------ */

typedef struct Reading {
    InPlace *p;
    const CoreExp *update;
    const CoreSoac *map; /* NULL: a copy */
    bool good;
    Sources aside; /* what has to be copied before, for it to be good */
} Reading;

/* It is an element of the array, or made of one. */
static bool is_of_array(InPlace *p, CoreAtom number, CoreAtom array, int *fuel)
{
    const CoreStm *stm = in_place_binder(p, number);
    if (!stm) {
        return false;
    }
    const CoreExp *exp = stm->exp;
    switch ((int)exp->kind) { /* what is quick */
    case CORE_EXP_INDEX: return in_place_may_share(p, exp->as.index.array, array);
    case CORE_EXP_ATOM: return is_of_array(p, exp->as.atom, array, fuel);
    case CORE_EXP_UNARY: return is_of_array(p, exp->as.scalar.x, array, fuel);
    case CORE_EXP_CONVERT: return is_of_array(p, exp->as.convert.x, array, fuel);
    case CORE_EXP_BINARY:
        return --*fuel <= 0 || is_of_array(p, exp->as.scalar.x, array, fuel) ||
               is_of_array(p, exp->as.scalar.y, array, fuel);
    case CORE_EXP_IF: return true;
    }
    return false;
}

/* An element beside the block, which work-items may read while that is written. */
static bool is_element_beside(InPlace *p, CoreAtom number, const CoreExp *update)
{
    const CoreStm *stm = in_place_binder(p, number);
    Region region;
    if (!stm || stm->exp->kind != CORE_EXP_INDEX ||
        !region_find(p, stm->exp->as.index.array, update->as.update.array, &region)) {
        return false;
    }
    region_narrow_to_row(p, &region, stm->exp);
    return region_is_beside(p, &region, update);
}

/* The host would have to wait for it, as the kernel that reads it writes to its array. */
static bool is_waited_for(InPlace *p, CoreAtom number, CoreAtom array)
{
    int fuel = MOST_MADE;
    return p->for_devices && is_of_array(p, number, array, &fuel);
}

/* Each element of the map reads its own of the block. */
static bool is_own_place(const Reading *r, CoreName *name)
{
    bool own =
        is_block(r->p, core_use(name), r->update) && core_count_uses(r->map->map->body, name) == 0;
    for (size_t k = 0; own && k < r->map->input_count; k++) {
        own = r->map->inputs[k].name != name || goes_by_elements(r->map->map, k);
    }
    return own;
}

/* It has fewer axes than the block, or repeats what has: the copy of that is little beside the block. */
static bool is_put_aside(Reading *r, CoreName *name)
{
    const CoreAtom source = aside_source(r->p, core_use(name));
    bool little =
        source.name && source.name->type.rank < r->update->as.update.value.name->type.rank;
    if (little) {
        aside_add(r->p, &r->aside, source);
    }
    return little;
}

static void check_read(void *context, CoreName *name)
{
    Reading *r = context;
    CoreAtom array = r->update->as.update.array;
    if (name->type.rank == 0) {
        r->good = r->good && (!is_waited_for(r->p, core_use(name), array) ||
                              is_element_beside(r->p, core_use(name), r->update));
        return;
    }
    if (!r->good || !in_place_may_share(r->p, core_use(name), array)) {
        return;
    }
    Region region;
    bool seen = region_find(r->p, core_use(name), array, &region);
    if (seen && region_is_beside(r->p, &region, r->update)) {
        return;
    }
    if (!r->map) {
        r->good = seen && region_is_alike(&region, r->update, &array.name->type);
        return;
    }
    r->good = is_own_place(r, name) || is_put_aside(r, name);
}

static Reading reading_of(InPlace *p, const CoreStm *map, const CoreExp *update)
{
    const CoreSoac *soac = map->exp->kind == CORE_EXP_SOAC ? &map->exp->as.soac : NULL;
    Reading reading = {.p = p, .update = update, .map = soac, .good = true};
    core_each_free(map, check_read, &reading);
    return reading;
}

typedef struct Meeting {
    InPlace *p;
    const CoreStm *map;
    CoreAtom written;
    bool found;
} Meeting;

static void look_for_meeting(void *context, CoreName *name)
{
    Meeting *m = context;
    m->found = m->found || in_place_may_share(m->p, core_use(name), m->written);
}

static void look_for_written(void *context, CoreAtom array)
{
    Meeting *m = context;
    m->written = array;
    core_each_free(m->map, look_for_meeting, m);
}

/* It may write to what the map reads. */
bool in_place_gets_in_the_way(InPlace *p, const CoreStm *stm, const CoreStm *map)
{
    Meeting meeting = {.p = p, .map = map};
    core_each_consumed(stm, look_for_written, &meeting);
    return meeting.found;
}

bool in_place_is_bare(const CoreStm *stm)
{
    const CoreExp *exp = stm->exp;
    if (exp->kind == CORE_EXP_COPY) {
        return exp->space == CORE_SPACE_AUTO;
    }
    return exp->kind == CORE_EXP_SOAC && stm->pattern_count == 1 &&
           exp->as.soac.reduction_count + exp->as.soac.scan_count == 0 &&
           exp->level == CORE_LEVEL_AUTO && exp->space == CORE_SPACE_AUTO && !core_may_fail(stm);
}

bool in_place_is_waited_for(InPlace *p, const CoreExp *update, CoreAtom array)
{
    bool waits = false;
    for (size_t axis = 0; axis < update->as.update.count; axis++) {
        waits = waits || is_waited_for(p, update->as.update.slices[axis].offset, array);
    }
    return waits;
}

/* Where the map stands that the update `at` takes; `at`: there is none that can be made in its place. */
static size_t find_map(InPlace *p, const CoreBody *body, size_t at)
{
    const CoreExp *update = body->stms[at]->exp;
    const CoreStm *map =
        update->kind == CORE_EXP_UPDATE ? in_place_binder(p, update->as.update.value) : NULL;
    if (!map || !in_place_is_bare(map) || core_uses_of(&p->uses, map->pattern[0]) != 1 ||
        in_place_is_waited_for(p, update, update->as.update.array)) {
        return at;
    }
    size_t place = at;
    for (; place > 0 && body->stms[place - 1] != map; place--) {
        if (in_place_gets_in_the_way(p, body->stms[place - 1], map)) {
            return at;
        }
    }
    return place > 0 && reading_of(p, map, update).good ? place - 1 : at;
}

/* ---- elements of the array that the map needs -------------------------------------------------- */

/* The map's function with the statement in it: in the innermost that alone uses it. */
static const CoreLambda *with_element(const InPlace *p, const CoreLambda *lambda,
                                      const CoreStm *element)
{
    Compilation *c = p->c;
    const CoreBody *body = lambda->body;
    const CoreName *name = element->pattern[0];
    CoreLambda *done = arena_copy(c->arena, lambda, sizeof *lambda);
    const CoreStm **stms = ARENA_ARRAY(c->arena, const CoreStm *, body->stm_count + 1);
    size_t users = 0, at = 0;
    for (size_t i = 0; i < body->stm_count; i++) {
        bool uses = core_stm_uses(body->stms[i], name);
        users += uses;
        at = uses ? i : at;
    }
    const CoreExp *inner = users == 1 ? body->stms[at]->exp : NULL;
    if (inner && inner->kind == CORE_EXP_SOAC &&
        core_count_uses(inner->as.soac.map->body, name) > 0) {
        CoreStm *stm = arena_copy(c->arena, body->stms[at], sizeof *stm);
        CoreExp *exp = core_exp_copy(c, inner);
        exp->as.soac.map = with_element(p, inner->as.soac.map, element);
        stm->exp = exp;
        memcpy(stms, body->stms, body->stm_count * sizeof *stms);
        stms[at] = stm;
        done->body = core_with_stms(c, body, body->stm_count, stms);
        return done;
    }
    stms[0] = element;
    memcpy(stms + 1, body->stms, body->stm_count * sizeof *stms);
    done->body = core_with_stms(c, body, body->stm_count + 1, stms);
    Renaming *renaming = core_renaming(c);
    return core_rename_lambda(renaming, done);
}

typedef struct Elements {
    InPlace *p;
    const CoreExp *update;
    VEC(const CoreStm *) items;
} Elements;

static void note_element(void *context, CoreName *name)
{
    Elements *elements = context;
    InPlace *p = elements->p;
    if (name->type.rank == 0 &&
        is_waited_for(p, core_use(name), elements->update->as.update.array)) {
        const CoreStm *stm = in_place_binder(p, core_use(name));
        for (size_t i = 0; i < elements->items.count; i++) {
            stm = elements->items.items[i] == stm ? NULL : stm;
        }
        if (stm) {
            vec_push(p->c->scratch, &elements->items, stm);
        }
    }
}

/* What is read again and again comes from copies, on the host that of columns, too. */
static const CoreStm *with_aside(InPlace *p, CoreBuilder *b, const CoreStm *stm, Sources sources)
{
    if (!p->for_devices) {
        aside_columns(p, stm, &sources);
    }
    return aside_put(p, b, stm, &sources);
}

static const CoreStm *placed(InPlace *p, CoreBuilder *b, const CoreStm *map, const CoreExp *update)
{
    if (map->exp->kind == CORE_EXP_SOAC) {
        map = with_aside(p, b, map, reading_of(p, map, update).aside);
    }
    Elements elements = {.p = p, .update = update};
    CoreStm *stm = arena_copy(p->c->arena, map, sizeof *map);
    CoreExp *exp = core_exp_copy(p->c, map->exp);
    exp->space = CORE_UPDATED;
    if (exp->kind == CORE_EXP_SOAC) {
        core_each_free(map, note_element, &elements);
    }
    for (size_t i = 0; i < elements.items.count; i++) {
        exp->as.soac.map = with_element(p, exp->as.soac.map, elements.items.items[i]);
    }
    stm->exp = exp;
    return stm;
}

static void note_body(InPlace *p, const CoreBody *body)
{
    for (size_t i = 0; i < body->stm_count; i++) {
        for (size_t k = 0; k < body->stms[i]->pattern_count; k++) {
            pointer_map_set(p->c->scratch, &p->binders, body->stms[i]->pattern[k],
                            (void *)(uintptr_t)body->stms[i]);
        }
    }
    p->uses = (PointerMap){0};
    core_count_all_uses(p->c->scratch, body, &p->uses);
}

static const CoreBody *in_body(void *context, const CoreBody *old);

/* The statement, which stays where it is. */
static const CoreStm *in_statement(InPlace *p, CoreBuilder *b, const CoreStm *stm)
{
    if (stm->exp->kind == CORE_EXP_LOOP || stm->exp->kind == CORE_EXP_IF) {
        return core_map_stm(p->c, stm, in_body, p);
    }
    return stm->exp->kind == CORE_EXP_SOAC ? with_aside(p, b, stm, (Sources){0}) : stm;
}

static const CoreBody *in_body(void *context, const CoreBody *old)
{
    InPlace *p = context;
    note_body(p, old);
    const CoreBody *exchanged = in_place_exchange(p, old);
    if (exchanged != old) {
        note_body(p, old = exchanged);
    }
    CoreBuilder b = core_builder(p->c, (Span){0});
    bool *moved = ARENA_ARRAY(p->c->scratch, bool, old->stm_count + 1);
    size_t *maps = ARENA_ARRAY(p->c->scratch, size_t, old->stm_count + 1);
    for (size_t i = 0; i < old->stm_count; i++) {
        maps[i] = find_map(p, old, i);
        if (maps[i] < i) {
            moved[maps[i]] = true;
        }
    }
    for (size_t i = 0; i < old->stm_count; i++) {
        const CoreStm *stm = old->stms[i];
        if (maps[i] < i) {
            core_add(&b, placed(p, &b, old->stms[maps[i]], stm->exp));
            if (p->counts) {
                p->counts[CORE_RULE_IN_PLACE]++;
            }
        }
        if (!moved[i]) {
            core_add(&b, in_statement(p, &b, stm));
        }
    }
    return core_with_stms(p->c, old, b.stms.count, b.stms.items);
}

CoreProgram *core_write_in_place(Compilation *c, const CoreProgram *program, bool for_devices,
                                 size_t *counts)
{
    CoreProgram *done = arena_copy(c->arena, program, sizeof *program);
    const CoreFunction **functions =
        ARENA_ARRAY(c->arena, const CoreFunction *, program->function_count + 1);
    for (size_t i = 0; i < program->function_count; i++) {
        ArenaMark mark = arena_mark(c->scratch);
        InPlace p = {.c = c,
                     .function = program->functions[i],
                     .for_devices = for_devices,
                     .counts = counts};
        functions[i] = core_with_body(c, p.function, in_body(&p, p.function->body));
        arena_release(c->scratch, mark);
    }
    done->functions = functions;
    return done;
}
