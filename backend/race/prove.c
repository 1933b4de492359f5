/* That no two work-items of a kernel are in a race, whatever the sizes and the data: [DPIA 3.3]'s
   condition on `parfor`, proven of the index arithmetic that acceptors have become.

       grid map_b (g < n * m) { b[g / m * m + g % m] = ... }

   Each access to a buffer that the kernel writes is a polynomial, with what is known where it is
   made (meaning.c). Of each two accesses to one memory, one of them a write, by P and Q with nothing
   that separates them, it is shown that they are to different elements where P and Q are different
   (digits.c, bounds.c). What separates accesses, and which rules need no index:

   - work-items of one group: a BARRIER, ARRIVE, TICKET or MEET between them. A loop of the group's
     around such a command is walked twice, so that each iteration meets the one before it; in other
     loops of the group's any iteration meets any other;
   - groups: a MEET between them; or (ARRIVE) one of them is the last of all groups to come to where
     the other has been after its access, or of those groups that come there with the same index;
   - branches of one condition, or of two that contradict each other, where it is the same for all: only one of them
     runs (branches.c);
   - a processor's groups, of which each has a piece of a buffer: it stays in that;
   - atomic updates: they may meet each other;
   - a scatter's stores: by its contract any of the rows stays, so that they may meet each other;
   - look-back: what groups PUBLISH and AWAIT is not in buffers, and is the runtime's to get right;
     a TICKET's number is no other group's.

   The walk gives up at what no rule here speaks of. What is not proven is run by cases (trial.c). */
#include "backend/race/prove.h"

enum { MOST_QUESTIONS = 4000 };

