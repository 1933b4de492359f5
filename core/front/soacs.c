/* SOACs of the front form: the function's body becomes the lambda, arrays of tuples become several
   inputs, sizes that have to be equal are asserted to be so.

       reduce (+) 0 xs         reduce n (xs) (\(x, y) -> { let (z) = x + y in (z) }) (0)
       map (\(x, y) -> ..) (zip xs ys)     map n (xs, ys) (\(x, y) -> ...)
       redomap (+) f 0 xs      f gives a summand, or a tuple of it and what is mapped out */
#include "core/front/elaborate.h"

/* ---- inputs ---------------------------------------------------------------------------------- */

bool front_inputs(Elaborator *e, const Call *call, size_t first, size_t *count, Value **inputs,
                  CoreAtom *width)
{
    bool known = true;
    *count = call->count - first;
    *inputs = ARENA_ARRAY(e->c->arena, Value, *count);
    for (size_t i = 0; i < *count; i++) {
        known = front_argument_array(e, call, first + i, &(*inputs)[i]) && known;
    }
    if (!known) {
        return false;
    }
    *width = (*inputs)[0].type->size;
    for (size_t i = 1; i < *count; i++) {
        Value *input = &(*inputs)[i];
        *input = front_coerce(e, *input, front_type_resized(e, input->type, 1, 1, width));
    }
    return true;
}

/* A lambda in the making, whose parameters are rows. */
typedef struct Rows {
    VEC(CoreName *) names;
    VEC(Ahead) ahead;
    Value *values;
} Rows;

/* Names for rows of the inputs, in the frame of the lambda. */
static Rows make_rows(Elaborator *e, const Function *function, size_t count, const Value *inputs)
{
    Rows rows = {.values = ARENA_ARRAY(e->c->arena, Value, count)};
    for (size_t i = 0; i < count; i++) {
        const Type *row = inputs[i].type->row;
        CoreName **names = front_name_leaves(e, row, front_parameter(function, i), "x");
        for (size_t j = 0; j < row->leaf_count; j++) {
            Ahead ahead = {.parameter = names[j], .atom = inputs[i].leaves[j], .is_row = true};
            vec_push(e->c->arena, &rows.names, names[j]);
            vec_push(e->c->arena, &rows.ahead, ahead);
        }
        rows.values[i] = front_value_names(e, row, names);
    }
    return rows;
}

/* The function's result on rows of the inputs; the frame is open until the caller closes it. */
static Value apply_to_rows(Elaborator *e, Span span, const Function *function, size_t count,
                           const Value *inputs, const Type *wanted, Rows *rows)
{
    *rows = make_rows(e, function, count, inputs);
    Want want = {wanted, NULL};
    Value result = front_apply(e, function, count, rows->values, want, span);
    return front_force(e, result, want, span);
}

static const CoreLambda *lambda_of(Elaborator *e, Frame *frame, const Rows *rows,
                                   const Value *result)
{
    const CoreBody *body = front_body(frame, result->type->leaf_count, result->leaves);
    return core_lambda(e->c, rows->names.count, rows->names.items, body);
}

static const CoreExp *placed(Elaborator *e, const Call *call, const CoreExp *exp)
{
    return core_exp_placed(e->c, exp, call->function->level, call->function->space);
}

static const Function *function_argument(Elaborator *e, const Call *call, size_t i)
{
    const char *what = arena_printf(e->c->arena, "argument %zu of %s", i + 1, call->function->name);
    return front_to_function(e, &call->arguments[i], what, front_argument_span(call, i));
}

/* ---- operators of reductions ----------------------------------------------------------------- */

const CoreLambda *front_combine(Elaborator *e, const Function *op, const Type *type, Span span)
{
    Frame *frame = front_open(e, span);
    size_t count = type->leaf_count;
    CoreName **names = ARENA_ARRAY(e->c->arena, CoreName *, 2 * count);
    Value operands[2];
    for (size_t i = 0; i < 2; i++) {
        CoreName **part = front_name_leaves(e, type, front_parameter(op, i), i == 0 ? "x" : "y");
        memcpy(names + i * count, part, count * sizeof *part);
        operands[i] = front_value_names(e, type, part);
    }
    Want want = {type, NULL};
    Value result = front_force(e, front_apply(e, op, 2, operands, want, span), want, span);
    bool fits = result.kind == VALUE_DATA;
    if (fits && !front_type_alike(type, result.type)) {
        front_mismatch(e, span, "the result of the operator", front_type_text(e, type),
                       front_type_text(e, result.type));
        fits = false;
    }
    if (fits) {
        result = front_coerce(e, result, type);
    }
    front_close(e);
    return fits ? core_lambda(e->c, 2 * count, names, front_body(frame, count, result.leaves))
                : NULL;
}

