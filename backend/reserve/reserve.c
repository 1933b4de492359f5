/* Memory of a loop's arrays, made before the loop.

                                                if steps >= 1 { reserve 1 of n x 8 bytes }
       for (t < steps) {                        for (t < steps) {
           alloc next : f64[n]                      alloc next : f64[n]
           grid map (g < n) { ... }      ==>        grid map (g < n) { ... }
           alias state = next                       alias state = next
           release next                             release next
       }                                        }

   An allocation in a loop takes memory from the pool, and what is released goes back there, so that a loop's arrays
   are names for pieces of memory that it goes round with. How many pieces of a size that is the same in all steps are
   in use at one time is found by going through some steps, in which names refer to memory as they do when the program
   runs; that many are put into the pool before the loop, and none has to be made inside. They are no more than the
   loop would have made by itself, and where memory is scarce there are none ahead.

   Of branches those count that all steps take: what another asks for may never be needed.

   Before: a program lowered for devices. After: the same values. */
#include "backend/reserve/reserve.h"

enum {
    STEPS = 3,        /* gone through: in the third all state is memory of the loop's own */
    INNER_STEPS = 2,  /* of loops inside, each time */
    MOST_DONE = 40000 /* commands that are gone through for one loop */
};

/* ---- memory, as the program runs ------------------------------------------------------------- */

static void let_go(Reserve *r, const KernelVariable *name)
{
    Piece *piece = pointer_map_get(&r->pieces, name);
    if (!piece) {
        return;
    }
    pointer_map_set(r->c->arena, &r->pieces, name, NULL);
    if (--piece->references == 0 && piece->size) {
        piece->size->now--;
    }
}

static void refer(Reserve *r, const KernelVariable *name, Piece *piece)
{
    if (piece) {
        piece->references++;
    }
    let_go(r, name);
    pointer_map_set(r->c->arena, &r->pieces, name, piece);
}

static void allocate(Reserve *r, const KernelCmd *command)
{
    Piece *piece = ARENA_NEW(r->c->arena, Piece);
    *piece = (Piece){.full = reserve_in_full(r, command->count),
                     .element = core_prim_bytes(command->variable->prim),
                     .size = pointer_map_get(&r->size_of, command)};
    let_go(r, command->variable);
    refer(r, command->variable, piece);
    vec_push(r->c->arena, &r->all, piece);
    Size *size = piece->size;
    if (!size) {
        return;
    }
    size->now++;
    size->most = size->now > size->most ? size->now : size->most;
    size->first = r->is_later ? size->first : size->most;
}

static void go(Reserve *r, KernelBlock block);

static void go_command(Reserve *r, const KernelCmd *command)
{
    switch (command->kind) {
    case KERNEL_ALLOCATE: allocate(r, command); break;
    case KERNEL_ALIAS:
        refer(r, command->variable, pointer_map_get(&r->pieces, command->source));
        break;
    case KERNEL_CONSTANTS:
    case KERNEL_RELEASE: let_go(r, command->variable); break;
    case KERNEL_EFFECT:
        if (command->effect.variable) {
            let_go(r, command->effect.variable);
        }
        break;
    case KERNEL_CALL:
        for (size_t k = 0; k < command->payload_count; k++) {
            let_go(r, command->payload[k]);
        }
        break;
    case KERNEL_FOR:
    case KERNEL_WHILE:
        for (int step = 0; step < INNER_STEPS && !kernel_is_parallel(command); step++) {
            go(r, command->body);
        }
        break;
    case KERNEL_IF:
        go(r, command->body);
        go(r, command->otherwise);
        break;
    case KERNEL_RESERVE:
    case KERNEL_DECLARE:
    case KERNEL_ASSIGN:
    case KERNEL_STORE:
    case KERNEL_ATOMIC:
    case KERNEL_EXCHANGE:
    case KERNEL_RETRY:
    case KERNEL_COPY:
    case KERNEL_BARRIER:
    case KERNEL_ARRIVE:
    case KERNEL_TICKET:
    case KERNEL_PUBLISH:
    case KERNEL_AWAIT:
    case KERNEL_MEET:
    case KERNEL_SWAP:
    case KERNEL_CHECK:
    case KERNEL_AHEAD:
    case KERNEL_COMMENT: break;
    }
}

static void go(Reserve *r, KernelBlock block)
{
    for (size_t i = 0; i < block.count && r->left > 0; i++) {
        r->left--;
        go_command(r, block.commands[i]);
    }
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Pieces that are there before the loop and have a size of its. */
static void count_before(Reserve *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->all.count; i++) {
        Piece *piece = r->all.items[i];
        if (piece->references == 0) {
            continue;
        }
        r->all.items[kept++] = piece;
        piece->size = piece->full ? reserve_size(r, piece->full, piece->element) : NULL;
        if (piece->size) {
            piece->size->before++;
        }
    }
    r->all.count = kept;
    for (size_t i = 0; i < r->sizes.count; i++) {
        Size *size = r->sizes.items[i];
        size->now = size->first = size->most = size->before;
    }
}

static void note_devices(Reserve *r, const KernelExp *exp)
{
    for (size_t i = 0; i < r->devices.count; i++) {
        Device *device = &r->devices.items[i];
        device->used = device->used || kernel_mentions(exp, device->result);
    }
}

