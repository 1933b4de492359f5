/* Twice a product and a sum in one operation, in loops of kernels.

       for step < n {                          if (tl_is_moderate(c)) {
           t = x * y                               for step < n {
           u = t * 2                                   t = x * y
           z = c + u                                   z = tl_twice_plus(t, c)
           ...                                         ...
       }                                           }
                                               } else {
                                                   for step < n ... as before
                                               }

   Doubling is exact unless it overflows, so fma(2, t, c) rounds once what `2*t + c` rounds once. Where
   2*t overflows, both are the same infinity as long as c is below 2^969: it cannot take the sum back
   below what rounds to infinity, which is within 2^970 of 2^1024. So the loop is written twice, chosen
   by the addends, which must come from outside it. On devices without a fast fma the first is never
   chosen. */
#include "backend/emit/emit.h"

enum { LONGEST = 48 };

typedef struct Search {
    Emit *e;
    const KernelCmd *loop;
    PointerMap doubled;             /* KernelVariable u -> KernelExp t */
    VEC(const KernelExp *) addends; /* each once */
} Search;

static bool is_plain(KernelBlock block, size_t *length)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool declares =
            command->kind == KERNEL_DECLARE && command->variable->space == KERNEL_SCALAR;
        bool branches = command->kind == KERNEL_IF && is_plain(command->body, length) &&
                        is_plain(command->otherwise, length);
        if (!declares && !branches && command->kind != KERNEL_ASSIGN) {
            return false;
        }
    }
    *length += block.count;
    return *length <= LONGEST;
}

static bool is_double(const KernelExp *exp, CoreOperator op)
{
    return exp->kind == KERNEL_BINARY && exp->as.scalar.op == op && exp->as.scalar.prim == CORE_F64;
}

static bool is_two(const KernelExp *exp)
{
    return exp->kind == KERNEL_CONSTANT && exp->as.constant.as.real == 2.0;
}

/* Notes u + c or c + u where u is a doubled t and c is fixed. */
static void find_sum(Search *search, const KernelExp *sum)
{
    for (int first = 0; first < 2 && is_double(sum, CORE_ADD); first++) {
        const KernelExp *u = first ? sum->as.scalar.x : sum->as.scalar.y;
        const KernelExp *c = first ? sum->as.scalar.y : sum->as.scalar.x;
        const KernelExp *t =
            u->kind == KERNEL_VARIABLE ? pointer_map_get(&search->doubled, u->as.variable) : NULL;
        if (!t || !(c->kind == KERNEL_VARIABLE && emit_is_fixed(search->e, search->loop, c))) {
            continue;
        }
        Arena *arena = search->e->c->arena;
        EmitTwicePlus *found =
            pointer_map_make(arena, &search->e->twice, sum, sizeof(EmitTwicePlus));
        *found = (EmitTwicePlus){t, c};
        for (size_t k = 0; k < search->addends.count; k++) {
            if (search->addends.items[k]->as.variable == c->as.variable) {
                return;
            }
        }
        vec_push(arena, &search->addends, c);
        return;
    }
}

static void find(Search *search, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        const KernelExp *value = command->value;
        if (command->kind == KERNEL_DECLARE && value && is_double(value, CORE_MUL) &&
            !search->e->survey.assigned[command->variable->number]) {
            const KernelExp *x = value->as.scalar.x, *y = value->as.scalar.y;
            const KernelExp *t = is_two(y) ? x : is_two(x) ? y : NULL;
            pointer_map_set(search->e->c->arena, &search->doubled, command->variable,
                            (void *)(uintptr_t)t);
        } else if (command->kind != KERNEL_IF && value) {
            find_sum(search, value);
        }
        find(search, command->body);
        find(search, command->otherwise);
    }
}

const char *emit_twice_begin(Emit *e, const KernelCmd *loop)
{
    size_t length = 0;
    Search search = {.e = e, .loop = loop};
    if (e->dialect != EMIT_DEVICE || e->twice.count > 0 || !is_plain(loop->body, &length)) {
        return NULL;
    }
    find(&search, loop->body);
    const char *condition = NULL;
    for (size_t k = 0; k < search.addends.count; k++) {
        const char *name = emit_exp(e, search.addends.items[k]);
        condition = condition
                        ? arena_printf(e->c->arena, "%s & tl_is_moderate(%s)", condition, name)
                        : arena_printf(e->c->arena, "tl_is_moderate(%s)", name);
    }
    return condition;
}

void emit_twice_end(Emit *e)
{
    e->twice = (PointerMap){0};
}
