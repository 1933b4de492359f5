/* each and zipWith: nests of maps, one a level of rank, down to functions of scalars.

       each{[a,b],[1]}(f,v)  ==>  map [f] v                                   [TAIL fig. 5]
       each{[a,b],[r]}(f,a)  ==>  map (\x -> each{[a,b],[r-1]}(f,x)) a
       zipWith               ==>  the same over two arrays

   A function with effects (printing, text, random draws), or that changes variables outside, is
   applied to one item after the other (steps.c).

   zipWith's arrays have equal extents. Where these are the same atom nothing is checked; else an
   assertion says that they are equal or that one array has one element, and that one extends: its
   axes are read with stride 0. */
#include "tail/to_core/to_core.h"

/* ---- preparation --------------------------------------------------------------------------- */

static bool needs_seed(TailBuiltin builtin)
{
    return builtin == TAIL_OP_ROLLI || builtin == TAIL_OP_ROLLD;
}

typedef struct Search {
    ToCore *t;
    bool (*wanted)(TailBuiltin builtin);
    bool found;
} Search;

/* Whether a call of such a builtin stands in the expression, or in a function called there. */
static void search(void *context, const TailExp *exp)
{
    Search *s = context;
    for (; exp->kind == TAIL_EXP_LET && !s->found; exp = exp->as.let.body)
        search(s, exp->as.let.value);
    if (exp->kind == TAIL_EXP_CALL)
        s->found = s->found || s->wanted(exp->as.call.builtin);
    if (exp->kind == TAIL_EXP_APPLY) {
        const Binding *function = &s->t->environment[exp->as.apply.function->number];
        s->found =
            s->found || (s->wanted == needs_seed ? function->needs_seed : function->has_effects);
    }
    if (!s->found)
        tail_each_part(exp, search, s);
}

static bool mentions(ToCore *t, const TailExp *exp, bool (*wanted)(TailBuiltin builtin))
{
    Search s = {t, wanted, false};
    search(&s, exp);
    return s.found;
}

bool to_core_function_has_effects(ToCore *t, const TailExp *lambda)
{
    return mentions(t, lambda, to_core_has_effect);
}

bool to_core_function_needs_seed(ToCore *t, const TailExp *lambda)
{
    return mentions(t, lambda, needs_seed);
}

void to_core_prepare_function(ToCore *t, const TailExp *lambda)
{
    if (t->parallel == 0 && to_core_function_needs_seed(t, lambda))
        t->seed = core_let_seed_now(BUILDER(t), "seed");
}

/* ---- nests --------------------------------------------------------------------------------- */

size_t to_core_map_nest(ToCore *t, int depth, size_t count, const CoreAtom *arrays, Inner inner,
                        void *context, CoreAtom *results)
{
    enum { MOST_ARRAYS = 2 * MOST_PARTS };
    if (depth == 0)
        return inner(t, context, arrays, results);
    CoreName *parameters[MOST_ARRAYS];
    CoreAtom rows[MOST_ARRAYS], inner_results[MOST_PARTS];
    CoreAtom width = core_atom_type(arrays[0]).sizes[0];
    for (size_t i = 0; i < count; i++) {
        CoreType row = core_row(core_atom_type(arrays[i]));
        parameters[i] = core_name(t->c, row.rank ? "row" : "x", row, BUILDER(t)->span);
        rows[i] = core_use(parameters[i]);
    }
    const char *text = t->text ? t->text : "t";
    Scope *scope = to_core_enter_scope(t);
    t->parallel++;
    size_t result_count =
        to_core_map_nest(t, depth - 1, count, rows, inner, context, inner_results);
    t->parallel--;
    to_core_leave_scope(t);
    const CoreLambda *lambda = core_lambda(t->c, count, parameters,
                                           to_core_scope_body(scope, result_count, inner_results));
    core_let_map(BUILDER(t), text, width, count, arrays, lambda, results);
    return result_count;
}

static size_t apply_function(ToCore *t, void *context, const CoreAtom *rows, CoreAtom *results)
{
    const char *text = t->text;
    t->text = NULL;
    size_t count = to_core_apply_parts(t, context, rows, results);
    t->text = text;
    return count;
}

/* ---- functions with effects ---------------------------------------------------------------- */

/* let done = loop (done = replicate n fill) for i < n do done with [i] <- f items[i]; the parts of a
   complex result are two such arrays. */
