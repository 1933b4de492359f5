/* Races: in every parallel loop of a kernel program an iteration writes only through its own
   acceptor, [DPIA 3.3 and 4]'s condition that makes `parfor` deterministic.

       grid map (g < n) { b[g] = ... }              distinct places: g says which
       grid map (g < n) { b[g / 2] = ... }          iterations 0 and 1 both write b[0]
       group (g < n) { local (l < 256) { x[l] = ... }
                       local (l < 256) { ... x[l + 1] ... } }         no barrier in between

   [DPIA] has acceptors as values, and its type system sees that they are split; here they have
   become index arithmetic. Of that it is proven, for all sizes and all data, that two work-items
   that touch one element, one of them writing, are one after the other by a barrier, by ARRIVE, or
   by being atomic (prove.c). A kernel of which that is proven is done.

   Others (none of the tests' programs, few of random ones) are tried by cases: the index arithmetic, and nothing else, runs at a choice of small
   sizes, for all work-items, and for each element it is kept who has touched it (trial.c, shadow.c).
   What data say is not known, and may be anything: an index from data is only good within what the
   rest of the index makes the work-item's own, or in a scatter, whose contract is that it does not
   matter which row stays. Sizes are chosen to reach what index arithmetic has to tell apart: one row
   and several, groups that are full and not, several groups, odd extents. Index arithmetic is made
   of sums, products, quotients and remainders of few numbers; a mistake shows at small sizes already.
   Only such a case is reported as a race: what is not proven may be right.

   Buffers that may be the same memory are taken for the same: an ALIAS makes them so until one of
   them is made anew. */
#include "backend/race/prove.h"

/* ---- what may be the same memory ------------------------------------------------------------- */

static void forget_aliases(Race *race, const KernelVariable *buffer)
{
    size_t count = 0;
    for (size_t i = 0; i < race->aliases.count; i++) {
        RacePair pair = race->aliases.items[i];
        if (pair.x != buffer && pair.y != buffer) {
            race->aliases.items[count++] = pair;
        }
    }
    race->aliases.count = count;
}

static void add_alias(Race *race, const KernelVariable *x, const KernelVariable *y)
{
    for (size_t i = 0; i < race->aliases.count; i++) {
        RacePair pair = race->aliases.items[i];
        if ((pair.x == x && pair.y == y) || (pair.x == y && pair.y == x)) {
            return;
        }
    }
    if (x != y) {
        vec_push(race->c->arena, &race->aliases, ((RacePair){x, y}));
    }
}

static void make_alias(Race *race, const KernelVariable *buffer, const KernelVariable *source)
{
    if (buffer == source) {
        return;
    }
    forget_aliases(race, buffer);
    size_t count = race->aliases.count;
    for (size_t i = 0; i < count; i++) {
        RacePair pair = race->aliases.items[i];
        if (pair.x == source || pair.y == source) {
            add_alias(race, buffer, pair.x == source ? pair.y : pair.x);
        }
    }
    add_alias(race, buffer, source);
}

/* ---- one kernel ------------------------------------------------------------------------------ */

static void note_written(RaceTrial *trial, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_STORE || command->kind == KERNEL_ATOMIC) {
            trial->written[trial->representative[command->variable->number]] = true;
        } else if (command->kind == KERNEL_EXCHANGE || command->kind == KERNEL_RETRY) {
            trial->written[trial->representative[command->source->number]] = true;
        } else if (command->kind == KERNEL_SWAP) {
            trial->written[command->variable->number] = true;
            trial->written[command->source->number] = true;
        }
        note_written(trial, command->body);
        note_written(trial, command->otherwise);
    }
}

/* Kernels for processors: their groups are of one work-item. */
static bool locals_are_single(KernelBlock block)
{
    bool single = true;
    for (size_t i = 0; i < block.count && single; i++) {
        const KernelCmd *command = block.commands[i];
        single = (command->kind != KERNEL_FOR || command->level != KERNEL_LOCAL_LOOP ||
                  kernel_is_i64(command->count, 1)) &&
                 locals_are_single(command->body) && locals_are_single(command->otherwise);
    }
    return single;
}

