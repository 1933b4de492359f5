/* The parser's actions for expressions: each makes the node as written, right or wrong in its
   types.

       atom infix atom      core_parse_scalar  {CORE_EXP_BINARY, op, prim of the left operand, x, y}
       reduce n (xs) f (e)  core_parse_operator, core_parse_soac with the identity as its map
                            function

   ([PLDI] figure 1.) */
#include "core/parse.h"
#include "core/build.h"
#include "core/rewrite.h"
#include "core/text_form.h"

CoreExp *core_parse_exp(CoreParser *p, CoreExpKind kind)
{
    return core_build_exp(p->c, kind);
}

/* ---- scalars and control --------------------------------------------------------------------- */

const CoreExp *core_parse_atom(CoreParser *p, CoreExpKind kind, CoreAtom atom)
{
    CoreExp *exp = core_parse_exp(p, kind);
    exp->as.atom = atom;
    return exp;
}

const CoreExp *core_parse_scalar(CoreParser *p, CoreOperator op, CoreAtom x, CoreAtom y)
{
    CoreExp *exp =
        core_parse_exp(p, core_operator_arity(op) == 1 ? CORE_EXP_UNARY : CORE_EXP_BINARY);
    exp->as.scalar.op = op;
    exp->as.scalar.prim = core_atom_type(x).prim;
    exp->as.scalar.x = x;
    exp->as.scalar.y = y;
    return exp;
}

const CoreExp *core_parse_convert(CoreParser *p, CorePrim to, CoreAtom x)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_CONVERT);
    exp->as.convert.to = to;
    exp->as.convert.x = x;
    return exp;
}

static CoreExp *loop(CoreParser *p, const RawBindingList *bindings, NameList parameters,
                     const CoreBody *body)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_LOOP);
    CoreAtom *initial = ARENA_ARRAY(p->c->arena, CoreAtom, bindings->count);
    for (size_t i = 0; i < bindings->count; i++) {
        initial[i] = bindings->items[i].initial;
    }
    exp->as.loop.parameter_count = parameters.count;
    exp->as.loop.parameters = parameters.names;
    exp->as.loop.initial = initial;
    exp->as.loop.body = body;
    return exp;
}

const CoreExp *core_parse_for(CoreParser *p, const RawBindingList *bindings, NameList parameters,
                              CoreName *index, CoreAtom bound, const CoreBody *body)
{
    CoreExp *exp = loop(p, bindings, parameters, body);
    exp->as.loop.index = index;
    exp->as.loop.bound = bound;
    return exp;
}

const CoreExp *core_parse_while(CoreParser *p, const RawBindingList *bindings, NameList parameters,
                                CoreAtom condition, const CoreBody *body)
{
    CoreExp *exp = loop(p, bindings, parameters, body);
    exp->as.loop.condition = condition.name;
    return exp;
}

const CoreExp *core_parse_apply(CoreParser *p, const char *function, const AtomList *arguments)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_APPLY);
    exp->as.apply.function = function;
    exp->as.apply.count = arguments->count;
    exp->as.apply.arguments = arguments->items;
    return exp;
}

const CoreExp *core_parse_assert(CoreParser *p, CoreAtom condition, const char *error,
                                 Span error_span, const char *message, const AtomList *values)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_ASSERT);
    int kind = 0;
    while (kind < CORE_ERROR_KIND_COUNT &&
           strcmp(error, core_error_text((CoreErrorKind)kind)) != 0) {
        kind++;
    }
    if (kind == CORE_ERROR_KIND_COUNT) {
        core_parse_error(p, error_span, "NAME ERROR", "\"%s\" is not the name of a run-time error",
                         error);
        kind = 0;
    }
    exp->as.assertion.condition = condition;
    exp->as.assertion.error = (CoreErrorKind)kind;
    exp->as.assertion.message = message;
    exp->as.assertion.value_count = values->count;
    exp->as.assertion.values = values->items;
    return exp;
}

const CoreExp *core_parse_stage(CoreParser *p, const CoreExp *assertion, CoreAtom stage, Span span)
{
    CoreExp *exp = core_exp_copy(p->c, assertion);
    if (stage.as.integer < 0 || stage.as.integer > CORE_MOST_STAGE) {
        core_parse_error(p, span, "LIMIT ERROR", "stage %lld is not in 0 to %d",
                         (long long)stage.as.integer, CORE_MOST_STAGE);
        return exp;
    }
    exp->as.assertion.stage = (unsigned)stage.as.integer;
    return exp;
}

