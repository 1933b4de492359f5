/* Builtins that choose elements: first, single, indexing, compress, replicate.

       idxS(1,i,m)     ==>  assert 1 <= i <= n;  <c> m[i-1]              a row, as a view
       idxA(1,is,v)    ==>  map (\i -> assert 1 <= i <= n; <c> v[i-1]) is
       compress(b,v)   ==>  filter (\b x -> b) b v
       replicate(v..)  ==>  each output finds its owner by a scan over scattered beginnings;
                        compress where the counts are remainders by 2 */
#include "tail/to_core/to_core.h"

/* ---- helpers ------------------------------------------------------------------------------- */

CoreAtom to_core_element(ToCore *t, const char *text, CoreAtom array, CoreAtom index)
{
    return core_let_index(BUILDER(t), text, array, 1, &index);
}

CoreAtom to_core_first_element(ToCore *t, CoreAtom array)
{
    CoreType type = core_atom_type(array);
    CoreAtom *zeros = ARENA_ARRAY(t->c->arena, CoreAtom, type.rank + 1);
    for (int i = 0; i < type.rank; i++)
        zeros[i] = core_i64(0);
    CoreAtom count = to_core_product(t, (size_t)type.rank, type.sizes);
    if (!count.name && count.as.integer > 0) {
        return core_let_index(BUILDER(t), "first", array, (size_t)type.rank, zeros);
    }
    if (is_constant(count, 0))
        return to_core_fill_of(type.prim);
    CoreAtom empty = to_core_binary(t, CORE_EQ, count, core_i64(0)),
             fill = to_core_fill_of(type.prim);
    if (is_constant(empty, 0))
        return core_let_index(BUILDER(t), "first", array, (size_t)type.rank, zeros);
    Scope *none = to_core_enter_scope(t);
    to_core_leave_scope(t);
    Scope *some = to_core_enter_scope(t);
    CoreAtom found = core_let_index(BUILDER(t), "first", array, (size_t)type.rank, zeros);
    to_core_leave_scope(t);
    const CoreExp *exp = core_exp_if(t->c, empty, to_core_scope_body(none, 1, &fill),
                                     to_core_scope_body(some, 1, &found));
    return core_let(BUILDER(t), "first", core_scalar(type.prim), exp);
}

static CoreName *parameter(ToCore *t, const char *text, CoreType type)
{
    return core_name(t->c, text, type, BUILDER(t)->span);
}

static CoreAtom map_one(ToCore *t, const char *text, size_t count, const CoreAtom *arrays,
                        CoreName *const *parameters, Scope *scope, CoreAtom result)
{
    const CoreLambda *lambda =
        core_lambda(t->c, count, parameters, to_core_scope_body(scope, 1, &result));
    CoreAtom width = core_atom_type(arrays[0]).sizes[0], mapped;
    core_let_map(BUILDER(t), text, width, count, arrays, lambda, &mapped);
    return mapped;
}

CoreAtom to_core_check_index(ToCore *t, CoreAtom index, CoreAtom extent)
{
    CoreAtom low = to_core_binary(t, CORE_GE, index, core_i64(1));
    CoreAtom high = to_core_binary(t, CORE_LE, index, extent);
    CoreAtom inside = to_core_binary(t, CORE_AND, low, high);
    CoreAtom pair[2] = {index, extent};
    if (t->c->index_origin == 0)
        pair[0] = to_core_binary(t, CORE_SUB, index, core_i64(1));
    return to_core_require(t, inside, CORE_INDEX_ERROR, "{} of {}", 2, pair);
}

/* ---- first, single ------------------------------------------------------------------------- */

static const CoreStm *find_binding(size_t count, const CoreStm *const *stms, CoreAtom atom,
                                   size_t *place)
{
    enum { MOST_LOOKED = 64 };
    for (size_t i = count; i-- > 0 && count - i <= MOST_LOOKED;) {
        for (*place = 0; *place < stms[i]->pattern_count; ++*place) {
            if (stms[i]->pattern[*place] == atom.name)
                return stms[i];
        }
    }
    return NULL;
}

