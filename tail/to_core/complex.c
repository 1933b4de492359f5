/* Complex numbers: a pair of reals, an array of them a pair of arrays.

       mulx(z,w), z = (a,b), w = (c,d)  ==>  (a*c - b*d, a*d + b*c)
       reverse(v), v = (re,im)          ==>  (reverse re, reverse im)

   So core has no complex type, as it has no tuples ([TAIL] section 4 does the same with pairs). A
   builtin that only moves or chooses elements is applied to each part; sizes, checks and positions
   that both need are numbered by value, and so are there once. Where the parts must be computed
   together (each, zipWith, reduce, scan, cells, filtering) the builtin's own file knows of them.

   Multiplication by a real number, (c,0) with a constant 0, multiplies both parts, and division
   divides them, as C's Annex G has it: 2 times an infinity has no nan in it. Other quotients are
   computed by Smith's method, which neither overflows nor vanishes without need. */
#include "tail/to_core/to_core.h"

typedef struct Complex {
    CoreAtom re, im;
} Complex;

/* ---- arithmetic ---------------------------------------------------------------------------- */

/* A sum with a constant 0 is the other number, of a real and a complex one as C has it. */
static CoreAtom add(ToCore *t, CoreAtom x, CoreAtom y)
{
    if (!x.name && x.as.real == 0)
        return y;
    if (!y.name && y.as.real == 0)
        return x;
    return to_core_binary(t, CORE_ADD, x, y);
}

static CoreAtom subtract(ToCore *t, CoreAtom x, CoreAtom y)
{
    return to_core_binary(t, CORE_SUB, x, y);
}

static CoreAtom multiply(ToCore *t, CoreAtom x, CoreAtom y)
{
    return to_core_binary(t, CORE_MUL, x, y);
}

static CoreAtom divide(ToCore *t, CoreAtom x, CoreAtom y)
{
    return to_core_binary(t, CORE_DIV, x, y);
}

/* Known to have the imaginary part 0. */
static bool is_real(Complex z)
{
    return !z.im.name && z.im.as.real == 0;
}

static Complex product(ToCore *t, Complex z, Complex w)
{
    if (is_real(z))
        return (Complex){multiply(t, z.re, w.re), multiply(t, z.re, w.im)};
    if (is_real(w))
        return (Complex){multiply(t, z.re, w.re), multiply(t, z.im, w.re)};
    CoreAtom reals = multiply(t, z.re, w.re), imaginaries = multiply(t, z.im, w.im);
    CoreAtom re = subtract(t, reals, imaginaries);
    CoreAtom outer = multiply(t, z.re, w.im), inner = multiply(t, z.im, w.re);
    return (Complex){re, add(t, outer, inner)};
}

/* if c then x else y, of pairs that were computed in these scopes, which are closed. */
static Complex choose(ToCore *t, CoreAtom condition, Scope *x_scope, Complex x, Scope *y_scope,
                      Complex y)
{
    CoreType type = core_scalar(t->real);
    CoreAtom x_parts[2] = {x.re, x.im}, y_parts[2] = {y.re, y.im};
    const CoreExp *exp =
        core_exp_if(t->c, condition, to_core_scope_body(x_scope, MOST_PARTS, x_parts),
                    to_core_scope_body(y_scope, MOST_PARTS, y_parts));
    CoreName *pattern[2] = {core_name(t->c, "re", type, BUILDER(t)->span),
                            core_name(t->c, "im", type, BUILDER(t)->span)};
    core_bind(BUILDER(t), 2, pattern, exp);
    return (Complex){core_use(pattern[0]), core_use(pattern[1])};
}

/* (a,b) / (c,d), |c| >= |d|:  r = d/c, s = c + d*r,  ((a + b*r)/s, (b - a*r)/s) */
static Complex quotient_by_larger(ToCore *t, Complex z, CoreAtom c, CoreAtom d)
{
    CoreAtom r = divide(t, d, c), s = add(t, c, multiply(t, d, r));
    return (Complex){divide(t, add(t, z.re, multiply(t, z.im, r)), s),
                     divide(t, subtract(t, z.im, multiply(t, z.re, r)), s)};
}

/* Otherwise, r = c/d, s = c*r + d:  ((a*r + b)/s, (b*r - a)/s) */
static Complex quotient_by_smaller(ToCore *t, Complex z, CoreAtom c, CoreAtom d)
{
    CoreAtom r = divide(t, c, d), s = add(t, multiply(t, c, r), d);
    return (Complex){divide(t, add(t, multiply(t, z.re, r), z.im), s),
                     divide(t, subtract(t, multiply(t, z.im, r), z.re), s)};
}

