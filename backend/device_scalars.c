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
   say how often a loop goes. Of a kernel that is one branch, with a word of its own, and another (backend/ahead/pairs.c) each
   branch has its scalars itself: where it is not taken they need not mean anything. Where the host needs the scalar in
   one of two branches alone, it reads it there.

   Scalars are gone through from the last to the first, so that those go first that are made of others. What is made
   of a scalar that the host waits for anyway stays on the host.

   Before: a program lowered for devices. After: the same values. */
#include "backend/copy.h"

enum { MOST_NODES = 64 /* of what a scalar is made of */ };

typedef VEC(const KernelCmd *) Commands;

/* A command of the host's, and what becomes of it. */
typedef struct HostPlace {
    const KernelCmd *command;
    KernelFreeVec names;                 /* that it has from outside */
    struct HostPlaces *body, *otherwise; /* NULL: it is a kernel, or has no blocks */
    PointerMap rebound; /* buffer -> itself: it makes it other memory, or something inside does */
    PointerMap written; /* buffer -> itself: it writes to it */
    PointerMap
        doubted; /* memory -> itself: it writes there by a buffer that may be others' memory */
    bool gone;
    Commands
        declared; /* of a kernel: scalars that have moved into it, the last of the program first */
    Commands after; /* releases that wait behind it */
} HostPlace;

/* A block of the host's. */
typedef struct HostPlaces {
    size_t count;
    HostPlace *items;
    const struct HostPlaces
        *around;     /* the block with the command that this is a block of; or NULL */
    size_t at;       /* of that command */
    PointerMap last; /* scalar -> 1 + the last place that uses it */
    Commands front;  /* scalars that have moved there, the last of the program first */
} HostPlaces;

typedef struct Scalars {
    Compilation *c;
    PointerMap
        memory; /* buffer -> another one that may be the same memory, up to the one for all */
    PointerMap device;    /* scalar -> itself: made of elements on the device */
    PointerMap stays;     /* scalar -> itself: the host has it, whoever uses it */
    PointerMap has_moved; /* scalar -> itself */
    Commands moved;       /* their declarations */
} Scalars;

static void add_to(Arena *arena, PointerMap *set, const void *item)
{
    pointer_map_set(arena, set, item, (void *)(uintptr_t)item);
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
        if (command->kind == KERNEL_DECLARE && command->value &&
            (kernel_loads(command->value) > 0 || kernel_mentions_any(&s->device, command->value))) {
            add_to(s->c->arena, &s->device, command->variable);
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

/* In its kernel for processors, too, and in what is said of it. */
static KernelFreeVec names_of(Scalars *s, const KernelCmd *command)
{
    KernelFreeVec names = kernel_free(s->c, (KernelBlock){1, &command});
    add_names(s, &names, command->rows);
    for (size_t k = 0; k < command->assumed_count; k++) {
        add_names(s, &names, command->assumed[k]);
    }
    if (command->on_processor) {
        KernelFreeVec more = names_of(s, command->on_processor);
        for (size_t i = 0; i < more.count; i++) {
            vec_push(s->c->arena, &names, more.items[i]);
        }
    }
    return names;
}

static bool has_name(const KernelFreeVec *names, const KernelVariable *variable, bool written)
{
    for (size_t i = 0; i < names->count; i++) {
        if (names->items[i].variable == variable && (!written || names->items[i].written)) {
            return true;
        }
    }
    return false;
}

static void add_inner_names(Scalars *s, KernelFreeVec *names, const HostPlaces *places)
{
    for (size_t i = 0; i < places->count; i++) {
        const KernelFreeVec *inner = &places->items[i].names;
        for (size_t k = 0; k < inner->count; k++) {
            if (!has_name(names, inner->items[k].variable, inner->items[k].written)) {
                vec_push(s->c->arena, names, inner->items[k]);
            }
        }
    }
}

/* The buffer that the command makes other memory; NULL: it does not. */
static const KernelVariable *rebound_by(const KernelCmd *command)
{
    switch ((int)command->kind) { /* the others do not */
    case KERNEL_ALLOCATE:
    case KERNEL_ALIAS:
    case KERNEL_RELEASE:
    case KERNEL_CONSTANTS: return command->variable;
    case KERNEL_EFFECT: return command->effect.variable;
    }
    return NULL;
}

/* The command, or one inside, makes the buffer other memory, or another buffer the same memory. */
static bool shares(const HostPlace *place, const KernelVariable *buffer)
{
    if (pointer_map_get(&place->rebound, buffer) ||
        (place->command->kind == KERNEL_ALIAS && place->command->source == buffer)) {
        return true;
    }
    const HostPlaces *blocks[] = {place->body, place->otherwise};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks && place->body; k++) {
        for (size_t i = 0; i < blocks[k]->count; i++) {
            if (shares(&blocks[k]->items[i], buffer)) {
                return true;
            }
        }
    }
    return false;
}

/* Something in the block makes the buffer other memory, or another buffer the same memory. */
static bool block_shares(KernelBlock block, const KernelVariable *buffer)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (rebound_by(command) == buffer ||
            (command->kind == KERNEL_ALIAS && command->source == buffer) ||
            command->kind == KERNEL_CALL || block_shares(command->body, buffer) ||
            block_shares(command->otherwise, buffer)) {
            return true;
        }
    }
    return false;
}

