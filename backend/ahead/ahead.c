/* Loops of the host that go on as long as the device says: the host runs ahead of what it says.

       while going {                            while going, ahead {
           grid f { ... }                           grid f, ahead { ... }
           var t = sum[0]               ==>         grid decide (g < 1), ahead {
           alias state = next                           ahead[0] = sum[0] > 1 ? ahead[0] + 1
           going = t > 1                                                      : -1 - ahead[0] }
       }                                            last = is last of (state, next)
                                                    alias state = next
                                                    going = !last
                                                }

   To load the condition is to wait, in each step. Instead the device writes down what it decides, and the host
   starts further steps meanwhile, whose kernels do nothing once it was the last; every few steps the host looks
   (runtime/opencl_ahead.c). When there was a last one before, all names are again what they were at that place of
   that step, and the rest of it is done.

   A tail call decides in the middle:

       if c { leave: E } else { N }     ==>     decide; last = is last of ...
                                                if last { E } else { N, ahead }

   and where the host itself knows that a step is the last, it first looks whether one before was:

       if k > 100 { leave: E }          ==>     last = is last where k > 100
                                                if last { E }

   Steps that are none must do no harm: fits.c says which loops that is so in.

   Before: a program lowered for devices. After: the same values. */
#include "backend/ahead/ahead.h"

/* ---- conditions ------------------------------------------------------------------------------ */

static void learn(Ahead *a, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind != KERNEL_DECLARE || command->variable->space != KERNEL_SCALAR) {
            continue;
        }
        pointer_map_set(a->c->arena, &a->declared, command->variable, (void *)(uintptr_t)command);
        if (kernel_loads(command->value) > 0 || kernel_mentions_any(&a->device, command->value)) {
            ahead_put(a, &a->device, command->variable);
        }
    }
}

static bool is_device(const Ahead *a, const KernelExp *exp)
{
    return kernel_loads(exp) > 0 || kernel_mentions_any(&a->device, exp);
}

static bool is_constant(const KernelExp *exp, bool value)
{
    return exp->kind == KERNEL_CONSTANT && exp->prim == CORE_BOOL &&
           (exp->as.constant.as.integer != 0) == value;
}

/* What a scalar of the levels stands for. */
static const KernelExp *meaning_of(const Ahead *a, const KernelExp *exp)
{
    const KernelCmd *command =
        exp->kind == KERNEL_VARIABLE ? pointer_map_get(&a->declared, exp->as.variable) : NULL;
    return command && command->value ? command->value : exp;
}

static bool is_same(const Ahead *a, const KernelExp *x, const KernelExp *y)
{
    return kernel_is_same(x, y) || kernel_is_same(meaning_of(a, x), meaning_of(a, y));
}

static bool is_not(const Ahead *a, const KernelExp *x, const KernelExp *y)
{
    const KernelExp *u = meaning_of(a, x), *v = meaning_of(a, y);
    if (u->kind == KERNEL_UNARY && u->as.scalar.op == CORE_NOT) {
        return is_same(a, u->as.scalar.x, y);
    }
    if (v->kind == KERNEL_UNARY && v->as.scalar.op == CORE_NOT) {
        return is_same(a, v->as.scalar.x, x);
    }
    return kernel_are_opposite(u, v);
}

/* ---- where a loop ends ----------------------------------------------------------------------- */

static size_t count_assignments(KernelBlock block, const KernelVariable *variable)
{
    size_t count = 0;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        count += command->kind == KERNEL_ASSIGN && command->variable == variable;
        count += count_assignments(command->body, variable) +
                 count_assignments(command->otherwise, variable);
    }
    return count;
}

/* The place of the block's one assignment to the variable; the block's count: there is no such. */
static size_t find_assignment(KernelBlock block, const KernelVariable *variable)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_ASSIGN && command->variable == variable) {
            return count_assignments(block, variable) == 1 ? i : block.count;
        }
    }
    return block.count;
}

static const KernelExp *assigned_in(KernelBlock block, const KernelVariable *variable)
{
    size_t at = find_assignment(block, variable);
    return at < block.count ? block.commands[at]->value : NULL;
}

/* A branch that ends the loop: the IF's body or the other one. */
typedef struct Branch {
    size_t at;
    bool in_body;
    KernelVariable *target; /* what both branches assign, whether the loop goes on; NULL: the
                               condition itself says it */
} Branch;

