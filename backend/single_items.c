/* Kernels of one work-item, where they can be spared: a launch takes as long as some hundred thousand elements.

   The copy of an element that nobody else wants is the element:

       alloc state                                   group sum { ... total[0] = z }
       group sum { ... total[0] = z }        ==>     alias state = total
       grid map (g < 1) { state[g] = total[0] }      release total
       release total

   What decides whether a loop goes on (backend/ahead/) is computed by the work-item that has what it depends on:

       group sum { ... total[0] = z }                group sum {
       grid decide (g < 1) {                 ==>         ... total[0] = z
           ahead[0] = total[0] < 1 ? ... }               ahead[0] = z < 1 ? ... }

   Kernels that have begun must not find that the loop has ended: the element has to be stored by the last of all groups
   to arrive, or by the only one. What chooses between branches goes the same way, and so does whatever else one
   work-item does with the element:

       group find { ... at[0] = k }                  group find {
       grid store (g < 1) { y[at[0]] = 0 }   ==>         ... at[0] = k
                                                         y[k] = 0 }

   and what a few work-items do. Of two such kernels, one behind the other, the first does the work of both:

       grid check (g < 1) { check k <= m }           grid check (g < 1) {
       grid store (g < 1) { y[k] = 0 }       ==>         holds = check k <= m
                                                         if holds { y[k] = 0 }
                                                     }

   Before: a program for devices. After: the same values. */
#include "backend/copy.h"

enum {
    MOST_NODES_BEHIND = 256, /* of what a work-item does besides */
    FEW_ITEMS = 16,          /* whose work one can do */
    MOST_STEPS = 64          /* of loops, with those */
};

static bool is_number(const KernelExp *exp, int64_t value)
{
    return exp && kernel_is_i64(exp, value);
}

/* A kernel of one work-item. */
static bool is_single(const KernelCmd *command)
{
    return command->kind == KERNEL_FOR && command->level == KERNEL_GRID &&
           is_number(command->count, 1);
}

static bool mentions(Compilation *c, const KernelCmd *command, const KernelVariable *variable)
{
    if (command->variable == variable || command->source == variable) {
        return true;
    }
    KernelFreeVec names = kernel_free(c, (KernelBlock){1, &command});
    for (size_t i = 0; i < names.count; i++) {
        if (names.items[i].variable == variable) {
            return true;
        }
    }
    return false;
}

static bool is_of(const KernelCmd *command, KernelCmdKind kind, const KernelVariable *variable)
{
    return command->kind == kind && command->variable == variable;
}

/* The place of the first command of the kind for the variable, from `from` on; the block's count: there is none. */
static size_t find(KernelBlock block, size_t from, KernelCmdKind kind,
                   const KernelVariable *variable)
{
    size_t at = from;
    while (at < block.count && !is_of(block.commands[at], kind, variable)) {
        at++;
    }
    return at;
}

/* Nothing between the two places mentions the variable. */
static bool is_unused(Compilation *c, KernelBlock block, size_t from, size_t to,
                      const KernelVariable *variable)
{
    for (size_t i = from; i < to; i++) {
        if (mentions(c, block.commands[i], variable)) {
            return false;
        }
    }
    return true;
}

/* ---- copies of an element -------------------------------------------------------------------- */

/* { var t = from[0]; to[g] = t } */
static bool is_copy(const KernelCmd *command, KernelVariable **to, KernelVariable **from)
{
    if (!is_single(command) || command->body.count != 2) {
        return false;
    }
    const KernelCmd *load = command->body.commands[0], *store = command->body.commands[1];
    if (load->kind != KERNEL_DECLARE || !load->value || load->value->kind != KERNEL_LOAD ||
        !is_number(load->value->as.load.index, 0) || store->kind != KERNEL_STORE ||
        store->value->kind != KERNEL_VARIABLE || store->value->as.variable != load->variable) {
        return false;
    }
    bool at_item =
        store->index->kind == KERNEL_VARIABLE && store->index->as.variable == command->variable;
    *to = store->variable;
    *from = load->value->as.load.buffer;
    return (at_item || is_number(store->index, 0)) && (*to)->prim == (*from)->prim;
}