/* A neutral element, of the rows' type. */
static bool neutral_argument(Elaborator *e, const Call *call, size_t i, const Type *row,
                             Value *neutral)
{
    *neutral = front_argument(e, call, i, row);
    if (neutral->kind != VALUE_DATA) {
        return false;
    }
    if (!front_type_alike(row, neutral->type)) {
        front_mismatch(e, front_argument_span(call, i), "the neutral element",
                       front_type_text(e, row), front_type_text(e, neutral->type));
        return false;
    }
    *neutral = front_coerce(e, *neutral, row);
    return true;
}

/* ---- map ------------------------------------------------------------------------------------- */

static Value soac_map(Elaborator *e, const Call *call)
{
    const Function *function = function_argument(e, call, 0);
    size_t count;
    Value *inputs;
    CoreAtom width, *leaves;
    Rows rows;
    if (!front_inputs(e, call, 1, &count, &inputs, &width) || !function) {
        return ERROR_VALUE;
    }
    bool is_array = call->want.type && call->want.type->kind == TYPE_ARRAY;
    Span span = front_argument_span(call, 0);
    Frame *frame = front_open(e, call->span);
    Value result = apply_to_rows(e, span, function, count, inputs,
                                 is_array ? call->want.type->row : NULL, &rows);
    front_close(e);
    if (result.kind != VALUE_DATA) {
        return ERROR_VALUE;
    }
    if (result.type->leaf_count == 0) {
        return front_mismatch(e, span, "the function of map", "a value", "()");
    }
    size_t mark = BUILDER(e)->certificates.count;
    result = front_regular(e, frame, result, width, NULL, rows.ahead.count, rows.ahead.items);
    const CoreLambda *lambda = lambda_of(e, frame, &rows, &result);
    size_t leaf_count = front_all_leaves(e, count, inputs, &leaves);
    const CoreExp *exp = core_exp_map(e->c, width, leaf_count, leaves, lambda);
    const Type *type = front_type_array(e, width, result.type);
    Value mapped = front_let(e, call->want.text, type, placed(e, call, exp));
    front_unguard(e, mark);
    return mapped;
}

/* ---- reduce, scan ---------------------------------------------------------------------------- */

static Value soac_reduce(Elaborator *e, const Call *call, bool commutative, bool is_scan)
{
    const Function *op = function_argument(e, call, 0);
    Value array, neutral;
    if (!front_argument_array(e, call, 2, &array) || !op ||
        !neutral_argument(e, call, 1, array.type->row, &neutral)) {
        return ERROR_VALUE;
    }
    const Type *row = array.type->row;
    const CoreLambda *lambda = front_combine(e, op, row, front_argument_span(call, 0));
    if (!lambda) {
        return ERROR_VALUE;
    }
    CoreAtom width = array.type->size;
    const CoreExp *exp =
        is_scan ? core_exp_scan(e->c, width, row->leaf_count, array.leaves, lambda, neutral.leaves)
                : core_exp_reduce(e->c, width, row->leaf_count, array.leaves, lambda,
                                  neutral.leaves, commutative);
    return front_let(e, call->want.text, is_scan ? array.type : row, placed(e, call, exp));
}

/* ---- redomap --------------------------------------------------------------------------------- */

bool front_accumulated(Elaborator *e, Value *result, const Type *accumulator, Span span)
{
    if (result->kind != VALUE_DATA) {
        return false;
    }
    if (front_type_alike(result->type, accumulator)) {
        Value alone = front_coerce(e, *result, accumulator);
        const Type *type = front_type_tuple(e, 1, &alone.type);
        *result = front_value(type, alone.leaves);
        return true;
    }
    const Type *type = result->type;
    if (type->kind != TYPE_TUPLE || type->count < 2 ||
        !front_type_alike(type->items[0], accumulator)) {
        const char *expected = arena_printf(e->c->arena, "%s, or a tuple that begins with it",
                                            front_type_text(e, accumulator));
        front_mismatch(e, span, "the function's result", expected, front_type_text(e, type));
        return false;
    }
    Value *items = ARENA_ARRAY(e->c->arena, Value, type->count);
    for (size_t i = 0; i < type->count; i++) {
        items[i] = front_value_item(result, i);
    }
    items[0] = front_coerce(e, items[0], accumulator);
    *result = front_value_tuple(e, type->count, items);
    return true;
}