/* What is in front of a loop may be another's memory when it comes round. */
static bool comes_round(const HostPlaces *inner, const KernelVariable *buffer)
{
    const KernelCmd *around = inner->around ? inner->around->items[inner->at].command : NULL;
    return around && around->kind != KERNEL_IF && block_shares(around->body, buffer);
}

/* The buffer is made before that place, in the block or in one around it, and is nobody else's memory up to there. */
static bool is_fresh(const HostPlaces *places, size_t at, const KernelVariable *buffer)
{
    size_t end = at + 1;
    for (; places; end = places->at, places = places->around) {
        for (size_t i = end; i-- > 0;) {
            const KernelCmd *command = places->items[i].command;
            if (command->kind == KERNEL_ALLOCATE && command->variable == buffer) {
                return true;
            }
            if (shares(&places->items[i], buffer)) {
                return false;
            }
        }
        if (comes_round(places, buffer)) {
            return false;
        }
    }
    return false;
}

static void add_set(Scalars *s, PointerMap *set, const PointerMap *more)
{
    for (size_t i = 0; i < more->capacity; i++) {
        if (more->slots[i].key) {
            add_to(s->c->arena, set, more->slots[i].key);
        }
    }
}

/* What the place, of which the names and inner places are known, does to memory. */
static void find_changes(Scalars *s, HostPlaces *places, size_t at)
{
    HostPlace *place = &places->items[at];
    const KernelVariable *rebound = rebound_by(place->command);
    if (rebound) {
        add_to(s->c->arena, &place->rebound, rebound);
    }
    const HostPlaces *blocks[] = {place->body, place->otherwise};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks && place->body; k++) {
        for (size_t i = 0; i < blocks[k]->count; i++) {
            add_set(s, &place->rebound, &blocks[k]->items[i].rebound);
            add_set(s, &place->written, &blocks[k]->items[i].written);
            add_set(s, &place->doubted, &blocks[k]->items[i].doubted);
        }
    }
    for (size_t i = 0; i < place->names.count && !place->body; i++) {
        const KernelVariable *name = place->names.items[i].variable;
        if (place->names.items[i].written && name->space == KERNEL_GLOBAL) {
            add_to(s->c->arena, &place->written, name);
            if (!is_fresh(places, at, name)) {
                add_to(s->c->arena, &place->doubted, memory_of(s, name));
            }
        }
    }
}

static bool writes_to(const Scalars *s, const HostPlace *place, const KernelVariable *buffer)
{
    return pointer_map_get(&place->written, buffer) ||
           pointer_map_get(&place->doubted, memory_of(s, buffer));
}