/* A kernel or a scalar of the host's that at most reads the two, or another command without them. */
static bool only_reads(Compilation *c, const KernelCmd *command, const KernelVariable *to,
                       const KernelVariable *from)
{
    if (!mentions(c, command, to) && !mentions(c, command, from)) {
        return true;
    }
    KernelFreeVec names = kernel_free(c, (KernelBlock){1, &command});
    for (size_t i = 0; i < names.count; i++) {
        const KernelVariable *name = names.items[i].variable;
        if (names.items[i].written && (name == to || name == from)) {
            return false;
        }
    }
    return kernel_is_parallel(command) || command->kind == KERNEL_DECLARE;
}

/* Both are made in the block, of one element; after the copy `from` is only read, as long as it is there. */
static bool is_only_copy(Compilation *c, KernelBlock block, size_t at, const KernelVariable *to,
                         const KernelVariable *from)
{
    size_t made = find(block, 0, KERNEL_ALLOCATE, from),
           place = find(block, 0, KERNEL_ALLOCATE, to),
           released = find(block, at, KERNEL_RELEASE, from);
    for (size_t i = at + 1; i < released && i < block.count; i++) {
        if (!only_reads(c, block.commands[i], to, from)) {
            return false;
        }
    }
    return made < at && is_number(block.commands[made]->count, 1) && place < at &&
           is_number(block.commands[place]->count, 1) && is_unused(c, block, place + 1, at, to) &&
           released < block.count && is_unused(c, block, released + 1, block.count, from);
}

static KernelBlock without_copies(Compilation *c, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        KernelVariable *to, *from;
        if (!is_copy(block.commands[i], &to, &from) || !is_only_copy(c, block, i, to, from)) {
            continue;
        }
        size_t place = find(block, 0, KERNEL_ALLOCATE, to);
        KernelBuilder b = kernel_builder(c, block.commands[i]->span);
        for (size_t k = 0; k < block.count; k++) {
            if (k == i) {
                kernel_alias(&b, to, from);
            } else if (k != place) {
                kernel_add(&b, block.commands[k]);
            }
        }
        block = kernel_block(&b);
        i--;
    }
    return block;
}

/* ---- decisions ------------------------------------------------------------------------------- */

/* A kernel that says whether the loop goes on, or which branch is taken. */
static bool decides(const KernelCmd *command)
{
    return command->chooses ||
           (is_single(command) && command->ahead && command->body.count > 0 &&
            is_of(command->body.commands[command->body.count - 1], KERNEL_STORE, command->ahead));
}

/* Commands that write to the buffer, and expressions that read of it. */
static size_t count_accesses(KernelBlock block, const KernelVariable *buffer)
{
    size_t count = 0;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        count += command->variable == buffer || command->source == buffer;
        count += kernel_mentions(command->value, buffer) + kernel_mentions(command->index, buffer) +
                 kernel_mentions(command->count, buffer);
        count += count_accesses(command->body, buffer) + count_accesses(command->otherwise, buffer);
    }
    return count;
}

enum { MOST_RESULTS = 4, MOST_ELEMENTS = 16 };

/* What one work-item does: it says what is done, fills memory that is made for it, or writes anywhere. */
typedef enum Work { DECIDES, FILLS, WRITES } Work;

/* What a kernel stores as its results, few elements of each, and a command of one work-item reads. */
typedef struct Results {
    size_t count;
    const KernelVariable *buffers[MOST_RESULTS];
    size_t sizes[MOST_RESULTS];
} Results;

static size_t total_size(const Results *results)
{
    size_t total = 0;
    for (size_t k = 0; k < results->count; k++) {
        total += results->sizes[k];
    }
    return total;
}

static size_t result_accesses(KernelBlock block, const Results *results)
{
    size_t count = 0;
    for (size_t k = 0; k < results->count; k++) {
        count += count_accesses(block, results->buffers[k]);
    }
    return count;
}

