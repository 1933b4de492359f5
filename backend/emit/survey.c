/* One walk over a kernel program before it is printed: which scalars are assigned again (the rest
   print as const), which buffers may be the same memory (the rest print as restrict), where host
   buffers are declared, and what the file's tables and the device must provide.

       alloc x; alloc y; loop { alias p = x; ... }      classes {x, p} {y}: y is restrict beside x

   Two buffers are the same memory only by KERNEL_ALIAS, since every other maker gives fresh memory.
 */
#include "backend/emit/emit.h"

typedef struct Walk {
    Compilation *c;
    EmitSurvey *survey;
    bool in_kernel;
    size_t *mentions; /* of each variable; of those, how many need it on the host alone: */
    size_t *on_host;
    VEC(const KernelCmd *) constants;
} Walk;

static unsigned class_of(const EmitSurvey *survey, unsigned number)
{
    while (survey->alias[number] != number)
        number = survey->alias[number];
    return number;
}

unsigned emit_alias_class(const EmitSurvey *survey, const KernelVariable *buffer)
{
    return class_of(survey, buffer->number);
}

bool emit_is_changed(const EmitSurvey *survey, const KernelVariable *buffer)
{
    return survey->changed[emit_alias_class(survey, buffer)];
}

/* How many commands back an allocation is looked for. */
enum { MOST_LOOKED = 64 };

static bool aliases(const KernelCmd *command, const KernelVariable *buffer)
{
    if (command->kind == KERNEL_ALIAS &&
        (command->source == buffer || command->variable == buffer)) {
        return true;
    }
    for (size_t i = 0; i < command->body.count; i++) {
        if (aliases(command->body.commands[i], buffer))
            return true;
    }
    for (size_t i = 0; i < command->otherwise.count; i++) {
        if (aliases(command->otherwise.commands[i], buffer))
            return true;
    }
    return false;
}

bool emit_is_fresh(const Emit *e, const KernelVariable *buffer)
{
    size_t looked = 0;
    for (const EmitPrinted *printed = e->printed; printed; printed = printed->outer) {
        for (size_t i = printed->at; i-- > 0 && looked < MOST_LOOKED; looked++) {
            const KernelCmd *command = printed->block.commands[i];
            if (command->kind == KERNEL_ALLOCATE && command->variable == buffer)
                return true;
            if (aliases(command, buffer))
                return false;
        }
        const EmitPrinted *outer = printed->outer;
        const KernelCmd *around = outer ? outer->block.commands[outer->at] : NULL;
        if (looked == MOST_LOOKED ||
            (around && around->kind != KERNEL_IF && aliases(around, buffer)))
            return false; /* perhaps in the iteration before */
    }
    return false;
}

bool emit_is_alone(const Emit *e, const KernelFreeVec *used, const KernelFree *item)
{
    const bool is_fresh = emit_is_fresh(e, item->variable);
    for (size_t i = 0; i < used->count; i++) {
        const KernelFree *other = &used->items[i];
        if (other->variable == item->variable || other->variable->space == KERNEL_SCALAR)
            continue;
        if (!other->written && !item->written)
            continue;
        if (is_fresh || emit_is_fresh(e, other->variable))
            continue;
        if (emit_alias_class(&e->survey, other->variable) ==
            emit_alias_class(&e->survey, item->variable)) {
            return false;
        }
    }
    return true;
}

void emit_each_exp(const KernelCmd *command, void (*visit)(void *context, const KernelExp *exp),
                   void *context)
{
    const KernelExp *own[] = {command->value,       command->index,        command->source_index,
                              command->count,       command->effect.value, command->effect.second,
                              command->effect.start};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (own[i])
            visit(context, own[i]);
    }
    for (size_t i = 0; i < command->value_count; i++)
        visit(context, command->values[i]);
    if (command->kind != KERNEL_EFFECT || !command->effect.shape)
        return;
    for (int i = 0; i < command->effect.rank; i++)
        visit(context, command->effect.shape[i]);
}

