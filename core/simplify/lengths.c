/* Arrays from outside, of lengths that only run time knows, meet each other: by singleton extension, where one has one element
   (extension.c). Nearly always they are of one length, and the rest of the program has a version for that:

       let (n, v) = read ...                     let (n, v) = read ...
       let (m, w) = read ...                     let (m, w) = read ...
       let k = n + (n == 1) * (m - n)    ==>     let same = n == m
       let u = assert n == 1 | m == 1 | n == m   in if same then {
       let x = <u> v[0 :+ k * (1 - (n == 1))]      let w' = reshape [n] w
       let y = <u> w[0 :+ k * (1 - (m == 1))]      in reduce n (+) 0 (map n (*) (v, w'))
       in reduce k (+) 0 (map k (*) (x, y))      } else { as it was }

   In it m is n: the simplifier finds that nothing is extended, so that arrays are read from the first element to the last,
   matrices without a division for each, and all that is done with such arrays fuses. (Sums of products of 10^7 reals, in C on
   an AMD EPYC, take 13 ms, and took 49.)

   Lengths that have to be equal without extension are so from their assertion on. In a loop it may stand behind what fails first
   (else hoist.c has moved it): the versions begin in front of the loop. For devices they begin in front of what may fail, too.

   Lengths are those that functions are given and files have, numbers on the command line, and what is computed of these alone,
   so that the host knows them. What is computed of them by then is computed again in the branch. Arrays that were made by then
   are seen with the other length; those that nothing but the rest needs are made in the branches. Of results, lengths that
   the rest binds are results of the branch, too.

   Before: a simplified program. After: the same values and errors; to be simplified. */
#include "core/simplify/lengths.h"

enum { MOST_SPLITS = 2 /* one in the other */ };

/* ---- the version -------------------------------------------------------------------------------- */

typedef struct Version {
    Lengths *l;
    Renaming *renaming;
    PointerMap changed; /* names that are others in it */
    PointerMap from;    /* arrays that were made before, and are seen with other lengths */
    CoreBuilder b;
    bool uses; /* the statement at work has something that is another */
} Version;

static void note_use(void *context, CoreName *name)
{
    Version *v = context;
    v->uses = v->uses || pointer_map_get(&v->changed, name);
}

static bool has_changed_size(const Version *v, CoreType type)
{
    bool any = false;
    for (int i = 0; i < type.rank; i++) {
        any = any || (type.sizes[i].name && pointer_map_get(&v->changed, type.sizes[i].name));
    }
    return any;
}

static void become(Version *v, const CoreName *name, CoreAtom other)
{
    core_rename(v->renaming, name, other);
    pointer_map_set(v->l->c->scratch, &v->changed, name, (void *)(uintptr_t)name);
}

/* Arrays of the name's type are of another one. */
static void see_anew(Version *v, CoreName *name)
{
    if (name->type.rank > 0 && has_changed_size(v, name->type)) {
        CoreType type = core_map_type(v->l->c, name->type, core_renamed, v->renaming);
        CoreAtom seen =
            core_let_reshape(&v->b, name->text, core_use(name), (size_t)type.rank, type.sizes);
        pointer_map_set(v->l->c->scratch, &v->from, name, name);
        become(v, name, seen);
    }
}

static void note_pattern(Version *v, const CoreStm *stm)
{
    for (size_t k = 0; k < stm->pattern_count; k++) {
        pointer_map_set(v->l->c->scratch, &v->changed, stm->pattern[k], stm->pattern[k]);
    }
}

static bool is_other(Version *v, const CoreStm *stm)
{
    v->uses = false;
    core_each_free(stm, note_use, v);
    for (size_t k = 0; k < stm->pattern_count; k++) {
        v->uses = v->uses || has_changed_size(v, stm->pattern[k]->type);
    }
    return v->uses;
}

/* What stands before: numbers are computed again, and what is made in the branches; other arrays are seen. */
static void take_before(Version *v, const CoreStm *stm, bool is_moved)
{
    bool is_number = lengths_is_scalar_work(stm->exp) && stm->pattern[0]->type.rank == 0;
    bool is_replaced = is_number && pointer_map_get(&v->changed, stm->pattern[0]);
    if (!is_moved && (is_replaced || !is_other(v, stm))) {
        return;
    }
    if (is_number || is_moved) {
        core_add(&v->b, core_rename_stm(v->renaming, stm));
        note_pattern(v, stm);
        return;
    }
    for (size_t k = 0; k < stm->pattern_count; k++) {
        see_anew(v, stm->pattern[k]);
    }
}

