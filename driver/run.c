/* `tailor run` and `tailor build`: the generated C compiled by the system's compiler. run keeps
   what it has built in the cache and then becomes the program, whose exit code is therefore the
   command's. */
#include "driver/cache.h"
#include "driver/compile.h"
#include "driver/files.h"
#include "driver/toolchain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- building ------------------------------------------------------------------------------- */

static void say_progress(const Command *command, bool begins)
{
    if (isatty(STDERR_FILENO) && !command->verbose) {
        fprintf(stderr, begins ? "tailor: building %s ..." : "\r\033[K", command->file);
        fflush(stderr);
    }
}

/* Writes the text beside the executable-to-be and compiles it there. */
static bool compile_text(const Command *command, const Toolchain *toolchain, const Text *text,
                         const char *executable)
{
    const char *source = arena_printf(command->c->arena, "%s.c", executable);
    if (!files_write(command->c, source, text_get(text), text->length)) {
        return false;
    }
    say_progress(command, true);
    bool ok = toolchain_compile(command, toolchain, source, executable);
    if (ok) {
        say_progress(command, false);
    }
    unlink(source);
    return ok;
}

/* The whole way from text to an executable called `path`. */
static bool build(const Command *command, const Toolchain *toolchain, const Text *text,
                  const char *path)
{
    const char *temporary = files_begin(command->c, path);
    if (!temporary) {
        return false;
    }
    if (!compile_text(command, toolchain, text, temporary)) {
        files_abandon(temporary, path);
        return false;
    }
    return files_finish(temporary, path, true);
}

int no_entry(const Command *command)
{
    fprintf(stderr, "tailor: %s: the program has no entry: `entry fun main ...' makes one\n",
            command->file);
    return EXIT_ERROR;
}

static Form backend_form(Backend backend)
{
    return backend == BACKEND_C ? FORM_C : FORM_OPENCL;
}

static KernelTarget backend_target(Backend backend)
{
    return backend == BACKEND_C ? KERNEL_SEQUENTIAL : KERNEL_PARALLEL;
}

int command_build(const Command *command)
{
    Pipeline p;
    Toolchain toolchain;
    if (command->library || command->python) {
        return command_build_library(command);
    }
    if (!compile_file(command, backend_form(command->backend), backend_target(command->backend),
                      &p)) {
        return EXIT_ERROR;
    }
    const char *output = command->output ? command->output : p.program_name;
    if (files_is_folder(output)) {
        bool is_ended = output[strlen(output) - 1] == '/';
        output =
            arena_printf(command->c->arena, "%s%s%s", output, is_ended ? "" : "/", p.program_name);
    }
    if (files_same(command->file, output)) {
        fprintf(stderr, "tailor: %s: the output would replace the program\n", output);
        return EXIT_ERROR;
    }
    if (p.kernels->entry_count == 0) {
        return no_entry(command);
    }
    return toolchain_find(command, p.kernels, &toolchain) &&
                   build(command, &toolchain, &p.text, output)
               ? EXIT_OK
               : EXIT_ERROR;
}

/* ---- running -------------------------------------------------------------------------------- */

static char **program_argv(const Command *command, const char *program_name)
{
    Compilation *c = command->c;
    VEC(char *) argv = {0};
    vec_push(c->arena, &argv, (char *)program_name);
    if (command->backend == BACKEND_OPENCL && command->device) {
        vec_push(c->arena, &argv, arena_printf(c->arena, "--device=%s", command->device));
    }
    if (command->profile) {
        vec_push(c->arena, &argv, "--profile");
    }
    for (size_t i = 0; i < command->arguments.count; i++) {
        vec_push(c->arena, &argv, (char *)command->arguments.items[i]);
    }
    vec_push(c->arena, &argv, NULL);
    return argv.items;
}

static int cannot_run(const char *path)
{
    fprintf(stderr, "tailor: %s: %s\n", path, strerror(errno));
    return EXIT_ERROR;
}

/* Without a cache: the program is built in the folder for temporary files and removed before it
 * runs. */
static int run_without_cache(const Command *command, const Toolchain *toolchain, Pipeline *p,
                             char **argv)
{
    extern char **environ;
    const char *folder = getenv("TMPDIR");
    char *path = arena_printf(command->c->arena, "%s/tailor-run-%ld",
                              folder && *folder ? folder : "/tmp", (long)getpid());
    if (!build(command, toolchain, &p->text, path)) {
        return EXIT_ERROR;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    unlink(path);
    if (fd >= 0) {
        fexecve(fd, argv, environ);
    }
    return cannot_run(path);
}

/* Whether a cached program could not be run since somebody has just removed it, or since its file
   was damaged. */
static bool is_worth_building(int problem)
{
    return problem == ENOENT || problem == ENOEXEC || problem == EINVAL || problem == ELIBBAD;
}

int command_run(const Command *command)
{
    Compilation *c = command->c;
    Pipeline p;
    if (command->backend == BACKEND_INTERP) {
        if (!compile_file(command, FORM_CORE, KERNEL_SEQUENTIAL, &p)) {
            return EXIT_ERROR;
        }
        return interpret_program(command, core_limit_extents(c, p.core), p.program_name);
    }
    Toolchain toolchain;
    if (!compile_file(command, backend_form(command->backend), backend_target(command->backend),
                      &p)) {
        return EXIT_ERROR;
    }
    if (p.kernels->entry_count == 0) {
        return no_entry(command);
    }
    if (!toolchain_find(command, p.kernels, &toolchain)) {
        return EXIT_ERROR;
    }
    char **argv = program_argv(command, p.program_name);
    const char *folder = cache_folder(c);
    if (!folder) {
        return run_without_cache(command, &toolchain, &p, argv);
    }
    const char *key = toolchain_key(command, &toolchain, text_get(&p.text), p.text.length);
    const char *path = cache_path(c, folder, key);
    bool is_there = access(path, X_OK) == 0;
    if (command->verbose) {
        fprintf(stderr, "tailor: %s: %s\n", path, is_there ? "built before" : "not built yet");
    }
    if (is_there) {
        cache_touch(path);
        execv(path, argv);
        if (!is_worth_building(errno)) {
            return cannot_run(path);
        }
    }
    if (!build(command, &toolchain, &p.text, path)) {
        return EXIT_ERROR;
    }
    cache_trim(c, folder);
    execv(path, argv);
    return cannot_run(path);
}