/* The statement that keeps elements where a mask has ones, made a few statements before; `place` of the array. NULL: the
   array is none of what it keeps. */
static const CoreStm *binding_compress(ToCore *t, CoreAtom array, size_t *place)
{
    const CoreStm *stm = find_binding(BUILDER(t)->stms.count, BUILDER(t)->stms.items, array, place);
    if (!stm || stm->exp->kind != CORE_EXP_FILTER || *place == 0)
        return NULL;
    const CoreLambda *predicate = stm->exp->as.filter.predicate;
    return predicate->body->result_count == 1 &&
                   predicate->body->results[0].name == predicate->parameters[0]
               ? stm
               : NULL;
}

/* The least position at which the mask has a one, a great number where there is none. */
static CoreAtom first_one(ToCore *t, CoreAtom mask)
{
    CoreAtom width = core_atom_type(mask).sizes[0], neutral;
    CoreAtom inputs[2] = {mask, core_let_iota(BUILDER(t), "positions", width)};
    CoreName *parameters[2] = {parameter(t, "keep", core_scalar(CORE_BOOL)),
                               parameter(t, "i", core_scalar(CORE_I64))};
    core_operator_identity(CORE_MIN, CORE_I64, &neutral);
    CoreReduction least = {.function =
                               core_operator_lambda(t->c, CORE_MIN, CORE_I64, BUILDER(t)->span),
                           .neutral = &neutral,
                           .commutative = true};
    Scope *scope = to_core_enter_scope(t);
    CoreAtom i = core_use(parameters[1]);
    CoreAtom others =
        to_core_convert(t, CORE_I64, to_core_unary(t, CORE_NOT, core_use(parameters[0])));
    CoreAtom away = to_core_binary(t, CORE_MUL, others, to_core_binary(t, CORE_SUB, width, i));
    CoreAtom position = to_core_binary(t, CORE_ADD, i, away);
    to_core_leave_scope(t);
    const CoreLambda *map =
        core_lambda(t->c, 2, parameters, to_core_scope_body(scope, 1, &position));
    return core_let(BUILDER(t), "first", core_scalar(CORE_I64),
                    core_exp_soac(t->c, width, 2, inputs, map, 1, &least, 0, NULL));
}

/* first(compress(b,v)): where b has its first one, v is read; nothing is compressed. */
static bool first_of_compress(ToCore *t, CoreAtom array, CoreAtom *first)
{
    size_t place;
    const CoreStm *stm = binding_compress(t, array, &place);
    if (!stm)
        return false;
    size_t mark = BUILDER(t)->certificates.count;
    for (size_t i = 0; i < stm->certificate_count; i++)
        to_core_guard(t, stm->certificates[i]);
    CoreAtom values = stm->exp->as.filter.inputs[place - 1];
    CoreAtom at = first_one(t, stm->exp->as.filter.inputs[0]);
    CoreAtom fill = to_core_fill_of(core_atom_type(values).prim);
    CoreAtom some = to_core_binary(t, CORE_LT, at, stm->exp->as.filter.width);
    Scope *then_scope = to_core_enter_scope(t);
    CoreAtom found = core_let_index(BUILDER(t), "first", values, 1, &at);
    to_core_leave_scope(t);
    Scope *else_scope = to_core_enter_scope(t);
    to_core_leave_scope(t);
    const CoreExp *exp = core_exp_if(t->c, some, to_core_scope_body(then_scope, 1, &found),
                                     to_core_scope_body(else_scope, 1, &fill));
    *first = core_let(BUILDER(t), "first", core_scalar(core_atom_type(values).prim), exp);
    to_core_unguard(t, mark);
    return true;
}

