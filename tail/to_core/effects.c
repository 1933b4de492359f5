/* Builtins with effects, all on the host in program order, and random numbers, which are pure once
   the draws are reserved:

       prArrI(a)       ==>  print a, and the value is a
       format(a)       ==>  let digits = precision_now in format digits a
       draws(n)        ==>  draws n              the numbers of n fresh draws, the first of them
       rolli(d,n)      ==>  random(seed, d) % n + 1
       rolld(d)        ==>  (random(seed, d) >>> 11 + 0.5) * 2^-52

   The seed in force is read where the outermost function that may run on the device is applied. */
#include "tail/to_core/to_core.h"

bool to_core_has_effect(TailBuiltin builtin)
{
    switch ((int)builtin) {
    case TAIL_OP_BENCH:
    case TAIL_OP_PRARRI:
    case TAIL_OP_PRARRB:
    case TAIL_OP_PRARRD:
    case TAIL_OP_PRARRX:
    case TAIL_OP_PRARRC:
    case TAIL_OP_PRSCLI:
    case TAIL_OP_PRSCLB:
    case TAIL_OP_PRSCLD:
    case TAIL_OP_PRSCLX:
    case TAIL_OP_PRSCLC:
    case TAIL_OP_READFILE:
    case TAIL_OP_READINTVECFILE:
    case TAIL_OP_READDOUBLEVECFILE:
    case TAIL_OP_READCSVINT:
    case TAIL_OP_READCSVDOUBLE:
    case TAIL_OP_READNPYBOOL:
    case TAIL_OP_READNPYINT:
    case TAIL_OP_READNPYDOUBLE:
    case TAIL_OP_READNPYCHAR:
    case TAIL_OP_ARGINT:
    case TAIL_OP_ARGDOUBLE:
    case TAIL_OP_NOWI:
    case TAIL_OP_ROLL:
    case TAIL_OP_DRAWS:
    case TAIL_OP_SEED:
    case TAIL_OP_SEEDNOW:
    case TAIL_OP_FORMATI:
    case TAIL_OP_FORMATD:
    case TAIL_OP_FORMAT:
    case TAIL_OP_FORMATBY:
    case TAIL_OP_PRECISION:
    case TAIL_OP_PRECISIONNOW: return true;
    default: return false;
    }
}

/* A diagnostic where the builtin stands in a function that may run on the device. */
static bool on_host(ToCore *t, const Call *call)
{
    if (t->parallel == 0)
        return true;
    to_core_unsupported(t, "%s inside the function of reduceAssoc or scanAssoc",
                        tail_builtin_text(call->builtin));
    return false;
}

/* ---- printing, reading --------------------------------------------------------------------- */

static Value *translate_print(ToCore *t, const Call *call)
{
    Value *value = to_core_argument(t, call, 0);
    if (!on_host(t, call))
        return value;
    if (value->is_complex)
        core_do_print_complex(BUILDER(t), to_core_planes(t, value));
    else
        core_do_print(BUILDER(t), to_core_store(t, value));
    return value;
}

static Value *translate_read(ToCore *t, const Call *call, CoreFileFormat format, CorePrim prim)
{
    if (format == CORE_FILE_NPY)
        to_core_argument(t, call, 0);
    CoreAtom file = to_core_argument_atom(t, call, format == CORE_FILE_NPY ? 1 : 0);
    int rank = (int)tail_rank(call->exp->type);
    if (!core_file_has_rank(format, rank))
        to_core_unsupported(t, "a file with an array of rank %d", rank);
    if (!core_file_has_rank(format, rank) || !on_host(t, call))
        return to_core_value_dummy(t, call->exp->type);
    CoreAtom *sizes = ARENA_ARRAY(t->c->arena, CoreAtom, rank);
    CoreAtom array = core_let_read(BUILDER(t), call->text, format, prim, rank, file, sizes);
    for (int axis = 0; axis < rank; axis++)
        to_core_assume_nonnegative(t, sizes[axis]);
    return to_core_value_atom(t, array);
}

/* ---- text ---------------------------------------------------------------------------------- */

static Value *made_text(ToCore *t, CoreAtom text, CoreAtom columns)
{
    to_core_assume_nonnegative(t, columns);
    return to_core_value_atom(t, text);
}

static Value *translate_format(ToCore *t, const Call *call)
{
    Value *value = to_core_argument(t, call, 0);
    if (!on_host(t, call))
        return to_core_value_dummy(t, call->exp->type);
    CoreAtom x = value->is_complex ? to_core_planes(t, value) : to_core_store(t, value), columns;
    CoreAtom digits = core_let_precision_now(BUILDER(t), "digits");
    CoreAtom text = core_let_format(BUILDER(t), call->text, digits, x, value->is_complex, &columns);
    return made_text(t, text, columns);
}