bool emit_is_host_only(const KernelCmd *command)
{
    switch (command->kind) {
    case KERNEL_ALLOCATE:
    case KERNEL_ALIAS:
    case KERNEL_RELEASE:
    case KERNEL_CONSTANTS:
    case KERNEL_RESERVE:
    case KERNEL_CALL:
    case KERNEL_AHEAD:
    case KERNEL_EFFECT: return true;
    case KERNEL_FOR:
    case KERNEL_WHILE:
    case KERNEL_RETRY:
    case KERNEL_IF: break;
    case KERNEL_DECLARE:
    case KERNEL_ASSIGN:
    case KERNEL_STORE:
    case KERNEL_ATOMIC:
    case KERNEL_EXCHANGE:
    case KERNEL_COPY:
    case KERNEL_BARRIER:
    case KERNEL_ARRIVE:
    case KERNEL_TICKET:
    case KERNEL_PUBLISH:
    case KERNEL_AWAIT:
    case KERNEL_MEET:
    case KERNEL_SWAP:
    case KERNEL_CHECK:
    case KERNEL_COMMENT: return false;
    }
    for (size_t i = 0; i < command->body.count; i++) {
        if (emit_is_host_only(command->body.commands[i]))
            return true;
    }
    for (size_t i = 0; i < command->otherwise.count; i++) {
        if (emit_is_host_only(command->otherwise.commands[i]))
            return true;
    }
    return false;
}

bool emit_has_arrival(KernelBlock block)
{
    return kernel_has(block, KERNEL_ARRIVE) || kernel_has(block, KERNEL_MEET);
}

size_t emit_status_words(KernelBlock block)
{
    size_t words = 0;
    for (size_t i = 0; i < block.count && words == 0; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_PUBLISH) {
            for (size_t k = 0; k < command->value_count; k++) {
                CorePrim prim = command->values[k]->prim;
                words += prim == CORE_I64 || prim == CORE_F64 ? 2 : 1;
            }
            return words;
        }
        words = emit_status_words(command->body);
        words = words ? words : emit_status_words(command->otherwise);
    }
    return words;
}

size_t emit_group_words(KernelBlock block)
{
    size_t statuses = 1;
    for (size_t i = 0; i < block.count; i++) {
        if (block.commands[i]->kind == KERNEL_TICKET) {
            statuses = block.commands[i]->statuses;
        }
    }
    return statuses * emit_status_words(block);
}

/* ---- what is mentioned ---------------------------------------------------------------------- */

static void saw_prim(Walk *walk, CorePrim prim)
{
    if (!walk->in_kernel)
        return;
    if (prim == CORE_F64)
        walk->survey->device_f64 = true;
    if (prim == CORE_F32)
        walk->survey->device_f32 = true;
}

static void saw_variable(Walk *walk, KernelVariable *variable)
{
    if (!variable)
        return;
    saw_prim(walk, variable->prim);
    walk->mentions[variable->number]++;
    if (walk->survey->seen[variable->number])
        return;
    walk->survey->seen[variable->number] = true;
    if (variable->space == KERNEL_GLOBAL) {
        vec_push(walk->c->arena, &walk->survey->host_buffers, variable);
    }
}

static void saw_exp(void *context, const KernelExp *exp)
{
    Walk *walk = context;
    saw_prim(walk, exp->prim);
    if (exp->kind == KERNEL_VARIABLE) {
        saw_variable(walk, exp->as.variable);
    } else if (exp->kind == KERNEL_LOAD) {
        saw_variable(walk, exp->as.load.buffer);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        saw_exp(walk, operands[k]);
    }
}

static void saw_effect(Walk *walk, const KernelCmd *command)
{
    const KernelEffect *effect = &command->effect;
    EmitSurvey *survey = walk->survey;
    saw_variable(walk, effect->variable);
    saw_variable(walk, effect->source);
    saw_variable(walk, effect->fields);
    saw_variable(walk, effect->result);
    if (effect->result)
        survey->assigned[effect->result->number] = true;
    switch (effect->kind) {
    case KERNEL_READ:
        walk->on_host[effect->source->number]++;
        for (int k = 0; k < effect->rank; k++) {
            saw_variable(walk, effect->extents[k]);
            survey->assigned[effect->extents[k]->number] = true;
        }
        break;
    case KERNEL_ARGUMENT:
        for (size_t i = 0; i < survey->arguments.count; i++) {
            if (strcmp(survey->arguments.items[i], effect->name) == 0)
                return;
        }
        vec_push(walk->c->arena, &survey->arguments, effect->name);
        break;
    case KERNEL_FORMAT:
    case KERNEL_PARAMETER:
    case KERNEL_PRINT:
    case KERNEL_RESULT:
    case KERNEL_NOW:
    case KERNEL_DRAWS:
    case KERNEL_SEED:
    case KERNEL_SEED_NOW:
    case KERNEL_PRECISION:
    case KERNEL_PRECISION_NOW:
    case KERNEL_DEVICE:
    case KERNEL_BENCH: break;
    }
}