static Value *translate_first(ToCore *t, const Call *call)
{
    Value *array = to_core_argument(t, call, 0);
    if (array->has_components) {
        return to_core_value_atom(t, array->count ? array->components[0]
                                                  : to_core_fill_of(array->prim));
    }
    if (to_core_value_rank(array) == 0)
        return array;
    CoreAtom atom = to_core_store(t, array), first;
    if (!to_core_first_of_order(t, atom, &first) && !first_of_compress(t, atom, &first))
        first = to_core_first_element(t, atom);
    return to_core_value_atom(t, first);
}

/* Whether an array has exactly one element: LENGTH ERROR, of singleR RANK ERROR. */
static CoreAtom require_single(ToCore *t, const Call *call, CoreAtom count)
{
    CoreAtom fits = to_core_binary(t, CORE_EQ, count, core_i64(1));
    if (call->builtin == TAIL_OP_SINGLE)
        return to_core_require(t, fits, CORE_LENGTH_ERROR, "one item is wanted, not {}", 1, &count);
    CoreAtom ranks[2] = {to_core_argument_atom(t, call, 0), to_core_argument_atom(t, call, 1)};
    return to_core_require(t, fits, CORE_RANK_ERROR, "{} and {}", 2, ranks);
}

static Value *translate_single(ToCore *t, const Call *call)
{
    Value *array = to_core_argument(t, call, call->exp->as.call.count - 1);
    if (array->has_components && array->count == 1)
        return to_core_value_atom(t, array->components[0]);
    if (to_core_value_rank(array) == 0)
        return array;
    CoreAtom count = to_core_value_count(t, array), atom = to_core_store(t, array);
    size_t mark = to_core_guard(t, require_single(t, call, count));
    int rank = core_atom_type(atom).rank;
    CoreAtom *zeros = ARENA_ARRAY(t->c->arena, CoreAtom, rank);
    for (int i = 0; i < rank; i++)
        zeros[i] = core_i64(0);
    CoreAtom result = core_let_index(BUILDER(t), call->text, atom, (size_t)rank, zeros);
    to_core_unguard(t, mark);
    return to_core_value_atom(t, result);
}

/* A text written out, behind what stands for the number that a message begins with. */
static const char *message_of(ToCore *t, const TailExp *text, bool has_number)
{
    Text message = text_create(t->c->arena);
    text_string(&message, has_number ? "{}: " : "");
    bool is_literal = text->kind == TAIL_EXP_VECTOR;
    for (size_t i = 0; is_literal && i < text->as.items.count; i++) {
        const TailExp *item = text->as.items.items[i];
        is_literal = item->kind == TAIL_EXP_CHAR;
        uint32_t character = is_literal ? item->as.character : ' ';
        bool is_plain = character >= ' ' && character != '{' && character != '}';
        text_codepoint(&message, is_plain ? character : '?'); /* braces stand for values */
    }
    if (!is_literal) {
        to_core_refuse(t, "DOMAIN ERROR", "the text of an error is written out: ['t','e','x','t']");
    }
    return text_get(&message);
}

/* require(t,b,a)  ==>  let c = assert b "DOMAIN ERROR: t" in <c> a
   requireI(t,n,b,a), requireD(t,n,b,a)  ==>  let c = assert b "DOMAIN ERROR: n: t" in <c> a
   same(m,n,a)   ==>  let c = assert m == n "LENGTH ERROR" in <c> a */
