/* `tailor explain`: what became of a program on the GPU.

       Fused       what went into what, and how
       Flattened   how often which rule took nests of maps apart
       Kernels     each with the lines it computes, what it reads and writes for each row, and the
                   loops of the host that it stands in
       Not fused   producers and consumers of an array that are still two, and why

   The decisions are those that the fuser noted (core/fuse/log.c); what kernels do is counted in the
   kernel program (backend/traffic.c). Lines of the source are shown beside all of it. */
#include "driver/explain.h"
#include "driver/files.h"

#include <stdarg.h>

enum { FRAGMENT_COLUMNS = 36, LINE_COLUMNS = 84 };

/* ---- tables -----------------------------------------------------------------------------------
 */

enum { MOST_COLUMNS = 8 };

typedef struct Row {
    const char *cells[MOST_COLUMNS];
} Row;

/* Rows of cells, printed in columns as wide as their widest cell. */
typedef struct Table {
    Compilation *c;
    int columns, indent;
    unsigned right; /* bit k: column k is aligned on the right */
    VEC(Row) rows;
} Table;

static int width_of(const char *text)
{
    int width = 0;
    for (size_t length = strlen(text), i = 0; i < length;) {
        uint32_t codepoint = 0;
        size_t bytes = utf8_decode(text + i, length - i, &codepoint);
        width += bytes ? codepoint_width(codepoint) : 1;
        i += bytes ? bytes : 1;
    }
    return width;
}

/* Once each: programs say the same thing at several places. */
static void add_row(Table *table, Row row)
{
    for (size_t i = 0; i < table->rows.count; i++) {
        bool same = true;
        for (int k = 0; same && k < table->columns; k++) {
            same = strcmp(table->rows.items[i].cells[k], row.cells[k]) == 0;
        }
        if (same) {
            return;
        }
    }
    vec_push(table->c->arena, &table->rows, row);
}

static void print_table(const Table *table, Text *out)
{
    int widths[MOST_COLUMNS] = {0};
    for (size_t i = 0; i < table->rows.count; i++) {
        for (int k = 0; k < table->columns; k++) {
            int width = width_of(table->rows.items[i].cells[k]);
            widths[k] = widths[k] > width ? widths[k] : width;
        }
    }
    for (size_t i = 0; i < table->rows.count; i++) {
        text_spaces(out, table->indent);
        int owed = 0; /* blanks that only count before something */
        for (int k = 0; k < table->columns; k++) {
            const char *cell = table->rows.items[i].cells[k];
            int blanks = widths[k] - width_of(cell);
            bool right = table->right >> k & 1;
            if (*cell) {
                text_spaces(out, owed + (right ? blanks : 0));
                text_string(out, cell);
                owed = (right ? 0 : blanks) + 2;
            } else {
                owed += widths[k] + (widths[k] > 0 ? 2 : 0);
            }
        }
        text_char(out, '\n');
    }
}

/* ---- places -------------------------------------------------------------------------------- */

const char *explain_place(Compilation *c, Span span)
{
    if (!span.file) {
        return "?";
    }
    Place place = source_place(c->arena, span);
    return arena_printf(c->arena, "%u:%u", place.line, place.column);
}

const char *explain_fragment(Compilation *c, Span span, int columns)
{
    Text text = text_create(c->arena);
    if (!span.file) {
        return "";
    }
    int width = 0;
    size_t end = span.end < span.file->length ? span.end : span.file->length;
    for (size_t i = span.start; i < end;) {
        uint32_t codepoint = 0;
        size_t bytes = utf8_decode(span.file->text + i, end - i, &codepoint);
        if (!bytes || span.file->text[i] == '\n' || width + 1 >= columns) {
            text_string(&text, "…");
            break;
        }
        if (codepoint >= ' ') {
            text_append(&text, span.file->text + i, bytes);
            width += codepoint_width(codepoint);
        }
        i += bytes;
    }
    return text_get(&text);
}

/* The line of a span, without the blanks that it begins with. */
static Span line_of(Span span, unsigned number)
{
    const SourceFile *file = span.file;
    Span line = {file, file->line_starts[number - 1], (uint32_t)file->length};
    if (number < file->line_count) {
        line.end = file->line_starts[number] - 1;
    }
    while (line.start < line.end &&
           (file->text[line.start] == ' ' || file->text[line.start] == '\t')) {
        line.start++;
    }
    return line;
}

