/* Loops over arrays that singleton extension may have extended, in sequential programs.

   Where lengths are not known to be equal, arrays that meet are read with a stride which is 0 if they have one element,
   else 1, or with a mask of the position (core/simplify/extension.c). Nearly always it is 1, and so there is a loop for that,
   which asks for nothing in each iteration, and whose borders the passes after this one find:

       for (i < n) { r[i] = x[i * s] + y[i & m] }   ==>   if (s == 1 & m == -1) { for (i < n) { r[i] = x[i] + y[i] } }
                                                          else { for (i < n) { r[i] = x[i * s] + y[i & m] } }

   s is a bool as a number, or 1 less that, and m is -1 or 0: the negative of such a number, or that less 1; both come from
   outside the loop, and what they are put to is a position: made of numbers of iterations, without elements. Where lengths from
   outside meet, the program has versions already (core/simplify/lengths.c); here they are of what a loop makes in each step. */
#include "backend/copy.h"

enum { MOST_SIZE = 600, MOST_STRIDES = 8, FEW_ROWS = 64 };

/* A stride or mask, and what it is where nothing is extended: 1 or -1. */
typedef struct Stride {
    KernelVariable *variable;
    int64_t plain;
} Stride;

/* Of a number declared in the loop: whether it is made of numbers of iterations and numbers from outside alone. */
typedef enum Position { NO_POSITION = 1, STEADY, POSITION } Position;

typedef struct Extended {
    Compilation *c;
    PointerMap assigned; /* KernelVariable -> anything: written after its declaration */
    PointerMap values;   /* KernelVariable -> KernelExp, of the others declared so far */
    /* of the loop at work: */
    PointerMap inside; /* KernelVariable declared in it -> Position */
    size_t count;      /* of strides; MOST_STRIDES + 1: too many */
    Stride strides[MOST_STRIDES];
} Extended;

static void find_assigned(Extended *e, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->variable && command->kind != KERNEL_DECLARE && command->kind != KERNEL_FOR) {
            pointer_map_set(e->c->arena, &e->assigned, command->variable, e);
        }
        if (command->effect.result) {
            pointer_map_set(e->c->arena, &e->assigned, command->effect.result, e);
        }
        find_assigned(e, command->body);
        find_assigned(e, command->otherwise);
        if (command->on_processor) {
            find_assigned(e, command->on_processor->body);
        }
    }
}

/* ---- strides --------------------------------------------------------------------------------- */

static const KernelExp *resolve(const Extended *e, const KernelExp *exp)
{
    const KernelExp *value = exp;
    while (value && value->kind == KERNEL_VARIABLE) {
        exp = value;
        value = pointer_map_get(&e->values, exp->as.variable);
    }
    return value ? value : exp;
}

/* A bool as a number. */
static bool is_bit(const Extended *e, const KernelExp *exp)
{
    exp = resolve(e, exp);
    return exp->kind == KERNEL_CONVERT && exp->prim == CORE_I64 &&
           exp->as.convert->prim == CORE_BOOL;
}

static bool is_difference(const Extended *e, const KernelExp *exp, const KernelExp **x,
                          const KernelExp **y)
{
    exp = resolve(e, exp);
    bool is = exp->kind == KERNEL_BINARY && exp->as.scalar.op == CORE_SUB;
    *x = is ? exp->as.scalar.x : NULL;
    *y = is ? exp->as.scalar.y : NULL;
    return is;
}

static bool is_stride(const Extended *e, const KernelExp *exp)
{
    const KernelExp *x, *y;
    return is_bit(e, exp) || (is_difference(e, exp, &x, &y) && kernel_is_i64(x, 1) && is_bit(e, y));
}

static bool is_mask(const Extended *e, const KernelExp *exp)
{
    const KernelExp *x, *y, *value = resolve(e, exp);
    return (value->kind == KERNEL_UNARY && value->as.scalar.op == CORE_NEG &&
            is_bit(e, value->as.scalar.x)) ||
           (is_difference(e, exp, &x, &y) && kernel_is_i64(y, 1) && is_bit(e, x));
}

/* ---- the loop at work ------------------------------------------------------------------------ */

static bool is_inside(const Extended *e, const KernelVariable *variable)
{
    return pointer_map_get(&e->inside, variable) != NULL;
}

static Position position_of(const Extended *e, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE) {
        uintptr_t place = (uintptr_t)pointer_map_get(&e->inside, exp->as.variable);
        return place ? (Position)place : STEADY;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    Position place = exp->kind == KERNEL_LOAD || exp->prim != CORE_I64 ? NO_POSITION : STEADY;
    for (size_t k = 0; k < count && place != NO_POSITION; k++) {
        Position operand = position_of(e, operands[k]);
        place = operand == NO_POSITION || operand == POSITION ? operand : place;
    }
    return place;
}

