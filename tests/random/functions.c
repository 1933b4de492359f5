/* Random functions and calls.

   A function is made for parameters of known extents, though its sizes are names; it is called with
   arrays of these extents. Some parameters are unique (callers give a copy, or what they use no
   more); some results are; sizes that only the function knows are results before their arrays.

       fun f1 (n_1 : i64, xs_2 : *[n_1]f64, k_3 : i32) : (i64, [m_9]f64) = ... */
#include "tests/random/random.h"

#include <inttypes.h>
#include <string.h>

/* ---- functions ------------------------------------------------------------------------------- */

typedef struct Draft {
    Callee callee;
    CoreName *names[MAX_PARAMETERS];
    size_t result_count;
    CoreAtom results[MAX_PARAMETERS];
    CoreType types[MAX_PARAMETERS];
} Draft;

static CoreName *add_parameter(Draft *d, CoreName *name, Value like)
{
    like.atom = core_use(name);
    d->names[d->callee.parameter_count] = name;
    d->callee.parameters[d->callee.parameter_count++] = like;
    return name;
}

/* A constant, an earlier size of that extent, or a new parameter. */
static CoreAtom parameter_size(Generator *g, Draft *d, int64_t extent)
{
    if (chance(g, 4) || d->callee.parameter_count > MAX_PARAMETERS - 3) {
        return core_i64(extent);
    }
    for (size_t i = 0; i < g->size_count; i++) {
        if (g->sizes[i].extent == extent && chance(g, 2)) {
            return g->sizes[i].atom;
        }
    }
    CoreName *n = fresh(g, core_scalar(CORE_I64));
    add_parameter(d, n, (Value){.rank = 0, .extent = {extent}});
    keep_size(g, core_use(n), extent);
    keep_scalar(g, core_use(n));
    return core_use(n);
}

static void array_parameter(Generator *g, Draft *d)
{
    static const int64_t extents[] = {0, 1, 2, 3, 7};
    Value like = {.rank = 1 + (int)below(g, 3)};
    CoreAtom sizes[MAX_RANK];
    for (int i = 0; i < like.rank; i++) {
        like.extent[i] = extents[below(g, 5)];
        sizes[i] = parameter_size(g, d, like.extent[i]);
    }
    CoreName *name = fresh(g, core_array(g->c, some_prim(g), like.rank, sizes));
    name->type.unique = chance(g, 3);
    add_parameter(d, name, like);
    if (name->type.unique) {
        keep_like(g, core_use(name), like);
    } else {
        keep_borrowed(g, core_use(name), like);
    }
}

static bool is_parameter(const Draft *d, CoreAtom atom)
{
    for (size_t i = 0; i < d->callee.parameter_count; i++) {
        if (atom.name == d->names[i]) {
            return true;
        }
    }
    return core_is_constant(atom);
}

static void add_result(Draft *d, CoreAtom atom, CoreType type, Value like)
{
    like.atom = atom;
    d->results[d->result_count] = atom;
    d->types[d->result_count] = type;
    d->callee.results[d->result_count++] = like;
}

/* An array, after those of its sizes that callers do not know. */
static void array_result(Generator *g, CoreBuilder *b, Draft *d)
{
    Value v = some_array(g, b);
    bool unique = chance(g, 3);
    CoreAtom atom = unique ? core_let_copy(b, "own", v.atom) : v.atom;
    CoreType type = core_atom_type(atom);
    if (d->result_count + (size_t)v.rank >= MAX_PARAMETERS) {
        return;
    }
    for (int i = 0; i < v.rank; i++) {
        bool known = is_parameter(d, type.sizes[i]);
        for (size_t k = 0; k < d->result_count; k++) {
            known = known || core_atom_equal(d->results[k], type.sizes[i]);
        }
        if (!known) {
            add_result(d, type.sizes[i], core_scalar(CORE_I64),
                       (Value){.rank = 0, .extent = {v.extent[i]}});
        }
    }
    type.unique = unique;
    add_result(d, atom, type, v);
}

static void make_body(Generator *g, Draft *d, CoreBuilder *b)
{
    for (int64_t i = 1 + below(g, 5); i > 0; i--) {
        some_statement(g, b);
    }
    for (int64_t i = 1 + below(g, 2); i > 0; i--) {
        if (chance(g, 2)) {
            CoreAtom x = some_scalar(g, b, some_prim(g));
            add_result(d, x, core_atom_type(x), (Value){.rank = 0});
        } else {
            array_result(g, b, d);
        }
    }
}

/* ---- entries --------------------------------------------------------------------------------- */

/* A scalar as it is written on the command line: one that the generator might also use as constant.
 */
