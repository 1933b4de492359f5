/* `tailor explain`: what became of a program on the GPU.

       Fused       what went into what, and how
       Flattened   how often which rule took nests of maps apart
       Kernels     each with the lines it computes, what it reads and writes for each row, and the
                   loops of the host that it stands in
       Not fused   producers and consumers of an array that are still two, and why

   explain_kernels.c prints the kernels, explain_graph.c the graphs of --dot and --svg. The
   decisions are those that the fuser noted (core/fuse/log.c); what kernels do is counted in the
   kernel program (backend/traffic.c). Lines of the source are shown beside all of it. */
#include "driver/explain.h"
#include "driver/files.h"

enum { FRAGMENT_COLUMNS = 36 };
/* ---- fused ----------------------------------------------------------------------------------- */

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
    for (size_t i = line.start; i < line.end && columns < EXPLAIN_LINE;) {
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
        explain_print_line(c, out, next->span, 4);
        print_carets(c, out, explain_line(next->span, next_line), group, 4);
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
    int column = EXPLAIN_LINE;
    bool first = true;
    for (size_t i = 0; i < group->pairs.count; i++) {
        const CoreFusion *pair = group->pairs.items[i];
        if (pair->rule != rule) {
            continue;
        }
        const char *text = arena_printf(c->arena, "%s → %s", explain_place(c, pair->producer->span),
                                        explain_place(c, pair->consumer->span));
        if (column + explain_width(text) > EXPLAIN_LINE) {
            text_printf(out, "%s    %-26s%s", first ? "" : ",\n", first ? how : "", text);
            column = 30;
        } else {
            text_printf(out, ", %s", text);
        }
        column += explain_width(text) + 2;
        first = false;
    }
    text_string(out, first ? "" : "\n");
}

static void print_done(Compilation *c, Text *out, const CoreFusionLog *log)
{
    static const char *const kinds[][2] = {
        {"map", "map"},       {"reduce", "reduction"}, {"map, reduce", "map and reduction"},
        {"filter", "filter"}, {"scan", "scan"},        {"map, scan", "map and scan"},
        {"stream", "stream"}};
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
        print_pairs(c, out, group, CORE_RULE_FUSE_FILTER, "without keeping rows");
        print_pairs(c, out, group, CORE_RULE_FUSE_MASK, "both kept by one mask");
        print_pairs(c, out, group, CORE_RULE_FUSE_KEEP, "in the filter");
        print_pairs(c, out, group, CORE_RULE_FUSE_VIEW, "computed where it is read");
        print_pairs(c, out, group, CORE_RULE_FUSE_HORIZONTAL, "both read one array");
        print_pairs(c, out, group, CORE_RULE_FUSE_PAIR, "in the kernel of its rows");
        print_pairs(c, out, group, CORE_RULE_FUSE_LAUNCH, "launched together");
        print_pairs(c, out, group, CORE_RULE_FUSE_BRANCH, "in the branch of its use");
        print_pairs(c, out, group, CORE_RULE_FUSE_BEHIND, "in both branches");
        print_pairs(c, out, group, CORE_RULE_FUSE_SINK, "a loop in each element");
        any = true;
    }
    text_string(out, any ? "" : "  nothing\n");
}

/* ---- flattened ------------------------------------------------------------------------------- */

static void print_flattened(Text *out, const size_t *counts)
{
    bool any = false;
    for (int rule = CORE_RULE_FLATTEN_UNSWITCH; rule <= CORE_RULE_FLATTEN_VERSIONS; rule++) {
        if (counts[rule] > 0) {
            text_printf(out, "%s%5zu × %s\n", any ? "" : "\nFlattened\n", counts[rule],
                        core_rule_text((CoreRule)rule));
            any = true;
        }
    }
}

/* ---- not fused ------------------------------------------------------------------------------- */

static const char *reasons(Compilation *c, const CoreFusion *fusion)
{
    const char *rows = core_reason_text(c, fusion->rows, fusion);
    if (fusion->beside) {
        return arena_printf(c->arena, "      not one, though both read %s: %s\n",
                            fusion->array->text, rows);
    }
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
    ExplainTable table = {.c = c, .columns = 8, .indent = 2, .right = 1 | 1 << 4};
    for (size_t i = 0; i < log->left.count; i++) {
        const CoreFusion *fusion = &log->left.items[i];
        const CoreStm *from = fusion->producer, *to = fusion->consumer;
        ExplainRow row = {
            {explain_place(c, from->span), explain_fragment(c, from->span, FRAGMENT_COLUMNS),
             core_stm_kind(c, from), fusion->beside ? "and" : "→", explain_place(c, to->span),
             explain_fragment(c, to->span, FRAGMENT_COLUMNS), core_stm_kind(c, to),
             reasons(c, fusion)}};
        if (!fusion->inner) {
            explain_add_row(&table, row);
        }
    }
    if (table.rows.count == 0) {
        return;
    }
    text_string(out, "\nNot fused\n");
    for (size_t i = 0; i < table.rows.count; i++) { /* the reasons below their pair */
        ExplainTable one = table;
        one.columns = 7;
        one.rows.items = &table.rows.items[i];
        one.rows.count = 1;
        explain_print_table(&one, out);
        text_string(out, table.rows.items[i].cells[7]);
    }
}
/* ---- the command ----------------------------------------------------------------------------- */

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
        explain_kernels(&p, &text);
        print_left(c, &text, p.fusion);
    }
    if (command->svg) {
        ok = explain_draw(c, command->output, text_get(&text), text.length);
    } else {
        ok = files_write(c, command->output, text_get(&text), text.length);
    }
    return ok ? EXIT_OK : EXIT_ERROR;
}
