/* Values: making arrays, what is known of them, conversions.

   The facts of an array are its extents (-1 where only run time knows) and, for short int and bool
   vectors, the contents, so that permutations, axes, counts and tuple indices are numbers at
   compile time. A known array's expression is a literal:  1+2 ==> 3,  ¯1↓2 3 4 ==> [2,3]. */
#include "apl/elaborate/internal.h"
#include <math.h>

static Value *new_value(Elaboration *e, ValueKind kind, Span span)
{
    Value *value = ARENA_NEW(e->c->arena, Value);
    value->kind = kind;
    value->span = span;
    return value;
}

int64_t *elab_extents(Elaboration *e, int64_t rank)
{
    int64_t *extents = ARENA_ARRAY(e->c->arena, int64_t, rank + 1);
    for (int64_t i = 0; i < rank; i++) {
        extents[i] = -1;
    }
    return extents;
}

static int64_t *copy_numbers(Elaboration *e, int64_t count, const int64_t *numbers)
{
    int64_t *copy = ARENA_ARRAY(e->c->arena, int64_t, count + 1);
    if (count > 0) {
        memcpy(copy, numbers, sizeof(int64_t) * (size_t)count);
    }
    return copy;
}

/* Better facts replace worse ones. */
void elab_set_extents(Value *value, const int64_t *extents)
{
    int64_t *own = (int64_t *)(uintptr_t)value->extents;
    for (int64_t i = 0; i < value->rank; i++) {
        if (extents[i] >= 0) {
            own[i] = extents[i];
        }
    }
}

static Value *literal_scalar(Elaboration *e, TailBaseKind base, int64_t number, Span span)
{
    Value *value = new_value(e, VALUE_ARRAY, span);
    Span place = elab_place(e, span);
    value->base = base;
    value->exp =
        base == TAIL_BOOL ? tail_bool(e->c, number != 0, place) : tail_int(e->c, number, place);
    value->known = copy_numbers(e, 1, &number);
    value->uniform = true;
    value->uniform_value = number;
    return value;
}

Value *elab_int(Elaboration *e, int64_t number, Span span)
{
    return literal_scalar(e, TAIL_INT, number, span);
}

Value *elab_bool(Elaboration *e, bool truth, Span span)
{
    return literal_scalar(e, TAIL_BOOL, truth, span);
}

Value *elab_number(Elaboration *e, double number, Span span)
{
    return elab_value(e, tail_double(e->c, number, elab_place(e, span)), span);
}

static void note_uniform(Value *value, int64_t count, const int64_t *numbers)
{
    for (int64_t i = 1; i < count; i++) {
        if (numbers[i] != numbers[0]) {
            return;
        }
    }
    if (count > 0) {
        value->uniform = true;
        value->uniform_value = numbers[0];
    }
}

Value *elab_empty(Elaboration *e, TailBaseKind base, Span span)
{
    Value *value = new_value(e, VALUE_ARRAY, span);
    value->base = base;
    value->rank = 1;
    value->extents = copy_numbers(e, 1, (int64_t[]){0});
    value->exp = tail_zilde(e->c, base, elab_place(e, span));
    if (base == TAIL_BOOL || base == TAIL_INT) {
        value->known = copy_numbers(e, 0, NULL);
    }
    return value;
}

Value *elab_known(Elaboration *e, TailBaseKind base, int64_t count, const int64_t *numbers,
                  Span span)
{
    if (count == 0) {
        return elab_empty(e, base, span);
    }
    Span place = elab_place(e, span);
    const TailExp **items = ARENA_ARRAY(e->c->arena, const TailExp *, count);
    for (int64_t i = 0; i < count; i++) {
        items[i] = base == TAIL_BOOL ? tail_bool(e->c, numbers[i] != 0, place)
                                     : tail_int(e->c, numbers[i], place);
    }
    Value *value = new_value(e, VALUE_ARRAY, span);
    value->base = base;
    value->rank = 1;
    value->extents = copy_numbers(e, 1, &count);
    const TailExp *literal = tail_vector(e->c, (size_t)count, items, place);
    value->exp = elab_let(e, literal);
    value->literal = value->exp == literal ? NULL : literal;
    if (count <= KNOWN_LIMIT) {
        value->known = copy_numbers(e, count, numbers);
    }
    note_uniform(value, count, numbers);
    return value;
}

