/* The OpenCL runtime alone, with hand-written kernels. Each case runs in a process of its own,
   since the runtime holds one program, and since many cases end it. */
#include "runtime/tailor_opencl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- cases in processes --------------------------------------------------------------------- */

typedef struct Fixture {
    char folder[64];
} Fixture;

typedef struct Ran {
    int code;
    char output[8192]; /* both streams */
} Ran;

static int open_fixture(void **state)
{
    Fixture *fixture = calloc(1, sizeof *fixture);
    strcpy(fixture->folder, "/tmp/tailor-opencl-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    setenv("TAILOR_CACHE", fixture->folder, 1);
    unsetenv("TAILOR_DEVICE");
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

static Ran run_case(Fixture *fixture, void (*body)(void))
{
    char path[128];
    Ran ran = {0};
    snprintf(path, sizeof path, "%s/output", fixture->folder);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen(path, "w", stdout) || dup2(fileno(stdout), STDERR_FILENO) < 0)
            _exit(99);
        body();
        fflush(NULL);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    ran.output[fread(ran.output, 1, sizeof ran.output - 1, file)] = '\0';
    fclose(file);
    return ran;
}

static void assert_has(const Ran *ran, const char *part)
{
    if (!strstr(ran->output, part)) {
        print_error("exit %d, no '%s' in:\n%s\n", ran->code, part, ran->output);
        fail();
    }
}

static void begin(const char *option, const tl_program *program)
{
    char name[] = "test", text[256];
    snprintf(text, sizeof text, "%s", option ? option : "");
    char *arguments[] = {name, text, NULL};
    tl_begin(option ? 2 : 1, arguments, "test.apl", NULL);
    tl_cl_begin(program);
}

/* ---- programs ------------------------------------------------------------------------------- */

static const char twice_source[] =
    "kernel void twice(const tl_index count, const global double *x, global double *y)\n"
    "{\n"
    "    const long i = get_global_id(0);\n"
    "    if (i < count) y[i] = tl_max_f64(x[i], 1.0) * 2.0;\n"
    "}\n";

static const tl_kernel twice_kernels[] = {{"twice", "twice", "test.apl:7", false, false, 0, 0},
                                          {NULL, NULL, NULL, false, false, 0, 0}};
static const tl_program twice_program = {
    .source = twice_source, .kernels = twice_kernels, .kernel_count = 1, .needs_f64 = true};

static void print_twice(const char *option)
{
    double values[1000];
    tl_buffer *x = NULL, *y = NULL;
    begin(option, &twice_program);
    for (int i = 0; i < 1000; i++)
        values[i] = i;
    tl_cl_upload(&x, 1000, sizeof(double), values);
    tl_cl_allocate(&y, 1000, sizeof(double));
    for (int k = 0; k < 3; k++) {
        tl_cl_grid(&twice_kernels[0], 1000, 2, (const tl_argument[]){TL_READS(x), TL_WRITES(y)});
    }
    printf("%g %g %g\n", tl_cl_load_f64(y, 0), tl_cl_load_f64(y, 500), tl_cl_load_f64(y, 999));
    tl_cl_release(&x);
    tl_cl_release(&y);
    tl_cl_end();
}

static void twice(void)
{
    print_twice(NULL);
}
static void twice_with_profile(void)
{
    print_twice("--profile");
}
static void twice_on_device_0(void)
{
    print_twice("--device=0");
}
static void twice_on_nosuch(void)
{
    print_twice("--device=nosuch");
}
static void twice_on_device_99(void)
{
    print_twice("--device=99");
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void kernels_run(void **state)
{
    Ran ran = run_case(*state, twice);
    assert_string_equal(ran.output, "2 1000 1998\n");
    assert_int_equal(ran.code, 0);
}

static void a_device_by_number_type_or_name(void **state)
{
    Ran ran = run_case(*state, twice_on_device_0);
    assert_int_equal(ran.code, 0);
    ran = run_case(*state, twice_on_nosuch);
    assert_int_equal(ran.code, 1);
    assert_has(&ran, "DEVICE ERROR: no OpenCL device 'nosuch'");
    ran = run_case(*state, twice_on_device_99);
    assert_int_equal(ran.code, 1);
    assert_has(&ran, "DEVICE ERROR: no OpenCL device '99'");
    setenv("TAILOR_DEVICE", "nosuch", 1);
    ran = run_case(*state, twice);
    unsetenv("TAILOR_DEVICE");
    assert_int_equal(ran.code, 1);
}

static void no_device_at_all(void **state)
{
    setenv("OCL_ICD_VENDORS", "/nonexistent/", 1);
    Ran ran = run_case(*state, twice);
    unsetenv("OCL_ICD_VENDORS");
    assert_int_equal(ran.code, 1);
    assert_string_equal(
        ran.output,
        "test.apl: DEVICE ERROR: no OpenCL device; install pocl-opencl-icd or use -b c\n");
}

static void list(void)
{
    printf("%d devices\n", tl_list_devices(stdout));
}

static void the_list_of_devices(void **state)
{
    Ran ran = run_case(*state, list);
    assert_int_equal(ran.code, 0);
    assert_has(&ran, "* ");
    assert_has(&ran, " devices\n");
}

static void a_profile(void **state)
{
    Ran ran = run_case(*state, twice_with_profile);
    assert_int_equal(ran.code, 0);
    assert_has(&ran, "2 1000 1998\n");
    assert_has(&ran, "twice                                   3 ");
    assert_has(&ran, "test.apl:7");
    assert_has(&ran, "from the device");
}

/* The one file of the cache. */
static void find_cached(const Fixture *fixture, char *path, size_t size)
{
    char folder[128];
    int found = 0;
    snprintf(folder, sizeof folder, "%s/kernels", fixture->folder);
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (entry->d_name[0] == '.')
            continue;
        found++;
        assert_int_equal(strlen(entry->d_name), 32);
        snprintf(path, size, "%s/%s", folder, entry->d_name);
    }
    closedir(entries);
    assert_int_equal(found, 1);
}

static void damage(const char *path, long at, long length)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    if (length >= 0)
        assert_int_equal(ftruncate(fileno(file), length), 0);
    fseek(file, at, SEEK_SET);
    fputs("damaged", file);
    fclose(file);
}

