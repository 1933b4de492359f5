/* Literals and operators of the front form.

   A literal without suffix takes the type that its context wants: an operand the type of the other
   operand, an argument the parameter's, what is annotated the annotation's.

       let x : f32 = 1          1.0f32
       y * 2                    2 of y's type
       max 0 z                  0 of z's type
       3                        an i64 where nothing is known */
#include "core/front/elaborate.h"

/* ---- literals -------------------------------------------------------------------------------- */

bool front_is_literal(const FrontExp *exp)
{
    switch ((int)exp->kind) {
    case FRONT_CONSTANT: return exp->as.constant.is_adaptive;
    case FRONT_UNARY: return front_is_literal(exp->as.operation.x);
    case FRONT_BINARY:
        return front_is_literal(exp->as.operation.x) && front_is_literal(exp->as.operation.y);
    case FRONT_TUPLE:
    case FRONT_ARRAY:
        for (size_t i = 0; i < exp->as.items.count; i++) {
            if (!front_is_literal(exp->as.items.items[i])) {
                return false;
            }
        }
        return exp->kind == FRONT_ARRAY || exp->as.items.count > 0;
    }
    return false;
}

/* Whether 2.5 is among the literals. */
static bool has_real(const FrontExp *exp)
{
    switch ((int)exp->kind) {
    case FRONT_CONSTANT: return core_is_real(exp->as.constant.atom.prim);
    case FRONT_UNARY: return has_real(exp->as.operation.x);
    case FRONT_BINARY: return has_real(exp->as.operation.x) || has_real(exp->as.operation.y);
    }
    return false;
}

bool front_is_weaker(const FrontExp *x, const FrontExp *y)
{
    if (!front_is_weak(x)) {
        return false;
    }
    return !front_is_weak(y) || (has_real(y) && !has_real(x));
}

bool front_is_weak(const FrontExp *exp)
{
    if (exp->kind == FRONT_IF) {
        return front_is_weak(exp->as.conditional.then_exp) &&
               front_is_weak(exp->as.conditional.else_exp);
    }
    if (exp->kind == FRONT_BLOCK) {
        return front_is_weak(exp->as.block.result);
    }
    return front_is_literal(exp);
}