static void put_scalar(Generator *g, Text *out, CorePrim prim)
{
    static const char *const reals[] = {"f64.nan", "f64.inf", "-f64.inf", "-0.0", "1e300"};
    CoreAtom x = some_constant(g, prim);
    switch (prim) {
    case CORE_BOOL: text_string(out, x.as.integer ? "true" : "false"); return;
    case CORE_CHAR: text_printf(out, "'%c'", (char)('a' + below(g, 26))); return;
    case CORE_I32: text_printf(out, "%di32", (int)x.as.integer); return;
    case CORE_I64: text_printf(out, "%" PRId64, x.as.integer); return;
    case CORE_F32: text_printf(out, "%d.5f32", (int)below(g, 9) - 4); return;
    case CORE_F64:
        if (chance(g, 4)) {
            text_string(out, reals[below(g, 5)]);
        } else {
            text_printf(out, "%d.25", (int)below(g, 9) - 4);
        }
        return;
    case CORE_CERT: break;
    }
}

static void put_array(Generator *g, Text *out, const Value *v, int axis)
{
    if (axis == v->rank) {
        put_scalar(g, out, v->atom.name->type.prim);
        return;
    }
    text_string(out, "[");
    for (int64_t i = 0; i < v->extent[axis]; i++) {
        text_string(out, i > 0 ? ", " : "");
        put_array(g, out, v, axis + 1);
    }
    text_string(out, "]");
}

static void put_value(Generator *g, Text *out, const Value *v)
{
    if (v->rank > 1 && elements(v) == 0) {
        text_string(out, "empty(");
        for (int i = 0; i < v->rank; i++) {
            text_printf(out, "[%d]", (int)v->extent[i]);
        }
        text_printf(out, "%s)", core_prim_text(v->atom.name->type.prim));
    } else {
        put_array(g, out, v, 0);
    }
}

/* Sizes that a later parameter has go to the front, where callers from outside leave them out. The
   comment `-- entry: f1 [1, 2] 'a'` tells with which values it is to run, separated by tabs. */
static void make_entry(Generator *g, Draft *d, CoreFunction *f)
{
    Callee in_order = {.parameter_count = 0};
    CoreName *names[MAX_PARAMETERS];
    size_t count = 0;
    for (int sizes = 1; sizes >= 0; sizes--) {
        for (size_t i = 0; i < d->callee.parameter_count; i++) {
            const Value *p = &d->callee.parameters[i];
            if ((p->rank == 0 && p->extent[0] != UNKNOWN) == (sizes == 1)) {
                names[count] = d->names[i];
                in_order.parameters[count++] = *p;
            }
        }
        f->size_count = sizes ? count : f->size_count;
    }
    memcpy(d->names, names, sizeof names);
    memcpy(d->callee.parameters, in_order.parameters, sizeof in_order.parameters);
    f->is_entry = true;
    text_printf(&g->entries, "-- entry:\t%s", f->name);
    for (size_t i = f->size_count; i < count; i++) {
        text_string(&g->entries, "\t");
        put_value(g, &g->entries, &d->callee.parameters[i]);
    }
    text_string(&g->entries, "\n");
}

/* ---- making --------------------------------------------------------------------------------- */

void make_function(Generator *g)
{
    if (g->function_count == MAX_FUNCTIONS) {
        return;
    }
    Mark mark = enter(g, 1);
    g->count = g->size_count = g->certificate_count = 0;
    g->depth = 2;
    g->runs = 50;
    g->has_effect = false;
    g->pure = !chance(g, 3);
    Draft d = {.result_count = 0};
    for (int64_t i = 1 + below(g, 3); i > 0 && d.callee.parameter_count < 4; i--) {
        if (chance(g, 3)) {
            CoreName *x = fresh(g, core_scalar(some_prim(g)));
            add_parameter(&d, x, (Value){.rank = 0, .extent = {UNKNOWN}});
            keep_scalar(g, core_use(x));
        } else {
            array_parameter(g, &d);
        }
    }
    CoreBuilder b = core_builder(g->c, (Span){0});
    make_body(g, &d, &b);
    CoreFunction *f = ARENA_NEW(g->c->arena, CoreFunction);
    f->name = intern(g->c, arena_printf(g->c->arena, "f%d", ++g->function_number));
    if (chance(g, 3)) {
        make_entry(g, &d, f);
    }
    f->parameter_count = d.callee.parameter_count;
    f->parameters = arena_copy(g->c->arena, d.names, sizeof d.names);
    f->result_count = d.result_count;
    f->result_types = arena_copy(g->c->arena, d.types, sizeof d.types);
    f->body = core_body(&b, d.result_count, d.results);
    leave(g, mark);
    d.callee.name = f->name;
    d.callee.result_count = d.result_count;
    d.callee.has_effect = g->has_effect;
    d.callee.function = f;
    g->functions[g->function_count++] = d.callee;
    vec_push(g->c->arena, &g->made, f);
}