static void binaries_are_kept_and_damaged_ones_ignored(void **state)
{
    char path[512];
    struct stat first, second;
    setenv("TAILOR_KEEP_KERNELS", "1", 1); /* of PoCL, too */
    Ran ran = run_case(*state, twice);
    assert_int_equal(ran.code, 0);
    find_cached(*state, path, sizeof path);
    assert_int_equal(stat(path, &first), 0);
    ran = run_case(*state, twice);
    assert_string_equal(ran.output, "2 1000 1998\n");
    assert_int_equal(stat(path, &second), 0);
    assert_int_equal(first.st_ino, second.st_ino); /* used, not written again */
    const long places[][2] = {
        {0, -1}, {40, -1}, {(long)first.st_size / 2, -1}, {0, 0}, {0, first.st_size - 9}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        damage(path, places[i][0], places[i][1]);
        ran = run_case(*state, twice);
        assert_string_equal(ran.output, "2 1000 1998\n");
        assert_int_equal(ran.code, 0);
        assert_int_equal(stat(path, &second), 0);
        assert_int_equal(first.st_size, second.st_size); /* made anew */
    }
    unsetenv("TAILOR_KEEP_KERNELS");
}

static void a_cache_that_cannot_be_written(void **state)
{
    setenv("TAILOR_CACHE", "/proc/nosuch", 1);
    Ran ran = run_case(*state, twice);
    setenv("TAILOR_CACHE", ((Fixture *)*state)->folder, 1);
    assert_string_equal(ran.output, "2 1000 1998\n");
    assert_int_equal(ran.code, 0);
}

static void bad_source(void)
{
    static const tl_kernel kernels[] = {{"k", "k", NULL, false, false, 0, 0}};
    const tl_program program = {.source = "kernel void k(void) { no_such_name = 1; }\n",
                                .kernels = kernels,
                                .kernel_count = 1};
    begin(NULL, &program);
}

static void a_build_failure_shows_its_log(void **state)
{
    Ran ran = run_case(*state, bad_source);
    assert_int_equal(ran.code, 1);
    assert_has(&ran, "no_such_name");
    assert_has(&ran, "DEVICE ERROR: clBuildProgram: CL_BUILD_PROGRAM_FAILURE");
}