const CoreExp *core_parse_items(CoreParser *p, CoreExpKind kind, const AtomList *items)
{
    CoreExp *exp = core_parse_exp(p, kind);
    exp->as.items.count = items->count;
    exp->as.items.items = items->items;
    return exp;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Positions on every axis are an index, anything else a slice. */
const CoreExp *core_parse_slice(CoreParser *p, CoreAtom array, const SliceList *slices)
{
    CoreAtom *indices = ARENA_ARRAY(p->c->arena, CoreAtom, slices->count);
    bool fixed = true;
    for (size_t i = 0; i < slices->count; i++) {
        fixed = fixed && slices->items[i].fixed;
        indices[i] = slices->items[i].offset;
    }
    CoreExp *exp = core_parse_exp(p, fixed ? CORE_EXP_INDEX : CORE_EXP_SLICE);
    if (fixed) {
        exp->as.index.array = array;
        exp->as.index.count = slices->count;
        exp->as.index.indices = indices;
    } else {
        exp->as.slice.array = array;
        exp->as.slice.count = slices->count;
        exp->as.slice.slices = slices->items;
    }
    return exp;
}

const CoreExp *core_parse_update(CoreParser *p, CoreAtom array, const SliceList *slices,
                                 CoreAtom value)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_UPDATE);
    exp->as.update.array = array;
    exp->as.update.count = slices->count;
    exp->as.update.slices = slices->items;
    exp->as.update.value = value;
    return exp;
}

CorePlace core_parse_place(CoreParser *p, CorePlace place, const char *word, Span span)
{
    if (!core_place_named(word, &place.level, &place.space)) {
        core_parse_error(p, span, "NAME ERROR", "@%s is neither a level nor a space", word);
    }
    return place;
}

static CoreExp *placed(CoreParser *p, CoreExpKind kind, CorePlace place)
{
    CoreExp *exp = core_parse_exp(p, kind);
    exp->level = place.level;
    exp->space = place.space;
    return exp;
}

const CoreExp *core_parse_if(CoreParser *p, CorePlace place, CoreAtom condition,
                             const CoreBody *yes, const CoreBody *no)
{
    CoreExp *exp = placed(p, CORE_EXP_IF, place);
    exp->as.conditional.condition = condition;
    exp->as.conditional.then_body = yes;
    exp->as.conditional.else_body = no;
    return exp;
}

const CoreExp *core_parse_replicate(CoreParser *p, CorePlace place, const AtomList *sizes,
                                    CoreAtom value)
{
    CoreExp *exp = placed(p, CORE_EXP_REPLICATE, place);
    exp->as.replicate.count = sizes->count;
    exp->as.replicate.sizes = sizes->items;
    exp->as.replicate.value = value;
    return exp;
}

const CoreExp *core_parse_scratch(CoreParser *p, CorePlace place, const AtomList *sizes,
                                  CorePrim prim)
{
    CoreExp *exp = placed(p, CORE_EXP_SCRATCH, place);
    exp->as.scratch.prim = prim;
    exp->as.scratch.count = sizes->count;
    exp->as.scratch.sizes = sizes->items;
    return exp;
}

const CoreExp *core_parse_copy(CoreParser *p, CorePlace place, CoreAtom array)
{
    CoreExp *exp = placed(p, CORE_EXP_COPY, place);
    exp->as.array = array;
    return exp;
}

int core_parse_axis(CoreParser *p, int64_t axis, Span span)
{
    if (axis < 0 || axis > INT32_MAX) {
        core_parse_error(p, span, "TYPE ERROR", "no array has an axis %lld", (long long)axis);
        return 0;
    }
    return (int)axis;
}

const CoreExp *core_parse_rearrange(CoreParser *p, const AxisList *permutation, CoreAtom array,
                                    Span span)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_REARRANGE);
    int rank = core_atom_type(array).rank;
    int *axes = ARENA_ARRAY(p->c->arena, int, rank);
    if (permutation->count != (size_t)rank) {
        core_parse_error(p, span, "TYPE ERROR", "rearrange has %s for an array of rank %d",
                         core_counted(p->c, permutation->count, "axis number"), rank);
    }
    for (size_t i = 0; i < permutation->count && i < (size_t)rank; i++) {
        axes[i] = permutation->items[i];
    }
    exp->as.rearrange.array = array;
    exp->as.rearrange.permutation = axes;
    return exp;
}

