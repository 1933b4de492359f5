/* A stream of bytes with places, for values.c: a window on a stream, or all of a text.

       [10, 11, 1|2, 13]      a token that the window's end cuts moves to the window's beginning

   Lines are counted where white space is passed; a column is the distance from the line's first
   byte. */
#include "runtime/values.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1 << 16, MOST_TOKEN = 1 << 20 };

tl_reader tl_reader_text(const char *text, size_t length)
{
    return (tl_reader){.at = text, .begin = text, .end = text + length, .line = 1};
}

tl_reader tl_reader_stream(FILE *stream)
{
    static const char nothing[1];
    return (tl_reader){
        .stream = stream, .at = nothing, .begin = nothing, .end = nothing, .line = 1};
}

void tl_reader_free(tl_reader *reader)
{
    free(reader->buffer);
    reader->buffer = NULL;
}

/* Reads more of the stream behind what is left of the window; false where there is no more. */
static bool fill(tl_reader *reader)
{
    size_t left = (size_t)(reader->end - reader->at);
    if (!reader->stream || left >= MOST_TOKEN) {
        return false;
    }
    if (left + WINDOW / 2 > reader->capacity) {
        size_t capacity = reader->capacity ? 2 * reader->capacity : WINDOW;
        char *buffer = malloc(capacity);
        if (!buffer) {
            tl_fatal("WS FULL", "%zu bytes", capacity);
        }
        memcpy(buffer, reader->at, left);
        free(reader->buffer);
        reader->buffer = buffer;
        reader->capacity = capacity;
    } else {
        memmove(reader->buffer, reader->at, left);
    }
    reader->passed += reader->at - reader->begin;
    reader->begin = reader->at = reader->buffer;
    size_t got = fread(reader->buffer + left, 1, reader->capacity - left, reader->stream);
    reader->end = reader->buffer + left + got;
    return got > 0;
}

bool tl_reader_has(tl_reader *reader, size_t count)
{
    while ((size_t)(reader->end - reader->at) < count) {
        if (!fill(reader)) {
            return false;
        }
    }
    return true;
}

int tl_reader_peek(tl_reader *reader)
{
    return reader->at < reader->end || fill(reader) ? (unsigned char)*reader->at : EOF;
}

bool tl_is_space(int byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

int tl_reader_skip_space(tl_reader *reader)
{
    for (int byte;; reader->at++) {
        byte = tl_reader_peek(reader);
        if (byte == '\n') {
            reader->line++;
            reader->line_start = reader->passed + (reader->at + 1 - reader->begin);
        } else if (!tl_is_space(byte)) {
            return byte;
        }
    }
}

bool tl_reader_at_end(tl_reader *reader)
{
    return tl_reader_skip_space(reader) == EOF;
}

static bool in_word(int byte)
{
    return isalnum(byte) || byte == '.' || byte == '_' || byte == '+' || byte == '-';
}

size_t tl_reader_word(tl_reader *reader)
{
    size_t length = 0;
    for (;;) {
        size_t there = (size_t)(reader->end - reader->at);
        while (length < there && in_word((unsigned char)reader->at[length])) {
            length++;
        }
        if (length < there || !fill(reader)) {
            return length;
        }
    }
}

int64_t tl_reader_column(const tl_reader *reader)
{
    return reader->passed + (reader->at - reader->begin) - reader->line_start + 1;
}
