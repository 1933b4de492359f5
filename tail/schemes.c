/* What type a call of a builtin has: the type schemes of builtins.def, read and matched.

   A scheme is text such as `int -> [a]r -> [a]r`. A call's argument types are concrete, so that
   inference is matching: going from left to right, each argument must be a subtype of what the
   scheme says there, which binds base variables (a b c), shape variables (r q n m k d) and the type
   variables `t` and `any`. Alternatives (separated by `;`) are tried in order; the first that
   matches wins:

       take(S(int,~2), <int>5)   matches  S(int,k) -> <a>n -> <a>|k|    and has type <int>2
       take([int]0, <int>5)      matches  int -> [a]r -> [a]r           and has type [int]1

   [TAIL] section 2, figs 1 and 2. */
#include "tail/schemes.h"
#include "tail/instances.h"

/* ---- the table ----------------------------------------------------------------------------- */

static const struct {
    const char *text, *scheme;
} BUILTINS[] = {
#define TAIL_BUILTIN(enumerator, text, scheme, meaning) {text, scheme},
#include "tail/builtins.def"
#undef TAIL_BUILTIN
};

const char *tail_builtin_text(TailBuiltin builtin)
{
    return BUILTINS[builtin].text;
}

const char *tail_builtin_scheme(TailBuiltin builtin)
{
    return BUILTINS[builtin].scheme;
}

/* ---- matching ------------------------------------------------------------------------------ */

static bool match_base(SchemeBindings *bindings, const SchemePattern *pattern, TailBaseKind base)
{
    if (pattern->base_variable < 0)
        return pattern->base == base;
    int variable = pattern->base_variable;
    if (bindings->base_bound[variable])
        return bindings->bases[variable] == base;
    bindings->base_bound[variable] = true;
    bindings->bases[variable] = base;
    return true;
}

int64_t tail_term_value(const SchemeBindings *bindings, const SchemeTerm *term)
{
    int64_t value = term->variable < 0 ? term->constant : bindings->shapes[term->variable];
    if (term->absolute && value < 0)
        value = (int64_t)(0 - (uint64_t)value);
    return term->negative ? (int64_t)(0 - (uint64_t)value) : value;
}

/* Solves `pattern = value` for its one unbound variable, or compares. */
static bool match_shape(SchemeBindings *bindings, const SchemePattern *pattern, int64_t value)
{
    int unknown = -1;
    for (int i = 0; i < pattern->term_count; i++) {
        const SchemeTerm *term = &pattern->terms[i];
        if (term->variable >= 0 && !bindings->shape_bound[term->variable]) {
            unknown = term->variable;
        } else {
            value -= tail_term_value(bindings, term);
        }
    }
    if (unknown < 0)
        return value == 0;
    if (value < 0 && pattern->kind != TAIL_SINGLE && pattern->kind != TAIL_SINGLE_VECTOR)
        return false;
    bindings->shape_bound[unknown] = true;
    bindings->shapes[unknown] = value;
    return true;
}

/* [t]r, where t is a scalar or a tuple of scalars that is known by now. */
static bool match_lifted(SchemeBindings *bindings, const SchemePattern *pattern,
                         const TailType *scalar, const TailType *type)
{
    if (!scalar)
        return false;
    if (scalar->kind != TAIL_TUPLE) {
        return scalar->kind == TAIL_ARRAY && tail_rank(scalar) == 0 && tail_is_array(type) &&
               type->base.kind == scalar->base.kind &&
               match_shape(bindings, pattern, tail_rank(type));
    }
    bool fits = type->kind == TAIL_TUPLE && type->count == scalar->count && type->count > 0;
    for (size_t i = 0; fits && i < type->count; i++) {
        fits = scalar->items[i]->kind != TAIL_TUPLE &&
               match_lifted(bindings, pattern, scalar->items[i], type->items[i]);
    }
    return fits;
}

static bool match_pattern(SchemeBindings *bindings, const SchemePattern *pattern,
                          const TailType *type)
{
    if (pattern->lifted)
        return match_lifted(bindings, pattern, bindings->whole, type);
    if (pattern->whole) {
        if (type->kind == TAIL_FUNCTION)
            return false;
        if (bindings->whole)
            return tail_subtype(type, bindings->whole);
        bindings->whole = type;
        return true;
    }
    if (!tail_is_array(type) || !match_base(bindings, pattern, type->base.kind))
        return false;
    switch (pattern->kind) {
    case TAIL_ARRAY: return match_shape(bindings, pattern, tail_rank(type));
    case TAIL_VECTOR:
        if (type->kind == TAIL_SINGLE_VECTOR)
            return match_shape(bindings, pattern, 1);
        return type->kind == TAIL_VECTOR && match_shape(bindings, pattern, type->shape.constant);
    case TAIL_SINGLE:
    case TAIL_SINGLE_VECTOR:
        return type->kind == pattern->kind && match_shape(bindings, pattern, type->shape.constant);
    case TAIL_TUPLE:
    case TAIL_FUNCTION: return false;
    }
    return false;
}