void race_find_representatives(RaceTrial *trial)
{
    const Race *race = trial->race;
    for (size_t i = 0; i <= race->program->variable_count; i++) {
        trial->representative[i] = (unsigned)i;
    }
    for (size_t i = 0; i < race->aliases.count; i++) {
        RacePair pair = race->aliases.items[i];
        unsigned x = trial->representative[pair.x->number];
        unsigned y = trial->representative[pair.y->number];
        /* by SWAP's contract it is nobody else's memory, though the host has had names for it */
        if (trial->swaps && (kernel_swaps(trial->kernel->body, pair.x) ||
                             kernel_swaps(trial->kernel->body, pair.y))) {
            continue;
        }
        for (size_t k = 0; x != y && k <= race->program->variable_count; k++) {
            trial->representative[k] = trial->representative[k] == y ? x : trial->representative[k];
        }
    }
}

static void check_kernel(Race *race, RaceTrial *trial, const KernelCmd *kernel)
{
    enum { TRIALS = 16, ENOUGH = 6, MANY_GROUPS = 2 };
    unsigned good = 0, many = 0; /* trials; those of several groups */
    bool one_group = kernel->level == KERNEL_GRID || kernel->count->kind == KERNEL_CONSTANT;
    memset(trial->written, 0, race->program->variable_count + 1);
    trial->kernel = kernel;
    trial->swaps = kernel_has(kernel->body, KERNEL_SWAP);
    trial->one_item = kernel->groups != NULL && locals_are_single(kernel->body);
    trial->bases.count = 0;
    race_find_representatives(trial);
    note_written(trial, kernel->body);
    if (race->ways & RACE_BY_PROOF) {
        KernelProof proof = {kernel, race_prove(race, trial, kernel)};
        vec_push(race->c->arena, &race->proofs, proof);
        if (!proof.open) {
            return;
        }
    }
    if (!(race->ways & RACE_BY_CASES)) {
        return;
    }
    for (unsigned i = 0; i < 2 * TRIALS && !race->found; i++) {
        bool enough = good >= ENOUGH && (one_group || many >= MANY_GROUPS);
        if (enough || (i >= TRIALS && good > 0)) {
            break;
        }
        trial->number = i % TRIALS;
        trial->obeys_host = i < TRIALS;
        bool tried = race_try(trial);
        good += tried;
        many += tried && trial->groups > 1;
    }
}

/* ---- the host -------------------------------------------------------------------------------- */

static void walk(Race *race, RaceTrial *trial, KernelBlock block, bool check);

/* Loops are walked until no more aliases come to their beginning. */
static void walk_loop(Race *race, RaceTrial *trial, KernelBlock body, bool check)
{
    enum { MOST_ROUNDS = 4 };
    size_t before = SIZE_MAX;
    for (int round = 0; round < MOST_ROUNDS && before != race->aliases.count; round++) {
        before = race->aliases.count;
        VEC(RacePair) entry = {0};
        for (size_t i = 0; i < before; i++) {
            vec_push(race->c->arena, &entry, race->aliases.items[i]);
        }
        walk(race, trial, body, false);
        for (size_t i = 0; i < entry.count; i++) {
            add_alias(race, entry.items[i].x, entry.items[i].y);
        }
    }
    if (check) {
        walk(race, trial, body, true);
    }
}

static void guard(Race *race, CoreOperator op, const KernelExp *x, const KernelExp *y)
{
    vec_push(race->c->arena, &race->guards, ((RaceGuard){kernel_binary(race->c, op, x, y), true}));
}

/* In its body there is an iteration, of which the index tells. */
static void walk_counted(Race *race, RaceTrial *trial, const KernelCmd *command, bool check)
{
    const KernelExp *count = command->count;
    size_t guards = race->guards.count;
    bool stays =
        count->kind == KERNEL_CONSTANT ||
        (count->kind == KERNEL_VARIABLE && !race->definitions[count->as.variable->number].assigned);
    guard(race, CORE_GE, count, kernel_i64(race->c, 1));
    if (stays && command->level == KERNEL_SEQ && command->variable != NULL) {
        guard(race, CORE_GE, kernel_use(race->c, command->variable), kernel_i64(race->c, 0));
        guard(race, CORE_LT, kernel_use(race->c, command->variable), count);
    }
    walk_loop(race, trial, command->body, check);
    race->guards.count = guards;
}

