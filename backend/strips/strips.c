/* Loops whose iterations have loops of their own, in strips of lanes, in sequential programs.

   An iteration that steps some scalars again and again, a point of the Mandelbrot set, say, waits
   for each step's result before it can take the next. LANES iterations at a time have as many
   results to wait for at once, and their scalars are small arrays that compilers keep in vectors.
   Loops without memory to write are cut that way:

       for (i < n) {                   for (strip < n / 32) {
           var c = f(i)                    first = strip * 32
           var z = 0                       private cs[32], zs[32]
           for (step < steps) {            for (lane < 32) { cs[lane] = f(first + lane); zs[lane] = 0 }
               z = z * z + c     ==>       for (step < steps) {
           }                                   for (lane < 32) { z = zs[lane]; c = cs[lane]
           sum = sum + z                                         z = z * z + c; zs[lane] = z }
       }                                   }
                                           for (lane < 32) { sum = sum + zs[lane] }
                                       }
                                       for (rest < n - 32 * (n / 32)) { as it was }

   A part is a loop inside, or what stands between two of them. What a later part needs is in an
   array of lanes. Each lane computes what its iteration did, so that results are the same to the
   last bit.

   A loop inside whose iterations the lane decides (a while loop, or a count of its own) runs on
   while some lanes are not done; those that are done keep what they have. The last few go on one
   after the other, since a vector with three lanes at work gains nothing:

       while (c) {              ==>   active = number of true cs
           z = g(z)                   while (active >= 4) {
           c = h(z)                       active = 0
       }                                  for (lane < 32) {
                                              z = g(zs[lane]); c = h(z)
                                              zs[lane] = cs[lane] ? z : zs[lane]
                                              cs[lane] = cs[lane] & c
                                              active = active + cs[lane]
                                          }
                                      }
                                      if (active > 0) { for (lane < 32) { as it was, on zs[lane] } }

   The loop has to be of scalars: what it stores comes after the loops inside, to memory that it
   does not read; accumulators are touched in one part alone, in their order. Loops inside are
   straight lines that vectors can compute (backend/vectors.c); they read memory only where it is
   the same for all lanes and, where lanes are done before others, not at all. */
#include "backend/strips/strips.h"

/* ---- what a part does with variables ------------------------------------------------------- */

StripVariable *strip_variable(Strips *s, const KernelVariable *variable)
{
    return pointer_map_make(s->c->arena, &s->variables, variable, sizeof(StripVariable));
}

/* The variable is touched by the part at work. */
static void touch(Strips *s, const KernelVariable *variable, bool assigned)
{
    StripVariable *known = strip_variable(s, variable);
    known->elsewhere = known->elsewhere || (known->touched && known->part != s->part);
    if (!known->touched) {
        known->touched = true;
        known->part = s->part;
    }
    known->assigned = known->assigned || assigned;
}

static void look_exp(Strips *s, const KernelExp *exp, bool in_index)
{
    if (!exp) {
        return;
    }
    if (exp->kind == KERNEL_VARIABLE) {
        touch(s, exp->as.variable, false);
        bool is_lane = strip_variable(s, exp->as.variable)->is_inside;
        s->fails = s->fails || (in_index && s->in_loop && is_lane);
    } else if (exp->kind == KERNEL_LOAD) {
        s->loads = true;
        strip_variable(s, exp->as.load.buffer)->is_loaded = true;
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        look_exp(s, operands[i], in_index || exp->kind == KERNEL_LOAD);
    }
}

static void look_block(Strips *s, KernelBlock block, bool at_top);

/* A command of a straight line; anything else is none of ours. */
static void look_command(Strips *s, const KernelCmd *command, bool at_top)
{
    if (s->budget < 1 || (s->in_loop && !kernel_is_vector(command->value))) {
        s->fails = true;
        return;
    }
    s->budget--;
    look_exp(s, command->value, false);
    look_exp(s, command->index, true);
    switch ((int)command->kind) {
    case KERNEL_DECLARE:
        s->fails = s->fails || command->variable->space != KERNEL_SCALAR;
        strip_variable(s, command->variable)->is_inside = true;
        touch(s, command->variable, false);
        return;
    case KERNEL_ASSIGN: touch(s, command->variable, true); return;
    case KERNEL_STORE:
        s->fails = s->fails || !at_top || s->in_loop ||
                   pointer_map_get(&s->aliased, command->variable) != NULL;
        strip_variable(s, command->variable)->is_stored = true;
        s->stores = true;
        return;
    case KERNEL_IF:
        look_block(s, command->body, false);
        look_block(s, command->otherwise, false);
        return;
    case KERNEL_COMMENT: return;
    }
    s->fails = true;
}

static void look_block(Strips *s, KernelBlock block, bool at_top)
{
    for (size_t i = 0; i < block.count && !s->fails; i++) {
        look_command(s, block.commands[i], at_top);
    }
}