static void saw_block(Walk *walk, KernelBlock block);

/* What the kind of a command says beyond the names it mentions. */
static void saw_kind(Walk *walk, const KernelCmd *command)
{
    EmitSurvey *survey = walk->survey;
    switch (command->kind) {
    case KERNEL_ASSIGN: survey->assigned[command->variable->number] = true; break;
    case KERNEL_CHECK:
        if (command->variable)
            survey->assigned[command->variable->number] = true;
        if (walk->in_kernel)
            survey->device_checks = true;
        break;
    case KERNEL_DECLARE:
        if (!command->value)
            survey->assigned[command->variable->number] = true;
        break;
    case KERNEL_ALIAS:
        survey->alias[emit_alias_class(survey, command->variable)] =
            emit_alias_class(survey, command->source);
        break;
    case KERNEL_ATOMIC:
        survey->changed[command->variable->number] = true;
        if (walk->in_kernel &&
            (command->variable->prim == CORE_I64 || command->variable->prim == CORE_F64)) {
            survey->device_i64_atomics = true;
        }
        break;
    case KERNEL_EXCHANGE:
    case KERNEL_RETRY:
        survey->assigned[command->variable->number] |= command->kind == KERNEL_EXCHANGE;
        survey->changed[command->source->number] = true;
        if (command->source->prim == CORE_I64 || command->source->prim == CORE_F64)
            survey->device_i64_atomics = true;
        break;
    case KERNEL_AHEAD:
        for (size_t k = 0; k < command->payload_count; k++)
            survey->assigned[command->payload[k]->number] = true;
        break;
    case KERNEL_EFFECT: saw_effect(walk, command); break;
    case KERNEL_CONSTANTS:
        walk->on_host[command->variable->number]++;
        vec_push(walk->c->arena, &walk->constants, command);
        break;
    case KERNEL_RELEASE: walk->on_host[command->variable->number]++; break;
    case KERNEL_SWAP:
        survey->changed[command->source->number] = true;
        survey->changed[command->variable->number] = true;
        break;
    case KERNEL_STORE:
    case KERNEL_COPY: survey->changed[command->variable->number] = true; break;
    case KERNEL_ALLOCATE:
    case KERNEL_RESERVE:
    case KERNEL_FOR:
    case KERNEL_WHILE:
    case KERNEL_IF:
    case KERNEL_BARRIER:
    case KERNEL_ARRIVE:
    case KERNEL_TICKET:
    case KERNEL_PUBLISH:
    case KERNEL_AWAIT:
    case KERNEL_MEET:
    case KERNEL_CALL:
    case KERNEL_COMMENT: break;
    }
}

bool emit_asks_memory(const KernelCmd *command)
{
    switch (command->kind) {
    case KERNEL_ALLOCATE:
    case KERNEL_CONSTANTS: return true;
    case KERNEL_FOR: return command->level == KERNEL_GRID || command->level == KERNEL_GROUP;
    case KERNEL_EFFECT: return command->effect.source || command->effect.variable;
    case KERNEL_DECLARE:
    case KERNEL_ALIAS:
    case KERNEL_RELEASE:
    case KERNEL_RESERVE:
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
    case KERNEL_CALL:
    case KERNEL_AHEAD:
    case KERNEL_COMMENT: return false;
    }
    return false;
}

static void saw_place(Walk *walk, const KernelCmd *command)
{
    EmitSurvey *survey = walk->survey;
    size_t count = survey->places.count;
    if (emit_asks_memory(command) &&
        (count == 0 || !span_is_same(survey->places.items[count - 1], command->span))) {
        vec_push(walk->c->arena, &survey->places, command->span);
    }
}

static void saw_command(Walk *walk, const KernelCmd *command)
{
    bool enters = command->kind == KERNEL_FOR &&
                  (command->level == KERNEL_GRID || command->level == KERNEL_GROUP);
    bool outside = walk->in_kernel;
    emit_each_exp(command, saw_exp, walk);
    if (!walk->in_kernel)
        saw_place(walk, command);
    walk->in_kernel |= enters;
    saw_variable(walk, command->variable);
    saw_variable(walk, command->source);
    saw_variable(walk, command->ahead);
    for (size_t k = 0; k < command->source_count; k++)
        saw_variable(walk, command->sources[k]);
    for (size_t k = 0; k < command->payload_count; k++)
        saw_variable(walk, command->payload[k]);
    saw_kind(walk, command);
    saw_block(walk, command->body);
    saw_block(walk, command->otherwise);
    if (command->on_processor)
        saw_block(walk, command->on_processor->body);
    walk->in_kernel = outside;
}