static Value *translate_checked(ToCore *t, const Call *call)
{
    CoreAtom assertion;
    if (call->builtin == TAIL_OP_SAME) {
        CoreAtom both[2] = {to_core_argument_atom(t, call, 0), to_core_argument_atom(t, call, 1)};
        CoreAtom equal = to_core_binary(t, CORE_EQ, both[0], both[1]);
        assertion = to_core_require(t, equal, CORE_LENGTH_ERROR, "{} and {}", 2, both);
    } else if (call->builtin != TAIL_OP_REQUIRE) {
        const char *message = message_of(t, call->arguments[0], true);
        CoreAtom number = to_core_argument_atom(t, call, 1);
        CoreAtom condition = to_core_argument_atom(t, call, 2);
        assertion = to_core_require(t, condition, CORE_DOMAIN_ERROR, message, 1, &number);
    } else {
        const char *message = message_of(t, call->arguments[0], false);
        CoreAtom condition = to_core_argument_atom(t, call, 1);
        assertion = to_core_require(t, condition, CORE_DOMAIN_ERROR, message, 0, NULL);
    }
    size_t mark = to_core_guard(t, assertion);
    CoreAtom array = to_core_argument_atom(t, call, call->exp->as.call.count - 1);
    CoreAtom result = core_let_atom(BUILDER(t), call->text, array);
    to_core_unguard(t, mark);
    return to_core_value_atom(t, result);
}

/* ---- idxS, idxA ---------------------------------------------------------------------------- */

/* a[.., index, ..] along one axis, which goes. */
static CoreAtom select_position(ToCore *t, const char *text, CoreAtom array, int axis,
                                CoreAtom index)
{
    CoreType type = core_atom_type(array);
    if (axis == 0)
        return to_core_element(t, text, array, index);
    CoreSlice *slices = ARENA_ARRAY(t->c->arena, CoreSlice, type.rank);
    for (int i = 0; i < type.rank; i++) {
        slices[i] = (CoreSlice){false, core_i64(0), type.sizes[i], core_i64(1)};
    }
    slices[axis] = (CoreSlice){true, index, core_i64(1), core_i64(1)};
    return core_let_slice(BUILDER(t), text, array, slices);
}

static Value *translate_idxs(ToCore *t, const Call *call)
{
    int axis = (int)call->arguments[0]->type->shape.constant - 1;
    CoreAtom index = to_core_argument_index(t, call, 1);
    Value *array = to_core_argument(t, call, 2);
    CoreAtom extent = to_core_value_extent(t, array, axis);
    CoreAtom check = to_core_check_index(t, index, extent);
    CoreAtom position = to_core_binary(t, CORE_SUB, index, core_i64(1));
    if (array->has_components && !position.name && !check.name && position.as.integer >= 0 &&
        position.as.integer < (int64_t)array->count) {
        return to_core_value_atom(t, array->components[position.as.integer]);
    }
    CoreAtom atom = to_core_store(t, array);
    size_t mark = to_core_guard(t, check);
    CoreAtom result = select_position(t, call->text, atom, axis, position);
    to_core_unguard(t, mark);
    return to_core_value_atom(t, result);
}

typedef struct Gather {
    size_t count; /* parts of the array */
    CoreAtom parts[MOST_PARTS], indices;
    const char *text;
    CoreAtom extent;
    bool checked; /* indices are positions from 0, already checked */
} Gather;

/* One position: checks it unless that was done. */
static size_t gather_one(ToCore *t, void *context, const CoreAtom *rows, CoreAtom *results)
{
    const Gather *gather = context;
    CoreAtom position = to_core_convert(t, CORE_I64, rows[0]);
    size_t mark = BUILDER(t)->certificates.count;
    if (!gather->checked) {
        CoreAtom check = to_core_check_index(t, position, gather->extent);
        position = to_core_binary(t, CORE_SUB, position, core_i64(1));
        to_core_guard(t, check);
    }
    for (size_t i = 0; i < gather->count; i++)
        results[i] = to_core_element(t, gather->text, gather->parts[i], position);
    to_core_unguard(t, mark);
    return gather->count;
}

/* The index itself, checked, counted from 0. The certificate guards a plain copy of it. */
static size_t check_one(ToCore *t, void *context, const CoreAtom *rows, CoreAtom *results)
{
    const Gather *gather = context;
    CoreAtom index = to_core_convert(t, CORE_I64, rows[0]);
    CoreAtom check = to_core_check_index(t, index, gather->extent);
    CoreAtom position = to_core_binary(t, CORE_SUB, index, core_i64(1));
    size_t mark = to_core_guard(t, check);
    results[0] = core_let_atom(BUILDER(t), "position", position);
    to_core_unguard(t, mark);
    return 1;
}

