/* Streams of the front form ([PLDI] 2.4): the function takes the accumulator, a tuple where there
   are several, and a chunk of each input, whose size is the name in the chunk's type.

       stream_red (+) (\acc (chunk : [m]f64) -> acc + reduce (+) 0 chunk) 0 xs

   It gives the accumulator, or a tuple of it and arrays of the chunk's size, which are mapped out.
 */
#include "core/front/elaborate.h"

typedef struct Stream {
    CoreExpKind kind;
    bool commutative, has_accumulator;
    size_t first_input; /* among the arguments */
    Value neutral;
    size_t input_count;
    Value *inputs;
    CoreAtom width;
    CoreName *chunk;
    VEC(CoreName *) parameters;
    VEC(Ahead) ahead;
} Stream;

/* ---- the fold's parameters ------------------------------------------------------------------- */

/* The size name in the type of the first chunk that has one. */
static const char *chunk_text(const Function *fold, const Stream *stream)
{
    for (size_t i = 0; i < stream->input_count; i++) {
        const FrontPattern *pattern = front_parameter(fold, stream->has_accumulator + i);
        const FrontType *type = pattern ? pattern->type : NULL;
        if (type && type->kind == FRONT_TYPE_ARRAY && type->size.kind == FRONT_SIZE_NAME) {
            return type->size.name;
        }
    }
    return NULL;
}

static void add_parameters(Elaborator *e, Stream *stream, size_t count, CoreName *const *names,
                           const CoreAtom *ahead)
{
    for (size_t i = 0; i < count; i++) {
        Ahead known = {.parameter = names[i], .atom = ahead[i]};
        vec_push(e->c->arena, &stream->parameters, names[i]);
        vec_push(e->c->arena, &stream->ahead, known);
    }
}

static Value accumulator_value(Elaborator *e, Stream *stream, const FrontPattern *pattern)
{
    const Type *type = stream->neutral.type;
    CoreName **names = front_name_leaves(e, type, pattern, "acc");
    bool *unique = ARENA_ARRAY(e->c->arena, bool, type->leaf_count), *next = unique;
    front_pattern_unique(pattern, type, &next);
    for (size_t i = 0; i < type->leaf_count; i++) {
        names[i]->type.unique = unique[i] && names[i]->type.rank > 0;
    }
    add_parameters(e, stream, type->leaf_count, names, stream->neutral.leaves);
    return front_value_names(e, type, names);
}

/* All parameters of the fold, in its frame, as values for the function. */
static Value *fold_arguments(Elaborator *e, Stream *stream, const Function *fold)
{
    const char *text = chunk_text(fold, stream);
    stream->chunk = core_name(e->c, text ? text : "m", core_scalar(CORE_I64), BUILDER(e)->span);
    CoreAtom size = core_use(stream->chunk);
    front_note_extent(e, size);
    add_parameters(e, stream, 1, &stream->chunk, &stream->width);
    Value *values = ARENA_ARRAY(e->c->arena, Value, 1 + stream->input_count);
    size_t count = 0;
    if (stream->has_accumulator) {
        values[count++] = accumulator_value(e, stream, front_parameter(fold, 0));
    }
    for (size_t i = 0; i < stream->input_count; i++) {
        const Type *type = front_type_array(e, size, stream->inputs[i].type->row);
        CoreName **names = front_name_leaves(e, type, front_parameter(fold, count), "chunk");
        add_parameters(e, stream, type->leaf_count, names, stream->inputs[i].leaves);
        values[count++] = front_value_names(e, type, names);
    }
    return values;
}

/* The chunk's size name means the chunk's size, whatever it means around the function. */
static const Function *with_chunk(Elaborator *e, const Function *fold, const Stream *stream)
{
    const char *text = chunk_text(fold, stream);
    if (!text || fold->kind != FUNCTION_CLOSURE) {
        return fold;
    }
    Function *bound = arena_copy(e->c->arena, fold, sizeof *fold);
    bound->environment =
        front_bind(e, fold->environment, text, front_value_atom(e, core_use(stream->chunk)));
    return bound;
}

/* ---- the fold's result ----------------------------------------------------------------------- */

/* Items from `first` on are arrays of the chunk's size. */
static bool mapped_items(Elaborator *e, const Stream *stream, size_t first, Value *result,
                         Span span)
{
    CoreAtom size = core_use(stream->chunk);
    Value *items = ARENA_ARRAY(e->c->arena, Value, result->type->count);
    for (size_t i = 0; i < result->type->count; i++) {
        items[i] = front_value_item(result, i);
        if (i < first) {
            continue;
        }
        if (items[i].type->kind != TYPE_ARRAY) {
            front_mismatch(e, span, "what a stream maps out", "an array of the chunk's size",
                           front_type_text(e, items[i].type));
            return false;
        }
        items[i] = front_coerce(e, items[i], front_type_resized(e, items[i].type, 1, 1, &size));
    }
    const Type **types = ARENA_ARRAY(e->c->arena, const Type *, result->type->count);
    CoreAtom *leaves;
    for (size_t i = 0; i < result->type->count; i++) {
        types[i] = items[i].type;
    }
    front_all_leaves(e, result->type->count, items, &leaves);
    *result = front_value(front_type_tuple(e, result->type->count, types), leaves);
    return true;
}

/* The result as a tuple: the accumulator where there is one, and what is mapped out. */
static bool fold_result(Elaborator *e, const Stream *stream, Value *result, Span span)
{
    if (stream->has_accumulator) {
        return front_accumulated(e, result, stream->neutral.type, span) &&
               mapped_items(e, stream, 1, result, span);
    }
    if (result->kind != VALUE_DATA) {
        return false;
    }
    if (result->type->kind != TYPE_TUPLE) {
        *result = front_value(front_type_tuple(e, 1, &result->type), result->leaves);
    } else if (result->type->count == 0) {
        front_mismatch(e, span, "the function of stream_map", "a value", "()");
        return false;
    }
    return mapped_items(e, stream, 0, result, span);
}

