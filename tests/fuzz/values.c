/* Fuzz target: what reads data. The first byte says which reader, the second one type and rank; the
   rest is what is read:

       n number             f file of numbers or text      c table
       v value              s value of a stream            p .npy
       u UTF-8              r reals

   What was read is written and read again, which has to give the same; readers of one format agree.
 */
#include "tests/fuzz/fuzz.h"
#include "runtime/values.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct Input {
    const char *text; /* malloc'ed in its exact size, so that reading beyond it is seen */
    size_t length;
    tl_type type;
    int rank;
} Input;

enum { MOST_RANK = 5, TYPE_COUNT = 6 };

/* ---- numbers and text ------------------------------------------------------------------------ */

static void read_number(const Input *input)
{
    char *text = malloc(input->length + 1);
    memcpy(text, input->text, input->length);
    text[input->length] = '\0';
    const char *problem = NULL;
    double value = 0; /* as large as any */
    tl_parse_number(input->type == TL_CHAR ? TL_F64 : input->type, text, &value, &problem);
    free(text);
}

/* The input as a file, by its name. */
static int open_input(const Input *input, char name[40])
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0 || write(fd, input->text, input->length) != (ssize_t)input->length) {
        fuzz_fail("no file in memory");
    }
    snprintf(name, 40, "/proc/self/fd/%d", fd);
    return fd;
}

static void read_file(const Input *input)
{
    char name[40];
    int fd = open_input(input, name);
    const char *problem = NULL;
    int64_t count = 0;
    void *data = tl_read(input->type, name, &count, &problem);
    if (!data && !problem) {
        fuzz_fail("a file is refused without a reason");
    }
    if (data && input->type == TL_CHAR) {
        char *again = tl_utf8(data, count);
        if (memcmp(again, input->text, input->length) != 0) {
            fuzz_fail("text read and written is not the same");
        }
        free(again);
    }
    free(data);
    close(fd);
}

/* A table's numbers in row-major order are those of the file without its lines. */
static void read_table(const Input *input)
{
    char name[40];
    int fd = open_input(input, name);
    tl_type type = input->type == TL_CHAR ? TL_F64 : input->type;
    const char *problem = NULL;
    int64_t shape[2] = {0}, count = 0;
    void *table = tl_read_array(TL_CSV, type, 2, name, shape, &problem);
    if (!table && !problem) {
        fuzz_fail("a table is refused without a reason");
    }
    if (table && !memchr(input->text, ';', input->length)) {
        void *numbers = tl_read(type, name, &count, &problem);
        if (!numbers || count != shape[0] * shape[1] ||
            memcmp(numbers, table, (size_t)count * tl_type_size(type)) != 0) {
            fuzz_fail("a table's numbers are not the file's");
        }
        free(numbers);
    }
    free(table);
    close(fd);
}

/* The compiler's and the runtime's decoder. */
static void decode(const Input *input)
{
    for (size_t at = 0; at < input->length;) {
        uint32_t first = 0, second = 0;
        size_t there = input->length - at;
        size_t length = utf8_decode(input->text + at, there, &first);
        if (length != tl_decode(input->text + at, there, &second) ||
            (length > 0 && first != second)) {
            fuzz_fail("decoders differ at byte %zu", at);
        }
        at += length ? length : 1;
    }
}

