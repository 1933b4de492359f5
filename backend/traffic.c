/* What each kernel reads and writes, for `tailor explain`.

       grid map_b (g < n * m) {                       rows n × m, and of each row
           var x : f64 = a[g]                         a  1 read
           for (k < w) { ... x = x + b[k] ... }       b  1 read, w times
           c[g] = x                                   c  1 write
       }

   A row is an iteration of a GRID; in a GROUP it is an iteration of the loops by which work-items
   share out the rows (or of several, where a loop is unrolled: as many as it numbers). One walk
   over the kernel counts accesses to device memory, with branches as "at least, at most"; the same
   element read twice counts once where nothing in the kernel writes it. */
#include "backend/sizes.h"

/* ---- accesses ------------------------------------------------------------------------------- */

typedef struct Walk {
    Compilation *c;
    KernelNaming *naming;
    KernelWork *work;
    KernelFreeVec names;         /* of the kernel: which buffers it writes */
    VEC(const KernelExp *) seen; /* loads that have been counted and need not be again */
    unsigned last_outside;       /* variables with larger numbers are the kernel's */
    KernelPer per;
    unsigned rows; /* that the loop around goes through at a time */
    const char *times;
} Walk;

static bool is_written(const Walk *walk, const KernelVariable *buffer)
{
    for (size_t i = 0; i < walk->names.count; i++) {
        if (walk->names.items[i].variable == buffer) {
            return walk->names.items[i].written;
        }
    }
    return false;
}

static KernelTraffic *traffic_of(Walk *walk, const KernelVariable *buffer)
{
    for (size_t i = 0; i < walk->work->traffic.count; i++) {
        KernelTraffic *traffic = &walk->work->traffic.items[i];
        if (traffic->buffer == buffer && traffic->per == walk->per &&
            strcmp(traffic->times, walk->times) == 0) {
            return traffic;
        }
    }
    KernelTraffic traffic = {.buffer = buffer, .per = walk->per, .times = walk->times};
    vec_push(walk->c->arena, &walk->work->traffic, traffic);
    return &walk->work->traffic.items[walk->work->traffic.count - 1];
}

/* What has been counted so far, to be compared with what a branch adds. */
typedef struct Counted {
    size_t count;
    KernelTraffic *traffic;
    size_t seen;
} Counted;

static Counted counted(const Walk *walk)
{
    size_t count = walk->work->traffic.count;
    Counted now = {.count = count, .seen = walk->seen.count};
    now.traffic = ARENA_ARRAY(walk->c->arena, KernelTraffic, count + 1);
    if (count > 0) {
        memcpy(now.traffic, walk->work->traffic.items, count * sizeof *now.traffic);
    }
    return now;
}

/* Either of two branches was counted after `before`: `first` is the state after the one, the
   present one is that after the other, which began anew. */
static void either(Walk *walk, const Counted *first)
{
    for (size_t i = 0; i < walk->work->traffic.count; i++) {
        KernelTraffic *traffic = &walk->work->traffic.items[i];
        static const KernelTraffic none = {0};
        const KernelTraffic *other = i < first->count ? &first->traffic[i] : &none;
        const unsigned *pairs[][2] = {{traffic->reads, other->reads},
                                      {traffic->writes, other->writes}};
        unsigned *own[] = {traffic->reads, traffic->writes};
        for (int k = 0; k < 2; k++) {
            own[k][0] = pairs[k][0][0] < pairs[k][1][0] ? pairs[k][0][0] : pairs[k][1][0];
            own[k][1] = pairs[k][0][1] > pairs[k][1][1] ? pairs[k][0][1] : pairs[k][1][1];
        }
    }
}

/* Back to `before`; buffers that were met since are kept, with nothing counted. */
static void begin_again(Walk *walk, const Counted *before)
{
    for (size_t i = 0; i < walk->work->traffic.count; i++) {
        KernelTraffic *traffic = &walk->work->traffic.items[i];
        if (i < before->count) {
            *traffic = before->traffic[i];
        } else {
            memset(traffic->reads, 0, sizeof traffic->reads);
            memset(traffic->writes, 0, sizeof traffic->writes);
        }
    }
    walk->seen.count = before->seen;
}