/* Of this IF one branch ends the loop, where `goes_on` says whether it goes on. */
static bool is_branch(const Ahead *a, const KernelCmd *command, const KernelExp *goes_on,
                      Branch *branch)
{
    if (is_not(a, goes_on, command->value) || is_same(a, goes_on, command->value)) {
        branch->in_body = is_not(a, goes_on, command->value);
        branch->target = NULL;
        return true;
    }
    if (goes_on->kind != KERNEL_VARIABLE) {
        return false;
    }
    const KernelExp *then_value = assigned_in(command->body, goes_on->as.variable),
                    *else_value = assigned_in(command->otherwise, goes_on->as.variable);
    if (!then_value || !else_value ||
        is_constant(then_value, false) == is_constant(else_value, false)) {
        return false;
    }
    branch->in_body = is_constant(then_value, false);
    branch->target = goes_on->as.variable;
    return true;
}

static bool find_branch(const Ahead *a, KernelBlock block, const KernelExp *goes_on, Branch *branch)
{
    for (size_t i = 0; i < block.count; i++) {
        if (block.commands[i]->kind == KERNEL_IF &&
            is_branch(a, block.commands[i], goes_on, branch)) {
            branch->at = i;
            return true;
        }
    }
    return false;
}

/* ---- kernels that do nothing ----------------------------------------------------------------- */

static bool has_kernels(KernelBlock block, size_t from)
{
    for (size_t i = from; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (kernel_is_parallel(command) || has_kernels(command->body, 0) ||
            has_kernels(command->otherwise, 0)) {
            return true;
        }
    }
    return false;
}

/* ---- where the device decides ---------------------------------------------------------------- */

static KernelVariable *last_variable(Compilation *c, Span span)
{
    KernelVariable *last = kernel_variable(c, "last", CORE_BOOL, KERNEL_SCALAR, span);
    last->meaning = "the loop ends";
    return last;
}

/* ahead[0] = goes_on ? ahead[0] + 1 : -1 - ahead[0]; gives what the host has of it: whether the step is the last.
 */
static const KernelExp *decide(Ahead *a, KernelBuilder *b, size_t place, const KernelExp *goes_on)
{
    Compilation *c = a->c;
    KernelVariable *item = kernel_variable(c, "g", CORE_I64, KERNEL_SCALAR, b->span);
    KernelVariable *last = last_variable(c, b->span);
    KernelBuilder body = kernel_builder(c, b->span);
    const KernelExp *count = kernel_load(c, a->ahead, kernel_i64(c, 0));
    kernel_store(&body, a->ahead, kernel_i64(c, 0),
                 kernel_select(c, goes_on, kernel_binary(c, CORE_ADD, count, kernel_i64(c, 1)),
                               kernel_binary(c, CORE_SUB, kernel_i64(c, -1), count)));
    kernel_for(b, KERNEL_GRID, arena_printf(c->arena, "decide_%u", last->number), item,
               kernel_i64(c, 1), kernel_block(&body));
    kernel_with_ahead(b, a->ahead);
    ahead_keep_step(a, b, place, last);
    return kernel_use(c, last);
}

/* Made in the block before that place, and nobody else's memory there. */
static bool is_new(KernelBlock block, size_t at, const KernelVariable *buffer)
{
    for (size_t i = at; i-- > 0;) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_ALLOCATE && command->variable == buffer) {
            return true;
        }
        bool may_share = command->kind == KERNEL_ALIAS || command->kind == KERNEL_IF ||
                         command->kind == KERNEL_WHILE ||
                         (command->kind == KERNEL_FOR && !kernel_is_parallel(command));
        if (may_share) {
            return false;
        }
    }
    return false;
}

static void note_change(Ahead *a, const KernelVariable *buffer, size_t number)
{
    *(size_t *)pointer_map_make(a->c->arena, &a->changed, buffer, sizeof number) = number;
}

/* Goes one level further on the way. */
static void enter(Ahead *a, KernelBlock block, size_t at)
{
    const Level *outer = a->levels.count > 0 ? &a->levels.items[a->levels.count - 1] : NULL;
    const Level level = {block, at, outer ? outer->first + outer->at : 1};
    for (size_t k = 0; k < at; k++) {
        const KernelCmd *command = block.commands[k];
        const size_t number = level.first + k;
        if (command->kind == KERNEL_ALIAS || command->kind == KERNEL_ALLOCATE) {
            note_change(a, command->variable, number);
        }
        KernelFreeVec names = kernel_free(a->c, (KernelBlock){1, &command});
        for (size_t i = 0; i < names.count; i++) {
            const KernelVariable *written = names.items[i].variable;
            if (names.items[i].written && written->space == KERNEL_GLOBAL) {
                note_change(a, written, number);
                a->doubtful = is_new(block, k, written) ? a->doubtful : number;
            }
        }
    }
    vec_push(a->c->arena, &a->levels, level);
}

/* From the declaration, at that place of that level, up to here the buffer stays what it is. */
static bool stays(const Ahead *a, size_t level, size_t at, const KernelVariable *buffer)
{
    const size_t number = a->levels.items[level].first + at;
    const size_t *changed = pointer_map_get(&a->changed, buffer);
    return a->doubtful <= number && (!changed || *changed <= number);
}