void race_give_up(RaceProof *proof, const char *why)
{
    proof->open = proof->open ? proof->open : why;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool may_meet(RaceKind a, RaceKind b)
{
    return a == b && a != RACE_WRITE;
}

// the one has passed ARRIVE last of all groups, the other had made its access before it arrived
static bool is_after_arrival(const RaceAccess *last, const RaceAccess *other, unsigned *arrival)
{
    return race_is_last(last->facts, arrival) && other->arrivals < *arrival;
}

// both have been last of all groups to arrive: they are one group
static bool are_both_last(const RaceAccess *a, const RaceAccess *b, unsigned *arrival)
{
    unsigned other;
    return race_is_last(a->facts, arrival) && race_is_last(b->facts, &other) && *arrival == other;
}

static void require(RaceProof *proof, const RaceAccess *a, const RaceAccess *b, bool one_group)
{
    if (proof->open || a->memory != b->memory || may_meet(a->kind, b->kind)) {
        return;
    }
    unsigned arrival;
    RaceAtomNumber class = 0;
    if (!one_group && (is_after_arrival(a, b, &arrival) || is_after_arrival(b, a, &arrival) ||
                       are_both_last(a, b, &arrival))) {
        class = proof->classes.items[arrival - 1];
        if (class == 0) {
            return;
        }
    }
    if (++proof->questions > MOST_QUESTIONS) {
        race_give_up(proof, "it has too many accesses");
        return;
    }
    bool same = race_is_same(&a->index, &a->resolved) && race_is_same(&b->index, &b->resolved);
    if (!race_are_apart(proof, a, b, one_group, class, false) &&
        (same || !race_are_apart(proof, a, b, one_group, class, true)) &&
        !race_exclude_each_other(proof, a, b, one_group)) {
        Compilation *c = proof->race->c;
        race_give_up(proof, arena_printf(c->arena, "`%s` and `%s` of two %s",
                                         kernel_command_text(c, proof->race->program, a->command),
                                         kernel_command_text(c, proof->race->program, b->command),
                                         proof->kernel->level == KERNEL_GRID ? "iterations"
                                         : one_group ? "work-items of a group"
                                                     : "groups"));
    }
}

// the group's piece begins at group * piece, and what is added to that stays in it, as all indices stay in their arrays
static bool is_in_own_piece(RaceProof *proof, const KernelVariable *buffer,
                            const RaceAccess *access)
{
    RacePolynomial rest, start = race_alone(proof->group);
    if (buffer->piece == NULL || !proof->trial->one_item) {
        return false;
    }
    RacePolynomial piece = race_integer(proof, buffer->piece);
    if (!race_multiply(&start, &start, &piece) || !race_add(&rest, &access->index, -1, &start)) {
        return false;
    }
    for (unsigned i = 0; i < rest.count; i++) {
        if (race_mentions(&rest.terms[i], proof->group)) {
            return false;
        }
    }
    return true;
}

static void add_access(RaceProof *proof, const KernelVariable *buffer, const KernelExp *index,
                       RaceKind kind)
{
    unsigned memory = proof->trial->representative[buffer->number];
    if (proof->open || buffer->space == KERNEL_PRIVATE || !proof->trial->written[memory]) {
        return;
    }
    if (proof->exchanged && proof->loops == 0) {
        race_give_up(proof, "buffers are exchanged in a loop before");
    }
    RaceAccess *access = ARENA_NEW(proof->arena, RaceAccess);
    *access = (RaceAccess){
        .command = proof->at, .memory = memory, .kind = kind, .arrivals = proof->arrivals};
    access->index = race_resolved(proof, race_integer(proof, index), proof->path);
    access->resolved =
        race_put_together(proof, race_deeply_resolved(proof, access->index, proof->path));
    race_bound_choices(proof, &access->resolved);
    if (is_in_own_piece(proof, buffer, access)) {
        return;
    }
    access->facts = proof->path;
    access->knowledge = race_knowledge(proof, access->facts, &access->index, &access->resolved);
    if (proof->here != RACE_OF_ITEM && kind != RACE_READ && kind != RACE_ATOMIC) {
        race_give_up(proof, "each work-item of a group writes");
        return;
    }
    if (buffer->space == KERNEL_GLOBAL && proof->again == 0) {
        vec_push(proof->arena, &proof->all, access);
        for (size_t i = 0; i < proof->all.count; i++) {
            require(proof, proof->all.items[i], access, false);
        }
    }
    if (proof->kernel->level == KERNEL_GROUP && !proof->trial->one_item) {
        vec_push(proof->arena, &proof->own, access);
        for (size_t i = 0; i < proof->own.count; i++) {
            require(proof, proof->own.items[i], access, true);
        }
    }
}

/* Those that evaluating it makes. */
static void read_exp(RaceProof *proof, const KernelExp *exp)
{
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    if (exp->kind == KERNEL_SELECT) {
        const RaceFact *path = proof->path;
        read_exp(proof, exp->as.select.condition);
        const RaceCondition *condition = race_condition(proof, exp->as.select.condition);
        proof->path = race_join(proof, condition->yes, path);
        read_exp(proof, exp->as.select.x);
        proof->path = race_join(proof, condition->no, path);
        read_exp(proof, exp->as.select.y);
        proof->path = path;
        return;
    }
    size_t count = kernel_operands(exp, operands);
    for (size_t i = 0; i < count; i++) {
        read_exp(proof, operands[i]);
    }
    if (exp->kind == KERNEL_LOAD) {
        add_access(proof, exp->as.load.buffer, exp->as.load.index, RACE_READ);
    }
}

/* ---- commands -------------------------------------------------------------------------------- */

static void walk(RaceProof *proof, KernelBlock block);

static void walk_with(RaceProof *proof, KernelBlock block, const RaceFact *facts)
{
    const RaceFact *path = proof->path;
    proof->path = race_join(proof, facts, path);
    walk(proof, block);
    proof->path = path;
}

static bool has_phases(KernelBlock block)
{
    return kernel_has(block, KERNEL_BARRIER) || kernel_has(block, KERNEL_ARRIVE) ||
           kernel_has(block, KERNEL_TICKET) || kernel_has(block, KERNEL_MEET);
}

/* What it meant before is over. */
static RaceMeaning *forget(RaceProof *proof, const KernelVariable *variable)
{
    RaceMeaning *meaning = race_meaning(proof, variable);
    meaning->is_inside = true;
    meaning->value = NULL;
    meaning->condition = NULL;
    return meaning;
}

static void give(RaceProof *proof, const KernelVariable *variable, RacePolynomial value)
{
    forget(proof, variable)->value = race_keep(proof, value);
}

/* It has this value until it is assigned again. */
static void assign(RaceProof *proof, const KernelVariable *variable, const KernelExp *value)
{
    if (variable->prim == CORE_I64) {
        RacePolynomial p = race_integer(proof, value);
        give(proof, variable, race_resolved(proof, p, proof->path));
    } else if (variable->prim == CORE_BOOL) {
        const RaceCondition *condition = race_condition(proof, value);
        forget(proof, variable)->condition = condition;
    } else {
        forget(proof, variable);
    }
}

/* Whether the block has run, and how often, is not known. */
static void forget_assigned(RaceProof *proof, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_ASSIGN || command->kind == KERNEL_EXCHANGE ||
            (command->kind == KERNEL_CHECK && command->variable)) {
            forget(proof, command->variable);
        }
        forget_assigned(proof, command->body);
        forget_assigned(proof, command->otherwise);
    }
}

