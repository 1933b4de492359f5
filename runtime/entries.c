/* What an entry is given, and what it gives.

       $ dot [1,2,3] @ys.npy          dot (xs : [n]f64, ys : [n]f64) : (f64)
       14.0

   Values come from the command line, in the order of the parameters: in core's syntax, or @FILE for
   a file with a value or a .npy file. Values for parameters beyond those are read from standard
   input. Sizes that nobody gives are taken from the shapes of the arrays; all shapes have to agree
   on them. The first thing that is wrong ends the program with exit code 1 and the parameter's name
   and type. A library's call (library.c) gives values by tl_entry_set instead, and says where
   results go. */
#include "runtime/entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WHERE_SIZE = 400 };

static tl_run_state *run(void)
{
    return &tl_current->run;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Where a value comes from: the command line (NULL), a file, or standard input. */
_Noreturn static void complain(const tl_parameter *parameter, const char *file,
                               const tl_problem *problem)
{
    char where[WHERE_SIZE] = "";
    if (problem->line > 0 && file) {
        snprintf(where, sizeof where, " (%s:%lld:%lld)", file, (long long)problem->line,
                 (long long)problem->column);
    } else if (file) {
        snprintf(where, sizeof where, " (%s)", file);
    } else if (problem->line > 0) {
        snprintf(where, sizeof where, " (character %lld)", (long long)problem->column);
    }
    tl_fatal(problem->error, "%s : %s%s: %s", parameter->name, parameter->type_text, where,
             problem->message);
}

static void read_from(tl_reader *reader, const tl_parameter *parameter, const char *file,
                      tl_array *array, bool is_all)
{
    tl_problem problem;
    bool ok = tl_read_value(reader, parameter->type, parameter->rank, array, &problem);
    if (ok && is_all && !tl_reader_at_end(reader)) {
        problem.line = reader->line;
        problem.column = tl_reader_column(reader);
        ok = tl_wrong(&problem, "SYNTAX ERROR", "more follows the value");
    }
    if (!ok) {
        complain(parameter, file, &problem);
    }
}

/* A file that may be a pipe: .npy by its first bytes, else text. */
static void read_file(const char *file, const tl_parameter *parameter, tl_array *array)
{
    tl_problem problem = {0};
    FILE *stream = fopen(file, "rb");
    size_t length;
    char *bytes = stream ? tl_load(stream, &length) : NULL;
    if (!bytes) {
        bool memory = errno == ENOMEM;
        tl_wrong(&problem, memory ? "WS FULL" : "DOMAIN ERROR", "%s", strerror(errno));
        complain(parameter, file, &problem);
    }
    fclose(stream);
    if (!tl_is_npy(bytes, length)) {
        tl_reader reader = tl_reader_text(bytes, length);
        read_from(&reader, parameter, file, array, true);
    } else if (!tl_read_npy(bytes, length, parameter->type, parameter->rank, array, &problem)) {
        complain(parameter, file, &problem);
    }
    free(bytes);
}

static void read_word(const char *word, const tl_parameter *parameter, tl_array *array)
{
    if (word[0] == '@') {
        read_file(word + 1, parameter, array);
        return;
    }
    tl_reader reader = tl_reader_text(word, strlen(word));
    read_from(&reader, parameter, NULL, array, true);
}

/* ---- sizes ---------------------------------------------------------------------------------- */

static void set_size(int size, int64_t value)
{
    tl_array *array = &run()->values[size];
    array->data = malloc(sizeof value);
    array->shape = calloc(1, sizeof *array->shape);
    if (!array->data || !array->shape) {
        tl_fatal("WS FULL", "%zu bytes", sizeof value);
    }
    memcpy(array->data, &value, sizeof value);
    array->count = 1;
}

_Noreturn static void extents_differ(const tl_parameter *parameter, int axis, int64_t extent,
                                     const tl_extent *wanted, int64_t value)
{
    char along[32] = "", why[256] = "";
    if (parameter->rank > 1) {
        snprintf(along, sizeof along, " along axis %d", axis);
    }
    if (wanted->parameter >= 0) {
        const tl_parameter *size = &run()->entry->parameters[wanted->parameter];
        const tl_parameter *source = run()->sources[wanted->parameter];
        if (source) {
            snprintf(why, sizeof why, ", %s of %s", size->name, source->name);
        } else {
            snprintf(why, sizeof why, ", the value of %s", size->name);
        }
    }
    tl_fatal("LENGTH ERROR", "%s : %s has %lld element%s%s, not %lld%s", parameter->name,
             parameter->type_text, (long long)extent, extent == 1 ? "" : "s", along,
             (long long)value, why);
}

/* The shape of a parameter's value against what its type says; tells sizes that are not known yet.
 */
static void check_shape(int number)
{
    const tl_parameter *parameter = &run()->entry->parameters[number];
    for (int k = 0; k < parameter->rank; k++) {
        const tl_extent *wanted = &parameter->extents[k];
        int64_t extent = run()->values[number].shape[k], value = wanted->constant;
        if (wanted->parameter >= 0 && !run()->values[wanted->parameter].data) {
            set_size(wanted->parameter, extent);
            run()->sources[wanted->parameter] = parameter;
        }
        if (wanted->parameter >= 0) {
            memcpy(&value, run()->values[wanted->parameter].data, sizeof value);
        }
        if (value != extent) {
            extents_differ(parameter, k, extent, wanted, value);
        }
    }
}

/* ---- all of them ---------------------------------------------------------------------------- */

_Noreturn static void missing(const tl_entry *entry, const tl_parameter *parameter, int given)
{
    int wanted = entry->parameter_count - entry->size_count;
    fflush(stdout);
    fprintf(stderr, "%s: no value for %s : %s; %s %s takes %d value%s, and %d %s given\n",
            tl_program_name(), parameter->name, parameter->type_text, entry->name, entry->signature,
            wanted, wanted == 1 ? "" : "s", given, given == 1 ? "was" : "were");
    exit(2);
}

static void read_standard_input(int first)
{
    const tl_entry *entry = run()->entry;
    tl_reader reader = tl_reader_stream(stdin);
    int given = first - entry->size_count;
    for (int i = first; i < entry->parameter_count; i++) {
        if ((i == first && isatty(STDIN_FILENO)) || tl_reader_at_end(&reader)) {
            missing(entry, &entry->parameters[i], given);
        }
        read_from(&reader, &entry->parameters[i], "standard input", &run()->values[i],
                  i + 1 == entry->parameter_count);
        check_shape(i);
        given++;
    }
    tl_reader_free(&reader);
}

void tl_entry_begin(const tl_entry *entry, const char *output)
{
    *run() = (tl_run_state){.entry = entry, .output = output};
    run()->values = calloc((size_t)entry->parameter_count + 1, sizeof *run()->values);
    run()->sources = calloc((size_t)entry->parameter_count + 1, sizeof *run()->sources);
    if (!run()->values || !run()->sources) {
        tl_fatal("WS FULL", "%d parameters", entry->parameter_count);
    }
}

void tl_entry_set(int parameter, tl_array value)
{
    run()->values[parameter] = value;
    check_shape(parameter);
}

void tl_entry_values(const tl_entry *entry, int count, char **words, const char *output)
{
    int next = entry->size_count;
    tl_entry_begin(entry, output);
    for (int i = 0; i < count; i++, next++) {
        read_word(words[i], &entry->parameters[next], &run()->values[next]);
        check_shape(next);
    }
    if (next < entry->parameter_count) {
        read_standard_input(next);
    }
}

static bool is_owned(int parameter)
{
    return !run()->is_borrowed || parameter < run()->entry->size_count;
}

void tl_parameter_done(int parameter)
{
    if (!tl_repeats() && is_owned(parameter)) {
        tl_array_free(&run()->values[parameter]);
    }
}

void tl_entry_free(void)
{
    for (int i = 0; run()->values && i < run()->entry->parameter_count; i++) {
        if (is_owned(i)) {
            tl_array_free(&run()->values[i]);
        }
    }
    free(run()->values);
    free(run()->sources);
    run()->values = NULL;
    run()->sources = NULL;
}

const void *tl_parameter_data(int parameter)
{
    return run()->values[parameter].data;
}

const int64_t *tl_parameter_shape(int parameter)
{
    return run()->values[parameter].shape;
}

/* ---- results -------------------------------------------------------------------------------- */

/* FILE.npy, or FILE.2.npy where there are several results. */
static char *result_file(void)
{
    size_t length = strlen(run()->output), size = length + 32;
    char *name = malloc(size);
    bool ends = length > 4 && strcmp(run()->output + length - 4, ".npy") == 0;
    int stem = (int)(ends ? length - 4 : length);
    if (!name) {
        tl_fatal("WS FULL", "%zu bytes", size);
    }
    if (run()->entry->result_count == 1) {
        snprintf(name, size, "%.*s.npy", stem, run()->output);
    } else {
        snprintf(name, size, "%.*s.%d.npy", stem, run()->output, run()->result_count);
    }
    return name;
}

/* A library's result: a scalar into its place, an array as a copy. */
static void hand_over(const tl_taken *taken, tl_type type, int rank, const int64_t *shape,
                      const void *data)
{
    size_t size = tl_type_size(type);
    if (rank == 0) {
        memcpy(taken->place, data, size);
        return;
    }
    for (int k = 0; k < rank; k++) {
        size *= (size_t)shape[k];
        taken->shape[k] = shape[k];
    }
    void *elements = malloc(size > 0 ? size : 1);
    if (!elements) {
        tl_fatal("WS FULL", "%zu bytes", size);
    }
    if (size > 0) {
        memcpy(elements, data, size);
    }
    memcpy(taken->place, &elements, sizeof elements);
}

void tl_result(tl_type type, int rank, const int64_t *shape, const void *data)
{
    if (tl_is_silent()) {
        return;
    }
    run()->result_count++;
    if (run()->taken) {
        hand_over(&run()->taken[run()->result_count - 1], type, rank, shape, data);
        return;
    }
    if (!run()->output) {
        tl_put_value(stdout, type, rank, shape, data);
        putchar('\n');
        return;
    }
    char *name = result_file();
    FILE *out = fopen(name, "wb");
    bool ok = out && tl_write_npy(out, type, rank, shape, data);
    int problem = errno;
    if (out && fclose(out) != 0 && ok) {
        ok = false;
        problem = errno;
    }
    if (!ok) {
        tl_fatal("DOMAIN ERROR", "%s: %s", name, strerror(problem));
    }
    free(name);
}
