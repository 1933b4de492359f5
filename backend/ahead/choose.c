/* Branches of the host's between which the device chooses: the host starts the kernels of both.

       var t = max[0]                              grid choose (g < 1) {
       if t > 10, by device {                          var t = max[0]
           grid f { y[g] = x[g] / t }                  then[0] = t > 10 ? 0 : -1
       } else {                           ==>          otherwise[0] = t > 10 ? -1 : 0
           grid g { y[g] = x[g] + 1 }              }
       }                                           grid f, ahead then { var t = max[0]; y[g] = x[g] / t }
                                                   grid g, ahead otherwise { y[g] = x[g] + 1 }

   To load the condition is to wait. Lowering has given what the branches leave behind places that are there before
   (backend/lower/control.c); all that they make besides is gone after them. Here f and g become one (pairs.c).

       if n * 8 <= copied bytes, by size {          grid choose (g < 1) { ... }
           if t > 10, by device { ... }      ==>    if n * 8 <= copied bytes { ... }
       } else { if t > 10 { ... } }                 else { if then[0] >= 0 { ... } }

   Not where the host then did what only one of the branches may do, or waited nevertheless: what it does in a branch
   it does in vain where the other one is taken. */
#include "backend/ahead/ahead.h"

/* Kernels that are started though their branch is not taken: with more it is quicker to wait. */
enum { MOST_IN_VAIN = 3 };

/* ---- what the host may do in vain -------------------------------------------------------------- */

typedef struct Vain {
    const Ahead *a;
    PointerMap inside; /* what the block declares */
    size_t kernels;
} Vain;

static bool is_inside(const Vain *vain, const KernelVariable *variable)
{
    return pointer_map_get(&vain->inside, variable) != NULL;
}

static bool fits_block(Vain *vain, KernelBlock block);
static bool fits_branches(Vain *vain, const KernelCmd *command);

static bool fits(Vain *vain, const KernelCmd *command)
{
    switch ((int)command->kind) { /* others have effects */
    case KERNEL_DECLARE:
    case KERNEL_ALLOCATE:
    case KERNEL_ALIAS:
    case KERNEL_CONSTANTS:
        pointer_map_set(vain->a->c->arena, &vain->inside, command->variable, command->variable);
        return true;
    case KERNEL_RELEASE:
    case KERNEL_ASSIGN: return is_inside(vain, command->variable);
    case KERNEL_COMMENT: return true;
    case KERNEL_CHECK:
    case KERNEL_STORE: vain->kernels += !ahead_is_known(vain->a, command); return true;
    case KERNEL_COPY: vain->kernels++; return command->variable != command->source;
    case KERNEL_EFFECT:
        if (command->effect.kind == KERNEL_DEVICE) {
            pointer_map_set(vain->a->c->arena, &vain->inside, command->effect.result,
                            command->effect.result);
        }
        return command->effect.kind == KERNEL_DEVICE;
    case KERNEL_FOR: vain->kernels++; return kernel_is_parallel(command);
    case KERNEL_IF: return kernel_loads(command->value) == 0 && fits_branches(vain, command);
    }
    return false;
}

/* Of branches of the host's only one takes kernels. */
static bool fits_branches(Vain *vain, const KernelCmd *command)
{
    size_t before = vain->kernels, most;
    if (!fits_block(vain, command->body)) {
        return false;
    }
    most = vain->kernels;
    vain->kernels = before;
    if (!fits_block(vain, command->otherwise)) {
        return false;
    }
    vain->kernels = vain->kernels > most ? vain->kernels : most;
    return true;
}

static bool fits_block(Vain *vain, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        if (!fits(vain, block.commands[i])) {
            return false;
        }
    }
    return true;
}

/* ---- both branches ----------------------------------------------------------------------------- */

/* What is declared in the branch is that IF's. */
static void note_declared(Ahead *a, const KernelCmd *branch, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_DECLARE) {
            ahead_key(a, command->variable, branch);
        }
        if (!kernel_is_parallel(command)) {
            note_declared(a, branch, command->body);
            note_declared(a, branch, command->otherwise);
        }
    }
}

/* A word that says whether kernels of a branch do anything. It is memory of its own for as long as the outermost loop
   runs: steps that are none write to it, too, and to nothing else (backend/ahead/ahead.c). */
static KernelVariable *word(Ahead *a, const char *text, Span span)
{
    KernelVariable *variable = kernel_variable(a->c, text, CORE_I64, KERNEL_GLOBAL, span);
    variable->is_word = true;
    variable->meaning = "its branch is taken";
    vec_push(a->c->arena, &a->words, variable);
    return variable;
}

