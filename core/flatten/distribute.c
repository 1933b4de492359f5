/* [PLDI 5.1, G1 - G4, G6] A map whose function has several SOACs becomes several maps, each a
   perfect nest; what one leaves to the next is an array of all rows:

       map n (\xs -> {                            ss = map n (\xs -> reduce + 0 xs) xss
         let s = reduce + 0 xs            ==>     yss = map n (\(xs, s) -> map (\x -> x / s) xs)
         let ys = map (\x -> x / s) xs                        (xss, ss)
         in ys }) xss

   Cheap statements are not stored, but computed in each nest that needs them. Inner maps are
   distributed first; then the map around them has their parts for its own. */
#include "core/flatten/flatten.h"

/* ---- what a nest needs ------------------------------------------------------------------- */

typedef struct Need {
    MapContext *m;
    size_t part;
    bool *taken;
    Inputs *inputs; /* NULL: only take */
} Need;

static void add_input(Need *need, const CoreName *name, CoreAtom array)
{
    Inputs *inputs = need->inputs;
    if (core_renamed(inputs->renaming, core_use((CoreName *)(uintptr_t)name)).name != name) {
        return; /* it is one already */
    }
    CoreType type = name->type;
    type.unique = false;
    CoreName *parameter = core_name(need->m->f->c, name->text, type, name->span);
    core_rename(inputs->renaming, name, core_use(parameter));
    vec_push(need->m->f->c->arena, &inputs->arrays, array);
    vec_push(need->m->f->c->arena, &inputs->parameters, parameter);
}

/* A certificate of another part. */
static bool is_elsewhere(const MapContext *m, size_t part, CoreAtom atom)
{
    size_t number;
    return core_atom_type(atom).prim == CORE_CERT &&
           flatten_binding(m, atom, &number) == BOUND_STATEMENT && m->parts[number] != part;
}

static void need_name(void *context, CoreName *name)
{
    Need *need = context;
    MapContext *m = need->m;
    size_t number;
    Binding place = flatten_binding(m, core_use(name), &number);
    if (is_elsewhere(m, need->part, core_use(name))) {
        return;
    }
    if (place == BOUND_STATEMENT && (m->parts[number] == 0 || m->parts[number] == need->part) &&
        core_renamed(m->expanded, core_use(name)).name == name) {
        need->taken[number] = true;
    } else if (place == BOUND_STATEMENT && need->inputs && !need->taken[number]) {
        CoreAtom array = core_renamed(m->expanded, core_use(name));
        m->f->refused = m->f->refused || array.name == name;
        add_input(need, name, array);
    } else if (place == BOUND_PARAMETER && need->inputs) {
        add_input(need, name, m->soac->inputs[number]);
    }
}

static void need_names(Need *need, size_t count, const CoreName *const *names)
{
    for (size_t i = 0; i < count; i++) {
        need_name(need, (CoreName *)(uintptr_t)names[i]);
    }
}

void flatten_take(MapContext *m, size_t part, bool *taken, size_t count,
                  const CoreName *const *names)
{
    Need need = {m, part, taken, NULL};
    need_names(&need, count, names);
    for (size_t i = m->count; i-- > 0;) {
        if (taken[i]) {
            core_each_free(m->stms[i], need_name, &need);
        }
    }
}

Inputs flatten_inputs(MapContext *m, size_t part, const bool *taken, size_t stm_count,
                      const CoreStm *const *extra, size_t count, const CoreName *const *names)
{
    Inputs inputs = {.renaming = core_renaming(m->f->c)};
    bool *copy = arena_copy(m->f->c->arena, taken, (m->count + 1) * sizeof *copy);
    Need need = {m, part, copy, &inputs};
    for (size_t i = 0; i < m->count; i++) {
        if (taken[i]) {
            core_each_free(m->stms[i], need_name, &need);
        }
    }
    for (size_t i = 0; i < stm_count; i++) {
        core_each_free(extra[i], need_name, &need);
    }
    need_names(&need, count, names);
    if (inputs.arrays.count == 0) { /* a map has an input */
        add_input(&need, m->soac->map->parameters[0], m->soac->inputs[0]);
    }
    return inputs;
}

