/* Finding the runtime and calling the C compiler, for libraries also objcopy and ar.

   The runtime's files lie beside the executable, in the build tree (build/bin/tailor,
   build/include, build/lib) as in an installation (PREFIX/bin/tailor, PREFIX/include/tailor,
   PREFIX/lib/tailor); TAILOR_HOME names another place that has one of these shapes. */
#include "driver/toolchain.h"
#include "driver/files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- finding ------------------------------------------------------------------------------- */

static bool is_readable(Compilation *c, const char *folder, const char *file)
{
    return access(arena_printf(c->arena, "%s/%s", folder, file), R_OK) == 0;
}

static bool find_below(Compilation *c, const char *home, Toolchain *toolchain)
{
    static const char *const layouts[][2] = {{"include/tailor", "lib/tailor"}, {"include", "lib"}};
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        const char *headers = arena_printf(c->arena, "%s/%s", home, layouts[i][0]);
        const char *libraries = arena_printf(c->arena, "%s/%s", home, layouts[i][1]);
        if (is_readable(c, headers, "tailor.h") && is_readable(c, libraries, "libtailor.a")) {
            toolchain->headers = headers;
            toolchain->libraries = libraries;
            return true;
        }
    }
    return false;
}

/* The folder above the one that holds this executable. */
static const char *home_of_executable(Compilation *c)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) {
        return NULL;
    }
    path[length] = '\0';
    for (int level = 0; level < 2; level++) {
        char *slash = strrchr(path, '/');
        if (!slash) {
            return NULL;
        }
        *slash = '\0';
    }
    return arena_text(c->arena, path, strlen(path));
}

static bool find_runtime(Compilation *c, Toolchain *toolchain)
{
    const char *home = getenv("TAILOR_HOME");
    bool is_given = home && *home;
    if (!is_given) {
        home = home_of_executable(c);
    }
    if (home && find_below(c, home, toolchain)) {
        return true;
    }
    fprintf(stderr,
            "tailor: the runtime library (include/tailor.h, lib/libtailor.a) is not in %s%s\n",
            home ? home : "the executable's folder",
            is_given ? ", which TAILOR_HOME names" : "; TAILOR_HOME can name its place");
    return false;
}

static void add_words(Compilation *c, Toolchain *toolchain, const char *command)
{
    while (*command) {
        size_t length = strcspn(command, " \t");
        if (length > 0) {
            vec_push(c->arena, &toolchain->compiler, arena_text(c->arena, command, length));
        }
        command += length + strspn(command + length, " \t");
    }
}

/* No flag may change a result: no contraction to fused multiply-adds, no -ffast-math.
   -fno-math-errno and -fno-trapping-math only give up errno and floating-point exception flags,
   which nobody reads. -fopenmp-simd makes the compiler heed `#pragma omp simd`, which stands
   before reductions whose operands may be taken in any order (backend/emit/simd.c). */
static const char *const compile_flags[] = {
    "-std=c11",
    "-march=native",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fopenmp-simd",
    "-w",
#ifdef __clang__ /* so was the runtime library, which has no vectors of its own then */
    "-DTL_NO_OWN_VECTORS",
#endif
#ifdef SANITIZED /* the runtime library wants it */
    "-fsanitize=address,undefined",
#endif
};

/* Kernel commands from which on a program is too long for the compiler's best: a minute for 10,000
   loops, where -O1 takes a third of it. */
enum { LONG_PROGRAM = 5000 };

/* What runs on a device is OpenCL's to compile; its host program only says what comes next. */
static const char *level_for(const Command *command, const KernelProgram *program)
{
    bool is_long = kernel_count(program) > LONG_PROGRAM;
    return is_long || command->backend == BACKEND_OPENCL ? "-O1" : "-O3";
}