/* Any bits as reals: their texts read back to them. */
static void print_reals(const Input *input)
{
    Arena *arena = arena_create();
    for (size_t at = 0; at + sizeof(double) <= input->length; at += sizeof(double)) {
        double value, again;
        char text[64];
        memcpy(&value, input->text + at, sizeof value);
        again = strtod(text_of_double(arena, value), NULL);
        if (!(again == value) && !(isnan(again) && isnan(value))) {
            fuzz_fail("%a is printed as %a", value, again);
        }
        tl_format_scalar(text, TL_F64, &value, 17);
        const char *problem;
        if (!tl_parse_number(TL_F64, text, &again, &problem) ||
            (!(again == value) && !(isnan(again) && isnan(value)))) {
            fuzz_fail("%a is formatted as %s", value, text);
        }
        for (int digits = 1; digits < 17; digits++) {
            tl_format_scalar(text, TL_F64, &value, digits);
        }
    }
    arena_destroy(arena);
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool same_elements(tl_type type, const tl_array *a, const tl_array *b)
{
    if (type != TL_F32 && type != TL_F64) {
        return memcmp(a->data, b->data, (size_t)a->count * tl_type_size(type)) == 0;
    }
    for (int64_t i = 0; i < a->count; i++) { /* a nan is a nan */
        double x = type == TL_F64 ? ((double *)a->data)[i] : (double)((float *)a->data)[i];
        double y = type == TL_F64 ? ((double *)b->data)[i] : (double)((float *)b->data)[i];
        if (!(isnan(x) && isnan(y)) && (!(x == y) || signbit(x) != signbit(y))) {
            return false;
        }
    }
    return true;
}

static bool same_array(const Input *input, const tl_array *a, const tl_array *b)
{
    return a->count == b->count &&
           memcmp(a->shape, b->shape, (size_t)input->rank * sizeof *a->shape) == 0 &&
           same_elements(input->type, a, b);
}

/* Written in this form it is read again. */
static void check_written(const Input *input, const tl_array *array, bool npy)
{
    char *written = NULL;
    size_t length = 0;
    tl_array again;
    tl_problem problem;
    FILE *out = open_memstream(&written, &length);
    bool ok = out != NULL;
    if (npy) {
        ok = tl_write_npy(out, input->type, input->rank, array->shape, array->data);
    } else {
        tl_put_value(out, input->type, input->rank, array->shape, array->data);
    }
    fclose(out);
    tl_reader reader = tl_reader_text(written, length);
    ok = ok && (npy ? tl_read_npy(written, length, input->type, input->rank, &again, &problem)
                    : tl_read_value(&reader, input->type, input->rank, &again, &problem));
    if (!ok) {
        fuzz_fail("what was written is not read: %s", problem.message);
    }
    if (!same_array(input, array, &again)) {
        fuzz_fail("read again it is not the same: %.200s", npy ? ".npy" : written);
    }
    tl_array_free(&again);
    free(written);
}

static void read_value(const Input *input, bool is_stream)
{
    FILE *stream = is_stream ? fmemopen((void *)input->text, input->length, "rb") : NULL;
    tl_reader reader =
        stream ? tl_reader_stream(stream) : tl_reader_text(input->text, input->length);
    tl_array array;
    tl_problem problem;
    while (!tl_reader_at_end(&reader) &&
           tl_read_value(&reader, input->type, input->rank, &array, &problem)) {
        check_written(input, &array, false);
        check_written(input, &array, true);
        tl_array_free(&array);
    }
    tl_reader_free(&reader);
    if (stream) {
        fclose(stream);
    }
}

static void read_npy(const Input *input)
{
    tl_array array;
    tl_problem problem;
    if (!tl_read_npy(input->text, input->length, input->type, input->rank, &array, &problem)) {
        return;
    }
    check_written(input, &array, false);
    check_written(input, &array, true);
    tl_array_free(&array);
}

void fuzz_input(const uint8_t *bytes, size_t size)
{
    if (size < 3) {
        return;
    }
    char *text = malloc(size - 2);
    if (!text) {
        fuzz_fail("no memory");
    }
    memcpy(text, bytes + 2, size - 2);
    Input input = {text, size - 2, (tl_type)(bytes[1] % TYPE_COUNT),
                   bytes[1] / TYPE_COUNT % MOST_RANK};
    switch (bytes[0]) {
    case 'n': read_number(&input); break;
    case 'f': read_file(&input); break;
    case 'c': read_table(&input); break;
    case 'v': read_value(&input, false); break;
    case 's': read_value(&input, true); break;
    case 'p': read_npy(&input); break;
    case 'u': decode(&input); break;
    case 'r': print_reals(&input); break;
    default: break;
    }
    free(text);
}
