/* Dear functions in loops that no vectors can do, in strips of lanes, in sequential programs.

   A loop that counts in a table, keeps rows, scans or checks goes from one iteration to the next. What it computes of
   exponentials, sines, remainders of doubles and the like before that needs no other iteration, and is most of the work:

       for (i < n) {                            for (strip < n / 32) {
           t = exp(v[i])                            private ts[32]
           p = i64(floor(t))                        for (lane < 32) { ts[lane] = exp(v[strip * 32 + lane]) }
           if (p < k) { h[p] = h[p] + 1 }   ==>     for (lane < 32) { p = i64(floor(ts[lane]))
       }                                                              if (p < k) { h[p] = h[p] + 1 } }
                                                }
                                                for (rest < n - 32 * (n / 32)) { as it was }

   In vectors is what such functions take, and what is made of them, as long as these are doubles that nothing assigns
   and that stand before the first check or branch: an iteration reads nothing that only a check before it makes sure of.
   What is cheap and used behind as well is computed there again. */
#include "backend/strips/strips.h"

enum { MOST_COMMANDS = 200 };

typedef struct Dear {
    Compilation *c;
    PointerMap aliased; /* buffers that other names may mean, too */
    /* of the loop at work: */
    const KernelCmd *loop;
    PointerMap
        places; /* KernelVariable -> 1 + number of the command of the body that declares it */
    PointerMap assigned; /* variables that it assigns, and buffers that it writes */
    bool stores;         /* to anything */
    size_t count;        /* commands before the first check or branch */
    bool *pure;          /* of these: it needs nothing of other iterations */
    bool *dear;          /* the same, and is a dear function's, or made of such */
    bool *wanted;        /* for the strips' vectors */
    bool *gone;          /* for these alone */
} Dear;

static bool calls_dear(const KernelExp *exp)
{
    if (!exp) {
        return false;
    }
    bool dear = kernel_is_residue(exp) ||
                ((exp->kind == KERNEL_UNARY || exp->kind == KERNEL_BINARY) &&
                 exp->as.scalar.prim == CORE_F64 && core_is_dear(exp->as.scalar.op));
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count && !dear; i++) {
        dear = calls_dear(operands[i]);
    }
    return dear;
}

/* ---- what there is ------------------------------------------------------------------------- */

static void note_assigned(Dear *d, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_ASSIGN) {
            pointer_map_set(d->c->arena, &d->assigned, command->variable, d);
        }
        note_assigned(d, command->body);
        note_assigned(d, command->otherwise);
    }
}

static void note_written(Dear *d)
{
    KernelFreeVec used = kernel_free(d->c, d->loop->body);
    note_assigned(d, d->loop->body);
    for (size_t i = 0; i < used.count; i++) {
        if (used.items[i].written && used.items[i].variable->space != KERNEL_SCALAR) {
            pointer_map_set(d->c->arena, &d->assigned, used.items[i].variable, d);
            d->stores = true;
        }
    }
}

static size_t place_of(const Dear *d, const KernelVariable *variable)
{
    return (size_t)(uintptr_t)pointer_map_get(&d->places, variable) - 1;
}

/* The expression has values of this iteration, or of none, and its memory is not written in the loop. */
static bool is_pure(const Dear *d, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE) {
        size_t place = place_of(d, exp->as.variable);
        return pointer_map_get(&d->assigned, exp->as.variable) == NULL &&
               (place == SIZE_MAX || (place < d->count && d->pure[place]));
    }
    if (exp->kind == KERNEL_LOAD) {
        const KernelVariable *buffer = exp->as.load.buffer;
        if (pointer_map_get(&d->assigned, buffer) != NULL ||
            (d->stores && pointer_map_get(&d->aliased, buffer) != NULL)) {
            return false;
        }
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        if (!is_pure(d, operands[i])) {
            return false;
        }
    }
    return true;
}

static bool uses_dear(const Dear *d, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE) {
        size_t place = place_of(d, exp->as.variable);
        return place < d->count && d->dear[place];
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        if (uses_dear(d, operands[i])) {
            return true;
        }
    }
    return false;
}

static void want(Dear *d, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE) {
        size_t place = place_of(d, exp->as.variable);
        if (place < d->count && !d->wanted[place]) {
            d->wanted[place] = true;
            want(d, d->loop->body.commands[place]->value);
        }
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        want(d, operands[i]);
    }
}

/* ---- which loops --------------------------------------------------------------------------- */

