/* Borders split from interiors, in sequential programs.

   Rotations, concatenations, paddings and drops that are fused into a loop (core/fuse/demand.c)
   compare its variable with the places where one part ends and the next begins. Such comparisons
   are decided in nearly all iterations, but a compiler that meets them in the loop does not
   vectorise it. So the loop becomes up to three: the first iterations, the interior, where every
   comparison is known, and the last:

       for (i < n) {
           var moved = i - 1
           var x = moved < 0 ? n + moved : moved
           var next = i + 1
           var y = next >= n ? next - n : next
           r[i] = v[x] + v[y]
       }

   becomes

       low = min(1, n)
       high = max(low, min(n - 1, n))
       for (i < low) { as it was, but moved < 0 }
       for (t < high - low) { r[t + 1] = v[t] + v[t + 2] }
       for (t < n - high) { as it was for i = high + t, but 0 <= moved and next >= n }

   A comparison with i is brought to the form "i is below T". T is a constant (it counts from the
   front: a low border), or an invariant and a constant (from the back: a high border), also less the places of a rotation:
   k turn n, as lowering makes of a number that only run time knows, is not negative and less than n. low is the
   greatest of the low borders, high the least of the high ones, and both are clamped such that 0 <=
   low <= high <= n whatever n and the borders are; where n is not positive, no loop runs. In the
   interior low <= i < high, which decides all. In the first part i < low, which decides the
   greatest low border; in the last i >= high, which decides the high one if there is but one, and
   all low ones, since i >= low there, too. The order of the iterations is what it was. Two high borders of which one is a
   rotation's may be far apart, and either may be the nearer one: then the iterations between them are two more loops, of
   which one has none, and the last begin at the farther one.

   An index that went round is i and a constant again where it is known whether it did, so that what is computed where it is
   read, of places that go round themselves, has borders that are farther from the ends: they are looked for as the
   interior of those that lie before them in the body has them.

   Of two nested loops the outer one is split for what its inner loop asks in every iteration, and
   then the inner loop of its interior, and of the other parts where these may be long. Deeper nests and long bodies stay as they are: a split
   copies the body twice. */
#include "backend/split/split.h"

/* The most that is copied, in commands and nodes of expressions; so few iterations are not split. */
enum { MOST_COPIED = 3000, FEW = 8 };

Known *split_known(Split *s, const KernelVariable *variable)
{
    if (variable->number >= s->capacity) {
        size_t capacity = variable->number + s->capacity / 2 + 64;
        Known *grown = ARENA_ARRAY(s->c->arena, Known, capacity);
        memset(grown, 0, capacity * sizeof *grown);
        if (s->capacity > 0) {
            memcpy(grown, s->known, s->capacity * sizeof *grown);
        }
        s->known = grown;
        s->capacity = capacity;
    }
    return &s->known[variable->number];
}

/* NULL: it was not declared in the loop at work. */
Fact *split_fact(Split *s, const KernelVariable *variable)
{
    const Known *found = split_known(s, variable);
    return found->inside == s->stamp ? found->fact : NULL;
}

/* Loops inside loops: 0 where there is none. */
static int height(KernelBlock block)
{
    int most = 0;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool is_loop = command->kind == KERNEL_FOR || command->kind == KERNEL_WHILE;
        int body = height(command->body), otherwise = height(command->otherwise);
        int here = (body > otherwise ? body : otherwise) + is_loop;
        most = here > most ? here : most;
    }
    return most;
}

/* ---- the three loops ------------------------------------------------------------------------- */

static const KernelExp *shifted(Compilation *c, const KernelExp *base, int64_t shift)
{
    return shift < 0 ? kernel_binary(c, CORE_SUB, base, kernel_i64(c, -shift))
                     : kernel_binary(c, CORE_ADD, base, kernel_i64(c, shift));
}

/* T. Where base is the number of iterations, n + shift wraps for no n that is positive; else base
   is brought into a range where it does not, which is SPLIT_FAR beyond all that a loop reaches. A turn is not negative
   and below what it is taken from (borders.c). */
static const KernelExp *place_of(Split *s, Border border)
{
    Compilation *c = s->c;
    const KernelExp *count = s->loop->count;
    if (border.turn) {
        const KernelExp *whole =
            border.base ? kernel_use(c, border.base) : kernel_i64(c, border.shift);
        const KernelExp *place = kernel_binary(c, CORE_SUB, whole, kernel_use(c, border.turn));
        return border.base && border.shift != 0 ? shifted(c, place, border.shift) : place;
    }
    if (!border.base) {
        return kernel_i64(c, border.shift);
    }
    const KernelExp *base = kernel_use(c, border.base);
    if (count->kind == KERNEL_VARIABLE && count->as.variable == border.base) {
        return border.shift >= 0 ? base : shifted(c, base, border.shift);
    }
    if (border.shift == 0) {
        return base;
    }
    base = kernel_binary(c, CORE_MIN, base, kernel_i64(c, SPLIT_FAR));
    base = kernel_binary(c, CORE_MAX, base, kernel_i64(c, -SPLIT_FAR));
    return shifted(c, base, border.shift);
}

