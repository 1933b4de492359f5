/* Builtins with effects, all on the host in program order, and random numbers, which are pure once
   the draws are reserved:

       prArrI(a)       ==>  print a, and the value is a
       draws(n)        ==>  draws n                       numbers of n fresh draws, the first of
   them rolli(d,n)      ==>  random(seed, d) % n + 1 rolld(d)        ==>  (random(seed, d) >>> 11 +
   0.5) * 2^-52

   The seed in force is read where the outermost function that may run on the device is applied. */
#include "tail/to_core/to_core.h"

/* A diagnostic where the builtin stands in a function that may run on the device. */
static bool on_host(ToCore *t, const Call *call)
{
    if (t->parallel == 0)
        return true;
    unsupported(t, "%s inside a function that is applied to many items at once",
                tail_builtin_text(call->builtin));
    return false;
}

/* ---- printing, reading --------------------------------------------------------------------- */

static Value *translate_print(ToCore *t, const Call *call)
{
    Value *value = argument(t, call, 0);
    if (on_host(t, call))
        core_do_print(BUILDER(t), store(t, value));
    return value;
}

static Value *translate_read(ToCore *t, const Call *call, CorePrim prim)
{
    CoreAtom file = argument_atom(t, call, 0), count;
    if (!on_host(t, call))
        return value_dummy(t, call->exp->type);
    CoreAtom array = core_let_read(BUILDER(t), call->text, prim, file, &count);
    assume_nonnegative(t, count);
    return value_atom(t, array);
}

static Value *translate_format(ToCore *t, const Call *call)
{
    CoreAtom x = argument_atom(t, call, 0), count;
    if (!on_host(t, call))
        return value_dummy(t, call->exp->type);
    CoreAtom array = core_let_format(BUILDER(t), call->text, x, &count);
    assume_nonnegative(t, count);
    return value_atom(t, array);
}

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
    const char *name = constant_text(t, argument(t, call, 0));
    CoreAtom fallback = argument_atom(t, call, 1);
    CorePrim prim = prim_of(t, call->exp->type->base.kind);
    if (!name || !*name) {
        unsupported(t, "the name of a program argument must be a string constant");
        return value_dummy(t, call->exp->type);
    }
    if (!on_host(t, call))
        return value_dummy(t, call->exp->type);
    return value_atom(t, core_let_argument(BUILDER(t), call->text, prim, name, fallback));
}

static Value *translate_now(ToCore *t, const Call *call)
{
    argument(t, call, 0);
    if (!on_host(t, call))
        return value_dummy(t, call->exp->type);
    return value_atom(t, convert(t, t->integer, core_let_now(BUILDER(t), call->text)));
}

/* ---- random numbers ------------------------------------------------------------------------ */

static Value *translate_draws(ToCore *t, const Call *call)
{
    CoreAtom count = argument_index(t, call, 0);
    if (!on_host(t, call))
        return value_dummy(t, call->exp->type);
    return value_atom(t, convert(t, t->integer, core_let_draws(BUILDER(t), call->text, count)));
}

static Value *translate_seed(ToCore *t, const Call *call)
{
    Value *seed = argument(t, call, 0);
    if (on_host(t, call))
        core_do_seed(BUILDER(t), convert(t, CORE_I64, store(t, seed)));
    return seed;
}

static CoreAtom random_bits(ToCore *t, CoreAtom draw)
{
    CoreAtom seed = t->parallel > 0 ? t->seed : core_let_seed_now(BUILDER(t), "seed");
    CoreAtom bits = binary(t, CORE_RANDOM, seed, draw);
    assume_nonnegative(t, bits);
    return bits;
}

/* The middle of one of 2^52 equal parts of (0,1), or of 2^23 in single precision: exact, never 0
 * or 1. */
static CoreAtom uniform(ToCore *t, CoreAtom bits)
{
    bool narrow = t->real == CORE_F32;
    CoreAtom part = convert(t, t->real, binary(t, CORE_SHR, bits, core_i64(narrow ? 40 : 11)));
    CoreAtom middle = binary(t, CORE_ADD, part, core_real(t->real, 0.5));
    return binary(t, CORE_MUL, middle, core_real(t->real, narrow ? 0x1p-23 : 0x1p-52));
}

static CoreAtom whole(ToCore *t, CoreAtom bits, CoreAtom n)
{
    CoreAtom positive = binary(t, CORE_GT, n, core_i64(0));
    size_t mark = guard(t, require(t, positive, CORE_DOMAIN_ERROR, "{}", 1, &n));
    CoreAtom result = binary(t, CORE_MOD, bits, n);
    unguard(t, mark);
    return result;
}

static Value *translate_rolli(ToCore *t, const Call *call)
{
    CoreAtom draw = argument_index(t, call, 0), n = argument_index(t, call, 1);
    CoreAtom roll = whole(t, random_bits(t, draw), n);
    return value_atom(t, convert(t, t->integer, binary(t, CORE_ADD, roll, core_i64(1))));
}