Value front_constant(Elaborator *e, const FrontExp *exp, Want want)
{
    CoreAtom atom = exp->as.constant.atom;
    bool numeric = want.type && want.type->kind == TYPE_SCALAR &&
                   (core_is_int(want.type->prim) || core_is_real(want.type->prim));
    if (!exp->as.constant.is_adaptive || !numeric || want.type->prim == atom.prim) {
        return front_value_atom(e, atom);
    }
    CorePrim prim = want.type->prim;
    if (core_is_real(prim)) {
        double value = core_is_real(atom.prim) ? atom.as.real : (double)atom.as.integer;
        return front_value_atom(e, core_real(prim, value));
    }
    if (core_is_real(atom.prim)) {
        return front_value_atom(e, atom); /* 2.5 is no int: who uses it says so */
    }
    CoreAtom narrow = core_int(prim, atom.as.integer);
    if (narrow.as.integer != atom.as.integer) {
        front_error(e, exp->span, "TYPE ERROR", "%lld is too large for %s",
                    (long long)atom.as.integer, core_prim_text(prim));
    }
    return front_value_atom(e, narrow);
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool is_comparison(CoreOperator op)
{
    return core_operator_result(op, CORE_I64) == CORE_BOOL;
}

/* What an operator's operands should be, where nothing but literals says. */
static const Type *operand_wanted(Elaborator *e, CoreOperator op, Want want)
{
    if (want.type && want.type->kind == TYPE_SCALAR && !is_comparison(op) &&
        core_operator_accepts(op, want.type->prim)) {
        return want.type;
    }
    return core_operator_accepts(op, CORE_I64) ? NULL : front_type_scalar(e, CORE_F64);
}

/* The prims that an operator takes: "bool, i32 or i64". */
static const char *domain_text(Elaborator *e, CoreOperator op)
{
    Text text = text_create(e->c->arena);
    CorePrim prims[6];
    size_t count = 0;
    for (int prim = CORE_BOOL; prim <= CORE_F64; prim++) {
        if (core_operator_accepts(op, (CorePrim)prim)) {
            prims[count++] = (CorePrim)prim;
        }
    }
    for (size_t i = 0; i < count; i++) {
        text_string(&text, i == 0 ? "" : i + 1 < count ? ", " : " or ");
        text_string(&text, core_prim_text(prims[i]));
    }
    return text_get(&text);
}

static bool accepts(Elaborator *e, CoreOperator op, const Value *x, Span span)
{
    if (x->type->kind == TYPE_SCALAR && core_operator_accepts(op, x->type->prim)) {
        return true;
    }
    const char *text = op == CORE_NEG ? "-" : core_operator_text(op);
    const char *what = arena_printf(e->c->arena, "operator %s", text);
    front_mismatch(e, span, what, domain_text(e, op), front_type_text(e, x->type));
    return false;
}

static Value apply_binary(Elaborator *e, CoreOperator op, const Value *x, const Value *y,
                          const char *text, Span span)
{
    if (x->kind != VALUE_DATA || y->kind != VALUE_DATA) {
        return ERROR_VALUE;
    }
    if (!accepts(e, op, x, span) || !accepts(e, op, y, span)) {
        return ERROR_VALUE;
    }
    if (x->type->prim != y->type->prim) {
        front_error(
            e, span, "TYPE ERROR", "operator %s takes two operands of one type, found %s and %s",
            core_operator_text(op), core_prim_text(x->type->prim), core_prim_text(y->type->prim));
        return ERROR_VALUE;
    }
    return front_value_atom(e, front_binary(e, text, op, x->leaves[0], y->leaves[0]));
}

static Value apply_unary(Elaborator *e, CoreOperator op, const Value *x, const char *text,
                         Span span)
{
    if (x->kind != VALUE_DATA || !accepts(e, op, x, span)) {
        return ERROR_VALUE;
    }
    return front_value_atom(e, front_unary(e, text, op, x->leaves[0]));
}

/* Literals wait for the other operand. */
Value front_operator(Elaborator *e, CoreOperator op, Value x, const Value *y, Want want, Span span)
{
    Want wanted = {operand_wanted(e, op, want), NULL};
    if (!y) {
        x = front_force(e, x, wanted, front_value_span(&x, span));
        return apply_unary(e, op, &x, want.text, span);
    }
    Value second = *y;
    if (x.kind == VALUE_LITERAL && second.kind == VALUE_DATA) {
        wanted.type = second.type;
    }
    x = front_force(e, x, wanted, front_value_span(&x, span));
    if (x.kind == VALUE_DATA) {
        wanted.type = x.type;
    }
    second = front_force(e, second, wanted, front_value_span(&second, span));
    return apply_binary(e, op, &x, &second, want.text, span);
}

Value front_unary_exp(Elaborator *e, const FrontExp *exp, Want want)
{
    CoreOperator op = exp->as.operation.op;
    Value x = front_data(e, exp->as.operation.x, (Want){operand_wanted(e, op, want), NULL});
    return apply_unary(e, op, &x, want.text, exp->span);
}

Value front_binary_exp(Elaborator *e, const FrontExp *exp, Want want)
{
    CoreOperator op = exp->as.operation.op;
    const FrontExp *first = exp->as.operation.x, *second = exp->as.operation.y;
    bool swapped = front_is_weaker(first, second);
    if (swapped) {
        first = exp->as.operation.y;
        second = exp->as.operation.x;
    }
    Want wanted = {operand_wanted(e, op, want), NULL};
    Value x = front_elaborate_exp(e, first, wanted);
    if (x.kind == VALUE_DATA) {
        wanted.type = x.type;
    }
    Value y = front_elaborate_exp(e, second, wanted);
    x.span = first->span;
    y.span = second->span;
    return swapped ? front_operator(e, op, y, &x, want, exp->span)
                   : front_operator(e, op, x, &y, want, exp->span);
}

Value front_conversion(Elaborator *e, CorePrim to, Value x, Want want, Span span)
{
    const Type *wanted = core_is_real(to) ? front_type_scalar(e, to) : NULL;
    x = front_force(e, x, (Want){wanted, NULL}, span);
    if (x.kind != VALUE_DATA) {
        return ERROR_VALUE;
    }
    if (x.type->kind != TYPE_SCALAR) {
        return front_mismatch(e, span, core_prim_text(to), "a scalar", front_type_text(e, x.type));
    }
    return front_value_atom(e, front_convert(e, want.text, to, x.leaves[0]));
}