typedef struct InPart {
    MapContext *m;
    size_t part;
} InPart;

static const CoreStm *in_part(const InPart *in, const CoreStm *stm);

static const CoreBody *body_in_part(void *context, const CoreBody *old)
{
    const InPart *in = context;
    CoreBuilder b = core_builder(in->m->f->c, (Span){0});
    for (size_t i = 0; i < old->stm_count; i++) {
        core_add(&b, in_part(in, old->stms[i]));
    }
    return core_with_stms(in->m->f->c, old, b.stms.count, b.stms.items);
}

static const CoreStm *in_part(const InPart *in, const CoreStm *stm)
{
    Compilation *c = in->m->f->c;
    CoreAtom *left = ARENA_ARRAY(c->arena, CoreAtom, stm->certificate_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < stm->certificate_count; i++) {
        if (!is_elsewhere(in->m, in->part, stm->certificates[i])) {
            left[count++] = stm->certificates[i];
        }
    }
    if (core_has_bodies(stm->exp->kind)) {
        stm = core_map_stm(c, stm, body_in_part, (void *)(uintptr_t)in);
    }
    if (count == stm->certificate_count) {
        return stm;
    }
    CoreStm *without = arena_copy(c->arena, stm, sizeof *stm);
    without->certificate_count = count;
    without->certificates = left;
    return without;
}

const CoreStm *flatten_in_part(MapContext *m, size_t part, const CoreStm *stm)
{
    InPart in = {m, part};
    return in_part(&in, stm);
}

/* ---- nests ------------------------------------------------------------------------------- */

/* An array of these sizes is noted already. */
static bool is_stored(const Flatten *f, CoreType type)
{
    for (size_t i = 0; i < f->stored.count; i++) {
        CoreType other = f->stored.items[i];
        other.prim = type.prim;
        if (core_same_type(other, type)) {
            return true;
        }
    }
    return false;
}

CoreName *flatten_rows_name(MapContext *m, const CoreName *row)
{
    for (size_t k = 0; k < m->result_count; k++) {
        if (m->results[k].name == row) {
            return m->map->pattern[k];
        }
    }
    CoreType type = row->type;
    type.unique = false;
    type = core_array_of(m->f->c, m->soac->width, type);
    if (!m->outer && type.rank > 1 && !is_stored(m->f, type)) {
        vec_push(m->f->c->arena, &m->f->stored, type);
    }
    return core_name(m->f->c, row->text, type, row->span);
}

/* [PLDI G1]  S, M x y |- e  ==>  e'
   where S |- map (\x -> e) y  ==>  e': what is in the map's context is a map again, for the statements
   of one part. */
static void manifest(MapContext *m, CoreBuilder *b, size_t part, const bool *taken, size_t count,
                     const CoreName *const *names)
{
    Compilation *c = m->f->c;
    Inputs inputs = flatten_inputs(m, part, taken, 0, NULL, count, names);
    CoreBuilder inner = core_builder(c, m->map->span);
    CoreAtom *results = ARENA_ARRAY(c->arena, CoreAtom, count + 1);
    CoreName **pattern = ARENA_ARRAY(c->arena, CoreName *, count + 1);
    for (size_t i = 0; i < m->count; i++) {
        if (taken[i]) {
            core_add(&inner,
                     core_rename_stm(inputs.renaming, flatten_in_part(m, part, m->stms[i])));
        }
    }
    for (size_t k = 0; k < count; k++) {
        CoreName *name = (CoreName *)(uintptr_t)names[k];
        results[k] = core_renamed(inputs.renaming, core_use(name));
        pattern[k] = flatten_rows_name(m, name);
    }
    for (size_t k = 0; k < count; k++) {
        core_rename(m->expanded, names[k], core_use(pattern[k]));
    }
    const CoreLambda *lambda = core_lambda(c, inputs.parameters.count, inputs.parameters.items,
                                           core_body(&inner, count, results));
    core_bind(b, count, pattern,
              core_exp_map(c, m->soac->width, inputs.arrays.count, inputs.arrays.items, lambda));
}