static Value *loop_function(ToCore *t, const TailExp *lambda, size_t count, const CoreAtom *arrays)
{
    TailBaseKind base = lambda->as.lambda.body->type->base.kind;
    CoreType type = core_atom_type(arrays[0]);
    CorePrim prim = base == TAIL_COMPLEX ? t->real : to_core_prim_of(t, base);
    CoreAtom flat[2 * MOST_PARTS], rows[2 * MOST_PARTS], next[MOST_PARTS];
    size_t places[MOST_PARTS];
    for (size_t i = 0; i < count; i++)
        flat[i] = to_core_flatten(t, arrays[i]);
    CoreAtom n = core_atom_type(flat[0]).sizes[0];
    CoreAtom start = core_let_replicate(BUILDER(t), "done", 1, &n, to_core_fill_of(prim));
    Steps *steps = to_core_begin_steps(t, lambda);
    CoreSlice place = {true, core_use(steps->index), core_i64(1), core_i64(1)};
    for (size_t i = 0; i < count; i++)
        rows[i] = to_core_element(t, "x", flat[i], core_use(steps->index));
    size_t parts = to_core_apply_parts(t, lambda, rows, next);
    for (size_t i = 0; i < parts; i++) {
        places[i] = to_core_add_state(t, steps, "done", start);
        CoreAtom copy = core_let_copy(BUILDER(t), "done", to_core_state(steps, places[i]));
        to_core_set_state(steps, places[i],
                          core_let_update(BUILDER(t), "done", copy, 1, &place, next[i]));
    }
    to_core_leave_steps(t, steps);
    const CoreAtom *after = to_core_finish_steps(t, steps, n);
    for (size_t i = 0; i < parts; i++) {
        next[i] = after[places[i]];
        if (type.rank != 1)
            next[i] = core_let_reshape(BUILDER(t), "done", next[i], (size_t)type.rank, type.sizes);
    }
    return to_core_value_parts(t, parts, next);
}

/* The function on the items of arrays, or of one, given by its parts. */
static Value *map_function(ToCore *t, const TailExp *lambda, size_t count, const CoreAtom *arrays)
{
    if (to_core_one_by_one(t, lambda))
        return loop_function(t, lambda, count, arrays);
    CoreAtom results[MOST_PARTS];
    int rank = core_atom_type(arrays[0]).rank;
    size_t result_count = to_core_map_nest(t, rank, count, arrays, apply_function,
                                           (void *)(uintptr_t)lambda, results);
    return to_core_value_parts(t, result_count, results);
}

/* ---- extension ----------------------------------------------------------------------------- */

/* "{} {} and {} {}", and the sizes; how many they are. In the text of many are those that are
 * constants. */
static size_t name_shapes(ToCore *t, CoreType x, CoreType y, const char **message,
                          CoreAtom values[static CORE_MOST_VALUES])
{
    size_t count = 0;
    Text text = text_create(t->c->arena);
    for (int k = 0; k < 2 * x.rank; k++) {
        CoreAtom size = k < x.rank ? x.sizes[k] : y.sizes[k - x.rank];
        text_string(&text, k == 0 ? "" : k == x.rank ? " and " : " ");
        if (size.name == NULL && 2 * x.rank > CORE_MOST_VALUES) {
            text_printf(&text, "%lld", (long long)size.as.integer);
            continue;
        }
        text_string(&text, "{}");
        if (count < CORE_MOST_VALUES)
            values[count] = size;
        count++;
    }
    *message = text_get(&text);
    return count;
}

/* One axis after the other: assertions, whose certificates go on what follows. Arrays are named by
   their shapes; where these have more sizes than an assertion has values, by the lengths of the
   axis. */
static void check_agreement(ToCore *t, CoreType x, CoreType y, CoreAtom x_one, CoreAtom y_one)
{
    CoreAtom either = to_core_binary(t, CORE_OR, x_one, y_one);
    CoreAtom *checks = ARENA_ARRAY(t->c->arena, CoreAtom, x.rank), shapes[CORE_MOST_VALUES];
    const char *message;
    size_t count = name_shapes(t, x, y, &message, shapes);
    for (int i = 0; i < x.rank; i++) {
        CoreAtom pair[2] = {x.sizes[i], y.sizes[i]};
        CoreAtom agrees =
            to_core_binary(t, CORE_OR, to_core_binary(t, CORE_EQ, pair[0], pair[1]), either);
        checks[i] = count <= CORE_MOST_VALUES
                        ? to_core_require(t, agrees, CORE_LENGTH_ERROR, message, count, shapes)
                        : to_core_require(t, agrees, CORE_LENGTH_ERROR, "{} and {}", 2, pair);
    }
    for (int i = 0; i < x.rank; i++)
        to_core_guard(t, checks[i]);
}

/* The array as one of these sizes: all its axes with stride 0 where it has one element. */
static CoreAtom extend(ToCore *t, CoreAtom array, CoreAtom has_one, const CoreAtom *sizes,
                       CoreAtom stride)
{
    CoreType type = core_atom_type(array);
    if (is_constant(has_one, 0))
        return to_core_coerce(t, array, sizes);
    if (is_constant(has_one, 1)) {
        CoreAtom item = to_core_first_element(t, array);
        return core_let_replicate(BUILDER(t), "extended", (size_t)type.rank, sizes, item);
    }
    CoreSlice *slices = ARENA_ARRAY(t->c->arena, CoreSlice, type.rank);
    for (int i = 0; i < type.rank; i++)
        slices[i] = (CoreSlice){false, core_i64(0), sizes[i], stride};
    return core_let_slice(BUILDER(t), "extended", array, slices);
}