static void negative_size(void)
{
    tl_buffer *x = NULL;
    begin(NULL, &twice_program);
    tl_cl_allocate(&x, -3, 8);
}
static void overflowing_size(void)
{
    tl_buffer *x = NULL;
    begin(NULL, &twice_program);
    tl_cl_allocate(&x, INT64_MAX / 2, 8);
}
static void too_large(void)
{
    tl_buffer *x = NULL;
    begin(NULL, &twice_program);
    tl_cl_allocate(&x, (int64_t)1 << 50, 1);
}
static void too_many(void)
{
    tl_buffer *x[100000] = {NULL};
    begin(NULL, &twice_program);
    for (int i = 0; i < 100000; i++)
        tl_cl_allocate(&x[i], 1 << 28, 1);
}

static void sizes_that_are_refused(void **state)
{
    Ran ran = run_case(*state, negative_size);
    assert_int_equal(ran.code, 1);
    assert_has(&ran, "LIMIT ERROR: an array of ¯3 elements of 8 bytes");
    ran = run_case(*state, overflowing_size);
    assert_int_equal(ran.code, 1);
    assert_has(&ran, "LIMIT ERROR: an array of 4611686018427387903 elements of 8 bytes");
    ran = run_case(*state, too_large);
    assert_int_equal(ran.code, 1);
    assert_has(&ran, "WS FULL: 1125899906842624 bytes in one array");
    ran = run_case(*state, too_many);
    assert_int_equal(ran.code, 1);
    assert_has(&ran, "WS FULL");
}

/* Random stores, loads, copies and kernels against the same on plain memory. */
static void random_accesses(void)
{
    enum { COUNT = 30000 };
    static double model[2][COUNT];
    tl_buffer *x[2] = {NULL, NULL};
    uint32_t seed = 12345;
    begin(NULL, &twice_program);
    for (int b = 0; b < 2; b++) {
        tl_cl_allocate(&x[b], COUNT, sizeof(double));
        for (int i = 0; i < COUNT; i++) {
            model[b][i] = i;
            tl_cl_store_f64(x[b], i, i);
        }
    }
    for (int step = 0; step < 20000; step++) {
        seed = seed * 1664525u + 1013904223u;
        int what = (int)(seed >> 28), b = (int)(seed >> 27 & 1), at = (int)((seed >> 8) % COUNT);
        if (what < 8) {
            if (what < 4)
                at = at % 100;
            model[b][at] = step;
            tl_cl_store_f64(x[b], at, step);
        } else if (what < 15) {
            if (what < 12)
                at = at % 100 + 8100; /* across the edge of a window */
            double value = tl_cl_load_f64(x[b], at);
            if (value != model[b][at]) {
                printf("step %d: %g, not %g, at %d\n", step, value, model[b][at], at);
                exit(3);
            }
        } else if (step % 2) {
            int count = COUNT - at > 500 ? 500 : COUNT - at, from = at / 2;
            memmove(&model[b][at], &model[1 - b][from], (size_t)count * sizeof(double));
            tl_cl_copy(x[b], at, x[1 - b], from, count, sizeof(double));
        } else {
            for (int i = 0; i < COUNT; i++)
                model[b][i] = (model[1 - b][i] > 1 ? model[1 - b][i] : 1) * 2;
            tl_cl_grid(&twice_kernels[0], COUNT, 2,
                       (const tl_argument[]){TL_READS(x[1 - b]), TL_WRITES(x[b])});
            if (model[b][0] > 1e300)
                exit(4);
        }
        if (step % 1000 == 999) {
            for (int i = 0; i < 2; i++) {
                for (int k = 0; k < COUNT; k++)
                    model[i][k] = k % 7;
                tl_cl_upload(&x[i], COUNT, sizeof(double), model[i]);
            }
        }
    }
    double *all = tl_cl_download(x[0], 0, COUNT, sizeof(double));
    if (memcmp(all, model[0], sizeof model[0]) != 0)
        exit(5);
    free(all);
    tl_cl_release(&x[0]);
    tl_cl_release(&x[1]);
    tl_cl_end();
    printf("agrees\n");
}

static void elements_and_kernels_see_each_other(void **state)
{
    Ran ran = run_case(*state, random_accesses);
    assert_string_equal(ran.output, "agrees\n");
    assert_int_equal(ran.code, 0);
}

/* Memory is used again: far more than the machine has passes through two variables. */
static void recycle(void)
{
    tl_buffer *x = NULL, *y = NULL;
    begin(NULL, &twice_program);
    for (int i = 0; i < 20000; i++) {
        tl_cl_allocate(&x, 1 << (10 + i % 14), 8);
        tl_cl_alias(&y, x);
        tl_cl_store_f64(y, 5, i);
    }
    printf("%g\n", tl_cl_load_f64(x, 5));
    tl_cl_release(&x);
    tl_cl_release(&y);
    tl_cl_allocate(&x, 0, 8);
    double *nothing = tl_cl_download(x, 0, 0, 8);
    free(nothing);
    tl_cl_grid(&twice_kernels[0], 0, 2, (const tl_argument[]){TL_READS(x), TL_WRITES(x)});
    tl_cl_print(TL_F64, 1, (const int64_t[]){0}, x, 0);
    tl_cl_release(&x);
    tl_cl_end();
}