void flatten_expand(MapContext *m, CoreBuilder *b, size_t count, const CoreName *const *names)
{
    const CoreName **missing = ARENA_ARRAY(m->f->c->arena, const CoreName *, count + 1);
    bool *taken = ARENA_ARRAY(m->f->c->arena, bool, m->count + 1);
    size_t left = 0;
    for (size_t k = 0; k < count; k++) {
        bool known =
            core_renamed(m->expanded, core_use((CoreName *)(uintptr_t)names[k])).name != names[k];
        for (size_t j = 0; j < left; j++) {
            known = known || missing[j] == names[k];
        }
        if (!known) {
            missing[left++] = names[k];
        }
    }
    if (left > 0) {
        flatten_take(m, SIZE_MAX, taken, left, missing);
        manifest(m, b, SIZE_MAX, taken, left, missing);
    }
}

/* ---- parts ------------------------------------------------------------------------------- */

typedef VEC(const CoreName *) NamesVec;

static void add_name(Compilation *c, NamesVec *names, const CoreName *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (names->items[i] == name) {
            return;
        }
    }
    vec_push(c->arena, names, name);
}

typedef struct ExportWalk {
    MapContext *m;
    NamesVec *exports; /* one a part */
    size_t part;       /* that asks */
} ExportWalk;

static const CoreStm *stm_of_part(const MapContext *m, size_t part, size_t *number)
{
    for (*number = 0; *number < m->count; ++*number) {
        if (m->parts[*number] == part) {
            return m->stms[*number];
        }
    }
    return NULL;
}

/* That part takes what this statement of another makes. */
static void note_apart(MapContext *m, size_t producer, size_t part, const CoreName *name)
{
    size_t number;
    const CoreStm *consumer = stm_of_part(m, part, &number);
    if (consumer) {
        flatten_note_apart(m->f, m->stms[producer], consumer, name, CORE_REASON_NEST);
    }
}

static void note_export(void *context, CoreName *name)
{
    ExportWalk *walk = context;
    MapContext *m = walk->m;
    size_t number;
    if (flatten_binding(m, core_use(name), &number) == BOUND_STATEMENT && m->parts[number] != 0 &&
        m->parts[number] != walk->part && name->type.prim != CORE_CERT) {
        add_name(m->f->c, &walk->exports[m->parts[number]], name);
        note_apart(m, number, walk->part, name);
    }
}

/* What the statements of one part need of others. */
static void note_exports(MapContext *m, NamesVec *exports, size_t part, const bool *taken)
{
    ExportWalk walk = {m, exports, part};
    for (size_t i = 0; i < m->count; i++) {
        if (taken[i]) {
            core_each_free(m->stms[i], note_export, &walk);
        }
    }
}

/* Where each result of the map is computed. */
static void place_results(MapContext *m, NamesVec *exports)
{
    size_t end = m->part_count + 1;
    for (size_t k = 0; k < m->result_count; k++) {
        CoreAtom result = m->results[k];
        size_t number = 0;
        size_t part = end;
        if (flatten_binding(m, result, &number) == BOUND_STATEMENT) {
            if (m->parts[number] != 0) {
                part = m->parts[number];
            } else if ((result.name->type.rank == 0 ||
                        m->stms[number]->exp->kind == CORE_EXP_LITERAL) &&
                       m->last[number] != 0 && flatten_takes_scalars(m, m->last[number])) {
                part = m->last[number];
            }
        }
        if (result.name) {
            add_name(m->f->c, &exports[part], result.name);
        }
    }
}

/* Results that are no names, or twice the same: not worth the trouble. */
static bool has_plain_results(const MapContext *m)
{
    for (size_t k = 0; k < m->result_count; k++) {
        size_t number;
        if (flatten_binding(m, m->results[k], &number) == BOUND_OUTSIDE) {
            return false;
        }
        for (size_t j = 0; j < k; j++) {
            if (core_atom_equal(m->results[j], m->results[k])) {
                return false;
            }
        }
    }
    return m->result_count > 0;
}

