/* Names, types, literals and scalar expressions of the kernel language as C, OpenCL C, or text.

       x_2[i_4 * 3] + 1.5        plain operators where C's meaning is ours
       tl_add_i64(a_1, b_2)      runtime/scalar.h's functions everywhere else

   Integers wrap, and signed overflow is undefined in both C and OpenCL C; so integer sums and
   products are calls, except where they compute an index: an index is below an extent whose product
   was checked when the array was made, so it cannot overflow, and plain operators keep loops
   readable and let compilers see the access pattern. */
#include "backend/emit/emit.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

/* C's precedences, higher binds tighter. */
enum {
    BINDS_SELECT = 3,
    BINDS_BITS = 6,
    BINDS_EQUAL = 9,
    BINDS_LESS = 10,
    BINDS_SUM = 12,
    BINDS_PRODUCT = 13,
    BINDS_UNARY = 15,
    BINDS_PRIMARY = 16
};

/* ---- names and types ------------------------------------------------------------------------ */

const char *emit_identifier(Compilation *c, const char *text)
{
    Text name = text_create(c->arena);
    bool reserved = !isalpha((unsigned char)text[0]) || strncmp(text, "M_", 2) == 0 ||
                    strncmp(text, "tl_", 3) == 0 || strncmp(text, "TL_", 3) == 0 ||
                    strncasecmp(text, "cl_", 3) == 0;
    if (reserved)
        text_char(&name, 'v');
    for (const char *at = text; *at; at++) {
        text_char(&name, isalnum((unsigned char)*at) ? *at : '_');
    }
    return text_get(&name);
}

const char *emit_name(Emit *e, const KernelVariable *variable)
{
    const char **cached = &e->names[variable->number];
    if (!*cached) {
        *cached = arena_printf(e->c->arena, "%s_%u", emit_identifier(e->c, variable->text),
                               variable->number);
    }
    return *cached;
}

const char *emit_scalar_type(EmitDialect dialect, CorePrim prim)
{
    bool device = dialect == EMIT_DEVICE;
    if (dialect == EMIT_KERNELS)
        return core_prim_text(prim);
    switch (prim) {
    case CORE_BOOL: return "bool";
    case CORE_CHAR: return device ? "uint" : "uint32_t";
    case CORE_I32: return device ? "int" : "int32_t";
    case CORE_I64: return device ? "long" : "int64_t";
    case CORE_F32: return "float";
    case CORE_F64: return "double";
    case CORE_CERT: break;
    }
    return "void";
}

const char *emit_element_type(EmitDialect dialect, CorePrim prim)
{
    if (prim != CORE_BOOL) {
        return emit_scalar_type(dialect, prim);
    }
    switch (dialect) {
    case EMIT_DEVICE: return "uchar";
    case EMIT_C: return "uint8_t"; /* GCC vectorises no loop that stores the bool of other bools */
    case EMIT_HOST:
    case EMIT_KERNELS: break;
    }
    return emit_scalar_type(dialect, prim);
}

const char *emit_type_constant(CorePrim prim)
{
    switch (prim) {
    case CORE_BOOL: return "TL_BOOL";
    case CORE_CHAR: return "TL_CHAR";
    case CORE_I32: return "TL_I32";
    case CORE_I64: return "TL_I64";
    case CORE_F32: return "TL_F32";
    case CORE_F64: return "TL_F64";
    case CORE_CERT: break;
    }
    return "TL_BOOL";
}

/* ---- literals ------------------------------------------------------------------------------- */

