/* A generated program's beginning and end: its command line, its failures, its clock and its
   random numbers.

       $ life --n=1200 --generations 100
       life.apl:3:7: LENGTH ERROR: 3 and 4      (on standard error, with the line and a caret)

   All state of the runtime is in a context (context.h); this is a program's. */
#include "runtime/entries.h"
#include "runtime/random.h"
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    SEED_AT_START = 16807,
    PRECISION_AT_START = 10,
    MESSAGE_SIZE = 2048,
    MOST_REPEATS = 1000000
};

tl_context tl_program_context = {
    .program = {.name = "tailor", .seed = SEED_AT_START, .precision = PRECISION_AT_START}};
_Thread_local tl_context *tl_current = &tl_program_context;

static tl_program_state *program(void)
{
    return &tl_current->program;
}

/* ---- failures ------------------------------------------------------------------------------- */

static size_t append(char *text, size_t used, size_t size, const char *more, size_t length)
{
    if (length > size - 1 - used) {
        length = size - 1 - used;
    }
    memcpy(text + used, more, length);
    text[used + length] = '\0';
    return used + length;
}

void tl_fill_message(char *text, size_t size, const char *message, int count, const tl_type *types,
                     const tl_value *values)
{
    size_t used = 0;
    int next = 0;
    text[0] = '\0';
    for (const char *hole; next < count && (hole = strstr(message, "{}")); message = hole + 2) {
        used = append(text, used, size, message, (size_t)(hole - message));
        bool real = types[next] == TL_F32 || types[next] == TL_F64;
        char item[64];
        if (types[next] == TL_F32) {
            float narrow = (float)values[next].real;
            tl_format_scalar(item, TL_F32, &narrow, 10);
        } else {
            tl_format_scalar(item, real ? TL_F64 : TL_I64, &values[next], 10);
        }
        used = append(text, used, size, item, strlen(item));
        next++;
    }
    append(text, used, size, message, strlen(message));
}

/* Ends the program, or the library's call. */
_Noreturn static void end_with(const char *error, const char *text)
{
    if (tl_current->call.out) {
        tl_library_fail(error, text);
    }
    fflush(stdout);
    fprintf(stderr, "%s\n", text);
    const tl_device_functions *device = tl_current->device;
    tl_current->device = NULL; /* in case closing fails too */
    if (device) {
        device->close();
    }
    exit(1);
}

/* The same, of an error at a place, which may be NULL. */
_Noreturn static void end_at(const tl_failure *at, const char *error, const char *message)
{
    char text[2 * MESSAGE_SIZE];
    int length =
        snprintf(text, sizeof text, "%s: %s%s%s", at && at->place ? at->place : program()->name,
                 error, *message ? ": " : "", message);
    if (at && at->source_line && length < (int)sizeof text) {
        snprintf(text + length, sizeof text - (size_t)length, "\n  %s\n  %s", at->source_line,
                 at->caret_line);
    }
    end_with(error, text);
}

_Noreturn void tl_fail(const tl_failure *failure, const tl_value *values)
{
    char message[MESSAGE_SIZE];
    tl_fill_message(message, sizeof message, failure->message, failure->value_count,
                    failure->value_types, values);
    end_at(failure, failure->error, message);
}

void tl_at(const tl_failure *place)
{
    tl_current->run.at = place;
}

_Noreturn void tl_fatal(const char *error, const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    end_at(tl_current->run.at, error, message);
}

/* ---- the command line ----------------------------------------------------------------------- */

const char *tl_program_name(void)
{
    return program()->name;
}

/* Whether some entry takes values, or gives results. */
static bool any_entry(bool takes)
{
    for (int i = 0; i < program()->entry_count; i++) {
        const tl_entry *entry = &program()->entries[i];
        if (takes ? entry->parameter_count > 0 : entry->result_count > 0) {
            return true;
        }
    }
    return false;
}

static void print_entries(FILE *out)
{
    bool one = program()->entry_count == 1;
    if (!any_entry(true) && !any_entry(false) && program()->entry_count < 2) {
        return;
    }
    fprintf(out, one ? "it runs\n" : "entries:\n");
    for (int i = 0; i < program()->entry_count; i++) {
        fprintf(out, "  %s %s\n", program()->entries[i].name, program()->entries[i].signature);
    }
}