typedef struct Decision {
    KernelCopier copier; /* first: see rebuild */
    const KernelCmd *command;
    const Results *results; /* that it depends on */
    const KernelExp *elements[MOST_RESULTS][MOST_ELEMENTS];
    bool
        reads_others; /* memory that is not known to hold the elements as long as the command goes on */
    const KernelVariable *last; /* of all groups of the kernel; NULL: there is one group */
    bool is_last;               /* at the place where the kernel is gone through */
} Decision;

/* Where the value of that element of a result is to be found; NULL: it is no such element. */
static const KernelExp **element_of(Decision *decision, const KernelVariable *buffer,
                                    const KernelExp *index)
{
    const Results *results = decision->results;
    for (size_t k = 0; k < results->count; k++) {
        for (size_t i = 0; results->buffers[k] == buffer && i < results->sizes[k]; i++) {
            if (is_number(index, (int64_t)i)) {
                return &decision->elements[k][i];
            }
        }
    }
    return NULL;
}

/* The element itself, where it would be loaded. */
static const KernelExp *rebuild(KernelCopier *copier, const KernelExp *old, const KernelExp *copy)
{
    Decision *decision = (Decision *)copier;
    if (old->kind != KERNEL_LOAD) {
        return copy;
    }
    const KernelExp **element = element_of(decision, old->as.load.buffer, old->as.load.index);
    for (size_t k = 0; !element && k < decision->results->count; k++) {
        bool is_result = decision->results->buffers[k] == old->as.load.buffer;
        decision->reads_others = decision->reads_others || is_result;
    }
    return element ? *element : copy;
}

/* Where the condition holds, the group is the last. */
static bool says_last(const KernelExp *exp, const KernelVariable *last)
{
    if (exp->kind == KERNEL_BINARY && exp->as.scalar.op == CORE_AND) {
        return says_last(exp->as.scalar.x, last) || says_last(exp->as.scalar.y, last);
    }
    return exp->kind == KERNEL_LOAD && exp->as.load.buffer == last;
}

/* The block with the decision behind the stores of the elements; its commands NULL: they are not all in one place, or
   may be done several times. */
static KernelBlock deciding(Decision *decision, KernelBlock block)
{
    Compilation *c = decision->copier.c;
    KernelBuilder b = kernel_builder(c, decision->command->span);
    size_t stores = 0;
    bool found = false;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool once = command->kind == KERNEL_IF ||
                    (command->kind == KERNEL_FOR && command->level == KERNEL_LOCAL_LOOP);
        if (once && result_accesses(command->body, decision->results) > 0) {
            KernelCmd *copy = arena_copy(c->arena, command, sizeof *copy);
            bool was_last = decision->is_last;
            decision->is_last = was_last || (command->kind == KERNEL_IF && decision->last &&
                                             says_last(command->value, decision->last));
            copy->body = deciding(decision, command->body);
            decision->is_last = was_last;
            found = copy->body.commands != NULL;
            command = copy;
        }
        kernel_add(&b, command);
        const KernelExp **element =
            command->kind == KERNEL_STORE && (decision->is_last || !decision->last)
                ? element_of(decision, command->variable, command->index)
                : NULL;
        if (element) {
            stores += *element == NULL;
            *element = command->value;
            decision->reads_others = decision->reads_others || kernel_loads(command->value) > 0;
        }
    }
    if (stores ==
        total_size(decision->results)) { /* behind other decisions, too, on which it may depend */
        found = true;
        kernel_duplicate(&decision->copier, &b, decision->command->body);
    }
    return found ? kernel_block(&b) : (KernelBlock){0};
}

/* There is one group, of which all work-items wait for each other, or the last one to arrive is known. */
static bool has_last(const KernelCmd *kernel, const KernelVariable **last)
{
    *last = NULL;
    if (is_number(kernel->count, 1)) {
        return kernel->level == KERNEL_GRID || kernel->groups ||
               kernel_has(kernel->body, KERNEL_BARRIER);
    }
    for (size_t i = 0; i < kernel->body.count; i++) {
        const KernelCmd *command = kernel->body.commands[i];
        if (command->kind == KERNEL_ARRIVE && !command->index) {
            *last = command->variable;
            return true;
        }
    }
    return false;
}

