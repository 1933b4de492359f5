/* One kernel run at one choice of sizes, with its index arithmetic alone: no data.

       grid map_b (g < n) { b[g + 1] = a[g] }    n = 3: iteration 0 writes b[1], 1 writes b[2], ...

   Scalars of the host are what their definitions make of the sizes. What is loaded is not known;
   where a condition is not, both branches run, and what they assign is not known afterwards. Of a
   long loop some iterations run, its first and last ones among them; of one whose length is not
   known its body runs once, with an index that is not known (around barriers: three times, so that
   each iteration meets the one before it). Groups run one after the other, so that ARRIVE knows who
   is last. Sizes with which a store would be out of bounds are not the program's: what core has
   checked, or proven, is not known here, so that nothing is concluded from them. */
#include "backend/race/race.h"

enum {
    MOST_STEPS = 300000,
    MOST_ITERATIONS = 12,
    FEW_ITERATIONS = 4,
    MOST_ROUNDS = 10,
    FEW_GROUPS = 4,
    SHARING_GROUPS = 3,
    FEW_ITEMS = 1200
};

/* ---- values ---------------------------------------------------------------------------------- */

/* Sizes for what nothing defines: small ones, some that make several groups, and one or two that
   are large beside small ones. What the device is good at is sometimes much and sometimes little.
 */
static int64_t size_of(const RaceTrial *trial, const KernelVariable *variable, size_t base)
{
    static const int64_t few[] = {5, 1, 6, 2, 3}, large[] = {2600, 300, 1030, 20000};
    static const int64_t work_items[] = {4096, 100000, 4096, 64, 1000000},
                         lanes[] = {32, 32, 1, 32, 32}, resident[] = {2, 3, 1, 2, 0};
    const char *device = trial->race->definitions[variable->number].device;
    size_t number = trial->number, bases = trial->bases.count + 1;
    if (device) {
        return strcmp(device, "lanes") == 0              ? lanes[number % 5]
               : strcmp(device, "resident_groups") == 0  ? resident[number % 5]
               : strcmp(device, "is_processor") == 0     ? number == 2
               : strcmp(device, "processor_groups") == 0 ? resident[number % 5]
                                                         : work_items[number % 5];
    }
    switch (number) {
    case 0: return 3;
    case 1: return few[base % 5];
    case 2: return 40;
    default: {
        bool is_large =
            base == number / 2 % bases || (number % 2 && base == (number / 2 + 1) % bases);
        return is_large ? large[(number + base) % 4] : few[(base + number) % 5];
    }
    }
}

static RaceValue value_of(RaceTrial *trial, const KernelVariable *variable)
{
    unsigned number = variable->number;
    if (trial->set[number] == trial->race->shadow.trial) {
        return trial->values[number];
    }
    const RaceDefinition *definition = &trial->race->definitions[number];
    RaceValue value = race_unknown();
    bool is_whole = variable->prim == CORE_I64 || variable->prim == CORE_I32;
    if (definition->value && !definition->assigned) {
        bool outside = trial->on_host;
        trial->on_host = true;
        value = race_evaluate(trial, definition->value);
        trial->on_host = outside;
    }
    if (!value.known && is_whole) {
        size_t base = 0;
        while (base < trial->bases.count && trial->bases.items[base] != variable) {
            base++;
        }
        if (base == trial->bases.count) {
            vec_push(trial->race->c->arena, &trial->bases, variable);
        }
        value = race_known(size_of(trial, variable, base));
    }
    trial->values[number] = value;
    trial->set[number] = trial->race->shadow.trial;
    return value;
}

/* What is the same to all, where the kernel does not write it: in some trials yes, in others no. */
static RaceValue word_value(const RaceTrial *trial, const KernelVariable *word)
{
    unsigned mixed = (trial->number * 0x9E3779B1u) ^ (word->number * 0x85EBCA6Bu);
    return trial->written[trial->representative[word->number]] ? race_unknown()
                                                               : race_known(mixed >> 31 ? -1 : 0);
}

static void give(RaceTrial *trial, const KernelVariable *variable, RaceValue value)
{
    trial->values[variable->number] = value;
    trial->set[variable->number] = trial->race->shadow.trial;
}