/* ---- what is made in the branches ------------------------------------------------------------------- */

/* It makes arrays alone: numbers may be lengths of what stays. */
static bool may_move(const CoreStm *stm)
{
    CoreExpKind kind = stm->exp->kind;
    bool all = stm->pattern_count > 0;
    for (size_t k = 0; k < stm->pattern_count; k++) {
        all = all && stm->pattern[k]->type.rank > 0;
    }
    return all && !core_may_fail(stm) && kind != CORE_EXP_READ && kind != CORE_EXP_UPDATE &&
           kind != CORE_EXP_SCATTER && kind != CORE_EXP_HIST && kind != CORE_EXP_LOOP;
}

typedef struct Kept {
    const Lengths *l;
    PointerMap names; /* that something needs which stays in front of the branches */
} Kept;

static void keep(void *context, CoreName *name)
{
    Kept *kept = context;
    pointer_map_set(kept->l->c->scratch, &kept->names, name, name);
}

static void keep_atom(void *context, CoreAtom atom)
{
    if (atom.name) {
        keep(context, atom.name);
    }
}

/* Arrays that statements may write which stay, and whether the one at work reads such. */
typedef struct Written {
    Lengths *l;
    VEC(CoreAtom) arrays;
    bool reads;
} Written;

static void note_written(void *context, CoreAtom array)
{
    Written *written = context;
    vec_push(written->l->c->scratch, &written->arrays, array);
}

static void look_for_written(void *context, CoreName *name)
{
    Written *written = context;
    Lengths *l = written->l;
    for (size_t i = 0; i < written->arrays.count && !written->reads; i++) {
        l->aliases = l->aliases ? l->aliases : core_aliases(l->c, l->function);
        written->reads = core_may_share(l->aliases, core_use(name), written->arrays.items[i]);
    }
}

static bool reads_written(Written *written, const CoreStm *stm)
{
    written->reads = false;
    core_each_free(stm, look_for_written, written);
    return written->reads;
}

/* Which of the first statements are made in the branches: they are others there, nothing else needs them, and nothing writes by
   then into what they read. */
static bool *find_moved(Version *v, size_t first)
{
    const CoreBody *body = v->l->body;
    Version look = {.l = v->l};
    bool *moved = ARENA_ARRAY(v->l->c->scratch, bool, first + 1);
    Kept kept = {.l = v->l};
    Written written = {.l = v->l};
    for (size_t k = 0; k < v->l->pairs.count; k++) {
        CoreName *name = v->l->pairs.items[k].y.name;
        pointer_map_set(v->l->c->scratch, &look.changed, name, name);
    }
    for (size_t i = 0; i < first; i++) {
        moved[i] = is_other(&look, body->stms[i]);
        if (moved[i]) {
            note_pattern(&look, body->stms[i]);
        }
        moved[i] = moved[i] && may_move(body->stms[i]);
    }
    for (size_t k = 0; k < body->result_count; k++) {
        keep_atom(&kept, body->results[k]);
    }
    for (size_t i = first; i-- > 0;) {
        const CoreStm *stm = body->stms[i];
        for (size_t k = 0; k < stm->pattern_count; k++) {
            moved[i] = moved[i] && !pointer_map_get(&kept.names, stm->pattern[k]);
        }
        moved[i] = moved[i] && !reads_written(&written, stm);
        if (!moved[i]) {
            core_each_free(stm, keep, &kept);
            core_each_consumed(stm, note_written, &written);
        }
    }
    return moved;
}

/* ---- the split ------------------------------------------------------------------------------------ */

/* Something writes into an array that is another view of one from before. */
static bool writes_into(const Version *v, const CoreBody *body);

typedef struct Writing {
    const Version *v;
    bool found;
} Writing;

static void look_for_writing(void *context, const CoreBody *body)
{
    Writing *writing = context;
    writing->found = writing->found || writes_into(writing->v, body);
}

static void look_for_seen(void *context, CoreAtom array)
{
    Writing *writing = context;
    writing->found =
        writing->found || (array.name && pointer_map_get(&writing->v->from, array.name));
}

static bool writes_into(const Version *v, const CoreBody *body)
{
    Writing writing = {v, false};
    for (size_t i = 0; i < body->stm_count && !writing.found; i++) {
        writing.found = body->stms[i]->exp->kind == CORE_EXP_APPLY;
        core_each_consumed(body->stms[i], look_for_seen, &writing);
        core_each_body(body->stms[i]->exp, look_for_writing, &writing);
    }
    return writing.found;
}