static void store_word(KernelBuilder *b, KernelVariable *variable, const KernelExp *taken)
{
    const KernelExp *yes = kernel_i64(b->c, 0), *no = kernel_i64(b->c, -1);
    kernel_store(b, variable, kernel_i64(b->c, 0), kernel_select(b->c, taken, yes, no));
}

/* What branches the device takes: the kernel that chooses, with its words. */
static void put_choice(Ahead *a, KernelBuilder *b, const KernelCmd *command, KernelVariable *taken,
                       KernelVariable *other)
{
    Compilation *c = a->c;
    KernelVariable *item = kernel_variable(c, "g", CORE_I64, KERNEL_SCALAR, b->span);
    KernelBuilder stores = kernel_builder(c, b->span);
    store_word(&stores, taken, command->value);
    store_word(&stores, other, kernel_unary(c, CORE_NOT, command->value));
    kernel_for(b, KERNEL_GRID, arena_printf(c->arena, "choose_%u", item->number), item,
               kernel_i64(c, 1), kernel_block(&stores));
    kernel_that_chooses(b);
    ahead_key(a, item, command);
}

/* The branches of `command`, in which the device has chosen already where it can; false: they have too many kernels. */
static bool put_both(Ahead *a, KernelBuilder *b, const KernelCmd *command, KernelBlock body,
                     KernelBlock otherwise)
{
    Compilation *c = a->c;
    Vain vain = {.a = a}, vain_otherwise = vain;
    if (!fits_block(&vain, body) || !fits_block(&vain_otherwise, otherwise)) {
        return false;
    }
    b->span = command->span;
    size_t words = a->words.count;
    KernelVariable *taken = word(a, "then", b->span), *other = word(a, "otherwise", b->span);
    KernelBuilder both = kernel_builder(c, command->span);
    KernelBlock first = ahead_guarded_block(c, taken, ahead_leave_all(a, body, command));
    KernelBlock second = ahead_guarded_block(c, other, ahead_leave_all(a, otherwise, command));
    size_t pairs = ahead_pair(c, &both, first, second);
    size_t most = vain.kernels > vain_otherwise.kernels ? vain.kernels : vain_otherwise.kernels;
    if (most - pairs > MOST_IN_VAIN) {
        a->words.count = words;
        return false;
    }
    put_choice(a, b, command, taken, other);
    kernel_add_block(b, kernel_block(&both));
    note_declared(a, command, body);
    note_declared(a, command, otherwise);
    return true;
}

static KernelBlock choose_in(Ahead *a, KernelBlock block, bool in_loop);

/* The block without the kernel that chooses first; NULL: there is none. */
static KernelBlock without_choice(Ahead *a, KernelBlock block, const KernelCmd **choice)
{
    KernelBuilder b = kernel_builder(a->c, (Span){0});
    *choice = NULL;
    for (size_t i = 0; i < block.count; i++) {
        if (*choice || !block.commands[i]->chooses) {
            kernel_add(&b, block.commands[i]);
        } else {
            *choice = block.commands[i];
        }
    }
    return kernel_block(&b);
}

/* The block, where the host asks the first word of the kernel which branches are taken: that is one number to load. */
static KernelBlock asking(Ahead *a, KernelBlock block, const KernelCmd *choice)
{
    const KernelCmd *stored = choice->body.commands[0];
    KernelBuilder b = kernel_builder(a->c, (Span){0});
    for (size_t i = 0; i < block.count; i++) {
        KernelCmd *copy = arena_copy(a->c->arena, block.commands[i], sizeof *copy);
        if (copy->kind == KERNEL_IF &&
            kernel_is_same(copy->value, stored->value->as.select.condition)) {
            copy->value = ahead_does(a->c, stored->variable);
        }
        kernel_add(&b, copy);
    }
    return kernel_block(&b);
}

/* The kernel that chooses is for both sizes, and in front of both: what is before may do its work
   (backend/single/). Where the device does not choose, sizes do not matter. */
static void put_by_size(Ahead *a, KernelBuilder *b, KernelCmd *command)
{
    const KernelCmd *choice;
    command->body = without_choice(a, command->body, &choice);
    if (choice) {
        command->otherwise = asking(a, command->otherwise, choice);
        kernel_add(b, choice);
        kernel_add(b, command);
    } else {
        kernel_add_block(b, command->otherwise);
    }
}