static const char *access_text(const RaceTrial *trial, const RaceMark *mark)
{
    Compilation *c = trial->race->c;
    const char *who = trial->kernel->level == KERNEL_GRID
                          ? arena_printf(c->arena, "iteration %lld", (long long)mark->group)
                      : mark->item < 0 ? arena_printf(c->arena, "each work-item of group %lld",
                                                      (long long)mark->group)
                                       : arena_printf(c->arena, "work-item %d of group %lld",
                                                      mark->item, (long long)mark->group);
    return arena_printf(c->arena, "%s (`%s`)", who,
                        kernel_command_text(c, trial->race->program, mark->command));
}

static void touch(RaceTrial *trial, const KernelVariable *buffer, RaceValue index, RaceKind kind)
{
    unsigned number = trial->representative[buffer->number];
    if (trial->on_host || buffer->space == KERNEL_PRIVATE || buffer->piece ||
        !trial->written[number] || index.is_kept) {
        return;
    }
    const KernelExp *count = trial->race->definitions[buffer->number].count;
    if (kind == RACE_WRITE && index.known && trial->unsure == 0 && count) {
        trial->on_host = true;
        RaceValue size = race_evaluate(trial, count);
        trial->on_host = false;
        trial->is_impossible |= index.v < 0 || (size.known && index.v >= size.v);
    }
    if (trial->found) {
        return;
    }
    RaceMark now = trial->here, other;
    now.command = trial->at;
    now.kind = kind;
    if (race_touch(&trial->race->shadow, number, buffer->space == KERNEL_LOCAL, index, now,
                   &other)) {
        return;
    }
    Compilation *c = trial->race->c;
    Text sizes = text_create(c->arena);
    for (size_t i = 0; i < trial->bases.count; i++) {
        text_printf(&sizes, "%s%s_%u = %lld", i > 0 ? ", " : "; ", trial->bases.items[i]->text,
                    trial->bases.items[i]->number,
                    (long long)trial->values[trial->bases.items[i]->number].v);
    }
    const char *place =
        index.known ? arena_printf(c->arena, "%s_%u[%lld]", buffer->text, buffer->number,
                                   (long long)index.v)
        : index.own ? arena_printf(c->arena, "%s_%u[%lld + what data say]", buffer->text,
                                   buffer->number, (long long)index.v)
                    : arena_printf(c->arena, "%s_%u[what data say]", buffer->text, buffer->number);
    trial->found =
        arena_printf(c->arena, "race in kernel %s: %s and %s touch %s without order%s",
                     trial->kernel->text ? trial->kernel->text : "?", access_text(trial, &other),
                     access_text(trial, &now), place, text_get(&sizes));
}

/* false, 0 and the like that are surely so */
static RaceValue select_value(RaceTrial *trial, const KernelExp *exp)
{
    RaceValue condition = race_evaluate(trial, exp->as.select.condition);
    if (condition.known) {
        RaceValue chosen = race_evaluate(trial, condition.v ? exp->as.select.x : exp->as.select.y);
        chosen.own = chosen.own || condition.own;
        return chosen;
    }
    RaceValue x = race_evaluate(trial, exp->as.select.x);
    RaceValue y = race_evaluate(trial, exp->as.select.y);
    return x.known && y.known && x.v == y.v ? x : race_unknown();
}

