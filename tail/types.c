/* TAIL types: making, comparing and printing them.

   The types are those of [TAIL] fig. 1. A few examples, with what stands above them in the order
   of subtyping:

       S(int,~7)   <=  [int]0              the scalar -7
       SV(bool,1)  <=  <bool>1 <= [bool]1  the vector that holds tt
       <int>30     <=  [int]1              thirty ints

   Types are immutable and live in the compilation's arena. Equality is by structure; shapes are
   compared as sums, that is up to the order of their variables. */
#include "tail/tail.h"

/* ---- making ------------------------------------------------------------------------------ */

static const TailType *make_array_kind(Compilation *c, TailTypeKind kind, TailBaseKind base,
                                       int64_t shape)
{
    TailType *type = ARENA_NEW(c->arena, TailType);
    type->kind = kind;
    type->base.kind = base;
    type->shape.constant = shape;
    return type;
}

const TailType *tail_array_type(Compilation *c, TailBaseKind base, int64_t rank)
{
    if (rank < 0)
        internal_error(c, "an array type of rank %lld", (long long)rank);
    return make_array_kind(c, TAIL_ARRAY, base, rank);
}

const TailType *tail_scalar_type(Compilation *c, TailBaseKind base)
{
    return make_array_kind(c, TAIL_ARRAY, base, 0);
}

const TailType *tail_vector_type(Compilation *c, TailBaseKind base, int64_t length)
{
    if (length < 0)
        internal_error(c, "a vector type of length %lld", (long long)length);
    return make_array_kind(c, TAIL_VECTOR, base, length);
}

const TailType *tail_single_type(Compilation *c, TailBaseKind base, int64_t value)
{
    if (base != TAIL_INT && base != TAIL_BOOL) {
        internal_error(c, "a known value of type %s", tail_base_text(base));
    }
    return make_array_kind(c, TAIL_SINGLE, base, value);
}

const TailType *tail_single_vector_type(Compilation *c, TailBaseKind base, int64_t value)
{
    if (base != TAIL_INT && base != TAIL_BOOL) {
        internal_error(c, "a vector of a known value of type %s", tail_base_text(base));
    }
    return make_array_kind(c, TAIL_SINGLE_VECTOR, base, value);
}

static const TailType *make_list(Compilation *c, TailTypeKind kind, size_t count,
                                 const TailType *const *items)
{
    TailType *type = ARENA_NEW(c->arena, TailType);
    type->kind = kind;
    type->count = count;
    type->items = arena_copy(c->arena, items, count * sizeof *items);
    return type;
}

const TailType *tail_tuple_type(Compilation *c, size_t count, const TailType *const *items)
{
    return make_list(c, TAIL_TUPLE, count, items);
}

const TailType *tail_function_type(Compilation *c, size_t count, const TailType *const *items)
{
    if (count < 2)
        internal_error(c, "a function type without parameter");
    return make_list(c, TAIL_FUNCTION, count, items);
}

/* ---- comparing --------------------------------------------------------------------------- */

static bool base_equal(TailBase a, TailBase b)
{
    return a.kind == b.kind && (a.kind != TAIL_BASE_VARIABLE || a.variable == b.variable);
}

static bool shape_equal(TailShape a, TailShape b)
{
    if (a.constant != b.constant || a.variable_count != b.variable_count)
        return false;
    for (size_t i = 0; i < a.variable_count; i++) {
        if (a.variables[i] != b.variables[i])
            return false;
    }
    return true;
}

static bool shape_is(TailShape shape, int64_t constant)
{
    return shape.variable_count == 0 && shape.constant == constant;
}

bool tail_is_array(const TailType *type)
{
    return type->kind != TAIL_TUPLE && type->kind != TAIL_FUNCTION;
}

int64_t tail_rank(const TailType *type)
{
    switch (type->kind) {
    case TAIL_ARRAY: return type->shape.constant;
    case TAIL_VECTOR:
    case TAIL_SINGLE_VECTOR: return 1;
    case TAIL_SINGLE:
    case TAIL_TUPLE:
    case TAIL_FUNCTION: return 0;
    }
    return 0;
}

bool tail_type_equal(const TailType *a, const TailType *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind)
        return false;
    if (tail_is_array(a))
        return base_equal(a->base, b->base) && shape_equal(a->shape, b->shape);
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!tail_type_equal(a->items[i], b->items[i]))
            return false;
    }
    return true;
}

/* S(k,v) <= [k]0      SV(k,v) <= <k>1 <= [k]1      <k>n <= [k]1 */
static bool array_subtype(const TailType *a, const TailType *b)
{
    if (!base_equal(a->base, b->base))
        return false;
    if (a->kind == b->kind)
        return shape_equal(a->shape, b->shape);
    switch (a->kind) {
    case TAIL_SINGLE: return b->kind == TAIL_ARRAY && shape_is(b->shape, 0);
    case TAIL_SINGLE_VECTOR:
        return (b->kind == TAIL_VECTOR || b->kind == TAIL_ARRAY) && shape_is(b->shape, 1);
    case TAIL_VECTOR: return b->kind == TAIL_ARRAY && shape_is(b->shape, 1);
    case TAIL_ARRAY:
    case TAIL_TUPLE:
    case TAIL_FUNCTION: return false;
    }
    return false;
}