static void count_exp(Walk *walk, const KernelExp *exp);

static void count_load(Walk *walk, const KernelExp *exp)
{
    const KernelVariable *buffer = exp->as.load.buffer;
    count_exp(walk, exp->as.load.index);
    if (buffer->space != KERNEL_GLOBAL) {
        return;
    }
    bool again = false;
    for (size_t i = 0; i < walk->seen.count && !again; i++) {
        again = kernel_is_same(walk->seen.items[i], exp);
    }
    if (again && !is_written(walk, buffer)) {
        return;
    }
    vec_push(walk->c->arena, &walk->seen, exp);
    KernelTraffic *traffic = traffic_of(walk, buffer);
    traffic->reads[0]++;
    traffic->reads[1]++;
}

static void count_exp(Walk *walk, const KernelExp *exp)
{
    if (exp == NULL) {
        return;
    }
    switch (exp->kind) {
    case KERNEL_CONSTANT:
    case KERNEL_VARIABLE: break;
    case KERNEL_UNARY: count_exp(walk, exp->as.scalar.x); break;
    case KERNEL_BINARY:
        count_exp(walk, exp->as.scalar.x);
        count_exp(walk, exp->as.scalar.y);
        break;
    case KERNEL_CONVERT: count_exp(walk, exp->as.convert); break;
    case KERNEL_SELECT: {
        count_exp(walk, exp->as.select.condition);
        Counted before = counted(walk);
        count_exp(walk, exp->as.select.x);
        Counted first = counted(walk);
        begin_again(walk, &before);
        count_exp(walk, exp->as.select.y);
        either(walk, &first);
        walk->seen.count = before.seen;
        break;
    }
    case KERNEL_LOAD: count_load(walk, exp); break;
    }
}

static void count_write(Walk *walk, const KernelVariable *buffer, bool atomic)
{
    if (buffer->space == KERNEL_GLOBAL) {
        KernelTraffic *traffic = traffic_of(walk, buffer);
        traffic->writes[0]++;
        traffic->writes[1]++;
        traffic->atomic = traffic->atomic || atomic;
    }
}

/* How many rows a loop's body numbers: 0 where it numbers none. */
static unsigned rows_of(KernelBlock block, const KernelExp **width)
{
    unsigned count = 0;
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_DECLARE && command->variable->row_of) {
            *width = command->variable->row_of;
            count++;
        }
    }
    return count;
}

/* Whether the number of iterations is the host's to know; then its text. */
static const char *trips_text(Walk *walk, const KernelExp *count)
{
    int budget = KERNEL_LONGEST_SIZE;
    while (count->kind == KERNEL_VARIABLE && count->as.variable->number > walk->last_outside) {
        const KernelDefinition *definition = &walk->naming->definitions[count->as.variable->number];
        if (!definition->value || definition->assigned) {
            return NULL;
        }
        count = definition->value;
    }
    if (count->kind != KERNEL_CONSTANT && count->kind != KERNEL_VARIABLE) {
        return NULL;
    }
    return kernel_named_size(walk->naming, count, KERNEL_PRECEDENCE_PRODUCT, &budget);
}

static void count_block(Walk *walk, KernelBlock block);

/* What stands inside is done so often for each row, on average. */
static void count_per_row(Walk *walk, const KernelCmd *command)
{
    int budget = KERNEL_LONGEST_SIZE;
    walk->per = KERNEL_PER_ROW;
    walk->times =
        kernel_is_i64(command->per_row, 1)
            ? ""
            : kernel_named_size(walk->naming, command->per_row, KERNEL_PRECEDENCE_PRODUCT, &budget);
}

static bool is_counted_elsewhere(const KernelCmd *command)
{
    return command->per_row && kernel_is_i64(command->per_row, 0);
}