/* ---- the parts ----------------------------------------------------------------------------- */

/* Whether each lane has its own number of iterations. */
bool strip_is_masked(Strips *s, const KernelCmd *loop)
{
    if (loop->kind == KERNEL_WHILE) {
        return true;
    }
    return loop->count->kind == KERNEL_VARIABLE &&
           strip_variable(s, loop->count->as.variable)->is_inside;
}

static void look_loop(Strips *s, const KernelCmd *loop)
{
    s->part++;
    s->loop_count++;
    s->fails = s->fails || s->stores;
    s->in_loop = true;
    s->loads = false;
    bool plain = loop->kind == KERNEL_WHILE || loop->count->kind == KERNEL_CONSTANT ||
                 loop->count->kind == KERNEL_VARIABLE;
    s->fails = s->fails || !plain || loop->level != KERNEL_SEQ;
    if (s->fails) {
        return;
    }
    bool masked = strip_is_masked(s, loop);
    s->all_short = s->all_short && kernel_is_written_out(loop);
    if (loop->kind == KERNEL_WHILE) {
        s->fails = !strip_variable(s, loop->variable)->is_inside;
        touch(s, loop->variable, true);
    } else {
        look_exp(s, loop->count, false);
    }
    look_block(s, loop->body, true);
    s->fails = s->fails || (masked && s->loads);
    if (masked && loop->kind == KERNEL_FOR) { /* the count that it began with counts */
        s->fails = s->fails || strip_variable(s, loop->count->as.variable)->assigned;
    }
    s->in_loop = false;
    s->part++;
}

static bool is_loop(const KernelCmd *command)
{
    return command->kind == KERNEL_FOR || command->kind == KERNEL_WHILE;
}

/* Of what is not the loop's own: an accumulator is touched by one straight part alone, and what is
   stored is not read. */
static bool outside_is_steady(Strips *s, const KernelFreeVec *used)
{
    for (size_t i = 0; i < used->count; i++) {
        const StripVariable *known = strip_variable(s, used->items[i].variable);
        if (known->assigned && (known->elsewhere || known->part % 2 == 1)) {
            return false;
        }
        if (known->is_stored && known->is_loaded) {
            return false;
        }
    }
    return true;
}

enum { MOST_COMMANDS = 300 };

/* Whether the loop is to be cut; then all about it is in `s`. */
static bool study(Strips *s, const KernelCmd *loop)
{
    bool has_loop = false;
    for (size_t i = 0; i < loop->body.count && !has_loop; i++) {
        has_loop = is_loop(loop->body.commands[i]);
    }
    if (!has_loop || loop->kind != KERNEL_FOR || loop->level != KERNEL_SEQ ||
        (loop->count->kind == KERNEL_CONSTANT && loop->count->as.constant.as.integer < LANES)) {
        return false;
    }
    Strips old = *s;
    *s = (Strips){.c = old.c, .aliased = old.aliased, .budget = MOST_COMMANDS, .all_short = true};
    strip_variable(s, loop->variable)->is_inside = true;
    for (size_t i = 0; i < loop->body.count && !s->fails; i++) {
        const KernelCmd *command = loop->body.commands[i];
        if (is_loop(command)) {
            look_loop(s, command);
        } else {
            look_command(s, command, true);
        }
    }
    if (s->fails || s->all_short) { /* those are written out inside vectors of the outer one */
        return false;
    }
    KernelFreeVec used = kernel_free(s->c, (KernelBlock){1, &loop});
    return outside_is_steady(s, &used);
}

/* ---- the program --------------------------------------------------------------------------- */

static bool put(void *context, KernelBuilder *b, const KernelCmd *command)
{
    Strips *s = context;
    bool found = study(s, command);
    if (found) {
        strip_loop(s, b, command);
    }
    return found;
}

void strip_find_aliased(Compilation *c, PointerMap *aliased, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_ALIAS) {
            pointer_map_set(c->arena, aliased, command->variable, c);
            pointer_map_set(c->arena, aliased, command->source, c);
        }
        strip_find_aliased(c, aliased, command->body);
        strip_find_aliased(c, aliased, command->otherwise);
    }
}

KernelProgram *kernel_cut_strips(Compilation *c, const KernelProgram *program)
{
    KernelBlock *bodies = ARENA_ARRAY(c->arena, KernelBlock, program->body_count);
    for (size_t i = 0; i < program->body_count; i++) {
        Strips s = {.c = c};
        KernelRewrite rewrite = {.c = c, .context = &s, .put = put};
        strip_find_aliased(c, &s.aliased, program->entries[i].body);
        bodies[i] = kernel_rewrite(&rewrite, program->entries[i].body);
    }
    return kernel_with_bodies(c, program, bodies);
}