/* All lengths that meet are equal. */
static CoreAtom are_same(Lengths *l, CoreBuilder *b)
{
    CoreAtom all = core_bool(true);
    for (size_t k = 0; k < l->pairs.count; k++) {
        const Pair *pair = &l->pairs.items[k];
        CoreAtom same = core_let_binary(b, "same", CORE_EQ, pair->x, pair->y);
        all = k == 0 ? same : core_let_binary(b, "same", CORE_AND, all, same);
    }
    return all;
}

static bool is_bound_in_rest(const Lengths *l, size_t first, CoreAtom atom)
{
    return atom.name && lengths_place_of(l, atom.name) > first;
}

typedef VEC(CoreAtom) Atoms;

static void add_result(const Lengths *l, size_t first, Atoms *results, CoreAtom atom)
{
    bool is_new = is_bound_in_rest(l, first, atom);
    for (size_t k = 0; k < results->count; k++) {
        is_new = is_new && !core_atom_equal(results->items[k], atom);
    }
    if (is_new) {
        vec_push(l->c->arena, results, atom);
    }
}

/* Of what the rest binds: the results, behind their lengths. */
static Atoms results_of(const Lengths *l, size_t first)
{
    const CoreBody *body = l->body;
    Atoms results = {0};
    for (size_t k = 0; k < body->result_count; k++) {
        const CoreType type = core_atom_type(body->results[k]);
        for (int i = 0; i < type.rank; i++) {
            add_result(l, first, &results, type.sizes[i]);
        }
    }
    for (size_t k = 0; k < body->result_count; k++) {
        add_result(l, first, &results, body->results[k]);
    }
    return results;
}

/* The body's statements from the first on, as they are in the version. */
static const CoreBody *version_of(Version *v, size_t first, const bool *moved, const Atoms *results)
{
    Compilation *c = v->l->c;
    const CoreBody *body = v->l->body;
    for (size_t i = 0; i < v->l->around.count; i++) {
        take_before(v, v->l->around.items[i], false);
    }
    for (size_t i = 0; i < first; i++) {
        take_before(v, body->stms[i], moved[i]);
    }
    for (size_t i = first; i < body->stm_count; i++) {
        core_add(&v->b, core_rename_stm(v->renaming, body->stms[i]));
    }
    CoreAtom *made = ARENA_ARRAY(c->arena, CoreAtom, results->count + 1);
    for (size_t k = 0; k < results->count; k++) {
        CoreAtom old = results->items[k];
        const CoreType type = core_atom_type(old);
        made[k] = core_renamed(v->renaming, old);
        bool outside = type.rank > 0;
        for (int i = 0; i < type.rank; i++) {
            outside = outside && !is_bound_in_rest(v->l, first, type.sizes[i]);
        }
        if (outside && !core_same_type(core_atom_type(made[k]), type)) {
            made[k] =
                core_let_reshape(&v->b, old.name->text, made[k], (size_t)type.rank, type.sizes);
        }
    }
    return core_body(&v->b, results->count, made);
}

static const CoreBody *split(Lengths *l, size_t first, CoreName *const *parameters,
                             size_t parameter_count)
{
    Compilation *c = l->c;
    const CoreBody *body = l->body;
    const Atoms results = results_of(l, first);
    CoreBuilder b = core_builder(c, body->stms[first]->span);
    Version v = {
        .l = l, .renaming = core_renaming(c), .b = core_builder(c, body->stms[first]->span)};
    const bool *moved = find_moved(&v, first);
    CoreBuilder rest = core_builder(c, body->stms[first]->span);
    for (size_t i = 0; i < first; i++) {
        core_add(moved[i] ? &rest : &b, body->stms[i]);
    }
    CoreAtom same = are_same(l, &b);
    for (size_t k = 0; k < l->pairs.count; k++) {
        become(&v, l->pairs.items[k].y.name, lengths_stand_in(l, l->pairs.items[k].x));
    }
    for (size_t k = 0; k < parameter_count; k++) {
        see_anew(&v, parameters[k]);
    }
    const CoreBody *fast = version_of(&v, first, moved, &results);
    for (size_t i = first; i < body->stm_count; i++) {
        core_add(&rest, body->stms[i]);
    }
    if (writes_into(&v, core_body(&rest, 0, NULL))) {
        return body;
    }
    const CoreBody *slow = core_body(&rest, results.count, results.items);
    l->given = core_renaming(c);
    CoreName **names = ARENA_ARRAY(c->arena, CoreName *, results.count + 1);
    for (size_t k = 0; k < results.count; k++) {
        const CoreName *old = results.items[k].name;
        names[k] =
            core_name(c, old->text, core_map_type(c, old->type, core_renamed, l->given), b.span);
        core_rename(l->given, old, core_use(names[k]));
    }
    core_bind(&b, results.count, names, core_exp_if(c, same, fast, slow));
    return core_body(&b, body->result_count,
                     core_map_atoms(c, body->result_count, body->results, core_renamed, l->given));
}