static void memory_is_used_again(void **state)
{
    Ran ran = run_case(*state, recycle);
    assert_string_equal(ran.output, "19999\n\n");
    assert_int_equal(ran.code, 0);
}

/* Steps y = x + 1 until x[0] is `last`, decided before each; three arrays, of which one changes its size, and the
   number of steps. What the host has is that of the last step, whichever it is. */
static const char steps_source[] =
    "kernel void advance(const tl_index count, const global long *x, global long *y,\n"
    "                 const global long *word)\n"
    "{\n"
    "    const long i = get_global_id(0);\n"
    "    if (i < count && *word >= 0) y[i] = x[i] + 1;\n"
    "}\n"
    "kernel void decide(const tl_index count, const global long *x, const long last,\n"
    "                   global long *word)\n"
    "{\n"
    "    if (get_global_id(0) < count && *word >= 0)\n"
    "        *word = x[0] < last ? *word + 1 : -1 - *word;\n"
    "}\n";

static const tl_kernel steps_kernels[] = {{"advance", "advance", "test.apl:1", false, false, 0, 0},
                                          {"decide", "decide", "test.apl:2", false, false, 0, 0},
                                          {NULL, NULL, NULL, false, false, 0, 0}};
static const tl_program steps_program = {
    .source = steps_source, .kernels = steps_kernels, .kernel_count = 2};

static void make_step(tl_buffer **next, tl_buffer *state, int64_t count, tl_buffer *word)
{
    tl_cl_allocate(next, count, sizeof(int64_t));
    tl_cl_grid(&steps_kernels[0], count, 3,
               (const tl_argument[]){TL_READS(state), TL_WRITES(*next), TL_READS(word)});
}

static void steps_until(int64_t last)
{
    enum { COUNT = 100 };
    static const int64_t zeros[COUNT] = {0};
    tl_buffer *word = NULL, *x = NULL, *y = NULL, *next = NULL, *other = NULL;
    int64_t steps = 0;
    bool is_last = false;
    tl_cl_upload(&x, COUNT, sizeof(int64_t), zeros);
    tl_cl_upload(&y, COUNT, sizeof(int64_t), zeros);
    tl_cl_begin_ahead(&word, 1);
    while (!is_last) {
        tl_buffer **const kept[] = {&x, &y, &next};
        const tl_argument decision[] = {TL_READS(x), {.size = 8, .as.i64 = last}, TL_WRITES(word)};
        tl_cl_grid(&steps_kernels[1], 1, 3, decision);
        is_last = tl_cl_is_last(0, 3, kept, 1, &(const tl_scalar){&steps, sizeof steps});
        if (is_last)
            break;
        make_step(&next, x, COUNT, word);
        make_step(&other, y, COUNT - steps % 7, word); /* memory of the same class */
        tl_cl_alias(&x, next);
        tl_cl_alias(&y, other);
        tl_cl_release(&next);
        tl_cl_release(&other);
        steps++;
    }
    tl_cl_release(&word);
    printf("%d %d %d %d\n", (int)steps, (int)tl_cl_load_i64(x, 0),
           (int)tl_cl_load_i64(x, COUNT - 1), (int)tl_cl_load_i64(y, 90));
    tl_cl_release(&x);
    tl_cl_release(&y);
}

static void steps_ahead(void)
{
    begin(NULL, &steps_program);
    for (int last = 0; last < 150; last++)
        steps_until(last);
    tl_cl_end();
}

static void what_was_started_too_much_leaves_no_trace(void **state)
{
    Ran ran = run_case(*state, steps_ahead);
    char expected[sizeof ran.output];
    size_t length = 0;
    for (int last = 0; last < 150; last++) {
        length += (size_t)snprintf(expected + length, sizeof expected - length, "%d %d %d %d\n",
                                   last, last, last, last);
    }
    assert_string_equal(ran.output, expected);
    assert_int_equal(ran.code, 0);
}