static void print_usage(FILE *out)
{
    fprintf(out, "usage: %s", program()->name);
    for (size_t i = 0; program()->parameters[i]; i++) {
        fprintf(out, " [--%s=VALUE]", program()->parameters[i]);
    }
    fprintf(out, "%s%s [--device=D] [--profile] [--repeat=N] [--help]%s\n",
            program()->entry_count > 1 ? " [--entry=NAME]" : "",
            any_entry(false) ? " [--output=FILE.npy]" : "", any_entry(true) ? " VALUE..." : "");
    print_entries(out);
    if (out == stdout && any_entry(true)) {
        fprintf(out,
                "A VALUE is 3, 2.5, true, 'a', [1, 2, 3], [[1, 2], [3, 4]], \"text\", "
                "empty([0][3]i64),\nor @FILE: a file with a value, or a .npy file. Values that "
                "are not given are read from\nstandard input.\n");
    }
}

__attribute__((format(printf, 1, 2))) static _Noreturn void usage_error(const char *format, ...)
{
    fflush(stdout);
    fprintf(stderr, "%s: ", program()->name);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    print_usage(stderr);
    exit(2);
}

/* Where the option --NAME keeps its value; NULL where the program has no such option. */
static const char **value_place(const char *name, size_t length)
{
    for (size_t i = 0; program()->parameters[i]; i++) {
        if (strlen(program()->parameters[i]) == length &&
            memcmp(program()->parameters[i], name, length) == 0) {
            return &program()->values[i];
        }
    }
    const struct {
        const char *name;
        const char **place;
    } own[] = {{"device", &program()->device},
               {"repeat", &program()->repeat},
               {"entry", program()->entry_count > 0 ? &program()->entry : NULL},
               {"output", any_entry(false) ? &program()->output : NULL}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (strlen(own[i].name) == length && memcmp(name, own[i].name, length) == 0) {
            return own[i].place;
        }
    }
    return NULL;
}

static void take_word(char *word)
{
    if (!any_entry(true)) {
        usage_error("unexpected argument '%s'", word);
    }
    program()->words[program()->word_count++] = word;
}

/* Takes argument i (and the next, if its value stands there); returns the last index taken. */
static int take_option(int argc, char **argv, int i)
{
    const char *option = argv[i];
    if (strncmp(option, "--", 2) != 0) {
        take_word(argv[i]);
        return i;
    }
    if (option[2] == '\0') { /* the rest are values */
        while (++i < argc) {
            take_word(argv[i]);
        }
        return i;
    }
    const char *name = option + 2, *equals = strchr(name, '=');
    const char **place = value_place(name, equals ? (size_t)(equals - name) : strlen(name));
    if (place) {
        if (!equals && i + 1 >= argc) {
            usage_error("%s needs a value", option);
        }
        *place = equals ? equals + 1 : argv[i + 1];
        return equals ? i : i + 1;
    }
    if (strcmp(name, "help") == 0) {
        print_usage(stdout);
        exit(fflush(stdout) == 0 ? 0 : 1);
    }
    if (strcmp(name, "profile") != 0) {
        usage_error("unknown option '%s'", option);
    }
    program()->profile = true;
    return i;
}

/* Numbers are checked before anything runs, as far as that is possible without their types. */
static void check_values(void)
{
    for (size_t i = 0; program()->parameters[i]; i++) {
        double value;
        const char *problem;
        if (program()->values[i] &&
            !tl_parse_number(TL_F64, program()->values[i], &value, &problem)) {
            usage_error("--%s: '%s' %s", program()->parameters[i], program()->values[i], problem);
        }
    }
}

static void check_repeat(void)
{
    int64_t repeats;
    const char *problem;
    if (!program()->repeat) {
        return;
    }
    if (!tl_parse_number(TL_I64, program()->repeat, &repeats, &problem)) {
        usage_error("--repeat: '%s' %s", program()->repeat, problem);
    }
    if (repeats < 1 || repeats > MOST_REPEATS) {
        usage_error("--repeat: '%s' is not from 1 to %d", program()->repeat, MOST_REPEATS);
    }
    tl_repeat(repeats);
}

/* The entry that was asked for, main, or the only one. */
static int choose_entry(void)
{
    const char *name = program()->entry ? program()->entry : "main";
    for (int i = 0; i < program()->entry_count; i++) {
        if (strcmp(program()->entries[i].name, name) == 0) {
            return i;
        }
    }
    if (program()->entry) {
        usage_error("there is no entry '%s'", program()->entry);
    } else if (program()->entry_count == 0) {
        usage_error("the program has no entry");
    } else if (program()->entry_count > 1) {
        usage_error("say which entry to run by --entry=NAME");
    }
    return 0;
}

int tl_begin_entries(int argc, char **argv, const char *program_name, const char *const *parameters,
                     int entry_count, const struct tl_entry *entries)
{
    program()->entry_count = entry_count;
    program()->entries = entries;
    tl_begin(argc, argv, program_name, parameters);
    int chosen = choose_entry();
    const tl_entry *entry = &entries[chosen];
    int wanted = entry->parameter_count - entry->size_count;
    if (program()->word_count > wanted) {
        usage_error("unexpected argument '%s': %s %s takes %d value%s", program()->words[wanted],
                    entry->name, entry->signature, wanted, wanted == 1 ? "" : "s");
    }
    tl_entry_values(entry, program()->word_count, program()->words, program()->output);
    free(program()->words);
    program()->words = NULL;
    return chosen;
}