static HostPlaces *places_of(Scalars *s, KernelBlock block, const HostPlaces *around, size_t at)
{
    HostPlaces *places = ARENA_NEW(s->c->arena, HostPlaces);
    places->count = block.count;
    places->around = around;
    places->at = at;
    places->items = ARENA_ARRAY(s->c->arena, HostPlace, block.count + 1);
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        HostPlace place = {.command = command, .names = names_of(s, command)};
        if (!kernel_is_parallel(command) && command->body.count + command->otherwise.count > 0) {
            places->items[i] = place;
            place.body = places_of(s, command->body, places, i);
            place.otherwise = places_of(s, command->otherwise, places, i);
            add_inner_names(s, &place.names, place.body);
            add_inner_names(s, &place.names, place.otherwise);
        }
        places->items[i] = place;
        find_changes(s, places, i);
        for (size_t k = 0; k < place.names.count; k++) {
            *(size_t *)pointer_map_make(s->c->arena, &places->last, place.names.items[k].variable,
                                        sizeof(size_t)) = i + 1;
        }
    }
    return places;
}

/* ---- who uses it ----------------------------------------------------------------------------- */

/* How often something is done depends on the scalars in the set, or on what is made of them; these are added. Then
   nobody could say how much work there is, nor that all work-items of a group come to each barrier. */
static bool steers(Scalars *s, KernelBlock block, PointerMap *set)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if ((command->kind == KERNEL_FOR && kernel_mentions_any(set, command->count)) ||
            (command->kind == KERNEL_WHILE && pointer_map_get(set, command->variable))) {
            return true;
        }
        if ((command->kind == KERNEL_DECLARE || command->kind == KERNEL_ASSIGN) &&
            kernel_mentions_any(set, command->value)) {
            add_to(s->c->scratch, set, command->variable);
        }
        if (steers(s, command->body, set) || steers(s, command->otherwise, set)) {
            return true;
        }
    }
    return false;
}

/* To start the kernel takes no knowledge of the scalar, and it is the same kernel whatever the scalars in the set
   are. */
static bool computes_with(Scalars *s, const KernelCmd *kernel, const KernelVariable *scalar,
                          PointerMap *set)
{
    for (size_t k = 0; k < kernel->assumed_count; k++) {
        if (kernel_mentions(kernel->assumed[k], scalar)) {
            return false;
        }
    }
    return !kernel_mentions(kernel->count, scalar) && !kernel_mentions(kernel->rows, scalar) &&
           !steers(s, kernel->body, set) &&
           !steers(s, kernel->body, set) && /* what a loop assigns, its next iteration uses */
           (!kernel->on_processor || computes_with(s, kernel->on_processor, scalar, set));
}

static bool kernel_computes_with(Scalars *s, const HostPlace *place, const KernelVariable *scalar)
{
    PointerMap set = {0};
    ArenaMark mark = arena_mark(s->c->scratch);
    add_to(s->c->scratch, &set, scalar);
    for (size_t i = place->declared.count; i-- > 0;) {
        if (kernel_mentions_any(&set, place->declared.items[i]->value)) {
            add_to(s->c->scratch, &set, place->declared.items[i]->variable);
        }
    }
    bool does = computes_with(s, place->command, scalar, &set);
    arena_release(s->c->scratch, mark);
    return does;
}

/* Kernels, and with `sinks` the host in one of two branches. */
static bool only_kernels_use(Scalars *s, const HostPlaces *places, const KernelVariable *scalar,
                             bool sinks);

/* Anew: an inner block may (backend/ahead/). */
static bool declares(const HostPlace *place, const KernelVariable *scalar)
{
    return place->command->kind == KERNEL_DECLARE && place->command->variable == scalar;
}