static Complex quotient(ToCore *t, Complex z, Complex w)
{
    if (is_real(w))
        return (Complex){divide(t, z.re, w.re), divide(t, z.im, w.re)};
    CoreAtom re = to_core_unary(t, CORE_ABS, w.re), im = to_core_unary(t, CORE_ABS, w.im);
    CoreAtom larger = to_core_binary(t, CORE_GE, re, im);
    Scope *then_scope = to_core_enter_scope(t);
    Complex then_value = quotient_by_larger(t, z, w.re, w.im);
    to_core_leave_scope(t);
    Scope *else_scope = to_core_enter_scope(t);
    Complex else_value = quotient_by_smaller(t, z, w.re, w.im);
    to_core_leave_scope(t);
    return choose(t, larger, then_scope, then_value, else_scope, else_value);
}

/* e^a (cos b, sin b); (e^a, b) where b is 0, since e^a may be infinite. */
static Complex exponential(ToCore *t, Complex z)
{
    CoreAtom size = to_core_unary(t, CORE_EXP, z.re);
    CoreAtom on_axis = to_core_binary(t, CORE_EQ, z.im, core_real(t->real, 0));
    Scope *then_scope = to_core_enter_scope(t);
    to_core_leave_scope(t);
    Scope *else_scope = to_core_enter_scope(t);
    Complex turned = {multiply(t, size, to_core_unary(t, CORE_COS, z.im)),
                      multiply(t, size, to_core_unary(t, CORE_SIN, z.im))};
    to_core_leave_scope(t);
    return choose(t, on_axis, then_scope, (Complex){size, z.im}, else_scope, turned);
}

/* There is one zero: -1-0i has the angle of -1. */
static CoreAtom angle(ToCore *t, Complex z)
{
    CoreAtom zero = core_real(t->real, 0);
    CoreAtom im = to_core_binary(t, CORE_ADD, z.im, zero);
    CoreAtom re = to_core_binary(t, CORE_ADD, z.re, zero);
    return to_core_binary(t, CORE_ATAN2, im, re);
}

/* loop (go = k > 0, r = 1, b = z, k = k) while go do (k >> 1 > 0, k odd ? r * b : r, b * b, k >> 1)
 */
static Complex power_of(ToCore *t, Complex z, CoreAtom k)
{
    enum { GO, R_RE, R_IM, B_RE, B_IM, K, COUNT };
    static const char *const TEXTS[COUNT] = {"go", "re", "im", "b_re", "b_im", "k"};
    CoreAtom one = core_real(t->real, 1), zero = core_real(t->real, 0), next[COUNT];
    CoreAtom initial[COUNT] = {
        to_core_binary(t, CORE_GT, k, core_i64(0)), one, zero, z.re, z.im, k};
    CoreName *names[COUNT], *pattern[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        CoreType type = core_scalar(core_atom_type(initial[i]).prim);
        names[i] = core_name(t->c, TEXTS[i], type, BUILDER(t)->span);
        pattern[i] = core_name(t->c, TEXTS[i], type, BUILDER(t)->span);
    }
    Complex r = {core_use(names[R_RE]), core_use(names[R_IM])};
    Complex b = {core_use(names[B_RE]), core_use(names[B_IM])};
    Scope *scope = to_core_enter_scope(t);
    CoreAtom odd = to_core_binary(
        t, CORE_EQ, to_core_binary(t, CORE_AND, core_use(names[K]), core_i64(1)), core_i64(1));
    Scope *then_scope = to_core_enter_scope(t);
    Complex more = product(t, r, b);
    to_core_leave_scope(t);
    Scope *else_scope = to_core_enter_scope(t);
    to_core_leave_scope(t);
    r = choose(t, odd, then_scope, more, else_scope, r);
    b = product(t, b, b);
    next[K] = to_core_binary(t, CORE_SHR, core_use(names[K]), core_i64(1));
    next[GO] = to_core_binary(t, CORE_GT, next[K], core_i64(0));
    next[R_RE] = r.re;
    next[R_IM] = r.im;
    next[B_RE] = b.re;
    next[B_IM] = b.im;
    to_core_leave_scope(t);
    core_bind(BUILDER(t), COUNT, pattern,
              core_exp_while(t->c, COUNT, names, initial, names[GO],
                             to_core_scope_body(scope, COUNT, next)));
    return (Complex){core_use(pattern[R_RE]), core_use(pattern[R_IM])};
}

/* The same for a small constant, written out. */
static Complex power_of_constant(ToCore *t, Complex z, int64_t k)
{
    Complex r = {core_real(t->real, 1), core_real(t->real, 0)};
    for (bool first = true; k > 0; k >>= 1) {
        if (k & 1) {
            r = first ? z : product(t, r, z);
            first = false;
        }
        if (k > 1)
            z = product(t, z, z);
    }
    return r;
}

