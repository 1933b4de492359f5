/* Random branches, loops, and assertions with what they guard. */
#include "tests/random/random.h"

/* ---- branches -------------------------------------------------------------------------------- */

/* What both branches give: scalars, then a vector with its size, then an array whose sizes are
   known outside. */
typedef struct Choice {
    CorePrim prim, of_vector;
    bool has_vector, has_array;
    Value array; /* one of the branches gives this, or another of its type */
} Choice;

static const CoreBody *branch(Generator *g, Span span, const Choice *choice, Value *given)
{
    Mark mark = enter_branch(g);
    CoreBuilder inner = core_builder(g->c, span);
    some_statements(g, &inner);
    CoreAtom results[4] = {some_scalar(g, &inner, choice->prim)};
    size_t count = 1;
    if (choice->has_vector) {
        given[0] = some_vector(g, &inner, choice->of_vector, UNKNOWN);
        results[count++] = core_atom_type(given[0].atom).sizes[0];
        results[count++] = given[0].atom;
    }
    if (choice->has_array) {
        Value v = choice->array;
        CoreType type = core_atom_type(v.atom);
        for (int attempt = 0; attempt < 3; attempt++) {
            Value w;
            bool same = pick(g, (int)type.prim, type.rank, &w);
            for (int i = 0; same && i < type.rank; i++) {
                same = w.extent[i] == v.extent[i] && v.extent[i] != UNKNOWN;
            }
            v = same ? w : v;
        }
        given[1] = v;
        results[count++] = with_sizes(&inner, v.atom, type.rank, type.sizes);
    }
    leave(g, mark);
    return core_body(&inner, count, results);
}

static void keep_choice(Generator *g, CoreAtom atom, Value like, const Value *yes, const Value *no)
{
    keep_like(g, atom, like);
    share(g, &g->scope[g->count - 1], yes);
    share(g, &g->scope[g->count - 1], no);
}