static bool is_for_kernels(Scalars *s, const HostPlace *place, const KernelVariable *scalar,
                           bool sinks)
{
    const KernelCmd *command = place->command;
    if (place->gone || !has_name(&place->names, scalar, false)) {
        return true;
    }
    if (kernel_is_parallel(command)) {
        return kernel_computes_with(s, place, scalar);
    }
    bool is_if = command->kind == KERNEL_IF && place->body;
    sinks = sinks && is_if;
    bool body = place->body && only_kernels_use(s, place->body, scalar, sinks),
         otherwise = place->body && only_kernels_use(s, place->otherwise, scalar, sinks);
    switch ((int)command->kind) { /* the others are the host's own */
    case KERNEL_FOR: return body && otherwise && !kernel_mentions(command->count, scalar);
    case KERNEL_WHILE: return body && otherwise && command->variable != scalar;
    case KERNEL_IF:
        return (sinks ? body || otherwise : body && otherwise) &&
               !kernel_mentions(command->value, scalar);
    }
    return false;
}

static bool only_kernels_use(Scalars *s, const HostPlaces *places, const KernelVariable *scalar,
                             bool sinks)
{
    for (size_t i = 0; i < places->front.count; i++) {
        if (kernel_mentions(places->front.items[i]->value, scalar)) {
            return false;
        }
    }
    for (size_t i = 0; i < places->count; i++) {
        if (declares(&places->items[i], scalar)) {
            return true;
        }
        if (!is_for_kernels(s, &places->items[i], scalar, sinks)) {
            return false;
        }
    }
    return true;
}

/* ---- whether it stays what it is ------------------------------------------------------------- */

static bool is_release(const KernelCmd *command, const KernelVariable *buffer)
{
    return command->kind == KERNEL_RELEASE && command->variable == buffer;
}

