/* The kernels of a program, for `tailor explain`.

       2  map over n × n  (map_t_491)
            13  (area=3)∨⍵∧area=4
                reads   v  bool  10  10 B  a row
                writes  t  bool  1   1 B   a row

   with the loops and conditions of the host that they stand in. What is counted is in
   backend/traffic.c. */
#include "driver/explain.h"

/* "scan_groups_sums_12" is of the kind "scan_groups"; the longest that fits. */
static const char *kind_of(Compilation *c, const KernelWork *work)
{
    static const char *const kinds[][2] = {
        {"map_", "map"},
        {"copy_", "copy"},
        {"check_", "checks of a map"},
        {"reduce_", "reduction"},
        {"scan_", "scan"},
        {"scan_groups_", "scan, sums of its groups"},
        {"scan_carry_", "scan, sums carried on"},
        {"filter_", "filter, kept rows to their places"},
        {"scatter_", "scatter"},
        {"hist_", "histogram"},
        {"hist_join_", "histogram, parts joined"},
        {"hist_lists_", "histogram, lists emptied"},
        {"hist_link_", "histogram, rows put in lists"},
        {"stream_", "stream, a chunk a work-item"},
        {"combine_", "stream, parts combined"},
        {"group_", "map, a work-group a row"},
        {"segments_", "reductions or scans of rows"},
        {"pieces_", "reductions of rows, in pieces"},
        {"seq_", "one work-item"},
        {"loop_", "loop in one work-item"},
        {"update_", "update in one work-item"},
        {"tiles_", "reductions of rows"},
        {"turned_", "map of what lies turned, in tiles of 32 × 8"},
    };
    const char *name = work->kernel->text, *kind = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i][0]);
        if (length > longest && strncmp(name, kinds[i][0], length) == 0) {
            longest = length;
            kind = kinds[i][1];
        }
    }
    if (!kind) {
        kind = arena_text(c->arena, name, strcspn(name, "_"));
    }
    bool is_segments = strncmp(name, "segments_", 9) == 0 && work->kernel->level == KERNEL_GROUP;
    if (work->rows && !is_segments) {
        kind = arena_printf(c->arena, "%s over %s", kind, work->rows);
    }
    if (work->tile[0] > 0) {
        return arena_printf(c->arena, "%s, in tiles of %u × %u in local memory%s", kind,
                            work->tile[0], work->tile[1],
                            kernel_find_product(work->kernel->body) ? ", by matrix units" : "");
    }
    return work->strip > 0
               ? arena_printf(c->arena, "%s, in strips of %u a work-item", kind, work->strip)
               : kind;
}

/* "2", "1 to 2", "2 × k". */
static const char *count_text(Compilation *c, const unsigned *count, const char *times)
{
    const char *text = count[0] == count[1]
                           ? arena_printf(c->arena, "%u", count[1])
                           : arena_printf(c->arena, "%u to %u", count[0], count[1]);
    return *times == '\0'            ? text
           : strcmp(times, "?") == 0 ? arena_printf(c->arena, "%s × as often as a loop says", text)
                                     : arena_printf(c->arena, "%s × %s", text, times);
}

static const char *bytes_text(Compilation *c, const KernelTraffic *traffic, const unsigned *count)
{
    unsigned bytes = core_prim_bytes(traffic->buffer->prim);
    if (strcmp(traffic->times, "?") == 0) {
        return arena_printf(c->arena, "%u B each", bytes);
    }
    const char *times = *traffic->times ? arena_printf(c->arena, " × %s", traffic->times) : "";
    return count[0] == count[1]
               ? arena_printf(c->arena, "%u%s B", count[1] * bytes, times)
               : arena_printf(c->arena, "%u to %u%s B", count[0] * bytes, count[1] * bytes, times);
}

static const char *per_text(const KernelTraffic *traffic)
{
    switch (traffic->per) {
    case KERNEL_PER_ROW: return "a row";
    case KERNEL_PER_ITEM: return "a work-item";
    case KERNEL_PER_GROUP: return "a work-group";
    }
    return "";
}