/* A loop by which work-items share out rows stands for one row; any other repeats what it does. */
static void count_for(Walk *walk, const KernelCmd *command)
{
    Walk outer = *walk;
    const KernelExp *width = NULL;
    if (is_counted_elsewhere(command)) {
        return;
    }
    unsigned rows = rows_of(command->body, &width);
    const char *trips = trips_text(walk, command->count);
    bool shares = walk->per == KERNEL_PER_ITEM && (rows > 0 || !trips);
    if (command->per_row) {
        count_per_row(walk, command);
    } else if (command->level == KERNEL_LOCAL_LOOP) {
        walk->per = KERNEL_PER_ITEM;
    } else if (shares) {
        walk->per = KERNEL_PER_ROW;
        walk->rows = rows > 0 ? rows : 1;
        walk->times = "";
    } else if (walk->per == KERNEL_PER_ROW && rows > 0) {
        /* a step of a loop that shares out rows: several rows, counted as one */
    } else if (!trips || strcmp(walk->times, "?") == 0) {
        walk->times = "?";
    } else {
        walk->times = walk->times[0] == '\0'
                          ? trips
                          : arena_printf(walk->c->arena, "%s × %s", walk->times, trips);
    }
    if (rows > 0 && !walk->work->rows) {
        int budget = KERNEL_LONGEST_SIZE;
        walk->work->rows = kernel_named_size(walk->naming, width, KERNEL_PRECEDENCE_SUM, &budget);
    }
    size_t seen = walk->seen.count;
    count_block(walk, command->body);
    walk->seen.count = seen;
    walk->per = outer.per;
    walk->rows = outer.rows;
    walk->times = outer.times;
}

/* row < width, of one extent or several: all rows are, but for the last work-items' share. */
static bool is_for_rows(const Walk *walk, const KernelExp *exp)
{
    while (exp->kind == KERNEL_VARIABLE) {
        const KernelDefinition *definition = &walk->naming->definitions[exp->as.variable->number];
        if (!definition->value || definition->assigned) {
            return false;
        }
        exp = definition->value;
    }
    if (exp->kind != KERNEL_BINARY) {
        return false;
    }
    const KernelExp *x = exp->as.scalar.x, *y = exp->as.scalar.y;
    if (exp->as.scalar.op == CORE_AND) {
        return is_for_rows(walk, x) && is_for_rows(walk, y);
    }
    return exp->as.scalar.op == CORE_LT && x->kind == KERNEL_VARIABLE && x->as.variable->row_of &&
           kernel_is_same(x->as.variable->row_of, y);
}

static void count_branches(Walk *walk, const KernelCmd *command)
{
    count_exp(walk, command->value);
    if (is_counted_elsewhere(command)) {
        return;
    }
    if (walk->work->tile[0] > 0 && command->otherwise.count == 0) { /* tiles at the edge are few */
        Walk outer = *walk;
        if (command->per_row) {
            count_per_row(walk, command);
        }
        count_block(walk, command->body);
        walk->per = outer.per;
        walk->times = outer.times;
        return;
    }
    if (command->strip > 0) { /* what is left at the end of a row is few rows of many */
        walk->work->strip = command->strip;
        count_block(walk, command->body);
        return;
    }
    if (is_for_rows(walk, command->value)) {
        count_block(walk, command->body);
        return;
    }
    Counted before = counted(walk);
    count_block(walk, command->body);
    Counted first = counted(walk);
    begin_again(walk, &before);
    count_block(walk, command->otherwise);
    either(walk, &first);
    walk->seen.count = before.seen;
}

static void note_span(Walk *walk, Span span)
{
    if (!span.file || span.file->is_prelude) {
        return;
    }
    unsigned line = source_line(span);
    for (size_t i = 0; i < walk->work->spans.count; i++) {
        Span other = walk->work->spans.items[i];
        if (other.file == span.file && source_line(other) == line) {
            return;
        }
    }
    vec_push(walk->c->arena, &walk->work->spans, span);
    for (size_t i = walk->work->spans.count - 1; i > 0; i--) {
        Span *spans = walk->work->spans.items;
        if (spans[i - 1].file != spans[i].file || spans[i - 1].start <= spans[i].start) {
            break;
        }
        Span later = spans[i - 1];
        spans[i - 1] = spans[i];
        spans[i] = later;
    }
}

