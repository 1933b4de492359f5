/* `tailor compare FILE`: the program on every backend, and whether they agree.

       $ tailor compare heat.apl -- --n=100
       interp, c, opencl: equal (3 lines, exit code 0)

       $ tailor compare --tolerance=0 sum.apl
       opencl differs from interp in line 1 of standard output:
         interp: 0.3333333333
         opencl: 0.3333333334

   Each backend runs in a process of its own, as `tailor run` does, with the same arguments and the
   same standard input. Numbers may differ by a relative tolerance, since a parallel sum adds in
   another order; errors, exit codes and all other text may not. */
#include "driver/compile.h"
#include "runtime/tailor.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What a backend's process left. */
typedef struct Outcome {
    const char *backend;
    int exit_code; /* 128 + the signal that ended it */
    const char *output, *errors;
} Outcome;

typedef VEC(char *) Words;

/* ---- running -------------------------------------------------------------------------------- */

/* A file that goes with this process. */
static int scratch_file(void)
{
    FILE *file = tmpfile();
    int fd = file ? dup(fileno(file)) : -1;
    if (file) {
        fclose(file);
    }
    return fd;
}

/* Standard input as a file, so that every process can read it from its beginning. A terminal is not
   waited for. */
static bool keep_input(void)
{
    int fd = isatty(STDIN_FILENO) ? open("/dev/null", O_RDONLY) : scratch_file();
    char bytes[1 << 16];
    ssize_t got = 0;
    while (fd >= 0 && !isatty(STDIN_FILENO) &&
           (got = read(STDIN_FILENO, bytes, sizeof bytes)) > 0) {
        if (write(fd, bytes, (size_t)got) != got) {
            return false;
        }
    }
    bool ok = fd >= 0 && got >= 0 && dup2(fd, STDIN_FILENO) >= 0;
    lseek(STDIN_FILENO, 0, SEEK_SET);
    if (fd >= 0) {
        close(fd);
    }
    return ok;
}

static const char *read_back(Arena *arena, int fd)
{
    Text text = text_create(arena);
    char bytes[1 << 14];
    ssize_t got;
    lseek(fd, 0, SEEK_SET);
    while ((got = read(fd, bytes, sizeof bytes)) > 0) {
        text_append(&text, bytes, (size_t)got);
    }
    close(fd);
    return text_get(&text);
}

/* The command line of `tailor run` that does what this command asks for on one backend. */
static Words run_words(const Command *command, const char *backend)
{
    Compilation *c = command->c;
    Words words = {0};
    const char *language = command->language == FORM_SOURCE        ? "core"
                           : command->language == FORM_TAIL_SOURCE ? "tail"
                                                                   : "apl";
    vec_push(c->arena, &words, "tailor");
    vec_push(c->arena, &words, "run");
    vec_push(c->arena, &words, arena_printf(c->arena, "--backend=%s", backend));
    vec_push(c->arena, &words, arena_printf(c->arena, "--int=%d", c->options.int_bits));
    vec_push(c->arena, &words, arena_printf(c->arena, "--real=%d", c->options.real_bits));
    if (c->options.verify_each) {
        vec_push(c->arena, &words, "--verify-each");
    }
    if (command->language_given) {
        vec_push(c->arena, &words, arena_printf(c->arena, "--language=%s", language));
    }
    if (command->device) {
        vec_push(c->arena, &words, arena_printf(c->arena, "--device=%s", command->device));
    }
    if (command->compiler) {
        vec_push(c->arena, &words, arena_printf(c->arena, "--cc=%s", command->compiler));
    }
    vec_push(c->arena, &words, "--"); /* the file's name may begin with - */
    vec_push(c->arena, &words, (char *)command->file);
    vec_push(c->arena, &words, "--");
    for (size_t i = 0; i < command->arguments.count; i++) {
        vec_push(c->arena, &words, (char *)command->arguments.items[i]);
    }
    vec_push(c->arena, &words, NULL);
    return words;
}