void tl_program_start(tl_program_state *state, const char *name)
{
    state->name = name;
    state->seed = SEED_AT_START;
    state->precision = PRECISION_AT_START;
    clock_gettime(CLOCK_MONOTONIC, &state->begin);
}

void tl_begin(int argc, char **argv, const char *program_name, const char *const *parameters)
{
    static const char *const none[] = {NULL};
    program()->name = program_name;
    clock_gettime(CLOCK_MONOTONIC, &program()->begin);
#ifdef __GLIBC__
    /* Blocks of the size of arrays are kept for the next array rather than given back each time. */
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
    program()->parameters = parameters ? parameters : none;
    size_t count = 0;
    while (program()->parameters[count]) {
        count++;
    }
    free(program()->values);
    program()->values = calloc(count + 1, sizeof *program()->values);
    program()->word_count = 0;
    program()->words = calloc((size_t)argc + 1, sizeof *program()->words);
    if (!program()->values || !program()->words) {
        tl_fatal("WS FULL", "%zu bytes", (count + 1) * sizeof *program()->values);
    }
    for (int i = 1; i < argc; i++) {
        i = take_option(argc, argv, i);
    }
    check_values();
    check_repeat();
    if (!program()->device) {
        program()->device = getenv("TAILOR_DEVICE");
    }
}

int tl_end(void)
{
    tl_entry_free();
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "%s: standard output: %s\n", program()->name, strerror(errno));
        return 1;
    }
    return 0;
}

const char *tl_device_option(void)
{
    return program()->device;
}

bool tl_profile_option(void)
{
    return program()->profile;
}

/* The text given for a program argument; NULL where none was. */
static const char *given_value(const char *name)
{
    for (size_t i = 0; program()->parameters && program()->parameters[i]; i++) {
        if (strcmp(program()->parameters[i], name) == 0) {
            return program()->values[i];
        }
    }
    return NULL;
}

/* What was given for a program argument, as a number of that type; false where nothing was. */
static bool read_argument(const char *name, tl_type type, void *value)
{
    const char *text = given_value(name), *problem;
    if (text && !tl_parse_number(type, text, value, &problem)) {
        usage_error("--%s: '%s' %s", name, text, problem);
    }
    return text != NULL;
}

int64_t tl_argument_int(const char *name, int64_t fallback)
{
    int64_t value;
    return read_argument(name, TL_I64, &value) ? value : fallback;
}

int32_t tl_argument_int32(const char *name, int32_t fallback)
{
    int32_t value;
    return read_argument(name, TL_I32, &value) ? value : fallback;
}

double tl_argument_real(const char *name, double fallback)
{
    double value;
    return read_argument(name, TL_F64, &value) ? value : fallback;
}

float tl_argument_real32(const char *name, float fallback)
{
    float value;
    return read_argument(name, TL_F32, &value) ? value : fallback;
}

/* ---- clock and random numbers ---------------------------------------------------------------- */

int64_t tl_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t nanoseconds = (int64_t)(now.tv_sec - program()->begin.tv_sec) * 1000000000 +
                          (now.tv_nsec - program()->begin.tv_nsec);
    return nanoseconds / 1000000;
}

int64_t tl_draws(int64_t count)
{
    int64_t first = program()->drawn;
    program()->drawn = tl_add_i64(first, count);
    return first;
}

void tl_seed(int64_t seed)
{
    program()->seed = seed;
    program()->drawn = 0;
}

void tl_start_over(void)
{
    tl_seed(SEED_AT_START);
    tl_precision(PRECISION_AT_START);
}

int64_t tl_seed_now(void)
{
    return program()->seed;
}

void tl_precision(int64_t digits)
{
    program()->precision = digits < 1 ? 1 : digits > TL_MOST_PRECISION ? TL_MOST_PRECISION : digits;
}

int64_t tl_precision_now(void)
{
    return program()->precision;
}

int64_t tl_random(int64_t seed, int64_t draw)
{
    return tl_random_i64(seed, draw);
}

void tl_bench(int64_t iterations, int64_t milliseconds)
{
    fflush(stdout);
    fprintf(stderr, "ITERATIONS: %lld\nTIMING: %lld\nAVGTIMING: %.3f\n", (long long)iterations,
            (long long)milliseconds,
            iterations > 0 ? (double)milliseconds / (double)iterations : 0.0);
}
