/* `tailor build --lib` and `--python`: one library from one or several programs, with a function
   for each.

       tailor build --lib mean.apl spread.tail -o stats

   makes stats.h, libstats.so and libstats.a with stats_mean and stats_spread; with --python a
   folder stats, a package with the shared library inside. Each file goes through the pipeline as
   far as core, is made a function of what it reads and prints (core/library.c), and then all of
   them are one program. */
#include "core/library.h"
#include "driver/compile.h"
#include "driver/files.h"
#include "driver/toolchain.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct Build {
    const Command *command;
    Compilation *c;
    VEC(const CoreFunction *) entries;
    VEC(const char *) files; /* where each entry comes from */
    KernelLibrary library;
    const char *folder; /* where the files go */
} Build;

/* ---- names ---------------------------------------------------------------------------------- */

/* "moving-average" -> moving_average. */
static const char *identifier(Compilation *c, const char *text)
{
    Text name = text_create(c->arena);
    if (isdigit((unsigned char)text[0]) || text[0] == '\0') {
        text_char(&name, 'v');
    }
    for (const char *at = text; *at; at++) {
        text_char(&name, isalnum((unsigned char)*at) ? *at : '_');
    }
    return text_get(&name);
}

/* What is in every header. */
static bool is_taken(const char *name)
{
    static const char *const names[] = {"open",   "close",       "error",   "free",
                                        "status", "status_name", "context", "options"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool add_entry(Build *b, const CoreFunction *function, const char *name, const char *file)
{
    if (is_taken(name)) {
        fprintf(stderr, "tailor: %s: an entry cannot be called %s: every library has that\n", file,
                name);
        return false;
    }
    for (size_t i = 0; i < b->entries.count; i++) {
        if (strcmp(b->entries.items[i]->name, name) == 0) {
            fprintf(stderr, "tailor: %s: there is an entry %s already, of %s\n", file, name,
                    b->files.items[i]);
            return false;
        }
    }
    CoreFunction *named = ARENA_NEW(b->c->arena, CoreFunction);
    *named = *function;
    named->name = intern(b->c, name);
    vec_push(b->c->arena, &b->entries, named);
    vec_push(b->c->arena, &b->files, file);
    return true;
}

/* ---- from files to one program --------------------------------------------------------------- */

/* The file's functions, called as the file (main), or as they are. Diagnostics stay to be printed.
 */
static bool add_file(Build *b, const char *file)
{
    Command one = *b->command;
    Pipeline p;
    one.file = file;
    bool is_tail = command_language(&one) == FORM_TAIL_SOURCE;
    b->c->options.gives_value = is_tail;
    bool is_read = compile_quietly(&one, FORM_CORE, KERNEL_SEQUENTIAL, &p);
    b->c->options.gives_value = false;
    if (!is_read || !pipeline_transform(&p, "inline")) {
        return false;
    }
    bool is_core = command_language(&one) == FORM_SOURCE;
    b->c->pass = "library";
    const CoreProgram *program =
        core_library(b->c, p.core, is_core ? CORE_LIBRARY_GIVEN : CORE_LIBRARY_PRINTED);
    if (!program) {
        return false;
    }
    bool ok = true;
    for (size_t i = 0; i < program->function_count; i++) {
        const CoreFunction *function = program->functions[i];
        bool is_main = strcmp(function->name, "main") == 0;
        const char *name = identifier(b->c, is_main ? p.program_name : function->name);
        ok = add_entry(b, function, name, file) && ok;
    }
    if (program->function_count == 0) {
        fprintf(stderr, "tailor: %s: the program has no entry: `entry fun f ...' makes one\n",
                file);
        return false;
    }
    return ok;
}

static const CoreProgram *program_of(Build *b)
{
    bool ok = true;
    for (size_t i = 0; i < b->command->files.count; i++) {
        ok = add_file(b, b->command->files.items[i]) && ok;
    }
    b->c->pass = "driver";
    diagnostics_print(b->c->diagnostics, stderr);
    if (!ok || diagnostics_count(b->c->diagnostics) > 0) {
        return NULL;
    }
    CoreProgram *program = ARENA_NEW(b->c->arena, CoreProgram);
    program->function_count = b->entries.count;
    program->functions = b->entries.items;
    return program;
}

/* ---- where it goes --------------------------------------------------------------------------- */

/* Whatever is there: the library stats may lie beside a folder stats, or be the package in it. */
static bool is_written_as_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *last = slash ? slash + 1 : path;
    return *last == '\0' || strcmp(last, ".") == 0 || strcmp(last, "..") == 0;
}

/* OUT is FOLDER/NAME; FOLDER/ alone (or no OUT at all) has the library named after the one file.
 */
static bool name_library(Build *b)
{
    const Command *command = b->command;
    const char *name = pipeline_program_name(b->c, command->file), *out = command->output;
    bool is_named = out && !is_written_as_folder(out);
    if (!is_named && command->files.count > 1) {
        fprintf(stderr, "tailor: name the library of several files by -o NAME\n");
        return false;
    }
    b->folder = ".";
    if (is_named) {
        const char *slash = strrchr(out, '/');
        name = slash ? slash + 1 : out;
        if (slash) {
            b->folder = slash == out ? "/" : arena_text(b->c->arena, out, (size_t)(slash - out));
        }
    } else if (out) {
        b->folder = out;
    }
    b->library = (KernelLibrary){.name = name,
                                 .prefix = identifier(b->c, name),
                                 .is_opencl = command->backend == BACKEND_OPENCL,
                                 .source_count = command->files.count,
                                 .sources = command->files.items};
    bool is_keyword = emit_is_python_keyword(name);
    if (command->python && (is_keyword || strcmp(b->library.prefix, name) != 0)) {
        fprintf(
            stderr,
            "tailor: a Python package cannot be called %s; -o NAME names it (%s%s, for example)\n",
            name, b->library.prefix, is_keyword ? "_" : "");
        return false;
    }
    return true;
}

/* ---- the files of a library ------------------------------------------------------------------ */

static bool write_in(const Build *b, const char *folder, const char *file, const Text *text)
{
    return files_write(b->c, arena_printf(b->c->arena, "%s/%s", folder, file), text_get(text),
                       text->length);
}

static bool write_header(Build *b, const Pipeline *p, const char *folder)
{
    Text header = text_create(b->c->arena);
    emit_library_header(b->c, &header, p->kernels, &b->library);
    return write_in(b, folder, arena_printf(b->c->arena, "%s.h", b->library.name), &header);
}

/* The module, and what all modules share, from where the runtime lies. */
static bool write_package(Build *b, const Toolchain *toolchain, const Pipeline *p,
                          const char *folder)
{
    Text module = text_create(b->c->arena), runtime = text_create(b->c->arena);
    size_t length = 0;
    const char *path = arena_printf(b->c->arena, "%s/python.py", toolchain->libraries);
    const char *text = files_read(b->c->arena, path, SOURCE_LIMIT, &length);
    if (!text) {
        fprintf(stderr, "tailor: %s: it belongs to the runtime library, and cannot be read\n",
                path);
        return false;
    }
    text_append(&runtime, text, length);
    emit_library_python(b->c, &module, p->kernels, &b->library);
    return write_in(b, folder, "_runtime.py", &runtime) &&
           write_in(b, folder, "__init__.py", &module);
}

static bool write_all(Build *b, const Toolchain *toolchain, Pipeline *p)
{
    const KernelLibrary *library = &b->library;
    const char *folder = b->folder;
    if (b->command->python) {
        folder = arena_printf(b->c->arena, "%s/%s", folder, library->name);
        if (!files_make_folder(folder)) {
            return false;
        }
    }
    const char *shared = arena_printf(b->c->arena, "%s/lib%s.so", folder, library->name);
    const char *archive = arena_printf(b->c->arena, "%s/lib%s.a", folder, library->name);
    if (!toolchain_library(b->command, toolchain, &p->text, library->prefix, shared,
                           b->command->python ? NULL : archive)) {
        return false;
    }
    return b->command->python ? write_package(b, toolchain, p, folder) : write_header(b, p, folder);
}

int command_build_library(const Command *command)
{
    Build b = {.command = command, .c = command->c};
    Toolchain toolchain;
    if (!name_library(&b)) {
        return EXIT_USAGE;
    }
    const CoreProgram *program = program_of(&b);
    if (!program) {
        return EXIT_ERROR;
    }
    Pipeline p = pipeline_of_core(b.c, program, &b.library);
    bool is_c = command->backend == BACKEND_C;
    p.goal = is_c ? FORM_C : FORM_OPENCL;
    p.target = is_c ? KERNEL_SEQUENTIAL : KERNEL_PARALLEL;
    p.dump_after = command->dump_after;
    bool ok = pipeline_run(&p);
    b.c->pass = "driver";
    diagnostics_print(b.c->diagnostics, stderr);
    if (ok && command->stats) {
        pipeline_print_stats(&p);
    }
    ok = ok && toolchain_find(command, p.kernels, &toolchain) && write_all(&b, &toolchain, &p);
    return ok ? EXIT_OK : EXIT_ERROR;
}