static void count_command(Walk *walk, const KernelCmd *command)
{
    note_span(walk, command->span);
    switch (command->kind) {
    case KERNEL_FOR:
        count_exp(walk, command->count);
        count_for(walk, command);
        return;
    case KERNEL_IF: count_branches(walk, command); return;
    case KERNEL_WHILE: {
        const char *outer = walk->times;
        size_t seen = walk->seen.count;
        walk->times = "?";
        count_block(walk, command->body);
        walk->times = outer;
        walk->seen.count = seen;
        return;
    }
    case KERNEL_STORE: count_write(walk, command->variable, false); break;
    case KERNEL_ATOMIC: count_write(walk, command->variable, true); break;
    case KERNEL_EXCHANGE:
    case KERNEL_RETRY: count_write(walk, command->source, true); break;
    case KERNEL_DECLARE:
        if (command->part > 0) {
            return; /* of another row */
        }
        break;
    case KERNEL_ASSIGN:
    case KERNEL_CHECK: break;
    case KERNEL_ALLOCATE:
    case KERNEL_ALIAS:
    case KERNEL_RELEASE:
    case KERNEL_CONSTANTS:
    case KERNEL_COPY:
    case KERNEL_EFFECT:
    case KERNEL_RESERVE:
    case KERNEL_CALL:
    case KERNEL_AHEAD:
    case KERNEL_BARRIER:
    case KERNEL_ARRIVE:
    case KERNEL_TICKET:
    case KERNEL_PUBLISH:
    case KERNEL_AWAIT:
    case KERNEL_MEET:
    case KERNEL_SWAP:
    case KERNEL_COMMENT: return;
    }
    count_exp(walk, command->value);
    count_exp(walk, command->index);
    count_block(walk, command->body);
}

/* The most rows that a loop of the block numbers. */
static unsigned most_rows(KernelBlock block)
{
    const KernelExp *width = NULL;
    unsigned most = rows_of(block, &width);
    for (size_t i = 0; i < block.count; i++) {
        unsigned inner = most_rows(block.commands[i]->body);
        unsigned other = most_rows(block.commands[i]->otherwise);
        most = most > inner ? most : inner;
        most = most > other ? most : other;
    }
    return most;
}

/* Several loops that share out rows have different rows: a row is in one of them. */
static void count_block(Walk *walk, KernelBlock block)
{
    bool shared = false;
    Counted before = {0};
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        bool shares = walk->per == KERNEL_PER_ITEM && command->kind == KERNEL_FOR &&
                      !command->per_row && most_rows(command->body) > 0;
        if (shares && shared) {
            Counted first = counted(walk);
            begin_again(walk, &before);
            count_command(walk, command);
            either(walk, &first);
            continue;
        }
        if (shares) {
            before = counted(walk);
            shared = true;
        }
        count_command(walk, command);
    }
}

/* Unrolled loops touch several rows at a time: counts are of one. */
static void scale(KernelWork *work, unsigned rows)
{
    for (size_t i = 0; rows > 1 && i < work->traffic.count; i++) {
        KernelTraffic *traffic = &work->traffic.items[i];
        for (int k = 0; traffic->per == KERNEL_PER_ROW && k < 2; k++) {
            traffic->reads[k] = (traffic->reads[k] + rows - 1) / rows;
            traffic->writes[k] = (traffic->writes[k] + rows - 1) / rows;
        }
    }
}

/* Its body is one loop, behind scalars that are the same for all work-items; the loop's rows, or how many there are, depend on
   the work-item. */
static bool is_rounds(const KernelCmd *kernel)
{
    size_t i = 0;
    while (i < kernel->body.count && kernel->body.commands[i]->kind == KERNEL_DECLARE &&
           !kernel_mentions(kernel->body.commands[i]->value, kernel->variable)) {
        i++;
    }
    const KernelCmd *loop = i + 1 == kernel->body.count ? kernel->body.commands[i] : NULL;
    const KernelExp *width;
    return loop != NULL && loop->kind == KERNEL_FOR &&
           (rows_of(loop->body, &width) > 0 || kernel_mentions(loop->count, kernel->variable));
}