/* The buffers of the expression stay, and are released later. */
static bool keep_buffers(Ahead *a, size_t level, size_t at, const KernelExp *exp)
{
    if (exp->kind == KERNEL_LOAD) {
        if (!stays(a, level, at, exp->as.load.buffer)) {
            return false;
        }
        ahead_put(a, &a->later, exp->as.load.buffer);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        if (!keep_buffers(a, level, at, operands[k])) {
            return false;
        }
    }
    return true;
}

static void add_used(const Ahead *a, PointerMap *used, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE) {
        ahead_put(a, used, exp->as.variable);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        add_used(a, used, operands[k]);
    }
}

/* A branch that leaves, with declarations of its own of the device's scalars that it uses: it is done once, and
   may wait. */
static bool add_leaving(Ahead *a, KernelBuilder *b, KernelBlock block)
{
    VEC(const KernelCmd *) again = {0};
    PointerMap used = {0};
    KernelFreeVec names = kernel_free(a->c, block);
    for (size_t i = 0; i < names.count; i++) {
        ahead_put(a, &used, names.items[i].variable);
    }
    for (size_t i = a->levels.count; i-- > 0;) {
        for (size_t k = a->levels.items[i].at; k-- > 0;) {
            const KernelCmd *command = a->levels.items[i].block.commands[k];
            if (command->kind != KERNEL_DECLARE || !pointer_map_get(&used, command->variable) ||
                !pointer_map_get(&a->device, command->variable)) {
                continue;
            }
            if (!keep_buffers(a, i, k, command->value)) {
                return false;
            }
            add_used(a, &used, command->value);
            vec_push(a->c->arena, &again, command);
        }
    }
    for (size_t i = again.count; i-- > 0;) {
        kernel_add(b, again.items[i]);
    }
    kernel_add_block(b, block);
    return true;
}

/* ---- the loop's body ------------------------------------------------------------------------- */

/* Guards of a tail call, one in the other: each is gone through once for each around it, or in it. */
enum { MOST_LEVELS = 16 };

/* A block anew, in parts. */
typedef struct Parts {
    size_t at;                /* the level's place */
    KernelBuilder place;      /* what stands there */
    const KernelExp *goes_on; /* what the target is assigned; NULL: as before */
    bool replaces;            /* the command at the place is in it */
} Parts;

static bool anew(Ahead *a, KernelBlock block, const KernelVariable *target, KernelBlock *result);

/* The branch that goes on. */
static bool go_on(Ahead *a, KernelBlock block, const Branch *branch, KernelBlock *result)
{
    if (branch->target) {
        return anew(a, block, branch->target, result);
    }
    *result = ahead_guarded_block(a->c, a->ahead, block);
    return true;
}

/* Where the host knows that the step is the last, it looks whether one before was. */
static const KernelExp *look(const Ahead *a, KernelBuilder *b, const KernelExp *is_last)
{
    KernelVariable *last = last_variable(a->c, b->span);
    kernel_none_was_last(b, last, is_last);
    return kernel_use(a->c, last);
}

static bool decide_at_branch(Ahead *a, const KernelCmd *command, const Branch *branch, Parts *parts)
{
    const KernelExp *leaves = command->value, *stays = kernel_unary(a->c, CORE_NOT, leaves);
    bool on_device = is_device(a, leaves);
    KernelBuilder leaving = kernel_builder(a->c, command->span);
    KernelBlock on;
    size_t place = a->places;
    if (!add_leaving(a, &leaving, branch->in_body ? command->body : command->otherwise)) {
        return false;
    }
    a->places += on_device;
    if (!go_on(a, branch->in_body ? command->otherwise : command->body, branch, &on)) {
        return false;
    }
    const KernelExp *last = on_device
                                ? decide(a, &parts->place, place, branch->in_body ? stays : leaves)
                                : look(a, &parts->place, branch->in_body ? leaves : stays);
    kernel_if(&parts->place, last, kernel_block(&leaving), on);
    parts->goes_on = branch->target ? NULL : kernel_unary(a->c, CORE_NOT, last);
    return true;
}

/* Where the condition is decided on that the assignment hands over: before names change for the next step. */
static size_t place_before(KernelBlock block, size_t assignment, const KernelExp *goes_on)
{
    size_t at = assignment;
    while (at > 0) {
        const KernelCmd *command = block.commands[at - 1];
        bool changes =
            command->kind == KERNEL_ALIAS || command->kind == KERNEL_RELEASE ||
            command->kind == KERNEL_COMMENT ||
            (command->kind == KERNEL_ASSIGN && !kernel_mentions(goes_on, command->variable));
        if (!changes) {
            break;
        }
        at--;
    }
    return at;
}

