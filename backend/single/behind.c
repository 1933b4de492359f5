/* The work of a kernel of one work-item in the kernel that makes what it needs: where that stores the elements, by the
   last of all groups to arrive, or by the only one. */
#include "backend/single/single.h"

enum { MOST_RESULTS = 4, MOST_ELEMENTS = 16 };

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
            if (single_is_number(index, (int64_t)i)) {
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
    if (single_is_number(kernel->count, 1)) {
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
    bool is_single = single_is_number(kernel->count, 1);
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
                  : is_one && single_is_number(kernel->count, 1) &&
                        (work == FILLS || ends_with(c, kernel->body, results, &own));
}

/* The kernel with the command. */
static const KernelCmd *behind(Compilation *c, const KernelCmd *kernel, const KernelCmd *command,
                               const Results *results, Work work)
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
        copy->on_processor = behind(c, kernel->on_processor, command, results, work);
    }
    bool good = copy->body.commands && !decision.reads_others &&
                (!kernel->on_processor || copy->on_processor);
    return good ? copy : NULL;
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
        if (!single_is_new(block, at, name)) {
            return false;
        }
        bool is_read = false;
        for (size_t k = 0; k < read.count; k++) {
            is_read = is_read || read.items[k].variable == name;
        }
        if (!is_read) {
            continue;
        }
        const KernelExp *size = block.commands[single_find(block, 0, KERNEL_ALLOCATE, name)]->count;
        if (results->count == MOST_RESULTS || size->kind != KERNEL_CONSTANT ||
            size->as.constant.as.integer < 1 || size->as.constant.as.integer > MOST_ELEMENTS) {
            return false;
        }
        results->buffers[results->count] = name;
        results->sizes[results->count++] = (size_t)size->as.constant.as.integer;
    }
    return results->count > 0;
}

const KernelCmd *single_behind(Compilation *c, KernelBlock block, size_t at,
                               const KernelCmd *command, Work work)
{
    Results results;
    return find_results(c, block, at, command, &results)
               ? behind(c, block.commands[at], command, &results, work)
               : NULL;
}