static size_t gather_rows(ToCore *t, void *context, const CoreAtom *rows, CoreAtom *results)
{
    Gather gather = *(const Gather *)context;
    for (size_t i = 0; i < gather.count; i++)
        gather.parts[i] = rows[i];
    int rank = core_atom_type(gather.indices).rank;
    return to_core_map_nest(t, rank, 1, &gather.indices, gather_one, &gather, results);
}

/* idxA(d,is,a): the axes of `is` in the place of axis d. For d > 1 the indices are checked once,
   before the maps over the axes in front of d. */
static Value *translate_idxa(ToCore *t, const Call *call)
{
    int axis = (int)call->arguments[0]->type->shape.constant - 1;
    CoreAtom indices = to_core_argument_atom(t, call, 1), results[MOST_PARTS];
    int index_rank = core_atom_type(indices).rank;
    Value *array = to_core_argument(t, call, 2);
    Gather gather = {.indices = indices, .text = call->text};
    gather.extent = to_core_value_extent(t, array, axis);
    gather.count = to_core_store_parts(t, array, gather.parts);
    t->text = call->text;
    if (axis == 0) {
        to_core_map_nest(t, index_rank, 1, &indices, gather_one, &gather, results);
    } else {
        to_core_map_nest(t, index_rank, 1, &indices, check_one, &gather, &gather.indices);
        gather.checked = true;
        to_core_map_nest(t, axis, gather.count, gather.parts, gather_rows, &gather, results);
    }
    return to_core_value_parts(t, gather.count, results);
}

/* idxP(d,f,n,s,a)  ==>  a[0 :+ m, f-1 :+ n * s]     of its rows, for d = 2 */
static Value *translate_idxp(ToCore *t, const Call *call)
{
    int axis = (int)call->arguments[0]->type->shape.constant - 1;
    CoreAtom first = to_core_argument_atom(t, call, 1), step = to_core_argument_atom(t, call, 3);
    CoreAtom count = to_core_argument_atom(t, call, 2);
    if (!to_core_known_nonnegative(t, count)) {
        count = to_core_binary(t, CORE_MAX, count, core_i64(0));
        to_core_assume_nonnegative(t, count);
    }
    CoreAtom array = to_core_argument_atom(t, call, 4);
    CoreType type = core_atom_type(array);
    CoreSlice *slices = ARENA_ARRAY(t->c->arena, CoreSlice, type.rank + 1);
    if (step.name || step.as.integer < 1) {
        to_core_refuse(t, "DOMAIN ERROR", "steps of idxP are constants, and at least 1");
        return to_core_value_dummy(t, call->exp->type);
    }
    for (int i = 0; i < type.rank; i++) {
        slices[i] = (CoreSlice){false, core_i64(0), type.sizes[i], core_i64(1)};
    }
    CoreAtom inside = to_core_check_block(t, first, count, step.as.integer, type.sizes[axis]);
    size_t mark = to_core_guard(t, inside);
    slices[axis] = (CoreSlice){false, to_core_binary(t, CORE_SUB, first, core_i64(1)), count, step};
    CoreAtom result = core_let_slice(BUILDER(t), call->text, array, slices);
    to_core_unguard(t, mark);
    return to_core_value_atom(t, result);
}

/* ---- compress ------------------------------------------------------------------------------ */

static Value *compress_known(ToCore *t, const Value *mask, const Value *array)
{
    if (!mask->has_components || !array->has_components || mask->count != array->count)
        return NULL;
    CoreAtom *items = ARENA_ARRAY(t->c->arena, CoreAtom, array->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < mask->count; i++) {
        if (mask->components[i].name)
            return NULL;
        if (mask->components[i].as.integer)
            items[count++] = array->components[i];
    }
    return to_core_value_components(t, array->prim, count, items);
}