/* "  12  board ← (n n)⍴..." */
static void print_line(Compilation *c, Text *out, Span span, int indent)
{
    unsigned number = source_line(span);
    text_spaces(out, indent);
    text_printf(out, "%5u  %s\n", number, explain_fragment(c, line_of(span, number), LINE_COLUMNS));
}

/* ---- fused ------------------------------------------------------------------------------------
 */

/* One operation of the program as it was before fusion. */
typedef struct Member {
    Span span;
    const char *kind;
} Member;

/* What has become one: the members, and the pairs by which they came together. */
typedef struct Fused {
    unsigned number;  /* of the last statement's first name */
    size_t joined;    /* the group that it went into; else its own */
    bool is_computed; /* where it is read: only there, unless it is stored too */
    VEC(Member) members;
    VEC(const CoreFusion *) pairs;
} Fused;
typedef VEC(Fused) FusedVec;

static size_t group_of(Compilation *c, FusedVec *groups, const CoreStm *stm)
{
    unsigned number = stm->pattern_count > 0 ? stm->pattern[0]->number : 0;
    for (size_t i = groups->count; i-- > 0;) {
        if (groups->items[i].number == number) {
            while (groups->items[i].joined != i) {
                i = groups->items[i].joined;
            }
            return i;
        }
    }
    Fused group = {.number = number, .joined = groups->count};
    vec_push(c->arena, groups, group);
    return groups->count - 1;
}

static void add_member(Compilation *c, Fused *group, Member member)
{
    for (size_t i = 0; i < group->members.count; i++) {
        const Member *other = &group->members.items[i];
        if (span_is_same(other->span, member.span) && strcmp(other->kind, member.kind) == 0) {
            return;
        }
    }
    if (member.span.file && !member.span.file->is_prelude) {
        vec_push(c->arena, &group->members, member);
    }
}

static void add_pair(Compilation *c, Fused *group, const CoreFusion *pair)
{
    for (size_t i = 0; i < group->pairs.count; i++) {
        const CoreFusion *other = group->pairs.items[i];
        if (other->rule == pair->rule &&
            span_is_same(other->producer->span, pair->producer->span) &&
            span_is_same(other->consumer->span, pair->consumer->span)) {
            return;
        }
    }
    vec_push(c->arena, &group->pairs, pair);
}

/* A producer joins its consumer; one that is computed where it is read may be read elsewhere, too.
 */
static FusedVec find_groups(Compilation *c, const CoreFusionLog *log)
{
    FusedVec groups = {0};
    for (size_t i = 0; i < log->done.count; i++) {
        const CoreFusion *pair = &log->done.items[i];
        if (pair->inner) {
            continue;
        }
        size_t from = group_of(c, &groups, pair->producer);
        size_t to = group_of(c, &groups, pair->consumer);
        Fused *producer = &groups.items[from], *consumer = &groups.items[to];
        if (producer->members.count == 0) {
            add_member(c, producer,
                       (Member){pair->producer->span, core_stm_kind(c, pair->producer)});
        }
        if (consumer->members.count == 0) {
            add_member(c, consumer,
                       (Member){pair->consumer->span, core_stm_kind(c, pair->consumer)});
        }
        add_pair(c, consumer, pair);
        if (from == to) {
            continue;
        }
        for (size_t k = 0; k < producer->members.count; k++) {
            add_member(c, consumer, producer->members.items[k]);
        }
        for (size_t k = 0; k < producer->pairs.count; k++) {
            add_pair(c, consumer, producer->pairs.items[k]);
        }
        if (pair->rule == CORE_RULE_FUSE_VIEW) {
            producer->is_computed = true;
        } else {
            producer->joined = to;
        }
    }
    return groups;
}

