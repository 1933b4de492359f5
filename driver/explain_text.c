/* Text for `tailor explain`: tables in columns, lines of the source.

       reads   v  bool  10  10 B  a row            cells of a column begin at one place, or end
       writes  t  bool  1   1 B   a row            there; widths are those of a terminal */
#include "driver/explain.h"

/* ---- tables ---------------------------------------------------------------------------------- */

int explain_width(const char *text)
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

void explain_add_row(ExplainTable *table, ExplainRow row)
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

void explain_print_table(const ExplainTable *table, Text *out)
{
    int widths[EXPLAIN_COLUMNS] = {0};
    for (size_t i = 0; i < table->rows.count; i++) {
        for (int k = 0; k < table->columns; k++) {
            int width = explain_width(table->rows.items[i].cells[k]);
            widths[k] = widths[k] > width ? widths[k] : width;
        }
    }
    for (size_t i = 0; i < table->rows.count; i++) {
        text_spaces(out, table->indent);
        int owed = 0; /* blanks that only count before something */
        for (int k = 0; k < table->columns; k++) {
            const char *cell = table->rows.items[i].cells[k];
            int blanks = widths[k] - explain_width(cell);
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

/* ---- places ---------------------------------------------------------------------------------- */

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

Span explain_line(Span span, unsigned number)
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

void explain_print_line(Compilation *c, Text *out, Span span, int indent)
{
    unsigned number = source_line(span);
    text_spaces(out, indent);
    text_printf(out, "%5u  %s\n", number,
                explain_fragment(c, explain_line(span, number), EXPLAIN_LINE));
}