Value *elab_string(Elaboration *e, size_t length, const uint32_t *codepoints, Span span)
{
    if (length == 0) {
        return elab_empty(e, TAIL_CHAR, span);
    }
    Span place = elab_place(e, span);
    const TailExp **items = ARENA_ARRAY(e->c->arena, const TailExp *, length);
    for (size_t i = 0; i < length; i++) {
        items[i] = tail_char(e->c, codepoints[i], place);
    }
    const TailExp *literal = tail_vector(e->c, length, items, place);
    Value *value = elab_value(e, literal, span);
    elab_set_extents(value, (int64_t[]){(int64_t)length});
    value->literal = value->exp == literal ? NULL : literal;
    return value;
}

/* What the TAIL type tells becomes facts; a type that holds the value makes it a literal. */
Value *elab_value(Elaboration *e, const TailExp *exp, Span span)
{
    const TailType *type = exp->type;
    if (type->kind == TAIL_SINGLE) {
        return literal_scalar(e, type->base.kind, type->shape.constant, span);
    }
    if (type->kind == TAIL_SINGLE_VECTOR) {
        return elab_known(e, type->base.kind, 1, &type->shape.constant, span);
    }
    Value *value = new_value(e, VALUE_ARRAY, span);
    value->base = type->base.kind;
    value->rank = tail_rank(type);
    if (value->rank > RANK_LIMIT) {
        elab_fail(e, span, "LIMIT ERROR", "an array of rank %lld", (long long)value->rank);
    }
    int64_t *extents = elab_extents(e, value->rank);
    if (type->kind == TAIL_VECTOR) {
        extents[0] = type->shape.constant;
    }
    value->extents = extents;
    value->exp = elab_let(e, exp);
    return value;
}

Value *elab_parameter(Elaboration *e, TailVariable *variable, int64_t rank, const int64_t *extents)
{
    Value *value = elab_value(e, tail_use(e->c, variable, variable->span), variable->span);
    if (rank > 0) {
        elab_set_extents(value, extents);
    }
    return value;
}

Value *elab_vector(Elaboration *e, size_t count, Value *const *scalars, Span span)
{
    TailBaseKind base = scalars[0]->base;
    bool all_known = true;
    for (size_t i = 0; i < count; i++) {
        base = elab_join_bases(e, base, scalars[i]->base, span, "a strand");
        all_known = all_known && scalars[i]->known != NULL;
    }
    if (all_known && (base == TAIL_BOOL || base == TAIL_INT)) {
        int64_t *numbers = ARENA_ARRAY(e->c->arena, int64_t, count);
        for (size_t i = 0; i < count; i++) {
            numbers[i] = scalars[i]->known[0];
        }
        return elab_known(e, base, (int64_t)count, numbers, span);
    }
    const TailExp **items = ARENA_ARRAY(e->c->arena, const TailExp *, count);
    Value **elements = ARENA_ARRAY(e->c->arena, Value *, count);
    for (size_t i = 0; i < count; i++) {
        Value *item = elab_cast(e, scalars[i], base, span);
        elements[i] = base == TAIL_COMPLEX ? item : scalars[i]; /* ¯1 0J1*0.5: both complex */
        items[i] = item->exp;
    }
    Value *value = elab_value(e, tail_vector(e->c, count, items, elab_place(e, span)), span);
    elab_set_extents(value, (int64_t[]){(int64_t)count});
    value->elements = count <= KNOWN_LIMIT ? elements : NULL;
    return value;
}

Value *elab_function(Elaboration *e, Function *function)
{
    Value *value = new_value(e, VALUE_FUNCTION, function->span);
    value->function = function;
    return value;
}

Function *elab_primitive(Elaboration *e, AplPrimitive primitive, Span span)
{
    Function *function = ARENA_NEW(e->c->arena, Function);
    function->kind = FUNCTION_PRIMITIVE;
    function->primitive = primitive;
    function->span = span;
    function->origin = span.file != NULL && span.file->is_prelude ? 1 : e->origin;
    return function;
}

Value *elab_at(Elaboration *e, const Value *value, Span span)
{
    Value *copy = arena_copy(e->c->arena, value, sizeof *value);
    copy->span = span;
    return copy;
}

bool elab_is_scalar(const Value *value)
{
    return value->kind == VALUE_ARRAY && value->rank == 0;
}

bool elab_numeric(TailBaseKind base)
{
    return base != TAIL_CHAR;
}