bool tail_subtype(const TailType *a, const TailType *b)
{
    if (a == b)
        return true;
    if (tail_is_array(a))
        return tail_is_array(b) && array_subtype(a, b);
    if (a->kind == TAIL_FUNCTION)
        return tail_type_equal(a, b);
    if (b->kind != TAIL_TUPLE || a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!tail_subtype(a->items[i], b->items[i]))
            return false;
    }
    return true;
}

static const TailType *join_arrays(Compilation *c, const TailType *a, const TailType *b)
{
    if (!base_equal(a->base, b->base) || tail_rank(a) != tail_rank(b))
        return NULL;
    bool a_single =
        a->kind == TAIL_SINGLE_VECTOR || (a->kind == TAIL_VECTOR && a->shape.constant == 1);
    bool b_single =
        b->kind == TAIL_SINGLE_VECTOR || (b->kind == TAIL_VECTOR && b->shape.constant == 1);
    if (a_single && b_single)
        return tail_vector_type(c, a->base.kind, 1);
    return tail_array_type(c, a->base.kind, tail_rank(a));
}

const TailType *tail_join(Compilation *c, const TailType *a, const TailType *b)
{
    if (tail_subtype(a, b))
        return b;
    if (tail_subtype(b, a))
        return a;
    if (tail_is_array(a) && tail_is_array(b))
        return join_arrays(c, a, b);
    if (a->kind != TAIL_TUPLE || b->kind != TAIL_TUPLE || a->count != b->count)
        return NULL;
    const TailType **items = ARENA_ARRAY(c->arena, const TailType *, a->count);
    for (size_t i = 0; i < a->count; i++) {
        items[i] = tail_join(c, a->items[i], b->items[i]);
        if (!items[i])
            return NULL;
    }
    return tail_tuple_type(c, a->count, items);
}

/* ---- printing ---------------------------------------------------------------------------- */

const char *tail_base_text(TailBaseKind base)
{
    switch (base) {
    case TAIL_BOOL: return "bool";
    case TAIL_INT: return "int";
    case TAIL_DOUBLE: return "double";
    case TAIL_COMPLEX: return "complex";
    case TAIL_CHAR: return "char";
    case TAIL_BASE_VARIABLE: return "'b";
    }
    return "";
}

static void print_base(Text *out, TailBase base)
{
    text_string(out, tail_base_text(base.kind));
    if (base.kind == TAIL_BASE_VARIABLE)
        text_printf(out, "%u", base.variable);
}

/* A negative number has a tilde, as in Standard ML. */
static void print_shape(Text *out, TailShape shape)
{
    if (shape.variable_count == 0 || shape.constant != 0) {
        uint64_t magnitude = (uint64_t)shape.constant;
        if (shape.constant < 0) {
            text_char(out, '~');
            magnitude = 0 - magnitude;
        }
        text_printf(out, "%llu", (unsigned long long)magnitude);
        if (shape.variable_count > 0)
            text_char(out, '+');
    }
    for (size_t i = 0; i < shape.variable_count; i++) {
        text_printf(out, "%s'r%u", i > 0 ? "+" : "", shape.variables[i]);
    }
}

static void print_type(Text *out, const TailType *type);

static void print_list(Text *out, const TailType *type, size_t count, const char *between)
{
    text_char(out, '(');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            text_string(out, between);
        print_type(out, type->items[i]);
    }
    text_char(out, ')');
}

static void print_bracketed(Text *out, const char *open, const TailType *type, const char *close)
{
    text_string(out, open);
    print_base(out, type->base);
    text_string(out, close);
    print_shape(out, type->shape);
}

static void print_type(Text *out, const TailType *type)
{
    switch (type->kind) {
    case TAIL_ARRAY: print_bracketed(out, "[", type, "]"); return;
    case TAIL_VECTOR: print_bracketed(out, "<", type, ">"); return;
    case TAIL_SINGLE:
        print_bracketed(out, "S(", type, ",");
        text_char(out, ')');
        return;
    case TAIL_SINGLE_VECTOR:
        print_bracketed(out, "SV(", type, ",");
        text_char(out, ')');
        return;
    case TAIL_TUPLE: print_list(out, type, type->count, " * "); return;
    case TAIL_FUNCTION:
        for (size_t i = 0; i + 1 < type->count; i++) {
            text_char(out, '(');
            print_type(out, type->items[i]);
            text_string(out, ")->");
        }
        print_type(out, type->items[type->count - 1]);
        return;
    }
}

char *tail_type_text(Compilation *c, const TailType *type)
{
    Text out = text_create(c->arena);
    print_type(&out, type);
    return arena_text(c->arena, text_get(&out), out.length);
}
