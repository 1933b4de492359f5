/* Source files, and the two lines that show a span of one: the source line and carets under it,
   aligned by what a terminal shows (wide characters take two columns, combining ones none). */
#include "base/source.h"

#include "base/text.h"
#include "base/vec.h"

SourceFile *source_create(Arena *arena, const char *name, const char *text, size_t length)
{
    static const char mark[] = "\xEF\xBB\xBF";
    SourceFile *source = ARENA_NEW(arena, SourceFile);
    if (length >= sizeof mark - 1 && memcmp(text, mark, sizeof mark - 1) == 0) {
        text += sizeof mark - 1;
        length -= sizeof mark - 1;
    }
    source->name = name;
    source->text = arena_text(arena, text, length);
    source->length = length;
    VEC(uint32_t) starts = {0};
    vec_push(arena, &starts, 0);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n')
            vec_push(arena, &starts, (uint32_t)i + 1);
    }
    source->line_starts = starts.items;
    source->line_count = starts.count;
    return source;
}

/* Index of the line that holds a byte: binary search. */
static size_t line_of(const SourceFile *source, uint32_t offset)
{
    size_t low = 0, high = source->line_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (source->line_starts[middle] <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Lines longer than this many bytes are shown in part, around the span. */
enum { LONGEST_SHOWN = 240 };

Place source_place(Arena *arena, Span span)
{
    const SourceFile *source = span.file;
    if (span.start > source->length)
        span.start = (uint32_t)source->length;
    if (span.end > source->length)
        span.end = (uint32_t)source->length;
    size_t line = line_of(source, span.start);
    size_t start = source->line_starts[line];
    size_t end = line + 1 < source->line_count ? source->line_starts[line + 1] - 1 : source->length;
    if (end > start && source->text[end - 1] == '\r')
        end--;
    size_t shown_from = start, shown_to = end;
    if (end - start > LONGEST_SHOWN) {
        if (span.start - start > LONGEST_SHOWN / 2)
            shown_from = span.start - LONGEST_SHOWN / 2;
        while (shown_from > start && ((unsigned char)source->text[shown_from] & 0xC0) == 0x80)
            shown_from--;
        if (shown_to - shown_from > LONGEST_SHOWN)
            shown_to = shown_from + LONGEST_SHOWN;
        while (shown_to < end && ((unsigned char)source->text[shown_to] & 0xC0) == 0x80)
            shown_to++;
    }
    Text shown = text_create(arena), carets = text_create(arena);
    unsigned column = 1;
    int caret_count = 0;
    for (size_t i = start; i < shown_to;) {
        uint32_t codepoint;
        size_t length = utf8_decode(source->text + i, shown_to - i, &codepoint);
        bool printable = length && codepoint >= ' ' && codepoint != 127;
        if (!length)
            length = 1;
        if (i < span.start && i + length <= span.start)
            column++;
        if (i >= shown_from) {
            if (printable) {
                text_append(&shown, source->text + i, length);
            } else {
                text_char(&shown, ' ');
            }
            int width = printable ? codepoint_width(codepoint) : 1;
            bool under = i + length > span.start && i < span.end;
            for (int k = 0; k < width; k++) {
                if (under) {
                    text_char(&carets, '^');
                    caret_count++;
                } else if (i < span.start) {
                    text_char(&carets, ' ');
                }
            }
        }
        i += length;
    }
    if (caret_count == 0)
        text_char(&carets, '^');
    return (Place){(unsigned)line + 1, column, text_get(&shown), text_get(&carets)};
}

unsigned source_line(Span span)
{
    return (unsigned)line_of(span.file, span.start) + 1;
}

bool span_is_same(Span a, Span b)
{
    return a.file == b.file && a.start == b.start && a.end == b.end;
}

Span span_join(Span first, Span last)
{
    if (!first.file)
        return last;
    if (!last.file || last.file != first.file)
        return first;
    return (Span){first.file, first.start < last.start ? first.start : last.start,
                  first.end > last.end ? first.end : last.end};
}