/* A vector of ints as i64, where ints are narrower. */
static CoreAtom wide_vector(ToCore *t, CoreAtom vector)
{
    if (t->integer == CORE_I64)
        return vector;
    Span span = BUILDER(t)->span;
    CoreName *x = core_name(t->c, "x", core_scalar(t->integer), span);
    CoreBuilder inner = core_builder(t->c, span);
    CoreAtom wide = core_let_convert(&inner, "wide", CORE_I64, core_use(x)), result;
    core_let_map(BUILDER(t), "wide", core_atom_type(vector).sizes[0], 1, &vector,
                 core_lambda(t->c, 1, &x, core_body(&inner, 1, &wide)), &result);
    return result;
}

/* As runtime/tailor.h's TL_FIELD_LIMIT. */
enum { FIELD_LIMIT = 1000 };
static const char field_message[] = "widths are 0 to 1000, decimals ¯1000 to 1000";

/* 0 <= number <= 1000, of decimals -1000 <= number <= 1000 */
static CoreAtom is_good_field(ToCore *t, CoreAtom number, CoreAtom is_decimals)
{
    CoreAtom enough = to_core_binary(t, CORE_GE, number, core_i64(-FIELD_LIMIT)),
             few = to_core_binary(t, CORE_LE, number, core_i64(FIELD_LIMIT)),
             sign = to_core_binary(t, CORE_GE, number, core_i64(0));
    CoreAtom fits = to_core_binary(t, CORE_AND, enough, few);
    return to_core_binary(t, CORE_AND, fits, to_core_binary(t, CORE_OR, sign, is_decimals));
}

static CoreAtom require_field(ToCore *t, CoreAtom number, CoreAtom is_decimals)
{
    return to_core_require(t, is_good_field(t, number, is_decimals), CORE_DOMAIN_ERROR,
                           arena_printf(t->c->arena, "{}: %s", field_message), 1, &number);
}

static size_t check_field(ToCore *t, void *context, const CoreAtom *rows, CoreAtom *results)
{
    CoreAtom one = core_i64(1), odd = to_core_binary(t, CORE_MOD, rows[1], core_i64(2));
    CoreAtom is_decimals = to_core_binary(t, CORE_OR, *(const CoreAtom *)context,
                                          to_core_binary(t, CORE_EQ, odd, one));
    size_t mark = to_core_guard(t, require_field(t, rows[0], is_decimals));
    results[0] = core_let_atom(BUILDER(t), "field", rows[0]);
    to_core_unguard(t, mark);
    return 1;
}

/* map (\number i -> assert good; <c> number) fields (iota count) */
static CoreAtom checked_fields(ToCore *t, CoreAtom fields)
{
    CoreAtom count = core_atom_type(fields).sizes[0], result;
    CoreAtom pair[2] = {fields, core_let_iota(BUILDER(t), "positions", count)};
    CoreAtom single = to_core_binary(t, CORE_EQ, count, core_i64(1));
    to_core_map_nest(t, 1, 2, pair, check_field, &single, &result);
    return result;
}

static void refuse_field(ToCore *t, int64_t number)
{
    uint64_t magnitude = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    to_core_refuse(t, "DOMAIN ERROR", "%s%llu: %s", number < 0 ? "¯" : "",
                   (unsigned long long)magnitude, field_message);
}

/* Fields of which each is a number known here or a name. */
static CoreAtom checked_components(ToCore *t, const Value *fields)
{
    CoreAtom *numbers = ARENA_ARRAY(t->c->arena, CoreAtom, fields->count + 1);
    for (size_t i = 0; i < fields->count; i++) {
        CoreAtom number = numbers[i] = to_core_convert(t, CORE_I64, fields->components[i]);
        CoreAtom is_decimals = core_bool(fields->count == 1 || i % 2 == 1);
        if (number.name)
            to_core_guard(t, require_field(t, number, is_decimals));
        else if (is_constant(is_good_field(t, number, is_decimals), 0))
            refuse_field(t, number.as.integer);
    }
    return to_core_store(t, to_core_value_components(t, CORE_I64, fields->count, numbers));
}