bool toolchain_find(const Command *command, const KernelProgram *program, Toolchain *toolchain)
{
    Compilation *c = command->c;
    *toolchain = (Toolchain){0};
    const char *compiler = command->compiler ? command->compiler : getenv("CC");
    add_words(c, toolchain, compiler ? compiler : "cc");
    if (toolchain->compiler.count == 0) {
        vec_push(c->arena, &toolchain->compiler, "cc");
    }
    if (!find_runtime(c, toolchain)) {
        return false;
    }
    const char *level = level_for(command, program);
    for (size_t i = 1; i < toolchain->compiler.count; i++) { /* CC='cc -O0' */
        bool asked = strncmp(toolchain->compiler.items[i], "-O", 2) == 0;
        level = asked ? toolchain->compiler.items[i] : level;
    }
    vec_push(c->arena, &toolchain->flags, level);
    for (size_t i = 0; i < sizeof compile_flags / sizeof compile_flags[0]; i++) {
        vec_push(c->arena, &toolchain->flags, compile_flags[i]);
    }
    vec_push(c->arena, &toolchain->flags, arena_printf(c->arena, "-I%s", toolchain->headers));
    vec_push(c->arena, &toolchain->links, arena_printf(c->arena, "-L%s", toolchain->libraries));
    if (command->backend == BACKEND_OPENCL) {
        vec_push(c->arena, &toolchain->links, "-ltailor_opencl");
    }
    vec_push(c->arena, &toolchain->links, "-ltailor");
    if (command->backend == BACKEND_OPENCL) {
        vec_push(c->arena, &toolchain->links, "-lOpenCL");
    }
    vec_push(c->arena, &toolchain->links, "-lm");
    return true;
}

/* ---- calling tools -------------------------------------------------------------------------- */

typedef VEC(char *) Words;

static void add_word(const Command *command, Words *words, const char *word)
{
    vec_push(command->c->arena, words, (char *)word);
}

/* A file whose name no compiler takes for an option, or for a file of options. */
static void add_file(const Command *command, Words *words, const char *file)
{
    bool is_plain = file[0] != '-' && file[0] != '@';
    add_word(command, words, is_plain ? file : arena_printf(command->c->arena, "./%s", file));
}

/* Runs a tool to its end; false after a message where it cannot be run. */
static bool run_tool(const Command *command, const char *what, Words *argv, bool *ok)
{
    if (command->verbose) {
        for (size_t i = 0; i < argv->count; i++) {
            fprintf(stderr, "%s%c", argv->items[i], i + 1 < argv->count ? ' ' : '\n');
        }
    }
    add_word(command, argv, NULL);
    pid_t child;
    int problem = posix_spawnp(&child, argv->items[0], NULL, NULL, argv->items, environ);
    if (problem != 0) {
        fprintf(stderr, "tailor: cannot run %s '%s': %s\n", what, argv->items[0],
                strerror(problem));
        return false;
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    *ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return true;
}

static Words compiler_words(const Command *command, const Toolchain *toolchain)
{
    Words argv = {0};
    size_t options = 0; /* the command's own, which come last and so win over ours */
    while (options < toolchain->compiler.count && toolchain->compiler.items[options][0] != '-') {
        add_word(command, &argv, toolchain->compiler.items[options++]);
    }
    for (size_t i = 0; i < toolchain->flags.count; i++) {
        add_word(command, &argv, toolchain->flags.items[i]);
    }
    for (size_t i = options; i < toolchain->compiler.count; i++) {
        add_word(command, &argv, toolchain->compiler.items[i]);
    }
    return argv;
}

static bool run_compiler(const Command *command, Words *argv)
{
    bool ok = false;
    if (run_tool(command, "the C compiler", argv, &ok) && !ok) {
        const char *form = command->backend == BACKEND_C ? "c" : "opencl";
        fprintf(stderr,
                "tailor: the C compiler '%s' failed; `tailor emit --to=%s' shows what it was "
                "given\n",
                argv->items[0], form);
    }
    return ok;
}

/* ---- compiling ------------------------------------------------------------------------------ */

bool toolchain_compile(const Command *command, const Toolchain *toolchain, const char *source,
                       const char *executable)
{
    Words argv = compiler_words(command, toolchain);
    add_word(command, &argv, "-o");
    add_file(command, &argv, executable);
    add_file(command, &argv, source);
    for (size_t i = 0; i < toolchain->links.count; i++) {
        add_word(command, &argv, toolchain->links.items[i]);
    }
    return run_compiler(command, &argv);
}

/* The library's text and what it needs of the runtime as one object file. */
static bool compile_object(const Command *command, const Toolchain *toolchain, const char *source,
                           const char *object)
{
    Words argv = compiler_words(command, toolchain);
    const char *const words[] = {
#if defined(SANITIZED) && defined(__clang__) /* the caller's program has it */
        "-fno-sanitize-link-runtime",
#endif
        "-fPIC",
        "-fvisibility=hidden",
        "-r",
        "-nostdlib",
        "-o",
        object,
        source
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        add_word(command, &argv, words[i]);
    }
    for (size_t i = 0; i < toolchain->links.count; i++) {
        const char *link = toolchain->links.items[i];
        if (strcmp(link, "-lm") != 0 && strcmp(link, "-lOpenCL") != 0) {
            add_word(command, &argv, link);
        }
    }
    return run_compiler(command, &argv);
}

/* A program may hold several libraries, also of several versions: only what the header declares can
   be seen. */
static bool hide_symbols(const Command *command, const char *prefix, const char *object)
{
    Words argv = {0};
    bool ok = false;
    const char *const words[] = {
        "objcopy", "--wildcard",
        arena_printf(command->c->arena, "--keep-global-symbol=%s_*", prefix), object};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        add_word(command, &argv, words[i]);
    }
    return run_tool(command, "the tool", &argv, &ok) && ok;
}

