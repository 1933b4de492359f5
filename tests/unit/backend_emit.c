/* Kernel programs built by hand are printed as C and as OpenCL, compiled, run, and what they print
   is compared: the two must agree with each other and with the worked-out text. */
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

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZERS "-fsanitize=address,undefined"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZERS "-fsanitize=address,undefined"
#endif
#endif
#ifndef SANITIZERS
#define SANITIZERS ""
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

static int open_fixture(void **state)
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

static int close_fixture(void **state)
{
    Fixture *fixture = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", fixture->folder);
    int code = system(command);
    free(fixture);
    return code;
}

static Ran run_command(const char *command)
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

static Ran run_text(Fixture *fixture, const char *text, bool is_opencl, const char *arguments)
{
    char command[16384];
    int number = ++fixture->programs;
    snprintf(command, sizeof command, "%s/p%d.c", fixture->folder, number);
    FILE *file = fopen(command, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    snprintf(command, sizeof command,
             "cc -std=c11 -O1 -ffp-contract=off -Wall -Wno-unused " SANITIZERS
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
static void expect(Fixture *fixture, Compilation *c, const KernelProgram *program,
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

static Making begin(void)
{
    Making m = {.c = compilation_create()};
    m.b = kernel_builder(m.c, NO_SPAN);
    return m;
}

static KernelProgram *finish(Making *m)
{
    KernelProgram *program = ARENA_NEW(m->c->arena, KernelProgram);
    program->body = kernel_block(&m->b);
    program->failure_count = m->failures.count;
    program->failures = m->failures.items;
    program->variable_count = m->c->last_number + 1;
    return program;
}

static KernelVariable *scalar(Making *m, const char *text, CorePrim prim)
{
    return kernel_variable(m->c, text, prim, KERNEL_SCALAR, NO_SPAN);
}
static KernelVariable *buffer(Making *m, const char *text, CorePrim prim)
{
    return kernel_variable(m->c, text, prim, KERNEL_GLOBAL, NO_SPAN);
}
static const KernelExp *use(Making *m, KernelVariable *variable)
{
    return kernel_use(m->c, variable);
}
static const KernelExp *i64(Making *m, int64_t value)
{
    return kernel_i64(m->c, value);
}
static const KernelExp *f64(Making *m, double value)
{
    return kernel_constant(m->c, core_real(CORE_F64, value));
}
static const KernelExp *binary(Making *m, CoreOperator op, const KernelExp *x, const KernelExp *y)
{
    return kernel_binary(m->c, op, x, y);
}
static const KernelExp *load(Making *m, KernelVariable *from, const KernelExp *index)
{
    return kernel_load(m->c, from, index);
}
static KernelBuilder inside(Making *m)
{
    return kernel_builder(m->c, NO_SPAN);
}

static void print_array(Making *m, KernelVariable *source, const KernelExp *count)
{
    const KernelExp **shape = ARENA_ARRAY(m->c->arena, const KernelExp *, 1);
    shape[0] = count;
    kernel_effect(
        &m->b, (KernelEffect){.kind = KERNEL_PRINT, .source = source, .rank = 1, .shape = shape});
}

static void print_value(Making *m, const KernelExp *value)
{
    kernel_effect(&m->b, (KernelEffect){.kind = KERNEL_PRINT, .value = value});
}

/* n : i64 = program argument. */
static KernelVariable *argument(Making *m, const char *name, int64_t fallback)
{
    KernelVariable *n = scalar(m, name, CORE_I64);
    kernel_declare(&m->b, n, NULL);
    kernel_effect(
        &m->b, (KernelEffect){
                   .kind = KERNEL_ARGUMENT, .name = name, .result = n, .value = i64(m, fallback)});
    return n;
}

/* grid name (i < n) { to[i] = value }, where `value` was built over i. */
static void grid_store(Making *m, const char *name, KernelVariable *i, const KernelExp *n,
                       KernelVariable *to, const KernelExp *value)
{
    KernelBuilder body = inside(m);
    kernel_store(&body, to, use(m, i), value);
    kernel_for(&m->b, KERNEL_GRID, name, i, n, kernel_block(&body));
}

/* An i64 array 0, 1, ... n-1. */
static KernelVariable *numbers(Making *m, const char *name, const KernelExp *n)
{
    KernelVariable *x = buffer(m, "x", CORE_I64), *i = scalar(m, "i", CORE_I64);
    kernel_allocate(&m->b, x, n);
    grid_store(m, name, i, n, x, use(m, i));
    return x;
}

static size_t add_failure(Making *m, CoreErrorKind error, const char *message, size_t count,
                          const CorePrim *prims, Span span)
{
    KernelFailure failure = {error, message, count, prims, span};
    vec_push(m->c->arena, &m->failures, failure);
    return m->failures.count - 1;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void a_map_over_constants(void **state)
{
    Making m = begin();
    KernelVariable *x = buffer(&m, "x", CORE_F64), *y = buffer(&m, "y", CORE_F64),
                   *i = scalar(&m, "i", CORE_I64);
    const KernelExp *values[] = {f64(&m, 1.5), f64(&m, -2), f64(&m, 0.1)};
    kernel_constants(&m.b, x, 3, values);
    kernel_allocate(&m.b, y, i64(&m, 3));
    grid_store(&m, "map_1", i, i64(&m, 3), y,
               binary(&m, CORE_MUL, load(&m, x, use(&m, i)), f64(&m, 2)));
    print_array(&m, y, i64(&m, 3));
    kernel_release(&m.b, x);
    kernel_release(&m.b, y);
    expect(*state, m.c, finish(&m), "", 0, "3 ¯4 0.2\n");
    compilation_destroy(m.c);
}

static void an_empty_array(void **state)
{
    Making m = begin();
    KernelVariable *n = argument(&m, "n", 0);
    KernelVariable *x = numbers(&m, "iota_1", use(&m, n));
    print_array(&m, x, use(&m, n));
    KernelProgram *program = finish(&m);
    expect(*state, m.c, program, "", 0, "\n");
    expect(*state, m.c, program, "--n=4", 0, "0 1 2 3\n");
    expect(*state, m.c, program, "--n=¯1", 1, "test.apl: LIMIT ERROR: an array of -1 elements\n");
    compilation_destroy(m.c);
}

/* Loop state goes from buffer to buffer by reference; ten rounds of x <- x + reverse x. */
static void loop_state_by_alias(void **state)
{
    Making m = begin();
    const KernelExp *n = i64(&m, 4);
    KernelVariable *x = numbers(&m, "iota_1", n), *s = buffer(&m, "state", CORE_I64),
                   *t = buffer(&m, "next", CORE_I64);
    KernelVariable *i = scalar(&m, "i", CORE_I64), *round = scalar(&m, "round", CORE_I64);
    kernel_alias(&m.b, s, x);
    kernel_release(&m.b, x);
    Making body = {.c = m.c, .b = inside(&m)};
    kernel_allocate(&body.b, t, n);
    grid_store(&body, "step_1", i, n, t,
               binary(&m, CORE_ADD, load(&m, s, use(&m, i)),
                      load(&m, s, binary(&m, CORE_SUB, i64(&m, 3), use(&m, i)))));
    kernel_alias(&body.b, s, t);
    kernel_for(&m.b, KERNEL_SEQ, NULL, round, i64(&m, 10), kernel_block(&body.b));
    print_array(&m, s, n);
    expect(*state, m.c, finish(&m), "", 0, "1536 1536 1536 1536\n");
    compilation_destroy(m.c);
}

/* The sum of 0 .. n-1 in work-groups: a tree in local memory, then the partial sums on the host. */
static void a_reduction_in_groups(void **state)
{
    Making m = begin();
    KernelVariable *n = argument(&m, "n", 1000);
    KernelVariable *x = numbers(&m, "iota_1", use(&m, n)),
                   *partial = buffer(&m, "partial", CORE_I64);
    KernelVariable *g = scalar(&m, "g", CORE_I64), *l = scalar(&m, "l", CORE_I64),
                   *k = scalar(&m, "k", CORE_I64);
    KernelVariable *local = kernel_variable(m.c, "sums", CORE_I64, KERNEL_LOCAL, NO_SPAN);
    KernelVariable *stride = scalar(&m, "stride", CORE_I64), *at = scalar(&m, "at", CORE_I64);
    KernelVariable *first = scalar(&m, "first", CORE_I64), *total = scalar(&m, "total", CORE_I64);
    const KernelExp *groups = i64(&m, 4), *size = i64(&m, KERNEL_GROUP_SIZE);
    kernel_allocate(&m.b, partial, groups);
    KernelBuilder body = inside(&m), load_loop = inside(&m), tree = inside(&m), step = inside(&m),
                  add = inside(&m);
    kernel_declare_buffer(&body, local, KERNEL_GROUP_SIZE);
    kernel_declare(&body, first, binary(&m, CORE_MUL, use(&m, g), size));
    kernel_declare(&load_loop, at, binary(&m, CORE_ADD, use(&m, first), use(&m, l)));
    kernel_store(&load_loop, local, use(&m, l),
                 kernel_select(m.c, binary(&m, CORE_LT, use(&m, at), use(&m, n)),
                               load(&m, x, use(&m, at)), i64(&m, 0)));
    kernel_for(&body, KERNEL_LOCAL_LOOP, NULL, l, size, kernel_block(&load_loop));
    kernel_barrier(&body);
    KernelVariable *l2 = scalar(&m, "l", CORE_I64), *l3 = scalar(&m, "l", CORE_I64);
    kernel_declare(&tree, stride, kernel_binary(m.c, CORE_SHR, i64(&m, 128), use(&m, k)));
    kernel_store(&add, local, use(&m, l2),
                 binary(&m, CORE_ADD, load(&m, local, use(&m, l2)),
                        load(&m, local, binary(&m, CORE_ADD, use(&m, l2), use(&m, stride)))));
    kernel_if(&step, binary(&m, CORE_LT, use(&m, l2), use(&m, stride)), kernel_block(&add),
              (KernelBlock){0});
    kernel_for(&tree, KERNEL_LOCAL_LOOP, NULL, l2, size, kernel_block(&step));
    kernel_barrier(&tree);
    kernel_for(&body, KERNEL_SEQ, NULL, k, i64(&m, 8), kernel_block(&tree));
    KernelBuilder last = inside(&m), put = inside(&m);
    kernel_store(&put, partial, use(&m, g), load(&m, local, i64(&m, 0)));
    kernel_if(&last, binary(&m, CORE_EQ, use(&m, l3), i64(&m, 0)), kernel_block(&put),
              (KernelBlock){0});
    kernel_for(&body, KERNEL_LOCAL_LOOP, NULL, l3, size, kernel_block(&last));
    kernel_for(&m.b, KERNEL_GROUP, "reduce_1", g, groups, kernel_block(&body));
    KernelVariable *j = scalar(&m, "j", CORE_I64);
    KernelBuilder sum = inside(&m);
    kernel_declare(&m.b, total, i64(&m, 0));
    kernel_assign(&sum, total, binary(&m, CORE_ADD, use(&m, total), load(&m, partial, use(&m, j))));
    kernel_for(&m.b, KERNEL_SEQ, NULL, j, groups, kernel_block(&sum));
    print_array(&m, partial, groups);
    print_value(&m, use(&m, total));
    expect(*state, m.c, finish(&m), "", 0, "32640 98176 163712 204972\n499500\n");
    compilation_destroy(m.c);
}

/* x[i] / limit is checked in the kernel: what was printed before stays, what comes after does not.
 */
static void a_check_in_a_kernel(void **state)
{
    Making m = begin();
    SourceFile *file = source_create(m.c->arena, "test.apl", "x[7 8]\ny÷\"*/\\\n", 15);
    Span place = {file, 0, 6};
    const CorePrim prims[] = {CORE_I64, CORE_F64};
    size_t failure = add_failure(&m, CORE_INDEX_ERROR, "{} above {}", 2, prims, place);
    KernelVariable *n = argument(&m, "n", 5);
    KernelVariable *x = numbers(&m, "iota_1", use(&m, n)), *y = buffer(&m, "y", CORE_F64);
    KernelVariable *i = scalar(&m, "i", CORE_I64), *ok = scalar(&m, "ok", CORE_BOOL),
                   *v = scalar(&m, "v", CORE_I64);
    print_value(&m, i64(&m, 42));
    kernel_allocate(&m.b, y, use(&m, n));
    KernelBuilder body = inside(&m), good = inside(&m);
    kernel_declare(&body, ok, NULL);
    kernel_declare(&body, v, load(&m, x, use(&m, i)));
    const KernelExp *values[] = {use(&m, v), f64(&m, 6.5)};
    kernel_check(&body, ok, binary(&m, CORE_LT, use(&m, v), i64(&m, 7)), failure, 2, values);
    kernel_store(&good, y, use(&m, i), kernel_convert(m.c, CORE_F64, use(&m, v)));
    kernel_if(&body, use(&m, ok), kernel_block(&good), (KernelBlock){0});
    m.b.span = (Span){file, 7, 14};
    kernel_for(&m.b, KERNEL_GRID, "check_1", i, use(&m, n), kernel_block(&body));
    print_value(&m, i64(&m, 43));
    print_array(&m, y, use(&m, n));
    KernelProgram *program = finish(&m);
    expect(*state, m.c, program, "", 0, "42\n43\n0 1 2 3 4\n");
    /* sequential C stops at the first bad element, before the second print; n = 8 has only one */
    expect(*state, m.c, program, "--n=8", 1,
           "42\ntest.apl:1:1: INDEX ERROR: 7 above 6.5\n  x[7 8]\n  ^^^^^^\n");
    compilation_destroy(m.c);
}

/* A failure on the device comes before a later one on the host. */
static void failures_in_program_order(void **state)
{
    Making m = begin();
    size_t first = add_failure(&m, CORE_DOMAIN_ERROR, "on the device", 0, NULL, NO_SPAN);
    size_t second = add_failure(&m, CORE_LENGTH_ERROR, "on the host", 0, NULL, NO_SPAN);
    KernelVariable *i = scalar(&m, "i", CORE_I64), *n = argument(&m, "n", 1);
    KernelVariable *x = numbers(&m, "iota_1", i64(&m, 3));
    KernelBuilder body = inside(&m);
    kernel_check(&body, NULL, binary(&m, CORE_LT, load(&m, x, use(&m, i)), use(&m, n)), first, 0,
                 NULL);
    kernel_for(&m.b, KERNEL_GRID, "check_1", i, i64(&m, 3), kernel_block(&body));
    kernel_check(&m.b, NULL, binary(&m, CORE_GT, use(&m, n), i64(&m, 3)), second, 0, NULL);
    KernelProgram *program = finish(&m);
    expect(*state, m.c, program, "", 1, "test.apl: DOMAIN ERROR: on the device\n");
    expect(*state, m.c, program, "--n=3", 1, "test.apl: LENGTH ERROR: on the host\n");
    expect(*state, m.c, program, "--n=4", 0, "");
    compilation_destroy(m.c);
}

/* A size that cannot be comes after a failure on the device too. */
static void a_failure_before_a_bad_size(void **state)
{
    Making m = begin();
    size_t failure = add_failure(&m, CORE_DOMAIN_ERROR, "first", 0, NULL, NO_SPAN);
    KernelVariable *i = scalar(&m, "i", CORE_I64), *n = argument(&m, "n", 0),
                   *x = buffer(&m, "x", CORE_F64);
    KernelBuilder body = inside(&m);
    kernel_check(&body, NULL, binary(&m, CORE_LT, use(&m, i), use(&m, n)), failure, 0, NULL);
    kernel_for(&m.b, KERNEL_GRID, "check_1", i, i64(&m, 300000), kernel_block(&body));
    kernel_allocate(&m.b, x, i64(&m, -5));
    KernelProgram *program = finish(&m);
    expect(*state, m.c, program, "", 1, "test.apl: DOMAIN ERROR: first\n");
    expect(*state, m.c, program, "--n=300000", 1,
           "test.apl: LIMIT ERROR: an array of -5 elements\n");
    compilation_destroy(m.c);
}

/* Kernels after a failing one must not use the meaningless indices that it left. */
static void kernels_after_a_failure_do_nothing(void **state)
{
    Making m = begin();
    size_t failure = add_failure(&m, CORE_DOMAIN_ERROR, "", 0, NULL, NO_SPAN);
    KernelVariable *x = buffer(&m, "x", CORE_I64), *i = scalar(&m, "i", CORE_I64),
                   *y = buffer(&m, "y", CORE_I64);
    const KernelExp *n = i64(&m, 256);
    kernel_allocate(&m.b, x, n);
    KernelBuilder body = inside(&m);
    kernel_check(&body, NULL, binary(&m, CORE_LT, use(&m, i), i64(&m, 0)), failure, 0, NULL);
    kernel_store(&body, x, use(&m, i), i64(&m, INT64_MAX / 16));
    kernel_for(&m.b, KERNEL_GRID, "fails_1", i, n, kernel_block(&body));
    kernel_allocate(&m.b, y, n);
    KernelVariable *j = scalar(&m, "i", CORE_I64);
    grid_store(&m, "wild_1", j, n, y, load(&m, y, load(&m, x, use(&m, j))));
    KernelVariable *g = scalar(&m, "g", CORE_I64), *l = scalar(&m, "l", CORE_I64),
                   *u = scalar(&m, "u", CORE_I64);
    KernelBuilder group = inside(&m), local = inside(&m);
    kernel_declare(&group, u, load(&m, y, load(&m, x, use(&m, g))));
    kernel_store(&local, y, load(&m, x, use(&m, l)), use(&m, u));
    kernel_for(&group, KERNEL_LOCAL_LOOP, NULL, l, n, kernel_block(&local));
    kernel_for(&m.b, KERNEL_GROUP, "wild_2", g, i64(&m, 2), kernel_block(&group));
    print_array(&m, y, n);
    expect(*state, m.c, finish(&m), "", 1, "test.apl: DOMAIN ERROR\n");
    compilation_destroy(m.c);
}

/* The host stores and loads single elements around a kernel; loops over private memory. */
static void elements_on_the_host(void **state)
{
    Making m = begin();
    const KernelExp *n = i64(&m, 20000);
    KernelVariable *x = buffer(&m, "x", CORE_I64), *i = scalar(&m, "i", CORE_I64),
                   *j = scalar(&m, "j", CORE_I64);
    KernelVariable *k = scalar(&m, "k", CORE_I64), *sum = scalar(&m, "sum", CORE_I64);
    kernel_allocate(&m.b, x, n);
    KernelBuilder store = inside(&m), read = inside(&m);
    const KernelExp *back = binary(&m, CORE_SUB, i64(&m, 19999), use(&m, i));
    kernel_store(&store, x, back, use(&m, i));
    kernel_for(&m.b, KERNEL_SEQ, NULL, i, n, kernel_block(&store));
    grid_store(&m, "twice_1", j, n, x, binary(&m, CORE_MUL, load(&m, x, use(&m, j)), i64(&m, 2)));
    kernel_store(&m.b, x, i64(&m, 0), i64(&m, -1));
    kernel_store(&m.b, x, i64(&m, 19999), i64(&m, 5));
    kernel_declare(&m.b, sum, i64(&m, 0));
    kernel_assign(&read, sum, binary(&m, CORE_ADD, use(&m, sum), load(&m, x, use(&m, k))));
    kernel_for(&m.b, KERNEL_SEQ, NULL, k, n, kernel_block(&read));
    print_value(&m, use(&m, sum));
    print_value(&m, load(&m, x, i64(&m, 0)));
    print_value(&m, load(&m, x, i64(&m, 9999)));
    /* 2 * (19999*20000/2) - 2*19999 - 1 + 5 */
    expect(*state, m.c, finish(&m), "", 0, "399940006\n¯1\n20000\n");
    compilation_destroy(m.c);
}

/* Parts of one buffer and of another are moved; overlapping ones too. */
static void copies(void **state)
{
    Making m = begin();
    KernelVariable *x = numbers(&m, "iota_1", i64(&m, 8)), *y = buffer(&m, "y", CORE_I64);
    kernel_allocate(&m.b, y, i64(&m, 3));
    kernel_copy(&m.b, y, i64(&m, 0), x, i64(&m, 5), i64(&m, 3));
    kernel_copy(&m.b, x, i64(&m, 2), x, i64(&m, 0), i64(&m, 5));
    kernel_copy(&m.b, x, i64(&m, 0), y, i64(&m, 0), i64(&m, 0));
    print_array(&m, x, i64(&m, 8));
    print_array(&m, y, i64(&m, 3));
    expect(*state, m.c, finish(&m), "", 0, "0 1 0 1 2 3 4 7\n5 6 7\n");
    compilation_destroy(m.c);
}

static void atomic_case(Making *m, KernelVariable *x, CorePrim prim, CoreOperator op,
                        CoreAtom neutral, const char *name)
{
    KernelVariable *h = buffer(m, "h", prim), *i = scalar(m, "i", CORE_I64);
    kernel_allocate(&m->b, h, i64(m, 3));
    for (int k = 0; k < 3; k++)
        kernel_store(&m->b, h, i64(m, k), kernel_constant(m->c, neutral));
    KernelBuilder body = inside(m);
    const KernelExp *value = load(m, x, use(m, i));
    if (prim == CORE_BOOL)
        value = binary(m, CORE_EQ, value, i64(m, 1));
    kernel_atomic(&body, op, h, binary(m, CORE_MOD, use(m, i), i64(m, 3)),
                  kernel_convert(m->c, prim, value));
    kernel_for(&m->b, KERNEL_GRID, name, i, i64(m, 3000), kernel_block(&body));
    print_array(m, h, i64(m, 3));
}

static void atomic_updates(void **state)
{
    Making m = begin();
    KernelVariable *x = numbers(&m, "iota_1", i64(&m, 3000));
    atomic_case(&m, x, CORE_I32, CORE_ADD, core_int(CORE_I32, 0), "add_i32");
    atomic_case(&m, x, CORE_I64, CORE_ADD, core_i64(0), "add_i64");
    atomic_case(&m, x, CORE_F64, CORE_ADD, core_real(CORE_F64, 0), "add_f64");
    atomic_case(&m, x, CORE_F32, CORE_MAX, core_real(CORE_F32, -1), "max_f32");
    atomic_case(&m, x, CORE_I64, CORE_MAX, core_i64(-1), "max_i64");
    atomic_case(&m, x, CORE_I32, CORE_XOR, core_int(CORE_I32, 0), "xor_i32");
    atomic_case(&m, x, CORE_BOOL, CORE_OR, core_bool(false), "or_bool");
    expect(*state, m.c, finish(&m), "", 0,
           "1498500 1499500 1500500\n1498500 1499500 1500500\n1498500 1499500 1500500\n"
           "2997 2998 2999\n2997 2998 2999\n3176 2128 1080\n0 1 0\n");
    compilation_destroy(m.c);
}

/* Every operator and every conversion compiles and gives the same in both languages. */
static void all_operators_agree(void **state)
{
    static const CorePrim prims[] = {CORE_BOOL, CORE_CHAR, CORE_I32, CORE_I64, CORE_F32, CORE_F64};
    static const double samples[] = {-7, -1, 0, 1, 2, 3, 5.5, 70};
    Making m = begin();
    for (size_t p = 0; p < 6; p++) {
        KernelVariable *x = buffer(&m, "x", prims[p]), *y = buffer(&m, "y", prims[p]);
        const KernelExp **xs = ARENA_ARRAY(m.c->arena, const KernelExp *, 64);
        const KernelExp **ys = ARENA_ARRAY(m.c->arena, const KernelExp *, 64);
        for (int k = 0; k < 64; k++) {
            double a = samples[k / 8], b = samples[k % 8];
            CoreAtom ends[2];
            for (int s = 0; s < 2; s++) {
                double v = s ? b : a;
                ends[s] = prims[p] == CORE_BOOL    ? core_bool(v > 0)
                          : prims[p] == CORE_CHAR  ? core_char((uint32_t)(v + 60))
                          : core_is_real(prims[p]) ? core_real(prims[p], v)
                                                   : core_int(prims[p], (int64_t)v);
            }
            xs[k] = kernel_constant(m.c, ends[0]);
            ys[k] = kernel_constant(m.c, ends[1]);
        }
        kernel_constants(&m.b, x, 64, xs);
        kernel_constants(&m.b, y, 64, ys);
        for (int op = 0; op < CORE_OPERATOR_COUNT; op++) {
            if (!core_operator_accepts((CoreOperator)op, prims[p]))
                continue;
            bool is_exact = !core_is_real(prims[p]) || op < CORE_POW || op > CORE_BINOM;
            if (op == CORE_RANDOM && prims[p] != CORE_I64)
                continue;
            if (op >= CORE_EXP || !is_exact)
                continue; /* last places may differ */
            CorePrim result = core_operator_result((CoreOperator)op, prims[p]);
            KernelVariable *z = buffer(&m, "z", result), *i = scalar(&m, "i", CORE_I64);
            kernel_allocate(&m.b, z, i64(&m, 64));
            const KernelExp *a = load(&m, x, use(&m, i)), *b = load(&m, y, use(&m, i));
            const KernelExp *value = core_operator_arity((CoreOperator)op) == 1
                                         ? kernel_unary(m.c, (CoreOperator)op, a)
                                         : binary(&m, (CoreOperator)op, a, b);
            grid_store(&m, arena_printf(m.c->arena, "op_%d_%d", (int)p, op), i, i64(&m, 64), z,
                       value);
            print_array(&m, z, i64(&m, 64));
        }
        for (size_t q = 0; q < 6; q++) {
            KernelVariable *z = buffer(&m, "z", prims[q]), *i = scalar(&m, "i", CORE_I64);
            if (prims[q] == CORE_CHAR && prims[p] != CORE_CHAR)
                continue; /* not printable */
            kernel_allocate(&m.b, z, i64(&m, 64));
            grid_store(&m, arena_printf(m.c->arena, "to_%d_%d", (int)p, (int)q), i, i64(&m, 64), z,
                       kernel_convert(m.c, prims[q], load(&m, x, use(&m, i))));
            print_array(&m, z, i64(&m, 64));
        }
    }
    KernelProgram *program = finish(&m);
    char *outputs[2];
    for (int is_opencl = 0; is_opencl < 2; is_opencl++) {
        Text text = text_create(m.c->arena);
        (is_opencl ? emit_opencl : emit_c)(m.c, &text, program, "test.apl");
        Ran ran = run_text(*state, text_get(&text), is_opencl, "");
        if (ran.code != 0)
            print_error("...%s", strlen(ran.output) > 800 ? ran.output + strlen(ran.output) - 800
                                                          : ran.output);
        assert_int_equal(ran.code, 0);
        outputs[is_opencl] = ran.output;
    }
    assert_string_equal(outputs[0], outputs[1]);
    assert_true(strlen(outputs[0]) > 5000);
    free(outputs[0]);
    free(outputs[1]);
    compilation_destroy(m.c);
}

/* Effects that make arrays, and those that only speak of numbers. */
static void other_effects(void **state)
{
    Fixture *fixture = *state;
    Making m = begin();
    char path[128];
    snprintf(path, sizeof path, "%s/data.txt", fixture->folder);
    FILE *file = fopen(path, "w");
    fputs("3 4.5 ¯6\n", file);
    fclose(file);
    KernelVariable *name = buffer(&m, "name", CORE_CHAR), *data = buffer(&m, "data", CORE_F64);
    KernelVariable *count = scalar(&m, "count", CORE_I64), *t = scalar(&m, "t", CORE_I64);
    const KernelExp *codes[] = {
        kernel_constant(m.c, core_char('d')), kernel_constant(m.c, core_char('a')),
        kernel_constant(m.c, core_char('t')), kernel_constant(m.c, core_char('a')),
        kernel_constant(m.c, core_char('.')), kernel_constant(m.c, core_char('t')),
        kernel_constant(m.c, core_char('x')), kernel_constant(m.c, core_char('t'))};
    const KernelExp **length = ARENA_ARRAY(m.c->arena, const KernelExp *, 1);
    length[0] = i64(&m, 8);
    kernel_constants(&m.b, name, 8, codes);
    kernel_declare(&m.b, count, NULL);
    kernel_effect(&m.b, (KernelEffect){.kind = KERNEL_READ,
                                       .variable = data,
                                       .result = count,
                                       .source = name,
                                       .rank = 1,
                                       .shape = length});
    print_array(&m, data, use(&m, count));
    KernelVariable *text = buffer(&m, "text", CORE_CHAR), *shown = scalar(&m, "shown", CORE_I64);
    kernel_declare(&m.b, shown, NULL);
    kernel_effect(&m.b, (KernelEffect){.kind = KERNEL_FORMAT,
                                       .variable = text,
                                       .result = shown,
                                       .value = load(&m, data, i64(&m, 2))});
    print_array(&m, text, use(&m, shown));
    kernel_declare(&m.b, t, NULL);
    kernel_effect(&m.b, (KernelEffect){.kind = KERNEL_SEED, .value = i64(&m, 99)});
    kernel_effect(&m.b, (KernelEffect){.kind = KERNEL_SEED_NOW, .result = t});
    print_value(&m, use(&m, t));
    kernel_effect(&m.b, (KernelEffect){.kind = KERNEL_DRAWS, .result = t, .value = i64(&m, 10)});
    kernel_effect(&m.b, (KernelEffect){.kind = KERNEL_DRAWS, .result = t, .value = i64(&m, 1)});
    print_value(&m, use(&m, t));
    kernel_effect(&m.b, (KernelEffect){.kind = KERNEL_NOW, .result = t});
    print_value(&m, binary(&m, CORE_GE, use(&m, t), i64(&m, 0)));
    KernelProgram *program = finish(&m);
    expect(fixture, m.c, program, "", 0, "3 4.5 ¯6\n¯6\n99\n10\n1\n");
    remove(path);
    for (int is_opencl = 0; is_opencl < 2; is_opencl++) {
        Text out = text_create(m.c->arena);
        (is_opencl ? emit_opencl : emit_c)(m.c, &out, program, "test.apl");
        Ran ran = run_text(fixture, text_get(&out), is_opencl, "");
        assert_int_equal(ran.code, 1);
        assert_non_null(strstr(ran.output, "DOMAIN ERROR"));
        assert_non_null(strstr(ran.output, "data.txt"));
        free(ran.output);
    }
    compilation_destroy(m.c);
}

/* while and if, private memory, names that are words of C, and a long sum in one kernel. */
static void control_and_names(void **state)
{
    Making m = begin();
    KernelVariable *y = buffer(&m, "int", CORE_I64), *i = scalar(&m, "M_PI", CORE_I64);
    KernelVariable *more = scalar(&m, "while", CORE_BOOL), *v = scalar(&m, "global", CORE_I64);
    KernelVariable *steps = kernel_variable(m.c, "_", CORE_I64, KERNEL_PRIVATE, NO_SPAN);
    const KernelExp *n = i64(&m, 9);
    kernel_allocate(&m.b, y, n);
    KernelBuilder body = inside(&m), loop = inside(&m), even = inside(&m), odd = inside(&m);
    kernel_declare_buffer(&body, steps, 1);
    kernel_store(&body, steps, i64(&m, 0), i64(&m, 0));
    kernel_declare(&body, v, binary(&m, CORE_ADD, use(&m, i), i64(&m, 1)));
    kernel_declare(&body, more, binary(&m, CORE_NE, use(&m, v), i64(&m, 1)));
    kernel_assign(&even, v, binary(&m, CORE_DIV, use(&m, v), i64(&m, 2)));
    kernel_assign(&odd, v,
                  binary(&m, CORE_ADD, binary(&m, CORE_MUL, use(&m, v), i64(&m, 3)), i64(&m, 1)));
    kernel_if(&loop, binary(&m, CORE_EQ, binary(&m, CORE_AND, use(&m, v), i64(&m, 1)), i64(&m, 0)),
              kernel_block(&even), kernel_block(&odd));
    kernel_store(&loop, steps, i64(&m, 0),
                 binary(&m, CORE_ADD, load(&m, steps, i64(&m, 0)), i64(&m, 1)));
    kernel_assign(&loop, more, binary(&m, CORE_NE, use(&m, v), i64(&m, 1)));
    kernel_while(&body, more, kernel_block(&loop));
    kernel_store(&body, y, use(&m, i), load(&m, steps, i64(&m, 0)));
    kernel_comment(&m.b, "steps of Collatz */ for (;;) /* done");
    kernel_for(&m.b, KERNEL_GRID, "collatz_1", i, n, kernel_block(&body));
    print_array(&m, y, n);
    expect(*state, m.c, finish(&m), "", 0, "0 1 7 2 5 8 16 3 19\n");
    compilation_destroy(m.c);
}

/* Main is split where it is long: 10,000 statements build in seconds and compute the same. */
static void a_program_of_10000_statements(void **state)
{
    Making m = begin();
    KernelVariable *x = scalar(&m, "x", CORE_I64), *last = x;
    kernel_declare(&m.b, x, i64(&m, 1));
    for (int k = 0; k < 10000; k++) {
        KernelVariable *next = scalar(&m, "x", CORE_I64);
        kernel_declare(&m.b, next, binary(&m, CORE_ADD, use(&m, last), use(&m, x)));
        last = next;
    }
    print_value(&m, use(&m, last));
    expect(*state, m.c, finish(&m), "", 0, "10001\n");
    compilation_destroy(m.c);
}

static void the_text_form(void **state)
{
    (void)state;
    Making m = begin();
    KernelVariable *n = argument(&m, "n", 4);
    KernelVariable *x = numbers(&m, "iota_1", use(&m, n));
    print_array(&m, x, use(&m, n));
    kernel_release(&m.b, x);
    KernelProgram *program = finish(&m);
    Text text = text_create(m.c->arena);
    kernel_print(m.c, &text, program);
    assert_string_equal(text_get(&text), "var n_1 : i64\n"
                                         "n_1 = argument \"n\" default 4\n"
                                         "alloc x_2 : i64[n_1]\n"
                                         "grid iota_1 (i_3 < n_1) {\n"
                                         "    x_2[i_3] = i_3\n"
                                         "}\n"
                                         "print x_2 [n_1]\n"
                                         "release x_2\n");
    compilation_destroy(m.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_form),
        cmocka_unit_test(a_map_over_constants),
        cmocka_unit_test(an_empty_array),
        cmocka_unit_test(loop_state_by_alias),
        cmocka_unit_test(a_reduction_in_groups),
        cmocka_unit_test(a_check_in_a_kernel),
        cmocka_unit_test(failures_in_program_order),
        cmocka_unit_test(a_failure_before_a_bad_size),
        cmocka_unit_test(kernels_after_a_failure_do_nothing),
        cmocka_unit_test(elements_on_the_host),
        cmocka_unit_test(copies),
        cmocka_unit_test(atomic_updates),
        cmocka_unit_test(all_operators_agree),
        cmocka_unit_test(other_effects),
        cmocka_unit_test(control_and_names),
        cmocka_unit_test(a_program_of_10000_statements),
    };
    return cmocka_run_group_tests(tests, open_fixture, close_fixture);
}