/* Carets below a line that was printed, where the members stand in it. */
static void print_carets(Compilation *c, Text *out, Span line, const Fused *group, int indent)
{
    Text carets = text_create(c->arena);
    int columns = 0;
    for (size_t i = line.start; i < line.end && columns < LINE_COLUMNS;) {
        uint32_t codepoint = 0;
        size_t bytes = utf8_decode(line.file->text + i, line.end - i, &codepoint);
        bool here = false;
        for (size_t k = 0; k < group->members.count; k++) {
            here = here || group->members.items[k].span.start == i;
        }
        int width = bytes ? codepoint_width(codepoint) : 1;
        for (int k = 0; k < width; k++) {
            text_char(&carets, here && k == 0 ? '^' : ' ');
        }
        columns += width;
        i += bytes ? bytes : 1;
    }
    while (carets.length > 0 && carets.bytes[carets.length - 1] == ' ') {
        carets.bytes[--carets.length] = '\0';
    }
    text_spaces(out, indent + 7);
    text_printf(out, "%s\n", text_get(&carets));
}

static void print_members(Compilation *c, Text *out, const Fused *group)
{
    unsigned last = 0;
    for (;;) { /* lines in their order */
        const Member *next = NULL;
        unsigned next_line = 0;
        for (size_t i = 0; i < group->members.count; i++) {
            unsigned line = source_line(group->members.items[i].span);
            if (line > last && (!next || line < next_line)) {
                next = &group->members.items[i];
                next_line = line;
            }
        }
        if (!next) {
            return;
        }
        print_line(c, out, next->span, 4);
        print_carets(c, out, line_of(next->span, next_line), group, 4);
        last = next_line;
    }
}

static void print_count(Text *out, const Fused *group, const char *kind, const char *one,
                        const char **separator)
{
    size_t count = 0;
    for (size_t i = 0; i < group->members.count; i++) {
        count += strcmp(group->members.items[i].kind, kind) == 0;
    }
    if (count > 0) {
        text_printf(out, "%s%zu %s%s", *separator, count, one, count == 1 ? "" : "s");
        *separator = ", ";
    }
}

/* "row by row  12:3 → 12:5, ..." in lines that are not too long. */
static void print_pairs(Compilation *c, Text *out, const Fused *group, CoreRule rule,
                        const char *how)
{
    int column = LINE_COLUMNS;
    bool first = true;
    for (size_t i = 0; i < group->pairs.count; i++) {
        const CoreFusion *pair = group->pairs.items[i];
        if (pair->rule != rule) {
            continue;
        }
        const char *text = arena_printf(c->arena, "%s → %s", explain_place(c, pair->producer->span),
                                        explain_place(c, pair->consumer->span));
        if (column + width_of(text) > LINE_COLUMNS) {
            text_printf(out, "%s    %-26s%s", first ? "" : ",\n", first ? how : "", text);
            column = 30;
        } else {
            text_printf(out, ", %s", text);
        }
        column += width_of(text) + 2;
        first = false;
    }
    text_string(out, first ? "" : "\n");
}

static void print_done(Compilation *c, Text *out, const CoreFusionLog *log)
{
    static const char *const kinds[][2] = {{"map", "map"},
                                           {"reduce", "reduction"},
                                           {"map, reduce", "map and reduction"},
                                           {"scan", "scan"},
                                           {"map, scan", "map and scan"}};
    FusedVec groups = find_groups(c, log);
    bool any = false;
    text_string(out, "\nFused\n");
    for (size_t i = 0; i < groups.count; i++) {
        const Fused *group = &groups.items[i];
        const char *separator = "";
        if (group->joined != i || group->is_computed || group->members.count == 0) {
            continue;
        }
        text_string(out, any ? "\n  " : "  ");
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            print_count(out, group, kinds[k][0], kinds[k][1], &separator);
        }
        text_string(out, group->members.count == 1 ? ", at several places\n" : "\n");
        print_members(c, out, group);
        print_pairs(c, out, group, CORE_RULE_FUSE_VERTICAL, "row by row");
        print_pairs(c, out, group, CORE_RULE_FUSE_VIEW, "computed where it is read");
        print_pairs(c, out, group, CORE_RULE_FUSE_HORIZONTAL, "both read one array");
        print_pairs(c, out, group, CORE_RULE_FUSE_SINK, "a loop in each element");
        any = true;
    }
    text_string(out, any ? "" : "  nothing\n");
}

/* ---- flattened --------------------------------------------------------------------------------
 */

