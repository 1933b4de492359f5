/* Vectors of positions in which no item stands twice: iotas, orders (gradeUp), what is kept of such a
   vector or taken from it, and such a vector plus a constant. What is assigned at them need not say
   which of several values is the last at a place (assign.c). */
#include "tail/to_core/to_core.h"

/* How much is known; each says more than the one before it. */
enum { NOT_KNOWN, APART_FROM_ZEROS, DISTINCT };

static intptr_t known_of(const ToCore *t, const TailExp *exp)
{
    const Value *value =
        exp->kind == TAIL_EXP_VARIABLE ? t->environment[exp->as.variable->number].value : NULL;
    return value && value->is_stored && value->atom.name
               ? (intptr_t)pointer_map_get(&t->distinct, value->atom.name)
               : NOT_KNOWN;
}

/* fn x => addi(x,1), subi(x,1), addi(1,x) */
static bool adds_constant(const TailExp *lambda)
{
    if (lambda->kind != TAIL_EXP_LAMBDA || lambda->as.lambda.body->kind != TAIL_EXP_CALL) {
        return false;
    }
    const TailExp *body = lambda->as.lambda.body;
    const TailVariable *item = lambda->as.lambda.parameters[0];
    const TailExp *const *operands = body->as.call.arguments;
    bool adds = body->as.call.builtin == TAIL_OP_ADDI;
    if (!adds && body->as.call.builtin != TAIL_OP_SUBI) {
        return false;
    }
    for (int k = 0; k < 1 + adds; k++) {
        if (operands[k]->kind == TAIL_EXP_VARIABLE && operands[k]->as.variable == item &&
            operands[1 - k]->kind == TAIL_EXP_INT) {
            return true;
        }
    }
    return false;
}

/* Neither the mask nor the items are one that is meant for all. */
static bool have_one_length(ToCore *t, const Call *call)
{
    return core_atom_equal(core_atom_type(to_core_argument_atom(t, call, 0)).sizes[0],
                           core_atom_type(to_core_argument_atom(t, call, 1)).sizes[0]);
}

static intptr_t known_of_result(ToCore *t, const Call *call)
{
    switch ((int)call->builtin) {
    case TAIL_OP_IOTA:
    case TAIL_OP_GRADEUP:
    case TAIL_OP_GRADEDOWN: return DISTINCT;
    case TAIL_OP_EACH:
        return known_of(t, call->arguments[1]) == DISTINCT && adds_constant(call->arguments[0])
                   ? DISTINCT
                   : NOT_KNOWN;
    case TAIL_OP_COMPRESS: {
        intptr_t known = known_of(t, call->arguments[1]);
        return known != NOT_KNOWN && have_one_length(t, call) ? known : NOT_KNOWN;
    }
    case TAIL_OP_TAKE: return known_of(t, call->arguments[1]) ? APART_FROM_ZEROS : NOT_KNOWN;
    case TAIL_OP_DROP:
    case TAIL_OP_VROTATE:
    case TAIL_OP_ROTATE: return known_of(t, call->arguments[1]);
    case TAIL_OP_VREVERSE:
    case TAIL_OP_REVERSE: return known_of(t, call->arguments[0]);
    case TAIL_OP_SAME: return known_of(t, call->arguments[2]);
    default: return NOT_KNOWN;
    }
}

void to_core_note_distinct(ToCore *t, const Call *call, const Value *result)
{
    if (!result->is_tuple && !result->is_complex && result->is_stored && result->atom.name &&
        result->atom.name->type.rank == 1 && result->prim == t->integer) {
        intptr_t known = known_of_result(t, call);
        if (known != NOT_KNOWN) {
            pointer_map_set(t->c->arena, &t->distinct, result->atom.name, (void *)known);
        }
    }
}

bool to_core_positions_differ(const ToCore *t, CoreAtom positions)
{
    return positions.name && pointer_map_get(&t->distinct, positions.name) != NULL;
}