static void note_stride(Extended *e, KernelVariable *variable, int64_t plain)
{
    bool is_new = e->count <= MOST_STRIDES;
    for (size_t k = 0; k < e->count && is_new; k++) {
        is_new = e->strides[k].variable != variable;
    }
    if (is_new && e->count < MOST_STRIDES) {
        e->strides[e->count] = (Stride){variable, plain};
    }
    e->count += is_new;
}

/* place * stride, or place & mask. */
static void look_at(Extended *e, CoreOperator op, const KernelExp *place, const KernelExp *other)
{
    if (other->kind == KERNEL_VARIABLE && !is_inside(e, other->as.variable) &&
        (op == CORE_MUL ? is_stride(e, other) : is_mask(e, other)) &&
        position_of(e, place) == POSITION) {
        note_stride(e, other->as.variable, op == CORE_MUL ? 1 : -1);
    }
}

static void look_exp(Extended *e, const KernelExp *exp)
{
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = exp ? kernel_operands(exp, operands) : 0;
    for (size_t k = 0; k < count; k++) {
        look_exp(e, operands[k]);
    }
    if (exp && exp->kind == KERNEL_BINARY && exp->prim == CORE_I64 &&
        (exp->as.scalar.op == CORE_MUL || exp->as.scalar.op == CORE_AND)) {
        look_at(e, exp->as.scalar.op, operands[0], operands[1]);
        look_at(e, exp->as.scalar.op, operands[1], operands[0]);
    }
}

static void look_block(Extended *e, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        look_exp(e, command->value);
        look_exp(e, command->index);
        look_exp(e, command->count);
        if (command->kind == KERNEL_DECLARE || command->kind == KERNEL_FOR) {
            bool is_steady = command->kind == KERNEL_DECLARE && command->value &&
                             !pointer_map_get(&e->assigned, command->variable);
            Position place = command->kind == KERNEL_FOR ? POSITION
                             : is_steady                 ? position_of(e, command->value)
                                                         : NO_POSITION;
            pointer_map_set(e->c->arena, &e->inside, command->variable, (void *)(uintptr_t)place);
        }
        look_block(e, command->body);
        look_block(e, command->otherwise);
    }
}

/* Whether it is a loop to be put twice; then all about it is in `e`. */
static bool study(Extended *e, const KernelCmd *loop)
{
    size_t budget = MOST_SIZE;
    if (loop->kind != KERNEL_FOR || loop->level != KERNEL_SEQ || loop->product ||
        (loop->count->kind == KERNEL_CONSTANT && loop->count->as.constant.as.integer < FEW_ROWS) ||
        !kernel_can_duplicate(loop->body, &budget)) {
        return false;
    }
    e->inside = (PointerMap){0};
    e->count = 0;
    pointer_map_set(e->c->arena, &e->inside, loop->variable, (void *)(uintptr_t)POSITION);
    look_block(e, loop->body);
    return e->count > 0 && e->count <= MOST_STRIDES;
}

/* ---- the two loops --------------------------------------------------------------------------- */

static void put_loops(Extended *e, KernelBuilder *b, const KernelCmd *loop)
{
    Compilation *c = e->c;
    KernelCopier copier = {.c = c};
    const KernelExp *plain = NULL;
    b->span = loop->span;
    for (size_t k = 0; k < e->count; k++) {
        const Stride *stride = &e->strides[k];
        const KernelExp *one = kernel_i64(c, stride->plain);
        const KernelExp *same = kernel_binary(c, CORE_EQ, kernel_use(c, stride->variable), one);
        plain = plain ? kernel_binary(c, CORE_AND, plain, same) : same;
        kernel_replace(&copier, stride->variable, one);
    }
    KernelBuilder fast = kernel_builder(c, loop->span), slow = kernel_builder(c, loop->span);
    kernel_duplicate(&copier, &fast, (KernelBlock){.count = 1, .commands = &loop});
    kernel_add(&slow, loop);
    kernel_if(b, plain, kernel_block(&fast), kernel_block(&slow));
}

/* ---- the program ----------------------------------------------------------------------------- */

static bool put(void *context, KernelBuilder *b, const KernelCmd *command)
{
    Extended *e = context;
    if (command->kind == KERNEL_DECLARE && command->value &&
        !pointer_map_get(&e->assigned, command->variable)) {
        pointer_map_set(e->c->arena, &e->values, command->variable,
                        (void *)(uintptr_t)command->value);
    }
    bool found = study(e, command);
    if (found) {
        put_loops(e, b, command);
    }
    return found;
}

KernelProgram *kernel_assume_plain(Compilation *c, const KernelProgram *program)
{
    Extended e = {.c = c};
    KernelRewrite rewrite = {.c = c, .context = &e, .put = put};
    for (size_t i = 0; i < program->body_count; i++) {
        find_assigned(&e, program->entries[i].body);
    }
    return kernel_rewrite_program(&rewrite, program);
}
