/* Loops of the host whose steps are one kernel each, as one kernel that stays on the device.

       for (t < steps) {                          few = stays ? 1 : steps
           alloc next                             for (t < few) { ... as before ... }
           grid map (g < n) {            ==>      if stays {
               next[g] = f(state, g)                  alloc other
           }                                          group map_steps (group < groups) {
           alias state = next                             for (s < steps - few) {
           release next                                       local (l < 1024) {
       }                                                          for (each g of the work-item) {
                                                                      other[g] = f(state, g) } }
                                                              meet
                                                              swap state, other } }
                                                      if (steps - few is odd) { alias state = other }
                                                      release other }

   A launch takes some microseconds, in which a GPU computes a step of some hundred thousand elements;
   groups that wait for each other do so in a third of the time. They may wait only where all of them
   run at once: no more groups are started than the device says it runs ("resident_groups", none
   where that is not known). The first step is a launch in any case, so that the state is memory of
   the loop's own, which the steps may overwrite.

   Before: a program lowered for devices. A loop qualifies where a step is scalars of the host, one
   grid that checks nothing, what it allocates, and the aliases that make that the next state. What
   scalars are the same in all steps moves out of the loop either way. */
#include "backend/copy.h"

enum {
    GROUP_SIZE =
        1024, /* of which every device that says how many groups it runs can run one a unit */
    FEWEST_STEPS = 4,
    MOST_ROWS = 8,    /* of a work-item: with more the launch does not matter */
    MOST_NODES = 4000 /* of the grid's body */
};

/* An array of the state: `now` is read, `next` written. */
typedef struct State {
    KernelVariable *now, *next, *other;
    const KernelExp *count;
} State;

typedef struct Resident {
    Compilation *c;
    const KernelCmd *loop, *grid;
    VEC(State) states;
    PointerMap changing; /* KernelVariable -> itself: scalars that differ from step to step */
    bool asks_step;      /* the grid, or a scalar, uses the number of the step */
} Resident;

/* ---- which loops ----------------------------------------------------------------------------- */

/* Reads memory (`loads`), or a scalar that differs from step to step (`changes`). */
static void look(const Resident *r, const KernelExp *exp, bool *loads, bool *changes)
{
    *loads = *loads || exp->kind == KERNEL_LOAD;
    *changes = *changes ||
               (exp->kind == KERNEL_VARIABLE && pointer_map_get(&r->changing, exp->as.variable));
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        look(r, operands[k], loads, changes);
    }
}

static bool is_steady(const Resident *r, const KernelExp *exp)
{
    bool loads = false, changes = false;
    look(r, exp, &loads, &changes);
    return !loads && !changes;
}

static State *state_of(Resident *r, const KernelVariable *next)
{
    for (size_t i = 0; i < r->states.count; i++) {
        if (r->states.items[i].next == next) {
            return &r->states.items[i];
        }
    }
    return NULL;
}

/* The command as one of a step's; false: the loop does not qualify. */
static bool take(Resident *r, const KernelCmd *command)
{
    State *state;
    switch (command->kind) {
    case KERNEL_DECLARE: {
        bool loads = false, changes = false;
        if (command->variable->space != KERNEL_SCALAR || !command->value) {
            return false;
        }
        look(r, command->value, &loads, &changes);
        if (changes) {
            r->asks_step = true;
            pointer_map_set(r->c->arena, &r->changing, command->variable, command->variable);
        }
        return !loads;
    }
    case KERNEL_ALLOCATE:
        vec_push(r->c->arena, &r->states,
                 ((State){.next = command->variable, .count = command->count}));
        return !r->grid && is_steady(r, command->count);
    case KERNEL_FOR:
        if (command->level != KERNEL_GRID || r->grid) {
            return false;
        }
        r->grid = command;
        return is_steady(r, command->count);
    case KERNEL_ALIAS:
        state = state_of(r, command->source);
        if (!r->grid || !state || state->now || state_of(r, command->variable)) {
            return false;
        }
        state->now = command->variable;
        return true;
    case KERNEL_RELEASE: return r->grid && state_of(r, command->variable);
    case KERNEL_COMMENT: return true;
    case KERNEL_CONSTANTS:
    case KERNEL_ASSIGN:
    case KERNEL_STORE:
    case KERNEL_ATOMIC:
    case KERNEL_EXCHANGE:
    case KERNEL_RETRY:
    case KERNEL_COPY:
    case KERNEL_WHILE:
    case KERNEL_IF:
    case KERNEL_BARRIER:
    case KERNEL_ARRIVE:
    case KERNEL_TICKET:
    case KERNEL_PUBLISH:
    case KERNEL_AWAIT:
    case KERNEL_MEET:
    case KERNEL_SWAP:
    case KERNEL_CHECK:
    case KERNEL_RESERVE:
    case KERNEL_CALL:
    case KERNEL_AHEAD:
    case KERNEL_EFFECT: return false;
    }
    return false;
}