static void walk_if(Race *race, RaceTrial *trial, const KernelCmd *command, bool check)
{
    VEC(RacePair) entry = {0}, first = {0};
    for (size_t i = 0; i < race->aliases.count; i++) {
        vec_push(race->c->arena, &entry, race->aliases.items[i]);
    }
    vec_push(race->c->arena, &race->guards, ((RaceGuard){command->value, true}));
    walk(race, trial, command->body, check);
    for (size_t i = 0; i < race->aliases.count; i++) {
        vec_push(race->c->arena, &first, race->aliases.items[i]);
    }
    race->aliases.count = 0;
    for (size_t i = 0; i < entry.count; i++) {
        add_alias(race, entry.items[i].x, entry.items[i].y);
    }
    race->guards.items[race->guards.count - 1].holds = false;
    walk(race, trial, command->otherwise, check);
    race->guards.count--;
    for (size_t i = 0; i < first.count; i++) {
        add_alias(race, first.items[i].x, first.items[i].y);
    }
}

static void walk_command(Race *race, RaceTrial *trial, const KernelCmd *command, bool check)
{
    bool kernel = command->kind == KERNEL_FOR &&
                  (command->level == KERNEL_GRID || command->level == KERNEL_GROUP);
    if (kernel) {
        if (check) {
            check_kernel(race, trial, command);
        }
        if (check && command->on_processor != NULL && !race->found) {
            check_kernel(race, trial, command->on_processor);
        }
        return;
    }
    switch (command->kind) {
    case KERNEL_ALLOCATE:
    case KERNEL_CONSTANTS:
    case KERNEL_RELEASE: forget_aliases(race, command->variable); return;
    case KERNEL_EFFECT:
        if (command->effect.variable) {
            forget_aliases(race, command->effect.variable);
        }
        return;
    case KERNEL_CALL:
        for (size_t i = 0; i < command->payload_count; i++) {
            forget_aliases(race, command->payload[i]);
        }
        return;
    case KERNEL_ALIAS: make_alias(race, command->variable, command->source); return;
    case KERNEL_FOR: walk_counted(race, trial, command, check); return;
    case KERNEL_WHILE: walk_loop(race, trial, command->body, check); return;
    case KERNEL_IF: walk_if(race, trial, command, check); return;
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
    case KERNEL_RESERVE:
    case KERNEL_AHEAD:
    case KERNEL_COMMENT: return;
    }
}