/* A loop of `count` iterations from `start`. */
static const KernelCmd *part_of(Split *s, KernelBuilder *b, const KernelExp *count,
                                const KernelExp *start, Part part)
{
    KernelVariable *i = s->loop->variable;
    KernelVariable *step = kernel_variable(s->c, i->text, CORE_I64, KERNEL_SCALAR, i->span);
    const KernelExp *place = kernel_binary(s->c, CORE_ADD, kernel_use(s->c, step), start);
    KernelBuilder body = kernel_builder(s->c, s->loop->span);
    Fact *fact = split_fact(s, i);
    s->part = part;
    fact->replacement = place;
    if (start->kind != KERNEL_CONSTANT) {
        kernel_declare(&body, split_rename(s, i), place);
    }
    KernelBlock rest = split_copy(s, s->loop->body);
    kernel_add_block(&body, rest);
    b->span = s->loop->span;
    kernel_for(b, KERNEL_SEQ, NULL, step, count, kernel_block(&body));
    return b->commands.items[b->commands.count - 1];
}

/* Whether there may be many iterations between two high borders: a rotation is by any number of places. */
static bool are_far_apart(const Split *s)
{
    return s->high_count == 2 && (s->high[0].turn || s->high[1].turn);
}

/* Between the nearer of two borders and the other one, whichever that is: one of the loops has no iterations. */
static void put_between(Split *s, KernelBuilder *b, const KernelExp *nearer,
                        const KernelExp *const borders[2])
{
    for (unsigned k = 0; k < 2; k++) {
        const KernelExp *count =
            kernel_declared(b, "between", kernel_binary(s->c, CORE_SUB, borders[1 - k], nearer));
        part_of(s, b, count, nearer,
                (Part){.from_low = true,
                       .from_high = UINT64_C(1) << k,
                       .below_high = UINT64_C(2) >> k});
    }
}

/* Puts the parts where the loop stood; returns the place of the interior among the commands. */
static size_t put_parts(Split *s, KernelBuilder *b)
{
    Compilation *c = s->c;
    const KernelExp *none = kernel_i64(c, 0), *count = s->loop->count, *low = none, *end = count,
                    *rest = NULL, *borders[2];
    b->span = s->loop->span;
    if (count->kind != KERNEL_VARIABLE) {
        count = end = kernel_declared(b, "count", count);
    }
    if (s->low > 0) {
        low = kernel_declared(b, "low", kernel_binary(c, CORE_MIN, kernel_i64(c, s->low), count));
    }
    if (are_far_apart(s)) {
        for (size_t k = 0; k < 2; k++) {
            const KernelExp *below = kernel_binary(c, CORE_MIN, place_of(s, s->high[k]), count);
            borders[k] = kernel_declared(b, "high", kernel_binary(c, CORE_MAX, low, below));
        }
        end = kernel_declared(b, "nearer", kernel_binary(c, CORE_MIN, borders[0], borders[1]));
        rest = kernel_declared(b, "farther", kernel_binary(c, CORE_MAX, borders[0], borders[1]));
    } else if (s->high_count > 0) {
        for (size_t k = 0; k < s->high_count; k++) {
            end = kernel_binary(c, CORE_MIN, place_of(s, s->high[k]), end);
        }
        rest = end = kernel_declared(b, "high", kernel_binary(c, CORE_MAX, low, end));
    }
    const KernelExp *inner = kernel_declared(b, "inner", kernel_binary(c, CORE_SUB, end, low)),
                    *last = NULL;
    if (rest) {
        last = kernel_declared(b, "last", kernel_binary(c, CORE_SUB, count, rest));
    }
    if (s->low > 0) {
        part_of(s, b, low, none, (Part){.below_low = true});
    }
    uint64_t all = (UINT64_C(1) << s->high_count) - 1;
    part_of(s, b, inner, kernel_i64(c, s->low), (Part){.from_low = true, .below_high = all});
    size_t interior = b->commands.count - 1;
    if (are_far_apart(s)) {
        put_between(s, b, end, borders);
    }
    if (rest) {
        bool is_from_all = s->high_count == 1 || are_far_apart(s);
        part_of(s, b, last, rest, (Part){.from_low = true, .from_high = is_from_all ? all : 0});
    }
    return interior;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Whether it is a loop to be split; then all about it is in `s`. */
static bool study(Split *s, const KernelCmd *loop)
{
    if (loop->kind != KERNEL_FOR || loop->level != KERNEL_SEQ ||
        (loop->count->kind == KERNEL_CONSTANT && loop->count->as.constant.as.integer < FEW)) {
        return false;
    }
    size_t budget = MOST_COPIED;
    if (!kernel_can_duplicate(loop->body, &budget)) {
        return false;
    }
    int loops = height(loop->body);
    if (loops > 1) {
        return false;
    }
    s->stamp++;
    s->loop = loop;
    s->is_outer = loops == 1;
    return split_find_borders(s);
}

static KernelBlock split_block(Split *s, KernelBlock block);

static const KernelCmd *split_bodies(Split *s, const KernelCmd *command)
{
    if (kernel_is_parallel(command)) {
        return command->on_processor == NULL
                   ? command
                   : kernel_with_processor(s->c, command,
                                           split_block(s, command->on_processor->body));
    }
    KernelBlock body = split_block(s, command->body),
                otherwise = split_block(s, command->otherwise);
    if (body.commands == command->body.commands &&
        otherwise.commands == command->otherwise.commands) {
        return command;
    }
    KernelCmd *copy = ARENA_NEW(s->c->arena, KernelCmd);
    *copy = *command;
    copy->body = body;
    copy->otherwise = otherwise;
    return copy;
}

static KernelBlock split_block(Split *s, KernelBlock block)
{
    KernelBuilder b = kernel_builder(s->c, (Span){0});
    bool changed = false;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i], *same = command;
        if (study(s, command)) {
            bool all_are_long = split_has_turn(s);
            size_t first = b.commands.count, interior = put_parts(s, &b);
            for (size_t at = first; at < b.commands.count; at++) {
                if (all_are_long || at == interior) {
                    b.commands.items[at] = split_bodies(s, b.commands.items[at]);
                }
            }
            changed = true;
            continue;
        }
        command = split_bodies(s, command);
        changed = changed || command != same;
        kernel_add(&b, command);
    }
    return changed ? kernel_block(&b) : block;
}