static KernelWork work_of(Compilation *c, KernelNaming *naming, const KernelCmd *kernel,
                          const KernelAroundVec *around)
{
    KernelWork work = {.kernel = kernel, .tile = {kernel->tile[0], kernel->tile[1]}};
    for (size_t i = 0; i < around->count; i++) {
        vec_push(c->arena, &work.around, around->items[i]);
    }
    Walk walk = {.c = c,
                 .naming = naming,
                 .work = &work,
                 .names = kernel_free(c, kernel->body),
                 .last_outside = kernel->variable->number - 1,
                 .times = "",
                 .per = kernel->level == KERNEL_GRID ? KERNEL_PER_ROW : KERNEL_PER_GROUP};
    KernelBlock body = kernel->body;
    bool rounds = kernel->level == KERNEL_GRID && is_rounds(kernel);
    if (rounds) { /* work-items that take several iterations each */
        walk.per = KERNEL_PER_ITEM;
    } else if (kernel->level == KERNEL_GRID || kernel->rows) {
        int budget = KERNEL_LONGEST_SIZE;
        const KernelExp *rows = kernel->rows ? kernel->rows : kernel->count;
        work.rows = kernel_named_size(naming, rows, KERNEL_PRECEDENCE_SUM, &budget);
    }
    note_span(&walk, kernel->span);
    count_block(&walk, body);
    scale(&work, work.strip > 0 ? work.strip : work.tile[0] > 0 ? 1 : most_rows(body));
    return work;
}

static KernelWork work_of_copy(Compilation *c, KernelNaming *naming, const KernelCmd *copy,
                               const KernelAroundVec *around)
{
    int budget = KERNEL_LONGEST_SIZE;
    KernelWork work = {.kernel = copy};
    for (size_t i = 0; i < around->count; i++) {
        vec_push(c->arena, &work.around, around->items[i]);
    }
    Walk walk = {.c = c, .work = &work};
    note_span(&walk, copy->span);
    work.rows = kernel_named_size(naming, copy->count, KERNEL_PRECEDENCE_SUM, &budget);
    return work;
}

static void find_kernels(Compilation *c, KernelNaming *naming, KernelBlock block,
                         KernelAroundVec *around, KernelWorkVec *found)
{
    for (size_t i = 0; i < block.count; i++) {
        const KernelCmd *command = block.commands[i];
        if (command->kind == KERNEL_FOR &&
            (command->level == KERNEL_GRID || command->level == KERNEL_GROUP)) {
            KernelWork work = work_of(c, naming, command, around);
            vec_push(c->arena, found, work);
        } else if (command->kind == KERNEL_COPY) {
            KernelWork work = work_of_copy(c, naming, command, around);
            vec_push(c->arena, found, work);
        } else if (command->body.count + command->otherwise.count > 0) {
            vec_push(c->arena, around, ((KernelAround){command, false}));
            find_kernels(c, naming, command->body, around, found);
            around->items[around->count - 1].otherwise = true;
            find_kernels(c, naming, command->otherwise, around, found);
            around->count--;
        }
    }
}

KernelWorkVec kernel_work(Compilation *c, const KernelProgram *program, const KernelEntry *entry)
{
    KernelNaming naming = kernel_naming(c, program, entry);
    KernelWorkVec found = {0};
    KernelAroundVec around = {0};
    find_kernels(c, &naming, entry->body, &around, &found);
    return found;
}

/* ---- the host -------------------------------------------------------------------------------- */

unsigned kernel_host_reads(const KernelCmd *command, bool in_branches)
{
    if (command->kind == KERNEL_FOR &&
        (command->level == KERNEL_GRID || command->level == KERNEL_GROUP)) {
        return 0;
    }
    unsigned count =
        kernel_loads(command->value) + kernel_loads(command->index) + kernel_loads(command->count);
    const KernelBlock blocks[] = {command->body, command->otherwise};
    for (size_t k = 0; k < 2 && (in_branches || command->kind != KERNEL_IF); k++) {
        for (size_t i = 0; i < blocks[k].count; i++) {
            count += kernel_host_reads(blocks[k].commands[i], in_branches);
        }
    }
    return count;
}