static void infer_unique(Elaborator *e, const Stream *stream, const CoreBody *body)
{
    size_t count = stream->has_accumulator ? stream->neutral.type->leaf_count : 0;
    bool *consumed = ARENA_ARRAY(e->c->arena, bool, count);
    front_consumed(e, body, count, stream->parameters.items + 1, consumed);
    for (size_t i = 0; i < count; i++) {
        stream->parameters.items[1 + i]->type.unique |= consumed[i];
    }
}

static const CoreLambda *make_fold(Elaborator *e, const Call *call, Span span, Stream *stream,
                                   const Function *fold, Value *result)
{
    Frame *frame = front_open(e, call->span);
    const Value *arguments = fold_arguments(e, stream, fold);
    fold = with_chunk(e, fold, stream);
    *result = front_apply(e, fold, stream->has_accumulator + stream->input_count, arguments,
                          NO_WANT, span);
    Want want = {stream->has_accumulator ? stream->neutral.type : NULL, NULL};
    *result = front_force(e, *result, want, span);
    bool fits = fold_result(e, stream, result, span);
    front_close(e);
    if (!fits) {
        return NULL;
    }
    *result = front_regular(e, frame, *result, stream->width, stream->chunk, stream->ahead.count,
                            stream->ahead.items);
    const CoreBody *body = front_body(frame, result->type->leaf_count, result->leaves);
    infer_unique(e, stream, body);
    return core_lambda(e->c, stream->parameters.count, stream->parameters.items, body);
}

/* ---- streams --------------------------------------------------------------------------------- */

static Stream stream_of(Builtin builtin)
{
    Stream stream = {.has_accumulator = true};
    switch ((int)builtin) {                                  /* the words of streams */
    case BUILTIN_STREAM_MAP_COMM: stream.commutative = true; /* fall through */
    case BUILTIN_STREAM_MAP:
        stream.kind = CORE_EXP_STREAM_MAP;
        stream.has_accumulator = false;
        stream.first_input = 1;
        break;
    case BUILTIN_STREAM_RED_COMM: stream.commutative = true; /* fall through */
    case BUILTIN_STREAM_RED:
        stream.kind = CORE_EXP_STREAM_RED;
        stream.first_input = 3;
        break;
    case BUILTIN_STREAM_SEQ:
        stream.kind = CORE_EXP_STREAM_SEQ;
        stream.first_input = 2;
        break;
    }
    return stream;
}

/* [width] in place of [chunk], for what is mapped out. */
static const Type *whole_type(Elaborator *e, const Stream *stream, const Type *type)
{
    const Type **items = ARENA_ARRAY(e->c->arena, const Type *, type->count);
    for (size_t i = 0; i < type->count; i++) {
        bool is_accumulator = i < stream->has_accumulator;
        items[i] = is_accumulator ? type->items[i]
                                  : front_type_resized(e, type->items[i], 1, 1, &stream->width);
    }
    return type->count == 1 ? items[0] : front_type_tuple(e, type->count, items);
}

Value front_stream(Elaborator *e, const Call *call)
{
    Stream stream = stream_of(call->function->builtin);
    bool is_red = stream.kind == CORE_EXP_STREAM_RED;
    const Function *op = NULL, *fold;
    const char *what = arena_printf(e->c->arena, "the function of %s", call->function->name);
    if (is_red) {
        op = front_to_function(e, &call->arguments[0], "the operator of a stream", call->span);
    }
    fold = front_to_function(e, &call->arguments[is_red], what, call->span);
    bool known = front_inputs(e, call, stream.first_input, &stream.input_count, &stream.inputs,
                              &stream.width);
    if (stream.has_accumulator) {
        const Type *wanted = fold ? front_parameter_wanted(e, fold, 0) : NULL;
        if (!wanted && known) { /* as the elements are, where nothing else says */
            const Type *row = stream.inputs[0].type->row;
            wanted = row->kind == TYPE_SCALAR ? row : NULL;
        }
        stream.neutral = front_argument(e, call, stream.first_input - 1, wanted);
        known = known && stream.neutral.kind == VALUE_DATA;
    }
    if (!known || !fold || (is_red && !op)) {
        return ERROR_VALUE;
    }
    Value result;
    CoreAtom *inputs;
    size_t mark = BUILDER(e)->certificates.count;
    const CoreLambda *lambda =
        make_fold(e, call, front_argument_span(call, is_red), &stream, fold, &result);
    const CoreLambda *reduce =
        is_red && lambda ? front_combine(e, op, stream.neutral.type, front_argument_span(call, 0))
                         : NULL;
    if (!lambda || (is_red && !reduce)) {
        front_unguard(e, mark);
        return ERROR_VALUE;
    }
    size_t count = front_all_leaves(e, stream.input_count, stream.inputs, &inputs);
    size_t accumulators = stream.has_accumulator ? stream.neutral.type->leaf_count : 0;
    const CoreExp *exp =
        core_exp_stream(e->c, stream.kind, stream.width, count, inputs, lambda, reduce,
                        accumulators, stream.neutral.leaves, stream.commutative);
    exp = core_exp_placed(e->c, exp, call->function->level, call->function->space);
    result = front_let(e, call->want.text, whole_type(e, &stream, result.type), exp);
    front_unguard(e, mark);
    return result;
}