const CoreExp *core_parse_reshape(CoreParser *p, const AtomList *sizes, CoreAtom array)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_RESHAPE);
    exp->as.reshape.array = array;
    exp->as.reshape.count = sizes->count;
    exp->as.reshape.sizes = sizes->items;
    return exp;
}

const CoreExp *core_parse_cycle(CoreParser *p, CoreAtom count, CoreAtom fill, CoreAtom array)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_CYCLE);
    exp->as.cycle.array = array;
    exp->as.cycle.count = count;
    exp->as.cycle.fill = fill;
    return exp;
}

const CoreExp *core_parse_rotate(CoreParser *p, int axis, CoreAtom amount, CoreAtom array)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_ROTATE);
    exp->as.rotate.array = array;
    exp->as.rotate.axis = axis;
    exp->as.rotate.amount = amount;
    return exp;
}

const CoreExp *core_parse_reverse(CoreParser *p, int axis, CoreAtom array)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_REVERSE);
    exp->as.reverse.array = array;
    exp->as.reverse.axis = axis;
    return exp;
}

const CoreExp *core_parse_concat(CoreParser *p, int axis, const AtomList *arrays)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_CONCAT);
    exp->as.concat.axis = axis;
    exp->as.concat.count = arrays->count;
    exp->as.concat.arrays = arrays->items;
    return exp;
}

const CoreExp *core_parse_pad(CoreParser *p, int axis, CoreAtom before, CoreAtom after,
                              CoreAtom fill, CoreAtom array)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_PAD);
    exp->as.pad.array = array;
    exp->as.pad.axis = axis;
    exp->as.pad.before = before;
    exp->as.pad.after = after;
    exp->as.pad.fill = fill;
    return exp;
}

/* ---- SOACs ----------------------------------------------------------------------------------- */

static void require_neutral(CoreParser *p, size_t given, size_t needed, Span span)
{
    if (given != needed) {
        core_parse_error(p, span, "TYPE ERROR", "%s for %s",
                         core_counted(p->c, given, "neutral element"),
                         core_counted(p->c, needed, "result"));
    }
}

/* Always as many as needed, so that the node can be walked after an error. */
static const CoreAtom *padded(CoreParser *p, const AtomList *atoms, size_t needed)
{
    CoreAtom *copy = ARENA_ARRAY(p->c->arena, CoreAtom, needed);
    for (size_t i = 0; i < needed; i++) {
        copy[i] = i < atoms->count ? atoms->items[i] : core_i64(0);
    }
    return copy;
}

CoreReduction core_parse_operator(CoreParser *p, const CoreLambda *function,
                                  const AtomList *neutral, bool commutative, Span span)
{
    size_t needed = function->body->result_count;
    require_neutral(p, neutral->count, needed, span);
    return (CoreReduction){function, padded(p, neutral, needed), commutative};
}

static const CoreLambda *identity_on_rows(CoreParser *p, const AtomList *inputs, Span span)
{
    CoreType *rows = ARENA_ARRAY(p->c->arena, CoreType, inputs->count);
    for (size_t i = 0; i < inputs->count; i++) {
        CoreType type = core_atom_type(inputs->items[i]);
        if (type.rank == 0) {
            core_parse_error(p, span, "TYPE ERROR", "input %s is not an array",
                             core_atom_text(p->c, inputs->items[i]));
        }
        rows[i] = type.rank > 0 ? core_row(type) : type;
    }
    return core_identity_lambda(p->c, inputs->count, rows);
}

const CoreExp *core_parse_soac(CoreParser *p, SoacHead head, const CoreLambda *map,
                               const ReductionList *reductions, const ReductionList *scans,
                               Span span)
{
    CoreExp *exp = placed(p, CORE_EXP_SOAC, head.place);
    CoreSoac *soac = &exp->as.soac;
    soac->width = head.width;
    soac->input_count = head.inputs->count;
    soac->inputs = head.inputs->items;
    soac->map = map ? map : identity_on_rows(p, head.inputs, span);
    soac->reduction_count = reductions ? reductions->count : 0;
    soac->reductions = reductions ? reductions->items : NULL;
    soac->scan_count = scans ? scans->count : 0;
    soac->scans = scans ? scans->items : NULL;
    return exp;
}

