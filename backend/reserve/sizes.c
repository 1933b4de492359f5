/* Sizes of what loops allocate: which are the same in all steps, and can be computed before the loop.

       var m = n * 2                    m      is n * 2
       for (t < steps) {
           var k = m + 1                k      is n * 2 + 1, also before the loop
           alloc a : f64[k]
           alloc b : f64[t]             t      is of the loop
       }

   Scalars that never change are taken for what they stand for, so that sizes that are the same are seen to be, and
   those of scalars of the loop's own have a value in front of it. */
#include "backend/reserve/reserve.h"

enum { MOST_NODES = 100 /* of a size in full */ };

static void put(Reserve *r, PointerMap *set, const void *item)
{
    pointer_map_set(r->c->arena, set, item, (void *)(uintptr_t)item);
}

/* ---- scalars --------------------------------------------------------------------------------- */

typedef VEC(const KernelVariable *) Names;

/* What the command gives a value, but for a declaration that has one. */
static Names assigned_by(const Reserve *r, const KernelCmd *command)
{
    Names names = {0};
    const KernelEffect *effect = &command->effect;
    if (command->variable && !(command->kind == KERNEL_DECLARE && command->value)) {
        vec_push(r->c->arena, &names, command->variable);
    }
    if (effect->result) {
        vec_push(r->c->arena, &names, effect->result);
    }
    bool reads = command->kind == KERNEL_EFFECT && effect->kind == KERNEL_READ;
    for (int k = 0; reads && k < effect->rank; k++) {
        vec_push(r->c->arena, &names, effect->extents[k]);
    }
    for (size_t k = 0; k < command->payload_count; k++) {
        vec_push(r->c->arena, &names, command->payload[k]);
    }
    return names;
}

/* Scalars that get a value in a loop, or more than once. */
static void find_changing(Reserve *r, PointerMap *given, KernelBlock block, bool in_loop)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        Names names = assigned_by(r, command);
        bool is_declaration = command->kind == KERNEL_DECLARE;
        if (is_declaration && command->value) {
            put(r, given, command->variable);
        }
        for (size_t k = 0; k < names.count && !is_declaration; k++) {
            bool again = in_loop || pointer_map_get(given, names.items[k]);
            put(r, again ? &r->changing : given, names.items[k]);
        }
        if (!kernel_is_parallel(command)) {
            bool loops = in_loop || command->kind != KERNEL_IF;
            find_changing(r, given, command->body, loops);
            find_changing(r, given, command->otherwise, loops);
        }
    }
}

static void find_inside(Reserve *r, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        Names names = assigned_by(r, command);
        for (size_t k = 0; k < names.count; k++) {
            put(r, &r->inside, names.items[k]);
        }
        if (command->kind == KERNEL_DECLARE) {
            put(r, &r->inside, command->variable);
        }
        if (!kernel_is_parallel(command)) {
            find_inside(r, command->body);
            find_inside(r, command->otherwise);
        }
    }
}

const KernelExp *reserve_in_full(Reserve *r, const KernelExp *exp)
{
    if (kernel_loads(exp) > 0 || exp->nodes > MOST_NODES) {
        return NULL;
    }
    const KernelExp *full = kernel_duplicate_exp(&r->full, exp);
    return full->nodes <= MOST_NODES ? full : NULL;
}

static KernelVariable *device(Reserve *r, const KernelEffect *effect)
{
    for (size_t i = 0; i < r->devices.count; i++) {
        if (strcmp(r->devices.items[i].name, effect->name) == 0) {
            return r->devices.items[i].result;
        }
    }
    Device own = {
        effect->name,
        kernel_variable(r->c, effect->name, effect->result->prim, KERNEL_SCALAR, (Span){0}), false};
    vec_push(r->c->arena, &r->devices, own);
    return own.result;
}

static void find_meanings(Reserve *r, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_EFFECT && command->effect.kind == KERNEL_DEVICE) {
            kernel_replace(&r->full, command->effect.result,
                           kernel_use(r->c, device(r, &command->effect)));
        }
        if (command->kind == KERNEL_DECLARE && command->value &&
            !pointer_map_get(&r->changing, command->variable)) {
            const KernelExp *full = reserve_in_full(r, command->value);
            if (full && !kernel_mentions_any(&r->changing, full)) {
                kernel_replace(&r->full, command->variable, full);
            }
        }
        if (!kernel_is_parallel(command)) {
            find_meanings(r, command->body);
            find_meanings(r, command->otherwise);
        }
    }
}