/* The grid writes what becomes the next state and reads nothing of it. */
static bool writes_next(Resident *r)
{
    KernelFreeVec used = kernel_free(r->c, r->grid->body);
    for (size_t i = 0; i < used.count; i++) {
        const KernelFree *item = &used.items[i];
        r->asks_step = r->asks_step || item->variable == r->loop->variable;
        if (item->written && !state_of(r, item->variable)) {
            return false;
        }
    }
    return true;
}

static bool reads_next(Resident *r, const KernelExp *exp)
{
    bool reads = exp->kind == KERNEL_LOAD && state_of(r, exp->as.load.buffer);
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count && !reads; k++) {
        reads = reads_next(r, operands[k]);
    }
    return reads;
}

static bool reads_next_in(Resident *r, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        const KernelExp *own[] = {command->value, command->index, command->count};
        for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
            if (own[k] && reads_next(r, own[k])) {
                return true;
            }
        }
        if (reads_next_in(r, command->body) || reads_next_in(r, command->otherwise)) {
            return true;
        }
    }
    return false;
}

static bool qualifies(Resident *r)
{
    size_t budget = MOST_NODES;
    pointer_map_set(r->c->arena, &r->changing, r->loop->variable, r->loop->variable);
    for (size_t i = 0; i < r->loop->body.count; i++) {
        if (!take(r, r->loop->body.commands[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < r->states.count; i++) {
        if (!r->states.items[i].now) {
            return false;
        }
    }
    return r->grid && r->states.count > 0 && !kernel_has(r->grid->body, KERNEL_CHECK) &&
           kernel_can_duplicate(r->grid->body, &budget) && writes_next(r) &&
           !reads_next_in(r, r->grid->body);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static const KernelExp *operation(const Resident *r, CoreOperator op, const KernelExp *x,
                                  const KernelExp *y)
{
    return kernel_binary(r->c, op, x, y);
}

static const KernelExp *let(const Resident *r, KernelBuilder *b, const char *text,
                            const KernelExp *value)
{
    KernelVariable *variable =
        kernel_variable(r->c, text, value->prim, KERNEL_SCALAR, r->loop->span);
    kernel_declare(b, variable, value);
    return kernel_use(r->c, variable);
}

/* Rows first, first + items, ... below `rows`, one after the other. */
static KernelBlock rows_of_item(Resident *r, KernelCopier *copier, const KernelExp *first,
                                const KernelExp *rows, const KernelExp *items)
{
    Compilation *c = r->c;
    KernelBuilder own = kernel_builder(c, r->grid->span), each = own;
    KernelVariable *round = kernel_variable(c, "round", CORE_I64, KERNEL_SCALAR, r->grid->span);
    KernelVariable *row = kernel_rename(copier, r->grid->variable);
    row->row_of = r->grid->rows ? r->grid->rows : r->grid->count; /* as people know them */
    row->is_row = rows->kind == KERNEL_VARIABLE;                  /* an argument then */
    kernel_declare(
        &each, row,
        operation(r, CORE_ADD, first, operation(r, CORE_MUL, kernel_use(c, round), items)));
    kernel_duplicate(copier, &each, r->grid->body);
    const KernelExp *left = operation(r, CORE_ADD, operation(r, CORE_SUB, rows, first),
                                      operation(r, CORE_SUB, items, kernel_i64(c, 1)));
    kernel_for(&own, KERNEL_SEQ, NULL, round, kernel_divide(c, left, items), kernel_block(&each));
    return kernel_block(&own);
}

/* The number of the step, and scalars that differ from step to step. */
static void declare_changing(Resident *r, KernelCopier *copier, KernelBuilder *b, KernelVariable *s)
{
    if (!r->asks_step) {
        return;
    }
    const KernelExp *step = operation(r, CORE_ADD, kernel_use(r->c, s), kernel_i64(r->c, 1));
    kernel_replace(copier, r->loop->variable, let(r, b, r->loop->variable->text, step));
    for (size_t i = 0; i < r->loop->body.count; i++) {
        const KernelCmd *command = r->loop->body.commands[i];
        if (command->kind == KERNEL_DECLARE && pointer_map_get(&r->changing, command->variable)) {
            kernel_duplicate(copier, b, (KernelBlock){1, &command});
        }
    }
}

static void add_kernel(Resident *r, KernelBuilder *b, const KernelExp *rows,
                       const KernelExp *groups, const KernelExp *items, const KernelExp *left)
{
    Compilation *c = r->c;
    KernelCopier copier = {.c = c};
    KernelBuilder steps = kernel_builder(c, r->grid->span), one = steps, local = steps;
    KernelVariable *group = kernel_variable(c, "group", CORE_I64, KERNEL_SCALAR, r->grid->span);
    KernelVariable *s = kernel_variable(c, "s", CORE_I64, KERNEL_SCALAR, r->loop->span);
    KernelVariable *l = kernel_variable(c, "l", CORE_I64, KERNEL_SCALAR, r->loop->span);
    declare_changing(r, &copier, &one, s);
    for (size_t i = 0; i < r->states.count; i++) {
        kernel_replace(&copier, r->states.items[i].next, kernel_use(c, r->states.items[i].other));
    }
    const KernelExp *first =
        let(r, &local, "first",
            operation(r, CORE_ADD,
                      operation(r, CORE_MUL, kernel_use(c, group), kernel_i64(c, GROUP_SIZE)),
                      kernel_use(c, l)));
    KernelBlock each = rows_of_item(r, &copier, first, rows, items);
    kernel_add_block(&local, each);
    kernel_for(&one, KERNEL_LOCAL_LOOP, NULL, l, kernel_i64(c, GROUP_SIZE), kernel_block(&local));
    kernel_meet(&one);
    for (size_t i = 0; i < r->states.count; i++) {
        kernel_swap(&one, r->states.items[i].now, r->states.items[i].other);
    }
    kernel_for(&steps, KERNEL_SEQ, NULL, s, left, kernel_block(&one));
    b->span = r->grid->span;
    kernel_for(b, KERNEL_GROUP, arena_printf(c->arena, "%s_steps", r->grid->text), group, groups,
               kernel_block(&steps));
    kernel_assume(b, r->grid->assumed_count, r->grid->assumed);
    kernel_with_ahead(b, r->grid->ahead);
}

/* ---- the host -------------------------------------------------------------------------------- */

static KernelBlock stay(Resident *r, const KernelExp *rows, const KernelExp *groups,
                        const KernelExp *steps)
{
    Compilation *c = r->c;
    KernelBuilder b = kernel_builder(c, r->loop->span), odd = b;
    const KernelExp *left = let(r, &b, "left", operation(r, CORE_SUB, steps, kernel_i64(c, 1)));
    const KernelExp *items =
        let(r, &b, "items", operation(r, CORE_MUL, groups, kernel_i64(c, GROUP_SIZE)));
    for (size_t i = 0; i < r->states.count; i++) {
        State *state = &r->states.items[i];
        state->other = kernel_variable(c, state->next->text, state->next->prim, KERNEL_GLOBAL,
                                       state->next->span);
        kernel_allocate(&b, state->other, state->count);
        kernel_alias(&odd, state->now, state->other);
    }
    add_kernel(r, &b, rows, groups, items, left);
    const KernelExp *rest = kernel_modulo(c, left, kernel_i64(c, 2));
    kernel_if(&b, operation(r, CORE_EQ, rest, kernel_i64(c, 1)), kernel_block(&odd),
              (KernelBlock){0});
    for (size_t i = 0; i < r->states.count; i++) {
        kernel_release(&b, r->states.items[i].other);
    }
    return kernel_block(&b);
}

/* Whether the kernel is worth having, and with how many groups. */
static const KernelExp *choose(Resident *r, KernelBuilder *b, const KernelExp *rows,
                               const KernelExp *steps, const KernelExp **groups)
{
    Compilation *c = r->c;
    KernelVariable *most = kernel_variable(c, "resident", CORE_I64, KERNEL_SCALAR, r->loop->span);
    kernel_declare(b, most, NULL);
    kernel_effect(b,
                  (KernelEffect){.kind = KERNEL_DEVICE, .name = "resident_groups", .result = most});
    const KernelExp *wanted = kernel_divide(
        c, operation(r, CORE_ADD, rows, kernel_i64(c, GROUP_SIZE - 1)), kernel_i64(c, GROUP_SIZE));
    *groups = let(r, b, "groups", operation(r, CORE_MIN, kernel_use(c, most), wanted));
    const KernelExp *few =
        operation(r, CORE_LE, wanted, operation(r, CORE_MUL, *groups, kernel_i64(c, MOST_ROWS)));
    const KernelExp *good =
        operation(r, CORE_AND, operation(r, CORE_GE, steps, kernel_i64(c, FEWEST_STEPS)),
                  operation(r, CORE_AND, operation(r, CORE_GE, *groups, kernel_i64(c, 1)), few));
    const KernelExp *stays = let(r, b, "stays", good);
    if (stays->kind == KERNEL_VARIABLE) {
        stays->as.variable->meaning = "the steps stay on the device";
    }
    return stays;
}

static bool put(void *context, KernelBuilder *b, const KernelCmd *command)
{
    Resident r = {.c = context, .loop = command};
    if (command->kind != KERNEL_FOR) {
        return false;
    }
    if (command->level != KERNEL_SEQ) {
        kernel_add(b, command);
        return true;
    }
    if (!qualifies(&r)) {
        return false;
    }
    KernelBuilder body = kernel_builder(r.c, command->span);
    b->span = command->span;
    for (size_t i = 0; i < command->body.count; i++) {
        const KernelCmd *own = command->body.commands[i];
        bool steady = own->kind == KERNEL_DECLARE && !pointer_map_get(&r.changing, own->variable);
        kernel_add(steady ? b : &body, own);
    }
    const KernelExp *groups, *one = kernel_i64(r.c, 1);
    const KernelExp *rows = let(&r, b, "rows", r.grid->count);
    const KernelExp *steps = let(&r, b, "steps", command->count);
    const KernelExp *stays = choose(&r, b, rows, steps, &groups);
    kernel_for(b, KERNEL_SEQ, NULL, command->variable, kernel_select(r.c, stays, one, steps),
               kernel_block(&body));
    kernel_if(b, stays, stay(&r, rows, groups, steps), (KernelBlock){0});
    return true;
}

KernelProgram *kernel_keep_resident(Compilation *c, const KernelProgram *program)
{
    const KernelRewrite rewrite = {.c = c, .context = c, .put = put};
    return kernel_rewrite_program(&rewrite, program);
}
