/* Programs as processes: command lines, failures and exit codes. */
#include "runtime/tailor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static const char *const parameters[] = {"n", "rate", NULL};

/* What a child process wrote to standard output and standard error together, and how it ended. */
typedef struct Outcome {
    int code;
    char text[4096];
} Outcome;

typedef int (*Program)(int argc, char **argv);

static Outcome run(Program program, int argc, char **argv)
{
    Outcome outcome = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        int code = program(argc, argv);
        fflush(NULL);
        _exit(code);
    }
    close(ends[1]);
    size_t used = 0;
    ssize_t got;
    while ((got = read(ends[0], outcome.text + used, sizeof outcome.text - 1 - used)) > 0) {
        used += (size_t)got;
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
}

static int show_arguments(int argc, char **argv)
{
    tl_begin(argc, argv, "show", parameters);
    printf("%lld %g %s %d\n", (long long)tl_argument_int("n", 7), tl_argument_real("rate", 0.5),
           tl_device_option() ? tl_device_option() : "-", tl_profile_option());
    return tl_end();
}

#define RUN(program, ...)                                                                          \
    run(program, (int)(sizeof((char *[]){"p", __VA_ARGS__}) / sizeof(char *)),                     \
        (char *[]){"p", __VA_ARGS__})
#define USAGE                                                                                      \
    "usage: show [--n=VALUE] [--rate=VALUE] [--device=D] [--profile] [--repeat=N] [--help]\n"

static void assert_outcome(Outcome outcome, int code, const char *text)
{
    assert_string_equal(outcome.text, text);
    assert_int_equal(outcome.code, code);
}

static void test_arguments(void **state)
{
    (void)state;
    unsetenv("TAILOR_DEVICE");
    assert_outcome(RUN(show_arguments, "--n=10"), 0, "10 0.5 - 0\n");
    assert_outcome(RUN(show_arguments, "--n", "-10", "--rate", "1e3"), 0, "-10 1000 - 0\n");
    assert_outcome(RUN(show_arguments, "--n=1E6", "--profile", "--device=2"), 0,
                   "1000000 0.5 2 1\n");
    assert_outcome(RUN(show_arguments, "--n=¯3"), 0, "-3 0.5 - 0\n");
    assert_outcome(RUN(show_arguments, "--help"), 0, USAGE);
    setenv("TAILOR_DEVICE", "pocl", 1);
    assert_outcome(RUN(show_arguments, "--n=1"), 0, "1 0.5 pocl 0\n");
    unsetenv("TAILOR_DEVICE");
}

static void test_usage_errors(void **state)
{
    (void)state;
    assert_outcome(RUN(show_arguments, "--m=10"), 2, "show: unknown option '--m=10'\n" USAGE);
    assert_outcome(RUN(show_arguments, "10"), 2, "show: unexpected argument '10'\n" USAGE);
    assert_outcome(RUN(show_arguments, "--n"), 2, "show: --n needs a value\n" USAGE);
    assert_outcome(RUN(show_arguments, "--n=ten"), 2, "show: --n: 'ten' is not a number\n" USAGE);
    assert_outcome(RUN(show_arguments, "--n=1.5"), 2,
                   "show: --n: '1.5' is not a whole number\n" USAGE);
    assert_outcome(RUN(show_arguments, "--n="), 2, "show: --n: '' is not a number\n" USAGE);
}

static int fail_with_values(int argc, char **argv)
{
    static const tl_failure failure = {"LENGTH ERROR", "{} and {}", "life.apl:3:7",  "a+b",
                                       "  ^",          2,           {TL_I64, TL_I64}};
    const tl_value values[] = {{.integer = 3}, {.integer = -4}};
    tl_begin(argc, argv, "life", NULL);
    printf("before\n");
    tl_fail(&failure, values);
}

static int fail_without_place(int argc, char **argv)
{
    static const tl_failure failure = {"RANK ERROR", "", NULL, NULL, NULL, 0, {TL_I64}};
    tl_begin(argc, argv, "life", NULL);
    tl_fail(&failure, NULL);
}

static int allocate_absurdly(int argc, char **argv)
{
    tl_begin(argc, argv, "life", NULL);
    tl_allocate((int64_t)1 << 50, 8);
    return 0;
}

static int allocate_negatively(int argc, char **argv)
{
    tl_begin(argc, argv, "life", NULL);
    tl_allocate(-1, 8);
    return 0;
}

static int read_missing(int argc, char **argv)
{
    static const tl_failure place = {"", "", "a.apl:1:1", "x", "^", 0, {TL_I64}};
    const uint32_t name[] = {'/', 'n', 'o', 'n', 'e'};
    int64_t count;
    tl_begin(argc, argv, "a", NULL);
    free(tl_read_or_fail(&place, TL_TEXT, TL_I64, 1, name, 5, &count));
    return 0;
}

static void test_failures(void **state)
{
    (void)state;
    assert_outcome(run(fail_with_values, 1, (char *[]){"p"}), 1,
                   "before\nlife.apl:3:7: LENGTH ERROR: 3 and ¯4\n  a+b\n    ^\n");
    assert_outcome(run(fail_without_place, 1, (char *[]){"p"}), 1, "life: RANK ERROR\n");
    assert_outcome(run(allocate_absurdly, 1, (char *[]){"p"}), 1,
                   "life: WS FULL: 9007199254740992 bytes\n");
    assert_outcome(run(allocate_negatively, 1, (char *[]){"p"}), 1,
                   "life: LIMIT ERROR: an array of ¯1 elements of 8 bytes\n");
    assert_outcome(run(read_missing, 1, (char *[]){"p"}), 1,
                   "a.apl:1:1: DOMAIN ERROR: /none: No such file or directory\n  x\n  ^\n");
}

static int full_disk(int argc, char **argv)
{
    tl_begin(argc, argv, "full", NULL);
    if (!freopen("/dev/full", "w", stdout)) {
        return 9;
    }
    printf("lost\n");
    return tl_end();
}

static void test_unwritable_output(void **state)
{
    (void)state;
    assert_outcome(run(full_disk, 1, (char *[]){"p"}), 1,
                   "full: standard output: No space left on device\n");
}

static void test_draws_and_seed(void **state)
{
    (void)state;
    tl_seed(5);
    assert_int_equal(tl_seed_now(), 5);
    assert_int_equal(tl_draws(10), 0);
    assert_int_equal(tl_draws(1), 10);
    tl_seed(6);
    assert_int_equal(tl_draws(1), 0);
    assert_true(tl_random(0, 0) == (int64_t)(0xe169c58d6627e8d5u >> 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),      cmocka_unit_test(test_usage_errors),
        cmocka_unit_test(test_failures),       cmocka_unit_test(test_unwritable_output),
        cmocka_unit_test(test_draws_and_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
