/* Vectors of positions in which no item stands twice: iotas, orders (gradeUp), what is kept of such a
   vector or taken from it, and such a vector plus a number. What is assigned at them need not say
   which of several values is the last at a place (assign.c).

   Of an iota times a number that only run time knows that is asked then: its items go up by equal steps.

       let (differ : bool) = step != 0 & -2^31 <= step & step <= 2^31 & k <= 2^31

   Two of k items are apart by a product of their distance and the step, modulo 2^64, which is not 0 then. */
#include "tail/to_core/to_core.h"

/* The product of factors, modulo 2^64: a vector's items go up by that. */
typedef struct Factors {
    const struct Factors *of;
    CoreAtom factor;
} Factors;

/* How much is known of items that differ; each says more than the one before it. */
typedef enum Differ { NOT_KNOWN, APART_FROM_ZEROS, DISTINCT } Differ;

typedef struct Known {
    Differ differ;
    const Factors *steps; /* NULL: they are not known to be equal */
} Known;

static const Known nothing = {NOT_KNOWN, NULL};

static Known known_of(const ToCore *t, const TailExp *exp)
{
    const Value *value =
        exp->kind == TAIL_EXP_VARIABLE ? t->environment[exp->as.variable->number].value : NULL;
    const Known *known = value && value->is_stored && value->atom.name
                             ? pointer_map_get(&t->distinct, value->atom.name)
                             : NULL;
    return known ? *known : nothing;
}

/* The operand that is the same for all items of fn x => op(x,c) or op(c,x); NULL: there is none. */
static const TailExp *other_operand(const TailExp *lambda, TailBuiltin *op)
{
    if (lambda->kind != TAIL_EXP_LAMBDA || lambda->as.lambda.body->kind != TAIL_EXP_CALL) {
        return NULL;
    }
    const TailExp *body = lambda->as.lambda.body;
    const TailVariable *item = lambda->as.lambda.parameters[0];
    const TailExp *const *operands = body->as.call.arguments;
    *op = body->as.call.builtin;
    bool commutes = *op == TAIL_OP_ADDI || *op == TAIL_OP_MULI;
    if (!commutes && *op != TAIL_OP_SUBI) {
        return NULL;
    }
    for (int k = 0; k < 1 + commutes; k++) {
        const TailExp *other = operands[1 - k];
        bool is_same = other->kind == TAIL_EXP_INT ||
                       (other->kind == TAIL_EXP_VARIABLE && other->as.variable != item);
        if (operands[k]->kind == TAIL_EXP_VARIABLE && operands[k]->as.variable == item && is_same) {
            return other;
        }
    }
    return NULL;
}

static const Factors *factors(ToCore *t, const Factors *of, CoreAtom factor)
{
    Factors *made = ARENA_NEW(t->c->arena, Factors);
    *made = (Factors){of, factor};
    return made;
}

/* Numbers added to all items leave all of that; where all are multiplied, equal steps remain. */
static Known known_of_each(ToCore *t, const Call *call)
{
    TailBuiltin op;
    const TailExp *other = other_operand(call->arguments[0], &op);
    Known known = other ? known_of(t, call->arguments[1]) : nothing;
    if (other && op != TAIL_OP_MULI) {
        return known.differ == APART_FROM_ZEROS ? nothing : known;
    }
    if (!known.steps) {
        return nothing;
    }
    return (Known){NOT_KNOWN, factors(t, known.steps, to_core_translate_atom(t, other))};
}

/* Neither the mask nor the items are one that is meant for all. */
static bool have_one_length(ToCore *t, const Call *call)
{
    return core_atom_equal(core_atom_type(to_core_argument_atom(t, call, 0)).sizes[0],
                           core_atom_type(to_core_argument_atom(t, call, 1)).sizes[0]);
}

static Known known_of_result(ToCore *t, const Call *call)
{
    Known known = nothing;
    switch ((int)call->builtin) {
    case TAIL_OP_IOTA:
        return (Known){DISTINCT, t->integer == CORE_I64 ? factors(t, NULL, core_i64(1)) : NULL};
    case TAIL_OP_GRADEUP:
    case TAIL_OP_GRADEDOWN: return (Known){DISTINCT, NULL};
    case TAIL_OP_EACH: return known_of_each(t, call);
    case TAIL_OP_COMPRESS:
        known = known_of(t, call->arguments[1]);
        return have_one_length(t, call) ? (Known){known.differ, NULL} : nothing;
    case TAIL_OP_TAKE:
        known = known_of(t, call->arguments[1]);
        return (Known){known.differ != NOT_KNOWN ? APART_FROM_ZEROS : NOT_KNOWN, NULL};
    case TAIL_OP_VROTATE:
    case TAIL_OP_ROTATE: return (Known){known_of(t, call->arguments[1]).differ, NULL};
    case TAIL_OP_DROP: return known_of(t, call->arguments[1]);
    case TAIL_OP_VREVERSE:
    case TAIL_OP_REVERSE: return (Known){known_of(t, call->arguments[0]).differ, NULL};
    case TAIL_OP_SAME: return known_of(t, call->arguments[2]);
    default: return nothing;
    }
}

void to_core_note_distinct(ToCore *t, const Call *call, const Value *result)
{
    if (!result->is_tuple && !result->is_complex && result->is_stored && result->atom.name &&
        result->atom.name->type.rank == 1 && result->prim == t->integer) {
        Known known = known_of_result(t, call);
        if (known.differ != NOT_KNOWN || known.steps) {
            pointer_map_set(t->c->arena, &t->distinct, result->atom.name,
                            arena_copy(t->c->arena, &known, sizeof known));
        }
    }
}

bool to_core_positions_differ(const ToCore *t, CoreAtom positions)
{
    const Known *known = positions.name ? pointer_map_get(&t->distinct, positions.name) : NULL;
    return known && known->differ != NOT_KNOWN;
}

bool to_core_ask_positions_differ(ToCore *t, CoreAtom positions, CoreAtom *differ)
{
    const Known *known = positions.name ? pointer_map_get(&t->distinct, positions.name) : NULL;
    if (!known || !known->steps) {
        return false;
    }
    const CoreAtom far = core_i64(INT64_C(1) << 31);
    CoreAtom step = known->steps->factor;
    for (const Factors *at = known->steps->of; at; at = at->of) {
        step = to_core_binary(t, CORE_MUL, step, at->factor);
    }
    const CoreAtom bounds[] = {
        to_core_binary(t, CORE_NE, step, core_i64(0)),
        to_core_binary(t, CORE_GE, step, core_i64(-(INT64_C(1) << 31))),
        to_core_binary(t, CORE_LE, step, far),
        to_core_binary(t, CORE_LE, core_atom_type(positions).sizes[0], far),
    };
    *differ = bounds[0];
    for (size_t i = 1; i < sizeof bounds / sizeof *bounds; i++) {
        *differ = to_core_binary(t, CORE_AND, *differ, bounds[i]);
    }
    return true;
}
