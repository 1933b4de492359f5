/* Rows that are needed as doubles, counted as doubles, in loops of kernels.

       for t < count {                             double x_next = (double)(first + 1)
           i = first + t*step                      for t < count {
           j = i + 1                                   const double x = x_next
           x = (double)j                               ...
           ...                                         x_next += (double)step
       }                                           }

   A GPU converts an integer in the time of several additions. All numbers are whole and below 2^53, so
   the sums are exact. */
#include "backend/emit/emit.h"

enum { MOST_ADDED = 1 << 30 };

typedef struct Search {
    Emit *e;
    const KernelCmd *loop;
    PointerMap rows; /* KernelVariable -> Row: in terms of the loop's variable */
} Search;

typedef struct Row {
    const KernelExp *first, *step;
} Row;

static bool is_whole(const KernelExp *exp, CoreOperator op)
{
    return exp && exp->kind == KERNEL_BINARY && exp->as.scalar.op == op &&
           exp->as.scalar.prim == CORE_I64;
}

/* first + t*step, a row; or a row and a constant. */
static bool find_row(Search *search, const KernelVariable *variable, const KernelExp *value,
                     Row *row)
{
    if (!is_whole(value, CORE_ADD)) {
        return false;
    }
    const KernelExp *x = value->as.scalar.x, *y = value->as.scalar.y;
    const Row *before =
        x->kind == KERNEL_VARIABLE ? pointer_map_get(&search->rows, x->as.variable) : NULL;
    if (before && y->kind == KERNEL_CONSTANT && y->as.constant.as.integer > -MOST_ADDED &&
        y->as.constant.as.integer < MOST_ADDED) {
        *row = (Row){kernel_binary(search->e->c, CORE_ADD, before->first, y), before->step};
        return true;
    }
    if (!variable->is_row || !emit_is_fixed(search->e, search->loop, x) || !is_whole(y, CORE_MUL)) {
        return false;
    }
    const KernelExp *t = y->as.scalar.x, *step = y->as.scalar.y;
    bool counts = t->kind == KERNEL_VARIABLE && t->as.variable == search->loop->variable;
    *row = (Row){x, step};
    return counts && emit_is_fixed(search->e, search->loop, step);
}

/* let x = (double) row, the last thing that is done with a row here. */
static const Row *find_double(const Search *search, const KernelCmd *command)
{
    const KernelExp *value = command->value;
    return value && value->kind == KERNEL_CONVERT && value->prim == CORE_F64 &&
                   !search->e->survey.assigned[command->variable->number] &&
                   value->as.convert->kind == KERNEL_VARIABLE
               ? pointer_map_get(&search->rows, value->as.convert->as.variable)
               : NULL;
}

EmitCounts emit_counts_begin(Emit *e, const KernelCmd *loop)
{
    EmitCounts counts = {0};
    Search search = {.e = e, .loop = loop};
    Arena *arena = e->c->arena;
    for (size_t i = 0; i < loop->body.count && e->dialect == EMIT_DEVICE; i++) {
        const KernelCmd *command = loop->body.commands[i];
        Row found;
        if (command->kind != KERNEL_DECLARE || command->variable->space != KERNEL_SCALAR) {
            continue;
        }
        const Row *row = find_double(&search, command);
        if (row) {
            const char *next = arena_printf(arena, "%s_next", emit_name(e, command->variable));
            pointer_map_set(arena, &e->counted, command->variable, (void *)(uintptr_t)next);
            emit_line(e, "double %s = (double)(%s);", next, emit_exp(e, row->first));
            vec_push(arena, &counts.next, next);
            vec_push(arena, &counts.step, emit_operand(e, row->step));
        } else if (find_row(&search, command->variable, command->value, &found)) {
            Row *kept = pointer_map_make(arena, &search.rows, command->variable, sizeof *kept);
            *kept = found;
        }
    }
    return counts;
}

void emit_counts_end(Emit *e, const EmitCounts *counts)
{
    for (size_t k = 0; k < counts->next.count; k++) {
        emit_line(e, "    %s += (double)%s;", counts->next.items[k], counts->step.items[k]);
    }
}