/* ---- sizes of a loop ------------------------------------------------------------------------- */

/* In full where it is there before the loop and the same in all steps; else NULL. */
static const KernelExp *steady(Reserve *r, const KernelExp *exp)
{
    const KernelExp *full = reserve_in_full(r, exp);
    return full && !kernel_mentions_any(&r->inside, full) ? full : NULL;
}

Size *reserve_size(const Reserve *r, const KernelExp *full, unsigned element)
{
    for (size_t i = 0; i < r->sizes.count; i++) {
        Size *size = r->sizes.items[i];
        if (size->element == element && kernel_is_same(size->full, full)) {
            return size;
        }
    }
    return NULL;
}

/* Can be computed though the loop may never do it. */
static bool cannot_fail(const KernelExp *exp)
{
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    bool divides = exp->kind == KERNEL_BINARY &&
                   (exp->as.scalar.op == CORE_DIV || exp->as.scalar.op == CORE_MOD);
    bool rounds = exp->kind == KERNEL_CONVERT && core_is_real(operands[0]->prim);
    bool is_safe =
        !divides || (operands[1]->kind == KERNEL_CONSTANT && !kernel_is_i64(operands[1], 0));
    if (rounds || !is_safe) {
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        if (!cannot_fail(operands[k])) {
            return false;
        }
    }
    return true;
}

static const KernelExp *both(const Reserve *r, const KernelExp *x, const KernelExp *y)
{
    return !x ? y : !y ? x : kernel_binary(r->c, CORE_AND, x, y);
}

/* Where that is long it may as well be always. */
static const KernelExp *either(const Reserve *r, const KernelExp *x, const KernelExp *y)
{
    const KernelExp *any = x && y ? kernel_binary(r->c, CORE_OR, x, y) : NULL;
    return any && any->nodes <= MOST_NODES ? any : NULL;
}

static void add_size(Reserve *r, const KernelCmd *allocate, const KernelExp *when)
{
    unsigned element = core_prim_bytes(allocate->variable->prim);
    const KernelExp *full = steady(r, allocate->count);
    if (!full || pointer_map_get(&r->reserved, allocate)) {
        return;
    }
    Size *size = reserve_size(r, full, element);
    if (size) {
        size->when = either(r, size->when, when);
    } else {
        bool is_outside = !kernel_mentions_any(&r->inside, allocate->count);
        const KernelExp *count = is_outside ? allocate->count : full;
        if (!cannot_fail(count)) {
            return;
        }
        size = ARENA_NEW(r->c->arena, Size);
        *size = (Size){.count = count, .full = full, .when = when, .element = element};
        vec_push(r->c->arena, &r->sizes, size);
    }
    pointer_map_set(r->c->arena, &r->size_of, allocate, size);
    put(r, &r->reserved, allocate);
}

static void find_sizes(Reserve *r, KernelBlock block, const KernelExp *when);

/* The branch that all steps take, if they take the same. */
static void find_in_branches(Reserve *r, const KernelCmd *branches, const KernelExp *when)
{
    const KernelExp *condition = steady(r, branches->value);
    if (!condition || !cannot_fail(condition)) {
        return;
    }
    const KernelExp *then = both(r, when, condition),
                    *otherwise = both(r, when, kernel_unary(r->c, CORE_NOT, condition));
    if (otherwise->nodes <= MOST_NODES) {
        find_sizes(r, branches->body, then);
        find_sizes(r, branches->otherwise, otherwise);
    }
}

/* Of what each step allocates. */
static void find_sizes(Reserve *r, KernelBlock block, const KernelExp *when)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_ALLOCATE) {
            add_size(r, command, when);
        } else if (command->kind == KERNEL_IF) {
            find_in_branches(r, command, when);
        } else if (!kernel_is_parallel(command)) {
            find_sizes(r, command->body, when);
        }
    }
}

void reserve_learn(Reserve *r, KernelBlock entry)
{
    PointerMap given = {0};
    find_changing(r, &given, entry, false);
    find_meanings(r, entry);
}

void reserve_find_sizes(Reserve *r, const KernelCmd *loop)
{
    r->inside = r->size_of = (PointerMap){0};
    r->sizes.count = 0;
    find_inside(r, (KernelBlock){1, &loop});
    find_sizes(r, loop->body, NULL);
}