TailBaseKind elab_join_bases(Elaboration *e, TailBaseKind a, TailBaseKind b, Span span,
                             const char *what)
{
    if (a == b) {
        return a;
    }
    if (!elab_numeric(a) || !elab_numeric(b)) {
        elab_fail(e, span, "DOMAIN ERROR", "%s of characters and numbers together", what);
    }
    return a > b ? a : b;
}

int64_t elab_count(const Value *value)
{
    int64_t count = 1;
    bool unknown = false;
    for (int64_t i = 0; i < value->rank; i++) {
        if (value->extents[i] == 0) {
            return 0;
        }
        if (value->extents[i] < 0 || count > (INT64_C(1) << 60) / value->extents[i]) {
            unknown = true;
        } else {
            count *= value->extents[i];
        }
    }
    return unknown ? -1 : count;
}

bool elab_one_element(const Value *value)
{
    return value->kind == VALUE_ARRAY && elab_count(value) == 1;
}

bool elab_known_empty(const Value *value)
{
    return value->kind == VALUE_ARRAY && elab_count(value) == 0;
}

bool elab_constant(const Value *value, int64_t *number)
{
    if (value->kind != VALUE_ARRAY || value->known == NULL || elab_count(value) != 1) {
        return false;
    }
    *number = value->known[0];
    return true;
}

const int64_t *elab_whole_numbers(Elaboration *e, const Value *value)
{
    if (value->known != NULL || value->literal == NULL || value->base > TAIL_INT) {
        return value->known;
    }
    size_t count = value->literal->as.items.count;
    int64_t *numbers = ARENA_ARRAY(e->c->arena, int64_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        const TailExp *item = value->literal->as.items.items[i];
        if (item->kind != TAIL_EXP_INT && item->kind != TAIL_EXP_BOOL) {
            return NULL;
        }
        numbers[i] = item->kind == TAIL_EXP_INT ? item->as.integer : item->as.boolean;
    }
    return numbers;
}

bool elab_has_elements(const Value *value)
{
    return value->kind == VALUE_ARRAY && value->rank == 1 && value->extents[0] > 0 &&
           value->extents[0] <= KNOWN_LIMIT && (value->elements != NULL || value->known != NULL);
}

Value *elab_element(Elaboration *e, const Value *value, int64_t k)
{
    if (value->elements != NULL) {
        return value->elements[k];
    }
    return value->known != NULL ? literal_scalar(e, value->base, value->known[k], value->span)
                                : NULL;
}

/* ---- conversions ----------------------------------------------------------------------------- */

static const TailExp *cast_scalar(Elaboration *e, const TailExp *exp, TailBaseKind from,
                                  TailBaseKind to, Span span)
{
    if (from == TAIL_BOOL) {
        exp = exp->kind == TAIL_EXP_BOOL ? tail_int(e->c, exp->as.boolean, exp->span)
                                         : ELAB_CALL(e, TAIL_OP_B2I, span, exp);
    }
    if (from < TAIL_DOUBLE && to >= TAIL_DOUBLE) {
        exp = exp->kind == TAIL_EXP_INT ? tail_double(e->c, (double)exp->as.integer, exp->span)
                                        : ELAB_CALL(e, TAIL_OP_I2D, span, exp);
    }
    if (to == TAIL_COMPLEX) {
        exp = exp->kind == TAIL_EXP_DOUBLE ? tail_complex(e->c, exp->as.real, 0, exp->span)
                                           : ELAB_CALL(e, TAIL_OP_D2X, span, exp);
    }
    return exp;
}

static Value *cast_item(Elaboration *e, void *context, Value *left, Value *right, Span span)
{
    (void)left;
    return elab_cast(e, right, *(TailBaseKind *)context, span);
}

/* A vector written item by item is converted item by item: [1,2] ==> [1.0,2.0]. */
static Value *cast_literal(Elaboration *e, Value *value, TailBaseKind base, Span span)
{
    size_t count = value->exp->as.items.count;
    const TailExp **items = ARENA_ARRAY(e->c->arena, const TailExp *, count);
    for (size_t i = 0; i < count; i++) {
        items[i] = cast_scalar(e, value->exp->as.items.items[i], value->base, base, span);
    }
    Value *result = elab_value(e, tail_vector(e->c, count, items, elab_place(e, span)), span);
    elab_set_extents(result, value->extents);
    return result;
}