static size_t uses_in(const KernelExp *exp, const KernelVariable *variable)
{
    if (!exp) {
        return 0;
    }
    size_t uses = exp->kind == KERNEL_VARIABLE && exp->as.variable == variable;
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        uses += uses_in(operands[i], variable);
    }
    return uses;
}

static size_t uses_in_body(const KernelBlock body, const KernelVariable *variable)
{
    size_t uses = 0;
    for (size_t i = 0; i < body.count; i++) {
        uses += uses_in(body.commands[i]->value, variable);
        uses += uses_in(body.commands[i]->index, variable);
    }
    return uses;
}

/* More than the one command that makes its next value reads what the loop assigns, or that is read, too. */
static bool is_carried(const KernelBlock body, const KernelCmd *assign)
{
    const KernelExp *value = assign->value;
    return uses_in_body(body, assign->variable) > 1 ||
           (value->kind == KERNEL_VARIABLE && uses_in_body(body, value->as.variable) > 1);
}

/* What C compilers make no vectors of. */
static bool stops_vectors(const Dear *d, const KernelCmd *command)
{
    switch ((int)command->kind) {
    case KERNEL_COMMENT: return false;
    case KERNEL_DECLARE: return !kernel_is_vector(command->value);
    case KERNEL_ASSIGN:
        return !kernel_is_vector(command->value) ||
               (place_of(d, command->variable) == SIZE_MAX && is_carried(d->loop->body, command));
    case KERNEL_STORE: {
        const KernelExp *index = command->index;
        bool known = index->kind == KERNEL_VARIABLE &&
                     pointer_map_get(&d->assigned, index->as.variable) == NULL;
        return !kernel_is_vector(command->value) || !known;
    }
    }
    return true;
}

/* Finds what vectors can do; whether there is such, and something that stops them. */
static bool study(Dear *d)
{
    KernelBlock body = d->loop->body;
    bool stops = false, some = false;
    size_t budget = MOST_COMMANDS;
    if (d->loop->kind != KERNEL_FOR || d->loop->level != KERNEL_SEQ ||
        (d->loop->count->kind == KERNEL_CONSTANT &&
         d->loop->count->as.constant.as.integer < 2 * LANES)) {
        return false;
    }
    for (size_t i = 0; i < body.count; i++) {
        const KernelCmd *command = body.commands[i];
        if (command->kind == KERNEL_FOR || command->kind == KERNEL_WHILE) {
            return false;
        }
        some = some || (command->kind == KERNEL_DECLARE && calls_dear(command->value));
    }
    if (!some || !kernel_can_duplicate(body, &budget)) {
        return false;
    }
    note_written(d);
    for (size_t i = 0; i < body.count; i++) {
        if (body.commands[i]->kind == KERNEL_DECLARE) {
            pointer_map_set(d->c->arena, &d->places, body.commands[i]->variable,
                            (void *)(uintptr_t)(i + 1));
        }
    }
    while (d->count < body.count && (body.commands[d->count]->kind == KERNEL_DECLARE ||
                                     body.commands[d->count]->kind == KERNEL_ASSIGN ||
                                     body.commands[d->count]->kind == KERNEL_COMMENT)) {
        d->count++;
    }
    d->pure = ARENA_ARRAY(d->c->arena, bool, d->count + 1);
    d->dear = ARENA_ARRAY(d->c->arena, bool, d->count + 1);
    d->wanted = ARENA_ARRAY(d->c->arena, bool, d->count + 1);
    d->gone = ARENA_ARRAY(d->c->arena, bool, d->count + 1);
    some = false;
    for (size_t i = 0; i < body.count; i++) {
        const KernelCmd *command = body.commands[i];
        stops = stops || stops_vectors(d, command);
        if (i >= d->count || command->kind != KERNEL_DECLARE || command->value == NULL ||
            command->variable->space != KERNEL_SCALAR) {
            continue;
        }
        d->pure[i] = kernel_is_vector(command->value) && is_pure(d, command->value) &&
                     pointer_map_get(&d->assigned, command->variable) == NULL;
        d->dear[i] = d->pure[i] && command->variable->prim == CORE_F64 &&
                     (calls_dear(command->value) || uses_dear(d, command->value));
        some = some || d->dear[i];
    }
    return some && stops;
}

/* ---- the strips ---------------------------------------------------------------------------- */