/* Decimals, a width and decimals, or such a pair for each column. */
static CoreAtom check_field_count(ToCore *t, const Value *fields, const Value *value)
{
    int rank = to_core_value_rank(value);
    CoreAtom columns = rank == 0 ? core_i64(1) : to_core_value_extent(t, value, rank - 1);
    CoreAtom pair[2] = {to_core_value_extent(t, fields, 0),
                        to_core_binary(t, CORE_MUL, columns, core_i64(2))};
    CoreAtom fits = to_core_binary(t, CORE_EQ, pair[0], pair[1]);
    for (int64_t count = 1; count <= 2; count++)
        fits =
            to_core_binary(t, CORE_OR, fits, to_core_binary(t, CORE_EQ, pair[0], core_i64(count)));
    if (is_constant(fits, 0) && !pair[0].name && !pair[1].name)
        to_core_refuse(t, "LENGTH ERROR", "%lld and %lld", (long long)pair[0].as.integer,
                       (long long)pair[1].as.integer);
    return to_core_require(t, fits, CORE_LENGTH_ERROR, "{} and {}", 2, pair);
}

static Value *translate_format_by(ToCore *t, const Call *call)
{
    Value *fields = to_core_argument(t, call, 0), *value = to_core_argument(t, call, 1);
    if (value->is_complex || value->prim == CORE_CHAR)
        to_core_refuse(t, "DOMAIN ERROR", "%s have no decimals: format makes text of them",
                       value->is_complex ? "complex numbers" : "characters");
    if (value->is_complex || value->prim == CORE_CHAR || !on_host(t, call))
        return to_core_value_dummy(t, call->exp->type);
    CoreAtom x = to_core_store(t, value), columns;
    size_t mark = to_core_guard(t, check_field_count(t, fields, value));
    CoreAtom how = fields->has_components
                       ? checked_components(t, fields)
                       : checked_fields(t, wide_vector(t, to_core_store(t, fields)));
    CoreAtom text = core_let_format(BUILDER(t), call->text, how, x, false, &columns);
    to_core_unguard(t, mark);
    return made_text(t, text, columns);
}

/* ⎕PP←n: 1 to 17. */
static Value *translate_precision(ToCore *t, const Call *call)
{
    Value *value = to_core_argument(t, call, 0);
    if (!on_host(t, call))
        return value;
    CoreAtom digits = to_core_convert(t, CORE_I64, to_core_store(t, value));
    CoreAtom enough = to_core_binary(t, CORE_GE, digits, core_i64(1)),
             few = to_core_binary(t, CORE_LE, digits, core_i64(17));
    CoreAtom good = to_core_binary(t, CORE_AND, enough, few);
    size_t mark = to_core_guard(
        t, to_core_require(t, good, CORE_DOMAIN_ERROR, "{} digits, not 1 to 17", 1, &digits));
    core_do_precision(BUILDER(t), digits);
    to_core_unguard(t, mark);
    return value;
}

/* Host state, told as an int. */
static Value *translate_state(ToCore *t, const Call *call,
                              CoreAtom (*state)(CoreBuilder *b, const char *text))
{
    to_core_argument(t, call, 0);
    if (!on_host(t, call))
        return to_core_value_dummy(t, call->exp->type);
    return to_core_value_atom(t, to_core_convert(t, t->integer, state(BUILDER(t), call->text)));
}

/* ---- program arguments, the clock ---------------------------------------------------------- */

/* The name of a program argument: a string known at compile time, as UTF-8. */
static const char *constant_text(ToCore *t, const Value *value)
{
    Text text = text_create(t->c->arena);
    if (!value->has_components)
        return NULL;
    for (size_t i = 0; i < value->count; i++) {
        if (value->components[i].name)
            return NULL;
        text_codepoint(&text, (uint32_t)value->components[i].as.integer);
    }
    return text_get(&text);
}

static Value *translate_argument(ToCore *t, const Call *call)
{
    const char *name = constant_text(t, to_core_argument(t, call, 0));
    CoreAtom fallback = to_core_argument_atom(t, call, 1);
    CorePrim prim = to_core_prim_of(t, call->exp->type->base.kind);
    if (!name || !*name) {
        to_core_refuse(t, "DOMAIN ERROR",
                       "the name of a program argument must be a string constant");
        return to_core_value_dummy(t, call->exp->type);
    }
    if (!on_host(t, call))
        return to_core_value_dummy(t, call->exp->type);
    return to_core_value_atom(t, core_let_argument(BUILDER(t), call->text, prim, name, fallback));
}

/* ---- random numbers ------------------------------------------------------------------------ */

static Value *translate_draws(ToCore *t, const Call *call)
{
    CoreAtom count = to_core_argument_index(t, call, 0);
    if (!on_host(t, call))
        return to_core_value_dummy(t, call->exp->type);
    return to_core_value_atom(
        t, to_core_convert(t, t->integer, core_let_draws(BUILDER(t), call->text, count)));
}