static void walk(Race *race, RaceTrial *trial, KernelBlock block, bool check)
{
    size_t checks = race->checks.count;
    for (size_t i = 0; i < block.count && !race->found; i++) {
        const KernelCmd *command = block.commands[i];
        walk_command(race, trial, command, check);
        if (command->kind == KERNEL_CHECK && command->value->kind == KERNEL_VARIABLE) {
            vec_push(race->c->arena, &race->checks, command);
        }
    }
    race->checks.count = checks;
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Scalars that are given are extents of arrays that are. */
static void note_extents(Race *race, const KernelEntry *entry)
{
    const CoreEntry *interface = entry->interface;
    for (size_t i = 0; i < entry->body.count; i++) {
        const KernelEffect *effect = &entry->body.commands[i]->effect;
        if (entry->body.commands[i]->kind != KERNEL_EFFECT || effect->kind != KERNEL_PARAMETER ||
            !effect->result) {
            continue;
        }
        for (size_t k = 0; k < interface->parameter_count; k++) {
            const CoreEntryParameter *array = &interface->parameters[k];
            for (int axis = 0; axis < array->rank; axis++) {
                if (array->extents[axis].parameter == (int)effect->number) {
                    race->definitions[effect->result->number].is_extent = true;
                }
            }
        }
    }
}

/* So are those that a file's array is read with. */
static void note_effect(Race *race, const KernelEffect *effect)
{
    if (effect->kind == KERNEL_DEVICE) {
        race->definitions[effect->result->number].device = effect->name;
    }
    for (int axis = 0; effect->kind == KERNEL_READ && axis < effect->rank; axis++) {
        race->definitions[effect->extents[axis]->number].is_extent = true;
    }
}

static void note_change(Race *race, const KernelVariable *variable, unsigned time)
{
    vec_push(race->c->arena, &race->definitions[variable->number].changes, time);
}

/* What a loop of the host assigns is another value in each iteration, and behind it. */
static void note_loop(Race *race, size_t first_change, unsigned begin)
{
    race->time++;
    for (size_t i = first_change; i < race->changed.count; i++) {
        note_change(race, race->changed.items[i], begin);
        note_change(race, race->changed.items[i], race->time);
    }
}

bool race_is_unchanged(const Race *race, const KernelVariable *variable, unsigned since,
                       const KernelCmd *kernel)
{
    unsigned now = (unsigned)(uintptr_t)pointer_map_get(&race->times, kernel);
    const RaceDefinition *definition = &race->definitions[variable->number];
    for (size_t i = 0; i < definition->changes.count; i++) {
        if (since <= definition->changes.items[i] && definition->changes.items[i] <= now) {
            return false;
        }
    }
    return true;
}

static bool note_definitions(Race *race, KernelBlock block)
{
    bool parallel = false;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        unsigned begin = ++race->time;
        size_t changes = race->changed.count;
        pointer_map_set(race->c->arena, &race->times, command, (void *)(uintptr_t)begin);
        if (command->kind == KERNEL_DECLARE && command->variable->space == KERNEL_SCALAR) {
            race->definitions[command->variable->number].value = command->value;
            race->definitions[command->variable->number].declarations++;
            race->definitions[command->variable->number].time = begin;
        } else if (command->kind == KERNEL_EFFECT) {
            note_effect(race, &command->effect);
        } else if (command->kind == KERNEL_ALLOCATE || command->kind == KERNEL_ALIAS ||
                   command->kind == KERNEL_DECLARE) {
            RaceDefinition *buffer = &race->definitions[command->variable->number];
            buffer->count = buffer->makers++ == 0 ? command->count : NULL;
        } else if (command->kind == KERNEL_ASSIGN || command->kind == KERNEL_EXCHANGE) {
            race->definitions[command->variable->number].assigned = true;
            note_change(race, command->variable, begin);
            vec_push(race->c->arena, &race->changed, command->variable);
        }
        if (command->kind == KERNEL_FOR && command->on_processor != NULL) {
            pointer_map_set(race->c->arena, &race->times, command->on_processor,
                            (void *)(uintptr_t)begin);
            note_definitions(race, command->on_processor->body);
        }
        bool inner = note_definitions(race, command->body);
        bool other = note_definitions(race, command->otherwise);
        if (command->kind == KERNEL_FOR || command->kind == KERNEL_WHILE) {
            note_loop(race, changes, begin);
        }
        parallel = parallel || inner || other ||
                   (command->kind == KERNEL_FOR && command->level != KERNEL_SEQ);
    }
    return parallel;
}

/* Looks for races in every kernel. */
static void look(Race *race, const KernelProgram *program)
{
    Arena *arena = race->c->arena;
    size_t count = program->variable_count + 1;
    bool parallel = false;
    race->definitions = ARENA_ARRAY(arena, RaceDefinition, count);
    race->meanings = ARENA_ARRAY(arena, RaceMeaning, count);
    race->shadow.c = race->c;
    for (size_t i = 0; i < program->body_count; i++) {
        bool entry = note_definitions(race, program->entries[i].body);
        parallel = parallel || entry;
        if (program->entries[i].interface) {
            note_extents(race, &program->entries[i]);
        }
    }
    if (!parallel) {
        return;
    }
    RaceTrial trial = {.race = race};
    trial.values = ARENA_ARRAY(arena, RaceValue, count);
    trial.set = ARENA_ARRAY(arena, unsigned, count);
    trial.representative = ARENA_ARRAY(arena, unsigned, count);
    trial.written = ARENA_ARRAY(arena, bool, count);
    trial.told = ARENA_ARRAY(arena, unsigned, count);
    for (size_t i = 0; i < program->body_count && !race->found; i++) {
        walk(race, &trial, program->entries[i].body, true);
    }
}

const char *race_find_by_cases(Compilation *c, const KernelProgram *program)
{
    Race race = {.c = c, .program = program, .ways = RACE_BY_CASES};
    look(&race, program);
    return race.found;
}

const char *kernel_find_race(Compilation *c, const KernelProgram *program, KernelProofVec *proofs)
{
    Race race = {.c = c, .program = program, .ways = RACE_BY_PROOF | RACE_BY_CASES};
    look(&race, program);
    if (proofs) {
        *proofs = race.proofs;
    }
    return race.found;
}

KernelProofVec kernel_prove_order(Compilation *c, const KernelProgram *program)
{
    Race race = {.c = c, .program = program, .ways = RACE_BY_PROOF};
    look(&race, program);
    return race.proofs;
}