/* Written and read by one kernel, though not in the same rows: what work-groups tell each other. */
static bool is_partial(const KernelWork *work, const KernelVariable *buffer)
{
    bool reads = false, writes = false;
    for (size_t i = 0; i < work->traffic.count; i++) {
        const KernelTraffic *traffic = &work->traffic.items[i];
        if (traffic->buffer == buffer) {
            reads = reads || traffic->reads[1] > 0;
            writes = writes || traffic->writes[1] > 0;
        }
    }
    return reads && writes && work->kernel->level == KERNEL_GROUP;
}

static bool is_like(const KernelTraffic *a, const KernelTraffic *b)
{
    return strcmp(a->buffer->text, b->buffer->text) == 0 && a->buffer->prim == b->buffer->prim &&
           a->per == b->per && strcmp(a->times, b->times) == 0 &&
           memcmp(a->reads, b->reads, sizeof a->reads) == 0 &&
           memcmp(a->writes, b->writes, sizeof a->writes) == 0;
}

/* "v'": what is written where another array of the same name is read. */
static const char *array_text(Compilation *c, const KernelWork *work, const KernelTraffic *traffic,
                              bool writes)
{
    const char *text = traffic->buffer->text;
    for (size_t i = 0; writes && i < work->traffic.count; i++) {
        const KernelTraffic *other = &work->traffic.items[i];
        if (other->buffer != traffic->buffer && strcmp(other->buffer->text, text) == 0 &&
            other->reads[1] > 0 && !is_partial(work, other->buffer)) {
            return arena_printf(c->arena, "%s'", text);
        }
    }
    return text;
}

/* Buffers of one name with the same traffic are one row: "3 of x". */
static void add_traffic(ExplainTable *table, const KernelWork *work, bool writes, bool shares)
{
    Compilation *c = table->c;
    bool any = false;
    for (size_t i = 0; i < work->traffic.count; i++) {
        const KernelTraffic *traffic = &work->traffic.items[i];
        const unsigned *count = writes ? traffic->writes : traffic->reads;
        size_t same = 0, before = 0;
        for (size_t k = 0; k < work->traffic.count; k++) {
            bool like = is_like(traffic, &work->traffic.items[k]) &&
                        !is_partial(work, work->traffic.items[k].buffer);
            same += like;
            before += like && k < i;
        }
        if (count[1] == 0 || is_partial(work, traffic->buffer) || traffic->buffer->is_word ||
            before > 0) {
            continue;
        }
        const char *verb = !writes ? "reads" : traffic->atomic ? "updates" : "writes";
        const char *name = array_text(c, work, traffic, writes);
        if (same > 1) {
            name = arena_printf(c->arena, "%zu of %s", same, name);
        }
        ExplainRow row = {{any ? "" : verb, name, core_prim_text(traffic->buffer->prim),
                           count_text(c, count, traffic->times), bytes_text(c, traffic, count),
                           per_text(traffic)}};
        vec_push(c->arena, &table->rows, row);
        any = true;
    }
    if (!any && (!shares || (work->rows && !writes))) {
        ExplainRow row = {{writes ? "writes" : "reads", "nothing", "", "", "", ""}};
        vec_push(c->arena, &table->rows, row);
    }
}