/* The block accesses no other memory. */
static bool accesses_only(Compilation *c, KernelBlock block, const PointerMap *buffers)
{
    KernelFreeVec names = kernel_free(c, block);
    for (size_t i = 0; i < names.count; i++) {
        const KernelVariable *name = names.items[i].variable;
        if (name->space == KERNEL_GLOBAL && !pointer_map_get(buffers, name)) {
            return false;
        }
    }
    return true;
}

/* Where all groups have done what comes before: behind the first command for which they wait for the last of them, or,
   of a single group, behind the last barrier; 0: there is no such place. */
static size_t behind_all(const KernelCmd *kernel)
{
    bool is_single = is_number(kernel->count, 1);
    size_t place = 0;
    for (size_t i = 0; i < kernel->body.count; i++) {
        const KernelCmd *command = kernel->body.commands[i];
        if (command->kind == KERNEL_ARRIVE && !command->index) {
            return i + 1;
        }
        place = is_single && command->kind == KERNEL_BARRIER ? i + 1 : place;
    }
    return place;
}

/* What comes behind the first access to the results, which stands in no loop, accesses no other memory. */
static bool ends_with(Compilation *c, KernelBlock block, const Results *results,
                      const PointerMap *own)
{
    size_t at = 0;
    while (result_accesses((KernelBlock){1, &block.commands[at]}, results) == 0) {
        at++;
    }
    const KernelCmd *command = block.commands[at];
    KernelBlock rest = {block.count - at - 1, block.commands + at + 1};
    return accesses_only(c, rest, own) && (result_accesses(command->body, results) == 0 ||
                                           ends_with(c, command->body, results, own));
}

/* Work besides decisions may follow the results at once: no check of the kernel can have failed before, and the loop not
   have ended. When the results are stored, the kernel accesses no memory any more but what it wrote itself, which the
   command does not write: the command may write the rest, whoever reads it before. Not so where it writes only to what
   is made for it. */
static bool leaves_alone(Compilation *c, const KernelCmd *kernel, const KernelCmd *command,
                         const Results *results, Work work)
{
    PointerMap own = {0};
    if (kernel_has(kernel->body, KERNEL_CHECK) ||
        (kernel->ahead && count_accesses(kernel->body, kernel->ahead) > 0)) {
        return false;
    }
    KernelFreeVec names = kernel_free(c, (KernelBlock){1, &kernel});
    for (size_t i = 0; i < names.count; i++) {
        if (names.items[i].written) {
            pointer_map_set(c->arena, &own, names.items[i].variable, names.items[i].variable);
        }
    }
    names = kernel_free(c, command->body);
    for (size_t i = 0; i < names.count; i++) {
        if (names.items[i].written && pointer_map_get(&own, names.items[i].variable)) {
            return false;
        }
    }
    size_t at = behind_all(kernel);
    KernelBlock rest = {kernel->body.count - at, kernel->body.commands + at};
    bool is_one = kernel->level == KERNEL_GRID || kernel->groups; /* work-item of one group */
    return at > 0 ? result_accesses(rest, results) == total_size(results) &&
                        (work == FILLS || accesses_only(c, rest, &own))
                  : is_one && is_number(kernel->count, 1) &&
                        (work == FILLS || ends_with(c, kernel->body, results, &own));
}

