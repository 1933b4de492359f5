/* Scalars of the device that only kernels use: the host does not wait for them.

       group sum { ... total[0] = z ... }             group sum { ... total[0] = z ... }
       var t = total[0]                               grid map (g < n) {
       release total                           ==>        var t = total[0]
       grid map (g < n) { y[g] = x[g] / t }               y[g] = x[g] / t
                                                      }
                                                      release total

   To read an element on the host means to wait until the device has come so far, in a loop in each step. Where
   kernels alone use the element, or what scalar arithmetic makes of it, each work-item reads it itself: it is in the
   cache for all but the first. Up to the last of these kernels nothing may write to the array, or make it other
   memory; that it is released waits until then. Kernels have to be the same whatever the element is: it does not
   say how often a loop goes, nor where something is stored.

   Scalars are gone through from the last to the first, so that those go first that are made of others. What is made
   of a scalar that the host waits for anyway stays on the host.

   Before: a program lowered for devices. After: the same values. */
#include "backend/copy.h"

enum { MOST_NODES = 64 /* of what a scalar is made of */ };

/* Of a block of the host's. */
typedef struct HostPlace {
    const KernelCmd *command; /* NULL: it has gone */
    VEC(const KernelCmd *) after;
} HostPlace;

typedef struct HostPlaces {
    size_t count;
    HostPlace *items;
    PointerMap last; /* scalar -> 1 + the last place that uses it */
} HostPlaces;

typedef struct Scalars {
    Compilation *c;
    PointerMap
        memory;      /* buffer -> another one that may be the same memory, up to the one for all */
    PointerMap free; /* command -> its names, KernelFreeVec */
    PointerMap device; /* scalar -> itself: made of elements on the device */
    PointerMap stays;  /* scalar -> itself: the host has it, whoever uses it */
    VEC(const KernelCmd *) moved;
} Scalars;

static void add_to(Scalars *s, PointerMap *set, const void *item)
{
    pointer_map_set(s->c->arena, set, item, (void *)(uintptr_t)item);
}

/* ---- what is known --------------------------------------------------------------------------- */

static const KernelVariable *memory_of(const Scalars *s, const KernelVariable *buffer)
{
    const KernelVariable *next;
    while ((next = pointer_map_get(&s->memory, buffer)) != NULL) {
        buffer = next;
    }
    return buffer;
}

static bool is_of_device(const Scalars *s, const KernelExp *exp)
{
    if ((exp->kind == KERNEL_LOAD && exp->as.load.buffer->space == KERNEL_GLOBAL) ||
        (exp->kind == KERNEL_VARIABLE && pointer_map_get(&s->device, exp->as.variable))) {
        return true;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        if (is_of_device(s, operands[k])) {
            return true;
        }
    }
    return false;
}

/* Which buffers may share memory, and which scalars of the host come from the device. */
static void learn(Scalars *s, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_ALIAS) {
            const KernelVariable *x = memory_of(s, command->variable),
                                 *y = memory_of(s, command->source);
            if (x != y) {
                pointer_map_set(s->c->arena, &s->memory, x, (void *)(uintptr_t)y);
            }
        }
        if (command->kind == KERNEL_DECLARE && command->value && is_of_device(s, command->value)) {
            add_to(s, &s->device, command->variable);
        }
        if (!kernel_is_parallel(command)) {
            learn(s, command->body);
            learn(s, command->otherwise);
        }
    }
}

static void add_names(Scalars *s, KernelFreeVec *names, const KernelExp *exp)
{
    if (exp == NULL) {
        return;
    }
    if (exp->kind == KERNEL_VARIABLE) {
        KernelFree item = {.variable = exp->as.variable};
        vec_push(s->c->arena, names, item);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        add_names(s, names, operands[k]);
    }
}

/* Names that the command has from outside, in its kernel for processors, too, and in what is said of it. */
static const KernelFreeVec *names_of(Scalars *s, const KernelCmd *command)
{
    KernelFreeVec *known = pointer_map_get(&s->free, command);
    if (known != NULL) {
        return known;
    }
    known = ARENA_NEW(s->c->arena, KernelFreeVec);
    *known = kernel_free(s->c, (KernelBlock){1, &command});
    add_names(s, known, command->rows);
    for (size_t k = 0; k < command->assumed_count; k++) {
        add_names(s, known, command->assumed[k]);
    }
    if (command->on_processor) {
        const KernelFreeVec *more = names_of(s, command->on_processor);
        for (size_t i = 0; i < more->count; i++) {
            vec_push(s->c->arena, known, more->items[i]);
        }
    }
    pointer_map_set(s->c->arena, &s->free, command, known);
    return known;
}