/* All that the value is made of stays the same from the place up to the last one. */
static bool keeps(const Scalars *s, const HostPlaces *places, size_t from, size_t last,
                  const KernelExp *exp)
{
    for (size_t i = from; i <= last; i++) {
        const HostPlace *place = &places->items[i];
        if (place->gone) {
            continue;
        }
        if (exp->kind == KERNEL_VARIABLE && has_name(&place->names, exp->as.variable, true)) {
            return false;
        }
        if (exp->kind == KERNEL_LOAD && !is_release(place->command, exp->as.load.buffer) &&
            (pointer_map_get(&place->rebound, exp->as.load.buffer) ||
             writes_to(s, place, exp->as.load.buffer))) {
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

/* Into each kernel there that uses the scalar, and to where a branch begins whose host does; then it is not the scalar
   that is used, but what it is made of. */
static void declare_in(Scalars *s, HostPlace *place, const KernelCmd *declaration,
                       const KernelFreeVec *made_of)
{
    if (place->gone || !has_name(&place->names, declaration->variable, false)) {
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < place->names.count; i++) {
        if (place->names.items[i].variable != declaration->variable) {
            place->names.items[kept++] = place->names.items[i];
        }
    }
    place->names.count = kept;
    for (size_t i = 0; i < made_of->count; i++) {
        if (!has_name(&place->names, made_of->items[i].variable, false)) {
            vec_push(s->c->arena, &place->names, made_of->items[i]);
        }
    }
    if (kernel_is_parallel(place->command)) {
        vec_push(s->c->arena, &place->declared, declaration);
        return;
    }
    HostPlaces *blocks[] = {place->body, place->otherwise};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        if (!only_kernels_use(s, blocks[k], declaration->variable, true)) {
            vec_push(s->c->arena, &blocks[k]->front, declaration);
            continue;
        }
        for (size_t i = 0;
             i < blocks[k]->count && !declares(&blocks[k]->items[i], declaration->variable); i++) {
            declare_in(s, &blocks[k]->items[i], declaration, made_of);
        }
    }
}

/* Releases of the buffer at that place, or that wait there, wait behind the last one. */
static void move_releases(Scalars *s, HostPlaces *places, size_t from, size_t last,
                          const KernelVariable *buffer)
{
    HostPlace *place = &places->items[from], *end = &places->items[last];
    if (!place->gone && is_release(place->command, buffer)) {
        vec_push(s->c->arena, &end->after, place->command);
        place->gone = true;
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

static bool may_move(const Scalars *s, const KernelCmd *command)
{
    return command->kind == KERNEL_DECLARE && !command->wide && command->value &&
           command->value->nodes <= MOST_NODES && pointer_map_get(&s->device, command->variable) &&
           !pointer_map_get(&s->stays, command->variable);
}

static void move(Scalars *s, HostPlaces *places, size_t at)
{
    const KernelCmd *command = places->items[at].command;
    if (!may_move(s, command)) {
        return;
    }
    const size_t *end = pointer_map_get(&places->last, command->variable);
    size_t last = end ? *end - 1 : 0;
    if (last <= at) { /* nobody uses it */
        places->items[at].gone = true;
        return;
    }
    for (size_t i = at + 1; i <= last; i++) {
        if (!is_for_kernels(s, &places->items[i], command->variable, true)) {
            return;
        }
    }
    if (!keeps(s, places, at + 1, last, command->value)) {
        return;
    }
    const KernelFreeVec *made_of = &places->items[at].names;
    for (size_t i = at + 1; i <= last; i++) {
        declare_in(s, &places->items[i], command, made_of);
    }
    release_later(s, places, at + 1, last, command->value);
    for (size_t k = 0; k < made_of->count; k++) {
        size_t *used =
            pointer_map_make(s->c->arena, &places->last, made_of->items[k].variable, sizeof *used);
        *used = *used > last + 1 ? *used : last + 1;
    }
    places->items[at].gone = true;
    add_to(s->c->arena, &s->has_moved, command->variable);
    vec_push(s->c->arena, &s->moved, command);
}

static void move_all(Scalars *s, HostPlaces *places)
{
    for (size_t i = places->count; i-- > 0;) {
        if (places->items[i].body) {
            move_all(s, places->items[i].body);
            move_all(s, places->items[i].otherwise);
        }
        move(s, places, i);
    }
}

/* ---- the program anew ------------------------------------------------------------------------ */

/* Commands of one branch, or of a command inside, have the scalar, or what is declared of it. */
static bool has_scalar(Scalars *s, KernelBlock block, const Commands *declared,
                       const KernelVariable *scalar)
{
    KernelFreeVec names = kernel_free(s->c, block);
    if (has_name(&names, scalar, false)) {
        return true;
    }
    for (size_t i = 0; i < declared->count; i++) {
        if (kernel_mentions(declared->items[i]->value, scalar)) {
            return true;
        }
    }
    return false;
}

static KernelBlock declaring(Scalars *s, KernelBlock block, const Commands *declared);

/* Both branches, each with the scalars that it alone has: what the other has may be computed there, but need not mean
   anything here. The others are declared in front. */
static const KernelCmd *declaring_branches(Scalars *s, KernelBuilder *b, const KernelCmd *branches,
                                           const Commands *declared)
{
    Commands then = {0}, otherwise = {0}, front = {0};
    for (size_t i = 0; i < declared->count; i++) { /* the last of the program first */
        const KernelCmd *one = declared->items[i];
        bool before = kernel_mentions(branches->value, one->variable);
        for (size_t k = 0; k < front.count; k++) {
            before = before || kernel_mentions(front.items[k]->value, one->variable);
        }
        bool in_then = has_scalar(s, branches->body, &then, one->variable),
             in_otherwise = has_scalar(s, branches->otherwise, &otherwise, one->variable);
        Commands *place = before || in_then == in_otherwise ? &front : in_then ? &then : &otherwise;
        vec_push(s->c->arena, place, one);
    }
    for (size_t i = front.count; i-- > 0;) {
        kernel_add(b, front.items[i]);
    }
    KernelCmd *copy = arena_copy(s->c->arena, branches, sizeof *copy);
    copy->body = declaring(s, branches->body, &then);
    copy->otherwise = declaring(s, branches->otherwise, &otherwise);
    return copy;
}

/* The block with these scalars. */
static KernelBlock declaring(Scalars *s, KernelBlock block, const Commands *declared)
{
    KernelBuilder b = kernel_builder(s->c, (Span){0});
    const KernelCmd *only = block.count == 1 ? block.commands[0] : NULL;
    if (only && only->kind == KERNEL_IF) {
        kernel_add(&b, declaring_branches(s, &b, only, declared));
        return kernel_block(&b);
    }
    if (only && only->level == KERNEL_LOCAL_LOOP && kernel_is_i64(only->count, 1) &&
        only->body.count == 1 && only->body.commands[0]->kind == KERNEL_IF) {
        KernelCmd *copy = arena_copy(s->c->arena, only, sizeof *copy);
        copy->body = declaring(s, only->body, declared);
        kernel_add(&b, copy);
        return kernel_block(&b);
    }
    for (size_t i = declared->count; i-- > 0;) {
        kernel_add(&b, declared->items[i]);
    }
    kernel_add_block(&b, block);
    return kernel_block(&b);
}

static const KernelCmd *with_declared(Scalars *s, const KernelCmd *kernel, const Commands *declared)
{
    KernelCmd *copy = arena_copy(s->c->arena, kernel, sizeof *kernel);
    copy->body = declaring(s, kernel->body, declared);
    copy->on_processor =
        kernel->on_processor ? with_declared(s, kernel->on_processor, declared) : NULL;
    return copy;
}

static KernelBlock block_of(Scalars *s, const HostPlaces *places)
{
    KernelBuilder b = kernel_builder(s->c, (Span){0});
    for (size_t i = places->front.count; i-- > 0;) {
        kernel_add(&b, places->front.items[i]);
    }
    for (size_t i = 0; i < places->count; i++) {
        const HostPlace *place = &places->items[i];
        if (place->body) {
            KernelCmd *copy = arena_copy(s->c->arena, place->command, sizeof *copy);
            copy->body = block_of(s, place->body);
            copy->otherwise = block_of(s, place->otherwise);
            kernel_add(&b, copy);
        } else if (!place->gone) {
            kernel_add(&b, place->declared.count > 0
                               ? with_declared(s, place->command, &place->declared)
                               : place->command);
        }
        for (size_t k = 0; k < place->after.count; k++) {
            kernel_add(&b, place->after.items[k]);
        }
    }
    return kernel_block(&b);
}

/* ---- the pass -------------------------------------------------------------------------------- */

static bool stays_on_host(const Scalars *s, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE) {
        return pointer_map_get(&s->device, exp->as.variable) &&
               (!pointer_map_get(&s->has_moved, exp->as.variable) ||
                pointer_map_get(&s->stays, exp->as.variable));
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

/* Scalars that should not have moved: the host waits for what they are made of. From the first of the program on, so
   that what is made of these is found, too. */
static bool take_back(Scalars *s)
{
    bool some = false;
    for (size_t i = s->moved.count; i-- > 0;) {
        if (stays_on_host(s, s->moved.items[i]->value)) {
            add_to(s->c->arena, &s->stays, s->moved.items[i]->variable);
            some = true;
        }
    }
    s->moved.count = 0;
    s->has_moved = (PointerMap){0};
    return some;
}

KernelProgram *kernel_keep_scalars(Compilation *c, const KernelProgram *program)
{
    KernelBlock *bodies = ARENA_ARRAY(c->arena, KernelBlock, program->body_count);
    for (size_t i = 0; i < program->body_count; i++) {
        Scalars s = {.c = c};
        HostPlaces *places;
        learn(&s, program->entries[i].body);
        do {
            places = places_of(&s, program->entries[i].body, NULL, 0);
            move_all(&s, places);
        } while (take_back(&s));
        bodies[i] = block_of(&s, places);
    }
    return kernel_with_bodies(c, program, bodies);
}