/* The kernel with the command. */
static const KernelCmd *deciding_kernel(Compilation *c, const KernelCmd *kernel,
                                        const KernelCmd *command, const Results *results, Work work)
{
    Decision decision = {
        .copier = {.c = c, .rebuild = rebuild}, .command = command, .results = results};
    KernelCmd *copy = arena_copy(c->arena, kernel, sizeof *copy);
    if (result_accesses(kernel->body, results) != total_size(results) ||
        !has_last(kernel, &decision.last) ||
        (work != DECIDES && !leaves_alone(c, kernel, command, results, work))) {
        return NULL;
    }
    kernel_replace(&decision.copier, command->variable, kernel_i64(c, 0));
    copy->body = deciding(&decision, kernel->body);
    if (kernel->on_processor) {
        copy->on_processor = deciding_kernel(c, kernel->on_processor, command, results, work);
    }
    bool good = copy->body.commands && !decision.reads_others &&
                (!kernel->on_processor || copy->on_processor);
    return good ? copy : NULL;
}

/* Made in the block before that place, and nobody else's memory. */
static bool is_new(KernelBlock block, size_t at, const KernelVariable *buffer)
{
    for (size_t i = find(block, 0, KERNEL_ALLOCATE, buffer); i < at; i++) {
        const KernelCmd *command = block.commands[i];
        bool shares = command->kind == KERNEL_ALIAS &&
                      (command->source == buffer || command->variable == buffer);
        if (shares || (!kernel_is_parallel(command) && command->body.count > 0)) {
            return false;
        }
    }
    return find(block, 0, KERNEL_ALLOCATE, buffer) < at;
}

/* What the decision reads of what the kernel at that place writes; false: nothing, or something else than few
   elements. */
static bool find_results(Compilation *c, KernelBlock block, size_t at, const KernelCmd *decision,
                         Results *results)
{
    const KernelCmd *kernel = block.commands[at];
    KernelFreeVec made = kernel_free(c, (KernelBlock){1, &kernel});
    KernelFreeVec read = kernel_free(c, decision->body);
    results->count = 0;
    for (size_t i = 0; i < made.count; i++) {
        const KernelVariable *name = made.items[i].variable;
        if (!made.items[i].written || name->space != KERNEL_GLOBAL || name->is_word) {
            continue; /* what a word says is read again */
        }
        if (!is_new(block, at, name)) {
            return false;
        }
        bool is_read = false;
        for (size_t k = 0; k < read.count; k++) {
            is_read = is_read || read.items[k].variable == name;
        }
        if (!is_read) {
            continue;
        }
        const KernelExp *size = block.commands[find(block, 0, KERNEL_ALLOCATE, name)]->count;
        if (results->count == MOST_RESULTS || size->kind != KERNEL_CONSTANT ||
            size->as.constant.as.integer < 1 || size->as.constant.as.integer > MOST_ELEMENTS) {
            return false;
        }
        results->buffers[results->count] = name;
        results->sizes[results->count++] = (size_t)size->as.constant.as.integer;
    }
    return results->count > 0;
}

/* On the way from a kernel of one work-item up to the one that may do its work. */
typedef struct Way {
    Compilation *c;
    PointerMap needed; /* what the kernel has from outside, or what that is made of */
    PointerMap moved;  /* declarations that come along -> themselves */
    VEC(const KernelVariable *) written; /* memory, not only words */
} Way;

static void need_scalars(Way *way, const KernelExp *exp)
{
    if (exp->kind == KERNEL_VARIABLE) {
        pointer_map_set(way->c->arena, &way->needed, exp->as.variable, exp->as.variable);
    }
    const KernelExp *operands[KERNEL_MOST_OPERANDS];
    size_t count = kernel_operands(exp, operands);
    for (size_t k = 0; k < count; k++) {
        need_scalars(way, operands[k]);
    }
}

static Way way_of(Compilation *c, const KernelCmd *kernel)
{
    Way way = {.c = c};
    KernelFreeVec names = kernel_free(c, (KernelBlock){1, &kernel});
    for (size_t i = 0; i < names.count; i++) {
        KernelVariable *name = names.items[i].variable;
        pointer_map_set(c->arena, &way.needed, name, name);
        if (names.items[i].written && !name->is_word) {
            vec_push(c->arena, &way.written, name);
        }
    }
    return way;
}

