/* Reading and writing values in core's syntax and as .npy files. Private to the runtime; no file is
   opened and no error is reported here, so that all of it can be tested as functions.

       [[1, 2], [3, 4]]    2.5f32    "text"    empty([0][3]i64) */
#ifndef RUNTIME_VALUES_H
#define RUNTIME_VALUES_H

#include "runtime/tailor.h"

/* A value that was read: row-major elements. Scalars have rank 0 and one element. */
typedef struct tl_array {
    int64_t *shape; /* malloc'ed, as is data */
    void *data;
    int64_t count;
} tl_array;
void tl_array_free(tl_array *array);
/* Whether an array of that shape could be, were its empty axes not empty: nothing that counts its
   rows overflows, then. */
bool tl_shape_fits(tl_type type, int rank, const int64_t *shape);

/* What is wrong with a value, and where. */
typedef struct tl_problem {
    const char *error; /* "SYNTAX ERROR" */
    char message[256];
    int64_t line, column; /* from 1; column counts bytes; 0: it is about the whole value */
} tl_problem;
__attribute__((format(printf, 3, 4))) bool tl_wrong(tl_problem *problem, const char *error,
                                                    const char *format, ...); /* false */

/* ---- a stream of bytes with places (reader.c) ------------------------------------------------ */

typedef struct tl_reader {
    FILE *stream; /* NULL: all there is lies between at and end */
    const char *at, *end;
    char *buffer; /* of a stream */
    size_t capacity;
    int64_t passed; /* bytes before `begin` */
    const char *begin;
    int64_t line, line_start; /* of the present line: its number and its first byte's */
} tl_reader;

tl_reader tl_reader_text(const char *text, size_t length);
tl_reader tl_reader_stream(FILE *stream);
void tl_reader_free(tl_reader *reader);
/* The next byte, or EOF; the next one that is not white space. */
int tl_reader_peek(tl_reader *reader);
int tl_reader_skip_space(tl_reader *reader);
/* Whether that many bytes are in the window, now at least. */
bool tl_reader_has(tl_reader *reader, size_t count);
/* The length of the run of letters, digits, signs and points that begins here; all of it is in the
   window. */
size_t tl_reader_word(tl_reader *reader);
int64_t tl_reader_column(const tl_reader *reader); /* from 1 */
/* Passes white space; whether nothing is left. */
bool tl_reader_at_end(tl_reader *reader);
bool tl_is_space(int byte);

/* ---- reading (values.c) ---------------------------------------------------------------------- */

/* One value of that type and rank. What comes behind it is left, but has to be white space. */
bool tl_read_value(tl_reader *reader, tl_type type, int rank, tl_array *array, tl_problem *problem);

/* ---- writing (put_values.c) ------------------------------------------------------------------ */

/* As tl_read_value would read it, without a line end. */
void tl_put_value(FILE *out, tl_type type, int rank, const int64_t *shape, const void *data);

/* ---- .npy files (npy.c) ---------------------------------------------------------------------- */

/* Whether the bytes begin as those of a .npy file. */
bool tl_is_npy(const char *bytes, size_t length);
/* The array in a .npy file's bytes, as elements of that type: of the same kind and not wider, or
   whole numbers that reals hold exactly. */
bool tl_read_npy(const char *bytes, size_t length, tl_type type, int rank, tl_array *array,
                 tl_problem *problem);
/* Writes a .npy file of version 1.0; false where the stream has an error. */
bool tl_write_npy(FILE *out, tl_type type, int rank, const int64_t *shape, const void *data);

/* ---- shared with read.c ---------------------------------------------------------------------- */

/* A file's bytes, malloc'ed and NUL-terminated; NULL with errno set. */
char *tl_load(FILE *stream, size_t *length);
/* Stores the number spelled at [at, end) as `type`; NULL, or what is wrong with it ("is too
 * large").
 */
const char *tl_store_number(tl_type type, const char *at, const char *end, void *to);
/* Decodes one character of UTF-8; its length in bytes, or 0. */
size_t tl_decode(const char *at, size_t length, uint32_t *code);

#endif