/* A lambda's parameters have exactly the type that the scheme wants; its result a subtype. */
bool tail_match_item(SchemeBindings *bindings, const SchemeItem *item, const TailType *type)
{
    if (!item->function)
        return match_pattern(bindings, &item->patterns[0], type);
    if (type->kind != TAIL_FUNCTION || (int)type->count != item->count)
        return false;
    for (int i = 0; i < item->count; i++) {
        const SchemePattern *pattern = &item->patterns[i];
        const TailType *given = type->items[i];
        bool is_result = i + 1 == item->count;
        if (!is_result && !pattern->whole && given->kind != TAIL_ARRAY)
            return false;
        if (!match_pattern(bindings, pattern, given))
            return false;
        if (!is_result && pattern->whole && !tail_type_equal(given, bindings->whole))
            return false;
    }
    return true;
}

static const TailType *lift(Compilation *c, const TailType *scalar, int64_t rank)
{
    if (scalar->kind != TAIL_TUPLE)
        return tail_array_type(c, scalar->base.kind, rank);
    const TailType **items = ARENA_ARRAY(c->arena, const TailType *, scalar->count + 1);
    for (size_t i = 0; i < scalar->count; i++)
        items[i] = lift(c, scalar->items[i], rank);
    return tail_tuple_type(c, scalar->count, items);
}

/* The type that a pattern stands for now; NULL where that would have a negative rank or length. */
static const TailType *instantiate(Compilation *c, const SchemeBindings *bindings,
                                   const SchemePattern *pattern)
{
    if (pattern->whole)
        return bindings->whole;
    bool is_letter = !pattern->lifted && pattern->base_variable >= 0;
    TailBaseKind base = is_letter ? bindings->bases[pattern->base_variable] : pattern->base;
    int64_t shape = 0;
    bool clamped = false;
    for (int i = 0; i < pattern->term_count; i++) {
        shape += tail_term_value(bindings, &pattern->terms[i]);
        clamped |= pattern->terms[i].absolute && pattern->terms[i].negative;
    }
    if (clamped && shape < 0)
        shape = 0;
    if (pattern->lifted)
        return shape < 0 ? NULL : lift(c, bindings->whole, shape);
    switch (pattern->kind) {
    case TAIL_ARRAY: return shape < 0 ? NULL : tail_array_type(c, base, shape);
    case TAIL_VECTOR: return shape < 0 ? NULL : tail_vector_type(c, base, shape);
    case TAIL_SINGLE: return tail_single_type(c, base, shape);
    case TAIL_SINGLE_VECTOR: return tail_single_vector_type(c, base, shape);
    case TAIL_TUPLE:
    case TAIL_FUNCTION: break;
    }
    return NULL;
}

/* ---- what schemes cannot say --------------------------------------------------------------- */

bool tail_prints(TailBuiltin builtin, TailBaseKind *base)
{
    static const struct {
        TailBuiltin builtin;
        TailBaseKind base;
    } rows[] = {{TAIL_OP_PRARRI, TAIL_INT},
                {TAIL_OP_PRARRB, TAIL_BOOL},
                {TAIL_OP_PRARRD, TAIL_DOUBLE},
                {TAIL_OP_PRARRX, TAIL_COMPLEX},
                {TAIL_OP_PRARRC, TAIL_CHAR}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].builtin == builtin) {
            *base = rows[i].base;
            return true;
        }
    }
    return false;
}

static const char *check_print(Compilation *c, TailBuiltin builtin, TailBaseKind wanted,
                               const TailType *type)
{
    if (tail_is_array(type) && type->base.kind == wanted)
        return NULL;
    return arena_printf(c->arena, "%s prints %s arrays, but its argument has type %s",
                        tail_builtin_text(builtin), tail_base_text(wanted),
                        tail_type_text(c, type));
}

static const char *check_axis(Compilation *c, TailBuiltin builtin, const TailType *axis,
                              const TailType *array)
{
    if (axis->shape.constant >= 1 && axis->shape.constant <= tail_rank(array))
        return NULL;
    return arena_printf(c->arena, "%s takes axis %lld of an array of type %s",
                        tail_builtin_text(builtin), (long long)axis->shape.constant,
                        tail_type_text(c, array));
}