/* filter (\b x .. -> b) b v ..: arrays[0] is the mask, `count` parts follow; all of one length. */
static Value *compress_parts(ToCore *t, const char *text, size_t count, const CoreAtom *arrays)
{
    CoreAtom kept[MOST_PARTS], width = core_atom_type(arrays[0]).sizes[0];
    CoreName *parameters[1 + MOST_PARTS], *pattern[2 + MOST_PARTS];
    CoreName *size = pattern[0] = parameter(t, "n", core_scalar(CORE_I64));
    CoreAtom extent = core_use(size);
    for (size_t i = 0; i <= count; i++) {
        CorePrim prim = core_atom_type(arrays[i]).prim;
        parameters[i] = parameter(t, i == 0 ? "keep" : "x", core_scalar(prim));
        pattern[1 + i] = parameter(t, i == 0 ? "kept" : text, core_array(t->c, prim, 1, &extent));
    }
    Scope *scope = to_core_enter_scope(t);
    to_core_leave_scope(t);
    CoreAtom keep = core_use(parameters[0]);
    const CoreLambda *predicate =
        core_lambda(t->c, 1 + count, parameters, to_core_scope_body(scope, 1, &keep));
    core_bind(BUILDER(t), 2 + count, pattern,
              core_exp_filter(t->c, width, 1 + count, arrays, predicate));
    for (size_t i = 0; i < count; i++)
        kept[i] = core_use(pattern[2 + i]);
    return to_core_value_parts(t, count, kept);
}

static Value *translate_compress(ToCore *t, const Call *call)
{
    Value *mask = to_core_argument(t, call, 0), *array = to_core_argument(t, call, 1);
    Value *known = compress_known(t, mask, array);
    if (known)
        return known;
    CoreAtom arrays[1 + MOST_PARTS] = {to_core_store(t, mask)};
    size_t count = to_core_store_parts(t, array, arrays + 1);
    size_t mark = to_core_align(t, 1, arrays, count, arrays + 1);
    Value *kept = compress_parts(t, call->text, count, arrays);
    to_core_unguard(t, mark);
    return kept;
}

/* ---- replicate ----------------------------------------------------------------------------- */

static CoreAtom scan_i64(ToCore *t, const char *text, CoreOperator op, CoreAtom array)
{
    CoreAtom width = core_atom_type(array).sizes[0], neutral;
    if (!core_operator_identity(op, CORE_I64, &neutral))
        internal_error(t->c, "no identity element");
    const CoreLambda *lambda = core_operator_lambda(t->c, op, CORE_I64, BUILDER(t)->span);
    const CoreExp *exp = core_exp_scan(t->c, width, 1, &array, lambda, &neutral);
    return core_let(BUILDER(t), text, core_array(t->c, CORE_I64, 1, &width), exp);
}

/* reduce (\x y -> min (x + y) CORE_MOST_ELEMENTS): the total of lengths that are not above that. */
static CoreAtom total_of(ToCore *t, CoreAtom lengths)
{
    CoreAtom width = core_atom_type(lengths).sizes[0], neutral = core_i64(0);
    CoreName *parameters[2] = {parameter(t, "x", core_scalar(CORE_I64)),
                               parameter(t, "y", core_scalar(CORE_I64))};
    Scope *scope = to_core_enter_scope(t);
    CoreAtom sum = to_core_binary(t, CORE_ADD, core_use(parameters[0]), core_use(parameters[1]));
    CoreAtom least = to_core_binary(t, CORE_MIN, sum, core_i64(CORE_MOST_ELEMENTS));
    to_core_leave_scope(t);
    const CoreLambda *lambda =
        core_lambda(t->c, 2, parameters, to_core_scope_body(scope, 1, &least));
    const CoreExp *exp = core_exp_reduce(t->c, width, 1, &lengths, lambda, &neutral, true);
    return core_let(BUILDER(t), "total", core_scalar(CORE_I64), exp);
}