/* A literal takes the type of what the function gives; it stands outside of the function. */
static Value accumulator_argument(Elaborator *e, const Call *call, size_t i, const Value *result)
{
    const Value *given = &call->arguments[i];
    const Type *wanted = NULL;
    if (result->kind == VALUE_DATA && given->kind == VALUE_LITERAL) {
        const Type *type = result->type;
        bool is_tuple = given->literal->kind == FRONT_TUPLE;
        bool is_whole =
            type->kind != TYPE_TUPLE || (is_tuple && given->literal->as.items.count == type->count);
        wanted = front_type_unsized(e, is_whole || type->count == 0 ? type : type->items[0]);
    }
    Frame *inside = e->frame;
    e->frame = inside->parent;
    Value value = front_argument(e, call, i, wanted);
    e->frame = inside;
    return value;
}

/* [width] of each item but the first. */
static const Type *mapped_type(Elaborator *e, const Type *type, CoreAtom width)
{
    const Type **items = ARENA_ARRAY(e->c->arena, const Type *, type->count);
    for (size_t i = 0; i < type->count; i++) {
        items[i] = i == 0 ? type->items[0] : front_type_array(e, width, type->items[i]);
    }
    return type->count == 1 ? items[0] : front_type_tuple(e, type->count, items);
}

static Value soac_redomap(Elaborator *e, const Call *call, bool commutative)
{
    const Function *op = function_argument(e, call, 0), *function = function_argument(e, call, 1);
    size_t count;
    Value *inputs;
    CoreAtom width, *leaves;
    Rows rows;
    if (!front_inputs(e, call, 3, &count, &inputs, &width) || !op || !function) {
        return ERROR_VALUE;
    }
    Frame *frame = front_open(e, call->span);
    Span span = front_argument_span(call, 1);
    Value result = apply_to_rows(e, span, function, count, inputs, NULL, &rows);
    Value neutral = accumulator_argument(e, call, 2, &result);
    bool fits = neutral.kind == VALUE_DATA && front_accumulated(e, &result, neutral.type, span);
    front_close(e);
    const CoreLambda *combine =
        fits ? front_combine(e, op, neutral.type, front_argument_span(call, 0)) : NULL;
    if (!combine) {
        return ERROR_VALUE;
    }
    size_t mark = BUILDER(e)->certificates.count;
    result = front_regular(e, frame, result, width, NULL, rows.ahead.count, rows.ahead.items);
    CoreReduction reduction = {combine, neutral.leaves, commutative};
    size_t leaf_count = front_all_leaves(e, count, inputs, &leaves);
    const CoreExp *exp = core_exp_soac(e->c, width, leaf_count, leaves,
                                       lambda_of(e, frame, &rows, &result), 1, &reduction, 0, NULL);
    const Type *type = mapped_type(e, result.type, width);
    result = front_let(e, call->want.text, type, placed(e, call, exp));
    front_unguard(e, mark);
    return result;
}

/* ---- filter ---------------------------------------------------------------------------------- */

static Value soac_filter(Elaborator *e, const Call *call)
{
    const Function *predicate = function_argument(e, call, 0);
    Value array;
    Rows rows;
    if (!front_argument_array(e, call, 1, &array) || !predicate) {
        return ERROR_VALUE;
    }
    Span span = front_argument_span(call, 0);
    Frame *frame = front_open(e, call->span);
    Value result =
        apply_to_rows(e, span, predicate, 1, &array, front_type_scalar(e, CORE_BOOL), &rows);
    front_close(e);
    if (result.kind != VALUE_DATA) {
        return ERROR_VALUE;
    }
    if (!front_type_is(result.type, CORE_BOOL)) {
        return front_mismatch(e, span, "the predicate of filter", "bool",
                              front_type_text(e, result.type));
    }
    const CoreExp *exp = core_exp_filter(e->c, array.type->size, array.type->leaf_count,
                                         array.leaves, lambda_of(e, frame, &rows, &result));
    CoreName *size = core_name(e->c, "n", core_scalar(CORE_I64), call->span);
    front_note_extent(e, core_use(size));
    const Type *type = front_type_array(e, core_use(size), array.type->row);
    CoreName **names = front_name_leaves(e, type, NULL, call->want.text);
    CoreName **pattern = ARENA_ARRAY(e->c->arena, CoreName *, 1 + type->leaf_count);
    pattern[0] = size;
    memcpy(pattern + 1, names, type->leaf_count * sizeof *names);
    core_bind(BUILDER(e), 1 + type->leaf_count, pattern, placed(e, call, exp));
    return front_value_names(e, type, names);
}