static Complex reciprocal(ToCore *t, Complex z)
{
    Complex one = {core_real(t->real, 1), core_real(t->real, 0)};
    return quotient(t, one, z);
}

static Complex whole_power(ToCore *t, Complex z, CoreAtom k)
{
    enum { MOST_WRITTEN_OUT = 32 };
    if (!k.name && k.as.integer <= MOST_WRITTEN_OUT && k.as.integer >= -MOST_WRITTEN_OUT) {
        int64_t known = k.as.integer;
        Complex r = power_of_constant(t, z, known < 0 ? -known : known);
        return known < 0 ? reciprocal(t, r) : r;
    }
    k = to_core_convert(t, CORE_I64, k);
    Complex r = power_of(t, z, to_core_magnitude_of(t, k));
    CoreAtom negative = to_core_binary(t, CORE_LT, k, core_i64(0));
    Scope *then_scope = to_core_enter_scope(t);
    Complex turned = reciprocal(t, r);
    to_core_leave_scope(t);
    Scope *else_scope = to_core_enter_scope(t);
    to_core_leave_scope(t);
    return choose(t, negative, then_scope, turned, else_scope, r);
}

/* ---- builtins on scalars ------------------------------------------------------------------- */

static Complex complex_argument(ToCore *t, const Call *call, size_t i)
{
    CoreAtom parts[MOST_PARTS];
    if (to_core_store_parts(t, to_core_argument(t, call, i), parts) != MOST_PARTS)
        internal_error(t->c, "argument %zu of %s is not complex", i + 1,
                       tail_builtin_text(call->builtin));
    return (Complex){parts[0], parts[1]};
}

static Value *value_of(ToCore *t, Complex z)
{
    CoreAtom parts[MOST_PARTS] = {z.re, z.im};
    return to_core_value_parts(t, MOST_PARTS, parts);
}

static Value *translate_made(ToCore *t, const Call *call)
{
    CoreAtom re = to_core_argument_atom(t, call, 0);
    CoreAtom im =
        call->builtin == TAIL_OP_INJX ? to_core_argument_atom(t, call, 1) : core_real(t->real, 0);
    return value_of(t, (Complex){re, im});
}

static Value *translate_monadic(ToCore *t, const Call *call)
{
    Complex z = complex_argument(t, call, 0);
    t->text = call->text;
    switch ((int)call->builtin) {
    case TAIL_OP_REX: return to_core_value_atom(t, z.re);
    case TAIL_OP_IMX: return to_core_value_atom(t, z.im);
    case TAIL_OP_MAGNX: return to_core_value_atom(t, to_core_binary(t, CORE_HYPOT, z.re, z.im));
    case TAIL_OP_ARGX: return to_core_value_atom(t, angle(t, z));
    case TAIL_OP_NEGX: z.re = to_core_unary(t, CORE_NEG, z.re); break;
    case TAIL_OP_CONJX: break;
    default: return value_of(t, exponential(t, z));
    }
    z.im = to_core_unary(t, CORE_NEG, z.im);
    return value_of(t, z);
}

static Value *translate_powix(ToCore *t, const Call *call)
{
    Complex z = complex_argument(t, call, 0);
    CoreAtom k = to_core_argument_atom(t, call, 1);
    t->text = call->text;
    return value_of(t, whole_power(t, z, k));
}

static Value *translate_dyadic(ToCore *t, const Call *call)
{
    Complex z = complex_argument(t, call, 0), w = complex_argument(t, call, 1);
    t->text = call->text;
    switch ((int)call->builtin) {
    case TAIL_OP_ADDX: return value_of(t, (Complex){add(t, z.re, w.re), add(t, z.im, w.im)});
    case TAIL_OP_SUBX:
        return value_of(t, (Complex){subtract(t, z.re, w.re), subtract(t, z.im, w.im)});
    case TAIL_OP_MULX: return value_of(t, product(t, z, w));
    case TAIL_OP_DIVX: return value_of(t, quotient(t, z, w));
    default: break;
    }
    CoreAtom re = to_core_binary(t, CORE_EQ, z.re, w.re);
    CoreAtom im = to_core_binary(t, CORE_EQ, z.im, w.im);
    return to_core_value_atom(t, to_core_binary(t, CORE_AND, re, im));
}

/* ---- builtins on arrays, part by part ------------------------------------------------------ */