RaceValue race_evaluate(RaceTrial *trial, const KernelExp *exp)
{
    switch (exp->kind) {
    case KERNEL_CONSTANT:
        return core_is_real(exp->prim) ? race_unknown() : race_known(exp->as.constant.as.integer);
    case KERNEL_VARIABLE: return value_of(trial, exp->as.variable);
    case KERNEL_UNARY:
        return core_is_real(exp->as.scalar.prim)
                   ? (race_evaluate(trial, exp->as.scalar.x), race_unknown())
                   : race_unary(exp->as.scalar.op, race_evaluate(trial, exp->as.scalar.x));
    case KERNEL_BINARY: {
        RaceValue x = race_evaluate(trial, exp->as.scalar.x);
        return race_binary(exp->as.scalar.op, exp->as.scalar.prim, x,
                           race_evaluate(trial, exp->as.scalar.y));
    }
    case KERNEL_CONVERT: {
        RaceValue value = race_evaluate(trial, exp->as.convert);
        bool real = core_is_real(exp->prim) || core_is_real(exp->as.convert->prim);
        if (exp->prim == CORE_BOOL && value.known) {
            value.v = value.v != 0;
        }
        return real ? race_unknown() : value;
    }
    case KERNEL_SELECT: return select_value(trial, exp);
    case KERNEL_LOAD: {
        RaceValue index = race_evaluate(trial, exp->as.load.index);
        if (trial->told[exp->as.load.buffer->number] == trial->race->shadow.trial) {
            return trial->values[exp->as.load.buffer->number];
        }
        touch(trial, exp->as.load.buffer, index, RACE_READ);
        if (exp->as.load.buffer->is_word) {
            return word_value(trial, exp->as.load.buffer);
        }
        return exp->as.load.buffer->space == KERNEL_PRIVATE ? race_kept() : race_unknown();
    }
    }
    return race_unknown();
}

/* ---- commands -------------------------------------------------------------------------------- */

/* What the block assigns is not known any more. */
static void forget_assigned(RaceTrial *trial, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool assigns = command->kind == KERNEL_ASSIGN || command->kind == KERNEL_EXCHANGE ||
                       (command->kind == KERNEL_CHECK && command->variable);
        if (assigns) {
            give(trial, command->variable, race_unknown());
        }
        forget_assigned(trial, command->body);
        forget_assigned(trial, command->otherwise);
    }
}

static void run_block(RaceTrial *trial, KernelBlock block);

/* What is said of the command is not known to be wrong. */
static bool may_hold(RaceTrial *trial, const KernelCmd *command)
{
    for (size_t i = 0; i < command->assumed_count; i++) {
        RaceValue holds = race_evaluate(trial, command->assumed[i]);
        if (holds.known && holds.v == 0) {
            return false;
        }
    }
    return true;
}

static bool has_barrier(KernelBlock block)
{
    return kernel_has(block, KERNEL_BARRIER) || kernel_has(block, KERNEL_ARRIVE) ||
           kernel_has(block, KERNEL_TICKET) || kernel_has(block, KERNEL_MEET);
}

/* Iteration k of those that are tried, of `count`. */
static int64_t iteration(int64_t k, int64_t count, int64_t most)
{
    return count <= most || k < most - 3 ? k : count - (most - k);
}

static void run_seq(RaceTrial *trial, const KernelCmd *command)
{
    RaceValue count = race_evaluate(trial, command->count);
    bool around = has_barrier(command->body);
    int64_t most = around ? MOST_ROUNDS : trial->iterations;
    int64_t times = count.known ? count.v : around ? 3 : 1;
    if (!count.known || count.v > most) { /* not all of them: sums over them are not known */
        forget_assigned(trial, command->body);
    }
    for (int64_t k = 0; k < times && k < most && !trial->is_over; k++) {
        RaceValue index =
            count.known || around ? race_known(iteration(k, times, most)) : race_unknown();
        give(trial, command->variable, index);
        run_block(trial, command->body);
        if (!count.known || count.v > most) {
            forget_assigned(trial, command->body);
        }
    }
}

/* Who does what stands outside of LOCAL: each work-item of the group, unless there is one alone. */
static int outside_items(const RaceTrial *trial)
{
    return trial->one_item ? 0 : -1;
}

static void run_local(RaceTrial *trial, const KernelCmd *command)
{
    int64_t size = command->count->as.constant.as.integer;
    for (int64_t l = 0; l < size && !trial->is_over; l++) {
        trial->here.item = (int)l;
        give(trial, command->variable, (RaceValue){.v = l, .known = true, .own = true});
        run_block(trial, command->body);
    }
    trial->here.item = outside_items(trial);
}

static void run_if(RaceTrial *trial, const KernelCmd *command)
{
    RaceValue condition = race_evaluate(trial, command->value);
    if (condition.known) {
        run_block(trial, condition.v ? command->body : command->otherwise);
        return;
    }
    trial->unsure++;
    run_block(trial, command->body);
    run_block(trial, command->otherwise);
    trial->unsure--;
    forget_assigned(trial, command->body);
    forget_assigned(trial, command->otherwise);
}