static void saw_block(Walk *walk, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++)
        saw_command(walk, block.commands[i]);
}

/* The buffer that a command makes, if any. */
static KernelVariable *made_by(const KernelCmd *command)
{
    if (command->kind == KERNEL_EFFECT)
        return command->effect.variable;
    bool makes = command->kind == KERNEL_ALLOCATE || command->kind == KERNEL_ALIAS ||
                 command->kind == KERNEL_CONSTANTS;
    return makes ? command->variable : NULL;
}

/* Constants whose every mention is by the host, in the name of a file: they are no buffers. */
static void find_file_names(Walk *walk, size_t first)
{
    EmitSurvey *survey = walk->survey;
    for (size_t i = 0; i < walk->constants.count; i++) {
        const KernelCmd *command = walk->constants.items[i];
        size_t number = command->variable->number;
        if (walk->mentions[number] == walk->on_host[number]) {
            survey->file_names[number] = command;
        }
    }
    walk->constants.count = 0;
    size_t kept = first;
    for (size_t i = first; i < survey->host_buffers.count; i++) {
        KernelVariable *buffer = survey->host_buffers.items[i];
        if (survey->file_names[buffer->number] == NULL) {
            survey->host_buffers.items[kept++] = buffer;
        }
    }
    survey->host_buffers.count = kept;
}

/* Variables that a function is called through are the file's. */
static void saw_interface(Walk *walk, size_t count, KernelVariable *const *variables)
{
    for (size_t i = 0; i < count; i++) {
        walk->survey->seen[variables[i]->number] = true;
        walk->survey->assigned[variables[i]->number] = true;
    }
}

EmitSurvey emit_survey(Compilation *c, const KernelProgram *program)
{
    EmitSurvey survey = {0};
    size_t count = program->variable_count + 1;
    survey.assigned = ARENA_ARRAY(c->arena, bool, count);
    survey.in_place = ARENA_ARRAY(c->arena, bool, count);
    survey.seen = ARENA_ARRAY(c->arena, bool, count);
    survey.changed = ARENA_ARRAY(c->arena, bool, count);
    survey.once = ARENA_ARRAY(c->arena, bool, count);
    survey.alias = ARENA_ARRAY(c->arena, unsigned, count);
    for (size_t i = 0; i < count; i++)
        survey.alias[i] = (unsigned)i;
    survey.first_buffers = ARENA_ARRAY(c->arena, size_t, program->body_count + 1);
    survey.file_names = ARENA_ARRAY(c->arena, const KernelCmd *, count);
    Walk walk = {.c = c, .survey = &survey};
    walk.mentions = ARENA_ARRAY(c->arena, size_t, count);
    walk.on_host = ARENA_ARRAY(c->arena, size_t, count);
    for (size_t i = program->entry_count; i < program->body_count; i++) {
        const KernelEntry *function = &program->entries[i];
        saw_interface(&walk, function->parameter_count, function->parameters);
        saw_interface(&walk, function->result_count, function->results);
    }
    for (size_t i = 0; i < program->body_count; i++) {
        KernelBlock body = program->entries[i].body;
        for (size_t k = 0; k < body.count; k++) {
            const KernelVariable *made = made_by(body.commands[k]);
            if (made && !survey.seen[made->number])
                survey.in_place[made->number] = true;
            saw_command(&walk, body.commands[k]);
        }
        find_file_names(&walk, survey.first_buffers[i]);
        survey.first_buffers[i + 1] = survey.host_buffers.count;
    }
    for (size_t i = 0; i < count; i++) {
        survey.once[i] = walk.mentions[i] == 1;
        survey.changed[class_of(&survey, (unsigned)i)] |= survey.changed[i];
    }
    return survey;
}

static bool is_declared_in(KernelBlock block, const KernelVariable *variable)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (((command->kind == KERNEL_DECLARE || command->kind == KERNEL_FOR) &&
             command->variable == variable) ||
            is_declared_in(command->body, variable) ||
            is_declared_in(command->otherwise, variable)) {
            return true;
        }
    }
    return false;
}

bool emit_is_fixed(const Emit *e, const KernelCmd *loop, const KernelExp *exp)
{
    return exp->kind == KERNEL_CONSTANT ||
           (exp->kind == KERNEL_VARIABLE && exp->as.variable != loop->variable &&
            !e->survey.assigned[exp->as.variable->number] &&
            !is_declared_in(loop->body, exp->as.variable));
}