/* All that the kernel writes to is made behind this place. */
static bool makes_all(const Way *way)
{
    for (size_t i = 0; i < way->written.count; i++) {
        bool made = false;
        for (size_t k = 0; k < way->moved.capacity && !made; k++) {
            const KernelCmd *command = way->moved.slots[k].key;
            made = command && is_of(command, KERNEL_ALLOCATE, way->written.items[i]);
        }
        if (!made) {
            return false;
        }
    }
    return true;
}

/* A kernel that writes only to memory made just before it, tells no fault, and has no word that the one on the way
   stores. */
static bool keeps_to_itself(const Way *way, KernelBlock block, size_t at)
{
    const KernelCmd *kernel = block.commands[at];
    KernelFreeVec names = kernel_free(way->c, (KernelBlock){1, &kernel});
    for (size_t k = 0; k < names.count; k++) {
        const KernelVariable *name = names.items[k].variable;
        if (pointer_map_get(&way->needed, name) && name->is_word) {
            return false;
        }
        if (names.items[k].written && name->space == KERNEL_GLOBAL && !name->is_word &&
            !is_new(block, at, name)) {
            return false;
        }
    }
    return !kernel_has(kernel->body, KERNEL_CHECK) &&
           !(kernel->ahead && pointer_map_get(&way->needed, kernel->ahead));
}

/* Commands of a branch of the host's change nothing that the kernel needs, and do the same when it has run. */
static bool leaves_needed(Way *way, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        switch ((int)command->kind) { /* others may do more */
        case KERNEL_COMMENT: break;
        case KERNEL_DECLARE:
        case KERNEL_ASSIGN:
        case KERNEL_ALLOCATE:
        case KERNEL_ALIAS:
        case KERNEL_RELEASE:
            if (pointer_map_get(&way->needed, command->variable)) {
                return false;
            }
            break;
        case KERNEL_FOR:
            if (!kernel_is_parallel(command) || !keeps_to_itself(way, block, i)) {
                return false;
            }
            break;
        case KERNEL_IF:
            if (!leaves_needed(way, command->body) || !leaves_needed(way, command->otherwise)) {
                return false;
            }
            break;
        default: return false;
        }
    }
    return true;
}

/* The kernel may go past the command at that place, which changes nothing that the kernel needs, and reads nothing that
   it may write; or the command comes along. */
static bool goes_past(Way *way, KernelBlock block, size_t at)
{
    const KernelCmd *command = block.commands[at];
    size_t loads = kernel_loads(command->value) + kernel_loads(command->count);
    if (way->written.count > 0 && (loads > 0 || command->kind == KERNEL_COPY)) {
        return false;
    }
    switch ((int)command->kind) { /* others may do more */
    case KERNEL_COMMENT: return true;
    case KERNEL_DECLARE:
        if (!pointer_map_get(&way->needed, command->variable)) {
            return true;
        }
        if (!command->value || kernel_loads(command->value) > 0) {
            return false;
        }
        need_scalars(way, command->value);
        pointer_map_set(way->c->arena, &way->moved, command, (void *)(uintptr_t)command);
        return true;
    case KERNEL_ALLOCATE:
        if (pointer_map_get(&way->needed, command->variable)) {
            if (kernel_loads(command->count) > 0) {
                return false;
            }
            need_scalars(way, command->count);
            pointer_map_set(way->c->arena, &way->moved, command, (void *)(uintptr_t)command);
        }
        return true;
    case KERNEL_COPY:
        return !pointer_map_get(&way->needed, command->variable) &&
               is_new(block, at, command->variable);
    case KERNEL_ASSIGN:
    case KERNEL_ALIAS:
    case KERNEL_RELEASE: return !pointer_map_get(&way->needed, command->variable);
    case KERNEL_EFFECT:
        return command->effect.kind == KERNEL_DEVICE &&
               !pointer_map_get(&way->needed, command->effect.result);
    case KERNEL_IF:
        return makes_all(way) && leaves_needed(way, command->body) &&
               leaves_needed(way, command->otherwise);
    }
    return false;
}