static void tell(RaceTrial *trial, const KernelVariable *local, RaceValue value)
{
    give(trial, local, value);
    trial->told[local->number] = trial->race->shadow.trial;
}

/* The last group that comes with this index sees what the others did. */
static void run_arrive(RaceTrial *trial, const KernelCmd *command)
{
    bool last = trial->here.group == trial->last_group;
    if (command->index) {
        RaceValue index = race_evaluate(trial, command->index);
        RaceValue count = race_evaluate(trial, command->value);
        while (index.known && index.v >= 0 && index.v < KERNEL_MOST_ARRIVALS &&
               (int64_t)trial->arrivals.count <= index.v) {
            vec_push(trial->race->c->arena, &trial->arrivals, 0);
        }
        if (index.known && index.v >= 0 && index.v < KERNEL_MOST_ARRIVALS) {
            last = ++trial->arrivals.items[index.v] == count.v;
        }
    }
    trial->here.phase = ++trial->last_phase;
    tell(trial, command->variable, race_known(last));
    trial->here.stage++;
    trial->here.sees = trial->here.sees || last;
}

/* Groups start in their order, so that the number is the ticket. */
static void run_ticket(RaceTrial *trial, const KernelCmd *command)
{
    trial->here.phase = ++trial->last_phase;
    tell(trial, command->variable, (RaceValue){.v = trial->here.group, .known = true, .own = true});
}

static void run_publish(RaceTrial *trial, const KernelCmd *command)
{
    RaceValue index = race_evaluate(trial, command->index);
    RaceValue whole = race_evaluate(trial, command->value);
    for (size_t i = 0; i < command->value_count; i++) {
        race_evaluate(trial, command->values[i]);
    }
    if (index.known && whole.known) {
        RaceStatus status = {index.v, whole.v != 0};
        vec_push(trial->race->c->arena, &trial->statuses, status);
    }
}

/* Work-items with odd numbers come early, and find what was published first. */
static void run_await(RaceTrial *trial, const KernelCmd *command)
{
    RaceValue index = race_evaluate(trial, command->index);
    const RaceStatus *found = NULL;
    for (size_t i = 0; index.known && i < trial->statuses.count; i++) {
        const RaceStatus *status = &trial->statuses.items[i];
        if (status->index == index.v && (!found || trial->here.item % 2 == 0)) {
            found = status;
        }
    }
    give(trial, command->variable, found ? race_known(found->whole) : race_unknown());
    for (size_t k = 0; k < command->payload_count; k++) {
        give(trial, command->payload[k], race_unknown());
    }
}

static void run_store(RaceTrial *trial, const KernelCmd *command)
{
    if (may_hold(trial, command)) {
        RaceValue index = race_evaluate(trial, command->index);
        race_evaluate(trial, command->value);
        touch(trial, command->variable, index, command->scattered ? RACE_SCATTER : RACE_WRITE);
    }
}