static bool mentions(Scalars *s, const KernelCmd *command, const KernelVariable *variable,
                     bool written)
{
    const KernelFreeVec *names = names_of(s, command);
    for (size_t i = 0; i < names->count; i++) {
        if (names->items[i].variable == variable && (!written || names->items[i].written)) {
            return true;
        }
    }
    return false;
}

/* ---- who uses it ----------------------------------------------------------------------------- */

/* To start the kernel takes no knowledge of the scalar. */
static bool starts_without(const KernelCmd *kernel, const KernelVariable *scalar)
{
    for (size_t k = 0; k < kernel->assumed_count; k++) {
        if (kernel_mentions(kernel->assumed[k], scalar)) {
            return false;
        }
    }
    return !kernel_mentions(kernel->count, scalar) && !kernel_mentions(kernel->rows, scalar) &&
           (!kernel->on_processor || starts_without(kernel->on_processor, scalar));
}

static bool mentions_any(const PointerMap *set, const KernelExp *exp)
{
    if (exp == NULL) {
        return false;
    }
    if (exp->kind == KERNEL_VARIABLE && pointer_map_get(set, exp->as.variable)) {
        return true;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        if (mentions_any(set, operands[k])) {
            return true;
        }
    }
    return false;
}

/* How often something is done, or where something is stored, depends on the scalars in the set, or on what is
   made of them; these are added. Then nobody could say that work-items keep apart. */
static bool steers(Scalars *s, KernelBlock block, PointerMap *set)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if ((command->kind == KERNEL_FOR && mentions_any(set, command->count)) ||
            (command->kind == KERNEL_WHILE && pointer_map_get(set, command->variable)) ||
            (command->kind != KERNEL_DECLARE && mentions_any(set, command->index))) {
            return true;
        }
        if ((command->kind == KERNEL_DECLARE || command->kind == KERNEL_ASSIGN) &&
            mentions_any(set, command->value)) {
            add_to(s, set, command->variable);
        }
        if (steers(s, command->body, set) || steers(s, command->otherwise, set)) {
            return true;
        }
    }
    return false;
}

/* The kernel computes with the scalar, but is the same kernel whatever it is. */
static bool computes_with(Scalars *s, const KernelCmd *kernel, const KernelVariable *scalar)
{
    PointerMap set = {0};
    add_to(s, &set, scalar);
    return starts_without(kernel, scalar) && !steers(s, kernel->body, &set) &&
           !steers(s, kernel->body, &set) && /* what a loop assigns, its next iteration uses */
           (!kernel->on_processor || computes_with(s, kernel->on_processor, scalar));
}

static bool only_kernels_use(Scalars *s, KernelBlock block, const KernelVariable *scalar);

static bool is_for_kernels(Scalars *s, const KernelCmd *command, const KernelVariable *scalar)
{
    if (!mentions(s, command, scalar, false)) {
        return true;
    }
    if (kernel_is_parallel(command)) {
        return computes_with(s, command, scalar);
    }
    bool inside = only_kernels_use(s, command->body, scalar) &&
                  only_kernels_use(s, command->otherwise, scalar);
    switch ((int)command->kind) { /* the others are the host's own */
    case KERNEL_FOR: return inside && !kernel_mentions(command->count, scalar);
    case KERNEL_WHILE: return inside && command->variable != scalar;
    case KERNEL_IF: return inside && !kernel_mentions(command->value, scalar);
    }
    return false;
}

static bool only_kernels_use(Scalars *s, KernelBlock block, const KernelVariable *scalar)
{
    for (size_t i = 0; i < block.count; i++) {
        if (!is_for_kernels(s, block.commands[i], scalar)) {
            return false;
        }
    }
    return true;
}

/* ---- whether it stays what it is ------------------------------------------------------------- */

/* Some command, or one inside, of those that say which memory a buffer is: of this buffer. */
static bool rebinds(const KernelCmd *command, const KernelVariable *buffer)
{
    switch ((int)command->kind) { /* the others do not */
    case KERNEL_ALLOCATE:
    case KERNEL_ALIAS:
    case KERNEL_RELEASE:
    case KERNEL_CONSTANTS:
        if (command->variable == buffer || command->source == buffer) {
            return true;
        }
        break;
    case KERNEL_EFFECT:
        if (command->effect.variable == buffer) {
            return true;
        }
        break;
    }
    for (size_t i = 0; i < command->body.count; i++) {
        if (rebinds(command->body.commands[i], buffer)) {
            return true;
        }
    }
    for (size_t i = 0; i < command->otherwise.count; i++) {
        if (rebinds(command->otherwise.commands[i], buffer)) {
            return true;
        }
    }
    return false;
}