/* The kernel just before the decision, with it; NULL: something stands between, or it does not fit. */
static const KernelCmd *with_decision(Way *way, KernelBlock block, size_t at, Work work,
                                      size_t *place)
{
    const KernelCmd *decision = block.commands[at];
    for (size_t i = at; i-- > 0;) {
        const KernelCmd *command = block.commands[i];
        if (kernel_is_parallel(command) && command->ahead == decision->ahead) {
            Results results;
            *place = i;
            return find_results(way->c, block, i, decision, &results)
                       ? deciding_kernel(way->c, command, decision, &results,
                                         work == WRITES && makes_all(way) ? FILLS : work)
                       : NULL;
        }
        if (!goes_past(way, block, i)) {
            return NULL;
        }
    }
    return NULL;
}

/* The block with the kernel in the place of that one, behind what has come along, and without the one at `at`. */
static KernelBlock merged(const Way *way, KernelBlock block, size_t place, size_t at,
                          const KernelCmd *kernel)
{
    KernelBuilder b = kernel_builder(way->c, kernel->span), later = b;
    for (size_t k = 0; k < block.count; k++) {
        const KernelCmd *command = k == place ? kernel : block.commands[k];
        bool waits = k >= place && k < at && !pointer_map_get(&way->moved, command);
        if (k != at) {
            kernel_add(waits ? &later : &b, command);
        } else {
            kernel_add_block(&b, kernel_block(&later));
        }
    }
    return kernel_block(&b);
}

/* Loops in it, and those around, take few steps. */
static bool is_short(KernelBlock block, int64_t steps)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool is_loop = command->kind == KERNEL_FOR;
        bool known = is_loop && command->count->kind == KERNEL_CONSTANT;
        int64_t inner = known ? steps * command->count->as.constant.as.integer : steps;
        if (command->kind == KERNEL_WHILE || (is_loop && !known) || inner > MOST_STEPS ||
            !is_short(command->body, inner) || !is_short(command->otherwise, inner)) {
            return false;
        }
    }
    return true;
}

/* The work of a few work-items, done by one. */
static const KernelCmd *as_single(Compilation *c, const KernelCmd *kernel)
{
    bool few = kernel->kind == KERNEL_FOR && kernel->level == KERNEL_GRID &&
               kernel->count->kind == KERNEL_CONSTANT &&
               kernel->count->as.constant.as.integer > 1 &&
               kernel->count->as.constant.as.integer <= FEW_ITEMS;
    if (!few || kernel_has(kernel->body, KERNEL_CHECK) ||
        !is_short(kernel->body, kernel->count->as.constant.as.integer)) {
        return kernel;
    }
    KernelBuilder b = kernel_builder(c, kernel->span);
    kernel_for(&b, KERNEL_SEQ, NULL, kernel->variable, kernel->count, kernel->body);
    KernelCmd *copy = arena_copy(c->arena, kernel, sizeof *copy);
    copy->variable = kernel_variable(c, "g", CORE_I64, KERNEL_SCALAR, kernel->span);
    copy->count = kernel_i64(c, 1);
    copy->body = kernel_block(&b);
    copy->on_processor = NULL;
    return copy;
}

static KernelBlock with_command(Compilation *c, KernelBlock block, size_t at,
                                const KernelCmd *command)
{
    const KernelCmd **commands =
        arena_copy(c->arena, block.commands, sizeof *commands * block.count);
    commands[at] = command;
    return (KernelBlock){block.count, commands};
}

/* Decisions only, or whatever one work-item does, or a few. */
static KernelBlock with_decisions(Compilation *c, KernelBlock block, Work work)
{
    for (size_t i = 0; i < block.count; i++) {
        size_t place, budget = MOST_NODES_BEHIND;
        const KernelCmd *command =
            work == DECIDES ? block.commands[i] : as_single(c, block.commands[i]);
        if (work == DECIDES ? !decides(command)
                            : !is_single(command) || command->on_processor ||
                                  !kernel_can_duplicate(command->body, &budget)) {
            continue;
        }
        Way way = way_of(c, command);
        KernelBlock with = with_command(c, block, i, command);
        const KernelCmd *kernel = with_decision(&way, with, i, work, &place);
        if (kernel) {
            block = merged(&way, with, place, i--, kernel);
        }
    }
    return block;
}