/* A nest gives something, though it be only there to check; false where that is not of the nest. */
static bool export_conditions(MapContext *m, NamesVec *exports)
{
    bool good = true;
    size_t number;
    for (size_t i = 0; i < m->count; i++) {
        const CoreExp *exp = m->stms[i]->exp;
        if (exp->kind == CORE_EXP_ASSERT && exports[m->parts[i]].count == 0) {
            CoreAtom condition = exp->as.assertion.condition;
            good = good && flatten_binding(m, condition, &number) != BOUND_OUTSIDE;
            add_name(m->f->c, &exports[m->parts[i]], condition.name);
        }
    }
    return good;
}

/* Rows that go from one nest to another are of one shape, and nobody writes them in place. */
static bool can_export(MapContext *m, const NamesVec *names)
{
    for (size_t i = 0; i < names->count; i++) {
        CoreName *name = (CoreName *)(uintptr_t)names->items[i];
        if (name->type.prim == CORE_CERT || !flatten_is_regular(m, name->type) ||
            (simplify_consumed(m->f->s, core_use(name)) && !flatten_is_scattered(m, name))) {
            return false;
        }
    }
    return true;
}

/* The view of a row as a view of all rows; NULL where that is none. */
static const CoreExp *view_of_all(MapContext *m, const CoreExp *exp, CoreAtom row, CoreAtom all)
{
    Compilation *c = m->f->c;
    if (exp->kind == CORE_EXP_ATOM) {
        return core_atom_exp(c, all);
    }
    CoreExp *whole = core_exp_copy(c, exp);
    if (exp->kind == CORE_EXP_REARRANGE) {
        int rank = row.name->type.rank;
        int *permutation = ARENA_ARRAY(c->arena, int, (size_t)rank + 1);
        permutation[0] = 0;
        for (int axis = 0; axis < rank; axis++) {
            permutation[axis + 1] = 1 + exp->as.rearrange.permutation[axis];
        }
        whole->as.rearrange.array = all;
        whole->as.rearrange.permutation = permutation;
        return whole;
    }
    CoreAtom *sizes = ARENA_ARRAY(c->arena, CoreAtom, exp->as.reshape.count + 1);
    sizes[0] = m->soac->width;
    for (size_t k = 0; k < exp->as.reshape.count; k++) {
        sizes[k + 1] = exp->as.reshape.sizes[k];
        if (!flatten_is_invariant(m, sizes[k + 1])) {
            return NULL;
        }
    }
    whole->as.reshape.array = all;
    whole->as.reshape.count++;
    whole->as.reshape.sizes = sizes;
    return whole;
}

/* Its certificates are there before the map. */
static bool is_guarded_outside(const MapContext *m, const CoreStm *stm)
{
    size_t number;
    bool outside = true;
    for (size_t i = 0; i < stm->certificate_count; i++) {
        outside = outside && flatten_binding(m, stm->certificates[i], &number) == BOUND_OUTSIDE;
    }
    return outside;
}

/* [PLDI G6]  S, M x y |- rearrange (k0, k1, ..) x  ==>  S |- rearrange (0, 1 + k0, 1 + k1, ..) y
   for rows that another nest has left: no pass over memory. The same of reshape, and of another name. What guards the view
   of a row guards that of all rows, where it is known outside of the map. */
