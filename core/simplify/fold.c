/* [L0 5.3] Operators of constants, evaluated by the interpreter's own functions, which are those of
   runtime/scalar.h: integers wrap, reals round as at run time.

       let (x : i64) = 9223372036854775807 + 1     ==>   let (x : i64) = -9223372036854775808
       let (y : f64) = sqrt 2.0                    ==>   let (y : f64) = 1.4142135623730951 */
#include "core/interpret_machine.h"
#include "core/simplify/simplify.h"

static Cell cell_of(CoreAtom atom)
{
    return core_is_real(atom.prim) ? (Cell){.real = atom.as.real}
                                   : (Cell){.whole = atom.as.integer};
}

static CoreAtom atom_of(CorePrim prim, Cell cell)
{
    switch (prim) {
    case CORE_BOOL: return core_bool(cell.whole != 0);
    case CORE_CHAR: return core_char((uint32_t)cell.whole);
    case CORE_I32:
    case CORE_I64: return core_int(prim, cell.whole);
    case CORE_F32:
    case CORE_F64: return core_real(prim, cell.real);
    case CORE_CERT: break;
    }
    return core_bool(false);
}

bool simplify_constant(const CoreExp *exp, CoreAtom *value)
{
    Cell frame[3] = {{.whole = 0}, {.whole = 0}, {.whole = 0}};
    Instruction in = {.result = 2, .x = 0, .y = 1};
    CorePrim prim;
    if (exp->kind == CORE_EXP_CONVERT) {
        if (exp->as.convert.x.name) {
            return false;
        }
        frame[0] = cell_of(exp->as.convert.x);
        prim = exp->as.convert.to;
    } else if (exp->kind == CORE_EXP_UNARY || exp->kind == CORE_EXP_BINARY) {
        bool binary = exp->kind == CORE_EXP_BINARY;
        if (exp->as.scalar.op == CORE_RANDOM || exp->as.scalar.x.name ||
            (binary && exp->as.scalar.y.name)) {
            return false; /* who runs the program may choose other random numbers */
        }
        frame[0] = cell_of(exp->as.scalar.x);
        frame[1] = binary ? cell_of(exp->as.scalar.y) : frame[0];
        prim = core_operator_result(exp->as.scalar.op, exp->as.scalar.prim);
    } else {
        return false;
    }
    interpret_scalar_run(exp)(NULL, &in, frame);
    *value = atom_of(prim, frame[2]);
    return true;
}

bool simplify_fold(Simplify *s, Work *work)
{
    CoreAtom value;
    if (!simplify_constant(work->exp, &value)) {
        return false;
    }
    simplify_set_atom(s, work, value);
    simplify_fired(s, CORE_RULE_FOLD);
    return true;
}