/* ---- scatter, hist --------------------------------------------------------------------------- */

/* Destination, positions and values, with equal sizes where these have to be equal. */
typedef struct Scattered {
    Value destination, positions, values;
    CoreAtom width;
} Scattered;

static bool scatter_arguments(Elaborator *e, const Call *call, size_t first, Scattered *s)
{
    const Type *position = front_type_scalar(e, CORE_I64);
    const Type *vector = front_type_array(e, core_i64(0), position);
    if (!front_argument_array(e, call, first, &s->destination)) {
        return false;
    }
    const Type *row = s->destination.type->row;
    s->positions = front_argument(e, call, first + 1, vector);
    s->values = front_argument(e, call, first + 2, front_type_array(e, core_i64(0), row));
    if (s->positions.kind != VALUE_DATA || s->values.kind != VALUE_DATA) {
        return false;
    }
    if (!front_type_alike(vector, s->positions.type)) {
        front_mismatch(e, front_argument_span(call, first + 1), "the positions", "an array of i64",
                       front_type_text(e, s->positions.type));
        return false;
    }
    s->width = s->positions.type->size;
    const Type *wanted = front_type_array(e, s->width, row);
    if (!front_type_alike(wanted, s->values.type)) {
        front_mismatch(e, front_argument_span(call, first + 2), "the values",
                       front_type_text(e, wanted), front_type_text(e, s->values.type));
        return false;
    }
    s->values = front_coerce(e, s->values, wanted);
    return true;
}

static Value soac_scatter(Elaborator *e, const Call *call)
{
    Scattered s;
    if (!scatter_arguments(e, call, 0, &s)) {
        return ERROR_VALUE;
    }
    const CoreExp *exp =
        core_exp_scatter(e->c, s.width, s.destination.type->leaf_count, s.destination.leaves,
                         s.positions.leaves[0], s.values.leaves);
    return front_let(e, call->want.text, s.destination.type, placed(e, call, exp));
}

static Value soac_hist(Elaborator *e, const Call *call)
{
    const Function *op = function_argument(e, call, 0);
    Scattered s;
    Value neutral;
    if (!scatter_arguments(e, call, 2, &s) || !op ||
        !neutral_argument(e, call, 1, s.destination.type->row, &neutral)) {
        return ERROR_VALUE;
    }
    const CoreLambda *lambda =
        front_combine(e, op, s.destination.type->row, front_argument_span(call, 0));
    if (!lambda) {
        return ERROR_VALUE;
    }
    const CoreExp *exp =
        core_exp_hist(e->c, s.width, s.destination.type->leaf_count, s.destination.leaves,
                      s.positions.leaves[0], s.values.leaves, lambda, neutral.leaves);
    return front_let(e, call->want.text, s.destination.type, placed(e, call, exp));
}

Value front_soac(Elaborator *e, const Call *call)
{
    switch ((int)call->function->builtin) { /* the words of SOACs */
    case BUILTIN_MAP: return soac_map(e, call);
    case BUILTIN_REDUCE: return soac_reduce(e, call, false, false);
    case BUILTIN_REDUCE_COMM: return soac_reduce(e, call, true, false);
    case BUILTIN_SCAN: return soac_reduce(e, call, false, true);
    case BUILTIN_REDOMAP: return soac_redomap(e, call, false);
    case BUILTIN_REDOMAP_COMM: return soac_redomap(e, call, true);
    case BUILTIN_FILTER: return soac_filter(e, call);
    case BUILTIN_SCATTER: return soac_scatter(e, call);
    case BUILTIN_HIST: return soac_hist(e, call);
    }
    internal_error(e->c, "%s is no SOAC", call->function->name);
}