static bool make_archive(const Command *command, const char *object, const char *archive)
{
    Words argv = {0};
    bool ok = false;
    add_word(command, &argv, "ar");
    add_word(command, &argv, "rcs");
    add_word(command, &argv, archive);
    add_word(command, &argv, object);
    return run_tool(command, "the tool", &argv, &ok) && ok;
}

static bool link_shared(const Command *command, const Toolchain *toolchain, const char *object,
                        const char *shared, const char *name)
{
    Words argv = compiler_words(command, toolchain);
    const char *slash = strrchr(name, '/');
    add_word(command, &argv, "-shared");
    add_word(command, &argv,
             arena_printf(command->c->arena, "-Wl,-soname,%s", slash ? slash + 1 : name));
    add_word(command, &argv, "-o");
    add_word(command, &argv, shared);
    add_word(command, &argv, object);
    if (command->backend == BACKEND_OPENCL) {
        add_word(command, &argv, "-lOpenCL");
    }
    add_word(command, &argv, "-lm");
    return run_compiler(command, &argv);
}

bool toolchain_library(const Command *command, const Toolchain *toolchain, const Text *text,
                       const char *prefix, const char *shared, const char *archive)
{
    Compilation *c = command->c;
    char *folder = arena_printf(c->arena, "%s.tmp-XXXXXX", shared);
    if (!mkdtemp(folder)) {
        fprintf(stderr, "tailor: %s: %s\n", shared, strerror(errno));
        return false;
    }
    const char *source = arena_printf(c->arena, "%s/library.c", folder),
               *object = arena_printf(c->arena, "%s/library.o", folder),
               *library = arena_printf(c->arena, "%s/library.so", folder),
               *objects = arena_printf(c->arena, "%s/library.a", folder);
    bool ok = files_write(c, source, text_get(text), text->length) &&
              compile_object(command, toolchain, source, object) &&
              hide_symbols(command, prefix, object) &&
              link_shared(command, toolchain, object, library, shared) &&
              (!archive || make_archive(command, object, objects));
    ok = ok && files_finish(library, shared, true) &&
         (!archive || files_finish(objects, archive, false));
    const char *const made[] = {source, object, library, objects};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        unlink(made[i]);
    }
    rmdir(folder);
    return ok;
}

/* ---- the key of a built program ------------------------------------------------------------- */

/* FNV-1a with 128 bits. */
__extension__ typedef unsigned __int128 Hash;