static void find_assigned(Split *s, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->variable && command->kind != KERNEL_DECLARE && command->kind != KERNEL_FOR) {
            split_known(s, command->variable)->assigned =
                true; /* of a WHILE: it stays a variable */
        }
        if (command->kind == KERNEL_DECLARE) {
            Known *known = split_known(s, command->variable);
            known->is_ambiguous |= known->value && known->value != command->value;
            known->value = command->value;
        }
        bool defines = i > 0 && block.commands[i - 1]->kind == KERNEL_DECLARE &&
                       block.commands[i - 1]->variable == command->effect.result;
        if (command->effect.result && !defines) {
            split_known(s, command->effect.result)->assigned = true;
        }
        for (int k = 0; command->effect.extents && k < command->effect.rank; k++) {
            split_known(s, command->effect.extents[k])->assigned = true;
        }
        find_assigned(s, command->body);
        find_assigned(s, command->otherwise);
        if (command->on_processor != NULL) {
            find_assigned(s, command->on_processor->body);
        }
    }
}

/* Scalars of the host's that elements on the device are read for. */
static void find_on_device(Split *s, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_DECLARE && command->value) {
            if (kernel_loads(command->value) > 0 ||
                kernel_mentions_any(&s->on_device, command->value)) {
                pointer_map_set(s->c->arena, &s->on_device, command->variable, command->variable);
            }
        }
        if (!kernel_is_parallel(command)) {
            find_on_device(s, command->body);
            find_on_device(s, command->otherwise);
        }
    }
}

static bool has_kernels(KernelBlock block)
{
    bool found = false;
    for (size_t i = 0; i < block.count && !found; i++) {
        const KernelCmd *command = block.commands[i];
        found = kernel_is_parallel(command) || has_kernels(command->body) ||
                has_kernels(command->otherwise);
    }
    return found;
}

KernelProgram *kernel_split_borders(Compilation *c, const KernelProgram *program)
{
    Split s = {.c = c};
    KernelBlock *bodies = ARENA_ARRAY(c->arena, KernelBlock, program->body_count);
    for (size_t i = 0; i < program->body_count; i++) {
        find_assigned(&s, program->entries[i].body);
        if (has_kernels(program->entries[i].body)) {
            find_on_device(&s, program->entries[i].body);
        }
        bodies[i] = split_block(&s, program->entries[i].body);
    }
    return kernel_drop_unused(c, kernel_with_bodies(c, program, bodies));
}