CoreAtom to_core_planes(ToCore *t, const Value *value)
{
    CoreAtom parts[MOST_PARTS];
    size_t rank = (size_t)to_core_value_rank(value);
    for (size_t i = 0; i < MOST_PARTS; i++)
        parts[i] = to_core_store(t, value->items[i]);
    if (rank == 0)
        return core_let_literal(BUILDER(t), "parts", MOST_PARTS, parts);
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, rank + 1);
    sizes[0] = core_i64(1);
    for (size_t axis = 0; axis < rank; axis++)
        sizes[axis + 1] = core_atom_type(parts[0]).sizes[axis];
    for (size_t i = 0; i < MOST_PARTS; i++)
        parts[i] = core_let_reshape(BUILDER(t), "part", parts[i], rank + 1, sizes);
    return core_let_concat(BUILDER(t), "parts", 0, core_i64(MOST_PARTS), MOST_PARTS, parts);
}

static bool is_complex_array(const TailType *type)
{
    return tail_is_array(type) && type->base.kind == TAIL_COMPLEX;
}

/* [f](a1, .., (re,im), ..)  ==>  ([f](a1, .., re, ..), [f](a1, .., im, ..)); the real parts alone
   where the result is not complex: shape(z). */
static Value *part_by_part(ToCore *t, const Call *call, Value *(*translate)(ToCore *, const Call *))
{
    size_t count = call->exp->as.call.count;
    bool any = is_complex_array(call->exp->type), one = !any;
    for (size_t i = 0; i < count; i++)
        any = any || is_complex_array(call->arguments[i]->type);
    if (!any)
        return NULL;
    Value **values = ARENA_ARRAY(t->c->arena, Value *, count + 1), *parts[MOST_PARTS];
    Value **given = ARENA_ARRAY(t->c->arena, Value *, count + 1);
    for (size_t i = 0; i < count; i++)
        values[i] = to_core_argument(t, call, i);
    Call part = *call;
    part.values = given;
    for (size_t p = 0; p < (one ? 1 : MOST_PARTS); p++) {
        for (size_t i = 0; i < count; i++)
            given[i] = values[i]->is_complex ? values[i]->items[p] : values[i];
        parts[p] = translate(t, &part);
    }
    return one ? parts[0] : to_core_value_complex(t, parts[0], parts[1]);
}

Value *to_core_translate_complex(ToCore *t, const Call *call)
{
    switch ((int)call->builtin) {
    case TAIL_OP_D2X:
    case TAIL_OP_INJX: return translate_made(t, call);
    case TAIL_OP_REX:
    case TAIL_OP_IMX:
    case TAIL_OP_NEGX:
    case TAIL_OP_CONJX:
    case TAIL_OP_MAGNX:
    case TAIL_OP_ARGX:
    case TAIL_OP_EXPX: return translate_monadic(t, call);
    case TAIL_OP_ADDX:
    case TAIL_OP_SUBX:
    case TAIL_OP_MULX:
    case TAIL_OP_DIVX:
    case TAIL_OP_EQX: return translate_dyadic(t, call);
    case TAIL_OP_POWIX: return translate_powix(t, call);
    case TAIL_OP_FIRST:
    case TAIL_OP_FIRSTV:
    case TAIL_OP_SINGLE:
    case TAIL_OP_SINGLER:
    case TAIL_OP_REQUIRE:
    case TAIL_OP_REQUIREI:
    case TAIL_OP_REQUIRED:
    case TAIL_OP_SAME:
    case TAIL_OP_IDXP:
    case TAIL_OP_IDXS: return part_by_part(t, call, to_core_translate_select);
    case TAIL_OP_REDUCE:
    case TAIL_OP_REDUCE1:
    case TAIL_OP_SCAN:
    case TAIL_OP_SCAN1: return to_core_translate_complex_fold(t, call);
    case TAIL_OP_PUT:
    case TAIL_OP_UPDATE: return part_by_part(t, call, to_core_translate_assign);
    case TAIL_OP_ZILDE:
    case TAIL_OP_SHAPE:
    case TAIL_OP_SHAPEV:
    case TAIL_OP_RESHAPE:
    case TAIL_OP_RAV:
    case TAIL_OP_TAKE:
    case TAIL_OP_TAKEV:
    case TAIL_OP_DROP:
    case TAIL_OP_DROPV:
    case TAIL_OP_CAT:
    case TAIL_OP_CATV:
    case TAIL_OP_CONS:
    case TAIL_OP_CONSV:
    case TAIL_OP_SNOC:
    case TAIL_OP_SNOCV:
    case TAIL_OP_VREVERSE:
    case TAIL_OP_VREVERSEV:
    case TAIL_OP_REVERSE:
    case TAIL_OP_REVERSEV:
    case TAIL_OP_VROTATE:
    case TAIL_OP_VROTATEV:
    case TAIL_OP_ROTATE:
    case TAIL_OP_ROTATEV:
    case TAIL_OP_TRANSP:
    case TAIL_OP_TRANSP2:
    case TAIL_OP_MEM:
    case TAIL_OP_MEMSCL: return part_by_part(t, call, to_core_translate_array);
    default: return NULL; /* another file's */
    }
}