static const char *check_extent(Compilation *c, TailBuiltin builtin, const TailType *array)
{
    if (tail_rank(array) >= 1)
        return NULL;
    return arena_printf(c->arena, "%s has no axis to work on in an argument of type %s",
                        tail_builtin_text(builtin), tail_type_text(c, array));
}

/* The axes that transp2 is given: a vector literal of ints, or a vector of one known value. Gives
   the rank of the result, or -1. */
static int64_t transposed_rank(const TailExp *axes, size_t rank)
{
    int64_t most = 0;
    if (rank > 64)
        return -1;
    uint64_t seen = 0;
    for (size_t i = 0; i < rank; i++) {
        int64_t axis;
        if (axes->kind == TAIL_EXP_VECTOR && axes->as.items.items[i]->type->kind == TAIL_SINGLE) {
            axis = axes->as.items.items[i]->type->shape.constant;
        } else if (axes->type->kind == TAIL_SINGLE_VECTOR) {
            axis = axes->type->shape.constant;
        } else {
            return -1;
        }
        if (axis < 1 || axis > (int64_t)rank)
            return -1;
        if (axis > most)
            most = axis;
        seen |= (uint64_t)1 << (axis - 1);
    }
    bool dense = most == 64 ? seen == UINT64_MAX : seen == ((uint64_t)1 << most) - 1;
    return dense ? most : -1;
}

/* NULL where the call is fine; may make the result more precise. */
static const char *check_call(Compilation *c, TailBuiltin builtin, const TailExp *const *arguments,
                              const TailType **result)
{
    const TailType *first = arguments && *arguments ? arguments[0]->type : NULL;
    TailBaseKind printed;
    if (tail_prints(builtin, &printed))
        return check_print(c, builtin, printed, first);
    if (builtin == TAIL_OP_TAKE || builtin == TAIL_OP_DROP) {
        return check_extent(c, builtin, arguments[1]->type);
    }
    if (builtin == TAIL_OP_IDXS || builtin == TAIL_OP_IDXA) {
        return check_axis(c, builtin, first, arguments[2]->type);
    }
    if (builtin == TAIL_OP_IDXP) {
        return check_axis(c, builtin, first, arguments[4]->type);
    }
    if (builtin == TAIL_OP_TRANSP2) {
        int64_t rank = transposed_rank(arguments[0], (size_t)tail_rank(arguments[1]->type));
        if (rank < 0) {
            return "transp2 wants a vector literal of axes that names each from 1 to the greatest";
        }
        *result = tail_array_type(c, arguments[1]->type->base.kind, rank);
    }
    return NULL;
}

/* ---- inference ----------------------------------------------------------------------------- */

static char *arguments_text(Compilation *c, size_t count, const TailExp *const *arguments)
{
    Text text = text_create(c->arena);
    for (size_t i = 0; i < count; i++) {
        text_printf(&text, "%s%s", i > 0 ? ", " : "", tail_type_text(c, arguments[i]->type));
    }
    return arena_text(c->arena, text_get(&text), text.length);
}

static const TailType *match_scheme(Compilation *c, const Scheme *scheme,
                                    const TailExp *const *arguments)
{
    SchemeBindings bindings = {0};
    for (int i = 0; i + 1 < scheme->count; i++) {
        if (!tail_match_item(&bindings, &scheme->items[i], arguments[i]->type))
            return NULL;
    }
    return instantiate(c, &bindings, &scheme->items[scheme->count - 1].patterns[0]);
}

const TailType *tail_infer_call(Compilation *c, TailBuiltin builtin, size_t count,
                                const TailExp *const *arguments, TailInstance *instance,
                                const char **problem)
{
    const Schemes *schemes = tail_schemes(c, builtin);
    const TailType *result = NULL;
    for (size_t i = 0; !result && i < schemes->count; i++) {
        const Scheme *scheme = &schemes->items[i];
        if ((int)count != scheme->count - 1) {
            *problem = arena_printf(
                c->arena, "%s takes %d argument%s, but here %s %zu", tail_builtin_text(builtin),
                scheme->count - 1, scheme->count == 2 ? "" : "s", count == 1 ? "is" : "are", count);
            return NULL;
        }
        result = match_scheme(c, scheme, arguments);
    }
    if (!result) {
        *problem = arena_printf(c->arena, "%s has type %s, but its arguments are %s",
                                tail_builtin_text(builtin), tail_builtin_scheme(builtin),
                                arguments_text(c, count, arguments));
        return NULL;
    }
    *problem = check_call(c, builtin, count ? arguments : NULL, &result);
    if (*problem)
        return NULL;
    tail_find_instance(c, builtin, arguments, result, instance);
    return result;
}