static void run_command(RaceTrial *trial, const KernelCmd *command)
{
    trial->at = command;
    trial->is_over = trial->is_over || ++trial->steps > MOST_STEPS;
    if (trial->is_over) {
        return;
    }
    switch (command->kind) {
    case KERNEL_DECLARE:
        if (command->variable->space == KERNEL_SCALAR) {
            give(trial, command->variable,
                 command->value && may_hold(trial, command) ? race_evaluate(trial, command->value)
                                                            : race_unknown());
        }
        return;
    case KERNEL_ASSIGN:
        give(trial, command->variable, race_evaluate(trial, command->value));
        return;
    case KERNEL_CHECK: {
        RaceValue holds = race_evaluate(trial, command->value);
        for (size_t i = 0; i < command->value_count; i++) {
            race_evaluate(trial, command->values[i]);
        }
        if (command->variable) {
            give(trial, command->variable, holds);
        }
        return;
    }
    case KERNEL_STORE: run_store(trial, command); return;
    case KERNEL_ATOMIC: {
        RaceValue index = race_evaluate(trial, command->index);
        race_evaluate(trial, command->value);
        touch(trial, command->variable, index, RACE_ATOMIC);
        return;
    }
    case KERNEL_EXCHANGE:
    case KERNEL_RETRY: {
        RaceValue index = race_evaluate(trial, command->index);
        give(trial, command->variable, race_unknown());
        run_block(trial, command->body);
        trial->at = command;
        race_evaluate(trial, command->value);
        touch(trial, command->source, index, RACE_ATOMIC);
        return;
    }
    case KERNEL_FOR:
        if (command->level == KERNEL_LOCAL_LOOP) {
            run_local(trial, command);
        } else {
            run_seq(trial, command);
        }
        return;
    case KERNEL_WHILE:
        forget_assigned(trial, command->body);
        run_block(trial, command->body);
        forget_assigned(trial, command->body);
        return;
    case KERNEL_IF: run_if(trial, command); return;
    case KERNEL_BARRIER: trial->here.phase = ++trial->last_phase; return;
    case KERNEL_ARRIVE: run_arrive(trial, command); return;
    case KERNEL_TICKET: run_ticket(trial, command); return;
    case KERNEL_MEET:
        trial->here.phase = ++trial->last_phase;
        trial->here.meetings++;
        return;
    case KERNEL_SWAP: {
        unsigned *x = &trial->representative[command->variable->number],
                 *y = &trial->representative[command->source->number], other = *x;
        *x = *y;
        *y = other;
        return;
    }
    case KERNEL_PUBLISH: run_publish(trial, command); return;
    case KERNEL_AWAIT: run_await(trial, command); return;
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

static void run_block(RaceTrial *trial, KernelBlock block)
{
    for (size_t i = 0; i < block.count && !trial->is_over; i++) {
        run_command(trial, block.commands[i]);
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

static bool try_kernel(RaceTrial *trial)
{
    const KernelCmd *kernel = trial->kernel;
    bool grid = kernel->level == KERNEL_GRID;
    race_begin_trial(&trial->race->shadow);
    trial->race->shadow.strict = trial->number == 0 || trial->number == 2;
    trial->steps = 0;
    trial->is_over = trial->is_impossible = false;
    trial->found = NULL;
    trial->unsure = 0;
    trial->statuses.count = 0;
    trial->arrivals.count = 0;
    trial->at = kernel;
    RaceValue count = race_evaluate(trial, kernel->count);
    for (size_t i = 0; trial->obeys_host && i < trial->race->guards.count; i++) {
        const RaceGuard *guard = &trial->race->guards.items[i];
        RaceValue holds = race_evaluate(trial, guard->condition);
        if (holds.known && (holds.v != 0) != guard->holds) {
            return false;
        }
    }
    if (!may_hold(trial, kernel)) {
        return false;
    }
    if (!count.known || count.v < (grid ? 2 : 1)) {
        return false;
    }
    if (kernel->groups != NULL && count.v > SHARING_GROUPS) { /* fewer may do the same */
        count.v = SHARING_GROUPS;
    }
    int64_t most = grid ? FEW_ITEMS : FEW_GROUPS;
    int64_t times = count.v < most ? count.v : most;
    trial->groups = count.v;
    trial->last_group = iteration(times - 1, count.v, most);
    for (int64_t k = 0; k < times && !trial->is_over; k++) {
        int64_t number = iteration(k, count.v, most);
        trial->here = (RaceMark){.group = number, .item = grid ? 0 : outside_items(trial)};
        trial->here.phase = ++trial->last_phase;
        if (trial->swaps) {
            race_find_representatives(trial);
        }
        give(trial, kernel->variable, (RaceValue){.v = number, .known = true, .own = true});
        if (kernel->groups != NULL) {
            give(trial, kernel->groups, race_known(count.v));
        }
        run_block(trial, kernel->body);
    }
    if (!trial->is_impossible) {
        trial->race->found = trial->found;
    }
    return !trial->is_impossible;
}

/* Where all of it takes too long, loops are shorter: better all groups than all rows. */
bool race_try(RaceTrial *trial)
{
    trial->iterations = MOST_ITERATIONS;
    bool good = try_kernel(trial);
    if (trial->is_over && !trial->race->found) {
        trial->iterations = FEW_ITERATIONS;
        good = try_kernel(trial);
    }
    return good;
}