static const char *float_text(Compilation *c, float value)
{
    char text[32];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    return arena_printf(c->arena, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static const char *real_text(Emit *e, CorePrim prim, double value)
{
    if (e->dialect != EMIT_KERNELS) {
        if (isnan(value))
            return "NAN";
        if (isinf(value))
            return value > 0 ? "INFINITY" : "-INFINITY";
    }
    if (prim == CORE_F64)
        return text_of_double(e->c->arena, value);
    const char *text =
        isfinite(value) ? float_text(e->c, (float)value) : text_of_double(e->c->arena, value);
    return arena_printf(e->c->arena, "%s%s", text, e->dialect == EMIT_KERNELS ? "f32" : "f");
}

static const char *integer_text(Emit *e, CorePrim prim, int64_t value)
{
    if (e->dialect == EMIT_KERNELS) {
        return arena_printf(e->c->arena, "%lld%s", (long long)value, prim == CORE_I32 ? "i32" : "");
    }
    if (value == INT64_MIN)
        return "(-9223372036854775807L - 1)";
    if (value == INT32_MIN)
        return "(-2147483647 - 1)";
    bool is_long = value > INT32_MAX || value < INT32_MIN;
    return arena_printf(e->c->arena, "%lld%s", (long long)value, is_long ? "L" : "");
}

static const char *atom_text(Emit *e, CoreAtom atom)
{
    switch (atom.prim) {
    case CORE_BOOL: return atom.as.integer ? "true" : "false";
    case CORE_CHAR:
        if (atom.as.integer >= ' ' && atom.as.integer < 127 && atom.as.integer != '\'' &&
            atom.as.integer != '\\') {
            return arena_printf(e->c->arena, "'%c'", (int)atom.as.integer);
        }
        return arena_printf(e->c->arena, "%lld", (long long)atom.as.integer);
    case CORE_I32:
    case CORE_I64: return integer_text(e, atom.prim, atom.as.integer);
    case CORE_F32:
    case CORE_F64: return real_text(e, atom.prim, atom.as.real);
    case CORE_CERT: break;
    }
    return "0";
}

const char *emit_quoted(Compilation *c, const char *text)
{
    if (!text)
        return "NULL";
    Text quoted = text_create(c->arena);
    text_char(&quoted, '"');
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        bool is_trigraph = at[0] == '?' && at[1] == '?';
        if (*at == '"' || *at == '\\' || is_trigraph) {
            text_char(&quoted, '\\');
            text_char(&quoted, (char)*at);
        } else if (*at == '\n') {
            text_string(&quoted, "\\n");
        } else if (*at < ' ') {
            text_printf(&quoted, "\\%03o", *at);
        } else {
            text_char(&quoted, (char)*at);
        }
    }
    text_char(&quoted, '"');
    return text_get(&quoted);
}

const char *emit_place_line(Compilation *c, Span span)
{
    if (!span.file)
        return NULL;
    return arena_printf(c->arena, "%s:%u", span.file->name, source_place(c->arena, span).line);
}

const char *emit_place_comment(Compilation *c, Span span)
{
    if (!span.file)
        return NULL;
    Place place = source_place(c->arena, span);
    char *line = arena_text(c->arena, place.source_line, strlen(place.source_line));
    while (*line == ' ')
        line++;
    for (char *at = line; *at; at++) {
        if ((at[0] == '*' && at[1] == '/') || (at[0] == '/' && at[1] == '*')) {
            Text safe = text_create(c->arena);
            for (const char *from = line; *from; from++) {
                text_char(&safe, *from);
                bool opens =
                    (from[0] == '*' && from[1] == '/') || (from[0] == '/' && from[1] == '*');
                if (opens)
                    text_char(&safe, ' ');
            }
            line = arena_text(c->arena, text_get(&safe), safe.length);
            break;
        }
    }
    return arena_printf(c->arena, "%s:%u: %s", span.file->name, place.line, line);
}

/* ---- expressions ---------------------------------------------------------------------------- */

/* Where an expression stands. */
typedef struct Position {
    int binds;      /* parentheses around what binds less than this */
    bool is_index;  /* integers do not wrap here */
    bool is_narrow; /* 64-bit integers are tl_index here */
} Position;

static void print_exp(Emit *e, Text *out, const KernelExp *exp, Position at);

static bool is_narrow(const Emit *e, const KernelVariable *variable)
{
    bool has_types = e->dialect == EMIT_DEVICE || e->dialect == EMIT_C;
    return has_types && e->narrow && variable->space == KERNEL_SCALAR &&
           e->narrow[variable->number];
}

static Position value_at(int binds)
{
    return (Position){.binds = binds};
}

static int operator_binds(CoreOperator op)
{
    switch ((int)op) {
    case CORE_ADD:
    case CORE_SUB: return BINDS_SUM;
    case CORE_MUL:
    case CORE_DIV:
    case CORE_MOD: return BINDS_PRODUCT;
    case CORE_EQ:
    case CORE_NE: return BINDS_EQUAL;
    case CORE_LT:
    case CORE_LE:
    case CORE_GT:
    case CORE_GE: return BINDS_LESS;
    }
    return BINDS_BITS;
}

static bool is_comparison(CoreOperator op)
{
    int binds = operator_binds(op);
    return binds == BINDS_EQUAL || binds == BINDS_LESS;
}

/* Whether C's own operator, spelt as core spells it, means the same there. */
static bool is_plain_binary(const Emit *e, CoreOperator op, CorePrim prim, bool is_exact)
{
    if (e->dialect == EMIT_KERNELS)
        return !isalpha((unsigned char)core_operator_text(op)[0]);
    if (is_comparison(op))
        return true;
    switch ((int)op) {
    case CORE_ADD:
    case CORE_SUB:
    case CORE_MUL: return core_is_real(prim) || (is_exact && prim == CORE_I64);
    case CORE_DIV: return core_is_real(prim);
    case CORE_AND:
    case CORE_OR:
    case CORE_XOR: return true;
    }
    return false;
}

/* tl_max_i64 in C, max in the text form. */
static void print_function(Emit *e, Text *out, CoreOperator op, CorePrim prim, bool is_narrow)
{
    if (e->dialect == EMIT_KERNELS) {
        text_string(out, core_operator_text(op));
        return;
    }
    static const char *const names[] = {
#define CORE_OPERATOR(enumerator, text, arity, domain, result, meaning)                            \
    [CORE_##enumerator] = #enumerator,
#include "core/operators.def"
#undef CORE_OPERATOR
    };
    text_string(out, "tl_");
    for (const char *at = names[op]; *at; at++)
        text_char(out, (char)tolower((unsigned char)*at));
    text_printf(out, "_%s", is_narrow && prim == CORE_I64 ? "index" : core_prim_text(prim));
}

/* In a kernel an index that might not fit on the way is computed modulo 2^32, unsigned. */
static bool wraps_as_index(const Emit *e, const KernelExp *exp, Position at)
{
    return e->dialect == EMIT_DEVICE && at.is_index && exp->prim == CORE_I64 &&
           exp->as.scalar.x->kind != KERNEL_BINARY && !emit_fits_index(e, exp);
}

/* In sequential C the value of a narrow variable, which does not leave 32 bits on the way. */
static bool is_narrow_sum(const Emit *e, Position at)
{
    return e->dialect == EMIT_C && at.is_narrow;
}

bool emit_divides_by_variable(const KernelExp *exp)
{
    return exp->kind == KERNEL_BINARY && exp->prim == CORE_I64 &&
           (exp->as.scalar.op == CORE_DIV || exp->as.scalar.op == CORE_MOD) &&
           exp->as.scalar.y->kind == KERNEL_VARIABLE;
}

bool emit_has_inverse(const Emit *e, const KernelExp *exp)
{
    bool divides = emit_divides_by_variable(exp);
    for (size_t i = 0; divides && i < e->divisors.count; i++) {
        if (e->divisors.items[i] == exp->as.scalar.y->as.variable)
            return true;
    }
    return false;
}

/* name(x, y */
static void print_call(Emit *e, Text *out, const char *name, const KernelExp *x, const KernelExp *y)
{
    text_printf(out, "%s(", name);
    print_exp(e, out, x, value_at(0));
    text_string(out, ", ");
    print_exp(e, out, y, value_at(0));
}

/* What a target has a quicker way for; false: there is none. */
static bool print_quickly(Emit *e, Text *out, const KernelExp *exp, Position at)
{
    const KernelExp *x = exp->as.scalar.x, *y = exp->as.scalar.y, *sum;
    bool divides = exp->as.scalar.op == CORE_DIV;
    double reciprocal, low;
    uint32_t high;
    if (e->dialect == EMIT_C && exp->by_reals) {
        const char *name = divides ? "quotient" : "remainder";
        print_call(e, out, arena_printf(e->c->arena, "tl_%s%s", exp->natural ? "near_" : "", name),
                   x, y);
        text_char(out, ')');
        return true;
    }
    if ((e->dialect == EMIT_C || e->dialect == EMIT_DEVICE) &&
        kernel_is_residue_of_power_of_2(exp)) {
        print_call(e, out, arena_printf(e->c->arena, "tl_mod_power_%s", core_prim_text(exp->prim)),
                   x, y);
        text_char(out, ')');
        return true;
    }
    if (e->far && kernel_is_residue(exp)) {
        print_call(e, out, "tl_near_mod", x, y);
        text_printf(out, ", &%s)", e->far);
        return true;
    }
    if (e->dialect != EMIT_DEVICE) {
        return false;
    }
    const EmitTwicePlus *twice = pointer_map_get(&e->twice, exp);
    if (twice) {
        print_call(e, out, "tl_twice_plus", twice->t, twice->c);
        text_char(out, ')');
        return true;
    }
    if (exp->fused) {
        print_call(e, out, "tl_plus_product", y->as.scalar.x, y->as.scalar.y);
        text_string(out, ", ");
        print_exp(e, out, x, value_at(0));
        text_char(out, ')');
        return true;
    }
    if (emit_compares_high_word(e, exp, &sum, &high)) {
        bool parentheses = at.binds > BINDS_LESS;
        text_string(out, parentheses ? "((uint)(as_ulong(" : "(uint)(as_ulong(");
        print_exp(e, out, sum, value_at(0));
        text_printf(out, ") >> 32) < 0x%08xu%s", (unsigned)high, parentheses ? ")" : "");
        return true;
    }
    if (at.is_narrow && emit_has_inverse(e, exp)) {
        const char *name = emit_name(e, y->as.variable);
        bool natural = exp->natural && x->kind == KERNEL_VARIABLE; /* a macro, which repeats it */
        text_printf(out, "tl_%s_by%s(", divides ? "div" : "mod", natural ? "" : "_floor");
        print_exp(e, out, x, (Position){.is_narrow = true});
        text_printf(out, ", %s, by_%s)", name, name);
        return true;
    }
    if (emit_divides_by_constant(exp, &reciprocal, &low)) {
        print_call(e, out, low == 0 ? "tl_divide_by" : "tl_divide_by_two", x, y);
        text_printf(out, ", %s", real_text(e, CORE_F64, reciprocal));
        if (low != 0)
            text_printf(out, ", %s", real_text(e, CORE_F64, low));
        text_char(out, ')');
        return true;
    }
    const KernelVariable *divisor = emit_real_divisor(exp);
    if (divisor && emit_has_reciprocal(e, divisor)) {
        const char *name = emit_name(e, divisor);
        print_call(e, out, "tl_divide_by_known", x, y);
        text_printf(out, ", by_%s, low_%s)", name, name);
        return true;
    }
    return false;
}

static void print_binary(Emit *e, Text *out, const KernelExp *exp, Position at)
{
    CoreOperator op = exp->as.scalar.op;
    CorePrim prim = exp->as.scalar.prim;
    const KernelExp *x = exp->as.scalar.x, *y = exp->as.scalar.y;
    /* an extent of 0 may stand there in a loop that never runs; devices have a quicker way */
    bool natural = exp->natural && !kernel_is_i64(y, 0) && e->dialect != EMIT_DEVICE;
    bool is_sum = is_narrow_sum(e, at);
    if (print_quickly(e, out, exp, at))
        return;
    if (e->dialect == EMIT_C && emit_adds_equality(e, exp)) {
        const KernelExp *differs =
            kernel_binary(e->c, CORE_XOR, x, kernel_unary(e->c, CORE_NOT, y));
        print_exp(e, out, differs, at);
        return;
    }
    if (kernel_is_power(exp) && (e->on_processor ? e->far != NULL : e->dialect == EMIT_DEVICE)) {
        text_string(out, e->on_processor ? "tl_pow_near(" : "tl_power(");
        print_exp(e, out, x, value_at(0));
        text_string(out, ", ");
        print_exp(e, out, y, value_at(0));
        text_string(out, e->on_processor ? ", &" : "");
        text_printf(out, "%s)", e->on_processor ? e->far : "");
        return;
    }
    if (!natural && !is_plain_binary(e, op, prim, at.is_index || is_sum)) {
        bool floors =
            at.is_narrow && (op == CORE_DIV || op == CORE_MOD) && !emit_divides_naturally(e, exp);
        print_function(e, out, op, prim, at.is_narrow);
        text_string(out, floors ? "_floor(" : "(");
        print_exp(e, out, x, (Position){.is_narrow = at.is_narrow});
        text_string(out, ", ");
        print_exp(e, out, y, (Position){.is_narrow = at.is_narrow});
        text_char(out, ')');
        return;
    }
    int binds = operator_binds(op);
    bool keeps_index = at.is_index && binds >= BINDS_SUM;
    int left = is_comparison(op) ? BINDS_SUM : binds,
        right = is_comparison(op) ? BINDS_SUM : binds + 1;
    if (binds == BINDS_BITS) {
        bool same = x->kind == KERNEL_BINARY && x->as.scalar.op == op;
        left = same ? BINDS_BITS : BINDS_UNARY;
        right = BINDS_UNARY;
    }
    bool parentheses = binds < at.binds;
    if (parentheses)
        text_char(out, '(');
    bool wraps = keeps_index && wraps_as_index(e, exp, at);
    if (wraps)
        text_string(out, "(tl_uindex)");
    print_exp(e, out, x, (Position){wraps ? BINDS_PRIMARY : left, keeps_index, is_sum});
    text_printf(out, " %s ", core_operator_text(op));
    print_exp(e, out, y, (Position){right, keeps_index, is_sum});
    if (parentheses)
        text_char(out, ')');
}

static void print_unary(Emit *e, Text *out, const KernelExp *exp, Position at)
{
    CoreOperator op = exp->as.scalar.op;
    CorePrim prim = exp->as.scalar.prim;
    const char *sign = NULL;
    if (op == CORE_NEG && core_is_real(prim))
        sign = "-";
    if (op == CORE_NOT)
        sign = prim == CORE_BOOL || e->dialect == EMIT_KERNELS ? "!" : "~";
    if (e->on_processor && prim == CORE_F64 &&
        (op == CORE_EXP || op == CORE_LOG || (e->far && emit_may_be_far(exp)))) {
        text_printf(out, "tl_%s_near(", core_operator_text(op));
        print_exp(e, out, exp->as.scalar.x, value_at(0));
        text_string(out, emit_may_be_far(exp) ? ", &" : "");
        text_printf(out, "%s)", emit_may_be_far(exp) ? e->far : "");
        return;
    }
    if (!sign) {
        print_function(e, out, op, prim, at.is_narrow);
        text_char(out, '(');
        print_exp(e, out, exp->as.scalar.x, (Position){.is_narrow = at.is_narrow});
        text_char(out, ')');
        return;
    }
    bool parentheses = at.binds > BINDS_UNARY;
    if (parentheses)
        text_char(out, '(');
    text_string(out, sign);
    print_exp(e, out, exp->as.scalar.x, value_at(BINDS_PRIMARY));
    if (parentheses)
        text_char(out, ')');
}

static void print_select(Emit *e, Text *out, const KernelExp *exp, Position at)
{
    bool parentheses = at.binds > BINDS_SELECT;
    if (parentheses)
        text_char(out, '(');
    print_exp(e, out, exp->as.select.condition, value_at(BINDS_EQUAL));
    text_string(out, " ? ");
    print_exp(e, out, exp->as.select.x, (Position){BINDS_SELECT + 1, at.is_index, at.is_narrow});
    text_string(out, " : ");
    print_exp(e, out, exp->as.select.y, (Position){BINDS_SELECT, at.is_index, at.is_narrow});
    if (parentheses)
        text_char(out, ')');
}

/* A cast where C's conversion is ours: between whole types, and to reals. */
static void print_convert(Emit *e, Text *out, const KernelExp *exp, Position at)
{
    const KernelExp *x = exp->as.convert;
    if (x->prim == exp->prim || (is_narrow_sum(e, at) && x->prim == CORE_BOOL)) {
        at.is_narrow = at.is_narrow && x->prim != CORE_BOOL;
        print_exp(e, out, x, at);
        return;
    }
    if (e->dialect == EMIT_KERNELS || (core_is_real(x->prim) && !core_is_real(exp->prim))) {
        bool is_near = e->far && e->near_integers && emit_is_to_integer(exp);
        if (e->dialect == EMIT_KERNELS) {
            text_printf(out, "%s(", core_prim_text(exp->prim));
        } else {
            text_printf(out, "tl_%s%s_of_%s(", is_near ? "near_" : "", core_prim_text(exp->prim),
                        core_prim_text(x->prim));
        }
        print_exp(e, out, x, value_at(0));
        if (is_near) {
            text_printf(out, ", &%s", e->far);
        }
        text_char(out, ')');
        return;
    }
    bool is_byte =
        x->kind == KERNEL_LOAD || (x->kind == KERNEL_VARIABLE && is_narrow(e, x->as.variable));
    if ((e->dialect == EMIT_DEVICE || (e->dialect == EMIT_C && !is_byte)) && x->prim == CORE_BOOL &&
        core_is_real(exp->prim)) {
        /* a choice is quicker than a conversion, and vectors have no other of comparisons */
        const KernelExp *one = kernel_constant(e->c, core_real(exp->prim, 1)),
                        *none = kernel_constant(e->c, core_real(exp->prim, 0));
        print_exp(e, out, kernel_select(e->c, x, one, none), at);
        return;
    }
    if (e->dialect == EMIT_C && x->prim == CORE_I64 && exp->prim == CORE_F64) {
        text_string(out, "tl_real(");
        print_exp(e, out, x, value_at(0));
        text_char(out, ')');
        return;
    }
    bool to_bool = exp->prim == CORE_BOOL;
    bool parentheses = at.binds > (to_bool ? BINDS_EQUAL : BINDS_UNARY);
    if (parentheses)
        text_char(out, '(');
    if (to_bool) {
        print_exp(e, out, x, value_at(BINDS_SUM));
        text_string(out, " != 0");
    } else {
        text_printf(out, "(%s)", emit_scalar_type(e->dialect, exp->prim));
        print_exp(e, out, x, value_at(BINDS_PRIMARY));
    }
    if (parentheses)
        text_char(out, ')');
}

static void print_load(Emit *e, Text *out, const KernelExp *exp)
{
    const KernelVariable *buffer = exp->as.load.buffer;
    bool is_transfer = e->dialect == EMIT_HOST && buffer->space == KERNEL_GLOBAL;
    if (is_transfer) {
        text_printf(out, "tl_cl_load_%s(%s, ", core_prim_text(buffer->prim), emit_name(e, buffer));
    } else {
        text_printf(out, "%s[", emit_name(e, buffer));
    }
    print_exp(e, out, exp->as.load.index, (Position){.is_index = true});
    text_char(out, is_transfer ? ')' : ']');
}

/* Its declaration's type is not that of the expression where narrow integers of sequential C are.
 */
static void print_variable(Emit *e, Text *out, const KernelVariable *variable, Position at)
{
    bool narrow = e->dialect == EMIT_C && is_narrow(e, variable);
    if (variable->prim != CORE_I64) {
        text_string(out, emit_name(e, variable));
        return;
    }
    if (narrow && at.is_index) {
        text_printf(out, "(%s)", emit_scalar_type(e->dialect, variable->prim));
    } else if (!narrow && is_narrow_sum(e, at)) {
        text_printf(out, "(%s)", emit_narrow_type(e, variable));
    }
    text_string(out, emit_name(e, variable));
}

static void print_exp(Emit *e, Text *out, const KernelExp *exp, Position at)
{
    switch (exp->kind) {
    case KERNEL_CONSTANT: {
        const char *text = atom_text(e, exp->as.constant);
        bool parentheses = text[0] == '-' && at.binds > BINDS_UNARY;
        text_printf(out, parentheses ? "(%s)" : "%s", text);
        break;
    }
    case KERNEL_VARIABLE: print_variable(e, out, exp->as.variable, at); break;
    case KERNEL_UNARY: print_unary(e, out, exp, at); break;
    case KERNEL_BINARY: print_binary(e, out, exp, at); break;
    case KERNEL_CONVERT: print_convert(e, out, exp, at); break;
    case KERNEL_SELECT: print_select(e, out, exp, at); break;
    case KERNEL_LOAD: print_load(e, out, exp); break;
    }
}

const char *emit_exp(Emit *e, const KernelExp *exp)
{
    Text text = text_create(e->c->arena);
    print_exp(e, &text, exp, value_at(0));
    return text_get(&text);
}

const char *emit_operand(Emit *e, const KernelExp *exp)
{
    Text text = text_create(e->c->arena);
    print_exp(e, &text, exp, value_at(BINDS_PRIMARY));
    return text_get(&text);
}

const char *emit_index(Emit *e, const KernelExp *exp)
{
    Text text = text_create(e->c->arena);
    print_exp(e, &text, exp, (Position){.is_index = true});
    return text_get(&text);
}

const char *emit_variable_type(const Emit *e, const KernelVariable *variable)
{
    if (e->dialect == EMIT_C && is_narrow(e, variable)) {
        return emit_narrow_type(e, variable);
    }
    return is_narrow(e, variable) ? "tl_index" : emit_scalar_type(e->dialect, variable->prim);
}

const char *emit_definition(Emit *e, const KernelVariable *variable, const KernelExp *value)
{
    Text text = text_create(e->c->arena);
    bool narrow = is_narrow(e, variable), casts = narrow && e->dialect == EMIT_C;
    if (variable->prim == CORE_BOOL) {
        narrow = casts = false;
    }
    if (casts) {
        text_printf(&text, "(%s)", emit_narrow_type(e, variable));
    }
    print_exp(e, &text, value, (Position){.binds = casts ? BINDS_PRIMARY : 0, .is_narrow = narrow});
    return text_get(&text);
}