/* The buffer is made in the block before that place, and is nobody else's memory up to there. */
static bool is_fresh(const HostPlaces *places, size_t at, const KernelVariable *buffer)
{
    for (size_t i = at + 1; i-- > 0;) {
        const KernelCmd *command = places->items[i].command;
        if (command && command->kind == KERNEL_ALLOCATE && command->variable == buffer) {
            return true;
        }
        if (command && rebinds(command, buffer)) {
            return false;
        }
    }
    return false;
}

static bool writes_to(Scalars *s, const HostPlaces *places, size_t at, const KernelVariable *buffer)
{
    const KernelFreeVec *names = names_of(s, places->items[at].command);
    for (size_t i = 0; i < names->count; i++) {
        const KernelVariable *other = names->items[i].variable;
        if (names->items[i].written && other->space == KERNEL_GLOBAL &&
            (other == buffer ||
             (memory_of(s, other) == memory_of(s, buffer) && !is_fresh(places, at, other)))) {
            return true;
        }
    }
    return false;
}

static bool is_release(const KernelCmd *command, const KernelVariable *buffer)
{
    return command->kind == KERNEL_RELEASE && command->variable == buffer;
}

/* All that the value is made of stays the same from the place up to the last one. */
static bool keeps(Scalars *s, const HostPlaces *places, size_t from, size_t last,
                  const KernelExp *exp)
{
    for (size_t i = from; i <= last; i++) {
        const KernelCmd *command = places->items[i].command;
        if (command == NULL) {
            continue;
        }
        if (exp->kind == KERNEL_VARIABLE && mentions(s, command, exp->as.variable, true)) {
            return false;
        }
        if (exp->kind == KERNEL_LOAD && !is_release(command, exp->as.load.buffer) &&
            (rebinds(command, exp->as.load.buffer) ||
             writes_to(s, places, i, exp->as.load.buffer))) {
            return false;
        }
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        if (!keeps(s, places, from, last, operands[k])) {
            return false;
        }
    }
    return true;
}

/* ---- moving ---------------------------------------------------------------------------------- */

static KernelBlock with_first(Compilation *c, const KernelCmd *first, KernelBlock block)
{
    KernelBuilder b = kernel_builder(c, first->span);
    kernel_add(&b, first);
    for (size_t i = 0; i < block.count; i++) {
        kernel_add(&b, block.commands[i]);
    }
    return kernel_block(&b);
}

static KernelBlock declared_in_block(Scalars *s, KernelBlock block, const KernelCmd *declaration);

/* The command with the declaration in each kernel that uses its scalar. */
static const KernelCmd *declared_in(Scalars *s, const KernelCmd *command,
                                    const KernelCmd *declaration)
{
    if (!mentions(s, command, declaration->variable, false)) {
        return command;
    }
    KernelCmd *copy = arena_copy(s->c->arena, command, sizeof *command);
    if (!kernel_is_parallel(command)) {
        copy->body = declared_in_block(s, command->body, declaration);
        copy->otherwise = declared_in_block(s, command->otherwise, declaration);
        return copy;
    }
    copy->body = with_first(s->c, declaration, command->body);
    if (command->on_processor) {
        copy->on_processor = declared_in(s, command->on_processor, declaration);
    }
    return copy;
}

static KernelBlock declared_in_block(Scalars *s, KernelBlock block, const KernelCmd *declaration)
{
    const KernelCmd **commands = ARENA_ARRAY(s->c->arena, const KernelCmd *, block.count + 1);
    for (size_t i = 0; i < block.count; i++) {
        commands[i] = declared_in(s, block.commands[i], declaration);
    }
    return (KernelBlock){block.count, commands};
}

/* Releases of the buffer at that place, or that wait there, wait behind the last one. */
static void move_releases(Scalars *s, HostPlaces *places, size_t from, size_t last,
                          const KernelVariable *buffer)
{
    HostPlace *place = &places->items[from], *end = &places->items[last];
    if (place->command && is_release(place->command, buffer)) {
        vec_push(s->c->arena, &end->after, place->command);
        place->command = NULL;
    }
    size_t kept = 0;
    for (size_t k = 0; k < place->after.count; k++) {
        if (is_release(place->after.items[k], buffer)) {
            vec_push(s->c->arena, &end->after, place->after.items[k]);
        } else {
            place->after.items[kept++] = place->after.items[k];
        }
    }
    place->after.count = kept;
}

