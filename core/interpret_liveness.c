/* Last uses: where a slot gives up its array.

       let b = a with [0] <- x      a is used no more: its reference moves into the update, which
       let s = b[0]                 finds itself the only owner and writes in place; b goes here
       in s

   A body is walked from its end: the first statement met that uses a name is the last to use it.
   What a body binds, it gives up; names from outside only in the branches of an `if` that is itself
   their last use (a branch runs at most once, a loop's body or a lambda any number of times). */
#include "core/interpret_machine.h"

typedef struct Liveness {
    Compilation *c;
    SlotInfo *slots;
    int *last_id;
} Liveness;

/* Expressions that make new use of a whole operand: it is worth moving. Others only read. */
static bool moves_operands(CoreExpKind kind)
{
    return kind == CORE_EXP_ATOM || kind == CORE_EXP_COPY || kind == CORE_EXP_UPDATE ||
           kind == CORE_EXP_APPLY || kind == CORE_EXP_LOOP || kind == CORE_EXP_SCATTER ||
           kind == CORE_EXP_HIST;
}

/* An operand moves where it is dying, stands once among the operands, and no body inside reads it.
 */
static void mark_moves(const Liveness *l, Instruction *in, int dying)
{
    if (!moves_operands(in->stm->exp->kind)) {
        return;
    }
    int blocked = ++*l->last_id, once = ++*l->last_id;
    for (size_t i = 0; i < in->body_count; i++) {
        for (size_t j = 0; j < in->bodies[i]->use_count; j++) {
            l->slots[in->bodies[i]->uses[j]].stamp = blocked;
        }
    }
    for (size_t i = 0; i < in->operand_count; i++) {
        SlotInfo *info = &l->slots[in->operands[i]];
        info->stamp = info->stamp == once || info->stamp == blocked ? blocked : once;
    }
    for (size_t i = 0; i < in->operand_count; i++) {
        const SlotInfo *info = &l->slots[in->operands[i]];
        in->moved[i] = info->is_array && info->stamp == once && info->dying == dying;
    }
}

/* Marks a use met on the way from the end; says whether it is the last one and the body may give
   the slot up. `branch` marks the outer slots that this body may give up, 0 where there are none.
 */
static bool is_last_use(const Liveness *l, int slot, const Code *code, int visit, int branch)
{
    SlotInfo *info = &l->slots[slot];
    if (!info->is_array || info->seen == visit) {
        return false;
    }
    info->seen = visit;
    return info->owner == code->id || (branch && info->killable == branch);
}

static void live_instruction(const Liveness *l, Instruction *in, const Code *code, int visit,
                             int branch)
{
    IntVec kills = {0};
    int dying = ++*l->last_id;
    for (size_t i = 0; i < in->stm->pattern_count; i++) {
        int slot = in->result + (int)i;
        if (l->slots[slot].is_array && l->slots[slot].seen != visit) {
            vec_push(l->c->arena, &kills, slot);
        }
    }
    for (size_t i = 0; i < in->use_count; i++) {
        if (is_last_use(l, in->uses[i], code, visit, branch)) {
            l->slots[in->uses[i]].dying = dying;
            vec_push(l->c->arena, &kills, in->uses[i]);
        }
    }
    in->kills = kills.items;
    in->kill_count = kills.count;
    mark_moves(l, in, dying);
}

static void live_code(const Liveness *l, Code *code, int branch)
{
    int visit = ++*l->last_id;
    for (size_t i = code->result_count; i-- > 0;) {
        if (is_last_use(l, code->results[i], code, visit, branch)) {
            code->passing[i] = PASS_MOVED;
        }
    }
    for (size_t i = code->count; i-- > 0;) {
        live_instruction(l, &code->instructions[i], code, visit, branch);
    }
    IntVec dead = {0};
    for (size_t i = 0; i < code->parameter_count; i++) {
        int slot = code->parameters + (int)i;
        if (l->slots[slot].is_array && l->slots[slot].seen != visit) {
            vec_push(l->c->arena, &dead, slot);
        }
    }
    code->dead = dead.items;
    code->dead_count = dead.count;
    for (size_t i = 0; i < code->count; i++) {
        const Instruction *in = &code->instructions[i];
        bool is_if = in->stm->exp->kind == CORE_EXP_IF;
        for (size_t j = 0; j < in->body_count; j++) {
            int inner = is_if ? ++*l->last_id : 0;
            for (size_t k = 0; is_if && k < in->kill_count; k++) {
                l->slots[in->kills[k]].killable = inner;
            }
            live_code(l, in->bodies[j], inner);
        }
    }
}

void interpret_liveness(Compilation *c, Code *code, SlotInfo *slots, int *last_id)
{
    Liveness liveness = {c, slots, last_id};
    live_code(&liveness, code, 0);
}