static Value *translate_seed(ToCore *t, const Call *call)
{
    Value *seed = to_core_argument(t, call, 0);
    if (on_host(t, call))
        core_do_seed(BUILDER(t), to_core_convert(t, CORE_I64, to_core_store(t, seed)));
    return seed;
}

static CoreAtom random_bits(ToCore *t, CoreAtom draw)
{
    CoreAtom seed = t->parallel > 0 ? t->seed : core_let_seed_now(BUILDER(t), "seed");
    CoreAtom bits = to_core_binary(t, CORE_RANDOM, seed, draw);
    to_core_assume_nonnegative(t, bits);
    return bits;
}

/* The middle of one of 2^52 equal parts of (0,1), or of 2^23 in single precision: exact, never 0
 * or 1. */
static CoreAtom uniform(ToCore *t, CoreAtom bits)
{
    bool narrow = t->real == CORE_F32;
    CoreAtom part =
        to_core_convert(t, t->real, to_core_binary(t, CORE_SHR, bits, core_i64(narrow ? 40 : 11)));
    CoreAtom middle = to_core_binary(t, CORE_ADD, part, core_real(t->real, 0.5));
    return to_core_binary(t, CORE_MUL, middle, core_real(t->real, narrow ? 0x1p-23 : 0x1p-52));
}

static CoreAtom whole(ToCore *t, CoreAtom bits, CoreAtom n)
{
    CoreAtom positive = to_core_binary(t, CORE_GT, n, core_i64(0));
    size_t mark = to_core_guard(t, to_core_require(t, positive, CORE_DOMAIN_ERROR, "{}", 1, &n));
    CoreAtom result = to_core_binary(t, CORE_MOD, bits, n);
    to_core_unguard(t, mark);
    return result;
}

static Value *translate_rolli(ToCore *t, const Call *call)
{
    CoreAtom draw = to_core_argument_index(t, call, 0), n = to_core_argument_index(t, call, 1);
    CoreAtom roll = whole(t, random_bits(t, draw), n);
    return to_core_value_atom(
        t, to_core_convert(t, t->integer, to_core_binary(t, CORE_ADD, roll, core_i64(1))));
}

static Value *translate_rolld(ToCore *t, const Call *call)
{
    CoreAtom draw = to_core_argument_index(t, call, 0);
    return to_core_value_atom(t, uniform(t, random_bits(t, draw)));
}

/* roll(0): uniform in (0,1); roll(n): a whole number in 0..n-1. Takes a draw of its own. */
static Value *translate_roll(ToCore *t, const Call *call)
{
    CoreAtom n = to_core_argument_index(t, call, 0);
    if (!on_host(t, call))
        return to_core_value_dummy(t, call->exp->type);
    CoreAtom bits = random_bits(t, core_let_draws(BUILDER(t), "draw", core_i64(1)));
    if (is_constant(n, 0))
        return to_core_value_atom(t, uniform(t, bits));
    if (!n.name)
        return to_core_value_atom(t, to_core_convert(t, t->real, whole(t, bits, n)));
    Scope *small = to_core_enter_scope(t);
    CoreAtom fraction = uniform(t, bits);
    to_core_leave_scope(t);
    Scope *large = to_core_enter_scope(t);
    CoreAtom number = to_core_convert(t, t->real, whole(t, bits, n));
    to_core_leave_scope(t);
    CoreAtom zero = to_core_binary(t, CORE_EQ, n, core_i64(0));
    const CoreExp *exp = core_exp_if(t->c, zero, to_core_scope_body(small, 1, &fraction),
                                     to_core_scope_body(large, 1, &number));
    return to_core_value_atom(t, core_let(BUILDER(t), call->text, core_scalar(t->real), exp));
}

/* ---- indexed assignment of old files --------------------------------------------------------- */

/* idxassign([i,j],v,x): from here on the variable v is a copy with v[i;j] = x; yields tt. The
   variable is the present body's, or was made a part of the state of the loops and branches around
   (steps.c, loops.c).
 */