static bool rearrange_all(MapContext *m, CoreBuilder *b, size_t k)
{
    size_t number, source;
    if (flatten_binding(m, m->results[k], &number) != BOUND_STATEMENT || m->parts[number] != 0 ||
        !is_guarded_outside(m, m->stms[number])) {
        return false;
    }
    const CoreExp *exp = m->stms[number]->exp;
    if (exp->kind != CORE_EXP_REARRANGE && exp->kind != CORE_EXP_RESHAPE &&
        exp->kind != CORE_EXP_ATOM) {
        return false;
    }
    CoreAtom row = exp->kind == CORE_EXP_REARRANGE ? exp->as.rearrange.array
                   : exp->kind == CORE_EXP_RESHAPE ? exp->as.reshape.array
                                                   : exp->as.atom;
    if (flatten_binding(m, row, &source) != BOUND_STATEMENT) {
        return false;
    }
    CoreAtom all = core_renamed(m->expanded, row);
    if (all.name == row.name || simplify_consumed(m->f->s, core_use(m->map->pattern[k]))) {
        return false;
    }
    const CoreExp *whole = view_of_all(m, exp, row, all);
    if (!whole) {
        return false;
    }
    flatten_push_certificates(b, m->stms[number]);
    core_bind(b, 1, (CoreName *const[]){m->map->pattern[k]}, whole);
    b->certificates.count -= m->stms[number]->certificate_count;
    core_rename(m->expanded, m->results[k].name, core_use(m->map->pattern[k]));
    m->f->counts[CORE_RULE_FLATTEN_REARRANGE]++;
    return true;
}

/* [PLDI G4]  S |- let a = e1 in e2  ==>  let as = e1' in e2'
   where S |- e1 ==> e1', and S with a of as |- e2 ==> e2'; the sizes of a are invariant to S. */
static void distribute(MapContext *m, CoreBuilder *b, bool **taken, NamesVec *exports)
{
    size_t end = m->part_count + 1;
    for (size_t part = 1; part < end && !m->f->refused; part++) {
        size_t number;
        stm_of_part(m, part, &number);
        if (m->kinds[number] == PART_LOOP) {
            flatten_loop(m, b, number);
        } else if (m->kinds[number] == PART_SCATTER) {
            flatten_scatter(m, b, number);
        } else if (m->kinds[number] == PART_ORDER) {
            flatten_order(m, b, number);
        } else {
            manifest(m, b, part, taken[part], exports[part].count, exports[part].items);
        }
    }
    NamesVec rest = {0};
    for (size_t k = 0; k < m->result_count && !m->f->refused; k++) {
        bool known = core_renamed(m->expanded, m->results[k]).name != m->results[k].name;
        if (!known && !rearrange_all(m, b, k)) {
            add_name(m->f->c, &rest, m->results[k].name);
        }
    }
    flatten_expand(m, b, rest.count, rest.items);
}

/* ---- one map ----------------------------------------------------------------------------- */

static bool has_parallelism(const MapContext *m)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->kinds[i] == PART_PARALLEL || m->kinds[i] == PART_LOOP ||
            m->kinds[i] == PART_SCATTER || m->kinds[i] == PART_ORDER) {
            return true;
        }
    }
    return false;
}

static bool has_only_checks(const MapContext *m, size_t part)
{
    bool only = true;
    for (size_t i = 0; i < m->count; i++) {
        only = only && (m->parts[i] != part || flatten_is_check(m->stms[i]));
    }
    return only;
}

/* One part, and beside it what the backend takes: the nest is perfect. Checks of rows before a map are a kernel there. */
static bool is_perfect(MapContext *m, NamesVec *exports)
{
    size_t number, part = m->part_count == 2 && has_only_checks(m, 1) ? 2 : 1;
    const CoreStm *stm = stm_of_part(m, part, &number);
    return m->part_count == part && m->kinds[number] == PART_PARALLEL &&
           exports[part + 1].count == 0 && (part == 1 || fuse_is_map(stm)) &&
           (flatten_is_reduction(stm) || exports[part].count == stm->pattern_count);
}

static const CoreStm *with_body(MapContext *m, const CoreBody *body)
{
    CoreStm *stm = arena_copy(m->f->c->arena, m->map, sizeof *stm);
    CoreExp *exp = core_exp_copy(m->f->c, m->map->exp);
    CoreLambda *lambda = arena_copy(m->f->c->arena, m->soac->map, sizeof *lambda);
    lambda->body = body;
    exp->as.soac.map = lambda;
    stm->exp = exp;
    return stm;
}

bool flatten_has_unique(const CoreLambda *lambda)
{
    for (size_t k = 0; k < lambda->parameter_count; k++) {
        if (lambda->parameters[k]->type.unique) {
            return true;
        }
    }
    return false;
}