/* The extents of the result are y's where x has one element, else x's: x + s*(y-x), s = 1 or 0. */
size_t to_core_align(ToCore *t, size_t x_count, CoreAtom *x, size_t y_count, CoreAtom *y)
{
    CoreType x_type = core_atom_type(x[0]), y_type = core_atom_type(y[0]);
    size_t rank = (size_t)x_type.rank, mark = BUILDER(t)->certificates.count;
    CoreAtom one = core_i64(1);
    bool same = true;
    for (size_t i = 0; i < rank; i++) {
        to_core_assume_nonnegative(t, x_type.sizes[i]);
        to_core_assume_nonnegative(t, y_type.sizes[i]);
        same = same && core_atom_equal(x_type.sizes[i], y_type.sizes[i]);
    }
    if (same)
        return mark;
    CoreAtom x_one = to_core_binary(t, CORE_EQ, to_core_product(t, rank, x_type.sizes), one);
    CoreAtom y_one = to_core_binary(t, CORE_EQ, to_core_product(t, rank, y_type.sizes), one);
    CoreAtom x_flag = to_core_convert(t, CORE_I64, x_one),
             y_flag = to_core_convert(t, CORE_I64, y_one);
    CoreAtom x_stride = to_core_binary(t, CORE_SUB, one, x_flag),
             y_stride = to_core_binary(t, CORE_SUB, one, y_flag);
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, rank);
    for (size_t i = 0; i < rank; i++) {
        CoreAtom difference = to_core_binary(t, CORE_SUB, y_type.sizes[i], x_type.sizes[i]);
        sizes[i] = is_constant(x_one, 1)
                       ? y_type.sizes[i]
                       : to_core_binary(t, CORE_ADD, x_type.sizes[i],
                                        to_core_binary(t, CORE_MUL, x_flag, difference));
        to_core_assume_nonnegative(t, sizes[i]);
    }
    check_agreement(t, x_type, y_type, x_one, y_one);
    for (size_t i = 0; i < x_count; i++)
        x[i] = extend(t, x[i], x_one, sizes, x_stride);
    for (size_t i = 0; i < y_count; i++)
        y[i] = extend(t, y[i], y_one, sizes, y_stride);
    return mark;
}

/* ---- each, zipWith ------------------------------------------------------------------------- */

enum { MOST_UNROLLED = 8 };

static Value *each_known(ToCore *t, const TailExp *lambda, const Value *array, CorePrim prim)
{
    CoreAtom items[MOST_UNROLLED];
    for (size_t i = 0; i < array->count; i++) {
        items[i] = to_core_apply_scalar(t, lambda, 1, &array->components[i]);
    }
    return to_core_value_components(t, prim, array->count, items);
}

static Value *translate_each(ToCore *t, const Call *call)
{
    const TailExp *lambda = call->arguments[0];
    Value *array = to_core_argument(t, call, 1);
    CorePrim prim = to_core_prim_of(t, call->exp->type->base.kind);
    if (array->has_components && array->count <= MOST_UNROLLED &&
        to_core_is_simple_function(lambda)) {
        return each_known(t, lambda, array, prim);
    }
    to_core_prepare_function(t, lambda);
    CoreAtom parts[MOST_PARTS];
    size_t count = to_core_store_parts(t, array, parts);
    t->text = call->text;
    return map_function(t, lambda, count, parts);
}

static Value *zip_known(ToCore *t, const TailExp *lambda, const Value *x, const Value *y,
                        CorePrim prim)
{
    CoreAtom items[MOST_UNROLLED];
    size_t count = x->count == 1 ? y->count : x->count;
    for (size_t i = 0; i < count; i++) {
        CoreAtom pair[2] = {x->components[x->count == 1 ? 0 : i],
                            y->components[y->count == 1 ? 0 : i]};
        items[i] = to_core_apply_scalar(t, lambda, 2, pair);
    }
    return to_core_value_components(t, prim, count, items);
}

static bool may_unroll(const Value *x, const Value *y)
{
    return x->has_components && y->has_components && x->count <= MOST_UNROLLED &&
           y->count <= MOST_UNROLLED && (x->count == y->count || x->count == 1 || y->count == 1);
}

static Value *translate_zip(ToCore *t, const Call *call)
{
    const TailExp *lambda = call->arguments[0];
    Value *x = to_core_argument(t, call, 1), *y = to_core_argument(t, call, 2);
    CorePrim prim = to_core_prim_of(t, call->exp->type->base.kind);
    if (may_unroll(x, y) && to_core_is_simple_function(lambda)) {
        return zip_known(t, lambda, x, y, prim);
    }
    to_core_prepare_function(t, lambda);
    CoreAtom parts[2 * MOST_PARTS];
    size_t x_count = to_core_store_parts(t, x, parts);
    size_t y_count = to_core_store_parts(t, y, parts + x_count);
    size_t mark = to_core_align(t, x_count, parts, y_count, parts + x_count);
    t->text = call->text;
    Value *result = map_function(t, lambda, x_count + y_count, parts);
    to_core_unguard(t, mark);
    return result;
}

Value *to_core_translate_map(ToCore *t, const Call *call)
{
    switch ((int)call->builtin) {
    case TAIL_OP_EACH:
    case TAIL_OP_EACHV: return translate_each(t, call);
    case TAIL_OP_ZIPWITH: return translate_zip(t, call);
    default: return NULL; /* another file's */
    }
}