static Value *translate_idxassign(ToCore *t, const Call *call)
{
    Value *indices = to_core_argument(t, call, 0), *array = to_core_argument(t, call, 1);
    CoreAtom items[MOST_PARTS], parts[MOST_PARTS];
    to_core_store_parts(t, to_core_argument(t, call, 2), items);
    const TailExp *target = call->arguments[1];
    if (target->kind != TAIL_EXP_VARIABLE) {
        to_core_refuse(t, "SYNTAX ERROR", "idxassign changes a variable, and this is none");
        return to_core_value_atom(t, core_bool(true));
    }
    Binding *binding = &t->environment[target->as.variable->number];
    if (binding->scope != t->scope) {
        to_core_unsupported(
            t,
            "idxassign inside the function of reduceAssoc or scanAssoc changes a variable outside");
        return to_core_value_atom(t, core_bool(true));
    }
    size_t count = to_core_store_parts(t, array, parts);
    int rank = to_core_value_rank(array);
    CoreSlice *slices = ARENA_ARRAY(t->c->arena, CoreSlice, rank + 1);
    size_t mark = BUILDER(t)->certificates.count;
    for (int i = 0; i < rank; i++) {
        CoreAtom index = indices->has_components
                             ? indices->components[i]
                             : to_core_element(t, "i", to_core_store(t, indices), core_i64(i));
        CoreAtom pair[2] = {to_core_convert(t, CORE_I64, index), to_core_value_extent(t, array, i)};
        CoreAtom above = to_core_binary(t, CORE_GE, pair[0], core_i64(1));
        CoreAtom below = to_core_binary(t, CORE_LE, pair[0], pair[1]);
        CoreAtom inside = to_core_binary(t, CORE_AND, above, below);
        CoreAtom position = to_core_binary(t, CORE_SUB, pair[0], core_i64(1));
        to_core_guard(t, to_core_require(t, inside, CORE_INDEX_ERROR, "{} of {}", 2, pair));
        slices[i] = (CoreSlice){true, position, core_i64(1), core_i64(1)};
    }
    for (size_t i = 0; i < count && rank > 0; i++) {
        CoreAtom copy = core_let_copy(BUILDER(t), call->text, parts[i]);
        items[i] = core_let_update(BUILDER(t), call->text, copy, (size_t)rank, slices, items[i]);
    }
    to_core_unguard(t, mark);
    binding->value = to_core_value_parts(t, count, items);
    return to_core_value_atom(t, core_bool(true));
}

Value *to_core_translate_effect(ToCore *t, const Call *call)
{
    switch ((int)call->builtin) {
    case TAIL_OP_PRARRI:
    case TAIL_OP_PRARRB:
    case TAIL_OP_PRARRD:
    case TAIL_OP_PRARRX:
    case TAIL_OP_PRARRC:
    case TAIL_OP_PRSCLI:
    case TAIL_OP_PRSCLB:
    case TAIL_OP_PRSCLD:
    case TAIL_OP_PRSCLX:
    case TAIL_OP_PRSCLC: return translate_print(t, call);
    case TAIL_OP_READFILE: return translate_read(t, call, CORE_FILE_TEXT, CORE_CHAR);
    case TAIL_OP_READINTVECFILE: return translate_read(t, call, CORE_FILE_TEXT, t->integer);
    case TAIL_OP_READDOUBLEVECFILE: return translate_read(t, call, CORE_FILE_TEXT, t->real);
    case TAIL_OP_READCSVINT: return translate_read(t, call, CORE_FILE_CSV, t->integer);
    case TAIL_OP_READCSVDOUBLE: return translate_read(t, call, CORE_FILE_CSV, t->real);
    case TAIL_OP_READNPYBOOL: return translate_read(t, call, CORE_FILE_NPY, CORE_BOOL);
    case TAIL_OP_READNPYINT: return translate_read(t, call, CORE_FILE_NPY, t->integer);
    case TAIL_OP_READNPYDOUBLE: return translate_read(t, call, CORE_FILE_NPY, t->real);
    case TAIL_OP_READNPYCHAR: return translate_read(t, call, CORE_FILE_NPY, CORE_CHAR);
    case TAIL_OP_ARGINT:
    case TAIL_OP_ARGDOUBLE: return translate_argument(t, call);
    case TAIL_OP_NOWI: return translate_state(t, call, core_let_now);
    case TAIL_OP_ROLL: return translate_roll(t, call);
    case TAIL_OP_DRAWS: return translate_draws(t, call);
    case TAIL_OP_ROLLI: return translate_rolli(t, call);
    case TAIL_OP_ROLLD: return translate_rolld(t, call);
    case TAIL_OP_SEED: return translate_seed(t, call);
    case TAIL_OP_FORMATI:
    case TAIL_OP_FORMATD:
    case TAIL_OP_FORMAT: return translate_format(t, call);
    case TAIL_OP_FORMATBY: return translate_format_by(t, call);
    case TAIL_OP_PRECISION: return translate_precision(t, call);
    case TAIL_OP_PRECISIONNOW: return translate_state(t, call, core_let_precision_now);
    case TAIL_OP_SEEDNOW: return translate_state(t, call, core_let_seed_now);
    case TAIL_OP_IDXASSIGN: return translate_idxassign(t, call);
    default: return NULL; /* another file's */
    }
}