/* Elements keep the base that each was made with until the vector is converted. */
static Value *const *cast_elements(Elaboration *e, const Value *value, TailBaseKind base, Span span)
{
    if (value->elements == NULL) {
        return NULL;
    }
    Value **elements = ARENA_ARRAY(e->c->arena, Value *, value->extents[0]);
    for (int64_t k = 0; k < value->extents[0]; k++) {
        elements[k] = elab_cast(e, value->elements[k], base, span);
    }
    return elements;
}

Value *elab_cast(Elaboration *e, Value *value, TailBaseKind base, Span span)
{
    if (value->base == base) {
        if (base == TAIL_INT && value->elements != NULL) {
            value = elab_at(e, value, value->span);
            value->elements = cast_elements(e, value, base, span);
        }
        return value;
    }
    if (!elab_numeric(value->base) || !elab_numeric(base) || value->base > base) {
        if (elab_known_empty(value) && value->rank == 1) {
            return elab_empty(e, base, span);
        }
        internal_error(e->c, "no conversion from %s to %s", tail_base_text(value->base),
                       tail_base_text(base));
    }
    Value *result;
    if (value->known != NULL && base == TAIL_INT) {
        return value->rank == 0
                   ? elab_int(e, value->known[0], value->span)
                   : elab_known(e, TAIL_INT, value->extents[0], value->known, value->span);
    }
    if (elab_known_empty(value) && value->rank == 1) {
        return elab_empty(e, base, span);
    }
    if (value->rank == 0) {
        result = elab_value(e, cast_scalar(e, value->exp, value->base, base, span), value->span);
    } else if (value->exp->kind == TAIL_EXP_VECTOR) {
        result = cast_literal(e, value, base, span);
    } else {
        result = elab_elementwise(e, cast_item, &base, NULL, value, span);
    }
    result->elements = cast_elements(e, value, base, span);
    result->contents = base == TAIL_INT ? value->contents : NULL;
    result->uniform = value->uniform && base == TAIL_INT;
    result->uniform_value = value->uniform_value;
    return result;
}

Value *elab_array_only(Elaboration *e, Value *value, Span span, const char *what)
{
    if (value->kind == VALUE_ARRAY) {
        return value;
    }
    if (value->kind == VALUE_TUPLE) {
        elab_nonce(e, span, "%s of nested items is", what);
    }
    elab_fail(e, span, "SYNTAX ERROR", "%s of a function", what);
}

/* Doubles that are whole serve as integers; where that is not known it is checked when the program
 * runs. */
static Value *whole_doubles(Elaboration *e, Value *value, Span span, const char *what)
{
    const TailExp *exp = value->exp;
    const TailExp *const *items = exp->kind == TAIL_EXP_VECTOR ? exp->as.items.items : &exp;
    size_t count = exp->kind == TAIL_EXP_VECTOR ? exp->as.items.count : 1;
    for (size_t i = 0; i < count; i++) {
        if (items[i]->kind == TAIL_EXP_DOUBLE && items[i]->as.real != floor(items[i]->as.real)) {
            elab_fail(e, span, "DOMAIN ERROR",
                      "%s must be whole numbers, not %s (⌊ makes whole numbers)", what,
                      elab_real_digits(e, items[i]->as.real));
        }
    }
    Call down = {.primitive = APL_FLOOR, .right = value, .span = span};
    Value *whole = elab_scalar_function(e, &down);
    Call same = {.primitive = APL_EQUAL, .left = whole, .right = value, .span = span};
    return elab_require_each(e, elab_scalar_function(e, &same), value, whole,
                             arena_printf(e->c->arena, "%s must be whole numbers", what), span);
}

Value *elab_as_int(Elaboration *e, Value *value, Span span, const char *what)
{
    if (value->kind == VALUE_TUPLE) {
        elab_fail(e, span, "DOMAIN ERROR", "%s must be whole numbers, not nested or mixed items",
                  what);
    }
    elab_array_only(e, value, span, what);
    if (value->base == TAIL_BOOL || value->base == TAIL_INT) {
        return elab_cast(e, value, TAIL_INT, span);
    }
    if (elab_known_empty(value) && value->rank == 1) {
        return elab_empty(e, TAIL_INT, span);
    }
    if (value->base == TAIL_DOUBLE) {
        return whole_doubles(e, value, span, what);
    }
    elab_fail(e, span, "DOMAIN ERROR", "%s must be whole numbers, not %s", what,
              value->base == TAIL_COMPLEX ? "complex numbers" : "characters");
}