/* What is said of the command. */
static void assume(RaceProof *proof, const KernelCmd *command)
{
    for (size_t i = 0; i < command->assumed_count; i++) {
        const RaceCondition *condition = race_condition(proof, command->assumed[i]);
        proof->path = race_join(proof, condition->yes, proof->path);
    }
}

static void walk_assign(RaceProof *proof, const KernelCmd *command)
{
    const RaceFact *path = proof->path;
    assume(proof, command);
    read_exp(proof, command->value);
    proof->path = path;
    for (size_t i = 0; i < command->value_count; i++) {
        read_exp(proof, command->values[i]);
    }
    if (!command->variable) {
        return; /* a check nobody asks the outcome of */
    }
    if (!race_meaning(proof, command->variable)->is_inside) {
        race_give_up(proof, "a scalar of the host is assigned");
    }
    assign(proof, command->variable, command->value);
}

static void add_accesses(RaceProof *proof, RaceAccessVec *to, const RaceAccessVec *more)
{
    for (size_t i = 0; i < more->count; i++) {
        bool has = false;
        for (size_t k = 0; k < to->count && !has; k++) {
            has = to->items[k] == more->items[i];
        }
        if (!has) {
            vec_push(proof->arena, to, more->items[i]);
        }
    }
}

static RaceAccessVec copy_accesses(RaceProof *proof, const RaceAccessVec *accesses)
{
    RaceAccessVec copy = {0};
    for (size_t i = 0; i < accesses->count; i++) {
        vec_push(proof->arena, &copy, accesses->items[i]);
    }
    return copy;
}

/* A loop that goes once, or not at all. */
static bool walk_known(RaceProof *proof, const KernelCmd *command)
{
    int64_t known;
    RacePolynomial count = race_resolved(proof, race_integer(proof, command->count), proof->path);
    if (!race_is_number(&count, &known) || known > 1) {
        return false;
    }
    read_exp(proof, command->count);
    if (known == 1) {
        give(proof, command->variable, race_number(0));
        walk_with(proof, command->body, NULL);
    }
    return true;
}

/* `scope`: who is in one iteration. */
static void enter_loop(RaceProof *proof, const KernelVariable *variable, RacePolynomial count,
                       RaceScope scope)
{
    RacePolynomial number;
    if (!race_enter_share(proof, &count, scope, &number)) {
        RaceAtomNumber i =
            race_new_atom(proof, (RaceAtom){.kind = RACE_PLAIN, .natural = true, .scope = scope});
        race_enter_loop(proof, count, i);
        number = race_alone(i);
    }
    give(proof, variable, number);
}

static void walk_seq(RaceProof *proof, const KernelCmd *command)
{
    if (command->kind == KERNEL_FOR && walk_known(proof, command)) {
        return;
    }
    bool of_group = proof->here == RACE_OF_GROUP, phases = of_group && has_phases(command->body);
    bool meets = kernel_has(command->body, KERNEL_MEET);
    bool while_loop = command->kind == KERNEL_WHILE;
    RaceAccessVec own = copy_accesses(proof, &proof->own), all = copy_accesses(proof, &proof->all);
    unsigned loose = proof->loose;
    if (!while_loop) {
        read_exp(proof, command->count);
    }
    if (kernel_has(command->body, KERNEL_ARRIVE)) {
        proof->stale = proof->arrivals;
    }
    if (meets && (proof->loops > 0 || while_loop)) {
        race_give_up(proof, "groups meet in a loop of a loop");
    }
    proof->loops++;
    proof->loose += of_group && !phases;
    for (int round = 0; round < (phases ? 2 : 1); round++) {
        const RaceFact *path = proof->path;
        forget_assigned(proof, command->body);
        if (!while_loop) {
            RacePolynomial count = race_resolved(proof, race_integer(proof, command->count), path);
            enter_loop(proof, command->variable, count,
                       meets    ? RACE_ALL
                       : phases ? RACE_OF_GROUP
                                : RACE_OF_ITEM);
        }
        proof->again += round > 0 && !meets;
        walk(proof, command->body);
        proof->again -= round > 0 && !meets;
        proof->path = path;
        forget_assigned(proof, command->body);
    }
    proof->loops--;
    proof->loose = loose;
    if (phases) { /* there may be no iteration */
        add_accesses(proof, &proof->own, &own);
        add_accesses(proof, &proof->all, &all);
    }
}