const CoreExp *core_parse_filter(CoreParser *p, CoreExpKind kind, SoacHead head,
                                 const CoreLambda *predicate)
{
    CoreExp *exp = placed(p, kind, head.place);
    exp->as.filter.width = head.width;
    exp->as.filter.input_count = head.inputs->count;
    exp->as.filter.inputs = head.inputs->items;
    exp->as.filter.predicate = predicate;
    return exp;
}

const CoreExp *core_parse_scatter(CoreParser *p, SoacHead head, CoreAtom indices,
                                  const AtomList *values, const CoreLambda *op,
                                  const AtomList *neutral, Span span)
{
    CoreExp *exp = placed(p, op ? CORE_EXP_HIST : CORE_EXP_SCATTER, head.place);
    size_t count = head.inputs->count;
    if (values->count != count) {
        core_parse_error(p, span, "TYPE ERROR", "%s for %s",
                         core_counted(p->c, values->count, "value array"),
                         core_counted(p->c, count, "destination"));
    }
    exp->as.scatter.width = head.width;
    exp->as.scatter.count = count;
    exp->as.scatter.destinations = head.inputs->items;
    exp->as.scatter.indices = indices;
    exp->as.scatter.values = padded(p, values, count);
    exp->as.scatter.op = op;
    if (op) {
        require_neutral(p, neutral->count, count, span);
        exp->as.scatter.neutral = padded(p, neutral, count);
    }
    return exp;
}

const CoreExp *core_parse_order(CoreParser *p, CoreAtom keys)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_ORDER);
    exp->as.array = keys;
    return exp;
}

const CoreExp *core_parse_digit_sort(CoreParser *p, CoreAtom digit, CoreAtom array)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_DIGIT_SORT);
    exp->as.digit_sort.array = array;
    exp->as.digit_sort.digit = digit;
    return exp;
}

const CoreExp *core_parse_stream(CoreParser *p, CoreExpKind kind, bool commutative, SoacHead head,
                                 const CoreLambda *reduce, const CoreLambda *fold,
                                 const AtomList *neutral, Span span)
{
    CoreExp *exp = placed(p, kind, head.place);
    exp->as.stream.width = head.width;
    exp->as.stream.input_count = head.inputs->count;
    exp->as.stream.inputs = head.inputs->items;
    exp->as.stream.fold = fold;
    exp->as.stream.reduce = reduce;
    exp->as.stream.accumulator_count = neutral ? neutral->count : 0;
    exp->as.stream.neutral = neutral ? neutral->items : NULL;
    exp->as.stream.commutative = commutative;
    if (reduce) {
        require_neutral(p, neutral->count, reduce->body->result_count, span);
    }
    return exp;
}

/* ---- effects --------------------------------------------------------------------------------- */

const CoreExp *core_parse_read(CoreParser *p, CoreFileFormat format, CorePrim prim, int rank,
                               CoreAtom file)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_READ);
    exp->as.read.format = format;
    exp->as.read.prim = prim;
    exp->as.read.rank = rank;
    exp->as.read.file = file;
    return exp;
}

const CoreExp *core_parse_argument(CoreParser *p, CorePrim prim, const char *name,
                                   CoreAtom fallback)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_ARGUMENT);
    exp->as.argument.prim = prim;
    exp->as.argument.name = name;
    exp->as.argument.fallback = fallback;
    return exp;
}

const CoreExp *core_parse_device(CoreParser *p, const char *name)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_DEVICE);
    exp->as.device = name;
    return exp;
}

const CoreExp *core_parse_format(CoreParser *p, CoreAtom how, CoreAtom array, bool is_complex)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_FORMAT);
    exp->as.format.how = how;
    exp->as.format.array = array;
    exp->as.format.is_complex = is_complex;
    return exp;
}

const CoreExp *core_parse_bench(CoreParser *p, CoreAtom iterations, CoreAtom milliseconds,
                                const AtomList *timed)
{
    CoreExp *exp = core_parse_exp(p, CORE_EXP_BENCH);
    exp->as.bench.iterations = iterations;
    exp->as.bench.milliseconds = milliseconds;
    exp->as.bench.count = timed->count;
    exp->as.bench.timed = timed->items;
    return exp;
}