static void print_flattened(Text *out, const size_t *counts)
{
    bool any = false;
    for (int rule = CORE_RULE_FLATTEN_DISTRIBUTE; rule <= CORE_RULE_FLATTEN_VERSIONS; rule++) {
        if (counts[rule] > 0) {
            text_printf(out, "%s%5zu × %s\n", any ? "" : "\nFlattened\n", counts[rule],
                        core_rule_text((CoreRule)rule));
            any = true;
        }
    }
}

/* ---- not fused --------------------------------------------------------------------------------
 */

static const char *reasons(Compilation *c, const CoreFusion *fusion)
{
    const char *rows = core_reason_text(c, fusion->rows, fusion);
    const char *elements = core_reason_text(c, fusion->elements, fusion);
    if (*rows == '\0' || fusion->rows == fusion->elements) {
        return arena_printf(c->arena, "      %s\n", elements);
    }
    if (*elements == '\0') {
        return arena_printf(c->arena, "      not row by row: %s\n", rows);
    }
    return arena_printf(c->arena, "      not row by row: %s\n      not where it is read: %s\n",
                        rows, elements);
}

static void print_left(Compilation *c, Text *out, const CoreFusionLog *log)
{
    Table table = {.c = c, .columns = 8, .indent = 2, .right = 1 | 1 << 4};
    for (size_t i = 0; i < log->left.count; i++) {
        const CoreFusion *fusion = &log->left.items[i];
        const CoreStm *from = fusion->producer, *to = fusion->consumer;
        Row row = {{explain_place(c, from->span), explain_fragment(c, from->span, FRAGMENT_COLUMNS),
                    core_stm_kind(c, from), "→", explain_place(c, to->span),
                    explain_fragment(c, to->span, FRAGMENT_COLUMNS), core_stm_kind(c, to),
                    reasons(c, fusion)}};
        if (!fusion->inner) {
            add_row(&table, row);
        }
    }
    if (table.rows.count == 0) {
        return;
    }
    text_string(out, "\nNot fused\n");
    for (size_t i = 0; i < table.rows.count; i++) { /* the reasons below their pair */
        Table one = table;
        one.columns = 7;
        one.rows.items = &table.rows.items[i];
        one.rows.count = 1;
        print_table(&one, out);
        text_string(out, table.rows.items[i].cells[7]);
    }
}

/* ---- kernels ----------------------------------------------------------------------------------
 */

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
    return work->rows && !is_segments ? arena_printf(c->arena, "%s over %s", kind, work->rows)
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
    unsigned bytes = kernel_bytes(traffic->buffer->prim);
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

/* Buffers of one name with the same traffic are one row: "3 of x". */
static void add_traffic(Table *table, const KernelWork *work, bool writes, bool shares)
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
        if (count[1] == 0 || is_partial(work, traffic->buffer) || before > 0) {
            continue;
        }
        const char *verb = !writes ? "reads" : traffic->atomic ? "updates" : "writes";
        const char *name = same > 1
                               ? arena_printf(c->arena, "%zu of %s", same, traffic->buffer->text)
                               : traffic->buffer->text;
        Row row = {{any ? "" : verb, name, core_prim_text(traffic->buffer->prim),
                    count_text(c, count, traffic->times), bytes_text(c, traffic, count),
                    per_text(traffic)}};
        vec_push(c->arena, &table->rows, row);
        any = true;
    }
    if (!any && (!shares || (work->rows && !writes))) {
        Row row = {{writes ? "writes" : "reads", "nothing", "", "", "", ""}};
        vec_push(c->arena, &table->rows, row);
    }
}