static Value *translate_rolld(ToCore *t, const Call *call)
{
    CoreAtom draw = argument_index(t, call, 0);
    return value_atom(t, uniform(t, random_bits(t, draw)));
}

/* roll(0): uniform in (0,1); roll(n): a whole number in 0..n-1. Takes a draw of its own. */
static Value *translate_roll(ToCore *t, const Call *call)
{
    CoreAtom n = argument_index(t, call, 0);
    if (!on_host(t, call))
        return value_dummy(t, call->exp->type);
    CoreAtom bits = random_bits(t, core_let_draws(BUILDER(t), "draw", core_i64(1)));
    if (is_constant(n, 0))
        return value_atom(t, uniform(t, bits));
    if (!n.name)
        return value_atom(t, convert(t, t->real, whole(t, bits, n)));
    Scope *small = enter_scope(t);
    CoreAtom fraction = uniform(t, bits);
    leave_scope(t);
    Scope *large = enter_scope(t);
    CoreAtom number = convert(t, t->real, whole(t, bits, n));
    leave_scope(t);
    CoreAtom zero = binary(t, CORE_EQ, n, core_i64(0));
    const CoreExp *exp =
        core_exp_if(t->c, zero, scope_body(small, 1, &fraction), scope_body(large, 1, &number));
    return value_atom(t, core_let(BUILDER(t), call->text, core_scalar(t->real), exp));
}

/* ---- indexed assignment of old files --------------------------------------------------------- */

/* idxassign([i,j],v,x): from here on the variable v is a copy with v[i;j] = x; yields tt. The
   variable must have been bound in the same body: a function or loop cannot change what is outside.
 */
static Value *translate_idxassign(ToCore *t, const Call *call)
{
    Value *indices = argument(t, call, 0), *array = argument(t, call, 1);
    CoreAtom item = argument_atom(t, call, 2);
    const TailExp *target = call->arguments[1];
    if (target->kind != TAIL_EXP_VARIABLE) {
        unsupported(t, "idxassign changes a variable, and this is none");
        return value_atom(t, core_bool(true));
    }
    Binding *binding = &t->environment[target->as.variable->number];
    if (binding->scope != t->scope) {
        unsupported(t, "idxassign inside a function or loop changes a variable outside it");
        return value_atom(t, core_bool(true));
    }
    CoreAtom atom = store(t, array);
    int rank = core_atom_type(atom).rank;
    CoreSlice *slices = ARENA_ARRAY(t->c->arena, CoreSlice, rank + 1);
    size_t mark = BUILDER(t)->certificates.count;
    for (int i = 0; i < rank; i++) {
        CoreAtom index = indices->has_components ? indices->components[i]
                                                 : element(t, "i", store(t, indices), core_i64(i));
        CoreAtom pair[2] = {convert(t, CORE_I64, index), value_extent(t, array, i)};
        CoreAtom inside = binary(t, CORE_AND, binary(t, CORE_GE, pair[0], core_i64(1)),
                                 binary(t, CORE_LE, pair[0], pair[1]));
        CoreAtom position = binary(t, CORE_SUB, pair[0], core_i64(1));
        guard(t, require(t, inside, CORE_INDEX_ERROR, "{} of {}", 2, pair));
        slices[i] = (CoreSlice){true, position, core_i64(1), core_i64(1)};
    }
    if (rank > 0) {
        CoreAtom copy = core_let_copy(BUILDER(t), call->text, atom);
        item = core_let_update(BUILDER(t), call->text, copy, (size_t)rank, slices, item);
    }
    unguard(t, mark);
    binding->value = value_atom(t, item);
    return value_atom(t, core_bool(true));
}

Value *translate_effect(ToCore *t, const Call *call)
{
    switch ((int)call->builtin) {
    case TAIL_OP_PRARRI:
    case TAIL_OP_PRARRB:
    case TAIL_OP_PRARRD:
    case TAIL_OP_PRARRC:
    case TAIL_OP_PRSCLI:
    case TAIL_OP_PRSCLB:
    case TAIL_OP_PRSCLD:
    case TAIL_OP_PRSCLC: return translate_print(t, call);
    case TAIL_OP_READFILE: return translate_read(t, call, CORE_CHAR);
    case TAIL_OP_READINTVECFILE: return translate_read(t, call, t->integer);
    case TAIL_OP_READDOUBLEVECFILE: return translate_read(t, call, t->real);
    case TAIL_OP_ARGINT:
    case TAIL_OP_ARGDOUBLE: return translate_argument(t, call);
    case TAIL_OP_NOWI: return translate_now(t, call);
    case TAIL_OP_ROLL: return translate_roll(t, call);
    case TAIL_OP_DRAWS: return translate_draws(t, call);
    case TAIL_OP_ROLLI: return translate_rolli(t, call);
    case TAIL_OP_ROLLD: return translate_rolld(t, call);
    case TAIL_OP_SEED: return translate_seed(t, call);
    case TAIL_OP_FORMATI:
    case TAIL_OP_FORMATD: return translate_format(t, call);
    case TAIL_OP_IDXASSIGN: return translate_idxassign(t, call);
    default: return NULL; /* another file's */
    }
}