/* map (\c -> min |c| CORE_MOST_ELEMENTS) counts, as i64 */
static CoreAtom lengths_of(ToCore *t, CoreAtom counts)
{
    CoreName *count = parameter(t, "count", core_scalar(core_atom_type(counts).prim));
    Scope *scope = to_core_enter_scope(t);
    CoreAtom length = to_core_magnitude_of(t, to_core_convert(t, CORE_I64, core_use(count)));
    length = to_core_binary(t, CORE_MIN, length, core_i64(CORE_MOST_ELEMENTS));
    to_core_leave_scope(t);
    return map_one(t, "lengths", 1, &counts, &count, scope, length);
}

/* map (\end length -> length > 0 ? end - length : -1): where each item begins; nowhere if it has no
   length. As arithmetic: begin * s + s - 1 with s = 1 where there is a length, else 0. */
static CoreAtom beginnings(ToCore *t, CoreAtom ends, CoreAtom lengths)
{
    CoreName *parameters[2] = {parameter(t, "end", core_scalar(CORE_I64)),
                               parameter(t, "length", core_scalar(CORE_I64))};
    CoreAtom inputs[2] = {ends, lengths};
    Scope *scope = to_core_enter_scope(t);
    CoreAtom end = core_use(parameters[0]), length = core_use(parameters[1]), one = core_i64(1);
    CoreAtom some = to_core_convert(t, CORE_I64, to_core_binary(t, CORE_GT, length, core_i64(0)));
    CoreAtom begin = to_core_binary(t, CORE_MUL, to_core_binary(t, CORE_SUB, end, length), some);
    CoreAtom result = to_core_binary(t, CORE_SUB, to_core_binary(t, CORE_ADD, begin, some), one);
    to_core_leave_scope(t);
    return map_one(t, "beginnings", 2, inputs, parameters, scope, result);
}

/* map (\j -> counts[j] < 0 ? fill : array[j]) owners */
static CoreAtom fetch_owned(ToCore *t, const char *text, CoreAtom owners, CoreAtom counts,
                            CoreAtom array, CoreAtom fill)
{
    CoreType type = core_atom_type(array);
    CoreName *owner = parameter(t, "j", core_scalar(CORE_I64));
    Scope *scope = to_core_enter_scope(t);
    CoreAtom j = core_use(owner);
    CoreAtom count = to_core_element(t, "count", counts, j);
    CoreAtom negative = to_core_binary(t, CORE_LT, count, core_int(core_atom_type(count).prim, 0));
    Scope *filled = to_core_enter_scope(t);
    to_core_leave_scope(t);
    Scope *taken = to_core_enter_scope(t);
    CoreAtom item = to_core_element(t, "item", array, j);
    to_core_leave_scope(t);
    const CoreExp *choice = core_exp_if(t->c, negative, to_core_scope_body(filled, 1, &fill),
                                        to_core_scope_body(taken, 1, &item));
    CoreAtom result = core_let(BUILDER(t), "item", core_scalar(type.prim), choice);
    to_core_leave_scope(t);
    return map_one(t, text, 1, &owners, &owner, scope, result);
}

/* The counts are remainders by 2, made a few statements before: 0 or 1. */
static bool are_remainders_by_2(ToCore *t, CoreAtom counts)
{
    size_t place = 0;
    const CoreStm *stm =
        find_binding(BUILDER(t)->stms.count, BUILDER(t)->stms.items, counts, &place);
    if (!core_is_int(core_atom_type(counts).prim) || !stm || stm->exp->kind != CORE_EXP_SOAC ||
        stm->exp->as.soac.reduction_count + stm->exp->as.soac.scan_count > 0)
        return false;
    const CoreBody *body = stm->exp->as.soac.map->body;
    const CoreStm *made = find_binding(body->stm_count, body->stms, body->results[place], &place);
    return made && made->exp->kind == CORE_EXP_BINARY && made->exp->as.scalar.op == CORE_MOD &&
           !made->exp->as.scalar.y.name && made->exp->as.scalar.y.as.integer == 2;
}