Value *elab_as_scalar(Elaboration *e, Value *value, Span span)
{
    if (value->rank == 0) {
        return value;
    }
    if (elab_has_elements(value) && value->extents[0] == 1) {
        return elab_element(e, value, 0);
    }
    int64_t count = elab_count(value);
    if (count >= 0 && count != 1) {
        elab_fail(e, span, "LENGTH ERROR", "one item is wanted, not %lld", (long long)count);
    }
    return ELAB_VALUE(e, count == 1 ? TAIL_OP_FIRST : TAIL_OP_SINGLE, span, value->exp);
}

Value *elab_as_count(Elaboration *e, Value *value, Span span, const char *what)
{
    elab_array_only(e, value, span, what);
    if (value->rank > 1) {
        elab_fail(e, span, "RANK ERROR", "%s must be one number, not an array of rank %lld", what,
                  (long long)value->rank);
    }
    Value *scalar = elab_as_scalar(e, value, span);
    return elab_as_int(e, scalar, span, what);
}

Value *elab_sized(Elaboration *e, Value *value, Span span)
{
    const TailType *type = value->exp->type;
    if (type->kind == TAIL_VECTOR || type->kind == TAIL_SINGLE_VECTOR) {
        return value;
    }
    Value *count = elab_int(e, value->extents[0], span);
    Value *sized = ELAB_VALUE(e, TAIL_OP_TAKE, span, count->exp, value->exp);
    sized->elements = value->elements;
    return sized;
}

Value *elab_fill(Elaboration *e, TailBaseKind base, Span span)
{
    switch (base) {
    case TAIL_BOOL: return elab_bool(e, false, span);
    case TAIL_INT: return elab_int(e, 0, span);
    case TAIL_DOUBLE: return elab_number(e, 0.0, span);
    case TAIL_CHAR: return elab_value(e, tail_char(e->c, ' ', elab_place(e, span)), span);
    case TAIL_COMPLEX: return elab_value(e, tail_complex(e->c, 0, 0, elab_place(e, span)), span);
    case TAIL_BASE_VARIABLE: break;
    }
    internal_error(e->c, "no fill for %s", tail_base_text(base));
}

const char *elab_text(Elaboration *e, Span span)
{
    enum { LONGEST = 40 };
    if (span.file == NULL || span.end <= span.start) {
        return "it";
    }
    const char *start = span.file->text + span.start;
    size_t length = span.end - span.start;
    for (size_t i = 0; i < length; i++) {
        if (start[i] == '\n' || start[i] == '\r' || i > LONGEST) {
            return "v";
        }
    }
    return arena_text(e->c->arena, start, length);
}

const char *elab_digits(Elaboration *e, int64_t number)
{
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    return arena_printf(e->c->arena, "%s%llu", number < 0 ? "¯" : "", (unsigned long long)size);
}

const char *elab_real_digits(Elaboration *e, double number)
{
    char digits[40];
    Text text = text_create(e->c->arena);
    snprintf(digits, sizeof digits, "%.10g", number);
    for (const char *at = digits; *at != '\0'; at++) {
        char one[2] = {*at == 'e' ? 'E' : *at, '\0'};
        text_string(&text, *at == '-' ? "¯" : *at == '+' ? "" : one);
    }
    return text_get(&text);
}

void elab_check_length(Elaboration *e, int64_t length, Span span)
{
    if (length > LENGTH_LIMIT || length < -LENGTH_LIMIT) {
        elab_fail(e, span, "LIMIT ERROR", "an axis of length %s", elab_digits(e, length));
    }
}

static Value *truth_item(Elaboration *e, void *context, Value *left, Value *right, Span span)
{
    int64_t known;
    (void)context;
    (void)left;
    if (!elab_constant(right, &known)) {
        return ELAB_VALUE(e, TAIL_OP_I2B, span, right->exp);
    }
    if (known != 0 && known != 1) {
        elab_fail(e, span, "DOMAIN ERROR", "a condition is 0 or 1, not %s", elab_digits(e, known));
    }
    return elab_bool(e, known != 0, span);
}

Value *elab_truth(Elaboration *e, Value *value, Span span)
{
    if (value->base == TAIL_BOOL) {
        return value;
    }
    value = elab_as_int(e, value, span, "conditions");
    return elab_elementwise(e, truth_item, NULL, NULL, value, span);
}