static bool decide_at(Ahead *a, KernelBlock block, const KernelExp *goes_on, size_t assignment,
                      Parts *parts)
{
    Branch branch;
    bool has_branch = find_branch(a, block, goes_on, &branch);
    parts->at = has_branch ? branch.at : place_before(block, assignment, goes_on);
    enter(a, block, parts->at);
    bool good = false;
    parts->replaces = has_branch;
    if (has_branch) {
        good = decide_at_branch(a, block.commands[branch.at], &branch, parts);
    } else if (is_device(a, goes_on)) {
        const KernelExp *last = decide(a, &parts->place, a->places++, goes_on);
        parts->goes_on = kernel_unary(a->c, CORE_NOT, last);
        good = true;
    } else {
        parts->goes_on = kernel_unary(
            a->c, CORE_NOT, look(a, &parts->place, kernel_unary(a->c, CORE_NOT, goes_on)));
        good = true;
    }
    a->levels.count--;
    return good;
}

/* The block, in which the target gets whether the loop goes on. */
static bool anew(Ahead *a, KernelBlock block, const KernelVariable *target, KernelBlock *result)
{
    size_t assignment = find_assignment(block, target);
    if (assignment == block.count) {
        return false;
    }
    const KernelExp *goes_on = block.commands[assignment]->value;
    if (a->levels.count == MOST_LEVELS) {
        return false;
    }
    if (is_constant(goes_on, true)) {
        *result = ahead_guarded_block(a->c, a->ahead, block);
        return true;
    }
    size_t places = a->places;
    Parts parts = {.place = kernel_builder(a->c, block.commands[assignment]->span)};
    learn(a, block);
    if (!decide_at(a, block, goes_on, assignment, &parts)) {
        return false;
    }
    if (a->places > places && has_kernels(block, parts.at + 1)) {
        return false; /* the last step's, too, would do nothing */
    }
    KernelBuilder b = kernel_builder(a->c, (Span){0}), later = b;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (i == parts.at) {
            for (size_t k = 0; k < parts.place.commands.count; k++) {
                kernel_add(&b, parts.place.commands.items[k]);
            }
        }
        if (i == parts.at && parts.replaces) {
            continue;
        }
        if (i == assignment && parts.goes_on) {
            b.span = command->span;
            kernel_assign(&b, command->variable, parts.goes_on);
            continue;
        }
        bool waits = i < parts.at && command->kind == KERNEL_RELEASE &&
                     pointer_map_get(&a->later, command->variable);
        kernel_add(waits ? &later : &b, ahead_guarded(a->c, a->ahead, command));
    }
    for (size_t i = 0; i < later.commands.count; i++) {
        kernel_add(&b, later.commands.items[i]);
    }
    *result = kernel_block(&b);
    return true;
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* Of the host's. */
static bool has_while(KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (!kernel_is_parallel(command) &&
            (command->kind == KERNEL_WHILE || has_while(command->body) ||
             has_while(command->otherwise))) {
            return true;
        }
    }
    return false;
}

static bool put(void *context, KernelBuilder *b, const KernelCmd *command)
{
    Ahead *all = context;
    if (kernel_is_parallel(command)) {
        kernel_add(b, command);
        return true;
    }
    if (command->kind != KERNEL_WHILE || has_while(command->body) ||
        pointer_map_get(&all->refused, command->variable)) {
        return false;
    }
    Ahead a = {.c = all->c, .loop = command};
    KernelBlock body;
    a.ahead = kernel_variable(a.c, "ahead", CORE_I64, KERNEL_GLOBAL, command->span);
    a.ahead->is_word = true;
    if (!anew(&a, command->body, command->variable, &body) || a.places == 0) {
        return false;
    }
    b->span = command->span;
    kernel_while(b, command->variable, body);
    kernel_with_ahead(b, a.ahead);
    kernel_places(b, a.places);
    return true;
}

static KernelProgram *try(Ahead *a, const KernelProgram *program)
{
    KernelBlock *bodies = ARENA_ARRAY(a->c->arena, KernelBlock, program->body_count);
    const KernelRewrite rewrite = {.c = a->c, .context = a, .put = put};
    a->keys = (PointerMap){0};
    for (size_t i = 0; i < program->body_count; i++) {
        bodies[i] = kernel_rewrite(&rewrite, ahead_choose(a, program->entries[i].body));
    }
    return kernel_keep_scalars(a->c, kernel_with_bodies(a->c, program, bodies));
}

KernelProgram *kernel_run_ahead(Compilation *c, const KernelProgram *program)
{
    Ahead a = {.c = c};
    KernelProgram *result;
    bool again;
    do {
        again = false;
        result = try(&a, program);
        for (size_t i = 0; i < result->body_count; i++) {
            again = ahead_refuse(&a, result->entries[i].body) || again;
            again = ahead_refuse_choices(&a, result->entries[i].body) || again;
        }
    } while (again);
    return result;
}