/* The branches may consume what is outside; what they might share is not consumed by them. */
void make_if(Generator *g, CoreBuilder *b)
{
    CoreAtom condition = some_scalar(g, b, CORE_BOOL);
    Choice choice = {some_prim(g), some_prim(g), chance(g, 2), false, {.rank = 0}};
    choice.has_array = chance(g, 2) && pick(g, -1, -1, &choice.array);
    if (choice.has_array) {
        lend(g, &choice.array);
    }
    Value yes_given[2] = {{.rank = 0}}, no_given[2] = {{.rank = 0}};
    const CoreBody *yes = branch(g, b->span, &choice, yes_given);
    const CoreBody *no = branch(g, b->span, &choice, no_given);
    CoreName *pattern[4] = {fresh(g, core_scalar(choice.prim))};
    size_t count = 1;
    CoreAtom m = core_i64(0);
    if (choice.has_vector) {
        pattern[count++] = fresh(g, core_scalar(CORE_I64));
        m = core_use(pattern[1]);
        pattern[count++] = fresh(g, core_array(g->c, choice.of_vector, 1, &m));
    }
    if (choice.has_array) {
        pattern[count++] = fresh(g, core_atom_type(choice.array.atom));
    }
    core_bind(b, count, pattern, core_exp_if(g->c, condition, yes, no));
    keep_scalar(g, core_use(pattern[0]));
    if (choice.has_vector) {
        int64_t n =
            yes_given[0].extent[0] == no_given[0].extent[0] ? no_given[0].extent[0] : UNKNOWN;
        keep_scalar(g, m);
        keep_size(g, m, n);
        keep_choice(g, core_use(pattern[2]), (Value){.rank = 1, .extent = {n}}, &yes_given[0],
                    &no_given[0]);
    }
    if (choice.has_array) {
        keep_choice(g, core_use(pattern[count - 1]), choice.array, &yes_given[1], &no_given[1]);
    }
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* for or while with a counter, a scalar, and perhaps an array that grows, one that is changed in
   place, and one that is replaced by another of the same type (which may swap with a second one).
   A while may end before the counter says so, by what is handed on or by a branch that leaves. */
typedef struct Loop {
    size_t count;
    CoreName *parameters[10], *pattern[10];
    CoreAtom initial[10], next[10];
    Value values[10];
    int grown, changed, swapped; /* places; 0: there is none */
} Loop;

enum { LOOP_MORE, LOOP_STEP, LOOP_SCALAR };

static size_t add_parameter(Generator *g, Loop *l, CoreType type, CoreAtom initial, Value like,
                            bool unique)
{
    CoreName *name = fresh(g, type);
    name->type.unique = unique;
    l->parameters[l->count] = name;
    l->initial[l->count] = initial;
    l->values[l->count] = like;
    l->values[l->count].atom = core_use(name);
    return l->count++;
}

/* A fresh array, or a copy. */
static CoreAtom own(Generator *g, CoreBuilder *b, const Value *v)
{
    if (may_consume(g, v) && chance(g, 2)) {
        consume(g, v);
        return v->atom;
    }
    return core_let_copy(b, "copy", v->atom);
}

static void add_arrays(Generator *g, CoreBuilder *b, Loop *l, int64_t bound)
{
    Value v;
    const CoreType size = core_scalar(CORE_I64);
    if (chance(g, 3)) {
        v = some_vector(g, b, some_prim(g), UNKNOWN);
        lend(g, &v);
        size_t at = add_parameter(g, l, size, core_atom_type(v.atom).sizes[0], v, false);
        l->values[at].rank = 0;
        CoreAtom n = core_use(l->parameters[at]);
        Value like = v;
        like.extent[0] = UNKNOWN;
        l->grown =
            (int)add_parameter(g, l, core_array(g->c, v.atom.prim, 1, &n), v.atom, like, false);
        l->values[l->grown].extent[0] =
            v.extent[0] == UNKNOWN ? UNKNOWN : v.extent[0] + (bound > 0 ? bound : 0);
    }
    if (chance(g, 2)) {
        v = some_array(g, b);
        CoreType type = core_atom_type(v.atom);
        l->changed = (int)add_parameter(g, l, type, own(g, b, &v), v, true);
    }
    if (!chance(g, 3)) {
        v = some_array(g, b);
        lend(g, &v);
        l->swapped = (int)add_parameter(g, l, core_atom_type(v.atom), v.atom, v, false);
        if (chance(g, 2)) {
            CoreAtom turned = core_let_reverse(b, "back", v.atom, 0);
            add_parameter(g, l, core_atom_type(v.atom), turned, v, false);
        }
    }
}

/* The state changed in place at a place that depends on the iteration, or a whole row of it. */
static CoreAtom change(Generator *g, CoreBuilder *b, const Loop *l)
{
    Value v = l->values[l->changed];
    CoreType type = core_atom_type(v.atom);
    CoreSlice slices[MAX_RANK];
    CoreAtom left[MAX_RANK], x = some_scalar(g, b, v.atom.prim);
    size_t rank = 0;
    for (int i = 0; i < v.rank; i++) {
        if (v.extent[i] <= 0) {
            return v.atom;
        }
        if (i == v.rank - 1 && chance(g, 3)) {
            slices[i] =
                (CoreSlice){.offset = core_i64(0), .count = type.sizes[i], .stride = core_i64(1)};
            left[rank++] = type.sizes[i];
        } else {
            CoreAtom at =
                chance(g, 2) ? core_use(l->parameters[LOOP_STEP]) : some_scalar(g, b, CORE_I64);
            slices[i] = (CoreSlice){
                .fixed = true, .offset = core_let_binary(b, "at", CORE_MOD, at, type.sizes[i])};
        }
    }
    if (rank > 0) {
        x = core_let_replicate(b, "filler", rank, left, x);
    } else if (core_is_int(v.atom.prim) && chance(g, 2)) {
        CoreAtom places[MAX_RANK];
        for (int i = 0; i < v.rank; i++) {
            places[i] = slices[i].offset;
        }
        CoreAtom old = core_let_index(b, "old", v.atom, (size_t)v.rank, places);
        x = core_let_binary(b, "x", CORE_ADD, old, x);
    }
    return core_let_update(b, "changed", v.atom, (size_t)v.rank, slices, x);
}

/* The next values; the results of the body. */
static void next_values(Generator *g, CoreBuilder *b, Loop *l, int64_t bound)
{
    CoreName **p = l->parameters;
    for (size_t i = 0; i < l->count; i++) {
        l->next[i] = core_use(p[i]);
    }
    CoreAtom step = core_use(p[LOOP_STEP]);
    l->next[LOOP_MORE] = core_let_binary(b, "more", CORE_LT, step, core_i64(bound));
    l->next[LOOP_STEP] = core_let_binary(b, "step", CORE_ADD, step, core_i64(1));
    l->next[LOOP_SCALAR] = some_scalar(g, b, p[LOOP_SCALAR]->type.prim);
    if (l->grown) {
        CoreAtom x = some_scalar(g, b, p[l->grown]->type.prim);
        CoreAtom one = core_let_literal(b, "one", 1, &x), n = core_use(p[l->grown - 1]);
        n = core_let_binary(b, "n", CORE_ADD, n, core_i64(1));
        CoreAtom both[2] = {core_use(p[l->grown]), one};
        l->next[l->grown - 1] = n;
        l->next[l->grown] = core_let_concat(b, "grown", 0, n, 2, both);
    }
    if (l->swapped) {
        CoreAtom old = core_use(p[l->swapped]);
        if ((size_t)l->swapped + 1 < l->count) {
            l->next[l->swapped] = core_use(p[l->swapped + 1]);
            l->next[l->swapped + 1] = chance(g, 2) ? old : core_let_rotate(b, "r", old, 0, step);
        } else {
            l->next[l->swapped] = core_let_reverse(b, "back", old, 0);
        }
    }
    if (l->swapped && chance(g, 2)) {
        CoreAtom x = l->next[l->swapped];
        l->next[l->swapped] =
            core_is_int(x.prim) || core_is_real(x.prim) ? made_of_parts(g, b, x) : x;
    }
    if (l->changed) {
        l->next[l->changed] = change(g, b, l); /* after all that might read it */
    }
}

static void keep_loop(Generator *g, Loop *l)
{
    for (size_t i = LOOP_SCALAR; i < l->count; i++) {
        CoreAtom atom = core_use(l->pattern[i]);
        if ((int)i == l->changed) {
            keep_like(g, atom, l->values[i]);
        } else {
            keep_borrowed(g, atom, l->values[i]);
        }
    }
}

/* A vector of integers that a step has or makes. */
static bool some_state(Generator *g, const Loop *l, Value *v)
{
    for (size_t i = LOOP_SCALAR; i < l->count; i++) {
        const CoreType type = core_atom_type(l->next[i]);
        if (type.rank == 1 && type.prim == CORE_I64 && !chance(g, 4)) {
            *v = l->values[i];
            v->atom = l->next[i];
            return true;
        }
    }
    return !l->changed && pick(g, CORE_I64, 1, v); /* what is changed, and its views, is consumed */
}

/* A number, of all elements of a vector where there is one, is or is not what it is compared with. */
static CoreAtom some_condition(Generator *g, CoreBuilder *b, const Loop *l)
{
    Value v;
    CoreAtom x;
    if (!chance(g, 4) && some_state(g, l, &v)) {
        CoreName *total = fresh(g, core_scalar(CORE_I64));
        CoreAtom neutral = core_i64(0);
        core_bind(b, 1, &total,
                  core_exp_reduce(g->c, core_atom_type(v.atom).sizes[0], 1, &v.atom,
                                  core_operator_lambda(g->c, CORE_ADD, CORE_I64, b->span), &neutral,
                                  true));
        x = core_use(total);
    } else {
        x = some_scalar(g, b, CORE_I64);
    }
    x = core_let_binary(b, "rest", CORE_MOD, x, core_i64(3 + below(g, 9)));
    return core_let_binary(b, "ends", chance(g, 4) ? CORE_LT : CORE_EQ, x, core_i64(below(g, 3)));
}

/* if ends { what the step began with, the number of steps changed } else { the next values } */
static void leave_early(Generator *g, CoreBuilder *b, Loop *l)
{
    CoreAtom ends = some_condition(g, b, l), left[10];
    CoreName *names[10];
    CoreBuilder leaves = core_builder(g->c, b->span), stays = leaves;
    for (size_t i = 0; i < l->count; i++) {
        names[i] = fresh(g, l->parameters[i]->type);
        left[i] = core_use(l->parameters[i]);
    }
    left[LOOP_MORE] = core_bool(false);
    left[LOOP_STEP] = core_let_binary(&leaves, "left", CORE_ADD, left[LOOP_STEP], core_i64(100));
    if (chance(g, 2)) {
        left[LOOP_SCALAR] = some_scalar(g, &leaves, l->parameters[LOOP_SCALAR]->type.prim);
    }
    core_bind(b, l->count, names,
              core_exp_if(g->c, ends, core_body(&leaves, l->count, left),
                          core_body(&stays, l->count, l->next)));
    for (size_t i = 0; i < l->count; i++) {
        l->next[i] = core_use(names[i]);
    }
}

/* Something else of the same type. */
static CoreAtom other_value(Generator *g, CoreBuilder *b, CoreAtom x)
{
    const CoreType type = core_atom_type(x);
    if (type.rank == 0 && type.prim == CORE_BOOL) {
        return core_let_unary(b, "other", CORE_NOT, x);
    }
    if (type.prim != CORE_I64 || type.rank > 1) {
        return type.rank == 0 ? x : core_let_reverse(b, "other", x, 0);
    }
    CoreAtom shift = core_i64(1 + below(g, 5)), shifted;
    if (type.rank == 0) {
        return core_let_binary(b, "other", CORE_ADD, x, shift);
    }
    CoreName *row = fresh(g, core_scalar(CORE_I64));
    CoreBuilder inner = core_builder(g->c, b->span);
    shifted = core_let_binary(&inner, "y", CORE_ADD, core_use(row), shift);
    core_let_map(b, "other", type.sizes[0], 1, &x,
                 core_lambda(g->c, 1, &row, core_body(&inner, 1, &shifted)), &shifted);
    return shifted;
}

/* if odd { other values } else { the next values, or others }: the loop goes on. */
static void branch_off(Generator *g, CoreBuilder *b, Loop *l)
{
    CoreAtom odd = some_condition(g, b, l), yes[10], no[10];
    CoreName *names[10];
    CoreBuilder then = core_builder(g->c, b->span), otherwise = then;
    for (size_t i = LOOP_SCALAR; i < l->count; i++) {
        names[i] = fresh(g, core_atom_type(l->next[i]));
        yes[i] = chance(g, 4) ? l->next[i] : other_value(g, &then, l->next[i]);
        bool keeps = core_atom_type(l->next[i]).rank == 0 ? chance(g, 2) : chance(g, 5);
        no[i] = keeps ? l->next[i] : other_value(g, &otherwise, l->next[i]);
    }
    const size_t count = l->count - LOOP_SCALAR;
    core_bind(b, count, names + LOOP_SCALAR,
              core_exp_if(g->c, odd, core_body(&then, count, yes + LOOP_SCALAR),
                          core_body(&otherwise, count, no + LOOP_SCALAR)));
    for (size_t i = LOOP_SCALAR; i < l->count; i++) {
        l->next[i] = core_use(names[i]);
    }
}

static void end_early(Generator *g, CoreBuilder *b, Loop *l)
{
    if (!chance(g, 4)) {
        CoreAtom ends = some_condition(g, b, l);
        CoreAtom on = core_let_unary(b, "on", CORE_NOT, ends);
        l->next[LOOP_MORE] = core_let_binary(b, "more", CORE_AND, l->next[LOOP_MORE], on);
    }
    if (!l->changed && chance(g, 2)) {
        leave_early(g, b, l);
    }
}

/* Statements that the host need not wait for. */
static void some_calm_statements(Generator *g, CoreBuilder *b)
{
    for (int64_t n = 1 + below(g, 4); n > 0; n--) {
        switch (below(g, 4)) {
        case 0: make_scalar(g, b); break;
        case 1: make_view(g, b); break;
        default: make_soac(g, b); break;
        }
    }
}

void make_loop(Generator *g, CoreBuilder *b)
{
    static const int64_t bounds[] = {0, 1, 2, 3, 4, -1, 9};
    bool with_while = chance(g, 3);
    int64_t bound = bounds[below(g, g->runs > 50 ? 4 : 7)];
    if (with_while && g->runs < 5 && chance(g, 2)) {
        bound = 25;
    }
    Loop l = {.count = 0};
    CorePrim prim = some_prim(g);
    Value scalar = {.rank = 0};
    add_parameter(g, &l, core_scalar(CORE_BOOL), core_bool(bound > 0), scalar, false);
    add_parameter(g, &l, core_scalar(CORE_I64), core_i64(1), scalar, false);
    add_parameter(g, &l, core_scalar(prim), some_scalar(g, b, prim), scalar, false);
    add_arrays(g, b, &l, bound);
    CoreAtom limit = some_size(g, b, bound);
    Mark mark = enter(g, bound);
    CoreBuilder inner = core_builder(g->c, b->span);
    CoreName *index = with_while ? NULL : fresh(g, core_scalar(CORE_I64));
    if (index) {
        keep_scalar(g, core_use(index));
    }
    for (size_t i = LOOP_STEP; i < l.count; i++) {
        Value inside = l.values[i];
        if ((int)i == l.grown) {
            inside.extent[0] = UNKNOWN;
        }
        keep_borrowed(g, inside.atom, inside);
    }
    if (with_while && chance(g, 2)) {
        some_calm_statements(g, &inner);
    } else {
        some_statements(g, &inner);
    }
    next_values(g, &inner, &l, bound);
    Value decides;
    if (!l.grown && !l.changed && some_state(g, &l, &decides) && !chance(g, 3)) {
        branch_off(g, &inner, &l);
    }
    if (with_while && !l.grown) {
        end_early(g, &inner, &l);
    }
    leave(g, mark);
    const CoreBody *body = core_body(&inner, l.count, l.next);
    for (size_t i = 0; i < l.count; i++) {
        CoreType of = l.parameters[i]->type;
        if (l.grown && (int)i == l.grown) {
            CoreAtom m = core_use(l.pattern[i - 1]);
            of = core_array(g->c, of.prim, 1, &m);
        }
        l.pattern[i] = fresh(g, of);
    }
    core_bind(
        b, l.count, l.pattern,
        with_while
            ? core_exp_while(g->c, l.count, l.parameters, l.initial, l.parameters[LOOP_MORE], body)
            : core_exp_for(g->c, l.count, l.parameters, l.initial, index, limit, body));
    keep_loop(g, &l);
}

/* ---- assertions ------------------------------------------------------------------------------ */

CoreAtom guard(Generator *g, CoreBuilder *b, CoreAtom holds, const CoreAtom *values, size_t count)
{
    static const CoreErrorKind kinds[] = {CORE_INDEX_ERROR, CORE_LENGTH_ERROR, CORE_DOMAIN_ERROR,
                                          CORE_RANK_ERROR, CORE_LIMIT_ERROR};
    static const char *const messages[5][2] = {{"", "100% sure: \"no\""},
                                               {"{}", "%d {}\n"},
                                               {"{} and {}", "{}{}"},
                                               {"{} {} {}", "a {} b {} c {}"},
                                               {"{}{}{}{}", "{},{};{}:{}"}};
    return core_let_assert(b, holds, kinds[below(g, 5)], messages[count][chance(g, 6)], count,
                           values);
}

/* Element x of the first axis, whatever x is where it is guarded. */
static void guarded_index(Generator *g, CoreBuilder *b, const Value *v, CoreAtom i,
                          CoreAtom certificate)
{
    size_t outer = b->certificates.count;
    vec_push(g->c->arena, &b->certificates, certificate);
    CoreAtom x = core_let_index(b, "x", v->atom, 1, &i);
    b->certificates.count = outer;
    if (v->rank > 1) {
        keep_view(g, x, v->rank - 1, v->extent + 1, v);
    } else {
        keep_scalar(g, x);
    }
}

/* An index that may be out of bounds where assertions may fail; the axis may be of any extent. */
static void make_guarded_index(Generator *g, CoreBuilder *b)
{
    Value v = some_array(g, b);
    CoreAtom n = core_atom_type(v.atom).sizes[0];
    CoreAtom i = some_scalar(g, b, CORE_I64);
    bool known = v.extent[0] > 0;
    if (!known && !g->may_fail) {
        return;
    }
    if (!g->may_fail || !chance(g, 4)) {
        i = core_let_binary(b, "i", CORE_MOD, i, n);
    }
    CoreAtom low = core_let_binary(b, "low", CORE_LE, core_i64(0), i);
    CoreAtom high = core_let_binary(b, "high", CORE_LT, i, n);
    CoreAtom certificate, values[2] = {i, n};
    if (chance(g, 2)) {
        CoreAtom within = core_let_binary(b, "within", CORE_AND, low, high);
        certificate = core_let_assert(b, within, CORE_INDEX_ERROR, "{} of {}", 2, values);
    } else {
        CoreAtom two[2] = {core_let_assert(b, low, CORE_INDEX_ERROR, "{} is negative", 1, values),
                           core_let_assert(b, high, CORE_LENGTH_ERROR, "{} and {}", 2, values)};
        certificate = core_let_conjoin(b, 2, two);
    }
    if (g->certificate_count < 8) {
        g->certificates[g->certificate_count++] = certificate;
    }
    guarded_index(g, b, &v, i, certificate);
}

/* A condition that has nothing to do with what it guards: any statement. */
static void make_guarded_statement(Generator *g, CoreBuilder *b)
{
    CoreAtom holds = core_bool(true);
    if (g->certificate_count > 0 && chance(g, 3)) {
        holds.prim = CORE_CERT;
    } else if (g->may_fail && chance(g, 3)) {
        holds = some_scalar(g, b, CORE_BOOL);
    } else {
        CoreAtom x = some_scalar(g, b, CORE_I32);
        holds = core_let_binary(b, "holds", CORE_EQ, x, x);
    }
    CoreAtom certificate, values[4];
    size_t count = (size_t)below(g, 5);
    for (size_t i = 0; i < count; i++) {
        static const CorePrim numbers[] = {CORE_I64, CORE_I32, CORE_F64, CORE_F32};
        values[i] = some_scalar(g, b, numbers[below(g, 4)]);
    }
    certificate = holds.prim == CORE_CERT ? g->certificates[below(g, (int64_t)g->certificate_count)]
                                          : guard(g, b, holds, values, count);
    size_t outer = b->certificates.count;
    vec_push(g->c->arena, &b->certificates, certificate);
    some_statement(g, b);
    b->certificates.count = outer;
}

void make_assertion(Generator *g, CoreBuilder *b)
{
    if (b->certificates.count == 0 && chance(g, 3)) {
        make_guarded_statement(g, b);
    } else {
        make_guarded_index(g, b);
    }
}