/* Those of all buffers that the value reads, from the place on. */
static void release_later(Scalars *s, HostPlaces *places, size_t from, size_t last,
                          const KernelExp *exp)
{
    for (size_t i = from; exp->kind == KERNEL_LOAD && i < last; i++) {
        move_releases(s, places, i, last, exp->as.load.buffer);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        release_later(s, places, from, last, operands[k]);
    }
}

static void note_last(Scalars *s, HostPlaces *places, const KernelExp *exp, size_t at)
{
    if (exp->kind == KERNEL_VARIABLE) {
        size_t *last = pointer_map_make(s->c->arena, &places->last, exp->as.variable, sizeof *last);
        *last = *last > at + 1 ? *last : at + 1;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        note_last(s, places, operands[k], at);
    }
}

static void move(Scalars *s, HostPlaces *places, size_t at)
{
    const KernelCmd *command = places->items[at].command;
    if (!command || command->kind != KERNEL_DECLARE || command->wide || !command->value ||
        !pointer_map_get(&s->device, command->variable) ||
        pointer_map_get(&s->stays, command->variable) || command->value->nodes > MOST_NODES) {
        return;
    }
    const size_t *end = pointer_map_get(&places->last, command->variable);
    size_t last = end ? *end - 1 : 0;
    if (last <= at) { /* nobody uses it */
        places->items[at].command = NULL;
        return;
    }
    for (size_t i = at + 1; i <= last; i++) {
        const KernelCmd *user = places->items[i].command;
        if (user && !is_for_kernels(s, user, command->variable)) {
            return;
        }
    }
    if (!keeps(s, places, at + 1, last, command->value)) {
        return;
    }
    for (size_t i = at + 1; i <= last; i++) {
        if (places->items[i].command) {
            places->items[i].command = declared_in(s, places->items[i].command, command);
        }
    }
    release_later(s, places, at + 1, last, command->value);
    note_last(s, places, command->value, last);
    places->items[at].command = NULL;
    vec_push(s->c->arena, &s->moved, command);
}

static KernelBlock move_all(Scalars *s, KernelBlock block)
{
    HostPlaces places = {.count = block.count,
                         .items = ARENA_ARRAY(s->c->arena, HostPlace, block.count + 1)};
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (!kernel_is_parallel(command) &&
            (command->body.count > 0 || command->otherwise.count > 0)) {
            KernelCmd *copy = arena_copy(s->c->arena, command, sizeof *command);
            copy->body = move_all(s, command->body);
            copy->otherwise = move_all(s, command->otherwise);
            command = copy;
        }
        places.items[i] = (HostPlace){.command = command};
        const KernelFreeVec *names = names_of(s, command);
        for (size_t k = 0; k < names->count; k++) {
            *(size_t *)pointer_map_make(s->c->arena, &places.last, names->items[k].variable,
                                        sizeof(size_t)) = i + 1;
        }
    }
    for (size_t i = block.count; i-- > 0;) {
        move(s, &places, i);
    }
    KernelBuilder b = kernel_builder(s->c, (Span){0});
    for (size_t i = 0; i < block.count; i++) {
        if (places.items[i].command) {
            kernel_add(&b, places.items[i].command);
        }
        for (size_t k = 0; k < places.items[i].after.count; k++) {
            kernel_add(&b, places.items[i].after.items[k]);
        }
    }
    return kernel_block(&b);
}

/* ---- the pass -------------------------------------------------------------------------------- */

static bool stays_on_host(const Scalars *s, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE && pointer_map_get(&s->device, exp->as.variable)) {
        for (size_t i = 0; i < s->moved.count; i++) {
            if (s->moved.items[i]->variable == exp->as.variable) {
                return false;
            }
        }
        return true;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        if (stays_on_host(s, operands[k])) {
            return true;
        }
    }
    return false;
}

/* Scalars that should not have moved. */
static bool take_back(Scalars *s)
{
    bool some = false;
    for (size_t i = 0; i < s->moved.count; i++) {
        if (stays_on_host(s, s->moved.items[i]->value)) {
            add_to(s, &s->stays, s->moved.items[i]->variable);
            some = true;
        }
    }
    s->moved.count = 0;
    return some;
}

KernelProgram *kernel_keep_scalars(Compilation *c, const KernelProgram *program)
{
    KernelBlock *bodies = ARENA_ARRAY(c->arena, KernelBlock, program->entry_count);
    for (size_t i = 0; i < program->entry_count; i++) {
        Scalars s = {.c = c};
        learn(&s, program->entries[i].body);
        do {
            bodies[i] = move_all(&s, program->entries[i].body);
        } while (take_back(&s));
    }
    return kernel_with_bodies(c, program, bodies);
}