static void hash_bytes(Hash *hash, const char *bytes, size_t length)
{
    const Hash prime = ((Hash)1 << 88) + 0x13b;
    for (size_t i = 0; i < length; i++) {
        *hash = (*hash ^ (unsigned char)bytes[i]) * prime;
    }
}

/* Ends with its NUL, so that neighbours cannot run into each other. */
static void hash_text(Hash *hash, const char *text)
{
    hash_bytes(hash, text, strlen(text) + 1);
}

static void hash_file(Compilation *c, Hash *hash, const char *folder, const char *file)
{
    size_t length = 0;
    const char *path = arena_printf(c->arena, "%s/%s", folder, file);
    char *bytes = files_read(c->arena, path, SOURCE_LIMIT, &length);
    hash_text(hash, file);
    hash_bytes(hash, bytes ? bytes : "", bytes ? length : 0);
}

static int is_header(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 2 && strcmp(entry->d_name + length - 2, ".h") == 0;
}

static void hash_runtime(const Command *command, const Toolchain *toolchain, Hash *hash)
{
    struct dirent **entries;
    int count = scandir(toolchain->headers, &entries, is_header, alphasort);
    for (int i = 0; i < count; i++) {
        hash_file(command->c, hash, toolchain->headers, entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    hash_file(command->c, hash, toolchain->libraries, "libtailor.a");
    if (command->backend == BACKEND_OPENCL) {
        hash_file(command->c, hash, toolchain->libraries, "libtailor_opencl.a");
    }
}

/* Which compiler this is: where it lies, its size and when it changed (asking it for its version
   would cost more than all the rest of a cached run). */
static void hash_compiler(Compilation *c, const Toolchain *toolchain, Hash *hash)
{
    const char *program = toolchain->compiler.items[0];
    const char *path = getenv("PATH");
    struct stat status;
    if (strchr(program, '/') == NULL) {
        for (const char *at = path ? path : ""; *at; at += strcspn(at, ":"), at += *at == ':') {
            const char *file =
                arena_printf(c->arena, "%.*s/%s", (int)strcspn(at, ":"), at, program);
            if (access(file, X_OK) == 0) {
                program = file;
                break;
            }
        }
    }
    hash_text(hash, program);
    if (stat(program, &status) == 0) {
        hash_text(hash, arena_printf(c->arena, "%lld %lld", (long long)status.st_size,
                                     (long long)status.st_mtime));
    }
}

/* -march=native: a cache that several machines share holds programs for each kind of processor. */
static void hash_processor(Hash *hash)
{
    FILE *info = fopen("/proc/cpuinfo", "re");
    char *line = NULL;
    size_t capacity = 0;
    while (info && getline(&line, &capacity, info) > 0 && line[0] != '\n') {
        if (strncmp(line, "model name", 10) == 0 || strncmp(line, "flags", 5) == 0) {
            hash_text(hash, line);
        }
    }
    free(line);
    if (info) {
        fclose(info);
    }
}

const char *toolchain_key(const Command *command, const Toolchain *toolchain, const char *text,
                          size_t length)
{
    Compilation *c = command->c;
    Hash hash = ((Hash)0x6c62272e07bb0142u << 64) | 0x62b821756295c58du;
    hash_text(&hash, TAILOR_VERSION);
    hash_bytes(&hash, text, length);
    for (size_t i = 0; i < toolchain->compiler.count; i++) {
        hash_text(&hash, toolchain->compiler.items[i]);
    }
    for (size_t i = 0; i < toolchain->flags.count; i++) {
        hash_text(&hash, toolchain->flags.items[i]);
    }
    for (size_t i = 0; i < toolchain->links.count; i++) {
        hash_text(&hash, toolchain->links.items[i]);
    }
    hash_compiler(c, toolchain, &hash);
    hash_processor(&hash);
    hash_runtime(command, toolchain, &hash);
    return arena_printf(c->arena, "%016llx%016llx", (unsigned long long)(hash >> 64),
                        (unsigned long long)hash);
}