/* What the loop needs beside what is there, if it has a step at all. */
static KernelBlock reservation(Reserve *r, const KernelCmd *loop)
{
    Compilation *c = r->c;
    KernelBuilder b = kernel_builder(c, loop->span);
    VEC(const KernelExp *) values = {0};
    for (size_t i = 0; i < r->sizes.count && r->left > 0; i++) {
        const Size *size = r->sizes.items[i];
        const KernelExp *pieces = kernel_i64(c, (int64_t)(size->most - size->before));
        if (size->most == size->before) {
            continue;
        }
        if (size->first < size->most && loop->kind == KERNEL_FOR) {
            pieces = kernel_select(c, kernel_binary(c, CORE_GT, loop->count, kernel_i64(c, 1)),
                                   pieces, kernel_i64(c, (int64_t)(size->first - size->before)));
        }
        if (size->when) {
            pieces = kernel_select(c, size->when, pieces, kernel_i64(c, 0));
        }
        note_devices(r, pieces);
        note_devices(r, size->count);
        vec_push(c->arena, &values, pieces);
        vec_push(c->arena, &values, size->count);
        vec_push(c->arena, &values, kernel_i64(c, size->element));
    }
    if (values.count > 0) {
        kernel_reserve(&b, values.count, values.items);
    }
    return kernel_block(&b);
}

/* Where loop->count is more than a name it becomes one. */
static void add_reservation(Reserve *r, KernelBuilder *b, KernelCmd *loop)
{
    Compilation *c = r->c;
    const KernelExp *count = loop->count;
    if (reservation(r, loop).count == 0) {
        return;
    }
    b->span = loop->span;
    if (loop->kind == KERNEL_FOR && count->kind != KERNEL_VARIABLE) {
        loop->count = kernel_declared(b, "steps", count);
    }
    const KernelExp *runs = loop->kind == KERNEL_WHILE
                                ? kernel_use(c, loop->variable)
                                : kernel_binary(c, CORE_GE, loop->count, kernel_i64(c, 1));
    KernelBlock block = reservation(r, loop);
    if (runs->kind == KERNEL_CONSTANT) {
        kernel_add_block(b, block);
    } else {
        kernel_if(b, runs, block, (KernelBlock){0});
    }
}

static KernelBlock walk(Reserve *r, KernelBlock block);

/* A loop of the host's with its body gone through. */
static void add_loop(Reserve *r, KernelBuilder *b, const KernelCmd *loop)
{
    KernelCmd *copy = arena_copy(r->c->arena, loop, sizeof *loop);
    reserve_find_sizes(r, loop);
    count_before(r);
    r->left = r->sizes.count > 0 ? MOST_DONE : 0;
    for (int step = 0; step < STEPS; step++) {
        r->is_later = step > 0;
        go(r, loop->body);
    }
    add_reservation(r, b, copy);
    copy->body = walk(r, loop->body);
    kernel_add(b, copy);
}

/* Goes through the block once, and gives it with what its loops reserve. */
static KernelBlock walk(Reserve *r, KernelBlock block)
{
    KernelBuilder b = kernel_builder(r->c, (Span){0});
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool is_loop = command->kind == KERNEL_FOR || command->kind == KERNEL_WHILE;
        if (is_loop && !kernel_is_parallel(command)) {
            add_loop(r, &b, command);
        } else if (command->kind == KERNEL_IF) {
            KernelCmd *copy = arena_copy(r->c->arena, command, sizeof *command);
            copy->body = walk(r, command->body);
            copy->otherwise = walk(r, command->otherwise);
            kernel_add(&b, copy);
        } else {
            r->left = 1;
            go(r, (KernelBlock){1, &command});
            kernel_add(&b, command);
        }
    }
    return kernel_block(&b);
}

static bool has_loop(KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool is_loop = command->kind == KERNEL_FOR || command->kind == KERNEL_WHILE;
        if ((is_loop && !kernel_is_parallel(command)) ||
            (command->kind == KERNEL_IF &&
             (has_loop(command->body) || has_loop(command->otherwise)))) {
            return true;
        }
    }
    return false;
}

static KernelBlock entry_anew(Compilation *c, KernelBlock block)
{
    Reserve r = {.c = c, .full = {.c = c}};
    KernelBuilder b = kernel_builder(c, (Span){0});
    reserve_learn(&r, block);
    KernelBlock anew = walk(&r, block);
    for (size_t i = 0; i < r.devices.count; i++) {
        const Device *own = &r.devices.items[i];
        if (own->used) {
            kernel_declare(&b, own->result, NULL);
            kernel_effect(&b, (KernelEffect){
                                  .kind = KERNEL_DEVICE, .name = own->name, .result = own->result});
        }
    }
    kernel_add_block(&b, anew);
    return kernel_block(&b);
}

KernelProgram *kernel_reserve_memory(Compilation *c, const KernelProgram *program)
{
    KernelBlock *bodies = ARENA_ARRAY(c->arena, KernelBlock, program->body_count);
    for (size_t i = 0; i < program->body_count; i++) {
        KernelBlock body = program->entries[i].body;
        bodies[i] = has_loop(body) ? entry_anew(c, body) : body;
    }
    return kernel_with_bodies(c, program, bodies);
}