/* What does not go to the vectors alone uses it. */
static bool is_used_behind(const Dear *d, const KernelVariable *variable)
{
    KernelBlock body = d->loop->body;
    for (size_t i = 0; i < body.count; i++) {
        if (i < d->count && (d->dear[i] || d->gone[i])) {
            continue;
        }
        KernelFreeVec used = kernel_free(d->c, (KernelBlock){1, &body.commands[i]});
        for (size_t k = 0; k < used.count; k++) {
            if (used.items[k].variable == variable) {
                return true;
            }
        }
    }
    return false;
}

static void choose_vectors(Dear *d)
{
    const KernelCmd *const *commands = d->loop->body.commands;
    for (size_t i = 0; i < d->count; i++) {
        if (d->dear[i]) {
            d->wanted[i] = true;
            want(d, commands[i]->value);
        }
    }
    for (size_t i = d->count; i-- > 0;) {
        d->gone[i] = d->wanted[i] && !d->dear[i] && !is_used_behind(d, commands[i]->variable);
    }
}

static KernelVariable *lane_of(Compilation *c, Span span)
{
    return kernel_variable(c, "lane", CORE_I64, KERNEL_SCALAR, span);
}

/* The loop's number in the lane. */
static void declare_number(KernelBuilder *b, KernelCopier *copier, const KernelCmd *loop,
                           const KernelExp *first, KernelVariable *lane)
{
    kernel_declare(b, kernel_rename(copier, loop->variable),
                   kernel_exact_sum(b->c, first, kernel_use(b->c, lane)));
}

static KernelBlock strip_of(void *context, const KernelExp *strip)
{
    Dear *d = context;
    Compilation *c = d->c;
    const KernelCmd *loop = d->loop;
    KernelBlock body = loop->body;
    KernelBuilder b = kernel_builder(c, loop->span), vectors = b, rest = b;
    KernelVariable *lane = lane_of(c, loop->span), *other = lane_of(c, loop->span);
    KernelCopier first_copy = {.c = c}, second_copy = {.c = c};
    const KernelExp *first =
        kernel_declared(&b, "first", kernel_binary(c, CORE_MUL, strip, kernel_i64(c, LANES)));
    declare_number(&vectors, &first_copy, loop, first, lane);
    choose_vectors(d);
    if (is_used_behind(d, loop->variable)) {
        declare_number(&rest, &second_copy, loop, first, other);
    }
    for (size_t i = 0; i < body.count; i++) {
        KernelBlock one = {1, &body.commands[i]};
        const KernelVariable *variable = body.commands[i]->variable;
        if (i < d->count && d->wanted[i]) {
            kernel_duplicate(&first_copy, &vectors, one);
        }
        if (i >= d->count || (!d->dear[i] && !d->gone[i])) {
            kernel_duplicate(&second_copy, &rest, one);
        } else if (d->dear[i] && is_used_behind(d, variable)) {
            KernelVariable *lanes =
                kernel_variable(c, variable->text, CORE_F64, KERNEL_PRIVATE, variable->span);
            kernel_declare_buffer(&b, lanes, LANES);
            kernel_store(&vectors, lanes, kernel_use(c, lane),
                         kernel_replacement(&first_copy, variable));
            kernel_declare(&rest, kernel_rename(&second_copy, variable),
                           kernel_load(c, lanes, kernel_use(c, other)));
        }
    }
    kernel_for(&b, KERNEL_SEQ, NULL, lane, kernel_i64(c, LANES), kernel_block(&vectors));
    kernel_for(&b, KERNEL_SEQ, NULL, other, kernel_i64(c, LANES), kernel_block(&rest));
    return kernel_block(&b);
}

static bool put(void *context, KernelBuilder *b, const KernelCmd *command)
{
    const Dear *outer = context;
    Dear d = {.c = outer->c, .aliased = outer->aliased, .loop = command};
    bool found = study(&d);
    if (found) {
        strip_around(d.c, b, command, strip_of, &d);
    }
    return found;
}

KernelProgram *kernel_strip_dear(Compilation *c, const KernelProgram *program)
{
    KernelBlock *bodies = ARENA_ARRAY(c->arena, KernelBlock, program->body_count);
    for (size_t i = 0; i < program->body_count; i++) {
        Dear d = {.c = c};
        KernelRewrite rewrite = {.c = c, .context = &d, .put = put};
        strip_find_aliased(c, &d.aliased, program->entries[i].body);
        bodies[i] = kernel_rewrite(&rewrite, program->entries[i].body);
    }
    return kernel_with_bodies(c, program, bodies);
}