static void put_inside(Ahead *a, KernelBuilder *b, const KernelCmd *command, bool in_loop)
{
    KernelCmd *copy = arena_copy(a->c->arena, command, sizeof *copy);
    copy->body = choose_in(a, command->body, in_loop);
    copy->otherwise = choose_in(a, command->otherwise, in_loop);
    copy->by_device = false;
    bool may = command->by_device && in_loop && !pointer_map_get(&a->refused, command);
    if (may && put_both(a, b, command, copy->body, copy->otherwise)) {
        return;
    }
    if (command->by_device) { /* when branches inside are refused, it would be, too */
        ahead_put(a, &a->refused, command);
    }
    if (command->by_size) {
        put_by_size(a, b, copy);
    } else {
        kernel_add(b, copy);
    }
}

/* An outermost loop, with the words that there are in it. */
static void put_loop(Ahead *a, KernelBuilder *b, const KernelCmd *loop)
{
    KernelBuilder inner = kernel_builder(a->c, loop->span);
    b->span = loop->span;
    a->words.count = 0;
    put_inside(a, &inner, loop, true);
    for (size_t i = 0; i < a->words.count; i++) {
        kernel_allocate(b, a->words.items[i], kernel_i64(a->c, 1));
    }
    kernel_add_block(b, kernel_block(&inner));
    for (size_t i = 0; i < a->words.count; i++) {
        kernel_release(b, a->words.items[i]);
    }
}

static KernelBlock choose_in(Ahead *a, KernelBlock block, bool in_loop)
{
    KernelBuilder b = kernel_builder(a->c, (Span){0});
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (in_loop && ahead_is_left(a, command)) {
            ahead_leave(a, &b, command, command);
        } else if (kernel_is_parallel(command) ||
                   command->body.count + command->otherwise.count == 0) {
            kernel_add(&b, command);
        } else if (!in_loop && command->kind != KERNEL_IF) {
            put_loop(a, &b, command);
        } else {
            put_inside(a, &b, command, in_loop);
        }
    }
    return kernel_block(&b);
}

KernelBlock ahead_choose(Ahead *a, KernelBlock block)
{
    ahead_find_made(a, block);
    return choose_in(a, block, false);
}

/* ---- where the host would wait ----------------------------------------------------------------- */

static bool refuse(Ahead *a, const KernelVariable *variable)
{
    const KernelCmd *key = pointer_map_get(&a->keys, variable);
    if (key) {
        ahead_put(a, &a->refused, key);
    }
    return key != NULL;
}

/* The kernel has from the host what the device makes: the host waits for it. */
static bool waits(Ahead *a, const KernelCmd *kernel, const PointerMap *device)
{
    KernelFreeVec names = kernel_free(a->c, (KernelBlock){1, &kernel});
    for (size_t i = 0; i < names.count; i++) {
        if (pointer_map_get(device, names.items[i].variable)) {
            return true;
        }
    }
    return false;
}

/* All that the kernel needs it has from the host. */
static bool loads_nothing(KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if ((command->value && ahead_loads(command->value)) || !loads_nothing(command->body) ||
            !loads_nothing(command->otherwise)) {
            return false;
        }
    }
    return true;
}

/* A kernel that chooses, or what is left to the device, should be the host's: it waits for what is needed, or knew
   it. In branches between which the device chooses even that is the device's. */
static bool is_for_host(Ahead *a, const KernelCmd *kernel, const PointerMap *device)
{
    const KernelCmd *key = pointer_map_get(&a->keys, kernel->variable);
    bool needs_loads = kernel->chooses || (key && key->kind != KERNEL_IF);
    return key && (waits(a, kernel, device) || (needs_loads && loads_nothing(kernel->body)));
}

static bool refuse_in(Ahead *a, KernelBlock block, PointerMap *device)
{
    bool some = false;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (kernel_is_parallel(command)) {
            some = (is_for_host(a, command, device) && refuse(a, command->variable)) || some;
            continue;
        }
        bool is_scalar = command->kind == KERNEL_DECLARE || command->kind == KERNEL_ASSIGN;
        if (is_scalar && command->value &&
            (kernel_loads(command->value) > 0 || kernel_mentions_any(device, command->value))) {
            ahead_put(a, device, command->variable);
            some = refuse(a, command->variable) || some;
        }
        some = refuse_in(a, command->body, device) || some;
        some = refuse_in(a, command->otherwise, device) || some;
    }
    return some;
}

bool ahead_refuse_choices(Ahead *a, KernelBlock block)
{
    PointerMap device = {0};
    return refuse_in(a, block, &device);
}