static void walk_local(RaceProof *proof, const KernelCmd *command)
{
    RacePolynomial item = race_alone(proof->item);
    RaceScope here = proof->here;
    if (here == RACE_OF_ITEM) {
        race_give_up(proof, "a loop of work-items within one");
        return;
    }
    proof->here = RACE_OF_ITEM;
    give(proof, command->variable, item);
    RacePolynomial size = race_integer(proof, command->count);
    walk_with(proof, command->body, race_ordered(proof, &size, &item, 1, NULL));
    forget_assigned(proof, command->body);
    proof->here = here;
}

static void walk_if(RaceProof *proof, const KernelCmd *command)
{
    const RaceFact *path = proof->path;
    read_exp(proof, command->value);
    if (has_phases(command->body) || has_phases(command->otherwise)) {
        race_give_up(proof, "a barrier in a branch");
        return;
    }
    const RaceCondition *condition = race_condition(proof, command->value);
    walk_with(proof, command->body, condition->yes);
    forget_assigned(proof, command->body);
    walk_with(proof, command->otherwise, condition->no);
    forget_assigned(proof, command->otherwise);
    proof->path = path;
}

/* Groups come to ARRIVE with g / n, with the number g of the group, or all n of them with one index: then n groups
   come with each. The class is g / n, or 0 for all; false: it is something else. */
static bool find_class(RaceProof *proof, const KernelCmd *arrive, RaceAtomNumber *class)
{
    *class = 0;
    if (!arrive->index) {
        return true;
    }
    RacePolynomial index = race_integer(proof, arrive->index),
                   value = race_integer(proof, arrive->value),
                   groups = race_integer(proof, proof->kernel->count);
    int64_t number;
    index = race_resolved(proof, index, proof->path);
    value = race_resolved(proof, value, proof->path);
    groups = race_resolved(proof, groups, proof->path);
    if (race_is_number(&index, &number)) {
        return race_is_same(&value, &groups);
    }
    *class = race_only_atom(&index);
    const RaceAtom *atom = &proof->atoms.items[*class];
    return *class != 0 && atom->kind == RACE_QUOTIENT && race_only_atom(atom->x) == proof->group &&
           race_is_same(atom->y, &value);
}

/* In a loop it is not known who is last. */
static void walk_arrive(RaceProof *proof, const KernelCmd *command)
{
    RaceAtomNumber class;
    RaceMeaning *last = race_meaning(proof, command->variable);
    proof->own.count = 0;
    last->last = 0;
    if (proof->loops == 0 && !proof->trial->written[command->variable->number] &&
        find_class(proof, command, &class)) {
        last->last = (RaceAtomNumber)++proof->arrivals;
        vec_push(proof->arena, &proof->classes, class);
    }
}

static void walk_ticket(RaceProof *proof, const KernelCmd *command)
{
    RaceAtomNumber ticket = race_new_atom(
        proof, (RaceAtom){.kind = RACE_TICKET, .scope = RACE_OF_GROUP, .natural = true});
    RacePolynomial count = race_integer(proof, proof->kernel->count), number = race_alone(ticket);
    const RaceFact *facts = race_ordered(proof, &count, &number, 1, NULL);
    proof->atoms.items[ticket].facts = facts;
    proof->own.count = 0;
    race_meaning(proof, command->variable)->ticket = ticket;
    if (proof->loops > 0 || proof->trial->written[command->variable->number]) {
        race_give_up(proof, "a ticket in a loop");
    }
}

static bool is_in_use(const RaceProof *proof, unsigned x, unsigned y)
{
    for (size_t i = 0; i < proof->own.count; i++) {
        if (proof->own.items[i]->memory == x || proof->own.items[i]->memory == y) {
            return true;
        }
    }
    return false;
}