/* What work-groups leave for each other; says whether there is any. */
static bool add_partials(ExplainTable *table, const KernelWork *work)
{
    Compilation *c = table->c;
    ExplainRow last = {{NULL}};
    size_t same = 0, begin = table->rows.count;
    VEC(const KernelVariable *) seen = {0};
    for (size_t i = 0; i < work->traffic.count; i++) {
        const KernelVariable *buffer = work->traffic.items[i].buffer;
        bool again = !is_partial(work, buffer);
        for (size_t k = 0; k < seen.count && !again; k++) {
            again = seen.items[k] == buffer;
        }
        if (again) {
            continue;
        }
        vec_push(c->arena, &seen, buffer);
        ExplainRow row = {{table->rows.count == begin ? "shares" : "", buffer->text,
                           core_prim_text(buffer->prim), "", "", "between work-groups"}};
        bool like = last.cells[0] && strcmp(last.cells[1], row.cells[1]) == 0 &&
                    last.cells[2] == row.cells[2];
        same = like ? same + 1 : 1;
        if (like) {
            table->rows.items[table->rows.count - 1].cells[1] =
                arena_printf(c->arena, "%zu of %s", same, buffer->text);
        } else {
            vec_push(c->arena, &table->rows, row);
            last = row;
        }
    }
    return table->rows.count > begin;
}

/* NULL: it is proven that the kernel has no race. */
static const char *open_of(const KernelProofVec *proofs, const KernelCmd *kernel)
{
    for (size_t i = 0; i < proofs->count; i++) {
        if (proofs->items[i].kernel == kernel) {
            return proofs->items[i].open;
        }
    }
    return NULL;
}

/* It writes the words of branches. */
static bool says_branch(const KernelWork *work)
{
    for (size_t i = 0; i < work->traffic.count; i++) {
        const KernelTraffic *traffic = &work->traffic.items[i];
        if (traffic->writes[1] > 0 && traffic->buffer->is_word && traffic->buffer->meaning) {
            return true;
        }
    }
    return false;
}

/* A copy of memory that no kernel does. */
static void print_memory_copy(Compilation *c, Text *out, const KernelWork *work,
                              const ExplainArrays *arrays, int indent)
{
    text_spaces(out, indent);
    text_printf(out, "-  copy of memory, %s elements\n", work->rows ? work->rows : "some");
    for (size_t i = 0; i < work->spans.count; i++) {
        explain_print_line(c, out, work->spans.items[i], indent + 2);
    }
    explain_copied(c, out, arrays, work->kernel->copied, indent + 9);
}

static void print_kernel(Compilation *c, Text *out, const KernelWork *work,
                         const ExplainArrays *arrays, const char *open, size_t number, int indent)
{
    text_spaces(out, indent);
    text_printf(out, "%zu  %s  (%s)\n", number, kind_of(c, work), work->kernel->text);
    for (size_t i = 0; i < work->spans.count; i++) {
        explain_print_line(c, out, work->spans.items[i], indent + 2);
    }
    ExplainTable table = {.c = c, .columns = 6, .indent = indent + 9};
    ExplainTable partials = table;
    bool shares = add_partials(&partials, work);
    add_traffic(&table, work, false, shares);
    add_traffic(&table, work, true, shares);
    for (size_t i = 0; i < partials.rows.count; i++) {
        vec_push(c->arena, &table.rows, partials.rows.items[i]);
    }
    explain_print_table(&table, out);
    explain_copied(c, out, arrays, work->kernel->copied, indent + 9);
    if (says_branch(work)) {
        text_spaces(out, indent + 9);
        text_string(out, "says which branch is taken\n");
    }
    if (work->kernel->ahead && work->kernel->ahead->meaning) {
        text_spaces(out, indent + 9);
        text_printf(out, "does nothing unless %s\n", work->kernel->ahead->meaning);
    }
    if (open) {
        text_spaces(out, indent + 9);
        text_printf(out, "races   only looked for at small sizes; not proven: %s\n", open);
    }
}