/* One statement of a function, with what is in it. */
static bool inner_stm(Flatten *f, const MapContext *m, const CoreStm *stm, CoreBuilder *b)
{
    CoreBuilder parts = core_builder(f->c, stm->span);
    if (flatten_split(f, m, stm, &parts) || flatten_reduce(f, stm, &parts) ||
        flatten_part_in(f, m, stm, &parts)) {
        for (size_t i = 0; i < parts.stms.count; i++) {
            inner_stm(f, m, parts.stms.items[i], b);
        }
        return true;
    }
    if (fuse_is_map(stm) && flatten_is_parallel(m, stm) && flatten_map(f, m, stm, b)) {
        return true;
    }
    core_add(b, stm);
    return false;
}

/* The body with the maps in it flattened. */
static const CoreBody *inner_body(Flatten *f, const MapContext *m, const CoreBody *body,
                                  bool *changed)
{
    CoreBuilder b = core_builder(f->c, m->map->span);
    for (size_t i = 0; i < body->stm_count; i++) {
        bool done = inner_stm(f, m, body->stms[i], &b);
        *changed = *changed || done;
    }
    return core_body(&b, body->result_count, body->results);
}

/* Each part is looked at with all statements. */
enum { MOST_PARTS = 256 };

/* [PLDI G2]  S |- map (\x -> e) y  ==>  e'
   where S, M x y |- e  ==>  e': the map's statements are looked at in its context. */
static bool map_as_nests(Flatten *f, const MapContext *outer, const CoreStm *map, CoreBuilder *b)
{
    const CoreBody *body = map->exp->as.soac.map->body;
    bool changed = false;
    if (flatten_has_unique(map->exp->as.soac.map) || map->exp->as.soac.input_count == 0) {
        return false;
    }
    simplify_analyse_more(f->s, map);
    MapContext seen = flatten_context(f, outer, map, body);
    body = inner_body(f, &seen, body, &changed);
    MapContext m = flatten_context(f, outer, map, body);
    flatten_classify(&m);
    bool good = has_parallelism(&m) && m.part_count <= MOST_PARTS;
    f->fails = f->fails || (good && !flatten_keeps_errors(&m));
    if (!good || !flatten_keeps_errors(&m)) {
        return false; /* [PLDI G1] for all of e: it is sequential in each work-item */
    }
    size_t end = m.part_count + 1;
    bool **taken = ARENA_ARRAY(f->c->arena, bool *, end + 1);
    NamesVec *exports = ARENA_ARRAY(f->c->arena, NamesVec, end + 1);
    place_results(&m, exports);
    for (size_t part = end; part > 0; part--) { /* what later parts need of earlier ones */
        taken[part] = ARENA_ARRAY(f->c->arena, bool, m.count + 1);
        for (size_t i = 0; i < m.count; i++) {
            taken[part][i] = m.parts[i] == part;
        }
        flatten_take(&m, part, taken[part], exports[part].count, exports[part].items);
        note_exports(&m, exports, part, taken[part]);
    }
    if (is_perfect(&m, exports)) {
        changed = changed || (f->lifted && outer == NULL);
        if (changed) {
            core_add(b, with_body(&m, body));
        }
        return changed;
    }
    bool can = has_plain_results(&m) && export_conditions(&m, exports);
    for (size_t part = 1; can && part < end; part++) {
        can = can_export(&m, &exports[part]);
    }
    if (!can) {
        return false;
    }
    flatten_push_certificates(b, map);
    distribute(&m, b, taken, exports);
    b->certificates.count -= map->certificate_count;
    f->counts[CORE_RULE_FLATTEN_DISTRIBUTE]++;
    return true;
}

bool flatten_map(Flatten *f, const MapContext *outer, const CoreStm *map, CoreBuilder *b)
{
    size_t noted = f->apart.count;
    bool done = map_as_nests(f, outer, map, b);
    f->apart.count = done ? f->apart.count : noted;
    return done;
}