/* Only between accesses of which none is left that another group may meet. Of local memory no more is to be known:
   two names are different memory all the time, and no access is left that was made by the old ones. */
static void walk_swap(RaceProof *proof, const KernelCmd *command)
{
    unsigned *x = &proof->trial->representative[command->variable->number],
             *y = &proof->trial->representative[command->source->number], other = *x;
    bool local = command->variable->space == KERNEL_LOCAL;
    if (local ? is_in_use(proof, *x, *y) : proof->all.count > 0 || proof->own.count > 0) {
        race_give_up(proof, "buffers are exchanged while they are in use");
    }
    if (!local) {
        proof->exchanged = true;
        *x = *y;
        *y = other;
    }
}

static void walk_atomic(RaceProof *proof, const KernelCmd *command)
{
    const KernelVariable *buffer =
        command->kind == KERNEL_ATOMIC ? command->variable : command->source;
    read_exp(proof, command->index);
    if (command->kind != KERNEL_ATOMIC) {
        forget(proof, command->variable);
        walk_with(proof, command->body, NULL);
        forget_assigned(proof, command->body);
        proof->at = command;
    }
    read_exp(proof, command->value);
    add_access(proof, buffer, command->index, RACE_ATOMIC);
}

static void walk_store(RaceProof *proof, const KernelCmd *command)
{
    const RaceFact *path = proof->path;
    assume(proof, command);
    read_exp(proof, command->index);
    read_exp(proof, command->value);
    add_access(proof, command->variable, command->index,
               command->scattered ? RACE_SCATTER : RACE_WRITE);
    proof->path = path;
}

static void walk_command(RaceProof *proof, const KernelCmd *command)
{
    proof->at = command;
    switch (command->kind) {
    case KERNEL_DECLARE:
        if (command->variable->space == KERNEL_SCALAR) {
            forget(proof, command->variable);
            if (command->value) {
                walk_assign(proof, command);
            }
        }
        return;
    case KERNEL_ASSIGN:
    case KERNEL_CHECK: walk_assign(proof, command); return;
    case KERNEL_STORE: walk_store(proof, command); return;
    case KERNEL_ATOMIC:
    case KERNEL_EXCHANGE:
    case KERNEL_RETRY: walk_atomic(proof, command); return;
    case KERNEL_FOR:
        if (command->level == KERNEL_LOCAL_LOOP) {
            walk_local(proof, command);
        } else {
            walk_seq(proof, command);
        }
        return;
    case KERNEL_WHILE: walk_seq(proof, command); return;
    case KERNEL_IF: walk_if(proof, command); return;
    case KERNEL_BARRIER: proof->own.count = 0; return;
    case KERNEL_ARRIVE: walk_arrive(proof, command); return;
    case KERNEL_TICKET: walk_ticket(proof, command); return;
    case KERNEL_MEET: proof->own.count = proof->all.count = 0; return;
    case KERNEL_SWAP: walk_swap(proof, command); return;
    case KERNEL_PUBLISH:
        read_exp(proof, command->index);
        for (size_t i = 0; i < command->value_count; i++) {
            read_exp(proof, command->values[i]);
        }
        return;
    case KERNEL_AWAIT:
        read_exp(proof, command->index);
        forget(proof, command->variable);
        for (size_t i = 0; i < command->payload_count; i++) {
            forget(proof, command->payload[i]);
        }
        return;
    case KERNEL_COMMENT:
    case KERNEL_ALLOCATE: /* of the host */
    case KERNEL_ALIAS:
    case KERNEL_RELEASE:
    case KERNEL_CONSTANTS:
    case KERNEL_COPY:
    case KERNEL_RESERVE:
    case KERNEL_CALL:
    case KERNEL_AHEAD:
    case KERNEL_EFFECT: return;
    }
}

static void walk(RaceProof *proof, KernelBlock block)
{
    const RaceFact *path = proof->path;
    for (size_t i = 0; i < block.count && !proof->open; i++) {
        walk_command(proof, block.commands[i]);
    }
    proof->path = path;
}

/* ---- kernels --------------------------------------------------------------------------------- */

enum { MOST_CHECKS = 64 }; /* of the host's, the last ones */