/* What the host does around kernels, with its line. */
static void print_around(Pipeline *p, Text *out, const KernelEntry *entry,
                         const KernelAround *around, int indent)
{
    const KernelCmd *command = around->command;
    unsigned waits = kernel_host_reads(command, true), always = kernel_host_reads(command, false);
    text_spaces(out, indent);
    if (command->kind == KERNEL_FOR) {
        text_printf(out, "in a loop of the host, %s iterations",
                    kernel_size_text(p->c, p->kernels, entry, command->count));
    } else if (command->kind == KERNEL_WHILE && command->ahead) {
        text_string(out, "in a loop that the device ends, the host running ahead");
        waits = 0;
    } else if (command->kind == KERNEL_WHILE) {
        text_string(out, "in a loop of the host, as long as a condition holds");
    } else {
        text_printf(out, around->otherwise ? "where not (%s)" : "where %s",
                    explain_condition(p->c, p->kernels, entry, command));
    }
    if (command->kind != KERNEL_IF && waits > 0) {
        text_printf(out, "; in each the host waits for %s%u value%s of the device",
                    always < waits ? "up to " : "", waits, waits == 1 ? "" : "s");
    }
    text_string(out, ":\n");
    if (command->kind != KERNEL_IF && command->span.file && !command->span.file->is_prelude) {
        explain_print_line(p->c, out, command->span, indent + 2);
    }
}

static void print_kernels(Pipeline *p, Text *out, const KernelEntry *entry,
                          const KernelWorkVec *works, const ExplainArrays *arrays,
                          const KernelProofVec *proofs, size_t *number)
{
    const KernelAroundVec none = {0}, *before = &none;
    for (size_t i = 0; i < works->count; i++) {
        const KernelAroundVec *around = &works->items[i].around;
        size_t same = 0;
        while (same < around->count && same < before->count &&
               around->items[same].command == before->items[same].command &&
               around->items[same].otherwise == before->items[same].otherwise) {
            same++;
        }
        for (; same < around->count; same++) {
            print_around(p, out, entry, &around->items[same], 2 + 2 * (int)same);
        }
        const KernelWork *work = &works->items[i];
        const int indent = 2 + 2 * (int)around->count;
        if (work->kernel->kind == KERNEL_COPY) {
            print_memory_copy(p->c, out, work, arrays, indent);
        } else {
            const char *open = open_of(proofs, work->kernel);
            print_kernel(p->c, out, work, arrays, open, ++*number, indent);
        }
        before = around;
    }
}

void explain_kernels(Pipeline *p, Text *out)
{
    size_t kernels = 0, inside = 0, number = 0, proven = 0;
    KernelProofVec proofs = kernel_prove_order(p->c, p->kernels);
    const ExplainArrays *arrays = explain_arrays(p->c, p->core);
    KernelWorkVec *works = ARENA_ARRAY(p->c->arena, KernelWorkVec, p->kernels->body_count + 1);
    for (size_t i = 0; i < p->kernels->body_count; i++) {
        works[i] = kernel_work(p->c, p->kernels, &p->kernels->entries[i]);
        for (size_t k = 0; k < works[i].count; k++) {
            bool repeats = false;
            if (works[i].items[k].kernel->kind == KERNEL_COPY) {
                continue;
            }
            kernels++;
            for (size_t a = 0; a < works[i].items[k].around.count; a++) {
                repeats = repeats || works[i].items[k].around.items[a].command->kind != KERNEL_IF;
            }
            inside += repeats;
            proven += open_of(&proofs, works[i].items[k].kernel) == NULL;
        }
    }
    text_printf(out, "\nKernels: %zu", kernels);
    if (inside > 0) {
        text_printf(out, ", %zu of them in a loop of the host", inside);
    }
    if (proven < kernels) {
        text_printf(out, "; %zu proven to have no race", proven);
    } else if (kernels > 0) {
        text_string(out,
                    kernels == 1 ? "; proven to have no race" : "; all proven to have no race");
    }
    text_char(out, '\n');
    for (size_t i = 0; i < p->kernels->body_count; i++) {
        if (p->kernels->body_count > 1) {
            text_printf(out, "  %s %s\n", p->kernels->entries[i].interface ? "entry" : "function",
                        p->kernels->entries[i].name);
        }
        print_kernels(p, out, &p->kernels->entries[i], &works[i], arrays, &proofs, &number);
    }
}