/* ---- calls ----------------------------------------------------------------------------------- */

typedef struct Call {
    const Callee *callee;
    CoreAtom arguments[MAX_PARAMETERS];
    CoreName *pattern[MAX_PARAMETERS];
} Call;

/* What a size of the function is for the caller. */
static CoreAtom substituted(const Call *call, CoreAtom size)
{
    const Callee *f = call->callee;
    for (size_t i = 0; size.name && i < f->parameter_count; i++) {
        if (f->parameters[i].atom.name == size.name) {
            return call->arguments[i];
        }
    }
    for (size_t i = 0; size.name && i < f->result_count; i++) {
        if (f->results[i].atom.name == size.name && call->pattern[i]) {
            return core_use(call->pattern[i]);
        }
    }
    return size;
}

static CoreType substituted_type(Generator *g, const Call *call, CoreType type)
{
    CoreAtom sizes[MAX_RANK];
    for (int i = 0; i < type.rank; i++) {
        sizes[i] = substituted(call, type.sizes[i]);
    }
    return core_array(g->c, type.prim, type.rank, sizes);
}

static bool same_shape(const Value *v, const Value *w)
{
    bool same = v->rank == w->rank;
    for (int i = 0; same && i < v->rank; i++) {
        same = v->extent[i] == w->extent[i];
    }
    return same;
}

/* An array in scope of the parameter's shape, or one made for it. */
static Value array_argument(Generator *g, CoreBuilder *b, const Value *wanted, CoreType type)
{
    Value v;
    if (!pick(g, (int)type.prim, type.rank, &v) || !same_shape(&v, wanted)) {
        v = some_vector(g, b, type.prim, elements(wanted));
    }
    v.atom = with_sizes(b, v.atom, type.rank, type.sizes);
    return v;
}

static void give_arguments(Generator *g, CoreBuilder *b, Call *call, Value *given)
{
    const Callee *f = call->callee;
    for (int pass = 0; pass < 3; pass++) { /* scalars, what is consumed, the rest */
        for (size_t i = 0; i < f->parameter_count; i++) {
            const Value *p = &f->parameters[i];
            CoreType type = p->atom.name->type;
            if ((p->rank == 0 ? 0 : type.unique ? 1 : 2) != pass) {
                continue;
            }
            if (p->rank == 0) {
                call->arguments[i] = p->extent[0] == UNKNOWN ? some_scalar(g, b, type.prim)
                                                             : some_size(g, b, p->extent[0]);
                continue;
            }
            given[i] = array_argument(g, b, p, substituted_type(g, call, type));
            if (pass == 1 && may_consume(g, &given[i]) && chance(g, 2)) {
                consume(g, &given[i]);
            } else if (pass == 1) {
                given[i].atom = core_let_copy(b, "copy", given[i].atom);
            }
            call->arguments[i] = given[i].atom;
        }
    }
}

void make_call(Generator *g, CoreBuilder *b)
{
    if (g->function_count == 0 || g->runs > 50) {
        return;
    }
    Call call = {.callee = &g->functions[below(g, (int64_t)g->function_count)]};
    const Callee *f = call.callee;
    if (f->has_effect && g->pure) {
        return;
    }
    Value given[MAX_PARAMETERS] = {{.rank = 0}};
    give_arguments(g, b, &call, given);
    g->has_effect = g->has_effect || f->has_effect;
    for (size_t i = 0; i < f->result_count; i++) {
        call.pattern[i] = fresh(g, substituted_type(g, &call, f->function->result_types[i]));
    }
    core_bind(b, f->result_count, call.pattern,
              core_exp_apply(g->c, f->name, f->parameter_count, call.arguments));
    for (size_t i = 0; i < f->result_count; i++) {
        keep_like(g, core_use(call.pattern[i]), f->results[i]);
        Value *result = &g->scope[g->count - 1];
        for (size_t k = 0; k < f->parameter_count; k++) {
            if (result->rank > 0 && given[k].rank > 0 && !f->parameters[k].atom.name->type.unique) {
                share(g, result, &given[k]);
            }
        }
        for (size_t k = 0; result->rank > 0 && k < i; k++) {
            if (f->results[k].rank > 0) {
                share(g, result, &g->scope[g->count - 1 - (i - k)]);
            }
        }
    }
}