/* map (\c -> c != 0) counts */
static CoreAtom truths_of(ToCore *t, CoreAtom counts)
{
    CorePrim prim = core_atom_type(counts).prim;
    CoreName *count = parameter(t, "count", core_scalar(prim));
    Scope *scope = to_core_enter_scope(t);
    CoreAtom truth = to_core_binary(t, CORE_NE, core_use(count), core_int(prim, 0));
    to_core_leave_scope(t);
    return map_one(t, "keep", 1, &counts, &count, scope, truth);
}

/* replicate(fill,counts,a): item j of a, |counts[j]| times. Item numbers are scattered to where
   their items begin; a running maximum then gives each output the item that it belongs to. */
static Value *translate_replicate(ToCore *t, const Call *call)
{
    CoreAtom fill[MOST_PARTS], array[MOST_PARTS], results[MOST_PARTS];
    to_core_store_parts(t, to_core_argument(t, call, 0), fill);
    CoreAtom counts = to_core_argument_atom(t, call, 1);
    size_t part_count = to_core_store_parts(t, to_core_argument(t, call, 2), array);
    bool keeps = are_remainders_by_2(t, counts);
    size_t mark = to_core_align(t, 1, &counts, part_count, array);
    CoreAtom width = core_atom_type(counts).sizes[0];
    if (keeps) {
        CoreAtom arrays[1 + MOST_PARTS] = {truths_of(t, counts)};
        memcpy(arrays + 1, array, part_count * sizeof *array);
        Value *kept = compress_parts(t, call->text, part_count, arrays);
        to_core_unguard(t, mark);
        return kept;
    }
    CoreAtom lengths = lengths_of(t, counts);
    CoreAtom total = total_of(t, lengths);
    to_core_assume_nonnegative(t, total);
    CoreAtom fits = to_core_binary(t, CORE_LT, total, core_i64(CORE_MOST_ELEMENTS));
    to_core_guard(t, to_core_require(t, fits, CORE_LIMIT_ERROR, "too many elements", 0, NULL));
    CoreAtom starts = beginnings(t, scan_i64(t, "ends", CORE_ADD, lengths), lengths);
    CoreAtom numbers = core_let_iota(BUILDER(t), "numbers", width);
    CoreAtom zeros = core_let_replicate(BUILDER(t), "zeros", 1, &total, core_i64(0));
    CoreAtom blank = core_let_copy(BUILDER(t), "blank", zeros);
    const CoreExp *scatter = core_exp_scatter(t->c, width, 1, &blank, starts, &numbers);
    CoreAtom marked = core_let(BUILDER(t), "marked", core_atom_type(blank), scatter);
    CoreAtom owners = scan_i64(t, "owners", CORE_MAX, marked);
    for (size_t i = 0; i < part_count; i++)
        results[i] = fetch_owned(t, call->text, owners, counts, array[i], fill[i]);
    to_core_unguard(t, mark);
    return to_core_value_parts(t, part_count, results);
}

Value *to_core_translate_select(ToCore *t, const Call *call)
{
    switch ((int)call->builtin) {
    case TAIL_OP_FIRST:
    case TAIL_OP_FIRSTV: return translate_first(t, call);
    case TAIL_OP_SINGLE:
    case TAIL_OP_SINGLER: return translate_single(t, call);
    case TAIL_OP_REQUIRE:
    case TAIL_OP_REQUIREI:
    case TAIL_OP_REQUIRED:
    case TAIL_OP_SAME: return translate_checked(t, call);
    case TAIL_OP_IDXS: return translate_idxs(t, call);
    case TAIL_OP_IDXA: return translate_idxa(t, call);
    case TAIL_OP_IDXP: return translate_idxp(t, call);
    case TAIL_OP_COMPRESS: return translate_compress(t, call);
    case TAIL_OP_REPLICATE: return translate_replicate(t, call);
    default: return NULL; /* another file's */
    }
}