/* False after a message where no process could be made. */
static bool run_backend(const Command *command, const char *backend, Outcome *outcome)
{
    Words words = run_words(command, backend);
    int output = scratch_file(), errors = scratch_file(), problem = errno, status = 0;
    posix_spawn_file_actions_t actions;
    pid_t child = -1;
    lseek(STDIN_FILENO, 0, SEEK_SET);
    if (output >= 0 && errors >= 0) {
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
        problem = posix_spawn(&child, "/proc/self/exe", &actions, NULL, words.items, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (output < 0 || errors < 0 || problem != 0) {
        fprintf(stderr, "tailor: cannot run the program: %s\n", strerror(problem));
        return false;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    *outcome =
        (Outcome){.backend = backend,
                  .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                  .output = read_back(command->c->arena, output),
                  .errors = read_back(command->c->arena, errors)};
    return true;
}

/* ---- comparing ------------------------------------------------------------------------------ */

static const char blanks[] = " \t", apart[] = " \t,[]()\"'J";

/* The next word of a line; what stands between words counts as a word of its own, except blanks. */
static const char *next_word(Arena *arena, const char **at)
{
    *at += strspn(*at, blanks);
    size_t length = strcspn(*at, apart);
    length = length == 0 && **at ? 1 : length;
    const char *word = arena_text(arena, *at, length);
    *at += length;
    return word;
}

static bool agree(const char *a, const char *b, double tolerance)
{
    double x, y;
    const char *problem;
    if (strcmp(a, b) == 0) {
        return true;
    }
    if (!tl_parse_number(TL_F64, a, &x, &problem) || !tl_parse_number(TL_F64, b, &y, &problem)) {
        return false;
    }
    double larger = fmax(fabs(x), fabs(y));
    return x == y || (isfinite(larger) && fabs(x - y) <= tolerance * larger);
}

static bool lines_agree(Arena *arena, const char *a, const char *b, double tolerance)
{
    if (strcmp(a, b) == 0) {
        return true;
    }
    while (*a || *b) {
        const char *x = next_word(arena, &a), *y = next_word(arena, &b);
        if (!agree(x, y, tolerance)) {
            return false;
        }
    }
    return true;
}

/* Takes a line off the text; NULL at its end. */
static const char *next_line(Arena *arena, const char **at)
{
    if (**at == '\0') {
        return NULL;
    }
    size_t length = strcspn(*at, "\n");
    const char *line = arena_text(arena, *at, length);
    *at += length + ((*at)[length] == '\n');
    return line;
}

/* Reports the first line in which the texts do not agree; true where there is none. */
static bool texts_agree(const Command *command, const Outcome *a, const Outcome *b, bool is_output)
{
    Arena *arena = command->c->arena;
    const char *x = is_output ? a->output : a->errors, *y = is_output ? b->output : b->errors;
    for (int number = 1;; number++) {
        const char *p = next_line(arena, &x), *q = next_line(arena, &y);
        if (!p && !q) {
            return true;
        }
        if (p && q && lines_agree(arena, p, q, is_output ? command->tolerance : 0)) {
            continue;
        }
        int width = (int)(strlen(a->backend) > strlen(b->backend) ? strlen(a->backend)
                                                                  : strlen(b->backend));
        printf("%s differs from %s in line %d of standard %s:\n", b->backend, a->backend, number,
               is_output ? "output" : "error");
        printf("  %*s: %s\n", -width, a->backend, p ? p : "(no such line)");
        printf("  %*s: %s\n", -width, b->backend, q ? q : "(no such line)");
        return false;
    }
}

static bool outcomes_agree(const Command *command, const Outcome *a, const Outcome *b)
{
    if (!texts_agree(command, a, b, true) || !texts_agree(command, a, b, false)) {
        return false;
    }
    if (a->exit_code != b->exit_code) {
        printf("%s ends with exit code %d, %s with %d\n", a->backend, a->exit_code, b->backend,
               b->exit_code);
        return false;
    }
    return true;
}

static int count_lines(const char *text)
{
    int count = 0;
    for (const char *at = text; *at; at++) {
        count += *at == '\n' || at[1] == '\0';
    }
    return count;
}

/* ---- the command ---------------------------------------------------------------------------- */

int command_compare(const Command *command)
{
    static const char *const backends[] = {"interp", "c", "opencl"};
    enum { BACKENDS = sizeof backends / sizeof backends[0] };
    Outcome outcomes[BACKENDS];
    Pipeline p;
    if (!keep_input()) {
        fprintf(stderr, "tailor: standard input: %s\n", strerror(errno));
        return EXIT_ERROR;
    }
    if (!compile_file(command, FORM_KERNELS, KERNEL_PARALLEL, &p)) {
        return EXIT_ERROR;
    }
    if (p.kernels->entry_count == 0) {
        return no_entry(command);
    }
    for (size_t i = 0; i < BACKENDS; i++) {
        if (!run_backend(command, backends[i], &outcomes[i])) {
            return EXIT_ERROR;
        }
        if (i > 0 && !outcomes_agree(command, &outcomes[0], &outcomes[i])) {
            return EXIT_ERROR;
        }
    }
    int lines = count_lines(outcomes[0].output);
    printf("interp, c, opencl: equal (%d line%s, exit code %d)\n", lines, lines == 1 ? "" : "s",
           outcomes[0].exit_code);
    if (outcomes[0].exit_code != 0) {
        fputs(outcomes[0].errors, stdout);
    }
    return EXIT_OK;
}
