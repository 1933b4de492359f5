/* Loops that are left where a branch has decided so, in sequential C.

       while (going) {                           while (going) {
           const bool c = i > m;                     const bool c = i > m;
           const bool not = i <= m;                  const bool not = i <= m;
           if (c) {                                  if (c) {
               r = i;                                    r = i;
           } else {                     ==>              going = not; i = r;
               ... r = i + 1;                            break;
           }                                         } else {
           going = not; i = r;                           ... r = i + 1;
       }                                             }
                                                     going = not; i = r;
                                                 }

   Tail calls come like this. C compilers do not see that such a loop goes round only where the other branch is taken, and
   then keep nothing of one step, as the element that the next one begins with, in registers. What stands behind the
   IF, plain assignments, is done in the branch, too. */
#include "backend/emit/emit.h"

/* What the block declares the variable as; NULL: it does not. `at`: where. */
static const KernelExp *declared(KernelBlock block, const KernelExp *exp, size_t *at)
{
    for (*at = 0; exp->kind == KERNEL_VARIABLE && *at < block.count; ++*at) {
        const KernelCmd *command = block.commands[*at];
        if (command->kind == KERNEL_DECLARE && command->variable == exp->as.variable) {
            return command->value;
        }
    }
    return NULL;
}

static bool is_not(const KernelExp *x, const KernelExp *y)
{
    return x && x->kind == KERNEL_UNARY && x->as.scalar.op == CORE_NOT &&
           kernel_is_same(x->as.scalar.x, y);
}

/* Bools that the block declares, between which it only declares: one is true where the other is not. */
static bool are_opposite(const Emit *e, KernelBlock block, const KernelExp *x, const KernelExp *y)
{
    size_t at[2];
    const KernelExp *of_x = declared(block, x, &at[0]), *of_y = declared(block, y, &at[1]);
    if (!of_x || !of_y || e->survey.assigned[x->as.variable->number] ||
        e->survey.assigned[y->as.variable->number]) {
        return false;
    }
    for (size_t i = at[0] < at[1] ? at[0] : at[1]; i < at[0] || i < at[1]; i++) {
        if (block.commands[i]->kind != KERNEL_DECLARE) {
            return false;
        }
    }
    return is_not(of_x, y) || is_not(of_y, x) || kernel_are_opposite(of_x, of_y);
}

/* The branch ends with that variable false. */
static bool makes_false(KernelBlock branch, const KernelExp *exp)
{
    for (size_t i = branch.count; exp->kind == KERNEL_VARIABLE && i-- > 0;) {
        const KernelCmd *command = branch.commands[i];
        if (command->kind == KERNEL_ASSIGN && command->variable == exp->as.variable) {
            return command->value->kind == KERNEL_CONSTANT &&
                   !command->value->as.constant.as.integer;
        }
        if (command->kind != KERNEL_ASSIGN && command->kind != KERNEL_DECLARE) {
            return false;
        }
    }
    return false;
}

EmitLeaving emit_leaving(const Emit *e, const KernelCmd *loop)
{
    enum { MOST_ASSIGNED = 12 };
    const KernelBlock body = loop->body;
    const KernelExp *going = NULL;
    size_t at = body.count;
    for (; at > 0 && body.commands[at - 1]->kind == KERNEL_ASSIGN; at--) {
        const KernelCmd *assign = body.commands[at - 1];
        going = assign->variable == loop->variable ? assign->value : going;
    }
    const KernelCmd *branch = at > 0 ? body.commands[at - 1] : NULL;
    if (!branch || branch->kind != KERNEL_IF || !going || body.count - at > MOST_ASSIGNED ||
        branch->value->kind != KERNEL_VARIABLE) {
        return (EmitLeaving){0};
    }
    const KernelBlock before = {at - 1, body.commands};
    bool stays = going->kind == KERNEL_VARIABLE; /* what it is at the end of the IF */
    for (size_t i = at; i < body.count && stays; i++) {
        stays = body.commands[i]->variable != going->as.variable;
    }
    bool is_condition = kernel_is_same(going, branch->value) &&
                        !e->survey.assigned[branch->value->as.variable->number];
    bool then = stays &&
                (are_opposite(e, before, going, branch->value) || makes_false(branch->body, going));
    bool otherwise = stays && (is_condition || makes_false(branch->otherwise, going));
    return then == otherwise ? (EmitLeaving){0}
                             : (EmitLeaving){.branch = branch,
                                             .then = then,
                                             .behind = {body.count - at, body.commands + at}};
}