/* ---- one behind the other -------------------------------------------------------------------- */

/* That no check of the block has failed; NULL: there are none. `good` is false where some are not at its top. */
static const KernelExp *all_hold(Compilation *c, KernelBlock block, bool *good)
{
    const KernelExp *all = NULL;
    *good = true;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_CHECK) {
            const KernelExp *holds = kernel_use(c, command->variable);
            all = all ? kernel_binary(c, CORE_AND, all, holds) : holds;
        }
        *good = *good && !kernel_has(command->body, KERNEL_CHECK) &&
                !kernel_has(command->otherwise, KERNEL_CHECK);
    }
    return all;
}

/* The first kernel, with the second's work behind its own; NULL: they cannot be one. */
static const KernelCmd *one_of_both(Compilation *c, const KernelCmd *first, const KernelCmd *second)
{
    size_t budget = MOST_NODES_BEHIND;
    bool good, ends_loop = first->ahead && decides(first);
    const KernelExp *holds = all_hold(c, first->body, &good);
    if (!good || ends_loop || first->ahead != second->ahead || first->on_processor ||
        second->on_processor || !kernel_can_duplicate(second->body, &budget)) {
        return NULL;
    }
    KernelCopier copier = {.c = c};
    KernelBuilder behind = kernel_builder(c, second->span), b = behind;
    kernel_replace(&copier, second->variable, kernel_i64(c, 0));
    kernel_duplicate(&copier, &behind, second->body);
    kernel_add_block(&b, first->body);
    if (holds) {
        kernel_if(&b, holds, kernel_block(&behind), (KernelBlock){0});
    } else {
        kernel_add_block(&b, kernel_block(&behind));
    }
    KernelCmd *copy = arena_copy(c->arena, first, sizeof *copy);
    copy->body = kernel_block(&b);
    return copy;
}

/* The kernel of one work-item that the one at this place may follow at once, with its work; NULL: there is none. */
static const KernelCmd *with_single(Way *way, KernelBlock block, size_t at, size_t *place)
{
    for (size_t i = at; i-- > 0;) {
        const KernelCmd *command = block.commands[i];
        if (is_single(command)) {
            *place = i;
            return one_of_both(way->c, command, block.commands[at]);
        }
        if (!goes_past(way, block, i)) {
            break;
        }
    }
    return NULL;
}

static KernelBlock with_singles(Compilation *c, KernelBlock block)
{
    for (size_t i = 0; i < block.count; i++) {
        size_t place;
        if (!is_single(block.commands[i])) {
            continue;
        }
        Way way = way_of(c, block.commands[i]);
        const KernelCmd *both = with_single(&way, block, i, &place);
        if (both) {
            block = merged(&way, block, place, i--, both);
        }
    }
    return block;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static KernelBlock spared(Compilation *c, KernelBlock block)
{
    KernelBuilder b = kernel_builder(c, (Span){0});
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (!kernel_is_parallel(command) && command->body.count + command->otherwise.count > 0) {
            KernelCmd *copy = arena_copy(c->arena, command, sizeof *copy);
            copy->body = spared(c, command->body);
            copy->otherwise = spared(c, command->otherwise);
            command = copy;
        }
        kernel_add(&b, command);
    }
    block = with_decisions(c, without_copies(c, kernel_block(&b)), DECIDES);
    return with_decisions(c, with_singles(c, block), WRITES);
}

KernelProgram *kernel_spare_items(Compilation *c, const KernelProgram *program)
{
    KernelBlock *bodies = ARENA_ARRAY(c->arena, KernelBlock, program->body_count);
    for (size_t i = 0; i < program->body_count; i++) {
        bodies[i] = spared(c, program->entries[i].body);
    }
    return kernel_with_bodies(c, program, bodies);
}