/* Of kernels for processors each group has a share of its own, whoever takes it first, and after any number of launches. */
static const char shares_source[] =
    "#ifdef TL_ON_PROCESSOR\n"
    "kernel void take(global long *counts, volatile global int *shares)\n"
    "{\n"
    "    counts[tl_take_share(shares)] += 1;\n"
    "}\n"
    "#endif\n";

static const tl_kernel shares_kernels[] = {{"take", "take", "test.apl:1", false, false, 0, 0},
                                           {NULL, NULL, NULL, false, false, 0, 0}};
static const tl_program shares_program = {
    .source = shares_source, .kernels = shares_kernels, .kernel_count = 1};

/* Whether the shares, and nothing else, are taken once a launch. */
static void take_shares(void)
{
    enum { COUNT = 4096 };
    static const int64_t zeros[COUNT] = {0}, most[] = {COUNT, 3, 1};
    setenv("TAILOR_KERNELS", "cpu", 1);
    begin(NULL, &shares_program);
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
        tl_buffer *counts = NULL;
        tl_cl_upload(&counts, COUNT, sizeof(int64_t), zeros);
        for (int launch = 0; launch < 1000; launch++)
            tl_cl_shares(&shares_kernels[0], most[k], 1, (const tl_argument[]){TL_WRITES(counts)});
        int64_t *taken = tl_cl_download(counts, 0, COUNT, sizeof(int64_t));
        int same = 0, others = 0;
        for (int i = 0; i < COUNT; i++) {
            same += taken[i] == 1000;
            others += taken[i] != 1000 && taken[i] != 0;
        }
        bool as_many = k == 0 ? same > 0 && same % 16 == 0 : same == most[k];
        printf("%d %d\n", as_many && taken[0] == 1000, others);
        free(taken);
        tl_cl_release(&counts);
    }
    tl_cl_end();
}

static void each_group_has_a_share(void **state)
{
    Ran ran = run_case(*state, take_shares);
    assert_string_equal(ran.output, "1 0\n1 0\n1 0\n");
    assert_int_equal(ran.code, 0);
}

/* As kernels divide by their arguments (tl_divide_by_known): rounded as division is, also where the
   quotient is about half way between two doubles. */
static void quotients_by_arguments(void **state)
{
    static const double divisors[] = {3,    7, 0.1, 2.5066282746310002, 1.9999999999999998, 1e-50,
                                      -0.7, 8, 1e60};
    static const double refused[] = {0, -0.0, INFINITY, NAN, 1e70, 1e-70};
    uint64_t random = 88172645463325252u;
    (void)state;
    for (size_t i = 0; i < sizeof divisors / sizeof *divisors; i++) {
        double y = divisors[i], high = tl_cl_reciprocal(y), low = tl_cl_reciprocal_low(y);
        assert_true(high != 0 && fabs(low) <= fabs(high) * 0x1p-53);
        for (int k = 0; k < 20000; k++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            double half = 1 + (double)(random >> 12) * 0x1p-52, product = half * y;
            double near = product + (fma(half, y, -product) + 0x1p-53 * y);
            double dividends[] = {half, product, -near};
            for (size_t j = 0; j < sizeof dividends / sizeof *dividends; j++) {
                double x = dividends[j], quotient = fma(x, high, x * low);
                assert_true(fma(fma(-quotient, y, x), high, quotient) == x / y);
            }
        }
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_true(tl_cl_reciprocal(refused[i]) == 0 && tl_cl_reciprocal_low(refused[i]) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_run),
        cmocka_unit_test(quotients_by_arguments),
        cmocka_unit_test(a_device_by_number_type_or_name),
        cmocka_unit_test(no_device_at_all),
        cmocka_unit_test(the_list_of_devices),
        cmocka_unit_test(a_profile),
        cmocka_unit_test(a_cache_that_cannot_be_written),
        cmocka_unit_test(a_build_failure_shows_its_log),
        cmocka_unit_test(sizes_that_are_refused),
        cmocka_unit_test(elements_and_kernels_see_each_other),
        cmocka_unit_test(memory_is_used_again),
        cmocka_unit_test(what_was_started_too_much_leaves_no_trace),
        cmocka_unit_test(each_group_has_a_share),
    };
    const struct CMUnitTest cache_tests[] = {
        cmocka_unit_test(binaries_are_kept_and_damaged_ones_ignored)};
    int failed = cmocka_run_group_tests(tests, open_fixture, close_fixture);
    return failed + cmocka_run_group_tests(cache_tests, open_fixture, close_fixture);
}
