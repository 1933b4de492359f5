/* For the tests of the printers: building kernel programs by hand, and running what was printed of
   them, as C and as OpenCL. */
#ifndef TESTS_UNIT_BACKEND_EMIT_H
#define TESTS_UNIT_BACKEND_EMIT_H

#include "backend/emit/emit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <libgen.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- running what was printed --------------------------------------------------------------- */

/* Warnings that need optimisation are seen where there are no sanitizers, which would take five times as long for it. */
#ifdef __clang__ /* as driver/toolchain.c */
#define OWN_VECTORS " -DTL_NO_OWN_VECTORS"
#else
#define OWN_VECTORS ""
#endif
#ifdef SANITIZED
#define HOW_COMPILED "-O0 -fsanitize=address,undefined"
#else
#define HOW_COMPILED "-O1"
#endif

typedef struct Fixture {
    char folder[64];
    char library[4096]; /* where libtailor.a is */
    int programs;
} Fixture;

typedef struct Ran {
    int code;
    char *output; /* both streams, in order */
} Ran;

static inline int open_fixture(void **state)
{
    Fixture *fixture = calloc(1, sizeof *fixture);
    char self[4000];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    snprintf(fixture->library, sizeof fixture->library, "%s/../../lib", dirname(self));
    strcpy(fixture->folder, "/tmp/tailor-emit-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    setenv("TAILOR_CACHE", fixture->folder, 1);
    *state = fixture;
    return 0;
}

static inline int close_fixture(void **state)
{
    Fixture *fixture = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", fixture->folder);
    int code = system(command);
    free(fixture);
    return code;
}

static inline Ran run_command(const char *command)
{
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t size = 0, capacity = 1 << 16;
    char *output = malloc(capacity);
    for (size_t got; (got = fread(output + size, 1, capacity - size - 1, pipe)) > 0;) {
        size += got;
        if (size + 1 == capacity)
            output = realloc(output, capacity *= 2);
    }
    output[size] = '\0';
    int status = pclose(pipe);
    return (Ran){WIFEXITED(status) ? WEXITSTATUS(status) : 128, output};
}

static inline Ran run_text(Fixture *fixture, const char *text, bool is_opencl,
                           const char *arguments)
{
    char command[16384];
    int number = ++fixture->programs;
    snprintf(command, sizeof command, "%s/p%d.c", fixture->folder, number);
    FILE *file = fopen(command, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    snprintf(command, sizeof command,
             "cc -std=c11 " HOW_COMPILED OWN_VECTORS " -ffp-contract=off -Wall -Wno-unused"
             " -Iruntime -o %s/p%d %s/p%d.c -L%s %s -ltailor %s -lm 2>&1",
             fixture->folder, number, fixture->folder, number, fixture->library,
             is_opencl ? "-ltailor_opencl" : "", is_opencl ? "-lOpenCL" : "");
    Ran built = run_command(command);
    if (built.code != 0 || *built.output) {
        print_error("%s\n%s\n", built.output, text);
        fail();
    }
    free(built.output);
    snprintf(command, sizeof command, "cd %s && ASAN_OPTIONS=detect_leaks=0 %s ./p%d %s 2>&1",
             fixture->folder,
             is_opencl && getenv("EMIT_TEST_UNDER") ? getenv("EMIT_TEST_UNDER") : "", number,
             arguments);
    return run_command(command);
}

/* Both printers give this output and exit code. */
static inline void expect(Fixture *fixture, Compilation *c, const KernelProgram *program,
                          const char *arguments, int code, const char *output)
{
    for (int is_opencl = 0; is_opencl < 2; is_opencl++) {
        Text text = text_create(c->arena);
        (is_opencl ? emit_opencl : emit_c)(c, &text, program, "test.apl");
        Ran ran = run_text(fixture, text_get(&text), is_opencl, arguments);
        if (ran.code != code || strcmp(ran.output, output) != 0) {
            print_error("%s: exit %d\n%s---- expected exit %d\n%s----\n%s\n",
                        is_opencl ? "OpenCL" : "C", ran.code, ran.output, code, output,
                        text_get(&text));
            fail();
        }
        free(ran.output);
    }
}

/* ---- building by hand ----------------------------------------------------------------------- */

typedef struct Making {
    Compilation *c;
    KernelBuilder b;
    VEC(KernelFailure) failures;
} Making;

static inline Making begin(void)
{
    Making m = {.c = compilation_create()};
    m.b = kernel_builder(m.c, NO_SPAN);
    return m;
}

static inline KernelProgram *finish(Making *m)
{
    KernelProgram *program = ARENA_NEW(m->c->arena, KernelProgram);
    CoreEntry *interface = ARENA_NEW(m->c->arena, CoreEntry);
    KernelEntry *entry = ARENA_NEW(m->c->arena, KernelEntry);
    interface->name = "main";
    interface->signature = "() : ()";
    entry->interface = interface;
    entry->body = kernel_block(&m->b);
    program->entry_count = program->body_count = 1;
    program->entries = entry;
    program->failure_count = m->failures.count;
    program->failures = m->failures.items;
    program->variable_count = m->c->last_number + 1;
    return program;
}

static inline KernelVariable *scalar(Making *m, const char *text, CorePrim prim)
{
    return kernel_variable(m->c, text, prim, KERNEL_SCALAR, NO_SPAN);
}
static inline KernelVariable *buffer(Making *m, const char *text, CorePrim prim)
{
    return kernel_variable(m->c, text, prim, KERNEL_GLOBAL, NO_SPAN);
}
static inline const KernelExp *use(Making *m, KernelVariable *variable)
{
    return kernel_use(m->c, variable);
}
static inline const KernelExp *i64(Making *m, int64_t value)
{
    return kernel_i64(m->c, value);
}
static inline const KernelExp *f64(Making *m, double value)
{
    return kernel_constant(m->c, core_real(CORE_F64, value));
}
static inline const KernelExp *binary(Making *m, CoreOperator op, const KernelExp *x,
                                      const KernelExp *y)
{
    return kernel_binary(m->c, op, x, y);
}
static inline const KernelExp *load(Making *m, KernelVariable *from, const KernelExp *index)
{
    return kernel_load(m->c, from, index);
}
static inline KernelBuilder inside(Making *m)
{
    return kernel_builder(m->c, NO_SPAN);
}

static inline void print_array(Making *m, KernelVariable *source, const KernelExp *count)
{
    const KernelExp **shape = ARENA_ARRAY(m->c->arena, const KernelExp *, 1);
    shape[0] = count;
    kernel_effect(
        &m->b, (KernelEffect){.kind = KERNEL_PRINT, .source = source, .rank = 1, .shape = shape});
}

static inline void print_value(Making *m, const KernelExp *value)
{
    kernel_effect(&m->b, (KernelEffect){.kind = KERNEL_PRINT, .value = value});
}

/* n : i64 = program argument. */
static inline KernelVariable *argument(Making *m, const char *name, int64_t fallback)
{
    KernelVariable *n = scalar(m, name, CORE_I64);
    kernel_declare(&m->b, n, NULL);
    kernel_effect(
        &m->b, (KernelEffect){
                   .kind = KERNEL_ARGUMENT, .name = name, .result = n, .value = i64(m, fallback)});
    return n;
}

/* grid name (i < n) { to[i] = value }, where `value` was built over i. */
static inline void grid_store(Making *m, const char *name, KernelVariable *i, const KernelExp *n,
                              KernelVariable *to, const KernelExp *value)
{
    KernelBuilder body = inside(m);
    kernel_store(&body, to, use(m, i), value);
    kernel_for(&m->b, KERNEL_GRID, name, i, n, kernel_block(&body));
}

/* An i64 array 0, 1, ... n-1. */
static inline KernelVariable *numbers(Making *m, const char *name, const KernelExp *n)
{
    KernelVariable *x = buffer(m, "x", CORE_I64), *i = scalar(m, "i", CORE_I64);
    kernel_allocate(&m->b, x, n);
    grid_store(m, name, i, n, x, use(m, i));
    return x;
}

static inline size_t add_failure(Making *m, CoreErrorKind error, const char *message, size_t count,
                                 const CorePrim *prims, Span span)
{
    KernelFailure failure = {error, message, count, prims, 0, span};
    vec_push(m->c->arena, &m->failures, failure);
    return m->failures.count - 1;
}

#endif