static void know(RaceProof *proof, const KernelExp *exp, bool holds)
{
    const RaceCondition *condition = race_condition(proof, exp);
    proof->path = race_join(proof, holds ? condition->yes : condition->no, proof->path);
}

/* What the host has checked, of scalars that are still what they were. */
static void know_checks(RaceProof *proof)
{
    const Race *race = proof->race;
    size_t count = race->checks.count;
    for (size_t i = count > MOST_CHECKS ? count - MOST_CHECKS : 0; i < count; i++) {
        const KernelCmd *check = race->checks.items[i];
        unsigned since = (unsigned)(uintptr_t)pointer_map_get(&race->times, check);
        if (race_is_unchanged(race, check->value->as.variable, since, proof->kernel)) {
            know(proof, check->value, true);
        }
    }
}

/* What the host has found before it starts the kernel; and that a bool of its holds, or does not. */
static void begin(RaceProof *proof, KernelVariable *assumed, bool holds)
{
    const KernelCmd *kernel = proof->kernel;
    race_plain_atom(proof, RACE_ALL); /* number 0 is none */
    proof->group = race_new_atom(
        proof, (RaceAtom){.natural = true,
                          .scope = kernel->level == KERNEL_GRID ? RACE_OF_ITEM : RACE_OF_GROUP});
    proof->item = race_new_atom(proof, (RaceAtom){.natural = true, .scope = RACE_OF_ITEM});
    proof->on_host = true;
    const Race *race = proof->race;
    for (size_t i = 0; i < race->guards.count; i++) {
        know(proof, race->guards.items[i].condition, race->guards.items[i].holds);
    }
    if (race->with_checks) {
        know_checks(proof);
    }
    assume(proof, kernel);
    if (assumed) {
        RacePolynomial truth = race_integer(proof, kernel_use(proof->race->c, assumed));
        const RaceCondition *condition = proof->atoms.items[race_only_atom(&truth)].condition;
        const RaceFact *facts = holds ? condition->yes : condition->no;
        proof->path = race_join(proof, facts, proof->path);
        race_pin(proof, facts);
    }
    proof->host = proof->path;
    proof->path = NULL;
    proof->on_host = false;
    proof->here = kernel->level == KERNEL_GRID ? RACE_OF_ITEM : RACE_OF_GROUP;
    RacePolynomial count = race_integer(proof, kernel->count), number = race_alone(proof->group);
    race_enter_loop(proof, count, proof->group);
    give(proof, kernel->variable, number);
    if (kernel->groups) {
        RacePolynomial groups = race_alone(race_plain_atom(proof, RACE_ALL));
        give(proof, kernel->groups, groups);
        proof->path = race_ordered(proof, &groups, &number, 1, proof->path);
    }
}

/* With an assumption about a bool of the host's, or with none; `result`: NULL, or what has become of it (its `bools`
   are there to stay). */
static const char *prove_case(Race *race, RaceTrial *trial, const KernelCmd *kernel,
                              KernelVariable *assumed, bool holds, RaceProof *result)
{
    Arena *arena = arena_create();
    RaceProof proof = {.race = race, .arena = arena, .trial = trial, .kernel = kernel};
    race->last_proof++;
    begin(&proof, assumed, holds);
    walk(&proof, kernel->body);
    if (trial->swaps) { /* SWAP has changed it */
        race_find_representatives(trial);
    }
    arena_destroy(arena);
    if (result) {
        *result = proof;
    }
    return proof.open;
}

static const char *prove(Race *race, RaceTrial *trial, const KernelCmd *kernel)
{
    enum { MOST_SPLITS = 4 };
    RaceProof proof;
    const char *open = prove_case(race, trial, kernel, NULL, false, &proof), *first = open;
    for (size_t i = 0; first && open && i < proof.bools.count && i < MOST_SPLITS; i++) {
        open = prove_case(race, trial, kernel, proof.bools.items[i], true, NULL);
        open = open ? open : prove_case(race, trial, kernel, proof.bools.items[i], false, NULL);
    }
    return open;
}

/* Few kernels need to know what was checked long before. */
const char *race_prove(Race *race, RaceTrial *trial, const KernelCmd *kernel)
{
    const char *open = prove(race, trial, kernel);
    if (open && race->checks.count > 0) {
        race->with_checks = true;
        open = prove(race, trial, kernel);
        race->with_checks = false;
    }
    return open;
}