/* What work-groups leave for each other; says whether there is any. */
static bool add_partials(Table *table, const KernelWork *work)
{
    Compilation *c = table->c;
    Row last = {{NULL}};
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
        Row row = {{table->rows.count == begin ? "shares" : "", buffer->text,
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

static void print_kernel(Compilation *c, Text *out, const KernelWork *work, size_t number,
                         int indent)
{
    text_spaces(out, indent);
    text_printf(out, "%zu  %s  (%s)\n", number, kind_of(c, work), work->kernel->text);
    for (size_t i = 0; i < work->spans.count; i++) {
        print_line(c, out, work->spans.items[i], indent + 2);
    }
    Table table = {.c = c, .columns = 6, .indent = indent + 9};
    Table partials = table;
    bool shares = add_partials(&partials, work);
    add_traffic(&table, work, false, shares);
    add_traffic(&table, work, true, shares);
    for (size_t i = 0; i < partials.rows.count; i++) {
        vec_push(c->arena, &table.rows, partials.rows.items[i]);
    }
    print_table(&table, out);
}

/* What the host does around kernels, with its line. */
static void print_around(Pipeline *p, Text *out, const KernelEntry *entry,
                         const KernelAround *around, int indent)
{
    const KernelCmd *command = around->command;
    unsigned waits = kernel_host_reads(command);
    text_spaces(out, indent);
    if (command->kind == KERNEL_FOR) {
        text_printf(out, "in a loop of the host, %s iterations",
                    kernel_size_text(p->c, p->kernels, entry, command->count));
    } else if (command->kind == KERNEL_WHILE) {
        text_string(out, "in a loop of the host, as long as a condition holds");
    } else {
        const char *condition = kernel_size_text(p->c, p->kernels, entry, command->value);
        bool is_known = strchr(condition, '?') == NULL;
        text_printf(out, around->otherwise ? "where not %s%s%s" : "where %s%s%s",
                    around->otherwise ? "(" : "", is_known ? condition : "a condition holds",
                    around->otherwise ? ")" : "");
    }
    if (command->kind != KERNEL_IF && waits > 0) {
        text_printf(out, "; in each the host waits for %u value%s of the device", waits,
                    waits == 1 ? "" : "s");
    }
    text_string(out, ":\n");
    if (command->kind != KERNEL_IF && command->span.file && !command->span.file->is_prelude) {
        print_line(p->c, out, command->span, indent + 2);
    }
}

static void print_kernels(Pipeline *p, Text *out, const KernelEntry *entry,
                          const KernelWorkVec *works, size_t *number)
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
        print_kernel(p->c, out, &works->items[i], ++*number, 2 + 2 * (int)around->count);
        before = around;
    }
}

static void print_entries(Pipeline *p, Text *out)
{
    size_t kernels = 0, inside = 0, number = 0;
    KernelWorkVec *works = ARENA_ARRAY(p->c->arena, KernelWorkVec, p->kernels->entry_count + 1);
    for (size_t i = 0; i < p->kernels->entry_count; i++) {
        works[i] = kernel_work(p->c, p->kernels, &p->kernels->entries[i]);
        kernels += works[i].count;
        for (size_t k = 0; k < works[i].count; k++) {
            bool repeats = false;
            for (size_t a = 0; a < works[i].items[k].around.count; a++) {
                repeats = repeats || works[i].items[k].around.items[a].command->kind != KERNEL_IF;
            }
            inside += repeats;
        }
    }
    text_printf(out, "\nKernels: %zu", kernels);
    if (inside > 0) {
        text_printf(out, ", %zu of them in a loop of the host", inside);
    }
    text_char(out, '\n');
    for (size_t i = 0; i < p->kernels->entry_count; i++) {
        if (p->kernels->entry_count > 1) {
            text_printf(out, "  entry %s\n", p->kernels->entries[i].interface->name);
        }
        print_kernels(p, out, &p->kernels->entries[i], &works[i], &number);
    }
}

/* ---- the command ------------------------------------------------------------------------------
 */

int command_explain(const Command *command)
{
    Compilation *c = command->c;
    Pipeline p;
    if (command->output && files_same(command->file, command->output)) {
        fprintf(stderr, "tailor: %s: the output would replace the program\n", command->output);
        return EXIT_ERROR;
    }
    if (!compile_file(command, FORM_KERNELS, KERNEL_PARALLEL, &p)) {
        return EXIT_ERROR;
    }
    Text text = text_create(c->arena);
    bool ok;
    if (command->dot || command->svg) {
        explain_graphs(&p, &text);
    } else {
        text_printf(&text, "%s\n",
                    strcmp(command->file, "-") == 0 ? "standard input" : command->file);
        print_done(c, &text, p.fusion);
        print_flattened(&text, p.rule_counts);
        print_entries(&p, &text);
        print_left(c, &text, p.fusion);
    }
    if (command->svg) {
        ok = explain_draw(c, command->output, text_get(&text), text.length);
    } else {
        ok = files_write(c, command->output, text_get(&text), text.length);
    }
    return ok ? EXIT_OK : EXIT_ERROR;
}