/* ---- the pass ------------------------------------------------------------------------------------- */

/* The body with a version of its rest; or of that of the version that it ends with. */
static const CoreBody *split_body(Lengths *l, const CoreBody *body)
{
    l->body = body;
    lengths_learn(l);
    size_t first = lengths_find_pairs(l);
    if (l->pairs.count > 0) {
        return core_count_in(body) <= LENGTHS_MOST_STATEMENTS
                   ? split(l, first, l->function->parameters, l->function->parameter_count)
                   : body;
    }
    const CoreStm *last = body->stm_count > 0 ? body->stms[body->stm_count - 1] : NULL;
    if (first < body->stm_count || !last || last->exp->kind != CORE_EXP_IF) {
        return body;
    }
    l->places = (PointerMap){0};
    for (size_t i = 0; i + 1 < body->stm_count; i++) {
        vec_push(l->c->scratch, &l->around, body->stms[i]);
    }
    CoreExp *exp = core_exp_copy(l->c, last->exp);
    const CoreBody *inner = split_body(l, exp->as.conditional.then_body);
    if (inner == exp->as.conditional.then_body) {
        return body;
    }
    exp->as.conditional.then_body = inner;
    CoreStm *stm = arena_copy(l->c->arena, last, sizeof *stm);
    stm->exp = exp;
    const CoreStm **stms = ARENA_ARRAY(l->c->arena, const CoreStm *, body->stm_count);
    memcpy(stms, body->stms, (body->stm_count - 1) * sizeof *stms);
    stms[body->stm_count - 1] = stm;
    return core_with_stms(l->c, body, body->stm_count, stms);
}

/* The function with this body; where its results are others, lengths in their types are. */
static const CoreFunction *with_results(const Lengths *l, const CoreFunction *function,
                                        const CoreBody *body)
{
    const CoreFunction *other = core_with_body(l->c, function, body);
    if (other == function || body->results == function->body->results) {
        return other;
    }
    CoreType *types = ARENA_ARRAY(l->c->arena, CoreType, function->result_count + 1);
    for (size_t k = 0; k < function->result_count; k++) {
        types[k] = core_map_type(l->c, function->result_types[k], core_renamed, l->given);
    }
    CoreFunction *typed = arena_copy(l->c->arena, other, sizeof *typed);
    typed->result_types = types;
    return typed;
}

static const CoreProgram *split_functions(Compilation *c, const CoreProgram *program)
{
    const CoreFunction **functions =
        ARENA_ARRAY(c->arena, const CoreFunction *, program->function_count + 1);
    bool changed = false;
    for (size_t i = 0; i < program->function_count; i++) {
        const CoreFunction *function = program->functions[i];
        ArenaMark mark = arena_mark(c->scratch);
        Lengths l = {.c = c, .function = function};
        for (size_t k = 0; k < function->parameter_count; k++) {
            lengths_note_known(&l, function->parameters[k]);
        }
        functions[i] = with_results(&l, function, split_body(&l, function->body));
        changed = changed || functions[i] != function;
        arena_release(c->scratch, mark);
    }
    if (!changed) {
        return program;
    }
    CoreProgram *done = arena_copy(c->arena, program, sizeof *program);
    done->functions = functions;
    return done;
}

const CoreProgram *core_assume_lengths(Compilation *c, const CoreProgram *program, size_t *counts)
{
    for (int i = 0; i < MOST_SPLITS; i++) {
        const CoreProgram *split = split_functions(c, program);
        if (split == program) {
            break;
        }
        if (counts) {
            counts[CORE_RULE_LENGTHS]++;
        }
        program = core_simplify_counted(c, split, counts);
        if (!program) {
            return NULL;
        }
    }
    return program;
}
